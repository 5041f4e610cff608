//! Files in and out, one format a file.
//!
//! In: a [`Decoder`] is fed the file in chunks of any size and calls back with [`FileRecord`]s, so
//! that a file larger than memory can be taken in small steps. What it cannot take it refuses,
//! naming line or byte and the reason; it never guesses and never drops a line in silence. An
//! [`ImportSpec`] says as data which format a file has ([`FileFormat`]) and what of each record
//! becomes key, value, timestamp and partition; a [`Chooser`] does that.
//!
//! Out: an [`Encoder`] is given one record after the other; an [`Export`] goes over what was asked
//! for and hands out the file in chunks.
//!
//! A new format is a file here with a decoder, an encoder or both, a variant in `format.rs`, and a
//! line in `recognise.rs`.

pub mod bundle;
pub mod console_consumer;
pub mod console_producer;
pub mod csv;
pub mod csv_out;
pub mod decoder;
pub mod encoder;
pub mod export;
pub mod format;
pub mod inspect;
pub mod json_array;
pub mod jsonlines;
pub mod kcat_json;
pub mod kcat_lines;
pub mod kcat_text;
pub mod lines;
pub mod lossless;
pub mod ndjson;
pub mod path;
pub mod properties;
pub mod segment;
pub mod spec;

mod chooser;
mod java_text;
mod json;
mod pieces;
mod recognise;

pub use chooser::{Chooser, Chosen};
pub use decoder::{Decoder, FileHeader, FileRecord, Found, Passed, Place, RefusedAt};
pub use encoder::{Encoder, Lying};
pub use export::{Export, ExportFormat, ExportProgress, ExportScope, ExportSpec};
pub use format::{Brings, FileFormat};
pub use inspect::{FieldSummary, Inspection, Preview, PreviewRecord, inspect, preview};
pub use spec::{ImportSpec, KeyChoice, PartitionChoice, TimestampChoice, ValueChoice};
