//! Consumers that run and are not in their group: they were slow, were removed, or have
//! unsubscribed. What their commits are answered, and how they come back.
//!
//! Sources: `ConsumerCoordinator` and `HeartbeatThread` of the classic consumer,
//! `ConsumerMembershipManager` and `CommitRequestManager` of the newer one, Apache Kafka 4.4.0.

use serde::{Deserialize, Serialize};

use super::by_hand::exclusive;
use super::coordinator::{Group, Topics};
use super::{ConsumerConfig, GroupProtocol, Member, TopicPattern};
use crate::error::{Error, ErrorCode, Result};

/// A consumer that runs outside of its group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Outside {
    /// What it thinks of itself: it may think that it still has partitions.
    pub member: Member,
    /// How that came.
    pub why: WhyOutside,
}

/// Why a consumer is outside of its group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum WhyOutside {
    /// It has not polled for `max.poll.interval.ms`, and has left by itself.
    PollInterval,
    /// An administrator has removed it; it does not know yet.
    Removed,
    /// It subscribes to nothing.
    Unsubscribed,
}

impl Group {
    /// A member does not poll for longer than `max.poll.interval.ms`: its own heartbeat thread
    /// leaves the group. It goes on thinking that it has its partitions.
    pub(crate) fn exceed_poll_interval(&mut self, client_id: &str, cluster: &Topics) -> Result {
        if self.living(client_id)?.config.instance_id.is_some() {
            return Err(Error::loglanes(format!("{client_id} is a static member."))
                .with_hint("A slow static member stays in until its session ends: crash it."));
        }
        self.drop_out(client_id, cluster);
        Ok(())
    }

    /// A member is out because it has not polled for its `max.poll.interval.ms`.
    pub(super) fn drop_out(&mut self, client_id: &str, cluster: &Topics) {
        self.put_out(client_id, WhyOutside::PollInterval);
        self.rebalance(cluster);
    }

    /// An administrator removes all members: `removeMembersFromConsumerGroup`.
    pub(crate) fn remove_members(&mut self, cluster: &Topics) {
        if self.members.is_empty() {
            return;
        }
        for client_id in self.members.keys().cloned().collect::<Vec<_>>() {
            self.put_out(&client_id, WhyOutside::Removed);
        }
        self.rebalance(cluster);
    }

    fn put_out(&mut self, client_id: &str, why: WhyOutside) {
        if let Some(member) = self.members.remove(client_id)
            && member.is_alive()
        {
            self.outside.insert(client_id.to_owned(), Outside { member, why });
        }
    }

    /// A consumer subscribes to other topics, or by pattern; to nothing: it unsubscribes and leaves.
    pub(crate) fn subscribe(
        &mut self,
        client_id: &str,
        topics: &[String],
        pattern: Option<&TopicPattern>,
        uuid: &str,
        cluster: &Topics,
        now_ms: i64,
    ) -> Result {
        let topics = Wish::new(topics, pattern)?;
        if let Some(outside) = self.outside.get_mut(client_id) {
            let is_out_by_itself = outside.why == WhyOutside::Unsubscribed;
            topics.check(&outside.member.config, is_out_by_itself)?;
            if topics.is_nothing() && !is_out_by_itself {
                outside.why = WhyOutside::Unsubscribed;
            }
            let before = outside.member.config.clone();
            topics.put(&mut outside.member.config, cluster)?;
            if is_out_by_itself && !topics.is_nothing() {
                let back = self.come_back(client_id, uuid, cluster, now_ms);
                if back.is_err()
                    && let Some(outside) = self.outside.get_mut(client_id)
                {
                    outside.member.config = before;
                }
                return back;
            }
            return Ok(());
        }
        let before = self.living(client_id)?.config.clone();
        topics.check(&before, false)?;
        if topics.is_nothing() {
            self.unsubscribe(client_id, cluster);
            return Ok(());
        }
        let mut config = before.clone();
        topics.put(&mut config, cluster)?;
        if before == config {
            return Ok(());
        }
        self.subscribe_anew(client_id, config, cluster);
        Ok(())
    }

    fn unsubscribe(&mut self, client_id: &str, cluster: &Topics) {
        let Some(member) = self.members.get_mut(client_id) else { return };
        member.auto_commit(&mut self.committed);
        member.forget(|_| false);
        member.assignment.clear();
        member.config.topics.clear();
        member.config.pattern = None;
        self.put_out(client_id, WhyOutside::Unsubscribed);
        self.rebalance(cluster);
    }

    fn subscribe_anew(&mut self, client_id: &str, config: ConsumerConfig, cluster: &Topics) {
        let Some(member) = self.members.get_mut(client_id) else { return };
        member.config = config;
        let is_classic = member.config.protocol == GroupProtocol::Classic;
        let is_wanted =
            |at: &super::TopicPartition, member: &Member| member.config.topics.contains(&at.topic);
        let (kept, given_up): (Vec<_>, Vec<_>) =
            member.assignment.clone().into_iter().partition(|at| is_wanted(at, member));
        let gives_up = is_classic && member.config.is_cooperative();
        if gives_up && !given_up.is_empty() {
            // What it does not want any more it gives up before it joins again.
            member.auto_commit(&mut self.committed);
            member.forget(|at| kept.contains(at));
            member.assignment = kept;
        }
        self.rebalance(cluster);
        if gives_up && let Some(round) = self.last_rebalance.first_mut() {
            round.changes.entry(client_id.to_owned()).or_default().revoked.extend(given_up);
        }
    }

