//! Records with a key: java.ndjson, clients.ndjson and the certain part of null-and-empty.ndjson.

use loglanes::partitioner::{
    KeyArithmetic, Partitioner, Placement, StartsAt, TurnOrder, murmur2, partition_for_key,
};
use serde_json::Value;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::recorded::{Tally, hex, lines, number, numbers};

fn key_of(line: &Value) -> Option<Vec<u8>> {
    match line.get("key_rule") {
        Some(rule) => Some(hex(&rule["unit_hex"])?.repeat(number(&rule["times"]))),
        None => hex(&line["key_hex"]),
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn keys_hash_and_land_as_with_the_java_client() {
    let lines = lines("placement/java.ndjson");
    let Some((head, lines)) = lines.split_first() else { return };
    let counts: Vec<u32> = numbers(&head["partition_counts"]);
    let mut tally = Tally::default();
    for line in lines {
        let key = key_of(line).unwrap();
        let ours: Vec<u32> = counts.iter().map(|&count| partition_for_key(&key, count)).collect();
        let explained: Vec<u32> =
            counts.iter().map(|&count| KeyArithmetic::java(&key, count).partition).collect();
        assert_eq!(ours, explained, "the explanation of {line}");
        let recorded = (number(&line["murmur2"]), numbers(&line["partitions"]));
        tally.compare(line, (murmur2(&key), ours), recorded);
    }
    tally.finish("placement/java.ndjson", lines.len());
}

/// The partitioner of a recorded line, by what it is called in its own client.
pub fn partitioner_of(line: &Value) -> Option<Partitioner> {
    let client = line["client"].as_str().unwrap();
    let name = match line["partitioner"].as_str().unwrap() {
        "(none set)" | "(none set: RoundRobin)" => None,
        "(none set), partitioner.ignore.keys=true" => Some("partitioner.ignore.keys=true"),
        "default (UniformBytesPartitioner(65536, true, true, nil))" => None,
        name => Some(name),
    };
    Partitioner::ALL.iter().copied().find(|one| {
        one.client().name() == client && name.map_or(one.is_default(), |name| one.name() == name)
    })
}

#[wasm_bindgen_test(unsupported = test)]
fn keys_land_as_with_every_other_client() {
    let lines = lines("placement/clients.ndjson");
    let Some((head, lines)) = lines.split_first() else { return };
    let counts: Vec<u32> = numbers(&head["partition_counts"]);
    let mut tally = Tally::default();
    for line in lines {
        let partitioner = partitioner_of(line).unwrap_or_else(|| panic!("nobody's: {line}"));
        let key = key_of(line).unwrap();
        let ours: Vec<_> =
            counts.iter().map(|&count| partitioner.place(Some(&key), count)).collect();
        let recorded =
            numbers(&line["partitions"]).into_iter().map(Placement::Fixed).collect::<Vec<_>>();
        tally.compare(line, ours, recorded);
    }
    tally.finish("placement/clients.ndjson", lines.len());
}

#[wasm_bindgen_test(unsupported = test)]
fn no_key_and_the_empty_key_are_treated_as_by_each_client() {
    let lines = lines("placement/null-and-empty.ndjson");
    let mut tally = Tally::default();
    for line in &lines {
        let name = line["partitioner"].as_str().unwrap();
        if name.ends_with("sticky.partitioning.linger.ms=0") {
            tally.skip("a setting that turns librdkafka's stay off");
            continue;
        }
        if name == "LeastBytes" {
            tally.skip("kafka-go's LeastBytes follows sizes, not keys; it is not in the table");
            continue;
        }
        let partitioner = partitioner_of(line).unwrap_or_else(|| panic!("nobody's: {line}"));
        // Sarama's `ByteEncoder(nil)` is placed as the empty key although no key is stored.
        let key = match line["key"].as_str().unwrap() {
            "null" => None,
            "empty" => Some(&b""[..]),
            other => panic!("a key that is {other}"),
        };
        let ours = match partitioner.place(key, 6) {
            Placement::Fixed(_) => "fixed",
            Placement::Random => "random_per_record",
            Placement::RoundRobin { .. } => "round_robin",
            Placement::Sticky { .. } => "sticky",
        };
        let ours_by_count = line["partitions"].as_object().map(|recorded| {
            recorded
                .iter()
                .map(|(count, partition)| {
                    let placement = partitioner.place(key, count.parse().unwrap());
                    (placement, Placement::Fixed(number(partition)))
                })
                .all(|(ours, recorded)| ours == recorded)
        });
        let ours_starts = match partitioner.place(key, 6) {
            Placement::RoundRobin { starts_at: StartsAt::First, .. } => Some("0"),
            Placement::RoundRobin { starts_at: StartsAt::Random, .. } => Some("random"),
            _ => None,
        };
        if let Placement::RoundRobin { order: TurnOrder::PartitionNumber, .. } =
            partitioner.place(key, 6)
        {
            assert!(takes_turns_by_number(&line["observed"]), "the order of {line}");
        }
        let starts = line.get("starts_at").map(|starts| match starts {
            Value::String(text) => text.as_str(),
            _ => "0",
        });
        let recorded_kind = line["placement"].as_str().unwrap();
        let fixed = (recorded_kind == "fixed").then_some(true);
        tally.compare(line, (ours, ours_by_count, ours_starts), (recorded_kind, fixed, starts));
    }
    tally.finish("placement/null-and-empty.ndjson", lines.len());
}

fn takes_turns_by_number(observed: &Value) -> bool {
    observed["instances"].as_array().unwrap().iter().all(|instance| {
        let first: Vec<u32> = numbers(&instance["first"]);
        first.windows(2).all(|pair| pair[1] == (pair[0] + 1) % 6)
    })
}
