//! Topic configs under Kafka's names, with Kafka's defaults, ranges and messages.
//!
//! Loglanes acts on the configs in [`TopicConfig::HONOURED`]. The others of Kafka's list are
//! known by name and refused as not modelled, rather than accepted and ignored.
//!
//! Source: `org.apache.kafka.storage.internals.log.LogConfig` and
//! `org.apache.kafka.common.config.ConfigDef`, Apache Kafka 4.4.0.

use std::collections::BTreeMap;

use crate::error::{Error, ErrorCode, Result};
use crate::log::{LogConfig, TimestampType};

/// Every topic config of Kafka 4.4.0, in the order in which its tools list them.
/// `internal.segment.bytes` is Kafka's own, for its tests, and listed by none.
const KNOWN: [&str; 38] = [
    "compression.type",
    "errors.deadletterqueue.group.enable",
    "remote.copy.lag.bytes",
    "remote.log.delete.on.disable",
    "leader.replication.throttled.replicas",
    "remote.storage.enable",
    "min.insync.replicas",
    "segment.jitter.ms",
    "remote.log.copy.disable",
    "local.retention.ms",
    "cleanup.policy",
    "flush.ms",
    "follower.replication.throttled.replicas",
    "compression.lz4.level",
    "segment.bytes",
    "retention.ms",
    "compression.gzip.level",
    "remote.copy.lag.ms",
    "flush.messages",
    "compression.zstd.level",
    "max.compaction.lag.ms",
    "file.delete.delay.ms",
    "max.message.bytes",
    "min.compaction.lag.ms",
    "message.timestamp.type",
    "local.retention.bytes",
    "preallocate",
    "index.interval.bytes",
    "min.cleanable.dirty.ratio",
    "unclean.leader.election.enable",
    "retention.bytes",
    "delete.retention.ms",
    "message.timestamp.after.max.ms",
    "max.decompressed.message.bytes",
    "message.timestamp.before.max.ms",
    "segment.ms",
    "segment.index.bytes",
    "internal.segment.bytes",
];

/// The configs of one topic: what was set, as it was given, and what follows from it.
///
/// ```
/// use loglanes::topic::TopicConfig;
///
/// let config = TopicConfig::parse([("internal.segment.bytes", "1000")]).unwrap();
/// assert_eq!(config.log().segment_bytes, 1000);
/// let refused = TopicConfig::parse([("segment.bytes", "1000")]).unwrap_err();
/// assert_eq!(
///     refused.message(),
///     "Invalid value 1000 for configuration segment.bytes: Value must be at least 1048576"
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TopicConfig {
    given: BTreeMap<String, String>,
    log: LogConfig,
}

impl TopicConfig {
    /// The configs that change what Loglanes does.
    pub const HONOURED: [&str; 9] = [
        "index.interval.bytes",
        "internal.segment.bytes",
        "max.message.bytes",
        "message.timestamp.after.max.ms",
        "message.timestamp.before.max.ms",
        "message.timestamp.type",
        "segment.bytes",
        "segment.index.bytes",
        "segment.ms",
    ];

