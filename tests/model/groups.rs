//! What the model knows of groups.

use loglanes::SeekTo;
use loglanes::group::PartitionOffset;

use super::*;

impl Model {
    pub(super) fn join(
        &mut self,
        id: &str,
        member: &str,
        topics: &[String],
        reset: OffsetReset,
    ) -> Result<Answer, Refused> {
        if id.trim().is_empty() {
            let text = "The configured group.id should not be an empty string or whitespace.";
            return Err(kafka(24, "INVALID_GROUP_ID", text));
        }
        let taken = self.groups.get(id).is_some_and(|group| group.member(member).is_ok());
        if member.is_empty() || taken {
            return Err(ours());
        }
        if topics.iter().any(|topic| topic.trim().is_empty()) {
            let text = "Topic collection to subscribe to cannot contain null or empty topic";
            return Err(java("IllegalArgumentException", text));
        }
        if topics.is_empty() {
            let text = "Consumer is not subscribed to any topics or assigned any partitions";
            return Err(java("IllegalStateException", text));
        }
        if let Some(bad) = topics.iter().find(|topic| !is_legal(topic)) {
            return Err(kafka(17, "INVALID_TOPIC_EXCEPTION", format!("Invalid topics: [{bad}]")));
        }
        let group = self.groups.entry(id.to_owned()).or_default();
        group.members.push(Consumer {
            name: member.to_owned(),
            topics: topics.iter().cloned().collect(),
            reset,
            dies_at: None,
            owned: Vec::new(),
            positions: BTreeMap::new(),
            sought: BTreeMap::new(),
            fetched: Vec::new(),
            begun: BTreeSet::new(),
        });
        group.rebalance(&self.topics);
        Ok(Answer::Generation(group.generation))
    }

    pub(super) fn poll(&mut self, id: &str, name: &str, most: i32) -> Result<Answer, Refused> {
        let topics = self.clone();
        let group = self.groups.get_mut(id).ok_or_else(no_group)?;
        if most < 1 {
            let text = format!(
                "Invalid value {most} for configuration max.poll.records: Value must be at least 1"
            );
            return Err(java("ConfigException", text));
        }
        let committed = group.committed.clone();
        let mut member = group.running(name)?.clone();
        let (mut resets, mut nowhere) = (Vec::new(), Vec::new());
        for at in member.owned.clone() {
            let end = topics.log(&at).unwrap().len() as i64;
            if let Some(sought) = member.sought.remove(&at) {
                member.positions.insert(at, if sought == LogEnd::End { end } else { 0 });
            } else if member.positions.contains_key(&at) {
            } else if let Some(offset) = committed.get(&at) {
                member.positions.insert(at, *offset);
            } else if let Some(to) = by_policy(member.reset, end) {
                resets.push((at.clone(), None, to));
                member.positions.insert(at, to);
            } else {
                nowhere.push(format!("{}-{}", at.0, at.1));
            }
        }
        if !nowhere.is_empty() {
            let text = format!(
                "Undefined offset with no reset policy for partitions: [{}]",
                nowhere.join(", ")
            );
            return Err(java("NoOffsetForPartitionException", text));
        }
        let mut records = Vec::new();
        loop {
            // Of what was fetched before. All that the model keeps fits one fetch.
            while records.len() < most as usize && !member.fetched.is_empty() {
                let (at, next, end) = member.fetched[0].clone();
                let log = topics.log(&at).unwrap();
                if member.positions[&at] != next {
                    if member.begun.remove(&at) {
                        member.goes_last(&at);
                    }
                    member.fetched.remove(0);
                } else if end < 0 {
                    if records.is_empty() {
                        return Err(java(
                            "OffsetOutOfRangeException",
                            format!("{next} out of range for partition {}-{}", at.0, at.1),
                        ));
                    }
                    break;
                } else if next < end {
                    let again = group.given.get(&at).is_some_and(|given| next < *given);
                    records.push((at.clone(), next, log[next as usize].clone(), again));
                    member.positions.insert(at.clone(), next + 1);
                    member.begun.insert(at);
                    member.fetched[0].1 += 1;
                } else {
                    member.goes_last(&at);
                    member.begun.remove(&at);
                    member.fetched.remove(0);
                }
            }
            if !records.is_empty() {
                break;
            }
            let mut moved = false;
            for at in member.owned.clone() {
                let end = topics.log(&at).unwrap().len() as i64;
                let position = member.positions[&at];
                if (0..end).contains(&position) {
                    member.fetched.push((at, position, end));
                } else if position != end {
                    moved = true;
                    if let Some(to) = by_policy(member.reset, end) {
                        resets.push((at.clone(), Some(position), to));
                        member.positions.insert(at, to);
                    } else {
                        member.fetched.push((at, position, -1));
                    }
                }
            }
            if !moved && member.fetched.is_empty() {
                break;
            }
        }
        *group.running(name)? = member;
        for (at, offset, _, _) in &records {
            let given = group.given.entry(at.clone()).or_insert(0);
            *given = (*given).max(offset + 1);
        }
        Ok(Answer::Polled(records, resets))
    }

