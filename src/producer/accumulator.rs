//! The open batches of a producer, and the sticky rule that depends on them.
//!
//! A keyless stay ends when a batch ends (KIP-794), so the partitioner can only be right together
//! with the batches. No log, clock or randomness is in here: numbers are drawn through `draw`,
//! and a batch that is done is given to `take`.
//!
//! Source: `org.apache.kafka.clients.producer.internals.RecordAccumulator` (`append`,
//! `partitionChanged`, `partitionReady`) and `CompressionRatioEstimator` of Apache Kafka 4.4.0.

use super::{Memory, ProducerConfig, partition_order_of};
use crate::error::{Error, Result};
use crate::log::{BatchBuilder, NewRecord};
use crate::partitioner::{BuiltInPartitioner, KnownPartitions, Placement, to_positive};

/// What became of an appended record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Appended {
    /// The partition it goes to.
    pub partition: u32,
    /// Whether a batch was begun for it.
    pub new_batch: bool,
    /// By how many bytes the batch grew; with its header, if it is new.
    pub bytes: usize,
    /// The stay on another partition ended just before; this record is the first of the next.
    pub switched_before: bool,
    /// The stay ended with this record.
    pub switched_after: bool,
}

/// The open batches of one producer for one topic.
///
/// What a producer remembers for longer than its batches is [`Memory`], and passed in. `draw`
/// answers any 32-bit number; it is asked only where a partition is drawn. `take` gets a
/// partition and a batch for it, which is emptied afterwards.
///
/// ```
/// use loglanes::log::NewRecord;
/// use loglanes::producer::{Memory, ProducerConfig, RecordAccumulator};
///
/// let config = ProducerConfig::default();
/// let mut draws = [1, 2].into_iter();
/// let mut draw = || draws.next().unwrap();
/// let mut memory = Memory::new(&config, &mut draw);
/// let mut accumulator = RecordAccumulator::new(config, "orders", 3);
///
/// // A fast producer stays for two full batches, of 148 records each.
/// let record = NewRecord { timestamp: 0, key: None, value: Some(&[0; 100]), headers: &[] };
/// let mut taken = Vec::new();
/// for _ in 0..297 {
///     accumulator
///         .append(&record, None, &mut memory, &mut draw, &mut |partition, batch| {
///             taken.push((partition, batch.count()));
///         })
///         .unwrap();
/// }
/// accumulator.flush(&mut |partition, batch| taken.push((partition, batch.count())));
/// assert_eq!(taken, [(1, 148), (1, 148), (2, 1)]);
/// ```
#[derive(Debug)]
pub struct RecordAccumulator {
    config: ProducerConfig,
    order: Vec<u32>,
    queues: Vec<Queue>,
    open_bytes: usize,
    ratio: RatioEstimate,
}

/// How small records of the topic become when they are packed, as a part of their size: it
/// follows what batches came to, down in small steps, up at once. Source:
/// `CompressionRatioEstimator`. There it is kept for as long as the program runs, here for one act.
#[derive(Debug, Clone, Copy)]
struct RatioEstimate(f32);

impl RatioEstimate {
    const IMPROVING_STEP: f32 = 0.005;
    const DETERIORATING_STEP: f32 = 0.05;

    fn update(&mut self, observed: f32) {
        if observed > self.0 {
            self.0 = (self.0 + Self::DETERIORATING_STEP).max(observed);
        } else if observed < self.0 {
            self.0 = (self.0 - Self::IMPROVING_STEP).max(observed);
        }
    }
}

/// The batches of one partition.
#[derive(Debug)]
struct Queue {
    open: BatchBuilder,
    /// How many batches were begun since the last flush: Kafka's sender would find so many. None
    /// before the first of all.
    waiting: Option<u32>,
}

impl Queue {
    /// Whether nothing more goes into the last batch, or there is none.
    ///
    /// Source: `RecordAccumulator.allBatchesFull`. A batch that is closed has left already.
    #[inline]
    fn is_full(&self, limit: usize) -> bool {
        self.open.is_empty() || self.open.is_full(limit)
    }
}

impl RecordAccumulator {
    /// For a topic of so many partitions, without any batch.
    #[must_use]
    pub fn new(config: ProducerConfig, topic: &str, partitions: u32) -> Self {
        let queue = || {
            let mut open = BatchBuilder::new();
            open.set_compression(config.compression, None);
            Queue { open, waiting: None }
        };
        Self {
            order: partition_order_of(config.partitioner, topic, partitions),
            queues: std::iter::repeat_with(queue).take(partitions as usize).collect(),
            config,
            open_bytes: 0,
            ratio: RatioEstimate(1.0),
        }
    }

    /// The settings.
    #[must_use]
    pub const fn config(&self) -> &ProducerConfig {
        &self.config
    }

    /// The list of partitions that draws and turns go through.
    #[must_use]
    pub fn partition_order(&self) -> &[u32] {
        &self.order
    }

