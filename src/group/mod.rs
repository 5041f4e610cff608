//! Consumer groups: who reads which partition, from where, and what has been committed.
//!
//! Both of Kafka's protocols: the classic one, with the four assignors of its Java client, and the
//! newer one (KIP-848), with the broker's two. One thing is simplified, and the page says so: a
//! rebalance is over at once, since every live member does its part on the spot. In Kafka it takes
//! as long as the slowest of them does.
//!
//! Sources: `KafkaConsumer`, `ConsumerCoordinator`, `GroupMetadataManager`, Apache Kafka 4.4.0.

mod ask;
pub mod assignor;
mod by_hand;
mod check;
mod commit;
mod config;
mod coordinator;
pub mod datetime;
pub mod describe;
pub mod duration;
mod member;
mod membership;
mod offsets;
mod outside;
mod pattern;
mod poll;
mod protocol;
mod rebalance;
mod reconcile;
mod reset;
mod settings;

pub(crate) use ask::Asked;
pub use ask::{Call, Said, SaidOffset};
pub(crate) use by_hand::{exclusive, no_group_id};
pub use commit::{MAX_OFFSET_METADATA, RefusedOffset, Verdicts};
pub use config::{
    AUTO_COMMIT_INTERVAL_MS, ConsumerConfig, HEARTBEAT_INTERVAL_MS, MAX_POLL_INTERVAL_MS,
};
pub use coordinator::{CommitNote, Group, METADATA_MAX_AGE_MS, SESSION_TIMEOUT_MS};
pub(crate) use coordinator::{negative_seek, not_assigned};
pub use member::Member;
pub(crate) use membership::check_topics;
pub use offsets::{OffsetReset, PartitionOffset, TopicPartition};
pub use outside::{Outside, WhyOutside};
pub use pattern::{MAX_PATTERN_BYTES, MAX_PATTERN_DEPTH, TopicPattern};
pub use poll::{
    FETCH_MAX_BYTES, Fetched, MAX_PARTITION_FETCH_BYTES, MAX_POLL_RECORDS, Polled, PolledAt,
    REQUEST_TIMEOUT_MS, ResetNote,
};
pub use protocol::{GroupProtocol, SERVER_ASSIGNORS};
pub use rebalance::{Change, Round};
pub use reconcile::CONSUMER_HEARTBEAT_INTERVAL_MS;
pub(crate) use reset::plan as reset_plan;
pub use reset::{MAX_PLAN_BYTES, ResetPlan, ResetTo};
pub(crate) use settings::poll_records;
pub use settings::{MAX_SESSION_TIMEOUT_MS, MIN_SESSION_TIMEOUT_MS};
