//! Lines for `kafka-console-producer`, which reads headers, key and value from each.
//!
//! Source: `LineMessageReader`, Apache Kafka 4.4.0: a line is UTF-8 and ends with `\n`, `\r` or
//! both; the first separator ends the headers, the next one the key; the headers' separator is a
//! regular expression, so only letters are safe there.

use super::carry::Carried;

/// A call of the console producer.
#[derive(Debug)]
pub(crate) struct Console {
    pub(super) data: Vec<u8>,
    /// None: no record has a key.
    pub(super) key_separator: Option<String>,
    /// None: no record has a header.
    pub(super) headers: Option<Headers>,
    /// None: nothing is none that could be something.
    pub(super) null_marker: Option<String>,
    pub(super) one_by_one: bool,
}

/// What stands between headers.
#[derive(Debug)]
pub(crate) struct Headers {
    pub(super) delimiter: String,
    pub(super) separator: String,
    pub(super) key_separator: String,
}

/// Whether a line can hold it.
pub(super) fn carries(record: &Carried<'_>) -> bool {
    let is_plain = |bytes: &[u8]| {
        std::str::from_utf8(bytes).is_ok()
            && !bytes.iter().any(|byte| matches!(byte, b'\n' | b'\r'))
    };
    record.pieces().all(is_plain) && record.headers.iter().all(|header| !header.key.is_empty())
}

impl Console {
    pub(super) fn new(records: &[Carried<'_>], one_by_one: bool) -> Self {
        let has_keys = records.iter().any(|record| record.key.is_some());
        let has_headers = records.iter().any(|record| !record.headers.is_empty());
        let is_none = |record: &Carried<'_>| {
            record.value.is_none()
                || (has_keys && record.key.is_none())
                || (has_headers && record.headers.is_empty())
                || record.headers.iter().any(|header| header.value.is_none())
        };
        let has_none = records.iter().any(is_none);
        // Beside headers a single letter might be taken for a part of another separator.
        let shown: &[&str] = if has_headers { &[] } else { &[":", "|", ";"] };
        let mut console = Self {
            data: Vec::new(),
            key_separator: has_keys.then(|| free(shown, "K", records)),
            headers: has_headers.then(|| Headers {
                delimiter: free(&[], "H", records),
                separator: free(&[","], "S", records),
                key_separator: free(&[":"], "E", records),
            }),
            null_marker: has_none.then(|| free(&["~null~"], "N", records)),
            one_by_one,
        };
        let mut data = Vec::new();
        for record in records {
            console.line(record, &mut data);
        }
        console.data = data;
        console
    }

    fn line(&self, record: &Carried<'_>, out: &mut Vec<u8>) {
        let null = self.null_marker.as_deref().unwrap_or_default().as_bytes();
        let or_null = |bytes: Option<&[u8]>, out: &mut Vec<u8>| {
            out.extend_from_slice(bytes.unwrap_or(null));
        };
        if let Some(between) = &self.headers {
            if record.headers.is_empty() {
                out.extend_from_slice(null);
            }
            for (number, header) in record.headers.iter().enumerate() {
                if number > 0 {
                    out.extend_from_slice(between.separator.as_bytes());
                }
                out.extend_from_slice(header.key);
                out.extend_from_slice(between.key_separator.as_bytes());
                or_null(header.value, out);
            }
            out.extend_from_slice(between.delimiter.as_bytes());
        }
        if let Some(separator) = &self.key_separator {
            or_null(record.key, out);
            out.extend_from_slice(separator.as_bytes());
        }
        or_null(record.value, out);
        out.push(b'\n');
    }

    /// The properties of its reader, as the command line takes them.
    pub(super) fn properties(&self) -> Vec<String> {
        let mut properties = Vec::new();
        let mut add = |name: &str, value: &str| properties.push(format!("{name}={value}"));
        if let Some(separator) = &self.key_separator {
            add("parse.key", "true");
            add("key.separator", separator);
        }
        if let Some(Headers { delimiter, separator, key_separator }) = &self.headers {
            add("parse.headers", "true");
            add("headers.delimiter", delimiter);
            add("headers.separator", separator);
            add("headers.key.separator", key_separator);
        }
        if let Some(marker) = &self.null_marker {
            add("null.marker", marker);
        }
        properties
    }
}

/// A text that no record holds: the first of those that read well if one is free, else `-K1-` and
/// the like. None of these holds another.
fn free(shown: &[&str], word: &str, records: &[Carried<'_>]) -> String {
    let is_free = |text: &str| {
        let mut pieces = records.iter().flat_map(Carried::pieces);
        pieces.all(|piece| memchr::memmem::find(piece, text.as_bytes()).is_none())
    };
    if let Some(plain) = shown.iter().find(|text| is_free(text)) {
        return (*plain).to_owned();
    }
    (1_u64..)
        .map(|number| format!("-{word}{number}-"))
        .find(|text| is_free(text))
        .unwrap_or_default()
}
