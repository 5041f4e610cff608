//! What people who use Kafka have run into, one test for each: the numbers of a real cluster,
//! through the same commands that a page gives.
#![cfg(not(target_arch = "wasm32"))]

#[path = "support/reload.rs"]
mod reload;

use std::collections::BTreeMap;

use loglanes::group::{
    ConsumerConfig, GroupProtocol, OffsetReset, PartitionOffset, TopicPartition,
};
use loglanes::insight::{KeyCensus, split_keys, what_if};
use loglanes::log::{LogConfig, NewRecord, PartitionLog};
use loglanes::snapshot::{Export, FileReader};
use loglanes::view::{ClusterView, placement, summaries};
use loglanes::{Cluster, Command, ImportSpec, Outcome, Produce, RecordSet, SeekTo, Session};
use reload::reloaded;

/// 2024-04-01T19:33:20.000Z.
const T: i64 = 1_712_000_000_000;

fn session(topics: &[(&str, i32)]) -> Session {
    let mut session = Session::new(7);
    for &(name, partitions) in topics {
        session.apply(Command::create_topic(name, partitions), T).unwrap();
    }
    session
}

/// The partition and offset of one record.
fn send(session: &mut Session, record: Produce) -> (i32, i64) {
    match session.apply(Command::Produce(record), T).unwrap() {
        Outcome::Produced { partition, offset, .. } => (partition, offset),
        other => panic!("{other:?}"),
    }
}

fn keyed(topic: &str, key: Option<&[u8]>, value: &str) -> Produce {
    Produce {
        topic: topic.into(),
        key: key.map(Into::into),
        value: Some(value.into()),
        ..Produce::default()
    }
}

fn partition_of(key: &[u8], partitions: i32) -> i32 {
    let mut session = session(&[("t", partitions)]);
    send(&mut session, keyed("t", Some(key), "v")).0
}

fn ends(cluster: &Cluster, topic: &str) -> Vec<i64> {
    let partitions = &cluster.topic(topic).unwrap().partitions;
    partitions.iter().map(|partition| partition.log.log_end_offset()).collect()
}

fn to(topic: &str, partition: i32, offset: i64) -> PartitionOffset {
    PartitionOffset::new(topic, partition, offset)
}

fn poll(member: &str) -> Command {
    Command::Poll { group: "g".into(), member: member.into(), max_records: None }
}

fn commit(member: &str, offsets: Option<Vec<PartitionOffset>>) -> Command {
    Command::Commit { group: "g".into(), member: member.into(), offsets }
}

fn seek(member: &str, partition: i32, offset: i64) -> Command {
    Command::Seek {
        group: "g".into(),
        member: member.into(),
        topic: "t".into(),
        partition,
        to: SeekTo::Offset(offset),
    }
}

