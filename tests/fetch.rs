//! What one fetch brings: whole batches, to the end of a segment, a partition at a time.
#![cfg(not(target_arch = "wasm32"))]

use std::collections::BTreeMap;

use loglanes::group::{ConsumerConfig, OffsetReset, TopicPartition};
use loglanes::{Cluster, Command, Outcome, Produce, SeekTo};

const NOW: i64 = 1_700_000_000_000;

/// A cluster of one broker with a topic `t`, and a member `m` that fetches so many bytes.
fn cluster(partitions: i32, configs: &[(&str, &str)], fetch_bytes: i32) -> Cluster {
    let mut cluster = Cluster::with_brokers(7, [1]);
    let configs: BTreeMap<String, String> =
        configs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let create = Command::CreateTopic {
        name: "t".into(),
        partitions: Some(partitions),
        replication_factor: None,
        configs,
    };
    cluster.apply(&create, NOW).unwrap();
    let config = ConsumerConfig {
        topics: vec!["t".into()],
        auto_offset_reset: OffsetReset::Earliest,
        max_partition_fetch_bytes: fetch_bytes,
        ..ConsumerConfig::default()
    };
    let join = Command::Join { group: "g".into(), member: "m".into(), config };
    cluster.apply(&join, NOW).unwrap();
    cluster
}

/// One batch of one record: 68 bytes and those of the value.
fn send(cluster: &mut Cluster, partition: i32, key: Option<&str>, value: &str, count: usize) {
    for _ in 0..count {
        let record = Produce {
            topic: "t".into(),
            partition: Some(partition),
            key: key.map(Into::into),
            value: Some(value.into()),
            ..Produce::default()
        };
        cluster.apply(&Command::Produce(record), NOW).unwrap();
    }
}

fn poll(cluster: &mut Cluster, most: i32) -> Vec<(i32, i64)> {
    let max_records = Some(most);
    let poll = Command::Poll { group: "g".into(), member: "m".into(), max_records };
    match cluster.apply(&poll, NOW).unwrap() {
        Outcome::Polled { records, .. } => {
            records.iter().map(|one| (one.partition, one.offset)).collect()
        }
        other => panic!("{other:?}"),
    }
}

fn position(cluster: &Cluster, partition: i32) -> Option<i64> {
    let member = &cluster.group("g").unwrap().members["m"];
    member.positions.get(&TopicPartition::new("t", partition)).copied()
}

#[test]
fn partitions_have_turns_where_a_fetch_does_not_bring_all() {
    let mut cluster = cluster(2, &[], 138);
    send(&mut cluster, 0, None, "v", 5);
    send(&mut cluster, 1, None, "v", 1);
    assert_eq!(poll(&mut cluster, 500), [(0, 0), (0, 1), (1, 0)]);
    assert_eq!(poll(&mut cluster, 500), [(0, 2), (0, 3)]);
    assert_eq!(poll(&mut cluster, 500), [(0, 4)]);
    assert_eq!(poll(&mut cluster, 500), []);
}

#[test]
fn only_the_first_batch_of_an_answer_comes_whole_if_it_is_larger() {
    let mut cluster = cluster(2, &[], 100);
    send(&mut cluster, 0, None, &"x".repeat(200), 2);
    send(&mut cluster, 1, None, &"x".repeat(200), 1);
    // The second partition waits for an answer in which it is first.
    assert_eq!(poll(&mut cluster, 500), [(0, 0)]);
    assert_eq!(poll(&mut cluster, 500), [(1, 0)]);
    assert_eq!(poll(&mut cluster, 500), [(0, 1)]);
    assert_eq!(poll(&mut cluster, 500), []);
}

#[test]
fn a_fetch_ends_with_its_segment() {
    let mut cluster = cluster(1, &[("internal.segment.bytes", "150")], 1_048_576);
    send(&mut cluster, 0, None, "v", 5);
    let segments = cluster.topic("t").unwrap().partitions[0].log.segments().len();
    assert_eq!(segments, 3);
    assert_eq!(poll(&mut cluster, 500), [(0, 0), (0, 1)]);
    assert_eq!(poll(&mut cluster, 500), [(0, 2), (0, 3)]);
    assert_eq!(poll(&mut cluster, 500), [(0, 4)]);
}

#[test]
fn what_was_fetched_is_handed_out_before_anything_newer_and_forgotten_by_a_seek() {
    let mut cluster = cluster(1, &[], 1_048_576);
    send(&mut cluster, 0, None, "v", 3);
    assert_eq!(poll(&mut cluster, 2), [(0, 0), (0, 1)]);
    send(&mut cluster, 0, None, "v", 2);
    assert_eq!(poll(&mut cluster, 500), [(0, 2)]);
    assert_eq!(poll(&mut cluster, 1), [(0, 3)]);
    let (group, member) = ("g".to_owned(), "m".to_owned());
    let (topic, to) = ("t".to_owned(), SeekTo::Offset(1));
    cluster.apply(&Command::Seek { group, member, topic, partition: 0, to }, NOW).unwrap();
    assert_eq!(poll(&mut cluster, 500), [(0, 1), (0, 2), (0, 3), (0, 4)]);
}

#[test]
fn that_the_last_record_was_the_end_shows_when_one_more_is_asked_for() {
    // Five records of one key, then the cleaner: the tail of the first segment is a gap.
    let configs = [
        ("cleanup.policy", "compact"),
        ("internal.segment.bytes", "220"),
        ("min.cleanable.dirty.ratio", "0"),
    ];
    let mut cluster = cluster(1, &configs, 1_048_576);
    send(&mut cluster, 0, Some("a"), "v", 1);
    send(&mut cluster, 0, Some("b"), "v", 2);
    send(&mut cluster, 0, Some("b"), "v", 1);
    cluster.apply(&Command::RunCleaner { topic: None }, NOW).unwrap();
    let log = &cluster.topic("t").unwrap().partitions[0].log;
    let offsets: Vec<i64> = log.records_from(0).map(|record| record.offset).collect();
    let first_end = log.segments()[0].next_offset();
    assert_eq!((offsets, first_end), (vec![0, 2, 3], 3));
    assert_eq!(poll(&mut cluster, 2), [(0, 0), (0, 2)]);
    assert_eq!(position(&cluster, 0), Some(3));
    assert_eq!(poll(&mut cluster, 1), [(0, 3)]);
    assert_eq!(position(&cluster, 0), Some(4));
    let (group, member) = ("g".to_owned(), "m".to_owned());
    let (topic, to) = ("t".to_owned(), SeekTo::Offset(1));
    cluster.apply(&Command::Seek { group, member, topic, partition: 0, to }, NOW).unwrap();
    assert_eq!(poll(&mut cluster, 500), [(0, 2)]);
    assert_eq!(position(&cluster, 0), Some(3));
}

#[test]
fn a_negative_size_is_refused_as_by_the_client() {
    let mut cluster = Cluster::new(7);
    let config = ConsumerConfig {
        topics: vec!["t".into()],
        max_partition_fetch_bytes: -1,
        ..ConsumerConfig::default()
    };
    let join = Command::Join { group: "g".into(), member: "m".into(), config };
    let error = cluster.apply(&join, NOW).unwrap_err();
    assert_eq!(error.name(), "ConfigException");
    assert_eq!(
        error.message(),
        "Invalid value -1 for configuration max.partition.fetch.bytes: Value must be at least 0"
    );
    assert!(cluster.group("g").is_none());
}
