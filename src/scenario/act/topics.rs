//! Reads lines of topics.

use std::collections::BTreeMap;

use super::{TOPIC, WHOLE, plain, set, unknown};
use crate::command::Command;
use crate::scenario::Problem;
use crate::scenario::reader::{Item, Reader};
use crate::scenario::suggest::nearest;
use crate::topic::{AlterConfigOp, CONFIG_DEFS, ConfigOp, config_def};

/// A topic's config, whose name has to be Kafka's unless it stands in quotes.
pub(super) fn check_config(
    name: &str,
    quoted: bool,
    at: usize,
    more: &[&'static str],
) -> Result<(), Problem> {
    if quoted || config_def(name).is_some() {
        return Ok(());
    }
    let known: Vec<&str> =
        CONFIG_DEFS.iter().map(|def| def.name).chain(more.iter().copied()).collect();
    let way_out = match nearest(name, known.iter().copied()) {
        Some(meant) => format!("Is {meant} meant? "),
        None => String::new(),
    };
    let problem = Problem::new(at, format!("Kafka has no config {name} of a topic."));
    Err(problem
        .to(at + name.len())
        .with_hint(format!("{way_out}To have the broker refuse it, put the name into quotes.")))
}

pub(super) fn topic(reader: &mut Reader<'_>) -> Result<Command, Problem> {
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

pub(super) fn partitions(reader: &mut Reader<'_>) -> Result<Command, Problem> {
    let topic = reader.name(TOPIC)?;
    let total = reader.loose_number("the new number of partitions in all")?;
    Ok(Command::CreatePartitions { topic, total })
}

pub(super) fn configs(reader: &mut Reader<'_>) -> Result<Command, Problem> {
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

pub(super) fn delete_records(reader: &mut Reader<'_>) -> Result<Command, Problem> {
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

pub(super) fn optional_topic(reader: &mut Reader<'_>) -> Result<Option<String>, Problem> {
    if reader.is_done() { Ok(None) } else { reader.name(TOPIC).map(Some) }
}
