//! What the members of a sticky group say they own, once contradictions are out.
//!
//! Source: `AbstractStickyAssignor.allSubscriptionsEqual`, Apache Kafka 4.4.0.

use std::collections::{HashMap, HashSet};

use super::Subscription;
use crate::group::TopicPartition;

/// Who owned what.
pub(super) struct Claims {
    /// Whether all subscribe to the same topics. Topics that do not exist count here, and members
    /// that come first without any topic do not.
    pub(super) equal_subscriptions: bool,
    /// What each member owned that nobody else has the better right to.
    pub(super) owned: Vec<Vec<TopicPartition>>,
    /// What two members of one generation say they own: it is taken from both.
    pub(super) disputed: HashSet<TopicPartition>,
    /// The highest generation.
    pub(super) generation: i32,
}

impl Claims {
    pub(super) fn of(members: &[Subscription<'_>], topics: &[(&str, i32)]) -> Self {
        let topics: HashSet<&str> = topics.iter().map(|&(name, _)| name).collect();
        let mut claims = Self {
            equal_subscriptions: true,
            owned: vec![Vec::new(); members.len()],
            disputed: HashSet::new(),
            generation: -1,
        };
        let mut subscribed: HashSet<&str> = HashSet::new();
        let mut owner: HashMap<&TopicPartition, usize> = HashMap::new();
        for (place, member) in members.iter().enumerate() {
            if subscribed.is_empty() {
                subscribed.extend(member.topics.iter().map(String::as_str));
            } else {
                let same = member.topics.len() == subscribed.len()
                    && member.topics.iter().all(|topic| subscribed.contains(topic.as_str()));
                claims.equal_subscriptions &= same;
            }
            claims.generation = claims.generation.max(member.generation);
            for at in member.owned.iter().filter(|at| topics.contains(at.topic.as_str())) {
                match owner.get(at).copied() {
                    None => {
                        claims.owned[place].push(at.clone());
                        owner.insert(at, place);
                    }
                    Some(other) if members[other].generation == member.generation => {
                        claims.disputed.insert(at.clone());
                        claims.owned[other].retain(|held| held != at);
                        owner.insert(at, place);
                    }
                    Some(other) if members[other].generation < member.generation => {
                        claims.owned[other].retain(|held| held != at);
                        claims.owned[place].push(at.clone());
                        owner.insert(at, place);
                    }
                    Some(_) => {}
                }
            }
        }
        claims
    }
}
