//! Making, growing and deleting topics.
//!
//! Source: `ReplicationControlManager`, Apache Kafka 4.4.0: the checks, their order, their words.

use std::collections::BTreeMap;

use super::{Cluster, MAX_PARTITIONS, MAX_TOPICS};
use crate::error::{Error, ErrorCode, Result};
use crate::log::PartitionLog;
use crate::outcome::Outcome;
use crate::replicas::{UsableBroker, place_replicas_on};
use crate::topic::{
    INTERNAL_TOPICS, MAX_RECORDS_PER_REQUEST, Partition, Topic, TopicConfig, TopicId, check_name,
    names_collide,
};

impl Cluster {
    pub(super) fn create_topic(
        &mut self,
        name: &str,
        partitions: Option<i32>,
        replication_factor: Option<i16>,
        configs: &BTreeMap<String, String>,
        now_ms: i64,
    ) -> Result<Outcome> {
        let partitions = partitions.filter(|&count| count != -1).unwrap_or(1);
        let replication_factor = replication_factor.filter(|&factor| factor != -1).unwrap_or(1);
        if partitions > MAX_RECORDS_PER_REQUEST {
            return Err(too_many("Excessively large number of partitions per request."));
        }
        self.check_new_name(name)?;
        let config = TopicConfig::parse(configs.clone())?;
        self.check_counts(partitions, replication_factor)?;
        if partitions as usize + config.given().len() + 1 > MAX_RECORDS_PER_REQUEST as usize {
            return Err(too_many("Unable to perform excessively large batch operation."));
        }
        if self.topics.len() >= MAX_TOPICS {
            return Err(Error::limit(
                "MAX_TOPICS",
                format!("Loglanes keeps at most {MAX_TOPICS} topics; Kafka has no such limit."),
            )
            .with_hint("Delete a topic first."));
        }
        self.check_partition_limit(partitions)?;
        let id = TopicId(self.uuid_bytes());
        let mut topic = Topic { id, replication_factor, config, partitions: Vec::new() };
        self.add_partitions(name, &mut topic, partitions, now_ms)?;
        self.topics.insert(name.to_owned(), topic);
        self.topics_changed(now_ms);
        Ok(Outcome::TopicCreated { name: name.to_owned(), partitions })
    }

    /// A name that is taken is told before one that collides.
    fn check_new_name(&self, name: &str) -> Result {
        check_name(name)?;
        if name == "__cluster_metadata" {
            return Err(Error::broker(
                ErrorCode::InvalidRequest,
                format!("Creation of internal topic {name} is prohibited."),
            )
            .with_hint("It belongs to Kafka itself: choose another name."));
        }
        if self.topics.contains_key(name) || INTERNAL_TOPICS.contains(&name) {
            return Err(Error::broker(
                ErrorCode::TopicAlreadyExists,
                format!("Topic '{name}' already exists."),
            )
            .with_hint("Choose another name, or delete the old topic first."));
        }
        if let Some(other) = self.topics.keys().find(|other| names_collide(name, other)) {
            return Err(Error::broker(
                ErrorCode::InvalidTopicException,
                format!("Topic '{name}' collides with existing topic: {other}"),
            )
            .with_hint("Metric names cannot tell '.' from '_': keep to one of the two."));
        }
        Ok(())
    }

    fn check_counts(&self, partitions: i32, replication_factor: i16) -> Result {
        if replication_factor < 1 {
            return Err(Error::broker(
                ErrorCode::InvalidReplicationFactor,
                "Replication factor must be larger than 0, or -1 to use the default value.",
            )
            .with_hint("Ask for 1 or more, or for -1: the broker's default of 1."));
        }
        if partitions < 1 {
            return Err(Error::broker(
                ErrorCode::InvalidPartitions,
                "Number of partitions was set to an invalid non-positive value.",
            )
            .with_hint("Ask for 1 or more, or for -1: the broker's default of 1."));
        }
        let brokers = self.brokers.len();
        if replication_factor as usize > brokers {
            return Err(Error::broker(
                ErrorCode::InvalidReplicationFactor,
                format!(
                    "Unable to replicate the partition {replication_factor} time(s): The target \
                     replication factor of {replication_factor} cannot be reached because only \
                     {brokers} broker(s) are registered or some brokers have all their log \
                     directories cordoned."
                ),
            )
            .with_hint(format!("This cluster has {brokers} brokers.")));
        }
        Ok(())
    }

