//! Every act that changes the cluster, as data.
//!
//! Clicks, files and tests all make commands; [`crate::Cluster::apply`] is the one place
//! that carries them out. So any state can be replayed from its history.

mod limits;
pub(crate) mod text;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Bytes;
use crate::generate::GenerateSpec;
use crate::group::{
    ConsumerConfig, OffsetReset, PartitionOffset, ResetTo, TopicPartition, TopicPattern,
};
use crate::record_set::RecordSet;
use crate::segment_set::{SegmentSet, SegmentSets};
use crate::topic::{AlterConfigOp, ReplicaAssignment};

pub(crate) use limits::check_texts;
pub use limits::{MAX_ID_BYTES, MAX_LIST};

/// One act. What is left out takes Kafka's default; a field that is not known is refused, so that
/// a slip of the pen does not quietly become that default.
///
/// ```
/// use loglanes::Command;
///
/// let json = r#"{"type":"createPartitions","topic":"orders","total":12}"#;
/// let command: Command = serde_json::from_str(json).unwrap();
/// assert_eq!(command.to_string(), "partitions orders 12");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "type",
    rename_all = "camelCase",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
#[non_exhaustive]
pub enum Command {
    /// Makes a topic.
    CreateTopic {
        /// Its name.
        name: String,
        /// How many partitions; -1 and none: `num.partitions`, 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        partitions: Option<i32>,
        /// How many brokers hold each partition; -1 and none: `default.replication.factor`, 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        replication_factor: Option<i16>,
        /// Topic configs by Kafka's names, as text.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        configs: BTreeMap<String, String>,
    },
    /// Makes a topic whose partitions are held by the brokers that are named.
    CreateAssignedTopic {
        /// Its name.
        name: String,
        /// The brokers of each partition; none: as [`Command::CreateTopic`] without numbers.
        assignments: Vec<ReplicaAssignment>,
        /// Topic configs by Kafka's names, as text.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        configs: BTreeMap<String, String>,
    },
    /// Deletes a topic, its records and what groups have committed on it.
    DeleteTopic {
        /// Its name.
        name: String,
    },
    /// Grows a topic. Nothing that is stored moves.
    CreatePartitions {
        /// The topic's name.
        topic: String,
        /// The new count of partitions in all.
        total: i32,
    },
    /// Grows a topic by partitions that are held by the brokers that are named.
    CreateAssignedPartitions {
        /// The topic's name.
        topic: String,
        /// The new count of partitions in all.
        total: i32,
        /// The brokers of each new partition, the leader first.
        assignments: Vec<Vec<i32>>,
    },
    /// Sends one record and flushes.
    Produce(Produce),
    /// Sends many records as fast as they come, then flushes.
    ProduceMany {
        /// The topic's name.
        topic: String,
        /// The producer that sends them; none: one at Kafka's defaults.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        producer: Option<String>,
        /// The producer's partitioner, by its id; none: the Java client's default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        partitioner: Option<String>,
        /// The records. Not part of the JSON form: see [`Command::payload`].
        #[serde(skip)]
        records: RecordSet,
    },
    /// Sends many records by a rule, then flushes.
    Generate {
        /// The topic's name.
        topic: String,
        /// The producer that sends them; none: one at Kafka's defaults.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        producer: Option<String>,
        /// The producer's partitioner, by its id; none: the Java client's default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        partitioner: Option<String>,
        /// The rule.
        #[serde(flatten)]
        spec: GenerateSpec,
    },
    /// Puts the files of a partition, from a broker's directory, into a partition that never had a
    /// record, as if they were copied there and the broker started again: see
    /// [`PartitionLog::recover`](crate::log::PartitionLog::recover).
    CopyLog {
        /// The topic's name.
        topic: String,
        /// The partition.
        partition: i32,
        /// The `.log` files. Not part of the JSON form: see [`Command::payload`].
        #[serde(skip)]
        segments: SegmentSet,
    },
    /// [`Command::CopyLog`] for several partitions at once: all of them, or none.
    CopyLogs {
        /// The partitions, none of them twice.
        to: Vec<TopicPartition>,
        /// The files of each, in the same order. Not part of the JSON form: see
        /// [`Command::payload`].
        #[serde(skip)]
        segments: SegmentSets,
    },
    /// A producer starts. Without one that is named, records are sent by a producer that is called
    /// like its partitioner, at Kafka's defaults.
    CreateProducer {
        /// Its name.
        producer: String,
        /// Its partitioner, by its id; none: the Java client's default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        partitioner: Option<String>,
        /// Its configs by Kafka's names, as text.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        configs: BTreeMap<String, String>,
    },
    /// A producer closes; a transaction that it has open is aborted.
    CloseProducer {
        /// Its name.
        producer: String,
    },
    /// A producer's process is killed. A transaction that it has open stays so until its time is
    /// up, or another producer with its `transactional.id` comes.
    KillProducer {
        /// Its name.
        producer: String,
    },
    /// A producer sends its last batch once more, as after an answer that got lost: what an
    /// idempotent one has stored already is not stored again.
    Retry {
        /// Its name; none: the producer at Kafka's defaults.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        producer: Option<String>,
    },
    /// A transactional producer presents itself to the coordinator: it gets its producer id and
    /// epoch, and fences any other with its `transactional.id`.
    InitTransactions {
        /// Its name.
        producer: String,
    },
    /// From here on all that the producer sends is part of a transaction.
    BeginTransaction {
        /// Its name.
        producer: String,
    },
    /// Offsets of a consumer become part of a producer's transaction.
    SendOffsets {
        /// The producer's name.
        producer: String,
        /// `group.id`.
        group: String,
        /// The consumer's `client.id`.
        member: String,
        /// Which; none: every position of the consumer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        offsets: Option<Vec<PartitionOffset>>,
    },
    /// The transaction's records count.
    CommitTransaction {
        /// The producer's name.
        producer: String,
    },
    /// The transaction's records do not count.
    AbortTransaction {
        /// The producer's name.
        producer: String,
    },
    /// A consumer starts and subscribes.
    Join {
        /// `group.id`.
        group: String,
        /// `client.id`, unique in the group.
        member: String,
        /// How it is set up.
        #[serde(flatten)]
        config: ConsumerConfig,
    },
    /// A consumer is assigned partitions by hand, in place of those it had: one that runs and does not
    /// subscribe, or a new one. It is a member of no group.
    Assign {
        /// `group.id`, for its commits; empty: it has none.
        group: String,
        /// `client.id`.
        member: String,
        /// The partitions, whether they are there or not; each counts once.
        partitions: Vec<TopicPartition>,
        /// How a new one is set up.
        #[serde(flatten)]
        config: ConsumerConfig,
    },
    /// A consumer closes in good order. A static member stays in the group until its session times
    /// out.
    Leave {
        /// `group.id`.
        group: String,
        /// `client.id`.
        member: String,
    },
    /// A consumer's process is killed. The group keeps it until its session times out.
    Crash {
        /// `group.id`.
        group: String,
        /// `client.id`.
        member: String,
    },
    /// A stopped consumer starts again: a static member in its old place, else as a new member,
    /// whose old session is timed out first.
    Restart {
        /// `group.id`.
        group: String,
        /// `client.id`.
        member: String,
    },
    /// A consumer subscribes to other topics, or by pattern; to none: it unsubscribes, and leaves.
    Subscribe {
        /// `group.id`.
        group: String,
        /// `client.id`.
        member: String,
        /// The topics, in place of those before.
        topics: Vec<String>,
        /// A pattern in place of topics.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pattern: Option<TopicPattern>,
    },
    /// A consumer asks for a rebalance. With the consumer protocol nothing happens.
    EnforceRebalance {
        /// `group.id`.
        group: String,
        /// `client.id`.
        member: String,
    },
    /// A consumer does not poll for longer than `max.poll.interval.ms`: it drops out of the group,
    /// and joins again with its next poll.
    ExceedPollInterval {
        /// `group.id`.
        group: String,
        /// `client.id`.
        member: String,
    },
    /// An administrator removes all members: `removeMembersFromConsumerGroup`.
    RemoveMembers {
        /// `group.id`.
        group: String,
    },
    /// A consumer takes the next records.
    Poll {
        /// `group.id`.
        group: String,
        /// `client.id`.
        member: String,
        /// `max.poll.records`; none: 500.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_records: Option<i32>,
    },
    /// A consumer commits offsets: the next to read of each partition.
    Commit {
        /// `group.id`.
        group: String,
        /// `client.id`.
        member: String,
        /// Which; none: every position of the member.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        offsets: Option<Vec<PartitionOffset>>,
    },
    /// A consumer moves its position in one partition.
    Seek {
        /// `group.id`.
        group: String,
        /// `client.id`.
        member: String,
        /// The topic's name.
        topic: String,
        /// The partition's number.
        partition: i32,
        /// Where to.
        to: SeekTo,
    },
    /// A consumer takes nothing from one of its partitions until told to.
    Pause {
        /// `group.id`.
        group: String,
        /// `client.id`.
        member: String,
        /// The topic's name.
        topic: String,
        /// The partition's number.
        partition: i32,
    },
    /// A consumer takes from a paused partition again.
    Resume {
        /// `group.id`.
        group: String,
        /// `client.id`.
        member: String,
        /// The topic's name.
        topic: String,
        /// The partition's number.
        partition: i32,
    },
    /// The group's leader fetches metadata now and notices added partitions.
    RefreshMetadata {
        /// `group.id`.
        group: String,
    },
    /// Commits other offsets for a group without members, which is made if there is none of that id.
    ResetOffsets {
        /// `group.id`.
        group: String,
        /// Topics, as `orders` or `orders:0,2`; none: every partition with a commit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        topics: Option<Vec<String>>,
        /// Where to.
        to: ResetTo,
    },
    /// Forgets what a group has committed on topics that none of its members reads.
    DeleteOffsets {
        /// `group.id`.
        group: String,
        /// Topics, as `orders` or `orders:0,2`.
        topics: Vec<String>,
    },
    /// Deletes an empty group and what it has committed.
    DeleteGroup {
        /// `group.id`.
        group: String,
    },
    /// Moves every position of a member to the first record at or after a time; to the end
    /// where there is none: `offsetsForTimes`, then `seek`.
    SeekToTimestamp {
        /// `group.id`.
        group: String,
        /// `client.id`.
        member: String,
        /// Milliseconds since 1970.
        timestamp: i64,
    },
    /// Changes configs of a topic: `incrementalAlterConfigs`. All of the changes or none.
    AlterConfigs {
        /// The topic.
        topic: String,
        /// The changes.
        ops: Vec<AlterConfigOp>,
    },
    /// Moves the log start offset of a partition up: `deleteRecords`.
    DeleteRecords {
        /// The topic.
        topic: String,
        /// The partition's number.
        partition: i32,
        /// The first offset to keep; -1: none, up to the high watermark.
        before: i64,
    },
    /// The brokers' check for old segments, which else comes every five minutes.
    RunRetention {
        /// Only this topic; none: all.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        topic: Option<String>,
    },
    /// Lets the cleaner look at the compacted partitions, as it else does every 15 seconds.
    RunCleaner {
        /// Only this topic; none: all.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        topic: Option<String>,
    },
    /// Moves the cluster's clock forward, and lets timers run.
    AdvanceClock {
        /// By how many milliseconds; not negative.
        ms: i64,
    },
    /// Lets timers run: sessions time out, metadata ages, old segments go, logs are cleaned.
    #[serde(deserialize_with = "no_fields")]
    Tick,
}

