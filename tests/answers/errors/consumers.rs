//! Consumers of the data: their settings and their calls.

use loglanes::group::assignor::Assignor;
use loglanes::group::{ConsumerConfig, OffsetReset, TopicPartition};
use loglanes::{Cluster, Command, LogEnd, Outcome, Result, SeekTo};
use serde_json::{Value, json};

use super::Skipped;
use super::acts::{apply, member, offsets};
use crate::recorded::{list, number, text};

/// A consumer with these settings; not one that waits for other times than the default's.
pub fn settings(config: &Value, topics: &[String]) -> Result<Result<ConsumerConfig>, Skipped> {
    let mut made = ConsumerConfig { topics: topics.to_vec(), ..ConsumerConfig::default() };
    let read = |made: &mut ConsumerConfig, name: &str, value: &str| -> Result<Option<()>> {
        match name {
            // Topics are never made by asking; what one fetch brings of all is more than these have.
            "group.id" | "allow.auto.create.topics" | "fetch.max.bytes" => {}
            "max.partition.fetch.bytes" => {
                made.max_partition_fetch_bytes = value.parse().unwrap();
            }
            "isolation.level" => made.isolation_level = value.parse()?,
            "group.protocol" => made.protocol = value.parse()?,
            "group.remote.assignor" => made.remote_assignor = Some(value.to_owned()),
            "group.instance.id" => made.instance_id = Some(value.to_owned()),
            "auto.offset.reset" => made.auto_offset_reset = value.parse()?,
            "partition.assignment.strategy" => {
                let class = value.rsplit('.').next().unwrap_or_default();
                let named = |one: &&Assignor| {
                    let plain = one.name().replace('-', "");
                    class.to_lowercase() == format!("{plain}assignor")
                };
                let Some(found) = Assignor::ALL.iter().find(named) else { return Ok(None) };
                made.assignors = vec![*found];
            }
            _ => return Ok(None),
        }
        Ok(Some(()))
    };
    for (name, value) in config.as_object().into_iter().flatten() {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        match read(&mut made, name, &value) {
            Ok(Some(())) => {}
            Ok(None) => return Err(format!("a consumer's {name} is not set here")),
            Err(error) => return Ok(Err(error)),
        }
    }
    Ok(Ok(made))
}

/// Calls of one consumer. One that is assigned partitions by hand is replayed by a member that
/// subscribes, where that gives it the same partitions.
pub fn consumer_calls(act: &Value, cluster: &mut Cluster) -> Result<Result<Value>, Skipped> {
    let config = &act["consumer_config"];
    if config.get("session.timeout.ms").is_some() {
        return Err("a consumer's session.timeout.ms is not set here".to_owned());
    }
    let name = if cluster.group("g").is_some() { "m2" } else { "m" };
    if name == "m2" && act["calls"][0]["call"] != "subscribe" {
        return Err("a lone consumer beside a group".to_owned());
    }
    let reset = match config["auto.offset.reset"].as_str() {
        None | Some("latest") => OffsetReset::Latest,
        Some("earliest") => OffsetReset::Earliest,
        Some(_) => OffsetReset::None,
    };
    let calls = list(&act["calls"]);
    let names: Vec<&str> = calls.iter().map(|call| text(&call["call"])).collect();
    let mut topics: Vec<String> = Vec::new();
    let mut rest = &names[..];
    match names[0] {
        "subscribe" if config.get("group.id").is_some() => {
            let given = calls[0]["topics"].as_array().ok_or("topics that are null")?;
            for topic in given {
                topics.push(topic.as_str().ok_or("a topic that is null")?.to_owned());
            }
            if topics.is_empty() && names.len() == 1 {
                return Err("subscribing to nothing is leaving".to_owned());
            }
            rest = &rest[1..];
        }
        "assign" => {
            let given = list(&calls[0]["partitions"]);
            for (partition, at) in given.iter().enumerate() {
                if at["partition"] != partition || (partition > 0 && at["topic"] != topics[0]) {
                    return Err("partitions assigned by hand that no group would deal out".into());
                }
                topics = vec![text(&at["topic"]).to_owned()];
            }
            rest = &rest[1..];
        }
        "seek" | "commit_sync" if config.get("group.id").is_some() => {
            // A member of this model always reads something.
            apply(cluster, Command::create_topic("another", 1)).unwrap();
            topics = vec!["another".to_owned()];
        }
        other => return Err(format!("no command: {other}")),
    }
    let can_be_said = ["poll", "seek", "commit_sync", "seek_to_beginning", "position"];
    if let Some(name) = rest.iter().find(|name| !can_be_said.contains(name)) {
        return Err(format!("no command: {name}"));
    }
    if rest.first() == Some(&"position") {
        return Err("position() before a poll".to_owned());
    }
    let may_be_missing = topics.first().is_some_and(|topic| topic == "nope");
    if names[0] == "assign" && !may_be_missing {
        for topic in &topics {
            if cluster.topic(topic).is_none() {
                apply(cluster, Command::create_topic(topic, 1)).unwrap();
            }
        }
    }
    let mut own = settings(config, &topics)?;
    if let Ok(own) = &mut own {
        own.auto_offset_reset = reset;
    }
    let joined = own.and_then(|own| {
        let group = config["group.id"].as_str().unwrap_or("g").to_owned();
        let member = name.to_owned();
        apply(cluster, Command::Join { group, member, config: own })
    });
    if let Err(error) = joined {
        return Ok(Err(error));
    }
    let mut answer = json!({});
    for call in &calls[calls.len() - rest.len()..] {
        let done = match text(&call["call"]) {
            "poll" => {
                let poll = |group, member| Command::Poll { group, member, max_records: None };
                apply(cluster, member(poll)).map(|outcome| match outcome {
                    Outcome::Polled { records, .. } => {
                        let row = |one: &loglanes::PolledRecord| {
                            json!({"partition": one.partition, "offset": one.offset})
                        };
                        json!({"records": records.iter().map(row).collect::<Vec<_>>()})
                    }
                    other => panic!("{other:?}"),
                })
            }
            "seek" => {
                let (topic, partition) =
                    (text(&call["topic"]).to_owned(), number(&call["partition"]));
                let to = SeekTo::Offset(number(&call["offset"]));
                let seek = |group, member| Command::Seek { group, member, topic, partition, to };
                apply(cluster, member(seek)).map(|_| json!({}))
            }
            "seek_to_beginning" => {
                let (topic, partition) = {
                    let first = &call["partitions"][0];
                    (text(&first["topic"]).to_owned(), number(&first["partition"]))
                };
                let to = SeekTo::End(LogEnd::Beginning);
                let seek = |group, member| Command::Seek { group, member, topic, partition, to };
                apply(cluster, member(seek)).map(|_| json!({}))
            }
            "commit_sync" => {
                let offsets = Some(offsets(&call["offsets"]));
                let commit = |group, member| Command::Commit { group, member, offsets };
                apply(cluster, member(commit)).map(|_| json!({}))
            }
            _ => {
                let at = TopicPartition::new(text(&call["topic"]), number(&call["partition"]));
                let held = &cluster.group("g").unwrap().members["m"];
                Ok(json!({"position": held.positions.get(&at)}))
            }
        };
        match done {
            Ok(done) => answer = done,
            Err(error) => return Ok(Err(error)),
        }
    }
    Ok(Ok(answer))
}
