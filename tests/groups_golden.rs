//! Groups against recorded answers of Apache Kafka 4.4.0: the range assignor called directly, and
//! real consumers on a real broker. What the fields mean: `tests/golden/groups/README.md`.
//!
//! Of an assignor's answer each member's list is compared as it stands, in its order; of a live
//! group the assignments (in order), generations, delivered records, committed offsets, positions
//! and the texts of errors. Not compared are the calls of the rebalance listener.
#![cfg(not(target_arch = "wasm32"))]

#[path = "support/golden.rs"]
mod golden;

use std::collections::BTreeMap;

use golden::{Tally, lines, number};
use loglanes::group::range::{Subscription, assign};
use loglanes::group::{OffsetReset, PartitionOffset, SESSION_TIMEOUT_MS, TopicPartition};
use loglanes::log::{LogConfig, PartitionLog};
use loglanes::{Cluster, Command, LogEnd, Outcome, Produce, Result, SeekTo};
use serde_json::{Value, json};

const NOW: i64 = 1_700_000_000_000;
const TOPIC: &str = "gr-l-t";

fn strings(value: &Value) -> Vec<String> {
    let list = value.as_array().unwrap_or_else(|| panic!("no list: {value}"));
    list.iter().map(|one| one.as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_range_assignor_deals_out_as_javas_does() {
    let lines = lines("groups/assign-classic.ndjson");
    let mut tally = Tally::default();
    for line in &lines {
        if line["assignor"] != "range" {
            tally.skip(format!("{} is not modelled", line["assignor"].as_str().unwrap()));
            continue;
        }
        let counts: BTreeMap<&str, i32> = line["topics"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, count)| (name.as_str(), number(count)))
            .collect();
        let members = line["members"].as_array().unwrap();
        let topics: Vec<Vec<String>> =
            members.iter().map(|member| strings(&member["topics"])).collect();
        let subscriptions: Vec<Subscription<'_>> = members
            .iter()
            .zip(&topics)
            .map(|(member, topics)| Subscription {
                member_id: member["id"].as_str().unwrap(),
                instance_id: member["instance_id"].as_str(),
                topics,
            })
            .collect();
        // Java fills the lists topic by topic, in the order of a hash map; ours is by name.
        let order = line.get("topic_order").map(strings).unwrap_or_default();
        let ours: BTreeMap<String, Vec<String>> = subscriptions
            .iter()
            .zip(assign(&subscriptions, &counts))
            .map(|(member, mut share)| {
                share.sort_by_key(|at| order.iter().position(|name| *name == at.topic));
                let share = share.iter().map(TopicPartition::to_string).collect();
                (member.member_id.to_owned(), share)
            })
            .collect();
        let recorded: BTreeMap<String, Vec<String>> = line["result"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(id, share)| (id.clone(), strings(share)))
            .collect();
        tally.compare(&line["case"], ours, recorded);
    }
    tally.finish("groups/assign-classic.ndjson", lines.len());
}

/// A cluster with one group, and what its members were given.
struct Live {
    cluster: Cluster,
    now: i64,
    reset: OffsetReset,
    most: Option<i32>,
}

impl Live {
    fn new(config: &Value, partitions: i32) -> Self {
        let mut cluster = Cluster::with_brokers(7, [1]);
        cluster.apply(&Command::create_topic(TOPIC, partitions), NOW).unwrap();
        let consumer = &config["consumer"];
        let reset = match consumer["auto.offset.reset"].as_str().unwrap() {
            "earliest" => OffsetReset::Earliest,
            "latest" => OffsetReset::Latest,
            _ => OffsetReset::None,
        };
        let most = consumer["max.poll.records"].as_str().map(|most| most.parse().unwrap());
        Self { cluster, now: NOW, reset, most }
    }

    fn apply(&mut self, command: Command) -> Result<Outcome> {
        self.cluster.apply(&command, self.now)
    }

    fn produce(&mut self, partition: i32, count: i64) {
        for _ in 0..count {
            let topic = TOPIC.to_owned();
            let record = Produce { topic, partition: Some(partition), ..Produce::default() };
            self.apply(Command::Produce(record)).unwrap();
        }
    }

    fn join(&mut self, member: &str) {
        self.apply(Command::join("g", member, TOPIC, self.reset)).unwrap();
    }

    fn leave(&mut self, member: &str) {
        self.apply(Command::Leave { group: "g".into(), member: member.into() }).unwrap();
    }

    fn kill(&mut self, member: &str) {
        self.apply(Command::Crash { group: "g".into(), member: member.into() }).unwrap();
    }

    fn session_ends(&mut self) {
        self.now += SESSION_TIMEOUT_MS;
        self.apply(Command::Tick).unwrap();
    }

    /// A poll's records, as they are written in the data.
    fn poll(&mut self, member: &str, most: Option<i32>) -> Result<Vec<String>> {
        let (group, member) = ("g".to_owned(), member.to_owned());
        match self.apply(Command::Poll { group, member, max_records: most })? {
            Outcome::Polled { records, .. } => Ok(records
                .iter()
                .map(|one| format!("{}-{}@{}", one.topic, one.partition, one.offset))
                .collect()),
            other => panic!("{other:?}"),
        }
    }

    fn poll_all(&mut self, member: &str) -> Vec<String> {
        let mut all = Vec::new();
        loop {
            let polled = self.poll(member, self.most).unwrap();
            if polled.is_empty() {
                return all;
            }
            all.extend(polled);
        }
    }

    fn commit(&mut self, member: &str, offsets: Option<Vec<(i32, i64)>>) -> Result<Outcome> {
        let offsets = offsets.map(|offsets| {
            let topic = || TOPIC.to_owned();
            let place = |(partition, offset)| PartitionOffset { topic: topic(), partition, offset };
            offsets.into_iter().map(place).collect()
        });
        self.apply(Command::Commit { group: "g".into(), member: member.into(), offsets })
    }

    fn seek(&mut self, member: &str, partition: i32, to: SeekTo) -> Result<Outcome> {
        let (group, member) = ("g".to_owned(), member.to_owned());
        self.apply(Command::Seek { group, member, topic: TOPIC.into(), partition, to })
    }

    /// Where the next fetch begins. A member whose first poll failed has no position of its own:
    /// it begins at the commit.
    fn position(&self, member: &str) -> Option<i64> {
        let (group, at) = (self.cluster.group("g")?, TopicPartition::new(TOPIC, 0));
        let position = group.members.get(member)?.positions.get(&at);
        position.or_else(|| group.committed.get(&at)).copied()
    }

    fn committed(&self) -> Value {
        let partitions = self.cluster.topic(TOPIC).unwrap().partition_count();
        let commits = self.cluster.group("g").map(|group| &group.committed);
        let row = |partition| {
            let at = TopicPartition::new(TOPIC, partition);
            (at.to_string(), json!(commits.and_then(|commits| commits.get(&at))))
        };
        Value::Object((0..partitions).map(row).collect())
    }

    /// State, assignor, and each living member's assignment and generation.
    fn group(&self) -> Value {
        let group = self.cluster.group("g").unwrap();
        let members: serde_json::Map<String, Value> = group
            .members
            .iter()
            .filter(|(_, member)| member.is_alive())
            .map(|(name, member)| {
                let owned: Vec<String> =
                    member.assignment.iter().map(TopicPartition::to_string).collect();
                let row = json!({"assignment": owned, "generation": group.generation});
                (format!("<{name}>"), row)
            })
            .collect();
        json!({"state": group.state(), "members": group.members.len(), "by_member": members})
    }
}

/// The recorded group without what is not compared, in the form of [`Live::group`].
fn recorded_group(observed: &Value) -> Value {
    let members: serde_json::Map<String, Value> = observed["by_member"]
        .as_object()
        .unwrap()
        .iter()
        .filter(|(_, member)| member.get("closed").is_none())
        .map(|(name, member)| {
            let mut owned = strings(&member["assignment"]);
            owned.sort();
            let row = json!({"assignment": owned, "generation": member["generation"]});
            (name.clone(), row)
        })
        .collect();
    json!({"state": observed["state"], "members": observed["members"], "by_member": members})
}

fn sorted(mut group: Value) -> Value {
    for member in group["by_member"].as_object_mut().unwrap().values_mut() {
        let mut owned = strings(&member["assignment"]);
        owned.sort();
        member["assignment"] = json!(owned);
    }
    group
}

/// The name of the member that a line's `do` begins with.
fn actor(act: &str) -> &str {
    act.get(..2).unwrap()
}

fn join_leave_die(steps: &[Value], tally: &mut Tally) {
    let config = &steps[0]["config"];
    let mut live = Live::new(config, number(&config["partitions"]));
    for step in &steps[1..] {
        let act = step["do"].as_str().unwrap();
        if let Some(member) = act.strip_prefix("start ") {
            live.join(member);
        } else if act == "close the others" {
            for member in ["m1", "m2", "m3", "m4"] {
                if live.cluster.group("g").unwrap().members.contains_key(member) {
                    live.leave(member);
                }
            }
        } else if let Some(member) = act.strip_prefix("close ") {
            live.leave(member);
        } else if act.contains("is killed") {
            live.kill(actor(act));
        } else if act.starts_with("the session timeout") {
            live.session_ends();
        } else {
            panic!("{act}");
        }
        tally.compare(step, sorted(live.group()), recorded_group(&step["observed"]));
    }
}

fn crash(steps: &[Value], tally: &mut Tally) {
    let config = &steps[0]["config"];
    let mut live = Live::new(config, 1);
    live.produce(0, number(&config["records"]));
    live.join("m1");
    for step in &steps[1..] {
        let (act, observed) = (step["do"].as_str().unwrap(), &step["observed"]);
        let mut ours = json!({});
        match act {
            "m1 polls" => ours["records"] = json!(live.poll("m1", live.most).unwrap()),
            "m1.commitSync()" => drop(live.commit("m1", None).unwrap()),
            "m1's process is killed" => live.kill("m1"),
            "m1.close()" => live.leave("m1"),
            _ => {
                live.session_ends();
                live.join("m2");
                ours["records"] = json!(live.poll_all("m2"));
            }
        }
        let mut recorded = json!({});
        if let Some(records) = observed.get("records") {
            recorded["records"] = records.clone();
        }
        if let Some(committed) = observed.get("committed") {
            recorded["committed"] = committed.clone();
            ours["committed"] = live.committed();
        }
        tally.compare(step, ours, recorded);
    }
}

fn rebalance_position(steps: &[Value], tally: &mut Tally) {
    let config = &steps[0]["config"];
    let mut live = Live::new(config, 2);
    for partition in 0..2 {
        live.produce(partition, number(&config["records_per_partition"]));
    }
    live.join("m1");
    let ours = json!({"records": live.poll_all("m1"), "committed": live.committed()});
    tally.compare(&steps[1], ours, steps[1]["observed"].clone());
    live.join("m2");
    let owned = |live: &Live, member: &str| {
        let member = &live.cluster.group("g").unwrap().members[member];
        json!(member.assignment.iter().map(TopicPartition::to_string).collect::<Vec<_>>())
    };
    let ours = json!({
        "m1": owned(&live, "m1"), "m1_records": live.poll_all("m1"),
        "m2": owned(&live, "m2"), "m2_records": live.poll_all("m2"),
        "committed": live.committed(),
    });
    tally.compare(&steps[2], ours, steps[2]["observed"].clone());
}

/// Positions outside the log, by policy. The recorded consumers were assigned by hand; here a
/// member subscribes to a topic of one partition.
fn reset(steps: &[Value], tally: &mut Tally) {
    let config = &steps[0]["config"];
    let start: i64 = number(&config["log_start_offset"]["gr-l-t-0"]);
    let end: i64 = number(&config["log_end_offset"]["gr-l-t-0"]);
    let log = PartitionLog::with_base_offset(LogConfig::default(), start, NOW).unwrap();
    let mut live = Live::new(config, 1);
    live.cluster = live.cluster.clone().with_log(TOPIC, 0, log).unwrap();
    live.produce(0, end - start);
    let fresh = live.cluster.clone();
    let failure = |error: &loglanes::Error| {
        let message = error.message().replace("broker-1:9092", "<host>:<port>");
        (error.name().to_owned(), message)
    };
    let recorded_failure = |answer: &Value| {
        let class = answer["error"].as_str().unwrap();
        let name = class.rsplit('.').next().unwrap().to_owned();
        (name, answer["message"].as_str().unwrap().to_owned())
    };
    // Reads as far as there is something to read.
    let read = |live: &mut Live, observed: &Value, position: Option<i64>, tally: &mut Tally| {
        let polled = live.poll("m", None);
        let mut recorded = (json!(null), json!([]), None, json!(null));
        let mut ours = recorded.clone();
        if let Some(before) = observed.get("position") {
            (recorded.0, ours.0) = (before["ok"].clone(), json!(position));
        }
        recorded.1 = observed["records"].clone();
        ours.1 = json!(polled.as_ref().unwrap_or(&Vec::new()));
        if !observed["failed"].is_null() {
            recorded.2 = Some(recorded_failure(&observed["failed"]));
        }
        ours.2 = polled.as_ref().err().map(failure);
        if let Some(after) = observed.get("position_after").and_then(|after| after.get("ok")) {
            (recorded.3, ours.3) = (after.clone(), json!(live.position("m")));
        }
        tally.compare(observed, ours, recorded);
    };
    live.join("m");
    for step in &steps[1..] {
        let (act, observed) = (step["do"].as_str().unwrap(), &step["observed"]);
        let number_in = |head: &str| -> Option<i64> {
            let digits = act.strip_prefix(head)?;
            digits.split([')', ';', ' ']).next()?.parse().ok()
        };
        if let Some(offset) = number_in("seek(") {
            let sought = live.seek("m", 0, SeekTo::Offset(offset));
            match sought {
                Ok(_) => {
                    let position = live.position("m");
                    read(&mut live, observed, position, tally);
                }
                Err(error) => tally.compare(step, failure(&error), recorded_failure(observed)),
            }
        } else if act.contains("not assigned") {
            let to = SeekTo::Offset(0);
            let error = live.seek("m", 1, to).unwrap_err();
            tally.compare(step, failure(&error), recorded_failure(observed));
        } else if act.starts_with("seekTo") {
            let end = if act.contains("End") { LogEnd::End } else { LogEnd::Beginning };
            live.seek("m", 0, SeekTo::End(end)).unwrap();
            tally.compare(step, json!(live.position("m")), observed["ok"].clone());
        } else if let Some(offset) = number_in("committed ") {
            live.cluster = fresh.clone();
            live.join("m");
            live.commit("m", Some(vec![(0, offset)])).unwrap();
            // The commit is the position, until the first fetch finds it out of range.
            read(&mut live, observed, Some(offset), tally);
        } else if act == "poll 1.5 s" {
            read(&mut live, observed, None, tally);
        } else {
            tally.skip("position() before a poll, and the empty second partition");
        }
    }
}

fn partitions_added(steps: &[Value], tally: &mut Tally) {
    let config = &steps[0]["config"];
    let mut live = Live::new(config, 4);
    let both = |live: &mut Live| {
        let mut delivered = live.poll_all("m1");
        delivered.extend(live.poll_all("m2"));
        delivered.sort();
        json!(delivered)
    };
    let commit = |live: &mut Live| {
        live.commit("m1", None).unwrap();
        live.commit("m2", None).unwrap();
        live.committed()
    };
    (0..4).for_each(|partition| live.produce(partition, 1));
    live.join("m1");
    live.join("m2");
    both(&mut live);
    let group = |step: &Value| recorded_group(&step["observed"]);
    tally.compare(&steps[1], sorted(live.group()), group(&steps[1]));

    (0..4).for_each(|partition| live.produce(partition, 5));
    let ours = json!({"delivered": both(&mut live), "committed": commit(&mut live)});
    tally.compare(&steps[2], ours, steps[2]["observed"]["ok"].clone());

    live.apply(Command::CreatePartitions { topic: TOPIC.into(), total: 6 }).unwrap();
    (4..6).for_each(|partition| live.produce(partition, 5));
    tally.compare(&steps[3], sorted(live.group()), group(&steps[3]));

    live.apply(Command::RefreshMetadata { group: "g".into() }).unwrap();
    let delivered = both(&mut live);
    let ours = (delivered, sorted(live.group()));
    tally.compare(&steps[4], ours, (steps[4]["observed"]["delivered"].clone(), group(&steps[4])));

    (4..6).for_each(|partition| live.produce(partition, 5));
    let ours = both(&mut live);
    tally.compare(&steps[5], ours, steps[5]["observed"]["delivered"].clone());
    let ours = commit(&mut live);
    tally.compare(&steps[6], ours, steps[6]["observed"]["ok"].clone());
}

fn poll_order(steps: &[Value], tally: &mut Tally) {
    let (config, observed) = (&steps[0]["config"], &steps[1]["observed"]);
    let counts: Vec<i64> = golden::numbers(&config["records_per_partition"]);
    let mut live = Live::new(config, counts.len() as i32);
    for (partition, &count) in (0..).zip(&counts) {
        live.produce(partition, count);
    }
    live.join("m");
    let mut polls: Vec<Vec<(i32, i64, i64)>> = Vec::new();
    loop {
        let mut runs: Vec<(i32, i64, i64)> = Vec::new();
        for record in live.poll("m", live.most).unwrap() {
            let (at, offset) = record.rsplit_once('@').unwrap();
            let partition = at.rsplit_once('-').unwrap().1.parse().unwrap();
            let offset = offset.parse().unwrap();
            match runs.last_mut() {
                Some(run) if run.0 == partition && run.2 + 1 == offset => run.2 = offset,
                _ => runs.push((partition, offset, offset)),
            }
        }
        if runs.is_empty() {
            break;
        }
        polls.push(runs);
    }
    tally.compare(&steps[1], json!(polls), observed["polls"].clone());
}

#[test]
fn live_groups_do_as_on_a_real_broker() {
    let lines = lines("groups/live-classic.ndjson");
    let mut scenarios: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in &lines {
        let name = line["scenario"].as_str().unwrap().to_owned();
        scenarios.entry(name).or_default().push(line.clone());
    }
    let mut tally = Tally::default();
    for (name, steps) in &scenarios {
        let consumer = &steps[0]["config"]["consumer"];
        let skip_all = |tally: &mut Tally, reason: &str| {
            steps.iter().for_each(|_| tally.skip(reason));
        };
        if consumer["enable.auto.commit"] == "true" {
            skip_all(&mut tally, "auto commit is not modelled");
            continue;
        }
        let run = match name.split_once('/').map_or((name.as_str(), ""), |parts| parts) {
            ("join-leave-die", "range" | "default") => join_leave_die,
            ("crash", _) => crash,
            ("rebalance-position", "range/no-commit") => rebalance_position,
            ("reset", "earliest" | "latest" | "none") => reset,
            ("partitions-added", "latest" | "earliest") => partitions_added,
            ("poll-order", kind) if !kind.ends_with("small-fetch") => {
                let order: Vec<usize> =
                    golden::numbers(&steps[1]["observed"]["assignment_in_iteration_order"]);
                if !order.is_sorted() {
                    skip_all(&mut tally, "the order of partitions assigned by hand");
                    continue;
                }
                poll_order
            }
            (family, _) => {
                skip_all(&mut tally, &format!("not replayed: {family}"));
                continue;
            }
        };
        tally.skip("a scenario's settings");
        run(steps, &mut tally);
    }
    tally.finish("groups/live-classic.ndjson", lines.len());
}
