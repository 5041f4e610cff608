//! A producer: which partition a record goes to, and which batch it travels in.
//!
//! A record joins the open batch of its partition while there is room in it; a full batch goes
//! to the log, and a flush sends all the others. Keyless records follow the sticky rule by the
//! bytes of these batches, so partition and batch are decided together.
//!
//! What is simplified: nothing takes an open batch away in between, as Kafka's sender thread may,
//! and the buffer is sent when `buffer.memory` is full. A stay on a partition may
//! therefore be longer here than there, never beyond Kafka's own bounds. Batches are built as the
//! Java client builds them, whatever client's partitioner is chosen.
//!
//! Sources: `KafkaProducer`, `RecordAccumulator`, `ProducerBatch`, Apache Kafka 4.4.0.

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorCode, Result};
use crate::java;
use crate::log::{BatchBuilder, Batches, Header, NewRecord, RecordView};
use crate::partitioner::{
    BuiltInPartitioner, KnownPartitions, Partitioner, Placement, RoundRobinPartitioner, StartsAt,
    Stay, TurnOrder, partition_order, to_positive,
};
use crate::topic::Topic;

/// `batch.size`, in bytes. Source: `ProducerConfig`.
pub const BATCH_SIZE: usize = 16_384;

/// `max.request.size`, in bytes. Source: `ProducerConfig`.
pub const MAX_REQUEST_SIZE: u64 = 1_048_576;

/// `buffer.memory`, in bytes. Source: `ProducerConfig`.
pub const BUFFER_MEMORY: usize = 33_554_432;

/// `max.block.ms`, which two of the client's texts name. Source: `ProducerConfig`.
pub const MAX_BLOCK_MS: i64 = 60_000;

/// What a producer remembers of a topic from one record to the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Memory {
    /// Nothing: every record is placed by itself.
    Nothing,
    /// How long it has stayed on which partition.
    Sticky(BuiltInPartitioner),
    /// Whose turn is next.
    RoundRobin(RoundRobinPartitioner),
}

impl Memory {
    /// A new producer's. A random start is drawn here.
    pub(crate) fn new(partitioner: Partitioner, random: &mut java::Random) -> Self {
        match partitioner.place(None, 1) {
            Placement::Sticky { .. } => Self::Sticky(BuiltInPartitioner::default()),
            Placement::RoundRobin { starts_at, .. } => {
                Self::RoundRobin(RoundRobinPartitioner::starting_at(match starts_at {
                    StartsAt::First => 0,
                    StartsAt::Random => random.next_int(),
                }))
            }
            Placement::Fixed(_) | Placement::Random => Self::Nothing,
        }
    }
}

/// Whether a producer of this model can use a partitioner. Clients that stay on a partition by
/// the clock, by the batch or by a count of their own are shown for comparison only.
///
/// ```
/// use loglanes::partitioner::Partitioner;
/// use loglanes::producer::is_usable;
///
/// assert!(is_usable(Partitioner::JavaDefault));
/// assert!(is_usable(Partitioner::SaramaHash));
/// assert!(!is_usable(Partitioner::LibrdkafkaConsistentRandom));
/// ```
#[must_use]
pub fn is_usable(partitioner: Partitioner) -> bool {
    [None, Some(&b""[..]), Some(&b"k"[..])].into_iter().all(|key| {
        !matches!(
            partitioner.place(key, 1),
            Placement::Sticky { stay: Stay::Batch | Stay::Time | Stay::Bytes(_) }
        )
    })
}

/// The partitioner of an id; none is the Java client's default.
///
/// # Errors
///
/// `LOGLANES` for an id that is unknown or not usable.
pub fn partitioner_of(id: Option<&str>) -> Result<Partitioner> {
    let Some(id) = id else { return Ok(Partitioner::JavaDefault) };
    let partitioner = Partitioner::from_id(id)
        .ok_or_else(|| Error::loglanes(format!("There is no partitioner {id:?}.")))?;
    if is_usable(partitioner) {
        return Ok(partitioner);
    }
    Err(Error::loglanes(format!("A producer of this model cannot use {id}."))
        .with_hint("It is shown for comparison only: it places keyless records by time or batch."))
}

/// The list of partitions that turns and draws of a partitioner go through.
pub(crate) fn partition_order_of(partitioner: Partitioner, name: &str, topic: &Topic) -> Vec<u32> {
    let partitions = topic.partitions.len() as u32;
    match partitioner.place(None, 1) {
        Placement::RoundRobin { order: TurnOrder::PartitionNumber, .. } => {
            (0..partitions).collect()
        }
        _ => partition_order(name, partitions),
    }
}

