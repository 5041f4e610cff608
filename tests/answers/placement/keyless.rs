//! Records without a key from the Java client: sticky.ndjson, one test a kind of line.

use loglanes::log::{BatchBuilder, NewRecord};
use loglanes::partitioner::{
    BuiltInPartitioner, KnownPartitions, RoundRobinPartitioner, partition_order,
    partition_order_among,
};
use loglanes::producer::{Memory, ProducerConfig, RecordAccumulator};
use serde_json::Value;
use std::collections::BTreeMap;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::recorded::{Tally, lines, number, numbers};

fn lines_of(kind: &str) -> Vec<Value> {
    let mut lines = lines("placement/sticky.ndjson");
    lines.retain(|line| line["kind"] == kind);
    lines
}

/// Random numbers as recorded, in order; a draw too many fails.
fn recorded_draws(line: &Value) -> std::vec::IntoIter<i32> {
    numbers::<i32>(&line["random"]).into_iter()
}

/// The pairs of partition and queue size that Kafka is given as two arrays.
fn queues(line: &Value) -> Vec<(u32, u32)> {
    let partitions: Vec<u32> = numbers(&line["partition_ids"]);
    partitions.into_iter().zip(numbers(&line["queue_sizes"])).collect()
}

#[wasm_bindgen_test(unsupported = test)]
fn every_kind_of_line_has_its_test_or_a_reason() {
    for line in lines("placement/sticky.ndjson") {
        match line["kind"].as_str().unwrap() {
            "partitioner" | "load_table" | "partition_order" => {}
            "round_robin" | "round_robin_mixed" | "accumulator" => {}
            // What a real producer did, with a sender thread of its own: other stays each time.
            "producer_run" => {}
            kind => panic!("no test for {kind}"),
        }
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn the_built_in_partitioner_stays_and_switches_as_recorded() {
    let lines = lines_of("partitioner");
    let mut tally = Tally::default();
    for line in &lines {
        let order: Vec<u32> = numbers(&line["partition_order"]);
        let without_leader: Vec<u32> = numbers(&line["without_leader"]);
        let available: Vec<u32> =
            order.iter().copied().filter(|one| !without_leader.contains(one)).collect();
        let known = KnownPartitions { available: &available, count: order.len() as u32 };
        let mut draws = recorded_draws(line);
        let mut random = || draws.next().expect("no more draws than recorded");
        let mut sticky = BuiltInPartitioner::new(number(&line["sticky_batch_size"]));

        let mut ours = Vec::new();
        for step in line["steps"].as_array().unwrap() {
            // A snapshot in between changes nothing.
            let saved = serde_json::to_string(&sticky).unwrap();
            sticky = serde_json::from_str(&saved).unwrap();
            ours.push(match step["op"].as_str().unwrap() {
                "peek" => serde_json::json!({ "partition": sticky.peek(known, &mut random) }),
                "append" => {
                    let partition = sticky.peek(known, &mut random);
                    let bytes: i32 = number(&step["bytes"]);
                    let produced_bytes = sticky.produced_bytes().unwrap() + bytes;
                    let enable_switch = step["enable_switch"].as_bool().unwrap();
                    let switched = sticky.update(bytes, enable_switch, known, &mut random);
                    let expected = if switched { 0 } else { produced_bytes };
                    assert_eq!(sticky.produced_bytes(), Some(expected));
                    serde_json::json!({
                        "partition": partition,
                        "switched": switched,
                        "produced_bytes": produced_bytes,
                    })
                }
                "load" if step["queue_sizes"].is_null() => {
                    sticky.clear_load_stats();
                    serde_json::json!({})
                }
                "load" => {
                    sticky.update_load_stats(&queues(step), number(&step["length"]));
                    serde_json::json!({})
                }
                op => panic!("no step {op}"),
            });
        }
        let unused = draws.count();
        tally.compare(line, (Value::Array(ours), unused), (line["answers"].clone(), 0));
    }
    tally.finish("placement/sticky.ndjson, partitioner", lines.len());
}

#[wasm_bindgen_test(unsupported = test)]
fn load_tables_weigh_and_pick_as_recorded() {
    let lines = lines_of("load_table");
    let mut tally = Tally::default();
    for line in &lines {
        if line.get("client_rack").is_some() {
            tally.skip("partitioner.rack.aware=true, which Loglanes does not model");
            continue;
        }
        let queues = queues(line);
        let order: Vec<u32> = queues.iter().map(|&(partition, _)| partition).collect();
        let mut sticky = BuiltInPartitioner::default();
        sticky.update_load_stats(&queues, number(&line["length"]));
        let picks: Vec<(i32, u32)> = line["picks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|pick| (number(&pick[0]), number(&pick[1])))
            .collect();
        let ours: Vec<_> = picks
            .iter()
            .map(|&(random, _)| {
                let known = KnownPartitions::all(&order);
                (random, sticky.clone().peek(known, &mut || random))
            })
            .collect();
        let list = |value: &Value| (!value.is_null()).then(|| numbers::<u32>(value));
        let recorded_partitions = line.get("table_partition_ids").and_then(list);
        tally.compare(
            line,
            (
                sticky.load_table().map(<[_]>::to_vec),
                sticky.load_table_partitions().map(<[_]>::to_vec),
                ours,
            ),
            (list(&line["table"]), recorded_partitions, picks),
        );
    }
    tally.finish("placement/sticky.ndjson, load_table", lines.len());
}

#[wasm_bindgen_test(unsupported = test)]
fn partitions_come_in_the_order_of_a_java_map() {
    let lines = lines_of("partition_order");
    let mut tally = Tally::default();
    for line in &lines {
        let topic = line["topic"].as_str().unwrap();
        let partitions: u32 = number(&line["partitions"]);
        let ours = match line.get("other_topics") {
            None => partition_order(topic, partitions),
            Some(others) => {
                let others: u64 = others.as_object().unwrap().values().map(number::<u64>).sum();
                partition_order_among(topic, partitions, u64::from(partitions) + others)
            }
        };
        tally.compare(line, ours, numbers(&line["order"]));
    }
    tally.finish("placement/sticky.ndjson, partition_order", lines.len());
}

#[wasm_bindgen_test(unsupported = test)]
fn round_robin_walks_that_order_record_by_record() {
    let lines = lines_of("round_robin");
    let mut tally = Tally::default();
    for line in &lines {
        let order = partition_order(line["topic"].as_str().unwrap(), number(&line["partitions"]));
        let mut turn = RoundRobinPartitioner::default();
        let recorded: Vec<u32> = numbers(&line["partitions_of_records"]);
        let ours: Vec<u32> =
            recorded.iter().map(|_| turn.next(KnownPartitions::all(&order))).collect();
        tally.compare(line, (order, ours), (numbers(&line["partition_order"]), recorded));
    }
    tally.finish("placement/sticky.ndjson, round_robin", lines.len());
}

#[wasm_bindgen_test(unsupported = test)]
fn round_robin_counts_by_topic_and_not_for_explicit_partitions() {
    let lines = lines_of("round_robin_mixed");
    let mut tally = Tally::default();
    for line in &lines {
        let topics = line["topics"].as_object().unwrap();
        let known: u64 = topics.values().map(|topic| number::<u64>(&topic["partitions"])).sum();
        let mut turns: BTreeMap<&str, RoundRobinPartitioner> = BTreeMap::new();
        let orders: BTreeMap<&str, Vec<u32>> = topics
            .iter()
            .map(|(name, topic)| {
                let order = partition_order_among(name, number(&topic["partitions"]), known);
                assert_eq!(order, numbers::<u32>(&topic["partition_order"]), "order of {name}");
                (name.as_str(), order)
            })
            .collect();
        let ours: Vec<u32> = line["records"]
            .as_array()
            .unwrap()
            .iter()
            .map(|record| {
                let topic = record["topic"].as_str().unwrap();
                if record["partition"].is_null() {
                    turns.entry(topic).or_default().next(KnownPartitions::all(&orders[topic]))
                } else {
                    number(&record["partition"])
                }
            })
            .collect();
        tally.compare(line, ours, numbers(&line["partitions_of_records"]));
    }
    tally.finish("placement/sticky.ndjson, round_robin_mixed", lines.len());
}

#[wasm_bindgen_test(unsupported = test)]
fn a_producers_batches_decide_how_long_it_stays() {
    let lines = lines_of("accumulator");
    let mut tally = Tally::default();
    for line in &lines {
        let pattern: Vec<(Option<u32>, Vec<u8>)> = line["pattern"]
            .as_array()
            .unwrap()
            .iter()
            .map(|record| {
                (u32::try_from(number::<i32>(&record[0])).ok(), vec![7; number(&record[1])])
            })
            .collect();
        let event = line.get("event").map(|event| event.as_str().unwrap());
        let event_after: usize = line.get("event_after_every").map_or(usize::MAX, number);

        let recorded_draws: Vec<i32> = numbers(&line["random"]);
        let mut draws = recorded_draws.iter();
        let mut draw = || *draws.next().expect("no more draws than recorded");
        let mut drawn = recorded_draws.iter();
        let config = ProducerConfig {
            batch_size: number(&line["batch_size"]),
            adaptive_partitioning: line["adaptive"].as_bool().unwrap(),
            ..ProducerConfig::default()
        };
        let mut memory = Memory::new(&config, &mut || unreachable!("a stay is drawn later"));
        let topic = line["topic"].as_str().unwrap();
        let mut accumulator = RecordAccumulator::new(config, topic, number(&line["partitions"]));
        assert_eq!(accumulator.partition_order(), numbers::<u32>(&line["partition_order"]));

        let (mut runs, mut picks) = (Vec::<(u32, usize)>::new(), Vec::new());
        let mut batches = Vec::<(usize, u32, usize, usize)>::new();
        let mut taken = BTreeMap::<u32, Vec<(usize, usize)>>::new();
        let mut take = |partition, batch: &mut BatchBuilder| {
            taken.entry(partition).or_default().push((batch.count(), batch.len()));
        };
        for at in 0..number::<usize>(&line["records"]) {
            let (partition, value) = &pattern[at % pattern.len()];
            let record = NewRecord { timestamp: 0, key: None, value: Some(value), headers: &[] };
            let is_first = partition.is_none() && stay_of(&memory).is_none();
            let appended =
                accumulator.append(&record, *partition, &mut memory, &mut draw, &mut take).unwrap();
            let mut pick = |when, partition| {
                picks.push((at, when, *drawn.next().unwrap(), partition));
            };
            if is_first {
                pick("first", appended.partition);
            }
            if appended.switched_before {
                pick("before", appended.partition);
            }
            if appended.switched_after {
                pick("after", stay_of(&memory).unwrap());
            }
            match runs.last_mut().filter(|run| run.0 == appended.partition) {
                Some(run) => run.1 += 1,
                None => runs.push((appended.partition, 1)),
            }
            if appended.new_batch {
                batches.push((at, appended.partition, 0, 0));
            }
            let batch = batches.iter_mut().rev().find(|batch| batch.1 == appended.partition);
            let batch = batch.unwrap();
            batch.2 += 1;
            batch.3 += appended.bytes;
            if (at + 1) % event_after == 0 {
                accumulator.ready(&mut memory);
                if event == Some("sender") {
                    accumulator.flush(&mut take);
                }
            }
        }
        accumulator.flush(&mut take);
        let unused = draws.count();
        let mut made = BTreeMap::<u32, Vec<(usize, usize)>>::new();
        for &(_, partition, records, bytes) in &batches {
            made.entry(partition).or_default().push((records, bytes));
        }
        assert_eq!(made, taken, "each batch is given away once, as it was made: {line}");
        let ours = serde_json::json!([picks, runs, batches, unused]);
        let recorded = serde_json::json!([line["picks"], line["runs"], line["batches"], 0]);
        tally.compare(line, ours, recorded);
    }
    tally.finish("placement/sticky.ndjson, accumulator", lines.len());
}

/// The partition a producer stays on; none before its first keyless record.
fn stay_of(memory: &Memory) -> Option<u32> {
    match memory {
        Memory::Sticky(sticky) => sticky.current_partition(),
        other => panic!("no sticky producer: {other:?}"),
    }
}
