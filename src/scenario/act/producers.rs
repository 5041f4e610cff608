//! Reads lines of producers and their transactions.

use std::collections::BTreeMap;

use super::groups::{offsets, who};
use super::{Members, plain, set, unknown};
use crate::command::Command;
use crate::scenario::Problem;
use crate::scenario::reader::{Item, Reader};

const PRODUCER: &str = "the name of a producer";

/// The act that begins with `verb`; none if it is none of these.
pub(super) fn producing(
    verb: &str,
    reader: &mut Reader<'_>,
    members: &Members,
) -> Option<Result<Command, Problem>> {
    let of: fn(String) -> Command = match verb {
        "producer" => return Some(create(reader)),
        "retry" => return Some(retry(reader)),
        "send-offsets" => return Some(send_offsets(reader, members)),
        "close-producer" => |producer| Command::CloseProducer { producer },
        "kill-producer" => |producer| Command::KillProducer { producer },
        "init-transactions" => |producer| Command::InitTransactions { producer },
        "begin-transaction" => |producer| Command::BeginTransaction { producer },
        "commit-transaction" => |producer| Command::CommitTransaction { producer },
        "abort-transaction" => |producer| Command::AbortTransaction { producer },
        _ => return None,
    };
    Some(reader.name(PRODUCER).map(of))
}

fn create(reader: &mut Reader<'_>) -> Result<Command, Problem> {
    let producer = reader.name(PRODUCER)?;
    let (mut partitioner, mut configs) = (None, BTreeMap::new());
    loop {
        let at = reader.place();
        let Some(item) = reader.item()? else { break };
        match (plain(&item), item.clone()) {
            (Some("partitioner"), _) => {
                set(&mut partitioner, at, "partitioner", reader.text("a partitioner's id")?)?;
            }
            (_, Item::Setting { name, sign: None, .. }) => {
                let value = reader.text("a value")?;
                if configs.insert(name.clone(), value).is_some() {
                    set(&mut Some(()), at, &name, ())?;
                }
            }
            (_, item) => return Err(unknown(at, &item, &["partitioner"])),
        }
    }
    Ok(Command::CreateProducer { producer, partitioner, configs })
}

fn retry(reader: &mut Reader<'_>) -> Result<Command, Problem> {
    let mut producer = None;
    loop {
        let at = reader.place();
        let Some(item) = reader.item()? else { break };
        match plain(&item) {
            Some("producer") => set(&mut producer, at, "producer", reader.text(PRODUCER)?)?,
            _ => return Err(unknown(at, &item, &["producer"])),
        }
    }
    Ok(Command::Retry { producer })
}

fn send_offsets(reader: &mut Reader<'_>, members: &Members) -> Result<Command, Problem> {
    let producer = reader.name(PRODUCER)?;
    let (group, member) = who(reader, members, usize::from(reader.is_nothing_last()))?;
    let offsets = offsets(reader)?;
    Ok(Command::SendOffsets { producer, group, member, offsets })
}
