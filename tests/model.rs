//! The cluster against a naive model of it: vectors and maps, and the rules as they are written
//! down in Kafka's documentation and answers, said a second time without any care for speed.
//!
//! After every command both have answered the same, and are in the same state. Where a keyless
//! record goes is a matter of chance; the model takes it from the cluster's answer.
#![cfg(not(target_arch = "wasm32"))]

use std::collections::{BTreeMap, BTreeSet};

use loglanes::group::{ConsumerConfig, OffsetReset, PartitionOffset};
use loglanes::view::ClusterView;
use loglanes::{Bytes, Command, LogEnd, Outcome, Produce, SeekTo, Session};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

const NOW: i64 = 1_700_000_000_000;

type At = (String, i32);

/// Code, name and text of a refusal; of Loglanes's own the name alone.
type Refused = (Option<i16>, String, String);

#[derive(Debug, Clone, PartialEq)]
struct Rec {
    timestamp: i64,
    key: Option<Vec<u8>>,
    value: Option<Vec<u8>>,
}

#[derive(Debug, Clone)]
struct Consumer {
    name: String,
    topics: BTreeSet<String>,
    reset: OffsetReset,
    dies_at: Option<i64>,
    owned: Vec<At>,
    positions: BTreeMap<At, i64>,
    /// Ends that were sought, to be found with the next poll.
    sought: BTreeMap<At, LogEnd>,
}

#[derive(Debug, Clone, Default)]
struct Consumers {
    generation: i32,
    members: Vec<Consumer>,
    committed: BTreeMap<At, i64>,
    given: BTreeMap<At, i64>,
    known: BTreeMap<String, i32>,
    looks_at: Option<i64>,
}

#[derive(Debug, Clone, Default)]
struct Model {
    clock: i64,
    topics: BTreeMap<String, Vec<Vec<Rec>>>,
    groups: BTreeMap<String, Consumers>,
}

/// What a command answers, as far as the model knows it.
#[derive(Debug, PartialEq)]
enum Answer {
    Done,
    Topic(i32),
    Grown(i32, i32),
    /// Partition (if the model can tell) and offset are looked up in the real answer.
    Sent(Option<i32>),
    Generation(i32),
    Polled(Vec<(At, i64, Rec, bool)>, Vec<(At, Option<i64>, i64)>),
    Committed(Vec<(At, i64)>),
}

fn kafka(code: i16, name: &str, text: impl Into<String>) -> Refused {
    (Some(code), name.to_owned(), text.into())
}

fn java(name: &str, text: impl Into<String>) -> Refused {
    (None, name.to_owned(), text.into())
}

fn ours() -> Refused {
    (None, "LOGLANES".to_owned(), String::new())
}

fn unknown_topic() -> Refused {
    kafka(3, "UNKNOWN_TOPIC_OR_PARTITION", "This server does not host this topic-partition.")
}

/// `(murmur2(key) & 0x7fffffff) % partitions`, in 64-bit numbers that are cut to 32 bits.
fn murmur2_partition(key: &[u8], partitions: i32) -> i32 {
    const M: u64 = 0x5bd1_e995;
    let cut = |n: u64| n & 0xffff_ffff;
    let mut h = 0x9747_b28c ^ key.len() as u64;
    let words = key.chunks_exact(4);
    let tail = words.remainder();
    for word in words {
        let mut k = u64::from(u32::from_le_bytes(word.try_into().unwrap()));
        k = cut(k * M);
        k = cut((k ^ (k >> 24)) * M);
        h = cut(h * M) ^ k;
    }
    for (place, byte) in tail.iter().enumerate().rev() {
        h ^= u64::from(*byte) << (8 * place);
    }
    if !tail.is_empty() {
        h = cut(h * M);
    }
    h = cut((h ^ (h >> 13)) * M);
    h ^= h >> 15;
    ((h & 0x7fff_ffff) % partitions as u64) as i32
}

fn is_legal(name: &str) -> bool {
    let letters = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    !name.is_empty()
        && name != "."
        && name != ".."
        && name.len() <= 249
        && name.chars().all(letters)
}

impl Model {
    fn count(&self, topic: &str) -> Option<i32> {
        self.topics.get(topic).map(|partitions| partitions.len() as i32)
    }

