//! Acts of consumers that are assigned partitions by hand, and questions to any consumer.

use std::collections::BTreeMap;

use super::{Cluster, MAX_GROUPS};
use crate::command::{Command, SeekTo};
use crate::error::{Error, ErrorCode, Result};
use crate::group::{
    Asked, Call, ConsumerConfig, Group, Member, PartitionOffset, Polled, Said, TopicPartition,
    Verdicts, WhyOutside, check_topics, exclusive, negative_seek, no_group_id, not_assigned,
    poll_records,
};
use crate::outcome::Outcome;

/// Consumers by `group.id`, which is empty without one, and by `client.id`.
pub(crate) type ByHand = BTreeMap<String, BTreeMap<String, Member>>;

impl Cluster {
    /// The consumers that are assigned partitions by hand: their `group.id`, empty without one, their
    /// `client.id`, and what they know.
    ///
    /// ```
    /// use loglanes::group::{ConsumerConfig, TopicPartition};
    /// use loglanes::{Cluster, Command};
    ///
    /// let mut cluster = Cluster::new(7);
    /// let partitions = vec![TopicPartition::new("orders", 0)];
    /// let config = ConsumerConfig::default();
    /// let (group, member) = (String::new(), "m1".to_owned());
    /// cluster.apply(&Command::Assign { group, member, partitions, config }, 0)?;
    /// let (group, name, consumer) = cluster.by_hand().next().unwrap();
    /// assert_eq!((group, name, consumer.assignment.len()), ("", "m1", 1));
    /// # Ok::<(), loglanes::Error>(())
    /// ```
    pub fn by_hand(&self) -> impl Iterator<Item = (&str, &str, &Member)> {
        self.by_hand.iter().flat_map(|(group, consumers)| {
            consumers.iter().map(|(name, member)| (group.as_str(), name.as_str(), member))
        })
    }

    pub(super) fn is_by_hand(&self, group: &str, member: &str) -> bool {
        self.by_hand.get(group).is_some_and(|consumers| consumers.contains_key(member))
    }

    /// `assign`, of a consumer that runs or of a new one.
    pub(super) fn assign(
        &mut self,
        group: &str,
        member: &str,
        partitions: &[TopicPartition],
        config: &ConsumerConfig,
        now_ms: i64,
    ) -> Result<Outcome> {
        let mut consumer = match self.by_hand.get(group).and_then(|known| known.get(member)) {
            Some(consumer) => {
                if *config != ConsumerConfig::default() {
                    return Err(Error::loglanes(format!(
                        "{member} runs, with the configs it has."
                    ))
                    .with_hint("Leave the configs out, or close it and start another."));
                }
                consumer.clone()
            }
            None => self.new_by_hand(group, member, config, now_ms)?,
        };
        let offsets = consumer.auto_commits();
        consumer.assign(partitions)?;
        self.commit_quietly(group, offsets);
        if let Some(group) = self.groups.get_mut(group) {
            group.outside.remove(member);
        }
        self.by_hand.entry(group.to_owned()).or_default().insert(member.to_owned(), consumer);
        Ok(Outcome::Done)
    }

    /// One that is started, or one that has unsubscribed from its group's topics.
    fn new_by_hand(
        &self,
        group: &str,
        member: &str,
        config: &ConsumerConfig,
        now_ms: i64,
    ) -> Result<Member> {
        if member.is_empty() {
            return Err(Error::loglanes("A consumer needs a name, its client.id.")
                .with_hint("Give it one, such as m1."));
        }
        let held = self.groups.get(group);
        if let Some(outside) = held.and_then(|group| group.outside.get(member))
            && outside.why == WhyOutside::Unsubscribed
        {
            return Ok(Member::by_hand(outside.member.config.clone(), now_ms));
        }
        let is_there = held.is_some_and(|group| {
            group.outside.contains_key(member) || group.members.contains_key(member)
        });
        if is_there || !config.topics.is_empty() || config.pattern.is_some() {
            return Err(exclusive());
        }
        if !group.is_empty() && group.trim().is_empty() {
            return Err(super::consume::blank_group_id());
        }
        let consumers = self.by_hand.get(group).map_or(0, BTreeMap::len);
        if consumers.max(self.by_hand.len()) >= MAX_GROUPS {
            return Err(Error::limit(
                "MAX_GROUPS",
                format!(
                    "Loglanes keeps at most {MAX_GROUPS} consumers that are assigned by hand with \
                     one group.id, and as many such ids."
                ),
            )
            .with_hint("Close a consumer."));
        }
        config.check(!group.is_empty())?;
        Ok(Member::by_hand(config.clone(), now_ms))
    }

