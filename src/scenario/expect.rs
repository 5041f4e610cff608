//! What a line expects: something that can be measured, a relation, and what it is compared with.

use std::fmt;

use super::Problem;
use super::print::{Place, Word};
use super::reader::{Item, Reader};
use super::suggest::hint;
use super::time::print_time;
use super::value::{Kind, Value};
use crate::Bytes;
use crate::command::text::OrNone;
use crate::group::TopicPartition;

/// What is measured.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Measure {
    /// `topics`: their names.
    Topics,
    /// `groups`: their ids.
    Groups,
    /// `clock`: the cluster's.
    Clock,
    /// `partitions`: how many a topic has.
    Partitions(String),
    /// `config`: what a topic goes by.
    Config(String, String),
    /// `records`: how many lie in a topic or a partition.
    Records(String, Option<i32>),
    /// `bytes`: of the batches of a topic or a partition.
    Bytes(String, Option<i32>),
    /// `distinct-keys`: how many different keys a topic has.
    DistinctKeys(String),
    /// `split-keys`: how many keys lie in more than one partition.
    SplitKeys(String),
    /// `skew`: the fullest partition against the mean.
    Skew(String),
    /// `moved`: how many keys another number of partitions puts elsewhere.
    Moved(String, u32, u32),
    /// `partition-of`: where a client's partitioner puts a key.
    PartitionOf {
        /// The topic.
        topic: String,
        /// The key.
        key: Option<Bytes>,
        /// The partitioner's id; none: the Java client's default.
        partitioner: Option<String>,
    },
    /// `leader`: the broker that leads a partition.
    Leader(TopicPartition),
    /// `log-start-offset`
    LogStartOffset(TopicPartition),
    /// `high-watermark`
    HighWatermark(TopicPartition),
    /// `log-end-offset`
    LogEndOffset(TopicPartition),
    /// `segments`: how many.
    Segments(TopicPartition),
    /// `replicas`: the brokers that hold a partition, the leader first.
    Replicas(TopicPartition),
    /// `last-stable-offset`: up to where `read_committed` reads.
    LastStableOffset(TopicPartition),
    /// `batches`: how many.
    Batches(TopicPartition),
    /// `offset-for-time`: of the first record that is not older.
    OffsetForTime(TopicPartition, i64),
    /// `offsets`: of the records that are there.
    Offsets(TopicPartition),
    /// `keys`: of the records, in order.
    Keys(TopicPartition),
    /// `values`: of the records, in order.
    Values(TopicPartition),
    /// `key`: of one record.
    Key(TopicPartition, i64),
    /// `value`: of one record.
    ValueOf(TopicPartition, i64),
    /// `timestamp`: of one record.
    Timestamp(TopicPartition, i64),
    /// `header`: the first of that key, of one record.
    Header(String, TopicPartition, i64),
    /// `compression`: of the batch that one record is in.
    Compression(TopicPartition, i64),
    /// `state`: of a group.
    State(String),
    /// `generation`: of a group.
    Generation(String),
    /// `members`: of a group.
    Members(String),
    /// `assignment`: the partitions of a member.
    Assignment(String, String),
    /// `assignor`: by which a group deals out its partitions.
    Assignor(String),
    /// `paused`: the partitions that a member takes nothing from.
    Paused(String, String),
    /// `owner`: the member that a partition is assigned to.
    Owner(String, TopicPartition),
    /// `committed`: the next offset to read, as committed.
    Committed(String, TopicPartition),
    /// `position`: the next offset that the owner fetches.
    Position(String, TopicPartition),
    /// `lag`: of a partition, or of a topic's partitions that have a commit.
    Lag(String, String, Option<i32>),
    /// `read`: what a member was given by its polls, in that order.
    Read(String, String),
    /// `read-keys`: the keys of that.
    ReadKeys(String, String),
    /// `read-values`: the values of that.
    ReadValues(String, String),
    /// `read-again`: how many records a group was given that it had been given before.
    ReadAgain(String),
}