fn polled(outcome: Outcome) -> Vec<(i32, i64)> {
    match outcome {
        Outcome::Polled { records, .. } => {
            records.iter().map(|record| (record.partition, record.offset)).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_same_key_goes_elsewhere_with_another_client_and_the_comparison_says_so() {
    for (key, partitions, java, crc, fnv) in [
        ("order-1007", 12, 6, 0, 10),
        ("order-1008", 12, 7, 1, 9),
        ("device-12", 6, 3, 1, 1),
        ("tenant-b", 6, 4, 3, 2),
        ("tenant-a", 6, 3, 3, 1),
        ("user-8", 12, 9, 0, 5),
    ] {
        let mut session = session(&[("t", partitions)]);
        let draft = keyed("t", Some(key.as_bytes()), "v");
        let there = placement(session.cluster(), &draft, T);
        assert_eq!(there.destination.unwrap().partition, Some(java), "{key}");
        for (id, partition) in [("librdkafka/consistent_random", crc), ("sarama/hash", fnv)] {
            let other = there.others.iter().find(|other| other.partitioner == id).unwrap();
            assert!(other.is_default, "{id}");
            assert_eq!(other.destination.partition, Some(partition), "{key} by {id}");
            assert_eq!(other.agrees, partition == java, "{key} by {id}");
        }
        assert_eq!(send(&mut session, draft.clone()).0, java, "{key}");
        let sarama = Produce { partitioner: Some("sarama/hash".into()), ..draft };
        assert_eq!(send(&mut session, sarama).0, fnv, "{key}");
    }
}

#[test]
fn keys_that_look_alike_are_hashed_by_their_bytes() {
    for (key, length, six, twelve) in [
        ("m\u{fc}ller-42", 10, 3, 9),
        ("mu\u{308}ller-42", 11, 0, 6),
        ("\u{c5}ngstr\u{f6}m-7", 12, 2, 8),
        ("山田-1", 8, 0, 6),
    ] {
        assert_eq!(key.len(), length, "{key}");
        assert_eq!(partition_of(key.as_bytes(), 6), six, "{key}");
        assert_eq!(partition_of(key.as_bytes(), 12), twelve, "{key}");
    }
}

#[test]
fn the_empty_key_is_hashed_and_no_key_is_not() {
    for (partitions, partition) in
        [(3, 0), (4, 1), (5, 1), (6, 3), (8, 1), (10, 1), (12, 9), (24, 9)]
    {
        let mut session = session(&[("t", partitions)]);
        let empty: Vec<i32> =
            (0..24).map(|_| send(&mut session, keyed("t", Some(b""), "v")).0).collect();
        assert_eq!(empty, vec![partition; 24], "{partitions}");
        // Flushed one by one, keyless records stay together until 16 KiB of batches are sent.
        let keyless: Vec<i32> =
            (0..24 * 24).map(|_| send(&mut session, keyed("t", None, "v")).0).collect();
        assert!(keyless.iter().any(|&p| p != keyless[0]), "{partitions}");
        let held = session.cluster().topic("t").unwrap();
        let kinds: Vec<bool> = held
            .partitions
            .iter()
            .flat_map(|partition| summaries(partition, 0, 1_000))
            .map(|record| record.key.is_some())
            .collect();
        assert_eq!(kinds.iter().filter(|is_key| **is_key).count(), 24);
        assert_eq!(kinds.len(), 25 * 24);
    }
}

#[test]
fn a_key_goes_where_the_java_client_sends_it() {
    for (key, partitions, partition) in
        [("foobar", 10, 6), ("order-1007", 12, 6), ("müller-42", 6, 3), ("", 6, 3)]
    {
        assert_eq!(partition_of(key.as_bytes(), partitions), partition, "{key:?}");
    }
}

#[test]
fn growing_moves_keys_and_leaves_every_record_where_it_is() {
    let mut session = session(&[("t", 4)]);
    let key = |i: i32| format!("cust-{i}");
    let before: Vec<(i32, i64)> =
        (1..=12).map(|i| send(&mut session, keyed("t", Some(key(i).as_bytes()), "v1"))).collect();
    let old = session.cluster().topic("t").unwrap().clone();
    session.apply(Command::CreatePartitions { topic: "t".into(), total: 6 }, T).unwrap();
    let grown = session.cluster().topic("t").unwrap();
    assert_eq!(grown.partitions[..4], old.partitions[..]);
    assert_eq!(grown.id, old.id);
    assert_eq!(ends(session.cluster(), "t")[4..], [0, 0]);
    let after: Vec<i32> =
        (1..=12).map(|i| send(&mut session, keyed("t", Some(key(i).as_bytes()), "v2")).0).collect();
    let moves: Vec<(i32, i32)> = before.iter().zip(&after).map(|(b, &a)| (b.0, a)).collect();
    assert_eq!(
        moves,
        [
            (3, 1),
            (1, 1),
            (3, 1),
            (0, 0),
            (2, 0),
            (1, 3),
            (1, 1),
            (0, 0),
            (1, 1),
            (0, 4),
            (0, 4),
            (1, 5),
        ]
    );
    let topic = session.cluster().topic("t").unwrap();
    for (i, &(partition, offset)) in (1..).zip(&before) {
        let log = &topic.partition(partition).unwrap().log;
        let (_, record) = log.record(offset).unwrap();
        assert_eq!(record.key, Some(key(i).as_bytes()));
        assert_eq!(record.value, Some(&b"v1"[..]));
    }
    let mut census = KeyCensus::new();
    census.update(topic.partitions.iter().map(|partition| &partition.log)).unwrap();
    let mut split: Vec<String> = split_keys(&census, 100)
        .iter()
        .map(|split| String::from_utf8(split.key.clone()).unwrap())
        .collect();
    split.sort();
    assert_eq!(split, ["cust-1", "cust-10", "cust-11", "cust-12", "cust-3", "cust-5", "cust-6"]);
}

#[test]
fn of_ten_thousand_customers_as_many_move_as_on_a_real_cluster() {
    for (from, to, moved) in [(4, 6, 6_671), (4, 8, 4_991), (6, 12, 4_944)] {
        let mut session = session(&[("t", from)]);
        let mut set = RecordSet::builder();
        for i in 1..=10_000 {
            let key = format!("cust-{i}");
            let record = NewRecord {
                timestamp: T,
                key: Some(key.as_bytes()),
                value: Some(b"v1"),
                headers: &[],
            };
            set.push(&record).unwrap();
        }
        let records = set.finish();
        let send =
            Command::ProduceMany { topic: "t".into(), producer: None, partitioner: None, records };
        session.apply(send.clone(), T).unwrap();
        let census = |session: &Session| {
            let mut census = KeyCensus::new();
            let topic = session.cluster().topic("t").unwrap();
            census.update(topic.partitions.iter().map(|partition| &partition.log)).unwrap();
            census
        };
        let foretold = what_if(&census(&session), "t", from as u32, to as u32, 10).unwrap();
        session.apply(Command::CreatePartitions { topic: "t".into(), total: to }, T).unwrap();
        session.apply(send, T).unwrap();
        assert_eq!(split_keys(&census(&session), 10_000).len(), moved, "{from} to {to}");
        let foretold = serde_json::to_value(&foretold).unwrap();
        assert_eq!(foretold["keys"]["move"].as_f64(), Some(moved as f64), "{from} to {to}");
        assert_eq!(foretold["keys"]["total"].as_f64(), Some(10_000.0));
    }
}

#[test]
fn a_topic_cannot_shrink_and_a_refusal_changes_nothing() {
    let mut session = session(&[("t", 6)]);
    send(&mut session, keyed("t", Some(b"k"), "v"));
    let (cluster, history) = (session.cluster().clone(), session.history().clone());
    for (total, code, message) in [
        (3, 37, "The topic t currently has 6 partition(s); 3 would not be an increase."),
        (0, 37, "The topic t currently has 6 partition(s); 0 would not be an increase."),
        (-1, 37, "The topic t currently has 6 partition(s); -1 would not be an increase."),
        (
            i32::MIN,
            37,
            "The topic t currently has 6 partition(s); -2147483648 would not be an increase.",
        ),
        (6, 37, "Topic already has 6 partition(s)."),
        (1_000_000_000, 44, "Excessively large number of additional partitions per request."),
        (i32::MAX, 44, "Excessively large number of additional partitions per request."),
    ] {
        let act = Command::CreatePartitions { topic: "t".into(), total };
        let error = session.apply(act, T).unwrap_err();
        assert_eq!((error.code(), error.message()), (Some(code), message));
        assert!(!error.hint().is_empty(), "{total}");
        assert_eq!(*session.cluster(), cluster, "{total}");
        assert_eq!(*session.history(), history, "{total}");
    }
}

#[test]
fn keyless_records_stay_together_for_a_while_and_repeat_with_the_seed() {
    let run = || {
        let mut session = session(&[("t", 6)]);
        (0..12).map(|_| send(&mut session, keyed("t", None, "v"))).collect::<Vec<_>>()
    };
    let first = run();
    assert!(first.iter().all(|&(partition, _)| partition == first[0].0));
    assert_eq!(run(), first);
    let session = session(&[("t", 6)]);
    let there = placement(session.cluster(), &keyed("t", None, "v"), T);
    assert_eq!(there.destination.unwrap().kind, "sticky");
    assert!(there.arithmetic.is_none());
    assert!(!there.reason.is_empty());
}

#[test]
fn a_commit_is_the_next_offset_to_read() {
    for (committed, again, lag) in [(5, vec![], 0), (4, vec![4], 1), (0, vec![0, 1, 2, 3, 4], 5)] {
        let mut session = session(&[("t", 1)]);
        for _ in 0..5 {
            send(&mut session, keyed("t", None, "v"));
        }
        let join = Command::join("g", "m", "t", OffsetReset::Earliest);
        session.apply(join.clone(), T).unwrap();
        assert_eq!(polled(session.apply(poll("m"), T).unwrap()).len(), 5);
        session.apply(commit("m", Some(vec![to("t", 0, committed)])), T).unwrap();
        let leave = Command::Leave { group: "g".into(), member: "m".into() };
        session.apply(leave, T).unwrap();
        session.apply(join, T).unwrap();
        let row = &ClusterView::of(&session, T).groups[0].partitions[0];
        assert_eq!((row.committed_offset, row.lag), (Some(committed), Some(lag)));
        let read = session.apply(poll("m"), T).unwrap();
        let Outcome::Polled { records, .. } = &read else { panic!("{read:?}") };
        assert!(records.iter().all(|record| record.again));
        assert_eq!(records.iter().map(|record| record.offset).collect::<Vec<_>>(), again);
    }
}

/// A cluster with a topic of one partition that has the offsets `start` to `end`.
fn holding(start: i64, end: i64) -> Cluster {
    let mut cluster = Cluster::new(7);
    cluster.apply(&Command::create_topic("t", 1), T).unwrap();
    let log = PartitionLog::with_base_offset(LogConfig::default(), start, T).unwrap();
    let mut cluster = cluster.with_log("t", 0, log).unwrap();
    for _ in start..end {
        cluster.apply(&Command::produce("t", None, Some(b"v")), T).unwrap();
    }
    cluster
}

#[test]
fn a_position_outside_the_log_is_reset_by_policy_and_the_commit_stays() {
    use OffsetReset::{Earliest, Latest, None as Nowhere};
    for position in [2, 6, 7, 9, 10, 11] {
        for policy in [Earliest, Latest, Nowhere] {
            let mut cluster = holding(7, 10);
            cluster.apply(&Command::join("g", "m", "t", policy), T).unwrap();
            cluster.apply(&commit("m", Some(vec![to("t", 0, position)])), T).unwrap();
            let before = cluster.clone();
            let answer = cluster.apply(&poll("m"), T);
            let what = format!("{position} by {policy}");
            let in_range = (7..=10).contains(&position);
            let start = match policy {
                _ if in_range => position,
                Earliest => 7,
                Latest => 10,
                OffsetReset::ByDuration(_) => panic!("not asked for: {what}"),
                Nowhere => {
                    let error = answer.unwrap_err();
                    assert_eq!(error.name(), "OffsetOutOfRangeException", "{what}");
                    let head = format!("Fetch position FetchPosition{{offset={position}, ");
                    assert!(error.message().starts_with(&head), "{}", error.message());
                    assert!(error.message().ends_with("is out of range for partition t-0"));
                    assert!(error.hint().contains("7 to 10"), "{}", error.hint());
                    assert_eq!(cluster, before, "{what}");
                    continue;
                }
            };
            let Ok(Outcome::Polled { records, resets, .. }) = answer else { panic!("{what}") };
            let offsets: Vec<i64> = records.iter().map(|record| record.offset).collect();
            assert_eq!(offsets, (start..10).collect::<Vec<_>>(), "{what}");
            let expected = if in_range { vec![] } else { vec![(Some(position), start)] };
            let told: Vec<_> = resets.iter().map(|reset| (reset.from, reset.to)).collect();
            assert_eq!(told, expected, "{what}");
            let group = cluster.group("g").unwrap();
            assert_eq!(group.committed[&TopicPartition::new("t", 0)], position, "{what}");
            assert_eq!(group.members["m"].positions[&TopicPartition::new("t", 0)], 10, "{what}");
        }
    }
}

#[test]
fn a_seek_outside_the_log_is_believed_until_the_next_poll() {
    let mut cluster = holding(7, 10);
    cluster.apply(&Command::join("g", "m", "t", OffsetReset::Latest), T).unwrap();
    cluster.apply(&poll("m"), T).unwrap();
    cluster.apply(&seek("m", 0, 2), T).unwrap();
    let position = |cluster: &Cluster| {
        cluster.group("g").unwrap().members["m"].positions[&TopicPartition::new("t", 0)]
    };
    assert_eq!(position(&cluster), 2);
    assert_eq!(polled(cluster.apply(&poll("m"), T).unwrap()), []);
    assert_eq!(position(&cluster), 10);
    let error = cluster.apply(&seek("m", 0, -1), T).unwrap_err();
    assert_eq!(error.message(), "seek offset must not be a negative number");
}

#[test]
fn records_are_counted_not_offsets() {
    let mut session = session(&[("t", 3)]);
    for partition in [0, 0, 0, 0, 2] {
        send(&mut session, Produce { partition: Some(partition), ..keyed("t", None, "v") });
    }
    let view = ClusterView::of(&session, T);
    let counts: Vec<f64> = view.topics[0].partitions.iter().map(|p| p.records).collect();
    assert_eq!(counts, [4.0, 0.0, 1.0]);
    assert_eq!((view.topics[0].records, view.records), (5.0, 5.0));
    let ends: Vec<i64> = view.topics[0].partitions.iter().map(|p| p.log_end_offset).collect();
    assert_eq!(ends, [4, 0, 1]);
}

/// Key and value of every record of a partition, as a list of records shows them.
type Listed = Vec<(Option<Vec<u8>>, u32, Option<Vec<u8>>, u32)>;

fn listed(session: &Session) -> Listed {
    let topic = session.cluster().topic("t").unwrap();
    let bytes = |bytes: Option<serde_bytes::ByteBuf>| bytes.map(serde_bytes::ByteBuf::into_vec);
    summaries(&topic.partitions[0], 0, 100)
        .map(|one| (bytes(one.key), one.key_length, bytes(one.value), one.value_length))
        .collect()
}

#[test]
fn none_empty_and_the_text_null_are_three_things_everywhere() {
    let kinds: [Option<&[u8]>; 3] = [Some(b"null"), Some(b""), None];
    let mut session = session(&[("t", 1)]);
    let mut expected = Listed::new();
    for key in kinds {
        for value in kinds {
            session.apply(Command::produce("t", key, value), T).unwrap();
            let length = |bytes: Option<&[u8]>| bytes.map_or(0, <[u8]>::len) as u32;
            let owned = |bytes: Option<&[u8]>| bytes.map(<[u8]>::to_vec);
            expected.push((owned(key), length(key), owned(value), length(value)));
        }
    }
    assert_eq!(listed(&session), expected);

    assert_eq!(listed(&reloaded(&mut session)), expected);

    let (mut export, mut reader) = (Export::default(), FileReader::default());
    while let Some(part) = export.next_part(&session).unwrap() {
        reader.feed(&part).unwrap();
    }
    let read = reader.finish().unwrap();
    assert_eq!(listed(&read), expected);
    assert_eq!(read.history().replay(7).unwrap(), *session.cluster());
}

#[test]
fn the_texts_null_and_none_are_keys_like_any_other() {
    for (key, partitions, partition) in
        [("null", 6, 5), ("null", 12, 11), ("NULL", 6, 0), ("None", 6, 1)]
    {
        assert_eq!(partition_of(key.as_bytes(), partitions), partition, "{key}");
    }
}

#[test]
fn an_idle_member_takes_over_and_every_partition_has_exactly_one_owner() {
    let mut session = session(&[("t", 2)]);
    for partition in [0, 0, 0, 1, 1] {
        send(&mut session, Produce { partition: Some(partition), ..keyed("t", None, "v") });
    }
    let join = |member: &str| Command::join("g", member, "t", OffsetReset::Earliest);
    let leave = |member: &str| Command::Leave { group: "g".into(), member: member.into() };
    let mut step = |command: Command| {
        session.apply(command, T).unwrap();
        let group = session.cluster().group("g").unwrap();
        let table: BTreeMap<String, Vec<i32>> = group
            .members
            .iter()
            .map(|(name, member)| {
                (name.clone(), member.assignment.iter().map(|at| at.partition).collect())
            })
            .collect();
        let mut owned: Vec<i32> = table.values().flatten().copied().collect();
        owned.sort_unstable();
        assert_eq!(owned, [0, 1], "{table:?}");
        table.into_iter().map(|(name, owned)| format!("{name}{owned:?}")).collect::<String>()
    };
    assert_eq!(step(join("m0")), "m0[0, 1]");
    assert_eq!(step(join("m1")), "m0[0]m1[1]");
    assert_eq!(step(join("m2")), "m0[0]m1[1]m2[]");
    step(poll("m0"));
    step(commit("m0", None));
    step(poll("m1"));
    step(commit("m1", Some(vec![to("t", 1, 1)])));
    assert_eq!(step(leave("m0")), "m1[0]m2[1]");
    assert_eq!(step(leave("m1")), "m2[0, 1]");
    // What was committed carries over: 3 of the first partition, 1 of the second.
    let read = polled(session.apply(poll("m2"), T).unwrap());
    assert_eq!(read, [(1, 1)]);
    let mut step = |command: Command| {
        session.apply(command, T).unwrap();
        let group = session.cluster().group("g").unwrap();
        group.members.values().map(|member| member.assignment.len()).collect::<Vec<_>>()
    };
    assert_eq!(step(join("m3")), [1, 1]);
    assert_eq!(step(join("m4")), [1, 1, 0]);
}

#[test]
fn records_sent_before_a_group_notices_a_new_partition_are_passed_over_by_latest() {
    for (policy, expected) in [
        (OffsetReset::Latest, Some(vec![(1, 3)])),
        (OffsetReset::Earliest, Some(vec![(1, 0), (1, 1), (1, 2), (1, 3)])),
        (OffsetReset::None, None),
    ] {
        let mut session = session(&[("t", 1)]);
        session.apply(Command::join("g", "m", "t", policy), T).unwrap();
        session.apply(commit("m", Some(vec![to("t", 0, 0)])), T).unwrap();
        session.apply(poll("m"), T).unwrap();
        session.apply(Command::CreatePartitions { topic: "t".into(), total: 2 }, T).unwrap();
        let new = || Produce { partition: Some(1), ..keyed("t", None, "v") };
        for _ in 0..3 {
            send(&mut session, new());
        }
        assert_eq!(polled(session.apply(poll("m"), T).unwrap()), []);
        session.apply(Command::RefreshMetadata { group: "g".into() }, T).unwrap();
        let first = session.apply(poll("m"), T);
        send(&mut session, new());
        let second = session.apply(poll("m"), T);
        match expected {
            Some(expected) => {
                let mut read = polled(first.unwrap());
                read.extend(polled(second.unwrap()));
                assert_eq!(read, expected);
            }
            None => {
                let message = "Undefined offset with no reset policy for partitions: [t-1]";
                assert_eq!(first.unwrap_err().message(), message);
                assert_eq!(second.unwrap_err().message(), message);
            }
        }
    }
}

#[test]
fn real_flights_fall_into_six_partitions_as_the_java_client_would_send_them() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/www/samples/flights-20k.ndjson");
    let file = std::fs::read(path).unwrap();
    let mut session = session(&[("flights", 6)]);
    let spec = ImportSpec::ndjson("flights", Some("origin"));
    session.begin_import(spec, T).unwrap();
    for piece in file.chunks(99_991) {
        session.feed(piece).unwrap();
    }
    let (_, progress) = session.finish().unwrap();
    assert_eq!((progress.records, progress.refused), (20_000.0, 0.0));
    assert_eq!(progress.bytes, file.len() as f64);

    let moves = include_str!("golden/placement/moves.ndjson");
    let recorded: serde_json::Value = moves
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .find(|line| {
            line["key_set"] == "origin of each line of flights-20k.ndjson"
                && line["from_partitions"] == 6
        })
        .unwrap();
    let view = ClusterView::of(&session, T);
    let lanes: Vec<f64> = view.topics[0].partitions.iter().map(|p| p.records).collect();
    assert_eq!(
        serde_json::json!(lanes.iter().map(|&n| n as u64).collect::<Vec<_>>()),
        recorded["records_by_partition_from"]
    );
    assert_eq!(view.records, 20_000.0);
    assert_eq!(ends(session.cluster(), "flights").iter().sum::<i64>(), 20_000);
    assert_eq!(session.history().len(), 2);
    assert_eq!(session.history().replay(7).unwrap(), *session.cluster());
}

#[test]
fn a_batch_that_kafkas_producer_cannot_split_expires_as_a_whole() {
    // Two of these make 75 bytes of batch; alone each makes 68. The upper estimate of one alone
    // takes both again, so every split gives the same batch, until its time is over.
    for (most, stored) in [("75", 2), ("68", 0), ("67", 0), ("1", 0)] {
        let mut session = Session::new(7);
        let create = Command::CreateTopic {
            name: "t".into(),
            partitions: Some(1),
            replication_factor: None,
            configs: BTreeMap::from([("max.message.bytes".into(), most.into())]),
        };
        session.apply(create, T).unwrap();
        let mut set = RecordSet::builder();
        for _ in 0..2 {
            let record = NewRecord { timestamp: T, key: None, value: None, headers: &[] };
            set.push(&record).unwrap();
        }
        let records = set.finish();
        let send =
            Command::ProduceMany { topic: "t".into(), producer: None, partitioner: None, records };
        match session.apply(send, T).unwrap() {
            Outcome::ProducedMany { records, refused, .. } => {
                assert_eq!((records, refused), (f64::from(stored), f64::from(2 - stored)));
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(ends(session.cluster(), "t"), [i64::from(stored)], "{most}");
    }
}

#[test]
fn offsets_past_the_last_whole_number_of_a_double_are_exact() {
    const START: i64 = 9_007_199_254_740_991;
    let mut cluster = holding(START, START + 3);
    cluster.apply(&Command::join("g", "m", "t", OffsetReset::Earliest), T).unwrap();
    cluster.apply(&commit("m", Some(vec![to("t", 0, START)])), T).unwrap();
    cluster.apply(&seek("m", 0, START + 2), T).unwrap();
    assert_eq!(polled(cluster.apply(&poll("m"), T).unwrap()), [(0, START + 2)]);
    let log = &cluster.topic("t").unwrap().partitions[0].log;
    assert_eq!(log.log_end_offset() - START, 3);
    // The log is as good as full: no offset wraps.
    let mut cluster = holding(i64::MAX - 1, i64::MAX);
    let full = cluster.clone();
    let refused = cluster.apply(&Command::produce("t", None, None), T).unwrap_err();
    assert!(!refused.message().is_empty());
    assert_eq!(cluster, full);
}

#[test]
fn with_the_consumer_protocol_too_every_partition_has_exactly_one_owner() {
    let mut session = session(&[("t", 2)]);
    let join = |member: &str| Command::Join {
        group: "g".into(),
        member: member.into(),
        config: ConsumerConfig {
            topics: vec!["t".into()],
            protocol: GroupProtocol::Consumer,
            ..ConsumerConfig::default()
        },
    };
    let leave = |member: &str| Command::Leave { group: "g".into(), member: member.into() };
    let mut step = |command: Command| {
        session.apply(command, T).unwrap();
        let group = session.cluster().group("g").unwrap();
        assert_eq!(group.state(), "Stable");
        let mut owned: Vec<i32> = group
            .members
            .values()
            .flat_map(|member| member.assignment.iter().map(|at| at.partition))
            .collect();
        owned.sort_unstable();
        assert_eq!(owned, [0, 1]);
        let mut sizes: Vec<usize> =
            group.members.values().map(|member| member.assignment.len()).collect();
        sizes.sort_unstable();
        (group.generation, sizes)
    };
    assert_eq!(step(join("m0")), (2, vec![2]));
    assert_eq!(step(join("m1")), (3, vec![1, 1]));
    assert_eq!(step(join("m2")), (4, vec![0, 1, 1]));
    assert_eq!(step(leave("m0")), (5, vec![1, 1]));
    assert_eq!(step(leave("m1")), (6, vec![2]));
    assert_eq!(step(join("m3")), (7, vec![1, 1]));
    assert_eq!(step(join("m4")), (8, vec![0, 1, 1]));
}
