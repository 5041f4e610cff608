//! The formats that are known, with what has to be said of a file to read it.

use serde::{Deserialize, Serialize};

use super::csv::CsvDecoder;
use super::decoder::Decoder;
use super::json_array::JsonArrayDecoder;
use super::kcat_lines::KcatLines;
use super::kcat_text::{KcatText, KcatTextDecoder};
use super::properties::{self, Properties};
use super::segment::{DumpDecoder, LogZipDecoder, SegmentDecoder};
use super::{console_consumer, console_producer, kcat_json, lossless, ndjson};
use crate::error::{Error, Result};

/// A format and its options.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(
    tag = "type",
    rename_all = "camelCase",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum FileFormat {
    /// One JSON value a line, each the value of a record.
    #[default]
    Ndjson,
    /// One JSON array, each of its elements the value of a record.
    JsonArray,
    /// Loglanes' own lines, with all that a record has.
    Lossless,
    /// What `kcat -C -J` prints.
    KcatJson,
    /// A `.log` file of Kafka's.
    Segment,
    /// A zip archive of such files.
    LogZip,
    /// What `kafka-dump-log --print-data-log` prints.
    DumpLog,
    /// A table.
    Csv {
        /// What stands between two cells: one ASCII character.
        separator: char,
        /// Whether the first row names the columns.
        header: bool,
    },
    /// Lines as `kcat -P` reads them.
    KcatLines(KcatLines),
    /// What `kcat -C -f` prints.
    KcatText(KcatText),
    /// Lines as `kafka-console-producer` reads them.
    ConsoleProducer {
        /// Its `--reader-property`s.
        #[serde(default)]
        properties: Properties,
    },
    /// What `kafka-console-consumer` prints.
    ConsoleConsumer {
        /// Its `--formatter-property`s.
        #[serde(default)]
        properties: Properties,
        /// Whether the null literal is none; else it is these letters.
        nulls: bool,
    },
}

impl FileFormat {
    /// A reader at the beginning of a file.
    ///
    /// # Errors
    ///
    /// Options that cannot be used.
    pub fn decoder(&self) -> Result<Box<dyn Decoder>> {
        Ok(match self {
            Self::Ndjson => ndjson::decoder(None),
            Self::JsonArray => Box::new(JsonArrayDecoder::default()),
            Self::KcatLines(options) => options.decoder()?,
            Self::KcatText(text) => Box::new(KcatTextDecoder::new(text)?),
            Self::ConsoleProducer { properties } => console_producer::decoder(properties)?,
            Self::ConsoleConsumer { properties, nulls } => {
                console_consumer::decoder(properties, *nulls)?
            }
            Self::Lossless => lossless::decoder(),
            Self::KcatJson => kcat_json::decoder(),
            Self::Segment => Box::new(SegmentDecoder::default()),
            Self::LogZip => Box::new(LogZipDecoder::default()),
            Self::DumpLog => Box::new(DumpDecoder::default()),
            Self::Csv { separator, header } => {
                Box::new(CsvDecoder::new(csv_separator(*separator)?, *header))
            }
        })
    }

    /// What a record of it brings along, beside a value.
    #[must_use]
    pub fn brings(&self) -> Brings {
        let all = Brings { key: true, timestamp: true, partition: true, headers: true };
        match self {
            Self::Ndjson | Self::JsonArray => Brings::default(),
            Self::KcatLines(options) => Brings {
                key: options.key_delimiter.is_some() || options.key.is_some(),
                headers: !options.headers.is_empty(),
                ..Brings::default()
            },
            Self::KcatText(KcatText { format, .. }) => Brings {
                key: format.contains("%k"),
                timestamp: format.contains("%T"),
                partition: format.contains("%p"),
                headers: format.contains("%h"),
            },
            Self::ConsoleProducer { properties } => {
                let on = |name| properties::is_true(properties, name, false);
                Brings { key: on("parse.key"), headers: on("parse.headers"), ..Brings::default() }
            }
            Self::ConsoleConsumer { properties, .. } => {
                let on = |name| properties::is_true(properties, name, false);
                Brings {
                    key: on("print.key"),
                    timestamp: on("print.timestamp"),
                    partition: on("print.partition"),
                    headers: on("print.headers"),
                }
            }
            Self::Segment => Brings { partition: false, ..all },
            Self::DumpLog => Brings { partition: false, headers: false, ..all },
            Self::LogZip | Self::Lossless | Self::KcatJson | Self::Csv { .. } => all,
        }
    }
}

/// What a format can say of a record, beside its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Brings {
    /// Its own key.
    pub key: bool,
    /// Its own timestamp.
    pub timestamp: bool,
    /// The partition it lay in.
    pub partition: bool,
    /// Headers.
    pub headers: bool,
}

/// A separator of cells as the byte that it is.
pub(super) fn csv_separator(separator: char) -> Result<u8> {
    match u8::try_from(separator) {
        Ok(byte) if byte.is_ascii() && !b"\"\r\n".contains(&byte) => Ok(byte),
        _ => Err(Error::loglanes(format!("{separator:?} cannot part the cells of a table."))
            .with_hint("Choose one ASCII character, such as a comma, a semicolon or a tab.")),
    }
}
