//! What a broker stores: records, batches, segments, partitions.
//!
//! From the inside out: a [`record`] lies in a [`batch`], batches back to back are a
//! [`segment`] with its two indexes ([`index`]), and segments one after the other are a
//! partition's log, [`PartitionLog`]. The bytes are Kafka's own, format v2: what is in memory
//! is what a broker would have in its `.log` files.

mod append;
mod cleaner;
mod config;
mod fetch;
mod leader_epochs;
mod partition;
mod producer_state;
mod records;
mod recover;
mod restore;
mod retention;
mod shared_bytes;
mod transactions;
mod validate;

pub mod batch;
pub mod compression;
pub mod crc32c;
pub mod index;
pub mod record;
pub mod segment;
pub mod varint;

pub use append::AppendInfo;
pub use batch::{
    BATCH_HEADER_LEN, BatchBuilder, BatchHeader, BatchView, Batches, Compression, EndTransaction,
    MAX_BATCH_BYTES, TimestampType, UnpackedRecords,
};
pub use cleaner::{CleanerPass, CleanerPlan};
pub use config::{BrokerCompression, CleanupPolicy, LogConfig, Ratio};
pub use fetch::{Fetch, FetchedTo};
pub use leader_epochs::LeaderEpoch;
pub(crate) use leader_epochs::LeaderEpochs;
pub use partition::{LAST_USABLE_OFFSET, MAX_UNPACKED_LOG_BYTES, PartitionLog};
pub use producer_state::{
    BATCHES_TO_RETAIN, PRODUCER_ID_EXPIRATION_MS, ProducerBatch, ProducerState, ProducerStates,
};
pub use record::{Header, NO_TIMESTAMP, NewRecord, RecordView, size_upper_bound};
pub use records::Records;
pub use recover::RecoveryCut;
pub(crate) use restore::Cut;
pub use restore::SegmentParts;
pub use retention::{DeletedSegment, DeletionReason};
pub use segment::Segment;
pub(crate) use shared_bytes::SharedBytes;
pub use transactions::{AbortedTransaction, IsolationLevel, TransactionFate, marker_of};
pub use validate::check_timestamp;
pub(crate) use validate::faulty_records;
