//! What Kafka's tools are refused by the broker, and print: `errors/refusals-cli.ndjson`. What a
//! tool refuses of itself, before it asks, is no act here.

use std::collections::BTreeMap;

use loglanes::topic::{AlterConfigOp, ConfigOp, ReplicaAssignment};
use loglanes::{Cluster, Command, ErrorCode};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::Skipped;
use super::acts::{apply, prior};
use crate::recorded::{Tally, lines, list, text};

/// A tool's options: each with its value, or with none.
struct Options<'a>(Vec<(&'a str, Option<&'a str>)>);

impl<'a> Options<'a> {
    fn of(args: &[&'a str]) -> Self {
        let mut options: Vec<(&str, Option<&str>)> = Vec::new();
        for &arg in args {
            match options.last_mut() {
                Some((_, value @ None)) if !arg.starts_with("--") => *value = Some(arg),
                _ => options.push((arg, None)),
            }
        }
        Self(options)
    }

    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(option, _)| *option == name)
    }

    fn all(&self, name: &str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(option, _)| *option == name).filter_map(|(_, value)| *value)
    }

    fn one(&self, name: &str) -> Option<&'a str> {
        self.all(name).next()
    }

    fn only(&self, known: &[&str]) -> Result<(), Skipped> {
        match self.0.iter().find(|(option, _)| !known.contains(option)) {
            None => Ok(()),
            Some((option, _)) => Err(format!("an option that no act has: {option}")),
        }
    }
}

/// `name=value` as a tool takes it; a list stands in brackets.
fn assigned(text: &str) -> Option<(String, String)> {
    let (name, value) = text.split_once('=')?;
    let value = value.strip_prefix('[').and_then(|list| list.strip_suffix(']')).unwrap_or(value);
    Some((name.trim().to_owned(), value.trim().to_owned()))
}

fn number<T: std::str::FromStr>(text: Option<&str>) -> Option<T> {
    text.and_then(|text| text.parse().ok())
}

/// The act that a tool's arguments ask for.
fn command(tool: &str, options: &Options<'_>, cluster: &Cluster) -> Result<Command, Skipped> {
    let no_topic = || "a name that is null".to_owned();
    match tool {
        "kafka-topics.sh" => {
            let topic = options.one("--topic").map(str::to_owned);
            if options.has("--create") {
                let known = [
                    "--create",
                    "--topic",
                    "--partitions",
                    "--replication-factor",
                    "--replica-assignment",
                    "--config",
                ];
                options.only(&known)?;
                let configs: Option<BTreeMap<_, _>> =
                    options.all("--config").map(assigned).collect();
                if let Some(rows) = options.one("--replica-assignment") {
                    return Ok(Command::CreateAssignedTopic {
                        name: topic.unwrap_or_default(),
                        assignments: ReplicaAssignment::read(rows).ok_or("no assignment")?,
                        configs: configs.ok_or("a config without a value cannot be given")?,
                    });
                }
                Ok(Command::CreateTopic {
                    // The shell's empty word is an option's value as well.
                    name: topic.unwrap_or_default(),
                    partitions: number(options.one("--partitions")),
                    replication_factor: number(options.one("--replication-factor")),
                    configs: configs.ok_or("a config without a value cannot be given")?,
                })
            } else if options.has("--alter") {
                options.only(&["--alter", "--topic", "--partitions", "--replica-assignment"])?;
                let total = number(options.one("--partitions")).ok_or("no number of partitions")?;
                let topic = topic.ok_or_else(no_topic)?;
                if topic.contains(['*', '|', '[']) {
                    return Err("a pattern, and so several acts".to_owned());
                }
                if let Some(rows) = options.one("--replica-assignment") {
                    // The tool leaves out the partitions that are there.
                    let there = cluster.topic(&topic).map_or(0, |topic| topic.partitions.len());
                    let rows = ReplicaAssignment::read(rows).ok_or("no assignment")?;
                    let assignments =
                        rows.into_iter().skip(there).map(|row| row.replicas).collect();
                    return Ok(Command::CreateAssignedPartitions { topic, total, assignments });
                }
                Ok(Command::CreatePartitions { topic, total })
            } else {
                Err("a question, or no act".to_owned())
            }
        }
        "kafka-configs.sh" if options.has("--alter") => {
            let known =
                ["--alter", "--entity-type", "--entity-name", "--add-config", "--delete-config"];
            options.only(&known)?;
            if options.one("--entity-type") != Some("topics") {
                return Err("configs of something that is no topic".to_owned());
            }
            let set = options.one("--add-config").map(|given| (ConfigOp::Set, assigned(given)));
            let unset = options
                .one("--delete-config")
                .map(|name| (ConfigOp::Delete, Some((name.to_owned(), String::new()))));
            let ops: Option<Vec<_>> = set
                .into_iter()
                .chain(unset)
                .map(|(op, given)| {
                    let (name, value) = given?;
                    let value = (op == ConfigOp::Set).then_some(value);
                    Some(AlterConfigOp { name, op, value })
                })
                .collect();
            let topic = options.one("--entity-name").ok_or_else(no_topic)?.to_owned();
            Ok(Command::AlterConfigs { topic, ops: ops.ok_or("no config with a value")? })
        }
        _ => Err(format!("no act: {tool}")),
    }
}

/// The broker's answer as the tool shows it, class and text; none where the tool itself refused,
/// with Kafka's class for a config's value too.
fn answer(line: &Value) -> Option<(String, String)> {
    let logged = list(&line["log"]).iter().map(|one| text(&one["message"]));
    let printed = line["stderr"].as_str().unwrap_or_default().lines();
    let caused = printed.filter_map(|line| line.strip_prefix("Caused by: "));
    logged.chain(caused).find_map(|shown| {
        let (class, message) = shown.split_once(": ")?;
        let class = class.strip_prefix("org.apache.kafka.common.errors.")?;
        Some((class.to_owned(), message.to_owned()))
    })
}

#[wasm_bindgen_test(unsupported = test)]
fn what_a_broker_refuses_to_a_tool_is_refused_in_its_words() {
    let lines = lines("errors/refusals-cli.ndjson");
    let mut tally = Tally::default();
    for line in &lines {
        let recorded = answer(line);
        if recorded.is_none() && line["exit_code"] != 0 {
            tally.skip("what the tool itself refuses");
            continue;
        }
        let args: Vec<&str> =
            list(&line["command"]["args"]).iter().filter_map(Value::as_str).collect();
        let options = Options::of(args.get(2..).unwrap_or_default());
        // A cluster in the form of the other files.
        let tried = prior(&json!({"prior": line["state"]})).and_then(|mut cluster| {
            let command = command(text(&line["command"]["tool"]), &options, &cluster)?;
            Ok(apply(&mut cluster, command))
        });
        let refused = match tried {
            Ok(answer) => answer.err(),
            Err(reason) => {
                tally.skip(reason);
                continue;
            }
        };
        let ours = refused.map(|error| {
            let code = error.code().and_then(ErrorCode::from_code);
            let class =
                code.map_or_else(|| error.name().to_owned(), |code| code.exception().to_owned());
            (class, error.message().to_owned())
        });
        tally.compare(&line["case"], ours, recorded);
    }
    tally.finish("errors/refusals-cli.ndjson", lines.len());
}
