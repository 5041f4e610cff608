//! What people who compact topics and let old records go have run into, one test for each, and
//! what the brokers' own checks do as the clock goes on. Through the commands that a page gives.
#![cfg(not(target_arch = "wasm32"))]

use std::collections::BTreeMap;

use loglanes::group::{OffsetReset, TopicPartition};
use loglanes::snapshot::{Changes, Restorer};
use loglanes::topic::{AlterConfigOp, ConfigOp};
use loglanes::{Cluster, Command, LeftAlone, Outcome, Produce, Session};

/// 2024-04-01T19:33:20.000Z.
const T: i64 = 1_712_000_000_000;

const DAY: i64 = 86_400_000;

fn session(partitions: i32, configs: &[(&str, &str)]) -> Session {
    let mut session = Session::new(7);
    let configs = configs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
    let command = Command::CreateTopic {
        name: "t".into(),
        partitions: Some(partitions),
        replication_factor: None,
        configs: configs.collect(),
    };
    session.apply(command, T).unwrap();
    session
}

fn compacted(more: &[(&str, &str)]) -> Session {
    let mut configs = vec![("cleanup.policy", "compact"), ("min.cleanable.dirty.ratio", "0.01")];
    configs.extend(more);
    session(1, &configs)
}

fn record(timestamp: i64, key: Option<&str>, value: Option<&str>) -> Produce {
    Produce {
        topic: "t".into(),
        partition: Some(0),
        timestamp: Some(timestamp),
        key: key.map(Into::into),
        value: value.map(Into::into),
        ..Produce::default()
    }
}

fn send(session: &mut Session, record: Produce) {
    let now = record.timestamp.unwrap_or(T);
    session.apply(Command::Produce(record), now).unwrap();
}

