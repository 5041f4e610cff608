//! The sticky assignors where all members subscribe to the same topics.
//!
//! Everyone keeps what it owned, up to its quota, and the rest is dealt out in turns to those
//! who lack something. The quota is `partitions / members`, for `partitions % members` of them
//! one more; who gets the one more is decided by what they own and, among equals, by the order
//! of the map of members.
//!
//! Source: `AbstractStickyAssignor.ConstrainedAssignmentBuilder`, Apache Kafka 4.4.0.

use std::collections::{HashSet, VecDeque};

use super::claims::Claims;
use super::sticky::Moves;
use super::{Subscription, java_order, unassigned};
use crate::group::TopicPartition;

pub(super) struct Constrained<'a> {
    members: &'a [Subscription<'a>],
    topics: &'a [(&'a str, i32)],
    claims: Claims,
    quota: usize,
    /// How many members may have one more than the quota.
    extras: usize,
    /// How many have it already.
    taken: usize,
    shares: Vec<Vec<TopicPartition>>,
    revoked: HashSet<TopicPartition>,
    below_quota: Vec<usize>,
    at_quota: Vec<usize>,
}

impl<'a> Constrained<'a> {
    pub(super) fn new(
        members: &'a [Subscription<'a>],
        topics: &'a [(&'a str, i32)],
        claims: Claims,
    ) -> Self {
        let total: usize = topics.iter().map(|&(_, count)| count as usize).sum();
        let size = members.len().max(1);
        Self {
            members,
            topics,
            claims,
            quota: total / size,
            extras: total % size,
            taken: 0,
            shares: vec![Vec::new(); members.len()],
            revoked: HashSet::new(),
            below_quota: Vec::new(),
            at_quota: Vec::new(),
        }
    }

    /// Who gets what, and which partitions of it change hands.
    pub(super) fn assign(mut self) -> (Vec<Vec<TopicPartition>>, Moves) {
        self.keep_owned();
        let mut assigned: Vec<TopicPartition> = self.shares.iter().flatten().cloned().collect();
        assigned.sort();
        let left = unassigned(self.topics, &assigned);
        let members = self.members;
        let by_id = |&a: &usize, &b: &usize| java_order(members[a].member_id, members[b].member_id);
        self.below_quota.sort_by(by_id);
        self.at_quota.sort_by(by_id);
        let changing_hands = self.deal_out(left);
        (self.shares, changing_hands)
    }

    fn keep_owned(&mut self) {
        let most = self.quota + usize::from(self.extras > 0);
        for place in 0..self.members.len() {
            let mut owned = std::mem::take(&mut self.claims.owned[place]);
            owned.retain(|at| !self.claims.disputed.contains(at));
            owned.sort_by(|a, b| (a.partition, &a.topic).cmp(&(b.partition, &b.topic)));
            if owned.len() < self.quota {
                self.below_quota.push(place);
            } else if owned.len() >= most && self.taken < self.extras {
                self.taken += 1;
                if self.taken == self.extras {
                    self.at_quota.clear();
                }
                self.revoked.extend(owned.drain(most..));
            } else {
                self.revoked.extend(owned.drain(self.quota..));
                if self.taken < self.extras {
                    self.at_quota.push(place);
                }
            }
            self.shares[place] = owned;
        }
    }

    /// In turns to those below their quota, then one more to each of those who may have it.
    fn deal_out(&mut self, left: Vec<TopicPartition>) -> Moves {
        let mut changing_hands = Vec::new();
        let mut below: VecDeque<usize> = std::mem::take(&mut self.below_quota).into();
        let mut at_quota: VecDeque<usize> = std::mem::take(&mut self.at_quota).into();
        for at in left {
            // The walk over those below goes round; who is full drops out of it.
            let Some(taker) = below.pop_front().or_else(|| at_quota.pop_front()) else { break };
            if self.revoked.contains(&at) || self.claims.disputed.contains(&at) {
                changing_hands.push((at.clone(), taker));
            }
            let share = &mut self.shares[taker];
            share.push(at);
            if share.len() < self.quota {
                below.push_back(taker);
            } else if share.len() == self.quota {
                at_quota.push_back(taker);
            }
        }
        changing_hands
    }
}
