//! Compaction: of each key the last record stays.
//!
//! A pass maps every key of the dirty segments to its highest offset, then writes all segments
//! up to there anew, without the records that a later one supersedes. The active segment is
//! neither read nor written. Offsets never change: gaps remain.
//!
//! Source: `LogCleaner`, `Cleaner` and `MemoryRecords.filterTo`, Apache Kafka 4.4.0.
//!
//! Simplified: the map of keys is never full.

mod plan;
mod transactions;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::Serialize;

pub use plan::CleanerPlan;
use transactions::CleanedTransactions;

use super::batch::{BatchBuilder, BatchHeader, BatchView, Compression};
use super::index;
use super::partition::PartitionLog;
use super::producer_state::ProducerState;
use super::record::{NewRecord, RecordView};
use super::retention::DeletedSegment;
use super::segment::Segment;
use super::transactions::AbortedTransaction;

/// What one pass did to a log.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CleanerPass {
    /// The first dirty offset.
    pub dirty_from: i64,
    /// Where the pass ended: the first dirty offset from now on.
    pub dirty_to: i64,
    /// Records of the segments it wrote.
    pub kept: f64,
    /// Records that are gone because a later one has their key.
    pub superseded: f64,
    /// Tombstones that are gone because their time was up.
    pub tombstones: f64,
    /// Records that are gone because they have no key.
    pub keyless: f64,
    /// Records that are gone because their transaction was aborted.
    pub aborted: f64,
    /// Markers of transactions that are gone, with all of their records.
    pub markers: f64,
    /// Tombstones that stay for now.
    pub tombstones_kept: f64,
    /// When the first of those may go, ms since 1970; a later pass then takes it.
    pub next_horizon: Option<f64>,
    /// Bytes of all segments before.
    pub bytes_before: f64,
    /// Bytes of all segments after.
    pub bytes_after: f64,
    /// Segments before.
    pub segments_before: u32,
    /// Segments after.
    pub segments_after: u32,
}

enum Cleaned {
    /// A segment that stays as it is.
    Same(usize),
    New(Box<Segment>),
}

/// What decides over each record, and what it decided.
struct Pass<'a> {
    now_ms: i64,
    delete_retention_ms: i64,
    end: i64,
    high_watermark: i64,
    log_start_offset: i64,
    /// The highest offset of each key of the dirty segments.
    keys: HashMap<&'a [u8], i64>,
    /// The last offset of each producer that is known, or where it has none in its epoch, that.
    producers: BTreeMap<i64, LastRecord>,
    transactions: CleanedTransactions,
    counts: Counts,
}

/// The end of what a producer has written. Source: `LastRecord`.
enum LastRecord {
    Data { last_offset: i64 },
    Marker { epoch: i16 },
}

#[derive(Default)]
struct Counts {
    kept: u64,
    superseded: u64,
    tombstones: u64,
    keyless: u64,
    aborted: u64,
    markers: u64,
    tombstones_kept: u64,
    next_horizon: Option<i64>,
    /// Records gone that could be read.
    readable_gone: u64,
}

/// What a pass leaves of a batch.
struct Left<'b> {
    header: BatchHeader,
    bytes: &'b [u8],
    unpacked: Option<Arc<[u8]>>,
}

enum Verdict {
    Kept,
    Superseded,
    Tombstone,
    Keyless,
    Aborted,
}

