//! Transactions in a log: markers, the index of aborted ones, and how far a reader that wants
//! committed records may go.
//!
//! A transaction's records lie in the log like any others. A marker behind them says whether they
//! count; it is a record of its own, takes an offset, and is given to nobody. Up to the begin of
//! the earliest open transaction the log is stable: the last stable offset.
//!
//! Source: `UnifiedLog.lastStableOffset`, `TransactionIndex`, `AbortedTxn`, `EndTransactionMarker`,
//! `CompletedFetch`, Apache Kafka 4.4.0.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::append::{AppendInfo, offsets_left};
use super::batch::{BatchBuilder, BatchHeader, BatchView, EndTransaction};
use super::partition::PartitionLog;
use super::producer_state::ProducerStates;
use super::records::Records;
use crate::error::{Error, ErrorCode, Result};

/// `isolation.level` of a consumer.
///
/// ```
/// use loglanes::log::IsolationLevel;
/// assert_eq!(IsolationLevel::default().name(), "read_uncommitted");
/// assert_eq!("read_committed".parse(), Ok(IsolationLevel::ReadCommitted));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IsolationLevel {
    /// Every record up to the high watermark, those of open and aborted transactions too: Kafka's
    /// default.
    #[default]
    ReadUncommitted,
    /// Records up to the last stable offset, without those of aborted transactions.
    ReadCommitted,
}

impl FromStr for IsolationLevel {
    type Err = Error;

    /// Source: `ConsumerConfig`, where it is one of two texts.
    fn from_str(text: &str) -> Result<Self> {
        [Self::ReadUncommitted, Self::ReadCommitted]
            .into_iter()
            .find(|level| level.name() == text)
            .ok_or_else(|| {
                Error::client(
                    "ConfigException",
                    format!(
                        "Invalid value {text} for configuration isolation.level: String must be one \
                         of: read_committed, read_uncommitted"
                    ),
                )
                .with_hint("Leave it out for read_uncommitted.")
            })
    }
}

impl IsolationLevel {
    /// Kafka's name of it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ReadUncommitted => "read_uncommitted",
            Self::ReadCommitted => "read_committed",
        }
    }

    /// Whether it is Kafka's default.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// An aborted transaction, as an entry of a `.txnindex` file says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AbortedTransaction {
    /// Whose.
    pub producer_id: i64,
    /// The offset of its first record here.
    pub first_offset: i64,
    /// The offset of its marker.
    pub last_offset: i64,
    /// The last stable offset once it had ended.
    pub last_stable_offset: i64,
}

impl AbortedTransaction {
    /// The entry's bytes: a version, 0, then four numbers.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; 34] {
        let mut out = [0; 34];
        out[2..10].copy_from_slice(&self.producer_id.to_be_bytes());
        out[10..18].copy_from_slice(&self.first_offset.to_be_bytes());
        out[18..26].copy_from_slice(&self.last_offset.to_be_bytes());
        out[26..34].copy_from_slice(&self.last_stable_offset.to_be_bytes());
        out
    }
}

/// What becomes of the records of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum TransactionFate {
    /// They are part of none.
    None,
    /// Their transaction has not ended.
    Open,
    /// Their transaction was committed.
    Committed,
    /// Their transaction was aborted.
    Aborted,
}

impl PartitionLog {
    /// What it remembers of its producers.
    #[must_use]
    pub fn producers(&self) -> &ProducerStates {
        &self.producers
    }

    /// Forgets producers whose time is up; says how many.
    pub fn expire_producers(&mut self, now_ms: i64) -> usize {
        self.producers.expire(now_ms)
    }

