//! The producer as a whole: other clients' keyless and empty-keyed records through it, and what
//! holds whatever is sent.

use std::collections::BTreeMap;
use std::ops::Range;

use loglanes::generate::{GenerateSpec, Generator};
use loglanes::log::{BatchView, Header, NewRecord, PartitionLog, RecordView};
use loglanes::partitioner::{Partitioner, Placement};
use loglanes::producer::{
    BATCH_SIZE, MAX_REQUEST_SIZE, Memory, ProducerConfig, RecordAccumulator, is_usable,
};
use loglanes::{
    Bytes, Cluster, Command, Outcome, OwnedHeader, Produce, RecordSet, RecordSetBuilder,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;
use wasm_bindgen_test::wasm_bindgen_test;

use super::keys::partitioner_of;
use crate::recorded::{Tally, lines, number, numbers};

const NOW: i64 = 1_700_000_000_000;

/// Where a new producer puts so many records that have this key.
fn partitions_of(
    partitioner: Partitioner,
    key: Option<&[u8]>,
    partitions: u32,
    records: usize,
) -> (Vec<u32>, Vec<u32>) {
    let mut draw = || unreachable!("nothing is left to chance");
    let config = ProducerConfig::with(partitioner);
    // A client whose keyless records start anywhere draws that at once.
    let mut memory = Memory::new(&config, &mut || 1);
    let mut accumulator = RecordAccumulator::new(config, "t", partitions);
    let record = NewRecord { timestamp: NOW, key, value: Some(&[7; 16]), headers: &[] };
    let went = (0..records)
        .map(|_| {
            let appended =
                accumulator.append(&record, None, &mut memory, &mut draw, &mut |_, _| ());
            appended.unwrap().partition
        })
        .collect();
    (went, accumulator.partition_order().to_vec())
}

/// The same, as places in the list of partitions.
fn places(went: &[u32], order: &[u32]) -> Vec<usize> {
    went.iter().map(|one| order.iter().position(|other| other == one).unwrap()).collect()
}

#[wasm_bindgen_test(unsupported = test)]
fn records_without_a_key_go_where_each_client_puts_them() {
    let lines = lines("placement/null-and-empty.ndjson");
    let mut tally = Tally::default();
    for line in &lines {
        let kind = line["placement"].as_str().unwrap();
        if !(kind == "fixed" || (kind == "round_robin" && line["starts_at"] == 0)) {
            tally.skip("left to chance");
            continue;
        }
        if line["partitioner"] == "LeastBytes" {
            tally.skip("kafka-go's LeastBytes follows sizes, not keys; it is not in the table");
            continue;
        }
        let partitioner = partitioner_of(line).unwrap();
        // Sarama's `ByteEncoder(nil)` is placed as the empty key although no key is stored.
        let key = (line["key"] == "empty").then_some(&b""[..]);
        if let Some(partitions) = line["partitions"].as_object() {
            let ours: Vec<_> = partitions
                .keys()
                .map(|count| partitions_of(partitioner, key, count.parse().unwrap(), 3).0)
                .collect();
            let recorded = partitions.values().map(|one| vec![number(one); 3]).collect();
            tally.compare(line, ours, recorded);
            continue;
        }
        let instances = line["observed"]["instances"].as_array().unwrap();
        let compared = instances.iter().map(|instance| {
            let recorded: Vec<u32> = numbers(&instance["first"]);
            let (went, order) = partitions_of(partitioner, key, 6, recorded.len());
            // Only the Java client walks a list of its own; its topic had another name.
            match &instance["partition_order"] {
                Value::Null => (went, recorded),
                recorded_order => {
                    let recorded = places(&recorded, &numbers(recorded_order));
                    let as_numbers = |places: Vec<usize>| {
                        places.into_iter().map(|place| place as u32).collect::<Vec<_>>()
                    };
                    (as_numbers(places(&went, &order)), as_numbers(recorded))
                }
            }
        });
        let (ours, recorded): (Vec<_>, Vec<_>) = compared.unzip();
        tally.compare(line, ours, recorded);
    }
    tally.finish("placement/null-and-empty.ndjson, through the producer", lines.len());
}

/// A record to send. Its number comes with it, as a header.
#[derive(Clone)]
struct Draft {
    key: Option<Vec<u8>>,
    value: Option<Vec<u8>>,
    timestamp: i64,
}

impl std::fmt::Debug for Draft {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { key, value, timestamp } = self;
        let bytes = value.as_ref().map(Vec::len);
        write!(f, "{key:?} => {bytes:?} bytes, NOW + {}", timestamp - NOW)
    }
}

