//! The settings of a producer that decide what goes into which batch.
//!
//! Source: `ProducerConfig` of Apache Kafka 4.4.0, also for the defaults.

use crate::error::{Error, ErrorCode, Result};
use crate::log::{Compression, NewRecord};
use crate::partitioner::{DEFAULT_BATCH_SIZE, Partitioner};

/// The default `batch.size`, in bytes.
pub const BATCH_SIZE: i32 = DEFAULT_BATCH_SIZE;

/// The default `max.request.size`, in bytes.
pub const MAX_REQUEST_SIZE: u64 = 1_048_576;

/// The default `buffer.memory`, in bytes.
pub const BUFFER_MEMORY: u64 = 33_554_432;

/// `max.block.ms`, which two of the client's texts name.
pub const MAX_BLOCK_MS: i64 = 60_000;

/// `delivery.timeout.ms`, which the text of a batch that expires names.
pub const DELIVERY_TIMEOUT_MS: i64 = 120_000;

/// The settings of a producer, Kafka's names.
///
/// ```
/// use loglanes::log::NewRecord;
/// use loglanes::producer::ProducerConfig;
///
/// let config = ProducerConfig { max_request_size: 1_000, ..ProducerConfig::default() };
/// let value = [0; 915];
/// let record = |value| NewRecord { timestamp: 0, key: None, value: Some(value), headers: &[] };
/// assert!(config.check(&record(&value[..914])).is_ok());
/// assert!(config.check(&record(&value)).is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProducerConfig {
    /// `partitioner.class`. One that is not [usable](super::is_usable) stays here as the Java
    /// client does.
    pub partitioner: Partitioner,
    /// `batch.size`, in bytes: how large a batch of several records gets, and how long a keyless
    /// stay is. Below 1 counts as 1.
    pub batch_size: i32,
    /// `max.request.size`, in bytes, of a record by Kafka's upper estimate.
    pub max_request_size: u64,
    /// `buffer.memory`, in bytes.
    pub buffer_memory: u64,
    /// `compression.type`: how batches are packed. Then a batch takes records until its expected
    /// packed size is `batch_size`.
    pub compression: Compression,
    /// `partitioner.adaptive.partitioning.enable`: see [`RecordAccumulator::ready`].
    ///
    /// [`RecordAccumulator::ready`]: super::RecordAccumulator::ready
    pub adaptive_partitioning: bool,
}

impl Default for ProducerConfig {
    fn default() -> Self {
        Self::with(Partitioner::JavaDefault)
    }
}

impl ProducerConfig {
    /// Kafka's defaults, and this partitioner.
    #[must_use]
    pub const fn with(partitioner: Partitioner) -> Self {
        Self {
            partitioner,
            batch_size: BATCH_SIZE,
            max_request_size: MAX_REQUEST_SIZE,
            buffer_memory: BUFFER_MEMORY,
            compression: Compression::None,
            adaptive_partitioning: true,
        }
    }

    /// `batch.size` as batches are built by it.
    #[inline]
    pub(super) fn batch_limit(&self) -> usize {
        self.batch_size.max(1) as usize
    }

    /// The client's own limits on a record.
    ///
    /// Source: `KafkaProducer.ensureValidRecordSize`, `BufferPool.allocate`.
    ///
    /// # Errors
    ///
    /// `MESSAGE_TOO_LARGE` for a record above `max.request.size` or `buffer.memory`;
    /// `IllegalArgumentException` where not even one batch has room in `buffer.memory`.
    #[inline]
    pub fn check(&self, record: &NewRecord<'_>) -> Result {
        let size = record.size_upper_bound();
        let batch = self.batch_limit() as u64;
        if size <= self.max_request_size && size.max(batch) <= self.buffer_memory {
            return Ok(());
        }
        Err(self.refusal(size))
    }

    #[cold]
    fn refusal(&self, size: u64) -> Error {
        let (limit, buffer) = (self.max_request_size, self.buffer_memory);
        if size > limit {
            return Error::client_code(
                ErrorCode::MessageTooLarge,
                format!(
                    "The message is {size} bytes when serialized which is larger than {limit}, \
                     which is the value of the max.request.size configuration."
                ),
            )
            .with_hint(
                "Send a smaller value: the client refuses this one before any broker sees it.",
            );
        }
        if size > buffer {
            return Error::client_code(
                ErrorCode::MessageTooLarge,
                format!(
                    "The message is {size} bytes when serialized which is larger than the total \
                     memory buffer you have configured with the buffer.memory configuration."
                ),
            )
            .with_hint("Send a smaller value, or give the producer more buffer.memory.");
        }
        Error::client(
            "IllegalArgumentException",
            format!(
                "Attempt to allocate {} bytes, but there is a hard limit of {buffer} on memory \
                 allocations.",
                self.batch_limit()
            ),
        )
        .with_hint("Choose a batch.size that is not above buffer.memory.")
    }
}
