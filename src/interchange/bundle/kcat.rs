//! Data for kcat, which takes a partition and any bytes.
//!
//! One call has one set of headers, and either takes empty for none (`-Z`) or never does; an empty
//! line is no record. So not every record can be sent.

use super::plan::Owned;
use crate::log::Header;

/// What records of one call have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Kind<'a> {
    headers: Vec<Header<'a>>,
    empty_is_none: bool,
}

/// A call of kcat.
#[derive(Debug)]
pub(super) struct Kcat {
    pub(super) path: String,
    pub(super) data: Vec<u8>,
    pub(super) partition: i32,
    pub(super) empty_is_none: bool,
    /// As `-H` takes them.
    pub(super) headers: Vec<String>,
    pub(super) key_delimiter: String,
    pub(super) delimiter: String,
    pub(super) one_by_one: bool,
}

impl<'a> Kind<'a> {
    /// How a record can be sent, or why it cannot.
    pub(super) fn of(record: &Owned<'a>) -> Result<Self, &'static str> {
        for header in &record.headers {
            let is_text = |bytes: &[u8]| {
                std::str::from_utf8(bytes).is_ok_and(|text| !text.contains(['\0', '\n', '\r']))
            };
            if !is_text(header.key) || !header.value.is_none_or(is_text) {
                return Err("a header holds bytes that no command line takes");
            }
            if header.key.is_empty() || header.key.contains(&b'=') {
                return Err("kcat takes no header whose name is empty or holds `=`");
            }
        }
        let is_empty = |bytes: Option<&[u8]>| bytes.is_some_and(<[u8]>::is_empty);
        let has_empty = is_empty(record.key) || is_empty(record.value);
        // A value of none needs -Z; without a key, so does the key.
        let needs_none = record.value.is_none();
        if needs_none && has_empty {
            return Err("kcat cannot tell none from empty in one record");
        }
        if record.key.is_none() && is_empty(record.value) {
            return Err("kcat sends no empty value without a key");
        }
        Ok(Self { headers: record.headers.clone(), empty_is_none: needs_none })
    }
}

impl Kcat {
    pub(super) fn new(
        path: String,
        partition: i32,
        kind: &Kind<'_>,
        records: &[Owned<'_>],
        one_by_one: bool,
    ) -> Self {
        let free = |word: char| {
            let is_free = |text: &String| {
                let mut pieces = records.iter().flat_map(Owned::pieces);
                pieces.all(|piece| memchr::memmem::find(piece, text.as_bytes()).is_none())
            };
            (1_u64..).map(|number| format!("<{word}{number}>")).find(is_free).unwrap_or_default()
        };
        let (key_delimiter, delimiter) = (free('k'), free('r'));
        let mut data = Vec::new();
        for record in records {
            // No key and no value: what stands around the delimiter is empty, and -Z makes it none.
            if record.key.is_some() || record.value.is_none() {
                data.extend_from_slice(record.key.unwrap_or_default());
                data.extend_from_slice(key_delimiter.as_bytes());
            }
            data.extend_from_slice(record.value.unwrap_or_default());
            data.extend_from_slice(delimiter.as_bytes());
        }
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let headers = kind.headers.iter().map(|header| match header.value {
            Some(value) => format!("{}={}", text(header.key), text(value)),
            None => text(header.key),
        });
        let (headers, empty_is_none) = (headers.collect(), kind.empty_is_none);
        Self { path, data, partition, empty_is_none, headers, key_delimiter, delimiter, one_by_one }
    }
}
