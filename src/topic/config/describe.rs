//! What `DescribeConfigs` answers for a topic.

use serde::Serialize;

use super::value::read;
use super::{CONFIG_DEFS, ConfigDef, TopicConfig};

/// Where a value comes from, named as Kafka names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ConfigSource {
    /// It was set for the topic.
    DynamicTopicConfig,
    /// It is set for the whole cluster: only `min.insync.replicas`, which a new cluster sets.
    DynamicDefaultBrokerConfig,
    /// It is Kafka's default.
    DefaultConfig,
}

/// One config of a topic.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigEntry {
    /// What Kafka knows of it.
    pub def: &'static ConfigDef,
    /// The value in force, read and printed anew: `+5` is `5`. Of an internal config it is the text
    /// as it was given.
    pub value: String,
    /// As it was given, where it was.
    pub given: Option<String>,
    /// Where the value comes from.
    pub source: ConfigSource,
}

impl TopicConfig {
    /// Every config, in the order in which Kafka's tools list them.
    ///
    /// ```
    /// use loglanes::topic::TopicConfig;
    ///
    /// let entries = TopicConfig::parse([("retention.ms", " 007 ")]).unwrap().describe();
    /// assert_eq!(entries.len(), 37);
    /// assert_eq!(entries[0].def.name, "compression.type");
    /// let retention = entries.iter().find(|entry| entry.def.name == "retention.ms").unwrap();
    /// assert_eq!(retention.value, "7");
    /// ```
    #[must_use]
    pub fn describe(&self) -> Vec<ConfigEntry> {
        let mut entries: Vec<ConfigEntry> = CONFIG_DEFS
            .iter()
            .filter_map(|def| {
                let given = self.given().get(def.name);
                let value = match given {
                    // A config for Kafka's own tests is told as it was given, unread.
                    Some(given) if def.position.is_none() => given.clone(),
                    // It was checked when it was set.
                    Some(given) => read(def.name, def.kind, def.rule, given).ok()?.to_string(),
                    None => def.default?.to_owned(),
                };
                let source = match given {
                    Some(_) => ConfigSource::DynamicTopicConfig,
                    None if def.name == "min.insync.replicas" => {
                        ConfigSource::DynamicDefaultBrokerConfig
                    }
                    None => ConfigSource::DefaultConfig,
                };
                Some(ConfigEntry { def, value, given: given.cloned(), source })
            })
            .collect();
        entries.sort_by_key(|entry| entry.def.position.unwrap_or(usize::MAX));
        entries
    }

    /// One config as it is described; none that has no value.
    #[must_use]
    pub fn described(&self, name: &str) -> Option<String> {
        self.describe().into_iter().find(|entry| entry.def.name == name).map(|entry| entry.value)
    }
}
