//! One record: as it is given, and as it lies in a batch.
//!
//! A record's bytes are: length, attributes (0), timestamp delta, offset delta, key, value,
//! headers; all lengths and deltas are varints. Source: `org.apache.kafka.common.record.DefaultRecord`.
//! Decoding borrows, allocates nothing and refuses what Kafka's consumer refuses, in its words.

use std::fmt;

use super::batch::Compression;
use super::compression::{MAX_UNPACKED_BYTES, Stage, StreamFault};
use super::varint::{self, VarintError};
use crate::error::Error;

/// The most bytes a record can take beside its key, value and headers: length 5, attributes 1,
/// timestamp delta 10, offset delta 5. Source: `DefaultRecord.MAX_RECORD_OVERHEAD`.
pub const MAX_RECORD_OVERHEAD: usize = 21;

/// "No timestamp". Source: `RecordBatch.NO_TIMESTAMP`.
pub const NO_TIMESTAMP: i64 = -1;

/// A header: a name and a value. A name may come more than once; the order is kept.
///
/// Kafka's names are UTF-8 text, which nothing enforces on the way to the log; so they are bytes
/// here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Header<'a> {
    /// The name; may be empty, never absent.
    pub key: &'a [u8],
    /// The value; none and empty are different.
    pub value: Option<&'a [u8]>,
}

/// A record to be written.
///
/// ```
/// use loglanes::log::NewRecord;
/// let tombstone = NewRecord { timestamp: 1_700_000_000_000, key: Some(b"user_42"), value: None, headers: &[] };
/// assert_eq!(tombstone.encoded_len(0, 0), 14);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewRecord<'a> {
    /// Milliseconds since 1970, or [`NO_TIMESTAMP`].
    pub timestamp: i64,
    /// The key; none, empty and the text `null` are three different keys.
    pub key: Option<&'a [u8]>,
    /// The value; none with a key makes a tombstone.
    pub value: Option<&'a [u8]>,
    /// The headers, in order.
    pub headers: &'a [Header<'a>],
}

impl NewRecord<'_> {
    /// The exact size in bytes, length varint included, at these deltas to the batch's base
    /// offset and base timestamp. Source: `DefaultRecord.sizeInBytes`.
    #[must_use]
    #[inline]
    pub fn encoded_len(&self, offset_delta: i32, timestamp_delta: i64) -> u64 {
        let body = self.body_len(offset_delta, timestamp_delta);
        varint_len(body) + body
    }

    /// The size without the length varint in front.
    #[inline]
    pub(crate) fn body_len(&self, offset_delta: i32, timestamp_delta: i64) -> u64 {
        1 + varint::len_i64(timestamp_delta) as u64
            + varint::len_i32(offset_delta) as u64
            + optional_len(self.key)
            + optional_len(self.value)
            + headers_len(self.headers)
    }

    /// Kafka's upper estimate of a batch that holds this record alone; see [`size_upper_bound`].
    #[must_use]
    pub fn size_upper_bound(&self) -> u64 {
        size_upper_bound(
            self.key.map_or(0, <[u8]>::len),
            self.value.map_or(0, <[u8]>::len),
            self.headers,
        )
    }
}

