//! Staying on a partition for a while: how a Java producer places records without a key.
//!
//! Spreading such records one by one would fill many small batches. The producer rather stays on
//! one partition until enough bytes went there, then draws the next; a partition whose batches
//! queue up is drawn less often (adaptive partitioning).
//!
//! Source: KIP-794; `org.apache.kafka.clients.producer.internals.BuiltInPartitioner` of 4.4.0.

use serde::{Deserialize, Serialize};

use super::{KnownPartitions, to_positive};

/// The sticky partitioner of one topic, as a state machine.
///
/// For each record: [`peek`](Self::peek) says the partition; after the record was appended to its
/// batch, [`update`](Self::update) is told by how many bytes the batch grew.
///
/// `random` answers any 32-bit number; the sign bit is cleared. It is asked once for each draw.
///
/// ```
/// use loglanes::partitioner::{BuiltInPartitioner, KnownPartitions};
///
/// let known = KnownPartitions::all(&[0, 1, 2]);
/// let mut draws = [2, 1].into_iter();
/// let mut random = || draws.next().unwrap();
///
/// let mut sticky = BuiltInPartitioner::new(16_384);
/// assert_eq!(sticky.peek(known, &mut random), 2);
/// assert!(!sticky.update(16_383, true, known, &mut random));
/// assert_eq!(sticky.peek(known, &mut random), 2);
/// assert!(sticky.update(1, true, known, &mut random));
/// assert_eq!(sticky.peek(known, &mut random), 1);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuiltInPartitioner {
    sticky_batch_size: i32,
    current: Option<StickyPartition>,
    load: Option<LoadStats>,
}

/// The stay on the current partition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct StickyPartition {
    partition: u32,
    produced_bytes: i32,
}

/// How likely each partition is to be drawn, by the batches that wait for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct LoadStats {
    /// Running sum of the weights; the last is the number of chances.
    cumulative: Vec<u32>,
    partitions: Vec<u32>,
}

/// The producer's default `batch.size`, in bytes, and so of a stay.
pub const DEFAULT_BATCH_SIZE: i32 = 16_384;

impl Default for BuiltInPartitioner {
    /// With the default `batch.size`.
    fn default() -> Self {
        Self::new(DEFAULT_BATCH_SIZE)
    }
}

impl BuiltInPartitioner {
    /// A topic's partitioner; a stay is `batch.size` bytes. Below 1 counts as 1, as in
    /// `KafkaProducer`.
    #[must_use]
    pub const fn new(batch_size: i32) -> Self {
        let sticky_batch_size = if batch_size < 1 { 1 } else { batch_size };
        Self { sticky_batch_size, current: None, load: None }
    }

    /// The partition of the next record; the first time, it is drawn.
    ///
    /// Source: `peekCurrentPartitionInfo`.
    pub fn peek(&mut self, known: KnownPartitions<'_>, random: &mut impl FnMut() -> i32) -> u32 {
        self.stay(known, random).partition
    }

    /// Bytes went to the current partition: `appended_bytes` is the growth of its batch, with the
    /// 61-byte header of a new one. Answers whether the next partition was drawn; that can be the
    /// same one again.
    ///
    /// A stay ends at `batch.size` bytes if `enable_switch`: the partition's last batch is full,
    /// closed or taken. It ends at twice as many in any case. Sums wrap in 32 bits as in Java, so
    /// a `batch.size` of 1 GiB or more ends the stay at every record.
    ///
    /// Source: `updatePartitionInfo`.
    pub fn update(
        &mut self,
        appended_bytes: i32,
        enable_switch: bool,
        known: KnownPartitions<'_>,
        random: &mut impl FnMut() -> i32,
    ) -> bool {
        let sticky_batch_size = self.sticky_batch_size;
        let stay = self.stay(known, random);
        stay.produced_bytes = stay.produced_bytes.wrapping_add(appended_bytes);
        let produced = stay.produced_bytes;
        let ends = (produced >= sticky_batch_size && enable_switch)
            || produced >= sticky_batch_size.wrapping_mul(2);
        if ends {
            self.current =
                Some(StickyPartition { partition: self.draw(known, random), produced_bytes: 0 });
        }
        ends
    }

