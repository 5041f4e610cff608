//! How a producer is set up, by Kafka's names of its configs.
//!
//! Source: `ProducerConfig`, also for the defaults and for what does not go together, Apache Kafka
//! 4.4.0.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{BATCH_SIZE, BUFFER_MEMORY, MAX_REQUEST_SIZE, ProducerConfig};
use crate::error::{Error, Result};
use crate::log::Compression;
use crate::partitioner::Partitioner;
use crate::topic::{ConfigType, ConfigValue, Rule, read_config};

/// The default `transaction.timeout.ms`, in milliseconds.
pub const TRANSACTION_TIMEOUT_MS: i32 = 60_000;

/// The most `max.in.flight.requests.per.connection` of an idempotent producer.
const MAX_IN_FLIGHT_FOR_IDEMPOTENCE: i64 = 5;

/// The configs that can be set, in the order in which `ProducerConfig` looks at them: of two that
/// are wrong the first is told.
const DEFS: [(&str, ConfigType, Rule); 10] = [
    ("buffer.memory", ConfigType::Long, Rule::AtLeast(0)),
    ("retries", ConfigType::Int, Rule::Between(0, i32::MAX as i64)),
    ("acks", ConfigType::String, Rule::OneOf(&["all", "-1", "0", "1"])),
    (
        "compression.type",
        ConfigType::String,
        Rule::OneOf(&["none", "gzip", "snappy", "lz4", "zstd"]),
    ),
    ("batch.size", ConfigType::Int, Rule::AtLeast(0)),
    ("max.request.size", ConfigType::Int, Rule::AtLeast(0)),
    ("max.in.flight.requests.per.connection", ConfigType::Int, Rule::AtLeast(1)),
    ("enable.idempotence", ConfigType::Boolean, Rule::Any),
    ("transaction.timeout.ms", ConfigType::Int, Rule::Any),
    ("transactional.id", ConfigType::String, Rule::Any),
];

/// The settings of a producer: what was set, as it was given, and what follows from it.
///
/// ```
/// use loglanes::producer::ProducerSettings;
///
/// assert!(ProducerSettings::default().is_idempotent());
/// // Without a word about idempotence, other acks turn it off.
/// let quick = ProducerSettings::parse([("acks", "1")])?;
/// assert!(!quick.is_idempotent());
/// let refused = ProducerSettings::parse([("acks", "1"), ("enable.idempotence", "true")]);
/// assert!(refused.unwrap_err().message().starts_with("Must set acks to all"));
/// # Ok::<(), loglanes::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<String, String>", into = "BTreeMap<String, String>")]
pub struct ProducerSettings {
    given: BTreeMap<String, String>,
    is_idempotent: bool,
    transactional_id: Option<String>,
    transaction_timeout_ms: i32,
    batch_size: i32,
    max_request_size: u64,
    buffer_memory: u64,
    compression: Compression,
}

impl Default for ProducerSettings {
    fn default() -> Self {
        Self {
            given: BTreeMap::new(),
            is_idempotent: true,
            transactional_id: None,
            transaction_timeout_ms: TRANSACTION_TIMEOUT_MS,
            batch_size: BATCH_SIZE,
            max_request_size: MAX_REQUEST_SIZE,
            buffer_memory: BUFFER_MEMORY,
            compression: Compression::None,
        }
    }
}

impl ProducerSettings {
    /// Reads configs as they were given.
    ///
    /// # Errors
    ///
    /// `ConfigException` for a value that is none, and for what does not go together; `LOGLANES` for
    /// a config that this model does not have.
    pub fn parse<K: Into<String>, V: Into<String>>(
        given: impl IntoIterator<Item = (K, V)>,
    ) -> Result<Self> {
        let given: BTreeMap<String, String> =
            given.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        let is_known = |name: &str| DEFS.iter().any(|(known, ..)| *known == name);
        if let Some(name) = given.keys().find(|name| !is_known(name)) {
            return Err(unknown(name));
        }
        let mut values = BTreeMap::new();
        for (name, kind, rule) in DEFS {
            let Some(text) = given.get(name) else { continue };
            let value = read_config(name, kind, rule, text)
                .map_err(|refused| config_exception(refused.message().to_owned()))?;
            values.insert(name, value);
        }
        let whole = |name: &str, default: i64| match values.get(name) {
            Some(ConfigValue::Whole(number)) => *number,
            _ => default,
        };
        let text = |name: &str| match values.get(name) {
            Some(ConfigValue::Text(text)) => Some(text.as_str()),
            _ => None,
        };
        let transactional_id = text("transactional.id").map(str::to_owned);
        if transactional_id.as_deref() == Some("") {
            return Err(config_exception(
                "Invalid value  for configuration transactional.id: String must be non-empty"
                    .to_owned(),
            ));
        }
        let wants = match values.get("enable.idempotence") {
            Some(ConfigValue::Boolean(wants)) => Some(*wants),
            _ => None,
        };
        let acks_all = text("acks").is_none_or(|acks| acks == "all" || acks == "-1");
        let (retries, in_flight) = (
            whole("retries", i64::from(i32::MAX)),
            whole("max.in.flight.requests.per.connection", MAX_IN_FLIGHT_FOR_IDEMPOTENCE),
        );
        let is_idempotent = is_idempotent(wants, acks_all, retries, in_flight)?;
        if transactional_id.is_some() && !is_idempotent {
            return Err(config_exception(
                "Cannot set a transactional.id without also enabling idempotence.".to_owned(),
            ));
        }
        let size = |name, default: u64| {
            whole(name, i64::try_from(default).unwrap_or(i64::MAX)).unsigned_abs()
        };
        let settings = Self {
            is_idempotent,
            transactional_id,
            transaction_timeout_ms: int(whole(
                "transaction.timeout.ms",
                i64::from(TRANSACTION_TIMEOUT_MS),
            )),
            batch_size: int(whole("batch.size", i64::from(BATCH_SIZE))),
            max_request_size: size("max.request.size", MAX_REQUEST_SIZE),
            buffer_memory: size("buffer.memory", BUFFER_MEMORY),
            compression: text("compression.type")
                .and_then(Compression::from_name)
                .unwrap_or(Compression::None),
            given: BTreeMap::new(),
        };
        Ok(Self { given, ..settings })
    }

