//! A log from stored bytes: every batch is looked at, every index built anew.
//!
//! What a broker does after an unclean stop (`LogLoader`, `LogSegment.recover`), but strict: a
//! broker cuts the log at the first bad batch, this refuses and says where it lies.

use super::batch::Batches;
use super::config::LogConfig;
use super::leader_epochs::LeaderEpochs;
use super::partition::PartitionLog;
use super::producer_state::ProducerStates;
use super::segment::Segment;
use super::transactions::AbortedTransaction;
use crate::error::{Error, Result};

/// What must be stored of a segment to have it back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentParts {
    /// The offset its file is named after.
    pub base_offset: i64,
    /// When it was begun, in milliseconds.
    pub created_ms: i64,
    /// When it was last written, in milliseconds.
    pub last_modified_ms: i64,
    /// Its batches: the `.log` file.
    pub bytes: Vec<u8>,
}

/// Where a log ended at an earlier time: in which of its segments, and after how many bytes of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut {
    pub(crate) segment: usize,
    pub(crate) bytes: usize,
}

/// How a broker stopped before it read a log again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// In good order: it has written down what it knows of the producers.
    Clean,
    /// It learns that anew, from the segment on that holds the log start offset. Source:
    /// `LogLoader.recoverSegment`, `ProducerStateManager.truncateAndReload`.
    Unclean,
    /// The same, and later segments were deleted: what it had learned in the last one is deleted with
    /// them, and learned again from the log start on. Source: `LogLoader.recoverLog`.
    UncleanAndCut,
}

impl PartitionLog {
    /// The log whose segments these were. Of each producer its last batch is known, as after any
    /// restart of a broker. The leader that wrote the last batch leads on.
    ///
    /// # Errors
    /// [`Refusal::Corrupt`](crate::Refusal::Corrupt), naming the segment's file and the byte:
    /// no segments, bytes that are no sound batch (the CRC is checked, every record decoded),
    /// offsets that do not rise, a segment over 2 GiB, a log start offset outside the log.
    ///
    /// ```
    /// use loglanes::log::{BatchBuilder, LogConfig, NewRecord, PartitionLog, SegmentParts};
    /// # fn main() -> loglanes::Result {
    /// let mut batch = BatchBuilder::new();
    /// batch.append(&NewRecord { timestamp: 5, key: None, value: Some(b"v"), headers: &[] })?;
    /// let bytes = batch.finish(40, 0).to_vec();
    /// let parts = SegmentParts { base_offset: 40, created_ms: 0, last_modified_ms: 0, bytes };
    /// let log = PartitionLog::restore(LogConfig::default(), 40, vec![parts])?;
    /// assert_eq!((log.log_end_offset(), log.record_count()), (41, 1));
    /// # Ok(())
    /// # }
    /// ```
    pub fn restore(
        config: LogConfig,
        log_start_offset: i64,
        segments: Vec<SegmentParts>,
    ) -> Result<Self> {
        Ok(Self::restore_after(Stop::Clean, config, log_start_offset, segments, None)?.0)
    }

    /// As [`PartitionLog::restore`], and the segments as they were when the log ended at the cut, for
    /// [`PartitionLog::of_segments`]; none where no batch ends there.
    pub(crate) fn restore_with_cut(
        config: LogConfig,
        log_start_offset: i64,
        segments: Vec<SegmentParts>,
        cut: Option<Cut>,
    ) -> Result<(Self, Option<Vec<Segment>>)> {
        Self::restore_after(Stop::Clean, config, log_start_offset, segments, cut)
    }

    pub(super) fn restore_after(
        stop: Stop,
        config: LogConfig,
        log_start_offset: i64,
        segments: Vec<SegmentParts>,
        cut: Option<Cut>,
    ) -> Result<(Self, Option<Vec<Segment>>)> {
        let mut before_cut = None;
        let mut log = Self {
            name: String::new(),
            config,
            segments: Vec::new(),
            log_start_offset,
            record_count: 0,
            cleaner_checkpoint: None,
            producers: ProducerStates::default(),
            leader_epochs: LeaderEpochs::default(),
        };
        let first = segments.first().map(|segment| segment.base_offset);
        let mut end = 0;
        for (number, parts) in segments.into_iter().enumerate() {
            if let Some(before) = log.segments.last_mut() {
                before.close();
            }
            if stop != Stop::Clean && end <= log_start_offset {
                log.producers = ProducerStates::default();
            }
            let cut_at = cut.filter(|cut| cut.segment == number).map(|cut| cut.bytes);
            let (segment, head) = log.restore_segment(end, parts, cut_at)?;
            if let Some(head) = head {
                before_cut = Some(log.segments.iter().cloned().chain([head]).collect());
            }
            end = segment.next_offset();
            log.segments.push(segment);
        }
        if stop != Stop::Clean && log_start_offset > end {
            let created_ms = log.segments.last().map_or(0, Segment::created_ms);
            return Ok((Self::with_base_offset(log.config, log_start_offset, created_ms)?, None));
        }
        if first.is_none_or(|first| log_start_offset < first) || log_start_offset > end {
            return Err(Error::corrupt(format!(
                "The log start offset {log_start_offset} is outside the log, which ends at {end}"
            ))
            .with_hint("A log has at least one segment, and begins inside or right after it."));
        }
        if stop == Stop::UncleanAndCut {
            log.learn_from_start()?;
        }
        log.producers.keep_last_batches();
        log.leader_epochs.begin_at(log_start_offset);
        Ok((log, before_cut))
    }