/// Kafka's upper estimate, in bytes, of an uncompressed batch that holds one record: what
/// `max.request.size` is compared with, and the room a batch gets for its first record.
///
/// A none key or value costs the same as an empty one. Source:
/// `DefaultRecordBatch.estimateBatchSizeUpperBound`.
///
/// ```
/// use loglanes::log::record::size_upper_bound;
/// // The largest value without a key that a Java producer sends at max.request.size=1000.
/// assert_eq!(size_upper_bound(0, 914, &[]), 1000);
/// ```
#[must_use]
pub fn size_upper_bound(key_len: usize, value_len: usize, headers: &[Header<'_>]) -> u64 {
    (super::batch::BATCH_HEADER_LEN + MAX_RECORD_OVERHEAD) as u64
        + bytes_len(key_len)
        + bytes_len(value_len)
        + headers_len(headers)
}

/// Sizes are summed as `u64`: in wasm three slices can be longer together than a `usize` counts.
#[inline]
fn varint_len(len: u64) -> u64 {
    varint::len_i32(i32::try_from(len).unwrap_or(i32::MAX)) as u64
}

#[inline]
fn bytes_len(len: usize) -> u64 {
    varint_len(len as u64) + len as u64
}

#[inline]
fn optional_len(bytes: Option<&[u8]>) -> u64 {
    bytes.map_or(1, |bytes| bytes_len(bytes.len()))
}

#[inline]
fn headers_len(headers: &[Header<'_>]) -> u64 {
    let mut len = varint_len(headers.len() as u64);
    for header in headers {
        len += bytes_len(header.key.len()) + optional_len(header.value);
    }
    len
}

/// Appends the record's bytes. `body` is what [`NewRecord::body_len`] said and fits an `i32`.
#[inline]
pub(crate) fn encode(
    out: &mut Vec<u8>,
    record: &NewRecord<'_>,
    body: i32,
    offset_delta: i32,
    timestamp_delta: i64,
) {
    let mut prefix = varint::Scratch::new();
    prefix.put_i32(body);
    prefix.put_byte(0); // attributes: always 0
    prefix.put_i64(timestamp_delta);
    prefix.put_i32(offset_delta);
    prefix.put_i32(length_of(record.key));
    prefix.copy_to(out);
    out.extend_from_slice(record.key.unwrap_or_default());
    write_optional(out, record.value);
    varint::write_i32(out, record.headers.len() as i32);
    for header in record.headers {
        write_optional(out, Some(header.key));
        write_optional(out, header.value);
    }
}

#[inline]
fn length_of(bytes: Option<&[u8]>) -> i32 {
    bytes.map_or(-1, |bytes| bytes.len() as i32)
}

#[inline]
fn write_optional(out: &mut Vec<u8>, bytes: Option<&[u8]>) {
    varint::write_i32(out, length_of(bytes));
    out.extend_from_slice(bytes.unwrap_or_default());
}

/// A record as it lies in a batch; borrows the batch's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordView<'a> {
    /// Its offset in the partition.
    pub offset: i64,
    /// Milliseconds since 1970, or [`NO_TIMESTAMP`]. In a `LogAppendTime` batch every record has
    /// the batch's time.
    pub timestamp: i64,
    /// The key.
    pub key: Option<&'a [u8]>,
    /// The value.
    pub value: Option<&'a [u8]>,
    header_count: u32,
    /// Where the headers begin in `bytes`.
    headers_at: u32,
    bytes: &'a [u8],
}

impl<'a> RecordView<'a> {
    /// The headers, in order, duplicates included; decoded as they are asked for.
    #[must_use]
    pub fn headers(&self) -> Headers<'a> {
        Headers { left: self.header_count, bytes: self.bytes, at: self.headers_at as usize }
    }

    /// How many headers there are.
    #[must_use]
    pub fn header_count(&self) -> usize {
        self.header_count as usize
    }

    /// The record's own bytes in the batch, length varint included.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// How many bytes it says that it has: those of [`RecordView::bytes`] behind the varint.
    pub(crate) fn body_len(&self) -> usize {
        let mut at = 0;
        // Decoding the record read this very number.
        let _ = varint::read_i32(self.bytes, &mut at);
        self.bytes.len().saturating_sub(at)
    }

    /// Whether this deletes its key when the log is compacted: a key, and no value.
    #[must_use]
    pub fn is_tombstone(&self) -> bool {
        self.key.is_some() && self.value.is_none()
    }
}

/// The headers of a record, see [`RecordView::headers`].
#[derive(Debug, Clone)]
pub struct Headers<'a> {
    left: u32,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Iterator for Headers<'a> {
    type Item = Header<'a>;

    fn next(&mut self) -> Option<Header<'a>> {
        self.left = self.left.checked_sub(1)?;
        // Decoding the record went over these very bytes, so this does not fail.
        read_header(self.bytes, &mut self.at).ok()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left as usize, Some(self.left as usize))
    }
}

impl ExactSizeIterator for Headers<'_> {}

