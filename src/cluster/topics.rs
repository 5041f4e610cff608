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
    MAX_RECORDS_PER_REQUEST, PRESENT_INTERNAL_TOPICS, Partition, ReplicaAssignment, Topic,
    TopicConfig, TopicId, bad_assignment, check_name, check_row, check_rows, names_collide,
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
        let config = self.check_new_topic(name, partitions, configs)?;
        self.check_counts(partitions, replication_factor)?;
        let rows =
            |cluster: &mut Self| cluster.place(&[], partitions.unsigned_abs(), replication_factor);
        self.add_topic(name, partitions, config, rows, now_ms)
    }

    /// A topic whose replicas are named. None named: the controller places one.
    pub(super) fn create_assigned_topic(
        &mut self,
        name: &str,
        assignments: &[ReplicaAssignment],
        configs: &BTreeMap<String, String>,
        now_ms: i64,
    ) -> Result<Outcome> {
        if assignments.is_empty() {
            return self.create_topic(name, None, None, configs, now_ms);
        }
        let partitions = i32::try_from(assignments.len()).unwrap_or(i32::MAX);
        let config = self.check_new_topic(name, partitions, configs)?;
        let rows = check_rows(assignments, &self.brokers)?;
        self.add_topic(name, partitions, config, |_| Ok(rows), now_ms)
    }

    /// What is looked at before the numbers and the brokers.
    fn check_new_topic(
        &self,
        name: &str,
        partitions: i32,
        configs: &BTreeMap<String, String>,
    ) -> Result<TopicConfig> {
        if partitions > MAX_RECORDS_PER_REQUEST {
            return Err(too_many("Excessively large number of partitions per request."));
        }
        self.check_new_name(name)?;
        TopicConfig::parse(configs.clone())
    }

    fn add_topic(
        &mut self,
        name: &str,
        partitions: i32,
        config: TopicConfig,
        rows: impl FnOnce(&mut Self) -> Result<Vec<Vec<i32>>>,
        now_ms: i64,
    ) -> Result<Outcome> {
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
        let rows = rows(self)?;
        let replication_factor = rows.first().map_or(0, Vec::len);
        let replication_factor = i16::try_from(replication_factor).unwrap_or(i16::MAX);
        let mut topic = Topic { id, replication_factor, config, partitions: Vec::new() };
        add_partitions(name, &mut topic, rows, now_ms);
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
        if self.topics.contains_key(name) || PRESENT_INTERNAL_TOPICS.contains(&name) {
            return Err(Error::broker(
                ErrorCode::TopicAlreadyExists,
                format!("Topic '{name}' already exists."),
            )
            .with_hint("Choose another name, or delete the old topic first."));
        }
        let there = self.topics.keys().map(String::as_str).chain(PRESENT_INTERNAL_TOPICS);
        if let Some(other) = there.into_iter().find(|other| names_collide(name, other)) {
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
        assignments: Option<&[Vec<i32>]>,
        now_ms: i64,
    ) -> Result<Outcome> {
        let topic = self.topics.get(name).ok_or_else(|| unknown_topic(name))?;
        let (from, replication_factor) = (topic.partition_count(), topic.replication_factor);
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
        if let Some(rows) = assignments {
            self.check_new_rows(total - from, replication_factor, rows)?;
        }
        self.check_partition_limit(total - from)?;
        let existing: Vec<Vec<i32>> =
            topic.partitions.iter().map(|partition| partition.replicas.clone()).collect();
        let rows = match assignments {
            Some(rows) => rows.to_vec(),
            None => self.place(&existing, (total - from).unsigned_abs(), replication_factor)?,
        };
        if let Some(topic) = self.topics.get_mut(name) {
            add_partitions(name, topic, rows, now_ms);
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
        for consumer in self.by_hand.values_mut().flat_map(|known| known.values_mut()) {
            // It keeps its partitions, should a topic of that name come again.
            consumer.forget(|at| at.topic != name);
        }
        Ok(Outcome::Done)
    }

    /// Brokers for new partitions, as the controller chooses them: a new topic begins at a broker
    /// that is drawn, one that grows goes on from its last partition.
    fn place(
        &mut self,
        existing: &[Vec<i32>],
        count: u32,
        replication_factor: i16,
    ) -> Result<Vec<Vec<i32>>> {
        let brokers: Vec<UsableBroker> =
            self.brokers.iter().map(|&id| UsableBroker { id, rack: None, fenced: false }).collect();
        let random = &mut self.random;
        place_replicas_on(&brokers, existing, count, replication_factor, &mut |bound| {
            random.next_int_below(bound)
        })
    }

    /// The named brokers of partitions that are added: so many rows, each as long as those before.
    fn check_new_rows(&self, more: i32, replication_factor: i16, rows: &[Vec<i32>]) -> Result {
        if usize::try_from(more) != Ok(rows.len()) {
            return Err(bad_assignment(format!(
                "Attempted to add {more} additional partition(s), but only {} assignment(s) were \
                 specified.",
                rows.len()
            )));
        }
        let others = usize::try_from(replication_factor).ok();
        rows.iter().try_for_each(|row| check_row(row, others, &self.brokers))
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

/// The partitions that follow, one a row of brokers.
fn add_partitions(name: &str, topic: &mut Topic, rows: Vec<Vec<i32>>, now_ms: i64) {
    let from = topic.partitions.len();
    topic.partitions.extend((from..).zip(rows).map(|(number, replicas)| {
        let log = PartitionLog::new(topic.config.log().clone(), now_ms);
        Partition { replicas, log: log.named(format!("{name}-{number}")) }
    }));
}

pub(super) fn unknown_topic(name: &str) -> Error {
    Error::code_alone(ErrorCode::UnknownTopicOrPartition)
        .with_hint(format!("There is no topic {name:?}."))
}

fn too_many(message: &'static str) -> Error {
    Error::broker(ErrorCode::PolicyViolation, message)
        .with_hint("One request makes at most 10,000 records in the controller's log.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Command;

    fn rows(cluster: &Cluster, topic: &str) -> Vec<Vec<i32>> {
        cluster.topics[topic].partitions.iter().map(|one| one.replicas.clone()).collect()
    }

    fn apply(cluster: &mut Cluster, command: &str) -> Result<Outcome> {
        let command: Command = serde_json::from_str(command).unwrap();
        cluster.apply(&command, 0)
    }

    #[test]
    fn replicas_are_where_they_are_named_and_a_topic_that_grows_goes_on_from_them() {
        let mut cluster = Cluster::new(7);
        let create = r#"{"type":"createAssignedTopic","name":"t","assignments":[
            {"partition":1,"replicas":[3,1]},{"partition":0,"replicas":[2,3]}],
            "configs":{"retention.ms":"5"}}"#;
        apply(&mut cluster, create).unwrap();
        assert_eq!(rows(&cluster, "t"), [[2, 3], [3, 1]]);
        assert_eq!(cluster.topics["t"].replication_factor, 2);
        assert_eq!(cluster.topics["t"].config.given()["retention.ms"], "5");

        let grow =
            r#"{"type":"createAssignedPartitions","topic":"t","total":3,"assignments":[[1,2]]}"#;
        apply(&mut cluster, grow).unwrap();
        apply(&mut cluster, r#"{"type":"createPartitions","topic":"t","total":4}"#).unwrap();
        assert_eq!(rows(&cluster, "t"), [[2, 3], [3, 1], [1, 2], [2, 3]]);
    }

    #[test]
    fn nobody_named_is_left_to_the_controller() {
        let mut cluster = Cluster::new(7);
        apply(&mut cluster, r#"{"type":"createAssignedTopic","name":"t","assignments":[]}"#)
            .unwrap();
        assert_eq!(rows(&cluster, "t").len(), 1);
    }

    #[test]
    fn an_assignment_that_is_refused_changes_nothing() {
        let mut cluster = Cluster::new(7);
        apply(&mut cluster, r#"{"type":"createTopic","name":"t"}"#).unwrap();
        let before = cluster.clone();
        for (command, said) in [
            (
                r#"{"type":"createAssignedTopic","name":"u","assignments":[{"partition":0,"replicas":[1,4]}]}"#,
                "The manual partition assignment includes broker 4, but no such broker is registered.",
            ),
            (
                r#"{"type":"createAssignedPartitions","topic":"t","total":3,"assignments":[[1]]}"#,
                "Attempted to add 2 additional partition(s), but only 1 assignment(s) were specified.",
            ),
            (
                r#"{"type":"createAssignedPartitions","topic":"t","total":2,"assignments":[[1,2]]}"#,
                "The manual partition assignment includes a partition with 2 replica(s), but this is not consistent with previous partitions, which have 1 replica(s).",
            ),
        ] {
            let refused = apply(&mut cluster, command).unwrap_err();
            assert_eq!((refused.code(), refused.message()), (Some(39), said));
            assert_eq!(cluster, before);
        }
    }

    #[test]
    fn a_name_collides_with_kafkas_own_topics_and_one_of_them_is_free() {
        let mut cluster = Cluster::new(7);
        let refused =
            cluster.apply(&Command::create_topic("__consumer.offsets", 1), 0).unwrap_err();
        assert_eq!(
            refused.message(),
            "Topic '__consumer.offsets' collides with existing topic: __consumer_offsets"
        );
        // A broker makes it with the first share group only.
        cluster.apply(&Command::create_topic("__share_group_state", 1), 0).unwrap();
    }
}
