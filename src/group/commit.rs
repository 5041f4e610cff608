//! Committing offsets: who may, and what the broker says to each of them.
//!
//! A commit is a request for several partitions, and each gets its own answer. The consumer then
//! raises one error for all; what was taken stays taken.
//!
//! Sources: `OffsetMetadataManager.commitOffset`, `KafkaApis.handleOffsetCommitRequest`,
//! `ConsumerCoordinator.OffsetCommitResponseHandler`, Apache Kafka 4.4.0.

use serde::Serialize;

use super::coordinator::{CommitNote, Group, Topics};
use super::outside::{GONE_CLASSIC, GONE_CONSUMER, KICKED_OUT};
use super::{GroupProtocol, Member, PartitionOffset};
use crate::error::{Error, ErrorCode, Result};

/// The longest text that is committed beside an offset, in UTF-16 units:
/// `offset.metadata.max.bytes`, which counts characters. Source: `GroupCoordinatorConfig`.
pub const MAX_OFFSET_METADATA: usize = 4_096;

/// What the broker said to a commit, partition by partition.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Verdicts {
    /// What is committed.
    pub committed: Vec<PartitionOffset>,
    /// What is not.
    pub refused: Vec<RefusedOffset>,
    /// What the consumer raises, if anything was refused.
    pub error: Option<Error>,
}

/// An offset that the broker did not take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RefusedOffset {
    /// The topic's name.
    pub topic: String,
    /// The partition's number.
    pub partition: i32,
    /// The offset.
    pub offset: i64,
    /// Kafka's code: `UNKNOWN_TOPIC_OR_PARTITION` (3) or `OFFSET_METADATA_TOO_LARGE` (12).
    pub code: i16,
    /// Kafka's name of it.
    pub name: &'static str,
}

impl Group {
    /// A member commits the given offsets, or all of its positions. No offset is held against
    /// the log: Kafka takes any that is not negative.
    ///
    /// # Errors
    ///
    /// What the consumer raises where nothing is committed.
    pub(crate) fn commit(
        &mut self,
        client_id: &str,
        offsets: Option<&[PartitionOffset]>,
        cluster: &Topics,
    ) -> Result<Verdicts> {
        if self.fenced.contains(client_id) {
            return Err(Error::client("CommitFailedException", KICKED_OUT)
                .with_hint(format!("Close {client_id}: another consumer has its place.")));
        }
        self.check_outside_commit(client_id)?;
        let member = match self.outside.get(client_id) {
            Some(outside) => &outside.member,
            None => self.living(client_id)?,
        };
        let protocol = member.config.protocol;
        let offsets = member.to_commit(offsets);
        self.take_commit(offsets, protocol, cluster)
    }

    /// A consumer that is not a member commits. While there are members, they alone may.
    ///
    /// # Errors
    ///
    /// `CommitFailedException`, and those of [`Group::commit`].
    pub(crate) fn commit_by_hand(
        &mut self,
        consumer: &Member,
        offsets: Option<&[PartitionOffset]>,
        cluster: &Topics,
    ) -> Result<Verdicts> {
        let protocol = consumer.config.protocol;
        if !self.members.is_empty() {
            let text = match protocol {
                GroupProtocol::Classic => GONE_CLASSIC,
                GroupProtocol::Consumer => GONE_CONSUMER,
            };
            return Err(Error::client("CommitFailedException", text).with_hint(
                "The group has members, and takes commits from them alone: give the consumer \
                 that is assigned by hand a group.id of its own.",
            ));
        }
        self.take_commit(consumer.to_commit(offsets), protocol, cluster)
    }

