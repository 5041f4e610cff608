//! Acts of consumer groups.

use super::{Cluster, MAX_GROUPS};
use crate::command::SeekTo;
use crate::error::{Error, ErrorCode, Result};
use crate::group::{Group, OffsetReset, PolledAt, TopicPartition};
use crate::insight::Tag;
use crate::log::RecordView;
use crate::outcome::{Outcome, PolledRecord, Reset};
use crate::topic::Topic;

impl Cluster {
    pub(super) fn join(
        &mut self,
        id: &str,
        member: &str,
        topics: &[String],
        auto_offset_reset: OffsetReset,
    ) -> Result<Outcome> {
        if id.trim().is_empty() {
            return Err(Error::code_alone(ErrorCode::InvalidGroupId)
                .with_hint("Give the group an id, such as billing."));
        }
        let is_full = match self.groups.get(id) {
            Some(group) => group.members.len() >= MAX_GROUPS,
            None => self.groups.len() >= MAX_GROUPS,
        };
        if is_full {
            return Err(Error::limit(
                "MAX_GROUPS",
                format!("Loglanes keeps at most {MAX_GROUPS} groups, and as many members in each."),
            ));
        }
        // A group that is refused its first member is not made.
        let mut group = self.groups.get(id).cloned().unwrap_or_default();
        let mut random = self.random.clone();
        let uuid = self.uuid();
        let joined = group.join(member, topics, auto_offset_reset, &uuid, &self.topics);
        if let Err(refused) = joined {
            std::mem::swap(&mut self.random, &mut random);
            return Err(refused);
        }
        self.groups.insert(id.to_owned(), group);
        self.rebalanced(id)
    }

    /// An act of one group. It sees the topics, and a UUID should it need one.
    pub(super) fn in_group<T>(
        &mut self,
        id: &str,
        act: impl FnOnce(&mut Group, &std::collections::BTreeMap<String, Topic>, &str) -> Result<T>,
    ) -> Result<T> {
        if !self.groups.contains_key(id) {
            return Err(no_group(id));
        }
        let random = self.random.clone();
        let uuid = self.uuid();
        let Self { groups, topics, .. } = self;
        let group = groups.get_mut(id).ok_or_else(|| no_group(id))?;
        let done = act(group, topics, &uuid);
        if done.is_err() {
            self.random = random;
        }
        done
    }

    pub(super) fn rebalanced(&self, id: &str) -> Result<Outcome> {
        let generation = self.groups.get(id).map_or(0, |group| group.generation);
        Ok(Outcome::Rebalanced { group: id.to_owned(), generation })
    }

    pub(super) fn poll(
        &mut self,
        id: &str,
        member: &str,
        max_records: Option<i32>,
    ) -> Result<Outcome> {
        let polled =
            self.in_group(id, |group, topics, _| group.poll(member, max_records, topics))?;
        Ok(Outcome::Polled {
            group: id.to_owned(),
            member: member.to_owned(),
            records: polled.records.iter().filter_map(|at| self.polled_record(at)).collect(),
            resets: polled
                .resets
                .into_iter()
                .map(|reset| Reset {
                    topic: reset.at.topic,
                    partition: reset.at.partition,
                    from: reset.from,
                    to: reset.to,
                    policy: reset.policy,
                })
                .collect(),
        })
    }

    fn polled_record(&self, polled: &PolledAt) -> Option<PolledRecord> {
        let partition = self.topics.get(&polled.at.topic)?.partition(polled.at.partition)?;
        let record: RecordView<'_> = partition.log.records_from(polled.offset).next()?;
        let owned = |bytes: Option<&[u8]>| bytes.map(|bytes| bytes.to_vec().into());
        Some(PolledRecord {
            topic: polled.at.topic.clone(),
            partition: polled.at.partition,
            offset: record.offset,
            timestamp: record.timestamp as f64,
            key: owned(record.key),
            value: owned(record.value),
            tag: Tag::new(record.key, record.value, record.header_count() > 0, false).0,
            again: polled.again,
        })
    }

    pub(super) fn seek(
        &mut self,
        id: &str,
        member: &str,
        topic: &str,
        partition: i32,
        to: SeekTo,
    ) -> Result<Outcome> {
        let at = TopicPartition::new(topic, partition);
        self.in_group(id, |group, topics, _| group.seek(member, &at, to, topics))?;
        Ok(Outcome::Done)
    }

    pub(super) fn seek_to_timestamp(
        &mut self,
        id: &str,
        member: &str,
        timestamp: i64,
    ) -> Result<Outcome> {
        let partitions = self
            .in_group(id, |group, topics, _| group.seek_to_timestamp(member, timestamp, topics))?;
        let (group, member) = (id.to_owned(), member.to_owned());
        Ok(Outcome::Sought { group, member, timestamp: timestamp as f64, partitions })
    }

    pub(super) fn delete_group(&mut self, id: &str) -> Result<Outcome> {
        let group = self.groups.get(id).ok_or_else(|| no_group(id))?;
        if !group.members.is_empty() {
            return Err(
                Error::code_alone(ErrorCode::NonEmptyGroup).with_hint("Close its members first.")
            );
        }
        self.groups.remove(id);
        Ok(Outcome::Done)
    }
}

fn no_group(id: &str) -> Error {
    Error::code_alone(ErrorCode::GroupIdNotFound).with_hint(format!("There is no group {id:?}."))
}