/// The first words of everything that can be expected.
pub const MEASURES: [&str; 44] = [
    "topics",
    "groups",
    "clock",
    "partitions",
    "config",
    "records",
    "bytes",
    "distinct-keys",
    "split-keys",
    "skew",
    "moved",
    "partition-of",
    "leader",
    "log-start-offset",
    "high-watermark",
    "log-end-offset",
    "segments",
    "replicas",
    "last-stable-offset",
    "batches",
    "offset-for-time",
    "offsets",
    "keys",
    "values",
    "key",
    "value",
    "timestamp",
    "header",
    "compression",
    "state",
    "generation",
    "members",
    "assignment",
    "assignor",
    "paused",
    "owner",
    "committed",
    "position",
    "lag",
    "read",
    "read-keys",
    "read-values",
    "read-again",
    "error",
];

/// How what is measured stands to what is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// `=`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
}

impl Relation {
    const fn sign(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::Unequal => "!=",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::More => ">",
            Self::AtLeast => ">=",
        }
    }

    /// Whether it holds. A list is compared with a number by its length.
    #[must_use]
    pub fn holds(self, measured: &Value, wanted: &Value) -> bool {
        let counted = match (measured, wanted) {
            (Value::List(values), Value::Whole(_)) => Some(Value::Whole(values.len() as i64)),
            _ => None,
        };
        let measured = counted.as_ref().unwrap_or(measured);
        let order = match (measured, wanted) {
            (Value::Whole(measured), Value::Whole(wanted)) => measured.partial_cmp(wanted),
            _ => measured.number().zip(wanted.number()).and_then(|(a, b)| a.partial_cmp(&b)),
        };
        match self {
            Self::Equal => order.map_or(measured == wanted, |order| order.is_eq()),
            Self::Unequal => order.map_or(measured != wanted, |order| order.is_ne()),
            Self::Less => order.is_some_and(|order| order.is_lt()),
            Self::AtMost => order.is_some_and(|order| order.is_le()),
            Self::More => order.is_some_and(|order| order.is_gt()),
            Self::AtLeast => order.is_some_and(|order| order.is_ge()),
        }
    }
}