    /// The bytes produced in the current stay; none before the first record.
    ///
    /// ```
    /// use loglanes::partitioner::{BuiltInPartitioner, KnownPartitions};
    ///
    /// let mut sticky = BuiltInPartitioner::default();
    /// assert_eq!(sticky.produced_bytes(), None);
    /// sticky.update(171, false, KnownPartitions::all(&[0]), &mut || 0);
    /// assert_eq!(sticky.produced_bytes(), Some(171));
    /// ```
    #[must_use]
    pub fn produced_bytes(&self) -> Option<i32> {
        self.current.as_ref().map(|stay| stay.produced_bytes)
    }

    /// The partition of the current stay; none before the first record.
    #[must_use]
    pub fn current_partition(&self) -> Option<u32> {
        self.current.as_ref().map(|stay| stay.partition)
    }

    /// New weights for the draws to come, from how many batches wait for each partition.
    ///
    /// `queues` has a pair (partition, batches) for each partition with a leader. Only the first
    /// `length` may be drawn; the rest was left out for its latency. Where all queues are equally
    /// long and none is left out, where there are fewer than two, or where `length` is 0, draws
    /// are even again.
    ///
    /// Source: `updatePartitionLoadStats`.
    ///
    /// ```
    /// use loglanes::partitioner::BuiltInPartitioner;
    ///
    /// let mut sticky = BuiltInPartitioner::default();
    /// sticky.update_load_stats(&[(0, 0), (1, 3), (2, 1)], 3);
    /// assert_eq!(sticky.load_table(), Some(&[4, 5, 8][..]));
    /// ```
    pub fn update_load_stats(&mut self, queues: &[(u32, u32)], length: usize) {
        self.load = LoadStats::new(queues, length);
    }

    /// Draws are even from now on: a partition has no queue yet, or adaptive partitioning is off.
    pub fn clear_load_stats(&mut self) {
        self.load = None;
    }

    /// The running sum of the weights, in the order of the queues given; none while draws are even.
    #[must_use]
    pub fn load_table(&self) -> Option<&[u32]> {
        self.load.as_ref().map(|load| load.cumulative.as_slice())
    }

    /// The partitions that [`load_table`](Self::load_table) weighs.
    #[must_use]
    pub fn load_table_partitions(&self) -> Option<&[u32]> {
        self.load.as_ref().map(|load| load.partitions.as_slice())
    }

    /// Whether all partitions that it remembers are among so many, and its weights are such as
    /// [`update_load_stats`](Self::update_load_stats) makes.
    pub(crate) fn fits(&self, partitions: usize) -> bool {
        let is_there = |&partition: &u32| (partition as usize) < partitions;
        self.sticky_batch_size >= 1
            && self.current_partition().as_ref().is_none_or(is_there)
            && self.load.as_ref().is_none_or(|load| {
                load.cumulative.len() == load.partitions.len()
                    && load.cumulative.is_sorted()
                    && load.partitions.iter().all(is_there)
            })
    }

    fn stay(
        &mut self,
        known: KnownPartitions<'_>,
        random: &mut impl FnMut() -> i32,
    ) -> &mut StickyPartition {
        if self.current.is_none() {
            self.current =
                Some(StickyPartition { partition: self.draw(known, random), produced_bytes: 0 });
        }
        self.current.get_or_insert(StickyPartition { partition: 0, produced_bytes: 0 })
    }

    fn draw(&self, known: KnownPartitions<'_>, random: &mut impl FnMut() -> i32) -> u32 {
        let number = to_positive(random());
        match self.load.as_ref().and_then(|load| load.pick(number as u32)) {
            Some(partition) => partition,
            None => known.at(number),
        }
    }
}

