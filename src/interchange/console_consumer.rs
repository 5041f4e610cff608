//! What `kafka-console-consumer` prints, by the properties of its `DefaultMessageFormatter`:
//! `print.timestamp`, `print.partition`, `print.offset`, `print.delivery`, `print.epoch`,
//! `print.headers`, `print.key`, `print.value`, `key.separator`, `line.separator`,
//! `headers.separator`, `null.literal`.
//!
//! The text does not tell everything:
//! - `null` may be none or the four letters; which of the two is said with the format.
//! - A value with a line's end in it goes on on the next line. A line that does not begin as the
//!   first columns do is therefore the rest of the value before it, never a record; such lines are
//!   counted. Where nothing but values is printed, every line is a value.
//! - The first separator after the key parts it from the value.
//!
//! Source: `org.apache.kafka.tools.consumer.DefaultMessageFormatter`, Apache Kafka 4.4.0, and
//! recorded output.

use std::borrow::Cow;
use std::io::Write as _;

use super::decoder::{Decoder, FileHeader, FileRecord, Found, Passed, Place, RefusedAt};
use super::encoder::{Encoder, Lying};
use super::java_text::repair;
use super::jsonlines::MAX_RECORD_LINE_BYTES;
use super::pieces::{self, Ending, Piece, PieceReader, too_long};
use super::properties::{self, Properties};
use crate::error::{Error, Result};

/// The columns and what stands between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) timestamp: bool,
    pub(super) partition: bool,
    pub(super) offset: bool,
    pub(super) delivery: bool,
    pub(super) epoch: bool,
    pub(super) headers: bool,
    pub(super) key: bool,
    pub(super) value: bool,
    pub(super) separator: Vec<u8>,
    line_separator: Vec<u8>,
    headers_separator: Vec<u8>,
    null_literal: Vec<u8>,
}

impl Layout {
    fn new(properties: &Properties) -> Self {
        let printed = |name| properties::is_true(properties, name, false);
        let bytes = |name, default| properties::text(properties, name, default).as_bytes().to_vec();
        Self {
            timestamp: printed("print.timestamp"),
            partition: printed("print.partition"),
            offset: printed("print.offset"),
            delivery: printed("print.delivery"),
            epoch: printed("print.epoch"),
            headers: printed("print.headers"),
            key: printed("print.key"),
            value: properties::is_true(properties, "print.value", true),
            separator: bytes("key.separator", "\t"),
            line_separator: bytes("line.separator", "\n"),
            headers_separator: bytes("headers.separator", ","),
            null_literal: bytes("null.literal", "null"),
        }
    }

    /// Whether a column says by itself that a record begins.
    fn is_marked(&self) -> bool {
        self.timestamp || self.partition || self.offset || self.delivery || self.epoch
    }
}

#[derive(Debug)]
struct Reader {
    layout: Layout,
    /// Whether the null literal is none.
    nulls: bool,
    /// The record that may go on, and the line it begins on.
    open: Option<(u64, Vec<u8>)>,
    /// The open record has become too long.
    overflow: u64,
    passed: Passed,
}

/// A reader of text that `kafka-console-consumer` printed with these properties. `nulls`: the null
/// literal is none, not text.
///
/// # Errors
///
/// Properties with which nothing can be told apart: no value, an empty separator.
pub fn decoder(properties: &Properties, nulls: bool) -> Result<Box<dyn Decoder>> {
    properties::check(properties)?;
    let layout = Layout::new(properties);
    if !layout.value {
        return Err(Error::loglanes("With print.value=false there is no value in the text.")
            .with_hint("Print the values as well, or read the text in another format."));
    }
    let columns = layout.is_marked() || layout.headers || layout.key;
    if layout.line_separator.is_empty() || columns && layout.separator.is_empty() {
        return Err(Error::loglanes("An empty separator parts nothing.")
            .with_hint("Name the key.separator and the line.separator that were printed."));
    }
    let ending = Ending::Bytes(layout.line_separator.clone());
    let (open, overflow, passed) = (None, 0, Passed::default());
    Ok(pieces::decoder(ending, Reader { layout, nulls, open, overflow, passed }))
}

/// The columns that mark a record, and what follows them.
struct Marks<'a> {
    timestamp: Option<i64>,
    partition: Option<i32>,
    offset: Option<i64>,
    rest: &'a [u8],
}

