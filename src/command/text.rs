//! A command as a line of a scenario, which reads it back: see `docs/scenarios.md`.
//!
//! Nothing is left out, so that a history is a scenario. A new command has to get its line here,
//! and its reader in `crate::scenario`.

use std::fmt;

use super::{Command, LogEnd, Produce, SeekTo};
use crate::Bytes;
use crate::generate::{GenerateSpec, KEY_NUMBER};
use crate::group::assignor::Assignor;
use crate::group::{
    AUTO_COMMIT_INTERVAL_MS, ConsumerConfig, GroupProtocol, MAX_PARTITION_FETCH_BYTES,
    MAX_POLL_RECORDS, PartitionOffset, ResetTo, TopicPattern,
};
use crate::scenario::{Place, Setting, Value, Word, print_span};
use crate::topic::{AlterConfigOp, ConfigOp, ReplicaAssignment};

/// One line of a scenario.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CreateTopic { name, partitions, replication_factor, configs } => {
                write!(f, "topic {}", Word(name))?;
                optional(f, "partitions", partitions.as_ref())?;
                optional(f, "replication-factor", replication_factor.as_ref())?;
                configs
                    .iter()
                    .try_for_each(|(name, value)| write!(f, " {}={}", Setting(name), Value(value)))
            }
            Self::CreateAssignedTopic { name, assignments, configs } => {
                write!(f, "topic {}", Word(name))?;
                write!(f, " assignment={}", Value(&ReplicaAssignment::print(assignments)))?;
                configs
                    .iter()
                    .try_for_each(|(name, value)| write!(f, " {}={}", Setting(name), Value(value)))
            }
            Self::DeleteTopic { name } => write!(f, "delete-topic {}", Word(name)),
            Self::CreatePartitions { topic, total } => {
                write!(f, "partitions {} {total}", Word(topic))
            }
            Self::CreateAssignedPartitions { topic, total, assignments } => {
                let rows = (0..).zip(assignments);
                let rows = rows.map(|(partition, replicas)| ReplicaAssignment {
                    partition,
                    replicas: replicas.clone(),
                });
                let rows = ReplicaAssignment::print(&rows.collect::<Vec<_>>());
                write!(f, "partitions {} {total} assignment={}", Word(topic), Value(&rows))
            }
            Self::Produce(record) => record.fmt(f),
            Self::ProduceMany { topic, producer, partitioner, records } => {
                write!(f, "produce-many {}", Word(topic))?;
                optional(f, "producer", producer.as_deref().map(Value))?;
                optional(f, "partitioner", partitioner.as_deref().map(Value))?;
                crate::scenario::write_records(f, records)
            }
            Self::Generate { topic, producer, partitioner, spec } => {
                write!(f, "produce {} count={}", Word(topic), spec.count)?;
                generated(f, spec)?;
                optional(f, "producer", producer.as_deref().map(Value))?;
                optional(f, "partitioner", partitioner.as_deref().map(Value))
            }
            Self::CopyLog { topic, partition, segments } => {
                write!(f, "copy-log {}", Place(topic, *partition))?;
                crate::scenario::write_files(f, segments)
            }
            Self::CopyLogs { to, segments } => {
                f.write_str("copy-log")?;
                let mut sets = segments.iter();
                to.iter().try_for_each(|at| {
                    let files = sets.next().and_then(Result::ok).unwrap_or_default();
                    write!(f, " {}", Place(&at.topic, at.partition))?;
                    crate::scenario::write_files(f, &files)
                })
            }
            Self::CreateProducer { producer, partitioner, configs } => {
                write!(f, "producer {}", Word(producer))?;
                optional(f, "partitioner", partitioner.as_deref().map(Value))?;
                configs
                    .iter()
                    .try_for_each(|(name, value)| write!(f, " {}={}", Setting(name), Value(value)))
            }
            Self::CloseProducer { producer } => write!(f, "close-producer {}", Word(producer)),
            Self::KillProducer { producer } => write!(f, "kill-producer {}", Word(producer)),
            Self::Retry { producer } => {
                f.write_str("retry")?;
                optional(f, "producer", producer.as_deref().map(Value))
            }
            Self::InitTransactions { producer } => {
                write!(f, "init-transactions {}", Word(producer))
            }
            Self::BeginTransaction { producer } => {
                write!(f, "begin-transaction {}", Word(producer))
            }
            Self::SendOffsets { producer, group, member, offsets } => {
                write!(f, "send-offsets {}", Word(producer))?;
                who(f, "", group, member)?;
                places(f, offsets.as_deref())
            }
            Self::CommitTransaction { producer } => {
                write!(f, "commit-transaction {}", Word(producer))
            }
            Self::AbortTransaction { producer } => {
                write!(f, "abort-transaction {}", Word(producer))
            }
            Self::Join { group, member, config } => {
                who(f, "join", group, member)?;
                if !config.topics.is_empty() || config.pattern.is_none() {
                    f.write_str(if config.topics.is_empty() { " no-topics" } else { " " })?;
                    f.write_str(&listed(&config.topics))?;
                }
                consumer(f, config)
            }
            Self::Assign { group, member, partitions, config } => {
                who(f, "assign", group, member)?;
                f.write_str(if partitions.is_empty() { " nothing" } else { " " })?;
                let places = partitions.iter().map(|at| Place(&at.topic, at.partition).to_string());
                f.write_str(&places.collect::<Vec<_>>().join(","))?;
                if *config == ConsumerConfig::default() { Ok(()) } else { consumer(f, config) }
            }
            Self::Leave { group, member } => who(f, "leave", group, member),
            Self::Subscribe { group, member, topics, pattern: None } if topics.is_empty() => {
                who(f, "unsubscribe", group, member)
            }
            Self::Subscribe { group, member, topics, pattern } => {
                who(f, "subscribe", group, member)?;
                f.write_str(if topics.is_empty() { "" } else { " " })?;
                f.write_str(&listed(topics))?;
                subscribed_pattern(f, pattern.as_ref())
            }
            Self::EnforceRebalance { group, member } => who(f, "enforce-rebalance", group, member),
            Self::ExceedPollInterval { group, member } => {
                who(f, "exceed-poll-interval", group, member)
            }
            Self::RemoveMembers { group } => write!(f, "remove-members {}", Word(group)),
            Self::Crash { group, member } => who(f, "crash", group, member),
            Self::Restart { group, member } => who(f, "restart", group, member),
            Self::Poll { group, member, max_records } => {
                who(f, "poll", group, member)?;
                optional(f, "max", max_records.as_ref())
            }
            Self::Commit { group, member, offsets } => {
                who(f, "commit", group, member)?;
                places(f, offsets.as_deref())
            }
            Self::Seek { group, member, topic, partition, to } => {
                who(f, "seek", group, member)?;
                write!(f, " {} ", Place(topic, *partition))?;
                match to {
                    SeekTo::Offset(offset) => write!(f, "{offset}"),
                    SeekTo::End(LogEnd::Beginning) => f.write_str("beginning"),
                    SeekTo::End(LogEnd::End) => f.write_str("end"),
                }
            }
            Self::Pause { group, member, topic, partition } => {
                who(f, "pause", group, member)?;
                write!(f, " {}", Place(topic, *partition))
            }
            Self::Resume { group, member, topic, partition } => {
                who(f, "resume", group, member)?;
                write!(f, " {}", Place(topic, *partition))
            }
            Self::RefreshMetadata { group } => write!(f, "refresh-metadata {}", Word(group)),
            Self::ResetOffsets { group, topics, to } => {
                write!(f, "reset-offsets {}", Word(group))?;
                match topics.as_deref() {
                    None if matches!(to, ResetTo::File { .. }) => {}
                    None => f.write_str(" all-topics")?,
                    Some([]) => f.write_str(" no-topics")?,
                    Some(topics) => {
                        topics.iter().try_for_each(|name| write!(f, " {}", Value(name)))?
                    }
                }
                match to {
                    ResetTo::Earliest => f.write_str(" to-earliest"),
                    ResetTo::Latest => f.write_str(" to-latest"),
                    ResetTo::Current => f.write_str(" to-current"),
                    ResetTo::Offset { offset } => write!(f, " to-offset={offset}"),
                    ResetTo::Shift { by } => write!(f, " shift-by={by}"),
                    ResetTo::Datetime { datetime } => write!(f, " to-datetime={}", Value(datetime)),
                    ResetTo::Duration { duration } => write!(f, " by-duration={}", Value(duration)),
                    ResetTo::File { csv } => write!(f, " from-file={csv:?}"),
                }
            }
            Self::DeleteOffsets { group, topics } => {
                write!(f, "delete-offsets {}", Word(group))?;
                topics.iter().try_for_each(|name| write!(f, " {}", Value(name)))
            }
            Self::DeleteGroup { group } => write!(f, "delete-group {}", Word(group)),
            Self::SeekToTimestamp { group, member, timestamp } => {
                who(f, "seek", group, member)?;
                write!(f, " timestamp={timestamp}")
            }
            Self::AlterConfigs { topic, ops } => {
                write!(f, "configs {}", Word(topic))?;
                ops.iter().try_for_each(|op| change(f, op))
            }
            Self::DeleteRecords { topic, partition, before } => {
                write!(f, "delete-records {} before={before}", Place(topic, *partition))
            }
            Self::RunRetention { topic } => {
                f.write_str("retention")?;
                topic.iter().try_for_each(|topic| write!(f, " {}", Word(topic)))
            }
            Self::RunCleaner { topic } => {
                f.write_str("compaction")?;
                topic.iter().try_for_each(|topic| write!(f, " {}", Word(topic)))
            }
            Self::AdvanceClock { ms } => write!(f, "clock {}", print_span(*ms)),
            Self::Tick => f.write_str("tick"),
        }
    }
}

