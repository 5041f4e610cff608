//! `kafka-configs`. Source: `ConfigCommand`, and `ConfigHelper` of the broker.

use crate::Cluster;
use crate::java;
use crate::topic::{ConfigEntry, ConfigSource, Topic};

/// `kafka-configs --describe --entity-type topics` of the topics that are wanted: what was set for
/// each, or with `--all` every config; sorted by name, with the chain of values that would stand in
/// for it.
///
/// ```
/// use loglanes::view::tools::configs;
/// use loglanes::{Cluster, Command};
///
/// let mut cluster = Cluster::new(7);
/// cluster.apply(&Command::create_topic("orders", 1), 0)?;
/// let all = configs(&cluster, true, |_| true);
/// assert!(all.starts_with("All configs for topic orders are:\n  cleanup.policy=delete sensitive"));
/// assert_eq!(configs(&cluster, false, |_| true), "Dynamic configs for topic orders are:\n");
/// # Ok::<(), loglanes::Error>(())
/// ```
#[must_use]
pub fn configs(cluster: &Cluster, all: bool, wanted: impl Fn(&str) -> bool) -> String {
    let mut named: Vec<(&str, &Topic)> =
        cluster.topics().filter(|(name, _)| wanted(name)).collect();
    named.sort_by(|a, b| a.0.encode_utf16().cmp(b.0.encode_utf16()));
    let hashes: Vec<i32> = named.iter().map(|(name, _)| java::string_hash_code(name)).collect();
    let order = java::hash_map_order(&hashes, java::grown_capacity(hashes.len()));
    order.into_iter().map(|at| topic(named[at].0, named[at].1, all)).collect()
}

fn topic(name: &str, topic: &Topic, all: bool) -> String {
    let mut entries = topic.config.describe();
    entries.retain(|entry| all || entry.source == ConfigSource::DynamicTopicConfig);
    entries.sort_by_key(|entry| entry.def.name);
    let which = if all { "All" } else { "Dynamic" };
    let lines = entries.iter().map(|entry| {
        let (name, value) = (entry.def.name, &entry.value);
        format!("  {name}={value} sensitive=false synonyms={{{}}}\n", synonyms(entry).join(", "))
    });
    format!("{which} configs for topic {name} are:\n{}", lines.collect::<String>())
}

/// The value in force, and what would be in force without it.
fn synonyms(entry: &ConfigEntry) -> Vec<String> {
    let mut chain = Vec::new();
    let (name, value) = (entry.def.name, &entry.value);
    if entry.source == ConfigSource::DynamicTopicConfig {
        chain.push(format!("DYNAMIC_TOPIC_CONFIG:{name}={value}"));
    }
    // A new cluster sets it for all brokers.
    if name == "min.insync.replicas" {
        chain.push(format!("DYNAMIC_DEFAULT_BROKER_CONFIG:{name}=1"));
    }
    // The broker's config of the same unit. Where configs of other units can stand in for that, it
    // is none of them but has no default itself.
    if let (&[(broker, _)], Some(default)) = (entry.def.synonyms, entry.def.default) {
        chain.push(format!("DEFAULT_CONFIG:{broker}={default}"));
    }
    chain
}
