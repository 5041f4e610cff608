//! Consumer groups: who reads which partition, from where, and what has been committed.
//!
//! This is Kafka's classic protocol, with the four assignors of its Java client. One thing is
//! simplified, and the page says so: a rebalance is over at once, since every live member rejoins
//! on the spot. In Kafka the members stop for as long as the slowest of them takes.
//!
//! Sources: `KafkaConsumer`, `ConsumerCoordinator`, `GroupMetadataManager`, Apache Kafka 4.4.0.

pub mod assignor;
mod check;
mod config;
mod coordinator;
pub mod datetime;
pub(crate) mod describe;
pub mod duration;
mod member;
mod membership;
mod offsets;
mod poll;
mod rebalance;
mod reset;

pub use config::{AUTO_COMMIT_INTERVAL_MS, ConsumerConfig};
pub use coordinator::{Group, METADATA_MAX_AGE_MS, SESSION_TIMEOUT_MS};
pub use member::Member;
pub use offsets::{OffsetReset, PartitionOffset, TopicPartition};
pub use poll::{
    FETCH_MAX_BYTES, Fetched, MAX_PARTITION_FETCH_BYTES, MAX_POLL_RECORDS, Polled, PolledAt,
    REQUEST_TIMEOUT_MS, ResetNote,
};
pub use rebalance::{Change, Round};
pub(crate) use reset::plan as reset_plan;
pub use reset::{MAX_PLAN_BYTES, ResetPlan, ResetTo};
