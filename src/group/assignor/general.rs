//! The sticky assignors where members subscribe to different topics.
//!
//! What is left goes partition by partition to whoever may have it and has the least. Then
//! partitions move, one at a time, from members with more to members with less, until nothing
//! improves; if that made nothing more even, it is taken back.
//!
//! Source: `AbstractStickyAssignor.GeneralAssignmentBuilder`, Apache Kafka 4.4.0.

use std::collections::{BTreeSet, HashMap};

use super::claims::Claims;
use super::{Subscription, java_order, subscribes, unassigned};
use crate::group::TopicPartition;
use crate::java;

pub(super) struct General<'a> {
    members: &'a [Subscription<'a>],
    /// With the members who may read them, those with the fewest first, then by name.
    topics: Vec<(&'a str, i32, Vec<usize>)>,
    /// The topics that each member may read.
    readable: Vec<Vec<usize>>,
    /// Where each member stands when they are sorted by id.
    rank: Vec<usize>,
    /// Who stands there.
    ranked: Vec<usize>,
    shares: Vec<Vec<TopicPartition>>,
    owner: HashMap<TopicPartition, usize>,
    /// Those who take part, by size of their share, then by rank.
    by_size: BTreeSet<(usize, usize)>,
    /// Earlier owners, of a generation that is over.
    earlier: HashMap<TopicPartition, (usize, i32)>,
    revocation_required: bool,
    movements: Movements,
}

