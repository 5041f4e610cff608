//! A producer from one act to the next: who it is to the brokers, what it has numbered, and how far
//! its transaction is.
//!
//! Source: `TransactionManager`, `TxnPartitionMap` of the client, Apache Kafka 4.4.0, with
//! `transaction.version=2`, the default: each end of a transaction raises the epoch.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Memory, ProducerSettings, partitioner_of};
use crate::error::{Error, Result};
use crate::log::BatchBuilder;

/// A producer.
///
/// ```
/// use loglanes::{Cluster, Command};
///
/// let mut cluster = Cluster::new(7);
/// cluster.apply(&Command::create_topic("orders", 1), 0)?;
/// cluster.apply(&Command::produce("orders", None, Some(b"v")), 0)?;
/// // Whoever sends without naming a producer is called like the partitioner.
/// let producer = cluster.producer("java/default").unwrap();
/// assert_eq!(producer.identity.unwrap().epoch, 0);
/// # Ok::<(), loglanes::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Producer {
    /// Its partitioner, by its id.
    pub partitioner: String,
    /// Its configs.
    #[serde(default)]
    pub settings: ProducerSettings,
    /// What it remembers of each topic's partitions.
    #[serde(default)]
    pub(crate) memories: BTreeMap<String, Memory>,
    /// Its producer id and epoch, if it is idempotent and has asked for them.
    #[serde(default)]
    pub identity: Option<Identity>,
    /// The sequence numbers to come, by topic and partition.
    #[serde(default)]
    pub(crate) sequences: BTreeMap<String, BTreeMap<i32, Sequence>>,
    /// How far its transactions are.
    #[serde(default)]
    pub transaction: TransactionState,
    /// Whether this transaction has sent anything.
    #[serde(default)]
    pub(crate) is_started: bool,
    /// The last batch that it has sent.
    #[serde(default)]
    pub last_batch: Option<LastBatch>,
}

/// Who a producer is to the brokers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The producer id.
    pub id: i64,
    /// The epoch: the higher one fences the lower.
    pub epoch: i16,
}

/// The sequence numbers of one partition; they start anew with each epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sequence {
    identity: Identity,
    next: i32,
}

/// A batch that was sent, and where it lies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LastBatch {
    /// The topic.
    pub topic: String,
    /// The partition.
    pub partition: i32,
    /// The offset of its first record.
    pub base_offset: i64,
    /// How many records it has.
    pub records: u32,
}

/// Where a transactional producer stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(tag = "state", content = "error", rename_all = "camelCase")]
pub enum TransactionState {
    /// It has not called `initTransactions`; or it is not transactional.
    #[default]
    Uninitialized,
    /// No transaction is open.
    Ready,
    /// One is open.
    InTransaction,
    /// Something has failed: all it can do is abort.
    AbortableError(LastError),
    /// It can do nothing any more but close.
    FatalError(LastError),
}

/// What has failed, as far as later refusals tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LastError {
    /// `ProducerFencedException`.
    Fenced,
    /// `InvalidProducerEpochException`.
    OldEpoch,
    /// Any other.
    Other,
}

impl LastError {
    /// Of an error's code.
    #[must_use]
    pub fn of(code: i16) -> Self {
        match code {
            90 => Self::Fenced,
            47 => Self::OldEpoch,
            _ => Self::Other,
        }
    }
}

impl TransactionState {
    /// Kafka's name of it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uninitialized => "UNINITIALIZED",
            Self::Ready => "READY",
            Self::InTransaction => "IN_TRANSACTION",
            Self::AbortableError(_) => "ABORTABLE_ERROR",
            Self::FatalError(_) => "FATAL_ERROR",
        }
    }
}

impl Producer {
    /// One that has done nothing yet.
    #[must_use]
    pub fn new(partitioner: &str, settings: ProducerSettings) -> Self {
        Self {
            partitioner: partitioner.to_owned(),
            settings,
            memories: BTreeMap::new(),
            identity: None,
            sequences: BTreeMap::new(),
            transaction: TransactionState::default(),
            is_started: false,
            last_batch: None,
        }
    }

    /// Whether it is part of a transaction what it sends.
    #[must_use]
    pub fn is_transactional(&self) -> bool {
        self.settings.transactional_id().is_some()
    }

    /// The texts of `maybeFailWithError`: nothing goes on after an error.
    pub(crate) fn check_error(&self) -> Result {
        let error = match self.transaction {
            TransactionState::AbortableError(error) | TransactionState::FatalError(error) => error,
            _ => return Ok(()),
        };
        let id = self.settings.transactional_id().unwrap_or_default();
        let Identity { id: producer_id, epoch } =
            self.identity.unwrap_or(Identity { id: -1, epoch: -1 });
        let who = format!(
            "Producer with transactionalId '{id}' and (producerId={producer_id}, epoch={epoch})"
        );
        let refused = match error {
            LastError::Fenced => Error::broker(
                crate::ErrorCode::ProducerFenced,
                format!("{who} has been fenced by another producer with the same transactionalId"),
            ),
            LastError::OldEpoch => Error::broker(
                crate::ErrorCode::InvalidProducerEpoch,
                format!("{who} attempted to produce with an old epoch"),
            ),
            LastError::Other => Error::client(
                "KafkaException",
                "Cannot execute transactional method because we are in an error state",
            ),
        };
        Err(refused.with_hint(match self.transaction {
            TransactionState::FatalError(_) => "Close this producer and create it anew.",
            _ => "Abort the transaction.",
        }))
    }

