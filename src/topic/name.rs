//! Which names a topic may have.
//!
//! Source: `org.apache.kafka.common.internals.Topic` and the controller's
//! `ReplicationControlManager.validateNewTopicNames`, Apache Kafka 4.4.0.

use crate::error::{Error, ErrorCode, Result};

/// The longest topic name, in UTF-16 units: a file name of 255 less `-` and five digits.
pub const MAX_NAME_LENGTH: usize = 249;

/// The topics that belong to Kafka itself; no producer of this model may write to them.
pub const INTERNAL_TOPICS: [&str; 3] =
    ["__consumer_offsets", "__transaction_state", "__share_group_state"];

/// Those of them that are there: a broker makes the third with the first share group, and this
/// model has none. Until then anybody may make it.
pub(crate) const PRESENT_INTERNAL_TOPICS: [&str; 2] = ["__consumer_offsets", "__transaction_state"];

/// Whether a name is legal, in the order of the broker's own checks.
///
/// # Errors
///
/// `INVALID_TOPIC_EXCEPTION` (17) in the words of the Java client for the empty name, and in the
/// broker's for all others.
///
/// ```
/// use loglanes::topic::check_name;
///
/// assert!(check_name("orders.v1_eu-west").is_ok());
/// assert_eq!(
///     check_name("my topic").unwrap_err().message(),
///     "Topic name is invalid: 'my topic' contains one or more characters other than \
///      ASCII alphanumerics, '.', '_' and '-'"
/// );
/// ```
pub fn check_name(name: &str) -> Result {
    if name.is_empty() {
        return Err(Error::client_code(
            ErrorCode::InvalidTopicException,
            "The given topic name '' cannot be represented in a request.",
        )
        .with_hint("Give the topic a name."));
    }
    let Some(reason) = illegal(name) else { return Ok(()) };
    Err(Error::broker(ErrorCode::InvalidTopicException, format!("Topic name is invalid: {reason}"))
        .with_hint("Use letters a-z and A-Z, digits, '.', '_' and '-'."))
}

/// What is wrong with a name: of a topic, or of another thing that follows the same rules.
pub(crate) fn illegal(name: &str) -> Option<String> {
    if name == "." || name == ".." {
        Some(format!("'{name}' is not allowed"))
    } else if name.encode_utf16().count() > MAX_NAME_LENGTH {
        Some(format!(
            "the length of '{name}' is longer than the max allowed length {MAX_NAME_LENGTH}"
        ))
    } else if !name.bytes().all(is_legal) {
        Some(format!(
            "'{name}' contains one or more characters other than ASCII alphanumerics, '.', '_' \
             and '-'"
        ))
    } else {
        None
    }
}

/// Two names collide when they are equal once each `.` is read as `_`: metric names cannot tell
/// them apart.
///
/// ```
/// use loglanes::topic::names_collide;
///
/// assert!(names_collide("a.b", "a_b"));
/// assert!(!names_collide("a-b", "a_b"));
/// ```
#[must_use]
pub fn names_collide(one: &str, other: &str) -> bool {
    one.len() == other.len()
        && one.bytes().zip(other.bytes()).all(|(a, b)| a == b || (is_joiner(a) && is_joiner(b)))
}

fn is_legal(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-')
}

fn is_joiner(byte: u8) -> bool {
    matches!(byte, b'.' | b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_limit_counts_utf16_units_and_comes_before_the_characters() {
        assert!(check_name(&"a".repeat(249)).is_ok());
        let too_long = check_name(&format!("{}🚀", "x".repeat(248))).unwrap_err();
        assert!(too_long.message().ends_with("is longer than the max allowed length 249"));
        let bad_letter = check_name(&format!("{}🚀", "y".repeat(247))).unwrap_err();
        assert!(bad_letter.message().contains("contains one or more characters"));
    }

    #[test]
    fn dots_are_refused_alone_and_in_pairs_but_three_are_a_name() {
        assert_eq!(
            check_name(".").unwrap_err().message(),
            "Topic name is invalid: '.' is not allowed"
        );
        assert_eq!(
            check_name("..").unwrap_err().message(),
            "Topic name is invalid: '..' is not allowed"
        );
        assert!(check_name("...").is_ok());
    }
}
