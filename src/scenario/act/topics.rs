//! Reads lines of topics.

use std::collections::BTreeMap;

use super::{TOPIC, WHOLE, plain, set, unknown};
use crate::command::Command;
use crate::scenario::Problem;
use crate::scenario::reader::{Item, Reader};
use crate::scenario::suggest::nearest;
use crate::topic::{AlterConfigOp, CONFIG_DEFS, ConfigOp, ReplicaAssignment, config_def};

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
    let (mut partitions, mut replication_factor, mut assignments) = (None, None, None);
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
            (Some(ASSIGNMENT), _) => set(&mut assignments, at, ASSIGNMENT, assignment(reader)?)?,
            (_, Item::Setting { name, quoted, sign: None }) => {
                check_config(&name, quoted, at, &TOPIC_SETTINGS)?;
                let value = reader.text("a value")?;
                if configs.insert(name.clone(), value).is_some() {
                    set(&mut Some(()), at, &name, ())?;
                }
            }
            (_, item) => return Err(unknown(at, &item, &TOPIC_SETTINGS)),
        }
    }
    if let Some(assignments) = assignments {
        if partitions.is_some() || replication_factor.is_some() {
            let what = "The assignment says itself how many partitions and replicas there are.";
            return Err(Problem::new(reader.place(), what.to_owned())
                .with_hint("Leave partitions= and replication-factor= out."));
        }
        return Ok(Command::CreateAssignedTopic { name, assignments, configs });
    }
    Ok(Command::CreateTopic { name, partitions, replication_factor, configs })
}

pub(super) fn partitions(reader: &mut Reader<'_>) -> Result<Command, Problem> {
    let topic = reader.name(TOPIC)?;
    let total = reader.loose_number("the new number of partitions in all")?;
    let at = reader.place();
    match reader.item()? {
        None => Ok(Command::CreatePartitions { topic, total }),
        Some(item) if plain(&item) == Some(ASSIGNMENT) => {
            let at = reader.place();
            let rows = assignment(reader)?;
            if !(0..).zip(&rows).all(|(place, row)| row.partition == place) {
                return Err(Problem::new(
                    at,
                    "New partitions are named in their order.".to_owned(),
                )
                .with_hint("Write the brokers of each without its number: 1:2,2:3."));
            }
            let assignments = rows.into_iter().map(|row| row.replicas).collect();
            Ok(Command::CreateAssignedPartitions { topic, total, assignments })
        }
        Some(item) => Err(unknown(at, &item, &[ASSIGNMENT])),
    }
}

/// The setting that names brokers.
const ASSIGNMENT: &str = "assignment";

const TOPIC_SETTINGS: [&str; 3] = ["partitions", "replication-factor", ASSIGNMENT];

/// Brokers as `kafka-topics --replica-assignment` takes them.
fn assignment(reader: &mut Reader<'_>) -> Result<Vec<ReplicaAssignment>, Problem> {
    let at = reader.place();
    let text = reader.text("brokers, such as 1:2,2:3")?;
    ReplicaAssignment::read(&text).ok_or_else(|| {
        Problem::new(at, format!("{text} names no brokers."))
            .with_hint("Write 1:2,2:3: the brokers of partition 0, then of 1; the first leads.")
    })
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
