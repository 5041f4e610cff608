//! The group as its coordinator knows it: members, generation, commits.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::assignor::Assignor;
use super::settings::poll_records;
use super::{
    CONSUMER_HEARTBEAT_INTERVAL_MS, GroupProtocol, Member, Outside, Polled, Round, TopicPartition,
    TopicPattern,
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

pub(crate) type Topics = BTreeMap<String, Topic>;

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
        let changed = self.known_partitions != self.fresh_partitions(cluster, true);
        if changed {
            self.resolve(cluster, true);
            self.rebalance(cluster);
        }
        self.metadata_ages_ms = None;
        changed
    }

    /// A topic has changed: the leader will notice once its metadata is old. This is the longest
    /// it can take; the real leader's clock started at its last look. With the consumer protocol it
    /// is the broker that notices, with the next heartbeat.
    pub(crate) fn metadata_changed(&mut self, cluster: &Topics, now_ms: i64) {
        let changed = self.known_partitions != self.fresh_partitions(cluster, true);
        if !changed || self.members.is_empty() {
            self.metadata_ages_ms = None;
        } else if self.metadata_ages_ms.is_none() {
            let is_brokers = self.protocol == GroupProtocol::Consumer
                && self.known_partitions != self.fresh_partitions(cluster, false);
            let notices_after =
                if is_brokers { CONSUMER_HEARTBEAT_INTERVAL_MS } else { METADATA_MAX_AGE_MS };
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
        most.map_or(Ok(0), poll_records)?;
        if self.outside.contains_key(client_id) {
            let before = self.clone();
            let polled = self
                .come_back(client_id, uuid, cluster, now_ms)
                .and_then(|()| self.poll(client_id, most, cluster, uuid, now_ms));
            if polled.is_err() {
                *self = before;
            }
            return polled;
        }
        // A poll that is refused has changed nothing.
        let mut member = self.living(client_id)?.clone();
        let count = poll_records(most.unwrap_or(member.config.max_poll_records))?;
        member.polled_ms = member.polled_ms.map(|_| now_ms);
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

    /// A member moves its position in a partition of its own. An end of the log is looked up with
    /// the next poll.
    pub(crate) fn seek(&mut self, client_id: &str, at: &TopicPartition, to: SeekTo) -> Result {
        self.check_owner(client_id, at)?;
        if matches!(to, SeekTo::Offset(offset) if offset < 0) {
            return Err(negative_seek());
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
        Err(not_assigned(at).with_hint(match self.owner(at) {
            Some(owner) => format!("{owner} reads {at}: ask it."),
            None => format!("Nobody in this group reads {at}."),
        }))
    }

    /// Forgets what is committed on partitions, named as Kafka's tools take them. Source:
    /// `ClassicGroup.isSubscribedToTopic`.
    pub(crate) fn delete_offsets(&mut self, topics: &[String], cluster: &Topics) -> Result {
        // These are not looked up before: the broker answers for them.
        let is_there = |at: &TopicPartition| {
            let topic = cluster.get(&at.topic);
            topic.and_then(|topic| topic.partition(at.partition)).map(|_| ()).ok_or_else(|| {
                Error::code_alone(ErrorCode::UnknownTopicOrPartition)
                    .with_hint(format!("There is no partition {at}."))
            })
        };
        let topics = Some(topics);
        let scope = super::reset::in_checked_scope(topics, &self.committed, cluster, is_there)?;
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
        let sought = self.living(client_id)?.offsets_for_time(timestamp, cluster)?;
        if let Some(member) = self.members.get_mut(client_id) {
            member.seek_all(&sought);
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
        let polls = self.members.values().filter_map(Member::polls_until_ms);
        sessions.chain(polls).chain(self.metadata_ages_ms).min()
    }

    /// Lets the timer run that [`Group::next_timer_ms`] names.
    pub(crate) fn run_timer(&mut self, at_ms: i64, cluster: &Topics) {
        let first = |is_due: &dyn Fn(&Member) -> bool| {
            let due = self.members.iter().find(|(_, member)| is_due(member));
            due.map(|(name, _)| name.clone())
        };
        if let Some(client_id) = first(&|member| member.session_ends_ms == Some(at_ms)) {
            self.expire(&client_id, cluster);
        } else if let Some(client_id) = first(&|member| member.polls_until_ms() == Some(at_ms)) {
            self.drop_out(&client_id, cluster);
        } else {
            self.refresh_metadata(cluster);
        }
    }

    pub(super) fn subscribed_partitions(&self, cluster: &Topics) -> BTreeMap<String, i32> {
        counts(self.members.values().flat_map(|member| member.config.topics.clone()), cluster)
    }

    /// What the members would subscribe to if each looked now; with the consumer protocol, and not
    /// `by_all`, only where it is the broker that looks.
    pub(crate) fn fresh_partitions(&self, cluster: &Topics, by_all: bool) -> BTreeMap<String, i32> {
        let topics = |member: &Member| {
            if self.looks_now(member, by_all) { member.matching(cluster) } else { None }
                .unwrap_or_else(|| member.config.topics.clone())
        };
        counts(self.members.values().flat_map(topics), cluster)
    }

    /// Members that subscribe by pattern look which topics match: before a rebalance all of a classic
    /// group; with the consumer protocol the broker for its own patterns, the others when their
    /// metadata is refreshed (`by_all`).
    pub(super) fn resolve(&mut self, cluster: &Topics, by_all: bool) {
        for name in self.members.keys().cloned().collect::<Vec<_>>() {
            let Some(member) = self.members.get(&name) else { continue };
            let is_now = self.looks_now(member, by_all);
            let topics = member.matching(cluster).filter(|_| is_now);
            if let (Some(topics), Some(member)) = (topics, self.members.get_mut(&name)) {
                member.config.topics = topics;
            }
        }
    }

    fn looks_now(&self, member: &Member, by_all: bool) -> bool {
        by_all
            || self.protocol == GroupProtocol::Classic
            || matches!(member.config.pattern, Some(TopicPattern::Re2(_)))
    }
}

fn counts(topics: impl Iterator<Item = String>, cluster: &Topics) -> BTreeMap<String, i32> {
    topics
        .filter_map(|name| {
            let count = cluster.get(&name)?.partition_count();
            Some((name, count))
        })
        .collect()
}

/// Source: `SubscriptionState.assignedState`.
pub(crate) fn not_assigned(at: &TopicPartition) -> Error {
    let text = format!("No current assignment for partition {at}");
    Error::client("IllegalStateException", text)
}

/// Source of the text: a Java consumer of 4.4.0.
pub(crate) fn negative_seek() -> Error {
    let text = "seek offset must not be a negative number";
    Error::client("IllegalArgumentException", text)
        .with_hint("Seek to 0 or more, to the beginning, or to the end.")
}
