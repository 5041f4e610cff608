//! What a program asks its consumer: calls that change nothing.
//!
//! `position` in Kafka looks a position up that is not known yet, and keeps it; here it tells what the
//! next poll would find, and keeps nothing.
//!
//! Source: `KafkaConsumer` and what Java consumers of Apache Kafka 4.4.0 answered.

use serde::{Deserialize, Serialize};

use super::by_hand::{negative_time, no_group_id};
use super::coordinator::{Topics, not_assigned};
use super::poll::partition_of;
use super::{Group, GroupProtocol, Member, Polled, TopicPartition, WhyOutside};
use crate::error::{Error, ErrorCode, Result};
use crate::log::PartitionLog;

/// A call of a consumer that only asks, by its name in Java.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    tag = "call",
    rename_all = "camelCase",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum Call {
    /// The next offset that it will fetch.
    Position {
        /// A partition of its own.
        at: TopicPartition,
    },
    /// What its group has committed.
    Committed {
        /// Any partitions.
        partitions: Vec<TopicPartition>,
    },
    /// Where partitions begin: their log start offsets.
    BeginningOffsets {
        /// Any partitions.
        partitions: Vec<TopicPartition>,
    },
    /// Where they end for it: the high watermark, or the last stable offset with `read_committed`.
    EndOffsets {
        /// Any partitions.
        partitions: Vec<TopicPartition>,
    },
    /// The first record at or after a time.
    OffsetsForTimes {
        /// Any partitions.
        partitions: Vec<TopicPartition>,
        /// Milliseconds since 1970; 0 or more.
        timestamp: i64,
    },
    /// How many offsets lie between its position and the end that it knows of.
    CurrentLag {
        /// A partition of its own.
        at: TopicPartition,
    },
    /// What it has been assigned.
    Assignment,
    /// The topics that it subscribes to.
    Subscription,
    /// The partitions that it takes nothing from.
    Paused,
    /// How its group knows it.
    GroupMetadata,
    /// How many partitions a topic has; 0: it is not there.
    PartitionsFor {
        /// The topic.
        topic: String,
    },
    /// All topics.
    ListTopics,
}

/// What the consumer says.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Said {
    /// A position.
    Position {
        /// The next offset to fetch.
        offset: i64,
    },
    /// A lag.
    Lag {
        /// In offsets; none before the first fetch.
        lag: Option<i64>,
    },
    /// An offset for each partition that was asked about.
    Offsets {
        /// In the order of the question.
        offsets: Vec<SaidOffset>,
    },
    /// Partitions.
    Partitions {
        /// In the order in which the consumer has them.
        partitions: Vec<TopicPartition>,
    },
    /// Topics.
    Topics {
        /// In order of name.
        topics: Vec<String>,
    },
    /// A number of partitions.
    Count {
        /// So many.
        count: i32,
    },
    /// What a producer needs to commit offsets for the consumer.
    GroupMetadata {
        /// `group.id`.
        group_id: String,
        /// -1: it is no member.
        generation_id: i32,
        /// Empty: it is no member.
        member_id: String,
        /// Empty without one.
        group_instance_id: String,
    },
}

/// An offset of a partition, or none.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SaidOffset {
    /// The topic's name.
    pub topic: String,
    /// The partition's number.
    pub partition: i32,
    /// The offset, if there is one.
    pub offset: Option<i64>,
    /// The record's timestamp, for an offset by time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<f64>,
    /// The text beside a committed offset.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub metadata: String,
    /// The leader epoch beside a committed offset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leader_epoch: Option<i32>,
}

impl SaidOffset {
    fn new(at: &TopicPartition, offset: Option<i64>) -> Self {
        Self {
            topic: at.topic.clone(),
            partition: at.partition,
            offset,
            timestamp: None,
            metadata: String::new(),
            leader_epoch: None,
        }
    }
}

/// What a question can look at.
pub(crate) struct Asked<'a> {
    /// `group.id`; empty without one.
    pub(crate) group_id: &'a str,
    /// The group, if the broker knows it.
    pub(crate) group: Option<&'a Group>,
    /// The consumer.
    pub(crate) consumer: &'a Member,
    /// Whether it is a member, and thinks so.
    pub(crate) is_member: bool,
    pub(crate) topics: &'a Topics,
    /// The cluster's clock.
    pub(crate) now_ms: i64,
}

