//! Messages of the formats v0 and v1, which Kafka wrote before 0.11 and still reads from files.
//!
//! A message is: offset, length, CRC-32, magic, attributes, in v1 a timestamp, key, value. One that
//! is compressed wraps others in its value; its offset is that of the last of them, and in v1
//! theirs count from 0. There are no headers. Sources: `LegacyRecord`, `AbstractLegacyRecordBatch`,
//! Apache Kafka 4.4.0.

use crate::error::{Error, Result};
use crate::log::compression::unpack_message;
use crate::log::{Compression, NO_TIMESTAMP, TimestampType};

/// Offset and length.
const LOG_OVERHEAD: usize = 12;
/// Where the CRC's cover begins, counted from the CRC.
const MAGIC_AT: usize = 4;
const OVERHEAD_V0: usize = 14;
const OVERHEAD_V1: usize = 22;

/// A message as a record. It owns its bytes, as a wrapped one lies in what was unpacked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LegacyRecord {
    /// Its offset in the partition.
    pub offset: i64,
    /// Milliseconds since 1970; -1 in format v0, which has none.
    pub timestamp: i64,
    /// Who set the timestamp.
    pub timestamp_type: TimestampType,
    /// The key; none and empty are two things.
    pub key: Option<Vec<u8>>,
    /// The value.
    pub value: Option<Vec<u8>>,
}

/// The records of one message of format v0 or v1, which is the whole of `message`: one, or those
/// that it wraps.
///
/// # Errors
/// [`Refusal::Corrupt`](crate::Refusal::Corrupt) in the words of Kafka's reader: a CRC that does
/// not fit, a message cut short, a wrapper around nothing or around a wrapper, a stream that does
/// not unpack.
///
/// ```
/// use loglanes::interchange::segment::legacy_records;
///
/// let message = b"\0\0\0\0\0\0\0\x07\0\0\0\x13\x74\x99\x41\x80\0\0\0\0\0\x01k\0\0\0\x04none";
/// let error = legacy_records(message).unwrap_err();
/// assert!(error.message().starts_with("Record is corrupt (stored crc = 1956200832"));
/// ```
pub fn legacy_records(message: &[u8]) -> Result<Vec<LegacyRecord>> {
    let outer = Message::parse(message)?;
    outer.check()?;
    let codec = outer.codec();
    if codec == Compression::None {
        return Ok(vec![outer.record(outer.offset, None)?]);
    }
    unwrap(&outer, codec)
}

/// Source: `AbstractLegacyRecordBatch.DeepRecordsIterator`.
fn unwrap(outer: &Message<'_>, codec: Compression) -> Result<Vec<LegacyRecord>> {
    let magic = outer.magic;
    if matches!(codec, Compression::Zstd) {
        return Err(corrupt(format!("Unexpected zstd compression with magic {magic}")));
    }
    if let Compression::Unknown(id) = codec {
        return Err(corrupt(format!("Unknown compression type id: {id}")));
    }
    let (_, value) = outer.fields()?;
    let Some(packed) = value else {
        return Err(corrupt(format!(
            "Found invalid compressed record set with null value (magic = {magic})"
        )));
    };
    let unpacked = unpack_message(codec, packed, magic == 0)?;
    let mut inner = Vec::new();
    let mut rest = &unpacked[..];
    while !rest.is_empty() {
        let message = Message::parse(rest)?;
        if message.magic != magic {
            return Err(corrupt(format!(
                "Compressed message has magic value {}, its wrapper {magic}",
                message.magic
            )));
        }
        if message.codec() != Compression::None {
            return Err(corrupt("Inner record must not be compressed"));
        }
        message.check()?;
        rest = rest.get(LOG_OVERHEAD + message.body.len()..).unwrap_or_default();
        inner.push(message);
    }
    let Some(last) = inner.last() else {
        return Err(corrupt("Found invalid compressed record set with no inner records"));
    };
    // In v1 they count from 0 up to the wrapper's offset. That is 0 in what some clients sent.
    let base = match magic {
        1 if outer.offset == 0 => 0,
        1 if outer.offset < last.offset => {
            return Err(corrupt(format!(
                "Found invalid wrapper offset in compressed v1 message set, wrapper offset '{}' is \
                 less than the last inner message offset '{}' and it is not zero.",
                outer.offset, last.offset
            )));
        }
        1 => outer.offset.wrapping_sub(last.offset),
        _ => 0,
    };
    let append_time = outer.append_time();
    inner
        .iter()
        .map(|message| message.record(base.wrapping_add(message.offset), append_time))
        .collect()
}

type Fields<'a> = (Option<&'a [u8]>, Option<&'a [u8]>);