    fn log(&self, at: &At) -> Option<&Vec<Rec>> {
        self.topics.get(&at.0)?.get(usize::try_from(at.1).ok()?)
    }

    fn apply(&mut self, command: &Command, now: i64) -> Result<Answer, Refused> {
        let now = now + self.clock;
        match command {
            Command::CreateTopic { name, partitions, replication_factor, .. } => {
                self.create(name, *partitions, *replication_factor, now)
            }
            Command::DeleteTopic { name } => {
                if name.is_empty() {
                    let text = "The given topic name '' cannot be represented in a request.";
                    return Err(kafka(17, "INVALID_TOPIC_EXCEPTION", text));
                }
                self.topics.remove(name).ok_or_else(unknown_topic)?;
                let topics = self.topics.clone();
                for group in self.groups.values_mut() {
                    group.committed.retain(|at, _| at.0 != *name);
                    group.given.retain(|at, _| at.0 != *name);
                    if group.known.contains_key(name) {
                        group.rebalance(&topics);
                    }
                }
                Ok(Answer::Done)
            }
            Command::CreatePartitions { topic, total } => self.grow(topic, *total, now),
            Command::Produce(record) => self.produce(record, now),
            Command::AdvanceClock { ms } => {
                if *ms < 0 {
                    return Err(ours());
                }
                self.clock += ms;
                self.timers(now + ms);
                Ok(Answer::Done)
            }
            Command::Tick => {
                self.timers(now);
                Ok(Answer::Done)
            }
            Command::Join { group, member, config } => {
                self.join(group, member, &config.topics, config.auto_offset_reset)
            }
            Command::DeleteGroup { group } => {
                let found = self.groups.get(group).ok_or_else(no_group)?;
                if !found.members.is_empty() {
                    return Err(kafka(68, "NON_EMPTY_GROUP", "The group is not empty."));
                }
                self.groups.remove(group);
                Ok(Answer::Done)
            }
            Command::RefreshMetadata { group } => {
                let found = self.groups.get_mut(group).ok_or_else(no_group)?;
                found.look(&self.topics);
                Ok(Answer::Generation(found.generation))
            }
            Command::Leave { group, member } => {
                let found = self.groups.get_mut(group).ok_or_else(no_group)?;
                found.running(member)?;
                found.members.retain(|one| one.name != *member);
                found.rebalance(&self.topics);
                Ok(Answer::Generation(found.generation))
            }
            Command::Crash { group, member } => {
                let found = self.groups.get_mut(group).ok_or_else(no_group)?;
                let member = found.running(member)?;
                member.dies_at = Some(now + 45_000);
                Ok(Answer::Done)
            }
            Command::Restart { group, member } => {
                let found = self.groups.get_mut(group).ok_or_else(no_group)?;
                let old = found.member(member)?.clone();
                if old.dies_at.is_none() {
                    return Err(ours());
                }
                found.members.retain(|one| one.name != *member);
                found.rebalance(&self.topics);
                found.members.push(Consumer { dies_at: None, ..old });
                found.rebalance(&self.topics);
                Ok(Answer::Generation(found.generation))
            }
            Command::Poll { group, member, max_records } => {
                self.poll(group, member, max_records.unwrap_or(500))
            }
            Command::Commit { group, member, offsets } => self.commit(group, member, offsets),
            Command::Seek { group, member, topic, partition, to } => {
                self.seek(group, member, (topic.clone(), *partition), *to)
            }
            other => panic!("{other:?}"),
        }
    }

