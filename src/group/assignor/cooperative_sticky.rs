//! The cooperative sticky assignor: sticky, but nothing changes hands while it is still held.
//!
//! A partition that is to move is left out of the answer. Its owner gives it up and rejoins; the
//! next round deals it out.
//!
//! Source: `org.apache.kafka.clients.consumer.CooperativeStickyAssignor`, Apache Kafka 4.4.0.

use std::collections::HashSet;

use super::sticky::Moves;
use super::{PartitionCounts, Subscription, sticky};
use crate::group::TopicPartition;

pub(super) fn assign(
    members: &[Subscription<'_>],
    counts: &PartitionCounts<'_>,
) -> Vec<Vec<TopicPartition>> {
    // What it owns travels in the subscription, which the consumer sorts.
    let sorted: Vec<Vec<TopicPartition>> = members
        .iter()
        .map(|member| {
            let mut owned = member.owned.to_vec();
            owned.sort();
            owned
        })
        .collect();
    let members: Vec<Subscription<'_>> = members
        .iter()
        .zip(&sorted)
        .map(|(member, owned)| Subscription { owned, ..*member })
        .collect();
    let (mut shares, changing_hands) = sticky::shares(&members, counts);
    for (at, taker) in changing_hands.unwrap_or_else(|| changing_hands_in(&members, &shares)) {
        if let Some(place) = shares[taker].iter().position(|other| *other == at) {
            shares[taker].remove(place);
        }
    }
    shares
}

/// What somebody gets that somebody gives up.
fn changing_hands_in(members: &[Subscription<'_>], shares: &[Vec<TopicPartition>]) -> Moves {
    let mut added = Vec::new();
    let mut revoked: HashSet<&TopicPartition> = HashSet::new();
    for (taker, (member, share)) in members.iter().zip(shares).enumerate() {
        let owned: HashSet<&TopicPartition> = member.owned.iter().collect();
        let given: HashSet<&TopicPartition> = share.iter().collect();
        added.extend(share.iter().filter(|at| !owned.contains(at)).map(|at| (at, taker)));
        revoked.extend(owned.difference(&given));
    }
    added.retain(|(at, _)| revoked.contains(at));
    added.into_iter().map(|(at, taker)| (at.clone(), taker)).collect()
}