impl fmt::Display for Produce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, self.timestamp.as_ref())
    }
}

impl Produce {
    /// The line, with a timestamp that may be written in another way.
    pub(crate) fn write(
        &self,
        f: &mut fmt::Formatter<'_>,
        timestamp: Option<impl fmt::Display>,
    ) -> fmt::Result {
        write!(f, "produce {}", Word(&self.topic))?;
        optional(f, "producer", self.producer.as_deref().map(Value))?;
        optional(f, "partitioner", self.partitioner.as_deref().map(Value))?;
        optional(f, "partition", self.partition.as_ref())?;
        optional(f, "timestamp", timestamp)?;
        write!(f, " key={} value={}", OrNone(self.key.as_ref()), OrNone(self.value.as_ref()))?;
        self.headers
            .iter()
            .try_for_each(|header| header_item(f, &header.key, header.value.as_ref()))
    }
}

/// ` header trace="a1"`
pub(crate) fn header_item(
    f: &mut fmt::Formatter<'_>,
    key: &Bytes,
    value: Option<&Bytes>,
) -> fmt::Result {
    match std::str::from_utf8(key) {
        Ok(text) => write!(f, " header {}={}", Word(text), OrNone(value)),
        Err(_) => write!(f, " header {key}={}", OrNone(value)),
    }
}