    /// Reads configs given as text, as `kafka-topics --config name=value` does.
    ///
    /// # Errors
    ///
    /// `INVALID_CONFIG` (40) in Kafka's words for an unknown name or a value out of range;
    /// `LOGLANES` for a config that Kafka knows and Loglanes does not act on.
    pub fn parse<N, V>(given: impl IntoIterator<Item = (N, V)>) -> Result<Self>
    where
        N: Into<String>,
        V: Into<String>,
    {
        let given: BTreeMap<String, String> =
            given.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        if let Some(name) = given.keys().find(|name| !KNOWN.contains(&name.as_str())) {
            return Err(invalid(format!("Unknown topic config name: {name}")));
        }
        let mut log = LogConfig::default();
        for (name, value) in &given {
            match name.as_str() {
                "segment.bytes" => log.segment_bytes = int(name, value, 1_048_576)?,
                "segment.ms" => log.segment_ms = long(name, value, 1)?,
                "segment.index.bytes" => log.segment_index_bytes = int(name, value, 4)?,
                "index.interval.bytes" => log.index_interval_bytes = int(name, value, 0)?,
                "max.message.bytes" => log.max_message_bytes = int(name, value, 0)?,
                "message.timestamp.before.max.ms" => {
                    log.message_timestamp_before_max_ms = long(name, value, 0)?;
                }
                "message.timestamp.after.max.ms" => {
                    log.message_timestamp_after_max_ms = long(name, value, 0)?;
                }
                "message.timestamp.type" => {
                    log.message_timestamp_type = timestamp_type(name, value)?
                }
                // Read below: it stands over segment.bytes, whichever comes first.
                "internal.segment.bytes" => {}
                _ => {
                    return Err(Error::loglanes(format!(
                        "Kafka knows {name}; Loglanes does not act on it."
                    ))
                    .with_hint(format!(
                        "Leave it out, or use one of {}.",
                        Self::HONOURED.join(", ")
                    )));
                }
            }
        }
        if let Some(value) = given.get("internal.segment.bytes") {
            log.segment_bytes = int("internal.segment.bytes", value, i32::MIN)?;
        }
        Ok(Self { given, log })
    }

    /// What differs from the default, by name, as it was given.
    #[must_use]
    pub fn given(&self) -> &BTreeMap<String, String> {
        &self.given
    }

    /// What the partitions go by.
    #[must_use]
    pub fn log(&self) -> &LogConfig {
        &self.log
    }
}

fn invalid(message: String) -> Error {
    Error::broker(ErrorCode::InvalidConfig, message)
}

/// Java's parsers take a sign and leading zeros, and `ConfigDef` trims first.
fn int(name: &str, value: &str, least: i32) -> Result<i32> {
    let number = value.trim().parse().map_err(|_| not_a_number(name, value, "INT"))?;
    at_least(name, number, least)
}

fn long(name: &str, value: &str, least: i64) -> Result<i64> {
    let number = value.trim().parse().map_err(|_| not_a_number(name, value, "LONG"))?;
    at_least(name, number, least)
}

fn not_a_number(name: &str, value: &str, kind: &str) -> Error {
    let value = value.trim();
    invalid(format!("Invalid value {value} for configuration {name}: Not a number of type {kind}"))
}

fn at_least<T: PartialOrd + std::fmt::Display>(name: &str, number: T, least: T) -> Result<T> {
    if number < least {
        return Err(invalid(format!(
            "Invalid value {number} for configuration {name}: Value must be at least {least}"
        )));
    }
    Ok(number)
}

fn timestamp_type(name: &str, value: &str) -> Result<TimestampType> {
    match value.trim() {
        "CreateTime" => Ok(TimestampType::CreateTime),
        "LogAppendTime" => Ok(TimestampType::LogAppendTime),
        other => Err(invalid(format!(
            "Invalid value {other} for configuration {name}: String must be one of: CreateTime, \
             LogAppendTime"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_java_reads_them() {
        for good in ["1048576", "+1048576", " 1048576 ", "0001048576"] {
            let config = TopicConfig::parse([("segment.bytes", good)]).unwrap();
            assert_eq!(config.log().segment_bytes, 1_048_576, "{good:?}");
        }
        for bad in ["1MB", "1048576.0", "", "1e6", "2147483648"] {
            let error = TopicConfig::parse([("segment.bytes", bad)]).unwrap_err();
            assert_eq!(
                error.message(),
                format!(
                    "Invalid value {bad} for configuration segment.bytes: Not a number of type INT"
                )
            );
        }
    }

    #[test]
    fn an_unknown_name_is_told_before_a_bad_value() {
        let error = TopicConfig::parse([("segment.bytes", "1"), ("foo", "x")]).unwrap_err();
        assert_eq!(error.message(), "Unknown topic config name: foo");
        assert_eq!(error.code(), Some(40));
    }

    #[test]
    fn every_honoured_config_is_one_of_kafkas() {
        assert!(TopicConfig::HONOURED.iter().all(|name| KNOWN.contains(name)));
    }
}
