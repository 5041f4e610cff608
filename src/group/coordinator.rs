//! The group as its coordinator knows it: members, generation, commits.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::assignor::Assignor;
use super::outside::KICKED_OUT;
use super::{
    CONSUMER_HEARTBEAT_INTERVAL_MS, GroupProtocol, MAX_POLL_RECORDS, Member, Outside,
    PartitionOffset, Polled, Round, TopicPartition,
};
use crate::command::SeekTo;
use crate::error::{Error, ErrorCode, Result};
use crate::outcome::SoughtTo;
use crate::topic::Topic;

/// How long the coordinator waits for a silent member: `session.timeout.ms`.
/// Source: `ConsumerConfig`.
pub const SESSION_TIMEOUT_MS: i64 = 45_000;

/// How old the leader's metadata may get before it looks again and notices added partitions:
/// `metadata.max.age.ms`. Source: `ConsumerConfig`.
pub const METADATA_MAX_AGE_MS: i64 = 300_000;

/// The longest text that is committed beside an offset, in UTF-16 units:
/// `offset.metadata.max.bytes`, which counts characters. Source: `GroupCoordinatorConfig`.
pub const MAX_OFFSET_METADATA: usize = 4_096;

/// What was committed beside an offset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CommitNote {
    /// The offset it was committed with. Of no use any more once another is committed.
    pub offset: i64,
    /// The text.
    #[serde(default)]
    pub metadata: String,
    /// The leader epoch.
    #[serde(default)]
    pub leader_epoch: Option<i32>,
}

/// A consumer group.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Group {
    /// The protocol of its members, or of the last it had.
    #[serde(default, skip_serializing_if = "GroupProtocol::is_classic")]
    pub protocol: GroupProtocol,
    /// One more with every rebalance; with the consumer protocol the group's epoch, one more with
    /// every new target.
    pub generation: i32,
    /// The members, by `client.id`.
    pub members: BTreeMap<String, Member>,
    /// The next offset to read of each partition, as committed.
    #[serde(with = "super::offsets::as_list")]
    pub committed: BTreeMap<TopicPartition, i64>,
    /// What was committed beside some of them.
    #[serde(default, with = "super::offsets::as_list")]
    pub notes: BTreeMap<TopicPartition, CommitNote>,
    /// How far the group has been given records: what a poll delivers below that, it delivers
    /// again. No broker keeps this; it is ours, to show redelivery.
    #[serde(with = "super::offsets::as_list")]
    pub delivered: BTreeMap<TopicPartition, i64>,
    /// The partition counts that the assignment was made for.
    pub known_partitions: BTreeMap<String, i32>,
    /// When the leader's metadata is too old, on the cluster's clock; none while nothing has
    /// changed that it could notice.
    pub metadata_ages_ms: Option<i64>,
    /// The assignor of this generation; none without members, and with the consumer protocol.
    #[serde(default)]
    pub assignor: Option<Assignor>,
    /// Consumers, by `client.id`, whose place another one with their `group.instance.id` has taken:
    /// they run, but are told so with the next thing they do.
    #[serde(default)]
    pub fenced: BTreeSet<String>,
    /// Consumers, by `client.id`, that run and are not in the group.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub outside: BTreeMap<String, Outside>,
    /// The rounds of the last rebalance.
    #[serde(default)]
    pub last_rebalance: Vec<Round>,
}

pub(super) type Topics = BTreeMap<String, Topic>;

