//! Groups of the newer protocol (`group.protocol=consumer`, KIP-848): the broker computes a target
//! assignment, and every member goes over to it by itself.
//!
//! A member first gives up what is not its own any more; only then does it get the group's epoch,
//! and what others have given up. Nobody waits for anybody else: a member that is silent holds
//! back the partitions it has, and no more.
//!
//! Source: `GroupMetadataManager.consumerGroupHeartbeat`, `CurrentAssignmentBuilder`,
//! `ConsumerGroup.state`, Apache Kafka 4.4.0.

use std::collections::BTreeMap;

use super::assignor::{PartitionCounts, Subscription, map_order, server};
use super::coordinator::{Group, Topics};
use super::{Change, Member, Round, TopicPartition};
use crate::java;
use crate::topic::TopicId;

/// How soon a broker's new metadata reaches the members: with their next heartbeat, which the
/// broker asks for this often (`group.consumer.heartbeat.interval.ms`).
/// Source: `GroupCoordinatorConfig`.
pub const CONSUMER_HEARTBEAT_INTERVAL_MS: i64 = 5_000;

impl Group {
    /// The assignor that most members ask for; without a wish the broker's first.
    #[must_use]
    pub fn server_assignor(&self) -> &'static str {
        let wish = |name: &str| {
            let asks = |member: &&Member| member.config.remote_assignor.as_deref() == Some(name);
            self.members.values().filter(asks).count()
        };
        let (uniform, range) = (wish("uniform"), wish("range"));
        if range > uniform { "range" } else { "uniform" }
    }

    /// Something has changed that the target depends on: a new epoch, a new target, and every
    /// living member goes over to it.
    pub(super) fn new_epoch(&mut self, cluster: &Topics) {
        self.resolve(cluster, false);
        self.known_partitions = self.subscribed_partitions(cluster);
        // A group of this kind begins at epoch 2: one for its member, one for its topics.
        let is_new = self.generation == 0 && !self.known_partitions.is_empty();
        self.generation = if is_new { 2 } else { self.generation.wrapping_add(1) };
        self.metadata_ages_ms = None;
        self.last_rebalance = vec![Round { generation: self.generation, ..Round::default() }];
        self.compute_target(cluster);
        self.reconcile();
    }

    fn compute_target(&mut self, cluster: &Topics) {
        let assignor = self.server_assignor();
        let members: Vec<&Member> = self.members.values().collect();
        let ids: Vec<&str> = members.iter().map(|member| member.member_id.as_str()).collect();
        let order = map_order(&ids);
        let previous: Vec<Vec<TopicPartition>> =
            order.iter().map(|&at| in_set_order(&members[at].target, cluster)).collect();
        let subscriptions: Vec<Subscription<'_>> = order
            .iter()
            .zip(&previous)
            .map(|(&at, owned)| Subscription {
                member_id: &members[at].member_id,
                instance_id: members[at].config.instance_id.as_deref(),
                topics: &members[at].config.topics,
                owned,
                generation: -1,
            })
            .collect();
        let counts: PartitionCounts<'_> =
            self.known_partitions.iter().map(|(name, &count)| (name.as_str(), count)).collect();
        let shares = if assignor == "range" {
            server::range(&subscriptions, &counts)
        } else {
            let names: Vec<&str> = counts.keys().copied().collect();
            let topic = |name| {
                let id = topic_id(name, cluster);
                server::TopicCount { name, partitions: counts[name], id }
            };
            let topics: Vec<server::TopicCount<'_>> =
                by_topic_id(names, cluster).map(topic).collect();
            server::uniform(&subscriptions, &topics)
        };
        let mut targets: Vec<Vec<TopicPartition>> = vec![Vec::new(); members.len()];
        for (at, mut share) in order.into_iter().zip(shares) {
            share.sort();
            targets[at] = share;
        }
        for (member, target) in self.members.values_mut().zip(targets) {
            member.target = target;
        }
    }

    /// Every living member takes its next steps, until none can.
    pub(super) fn reconcile(&mut self) {
        loop {
            let mut moved = false;
            let names: Vec<String> = self.members.keys().cloned().collect();
            for name in names {
                moved |= self.reconcile_member(&name);
            }
            if !moved {
                break;
            }
        }
    }

    /// Gives up what is not in its target; then takes of it what nobody else has.
    fn reconcile_member(&mut self, name: &str) -> bool {
        let epoch = self.generation;
        let Some(member) = self.members.get(name).filter(|member| member.is_alive()) else {
            return false;
        };
        let is_free = |at: &&TopicPartition| {
            !self.members.iter().any(|(other, member)| other != name && member.owns(at))
        };
        let taken: Vec<TopicPartition> =
            member.target.iter().filter(|at| !member.owns(at)).filter(is_free).cloned().collect();
        let Some(member) = self.members.get_mut(name) else { return false };
        let given_up: Vec<TopicPartition> =
            member.assignment.iter().filter(|at| !member.target.contains(at)).cloned().collect();
        member.generation = epoch;
        if taken.is_empty() && given_up.is_empty() {
            return false;
        }
        // Before it goes over, it commits if that is left to it.
        member.auto_commit(&mut self.committed);
        let before = member.assignment.clone();
        member.assignment.retain(|at| !given_up.contains(at));
        member.assignment.extend(taken.iter().cloned());
        member.assignment.sort();
        let kept = std::mem::take(&mut member.assignment);
        member.forget(|at| kept.contains(at) && before.contains(at));
        member.assignment = kept;
        let change = Change {
            revoked: given_up,
            assigned: taken,
            kept: before.into_iter().filter(|at| member.owns(at)).collect(),
        };
        self.tell(name, change);
        true
    }

    /// Adds to what the last round meant for a member.
    fn tell(&mut self, name: &str, change: Change) {
        if self.last_rebalance.is_empty() {
            self.last_rebalance.push(Round { generation: self.generation, ..Round::default() });
        }
        let Some(round) = self.last_rebalance.last_mut() else { return };
        let told = round.changes.entry(name.to_owned()).or_default();
        told.revoked.extend(change.revoked);
        told.assigned.extend(change.assigned);
        told.kept = change.kept;
    }

    /// `Empty`, `Stable`, or `Reconciling` while some member is not where it should be.
    pub(super) fn consumer_state(&self) -> &'static str {
        let is_there = |member: &Member| {
            !member.is_closed
                && member.generation == self.generation
                && member.assignment.len() == member.target.len()
                && member.assignment.iter().all(|at| member.target.contains(at))
        };
        if self.members.is_empty() {
            "Empty"
        } else if self.members.values().all(is_there) {
            "Stable"
        } else {
            "Reconciling"
        }
    }
}

