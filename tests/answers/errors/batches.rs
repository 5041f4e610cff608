//! Batches of bytes, as some client might send them.

use loglanes::Cluster;
use loglanes::log::{BatchBuilder, NewRecord, PartitionLog};
use serde_json::{Value, json};

use super::acts::record;
use super::refused::{Refused, refused};
use super::{NOW, Skipped};
use crate::recorded::{hex, list, number, text};

/// A batch whose bytes are not told.
fn build(batch: &Value) -> Result<Vec<u8>, Skipped> {
    let fields = batch.as_object().unwrap();
    if fields.keys().any(|field| field != "records") {
        return Err("a batch whose bytes are not told, with fields of its own".to_owned());
    }
    let mut builder = BatchBuilder::new();
    for given in list(&batch["records"]) {
        let record = record(given, "");
        let (timestamp, key, value) = (record.timestamp.unwrap(), record.key, record.value);
        let record =
            NewRecord { timestamp, key: key.as_deref(), value: value.as_deref(), headers: &[] };
        for _ in 0..given["count"].as_i64().unwrap_or(1) {
            builder.append(&record).unwrap();
        }
    }
    Ok(builder.finish(0, -1).to_vec())
}

/// The broker's clock. Where records were stamped by it, the latest of them says what it was.
fn clock(act: &Value, sent: &[Vec<u8>]) -> i64 {
    let records = list(&act["batches"]).first().map_or(&[][..], |batch| list(&batch["records"]));
    let stamps =
        records.iter().filter_map(|record| record["timestamp"].as_str()?.strip_prefix("now"));
    let latest = stamps.map(|after| after.parse::<i64>().unwrap_or(0)).max();
    let max_timestamp = sent.first().and_then(|batch| batch.get(35..43));
    match (latest, max_timestamp) {
        (Some(after), Some(max)) => i64::from_be_bytes(max.try_into().unwrap()) - after,
        _ => NOW,
    }
}

/// Puts the recorded append time, and the CRC that goes with it, into the batches of a topic whose
/// broker stamps them. All else stays as it is.
fn told_times(ours: &mut [u8], theirs: &[u8]) {
    let mut at = 0;
    while let (Some(theirs), Some(ours)) = (theirs.get(at..at + 61), ours.get_mut(at..at + 61)) {
        for field in [17..21, 35..43] {
            ours[field.clone()].copy_from_slice(&theirs[field]);
        }
        at += 12 + u32::from_be_bytes(theirs[8..12].try_into().unwrap()) as usize;
    }
}

/// Sends the batches of a line to the partition's log; the last one's answer counts. What only a
/// request says is left out.
pub fn produce_batch(line: &Value, cluster: &Cluster) -> Result<Result<Value, Refused>, Skipped> {
    let act = &line["act"];
    let partition = cluster.topic(text(&act["topic"]));
    let partition = partition.and_then(|topic| topic.partition(number(&act["partition"])));
    if act.get("topic_id").is_some() || partition.is_none() {
        return Err("a batch for a partition that is not there".to_owned());
    }
    if !(-1..=1).contains(&number::<i32>(&act["acks"])) {
        return Err("acks that a client does not let through".to_owned());
    }
    if act.get("transactional_id").is_some() {
        return Err("what a request says of its transaction".to_owned());
    }
    let is_transactional = |batch: &Value| batch["transactional"] == true;
    if list(&act["batches"]).iter().any(is_transactional) && line["code"] == 53 {
        return Err("a transactional batch in a request without a transactional id".to_owned());
    }
    if line["code"] == 76 {
        return Err("a codec that is younger than the request".to_owned());
    }
    let mut log: PartitionLog = partition.unwrap().log.clone();
    let sent: Vec<Vec<u8>> = match &act["records_hex"] {
        Value::Array(batches) => batches.iter().map(|batch| hex(batch).unwrap()).collect(),
        Value::Null => list(&act["batches"]).iter().map(build).collect::<Result<_, _>>()?,
        one => vec![hex(one).unwrap()],
    };
    let now = if line["result"].is_object() { clock(act, &sent) } else { NOW };
    let mut answer = Err("no batch".to_owned());
    for mut batch in sent {
        let before = log.clone();
        answer = Ok(match log.append(&mut batch, now) {
            Ok(info) => Ok(json!({
                "base_offset": info.base_offset,
                "log_append_time_ms": info.log_append_time.unwrap_or(-1),
                "log_start_offset": log.log_start_offset(),
            })),
            Err(error) => {
                assert_eq!(log, before, "a refused batch changes nothing");
                Err(refused(&error))
            }
        });
    }
    let recorded = &line["result"];
    answer.map(|answer| {
        answer.map(|mut answer| {
            (answer["code"], answer["name"]) = (json!(0), json!("NONE"));
            answer["error_message"] = json!(null);
            answer["record_errors"] = json!(list(&recorded["record_errors"]));
            if recorded["log_append_time_ms"] == "<now>" {
                answer["log_append_time_ms"] = json!("<now>");
            }
            if recorded["log_start_offset"] == -1 {
                // The answers of early versions do not have it.
                answer["log_start_offset"] = json!(-1);
            }
            if let Some(theirs) = hex(&recorded["stored_hex"]) {
                let stored = log.segments().iter().flat_map(|segment| segment.bytes());
                let mut stored: Vec<u8> = stored.copied().collect();
                if recorded["log_append_time_ms"] == "<now>" {
                    told_times(&mut stored, &theirs);
                }
                answer["stored_hex"] =
                    json!(stored.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
            }
            answer
        })
    })
}