impl PartitionLog {
    /// One pass of the cleaner, if the log is dirty enough for it; whether its policy asks for
    /// compaction is not looked at.
    ///
    /// ```
    /// use loglanes::log::{BatchBuilder, LogConfig, NewRecord, PartitionLog};
    /// # fn main() -> loglanes::Result {
    /// let config = LogConfig { segment_ms: 1_000, ..LogConfig::default() };
    /// let mut log = PartitionLog::new(config, 0);
    /// for (timestamp, value) in [(1, b"1"), (2, b"2"), (5_000, b"3")] {
    ///     let mut batch = BatchBuilder::new();
    ///     let key = Some(b"a".as_slice());
    ///     batch.append(&NewRecord { timestamp, key, value: Some(value), headers: &[] })?;
    ///     log.append_batch(&mut batch, timestamp)?;
    /// }
    /// let pass = log.clean(6_000).unwrap();
    /// assert_eq!((pass.superseded, pass.dirty_to), (1.0, 2));
    /// // The active segment is not looked at, so a=2 stays.
    /// let offsets: Vec<_> = log.records_from(0).map(|record| record.offset).collect();
    /// assert_eq!(offsets, [1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn clean(&mut self, now_ms: i64) -> Option<CleanerPass> {
        let plan = self.cleaner_plan(now_ms);
        if plan.is_checkpoint_invalid {
            self.cleaner_checkpoint = Some(plan.first_dirty_offset);
        }
        if !plan.is_due(self.config.min_cleanable_dirty_ratio.get()) {
            return None;
        }
        let (bytes_before, segments_before) = (self.size_in_bytes(), self.segments.len());
        let end = plan.first_uncleanable_offset;
        let (cleaned, counts) = self.cleaned_segments(plan.first_dirty_offset, end, now_ms);
        self.replace(cleaned, end);
        self.record_count = self.record_count.saturating_sub(counts.readable_gone);
        self.cleaner_checkpoint = Some(end);
        Some(CleanerPass {
            dirty_from: plan.first_dirty_offset,
            dirty_to: end,
            kept: counts.kept as f64,
            superseded: counts.superseded as f64,
            tombstones: counts.tombstones as f64,
            keyless: counts.keyless as f64,
            aborted: counts.aborted as f64,
            markers: counts.markers as f64,
            tombstones_kept: counts.tombstones_kept as f64,
            next_horizon: counts.next_horizon.map(|horizon| horizon as f64),
            bytes_before: bytes_before as f64,
            bytes_after: self.size_in_bytes() as f64,
            segments_before: u32::try_from(segments_before).unwrap_or(u32::MAX),
            segments_after: u32::try_from(self.segments.len()).unwrap_or(u32::MAX),
        })
    }

    /// The cleaner at this log until it finds nothing more to do. Between the passes it deletes
    /// old segments, as far as the policy allows that.
    pub fn run_cleaner(&mut self, now_ms: i64) -> (Vec<CleanerPass>, Vec<DeletedSegment>) {
        let (mut passes, mut deleted) = (Vec::new(), Vec::new());
        loop {
            let pass = self.clean(now_ms);
            let old = self.delete_old_segments(now_ms);
            if pass.is_none() && old.is_empty() {
                return (passes, deleted);
            }
            passes.extend(pass);
            deleted.extend(old);
        }
    }

    /// The first dirty offset as the last pass left it; none before the first pass.
    #[must_use]
    pub fn cleaner_checkpoint(&self) -> Option<i64> {
        self.cleaner_checkpoint
    }

    /// The segments below `end`, written anew.
    fn cleaned_segments(&self, dirty: i64, end: i64, now_ms: i64) -> (Vec<Cleaned>, Counts) {
        let below = self.segments.partition_point(|segment| segment.base_offset() < end);
        let segments = self.segments.get(..below).unwrap_or_default();
        let mut pass = Pass {
            now_ms,
            delete_retention_ms: self.config.delete_retention_ms,
            end,
            high_watermark: self.high_watermark(),
            log_start_offset: self.log_start_offset,
            keys: self.keys(segments.get(self.floor(dirty)..).unwrap_or_default(), dirty),
            producers: self.last_records(),
            transactions: CleanedTransactions::default(),
            counts: Counts::default(),
        };
        pass.transactions.expect(self.aborted_transactions());
        let mut builder = BatchBuilder::new();
        let mut cleaned = Vec::new();
        for group in self.groups(segments, end) {
            let sources = segments.get(group.clone()).unwrap_or_default();
            let (Some(first), Some(last)) = (sources.first(), sources.last()) else { continue };
            let mut segment = first.rewritten(&self.config);
            for batch in sources.iter().flat_map(Segment::batches) {
                let Some(left) = pass.filter(&batch, &mut builder) else { continue };
                let Left { header, bytes, unpacked } = left;
                let position = segment.append(&header, bytes, last.last_modified_ms());
                if let Some(unpacked) = unpacked {
                    segment.keep_unpacked(position, unpacked);
                }
            }
            segment.set_aborted(pass.transactions.take_kept());
            if sources.len() == 1
                && segment.bytes() == first.bytes()
                && segment.aborted() == first.aborted()
            {
                cleaned.push(Cleaned::Same(group.start));
                continue;
            }
            segment.touch(last.last_modified_ms());
            segment.close();
            cleaned.push(Cleaned::New(Box::new(segment)));
        }
        (cleaned, pass.counts)
    }

    /// Which segments become one: neighbours that fit one together, by their sizes before the
    /// pass. Source: `Cleaner.groupSegmentsBySize`.
    fn groups(&self, segments: &[Segment], end: i64) -> Vec<std::ops::Range<usize>> {
        let most = i64::from(self.config.segment_bytes);
        let most_index = self.config.segment_index_bytes.unsigned_abs() as usize;
        let sizes = |segment: &Segment| {
            (
                segment.size_in_bytes() as i64,
                segment.offset_index().len() * index::OFFSET_ENTRY_LEN,
                segment.time_index().len() * index::TIME_ENTRY_LEN,
            )
        };
        let mut groups: Vec<std::ops::Range<usize>> = Vec::new();
        let mut total = (0, 0, 0);
        for (at, segment) in segments.iter().enumerate() {
            let size = sizes(segment);
            let sum = (total.0 + size.0, total.1 + size.1, total.2 + size.2);
            let next = segments.get(at + 1).map_or(end, Segment::base_offset);
            let fits = |first: &Segment| {
                sum.0 <= most
                    && sum.1 <= most_index
                    && sum.2 <= most_index
                    && (segment.is_empty()
                        || next.wrapping_sub(1).wrapping_sub(first.base_offset())
                            <= i64::from(i32::MAX))
            };
            match groups.last_mut() {
                Some(group) if segments.get(group.start).is_some_and(fits) => {
                    group.end = at + 1;
                    total = sum;
                }
                _ => {
                    groups.push(at..at + 1);
                    total = size;
                }
            }
        }
        groups
    }

    fn replace(&mut self, cleaned: Vec<Cleaned>, end: i64) {
        let below = self.segments.partition_point(|segment| segment.base_offset() < end);
        let rest = self.segments.split_off(below);
        let mut old: Vec<Option<Segment>> =
            std::mem::take(&mut self.segments).into_iter().map(Some).collect();
        self.segments.extend(cleaned.into_iter().filter_map(|segment| match segment {
            Cleaned::Same(at) => old.get_mut(at).and_then(Option::take),
            Cleaned::New(segment) => Some(*segment),
        }));
        self.segments.extend(rest);
    }
}