/// A target as the broker's sets of it iterate: by the id of the topic, then by the number of the
/// partition modulo the size of the set.
fn in_set_order(target: &[TopicPartition], cluster: &Topics) -> Vec<TopicPartition> {
    let mut numbers: BTreeMap<&str, Vec<i32>> = BTreeMap::new();
    for at in target {
        numbers.entry(&at.topic).or_default().push(at.partition);
    }
    let names = numbers.keys().copied().collect();
    by_topic_id(names, cluster)
        .flat_map(|name| {
            let numbers = &numbers[name];
            java::hash_map_order(numbers, java::grown_capacity(numbers.len()))
                .into_iter()
                .map(|at| TopicPartition::new(name, numbers[at]))
                .collect::<Vec<_>>()
        })
        .collect()
}

fn topic_id(name: &str, cluster: &Topics) -> TopicId {
    cluster.get(name).map_or(TopicId([0; 16]), |topic| topic.id)
}

/// The names in the order of a Java set of the topics' ids.
fn by_topic_id<'a>(names: Vec<&'a str>, cluster: &Topics) -> impl Iterator<Item = &'a str> {
    let hash = |name: &&str| {
        // Uuid.hashCode: both halves, then both halves of that.
        topic_id(name, cluster)
            .0
            .chunks_exact(4)
            .fold(0, |hash, four| hash ^ i32::from_be_bytes(four.try_into().unwrap_or_default()))
    };
    let hashes: Vec<i32> = names.iter().map(hash).collect();
    let order = java::hash_map_order(&hashes, java::grown_capacity(names.len()));
    order.into_iter().map(move |at| names[at])
}
