//! The cluster in the words of Kafka's command-line tools: what they print, to the letter.
//!
//! Source: `TopicCommand`, `GetOffsetShell` and `LogDirsCommand` of `org.apache.kafka.tools`, Apache
//! Kafka 4.4.0.

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

/// Which offset `kafka-get-offsets` asks for: its `--time`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OffsetAt {
    /// `latest`, -1: the end.
    Latest,
    /// `earliest`, -2, and `earliest-local`, -4: the log start offset.
    Earliest,
    /// `max-timestamp`, -3: that of the record with the greatest timestamp.
    MaxTimestamp,
    /// `latest-tiered`, -5, and `earliest-pending-upload`, -6: nothing without tiered storage.
    Tiered,
    /// The first record at or after this time.
    Time(i64),
}

impl std::str::FromStr for OffsetAt {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Ok(match text {
            "latest" | "-1" => Self::Latest,
            "earliest" | "-2" | "earliest-local" | "-4" => Self::Earliest,
            "max-timestamp" | "-3" => Self::MaxTimestamp,
            "latest-tiered" | "-5" | "earliest-pending-upload" | "-6" => Self::Tiered,
            _ => Self::Time(text.parse().map_err(|_| ())?),
        })
    }
}

/// `kafka-get-offsets`: `topic:partition:offset` of the partitions that are wanted, sorted by the
/// text of topic and partition, so that 10 comes before 2. Partitions without an answer are left out.
///
/// ```
/// use loglanes::view::tools::{OffsetAt, offsets};
/// use loglanes::{Cluster, Command};
///
/// let mut cluster = Cluster::new(7);
/// cluster.apply(&Command::create_topic("orders", 2), 0)?;
/// assert_eq!(offsets(&cluster, OffsetAt::Latest, |_, _| true), "orders:0:0\norders:1:0\n");
/// assert_eq!(offsets(&cluster, OffsetAt::Time(0), |_, _| true), "");
/// # Ok::<(), loglanes::Error>(())
/// ```
#[must_use]
pub fn offsets(cluster: &Cluster, at: OffsetAt, wanted: impl Fn(&str, usize) -> bool) -> String {
    let mut rows: Vec<(String, String)> = Vec::new();
    for (name, topic) in cluster.topics() {
        for (number, partition) in topic.partitions.iter().enumerate() {
            if !wanted(name, number) {
                continue;
            }
            let log = &partition.log;
            let offset = match at {
                OffsetAt::Latest => Some(log.high_watermark()),
                OffsetAt::Earliest => Some(log.log_start_offset()),
                OffsetAt::MaxTimestamp => log.max_timestamp_offset().map(|(offset, _)| offset),
                OffsetAt::Tiered => None,
                OffsetAt::Time(ms) => log.offset_for_timestamp(ms).map(|(offset, _)| offset),
            };
            if let Some(offset) = offset {
                rows.push((format!("{name}-{number}"), format!("{name}:{number}:{offset}\n")));
            }
        }
    }
    rows.sort_by(|a, b| a.0.encode_utf16().cmp(b.0.encode_utf16()));
    rows.into_iter().map(|(_, row)| row).collect()
}

/// The JSON of `kafka-log-dirs --describe`: what each broker holds of the topics that are wanted.
/// The folder is told as `log_dir`.
///
/// ```
/// use loglanes::Cluster;
/// use loglanes::view::tools::log_dirs;
///
/// let text = log_dirs(&Cluster::with_brokers(7, [1]), "/data", |_| true);
/// assert!(text.starts_with("Querying brokers for log directories information\n"));
/// ```
#[must_use]
pub fn log_dirs(cluster: &Cluster, log_dir: &str, wanted: impl Fn(&str) -> bool) -> String {
    let ids: Vec<String> = cluster.brokers().iter().map(ToString::to_string).collect();
    let brokers: Vec<String> = cluster
        .brokers()
        .iter()
        .map(|&broker| {
            let mut held: Vec<(i32, String)> = Vec::new();
            for (name, topic) in cluster.topics().filter(|(name, _)| wanted(name)) {
                for (number, partition) in (0..).zip(&topic.partitions) {
                    if partition.replicas.contains(&broker) {
                        let hash = java::topic_partition_hash_code(name, number);
                        let size = partition.log.size_in_bytes();
                        held.push((
                            hash,
                            format!(
                                "{{\"partition\":\"{name}-{number}\",\"size\":{size},\"offsetLag\":0,\
                                 \"isFuture\":false}}"
                            ),
                        ));
                    }
                }
            }
            let hashes: Vec<i32> = held.iter().map(|(hash, _)| *hash).collect();
            let order = java::hash_map_order(&hashes, java::grown_capacity(hashes.len()));
            let held: Vec<&str> = order.into_iter().map(|at| held[at].1.as_str()).collect();
            format!(
                "{{\"broker\":{broker},\"logDirs\":[{{\"partitions\":[{}],\"error\":null,\
                 \"logDir\":\"{log_dir}\"}}]}}",
                held.join(",")
            )
        })
        .collect();
    format!(
        "Querying brokers for log directories information\nReceived log directory information from \
         brokers {}\n{{\"brokers\":[{}],\"version\":1}}\n",
        ids.join(","),
        brokers.join(",")
    )
}