/// A message, its fields not read yet.
struct Message<'a> {
    offset: i64,
    magic: i8,
    attributes: u8,
    /// From the CRC on.
    body: &'a [u8],
}

impl<'a> Message<'a> {
    fn parse(bytes: &'a [u8]) -> Result<Self> {
        let cut = || corrupt("A message was begun, and is not there to its end");
        let (offset, rest) = bytes.split_first_chunk::<8>().ok_or_else(cut)?;
        let (length, rest) = rest.split_first_chunk::<4>().ok_or_else(cut)?;
        let length = i32::from_be_bytes(*length);
        let Ok(len) = usize::try_from(length) else { return Err(too_small(length)) };
        if len < OVERHEAD_V0 {
            return Err(too_small(length));
        }
        let body = rest.get(..len).ok_or_else(cut)?;
        let [magic, attributes] = [MAGIC_AT, MAGIC_AT + 1].map(|at| body.get(at).copied());
        let (Some(magic), Some(attributes)) = (magic, attributes) else { return Err(cut()) };
        let magic = magic.cast_signed();
        if !(0..=1).contains(&magic) {
            return Err(corrupt(format!(
                "Invalid wrapper magic found in legacy deep record iterator {magic}"
            )));
        }
        Ok(Self { offset: i64::from_be_bytes(*offset), magic, attributes, body })
    }

    /// Source: `LegacyRecord.ensureValid`.
    fn check(&self) -> Result {
        let least = if self.magic == 0 { OVERHEAD_V0 } else { OVERHEAD_V1 };
        let (Some((stored, covered)), true) =
            (self.body.split_first_chunk::<4>(), self.body.len() >= least)
        else {
            return Err(corrupt(format!(
                "Record is corrupt (crc could not be retrieved as the record is too small, size = \
                 {})",
                self.body.len()
            )));
        };
        let stored = u32::from_be_bytes(*stored);
        let mut crc = flate2::Crc::new();
        crc.update(covered);
        if stored == crc.sum() {
            return Ok(());
        }
        Err(corrupt(format!(
            "Record is corrupt (stored crc = {stored}, computed crc = {})",
            crc.sum()
        )))
    }

    fn codec(&self) -> Compression {
        Compression::from_id(self.attributes & 7)
    }

    fn timestamp_type(&self) -> TimestampType {
        if self.magic == 1 && self.attributes & 8 != 0 {
            TimestampType::LogAppendTime
        } else {
            TimestampType::CreateTime
        }
    }

    fn timestamp(&self) -> i64 {
        let timestamp = self.body.get(6..).and_then(|rest| rest.first_chunk::<8>());
        match timestamp {
            Some(bytes) if self.magic == 1 => i64::from_be_bytes(*bytes),
            _ => NO_TIMESTAMP,
        }
    }

    /// The time that a wrapper sets for all that it wraps.
    fn append_time(&self) -> Option<i64> {
        (self.timestamp_type() == TimestampType::LogAppendTime).then(|| self.timestamp())
    }

    /// Key and value.
    fn fields(&self) -> Result<Fields<'a>> {
        let mut rest = self.body.get(if self.magic == 0 { 6 } else { 14 }..).unwrap_or_default();
        Ok((field(&mut rest)?, field(&mut rest)?))
    }

    fn record(&self, offset: i64, append_time: Option<i64>) -> Result<LegacyRecord> {
        let (key, value) = self.fields()?;
        Ok(LegacyRecord {
            offset,
            timestamp: append_time.unwrap_or_else(|| self.timestamp()),
            timestamp_type: match append_time {
                Some(_) => TimestampType::LogAppendTime,
                None => self.timestamp_type(),
            },
            key: key.map(Into::into),
            value: value.map(Into::into),
        })
    }
}

/// Bytes behind their length; a negative one is none.
fn field<'a>(rest: &mut &'a [u8]) -> Result<Option<&'a [u8]>> {
    let cut = || corrupt("Found invalid record structure");
    let (length, behind) = rest.split_first_chunk::<4>().ok_or_else(cut)?;
    let Ok(len) = usize::try_from(i32::from_be_bytes(*length)) else {
        *rest = behind;
        return Ok(None);
    };
    let (bytes, behind) = behind.split_at_checked(len).ok_or_else(cut)?;
    *rest = behind;
    Ok(Some(bytes))
}

fn too_small(length: i32) -> Error {
    corrupt(format!("Found record size {length} smaller than minimum record overhead (14)"))
}

fn corrupt(message: impl Into<String>) -> Error {
    Error::corrupt(message.into())
        .with_hint("The file was damaged, or no broker wrote it: take it anew.")
}
