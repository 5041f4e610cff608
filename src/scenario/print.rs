//! How names, settings and bytes are written, so that they are read back as they were.

use std::fmt;

use crate::command::text::{OrNone, header_item};
use crate::log::NewRecord;
use crate::topic::config_def;
use crate::{Bytes, RecordSet, SegmentSet};

/// Words that mean something where a name could stand.
const RESERVED: [&str; 5] = ["none", "nothing", "no-topics", "all-topics", "x"];

fn is_plain(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-' | ':' | '/')
}

/// A name: as it is where it is plain, else in quotes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Word<'a>(pub(crate) &'a str);

impl fmt::Display for Word<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.is_empty() && self.0.chars().all(is_plain) && !RESERVED.contains(&self.0) {
            f.write_str(self.0)
        } else {
            write!(f, "{:?}", self.0)
        }
    }
}

/// What stands behind a `=`, or a topic of a tool's list: commas may be in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Value<'a>(pub(crate) &'a str);

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_plain = |letter| is_plain(letter) || letter == ',' || letter == '+';
        let is_mode = self.0.starts_with("to-")
            || matches!(self.0, "none" | "all-topics" | "no-topics" | "x");
        if !self.0.is_empty() && self.0.chars().all(is_plain) && !is_mode {
            f.write_str(self.0)
        } else {
            write!(f, "{:?}", self.0)
        }
    }
}

/// The name of a topic's config: in quotes where Kafka does not know it, or where it would be
/// taken for something else.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting<'a>(pub(crate) &'a str);

impl fmt::Display for Setting<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if config_def(self.0).is_some() { f.write_str(self.0) } else { write!(f, "{:?}", self.0) }
    }
}

/// A partition: `orders-0`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a>(pub(crate) &'a str, pub(crate) i32);

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(topic, partition) = self;
        if *partition >= 0 && !topic.is_empty() && topic.chars().all(is_plain) {
            write!(f, "{topic}-{partition}")
        } else {
            write!(f, "{topic:?}-{partition}")
        }
    }
}

/// The records of a set, one after the other; its bytes where the records do not tell all of it.
pub(crate) fn write_records(f: &mut fmt::Formatter<'_>, records: &RecordSet) -> fmt::Result {
    if !is_told_by_its_records(records) {
        return write!(f, " batches={}", HexBytes(records.bytes()));
    }
    records.iter().try_for_each(|record| {
        let (key, value) = (record.key.map(Bytes::from), record.value.map(Bytes::from));
        write!(f, " record timestamp={}", record.timestamp)?;
        write!(f, " key={} value={}", OrNone(key.as_ref()), OrNone(value.as_ref()))?;
        record.headers().try_for_each(|header| {
            header_item(f, &Bytes::from(header.key), header.value.map(Bytes::from).as_ref())
        })
    })
}

/// The files of a partition.
pub(crate) fn write_files(f: &mut fmt::Formatter<'_>, files: &SegmentSet) -> fmt::Result {
    write!(f, " files={}", HexBytes(files.bytes()))
}

struct HexBytes<'a>(&'a [u8]);

impl fmt::Display for HexBytes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("x\"")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str("\"")
    }
}

/// Whether the same records, put together anew, give the same bytes.
fn is_told_by_its_records(records: &RecordSet) -> bool {
    let mut again = RecordSet::builder();
    for record in records.iter() {
        let headers: Vec<_> = record.headers().collect();
        let record = NewRecord {
            timestamp: record.timestamp,
            key: record.key,
            value: record.value,
            headers: &headers,
        };
        if again.push(&record).is_err() {
            return false;
        }
    }
    again.finish() == *records
}
