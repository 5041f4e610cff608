//! Topic configs under Kafka's names, with Kafka's defaults, ranges and messages.
//!
//! All 38 of Kafka's are taken, checked and kept, as text and as it was given. Those that
//! [act](ConfigDef::acts) make up the [`LogConfig`] of the topic's partitions.
//!
//! Source: `org.apache.kafka.storage.internals.log.LogConfig` and
//! `org.apache.kafka.common.config.ConfigDef`, Apache Kafka 4.4.0.

mod alter;
mod defs;
mod describe;
mod number;
mod value;

use std::collections::BTreeMap;

pub(crate) use alter::check_request;
pub use alter::{AlterConfigOp, ConfigOp};
pub use defs::{CONFIG_DEFS, ConfigDef, config_def};
pub use describe::{ConfigEntry, ConfigSource};
pub(crate) use value::read as read_config;
pub use value::{ConfigType, ConfigValue, Rule};

use crate::error::{Error, Result};
use crate::log::{BrokerCompression, CleanupPolicy, Compression, LogConfig, Ratio, TimestampType};

/// The configs of one topic: what was set, as it was given, and what follows from it.
///
/// ```
/// use loglanes::topic::TopicConfig;
///
/// let config = TopicConfig::parse([("retention.ms", "+5"), ("flush.ms", "9")]).unwrap();
/// assert_eq!(config.log().retention_ms, 5);
/// assert_eq!(config.given()["retention.ms"], "+5");
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
    /// Reads configs given as text, as `kafka-topics --config name=value` does.
    ///
    /// # Errors
    ///
    /// `INVALID_CONFIG` (40) in Kafka's words: an unknown name before any bad value, bad values
    /// in the order of [`CONFIG_DEFS`], then values that do not go together.
    pub fn parse<N, V>(given: impl IntoIterator<Item = (N, V)>) -> Result<Self>
    where
        N: Into<String>,
        V: Into<String>,
    {
        let given: BTreeMap<String, String> =
            given.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        if let Some(name) = given.keys().find(|name| config_def(name).is_none()) {
            return Err(value::invalid(format!("Unknown topic config name: {name}")));
        }
        let mut log = LogConfig::default();
        let mut segment_bytes = None;
        for def in &CONFIG_DEFS {
            let Some(text) = given.get(def.name) else { continue };
            let value = value::read(def.name, def.kind, def.rule, text)?;
            if def.name == "internal.segment.bytes" {
                segment_bytes = Some(int(&value));
            } else {
                set(&mut log, def.name, &value);
            }
        }
        // It stands over segment.bytes.
        log.segment_bytes = segment_bytes.unwrap_or(log.segment_bytes);
        check_lags(&log)?;
        let remote = config_def("remote.storage.enable").zip(given.get("remote.storage.enable"));
        if let Some((def, text)) = remote
            && value::read(def.name, def.kind, def.rule, text)? == ConfigValue::Boolean(true)
        {
            return Err(value::invalid(
                "Tiered Storage functionality is disabled in the broker. Topic cannot be \
                 configured with remote log storage."
                    .to_owned(),
            ));
        }
        Ok(Self { given, log })
    }

    /// What was set, by name, as it was given.
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

/// Source: `LogConfig.validateValues`.
fn check_lags(log: &LogConfig) -> Result<(), Error> {
    let (least, most) = (log.min_compaction_lag_ms, log.max_compaction_lag_ms);
    if least <= most {
        return Ok(());
    }
    Err(value::invalid(format!(
        "conflict topic config setting min.compaction.lag.ms ({least}) > max.compaction.lag.ms \
         ({most})"
    )))
}

/// Takes over a value that was read and checked.
fn set(log: &mut LogConfig, name: &str, value: &ConfigValue) {
    match name {
        "cleanup.policy" => log.cleanup_policy = policy(value),
        "compression.gzip.level" => log.compression_gzip_level = int(value),
        "compression.type" => log.compression_type = compression(value),
        "delete.retention.ms" => log.delete_retention_ms = long(value),
        "index.interval.bytes" => log.index_interval_bytes = int(value),
        "max.compaction.lag.ms" => log.max_compaction_lag_ms = long(value),
        "max.decompressed.message.bytes" => log.max_decompressed_message_bytes = int(value),
        "max.message.bytes" => log.max_message_bytes = int(value),
        "message.timestamp.after.max.ms" => log.message_timestamp_after_max_ms = long(value),
        "message.timestamp.before.max.ms" => log.message_timestamp_before_max_ms = long(value),
        "message.timestamp.type" => log.message_timestamp_type = timestamp_type(value),
        "min.cleanable.dirty.ratio" => log.min_cleanable_dirty_ratio = ratio(value),
        "min.compaction.lag.ms" => log.min_compaction_lag_ms = long(value),
        "retention.bytes" => log.retention_bytes = long(value),
        "retention.ms" => log.retention_ms = long(value),
        "segment.bytes" => log.segment_bytes = int(value),
        "segment.index.bytes" => log.segment_index_bytes = int(value),
        "segment.ms" => log.segment_ms = long(value),
        _ => {}
    }
}

fn long(value: &ConfigValue) -> i64 {
    if let ConfigValue::Whole(number) = value { *number } else { 0 }
}

fn int(value: &ConfigValue) -> i32 {
    i32::try_from(long(value)).unwrap_or(i32::MAX)
}

fn ratio(value: &ConfigValue) -> Ratio {
    Ratio::new(if let ConfigValue::Double(number) = value { *number } else { 0.0 })
}

fn policy(value: &ConfigValue) -> CleanupPolicy {
    let has = |policy: &str| match value {
        ConfigValue::List(policies) => policies.iter().any(|one| one == policy),
        _ => false,
    };
    CleanupPolicy { delete: has("delete"), compact: has("compact") }
}

fn compression(value: &ConfigValue) -> BrokerCompression {
    match value {
        ConfigValue::Text(text) if text == "uncompressed" => {
            BrokerCompression::Codec(Compression::None)
        }
        ConfigValue::Text(text) => Compression::from_name(text)
            .map_or(BrokerCompression::Producer, BrokerCompression::Codec),
        _ => BrokerCompression::Producer,
    }
}

fn timestamp_type(value: &ConfigValue) -> TimestampType {
    match value {
        ConfigValue::Text(text) if text == "LogAppendTime" => TimestampType::LogAppendTime,
        _ => TimestampType::CreateTime,
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
    fn every_default_is_what_an_empty_config_goes_by() {
        let none = TopicConfig::parse::<&str, &str>([]).unwrap();
        let all = CONFIG_DEFS.iter().filter_map(|def| Some((def.name, def.default?)));
        assert_eq!(TopicConfig::parse(all).unwrap().log(), none.log());
        assert_eq!(none.log(), &LogConfig::default());
    }
}