/// Bytes, or the word `none`.
pub(crate) struct OrNone<'a>(pub(crate) Option<&'a Bytes>);

impl fmt::Display for OrNone<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("none"),
            Some(bytes) => bytes.fmt(f),
        }
    }
}

/// Offsets, or the word `nothing` for none of them.
fn places(f: &mut fmt::Formatter<'_>, offsets: Option<&[PartitionOffset]>) -> fmt::Result {
    match offsets {
        None => Ok(()),
        Some([]) => f.write_str(" nothing"),
        Some(offsets) => offsets.iter().try_for_each(|at| {
            write!(f, " {}={}", Place(&at.topic, at.partition), at.offset)?;
            if let Some(epoch) = at.leader_epoch {
                write!(f, " epoch {epoch}")?;
            }
            if at.metadata.is_empty() {
                return Ok(());
            }
            write!(f, " metadata {:?}", at.metadata)
        }),
    }
}

fn who(f: &mut fmt::Formatter<'_>, verb: &str, group: &str, member: &str) -> fmt::Result {
    write!(f, "{verb} {} {}", Word(group), Word(member))
}

/// `keys="user_{1..50}"`, and the rest of a rule.
fn generated(f: &mut fmt::Formatter<'_>, spec: &GenerateSpec) -> fmt::Result {
    let GenerateSpec { count: _, keys, skew, value_bytes, seed, key_pattern } = spec;
    let simple = key_pattern.as_deref().and_then(|pattern| match pattern.split_once(KEY_NUMBER) {
        Some((before, behind)) => Some(format!("{before}{{1..{keys}}}{behind}"))
            .filter(|_| *keys > 0 && !format!("{before}{behind}").contains(['{', '}'])),
        None => Some(pattern.to_owned()).filter(|_| *keys == 1 && !pattern.contains(['{', '}'])),
    });
    match (key_pattern, simple) {
        (_, Some(simple)) => write!(f, " keys={simple:?}")?,
        (Some(pattern), None) => write!(f, " keys={keys} key-pattern={pattern:?}")?,
        (None, None) => write!(f, " keys={keys}")?,
    }
    if *skew != 0.0 {
        write!(f, " skew={skew}")?;
    }
    write!(f, " value-bytes={value_bytes} seed={seed}")
}

