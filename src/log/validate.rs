//! What a broker asks of a batch before it takes it.
//!
//! The checks come in the broker's order, because the first one that fails gives the error.
//! Most reach a client as a code with no text. Source: `ProduceRequest.validateRecords`,
//! `UnifiedLog.analyzeAndValidateRecords`, `LogValidator`.

use super::batch::{BatchFault, BatchView, TimestampType, UnpackedRecords, frame};
use super::compression::Stage;
use super::config::LogConfig;
use super::record::{NO_TIMESTAMP, RecordFault, RecordView};
use crate::error::{Error, ErrorCode, Result};

/// A produced batch that was looked at.
pub(crate) struct Produced<'a> {
    pub batch: BatchView<'a>,
    /// The greatest timestamp of its records.
    pub max_timestamp: i64,
    /// Its records unpacked; nothing where it is not compressed.
    pub unpacked: UnpackedRecords,
}

/// Checks the bytes of a produced batch.
pub(crate) fn produced<'a>(
    config: &LogConfig,
    name: &str,
    bytes: &'a [u8],
    now_ms: i64,
) -> Result<Produced<'a>> {
    let batch = only_batch(bytes)?;
    let header = batch.header();
    if header.is_transactional() && header.producer_id < 0 {
        return Err(Error::code_alone(ErrorCode::TransactionalIdAuthorizationFailed)
            .with_hint("A transactional batch needs a producer id."));
    }
    if header.base_offset != 0 {
        return Err(invalid("A producer sends base offset 0; the log assigns the offsets."));
    }
    size(config, batch.bytes().len())?;
    if batch.check_crc().is_err() {
        return Err(corrupt_message());
    }
    let span = i64::from(header.last_offset_delta) + 1;
    if span <= 0 || span != i64::from(header.record_count) {
        return Err(invalid("The record count must be the last offset delta plus 1, and not 0."));
    }
    if header.is_control() {
        return Err(invalid("Only the broker itself writes control batches."));
    }
    if header.producer_id >= 0 && header.base_sequence < 0 {
        return Err(invalid("A producer id needs a base sequence of 0 or more."));
    }
    let mut max_timestamp = NO_TIMESTAMP;
    let mut keyless = Vec::new();
    let mut untimely = None;
    let source = header.compression();
    let is_repacked = config.compression_type.target(source) != source;
    let unpacked = batch.unpack();
    let mut records = batch.records_in(&unpacked);
    let mut expected_offset = 0;
    let mut has_other_offsets = false;
    while let Some(record) = records.next_record() {
        let record = record.map_err(invalid_record)?;
        if batch.is_compressed() {
            record_size(config, &record)?;
        }
        has_other_offsets |= record.offset != expected_offset;
        expected_offset += 1;
        max_timestamp = max_timestamp.max(record.timestamp);
        if config.cleanup_policy.compact && record.key.is_none() {
            keyless.push(record.offset);
        } else if untimely.is_none() {
            let (offset, time) = (record.offset, record.timestamp);
            untimely = timestamp(config, header.timestamp_type(), offset, time, now_ms).err();
        }
    }
    // A record that cannot be read is told before all others, a time out of range before a key
    // that is missing.
    if let Some(error) = untimely {
        return Err(error);
    }
    if !keyless.is_empty() {
        return Err(keyless_batch(name, &keyless));
    }
    if has_other_offsets && batch.is_compressed() && !is_repacked {
        // The broker would number them anew, and has not kept the keys and values to do it.
        return Err(Error::code_alone(ErrorCode::UnknownServerError)
            .with_hint("The records of a compressed batch have the offsets 0, 1, 2 and so on."));
    }
    if !is_repacked {
        segment_size(config, batch.bytes().len())?;
    }
    Ok(Produced { batch, max_timestamp, unpacked })
}

