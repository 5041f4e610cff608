//! The sticky assignor: as even as can be, and then with as few moves as can be.
//!
//! Eager: before it is asked, every member has given up everything; it only remembers what it
//! had. Where all members subscribe to the same topics the `constrained` path finds the answer
//! in one pass, else the `general` one looks for improvements until there are none.
//!
//! Source: `StickyAssignor` and `AbstractStickyAssignor` of `org.apache.kafka.clients.consumer`,
//! Apache Kafka 4.4.0.

use super::claims::Claims;
use super::constrained::Constrained;
use super::general::General;
use super::{PartitionCounts, Subscription, map_order, topics_to_assign};
use crate::group::TopicPartition;

pub(super) fn assign(
    members: &[Subscription<'_>],
    counts: &PartitionCounts<'_>,
) -> Vec<Vec<TopicPartition>> {
    // What it remembers travels as user data, grouped by topic in the order of a Java map.
    let remembered: Vec<Vec<TopicPartition>> =
        members.iter().map(|member| by_topic(member.owned)).collect();
    let members: Vec<Subscription<'_>> = members
        .iter()
        .zip(&remembered)
        .map(|(member, owned)| Subscription { owned, ..*member })
        .collect();
    shares(&members, counts).0
}

fn by_topic(owned: &[TopicPartition]) -> Vec<TopicPartition> {
    let mut topics: Vec<&str> = Vec::new();
    for at in owned {
        if !topics.contains(&at.topic.as_str()) {
            topics.push(&at.topic);
        }
    }
    let order = map_order(&topics);
    let names = order.into_iter().map(|at| topics[at]);
    names.flat_map(|name| owned.iter().filter(move |at| at.topic == name)).cloned().collect()
}

/// Partitions that change hands, with the place of the member that is to get each.
pub(super) type Moves = Vec<(TopicPartition, usize)>;

/// Who gets what, and, where it is known, which partitions of the shares change hands.
pub(super) fn shares(
    members: &[Subscription<'_>],
    counts: &PartitionCounts<'_>,
) -> (Vec<Vec<TopicPartition>>, Option<Moves>) {
    let topics = topics_to_assign(members, counts);
    let claims = Claims::of(members, &topics);
    if claims.equal_subscriptions {
        let (shares, changing_hands) = Constrained::new(members, &topics, claims).assign();
        (shares, Some(changing_hands))
    } else {
        (General::new(members, &topics, claims).assign(), None)
    }
}