    fn create(
        &mut self,
        name: &str,
        partitions: Option<i32>,
        factor: Option<i16>,
        now: i64,
    ) -> Result<Answer, Refused> {
        let invalid = |text: String| Err(kafka(17, "INVALID_TOPIC_EXCEPTION", text));
        let partitions = partitions.filter(|n| *n != -1).unwrap_or(1);
        let factor = factor.filter(|n| *n != -1).unwrap_or(1);
        if partitions > 10_000 {
            let text = "Excessively large number of partitions per request.";
            return Err(kafka(44, "POLICY_VIOLATION", text));
        }
        if name.is_empty() {
            return invalid("The given topic name '' cannot be represented in a request.".into());
        }
        if name == "." || name == ".." {
            return invalid(format!("Topic name is invalid: '{name}' is not allowed"));
        }
        if !is_legal(name) {
            return invalid(format!(
                "Topic name is invalid: '{name}' contains one or more characters other than \
                 ASCII alphanumerics, '.', '_' and '-'"
            ));
        }
        if self.topics.contains_key(name) || name == "__consumer_offsets" {
            let text = format!("Topic '{name}' already exists.");
            return Err(kafka(36, "TOPIC_ALREADY_EXISTS", text));
        }
        let underscored = |name: &str| name.replace('.', "_");
        if let Some(other) = self.topics.keys().find(|at| underscored(at) == underscored(name)) {
            return invalid(format!("Topic '{name}' collides with existing topic: {other}"));
        }
        if factor < 1 {
            let text = "Replication factor must be larger than 0, or -1 to use the default value.";
            return Err(kafka(38, "INVALID_REPLICATION_FACTOR", text));
        }
        if partitions < 1 {
            let text = "Number of partitions was set to an invalid non-positive value.";
            return Err(kafka(37, "INVALID_PARTITIONS", text));
        }
        if factor > 3 {
            let text = format!(
                "Unable to replicate the partition {factor} time(s): The target replication \
                 factor of {factor} cannot be reached because only 3 broker(s) are registered or \
                 some brokers have all their log directories cordoned."
            );
            return Err(kafka(38, "INVALID_REPLICATION_FACTOR", text));
        }
        if partitions == 10_000 {
            let text = "Unable to perform excessively large batch operation.";
            return Err(kafka(44, "POLICY_VIOLATION", text));
        }
        self.topics.insert(name.to_owned(), vec![Vec::new(); partitions as usize]);
        self.changed(now);
        Ok(Answer::Topic(partitions))
    }

    fn grow(&mut self, topic: &str, total: i32, now: i64) -> Result<Answer, Refused> {
        let from = self.count(topic).ok_or_else(unknown_topic)?;
        let invalid = |text: String| Err(kafka(37, "INVALID_PARTITIONS", text));
        if total == from {
            return invalid(format!("Topic already has {from} partition(s)."));
        }
        if total < from {
            return invalid(format!(
                "The topic {topic} currently has {from} partition(s); {total} would not be an \
                 increase."
            ));
        }
        if total - from > 10_000 {
            let text = "Excessively large number of additional partitions per request.";
            return Err(kafka(44, "POLICY_VIOLATION", text));
        }
        self.topics.get_mut(topic).unwrap().resize(total as usize, Vec::new());
        self.changed(now);
        Ok(Answer::Grown(from, total))
    }

    fn produce(&mut self, record: &Produce, now: i64) -> Result<Answer, Refused> {
        if let Some(time) = record.timestamp.filter(|time| *time < 0) {
            let text = format!(
                "Invalid timestamp: {time}. Timestamp should always be non-negative or null."
            );
            return Err(java("IllegalArgumentException", text));
        }
        if let Some(number) = record.partition.filter(|number| *number < 0) {
            let text = format!(
                "Invalid partition: {number}. Partition number should always be non-negative or null."
            );
            return Err(java("IllegalArgumentException", text));
        }
        let topic = &record.topic;
        if !is_legal(topic) {
            return Err(kafka(17, "INVALID_TOPIC_EXCEPTION", format!("Invalid topics: [{topic}]")));
        }
        if topic == "__consumer_offsets" {
            let text = "The request attempted to perform an operation on an invalid topic.";
            return Err(kafka(17, "INVALID_TOPIC_EXCEPTION", text));
        }
        let Some(count) = self.count(topic) else {
            let text = format!("Topic {topic} not present in metadata after 60000 ms.");
            return Err(kafka(7, "REQUEST_TIMED_OUT", text));
        };
        if let Some(number) = record.partition.filter(|number| *number >= count) {
            let text = format!(
                "Partition {number} of topic {topic} with partition count {count} is not present \
                 in metadata after 60000 ms."
            );
            return Err(kafka(7, "REQUEST_TIMED_OUT", text));
        }
        let time = record.timestamp.unwrap_or(now);
        let (least, most) = (now - i64::MAX, now + 3_600_000);
        if time > most {
            let text = format!(
                "Timestamp {time} of message with offset 0 is out of range. The timestamp should \
                 be within [{least}, {most}]"
            );
            return Err(kafka(32, "INVALID_TIMESTAMP", text));
        }
        let key = record.key.as_deref();
        let by_key = key.map(|key| murmur2_partition(key, count));
        Ok(Answer::Sent(record.partition.or(by_key)))
    }

