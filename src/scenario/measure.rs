//! Measures what an expectation is about. Nothing is changed by it.

use std::collections::BTreeMap;

use super::expect::Measure;
use super::value::Value;
use crate::cluster::Cluster;
use crate::command::Produce;
use crate::group::{Group, TopicPartition};
use crate::insight::{KeyCensus, split, what_if};
use crate::log::RecordView;
use crate::outcome::{Outcome, PolledRecord};
use crate::topic::{Partition, Topic};
use crate::view::{self, Destination};
use crate::{Bytes, Session};

/// What members were given by their polls.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Reads {
    by_member: BTreeMap<(String, String), Vec<PolledRecord>>,
}

impl Reads {
    /// Keeps what an outcome says of them.
    pub(super) fn note(&mut self, outcome: &Outcome) {
        if let Outcome::Polled { group, member, records, .. } = outcome {
            let key = (group.clone(), member.clone());
            self.by_member.entry(key).or_default().extend(records.iter().cloned());
        }
    }

    /// All of a session, done once more from its beginning.
    pub(super) fn of(session: &Session) -> Result<Self, String> {
        let mut reads = Self::default();
        if session.history().forgotten() > 0 {
            return Err("The first steps of the history are no longer kept.".to_owned());
        }
        let mut cluster = Cluster::new(session.seed());
        for step in session.history().done() {
            let outcome = cluster.apply(&step.command, step.at_ms);
            reads.note(&outcome.map_err(|error| error.message().to_owned())?);
        }
        Ok(reads)
    }

    fn of_member(&self, group: &str, member: &str) -> &[PolledRecord] {
        self.by_member.get(&(group.to_owned(), member.to_owned())).map_or(&[], Vec::as_slice)
    }
}

/// Whether it needs to be known what members have read.
pub(super) fn needs_reads(measure: &Measure) -> bool {
    matches!(
        measure,
        Measure::Read(..) | Measure::ReadKeys(..) | Measure::ReadValues(..) | Measure::ReadAgain(_)
    )
}

