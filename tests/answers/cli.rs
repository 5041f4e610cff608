//! What the page can print of Kafka's tools against their recorded output, Apache Kafka 4.4.0. What
//! the fields mean: `tests/golden/cli/README.md`.

use crate::recorded::{Tally, hex, lines, number, numbers};
use loglanes::topic::ReplicaAssignment;
use loglanes::view::tools::{
    OffsetAt, TopicRows, configs, delete_records, log_dirs, offsets, topic_list, topics,
};
use loglanes::{Cluster, Command, Produce};
use serde_json::Value;

const NOW: i64 = 1_700_000_100_000;

/// The recorded state; none where a broker is down, which no act leads to.
fn cluster_of(line: &Value) -> Option<Cluster> {
    if line["state"].get("stopped_brokers").is_some() || line.get("stopped_brokers").is_some() {
        return None;
    }
    let brokers = line["brokers"].as_array();
    let brokers: Vec<i32> = brokers.map_or_else(|| vec![1], |ids| ids.iter().map(number).collect());
    made(Cluster::with_brokers(7, brokers), &line["state"])
}

fn made(mut cluster: Cluster, state: &Value) -> Option<Cluster> {
    for topic in state["topics"].as_array().into_iter().flatten() {
        let name = topic["name"].as_str()?;
        let configs = topic["configs"].as_object().into_iter().flatten();
        let configs = configs
            .map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()))
            .collect();
        let name = name.to_owned();
        let create = match topic["assignments"].as_object() {
            Some(rows) => {
                let rows = rows.iter().map(|(partition, replicas)| ReplicaAssignment {
                    partition: partition.parse().unwrap(),
                    replicas: numbers(replicas),
                });
                Command::CreateAssignedTopic {
                    name: name.clone(),
                    assignments: rows.collect(),
                    configs,
                }
            }
            None => Command::CreateTopic {
                name: name.clone(),
                partitions: topic.get("partitions").map(number),
                replication_factor: None,
                configs,
            },
        };
        cluster.apply(&create, NOW).ok()?;
        for record in topic["records"].as_array().into_iter().flatten() {
            for _ in 0..record["count"].as_i64().unwrap_or(1) {
                let produce = Produce {
                    topic: name.clone(),
                    partition: Some(number(&record["partition"])),
                    timestamp: record["timestamp"].as_i64(),
                    key: hex(&record["key_hex"]).map(Into::into),
                    value: match record["value_size"].as_u64() {
                        Some(size) => Some(vec![b'x'; size as usize].into()),
                        None => hex(&record["value_hex"]).map(Into::into),
                    },
                    ..Produce::default()
                };
                cluster.apply(&Command::Produce(produce), NOW).ok()?;
            }
        }
        for start in topic["log_start_offsets"].as_array().into_iter().flatten() {
            let (partition, before) = (number(&start["partition"]), number(&start["offset"]));
            let topic = name.clone();
            cluster.apply(&Command::DeleteRecords { topic, partition, before }, NOW).ok()?;
        }
    }
    Some(cluster)
}

fn value<'a>(args: &[&'a str], name: &str) -> Option<&'a str> {
    let at = args.iter().position(|arg| *arg == name)?;
    args.get(at + 1).copied()
}

/// Whether a tool's list of topics, with commas, names this one; none for other patterns.
fn named(list: Option<&str>, name: &str) -> Option<bool> {
    let Some(list) = list else { return Some(true) };
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_,".contains(letter);
    let (head, is_open) = match list.strip_suffix(".*") {
        Some(head) => (head, true),
        None => (list, false),
    };
    if !head.chars().all(is_plain) {
        return None;
    }
    let is_named = |one: &str| if is_open { name.starts_with(one) } else { name == one };
    Some(head.split(',').any(is_named))
}

fn replay(file: &str, print: impl Fn(&Cluster, &[&str]) -> Option<String>) {
    replay_lines(file, |cluster, args, _| print(cluster, args));
}

