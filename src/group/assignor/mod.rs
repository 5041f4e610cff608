//! Assignors: who reads which partition.
//!
//! A classic group's assignors run in the consumers: the leader computes, the coordinator hands
//! out. [`Assignor`] names the four that come with Kafka's Java client; each has its own file.
//!
//! All are pure: the same members in the same order give the same shares. That order matters to
//! the sticky ones, because Java walks a `HashMap` of members: see [`map_order`].
//!
//! Sources: `org.apache.kafka.clients.consumer.*Assignor`, `AbstractPartitionAssignor`, Apache
//! Kafka 4.4.0.

mod claims;
mod constrained;
mod cooperative_sticky;
mod general;
mod range;
mod round_robin;
pub mod server;
mod sticky;
mod uneven;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use super::TopicPartition;
use crate::java;

/// What an assignor knows of a member.
#[derive(Debug, Clone, Copy)]
pub struct Subscription<'a> {
    /// `member.id`, as the coordinator gave it.
    pub member_id: &'a str,
    /// `group.instance.id` of a static member: range and round robin take those first.
    pub instance_id: Option<&'a str>,
    /// The topics it subscribes to, each once.
    pub topics: &'a [String],
    /// What it says it owns. Only the sticky ones ask.
    pub owned: &'a [TopicPartition],
    /// The generation in which it got them; -1: none.
    pub generation: i32,
}

/// How many partitions each topic has. Topics that are not there are passed over.
pub type PartitionCounts<'a> = BTreeMap<&'a str, i32>;

/// A partition assignor of Kafka's Java consumer: a value of `partition.assignment.strategy`.
///
/// ```
/// use std::collections::BTreeMap;
/// use loglanes::group::assignor::{Assignor, Subscription};
///
/// let topics = ["orders".to_owned()];
/// let member = |member_id| Subscription {
///     member_id, instance_id: None, topics: &topics, owned: &[], generation: -1,
/// };
/// let members = [member("m1"), member("m2")];
/// let shares = Assignor::Range.assign(&members, &BTreeMap::from([("orders", 3)]));
/// let sizes: Vec<usize> = shares.iter().map(Vec::len).collect();
/// assert_eq!(sizes, [2, 1]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Assignor {
    /// Topic by topic, in runs. What Kafka's default setting comes to.
    Range,
    /// Partition by partition, in turns.
    #[serde(rename = "roundrobin")]
    RoundRobin,
    /// Even, and as few moves as that allows; all stop while it is computed.
    Sticky,
    /// The same, but only what moves stops: in two rounds.
    CooperativeSticky,
}

impl Assignor {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::Range, Self::RoundRobin, Self::Sticky, Self::CooperativeSticky];

    /// What `partition.assignment.strategy` is unless set: the group uses the first that all of
    /// its members have. Source: `ConsumerConfig`.
    pub const DEFAULT: [Self; 2] = [Self::Range, Self::CooperativeSticky];

    /// Its name in the protocol, as Kafka's tools print it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Range => "range",
            Self::RoundRobin => "roundrobin",
            Self::Sticky => "sticky",
            Self::CooperativeSticky => "cooperative-sticky",
        }
    }

    /// Whether members keep what they own while they rejoin, which takes a second round where
    /// something moves.
    #[must_use]
    pub const fn is_cooperative(self) -> bool {
        matches!(self, Self::CooperativeSticky)
    }

    /// Who gets what: one share for each of `members`, in their order. That order is the one in
    /// which Java's map of the members iterates.
    #[must_use]
    pub fn assign(
        self,
        members: &[Subscription<'_>],
        counts: &PartitionCounts<'_>,
    ) -> Vec<Vec<TopicPartition>> {
        match self {
            Self::Range => range::assign(members, counts),
            Self::RoundRobin => round_robin::assign(members, counts),
            Self::Sticky => sticky::assign(members, counts),
            Self::CooperativeSticky => cooperative_sticky::assign(members, counts),
        }
    }
}

impl fmt::Display for Assignor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The order in which a Java `HashMap` iterates over members that were put in as given.
///
/// ```
/// use loglanes::group::assignor::map_order;
///
/// assert_eq!(map_order(&["m2", "m1"]), [1, 0], "m1 hashes to the bucket before m2's");
/// ```
#[must_use]
pub fn map_order(names: &[&str]) -> Vec<usize> {
    let hashes: Vec<i32> = names.iter().map(|name| java::string_hash_code(name)).collect();
    java::hash_map_order(&hashes, java::grown_capacity(names.len()))
}

/// Java compares strings by UTF-16 unit.
fn java_order(a: &str, b: &str) -> Ordering {
    a.encode_utf16().cmp(b.encode_utf16())
}

/// The places of the members: static ones first, by instance id; then the others by member id.
/// Source: `AbstractPartitionAssignor.MemberInfo`.
fn static_first(members: &[Subscription<'_>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..members.len()).collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (&members[a], &members[b]);
        match (a.instance_id, b.instance_id) {
            (Some(a), Some(b)) => java_order(a, b),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => java_order(a.member_id, b.member_id),
        }
    });
    order
}

/// Every topic that somebody subscribes to and that has partitions, by name, with their count.
fn topics_to_assign<'a>(
    members: &[Subscription<'a>],
    counts: &PartitionCounts<'_>,
) -> Vec<(&'a str, i32)> {
    let topics: BTreeSet<&'a str> =
        members.iter().flat_map(|member| member.topics).map(String::as_str).collect();
    topics
        .into_iter()
        .filter_map(|topic| Some((topic, *counts.get(topic)?)))
        .filter(|(_, count)| *count > 0)
        .collect()
}

fn subscribes(member: &Subscription<'_>, topic: &str) -> bool {
    member.topics.iter().any(|name| name == topic)
}

/// The partitions of these topics, in the order of the topics, that are not in `assigned`.
///
/// Kafka walks both lists side by side, with `assigned` sorted as the topics are. An owned
/// partition beyond a topic's count stops the second walk for good: what is assigned and comes
/// after it is then dealt out once more.
fn unassigned(topics: &[(&str, i32)], assigned: &[TopicPartition]) -> Vec<TopicPartition> {
    let mut next = assigned.iter().peekable();
    let mut left = Vec::new();
    for &(topic, count) in topics {
        for partition in 0..count {
            if next.next_if(|at| at.topic == topic && at.partition == partition).is_none() {
                left.push(TopicPartition::new(topic, partition));
            }
        }
    }
    left
}
