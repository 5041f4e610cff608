//! Refusals against recorded answers of Apache Kafka 4.4.0: code, name and text of each, and the
//! neighbouring acts that are accepted. What the fields mean: `tests/golden/errors/README.md`.
//!
//! A line is replayed if our commands can say it; all others are left out by kind, and counted.
//! Where Kafka has no code, the name is the Java exception's. The broker was alone, number 1.
#![cfg(not(target_arch = "wasm32"))]

#[path = "support/golden.rs"]
mod golden;

use std::collections::BTreeMap;

use golden::{Tally, hex, lines, number};
use loglanes::group::assignor::Assignor;
use loglanes::group::{ConsumerConfig, OffsetReset, PartitionOffset, TopicPartition};
use loglanes::log::{LogConfig, NewRecord, PartitionLog};
use loglanes::topic::{AlterConfigOp, CONFIG_DEFS, ConfigOp, TopicConfig};
use loglanes::{
    Bytes, Cluster, Command, Error, LogEnd, Outcome, Produce, RecordSet, Result, SeekTo,
};
use serde_json::{Value, json};

/// After every timestamp of the data, by enough for none to be too far ahead.
const NOW: i64 = 1_750_000_000_000;

/// Why a line is not replayed.
type Skipped = String;

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The configs of a topic.
fn configs(value: &Value) -> Result<BTreeMap<String, String>, Skipped> {
    let Some(given) = value.as_object() else { return Ok(BTreeMap::new()) };
    given
        .iter()
        .map(|(name, value)| {
            let value = value.as_str().ok_or("a config without a value cannot be given")?;
            Ok((name.clone(), value.to_owned()))
        })
        .collect()
}

fn apply(cluster: &mut Cluster, command: Command) -> Result<Outcome> {
    cluster.apply(&command, NOW)
}

fn member(act: impl FnOnce(String, String) -> Command) -> Command {
    act("g".to_owned(), "m".to_owned())
}

fn join(topics: &[String], reset: OffsetReset) -> Command {
    let config = ConsumerConfig {
        topics: topics.to_vec(),
        auto_offset_reset: reset,
        ..ConsumerConfig::default()
    };
    member(|group, member| Command::Join { group, member, config })
}

/// A record of the data; its value may be given by size.
fn record(given: &Value, topic: &str) -> Produce {
    let value = match given["value_size"].as_u64() {
        Some(size) => Some(vec![b'x'; size as usize]),
        None => hex(&given["value_hex"]),
    };
    Produce {
        topic: topic.to_owned(),
        partition: given["partition"].as_i64().map(|partition| partition as i32),
        timestamp: timestamp(&given["timestamp"]),
        key: hex(&given["key_hex"]).map(Bytes::from),
        value: value.map(Bytes::from),
        ..Produce::default()
    }
}

fn timestamp(given: &Value) -> Option<i64> {
    match given {
        Value::String(text) => Some(text.strip_prefix("now").map_or_else(
            || text.parse().unwrap(),
            |after| NOW + after.parse::<i64>().unwrap_or(0),
        )),
        given => given.as_i64(),
    }
}

/// What was there before the act.
fn prior(line: &Value) -> Result<Cluster, Skipped> {
    let mut cluster = Cluster::with_brokers(7, [1]);
    let prior = &line["prior"];
    for topic in list(&prior["topics"]) {
        let name = text(&topic["name"]);
        let command = Command::CreateTopic {
            name: name.to_owned(),
            partitions: Some(number(&topic["partitions"])),
            replication_factor: Some(number(&topic["replication_factor"])),
            configs: configs(&topic["configs"])?,
        };
        apply(&mut cluster, command).unwrap();
        let mut below = BTreeMap::new();
        for start in list(&topic["log_start_offsets"]) {
            let (partition, offset) = (number(&start["partition"]), number(&start["offset"]));
            let log = PartitionLog::with_base_offset(LogConfig::default(), offset, NOW).unwrap();
            cluster = cluster.with_log(name, partition, log).unwrap();
            below.insert(partition, offset);
        }
        for given in list(&topic["records"]) {
            let partition: i32 = number(&given["partition"]);
            let gone = below.get(&partition).copied().unwrap_or(0);
            for _ in gone..given["count"].as_i64().unwrap_or(1) {
                apply(&mut cluster, Command::Produce(record(given, name))).unwrap();
            }
        }
    }
    for group in list(&prior["groups"]) {
        if text(&group["group_id"]) != "g" {
            return Err("more than one group".to_owned());
        }
        let topics: Vec<String> = cluster.topics().map(|(name, _)| name.to_owned()).collect();
        if group.get("offsets").is_some() {
            apply(&mut cluster, join(&topics, OffsetReset::Latest)).unwrap();
            let offsets = Some(offsets(&group["offsets"]));
            apply(&mut cluster, member(|group, member| Command::Commit { group, member, offsets }))
                .unwrap();
            apply(&mut cluster, member(|group, member| Command::Leave { group, member })).unwrap();
        }
        for one in list(&group["members"]) {
            if one.get("consumer_config").is_some() {
                let topics: Vec<String> =
                    list(&one["topics"]).iter().map(|topic| text(topic).to_owned()).collect();
                let config = settings(&one["consumer_config"], &topics)?;
                let config = config.map_err(|error| error.message().to_owned())?;
                apply(
                    &mut cluster,
                    member(|group, member| Command::Join { group, member, config }),
                )
                .unwrap();
                continue;
            }
            let topics: Vec<String> =
                list(&one["topics"]).iter().map(|topic| text(topic).to_owned()).collect();
            apply(&mut cluster, join(&topics, OffsetReset::Latest)).unwrap();
        }
    }
    Ok(cluster)
}