/// Offset, key and value of every record, as text.
fn left(cluster: &Cluster) -> Vec<String> {
    let text = |bytes: Option<&[u8]>| match bytes {
        Some(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        None => "none".to_owned(),
    };
    let log = &cluster.topic("t").unwrap().partitions[0].log;
    log.records_from(0)
        .map(|record| format!("{} {}={}", record.offset, text(record.key), text(record.value)))
        .collect()
}

fn start_and_end(cluster: &Cluster) -> (i64, i64) {
    let log = &cluster.topic("t").unwrap().partitions[0].log;
    (log.log_start_offset(), log.log_end_offset())
}

fn alter(name: &str, value: &str) -> Command {
    let (name, value) = (name.to_owned(), Some(value.to_owned()));
    Command::AlterConfigs {
        topic: "t".into(),
        ops: vec![AlterConfigOp { op: ConfigOp::Set, name, value }],
    }
}

fn advance(session: &mut Session, ms: i64, now: i64) -> Vec<(f64, Outcome)> {
    match session.apply(Command::AdvanceClock { ms }, now).unwrap() {
        Outcome::ClockAdvanced { events, .. } => {
            events.into_iter().map(|event| (event.at, event.outcome)).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_empty_value_keeps_its_key_and_no_value_deletes_it() {
    for (last, expected) in [
        (Some(""), vec!["1 k1=", "2 z=1"]),
        (None, vec!["2 z=1"]),
        (Some("null"), vec!["1 k1=null", "2 z=1"]),
    ] {
        let mut session = compacted(&[("segment.ms", "1000"), ("delete.retention.ms", "0")]);
        send(&mut session, record(T, Some("k1"), Some("v")));
        send(&mut session, record(T, Some("k1"), last));
        send(&mut session, record(T + 5_000, Some("z"), Some("1")));
        session.apply(Command::RunCleaner { topic: None }, T + 5_000).unwrap();
        // A tombstone takes a second pass, and a second pass takes something new.
        send(&mut session, record(T + 10_000, Some("y"), Some("1")));
        session.apply(Command::RunCleaner { topic: None }, T + 10_000).unwrap();
        let mut kept = left(session.cluster());
        kept.pop();
        assert_eq!(kept, expected, "{last:?}");
    }
}

#[test]
fn a_record_without_a_key_is_refused_at_once_and_changes_nothing() {
    let mut session = compacted(&[]);
    let before = session.cluster().clone();
    let refused = session.apply(Command::Produce(record(T, None, Some("v"))), T).unwrap_err();
    assert_eq!((refused.code(), refused.name()), (Some(87), "INVALID_RECORD"));
    assert_eq!(
        refused.message(),
        "Compacted topic cannot accept message without key in topic partition t-0"
    );
    assert_eq!(*session.cluster(), before);
    send(&mut session, record(T, Some(""), Some("v")));
    assert_eq!(left(session.cluster()), ["0 =v"]);
}

#[test]
fn turning_compaction_on_drops_records_without_a_key() {
    let mut session = session(1, &[("segment.ms", "1000")]);
    for key in [None, Some("a"), None] {
        send(&mut session, record(T, key, Some("v")));
    }
    send(&mut session, record(T + 2_000, Some("z"), Some("v")));
    session.apply(alter("cleanup.policy", "compact"), T + 2_000).unwrap();
    let ran = session.apply(Command::RunCleaner { topic: Some("t".into()) }, T + 2_000).unwrap();
    let Outcome::CleanerRan { partitions } = ran else { panic!("{ran:?}") };
    let pass = &partitions[0].passes[0];
    assert_eq!((pass.keyless, pass.kept, pass.superseded), (2.0, 1.0, 0.0));
    assert_eq!(left(session.cluster()), ["1 a=v", "3 z=v"]);
}

#[test]
fn the_active_segment_is_not_compacted_and_tombstones_live_on() {
    let configs = [("segment.ms", "1000"), ("delete.retention.ms", "60000")];
    let mut session = compacted(&configs);
    for (key, value) in
        [("a", Some("1")), ("b", Some("1")), ("a", Some("2")), ("c", Some("1")), ("b", None)]
    {
        send(&mut session, record(T, Some(key), value));
    }
    send(&mut session, record(T + 2_000, Some("a"), Some("3")));
    let ran = session.apply(Command::RunCleaner { topic: None }, T + 2_000).unwrap();
    assert_eq!(left(session.cluster()), ["2 a=2", "3 c=1", "4 b=none", "5 a=3"]);
    assert_eq!(start_and_end(session.cluster()), (0, 6));
    let Outcome::CleanerRan { partitions } = ran else { panic!("{ran:?}") };
    let pass = &partitions[0].passes[0];
    assert_eq!((pass.superseded, pass.tombstones, pass.tombstones_kept), (2.0, 0.0, 1.0));
    assert_eq!(pass.next_horizon, Some((T + 62_000) as f64));

    // Nothing is dirty: however late it gets, nothing happens.
    let ran = session.apply(Command::RunCleaner { topic: None }, T + DAY).unwrap();
    let Outcome::CleanerRan { partitions } = ran else { panic!("{ran:?}") };
    assert_eq!(partitions[0].left_alone, Some(LeftAlone::NothingCleanable));

    // A new segment begins; the old one is dirty, and the tombstone's time is up.
    send(&mut session, record(T + 70_000, Some("d"), Some("1")));
    session.apply(Command::RunCleaner { topic: None }, T + 70_000).unwrap();
    assert_eq!(left(session.cluster()), ["3 c=1", "5 a=3", "6 d=1"]);
    assert_eq!(session.history().replay(7).unwrap(), *session.cluster());
}

#[test]
fn a_time_without_a_later_record_is_the_end() {
    let mut session = session(3, &[]);
    for (partition, timestamp) in [(0, T), (0, T + 10), (1, T)] {
        let one = record(timestamp, None, Some("v"));
        send(&mut session, Produce { partition: Some(partition), ..one });
    }
    session.apply(Command::join("g", "m", "t", OffsetReset::Earliest), T).unwrap();
    let mut seek = |timestamp: i64| {
        let command = Command::SeekToTimestamp { group: "g".into(), member: "m".into(), timestamp };
        let sought = session.apply(command, T + 20)?;
        let Outcome::Sought { partitions, .. } = sought else { panic!("{sought:?}") };
        let positions = &session.cluster().group("g").unwrap().members["m"].positions;
        for to in &partitions {
            assert_eq!(positions[&TopicPartition::new("t", to.partition)], to.offset);
        }
        let found = partitions.iter().map(|to| (to.offset, to.timestamp.is_some()));
        Ok::<_, loglanes::Error>(found.collect::<Vec<_>>())
    };
    assert_eq!(seek(T + 5).unwrap(), [(1, true), (1, false), (0, false)]);
    assert_eq!(seek(T + 11).unwrap(), [(2, false), (1, false), (0, false)]);
    assert_eq!(seek(T - 1).unwrap(), [(0, true), (0, true), (0, false)]);
    assert_eq!(seek(T).unwrap(), [(0, true), (0, true), (0, false)]);
    assert_eq!(seek(T + 10).unwrap(), [(1, true), (1, false), (0, false)]);
    assert_eq!(
        seek(-1).unwrap_err().message(),
        "The target time for partition t-0 is -1. The target time cannot be negative."
    );
}

#[test]
fn the_clock_brings_the_check_for_old_segments_every_five_minutes() {
    let mut session = session(1, &[("retention.ms", "60000")]);
    send(&mut session, record(T + 1_000, None, Some("v")));
    // Checks come at 30 s, then 5:30, 10:30. At 30 s the record is young enough.
    assert_eq!(advance(&mut session, 329_999, T), []);
    assert_eq!(start_and_end(session.cluster()), (0, 1));
    let events = advance(&mut session, 1, T);
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].0, (T + 330_000) as f64);
    assert!(matches!(&events[0].1, Outcome::RetentionRan { partitions } if partitions.len() == 1));
    assert_eq!(start_and_end(session.cluster()), (1, 1));
    // Late or early, in one step or in many: the same cluster.
    assert_eq!(session.history().replay(7).unwrap(), *session.cluster());
}

#[test]
fn a_change_waits_for_the_next_check_however_it_is_due() {
    let mut session = session(1, &[("retention.bytes", "0"), ("retention.ms", "-1")]);
    send(&mut session, record(T + 40_000, None, Some("v")));
    assert!(!session.tick(T + 329_999));
    assert_eq!(start_and_end(session.cluster()), (0, 1));
    assert!(session.tick(T + 330_000));
    assert_eq!(start_and_end(session.cluster()), (1, 1));
    assert!(session.tick(T + 2 * DAY), "the producer is forgotten");
    assert!(!session.tick(T + 100 * DAY), "nothing more is due");
}

#[test]
fn the_clock_brings_the_cleaner_every_fifteen_seconds() {
    let configs = [("segment.ms", "1000"), ("min.compaction.lag.ms", "20000")];
    let mut session = compacted(&configs);
    for (after, value) in [(0, "1"), (1, "2"), (2_000, "3")] {
        send(&mut session, record(T + after, Some("a"), Some(value)));
    }
    assert!(!session.tick(T + 29_999));
    assert!(session.tick(T + 30_000));
    assert_eq!(left(session.cluster()), ["1 a=2", "2 a=3"]);
    assert!(session.tick(T + 2 * DAY), "the producer is forgotten");
    assert!(!session.tick(T + 100 * DAY));
    assert_eq!(session.history().replay(7).unwrap(), *session.cluster());
}

#[test]
fn a_year_of_checks_is_no_more_than_what_happens_in_it() {
    let mut session = session(20, &[]);
    for partition in 0..20 {
        let one = record(T, None, Some("v"));
        send(&mut session, Produce { partition: Some(partition), ..one });
    }
    let events = advance(&mut session, 365 * DAY, T);
    assert_eq!(events.len(), 1, "all partitions go at the same check");
    assert!(!session.cluster().is_timer_due(T + 1_000 * DAY));
}

/// What IndexedDB would hold.
type Store = BTreeMap<String, Vec<u8>>;

fn write(store: &mut Store, step: &Changes) {
    store.extend(step.puts.iter().cloned());
    for name in &step.deletes {
        assert!(store.remove(name).is_some(), "{name} is deleted, but was not there");
    }
}

fn restored(store: &Store) -> Session {
    let mut restorer = Restorer::default();
    for (name, bytes) in store {
        restorer.add(name, bytes).unwrap();
    }
    restorer.finish().unwrap()
}

fn save_all(session: &mut Session, store: &mut Store) {
    while let Some(step) = session.changes().unwrap() {
        write(store, &step);
        session.saved(step.token);
    }
}

/// More than one step of a save can take: large records, each with a small one beside it that the
/// cleaner drops.
fn large_and_dirty() -> Session {
    let mut session = compacted(&[("segment.bytes", "1048576"), ("max.message.bytes", "2000000")]);
    let value = "v".repeat(900_000);
    for number in 0..7 {
        send(&mut session, record(T, Some("a"), Some("v")));
        send(&mut session, record(T, Some(&format!("k{number}")), Some(&value)));
    }
    session
}

/// Segments that are written anew keep their base offset, but not their bytes. A page that goes on
/// from the old state clears away what the lost save has left behind.
#[test]
fn a_save_that_breaks_off_after_compaction_leaves_the_state_before_or_after() {
    let mut session = large_and_dirty();
    let mut store = Store::new();
    save_all(&mut session, &mut store);
    let names: Vec<String> = store.keys().cloned().collect();
    let before = session.cluster().clone();

    session.apply(Command::RunCleaner { topic: None }, T + 60_000).unwrap();
    let segments = session.cluster().topic("t").unwrap().partitions[0].log.segments();
    assert!(segments.iter().any(|segment| segment.generation() == 1));
    let first = session.changes().unwrap().unwrap();
    assert!(first.deletes.is_empty() && first.puts.iter().all(|(name, _)| name != "manifest"));
    write(&mut store, &first);
    session.saved(first.token);
    assert!(store.len() > names.len());

    // Here the page is gone; another begins from what there is.
    let mut other_store = store.clone();
    let mut other = restored(&other_store);
    assert!(*other.cluster() == before);
    save_all(&mut other, &mut other_store);
    assert!(other_store.keys().eq(&names));

    // Or it is not gone, and the save goes on.
    save_all(&mut session, &mut store);
    let mut again = restored(&store);
    assert!(again.cluster() == session.cluster());
    assert!(again.changes().unwrap().is_none(), "nothing is left over");
}

/// Another pass over what was restored: another generation.
#[test]
fn a_restored_log_is_cleaned_and_saved_again() {
    let mut session = compacted(&[("segment.ms", "1000")]);
    let mut store = Store::new();
    for round in 0..4 {
        for number in 0..3 {
            let at = T + round * 10_000 + number;
            send(&mut session, record(at, Some(&format!("k{number}")), Some("v")));
            send(&mut session, record(at, Some(&format!("k{number}")), Some("w")));
        }
        session.apply(Command::RunCleaner { topic: None }, T + round * 10_000 + 5_000).unwrap();
        save_all(&mut session, &mut store);
        let again = restored(&store);
        assert_eq!(again.cluster(), session.cluster());
        session = again;
    }
    let log = &session.cluster().topic("t").unwrap().partitions[0].log;
    assert_eq!((log.segments()[0].generation(), log.record_count()), (3, 9));
}

#[test]
fn deleted_segments_leave_the_saved_state() {
    let mut session = session(1, &[("internal.segment.bytes", "200"), ("retention.ms", "60000")]);
    for number in 0..6 {
        send(&mut session, record(T + number * 30_000, None, Some(&"v".repeat(60))));
    }
    let mut store = Store::new();
    save_all(&mut session, &mut store);
    let blocks = |store: &Store| store.keys().filter(|name| name.starts_with("log/")).count();
    assert_eq!(blocks(&store), 6);
    session.apply(Command::RunRetention { topic: None }, T + 151_000).unwrap();
    let command = Command::DeleteRecords { topic: "t".into(), partition: 0, before: 5 };
    session.apply(command, T + 151_000).unwrap();
    assert_eq!(start_and_end(session.cluster()), (5, 6));
    save_all(&mut session, &mut store);
    assert_eq!(blocks(&store), 2, "the last two segments; records below the start stay for now");
    assert_eq!(restored(&store).cluster(), session.cluster());
}
