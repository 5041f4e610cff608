//! What a partition remembers of its producers: by it a broker tells a batch that comes again from
//! a new one, refuses gaps, and knows which transactions are open.
//!
//! Of each producer id it keeps the epoch and the last five batches. A batch of the same epoch with
//! the same first and last sequence number is a duplicate, whatever it holds; any other must
//! follow the last one. Of a producer that is not known, any sequence number is taken.
//!
//! Source: `ProducerStateEntry`, `ProducerAppendInfo`, `ProducerStateManager`, Apache Kafka 4.4.0.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::append::AppendInfo;
use super::batch::{BatchHeader, EndTransaction};
use super::crc32c;
use crate::error::{Error, ErrorCode, Result};
use crate::java;

/// How many batches of a producer are known. Source: `ProducerStateEntry.NUM_BATCHES_TO_RETAIN`.
pub const BATCHES_TO_RETAIN: usize = 5;

/// `producer.id.expiration.ms`: how long after its last record's timestamp a producer is known;
/// Kafka's default, in milliseconds.
pub const PRODUCER_ID_EXPIRATION_MS: i64 = 86_400_000;

/// What a partition remembers of all its producers, by their ids.
///
/// ```
/// use loglanes::log::{BatchBuilder, LogConfig, NewRecord, PartitionLog};
/// # fn main() -> loglanes::Result {
/// let mut log = PartitionLog::new(LogConfig::default(), 0);
/// let mut batch = BatchBuilder::new();
/// batch.set_producer(7, 0, 0)?;
/// batch.append(&NewRecord { timestamp: 5, key: None, value: Some(b"v"), headers: &[] })?;
/// log.append_batch(&mut batch, 5)?;
/// let again = log.append_batch(&mut batch, 6)?;
/// assert!(again.is_duplicate);
/// assert_eq!((again.base_offset, log.log_end_offset()), (0, 1));
/// assert_eq!(log.producers().get(7).unwrap().last_sequence(), 0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProducerStates {
    entries: BTreeMap<i64, ProducerState>,
}

/// What a partition remembers of one producer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProducerState {
    /// The newest epoch that wrote here.
    pub epoch: i16,
    /// The coordinator's epoch in the last marker, -1 before the first.
    pub coordinator_epoch: i32,
    /// The greatest timestamp of its last batch, in milliseconds.
    pub last_timestamp: i64,
    /// Where its open transaction begins, if it has one here.
    pub txn_first_offset: Option<i64>,
    /// Its last batches of this epoch, the oldest first; at most [`BATCHES_TO_RETAIN`].
    pub batches: Vec<ProducerBatch>,
}

/// One batch of a producer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProducerBatch {
    /// The sequence number of its last record.
    pub last_sequence: i32,
    /// The offset of its last record.
    pub last_offset: i64,
    /// The last offset less the first.
    pub offset_delta: i32,
    /// Its greatest timestamp, in milliseconds.
    pub timestamp: i64,
}

/// A transaction that a marker has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CompletedTransaction {
    pub(super) producer_id: i64,
    pub(super) first_offset: i64,
    /// The marker's offset.
    pub(super) last_offset: i64,
    pub(super) is_aborted: bool,
}

impl ProducerBatch {
    /// The offset of its first record.
    #[must_use]
    pub fn first_offset(&self) -> i64 {
        self.last_offset.wrapping_sub(i64::from(self.offset_delta))
    }

    /// The sequence number of its first record. Before 0 comes `i32::MAX`. Source:
    /// `DefaultRecordBatch.decrementSequence`.
    #[must_use]
    pub fn first_sequence(&self) -> i32 {
        let (last, delta) = (self.last_sequence, self.offset_delta);
        if last < delta { i32::MAX - (delta - last) + 1 } else { last - delta }
    }
}

impl Default for ProducerState {
    /// Nothing yet.
    fn default() -> Self {
        Self {
            epoch: -1,
            coordinator_epoch: -1,
            last_timestamp: -1,
            txn_first_offset: None,
            batches: Vec::new(),
        }
    }
}

impl ProducerState {
    /// The sequence number of its last record in this epoch, -1 without any.
    #[must_use]
    pub fn last_sequence(&self) -> i32 {
        self.batches.last().map_or(-1, |batch| batch.last_sequence)
    }

    /// The offset of its last record in this epoch.
    #[must_use]
    pub fn last_data_offset(&self) -> Option<i64> {
        self.batches.last().map(|batch| batch.last_offset)
    }

