//! What is on the real cluster at a point of the script, as far as that differs from here: records
//! that no tool sends take no offset there.

use std::collections::BTreeMap;

use crate::cluster::Cluster;
use crate::group::{Group, TopicPartition};

/// The offsets of partitions, and what groups have committed.
#[derive(Debug, Default, Clone)]
pub(super) struct There {
    logs: BTreeMap<String, Vec<Log>>,
    /// As committed here, by group.
    here: BTreeMap<String, BTreeMap<TopicPartition, i64>>,
    /// As committed there.
    commits: BTreeMap<String, BTreeMap<TopicPartition, i64>>,
}

/// A partition.
#[derive(Debug, Default, Clone)]
struct Log {
    /// The log start offset here, as it is there.
    start: i64,
    /// The log end offset here up to which all is told.
    end: i64,
    /// Offsets here that nothing has there, in order.
    skipped: Vec<Skipped>,
}

/// Offsets in a row.
#[derive(Debug, Clone, Copy)]
struct Skipped {
    first: i64,
    count: i64,
    /// How many lie before these.
    before: i64,
}

/// Offsets of a partition that are new here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Grown {
    pub(super) partition: i32,
    pub(super) from: i64,
    pub(super) to: i64,
}

impl There {
    fn log(&self, topic: &str, partition: i32) -> Option<&Log> {
        self.logs.get(topic)?.get(usize::try_from(partition).ok()?)
    }

    /// Where an offset of here lies there.
    pub(super) fn offset(&self, topic: &str, partition: i32, here: i64) -> i64 {
        let Some(log) = self.log(topic, partition) else { return here };
        let below = log.skipped.partition_point(|skipped| skipped.first < here);
        let last = below.checked_sub(1).and_then(|last| log.skipped.get(last));
        last.map_or(here, |last| here - last.before - last.count.min(here - last.first))
    }

    /// Whether each offset is the same there.
    pub(super) fn is_same(&self, topic: &str, partition: i32) -> bool {
        self.log(topic, partition).is_none_or(|log| log.skipped.is_empty())
    }

    /// These offsets of here are nothing there.
    pub(super) fn skip(&mut self, topic: &str, partition: i32, from: i64, to: i64) {
        let logs = self.logs.get_mut(topic);
        let log = usize::try_from(partition).ok().and_then(|number| logs?.get_mut(number));
        let Some(log) = log.filter(|_| from < to) else { return };
        let count = to - from;
        match log.skipped.last_mut() {
            Some(last) if last.first + last.count == from => last.count += count,
            last => {
                let before = last.map_or(0, |last| last.before + last.count);
                log.skipped.push(Skipped { first: from, count, before });
            }
        }
    }

    /// What has come to a topic since this was asked last.
    pub(super) fn grown(&mut self, cluster: &Cluster, topic: &str) -> Vec<Grown> {
        let Some(held) = cluster.topic(topic) else { return Vec::new() };
        let logs = self.logs.entry(topic.to_owned()).or_default();
        logs.resize_with(held.partitions.len(), Log::default);
        let mut grown = Vec::new();
        for ((number, log), partition) in (0..).zip(logs).zip(&held.partitions) {
            let end = partition.log.log_end_offset();
            if end > log.end {
                grown.push(Grown { partition: number, from: log.end, to: end });
                log.end = end;
            }
        }
        grown
    }

    /// Partitions of a topic whose log start offset has moved since this was asked last.
    pub(super) fn started(&mut self, cluster: &Cluster, topic: &str) -> Vec<(i32, i64)> {
        let Some(held) = cluster.topic(topic) else { return Vec::new() };
        let logs = self.logs.entry(topic.to_owned()).or_default();
        logs.resize_with(held.partitions.len(), Log::default);
        let mut moved = Vec::new();
        for ((number, log), partition) in (0..).zip(logs).zip(&held.partitions) {
            let start = partition.log.log_start_offset();
            if start > log.start {
                moved.push((number, start));
                log.start = start;
            }
        }
        moved
    }

    /// A topic is gone.
    pub(super) fn forget(&mut self, topic: &str) {
        self.logs.remove(topic);
        for commits in self.here.values_mut().chain(self.commits.values_mut()) {
            commits.retain(|at, _| at.topic != topic);
        }
    }

    /// What groups have committed since this was asked last: of each the offsets here, and there.
    pub(super) fn committed(&mut self, cluster: &Cluster) -> Vec<(String, Vec<Committed>)> {
        let mut changed = Vec::new();
        for (id, group) in cluster.groups() {
            let new = self.new_commits(cluster, id, group);
            if !new.is_empty() {
                let there = self.commits.entry(id.to_owned()).or_default();
                there.extend(new.iter().map(|one| (one.at.clone(), one.there)));
                changed.push((id.to_owned(), new));
            }
        }
        self.know(cluster);
        changed
    }

    /// The offsets of a group that are not as they were.
    fn new_commits(&self, cluster: &Cluster, id: &str, group: &Group) -> Vec<Committed> {
        let known = self.here.get(id);
        let is_new = |at: &TopicPartition, offset: &i64| {
            known.and_then(|known| known.get(at)) != Some(offset)
        };
        let new = group.committed.iter().filter(|(at, offset)| is_new(at, offset));
        new.map(|(at, &here)| Committed {
            at: at.clone(),
            here,
            there: self.kept(cluster, at, here),
        })
        .collect()
    }

    /// What a group commits there: the tool keeps an offset within the log.
    fn kept(&self, cluster: &Cluster, at: &TopicPartition, here: i64) -> i64 {
        let moved = self.offset(&at.topic, at.partition, here);
        let log = cluster.topic(&at.topic).and_then(|topic| topic.partition(at.partition));
        log.map_or(moved, |partition| {
            let end = |here| self.offset(&at.topic, at.partition, here);
            let (start, last) = (partition.log.log_start_offset(), partition.log.log_end_offset());
            moved.clamp(end(start), end(last))
        })
    }

    /// An act has changed what is committed there as it has here.
    pub(super) fn commits_follow(&mut self, cluster: &Cluster) {
        self.commits.retain(|id, _| cluster.group(id).is_some());
        for (id, group) in cluster.groups() {
            let new = self.new_commits(cluster, id, group);
            let there = self.commits.entry(id.to_owned()).or_default();
            there.retain(|at, _| group.committed.contains_key(at));
            there.extend(new.into_iter().map(|one| (one.at, one.there)));
        }
        self.know(cluster);
    }

    fn know(&mut self, cluster: &Cluster) {
        let groups = cluster.groups().map(|(id, group)| (id.to_owned(), group.committed.clone()));
        self.here = groups.collect();
    }

    /// What a group has committed there.
    pub(super) fn commits_of(&self, group: &str) -> Option<&BTreeMap<TopicPartition, i64>> {
        self.commits.get(group).filter(|commits| !commits.is_empty())
    }
}

/// An offset that a group has committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Committed {
    pub(super) at: TopicPartition,
    pub(super) here: i64,
    pub(super) there: i64,
}