/// What there is; or why it cannot be said.
pub(super) fn measure(
    of: &Measure,
    cluster: &Cluster,
    reads: &Reads,
    now_ms: i64,
) -> Result<Value, String> {
    let topic = |name: &str| cluster.topic(name).ok_or(format!("There is no topic {name}."));
    let group = |id: &str| cluster.group(id).ok_or(format!("There is no group {id}."));
    let consumer = |id: &str, name: &str| {
        let by_hand = cluster.by_hand().find(|(of, member, _)| *of == id && *member == name);
        match by_hand {
            Some((_, _, consumer)) => Ok(consumer),
            None => {
                let member = group(id)?.members.get(name);
                member.ok_or(format!("The group {id} has no member {name}."))
            }
        }
    };
    let partition = |at: &TopicPartition| partition_of(cluster, at);
    Ok(match of {
        Measure::Topics => names(cluster.topics().map(|(name, _)| name)),
        Measure::Groups => names(cluster.groups().map(|(id, _)| id)),
        Measure::Clock => Value::Time(cluster.clock(now_ms)),
        Measure::Partitions(name) => Value::Whole(topic(name)?.partition_count().into()),
        Measure::Config(name, config) => view::configs(topic(name)?)
            .into_iter()
            .find(|entry| entry.name == config)
            .map(|entry| Value::name(entry.value))
            .ok_or(format!("Kafka has no config {config} of a topic."))?,
        Measure::Records(name, None) => {
            let counts = topic(name)?.partitions.iter().map(|one| one.log.record_count());
            Value::Whole(counts.sum::<u64>() as i64)
        }
        Measure::Records(name, Some(number)) => {
            let at = TopicPartition::new(name, *number);
            Value::Whole(partition(&at)?.log.record_count() as i64)
        }
        Measure::Bytes(name, None) => {
            let sizes = topic(name)?.partitions.iter().map(|one| one.log.size_in_bytes());
            Value::Whole(sizes.sum::<u64>() as i64)
        }
        Measure::Bytes(name, Some(number)) => {
            let at = TopicPartition::new(name, *number);
            Value::Whole(partition(&at)?.log.size_in_bytes() as i64)
        }
        Measure::DistinctKeys(name) => {
            Value::Whole(census(topic(name)?)?.stats(name, 0).distinct as i64)
        }
        Measure::SplitKeys(name) => {
            Value::Whole(split::count_split_keys(&census(topic(name)?)?) as i64)
        }
        Measure::Skew(name) => Value::Number(census(topic(name)?)?.skew()),
        Measure::Moved(name, from, to) => {
            let census = census(topic(name)?)?;
            let answer = what_if(&census, name, *from, *to, 0);
            Value::Whole(answer.map_err(|error| error.message().to_owned())?.keys.moving.into())
        }
        Measure::PartitionOf { topic: name, key, partitioner } => {
            topic(name)?;
            if let Some(id) = partitioner
                && !view::partitioners().iter().any(|known| known.id == id)
            {
                return Err(format!("There is no partitioner {id}."));
            }
            let draft = Produce {
                topic: name.clone(),
                key: key.clone(),
                value: Some(Bytes::default()),
                ..Produce::default()
            };
            let placement = view::placement(cluster, &draft, now_ms);
            let of_client = partitioner.as_ref().and_then(|id| {
                let mut others = placement.others.iter();
                others.find(|other| other.partitioner == id).map(|other| &other.destination)
            });
            match of_client.or(placement.destination.as_ref()) {
                Some(Destination { kind: "fixed", partition: Some(partition) }) => {
                    Value::Whole((*partition).into())
                }
                _ => Value::None,
            }
        }
        Measure::Leader(at) => Value::Whole(partition(at)?.leader().into()),
        Measure::LogStartOffset(at) => Value::Whole(partition(at)?.log.log_start_offset()),
        Measure::HighWatermark(at) => Value::Whole(partition(at)?.log.high_watermark()),
        Measure::LogEndOffset(at) => Value::Whole(partition(at)?.log.log_end_offset()),
        Measure::Segments(at) => Value::Whole(partition(at)?.log.segments().len() as i64),
        Measure::Replicas(at) => {
            let replicas = partition(at)?.replicas.iter();
            Value::List(replicas.map(|id| Value::Whole((*id).into())).collect())
        }
        Measure::LastStableOffset(at) => Value::Whole(partition(at)?.log.last_stable_offset()),
        Measure::Batches(at) => {
            let log = &partition(at)?.log;
            Value::Whole(log.batches_from(log.log_start_offset()).count() as i64)
        }
        Measure::OffsetForTime(at, ms) => {
            let found = partition(at)?.log.offset_for_timestamp(*ms);
            found.map_or(Value::None, |(offset, _)| Value::Whole(offset))
        }
        Measure::Offsets(at) => records(partition(at)?, |record| Value::Whole(record.offset)),
        Measure::Keys(at) => records(partition(at)?, |record| bytes(record.key)),
        Measure::Values(at) => records(partition(at)?, |record| bytes(record.value)),
        Measure::Key(at, offset) => {
            record(partition(at)?, at, *offset, |record| bytes(record.key))?
        }
        Measure::ValueOf(at, offset) => {
            record(partition(at)?, at, *offset, |record| bytes(record.value))?
        }
        Measure::Timestamp(at, offset) => {
            record(partition(at)?, at, *offset, |record| Value::Time(record.timestamp))?
        }
        Measure::Header(name, at, offset) => record(partition(at)?, at, *offset, |record| {
            let header = record.headers().find(|header| header.key == name.as_bytes());
            header.map(|header| bytes(header.value))
        })?
        .ok_or(format!("The record has no header {name}."))?,
        Measure::Compression(at, offset) => {
            let found = partition(at)?.log.record(*offset);
            let (batch, _) = found.ok_or(format!("There is no record at {at}@{offset}."))?;
            match batch.header().compression().to_string() {
                none if none == "none" => Value::None,
                codec => Value::name(codec),
            }
        }
        Measure::State(id) => Value::name(group(id)?.state()),
        Measure::Generation(id) => Value::Whole(group(id)?.generation.into()),
        Measure::Members(id) => names(group(id)?.members.keys().map(String::as_str)),
        Measure::Assignment(id, member) => {
            let member = consumer(id, member)?;
            let mut assignment = member.assignment.clone();
            assignment.sort();
            Value::List(assignment.into_iter().map(Value::Partition).collect())
        }
        Measure::Assignor(id) => match group(id)?.assignor_name() {
            "" => Value::None,
            name => Value::name(name),
        },
        Measure::Paused(id, member) => {
            let held = consumer(id, member)?;
            Value::List(held.paused.iter().cloned().map(Value::Partition).collect())
        }
        Measure::Owner(id, at) => group(id)?.owner(at).map_or(Value::None, Value::name),
        Measure::Committed(id, at) => whole(group(id)?.committed.get(at)),
        Measure::Position(id, at) => {
            let held = group(id)?;
            let owner = held.owner(at).and_then(|owner| held.members.get(owner));
            whole(owner.and_then(|owner| owner.positions.get(at)))
        }
        Measure::Lag(id, name, number) => lag(group(id)?, topic(name)?, name, *number),
        Measure::Read(id, member) => {
            let at = |record: &PolledRecord| {
                let place = TopicPartition::new(&record.topic, record.partition);
                Value::Offset(place, record.offset)
            };
            Value::List(reads.of_member(id, member).iter().map(at).collect())
        }
        Measure::ReadKeys(id, member) => {
            let key = |record: &PolledRecord| bytes(record.key.as_deref().map(Vec::as_slice));
            Value::List(reads.of_member(id, member).iter().map(key).collect())
        }
        Measure::ReadValues(id, member) => {
            let value = |record: &PolledRecord| bytes(record.value.as_deref().map(Vec::as_slice));
            Value::List(reads.of_member(id, member).iter().map(value).collect())
        }
        Measure::ReadAgain(id) => {
            let of_group = reads.by_member.iter().filter(|((group, _), _)| group == id);
            let again = of_group.flat_map(|(_, records)| records).filter(|record| record.again);
            Value::Whole(again.count() as i64)
        }
    })
}

