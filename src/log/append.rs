//! How a partition's log grows: what is checked of a batch, and what is assigned in it.
//!
//! Source: `UnifiedLog.append` and `LogValidator`, Apache Kafka 4.4.0.

use super::batch::{
    BatchBuilder, BatchHeader, BatchView, Compression, TimestampType, UnpackedRecords,
};
use super::partition::{LAST_USABLE_OFFSET, MAX_UNPACKED_LOG_BYTES, PartitionLog};
use super::producer_state::{CompletedTransaction, ProducerState};
use super::record::NewRecord;
use super::transactions::{AbortedTransaction, marker_of};
use super::validate::{self, Produced};
use crate::error::{Error, ErrorCode, Result};

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

/// What is known of a producer after a batch, and the transaction that the batch ends.
pub(super) type KnownProducer = (ProducerState, Option<CompletedTransaction>);

/// What a batch of a client is.
enum Known {
    Duplicate(AppendInfo),
    /// To be appended; without a producer id nothing is known.
    New(Option<KnownProducer>),
}

impl PartitionLog {
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
        header.partition_leader_epoch = self.leader_epoch();
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
        builder.finish_packed_at(base_offset, self.leader_epoch(), log_append_time);
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
        if self.unpacked_bytes() + more as u64 <= MAX_UNPACKED_LOG_BYTES {
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
            ..batch.header(base_offset, self.leader_epoch(), log_append_time)
        };
        let known = match self.known_after(&header, now_ms)? {
            Known::Duplicate(info) => return Ok(info),
            Known::New(known) => known,
        };
        let bytes = batch.finish_at(base_offset, self.leader_epoch(), log_append_time);
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
        self.leader_epochs.assign(header.partition_leader_epoch, header.base_offset);
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
