//! Acts of producers and their transactions.
//!
//! Where an act fails in a way that leaves its mark, as a commit of a producer that was fenced, it
//! is not refused but done, with the failure for an outcome: so it is part of the history.
//!
//! Source: `KafkaProducer`, `TransactionManager`, `TransactionCoordinator`, Apache Kafka 4.4.0.

use std::collections::BTreeMap;

use super::Cluster;
use super::coordinator::{
    OpenTransaction, TRANSACTION_CHECK_INTERVAL_MS, TRANSACTION_MAX_TIMEOUT_MS, TransactionStatus,
    TransactionalId, fenced,
};
use crate::error::{Error, ErrorCode, Result};
use crate::group::{PartitionOffset, TopicPartition};
use crate::log::{BatchHeader, BatchView, EndTransaction, TimestampType};
use crate::outcome::{Outcome, RefusedRecords, WrittenMarker};
use crate::producer::{
    Identity, LastError, MAX_BLOCK_MS, Producer, ProducerSettings, TransactionState, partitioner_of,
};

/// The most producers of a cluster. A limit of this model.
pub const MAX_PRODUCERS: usize = 1_000;

impl Cluster {
    pub(super) fn create_producer(
        &mut self,
        name: &str,
        partitioner: Option<&str>,
        configs: &BTreeMap<String, String>,
    ) -> Result<Outcome> {
        let partitioner = partitioner_of(partitioner)?;
        let settings = ProducerSettings::parse(configs.clone())?;
        if name.trim().is_empty() || name.contains('/') {
            return Err(Error::loglanes(format!("A producer cannot be called {name:?}."))
                .with_hint("Give it a name without a slash, such as billing-1."));
        }
        if self.producers.contains_key(name) {
            return Err(Error::loglanes(format!("There is a producer {name:?} already."))
                .with_hint("Choose another name, or close that one first."));
        }
        if self.producers.len() >= MAX_PRODUCERS {
            return Err(Error::limit(
                "MAX_PRODUCERS",
                format!("Loglanes keeps at most {MAX_PRODUCERS} producers."),
            )
            .with_hint("Close one that is not used any more."));
        }
        let mut producer = Producer::new(partitioner.id(), settings);
        self.identify(&mut producer);
        self.producers.insert(name.to_owned(), producer);
        Ok(Outcome::Done)
    }

    /// An idempotent producer asks for its id when it starts; a transactional one when it is told to.
    pub(super) fn identify(&mut self, producer: &mut Producer) {
        let asks = producer.settings.is_idempotent() && !producer.is_transactional();
        if asks && producer.identity.is_none() {
            producer.identity = Some(self.new_identity());
        }
    }

    fn new_identity(&mut self) -> Identity {
        let id = self.next_producer_id;
        self.next_producer_id += 1;
        Identity { id, epoch: 0 }
    }

    /// A producer is closed in good order: an open transaction is aborted. Or its process is killed:
    /// then it stays open until its time is up.
    pub(super) fn close_producer(
        &mut self,
        name: &str,
        kill: bool,
        now_ms: i64,
    ) -> Result<Outcome> {
        let producer = self.named(name)?;
        let is_open = matches!(
            producer.transaction,
            TransactionState::InTransaction | TransactionState::AbortableError(_)
        );
        let mut outcome = Outcome::Done;
        if is_open && !kill {
            // Whoever closes it is not told that it was fenced.
            outcome = match self.end_transaction(name, false, now_ms)? {
                Outcome::ProducerFailed { .. } => Outcome::Done,
                ended => ended,
            };
        }
        self.producers.remove(name);
        Ok(outcome)
    }

