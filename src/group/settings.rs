//! What Kafka's consumer, and its broker, refuse of a consumer's configs.
//!
//! In the order of the Java client: first each value by itself as `ConsumerConfig` defines them,
//! then what does not go together, then what the parts of the consumer find when they are made.
//!
//! Sources: `ConsumerConfig`, `GroupRebalanceConfig`, `Heartbeat`, `GroupCoordinatorConfig`, Apache
//! Kafka 4.4.0.

use super::assignor::Assignor;
use super::protocol::check_server_assignor;
use super::{ConsumerConfig, GroupProtocol, HEARTBEAT_INTERVAL_MS};
use crate::error::{Error, ErrorCode, Result};
use crate::topic::illegal;

/// `group.min.session.timeout.ms`, the broker's default.
pub const MIN_SESSION_TIMEOUT_MS: i64 = 6_000;

/// `group.max.session.timeout.ms`, the broker's default.
pub const MAX_SESSION_TIMEOUT_MS: i64 = 1_800_000;

impl ConsumerConfig {
    /// Whether a Java consumer with these configs can be made; `has_group`: with a `group.id`.
    ///
    /// # Errors
    ///
    /// What its constructor throws, in its words; where it wraps the reason, the reason.
    pub(crate) fn check(&self, has_group: bool) -> Result {
        self.check_values()?;
        self.check_protocol()?;
        if self.auto_commit && !has_group {
            return Err(Error::client_code(
                ErrorCode::InvalidConfig,
                "enable.auto.commit cannot be set to true when default group id (null) is used.",
            )
            .with_hint("Give it a group.id, or leave enable.auto.commit off."));
        }
        self.check_instance_id()?;
        if has_group && self.protocol == GroupProtocol::Classic {
            self.check_heartbeat()?;
        }
        Ok(())
    }

    fn check_values(&self) -> Result {
        if self.instance_id.as_deref() == Some("") {
            return Err(Error::client(
                "ConfigException",
                "Invalid value  for configuration group.instance.id: String must be non-empty",
            )
            .with_hint("Leave it out for a dynamic member, or give it a text."));
        }
        at_least("auto.commit.interval.ms", self.auto_commit_interval_ms, 0)?;
        at_least("max.partition.fetch.bytes", self.max_partition_fetch_bytes, 0)?;
        at_least("max.poll.records", self.max_poll_records, 1)?;
        self.max_poll_interval_ms.map_or(Ok(()), |ms| at_least("max.poll.interval.ms", ms, 1))
    }

    fn check_protocol(&self) -> Result {
        let not_with = |names: &str, protocol: &str| {
            Error::client(
                "ConfigException",
                format!("{names} cannot be set when group.protocol={protocol}"),
            )
        };
        if self.protocol == GroupProtocol::Classic {
            return match &self.remote_assignor {
                None => Ok(()),
                Some(_) => Err(not_with("group.remote.assignor", "CLASSIC")
                    .with_hint("Choose the consumer protocol, or partition.assignment.strategy.")),
            };
        }
        // An empty list counts as not set.
        let has_assignors = self.assignors != Assignor::DEFAULT && !self.assignors.is_empty();
        let set = [
            (has_assignors, "partition.assignment.strategy"),
            (self.heartbeat_interval_ms.is_some(), "heartbeat.interval.ms"),
            (self.session_timeout_ms.is_some(), "session.timeout.ms"),
        ];
        let names: Vec<&str> =
            set.into_iter().filter(|(is, _)| *is).map(|(_, name)| name).collect();
        if names.is_empty() {
            return Ok(());
        }
        Err(not_with(&names.join(", "), "CONSUMER").with_hint(
            "With this protocol the broker deals out, and its configs say how long it waits.",
        ))
    }

    /// Source: `JoinGroupRequest.validateGroupInstanceId`.
    fn check_instance_id(&self) -> Result {
        let Some(reason) = self.instance_id.as_deref().and_then(illegal) else { return Ok(()) };
        Err(Error::client(
            "InvalidConfigurationException",
            format!("Group instance id is invalid: {reason}"),
        )
        .with_hint("Use letters a-z and A-Z, digits, '.', '_' and '-', at most 249 of them."))
    }

    fn check_heartbeat(&self) -> Result {
        let heartbeat = self.heartbeat_interval_ms.unwrap_or(HEARTBEAT_INTERVAL_MS);
        if i64::from(heartbeat) >= self.session_timeout() {
            return Err(Error::client(
                "IllegalArgumentException",
                "Heartbeat must be set lower than the session timeout",
            )
            .with_hint(format!(
                "Without values of their own they are {HEARTBEAT_INTERVAL_MS} and {}.",
                super::SESSION_TIMEOUT_MS
            )));
        }
        if heartbeat < 0 {
            return Err(Error::client(
                "IllegalArgumentException",
                format!("Invalid negative timeout {heartbeat}"),
            )
            .with_hint("heartbeat.interval.ms is 0 or more milliseconds."));
        }
        Ok(())
    }

    /// Whether the broker lets a member with these configs in.
    ///
    /// # Errors
    ///
    /// `INVALID_SESSION_TIMEOUT` (26), `UNSUPPORTED_ASSIGNOR` (112).
    pub(super) fn check_at_broker(&self) -> Result {
        if self.protocol == GroupProtocol::Consumer {
            return self.remote_assignor.as_deref().map_or(Ok(()), check_server_assignor);
        }
        let range = MIN_SESSION_TIMEOUT_MS..=MAX_SESSION_TIMEOUT_MS;
        if range.contains(&self.session_timeout()) {
            return Ok(());
        }
        Err(Error::code_alone(ErrorCode::InvalidSessionTimeout).with_hint(format!(
            "The broker's configs have their defaults: {MIN_SESSION_TIMEOUT_MS} to \
             {MAX_SESSION_TIMEOUT_MS} milliseconds."
        )))
    }
}

/// Source: `ConfigDef.Range.atLeast`.
fn at_least(name: &str, value: i32, least: i32) -> Result {
    if value >= least {
        return Ok(());
    }
    Err(Error::client(
        "ConfigException",
        format!("Invalid value {value} for configuration {name}: Value must be at least {least}"),
    )
    .with_hint(format!("Give {least} or more, or leave it out for Kafka's default.")))
}

/// How many records a poll may give at the most.
///
/// # Errors
///
/// `ConfigException`: fewer than one.
pub(crate) fn poll_records(most: i32) -> Result<usize> {
    at_least("max.poll.records", most, 1)?;
    Ok(usize::try_from(most).unwrap_or_default())
}
