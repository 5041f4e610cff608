//! The 61 bytes in front of every batch.

use std::fmt;

use crate::error::{Error, Result};
use crate::log::crc32c;

/// The size of a batch's header. Source: `DefaultRecordBatch.RECORD_BATCH_OVERHEAD`.
pub const BATCH_HEADER_LEN: usize = 61;

/// Base offset and length, which the length field does not count. Source: `Records.LOG_OVERHEAD`.
pub(crate) const LOG_OVERHEAD: usize = 12;

/// Where the bytes that the CRC covers begin: at the attributes.
const CRC_COVERS_FROM: usize = 21;

/// The only format that is written since Kafka 4.0.
const MAGIC_V2: i8 = 2;

/// The shortest message of format v0: a length below it is refused before the magic is looked
/// at. Source: `LegacyRecord.RECORD_OVERHEAD_V0`.
const MIN_LENGTH: i32 = 14;

const TIMESTAMP_TYPE_BIT: i16 = 1 << 3;
const TRANSACTIONAL_BIT: i16 = 1 << 4;
const CONTROL_BIT: i16 = 1 << 5;
const DELETE_HORIZON_BIT: i16 = 1 << 6;

/// Who set the timestamps of a batch: `message.timestamp.type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TimestampType {
    /// The producer, record by record.
    #[default]
    CreateTime,
    /// The broker, when it appended the batch: one time for all its records.
    LogAppendTime,
}

impl TimestampType {
    /// Kafka's name of it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CreateTime => "CreateTime",
            Self::LogAppendTime => "LogAppendTime",
        }
    }
}

/// How the records of a batch are packed: the codec, attribute bits 0 to 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip.
    Gzip,
    /// snappy, in snappy-java's framing.
    Snappy,
    /// lz4, in its frame format.
    Lz4,
    /// zstd.
    Zstd,
    /// A number Kafka has not given out: 5 to 7.
    Unknown(u8),
}

impl Compression {
    pub(crate) const fn from_id(id: u8) -> Self {
        match id {
            0 => Self::None,
            1 => Self::Gzip,
            2 => Self::Snappy,
            3 => Self::Lz4,
            4 => Self::Zstd,
            _ => Self::Unknown(id),
        }
    }

    /// Its number in the attributes.
    #[must_use]
    pub const fn id(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Gzip => 1,
            Self::Snappy => 2,
            Self::Lz4 => 3,
            Self::Zstd => 4,
            Self::Unknown(id) => id,
        }
    }

    /// The codec of a `compression.type` as producers name it: `none`, `gzip`, `snappy`, `lz4`,
    /// `zstd`.
    ///
    /// ```
    /// use loglanes::log::Compression;
    /// assert_eq!(Compression::from_name("lz4"), Some(Compression::Lz4));
    /// assert_eq!(Compression::from_name("LZ4"), None);
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [Self::None, Self::Gzip, Self::Snappy, Self::Lz4, Self::Zstd];
        all.into_iter().find(|codec| codec.to_string() == name)
    }
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Gzip => f.write_str("gzip"),
            Self::Snappy => f.write_str("snappy"),
            Self::Lz4 => f.write_str("lz4"),
            Self::Zstd => f.write_str("zstd"),
            Self::Unknown(id) => write!(f, "unknown ({id})"),
        }
    }
}

/// What is wrong with the frame of a batch, in Kafka's words where it has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BatchFault {
    Truncated { size: u64, left: usize },
    Length(i32),
    Magic(i8),
    OldFormat(i8),
    Size(u64),
    Crc { stored: u32, computed: u32 },
}

