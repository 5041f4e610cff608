//! Acts of consumer groups.

use super::{Cluster, MAX_GROUPS};
use crate::command::SeekTo;
use crate::error::{Error, ErrorCode, Result};
use crate::group::{
    self, ConsumerConfig, Group, Polled, PolledAt, ResetPlan, ResetTo, TopicPartition, Verdicts,
};
use crate::insight::Tag;
use crate::log::RecordView;
use crate::outcome::{Outcome, PolledRecord, Raised, Reset};
use crate::topic::Topic;

impl Cluster {
    pub(super) fn join(
        &mut self,
        id: &str,
        member: &str,
        config: &ConsumerConfig,
        now_ms: i64,
    ) -> Result<Outcome> {
        if id.trim().is_empty() {
            return Err(blank_group_id());
        }
        if config.pattern.is_some() && !config.topics.is_empty() {
            return Err(group::exclusive());
        }
        if self.is_by_hand(id, member) {
            return Err(Error::loglanes(format!("There is a consumer {member} already."))
                .with_hint("It is assigned by hand: subscribe with it, or choose another name."));
        }
        self.check_groups(id)?;
        // A group that is refused its first member is not made.
        let mut group = self.groups.get(id).cloned().unwrap_or_default();
        let mut random = self.random.clone();
        let uuid = self.uuid();
        let joined = group.join(member, config, &uuid, &self.topics, now_ms, None);
        if let Err(refused) = joined {
            std::mem::swap(&mut self.random, &mut random);
            return Err(refused);
        }
        self.groups.insert(id.to_owned(), group);
        self.rebalanced(id)
    }

    /// Whether there is room for one more member of this group, or for the group.
    pub(super) fn check_groups(&self, id: &str) -> Result {
        let is_full = match self.groups.get(id) {
            Some(group) => group.members.len() >= MAX_GROUPS,
            None => self.groups.len() >= MAX_GROUPS,
        };
        if !is_full {
            return Ok(());
        }
        Err(Error::limit(
            "MAX_GROUPS",
            format!("Loglanes keeps at most {MAX_GROUPS} groups, and as many members in each."),
        )
        .with_hint("Close a member, or delete a group that is empty."))
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
        now_ms: i64,
    ) -> Result<Outcome> {
        let polled = self.in_group(id, |group, topics, uuid| {
            group.poll(member, max_records, topics, uuid, now_ms)
        })?;
        Ok(self.polled(id, member, polled))
    }