    /// The record is where the cluster says.
    fn store(&mut self, record: &Produce, partition: i32, now: i64) -> i64 {
        let time = record.timestamp.unwrap_or(now + self.clock);
        let log = &mut self.topics.get_mut(&record.topic).unwrap()[partition as usize];
        log.push(Rec {
            timestamp: time,
            key: record.key.as_deref().map(<[u8]>::to_vec),
            value: record.value.as_deref().map(<[u8]>::to_vec),
        });
        log.len() as i64 - 1
    }

    fn join(
        &mut self,
        id: &str,
        member: &str,
        topics: &[String],
        reset: OffsetReset,
    ) -> Result<Answer, Refused> {
        if id.trim().is_empty() {
            return Err(kafka(24, "INVALID_GROUP_ID", "The group id is invalid."));
        }
        let taken = self.groups.get(id).is_some_and(|group| group.member(member).is_ok());
        if member.is_empty() || taken {
            return Err(ours());
        }
        if topics.iter().any(|topic| topic.trim().is_empty()) {
            let text = "Topic collection to subscribe to cannot contain null or empty topic";
            return Err(java("IllegalArgumentException", text));
        }
        if topics.is_empty() {
            let text = "Consumer is not subscribed to any topics or assigned any partitions";
            return Err(java("IllegalStateException", text));
        }
        if let Some(bad) = topics.iter().find(|topic| !is_legal(topic)) {
            return Err(kafka(17, "INVALID_TOPIC_EXCEPTION", format!("Invalid topics: [{bad}]")));
        }
        let group = self.groups.entry(id.to_owned()).or_default();
        group.members.push(Consumer {
            name: member.to_owned(),
            topics: topics.iter().cloned().collect(),
            reset,
            dies_at: None,
            owned: Vec::new(),
            positions: BTreeMap::new(),
            sought: BTreeMap::new(),
        });
        group.rebalance(&self.topics);
        Ok(Answer::Generation(group.generation))
    }

    fn poll(&mut self, id: &str, name: &str, most: i32) -> Result<Answer, Refused> {
        let topics = self.clone();
        let group = self.groups.get_mut(id).ok_or_else(no_group)?;
        if most < 1 {
            let text = format!(
                "Invalid value {most} for configuration max.poll.records: Value must be at least 1"
            );
            return Err(java("ConfigException", text));
        }
        let committed = group.committed.clone();
        let member = group.running(name)?;
        let mut positions = BTreeMap::new();
        let (mut resets, mut nowhere) = (Vec::new(), Vec::new());
        for at in &member.owned {
            let end = topics.log(at).unwrap().len() as i64;
            if let Some(sought) = member.sought.get(at) {
                positions.insert(at.clone(), if *sought == LogEnd::End { end } else { 0 });
                continue;
            }
            let wanted = member.positions.get(at).or(committed.get(at)).copied();
            let is_there = wanted.is_some_and(|offset| offset >= 0 && offset <= end);
            if is_there {
                positions.insert(at.clone(), wanted.unwrap());
                continue;
            }
            let to = match (member.reset, wanted) {
                (OffsetReset::Earliest, _) => 0,
                (OffsetReset::Latest, _) => end,
                (OffsetReset::ByDuration(_), _) => panic!("the model has no clock for this"),
                (OffsetReset::None, None) => {
                    nowhere.push(format!("{}-{}", at.0, at.1));
                    continue;
                }
                (OffsetReset::None, Some(offset)) => {
                    return Err(java(
                        "OffsetOutOfRangeException",
                        format!("{offset} out of range for partition {}-{}", at.0, at.1),
                    ));
                }
            };
            resets.push((at.clone(), wanted, to));
            positions.insert(at.clone(), to);
        }
        if !nowhere.is_empty() {
            let text = format!(
                "Undefined offset with no reset policy for partitions: [{}]",
                nowhere.join(", ")
            );
            return Err(java("NoOffsetForPartitionException", text));
        }
        let mut records = Vec::new();
        let mut drained = Vec::new();
        for at in member.owned.clone() {
            let log = topics.log(&at).unwrap();
            let before = records.len();
            while records.len() < most as usize {
                let offset = positions[&at];
                let Some(record) = log.get(offset as usize) else { break };
                let again = group.given.get(&at).is_some_and(|given| offset < *given);
                records.push((at.clone(), offset, record.clone(), again));
                positions.insert(at.clone(), offset + 1);
            }
            if records.len() > before && records.len() < most as usize {
                drained.push(at);
            }
        }
        let member = group.running(name)?;
        member.positions = positions;
        member.sought.clear();
        member.owned.retain(|at| !drained.contains(at));
        member.owned.extend(drained);
        for (at, offset, _, _) in &records {
            let given = group.given.entry(at.clone()).or_insert(0);
            *given = (*given).max(offset + 1);
        }
        Ok(Answer::Polled(records, resets))
    }

