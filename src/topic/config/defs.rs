//! Every topic config of Kafka 4.4.0: type, default, range, and whether Loglanes acts on it.
//!
//! In the order in which Kafka defines them, which is the order in which it checks their values.
//! Source: `org.apache.kafka.storage.internals.log.LogConfig`, Apache Kafka 4.4.0, and what a
//! broker of that version describes.

use super::value::{ConfigType, Rule};

/// What Kafka knows of one topic config.
///
/// ```
/// use loglanes::topic::{ConfigType, config_def};
///
/// let retention = config_def("retention.ms").unwrap();
/// assert_eq!((retention.kind, retention.default), (ConfigType::Long, Some("604800000")));
/// assert_eq!(retention.rule.to_string(), "[-1,...]");
/// assert!(retention.acts);
/// assert!(config_def("log.retention.ms").is_none());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConfigDef {
    /// Its name.
    pub name: &'static str,
    /// What kind of value it has.
    pub kind: ConfigType,
    /// The value where none is set; none: there is no value then.
    pub default: Option<&'static str>,
    /// Which values are allowed.
    pub rule: Rule,
    /// Whether it changes what this model does. The others are kept and described, no more.
    pub acts: bool,
    /// Its place in a description, from 0; none: it is only described where it was set.
    pub position: Option<usize>,
    /// The broker's configs that stand in for it where it is not set, the first one first, each
    /// with its unit if that is another one.
    pub synonyms: &'static [(&'static str, &'static str)],
}

/// The config of that name.
#[must_use]
pub fn config_def(name: &str) -> Option<&'static ConfigDef> {
    CONFIG_DEFS.iter().find(|def| def.name == name)
}

