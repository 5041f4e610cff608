//! The range assignor, which Kafka's consumers use unless told otherwise.
//!
//! Topic by topic: members in order of their ids, each takes `partitions / members` in a row,
//! and the first `partitions % members` of them one more. With several topics the same members
//! get the larger share each time.
//!
//! Source: `org.apache.kafka.clients.consumer.RangeAssignor`, Apache Kafka 4.4.0.

use super::{PartitionCounts, Subscription, map_order, static_first, subscribes, topics_to_assign};
use crate::group::TopicPartition;

/// Each list is filled topic by topic in the order of a Java map of them, partitions ascending.
pub(super) fn assign(
    members: &[Subscription<'_>],
    counts: &PartitionCounts<'_>,
) -> Vec<Vec<TopicPartition>> {
    let mut shares = vec![Vec::new(); members.len()];
    let order = static_first(members);
    let topics = topics_to_assign(members, counts);
    let names: Vec<&str> = topics.iter().map(|&(name, _)| name).collect();
    for (topic, count) in map_order(&names).into_iter().map(|at| topics[at]) {
        let takers: Vec<usize> =
            order.iter().copied().filter(|&at| subscribes(&members[at], topic)).collect();
        let mut next = 0;
        for (place, &taker) in takers.iter().enumerate() {
            let (place, takers) = (place as i32, takers.len() as i32);
            let share = count / takers + i32::from(place < count % takers);
            shares[taker].extend((next..next + share).map(|p| TopicPartition::new(topic, p)));
            next += share;
        }
    }
    shares
}
