//! One consumer of a group: its assignment, its positions, and what a poll does.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{AUTO_COMMIT_INTERVAL_MS, Change, ConsumerConfig, OffsetReset, TopicPartition};
use crate::command::{LogEnd, SeekTo};
use crate::error::{Error, Result};
use crate::topic::{Partition, Topic};

/// `max.poll.records` unless a poll says otherwise. Source: `ConsumerConfig`.
pub const MAX_POLL_RECORDS: i32 = 500;

/// How long a consumer waits before it looks up a position again where it found none:
/// `request.timeout.ms`. Source: `OffsetFetcherUtils`.
pub const REQUEST_TIMEOUT_MS: i64 = 30_000;

/// A member of a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// What the coordinator calls it: `client.id` (of a static member `group.instance.id`), a
    /// hyphen and a UUID.
    pub member_id: String,
    /// How it was set up; its topics are sorted, each once.
    #[serde(flatten)]
    pub config: ConsumerConfig,
    /// The generation in which it got its partitions; -1: none yet.
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
    /// When the next poll commits, on the cluster's clock.
    #[serde(default)]
    pub next_commit_ms: i64,
}

/// What a poll delivers, and what it has to remember.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Polled {
    /// Where the records lie, in the order of delivery.
    pub records: Vec<PolledAt>,
    /// Positions that `auto.offset.reset` had to choose.
    pub resets: Vec<ResetNote>,
    pub(super) positions: BTreeMap<TopicPartition, i64>,
    pub(super) drained: Vec<TopicPartition>,
    pub(super) look_again_ms: BTreeMap<TopicPartition, i64>,
}

/// One record of a poll.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolledAt {
    /// Its partition.
    pub at: TopicPartition,
    /// Its offset.
    pub offset: i64,
    /// Whether this group had been given it before.
    pub again: bool,
}

/// A position that `auto.offset.reset` chose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResetNote {
    /// The partition.
    pub at: TopicPartition,
    /// The position that was out of range; none where there was no committed offset.
    pub from: Option<i64>,
    /// The new position.
    pub to: i64,
    /// The policy that chose it.
    pub policy: OffsetReset,
}

