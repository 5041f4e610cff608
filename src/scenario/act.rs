//! Reads a line that is an act. The other way is `Display` of [`Command`].

use std::collections::{BTreeMap, BTreeSet};

use super::producing::producing;
use super::reader::{Item, Reader};
use super::suggest::hint;
use super::time::{When, parse_span};
use super::{Act, Problem};
use crate::command::{Command, LogEnd, OwnedHeader, Produce, SeekTo};
use crate::generate::{GenerateSpec, KEY_NUMBER};
use crate::group::assignor::Assignor;
use crate::group::{ConsumerConfig, PartitionOffset, ResetTo, TopicPartition};
use crate::log::{Header, NewRecord};
use crate::topic::{AlterConfigOp, CONFIG_DEFS, ConfigOp, config_def};
use crate::{RecordSet, SegmentSet, SegmentSets};

/// The first words of the acts, in the order of the documentation.
pub const VERBS: [&str; 39] = [
    "topic",
    "delete-topic",
    "partitions",
    "configs",
    "produce",
    "produce-many",
    "copy-log",
    "producer",
    "close-producer",
    "kill-producer",
    "retry",
    "init-transactions",
    "begin-transaction",
    "send-offsets",
    "commit-transaction",
    "abort-transaction",
    "join",
    "leave",
    "crash",
    "restart",
    "subscribe",
    "unsubscribe",
    "enforce-rebalance",
    "exceed-poll-interval",
    "remove-members",
    "poll",
    "commit",
    "seek",
    "pause",
    "resume",
    "refresh-metadata",
    "reset-offsets",
    "delete-offsets",
    "delete-group",
    "delete-records",
    "retention",
    "compaction",
    "clock",
    "tick",
];

/// The groups in which there is a member of a name, so that an act may leave the group out.
pub(super) type Members = BTreeMap<String, BTreeSet<String>>;

/// The act that begins with `verb`, the rest of which is read; none if no act does.
pub(super) fn act(
    verb: &str,
    reader: &mut Reader<'_>,
    members: &Members,
) -> Option<Result<Act, Problem>> {
    let command = match verb {
        "topic" => topic(reader),
        "delete-topic" => reader.name(TOPIC).map(|name| Command::DeleteTopic { name }),
        "partitions" => partitions(reader),
        "configs" => configs(reader),
        "produce" => return Some(produce(reader)),
        "produce-many" => produce_many(reader),
        "copy-log" => copy_log(reader),
        "join" => join(reader),
        "leave" => who(reader, members, 0).map(|(group, member)| Command::Leave { group, member }),
        "crash" => who(reader, members, 0).map(|(group, member)| Command::Crash { group, member }),
        "restart" => {
            who(reader, members, 0).map(|(group, member)| Command::Restart { group, member })
        }
        "subscribe" => subscribe(reader, members),
        "unsubscribe" => who(reader, members, 0).map(|(group, member)| Command::Subscribe {
            group,
            member,
            topics: Vec::new(),
        }),
        "enforce-rebalance" => who(reader, members, 0)
            .map(|(group, member)| Command::EnforceRebalance { group, member }),
        "exceed-poll-interval" => who(reader, members, 0)
            .map(|(group, member)| Command::ExceedPollInterval { group, member }),
        "remove-members" => reader.name(GROUP).map(|group| Command::RemoveMembers { group }),
        "poll" => poll(reader, members),
        "commit" => commit(reader, members),
        "seek" => return Some(seek(reader, members)),
        "pause" => pause(reader, members, true),
        "resume" => pause(reader, members, false),
        "refresh-metadata" => reader.name(GROUP).map(|group| Command::RefreshMetadata { group }),
        "reset-offsets" => reset(reader),
        "delete-offsets" => delete_offsets(reader),
        "delete-group" => reader.name(GROUP).map(|group| Command::DeleteGroup { group }),
        "delete-records" => delete_records(reader),
        "retention" => optional_topic(reader).map(|topic| Command::RunRetention { topic }),
        "compaction" => optional_topic(reader).map(|topic| Command::RunCleaner { topic }),
        "clock" => clock(reader),
        "tick" => Ok(Command::Tick),
        _ => producing(verb, reader, members)?,
    };
    Some(command.map(Act::from))
}

