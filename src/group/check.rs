//! Whether a group that was read from outside holds together.

use std::collections::BTreeSet;

use super::coordinator::{Group, Topics};
use super::{GroupProtocol, Member, TopicPartition, rebalance};
use crate::cluster::ensure;
use crate::error::Result;

impl Group {
    /// Whether all that it names is there, and no partition has two owners.
    ///
    /// # Errors
    ///
    /// [`crate::Refusal::Corrupt`], naming the first thing that does not fit.
    pub(crate) fn check(&self, id: &str, topics: &Topics) -> Result {
        let exists = |at: &TopicPartition| {
            topics.get(&at.topic).is_some_and(|topic| topic.partition(at.partition).is_some())
        };
        let in_group = |what: &str| format!("In the group {id:?}, {what}.");
        ensure(self.notes.keys().all(exists), || {
            in_group("something is kept beside an offset of a partition that is not there")
        })?;
        for (at, &offset) in self.committed.iter().chain(&self.delivered) {
            ensure(exists(at) && offset >= 0, || {
                in_group(&format!("there is offset {offset} for {at}"))
            })?;
        }
        for (name, &count) in &self.known_partitions {
            let held = topics.get(name).map_or(0, |topic| topic.partition_count());
            ensure((1..=held).contains(&count), || {
                in_group(&format!("{name} is said to have had {count} partitions"))
            })?;
        }
        let assignor = rebalance::choose(self.members.values().map(|member| &member.config));
        // With the consumer protocol the broker deals out, and an empty list is as good as none.
        let needs_one = !self.members.is_empty() && self.protocol == GroupProtocol::Classic;
        ensure(assignor.is_some() || !needs_one, || {
            in_group("the members have no assignor in common")
        })?;
        let mut owned = BTreeSet::new();
        for (name, member) in &self.members {
            ensure(
                !name.is_empty()
                    && (!member.config.topics.is_empty() || member.config.pattern.is_some()),
                || in_group(&format!("the member {name:?} has no name or no topics")),
            )?;
            for at in &member.assignment {
                ensure(exists(at) && owned.insert(at), || {
                    in_group(&format!("{name} owns {at}, which is not there or another's"))
                })?;
            }
            ensure(member.target.iter().all(exists), || {
                in_group(&format!("{name} is to have a partition that is not there"))
            })?;
            let is_one_protocol = member.config.protocol == self.protocol;
            ensure(is_one_protocol && !self.outside.contains_key(name), || {
                in_group(&format!("{name} speaks another protocol, or is in it twice"))
            })?;
            let wrong = member.check_memory().err();
            ensure(wrong.is_none(), || {
                in_group(&format!("{name} {}", wrong.clone().unwrap_or_default()))
            })?;
        }
        Ok(())
    }
}

impl Member {
    /// Whether it remembers only what is its own, and no offset below 0; else what is wrong.
    pub(crate) fn check_memory(&self) -> std::result::Result<(), String> {
        if let Some(at) = self.remembered().find(|at| !self.owns(at)) {
            return Err(format!("remembers {at}, which is not its own"));
        }
        let ends = self.fetched.iter().flat_map(|fetched| [&fetched.next, &fetched.end]);
        let mut offsets = self.positions.values().chain(self.known_ends.values()).chain(ends);
        if offsets.any(|&offset| offset < 0) {
            return Err("has a negative position".to_owned());
        }
        Ok(())
    }

    /// Every partition that it remembers something of.
    fn remembered(&self) -> impl Iterator<Item = &TopicPartition> {
        self.positions
            .keys()
            .chain(self.sought.keys())
            .chain(&self.paused)
            .chain(self.look_again_ms.keys())
            .chain(self.known_ends.keys())
            .chain(self.fetched.iter().map(|fetched| &fetched.at))
    }
}
