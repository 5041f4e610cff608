//! Records over all segments of a partition's log, one after the other.

use super::batch::{BatchHeader, BatchRecords, BatchView};
use super::partition::PartitionLog;
use super::record::RecordView;
use super::segment::{Segment, SegmentBatches};
use super::transactions::{IsolationLevel, TransactionFate};

impl PartitionLog {
    /// What a consumer gets from `offset` on: record by record over all segments, without
    /// those below `offset` or the log start offset, and without control records.
    #[must_use]
    pub fn records_from(&self, offset: i64) -> Records<'_> {
        let offset = offset.max(self.log_start_offset);
        let mut segments = self.segments.get(self.segment_at(offset)..).unwrap_or_default().iter();
        let batches = segments.next().map(|segment| segment.batches_from(offset));
        Records { segments, batches, records: BatchRecords::EMPTY, offset, committed_of: None }
    }

    /// The batches from the one that holds `offset` on, over all segments.
    pub fn batches_from(&self, offset: i64) -> impl Iterator<Item = BatchView<'_>> {
        self.segments
            .get(self.segment_at(offset)..)
            .unwrap_or_default()
            .iter()
            .flat_map(move |segment| segment.batches_from(offset))
    }

    /// The record at exactly `offset`, and its batch; none in a gap, out of range, or where a
    /// control record lies.
    #[must_use]
    pub fn record(&self, offset: i64) -> Option<(BatchView<'_>, RecordView<'_>)> {
        self.stored(offset).filter(|(batch, _)| !batch.header().is_control())
    }

    /// As [`PartitionLog::record`], control records too: what is stored there, whoever may read it.
    #[must_use]
    pub fn stored(&self, offset: i64) -> Option<(BatchView<'_>, RecordView<'_>)> {
        if offset < self.log_start_offset {
            return None;
        }
        let batch = self.segments.get(self.segment_at(offset))?.batches_from(offset).next()?;
        let record = batch.records().flatten().find(|record| record.offset == offset)?;
        Some((batch, record))
    }
}

/// Records over all segments, see [`PartitionLog::records_from`].
#[derive(Debug, Clone)]
pub struct Records<'a> {
    segments: std::slice::Iter<'a, Segment>,
    batches: Option<SegmentBatches<'a>>,
    records: BatchRecords<'a>,
    offset: i64,
    /// Only what is committed is given, by this log.
    pub(super) committed_of: Option<&'a PartitionLog>,
}

impl Records<'_> {
    /// Whether a reader of committed records passes a batch over, and whether nothing more comes.
    fn is_kept_back(&self, header: &BatchHeader) -> bool {
        self.committed_of.is_some_and(|log| log.fate(header) == TransactionFate::Aborted)
    }

    fn is_at_end(&self, header: &BatchHeader) -> bool {
        self.committed_of.is_some_and(|log| {
            header.base_offset >= log.readable_until(IsolationLevel::ReadCommitted)
        })
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = RecordView<'a>;

    #[inline]
    fn next(&mut self) -> Option<RecordView<'a>> {
        loop {
            // Every record was decoded when it came in, so there are no errors to pass on.
            while let Some(Ok(record)) = self.records.next_record() {
                if record.offset >= self.offset {
                    return Some(record);
                }
            }
            match self.batches.as_mut()?.next() {
                Some(batch) if self.is_at_end(batch.header()) => return None,
                Some(batch) if batch.header().is_control() => {}
                Some(batch) if self.is_kept_back(batch.header()) => {}
                Some(batch) => self.records = batch.records(),
                None => self.batches = self.segments.next().map(Segment::batches),
            }
        }
    }
}
