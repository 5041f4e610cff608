//! One consumer of a group: its assignment, its positions, and what it has fetched.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::poll::Fetched;
use super::{Change, ConsumerConfig, GroupProtocol, TopicPartition};
use crate::command::{LogEnd, SeekTo};

/// A member of a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// What the coordinator calls it: `client.id` (of a static member `group.instance.id`), a
    /// hyphen and a UUID.
    pub member_id: String,
    /// How it was set up; its topics are sorted, each once.
    #[serde(flatten)]
    pub config: ConsumerConfig,
    /// The generation in which it got its partitions; -1: none yet. With the consumer protocol its
    /// member epoch: the group's, once it has given up what it should.
    #[serde(default)]
    pub generation: i32,
    /// When the coordinator gives it up, on the cluster's clock; none while it lives.
    pub session_ends_ms: Option<i64>,
    /// Whether it was closed in good order, and only its static membership is left.
    #[serde(default)]
    pub is_closed: bool,
    /// Its partitions, in the order in which it takes records from them: a partition that has
    /// been drained goes to the end.
    pub assignment: Vec<TopicPartition>,
    /// What the broker wants it to have, with the consumer protocol.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub target: Vec<TopicPartition>,
    /// The next offset to fetch, where there is one. None before the first poll: positions are
    /// looked up only then.
    #[serde(with = "super::offsets::as_list")]
    pub positions: BTreeMap<TopicPartition, i64>,
    /// Ends of logs that it has sought, to be looked up with the next poll.
    #[serde(default, with = "super::offsets::as_list")]
    pub sought: BTreeMap<TopicPartition, LogEnd>,
    /// Partitions it takes nothing from for now.
    #[serde(default)]
    pub paused: BTreeSet<TopicPartition>,
    /// When to look up a position by duration again, where the last look found no record.
    #[serde(default, with = "super::offsets::as_list")]
    pub look_again_ms: BTreeMap<TopicPartition, i64>,
    /// What was fetched and is not yet handed out, in the order in which it came.
    #[serde(default)]
    pub fetched: Vec<Fetched>,
    /// The end of each partition as its last fetch has told: the lag that the consumer itself
    /// knows counts to there.
    #[serde(default, with = "super::offsets::as_list")]
    pub known_ends: BTreeMap<TopicPartition, i64>,
    /// When the next poll commits, on the cluster's clock.
    #[serde(default)]
    pub next_commit_ms: i64,
    /// When it polled last, or joined, on the cluster's clock. Kept where `max.poll.interval.ms` is
    /// set, for that counts from here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub polled_ms: Option<i64>,
}

impl Member {
    pub(super) fn new(member_id: String, config: ConsumerConfig, now_ms: i64) -> Self {
        let next_commit_ms = now_ms.saturating_add(i64::from(config.auto_commit_interval_ms));
        let polled_ms = config.max_poll_interval_ms.map(|_| now_ms);
        Self {
            member_id,
            config,
            generation: -1,
            session_ends_ms: None,
            is_closed: false,
            assignment: Vec::new(),
            target: Vec::new(),
            positions: BTreeMap::new(),
            sought: BTreeMap::new(),
            paused: BTreeSet::new(),
            look_again_ms: BTreeMap::new(),
            fetched: Vec::new(),
            known_ends: BTreeMap::new(),
            next_commit_ms,
            polled_ms,
        }
    }

    /// When the clock puts it out, because it has not polled for `max.poll.interval.ms`. A static
    /// member does not leave by itself then: it falls silent, and its session ends.
    pub(super) fn polls_until_ms(&self) -> Option<i64> {
        let interval = self.config.max_poll_interval_ms.filter(|_| self.is_alive())?;
        let until = self.polled_ms?.saturating_add(i64::from(interval));
        let is_static = self.config.instance_id.is_some();
        Some(until.saturating_add(if is_static { self.config.session_timeout() } else { 0 }))
    }

    /// Its process has stopped; the coordinator waits until `at_ms`. Where a killed one stood is
    /// still told, as of that moment; one that was closed has no place any more.
    pub(super) fn stop(&mut self, at_ms: i64, is_closed: bool) {
        self.session_ends_ms = Some(at_ms);
        self.is_closed = is_closed;
        if is_closed {
            self.forget(|_| false);
        }
    }

