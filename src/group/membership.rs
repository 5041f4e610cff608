//! Coming into a group and going out of it.
//!
//! Sources: `KafkaConsumer.subscribe` and `close`, `GroupMetadataManager.classicGroupJoin`.

use super::coordinator::{Group, Topics};
use super::outside::{is_outside, not_subscribed};
use super::{Change, ConsumerConfig, GroupProtocol, Member, rebalance};
use crate::error::{Error, ErrorCode, Result};
use crate::topic::{TopicId, check_name};

impl Group {
    /// A consumer subscribes and joins; the group rebalances, unless a static member is back.
    pub(crate) fn join(
        &mut self,
        client_id: &str,
        config: &ConsumerConfig,
        uuid: &str,
        cluster: &Topics,
        now_ms: i64,
        member_id: Option<String>,
    ) -> Result {
        self.check_join(client_id, config)?;
        let mut config = config.clone();
        if let Some(pattern) = &config.pattern {
            config.topics = pattern.matching(cluster.keys().map(String::as_str))?;
        }
        config.topics.sort();
        config.topics.dedup();
        if self.members.is_empty() && self.protocol != config.protocol {
            // A group without members becomes one of the other kind, and begins anew.
            self.protocol = config.protocol;
            self.generation = 0;
        }
        let member_id = member_id.unwrap_or_else(|| match config.protocol {
            GroupProtocol::Classic => {
                let name = config.instance_id.as_deref().unwrap_or(client_id);
                format!("{name}-{uuid}")
            }
            // The consumer itself has drawn it.
            GroupProtocol::Consumer => short_id(uuid),
        });
        let mut member = Member::new(member_id, config, now_ms);
        self.fenced.remove(client_id);
        let Some(old) = self.same_instance(member.config.instance_id.as_deref()) else {
            self.members.insert(client_id.to_owned(), member);
            self.rebalance(cluster);
            return Ok(());
        };
        let Some(held) = self.members.get(&old) else { return Ok(()) };
        if self.protocol == GroupProtocol::Consumer && !held.is_closed {
            // The one that is there keeps the place, as long as its session lasts.
            let text = format!(
                "Static member {} with instance id {} cannot join the group because the instance \
                 id is owned by {} member.",
                member.member_id,
                member.config.instance_id.as_deref().unwrap_or_default(),
                held.member_id
            );
            return Err(Error::broker(ErrorCode::UnreleasedInstanceId, text)
                .with_hint(format!("Close {old}, or let its session time out.")));
        }
        let Some(held) = self.members.remove(&old) else { return Ok(()) };
        if held.is_alive() {
            self.fenced.insert(old.clone());
        }
        let is_same = held.config.topics == member.config.topics
            && held.config.pattern == member.config.pattern
            && held.config.assignors == member.config.assignors
            && held.config.remote_assignor == member.config.remote_assignor;
        member.assignment = held.assignment;
        member.assignment.sort();
        member.target = held.target;
        member.generation = held.generation;
        if let Some(round) = self.last_rebalance.last_mut() {
            // To the new process, all that it is given is new.
            round.changes.remove(&old);
            let assigned = member.assignment.clone();
            round.changes.insert(client_id.to_owned(), Change { assigned, ..Change::default() });
        }
        self.members.insert(client_id.to_owned(), member);
        if !is_same {
            self.rebalance(cluster);
        } else if self.protocol == GroupProtocol::Consumer {
            self.reconcile();
        }
        Ok(())
    }

    fn same_instance(&self, instance_id: Option<&str>) -> Option<String> {
        let same = |member: &Member| member.config.instance_id.as_deref() == instance_id;
        instance_id?;
        self.members.iter().find(|(_, member)| same(member)).map(|(name, _)| name.clone())
    }

    fn check_join(&self, client_id: &str, config: &ConsumerConfig) -> Result {
        if client_id.is_empty() {
            return Err(Error::loglanes("A member needs a name, its client.id.")
                .with_hint("Give it one, such as m1."));
        }
        let is_back = |member: &Member| {
            !member.is_alive()
                && config.instance_id.is_some()
                && member.config.instance_id == config.instance_id
        };
        if self.members.get(client_id).is_some_and(|member| !is_back(member))
            || self.outside.contains_key(client_id)
        {
            return Err(Error::loglanes(format!("The group already has a member {client_id}."))
                .with_hint("Loglanes tells members apart by client.id: choose another name."));
        }
        config.check(true)?;
        if config.topics.is_empty() && config.pattern.is_none() {
            return Err(not_subscribed());
        }
        check_topics(&config.topics)?;
        if let Some(pattern) = &config.pattern {
            pattern.check(config.protocol)?;
        }
        if config.assignors.is_empty() && config.protocol == GroupProtocol::Classic {
            return Err(Error::client(
                "IllegalStateException",
                "Must configure at least one partition assigner class name to \
                 partition.assignment.strategy configuration property",
            )
            .with_hint("Leave it out for range and cooperative-sticky."));
        }
        config.check_at_broker()?;
        self.check_protocol(config)?;
        if config.protocol == GroupProtocol::Consumer {
            return Ok(());
        }
        let replaced = self.same_instance(config.instance_id.as_deref());
        let others = self
            .members
            .iter()
            .filter(|(name, _)| replaced.as_ref() != Some(*name))
            .map(|(_, member)| &member.config);
        if rebalance::choose(others.clone().chain([config])).is_none() {
            let all: Vec<String> = others
                .flat_map(|other| &other.assignors)
                .map(ToString::to_string)
                .collect::<std::collections::BTreeSet<_>>()
                .into_iter()
                .collect();
            return Err(Error::code_alone(ErrorCode::InconsistentGroupProtocol).with_hint(
                format!(
                    "All members need one assignor in common. The others have: {}.",
                    all.join(", ")
                ),
            ));
        }
        Ok(())
    }

