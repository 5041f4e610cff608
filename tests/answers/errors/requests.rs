//! Requests as they are on the wire, carried out by the commands or questions that come to the same.
//! What a request can say and no act can is left out, by kind.

use std::collections::{BTreeMap, BTreeSet};

use loglanes::group::{ConsumerConfig, GroupProtocol, PartitionOffset};
use loglanes::topic::{MAX_RECORDS_PER_REQUEST, names_collide};
use loglanes::{Cluster, Command, Outcome, Result};
use serde_json::Value;

use super::Skipped;
use super::acts::{apply, assigned};
use super::refused::Refused;
use crate::recorded::{list, number, numbers, text};

const NO_ID: &str = "AAAAAAAAAAAAAAAAAAAAAA";

/// The requests of an act, in order; the last one's answer counts.
pub fn requests(act: &Value, cluster: &mut Cluster) -> Result<Result<()>, Skipped> {
    let mut answer = Ok(());
    for request in list(&act["requests"]) {
        answer = self::request(text(&request["api"]), &request["body"], cluster)?;
    }
    Ok(answer)
}

/// A text without the ids of members, which are drawn here and given in a request.
pub fn without_ids((by, code, name, message): Refused) -> Refused {
    let mut words: Vec<&str> = message.split(' ').collect();
    if let ["Static", "member", joining, .., owner, "member."] = &mut words[..] {
        (*joining, *owner) = ("<member>", "<member>");
    }
    let message = words.join(" ");
    (by, code, name, message)
}

fn request(api: &str, body: &Value, cluster: &mut Cluster) -> Result<Result<()>, Skipped> {
    match api {
        "CREATE_TOPICS" | "CREATE_PARTITIONS" | "DELETE_TOPICS" => {
            let mut names = BTreeSet::new();
            if !list(&body["topics"]).iter().all(|topic| names.insert(topic["name"].to_string())) {
                return Err("one request that names a topic twice: an act names one".to_owned());
            }
            let names: Vec<&str> =
                list(&body["topics"]).iter().filter_map(|topic| topic["name"].as_str()).collect();
            if names.iter().any(|one| names.iter().any(|two| one != two && names_collide(one, two)))
            {
                return Err("two names that collide in one request: acts come one by one".into());
            }
            let counts = list(&body["topics"]).iter().filter_map(|topic| topic["numPartitions"].as_i64());
            if names.len() > 1 && counts.sum::<i64>() > i64::from(MAX_RECORDS_PER_REQUEST) {
                return Err("too many partitions of several topics together: an act makes one".into());
            }
            let mut first = Ok(());
            for topic in list(&body["topics"]) {
                let done = apply(cluster, of_topic(api, topic)?).map(|_| ());
                first = first.and(done);
            }
            Ok(first)
        }
        "DELETE_RECORDS" => {
            let topic = &body["topics"][0];
            let at = &topic["partitions"][0];
            Ok(apply(
                cluster,
                Command::DeleteRecords {
                    topic: text(&topic["name"]).to_owned(),
                    partition: number(&at["partitionIndex"]),
                    before: number(&at["offset"]),
                },
            )
            .map(|_| ()))
        }
        "DELETE_GROUPS" => {
            let group = text(&body["groupsNames"][0]).to_owned();
            Ok(apply(cluster, Command::DeleteGroup { group }).map(|_| ()))
        }
        "FETCH" => fetch(body, cluster),
        "OFFSET_COMMIT" => commit(body, cluster),
        "CONSUMER_GROUP_HEARTBEAT" => heartbeat(body, cluster),
        "JOIN_GROUP" | "SYNC_GROUP" | "HEARTBEAT" | "LEAVE_GROUP" => Err(
            "the classic protocol's own calls: here a member always sends its id, its generation and its protocol"
                .to_owned(),
        ),
        "INIT_PRODUCER_ID" | "END_TXN" => Err(
            "a producer that presents itself by other ids than those it was given, or none".to_owned(),
        ),
        "LIST_OFFSETS" | "METADATA" | "DESCRIBE_TOPIC_PARTITIONS" | "FIND_COORDINATOR"
        | "OFFSET_FETCH" => Err("a client's question about what is not there".to_owned()),
        other => Err(format!("no command: {other}")),
    }
}