const TOPIC: &str = "the name of a topic";
const GROUP: &str = "the id of a group";
const MEMBER: &str = "the name of a member";
const WHOLE: &str = "a whole number";

/// Keeps what a setting says, which may be said once.
pub(super) fn set<T>(slot: &mut Option<T>, at: usize, name: &str, value: T) -> Result<(), Problem> {
    if slot.replace(value).is_some() {
        let problem = Problem::new(at, format!("{name} is given twice.")).to(at + name.len());
        return Err(problem.with_hint("Leave one of them out."));
    }
    Ok(())
}

pub(super) fn unknown(at: usize, item: &Item, known: &[&str]) -> Problem {
    let (Item::Word(name) | Item::Setting { name, .. }) = item;
    let problem = match item {
        Item::Setting { sign: Some(sign), .. } => {
            return Problem::new(at, format!("{name} cannot be changed by {sign}="))
                .to(at + name.len())
                .with_hint("+= and -= are for lists, in a line that begins with configs.");
        }
        Item::Setting { .. } => Problem::new(at, format!("There is no setting {name} here.")),
        Item::Word(_) if known.contains(&name.as_str()) => {
            return Problem::new(at, format!("{name} needs a value here."))
                .to(at + name.len())
                .with_hint(format!("Write {name}=value, without blanks around the =."));
        }
        Item::Word(_) => Problem::new(at, format!("The word {name} has no meaning here.")),
    };
    problem.to(at + name.len()).with_hint(hint(name, known.iter().copied()))
}

/// A setting's bare name without a sign.
pub(super) fn plain(item: &Item) -> Option<&str> {
    match item {
        Item::Setting { name, quoted: false, sign: None } => Some(name),
        _ => None,
    }
}

