//! Reads a line that is an act. The other way is `Display` of [`Command`].
//!
//! The acts of topics, of records, of groups and of producers have a file each; what they share is here.

mod consumer;
mod groups;
mod producers;
mod records;
mod topics;

use std::collections::{BTreeMap, BTreeSet};

use super::reader::{Item, Reader};
use super::suggest::hint;
use super::time::parse_span;
use super::{Act, Problem};
use crate::command::Command;

use groups::{assign, commit, delete_offsets, join, pause, poll, reset, seek, subscribe, who};
use producers::producing;
use records::{copy_log, produce, produce_many};
use topics::{configs, delete_records, optional_topic, partitions, topic};

pub use records::DEFAULT_VALUE_BYTES;

/// The first words of the acts, in the order of the documentation.
pub const VERBS: [&str; 40] = [
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
    "assign",
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
        "assign" => assign(reader, members),
        "leave" => who(reader, members, 0).map(|(group, member)| Command::Leave { group, member }),
        "crash" => who(reader, members, 0).map(|(group, member)| Command::Crash { group, member }),
        "restart" => {
            who(reader, members, 0).map(|(group, member)| Command::Restart { group, member })
        }
        "subscribe" => subscribe(reader, members),
        "unsubscribe" => who(reader, members, 0).map(|(group, member)| Command::Subscribe {
            pattern: None,
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

fn clock(reader: &mut Reader<'_>) -> Result<Command, Problem> {
    let problem = reader
        .expected("how far the clock goes")
        .with_hint("Write +1h: a whole number with ms, s, m, h or d.");
    let word = reader.word("how far the clock goes").map_err(|_| problem.clone())?;
    let signed = word.starts_with(['+', '-']);
    let ms = parse_span(&word).filter(|_| signed).ok_or(problem)?;
    Ok(Command::AdvanceClock { ms })
}