    /// Puts a record into its batch: in `partition` if there is one, else where the partitioner
    /// says. Other batches may be done by that.
    ///
    /// # Errors
    ///
    /// As [`ProducerConfig::check`] and [`BatchBuilder::append`]; `LOGLANES` for a partition that
    /// the topic does not have. The record is in no batch then; a partition may have been drawn.
    #[inline]
    pub fn append(
        &mut self,
        record: &NewRecord<'_>,
        partition: Option<u32>,
        memory: &mut Memory,
        draw: &mut impl FnMut() -> i32,
        take: &mut impl FnMut(u32, &mut BatchBuilder),
    ) -> Result<Appended> {
        self.config.check(record)?;
        let appended = match partition {
            Some(partition) => self.append_to(partition, record, take),
            None => self.place(record, memory, draw, take),
        }?;
        if self.open_bytes as u64 > self.config.buffer_memory {
            self.flush(take);
        }
        Ok(appended)
    }

    /// Gives every open batch away, by partition. A stay goes on; its end is no longer held up by
    /// an open batch.
    pub fn flush(&mut self, take: &mut impl FnMut(u32, &mut BatchBuilder)) {
        for (partition, queue) in (0..).zip(&mut self.queues) {
            close(partition, queue, &mut self.open_bytes, &mut self.ratio, take);
            queue.waiting = queue.waiting.map(|_| 0);
        }
    }

    /// What Kafka's sender does each time it looks for batches to send, before a
    /// [`flush`](Self::flush): the draws to come are weighed by how many batches wait for each
    /// partition, once every partition has had one. Draws are even where all queues are equally
    /// long, or without adaptive partitioning.
    ///
    /// A cluster of this model never calls it: between two acts a sender finds empty queues.
    ///
    /// ```
    /// use loglanes::log::NewRecord;
    /// use loglanes::producer::{Memory, ProducerConfig, RecordAccumulator};
    ///
    /// let config = ProducerConfig { batch_size: 1, ..ProducerConfig::default() };
    /// let mut memory = Memory::new(&config, &mut || 0);
    /// let mut accumulator = RecordAccumulator::new(config, "orders", 2);
    /// let record = NewRecord { timestamp: 0, key: None, value: Some(&[0; 100]), headers: &[] };
    /// for partition in [0, 1, 1, 1] {
    ///     let partition = Some(partition);
    ///     accumulator.append(&record, partition, &mut memory, &mut || 0, &mut |_, _| ()).unwrap();
    /// }
    /// accumulator.ready(&mut memory);
    /// let Memory::Sticky(sticky) = &memory else { panic!() };
    /// assert_eq!(sticky.load_table(), Some(&[3, 4][..]));
    /// ```
    pub fn ready(&self, memory: &mut Memory) {
        let Memory::Sticky(sticky) = memory else { return };
        let waiting: Option<Vec<_>> = (0..)
            .zip(&self.queues)
            .map(|(partition, queue)| Some((partition, queue.waiting?)))
            .collect();
        match waiting {
            Some(waiting) if self.config.adaptive_partitioning => {
                sticky.update_load_stats(&waiting, waiting.len());
            }
            _ => sticky.clear_load_stats(),
        }
    }

    #[inline]
    fn place(
        &mut self,
        record: &NewRecord<'_>,
        memory: &mut Memory,
        draw: &mut impl FnMut() -> i32,
        take: &mut impl FnMut(u32, &mut BatchBuilder),
    ) -> Result<Appended> {
        let count = self.order.len() as u32;
        let partition = match (self.config.partitioner.place(record.key, count), memory) {
            (Placement::Fixed(partition), _) => partition,
            (Placement::Sticky { .. }, Memory::Sticky(sticky)) => {
                return self.append_sticky(record, sticky, draw, take);
            }
            (Placement::RoundRobin { .. }, Memory::RoundRobin(turns)) => {
                turns.next(KnownPartitions::all(&self.order))
            }
            _ => to_positive(draw()) as u32 % count.max(1),
        };
        self.append_to(partition, record, take)
    }

    fn append_sticky(
        &mut self,
        record: &NewRecord<'_>,
        sticky: &mut BuiltInPartitioner,
        draw: &mut impl FnMut() -> i32,
        take: &mut impl FnMut(u32, &mut BatchBuilder),
    ) -> Result<Appended> {
        let limit = self.config.batch_limit();
        let mut switched_before = false;
        let partition = loop {
            let known = KnownPartitions::all(&self.order);
            let partition = sticky.peek(known, draw);
            let queue = queue_of(&mut self.queues, partition)?;
            // A stay may end here: its last batch is full, closed, or already sent. Once is
            // enough: with a batch.size of a gibibyte every look would end one.
            if !switched_before && queue.is_full(limit) && sticky.update(0, true, known, draw) {
                switched_before = true;
                continue;
            }
            if queue.open.has_room_for(record, limit) {
                break partition;
            }
            close(partition, queue, &mut self.open_bytes, &mut self.ratio, take);
        };
        let appended = self.append_to(partition, record, take)?;
        let full = queue_of(&mut self.queues, partition)?.is_full(limit);
        let grown = i32::try_from(appended.bytes).unwrap_or(i32::MAX);
        let switched_after = sticky.update(grown, full, KnownPartitions::all(&self.order), draw);
        Ok(Appended { switched_before, switched_after, ..appended })
    }

