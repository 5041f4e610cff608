//! What a poll does: finding positions, fetching, and handing out what was fetched.
//!
//! A fetch asks for every partition of which nothing is left from the one before, and brings at
//! most `max.partition.fetch.bytes` of each. A poll hands out what was fetched, partition by
//! partition in the order in which it came, and fetches only when nothing of that is left. So a
//! long partition does not keep the others waiting.
//!
//! A real consumer sends its next fetch with the end of a poll; ours is sent with the poll that
//! needs it, as if the answer had not come before.
//!
//! Source: `FetchCollector`, `AbstractFetch`, `CompletedFetch`, Apache Kafka 4.4.0.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Member, OffsetReset, TopicPartition};
use crate::command::LogEnd;
use crate::error::{Error, Result};
use crate::topic::{Partition, Topic};

/// `max.poll.records` unless a poll says otherwise. Source: `ConsumerConfig`.
pub const MAX_POLL_RECORDS: i32 = 500;

/// `max.partition.fetch.bytes` unless a consumer sets another. Source: `ConsumerConfig`.
pub const MAX_PARTITION_FETCH_BYTES: i32 = 1_048_576;

/// `fetch.max.bytes`: what one fetch brings from a broker. Source: `ConsumerConfig`.
pub const FETCH_MAX_BYTES: usize = 52_428_800;

/// How long a consumer waits before it looks up a position again where it found none:
/// `request.timeout.ms`. Source: `OffsetFetcherUtils`.
pub const REQUEST_TIMEOUT_MS: i64 = 30_000;

/// What a fetch has brought of a partition, as far as it is not handed out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Fetched {
    /// The partition.
    pub at: TopicPartition,
    /// The next offset to hand out. Of no use any more once the member's position is another.
    pub next: i64,
    /// The offset after the last batch.
    pub end: i64,
    /// Whether some of it was handed out.
    #[serde(default)]
    pub is_begun: bool,
    /// Whether the answer was `OFFSET_OUT_OF_RANGE`.
    #[serde(default)]
    pub is_out_of_range: bool,
}

/// What a poll delivers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Polled {
    /// Where the records lie, in the order of delivery.
    pub records: Vec<PolledAt>,
    /// Positions that `auto.offset.reset` had to choose.
    pub resets: Vec<ResetNote>,
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

type Topics = BTreeMap<String, Topic>;
type Offsets = BTreeMap<TopicPartition, i64>;

impl Member {
    /// Takes at most `most` records. After an error it is half done: the caller keeps a copy.
    pub(crate) fn poll(
        &mut self,
        most: usize,
        topics: &Topics,
        committed: &Offsets,
        delivered: &Offsets,
        now_ms: i64,
    ) -> Result<Polled> {
        let mut polled = Polled::default();
        self.find_positions(topics, committed, now_ms, &mut polled)?;
        loop {
            self.hand_out(most, topics, delivered, &mut polled)?;
            if !polled.records.is_empty() || !self.fetch(topics, now_ms, &mut polled) {
                return Ok(polled);
            }
        }
    }

