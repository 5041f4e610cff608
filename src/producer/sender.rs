//! From batches to the logs of a topic.
//!
//! Source: `Sender.completeBatch`, `RecordAccumulator.splitAndReenqueue` and
//! `ProducerBatch.split`, Apache Kafka 4.4.0.

use super::{DELIVERY_TIMEOUT_MS, LastBatch, Memory, ProducerConfig, RecordAccumulator, Writer};
use crate::error::{Error, ErrorCode, Result};
use crate::java;
use crate::job::MAX_REFUSALS_TOLD;
use crate::log::{
    BatchBuilder, Batches, Header, NewRecord, PartitionLog, RecordView, faulty_records,
};
use crate::topic::Topic;

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
    name: String,
    accumulator: RecordAccumulator,
    sent: Vec<Option<Sent>>,
    refused: Tally,
}

/// How many records were refused, and why. Equal reasons are one; past
/// [`MAX_REFUSALS_TOLD`] different ones, records are only counted.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) count: u64,
    pub(crate) reasons: Vec<(u64, Error)>,
}

impl Tally {
    pub(crate) fn add(&mut self, count: u64, error: Error) {
        self.count += count;
        if let Some((known, _)) = self.reasons.iter_mut().find(|(_, known)| *known == error) {
            *known += count;
        } else if self.reasons.len() < MAX_REFUSALS_TOLD {
            self.reasons.push((count, error));
        }
    }
}

impl Buffer {
    pub(crate) fn new(config: ProducerConfig, name: &str, topic: &Topic) -> Self {
        let partitions = topic.partitions.len();
        Self {
            name: name.to_owned(),
            accumulator: RecordAccumulator::new(config, name, partitions as u32),
            sent: vec![None; partitions],
            refused: Tally::default(),
        }
    }

    /// What has been sent, by partition.
    pub(crate) fn sent(&self) -> impl Iterator<Item = (i32, Sent)> {
        self.sent.iter().enumerate().filter_map(|(p, sent)| Some((p as i32, (*sent)?)))
    }

    /// The refusals since the last call.
    pub(crate) fn take_refused(&mut self) -> Tally {
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
    /// Numbers the batches of an idempotent producer.
    pub(crate) writer: Option<Writer<'a>>,
    pub(crate) last_batch: &'a mut Option<LastBatch>,
}

impl Sending<'_> {
    /// Puts a record into its batch. `partition` is one that the topic has.
    ///
    /// Returns the partition. A refusal by the broker comes with the batch, later: see
    /// [`Buffer::take_refused`].
    #[inline]
    pub(crate) fn send(&mut self, record: &NewRecord<'_>, partition: Option<i32>) -> Result<u32> {
        let Self { buffer, topic, memory, random, now_ms, writer, last_batch } = self;
        let Buffer { name, accumulator, sent, refused } = &mut **buffer;
        let partition = partition.and_then(|p| u32::try_from(p).ok());
        let mut post = Post { name, topic, now_ms: *now_ms, sent, refused, writer, last_batch };
        let mut take = |partition, batch: &mut BatchBuilder| post.deliver(partition, batch);
        let appended =
            accumulator.append(record, partition, memory, &mut || random.next_int(), &mut take)?;
        Ok(appended.partition)
    }

    /// Whether the topic has a partition that a record is given for.
    pub(crate) fn check_partition(&self, partition: Option<i32>) -> Result {
        let count = self.topic.partition_count();
        match partition {
            Some(number) if number >= count => {
                Err(super::no_such_partition(&self.buffer.name, number, count))
            }
            _ => Ok(()),
        }
    }

    /// Counts a record that [`Sending::send`] has refused, with the reason.
    pub(crate) fn refuse(&mut self, error: Error) {
        self.buffer.refused.add(1, error);
        if let Some(writer) = &mut self.writer {
            writer.lost();
        }
    }

    /// Makes room in the log for what is still to come, when `done` of `total` records of one
    /// kind, or bytes of a file, are in: each partition goes on having its share. A log that grows
    /// step by step copies itself each time, and ends with room to spare. It is for `most` bytes at
    /// the most.
    pub(crate) fn make_room(&mut self, done: u64, total: u64, most: u64) {
        let so_far: u64 = self.buffer.sent().map(|(_, sent)| sent.bytes).sum();
        let part = |of: u64, share: u64, whole: u64| {
            let part = u128::from(of) * u128::from(share) / u128::from(whole.max(1));
            u64::try_from(part).unwrap_or(u64::MAX)
        };
        // A 32nd more, as shares are not exact.
        let to_come = part(so_far, total.saturating_sub(done), done);
        let to_come = to_come.saturating_add(to_come / 32).min(most);
        for (place, sent) in self.topic.partitions.iter_mut().zip(&self.buffer.sent) {
            let share = part(to_come, sent.map_or(0, |sent| sent.bytes), so_far);
            place.log.reserve(usize::try_from(share).unwrap_or(0));
        }
    }

