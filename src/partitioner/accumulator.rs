//! How long a sticky stay lasts: a producer's batches, by size alone.
//!
//! A stay ends when a batch ends, so the partitioner can only be right together with the
//! producer's queues of batches. [`Accumulator`] keeps their sizes and nothing else: no bytes, no
//! clock. What the sender thread does comes in from outside, as [`Accumulator::ready`] and
//! [`Accumulator::drain`].
//!
//! Source: `org.apache.kafka.clients.producer.internals.RecordAccumulator` (`append`,
//! `partitionReady`), `MemoryRecordsBuilder` (`hasRoomFor`, `isFull`), `DefaultRecord` (sizes), of
//! Kafka 4.4.0, without compression.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::{BuiltInPartitioner, KnownPartitions};

/// The header of a record batch, in bytes.
const BATCH_OVERHEAD: i64 = 61;
/// The most that a record takes without key, value and headers, in bytes.
const MAX_RECORD_OVERHEAD: i64 = 21;

/// The sizes of a record, as far as a batch depends on them.
///
/// ```
/// use loglanes::partitioner::RecordShape;
///
/// let record = RecordShape { value: Some(100), ..RecordShape::default() };
/// assert_eq!(record.size_in_batch(0, 0), 109);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RecordShape {
    /// Bytes of the key; none for no key.
    pub key: Option<u32>,
    /// Bytes of the value; none for no value.
    pub value: Option<u32>,
    /// Bytes of the headers as written: their lengths, names and values, without their count.
    pub headers: u32,
    /// How many headers there are.
    pub header_count: u32,
    /// Milliseconds since 1970.
    pub timestamp: i64,
}

impl RecordShape {
    /// The bytes it takes in a batch of format v2, as the record number `offset_delta`, with
    /// `timestamp_delta` milliseconds since the first.
    ///
    /// Source: `DefaultRecord.sizeInBytes`.
    #[must_use]
    pub fn size_in_batch(&self, offset_delta: u32, timestamp_delta: i64) -> i64 {
        // The attributes take one byte.
        let body = 1 + varint(timestamp_delta) + varint(offset_delta.into()) + self.content();
        body + varint(body)
    }

    /// Kafka's upper estimate for a batch of this record alone.
    ///
    /// Source: `AbstractRecords.estimateSizeInBytesUpperBound`.
    ///
    /// ```
    /// use loglanes::partitioner::RecordShape;
    ///
    /// let largest = RecordShape { value: Some(1_048_489), ..RecordShape::default() };
    /// assert_eq!(largest.upper_bound_alone(), 1_048_576);
    /// ```
    #[must_use]
    pub fn upper_bound_alone(&self) -> i64 {
        BATCH_OVERHEAD + MAX_RECORD_OVERHEAD + self.content()
    }

    fn content(&self) -> i64 {
        let field = |length: Option<u32>| match length {
            None => varint(-1),
            Some(length) => varint(length.into()) + i64::from(length),
        };
        let headers = varint(self.header_count.into()) + i64::from(self.headers);
        field(self.key) + field(self.value) + headers
    }
}

/// Bytes of a number in Kafka's zigzag encoding of variable length.
fn varint(number: i64) -> i64 {
    let zigzag = (number << 1) ^ (number >> 63);
    let bits = 64 - (zigzag | 1).leading_zeros();
    i64::from(bits.div_ceil(7))
}

/// A batch that waits to be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingBatch {
    /// Its records.
    pub records: u32,
    /// Its bytes, header included.
    pub bytes: i64,
    limit: i64,
    first_timestamp: i64,
    closed: bool,
}

impl WaitingBatch {
    /// A batch of one record, which may be larger than `batch_size`.
    fn of(batch_size: i64, first: &RecordShape) -> Self {
        Self {
            records: 1,
            bytes: BATCH_OVERHEAD + first.size_in_batch(0, 0),
            limit: batch_size.max(first.upper_bound_alone()),
            first_timestamp: first.timestamp,
            closed: false,
        }
    }