/// A topic's config, whose name has to be Kafka's unless it stands in quotes.
fn check_config(name: &str, quoted: bool, at: usize, more: &[&'static str]) -> Result<(), Problem> {
    if quoted || config_def(name).is_some() {
        return Ok(());
    }
    let known: Vec<&str> =
        CONFIG_DEFS.iter().map(|def| def.name).chain(more.iter().copied()).collect();
    let way_out = match super::suggest::nearest(name, known.iter().copied()) {
        Some(meant) => format!("Is {meant} meant? "),
        None => String::new(),
    };
    let problem = Problem::new(at, format!("Kafka has no config {name} of a topic."));
    Err(problem
        .to(at + name.len())
        .with_hint(format!("{way_out}To have the broker refuse it, put the name into quotes.")))
}

fn topic(reader: &mut Reader<'_>) -> Result<Command, Problem> {
    let name = reader.name(TOPIC)?;
    let (mut partitions, mut replication_factor) = (None, None);
    let mut configs = BTreeMap::new();
    loop {
        let at = reader.place();
        let Some(item) = reader.item()? else { break };
        match (plain(&item), item.clone()) {
            (Some("partitions"), _) => {
                set(&mut partitions, at, "partitions", reader.number(WHOLE)?)?;
            }
            (Some("replication-factor"), _) => {
                set(&mut replication_factor, at, "replication-factor", reader.number(WHOLE)?)?;
            }
            (_, Item::Setting { name, quoted, sign: None }) => {
                check_config(&name, quoted, at, &["partitions", "replication-factor"])?;
                let value = reader.text("a value")?;
                if configs.insert(name.clone(), value).is_some() {
                    set(&mut Some(()), at, &name, ())?;
                }
            }
            (_, item) => return Err(unknown(at, &item, &["partitions", "replication-factor"])),
        }
    }
    Ok(Command::CreateTopic { name, partitions, replication_factor, configs })
}

fn partitions(reader: &mut Reader<'_>) -> Result<Command, Problem> {
    let topic = reader.name(TOPIC)?;
    let total = reader.loose_number("the new number of partitions in all")?;
    Ok(Command::CreatePartitions { topic, total })
}

fn configs(reader: &mut Reader<'_>) -> Result<Command, Problem> {
    let topic = reader.name(TOPIC)?;
    let mut ops = Vec::new();
    while !reader.is_done() {
        let is_deletion = reader.keyword("delete");
        let at = reader.place();
        if is_deletion && reader.is_name_next() {
            let quoted = reader.is_text_next();
            let name = reader.name("the name of a config")?;
            check_config(&name, quoted, at, &[])?;
            ops.push(AlterConfigOp { op: ConfigOp::Delete, name, value: None });
            continue;
        }
        let op = match reader.item()? {
            Some(Item::Setting { name, quoted, sign }) => {
                check_config(&name, quoted, at, &[])?;
                let value = reader.optional_text("a value")?;
                let op = match sign {
                    _ if is_deletion => ConfigOp::Delete,
                    Some('+') => ConfigOp::Append,
                    Some(_) => ConfigOp::Subtract,
                    None => ConfigOp::Set,
                };
                AlterConfigOp { op, name, value }
            }
            Some(item) => return Err(unknown(at, &item, &["delete"])),
            None => return Err(reader.expected("the name of a config")),
        };
        ops.push(op);
    }
    Ok(Command::AlterConfigs { topic, ops })
}

fn header(reader: &mut Reader<'_>) -> Result<OwnedHeader, Problem> {
    let key = reader.header_key("the key of a header")?;
    if !reader.equals() {
        return Err(reader.expected("an = and the header's value"));
    }
    Ok(OwnedHeader { key, value: reader.bytes("the header's value")? })
}

fn produce(reader: &mut Reader<'_>) -> Result<Act, Problem> {
    const OF_ONE: [&str; 7] =
        ["producer", "partitioner", "partition", "timestamp", "key", "value", "header"];
    const OF_MANY: [&str; 8] =
        ["count", "keys", "key-pattern", "skew", "value-bytes", "seed", "producer", "partitioner"];
    let topic = reader.name(TOPIC)?;
    let mut producer = None;
    let (mut partitioner, mut partition, mut when) = (None, None, None);
    let (mut key, mut value, mut headers) = (None, None, Vec::new());
    let (mut count, mut keys, mut pattern) = (None, None, None);
    let (mut skew, mut value_bytes, mut seed) = (None, None, None);
    let (mut of_one, mut of_many) = (None, None);
    loop {
        let at = reader.place();
        let Some(item) = reader.item()? else { break };
        if item == Item::Word("header".to_owned()) {
            headers.push(header(reader)?);
            of_one = Some((at, "header"));
            continue;
        }
        match plain(&item) {
            Some("producer") => {
                set(&mut producer, at, "producer", reader.text("the name of a producer")?)?;
            }
            Some("partitioner") => {
                set(&mut partitioner, at, "partitioner", reader.text("a partitioner's id")?)?;
            }
            Some("partition") => set(&mut partition, at, "partition", reader.number(WHOLE)?)?,
            Some("timestamp") => set(&mut when, at, "timestamp", reader.time()?)?,
            Some("key") => set(&mut key, at, "key", reader.bytes("a key")?)?,
            Some("value") => set(&mut value, at, "value", reader.bytes("a value")?)?,
            Some("count") => set(&mut count, at, "count", reader.number(WHOLE)?)?,
            Some("keys") => set(&mut keys, at, "keys", reader.keys()?)?,
            Some("key-pattern") => set(&mut pattern, at, "key-pattern", reader.text("a pattern")?)?,
            Some("skew") => set(&mut skew, at, "skew", reader.number("a number")?)?,
            Some("value-bytes") => set(&mut value_bytes, at, "value-bytes", reader.number(WHOLE)?)?,
            Some("seed") => set(&mut seed, at, "seed", reader.number(WHOLE)?)?,
            _ => {
                let known = if count.is_some() { &OF_MANY[..] } else { &OF_ONE[..] };
                let known: Vec<&str> = known.iter().copied().chain(["count"]).collect();
                return Err(unknown(at, &item, &known));
            }
        }
        let name = plain(&item).unwrap_or_default();
        if name == "partitioner" || name == "producer" {
            continue;
        }
        if let Some(name) = OF_ONE.iter().find(|one| **one == name) {
            of_one = Some((at, *name));
        } else if let Some(name) = OF_MANY.iter().find(|many| **many == name) {
            of_many = Some((at, *name));
        }
    }
    if let (Some((one_at, one)), Some((many_at, many))) = (of_one, of_many) {
        let at = one_at.max(many_at);
        return Err(Problem::new(at, format!("{one} is for one record, {many} for many of them."))
            .with_hint("Many records take count, keys, skew, value-bytes and seed."));
    }
    let Some((at, name)) = of_many else {
        let (timestamp, after_ms) = match when {
            None => (None, None),
            Some(When::At(ms)) => (Some(ms), None),
            Some(When::After(ms)) => (None, Some(ms)),
        };
        let (key, value) = (key.flatten(), value.flatten());
        let record =
            Produce { topic, producer, partitioner, partition, timestamp, key, value, headers };
        return Ok(Act { command: Command::Produce(record), after_ms });
    };
    let Some(count) = count else {
        return Err(Problem::new(
            at,
            format!("{name} is for many records, and there is no count."),
        )
        .with_hint("Say how many: count=1000."));
    };
    let (keys, of_keys) = keys.unwrap_or((0, None));
    let key_pattern = match (of_keys, pattern) {
        (Some(_), Some(_)) => {
            return Err(Problem::new(at, "keys says already what the keys look like.")
                .with_hint("With key-pattern, keys is a number."));
        }
        (of_keys, pattern) => of_keys.or(pattern),
    };
    let spec = GenerateSpec {
        count,
        keys,
        skew: skew.unwrap_or(0.0),
        value_bytes: value_bytes.unwrap_or(DEFAULT_VALUE_BYTES),
        seed: seed.unwrap_or(0),
        key_pattern,
    };
    Ok(Command::Generate { topic, producer, partitioner, spec }.into())
}

/// The size of each value of many records, unless the line says another.
pub const DEFAULT_VALUE_BYTES: u64 = 100;

/// `user_{1..50}` gives 50 and `user_{}`; text without braces is one key.
pub(super) fn keys_of(text: &str) -> Option<(u64, Option<String>)> {
    let Some((before, rest)) = text.split_once('{') else {
        return (!text.contains('}')).then(|| (1, Some(text.to_owned())));
    };
    let (range, behind) = rest.split_once('}')?;
    let last = range.strip_prefix("1..")?;
    let is_number = !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit());
    let count = last.parse().ok().filter(|count| is_number && *count > 0)?;
    (!behind.contains(['{', '}'])).then(|| (count, Some(format!("{before}{KEY_NUMBER}{behind}"))))
}

