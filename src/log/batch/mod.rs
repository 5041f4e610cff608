//! Record batches, format v2: the unit a producer sends, the broker stores and a consumer gets.
//!
//! A batch is a header of [`BATCH_HEADER_LEN`] bytes and its records. [`BatchBuilder`] writes
//! one, [`BatchView`] reads one, [`Batches`] walks over many. Source:
//! `org.apache.kafka.common.record.DefaultRecordBatch`.

mod builder;
mod header;
mod packing;
mod view;

#[cfg(test)]
mod tests;

pub use builder::{BatchBuilder, EndTransaction, MAX_BATCH_BYTES};
pub use header::{BATCH_HEADER_LEN, BatchHeader, Compression, TimestampType};
pub(crate) use header::{BatchFault, frame};
pub use view::{BatchRecords, BatchView, Batches, UnpackedRecords};
