//! The order in which a Java producer knows the partitions of a topic.
//!
//! Round robin walks this list, and a sticky draw is an index into it. It is not the order of
//! partition numbers: the client keeps all partitions of all topics in one `HashMap` and lists a
//! topic's partitions as the map iterates.
//!
//! Source: `org.apache.kafka.clients.MetadataSnapshot` (`partitionsForTopic` of its `Cluster`),
//! measured in `tests/golden/placement/sticky.ndjson`.

use crate::java::{hash_map_order, sized_capacity, string_hash_code, topic_partition_hash_of};

/// The order of `Cluster.partitionsForTopic`, for a producer that knows this topic alone.
///
/// Takes memory for every partition: the caller limits their number.
///
/// ```
/// use loglanes::partitioner::partition_order;
///
/// assert_eq!(partition_order("orders", 6), [0, 1, 2, 3, 4, 5]);
/// assert_eq!(partition_order("t", 6), [5, 4, 3, 2, 1, 0]);
/// assert_eq!(partition_order("test", 6), [5, 4, 1, 0, 3, 2]);
/// ```
#[must_use]
pub fn partition_order(topic: &str, partitions: u32) -> Vec<u32> {
    partition_order_among(topic, partitions, partitions.into())
}

/// The order of `Cluster.partitionsForTopic`, for a producer that knows other topics too.
///
/// `known_partitions` counts the partitions of all topics that the producer knows, this one
/// included; a number below `partitions` is taken as `partitions`. More partitions mean a larger
/// map, and that can change the order.
///
/// ```
/// use loglanes::partitioner::{partition_order, partition_order_among};
///
/// assert_eq!(partition_order("pl-rr-mixed", 4), [0, 3, 1, 2]);
/// assert_eq!(partition_order_among("pl-rr-mixed", 4, 4 + 3), [3, 1, 2, 0]);
/// ```
#[must_use]
pub fn partition_order_among(topic: &str, partitions: u32, known_partitions: u64) -> Vec<u32> {
    let known = known_partitions.max(partitions.into());
    let capacity = sized_capacity(usize::try_from(known).unwrap_or(usize::MAX));
    let topic_hash = string_hash_code(topic);
    let hashes: Vec<i32> =
        (0..partitions).map(|partition| topic_partition_hash_of(topic_hash, partition)).collect();
    hash_map_order(&hashes, capacity).into_iter().map(|at| at as u32).collect()
}

/// What a producer knows of one topic when it has to pick a partition by itself.
///
/// ```
/// use loglanes::partitioner::KnownPartitions;
///
/// let order = [2, 0, 1];
/// let known = KnownPartitions::all(&order);
/// assert_eq!(known.at(4), 0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownPartitions<'a> {
    /// The partitions that have a leader, in the order of [`partition_order`].
    pub available: &'a [u32],
    /// How many partitions the topic has, with a leader or not.
    pub count: u32,
}

impl<'a> KnownPartitions<'a> {
    /// A topic whose partitions all have a leader.
    #[must_use]
    pub const fn all(order: &'a [u32]) -> Self {
        Self { available: order, count: order.len() as u32 }
    }

    /// The partition that a number, its sign bit cleared, points at: an index into the available
    /// ones; where there are none, the number's remainder itself; 0 for a topic without any.
    ///
    /// ```
    /// use loglanes::partitioner::KnownPartitions;
    ///
    /// assert_eq!(KnownPartitions { available: &[3, 1], count: 5 }.at(7), 1);
    /// assert_eq!(KnownPartitions { available: &[], count: 5 }.at(7), 2);
    /// ```
    #[must_use]
    pub fn at(&self, number: i32) -> u32 {
        let number = super::to_positive(number) as u32;
        if self.available.is_empty() {
            return number % self.count.max(1);
        }
        let index = number as usize % self.available.len();
        self.available.get(index).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_partition_is_in_the_order_once(
            topic in ".{0,20}", partitions in 0..500_u32, others in 0..1_000_u64,
        ) {
            let known = u64::from(partitions) + others;
            let mut order = partition_order_among(&topic, partitions, known);
            order.sort_unstable();
            prop_assert!(order.into_iter().eq(0..partitions));
        }
    }

    #[test]
    fn too_small_a_number_of_known_partitions_counts_as_this_topic_alone() {
        assert_eq!(partition_order_among("test", 6, 0), partition_order("test", 6));
    }
}
