//! What an act did: the answer of a command that was not refused.

use serde::Serialize;

use crate::group::{OffsetReset, PartitionOffset, ResetPlan};

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
        /// What went where.
        partitions: Vec<SentTo>,
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
    },
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
