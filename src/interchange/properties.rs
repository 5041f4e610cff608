//! The properties of Kafka's console tools, as `--reader-property` and `--formatter-property` give
//! them: names and texts.

use std::collections::BTreeMap;

use crate::error::{Error, Result};

/// Names and values.
pub type Properties = BTreeMap<String, String>;

/// The most properties that are taken, and the most bytes of one.
pub const MAX_PROPERTIES: usize = 100;
/// See [`MAX_PROPERTIES`].
pub const MAX_PROPERTY_BYTES: usize = 10_000;

/// Whether they are within their limits.
pub(super) fn check(properties: &Properties) -> Result<()> {
    let long = properties.iter().any(|(name, value)| name.len() + value.len() > MAX_PROPERTY_BYTES);
    if long || properties.len() > MAX_PROPERTIES {
        return Err(Error::limit(
            "MAX_PROPERTIES",
            format!(
                "There are {} properties, of which {MAX_PROPERTIES} are taken, each of at most \
                 {MAX_PROPERTY_BYTES} bytes.",
                properties.len()
            ),
        )
        .with_hint("Leave out what the tool does not know anyway."));
    }
    Ok(())
}

/// A property that is true or false: `true` in any case, trimmed; all else is false.
pub(super) fn is_true(properties: &Properties, name: &str, default: bool) -> bool {
    properties.get(name).map_or(default, |value| value.trim().eq_ignore_ascii_case("true"))
}

/// A property, or what it is unless given.
pub(super) fn text<'p>(properties: &'p Properties, name: &str, default: &'p str) -> &'p str {
    properties.get(name).map_or(default, String::as_str)
}
