//! Dealing the partitions out anew.
//!
//! An eager member gives everything up before it rejoins, and forgets its positions. A cooperative
//! one keeps what it has, gives up what the answer no longer has, and rejoins if that was anything:
//! so what moves takes two rounds, and the rest is read on.
//!
//! Source: `ConsumerCoordinator.onJoinPrepare` and `onJoinComplete`, `ClassicGroup.selectProtocol`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::assignor::{Assignor, Subscription, map_order};
use super::coordinator::{Group, Topics};
use super::{ConsumerConfig, GroupProtocol, Member, TopicPartition};

/// One round of a rebalance: everyone has joined, the partitions are dealt out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Round {
    /// The generation that it began.
    pub generation: i32,
    /// What it meant for each member, by `client.id`.
    pub changes: BTreeMap<String, Change>,
}

/// What a round meant for a member: what its rebalance listener is told, and what it kept.
///
/// ```
/// use loglanes::group::{Change, TopicPartition};
///
/// let before = [TopicPartition::new("orders", 0), TopicPartition::new("orders", 1)];
/// let after = [TopicPartition::new("orders", 0)];
/// let eager = Change::eager(&before, &after);
/// assert_eq!((eager.revoked.len(), eager.assigned.len(), eager.kept.len()), (2, 1, 1));
/// let cooperative = Change::cooperative(&before, &after);
/// assert_eq!((cooperative.revoked.len(), cooperative.assigned.len()), (1, 0));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Change {
    /// `onPartitionsRevoked`.
    pub revoked: Vec<TopicPartition>,
    /// `onPartitionsAssigned`.
    pub assigned: Vec<TopicPartition>,
    /// What it had before and has after. An eager member was without it meanwhile.
    pub kept: Vec<TopicPartition>,
}

impl Change {
    /// Everything goes, then comes what the answer says.
    #[must_use]
    pub fn eager(before: &[TopicPartition], after: &[TopicPartition]) -> Self {
        let kept = before.iter().filter(|at| after.contains(at)).cloned().collect();
        Self { revoked: before.to_vec(), assigned: after.to_vec(), kept }
    }

    /// Only the differences.
    #[must_use]
    pub fn cooperative(before: &[TopicPartition], after: &[TopicPartition]) -> Self {
        let not_in = |these: &[TopicPartition], those: &[TopicPartition]| {
            these.iter().filter(|at| !those.contains(at)).cloned().collect()
        };
        Self {
            revoked: not_in(before, after),
            assigned: not_in(after, before),
            kept: before.iter().filter(|at| after.contains(at)).cloned().collect(),
        }
    }
}

impl Group {
    /// Everyone rejoins, until nobody has had to give anything up for others.
    pub(super) fn rebalance(&mut self, cluster: &Topics) {
        if self.protocol == GroupProtocol::Consumer {
            self.new_epoch(cluster);
            return;
        }
        for member in self.members.values_mut().filter(|member| member.is_alive()) {
            member.auto_commit(&mut self.committed);
        }
        self.resolve(cluster, true);
        self.known_partitions = self.subscribed_partitions(cluster);
        self.metadata_ages_ms = None;
        self.last_rebalance.clear();
        loop {
            let gave_up = self.round();
            if !gave_up {
                break;
            }
        }
    }

    /// One round; whether a cooperative member had to give something up.
    fn round(&mut self) -> bool {
        self.generation = self.generation.wrapping_add(1);
        let Some(assignor) = choose(self.members.values().map(|member| &member.config)) else {
            // No members.
            self.assignor = None;
            self.last_rebalance.push(Round { generation: self.generation, ..Round::default() });
            return false;
        };
        let before = self.assignor.replace(assignor);
        let members: Vec<&Member> = self.members.values().collect();
        let ids: Vec<&str> = members.iter().map(|member| member.member_id.as_str()).collect();
        let order = map_order(&ids);
        let subscriptions: Vec<Subscription<'_>> =
            order.iter().map(|&at| subscription(members[at], before, assignor)).collect();
        let counts =
            self.known_partitions.iter().map(|(name, &count)| (name.as_str(), count)).collect();
        let shares = assignor.assign(&subscriptions, &counts);
        let mut given: Vec<Vec<TopicPartition>> = vec![Vec::new(); members.len()];
        for (at, mut share) in order.into_iter().zip(shares) {
            // A consumer sorts what it is given.
            share.sort();
            given[at] = share;
        }
        let mut round = Round { generation: self.generation, ..Round::default() };
        let mut gave_up = false;
        for ((name, member), share) in self.members.iter_mut().zip(given) {
            let change = member.take(share, self.generation);
            gave_up |= member.config.is_cooperative() && !change.revoked.is_empty();
            round.changes.insert(name.clone(), change);
        }
        self.last_rebalance.push(round);
        gave_up
    }
}

/// What a member tells the leader. An eager one has given everything up; but the sticky assignor
/// remembers what it last got.
fn subscription(member: &Member, before: Option<Assignor>, assignor: Assignor) -> Subscription<'_> {
    let remembers = before == Some(Assignor::Sticky) && assignor == Assignor::Sticky;
    let is_known = remembers || member.config.is_cooperative();
    Subscription {
        member_id: &member.member_id,
        instance_id: member.config.instance_id.as_deref(),
        topics: &member.config.topics,
        owned: if is_known { &member.assignment } else { &[] },
        generation: if is_known || assignor == Assignor::CooperativeSticky {
            member.generation
        } else {
            -1
        },
    }
}

/// The assignor of a group: each member votes for the first of its own that all have. None where
/// there is none.
pub(super) fn choose<'a>(
    configs: impl Iterator<Item = &'a ConsumerConfig> + Clone,
) -> Option<Assignor> {
    let all_have =
        |assignor: &Assignor| configs.clone().all(|config| config.assignors.contains(assignor));
    let mut votes: Vec<(Assignor, usize)> = Vec::new();
    for config in configs.clone() {
        let vote = *config.assignors.iter().find(|assignor| all_have(assignor))?;
        match votes.iter_mut().find(|(assignor, _)| *assignor == vote) {
            Some((_, count)) => *count += 1,
            None => votes.push((vote, 1)),
        }
    }
    let names: Vec<&str> = votes.iter().map(|(assignor, _)| assignor.name()).collect();
    let most = votes.iter().map(|&(_, count)| count).max()?;
    let mut counted = map_order(&names).into_iter().map(|at| votes[at]);
    counted.find(|&(_, count)| count == most).map(|(assignor, _)| assignor)
}
