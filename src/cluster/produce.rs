//! Sending records: one, many, or many by a rule.

use super::Cluster;
use super::bulk::BulkProducer;
use super::transactions::no_producer;
use crate::command::Produce;
use crate::error::{Error, ErrorCode, Result};
use crate::generate::{GenerateSpec, Generator};
use crate::java;
use crate::log::{BatchBuilder, Header, NewRecord, PartitionLog};
use crate::outcome::Outcome;
use crate::partitioner::{KnownPartitions, Partitioner};
use crate::producer::{
    Identity, LastError, MAX_BLOCK_MS, Memory, ProducerConfig, TransactionState, new_record,
    no_such_partition, partition_order_of, partitioner_of,
};
use crate::record_set::RecordSet;
use crate::topic::{INTERNAL_TOPICS, PRESENT_INTERNAL_TOPICS, check_name};

impl Cluster {
    /// The producer that is meant: one that was created, or the one that sends for all who name
    /// none, which is called like its partitioner.
    pub(crate) fn producer_name(
        &self,
        producer: Option<&str>,
        partitioner: Option<&str>,
    ) -> Result<String> {
        match (producer, partitioner) {
            (None, partitioner) => Ok(partitioner_of(partitioner)?.id().to_owned()),
            (Some(name), None) if self.producers.contains_key(name) => Ok(name.to_owned()),
            (Some(name), None) => Err(no_producer(name)),
            (Some(name), Some(_)) => {
                Err(Error::loglanes(format!("The producer {name} has its partitioner already."))
                    .with_hint("Leave the partitioner out, or the producer."))
            }
        }
    }

    pub(super) fn produce(&mut self, record: &Produce, now_ms: i64) -> Result<Outcome> {
        check_record(record)?;
        let name = self.producer_name(record.producer.as_deref(), record.partitioner.as_deref())?;
        // Taken before the act, put back if it is refused: then nothing has changed.
        let checkpoint = Checkpoint::of(self, &name, &record.topic);
        self.send_one(&name, record, now_ms).or_else(|refused| {
            checkpoint.put_back(self, &name, &record.topic);
            self.lost(&name, refused)
        })
    }

    fn send_one(&mut self, name: &str, record: &Produce, now_ms: i64) -> Result<Outcome> {
        self.check_target(&record.topic, record.partition)?;
        let headers = record.header_views();
        let draft = record.record(&headers, now_ms);
        let mut bulk = BulkProducer::begin_one(self, &record.topic, name, now_ms)?;
        let partition = bulk.with(self, |sending| sending.send(&draft, record.partition))?;
        let producer = self.named_mut(name)?;
        if producer.is_transactional() {
            producer.check_send(&record.topic, partition.cast_signed())?;
        }
        bulk.with(self, |sending| {
            sending.flush();
            match sending.buffer.take_refused().reasons.pop() {
                Some((_, refused)) => Err(refused),
                None => Ok(()),
            }
        })?;
        let (partition, sent) = bulk
            .sent()
            .next()
            .ok_or_else(|| Error::loglanes("The record was neither stored nor refused."))?;
        Ok(Outcome::Produced {
            topic: record.topic.clone(),
            partition,
            offset: sent.first_offset,
            timestamp: self.stored_timestamp(&record.topic, draft.timestamp, now_ms) as f64,
        })
    }

    /// A record that cannot be sent is refused, and nothing has changed; but inside a transaction it
    /// has: all that is left is to abort. Source: `KafkaProducer.doSend`,
    /// `TransactionManager.maybeTransitionToErrorState`.
    fn lost(&mut self, name: &str, refused: Error) -> Result<Outcome> {
        let state = self.producers.get(name).map(|producer| producer.transaction);
        match (state, refused.code()) {
            (Some(TransactionState::InTransaction), Some(code)) => {
                let last = LastError::of(code);
                Ok(self.fail(name, TransactionState::AbortableError(last), &refused))
            }
            _ => Err(refused),
        }
    }

