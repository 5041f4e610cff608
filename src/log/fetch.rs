//! How far one fetch of a partition reaches.
//!
//! Source: `ReplicaManager.readFromLog`, `LocalLog.read` and `LogSegment.read`, Apache Kafka 4.4.0.

use super::batch::Batches;
use super::partition::PartitionLog;
use super::segment::Segment;
use crate::error::{Error, ErrorCode, Result};

/// The answer to a fetch: whole batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fetch<'a> {
    /// Whole batches back to back; the first may hold records below the offset asked for,
    /// which a consumer drops. Empty at the end of the log.
    pub bytes: &'a [u8],
    /// The offset up to which a consumer may read.
    pub high_watermark: i64,
    /// The offset up to which a consumer with `read_committed` may read.
    pub last_stable_offset: i64,
    /// The first offset that can be read.
    pub log_start_offset: i64,
}

impl<'a> Fetch<'a> {
    /// The batches.
    #[must_use]
    pub fn batches(&self) -> Batches<'a> {
        Batches::new(self.bytes)
    }
}

/// The part of a fetch that one partition answers: whole batches of one segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FetchedTo {
    /// The offset after the last whole batch.
    pub next_offset: i64,
    /// The bytes of the answer, with those of a last batch that is cut off.
    pub bytes: usize,
}

impl PartitionLog {
    /// Whole batches from the one that holds `offset` on, or where it lies in a gap from the
    /// next: as many as fit `max_bytes`, at least one, none from a second segment. Nothing at
    /// the log end offset.
    ///
    /// # Errors
    /// `OFFSET_OUT_OF_RANGE` (1) below the log start offset and above the log end offset.
    ///
    /// ```
    /// use loglanes::log::{LogConfig, PartitionLog};
    /// let log = PartitionLog::new(LogConfig::default(), 0);
    /// assert!(log.read(0, 1_048_576).unwrap().bytes.is_empty());
    /// assert_eq!(log.read(1, 1_048_576).unwrap_err().code(), Some(1));
    /// ```
    pub fn read(&self, offset: i64, max_bytes: usize) -> Result<Fetch<'_>> {
        let (start, end) = (self.log_start_offset, self.log_end_offset());
        if !(start..=end).contains(&offset) {
            return Err(Error::code_alone(ErrorCode::OffsetOutOfRange)
                .with_hint(format!("This partition has offsets from {start}; its end is {end}.")));
        }
        let bytes = self
            .segments
            .get(self.segment_at(offset)..)
            .unwrap_or_default()
            .iter()
            .find_map(|segment| {
                let whole = whole_batches(segment, offset, i64::MAX, max_bytes, true)?;
                let start = segment.batches_from(offset).position();
                segment.bytes().get(start..start + whole.bytes)
            })
            .unwrap_or_default();
        let last_stable_offset = self.last_stable_offset();
        Ok(Fetch { bytes, high_watermark: end, last_stable_offset, log_start_offset: start })
    }

    /// How far a fetch from `offset` on reaches, of batches that begin below `below`: as many as
    /// fit `max_bytes`, none from a second segment. A first batch that is larger comes whole where
    /// `min_one` says so; else there is no answer, as at the end of the log.
    ///
    /// ```
    /// use loglanes::log::{BatchBuilder, LogConfig, NewRecord, PartitionLog};
    ///
    /// let mut log = PartitionLog::new(LogConfig::default(), 0);
    /// for _ in 0..3 {
    ///     let mut batch = BatchBuilder::new();
    ///     batch.append(&NewRecord { timestamp: 0, key: None, value: Some(b"v"), headers: &[] })?;
    ///     log.append_batch(&mut batch, 0)?;
    /// }
    /// // One batch has 69 bytes.
    /// assert_eq!(log.fetch(0, i64::MAX, 140, true).unwrap().next_offset, 2);
    /// assert_eq!(log.fetch(1, i64::MAX, 1, true).unwrap().next_offset, 2);
    /// assert_eq!(log.fetch(1, i64::MAX, 1, false), None);
    /// assert_eq!(log.fetch(3, i64::MAX, 140, true), None);
    /// # Ok::<(), loglanes::Error>(())
    /// ```
    #[must_use]
    pub fn fetch(
        &self,
        offset: i64,
        below: i64,
        max_bytes: usize,
        min_one: bool,
    ) -> Option<FetchedTo> {
        let segments = self.segments.get(self.segment_at(offset)..).unwrap_or_default();
        let segment = segments.iter().find(|segment| segment.next_offset() > offset)?;
        let whole = whole_batches(segment, offset, below, max_bytes, min_one)?;
        // The broker cuts the last batch, and the consumer passes over what is left of it.
        let bytes = if whole.is_cut { max_bytes.max(whole.bytes) } else { whole.bytes };
        Some(FetchedTo { next_offset: whole.next_offset, bytes })
    }
}

/// The batches of a segment that fit a fetch.
struct Whole {
    bytes: usize,
    next_offset: i64,
    /// Whether there was no room for the next one.
    is_cut: bool,
}

/// Those from `offset` on that begin below `below` and fit `max_bytes`; none if there is none.
fn whole_batches(
    segment: &Segment,
    offset: i64,
    below: i64,
    max_bytes: usize,
    min_one: bool,
) -> Option<Whole> {
    let mut whole: Option<Whole> = None;
    let batches = segment.batches_from(offset);
    for batch in batches.take_while(|batch| batch.header().base_offset < below) {
        let so_far = whole.as_ref().map_or(0, |whole| whole.bytes);
        let bytes = so_far + batch.header().size_in_bytes();
        if bytes > max_bytes && !(min_one && so_far == 0) {
            return whole.map(|whole| Whole { is_cut: true, ..whole });
        }
        whole = Some(Whole { bytes, next_offset: batch.header().next_offset(), is_cut: false });
    }
    whole
}
