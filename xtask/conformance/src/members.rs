//! Histories of groups of several members: they join and leave, partitions are added, and after each
//! act both sides say who has what.
//!
//! Members' ids are random on both sides. Range and round robin go by the ids' order, which is that of
//! the names: there the shares must be the same, partition for partition. With the sticky ones it hangs
//! on the ids who keeps the larger share: there the sizes of the shares are compared.

use std::collections::BTreeMap;

use loglanes::group::ConsumerConfig;
use loglanes::group::assignor::Assignor;
use loglanes::{Cluster, Command};
use serde_json::{Value, json};

use crate::act::Act;
use crate::history::empty_cluster;

const TOPICS: [&str; 2] = ["orders", "t"];

const MEMBERS: [&str; 5] = ["m1", "m2", "m3", "m4", "m5"];

/// The history of a seed.
pub fn generate(seed: u64, now_ms: i64) -> Vec<Act> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut cluster = empty_cluster(seed);
    let mut acts = Vec::new();
    let mut push = |cluster: &mut Cluster, command: Command| {
        let _answer = cluster.apply(&command, now_ms);
        acts.push(Act::Command(command));
    };
    for topic in TOPICS {
        push(&mut cluster, Command::create_topic(topic, random.i32(1..=7)));
    }
    let assignor = Assignor::ALL[random.usize(0..Assignor::ALL.len())];
    // The group is called like its assignor: so an answer says how it is to be compared.
    let group = assignor.name().to_owned();
    for _ in 0..random.usize(4..=9) {
        let there: Vec<String> = cluster
            .group(&group)
            .map(|group| group.members.keys().cloned().collect())
            .unwrap_or_default();
        let absent: Vec<&str> =
            MEMBERS.into_iter().filter(|name| !there.iter().any(|one| one == name)).collect();
        match random.u32(0..10) {
            0..6 if !absent.is_empty() => {
                let member = absent[random.usize(0..absent.len())].to_owned();
                // All want the same, so that every partition has an owner.
                let config = ConsumerConfig {
                    topics: TOPICS.map(str::to_owned).to_vec(),
                    assignors: vec![assignor],
                    ..ConsumerConfig::default()
                };
                push(&mut cluster, Command::Join { group: group.clone(), member, config });
            }
            6..9 if there.len() > 1 => {
                let member = there[random.usize(0..there.len())].clone();
                push(&mut cluster, Command::Leave { group: group.clone(), member });
            }
            9 if !there.is_empty() => {
                let topic = TOPICS[random.usize(0..TOPICS.len())];
                let count = cluster.topic(topic).map_or(1, |topic| topic.partition_count());
                let total = count + random.i32(1..=3);
                push(&mut cluster, Command::CreatePartitions { topic: topic.to_owned(), total });
                push(&mut cluster, Command::RefreshMetadata { group: group.clone() });
            }
            _ => {}
        }
    }
    acts
}

/// The group that an act moves, if it is one of this kind.
fn group_of(act: &Act) -> Option<&str> {
    match act {
        Act::Command(
            Command::Join { group, .. }
            | Command::Leave { group, .. }
            | Command::RefreshMetadata { group },
        ) => Some(group),
        _ => None,
    }
}

/// Who has what after such an act, here.
pub fn product_answer(act: &Act, cluster: &Cluster) -> Option<Value> {
    let group = group_of(act)?;
    let members = cluster.group(group).map(|group| &group.members);
    let shares = members.into_iter().flatten().map(|(name, member)| {
        let owned: Vec<String> = member.assignment.iter().map(ToString::to_string).collect();
        (name.clone(), owned)
    });
    Some(comparable(group, shares.collect()))
}

/// The same of the driver's answer.
pub fn broker_answer(act: &Act, answer: &Value) -> Option<Value> {
    let group = group_of(act)?;
    let assignment = answer["ok"].get("assignment")?;
    let shares = serde_json::from_value(assignment.clone()).ok()?;
    Some(comparable(group, shares))
}

fn comparable(group: &str, mut shares: BTreeMap<String, Vec<String>>) -> Value {
    shares.values_mut().for_each(|share| share.sort());
    if [Assignor::Range, Assignor::RoundRobin].iter().any(|one| one.name() == group) {
        return json!({"assignment": shares});
    }
    let mut sizes: Vec<usize> = shares.values().map(Vec::len).collect();
    sizes.sort_unstable();
    let mut all: Vec<&String> = shares.values().flatten().collect();
    all.sort();
    json!({"sizes": sizes, "partitions": all})
}