/// Something that is expected to hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation {
    /// What is measured.
    pub measure: Measure,
    /// How it stands to what is wanted.
    pub relation: Relation,
    /// What is wanted.
    pub wanted: Value,
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.measure, self.relation.sign(), self.wanted)
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |at: &TopicPartition| Place(&at.topic, at.partition).to_string();
        let spot = |at: &TopicPartition, offset: &i64| format!("{}@{offset}", place(at));
        match self {
            Self::Topics => f.write_str("topics"),
            Self::Groups => f.write_str("groups"),
            Self::Clock => f.write_str("clock"),
            Self::Partitions(topic) => write!(f, "partitions {}", Word(topic)),
            Self::Config(topic, name) => write!(f, "config {} {}", Word(topic), Word(name)),
            Self::Records(topic, None) => write!(f, "records {}", Word(topic)),
            Self::Records(topic, Some(partition)) => {
                write!(f, "records {}", Place(topic, *partition))
            }
            Self::Bytes(topic, None) => write!(f, "bytes {}", Word(topic)),
            Self::Bytes(topic, Some(partition)) => write!(f, "bytes {}", Place(topic, *partition)),
            Self::DistinctKeys(topic) => write!(f, "distinct-keys {}", Word(topic)),
            Self::SplitKeys(topic) => write!(f, "split-keys {}", Word(topic)),
            Self::Skew(topic) => write!(f, "skew {}", Word(topic)),
            Self::Moved(topic, from, to) => write!(f, "moved {} {from} {to}", Word(topic)),
            Self::PartitionOf { topic, key, partitioner } => {
                write!(f, "partition-of {} key={}", Word(topic), OrNone(key.as_ref()))?;
                partitioner.iter().try_for_each(|id| write!(f, " partitioner={}", Word(id)))
            }
            Self::Leader(at) => write!(f, "leader {}", place(at)),
            Self::LogStartOffset(at) => write!(f, "log-start-offset {}", place(at)),
            Self::HighWatermark(at) => write!(f, "high-watermark {}", place(at)),
            Self::LogEndOffset(at) => write!(f, "log-end-offset {}", place(at)),
            Self::Segments(at) => write!(f, "segments {}", place(at)),
            Self::Replicas(at) => write!(f, "replicas {}", place(at)),
            Self::LastStableOffset(at) => write!(f, "last-stable-offset {}", place(at)),
            Self::Batches(at) => write!(f, "batches {}", place(at)),
            Self::OffsetForTime(at, ms) => {
                write!(f, "offset-for-time {} {}", place(at), print_time(*ms))
            }
            Self::Offsets(at) => write!(f, "offsets {}", place(at)),
            Self::Keys(at) => write!(f, "keys {}", place(at)),
            Self::Values(at) => write!(f, "values {}", place(at)),
            Self::Key(at, offset) => write!(f, "key {}", spot(at, offset)),
            Self::ValueOf(at, offset) => write!(f, "value {}", spot(at, offset)),
            Self::Timestamp(at, offset) => write!(f, "timestamp {}", spot(at, offset)),
            Self::Header(name, at, offset) => {
                write!(f, "header {} {}", Word(name), spot(at, offset))
            }
            Self::Compression(at, offset) => write!(f, "compression {}", spot(at, offset)),
            Self::State(group) => write!(f, "state {}", Word(group)),
            Self::Generation(group) => write!(f, "generation {}", Word(group)),
            Self::Members(group) => write!(f, "members {}", Word(group)),
            Self::Assignment(group, member) => {
                write!(f, "assignment {} {}", Word(group), Word(member))
            }
            Self::Assignor(group) => write!(f, "assignor {}", Word(group)),
            Self::Paused(group, member) => write!(f, "paused {} {}", Word(group), Word(member)),
            Self::Owner(group, at) => write!(f, "owner {} {}", Word(group), place(at)),
            Self::Committed(group, at) => write!(f, "committed {} {}", Word(group), place(at)),
            Self::Position(group, at) => write!(f, "position {} {}", Word(group), place(at)),
            Self::Lag(group, topic, None) => write!(f, "lag {} {}", Word(group), Word(topic)),
            Self::Lag(group, topic, Some(partition)) => {
                write!(f, "lag {} {}", Word(group), Place(topic, *partition))
            }
            Self::Read(group, member) => write!(f, "read {} {}", Word(group), Word(member)),
            Self::ReadKeys(group, member) => {
                write!(f, "read-keys {} {}", Word(group), Word(member))
            }
            Self::ReadValues(group, member) => {
                write!(f, "read-values {} {}", Word(group), Word(member))
            }
            Self::ReadAgain(group) => write!(f, "read-again {}", Word(group)),
        }
    }
}

const TOPIC: &str = "the name of a topic";
const GROUP: &str = "the id of a group";
const MEMBER: &str = "the name of a member";

