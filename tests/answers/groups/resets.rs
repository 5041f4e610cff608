//! Resetting and deleting offsets against recorded runs of `kafka-consumer-groups`, Apache Kafka
//! 4.4.0. What the fields mean: `tests/golden/groups/README.md`.
//!
//! Compared are the printed table or CSV with its notices, the warnings of the log, the words of a
//! refusal, and what is committed after it.

use std::collections::BTreeMap;

use crate::recorded::{Tally, lines, number, numbers};
use loglanes::group::{OffsetReset, PartitionOffset, ResetTo, TopicPartition};
use loglanes::log::{LogConfig, PartitionLog};
use loglanes::{Cluster, Command, Error, Produce, Result};
use serde_json::{Value, json};

const TIME: i64 = 1_700_000_000_000;
/// The answers were recorded at about this time, which `--by-duration` counts from.
const NOW: i64 = 1_796_000_000_000;

fn cluster_of(topics: &Value, groups: &Value) -> Cluster {
    let mut cluster = Cluster::with_brokers(7, [1]);
    for (name, partitions) in topics.as_object().unwrap() {
        let partitions = partitions.as_array().unwrap();
        cluster.apply(&Command::create_topic(name, partitions.len() as i32), TIME).unwrap();
        for (at, partition) in (0..).zip(partitions) {
            let start = number(&partition["log_start_offset"]);
            let log = PartitionLog::with_base_offset(LogConfig::default(), start, TIME).unwrap();
            cluster = cluster.with_log(name, at, log).unwrap();
            for timestamp in numbers::<i64>(&partition["timestamps"]) {
                let record = Produce {
                    topic: name.clone(),
                    partition: Some(at),
                    timestamp: Some(timestamp),
                    ..Produce::default()
                };
                cluster.apply(&Command::Produce(record), TIME).unwrap();
            }
        }
    }
    for (id, group) in groups.as_object().unwrap() {
        let member = || "m".to_owned();
        cluster.apply(&Command::join(id, "m", "gr-r-t1", OffsetReset::Latest), NOW).unwrap();
        let offsets = offsets(&group["committed"]);
        let commit =
            Command::Commit { group: id.clone(), member: member(), offsets: Some(offsets) };
        cluster.apply(&commit, NOW).unwrap();
        if group["state"] == "Empty" {
            let leave = Command::Leave { group: id.clone(), member: member() };
            cluster.apply(&leave, NOW).unwrap();
        }
    }
    cluster
}

fn offsets(committed: &Value) -> Vec<PartitionOffset> {
    let rows = committed.as_object().unwrap().iter().filter(|(_, offset)| !offset.is_null());
    rows.map(|(at, offset)| {
        let (topic, partition) = at.rsplit_once('-').unwrap();
        let partition = partition.parse().unwrap();
        PartitionOffset::new(topic, partition, number(offset))
    })
    .collect()
}

fn committed(cluster: &Cluster) -> BTreeMap<String, BTreeMap<String, i64>> {
    let all = |group: &BTreeMap<TopicPartition, i64>| {
        group.iter().map(|(at, &offset)| (at.to_string(), offset)).collect()
    };
    let groups = cluster.groups().map(|(id, group)| (id.to_owned(), all(&group.committed)));
    groups.filter(|(_, commits): &(_, BTreeMap<_, _>)| !commits.is_empty()).collect()
}

fn recorded_commits(line: &Value) -> BTreeMap<String, BTreeMap<String, i64>> {
    let groups = line["committed_after"].as_object().unwrap().iter();
    groups
        .map(|(id, commits)| {
            let commits = offsets(commits).into_iter();
            (id.clone(), commits.map(|at| (at.topic_partition().to_string(), at.offset)).collect())
        })
        .filter(|(_, commits): &(_, BTreeMap<_, _>)| !commits.is_empty())
        .collect()
}

/// What the tool was asked for; none where it is about the tool's own options.
#[derive(Default)]
struct Asked {
    action: String,
    groups: Vec<String>,
    topics: Vec<String>,
    all_topics: bool,
    to: Option<ResetTo>,
    execute: bool,
    dry_run: bool,
    all_groups: bool,
    export: bool,
}

