//! Writing a batch.

use super::header::{BATCH_HEADER_LEN, BatchHeader, TimestampType};
use super::packing::Packing;
use crate::error::{Error, Result};
use crate::log::record::{self, NO_TIMESTAMP, NewRecord};

/// The most bytes a batch can have: its length is an `i32`. Brokers take far less, see
/// [`LogConfig::max_message_bytes`](crate::log::LogConfig::max_message_bytes).
pub const MAX_BATCH_BYTES: usize = i32::MAX as usize;

/// How a transaction ended: what its marker says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EndTransaction {
    /// Its records do not count.
    Abort = 0,
    /// Its records count.
    Commit = 1,
}

/// Builds batches in a buffer of its own that is used again and again.
///
/// Records are encoded straight into the buffer; the header and the CRC come once, with
/// [`BatchBuilder::finish`]. Source: `org.apache.kafka.common.record.MemoryRecordsBuilder`.
///
/// ```
/// use loglanes::log::{BatchBuilder, BatchView, NewRecord};
/// # fn main() -> loglanes::Result {
/// let mut builder = BatchBuilder::new();
/// for value in [b"created".as_slice(), b"paid"] {
///     let record = NewRecord { timestamp: 5, key: Some(b"user_42"), value: Some(value), headers: &[] };
///     assert!(builder.has_room_for(&record, 16_384));
///     builder.append(&record)?;
/// }
/// assert_eq!(builder.count(), 2);
/// assert_eq!(BatchView::parse(builder.finish(0, -1))?.records().count(), 2);
/// builder.clear();
/// assert!(builder.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct BatchBuilder {
    /// Room for the header, then the records.
    pub(super) bytes: Vec<u8>,
    /// For compressed batches alone.
    pub(super) packing: Option<Box<Packing>>,
    state: State,
}

/// All but the buffer, so that a builder is cleared in one assignment.
#[derive(Debug, Clone, Copy)]
struct State {
    count: i32,
    last_offset_delta: i32,
    base_timestamp: i64,
    min_timestamp: Option<i64>,
    max_timestamp: i64,
    first_upper_bound: u64,
    delete_horizon: Option<i64>,
    producer_id: i64,
    producer_epoch: i16,
    base_sequence: i32,
    is_transactional: bool,
    is_control: bool,
    has_keyless: bool,
}

const START: State = State {
    count: 0,
    last_offset_delta: -1,
    base_timestamp: NO_TIMESTAMP,
    min_timestamp: None,
    max_timestamp: NO_TIMESTAMP,
    first_upper_bound: 0,
    delete_horizon: None,
    producer_id: -1,
    producer_epoch: -1,
    base_sequence: -1,
    is_transactional: false,
    is_control: false,
    has_keyless: false,
};

impl Default for BatchBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl BatchBuilder {
    /// An empty builder: no producer id, no transaction, `CreateTime`. A producer never says
    /// `LogAppendTime`; the log does that when it appends.
    #[must_use]
    pub fn new() -> Self {
        Self { bytes: vec![0; BATCH_HEADER_LEN], packing: None, state: START }
    }

    /// Forgets everything but the buffer and the codec.
    pub fn clear(&mut self) {
        self.bytes.truncate(BATCH_HEADER_LEN);
        if let Some(packing) = &mut self.packing {
            packing.clear();
        }
        self.state = START;
    }

    /// How many records it holds.
    #[must_use]
    pub fn count(&self) -> usize {
        self.state.count as usize
    }