/// What a line's rest expects.
pub(super) fn expectation(reader: &mut Reader<'_>) -> Result<Expectation, Problem> {
    let measure = measure(reader)?;
    let sign = reader.place();
    let relation = relation(reader)?;
    let wanted = match &measure {
        Measure::Topics | Measure::Groups => Value::read_list(reader, Kind::Name, true)?,
        Measure::Members(_) => Value::read_list(reader, Kind::Name, true)?,
        Measure::Assignment(..) | Measure::Paused(..) => {
            Value::read_list(reader, Kind::Partition, true)?
        }
        Measure::Offsets(_) | Measure::Replicas(_) => Value::read_list(reader, Kind::Whole, false)?,
        Measure::Read(..) => Value::read_list(reader, Kind::Offset, true)?,
        Measure::Keys(_) | Measure::Values(_) | Measure::ReadKeys(..) | Measure::ReadValues(..) => {
            Value::read_list(reader, Kind::Bytes, true)?
        }
        Measure::Key(..) | Measure::ValueOf(..) | Measure::Header(..) => {
            Value::read(reader, Kind::Bytes)?
        }
        Measure::Clock | Measure::Timestamp(..) => Value::read(reader, Kind::Time)?,
        Measure::Skew(_) => Value::read(reader, Kind::Number)?,
        Measure::Config(..)
        | Measure::State(_)
        | Measure::Owner(..)
        | Measure::Assignor(_)
        | Measure::Compression(..) => Value::read(reader, Kind::Name)?,
        _ => Value::read(reader, Kind::Whole)?,
    };
    let is_equality = matches!(relation, Relation::Equal | Relation::Unequal);
    if !is_equality && wanted.number().is_none() {
        return Err(Problem::new(sign, "Only numbers are more or less than others.")
            .to(sign + relation.sign().len())
            .with_hint("Write = or !=, or compare with a number."));
    }
    Ok(Expectation { measure, relation, wanted })
}

fn relation(reader: &mut Reader<'_>) -> Result<Relation, Problem> {
    let problem = reader.expected("=, !=, <, <=, > or >=").with_hint(
        "What is measured comes first, then a sign with blanks around it, then the value.",
    );
    if reader.equals() {
        return Ok(Relation::Equal);
    }
    let sign = reader.word("a sign").map_err(|_| problem.clone())?;
    match (sign.as_str(), reader.equals()) {
        ("!", true) => Ok(Relation::Unequal),
        ("<", true) => Ok(Relation::AtMost),
        (">", true) => Ok(Relation::AtLeast),
        ("<", false) => Ok(Relation::Less),
        (">", false) => Ok(Relation::More),
        _ => Err(problem),
    }
}

/// A topic, or one partition of it.
fn topic_or_partition(reader: &mut Reader<'_>) -> Result<(String, Option<i32>), Problem> {
    match reader.partition() {
        Ok(at) => Ok((at.topic, Some(at.partition))),
        Err(_) => Ok((reader.name("a topic, or a partition as orders-0,")?, None)),
    }
}