fn produce_many(reader: &mut Reader<'_>) -> Result<Command, Problem> {
    const KNOWN: [&str; 4] = ["producer", "partitioner", "record", "batches"];
    let topic = reader.name(TOPIC)?;
    let (mut producer, mut partitioner, mut batches) = (None, None, None);
    loop {
        let at = reader.place();
        if reader.keyword("record") {
            break;
        }
        let Some(item) = reader.item()? else { break };
        match plain(&item) {
            Some("partitioner") => {
                set(&mut partitioner, at, "partitioner", reader.text("a partitioner's id")?)?;
            }
            Some("producer") => {
                set(&mut producer, at, "producer", reader.text("the name of a producer")?)?;
            }
            Some("batches") => {
                let bytes = reader.bytes("batches in hex")?.unwrap_or_default();
                set(&mut batches, at, "batches", RecordSet::from_bytes(bytes.0))?;
            }
            _ => return Err(unknown(at, &item, &KNOWN)),
        }
    }
    let mut records = RecordSet::builder();
    let is_done_already = reader.is_done();
    loop {
        if is_done_already {
            break;
        }
        let at = reader.place();
        let is_last = !one_record(reader, &mut records, at)?;
        if let Some(_set) = &batches {
            return Err(Problem::new(at, "The batches hold the records already.")
                .with_hint("Write either records or batches."));
        }
        if is_last {
            break;
        }
    }
    let records = batches.unwrap_or_else(|| records.finish());
    Ok(Command::ProduceMany { topic, producer, partitioner, records })
}