/// What is wrong with the bytes of a record, in the words of Kafka's consumer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RecordFault {
    Structure,
    LengthTooLong,
    PrematureEnd,
    LengthOverBatch {
        length: i32,
        remaining: usize,
    },
    LengthWrong {
        length: i32,
        read: usize,
    },
    HeaderCount(i32),
    HeaderCountOverBatch(i32),
    HeaderKeyLength(i32),
    RecordsRemaining,
    BatchCount(i32),
    /// Records that nobody has unpacked.
    Compressed(Compression),
    /// A length that the end of the stream cuts off.
    StreamEnd(i32),
    /// The stream is damaged before the record's end.
    Stream(StreamFault),
    /// The stream is damaged behind the last record.
    StreamRest(StreamFault),
}

impl fmt::Display for RecordFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Structure => f.write_str("Found invalid record structure"),
            Self::LengthTooLong => {
                f.write_str("Varint is too long, the most significant bit in the 5th byte is set")
            }
            Self::PrematureEnd => {
                f.write_str("Incorrect declared batch size, premature EOF reached")
            }
            Self::LengthOverBatch { length, remaining } => write!(
                f,
                "Invalid record size: expected {length} bytes in record payload, but instead the \
                 buffer has only {remaining} remaining bytes."
            ),
            Self::LengthWrong { length, read } => write!(
                f,
                "Invalid record size: expected to read {length} bytes in record payload, but \
                 instead read {read}"
            ),
            Self::HeaderCount(count) => {
                write!(f, "Found invalid number of record headers {count}")
            }
            Self::HeaderCountOverBatch(count) => write!(
                f,
                "Found invalid number of record headers. {count} is larger than the remaining \
                 size of the buffer"
            ),
            Self::HeaderKeyLength(length) => {
                write!(f, "Invalid negative header key size {length}")
            }
            Self::RecordsRemaining => {
                f.write_str("Incorrect declared batch size, records still remaining in file")
            }
            Self::BatchCount(count) => {
                write!(f, "Found invalid record count {count} in magic v2 batch")
            }
            Self::Compressed(Compression::Unknown(id)) => {
                write!(f, "Unknown compression type id: {id}")
            }
            Self::Compressed(codec) => {
                write!(f, "The records of this batch are compressed with {codec}")
            }
            Self::StreamEnd(length) => write!(
                f,
                "Invalid record size: expected {length} bytes in record payload, but the record \
                 payload reached EOF."
            ),
            Self::Stream(fault) => write!(f, "{fault}"),
            Self::StreamRest(fault) if fault.stage == Stage::Read => write!(
                f,
                "Error checking for remaining bytes after reading batch ({})",
                fault.cause
            ),
            Self::StreamRest(fault) => write!(f, "{fault}"),
        }
    }
}

impl From<RecordFault> for Error {
    fn from(fault: RecordFault) -> Self {
        match fault {
            RecordFault::Compressed(_) => Self::loglanes(fault.to_string())
                .with_hint("Only uncompressed batches are taken here."),
            RecordFault::Stream(stream) | RecordFault::StreamRest(stream)
                if stream.stage == Stage::Limit =>
            {
                Self::limit("MAX_UNPACKED_BYTES", fault.to_string()).with_hint(format!(
                    "Loglanes holds records unpacked, at most {MAX_UNPACKED_BYTES} bytes of a batch."
                ))
            }
            _ => Self::corrupt(fault.to_string())
                .with_hint("The batch was not written by a Kafka client: produce it anew."),
        }
    }
}

impl From<VarintError> for RecordFault {
    fn from(_: VarintError) -> Self {
        Self::Structure
    }
}

/// What the batch adds to each of its records.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BatchBase {
    pub offset: i64,
    pub timestamp: i64,
    pub log_append_time: Option<i64>,
}