fn offsets(given: &Value) -> Vec<PartitionOffset> {
    list(given)
        .iter()
        .map(|at| {
            let (partition, offset) = (number(&at["partition"]), number(&at["offset"]));
            let metadata = at["metadata"].as_str().unwrap_or_default().to_owned();
            PartitionOffset {
                metadata,
                ..PartitionOffset::new(text(&at["topic"]), partition, offset)
            }
        })
        .collect()
}

/// Carries out the act of a line, in place of Kafka. The outer error: it cannot be said here.
fn replay(line: &Value, cluster: &mut Cluster) -> Result<Result<Value>, Skipped> {
    let act = &line["act"];
    let kind = text(&act["kind"]);
    let topic =
        || act["topic"].as_str().map(str::to_owned).ok_or_else(|| "a name that is null".to_owned());
    match kind {
        "create_topic" => {
            if act.get("assignments").is_some() {
                return Err("replicas assigned by hand".to_owned());
            }
            let given = configs(&act["configs"])?;
            let command = Command::CreateTopic {
                name: topic()?,
                partitions: act["partitions"].as_i64().map(|count| count as i32),
                replication_factor: act["replication_factor"].as_i64().map(|n| n as i16),
                configs: given,
            };
            let name = topic()?;
            Ok(apply(cluster, command).map(|_| {
                let made = cluster.topic(&name).unwrap();
                json!({
                    "partitions": made.partition_count(),
                    "replication_factor": made.replication_factor,
                })
            }))
        }
        "create_partitions" => {
            if act.get("new_assignments").is_some() {
                return Err("replicas assigned by hand".to_owned());
            }
            let total = number(&act["total_count"]);
            let command = Command::CreatePartitions { topic: topic()?, total };
            Ok(apply(cluster, command).map(|outcome| match outcome {
                Outcome::PartitionsCreated { to, .. } => json!({"partitions_after": to}),
                other => panic!("{other:?}"),
            }))
        }
        "delete_topic" => {
            Ok(apply(cluster, Command::DeleteTopic { name: topic()? }).map(|_| json!({})))
        }
        "produce" | "new_producer_record" => {
            let mut record = record(act, &topic()?);
            if act["producer_config"].is_object() {
                match create_producer("p", act, cluster)? {
                    Ok(_) => record.producer = Some("p".to_owned()),
                    Err(error) => return Ok(Err(error)),
                }
            }
            Ok(apply(cluster, Command::Produce(record)).map(|outcome| match outcome {
                Outcome::Produced { partition, offset, timestamp, .. } => json!({
                    "partition": partition, "offset": offset, "timestamp": timestamp as i64,
                }),
                other => panic!("{other:?}"),
            }))
        }
        "produce_many" => {
            let mut set = RecordSet::builder();
            for given in list(&act["records"]) {
                let one = record(given, "t");
                set.push(&NewRecord {
                    timestamp: one.timestamp.unwrap(),
                    key: one.key.as_deref(),
                    value: one.value.as_deref(),
                    headers: &[],
                })
                .unwrap();
            }
            let command = Command::ProduceMany {
                topic: topic()?,
                producer: None,
                partitioner: None,
                records: set.finish(),
            };
            Ok(apply(cluster, command).map(|outcome| match outcome {
                Outcome::ProducedMany { partitions, refused, .. } => {
                    assert_eq!(refused, 0.0);
                    let sent = &partitions[0];
                    json!({"first": sent.first_offset, "last": sent.last_offset})
                }
                other => panic!("{other:?}"),
            }))
        }
        "alter_configs" if act["resource_type"] == "topic" => {
            if act["validate_only"] == true {
                return Err("a change that is only checked".to_owned());
            }
            let name = text(&act["resource"]).to_owned();
            let ops: Vec<AlterConfigOp> = serde_json::from_value(act["ops"].clone()).unwrap();
            let altered = apply(cluster, Command::AlterConfigs { topic: name.clone(), ops });
            Ok(altered.map(|_| {
                let entries = cluster.topic(&name).unwrap().config.describe();
                let named = list(&act["ops"]).iter().filter_map(|op| {
                    let entry = entries.iter().find(|entry| op["name"] == entry.def.name)?;
                    let described = json!({"value": entry.value, "source": entry.source});
                    Some((entry.def.name.to_owned(), described))
                });
                json!({"after": named.collect::<serde_json::Map<_, _>>()})
            }))
        }
        "delete_records" => {
            if line["exception"].as_str().is_some_and(|name| name.ends_with("TimeoutException")) {
                return Err("a client that gives up, and tells its own counts".to_owned());
            }
            let (topic, partition) = (topic()?, number(&act["partition"]));
            let before = number(&act["before_offset"]);
            let command = Command::DeleteRecords { topic, partition, before };
            Ok(apply(cluster, command).map(|outcome| match outcome {
                Outcome::RecordsDeleted { log_start_offset, .. } => {
                    json!({"low_watermark": log_start_offset})
                }
                other => panic!("{other:?}"),
            }))
        }
        "delete_group" => {
            let group = text(&act["group_id"]).to_owned();
            Ok(apply(cluster, Command::DeleteGroup { group }).map(|_| json!({})))
        }
        "new_offset_and_metadata" => {
            apply(cluster, Command::create_topic("t", 1)).unwrap();
            apply(cluster, join(&["t".to_owned()], OffsetReset::Latest)).unwrap();
            let offset = number(&act["offset"]);
            let offsets = Some(vec![PartitionOffset::new("t", 0, offset)]);
            let commit = member(|group, member| Command::Commit { group, member, offsets });
            Ok(apply(cluster, commit).map(|_| json!({})))
        }
        "consumer_calls" => consumer_calls(act, cluster),
        "new_consumer" => {
            if act["consumer_config"].get("max.poll.records").is_some() {
                return Err("max.poll.records is a matter of each poll".to_owned());
            }
            if line["message"] == "Failed to construct kafka consumer" {
                return Err("why a consumer cannot be made, wrapped in another text".to_owned());
            }
            let config = settings(&act["consumer_config"], &["t".to_owned()])?;
            Ok(config.and_then(|config| {
                let join = member(|group, member| Command::Join { group, member, config });
                apply(cluster, join).map(|_| json!({}))
            }))
        }
        "delete_group_offsets" => {
            let group = text(&act["group_id"]).to_owned();
            let topics = list(&act["partitions"])
                .iter()
                .map(|at| format!("{}:{}", text(&at["topic"]), at["partition"]))
                .collect();
            Ok(apply(cluster, Command::DeleteOffsets { group, topics }).map(|_| json!({})))
        }
        "new_producer" => Ok(create_producer("p", act, cluster)?.map(|_| json!({}))),
        other => Err(format!("no command: {other}")),
    }
}