    fn commit(
        &mut self,
        id: &str,
        name: &str,
        offsets: &Option<Vec<PartitionOffset>>,
    ) -> Result<Answer, Refused> {
        let topics = self.clone();
        let group = self.groups.get_mut(id).ok_or_else(no_group)?;
        let member = group.running(name)?;
        let offsets: Vec<(At, i64)> = match offsets {
            None => member.positions.clone().into_iter().collect(),
            Some(given) => {
                given.iter().map(|one| ((one.topic.clone(), one.partition), one.offset)).collect()
            }
        };
        if offsets.iter().any(|(_, offset)| *offset < 0) {
            return Err(java("IllegalArgumentException", "Invalid negative offset"));
        }
        if offsets.iter().any(|(at, _)| topics.log(at).is_none()) {
            let all: Vec<String> = offsets
                .iter()
                .map(|((topic, partition), offset)| {
                    format!(
                        "{topic}-{partition}=OffsetAndMetadata{{offset={offset}, \
                         leaderEpoch=null, metadata=''}}"
                    )
                })
                .collect();
            let text = format!(
                "Timeout of 60000ms expired before successfully committing offsets {{{}}}",
                all.join(", ")
            );
            return Err(kafka(7, "REQUEST_TIMED_OUT", text));
        }
        group.committed.extend(offsets.clone());
        Ok(Answer::Committed(offsets))
    }

    fn seek(&mut self, id: &str, name: &str, at: At, to: SeekTo) -> Result<Answer, Refused> {
        let group = self.groups.get_mut(id).ok_or_else(no_group)?;
        let member = group.running(name)?;
        if !member.owned.contains(&at) {
            let text = format!("No current assignment for partition {}-{}", at.0, at.1);
            return Err(java("IllegalStateException", text));
        }
        match to {
            SeekTo::Offset(offset) if offset < 0 => {
                let text = "seek offset must not be a negative number";
                return Err(java("IllegalArgumentException", text));
            }
            SeekTo::Offset(offset) => {
                member.sought.remove(&at);
                member.positions.insert(at, offset);
            }
            SeekTo::End(end) => {
                member.positions.remove(&at);
                member.sought.insert(at, end);
            }
        }
        Ok(Answer::Done)
    }

    /// Topics have changed: groups that have not noticed will look in five minutes.
    fn changed(&mut self, now: i64) {
        for group in self.groups.values_mut() {
            if group.members.is_empty() || group.known == group.there(&self.topics) {
                group.looks_at = None;
            } else if group.looks_at.is_none() {
                group.looks_at = Some(now + 300_000);
            }
        }
    }

    fn timers(&mut self, now: i64) {
        for group in self.groups.values_mut() {
            loop {
                let deaths = group.members.iter().filter_map(|member| member.dies_at);
                let Some(next) = deaths.chain(group.looks_at).min().filter(|at| *at <= now) else {
                    break;
                };
                let dead = group.members.iter().filter(|member| member.dies_at == Some(next));
                let dead = dead.map(|member| member.name.clone()).min();
                match dead {
                    Some(name) => {
                        group.members.retain(|member| member.name != name);
                        group.rebalance(&self.topics);
                    }
                    None => group.look(&self.topics),
                }
            }
        }
    }
}

fn no_group() -> Refused {
    kafka(69, "GROUP_ID_NOT_FOUND", "The group id does not exist.")
}

