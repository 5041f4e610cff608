//! What an act did: the answer of a command that was not refused.

use serde::Serialize;

use crate::error::Error;
use crate::group::{OffsetReset, PartitionOffset, RefusedOffset, ResetPlan};
use crate::log::{CleanerPass, CleanerPlan, DeletedSegment};

/// What a client raises though a part of its act was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Raised {
    /// Kafka's code, where it has one.
    pub code: Option<i16>,
    /// Kafka's name of the error.
    pub name: &'static str,
    /// What a user of the Java client reads.
    pub message: String,
    /// A way out, in our words.
    pub hint: String,
}

impl From<&Error> for Raised {
    fn from(error: &Error) -> Self {
        Self {
            code: error.code(),
            name: error.name(),
            message: error.message().to_owned(),
            hint: error.hint().to_owned(),
        }
    }
}

/// What a command did.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum Outcome {
    /// It was done, and there is no more to say.
    Done,
    /// There is a new topic.
    TopicCreated {
        /// Its name.
        name: String,
        /// How many partitions it has.
        partitions: i32,
    },
    /// A topic has grown.
    PartitionsCreated {
        /// Its name.
        topic: String,
        /// How many partitions it had.
        from: i32,
        /// How many it has.
        to: i32,
    },
    /// A record is in the log.
    Produced {
        /// The topic.
        topic: String,
        /// The partition it went to.
        partition: i32,
        /// Its offset there.
        offset: i64,
        /// Its timestamp, ms since 1970.
        timestamp: f64,
    },
    /// Many records are in the log.
    ProducedMany {
        /// The topic.
        topic: String,
        /// How many.
        records: f64,
        /// The bytes of their batches.
        bytes: f64,
        /// Records that were refused; the others are in.
        refused: f64,
        /// Why, as the client or the broker said: each reason once, with how many records it
        /// met, at most [`MAX_REFUSALS_TOLD`](crate::MAX_REFUSALS_TOLD) reasons. Lines of a file
        /// that are no records are told by [`JobProgress`](crate::JobProgress) alone.
        refusals: Vec<RefusedRecords>,
        /// What went where.
        partitions: Vec<SentTo>,
    },
    /// A partition's log is what a broker would make of some files.
    LogCopied(CopiedLog),
    /// The same of several partitions.
    LogsCopied {
        /// One after the other.
        logs: Vec<CopiedLog>,
    },
    /// A producer has sent its last batch again.
    Retried {
        /// The producer.
        producer: String,
        /// The topic.
        topic: String,
        /// The partition.
        partition: i32,
        /// The offset of the batch's first record.
        first_offset: i64,
        /// The offset of its last.
        last_offset: i64,
        /// Whether it was there already: the broker has answered with its old offsets.
        is_duplicate: bool,
    },
    /// A transactional producer may begin; others with its transactional id no longer.
    TransactionsInitialized {
        /// The producer.
        producer: String,
        /// Its `transactional.id`.
        transactional_id: String,
        /// The id that it writes with.
        producer_id: i64,
        /// The epoch that it writes with.
        epoch: i16,
        /// The epoch of the producer that had the transactional id before.
        fenced_epoch: Option<i16>,
        /// The markers that abort what the other one had open.
        markers: Vec<WrittenMarker>,
    },
    /// A transaction has ended.
    TransactionEnded {
        /// Whose.
        transactional_id: String,
        /// How.
        committed: bool,
        /// Whether the coordinator has aborted it because its time was up.
        timed_out: bool,
        /// The markers that say so. None: there was nothing to end.
        markers: Vec<WrittenMarker>,
    },
    /// Offsets of a group are part of a transaction.
    OffsetsSent {
        /// Whose.
        transactional_id: String,
        /// The group.
        group: String,
        /// The next offset to read of each partition.
        offsets: Vec<PartitionOffset>,
    },
    /// A producer has met a failure that leaves its mark: an open transaction can only be aborted,
    /// or the producer only be closed.
    ProducerFailed {
        /// The producer.
        producer: String,
        /// The failure, as its user is told of it.
        error: RefusedRecords,
    },
    /// A group has dealt its partitions out anew.
    Rebalanced {
        /// The group.
        group: String,
        /// Its generation.
        generation: i32,
    },
    /// A member was given records.
    Polled {
        /// The group.
        group: String,
        /// The member.
        member: String,
        /// The records, in the order of delivery.
        records: Vec<PolledRecord>,
        /// Positions that `auto.offset.reset` had to choose.
        resets: Vec<Reset>,
    },
    /// A group begins elsewhere: other offsets are committed.
    OffsetsReset {
        /// The group.
        group: String,
        /// What was committed, and what there is to say of it.
        plan: ResetPlan,
    },
    /// Offsets are committed.
    Committed {
        /// The group.
        group: String,
        /// The next offset to read of each partition.
        offsets: Vec<PartitionOffset>,
        /// Those of the same commit that the broker did not take.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        refused: Vec<RefusedOffset>,
        /// What the consumer then raises, all the same.
        #[serde(skip_serializing_if = "Option::is_none")]
        raised: Option<Raised>,
    },
    /// A member's positions were moved to a time.
    Sought {
        /// The group.
        group: String,
        /// The member.
        member: String,
        /// The time asked for, ms since 1970.
        timestamp: f64,
        /// Where each of its partitions is read on.
        partitions: Vec<SoughtTo>,
    },
    /// Configs of a topic were changed.
    ConfigsAltered {
        /// The topic.
        topic: String,
        /// The configs that were named, in that order.
        configs: Vec<ConfigChange>,
    },
    /// The log start offset of a partition was moved up.
    RecordsDeleted {
        /// The topic.
        topic: String,
        /// The partition.
        partition: i32,
        /// The log start offset before.
        from: i64,
        /// The log start offset now.
        log_start_offset: i64,
        /// How many records can no longer be read.
        records: f64,
    },
    /// The brokers have looked for old segments.
    RetentionRan {
        /// The partitions that have lost some.
        partitions: Vec<PartitionRetention>,
    },
    /// The cleaner has looked at the compacted partitions.
    CleanerRan {
        /// What it found and did; by the clock, those only in which it did something.
        partitions: Vec<PartitionCleaning>,
    },
    /// The clock was put forward.
    ClockAdvanced {
        /// By how many milliseconds.
        ms: f64,
        /// What happened on the way, at most [`MAX_CLOCK_EVENTS`].
        events: Vec<ClockEvent>,
        /// What else happened.
        more_events: f64,
    },
}

