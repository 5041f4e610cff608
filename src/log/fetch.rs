//! How far one fetch of a partition reaches.
//!
//! Source: `ReplicaManager.readFromLog`, `LocalLog.read` and `LogSegment.read`, Apache Kafka 4.4.0.

use super::partition::PartitionLog;
use super::segment::Segment;

/// The part of a fetch that one partition answers: whole batches of one segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FetchedTo {
    /// The offset after the last whole batch.
    pub next_offset: i64,
    /// The bytes of the answer, with those of a last batch that is cut off.
    pub bytes: usize,
}

impl PartitionLog {
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
        fetch_segment(segment, offset, below, max_bytes, min_one)
    }
}

fn fetch_segment(
    segment: &Segment,
    offset: i64,
    below: i64,
    max_bytes: usize,
    min_one: bool,
) -> Option<FetchedTo> {
    let batches = segment.batches_from(offset);
    let (mut bytes, mut fetched) = (0, None);
    for batch in batches.take_while(|batch| batch.header().base_offset < below) {
        let size = batch.header().size_in_bytes();
        let fits = bytes + size <= max_bytes || (min_one && bytes == 0);
        if !fits {
            // The broker cuts the last batch, and the consumer passes over what is left of it.
            return fetched.map(|to| FetchedTo { bytes: max_bytes.max(bytes), ..to });
        }
        bytes += size;
        fetched = Some(FetchedTo { next_offset: batch.header().next_offset(), bytes });
    }
    fetched
}