/// What a consumer subscribes to, and how it is set up.
fn listed(topics: &[String]) -> String {
    let topics: Vec<String> = topics.iter().map(|topic| Word(topic).to_string()).collect();
    topics.join(",")
}

/// ` pattern=orders.*`, or ` re2=` where the broker matches.
fn subscribed_pattern(f: &mut fmt::Formatter<'_>, pattern: Option<&TopicPattern>) -> fmt::Result {
    pattern.map_or(Ok(()), |pattern| optional(f, pattern.word(), Some(Value(pattern.text()))))
}

fn consumer(f: &mut fmt::Formatter<'_>, config: &ConsumerConfig) -> fmt::Result {
    let ConsumerConfig {
        topics: _,
        pattern,
        auto_offset_reset,
        protocol,
        remote_assignor,
        assignors,
        instance_id,
        auto_commit,
        auto_commit_interval_ms,
        session_timeout_ms,
        heartbeat_interval_ms,
        max_poll_interval_ms,
        max_poll_records,
        max_partition_fetch_bytes,
        isolation_level,
    } = config;
    subscribed_pattern(f, pattern.as_ref())?;
    write!(f, " reset={auto_offset_reset}")?;
    optional(f, "protocol", Some(protocol).filter(|one| **one != GroupProtocol::Classic))?;
    optional(f, "remote-assignor", remote_assignor.as_deref().map(Value))?;
    if *assignors != Assignor::DEFAULT {
        let names: Vec<&str> = assignors.iter().map(|assignor| assignor.name()).collect();
        f.write_str(if names.is_empty() { " assignors=none" } else { " assignors=" })?;
        f.write_str(&names.join(","))?;
    }
    optional(f, "instance", instance_id.as_deref().map(Value))?;
    f.write_str(if *auto_commit { " auto-commit" } else { "" })?;
    let interval = Some(auto_commit_interval_ms).filter(|ms| **ms != AUTO_COMMIT_INTERVAL_MS);
    optional(f, "auto.commit.interval.ms", interval)?;
    optional(f, "session.timeout.ms", session_timeout_ms.as_ref())?;
    optional(f, "heartbeat.interval.ms", heartbeat_interval_ms.as_ref())?;
    optional(f, "max.poll.interval.ms", max_poll_interval_ms.as_ref())?;
    let records = Some(max_poll_records).filter(|most| **most != MAX_POLL_RECORDS);
    optional(f, "max.poll.records", records)?;
    let fetch =
        Some(max_partition_fetch_bytes).filter(|bytes| **bytes != MAX_PARTITION_FETCH_BYTES);
    optional(f, "max-partition-fetch", fetch)?;
    let isolation = Some(isolation_level).filter(|level| !level.is_default());
    optional(f, "isolation", isolation.map(|level| level.name()))
}

