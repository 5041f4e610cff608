//! The group as its coordinator knows it: members, generation, commits.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::range::{self, Subscription};
use super::{MAX_POLL_RECORDS, Member, OffsetReset, PartitionOffset, Polled, TopicPartition};
use crate::command::{LogEnd, SeekTo};
use crate::error::{Error, ErrorCode, Result};
use crate::outcome::SoughtTo;
use crate::topic::{Topic, check_name};

/// How long the coordinator waits for a silent member: `session.timeout.ms`.
/// Source: `ConsumerConfig`.
pub const SESSION_TIMEOUT_MS: i64 = 45_000;

/// How old the leader's metadata may get before it looks again and notices added partitions:
/// `metadata.max.age.ms`. Source: `ConsumerConfig`.
pub const METADATA_MAX_AGE_MS: i64 = 300_000;

/// A consumer group.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Group {
    /// One more with every rebalance.
    pub generation: i32,
    /// The members, by `client.id`.
    pub members: BTreeMap<String, Member>,
    /// The next offset to read of each partition, as committed.
    #[serde(with = "super::offsets::as_list")]
    pub committed: BTreeMap<TopicPartition, i64>,
    /// How far the group has been given records: what a poll delivers below that, it delivers
    /// again. No broker keeps this; it is ours, to show redelivery.
    #[serde(with = "super::offsets::as_list")]
    pub delivered: BTreeMap<TopicPartition, i64>,
    /// The partition counts that the assignment was made for.
    pub known_partitions: BTreeMap<String, i32>,
    /// When the leader's metadata is too old, on the cluster's clock; none while nothing has
    /// changed that it could notice.
    pub metadata_ages_ms: Option<i64>,
}

type Topics = BTreeMap<String, Topic>;