/// What went into one partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sent {
    /// The first record's offset.
    pub first_offset: i64,
    /// The last record's offset.
    pub last_offset: i64,
    /// How many records.
    pub records: u32,
    /// How many bytes of batches.
    pub bytes: u64,
}

/// The open batches of one producer for one topic, and what it has sent so far.
#[derive(Debug)]
pub(crate) struct Buffer {
    partitioner: Partitioner,
    order: Vec<u32>,
    batches: Vec<BatchBuilder>,
    open_bytes: usize,
    sent: Vec<Option<Sent>>,
    refused: Vec<(u64, Error)>,
}

impl Buffer {
    pub(crate) fn new(partitioner: Partitioner, name: &str, topic: &Topic) -> Self {
        let partitions = topic.partitions.len();
        let order = partition_order_of(partitioner, name, topic);
        Self {
            partitioner,
            order,
            batches: (0..partitions).map(|_| BatchBuilder::new()).collect(),
            open_bytes: 0,
            sent: vec![None; partitions],
            refused: Vec::new(),
        }
    }

    /// What has been sent, by partition.
    pub(crate) fn sent(&self) -> impl Iterator<Item = (i32, Sent)> {
        self.sent.iter().enumerate().filter_map(|(p, sent)| Some((p as i32, (*sent)?)))
    }

    /// The broker's refusals since the last call: how many records each, and why.
    pub(crate) fn take_refused(&mut self) -> Vec<(u64, Error)> {
        std::mem::take(&mut self.refused)
    }
}

/// A producer at work on one topic.
pub(crate) struct Sending<'a> {
    pub(crate) buffer: &'a mut Buffer,
    pub(crate) topic: &'a mut Topic,
    pub(crate) memory: &'a mut Memory,
    pub(crate) random: &'a mut java::Random,
    pub(crate) now_ms: i64,
}

impl Sending<'_> {
    /// Puts a record into its batch. `partition` is one that the topic has.
    ///
    /// A refusal by the broker comes with the batch, later: see [`Buffer::take_refused`].
    pub(crate) fn send(&mut self, record: &NewRecord<'_>, partition: Option<i32>) -> Result {
        check_size(record)?;
        let explicit = partition.and_then(|p| usize::try_from(p).ok());
        match explicit.or_else(|| self.place(record.key)) {
            Some(partition) => {
                self.append(partition, record)?;
            }
            None => self.append_sticky(record)?,
        }
        if self.buffer.open_bytes > BUFFER_MEMORY {
            self.flush();
        }
        Ok(())
    }

    /// Sends every open batch.
    pub(crate) fn flush(&mut self) {
        for partition in 0..self.buffer.batches.len() {
            self.close(partition);
        }
    }

    /// The partition of a record, unless the sticky rule decides.
    fn place(&mut self, key: Option<&[u8]>) -> Option<usize> {
        let count = self.buffer.order.len() as u32;
        let known = KnownPartitions::all(&self.buffer.order);
        match (self.buffer.partitioner.place(key, count), &mut *self.memory) {
            (Placement::Fixed(partition), _) => Some(partition as usize),
            (Placement::Sticky { .. }, Memory::Sticky(_)) => None,
            (Placement::RoundRobin { .. }, Memory::RoundRobin(turns)) => {
                Some(turns.next(known) as usize)
            }
            _ => Some(to_positive(self.random.next_int()) as usize % count.max(1) as usize),
        }
    }

    /// Source: `RecordAccumulator.append` and `partitionChanged`.
    fn append_sticky(&mut self, record: &NewRecord<'_>) -> Result {
        let partition = loop {
            let partition = self.sticky_partition();
            // A stay may end here: its last batch is full, closed, or already sent.
            if self.is_full(partition) && self.sticky_update(0, true) {
                continue;
            }
            if self.buffer.batches[partition].has_room_for(record, BATCH_SIZE) {
                break partition;
            }
            self.close(partition);
        };
        let grown = self.append(partition, record)?;
        let full = self.is_full(partition);
        self.sticky_update(i32::try_from(grown).unwrap_or(i32::MAX), full);
        Ok(())
    }

    fn sticky_partition(&mut self) -> usize {
        let known = KnownPartitions::all(&self.buffer.order);
        match &mut *self.memory {
            Memory::Sticky(sticky) => sticky.peek(known, &mut || self.random.next_int()) as usize,
            _ => 0,
        }
    }

    fn sticky_update(&mut self, grown: i32, full: bool) -> bool {
        let known = KnownPartitions::all(&self.buffer.order);
        match &mut *self.memory {
            Memory::Sticky(sticky) => {
                sticky.update(grown, full, known, &mut || self.random.next_int())
            }
            _ => false,
        }
    }

    /// Whether nothing more goes into the partition's last batch, or it has none.
    fn is_full(&self, partition: usize) -> bool {
        let batch = &self.buffer.batches[partition];
        batch.is_empty() || batch.is_full(BATCH_SIZE)
    }

    /// By how many bytes the partition's batch grew, a new one's header included.
    fn append(&mut self, partition: usize, record: &NewRecord<'_>) -> Result<usize> {
        if !self.buffer.batches[partition].has_room_for(record, BATCH_SIZE) {
            self.close(partition);
        }
        let batch = &mut self.buffer.batches[partition];
        let before = if batch.is_empty() { 0 } else { batch.len() };
        batch.append(record)?;
        let grown = batch.len() - before;
        self.buffer.open_bytes += grown;
        Ok(grown)
    }

    fn close(&mut self, partition: usize) {
        let Buffer { batches, open_bytes, sent, refused, .. } = &mut *self.buffer;
        let batch = &mut batches[partition];
        if batch.is_empty() {
            return;
        }
        *open_bytes -= batch.len();
        let now_ms = self.now_ms;
        if let Some(place) = self.topic.partitions.get_mut(partition) {
            let mut deliver = |batch: &mut BatchBuilder| {
                let appended = place.log.append_batch(batch, now_ms)?;
                let sent = sent[partition].get_or_insert(Sent {
                    first_offset: appended.base_offset,
                    last_offset: appended.last_offset,
                    records: 0,
                    bytes: 0,
                });
                sent.last_offset = appended.last_offset;
                sent.records += batch.count() as u32;
                sent.bytes += batch.len() as u64;
                Ok(())
            };
            deliver_or_split(batch, &mut deliver, refused);
        }
        batch.clear();
    }
}