    /// Whether it holds no records.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.state.count == 0
    }

    /// The size in bytes the batch has now, header included; 61 without records.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The greatest timestamp so far, or [`NO_TIMESTAMP`].
    #[must_use]
    pub fn max_timestamp(&self) -> i64 {
        self.state.max_timestamp
    }

    /// The least timestamp that is one; none where every record is without.
    pub(crate) fn min_timestamp(&self) -> Option<i64> {
        self.state.min_timestamp
    }

    /// Marks the batch as an idempotent producer's.
    ///
    /// # Errors
    /// `IllegalArgumentException`, as in Kafka: a negative epoch or sequence, or a negative id.
    pub fn set_producer(&mut self, id: i64, epoch: i16, base_sequence: i32) -> Result {
        let refused = |message: &'static str| {
            Err(Error::client("IllegalArgumentException", message)
                .with_hint("A producer's id, epoch and sequence are all 0 or more."))
        };
        if id < 0 {
            return refused("Invalid negative producer id");
        }
        if epoch < 0 {
            return refused("Invalid negative producer epoch");
        }
        // The transaction coordinator's markers have no sequence.
        if base_sequence < 0 && !self.state.is_control {
            return refused("Invalid negative sequence number used");
        }
        self.state.producer_id = id;
        self.state.producer_epoch = epoch;
        self.state.base_sequence = base_sequence;
        Ok(())
    }

    /// Marks the batch as part of a transaction of the producer that was set before.
    ///
    /// # Errors
    /// `IllegalArgumentException` without a producer, as in Kafka.
    pub fn set_transactional(&mut self) -> Result {
        if self.state.producer_id < 0 {
            return Err(Error::client(
                "IllegalArgumentException",
                "Cannot write transactional messages without a valid producer ID",
            )
            .with_hint("Set the producer first."));
        }
        self.state.is_transactional = true;
        Ok(())
    }

    /// Marks the batch as the broker's own: it takes [`append_marker`](Self::append_marker)
    /// and nothing else, and consumers skip it. A marker has no sequence number, so this comes
    /// before [`set_producer`](Self::set_producer).
    pub fn set_control(&mut self) {
        self.state.is_control = true;
    }

    /// Adds the marker that ends a transaction. Source: `EndTransactionMarker`.
    ///
    /// # Errors
    /// `IllegalArgumentException` in a batch that is not a control batch, and as
    /// [`BatchBuilder::append`].
    pub fn append_marker(
        &mut self,
        marker: EndTransaction,
        coordinator_epoch: i32,
        timestamp: i64,
    ) -> Result {
        if !self.state.is_control {
            return Err(control_mismatch());
        }
        // Two i16: the version, 0, and the type; then the version again, and the epoch.
        let key = [0, 0, 0, marker as u8];
        let [a, b, c, d] = coordinator_epoch.to_be_bytes();
        let value = [0, 0, a, b, c, d];
        let offset_delta =
            self.state.last_offset_delta.checked_add(1).ok_or_else(offsets_exhausted)?;
        let record = NewRecord { timestamp, key: Some(&key), value: Some(&value), headers: &[] };
        self.push(offset_delta, &record)
    }

    /// Adds a control record that was stored before.
    pub(crate) fn append_control(&mut self, record: &NewRecord<'_>) -> Result {
        self.push(
            self.state.last_offset_delta.checked_add(1).ok_or_else(offsets_exhausted)?,
            record,
        )
    }

    /// Sets when tombstones in this batch may be removed, in milliseconds; before any record,
    /// because timestamp deltas count from it. Later it has no effect.
    pub fn set_delete_horizon(&mut self, horizon_ms: i64) {
        if self.is_empty() {
            self.state.delete_horizon = Some(horizon_ms);
        }
    }

    /// Whether `record` still belongs in this batch, by the Java producer's rule for
    /// `batch.size`: the first record always does; a later one while the batch stays within
    /// `batch_size`, or within the upper estimate of its first record where that is larger.
    ///
    /// Source: `MemoryRecordsBuilder.hasRoomFor`, `RecordAccumulator.append`.
    #[must_use]
    #[inline]
    pub fn has_room_for(&self, record: &NewRecord<'_>, batch_size: usize) -> bool {
        if self.state.count == 0 {
            return true;
        }
        let limit = (batch_size as u64).max(self.state.first_upper_bound);
        let written = self.estimated_len() as u64;
        if written >= limit {
            return false;
        }
        let delta = record.timestamp.wrapping_sub(self.state.base_timestamp);
        let offset_delta = self.state.last_offset_delta.wrapping_add(1);
        limit >= written + record.encoded_len(offset_delta, delta)
    }

    /// Whether no record at all has room any more, by the same rule.
    ///
    /// Source: `MemoryRecordsBuilder.isFull`.
    #[must_use]
    #[inline]
    pub fn is_full(&self, batch_size: usize) -> bool {
        let limit = (batch_size as u64).max(self.state.first_upper_bound);
        self.state.count > 0 && self.estimated_len() as u64 >= limit
    }

    /// Adds a record at the next offset.
    ///
    /// # Errors
    /// `IllegalArgumentException` for a timestamp below -1, as in Kafka; past
    /// [`MAX_BATCH_BYTES`], that limit. The batch is then as before.
    #[inline]
    pub fn append(&mut self, record: &NewRecord<'_>) -> Result {
        match self.state.last_offset_delta.checked_add(1) {
            Some(offset_delta) => self.append_at(offset_delta, record),
            None => Err(offsets_exhausted()),
        }
    }

    /// Adds a record at an offset of its own, `offset_delta` above the base offset: the way to
    /// write a batch with gaps, as compaction leaves it.
    ///
    /// # Errors
    /// As [`BatchBuilder::append`], and `IllegalArgumentException` for an offset that is not
    /// above the one before.
    #[inline]
    pub fn append_at(&mut self, offset_delta: i32, record: &NewRecord<'_>) -> Result {
        if self.state.is_control {
            return Err(control_mismatch());
        }
        self.push(offset_delta, record)
    }

    #[inline]
    fn push(&mut self, offset_delta: i32, record: &NewRecord<'_>) -> Result {
        let state = &self.state;
        if record.timestamp < NO_TIMESTAMP {
            return Err(negative_timestamp(record.timestamp));
        }
        if offset_delta <= state.last_offset_delta {
            return Err(offset_not_rising(offset_delta, state.last_offset_delta));
        }
        let base_timestamp = match (state.delete_horizon, state.count) {
            (Some(horizon), _) => horizon,
            (None, 0) => record.timestamp,
            (None, _) => state.base_timestamp,
        };
        // Java's arithmetic: -1 and i64::MAX in one batch wrap around, and back when read.
        let timestamp_delta = record.timestamp.wrapping_sub(base_timestamp);
        let body = record.body_len(offset_delta, timestamp_delta);
        let room = (MAX_BATCH_BYTES - self.bytes.len()) as u64;
        // Five more for the length in front.
        if body + 5 > room {
            return Err(too_large(body));
        }
        // The scratch blocks are copied whole and then cut: room for the last one's rest too.
        self.bytes.reserve(body as usize + 37);
        record::encode(&mut self.bytes, record, body as i32, offset_delta, timestamp_delta);

        let state = &mut self.state;
        if state.count == 0 {
            state.base_timestamp = base_timestamp;
            state.first_upper_bound = record.size_upper_bound();
        }
        state.count += 1;
        state.has_keyless |= record.key.is_none();
        state.last_offset_delta = offset_delta;
        state.max_timestamp = state.max_timestamp.max(record.timestamp);
        if record.timestamp != NO_TIMESTAMP {
            let least = state.min_timestamp.unwrap_or(record.timestamp);
            state.min_timestamp = Some(least.min(record.timestamp));
        }
        Ok(())
    }

    /// Lets the batch span offsets up to `base offset + delta`, though its last record may lie
    /// lower: what compaction does to keep a batch's end.
    pub fn set_last_offset_delta(&mut self, delta: i32) {
        self.state.last_offset_delta = delta;
    }

    pub(crate) fn last_offset_delta(&self) -> i32 {
        self.state.last_offset_delta
    }

    pub(crate) fn is_control(&self) -> bool {
        self.state.is_control
    }

    /// Whether some record has no key.
    pub(crate) fn has_keyless(&self) -> bool {
        self.state.has_keyless
    }

    /// Writes what is left of a stored batch: the records this holds, none included, with the
    /// offsets, the producer, the leader epoch and the timestamp type of `original`. Source:
    /// `MemoryRecords.buildRetainedRecordsInto` and `DefaultRecordBatch.writeEmptyHeader`.
    pub(crate) fn finish_as(&mut self, original: &BatchHeader) -> &mut [u8] {
        let state = &self.state;
        let keeps_time =
            self.is_empty() || original.timestamp_type() == TimestampType::LogAppendTime;
        let header = BatchHeader {
            base_timestamp: state.base_timestamp,
            max_timestamp: if keeps_time { original.max_timestamp } else { state.max_timestamp },
            record_count: state.count,
            ..*original
        };
        header
            .with_attributes(
                original.timestamp_type(),
                original.is_transactional(),
                original.is_control(),
                !self.is_empty() && state.delete_horizon.is_some(),
            )
            .seal(&mut self.bytes);
        &mut self.bytes
    }

    /// Writes the header and the CRC and gives the batch; no bytes without records, as in
    /// Kafka. A producer sends base offset 0 and leader epoch -1. The records stay: finish
    /// again with another offset, append more, or [`clear`](Self::clear).
    pub fn finish(&mut self, base_offset: i64, leader_epoch: i32) -> &mut [u8] {
        self.finish_at(base_offset, leader_epoch, None)
    }

    /// As `finish`, with the broker's time where the topic asks for it.
    pub(crate) fn finish_at(
        &mut self,
        base_offset: i64,
        leader_epoch: i32,
        log_append_time: Option<i64>,
    ) -> &mut [u8] {
        if self.is_empty() {
            return &mut [];
        }
        self.header(base_offset, leader_epoch, log_append_time).seal(&mut self.bytes);
        &mut self.bytes
    }

    pub(crate) fn header(
        &self,
        base_offset: i64,
        partition_leader_epoch: i32,
        log_append_time: Option<i64>,
    ) -> BatchHeader {
        let state = &self.state;
        let timestamp_type = match log_append_time {
            None => TimestampType::CreateTime,
            Some(_) => TimestampType::LogAppendTime,
        };
        BatchHeader {
            base_offset,
            batch_length: 0,
            partition_leader_epoch,
            magic: 2,
            crc: 0,
            attributes: 0,
            last_offset_delta: state.last_offset_delta,
            base_timestamp: state.base_timestamp,
            max_timestamp: log_append_time.unwrap_or(state.max_timestamp),
            producer_id: state.producer_id,
            producer_epoch: state.producer_epoch,
            base_sequence: state.base_sequence,
            record_count: state.count,
        }
        .with_attributes(
            timestamp_type,
            state.is_transactional,
            state.is_control,
            state.delete_horizon.is_some(),
        )
    }
}

