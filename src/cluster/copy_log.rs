//! Files of a broker that become the logs of partitions.

use std::collections::BTreeSet;

use super::Cluster;
use super::topics::unknown_topic;
use crate::error::{Error, ErrorCode, Result};
use crate::group::TopicPartition;
use crate::log::PartitionLog;
use crate::outcome::{CopiedLog, LogCut, Outcome};
use crate::segment_set::{SegmentSet, SegmentSets};
use crate::topic::{INTERNAL_TOPICS, Partition};

impl Cluster {
    /// The partition's log becomes what a broker would make of the files. It must never have held
    /// a record: what groups have read there, and what producers know, would be of another log.
    pub(super) fn copy_log(
        &mut self,
        topic: &str,
        partition: i32,
        segments: &SegmentSet,
        now_ms: i64,
    ) -> Result<Outcome> {
        let (log, copied) = self.log_of(topic, partition, segments, now_ms)?;
        self.check_recovered(&[&log])?;
        self.empty_partition(topic, partition)?.log = log;
        Ok(Outcome::LogCopied(copied))
    }

    /// The same for several partitions: all of them, or none.
    pub(super) fn copy_logs(
        &mut self,
        to: &[TopicPartition],
        segments: &SegmentSets,
        now_ms: i64,
    ) -> Result<Outcome> {
        let mut seen = BTreeSet::new();
        let mut made = Vec::new();
        let mut sets = segments.iter();
        for at in to {
            let set = sets.next().transpose()?.ok_or_else(|| uneven(to.len()))?;
            if !seen.insert(at) {
                return Err(Error::loglanes(format!("{at} is named twice."))
                    .with_hint("Give the files of each partition once."));
            }
            made.push(self.log_of(&at.topic, at.partition, &set, now_ms)?);
        }
        if sets.next().is_some() {
            return Err(uneven(to.len()));
        }
        self.check_recovered(&made.iter().map(|(log, _)| log).collect::<Vec<_>>())?;
        let mut logs = Vec::new();
        for (log, copied) in made {
            self.empty_partition(&copied.topic, copied.partition)?.log = log;
            logs.push(copied);
        }
        Ok(Outcome::LogsCopied { logs })
    }

    /// What a broker would make of the files, for a partition that may take it.
    fn log_of(
        &mut self,
        topic: &str,
        partition: i32,
        segments: &SegmentSet,
        now_ms: i64,
    ) -> Result<(PartitionLog, CopiedLog)> {
        self.empty_partition(topic, partition)?;
        let config =
            self.topics.get(topic).ok_or_else(|| unknown_topic(topic))?.config.log().clone();
        let parts = segments.parts(now_ms)?;
        let count = parts.len();
        let (log, cut) = PartitionLog::recover(config, None, parts)?;
        let log = log.named(format!("{topic}-{partition}"));
        let copied = CopiedLog {
            topic: topic.to_owned(),
            partition,
            log_start_offset: log.log_start_offset(),
            log_end_offset: log.log_end_offset(),
            records: log.record_count() as f64,
            bytes: log.size_in_bytes() as f64,
            segments: count as u32,
            cut: cut.map(|cut| LogCut {
                file: cut.file,
                position: cut.position,
                bytes: cut.bytes as f64,
                segments: cut.segments,
                reason: cut.reason,
            }),
        };
        Ok((log, copied))
    }

    /// Whether the logs have room for these. What compressed batches unpack to is known by now.
    fn check_recovered(&self, logs: &[&PartitionLog]) -> Result {
        let bytes = logs.iter().map(|log| log.size_in_bytes() + log.unpacked_bytes());
        self.check_room_for(bytes.sum())
    }

    /// A partition that files may be copied into.
    fn empty_partition(&mut self, name: &str, partition: i32) -> Result<&mut Partition> {
        if INTERNAL_TOPICS.contains(&name) {
            return Err(Error::code_alone(ErrorCode::InvalidTopicException)
                .with_hint("Only Kafka itself writes to its internal topics."));
        }
        let topic = self.topics.get_mut(name).ok_or_else(|| unknown_topic(name))?;
        let held = topic.partition_mut(partition).ok_or_else(|| {
            Error::code_alone(ErrorCode::UnknownTopicOrPartition)
                .with_hint(format!("There is no partition {name}-{partition}."))
        })?;
        if held.log.log_end_offset() != 0 {
            return Err(Error::loglanes(format!(
                "{name}-{partition} has had records: its log ends at offset {}.",
                held.log.log_end_offset()
            ))
            .with_hint("Copy the files into a new topic, or send their records anew."));
        }
        Ok(held)
    }
}

fn uneven(partitions: usize) -> Error {
    Error::loglanes(format!("There are not the files of {partitions} partitions."))
        .with_hint("Give the files of each partition, in the same order.")
}
