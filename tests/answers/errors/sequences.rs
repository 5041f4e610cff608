//! Idempotent batches against recorded answers of Apache Kafka 4.4.0. What the fields mean:
//! `tests/golden/errors/README.md`.

use std::collections::BTreeMap;

use crate::recorded::{Tally, hex, lines, list, number};
use loglanes::log::PartitionLog;
use loglanes::topic::TopicConfig;
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;

/// After every timestamp of the data, by enough for none to be too far ahead.
const NOW: i64 = 1_750_000_000_000;

/// Each batch is sent as the bytes that were recorded. Only that a time was told can be compared,
/// not which.
#[wasm_bindgen_test(unsupported = test)]
fn batches_that_come_again_late_or_out_of_turn_are_answered_as_kafka_does() {
    let lines = lines("errors/sequences.ndjson");
    let mut tally = Tally::default();
    for line in &lines {
        let mut logs = BTreeMap::new();
        for topic in list(&line["prior"]["topics"]) {
            let given = topic["configs"].as_object().cloned().unwrap_or_default().into_iter();
            let given = given.map(|(name, value)| (name, value.as_str().unwrap().to_owned()));
            let config = TopicConfig::parse(given).unwrap();
            for partition in 0..number(&topic["partitions"]) {
                logs.insert(partition, PartitionLog::new(config.log().clone(), NOW));
            }
        }
        let (mut ours, mut recorded) = (Vec::new(), Vec::new());
        for step in list(&line["steps"]) {
            let partition: i32 = number(&step["batch"]["partition"]);
            let log = logs.get_mut(&partition).unwrap();
            let mut batch = hex(&step["records_hex"]).unwrap();
            ours.push(match log.append(&mut batch, NOW) {
                Ok(info) => json!([0, info.base_offset, info.log_append_time.is_some()]),
                Err(error) => json!([error.code(), -1, false]),
            });
            let answer = &step["answer"];
            recorded.push(json!([
                answer["code"],
                answer["base_offset"],
                answer["log_append_time_ms"] != -1
            ]));
        }
        if ours.iter().any(|answer| answer[0].is_null()) {
            tally.skip("a compressed batch");
            continue;
        }
        tally.compare(&line["case"], ours, recorded);
    }
    tally.finish("errors/sequences.ndjson", lines.len());
}
