//! Consumers of the data: their settings and their calls.

use loglanes::group::assignor::Assignor;
use loglanes::group::{Call, ConsumerConfig, Said, TopicPartition, TopicPattern};
use loglanes::{Cluster, Command, LogEnd, Outcome, Result, SeekTo};
use serde_json::{Value, json};

use super::Skipped;
use super::acts::{apply, offsets};
use crate::recorded::{list, number, text};

/// A consumer with these settings.
pub fn settings(config: &Value, topics: &[String]) -> Result<Result<ConsumerConfig>, Skipped> {
    let mut made = ConsumerConfig { topics: topics.to_vec(), ..ConsumerConfig::default() };
    for (name, value) in config.as_object().into_iter().flatten() {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        match set(&mut made, name, &value) {
            Ok(Some(())) => {}
            Ok(None) => return Err(format!("a consumer's {name} is not set here")),
            Err(error) => return Ok(Err(error)),
        }
    }
    Ok(Ok(made))
}

/// Sets one config; none where there is no such one.
fn set(made: &mut ConsumerConfig, name: &str, value: &str) -> Result<Option<()>> {
    let number = || value.parse().unwrap();
    match name {
        // Topics are never made by asking; what one fetch brings of all is more than these have;
        // nobody waits here.
        "group.id"
        | "allow.auto.create.topics"
        | "fetch.max.bytes"
        | "default.api.timeout.ms"
        | "request.timeout.ms" => {}
        "max.partition.fetch.bytes" => made.max_partition_fetch_bytes = number(),
        "max.poll.records" => made.max_poll_records = number(),
        "max.poll.interval.ms" => made.max_poll_interval_ms = Some(number()),
        "session.timeout.ms" => made.session_timeout_ms = Some(number()),
        "heartbeat.interval.ms" => made.heartbeat_interval_ms = Some(number()),
        "auto.commit.interval.ms" => made.auto_commit_interval_ms = number(),
        "enable.auto.commit" => made.auto_commit = value == "true",
        "isolation.level" => made.isolation_level = value.parse()?,
        "group.protocol" => made.protocol = value.parse()?,
        "group.remote.assignor" => made.remote_assignor = Some(value.to_owned()),
        "group.instance.id" => made.instance_id = Some(value.to_owned()),
        "auto.offset.reset" => made.auto_offset_reset = value.parse()?,
        "partition.assignment.strategy" => {
            let named = |class: &str| {
                let class = class.rsplit('.').next().unwrap_or_default().to_lowercase();
                let is_it =
                    |one: &&Assignor| class == format!("{}assignor", one.name().replace('-', ""));
                Assignor::ALL.iter().find(is_it).copied()
            };
            let classes = value.split(',').filter(|class| !class.is_empty());
            let Some(found) = classes.map(named).collect() else { return Ok(None) };
            made.assignors = found;
        }
        _ => return Ok(None),
    }
    Ok(Some(()))
}

/// One consumer of the data: the first of its group's, or one beside.
struct Consumer {
    group: String,
    member: String,
}

impl Consumer {
    /// It is made, and neither subscribes nor is assigned anything.
    fn start(&self, cluster: &mut Cluster, config: ConsumerConfig) -> Result<Outcome> {
        let (group, member, partitions) = (self.group.clone(), self.member.clone(), Vec::new());
        if !group.is_empty() && group.trim().is_empty() || config.instance_id.is_some() {
            return apply(cluster, Command::Join { group, member, config });
        }
        apply(cluster, Command::Assign { group, member, partitions, config })
    }

    fn act(
        &self,
        cluster: &mut Cluster,
        command: impl FnOnce(String, String) -> Command,
    ) -> Result<Outcome> {
        apply(cluster, command(self.group.clone(), self.member.clone()))
    }

    fn ask(&self, cluster: &Cluster, call: &Call) -> Result<Said> {
        cluster.ask(&self.group, &self.member, call, super::NOW)
    }

