//! The log against a real Apache Kafka 4.4.0: its files, its batches, its refusals.
//!
//! The data and what each field means: `tests/golden/segments/README.md`.

#[cfg(not(target_arch = "wasm32"))]
mod as_files;
#[cfg(not(target_arch = "wasm32"))]
mod directories;

use std::collections::BTreeMap;

use crate::recorded::{self, Tally, hex, lines};
use loglanes::log::{
    AbortedTransaction, BatchBuilder, BatchHeader, BatchView, Batches, BrokerCompression,
    Compression, EndTransaction, Header, IsolationLevel, LogConfig, NewRecord, PartitionLog,
    RecordView, SegmentParts, crc32c,
};
use loglanes::topic::TopicConfig;
use loglanes::{Error, Refusal};
use serde_json::Value;
use wasm_bindgen_test::wasm_bindgen_test;

const T0: i64 = 1_700_000_000_000;

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("{name} of {value}"))
}

fn int(value: &Value) -> i64 {
    match value {
        Value::String(text) => text.parse().expect(text),
        value => value.as_i64().unwrap_or_else(|| panic!("a number: {value}")),
    }
}

type OwnedHeader = (Vec<u8>, Option<Vec<u8>>);

/// A record of the data, with the offset it says, if it says one.
struct Owned {
    offset: Option<i64>,
    timestamp: i64,
    key: Option<Vec<u8>>,
    value: Option<Vec<u8>>,
    headers: Vec<OwnedHeader>,
}

impl Owned {
    fn of(value: &Value) -> Self {
        let headers = value["headers"].as_array().expect("headers").iter();
        Self {
            offset: value.get("offset").map(int),
            timestamp: int(&value["timestamp"]),
            key: hex(&value["key_hex"]),
            value: hex(&value["value_hex"]),
            headers: headers
                .map(|pair| (pair[0].as_str().expect("a name").into(), hex(&pair[1])))
                .collect(),
        }
    }