impl Group {
    /// Whether there are members, and with the consumer protocol whether all are where they should
    /// be, as `kafka-consumer-groups --state` prints it.
    #[must_use]
    pub fn state(&self) -> &'static str {
        if self.protocol == GroupProtocol::Consumer {
            return self.consumer_state();
        }
        if self.members.is_empty() { "Empty" } else { "Stable" }
    }

    /// The name of the assignor in use: of the clients' in a classic group, empty without members;
    /// of the broker's in one of the consumer protocol.
    #[must_use]
    pub fn assignor_name(&self) -> &'static str {
        match self.protocol {
            GroupProtocol::Classic => self.assignor.map_or("", Assignor::name),
            GroupProtocol::Consumer => self.server_assignor(),
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
    /// it can take; the real leader's clock started at its last look. With the consumer protocol it
    /// is the broker that notices, with the next heartbeat.
    pub(crate) fn metadata_changed(&mut self, cluster: &Topics, now_ms: i64) {
        let changed = self.known_partitions != self.subscribed_partitions(cluster);
        if !changed || self.members.is_empty() {
            self.metadata_ages_ms = None;
        } else if self.metadata_ages_ms.is_none() {
            let notices_after = match self.protocol {
                GroupProtocol::Classic => METADATA_MAX_AGE_MS,
                GroupProtocol::Consumer => CONSUMER_HEARTBEAT_INTERVAL_MS,
            };
            self.metadata_ages_ms = Some(now_ms.saturating_add(notices_after));
        }
    }

    /// A topic is gone, and with it the commits on it. A consumer learns of that with its next
    /// fetch, so the group notices at once.
    pub(crate) fn topic_deleted(&mut self, topic: &str, cluster: &Topics) {
        self.committed.retain(|at, _| at.topic != topic);
        self.notes.retain(|at, _| at.topic != topic);
        self.delivered.retain(|at, _| at.topic != topic);
        for member in self.members.values_mut() {
            // Else the rebalance would commit them.
            member.forget(|at| at.topic != topic);
            if self.protocol == GroupProtocol::Consumer {
                // Of a silent one, too: nobody else could take over what is not there.
                member.assignment.retain(|at| at.topic != topic);
                member.target.retain(|at| at.topic != topic);
            }
        }
        for outside in self.outside.values_mut() {
            outside.member.forget(|at| at.topic != topic);
            outside.member.assignment.retain(|at| at.topic != topic);
        }
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
        uuid: &str,
        now_ms: i64,
    ) -> Result<Polled> {
        let most = most.unwrap_or(MAX_POLL_RECORDS);
        let count = usize::try_from(most).ok().filter(|&most| most > 0).ok_or_else(|| {
            Error::client(
                "ConfigException",
                format!(
                    "Invalid value {most} for configuration max.poll.records: Value must be at \
                     least 1"
                ),
            )
            .with_hint("Ask for 1 record or more, or leave it out: 500.")
        })?;
        if self.outside.contains_key(client_id) {
            let before = self.clone();
            let polled = self
                .come_back(client_id, uuid, cluster, now_ms)
                .and_then(|()| self.poll(client_id, Some(most), cluster, uuid, now_ms));
            if polled.is_err() {
                *self = before;
            }
            return polled;
        }
        // A poll that is refused has changed nothing.
        let mut member = self.living(client_id)?.clone();
        let is_commit_due = member.is_auto_commit_due(now_ms);
        let before = is_commit_due.then(|| member.positions.clone());
        let polled = member.poll(count, cluster, &self.committed, &self.delivered, now_ms)?;
        if let Some(before) = before {
            // What earlier polls gave is committed, not what this one gives.
            self.committed.extend(before);
            member.start_auto_commit_timer(now_ms);
        }
        self.members.insert(client_id.to_owned(), member);
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
        if self.fenced.contains(client_id) {
            return Err(Error::client("CommitFailedException", KICKED_OUT)
                .with_hint(format!("Close {client_id}: another consumer has its place.")));
        }
        self.check_outside_commit(client_id)?;
        let member = match self.outside.get(client_id) {
            Some(outside) => &outside.member,
            None => self.living(client_id)?,
        };
        let offsets: Vec<PartitionOffset> = match offsets {
            Some(offsets) => offsets.to_vec(),
            None => member
                .positions
                .iter()
                .map(|(at, &offset)| PartitionOffset::new(&at.topic, at.partition, offset))
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
                        "{}=OffsetAndMetadata{{offset={}, leaderEpoch={}, metadata='{}'}}",
                        at.topic_partition(),
                        at.offset,
                        at.leader_epoch.map_or("null".to_owned(), |epoch| epoch.to_string()),
                        at.metadata
                    )
                })
                .collect();
            return Err(Error::client_code(
                ErrorCode::RequestTimedOut,
                match self.protocol {
                    GroupProtocol::Classic => format!(
                        "Timeout of 60000ms expired before successfully committing offsets {{{}}}",
                        all.join(", ")
                    ),
                    // The newer consumer passes on what its own timer says.
                    GroupProtocol::Consumer => "java.util.concurrent.TimeoutException".to_owned(),
                },
            )
            .with_hint(format!(
                "There is no {}: name a partition that is there.",
                at.topic_partition()
            )));
        }
        if offsets.iter().any(|at| at.metadata.encode_utf16().count() > MAX_OFFSET_METADATA) {
            return Err(Error::code_alone(ErrorCode::OffsetMetadataTooLarge).with_hint(format!(
                "At most {MAX_OFFSET_METADATA} characters are kept beside an offset."
            )));
        }
        for at in &offsets {
            self.committed.insert(at.topic_partition(), at.offset);
            let note = CommitNote {
                offset: at.offset,
                metadata: at.metadata.clone(),
                leader_epoch: at.leader_epoch,
            };
            if note.metadata.is_empty() && note.leader_epoch.is_none() {
                self.notes.remove(&at.topic_partition());
            } else {
                self.notes.insert(at.topic_partition(), note);
            }
        }
        Ok(offsets)
    }

    /// A member moves its position in a partition of its own. An end of the log is looked up with
    /// the next poll.
    pub(crate) fn seek(&mut self, client_id: &str, at: &TopicPartition, to: SeekTo) -> Result {
        self.check_owner(client_id, at)?;
        if matches!(to, SeekTo::Offset(offset) if offset < 0) {
            return Err(Error::client(
                "IllegalArgumentException",
                "seek offset must not be a negative number",
            )
            .with_hint("Seek to 0 or more, to the beginning, or to the end."));
        }
        if let Some(member) = self.members.get_mut(client_id) {
            member.seek(at, to);
        }
        Ok(())
    }

    /// A member stops taking records from a partition of its own, or takes them again.
    pub(crate) fn pause(&mut self, client_id: &str, at: &TopicPartition, paused: bool) -> Result {
        self.check_owner(client_id, at)?;
        if let Some(member) = self.members.get_mut(client_id) {
            if paused {
                member.paused.insert(at.clone());
            } else {
                member.paused.remove(at);
            }
        }
        Ok(())
    }

    fn check_owner(&self, client_id: &str, at: &TopicPartition) -> Result {
        if self.living(client_id)?.owns(at) {
            return Ok(());
        }
        Err(Error::client(
            "IllegalStateException",
            format!("No current assignment for partition {at}"),
        )
        .with_hint(match self.owner(at) {
            Some(owner) => format!("{owner} reads {at}: ask it."),
            None => format!("Nobody in this group reads {at}."),
        }))
    }

    /// Forgets what is committed on partitions, named as Kafka's tools take them. Source:
    /// `ClassicGroup.isSubscribedToTopic`.
    pub(crate) fn delete_offsets(&mut self, topics: &[String], cluster: &Topics) -> Result {
        let scope = super::reset::in_scope(Some(topics), &self.committed, cluster)?;
        let is_read = |at: &TopicPartition| {
            self.members.values().any(|member| member.config.topics.contains(&at.topic))
        };
        if scope.iter().any(is_read) {
            return Err(Error::code_alone(ErrorCode::GroupSubscribedToTopic)
                .with_hint("Close the members that subscribe to it first."));
        }
        for at in &scope {
            self.committed.remove(at);
            self.notes.remove(at);
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
            )
            .with_hint("Give milliseconds since 1970: 0 or more."));
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
                member.seek(&at, SeekTo::Offset(to.offset));
            }
        }
        Ok(sought)
    }

    /// The member that a partition is assigned to, by `client.id`.
    ///
    /// ```
    /// use loglanes::group::{OffsetReset, TopicPartition};
    /// use loglanes::{Cluster, Command};
    ///
    /// let mut cluster = Cluster::new(7);
    /// cluster.apply(&Command::create_topic("orders", 1), 0)?;
    /// cluster.apply(&Command::join("billing", "m1", "orders", OffsetReset::Latest), 0)?;
    /// let group = cluster.group("billing").unwrap();
    /// assert_eq!(group.owner(&TopicPartition::new("orders", 0)), Some("m1"));
    /// assert_eq!(group.owner(&TopicPartition::new("orders", 1)), None);
    /// # Ok::<(), loglanes::Error>(())
    /// ```
    #[must_use]
    pub fn owner(&self, at: &TopicPartition) -> Option<&str> {
        self.members.iter().find(|(_, member)| member.owns(at)).map(|(name, _)| name.as_str())
    }

    /// What was committed beside a partition's offset, if anything was.
    #[must_use]
    pub fn note(&self, at: &TopicPartition) -> Option<&CommitNote> {
        self.notes.get(at).filter(|note| self.committed.get(at) == Some(&note.offset))
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

    pub(super) fn subscribed_partitions(&self, cluster: &Topics) -> BTreeMap<String, i32> {
        self.members
            .values()
            .flat_map(|member| &member.config.topics)
            .filter_map(|name| Some((name.clone(), cluster.get(name)?.partition_count())))
            .collect()
    }
}

fn exists(cluster: &Topics, at: &PartitionOffset) -> bool {
    cluster.get(&at.topic).is_some_and(|topic| topic.partition(at.partition).is_some())
}
