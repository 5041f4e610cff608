//! Files in, one format a file.
//!
//! A reader is fed the file in chunks of any size and calls back for each record, so that a file
//! larger than memory can be taken in small steps. What it cannot take it refuses by line number
//! and says why; it never guesses and never drops a line in silence.

pub mod lines;
pub mod ndjson;

pub mod inspect;
mod json;

pub use inspect::{FieldSummary, FileFormat, Inspection, inspect};