    /// A member asks for a rebalance, for reasons of its own. With the consumer protocol that is
    /// for the broker to decide: nothing happens.
    pub(crate) fn enforce_rebalance(&mut self, client_id: &str, cluster: &Topics) -> Result {
        self.living(client_id)?;
        if self.protocol == GroupProtocol::Classic {
            self.rebalance(cluster);
        }
        Ok(())
    }

    /// A consumer outside polls: it has lost its partitions, and joins anew.
    pub(crate) fn come_back(
        &mut self,
        client_id: &str,
        uuid: &str,
        cluster: &Topics,
        now_ms: i64,
    ) -> Result {
        let Some(outside) = self.outside.get(client_id) else { return Ok(()) };
        if outside.member.config.topics.is_empty() && outside.member.config.pattern.is_none() {
            return Err(not_subscribed());
        }
        let config = outside.member.config.clone();
        let member_id = outside.member.member_id.clone();
        let keeps_id = config.protocol == GroupProtocol::Consumer;
        let put_out = self.outside.remove(client_id);
        let joined =
            self.join(client_id, &config, uuid, cluster, now_ms, keeps_id.then_some(member_id));
        if joined.is_err()
            && let Some(put_out) = put_out
        {
            self.outside.insert(client_id.to_owned(), put_out);
        }
        joined
    }

    /// What a commit of a consumer outside is answered. With the consumer protocol, and with none,
    /// a group without members takes the commit of anybody who does not claim to be one.
    pub(super) fn check_outside_commit(&self, client_id: &str) -> Result {
        let Some(outside) = self.outside.get(client_id) else { return Ok(()) };
        let text = match (outside.member.config.protocol, outside.why) {
            (GroupProtocol::Classic, WhyOutside::PollInterval) => KICKED_OUT,
            (_, WhyOutside::PollInterval | WhyOutside::Unsubscribed) if self.members.is_empty() => {
                return Ok(());
            }
            (GroupProtocol::Classic, _) => GONE_CLASSIC,
            (GroupProtocol::Consumer, _) => GONE_CONSUMER,
        };
        Err(Error::client("CommitFailedException", text)
            .with_hint(format!("{client_id} is out of the group: with a poll it joins again.")))
    }
}

/// Source of the text: a Java consumer of 4.4.0 after its `max.poll.interval.ms`.
pub(super) const KICKED_OUT: &str = "Offset commit cannot be completed since the consumer is not part of an active group for auto \
     partition assignment; it is likely that the consumer was kicked out of the group.";

/// What a consumer that is no member of a group with members is told of its commit. Source of the
/// texts: Java consumers of 4.4.0, of either protocol.
pub(super) const GONE_CLASSIC: &str = "Commit cannot be completed since the group has already rebalanced and assigned the partitions to \
     another member. This means that the time between subsequent calls to poll() was longer than \
     the configured max.poll.interval.ms, which typically implies that the poll loop is spending \
     too much time message processing. You can address this either by increasing \
     max.poll.interval.ms or by reducing the maximum size of batches returned in poll() with \
     max.poll.records.";

pub(super) const GONE_CONSUMER: &str =
    "OffsetCommit failed with unknown member ID. The coordinator is not aware of this member.";

pub(super) fn not_subscribed() -> Error {
    Error::client(
        "IllegalStateException",
        "Consumer is not subscribed to any topics or assigned any partitions",
    )
    .with_hint("Name at least one topic.")
}

/// The refusal of an act that only a member can do.
pub(super) fn is_outside(client_id: &str) -> Error {
    Error::code_alone(ErrorCode::UnknownMemberId)
        .with_hint(format!("{client_id} is out of the group: with a poll it joins again."))
}

/// What a consumer is to subscribe to: topics, a pattern, or nothing.
struct Wish<'a> {
    topics: Vec<String>,
    pattern: Option<&'a TopicPattern>,
}

impl<'a> Wish<'a> {
    fn new(topics: &[String], pattern: Option<&'a TopicPattern>) -> Result<Self> {
        if pattern.is_some() && !topics.is_empty() {
            return Err(exclusive());
        }
        super::membership::check_topics(topics)?;
        let mut topics = topics.to_vec();
        topics.sort();
        topics.dedup();
        Ok(Self { topics, pattern })
    }

    fn is_nothing(&self) -> bool {
        self.topics.is_empty() && self.pattern.is_none()
    }

    /// Topics do not follow a pattern, or the other way round, without unsubscribing in between.
    fn check(&self, before: &ConsumerConfig, is_unsubscribed: bool) -> Result {
        if !self.is_nothing()
            && !is_unsubscribed
            && before.pattern.is_some() != self.pattern.is_some()
        {
            return Err(exclusive());
        }
        self.pattern.map_or(Ok(()), |pattern| pattern.check(before.protocol))
    }

    fn put(&self, config: &mut ConsumerConfig, cluster: &Topics) -> Result {
        config.topics = match self.pattern {
            Some(pattern) => pattern.matching(cluster.keys().map(String::as_str))?,
            None => self.topics.clone(),
        };
        config.pattern = self.pattern.cloned();
        Ok(())
    }
}