    pub(crate) fn forget(&mut self, keep: impl Fn(&TopicPartition) -> bool) {
        self.positions.retain(|at, _| keep(at));
        self.sought.retain(|at, _| keep(at));
        self.paused.retain(&keep);
        self.look_again_ms.retain(|at, _| keep(at));
        self.fetched.retain(|fetched| keep(&fetched.at));
        self.known_ends.retain(|at, _| keep(at));
    }

    /// It gets its share of a new generation. Eager: all that it knew of its partitions is
    /// forgotten, even of those that stay with it.
    pub(super) fn take(&mut self, share: Vec<TopicPartition>, generation: i32) -> Change {
        let change = if self.config.is_cooperative() {
            Change::cooperative(&self.assignment, &share)
        } else {
            Change::eager(&self.assignment, &share)
        };
        if self.config.is_cooperative() {
            self.forget(|at| change.kept.contains(at));
        } else {
            self.forget(|_| false);
        }
        self.assignment = share;
        self.generation = generation;
        change
    }

    pub(crate) fn seek(&mut self, at: &TopicPartition, to: SeekTo) {
        self.look_again_ms.remove(at);
        match to {
            SeekTo::Offset(offset) => {
                self.sought.remove(at);
                self.positions.insert(at.clone(), offset);
            }
            SeekTo::End(end) => {
                self.positions.remove(at);
                self.sought.insert(at.clone(), end);
            }
        }
    }

    pub(crate) fn is_auto_commit_due(&self, now_ms: i64) -> bool {
        self.config.auto_commit && now_ms >= self.next_commit_ms
    }

    pub(crate) fn start_auto_commit_timer(&mut self, now_ms: i64) {
        let interval = i64::from(self.config.auto_commit_interval_ms);
        self.next_commit_ms = now_ms.saturating_add(interval);
    }

    /// Commits every position, if that is left to the consumer.
    pub(crate) fn auto_commit(&self, committed: &mut BTreeMap<TopicPartition, i64>) {
        if self.config.auto_commit {
            committed.extend(self.positions.iter().map(|(at, &offset)| (at.clone(), offset)));
        }
    }

    /// The topics that match its pattern now; none without a pattern, or where it does not run.
    pub(super) fn matching(
        &self,
        cluster: &BTreeMap<String, crate::topic::Topic>,
    ) -> Option<Vec<String>> {
        let pattern = self.config.pattern.as_ref().filter(|_| self.is_alive())?;
        pattern.matching(cluster.keys().map(String::as_str)).ok()
    }

    /// The epoch that the group's coordinator knows it by: of a static member that is closed -2.
    /// Source: `ConsumerGroupHeartbeatRequest.LEAVE_GROUP_STATIC_MEMBER_EPOCH`.
    #[must_use]
    pub fn epoch(&self) -> i32 {
        if self.is_closed && self.config.protocol == GroupProtocol::Consumer {
            -2
        } else {
            self.generation
        }
    }

    /// What it commits by itself, if that is left to it: every position.
    pub(crate) fn auto_commits(&self) -> Vec<super::PartitionOffset> {
        if self.config.auto_commit { self.all_positions() } else { Vec::new() }
    }

    /// Whether its process runs.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.session_ends_ms.is_none()
    }

    /// Whether the partition is assigned to it.
    #[must_use]
    pub fn owns(&self, at: &TopicPartition) -> bool {
        self.assignment.contains(at)
    }

    /// How many offsets lie between the position and the end that the last fetch told of: the
    /// consumer's `currentLag`. None before the first fetch; negative after a seek past the end.
    ///
    /// ```
    /// use loglanes::group::{OffsetReset, TopicPartition};
    /// use loglanes::{Cluster, Command};
    ///
    /// let mut cluster = Cluster::new(7);
    /// cluster.apply(&Command::create_topic("orders", 1), 0)?;
    /// cluster.apply(&Command::join("billing", "m1", "orders", OffsetReset::Earliest), 0)?;
    /// let member = &cluster.group("billing").unwrap().members["m1"];
    /// assert_eq!(member.current_lag(&TopicPartition::new("orders", 0)), None);
    /// # Ok::<(), loglanes::Error>(())
    /// ```
    #[must_use]
    pub fn current_lag(&self, at: &TopicPartition) -> Option<i64> {
        Some(self.known_ends.get(at)?.wrapping_sub(*self.positions.get(at)?))
    }
}