#[cold]
fn control_mismatch() -> Error {
    Error::client(
        "IllegalArgumentException",
        "Control records can only be appended to control batches",
    )
    .with_hint("A control batch holds transaction markers, any other batch holds records.")
}

#[cold]
fn negative_timestamp(timestamp: i64) -> Error {
    Error::client("IllegalArgumentException", format!("Invalid negative timestamp {timestamp}"))
        .with_hint("Give milliseconds since 1970, or -1 for no timestamp.")
}

#[cold]
fn offset_not_rising(offset: i32, last: i32) -> Error {
    Error::client(
        "IllegalArgumentException",
        format!(
            "Illegal offset {offset} following previous offset {last} (Offsets must increase monotonically)."
        ),
    )
    .with_hint("Append the records in the order of their offsets.")
}

#[cold]
fn offsets_exhausted() -> Error {
    Error::client("IllegalArgumentException", "Maximum offset delta exceeded")
        .with_hint("A batch spans 2^31 offsets; begin another.")
}

#[cold]
fn too_large(body: u64) -> Error {
    Error::limit(
        "MAX_BATCH_BYTES",
        format!(
            "A record of {body} bytes does not fit: a batch has at most {MAX_BATCH_BYTES} bytes."
        ),
    )
    .with_hint("Finish this batch first, or send a smaller record.")
}