/// As [`replay`], with the whole line at hand.
fn replay_lines(file: &str, print: impl Fn(&Cluster, &[&str], &Value) -> Option<String>) {
    let lines = lines(file);
    let mut tally = Tally::default();
    for line in &lines {
        let args: Vec<&str> =
            line["command"]["args"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        if line["exit_code"] != 0 {
            tally.skip("what the tool itself refuses");
            continue;
        }
        let has_internal =
            line["internal_topics"].as_array().is_some_and(|names| !names.is_empty());
        let is_about_ours = args.iter().any(|arg| arg.starts_with("--exclude-internal"))
            || value(&args, "--topic").is_some_and(|name| !name.starts_with("__"));
        if has_internal && !is_about_ours {
            tally.skip("topics of Kafka's own, which there are none of");
            continue;
        }
        let Some(cluster) = cluster_of(line) else {
            tally.skip("a broker that is down");
            continue;
        };
        let Some(mut ours) = print(&cluster, &args[2..], line) else {
            tally.skip(why_not(&args));
            continue;
        };
        for (_, topic) in cluster.topics() {
            ours = ours.replace(&topic.id.to_string(), "<topic-id>");
        }
        tally.compare(&line["case"], ours, line["stdout"].as_str().unwrap().to_owned());
    }
    tally.finish(file, lines.len());
}

const TOPIC_ROWS: [TopicRows; 5] = [
    TopicRows::WithOverrides,
    TopicRows::UnderReplicated,
    TopicRows::Unavailable,
    TopicRows::AtMinIsr,
    TopicRows::UnderMinIsr,
];

fn kafka_topics(cluster: &Cluster, args: &[&str]) -> Option<String> {
    let known =
        ["--list", "--describe", "--topic", "--topic-id", "--exclude-internal", "--if-exists"];
    let asks_for = |rows: &TopicRows| rows.option().is_some_and(|option| args.contains(&option));
    let rows = TOPIC_ROWS.into_iter().find(asks_for);
    let is_known =
        |arg: &&str| known.contains(arg) || rows.and_then(TopicRows::option) == Some(*arg);
    if !args.iter().filter(|arg| arg.starts_with("--")).all(is_known) {
        return None;
    }
    let names: Vec<&str> = cluster.topics().map(|(name, _)| name).collect();
    let list = value(args, "--topic");
    let kept: Option<Vec<bool>> = names.iter().map(|name| named(list, name)).collect();
    let kept = kept?;
    let wanted = |name: &str| names.iter().zip(&kept).any(|(one, is)| *one == name && *is);
    if value(args, "--topic-id").is_some() {
        // The id itself is not recorded: it is that of the only topic.
        return (names.len() == 1).then(|| topics(cluster, TopicRows::ById, |_| true));
    }
    if args.contains(&"--describe") {
        Some(topics(cluster, rows.unwrap_or_default(), wanted))
    } else {
        Some(topic_list(names.iter().copied().filter(|name| wanted(name))))
    }
}

/// Why a line is none that the page prints.
fn why_not(args: &[&str]) -> &'static str {
    let is_act = |arg: &&str| ["--create", "--alter", "--delete"].contains(arg);
    if args.iter().any(is_act) {
        "an act: what is done is told by the page itself, and what is refused in errors/"
    } else if args.contains(&"brokers") {
        "configs of brokers, which the page has none of"
    } else if args.contains(&"--topic-partitions") {
        "--topic-partitions: the page asks about the topic that is shown"
    } else {
        "topics named by a pattern that is more than a list or a beginning"
    }
}

fn kafka_get_offsets(cluster: &Cluster, args: &[&str]) -> Option<String> {
    let known = ["--topic", "--time", "--partitions", "--exclude-internal-topics"];
    if args.iter().any(|arg| arg.starts_with("--") && !known.contains(arg)) {
        return None;
    }
    let at: OffsetAt = value(args, "--time").unwrap_or("latest").parse().ok()?;
    let list = value(args, "--topic");
    named(list, "")?;
    let numbers = value(args, "--partitions");
    let is_number = |partition: usize| {
        numbers.is_none_or(|list| list.split(',').any(|one| one == partition.to_string()))
    };
    Some(offsets(cluster, at, |name, partition| {
        named(list, name) == Some(true) && is_number(partition)
    }))
}

#[test]
fn topics_are_listed_and_described_as_by_kafka_topics() {
    replay("cli/topics.ndjson", kafka_topics);
}

#[test]
fn offsets_are_told_as_by_kafka_get_offsets() {
    replay("cli/get-offsets.ndjson", kafka_get_offsets);
}

#[test]
fn topics_of_kafkas_own_change_nothing_of_what_is_told_of_the_others() {
    replay_lines("cli/internal-topics.ndjson", |cluster, args, line| match line["command"]["tool"]
        .as_str()?
    {
        "kafka-topics.sh" => kafka_topics(cluster, args),
        "kafka-get-offsets.sh" => kafka_get_offsets(cluster, args),
        _ => None,
    });
}

#[test]
fn replicas_on_three_brokers_are_described_as_by_kafka_topics() {
    replay("cli/three-brokers.ndjson", kafka_topics);
}

#[test]
fn log_dirs_are_told_as_by_kafka_log_dirs() {
    replay("cli/log-dirs.ndjson", |cluster, args| {
        let list = value(args, "--topic-list");
        Some(log_dirs(cluster, "<log-dir>", |name| named(list, name) == Some(true)))
    });
}

#[test]
fn configs_are_described_as_by_kafka_configs() {
    replay("cli/configs.ndjson", |cluster, args| {
        let is_of_topics =
            args.contains(&"--topic") || value(args, "--entity-type") == Some("topics");
        if !args.contains(&"--describe") || !is_of_topics {
            return None;
        }
        let name = value(args, "--entity-name").or_else(|| value(args, "--topic"));
        Some(configs(cluster, args.contains(&"--all"), |one| name.is_none_or(|name| one == name)))
    });
}

#[test]
fn deleted_records_are_told_as_by_kafka_delete_records() {
    replay_lines("cli/delete-records.ndjson", |cluster, _, line| {
        let file = line["command"]["files"].as_object()?.values().next()?.as_str()?;
        let asked: Value = serde_json::from_str(file).ok()?;
        let rows: Option<Vec<(&str, i32, i64)>> = asked["partitions"]
            .as_array()?
            .iter()
            .map(|row| {
                let partition = i32::try_from(row["partition"].as_i64()?).ok()?;
                Some((row["topic"].as_str()?, partition, row["offset"].as_i64()?))
            })
            .collect();
        let rows = rows?;
        let text = delete_records(cluster, &rows);
        // What is printed would come of it, and nothing has.
        for &(topic, partition, before) in &rows {
            let before = Command::DeleteRecords { topic: topic.to_owned(), partition, before };
            let mut after = cluster.clone();
            let is_deleted = after.apply(&before, NOW).is_ok();
            let start = after.topic(topic)?.partition(partition)?.log.log_start_offset();
            let row = format!("partition: {topic}-{partition}\tlow_watermark: {start}\n");
            assert_eq!(text.contains(&row), is_deleted);
        }
        Some(text)
    });
}
