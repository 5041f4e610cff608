//! The leaders that a partition has had: each has an epoch, which its batches carry, and began at
//! some offset.
//!
//! Here a partition keeps its one leader; but its log may come from a cluster where leaders have
//! changed, and a broker that starts again is a new leader. Source: `LeaderEpochFileCache`,
//! `LeaderEpochCheckpointFile`, Apache Kafka 4.4.0.

use serde::{Deserialize, Serialize};

use super::partition::PartitionLog;
use crate::error::{Error, Result};

/// By how much a restart of its only broker raises a partition's leader epoch: once as the leader
/// goes, once as it is back.
const EPOCHS_PER_RESTART: i32 = 2;

/// A leader's epoch, and the offset from which on it led.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LeaderEpoch {
    /// The epoch, 0 or more; the first leader of a partition has 0.
    pub epoch: i32,
    /// The log end offset as it became leader; of the first that is known, the log start offset.
    pub start_offset: i64,
}

/// The epochs of a log, the latest last. Both numbers rise from each to the next.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct LeaderEpochs(Vec<LeaderEpoch>);

impl LeaderEpochs {
    /// Those of a log that a new partition's leader has begun.
    pub(super) fn beginning_at(start_offset: i64) -> Self {
        Self(vec![LeaderEpoch { epoch: 0, start_offset }])
    }

    pub(super) fn latest(&self) -> Option<LeaderEpoch> {
        self.0.last().copied()
    }

    /// Takes note of an epoch that begins at an offset; what cannot be true beside it is forgotten.
    /// Source: `LeaderEpochFileCache.assign`, `maybeTruncateNonMonotonicEntries`.
    pub(super) fn assign(&mut self, epoch: i32, start_offset: i64) {
        let is_known =
            |latest: LeaderEpoch| latest.epoch == epoch && latest.start_offset <= start_offset;
        if epoch < 0 || self.latest().is_some_and(is_known) {
            return;
        }
        let is_before = |one: &LeaderEpoch| one.epoch < epoch && one.start_offset < start_offset;
        while self.0.last().is_some_and(|last| !is_before(last)) {
            self.0.pop();
        }
        self.0.push(LeaderEpoch { epoch, start_offset });
    }

    /// What lies below the log's new start goes; the epoch that holds there begins there. Source:
    /// `LeaderEpochFileCache.truncateFromStart`.
    pub(super) fn start_at(&mut self, start_offset: i64) {
        let below = self.0.partition_point(|one| one.start_offset <= start_offset);
        if let Some(holds) = below.checked_sub(1) {
            self.0.drain(..holds);
            if let Some(first) = self.0.first_mut() {
                first.start_offset = start_offset;
            }
        }
    }

    /// The epochs that a log's batches have told, once they all have: the first is taken to have led
    /// from the log's start on, and without any there was but the first leader.
    pub(super) fn begin_at(&mut self, log_start_offset: i64) {
        self.start_at(log_start_offset);
        match self.0.first_mut() {
            Some(first) => first.start_offset = log_start_offset,
            None => *self = Self::beginning_at(log_start_offset),
        }
    }

    /// Whether all of it can be true of a log that ends there.
    fn fits(&self, end: i64) -> bool {
        let rises = |two: &[LeaderEpoch]| match two {
            [a, b] => a.epoch < b.epoch && a.start_offset < b.start_offset,
            _ => true,
        };
        self.0.windows(2).all(rises)
            && self.0.iter().all(|one| one.epoch >= 0 && (0..=end).contains(&one.start_offset))
    }
}

impl PartitionLog {
    /// The leaders that it has had, the present one last; never none.
    #[must_use]
    pub fn leader_epochs(&self) -> &[LeaderEpoch] {
        &self.leader_epochs.0
    }

    /// The epoch of its leader: batches that are appended carry it.
    #[must_use]
    pub fn leader_epoch(&self) -> i32 {
        self.leader_epochs.latest().map_or(0, |latest| latest.epoch)
    }

