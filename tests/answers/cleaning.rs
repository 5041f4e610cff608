//! Retention, compaction, DeleteRecords, look-up by time and recovery against a real Apache Kafka
//! 4.4.0. What the fields mean: `tests/golden/cleaning/README.md`.
//!
//! A line is a whole story of one partition. It is replayed step by step and compared in full,
//! every answer and, where it is recorded, every byte.

use crate::recorded::{Tally, hex, lines};
use loglanes::log::{
    BatchBuilder, BatchView, Compression, EndTransaction, Header, IsolationLevel, NewRecord,
    PartitionLog, RecoveryCut, SegmentParts,
};
use loglanes::topic::{AlterConfigOp, ConfigOp, TopicConfig};
use loglanes::{Error, Result};
use serde_json::{Map, Value, json};

/// Every topic was made then.
const T0: i64 = 1_700_000_000_000;

/// What a fetch asks for at most.
const FETCH_BYTES: usize = 1_048_576;

fn int(value: &Value) -> i64 {
    match value {
        Value::String(text) => text.parse().unwrap(),
        value => value.as_i64().unwrap_or_else(|| panic!("no number: {value}")),
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}

/// The log of a line, as far as its steps have come.
struct Story {
    given: Value,
    config: TopicConfig,
    log: PartitionLog,
}

impl Story {
    fn begin(line: &Value) -> Self {
        let given = line["topic_configs"].as_object().unwrap();
        let given = given.iter().map(|(name, value)| (name.clone(), text(value).to_owned()));
        let config = TopicConfig::parse(given).unwrap();
        let log = PartitionLog::new(config.log().clone(), T0);
        let log = log.named(format!("{}-0", text(&line["topic"])));
        Self { given: line["topic_configs"].clone(), config, log }
    }

    /// Does a step. What our side answers, and what was recorded; both of one form.
    fn step(&mut self, step: &Value) -> (Value, Value) {
        let now = int(&step["now"]);
        let mut recorded = step.get("result").cloned().unwrap_or_default();
        let wants_bytes = list(&recorded["segments"]).iter().any(|one| one["log_hex"].is_string());
        let ours = match text(&step["op"]) {
            "produce" => {
                let answer = self.produce(step, now);
                if recorded["error_code"] == 32 {
                    // Our text is what the user of a Java producer reads: the record's own.
                    recorded["message"] = recorded["record_errors"][0]["message"].clone();
                }
                if let Some(recorded) = recorded.as_object_mut() {
                    recorded.remove("record_errors");
                    // The broker sends the code alone: the client fills in its default text.
                    if recorded.get("message").is_some_and(Value::is_null) {
                        recorded.insert("message".to_owned(), answer["message"].clone());
                    }
                }
                answer
            }
            "init_transactions" | "begin" => Value::Null,
            end @ ("commit" | "abort") => self.end_transaction(end, &recorded, now),
            "state" => self.state(wants_bytes),
            "retention" => {
                // The broker's check passes compacted topics by.
                if !self.log.config().cleanup_policy.compact {
                    self.log.delete_old_segments(now);
                }
                self.state(wants_bytes)
            }
            "clean" => {
                recorded["before"] = step["before"].clone();
                self.clean(now, wants_bytes)
            }
            "delete_records" => {
                if let Some(answer) = recorded.as_object_mut() {
                    answer.remove("client_exception");
                }
                match self.log.delete_records(int(&step["offset"])) {
                    Ok(start) => json!({"low_watermark": start, "error_code": 0, "error": "NONE"}),
                    Err(error) => json!({
                        "low_watermark": -1, "error_code": error.code(), "error": error.name(),
                        "client_message": error.message(),
                    }),
                }
            }
            "fetch" => {
                if let Some(answer) = recorded.as_object_mut() {
                    answer.remove("consumer_exception");
                    answer.remove("consumer_message");
                }
                self.fetch(int(&step["offset"]))
            }
            "consume_from_beginning" => {
                let committed = self.log.records_as(0, IsolationLevel::ReadCommitted);
                let committed: Vec<_> = committed.map(|record| record.offset).collect();
                json!({"read_uncommitted": self.offsets(), "read_committed": committed})
            }
            "list_offsets" => self.list_offsets(),
            "alter_configs" => {
                let set = |(name, value): (&String, &Value)| AlterConfigOp {
                    op: ConfigOp::Set,
                    name: name.clone(),
                    value: Some(text(value).to_owned()),
                };
                let ops: Vec<_> = step["configs"].as_object().unwrap().iter().map(set).collect();
                self.config = self.config.alter(&ops).unwrap();
                self.log.set_config(self.config.log().clone());
                Value::Null
            }
            "roll" => {
                self.log.begin_segment(now);
                Value::Null
            }
            "set_file_mtime" => {
                self.set_file_mtime(int(&step["base_offset"]), int(&step["mtime"]));
                Value::Null
            }
            other => panic!("step {other}"),
        };
        (ours, recorded)
    }

    fn produce(&mut self, step: &Value, now: i64) -> Value {
        let mut builder = BatchBuilder::new();
        if int(&step["producer_id"]) != -1 {
            let epoch = i16::try_from(int(&step["producer_epoch"])).unwrap();
            let sequence = i32::try_from(int(&step["base_sequence"])).unwrap();
            builder.set_producer(int(&step["producer_id"]), epoch, sequence).unwrap();
        }
        builder.set_compression(Compression::from_name(text(&step["compression"])).unwrap(), None);
        if step["transactional"] == true {
            builder.set_transactional().unwrap();
        }
        for record in list(&step["records"]) {
            let headers: Vec<_> = list(&record["headers"])
                .iter()
                .map(|pair| (text(&pair[0]).to_owned(), hex(&pair[1])))
                .collect();
            let headers: Vec<_> = headers
                .iter()
                .map(|(key, value)| Header { key: key.as_bytes(), value: value.as_deref() })
                .collect();
            builder
                .append(&NewRecord {
                    timestamp: int(&record["timestamp"]),
                    key: hex(&record["key_hex"]).as_deref(),
                    value: hex(&record["value_hex"]).as_deref(),
                    headers: &headers,
                })
                .unwrap();
        }
        match self.log.append(builder.finish_packed(0, -1), now) {
            // What a producer in a transaction was answered is not told in full.
            Ok(info) if step.get("producer").is_some() => json!({"base_offset": info.base_offset}),
            Ok(info) => json!({
                "base_offset": info.base_offset,
                "log_append_time_ms": info.log_append_time.unwrap_or(-1),
                "log_start_offset": self.log.log_start_offset(),
            }),
            Err(error) => json!({
                "error_code": error.code(), "error": error.name(), "message": error.message(),
            }),
        }
    }

    fn end_transaction(&mut self, end: &str, recorded: &Value, now: i64) -> Value {
        if recorded["marker_offset"].is_null() {
            return recorded.clone();
        }
        let kind = if end == "commit" { EndTransaction::Commit } else { EndTransaction::Abort };
        let id = int(&recorded["marker_producer_id"]);
        let epoch = i16::try_from(int(&recorded["marker_producer_epoch"])).unwrap();
        let info = self.log.append_marker(id, epoch, kind, now).unwrap();
        json!({
            "marker_offset": info.base_offset, "marker_producer_id": id,
            "marker_producer_epoch": epoch, "last_stable_offset": self.log.last_stable_offset(),
            "high_watermark": self.log.high_watermark(),
        })
    }

    fn clean(&mut self, now: i64, wants_bytes: bool) -> Value {
        let plan = self.log.cleaner_plan(now);
        let due = self.log.cleaning_due_ms(now);
        let (passes, _) = self.log.run_cleaner(now);
        assert_eq!(self.log.record_count(), self.offsets().len() as u64);
        assert_eq!(due == Some(now), !passes.is_empty(), "a pass that is due is made");
        let mut answer = self.state(wants_bytes);
        answer["cleaner_checkpoint"] = json!(self.log.cleaner_checkpoint());
        let spans = passes.iter().map(|pass| (pass.dirty_from, pass.dirty_to));
        answer["passes"] =
            spans.map(|(from, to)| json!({"dirty_from": from, "dirty_to": to})).collect();
        answer["before"] = json!({
            "first_dirty_offset": plan.first_dirty_offset,
            "first_uncleanable_offset": plan.first_uncleanable_offset,
            "clean_bytes": plan.clean_bytes,
            "cleanable_bytes": plan.cleanable_bytes,
            "cleanable_ratio": plan.cleanable_ratio(),
            "max_compaction_delay_ms": plan.max_compaction_delay_ms,
        });
        answer
    }

    fn state(&self, wants_bytes: bool) -> Value {
        let segments: Vec<Value> = self
            .log
            .segments()
            .iter()
            .map(|segment| {
                let mut one = json!({
                    "base_offset": segment.base_offset(),
                    "size": segment.size_in_bytes(),
                    "largest_timestamp": segment.largest_timestamp(),
                    "batches": segment.batches().map(|batch| batch_json(&batch)).collect::<Vec<_>>(),
                });
                if wants_bytes {
                    let digits = segment.bytes().iter().map(|byte| format!("{byte:02x}"));
                    one["log_hex"] = json!(digits.collect::<String>());
                }
                one
            })
            .collect();
        let end = self.log.log_end_offset();
        let mut state = json!({
            "log_start_offset": self.log.log_start_offset(),
            "last_stable_offset": self.log.last_stable_offset(),
            "high_watermark": self.log.high_watermark(),
            "log_end_offset": end,
            "segments": segments,
        });
        if self.log.config().cleanup_policy.compact {
            state["cleaner_checkpoint"] = json!(self.log.cleaner_checkpoint());
        }
        state
    }

    fn fetch(&self, offset: i64) -> Value {
        let fetched = match self.log.read(offset, FETCH_BYTES) {
            Ok(fetched) => fetched,
            Err(error) => {
                return json!({
                    "error_code": error.code(), "error": error.name(), "high_watermark": -1,
                    "last_stable_offset": -1, "log_start_offset": -1,
                    "error_text": error.message(),
                });
            }
        };
        let batches: Vec<BatchView<'_>> = fetched.batches().map(Result::unwrap).collect();
        let spans: Vec<_> = batches
            .iter()
            .map(|batch| json!([batch.header().base_offset, batch.header().last_offset()]))
            .collect();
        let data = batches.iter().filter(|batch| !batch.header().is_control());
        let kept = data.flat_map(|batch| {
            let unpacked = batch.unpack();
            batch.records_in(&unpacked).map(|one| one.unwrap().offset).collect::<Vec<_>>()
        });
        json!({
            "error_code": 0, "error": "NONE", "high_watermark": fetched.high_watermark,
            "last_stable_offset": fetched.last_stable_offset,
            "log_start_offset": fetched.log_start_offset, "batches": spans,
            "delivered": kept.filter(|&kept| kept >= offset).collect::<Vec<_>>(),
        })
    }

    fn offsets(&self) -> Vec<i64> {
        let records = self.log.records_from(self.log.log_start_offset());
        records.map(|record| record.offset).collect()
    }

    fn list_offsets(&self) -> Value {
        let at = |offset: i64| json!({"offset": offset, "timestamp": -1, "leader_epoch": 0});
        let none = json!({"offset": -1, "timestamp": -1, "leader_epoch": -1});
        json!({
            "earliest": at(self.log.log_start_offset()),
            "latest": at(self.log.high_watermark()),
            "latest_read_committed": at(self.log.last_stable_offset()),
            "max_timestamp": self.log.max_timestamp_offset().map_or(none, |(offset, timestamp)| {
                json!({"offset": offset, "timestamp": timestamp, "leader_epoch": 0})
            }),
        })
    }

    fn set_file_mtime(&mut self, base_offset: i64, mtime: i64) {
        let mut parts = parts(&self.log);
        for part in parts.iter_mut().filter(|part| part.base_offset == base_offset) {
            part.last_modified_ms = mtime;
        }
        let start = self.log.log_start_offset();
        self.log = PartitionLog::restore(self.config.log().clone(), start, parts).unwrap();
    }
}

fn parts(log: &PartitionLog) -> Vec<SegmentParts> {
    log.segments()
        .iter()
        .map(|segment| SegmentParts {
            base_offset: segment.base_offset(),
            created_ms: segment.created_ms(),
            last_modified_ms: segment.last_modified_ms(),
            bytes: segment.bytes().to_vec(),
        })
        .collect()
}

fn batch_json(batch: &BatchView<'_>) -> Value {
    let header = batch.header();
    let offsets: Vec<i64> = batch.records().map(|record| record.unwrap().offset).collect();
    let mut one = Map::new();
    one.insert("base_offset".into(), json!(header.base_offset));
    one.insert("last_offset".into(), json!(header.last_offset()));
    one.insert("size".into(), json!(header.size_in_bytes()));
    one.insert("max_timestamp".into(), json!(header.max_timestamp));
    one.insert("offsets".into(), json!(offsets));
    if let Some(horizon) = header.delete_horizon() {
        one.insert("delete_horizon_ms".into(), json!(horizon));
    }
    if header.producer_id != -1 {
        one.insert("producer_id".into(), json!(header.producer_id));
        one.insert("producer_epoch".into(), json!(header.producer_epoch));
        one.insert("base_sequence".into(), json!(header.base_sequence));
        one.insert("transactional".into(), json!(header.is_transactional()));
        one.insert("control".into(), json!(header.is_control()));
    }
    Value::Object(one)
}

/// Whether a line stores compressed batches. Another codec than the broker's makes other bytes of
/// the same records: what is counted in bytes is then not compared.
fn is_compressed(line: &Value) -> bool {
    let own = line["topic_configs"]["compression.type"].as_str();
    own.is_some_and(|codec| !["producer", "uncompressed"].contains(&codec))
        || list(&line["steps"]).iter().any(|step| {
            step["op"] == "produce"
                && text(&step["compression"]) != "none"
                && step["result"].get("error_code").is_none()
        })
}

/// The answer without what is counted in bytes.
fn without_sizes(mut answer: Value) -> Value {
    match &mut answer {
        Value::Object(fields) => {
            for name in ["size", "log_hex", "clean_bytes", "cleanable_bytes", "cleanable_ratio"] {
                fields.remove(name);
            }
            for (name, field) in fields.iter_mut() {
                *field = without_sizes(field.take());
                for segment in field.as_array_mut().into_iter().flatten() {
                    // In a look: base offset, size, largest timestamp.
                    if name == "segments" && segment.is_array() {
                        segment[1] = Value::Null;
                    }
                }
            }
        }
        Value::Array(all) => all.iter_mut().for_each(|one| *one = without_sizes(one.take())),
        _ => {}
    }
    answer
}

fn blur((ours, recorded): (Value, Value), is_compressed: bool) -> (Value, Value) {
    if is_compressed { (without_sizes(ours), without_sizes(recorded)) } else { (ours, recorded) }
}

/// The first step in which the two sides differ, with both answers; none if they are the same.
fn first_difference(story: &mut Story, steps: &[Value]) -> Option<(usize, String, String)> {
    let configs = &story.given;
    let is_compressed = is_compressed(&json!({"topic_configs": configs, "steps": steps}));
    steps.iter().enumerate().find_map(|(number, step)| {
        let (ours, recorded) = blur(story.step(step), is_compressed);
        (ours != recorded).then(|| (number, ours.to_string(), recorded.to_string()))
    })
}

fn replay(file: &str) {
    let lines = lines(file);
    let mut tally = Tally::default();
    for line in &lines {
        let difference = first_difference(&mut Story::begin(line), list(&line["steps"]));
        tally.compare(text(&line["case"]), difference, None);
    }
    tally.finish(file, lines.len());
}

#[test]
fn old_segments_go_as_in_a_broker() {
    replay("cleaning/retention.ndjson");
}

#[test]
fn the_cleaner_leaves_the_same_bytes_as_a_broker_s() {
    replay("cleaning/compaction.ndjson");
}

#[test]
fn records_are_deleted_as_in_a_broker() {
    replay("cleaning/delete-records.ndjson");
}

#[test]
fn look_ups_by_time_answer_as_a_broker_does() {
    let lines = lines("cleaning/offsets-by-time.ndjson");
    let mut tally = Tally::default();
    for line in &lines {
        let mut story = Story::begin(line);
        let mut other_rolls = false;
        let steps = list(&line["steps"]);
        let now = steps.iter().map(|step| int(&step["now"])).max().unwrap_or(T0);
        let mut difference = first_difference(&mut story, steps)
            .map(|(number, ours, recorded)| (format!("step {number}"), ours, recorded));
        for (number, look) in list(&line["looks"]).iter().enumerate() {
            match text(&look["after"]) {
                "none" => {}
                "delete_records" => {
                    story.log.delete_records(int(&look["log_start_offset"])).unwrap();
                }
                _ => {
                    story.log.delete_old_segments(now);
                }
            }
            let (ours, recorded) =
                blur((look_of(&story.log, look), look.clone()), is_compressed(line));
            if is_compressed(line) && ours["segments"] != recorded["segments"] {
                other_rolls = true;
            }
            if ours != recorded && difference.is_none() {
                let what = format!("look {number}");
                difference = Some((what, ours.to_string(), recorded.to_string()));
            }
        }
        if other_rolls {
            tally.skip("rolls by the size of compressed batches, which is the codec's");
            continue;
        }
        tally.compare(text(&line["case"]), difference, None);
    }
    tally.finish("cleaning/offsets-by-time.ndjson", lines.len());
}

/// Our answers to the questions of a look.
fn look_of(log: &PartitionLog, look: &Value) -> Value {
    let pair = |found: Option<(i64, i64)>| match found {
        Some((offset, timestamp)) => (offset, timestamp, 0),
        None => (-1, -1, -1),
    };
    let at = |(offset, timestamp, leader_epoch): (i64, i64, i64)| json!({"offset": offset, "timestamp": timestamp, "leader_epoch": leader_epoch});
    let answers = |isolation: IsolationLevel| {
        let queries: Vec<Value> = list(&look[isolation.name()]["queries"])
            .iter()
            .map(|query| {
                let found = log.offset_for_timestamp_as(int(&query[0]), isolation);
                let (offset, timestamp, epoch) = pair(found);
                json!([query[0], offset, timestamp, epoch])
            })
            .collect();
        json!({
            "earliest": at((log.log_start_offset(), -1, 0)),
            "latest": at((log.readable_until(isolation), -1, 0)),
            "max_timestamp": at(pair(log.max_timestamp_offset_as(isolation))),
            "queries": queries,
        })
    };
    let segments: Vec<Value> = log
        .segments()
        .iter()
        .map(|segment| {
            let largest = segment.largest_timestamp().unwrap_or(-1);
            json!([segment.base_offset(), segment.size_in_bytes(), largest])
        })
        .collect();
    let mut ours = json!({
        "after": look["after"],
        "log_start_offset": log.log_start_offset(),
        "last_stable_offset": log.last_stable_offset(),
        "high_watermark": log.high_watermark(),
        "segments": segments,
        "read_uncommitted": answers(IsolationLevel::ReadUncommitted),
    });
    if log.last_stable_offset() < log.high_watermark() {
        ours["read_committed"] = answers(IsolationLevel::ReadCommitted);
    }
    ours
}

/// A broker cuts the log off at the first bad batch. Loglanes then reads the records as well: what a
/// broker would keep and nobody could read is refused.
#[test]
fn a_damaged_log_is_recovered_as_by_a_broker() {
    let lines = lines("cleaning/recovery.ndjson");
    let mut tally = Tally::default();
    for line in &lines {
        let mut story = Story::begin(line);
        assert_eq!(first_difference(&mut story, list(&line["steps"])), None);
        let recovered = match recovered(&story, line) {
            Ok((log, _)) => log,
            Err(error) => {
                assert_eq!(error.name(), "CORRUPT_BYTES", "{error}");
                tally.skip("batches that a broker keeps, and whose offsets do not rise");
                continue;
            }
        };
        let is_packed = is_compressed(line);
        let wants_bytes = list(&line["after"]["segments"])[0]["log_hex"].is_string();
        story.log = recovered;
        // How far the cleaner was stands in a file of the broker's, which no crash harms.
        let mut ours = story.state(wants_bytes);
        ours["cleaner_checkpoint"] = line["after"]["cleaner_checkpoint"].clone();
        let mut recorded = line["after"].clone();
        recorded["cleaner_checkpoint"] = ours["cleaner_checkpoint"].clone();
        let (ours, recorded) = blur((ours, recorded), is_packed);
        let difference = first_difference(&mut story, list(&line["then"]));
        tally.compare(
            text(&line["case"]),
            (ours.to_string(), difference),
            (recorded.to_string(), None),
        );
    }
    tally.finish("cleaning/recovery.ndjson", lines.len());
}

fn recovered(story: &Story, line: &Value) -> Result<(PartitionLog, Option<RecoveryCut>), Error> {
    let parts = list(&line["damaged"])
        .iter()
        .map(|file| SegmentParts {
            base_offset: text(&file[0]).trim_end_matches(".log").parse().unwrap(),
            created_ms: T0,
            last_modified_ms: T0,
            bytes: hex(&file[1]).unwrap(),
        })
        .collect();
    let start = int(&line["before"]["log_start_offset"]);
    PartitionLog::recover(story.config.log().clone(), Some(start), parts)
}