/// One record to send.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Produce {
    /// The topic's name.
    pub topic: String,
    /// The producer that sends it; none: one at Kafka's defaults.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub producer: Option<String>,
    /// The producer's partitioner, by its id; none: the Java client's default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partitioner: Option<String>,
    /// An explicit partition; none: the partitioner chooses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<i32>,
    /// Milliseconds since 1970; none: the clock's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<i64>,
    /// None, empty and some bytes are three things.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<Bytes>,
    /// None is a tombstone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Bytes>,
    /// In order; the same key may stand more than once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<OwnedHeader>,
}

/// A header of a record to send.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnedHeader {
    /// UTF-8 in Kafka's clients, bytes on disk.
    pub key: Bytes,
    /// None and empty are two things.
    pub value: Option<Bytes>,
}

/// Where a seek goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SeekTo {
    /// The next offset to read.
    Offset(i64),
    /// An end of the log, found at the next poll.
    End(LogEnd),
}

/// An end of a partition's log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LogEnd {
    /// The log start offset.
    Beginning,
    /// The high watermark.
    End,
}

impl Command {
    /// A topic with that many partitions, all else at Kafka's defaults.
    #[must_use]
    pub fn create_topic(name: &str, partitions: i32) -> Self {
        Self::CreateTopic {
            name: name.to_owned(),
            partitions: Some(partitions),
            replication_factor: None,
            configs: BTreeMap::new(),
        }
    }

