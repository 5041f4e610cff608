//! A run of batches, back to back: the bytes of a `.log` file, with its indexes.
//!
//! Source: `org.apache.kafka.storage.internals.log.LogSegment`.

use std::sync::Arc;

use super::batch::{BatchHeader, BatchView, Batches};
use super::config::LogConfig;
use super::index::{OffsetIndex, TimeIndex, relative};
use super::record::{NO_TIMESTAMP, RecordView};
use super::shared_bytes::SharedBytes;
use super::transactions::AbortedTransaction;

/// A segment of a partition's log. Read through it; only its
/// [`PartitionLog`](super::PartitionLog) changes it.
///
/// ```
/// use loglanes::log::{BatchBuilder, LogConfig, NewRecord, PartitionLog};
/// # fn main() -> loglanes::Result {
/// let mut log = PartitionLog::new(LogConfig::default(), 0);
/// let mut batch = BatchBuilder::new();
/// batch.append(&NewRecord { timestamp: 5, key: None, value: Some(b"v"), headers: &[] })?;
/// log.append_batch(&mut batch, 0)?;
/// let segment = &log.segments()[0];
/// assert_eq!(segment.file_name(), "00000000000000000000.log");
/// assert_eq!(segment.bytes().len(), batch.len());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    base_offset: i64,
    next_offset: i64,
    bytes: SharedBytes,
    offset_index: OffsetIndex,
    time_index: TimeIndex,
    bytes_since_index_entry: usize,
    largest_timestamp: i64,
    offset_of_largest: i64,
    first_batch_max_timestamp: Option<i64>,
    created_ms: i64,
    last_modified_ms: i64,
    generation: u32,
    /// The records of compressed batches, by where their batch begins. They are kept because a
    /// record that is read borrows its bytes from the log.
    unpacked: Vec<(u32, Arc<[u8]>)>,
    /// How many bytes they have together: it is asked for with every act that brings some.
    unpacked_bytes: u64,
    aborted: Vec<AbortedTransaction>,
    producer_snapshot: Option<Vec<u8>>,
    /// `index.interval.bytes` when it was begun: a later value holds from the next segment on.
    index_interval_bytes: i32,
}

impl Segment {
    pub(crate) fn new(base_offset: i64, config: &LogConfig, now_ms: i64) -> Self {
        Self {
            base_offset,
            next_offset: base_offset,
            bytes: SharedBytes::default(),
            offset_index: OffsetIndex::new(base_offset, config.segment_index_bytes),
            time_index: TimeIndex::new(base_offset, config.segment_index_bytes),
            bytes_since_index_entry: 0,
            largest_timestamp: NO_TIMESTAMP,
            offset_of_largest: base_offset,
            first_batch_max_timestamp: None,
            created_ms: now_ms,
            last_modified_ms: now_ms,
            generation: 0,
            unpacked: Vec::new(),
            unpacked_bytes: 0,
            aborted: Vec::new(),
            producer_snapshot: None,
            index_interval_bytes: config.index_interval_bytes,
        }
    }

    /// How many bytes the records of its compressed batches take beside the batches.
    #[must_use]
    pub fn unpacked_bytes(&self) -> u64 {
        self.unpacked_bytes
    }

    /// Takes the unpacked records of the batch at `position`, which is the last so far.
    pub(crate) fn keep_unpacked(&mut self, position: usize, records: Arc<[u8]>) {
        self.unpacked_bytes += records.len() as u64;
        self.unpacked.push((position as u32, records));
    }

    /// The empty segment that the cleaner writes in the place of this one and of those after it.
    pub(crate) fn rewritten(&self, config: &LogConfig) -> Self {
        let generation = self.generation.saturating_add(1);
        let producer_snapshot = self.producer_snapshot.clone();
        let new = Self::new(self.base_offset, config, self.created_ms);
        Self { generation, producer_snapshot, ..new }
    }

    /// How often it was written anew. Bytes of one generation only grow at their end.
    #[must_use]
    pub fn generation(&self) -> u32 {
        self.generation
    }

    pub(crate) fn set_generation(&mut self, generation: u32) {
        self.generation = generation;
    }

    /// The aborted transactions whose marker lies in it: the `.txnindex` file, entry by entry.
    #[must_use]
    pub fn aborted(&self) -> &[AbortedTransaction] {
        &self.aborted
    }

    pub(crate) fn add_aborted(&mut self, aborted: AbortedTransaction) {
        self.aborted.push(aborted);
    }

    /// The `.snapshot` file of the same name: what was known of the producers when it was begun.
    /// None where a broker writes none, for the first segment of a log.
    #[must_use]
    pub fn producer_snapshot(&self) -> Option<&[u8]> {
        self.producer_snapshot.as_deref()
    }

    pub(crate) fn into_producer_snapshot(self) -> Option<Vec<u8>> {
        self.producer_snapshot
    }

    pub(crate) fn set_producer_snapshot(&mut self, snapshot: Option<Vec<u8>>) {
        self.producer_snapshot = snapshot;
    }