    /// Gives every assigned partition a position: where it was, where it sought, as committed, or
    /// by policy.
    pub(super) fn find_positions(
        &mut self,
        topics: &Topics,
        committed: &Offsets,
        now_ms: i64,
        polled: &mut Polled,
    ) -> Result {
        let mut undefined = Vec::new();
        for at in self.assignment.clone() {
            let Some(partition) = partition_of(topics, &at) else { continue };
            if let Some(sought) = self.sought.remove(&at) {
                let start = partition.log.log_start_offset();
                let to = if sought == LogEnd::Beginning { start } else { self.end_of(partition) };
                self.positions.insert(at, to);
                continue;
            }
            if self.positions.contains_key(&at) {
                continue;
            }
            let looked_before = self.look_again_ms.get(&at);
            if looked_before.is_some_and(|&again_ms| now_ms < again_ms) {
                continue;
            }
            if let Some(&offset) = committed.get(&at).filter(|_| looked_before.is_none()) {
                self.positions.insert(at, offset);
            } else if self.config.auto_offset_reset == OffsetReset::None {
                undefined.push(at.to_string());
            } else {
                self.reset(&at, None, partition, now_ms, polled);
            }
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

    /// Chooses a position by policy, if there is one.
    fn reset(
        &mut self,
        at: &TopicPartition,
        from: Option<i64>,
        partition: &Partition,
        now_ms: i64,
        polled: &mut Polled,
    ) {
        self.positions.remove(at);
        self.look_again_ms.remove(at);
        let policy = self.config.auto_offset_reset;
        let to = match policy {
            OffsetReset::Earliest => Some(partition.log.log_start_offset()),
            OffsetReset::Latest => Some(self.end_of(partition)),
            OffsetReset::ByDuration(ms) => partition
                .log
                .offset_for_timestamp_as(now_ms.saturating_sub(ms), self.config.isolation_level)
                .map(|(offset, _)| offset),
            OffsetReset::None => None,
        };
        if let Some(to) = to {
            self.positions.insert(at.clone(), to);
            polled.resets.push(ResetNote { at: at.clone(), from, to, policy });
        } else {
            let again_ms = now_ms.saturating_add(REQUEST_TIMEOUT_MS);
            self.look_again_ms.insert(at.clone(), again_ms);
        }
    }

    /// The end of what this consumer may read.
    fn end_of(&self, partition: &Partition) -> i64 {
        partition.log.readable_until(self.config.isolation_level)
    }

    /// Asks the leaders for all partitions of which nothing is left. Whether that has brought
    /// anything, if only another position.
    fn fetch(&mut self, topics: &Topics, now_ms: i64, polled: &mut Polled) -> bool {
        let mut answered = false;
        // Of each broker: how many bytes its answer may still have.
        let mut rooms: BTreeMap<i32, usize> = BTreeMap::new();
        for at in self.assignment.clone() {
            let is_left = self.fetched.iter().any(|fetched| fetched.at == at);
            if is_left || self.paused.contains(&at) {
                continue;
            }
            let (Some(partition), Some(&position)) =
                (partition_of(topics, &at), self.positions.get(&at))
            else {
                continue;
            };
            let end = self.end_of(partition);
            // What lies between what this consumer may read and the high watermark is in range.
            let in_range = partition.log.log_start_offset()..=partition.log.high_watermark();
            if !in_range.contains(&position) {
                answered = true;
                if self.config.auto_offset_reset == OffsetReset::None {
                    let (next, end) = (position, position);
                    let fetched = Fetched { at, next, end, is_begun: false, is_out_of_range: true };
                    self.fetched.push(fetched);
                } else {
                    self.reset(&at, Some(position), partition, now_ms, polled);
                }
                continue;
            }
            self.known_ends.insert(at.clone(), end);
            let room = rooms.entry(partition.leader()).or_insert(FETCH_MAX_BYTES);
            // Only the first of a broker's answer comes whole if it is larger than that.
            let min_one = *room == FETCH_MAX_BYTES;
            let most = usize::try_from(self.config.max_partition_fetch_bytes).unwrap_or(0);
            let max_bytes = most.min(*room);
            if let Some(to) = partition.log.fetch(position, end, max_bytes, min_one) {
                *room = room.saturating_sub(to.bytes);
                answered = true;
                self.fetched.push(Fetched {
                    at,
                    next: position,
                    end: to.next_offset,
                    is_begun: false,
                    is_out_of_range: false,
                });
            }
        }
        answered
    }

    /// Hands out what was fetched: all of one partition before the next. A partition whose end is
    /// reached goes behind the others; that the last record was the end shows only when one more
    /// is asked for, and then the position is the end of its last batch.
    fn hand_out(
        &mut self,
        most: usize,
        topics: &Topics,
        delivered: &Offsets,
        polled: &mut Polled,
    ) -> Result {
        let mut left = std::mem::take(&mut self.fetched).into_iter();
        let (mut in_line, mut paused) = (None, Vec::new());
        while polled.records.len() < most {
            let Some(mut fetched) = left.next() else { break };
            let at = fetched.at.clone();
            if self.paused.contains(&at) {
                paused.push(fetched);
                continue;
            }
            let is_current = self.positions.get(&at) == Some(&fetched.next);
            if is_current && let Some(partition) = partition_of(topics, &at) {
                if fetched.is_out_of_range {
                    if polled.records.is_empty() {
                        return Err(out_of_range(&at, fetched.next, partition));
                    }
                    in_line = Some(fetched);
                    break;
                }
                let seen = delivered.get(&at).copied().unwrap_or(i64::MIN);
                let room = most - polled.records.len();
                let before = polled.records.len();
                let records = partition.log.records_as(fetched.next, self.config.isolation_level);
                for record in records.take_while(|one| one.offset < fetched.end).take(room) {
                    fetched.next = record.offset + 1;
                    fetched.is_begun = true;
                    let (at, offset) = (at.clone(), record.offset);
                    polled.records.push(PolledAt { at, offset, again: offset < seen });
                }
                let is_drained = polled.records.len() - before < room;
                if is_drained {
                    // A tail without records is passed over.
                    fetched.next = fetched.end;
                }
                self.positions.insert(at.clone(), fetched.next);
                if !is_drained {
                    in_line = Some(fetched);
                    break;
                }
            }
            if fetched.is_begun {
                self.assignment.retain(|other| *other != at);
                self.assignment.push(at);
            }
        }
        // What waits because its partition is paused goes behind what was not looked at.
        self.fetched = in_line.into_iter().chain(left).chain(paused).collect();
        Ok(())
    }
}

pub(super) fn partition_of<'a>(topics: &'a Topics, at: &TopicPartition) -> Option<&'a Partition> {
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