fn names<'a>(names: impl Iterator<Item = &'a str>) -> Value {
    Value::List(names.map(Value::name).collect())
}

fn whole(number: Option<&i64>) -> Value {
    number.map_or(Value::None, |number| Value::Whole(*number))
}

fn bytes(bytes: Option<&[u8]>) -> Value {
    Value::Bytes(bytes.map(Bytes::from))
}

fn partition_of<'a>(cluster: &'a Cluster, at: &TopicPartition) -> Result<&'a Partition, String> {
    cluster
        .topic(&at.topic)
        .and_then(|topic| topic.partition(at.partition))
        .ok_or(format!("There is no partition {at}."))
}

fn records(partition: &Partition, of: impl Fn(&RecordView<'_>) -> Value) -> Value {
    let log = &partition.log;
    Value::List(log.records_from(log.log_start_offset()).map(|record| of(&record)).collect())
}

fn record<T>(
    partition: &Partition,
    at: &TopicPartition,
    offset: i64,
    of: impl Fn(&RecordView<'_>) -> T,
) -> Result<T, String> {
    let found = partition.log.record(offset);
    found.map(|(_, record)| of(&record)).ok_or(format!("There is no record at {at}@{offset}."))
}

fn census(topic: &Topic) -> Result<KeyCensus, String> {
    let mut census = KeyCensus::new();
    let updated = census.update(topic.partitions.iter().map(|partition| &partition.log));
    updated.map_err(|error| error.message().to_owned())?;
    Ok(census)
}

/// As Kafka's tool: a partition without a commit has none, and adds nothing to a sum.
fn lag(group: &Group, topic: &Topic, name: &str, only: Option<i32>) -> Value {
    let lags = (0..).zip(&topic.partitions).filter_map(|(number, partition)| {
        let committed = group.committed.get(&TopicPartition::new(name, number))?;
        (only.is_none() || only == Some(number)).then(|| partition.log.high_watermark() - committed)
    });
    lags.reduce(|sum, lag| sum + lag).map_or(Value::None, Value::Whole)
}
