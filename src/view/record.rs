//! Records as a page shows them: in short, or with all there is to know.

use serde::Serialize;
use serde_bytes::ByteBuf;

use super::{Arithmetic, TransactionView};
use crate::insight::Tag;
use crate::log::{BATCH_HEADER_LEN, RecordView};
use crate::topic::{Partition, Topic};

/// The most bytes of a key or a value in a summary.
pub const SUMMARY_BYTES: usize = 64;

/// A record in short.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordSummary {
    /// Its offset.
    pub offset: i64,
    /// Milliseconds since 1970.
    pub timestamp: f64,
    /// How it is drawn.
    pub tag: Tag,
    /// The key's first `SUMMARY_BYTES`.
    pub key: Option<ByteBuf>,
    /// How many bytes the key has; 0 for none and for empty.
    pub key_length: u32,
    /// The value's first `SUMMARY_BYTES`.
    pub value: Option<ByteBuf>,
    /// How many bytes the value has; 0 for none and for empty.
    pub value_length: u32,
    /// How many headers.
    pub headers: u32,
    /// What it is to a transaction; none where it is part of none.
    pub transaction: Option<TransactionView>,
}

/// A record with all there is to know of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordDetail {
    /// The topic.
    pub topic: String,
    /// The partition.
    pub partition: i32,
    /// The broker that leads it.
    pub leader: i32,
    /// The offset.
    pub offset: i64,
    /// Milliseconds since 1970.
    pub timestamp: f64,
    /// Who set the timestamp: `CreateTime` or `LogAppendTime`.
    pub timestamp_type: &'static str,
    /// How it is drawn.
    pub tag: Tag,
    /// None, empty and some bytes are three things.
    pub key: Option<ByteBuf>,
    /// None is a tombstone.
    pub value: Option<ByteBuf>,
    /// In order.
    pub headers: Vec<HeaderView>,
    /// The record's own bytes, length prefix included.
    pub bytes: ByteBuf,
    /// The batch it lies in.
    pub batch: BatchDetail,
    /// What it is to a transaction; none where it is part of none.
    pub transaction: Option<TransactionView>,
    /// From the key to a partition, with today's count of partitions; none without a key, and for
    /// a control record, which every partition of a transaction gets.
    pub arithmetic: Option<Arithmetic>,
}

/// A header.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HeaderView {
    /// UTF-8 in Kafka's clients, bytes on disk.
    pub key: ByteBuf,
    /// None and empty are two things.
    pub value: Option<ByteBuf>,
}

/// The batch that a record lies in.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BatchDetail {
    /// The offset of its first record.
    pub base_offset: i64,
    /// The offset of its last record.
    pub last_offset: i64,
    /// How many records it has.
    pub records: i32,
    /// Its size.
    pub bytes: u32,
    /// Its CRC-32C.
    pub crc: u32,
    /// Its attributes, 16 bits.
    pub attributes: i16,
    /// Its first 61 bytes.
    pub header: ByteBuf,
    /// The segment it lies in.
    pub segment_base_offset: i64,
    /// Where it begins in the segment, in bytes.
    pub position: u32,
}

/// At most `limit` records from an offset on, control records too; gaps are passed over.
///
/// ```
/// use loglanes::view::summaries;
/// use loglanes::{Cluster, Command};
///
/// let mut cluster = Cluster::new(7);
/// cluster.apply(&Command::create_topic("orders", 1), 0)?;
/// cluster.apply(&Command::produce("orders", None, Some(&[7; 100])), 0)?;
/// let partition = cluster.topic("orders").and_then(|topic| topic.partition(0)).unwrap();
/// let record = summaries(partition, 0, 10).next().unwrap();
/// assert_eq!((record.offset, record.value_length), (0, 100));
/// assert_eq!(record.value.unwrap().len(), 64);
/// # Ok::<(), loglanes::Error>(())
/// ```
pub fn summaries(
    partition: &Partition,
    from: i64,
    limit: usize,
) -> impl Iterator<Item = RecordSummary> + '_ {
    let log = &partition.log;
    let from = from.max(log.log_start_offset());
    let batches = log.batches_from(from).flat_map(move |batch| {
        let header = *batch.header();
        // All records of a batch are of one transaction.
        let transaction = TransactionView::of(log, &batch);
        let records = batch.records().flatten().filter(move |record| record.offset >= from);
        records.map(move |record| RecordSummary {
            offset: record.offset,
            timestamp: record.timestamp as f64,
            tag: Tag::of_stored(&record, &header),
            key: record.key.map(head),
            key_length: length(record.key),
            value: record.value.map(head),
            value_length: length(record.value),
            headers: record.header_count() as u32,
            transaction,
        })
    });
    batches.take(limit)
}

/// The record at an offset, a control record too; none in a gap and outside the log.
///
/// ```
/// use loglanes::view::record;
/// use loglanes::{Cluster, Command};
///
/// let mut cluster = Cluster::new(7);
/// cluster.apply(&Command::create_topic("orders", 12), 0)?;
/// cluster.apply(&Command::produce("orders", Some(b"order-1007"), None), 0)?;
/// let topic = cluster.topic("orders").unwrap();
/// let seen = record("orders", topic, 6, 0).unwrap();
/// assert_eq!(seen.arithmetic.unwrap().partition, 6);
/// assert!(seen.value.is_none() && record("orders", topic, 6, 1).is_none());
/// # Ok::<(), loglanes::Error>(())
/// ```
#[must_use]
pub fn record(name: &str, topic: &Topic, partition: i32, offset: i64) -> Option<RecordDetail> {
    let held = topic.partition(partition)?;
    let (batch, record) = held.log.stored(offset)?;
    let header = batch.header();
    let producers_key = record.key.filter(|_| !header.is_control());
    let segment =
        held.log.segments().iter().rfind(|segment| segment.base_offset() <= header.base_offset)?;
    Some(RecordDetail {
        topic: name.to_owned(),
        partition,
        leader: held.leader(),
        offset,
        timestamp: record.timestamp as f64,
        timestamp_type: header.timestamp_type().name(),
        tag: Tag::of_stored(&record, header),
        key: record.key.map(owned),
        value: record.value.map(owned),
        headers: headers(&record),
        bytes: owned(record.bytes()),
        batch: BatchDetail {
            base_offset: header.base_offset,
            last_offset: header.last_offset(),
            records: header.record_count,
            bytes: batch.bytes().len() as u32,
            crc: header.crc,
            attributes: header.attributes,
            header: owned(batch.bytes().get(..BATCH_HEADER_LEN)?),
            segment_base_offset: segment.base_offset(),
            position: segment.position_of(header.base_offset)? as u32,
        },
        transaction: TransactionView::of(&held.log, &batch),
        arithmetic: producers_key.map(|key| Arithmetic::java(key, topic.partitions.len())),
    })
}

fn headers(record: &RecordView<'_>) -> Vec<HeaderView> {
    record
        .headers()
        .map(|header| HeaderView { key: owned(header.key), value: header.value.map(owned) })
        .collect()
}

fn owned(bytes: &[u8]) -> ByteBuf {
    ByteBuf::from(bytes)
}

fn head(bytes: &[u8]) -> ByteBuf {
    owned(bytes.get(..SUMMARY_BYTES).unwrap_or(bytes))
}

fn length(bytes: Option<&[u8]>) -> u32 {
    bytes.map_or(0, |bytes| bytes.len() as u32)
}
