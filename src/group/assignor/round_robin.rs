//! The round robin assignor: all partitions of all topics in one row, dealt out in turns.
//!
//! A member that does not subscribe to the topic whose turn it is, is passed over; the next turn
//! begins behind the one who took.
//!
//! Source: `org.apache.kafka.clients.consumer.RoundRobinAssignor`, Apache Kafka 4.4.0.

use super::{PartitionCounts, Subscription, static_first, subscribes, topics_to_assign};
use crate::group::TopicPartition;

pub(super) fn assign(
    members: &[Subscription<'_>],
    counts: &PartitionCounts<'_>,
) -> Vec<Vec<TopicPartition>> {
    let mut shares = vec![Vec::new(); members.len()];
    let order = static_first(members);
    let mut turns = order.iter().copied().cycle();
    for (topic, count) in topics_to_assign(members, counts) {
        for partition in 0..count {
            // Somebody subscribes to it, or it would not be in the list.
            if let Some(taker) = turns.find(|&at| subscribes(&members[at], topic)) {
                shares[taker].push(TopicPartition::new(topic, partition));
            }
        }
    }
    shares
}