    pub(super) fn produce_many(
        &mut self,
        topic: &str,
        producer: &str,
        records: &RecordSet,
        now_ms: i64,
    ) -> Result<Outcome> {
        records.check()?;
        let mut bulk = BulkProducer::begin(self, topic, producer, now_ms)?;
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
        producer: &str,
        spec: &GenerateSpec,
        now_ms: i64,
    ) -> Result<Outcome> {
        let generator = Generator::new(spec)?;
        let mut bulk = BulkProducer::begin(self, topic, producer, now_ms)?;
        bulk.generate(self, &generator, 0..generator.count())?;
        bulk.finish(self, 0)
    }

    /// Whether a producer finds where to send to. Source: `KafkaProducer.waitOnMetadata`.
    pub(super) fn check_target(&self, name: &str, partition: Option<i32>) -> Result {
        if check_name(name).is_err() {
            return Err(Error::broker(
                ErrorCode::InvalidTopicException,
                format!("Invalid topics: [{name}]"),
            )
            .with_hint("Use letters a-z and A-Z, digits, '.', '_' and '-', at most 249 of them."));
        }
        let internal = || {
            Error::code_alone(ErrorCode::InvalidTopicException)
                .with_hint("Only Kafka itself writes to its internal topics.")
        };
        if PRESENT_INTERNAL_TOPICS.contains(&name) {
            return Err(internal());
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
            _ if INTERNAL_TOPICS.contains(&name) => Err(internal()),
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
        let name = self.producer_name(record.producer.as_deref(), record.partitioner.as_deref())?;
        self.check_target(&record.topic, record.partition)?;
        let producer = self.producers.get(&name);
        let config = producer.map_or_else(ProducerConfig::default, |producer| {
            producer.settings.config(Partitioner::JavaDefault)
        });
        let topic =
            self.topics.get(&record.topic).ok_or_else(|| super::topics::unknown_topic(""))?;
        let now_ms = self.clock(now_ms);
        let (name, partition) = (&record.topic, record.partition);
        let headers = record.header_views();
        let record = record.record(&headers, now_ms);
        config.check(&record)?;
        if let Some(producer) = producer.filter(|producer| producer.is_transactional()) {
            producer.check_send(name, partition.unwrap_or(0))?;
        }
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
    pub(crate) fn next_partition(&self, topic: &str, producer: &str) -> Option<i32> {
        let partitions = self.topics.get(topic)?.partitions.len();
        let producer = self.producers.get(producer)?;
        match producer.memories.get(topic)? {
            Memory::Nothing => None,
            Memory::Sticky(sticky) => sticky.current_partition().map(|p| p as i32),
            Memory::RoundRobin(turns) => {
                let partitioner = Partitioner::from_id(&producer.partitioner)?;
                let order = partition_order_of(partitioner, topic, partitions as u32);
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

/// What an act of sending one record changes before it can be refused.
struct Checkpoint {
    random: java::Random,
    next_producer_id: i64,
    /// None: the producer was not there.
    producer: Option<(Option<Memory>, Option<Identity>)>,
}

impl Checkpoint {
    fn of(cluster: &Cluster, producer: &str, topic: &str) -> Self {
        Self {
            random: cluster.random.clone(),
            next_producer_id: cluster.next_producer_id,
            producer: cluster
                .producers
                .get(producer)
                .map(|producer| (producer.memories.get(topic).cloned(), producer.identity)),
        }
    }

    fn put_back(self, cluster: &mut Cluster, name: &str, topic: &str) {
        cluster.random = self.random;
        cluster.next_producer_id = self.next_producer_id;
        let Some((memory, identity)) = self.producer else {
            cluster.producers.remove(name);
            return;
        };
        if let Some(producer) = cluster.producers.get_mut(name) {
            producer.identity = identity;
            match memory {
                Some(memory) => producer.memories.insert(topic.to_owned(), memory),
                None => producer.memories.remove(topic),
            };
        }
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
        let many = Command::ProduceMany {
            topic: "t".to_owned(),
            producer: None,
            partitioner: None,
            records,
        };
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