    pub(super) fn commit(
        &mut self,
        id: &str,
        name: &str,
        offsets: &Option<Vec<PartitionOffset>>,
    ) -> Result<Answer, Refused> {
        let topics = self.clone();
        let group = self.groups.get_mut(id).ok_or_else(no_group)?;
        let member = group.running(name)?;
        let offsets: Vec<(At, i64)> = match offsets {
            None => member.positions.clone().into_iter().collect(),
            Some(given) => {
                given.iter().map(|one| ((one.topic.clone(), one.partition), one.offset)).collect()
            }
        };
        if offsets.iter().any(|(_, offset)| *offset < 0) {
            return Err(java("IllegalArgumentException", "Invalid negative offset"));
        }
        if offsets.iter().any(|(at, _)| topics.log(at).is_none()) {
            let all: Vec<String> = offsets
                .iter()
                .map(|((topic, partition), offset)| {
                    format!(
                        "{topic}-{partition}=OffsetAndMetadata{{offset={offset}, \
                         leaderEpoch=null, metadata=''}}"
                    )
                })
                .collect();
            let text = format!(
                "Timeout of 60000ms expired before successfully committing offsets {{{}}}",
                all.join(", ")
            );
            let is_there = |at: &At| topics.log(at).is_some();
            let taken: Vec<(At, i64)> =
                offsets.into_iter().filter(|(at, _)| is_there(at)).collect();
            if taken.is_empty() {
                return Err(kafka(7, "REQUEST_TIMED_OUT", text));
            }
            // What could be committed is; the consumer raises the same all the same.
            group.committed.extend(taken.clone());
            return Ok(Answer::Committed(taken));
        }
        group.committed.extend(offsets.clone());
        Ok(Answer::Committed(offsets))
    }

    pub(super) fn seek(
        &mut self,
        id: &str,
        name: &str,
        at: At,
        to: SeekTo,
    ) -> Result<Answer, Refused> {
        let group = self.groups.get_mut(id).ok_or_else(no_group)?;
        let member = group.running(name)?;
        if !member.owned.contains(&at) {
            let text = format!("No current assignment for partition {}-{}", at.0, at.1);
            return Err(java("IllegalStateException", text));
        }
        match to {
            SeekTo::Offset(offset) if offset < 0 => {
                let text = "seek offset must not be a negative number";
                return Err(java("IllegalArgumentException", text));
            }
            SeekTo::Offset(offset) => {
                member.sought.remove(&at);
                member.positions.insert(at, offset);
            }
            SeekTo::End(end) => {
                member.positions.remove(&at);
                member.sought.insert(at, end);
            }
        }
        Ok(Answer::Done)
    }

