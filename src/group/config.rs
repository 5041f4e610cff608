//! How a consumer is set up when it starts.

use serde::{Deserialize, Serialize};

use super::assignor::Assignor;
use super::{
    GroupProtocol, MAX_PARTITION_FETCH_BYTES, MAX_POLL_RECORDS, OffsetReset, SESSION_TIMEOUT_MS,
    TopicPattern,
};
use crate::log::IsolationLevel;

/// `auto.commit.interval.ms` unless a consumer sets another. Source: `ConsumerConfig`.
pub const AUTO_COMMIT_INTERVAL_MS: i32 = 5_000;

/// `heartbeat.interval.ms` unless a consumer sets another. Source: `ConsumerConfig`.
pub const HEARTBEAT_INTERVAL_MS: i32 = 3_000;

/// `max.poll.interval.ms` unless a consumer sets another. Source: `ConsumerConfig`.
pub const MAX_POLL_INTERVAL_MS: i32 = 300_000;

/// The settings of a consumer, under Kafka's names where they are configs.
///
/// ```
/// use loglanes::group::{ConsumerConfig, assignor::Assignor};
///
/// let config = ConsumerConfig::default();
/// assert_eq!(config.assignors, [Assignor::Range, Assignor::CooperativeSticky]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConsumerConfig {
    /// The topics it subscribes to; of one that subscribes by pattern, those that it matches.
    #[serde(default)]
    pub topics: Vec<String>,
    /// The pattern that it subscribes to in place of topics.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<TopicPattern>,
    /// Where it starts without a usable committed offset.
    #[serde(default)]
    pub auto_offset_reset: OffsetReset,
    /// `group.protocol`.
    #[serde(default, skip_serializing_if = "GroupProtocol::is_classic")]
    pub protocol: GroupProtocol,
    /// `group.remote.assignor`: which of the broker's assignors it asks for; with the consumer
    /// protocol alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote_assignor: Option<String>,
    /// `partition.assignment.strategy`, the first choice first; with the classic protocol alone.
    #[serde(default = "default_assignors", skip_serializing_if = "is_default_assignors")]
    pub assignors: Vec<Assignor>,
    /// `group.instance.id`: makes it a static member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance_id: Option<String>,
    /// `enable.auto.commit`. On in Kafka unless turned off; off here unless turned on, so that each
    /// commit is an act that can be seen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub auto_commit: bool,
    /// `auto.commit.interval.ms`: how much later than the last time a poll commits; at least 0.
    #[serde(default = "default_auto_commit", skip_serializing_if = "is_default_auto_commit")]
    pub auto_commit_interval_ms: i32,
    /// `session.timeout.ms`: how long the coordinator waits for a silent member. None: Kafka's
    /// default, [`SESSION_TIMEOUT_MS`]. With the classic protocol alone; the broker takes 6 seconds
    /// to 30 minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_timeout_ms: Option<i32>,
    /// `heartbeat.interval.ms`, below the session timeout. None: Kafka's default,
    /// [`HEARTBEAT_INTERVAL_MS`]. With the classic protocol alone. Here it is checked and kept: no
    /// rebalance waits for a heartbeat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heartbeat_interval_ms: Option<i32>,
    /// `max.poll.interval.ms`: a member that does not poll for so long drops out; at least 1. None:
    /// the clock puts nobody out, else a page that is only looked at would lose its members after
    /// Kafka's 5 minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_poll_interval_ms: Option<i32>,
    /// `max.poll.records`: the most records of a poll; at least 1.
    #[serde(default = "default_records", skip_serializing_if = "is_default_records")]
    pub max_poll_records: i32,
    /// `max.partition.fetch.bytes`: what one fetch brings of a partition, unless its first batch
    /// alone is larger.
    #[serde(default = "default_fetch", skip_serializing_if = "is_default_fetch")]
    pub max_partition_fetch_bytes: i32,
    /// `isolation.level`: whether it is given records of transactions that are open or aborted.
    #[serde(default, skip_serializing_if = "IsolationLevel::is_default")]
    pub isolation_level: IsolationLevel,
}

impl ConsumerConfig {
    /// Whether it keeps what it owns while it rejoins. In the classic protocol it does where all
    /// of its assignors can: a consumer uses the best rebalance protocol that they have in common.
    /// Source: `ConsumerCoordinator`.
    #[must_use]
    pub fn is_cooperative(&self) -> bool {
        self.protocol == GroupProtocol::Consumer
            || self.assignors.iter().all(|assignor| assignor.is_cooperative())
    }

    /// How long the coordinator waits for it when it is silent, in milliseconds: its
    /// `session.timeout.ms`; with the consumer protocol the broker's
    /// `group.consumer.session.timeout.ms`, which has the same default.
    ///
    /// ```
    /// use loglanes::group::ConsumerConfig;
    ///
    /// let config = ConsumerConfig { session_timeout_ms: Some(6_000), ..ConsumerConfig::default() };
    /// assert_eq!(config.session_timeout(), 6_000);
    /// assert_eq!(ConsumerConfig::default().session_timeout(), 45_000);
    /// ```
    #[must_use]
    pub fn session_timeout(&self) -> i64 {
        self.session_timeout_ms.map_or(SESSION_TIMEOUT_MS, i64::from)
    }
}

impl Default for ConsumerConfig {
    fn default() -> Self {
        Self {
            topics: Vec::new(),
            pattern: None,
            auto_offset_reset: OffsetReset::default(),
            protocol: GroupProtocol::default(),
            remote_assignor: None,
            assignors: default_assignors(),
            instance_id: None,
            auto_commit: false,
            auto_commit_interval_ms: AUTO_COMMIT_INTERVAL_MS,
            session_timeout_ms: None,
            heartbeat_interval_ms: None,
            max_poll_interval_ms: None,
            max_poll_records: MAX_POLL_RECORDS,
            max_partition_fetch_bytes: MAX_PARTITION_FETCH_BYTES,
            isolation_level: IsolationLevel::default(),
        }
    }
}

fn default_fetch() -> i32 {
    MAX_PARTITION_FETCH_BYTES
}

fn is_default_fetch(bytes: &i32) -> bool {
    *bytes == MAX_PARTITION_FETCH_BYTES
}

fn default_auto_commit() -> i32 {
    AUTO_COMMIT_INTERVAL_MS
}

fn is_default_auto_commit(ms: &i32) -> bool {
    *ms == AUTO_COMMIT_INTERVAL_MS
}

fn default_records() -> i32 {
    MAX_POLL_RECORDS
}

fn is_default_records(records: &i32) -> bool {
    *records == MAX_POLL_RECORDS
}

fn default_assignors() -> Vec<Assignor> {
    Assignor::DEFAULT.to_vec()
}

fn is_default_assignors(assignors: &[Assignor]) -> bool {
    assignors == Assignor::DEFAULT
}
