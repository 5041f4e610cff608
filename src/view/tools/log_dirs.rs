//! `kafka-log-dirs`. Source: `LogDirsCommand`.

use crate::Cluster;
use crate::java;

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