    /// One record with a key and a value, all else at Kafka's defaults.
    #[must_use]
    pub fn produce(topic: &str, key: Option<&[u8]>, value: Option<&[u8]>) -> Self {
        Self::Produce(Produce {
            topic: topic.to_owned(),
            key: key.map(Bytes::from),
            value: value.map(Bytes::from),
            ..Produce::default()
        })
    }

    /// A consumer that subscribes to one topic.
    #[must_use]
    pub fn join(group: &str, member: &str, topic: &str, auto_offset_reset: OffsetReset) -> Self {
        Self::Join {
            group: group.to_owned(),
            member: member.to_owned(),
            config: ConsumerConfig {
                topics: vec![topic.to_owned()],
                auto_offset_reset,
                ..ConsumerConfig::default()
            },
        }
    }

    /// The bytes that are not part of the JSON form: the records of [`Command::ProduceMany`], the
    /// files of [`Command::CopyLog`] and [`Command::CopyLogs`].
    ///
    /// ```
    /// use loglanes::{Command, RecordSet};
    ///
    /// let records = RecordSet::default();
    /// let many = Command::ProduceMany { topic: "orders".into(), producer: None, partitioner: None, records };
    /// let json = serde_json::to_string(&many).unwrap();
    /// let back: Command = serde_json::from_str(&json).unwrap();
    /// assert_eq!(back.with_payload(many.payload().to_vec()), many);
    /// ```
    #[must_use]
    pub fn payload(&self) -> &[u8] {
        match self {
            Self::ProduceMany { records, .. } => records.bytes(),
            Self::CopyLog { segments, .. } => segments.bytes(),
            Self::CopyLogs { segments, .. } => segments.bytes(),
            _ => &[],
        }
    }

