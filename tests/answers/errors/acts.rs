//! Acts of the data, carried out by commands, and the state that they begin in.

use std::collections::BTreeMap;

use loglanes::group::{ConsumerConfig, OffsetReset, PartitionOffset};
use loglanes::log::{LogConfig, NewRecord, PartitionLog};
use loglanes::topic::{AlterConfigOp, INTERNAL_TOPICS, ReplicaAssignment};
use loglanes::{Bytes, Cluster, Command, Error, Outcome, OwnedHeader, Produce, RecordSet, Result};
use serde_json::{Value, json};

use super::consumers::{consumer_calls, new_consumer, settings};
use super::producers::create_producer;
use super::{NOW, Skipped};
use crate::recorded::{hex, list, number, numbers, text};

/// The configs of a topic.
pub fn configs(value: &Value) -> Result<BTreeMap<String, String>, Skipped> {
    let Some(given) = value.as_object() else { return Ok(BTreeMap::new()) };
    given
        .iter()
        .map(|(name, value)| {
            let value = value.as_str().ok_or("a config without a value cannot be given")?;
            Ok((name.clone(), value.to_owned()))
        })
        .collect()
}

pub fn apply(cluster: &mut Cluster, command: Command) -> Result<Outcome> {
    cluster.apply(&command, NOW)
}

pub fn member(act: impl FnOnce(String, String) -> Command) -> Command {
    act("g".to_owned(), "m".to_owned())
}

pub fn join(topics: &[String], reset: OffsetReset) -> Command {
    let config = ConsumerConfig {
        topics: topics.to_vec(),
        auto_offset_reset: reset,
        ..ConsumerConfig::default()
    };
    member(|group, member| Command::Join { group, member, config })
}

fn header(given: &Value) -> OwnedHeader {
    let key = given["key"].as_str().map(|key| key.as_bytes().to_vec());
    OwnedHeader {
        key: Bytes::from(key.or_else(|| hex(&given["key_hex"])).unwrap_or_default()),
        value: hex(&given["value_hex"]).map(Bytes::from),
    }
}

/// A record of the data; its value may be given by size.
pub fn record(given: &Value, topic: &str) -> Produce {
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
        headers: list(&given["headers"]).iter().map(header).collect(),
        ..Produce::default()
    }
}

pub fn timestamp(given: &Value) -> Option<i64> {
    match given {
        Value::String(text) => Some(text.strip_prefix("now").map_or_else(
            || text.parse().unwrap(),
            |after| NOW + after.parse::<i64>().unwrap_or(0),
        )),
        given => given.as_i64(),
    }
}

