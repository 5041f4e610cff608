//! The broker's `uniform` where members subscribe to different topics.
//!
//! Everyone keeps what it had and still subscribes to. What nobody has goes, topic by topic, to
//! the least loaded of those who subscribe. Then, topic by topic and at most sixteen times round,
//! partitions move from the most to the least loaded, until those differ by at most one.
//!
//! Source: what `UniformHeterogeneousAssignmentBuilder` of Apache Kafka 4.4.0 does.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::server::TopicCount;
use super::{Subscription, subscribes};
use crate::group::TopicPartition;

/// How often all topics are looked at. Source: `UniformHeterogeneousAssignmentBuilder`.
const ROUNDS: usize = 16;

struct Plan<'a> {
    topics: &'a [TopicCount<'a>],
    /// Of each topic, who subscribes, in the order of the members.
    subscribers: Vec<Vec<usize>>,
    /// Of each topic, who has each partition.
    owners: Vec<Vec<Option<usize>>>,
    /// How many each member has.
    sizes: Vec<usize>,
}

pub(super) fn assign(
    members: &[Subscription<'_>],
    topics: &[TopicCount<'_>],
) -> Vec<Vec<TopicPartition>> {
    let mut plan = Plan::of(members, topics);
    // Topics that are hardest to place first.
    let mut order: Vec<usize> =
        (0..topics.len()).filter(|&topic| !plan.subscribers[topic].is_empty()).collect();
    order.sort_by(|&a, &b| plan.harder_first(a, b));
    for &topic in &order {
        plan.place_what_is_left(topic);
    }
    plan.balance(&order);
    let mut shares: Vec<Vec<TopicPartition>> = vec![Vec::new(); members.len()];
    for (topic, owners) in topics.iter().zip(&plan.owners) {
        for (partition, owner) in (0..).zip(owners) {
            if let Some(share) = owner.and_then(|owner| shares.get_mut(owner)) {
                share.push(TopicPartition::new(topic.name, partition));
            }
        }
    }
    shares.iter_mut().for_each(|share| share.sort());
    shares
}

impl<'a> Plan<'a> {
    fn of(members: &[Subscription<'_>], topics: &'a [TopicCount<'a>]) -> Self {
        let who = |topic: &TopicCount<'_>| {
            (0..members.len()).filter(|&at| subscribes(&members[at], topic.name)).collect()
        };
        let none =
            |topic: &TopicCount<'_>| vec![None; usize::try_from(topic.partitions).unwrap_or(0)];
        let mut plan = Self {
            topics,
            subscribers: topics.iter().map(who).collect(),
            owners: topics.iter().map(none).collect(),
            sizes: vec![0; members.len()],
        };
        for (member, subscription) in members.iter().enumerate() {
            for at in subscription.owned {
                let topic = topics.iter().position(|topic| topic.name == at.topic);
                let Some(topic) = topic.filter(|_| subscribes(subscription, &at.topic)) else {
                    continue;
                };
                let number = usize::try_from(at.partition).unwrap_or(usize::MAX);
                if let Some(owner) = plan.owners[topic].get_mut(number) {
                    *owner = Some(member);
                    plan.sizes[member] += 1;
                }
            }
        }
        plan
    }

    /// More partitions for each subscriber first, then fewer subscribers, then by id.
    fn harder_first(&self, a: usize, b: usize) -> Ordering {
        let each = |topic: usize| {
            f64::from(self.topics[topic].partitions) / self.subscribers[topic].len() as f64
        };
        each(b)
            .total_cmp(&each(a))
            .then(self.subscribers[a].len().cmp(&self.subscribers[b].len()))
            .then(self.topics[a].id_order().cmp(&self.topics[b].id_order()))
    }

    fn place_what_is_left(&mut self, topic: usize) {
        let left: Vec<usize> =
            (0..self.owners[topic].len()).filter(|&at| self.owners[topic][at].is_none()).collect();
        let mut balancer = Balancer::new(&self.subscribers[topic], &self.sizes);
        for partition in left {
            let member = balancer.least_loaded(&self.sizes);
            self.give(topic, partition, member);
        }
    }

    fn give(&mut self, topic: usize, partition: usize, member: usize) {
        if let Some(before) = self.owners[topic][partition].replace(member) {
            self.sizes[before] -= 1;
        }
        self.sizes[member] += 1;
    }

    /// Round and round, until a whole round has moved nothing.
    fn balance(&mut self, order: &[usize]) {
        let topics: Vec<usize> =
            order.iter().copied().filter(|&topic| self.subscribers[topic].len() >= 2).collect();
        let mut last_moved = None;
        for _ in 0..ROUNDS {
            for (place, &topic) in topics.iter().enumerate() {
                if last_moved == Some(place) {
                    return;
                }
                if self.balance_topic(topic) > 0 || last_moved.is_none() {
                    last_moved = Some(place);
                }
            }
        }
    }

    fn balance_topic(&mut self, topic: usize) -> usize {
        let subscribers = &self.subscribers[topic];
        let size = |at: &usize| self.sizes[*at];
        let (least, most) =
            (subscribers.iter().map(size).min(), subscribers.iter().map(size).max());
        if most.unwrap_or(0) - least.unwrap_or(0) <= 1 {
            return 0;
        }
        // What each has, the highest number last: that one goes first.
        let mut held: HashMap<usize, Vec<usize>> = HashMap::new();
        for (partition, owner) in self.owners[topic].iter().enumerate() {
            if let Some(owner) = owner {
                held.entry(*owner).or_default().push(partition);
            }
        }
        let mut balancer = Balancer::new(subscribers, &self.sizes);
        let mut moved = 0;
        while !balancer.is_balanced() {
            let giver = loop {
                match balancer.most_loaded(&self.sizes) {
                    None => break None,
                    Some(member) if held.get(&member).is_some_and(|held| !held.is_empty()) => {
                        break Some(member);
                    }
                    Some(_) => balancer.exclude_most_loaded(),
                }
            };
            let Some(partition) =
                giver.and_then(|giver| held.get_mut(&giver)).and_then(|held| held.pop())
            else {
                break;
            };
            let taker = balancer.least_loaded(&self.sizes);
            if balancer.is_balanced() {
                break;
            }
            self.give(topic, partition, taker);
            moved += 1;
        }
        moved
    }
}

/// The members of one topic by load, with a range of the least loaded at one end that take one in
/// turn, and one of the most loaded at the other that give one in turn. The ranges grow towards
/// each other; the sizes are those of now.
struct Balancer {
    sorted: Vec<usize>,
    least_end: usize,
    least_size: isize,
    next_least: usize,
    most_start: usize,
    most_end: usize,
    most_size: isize,
    /// One above the next to give.
    next_most: usize,
}

impl Balancer {
    fn new(subscribers: &[usize], sizes: &[usize]) -> Self {
        let mut sorted = subscribers.to_vec();
        sorted.sort_by_key(|&at| (sizes[at], at));
        let size = |at: Option<&usize>| at.map_or(0, |&at| sizes[at] as isize);
        Self {
            least_end: 0,
            least_size: size(sorted.first()) - 1,
            next_least: 0,
            most_start: sorted.len(),
            most_end: sorted.len(),
            most_size: size(sorted.last()) + 1,
            next_most: sorted.len(),
            sorted,
        }
    }

    fn is_balanced(&self) -> bool {
        self.most_size - self.least_size <= 1
    }

    fn least_loaded(&mut self, sizes: &[usize]) -> usize {
        if self.next_least >= self.least_end {
            self.least_size += 1;
            let is_as_small = |at: &usize| sizes[*at] as isize == self.least_size;
            while self.sorted.get(self.least_end).is_some_and(is_as_small) {
                self.least_end += 1;
            }
            self.next_least = 0;
        }
        self.next_least += 1;
        self.sorted[self.next_least - 1]
    }

    fn most_loaded(&mut self, sizes: &[usize]) -> Option<usize> {
        if self.next_most <= self.most_start {
            if self.most_end <= self.most_start && self.most_start > 0 {
                // All of the range are excluded: on with the next lower load.
                self.most_size = sizes[self.sorted[self.most_start - 1]] as isize;
            } else {
                self.most_size -= 1;
            }
            while self.most_start > 0
                && sizes[self.sorted[self.most_start - 1]] as isize == self.most_size
            {
                self.most_start -= 1;
            }
            self.next_most = self.most_end;
        }
        self.next_most = self.next_most.checked_sub(1)?;
        self.sorted.get(self.next_most).copied()
    }

    /// The one that was named last has nothing of this topic to give.
    fn exclude_most_loaded(&mut self) {
        if let Some(last) = self.most_end.checked_sub(1) {
            self.sorted.swap(self.next_most, last);
            self.most_end = last;
        }
    }
}