fn asked(line: &Value, groups: &Value) -> Option<Asked> {
    let args: Vec<&str> =
        line["args"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    let mut asked = Asked::default();
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        let mut to = None;
        match arg {
            "--bootstrap-server" | "--timeout" => drop(args.next()?),
            "--reset-offsets" | "--delete-offsets" | "--delete" => {
                arg.clone_into(&mut asked.action)
            }
            "--group" => asked.groups.push(args.next()?.to_owned()),
            "--all-groups" if asked.groups.is_empty() => {
                asked.all_groups = true;
                asked.groups.extend(groups.as_object().unwrap().keys().cloned());
            }
            "--topic" => asked.topics.push(args.next()?.to_owned()),
            "--all-topics" => asked.all_topics = true,
            "--dry-run" => asked.dry_run = true,
            "--execute" => asked.execute = true,
            "--export" => asked.export = true,
            "--to-earliest" => to = Some(ResetTo::Earliest),
            "--to-latest" => to = Some(ResetTo::Latest),
            "--to-current" => to = Some(ResetTo::Current),
            "--to-offset" => to = Some(ResetTo::Offset { offset: args.next()?.parse().ok()? }),
            "--shift-by" => to = Some(ResetTo::Shift { by: args.next()?.parse().ok()? }),
            "--to-datetime" => to = Some(ResetTo::Datetime { datetime: args.next()?.to_owned() }),
            "--by-duration" => to = Some(ResetTo::Duration { duration: args.next()?.to_owned() }),
            "--from-file" => {
                let csv = line["files"][args.next()?].as_str()?.to_owned();
                to = Some(ResetTo::File { csv });
            }
            _ => return None,
        }
        if to.is_some() && asked.to.replace(to?).is_some() {
            return None;
        }
    }
    let to_server = line["args"].as_array().unwrap().contains(&json!("--bootstrap-server"));
    let is_clear = to_server && !asked.groups.is_empty() && !(asked.dry_run && asked.execute);
    (is_clear && !asked.action.is_empty()).then_some(asked)
}

/// The words of a refusal, as the tool prints them.
fn recorded_refusal(line: &Value) -> Option<String> {
    let (stdout, stderr) = (line["stdout"].as_str().unwrap(), line["stderr"].as_str().unwrap());
    if line["exit_code"] == 1 {
        return stderr.lines().next().map(str::to_owned);
    }
    let failed = stdout.strip_prefix("\nError: Executing consumer group command failed due to ")?;
    let mut words = failed.lines().next()?;
    while let Some((class, rest)) = words.split_once(": ") {
        if !class.ends_with("Exception") || class.contains(' ') {
            break;
        }
        words = rest;
    }
    Some(words.to_owned())
}

/// What the tool would print for a plan of each group, and its log.
fn print(cluster: &mut Cluster, asked: &Asked) -> Result<(String, Vec<String>)> {
    let to = asked.to.clone().unwrap();
    let topics =
        (!asked.all_topics && !matches!(to, ResetTo::File { .. })).then(|| asked.topics.clone());
    let (mut said, mut table, mut csv, mut log) =
        (String::new(), String::new(), String::new(), vec![]);
    for group in &asked.groups {
        let plan = match cluster.reset_plan(group, topics.as_deref(), &to, NOW) {
            Err(error) if is_of_one_group(&error) => {
                said += &format!("\nError: {}\n", error.message());
                continue;
            }
            plan => plan?,
        };
        plan.notices.iter().for_each(|notice| said += &format!("\nWarn: {notice}\n"));
        log.extend(plan.warnings.iter().cloned());
        let printed = plan.table(group);
        table += if table.is_empty() { &printed } else { printed.split_once('\n').unwrap().1 };
        let rows = plan.csv();
        let with_group = asked.groups.len() > 1 || asked.all_groups;
        rows.lines().for_each(|row| {
            csv += &if with_group { format!("{group},{row}\n") } else { format!("{row}\n") };
        });
        if asked.execute {
            let (group, topics, to) = (group.clone(), topics.clone(), to.clone());
            cluster.apply(&Command::ResetOffsets { group, topics, to }, NOW)?;
        }
    }
    if table.is_empty() {
        table = "GROUP           TOPIC           PARTITION  NEW-OFFSET\n".to_owned();
    }
    Ok(if asked.export {
        (format!("{said}{csv}\n"), log)
    } else {
        (format!("{said}\n{table}"), log)
    })
}

