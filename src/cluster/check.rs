//! Whether a cluster that was read from outside holds together.
//!
//! Commands keep all of this true by themselves; a manifest that somebody has made need not. What
//! the other modules rely on is looked at here, once, so that they need not look again.

use std::collections::BTreeSet;
use std::mem::discriminant;

use super::{
    Cluster, MAX_GROUPS, MAX_PARTITIONS, MAX_PRODUCERS, MAX_TOPICS, TRANSACTION_MAX_TIMEOUT_MS,
};
use crate::error::{Error, Result};
use crate::producer::{Memory, Producer, partitioner_of};
use crate::snapshot::RESTORE_HINT;
use crate::topic::{PRESENT_INTERNAL_TOPICS, Topic, check_name};

impl Cluster {
    /// Whether brokers, topics, groups and producers fit together, and the limits are kept.
    ///
    /// # Errors
    ///
    /// [`crate::Refusal::Corrupt`], naming the first thing that does not fit.
    pub(crate) fn check(&self) -> Result {
        let brokers: BTreeSet<i32> = self.brokers.iter().copied().collect();
        ensure(!brokers.is_empty(), || "There is no broker.".to_owned())?;
        ensure(brokers.len() == self.brokers.len(), || "A broker is there twice.".to_owned())?;
        ensure(self.clock_offset_ms >= 0, || "The clock has gone backwards.".to_owned())?;
        self.check_limits()?;
        let (mut names, mut ids) = (BTreeSet::new(), BTreeSet::new());
        for (name, topic) in &self.topics {
            check_topic(name, topic, &brokers)?;
            ensure(names.insert(name.replace('.', "_")), || {
                format!("The topic {name} collides with another.")
            })?;
            ensure(ids.insert(topic.id), || format!("The id of the topic {name} is there twice."))?;
        }
        for (id, group) in &self.groups {
            ensure(!id.trim().is_empty(), || "A group has no id.".to_owned())?;
            group.check(id, &self.topics)?;
        }
        for (id, name, consumer) in self.by_hand() {
            let is_id = id.is_empty() || !id.trim().is_empty();
            ensure(is_id && !name.is_empty(), || {
                "A consumer that is assigned by hand has no name, or no group id.".to_owned()
            })?;
            consumer
                .check_memory()
                .map_err(|what| broken(format!("The consumer {name} {what}.")))?;
        }
        for (name, producer) in &self.producers {
            self.check_producer(name, producer)?;
        }
        for (id, known) in &self.transactions {
            let identity = known.identity;
            let fits = (0..self.next_producer_id).contains(&identity.id)
                && identity.epoch >= 0
                && (1..=TRANSACTION_MAX_TIMEOUT_MS).contains(&known.timeout_ms);
            ensure(fits, || format!("The transactional id {id:?} has what cannot be."))?;
        }
        Ok(())
    }

    fn check_limits(&self) -> Result {
        let partitions: usize = self.topics.values().map(|topic| topic.partitions.len()).sum();
        let members = self.groups.values().map(|group| group.members.len()).max().unwrap_or(0);
        let by_hand = self.by_hand.values().map(|known| known.len()).max().unwrap_or(0);
        for (limit, most, what, count) in [
            ("MAX_TOPICS", MAX_TOPICS, "topics", self.topics.len()),
            ("MAX_PARTITIONS", MAX_PARTITIONS, "partitions", partitions),
            ("MAX_GROUPS", MAX_GROUPS, "groups", self.groups.len()),
            ("MAX_GROUPS", MAX_GROUPS, "ids of consumers by hand", self.by_hand.len()),
            ("MAX_GROUPS", MAX_GROUPS, "consumers by hand of a group", by_hand),
            ("MAX_PRODUCERS", MAX_PRODUCERS, "producers", self.producers.len()),
            ("MAX_GROUPS", MAX_GROUPS, "members of a group", members),
        ] {
            ensure(count <= most, || {
                format!("There are {count} {what}, above the limit {limit} of {most}.")
            })?;
        }
        Ok(())
    }

    fn check_producer(&self, name: &str, producer: &Producer) -> Result {
        ensure(producer.fits(self.next_producer_id), || {
            format!("The producer {name} has what cannot be.")
        })?;
        let known = partitioner_of(Some(&producer.partitioner))?;
        let fresh = Memory::new(&producer.settings.config(known), &mut || 0);
        for (topic, memory) in &producer.memories {
            let count = self.topics.get(topic).map(|topic| topic.partitions.len());
            let count = count
                .ok_or_else(|| broken(format!("The producer {name} knows a topic that is not.")))?;
            let fits = discriminant(memory) == discriminant(&fresh)
                && match memory {
                    Memory::Sticky(sticky) => sticky.fits(count),
                    Memory::Nothing | Memory::RoundRobin(_) => true,
                };
            ensure(fits, || {
                format!("The producer {name} remembers what {topic} or its partitioner has not.")
            })?;
        }
        Ok(())
    }
}

fn check_topic(name: &str, topic: &Topic, brokers: &BTreeSet<i32>) -> Result {
    let is_reserved = name == "__cluster_metadata" || PRESENT_INTERNAL_TOPICS.contains(&name);
    ensure(check_name(name).is_ok() && !is_reserved, || format!("{name:?} is no topic's name."))?;
    ensure(!topic.partitions.is_empty(), || format!("The topic {name} has no partition."))?;
    for (number, partition) in topic.partitions.iter().enumerate() {
        let replicas: BTreeSet<i32> = partition.replicas.iter().copied().collect();
        let fits = !replicas.is_empty()
            && replicas.len() == partition.replicas.len()
            && replicas.len() == usize::try_from(topic.replication_factor).unwrap_or(0)
            && replicas.is_subset(brokers);
        ensure(fits, || format!("The replicas of {name}-{number} do not fit the brokers."))?;
    }
    Ok(())
}

/// Unless that holds, the cluster is refused in these words.
pub(crate) fn ensure(holds: bool, sentence: impl FnOnce() -> String) -> Result {
    if holds { Ok(()) } else { Err(broken(sentence())) }
}

fn broken(sentence: String) -> Error {
    Error::corrupt(format!("What was saved does not fit together. {sentence}"))
        .with_hint(RESTORE_HINT)
}