impl<'a> General<'a> {
    pub(super) fn new(
        members: &'a [Subscription<'a>],
        topics: &[(&'a str, i32)],
        claims: Claims,
    ) -> Self {
        let mut topics: Vec<(&str, i32, Vec<usize>)> = topics
            .iter()
            .map(|&(name, count)| {
                let readers = (0..members.len()).filter(|&at| subscribes(&members[at], name));
                (name, count, readers.collect())
            })
            .collect();
        topics.sort_by(|a, b| a.2.len().cmp(&b.2.len()).then_with(|| a.0.cmp(b.0)));
        let readable = (0..members.len())
            .map(|member| {
                (0..topics.len()).filter(|&topic| topics[topic].2.contains(&member)).collect()
            })
            .collect();
        let mut ranked: Vec<usize> = (0..members.len()).collect();
        ranked.sort_by(|&a, &b| java_order(members[a].member_id, members[b].member_id));
        let mut rank = vec![0; members.len()];
        for (place, &member) in ranked.iter().enumerate() {
            rank[member] = place;
        }
        let mut earlier: HashMap<TopicPartition, (usize, i32)> = HashMap::new();
        for (place, member) in members.iter().enumerate() {
            if member.generation < claims.generation {
                for at in member.owned {
                    let held = earlier.entry(at.clone()).or_insert((place, member.generation));
                    if member.generation > held.1 {
                        *held = (place, member.generation);
                    }
                }
            }
        }
        Self {
            members,
            topics,
            readable,
            rank,
            ranked,
            shares: claims.owned,
            owner: HashMap::new(),
            by_size: BTreeSet::new(),
            earlier,
            revocation_required: false,
            movements: Movements::default(),
        }
    }

    pub(super) fn assign(mut self) -> Vec<Vec<TopicPartition>> {
        self.keep_owned();
        let topics: Vec<(&str, i32)> =
            self.topics.iter().map(|&(name, count, _)| (name, count)).collect();
        let place: HashMap<&str, usize> =
            topics.iter().enumerate().map(|(place, &(name, _))| (name, place)).collect();
        let mut assigned: Vec<TopicPartition> = self.shares.iter().flatten().cloned().collect();
        assigned.sort_by_key(|at| (place.get(at.topic.as_str()).copied(), at.partition));
        let left = unassigned(&topics, &assigned);
        self.by_size =
            (0..self.members.len()).map(|at| (self.shares[at].len(), self.rank[at])).collect();
        self.balance(left);
        self.shares
    }

    fn keep_owned(&mut self) {
        for (member, share) in self.members.iter().zip(&mut self.shares) {
            let before = share.len();
            share.retain(|at| subscribes(member, &at.topic));
            self.revocation_required |= share.len() < before;
        }
        for (member, share) in self.shares.iter().enumerate() {
            self.owner.extend(share.iter().map(|at| (at.clone(), member)));
        }
    }

    fn balance(&mut self, mut left: Vec<TopicPartition>) {
        let is_fresh = self.by_size.last().is_none_or(|&(size, _)| size == 0);
        for at in &left {
            if let Some(taker) = self.least_loaded_reader(at) {
                self.resize(taker, |share| share.push(at.clone()));
                self.owner.insert(at.clone(), taker);
            }
        }
        // Only what two or more members may have can move, and only members who have such, or
        // could have more, take part.
        left.retain(|at| self.can_move(&at.topic));
        let movable: Vec<TopicPartition> = self
            .topics
            .iter()
            .filter(|(_, _, readers)| readers.len() > 1)
            .flat_map(|&(name, count, _)| (0..count).map(move |p| TopicPartition::new(name, p)))
            .collect();
        for member in 0..self.members.len() {
            if !self.takes_part(member) {
                self.by_size.remove(&(self.shares[member].len(), self.rank[member]));
            }
        }
        let taking_part: Vec<usize> =
            self.by_size.iter().map(|&(_, rank)| self.ranked[rank]).collect();
        let before = self.shares.clone();
        let sizes = |shares: &[Vec<TopicPartition>]| -> Vec<usize> {
            taking_part.iter().map(|&member| shares[member].len()).collect()
        };
        if !self.revocation_required {
            self.reassign(&left);
        }
        let has_changed = self.reassign(&movable);
        if !is_fresh
            && has_changed
            && unevenness(&sizes(&self.shares)) >= unevenness(&sizes(&before))
        {
            self.shares = before;
        }
    }

    /// Moves partitions until none can move to make things more even.
    fn reassign(&mut self, movable: &[TopicPartition]) -> bool {
        let mut has_changed = false;
        loop {
            let mut moved = false;
            for at in movable {
                if self.is_balanced() {
                    break;
                }
                let Some(&owner) = self.owner.get(at) else { continue };
                let size = self.shares[owner].len();
                let before = self.earlier.get(at).map(|&(member, _)| member);
                let taker = match before {
                    Some(before) if size > self.shares[before].len() + 1 => Some(before),
                    _ if self
                        .readers(&at.topic)
                        .any(|other| size > self.shares[other].len() + 1) =>
                    {
                        self.least_loaded_reader(at)
                    }
                    _ => None,
                };
                if let Some(taker) = taker {
                    self.move_to(at, owner, taker);
                    moved = true;
                }
            }
            has_changed |= moved;
            if !moved {
                return has_changed;
            }
        }
    }

    fn move_to(&mut self, at: &TopicPartition, owner: usize, taker: usize) {
        let at = self.movements.instead_of(at, owner, taker);
        let Some(&owner) = self.owner.get(&at) else { return };
        self.movements.record(&at, owner, taker);
        self.resize(owner, |share| share.retain(|other| *other != at));
        self.resize(taker, |share| share.push(at.clone()));
        self.owner.insert(at, taker);
    }

    fn resize(&mut self, member: usize, change: impl FnOnce(&mut Vec<TopicPartition>)) {
        self.by_size.remove(&(self.shares[member].len(), self.rank[member]));
        change(&mut self.shares[member]);
        self.by_size.insert((self.shares[member].len(), self.rank[member]));
    }

    fn least_loaded_reader(&self, at: &TopicPartition) -> Option<usize> {
        let mut members = self.by_size.iter().map(|&(_, rank)| self.ranked[rank]);
        members.find(|&member| subscribes(&self.members[member], &at.topic))
    }

    fn readers(&self, topic: &str) -> impl Iterator<Item = usize> {
        let found = self.topics.iter().find(|(name, _, _)| *name == topic);
        found.into_iter().flat_map(|(_, _, readers)| readers.iter().copied())
    }

    fn can_move(&self, topic: &str) -> bool {
        self.readers(topic).nth(1).is_some()
    }

    /// The most partitions that a member can have.
    fn most(&self, member: usize) -> usize {
        self.readable[member].iter().map(|&topic| self.topics[topic].1 as usize).sum()
    }

    fn takes_part(&self, member: usize) -> bool {
        self.shares[member].len() < self.most(member)
            || self.shares[member].iter().any(|at| self.can_move(&at.topic))
    }

    /// Whether no member could have a partition that is with a member who has more.
    fn is_balanced(&self) -> bool {
        let (Some(&(least, _)), Some(&(largest, _))) = (self.by_size.first(), self.by_size.last())
        else {
            return true;
        };
        if least + 1 >= largest {
            return true;
        }
        self.by_size.iter().all(|&(size, rank)| {
            let member = self.ranked[rank];
            size == self.most(member)
                || self.readable[member].iter().all(|&topic| {
                    let (name, count, _) = &self.topics[topic];
                    (0..*count).all(|partition| {
                        let owner = self.owner.get(&TopicPartition::new(name, partition));
                        owner.is_none_or(|&other| size >= self.shares[other].len())
                    })
                })
        })
    }
}

/// The sum of all differences between two shares: 0 is even.
fn unevenness(sizes: &[usize]) -> usize {
    let rest = |at: usize| sizes.iter().skip(at + 1);
    sizes.iter().enumerate().flat_map(|(at, a)| rest(at).map(|b| a.abs_diff(*b))).sum()
}

/// Where partitions have gone in this assignment: so that one goes back rather than that two of a
/// topic change places.
#[derive(Default)]
struct Movements {
    of_partition: HashMap<TopicPartition, (usize, usize)>,
    /// By topic and pair of members; in the order in which they came.
    of_pair: HashMap<(String, usize, usize), Vec<TopicPartition>>,
}

impl Movements {
    /// The partition to move: another one of the topic that came the other way, if there is one.
    fn instead_of(&self, at: &TopicPartition, owner: usize, taker: usize) -> TopicPartition {
        let origin = self.of_partition.get(at).map_or(owner, |&(from, _)| from);
        let opposite = self.of_pair.get(&(at.topic.clone(), taker, origin));
        opposite.and_then(|came| first_of_set(came)).unwrap_or(at).clone()
    }

    fn record(&mut self, at: &TopicPartition, owner: usize, taker: usize) {
        let mut pair = (owner, taker);
        if let Some((from, to)) = self.of_partition.remove(at) {
            let key = (at.topic.clone(), from, to);
            if let Some(came) = self.of_pair.get_mut(&key) {
                came.retain(|other| other != at);
                if came.is_empty() {
                    self.of_pair.remove(&key);
                }
            }
            if from == taker {
                return;
            }
            pair.0 = from;
        }
        self.of_partition.insert(at.clone(), pair);
        self.of_pair.entry((at.topic.clone(), pair.0, pair.1)).or_default().push(at.clone());
    }
}

/// The one that a Java `HashSet` of them gives first.
fn first_of_set(partitions: &[TopicPartition]) -> Option<&TopicPartition> {
    let hash = |at: &TopicPartition| {
        java::topic_partition_hash_code(&at.topic, u32::try_from(at.partition).unwrap_or(0))
    };
    let hashes: Vec<i32> = partitions.iter().map(hash).collect();
    let order = java::hash_map_order(&hashes, java::grown_capacity(partitions.len()));
    order.first().and_then(|&at| partitions.get(at))
}
