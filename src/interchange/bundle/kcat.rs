//! Data for kcat, which takes a partition and any bytes.
//!
//! One call has one set of headers, and either takes empty for none (`-Z`) or never does; an empty
//! line is no record. So not every record can be sent.

use super::carry::Carried;
use crate::log::Header;

/// What records of one call have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Kind<'a> {
    headers: Vec<Header<'a>>,
    empty_is_none: bool,
}

/// A call of kcat.
#[derive(Debug)]
pub(crate) struct Kcat {
    pub(super) data: Vec<u8>,
    pub(super) partition: i32,
    pub(super) empty_is_none: bool,
    /// As `-H` takes them.
    pub(super) headers: Vec<String>,
    /// None: neither keys nor values of none.
    pub(super) key_delimiter: Option<String>,
    pub(super) delimiter: String,
    pub(super) one_by_one: bool,
}

impl<'a> Kind<'a> {
    /// How a record can be sent, or why it cannot.
    pub(super) fn of(record: &Carried<'a>) -> Result<Self, &'static str> {
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
        partition: i32,
        kind: &Kind<'_>,
        records: &[Carried<'_>],
        one_by_one: bool,
    ) -> Self {
        let free = |word: char| {
            let is_free = |text: &String| {
                let mut pieces = records.iter().flat_map(Carried::pieces);
                pieces.all(|piece| memchr::memmem::find(piece, text.as_bytes()).is_none())
            };
            (1_u64..).map(|number| format!("<{word}{number}>")).find(is_free).unwrap_or_default()
        };
        // No key and no value: what stands around the delimiter is empty, and -Z makes it none.
        let has_delimiter = |record: &Carried<'_>| record.key.is_some() || record.value.is_none();
        let key_delimiter = records.iter().any(has_delimiter).then(|| free('k'));
        let delimiter = free('r');
        let mut data = Vec::new();
        for record in records {
            if let Some(key_delimiter) = &key_delimiter
                && has_delimiter(record)
            {
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
        Self { data, partition, empty_is_none, headers, key_delimiter, delimiter, one_by_one }
    }
}

impl Kcat {
    /// Whether one call could send this to its partition and another to another one.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let flags = |kcat: &Self| (kcat.empty_is_none, kcat.one_by_one);
        flags(self) == flags(other)
            && self.headers == other.headers
            && self.key_delimiter == other.key_delimiter
            && self.delimiter == other.delimiter
    }

    pub(crate) fn partition(&self) -> i32 {
        self.partition
    }
}
