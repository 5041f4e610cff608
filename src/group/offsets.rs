//! Naming a partition and a place in it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::duration;
use crate::error::{Error, Result};

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
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PartitionOffset {
    /// The topic's name.
    pub topic: String,
    /// The partition's number, from 0.
    pub partition: i32,
    /// The next offset to read.
    pub offset: i64,
    /// A text that is kept beside it when it is committed, at most
    /// [`MAX_OFFSET_METADATA`](super::MAX_OFFSET_METADATA) characters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub metadata: String,
    /// The epoch of the leader that the record before it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leader_epoch: Option<i32>,
}

impl PartitionOffset {
    /// An offset with nothing beside it.
    ///
    /// ```
    /// use loglanes::group::PartitionOffset;
    ///
    /// let place = PartitionOffset::new("orders", 3, 17);
    /// assert_eq!(place.topic_partition().to_string(), "orders-3");
    /// ```
    #[must_use]
    pub fn new(topic: &str, partition: i32, offset: i64) -> Self {
        Self { topic: topic.to_owned(), partition, offset, ..Self::default() }
    }

    /// The partition it is an offset of.
    #[must_use]
    pub fn topic_partition(&self) -> TopicPartition {
        TopicPartition::new(&self.topic, self.partition)
    }
}

/// Where a consumer starts without a usable committed offset: `auto.offset.reset`.
///
/// ```
/// use loglanes::group::OffsetReset;
///
/// let reset: OffsetReset = "by_duration:PT1H".parse()?;
/// assert_eq!(reset, OffsetReset::ByDuration(3_600_000));
/// # Ok::<(), loglanes::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum OffsetReset {
    /// At the log start offset.
    Earliest,
    /// At the high watermark: only what comes from now on. Kafka's default.
    #[default]
    Latest,
    /// Nowhere: the consumer gets an exception.
    None,
    /// At the first record that is no older than so many milliseconds. Where there is none there
    /// is no position, and the question is asked again later.
    ByDuration(i64),
}

impl fmt::Display for OffsetReset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Earliest => f.write_str("earliest"),
            Self::Latest => f.write_str("latest"),
            Self::None => f.write_str("none"),
            Self::ByDuration(ms) => write!(f, "by_duration:{}", duration::print_ms(*ms)),
        }
    }
}

impl From<OffsetReset> for String {
    fn from(reset: OffsetReset) -> Self {
        reset.to_string()
    }
}

impl TryFrom<String> for OffsetReset {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl FromStr for OffsetReset {
    type Err = Error;

    /// Source: `AutoOffsetResetStrategy.fromString`.
    fn from_str(text: &str) -> Result<Self> {
        match text {
            "earliest" => return Ok(Self::Earliest),
            "latest" => return Ok(Self::Latest),
            "none" => return Ok(Self::None),
            _ => {}
        }
        let ms = text.strip_prefix("by_duration:").and_then(duration::parse_ms);
        ms.filter(|&ms| ms >= 0).map(Self::ByDuration).ok_or_else(|| {
            Error::client(
                "ConfigException",
                format!(
                    "Invalid value {text} for configuration auto.offset.reset: Invalid value \
                     `{text}` for configuration auto.offset.reset. The value must be either \
                     'earliest', 'latest', 'none' or of the format 'by_duration:<PnDTnHnMn.nS.>'."
                ),
            )
            .with_hint(
                "A duration is written PT1H for an hour, P7D for a week; it is not negative.",
            )
        })
    }
}

/// JSON has no maps with keys that are not text.
pub(super) mod as_list {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::TopicPartition;

    pub(in crate::group) fn serialize<V: Serialize, S: Serializer>(
        entries: &BTreeMap<TopicPartition, V>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(entries)
    }

    pub(in crate::group) fn deserialize<'de, V: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<TopicPartition, V>, D::Error> {
        Ok(Vec::<(TopicPartition, V)>::deserialize(deserializer)?.into_iter().collect())
    }
}