impl PartitionLog {
    /// The highest offset of each key, from `dirty` on; records of aborted transactions do not
    /// count.
    fn keys<'a>(&self, segments: &'a [Segment], dirty: i64) -> HashMap<&'a [u8], i64> {
        let mut transactions = CleanedTransactions::default();
        let from = segments.first().map_or(dirty, Segment::base_offset);
        transactions.expect(self.aborted_transactions().filter(|one| one.last_offset >= from));
        let batches = segments.iter().flat_map(Segment::batches);
        batches
            .filter(|batch| {
                if batch.header().is_control() {
                    transactions.on_marker(batch);
                    return false;
                }
                !transactions.on_data(batch)
            })
            .flat_map(|batch| batch.records())
            .flatten()
            .filter(|record| record.offset >= dirty)
            .filter_map(|record| Some((record.key?, record.offset)))
            .collect()
    }

    fn aborted_transactions(&self) -> impl Iterator<Item = AbortedTransaction> {
        self.segments.iter().flat_map(|segment| segment.aborted()).copied()
    }

    fn last_records(&self) -> BTreeMap<i64, LastRecord> {
        let last = |state: &ProducerState| match state.last_data_offset() {
            Some(last_offset) => LastRecord::Data { last_offset },
            None => LastRecord::Marker { epoch: state.epoch },
        };
        self.producers.iter().map(|(id, state)| (id, last(state))).collect()
    }
}