impl Layout {
    /// What stands before the first separator, and after it.
    fn part<'a>(&self, rest: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
        let at = memchr::memmem::find(rest, &self.separator)?;
        Some((rest.get(..at)?, rest.get(at + self.separator.len()..)?))
    }

    /// The first columns, if a record begins here.
    fn marks<'a>(&self, line: &'a [u8]) -> Option<Marks<'a>> {
        let mut marks = Marks { timestamp: None, partition: None, offset: None, rest: line };
        let mut column = |printed: bool, names: &[&str]| -> Option<Option<&'a str>> {
            if !printed {
                return Some(None);
            }
            let (cell, rest) = self.part(marks.rest)?;
            marks.rest = rest;
            let cell = str::from_utf8(cell).ok()?;
            names.iter().find_map(|name| cell.strip_prefix(name)).map(Some)
        };
        let timestamp = column(self.timestamp, &["CreateTime:", "LogAppendTime:", "NO_TIMESTAMP"])?;
        let partition = column(self.partition, &["Partition:"])?;
        let offset = column(self.offset, &["Offset:"])?;
        column(self.delivery, &["Delivery:"])?;
        column(self.epoch, &["Epoch:"])?;
        marks.timestamp =
            timestamp.filter(|text| !text.is_empty()).map(str::parse).transpose().ok()?;
        marks.partition = partition.map(str::parse).transpose().ok()?;
        marks.offset = offset.map(str::parse).transpose().ok()?;
        Some(marks)
    }

    /// Whether a line is the beginning of a record.
    fn begins(&self, line: &[u8]) -> bool {
        match self.marks(line) {
            None => false,
            Some(_) if self.is_marked() => true,
            Some(marks) => {
                let columns = usize::from(self.headers) + usize::from(self.key);
                let mut rest = marks.rest;
                (0..columns).all(|_| match self.part(rest) {
                    Some((_, after)) => {
                        rest = after;
                        true
                    }
                    None => false,
                })
            }
        }
    }
}

impl PieceReader for Reader {
    fn take(&mut self, piece: &Piece<'_>, each: &mut dyn FnMut(Found<'_>)) {
        let line = match piece.content {
            Ok(line) => line,
            Err(bytes) => {
                self.close(each);
                return each(Err(RefusedAt::new(Place::Line(piece.line), too_long(bytes))));
            }
        };
        if self.layout.begins(line) {
            self.close(each);
            self.open = Some((piece.line, line.to_vec()));
            return;
        }
        match &mut self.open {
            Some((_, open)) => {
                self.passed.continued += 1;
                let more = self.layout.line_separator.len() + line.len();
                if self.overflow > 0 || open.len() + more > MAX_RECORD_LINE_BYTES {
                    self.overflow += more as u64;
                } else {
                    open.extend_from_slice(&self.layout.line_separator);
                    open.extend_from_slice(line);
                }
            }
            None => each(Err(RefusedAt::new(
                Place::Line(piece.line),
                "it does not begin with the columns that are said to be printed.",
            ))),
        }
    }

    fn close(&mut self, each: &mut dyn FnMut(Found<'_>)) {
        let Some((line, open)) = self.open.take() else { return };
        let place = Place::Line(line);
        let found = match std::mem::take(&mut self.overflow) {
            0 => self.record(place, &open),
            more => Err(too_long(open.len() as u64 + more)),
        };
        each(found.map_err(|reason| RefusedAt { place, reason }));
    }

    fn passed(&self) -> Passed {
        self.passed
    }
}

impl Reader {
    fn some<'a>(&self, cell: &'a [u8]) -> Option<&'a [u8]> {
        Some(cell).filter(|&cell| !self.nulls || cell != self.layout.null_literal)
    }

    fn record<'a>(
        &self,
        place: Place,
        text: &'a [u8],
    ) -> std::result::Result<FileRecord<'a>, String> {
        let layout = &self.layout;
        let marks = layout.marks(text).ok_or("its first columns are not whole.")?;
        let mut rest = marks.rest;
        let mut column = |printed: bool, name: &str| -> std::result::Result<_, String> {
            if !printed {
                return Ok(None);
            }
            let (cell, after) =
                layout.part(rest).ok_or_else(|| format!("no separator follows the {name}."))?;
            rest = after;
            Ok(Some(cell))
        };
        let headers = column(layout.headers, "headers")?;
        let key = column(layout.key, "key")?;
        let headers = match headers {
            None | Some(b"NO_HEADERS") => Vec::new(),
            Some(field) => headers_of(field, &layout.headers_separator)?
                .into_iter()
                .map(|(key, value)| FileHeader {
                    key: Cow::Borrowed(key),
                    value: self.some(value).map(Cow::Borrowed),
                })
                .collect(),
        };
        Ok(FileRecord {
            place,
            partition: marks.partition,
            offset: marks.offset,
            timestamp: marks.timestamp,
            key: key.and_then(|key| self.some(key)).map(Cow::Borrowed),
            value: self.some(rest).map(Cow::Borrowed),
            headers,
            row: None,
        })
    }
}

