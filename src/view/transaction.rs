//! What transactions made of the records of a partition, as a page shows it: batch by batch, so that
//! it costs no look at the records themselves.

use serde::Serialize;

use crate::log::{BatchView, EndTransaction, PartitionLog, TransactionFate, marker_of};

/// What a record of a transaction, or of the broker's own, is to a consumer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Standing {
    /// Its transaction has not ended: `read_committed` has to wait.
    Open,
    /// Its transaction was committed: it counts.
    Committed,
    /// Its transaction was aborted: `read_committed` passes it over.
    Aborted,
    /// It is the marker that says that a transaction was committed.
    CommitMarker,
    /// It is the marker that says that a transaction was aborted.
    AbortMarker,
    /// It is another control record of the broker's.
    Control,
}

/// A record's transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TransactionView {
    /// What the record is in it.
    pub standing: Standing,
    /// Whose transaction it is.
    pub producer_id: i64,
    /// The epoch of the producer that wrote the batch.
    pub producer_epoch: i16,
}

/// Offsets next to each other whose batches stand alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TransactionSpan {
    /// The first of them.
    pub from: i64,
    /// The offset after the last.
    pub to: i64,
    /// What their records are.
    pub standing: Standing,
}

impl TransactionView {
    /// That of the records of a batch of this log; none where they are part of none.
    #[must_use]
    pub fn of(log: &PartitionLog, batch: &BatchView<'_>) -> Option<Self> {
        let header = batch.header();
        let standing = if header.is_control() {
            match marker_of(batch) {
                Some((EndTransaction::Commit, _)) => Standing::CommitMarker,
                Some((EndTransaction::Abort, _)) => Standing::AbortMarker,
                None => Standing::Control,
            }
        } else {
            match log.fate(header) {
                TransactionFate::None => return None,
                TransactionFate::Open => Standing::Open,
                TransactionFate::Committed => Standing::Committed,
                TransactionFate::Aborted => Standing::Aborted,
            }
        };
        let (producer_id, producer_epoch) = (header.producer_id, header.producer_epoch);
        Some(Self { standing, producer_id, producer_epoch })
    }
}

/// What transactions made of the offsets of `from..to`, in order, at most `limit` spans of them; what is part of none is left
/// out, and so are batches from which the cleaner took every record.
///
/// ```
/// use loglanes::log::{BatchBuilder, EndTransaction, LogConfig, NewRecord, PartitionLog};
/// use loglanes::view::{Standing, transactions};
/// # fn main() -> loglanes::Result {
/// let mut log = PartitionLog::new(LogConfig::default(), 0);
/// for sequence in [0, 2] {
///     let mut batch = BatchBuilder::new();
///     batch.set_producer(7, 0, sequence)?;
///     batch.set_transactional()?;
///     for value in [b"a", b"b"] {
///         let record = NewRecord { timestamp: 5, key: None, value: Some(value), headers: &[] };
///         batch.append(&record)?;
///     }
///     log.append_batch(&mut batch, 5)?;
/// }
/// log.append_marker(7, 1, EndTransaction::Abort, 6)?;
/// let spans = transactions(&log, 1, 9, 10);
/// let seen = spans.iter().map(|span| (span.from, span.to, span.standing));
/// assert_eq!(
///     seen.collect::<Vec<_>>(),
///     [(1, 4, Standing::Aborted), (4, 5, Standing::AbortMarker)]
/// );
/// # Ok(())
/// # }
/// ```
#[must_use]
pub fn transactions(log: &PartitionLog, from: i64, to: i64, limit: usize) -> Vec<TransactionSpan> {
    spans(log, (from, to), (limit, 0), |_| true)
}

/// As [`transactions`], of records that do not count, or not yet: those of aborted and open transactions.
/// Only batches between the first and the last of these are looked at, so that it is quick for a whole log.
/// Spans of one standing that are fewer than `apart` offsets apart are told as one, as a picture in which
/// so many offsets share a pixel shows them.
///
/// ```
/// use loglanes::log::{BatchBuilder, EndTransaction, LogConfig, NewRecord, PartitionLog};
/// use loglanes::view::{Standing, fates};
/// # fn main() -> loglanes::Result {
/// let mut log = PartitionLog::new(LogConfig::default(), 0);
/// for producer in [7, 8, 9] {
///     let mut batch = BatchBuilder::new();
///     batch.set_producer(producer, 0, 0)?;
///     batch.set_transactional()?;
///     batch.append(&NewRecord { timestamp: 5, key: None, value: Some(b"v"), headers: &[] })?;
///     log.append_batch(&mut batch, 5)?;
/// }
/// log.append_marker(7, 1, EndTransaction::Abort, 6)?;
/// log.append_marker(8, 1, EndTransaction::Commit, 6)?;
/// let seen = fates(&log, (0, 9), 10, 0).into_iter().map(|span| (span.from, span.to, span.standing));
/// assert_eq!(seen.collect::<Vec<_>>(), [(0, 1, Standing::Aborted), (2, 3, Standing::Open)]);
/// # Ok(())
/// # }
/// ```
#[must_use]
pub fn fates(
    log: &PartitionLog,
    (from, to): (i64, i64),
    limit: usize,
    apart: i64,
) -> Vec<TransactionSpan> {
    let aborted = log
        .segments()
        .iter()
        .flat_map(|segment| segment.aborted())
        .filter(|one| one.first_offset < to && one.last_offset >= from)
        .map(|one| (one.first_offset, one.last_offset));
    let open = log.producers().first_unstable_offset().map(|first| (first, i64::MAX));
    let Some((first, last)) = aborted.chain(open).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    else {
        return Vec::new();
    };
    let is_one = |standing| matches!(standing, Standing::Aborted | Standing::Open);
    spans(log, (from.max(first), to.min(last)), (limit, apart), is_one)
}

fn spans(
    log: &PartitionLog,
    (from, to): (i64, i64),
    (limit, apart): (usize, i64),
    wanted: impl Fn(Standing) -> bool,
) -> Vec<TransactionSpan> {
    let from = from.max(log.log_start_offset());
    let mut spans: Vec<TransactionSpan> = Vec::new();
    for batch in log.batches_from(from) {
        let header = batch.header();
        if header.base_offset >= to {
            break;
        }
        let Some(TransactionView { standing, .. }) = TransactionView::of(log, &batch) else {
            continue;
        };
        if header.record_count == 0 || !wanted(standing) {
            continue;
        }
        let (first, end) = (header.base_offset.max(from), (header.last_offset() + 1).min(to));
        let same = spans.iter_mut().rev().take(2).find(|last| last.standing == standing);
        let grown = same.filter(|last| {
            first.saturating_sub(last.to) <= apart && (apart > 0 || last.to == first)
        });
        if let Some(last) = grown {
            last.to = end;
        } else if spans.len() < limit {
            spans.push(TransactionSpan { from: first, to: end, standing });
        } else {
            break;
        }
    }
    spans
}