    pub(crate) fn set_aborted(&mut self, aborted: Vec<AbortedTransaction>) {
        self.aborted = aborted;
    }

    /// Sets when it was last written, in milliseconds.
    pub(crate) fn touch(&mut self, last_modified_ms: i64) {
        self.last_modified_ms = last_modified_ms;
    }

    /// Gives the segment its bytes, whose batches were each indexed before.
    pub(crate) fn set_bytes(&mut self, bytes: Vec<u8>, created_ms: i64, last_modified_ms: i64) {
        self.bytes = bytes.into();
        self.created_ms = created_ms;
        self.last_modified_ms = last_modified_ms;
    }

    /// Its bytes, to be held by another state of the same log.
    pub(crate) fn shared(&self) -> &SharedBytes {
        &self.bytes
    }

    /// To give it bytes again, or to take all but their length away.
    pub(crate) fn shared_mut(&mut self) -> &mut SharedBytes {
        &mut self.bytes
    }

    /// The offset that the file is named after; no record in it is below.
    #[must_use]
    pub fn base_offset(&self) -> i64 {
        self.base_offset
    }

    /// The offset after its last batch; the base offset while it is empty.
    #[must_use]
    pub fn next_offset(&self) -> i64 {
        self.next_offset
    }

    /// Its batches, byte for byte the `.log` file.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.bytes.as_slice()
    }

    /// The size of the `.log` file, in bytes.
    #[must_use]
    pub fn size_in_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The memory held for the batches, spare room included, in bytes.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    /// Whether nothing was appended yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The name of its file: the base offset in 20 digits.
    #[must_use]
    pub fn file_name(&self) -> String {
        format!("{:020}.log", self.base_offset)
    }

    /// The greatest timestamp in it, in milliseconds, if any record has one.
    #[must_use]
    pub fn largest_timestamp(&self) -> Option<i64> {
        Some(self.largest_timestamp).filter(|&timestamp| timestamp >= 0)
    }

    /// What retention by time goes by: the greatest timestamp, or without any the last time the
    /// file was written. Source: `LogSegment.largestTimestamp`.
    #[must_use]
    pub fn retention_timestamp(&self) -> i64 {
        self.largest_timestamp().unwrap_or(self.last_modified_ms)
    }

    /// The greatest timestamp of the first batch, what rolling by time counts from.
    #[must_use]
    pub fn first_batch_max_timestamp(&self) -> Option<i64> {
        self.first_batch_max_timestamp
    }

    /// When it was begun, in milliseconds.
    #[must_use]
    pub fn created_ms(&self) -> i64 {
        self.created_ms
    }

    /// When it was last written, in milliseconds.
    #[must_use]
    pub fn last_modified_ms(&self) -> i64 {
        self.last_modified_ms
    }

    /// The index from offsets to positions.
    #[must_use]
    pub fn offset_index(&self) -> &OffsetIndex {
        &self.offset_index
    }

    /// The index from timestamps to offsets.
    #[must_use]
    pub fn time_index(&self) -> &TimeIndex {
        &self.time_index
    }

    /// The `.timeindex` file as a broker leaves it when it closes the segment: with its last
    /// entry, which is only made then.
    #[must_use]
    pub fn closed_time_index(&self) -> TimeIndex {
        let mut index = self.time_index.clone();
        index.append(self.largest_timestamp, self.offset_of_largest);
        index
    }

    /// Its batches from the one that holds `offset` on; where `offset` lies in a gap, from the
    /// next.
    #[must_use]
    pub fn batches_from(&self, offset: i64) -> SegmentBatches<'_> {
        let mut batches = self.batches_at(self.offset_index.lookup(offset));
        loop {
            let here = batches.clone();
            match batches.next() {
                Some(batch) if batch.header().last_offset() < offset => {}
                _ => return here,
            }
        }
    }

    /// Where the batch begins that [`Segment::batches_from`] would give first, in bytes.
    #[must_use]
    pub fn position_of(&self, offset: i64) -> Option<usize> {
        let batches = self.batches_from(offset);
        let position = batches.position();
        batches.clone().next().map(|_| position)
    }

    /// All its batches.
    #[must_use]
    pub fn batches(&self) -> SegmentBatches<'_> {
        self.batches_at(0)
    }

    fn batches_at(&self, position: u32) -> SegmentBatches<'_> {
        let start = position as usize;
        let rest = self.bytes().get(start..).unwrap_or_default();
        SegmentBatches { batches: Batches::new(rest), start, unpacked: &self.unpacked }
    }

    /// Whether a batch must go to a new segment. Source: `LogSegment.shouldRoll`.
    pub(crate) fn should_roll(
        &self,
        config: &LogConfig,
        size: usize,
        max_timestamp: i64,
        last_offset: i64,
        now_ms: i64,
    ) -> bool {
        // By the records' own clock from the first batch on, or ours where that has no time.
        let waited = match self.first_batch_max_timestamp {
            Some(first) if first >= 0 => max_timestamp.wrapping_sub(first),
            _ => now_ms.wrapping_sub(self.created_ms),
        };
        (self.bytes.len() + size) as i64 > i64::from(config.segment_bytes)
            || (!self.bytes.is_empty() && waited > config.max_segment_ms())
            || self.offset_index.is_full()
            || self.time_index.is_full()
            || relative(last_offset, self.base_offset).is_none()
    }

    /// Appends a batch whose offsets are assigned. Returns its position.
    pub(crate) fn append(&mut self, header: &BatchHeader, batch: &[u8], now_ms: i64) -> usize {
        let position = self.bytes.len();
        self.bytes.append(batch);
        self.last_modified_ms = now_ms;
        self.index_batch(header, position);
        position
    }

    /// Takes note of a batch at `position`. The check for an index entry comes before its bytes
    /// are counted, so the first batch of a segment never has one.
    pub(crate) fn index_batch(&mut self, header: &BatchHeader, position: usize) {
        let last_offset = header.last_offset();
        if position == 0 {
            self.first_batch_max_timestamp = Some(header.max_timestamp);
        }
        if header.max_timestamp > self.largest_timestamp {
            self.largest_timestamp = header.max_timestamp;
            self.offset_of_largest = last_offset;
        }
        if self.bytes_since_index_entry as i64 > i64::from(self.index_interval_bytes) {
            self.offset_index.append(last_offset, position as u32);
            self.time_index.append(self.largest_timestamp, self.offset_of_largest);
            self.bytes_since_index_entry = 0;
        }
        self.bytes_since_index_entry += header.size_in_bytes();
        self.next_offset = header.next_offset();
    }

    /// What happens to a segment when the next one begins: the last time entry, and no spare
    /// room any more.
    pub(crate) fn close(&mut self) {
        self.time_index.append(self.largest_timestamp, self.offset_of_largest);
        self.bytes.shrink_to_fit();
    }

    /// What happens to the active segment as its broker stops in good order and starts again.
    /// Source: `LogSegment.close`, `LogLoader`.
    pub(crate) fn reopen(&mut self, config: &LogConfig, now_ms: i64) {
        self.time_index.append(self.largest_timestamp, self.offset_of_largest);
        self.bytes_since_index_entry = 0;
        self.offset_index.resize(config.segment_index_bytes);
        self.time_index.resize(config.segment_index_bytes);
        self.index_interval_bytes = config.index_interval_bytes;
        self.created_ms = now_ms;
    }

    /// Makes room for `additional` bytes in one step, if there is memory for it.
    pub(crate) fn reserve(&mut self, additional: usize) {
        self.bytes.reserve(additional);
    }

    /// The record that `ListOffsets` gives for a timestamp: the first at or above `timestamp`
    /// whose offset is at or above `from`. Source: `LogSegment.findOffsetByTimestamp`.
    pub(crate) fn find_timestamp(&self, timestamp: i64, from: i64) -> Option<RecordView<'_>> {
        let start = self.time_index.lookup(timestamp).max(from);
        self.batches_at(self.offset_index.lookup(start))
            .filter(|batch| batch.header().max_timestamp >= timestamp)
            .flat_map(|batch| batch.records())
            .flatten()
            .find(|record| record.timestamp >= timestamp && record.offset >= from)
    }

    /// The first record with the greatest timestamp. Source: `UnifiedLog.fetchOffsetByTimestamp`.
    pub(crate) fn find_largest_timestamp(&self) -> Option<RecordView<'_>> {
        // Without any timestamp, the greatest is that of records that have none.
        let (largest, offset) = match self.largest_timestamp() {
            Some(largest) => (largest, self.offset_of_largest),
            None => (NO_TIMESTAMP, self.base_offset),
        };
        self.batches_from(offset)
            .find(|batch| batch.header().max_timestamp == largest)?
            .records()
            .flatten()
            .find(|record| record.timestamp == largest)
    }
}

/// The batches of a segment, see [`Segment::batches_from`].
///
/// They were checked when they came in, so unlike [`Batches`] this has no errors to give.
#[derive(Debug, Clone)]
pub struct SegmentBatches<'a> {
    batches: Batches<'a>,
    start: usize,
    unpacked: &'a [(u32, Arc<[u8]>)],
}

impl SegmentBatches<'_> {
    /// Where the next batch begins in the segment, in bytes.
    #[must_use]
    pub fn position(&self) -> usize {
        self.start + self.batches.position()
    }
}

impl<'a> Iterator for SegmentBatches<'a> {
    type Item = BatchView<'a>;

    #[inline]
    fn next(&mut self) -> Option<BatchView<'a>> {
        let position = self.start + self.batches.position();
        let batch = self.batches.next_batch()?.ok()?;
        if self.unpacked.is_empty() || !batch.is_compressed() {
            return Some(batch);
        }
        let at = self.unpacked.binary_search_by_key(&position, |(at, _)| *at as usize).ok();
        let records = at.and_then(|at| self.unpacked.get(at));
        Some(batch.with_unpacked(records.map(|(_, records)| records)))
    }
}
