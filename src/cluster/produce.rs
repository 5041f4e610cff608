//! Sending records: one, many, or many by a rule.

use super::Cluster;
use crate::command::Produce;
use crate::error::{Error, ErrorCode, Result};
use crate::generate::{GenerateSpec, Generator};
use crate::log::{BatchBuilder, Header, NewRecord, PartitionLog};
use crate::outcome::{Outcome, RefusedRecords, SentTo};
use crate::partitioner::{KnownPartitions, Partitioner};
use crate::producer::{
    Buffer, MAX_BLOCK_MS, Memory, ProducerConfig, Sending, new_record, no_such_partition,
    partition_order_of, partitioner_of,
};
use crate::record_set::RecordSet;
use crate::topic::{INTERNAL_TOPICS, check_name};

impl Cluster {
    pub(super) fn produce(&mut self, record: &Produce, now_ms: i64) -> Result<Outcome> {
        check_record(record)?;
        let partitioner = partitioner_of(record.partitioner.as_deref())?;
        self.check_target(&record.topic, record.partition)?;
        let headers = record.header_views();
        let draft = record.record(&headers, now_ms);
        // Taken before the act, put back if it is refused: then nothing has changed.
        let random = self.random.clone();
        let memory = self.producers.get(&producer_key(&record.topic, partitioner)).cloned();
        let mut bulk = BulkProducer::begin(self, &record.topic, partitioner, now_ms)?;
        let outcome = bulk
            .with(self, |sending| {
                sending.send(&draft, record.partition)?;
                sending.flush();
                match sending.buffer.take_refused().reasons.pop() {
                    Some((_, refused)) => Err(refused),
                    None => Ok(()),
                }
            })
            .and_then(|()| {
                let (partition, sent) =
                    bulk.buffer.sent().next().ok_or_else(|| {
                        Error::loglanes("The record was neither stored nor refused.")
                    })?;
                Ok(Outcome::Produced {
                    topic: record.topic.clone(),
                    partition,
                    offset: sent.first_offset,
                    timestamp: self.stored_timestamp(&record.topic, draft.timestamp, now_ms) as f64,
                })
            });
        if outcome.is_err() {
            self.random = random;
            let key = producer_key(&record.topic, partitioner);
            match memory {
                Some(memory) => self.producers.insert(key, memory),
                None => self.producers.remove(&key),
            };
        }
        outcome
    }

    pub(super) fn produce_many(
        &mut self,
        topic: &str,
        partitioner: Option<&str>,
        records: &RecordSet,
        now_ms: i64,
    ) -> Result<Outcome> {
        records.check()?;
        let mut bulk = BulkProducer::begin(self, topic, partitioner_of(partitioner)?, now_ms)?;
        bulk.with(self, |sending| {
            let mut headers = Vec::new();
            for (partition, record) in records.placed() {
                headers.clear();
                headers.extend(record.headers());
                let sent = sending
                    .check_partition(partition)
                    .and_then(|()| sending.send(&new_record(&record, &headers), partition));
                if let Err(refused) = sent {
                    sending.refuse(refused);
                }
            }
            Ok(())
        })?;
        bulk.finish(self, 0)
    }

    pub(super) fn generate(
        &mut self,
        topic: &str,
        partitioner: Option<&str>,
        spec: &GenerateSpec,
        now_ms: i64,
    ) -> Result<Outcome> {
        let generator = Generator::new(spec)?;
        let partitioner = partitioner_of(partitioner)?;
        let mut bulk = BulkProducer::begin(self, topic, partitioner, now_ms)?;
        bulk.generate(self, &generator, 0..generator.count())?;
        bulk.finish(self, 0)
    }