    fn with<T>(&self, f: impl FnOnce(&NewRecord<'_>) -> T) -> T {
        let headers: Vec<_> = self
            .headers
            .iter()
            .map(|(key, value)| Header { key, value: value.as_deref() })
            .collect();
        f(&NewRecord {
            timestamp: self.timestamp,
            key: self.key.as_deref(),
            value: self.value.as_deref(),
            headers: &headers,
        })
    }
}

/// A builder filled with the records of a batch, its fields set.
fn build(batch: &Value, base_offset: i64) -> Result<BatchBuilder, Error> {
    let mut builder = BatchBuilder::new();
    if batch["control"].as_bool().unwrap_or(false) {
        builder.set_control();
    }
    if int(&batch["producer_id"]) != -1 {
        let epoch = i16::try_from(int(&batch["producer_epoch"])).unwrap();
        let sequence = i32::try_from(int(&batch["base_sequence"])).unwrap();
        builder.set_producer(int(&batch["producer_id"]), epoch, sequence)?;
    }
    // Of a record that was refused within a transaction no producer id was found in the log.
    let is_unknown = batch.get("producer").is_some() && int(&batch["producer_id"]) == -1;
    if batch["transactional"].as_bool().unwrap() && !is_unknown {
        builder.set_transactional()?;
    }
    if let Some(horizon) = batch.get("delete_horizon_ms").filter(|horizon| !horizon.is_null()) {
        builder.set_delete_horizon(int(horizon));
    }
    if let Some(marker) = batch.get("end_txn_marker") {
        let coordinator_epoch = i32::try_from(int(&marker["coordinator_epoch"])).unwrap();
        let kind = match text(marker, "type") {
            "COMMIT" => EndTransaction::Commit,
            _ => EndTransaction::Abort,
        };
        builder.append_marker(kind, coordinator_epoch, int(&marker["timestamp"]))?;
        return Ok(builder);
    }
    for record in batch["records"].as_array().expect("records") {
        let record = Owned::of(record);
        match record.offset {
            None => record.with(|record| builder.append(record))?,
            Some(offset) => {
                let Ok(delta) = i32::try_from(offset - base_offset) else {
                    return Err(Error::loglanes("the offset delta is no i32"));
                };
                record.with(|record| builder.append_at(delta, record))?;
            }
        }
    }
    if let Some(last) = batch.get("override_last_offset").filter(|last| !last.is_null()) {
        builder.set_last_offset_delta(i32::try_from(int(last) - base_offset).unwrap());
    }
    Ok(builder)
}

fn config_of(case: &Value) -> LogConfig {
    let given = case["topic_configs"].as_object().expect("topic_configs").iter();
    let given = given.map(|(name, value)| (name.clone(), value.as_str().expect(name).to_owned()));
    TopicConfig::parse(given).expect("configs").log().clone()
}

/// A compressed batch of a step, as its producer sent it: the bytes that Kafka's codec made, as
/// they are found in the log. Where they are in no log, those of our codec.
fn packed(folder: &str, case: &Value, step: &Value) -> Vec<u8> {
    let codec = Compression::from_name(text(step, "compression")).unwrap();
    let mut step = step.clone();
    if !step["records"].is_array() {
        step["records"] = Value::Array(lines(&format!("{folder}/records.ndjson")));
    }
    let mut builder = build(&step, 0).expect("the records build");
    builder.set_compression(codec, step["level"].as_i64().map(|level| level as i32));
    let ours = builder.finish_packed(0, -1).to_vec();
    let base_offset = step["result"].get("base_offset").map(int);
    for file in case["files"].as_array().unwrap() {
        let name = text(file, "name");
        if !name.ends_with(".log") {
            continue;
        }
        let bytes = recorded::bytes(&format!("{folder}/{name}")).unwrap();
        for batch in Batches::new(&bytes).map(Result::unwrap) {
            let header = batch.header();
            if Some(header.base_offset) != base_offset
                || header.compression() != codec
                || header.delete_horizon().is_some()
                || header.record_count != BatchHeader::parse(&ours).unwrap().record_count
            {
                continue;
            }
            let mut sent = batch.bytes().to_vec();
            // What the broker has written into it is taken out again.
            let head = BatchHeader::parse(&ours).unwrap();
            let header = BatchHeader {
                base_offset: 0,
                partition_leader_epoch: -1,
                attributes: head.attributes,
                max_timestamp: head.max_timestamp,
                ..*header
            };
            sent[..61].copy_from_slice(&header.to_bytes());
            let crc = crc32c::checksum(&sent[21..]);
            sent[17..21].copy_from_slice(&crc.to_be_bytes());
            return sent;
        }
    }
    ours
}

/// A log after its steps, and the file of its producers that a broker has written as it stopped last.
struct Replayed {
    log: PartitionLog,
    left_behind: Option<(String, Vec<u8>)>,
}

/// The file that a broker writes as it stops: what it knows of the producers.
fn last_snapshot(log: &PartitionLog) -> Option<(String, Vec<u8>)> {
    let end = log.log_end_offset();
    let name = format!("{end:020}.snapshot");
    Some((name, log.snapshot_at_end()?))
}

/// Does the steps; where Loglanes cannot do one, says which.
fn replay(
    folder: &str,
    case: &Value,
    steps: &[Value],
    tally: &mut Tally,
) -> Result<Replayed, String> {
    let mut left_behind = None;
    // When the broker stops and starts is not told: the clock stands still.
    let mut last_now = T0;
    let config = config_of(case);
    let now = |step: &Value| int(&step["now"]);
    // Every topic was made at T0.
    let mut log = PartitionLog::new(config.clone(), T0);
    for step in steps {
        last_now = step.get("now").map_or(last_now, int);
        match text(step, "op") {
            "produce" if text(step, "compression") == "none" => {
                let result = &step["result"];
                let mut builder = build(step, 0).expect("the records build");
                // The same batch both ways: as bytes from a producer, and from the builder.
                let mut twin = log.clone();
                let sent = twin.append(builder.finish(0, -1), now(step));
                let built = log.append_batch(&mut builder, now(step));
                tally.compare("append and append_batch", &sent, &built);
                for (a, b) in log.segments().iter().zip(twin.segments()) {
                    assert_eq!(a.bytes(), b.bytes());
                    assert_eq!(a.closed_time_index(), b.closed_time_index());
                }
                match built {
                    Ok(info) => {
                        tally.compare("base offset", info.base_offset, int(&result["base_offset"]));
                        if step.get("producer").is_some() {
                            continue;
                        }
                        let time = info.log_append_time.unwrap_or(-1);
                        tally.compare("append time", time, int(&result["log_append_time_ms"]));
                    }
                    // What a producer in a transaction was answered is not told in full.
                    Err(_) if step.get("producer").is_some() => {
                        tally.compare("refused", result.get("base_offset").is_none(), true);
                    }
                    Err(error) => tally.compare(
                        "error code",
                        error.code().map(i64::from),
                        result["error_code"].as_i64(),
                    ),
                }
            }
            "produce" => {
                let result = &step["result"];
                match log.append(&mut packed(folder, case, step), now(step)) {
                    Ok(info) => {
                        tally.compare("base offset", info.base_offset, int(&result["base_offset"]));
                        if step.get("producer").is_some() {
                            continue;
                        }
                        let time = info.log_append_time.unwrap_or(-1);
                        tally.compare("append time", time, int(&result["log_append_time_ms"]));
                    }
                    Err(error) => tally.compare(
                        "error code",
                        error.code().map(i64::from),
                        result["error_code"].as_i64(),
                    ),
                }
            }
            "init_transactions" | "begin" => {}
            end @ ("commit" | "abort") => end_transaction(&mut log, end, step, tally),
            "clean" => {
                log.run_cleaner(now(step));
            }
            "retention" => {
                log.delete_old_segments(now(step));
            }
            "delete_records" => {
                log.delete_records(int(&step["offset"])).unwrap();
            }
            "roll" => log.begin_segment(now(step)),
            "truncate_fully_and_start_at" => {
                log =
                    PartitionLog::with_base_offset(config.clone(), int(&step["offset"]), now(step))
                        .unwrap();
            }
            "append_as_follower" => {
                let base = int(&step["base_offset"]);
                let mut builder = BatchBuilder::new();
                for record in step["records"].as_array().unwrap() {
                    Owned::of(record).with(|record| builder.append(record)).unwrap();
                }
                log.append_as_follower(builder.finish(base, 0), now(step)).unwrap();
            }
            "restart_broker" => {
                left_behind = last_snapshot(&log);
                log.restart(last_now);
            }
            other => return Err(format!("step {other}")),
        }
    }
    Ok(Replayed { log, left_behind })
}

/// The marker that a coordinator has written.
fn end_transaction(log: &mut PartitionLog, end: &str, step: &Value, tally: &mut Tally) {
    let result = &step["result"];
    if !result["marker_offset"].is_null() {
        let kind = if end == "commit" { EndTransaction::Commit } else { EndTransaction::Abort };
        let id = int(&result["marker_producer_id"]);
        let epoch = i16::try_from(int(&result["marker_producer_epoch"])).unwrap();
        let info = log.append_marker(id, epoch, kind, int(&step["now"])).unwrap();
        tally.compare("marker", info.base_offset, int(&result["marker_offset"]));
    }
    let ends = [log.last_stable_offset(), log.high_watermark()];
    let fields = ["last_stable_offset", "high_watermark"];
    tally.compare("ends", ends, fields.map(|field| int(&result[field])));
}

fn header_list(record: &RecordView<'_>) -> Vec<OwnedHeader> {
    record.headers().map(|header| (header.key.into(), header.value.map(Into::into))).collect()
}

/// Whether the cleaner was at a log and may have packed batches anew.
fn cleaned_packed(log: &PartitionLog, steps: &[Value]) -> bool {
    steps.iter().any(|step| step["op"] == "clean")
        && log.batches_from(0).any(|batch| batch.is_compressed())
}

/// Whether a later leader stands in a `leader-epoch-checkpoint` file that began at the log's end:
/// the broker was started again after the last step.
fn was_restarted_later(log: &PartitionLog, checkpoint: &[u8]) -> bool {
    let text = std::str::from_utf8(checkpoint).unwrap();
    let last = text.lines().last().and_then(|line| line.split_once(' ')).unwrap();
    let last: (i32, i64) = (last.0.parse().unwrap(), last.1.parse().unwrap());
    last.0 > log.leader_epoch() && last.1 == log.log_end_offset()
}

/// The files that are compared.
const ENDS: [&str; 6] =
    [".log", ".index", ".timeindex", ".txnindex", ".snapshot", "leader-epoch-checkpoint"];

#[wasm_bindgen_test(unsupported = test)]
fn the_broker_s_directories_come_out_byte_for_byte() {
    let mut tally = Tally::default();
    for name in recorded::names("segments") {
        let folder = format!("segments/{name}");
        if recorded::bytes(&format!("{folder}/case.json")).is_none() {
            continue;
        }
        let case = &lines(&format!("{folder}/case.json"))[0];
        let steps = lines(&format!("{folder}/steps.ndjson"));
        let Replayed { log, left_behind } = match replay(&folder, case, &steps, &mut tally) {
            Ok(replayed) => replayed,
            Err(why) => {
                tally.skip(format!("{name}: {why}"));
                continue;
            }
        };
        let mut files = BTreeMap::new();
        for segment in log.segments() {
            let stem = segment.file_name().replace(".log", "");
            files.insert(format!("{stem}.log"), segment.bytes().to_vec());
            files.insert(format!("{stem}.index"), segment.offset_index().to_bytes());
            files.insert(format!("{stem}.timeindex"), segment.closed_time_index().to_bytes());
            if !segment.aborted().is_empty() {
                let entries = segment.aborted().iter().flat_map(AbortedTransaction::to_bytes);
                files.insert(format!("{stem}.txnindex"), entries.collect());
            }
            if let Some(snapshot) = segment.producer_snapshot() {
                files.insert(format!("{stem}.snapshot"), snapshot.to_vec());
            }
        }
        files.extend(left_behind);
        files.extend(last_snapshot(&log));
        files.insert("leader-epoch-checkpoint".into(), log.leader_epoch_checkpoint().into());
        let listed = case["files"].as_array().unwrap().iter().map(|file| text(file, "name"));
        let kafkas: BTreeMap<_, _> = listed
            .filter(|file| ENDS.iter().any(|end| file.ends_with(end)))
            .map(|file| (file.to_owned(), recorded::bytes(&format!("{folder}/{file}")).unwrap()))
            .collect();
        tally.compare(
            format!("{name}: files"),
            files.keys().collect::<Vec<_>>(),
            kafkas.keys().collect::<Vec<_>>(),
        );
        // What the broker has packed anew has the bytes of its codec, and so has what points
        // there: sizes, checksums, index entries.
        let is_repacked = matches!(
            log.config().compression_type,
            BrokerCompression::Codec(codec) if codec != Compression::None
        ) || cleaned_packed(&log, &steps);
        if is_repacked {
            tally.skip("the bytes of batches that the broker's own codec has packed anew");
        }
        for (file, bytes) in kafkas.iter().filter(|_| !is_repacked) {
            if file == "leader-epoch-checkpoint" && was_restarted_later(&log, bytes) {
                tally.skip("a leader of whom the steps do not tell, and who has written nothing");
                continue;
            }
            tally.compare(format!("{name}/{file}"), files.get(file), Some(bytes));
        }
        let start = int(&case["log_start_offset"]);
        tally.compare(format!("{name}: start"), log.log_start_offset(), start);
        tally.compare(format!("{name}: end"), log.log_end_offset(), int(&case["log_end_offset"]));
        let offsets: Vec<_> = log.records_from(0).map(|record| record.offset).collect();
        let read: Vec<_> = case["read_uncommitted"].as_array().unwrap().iter().map(int).collect();
        tally.compare(format!("{name}: count"), log.record_count(), read.len() as u64);
        tally.compare(format!("{name}: offsets"), offsets, read);
        let committed = log.records_as(0, IsolationLevel::ReadCommitted);
        let committed: Vec<_> = committed.map(|record| record.offset).collect();
        let read: Vec<_> = case["read_committed"].as_array().unwrap().iter().map(int).collect();
        tally.compare(format!("{name}: committed"), committed, read);
        let stable = int(&case["last_stable_offset"]);
        tally.compare(format!("{name}: stable"), log.last_stable_offset(), stable);
        let data = lines(&format!("{folder}/records.ndjson")).into_iter();
        let data =
            data.filter(|record| record["control"].is_null() && int(&record["offset"]) >= start);
        for (ours, kafkas) in log.records_from(0).zip(data) {
            let kafkas = Owned::of(&kafkas);
            tally.compare(
                format!("{name}: record"),
                (
                    Some(ours.offset),
                    ours.timestamp,
                    ours.key.map(Into::into),
                    ours.value.map(Into::into),
                    header_list(&ours),
                ),
                (kafkas.offset, kafkas.timestamp, kafkas.key, kafkas.value, kafkas.headers),
            );
        }
        let position = log.batches_from(0).count();
        let batches = lines(&format!("{folder}/batches.ndjson"));
        tally.compare(format!("{name}: batches"), position, batches.len());
        for (ours, kafkas) in log.batches_from(0).zip(&batches) {
            let header = ours.header();
            let size = header.size_in_bytes() as i64;
            let all = [
                ("base_offset", header.base_offset),
                ("last_offset", header.last_offset()),
                ("max_timestamp", header.max_timestamp),
                ("count", i64::from(header.record_count)),
                ("partition_leader_epoch", i64::from(header.partition_leader_epoch)),
                ("size", size),
                ("crc", i64::from(header.crc)),
            ];
            let all = &all[..if is_repacked { 5 } else { 7 }];
            tally.compare(
                format!("{name}: batch"),
                all.to_vec(),
                all.iter().map(|(field, _)| (*field, int(&kafkas[*field]))).collect(),
            );
            tally.compare(
                format!("{name}: codec"),
                header.compression().to_string(),
                text(kafkas, "compression").to_owned(),
            );
        }
        // What is stored comes back, indexes and counts included.
        let parts = log.segments().iter().map(|segment| SegmentParts {
            base_offset: segment.base_offset(),
            created_ms: segment.created_ms(),
            last_modified_ms: segment.last_modified_ms(),
            bytes: segment.bytes().to_vec(),
        });
        let again = PartitionLog::restore(log.config().clone(), start, parts.collect()).unwrap();
        tally.compare("restored leaders", again.leader_epochs(), log.leader_epochs());
        tally.compare("restored count", again.record_count(), log.record_count());
        for (a, b) in again.segments().iter().zip(log.segments()) {
            tally.compare("restored index", a.offset_index(), b.offset_index());
            // Each stop of the broker made an entry; they are built anew from the batches alone.
            if !steps.iter().any(|step| step["op"] == "restart_broker") {
                tally.compare("restored time index", a.closed_time_index(), b.closed_time_index());
            }
        }
        // What compaction and retention have taken is not found again.
        if !log.config().cleanup_policy.compact && log.segments()[0].base_offset() == 0 {
            for (a, b) in again.segments().iter().zip(log.segments()) {
                tally.compare("restored aborted", a.aborted(), b.aborted());
            }
            let (again, log) = (again.producers().to_snapshot(), log.producers().to_snapshot());
            tally.compare("restored producers", again, log);
        }
    }
    tally.finish_open("segments");
}

#[wasm_bindgen_test(unsupported = test)]
fn kafka_s_own_builder_makes_the_same_bytes() {
    let mut tally = Tally::default();
    for batch in lines("segments/foreign/batches.ndjson") {
        let case = text(&batch, "case").to_owned();
        let base_offset = int(&batch["base_offset"]);
        let epoch = i32::try_from(int(&batch["partition_leader_epoch"])).unwrap();
        if let Some(exception) = batch["exception"].as_str() {
            tally.compare(&case, build(&batch, base_offset).is_err(), true);
            assert_eq!(exception, "java.lang.IllegalArgumentException");
            continue;
        }
        let kafkas = hex(&batch["batch_hex"]).unwrap();
        if text(&batch, "compression") != "none" {
            let view = BatchView::parse(&kafkas).unwrap();
            view.verify_crc().unwrap();
            tally.compare(
                &case,
                view.header().compression().to_string(),
                text(&batch, "compression").to_owned(),
            );
            let error = view.records().next().unwrap().unwrap_err();
            assert_eq!((error.refusal(), view.records().count()), (Refusal::Loglanes, 1));
            let plain = read_unpacked(&view);
            let read_back = batch["read_back"].as_array().unwrap().iter();
            let offsets = read_back.map(|record| (Some(int(&record[0])), int(&record[1])));
            tally.compare(
                &case,
                plain.iter().map(|record| (record.offset, record.timestamp)).collect::<Vec<_>>(),
                offsets.collect(),
            );
            // Ours unpacks to the same, and is the same but for what the codec makes.
            let mut builder = build(&batch, base_offset).expect(&case);
            builder.set_compression(view.header().compression(), None);
            let mut ours = builder.finish_packed(base_offset, epoch).to_vec();
            if text(&batch, "timestamp_type") == "LogAppendTime" {
                ours = stamp(&ours, int(&batch["log_append_time_ms"]));
            }
            let ours = BatchView::parse(&ours).unwrap();
            ours.verify_crc().unwrap();
            let alike = BatchHeader {
                batch_length: view.header().batch_length,
                crc: view.header().crc,
                ..*ours.header()
            };
            tally.compare(&case, alike, *view.header());
            tally.compare(&case, records_hex(&ours), text(&batch, "records_hex").to_owned());
            tally.compare(&case, records_hex(&view), text(&batch, "records_hex").to_owned());
            continue;
        }
        let ours = if batch["empty_header"] == true {
            let mut header = BatchHeader::parse(&kafkas).unwrap();
            header.crc = 0;
            let mut bytes = header.to_bytes();
            let crc = crc32c::checksum(&bytes[21..]);
            bytes[17..21].copy_from_slice(&crc.to_be_bytes());
            bytes.to_vec()
        } else {
            let mut builder = build(&batch, base_offset).expect(&case);
            if text(&batch, "timestamp_type") == "LogAppendTime" {
                // Only a log sets that; what its builder had for a horizon stays.
                let sent = builder.finish(base_offset, epoch).to_vec();
                stamp(&sent, int(&batch["log_append_time_ms"]))
            } else {
                builder.finish(base_offset, epoch).to_vec()
            }
        };
        tally.compare(&case, &ours, &kafkas);
        let Some(read_back) = batch["read_back"].as_array() else { continue };
        let view = BatchView::parse(&kafkas).expect(&case);
        tally.compare(&case, view.header().last_offset(), int(&batch["last_offset"]));
        let sequence = i64::from(view.header().last_sequence());
        tally.compare(&case, sequence, int(&batch["last_sequence"]));
        let ours = view.records().map(|record| record.map(|r| (r.offset, r.timestamp)));
        let kafkas = read_back.iter().map(|record| Ok((int(&record[0]), int(&record[1]))));
        tally.compare(&case, ours.collect::<Vec<_>>(), kafkas.collect());
    }
    tally.finish_open("foreign");
}

fn read_unpacked(batch: &BatchView<'_>) -> Vec<Owned> {
    let unpacked = batch.unpack();
    let records = batch.records_in(&unpacked).map(|record| {
        let record = record.unwrap();
        Owned {
            offset: Some(record.offset),
            timestamp: record.timestamp,
            key: record.key.map(Into::into),
            value: record.value.map(Into::into),
            headers: header_list(&record),
        }
    });
    records.collect()
}

fn records_hex(batch: &BatchView<'_>) -> String {
    let unpacked = batch.unpack();
    let records = batch.records_in(&unpacked).flat_map(|record| record.unwrap().bytes().to_vec());
    records.map(|byte| format!("{byte:02x}")).collect()
}

/// Kafka's LogAppendTime: bit 3, the time as max timestamp, the CRC anew.
fn stamp(batch: &[u8], time: i64) -> Vec<u8> {
    let mut batch = batch.to_vec();
    batch[22] |= 1 << 3;
    batch[35..43].copy_from_slice(&time.to_be_bytes());
    let crc = crc32c::checksum(&batch[21..]);
    batch[17..21].copy_from_slice(&crc.to_be_bytes());
    batch
}

/// Reads like a consumer in memory; the error's text where one comes.
fn consume(bytes: &[u8], verify: bool) -> Result<Vec<(i64, i64)>, String> {
    let mut records = Vec::new();
    for batch in Batches::new(bytes) {
        let batch = batch.map_err(|error| error.message().to_owned())?;
        if verify {
            batch.verify_crc().map_err(|error| error.message().to_owned())?;
        }
        let unpacked = batch.unpack();
        for record in batch.records_in(&unpacked) {
            let record = record.map_err(|error| error.message().to_owned())?;
            records.push((record.offset, record.timestamp));
        }
    }
    Ok(records)
}

#[wasm_bindgen_test(unsupported = test)]
fn damaged_batches_meet_kafka_s_verdicts() {
    let mut tally = Tally::default();
    for case in lines("segments/bad.ndjson") {
        let name = text(&case, "case").to_owned();
        let bytes = hex(&case["hex"]).unwrap();
        for (way, verify) in [("memory", true), ("memory_without_crc_check", false)] {
            let Some(kafka) = case.get(way) else { continue };
            let ours = consume(&bytes, verify);
            if name.starts_with("format v") {
                tally.skip("format v0 and v1, which only files hold: as_files.rs has them");
            } else if kafka["verdict"] == "ok" {
                let whole = int(&kafka["bytes_read"]) as usize == bytes.len();
                if !whole {
                    // A broker stops in silence at a tail too short for a batch; we say so.
                    tally.compare(&name, ours.is_err(), true);
                    continue;
                }
                let batches = kafka["batches"].as_array().unwrap().iter();
                let kafkas = batches.flat_map(|batch| batch["records"].as_array().unwrap());
                let kafkas: Vec<_> = kafkas.map(|r| (int(&r[0]), int(&r[1]))).collect();
                tally.compare(&name, ours, Ok(kafkas));
            } else {
                let message = kafka["message"].as_str().unwrap_or_default();
                let ours = ours.expect_err(&name);
                // Kafka runs into these without a text of its own.
                if text(kafka, "exception").starts_with("java.lang.Ind")
                    || message.starts_with("newLimit")
                {
                    tally.compare(&name, true, true);
                    continue;
                }
                let message = message.split(", converted value").next().unwrap();
                // Where the cause says more than the message, ours has both.
                let cause = kafka["cause_message"].as_str().or(kafka["cause"].as_str());
                let message = match cause {
                    Some(cause)
                        if text(kafka, "exception").ends_with(".KafkaException")
                            && !message.contains(cause) =>
                    {
                        format!("{message} ({cause})")
                    }
                    _ => message.to_owned(),
                };
                let message = message.as_str();
                let place = ours.strip_suffix(message).map(str::to_owned);
                tally.compare(&name, place.is_some(), true);
                if place.is_none() {
                    panic!("{name}: ours {ours:?}, Kafka {message:?}");
                }
            }
        }
        let Some(kafka) = case.get("produce").filter(|produce| !produce.is_null()) else {
            continue;
        };
        let mut log = PartitionLog::new(LogConfig::default(), T0);
        let mut sent = bytes.clone();
        let ours = log.append(&mut sent, T0);
        if kafka["accepted"] == true {
            let stored = hex(&kafka["stored_hex_base_offset_0"]).unwrap();
            tally.compare(&name, ours.map(|_| log.segments()[0].bytes()), Ok(&stored[..]));
            tally.compare(&name, &sent[..stored.len()], &stored);
        } else {
            let error = ours.expect_err(&name);
            tally.compare(&name, error.code().map(i64::from), kafka["error_code"].as_i64());
            if let Some(message) = kafka["message"].as_str() {
                tally.compare(&name, error.message(), message);
            }
            tally.compare(&name, (log.log_end_offset(), &sent), (0, &bytes));
        }
    }
    tally.finish_open("bad");
}