    /// An act of a consumer that is assigned by hand.
    pub(super) fn act_by_hand(
        &mut self,
        group: &str,
        member: &str,
        command: &Command,
        now_ms: i64,
    ) -> Result<Outcome> {
        match command {
            Command::Leave { .. } => self.end_by_hand(group, member, true),
            Command::Crash { .. } => self.end_by_hand(group, member, false),
            Command::Restart { .. } => Err(Error::loglanes(format!("{member} is running."))
                .with_hint("One that is assigned by hand is gone when it stops: start another.")),
            Command::Subscribe { topics, pattern, .. } => {
                self.subscribe_by_hand(group, member, topics, pattern.is_some())?;
                if topics.is_empty() && pattern.is_none() {
                    return Ok(Outcome::Done);
                }
                self.start_over(group, member, command, now_ms)
            }
            Command::EnforceRebalance { .. } if group.is_empty() => Err(Error::client(
                "IllegalStateException",
                "Tried to force a rebalance but consumer does not have a group.",
            )
            .with_hint("This consumer was started without a group.id.")),
            // Nobody waits for its polls, and nothing is dealt out to it.
            Command::EnforceRebalance { .. } | Command::ExceedPollInterval { .. } => {
                Ok(Outcome::Done)
            }
            Command::Poll { max_records, .. } => {
                self.poll_by_hand(group, member, *max_records, now_ms)
            }
            Command::Commit { offsets, .. } => {
                let done = self.commit_by_hand(group, member, offsets.as_deref())?;
                Ok(super::consume::committed(group, done))
            }
            Command::Seek { topic, partition, to, .. } => {
                let at = TopicPartition::new(topic, *partition);
                if matches!(to, SeekTo::Offset(offset) if *offset < 0) {
                    return Err(negative_seek());
                }
                self.its_own(group, member, &at)?.seek(&at, *to);
                Ok(Outcome::Done)
            }
            Command::Pause { topic, partition, .. } => {
                let at = TopicPartition::new(topic, *partition);
                self.its_own(group, member, &at)?.paused.insert(at);
                Ok(Outcome::Done)
            }
            Command::Resume { topic, partition, .. } => {
                let at = TopicPartition::new(topic, *partition);
                self.its_own(group, member, &at)?.paused.remove(&at);
                Ok(Outcome::Done)
            }
            Command::SeekToTimestamp { timestamp, .. } => {
                self.seek_by_hand_to_timestamp(group, member, *timestamp)
            }
            _ => Ok(Outcome::Done),
        }
    }

    fn consumer_mut(&mut self, group: &str, member: &str) -> Result<&mut Member> {
        let consumers = self.by_hand.get_mut(group);
        consumers.and_then(|known| known.get_mut(member)).ok_or_else(|| unknown(member))
    }

    /// A consumer that has this partition.
    fn its_own(&mut self, group: &str, member: &str, at: &TopicPartition) -> Result<&mut Member> {
        let consumer = self.consumer_mut(group, member)?;
        if consumer.owns(at) {
            return Ok(consumer);
        }
        Err(not_assigned(at).with_hint("Assign it first, or name a partition that it has."))
    }

    fn end_by_hand(&mut self, group: &str, member: &str, in_good_order: bool) -> Result<Outcome> {
        let consumer = self.consumer_mut(group, member)?.clone();
        if in_good_order {
            self.commit_quietly(group, consumer.auto_commits());
        }
        self.forget_by_hand(group, member);
        Ok(Outcome::Done)
    }

    fn forget_by_hand(&mut self, group: &str, member: &str) {
        if let Some(consumers) = self.by_hand.get_mut(group) {
            consumers.remove(member);
            if consumers.is_empty() {
                self.by_hand.remove(group);
            }
        }
    }

    /// Checks that it may subscribe; to nothing: it has nothing then.
    fn subscribe_by_hand(
        &mut self,
        group: &str,
        member: &str,
        topics: &[String],
        by_pattern: bool,
    ) -> Result {
        let consumer = self.consumer_mut(group, member)?;
        if topics.is_empty() && !by_pattern {
            consumer.assignment.clear();
            consumer.forget(|_| false);
            return Ok(());
        }
        if group.is_empty() {
            return Err(no_group_id());
        }
        check_topics(topics)?;
        if consumer.assignment.is_empty() { Ok(()) } else { Err(exclusive()) }
    }

    /// A consumer that has nothing subscribes: from now on it is a member of its group.
    fn start_over(
        &mut self,
        group: &str,
        member: &str,
        command: &Command,
        now_ms: i64,
    ) -> Result<Outcome> {
        let Command::Subscribe { topics, pattern, .. } = command else { return Ok(Outcome::Done) };
        let consumer = self.consumer_mut(group, member)?.clone();
        let config = ConsumerConfig {
            topics: topics.clone(),
            pattern: pattern.clone(),
            ..consumer.config.clone()
        };
        self.forget_by_hand(group, member);
        let joined = self.join(group, member, &config, now_ms);
        if joined.is_err() {
            let consumers = self.by_hand.entry(group.to_owned()).or_default();
            consumers.insert(member.to_owned(), consumer);
        }
        joined
    }