    /// What was set, as it was given.
    #[must_use]
    pub fn given(&self) -> &BTreeMap<String, String> {
        &self.given
    }

    /// `enable.idempotence`, as it came out.
    #[must_use]
    pub fn is_idempotent(&self) -> bool {
        self.is_idempotent
    }

    /// `transactional.id`.
    #[must_use]
    pub fn transactional_id(&self) -> Option<&str> {
        self.transactional_id.as_deref()
    }

    /// `transaction.timeout.ms`.
    #[must_use]
    pub fn transaction_timeout_ms(&self) -> i32 {
        self.transaction_timeout_ms
    }

    /// What decides over its batches, with this partitioner.
    #[must_use]
    pub fn config(&self, partitioner: Partitioner) -> ProducerConfig {
        ProducerConfig {
            batch_size: self.batch_size,
            max_request_size: self.max_request_size,
            buffer_memory: self.buffer_memory,
            compression: self.compression,
            ..ProducerConfig::with(partitioner)
        }
    }
}

fn int(number: i64) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// Source: `ProducerConfig.postProcessAndValidateIdempotenceConfigs`.
fn is_idempotent(
    wants: Option<bool>,
    acks_all: bool,
    retries: i64,
    in_flight: i64,
) -> Result<bool> {
    if wants == Some(false) {
        return Ok(false);
    }
    let insists = wants == Some(true);
    if retries == 0 && insists {
        return Err(config_exception(
            "Must set retries to non-zero when using the idempotent producer.".to_owned(),
        ));
    }
    if !acks_all && insists {
        return Err(config_exception(
            "Must set acks to all in order to use the idempotent producer. Otherwise we cannot \
             guarantee idempotence."
                .to_owned(),
        ));
    }
    if in_flight > MAX_IN_FLIGHT_FOR_IDEMPOTENCE {
        return Err(config_exception(format!(
            "To use the idempotent producer, max.in.flight.requests.per.connection must be set to \
             at most 5. Current value is {in_flight}."
        )));
    }
    Ok(retries != 0 && acks_all)
}

fn config_exception(message: String) -> Error {
    Error::client("ConfigException", message)
        .with_hint("Leave it out for Kafka's default, or choose a value that it allows.")
}

fn unknown(name: &str) -> Error {
    let known: Vec<&str> = DEFS.iter().map(|(name, ..)| *name).collect();
    Error::loglanes(format!("A producer of this model has no config {name:?}."))
        .with_hint(format!("It has these: {}.", known.join(", ")))
}

impl TryFrom<BTreeMap<String, String>> for ProducerSettings {
    type Error = Error;

    fn try_from(given: BTreeMap<String, String>) -> Result<Self> {
        Self::parse(given)
    }
}

impl From<ProducerSettings> for BTreeMap<String, String> {
    fn from(settings: ProducerSettings) -> Self {
        settings.given
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_wrong_configs_the_one_is_told_that_kafka_looks_at_first() {
        let said = |given: [(&str, &str); 2]| {
            ProducerSettings::parse(given).unwrap_err().message().to_owned()
        };
        let retries = "Invalid value -1 for configuration retries: Value must be at least 0";
        assert_eq!(said([("acks", "5"), ("retries", "-1")]), retries);
        let acks = "Invalid value 5 for configuration acks: String must be one of: all, -1, 0, 1";
        assert_eq!(said([("acks", "5"), ("transactional.id", "")]), acks);
    }
}