fn of_topic(api: &str, topic: &Value) -> Result<Command, Skipped> {
    if topic["topicId"].as_str().is_some_and(|id| id != NO_ID) || topic["name"].is_null() {
        return Err("a topic by its id: acts name topics".to_owned());
    }
    let name = text(&topic["name"]).to_owned();
    if name.is_empty() {
        return Err("a name that the Java client does not send".to_owned());
    }
    let rows = list(&topic["assignments"]);
    Ok(match api {
        "DELETE_TOPICS" => Command::DeleteTopic { name },
        "CREATE_PARTITIONS" if topic["assignments"].is_array() => {
            Command::CreateAssignedPartitions {
                topic: name,
                total: number(&topic["count"]),
                assignments: rows.iter().map(|row| numbers(&row["brokerIds"])).collect(),
            }
        }
        "CREATE_PARTITIONS" => {
            Command::CreatePartitions { topic: name, total: number(&topic["count"]) }
        }
        _ => {
            let mut configs = BTreeMap::new();
            for config in list(&topic["configs"]) {
                let value = config["value"].as_str();
                let value = value.ok_or("a config without a value cannot be given")?;
                configs.insert(text(&config["name"]).to_owned(), value.to_owned());
            }
            let (count, factor) = (&topic["numPartitions"], &topic["replicationFactor"]);
            if rows.is_empty() {
                Command::CreateTopic {
                    name,
                    partitions: Some(number(count)),
                    replication_factor: Some(number(factor)),
                    configs,
                }
            } else if *count == -1 && *factor == -1 {
                let assignments = assigned(&topic["assignments"]).unwrap_or_default();
                Command::CreateAssignedTopic { name, assignments, configs }
            } else {
                return Err(
                    "an assignment with numbers beside it: an act has the one or the other".into(),
                );
            }
        }
    })
}

fn fetch(body: &Value, cluster: &Cluster) -> Result<Result<()>, Skipped> {
    let asked = &body["topics"][0];
    let at = &asked["partitions"][0];
    let topic = cluster.topic("t").filter(|_| asked["topicId"] == "<topic-id>");
    match topic.and_then(|topic| topic.partition(number(&at["partition"]))) {
        Some(held) if at["currentLeaderEpoch"] == -1 && body["sessionEpoch"] == -1 => {
            Ok(held.log.read(number(&at["fetchOffset"]), 1_000_000).map(|_| ()))
        }
        Some(_) => Err("a fetch that says an epoch or a session of its own".to_owned()),
        None => Err("a client's question about what is not there".to_owned()),
    }
}

/// A commit of nobody is made by a member that reads what is there: the rules are the same.
fn commit(body: &Value, cluster: &mut Cluster) -> Result<Result<()>, Skipped> {
    if body["memberId"] != "" || body["generationIdOrMemberEpoch"] != -1 {
        return Err("a commit with an id or generation that is not the member's own".to_owned());
    }
    let topic = &body["topics"][0];
    let at = &topic["partitions"][0];
    let there = topic["name"].as_str().and_then(|name| cluster.topic(name));
    let offset: i64 = number(&at["committedOffset"]);
    if there.and_then(|topic| topic.partition(number(&at["partitionIndex"]))).is_none() {
        return Err("a commit for what is not there: the Java client waits for it".to_owned());
    }
    let group = text(&body["groupId"]).to_owned();
    if offset < 0 || group.is_empty() {
        return Err("an offset or a group that the Java client does not send".to_owned());
    }
    let topics = vec![text(&topic["name"]).to_owned()];
    let config = ConsumerConfig { topics, ..ConsumerConfig::default() };
    let member = "m".to_owned();
    apply(cluster, Command::Join { group: group.clone(), member: member.clone(), config }).unwrap();
    let at = PartitionOffset {
        metadata: at["committedMetadata"].as_str().unwrap_or_default().to_owned(),
        ..PartitionOffset::new(text(&topic["name"]), number(&at["partitionIndex"]), offset)
    };
    let commit = Command::Commit { group, member, offsets: Some(vec![at]) };
    Ok(apply(cluster, commit).map(|_| ()))
}

/// The first heartbeat of a member is its joining.
fn heartbeat(body: &Value, cluster: &mut Cluster) -> Result<Result<()>, Skipped> {
    let ids = [&body["groupId"], &body["memberId"]];
    let is_first = body["memberEpoch"] == 0
        && body["rebalanceTimeoutMs"] != -1
        && body["topicPartitions"].as_array().is_some_and(Vec::is_empty)
        && ids.iter().all(|id| !text(id).trim().is_empty())
        && !list(&body["subscribedTopicNames"]).is_empty()
        && [&body["instanceId"], &body["serverAssignor"]].iter().all(|text| **text != "");
    if !is_first {
        return Err("a heartbeat that is not what a client of Kafka sends".to_owned());
    }
    let config = ConsumerConfig {
        topics: list(&body["subscribedTopicNames"]).iter().map(|one| text(one).into()).collect(),
        protocol: GroupProtocol::Consumer,
        instance_id: body["instanceId"].as_str().map(str::to_owned),
        remote_assignor: body["serverAssignor"].as_str().map(str::to_owned),
        ..ConsumerConfig::default()
    };
    let (group, member) = (text(&body["groupId"]).to_owned(), text(&body["memberId"]).to_owned());
    let joined = apply(cluster, Command::Join { group, member, config });
    Ok(joined.map(|outcome: Outcome| drop(outcome)))
}