/// The records of a batch that a builder has made. The error is what a Java producer shows for
/// the first record at fault; a time out of range is told before a key that is missing.
pub(crate) fn records(
    config: &LogConfig,
    name: &str,
    batch: &BatchView<'_>,
    now_ms: i64,
) -> Result {
    let mut keyless = 0_usize;
    for record in batch.records() {
        let record = record?;
        if config.cleanup_policy.compact && record.key.is_none() {
            keyless += 1;
        } else {
            check_timestamp(config, record.offset, record.timestamp, now_ms)?;
        }
    }
    if keyless == 0 {
        return Ok(());
    }
    Err(Error::broker(ErrorCode::InvalidRecord, keyless_record(name)).with_hint(
        "A compacted topic keeps the last record of each key: give the record a key. An empty \
         key is one.",
    ))
}

/// Every record of a batch that [`records`] finds at fault, by its place in the batch.
pub(crate) fn faulty_records(
    config: &LogConfig,
    name: &str,
    batch: &BatchView<'_>,
    now_ms: i64,
) -> Vec<(usize, Error)> {
    let is_keyless =
        |record: &RecordView<'_>| config.cleanup_policy.compact && record.key.is_none();
    let fault = |record: &RecordView<'_>| {
        if is_keyless(record) {
            return Some(Error::broker(ErrorCode::InvalidRecord, keyless_record(name)));
        }
        check_timestamp(config, record.offset, record.timestamp, now_ms).err()
    };
    let records = batch.records().flatten().enumerate();
    records.filter_map(|(place, record)| Some((place, fault(&record)?))).collect()
}

/// Source: `LogValidator.validateKey`.
fn keyless_record(name: &str) -> String {
    let place = if name.is_empty() { "" } else { " in topic partition " };
    format!("Compacted topic cannot accept message without key{place}{name}")
}

/// The broker's own answer, which names the first three records. Source:
/// `LogValidator.processRecordErrors`.
#[cold]
fn keyless_batch(name: &str, places: &[i64]) -> Error {
    let first: Vec<String> = places
        .iter()
        .take(3)
        .map(|place| format!("RecordError(batchIndex={place}, message='{}')", keyless_record(name)))
        .collect();
    Error::broker(
        ErrorCode::InvalidRecord,
        format!(
            "One or more records have been rejected due to {} record errors in total, and only \
             showing the first three errors at most: [{}]",
            places.len(),
            first.join(", ")
        ),
    )
    .with_hint("A compacted topic keeps the last record of each key: give every record a key.")
}

/// A request carries one batch; a rest too short to be one is ignored, as Kafka does.
fn only_batch(bytes: &[u8]) -> Result<BatchView<'_>> {
    let size = match frame(bytes) {
        Ok(size) => size,
        Err(fault @ (BatchFault::Length(_) | BatchFault::Magic(_))) => {
            return Err(Error::broker(ErrorCode::CorruptMessage, fault.to_string())
                .with_hint("These bytes are no record batch."));
        }
        // A size that is no i32 is more than the broker's own arithmetic stands.
        Err(fault @ BatchFault::Truncated { size, .. }) if i32::try_from(size).is_err() => {
            return Err(
                Error::code_alone(ErrorCode::UnknownServerError).with_hint(fault.to_string())
            );
        }
        Err(fault) => return Err(invalid(fault.to_string())),
    };
    let (first, rest) = bytes.split_at_checked(size).unwrap_or((bytes, &[]));
    match frame(rest) {
        Err(BatchFault::Truncated { .. }) => {}
        Err(BatchFault::Length(_) | BatchFault::Magic(_)) => return Err(corrupt_message()),
        _ => return Err(invalid("Send one batch at a time.")),
    }
    BatchView::parse_fault(first).map_err(|_| corrupt_message())
}

fn invalid(hint: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::code_alone(ErrorCode::InvalidRecord).with_hint(hint)
}

fn corrupt_message() -> Error {
    Error::code_alone(ErrorCode::CorruptMessage)
        .with_hint("The bytes changed after their CRC was taken: build the batch anew.")
}

fn invalid_record(fault: RecordFault) -> Error {
    match fault {
        RecordFault::Stream(stream) | RecordFault::StreamRest(stream)
            if stream.stage == Stage::Limit =>
        {
            fault.into()
        }
        RecordFault::Compressed(_)
        | RecordFault::LengthTooLong
        | RecordFault::Stream(_)
        | RecordFault::StreamRest(_) => {
            Error::code_alone(ErrorCode::UnknownServerError).with_hint(fault.to_string())
        }
        _ => invalid(fault.to_string()),
    }
}

