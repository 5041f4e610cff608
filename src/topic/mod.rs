//! A topic: a name, its configs, and its partitions, each with the brokers that hold it.

mod assignment;
mod config;
mod name;

pub use assignment::ReplicaAssignment;
pub(crate) use assignment::{check_row, check_rows, refusal as bad_assignment};
pub use config::{
    AlterConfigOp, CONFIG_DEFS, ConfigDef, ConfigEntry, ConfigOp, ConfigSource, ConfigType,
    ConfigValue, Rule, TopicConfig, config_def,
};
pub(crate) use config::{check_request, read_config};
pub use name::{INTERNAL_TOPICS, MAX_NAME_LENGTH, check_name, names_collide};
pub(crate) use name::{PRESENT_INTERNAL_TOPICS, illegal};

use crate::log::PartitionLog;

/// The most partitions one request may create or add: the controller takes at most 10,000
/// records in one operation. Source: `QuorumController.MAX_RECORDS_PER_USER_OP`.
pub const MAX_RECORDS_PER_REQUEST: i32 = 10_000;

/// A topic of the cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Topic {
    /// The id that tells a topic from an earlier one of the same name.
    pub id: TopicId,
    /// How many brokers hold each partition.
    pub replication_factor: i16,
    /// What was configured.
    pub config: TopicConfig,
    /// The partitions, by number from 0.
    pub partitions: Vec<Partition>,
}

/// One partition: its log, and the brokers that hold it.
#[derive(Debug, Clone, PartialEq)]
pub struct Partition {
    /// Broker ids, the leader first. All are in sync: no broker of this model fails.
    pub replicas: Vec<i32>,
    /// The records.
    pub log: PartitionLog,
}

impl Partition {
    /// The broker that producers and consumers speak to; the first replica.
    #[must_use]
    pub fn leader(&self) -> i32 {
        self.replicas.first().copied().unwrap_or(-1)
    }
}

impl Topic {
    /// The partition of that number, if the topic has it.
    ///
    /// ```
    /// # use loglanes::{Cluster, Command};
    /// let mut cluster = Cluster::new(1);
    /// cluster.apply(&Command::create_topic("orders", 3), 0).unwrap();
    /// let topic = cluster.topic("orders").unwrap();
    /// assert!(topic.partition(2).is_some());
    /// assert!(topic.partition(3).is_none());
    /// ```
    #[must_use]
    pub fn partition(&self, number: i32) -> Option<&Partition> {
        self.partitions.get(usize::try_from(number).ok()?)
    }

    /// As [`Topic::partition`], to append to.
    pub fn partition_mut(&mut self, number: i32) -> Option<&mut Partition> {
        self.partitions.get_mut(usize::try_from(number).ok()?)
    }

    /// How many partitions there are.
    #[must_use]
    pub fn partition_count(&self) -> i32 {
        i32::try_from(self.partitions.len()).unwrap_or(i32::MAX)
    }
}

/// Kafka's topic id: 16 bytes, printed as 22 characters of URL-safe base64.
/// Source: `org.apache.kafka.common.Uuid`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TopicId(pub [u8; 16]);

impl std::fmt::Display for TopicId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        use base64::Engine as _;
        f.write_str(&base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(self.0))
    }
}

impl std::str::FromStr for TopicId {
    type Err = crate::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        use base64::Engine as _;
        base64::engine::general_purpose::URL_SAFE_NO_PAD
            .decode(text)
            .ok()
            .and_then(|bytes| bytes.try_into().ok())
            .map(Self)
            .ok_or_else(|| {
                crate::Error::corrupt(format!("{text:?} is no topic id."))
                    .with_hint("A topic id is 22 characters of URL-safe base64.")
            })
    }
}