/// A batch of several records that the broker finds too large is split and sent again, until
/// only those records fail that are too large alone.
///
/// Source: `Sender.completeBatch` and `ProducerBatch.split`.
fn deliver_or_split(
    batch: &mut BatchBuilder,
    deliver: &mut impl FnMut(&mut BatchBuilder) -> Result,
    refused: &mut Vec<(u64, Error)>,
) {
    let Err(error) = deliver(batch) else { return };
    let too_large = error.code() == Some(ErrorCode::MessageTooLarge.code());
    if !too_large || batch.count() < 2 {
        refused.push((batch.count() as u64, error));
        return;
    }
    let half = batch.len() / 2;
    let mut piece = BatchBuilder::new();
    let mut headers = Vec::new();
    let whole = Batches::new(batch.finish(0, -1)).flatten();
    for record in whole.flat_map(|batch| batch.records().flatten()) {
        headers.clear();
        headers.extend(record.headers());
        let record = new_record(&record, &headers);
        if !piece.has_room_for(&record, half) {
            deliver_or_split(&mut piece, deliver, refused);
            piece.clear();
        }
        if let Err(error) = piece.append(&record) {
            refused.push((1, error));
        }
    }
    if !piece.is_empty() {
        deliver_or_split(&mut piece, deliver, refused);
    }
}

/// A stored record, to be sent again.
pub(crate) fn new_record<'a>(record: &RecordView<'a>, headers: &'a [Header<'a>]) -> NewRecord<'a> {
    NewRecord { timestamp: record.timestamp, key: record.key, value: record.value, headers }
}

/// The client's own limit on a record. Source: `KafkaProducer.ensureValidRecordSize`.
pub(crate) fn check_size(record: &NewRecord<'_>) -> Result {
    let size = record.size_upper_bound();
    if size <= MAX_REQUEST_SIZE {
        return Ok(());
    }
    Err(Error::client_code(
        ErrorCode::MessageTooLarge,
        format!(
            "The message is {size} bytes when serialized which is larger than {MAX_REQUEST_SIZE}, \
             which is the value of the max.request.size configuration."
        ),
    )
    .with_hint("Send a smaller value: the client refuses this one before any broker sees it."))
}