/// `max.decompressed.message.bytes`: how long a record of a compressed batch may say that it is.
/// Source: `DefaultRecord.readFrom`.
fn record_size(config: &LogConfig, record: &RecordView<'_>) -> Result {
    let body = record.body_len();
    if body as i64 > i64::from(config.max_decompressed_message_bytes) {
        return Err(invalid(format!(
            "A record has {body} bytes; max.decompressed.message.bytes is {}.",
            config.max_decompressed_message_bytes
        )));
    }
    Ok(())
}

/// `max.message.bytes`: the whole batch counts.
pub(crate) fn size(config: &LogConfig, size: usize) -> Result {
    if size as i64 > i64::from(config.max_message_bytes) {
        return Err(Error::code_alone(ErrorCode::MessageTooLarge).with_hint(format!(
            "The batch has {size} bytes; max.message.bytes is {}.",
            config.max_message_bytes
        )));
    }
    Ok(())
}

/// `segment.bytes`: a batch must fit a segment of its own.
pub(crate) fn segment_size(config: &LogConfig, size: usize) -> Result {
    if size as i64 > i64::from(config.segment_bytes) {
        return Err(Error::code_alone(ErrorCode::RecordListTooLarge).with_hint(format!(
            "The batch has {size} bytes; segment.bytes is {}.",
            config.segment_bytes
        )));
    }
    Ok(())
}

/// Whether a record's timestamp may be appended at `now_ms`: within
/// `message.timestamp.before.max.ms` and `message.timestamp.after.max.ms` of it. No timestamp
/// (-1) always may, and in a `LogAppendTime` topic any may. `offset` is only named in the text:
/// the record's place in its batch.
///
/// # Errors
/// `INVALID_TIMESTAMP` (32), in the text that a Java producer shows.
///
/// ```
/// use loglanes::log::{LogConfig, check_timestamp};
/// let config = LogConfig::default();
/// assert!(check_timestamp(&config, 0, 3_600_000, 0).is_ok());
/// let error = check_timestamp(&config, 0, 3_600_001, 0).unwrap_err();
/// assert_eq!(error.code(), Some(32));
/// ```
pub fn check_timestamp(config: &LogConfig, offset: i64, timestamp: i64, now_ms: i64) -> Result {
    self::timestamp(config, TimestampType::CreateTime, offset, timestamp, now_ms)
}

#[inline]
fn timestamp(
    config: &LogConfig,
    batch_type: TimestampType,
    offset: i64,
    timestamp: i64,
    now_ms: i64,
) -> Result {
    if config.message_timestamp_type == TimestampType::CreateTime && timestamp != NO_TIMESTAMP {
        // Java's arithmetic, wrapping included.
        let age = now_ms.wrapping_sub(timestamp);
        if age > config.message_timestamp_before_max_ms
            || age.wrapping_neg() > config.message_timestamp_after_max_ms
        {
            return Err(out_of_range(config, offset, timestamp, now_ms));
        }
    } else if batch_type == TimestampType::LogAppendTime {
        return Err(Error::broker(
            ErrorCode::InvalidTimestamp,
            "One or more records have been rejected due to invalid timestamp",
        )
        .with_hint("A producer must not set the timestamp type to LogAppendTime."));
    }
    Ok(())
}

#[cold]
fn out_of_range(config: &LogConfig, offset: i64, timestamp: i64, now_ms: i64) -> Error {
    let from = now_ms.wrapping_sub(config.message_timestamp_before_max_ms);
    let to = now_ms.wrapping_add(config.message_timestamp_after_max_ms);
    Error::broker(
        ErrorCode::InvalidTimestamp,
        format!(
            "Timestamp {timestamp} of message with offset {offset} is out of range. The \
             timestamp should be within [{from}, {to}]"
        ),
    )
    .with_hint(
        "Send a time within the range, or change the topic's message.timestamp.before.max.ms or \
         message.timestamp.after.max.ms.",
    )
}