impl fmt::Display for BatchFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Truncated { size, left } => {
                write!(f, "A record batch of {size} bytes was begun, and {left} bytes are there")
            }
            Self::Length(length) => write!(
                f,
                "Record size {length} is less than the minimum record overhead ({MIN_LENGTH})"
            ),
            Self::Magic(magic) => write!(f, "Invalid magic found in record: {magic}"),
            Self::OldFormat(magic) => {
                write!(f, "Records of format v{magic} are not read, only those of v2")
            }
            Self::Size(size) => write!(
                f,
                "Record batch is corrupt (the size {size} is smaller than the minimum allowed \
                 overhead {BATCH_HEADER_LEN})"
            ),
            Self::Crc { stored, computed } => {
                write!(f, "Record is corrupt (stored crc = {stored}, computed crc = {computed})")
            }
        }
    }
}

impl From<BatchFault> for Error {
    fn from(fault: BatchFault) -> Self {
        let hint = match fault {
            BatchFault::OldFormat(_) => {
                "Kafka 4 no longer takes this format either: produce the records anew."
            }
            BatchFault::Truncated { .. } => "Take the file again, to its end.",
            _ => "The bytes are not a record batch, or were changed since: take them anew.",
        };
        Self::corrupt(fault.to_string()).with_hint(hint)
    }
}

/// The size of the batch at the start of `bytes`, checked in the order of Kafka's
/// `ByteBufferLogInputStream`, so that the same bytes meet the same refusal.
pub(crate) fn frame(bytes: &[u8]) -> Result<usize, BatchFault> {
    let truncated = |size| BatchFault::Truncated { size, left: bytes.len() };
    let Some((_, [a, b, c, d])) = bytes.first_chunk::<LOG_OVERHEAD>().map(|head| {
        let (offset, length) = head.split_at(8);
        (offset, [length[0], length[1], length[2], length[3]])
    }) else {
        return Err(truncated(BATCH_HEADER_LEN as u64));
    };
    let length = i32::from_be_bytes([a, b, c, d]);
    if length < MIN_LENGTH {
        return Err(BatchFault::Length(length));
    }
    let size = length as u64 + LOG_OVERHEAD as u64;
    let Some(&magic) = bytes.get(16) else {
        return Err(truncated(size));
    };
    let magic = magic.cast_signed();
    if !(0..=MAGIC_V2).contains(&magic) {
        return Err(BatchFault::Magic(magic));
    }
    if size > bytes.len() as u64 {
        return Err(truncated(size));
    }
    if magic < MAGIC_V2 {
        return Err(BatchFault::OldFormat(magic));
    }
    Ok(size as usize)
}

/// A batch's header, field by field. Big-endian on the wire.
///
/// ```
/// use loglanes::log::{BatchBuilder, BatchHeader, NewRecord};
/// # fn main() -> loglanes::Result {
/// let mut builder = BatchBuilder::new();
/// builder.append(&NewRecord { timestamp: 5, key: None, value: Some(b"v"), headers: &[] })?;
/// let header = BatchHeader::parse(builder.finish(7, 0))?;
/// assert_eq!((header.base_offset, header.last_offset(), header.record_count), (7, 7, 1));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchHeader {
    /// The offset that the records' deltas count from. Not covered by the CRC.
    pub base_offset: i64,
    /// Bytes after this field; see [`BatchHeader::size_in_bytes`]. Not covered by the CRC.
    pub batch_length: i32,
    /// The leader's epoch when the batch was appended, -1 before. Not covered by the CRC.
    pub partition_leader_epoch: i32,
    /// The format: 2.
    pub magic: i8,
    /// CRC-32C of everything from the attributes on.
    pub crc: u32,
    /// Codec, timestamp type, and flags; bits 7 to 15 have no meaning and are kept.
    pub attributes: i16,
    /// The last offset less the base offset. Compaction leaves it when records go.
    pub last_offset_delta: i32,
    /// What the records' timestamp deltas count from: the first record's timestamp, or the
    /// delete horizon.
    pub base_timestamp: i64,
    /// The greatest timestamp in the batch; with `LogAppendTime` that of every record.
    pub max_timestamp: i64,
    /// The idempotent producer's id, or -1.
    pub producer_id: i64,
    /// The idempotent producer's epoch, or -1.
    pub producer_epoch: i16,
    /// The sequence number of the first record, or -1.
    pub base_sequence: i32,
    /// How many records follow. 0 is legal: compaction keeps some batches without records.
    pub record_count: i32,
}