/// One of many records, up to the next word `record`; whether there is another one.
fn one_record(
    reader: &mut Reader<'_>,
    records: &mut crate::RecordSetBuilder,
    begin: usize,
) -> Result<bool, Problem> {
    const KNOWN: [&str; 5] = ["timestamp", "key", "value", "header", "record"];
    let (mut timestamp, mut key, mut value) = (None, None, None);
    let mut headers: Vec<OwnedHeader> = Vec::new();
    let mut is_more = false;
    loop {
        let at = reader.place();
        if reader.keyword("record") {
            is_more = true;
            break;
        }
        if reader.keyword("header") {
            headers.push(header(reader)?);
            continue;
        }
        let Some(item) = reader.item()? else { break };
        match plain(&item) {
            Some("timestamp") => set(&mut timestamp, at, "timestamp", reader.number(WHOLE)?)?,
            Some("key") => set(&mut key, at, "key", reader.bytes("a key")?)?,
            Some("value") => set(&mut value, at, "value", reader.bytes("a value")?)?,
            _ => return Err(unknown(at, &item, &KNOWN)),
        }
    }
    let Some(timestamp) = timestamp else {
        return Err(Problem::new(begin, "A record of many needs its timestamp.")
            .with_hint("Write timestamp=1700000000000: milliseconds since 1970."));
    };
    let (key, value) = (key.flatten(), value.flatten());
    let headers: Vec<Header<'_>> = headers
        .iter()
        .map(|header| Header { key: &header.key, value: header.value.as_deref() })
        .collect();
    let record =
        NewRecord { timestamp, key: key.as_deref(), value: value.as_deref(), headers: &headers };
    let pushed = records.push(&record);
    pushed.map_err(|error| Problem::new(begin, error.message()).with_hint(error.hint()))?;
    Ok(is_more)
}

fn join(reader: &mut Reader<'_>) -> Result<Command, Problem> {
    const KNOWN: [&str; 8] = [
        "reset",
        "protocol",
        "remote-assignor",
        "assignors",
        "instance",
        "auto-commit",
        "max-partition-fetch",
        "isolation",
    ];
    let group = reader.name(GROUP)?;
    let member = reader.name(MEMBER)?;
    let topics = if reader.keyword("no-topics") { Vec::new() } else { reader.list(TOPIC)? };
    let (mut reset, mut assignors, mut instance) = (None, None, None);
    let (mut auto_commit, mut fetch, mut protocol, mut remote) = (None, None, None, None);
    let mut isolation = None;
    loop {
        let at = reader.place();
        let Some(item) = reader.item()? else { break };
        if item == Item::Word("auto-commit".to_owned()) {
            set(&mut auto_commit, at, "auto-commit", true)?;
            continue;
        }
        match plain(&item) {
            Some(name @ ("reset" | "auto.offset.reset")) => {
                let text = reader.text("earliest, latest, none or by_duration:PT1H")?;
                let read = text.parse().map_err(|error: crate::Error| {
                    Problem::new(at, format!("There is no reset policy {text}."))
                        .to(at + name.len() + 1 + text.len())
                        .with_hint(format!(
                            "There are earliest, latest, none and by_duration:PT1H. {}",
                            error.hint()
                        ))
                });
                set(&mut reset, at, name, read?)?;
            }
            Some(name @ ("assignors" | "partition.assignment.strategy")) => {
                set(&mut assignors, at, name, assignor_list(reader)?)?;
            }
            Some(name @ ("protocol" | "group.protocol")) => {
                let text = reader.text("classic or consumer")?;
                let read = text.parse().map_err(|_| {
                    Problem::new(at, format!("There is no group protocol {text}."))
                        .to(at + name.len() + 1 + text.len())
                        .with_hint("There are classic and consumer.")
                });
                set(&mut protocol, at, name, read?)?;
            }
            Some(name @ ("remote-assignor" | "group.remote.assignor")) => {
                set(&mut remote, at, name, reader.text("uniform or range")?)?;
            }
            Some(name @ ("instance" | "group.instance.id")) => {
                set(&mut instance, at, name, reader.text("an id")?)?;
            }
            Some(name @ "enable.auto.commit") => {
                set(&mut auto_commit, at, name, reader.number("true or false")?)?;
            }
            Some(name @ ("isolation" | "isolation.level")) => {
                let text = reader.text("read_committed or read_uncommitted")?;
                let read = text.parse().map_err(|_| {
                    Problem::new(at, format!("There is no isolation level {text}."))
                        .to(at + name.len() + 1 + text.len())
                        .with_hint("There are read_uncommitted and read_committed.")
                });
                set(&mut isolation, at, name, read?)?;
            }
            Some(name @ ("max-partition-fetch" | "max.partition.fetch.bytes")) => {
                set(&mut fetch, at, name, reader.number(WHOLE)?)?;
            }
            _ => return Err(unknown(at, &item, &KNOWN)),
        }
    }
    let defaults = ConsumerConfig::default();
    let config = ConsumerConfig {
        topics,
        auto_offset_reset: reset.unwrap_or(defaults.auto_offset_reset),
        protocol: protocol.unwrap_or_default(),
        remote_assignor: remote,
        assignors: assignors.unwrap_or(defaults.assignors),
        instance_id: instance,
        auto_commit: auto_commit.unwrap_or(defaults.auto_commit),
        max_partition_fetch_bytes: fetch.unwrap_or(defaults.max_partition_fetch_bytes),
        isolation_level: isolation.unwrap_or_default(),
    };
    Ok(Command::Join { group, member, config })
}