    pub(super) fn init_transactions(&mut self, name: &str, now_ms: i64) -> Result<Outcome> {
        let producer = self.transactional(name)?;
        producer.check_error()?;
        producer.check_transition(TransactionState::Uninitialized, "INITIALIZING")?;
        let timeout_ms = producer.settings.transaction_timeout_ms();
        let id = producer.settings.transactional_id().unwrap_or_default().to_owned();
        if timeout_ms < 1 {
            return Err(timed_out(
                "InitProducerId. InitTransactions timed out - did not complete coordinator \
                 discovery or receive the InitProducerId response within max.block.ms.",
            )
            .with_hint(format!(
                "Choose a transaction.timeout.ms of 1 to {TRANSACTION_MAX_TIMEOUT_MS}: without \
                 time the producer does not even ask."
            )));
        }
        if timeout_ms > TRANSACTION_MAX_TIMEOUT_MS {
            let error = Error::client(
                "KafkaException",
                format!(
                    "Unexpected error in InitProducerIdResponse; {}",
                    ErrorCode::InvalidTransactionTimeout.message()
                ),
            )
            .with_hint(format!(
                "Choose a transaction.timeout.ms of 1 to {TRANSACTION_MAX_TIMEOUT_MS}."
            ));
            return Ok(self.fail(name, TransactionState::FatalError(LastError::Other), &error));
        }
        let mut markers = Vec::new();
        let fenced = self.transactions.get(&id).map(|known| known.identity);
        if let Some(known) = self.transactions.get(&id)
            && matches!(known.state, TransactionStatus::Ongoing(_))
        {
            markers = self.end(&id, false, now_ms);
        }
        let identity = match self.transactions.get(&id).map(|known| known.identity.next_epoch()) {
            Some(Some(next)) => next,
            _ => self.new_identity(),
        };
        let state = TransactionStatus::Empty;
        self.transactions.insert(id.clone(), TransactionalId { identity, timeout_ms, state });
        let producer = self.named_mut(name)?;
        producer.identity = Some(identity);
        producer.transaction = TransactionState::Ready;
        Ok(Outcome::TransactionsInitialized {
            producer: name.to_owned(),
            transactional_id: id,
            producer_id: identity.id,
            epoch: identity.epoch,
            fenced_epoch: fenced.map(|fenced| fenced.epoch),
            markers,
        })
    }

    pub(super) fn begin_transaction(&mut self, name: &str) -> Result<Outcome> {
        let producer = self.transactional(name)?;
        producer.check_error()?;
        producer.check_transition(TransactionState::Ready, "IN_TRANSACTION")?;
        let producer = self.named_mut(name)?;
        producer.transaction = TransactionState::InTransaction;
        producer.is_started = false;
        Ok(Outcome::Done)
    }

    pub(super) fn end_transaction(
        &mut self,
        name: &str,
        commit: bool,
        now_ms: i64,
    ) -> Result<Outcome> {
        let producer = self.transactional(name)?;
        if commit || !matches!(producer.transaction, TransactionState::AbortableError(_)) {
            producer.check_error()?;
            let to = if commit { "COMMITTING_TRANSACTION" } else { "ABORTING_TRANSACTION" };
            producer.check_transition(TransactionState::InTransaction, to)?;
        }
        let id = producer.settings.transactional_id().unwrap_or_default().to_owned();
        let (identity, is_started) = (producer.identity, producer.is_started);
        let mut markers = Vec::new();
        if let (true, Some(identity), Some(known)) =
            (is_started, identity, self.transactions.get(&id))
        {
            match known.check_end(identity, commit) {
                Ok(true) => markers = self.end(&id, commit, now_ms),
                Ok(false) => {}
                Err(error) => {
                    let last = match error.code() {
                        Some(code) if code == ErrorCode::ProducerFenced.code() => LastError::Fenced,
                        _ => LastError::Other,
                    };
                    return Ok(self.fail(name, TransactionState::FatalError(last), &error));
                }
            }
        }
        // The answer brings the new epoch; without a request there is none.
        let identity = match self.transactions.get(&id) {
            Some(known) if is_started => Some(known.identity),
            _ => identity,
        };
        let producer = self.named_mut(name)?;
        producer.identity = identity;
        producer.transaction = TransactionState::Ready;
        producer.is_started = false;
        producer.last_batch = None;
        Ok(Outcome::TransactionEnded {
            transactional_id: id,
            committed: commit,
            timed_out: false,
            markers,
        })
    }

    /// Offsets become part of a transaction: committed with it or not at all.
    pub(super) fn send_offsets(
        &mut self,
        name: &str,
        group: &str,
        member: &str,
        offsets: Option<&[PartitionOffset]>,
        now_ms: i64,
    ) -> Result<Outcome> {
        let producer = self.transactional(name)?;
        producer.check_error()?;
        if producer.transaction != TransactionState::InTransaction {
            let state = producer.transaction.name();
            return Err(Error::client(
                "IllegalStateException",
                format!(
                    "Cannot send offsets if a transaction is not in progress (currentState= {state})"
                ),
            )
            .with_hint("Begin a transaction first."));
        }
        let id = producer.settings.transactional_id().unwrap_or_default().to_owned();
        let identity = producer.identity;
        // What a commit would do, done to a copy: it finds the offsets, and what is wrong.
        let sent = self.would_commit(group, member, offsets).map_err(in_transaction)?;
        if let Some(known) = self.transactions.get_mut(&id).filter(|_| !sent.is_empty()) {
            // The coordinator looks at the epoch here, not the log: the producer is fenced for good.
            if identity.is_some_and(|one| known.check_writer(one).is_err()) {
                let state = TransactionState::FatalError(LastError::Fenced);
                return Ok(self.fail(name, state, &fenced()));
            }
            known.enlist(now_ms, |open| {
                let held = open.offsets.entry(group.to_owned()).or_default();
                held.retain(|old| {
                    !sent.iter().any(|new| new.topic_partition() == old.topic_partition())
                });
                held.extend(sent.iter().cloned());
            });
            self.named_mut(name)?.is_started = true;
        }
        Ok(Outcome::OffsetsSent { transactional_id: id, group: group.to_owned(), offsets: sent })
    }