    fn take_commit(
        &mut self,
        offsets: Vec<PartitionOffset>,
        protocol: GroupProtocol,
        cluster: &Topics,
    ) -> Result<Verdicts> {
        if offsets.iter().any(|at| at.offset < 0) {
            return Err(Error::client("IllegalArgumentException", "Invalid negative offset")
                .with_hint("An offset to commit is the next to read: 0 or more."));
        }
        let verdicts = verdicts(offsets, protocol, cluster);
        if let Some(error) = verdicts.error.as_ref().filter(|_| verdicts.committed.is_empty()) {
            return Err(error.clone());
        }
        for at in &verdicts.committed {
            self.keep_commit(at);
        }
        Ok(verdicts)
    }

    fn keep_commit(&mut self, at: &PartitionOffset) {
        self.committed.insert(at.topic_partition(), at.offset);
        let note = CommitNote {
            offset: at.offset,
            metadata: at.metadata.clone(),
            leader_epoch: at.leader_epoch,
        };
        if note.metadata.is_empty() && note.leader_epoch.is_none() {
            self.notes.remove(&at.topic_partition());
        } else {
            self.notes.insert(at.topic_partition(), note);
        }
    }
}

impl Member {
    /// What a commit of it is about: these offsets, or all of its positions.
    fn to_commit(&self, offsets: Option<&[PartitionOffset]>) -> Vec<PartitionOffset> {
        offsets.map_or_else(|| self.all_positions(), <[PartitionOffset]>::to_vec)
    }

    pub(super) fn all_positions(&self) -> Vec<PartitionOffset> {
        let positions = self.positions.iter();
        positions
            .map(|(at, &offset)| PartitionOffset::new(&at.topic, at.partition, offset))
            .collect()
    }
}

/// The broker's answers; and what the consumer makes of them. It goes on trying for a partition
/// that is not there until its time is up, whatever else was refused: the broker's answer names those
/// first.
fn verdicts(offsets: Vec<PartitionOffset>, protocol: GroupProtocol, cluster: &Topics) -> Verdicts {
    let all: Vec<String> = offsets.iter().map(java_text).collect();
    let mut verdicts = Verdicts::default();
    let (mut missing, mut too_large) = (None, false);
    for at in offsets {
        let is_there =
            cluster.get(&at.topic).is_some_and(|topic| topic.partition(at.partition).is_some());
        let code = if !is_there {
            missing.get_or_insert_with(|| at.topic_partition());
            ErrorCode::UnknownTopicOrPartition
        } else if at.metadata.encode_utf16().count() > MAX_OFFSET_METADATA {
            too_large = true;
            ErrorCode::OffsetMetadataTooLarge
        } else {
            verdicts.committed.push(at);
            continue;
        };
        verdicts.refused.push(RefusedOffset {
            topic: at.topic,
            partition: at.partition,
            offset: at.offset,
            code: code.code(),
            name: code.name(),
        });
    }
    verdicts.error = if let Some(missing) = missing {
        let text = match protocol {
            GroupProtocol::Classic => format!(
                "Timeout of 60000ms expired before successfully committing offsets {{{}}}",
                all.join(", ")
            ),
            // The newer consumer passes on what its own timer says.
            GroupProtocol::Consumer => "java.util.concurrent.TimeoutException".to_owned(),
        };
        let hint = format!("There is no {missing}: name a partition that is there.");
        Some(Error::client_code(ErrorCode::RequestTimedOut, text).with_hint(hint))
    } else if too_large {
        let hint = format!("At most {MAX_OFFSET_METADATA} characters are kept beside an offset.");
        Some(Error::code_alone(ErrorCode::OffsetMetadataTooLarge).with_hint(hint))
    } else {
        None
    };
    verdicts
}

/// Source: `TopicPartition.toString` and `OffsetAndMetadata.toString`.
fn java_text(at: &PartitionOffset) -> String {
    format!(
        "{}=OffsetAndMetadata{{offset={}, leaderEpoch={}, metadata='{}'}}",
        at.topic_partition(),
        at.offset,
        at.leader_epoch.map_or("null".to_owned(), |epoch| epoch.to_string()),
        at.metadata
    )
}
