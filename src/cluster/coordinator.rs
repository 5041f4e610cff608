//! What the transaction coordinator keeps of each transactional id.
//!
//! Source: `TransactionCoordinator`, `TransactionMetadata`, Apache Kafka 4.4.0, with
//! `transaction.version=2`. One coordinator here does what in Kafka is spread over the leaders of
//! the partitions of `__transaction_state`.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorCode, Result};
use crate::group::{PartitionOffset, TopicPartition};
use crate::producer::Identity;

/// `transaction.max.timeout.ms`, Kafka's default.
pub const TRANSACTION_MAX_TIMEOUT_MS: i32 = 900_000;

/// `transaction.abort.timed.out.transaction.cleanup.interval.ms`: how often the coordinator looks
/// for transactions whose time is up; Kafka's default.
pub const TRANSACTION_CHECK_INTERVAL_MS: i64 = 10_000;

/// The last epoch that is given out: markers may have the one above.
const LAST_EPOCH: i16 = i16::MAX - 1;

/// A transactional id, as the coordinator knows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TransactionalId {
    /// The producer id and epoch that may write.
    pub identity: Identity,
    /// `transaction.timeout.ms` of the producer that came last.
    pub timeout_ms: i32,
    /// Where it stands.
    pub state: TransactionStatus,
}

/// Where a transactional id stands. States that a broker is in while it works are passed at once.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "state")]
pub enum TransactionStatus {
    /// Nothing was sent since its producer has come.
    #[default]
    Empty,
    /// A transaction is open.
    Ongoing(OpenTransaction),
    /// The last one was committed.
    CompleteCommit,
    /// The last one was aborted.
    CompleteAbort,
}

/// A transaction that is open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenTransaction {
    /// Since when, in milliseconds on the cluster's clock.
    pub since_ms: i64,
    /// What it has written to.
    pub partitions: BTreeSet<TopicPartition>,
    /// What it will commit for groups.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub offsets: BTreeMap<String, Vec<PartitionOffset>>,
}

impl TransactionStatus {
    /// Kafka's name of it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Empty => "Empty",
            Self::Ongoing(_) => "Ongoing",
            Self::CompleteCommit => "CompleteCommit",
            Self::CompleteAbort => "CompleteAbort",
        }
    }
}

impl TransactionalId {
    /// When its open transaction is past its time: strictly after this, in milliseconds.
    pub(super) fn times_out_ms(&self) -> Option<i64> {
        match &self.state {
            TransactionStatus::Ongoing(open) => {
                Some(open.since_ms.saturating_add(i64::from(self.timeout_ms)))
            }
            _ => None,
        }
    }

    /// Whether the producer of that identity may write now.
    pub(super) fn check_writer(&self, identity: Identity) -> Result {
        if self.identity == identity {
            return Ok(());
        }
        Err(Error::code_alone(ErrorCode::InvalidProducerEpoch).with_hint(
            "Another producer with this transactional.id has taken over, or the transaction has \
             timed out: abort, and see which.",
        ))
    }

    /// Adds to the open transaction; begins one if none is open.
    pub(super) fn enlist(&mut self, now_ms: i64, add: impl FnOnce(&mut OpenTransaction)) {
        let mut open = match std::mem::take(&mut self.state) {
            TransactionStatus::Ongoing(open) => open,
            _ => OpenTransaction {
                since_ms: now_ms,
                partitions: BTreeSet::new(),
                offsets: BTreeMap::new(),
            },
        };
        add(&mut open);
        self.state = TransactionStatus::Ongoing(open);
    }

    /// What an `EndTxn` request of that identity comes to: whether there is anything to do. Source:
    /// `TransactionCoordinator.endTransaction`.
    pub(super) fn check_end(&self, identity: Identity, commit: bool) -> Result<bool> {
        use TransactionStatus::{CompleteAbort, CompleteCommit, Empty, Ongoing};
        let current = self.identity == identity;
        let bumped = self.identity.id == identity.id
            && identity.epoch.checked_add(1) == Some(self.identity.epoch);
        let is_valid = match self.state {
            Ongoing(_) | Empty => current,
            CompleteCommit | CompleteAbort => current || bumped,
        };
        if !is_valid {
            return Err(fenced());
        }
        let invalid = || {
            Error::code_alone(ErrorCode::InvalidTxnState).with_hint(
                "The coordinator has ended this transaction the other way, perhaps because its \
                 time was up: close the producer and create it anew.",
            )
        };
        match (&self.state, commit) {
            (Ongoing(_), _) | (Empty, false) => Ok(true),
            (CompleteCommit, true) | (CompleteAbort, false) if bumped => Ok(false),
            (CompleteCommit | CompleteAbort, false) if current => Ok(true),
            _ => Err(invalid()),
        }
    }
}

/// What the coordinator answers a producer whose epoch is an old one.
pub(super) fn fenced() -> Error {
    Error::code_alone(ErrorCode::ProducerFenced)
        .with_hint("Close this producer: the other one has its transactional.id now.")
}

impl Identity {
    /// The next epoch; none where a new producer id is due.
    pub(super) fn next_epoch(self) -> Option<Self> {
        (self.epoch < LAST_EPOCH).then_some(Self { epoch: self.epoch + 1, ..self })
    }
}
