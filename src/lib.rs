//! Apache Kafka's data model, in a browser tab and in your tests.
//!
//! This file is the table of contents; the story of the whole is in the README.

mod error;

pub mod generate;
pub mod insight;
pub mod interchange;
pub mod java;
pub mod log;
pub mod partitioner;
pub mod replicas;

pub use error::{Error, ErrorCode, Refusal, Result};