impl BatchHeader {
    /// Reads the header of the batch that `bytes` begin with; the whole batch must be there.
    ///
    /// # Errors
    /// [`Refusal::Corrupt`](crate::Refusal::Corrupt) in Kafka's words: truncated, a length or
    /// size too small, a magic other than 2. The CRC is not checked: see
    /// [`BatchView::verify_crc`](super::BatchView::verify_crc).
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        Ok(Self::parse_framed(bytes, frame(bytes)?)?)
    }

    #[inline]
    pub(crate) fn parse_framed(bytes: &[u8], size: usize) -> Result<Self, BatchFault> {
        let Some(head) =
            bytes.first_chunk::<BATCH_HEADER_LEN>().filter(|_| size >= BATCH_HEADER_LEN)
        else {
            return Err(BatchFault::Size(size as u64));
        };
        Ok(Self {
            base_offset: i64::from_be_bytes(field(head, 0)),
            batch_length: i32::from_be_bytes(field(head, 8)),
            partition_leader_epoch: i32::from_be_bytes(field(head, 12)),
            magic: i8::from_be_bytes(field(head, 16)),
            crc: u32::from_be_bytes(field(head, 17)),
            attributes: i16::from_be_bytes(field(head, 21)),
            last_offset_delta: i32::from_be_bytes(field(head, 23)),
            base_timestamp: i64::from_be_bytes(field(head, 27)),
            max_timestamp: i64::from_be_bytes(field(head, 35)),
            producer_id: i64::from_be_bytes(field(head, 43)),
            producer_epoch: i16::from_be_bytes(field(head, 51)),
            base_sequence: i32::from_be_bytes(field(head, 53)),
            record_count: i32::from_be_bytes(field(head, 57)),
        })
    }

    /// The header's bytes, every field as it stands, the CRC included.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; BATCH_HEADER_LEN] {
        let mut out = [0; BATCH_HEADER_LEN];
        out[0..8].copy_from_slice(&self.base_offset.to_be_bytes());
        out[8..12].copy_from_slice(&self.batch_length.to_be_bytes());
        out[12..16].copy_from_slice(&self.partition_leader_epoch.to_be_bytes());
        out[16..17].copy_from_slice(&self.magic.to_be_bytes());
        out[17..21].copy_from_slice(&self.crc.to_be_bytes());
        out[21..23].copy_from_slice(&self.attributes.to_be_bytes());
        out[23..27].copy_from_slice(&self.last_offset_delta.to_be_bytes());
        out[27..35].copy_from_slice(&self.base_timestamp.to_be_bytes());
        out[35..43].copy_from_slice(&self.max_timestamp.to_be_bytes());
        out[43..51].copy_from_slice(&self.producer_id.to_be_bytes());
        out[51..53].copy_from_slice(&self.producer_epoch.to_be_bytes());
        out[53..57].copy_from_slice(&self.base_sequence.to_be_bytes());
        out[57..61].copy_from_slice(&self.record_count.to_be_bytes());
        out
    }

    /// Writes the header over the first bytes of `batch`, with the length and the CRC of what
    /// `batch` holds. A slice too short for a header, or too long for a batch, stays as it is.
    pub(crate) fn seal(mut self, batch: &mut [u8]) {
        let Ok(length) = i32::try_from(batch.len().saturating_sub(LOG_OVERHEAD)) else { return };
        self.batch_length = length;
        self.magic = MAGIC_V2;
        if let Some(head) = batch.first_chunk_mut() {
            *head = self.to_bytes();
        }
        let crc = crc32c::checksum(crc_covered(batch));
        if let Some(slot) = batch.get_mut(17..21) {
            slot.copy_from_slice(&crc.to_be_bytes());
        }
    }

    /// The offset of the last record the batch was written with.
    #[must_use]
    pub const fn last_offset(&self) -> i64 {
        self.base_offset.wrapping_add(self.last_offset_delta as i64)
    }

    /// The offset after the last: where a consumer reads on.
    #[must_use]
    pub const fn next_offset(&self) -> i64 {
        self.last_offset().wrapping_add(1)
    }

    /// The whole batch, header included.
    #[must_use]
    pub const fn size_in_bytes(&self) -> usize {
        (self.batch_length as usize).saturating_add(LOG_OVERHEAD)
    }

    /// Who set the timestamps.
    #[must_use]
    pub const fn timestamp_type(&self) -> TimestampType {
        if self.attributes & TIMESTAMP_TYPE_BIT == 0 {
            TimestampType::CreateTime
        } else {
            TimestampType::LogAppendTime
        }
    }

    /// How the records are packed.
    #[must_use]
    pub const fn compression(&self) -> Compression {
        Compression::from_id((self.attributes & 7) as u8)
    }

    /// Whether the batch belongs to a transaction.
    #[must_use]
    pub const fn is_transactional(&self) -> bool {
        self.attributes & TRANSACTIONAL_BIT != 0
    }

    /// Whether the batch holds the broker's own marker (commit, abort) and no data; consumers
    /// skip it.
    #[must_use]
    pub const fn is_control(&self) -> bool {
        self.attributes & CONTROL_BIT != 0
    }

    /// When the tombstones of this batch may go (milliseconds), if compaction has set that.
    #[must_use]
    pub const fn delete_horizon(&self) -> Option<i64> {
        if self.attributes & DELETE_HORIZON_BIT == 0 { None } else { Some(self.base_timestamp) }
    }

    /// The sequence number of the last offset, or -1 without a producer. After `i32::MAX` comes
    /// 0. Source: `DefaultRecordBatch.lastSequence`.
    #[must_use]
    pub const fn last_sequence(&self) -> i32 {
        if self.base_sequence < 0 {
            return -1;
        }
        match self.base_sequence.checked_add(self.last_offset_delta) {
            Some(sequence) => sequence,
            None => self.last_offset_delta - (i32::MAX - self.base_sequence) - 1,
        }
    }

    pub(crate) const fn with_attributes(
        mut self,
        timestamp_type: TimestampType,
        is_transactional: bool,
        is_control: bool,
        has_delete_horizon: bool,
    ) -> Self {
        self.attributes = 0;
        if is_transactional {
            self.attributes |= TRANSACTIONAL_BIT;
        }
        if is_control {
            self.attributes |= CONTROL_BIT;
        }
        if has_delete_horizon {
            self.attributes |= DELETE_HORIZON_BIT;
        }
        self.with_timestamp_type(timestamp_type)
    }

    pub(crate) const fn with_compression(mut self, codec: Compression) -> Self {
        self.attributes = (self.attributes & !7) | codec.id() as i16;
        self
    }

    pub(crate) const fn with_timestamp_type(mut self, timestamp_type: TimestampType) -> Self {
        match timestamp_type {
            TimestampType::CreateTime => self.attributes &= !TIMESTAMP_TYPE_BIT,
            TimestampType::LogAppendTime => self.attributes |= TIMESTAMP_TYPE_BIT,
        }
        self
    }
}

/// The bytes of a batch that its CRC covers.
#[inline]
pub(crate) fn crc_covered(batch: &[u8]) -> &[u8] {
    batch.get(CRC_COVERS_FROM..).unwrap_or_default()
}

/// `at + N` is within the header in every call, all with constants.
#[inline]
fn field<const N: usize>(head: &[u8; BATCH_HEADER_LEN], at: usize) -> [u8; N] {
    let mut out = [0; N];
    out.copy_from_slice(&head[at..at + N]);
    out
}