    /// When it may be forgotten, in milliseconds; none while it has a transaction open.
    #[must_use]
    pub fn expires_ms(&self) -> Option<i64> {
        match self.txn_first_offset {
            None => Some(self.last_timestamp.saturating_add(PRODUCER_ID_EXPIRATION_MS)),
            Some(_) => None,
        }
    }

    fn set_epoch(&mut self, epoch: i16) {
        if self.epoch != epoch {
            self.epoch = epoch;
            self.batches.clear();
        }
    }

    /// Source: `ProducerAppendInfo.checkProducerEpoch`, `checkSequence`.
    fn check(&self, header: &BatchHeader) -> Result {
        let (epoch, first) = (header.producer_epoch, header.base_sequence);
        if epoch < self.epoch {
            return Err(Error::code_alone(ErrorCode::InvalidProducerEpoch).with_hint(format!(
                "The batch has epoch {epoch}, and epoch {} wrote here already: another producer \
                 took over.",
                self.epoch
            )));
        }
        if epoch != self.epoch {
            if first != 0 && self.epoch != -1 {
                return Err(out_of_order(format!(
                    "The first batch of epoch {epoch} must have sequence number 0; this has \
                     {first}."
                )));
            }
            return Ok(());
        }
        let last = self.last_sequence();
        let follows = i64::from(first) == i64::from(last) + 1 || (first == 0 && last == i32::MAX);
        if self.epoch != -1 && !follows {
            return Err(out_of_order(format!(
                "The last sequence number was {last}; this batch begins with {first}."
            )));
        }
        Ok(())
    }
}

impl ProducerStates {
    /// What is known of a producer.
    #[must_use]
    pub fn get(&self, producer_id: i64) -> Option<&ProducerState> {
        self.entries.get(&producer_id)
    }

    /// Every producer that is known, by its id.
    pub fn iter(&self) -> impl Iterator<Item = (i64, &ProducerState)> {
        self.entries.iter().map(|(&id, state)| (id, state))
    }

    /// Whether none is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Where the earliest open transaction begins.
    #[must_use]
    pub fn first_unstable_offset(&self) -> Option<i64> {
        self.entries.values().filter_map(|state| state.txn_first_offset).min()
    }

    /// When the first of them may be forgotten, in milliseconds.
    #[must_use]
    pub fn expiry_due_ms(&self) -> Option<i64> {
        self.entries.values().filter_map(ProducerState::expires_ms).min()
    }

    /// Forgets those whose time is up; says how many. Source: `removeExpiredProducers`.
    pub(super) fn expire(&mut self, now_ms: i64) -> usize {
        let before = self.entries.len();
        self.entries.retain(|_, state| state.expires_ms().is_none_or(|at_ms| at_ms > now_ms));
        before - self.entries.len()
    }

    /// Forgets all but the last batch of each.
    pub(super) fn keep_last_batches(&mut self) {
        for state in self.entries.values_mut() {
            let older = state.batches.len().saturating_sub(1);
            state.batches.drain(..older);
        }
    }

    /// The batch that this one repeats.
    pub(super) fn duplicate(&self, header: &BatchHeader) -> Option<ProducerBatch> {
        let state = self.entries.get(&header.producer_id)?;
        let (first, last) = (header.base_sequence, header.last_sequence());
        state.batches.iter().copied().find(|batch| {
            state.epoch == header.producer_epoch
                && batch.first_sequence() == first
                && batch.last_sequence == last
        })
    }

    /// What will be known of a producer after this batch, whose offsets are assigned. `from_client`
    /// batches are checked.
    pub(super) fn after_data(
        &self,
        header: &BatchHeader,
        from_client: bool,
    ) -> Result<ProducerState> {
        let mut state = self.entries.get(&header.producer_id).cloned().unwrap_or_default();
        if from_client {
            state.check(header)?;
        }
        state.set_epoch(header.producer_epoch);
        if state.batches.len() >= BATCHES_TO_RETAIN {
            state.batches.remove(0);
        }
        state.batches.push(ProducerBatch {
            last_sequence: header.last_sequence(),
            last_offset: header.last_offset(),
            offset_delta: header.last_offset_delta,
            timestamp: header.max_timestamp,
        });
        state.last_timestamp = header.max_timestamp;
        match (state.txn_first_offset, header.is_transactional()) {
            (Some(_), false) if from_client => {
                return Err(Error::code_alone(ErrorCode::InvalidTxnState).with_hint(
                    "This producer has a transaction open here: all it sends belongs to it.",
                ));
            }
            (None, true) => state.txn_first_offset = Some(header.base_offset),
            _ => {}
        }
        Ok(state)
    }

