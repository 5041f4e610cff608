//! Consumers that are assigned partitions by hand: `KafkaConsumer.assign`. They are members of no
//! group, and no rebalance is about them. With a `group.id` they begin where the group's commits are,
//! and may commit for it while it has no members.
//!
//! Source: `KafkaConsumer.assign`, `SubscriptionState.assignFromUser`, Apache Kafka 4.4.0.

use std::collections::{BTreeMap, BTreeSet};

use super::coordinator::Topics;
use super::poll::partition_of;
use super::{ConsumerConfig, Member, TopicPartition};
use crate::command::SeekTo;
use crate::error::{Error, ErrorCode, Result};
use crate::java;
use crate::outcome::SoughtTo;

impl Member {
    /// A consumer that has nothing yet, and is in no group.
    pub(crate) fn by_hand(config: ConsumerConfig, now_ms: i64) -> Self {
        // It has no heartbeat thread that would look after max.poll.interval.ms.
        Self { polled_ms: None, ..Self::new(String::new(), config, now_ms) }
    }

    /// It is assigned these partitions, whether they are there or not. What it knows of those that
    /// it had before it keeps.
    pub(crate) fn assign(&mut self, partitions: &[TopicPartition]) -> Result {
        if partitions.iter().any(|at| at.topic.trim().is_empty()) {
            return Err(Error::client(
                "IllegalArgumentException",
                "Topic partitions to assign to cannot have null or empty topic",
            )
            .with_hint("Name a topic and a partition: orders-0."));
        }
        let before: BTreeSet<&TopicPartition> = self.assignment.iter().collect();
        if before == partitions.iter().collect() {
            return Ok(());
        }
        let assignment = java_order(partitions);
        self.forget(|at| assignment.contains(at));
        self.assignment = assignment;
        Ok(())
    }

    /// Whether it reads anything.
    ///
    /// # Errors
    ///
    /// `IllegalStateException`: neither topics nor partitions.
    pub(crate) fn check_assigned(&self) -> Result {
        if self.assignment.is_empty() { Err(super::outside::not_subscribed()) } else { Ok(()) }
    }

    /// Where each of its partitions has its first record at or after a time; its end where there is
    /// none.
    ///
    /// # Errors
    ///
    /// `IllegalArgumentException`: a negative time.
    pub(crate) fn offsets_for_time(
        &self,
        timestamp: i64,
        cluster: &Topics,
    ) -> Result<Vec<SoughtTo>> {
        let mut assignment = self.assignment.clone();
        assignment.sort();
        if let Some(at) = assignment.first().filter(|_| timestamp < 0) {
            return Err(negative_time(at, timestamp));
        }
        let sought = assignment.into_iter().map(|at| {
            let held = partition_of(cluster, &at);
            let found = held.and_then(|held| held.log.offset_for_timestamp(timestamp));
            let end = held.map_or(0, |held| held.log.high_watermark());
            SoughtTo {
                offset: found.map_or(end, |(offset, _)| offset),
                timestamp: found.map(|(_, timestamp)| timestamp as f64),
                topic: at.topic,
                partition: at.partition,
            }
        });
        Ok(sought.collect())
    }

    /// Moves its positions to what [`Member::offsets_for_time`] has found.
    pub(crate) fn seek_all(&mut self, sought: &[SoughtTo]) {
        for to in sought {
            let at = TopicPartition::new(&to.topic, to.partition);
            self.seek(&at, SeekTo::Offset(to.offset));
        }
    }
}

/// Source of the text: a Java consumer of 4.4.0.
pub(super) fn negative_time(at: &TopicPartition, timestamp: i64) -> Error {
    Error::client(
        "IllegalArgumentException",
        format!(
            "The target time for partition {at} is {timestamp}. The target time cannot be negative."
        ),
    )
    .with_hint("Give milliseconds since 1970: 0 or more.")
}

/// The refusal of what needs a `group.id`, to a consumer without one.
pub(crate) fn no_group_id() -> Error {
    Error::client_code(
        ErrorCode::InvalidGroupId,
        "To use the group management or offset commit APIs, you must provide a valid group.id in \
         the consumer configuration.",
    )
    .with_hint("This consumer was started without a group.id.")
}

/// Source: `SubscriptionState`.
pub(crate) fn exclusive() -> Error {
    Error::client(
        "IllegalStateException",
        "Subscription to topics, partitions and pattern are mutually exclusive",
    )
    .with_hint("Unsubscribe first, or start another consumer.")
}

/// In the order in which a consumer takes records from partitions that it was assigned by hand: of
/// a Java set that is put into a Java map, topic by topic.
fn java_order(partitions: &[TopicPartition]) -> Vec<TopicPartition> {
    let mut seen = BTreeSet::new();
    let once: Vec<&TopicPartition> = partitions.iter().filter(|at| seen.insert(*at)).collect();
    let count = once.len();
    // HashSet's constructor makes room for all at once.
    let room = (count * 4 / 3 + 1).max(16).next_power_of_two();
    let map = by_hash(by_hash(once, room), java::grown_capacity(count));
    let mut topics: Vec<&str> = Vec::new();
    let mut of_topic: BTreeMap<&str, Vec<&TopicPartition>> = BTreeMap::new();
    for at in map {
        of_topic.entry(&at.topic).or_insert_with(|| {
            topics.push(&at.topic);
            Vec::new()
        });
        of_topic.entry(&at.topic).or_default().push(at);
    }
    topics.into_iter().filter_map(|topic| of_topic.remove(topic)).flatten().cloned().collect()
}

fn by_hash(list: Vec<&TopicPartition>, capacity: usize) -> Vec<&TopicPartition> {
    let hash = |at: &&TopicPartition| {
        java::topic_partition_hash_code(&at.topic, at.partition.cast_unsigned())
    };
    let hashes: Vec<i32> = list.iter().map(hash).collect();
    java::hash_map_order(&hashes, capacity).into_iter().map(|place| list[place]).collect()
}
