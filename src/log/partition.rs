//! A partition's log: segments one after the other, and the offsets they give out.
//!
//! Source: `org.apache.kafka.storage.internals.log.UnifiedLog` and `LocalLog`. There is one
//! replica and it is in sync, so the high watermark is the log end offset at all times.

use super::batch::{BatchBuilder, BatchHeader, BatchRecords, BatchView, Batches};
use super::batch::{Compression, TimestampType, UnpackedRecords};
use super::config::LogConfig;
use super::producer_state::{CompletedTransaction, ProducerState, ProducerStates};
use super::record::{NewRecord, RecordView};
use super::segment::{Segment, SegmentBatches};
use super::transactions::{AbortedTransaction, IsolationLevel, TransactionFate, marker_of};
use super::validate::{self, Produced};
use crate::error::{Error, ErrorCode, Result};

/// The last offset a record can have: the log end offset, one above, must still be an `i64`.
///
/// A real broker takes a record at `i64::MAX` and can then read the log no more; Loglanes
/// refuses it.
pub const LAST_USABLE_OFFSET: i64 = i64::MAX - 1;

/// The most bytes that the records of all compressed batches of one partition may unpack to: they
/// are held unpacked.
pub const MAX_UNPACKED_LOG_BYTES: u64 = 1 << 30;

/// The epoch of a leader that has never changed.
pub(super) const LEADER_EPOCH: i32 = 0;

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
}