/// A consumer with these settings; not one that waits for other times than the default's.
fn settings(config: &Value, topics: &[String]) -> Result<Result<ConsumerConfig>, Skipped> {
    let mut made = ConsumerConfig { topics: topics.to_vec(), ..ConsumerConfig::default() };
    let read = |made: &mut ConsumerConfig, name: &str, value: &str| -> Result<Option<()>> {
        match name {
            // Topics are never made by asking; what one fetch brings of all is more than these have.
            "group.id" | "allow.auto.create.topics" | "fetch.max.bytes" => {}
            "max.partition.fetch.bytes" => {
                made.max_partition_fetch_bytes = value.parse().unwrap();
            }
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

/// A producer with the configs of an act. Those that only say how long to wait are left out.
fn create_producer(
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
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            configs.insert(name.clone(), text);
        } else if is_constructor {
            return Err("a producer's config that does not matter here".to_owned());
        }
    }
    let producer = producer.to_owned();
    Ok(apply(cluster, Command::CreateProducer { producer, partitioner: None, configs }))
}

/// Calls of one producer, and of another one with the same configs.
fn producer_calls(act: &Value, cluster: &mut Cluster) -> Result<Result<String, Refused>, Skipped> {
    for name in ["p", "other"] {
        create_producer(name, act, cluster)?.unwrap();
    }
    for call in list(&act["calls"]) {
        let producer = call["on"].as_str().unwrap_or("p").to_owned();
        let command = match text(&call["call"]) {
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

/// Calls of one consumer. One that is assigned partitions by hand is replayed by a member that
/// subscribes, where that gives it the same partitions.
fn consumer_calls(act: &Value, cluster: &mut Cluster) -> Result<Result<Value>, Skipped> {
    let config = &act["consumer_config"];
    if config.get("session.timeout.ms").is_some() {
        return Err("a consumer's session.timeout.ms is not set here".to_owned());
    }
    if config["group.id"] == "" {
        return Err("why a consumer cannot be made, wrapped in another text".to_owned());
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
    let joined = own.and_then(|config| {
        let (group, member) = ("g".to_owned(), name.to_owned());
        apply(cluster, Command::Join { group, member, config })
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

/// The recorded text, with our clock and our names in place of those of the recording.
fn expected_message(line: &Value) -> String {
    let mut message = text(&line["message"]).to_owned();
    if let Some(offsets) = line["act"]["now_offsets_in_message"].as_array() {
        for offset in offsets {
            let offset: i64 = number(offset);
            message = message
                .replace(&format!("<now{offset:+}>"), &NOW.saturating_add(offset).to_string());
        }
    }
    message
        .replace("<now+7200000>", &(NOW + 7_200_000).to_string())
        .replace("after 1000 ms.", "after 60000 ms.")
        .replace("Timeout of 3000ms", "Timeout of 60000ms")
        .replace("<host>:<port>", "broker-1:9092")
        // The first that was given out.
        .replace("<producer-id>", "0")
}

/// Who, code, name (the exception's, where there is no code), text.
type Refused = (String, Option<i64>, String, String);

fn refused(error: &Error) -> Refused {
    assert!(!error.hint().is_empty(), "no way out of: {error}");
    let by = error.refusal().by().to_owned();
    (by, error.code().map(i64::from), error.name().to_owned(), error.message().to_owned())
}

fn expected(line: &Value) -> Refused {
    let class = text(&line["exception"]).rsplit(['.', '$']).next().unwrap().to_owned();
    let name = line["name"].as_str().map_or(class, str::to_owned);
    // What the client raised after a broker's answer is still the client's.
    let by = text(&line["refused_by"]).split('_').next().unwrap().to_owned();
    (by, line["code"].as_i64(), name, expected_message(line))
}

#[test]
fn what_kafka_refuses_is_refused_in_its_words() {
    let lines = lines("errors/refusals.ndjson");
    let mut tally = Tally::default();
    for line in &lines {
        let replayed = prior(line).and_then(|mut cluster| {
            if text(&line["act"]["kind"]) == "produce_many" {
                return Err("several records, of which each has its own fate".to_owned());
            }
            if text(&line["act"]["kind"]) == "producer_calls" {
                return producer_calls(&line["act"], &mut cluster);
            }
            let answer = replay(line, &mut cluster);
            answer.map(|answer| answer.as_ref().map_err(refused).map(Value::to_string))
        });
        match replayed {
            Ok(ours) => tally.compare(&line["case"], ours, Err(expected(line))),
            Err(reason) => tally.skip(reason),
        }
    }
    tally.finish("errors/refusals.ndjson", lines.len());
}

#[test]
fn what_kafka_accepts_is_accepted() {
    let lines = lines("errors/accepted.ndjson");
    let mut tally = Tally::default();
    for line in &lines {
        let replayed = prior(line).and_then(|mut cluster| replay(line, &mut cluster));
        match replayed {
            Ok(ours) => {
                let mut recorded = line["result"].clone();
                if let Some(answer) = recorded.as_object_mut() {
                    answer.remove("topic_exists_after");
                    if let Some(Value::String(time)) = answer.get("timestamp") {
                        let time = time.trim_matches(['<', '>']).to_owned();
                        let time = timestamp(&Value::String(time)).unwrap();
                        answer.insert("timestamp".to_owned(), json!(time));
                    }
                }
                if let Some(each) = line["each_record"].as_array() {
                    let (first, last) = (each.first().unwrap(), each.last().unwrap());
                    recorded = json!({"first": first["offset"], "last": last["offset"]});
                }
                if line["act"]["validate_only"] == true
                    && recorded.get("partitions_after").is_some()
                {
                    tally.compare(&line["case"], ours.is_ok(), true);
                    continue;
                }
                tally.compare(&line["case"], ours.map_err(|error| refused(&error)), Ok(recorded));
            }
            Err(reason) => tally.skip(reason),
        }
    }
    tally.finish("errors/accepted.ndjson", lines.len());
}

/// What DescribeConfigs answers afterwards, or the refusal.
fn described(recorded: &Value) -> Result<String, Refused> {
    if recorded["accepted"] == true {
        return Ok(text(&recorded["described"]).to_owned());
    }
    let (name, message) = (text(&recorded["name"]), text(&recorded["message"]));
    let by = "broker".to_owned();
    Err((by, recorded["code"].as_i64(), name.to_owned(), message.to_owned()))
}

/// Each value is given twice: to a topic that is there, and to a new one. A new topic cannot be
/// given a config without a value.
#[test]
fn values_of_configs_are_taken_and_refused_as_kafka_does() {
    let lines = lines("errors/config-values.ndjson");
    let mut tally = Tally::default();
    for line in &lines {
        let name = text(&line["config"]).to_owned();
        let value = line["value"].as_str().map(str::to_owned);
        let of_topic = |cluster: &Cluster| {
            let config = &cluster.topic("t").unwrap().config;
            (config.described(&name), config.given().get(&name).cloned())
        };

        let mut cluster = Cluster::with_brokers(7, [1]);
        apply(&mut cluster, Command::create_topic("t", 1)).unwrap();
        let op = AlterConfigOp { op: ConfigOp::Set, name: name.clone(), value: value.clone() };
        let altered =
            apply(&mut cluster, Command::AlterConfigs { topic: "t".into(), ops: vec![op] })
                .map(|_| of_topic(&cluster).0.unwrap())
                .map_err(|error| refused(&error));

        let same = line["create"] == "same";
        let create = if same { &line["alter"] } else { &line["create"] };
        let stored = line["in_create_answer"].as_str().map(str::to_owned);
        let created = value.map(|value| {
            let mut cluster = Cluster::with_brokers(7, [1]);
            let configs = BTreeMap::from([(name.clone(), value)]);
            let command = Command::CreateTopic {
                name: "t".into(),
                partitions: Some(1),
                replication_factor: None,
                configs,
            };
            let made = apply(&mut cluster, command).map(|_| of_topic(&cluster));
            made.map(|(now, given)| (now.unwrap(), given)).map_err(|error| refused(&error))
        });
        let recorded = created.as_ref().map(|_| described(create).map(|now| (now, stored)));
        tally.compare(
            (&name, &line["value"]),
            (altered, created),
            (described(&line["alter"]), recorded),
        );
    }
    tally.finish("errors/config-values.ndjson", lines.len());
}

#[test]
fn every_topic_config_is_described_as_kafka_does() {
    let lines = lines("errors/topic-configs.ndjson");
    let entries = TopicConfig::default().describe();
    let mut tally = Tally::default();
    for line in &lines {
        let def = CONFIG_DEFS.iter().find(|def| line["name"] == def.name);
        let ours = def.map(|def| {
            let kind = def.kind.to_string();
            let rule = def.rule.to_string();
            let synonyms = def.synonyms.iter();
            let synonyms = synonyms
                .map(|(name, unit)| json!({"name": name, "unit": unit}))
                .collect::<Vec<_>>();
            let place = entries.iter().position(|entry| entry.def.name == def.name);
            let described = place
                .and_then(|place| entries.get(place))
                .map(|entry| json!({"value": entry.value, "source": entry.source, "type": kind}));
            json!({
                "name": def.name, "type": kind.to_lowercase(), "default": def.default,
                "validator": (!rule.is_empty()).then_some(rule),
                "internal": def.position.is_none(), "position_in_description": place,
                "described": described, "broker_synonyms": synonyms,
            })
        });
        let mut recorded = line.clone();
        if let Some(fields) = recorded.as_object_mut() {
            // The same for every topic config; and what a broker's own configs say.
            assert_eq!(fields.remove("importance"), Some(json!("medium")));
            if let Some(described) = fields["described"].as_object_mut() {
                assert_eq!(described.remove("read_only"), Some(json!(false)));
                assert_eq!(described.remove("sensitive"), Some(json!(false)));
                described.remove("synonyms");
            }
        }
        tally.compare(text(&line["name"]), ours, Some(recorded));
    }
    tally.finish("errors/topic-configs.ndjson", lines.len());
}
