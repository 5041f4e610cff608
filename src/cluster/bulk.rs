//! A producer at work over several calls: many records, or many by a rule.

use super::Cluster;
use super::topics::unknown_topic;
use super::transactions::no_producer;
use crate::error::{Error, Result};
use crate::generate::Generator;
use crate::group::TopicPartition;
use crate::log::NewRecord;
use crate::outcome::{Outcome, RefusedRecords, SentTo};
use crate::producer::{
    Buffer, Enlisted, LastError, Memory, Producer, Sending, Sent, TransactionState, Writer,
    partitioner_of,
};

/// When this part of a generation is in, a 16th, it is known how much goes where.
const FORESEEN_AFTER: u64 = 16;

/// A producer that sends many records, over several calls if need be.
#[derive(Debug)]
pub(crate) struct BulkProducer {
    topic: String,
    producer: String,
    now_ms: i64,
    buffer: Buffer,
    /// Why the producer's transaction takes nothing more.
    refusal: Option<Error>,
}

impl BulkProducer {
    /// `now_ms` is the cluster's clock; every record that brings no timestamp gets it.
    pub(crate) fn begin(
        cluster: &mut Cluster,
        topic: &str,
        producer: &str,
        now_ms: i64,
    ) -> Result<Self> {
        if let Some(producer) = cluster.producers.get(producer).filter(|one| one.is_transactional())
        {
            producer.check_error()?;
            if producer.transaction != TransactionState::InTransaction {
                return Err(Error::loglanes("This producer sends only inside a transaction.")
                    .with_hint("Call initTransactions once, then begin a transaction."));
            }
        }
        cluster.check_target(topic, None)?;
        Self::begin_one(cluster, topic, producer, now_ms)
    }

    /// As [`BulkProducer::begin`], for one record: what else is to be checked, it checks.
    pub(super) fn begin_one(
        cluster: &mut Cluster,
        topic: &str,
        name: &str,
        now_ms: i64,
    ) -> Result<Self> {
        let known = cluster.producers.get(name);
        let partitioner = partitioner_of(Some(known.map_or(name, |one| &one.partitioner)))?;
        let settings = known.map(|one| one.settings.clone()).unwrap_or_default();
        let config = settings.config(partitioner);
        let place = cluster.topics.get(topic).ok_or_else(|| unknown_topic(topic))?;
        let buffer = Buffer::new(config, topic, place);
        let mut producer = cluster
            .producers
            .remove(name)
            .unwrap_or_else(|| Producer::new(partitioner.id(), settings));
        cluster.identify(&mut producer);
        if !producer.memories.contains_key(topic) {
            let memory = Memory::new(&config, &mut || cluster.random.next_int());
            producer.memories.insert(topic.to_owned(), memory);
        }
        cluster.producers.insert(name.to_owned(), producer);
        Ok(Self {
            topic: topic.to_owned(),
            producer: name.to_owned(),
            now_ms,
            buffer,
            refusal: None,
        })
    }

    pub(crate) fn now_ms(&self) -> i64 {
        self.now_ms
    }

    pub(crate) fn topic(&self) -> &str {
        &self.topic
    }

    /// What has been sent, by partition.
    pub(super) fn sent(&self) -> impl Iterator<Item = (i32, Sent)> {
        self.buffer.sent()
    }