fn assignor_list(reader: &mut Reader<'_>) -> Result<Vec<Assignor>, Problem> {
    if reader.keyword("none") {
        return Ok(Vec::new());
    }
    let at = reader.place();
    let names = reader.list("the name of an assignor")?;
    let named = |name: &String| {
        Assignor::ALL.into_iter().find(|assignor| assignor.name() == name).ok_or_else(|| {
            Problem::new(at, format!("There is no assignor {name}."))
                .with_hint(hint(name, Assignor::ALL.iter().map(|assignor| assignor.name())))
        })
    };
    names.iter().map(named).collect()
}

/// A member and its group, before so many more names. The group may be left out where the lines
/// before have a member of that name in one group alone.
pub(super) fn who(
    reader: &mut Reader<'_>,
    members: &Members,
    more: usize,
) -> Result<(String, String), Problem> {
    let at = reader.place();
    if reader.names_ahead() >= 2 + more {
        return Ok((reader.name(GROUP)?, reader.name(MEMBER)?));
    }
    let member = reader.name("a group and a member")?;
    let groups: Vec<&String> = members.get(&member).into_iter().flatten().collect();
    let problem = |message: String| Problem::new(at, message).to(at + member.len());
    match groups[..] {
        [group] => Ok((group.clone(), member)),
        [] => {
            let near = super::suggest::nearest(&member, members.keys().map(String::as_str));
            Err(problem(format!("No member {member} has joined a group before.")).with_hint(
                near.map_or_else(
                    || "Name the group as well: billing m1.".to_owned(),
                    |near| format!("Is {near} meant? Else name the group as well."),
                ),
            ))
        }
        _ => Err(problem(format!("More than one group has a member {member}."))
            .with_hint("Name the group in front of it.")),
    }
}

fn subscribe(reader: &mut Reader<'_>, members: &Members) -> Result<Command, Problem> {
    let (group, member) = who(reader, members, 1)?;
    Ok(Command::Subscribe { group, member, topics: reader.list(TOPIC)? })
}

fn poll(reader: &mut Reader<'_>, members: &Members) -> Result<Command, Problem> {
    let (group, member) = who(reader, members, 0)?;
    let mut max_records = None;
    loop {
        let at = reader.place();
        let Some(item) = reader.item()? else { break };
        match plain(&item) {
            Some(name @ ("max" | "max.poll.records")) => {
                set(&mut max_records, at, name, reader.number(WHOLE)?)?;
            }
            _ => return Err(unknown(at, &item, &["max"])),
        }
    }
    Ok(Command::Poll { group, member, max_records })
}

fn commit(reader: &mut Reader<'_>, members: &Members) -> Result<Command, Problem> {
    let (group, member) = who(reader, members, usize::from(reader.is_nothing_last()))?;
    let offsets = offsets(reader)?;
    Ok(Command::Commit { group, member, offsets })
}

