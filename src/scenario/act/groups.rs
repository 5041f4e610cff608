//! Reads lines of groups and their members.

use super::consumer::{consumer, pattern};
use super::{GROUP, MEMBER, Members, TOPIC, WHOLE, plain, set, unknown};
use crate::command::{Command, LogEnd, SeekTo};
use crate::group::assignor::Assignor;
use crate::group::{ConsumerConfig, PartitionOffset, ResetTo};
use crate::scenario::reader::{Item, Reader};
use crate::scenario::suggest::{hint, nearest};
use crate::scenario::time::When;
use crate::scenario::{Act, Problem};

pub(super) fn join(reader: &mut Reader<'_>) -> Result<Command, Problem> {
    let group = reader.name(GROUP)?;
    let member = reader.name(MEMBER)?;
    let topics = if reader.is_setting_next() || reader.keyword("no-topics") {
        Vec::new()
    } else {
        reader.list(TOPIC)?
    };
    let config = ConsumerConfig { topics, ..consumer(reader)? };
    Ok(Command::Join { group, member, config })
}

pub(super) fn assign(reader: &mut Reader<'_>, members: &Members) -> Result<Command, Problem> {
    let (group, member) = who(reader, members, 1)?;
    let mut partitions = Vec::new();
    if !reader.keyword("nothing") {
        partitions.push(reader.partition()?);
        while reader.comma() {
            partitions.push(reader.partition()?);
        }
    }
    let config = consumer(reader)?;
    Ok(Command::Assign { group, member, partitions, config })
}

pub(super) fn assignor_list(reader: &mut Reader<'_>) -> Result<Vec<Assignor>, Problem> {
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
pub(in crate::scenario) fn who(
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
            let near = nearest(&member, members.keys().map(String::as_str));
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

pub(super) fn subscribe(reader: &mut Reader<'_>, members: &Members) -> Result<Command, Problem> {
    let by_pattern = reader.is_setting_ahead();
    let (group, member) = who(reader, members, usize::from(!by_pattern))?;
    let topics = if by_pattern { Vec::new() } else { reader.list(TOPIC)? };
    let pattern = if by_pattern { Some(pattern(reader)?) } else { None };
    Ok(Command::Subscribe { group, member, topics, pattern })
}

pub(super) fn poll(reader: &mut Reader<'_>, members: &Members) -> Result<Command, Problem> {
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

pub(super) fn commit(reader: &mut Reader<'_>, members: &Members) -> Result<Command, Problem> {
    let (group, member) = who(reader, members, usize::from(reader.is_nothing_last()))?;
    let offsets = offsets(reader)?;
    Ok(Command::Commit { group, member, offsets })
}

/// Offsets of partitions; none where nothing is said, and the word `nothing` for an empty list.
pub(in crate::scenario) fn offsets(
    reader: &mut Reader<'_>,
) -> Result<Option<Vec<PartitionOffset>>, Problem> {
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

pub(super) fn seek(reader: &mut Reader<'_>, members: &Members) -> Result<Act, Problem> {
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

pub(super) fn pause(
    reader: &mut Reader<'_>,
    members: &Members,
    is_pause: bool,
) -> Result<Command, Problem> {
    let (group, member) = who(reader, members, 1)?;
    let at = reader.partition()?;
    let (topic, partition) = (at.topic, at.partition);
    Ok(if is_pause {
        Command::Pause { group, member, topic, partition }
    } else {
        Command::Resume { group, member, topic, partition }
    })
}

pub(super) fn reset(reader: &mut Reader<'_>) -> Result<Command, Problem> {
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

pub(super) fn delete_offsets(reader: &mut Reader<'_>) -> Result<Command, Problem> {
    let group = reader.name(GROUP)?;
    let mut topics = Vec::new();
    while !reader.is_done() {
        topics.push(reader.loose_text("a topic, as orders or orders:0,2")?);
    }
    Ok(Command::DeleteOffsets { group, topics })
}
