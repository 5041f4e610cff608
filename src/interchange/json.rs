//! One line as JSON: whether it is valid, and its top-level field of a given name.
//!
//! serde_json checks the syntax and cuts the field out as source text, so that numbers keep all
//! their digits. Nothing is built that is not asked for.

use serde::de::{DeserializeSeed, Deserializer as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// How deep arrays and objects may stand in each other: 1,000, the outermost included.
///
/// The same as the default of Jackson 2, the JSON library of Kafka's own `JsonConverter`, so what
/// is taken here can also be read there.
pub const MAX_DEPTH: usize = 1000;

/// Why a line is no usable JSON; `column` is the byte it was noticed at, from 1,
/// or the one before: serde_json tells how far it had read.
#[derive(Debug, PartialEq)]
pub(super) enum Bad {
    NotUtf8 { column: usize },
    Syntax { column: usize, message: String },
    TooDeep { column: usize },
    NotAnObject,
}

/// Checks that a line is JSON of a bearable depth, and lends it as text.
pub(super) fn check(line: &[u8]) -> Result<&str, Bad> {
    let text = str::from_utf8(line).map_err(|e| Bad::NotUtf8 { column: e.valid_up_to() + 1 })?;
    check_depth(line)?;
    Ok(text)
}

/// Whether a line is any JSON value and nothing else.
pub(super) fn any_value(text: &str) -> Result<(), Bad> {
    serde_json::from_str::<IgnoredAny>(text).map(drop).map_err(|e| syntax(&e))
}

/// The source text of the field `name` of an object, the last one if there are more; `None` if
/// it has none.
pub(super) fn field<'a>(text: &'a str, name: &str) -> Result<Option<&'a str>, Bad> {
    require_object(text)?;
    let mut parser = serde_json::Deserializer::from_str(text);
    let found = parser.deserialize_map(Find { name }).map_err(|e| syntax(&e))?;
    parser.end().map_err(|e| syntax(&e))?;
    Ok(found.map(RawValue::get))
}

/// Calls `each` for every top-level field of an object, in order, with the source of its value.
pub(super) fn each_field<'a>(text: &'a str, each: impl FnMut(String, &'a str)) -> Result<(), Bad> {
    require_object(text)?;
    let mut parser = serde_json::Deserializer::from_str(text);
    parser.deserialize_map(Each { each }).map_err(|e| syntax(&e))?;
    parser.end().map_err(|e| syntax(&e))
}

/// The text that a JSON string stands for; lent where nothing in it is escaped.
pub(super) fn decode_string(source: &str) -> Result<Cow<'_, str>, Bad> {
    match source.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inner) if memchr::memchr(b'\\', inner.as_bytes()).is_none() => Ok(inner.into()),
        _ => serde_json::from_str::<String>(source).map(Cow::Owned).map_err(|e| syntax(&e)),
    }
}

/// What a field is as bytes: a string's text, `null` none, anything else its source, digit for
/// digit.
pub(super) fn scalar(source: &str) -> Result<Option<Cow<'_, [u8]>>, Bad> {
    match source.as_bytes() {
        b"null" => Ok(None),
        [b'"', ..] => Ok(Some(match decode_string(source)? {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        })),
        source => Ok(Some(Cow::Borrowed(source))),
    }
}

/// The source text of an array's element; `None` if it has none such, or is no array.
pub(super) fn element(text: &str, index: usize) -> Result<Option<&str>, Bad> {
    if !text.trim_ascii_start().starts_with('[') {
        any_value(text)?;
        return Ok(None);
    }
    let mut parser = serde_json::Deserializer::from_str(text);
    let found = parser.deserialize_seq(Nth { index }).map_err(|e| syntax(&e))?;
    parser.end().map_err(|e| syntax(&e))?;
    Ok(found.map(RawValue::get))
}

