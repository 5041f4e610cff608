//! NDJSON: one JSON value a line, each line a record.
//!
//! The value of the record is the line, byte for byte. Its key is a top-level field, if one is
//! asked for:
//!
//! | the field is | the key is |
//! |---|---|
//! | a string | its text as UTF-8, escapes resolved; the empty string is the empty key |
//! | a number, `true`, `false` | its source text, digit for digit |
//! | an array or an object | its source text, unchanged |
//! | `null` | none: the record has no key |
//! | missing | the line is refused: a misspelt field must not make a file keyless |
//! | there more than once | the last one counts, as for JSON parsers in general |
//!
//! Every line must be valid JSON in UTF-8. Lines of nothing but white space are no records and
//! are only counted.

use super::decoder::{Decoder, FileRecord, Found, Passed, Place, RefusedAt};
use super::json::{self, Bad};
use super::lines::{Line, LineSplitter, LineTooLong, MAX_LINE_BYTES};
use std::borrow::Cow;
use std::fmt;

pub use super::json::MAX_DEPTH;

/// A line as a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NdjsonRecord<'a> {
    /// The number of the line, from 1.
    pub line: u64,
    /// The key, or none.
    pub key: Option<Cow<'a, [u8]>>,
    /// The line without its ending.
    pub value: &'a [u8],
}

/// A line that is no record, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedLine {
    /// The number of the line, from 1.
    pub line: u64,
    /// The byte of the line at which it was noticed, from 1, or the one before it; 0 where it is
    /// the line as a whole.
    pub column: usize,
    /// What is wrong with it.
    pub reason: RefusedBecause,
}

/// What is wrong with a line; [`fmt::Display`] says it in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefusedBecause {
    /// It has more than [`MAX_LINE_BYTES`].
    TooLong {
        /// How many it has.
        bytes: u64,
    },
    /// It is not UTF-8, as JSON must be.
    NotUtf8,
    /// It is not JSON.
    Syntax(
        /// The parser's words.
        String,
    ),
    /// Arrays and objects stand in each other deeper than [`MAX_DEPTH`].
    TooDeep,
    /// It is a JSON value without fields, and a key field is asked for.
    NotAnObject,
    /// It does not have the key field.
    NoSuchField(
        /// The field's name.
        String,
    ),
}

/// Turns a file of NDJSON, fed in chunks, into records.
///
/// ```
/// use loglanes::interchange::ndjson::NdjsonReader;
///
/// let mut reader = NdjsonReader::new(Some("origin".to_owned()));
/// let mut keys = Vec::new();
/// let mut refused = Vec::new();
/// reader.feed(b"{\"origin\":\"LAS\"}\n{\"origin\":null}\n{\"orig", |line| match line {
///     Ok(record) => keys.push(record.key.map(|key| key.into_owned())),
///     Err(line) => refused.push(line.to_string()),
/// });
/// let counts = reader.finish(|line| refused.push(line.unwrap_err().to_string()));
/// assert_eq!(keys, [Some(b"LAS".to_vec()), None]);
/// assert_eq!(refused, ["Line 3, byte 6: EOF while parsing a string."]);
/// assert_eq!((counts.records, counts.null_keys, counts.refused), (2, 1, 1));
/// ```
#[derive(Debug, Clone)]
pub struct NdjsonReader {
    lines: LineSplitter,
    taker: Taker,
}

/// How the lines of a file were taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NdjsonCounts {
    /// Lines that became records.
    pub records: u64,
    /// Records whose key field is `null`, and which so have no key.
    pub null_keys: u64,
    /// Lines that were refused.
    pub refused: u64,
    /// Lines of nothing but white space.
    pub blank: u64,
}

#[derive(Debug, Clone)]
struct Taker {
    key_field: Option<String>,
    counts: NdjsonCounts,
}

impl NdjsonReader {
    /// A reader at the beginning of a file; without a `key_field` no record has a key.
    #[must_use]
    pub fn new(key_field: Option<String>) -> Self {
        let taker = Taker { key_field, counts: NdjsonCounts::default() };
        Self { lines: LineSplitter::new(), taker }
    }

    /// How the lines were taken so far.
    #[must_use]
    pub fn counts(&self) -> NdjsonCounts {
        self.taker.counts
    }