impl Member {
    pub(super) fn new(member_id: String, config: ConsumerConfig, now_ms: i64) -> Self {
        Self {
            member_id,
            config,
            generation: -1,
            session_ends_ms: None,
            is_closed: false,
            assignment: Vec::new(),
            positions: BTreeMap::new(),
            sought: BTreeMap::new(),
            paused: BTreeSet::new(),
            look_again_ms: BTreeMap::new(),
            next_commit_ms: now_ms.saturating_add(AUTO_COMMIT_INTERVAL_MS),
        }
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

    pub(super) fn forget(&mut self, keep: impl Fn(&TopicPartition) -> bool) {
        self.positions.retain(|at, _| keep(at));
        self.sought.retain(|at, _| keep(at));
        self.paused.retain(&keep);
        self.look_again_ms.retain(|at, _| keep(at));
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

    pub(super) fn seek(&mut self, at: &TopicPartition, to: SeekTo) {
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

    pub(super) fn is_auto_commit_due(&self, now_ms: i64) -> bool {
        self.config.auto_commit && now_ms >= self.next_commit_ms
    }

    pub(super) fn start_auto_commit_timer(&mut self, now_ms: i64) {
        self.next_commit_ms = now_ms.saturating_add(AUTO_COMMIT_INTERVAL_MS);
    }

    /// Commits every position, if that is left to the consumer.
    pub(super) fn auto_commit(&self, committed: &mut BTreeMap<TopicPartition, i64>) {
        if self.config.auto_commit {
            committed.extend(self.positions.iter().map(|(at, &offset)| (at.clone(), offset)));
        }
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

    /// What a poll of at most `most` records would deliver. Nothing is changed.
    ///
    /// Source: `FetchCollector`: the records of one partition are drained before those of the
    /// next; a position outside the log is reset by policy.
    pub(super) fn poll(
        &self,
        most: usize,
        topics: &BTreeMap<String, Topic>,
        committed: &BTreeMap<TopicPartition, i64>,
        delivered: &BTreeMap<TopicPartition, i64>,
        now_ms: i64,
    ) -> Result<Polled> {
        let mut polled = Polled::default();
        self.find_positions(topics, committed, now_ms, &mut polled)?;
        for at in self.assignment.iter().filter(|at| !self.paused.contains(at)) {
            let (Some(partition), Some(&position)) =
                (partition_of(topics, at), polled.positions.get(at))
            else {
                continue;
            };
            let seen = delivered.get(at).copied().unwrap_or(i64::MIN);
            let room = most - polled.records.len();
            let before = polled.records.len();
            for record in partition.log.records_from(position).take(room) {
                polled.positions.insert(at.clone(), record.offset + 1);
                polled.records.push(PolledAt {
                    at: at.clone(),
                    offset: record.offset,
                    again: record.offset < seen,
                });
            }
            let taken = polled.records.len() - before;
            if taken > 0 && taken < room {
                // Nothing is left: a tail that compaction took away is passed over.
                polled.positions.insert(at.clone(), partition.log.high_watermark());
                polled.drained.push(at.clone());
            }
            if polled.records.len() == most {
                break;
            }
        }
        Ok(polled)
    }

    /// Every assigned partition's position: where it was, where it sought, as committed, or by
    /// policy.
    fn find_positions(
        &self,
        topics: &BTreeMap<String, Topic>,
        committed: &BTreeMap<TopicPartition, i64>,
        now_ms: i64,
        polled: &mut Polled,
    ) -> Result {
        let mut undefined = Vec::new();
        for at in &self.assignment {
            let Some(partition) = partition_of(topics, at) else { continue };
            let (start, end) = (partition.log.log_start_offset(), partition.log.high_watermark());
            if let Some(sought) = self.sought.get(at) {
                let position = if *sought == LogEnd::Beginning { start } else { end };
                polled.positions.insert(at.clone(), position);
                continue;
            }
            if let Some(&again_ms) = self.look_again_ms.get(at).filter(|&&ms| now_ms < ms) {
                polled.look_again_ms.insert(at.clone(), again_ms);
                continue;
            }
            let known = self.positions.get(at).or_else(|| committed.get(at)).copied();
            let known = known.filter(|_| !self.look_again_ms.contains_key(at));
            if let Some(offset) = known.filter(|offset| (start..=end).contains(offset)) {
                polled.positions.insert(at.clone(), offset);
                continue;
            }
            // Kafka fetches nothing of a paused partition, so it does not see that its position is
            // out of range.
            if let Some(offset) = known.filter(|_| self.paused.contains(at)) {
                polled.positions.insert(at.clone(), offset);
                continue;
            }
            let to = match self.config.auto_offset_reset {
                OffsetReset::Earliest => start,
                OffsetReset::Latest => end,
                OffsetReset::ByDuration(ms) => {
                    match partition.log.offset_for_timestamp(now_ms.saturating_sub(ms)) {
                        Some((offset, _)) => offset,
                        None => {
                            let again_ms = now_ms.saturating_add(REQUEST_TIMEOUT_MS);
                            polled.look_again_ms.insert(at.clone(), again_ms);
                            continue;
                        }
                    }
                }
                OffsetReset::None => match known {
                    Some(offset) => return Err(out_of_range(at, offset, partition)),
                    None => {
                        undefined.push(at.to_string());
                        continue;
                    }
                },
            };
            polled.resets.push(ResetNote {
                at: at.clone(),
                from: known,
                to,
                policy: self.config.auto_offset_reset,
            });
            polled.positions.insert(at.clone(), to);
        }
        if undefined.is_empty() {
            return Ok(());
        }
        Err(Error::client(
            "NoOffsetForPartitionException",
            format!(
                "Undefined offset with no reset policy for partitions: [{}]",
                undefined.join(", ")
            ),
        )
        .with_hint("Commit an offset, seek, or choose earliest or latest as auto.offset.reset."))
    }

    pub(super) fn accept(&mut self, polled: &Polled) {
        self.positions = polled.positions.clone();
        self.look_again_ms = polled.look_again_ms.clone();
        self.sought.clear();
        for at in &polled.drained {
            self.assignment.retain(|other| other != at);
            self.assignment.push(at.clone());
        }
    }
}

fn partition_of<'a>(
    topics: &'a BTreeMap<String, Topic>,
    at: &TopicPartition,
) -> Option<&'a Partition> {
    topics.get(&at.topic)?.partition(at.partition)
}

/// Source of the text: a Java consumer of 4.4.0 with `auto.offset.reset=none`.
fn out_of_range(at: &TopicPartition, offset: i64, partition: &Partition) -> Error {
    let broker = partition.leader();
    Error::client(
        "OffsetOutOfRangeException",
        format!(
            "Fetch position FetchPosition{{offset={offset}, offsetEpoch=Optional.empty, \
             currentLeader=LeaderAndEpoch{{leader=Optional[broker-{broker}:9092 (id: {broker} \
             rack: null isFenced: false)], epoch=0}}}} is out of range for partition {at}"
        ),
    )
    .with_hint(format!(
        "{at} has the offsets {} to {}: seek into that range, or choose earliest or latest as \
         auto.offset.reset.",
        partition.log.log_start_offset(),
        partition.log.high_watermark()
    ))
}
