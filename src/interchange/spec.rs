//! An import as data: which format, and what of each record becomes key, value, timestamp and
//! partition.

use serde::{Deserialize, Serialize};

use super::decoder::Decoder;
use super::format::FileFormat;
use crate::error::Result;

/// What an import takes from a file, and where it goes.
///
/// ```
/// use loglanes::ImportSpec;
/// use loglanes::interchange::KeyChoice;
///
/// let spec = ImportSpec::ndjson("flights", Some("origin"));
/// assert_eq!(spec.key, KeyChoice::Field { path: "origin".into() });
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ImportSpec {
    /// The topic, which must be there.
    pub topic: String,
    /// The producer that sends the records, by its name; none: one at Kafka's defaults.
    #[serde(default)]
    pub producer: Option<String>,
    /// The producer's partitioner, by its id; none: the Java client's default.
    #[serde(default)]
    pub partitioner: Option<String>,
    /// The file's format.
    #[serde(default)]
    pub format: FileFormat,
    /// What becomes the key.
    #[serde(default)]
    pub key: KeyChoice,
    /// What becomes the value.
    #[serde(default)]
    pub value: ValueChoice,
    /// What becomes the timestamp.
    #[serde(default)]
    pub timestamp: TimestampChoice,
    /// Who chooses the partition.
    #[serde(default)]
    pub partition: PartitionChoice,
}

/// What becomes the key. A path is explained at [`Path`](super::path::Path).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(
    tag = "from",
    rename_all = "camelCase",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum KeyChoice {
    /// Nothing: records have no key.
    None,
    /// The file's own key.
    #[default]
    Own,
    /// One field of the value, or one column. JSON's `null` makes no key; a field that is not
    /// there is a reason to refuse the record.
    Field {
        /// Where it is.
        path: String,
    },
    /// Several fields or columns, as texts one after the other. None may be missing or `null`.
    Joined {
        /// Where they are.
        paths: Vec<String>,
        /// What stands between two of them.
        separator: String,
    },
}

/// What becomes the value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(
    tag = "from",
    rename_all = "camelCase",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum ValueChoice {
    /// The file's own value: the line of a format without one.
    #[default]
    Own,
    /// One field of the value, or one column. JSON's `null` makes no value: a tombstone.
    Field {
        /// Where it is.
        path: String,
    },
    /// The row of a table as a JSON object, every cell a string.
    Row,
}

/// What becomes the timestamp.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(
    tag = "from",
    rename_all = "camelCase",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum TimestampChoice {
    /// The clock's.
    Clock,
    /// The file's own, else the clock's.
    #[default]
    Own,
    /// One field of the value, or one column: whole milliseconds since 1970, or a time such as
    /// `2024-04-01T19:33:20.000Z`.
    Field {
        /// Where it is.
        path: String,
    },
}

/// Who chooses the partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PartitionChoice {
    /// The producer's partitioner, as for any record.
    #[default]
    Rehash,
    /// The file. A partition that the topic does not have is refused, never wrapped around.
    Keep,
}

impl ImportSpec {
    /// A file in a format, all as the file has it.
    #[must_use]
    pub fn new(topic: impl Into<String>, format: FileFormat) -> Self {
        Self {
            topic: topic.into(),
            producer: None,
            partitioner: None,
            format,
            key: KeyChoice::Own,
            value: ValueChoice::Own,
            timestamp: TimestampChoice::Own,
            partition: PartitionChoice::Rehash,
        }
    }

    /// Lines of JSON, with a field of them as the key, or none.
    #[must_use]
    pub fn ndjson(topic: impl Into<String>, key: Option<&str>) -> Self {
        let key = key.map_or(KeyChoice::None, |path| KeyChoice::Field { path: path.to_owned() });
        Self { key, ..Self::new(topic, FileFormat::Ndjson) }
    }

    /// The decoder of the format, and what chooses from its records.
    ///
    /// # Errors
    ///
    /// Options of the format, or paths, that cannot be used.
    pub fn open(&self) -> Result<(Box<dyn Decoder>, super::Chooser)> {
        let mut chooser = super::Chooser::new(self)?;
        let decoder = match &self.format {
            // One pass over a line both checks it and finds the key.
            FileFormat::Ndjson => super::ndjson::decoder(chooser.take_top_level_key()),
            format => format.decoder()?,
        };
        Ok((decoder, chooser))
    }
}
