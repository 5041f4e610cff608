//! A partition's log: segments one after the other, and the offsets they give out.
//!
//! Source: `org.apache.kafka.storage.internals.log.UnifiedLog` and `LocalLog`. There is one
//! replica and it is in sync, so the high watermark is the log end offset at all times.

use super::config::LogConfig;
use super::leader_epochs::LeaderEpochs;
use super::producer_state::ProducerStates;
use super::segment::Segment;
use crate::error::{Error, Result};

/// The last offset a record can have: the log end offset, one above, must still be an `i64`.
///
/// A real broker takes a record at `i64::MAX` and can then read the log no more; Loglanes
/// refuses it.
pub const LAST_USABLE_OFFSET: i64 = i64::MAX - 1;

/// The most bytes that the records of all compressed batches of one partition may unpack to: they
/// are held unpacked.
pub const MAX_UNPACKED_LOG_BYTES: u64 = 1 << 30;

/// A partition's log. See the crate's front page for the whole; this is the part that keeps
/// records.
///
/// ```
/// use loglanes::log::{BatchBuilder, LogConfig, NewRecord, PartitionLog};
/// # fn main() -> loglanes::Result {
/// let now_ms = 1_700_000_000_000;
/// let mut log = PartitionLog::new(LogConfig::default(), now_ms);
/// let mut batch = BatchBuilder::new();
/// for value in [b"created".as_slice(), b"paid"] {
///     batch.append(&NewRecord { timestamp: now_ms, key: Some(b"user_42"), value: Some(value), headers: &[] })?;
/// }
/// let appended = log.append_batch(&mut batch, now_ms)?;
/// assert_eq!((appended.base_offset, appended.last_offset), (0, 1));
/// let values: Vec<_> = log.records_from(1).map(|record| record.value).collect();
/// assert_eq!(values, [Some(b"paid".as_slice())]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionLog {
    /// Topic and partition, as in `orders-0`; empty where nobody has said.
    pub(super) name: String,
    pub(super) config: LogConfig,
    /// In the order of their offsets, never none; the last is the active one.
    pub(super) segments: Vec<Segment>,
    pub(super) log_start_offset: i64,
    pub(super) record_count: u64,
    /// The first dirty offset, once the cleaner has been here.
    pub(super) cleaner_checkpoint: Option<i64>,
    pub(super) producers: ProducerStates,
    pub(super) leader_epochs: LeaderEpochs,
}

impl PartitionLog {
    /// An empty log that begins at offset 0.
    #[must_use]
    pub fn new(config: LogConfig, now_ms: i64) -> Self {
        Self::empty(config, 0, now_ms)
    }

    /// An empty log that begins at `base_offset`: what a log looks like when all before was
    /// deleted.
    ///
    /// # Errors
    /// A negative offset.
    pub fn with_base_offset(config: LogConfig, base_offset: i64, now_ms: i64) -> Result<Self> {
        if base_offset < 0 {
            return Err(Error::loglanes(format!("A log cannot begin at offset {base_offset}."))
                .with_hint("Offsets are 0 or more."));
        }
        Ok(Self::empty(config, base_offset, now_ms))
    }

    fn empty(config: LogConfig, base_offset: i64, now_ms: i64) -> Self {
        let segments = vec![Segment::new(base_offset, &config, now_ms)];
        Self {
            name: String::new(),
            config,
            segments,
            log_start_offset: base_offset,
            record_count: 0,
            cleaner_checkpoint: None,
            producers: ProducerStates::default(),
            leader_epochs: LeaderEpochs::beginning_at(base_offset),
        }
    }

    /// The same log, which knows whose it is: some refusals name the partition, `orders-0`.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The settings.
    #[must_use]
    pub fn config(&self) -> &LogConfig {
        &self.config
    }

    /// Changes the settings: they hold from the next append on, and for index sizes from the
    /// next segment on.
    pub fn set_config(&mut self, config: LogConfig) {
        self.config = config;
    }

    /// The first offset that can be read.
    #[must_use]
    pub fn log_start_offset(&self) -> i64 {
        self.log_start_offset
    }

    /// The offset that the next record gets.
    #[must_use]
    pub fn log_end_offset(&self) -> i64 {
        self.segments.last().map_or(self.log_start_offset, Segment::next_offset)
    }

    /// The offset up to which consumers may read: the log end offset, as the one replica is
    /// always in sync.
    #[must_use]
    pub fn high_watermark(&self) -> i64 {
        self.log_end_offset()
    }

