//! The settings of a topic that its log obeys, named as Kafka names them.

use super::batch::{Compression, TimestampType};

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
    /// `max.decompressed.message.bytes`: the largest record of a compressed batch, without the
    /// varint that says how long it is; 2 GiB less 9 bytes.
    pub max_decompressed_message_bytes: i32,
    /// `message.timestamp.type`: who sets timestamps; the producer.
    pub message_timestamp_type: TimestampType,
    /// `message.timestamp.before.max.ms`: how far a timestamp may lie in the past; no limit.
    pub message_timestamp_before_max_ms: i64,
    /// `message.timestamp.after.max.ms`: how far in the future; one hour.
    pub message_timestamp_after_max_ms: i64,
    /// `compression.type`: how batches are stored; as the producer sent them.
    pub compression_type: BrokerCompression,
    /// `compression.gzip.level`; -1 is zlib's own default. The other codecs have one level here.
    pub compression_gzip_level: i32,
    /// `cleanup.policy`: what becomes of old segments; delete.
    pub cleanup_policy: CleanupPolicy,
    /// `retention.ms`: a segment whose greatest timestamp is older than this goes; 7 days.
    /// Negative: none does.
    pub retention_ms: i64,
    /// `retention.bytes`: old segments go while this much is left; -1. Negative: none does.
    pub retention_bytes: i64,
    /// `delete.retention.ms`: how long a tombstone stays after the first pass; 24 hours.
    pub delete_retention_ms: i64,
    /// `min.compaction.lag.ms`: how long a record is left alone by the cleaner; 0.
    pub min_compaction_lag_ms: i64,
    /// `max.compaction.lag.ms`: after how long it is cleaned whatever the ratio; no limit.
    pub max_compaction_lag_ms: i64,
    /// `min.cleanable.dirty.ratio`: the log is cleaned when more than this is dirty; 0.5.
    pub min_cleanable_dirty_ratio: Ratio,
}

/// `compression.type` of a topic. Source: `BrokerCompressionType`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrokerCompression {
    /// `producer`: a batch stays as it was sent.
    Producer,
    /// Every batch is stored in that codec, `uncompressed` or packed, and packed anew where it
    /// came in another.
    Codec(Compression),
}

impl BrokerCompression {
    /// The codec that a batch is stored in, from the one that it was sent in.
    #[must_use]
    pub const fn target(self, source: Compression) -> Compression {
        match self {
            Self::Producer => source,
            Self::Codec(codec) => codec,
        }
    }
}

/// `cleanup.policy`. Both, one or none: without any, nothing is ever deleted for its age or size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CleanupPolicy {
    /// Segments go when they are old or the log is large.
    pub delete: bool,
    /// Of each key the last record stays.
    pub compact: bool,
}

/// A floating-point number that equals itself even if it is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ratio(u64);

impl Ratio {
    /// The ratio of that number.
    #[must_use]
    pub const fn new(number: f64) -> Self {
        Self(number.to_bits())
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> f64 {
        f64::from_bits(self.0)
    }
}

impl LogConfig {
    /// When a segment rolls by time, in milliseconds: in a compacted topic the lesser of
    /// `segment.ms` and `max.compaction.lag.ms`. Source: `LogConfig.maxSegmentMs`.
    #[must_use]
    pub fn max_segment_ms(&self) -> i64 {
        if self.cleanup_policy.compact && self.max_compaction_lag_ms > 0 {
            self.segment_ms.min(self.max_compaction_lag_ms)
        } else {
            self.segment_ms
        }
    }
}

impl Default for LogConfig {
    fn default() -> Self {
        Self {
            segment_bytes: 1 << 30,
            segment_ms: 604_800_000,
            segment_index_bytes: 10_485_760,
            index_interval_bytes: 4096,
            max_message_bytes: 1_048_588,
            max_decompressed_message_bytes: 2_147_483_639,
            message_timestamp_type: TimestampType::CreateTime,
            message_timestamp_before_max_ms: i64::MAX,
            message_timestamp_after_max_ms: 3_600_000,
            compression_type: BrokerCompression::Producer,
            compression_gzip_level: -1,
            cleanup_policy: CleanupPolicy { delete: true, compact: false },
            retention_ms: 604_800_000,
            retention_bytes: -1,
            delete_retention_ms: 86_400_000,
            min_compaction_lag_ms: 0,
            max_compaction_lag_ms: i64::MAX,
            min_cleanable_dirty_ratio: Ratio::new(0.5),
        }
    }
}
