//! Strings of JSON as bytes: what the formats that write records as JSON have in common.
//!
//! kcat puts the bytes of a record into a JSON string as they are, so a line may be JSON in form
//! and still not be UTF-8. Strings are therefore read as bytes here, and never repaired.

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, Visitor};
use std::fmt;

use super::decoder::{Decoder, FileRecord, Found, Passed, Place, RefusedAt};
use super::lines::{Line, LineSplitter};
use super::ndjson::is_blank;

/// The longest line that is taken where a line is a whole record with its key and headers: 8 MiB.
///
/// A client sends at most 1 MiB at once ([`MAX_REQUEST_SIZE`](crate::producer::MAX_REQUEST_SIZE)),
/// and a byte takes at most six characters (`\u0000`): 6 MiB, and room for the names around them.
pub const MAX_RECORD_LINE_BYTES: usize = 8 << 20;

/// What a line says, or why it is no record.
type ReadLine = fn(Place, &[u8]) -> Result<FileRecord<'static>, String>;

/// A decoder of lines of at most [`MAX_RECORD_LINE_BYTES`], each of them a record by itself.
pub(super) fn decoder(read: ReadLine) -> Box<dyn Decoder> {
    let lines = LineSplitter::with_limit(MAX_RECORD_LINE_BYTES);
    Box::new(RecordLines { lines, reader: LineReader { read, passed: Passed::default() } })
}

#[derive(Debug)]
struct RecordLines {
    lines: LineSplitter,
    reader: LineReader,
}

#[derive(Debug)]
struct LineReader {
    read: ReadLine,
    passed: Passed,
}

impl LineReader {
    fn take(&mut self, line: Line<'_>, each: &mut dyn FnMut(Found<'_>)) {
        let place = Place::Line(line.number);
        match line.content {
            Ok(content) if is_blank(content) => self.passed.blank += 1,
            Ok(content) => {
                each((self.read)(place, content).map_err(|reason| RefusedAt { place, reason }));
            }
            Err(long) => each(Err(RefusedAt::new(place, long.reason(MAX_RECORD_LINE_BYTES)))),
        }
    }
}

impl Decoder for RecordLines {
    fn feed(&mut self, chunk: &[u8], each: &mut dyn FnMut(Found<'_>)) {
        let Self { lines, reader } = self;
        lines.feed(chunk, |line| reader.take(line, each));
    }

    fn finish(&mut self, each: &mut dyn FnMut(Found<'_>)) {
        let Self { lines, reader } = self;
        std::mem::take(lines).finish(|line| reader.take(line, each));
    }

    fn passed(&self) -> Passed {
        self.reader.passed
    }
}

/// A string of JSON as bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Text(pub(super) Vec<u8>);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OfText;
        impl Visitor<'_> for OfText {
            type Value = Text;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Text, E> {
                Ok(Text(bytes.to_vec()))
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Text, E> {
                Ok(Text(text.as_bytes().to_vec()))
            }
        }
        deserializer.deserialize_bytes(OfText)
    }
}

/// A field that has to be there, and may be `null`: `Option` alone would take a missing one for
/// none.
pub(super) fn nullable<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Option::<T>::deserialize(deserializer)
}

/// A whole number of 64 bits. serde_json reads it digit by digit; a fraction is refused.
pub(super) fn partition<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<i32>, D::Error> {
    let Some(number) = Option::<i64>::deserialize(deserializer)? else { return Ok(None) };
    match i32::try_from(number) {
        Ok(number) if number >= 0 => Ok(Some(number)),
        _ => Err(D::Error::custom(format!("the partition is {number}, and is 0 to 2147483647"))),
    }
}

/// What serde_json says, with the byte of the line.
pub(super) fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let message = text.rsplit_once(" at line ").map_or(&*text, |(message, _)| message);
    match error.column() {
        0 => format!("{message}."),
        column => format!("byte {column}: {message}."),
    }
}