/// A header's name and the text of its value.
type NameAndText<'a> = (&'a [u8], &'a [u8]);

/// Names and values. A part without a colon belongs to the value before it, which had a separator
/// in it.
fn headers_of<'a>(
    field: &'a [u8],
    separator: &[u8],
) -> std::result::Result<Vec<NameAndText<'a>>, String> {
    let mut headers: Vec<(usize, usize, usize)> = Vec::new();
    let mut start = 0;
    loop {
        let rest = field.get(start..).unwrap_or_default();
        let end = match separator {
            [] => None,
            separator => memchr::memmem::find(rest, separator),
        };
        let stop = start + end.unwrap_or(rest.len());
        match (memchr::memchr(b':', field.get(start..stop).unwrap_or_default()), headers.last_mut())
        {
            (Some(colon), _) => headers.push((start, start + colon, stop)),
            (None, Some(last)) => last.2 = stop,
            (None, None) => {
                return Err("its headers are neither NO_HEADERS nor names and values.".to_owned());
            }
        }
        if end.is_none() {
            break;
        }
        start = stop + separator.len();
    }
    let cut = |from: usize, to: usize| field.get(from..to).unwrap_or_default();
    Ok(headers
        .into_iter()
        .map(|(start, colon, end)| (cut(start, colon), cut(colon + 1, end)))
        .collect())
}

/// Writes what `kafka-console-consumer` would print.
#[derive(Debug)]
pub struct ConsoleConsumerEncoder {
    layout: Layout,
    /// A string deserializer is set, so malformed text is repaired: of keys, values, headers.
    repaired: [bool; 3],
}

impl ConsoleConsumerEncoder {
    /// A writer with these properties; unknown ones are ignored, as by the tool.
    ///
    /// # Errors
    ///
    /// Too many properties.
    pub fn new(properties: &Properties) -> Result<Self> {
        properties::check(properties)?;
        let repaired =
            ["key.deserializer", "value.deserializer", "headers.deserializer"].map(|name| {
                let class = properties::text(properties, name, "");
                class == "org.apache.kafka.common.serialization.StringDeserializer"
            });
        Ok(Self { layout: Layout::new(properties), repaired })
    }

    fn write(&self, bytes: Option<&[u8]>, repaired: bool, out: &mut Vec<u8>) {
        match bytes {
            None => out.extend_from_slice(&self.layout.null_literal),
            Some(bytes) if repaired => out.extend_from_slice(repair(bytes).as_bytes()),
            Some(bytes) => out.extend_from_slice(bytes),
        }
    }
}

impl Encoder for ConsoleConsumerEncoder {
    fn record(&mut self, lying: &Lying<'_>, out: &mut Vec<u8>) {
        let Lying { partition, timestamp_type, record, .. } = lying;
        let layout = &self.layout;
        let [of_keys, of_values, of_headers] = self.repaired;
        let columns = [
            layout.timestamp,
            layout.partition,
            layout.offset,
            layout.delivery,
            layout.epoch,
            layout.headers,
            layout.key,
            layout.value,
        ];
        for (number, _) in columns.iter().enumerate().filter(|(_, printed)| **printed) {
            // Writing to a vector does not fail.
            let _ = match number {
                0 => write!(out, "{}:{}", timestamp_type.name(), record.timestamp),
                1 => write!(out, "Partition:{partition}"),
                2 => write!(out, "Offset:{}", record.offset),
                3 => write!(out, "Delivery:NOT_PRESENT"),
                4 => write!(out, "Epoch:NOT_PRESENT"),
                5 if record.header_count() == 0 => write!(out, "NO_HEADERS"),
                5 => {
                    for (index, header) in record.headers().enumerate() {
                        if index > 0 {
                            out.extend_from_slice(&layout.headers_separator);
                        }
                        out.extend_from_slice(header.key);
                        out.push(b':');
                        self.write(header.value, of_headers, out);
                    }
                    Ok(())
                }
                6 => {
                    self.write(record.key, of_keys, out);
                    Ok(())
                }
                _ => {
                    self.write(record.value, of_values, out);
                    Ok(())
                }
            };
            let more = columns.iter().skip(number + 1).any(|printed| *printed);
            out.extend_from_slice(if more { &layout.separator } else { &layout.line_separator });
        }
    }
}
