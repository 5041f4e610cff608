//! A command as one line of the history, in Kafka's words.

use std::fmt;

use super::{Command, LogEnd, Produce, SeekTo};
use crate::Bytes;
use crate::generate::GenerateSpec;
use crate::group::MAX_PARTITION_FETCH_BYTES;
use crate::group::assignor::Assignor;
use crate::group::{ConsumerConfig, ResetTo};

/// One line, in the words of the history panel.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CreateTopic { name, partitions, replication_factor, configs } => {
                write!(f, "topic {name}")?;
                optional(f, "partitions", partitions.as_ref())?;
                optional(f, "replication-factor", replication_factor.as_ref())?;
                configs.iter().try_for_each(|(name, value)| write!(f, " {name}={value}"))
            }
            Self::DeleteTopic { name } => write!(f, "delete-topic {name}"),
            Self::CreatePartitions { topic, total } => write!(f, "partitions {topic} {total}"),
            Self::Produce(record) => record.fmt(f),
            Self::ProduceMany { topic, partitioner, records } => {
                write!(f, "produce {topic} records={}", records.len())?;
                optional(f, "partitioner", partitioner.as_ref())
            }
            Self::Generate { topic, partitioner, spec } => {
                let GenerateSpec { count, keys, skew, value_bytes, seed } = spec;
                write!(f, "produce {topic} count={count} keys={keys}")?;
                write!(f, " skew={skew} value-bytes={value_bytes} seed={seed}")?;
                optional(f, "partitioner", partitioner.as_ref())
            }
            Self::Join { group, member, config } => {
                let ConsumerConfig { topics, auto_offset_reset, .. } = config;
                write!(f, "join {group} {member} {} reset={auto_offset_reset}", topics.join(","))?;
                if config.assignors != Assignor::DEFAULT {
                    let names: Vec<&str> =
                        config.assignors.iter().map(|assignor| assignor.name()).collect();
                    write!(f, " assignors={}", names.join(","))?;
                }
                optional(f, "instance", config.instance_id.as_ref())?;
                f.write_str(if config.auto_commit { " auto-commit" } else { "" })?;
                let fetch = config.max_partition_fetch_bytes;
                let fetch = (fetch != MAX_PARTITION_FETCH_BYTES).then_some(fetch);
                optional(f, "max-partition-fetch", fetch.as_ref())
            }
            Self::Leave { group, member } => write!(f, "leave {group} {member}"),
            Self::Crash { group, member } => write!(f, "crash {group} {member}"),
            Self::Restart { group, member } => write!(f, "restart {group} {member}"),
            Self::Poll { group, member, max_records } => {
                write!(f, "poll {group} {member}")?;
                optional(f, "max", max_records.as_ref())
            }
            Self::Commit { group, member, offsets } => {
                write!(f, "commit {group} {member}")?;
                offsets
                    .iter()
                    .flatten()
                    .try_for_each(|at| write!(f, " {}-{}={}", at.topic, at.partition, at.offset))
            }
            Self::Seek { group, member, topic, partition, to } => {
                write!(f, "seek {group} {member} {topic}-{partition} ")?;
                match to {
                    SeekTo::Offset(offset) => write!(f, "{offset}"),
                    SeekTo::End(LogEnd::Beginning) => f.write_str("beginning"),
                    SeekTo::End(LogEnd::End) => f.write_str("end"),
                }
            }
            Self::Pause { group, member, topic, partition } => {
                write!(f, "pause {group} {member} {topic}-{partition}")
            }
            Self::Resume { group, member, topic, partition } => {
                write!(f, "resume {group} {member} {topic}-{partition}")
            }
            Self::RefreshMetadata { group } => write!(f, "refresh-metadata {group}"),
            Self::ResetOffsets { group, topics, to } => {
                write!(f, "reset-offsets {group} ")?;
                match topics {
                    _ if matches!(to, ResetTo::File { .. }) => {}
                    Some(topics) => write!(f, "{} ", topics.join(" "))?,
                    None => f.write_str("all-topics ")?,
                }
                match to {
                    ResetTo::Earliest => f.write_str("to-earliest"),
                    ResetTo::Latest => f.write_str("to-latest"),
                    ResetTo::Current => f.write_str("to-current"),
                    ResetTo::Offset { offset } => write!(f, "to-offset {offset}"),
                    ResetTo::Shift { by } => write!(f, "shift-by {by}"),
                    ResetTo::Datetime { datetime } => write!(f, "to-datetime {datetime}"),
                    ResetTo::Duration { duration } => write!(f, "by-duration {duration}"),
                    ResetTo::File { .. } => f.write_str("from-file"),
                }
            }
            Self::DeleteOffsets { group, topics } => {
                write!(f, "delete-offsets {group} {}", topics.join(" "))
            }
            Self::DeleteGroup { group } => write!(f, "delete-group {group}"),
            Self::SeekToTimestamp { group, member, timestamp } => {
                write!(f, "seek {group} {member} timestamp={timestamp}")
            }
            Self::AlterConfigs { topic, ops } => {
                write!(f, "configs {topic}")?;
                ops.iter().try_for_each(|op| write!(f, " {op}"))
            }
            Self::DeleteRecords { topic, partition, before } => {
                write!(f, "delete-records {topic}-{partition} before={before}")
            }
            Self::RunRetention { topic } => {
                f.write_str("retention")?;
                optional(f, "topic", topic.as_ref())
            }
            Self::RunCleaner { topic } => {
                f.write_str("cleaner")?;
                optional(f, "topic", topic.as_ref())
            }
            Self::AdvanceClock { ms } => write!(f, "clock +{ms}ms"),
            Self::Tick => f.write_str("tick"),
        }
    }
}

impl fmt::Display for Produce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "produce {}", self.topic)?;
        optional(f, "partitioner", self.partitioner.as_ref())?;
        optional(f, "partition", self.partition.as_ref())?;
        optional(f, "timestamp", self.timestamp.as_ref())?;
        write!(f, " key={} value={}", OrNone(self.key.as_ref()), OrNone(self.value.as_ref()))?;
        self.headers.iter().try_for_each(|header| {
            write!(f, " header {}={}", OrNone(Some(&header.key)), OrNone(header.value.as_ref()))
        })
    }
}

/// The longest key, value or header a history line shows; the record itself has all of it.
const MAX_SHOWN_BYTES: usize = 64;

struct OrNone<'a>(Option<&'a Bytes>);

impl fmt::Display for OrNone<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("none"),
            Some(bytes) if bytes.len() > MAX_SHOWN_BYTES => {
                let head = Bytes::from(bytes.get(..MAX_SHOWN_BYTES).unwrap_or_default());
                write!(f, "{head}…({} bytes)", bytes.len())
            }
            Some(bytes) => bytes.fmt(f),
        }
    }
}

fn optional(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    value: Option<&impl fmt::Display>,
) -> fmt::Result {
    value.map_or(Ok(()), |value| write!(f, " {name}={value}"))
}
