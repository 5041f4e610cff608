//! How long the texts and lists of an act may be, and how much of the history it takes.

use super::{Command, Produce};
use crate::Bytes;
use crate::cluster::{RECORD_OVERHEAD, record_bytes};
use crate::error::Error;
use crate::group::{ConsumerConfig, ResetTo, TopicPattern};

/// The longest id or name in an act of a group, and the longest value of a config, in bytes: a
/// string of Kafka's requests has a length of 16 bits.
pub const MAX_ID_BYTES: usize = 32_767;

/// The longest list in an act: topics of a join, offsets of a commit, changes of configs. A limit
/// of this model.
pub const MAX_LIST: usize = 10_000;

/// Whether ids and names, and a list of so many, are within [`MAX_ID_BYTES`] and [`MAX_LIST`].
pub(crate) fn check_texts<'a>(
    mut texts: impl Iterator<Item = &'a str>,
    list: usize,
) -> Result<(), Error> {
    if let Some(text) = texts.find(|text| text.len() > MAX_ID_BYTES) {
        return Err(Error::limit(
            "MAX_ID_BYTES",
            format!("An id or name has {} bytes; {MAX_ID_BYTES} are taken.", text.len()),
        )
        .with_hint("Kafka's requests hold no longer one either: choose a shorter one."));
    }
    if list > MAX_LIST {
        return Err(Error::limit(
            "MAX_LIST",
            format!("A list of {list} is too long: {MAX_LIST} are taken."),
        )
        .with_hint("Do it in several acts."));
    }
    Ok(())
}

impl ConsumerConfig {
    /// The ids and names in it, behind others, and how long its list is.
    fn texts<'a>(&'a self, before: [&'a String; 2]) -> (Vec<&'a str>, usize) {
        let Self { topics, instance_id, assignors, remote_assignor, pattern, .. } = self;
        let names = before.into_iter().chain(instance_id).chain(topics).chain(remote_assignor);
        let pattern = pattern.iter().map(TopicPattern::text);
        (names.map(String::as_str).chain(pattern).collect(), topics.len().max(assignors.len()))
    }
}

impl Command {
    /// Whether its ids and lists are within [`MAX_ID_BYTES`] and [`MAX_LIST`].
    pub(crate) fn check(&self) -> Result<(), Error> {
        let (texts, list) = self.texts();
        check_texts(texts.into_iter(), list)
    }

