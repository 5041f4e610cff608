//! Apache Kafka's data model, in a browser tab and in your tests.
//!
//! This file is the table of contents. Begin with [`Cluster`], which applies a [`Command`]; with
//! its history and what is saved of it, it is a [`Session`]. The log itself is in [`log`], the way
//! from a key to a partition in [`partitioner`], what a consumer group does in [`group`].
//! `docs/design.md` tells how it holds together.
//!
//! ```
//! use loglanes::{Cluster, Command, Outcome};
//!
//! let now_ms = 1_700_000_000_000;
//! let mut cluster = Cluster::new(7);
//! cluster.apply(&Command::create_topic("orders", 12), now_ms)?;
//! let sent = cluster.apply(
//!     &Command::produce("orders", Some(b"order-1007"), Some(b"paid")),
//!     now_ms,
//! )?;
//! assert!(matches!(sent, Outcome::Produced { partition: 6, offset: 0, .. }));
//!
//! let refused =
//!     cluster.apply(&Command::CreatePartitions { topic: "orders".into(), total: 6 }, now_ms);
//! assert_eq!(
//!     refused.unwrap_err().message(),
//!     "The topic orders currently has 12 partition(s); 6 would not be an increase."
//! );
//! # Ok::<(), loglanes::Error>(())
//! ```

mod bytes;
mod command;
mod error;
mod history;
mod job;
mod outcome;
mod record_set;
mod segment_set;
mod session;
mod timeline;

pub mod cluster;
pub mod generate;
pub mod group;
pub mod insight;
pub mod interchange;
pub mod java;
pub mod log;
pub mod partitioner;
pub mod producer;
pub mod replicas;
pub mod scenario;
pub mod snapshot;
pub mod topic;
pub mod view;

#[cfg(target_arch = "wasm32")]
pub mod wasm;

pub use bytes::Bytes;
pub use cluster::{Cluster, MAX_STORED_BYTES};
pub use command::{Command, LogEnd, MAX_ID_BYTES, MAX_LIST, OwnedHeader, Produce, SeekTo};
pub use error::{Error, ErrorCode, Refusal, Result};
pub use history::{
    Aside, History, MAX_ASIDE_BYTES, MAX_ASIDES, MAX_HISTORY_BYTES, MAX_HISTORY_STEPS, Step,
};
pub use interchange::ImportSpec;
pub use job::{At, JobProgress, MAX_REASON_CHARS, MAX_REFUSALS_TOLD, Refused};
pub use outcome::{
    ClockEvent, ConfigChange, CopiedLog, LeftAlone, LogCut, MAX_CLOCK_EVENTS, Outcome,
    PartitionCleaning, PartitionRetention, PolledRecord, RefusedRecords, Reset, SentTo, SoughtTo,
    WrittenMarker,
};
pub use record_set::{RecordSet, RecordSetBuilder};
pub use segment_set::{SegmentSet, SegmentSets};
pub use session::Session;

/// The examples of the README are tests, too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
