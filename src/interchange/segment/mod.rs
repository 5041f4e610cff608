//! Kafka's own files: `.log` segments, in.
//!
//! A [`SegmentReader`] is fed a file in chunks and gives its records as Kafka's own reader of
//! files does, `legacy` the messages of before Kafka 0.11 that some of them hold. Whether they are
//! sent anew or the file becomes a partition's log as it is, is for the caller. A whole directory
//! of a partition, in files or in a zip, is [`LogFiles`], what `kafka-dump-log` prints is read by
//! [`DumpReader`]; and [`SegmentsExport`] writes partitions as a broker has them.

mod decoder;
mod dump;
mod export;
mod files;
mod legacy;
mod plan;
mod reader;
mod zip;

pub use decoder::{DumpDecoder, LogZipDecoder, Looks, LooksLike, SegmentDecoder, looks_like};
pub use dump::{DumpReader, DumpRecord, DumpRefused, MAX_DUMP_RECORD_BYTES};
pub use export::SegmentsExport;
pub use files::{LogFiles, MAX_COPY_BYTES, PartitionFiles};
pub use legacy::{LegacyRecord, legacy_records};
pub use plan::{LogPlan, PlannedPartition, PlannedTopic};
pub use reader::{MAX_FILE_BATCH_BYTES, SegmentItem, SegmentReader, SegmentRecord, SegmentSummary};
pub use zip::{
    MAX_ZIP_BYTES, MAX_ZIP_FILES, MAX_ZIP_UNPACKED_BYTES, MemberSum, Unpacker, ZipFile, ZipMember,
    ZipWriter, read_zip, zip_members,
};
