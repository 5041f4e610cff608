//! Apache Kafka's data model, in a browser tab and in your tests.
//!
//! This file is the table of contents; the story of the whole is in the README.

mod bytes;
mod command;
mod error;
mod history;
mod job;
mod outcome;
mod record_set;
mod session;

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
pub mod snapshot;
pub mod topic;
pub mod view;

#[cfg(target_arch = "wasm32")]
pub mod wasm;

pub use bytes::Bytes;
pub use cluster::Cluster;
pub use command::{Command, LogEnd, OwnedHeader, Produce, SeekTo};
pub use error::{Error, ErrorCode, Refusal, Result};
pub use history::{History, MAX_HISTORY_BYTES, MAX_HISTORY_STEPS, Step};
pub use job::{ImportSpec, JobProgress, MAX_REFUSALS_TOLD, Refused};
pub use outcome::{Outcome, PolledRecord, Reset, SentTo};
pub use record_set::{RecordSet, RecordSetBuilder};
pub use session::Session;