    /// The `leader-epoch-checkpoint` file: version 0, how many lines follow, and of each epoch its
    /// number and the offset at which it begins.
    #[must_use]
    pub fn leader_epoch_checkpoint(&self) -> String {
        let lines = self.leader_epochs().iter();
        let lines = lines.map(|one| format!("{} {}\n", one.epoch, one.start_offset));
        format!("0\n{}\n{}", self.leader_epochs().len(), lines.collect::<String>())
    }

    /// Its broker stops in good order and starts again, as the leader of a higher epoch: the time
    /// index gets its last entry, the next entry of either index comes a full interval later, of
    /// each producer only the last batch is known, and a segment without timestamps ages from now
    /// on.
    ///
    /// ```
    /// use loglanes::log::{LogConfig, PartitionLog};
    ///
    /// let mut log = PartitionLog::new(LogConfig::default(), 0);
    /// assert_eq!(log.leader_epoch(), 0);
    /// log.restart(1_000);
    /// assert_eq!(log.leader_epoch(), 2);
    /// assert_eq!(log.leader_epoch_checkpoint(), "0\n1\n2 0\n");
    /// ```
    pub fn restart(&mut self, now_ms: i64) {
        let epoch = self.leader_epoch().saturating_add(EPOCHS_PER_RESTART);
        self.leader_epochs.assign(epoch, self.log_end_offset());
        self.producers.keep_last_batches();
        if let Some(active) = self.segments.last_mut() {
            active.reopen(&self.config, now_ms);
        }
    }

    /// The leaders that it had, which its batches alone need not tell.
    ///
    /// # Errors
    /// [`Refusal::Corrupt`](crate::Refusal::Corrupt) if they cannot be true of this log.
    pub(crate) fn resume_leaders(&mut self, leaders: LeaderEpochs) -> Result {
        let last_written = self.leader_epochs.latest().map_or(0, |latest| latest.epoch);
        let is_present = leaders.latest().is_some_and(|latest| latest.epoch >= last_written);
        if !is_present || !leaders.fits(self.log_end_offset()) {
            return Err(Error::corrupt(format!(
                "The leader epochs of {} do not fit its records, which end at {}",
                self.name,
                self.log_end_offset()
            ))
            .with_hint("The state was not written by Loglanes: take another copy of it."));
        }
        self.leader_epochs = leaders;
        Ok(())
    }

    /// What must be stored of them: nothing where the first leader is the only one.
    pub(crate) fn stored_leaders(&self) -> Option<LeaderEpochs> {
        let is_first_alone =
            self.leader_epochs == LeaderEpochs::beginning_at(self.log_start_offset);
        (!is_first_alone).then(|| self.leader_epochs.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(epochs: &LeaderEpochs) -> Vec<(i32, i64)> {
        epochs.0.iter().map(|one| (one.epoch, one.start_offset)).collect()
    }

    #[test]
    fn an_epoch_that_wrote_nothing_makes_room_for_the_next() {
        let mut epochs = LeaderEpochs::beginning_at(0);
        for (epoch, start) in [(0, 0), (2, 7), (4, 7), (4, 9)] {
            epochs.assign(epoch, start);
        }
        assert_eq!(pairs(&epochs), [(0, 0), (4, 7)]);
        // A leader that falls back, in a log from elsewhere, is believed from there on.
        epochs.assign(3, 9);
        assert_eq!(pairs(&epochs), [(0, 0), (3, 9)]);
        epochs.assign(-1, 9);
        assert_eq!(epochs.latest().unwrap().epoch, 3);
    }

    #[test]
    fn the_first_epoch_follows_the_log_start_offset() {
        let mut epochs = LeaderEpochs::beginning_at(0);
        epochs.assign(2, 3);
        epochs.assign(4, 5);
        epochs.start_at(1);
        assert_eq!(pairs(&epochs), [(0, 1), (2, 3), (4, 5)]);
        epochs.start_at(3);
        assert_eq!(pairs(&epochs), [(2, 3), (4, 5)]);
        epochs.start_at(9);
        assert_eq!(pairs(&epochs), [(4, 9)]);
    }
}
