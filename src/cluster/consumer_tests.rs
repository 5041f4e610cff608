//! Consumers with configs of their own, by hand, by pattern, and commits of which a part is refused. The
//! texts are those of Java consumers of Apache Kafka 4.4.0.

use super::Cluster;
use crate::command::{Command, Produce};
use crate::error::Result;
use crate::group::{
    Call, ConsumerConfig, GroupProtocol, OffsetReset, PartitionOffset, Said, TopicPartition,
    TopicPattern,
};
use crate::outcome::Outcome;

fn cluster(topics: &[(&str, i32)]) -> Cluster {
    let mut cluster = Cluster::with_brokers(7, [1]);
    for (name, partitions) in topics {
        cluster.apply(&Command::create_topic(name, *partitions), 0).unwrap();
    }
    cluster
}

fn reads(config: ConsumerConfig) -> ConsumerConfig {
    ConsumerConfig {
        topics: vec!["t".to_owned()],
        auto_offset_reset: OffsetReset::Earliest,
        ..config
    }
}

fn join(cluster: &mut Cluster, member: &str, config: ConsumerConfig, now: i64) -> Result<Outcome> {
    cluster.apply(&Command::Join { group: "g".into(), member: member.into(), config }, now)
}

fn assign(cluster: &mut Cluster, group: &str, partitions: &[(&str, i32)]) -> Result<Outcome> {
    let partitions = partitions.iter().map(|(topic, at)| TopicPartition::new(topic, *at)).collect();
    let config = ConsumerConfig::default();
    let (group, member) = (group.to_owned(), "s".to_owned());
    cluster.apply(&Command::Assign { group, member, partitions, config }, 0)
}

fn commit(cluster: &mut Cluster, member: &str, offsets: &[(&str, i32, &str)]) -> Result<Outcome> {
    let place = |(topic, partition, metadata): &(&str, i32, &str)| PartitionOffset {
        metadata: (*metadata).to_owned(),
        ..PartitionOffset::new(topic, *partition, 3)
    };
    let offsets = Some(offsets.iter().map(place).collect());
    cluster.apply(&Command::Commit { group: "g".into(), member: member.into(), offsets }, 0)
}

fn message<T: std::fmt::Debug>(result: Result<T>) -> String {
    result.unwrap_err().message().to_owned()
}

#[test]
fn a_consumer_is_refused_configs_in_the_order_and_the_words_of_kafka() {
    let base = ConsumerConfig::default;
    let consumer = || ConsumerConfig { protocol: GroupProtocol::Consumer, ..base() };
    for (config, text) in [
        (
            ConsumerConfig { max_poll_records: 0, max_poll_interval_ms: Some(0), ..base() },
            "Invalid value 0 for configuration max.poll.records: Value must be at least 1",
        ),
        (
            ConsumerConfig { max_poll_interval_ms: Some(0), ..base() },
            "Invalid value 0 for configuration max.poll.interval.ms: Value must be at least 1",
        ),
        (
            ConsumerConfig { auto_commit_interval_ms: -1, ..base() },
            "Invalid value -1 for configuration auto.commit.interval.ms: Value must be at least 0",
        ),
        (
            ConsumerConfig { session_timeout_ms: Some(3_000), ..base() },
            "Heartbeat must be set lower than the session timeout",
        ),
        (
            ConsumerConfig { heartbeat_interval_ms: Some(-1), ..base() },
            "Invalid negative timeout -1",
        ),
        (
            ConsumerConfig { session_timeout_ms: Some(1_800_001), ..base() },
            "The session timeout is not within the range allowed by the broker (as configured by \
             group.min.session.timeout.ms and group.max.session.timeout.ms).",
        ),
        (
            ConsumerConfig { assignors: Vec::new(), ..base() },
            "Must configure at least one partition assigner class name to \
             partition.assignment.strategy configuration property",
        ),
        (
            ConsumerConfig {
                session_timeout_ms: Some(6_000),
                heartbeat_interval_ms: Some(1_000),
                assignors: vec![crate::group::assignor::Assignor::Range],
                ..consumer()
            },
            "partition.assignment.strategy, heartbeat.interval.ms, session.timeout.ms cannot be set \
             when group.protocol=CONSUMER",
        ),
    ] {
        let mut cluster = cluster(&[("t", 1)]);
        let before = cluster.clone();
        assert_eq!(message(join(&mut cluster, "m", reads(config), 0)), text);
        assert_eq!(cluster, before);
    }
    let edges =
        [6_000, 1_800_000].map(|ms| ConsumerConfig { session_timeout_ms: Some(ms), ..base() });
    let zero =
        ConsumerConfig { heartbeat_interval_ms: Some(0), auto_commit_interval_ms: 0, ..base() };
    for config in edges.into_iter().chain([zero]) {
        join(&mut cluster(&[("t", 1)]), "m", reads(config), 0).unwrap();
    }
}

