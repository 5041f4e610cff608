//! Where in a JSON value, or in which column, something is.
//!
//! A text that begins with `$` is a path: `$.user.id`, `$.items[0]`, `$["a b"]`. Any other is the
//! name of one top-level field or column, whatever characters it has: `a.b` is the field `a.b`.

use super::json::{self, Bad};
use crate::error::{Error, Result};

/// How many steps a path may have.
pub const MAX_STEPS: usize = 100;

/// A path, read.
///
/// ```
/// use loglanes::interchange::path::Path;
///
/// assert!(Path::parse("$.user.id").is_ok() && Path::parse("user id").is_ok());
/// assert!(Path::parse("$.user..id").is_err() && Path::parse("").is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    text: String,
    steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Name(String),
    Index(usize),
}

impl Path {
    /// Reads a path.
    ///
    /// # Errors
    ///
    /// An empty text, a path that does not follow the rules, or more than [`MAX_STEPS`].
    pub fn parse(text: &str) -> Result<Self> {
        let refuse = |why: &str| {
            Error::loglanes(format!("{text:?} is no path: {why}.")).with_hint(
                "Write the name of a field, or a path such as $.user.id, $.items[0] or $[\"a b\"].",
            )
        };
        if text.is_empty() {
            return Err(refuse("it is empty"));
        }
        let Some(mut rest) = text.strip_prefix('$') else {
            return Ok(Self { text: text.to_owned(), steps: vec![Step::Name(text.to_owned())] });
        };
        let mut steps = Vec::new();
        while !rest.is_empty() {
            if steps.len() == MAX_STEPS {
                return Err(refuse("it has more than 100 steps"));
            }
            if let Some(after) = rest.strip_prefix('.') {
                let end = after.find(['.', '[']).unwrap_or(after.len());
                let (name, after) = after.split_at(end);
                if name.is_empty() {
                    return Err(refuse("a name is missing after a dot"));
                }
                steps.push(Step::Name(name.to_owned()));
                rest = after;
            } else if let Some(after) = rest.strip_prefix('[') {
                let mut parser = serde_json::Deserializer::from_str(after).into_iter();
                let step = match parser.next() {
                    Some(Ok(serde_json::Value::String(name))) => Step::Name(name),
                    Some(Ok(serde_json::Value::Number(number))) => number
                        .as_u64()
                        .and_then(|number| usize::try_from(number).ok())
                        .map(Step::Index)
                        .ok_or_else(|| refuse("an index is no whole number from 0"))?,
                    _ => return Err(refuse("between brackets stands a number or a quoted name")),
                };
                rest = after
                    .get(parser.byte_offset()..)
                    .and_then(|after| after.strip_prefix(']'))
                    .ok_or_else(|| refuse("a bracket is not closed"))?;
                steps.push(step);
            } else {
                return Err(refuse("a dot or a bracket is missing"));
            }
        }
        if steps.is_empty() {
            return Err(refuse("$ alone is the whole value"));
        }
        Ok(Self { text: text.to_owned(), steps })
    }

    /// The path as it was given.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The name of a top-level field, if that is all it is.
    #[must_use]
    pub fn top_level(&self) -> Option<&str> {
        match self.steps.as_slice() {
            [Step::Name(name)] => Some(name),
            _ => None,
        }
    }

    /// The source text of what is there; none if there is nothing.
    pub(super) fn find<'a>(&self, text: &'a str) -> std::result::Result<Option<&'a str>, Bad> {
        let mut at = text;
        for (depth, step) in self.steps.iter().enumerate() {
            let found = match step {
                Step::Name(name) => match json::field(at, name) {
                    // What is no object has no such field; of the whole, it is worth telling.
                    Err(Bad::NotAnObject) if depth > 0 => None,
                    found => found?,
                },
                Step::Index(index) => json::element(at, *index)?,
            };
            match found {
                Some(source) => at = source,
                None => return Ok(None),
            }
        }
        Ok(Some(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_find_what_they_name() {
        let text = r#"{"a":{"b":[10,{"c d":"x"}],"e":null},"a.b":1,"$x":2,"n":0.10}"#;
        for (path, found) in [
            ("a.b", Some("1")),
            ("n", Some("0.10")),
            ("$.a.b[0]", Some("10")),
            ("$.a.b[1][\"c d\"]", Some("\"x\"")),
            ("$[\"a.b\"]", Some("1")),
            ("$[\"$x\"]", Some("2")),
            ("$.a.e", Some("null")),
            ("$.a.b[2]", None),
            ("$.a.x.y", None),
            ("$.n.x", None),
            ("$.n[0]", None),
            ("missing", None),
        ] {
            assert_eq!(Path::parse(path).unwrap().find(text), Ok(found), "{path}");
        }
        let top = Path::parse("a").unwrap();
        assert_eq!(top.find("[1]"), Err(Bad::NotAnObject));
        assert_eq!(Path::parse("$[1]").unwrap().find("[1, 2]"), Ok(Some("2")));
    }

    #[test]
    fn what_is_no_path_is_refused_with_the_reason() {
        for (path, why) in [
            ("", "it is empty"),
            ("$", "$ alone is the whole value"),
            ("$a", "a dot or a bracket is missing"),
            ("$.", "a name is missing"),
            ("$.a..b", "a name is missing"),
            ("$[x]", "between brackets"),
            ("$[-1]", "no whole number"),
            ("$[0", "not closed"),
            ("$[\"a\"", "not closed"),
        ] {
            let error = Path::parse(path).unwrap_err();
            assert!(error.message().contains(why), "{path}: {}", error.message());
        }
        assert!(Path::parse(&format!("${}", ".a".repeat(MAX_STEPS))).is_ok());
        assert!(Path::parse(&format!("${}", ".a".repeat(MAX_STEPS + 1))).is_err());
    }
}