    #[inline]
    fn append_to(
        &mut self,
        partition: u32,
        record: &NewRecord<'_>,
        take: &mut impl FnMut(u32, &mut BatchBuilder),
    ) -> Result<Appended> {
        let queue = queue_of(&mut self.queues, partition)?;
        if !queue.open.has_room_for(record, self.config.batch_limit()) {
            close(partition, queue, &mut self.open_bytes, &mut self.ratio, take);
        }
        let new_batch = queue.open.is_empty();
        if new_batch {
            queue.open.set_estimated_ratio(self.ratio.0);
        }
        let before = if new_batch { 0 } else { queue.open.estimated_len() };
        queue.open.append(record)?;
        if new_batch {
            queue.waiting = Some(queue.waiting.unwrap_or(0).saturating_add(1));
        }
        let bytes = queue.open.estimated_len().saturating_sub(before);
        self.open_bytes += bytes;
        Ok(Appended { partition, new_batch, bytes, switched_before: false, switched_after: false })
    }
}

#[inline]
fn queue_of(queues: &mut [Queue], partition: u32) -> Result<&mut Queue> {
    let partitions = queues.len();
    queues.get_mut(partition as usize).ok_or_else(|| {
        Error::loglanes(format!("There is no partition {partition} among {partitions}."))
            .with_hint("Partitions are numbered from 0.")
    })
}

fn close(
    partition: u32,
    queue: &mut Queue,
    open_bytes: &mut usize,
    ratio: &mut RatioEstimate,
    take: &mut impl FnMut(u32, &mut BatchBuilder),
) {
    if queue.open.is_empty() {
        return;
    }
    *open_bytes = open_bytes.saturating_sub(queue.open.estimated_len());
    take(partition, &mut queue.open);
    if let Some(observed) = queue.open.packed_ratio() {
        ratio.update(observed);
    }
    queue.open.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(bytes: &[u8]) -> NewRecord<'_> {
        NewRecord { timestamp: 0, key: None, value: Some(bytes), headers: &[] }
    }

    fn producer(config: ProducerConfig, partitions: u32) -> (RecordAccumulator, Memory) {
        let memory = Memory::new(&config, &mut || 0);
        (RecordAccumulator::new(config, "orders", partitions), memory)
    }

    #[test]
    fn one_record_a_batch_stays_as_long_as_its_bytes_last() {
        // With a flush after each record: 97 records of 100 bytes, 16 of 1,000, 241 of none.
        for (bytes, records) in [(100, 97), (1_000, 16), (0, 241)] {
            let (mut accumulator, mut memory) = producer(ProducerConfig::default(), 2);
            let mut draws = [0, 1].into_iter();
            let value_bytes = vec![7; bytes];
            let mut stay = 0;
            loop {
                let mut draw = || draws.next().unwrap();
                let record = value(&value_bytes);
                let appended = accumulator
                    .append(&record, None, &mut memory, &mut draw, &mut |_, _| ())
                    .unwrap();
                if appended.partition != 0 {
                    break;
                }
                accumulator.flush(&mut |_, _| ());
                stay += 1;
            }
            assert_eq!(stay, records, "values of {bytes} bytes");
        }
    }

    #[test]
    fn a_gibibyte_of_batch_size_does_not_hang() {
        let config = ProducerConfig {
            batch_size: 1 << 30,
            buffer_memory: 1 << 31,
            ..ProducerConfig::default()
        };
        let (mut accumulator, mut memory) = producer(config, 2);
        let appended =
            accumulator.append(&value(b"v"), None, &mut memory, &mut || 1, &mut |_, _| ()).unwrap();
        assert!(appended.switched_before && appended.switched_after);
    }

    #[test]
    fn a_full_buffer_is_sent() {
        let config =
            ProducerConfig { batch_size: 1_000, buffer_memory: 1_000, ..ProducerConfig::default() };
        let (mut accumulator, mut memory) = producer(config, 2);
        let mut taken = Vec::new();
        for partition in [0, 1] {
            let mut take = |partition, batch: &mut BatchBuilder| {
                taken.push((partition, batch.len()));
            };
            let record = value(&[7; 500]);
            accumulator
                .append(&record, Some(partition), &mut memory, &mut || 0, &mut take)
                .unwrap();
        }
        assert_eq!(taken, [(0, 570), (1, 570)]);
    }

    #[test]
    fn a_partition_that_is_not_there_is_refused() {
        let (mut accumulator, mut memory) = producer(ProducerConfig::default(), 2);
        let mut append = |partition| {
            accumulator.append(&value(b"v"), partition, &mut memory, &mut || 0, &mut |_, _| ())
        };
        assert!(append(Some(2)).is_err());
        assert!(append(Some(1)).is_ok());
        let (mut accumulator, mut memory) = producer(ProducerConfig::default(), 0);
        assert!(
            accumulator.append(&value(b"v"), None, &mut memory, &mut || 0, &mut |_, _| ()).is_err()
        );
    }
}