fn change(
    f: &mut fmt::Formatter<'_>,
    AlterConfigOp { op, name, value }: &AlterConfigOp,
) -> fmt::Result {
    let name = Setting(name);
    let sign = match op {
        ConfigOp::Delete if value.is_none() => return write!(f, " delete {name}"),
        ConfigOp::Delete => {
            return write!(f, " delete {name}={}", Value(value.as_deref().unwrap_or_default()));
        }
        ConfigOp::Set => "=",
        ConfigOp::Append => "+=",
        ConfigOp::Subtract => "-=",
    };
    match value {
        Some(value) => write!(f, " {name}{sign}{}", Value(value)),
        None => write!(f, " {name}{sign}none"),
    }
}

fn optional(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    value: Option<impl fmt::Display>,
) -> fmt::Result {
    value.map_or(Ok(()), |value| write!(f, " {name}={value}"))
}

/// The longest line that a list of steps shows whole, in bytes.
pub const MAX_BRIEF_BYTES: usize = 1_000;

impl Command {
    /// The line of [`Display`](fmt::Display), cut where it is long; and whether it is whole.
    ///
    /// ```
    /// use loglanes::Command;
    ///
    /// let long = Command::produce("orders", None, Some(&[b'a'; 10_000]));
    /// let (line, is_whole) = long.brief();
    /// assert!(line.starts_with("produce orders key=none value=\"aaa") && line.len() < 1_100);
    /// assert!(!is_whole && long.to_string().len() > 10_000);
    /// ```
    #[must_use]
    pub fn brief(&self) -> (String, bool) {
        use fmt::Write as _;
        if let Self::ProduceMany { topic, producer, partitioner, records } = self
            && records.bytes().len() > MAX_BRIEF_BYTES
        {
            let mut line = format!("produce-many {}", Word(topic));
            for (name, value) in [("producer", producer), ("partitioner", partitioner)] {
                if let Some(value) = value {
                    line += &format!(" {name}={}", Value(value));
                }
            }
            return (format!("{line} … ({} records)", records.len()), false);
        }
        if let Self::CopyLog { topic, partition, segments } = self
            && segments.bytes().len() > MAX_BRIEF_BYTES
        {
            let (place, bytes) = (Place(topic, *partition), segments.bytes().len());
            return (format!("copy-log {place} … ({bytes} bytes)"), false);
        }
        if let Self::CopyLogs { to, segments } = self
            && segments.bytes().len() > MAX_BRIEF_BYTES
        {
            let (first, bytes) = (to.first(), segments.bytes().len());
            let first = first.map(|at| Place(&at.topic, at.partition).to_string());
            let first = first.unwrap_or_default();
            return (format!("copy-log {first} … ({} partitions, {bytes} bytes)", to.len()), false);
        }
        let mut line = Limited(String::new());
        if write!(line, "{self}").is_ok() { (line.0, true) } else { (line.0 + "…", false) }
    }
}

/// Takes so much and no more.
struct Limited(String);

impl fmt::Write for Limited {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        let room = MAX_BRIEF_BYTES - self.0.len();
        if part.len() <= room {
            self.0.push_str(part);
            return Ok(());
        }
        let end = (0..=room).rev().find(|&end| part.is_char_boundary(end)).unwrap_or(0);
        self.0.push_str(part.get(..end).unwrap_or_default());
        Err(fmt::Error)
    }
}