    /// The command with its payload back; commands without one ignore it.
    #[must_use]
    pub fn with_payload(mut self, payload: Vec<u8>) -> Self {
        match &mut self {
            Self::ProduceMany { records, .. } => *records = RecordSet::from_bytes(payload),
            Self::CopyLog { segments, .. } => *segments = SegmentSet::from_bytes(payload),
            Self::CopyLogs { segments, .. } => *segments = SegmentSets::from_bytes(payload),
            _ => {}
        }
        self
    }

    /// The consumer that does it: `group.id` and `client.id`.
    pub(crate) fn consumer(&self) -> Option<(&str, &str)> {
        match self {
            Self::Leave { group, member }
            | Self::Crash { group, member }
            | Self::Restart { group, member }
            | Self::Subscribe { group, member, .. }
            | Self::EnforceRebalance { group, member }
            | Self::ExceedPollInterval { group, member }
            | Self::Poll { group, member, .. }
            | Self::Commit { group, member, .. }
            | Self::Seek { group, member, .. }
            | Self::Pause { group, member, .. }
            | Self::Resume { group, member, .. }
            | Self::SeekToTimestamp { group, member, .. } => Some((group, member)),
            _ => None,
        }
    }

    /// The `type` of the JSON form.
    ///
    /// ```
    /// use loglanes::Command;
    ///
    /// assert_eq!(Command::create_topic("orders", 3).kind(), "createTopic");
    /// ```
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::CreateTopic { .. } => "createTopic",
            Self::CreateAssignedTopic { .. } => "createAssignedTopic",
            Self::DeleteTopic { .. } => "deleteTopic",
            Self::CreatePartitions { .. } => "createPartitions",
            Self::CreateAssignedPartitions { .. } => "createAssignedPartitions",
            Self::Produce(_) => "produce",
            Self::ProduceMany { .. } => "produceMany",
            Self::Generate { .. } => "generate",
            Self::CopyLog { .. } => "copyLog",
            Self::CopyLogs { .. } => "copyLogs",
            Self::CreateProducer { .. } => "createProducer",
            Self::CloseProducer { .. } => "closeProducer",
            Self::KillProducer { .. } => "killProducer",
            Self::Retry { .. } => "retry",
            Self::InitTransactions { .. } => "initTransactions",
            Self::BeginTransaction { .. } => "beginTransaction",
            Self::SendOffsets { .. } => "sendOffsets",
            Self::CommitTransaction { .. } => "commitTransaction",
            Self::AbortTransaction { .. } => "abortTransaction",
            Self::Join { .. } => "join",
            Self::Assign { .. } => "assign",
            Self::Leave { .. } => "leave",
            Self::Subscribe { .. } => "subscribe",
            Self::EnforceRebalance { .. } => "enforceRebalance",
            Self::ExceedPollInterval { .. } => "exceedPollInterval",
            Self::RemoveMembers { .. } => "removeMembers",
            Self::Crash { .. } => "crash",
            Self::Restart { .. } => "restart",
            Self::Poll { .. } => "poll",
            Self::Commit { .. } => "commit",
            Self::Seek { .. } => "seek",
            Self::Pause { .. } => "pause",
            Self::Resume { .. } => "resume",
            Self::RefreshMetadata { .. } => "refreshMetadata",
            Self::ResetOffsets { .. } => "resetOffsets",
            Self::DeleteOffsets { .. } => "deleteOffsets",
            Self::DeleteGroup { .. } => "deleteGroup",
            Self::SeekToTimestamp { .. } => "seekToTimestamp",
            Self::AlterConfigs { .. } => "alterConfigs",
            Self::DeleteRecords { .. } => "deleteRecords",
            Self::RunRetention { .. } => "runRetention",
            Self::RunCleaner { .. } => "runCleaner",
            Self::AdvanceClock { .. } => "advanceClock",
            Self::Tick => "tick",
        }
    }
}