    fn check_protocol(&self, config: &ConsumerConfig) -> Result {
        if !self.members.is_empty() && self.protocol != config.protocol {
            return Err(Error::loglanes(format!(
                "The group's members speak the {} protocol.",
                self.protocol
            ))
            .with_hint(
                "Kafka can move a group over member by member; here all members of a group speak \
                 one protocol. Close them first, or join as they did.",
            ));
        }
        Ok(())
    }

    /// A consumer closes. A member leaves, and the group rebalances without it; a static member
    /// stays until its session times out.
    pub(crate) fn leave(&mut self, client_id: &str, cluster: &Topics, now_ms: i64) -> Result {
        if self.fenced.remove(client_id) || self.outside.remove(client_id).is_some() {
            return Ok(());
        }
        self.living(client_id)?;
        let Some(member) = self.members.get_mut(client_id) else { return Ok(()) };
        member.auto_commit(&mut self.committed);
        if member.config.instance_id.is_some() {
            let timeout = member.config.session_timeout();
            member.stop(now_ms.saturating_add(timeout), true);
        } else {
            self.members.remove(client_id);
            self.rebalance(cluster);
        }
        Ok(())
    }

    /// A member falls silent; its partitions stay with it until its session times out.
    pub(crate) fn crash(&mut self, client_id: &str, now_ms: i64) -> Result {
        if self.fenced.remove(client_id) || self.outside.remove(client_id).is_some() {
            return Ok(());
        }
        self.living(client_id)?;
        if let Some(member) = self.members.get_mut(client_id) {
            let timeout = member.config.session_timeout();
            member.stop(now_ms.saturating_add(timeout), false);
        }
        Ok(())
    }

    /// The process of a stopped member starts again. A static one takes its place again; else the
    /// old session ends first, at once.
    pub(crate) fn restart(
        &mut self,
        client_id: &str,
        uuid: &str,
        cluster: &Topics,
        now_ms: i64,
    ) -> Result {
        let old = self.member(client_id)?;
        if old.is_alive() {
            return Err(Error::loglanes(format!("{client_id} is running."))
                .with_hint("Only a member that has stopped can be started again."));
        }
        let config = old.config.clone();
        if config.instance_id.is_none() {
            self.expire(client_id, cluster);
        }
        self.join(client_id, &config, uuid, cluster, now_ms, None)
    }

    /// The coordinator gives a silent member up.
    pub(crate) fn expire(&mut self, client_id: &str, cluster: &Topics) {
        if self.members.remove(client_id).is_some() {
            self.rebalance(cluster);
        }
    }

    pub(super) fn member(&self, client_id: &str) -> Result<&Member> {
        self.members.get(client_id).ok_or_else(|| {
            if self.fenced.contains(client_id) {
                return Error::code_alone(ErrorCode::FencedInstanceId)
                    .with_hint(format!("Close {client_id}: another consumer has its place."));
            }
            if self.outside.contains_key(client_id) {
                return is_outside(client_id);
            }
            Error::broker(ErrorCode::UnknownMemberId, ErrorCode::UnknownMemberId.message())
                .with_hint(format!("The group has no member {client_id}."))
        })
    }

    pub(super) fn living(&self, client_id: &str) -> Result<&Member> {
        let member = self.member(client_id)?;
        if member.is_alive() {
            return Ok(member);
        }
        let how = if member.is_closed { "is closed" } else { "has crashed" };
        Err(Error::loglanes(format!("{client_id} {how}."))
            .with_hint("Start it again, or let its session time out: then the others take over."))
    }
}

/// Source: `SubscriptionState` and `Topic.validate`.
pub(crate) fn check_topics(topics: &[String]) -> Result {
    if topics.iter().any(|topic| topic.trim().is_empty()) {
        return Err(Error::client(
            "IllegalArgumentException",
            "Topic collection to subscribe to cannot contain null or empty topic",
        )
        .with_hint("Name each topic, or leave the empty one out."));
    }
    if let Some(illegal) = topics.iter().find(|topic| check_name(topic).is_err()) {
        return Err(Error::broker(
            ErrorCode::InvalidTopicException,
            format!("Invalid topics: [{illegal}]"),
        )
        .with_hint("Use letters a-z and A-Z, digits, '.', '_' and '-', at most 249 of them."));
    }
    Ok(())
}

/// The bytes of a printed UUID as 22 characters of URL-safe base64; none begins with a hyphen.
/// Source: `org.apache.kafka.common.Uuid.randomUuid`.
fn short_id(uuid: &str) -> String {
    let digits: Vec<u8> = uuid.bytes().filter(u8::is_ascii_hexdigit).collect();
    let mut bytes = [0; 16];
    for (byte, two) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let text = std::str::from_utf8(two).unwrap_or_default();
        *byte = u8::from_str_radix(text, 16).unwrap_or_default();
    }
    let printed = TopicId(bytes).to_string();
    printed.strip_prefix('-').map(|rest| format!("A{rest}")).unwrap_or(printed)
}