impl Bad {
    /// The reason as a sentence about a record's value.
    pub(super) fn in_value(&self) -> String {
        match self {
            Self::NotUtf8 { column } => {
                format!("byte {column} of the value: not UTF-8, which JSON must be.")
            }
            Self::Syntax { column, message } => format!("byte {column} of the value: {message}."),
            Self::TooDeep { column } => {
                format!("byte {column} of the value: nested deeper than {MAX_DEPTH} levels.")
            }
            Self::NotAnObject => "the value is no JSON object, so it has no fields.".to_owned(),
        }
    }
}

fn require_object(text: &str) -> Result<(), Bad> {
    if text.trim_ascii_start().starts_with('{') {
        return Ok(());
    }
    any_value(text)?;
    Err(Bad::NotAnObject)
}

/// serde_json passes over nested values without recursion and so without a limit; this is ours.
pub(super) fn check_depth(line: &[u8]) -> Result<(), Bad> {
    let opens = |byte: &&u8| **byte | 0x20 == b'{';
    // Most lines are decided by their length, nearly all others by counting brackets.
    if line.len() <= MAX_DEPTH || line.iter().filter(opens).count() <= MAX_DEPTH {
        return Ok(());
    }
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (at, &byte) in line.iter().enumerate() {
        if in_string {
            in_string = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'[' | b'{' => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Err(Bad::TooDeep { column: at + 1 });
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(())
}

fn syntax(error: &serde_json::Error) -> Bad {
    let text = error.to_string();
    // The place is told apart, and the line would always be 1.
    let message = text.rsplit_once(" at line ").map_or(&*text, |(message, _)| message).to_owned();
    Bad::Syntax { column: error.column(), message }
}

struct Nth {
    index: usize,
}

impl<'de> Visitor<'de> for Nth {
    type Value = Option<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        for _ in 0..self.index {
            if seq.next_element::<IgnoredAny>()?.is_none() {
                return Ok(None);
            }
        }
        let found = seq.next_element()?;
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(found)
    }
}

struct Find<'n> {
    name: &'n str,
}

impl<'de> Visitor<'de> for Find<'_> {
    type Value = Option<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(is_it) = map.next_key_seed(IsName(self.name))? {
            if is_it {
                found = Some(map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

/// Compares a field's name without keeping it.
struct IsName<'n>(&'n str);

impl<'de> DeserializeSeed<'de> for IsName<'_> {
    type Value = bool;

    fn deserialize<D: serde::Deserializer<'de>>(self, parser: D) -> Result<bool, D::Error> {
        parser.deserialize_str(self)
    }
}

impl Visitor<'_> for IsName<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field name")
    }

    fn visit_str<E>(self, name: &str) -> Result<bool, E> {
        Ok(name == self.0)
    }
}

struct Each<F> {
    each: F,
}

impl<'de, F: FnMut(String, &'de str)> Visitor<'de> for Each<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key()? {
            let value: &'de RawValue = map.next_value()?;
            (self.each)(name, value.get());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(depth: usize) -> String {
        "[".repeat(depth) + &"]".repeat(depth)
    }

    #[test]
    fn depth_is_taken_to_the_limit_and_refused_beyond() {
        assert_eq!(check(nested(MAX_DEPTH).as_bytes()).map(any_value), Ok(Ok(())));
        for depth in [MAX_DEPTH + 1, 10_000, 100_000] {
            let deep = nested(depth);
            assert_eq!(check(deep.as_bytes()), Err(Bad::TooDeep { column: MAX_DEPTH + 1 }));
        }
    }

    #[test]
    fn brackets_in_strings_are_not_depth() {
        let line = format!(r#"{{"a":"\"{}\\"}}"#, "[{".repeat(MAX_DEPTH));
        assert_eq!(check(line.as_bytes()).map(any_value), Ok(Ok(())));
        let wide = format!("[{}1]", "[],{},".repeat(MAX_DEPTH));
        assert_eq!(check(wide.as_bytes()).map(any_value), Ok(Ok(())));
    }
}
