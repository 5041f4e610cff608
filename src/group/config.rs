//! How a consumer is set up when it starts.

use serde::{Deserialize, Serialize};

use super::assignor::Assignor;
use super::{GroupProtocol, MAX_PARTITION_FETCH_BYTES, OffsetReset};
use crate::log::IsolationLevel;

/// `auto.commit.interval.ms`. Source: `ConsumerConfig`.
pub const AUTO_COMMIT_INTERVAL_MS: i64 = 5_000;

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
    /// The topics it subscribes to.
    pub topics: Vec<String>,
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
}

impl Default for ConsumerConfig {
    fn default() -> Self {
        Self {
            topics: Vec::new(),
            auto_offset_reset: OffsetReset::default(),
            protocol: GroupProtocol::default(),
            remote_assignor: None,
            assignors: default_assignors(),
            instance_id: None,
            auto_commit: false,
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

fn default_assignors() -> Vec<Assignor> {
    Assignor::DEFAULT.to_vec()
}

fn is_default_assignors(assignors: &[Assignor]) -> bool {
    assignors == Assignor::DEFAULT
}