    /// The ids and names in it, and how long its list is; 0 without one.
    pub(crate) fn texts(&self) -> (Vec<&str>, usize) {
        match self {
            Self::Join { group, member, config } => config.texts([group, member]),
            Self::Assign { group, member, partitions, config } => {
                let (mut texts, list) = config.texts([group, member]);
                texts.extend(partitions.iter().map(|at| at.topic.as_str()));
                (texts, list.max(partitions.len()))
            }
            Self::Subscribe { group, member, topics, pattern } => {
                let names = [group, member].into_iter().chain(topics).map(String::as_str);
                let pattern = pattern.iter().map(TopicPattern::text);
                (names.chain(pattern).collect(), topics.len())
            }
            Self::CreateTopic { name, configs, .. } => {
                let texts = configs.iter().flat_map(|(name, value)| [name, value]);
                let texts = std::iter::once(name).chain(texts);
                (texts.map(String::as_str).collect(), configs.len())
            }
            Self::CreateAssignedTopic { name, assignments, configs } => {
                let texts = configs.iter().flat_map(|(name, value)| [name, value]);
                let texts = std::iter::once(name).chain(texts);
                let rows = assignments.iter().map(|row| row.replicas.len());
                let longest = rows.chain([assignments.len(), configs.len()]).max();
                (texts.map(String::as_str).collect(), longest.unwrap_or(0))
            }
            Self::CreateAssignedPartitions { topic, assignments, .. } => {
                let rows = assignments.iter().map(Vec::len);
                (vec![topic], rows.chain([assignments.len()]).max().unwrap_or(0))
            }
            Self::Produce(Produce { topic, producer, partitioner, .. })
            | Self::ProduceMany { topic, producer, partitioner, .. }
            | Self::Generate { topic, producer, partitioner, .. } => {
                let names = std::iter::once(topic).chain(producer).chain(partitioner);
                (names.map(String::as_str).collect(), 0)
            }
            Self::DeleteTopic { name: topic }
            | Self::CreatePartitions { topic, .. }
            | Self::CopyLog { topic, .. }
            | Self::DeleteRecords { topic, .. } => (vec![topic], 0),
            Self::RunRetention { topic } | Self::RunCleaner { topic } => {
                (topic.iter().map(String::as_str).collect(), 0)
            }
            Self::Leave { group, member }
            | Self::Crash { group, member }
            | Self::Restart { group, member }
            | Self::EnforceRebalance { group, member }
            | Self::ExceedPollInterval { group, member }
            | Self::Poll { group, member, .. }
            | Self::SeekToTimestamp { group, member, .. } => (vec![group, member], 0),
            Self::Seek { group, member, topic, .. }
            | Self::Pause { group, member, topic, .. }
            | Self::Resume { group, member, topic, .. } => (vec![group, member, topic], 0),
            Self::Commit { group, member, offsets } => {
                let offsets = offsets.as_deref().unwrap_or_default();
                let topics = offsets.iter().flat_map(|at| [&at.topic, &at.metadata]);
                let topics = topics.map(String::as_str);
                ([group.as_str(), member].into_iter().chain(topics).collect(), offsets.len())
            }
            Self::ResetOffsets { group, topics, .. } => {
                let topics = topics.as_deref().unwrap_or_default();
                let names = std::iter::once(group).chain(topics);
                (names.map(String::as_str).collect(), topics.len())
            }
            Self::DeleteOffsets { group, topics } => {
                let names = std::iter::once(group).chain(topics);
                (names.map(String::as_str).collect(), topics.len())
            }
            Self::CreateProducer { producer, partitioner, configs } => {
                let texts = configs.iter().flat_map(|(name, value)| [name, value]);
                let texts = std::iter::once(producer).chain(partitioner).chain(texts);
                (texts.map(String::as_str).collect(), configs.len())
            }
            Self::CloseProducer { producer }
            | Self::KillProducer { producer }
            | Self::InitTransactions { producer }
            | Self::BeginTransaction { producer }
            | Self::CommitTransaction { producer }
            | Self::AbortTransaction { producer } => (vec![producer], 0),
            Self::Retry { producer } => (producer.iter().map(String::as_str).collect(), 0),
            Self::SendOffsets { producer, group, member, offsets } => {
                let offsets = offsets.as_deref().unwrap_or_default();
                let topics = offsets.iter().map(|at| at.topic.as_str());
                let texts = [producer.as_str(), group, member].into_iter().chain(topics);
                (texts.collect(), offsets.len())
            }
            Self::RefreshMetadata { group }
            | Self::DeleteGroup { group }
            | Self::RemoveMembers { group } => (vec![group], 0),
            Self::AlterConfigs { topic, ops } => {
                let texts = ops.iter().flat_map(|op| [Some(&op.name), op.value.as_ref()]).flatten();
                let texts = std::iter::once(topic).chain(texts);
                (texts.map(String::as_str).collect(), ops.len())
            }
            Self::CopyLogs { to, .. } => {
                (to.iter().map(|at| at.topic.as_str()).collect(), to.len())
            }
            Self::AdvanceClock { .. } | Self::Tick => (Vec::new(), 0),
        }
    }

    /// How many bytes it adds to the logs at the most, but for the headers of batches.
    pub(crate) fn incoming_bytes(&self) -> u64 {
        match self {
            Self::Produce(record) => {
                let headers = record.headers.iter();
                let headers = headers.map(|each| (&each.key[..], each.value.as_deref()));
                record_bytes(record.key.as_deref(), record.value.as_deref(), headers)
            }
            Self::ProduceMany { .. } | Self::CopyLog { .. } | Self::CopyLogs { .. } => {
                self.payload().len() as u64
            }
            Self::Generate { spec, .. } => {
                let key = match (&spec.key_pattern, spec.keys) {
                    (_, 0) => 0,
                    (pattern, _) => pattern.as_ref().map_or(4, String::len) as u64 + 20,
                };
                let each = spec.value_bytes.saturating_add(key + RECORD_OVERHEAD);
                spec.count.saturating_mul(each)
            }
            _ => 0,
        }
    }

