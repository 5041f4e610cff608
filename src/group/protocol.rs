//! Which of Kafka's two group protocols a consumer speaks, and the broker's assignors.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorCode, Result};

/// `group.protocol`.
///
/// ```
/// use loglanes::group::GroupProtocol;
///
/// assert_eq!("Consumer".parse::<GroupProtocol>()?, GroupProtocol::Consumer);
/// assert!("eager".parse::<GroupProtocol>().is_err());
/// # Ok::<(), loglanes::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum GroupProtocol {
    /// The members deal the partitions out among themselves. Kafka's default.
    #[default]
    Classic,
    /// The broker deals them out, and each member goes over to its share by itself (KIP-848).
    Consumer,
}

impl GroupProtocol {
    /// As a config has it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Classic => "classic",
            Self::Consumer => "consumer",
        }
    }

    /// As `kafka-consumer-groups --list --type` prints it of a group.
    #[must_use]
    pub const fn group_type(self) -> &'static str {
        match self {
            Self::Classic => "Classic",
            Self::Consumer => "Consumer",
        }
    }

    // For serde, which hands references over.
    #[allow(clippy::trivially_copy_pass_by_ref)]
    pub(super) fn is_classic(&self) -> bool {
        *self == Self::Classic
    }
}

impl fmt::Display for GroupProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl From<GroupProtocol> for String {
    fn from(protocol: GroupProtocol) -> Self {
        protocol.to_string()
    }
}

impl TryFrom<String> for GroupProtocol {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl FromStr for GroupProtocol {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        [Self::Classic, Self::Consumer]
            .into_iter()
            .find(|protocol| protocol.name().eq_ignore_ascii_case(text))
            .ok_or_else(|| {
                Error::client(
                    "ConfigException",
                    format!(
                        "Invalid value {text} for configuration group.protocol: String must be \
                         one of (case insensitive): CONSUMER, CLASSIC"
                    ),
                )
                .with_hint("Leave it out for classic.")
            })
    }
}

/// The broker's assignors: `group.consumer.assignors`, the first is the default.
pub const SERVER_ASSIGNORS: [&str; 2] = ["uniform", "range"];

/// Whether the broker has an assignor of that name.
///
/// # Errors
///
/// `UNSUPPORTED_ASSIGNOR` (112).
pub(super) fn check_server_assignor(name: &str) -> Result {
    if SERVER_ASSIGNORS.contains(&name) {
        return Ok(());
    }
    Err(Error::broker(
        ErrorCode::UnsupportedAssignor,
        format!("ServerAssignor {name} is not supported. Supported assignors: uniform, range."),
    )
    .with_hint("Choose uniform or range, or leave it out for the group's."))
}
