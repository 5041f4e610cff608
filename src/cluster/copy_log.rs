//! Files of a broker that become the log of a partition.

use super::Cluster;
use super::topics::unknown_topic;
use crate::error::{Error, ErrorCode, Result};
use crate::log::PartitionLog;
use crate::outcome::{LogCut, Outcome};
use crate::segment_set::SegmentSet;
use crate::topic::INTERNAL_TOPICS;

impl Cluster {
    /// The partition's log becomes what a broker would make of the files. It must never have held
    /// a record: what groups have read there, and what producers know, would be of another log.
    pub(super) fn copy_log(
        &mut self,
        name: &str,
        partition: i32,
        segments: &SegmentSet,
        now_ms: i64,
    ) -> Result<Outcome> {
        if INTERNAL_TOPICS.contains(&name) {
            return Err(Error::code_alone(ErrorCode::InvalidTopicException)
                .with_hint("Only Kafka itself writes to its internal topics."));
        }
        let topic = self.topics.get_mut(name).ok_or_else(|| unknown_topic(name))?;
        let config = topic.config.log().clone();
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
        let parts = segments.parts(now_ms)?;
        let count = parts.len();
        let (log, cut) = PartitionLog::recover(config, parts)?;
        held.log = log.named(format!("{name}-{partition}"));
        let log = &held.log;
        Ok(Outcome::LogCopied {
            topic: name.to_owned(),
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
        })
    }
}
