//! From what a file says of a record to the record that is sent.

use std::borrow::Cow;

use super::decoder::FileRecord;
use super::json::{self, Bad};
use super::path::Path;
use super::spec::{ImportSpec, KeyChoice, PartitionChoice, TimestampChoice, ValueChoice};
use crate::error::Result;
use crate::group::datetime;

/// Takes from each record of a file what an [`ImportSpec`] asks for.
#[derive(Debug, Clone)]
pub struct Chooser {
    key: Key,
    value: Value,
    timestamp: Timestamp,
    keep_partition: bool,
    /// Records whose key field is `null`, and which so have no key.
    null_keys: u64,
}

#[derive(Debug, Clone)]
enum Key {
    None,
    Own,
    Field(Path),
    Joined(Vec<Path>, String),
}

#[derive(Debug, Clone)]
enum Value {
    Own,
    Field(Path),
    Row,
}

#[derive(Debug, Clone)]
enum Timestamp {
    Clock,
    Own,
    Field(Path),
}

/// What is sent, beside the headers, which are the file's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen<'a> {
    /// The partition that the file names, if it is kept.
    pub partition: Option<i32>,
    /// Milliseconds since 1970; none: the clock's.
    pub timestamp: Option<i64>,
    /// The key.
    pub key: Option<Cow<'a, [u8]>>,
    /// The value.
    pub value: Option<Cow<'a, [u8]>>,
}

impl Chooser {
    /// What a spec asks for.
    ///
    /// # Errors
    ///
    /// A path that is none; several fields that are none.
    pub fn new(spec: &ImportSpec) -> Result<Self> {
        let key = match &spec.key {
            KeyChoice::None => Key::None,
            KeyChoice::Own => Key::Own,
            KeyChoice::Field { path } => Key::Field(Path::parse(path)?),
            KeyChoice::Joined { paths, separator } => {
                let paths: Result<Vec<Path>> = paths.iter().map(|path| Path::parse(path)).collect();
                let paths = paths?;
                if paths.is_empty() {
                    return Err(crate::Error::loglanes("No field is named to join.")
                        .with_hint("Name one or more, or let the record have no key."));
                }
                Key::Joined(paths, separator.clone())
            }
        };
        let value = match &spec.value {
            ValueChoice::Own => Value::Own,
            ValueChoice::Field { path } => Value::Field(Path::parse(path)?),
            ValueChoice::Row => Value::Row,
        };
        let timestamp = match &spec.timestamp {
            TimestampChoice::Clock => Timestamp::Clock,
            TimestampChoice::Own => Timestamp::Own,
            TimestampChoice::Field { path } => Timestamp::Field(Path::parse(path)?),
        };
        let keep_partition = spec.partition == PartitionChoice::Keep;
        Ok(Self { key, value, timestamp, keep_partition, null_keys: 0 })
    }

    /// The top-level field that is the key, if a decoder of JSON lines may as well find it; the
    /// key is its own then.
    pub(super) fn take_top_level_key(&mut self) -> Option<String> {
        let Key::Field(path) = &self.key else { return None };
        let name = path.top_level()?.to_owned();
        if !matches!(self.value, Value::Own) {
            return None;
        }
        self.key = Key::Own;
        Some(name)
    }

    /// Records whose key field is `null`.
    #[must_use]
    pub fn null_keys(&self) -> u64 {
        self.null_keys
    }

    /// What to send of a record.
    ///
    /// # Errors
    ///
    /// Why it cannot be sent, in a sentence.
    #[inline]
    pub fn choose<'r>(
        &mut self,
        record: &'r FileRecord<'_>,
    ) -> std::result::Result<Chosen<'r>, String> {
        let key = match &self.key {
            Key::None => None,
            Key::Own => record.key.as_deref().map(Cow::Borrowed),
            Key::Field(path) => {
                let key = part(record, path)?;
                self.null_keys += u64::from(key.is_none());
                key
            }
            Key::Joined(paths, separator) => Some(joined(record, paths, separator)?),
        };
        let value = match &self.value {
            Value::Own => record.value.as_deref().map(Cow::Borrowed),
            Value::Field(path) => part(record, path)?,
            Value::Row => match &record.row {
                Some(row) => Some(Cow::Owned(row.as_json()?)),
                None => return Err("this format has no rows.".to_owned()),
            },
        };
        let timestamp = match &self.timestamp {
            Timestamp::Clock => None,
            Timestamp::Own => record.timestamp,
            Timestamp::Field(path) => Some(time(record, path)?),
        };
        if timestamp.is_some_and(|timestamp| timestamp < -1) {
            let timestamp = timestamp.unwrap_or_default();
            return Err(format!(
                "Invalid timestamp: {timestamp}. Timestamp should always be non-negative or null."
            ));
        }
        let partition = match (self.keep_partition, record.partition) {
            (false, _) => None,
            (true, Some(partition)) => Some(partition),
            (true, None) => {
                return Err("it names no partition, and the file's was to be kept.".to_owned());
            }
        };
        Ok(Chosen { partition, timestamp, key, value })
    }
}

/// A field or a column as bytes; none where it is `null`.
fn part<'r>(
    record: &'r FileRecord<'_>,
    path: &Path,
) -> std::result::Result<Option<Cow<'r, [u8]>>, String> {
    if let Some(row) = &record.row {
        let cell = row
            .get(path.text())
            .ok_or_else(|| format!("the row has no column {:?}.", path.text()))?;
        return Ok(cell.map(Cow::Borrowed));
    }
    let value = record.value.as_deref().ok_or("it has no value to take a field of.")?;
    let text = json::check(value).map_err(|bad| bad.in_value())?;
    let source = path
        .find(text)
        .map_err(|bad| bad.in_value())?
        .ok_or_else(|| format!("the value has no field {:?}.", path.text()))?;
    json::scalar(source).map_err(|bad: Bad| bad.in_value())
}

fn joined<'r>(
    record: &'r FileRecord<'_>,
    paths: &[Path],
    separator: &str,
) -> std::result::Result<Cow<'r, [u8]>, String> {
    let mut key = Vec::new();
    for (number, path) in paths.iter().enumerate() {
        if number > 0 {
            key.extend_from_slice(separator.as_bytes());
        }
        let part = part(record, path)?
            .ok_or_else(|| format!("{:?} is null, and cannot be a part of a key.", path.text()))?;
        key.extend_from_slice(&part);
    }
    Ok(Cow::Owned(key))
}

fn time(record: &FileRecord<'_>, path: &Path) -> std::result::Result<i64, String> {
    let text = part(record, path)?;
    let text = text.as_deref().and_then(|text| str::from_utf8(text).ok()).unwrap_or("null");
    let with_ms = |text: &str| match text.split_once('.') {
        Some(_) => text.to_owned(),
        // The tools of Kafka ask for milliseconds; files are often without.
        None => match text.find('Z').or_else(|| text.rfind(['+', '-']).filter(|&at| at > 10)) {
            Some(at) => format!("{}.000{}", &text[..at], &text[at..]),
            None => format!("{text}.000"),
        },
    };
    text.parse().or_else(|_| datetime::parse_ms(&with_ms(text)).map_err(drop)).map_err(|()| {
        format!(
            "{:?} is {text:?}, which is neither whole milliseconds since 1970 nor a time such as \
             2024-04-01T19:33:20.000Z.",
            path.text()
        )
    })
}