    /// Topics have changed: groups that have not noticed will look in five minutes.
    pub(super) fn changed(&mut self, now: i64) {
        for group in self.groups.values_mut() {
            if group.members.is_empty() || group.known == group.there(&self.topics) {
                group.looks_at = None;
            } else if group.looks_at.is_none() {
                group.looks_at = Some(now + 300_000);
            }
        }
    }

    pub(super) fn timers(&mut self, now: i64) {
        for group in self.groups.values_mut() {
            loop {
                let deaths = group.members.iter().filter_map(|member| member.dies_at);
                let Some(next) = deaths.chain(group.looks_at).min().filter(|at| *at <= now) else {
                    break;
                };
                let dead = group.members.iter().filter(|member| member.dies_at == Some(next));
                let dead = dead.map(|member| member.name.clone()).min();
                match dead {
                    Some(name) => {
                        group.members.retain(|member| member.name != name);
                        group.rebalance(&self.topics);
                    }
                    None => group.look(&self.topics),
                }
            }
        }
    }
}

fn by_policy(reset: OffsetReset, end: i64) -> Option<i64> {
    match reset {
        OffsetReset::Earliest => Some(0),
        OffsetReset::Latest => Some(end),
        OffsetReset::None => None,
        OffsetReset::ByDuration(_) => panic!("the model has no clock for this"),
    }
}

impl Consumer {
    fn goes_last(&mut self, at: &At) {
        self.owned.retain(|other| other != at);
        self.owned.push(at.clone());
    }
}

pub(super) fn no_group() -> Refused {
    kafka(69, "GROUP_ID_NOT_FOUND", "The group id does not exist.")
}

impl Consumers {
    pub(super) fn member(&self, name: &str) -> Result<&Consumer, Refused> {
        self.members.iter().find(|member| member.name == name).ok_or_else(|| {
            let text = "The coordinator is not aware of this member.";
            kafka(25, "UNKNOWN_MEMBER_ID", text)
        })
    }

    pub(super) fn running(&mut self, name: &str) -> Result<&mut Consumer, Refused> {
        if self.member(name)?.dies_at.is_some() {
            return Err(ours());
        }
        Ok(self.members.iter_mut().find(|member| member.name == name).unwrap())
    }

    pub(super) fn there(&self, topics: &BTreeMap<String, Vec<Vec<Rec>>>) -> BTreeMap<String, i32> {
        let wanted: BTreeSet<&String> = self.members.iter().flat_map(|m| &m.topics).collect();
        wanted
            .into_iter()
            .filter_map(|name| Some((name.clone(), topics.get(name)?.len() as i32)))
            .collect()
    }

    pub(super) fn look(&mut self, topics: &BTreeMap<String, Vec<Vec<Rec>>>) {
        if self.known != self.there(topics) {
            self.rebalance(topics);
        }
        self.looks_at = None;
    }

    /// Range: topic by topic, each member in turn takes its share in a row, the first ones one
    /// more. Everything that a consumer knew of positions is gone.
    pub(super) fn rebalance(&mut self, topics: &BTreeMap<String, Vec<Vec<Rec>>>) {
        self.generation += 1;
        self.known = self.there(topics);
        self.looks_at = None;
        // The ids that the coordinator gives begin with the name and a hyphen.
        self.members.sort_by_key(|member| format!("{}-", member.name));
        for member in &mut self.members {
            member.owned.clear();
            member.positions.clear();
            member.sought.clear();
            member.fetched.clear();
            member.begun.clear();
        }
        for (topic, count) in self.known.clone() {
            let takers: Vec<usize> = (0..self.members.len())
                .filter(|at| self.members[*at].topics.contains(&topic))
                .collect();
            let mut left: Vec<i32> = (0..count).rev().collect();
            for (place, taker) in takers.iter().enumerate() {
                let still = takers.len() - place;
                // What is left, over those who are left, rounded up.
                let share = left.len().div_ceil(still);
                for _ in 0..share {
                    let partition = left.pop().unwrap();
                    self.members[*taker].owned.push((topic.clone(), partition));
                }
            }
        }
    }
}