impl Consumers {
    fn member(&self, name: &str) -> Result<&Consumer, Refused> {
        self.members.iter().find(|member| member.name == name).ok_or_else(|| {
            let text = "The coordinator is not aware of this member.";
            kafka(25, "UNKNOWN_MEMBER_ID", text)
        })
    }

    fn running(&mut self, name: &str) -> Result<&mut Consumer, Refused> {
        if self.member(name)?.dies_at.is_some() {
            return Err(ours());
        }
        Ok(self.members.iter_mut().find(|member| member.name == name).unwrap())
    }

    fn there(&self, topics: &BTreeMap<String, Vec<Vec<Rec>>>) -> BTreeMap<String, i32> {
        let wanted: BTreeSet<&String> = self.members.iter().flat_map(|m| &m.topics).collect();
        wanted
            .into_iter()
            .filter_map(|name| Some((name.clone(), topics.get(name)?.len() as i32)))
            .collect()
    }

    fn look(&mut self, topics: &BTreeMap<String, Vec<Vec<Rec>>>) {
        if self.known != self.there(topics) {
            self.rebalance(topics);
        }
        self.looks_at = None;
    }

    /// Range: topic by topic, each member in turn takes its share in a row, the first ones one
    /// more. Everything that a consumer knew of positions is gone.
    fn rebalance(&mut self, topics: &BTreeMap<String, Vec<Vec<Rec>>>) {
        self.generation += 1;
        self.known = self.there(topics);
        self.looks_at = None;
        // The ids that the coordinator gives begin with the name and a hyphen.
        self.members.sort_by_key(|member| format!("{}-", member.name));
        for member in &mut self.members {
            member.owned.clear();
            member.positions.clear();
            member.sought.clear();
        }
        for (topic, count) in self.known.clone() {
            let takers: Vec<usize> = (0..self.members.len())
                .filter(|at| self.members[*at].topics.contains(&topic))
                .collect();
            let mut left: Vec<i32> = (0..count).rev().collect();
            for (place, taker) in takers.iter().enumerate() {
                let still = takers.len() - place;
                // What is left, over those who are left, rounded up.
                let share = left.len().div_ceil(still);
                for _ in 0..share {
                    let partition = left.pop().unwrap();
                    self.members[*taker].owned.push((topic.clone(), partition));
                }
            }
        }
    }
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        12 => select(vec!["a", "b", "c.d", "c_d"]),
        1 => select(vec!["", "..", "a b", "__consumer_offsets", "nope"]),
    ]
    .prop_map(str::to_owned)
}

