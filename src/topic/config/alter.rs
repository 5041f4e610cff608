//! Changing the configs of a topic, one by one.
//!
//! Source: `ConfigAdminManager`, `ConfigurationControlManager.incrementalAlterConfigResource`
//! and `ControllerConfigurationValidator`, Apache Kafka 4.4.0: the checks, their order, their
//! words.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use super::value::invalid;
use super::{ConfigType, TopicConfig, config_def};
use crate::error::{Error, ErrorCode, Result};
use crate::java;

/// What to do with a config.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ConfigOp {
    /// Give it a value.
    Set,
    /// Back to the default.
    Delete,
    /// Add to its list what is not in it.
    Append,
    /// Take from its list.
    Subtract,
}

impl fmt::Display for ConfigOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Set => "SET",
            Self::Delete => "DELETE",
            Self::Append => "APPEND",
            Self::Subtract => "SUBTRACT",
        })
    }
}

/// One change of one config.
///
/// ```
/// use loglanes::topic::{AlterConfigOp, ConfigOp, TopicConfig};
///
/// let append = AlterConfigOp {
///     op: ConfigOp::Append,
///     name: "cleanup.policy".into(),
///     value: Some("compact".into()),
/// };
/// let altered = TopicConfig::default().alter(&[append]).unwrap();
/// assert_eq!(altered.given()["cleanup.policy"], "delete,compact");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlterConfigOp {
    /// What to do.
    pub op: ConfigOp,
    /// The config's name.
    pub name: String,
    /// The value; of no account in a [`ConfigOp::Delete`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

impl fmt::Display for AlterConfigOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.value.as_deref().unwrap_or("none");
        match self.op {
            ConfigOp::Set => write!(f, "{}={value}", self.name),
            ConfigOp::Delete => write!(f, "delete {}", self.name),
            ConfigOp::Append => write!(f, "{}+={value}", self.name),
            ConfigOp::Subtract => write!(f, "{}-={value}", self.name),
        }
    }
}

impl TopicConfig {
    /// The configs after these changes. All are made or none is.
    ///
    /// # Errors
    ///
    /// `INVALID_REQUEST` (42) for a config named twice or without a value, `INVALID_CONFIG` (40)
    /// as [`TopicConfig::parse`], and for adding to what is no list.
    pub fn alter(&self, ops: &[AlterConfigOp]) -> Result<Self> {
        check_request(ops)?;
        Self::parse(self.altered(ops)?)
    }

    /// What would be set then, unchecked.
    pub(crate) fn altered(&self, ops: &[AlterConfigOp]) -> Result<BTreeMap<String, String>> {
        let mut given = self.given.clone();
        // The controller keeps them in a `HashMap`: of two that cannot be made, the first in its
        // order is told.
        let hashes: Vec<i32> = ops.iter().map(|op| java::string_hash_code(&op.name)).collect();
        let order = java::hash_map_order(&hashes, java::grown_capacity(ops.len()));
        for AlterConfigOp { op, name, value } in order.into_iter().filter_map(|at| ops.get(at)) {
            let value = value.as_deref().unwrap_or_default();
            match op {
                ConfigOp::Set => {
                    given.insert(name.clone(), value.to_owned());
                }
                ConfigOp::Delete => {
                    given.remove(name);
                }
                ConfigOp::Append | ConfigOp::Subtract => {
                    let def = config_def(name).filter(|def| def.kind == ConfigType::List);
                    let def = def.ok_or_else(|| {
                        invalid(format!("Can't {op} to key {name} because its type is not LIST."))
                    })?;
                    let now = given.get(name).map_or(def.default.unwrap_or(""), String::as_str);
                    let mut parts: Vec<&str> =
                        now.split(',').filter(|part| !part.is_empty()).collect();
                    for part in split(value) {
                        if *op == ConfigOp::Subtract {
                            // `List.remove`: of equal ones the first.
                            if let Some(at) = parts.iter().position(|one| *one == part) {
                                parts.remove(at);
                            }
                        } else if !parts.contains(&part) {
                            parts.push(part);
                        }
                    }
                    let parts = parts.join(",");
                    given.insert(name.clone(), parts);
                }
            }
        }
        Ok(given)
    }
}

/// What a broker asks of the request before it looks at any config.
pub(crate) fn check_request(ops: &[AlterConfigOp]) -> Result {
    let names: BTreeSet<&str> = ops.iter().map(|op| op.name.as_str()).collect();
    if names.len() < ops.len() {
        return Err(Error::broker(ErrorCode::InvalidRequest, "Error due to duplicate config keys")
            .with_hint("Name each config once."));
    }
    let without: Vec<&str> = ops
        .iter()
        .filter(|op| op.op != ConfigOp::Delete && op.value.is_none())
        .map(|op| op.name.as_str())
        .collect();
    if without.is_empty() {
        return Ok(());
    }
    Err(Error::broker(
        ErrorCode::InvalidRequest,
        format!("Null value not supported for : {}", without.join(", ")),
    )
    .with_hint("Delete the config to go back to its default."))
}

/// `String.split`: empty parts at the end are left out, but an empty text is one empty part.
fn split(text: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = text.split(',').collect();
    while parts.len() > 1 && parts.last().is_some_and(|part| part.is_empty()) {
        parts.pop();
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::{AlterConfigOp, ConfigOp, TopicConfig};

    #[test]
    fn of_two_changes_that_cannot_be_made_the_first_in_the_controllers_map_is_told() {
        let op = |op, name: &str| AlterConfigOp { op, name: name.into(), value: Some("1".into()) };
        let ops =
            [op(ConfigOp::Subtract, "internal.segment.bytes"), op(ConfigOp::Append, "segment.ms")];
        // As a broker says, whichever comes first in the request.
        let said = "Can't APPEND to key segment.ms because its type is not LIST.";
        let [first, second] = ops;
        for ops in [[first.clone(), second.clone()], [second, first]] {
            assert_eq!(TopicConfig::default().alter(&ops).unwrap_err().message(), said);
        }
    }

    #[test]
    fn of_equal_elements_one_is_subtracted_for_each_that_is_named() {
        let twice = TopicConfig::parse([("cleanup.policy", "delete,delete")]).unwrap();
        let less = |value: &str| {
            let (name, value) = ("cleanup.policy".to_owned(), Some(value.to_owned()));
            let op = AlterConfigOp { op: ConfigOp::Subtract, name, value };
            twice.alter(&[op]).unwrap().given()["cleanup.policy"].clone()
        };
        assert_eq!(less("delete"), "delete");
        assert_eq!(less("delete,delete"), "");
    }
}