/// A variant without fields takes none: of itself serde would pass over what is there.
pub(crate) fn no_fields<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<(), D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct NoFields {}
    NoFields::deserialize(deserializer).map(|NoFields {}| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_that_is_not_known_is_refused_by_its_name_wherever_it_stands() {
        for (json, field) in [
            (r#"{"type":"createTopic","name":"t","partition":6}"#, "partition"),
            (r#"{"type":"produceMany","topic":"t","records":[]}"#, "records"),
            (r#"{"type":"produce","topic":"t","keys":null}"#, "keys"),
            (
                r#"{"type":"produce","topic":"t","headers":[{"key":{"hex":"aa"},"value":null,"text":1}]}"#,
                "text",
            ),
            (
                r#"{"type":"generate","topic":"t","count":1,"keys":0,"valueBytes":1,"seed":1,"size":2}"#,
                "size",
            ),
            (r#"{"type":"join","group":"g","member":"m","topics":["t"],"topic":"t"}"#, "topic"),
            (r#"{"type":"poll","group":"g","member":"m","max":1}"#, "max"),
            (
                r#"{"type":"commit","group":"g","member":"m","offsets":[{"topic":"t","partition":0,"offset":1,"note":""}]}"#,
                "note",
            ),
            (
                r#"{"type":"resetOffsets","group":"g","to":{"mode":"earliest","offset":1}}"#,
                "offset",
            ),
            (
                r#"{"type":"resetOffsets","group":"g","to":{"mode":"offset","offset":1,"by":1}}"#,
                "by",
            ),
            (
                r#"{"type":"alterConfigs","topic":"t","ops":[{"op":"delete","name":"a","values":1}]}"#,
                "values",
            ),
            (r#"{"type":"tick","now":1}"#, "now"),
        ] {
            let refused = serde_json::from_str::<Command>(json).unwrap_err().to_string();
            assert!(refused.contains(&format!("unknown field `{field}`")), "{json}: {refused}");
        }
    }

    #[test]
    fn what_flattens_still_takes_all_of_its_own_fields() {
        for json in [
            r#"{"type":"generate","topic":"t","partitioner":"java","count":1,"keys":0,"skew":0.5,"valueBytes":1,"seed":1}"#,
            r#"{"type":"join","group":"g","member":"m","topics":["t"],"autoOffsetReset":"none","assignors":["range"],"instanceId":"i","autoCommit":true}"#,
            r#"{"type":"resetOffsets","group":"g","to":{"mode":"current"}}"#,
            r#"{"type":"tick"}"#,
        ] {
            let command: Command = serde_json::from_str(json).unwrap();
            assert_eq!(serde_json::to_string(&command).unwrap(), json);
        }
    }
}