/// A marker of a transaction in the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WrittenMarker {
    /// The topic.
    pub topic: String,
    /// The partition.
    pub partition: i32,
    /// The offset.
    pub offset: i64,
}

/// Records that were refused for one reason.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RefusedRecords {
    /// How many.
    pub count: f64,
    /// See [`Error::name`](crate::Error::name).
    pub name: &'static str,
    /// See [`Error::code`](crate::Error::code).
    pub code: Option<i16>,
    /// Who refused: see [`Refusal::by`](crate::Refusal::by).
    pub refusal: &'static str,
    /// See [`Error::message`](crate::Error::message).
    pub message: String,
    /// See [`Error::hint`](crate::Error::hint).
    pub hint: String,
}

impl RefusedRecords {
    pub(crate) fn new(count: u64, error: &Error) -> Self {
        Self {
            count: count as f64,
            name: error.name(),
            code: error.code(),
            refusal: error.refusal().by(),
            message: error.message().to_owned(),
            hint: error.hint().to_owned(),
        }
    }
}

/// How many events an advance of the clock tells one by one; all are counted.
pub const MAX_CLOCK_EVENTS: usize = 100;

/// Where a member reads on after it sought a time.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SoughtTo {
    /// The topic.
    pub topic: String,
    /// The partition.
    pub partition: i32,
    /// The new position.
    pub offset: i64,
    /// The timestamp of the record found, ms since 1970; none: there is none so late, and the
    /// position is the end.
    pub timestamp: Option<f64>,
}