/// All of them, in the order in which Kafka checks them. `internal.segment.bytes` is for Kafka's
/// own tests; it may be set like any other.
pub const CONFIG_DEFS: [ConfigDef; 38] = [
    ConfigDef {
        name: "segment.bytes",
        kind: ConfigType::Int,
        default: Some("1073741824"),
        rule: Rule::AtLeast(1_048_576),
        acts: true,
        position: Some(14),
        synonyms: &[("log.segment.bytes", "same")],
    },
    ConfigDef {
        name: "segment.ms",
        kind: ConfigType::Long,
        default: Some("604800000"),
        rule: Rule::AtLeast(1),
        acts: true,
        position: Some(35),
        synonyms: &[("log.roll.ms", "same"), ("log.roll.hours", "hours")],
    },
    ConfigDef {
        name: "segment.jitter.ms",
        kind: ConfigType::Long,
        default: Some("0"),
        rule: Rule::AtLeast(0),
        acts: false,
        position: Some(7),
        synonyms: &[("log.roll.jitter.ms", "same"), ("log.roll.jitter.hours", "hours")],
    },
    ConfigDef {
        name: "segment.index.bytes",
        kind: ConfigType::Int,
        default: Some("10485760"),
        rule: Rule::AtLeast(4),
        acts: true,
        position: Some(36),
        synonyms: &[("log.index.size.max.bytes", "same")],
    },
    ConfigDef {
        name: "flush.messages",
        kind: ConfigType::Long,
        default: Some("9223372036854775807"),
        rule: Rule::AtLeast(1),
        acts: false,
        position: Some(18),
        synonyms: &[("log.flush.interval.messages", "same")],
    },
    ConfigDef {
        name: "flush.ms",
        kind: ConfigType::Long,
        default: Some("9223372036854775807"),
        rule: Rule::AtLeast(0),
        acts: false,
        position: Some(11),
        synonyms: &[("log.flush.interval.ms", "same"), ("log.flush.scheduler.interval.ms", "same")],
    },
    ConfigDef {
        name: "retention.bytes",
        kind: ConfigType::Long,
        default: Some("-1"),
        rule: Rule::Any,
        acts: true,
        position: Some(30),
        synonyms: &[("log.retention.bytes", "same")],
    },
    ConfigDef {
        name: "retention.ms",
        kind: ConfigType::Long,
        default: Some("604800000"),
        rule: Rule::AtLeast(-1),
        acts: true,
        position: Some(15),
        synonyms: &[
            ("log.retention.ms", "same"),
            ("log.retention.minutes", "minutes"),
            ("log.retention.hours", "hours"),
        ],
    },
    ConfigDef {
        name: "max.message.bytes",
        kind: ConfigType::Int,
        default: Some("1048588"),
        rule: Rule::AtLeast(0),
        acts: true,
        position: Some(22),
        synonyms: &[("message.max.bytes", "same")],
    },
    ConfigDef {
        name: "index.interval.bytes",
        kind: ConfigType::Int,
        default: Some("4096"),
        rule: Rule::AtLeast(0),
        acts: true,
        position: Some(27),
        synonyms: &[("log.index.interval.bytes", "same")],
    },
    ConfigDef {
        name: "delete.retention.ms",
        kind: ConfigType::Long,
        default: Some("86400000"),
        rule: Rule::AtLeast(0),
        acts: true,
        position: Some(31),
        synonyms: &[("log.cleaner.delete.retention.ms", "same")],
    },
    ConfigDef {
        name: "min.compaction.lag.ms",
        kind: ConfigType::Long,
        default: Some("0"),
        rule: Rule::AtLeast(0),
        acts: true,
        position: Some(23),
        synonyms: &[("log.cleaner.min.compaction.lag.ms", "same")],
    },
    ConfigDef {
        name: "max.compaction.lag.ms",
        kind: ConfigType::Long,
        default: Some("9223372036854775807"),
        rule: Rule::AtLeast(1),
        acts: true,
        position: Some(20),
        synonyms: &[("log.cleaner.max.compaction.lag.ms", "same")],
    },
    ConfigDef {
        name: "file.delete.delay.ms",
        kind: ConfigType::Long,
        default: Some("60000"),
        rule: Rule::AtLeast(0),
        acts: false,
        position: Some(21),
        synonyms: &[("log.segment.delete.delay.ms", "same")],
    },
    ConfigDef {
        name: "min.cleanable.dirty.ratio",
        kind: ConfigType::Double,
        default: Some("0.5"),
        rule: Rule::Between(0, 1),
        acts: true,
        position: Some(28),
        synonyms: &[("log.cleaner.min.cleanable.ratio", "same")],
    },
    ConfigDef {
        name: "cleanup.policy",
        kind: ConfigType::List,
        default: Some("delete"),
        rule: Rule::OneOf(&["compact", "delete"]),
        acts: true,
        position: Some(10),
        synonyms: &[("log.cleanup.policy", "same")],
    },
    ConfigDef {
        name: "unclean.leader.election.enable",
        kind: ConfigType::Boolean,
        default: Some("false"),
        rule: Rule::Any,
        acts: false,
        position: Some(29),
        synonyms: &[("unclean.leader.election.enable", "same")],
    },
    ConfigDef {
        name: "min.insync.replicas",
        kind: ConfigType::Int,
        default: Some("1"),
        rule: Rule::AtLeast(1),
        acts: false,
        position: Some(6),
        synonyms: &[("min.insync.replicas", "same")],
    },
    ConfigDef {
        name: "compression.type",
        kind: ConfigType::String,
        default: Some("producer"),
        rule: Rule::OneOf(&["uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"]),
        acts: true,
        position: Some(0),
        synonyms: &[("compression.type", "same")],
    },
    ConfigDef {
        name: "compression.gzip.level",
        kind: ConfigType::Int,
        default: Some("-1"),
        rule: Rule::BetweenOr(1, 9, -1),
        acts: true,
        position: Some(16),
        synonyms: &[("compression.gzip.level", "same")],
    },
    ConfigDef {
        name: "compression.lz4.level",
        kind: ConfigType::Int,
        default: Some("9"),
        rule: Rule::Between(1, 17),
        acts: false,
        position: Some(13),
        synonyms: &[("compression.lz4.level", "same")],
    },
    ConfigDef {
        name: "compression.zstd.level",
        kind: ConfigType::Int,
        default: Some("3"),
        rule: Rule::Between(-131_072, 22),
        acts: false,
        position: Some(19),
        synonyms: &[("compression.zstd.level", "same")],
    },
    ConfigDef {
        name: "preallocate",
        kind: ConfigType::Boolean,
        default: Some("false"),
        rule: Rule::Any,
        acts: false,
        position: Some(26),
        synonyms: &[("log.preallocate", "same")],
    },
    ConfigDef {
        name: "message.timestamp.type",
        kind: ConfigType::String,
        default: Some("CreateTime"),
        rule: Rule::OneOf(&["CreateTime", "LogAppendTime"]),
        acts: true,
        position: Some(24),
        synonyms: &[("log.message.timestamp.type", "same")],
    },
    ConfigDef {
        name: "message.timestamp.before.max.ms",
        kind: ConfigType::Long,
        default: Some("9223372036854775807"),
        rule: Rule::AtLeast(0),
        acts: true,
        position: Some(34),
        synonyms: &[("log.message.timestamp.before.max.ms", "same")],
    },
    ConfigDef {
        name: "message.timestamp.after.max.ms",
        kind: ConfigType::Long,
        default: Some("3600000"),
        rule: Rule::AtLeast(0),
        acts: true,
        position: Some(32),
        synonyms: &[("log.message.timestamp.after.max.ms", "same")],
    },
    ConfigDef {
        name: "leader.replication.throttled.replicas",
        kind: ConfigType::List,
        default: Some(""),
        rule: Rule::Replicas,
        acts: false,
        position: Some(4),
        synonyms: &[],
    },
    ConfigDef {
        name: "follower.replication.throttled.replicas",
        kind: ConfigType::List,
        default: Some(""),
        rule: Rule::Replicas,
        acts: false,
        position: Some(12),
        synonyms: &[],
    },
    ConfigDef {
        name: "remote.storage.enable",
        kind: ConfigType::Boolean,
        default: Some("false"),
        rule: Rule::Any,
        acts: false,
        position: Some(5),
        synonyms: &[],
    },
    ConfigDef {
        name: "local.retention.ms",
        kind: ConfigType::Long,
        default: Some("-2"),
        rule: Rule::AtLeast(-2),
        acts: false,
        position: Some(9),
        synonyms: &[("log.local.retention.ms", "same")],
    },
    ConfigDef {
        name: "local.retention.bytes",
        kind: ConfigType::Long,
        default: Some("-2"),
        rule: Rule::AtLeast(-2),
        acts: false,
        position: Some(25),
        synonyms: &[("log.local.retention.bytes", "same")],
    },
    ConfigDef {
        name: "remote.log.copy.disable",
        kind: ConfigType::Boolean,
        default: Some("false"),
        rule: Rule::Any,
        acts: false,
        position: Some(8),
        synonyms: &[],
    },
    ConfigDef {
        name: "remote.copy.lag.ms",
        kind: ConfigType::Long,
        default: Some("0"),
        rule: Rule::AtLeast(-1),
        acts: false,
        position: Some(17),
        synonyms: &[("log.remote.copy.lag.ms", "same")],
    },
    ConfigDef {
        name: "remote.copy.lag.bytes",
        kind: ConfigType::Long,
        default: Some("-1"),
        rule: Rule::AtLeast(-1),
        acts: false,
        position: Some(2),
        synonyms: &[("log.remote.copy.lag.bytes", "same")],
    },
    ConfigDef {
        name: "remote.log.delete.on.disable",
        kind: ConfigType::Boolean,
        default: Some("false"),
        rule: Rule::Any,
        acts: false,
        position: Some(3),
        synonyms: &[],
    },
    ConfigDef {
        name: "errors.deadletterqueue.group.enable",
        kind: ConfigType::Boolean,
        default: Some("false"),
        rule: Rule::Any,
        acts: false,
        position: Some(1),
        synonyms: &[],
    },
    ConfigDef {
        name: "max.decompressed.message.bytes",
        kind: ConfigType::Int,
        default: Some("2147483639"),
        rule: Rule::Between(1, 2_147_483_639),
        acts: true,
        position: Some(33),
        synonyms: &[("max.decompressed.message.bytes", "same")],
    },
    ConfigDef {
        name: "internal.segment.bytes",
        kind: ConfigType::Int,
        default: None,
        rule: Rule::Any,
        acts: true,
        position: None,
        synonyms: &[],
    },
];