    /// The offset up to which all transactions have ended. While one is open that began below the log
    /// start offset, the base offset of the batch that holds the log start: it may lie below it.
    ///
    /// ```
    /// use loglanes::log::{BatchBuilder, EndTransaction, LogConfig, NewRecord, PartitionLog};
    /// # fn main() -> loglanes::Result {
    /// let mut log = PartitionLog::new(LogConfig::default(), 0);
    /// let mut batch = BatchBuilder::new();
    /// batch.set_producer(7, 0, 0)?;
    /// batch.set_transactional()?;
    /// batch.append(&NewRecord { timestamp: 5, key: None, value: Some(b"v"), headers: &[] })?;
    /// log.append_batch(&mut batch, 5)?;
    /// assert_eq!((log.last_stable_offset(), log.high_watermark()), (0, 1));
    /// log.append_marker(7, 1, EndTransaction::Commit, 6)?;
    /// assert_eq!((log.last_stable_offset(), log.high_watermark()), (2, 2));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn last_stable_offset(&self) -> i64 {
        let end = self.high_watermark();
        let Some(first) = self.producers.first_unstable_offset() else { return end };
        if first >= self.log_start_offset {
            return first.min(end);
        }
        // The transaction has begun below the log start. A broker then looks the log start up in the
        // log, and is given the batch that holds it. Source: `maybeIncrementFirstUnstableOffset`.
        let mut from_start = self.batches_from(self.log_start_offset);
        from_start.next().map_or(end, |batch| batch.header().base_offset.min(end))
    }

    /// The offset up to which a reader of that level may go.
    #[must_use]
    pub fn readable_until(&self, isolation: IsolationLevel) -> i64 {
        match isolation {
            IsolationLevel::ReadUncommitted => self.high_watermark(),
            IsolationLevel::ReadCommitted => self.last_stable_offset(),
        }
    }

    /// As [`PartitionLog::records_from`], as a consumer of that level gets them.
    #[must_use]
    pub fn records_as(&self, offset: i64, isolation: IsolationLevel) -> Records<'_> {
        let mut records = self.records_from(offset);
        if isolation == IsolationLevel::ReadCommitted {
            records.committed_of = Some(self);
        }
        records
    }

    /// As [`PartitionLog::offset_for_timestamp`], for a consumer of that level: what it may not read
    /// is not found.
    #[must_use]
    pub fn offset_for_timestamp_as(
        &self,
        timestamp: i64,
        isolation: IsolationLevel,
    ) -> Option<(i64, i64)> {
        let found = self.offset_for_timestamp(timestamp);
        found.filter(|(offset, _)| *offset < self.readable_until(isolation))
    }

    /// As [`PartitionLog::max_timestamp_offset`], for a consumer of that level: none where the
    /// record is one that it may not read, whatever lies before.
    #[must_use]
    pub fn max_timestamp_offset_as(&self, isolation: IsolationLevel) -> Option<(i64, i64)> {
        let found = self.max_timestamp_offset();
        found.filter(|(offset, _)| *offset < self.readable_until(isolation))
    }

    /// What becomes of the records of a batch of this log.
    #[must_use]
    pub fn fate(&self, batch: &BatchHeader) -> TransactionFate {
        if !batch.is_transactional() {
            return TransactionFate::None;
        }
        let open = self.producers.get(batch.producer_id).and_then(|state| state.txn_first_offset);
        if open.is_some_and(|first| batch.base_offset >= first) && !batch.is_control() {
            return TransactionFate::Open;
        }
        // The first entry of this producer that ends at or after the batch decides; none can come
        // behind an entry at which the log was stable past the batch.
        let later = self.segments().get(self.segment_at(batch.base_offset)..).unwrap_or_default();
        for aborted in later.iter().flat_map(|segment| segment.aborted()) {
            if aborted.last_offset < batch.base_offset {
                continue;
            }
            if aborted.producer_id == batch.producer_id {
                return if aborted.first_offset <= batch.base_offset {
                    TransactionFate::Aborted
                } else {
                    TransactionFate::Committed
                };
            }
            if aborted.last_stable_offset > batch.base_offset {
                break;
            }
        }
        TransactionFate::Committed
    }

    /// Ends a transaction of a producer: appends the marker, as the coordinator has the partition's
    /// leader do. Where the producer has none open, a marker is written all the same.
    ///
    /// # Errors
    /// `INVALID_PRODUCER_EPOCH` (47) for an epoch below that which wrote here last; an offset past
    /// [`LAST_USABLE_OFFSET`](super::LAST_USABLE_OFFSET). The log has then not changed.
    pub fn append_marker(
        &mut self,
        producer_id: i64,
        epoch: i16,
        marker: EndTransaction,
        now_ms: i64,
    ) -> Result<AppendInfo> {
        let mut batch = BatchBuilder::new();
        batch.set_control();
        batch.set_producer(producer_id, epoch, -1)?;
        batch.set_transactional()?;
        batch.append_marker(marker, COORDINATOR_EPOCH, now_ms)?;
        let base_offset = self.log_end_offset();
        offsets_left(base_offset, 0)?;
        let log_append_time = self.log_append_time(now_ms);
        let bytes = &*batch.finish_at(base_offset, self.leader_epoch(), log_append_time);
        let header = BatchHeader::parse(bytes)?;
        let last_epoch = self.producers.get(producer_id).map_or(-1, |state| state.epoch);
        if epoch < last_epoch {
            return Err(Error::code_alone(ErrorCode::InvalidProducerEpoch).with_hint(format!(
                "The marker has epoch {epoch}, and epoch {last_epoch} wrote here already."
            )));
        }
        let marker = (marker, COORDINATOR_EPOCH);
        let known = self.producers.after_marker(&header, marker, now_ms);
        let info = self.store(&header, bytes, 0, Some(known), now_ms);
        Ok(AppendInfo { log_append_time, ..info })
    }
}

/// The epoch of a coordinator that has never changed.
const COORDINATOR_EPOCH: i32 = 0;

/// What the marker in a control batch says: how the transaction ended, and the coordinator's
/// epoch. None for a batch that the cleaner has emptied, and for any other kind of control record.
#[must_use]
pub fn marker_of(batch: &BatchView<'_>) -> Option<(EndTransaction, i32)> {
    let header = batch.header();
    let record = batch.records().next().filter(|_| header.is_control())?.ok()?;
    let (key, value) = (record.key?, record.value?);
    let kind = match key.get(2..4)? {
        [0, 0] => EndTransaction::Abort,
        [0, 1] => EndTransaction::Commit,
        _ => return None,
    };
    let epoch: [u8; 4] = value.get(2..6)?.try_into().ok()?;
    Some((kind, i32::from_be_bytes(epoch)))
}
