//! Consumer groups: who reads which partition, from where, and what has been committed.
//!
//! Both of Kafka's protocols: the classic one, with the four assignors of its Java client, and the
//! newer one (KIP-848), with the broker's two. One thing is simplified, and the page says so: a
//! rebalance is over at once, since every live member does its part on the spot. In Kafka it takes
//! as long as the slowest of them does.
//!
//! Sources: `KafkaConsumer`, `ConsumerCoordinator`, `GroupMetadataManager`, Apache Kafka 4.4.0.

pub mod assignor;
mod check;
mod config;
mod coordinator;
pub mod datetime;
pub mod describe;
pub mod duration;
mod member;
mod membership;
mod offsets;
mod outside;
mod poll;
mod protocol;
mod rebalance;
mod reconcile;
mod reset;

pub use config::{AUTO_COMMIT_INTERVAL_MS, ConsumerConfig};
pub use coordinator::{
    CommitNote, Group, MAX_OFFSET_METADATA, METADATA_MAX_AGE_MS, SESSION_TIMEOUT_MS,
};
pub use member::Member;
pub use offsets::{OffsetReset, PartitionOffset, TopicPartition};
pub use outside::{Outside, WhyOutside};
pub use poll::{
    FETCH_MAX_BYTES, Fetched, MAX_PARTITION_FETCH_BYTES, MAX_POLL_RECORDS, Polled, PolledAt,
    REQUEST_TIMEOUT_MS, ResetNote,
};
pub use protocol::{GroupProtocol, SERVER_ASSIGNORS};
pub use rebalance::{Change, Round};
pub use reconcile::CONSUMER_HEARTBEAT_INTERVAL_MS;
pub(crate) use reset::plan as reset_plan;
pub use reset::{MAX_PLAN_BYTES, ResetPlan, ResetTo};