    /// From one state to the next, as far as that goes.
    pub(crate) fn check_transition(&self, from: TransactionState, to: &str) -> Result {
        if self.transaction == from {
            return Ok(());
        }
        let id = self.settings.transactional_id().unwrap_or_default();
        let state = self.transaction.name();
        Err(Error::client(
            "IllegalStateException",
            format!(
                "TransactionalId {id}: Invalid transition attempted from state {state} to state {to}"
            ),
        )
        .with_hint(match self.transaction {
            TransactionState::Uninitialized => "Call initTransactions first.",
            TransactionState::Ready => "Begin a transaction first.",
            TransactionState::InTransaction => "Commit or abort the open transaction first.",
            _ => "Abort the transaction, or close the producer.",
        }))
    }

    /// Whether a record for a partition may be part of a transaction now. Source:
    /// `TransactionManager.maybeAddPartition`.
    pub(crate) fn check_send(&self, topic: &str, partition: i32) -> Result {
        self.check_error()?;
        let why = match self.transaction {
            TransactionState::Uninitialized => "before completing a call to initTransactions",
            TransactionState::Ready => "while in state  READY",
            _ => return Ok(()),
        };
        Err(Error::client(
            "IllegalStateException",
            format!("Cannot add partition {topic}-{partition} to transaction {why}"),
        )
        .with_hint("Call initTransactions once, then begin a transaction before you send."))
    }

    /// Something has failed inside a transaction.
    pub(crate) fn fail(&mut self, error: LastError) {
        self.transaction = TransactionState::AbortableError(error);
    }

    /// Whether what was saved of it can be true.
    pub(crate) fn fits(&self, next_producer_id: i64) -> bool {
        let identities = self.sequences.values().flat_map(BTreeMap::values).map(|s| s.identity);
        partitioner_of(Some(&self.partitioner)).is_ok()
            && identities
                .chain(self.identity)
                .all(|identity| (0..next_producer_id).contains(&identity.id) && identity.epoch >= 0)
            && self.sequences.values().flat_map(BTreeMap::values).all(|s| s.next >= 0)
            && (self.identity.is_none() || self.settings.is_idempotent())
    }
}

/// A producer's hand in its batches, at work on one topic.
#[derive(Debug)]
pub(crate) struct Writer<'a> {
    pub(crate) identity: &'a mut Identity,
    pub(crate) sequences: &'a mut BTreeMap<i32, Sequence>,
    /// Of a transaction: why nothing more is taken, and the partitions that were tried.
    pub(crate) transaction: Option<Enlisted<'a>>,
}

/// A transaction that batches are to be part of.
#[derive(Debug)]
pub(crate) struct Enlisted<'a> {
    pub(crate) refusal: &'a mut Option<Error>,
    pub(crate) partitions: &'a mut Vec<i32>,
}

impl Writer<'_> {
    /// Numbers a batch before it is sent.
    pub(crate) fn stamp(&mut self, batch: &mut BatchBuilder, partition: i32) -> Result {
        if let Some(transaction) = &mut self.transaction {
            if let Some(refusal) = &*transaction.refusal {
                return Err(refusal.clone());
            }
            if !transaction.partitions.contains(&partition) {
                transaction.partitions.push(partition);
            }
        }
        let known = self.sequences.get(&partition);
        let next = known.filter(|one| one.identity == *self.identity).map_or(0, |one| one.next);
        batch.set_producer(self.identity.id, self.identity.epoch, next)?;
        if self.transaction.is_some() {
            batch.set_transactional()?;
        }
        Ok(())
    }

    /// A batch of so many records is stored.
    pub(crate) fn stored(&mut self, partition: i32, records: i32) {
        let identity = *self.identity;
        let sequence = self.sequences.entry(partition).or_insert(Sequence { identity, next: 0 });
        if sequence.identity != identity {
            *sequence = Sequence { identity, next: 0 };
        }
        sequence.next = match sequence.next.checked_add(records) {
            Some(next) => next,
            None => records - (i32::MAX - sequence.next) - 1,
        };
    }

    /// A record was refused before any batch: a transaction is lost with it.
    pub(crate) fn lost(&mut self) {
        if self.transaction.is_some() {
            self.refused();
        }
    }

    /// A batch was refused for good. An idempotent producer goes on with a new epoch; a transaction
    /// is lost.
    pub(crate) fn refused(&mut self) {
        match &mut self.transaction {
            Some(transaction) => {
                transaction.refusal.get_or_insert_with(|| {
                    Error::client(
                        "KafkaException",
                        "Cannot execute transactional method because we are in an error state",
                    )
                    .with_hint("Abort the transaction.")
                });
            }
            None => self.identity.epoch = self.identity.epoch.saturating_add(1),
        }
    }
}
