//! One consumer of a group: its assignment, its positions, and what a poll does.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{OffsetReset, TopicPartition};
use crate::error::{Error, Result};
use crate::topic::{Partition, Topic};

/// `max.poll.records` unless a poll says otherwise. Source: `ConsumerConfig`.
pub const MAX_POLL_RECORDS: i32 = 500;

/// A member of a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// What the coordinator calls it: `client.id`, a hyphen and a UUID.
    pub member_id: String,
    /// The topics it subscribes to, sorted, each once.
    pub topics: Vec<String>,
    /// Where it starts without a usable committed offset.
    pub auto_offset_reset: OffsetReset,
    /// When the coordinator gives it up, on the cluster's clock; none while it lives.
    pub session_ends_ms: Option<i64>,
    /// Its partitions, in the order in which it takes records from them: a partition that has
    /// been drained goes to the end.
    pub assignment: Vec<TopicPartition>,
    /// The next offset to fetch, where there is one. None before the first poll: positions are
    /// looked up only then.
    #[serde(with = "super::offsets::as_list")]
    pub positions: BTreeMap<TopicPartition, i64>,
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
    ) -> Result<Polled> {
        let mut polled = Polled::default();
        self.find_positions(topics, committed, &mut polled)?;
        for at in &self.assignment {
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

    /// Every assigned partition's position: where it was, as committed, or by policy.
    fn find_positions(
        &self,
        topics: &BTreeMap<String, Topic>,
        committed: &BTreeMap<TopicPartition, i64>,
        polled: &mut Polled,
    ) -> Result {
        let mut undefined = Vec::new();
        for at in &self.assignment {
            let Some(partition) = partition_of(topics, at) else { continue };
            let known = self.positions.get(at).or_else(|| committed.get(at)).copied();
            let (start, end) = (partition.log.log_start_offset(), partition.log.high_watermark());
            let position = match known {
                Some(offset) if (start..=end).contains(&offset) => offset,
                _ => {
                    let to = match self.auto_offset_reset {
                        OffsetReset::Earliest => start,
                        OffsetReset::Latest => end,
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
                        policy: self.auto_offset_reset,
                    });
                    to
                }
            };
            polled.positions.insert(at.clone(), position);
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