/// Whether several groups are to be set by lines that name none.
fn is_of_nobody(asked: &Asked) -> bool {
    let is_short = |csv: &String| csv.lines().any(|line| line.split(',').count() == 3);
    let csv = asked.to.as_ref().and_then(|to| match to {
        ResetTo::File { csv } => Some(csv),
        _ => None,
    });
    asked.groups.len() > 1 && csv.is_some_and(is_short)
}

/// Whether the tool goes on with the next group after this.
fn is_of_one_group(error: &Error) -> bool {
    let message = error.message();
    message.starts_with("Assignments can only") || message.starts_with("No reset plan")
}

#[test]
fn resets_do_as_kafkas_tool() {
    let lines = lines("groups/resets/cases.ndjson");
    let Some(first) = lines.first() else { return };
    let mut tally = Tally::default();
    for line in &lines {
        let state = |key: &str| if line[key].is_null() { &first[key] } else { &line[key] };
        let mut cluster = cluster_of(state("topics"), state("groups"));
        let Some(asked) = asked(line, state("groups")) else {
            tally.skip("options that only the tool has");
            continue;
        };
        match asked.action.as_str() {
            "--reset-offsets" if asked.to.is_some() => {}
            "--delete" | "--delete-offsets" => {
                delete(line, &mut cluster, &asked, &mut tally);
                continue;
            }
            _ => {
                tally.skip("options that only the tool has");
                continue;
            }
        }
        if is_of_nobody(&asked) {
            tally.skip("one plan without names of groups, for several groups");
            continue;
        }
        let printed = print(&mut cluster, &asked);
        let log: Vec<String> = line["log"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["message"].as_str().unwrap().to_owned())
            .collect();
        let case = &line["case"];
        match (printed, recorded_refusal(line)) {
            (Ok((text, warnings)), None) => {
                let ours = (text, warnings, committed(&cluster));
                let stdout = line["stdout"].as_str().unwrap().to_owned();
                tally.compare(case, ours, (stdout, log, recorded_commits(line)));
            }
            (Err(_), Some(words))
                if words.contains("Cannot deserialize") || words.contains("No content to map") =>
            {
                tally.skip("refused here too, but not in the words of the tool's CSV parser");
            }
            (Err(error), Some(words)) if words.contains("Failed to fetch metadata") => {
                // The tool names the exceptions that it comes wrapped in.
                let told = words.contains(error.message()).then_some(&words);
                tally.compare(case, told, Some(&words));
            }
            (Err(_), Some(words)) if words.contains("<timed out>") => {
                tally.skip("refused here too, but not with a time-out");
            }
            (Err(_), Some(words)) if words.starts_with("Duplicate key") => panic!("{case}"),
            (Err(error), words) => {
                let ours = (Some(error.message().to_owned()), committed(&cluster));
                tally.compare(case, ours, (words, recorded_commits(line)));
            }
            (Ok(_), Some(words)) if words.starts_with("Duplicate key") => {
                tally.skip("a partition named twice counts once here");
            }
            (Ok(printed), words) => tally.compare(
                case,
                (Some(format!("{printed:?}")), json!(null)),
                (words, json!(null)),
            ),
        }
    }
    tally.finish("groups/resets/cases.ndjson", lines.len());
}

/// One group, and all of its partitions or none, is one act here.
fn delete(line: &Value, cluster: &mut Cluster, asked: &Asked, tally: &mut Tally) {
    if asked.groups.len() > 1 || asked.action == "--delete" && !asked.topics.is_empty() {
        tally.skip("several groups in one act, or options that only the tool has");
        return;
    }
    if asked.action == "--delete-offsets" && (asked.topics.is_empty() || asked.topics.len() > 1) {
        tally.skip("several topics with a verdict each, or options that only the tool has");
        return;
    }
    let group = asked.groups[0].clone();
    let command = if asked.action == "--delete" {
        Command::DeleteGroup { group }
    } else {
        Command::DeleteOffsets { group, topics: asked.topics.clone() }
    };
    let refused = cluster.apply(&command, NOW).err();
    let stdout = line["stdout"].as_str().unwrap();
    let words = stdout.lines().rev().find_map(|text| text.split_once("Exception: "));
    let words = words.map(|(_, words)| words.to_owned());
    let mut ours = refused.map(|error| error.message().to_owned());
    if ours.as_deref().is_some_and(|words| words.contains("do not exist")) {
        // This request has the general words.
        ours = Some("This server does not host this topic-partition.".to_owned());
    }
    tally.compare(&line["case"], (ours, committed(cluster)), (words, recorded_commits(line)));
}