fn measure(reader: &mut Reader<'_>) -> Result<Measure, Problem> {
    let at = reader.place();
    let name = reader.word("what is expected")?;
    let group_and_partition =
        |reader: &mut Reader<'_>| Ok((reader.name(GROUP)?, reader.partition()?));
    let member = |reader: &mut Reader<'_>| Ok((reader.name(GROUP)?, reader.name(MEMBER)?));
    Ok(match name.as_str() {
        "topics" => Measure::Topics,
        "groups" => Measure::Groups,
        "clock" => Measure::Clock,
        "partitions" => Measure::Partitions(reader.name(TOPIC)?),
        "config" => Measure::Config(reader.name(TOPIC)?, reader.name("the name of a config")?),
        "records" => {
            let (topic, partition) = topic_or_partition(reader)?;
            Measure::Records(topic, partition)
        }
        "bytes" => {
            let (topic, partition) = topic_or_partition(reader)?;
            Measure::Bytes(topic, partition)
        }
        "distinct-keys" => Measure::DistinctKeys(reader.name(TOPIC)?),
        "split-keys" => Measure::SplitKeys(reader.name(TOPIC)?),
        "skew" => Measure::Skew(reader.name(TOPIC)?),
        "moved" => Measure::Moved(
            reader.name(TOPIC)?,
            reader.loose_number("the number of partitions before")?,
            reader.loose_number("the number of partitions after")?,
        ),
        "partition-of" => partition_of(reader)?,
        "leader" => Measure::Leader(reader.partition()?),
        "log-start-offset" => Measure::LogStartOffset(reader.partition()?),
        "high-watermark" => Measure::HighWatermark(reader.partition()?),
        "log-end-offset" => Measure::LogEndOffset(reader.partition()?),
        "segments" => Measure::Segments(reader.partition()?),
        "replicas" => Measure::Replicas(reader.partition()?),
        "last-stable-offset" => Measure::LastStableOffset(reader.partition()?),
        "batches" => Measure::Batches(reader.partition()?),
        "offset-for-time" => Measure::OffsetForTime(reader.partition()?, reader.moment()?),
        "offsets" => Measure::Offsets(reader.partition()?),
        "keys" => Measure::Keys(reader.partition()?),
        "values" => Measure::Values(reader.partition()?),
        "key" => {
            let (at, offset) = reader.offset_at()?;
            Measure::Key(at, offset)
        }
        "value" => {
            let (at, offset) = reader.offset_at()?;
            Measure::ValueOf(at, offset)
        }
        "timestamp" => {
            let (at, offset) = reader.offset_at()?;
            Measure::Timestamp(at, offset)
        }
        "header" => {
            let name = reader.name("the key of a header")?;
            let (at, offset) = reader.offset_at()?;
            Measure::Header(name, at, offset)
        }
        "compression" => {
            let (at, offset) = reader.offset_at()?;
            Measure::Compression(at, offset)
        }
        "state" => Measure::State(reader.name(GROUP)?),
        "generation" => Measure::Generation(reader.name(GROUP)?),
        "members" => Measure::Members(reader.name(GROUP)?),
        "assignment" => {
            let (group, member) = member(reader)?;
            Measure::Assignment(group, member)
        }
        "assignor" => Measure::Assignor(reader.name(GROUP)?),
        "paused" => {
            let (group, member) = member(reader)?;
            Measure::Paused(group, member)
        }
        "owner" => {
            let (group, at) = group_and_partition(reader)?;
            Measure::Owner(group, at)
        }
        "committed" => {
            let (group, at) = group_and_partition(reader)?;
            Measure::Committed(group, at)
        }
        "position" => {
            let (group, at) = group_and_partition(reader)?;
            Measure::Position(group, at)
        }
        "lag" => {
            let group = reader.name(GROUP)?;
            let (topic, partition) = topic_or_partition(reader)?;
            Measure::Lag(group, topic, partition)
        }
        "read" => {
            let (group, member) = member(reader)?;
            Measure::Read(group, member)
        }
        "read-keys" => {
            let (group, member) = member(reader)?;
            Measure::ReadKeys(group, member)
        }
        "read-values" => {
            let (group, member) = member(reader)?;
            Measure::ReadValues(group, member)
        }
        "read-again" => Measure::ReadAgain(reader.name(GROUP)?),
        _ => {
            let problem = Problem::new(at, format!("There is nothing to expect of {name}."));
            return Err(problem.to(at + name.len()).with_hint(hint(&name, MEASURES)));
        }
    })
}

fn partition_of(reader: &mut Reader<'_>) -> Result<Measure, Problem> {
    let topic = reader.name(TOPIC)?;
    let (mut key, mut partitioner) = (None, None);
    while reader.is_setting_next() {
        let at = reader.place();
        match reader.item()? {
            Some(Item::Setting { name, .. }) if name == "key" => key = Some(reader.bytes("a key")?),
            Some(Item::Setting { name, .. }) if name == "partitioner" => {
                partitioner = Some(reader.text("a partitioner's id")?);
            }
            _ => {
                return Err(Problem::new(at, "Here key= or partitioner= is expected.")
                    .with_hint("expect partition-of orders key=\"user_42\" = 1"));
            }
        }
    }
    let Some(key) = key else { return Err(reader.expected("key= and a key")) };
    Ok(Measure::PartitionOf { topic, key, partitioner })
}