    fn is_full(&self) -> bool {
        self.closed || self.limit <= self.bytes
    }

    /// Adds a record if there is room; answers the bytes it took.
    fn try_push(&mut self, record: &RecordShape) -> Option<i64> {
        if self.is_full() {
            return None;
        }
        let delta = record.timestamp.wrapping_sub(self.first_timestamp);
        let bytes = record.size_in_batch(self.records, delta);
        let sum = self.bytes.saturating_add(bytes);
        if sum > self.limit {
            return None;
        }
        self.records = self.records.saturating_add(1);
        self.bytes = sum;
        Some(bytes)
    }
}

/// What became of an appended record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Appended {
    /// The partition it went to.
    pub partition: u32,
    /// Whether a batch was begun for it.
    pub new_batch: bool,
    /// By how many bytes the batch grew; with its header, if it is new.
    pub bytes: i64,
    /// The stay on another partition ended just before; this record is the first of the next.
    pub switched_before: bool,
    /// The stay ended with this record.
    pub switched_after: bool,
}

/// The batches of one topic that wait in a Java producer, and where its records without a
/// partition go.
///
/// ```
/// use loglanes::partitioner::{Accumulator, KnownPartitions, RecordShape};
///
/// let known = KnownPartitions::all(&[0, 1, 2]);
/// let record = RecordShape { value: Some(100), ..RecordShape::default() };
/// let mut accumulator = Accumulator::new(16_384, true);
/// let mut draws = [1, 2].into_iter();
/// let mut random = || draws.next().unwrap();
///
/// // A fast producer stays for two full batches of 148 records.
/// let stay = (0..1_000)
///     .take_while(|_| accumulator.append(None, &record, known, &mut random).partition == 1)
///     .count();
/// assert_eq!(stay, 296);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accumulator {
    batch_size: i32,
    adaptive: bool,
    sticky: BuiltInPartitioner,
    queues: BTreeMap<u32, VecDeque<WaitingBatch>>,
}

impl Accumulator {
    /// An empty one; `batch_size` is the producer's `batch.size` in bytes, where below 1 counts as
    /// 1, and `adaptive` its `partitioner.adaptive.partitioning.enable`.
    #[must_use]
    pub fn new(batch_size: i32, adaptive: bool) -> Self {
        Self {
            batch_size: batch_size.max(1),
            adaptive,
            sticky: BuiltInPartitioner::new(batch_size),
            queues: BTreeMap::new(),
        }
    }

    /// Appends a record: to `partition`, which its key or its sender chose, or where the stay is.
    ///
    /// `random` is asked only when a stay begins: see [`BuiltInPartitioner`].
    pub fn append(
        &mut self,
        partition: Option<u32>,
        record: &RecordShape,
        known: KnownPartitions<'_>,
        random: &mut impl FnMut() -> i32,
    ) -> Appended {
        let sticks = partition.is_none();
        let mut place = partition.unwrap_or_else(|| self.sticky.peek(known, random));
        let mut switched_before = false;
        let (new_batch, bytes, full) = loop {
            let queue = self.queues.entry(place).or_default();
            if let Some(last) = queue.back_mut() {
                if let Some(bytes) = last.try_push(record) {
                    break (false, bytes, last.is_full());
                }
                last.closed = true;
            }
            // No batch here takes this record. A stay whose end had to wait for that ends now.
            if sticks && !switched_before && self.sticky.update(0, true, known, random) {
                switched_before = true;
                place = self.sticky.peek(known, random);
                continue;
            }
            let batch = WaitingBatch::of(self.batch_size.into(), record);
            let (bytes, full) = (batch.bytes, batch.is_full());
            queue.push_back(batch);
            break (true, bytes, full);
        };
        let grown = i32::try_from(bytes).unwrap_or(i32::MAX);
        let switched_after = sticks && self.sticky.update(grown, full, known, random);
        Appended { partition: place, new_batch, bytes, switched_before, switched_after }
    }