    fn learn_from_start(&mut self) -> Result {
        let start = self.log_start_offset;
        let Some(last) = self.segments.last().filter(|last| last.base_offset() <= start) else {
            return Ok(());
        };
        let last = last.clone();
        self.producers = ProducerStates::default();
        for batch in last.batches_from(start) {
            if let Some(known) = self.known_from(&batch)? {
                self.learn(batch.header().producer_id, known);
            }
        }
        Ok(())
    }

    /// A log of these segments, whose batches were all looked at.
    pub(crate) fn of_segments(
        config: LogConfig,
        log_start_offset: i64,
        record_count: u64,
        segments: Vec<Segment>,
    ) -> Self {
        Self {
            name: String::new(),
            config,
            segments,
            log_start_offset,
            record_count,
            cleaner_checkpoint: None,
            producers: ProducerStates::default(),
            leader_epochs: LeaderEpochs::beginning_at(log_start_offset),
        }
    }

    /// What a restored log knew beside its bytes: how far the cleaner had come, and how often
    /// each segment was written anew.
    pub(crate) fn resume(&mut self, cleaner_checkpoint: Option<i64>, generations: &[u32]) {
        self.cleaner_checkpoint = cleaner_checkpoint;
        for (segment, &generation) in self.segments.iter_mut().zip(generations) {
            segment.set_generation(generation);
        }
    }

    /// What it knew of producers and transactions, which its bytes alone do not tell: a batch that
    /// the cleaner has taken counts on.
    ///
    /// # Errors
    /// [`Refusal::Corrupt`](crate::Refusal::Corrupt) if it cannot be true of this log.
    pub(crate) fn resume_producers(
        &mut self,
        producers: ProducerStates,
        segments: impl Iterator<Item = (Vec<AbortedTransaction>, Option<Vec<u8>>)>,
    ) -> Result {
        let end = self.log_end_offset();
        let mut fits = producers.fits(end);
        for (segment, (aborted, snapshot)) in self.segments.iter_mut().zip(segments) {
            fits &= aborted.iter().all(|one| {
                (0..=one.last_offset).contains(&one.first_offset)
                    && (segment.base_offset()..end).contains(&one.last_offset)
                    && (0..=end).contains(&one.last_stable_offset)
            });
            segment.set_aborted(aborted);
            segment.set_producer_snapshot(snapshot);
        }
        self.producers = producers;
        if fits {
            return Ok(());
        }
        Err(Error::corrupt(format!(
            "What {} knows of producers does not fit its records, which end at {end}",
            self.name
        ))
        .with_hint("The state was not written by Loglanes: take another copy of it."))
    }

    /// The segment, and itself as it was when it had `cut_at` bytes.
    fn restore_segment(
        &mut self,
        end: i64,
        parts: SegmentParts,
        cut_at: Option<usize>,
    ) -> Result<(Segment, Option<Segment>)> {
        let SegmentParts { base_offset, created_ms, last_modified_ms, bytes } = parts;
        let refuse = |position: usize, error: &Error| {
            Error::corrupt(format!("{base_offset:020}.log, byte {position}: {}", error.message()))
                .with_hint(error.hint().to_owned())
        };
        let same_as_before =
            self.segments.last().is_some_and(|before| before.base_offset() >= base_offset);
        if base_offset < end || same_as_before {
            let error = Error::corrupt(format!("the segment before reaches to offset {end}"))
                .with_hint("Give the segments in the order of their offsets, each once.");
            return Err(refuse(0, &error));
        }
        if i32::try_from(bytes.len()).is_err() {
            let error = Error::corrupt(format!("a segment of {} bytes", bytes.len()))
                .with_hint("A segment has at most 2147483647 bytes.");
            return Err(refuse(0, &error));
        }
        let mut segment = Segment::new(base_offset, &self.config, created_ms);
        if !self.segments.is_empty() {
            segment.set_producer_snapshot(Some(self.producers.to_snapshot()));
        }
        let mut head = None;
        let mut batches = Batches::new(&bytes);
        loop {
            let position = batches.position();
            if cut_at == Some(position) {
                head = Some(segment.clone());
            }
            let Some(batch) = batches.next_batch() else { break };
            let batch = batch.map_err(|fault| refuse(position, &fault.into()))?;
            let (count, unpacked) = self
                .check_stored(&batch, segment.next_offset())
                .map_err(|error| refuse(position, &error))?;
            if super::index::relative(batch.header().last_offset(), base_offset).is_none() {
                let error = Error::corrupt("an offset lies 2^31 or more above the segment's base")
                    .with_hint("Begin a new segment there.");
                return Err(refuse(position, &error));
            }
            self.record_count += count;
            if let Some(known) = self.known_from(&batch)?
                && let Some(aborted) = self.learn(batch.header().producer_id, known)
            {
                segment.add_aborted(aborted);
            }
            let header = batch.header();
            self.leader_epochs.assign(header.partition_leader_epoch, header.base_offset);
            segment.index_batch(header, position);
            if let Some(unpacked) = unpacked {
                segment.keep_unpacked(position, unpacked.into());
            }
        }
        segment.set_bytes(bytes, created_ms, last_modified_ms);
        if let (Some(head), Some(cut_at)) = (&mut head, cut_at) {
            *head.shared_mut() = segment.shared().of(cut_at).unwrap_or_default();
        }
        Ok((segment, head))
    }
}
