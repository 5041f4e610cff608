//! A group's text against recorded output of `kafka-consumer-groups --describe`, Apache Kafka
//! 4.4.0. What the fields mean: `tests/golden/groups/README.md`.
//!
//! The text is compared whole, but for random ids of members and the host of the coordinator.
#![cfg(not(target_arch = "wasm32"))]

#[path = "support/golden.rs"]
mod golden;

use golden::{Tally, folder, number};
use loglanes::group::{ConsumerConfig, OffsetReset, PartitionOffset};
use loglanes::{Cluster, Command, Produce};
use serde_json::Value;

const NOW: i64 = 1_700_000_000_000;

/// The state that a text tells of; none where no acts lead to it.
fn cluster_of(state: &Value, id: &str) -> Option<Cluster> {
    let group = &state["groups"][id];
    if group["type"] != "Classic" || group["state"] == "PreparingRebalance" {
        return None;
    }
    let mut cluster = Cluster::with_brokers(7, [1]);
    for (name, partitions) in state["topics"].as_object()? {
        let partitions = partitions.as_array()?;
        cluster.apply(&Command::create_topic(name, partitions.len() as i32), NOW).unwrap();
        for (at, partition) in (0..).zip(partitions) {
            for _ in 0..number::<i64>(&partition["log_end_offset"]) {
                let topic = name.clone();
                let record = Produce { topic, partition: Some(at), ..Produce::default() };
                cluster.apply(&Command::Produce(record), NOW).unwrap();
            }
        }
    }
    let in_group = |member: &str| (id.to_owned(), member.to_owned());
    let topics: Vec<String> = state["topics"].as_object()?.keys().cloned().collect();
    if topics.is_empty() {
        return None;
    }
    let join = |topics: Vec<String>, instance_id: Option<String>| ConsumerConfig {
        topics,
        instance_id,
        auto_offset_reset: OffsetReset::Latest,
        ..ConsumerConfig::default()
    };
    // Whoever committed has left.
    let (group_id, member) = in_group("earlier");
    let config = join(topics.clone(), None);
    cluster.apply(&Command::Join { group: group_id, member, config }, NOW).unwrap();
    let offsets = group["committed"].as_object()?.iter().map(|(at, commit)| {
        let (topic, partition) = at.rsplit_once('-').unwrap();
        PartitionOffset::new(topic, partition.parse().unwrap(), number(&commit["offset"]))
    });
    let (group_id, member) = in_group("earlier");
    let commit = Command::Commit { group: group_id, member, offsets: Some(offsets.collect()) };
    cluster.apply(&commit, NOW).ok()?;
    let (group_id, member) = in_group("earlier");
    cluster.apply(&Command::Leave { group: group_id, member }, NOW).unwrap();
    for member in group["members"].as_array()? {
        let owned = member["assignment"].as_array()?;
        let topic_of = |at: &Value| at.as_str().unwrap().rsplit_once('-').unwrap().0.to_owned();
        let mut subscribed: Vec<String> = owned.iter().map(topic_of).collect();
        if owned.is_empty() {
            subscribed = topics.clone();
        }
        let (group_id, name) = in_group(member["client_id"].as_str()?);
        let config = join(subscribed, member["instance_id"].as_str().map(str::to_owned));
        cluster.apply(&Command::Join { group: group_id, member: name, config }, NOW).unwrap();
    }
    // It must have come to the same assignment.
    for member in group["members"].as_array()? {
        let ours = &cluster.group(id)?.members[member["client_id"].as_str()?].assignment;
        let ours: Vec<String> = ours.iter().map(ToString::to_string).collect();
        let recorded: Vec<&str> =
            member["assignment"].as_array()?.iter().filter_map(Value::as_str).collect();
        if ours != recorded {
            return None;
        }
    }
    Some(cluster)
}

/// Our member ids in place of the recorded ones, which are as long.
fn with_recorded_ids(mut text: String, cluster: &Cluster, group: &Value, id: &str) -> String {
    for member in group["members"].as_array().unwrap() {
        let name = member["client_id"].as_str().unwrap();
        let ours = &cluster.group(id).unwrap().members[name].member_id;
        text = text.replace(ours, member["member_id"].as_str().unwrap());
    }
    text.replace("broker-1:9092  (1) ", "127.0.0.1:9092  (1)")
}

#[test]
fn a_group_is_described_as_by_kafkas_tool() {
    let folder = folder().join("groups/describe");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    files.sort();
    let mut tally = Tally::default();
    for path in &files {
        let what: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let recorded = std::fs::read_to_string(path.with_extension("txt")).unwrap();
        let args: Vec<&str> =
            what["args"].as_array().unwrap().iter().filter_map(Value::as_str).skip(2).collect();
        let (id, view) = match args.as_slice() {
            ["--describe", "--group", id] | ["--describe", "--group", id, "--offsets"] => (*id, 0),
            ["--describe", "--group", id, "--members"] => (*id, 1),
            ["--describe", "--group", id, "--state"] => (*id, 2),
            ["--describe", "--group", _, _, "--verbose"] => {
                tally.skip("--verbose is not shown");
                continue;
            }
            _ => {
                tally.skip("another action, or several groups in one run");
                continue;
            }
        };
        let Some(cluster) = cluster_of(&what["state"], id) else {
            tally.skip("a state that this cluster cannot be in");
            continue;
        };
        let text = cluster.describe_group(id).unwrap()[view].clone();
        let ours = with_recorded_ids(text, &cluster, &what["state"]["groups"][id], id);
        tally.compare(path.file_name().unwrap(), ours, recorded);
    }
    tally.finish("groups/describe", files.len());
}