    /// Work with the producer; the look-ups are made once a call, not once a record.
    pub(crate) fn with<T>(
        &mut self,
        cluster: &mut Cluster,
        work: impl FnOnce(&mut Sending<'_>) -> Result<T>,
    ) -> Result<T> {
        let Cluster { topics, producers, random, transactions, .. } = cluster;
        let topic = topics.get_mut(&self.topic).ok_or_else(|| unknown_topic(&self.topic))?;
        let producer =
            producers.get_mut(&self.producer).ok_or_else(|| no_producer(&self.producer))?;
        let is_transactional = producer.is_transactional();
        let coordinator =
            producer.settings.transactional_id().and_then(|id| transactions.get_mut(id));
        let Producer { memories, identity, sequences, transaction, .. } = producer;
        if let (Some(known), Some(identity)) = (&coordinator, &identity) {
            let stale = known.check_writer(*identity).err();
            self.refusal = self.refusal.take().or(stale);
        }
        let memory = memories.entry(self.topic.clone()).or_insert(Memory::Nothing);
        let mut numbers = sequences.remove(&self.topic).unwrap_or_default();
        let mut partitions = Vec::new();
        let (refusal, in_transaction) =
            (&mut self.refusal, *transaction == TransactionState::InTransaction);
        let writer = identity.as_mut().filter(|_| !is_transactional || in_transaction);
        let writer = writer.map(|identity| Writer {
            identity,
            sequences: &mut numbers,
            transaction: is_transactional
                .then_some(Enlisted { refusal, partitions: &mut partitions }),
        });
        let (buffer, now_ms) = (&mut self.buffer, self.now_ms);
        let last_batch = &mut producer.last_batch;
        let done = work(&mut Sending { buffer, topic, memory, random, now_ms, writer, last_batch });
        if !numbers.is_empty() {
            sequences.insert(self.topic.clone(), numbers);
        }
        if in_transaction && (!partitions.is_empty() || self.refusal.is_some()) {
            producer.is_started = true;
        }
        if let Some(known) = coordinator.filter(|_| !partitions.is_empty()) {
            let tried = partitions.iter().map(|&number| TopicPartition::new(&self.topic, number));
            known.enlist(self.now_ms, |open| open.partitions.extend(tried));
        }
        done
    }

    pub(crate) fn generate(
        &mut self,
        cluster: &mut Cluster,
        generator: &Generator,
        range: std::ops::Range<u64>,
    ) -> Result {
        let timestamp = self.now_ms;
        let (mut key, mut value) = (Vec::new(), Vec::new());
        let total = generator.count();
        let most = cluster.room();
        self.with(cluster, |sending| {
            for number in range {
                if number == total / FORESEEN_AFTER {
                    sending.make_room(number, total, most);
                }
                let keyed = generator.record(number, &mut key, &mut value);
                let key = keyed.then_some(key.as_slice());
                let record = NewRecord { timestamp, key, value: Some(&value), headers: &[] };
                sending.send(&record, None)?;
            }
            Ok(())
        })
    }

    /// Records and bytes that are in the log so far.
    pub(crate) fn progress(&self) -> (u64, u64) {
        self.buffer.sent().fold((0, 0), |(records, bytes), (_, sent)| {
            (records + u64::from(sent.records), bytes + sent.bytes)
        })
    }

    /// Sends what is still open. `lines` of a file were no records.
    pub(crate) fn finish(mut self, cluster: &mut Cluster, lines: u64) -> Result<Outcome> {
        self.with(cluster, |sending| {
            sending.flush();
            Ok(())
        })?;
        let refused = self.buffer.take_refused();
        if let Some(producer) = cluster.producers.get_mut(&self.producer)
            && producer.transaction == TransactionState::InTransaction
            && let Some((_, first)) = refused.reasons.first()
        {
            producer.fail(first.code().map_or(LastError::Other, LastError::of));
        }
        let (records, bytes) = self.progress();
        cluster.log_checks.changed(self.now_ms);
        Ok(Outcome::ProducedMany {
            topic: self.topic,
            records: records as f64,
            bytes: bytes as f64,
            refused: (lines + refused.count) as f64,
            refusals: refused
                .reasons
                .iter()
                .map(|(count, error)| RefusedRecords::new(*count, error))
                .collect(),
            partitions: self
                .buffer
                .sent()
                .map(|(partition, sent)| SentTo {
                    partition,
                    records: sent.records,
                    first_offset: sent.first_offset,
                    last_offset: sent.last_offset,
                })
                .collect(),
        })
    }
}