    fn would_commit(
        &self,
        group: &str,
        member: &str,
        offsets: Option<&[PartitionOffset]>,
    ) -> Result<Vec<PartitionOffset>> {
        let done = if self.is_by_hand(group, member) {
            self.verdicts_by_hand(group, member, offsets).map(|(_, done)| done)
        } else {
            let copy = self.groups.get(group).cloned();
            let mut copy = copy.ok_or_else(|| {
                Error::code_alone(ErrorCode::GroupIdNotFound)
                    .with_hint(format!("There is no group {group:?}."))
            })?;
            copy.commit(member, offsets, &self.topics)
        }?;
        // A producer sends all of them or none.
        done.error.map_or(Ok(done.committed), Err)
    }

    /// The last batch of a producer is sent once more, as after an answer that was lost.
    pub(super) fn retry(&mut self, producer: Option<&str>, now_ms: i64) -> Result<Outcome> {
        let name = self.producer_name(producer, None)?;
        let nothing = || {
            Error::loglanes(format!(
                "The producer {name} has sent nothing that it could send again."
            ))
            .with_hint("Send a record with it first.")
        };
        let sender = self.producers.get(&name).ok_or_else(nothing)?;
        let last = sender.last_batch.clone().ok_or_else(nothing)?;
        if sender.is_transactional() {
            sender.check_send(&last.topic, last.partition)?;
        }
        let gone = || {
            Error::loglanes("The batch that was sent last is no longer in the log as it was sent.")
                .with_hint("Send another record, then retry that.")
        };
        let partition = self
            .topics
            .get_mut(&last.topic)
            .and_then(|topic| topic.partition_mut(last.partition))
            .ok_or_else(gone)?;
        let log = &mut partition.log;
        let stored = log.batches_from(last.base_offset).next().filter(|batch| {
            batch.header().base_offset == last.base_offset
                && batch.header().record_count.cast_unsigned() == last.records
        });
        let mut bytes = as_sent(&stored.ok_or_else(gone)?);
        let info = log.append(&mut bytes, now_ms)?;
        if !info.is_duplicate
            && let Some(sender) = self.producers.get_mut(&name)
            && let Some(last) = &mut sender.last_batch
        {
            last.base_offset = info.base_offset;
        }
        Ok(Outcome::Retried {
            producer: name,
            topic: last.topic,
            partition: last.partition,
            first_offset: info.base_offset,
            last_offset: info.last_offset,
            is_duplicate: info.is_duplicate,
        })
    }

    /// Ends what is open of a transactional id: the markers, the offsets, the new epoch.
    fn end(&mut self, id: &str, commit: bool, now_ms: i64) -> Vec<WrittenMarker> {
        let Some(known) = self.transactions.get_mut(id) else { return Vec::new() };
        let complete = if commit {
            TransactionStatus::CompleteCommit
        } else {
            TransactionStatus::CompleteAbort
        };
        let before = std::mem::replace(&mut known.state, complete);
        let old = known.identity;
        let next = old.next_epoch();
        let identity = match next {
            Some(next) => next,
            None => self.new_identity(),
        };
        if let Some(known) = self.transactions.get_mut(id) {
            known.identity = identity;
        }
        let TransactionStatus::Ongoing(OpenTransaction { partitions, offsets, .. }) = before else {
            return Vec::new();
        };
        let marker = if commit { EndTransaction::Commit } else { EndTransaction::Abort };
        let epoch = old.epoch.saturating_add(1);
        let mut markers = Vec::new();
        for at in partitions {
            let partition =
                self.topics.get_mut(&at.topic).and_then(|topic| topic.partition_mut(at.partition));
            let Some(partition) = partition else { continue };
            if let Ok(info) = partition.log.append_marker(old.id, epoch, marker, now_ms) {
                let TopicPartition { topic, partition } = at;
                markers.push(WrittenMarker { topic, partition, offset: info.base_offset });
            }
        }
        for (group, offsets) in offsets.into_iter().filter(|_| commit) {
            if let Some(group) = self.groups.get_mut(&group) {
                for at in offsets {
                    if self.topics.contains_key(&at.topic) {
                        group.committed.insert(at.topic_partition(), at.offset);
                    }
                }
            }
        }
        self.log_checks.changed(now_ms);
        markers
    }

