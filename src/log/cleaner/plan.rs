//! What the cleaner finds in a log before it does anything.
//!
//! Source: `LogCleanerManager` (`cleanableOffsets`, `calculateCleanableBytes`,
//! `maxCompactionDelay`) and `LogToClean`, Apache Kafka 4.4.0.

use crate::log::partition::PartitionLog;
use crate::log::segment::Segment;

/// How dirty a log is.
///
/// ```
/// use loglanes::log::{LogConfig, PartitionLog};
/// let plan = PartitionLog::new(LogConfig::default(), 0).cleaner_plan(0);
/// assert_eq!((plan.first_dirty_offset, plan.first_uncleanable_offset), (0, 0));
/// assert_eq!(plan.cleanable_ratio(), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CleanerPlan {
    /// The first offset that no pass has looked at.
    pub first_dirty_offset: i64,
    /// Where a pass would end.
    pub first_uncleanable_offset: i64,
    /// The size of the segments below the dirty ones.
    pub clean_bytes: u64,
    /// The size of the segments from the first dirty one to where a pass would end.
    pub cleanable_bytes: u64,
    /// By how long the oldest dirty segment is past `max.compaction.lag.ms`, in milliseconds;
    /// 0 if it is not.
    pub max_compaction_delay_ms: i64,
    /// Whether the checkpoint lies outside the log, and so does not count.
    pub(super) is_checkpoint_invalid: bool,
}

impl CleanerPlan {
    /// Which part of the bytes is dirty; none where there are none at all.
    #[must_use]
    pub fn cleanable_ratio(&self) -> Option<f64> {
        let total = self.clean_bytes + self.cleanable_bytes;
        (total > 0).then(|| self.cleanable_bytes as f64 / total as f64)
    }

    /// Whether the cleaner would begin, at this `min.cleanable.dirty.ratio`.
    #[must_use]
    pub fn is_due(&self, min_ratio: f64) -> bool {
        self.cleanable_ratio().is_some_and(|ratio| {
            ratio > min_ratio || (self.max_compaction_delay_ms > 0 && self.cleanable_bytes > 0)
        })
    }
}

impl PartitionLog {
    /// What the cleaner would find at that time.
    #[must_use]
    pub fn cleaner_plan(&self, now_ms: i64) -> CleanerPlan {
        let (start, end) = (self.log_start_offset(), self.log_end_offset());
        let checkpoint = self.cleaner_checkpoint.unwrap_or(start);
        let is_checkpoint_invalid = checkpoint < start || checkpoint > end;
        let dirty = if is_checkpoint_invalid { start } else { checkpoint };
        let until = self.uncleanable_from(dirty, now_ms).max(dirty);

        // Whole segments count, from here on.
        let active = self.segments().len().saturating_sub(1);
        let first = self.floor(until).min(active);
        let segment = self.segments().get(first).map_or(end, Segment::base_offset);
        let from = dirty.min(segment);
        let cleanable = if from < segment { self.floor(from)..first } else { first..first };
        let bytes = |segments: std::ops::Range<usize>| {
            let segments = self.segments().get(segments).unwrap_or_default();
            segments.iter().map(|segment| segment.size_in_bytes() as u64).sum::<u64>()
        };
        let below = self.segments().partition_point(|segment| segment.base_offset() < dirty);
        CleanerPlan {
            first_dirty_offset: dirty,
            first_uncleanable_offset: segment,
            clean_bytes: bytes(0..below),
            cleanable_bytes: bytes(cleanable),
            max_compaction_delay_ms: self.max_compaction_delay(dirty, now_ms),
            is_checkpoint_invalid,
        }
    }

    /// From when on the cleaner would begin a pass, if nothing changes: `from_ms` if it would
    /// then, none if never.
    #[must_use]
    pub fn cleaning_due_ms(&self, from_ms: i64) -> Option<i64> {
        let min_ratio = self.config().min_cleanable_dirty_ratio.get();
        let is_due = |at_ms| self.cleaner_plan(at_ms).is_due(min_ratio);
        if is_due(from_ms) {
            return Some(from_ms);
        }
        let (least, most) =
            (self.config().min_compaction_lag_ms, self.config().max_compaction_lag_ms);
        let mut times: Vec<i64> = Vec::new();
        for segment in self.dirty_segments(self.cleaner_plan(from_ms).first_dirty_offset) {
            if least > 0 {
                times.extend(segment.retention_timestamp().checked_add(least));
            }
            let first = segment.first_batch_max_timestamp().filter(|&first| first > 0);
            times.extend(first.and_then(|first| first.checked_add(most)?.checked_add(1)));
        }
        times.retain(|&at_ms| at_ms > from_ms);
        times.sort_unstable();
        // A log only gets more due as time goes by.
        let first = times.partition_point(|&at_ms| !is_due(at_ms));
        times.get(first).copied()
    }

    /// Neither the active segment is cleaned, nor one that is younger than
    /// `min.compaction.lag.ms`, nor any after it; nothing from the last stable offset on.
    fn uncleanable_from(&self, dirty: i64, now_ms: i64) -> i64 {
        let active = self.segments().last().map_or(0, Segment::base_offset);
        let lag = self.config().min_compaction_lag_ms;
        let too_young = self
            .dirty_segments(dirty)
            .iter()
            .filter(|_| lag > 0)
            .find(|segment| segment.retention_timestamp() > now_ms.wrapping_sub(lag));
        let until = too_young.map_or(active, |segment| segment.base_offset().min(active));
        until.min(self.last_stable_offset())
    }

    fn max_compaction_delay(&self, dirty: i64, now_ms: i64) -> i64 {
        let firsts = self.dirty_segments(dirty).iter().filter_map(|segment| {
            segment.first_batch_max_timestamp().filter(|&timestamp| timestamp > 0)
        });
        let until = now_ms.wrapping_sub(self.config().max_compaction_lag_ms.max(0));
        firsts.min().filter(|&first| first < until).map_or(0, |first| until.wrapping_sub(first))
    }

    /// All but the active one, from the one that holds `dirty` on.
    fn dirty_segments(&self, dirty: i64) -> &[Segment] {
        let active = self.segments().len().saturating_sub(1);
        self.segments().get(self.floor(dirty)..active).unwrap_or_default()
    }

    /// The last segment that begins at or below an offset, or the first.
    pub(super) fn floor(&self, offset: i64) -> usize {
        let above = self.segments().partition_point(|segment| segment.base_offset() <= offset);
        above.saturating_sub(1)
    }
}