/// Decodes the record at `*at` and moves `at` behind it. Like Kafka's, the fields are read up to
/// the end of the batch, and only then compared with the record's own length.
#[inline(always)]
pub(crate) fn decode<'a>(
    bytes: &'a [u8],
    at: &mut usize,
    base: &BatchBase,
) -> Result<RecordView<'a>, RecordFault> {
    let start = *at;
    let length = match varint::read_i32(bytes, at) {
        Ok(length) => length,
        Err(VarintError::Truncated) => return Err(RecordFault::PrematureEnd),
        Err(VarintError::TooLong) => return Err(RecordFault::LengthTooLong),
    };
    let body = *at;
    let remaining = bytes.len() - body;
    if i64::from(length) > remaining as i64 {
        return Err(RecordFault::LengthOverBatch { length, remaining });
    }
    decode_body(bytes, at, base, start, length)
}

/// Decodes a record of an unpacked stream. Unlike above, Kafka cuts it out by its length first.
pub(crate) fn decode_unpacked<'a>(
    bytes: &'a [u8],
    at: &mut usize,
    base: &BatchBase,
) -> Result<RecordView<'a>, RecordFault> {
    let start = *at;
    let length = varint::read_i32(bytes, at).map_err(|_| RecordFault::PrematureEnd)?;
    let len = usize::try_from(length).map_err(|_| RecordFault::PrematureEnd)?;
    let end = at.checked_add(len).ok_or(RecordFault::StreamEnd(length))?;
    let record = bytes.get(..end).ok_or(RecordFault::StreamEnd(length))?;
    decode_body(record, at, base, start, length)
}

#[inline(always)]
fn decode_body<'a>(
    bytes: &'a [u8],
    at: &mut usize,
    base: &BatchBase,
    start: usize,
    length: i32,
) -> Result<RecordView<'a>, RecordFault> {
    let body = *at;
    if body == bytes.len() {
        return Err(RecordFault::Structure);
    }
    *at += 1; // attributes: unused, and accepted whatever they say
    let timestamp_delta = varint::read_i64(bytes, at)?;
    let offset_delta = varint::read_i32(bytes, at)?;
    let key = read_optional(bytes, at)?;
    let value = read_optional(bytes, at)?;
    let count = varint::read_i32(bytes, at)?;
    let header_count = u32::try_from(count).map_err(|_| RecordFault::HeaderCount(count))?;
    let headers_at = *at;
    if header_count > 0 {
        if u64::from(header_count) > (bytes.len() - headers_at) as u64 {
            return Err(RecordFault::HeaderCountOverBatch(count));
        }
        for _ in 0..header_count {
            read_header(bytes, at)?;
        }
    }
    let read = *at - body;
    if i64::from(length) != read as i64 {
        return Err(RecordFault::LengthWrong { length, read });
    }
    Ok(RecordView {
        offset: base.offset.wrapping_add(i64::from(offset_delta)),
        timestamp: match base.log_append_time {
            Some(timestamp) => timestamp,
            None => base.timestamp.wrapping_add(timestamp_delta),
        },
        key,
        value,
        header_count,
        headers_at: (headers_at - start) as u32,
        bytes: bytes.get(start..*at).unwrap_or_default(),
    })
}

/// Bytes behind their length; any negative length is none, as in Kafka's `Utils.readBytes`.
#[inline]
fn read_optional<'a>(bytes: &'a [u8], at: &mut usize) -> Result<Option<&'a [u8]>, RecordFault> {
    let length = varint::read_i32(bytes, at)?;
    match usize::try_from(length) {
        Ok(length) => take(bytes, at, length).map(Some),
        Err(_) => Ok(None),
    }
}

#[inline]
fn take<'a>(bytes: &'a [u8], at: &mut usize, length: usize) -> Result<&'a [u8], RecordFault> {
    let start = *at;
    let end = start.checked_add(length).ok_or(RecordFault::Structure)?;
    let taken = bytes.get(start..end).ok_or(RecordFault::Structure)?;
    *at = end;
    Ok(taken)
}

fn read_header<'a>(bytes: &'a [u8], at: &mut usize) -> Result<Header<'a>, RecordFault> {
    let length = varint::read_i32(bytes, at)?;
    let Ok(len) = usize::try_from(length) else {
        return Err(RecordFault::HeaderKeyLength(length));
    };
    let key = take(bytes, at, len)?;
    Ok(Header { key, value: read_optional(bytes, at)? })
}