fn command() -> impl Strategy<Value = Command> {
    let partition = || prop_oneof![12 => 0..4i32, 1 => select(vec![-1, 99, i32::MIN])];
    let offset = || prop_oneof![12 => 0..15i64, 1 => select(vec![-1, i64::MAX, 1 << 53])];
    let bytes = || {
        option::of(prop_oneof![
            select(vec!["", "null", "k1", "k2", "longer key"]).prop_map(Bytes::from),
            vec(any::<u8>(), 0..12).prop_map(Bytes::from),
        ])
    };
    let count = prop_oneof![8 => 1..6i32, 1 => select(vec![0, -1, -7, 10_000, i32::MAX])];
    let factor = prop_oneof![8 => 1..4i16, 1 => select(vec![0, -1, 4])];
    let create = (name(), option::of(count), option::of(factor)).prop_map(
        |(name, partitions, replication_factor)| Command::CreateTopic {
            name,
            partitions,
            replication_factor,
            // The naive model keeps every record: what becomes of old ones has tests of its own.
            configs: [("retention.ms".to_owned(), "-1".to_owned())].into(),
        },
    );
    let time = option::weighted(0.3, select(vec![0, NOW, NOW + 9_999_999_999, -1]));
    let produce = (name(), option::weighted(0.3, partition()), time, bytes(), bytes()).prop_map(
        |(topic, partition, timestamp, key, value)| {
            Command::Produce(Produce {
                topic,
                partition,
                timestamp,
                key,
                value,
                ..Produce::default()
            })
        },
    );
    let group = prop_oneof![12 => select(vec!["g", "h"]), 1 => select(vec!["", "none"])];
    let member = prop_oneof![20 => select(vec!["m1", "m2", "m10", "M3", "é"]), 1 => Just("")];
    let resets = select(vec![OffsetReset::Earliest, OffsetReset::Latest, OffsetReset::None]);
    let to = prop_oneof![
        4 => offset().prop_map(SeekTo::Offset),
        1 => select(vec![SeekTo::End(LogEnd::Beginning), SeekTo::End(LogEnd::End)]),
    ];
    let place = (name(), partition(), offset())
        .prop_map(|(topic, partition, offset)| PartitionOffset { topic, partition, offset });
    let most = option::of(prop_oneof![10 => 1..12i32, 1 => select(vec![0, -3])]);
    let details = (vec(name(), 0..4), resets, most, option::of(vec(place, 0..4)));
    let seek = (name(), partition(), to);
    let in_group = (group, member, 0..40u32, details, seek).prop_map(
        |(group, member, kind, (topics, auto_offset_reset, max_records, offsets), seek)| {
            let (group, member) = (group.to_owned(), member.to_owned());
            let (topic, partition, to) = seek;
            match kind {
                0..=9 => {
                    let config =
                        ConsumerConfig { topics, auto_offset_reset, ..ConsumerConfig::default() };
                    Command::Join { group, member, config }
                }
                10 => Command::Leave { group, member },
                11..=12 => Command::Crash { group, member },
                13 => Command::Restart { group, member },
                14..=25 => Command::Poll { group, member, max_records },
                26..=31 => Command::Commit { group, member, offsets },
                32..=37 => Command::Seek { group, member, topic, partition, to },
                38 => Command::RefreshMetadata { group },
                _ => Command::DeleteGroup { group },
            }
        },
    );
    let total = prop_oneof![8 => 1..8i32, 1 => select(vec![0, -1, 1_000_000_000, i32::MIN])];
    let clock = prop_oneof![8 => 0..200_000i64, 1 => Just(-1)];
    prop_oneof![
        6 => create,
        1 => name().prop_map(|name| Command::DeleteTopic { name }),
        2 => (name(), total).prop_map(|(topic, total)| Command::CreatePartitions { topic, total }),
        20 => produce,
        40 => in_group,
        2 => clock.prop_map(|ms| Command::AdvanceClock { ms }),
        1 => Just(Command::Tick),
    ]
}

/// The real answer in the model's words.
fn in_the_models_words(outcome: Outcome) -> Answer {
    match outcome {
        Outcome::Done | Outcome::ClockAdvanced { .. } => Answer::Done,
        Outcome::TopicCreated { partitions, .. } => Answer::Topic(partitions),
        Outcome::PartitionsCreated { from, to, .. } => Answer::Grown(from, to),
        Outcome::Produced { partition, .. } => Answer::Sent(Some(partition)),
        Outcome::Rebalanced { generation, .. } => Answer::Generation(generation),
        Outcome::Polled { records, resets, .. } => Answer::Polled(
            records
                .into_iter()
                .map(|one| {
                    let bytes = |bytes: Option<serde_bytes::ByteBuf>| bytes.map(|b| b.into_vec());
                    let record = Rec {
                        timestamp: one.timestamp as i64,
                        key: bytes(one.key),
                        value: bytes(one.value),
                    };
                    ((one.topic, one.partition), one.offset, record, one.again)
                })
                .collect(),
            resets.into_iter().map(|one| ((one.topic, one.partition), one.from, one.to)).collect(),
        ),
        Outcome::Committed { offsets, .. } => Answer::Committed(
            offsets.into_iter().map(|one| ((one.topic, one.partition), one.offset)).collect(),
        ),
        other => panic!("{other:?}"),
    }
}

/// The real refusal in the model's words: of the out-of-range text only what the model knows.
fn refusal(error: &loglanes::Error) -> Refused {
    let mut text = error.message().to_owned();
    if error.name() == "LOGLANES" {
        text.clear();
    }
    if error.name() == "OffsetOutOfRangeException" {
        let offset = text.split_once("offset=").unwrap().1.split_once(',').unwrap().0.to_owned();
        let partition = text.rsplit_once(' ').unwrap().1.to_owned();
        text = format!("{offset} out of range for partition {partition}");
    }
    (error.code(), error.name().to_owned(), text)
}

