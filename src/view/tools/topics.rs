//! `kafka-topics`. Source: `TopicCommand`.

use serde::Deserialize;

use crate::Cluster;
use crate::java;
use crate::topic::{ConfigSource, Partition, Topic};

/// `kafka-topics --list`: the names, sorted as Java sorts them; an empty line without any.
///
/// ```
/// use loglanes::view::tools::topic_list;
///
/// assert_eq!(topic_list(["b", "_a", "A"]), "A\n_a\nb\n");
/// assert_eq!(topic_list([]), "\n");
/// ```
#[must_use]
pub fn topic_list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_by(|a, b| a.encode_utf16().cmp(b.encode_utf16()));
    names.join("\n") + "\n"
}

/// Which lines `kafka-topics --describe` prints of a topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TopicRows {
    /// The topic's own and one of each partition.
    #[default]
    All,
    /// The same, for a topic that is asked for by its id (`--topic-id`): then the tool is not told which
    /// replicas are eligible to lead.
    ById,
    /// The topic's own, if it has configs of its own: `--topics-with-overrides`.
    WithOverrides,
    /// Partitions with a replica that is not in sync: `--under-replicated-partitions`.
    UnderReplicated,
    /// Partitions without a leader: `--unavailable-partitions`.
    Unavailable,
    /// Partitions with just as many replicas in sync as `min.insync.replicas`:
    /// `--at-min-isr-partitions`.
    AtMinIsr,
    /// Partitions with fewer: `--under-min-isr-partitions`.
    UnderMinIsr,
}

impl TopicRows {
    /// The tool's option; none where the topic is all it is told.
    #[must_use]
    pub const fn option(self) -> Option<&'static str> {
        match self {
            Self::All | Self::ById => None,
            Self::WithOverrides => Some("--topics-with-overrides"),
            Self::UnderReplicated => Some("--under-replicated-partitions"),
            Self::Unavailable => Some("--unavailable-partitions"),
            Self::AtMinIsr => Some("--at-min-isr-partitions"),
            Self::UnderMinIsr => Some("--under-min-isr-partitions"),
        }
    }

    const fn has_topic(self) -> bool {
        matches!(self, Self::All | Self::ById | Self::WithOverrides)
    }

    /// Whether a partition has a line. All of its replicas are in sync here, and one leads.
    fn has_partition(self, partition: &Partition, min_insync: usize) -> bool {
        match self {
            Self::All | Self::ById => true,
            Self::WithOverrides | Self::UnderReplicated | Self::Unavailable => false,
            Self::AtMinIsr => partition.replicas.len() == min_insync,
            Self::UnderMinIsr => partition.replicas.len() < min_insync,
        }
    }
}

/// `kafka-topics --describe` of the topics that are wanted: a line for each topic, and one for each
/// of its partitions, as far as they are asked for, in the order of a Java map of the names.
///
/// ```
/// use loglanes::view::tools::{TopicRows, topics};
/// use loglanes::{Cluster, Command};
///
/// let mut cluster = Cluster::with_brokers(7, [1]);
/// cluster.apply(&Command::create_topic("orders", 1), 0)?;
/// let text = topics(&cluster, TopicRows::All, |name| name == "orders");
/// assert!(text.ends_with("Leader: 1\tReplicas: 1\tIsr: 1\tElr: \tLastKnownElr: \n"));
/// assert_eq!(topics(&cluster, TopicRows::Unavailable, |_| true), "");
/// assert_eq!(topics(&cluster, TopicRows::AtMinIsr, |_| true).lines().count(), 1);
/// # Ok::<(), loglanes::Error>(())
/// ```
#[must_use]
pub fn topics(cluster: &Cluster, rows: TopicRows, wanted: impl Fn(&str) -> bool) -> String {
    let mut named: Vec<(&str, &Topic)> =
        cluster.topics().filter(|(name, _)| wanted(name)).collect();
    named.sort_by(|a, b| a.0.encode_utf16().cmp(b.0.encode_utf16()));
    let hashes: Vec<i32> = named.iter().map(|(name, _)| java::string_hash_code(name)).collect();
    // A map that was made for so many.
    let order = java::hash_map_order(&hashes, java::sized_capacity(hashes.len()));
    order.into_iter().map(|at| topic(named[at].0, named[at].1, rows)).collect()
}

fn topic(name: &str, topic: &Topic, rows: TopicRows) -> String {
    let set: Vec<_> = topic
        .config
        .describe()
        .into_iter()
        .filter(|entry| entry.source != ConfigSource::DefaultConfig)
        .collect();
    let mut text = String::new();
    if rows.has_topic() && !(rows == TopicRows::WithOverrides && set.is_empty()) {
        let replicas = topic.partitions.first().map_or(0, |partition| partition.replicas.len());
        let configs: Vec<String> =
            set.iter().map(|entry| format!("{}={}", entry.def.name, entry.value)).collect();
        text = format!(
            "Topic: {name}\tTopicId: {}\tPartitionCount: {}\tReplicationFactor: {replicas}\tConfigs: {}\n",
            topic.id,
            topic.partitions.len(),
            configs.join(",")
        );
    }
    let min = set.iter().find(|entry| entry.def.name == "min.insync.replicas");
    let min = min.and_then(|entry| entry.value.parse().ok()).unwrap_or(1);
    // All replicas are in sync, so none is eligible beside them.
    let eligible = if rows == TopicRows::ById { "N/A" } else { "" };
    for (number, partition) in topic.partitions.iter().enumerate() {
        if !rows.has_partition(partition, min) {
            continue;
        }
        let ids: Vec<String> = partition.replicas.iter().map(ToString::to_string).collect();
        let ids = ids.join(",");
        text += &format!(
            "\tTopic: {name}\tPartition: {number}\tLeader: {}\tReplicas: {ids}\tIsr: {ids}\tElr: \
             {eligible}\tLastKnownElr: {eligible}\n",
            partition.leader()
        );
    }
    text
}