/// What was there before the act.
pub fn prior(line: &Value) -> Result<Cluster, Skipped> {
    // The broker was alone, unless the line says more.
    let brokers = line["brokers"].as_array();
    let brokers = brokers.map_or_else(|| vec![1], |ids| ids.iter().map(number).collect());
    let mut cluster = Cluster::with_brokers(7, brokers);
    let prior = &line["prior"];
    for topic in list(&prior["topics"]) {
        let name = text(&topic["name"]);
        let configs = configs(&topic["configs"])?;
        let command = match assigned(&topic["assignments"]) {
            Some(assignments) => {
                Command::CreateAssignedTopic { name: name.to_owned(), assignments, configs }
            }
            None => Command::CreateTopic {
                name: name.to_owned(),
                partitions: Some(number(&topic["partitions"])),
                replication_factor: Some(number(&topic["replication_factor"])),
                configs,
            },
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

pub fn offsets(given: &Value) -> Vec<PartitionOffset> {
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

/// Brokers by partition, as a map of the Java client or as a list of a request; none if none is given.
pub fn assigned(given: &Value) -> Option<Vec<ReplicaAssignment>> {
    let by_name = given.as_object().into_iter().flatten().map(|(partition, replicas)| {
        ReplicaAssignment { partition: partition.parse().unwrap(), replicas: numbers(replicas) }
    });
    let listed = list(given).iter().map(|row| ReplicaAssignment {
        partition: number(&row["partitionIndex"]),
        replicas: numbers(&row["brokerIds"]),
    });
    (!given.is_null()).then(|| by_name.chain(listed).collect())
}

/// Carries out the act of a line, in place of Kafka. The outer error: it cannot be said here.
pub fn replay(line: &Value, cluster: &mut Cluster) -> Result<Result<Value>, Skipped> {
    let act = &line["act"];
    let kind = text(&act["kind"]);
    let topic =
        || act["topic"].as_str().map(str::to_owned).ok_or_else(|| "a name that is null".to_owned());
    match kind {
        "create_topic" => {
            let name = topic()?;
            let configs = configs(&act["configs"])?;
            let command = match assigned(&act["assignments"]) {
                Some(assignments) => {
                    Command::CreateAssignedTopic { name: name.clone(), assignments, configs }
                }
                None => Command::CreateTopic {
                    name: name.clone(),
                    partitions: act["partitions"].as_i64().map(|count| count as i32),
                    replication_factor: act["replication_factor"].as_i64().map(|n| n as i16),
                    configs,
                },
            };
            Ok(apply(cluster, command).map(|_| {
                let made = cluster.topic(&name).unwrap();
                json!({
                    "partitions": made.partition_count(),
                    "replication_factor": made.replication_factor,
                })
            }))
        }
        "create_partitions" => {
            let (topic, total) = (topic()?, number(&act["total_count"]));
            if INTERNAL_TOPICS.contains(&&*topic) {
                return Err("Kafka's own topics have no partitions here".to_owned());
            }
            let command = match act["new_assignments"].as_array() {
                Some(rows) => {
                    let assignments = rows.iter().map(numbers).collect();
                    Command::CreateAssignedPartitions { topic, total, assignments }
                }
                None => Command::CreatePartitions { topic, total },
            };
            Ok(apply(cluster, command).map(|outcome| match outcome {
                Outcome::PartitionsCreated { to, .. } => json!({"partitions_after": to}),
                other => panic!("{other:?}"),
            }))
        }
        "delete_topic" => {
            Ok(apply(cluster, Command::DeleteTopic { name: topic()? }).map(|_| json!({})))
        }
        "new_producer_record" => {
            // What the constructor refuses; what else a send would be refused is not its matter.
            let sent = apply(cluster, Command::Produce(record(act, &topic()?)));
            let of_constructor = |error: &Error| error.name() == "IllegalArgumentException";
            Ok(sent.map_or_else(
                |error| if of_constructor(&error) { Err(error) } else { Ok(json!({})) },
                |_| Ok(json!({})),
            ))
        }
        "produce" if act["producer_config"]["acks"] == "0" && line["result"]["offset"] == -1 => {
            Err("a producer that does not wait for an answer is told no offset".to_owned())
        }
        "produce" => {
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
            let sent = produce_many(act, cluster)?;
            Ok(sent.map(|outcome| match outcome {
                Outcome::ProducedMany { partitions, refused, .. } => {
                    assert_eq!(refused, 0.0);
                    let sent = &partitions[0];
                    json!({"first": sent.first_offset, "last": sent.last_offset})
                }
                other => panic!("{other:?}"),
            }))
        }
        "alter_configs" if act["resource_type"] == "topic" => {
            let name = text(&act["resource"]).to_owned();
            if INTERNAL_TOPICS.contains(&&*name) {
                return Err("Kafka's own topics have no configs here".to_owned());
            }
            let ops: Vec<AlterConfigOp> = serde_json::from_value(act["ops"].clone()).unwrap();
            let before = cluster.clone();
            let altered = apply(cluster, Command::AlterConfigs { topic: name.clone(), ops });
            // What is only checked changes nothing.
            let after = if act["validate_only"] == true { &before } else { cluster };
            Ok(altered.map(|_| {
                let entries = after.topic(&name).unwrap().config.describe();
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
        "new_consumer" => new_consumer(act, cluster),
        "delete_group_offsets" => {
            let group = text(&act["group_id"]).to_owned();
            let topics = list(&act["partitions"])
                .iter()
                .map(|at| format!("{}:{}", text(&at["topic"]), at["partition"]))
                .collect();
            Ok(apply(cluster, Command::DeleteOffsets { group, topics }).map(|_| json!({})))
        }
        "new_producer" => Ok(create_producer("p", act, cluster)?.map(|_| json!({}))),
        "list_offsets" => {
            let held = act["topic"].as_str().and_then(|name| cluster.topic(name));
            let held = held.and_then(|topic| topic.partition(number(&act["partition"])));
            let log = &held.ok_or("a client's question about what is not there")?.log;
            let spec = text(&act["spec"]);
            let found = match spec {
                "earliest" | "earliest_local" => Some((log.log_start_offset(), -1)),
                "latest" => Some((log.log_end_offset(), -1)),
                // Nothing is stored elsewhere.
                "latest_tiered" | "earliest_pending_upload" => None,
                "max_timestamp" => log.max_timestamp_offset(),
                time => log.offset_for_timestamp(time.parse().unwrap()),
            };
            let (offset, timestamp) = found.unwrap_or((-1, -1));
            let epoch = found.map(|_| 0);
            Ok(Ok(json!({"offset": offset, "timestamp": timestamp, "leader_epoch": epoch})))
        }
        "remove_members" if list(&act["instance_ids"]).is_empty() => {
            let group = text(&act["group_id"]).to_owned();
            Ok(apply(cluster, Command::RemoveMembers { group }).map(|_| json!({})))
        }
        other => Err(no_act(other).to_owned()),
    }
}

/// Sends the records of an act at once.
fn produce_many(act: &Value, cluster: &mut Cluster) -> Result<Result<Outcome>, Skipped> {
    let mut set = RecordSet::builder();
    let topic = act["topic"].as_str().ok_or("a name that is null")?;
    for given in list(&act["records"]) {
        let one = record(given, topic);
        if one.partition.is_some_and(|partition| partition != 0) {
            return Err("records of which each names its partition".to_owned());
        }
        let (timestamp, key, value) = (one.timestamp.unwrap(), one.key, one.value);
        set.push(&NewRecord {
            timestamp,
            key: key.as_deref(),
            value: value.as_deref(),
            headers: &[],
        })
        .unwrap();
    }
    let (topic, records) = (topic.to_owned(), set.finish());
    Ok(apply(cluster, Command::ProduceMany { topic, producer: None, partitioner: None, records }))
}

/// How many records were refused in which words: of ours, and of the recorded ones.
pub fn fates(line: &Value, cluster: &mut Cluster) -> Result<[BTreeMap<String, usize>; 2], Skipped> {
    let Outcome::ProducedMany { refusals, .. } = produce_many(&line["act"], cluster)?.unwrap()
    else {
        panic!("another outcome");
    };
    let (mut ours, mut recorded) = (BTreeMap::new(), BTreeMap::new());
    // Their hints may differ.
    for each in refusals {
        *ours.entry(each.message).or_default() += each.count as usize;
    }
    for message in list(&line["each_record"]).iter().filter_map(|each| each["message"].as_str()) {
        *recorded.entry(super::told(line, message)).or_default() += 1;
    }
    Ok([ours, recorded])
}

/// Why an act of that kind cannot be said here.
fn no_act(kind: &str) -> &'static str {
    match kind {
        "alter_configs" => "configs of brokers: here topics have configs",
        "alter_reassignment" => "replicas that move: here a partition keeps its brokers",
        "elect_leaders" => "leaders that are elected: here a partition keeps its leader",
        "alter_group_offsets" | "list_group_offsets" => {
            "offsets by an administrator's program: here by the tool, which asks more first"
        }
        "remove_members" => "members removed by their instance id: here all are",
        "delete_topic_by_id" | "describe_topic_by_id" => "a topic by its id: acts name topics",
        "new_header" => "a header whose key is null: here a header has a key",
        _ => "a client's question about what is not there",
    }
}