    /// How many bytes it brings, about, as the history keeps them. In JSON a byte is two digits;
    /// each header comes with some words.
    pub(crate) fn weight(&self) -> usize {
        const HEADER_WORDS: usize = 32;
        let len = |bytes: Option<&Bytes>| bytes.map_or(0, |bytes| 2 * bytes.len());
        match self {
            Self::Produce(record) => {
                let headers = record.headers.iter().map(|header| {
                    HEADER_WORDS + len(Some(&header.key)) + len(header.value.as_ref())
                });
                len(record.key.as_ref()) + len(record.value.as_ref()) + headers.sum::<usize>()
            }
            Self::ResetOffsets { to: ResetTo::File { csv }, .. } => csv.len(),
            _ => {
                let texts = self.texts().0;
                self.payload().len() + texts.iter().map(|text| text.len()).sum::<usize>()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn ids_and_lists_are_taken_up_to_their_limits() {
        let leave = |bytes: usize| {
            Command::Leave { group: "g".repeat(bytes), member: String::new() }.check()
        };
        assert!(leave(MAX_ID_BYTES).is_ok());
        assert_eq!(leave(MAX_ID_BYTES + 1).unwrap_err().name(), "MAX_ID_BYTES");
        let delete = |count: usize| Command::DeleteOffsets {
            group: "g".to_owned(),
            topics: vec!["t".to_owned(); count],
        };
        assert!(delete(MAX_LIST).check().is_ok());
        assert_eq!(delete(MAX_LIST + 1).check().unwrap_err().name(), "MAX_LIST");
        assert_eq!(delete(9).weight(), 10);
    }

    #[test]
    fn names_of_topics_and_partitioners_and_configs_have_the_same_limit() {
        let long = |bytes: usize| "n".repeat(bytes);
        let with = |name: String| {
            let configs = BTreeMap::from([("retention.ms".to_owned(), name.clone())]);
            let produce = |topic: String, producer, partitioner| {
                Command::Produce(Produce { topic, producer, partitioner, ..Produce::default() })
            };
            let mut create = Command::create_topic("t", 1);
            if let Command::CreateTopic { configs: given, .. } = &mut create {
                *given = configs;
            }
            let join = Command::Join {
                group: "g".to_owned(),
                member: "m".to_owned(),
                config: ConsumerConfig {
                    remote_assignor: Some(name.clone()),
                    ..ConsumerConfig::default()
                },
            };
            [
                Command::create_topic(&name, 1),
                create,
                Command::DeleteTopic { name: name.clone() },
                produce(name.clone(), None, None),
                produce("t".to_owned(), Some(name.clone()), None),
                produce("t".to_owned(), None, Some(name.clone())),
                Command::CreateProducer {
                    producer: "p".to_owned(),
                    partitioner: Some(name.clone()),
                    configs: BTreeMap::new(),
                },
                Command::CopyLog {
                    topic: name.clone(),
                    partition: 0,
                    segments: crate::segment_set::SegmentSet::default(),
                },
                Command::RunCleaner { topic: Some(name.clone()) },
                Command::Subscribe {
                    group: "g".to_owned(),
                    member: "m".to_owned(),
                    topics: vec![name],
                    pattern: None,
                },
                join,
            ]
        };
        for command in with(long(MAX_ID_BYTES)) {
            assert!(command.check().is_ok(), "{}", command.kind());
        }
        for command in with(long(MAX_ID_BYTES + 1)) {
            assert_eq!(command.check().unwrap_err().name(), "MAX_ID_BYTES", "{}", command.kind());
        }
        let cluster = crate::Cluster::new(7);
        let plan = |id: &str, topics: &[String]| {
            cluster.reset_plan(id, Some(topics), &ResetTo::Earliest, 0).unwrap_err().name()
        };
        assert_eq!(plan(&long(MAX_ID_BYTES + 1), &[]), "MAX_ID_BYTES");
        assert_eq!(plan("g", &[long(MAX_ID_BYTES + 1)]), "MAX_ID_BYTES");
        assert_eq!(plan("g", &vec!["t".to_owned(); MAX_LIST + 1]), "MAX_LIST");
    }
}