    /// Whether a producer finds where to send to. Source: `KafkaProducer.waitOnMetadata`.
    fn check_target(&self, name: &str, partition: Option<i32>) -> Result {
        if check_name(name).is_err() {
            return Err(Error::broker(
                ErrorCode::InvalidTopicException,
                format!("Invalid topics: [{name}]"),
            )
            .with_hint("Use letters a-z and A-Z, digits, '.', '_' and '-', at most 249 of them."));
        }
        if INTERNAL_TOPICS.contains(&name) {
            return Err(Error::code_alone(ErrorCode::InvalidTopicException)
                .with_hint("Only Kafka itself writes to its internal topics."));
        }
        let Some(topic) = self.topics.get(name) else {
            return Err(Error::client_code(
                ErrorCode::RequestTimedOut,
                format!("Topic {name} not present in metadata after {MAX_BLOCK_MS} ms."),
            )
            .with_hint("Make the topic first: this cluster has auto.create.topics.enable=false."));
        };
        match partition {
            Some(number) if number >= topic.partition_count() => {
                Err(no_such_partition(name, number, topic.partition_count()))
            }
            _ => Ok(()),
        }
    }

    /// Whether a record would be refused now, and in which words. Nothing is sent.
    ///
    /// # Errors
    ///
    /// What [`Command::Produce`](crate::Command::Produce) would answer.
    pub(crate) fn check_produce(&self, record: &Produce, now_ms: i64) -> Result {
        check_record(record)?;
        partitioner_of(record.partitioner.as_deref())?;
        self.check_target(&record.topic, record.partition)?;
        let topic =
            self.topics.get(&record.topic).ok_or_else(|| super::topics::unknown_topic(""))?;
        let now_ms = self.clock(now_ms);
        let (name, partition) = (&record.topic, record.partition);
        let headers = record.header_views();
        let record = record.record(&headers, now_ms);
        ProducerConfig::default().check(&record)?;
        let mut batch = BatchBuilder::new();
        batch.append(&record)?;
        // A log of its own, with the topic's settings: what it refuses, any partition would.
        let mut log = PartitionLog::new(topic.config.log().clone(), now_ms);
        if let Some(partition) = partition {
            log = log.named(format!("{name}-{partition}"));
        }
        log.append_batch(&mut batch, now_ms)?;
        Ok(())
    }

    /// Where a producer that stays or takes turns would put the next keyless record; none
    /// before its first.
    pub(crate) fn next_partition(&self, name: &str, partitioner: Partitioner) -> Option<i32> {
        let topic = self.topics.get(name)?;
        match self.producers.get(&producer_key(name, partitioner))? {
            Memory::Nothing => None,
            Memory::Sticky(sticky) => sticky.current_partition().map(|p| p as i32),
            Memory::RoundRobin(turns) => {
                let order = partition_order_of(partitioner, name, topic.partitions.len() as u32);
                Some(turns.peek(KnownPartitions::all(&order)) as i32)
            }
        }
    }

    fn stored_timestamp(&self, topic: &str, timestamp: i64, now_ms: i64) -> i64 {
        use crate::log::TimestampType::LogAppendTime;
        let config = self.topics.get(topic).map(|topic| topic.config.log());
        match config {
            Some(config) if config.message_timestamp_type == LogAppendTime => now_ms,
            _ => timestamp,
        }
    }
}

impl Produce {
    fn header_views(&self) -> Vec<Header<'_>> {
        self.headers
            .iter()
            .map(|header| Header { key: &header.key, value: header.value.as_deref() })
            .collect()
    }

    fn record<'a>(&'a self, headers: &'a [Header<'a>], now_ms: i64) -> NewRecord<'a> {
        NewRecord {
            timestamp: self.timestamp.unwrap_or(now_ms),
            key: self.key.as_deref(),
            value: self.value.as_deref(),
            headers,
        }
    }
}

/// Source: the constructor of `ProducerRecord`; the timestamp is looked at before the partition.
fn check_record(record: &Produce) -> Result {
    if let Some(timestamp) = record.timestamp.filter(|&timestamp| timestamp < 0) {
        return Err(Error::client(
            "IllegalArgumentException",
            format!(
                "Invalid timestamp: {timestamp}. Timestamp should always be non-negative or null."
            ),
        )
        .with_hint("Give milliseconds since 1970, or none: the clock's."));
    }
    if let Some(partition) = record.partition.filter(|&partition| partition < 0) {
        return Err(Error::client(
            "IllegalArgumentException",
            format!(
                "Invalid partition: {partition}. Partition number should always be non-negative \
                 or null."
            ),
        )
        .with_hint("Partitions count from 0; leave it out to let the partitioner choose."));
    }
    Ok(())
}

