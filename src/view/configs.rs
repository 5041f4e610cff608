//! A topic's configs, as a page lists them.

use serde::Serialize;

use crate::topic::{ConfigSource, Topic};

/// A config of a topic.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConfigView {
    /// Its name.
    pub name: &'static str,
    /// `LONG`, `LIST` and so on.
    #[serde(rename = "type")]
    pub kind: String,
    /// The value in force, as Kafka describes it.
    pub value: String,
    /// As it was given, where it was set.
    pub given: Option<String>,
    /// Kafka's default.
    pub default: Option<&'static str>,
    /// Where the value comes from.
    pub source: ConfigSource,
    /// Which values are allowed, as Kafka prints it; empty: all of the type.
    pub rule: String,
    /// Whether it changes what happens here; the others are kept, no more.
    pub acts: bool,
}

/// Every config of a topic, in the order of Kafka's tools.
///
/// ```
/// use loglanes::{Cluster, Command, view};
///
/// let mut cluster = Cluster::new(7);
/// cluster.apply(&Command::create_topic("orders", 3), 0)?;
/// let configs = view::configs(cluster.topic("orders").unwrap());
/// assert!(configs.iter().any(|config| config.name == "cleanup.policy" && config.acts));
/// # Ok::<(), loglanes::Error>(())
/// ```
#[must_use]
pub fn configs(topic: &Topic) -> Vec<ConfigView> {
    let entries = topic.config.describe().into_iter();
    entries
        .map(|entry| ConfigView {
            name: entry.def.name,
            kind: entry.def.kind.to_string(),
            value: entry.value,
            given: entry.given,
            default: entry.def.default,
            source: entry.source,
            rule: entry.def.rule.to_string(),
            acts: entry.def.acts,
        })
        .collect()
}
