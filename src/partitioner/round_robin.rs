//! Taking turns: `org.apache.kafka.clients.producer.RoundRobinPartitioner`.

use serde::{Deserialize, Serialize};

use super::KnownPartitions;

/// The turn of one topic.
///
/// Kafka 4.4.0 takes one step for each record that has no explicit partition, whatever its key.
/// It walks the list of [`partition_order`](super::partition_order), not 0, 1, 2, ... The default
/// partitioner of Kafka before 2.4 did the same for records without a key, from a random start.
///
/// Source: `RoundRobinPartitioner.partition`.
///
/// ```
/// use loglanes::partitioner::{KnownPartitions, RoundRobinPartitioner, partition_order};
///
/// let order = partition_order("pl-rr-orders-4", 4);
/// let mut turn = RoundRobinPartitioner::default();
/// let first: Vec<u32> = (0..5).map(|_| turn.next(KnownPartitions::all(&order))).collect();
/// assert_eq!(first, [3, 2, 1, 0, 3]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundRobinPartitioner {
    counter: i32,
}

impl RoundRobinPartitioner {
    /// A turn that begins at any number, as the default partitioner before Kafka 2.4 did.
    #[must_use]
    pub const fn starting_at(counter: i32) -> Self {
        Self { counter }
    }

    /// The partition of the next record, and one step on.
    pub fn next(&mut self, known: KnownPartitions<'_>) -> u32 {
        let partition = known.at(self.counter);
        self.counter = self.counter.wrapping_add(1);
        partition
    }

    /// The partition of the next record, without a step.
    ///
    /// ```
    /// use loglanes::partitioner::{KnownPartitions, RoundRobinPartitioner};
    ///
    /// let mut turn = RoundRobinPartitioner::default();
    /// let known = KnownPartitions::all(&[1, 0]);
    /// assert_eq!([turn.peek(known), turn.next(known), turn.peek(known)], [1, 1, 0]);
    /// ```
    #[must_use]
    pub fn peek(&self, known: KnownPartitions<'_>) -> u32 {
        known.at(self.counter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counter_wraps_and_its_sign_bit_is_cleared() {
        let order = [0, 1, 2, 3];
        let known = KnownPartitions::all(&order);
        let mut turn = RoundRobinPartitioner::starting_at(i32::MAX);
        assert_eq!([turn.next(known), turn.next(known), turn.next(known)], [3, 0, 1]);
    }

    #[test]
    fn without_any_leader_it_counts_over_all_partitions() {
        let known = KnownPartitions { available: &[], count: 3 };
        let mut turn = RoundRobinPartitioner::default();
        assert_eq!([(); 4].map(|()| turn.next(known)), [0, 1, 2, 0]);
    }

    #[test]
    fn a_topic_without_partitions_does_no_harm() {
        let known = KnownPartitions { available: &[], count: 0 };
        assert_eq!(RoundRobinPartitioner::default().next(known), 0);
    }

    #[test]
    fn a_saved_turn_goes_on_where_it_was() {
        let mut turn = RoundRobinPartitioner::default();
        let order = [2, 0, 1];
        turn.next(KnownPartitions::all(&order));
        let saved = serde_json::to_string(&turn).unwrap();
        assert_eq!(serde_json::from_str::<RoundRobinPartitioner>(&saved).unwrap(), turn);
    }
}
