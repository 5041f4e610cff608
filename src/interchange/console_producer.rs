//! Lines as `kafka-console-producer` reads them, by the properties of its `LineMessageReader`:
//! `parse.key`, `key.separator`, `parse.headers`, `headers.delimiter`, `headers.separator`,
//! `headers.key.separator`, `ignore.error`, `null.marker`.
//!
//! The tool reads UTF-8 text: malformed bytes become U+FFFD, as there. A line that it would stop at
//! is refused in its words; here the next line is read on. Source:
//! `org.apache.kafka.tools.LineMessageReader`, Apache Kafka 4.4.0, and recorded answers.

use std::borrow::Cow;

use super::decoder::{Decoder, FileHeader, FileRecord, Found, Place, RefusedAt};
use super::java_text::{Pattern, repair};
use super::pieces::{self, Ending, Piece, PieceReader, too_long};
use super::properties::{self, Properties};
use crate::error::{Error, Result};

#[derive(Debug)]
struct Reader {
    parse_key: bool,
    parse_headers: bool,
    ignore_error: bool,
    key_separator: String,
    headers_delimiter: String,
    headers_key_separator: String,
    headers_separator: Pattern,
    null_marker: Option<String>,
}

/// A reader of what `kafka-console-producer` reads with these properties; unknown ones are ignored, as by the tool.
///
/// # Errors
///
/// Separators that are the same, in the tool's words; a separator that is no regular
/// expression.
///
/// ```
/// use loglanes::interchange::console_producer;
///
/// let properties = [("parse.key".to_owned(), "true".to_owned())].into();
/// console_producer::decoder(&properties)?.feed(b"k\tv\nnokey\n", &mut |found| {
///     if let Err(refused) = found {
///         assert_eq!(refused.reason, "No key separator found on line number 2: 'nokey'");
///     }
/// });
/// # Ok::<(), loglanes::Error>(())
/// ```
pub fn decoder(properties: &Properties) -> Result<Box<dyn Decoder>> {
    properties::check(properties)?;
    let text = |name, default| properties::text(properties, name, default).to_owned();
    let key_separator = text("key.separator", "\t");
    let headers_delimiter = text("headers.delimiter", "\t");
    let headers_separator = text("headers.separator", ",");
    let headers_key_separator = text("headers.key.separator", ":");
    let null_marker = properties.get("null.marker").cloned();
    let mut pairs = vec![
        ("headers.delimiter", &headers_delimiter, "headers.separator", &headers_separator),
        ("headers.delimiter", &headers_delimiter, "headers.key.separator", &headers_key_separator),
        ("headers.separator", &headers_separator, "headers.key.separator", &headers_key_separator),
    ];
    if let Some(marker) = &null_marker {
        pairs.extend([
            ("null.marker", marker, "key.separator", &key_separator),
            ("null.marker", marker, "headers.separator", &headers_separator),
            ("null.marker", marker, "headers.delimiter", &headers_delimiter),
            ("null.marker", marker, "headers.key.separator", &headers_key_separator),
        ]);
    }
    if let Some((one, _, other, _)) = pairs.iter().find(|(_, one, _, other)| one == other) {
        return Err(Error::client("KafkaException", format!("{one} and {other} may not be equal"))
            .with_hint("Set one of the two to something else."));
    }
    let pattern = Pattern::parse(&headers_separator).map_err(|why| {
        let at = headers_separator.encode_utf16().count().saturating_sub(1);
        let indent = " ".repeat(at);
        Error::client(
            "PatternSyntaxException",
            format!("{why} near index {at}\n{headers_separator}\n{indent}^"),
        )
        .with_hint("headers.separator is a regular expression: put a backslash before signs such as [ or |.")
    })?;
    let reader = Reader {
        parse_key: properties::is_true(properties, "parse.key", false),
        parse_headers: properties::is_true(properties, "parse.headers", false),
        ignore_error: properties::is_true(properties, "ignore.error", false),
        key_separator,
        headers_delimiter,
        headers_key_separator,
        headers_separator: pattern,
        null_marker,
    };
    Ok(pieces::decoder(Ending::Java, reader))
}

impl PieceReader for Reader {
    fn take(&mut self, piece: &Piece<'_>, each: &mut dyn FnMut(Found<'_>)) {
        let place = Place::Line(piece.line);
        let found = match piece.content {
            Ok(line) => self.record(piece.line, &repair(line)),
            Err(bytes) => Err(too_long(bytes)),
        };
        each(found.map_err(|reason| RefusedAt { place, reason }));
    }
}

impl Reader {
    fn record(&self, number: u64, line: &str) -> std::result::Result<FileRecord<'static>, String> {
        let part = |enabled: bool, rest: &str, separator: &str, name: &str| {
            if !enabled {
                return Ok(None);
            }
            match rest.find(separator) {
                Some(at) => Ok(Some((at, at + separator.len()))),
                None if self.ignore_error => Ok(None),
                None => Err(format!("No {name} found on line number {number}: '{line}'")),
            }
        };
        let mut rest = line;
        let mut headers = None;
        if let Some((end, after)) =
            part(self.parse_headers, rest, &self.headers_delimiter, "headers delimiter")?
        {
            headers = rest.get(..end);
            rest = rest.get(after..).unwrap_or_default();
        }
        let mut key = None;
        if let Some((end, after)) =
            part(self.parse_key, rest, &self.key_separator, "key separator")?
        {
            key = rest.get(..end);
            rest = rest.get(after..).unwrap_or_default();
        }
        let headers = match self.some(headers) {
            Some(headers) => self.headers(number, headers)?,
            None => Vec::new(),
        };
        let owned =
            |text: Option<&str>| self.some(text).map(|text| Cow::Owned(text.as_bytes().to_vec()));
        Ok(FileRecord {
            key: owned(key),
            value: owned(Some(rest)),
            headers,
            ..FileRecord::of_value(Place::Line(number), Vec::new())
        })
    }

    /// A text that is not the null marker.
    fn some<'t>(&self, text: Option<&'t str>) -> Option<&'t str> {
        text.filter(|&text| self.null_marker.as_deref() != Some(text))
    }

    fn headers(
        &self,
        number: u64,
        field: &str,
    ) -> std::result::Result<Vec<FileHeader<'static>>, String> {
        let header = |pair: &str| {
            let Some((key, value)) = pair.split_once(&*self.headers_key_separator) else {
                if self.ignore_error {
                    return Ok((pair.to_owned(), None));
                }
                return Err(format!(
                    "No header key separator found in pair '{pair}' on line number {number}"
                ));
            };
            if self.null_marker.as_deref() == Some(key) {
                return Err(format!(
                    "Header keys should not be equal to the null marker '{key}' as they can't be null"
                ));
            }
            Ok((key.to_owned(), self.some(Some(value)).map(str::to_owned)))
        };
        let pairs = self.headers_separator.split(field).into_iter();
        pairs
            .map(|pair| {
                let (key, value) = header(pair)?;
                let value = value.map(|value| Cow::Owned(value.into_bytes()));
                Ok(FileHeader { key: Cow::Owned(key.into_bytes()), value })
            })
            .collect()
    }
}