    /// Takes the next bytes of the file and calls `each` for every line that ends in them.
    pub fn feed(
        &mut self,
        chunk: &[u8],
        mut each: impl FnMut(Result<NdjsonRecord<'_>, RefusedLine>),
    ) {
        let taker = &mut self.taker;
        self.lines.feed(chunk, |line| taker.take(line, &mut each));
    }

    /// Says that the file is over: the last line may stand without an ending.
    pub fn finish(
        self,
        mut each: impl FnMut(Result<NdjsonRecord<'_>, RefusedLine>),
    ) -> NdjsonCounts {
        let mut taker = self.taker;
        self.lines.finish(|line| taker.take(line, &mut each));
        taker.counts
    }
}

impl Taker {
    fn take(
        &mut self,
        line: Line<'_>,
        each: &mut impl FnMut(Result<NdjsonRecord<'_>, RefusedLine>),
    ) {
        let number = line.number;
        let value = match line.content {
            Ok(bytes) if is_blank(bytes) => {
                self.counts.blank += 1;
                return;
            }
            Ok(bytes) => bytes,
            Err(LineTooLong { bytes }) => {
                self.counts.refused += 1;
                let reason = RefusedBecause::TooLong { bytes };
                return each(Err(RefusedLine { line: number, column: 0, reason }));
            }
        };
        match key_of(value, self.key_field.as_deref()) {
            Ok(key) => {
                self.counts.records += 1;
                self.counts.null_keys += u64::from(self.key_field.is_some() && key.is_none());
                each(Ok(NdjsonRecord { line: number, key, value }));
            }
            Err((column, reason)) => {
                self.counts.refused += 1;
                each(Err(RefusedLine { line: number, column, reason }));
            }
        }
    }
}

/// The reader as a [`Decoder`], with a top-level field as the key, or none.
pub(super) fn decoder(key_field: Option<String>) -> Box<dyn Decoder> {
    Box::new(NdjsonDecoder(NdjsonReader::new(key_field)))
}

#[derive(Debug)]
struct NdjsonDecoder(NdjsonReader);

fn found(line: Result<NdjsonRecord<'_>, RefusedLine>) -> Found<'_> {
    match line {
        Ok(NdjsonRecord { line, key, value }) => {
            Ok(FileRecord { key, ..FileRecord::of_value(Place::Line(line), value) })
        }
        Err(RefusedLine { line, column, reason }) => Err(RefusedAt {
            place: Place::Line(line),
            reason: match column {
                0 => reason.to_string(),
                _ => format!("byte {column}: {reason}"),
            },
        }),
    }
}

impl Decoder for NdjsonDecoder {
    fn feed(&mut self, chunk: &[u8], each: &mut dyn FnMut(Found<'_>)) {
        self.0.feed(chunk, |line| each(found(line)));
    }

    fn finish(&mut self, each: &mut dyn FnMut(Found<'_>)) {
        let taker = &mut self.0.taker;
        std::mem::take(&mut self.0.lines)
            .finish(|line| taker.take(line, &mut |line: Result<_, _>| each(found(line))));
    }

    fn passed(&self) -> Passed {
        let NdjsonCounts { blank, null_keys, .. } = self.0.counts();
        Passed { blank, null_keys, continued: 0 }
    }
}

/// Whether a line has nothing but what JSON calls white space.
pub(super) fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
}

type Refused = (usize, RefusedBecause);

fn key_of<'a>(line: &'a [u8], field: Option<&str>) -> Result<Option<Cow<'a, [u8]>>, Refused> {
    let text = json::check(line)?;
    let Some(name) = field else {
        json::any_value(text)?;
        return Ok(None);
    };
    let source = json::field(text, name)?
        .ok_or_else(|| (0, RefusedBecause::NoSuchField(name.to_owned())))?;
    json::scalar(source).map_err(|bad| match bad {
        Bad::Syntax { column, message } => {
            // The column counts from the string's first byte; the line is what is named.
            let before = source.as_ptr() as usize - text.as_ptr() as usize;
            Bad::Syntax { column: before + column, message }.into()
        }
        bad => bad.into(),
    })
}

impl From<Bad> for Refused {
    fn from(bad: Bad) -> Self {
        match bad {
            Bad::NotUtf8 { column } => (column, RefusedBecause::NotUtf8),
            Bad::Syntax { column, message } => (column, RefusedBecause::Syntax(message)),
            Bad::TooDeep { column } => (column, RefusedBecause::TooDeep),
            Bad::NotAnObject => (0, RefusedBecause::NotAnObject),
        }
    }
}

impl fmt::Display for RefusedLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Line {}", self.line)?;
        if self.column > 0 {
            write!(f, ", byte {}", self.column)?;
        }
        write!(f, ": {}", self.reason)
    }
}

impl fmt::Display for RefusedBecause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { bytes } => {
                write!(f, "{bytes} bytes are more than the {MAX_LINE_BYTES} a line may have.")
            }
            Self::NotUtf8 => f.write_str("not UTF-8, which JSON must be."),
            Self::Syntax(message) => write!(f, "{message}."),
            Self::TooDeep => write!(f, "nested deeper than {MAX_DEPTH} levels."),
            Self::NotAnObject => {
                f.write_str("not a JSON object, so it has no field to be the key.")
            }
            Self::NoSuchField(name) => write!(f, "the object has no field {name:?}."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Taken = Result<(Option<Vec<u8>>, Vec<u8>), String>;

    fn read(file: &[u8], field: Option<&str>, chunk: usize) -> (Vec<Taken>, NdjsonCounts) {
        let mut taken = Vec::new();
        let mut each = |line: Result<NdjsonRecord<'_>, RefusedLine>| {
            taken.push(match line {
                Ok(record) => Ok((record.key.map(Cow::into_owned), record.value.to_vec())),
                Err(line) => Err(line.to_string()),
            });
        };
        let mut reader = NdjsonReader::new(field.map(str::to_owned));
        for chunk in file.chunks(chunk) {
            reader.feed(chunk, &mut each);
        }
        let counts = reader.finish(&mut each);
        (taken, counts)
    }