impl LoadStats {
    fn new(queues: &[(u32, u32)], length: usize) -> Option<Self> {
        let considered = queues.get(..length).unwrap_or(queues);
        let longest = considered.iter().map(|&(_, batches)| batches).max()?;
        let all_equal = considered.iter().all(|&(_, batches)| batches == longest);
        if queues.len() < 2 || (all_equal && considered.len() == queues.len()) {
            return None;
        }
        let cumulative = considered
            .iter()
            .scan(0_u32, |sum, &(_, batches)| {
                *sum = sum.saturating_add((longest - batches).saturating_add(1));
                Some(*sum)
            })
            .collect();
        let partitions = considered.iter().map(|&(partition, _)| partition).collect();
        Some(Self { cumulative, partitions })
    }

    /// The first partition whose running sum is above the remainder.
    fn pick(&self, number: u32) -> Option<u32> {
        let chances = *self.cumulative.last()?;
        let drawn = number % chances.max(1);
        let at = self.cumulative.partition_point(|&sum| sum <= drawn);
        self.partitions.get(at).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ORDER: [u32; 4] = [3, 1, 0, 2];

    #[test]
    fn a_stay_lasts_at_least_one_and_at_most_two_batch_sizes() {
        let known = KnownPartitions::all(&ORDER);
        let mut sticky = BuiltInPartitioner::new(100);
        assert!(!sticky.update(199, false, known, &mut || 0));
        assert!(sticky.update(1, false, known, &mut || 0));
        assert!(!sticky.update(99, true, known, &mut || 0));
        assert!(sticky.update(1, true, known, &mut || 0));
    }

    #[test]
    fn a_batch_size_below_one_is_one() {
        assert_eq!(BuiltInPartitioner::new(0), BuiltInPartitioner::new(1));
        assert_eq!(BuiltInPartitioner::new(i32::MIN), BuiltInPartitioner::new(1));
    }

    #[test]
    fn a_batch_size_of_a_gibibyte_overflows_as_in_java() {
        let known = KnownPartitions::all(&ORDER);
        let mut sticky = BuiltInPartitioner::new(1 << 30);
        assert!(sticky.update(1, false, known, &mut || 0));
    }

    #[test]
    fn a_negative_random_number_loses_its_sign_bit() {
        let mut sticky = BuiltInPartitioner::default();
        assert_eq!(sticky.peek(KnownPartitions::all(&ORDER), &mut || -1), ORDER[3]);
    }

    #[test]
    fn longer_than_the_queues_is_no_longer_than_them() {
        let mut sticky = BuiltInPartitioner::default();
        sticky.update_load_stats(&[(0, 1), (1, 0)], 9);
        assert_eq!(sticky.load_table(), Some(&[1, 3][..]));
        sticky.update_load_stats(&[(0, 1)], 1);
        assert_eq!(sticky.load_table(), None);
    }

    #[test]
    fn a_saved_stay_goes_on_where_it_was() {
        let known = KnownPartitions::all(&ORDER);
        let mut sticky = BuiltInPartitioner::new(500);
        sticky.update_load_stats(&[(0, 4), (1, 0)], 2);
        sticky.update(70, false, known, &mut || 5);
        let saved = serde_json::to_string(&sticky).unwrap();
        assert_eq!(serde_json::from_str::<BuiltInPartitioner>(&saved).unwrap(), sticky);
    }

    proptest! {
        #[test]
        fn over_all_chances_each_partition_is_drawn_by_its_weight(
            batches in proptest::collection::vec(0..12_u32, 2..10),
        ) {
            let queues: Vec<_> = (0..).zip(batches.iter().copied()).collect();
            let Some(load) = LoadStats::new(&queues, queues.len()) else {
                let all_equal = batches.iter().all(|&size| size == batches[0]);
                prop_assert!(all_equal);
                return Ok(());
            };
            let chances = *load.cumulative.last().unwrap();
            let mut drawn = vec![0; queues.len()];
            for number in 0..chances {
                drawn[load.pick(number).unwrap() as usize] += 1;
            }
            let longest = *batches.iter().max().unwrap();
            let weights: Vec<_> = batches.iter().map(|size| longest + 1 - size).collect();
            prop_assert_eq!(drawn, weights);
        }
    }
}
