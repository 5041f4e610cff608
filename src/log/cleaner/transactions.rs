//! What the cleaner has to know of the transactions that it comes by.
//!
//! Records of aborted transactions go. A marker stays as long as a batch of its transaction was
//! seen in the same pass; from the first pass on that sees none, it has a delete horizon, and goes
//! when that is past.
//!
//! Source: `CleanedTransactionMetadata`, Apache Kafka 4.4.0.

use std::collections::{BTreeMap, BTreeSet};

use crate::log::batch::{BatchView, EndTransaction};
use crate::log::transactions::{AbortedTransaction, marker_of};

/// The transactions of one walk over the log, from its begin on.
#[derive(Debug, Default)]
pub(super) struct CleanedTransactions {
    /// Aborted transactions that were not come by yet, by their first offset.
    ahead: BTreeMap<(i64, i64), AbortedTransaction>,
    /// Those that were begun: and whether a batch of theirs was seen.
    aborted: BTreeMap<i64, (AbortedTransaction, bool)>,
    /// Producers of whose other transaction a batch was seen.
    committed: BTreeSet<i64>,
    /// The entries of the segment that is being written.
    kept: Vec<AbortedTransaction>,
}

impl CleanedTransactions {
    /// Tells of aborted transactions that lie ahead.
    pub(super) fn expect(&mut self, aborted: impl IntoIterator<Item = AbortedTransaction>) {
        self.ahead
            .extend(aborted.into_iter().map(|one| ((one.first_offset, one.producer_id), one)));
    }

    /// A batch of records: whether they were aborted.
    pub(super) fn on_data(&mut self, batch: &BatchView<'_>) -> bool {
        let header = batch.header();
        self.come_to(header.last_offset());
        if !header.is_transactional() {
            return false;
        }
        match self.aborted.get_mut(&header.producer_id) {
            Some((_, was_seen)) => {
                *was_seen = true;
                true
            }
            None => {
                self.committed.insert(header.producer_id);
                false
            }
        }
    }

    /// A marker: whether nothing is left of its transaction.
    pub(super) fn on_marker(&mut self, batch: &BatchView<'_>) -> bool {
        let header = batch.header();
        self.come_to(header.last_offset());
        match marker_of(batch) {
            Some((EndTransaction::Abort, _)) => match self.aborted.remove(&header.producer_id) {
                Some((aborted, true)) => {
                    self.kept.push(aborted);
                    false
                }
                _ => true,
            },
            Some((EndTransaction::Commit, _)) => !self.committed.remove(&header.producer_id),
            // It was emptied in a pass before.
            None => batch.records().next().is_none(),
        }
    }

    /// The index entries of the segment that was just written.
    pub(super) fn take_kept(&mut self) -> Vec<AbortedTransaction> {
        std::mem::take(&mut self.kept)
    }

    fn come_to(&mut self, offset: i64) {
        while let Some(first) = self.ahead.first_entry() {
            if first.key().0 > offset {
                break;
            }
            let aborted = first.remove();
            self.aborted.entry(aborted.producer_id).or_insert((aborted, false));
        }
    }
}