fn same_state(session: &Session, model: &Model, now: i64) {
    let view = ClusterView::of(session, now);
    assert_eq!(view.now as i64, now + model.clock);
    let ends: BTreeMap<&str, Vec<i64>> = view
        .topics
        .iter()
        .map(|topic| {
            (topic.name.as_str(), topic.partitions.iter().map(|p| p.log_end_offset).collect())
        })
        .collect();
    let modelled: BTreeMap<&str, Vec<i64>> = model
        .topics
        .iter()
        .map(|(name, logs)| (name.as_str(), logs.iter().map(|log| log.len() as i64).collect()))
        .collect();
    assert_eq!(ends, modelled);
    assert_eq!(view.groups.len(), model.groups.len());
    for (seen, (id, group)) in view.groups.iter().zip(&model.groups) {
        assert_eq!((&seen.id, seen.generation), (id, group.generation));
        let members: Vec<&str> = seen.members.iter().map(|one| one.member.as_str()).collect();
        let mut modelled: Vec<&str> = group.members.iter().map(|m| m.name.as_str()).collect();
        modelled.sort_unstable();
        assert_eq!(members, modelled);
        for one in &seen.members {
            let member = group.member(&one.member).unwrap();
            assert_eq!(one.session_ends.map(|at| at as i64), member.dies_at);
            let owned: BTreeSet<At> = one
                .assignment
                .iter()
                .flat_map(|row| row.partitions.iter().map(|p| (row.topic.clone(), *p)))
                .collect();
            assert_eq!(owned, member.owned.iter().cloned().collect());
        }
        let owners: BTreeMap<&At, &Consumer> =
            group.members.iter().flat_map(|m| m.owned.iter().map(move |at| (at, m))).collect();
        let rows: BTreeSet<At> =
            owners.keys().copied().chain(group.committed.keys()).cloned().collect();
        assert_eq!(seen.partitions.len(), rows.len());
        for (row, at) in seen.partitions.iter().zip(&rows) {
            let end = model.log(at).unwrap().len() as i64;
            let committed = group.committed.get(at).copied();
            assert_eq!((&row.topic, row.partition), (&at.0, at.1));
            assert_eq!(row.member.as_ref(), owners.get(at).map(|owner| &owner.name));
            assert_eq!(row.committed_offset, committed);
            assert_eq!(row.lag, committed.map(|offset| end - offset));
            let position = owners.get(at).and_then(|owner| owner.positions.get(at)).copied();
            assert_eq!(row.position, position, "{at:?}");
            assert_eq!((row.log_start_offset, row.log_end_offset), (0, end));
        }
    }
}

fn same_records(session: &Session, model: &Model) {
    for (name, logs) in &model.topics {
        let topic = session.cluster().topic(name).unwrap();
        for (partition, log) in topic.partitions.iter().zip(logs) {
            let real: Vec<Rec> = partition
                .log
                .records_from(0)
                .map(|record| Rec {
                    timestamp: record.timestamp,
                    key: record.key.map(<[u8]>::to_vec),
                    value: record.value.map(<[u8]>::to_vec),
                })
                .collect();
            assert_eq!(&real, log);
            assert_eq!(partition.log.record_count(), log.len() as u64);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, max_shrink_iters: 20_000, ..Default::default() })]

    #[test]
    fn the_cluster_answers_and_stands_as_the_naive_model_does(
        seed in any::<i64>(),
        commands in vec((command(), 0..5_000i64), 1..300),
    ) {
        let (mut session, mut model, mut now) = (Session::new(seed), Model::default(), NOW);
        for (command, wait) in commands {
            now += wait;
            let expected = model.apply(&command, now);
            let real = session.apply(command.clone(), now);
            if let (Ok(Outcome::Produced { partition, offset, .. }), Ok(Answer::Sent(place))) =
                (&real, &expected)
            {
                let Command::Produce(record) = &command else { unreachable!() };
                prop_assert!(place.is_none_or(|place| place == *partition), "{:?}", command);
                prop_assert!((0..model.count(&record.topic).unwrap()).contains(partition));
                prop_assert_eq!(model.store(record, *partition, now), *offset);
            } else {
                let real = real.map(in_the_models_words).map_err(|error| refusal(&error));
                prop_assert_eq!(real, expected, "{:?}", command);
            }
            same_state(&session, &model, now);
        }
        same_records(&session, &model);
    }
}