#[test]
fn sessions_polls_and_commits_keep_the_times_of_their_consumer() {
    let mut cluster = cluster(&[("t", 2)]);
    let config = ConsumerConfig {
        session_timeout_ms: Some(6_000),
        max_poll_interval_ms: Some(9_000),
        max_poll_records: 2,
        ..ConsumerConfig::default()
    };
    for _ in 0..3 {
        let record = Produce { topic: "t".into(), partition: Some(0), ..Produce::default() };
        cluster.apply(&Command::Produce(record), 0).unwrap();
    }
    join(&mut cluster, "m", reads(config), 0).unwrap();
    let poll = Command::Poll { group: "g".into(), member: "m".into(), max_records: None };
    let polled = cluster.apply(&poll, 5_000).unwrap();
    assert!(matches!(polled, Outcome::Polled { records, .. } if records.len() == 2));
    assert!(!cluster.is_timer_due(13_999) && cluster.is_timer_due(14_000));
    cluster.apply(&Command::Tick, 14_000).unwrap();
    assert!(cluster.group("g").unwrap().outside.contains_key("m"));
    cluster.apply(&poll, 14_001).unwrap();
    cluster.apply(&Command::Crash { group: "g".into(), member: "m".into() }, 15_000).unwrap();
    assert!(!cluster.is_timer_due(20_999) && cluster.is_timer_due(21_000));
}

#[test]
fn each_offset_of_a_commit_has_its_own_verdict() {
    let mut cluster = cluster(&[("t", 2)]);
    join(&mut cluster, "m", reads(ConsumerConfig::default()), 0).unwrap();
    let long = "m".repeat(4_097);
    let done = commit(&mut cluster, "m", &[("t", 0, ""), ("t", 9, ""), ("t", 1, &long)]).unwrap();
    let Outcome::Committed { offsets, refused, raised, .. } = done else { panic!("{done:?}") };
    assert_eq!(offsets.len(), 1);
    let codes: Vec<(i32, i16)> = refused.iter().map(|at| (at.partition, at.code)).collect();
    assert_eq!(codes, [(9, 3), (1, 12)]);
    assert!(raised.unwrap().message.starts_with("Timeout of 60000ms expired before successfully"));
    assert_eq!(cluster.group("g").unwrap().committed.len(), 1);
    let before = cluster.clone();
    let text = message(commit(&mut cluster, "m", &[("t", 1, &long)]));
    assert_eq!(text, "The metadata field of the offset request was too large.");
    assert_eq!(cluster, before);
}

