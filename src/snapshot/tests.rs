use serde_json::{Value, json};

use super::{FileReader, MANIFEST, Restorer, open, seal};
use crate::command::Command;
use crate::error::Result;
use crate::generate::GenerateSpec;
use crate::group::OffsetReset;
use crate::session::Session;

/// The chunks of a small cluster in which everything is there once.
fn chunks() -> Vec<(String, Vec<u8>)> {
    let mut session = Session::new(7);
    let (group, member) = ("g".to_owned(), "m".to_owned());
    for command in [
        Command::create_topic("orders", 3),
        Command::create_topic("other", 1),
        Command::produce("orders", None, Some(b"v")),
        Command::join("g", "m", "orders", OffsetReset::Earliest),
        Command::Poll { group: group.clone(), member: member.clone(), max_records: None },
        Command::Commit { group, member, offsets: None },
    ] {
        session.apply(command, 0).unwrap();
    }
    session.changes().unwrap().unwrap().puts
}

fn restore(chunks: &[(String, Vec<u8>)]) -> Result<Session> {
    let mut restorer = Restorer::default();
    for (name, framed) in chunks {
        restorer.add(name, framed)?;
    }
    restorer.finish()
}

/// The state with one value of its manifest changed, by JSON pointer.
fn with(pointer: &str, value: Value) -> Result<Session> {
    altered(chunks(), pointer, value)
}

fn altered(mut chunks: Vec<(String, Vec<u8>)>, pointer: &str, value: Value) -> Result<Session> {
    let (_, framed) = chunks.iter_mut().find(|(name, _)| name == MANIFEST).unwrap();
    let mut manifest: Value = serde_json::from_slice(open(MANIFEST, framed).unwrap()).unwrap();
    *manifest.pointer_mut(pointer).unwrap_or_else(|| panic!("no {pointer}")) = value;
    *framed = seal(MANIFEST, &serde_json::to_vec(&manifest).unwrap());
    restore(&chunks)
}

#[test]
fn a_manifest_that_does_not_fit_together_is_refused_by_what_does_not() {
    assert!(with("/seed", json!(8)).is_ok());
    let at = |topic: &str, partition: i32| json!({ "topic": topic, "partition": partition });
    for (pointer, value, told) in [
        ("/brokers", json!([]), "no broker"),
        ("/brokers", json!([1, 2, 3, 3]), "broker is there twice"),
        ("/brokers", json!([9]), "replicas of orders-0"),
        ("/clockOffsetMs", json!(-1), "clock"),
        ("/topics/0/name", json!("no name"), "no topic's name"),
        ("/topics/0/name", json!("__consumer_offsets"), "no topic's name"),
        ("/topics/0/name", json!("other"), "topic other is there twice"),
        ("/topics/0/replicationFactor", json!(2), "replicas of orders-0"),
        ("/topics/1/partitions", json!([]), "other has no partition"),
        ("/topics/1/partitions/0/replicas", json!([]), "replicas of other-0"),
        ("/topics/1/partitions/0/replicas", json!([4]), "replicas of other-0"),
        ("/groups/g/committed/0/0", at("gone", 0), "offset 0 for gone-0"),
        ("/groups/g/committed/0/0", at("orders", 3), "for orders-3"),
        ("/groups/g/committed/0/1", json!(-1), "offset -1"),
        ("/groups/g/delivered/0/0", at("orders", 3), "for orders-3"),
        ("/groups/g/known_partitions/orders", json!(4), "orders is said to have had 4"),
        ("/groups/g/known_partitions/orders", json!(-1), "orders is said to have had -1"),
        ("/groups/g/members/m/assignment/0", at("orders", 3), "m owns orders-3"),
        ("/groups/g/members/m/assignment/0", at("orders", 1), "m owns orders-1"),
        ("/groups/g/members/m/positions/0/0", at("other", 0), "m remembers other-0"),
        ("/groups/g/members/m/positions/0/1", json!(-1), "negative position"),
        ("/groups/g/members/m/paused", json!([at("orders", 9)]), "m remembers orders-9"),
        ("/groups/g/members/m/topics", json!([]), "no topics"),
        (
            "/clients/java~1default/memories",
            json!({"gone": "nothing"}),
            "knows a topic that is not",
        ),
        ("/clients/java~1default/partitioner", json!("none"), "has what cannot be"),
        ("/clients/java~1default/identity/id", json!(99), "has what cannot be"),
        ("/clients/java~1default/memories/orders", json!("nothing"), "remembers what orders"),
        (
            "/clients/java~1default/memories/orders/sticky/current/partition",
            json!(3),
            "remembers what orders",
        ),
        ("/nextProducerId", json!(0), "has what cannot be"),
        ("/history/forgotten", json!(u64::MAX), "longer than it can be"),
        ("/history/firstChunk", json!(u64::MAX), "longer than it can be"),
        ("/history/steps", json!(9), "steps of 9"),
        ("/version", json!(99), "newer Loglanes"),
        ("/random", json!("x"), "cannot be read"),
    ] {
        let shown = format!("{pointer} = {value}");
        let Err(refused) = with(pointer, value) else { panic!("{shown} was taken") };
        assert_eq!(refused.name(), "CORRUPT_BYTES", "{shown}");
        assert!(refused.message().contains(told), "{shown}: {refused}");
        assert!(!refused.hint().is_empty(), "{shown}: {refused}");
    }
}

