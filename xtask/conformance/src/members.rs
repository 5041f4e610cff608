//! Histories of groups of several members, in either protocol, some of them static: they join, leave and
//! die, come back or are given up, partitions are added, and after each act both sides say who has what.
//!
//! Members' ids are random on both sides. Range and round robin go by the ids' order, which is that of
//! the names: there the shares must be the same, partition for partition. With the sticky ones it hangs
//! on the ids who keeps the larger share, and so with the broker's own assignors: there the sizes of the shares are compared.

use std::collections::{BTreeMap, BTreeSet};

use loglanes::group::assignor::Assignor;
use loglanes::group::{ConsumerConfig, GroupProtocol};
use loglanes::topic::Topic;
use loglanes::{Cluster, Command};
use serde_json::{Value, json};

use crate::act::Act;
use crate::maker::Maker;

const TOPICS: [&str; 2] = ["orders", "t"];

const MEMBERS: [&str; 5] = ["m1", "m2", "m3", "m4", "m5"];

/// Longer than any session lasts without a sign of life.
const SESSION_AND_MORE_MS: i64 = 60_000;

/// The history of a seed.
pub fn generate(seed: u64, now_ms: i64) -> Vec<Act> {
    let mut maker = Maker::new(seed, now_ms);
    for topic in TOPICS {
        let partitions = maker.random.i32(1..=7);
        maker.push(Command::create_topic(topic, partitions));
    }
    let (group, config) = maker.kind_of_group();
    for _ in 0..maker.random.usize(4..=9) {
        maker.member_act(&group, &config);
    }
    maker.acts
}

impl Maker {
    /// A group is called like its assignor: so an answer says how it is to be compared.
    fn kind_of_group(&mut self) -> (String, ConsumerConfig) {
        // All want the same, so that every partition has an owner.
        let topics = TOPICS.map(str::to_owned).to_vec();
        if self.one_in(3) {
            let assignor = self.pick(&["uniform", "range"]);
            let config = ConsumerConfig {
                topics,
                protocol: GroupProtocol::Consumer,
                remote_assignor: Some(assignor.to_owned()),
                ..ConsumerConfig::default()
            };
            return (format!("server-{assignor}"), config);
        }
        let assignor = self.pick(&Assignor::ALL);
        let config =
            ConsumerConfig { topics, assignors: vec![assignor], ..ConsumerConfig::default() };
        (assignor.name().to_owned(), config)
    }

    fn member_act(&mut self, group: &str, config: &ConsumerConfig) {
        let there: Vec<String> = self
            .cluster
            .group(group)
            .map(|group| group.members.keys().cloned().collect())
            .unwrap_or_default();
        let absent: Vec<&str> =
            MEMBERS.into_iter().filter(|name| !there.iter().any(|one| one == name)).collect();
        let act = self.random.u32(0..12);
        if act < 6 && !absent.is_empty() {
            let member = self.pick(&absent).to_owned();
            let instance_id = self.one_in(3).then(|| member.clone());
            let config = ConsumerConfig { instance_id, ..config.clone() };
            self.push(Command::Join { group: group.to_owned(), member, config });
            return;
        }
        if there.is_empty() {
            return;
        }
        let (group, member) = (group.to_owned(), there[self.random.usize(0..there.len())].clone());
        // See docs/conformance.md: the driver cannot play it.
        let may_die = config.protocol == GroupProtocol::Classic;
        match act {
            9 | 10 if may_die => {
                self.push(Command::Crash { group: group.clone(), member: member.clone() });
                self.come_back_or_be_given_up(group, member);
            }
            6..11 => {
                self.push(Command::Leave { group: group.clone(), member: member.clone() });
                self.come_back_or_be_given_up(group, member);
            }
            _ => {
                let topic = self.pick(&TOPICS);
                let count = self.cluster.topic(topic).map_or(1, Topic::partition_count);
                let total = count + self.random.i32(1..=3);
                self.push(Command::CreatePartitions { topic: topic.to_owned(), total });
                self.push(Command::RefreshMetadata { group });
            }
        }
    }

    /// What becomes of a member that is gone and still belongs to the group. It follows at once: a
    /// rebalance meanwhile would wait for the member there, and does not here.
    fn come_back_or_be_given_up(&mut self, group: String, member: String) {
        let held = self.cluster.group(&group).and_then(|group| group.members.get(&member));
        let Some(held) = held else { return };
        if held.config.instance_id.is_some() && self.random.bool() {
            self.push(Command::Restart { group, member });
        } else {
            self.push(Command::AdvanceClock { ms: SESSION_AND_MORE_MS });
        }
    }
}

/// The group that an act moves, if it is one of this kind.
fn group_of<'a>(act: &'a Act, only: Option<&'a str>) -> Option<&'a str> {
    match act {
        Act::Command(
            Command::Join { group, .. }
            | Command::Leave { group, .. }
            | Command::Crash { group, .. }
            | Command::Restart { group, .. }
            | Command::RefreshMetadata { group },
        ) => Some(group),
        Act::Command(Command::AdvanceClock { .. }) => only,
        _ => None,
    }
}

/// Who has what after such an act, here. Of members that are gone nothing is told: they know nothing.
pub fn product_answer(act: &Act, cluster: &Cluster) -> Option<Value> {
    let group = group_of(act, cluster.groups().next().map(|(id, _)| id))?;
    let members = cluster.group(group).map(|group| &group.members);
    let alive =
        members.into_iter().flatten().filter(|(_, member)| member.session_ends_ms.is_none());
    let shares = alive.map(|(name, member)| {
        let owned: Vec<String> = member.assignment.iter().map(ToString::to_string).collect();
        (name.clone(), owned)
    });
    Some(comparable(group, shares.collect()))
}

/// The same of the driver's answer.
pub fn broker_answer(act: &Act, answer: &Value) -> Option<Value> {
    let group = group_of(act, answer["ok"]["group"].as_str())?;
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
    // Which ones a member that is gone still holds hangs on the ids, too.
    let all: BTreeSet<&String> = shares.values().flatten().collect();
    json!({"sizes": sizes, "different": all.len()})
}
