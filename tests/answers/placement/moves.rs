//! How many keys move when a topic grows or shrinks: moves.ndjson.

use loglanes::partitioner::partition_for_key;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::recorded::{Tally, lines, number, numbers};

/// The keys of a set, each with its number of records.
fn keys_of(set: &str) -> Vec<(String, u64)> {
    let numbered = |prefix: &str| (1..=10_000).map(|i| (format!("{prefix}{i}"), 1)).collect();
    match set {
        "cust-{i}, i = 1..10000" => numbered("cust-"),
        "order-{i}, i = 1..10000" => numbered("order-"),
        "origin of each line of flights-20k.ndjson" => {
            let counts = include_str!("flight-origins.json");
            let counts: std::collections::BTreeMap<String, u64> =
                serde_json::from_str(counts).unwrap();
            counts.into_iter().collect()
        }
        other => panic!("no keys for {other}"),
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn as_many_keys_and_records_move_as_recorded() {
    let lines = lines("placement/moves.ndjson");
    let mut tally = Tally::default();
    for line in &lines {
        let keys = keys_of(line["key_set"].as_str().unwrap());
        let from: u32 = number(&line["from_partitions"]);
        let to: u32 = number(&line["to_partitions"]);
        let moved: Vec<u64> = keys
            .iter()
            .filter(|(key, _)| {
                partition_for_key(key.as_bytes(), from) != partition_for_key(key.as_bytes(), to)
            })
            .map(|&(_, records)| records)
            .collect();
        let by_partition = |count: u32, weight: &dyn Fn(u64) -> u64| {
            let mut sums = vec![0; count as usize];
            for (key, records) in &keys {
                sums[partition_for_key(key.as_bytes(), count) as usize] += weight(*records);
            }
            sums
        };
        let ours = [
            vec![keys.len() as u64],
            vec![moved.len() as u64],
            vec![keys.iter().map(|(_, records)| records).sum()],
            vec![moved.iter().sum()],
            by_partition(from, &|_| 1),
            by_partition(to, &|_| 1),
            by_partition(from, &|records| records),
            by_partition(to, &|records| records),
        ];
        // Where each key has one record, its count by partition stands for the records too.
        let records = |side: &str| {
            line.get(format!("records_by_partition_{side}"))
                .unwrap_or(&line[format!("keys_by_partition_{side}")])
        };
        let recorded = [
            vec![number(&line["keys"])],
            vec![number(&line["keys_moved"])],
            vec![number(&line["records"])],
            vec![number(&line["records_moved"])],
            numbers(&line["keys_by_partition_from"]),
            numbers(&line["keys_by_partition_to"]),
            numbers(records("from")),
            numbers(records("to")),
        ];
        tally.compare(line, ours, recorded);
    }
    tally.finish("placement/moves.ndjson", lines.len());
}

#[wasm_bindgen_test(unsupported = test)]
fn seven_of_twelve_customers_move_from_four_to_six() {
    let moved: Vec<u32> = (1..=12)
        .filter(|i| {
            let key = format!("cust-{i}");
            partition_for_key(key.as_bytes(), 4) != partition_for_key(key.as_bytes(), 6)
        })
        .collect();
    assert_eq!(moved, [1, 3, 5, 6, 10, 11, 12]);
}