#[test]
fn a_manifest_above_the_limits_is_refused() {
    let group = json!({
        "generation": 0, "members": {}, "committed": [], "delivered": [], "known_partitions": {},
        "metadata_ages_ms": null,
    });
    let groups = |count: usize| -> Value {
        (0..count)
            .map(|n| (format!("g{n}"), group.clone()))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    assert!(with("/groups", groups(crate::cluster::MAX_GROUPS)).is_ok());
    let refused = with("/groups", groups(crate::cluster::MAX_GROUPS + 1)).unwrap_err();
    assert!(refused.message().contains("MAX_GROUPS"), "{refused}");
}

#[test]
fn a_chunk_that_comes_twice_is_refused() {
    for twice in 0..chunks().len() {
        let mut chunks = chunks();
        chunks.push(chunks[twice].clone());
        let refused = restore(&chunks).unwrap_err();
        assert!(refused.message().ends_with("is there twice."), "{refused}");
    }
}

/// A session with many records behind it, and the chunks of it.
fn with_many_records() -> (Session, Vec<(String, Vec<u8>)>) {
    let mut session = Session::new(7);
    session.apply(Command::create_topic("orders", 3), 0).unwrap();
    let spec = GenerateSpec {
        count: 5_000,
        keys: 9,
        skew: 0.0,
        value_bytes: 10,
        seed: 1,
        key_pattern: None,
    };
    let (producer, partitioner) = (None, None);
    let generate = Command::Generate { topic: "orders".into(), producer, partitioner, spec };
    session.apply(generate, 1).unwrap();
    for _ in 0..3 {
        session.apply(Command::produce("orders", None, Some(b"v")), 2).unwrap();
    }
    let mut puts = Vec::new();
    while let Some(step) = session.changes().unwrap() {
        puts.extend(step.puts);
        session.saved(step.token);
    }
    (session, puts)
}

#[test]
fn after_a_reload_the_way_back_begins_at_a_state_that_was_saved() {
    let (mut session, chunks) = with_many_records();
    let mut restored = restore(&chunks).unwrap();
    assert_eq!(restored.checkpoint().map(|(position, _)| position), Some(2));
    assert!(restored.changes().unwrap().is_none());
    for position in [4, 2, 5, 1, 3] {
        session.travel(position).unwrap();
        restored.travel(position).unwrap();
        assert_eq!(restored.cluster(), session.cluster(), "after {position} steps");
    }
}

#[test]
fn a_saved_state_that_does_not_fit_the_logs_is_refused() {
    let (_, chunks) = with_many_records();
    let with = |pointer: &str, value: Value| altered(chunks.clone(), pointer, value);
    assert!(with("/checkpoint", Value::Null).is_ok());
    let first = "/checkpoint/state/topics/0/partitions/0";
    for (pointer, value) in [
        ("/checkpoint/position".to_owned(), json!(5)),
        (format!("{first}/records"), Value::Null),
        (format!("{first}/segments/0/bytes"), json!(7)),
        (format!("{first}/segments/0/baseOffset"), json!(1)),
        (format!("{first}/segments/0/generation"), json!(1)),
        ("/checkpoint/state/topics/0/id".to_owned(), json!("AAAAAAAAAAAAAAAAAAAAAQ")),
    ] {
        let Err(refused) = with(&pointer, value) else { panic!("{pointer} was taken") };
        assert!(refused.message().contains("does not fit the logs"), "{pointer}: {refused}");
    }
}

/// Written by the third version of the manifest: its members had no configs of their own.
#[test]
fn a_file_of_an_earlier_version_comes_back() {
    let mut reader = FileReader::default();
    reader.feed(include_bytes!("../../tests/corpus/state/orders.loglanes")).unwrap();
    let mut session = reader.finish().unwrap();
    let group = session.cluster().group("g").unwrap();
    assert_eq!(group.members["m"].assignment.len(), 2);
    assert_eq!(group.committed.values().copied().collect::<Vec<_>>(), [2, 3]);
    let poll = Command::Poll { group: "g".into(), member: "m".into(), max_records: None };
    assert!(session.apply(poll, 1_000).is_ok());
}