    /// What will be known of a producer after a marker, and the transaction that it ends, if one
    /// was open here.
    pub(super) fn after_marker(
        &self,
        header: &BatchHeader,
        marker: (EndTransaction, i32),
        timestamp: i64,
    ) -> (ProducerState, Option<CompletedTransaction>) {
        let mut state = self.entries.get(&header.producer_id).cloned().unwrap_or_default();
        let completed = state.txn_first_offset.map(|first_offset| CompletedTransaction {
            producer_id: header.producer_id,
            first_offset,
            last_offset: header.base_offset,
            is_aborted: marker.0 == EndTransaction::Abort,
        });
        state.set_epoch(header.producer_epoch);
        state.coordinator_epoch = marker.1;
        state.last_timestamp = timestamp;
        state.txn_first_offset = None;
        (state, completed)
    }

    pub(super) fn put(&mut self, producer_id: i64, state: ProducerState) {
        self.entries.insert(producer_id, state);
    }

    /// Where the log was stable once this transaction had ended: the begin of the earliest other
    /// one that is open, or the offset after the marker.
    pub(super) fn stable_offset_after(&self, completed: &CompletedTransaction) -> i64 {
        let others =
            self.entries.iter().filter(|&(&id, _)| id != completed.producer_id).map(|(_, s)| s);
        let first = others.filter_map(|state| state.txn_first_offset).min();
        first.unwrap_or(completed.last_offset.wrapping_add(1))
    }

    /// The `.snapshot` file of this: of each producer its last batch only. Source:
    /// `ProducersSnapshot`, version 1; the producers come in the order of a Java `HashMap`.
    #[must_use]
    pub fn to_snapshot(&self) -> Vec<u8> {
        let ids: Vec<i64> = self.entries.keys().copied().collect();
        // `Long.hashCode()`: both halves.
        let hashes: Vec<i32> =
            ids.iter().map(|id| (id ^ (id.cast_unsigned() >> 32).cast_signed()) as i32).collect();
        let mut rest = (ids.len() as u32).to_be_bytes().to_vec();
        for at in java::hash_map_order(&hashes, java::grown_capacity(ids.len())) {
            let Some((id, state)) = ids.get(at).and_then(|id| self.entries.get_key_value(id))
            else {
                continue;
            };
            let last = state.batches.last();
            rest.extend(id.to_be_bytes());
            rest.extend(state.epoch.to_be_bytes());
            rest.extend(state.last_sequence().to_be_bytes());
            rest.extend(last.map_or(-1, |batch| batch.last_offset).to_be_bytes());
            rest.extend(last.map_or(0, |batch| batch.offset_delta).to_be_bytes());
            rest.extend(state.last_timestamp.to_be_bytes());
            rest.extend(state.coordinator_epoch.to_be_bytes());
            rest.extend(state.txn_first_offset.unwrap_or(-1).to_be_bytes());
        }
        let mut file = 1_i16.to_be_bytes().to_vec();
        file.extend(crc32c::checksum(&rest).to_be_bytes());
        file.extend(rest);
        file
    }

    /// Whether all of it can be true of a log that ends there.
    pub(super) fn fits(&self, end: i64) -> bool {
        self.entries.iter().all(|(&id, state)| {
            let rises = state.batches.windows(2).all(|two| match two {
                [a, b] => a.last_offset < b.first_offset(),
                _ => true,
            });
            let batches = state.batches.iter().all(|batch| {
                batch.offset_delta >= 0
                    && batch.first_offset() >= 0
                    && batch.last_offset < end
                    && batch.last_sequence >= -1
            });
            id >= 0
                && rises
                && batches
                && state.batches.len() <= BATCHES_TO_RETAIN
                && state.txn_first_offset.is_none_or(|first| (0..end).contains(&first))
        })
    }
}

impl AppendInfo {
    /// The answer to a batch that is stored already. Its time is told as if the broker had set it,
    /// as Kafka does.
    pub(super) fn of_duplicate(batch: &ProducerBatch) -> Self {
        Self {
            base_offset: batch.first_offset(),
            last_offset: batch.last_offset,
            segment_base: 0,
            position: 0,
            rolled: false,
            log_append_time: Some(batch.timestamp),
            is_duplicate: true,
        }
    }
}

fn out_of_order(hint: String) -> Error {
    Error::code_alone(ErrorCode::OutOfOrderSequenceNumber).with_hint(hint)
}