impl Draft {
    fn with<T>(&self, number: usize, work: impl FnOnce(&NewRecord<'_>) -> T) -> T {
        let tag = (number as u32).to_be_bytes();
        work(&NewRecord {
            timestamp: self.timestamp,
            key: self.key.as_deref(),
            value: self.value.as_deref(),
            headers: &[Header { key: b"n", value: Some(&tag) }],
        })
    }

    /// Whether the client or the broker refuses it, alone.
    fn is_refused(&self, number: usize, max_message_bytes: u64) -> bool {
        self.with(number, |record| {
            let alone = 61 + record.encoded_len(0, 0);
            record.size_upper_bound() > MAX_REQUEST_SIZE || alone > max_message_bytes
        })
    }
}

#[derive(Debug, Clone)]
enum Act {
    Many(Option<Partitioner>, Vec<Draft>),
    One(Draft, i32),
}

fn draft(least: usize) -> impl Strategy<Value = Draft> {
    let size = prop_oneof![
        20 => least..least + 40,
        20 => least..3_000_usize,
        2 => 16_000..17_000_usize,
        1 => 1_048_000..1_049_000_usize,
    ];
    let value = (any::<u8>(), size).prop_map(|(byte, size)| vec![byte; size]);
    let value = if least == 0 { option::of(value).boxed() } else { value.prop_map(Some).boxed() };
    let key = option::of(vec(any::<u8>(), 0..4));
    (key, value, NOW - 900..NOW + 900).prop_map(|(key, value, timestamp)| Draft {
        key,
        value,
        timestamp,
    })
}

fn act(least: usize) -> impl Strategy<Value = Act> {
    let usable: Vec<_> = Partitioner::ALL.iter().copied().filter(|one| is_usable(*one)).collect();
    prop_oneof![
        3 => (option::of(select(usable)), vec(draft(least), 0..60))
            .prop_map(|(partitioner, drafts)| Act::Many(partitioner, drafts)),
        1 => (draft(least), 0..6).prop_map(|(draft, partition)| Act::One(draft, partition)),
    ]
}

/// The limit of the broker, or none, and what is sent. Under a limit no record is so small that
/// it could hide in the estimate of another: see `split.ndjson` for those.
fn acts() -> impl Strategy<Value = (Option<u64>, Vec<Act>)> {
    prop_oneof![
        vec(act(0), 1..6).prop_map(|acts| (None, acts)),
        (700..2_500_u64, vec(act(24), 1..6)).prop_map(|(limit, acts)| (Some(limit), acts)),
    ]
}

fn topic(partitions: i32, max_message_bytes: Option<u64>) -> Cluster {
    let mut cluster = Cluster::new(7);
    let limit = max_message_bytes.map(|bytes| ("max.message.bytes".to_owned(), bytes.to_string()));
    let create = Command::CreateTopic {
        name: "t".to_owned(),
        partitions: Some(partitions),
        replication_factor: None,
        configs: BTreeMap::from_iter(limit),
    };
    cluster.apply(&create, NOW).unwrap();
    cluster
}

fn logs(cluster: &Cluster) -> Vec<&PartitionLog> {
    cluster.topic("t").unwrap().partitions.iter().map(|one| &one.log).collect()
}

fn ends(cluster: &Cluster) -> Vec<i64> {
    logs(cluster).iter().map(|log| log.log_end_offset()).collect()
}

/// The number of each record at these offsets; each is as it was sent.
fn numbers_at(log: &PartitionLog, offsets: Range<i64>, drafts: &[Draft]) -> Vec<usize> {
    let mut numbers = Vec::new();
    for (record, offset) in log.records_from(offsets.start).zip(offsets.clone()) {
        assert_eq!(record.offset, offset);
        let number = number_of(&record);
        let draft = &drafts[number];
        assert_eq!(
            (record.timestamp, record.key, record.value),
            (draft.timestamp, draft.key.as_deref(), draft.value.as_deref())
        );
        numbers.push(number);
    }
    assert_eq!(numbers.len() as i64, offsets.end - offsets.start);
    numbers
}

fn number_of(record: &RecordView<'_>) -> usize {
    let tag = record.headers().next().unwrap().value.unwrap();
    u32::from_be_bytes(tag.try_into().unwrap()) as usize
}

/// No batch is above its limit; and where none was split, each was closed for a record that had
/// no room in it: the next of the partition, or one that the sticky rule then sent elsewhere.
fn check_batches(log: &PartitionLog, from: i64, drafts: &[Draft], is_split: bool) {
    let mut last: Option<(u64, BatchView<'_>, usize)> = None;
    for batch in log.batches_from(from) {
        let numbers: Vec<_> = batch.records().map(|one| number_of(&one.unwrap())).collect();
        let (first, end) = (numbers[0], numbers[numbers.len() - 1]);
        let bound = drafts[first].with(first, |record| record.size_upper_bound());
        let limit = bound.max(BATCH_SIZE as u64);
        let bytes = batch.bytes().len() as u64;
        assert!(bytes <= limit, "{bytes} bytes in a batch of at most {limit}");
        if let Some((limit, before, end_before)) = last.filter(|_| !is_split) {
            let (header, bytes) = (before.header(), before.bytes().len() as u64);
            let has_room = |number: usize| {
                drafts[number].with(number, |record| {
                    let delta = record.timestamp - header.base_timestamp;
                    bytes + record.encoded_len(header.record_count, delta) <= limit
                })
            };
            let closes = |number: usize| {
                !drafts[number].is_refused(number, u64::MAX)
                    && (bytes >= limit || !has_room(number))
            };
            assert!((end_before + 1..=first).any(closes), "{end_before}..{first}: closed early");
        }
        last = Some((limit, batch, end));
    }
}

fn check_many(
    cluster: &mut Cluster,
    partitioner: Option<Partitioner>,
    drafts: &[Draft],
    limit: Option<u64>,
) {
    let mut records = RecordSet::builder();
    for (number, draft) in drafts.iter().enumerate() {
        draft.with(number, |record| records.push(record)).unwrap();
    }
    let before = ends(cluster);
    let command = Command::ProduceMany {
        topic: "t".to_owned(),
        producer: None,
        partitioner: partitioner.map(|one| one.id().to_owned()),
        records: records.finish(),
    };
    let outcome = cluster.apply(&command, NOW).unwrap();
    let Outcome::ProducedMany { records, refused, partitions, bytes, .. } = outcome else {
        panic!("{outcome:?}");
    };

    let max_message_bytes = limit.unwrap_or(1_048_588);
    let expected: Vec<usize> =
        (0..drafts.len()).filter(|&n| !drafts[n].is_refused(n, max_message_bytes)).collect();
    let rule = partitioner.unwrap_or(Partitioner::JavaDefault);
    let mut stored = Vec::new();
    let mut stored_bytes = 0;
    for (partition, (log, &from)) in logs(cluster).iter().zip(&before).enumerate() {
        let end = log.log_end_offset();
        let here = numbers_at(log, from..end, drafts);
        assert!(here.is_sorted(), "the order of partition {partition}: {here:?}");
        for &number in &here {
            if let Placement::Fixed(fixed) =
                rule.place(drafts[number].key.as_deref(), before.len() as u32)
            {
                assert_eq!(fixed as usize, partition, "record {number}");
            }
        }
        check_batches(log, from, drafts, limit.is_some());
        stored_bytes += log.batches_from(from).map(|batch| batch.bytes().len()).sum::<usize>();
        let told = partitions.iter().find(|sent| sent.partition == partition as i32);
        let told = told.map(|sent| (sent.first_offset, sent.last_offset, sent.records as usize));
        assert_eq!(told, (!here.is_empty()).then_some((from, end - 1, here.len())));
        stored.extend(here);
    }
    stored.sort_unstable();
    assert_eq!(stored, expected, "each record that is not refused is there once");
    assert_eq!(records, expected.len() as f64);
    assert_eq!(refused, (drafts.len() - expected.len()) as f64);
    assert_eq!(bytes, stored_bytes as f64);
}

fn check_one(cluster: &mut Cluster, draft: &Draft, partition: i32, limit: Option<u64>) {
    let before = ends(cluster);
    let header = OwnedHeader { key: b"n"[..].into(), value: Some([0; 4][..].into()) };
    let record = Produce {
        producer: None,
        topic: "t".to_owned(),
        partitioner: None,
        partition: Some(partition),
        timestamp: Some(draft.timestamp),
        key: draft.key.clone().map(Bytes::from),
        value: draft.value.clone().map(Bytes::from),
        headers: vec![header],
    };
    let untouched = cluster.clone();
    let answer = cluster.apply(&Command::Produce(record), NOW);
    let is_there = (partition as usize) < before.len();
    let max_message_bytes = limit.unwrap_or(1_048_588);
    if !is_there || draft.is_refused(0, max_message_bytes) {
        assert!(answer.is_err(), "{answer:?}");
        assert!(*cluster == untouched, "refused, and yet something changed");
        return;
    }
    let Ok(Outcome::Produced { partition: to, offset, .. }) = answer else { panic!("{answer:?}") };
    assert_eq!((to, offset), (partition, before[partition as usize]));
    let mut after = before;
    after[partition as usize] += 1;
    assert_eq!(ends(cluster), after, "one record more, where it was told");
    let log = logs(cluster)[partition as usize];
    assert_eq!(numbers_at(log, offset..offset + 1, std::slice::from_ref(draft)), [0]);
}

fn generated(spec: &GenerateSpec) -> RecordSet {
    let generator = Generator::new(spec).unwrap();
    let (mut key, mut value) = (Vec::new(), Vec::new());
    let mut records: RecordSetBuilder = RecordSet::builder();
    for number in 0..spec.count {
        let keyed = generator.record(number, &mut key, &mut value);
        let key = keyed.then_some(key.as_slice());
        let record = NewRecord { timestamp: NOW, key, value: Some(&value), headers: &[] };
        records.push(&record).unwrap();
    }
    records.finish()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_is_sent_is_there_once_in_order_or_counted_as_refused(
        partitions in 1..5_i32,
        (limit, acts) in acts(),
    ) {
        let mut cluster = topic(partitions, limit);
        for act in &acts {
            match act {
                Act::Many(partitioner, drafts) => {
                    check_many(&mut cluster, *partitioner, drafts, limit);
                }
                Act::One(draft, partition) => check_one(&mut cluster, draft, *partition, limit),
            }
        }
    }

    #[test]
    fn a_generation_is_the_same_records_sent(
        partitions in 1..5_i32,
        count in 1..2_000_u64,
        keys in 0..20_u64,
        value_bytes in 0..400_u64,
        seed in 0..100_u64,
    ) {
        let spec = GenerateSpec { count, keys, skew: 0.0, value_bytes, seed, key_pattern: None };
        let (mut ours, mut other) = (topic(partitions, None), topic(partitions, None));
        let name = || "t".to_owned();
        let records = generated(&spec);
        let generate = Command::Generate { topic: name(), producer: None, partitioner: None, spec };
        let send = Command::ProduceMany { topic: name(), producer: None, partitioner: None, records };
        prop_assert_eq!(ours.apply(&generate, NOW), other.apply(&send, NOW));
        prop_assert!(ours == other, "the logs, or what the producer remembers, differ");
    }
}