    /// The segments, in order; never none. The last is the active one.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    pub(crate) fn segments_mut(&mut self) -> &mut [Segment] {
        &mut self.segments
    }

    /// The size of all segments, in bytes.
    #[must_use]
    pub fn size_in_bytes(&self) -> u64 {
        self.segments.iter().map(|segment| segment.size_in_bytes() as u64).sum()
    }

    /// How many bytes the records of compressed batches take beside them: they are held unpacked.
    #[must_use]
    pub fn unpacked_bytes(&self) -> u64 {
        self.segments.iter().map(Segment::unpacked_bytes).sum()
    }

    /// How many records can be read: those from the log start offset on, control records left
    /// out. Less than the span of offsets where there are gaps.
    #[must_use]
    pub fn record_count(&self) -> u64 {
        self.record_count
    }

    /// Makes room in the active segment for `additional` bytes in one step, if there is memory for
    /// it: for whoever expects that much to come.
    pub fn reserve(&mut self, additional: usize) {
        let room = usize::try_from(self.config.segment_bytes).unwrap_or(0);
        if let Some(active) = self.segments.last_mut() {
            let room = room.saturating_sub(active.size_in_bytes());
            active.reserve(additional.min(room));
        }
    }

    /// Begins a new active segment at the log end offset, whatever the old one's size and age; a
    /// broker does that only when a segment is full, old, or deleted.
    pub fn begin_segment(&mut self, now_ms: i64) {
        self.roll(self.log_end_offset(), now_ms);
    }

    /// Begins a new active segment at `base_offset`. An empty one at the same offset is
    /// replaced, as by a broker.
    pub(super) fn roll(&mut self, base_offset: i64, now_ms: i64) {
        let mut snapshot = self.snapshot_at_end();
        match self.segments.last_mut() {
            Some(active) if active.is_empty() && active.base_offset() == base_offset => {
                snapshot = self.segments.pop().and_then(Segment::into_producer_snapshot);
            }
            Some(active) => active.close(),
            None => {}
        }
        let mut segment = Segment::new(base_offset, &self.config, now_ms);
        segment.set_producer_snapshot(snapshot);
        self.segments.push(segment);
    }

    /// What a broker writes of the producers as it rolls the log or stops: the content of a `.snapshot`
    /// file, named after the log end offset. None where it writes none: nothing was appended since the
    /// log start offset came to the end, and no earlier file is there. Source:
    /// `ProducerStateManager.takeSnapshot`, `onLogStartOffsetIncremented`.
    #[must_use]
    pub fn snapshot_at_end(&self) -> Option<Vec<u8>> {
        let is_new = self.log_start_offset < self.log_end_offset()
            || self.segments.iter().any(|segment| segment.producer_snapshot().is_some());
        is_new.then(|| self.producers.to_snapshot())
    }

    /// The offset and timestamp of the first record at or above `timestamp` (milliseconds), as
    /// `ListOffsets` answers. Only the first segment that reaches so far is searched, as in a
    /// broker; so after records were deleted inside a segment there may be none, though later
    /// segments have some.
    #[must_use]
    pub fn offset_for_timestamp(&self, timestamp: i64) -> Option<(i64, i64)> {
        self.segments
            .iter()
            .find(|segment| segment.retention_timestamp() >= timestamp)?
            .find_timestamp(timestamp, self.log_start_offset)
            .map(|record| (record.offset, record.timestamp))
    }

    /// The offset and timestamp of the first record with the greatest timestamp of the log, as
    /// `ListOffsets` answers for `-3`: the first record at all, with -1, where none has a timestamp;
    /// none where there is no record. The log start offset plays no part, as in a broker.
    #[must_use]
    pub fn max_timestamp_offset(&self) -> Option<(i64, i64)> {
        let mut largest: Option<&Segment> = None;
        for segment in &self.segments {
            if largest.is_none_or(|so_far| segment.largest_timestamp() > so_far.largest_timestamp())
            {
                largest = Some(segment);
            }
        }
        largest?.find_largest_timestamp().map(|record| (record.offset, record.timestamp))
    }

    /// The index of the last segment that begins at or below `offset`, or of the first.
    pub(super) fn segment_at(&self, offset: i64) -> usize {
        let above = self.segments.partition_point(|segment| segment.base_offset() <= offset);
        above.saturating_sub(1)
    }
}