    pub(super) fn create_partitions(
        &mut self,
        name: &str,
        total: i32,
        now_ms: i64,
    ) -> Result<Outcome> {
        let from = self.topics.get(name).ok_or_else(|| unknown_topic(name))?.partition_count();
        if total == from {
            return Err(Error::broker(
                ErrorCode::InvalidPartitions,
                format!("Topic already has {from} partition(s)."),
            )
            .with_hint(format!("Ask for more than {from}: the count is the new total.")));
        }
        if total < from {
            return Err(Error::broker(
                ErrorCode::InvalidPartitions,
                format!(
                    "The topic {name} currently has {from} partition(s); {total} would not be an \
                     increase."
                ),
            )
            .with_hint("Partitions can only be added: records never move to another partition."));
        }
        if total - from > MAX_RECORDS_PER_REQUEST {
            return Err(too_many("Excessively large number of additional partitions per request."));
        }
        self.check_partition_limit(total - from)?;
        // Taken out and put back, so that the cluster can draw while the topic grows.
        if let Some(mut topic) = self.topics.remove(name) {
            let added = self.add_partitions(name, &mut topic, total - from, now_ms);
            self.topics.insert(name.to_owned(), topic);
            added?;
        }
        self.topics_changed(now_ms);
        Ok(Outcome::PartitionsCreated { topic: name.to_owned(), from, to: total })
    }

    pub(super) fn delete_topic(&mut self, name: &str) -> Result<Outcome> {
        if name.is_empty() {
            check_name(name)?;
        }
        self.topics.remove(name).ok_or_else(|| unknown_topic(name))?;
        for producer in self.producers.values_mut() {
            producer.memories.remove(name);
        }
        for group in self.groups.values_mut() {
            group.topic_deleted(name, &self.topics);
        }
        Ok(Outcome::Done)
    }

    /// Places new partitions on the brokers as the controller does: a new topic begins at a
    /// broker that is drawn, one that grows goes on from its last partition.
    fn add_partitions(&mut self, name: &str, topic: &mut Topic, count: i32, now_ms: i64) -> Result {
        let brokers: Vec<UsableBroker> =
            self.brokers.iter().map(|&id| UsableBroker { id, rack: None, fenced: false }).collect();
        let existing: Vec<Vec<i32>> =
            topic.partitions.iter().map(|partition| partition.replicas.clone()).collect();
        let random = &mut self.random;
        let rows = place_replicas_on(
            &brokers,
            &existing,
            count.unsigned_abs(),
            topic.replication_factor,
            &mut |bound| random.next_int_below(bound),
        )?;
        topic.partitions.extend((existing.len()..).zip(rows).map(|(number, replicas)| {
            let log = PartitionLog::new(topic.config.log().clone(), now_ms);
            Partition { replicas, log: log.named(format!("{name}-{number}")) }
        }));
        Ok(())
    }

    fn check_partition_limit(&self, more: i32) -> Result {
        let held: usize = self.topics.values().map(|topic| topic.partitions.len()).sum();
        if held + more as usize <= MAX_PARTITIONS {
            return Ok(());
        }
        Err(Error::limit(
            "MAX_PARTITIONS",
            format!(
                "Loglanes keeps at most {MAX_PARTITIONS} partitions in all; Kafka has no such limit."
            ),
        )
        .with_hint(format!("There are {held} now.")))
    }

    fn topics_changed(&mut self, now_ms: i64) {
        for group in self.groups.values_mut() {
            group.metadata_changed(&self.topics, now_ms);
        }
    }
}

pub(super) fn unknown_topic(name: &str) -> Error {
    Error::code_alone(ErrorCode::UnknownTopicOrPartition)
        .with_hint(format!("There is no topic {name:?}."))
}

fn too_many(message: &'static str) -> Error {
    Error::broker(ErrorCode::PolicyViolation, message)
        .with_hint("One request makes at most 10,000 records in the controller's log.")
}
