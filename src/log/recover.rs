//! A log from files that nobody vouches for: what a broker makes of them after an unclean stop.
//!
//! A broker reads every segment batch by batch, and keeps what comes before the first batch whose
//! frame or CRC is wrong. From there on all is gone, later segments too. It does not look
//! at records. Loglanes then does, as for any stored log: what a broker would keep and nobody
//! could read is refused. Source: `LogLoader.recoverLog`, `LogSegment.recover`.

use super::batch::BatchView;
use super::config::LogConfig;
use super::partition::PartitionLog;
use super::restore::{SegmentParts, Stop};
use crate::error::Result;

/// What was cut off when a log was recovered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecoveryCut {
    /// The segment's file.
    pub file: String,
    /// The byte of it where the first bad batch begins: so many are left.
    pub position: u32,
    /// How many bytes are gone, those of later segments included.
    pub bytes: u64,
    /// How many later segments are gone.
    pub segments: u32,
    /// What is wrong there; none where only zero bytes follow.
    pub reason: Option<String>,
}

impl PartitionLog {
    /// The log that a broker would have after these files were put into its directory. Its log start
    /// offset is the one that is given, as from the broker's `log-start-offset-checkpoint`, or the first
    /// segment's base offset. Where less is left, an empty log begins there.
    ///
    /// # Errors
    /// As [`PartitionLog::restore`], for what a broker would keep and Loglanes does not: records
    /// that nobody could read, offsets that do not rise, messages of format v0 and v1.
    ///
    /// ```
    /// use loglanes::log::{BatchBuilder, LogConfig, NewRecord, PartitionLog, SegmentParts};
    /// # fn main() -> loglanes::Result {
    /// let mut batch = BatchBuilder::new();
    /// batch.append(&NewRecord { timestamp: 5, key: None, value: Some(b"v"), headers: &[] })?;
    /// let mut bytes = batch.finish(40, 0).to_vec();
    /// bytes.extend_from_slice(b"what a crash has left of a batch");
    /// let parts = SegmentParts { base_offset: 40, created_ms: 0, last_modified_ms: 0, bytes };
    /// let (log, cut) = PartitionLog::recover(LogConfig::default(), None, vec![parts])?;
    /// assert_eq!((log.log_start_offset(), log.log_end_offset()), (40, 41));
    /// assert_eq!(cut.unwrap().position, 69);
    /// # Ok(())
    /// # }
    /// ```
    pub fn recover(
        config: LogConfig,
        log_start_offset: Option<i64>,
        mut segments: Vec<SegmentParts>,
    ) -> Result<(Self, Option<RecoveryCut>)> {
        segments.sort_by_key(|segment| segment.base_offset);
        let cut = cut_at_damage(&mut segments);
        let first = segments.first().map_or(0, |segment| segment.base_offset);
        let start = log_start_offset.unwrap_or(first).max(first);
        let stop = match &cut {
            Some(cut) if cut.segments > 0 => Stop::UncleanAndCut,
            _ => Stop::Unclean,
        };
        Ok((Self::restore_after(stop, config, start, segments, None)?.0, cut))
    }
}

/// Takes away what comes at and after the first bad batch; says what that was.
fn cut_at_damage(segments: &mut Vec<SegmentParts>) -> Option<RecoveryCut> {
    let mut cut = None;
    for (at, segment) in segments.iter().enumerate() {
        let (good, reason) = good_part(&segment.bytes);
        if good < segment.bytes.len() {
            let later = segments.get(at + 1..).unwrap_or_default();
            let gone = later.iter().map(|segment| segment.bytes.len() as u64).sum::<u64>();
            cut = Some((
                at,
                good,
                RecoveryCut {
                    file: format!("{:020}.log", segment.base_offset),
                    position: u32::try_from(good).unwrap_or(u32::MAX),
                    bytes: (segment.bytes.len() - good) as u64 + gone,
                    segments: u32::try_from(later.len()).unwrap_or(u32::MAX),
                    reason,
                },
            ));
            break;
        }
    }
    cut.map(|(at, good, cut)| {
        segments.truncate(at + 1);
        if let Some(last) = segments.last_mut() {
            last.bytes.truncate(good);
        }
        cut
    })
}

/// How many bytes of a segment a broker keeps, and what is wrong behind them. An offset that is too
/// far from the segment's is not: with it the broker goes on, or does not start. Source:
/// `LogSegment.recover`, `FileLogInputStream.nextBatch`.
fn good_part(bytes: &[u8]) -> (usize, Option<String>) {
    let mut at = 0;
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        if rest.iter().all(|&byte| byte == 0) {
            return (at, None);
        }
        // A broker does not look at a magic above 2 here. Its consumers do, and so does restoring.
        let patched = newer_magic(rest);
        let batch = match BatchView::parse(patched.as_deref().unwrap_or(rest)) {
            Ok(batch) => batch,
            Err(error) => return (at, Some(error.message().to_owned())),
        };
        if let Err(error) = batch.verify_crc() {
            return (at, Some(error.message().to_owned()));
        }
        at += batch.bytes().len();
    }
}

/// The batch as format v2, if it says that it is of a later one.
fn newer_magic(rest: &[u8]) -> Option<Vec<u8>> {
    let length = i32::from_be_bytes(*rest.get(8..12)?.first_chunk::<4>()?);
    let size = usize::try_from(length).ok()?.checked_add(12)?;
    if rest.get(16)?.cast_signed() <= 2 {
        return None;
    }
    let mut bytes = rest.get(..size)?.to_vec();
    *bytes.get_mut(16)? = 2;
    Some(bytes)
}
