//! The cluster in the words of Kafka's command-line tools: what they print, to the letter.
//!
//! Source: the classes of `org.apache.kafka.tools` that each file names, Apache Kafka 4.4.0. What
//! `kafka-consumer-groups` prints of a group is in [`describe`](crate::group::describe).

mod configs;
mod delete_records;
mod log_dirs;
mod offsets;
mod request;
mod topics;

pub use configs::configs;
pub use delete_records::delete_records;
pub use log_dirs::log_dirs;
pub use offsets::{OffsetAt, offsets};
pub use request::{GroupTable, Printed, ToolRequest};
pub use topics::{TopicRows, topic_list, topics};
