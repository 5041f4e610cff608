//! From key bytes to a partition: as Kafka's Java producer does it, and as every other client
//! family would.
//!
//! A record with a key goes where a hash of the key's bytes points. A record without one goes
//! where the producer likes, and that differs most between clients: [`BuiltInPartitioner`] stays
//! on a partition for a while, as long as the batches of a
//! [`RecordAccumulator`](crate::producer::RecordAccumulator) say; [`RoundRobinPartitioner`] takes
//! turns. [`Partitioner`] is the table of them all. Nothing here has a clock or a source of
//! randomness: random numbers are passed in.
//!
//! Source: the Java client of Kafka 4.4.0 and the other libraries, as recorded in
//! `tests/golden/placement`.

mod client;
mod clients;
mod explain;
mod hash;
mod order;
mod placement;
mod round_robin;
mod sticky;

pub use client::Client;
pub use clients::{Partitioner, side_by_side};
pub use explain::{KeyArithmetic, Step};
pub use hash::{
    HashFamily, KeyHash, SignRule, crc32, fnv1a32, kafkajs_legacy_murmur2, murmur2, to_positive,
};
pub use order::{KnownPartitions, partition_order, partition_order_among};
pub use placement::{Placement, StartsAt, Stay, TurnOrder};
pub use round_robin::RoundRobinPartitioner;
pub use sticky::{BuiltInPartitioner, DEFAULT_BATCH_SIZE};

/// The partition of a key, as Kafka's Java producer picks it: `(murmur2 & 0x7fffffff) % partitions`.
///
/// `partitions` is the number of all partitions of the topic, with a leader or not. A topic has
/// at least one; 0 is taken as 1. The empty key is a key like any other.
///
/// Source: `BuiltInPartitioner.partitionForKey`.
///
/// ```
/// use loglanes::partitioner::partition_for_key;
///
/// assert_eq!(partition_for_key(b"foobar", 10), 6);
/// assert_eq!(partition_for_key("müller-42".as_bytes(), 6), 3);
/// assert_eq!(partition_for_key(b"", 6), 3);
/// ```
#[must_use]
pub fn partition_for_key(key: &[u8], partitions: u32) -> u32 {
    to_positive(murmur2(key)) as u32 % partitions.max(1)
}
