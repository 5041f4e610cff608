//! What the broker's assignors deal out, for groups of the newer `consumer` protocol (KIP-848):
//! to be compared with the clients'.
//!
//! `range` deals out as the clients' range does. `uniform`, the default, balances first and keeps
//! second: everyone keeps what it had up to its quota, and what is left goes in runs, member by
//! member, in the order of the map of members. Where members subscribe to different topics it
//! proceeds otherwise: see `uneven`.
//!
//! Source: `org.apache.kafka.coordinator.group.assignor.UniformHomogeneousAssignmentBuilder`, Apache
//! Kafka 4.4.0.

use std::collections::HashSet;

use super::{PartitionCounts, Subscription, uneven};
use crate::group::TopicPartition;
use crate::topic::TopicId;

/// A topic that partitions are dealt out of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TopicCount<'a> {
    /// Its name.
    pub name: &'a str,
    /// How many partitions it has.
    pub partitions: i32,
    /// Its id: `uniform` takes topics in the order of those where all else is even.
    pub id: TopicId,
}

impl TopicCount<'_> {
    /// Java compares ids as two signed numbers. Source: `Uuid.compareTo`.
    pub(super) fn id_order(&self) -> i128 {
        let halves = i128::from_be_bytes(self.id.0);
        // The lower half is signed as well.
        halves ^ (1 << 63)
    }
}

/// Who gets what by `uniform`: one share for each of `members`, in their order, which is the one in
/// which the broker's map of them iterates; `topics` are in the order of the broker's set of their
/// ids. What a member owns is the target it had before, in the order in which its set iterates.
///
/// ```
/// use loglanes::group::assignor::server::TopicCount;
/// use loglanes::group::assignor::{Subscription, server};
/// use loglanes::topic::TopicId;
///
/// let names = ["orders".to_owned()];
/// let member = |member_id| Subscription {
///     member_id, instance_id: None, topics: &names, owned: &[], generation: -1,
/// };
/// let topics = [TopicCount { name: "orders", partitions: 3, id: TopicId([7; 16]) }];
/// let shares = server::uniform(&[member("m1"), member("m2")], &topics);
/// let sizes: Vec<usize> = shares.iter().map(Vec::len).collect();
/// assert_eq!(sizes, [1, 2], "the last in order gets the larger share");
/// ```
#[must_use]
pub fn uniform(
    members: &[Subscription<'_>],
    topics: &[TopicCount<'_>],
) -> Vec<Vec<TopicPartition>> {
    let of =
        |member: &Subscription<'_>| -> HashSet<String> { member.topics.iter().cloned().collect() };
    let Some(subscribed) = members.first().map(of) else { return Vec::new() };
    if members.iter().any(|member| of(member) != subscribed) {
        return uneven::assign(members, topics);
    }
    let all: Vec<TopicPartition> = topics
        .iter()
        .filter(|topic| subscribed.contains(topic.name))
        .flat_map(|topic| (0..topic.partitions).map(|p| TopicPartition::new(topic.name, p)))
        .collect();
    let quota = all.len() / members.len();
    let mut extras = all.len() % members.len();
    let (mut revoked, mut lacking, mut shares) = (Vec::new(), Vec::new(), Vec::new());
    let there: HashSet<&TopicPartition> = all.iter().collect();
    for (place, member) in members.iter().enumerate() {
        let most = quota + usize::from(extras > 0);
        let mut share = member.owned.to_vec();
        share.retain(|at| there.contains(at));
        revoked.extend(share.drain(share.len().min(most)..));
        if share.len() < most {
            lacking.push(place);
        } else {
            extras = extras.saturating_sub(1);
        }
        shares.push(share);
    }
    // What nobody had comes first, then what somebody had too much of.
    let had: HashSet<&TopicPartition> = members.iter().flat_map(|member| member.owned).collect();
    let mut left = all.iter().filter(|at| !had.contains(at)).chain(&revoked).cloned();
    for (done, &place) in lacking.iter().enumerate() {
        // One more only if all who come after it are needed for what is left of those.
        let gets_extra = extras >= lacking.len() - done;
        extras -= usize::from(gets_extra);
        let share: &mut Vec<TopicPartition> = &mut shares[place];
        let lacks = (quota + usize::from(gets_extra)).saturating_sub(share.len());
        share.extend(left.by_ref().take(lacks));
    }
    shares.iter_mut().for_each(|share| share.sort());
    shares
}

/// Who gets what by `range`: as with the clients' assignor of that name.
///
/// ```
/// use std::collections::BTreeMap;
/// use loglanes::group::assignor::server;
///
/// assert!(server::range(&[], &BTreeMap::from([("orders", 3)])).is_empty());
/// ```
#[must_use]
pub fn range(
    members: &[Subscription<'_>],
    counts: &PartitionCounts<'_>,
) -> Vec<Vec<TopicPartition>> {
    super::range::assign(members, counts)
}