/// When this part of a generation is in, a 16th, it is known how much goes where.
const FORESEEN_AFTER: u64 = 16;

fn producer_key(topic: &str, partitioner: Partitioner) -> (String, String) {
    (topic.to_owned(), partitioner.id().to_owned())
}

/// A producer that sends many records, over several calls if need be.
#[derive(Debug)]
pub(crate) struct BulkProducer {
    topic: String,
    partitioner: Partitioner,
    now_ms: i64,
    buffer: Buffer,
}

impl BulkProducer {
    /// `now_ms` is the cluster's clock; every record that brings no timestamp gets it.
    pub(crate) fn begin(
        cluster: &mut Cluster,
        topic: &str,
        partitioner: Partitioner,
        now_ms: i64,
    ) -> Result<Self> {
        cluster.check_target(topic, None)?;
        let known = cluster.topics.get(topic).ok_or_else(|| super::topics::unknown_topic(topic))?;
        let config = ProducerConfig::with(partitioner);
        let buffer = Buffer::new(config, topic, known);
        let key = producer_key(topic, partitioner);
        if !cluster.producers.contains_key(&key) {
            let memory = Memory::new(&config, &mut || cluster.random.next_int());
            cluster.producers.insert(key, memory);
        }
        Ok(Self { topic: topic.to_owned(), partitioner, now_ms, buffer })
    }

    pub(crate) fn now_ms(&self) -> i64 {
        self.now_ms
    }

    pub(crate) fn topic(&self) -> &str {
        &self.topic
    }

    /// Work with the producer; the look-ups are made once a call, not once a record.
    pub(crate) fn with<T>(
        &mut self,
        cluster: &mut Cluster,
        work: impl FnOnce(&mut Sending<'_>) -> Result<T>,
    ) -> Result<T> {
        let Cluster { topics, producers, random, .. } = cluster;
        let topic =
            topics.get_mut(&self.topic).ok_or_else(|| super::topics::unknown_topic(&self.topic))?;
        let memory =
            producers.entry(producer_key(&self.topic, self.partitioner)).or_insert(Memory::Nothing);
        let (buffer, now_ms) = (&mut self.buffer, self.now_ms);
        work(&mut Sending { buffer, topic, memory, random, now_ms })
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
        self.with(cluster, |sending| {
            for number in range {
                if number == total / FORESEEN_AFTER {
                    sending.make_room(number, total);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Command;

    #[test]
    fn many_records_tell_each_reason_of_their_refusals_once() {
        let mut cluster = Cluster::new(1);
        let create = Command::CreateTopic {
            name: "t".to_owned(),
            partitions: Some(1),
            replication_factor: None,
            configs: [("max.message.bytes".to_owned(), "200".to_owned())].into(),
        };
        cluster.apply(&create, 0).unwrap();
        let mut records = RecordSet::builder();
        // Too large for the client, and too large for the topic.
        for bytes in [2 << 20, 2 << 20, 500, 500, 500] {
            let value = vec![0; bytes];
            let record = NewRecord { timestamp: 0, key: None, value: Some(&value), headers: &[] };
            records.push(&record).unwrap();
        }
        let records = records.finish();
        let many = Command::ProduceMany { topic: "t".to_owned(), partitioner: None, records };
        let Outcome::ProducedMany { records, refused, refusals, .. } =
            cluster.apply(&many, 0).unwrap()
        else {
            panic!("it was not sent")
        };
        assert_eq!((records, refused), (0.0, 5.0));
        let told: Vec<_> = refusals.iter().map(|one| (one.count, one.refusal)).collect();
        assert_eq!(told, [(2.0, "client"), (3.0, "broker")], "{refusals:?}");
        assert_eq!(refusals[1].code, Some(10));
        assert!(refusals.iter().all(|one| !one.hint.is_empty()));
    }
}