/// Where a batch went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AppendInfo {
    /// The offset of its first record.
    pub base_offset: i64,
    /// The offset of its last record.
    pub last_offset: i64,
    /// The base offset of the segment it lies in.
    pub segment_base: i64,
    /// The byte of that segment where it begins.
    pub position: usize,
    /// Whether that segment was begun for it.
    pub rolled: bool,
    /// The time all its records got, in milliseconds, in a `LogAppendTime` topic.
    pub log_append_time: Option<i64>,
    /// Whether it was there already: an idempotent producer has sent it again. The offsets are
    /// then those of the first time, and the time is its greatest timestamp.
    pub is_duplicate: bool,
}

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

    /// How many records can be read: those from the log start offset on, control records left
    /// out. Less than the span of offsets where there are gaps.
    #[must_use]
    pub fn record_count(&self) -> u64 {
        self.record_count
    }

    /// Makes room in the active segment for `additional` bytes in one step: for whoever knows
    /// that much is coming.
    pub fn reserve(&mut self, additional: usize) {
        let room = usize::try_from(self.config.segment_bytes).unwrap_or(0);
        if let Some(active) = self.segments.last_mut() {
            let room = room.saturating_sub(active.size_in_bytes());
            active.reserve(additional.min(room));
        }
    }

    /// Appends a batch as a producer sent it: takes nothing on trust, assigns the offsets and
    /// the leader epoch in place, and sets what the topic's timestamp type asks for (the CRC is
    /// then taken anew). A batch of an idempotent producer that is there already is answered with
    /// its offsets, and not appended again.
    ///
    /// # Errors
    /// As a broker answers: `CORRUPT_MESSAGE` (2), `MESSAGE_TOO_LARGE` (10),
    /// `RECORD_LIST_TOO_LARGE` (18), `INVALID_TIMESTAMP` (32), `OUT_OF_ORDER_SEQUENCE_NUMBER` (45),
    /// `INVALID_PRODUCER_EPOCH` (47), `INVALID_TXN_STATE` (48),
    /// `TRANSACTIONAL_ID_AUTHORIZATION_FAILED` (53), `INVALID_RECORD` (87),
    /// `UNKNOWN_SERVER_ERROR` (-1). Loglanes's own: an offset past [`LAST_USABLE_OFFSET`], records
    /// that unpack to too much. Neither the log nor `batch` has then changed.
    ///
    /// A topic's `compression.type` may have the batch packed anew; `batch` is then left alone.
    pub fn append(&mut self, batch: &mut [u8], now_ms: i64) -> Result<AppendInfo> {
        let produced = validate::produced(&self.config, &self.name, batch, now_ms)?;
        let Produced { batch: view, max_timestamp, unpacked } = produced;
        let sent = *view.header();
        let target = self.config.compression_type.target(sent.compression());
        if target != sent.compression() {
            return self.append_repacked(&view, &unpacked, target, now_ms);
        }
        self.unpacked_left(unpacked.len())?;
        let unpacked = view.is_compressed().then(|| unpacked.into_bytes());
        let count = u64::from(sent.record_count.unsigned_abs());
        let base_offset = self.log_end_offset();
        offsets_left(base_offset, sent.last_offset_delta)?;

        let log_append_time = self.log_append_time(now_ms);
        let mut header = sent.with_timestamp_type(self.config.message_timestamp_type);
        header.max_timestamp = log_append_time.unwrap_or(max_timestamp);
        let is_changed = header != sent;
        header.base_offset = base_offset;
        header.partition_leader_epoch = LEADER_EPOCH;
        let known = match self.known_after(&header, now_ms)? {
            Known::Duplicate(info) => return Ok(info),
            Known::New(known) => known,
        };
        let batch = batch.get_mut(..sent.size_in_bytes()).unwrap_or_default();
        if is_changed {
            header.seal(batch);
        } else if let Some(head) = batch.first_chunk_mut() {
            *head = header.to_bytes();
        }
        let info = self.store(&header, batch, count, known, now_ms);
        self.keep_unpacked(&info, unpacked);
        Ok(AppendInfo { log_append_time, ..info })
    }

    /// Appends a batch that the topic stores in another codec than it was sent in: its records in
    /// a new one. Source: `LogValidator.buildRecordsAndAssignOffsets`.
    fn append_repacked(
        &mut self,
        batch: &BatchView<'_>,
        unpacked: &UnpackedRecords,
        target: Compression,
        now_ms: i64,
    ) -> Result<AppendInfo> {
        let header = batch.header();
        let mut builder = BatchBuilder::new();
        let level = (target == Compression::Gzip).then_some(self.config.compression_gzip_level);
        builder.set_compression(target, level);
        if header.producer_id >= 0 {
            builder.set_producer(
                header.producer_id,
                header.producer_epoch,
                header.base_sequence,
            )?;
        }
        if header.is_transactional() {
            builder.set_transactional()?;
        }
        let mut headers = Vec::new();
        for record in batch.records_in(unpacked) {
            let record = record?;
            headers.clear();
            headers.extend(record.headers());
            let (timestamp, key, value) = (record.timestamp, record.key, record.value);
            builder.append(&NewRecord { timestamp, key, value, headers: &headers })?;
        }
        let base_offset = self.log_end_offset();
        offsets_left(base_offset, builder.last_offset_delta())?;
        let log_append_time = self.log_append_time(now_ms);
        builder.finish_packed_at(base_offset, LEADER_EPOCH, log_append_time);
        let unpacked = (target != Compression::None).then(|| builder.record_bytes().to_vec());
        self.unpacked_left(unpacked.as_ref().map_or(0, Vec::len))?;
        let count = builder.count() as u64;
        let bytes = &*builder.finished();
        validate::size(&self.config, bytes.len())?;
        validate::segment_size(&self.config, bytes.len())?;
        let header = BatchHeader::parse(bytes)?;
        let known = match self.known_after(&header, now_ms)? {
            Known::Duplicate(info) => return Ok(info),
            Known::New(known) => known,
        };
        let info = self.store(&header, bytes, count, known, now_ms);
        self.keep_unpacked(&info, unpacked);
        Ok(AppendInfo { log_append_time, ..info })
    }

    /// Whether so many bytes of unpacked records may be kept beside those there are.
    fn unpacked_left(&self, more: usize) -> Result {
        if more == 0 {
            return Ok(());
        }
        let held: u64 = self.segments.iter().map(Segment::unpacked_bytes).sum();
        if held + more as u64 <= MAX_UNPACKED_LOG_BYTES {
            return Ok(());
        }
        Err(Error::limit(
            "MAX_UNPACKED_LOG_BYTES",
            format!(
                "The compressed batches of this partition would unpack to more than \
                 {MAX_UNPACKED_LOG_BYTES} bytes."
            ),
        )
        .with_hint(
            "Loglanes holds their records unpacked: use more partitions, or no compression.",
        ))
    }

    fn keep_unpacked(&mut self, info: &AppendInfo, unpacked: Option<Vec<u8>>) {
        if let (Some(active), Some(unpacked)) = (self.segments.last_mut(), unpacked) {
            active.keep_unpacked(info.position, unpacked.into());
        }
    }

    /// Appends what a builder holds: as [`PartitionLog::append`], but what the builder has
    /// made needs no second look, so the CRC is taken once. The way for records in bulk.
    ///
    /// # Errors
    /// As [`PartitionLog::append`]; the builder and the log have then not changed.
    pub fn append_batch(&mut self, batch: &mut BatchBuilder, now_ms: i64) -> Result<AppendInfo> {
        let count = batch.count() as u64;
        let last_offset_delta = batch.last_offset_delta();
        let source = batch.compression();
        let is_packed = source != Compression::None
            || self.config.compression_type.target(source) != Compression::None;
        let size = if is_packed { batch.finish_packed(0, -1).len() } else { batch.len() };
        validate::size(&self.config, size)?;
        if count == 0 || count != (i64::from(last_offset_delta) + 1).unsigned_abs() {
            return Err(Error::code_alone(ErrorCode::InvalidRecord)
                .with_hint("A producer's batch has records, and no gaps between them."));
        }
        if batch.is_control() {
            return Err(Error::code_alone(ErrorCode::InvalidRecord)
                .with_hint("Only the broker itself writes control batches."));
        }
        let keys_fail = self.config.cleanup_policy.compact && batch.has_keyless();
        let times_fail = self.config.message_timestamp_type == TimestampType::CreateTime
            && batch.min_timestamp().is_some_and(|least| {
                let ends = [least, batch.max_timestamp()];
                ends.into_iter()
                    .any(|time| validate::check_timestamp(&self.config, 0, time, now_ms).is_err())
            });
        if keys_fail || times_fail {
            // Some record is refused: the first such one gives the error.
            let view = BatchView::parse(batch.finish(0, -1))?;
            validate::records(&self.config, &self.name, &view, now_ms)?;
        }
        if is_packed {
            return self.append(batch.finished(), now_ms);
        }
        validate::segment_size(&self.config, batch.len())?;
        let base_offset = self.log_end_offset();
        offsets_left(base_offset, last_offset_delta)?;
        let log_append_time = self.log_append_time(now_ms);
        let header = BatchHeader {
            batch_length: i32::try_from(batch.len()).unwrap_or(i32::MAX).saturating_sub(12),
            ..batch.header(base_offset, LEADER_EPOCH, log_append_time)
        };
        let known = match self.known_after(&header, now_ms)? {
            Known::Duplicate(info) => return Ok(info),
            Known::New(known) => known,
        };
        let bytes = batch.finish_at(base_offset, LEADER_EPOCH, log_append_time);
        let header = BatchHeader::parse(bytes)?;
        let info = self.store(&header, bytes, count, known, now_ms);
        Ok(AppendInfo { log_append_time, ..info })
    }

    /// Appends a batch with the offsets and the leader epoch it already has, as a follower
    /// does: gaps to the log end are kept.
    ///
    /// # Errors
    /// [`Refusal::Corrupt`](crate::Refusal::Corrupt) for bytes that are not one whole sound
    /// batch; an offset below the log end or past [`LAST_USABLE_OFFSET`].
    pub fn append_as_follower(&mut self, batch: &[u8], now_ms: i64) -> Result<AppendInfo> {
        let view = BatchView::parse(batch)?;
        if view.bytes().len() != batch.len() {
            return Err(Error::corrupt("More bytes follow the batch.")
                .with_hint("Append one batch at a time."));
        }
        let (count, unpacked) = self.check_stored(&view, self.log_end_offset())?;
        validate::segment_size(&self.config, batch.len())?;
        let known = self.known_from(&view)?;
        let info = self.store(view.header(), batch, count, known, now_ms);
        self.keep_unpacked(&info, unpacked);
        Ok(info)
    }

    /// What will be known of the producer of a batch that a client sends; it is checked. A
    /// duplicate begins a new segment where it would have needed one, as in a broker.
    fn known_after(&mut self, header: &BatchHeader, now_ms: i64) -> Result<Known> {
        if header.producer_id < 0 {
            return Ok(Known::New(None));
        }
        if let Some(batch) = self.producers.duplicate(header) {
            self.roll_for(header, header.size_in_bytes(), now_ms);
            return Ok(Known::Duplicate(AppendInfo::of_duplicate(&batch)));
        }
        Ok(Known::New(Some((self.producers.after_data(header, true)?, None))))
    }

    /// The same of a batch that is taken as it is.
    pub(super) fn known_from(&self, batch: &BatchView<'_>) -> Result<Option<KnownProducer>> {
        let header = batch.header();
        if header.producer_id < 0 {
            return Ok(None);
        }
        if !header.is_control() {
            return Ok(Some((self.producers.after_data(header, false)?, None)));
        }
        let time = batch.records().flatten().next().map_or(header.max_timestamp, |r| r.timestamp);
        Ok(Some(match marker_of(batch) {
            Some(marker) => self.producers.after_marker(header, marker, time),
            // The cleaner has emptied it: the whole transaction is gone.
            None => (self.producers.get(header.producer_id).cloned().unwrap_or_default(), None),
        }))
    }

    /// Checks a batch that has its offsets: sound, readable, and not below `end`. Returns how
    /// many records it adds to [`PartitionLog::record_count`], and the records of a compressed
    /// one.
    pub(super) fn check_stored(
        &self,
        batch: &BatchView<'_>,
        end: i64,
    ) -> Result<(u64, Option<Vec<u8>>)> {
        let header = batch.header();
        batch.verify_crc()?;
        if header.base_offset < end || header.last_offset_delta < 0 {
            return Err(Error::corrupt(format!(
                "Offsets {} to {} do not follow the log end offset {end}",
                header.base_offset,
                header.last_offset()
            ))
            .with_hint("Batches come in the order of their offsets, each offset once."));
        }
        offsets_left(header.base_offset, header.last_offset_delta)?;
        let mut count = 0;
        let unpacked = batch.unpack();
        self.unpacked_left(unpacked.len())?;
        for record in batch.records_in(&unpacked) {
            if record?.offset >= self.log_start_offset && !header.is_control() {
                count += 1;
            }
        }
        Ok((count, batch.is_compressed().then(|| unpacked.into_bytes())))
    }

    pub(super) fn log_append_time(&self, now_ms: i64) -> Option<i64> {
        (self.config.message_timestamp_type == TimestampType::LogAppendTime).then_some(now_ms)
    }

    /// Begins a new segment if this batch needs one.
    fn roll_for(&mut self, header: &BatchHeader, size: usize, now_ms: i64) -> bool {
        let (max_timestamp, last_offset) = (header.max_timestamp, header.last_offset());
        let rolled = self.segments.last().is_none_or(|active| {
            active.should_roll(&self.config, size, max_timestamp, last_offset, now_ms)
        });
        if rolled {
            self.roll(header.base_offset, now_ms);
        }
        rolled
    }

    /// Rolls if need be and copies the batch in. Everything was checked.
    pub(super) fn store(
        &mut self,
        header: &BatchHeader,
        batch: &[u8],
        count: u64,
        known: Option<KnownProducer>,
        now_ms: i64,
    ) -> AppendInfo {
        let rolled = self.roll_for(header, batch.len(), now_ms);
        self.record_count += count;
        let mut info = AppendInfo {
            base_offset: header.base_offset,
            last_offset: header.last_offset(),
            segment_base: 0,
            position: 0,
            rolled,
            log_append_time: None,
            is_duplicate: false,
        };
        if let Some(active) = self.segments.last_mut() {
            info.segment_base = active.base_offset();
            info.position = active.append(header, batch, now_ms);
        }
        if let Some(known) = known {
            let aborted = self.learn(header.producer_id, known);
            if let (Some(aborted), Some(active)) = (aborted, self.segments.last_mut()) {
                active.add_aborted(aborted);
            }
        }
        info
    }

    /// Remembers what is known of a producer now. An aborted transaction is for the index of the
    /// segment of its marker.
    pub(super) fn learn(
        &mut self,
        producer_id: i64,
        (state, completed): KnownProducer,
    ) -> Option<AbortedTransaction> {
        self.producers.put(producer_id, state);
        let completed = completed.filter(|completed| completed.is_aborted)?;
        Some(AbortedTransaction {
            producer_id,
            first_offset: completed.first_offset,
            last_offset: completed.last_offset,
            last_stable_offset: self.producers.stable_offset_after(&completed),
        })
    }

    /// Begins a new active segment at the log end offset, whatever the old one's size and age; a
    /// broker does that only when a segment is full, old, or deleted.
    pub fn begin_segment(&mut self, now_ms: i64) {
        self.roll(self.log_end_offset(), now_ms);
    }

    /// Begins a new active segment at `base_offset`. An empty one at the same offset is
    /// replaced, as by a broker.
    pub(super) fn roll(&mut self, base_offset: i64, now_ms: i64) {
        let mut snapshot = None;
        match self.segments.last_mut() {
            Some(active) if active.is_empty() && active.base_offset() == base_offset => {
                snapshot = self.segments.pop().and_then(Segment::into_producer_snapshot);
            }
            Some(active) => {
                active.close();
                snapshot = Some(self.producers.to_snapshot());
            }
            None => {}
        }
        let mut segment = Segment::new(base_offset, &self.config, now_ms);
        segment.set_producer_snapshot(snapshot);
        self.segments.push(segment);
    }

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
            .find_map(|segment| read_segment(segment, offset, max_bytes))
            .unwrap_or_default();
        let last_stable_offset = self.last_stable_offset();
        Ok(Fetch { bytes, high_watermark: end, last_stable_offset, log_start_offset: start })
    }

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
        if offset < self.log_start_offset {
            return None;
        }
        let batch = self.segments.get(self.segment_at(offset))?.batches_from(offset).next()?;
        if batch.header().is_control() {
            return None;
        }
        let record = batch.records().flatten().find(|record| record.offset == offset)?;
        Some((batch, record))
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
    /// `ListOffsets` answers for `-3`; none where no record has a timestamp. The log start
    /// offset plays no part, as in a broker.
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