#[test]
fn a_consumer_by_hand_is_no_member() {
    let mut cluster = cluster(&[("t", 6), ("u", 2)]);
    let all: Vec<(&str, i32)> =
        (0..6).map(|at| ("t", at)).chain((0..2).map(|at| ("u", at))).collect();
    assign(&mut cluster, "g", &all).unwrap();
    let Ok(Said::Partitions { partitions }) = cluster.ask("g", "s", &Call::Assignment, 0) else {
        panic!()
    };
    let names: Vec<String> = partitions.iter().map(ToString::to_string).collect();
    assert_eq!(names, ["t-5", "t-4", "t-3", "t-2", "t-1", "t-0", "u-1", "u-0"]);
    assert!(cluster.group("g").is_none(), "the broker knows nothing of it");
    commit(&mut cluster, "s", &[("t", 0, "")]).unwrap();
    assert_eq!(cluster.group("g").unwrap().state(), "Empty");
    join(&mut cluster, "m", reads(ConsumerConfig::default()), 0).unwrap();
    let refused = commit(&mut cluster, "s", &[("t", 0, "")]).unwrap_err();
    assert_eq!(refused.name(), "CommitFailedException");
    let exclusive = "Subscription to topics, partitions and pattern are mutually exclusive";
    let (group, member, topics) = ("g".to_owned(), "s".to_owned(), vec!["t".to_owned()]);
    let subscribe = Command::Subscribe { group, member, topics, pattern: None };
    assert_eq!(message(cluster.apply(&subscribe, 0)), exclusive);
    assign(&mut cluster, "g", &[]).unwrap();
    cluster.apply(&subscribe, 0).unwrap();
    assert_eq!(cluster.group("g").unwrap().members.len(), 2);
    assert_eq!(message(assign(&mut cluster, "g", &[("t", 0)])), exclusive);
}

#[test]
fn a_consumer_without_a_group_commits_nothing() {
    let mut cluster = cluster(&[("t", 1)]);
    assign(&mut cluster, "", &[("t", 0), ("t", 9)]).unwrap();
    let no_group = "To use the group management or offset commit APIs, you must provide a valid \
                    group.id in the consumer configuration.";
    let (group, member) = (String::new(), "s".to_owned());
    let commit = Command::Commit { group: group.clone(), member: member.clone(), offsets: None };
    assert_eq!(message(cluster.apply(&commit, 0)), no_group);
    assert_eq!(message(cluster.ask("", "s", &Call::GroupMetadata, 0)), no_group);
    let missing = Call::Position { at: TopicPartition::new("t", 9) };
    let text =
        "Timeout of 60000ms expired before the position for partition t-9 could be determined";
    assert_eq!(message(cluster.ask("", "s", &missing, 0)), text);
    cluster.apply(&Command::Leave { group, member }, 0).unwrap();
    assert_eq!(cluster.by_hand().count(), 0);
}

#[test]
fn a_pattern_finds_new_topics_by_its_consumer_or_by_the_broker() {
    let mut cluster = cluster(&[("pa", 2), ("t", 1)]);
    let by = |pattern: TopicPattern, protocol: GroupProtocol| ConsumerConfig {
        pattern: Some(pattern),
        protocol,
        ..ConsumerConfig::default()
    };
    let java = by(TopicPattern::Java("p.*".into()), GroupProtocol::Classic);
    join(&mut cluster, "m", java, 0).unwrap();
    let owned = |cluster: &Cluster| cluster.group("g").unwrap().members["m"].assignment.len();
    assert_eq!(owned(&cluster), 2);
    cluster.apply(&Command::create_topic("pb", 1), 0).unwrap();
    assert_eq!((owned(&cluster), cluster.is_timer_due(299_999)), (2, false));
    cluster.apply(&Command::Tick, 300_000).unwrap();
    assert_eq!(owned(&cluster), 3);
    cluster.apply(&Command::Leave { group: "g".into(), member: "m".into() }, 300_000).unwrap();
    let re2 = by(TopicPattern::Re2("p.*".into()), GroupProtocol::Consumer);
    join(&mut cluster, "m", re2, 300_000).unwrap();
    cluster.apply(&Command::create_topic("pc", 1), 300_000).unwrap();
    cluster.apply(&Command::Tick, 305_000).unwrap();
    assert_eq!(owned(&cluster), 4, "the broker tells it with a heartbeat");
    let nobody = by(TopicPattern::Re2("x".into()), GroupProtocol::Consumer);
    cluster.apply(&Command::Leave { group: "g".into(), member: "m".into() }, 305_000).unwrap();
    cluster.apply(&Command::DeleteGroup { group: "g".into() }, 305_000).unwrap();
    join(&mut cluster, "m", nobody, 305_000).unwrap();
    assert_eq!(cluster.group("g").unwrap().generation, 1, "2 only where there are topics");
}