    fn one(line: &str) -> Result<Option<Vec<u8>>, String> {
        let (mut taken, _) = read(line.as_bytes(), Some("k"), usize::MAX);
        assert_eq!(taken.len(), 1, "{line}");
        taken.remove(0).map(|(key, value)| {
            assert_eq!(value, line.as_bytes(), "the value is the line unchanged");
            key
        })
    }

    #[test]
    fn the_key_is_the_field_as_the_table_says() {
        let table: &[(&str, Option<&str>)] = &[
            (r#"{"k":"LAS"}"#, Some("LAS")),
            (r#"{"k":""}"#, Some("")),
            (r#"{"k":"null"}"#, Some("null")),
            (r#"{"k":null}"#, None),
            (r#"{"k" : null , "l":1}"#, None),
            (r#"  {"a":{"k":1},"k":2} "#, Some("2")),
            (r#"{"k":73000000000000001}"#, Some("73000000000000001")),
            (r#"{"k":-0.10e+2}"#, Some("-0.10e+2")),
            (r#"{"k":1e999}"#, Some("1e999")),
            (r#"{"k":true}"#, Some("true")),
            (r#"{"k":false}"#, Some("false")),
            (r#"{"k": {"b" : 1, "a":[ ]} }"#, Some(r#"{"b" : 1, "a":[ ]}"#)),
            (r#"{"k":[1, 2]}"#, Some("[1, 2]")),
            (r#"{"k":"a\"b\\c\/d\n\u00e9\ud83d\ude00"}"#, Some("a\"b\\c/d\né😀")),
            (r#"{"k":"é😀"}"#, Some("é😀")),
            (r#"{"\u006b":"escaped name"}"#, Some("escaped name")),
            (r#"{"k":1,"k":2}"#, Some("2")),
            (r#"{"k":1,"k":null}"#, None),
            (r#"{"l":"\ud800","k":1}"#, Some("1")),
        ];
        for (line, key) in table {
            assert_eq!(one(line), Ok(key.map(|key| key.as_bytes().to_vec())), "{line}");
        }
    }

    #[test]
    fn what_cannot_be_taken_is_refused_with_its_place_and_the_reason() {
        let table = [
            (r#"{"K":1}"#, r#"Line 1: the object has no field "k"."#),
            ("{}", r#"Line 1: the object has no field "k"."#),
            ("12", "Line 1: not a JSON object, so it has no field to be the key."),
            (r#"["k"]"#, "Line 1: not a JSON object, so it has no field to be the key."),
            ("[1,", "Line 1, byte 3: EOF while parsing a value."),
            (r#"{"k":1}}"#, "Line 1, byte 8: trailing characters."),
            (r#"{"k":1} {"k":2}"#, "Line 1, byte 9: trailing characters."),
            (r#"{"k":01}"#, "Line 1, byte 7: invalid number."),
            (r#"{"k":tru}"#, "Line 1, byte 9: expected ident."),
            (r#"{"k":1,}"#, "Line 1, byte 8: trailing comma."),
            (r#"{'k':1}"#, "Line 1, byte 2: key must be a string."),
            (
                "{\"k\":\"a\tb\"}",
                "Line 1, byte 7: control character (\\u0000-\\u001F) found while parsing a string.",
            ),
            (r#"{"k":"\ud800"}"#, "Line 1, byte 13: unexpected end of hex escape."),
            ("{\"k\":1}\u{feff}", "Line 1, byte 8: trailing characters."),
        ];
        for (line, refusal) in table {
            assert_eq!(one(line), Err(refusal.to_owned()), "{line}");
        }
        let (taken, _) = read(b"{\"k\":\"\xff\xfe\x80\"}", Some("k"), 5);
        assert_eq!(taken, [Err("Line 1, byte 7: not UTF-8, which JSON must be.".to_owned())]);
    }

    #[test]
    fn nesting_of_ten_thousand_levels_is_refused_and_not_a_crash() {
        let deep = format!("{{\"k\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
        let refusal = format!("Line 1, byte {}: nested deeper than 1000 levels.", 5 + MAX_DEPTH);
        assert_eq!(one(&deep), Err(refusal));
        let most = format!("{{\"k\":{}{}}}", "[".repeat(999), "]".repeat(999));
        assert_eq!(one(&most).map(|key| key.map(|key| key.len())), Ok(Some(2 * 999)));
    }

    #[test]
    fn a_line_at_the_limit_is_a_record_and_one_byte_more_is_refused() {
        for (pad, taken) in [(0, true), (1, false)] {
            let rest = r#"{"k":""}"#.len();
            let line = format!(r#"{{"k":"{}"}}"#, "x".repeat(MAX_LINE_BYTES - rest + pad));
            let file = format!("{line}\n{{\"k\":1}}\n");
            let (lines, counts) = read(file.as_bytes(), Some("k"), 65_536);
            let refusal = "Line 1: 1048577 bytes are more than the 1048576 a line may have.";
            assert_eq!(lines[0].as_ref().err().map(String::as_str), (!taken).then_some(refusal));
            assert_eq!(lines[1], Ok((Some(b"1".to_vec()), b"{\"k\":1}".to_vec())));
            assert_eq!((counts.records, counts.refused), if taken { (2, 0) } else { (1, 1) });
        }
    }

    #[test]
    fn without_a_key_field_any_json_is_a_keyless_record() {
        let (taken, counts) = read(b"1\n\"x\"\nnull\n[]\n{\"k\":1}\nnope\n", None, 3);
        let keyless = |value: &str| Ok((None, value.as_bytes().to_vec()));
        assert_eq!(taken[..5], ["1", "\"x\"", "null", "[]", "{\"k\":1}"].map(keyless));
        assert!(taken[5].is_err());
        assert_eq!(counts, NdjsonCounts { records: 5, null_keys: 0, refused: 1, blank: 0 });
    }

    #[test]
    fn blank_lines_keep_the_numbers_right_and_are_no_records() {
        let (taken, counts) = read(b"\xef\xbb\xbf{\"k\":1}\r\n\r\n \t\nx\n", Some("k"), 2);
        assert_eq!(taken[0], Ok((Some(b"1".to_vec()), b"{\"k\":1}".to_vec())));
        assert_eq!(taken[1], Err("Line 4, byte 1: expected value.".to_owned()));
        assert_eq!(counts, NdjsonCounts { records: 1, null_keys: 0, refused: 1, blank: 2 });
    }

    proptest! {
        /// The oracle builds the whole value, which keeps the last of equal fields too.
        #[test]
        fn keys_are_what_a_whole_parse_says(
            fields in proptest::collection::vec(("[kab]", json_value()), 0..5),
            chunk in 1usize..40,
        ) {
            let body: Vec<_> =
                fields.iter().map(|(name, value)| format!("{name:?}: {value}")).collect();
            let line = format!("{{{}}}", body.join(" ,"));
            let whole: serde_json::Value = serde_json::from_str(&line).unwrap();
            let want = match &whole["k"] {
                serde_json::Value::Null if whole.get("k").is_none() => Err(()),
                serde_json::Value::Null => Ok(None),
                serde_json::Value::String(text) => Ok(Some(text.clone().into_bytes())),
                other => Ok(Some(serde_json::to_vec(other).unwrap())),
            };
            let (taken, _) = read(line.as_bytes(), Some("k"), chunk);
            prop_assert_eq!(taken.len(), 1);
            let got = taken[0].clone().map(|(key, _)| key).map_err(|_| ());
            prop_assert_eq!(got, want);
        }

        #[test]
        fn no_bytes_make_the_reader_panic(file: Vec<u8>, chunk in 1usize..9) {
            let (taken, counts) = read(&file, Some("k"), chunk);
            prop_assert_eq!(taken.len() as u64, counts.records + counts.refused);
        }
    }

    fn json_value() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<bool>().prop_map(Into::into),
            any::<i64>().prop_map(Into::into),
            any::<String>().prop_map(Into::into),
        ];
        leaf.prop_recursive(3, 12, 3, |inner| {
            proptest::collection::vec(inner, 0..3).prop_map(Into::into)
        })
    }
}
