//! What is said of a pattern that cannot be read: RE2/J's words and Java's.

use super::Wrong;

pub(super) fn syntax(what: impl Into<String>, at: Option<usize>) -> Wrong {
    Wrong::Syntax { what: what.into(), at }
}

/// The text of a `PatternSyntaxException`. Source: its `getMessage`.
pub(super) fn java_text(pattern: &str, what: &str, at: Option<usize>) -> String {
    let Some(at) = at else { return format!("{what}\n{pattern}") };
    let text = format!("{what} near index {at}\n{pattern}");
    if at < pattern.encode_utf16().count() { format!("{text}\n{}^", " ".repeat(at)) } else { text }
}