    /// Sends every open batch.
    pub(crate) fn flush(&mut self) {
        let Self { buffer, topic, now_ms, writer, last_batch, .. } = self;
        let Buffer { name, accumulator, sent, refused } = &mut **buffer;
        let mut post = Post { name, topic, now_ms: *now_ms, sent, refused, writer, last_batch };
        accumulator.flush(&mut |partition, batch| post.deliver(partition, batch));
    }
}

/// What brings batches to the logs of their partitions.
struct Post<'a, 'w> {
    name: &'a str,
    topic: &'a mut Topic,
    now_ms: i64,
    sent: &'a mut [Option<Sent>],
    refused: &'a mut Tally,
    writer: &'a mut Option<Writer<'w>>,
    last_batch: &'a mut Option<LastBatch>,
}

impl Post<'_, '_> {
    fn deliver(&mut self, partition: u32, batch: &mut BatchBuilder) {
        let Self { name, topic, now_ms, sent, refused, writer, last_batch } = self;
        let at = partition as usize;
        let (Some(place), Some(sent)) = (topic.partitions.get_mut(at), sent.get_mut(at)) else {
            let error = Error::loglanes(format!("Partition {partition} is not there any more."))
                .with_hint("Begin again: the topic has changed.");
            refused.add(batch.count() as u64, error);
            return;
        };
        let (log, now_ms) = (&mut place.log, *now_ms);
        Delivery {
            topic: name,
            partition,
            log,
            now_ms,
            sent,
            refused,
            writer,
            last_batch,
            has_expired: false,
        }
        .deliver(batch);
    }
}

/// A batch on its way to the log of its partition.
struct Delivery<'a, 'w> {
    topic: &'a str,
    partition: u32,
    log: &'a mut PartitionLog,
    now_ms: i64,
    sent: &'a mut Option<Sent>,
    refused: &'a mut Tally,
    writer: &'a mut Option<Writer<'w>>,
    last_batch: &'a mut Option<LastBatch>,
    /// The batch that came from the accumulator is older than `delivery.timeout.ms`: so is every
    /// piece of it.
    has_expired: bool,
}

impl Delivery<'_, '_> {
    /// A batch of several records that the broker finds too large is split and sent again, until
    /// only those records fail that are too large alone.
    fn deliver(&mut self, batch: &mut BatchBuilder) {
        if self.has_expired {
            return self.expire(batch.count());
        }
        let Err(error) = self.append(batch) else { return };
        let too_large = error.code() == Some(ErrorCode::MessageTooLarge.code());
        if too_large && batch.count() > 1 {
            self.split(batch);
        } else {
            self.refuse(batch, error);
            self.lose();
        }
    }

    fn lose(&mut self) {
        if let Some(writer) = self.writer {
            writer.refused();
        }
    }

    /// A batch falls with any of its records. Those at fault are told why; several of them as
    /// `INVALID_RECORD`, whatever the broker's code, and the others by a text of the client's.
    ///
    /// Source: `Sender.failBatch`.
    fn refuse(&mut self, batch: &mut BatchBuilder, error: Error) {
        let count = batch.count();
        let whole = &*batch.finish(0, -1);
        let faulty = match Batches::new(whole).next() {
            Some(Ok(view)) if count > 1 => {
                let name = format!("{}-{}", self.topic, self.partition);
                faulty_records(self.log.config(), &name, &view, self.now_ms)
            }
            _ => Vec::new(),
        };
        let by_record = [ErrorCode::InvalidTimestamp, ErrorCode::InvalidRecord]
            .iter()
            .any(|code| error.code() == Some(code.code()));
        if faulty.is_empty() || !by_record {
            return self.refused.add(count as u64, error);
        }
        let told = faulty.len();
        for (_, fault) in faulty {
            let told_as = if told == 1 {
                fault
            } else {
                Error::broker(ErrorCode::InvalidRecord, fault.message().to_owned())
                    .with_hint(fault.hint().to_owned())
            };
            self.refused.add(1, told_as);
        }
        if told < count {
            let others = Error::client(
                "KafkaException",
                "Failed to append record because it was part of a batch which had one more more \
                 invalid records",
            )
            .with_hint("Send it again without the records that are at fault.");
            self.refused.add((count - told) as u64, others);
        }
    }