impl Group {
    /// Whether there are members, as `kafka-consumer-groups --state` prints it.
    #[must_use]
    pub fn state(&self) -> &'static str {
        if self.members.is_empty() { "Empty" } else { "Stable" }
    }

    /// A consumer subscribes and joins; the group rebalances.
    pub(crate) fn join(
        &mut self,
        client_id: &str,
        topics: &[String],
        auto_offset_reset: OffsetReset,
        uuid: &str,
        cluster: &Topics,
    ) -> Result {
        if client_id.is_empty() {
            return Err(Error::loglanes("A member needs a name, its client.id.")
                .with_hint("Give it one, such as m1."));
        }
        if self.members.contains_key(client_id) {
            return Err(Error::loglanes(format!("The group already has a member {client_id}."))
                .with_hint("Loglanes tells members apart by client.id: choose another name."));
        }
        if topics.iter().any(|topic| topic.trim().is_empty()) {
            return Err(Error::client(
                "IllegalArgumentException",
                "Topic collection to subscribe to cannot contain null or empty topic",
            ));
        }
        if topics.is_empty() {
            return Err(Error::client(
                "IllegalStateException",
                "Consumer is not subscribed to any topics or assigned any partitions",
            )
            .with_hint("Name at least one topic."));
        }
        if let Some(illegal) = topics.iter().find(|topic| check_name(topic).is_err()) {
            return Err(Error::broker(
                ErrorCode::InvalidTopicException,
                format!("Invalid topics: [{illegal}]"),
            ));
        }
        let mut topics = topics.to_vec();
        topics.sort();
        topics.dedup();
        self.members.insert(
            client_id.to_owned(),
            Member {
                member_id: format!("{client_id}-{uuid}"),
                topics,
                auto_offset_reset,
                session_ends_ms: None,
                assignment: Vec::new(),
                positions: BTreeMap::new(),
            },
        );
        self.rebalance(cluster);
        Ok(())
    }

    /// A member leaves; the group rebalances without it.
    pub(crate) fn leave(&mut self, client_id: &str, cluster: &Topics) -> Result {
        self.living(client_id)?;
        self.members.remove(client_id);
        self.rebalance(cluster);
        Ok(())
    }

    /// A member falls silent; its partitions stay with it until its session times out.
    pub(crate) fn crash(&mut self, client_id: &str, now_ms: i64) -> Result {
        self.living(client_id)?;
        if let Some(member) = self.members.get_mut(client_id) {
            member.session_ends_ms = Some(now_ms.saturating_add(SESSION_TIMEOUT_MS));
        }
        Ok(())
    }

    /// The process of a crashed member starts again. The old session ends first, at once.
    pub(crate) fn restart(&mut self, client_id: &str, uuid: &str, cluster: &Topics) -> Result {
        let old = self.member(client_id)?;
        if old.is_alive() {
            return Err(Error::loglanes(format!("{client_id} is running."))
                .with_hint("Only a crashed member can be started again."));
        }
        let (topics, reset) = (old.topics.clone(), old.auto_offset_reset);
        self.expire(client_id, cluster);
        self.join(client_id, &topics, reset, uuid, cluster)
    }

    /// The coordinator gives a silent member up.
    pub(crate) fn expire(&mut self, client_id: &str, cluster: &Topics) {
        if self.members.remove(client_id).is_some() {
            self.rebalance(cluster);
        }
    }

    /// The leader looks at the metadata; the group rebalances if anything has changed.
    pub(crate) fn refresh_metadata(&mut self, cluster: &Topics) -> bool {
        let changed = self.known_partitions != self.subscribed_partitions(cluster);
        if changed {
            self.rebalance(cluster);
        }
        self.metadata_ages_ms = None;
        changed
    }

    /// A topic has changed: the leader will notice once its metadata is old. This is the longest
    /// it can take; the real leader's clock started at its last look.
    pub(crate) fn metadata_changed(&mut self, cluster: &Topics, now_ms: i64) {
        let changed = self.known_partitions != self.subscribed_partitions(cluster);
        if !changed || self.members.is_empty() {
            self.metadata_ages_ms = None;
        } else if self.metadata_ages_ms.is_none() {
            self.metadata_ages_ms = Some(now_ms.saturating_add(METADATA_MAX_AGE_MS));
        }
    }

    /// A topic is gone, and with it the commits on it. A consumer learns of that with its next
    /// fetch, so the group notices at once.
    pub(crate) fn topic_deleted(&mut self, topic: &str, cluster: &Topics) {
        self.committed.retain(|at, _| at.topic != topic);
        self.delivered.retain(|at, _| at.topic != topic);
        if self.known_partitions.contains_key(topic) {
            self.rebalance(cluster);
        }
    }

    /// A member takes the next records.
    pub(crate) fn poll(
        &mut self,
        client_id: &str,
        most: Option<i32>,
        cluster: &Topics,
    ) -> Result<Polled> {
        let most = most.unwrap_or(MAX_POLL_RECORDS);
        let most = usize::try_from(most).ok().filter(|&most| most > 0).ok_or_else(|| {
            Error::client(
                "ConfigException",
                format!(
                    "Invalid value {most} for configuration max.poll.records: Value must be at \
                     least 1"
                ),
            )
        })?;
        let member = self.living(client_id)?;
        let polled = member.poll(most, cluster, &self.committed, &self.delivered)?;
        if let Some(member) = self.members.get_mut(client_id) {
            member.accept(&polled);
        }
        for record in &polled.records {
            let seen = self.delivered.entry(record.at.clone()).or_insert(i64::MIN);
            *seen = (*seen).max(record.offset + 1);
        }
        Ok(polled)
    }

    /// A member commits the given offsets, or all of its positions. No offset is held against
    /// the log: Kafka takes any that is not negative.
    pub(crate) fn commit(
        &mut self,
        client_id: &str,
        offsets: Option<&[PartitionOffset]>,
        cluster: &Topics,
    ) -> Result<Vec<PartitionOffset>> {
        let member = self.living(client_id)?;
        let offsets: Vec<PartitionOffset> = match offsets {
            Some(offsets) => offsets.to_vec(),
            None => member
                .positions
                .iter()
                .map(|(at, &offset)| PartitionOffset {
                    topic: at.topic.clone(),
                    partition: at.partition,
                    offset,
                })
                .collect(),
        };
        if offsets.iter().any(|at| at.offset < 0) {
            return Err(Error::client("IllegalArgumentException", "Invalid negative offset")
                .with_hint("An offset to commit is the next to read: 0 or more."));
        }
        if let Some(at) = offsets.iter().find(|at| !exists(cluster, at)) {
            // Kafka's consumer names them all. What it could commit is committed there before it
            // gives up; here nothing is, as with every refusal.
            let all: Vec<String> = offsets
                .iter()
                .map(|at| {
                    format!(
                        "{}=OffsetAndMetadata{{offset={}, leaderEpoch=null, metadata=''}}",
                        at.topic_partition(),
                        at.offset
                    )
                })
                .collect();
            return Err(Error::client_code(
                ErrorCode::RequestTimedOut,
                format!(
                    "Timeout of 60000ms expired before successfully committing offsets {{{}}}",
                    all.join(", ")
                ),
            )
            .with_hint(format!(
                "There is no {}: name a partition that is there.",
                at.topic_partition()
            )));
        }
        for at in &offsets {
            self.committed.insert(at.topic_partition(), at.offset);
        }
        Ok(offsets)
    }

    /// A member moves its position in a partition of its own.
    pub(crate) fn seek(
        &mut self,
        client_id: &str,
        at: &TopicPartition,
        to: SeekTo,
        cluster: &Topics,
    ) -> Result {
        let member = self.living(client_id)?;
        if !member.owns(at) {
            return Err(Error::client(
                "IllegalStateException",
                format!("No current assignment for partition {at}"),
            )
            .with_hint(match self.owner(at) {
                Some(owner) => format!("{owner} reads {at}: seek there."),
                None => format!("Nobody in this group reads {at}."),
            }));
        }
        let log = cluster
            .get(&at.topic)
            .and_then(|topic| topic.partition(at.partition))
            .map(|partition| &partition.log);
        let offset = match to {
            SeekTo::Offset(offset) if offset < 0 => {
                return Err(Error::client(
                    "IllegalArgumentException",
                    "seek offset must not be a negative number",
                ));
            }
            SeekTo::Offset(offset) => offset,
            SeekTo::End(LogEnd::Beginning) => log.map_or(0, |log| log.log_start_offset()),
            SeekTo::End(LogEnd::End) => log.map_or(0, |log| log.high_watermark()),
        };
        if let Some(member) = self.members.get_mut(client_id) {
            member.positions.insert(at.clone(), offset);
        }
        Ok(())
    }

    /// A member moves the positions of all its partitions to a time; to the end where no record
    /// is so late.
    pub(crate) fn seek_to_timestamp(
        &mut self,
        client_id: &str,
        timestamp: i64,
        cluster: &Topics,
    ) -> Result<Vec<SoughtTo>> {
        let mut assignment = self.living(client_id)?.assignment.clone();
        assignment.sort();
        if let Some(at) = assignment.first().filter(|_| timestamp < 0) {
            return Err(Error::client(
                "IllegalArgumentException",
                format!(
                    "The target time for partition {at} is {timestamp}. The target time cannot \
                     be negative."
                ),
            ));
        }
        let sought: Vec<SoughtTo> = assignment
            .into_iter()
            .map(|at| {
                let held = cluster.get(&at.topic).and_then(|topic| topic.partition(at.partition));
                let found = held.and_then(|held| held.log.offset_for_timestamp(timestamp));
                let end = held.map_or(0, |held| held.log.high_watermark());
                SoughtTo {
                    offset: found.map_or(end, |(offset, _)| offset),
                    timestamp: found.map(|(_, timestamp)| timestamp as f64),
                    topic: at.topic,
                    partition: at.partition,
                }
            })
            .collect();
        if let Some(member) = self.members.get_mut(client_id) {
            for to in &sought {
                let at = TopicPartition::new(&to.topic, to.partition);
                member.positions.insert(at, to.offset);
            }
        }
        Ok(sought)
    }

    /// The member that a partition is assigned to, by `client.id`.
    #[must_use]
    pub fn owner(&self, at: &TopicPartition) -> Option<&str> {
        self.members.iter().find(|(_, member)| member.owns(at)).map(|(name, _)| name.as_str())
    }

    /// The next moment at which a timer of this group runs, on the cluster's clock.
    #[must_use]
    pub fn next_timer_ms(&self) -> Option<i64> {
        let sessions = self.members.values().filter_map(|member| member.session_ends_ms);
        sessions.chain(self.metadata_ages_ms).min()
    }

    /// Lets the timer run that [`Group::next_timer_ms`] names.
    pub(crate) fn run_timer(&mut self, at_ms: i64, cluster: &Topics) {
        let silent = self
            .members
            .iter()
            .find(|(_, member)| member.session_ends_ms == Some(at_ms))
            .map(|(name, _)| name.clone());
        match silent {
            Some(client_id) => self.expire(&client_id, cluster),
            None => {
                self.refresh_metadata(cluster);
            }
        }
    }

    /// Everyone gives up everything, and the partitions are dealt out anew. Eager: positions are
    /// forgotten, even those of partitions that stay with their member.
    fn rebalance(&mut self, cluster: &Topics) {
        self.generation = self.generation.wrapping_add(1);
        self.known_partitions = self.subscribed_partitions(cluster);
        self.metadata_ages_ms = None;
        let counts: BTreeMap<&str, i32> =
            self.known_partitions.iter().map(|(name, &count)| (name.as_str(), count)).collect();
        let subscriptions: Vec<Subscription<'_>> = self
            .members
            .values()
            .map(|member| Subscription {
                member_id: &member.member_id,
                instance_id: None,
                topics: &member.topics,
            })
            .collect();
        let shares = range::assign(&subscriptions, &counts);
        for (member, share) in self.members.values_mut().zip(shares) {
            member.assignment = share;
            member.positions.clear();
        }
    }

    fn subscribed_partitions(&self, cluster: &Topics) -> BTreeMap<String, i32> {
        self.members
            .values()
            .flat_map(|member| &member.topics)
            .filter_map(|name| Some((name.clone(), cluster.get(name)?.partition_count())))
            .collect()
    }

    fn member(&self, client_id: &str) -> Result<&Member> {
        self.members.get(client_id).ok_or_else(|| {
            Error::broker(ErrorCode::UnknownMemberId, ErrorCode::UnknownMemberId.message())
                .with_hint(format!("The group has no member {client_id}."))
        })
    }

    fn living(&self, client_id: &str) -> Result<&Member> {
        let member = self.member(client_id)?;
        if member.is_alive() {
            return Ok(member);
        }
        Err(Error::loglanes(format!("{client_id} has crashed."))
            .with_hint("Start it again, or let its session time out: then the others take over."))
    }
}

fn exists(cluster: &Topics, at: &PartitionOffset) -> bool {
    cluster.get(&at.topic).is_some_and(|topic| topic.partition(at.partition).is_some())
}
