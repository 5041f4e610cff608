//! Lines for `kafka-console-producer`, which reads headers, key and value from each.
//!
//! Source: `LineMessageReader`, Apache Kafka 4.4.0: a line is UTF-8 and ends with `\n`, `\r` or
//! both; the first separator ends the headers, the next one the key; the headers' separator is a
//! regular expression, so only letters are safe there.

use super::plan::Owned;

/// A call of the console producer.
#[derive(Debug)]
pub(super) struct Console {
    pub(super) path: String,
    pub(super) data: Vec<u8>,
    pub(super) key_separator: String,
    pub(super) headers_delimiter: String,
    pub(super) headers_separator: String,
    pub(super) headers_key_separator: String,
    pub(super) null_marker: String,
    pub(super) one_by_one: bool,
}

/// Whether a line can hold it.
pub(super) fn carries(record: &Owned<'_>) -> bool {
    let is_plain = |bytes: &[u8]| {
        std::str::from_utf8(bytes).is_ok()
            && !bytes.iter().any(|byte| matches!(byte, b'\n' | b'\r'))
    };
    record.pieces().all(is_plain) && record.headers.iter().all(|header| !header.key.is_empty())
}

impl Console {
    pub(super) fn new(path: String, records: &[Owned<'_>], one_by_one: bool) -> Self {
        let free = |shown: &str, word: &str| free(shown, word, records);
        let mut console = Self {
            path,
            data: Vec::new(),
            key_separator: free("|", "K"),
            headers_delimiter: free("||", "H"),
            headers_separator: free(",", "S"),
            headers_key_separator: free(":", "E"),
            null_marker: free("~null~", "N"),
            one_by_one,
        };
        let mut data = Vec::new();
        for record in records {
            console.line(record, &mut data);
        }
        console.data = data;
        console
    }

    fn line(&self, record: &Owned<'_>, out: &mut Vec<u8>) {
        let or_null = |bytes: Option<&[u8]>, out: &mut Vec<u8>| {
            out.extend_from_slice(bytes.unwrap_or(self.null_marker.as_bytes()));
        };
        if record.headers.is_empty() {
            out.extend_from_slice(self.null_marker.as_bytes());
        }
        for (number, header) in record.headers.iter().enumerate() {
            if number > 0 {
                out.extend_from_slice(self.headers_separator.as_bytes());
            }
            out.extend_from_slice(header.key);
            out.extend_from_slice(self.headers_key_separator.as_bytes());
            or_null(header.value, out);
        }
        out.extend_from_slice(self.headers_delimiter.as_bytes());
        or_null(record.key, out);
        out.extend_from_slice(self.key_separator.as_bytes());
        or_null(record.value, out);
        out.push(b'\n');
    }
}

/// A text that no record holds: the one that reads well if it is free and no regular expression,
/// else `-K1-` and the like. None of these holds another.
fn free(shown: &str, word: &str, records: &[Owned<'_>]) -> String {
    let is_free = |text: &str| {
        records
            .iter()
            .flat_map(Owned::pieces)
            .all(|piece| memchr::memmem::find(piece, text.as_bytes()).is_none())
    };
    // `|` and `||` are one in the other, and `|` parts regular expressions.
    let plain = !shown.contains('|') && is_free(shown);
    if plain {
        return shown.to_owned();
    }
    (1_u64..)
        .map(|number| format!("-{word}{number}-"))
        .find(|text| is_free(text))
        .unwrap_or_default()
}