    /// One call. The outer error: it cannot be said here.
    fn call(&self, cluster: &mut Cluster, call: &Value) -> Result<Result<Value>, Skipped> {
        let at = || TopicPartition::new(text(&call["topic"]), number(&call["partition"]));
        let done = |outcome: Result<Outcome>| outcome.map(|_| json!({}));
        let (topic, partition) =
            (call["topic"].as_str().unwrap_or_default().to_owned(), call["partition"].as_i64());
        let partition = i32::try_from(partition.unwrap_or(0)).unwrap();
        Ok(match text(&call["call"]) {
            "subscribe" => {
                let given = call["topics"].as_array().ok_or("topics that are null")?;
                let names = given.iter().map(|topic| topic.as_str().map(str::to_owned));
                let topics = names.collect::<Option<Vec<_>>>().ok_or("a topic that is null")?;
                done(self.act(cluster, |group, member| Command::Subscribe {
                    group,
                    member,
                    topics,
                    pattern: None,
                }))
            }
            name @ ("subscribe_java_pattern" | "subscribe_re2_pattern") => {
                let pattern = text(&call["pattern"]).to_owned();
                let is_java = name == "subscribe_java_pattern";
                let pattern =
                    Some(if is_java { TopicPattern::Java } else { TopicPattern::Re2 }(pattern));
                let topics = Vec::new();
                done(self.act(cluster, |group, member| Command::Subscribe {
                    group,
                    member,
                    topics,
                    pattern,
                }))
            }
            "assign" => {
                let partitions = places(&call["partitions"]);
                let config = ConsumerConfig::default();
                done(self.act(cluster, |group, member| Command::Assign {
                    group,
                    member,
                    partitions,
                    config,
                }))
            }
            "poll" => self.poll(cluster),
            "seek" => {
                let to = SeekTo::Offset(number(&call["offset"]));
                done(self.act(cluster, |group, member| Command::Seek {
                    group,
                    member,
                    topic,
                    partition,
                    to,
                }))
            }
            "seek_to_beginning" => {
                let at = places(&call["partitions"]).remove(0);
                let (topic, partition) = (at.topic, at.partition);
                let to = SeekTo::End(LogEnd::Beginning);
                done(self.act(cluster, |group, member| Command::Seek {
                    group,
                    member,
                    topic,
                    partition,
                    to,
                }))
            }
            "pause" => {
                let at = places(&call["partitions"]).remove(0);
                let (topic, partition) = (at.topic, at.partition);
                done(self.act(cluster, |group, member| Command::Pause {
                    group,
                    member,
                    topic,
                    partition,
                }))
            }
            "commit_sync" => {
                let offsets = Some(offsets(&call["offsets"]));
                done(self.act(cluster, |group, member| Command::Commit { group, member, offsets }))
            }
            "position" => self.said(cluster, &Call::Position { at: at() }),
            "current_lag" => self.said(cluster, &Call::CurrentLag { at: at() }),
            "enforce_rebalance" => {
                done(self.act(cluster, |group, member| Command::EnforceRebalance { group, member }))
            }
            "group_metadata" => self.said(cluster, &Call::GroupMetadata),
            "end_offsets" => {
                self.said(cluster, &Call::EndOffsets { partitions: places(&call["partitions"]) })
            }
            "offsets_for_times" => {
                let partitions = places(&call["times"]);
                let timestamp = number(&call["times"][0]["timestamp"]);
                self.said(cluster, &Call::OffsetsForTimes { partitions, timestamp })
            }
            "committed" => {
                self.said(cluster, &Call::Committed { partitions: places(&call["partitions"]) })
            }
            "partitions_for" => self.said(cluster, &Call::PartitionsFor { topic }),
            other => return Err(format!("no command: {other}")),
        })
    }

    fn poll(&self, cluster: &mut Cluster) -> Result<Value> {
        let poll = |group, member| Command::Poll { group, member, max_records: None };
        self.act(cluster, poll).map(|outcome| match outcome {
            Outcome::Polled { records, .. } => {
                let row = |one: &loglanes::PolledRecord| {
                    json!({"partition": one.partition, "offset": one.offset})
                };
                json!({"records": records.iter().map(row).collect::<Vec<_>>()})
            }
            other => panic!("{other:?}"),
        })
    }

    fn said(&self, cluster: &Cluster, call: &Call) -> Result<Value> {
        self.ask(cluster, call).map(|said| match said {
            Said::Position { offset } => json!({"position": offset}),
            Said::Count { count } => json!({"partitions": count}),
            Said::Lag { lag } => json!({"lag": lag}),
            other => serde_json::to_value(other).unwrap(),
        })
    }
}

fn places(given: &Value) -> Vec<TopicPartition> {
    let at = |one: &Value| TopicPartition::new(text(&one["topic"]), number(&one["partition"]));
    list(given).iter().map(at).collect()
}

fn consumer(config: &Value, cluster: &Cluster) -> Consumer {
    let group = match config["group.id"].as_str() {
        // An empty group.id is refused, none is not: a blank one says the former here.
        Some("") => " ".to_owned(),
        Some(group) => group.to_owned(),
        None => String::new(),
    };
    let is_beside = cluster.group(&group).is_some_and(|group| group.members.contains_key("m"));
    Consumer { group, member: if is_beside { "m2" } else { "m" }.to_owned() }
}

/// A consumer is made.
pub fn new_consumer(act: &Value, cluster: &mut Cluster) -> Result<Result<Value>, Skipped> {
    let config = &act["consumer_config"];
    let own = settings(config, &[])?;
    let one = consumer(config, cluster);
    Ok(own.and_then(|mut own| {
        if own.instance_id.is_some() {
            // Only a member has one: it joins at once.
            own.topics = vec!["t".to_owned()];
        }
        one.start(cluster, own).map(|_| json!({}))
    }))
}

/// Calls of one consumer; the answer to the last, or the first refusal.
pub fn consumer_calls(act: &Value, cluster: &mut Cluster) -> Result<Result<Value>, Skipped> {
    let config = &act["consumer_config"];
    let one = consumer(config, cluster);
    let own = settings(config, &[])?;
    if let Err(error) = own.and_then(|own| one.start(cluster, own)) {
        return Ok(Err(error));
    }
    let mut answer = json!({});
    for call in list(&act["calls"]) {
        match one.call(cluster, call)? {
            Ok(done) => answer = done,
            Err(error) => return Ok(Err(error)),
        }
    }
    Ok(Ok(answer))
}