    pub(super) fn polled(&self, id: &str, member: &str, polled: Polled) -> Outcome {
        Outcome::Polled {
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
        }
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
            tag: Tag::new(record.key, record.value, record.header_count() > 0).0,
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
        self.in_group(id, |group, _, _| group.seek(member, &at, to))?;
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

    pub(super) fn pause(
        &mut self,
        id: &str,
        member: &str,
        topic: &str,
        partition: i32,
        paused: bool,
    ) -> Result<Outcome> {
        let at = TopicPartition::new(topic, partition);
        self.in_group(id, |group, _, _| group.pause(member, &at, paused))?;
        Ok(Outcome::Done)
    }

    /// What a reset of a group's offsets would commit when the caller's clock shows `now_ms`: the dry
    /// run. `topics` are as Kafka's tool takes them; none: every partition with a commit.
    ///
    /// # Errors
    ///
    /// What the tool would print: a group with members is refused, an unknown topic, a time that
    /// cannot be read.
    ///
    /// ```
    /// use loglanes::group::ResetTo;
    /// use loglanes::{Cluster, Command};
    ///
    /// let mut cluster = Cluster::new(7);
    /// cluster.apply(&Command::create_topic("orders", 1), 0)?;
    /// let topics = ["orders".to_owned()];
    /// let plan = cluster.reset_plan("billing", Some(&topics), &ResetTo::Offset { offset: 9 }, 0)?;
    /// assert_eq!(plan.rows[0].offset, 0);
    /// assert_eq!(plan.warnings.len(), 1);
    /// # Ok::<(), loglanes::Error>(())
    /// ```
    pub fn reset_plan(
        &self,
        id: &str,
        topics: Option<&[String]>,
        to: &ResetTo,
        now_ms: i64,
    ) -> Result<ResetPlan> {
        if id.trim().is_empty() {
            return Err(Error::code_alone(ErrorCode::InvalidGroupId)
                .with_hint("Give the group an id, such as billing."));
        }
        crate::command::check_texts(
            std::iter::once(id).chain(topics.iter().copied().flatten().map(String::as_str)),
            topics.map_or(0, <[String]>::len),
        )?;
        group::reset_plan(id, self.groups.get(id), topics, to, &self.topics, self.clock(now_ms))
    }

    /// What `kafka-consumer-groups` tells of a group.
    ///
    /// # Errors
    ///
    /// `GROUP_ID_NOT_FOUND` (69).
    ///
    /// ```
    /// use loglanes::group::OffsetReset;
    /// use loglanes::{Cluster, Command};
    ///
    /// let mut cluster = Cluster::new(7);
    /// cluster.apply(&Command::create_topic("orders", 1), 0)?;
    /// cluster.apply(&Command::join("billing", "m1", "orders", OffsetReset::Latest), 0)?;
    /// let group = cluster.description("billing")?;
    /// assert!(group.offsets(false).starts_with("\nGROUP           TOPIC           PARTITION"));
    /// assert!(group.members(false).contains("#PARTITIONS") && group.state == "Stable");
    /// # Ok::<(), loglanes::Error>(())
    /// ```
    pub fn description(&self, id: &str) -> Result<group::describe::Description> {
        let group = self.groups.get(id).ok_or_else(|| no_group(id))?;
        Ok(group::describe::Description::of(id, group, &self.topics, &self.brokers))
    }

    /// The three views of `kafka-consumer-groups --describe` of a group, each with `--verbose`: its
    /// partitions, its members (`--members`), its state (`--state`). The first and the last line
    /// are empty, as there.
    ///
    /// # Errors
    ///
    /// `GROUP_ID_NOT_FOUND` (69).
    pub fn describe_group(&self, id: &str, verbose: bool) -> Result<[String; 3]> {
        let group = self.description(id)?;
        Ok([group.offsets(verbose), group.members(verbose), group.state(verbose)])
    }

    pub(super) fn reset_offsets(
        &mut self,
        id: &str,
        topics: Option<&[String]>,
        to: &ResetTo,
        now_ms: i64,
    ) -> Result<Outcome> {
        if !self.groups.contains_key(id) && self.groups.len() >= MAX_GROUPS {
            return Err(Error::limit(
                "MAX_GROUPS",
                format!("Loglanes keeps at most {MAX_GROUPS} groups."),
            )
            .with_hint("Delete a group that is empty."));
        }
        // The time is the cluster's already.
        let before = now_ms.saturating_sub(self.clock_offset_ms);
        let plan = self.reset_plan(id, topics, to, before)?;
        if !plan.rows.is_empty() {
            let group = self.groups.entry(id.to_owned()).or_default();
            for row in &plan.rows {
                group.committed.insert(row.topic_partition(), row.offset);
            }
        }
        Ok(Outcome::OffsetsReset { group: id.to_owned(), plan })
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

/// What the Admin client says where there is nobody to remove.
pub(super) fn nobody_leaves() -> Error {
    Error::client("IllegalArgumentException", "leaving members should not be empty")
        .with_hint("The group has no members: nothing is to be done.")
}

/// What the Admin client says that asks for the members of a group first, to remove them.
pub(super) fn no_members_of(id: &str) -> Error {
    Error::client(
        "KafkaException",
        format!("Encounter exception when trying to get members from group: {id}"),
    )
    .with_hint(format!("There is no group {id:?}."))
}

/// What a commit came to.
pub(super) fn committed(group: &str, done: Verdicts) -> Outcome {
    let raised = done.error.as_ref().map(Raised::from);
    Outcome::Committed {
        group: group.to_owned(),
        offsets: done.committed,
        refused: done.refused,
        raised,
    }
}

pub(super) fn blank_group_id() -> Error {
    Error::client_code(
        ErrorCode::InvalidGroupId,
        "The configured group.id should not be an empty string or whitespace.",
    )
    .with_hint("Give the group an id, such as billing.")
}

fn no_group(id: &str) -> Error {
    Error::code_alone(ErrorCode::GroupIdNotFound).with_hint(format!("There is no group {id:?}."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Command;
    use crate::group::OffsetReset;

    /// A cluster with a topic `t` and a member `m` that reads it in `g`.
    fn cluster() -> Cluster {
        let mut cluster = Cluster::new(7);
        cluster.apply(&Command::create_topic("t", 2), 0).unwrap();
        cluster.apply(&Command::join("g", "m", "t", OffsetReset::Earliest), 0).unwrap();
        cluster
    }

    #[test]
    fn offsets_of_a_partition_that_is_not_there_are_deleted_in_the_broker_s_words() {
        let mut cluster = cluster();
        for topic in ["t:5", "nope:0", "a b:0"] {
            let (group, topics) = ("g".to_owned(), vec![topic.to_owned()]);
            let error = cluster.apply(&Command::DeleteOffsets { group, topics }, 0).unwrap_err();
            assert_eq!(error.code(), Some(3), "{topic}");
            assert_eq!(error.message(), ErrorCode::UnknownTopicOrPartition.message(), "{topic}");
        }
    }

    #[test]
    fn nobody_is_removed_from_a_group_without_members_or_none() {
        let mut cluster = cluster();
        let remove = |cluster: &mut Cluster, group: &str| {
            cluster.apply(&Command::RemoveMembers { group: group.to_owned() }, 0)
        };
        remove(&mut cluster, "g").unwrap();
        let empty = remove(&mut cluster, "g").unwrap_err();
        assert_eq!(empty.message(), "leaving members should not be empty");
        let none = remove(&mut cluster, "nope").unwrap_err();
        assert_eq!(none.name(), "KafkaException");
        assert!(none.message().ends_with("when trying to get members from group: nope"));
    }
}