    fn poll_by_hand(
        &mut self,
        id: &str,
        name: &str,
        most: Option<i32>,
        now_ms: i64,
    ) -> Result<Outcome> {
        let mut consumer = self.consumer_mut(id, name)?.clone();
        consumer.check_assigned()?;
        let count = poll_records(most.unwrap_or(consumer.config.max_poll_records))?;
        let is_commit_due = consumer.is_auto_commit_due(now_ms);
        let before = if is_commit_due { consumer.auto_commits() } else { Vec::new() };
        let none = BTreeMap::new();
        let committed = self.groups.get(id).map_or(&none, |group| &group.committed);
        // What others of the group were given says nothing of this one.
        let polled: Polled = consumer.poll(count, &self.topics, committed, &none, now_ms)?;
        if is_commit_due {
            consumer.start_auto_commit_timer(now_ms);
        }
        *self.consumer_mut(id, name)? = consumer;
        self.commit_quietly(id, before);
        Ok(self.polled(id, name, polled))
    }

    /// A commit by the consumer itself: where it is refused, only the consumer's log says so.
    fn commit_quietly(&mut self, group: &str, offsets: Vec<PartitionOffset>) {
        let is_active = self.groups.get(group).is_some_and(|group| !group.members.is_empty());
        if offsets.is_empty() || is_active || group.is_empty() {
            return;
        }
        let held = self.groups.entry(group.to_owned()).or_default();
        let there = offsets.iter().filter(|at| {
            self.topics.get(&at.topic).is_some_and(|topic| topic.partition(at.partition).is_some())
        });
        held.committed.extend(there.map(|at| (at.topic_partition(), at.offset)));
    }

    /// What a commit comes to. It makes the group, if it is the first of it.
    pub(super) fn commit_by_hand(
        &mut self,
        group: &str,
        member: &str,
        offsets: Option<&[PartitionOffset]>,
    ) -> Result<Verdicts> {
        let (held, done) = self.verdicts_by_hand(group, member, offsets)?;
        if !done.committed.is_empty() {
            self.check_groups(group)?;
            self.groups.insert(group.to_owned(), held);
        }
        Ok(done)
    }

    /// What a commit would come to, and the group as it would be.
    pub(super) fn verdicts_by_hand(
        &self,
        group: &str,
        member: &str,
        offsets: Option<&[PartitionOffset]>,
    ) -> Result<(Group, Verdicts)> {
        let consumers = self.by_hand.get(group);
        let consumer =
            consumers.and_then(|known| known.get(member)).ok_or_else(|| unknown(member))?;
        if group.is_empty() {
            return Err(no_group_id());
        }
        let mut held = self.groups.get(group).cloned().unwrap_or_default();
        let done = held.commit_by_hand(consumer, offsets, &self.topics)?;
        Ok((held, done))
    }

    fn seek_by_hand_to_timestamp(
        &mut self,
        group: &str,
        member: &str,
        timestamp: i64,
    ) -> Result<Outcome> {
        let mut consumer = self.consumer_mut(group, member)?.clone();
        let partitions = consumer.offsets_for_time(timestamp, &self.topics)?;
        consumer.seek_all(&partitions);
        *self.consumer_mut(group, member)? = consumer;
        let (group, member) = (group.to_owned(), member.to_owned());
        Ok(Outcome::Sought { group, member, timestamp: timestamp as f64, partitions })
    }

    /// What a consumer says to a call that changes nothing, when the caller's clock shows `now_ms`.
    /// `group` is empty for one without a `group.id`.
    ///
    /// # Errors
    ///
    /// What the consumer throws; `UNKNOWN_MEMBER_ID` (25) where there is no such consumer.
    ///
    /// ```
    /// use loglanes::group::{Call, OffsetReset, Said, TopicPartition};
    /// use loglanes::{Cluster, Command};
    ///
    /// let mut cluster = Cluster::new(7);
    /// cluster.apply(&Command::create_topic("orders", 1), 0)?;
    /// cluster.apply(&Command::join("billing", "m1", "orders", OffsetReset::Earliest), 0)?;
    /// let position = Call::Position { at: TopicPartition::new("orders", 0) };
    /// assert_eq!(cluster.ask("billing", "m1", &position, 0)?, Said::Position { offset: 0 });
    /// let other = Call::Position { at: TopicPartition::new("orders", 9) };
    /// assert_eq!(cluster.ask("billing", "m1", &other, 0).unwrap_err().name(), "IllegalStateException");
    /// # Ok::<(), loglanes::Error>(())
    /// ```
    pub fn ask(&self, group: &str, member: &str, call: &Call, now_ms: i64) -> Result<Said> {
        let held = self.groups.get(group);
        let by_hand = self.by_hand.get(group).and_then(|known| known.get(member));
        let (consumer, is_member) = match (by_hand, held) {
            (Some(consumer), _) => (consumer, false),
            (None, Some(held)) => held.asked(member)?,
            (None, None) => return Err(unknown(member)),
        };
        let (topics, now_ms) = (&self.topics, self.clock(now_ms));
        Asked { group_id: group, group: held, consumer, is_member, topics, now_ms }.answer(call)
    }
}

fn unknown(member: &str) -> Error {
    Error::broker(ErrorCode::UnknownMemberId, ErrorCode::UnknownMemberId.message())
        .with_hint(format!("There is no consumer {member} here."))
}