    /// When the coordinator finds the first transaction whose time is up, and whose it is.
    pub(super) fn next_timeout(&self) -> Option<(i64, &str)> {
        let began = self.log_checks.began_ms()?;
        let due = self.transactions.iter().filter_map(|(id, known)| {
            let late = known.times_out_ms()?.checked_add(1)?.checked_sub(began)?.max(1);
            let checks = late.checked_add(TRANSACTION_CHECK_INTERVAL_MS - 1)?
                / TRANSACTION_CHECK_INTERVAL_MS;
            let at = began.checked_add(checks.checked_mul(TRANSACTION_CHECK_INTERVAL_MS)?)?;
            Some((at, id.as_str()))
        });
        due.min()
    }

    pub(super) fn time_out(&mut self, id: &str, at_ms: i64) -> Outcome {
        Outcome::TransactionEnded {
            transactional_id: id.to_owned(),
            committed: false,
            timed_out: true,
            markers: self.end(id, false, at_ms),
        }
    }

    /// The producer of that name.
    #[must_use]
    pub fn producer(&self, name: &str) -> Option<&Producer> {
        self.producers.get(name)
    }

    /// Every producer, by its name.
    pub fn producers(&self) -> impl Iterator<Item = (&str, &Producer)> {
        self.producers.iter().map(|(name, producer)| (name.as_str(), producer))
    }

    /// What the coordinator knows, by transactional id.
    pub fn transactional_ids(&self) -> impl Iterator<Item = (&str, &TransactionalId)> {
        self.transactions.iter().map(|(id, known)| (id.as_str(), known))
    }

    fn named(&self, name: &str) -> Result<&Producer> {
        self.producers.get(name).ok_or_else(|| no_producer(name))
    }

    pub(super) fn named_mut(&mut self, name: &str) -> Result<&mut Producer> {
        self.producers.get_mut(name).ok_or_else(|| no_producer(name))
    }

    fn transactional(&self, name: &str) -> Result<&Producer> {
        let producer = self.named(name)?;
        if producer.is_transactional() {
            return Ok(producer);
        }
        Err(Error::client(
            "IllegalStateException",
            "Transactional method invoked on a non-transactional producer.",
        )
        .with_hint("Create the producer with a transactional.id."))
    }

    /// A failure that leaves its mark.
    pub(super) fn fail(&mut self, name: &str, state: TransactionState, error: &Error) -> Outcome {
        if let Some(producer) = self.producers.get_mut(name) {
            producer.transaction = state;
        }
        Outcome::ProducerFailed { producer: name.to_owned(), error: RefusedRecords::new(1, error) }
    }
}

/// A closed producer is not there any more: what Kafka says of one that is used all the same.
pub(super) fn no_producer(name: &str) -> Error {
    Error::client(
        "IllegalStateException",
        "Cannot perform operation after producer has been closed",
    )
    .with_hint(format!("There is no producer {name:?}: create it first."))
}

/// What a call of a transactional producer says that waited for `max.block.ms` in vain.
fn timed_out(what: &str) -> Error {
    Error::client_code(
        ErrorCode::RequestTimedOut,
        format!("Timeout expired after {MAX_BLOCK_MS}ms while awaiting {what}"),
    )
}

/// A consumer's commit that waits in vain, as a producer's call says it.
fn in_transaction(error: Error) -> Error {
    if error.code() != Some(ErrorCode::RequestTimedOut.code()) {
        return error;
    }
    let hint = error.hint().to_owned();
    timed_out(
        "TxnOffsetCommitHandler. SendOffsetsToTransaction timed out - did not reach the \
         coordinator or receive the TxnOffsetCommit/AddOffsetsToTxn response within max.block.ms",
    )
    .with_hint(hint)
}

/// The bytes of a stored batch as its producer had sent them.
fn as_sent(batch: &BatchView<'_>) -> Vec<u8> {
    let mut bytes = batch.bytes().to_vec();
    BatchHeader { base_offset: 0, partition_leader_epoch: -1, ..*batch.header() }
        .with_timestamp_type(TimestampType::CreateTime)
        .seal(&mut bytes);
    bytes
}
