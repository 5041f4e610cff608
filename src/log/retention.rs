//! What becomes of old segments, and of records that are deleted by hand.
//!
//! Source: `UnifiedLog.deleteOldSegments` and `maybeIncrementLogStartOffset`,
//! `Partition.deleteRecordsOnLeader`, Apache Kafka 4.4.0.

use serde::Serialize;

use super::partition::PartitionLog;
use super::segment::Segment;
use crate::error::{Error, ErrorCode, Result};

/// Why a segment was deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum DeletionReason {
    /// It lies wholly below the log start offset.
    LogStartOffset,
    /// The log has `retention.bytes` without it.
    RetentionBytes,
    /// Its greatest timestamp is older than `retention.ms`.
    RetentionMs,
}

/// A segment that was deleted.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeletedSegment {
    /// The offset its file was named after.
    pub base_offset: i64,
    /// The offset after its last record.
    pub next_offset: i64,
    /// Its size in bytes.
    pub bytes: f64,
    /// Why it went.
    pub reason: DeletionReason,
}

impl PartitionLog {
    /// One run of the check for old segments. What `cleanup.policy` allows goes, the oldest
    /// first, up to the first segment that stays; the active one is rolled if it goes, too.
    ///
    /// ```
    /// use loglanes::log::{BatchBuilder, LogConfig, NewRecord, PartitionLog};
    /// # fn main() -> loglanes::Result {
    /// let config = LogConfig { retention_ms: 1_000, ..LogConfig::default() };
    /// let mut log = PartitionLog::new(config, 0);
    /// let mut batch = BatchBuilder::new();
    /// batch.append(&NewRecord { timestamp: 5, key: None, value: Some(b"v"), headers: &[] })?;
    /// log.append_batch(&mut batch, 5)?;
    /// assert!(log.delete_old_segments(1_005).is_empty());
    /// assert_eq!(log.delete_old_segments(1_006).len(), 1);
    /// assert_eq!((log.log_start_offset(), log.log_end_offset()), (1, 1));
    /// # Ok(())
    /// # }
    /// ```
    pub fn delete_old_segments(&mut self, now_ms: i64) -> Vec<DeletedSegment> {
        let mut deleted = self.delete_while(DeletionReason::LogStartOffset, now_ms);
        if self.config.cleanup_policy.delete {
            deleted.extend(self.delete_while(DeletionReason::RetentionBytes, now_ms));
            deleted.extend(self.delete_while(DeletionReason::RetentionMs, now_ms));
        }
        deleted
    }

    fn delete_while(&mut self, reason: DeletionReason, now_ms: i64) -> Vec<DeletedSegment> {
        let mut spare = self.spare_bytes();
        let mut count = 0;
        while let Some(segment) = self.segments.get(count) {
            let next = self.segments.get(count + 1);
            if next.is_none() && segment.is_empty() {
                break;
            }
            let goes = match reason {
                DeletionReason::LogStartOffset => {
                    next.is_some_and(|next| next.base_offset() <= self.log_start_offset)
                }
                DeletionReason::RetentionBytes => {
                    spare -= segment.size_in_bytes() as i64;
                    self.config.retention_bytes >= 0 && spare >= 0
                }
                DeletionReason::RetentionMs => {
                    let age = now_ms.wrapping_sub(segment.retention_timestamp());
                    self.config.retention_ms >= 0 && age > self.config.retention_ms
                }
            };
            if !goes {
                break;
            }
            count += 1;
        }
        if count > 0 && count == self.segments.len() {
            self.roll(self.log_end_offset(), now_ms);
        }
        let start = self.segments.get(count).map_or(self.log_start_offset, Segment::base_offset);
        self.forget_records_below(start);
        let gone = self.segments.drain(..count);
        gone.map(|segment| DeletedSegment {
            base_offset: segment.base_offset(),
            next_offset: segment.next_offset(),
            bytes: segment.size_in_bytes() as f64,
            reason,
        })
        .collect()
    }

    /// How far the log is above `retention.bytes`.
    fn spare_bytes(&self) -> i64 {
        let size = i64::try_from(self.size_in_bytes()).unwrap_or(i64::MAX);
        size.saturating_sub(self.config.retention_bytes)
    }

    /// From when on [`PartitionLog::delete_old_segments`] would delete something, in
    /// milliseconds: `i64::MIN` if it would at any time, none if never.
    #[must_use]
    pub fn deletion_due_ms(&self) -> Option<i64> {
        let (first, next) = (self.segments.first()?, self.segments.get(1));
        if next.is_some_and(|next| next.base_offset() <= self.log_start_offset) {
            return Some(i64::MIN);
        }
        if !self.config.cleanup_policy.delete || next.is_none() && first.is_empty() {
            return None;
        }
        if self.config.retention_bytes >= 0 && self.spare_bytes() >= first.size_in_bytes() as i64 {
            return Some(i64::MIN);
        }
        if self.config.retention_ms < 0 {
            return None;
        }
        first.retention_timestamp().checked_add(self.config.retention_ms)?.checked_add(1)
    }

    /// Moves the log start offset up to `before`, or with -1 to the high watermark; below the
    /// log start offset nothing moves. Files stay until the next check for old segments. Returns
    /// the log start offset.
    ///
    /// # Errors
    /// `POLICY_VIOLATION` (44) where the log is only compacted; `OFFSET_OUT_OF_RANGE` (1) above
    /// the high watermark and below -1.
    ///
    /// ```
    /// use loglanes::log::{LogConfig, PartitionLog};
    /// let mut log = PartitionLog::new(LogConfig::default(), 0);
    /// assert_eq!(log.delete_records(-1), Ok(0));
    /// assert_eq!(log.delete_records(1).unwrap_err().code(), Some(1));
    /// ```
    pub fn delete_records(&mut self, before: i64) -> Result<i64> {
        let start = self.low_watermark_after(before)?;
        self.forget_records_below(start);
        Ok(self.log_start_offset)
    }

    /// What [`PartitionLog::delete_records`] would answer, were it done.
    ///
    /// # Errors
    /// The same.
    pub fn low_watermark_after(&self, before: i64) -> Result<i64> {
        let policy = self.config.cleanup_policy;
        if policy.compact && !policy.delete {
            return Err(Error::code_alone(ErrorCode::PolicyViolation)
                .with_hint("Add delete to the topic's cleanup.policy, or send tombstones."));
        }
        let end = self.high_watermark();
        let before = if before == -1 { end } else { before };
        if !(0..=end).contains(&before) {
            return Err(Error::code_alone(ErrorCode::OffsetOutOfRange)
                .with_hint(format!("Give an offset up to {end}, or -1 for all records.")));
        }
        Ok(before.max(self.log_start_offset))
    }

    fn forget_records_below(&mut self, start: i64) {
        if start > self.log_start_offset {
            let gone = self.records_from(self.log_start_offset);
            self.record_count -= gone.take_while(|record| record.offset < start).count() as u64;
            self.log_start_offset = start;
            self.leader_epochs.start_at(start);
        }
    }
}