    fn append(&mut self, batch: &mut BatchBuilder) -> Result {
        let partition = self.partition.cast_signed();
        if let Some(writer) = self.writer {
            writer.stamp(batch, partition)?;
        }
        let appended = self.log.append_batch(batch, self.now_ms)?;
        if let Some(writer) = self.writer {
            writer.stored(partition, batch.count() as i32);
        }
        *self.last_batch = Some(LastBatch {
            topic: self.topic.to_owned(),
            partition,
            base_offset: appended.base_offset,
            records: batch.count() as u32,
        });
        let sent = self.sent.get_or_insert(Sent {
            first_offset: appended.base_offset,
            last_offset: appended.last_offset,
            records: 0,
            bytes: 0,
        });
        sent.last_offset = appended.last_offset;
        sent.records += batch.count() as u32;
        sent.bytes += batch.len() as u64;
        Ok(())
    }

    /// Kafka splits by `batch.size` first, the limit that the batch was built by: that gives the
    /// same batch again. From then on a piece has room for half of the bytes, or for as many as
    /// the largest record may take.
    ///
    /// That is an estimate, and up to 20 bytes above the truth. Where those are enough for all
    /// the other records, each split gives the same batch again, until it expires; with it expire
    /// the pieces that wait behind.
    fn split(&mut self, batch: &mut BatchBuilder) {
        let (count, bytes) = (batch.count(), batch.len());
        let whole = &*batch.finish(0, -1);
        let records = || Batches::new(whole).flatten().flat_map(|batch| batch.records().flatten());
        let mut room = bytes / 2;
        let mut headers = Vec::new();
        for record in records() {
            headers.clear();
            headers.extend(record.headers());
            let bound = new_record(&record, &headers).size_upper_bound();
            room = room.max(usize::try_from(bound).unwrap_or(usize::MAX));
        }
        let mut piece = BatchBuilder::new();
        for record in records() {
            headers.clear();
            headers.extend(record.headers());
            let record = new_record(&record, &headers);
            if !piece.has_room_for(&record, room) {
                self.deliver(&mut piece);
                piece.clear();
            }
            if let Err(error) = piece.append(&record) {
                self.refused.add(1, error);
            }
        }
        if piece.count() == count {
            self.has_expired = true;
            self.expire(count);
        } else if !piece.is_empty() {
            self.deliver(&mut piece);
        }
    }

    /// Source: `Sender.failExpiredBatches`.
    fn expire(&mut self, records: usize) {
        let Self { topic, partition, .. } = self;
        let error = Error::client_code(
            ErrorCode::RequestTimedOut,
            format!(
                "Expiring {records} record(s) for {topic}-{partition}:{DELIVERY_TIMEOUT_MS} ms has \
                 passed since batch creation. The request has not been sent, or no server response \
                 has been received yet."
            ),
        )
        .with_hint(
            "The batch is above the topic's max.message.bytes, and Kafka's producer cannot split \
             it: send these records one by one, or smaller.",
        );
        self.refused.add(records as u64, error);
        self.lose();
    }
}

/// A stored record, to be sent again.
pub(crate) fn new_record<'a>(record: &RecordView<'a>, headers: &'a [Header<'a>]) -> NewRecord<'a> {
    NewRecord { timestamp: record.timestamp, key: record.key, value: record.value, headers }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::cluster::{BulkProducer, Cluster};
    use crate::command::Command;
    use crate::log::NewRecord;

    #[test]
    fn a_batch_that_splits_into_itself_expires_with_all_behind_it() {
        let mut cluster = Cluster::new(1);
        let create = Command::CreateTopic {
            name: "s3".to_owned(),
            partitions: Some(1),
            replication_factor: None,
            configs: BTreeMap::from([("max.message.bytes".to_owned(), "1000".to_owned())]),
        };
        cluster.apply(&create, 0).unwrap();
        let mut bulk = BulkProducer::begin(&mut cluster, "s3", "java/default", 0).unwrap();
        let refused = bulk.with(&mut cluster, |sending| {
            for bytes in [100, 931, 0, 100] {
                let value = vec![7; bytes];
                let record =
                    NewRecord { timestamp: 0, key: None, value: Some(&value), headers: &[] };
                sending.send(&record, None)?;
            }
            sending.flush();
            Ok(sending.buffer.take_refused())
        });
        let refused: Vec<_> = refused
            .unwrap()
            .reasons
            .into_iter()
            .map(|(count, error)| (count, error.message().to_owned()))
            .collect();
        // As `tests/golden/placement/split.ndjson` has it, after the default time.
        let text = |count| {
            format!(
                "Expiring {count} record(s) for s3-0:120000 ms has passed since batch creation. \
                 The request has not been sent, or no server response has been received yet."
            )
        };
        assert_eq!(refused, [(2, text(2)), (1, text(1))]);
    }
}
