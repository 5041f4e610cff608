//! Where a record would go, as far as that can be said before it is sent.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where a client puts a record: a partition, or the way one is drawn.
///
/// ```
/// use loglanes::partitioner::{Partitioner, Placement};
///
/// assert_eq!(Partitioner::JavaDefault.place(Some(b"foobar"), 10), Placement::Fixed(6));
/// assert!(matches!(Partitioner::JavaDefault.place(None, 10), Placement::Sticky { .. }));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// Always this partition.
    Fixed(u32),
    /// Drawn anew for each record.
    Random,
    /// In turn, one step a record.
    RoundRobin {
        /// Where the first turn begins.
        starts_at: StartsAt,
        /// In which order the turns go.
        order: TurnOrder,
    },
    /// Drawn once, then kept for a while.
    Sticky {
        /// For how long.
        stay: Stay,
    },
}

/// Where round robin begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StartsAt {
    /// At the first partition of the order.
    First,
    /// Anywhere: a new producer draws the start of each topic.
    Random,
}

/// The order that round robin walks in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnOrder {
    /// 0, 1, 2, ...
    PartitionNumber,
    /// The order of a Java map: see [`partition_order`](super::partition_order).
    JavaMap,
}

/// How long a sticky client keeps a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stay {
    /// One to two times `batch.size` bytes (KIP-794): see
    /// [`BuiltInPartitioner`](super::BuiltInPartitioner).
    BatchSize,
    /// Until a new batch is begun (KIP-480); another partition is drawn then, if there is one.
    Batch,
    /// By the clock: `sticky.partitioning.linger.ms`, 10 by default.
    Time,
    /// Until so many bytes of records were produced.
    Bytes(u32),
}

impl fmt::Display for Placement {
    /// In words, to follow "goes": `to partition 6`, `to a partition drawn for each record`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(partition) => write!(f, "to partition {partition}"),
            Self::Random => f.write_str("to a partition drawn for each record"),
            Self::RoundRobin { starts_at, order } => {
                f.write_str("to the partitions in turn")?;
                if *order == TurnOrder::JavaMap {
                    f.write_str(", in the order of a Java map")?;
                }
                match starts_at {
                    StartsAt::First => f.write_str(", from the first"),
                    StartsAt::Random => f.write_str(", from a random start"),
                }
            }
            Self::Sticky { stay } => {
                f.write_str("to a random partition, kept ")?;
                match stay {
                    Stay::BatchSize => f.write_str("for one to two times batch.size bytes"),
                    Stay::Batch => f.write_str("until a new batch begins"),
                    Stay::Time => f.write_str("for 10 ms (sticky.partitioning.linger.ms)"),
                    Stay::Bytes(bytes) => write!(f, "for {bytes} bytes"),
                }
            }
        }
    }
}