/// A config that was named, before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConfigChange {
    /// The config.
    pub name: String,
    /// Its value before, as described; none where there is no such config.
    pub from: Option<String>,
    /// Its value now.
    pub to: Option<String>,
}

/// Old segments of one partition.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PartitionRetention {
    /// The topic.
    pub topic: String,
    /// The partition.
    pub partition: i32,
    /// The log start offset before.
    pub from: i64,
    /// The log start offset now.
    pub log_start_offset: i64,
    /// The segments that went, the oldest first.
    pub deleted: Vec<DeletedSegment>,
}

/// What the cleaner found in one partition, and did.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PartitionCleaning {
    /// The topic.
    pub topic: String,
    /// The partition.
    pub partition: i32,
    /// Why there was no pass; none if there was one.
    pub left_alone: Option<LeftAlone>,
    /// Which part of the bytes below the first uncleanable offset was dirty; none: no bytes.
    pub cleanable_ratio: Option<f64>,
    /// `min.cleanable.dirty.ratio`.
    pub min_cleanable_dirty_ratio: f64,
    /// What each pass did.
    pub passes: Vec<CleanerPass>,
    /// Old segments that went with it.
    pub deleted: Vec<DeletedSegment>,
}

/// Why the cleaner has left a log alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum LeftAlone {
    /// All records lie in the active segment, are too young, or were looked at before.
    NothingCleanable,
    /// Not enough of it is dirty.
    NotDirtyEnough,
}

impl LeftAlone {
    pub(crate) fn of(plan: &CleanerPlan) -> Self {
        if plan.cleanable_bytes == 0 { Self::NothingCleanable } else { Self::NotDirtyEnough }
    }
}

/// Something that happened at a time of the clock.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClockEvent {
    /// When, ms since 1970 on the cluster's clock.
    pub at: f64,
    /// What: a group that was rebalanced, old segments that went, a pass of the cleaner.
    pub outcome: Outcome,
}

/// What went into one partition.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SentTo {
    /// The partition.
    pub partition: i32,
    /// How many records.
    pub records: u32,
    /// The first record's offset.
    pub first_offset: i64,
    /// The last record's offset.
    pub last_offset: i64,
}

/// A record as a poll delivers it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolledRecord {
    /// The topic.
    pub topic: String,
    /// The partition.
    pub partition: i32,
    /// The offset.
    pub offset: i64,
    /// Milliseconds since 1970.
    pub timestamp: f64,
    /// None, empty and some bytes are three things.
    pub key: Option<serde_bytes::ByteBuf>,
    /// None is a tombstone.
    pub value: Option<serde_bytes::ByteBuf>,
    /// The colour of its key, as in the lanes.
    pub tag: u32,
    /// Whether this group had been given it before.
    pub again: bool,
}

/// A position that `auto.offset.reset` chose.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reset {
    /// The topic.
    pub topic: String,
    /// The partition.
    pub partition: i32,
    /// The position that was out of range; none where nothing was committed.
    pub from: Option<i64>,
    /// The new position.
    pub to: i64,
    /// The policy that chose it.
    pub policy: OffsetReset,
}

/// A partition whose log was made of files.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CopiedLog {
    /// The topic.
    pub topic: String,
    /// The partition.
    pub partition: i32,
    /// Its first offset.
    pub log_start_offset: i64,
    /// The offset after its last.
    pub log_end_offset: i64,
    /// How many records can be read.
    pub records: f64,
    /// The bytes of its batches.
    pub bytes: f64,
    /// How many files there were.
    pub segments: u32,
    /// What was cut off, as after a crash.
    pub cut: Option<LogCut>,
}

/// What a broker cuts off a log whose files are damaged.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LogCut {
    /// The segment's file.
    pub file: String,
    /// The byte of it from which on all is gone.
    pub position: u32,
    /// How many bytes are gone, in this file and the later ones.
    pub bytes: f64,
    /// How many later files are gone.
    pub segments: u32,
    /// What is wrong there; none where only zero bytes follow.
    pub reason: Option<String>,
}