/// Offsets of partitions; none where nothing is said, and the word `nothing` for an empty list.
pub(super) fn offsets(reader: &mut Reader<'_>) -> Result<Option<Vec<PartitionOffset>>, Problem> {
    if reader.keyword("nothing") {
        return Ok(Some(Vec::new()));
    }
    let mut offsets = Vec::new();
    while !reader.is_done() {
        let at = reader.partition()?;
        if !reader.equals() {
            return Err(reader.expected("an = and the next offset to read"));
        }
        let offset = reader.number("the next offset to read")?;
        let mut place = PartitionOffset::new(&at.topic, at.partition, offset);
        if reader.keyword("epoch") {
            place.leader_epoch = Some(reader.loose_number("the epoch of a leader")?);
        }
        if reader.keyword("metadata") {
            place.metadata = reader.loose_text("a text to keep beside the offset")?;
        }
        offsets.push(place);
    }
    Ok(Some(offsets).filter(|offsets| !offsets.is_empty()))
}

fn seek(reader: &mut Reader<'_>, members: &Members) -> Result<Act, Problem> {
    let more = if reader.is_setting_ahead() { 0 } else { 2 };
    let (group, member) = who(reader, members, more)?;
    if more == 0 {
        let at = reader.place();
        let item = reader.item()?;
        let Some("timestamp") = item.as_ref().and_then(plain) else {
            return Err(match item {
                Some(item) => unknown(at, &item, &["timestamp"]),
                None => reader.expected("a partition"),
            });
        };
        let (timestamp, after_ms) = match reader.time()? {
            When::At(ms) => (ms, None),
            When::After(ms) => (0, Some(ms)),
        };
        return Ok(Act {
            command: Command::SeekToTimestamp { group, member, timestamp },
            after_ms,
        });
    }
    let at = reader.partition()?;
    let to = if reader.keyword("beginning") {
        SeekTo::End(LogEnd::Beginning)
    } else if reader.keyword("end") {
        SeekTo::End(LogEnd::End)
    } else {
        SeekTo::Offset(reader.loose_number("an offset, beginning or end")?)
    };
    let (topic, partition) = (at.topic, at.partition);
    Ok(Command::Seek { group, member, topic, partition, to }.into())
}

fn pause(reader: &mut Reader<'_>, members: &Members, is_pause: bool) -> Result<Command, Problem> {
    let (group, member) = who(reader, members, 1)?;
    let at = reader.partition()?;
    let (topic, partition) = (at.topic, at.partition);
    Ok(if is_pause {
        Command::Pause { group, member, topic, partition }
    } else {
        Command::Resume { group, member, topic, partition }
    })
}

fn reset(reader: &mut Reader<'_>) -> Result<Command, Problem> {
    const MODES: [&str; 8] = [
        "to-earliest",
        "to-latest",
        "to-current",
        "to-offset",
        "shift-by",
        "to-datetime",
        "by-duration",
        "from-file",
    ];
    let group = reader.name(GROUP)?;
    let is_all = reader.keyword("all-topics");
    let is_none = !is_all && reader.keyword("no-topics");
    let mut topics = Vec::new();
    let to = loop {
        let at = reader.place();
        if reader.keyword("to-earliest") {
            break ResetTo::Earliest;
        } else if reader.keyword("to-latest") {
            break ResetTo::Latest;
        } else if reader.keyword("to-current") {
            break ResetTo::Current;
        } else if reader.is_setting_next() {
            let item = reader.item()?;
            match item.as_ref().and_then(plain) {
                Some("to-offset") => break ResetTo::Offset { offset: reader.number(WHOLE)? },
                Some("shift-by") => break ResetTo::Shift { by: reader.number(WHOLE)? },
                Some("to-datetime") => {
                    break ResetTo::Datetime { datetime: reader.text("a date and a time")? };
                }
                Some("by-duration") => {
                    break ResetTo::Duration { duration: reader.text("a duration as PT1H30M")? };
                }
                Some("from-file") => {
                    break ResetTo::File { csv: reader.text("the lines of a plan in quotes")? };
                }
                _ => {
                    let item = item.unwrap_or(Item::Word(String::new()));
                    return Err(unknown(at, &item, &MODES));
                }
            }
        } else if is_all || is_none || reader.is_done() {
            let problem = reader.expected("where the offsets go");
            return Err(problem.with_hint(format!("One of: {}.", MODES.join(", "))));
        } else {
            topics.push(reader.loose_text("a topic, as orders or orders:0,2")?);
        }
    };
    let is_file = matches!(to, ResetTo::File { .. });
    if !is_all && !is_none && !is_file && topics.is_empty() {
        return Err(reader.expected("a topic").with_hint(
            "Say which: reset-offsets billing orders to-earliest; all-topics are all.",
        ));
    }
    let is_left_out = topics.is_empty() && !is_none;
    let topics = if is_all || is_left_out { None } else { Some(topics) };
    Ok(Command::ResetOffsets { group, topics, to })
}