impl Asked<'_> {
    /// Answers the call.
    ///
    /// # Errors
    ///
    /// What the consumer throws.
    pub(crate) fn answer(&self, call: &Call) -> Result<Said> {
        let consumer = self.consumer;
        Ok(match call {
            Call::Position { at } => Said::Position { offset: self.position(at)? },
            Call::Committed { partitions } => self.committed(partitions)?,
            Call::BeginningOffsets { partitions } => {
                self.ends(partitions, |log| Some(log.log_start_offset()))?
            }
            Call::EndOffsets { partitions } => {
                let isolation = consumer.config.isolation_level;
                self.ends(partitions, |log| Some(log.readable_until(isolation)))?
            }
            Call::OffsetsForTimes { partitions, timestamp } => {
                self.for_times(partitions, *timestamp)?
            }
            Call::CurrentLag { at } => {
                if !consumer.owns(at) {
                    return Err(not_assigned(at).with_hint("Ask about a partition of its own."));
                }
                Said::Lag { lag: consumer.current_lag(at) }
            }
            Call::Assignment => Said::Partitions { partitions: consumer.assignment.clone() },
            Call::Paused => {
                Said::Partitions { partitions: consumer.paused.iter().cloned().collect() }
            }
            Call::Subscription => Said::Topics { topics: consumer.subscription() },
            Call::GroupMetadata => self.metadata()?,
            Call::PartitionsFor { topic } => {
                let count = self.topics.get(topic).map_or(0, |topic| topic.partition_count());
                Said::Count { count }
            }
            Call::ListTopics => Said::Topics { topics: self.topics.keys().cloned().collect() },
        })
    }

    /// Source: `KafkaConsumer.position`.
    fn position(&self, at: &TopicPartition) -> Result<i64> {
        if !self.consumer.owns(at) {
            return Err(Error::client(
                "IllegalStateException",
                "You can only check the position for partitions assigned to this consumer.",
            )
            .with_hint("Ask about a partition that it has now."));
        }
        let mut copy = self.consumer.clone();
        if !copy.positions.contains_key(at) {
            let none = std::collections::BTreeMap::new();
            let committed = self.group.map_or(&none, |group| &group.committed);
            copy.find_positions(self.topics, committed, self.now_ms, &mut Polled::default())?;
        }
        copy.positions.get(at).copied().ok_or_else(|| {
            let text = format!(
                "Timeout of 60000ms expired before the position for partition {at} could be \
                 determined"
            );
            Error::client_code(ErrorCode::RequestTimedOut, text).with_hint(
                match partition_of(self.topics, at) {
                    None => format!("There is no {at}."),
                    Some(_) => "No record is as young as auto.offset.reset asks for.".to_owned(),
                },
            )
        })
    }

    fn committed(&self, partitions: &[TopicPartition]) -> Result<Said> {
        self.check_group()?;
        let row = |at: &TopicPartition| {
            let offset = self.group.and_then(|group| group.committed.get(at)).copied();
            let note = self.group.and_then(|group| group.note(at));
            SaidOffset {
                metadata: note.map(|note| note.metadata.clone()).unwrap_or_default(),
                leader_epoch: note.and_then(|note| note.leader_epoch),
                ..SaidOffset::new(at, offset)
            }
        };
        Ok(Said::Offsets { offsets: partitions.iter().map(row).collect() })
    }

    /// Source of the text: Java consumers of 4.4.0.
    fn ends(
        &self,
        partitions: &[TopicPartition],
        end: impl Fn(&PartitionLog) -> Option<i64>,
    ) -> Result<Said> {
        let row = |at: &TopicPartition| {
            let Some(held) = partition_of(self.topics, at) else {
                let text = "Failed to get offsets by times in 60000ms";
                return Err(Error::client_code(ErrorCode::RequestTimedOut, text)
                    .with_hint(format!("There is no {at}.")));
            };
            Ok(SaidOffset::new(at, end(&held.log)))
        };
        Ok(Said::Offsets { offsets: partitions.iter().map(row).collect::<Result<_>>()? })
    }

    fn for_times(&self, partitions: &[TopicPartition], timestamp: i64) -> Result<Said> {
        if let Some(at) = partitions.first().filter(|_| timestamp < 0) {
            return Err(negative_time(at, timestamp));
        }
        let isolation = self.consumer.config.isolation_level;
        let mut said = self.ends(partitions, |log| {
            log.offset_for_timestamp_as(timestamp, isolation).map(|(offset, _)| offset)
        })?;
        if let Said::Offsets { offsets } = &mut said {
            for row in offsets {
                let at = TopicPartition::new(&row.topic, row.partition);
                let held = partition_of(self.topics, &at);
                let found =
                    held.and_then(|held| held.log.offset_for_timestamp_as(timestamp, isolation));
                row.timestamp = found.map(|(_, timestamp)| timestamp as f64);
            }
        }
        Ok(said)
    }

    fn metadata(&self) -> Result<Said> {
        self.check_group()?;
        let consumer = self.consumer;
        let keeps_id = consumer.config.protocol == GroupProtocol::Consumer;
        Ok(Said::GroupMetadata {
            group_id: self.group_id.to_owned(),
            generation_id: if self.is_member { consumer.generation } else { -1 },
            member_id: if self.is_member || keeps_id {
                consumer.member_id.clone()
            } else {
                String::new()
            },
            group_instance_id: consumer.config.instance_id.clone().unwrap_or_default(),
        })
    }

    fn check_group(&self) -> Result {
        if self.group_id.is_empty() { Err(no_group_id()) } else { Ok(()) }
    }
}

impl Group {
    /// A consumer of this group, in it or outside; and whether it is a member and thinks so.
    ///
    /// # Errors
    ///
    /// Where no such consumer runs.
    pub(crate) fn asked(&self, client_id: &str) -> Result<(&Member, bool)> {
        match self.outside.get(client_id) {
            Some(outside) => Ok((&outside.member, outside.why == WhyOutside::Removed)),
            None => Ok((self.living(client_id)?, true)),
        }
    }
}

impl Member {
    /// The topics that the consumer itself says it subscribes to. Of a pattern that the broker
    /// matches it knows none.
    fn subscription(&self) -> Vec<String> {
        match self.config.pattern {
            Some(super::TopicPattern::Re2(_)) => Vec::new(),
            _ => self.config.topics.clone(),
        }
    }
}