    /// The sender looks at the queues: with adaptive partitioning the draws to come are weighed by
    /// how many batches wait, once every partition of the topic has had a queue.
    pub fn ready(&mut self, known: KnownPartitions<'_>) {
        if !self.adaptive || self.queues.len() < known.count as usize {
            self.sticky.clear_load_stats();
            return;
        }
        let size = |queue: &VecDeque<WaitingBatch>| u32::try_from(queue.len()).unwrap_or(u32::MAX);
        let (mut sizes, rest): (Vec<_>, Vec<_>) = self
            .queues
            .iter()
            .map(|(&partition, queue)| (partition, size(queue)))
            .partition(|(partition, _)| known.available.contains(partition));
        let with_leader = sizes.len();
        sizes.extend(rest);
        self.sticky.update_load_stats(&sizes, with_leader);
    }

    /// The sender takes all batches, by partition, the oldest first. The stay goes on; its end is
    /// no longer held up by an open batch.
    ///
    /// ```
    /// use loglanes::partitioner::{Accumulator, KnownPartitions, RecordShape};
    ///
    /// let mut accumulator = Accumulator::new(16_384, true);
    /// let record = RecordShape { value: Some(100), ..RecordShape::default() };
    /// accumulator.append(Some(2), &record, KnownPartitions::all(&[0, 1, 2]), &mut || 0);
    /// let taken = accumulator.drain();
    /// assert_eq!((taken[0].0, taken[0].1.records, taken[0].1.bytes), (2, 1, 170));
    /// ```
    pub fn drain(&mut self) -> Vec<(u32, WaitingBatch)> {
        self.queues
            .iter_mut()
            .flat_map(|(&partition, queue)| queue.drain(..).map(move |batch| (partition, batch)))
            .collect()
    }

    /// The partitioner, to ask for its stay and its weights.
    #[must_use]
    pub const fn sticky(&self) -> &BuiltInPartitioner {
        &self.sticky
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(bytes: u32) -> RecordShape {
        RecordShape { value: Some(bytes), ..RecordShape::default() }
    }

    #[test]
    fn a_number_takes_seven_bits_a_byte_after_zigzag() {
        for (number, bytes) in
            [(0, 1), (-1, 1), (63, 1), (-64, 1), (64, 2), (-65, 2), (8_191, 2), (8_192, 3)]
        {
            assert_eq!(varint(number), bytes, "{number}");
        }
        assert_eq!(varint(i64::MIN), 10);
        assert_eq!(varint(i64::MAX), 10);
    }

    #[test]
    fn one_record_a_batch_stays_as_long_as_its_bytes_last() {
        // With a flush after each record: 97 records of 100 bytes, 16 of 1,000, 241 of none.
        for (bytes, records) in [(100, 97), (1_000, 16), (0, 241)] {
            let known = KnownPartitions::all(&[0, 1]);
            let mut accumulator = Accumulator::new(16_384, true);
            let mut draws = [0, 1].into_iter();
            let mut stay = 0;
            while accumulator
                .append(None, &value(bytes), known, &mut || draws.next().unwrap())
                .partition
                == 0
            {
                accumulator.ready(known);
                accumulator.drain();
                stay += 1;
            }
            assert_eq!(stay, records, "values of {bytes} bytes");
        }
    }

    #[test]
    fn a_gibibyte_of_batch_size_does_not_hang() {
        let known = KnownPartitions::all(&[0, 1]);
        let mut accumulator = Accumulator::new(1 << 30, true);
        assert!(accumulator.append(None, &value(1), known, &mut || 1).switched_after);
    }

    #[test]
    fn a_saved_accumulator_goes_on_where_it_was() {
        let known = KnownPartitions::all(&[0, 1]);
        let mut accumulator = Accumulator::new(500, true);
        for _ in 0..7 {
            accumulator.append(None, &value(90), known, &mut || 1);
        }
        let saved = serde_json::to_string(&accumulator).unwrap();
        assert_eq!(serde_json::from_str::<Accumulator>(&saved).unwrap(), accumulator);
    }
}
