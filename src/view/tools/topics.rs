//! `kafka-topics`. Source: `TopicCommand`.

use crate::Cluster;
use crate::java;
use crate::topic::{ConfigSource, Topic};

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

/// `kafka-topics --describe` of the topics that are wanted: a line for each topic, and one for each
/// of its partitions, in the order of a Java map of the names.
///
/// ```
/// use loglanes::view::tools::topics;
/// use loglanes::{Cluster, Command};
///
/// let mut cluster = Cluster::with_brokers(7, [1]);
/// cluster.apply(&Command::create_topic("orders", 1), 0)?;
/// let text = topics(&cluster, |name| name == "orders");
/// assert!(text.ends_with("Leader: 1\tReplicas: 1\tIsr: 1\tElr: \tLastKnownElr: \n"));
/// # Ok::<(), loglanes::Error>(())
/// ```
#[must_use]
pub fn topics(cluster: &Cluster, wanted: impl Fn(&str) -> bool) -> String {
    let mut named: Vec<(&str, &Topic)> =
        cluster.topics().filter(|(name, _)| wanted(name)).collect();
    named.sort_by(|a, b| a.0.encode_utf16().cmp(b.0.encode_utf16()));
    let hashes: Vec<i32> = named.iter().map(|(name, _)| java::string_hash_code(name)).collect();
    // A map that was made for so many.
    let order = java::hash_map_order(&hashes, java::sized_capacity(hashes.len()));
    order.into_iter().map(|at| topic(named[at].0, named[at].1)).collect()
}

fn topic(name: &str, topic: &Topic) -> String {
    let replicas = topic.partitions.first().map_or(0, |partition| partition.replicas.len());
    let configs: Vec<String> = topic
        .config
        .describe()
        .into_iter()
        .filter(|entry| entry.source != ConfigSource::DefaultConfig)
        .map(|entry| format!("{}={}", entry.def.name, entry.value))
        .collect();
    let mut text = format!(
        "Topic: {name}\tTopicId: {}\tPartitionCount: {}\tReplicationFactor: {replicas}\tConfigs: {}\n",
        topic.id,
        topic.partitions.len(),
        configs.join(",")
    );
    for (number, partition) in topic.partitions.iter().enumerate() {
        let ids: Vec<String> = partition.replicas.iter().map(ToString::to_string).collect();
        let ids = ids.join(",");
        // All replicas are in sync, so none is eligible beside them.
        text += &format!(
            "\tTopic: {name}\tPartition: {number}\tLeader: {}\tReplicas: {ids}\tIsr: {ids}\tElr: \
             \tLastKnownElr: \n",
            partition.leader()
        );
    }
    text
}