fn read_segment(segment: &Segment, offset: i64, max_bytes: usize) -> Option<&[u8]> {
    let mut batches = segment.batches_from(offset);
    let start = batches.position();
    batches.next()?;
    let mut end = batches.position();
    while batches.next().is_some() && batches.position() - start <= max_bytes {
        end = batches.position();
    }
    segment.bytes().get(start..end)
}

/// Whether `last_offset_delta + 1` offsets are left from `base_offset` on.
pub(super) fn offsets_left(base_offset: i64, last_offset_delta: i32) -> Result {
    match base_offset.checked_add(i64::from(last_offset_delta)) {
        Some(last) if last <= LAST_USABLE_OFFSET => Ok(()),
        _ => Err(Error::limit(
            "LAST_USABLE_OFFSET",
            format!(
                "The log ends at offset {base_offset}; {} more records would pass the last \
                 usable offset, {LAST_USABLE_OFFSET}.",
                i64::from(last_offset_delta) + 1
            ),
        )
        .with_hint("Use another topic: offsets are never used again.")),
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

/// What is known of a producer after a batch, and the transaction that the batch ends.
pub(super) type KnownProducer = (ProducerState, Option<CompletedTransaction>);

/// What a batch of a client is.
enum Known {
    Duplicate(AppendInfo),
    /// To be appended; without a producer id nothing is known.
    New(Option<KnownProducer>),
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
