//! Producers of the data: their settings and their calls.

use std::collections::BTreeMap;

use loglanes::group::ConsumerConfig;
use loglanes::{Cluster, Command, Outcome, Produce, Result};
use serde_json::Value;

use super::Skipped;
use super::acts::{apply, offsets, record};
use super::refused::{Refused, refused};
use crate::recorded::{list, number, text};

/// A producer with the configs of an act. Those that only say how long to wait are left out.
pub fn create_producer(
    producer: &str,
    act: &Value,
    cluster: &mut Cluster,
) -> Result<Result<Outcome>, Skipped> {
    const OURS: [&str; 10] = [
        "acks",
        "batch.size",
        "buffer.memory",
        "compression.type",
        "enable.idempotence",
        "max.in.flight.requests.per.connection",
        "max.request.size",
        "retries",
        "transaction.timeout.ms",
        "transactional.id",
    ];
    let is_constructor = act["kind"] == "new_producer";
    let mut configs = BTreeMap::new();
    for (name, value) in act["producer_config"].as_object().into_iter().flatten() {
        if OURS.contains(&name.as_str()) {
            if value.is_null() {
                return Err("a config without a value cannot be given".to_owned());
            }
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            configs.insert(name.clone(), text);
        } else if is_constructor {
            return Err("a producer's config that does not matter here".to_owned());
        }
    }
    let producer = producer.to_owned();
    Ok(apply(cluster, Command::CreateProducer { producer, partitioner: None, configs }))
}

/// The consumer whose offsets a producer sends: it reads what they are of, and that there is.
fn reader(group: &str, offsets: &Value, cluster: &mut Cluster) -> Result<(), Skipped> {
    if group.is_empty() {
        return Err("a group without an id: here a member sends its offsets".to_owned());
    }
    if cluster.group(group).is_some() {
        return Ok(());
    }
    let mut topics: Vec<String> =
        list(offsets).iter().map(|at| text(&at["topic"]).to_owned()).collect();
    topics.dedup();
    if topics.is_empty() {
        topics.push("another".to_owned());
    }
    let config = ConsumerConfig { topics, ..ConsumerConfig::default() };
    let (group, member) = (group.to_owned(), "m".to_owned());
    apply(cluster, Command::Join { group, member, config }).unwrap();
    Ok(())
}

/// Calls of one producer, and of another one with the same configs.
pub fn producer_calls(
    act: &Value,
    cluster: &mut Cluster,
) -> Result<Result<String, Refused>, Skipped> {
    for name in ["p", "other"] {
        create_producer(name, act, cluster)?.unwrap();
    }
    for call in list(&act["calls"]) {
        if let Some(group) = call["group_id"].as_str() {
            reader(group, &call["offsets"], cluster)?;
        }
        let producer = call["on"].as_str().unwrap_or("p").to_owned();
        let command = match text(&call["call"]) {
            "partitions_for" => {
                return Err("a client's question about what is not there".to_owned());
            }
            "init_transactions" => Command::InitTransactions { producer },
            "begin_transaction" => Command::BeginTransaction { producer },
            "commit_transaction" => Command::CommitTransaction { producer },
            "abort_transaction" => Command::AbortTransaction { producer },
            "close" => Command::CloseProducer { producer },
            "sleep" => Command::AdvanceClock { ms: number(&call["ms"]) },
            "send" => {
                let record = record(call, call["topic"].as_str().unwrap_or("t"));
                Command::Produce(Produce { producer: Some(producer), ..record })
            }
            "send_offsets_to_transaction" => Command::SendOffsets {
                producer,
                group: text(&call["group_id"]).to_owned(),
                member: "m".to_owned(),
                offsets: Some(offsets(&call["offsets"])),
            },
            other => return Err(format!("no command: {other}")),
        };
        let failed = match apply(cluster, command) {
            Ok(Outcome::ProducerFailed { error, .. }) => Err((
                error.refusal.to_owned(),
                error.code.map(i64::from),
                error.name.to_owned(),
                error.message.clone(),
            )),
            Ok(_) => Ok(()),
            Err(error) => Err(refused(&error)),
        };
        match failed {
            Err(failed) if call["may_fail"] != true => return Ok(Err(failed)),
            _ => {}
        }
    }
    Ok(Ok(String::new()))
}