impl Pass<'_> {
    /// What is left of a batch: nothing, the same bytes, or a batch with gaps.
    fn filter<'b>(
        &mut self,
        batch: &BatchView<'b>,
        builder: &'b mut BatchBuilder,
    ) -> Option<Left<'b>> {
        let header = batch.header();
        let same = || {
            let unpacked = batch.unpacked().cloned();
            Some(Left { header: *header, bytes: batch.bytes(), unpacked })
        };
        if header.is_control() {
            return self.filter_marker(batch, builder);
        }
        let is_aborted = self.transactions.on_data(batch);
        let mut records = Vec::with_capacity(header.record_count.unsigned_abs() as usize);
        let mut gone = 0;
        for record in batch.records() {
            // What cannot be read is left as it is.
            let Ok(record) = record else { return same() };
            let verdict = if is_aborted { Verdict::Aborted } else { self.verdict(header, &record) };
            let count = match verdict {
                Verdict::Kept => {
                    records.push(record);
                    &mut self.counts.kept
                }
                Verdict::Superseded => &mut self.counts.superseded,
                Verdict::Tombstone => &mut self.counts.tombstones,
                Verdict::Keyless => &mut self.counts.keyless,
                Verdict::Aborted => &mut self.counts.aborted,
            };
            *count += 1;
            if !matches!(verdict, Verdict::Kept) {
                gone += 1;
                self.counts.readable_gone += u64::from(record.offset >= self.log_start_offset);
            }
        }
        let tombstones = records.iter().filter(|record| record.value.is_none()).count() as u64;
        let horizon = header.delete_horizon().or_else(|| {
            (tombstones > 0).then(|| self.now_ms.wrapping_add(self.delete_retention_ms))
        });
        if let Some(horizon) = horizon.filter(|_| tombstones > 0) {
            self.counts.tombstones_kept += tombstones;
            let first = self.counts.next_horizon.unwrap_or(horizon);
            self.counts.next_horizon = Some(first.min(horizon));
        }
        if records.is_empty() {
            return self.emptied(header, builder);
        }
        if gone == 0 && horizon == header.delete_horizon() {
            return same();
        }
        builder.clear();
        if let Some(horizon) = horizon {
            builder.set_delete_horizon(horizon);
        }
        let mut headers = Vec::new();
        for record in &records {
            headers.clear();
            headers.extend(record.headers());
            let delta = i32::try_from(record.offset - header.base_offset).ok()?;
            let (timestamp, key, value) = (record.timestamp, record.key, record.value);
            builder
                .append_at(delta, &NewRecord { timestamp, key, value, headers: &headers })
                .ok()?;
        }
        let header = BatchHeader::parse(builder.finish_packed_as(header)).ok()?;
        let is_packed = header.compression() != Compression::None;
        let unpacked = is_packed.then(|| Arc::from(builder.record_bytes()));
        Some(Left { header, bytes: builder.finished(), unpacked })
    }

    /// A marker of whose transaction nothing is left gets a delete horizon, and goes when that is
    /// past.
    fn filter_marker<'b>(
        &mut self,
        batch: &BatchView<'b>,
        builder: &'b mut BatchBuilder,
    ) -> Option<Left<'b>> {
        let header = batch.header();
        let is_alone = self.transactions.on_marker(batch);
        let horizon = header.delete_horizon();
        let record = batch.records().flatten().next();
        let is_up = is_alone && horizon.is_some_and(|horizon| horizon <= self.now_ms);
        let Some(record) = record.filter(|_| !is_up) else {
            self.counts.markers += u64::from(record.is_some());
            return self.emptied(header, builder);
        };
        if !is_alone || horizon.is_some() {
            return Some(Left { header: *header, bytes: batch.bytes(), unpacked: None });
        }
        let horizon = self.now_ms.wrapping_add(self.delete_retention_ms);
        let first = self.counts.next_horizon.unwrap_or(horizon);
        self.counts.next_horizon = Some(first.min(horizon));
        builder.clear();
        builder.set_control();
        builder.set_delete_horizon(horizon);
        let (timestamp, key, value) = (record.timestamp, record.key, record.value);
        builder.append_control(&NewRecord { timestamp, key, value, headers: &[] }).ok()?;
        let bytes = builder.finish_as(header);
        Some(Left { header: BatchHeader::parse(bytes).ok()?, bytes, unpacked: None })
    }

    fn verdict(&self, header: &BatchHeader, record: &RecordView<'_>) -> Verdict {
        if record.offset >= self.end {
            return Verdict::Kept;
        }
        let Some(key) = record.key else { return Verdict::Keyless };
        if self.keys.get(key).is_some_and(|&last| record.offset < last) {
            return Verdict::Superseded;
        }
        let is_time_up = header.delete_horizon().is_some_and(|horizon| self.now_ms >= horizon);
        if record.value.is_none() && is_time_up { Verdict::Tombstone } else { Verdict::Kept }
    }

    /// A batch of which no record is left stays as a header if it is the last of its producer,
    /// or the last of the log.
    fn emptied<'b>(&self, header: &BatchHeader, builder: &'b mut BatchBuilder) -> Option<Left<'b>> {
        let is_last_of_producer = match self.producers.get(&header.producer_id) {
            Some(LastRecord::Data { last_offset }) => *last_offset == header.last_offset(),
            Some(LastRecord::Marker { epoch }) => {
                header.is_control() && *epoch == header.producer_epoch
            }
            None => false,
        };
        if !is_last_of_producer && header.next_offset() != self.high_watermark {
            return None;
        }
        builder.clear();
        let bytes = builder.finish_as(header);
        Some(Left { header: BatchHeader::parse(bytes).ok()?, bytes, unpacked: None })
    }
}
