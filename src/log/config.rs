//! The settings of a topic that its log obeys, named as Kafka names them.

use super::batch::TimestampType;

/// Topic settings, each with Kafka's name (dots as underscores) and unit; the default is
/// Kafka's. Source: `org.apache.kafka.storage.internals.log.LogConfig`.
///
/// Values are taken as they are: whether one is allowed is for whoever takes it from the user.
///
/// ```
/// use loglanes::log::LogConfig;
/// let config = LogConfig { segment_bytes: 1_048_576, ..LogConfig::default() };
/// assert_eq!(config.segment_ms, 7 * 24 * 60 * 60 * 1000);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogConfig {
    /// `segment.bytes`: a segment rolls rather than pass this; 1 GiB.
    pub segment_bytes: i32,
    /// `segment.ms`: a segment rolls when timestamps pass its first by more; 7 days.
    pub segment_ms: i64,
    /// `segment.index.bytes`: a segment rolls when an index is full; 10 MiB.
    pub segment_index_bytes: i32,
    /// `index.interval.bytes`: how far apart index entries are; 4096.
    pub index_interval_bytes: i32,
    /// `max.message.bytes`: the largest batch, header included; 1 MiB and 12 bytes.
    pub max_message_bytes: i32,
    /// `message.timestamp.type`: who sets timestamps; the producer.
    pub message_timestamp_type: TimestampType,
    /// `message.timestamp.before.max.ms`: how far a timestamp may lie in the past; no limit.
    pub message_timestamp_before_max_ms: i64,
    /// `message.timestamp.after.max.ms`: how far in the future; one hour.
    pub message_timestamp_after_max_ms: i64,
}

impl Default for LogConfig {
    fn default() -> Self {
        Self {
            segment_bytes: 1 << 30,
            segment_ms: 604_800_000,
            segment_index_bytes: 10_485_760,
            index_interval_bytes: 4096,
            max_message_bytes: 1_048_588,
            message_timestamp_type: TimestampType::CreateTime,
            message_timestamp_before_max_ms: i64::MAX,
            message_timestamp_after_max_ms: 3_600_000,
        }
    }
}
