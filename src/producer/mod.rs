//! A producer: which partition a record goes to, and which batch it travels in.
//!
//! A record joins the open batch of its partition while there is room in it; a full batch goes
//! to the log, and a flush sends all the others. Keyless records follow the sticky rule by the
//! bytes of these batches, so partition and batch are decided together: that is
//! [`RecordAccumulator`]. What it gives away, `Sending` brings to the logs of a topic, and splits
//! what the broker finds too large.
//!
//! What is simplified: nothing takes an open batch away in between, as Kafka's sender thread may,
//! and the buffer is sent when `buffer.memory` is full. A stay on a partition may
//! therefore be longer here than there, never beyond Kafka's own bounds. No time passes while a
//! batch is sent, or sent again: one that expires holds up none that was made later. Batches are
//! built as the Java client builds them, whatever client's partitioner is chosen.
//!
//! Sources: `KafkaProducer`, `RecordAccumulator`, `ProducerBatch`, Apache Kafka 4.4.0.

mod accumulator;
mod client;
mod config;
mod sender;
mod settings;

pub use accumulator::{Appended, RecordAccumulator};
pub(crate) use client::{Enlisted, Writer};
pub use client::{Identity, LastBatch, LastError, Producer, TransactionState};
pub use config::{
    BATCH_SIZE, BUFFER_MEMORY, DELIVERY_TIMEOUT_MS, MAX_BLOCK_MS, MAX_REQUEST_SIZE, ProducerConfig,
};
pub use sender::Sent;
pub(crate) use sender::{Buffer, Sending, new_record};
pub use settings::{ProducerSettings, TRANSACTION_TIMEOUT_MS};

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorCode, Result};
use crate::partitioner::{
    BuiltInPartitioner, Partitioner, Placement, RoundRobinPartitioner, StartsAt, Stay, TurnOrder,
    partition_order,
};

/// What a producer remembers of a topic from one record to the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Memory {
    /// Nothing: every record is placed by itself.
    Nothing,
    /// How long it has stayed on which partition.
    Sticky(BuiltInPartitioner),
    /// Whose turn is next.
    RoundRobin(RoundRobinPartitioner),
}

impl Memory {
    /// A new producer's. A random start is drawn here; `draw` answers any 32-bit number.
    ///
    /// ```
    /// use loglanes::producer::{Memory, ProducerConfig};
    ///
    /// let memory = Memory::new(&ProducerConfig::default(), &mut || 7);
    /// assert!(matches!(memory, Memory::Sticky(_)));
    /// ```
    #[must_use]
    pub fn new(config: &ProducerConfig, draw: &mut impl FnMut() -> i32) -> Self {
        match config.partitioner.place(None, 1) {
            Placement::Sticky { .. } => Self::Sticky(BuiltInPartitioner::new(config.batch_size)),
            Placement::RoundRobin { starts_at, .. } => {
                Self::RoundRobin(RoundRobinPartitioner::starting_at(match starts_at {
                    StartsAt::First => 0,
                    StartsAt::Random => draw(),
                }))
            }
            Placement::Fixed(_) | Placement::Random => Self::Nothing,
        }
    }
}

/// Whether a producer of this model can use a partitioner. Clients that stay on a partition by
/// the clock, by the batch or by a count of their own are shown for comparison only.
///
/// ```
/// use loglanes::partitioner::Partitioner;
/// use loglanes::producer::is_usable;
///
/// assert!(is_usable(Partitioner::JavaDefault));
/// assert!(is_usable(Partitioner::SaramaHash));
/// assert!(!is_usable(Partitioner::LibrdkafkaConsistentRandom));
/// ```
#[must_use]
pub fn is_usable(partitioner: Partitioner) -> bool {
    [None, Some(&b""[..]), Some(&b"k"[..])].into_iter().all(|key| {
        !matches!(
            partitioner.place(key, 1),
            Placement::Sticky { stay: Stay::Batch | Stay::Time | Stay::Bytes(_) }
        )
    })
}

/// The partitioner of an id; none is the Java client's default.
///
/// # Errors
///
/// `LOGLANES` for an id that is unknown or not usable.
pub fn partitioner_of(id: Option<&str>) -> Result<Partitioner> {
    let Some(id) = id else { return Ok(Partitioner::JavaDefault) };
    let partitioner = Partitioner::from_id(id).ok_or_else(|| {
        Error::loglanes(format!("There is no partitioner {id:?}."))
            .with_hint("Leave it out for the Java client's default, java/default.")
    })?;
    if is_usable(partitioner) {
        return Ok(partitioner);
    }
    Err(Error::loglanes(format!("A producer of this model cannot use {id}."))
        .with_hint("It is shown for comparison only: it places keyless records by time or batch."))
}

/// A partition that a record is given for, and that its topic does not have. Source:
/// `KafkaProducer.waitOnMetadata`.
pub(crate) fn no_such_partition(topic: &str, partition: i32, count: i32) -> Error {
    Error::client_code(
        ErrorCode::RequestTimedOut,
        format!(
            "Partition {partition} of topic {topic} with partition count {count} is not present in \
             metadata after {MAX_BLOCK_MS} ms."
        ),
    )
    .with_hint(format!("Choose 0 to {}.", count - 1))
}

/// The list of partitions that turns and draws of a partitioner go through.
pub(crate) fn partition_order_of(
    partitioner: Partitioner,
    topic: &str,
    partitions: u32,
) -> Vec<u32> {
    match partitioner.place(None, 1) {
        Placement::RoundRobin { order: TurnOrder::PartitionNumber, .. } => {
            (0..partitions).collect()
        }
        _ => partition_order(topic, partitions),
    }
}
