//! Naming a partition and a place in it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A partition of a topic; printed as Kafka prints it, `orders-3`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TopicPartition {
    /// The topic's name.
    pub topic: String,
    /// The partition's number, from 0.
    pub partition: i32,
}

impl TopicPartition {
    /// ```
    /// use loglanes::group::TopicPartition;
    ///
    /// assert_eq!(TopicPartition::new("orders", 3).to_string(), "orders-3");
    /// ```
    #[must_use]
    pub fn new(topic: &str, partition: i32) -> Self {
        Self { topic: topic.to_owned(), partition }
    }
}

impl fmt::Display for TopicPartition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.topic, self.partition)
    }
}

/// An offset of a partition: always the next one to read, never the last one read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartitionOffset {
    /// The topic's name.
    pub topic: String,
    /// The partition's number, from 0.
    pub partition: i32,
    /// The next offset to read.
    pub offset: i64,
}

impl PartitionOffset {
    /// The partition it is an offset of.
    #[must_use]
    pub fn topic_partition(&self) -> TopicPartition {
        TopicPartition::new(&self.topic, self.partition)
    }
}

/// Where a consumer starts without a usable committed offset: `auto.offset.reset`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OffsetReset {
    /// At the log start offset.
    Earliest,
    /// At the high watermark: only what comes from now on. Kafka's default.
    #[default]
    Latest,
    /// Nowhere: the consumer gets an exception.
    None,
}

impl fmt::Display for OffsetReset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Earliest => "earliest",
            Self::Latest => "latest",
            Self::None => "none",
        })
    }
}

/// JSON has no maps with keys that are not text.
pub(super) mod as_list {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serializer};

    use super::TopicPartition;

    pub(in crate::group) fn serialize<S: Serializer>(
        offsets: &BTreeMap<TopicPartition, i64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(offsets)
    }

    pub(in crate::group) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<TopicPartition, i64>, D::Error> {
        Ok(Vec::<(TopicPartition, i64)>::deserialize(deserializer)?.into_iter().collect())
    }
}