fn delete_offsets(reader: &mut Reader<'_>) -> Result<Command, Problem> {
    let group = reader.name(GROUP)?;
    let mut topics = Vec::new();
    while !reader.is_done() {
        topics.push(reader.loose_text("a topic, as orders or orders:0,2")?);
    }
    Ok(Command::DeleteOffsets { group, topics })
}

fn delete_records(reader: &mut Reader<'_>) -> Result<Command, Problem> {
    let at = reader.partition()?;
    let place = reader.place();
    let item = reader.item()?;
    if item.as_ref().and_then(plain) != Some("before") {
        return Err(match item {
            Some(item) => unknown(place, &item, &["before"]),
            None => reader.expected("before= and the first offset to keep"),
        });
    }
    let before = reader.number("the first offset to keep")?;
    let (topic, partition) = (at.topic, at.partition);
    Ok(Command::DeleteRecords { topic, partition, before })
}

fn copy_log(reader: &mut Reader<'_>) -> Result<Command, Problem> {
    let (first, segments) = files_of_partition(reader)?;
    if reader.is_done() {
        return Ok(Command::CopyLog { topic: first.topic, partition: first.partition, segments });
    }
    let (mut to, mut sets) = (vec![first], vec![segments]);
    while !reader.is_done() {
        let (at, segments) = files_of_partition(reader)?;
        to.push(at);
        sets.push(segments);
    }
    Ok(Command::CopyLogs { to, segments: SegmentSets::new(sets) })
}

fn files_of_partition(reader: &mut Reader<'_>) -> Result<(TopicPartition, SegmentSet), Problem> {
    let at = reader.partition()?;
    let place = reader.place();
    let item = reader.item()?;
    if item.as_ref().and_then(plain) != Some("files") {
        return Err(match item {
            Some(item) => unknown(place, &item, &["files"]),
            None => reader.expected("files= and the files of a partition"),
        });
    }
    let bytes = reader.bytes("files in hex")?.unwrap_or_default();
    Ok((at, SegmentSet::from_bytes(bytes.0)))
}

fn optional_topic(reader: &mut Reader<'_>) -> Result<Option<String>, Problem> {
    if reader.is_done() { Ok(None) } else { reader.name(TOPIC).map(Some) }
}

fn clock(reader: &mut Reader<'_>) -> Result<Command, Problem> {
    let problem = reader
        .expected("how far the clock goes")
        .with_hint("Write +1h: a whole number with ms, s, m, h or d.");
    let word = reader.word("how far the clock goes").map_err(|_| problem.clone())?;
    let signed = word.starts_with(['+', '-']);
    let ms = parse_span(&word).filter(|_| signed).ok_or(problem)?;
    Ok(Command::AdvanceClock { ms })
}

impl Reader<'_> {
    /// `keys=50`, or in quotes what they look like.
    fn keys(&mut self) -> Result<(u64, Option<String>), Problem> {
        let what = "a number of keys, or keys as \"user_{1..50}\"";
        if !self.is_text_next() {
            return Ok((self.number(what)?, None));
        }
        let problem = self.expected(what).with_hint(
            "The numbers of the keys begin at 1 and stand once: \"user_{1..50}\". Text without \
             braces is the key of every record.",
        );
        let text = self.text(what)?;
        keys_of(&text).ok_or(problem)
    }
}
