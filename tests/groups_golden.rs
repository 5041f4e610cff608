//! Groups against recorded answers of Apache Kafka 4.4.0: real consumers on a real broker. What
//! the fields mean: `tests/golden/groups/README.md`.
//!
//! Compared are the assignor, assignments, generations, the calls of the rebalance listener,
//! delivered records, committed offsets, positions and the texts of errors.
#![cfg(not(target_arch = "wasm32"))]

#[path = "support/golden.rs"]
mod golden;

use std::collections::BTreeMap;

use golden::{Tally, lines, number};
use loglanes::group::assignor::Assignor;
use loglanes::group::{
    AUTO_COMMIT_INTERVAL_MS, ConsumerConfig, MAX_PARTITION_FETCH_BYTES, PartitionOffset,
    REQUEST_TIMEOUT_MS, Round, SESSION_TIMEOUT_MS, TopicPartition,
};
use loglanes::log::{LogConfig, PartitionLog};
use loglanes::{Cluster, Command, LogEnd, Outcome, Produce, Result, SeekTo};
use serde_json::{Value, json};

const NOW: i64 = 1_700_000_000_000;
const TOPIC: &str = "gr-l-t";

fn strings(value: &Value) -> Vec<String> {
    let list = value.as_array().unwrap_or_else(|| panic!("no list: {value}"));
    list.iter().map(|one| one.as_str().unwrap().to_owned()).collect()
}

/// A cluster with one group, and what its members were given.
struct Live {
    cluster: Cluster,
    now: i64,
    config: ConsumerConfig,
    most: Option<i32>,
    /// The rounds of the rebalance that the listeners have been told of already.
    seen: Vec<Round>,
    /// What the listeners have been told since the last time it was compared.
    told: BTreeMap<String, Vec<Value>>,
}

impl Live {
    fn new(config: &Value, partitions: i32) -> Self {
        let mut cluster = Cluster::with_brokers(7, [1]);
        cluster.apply(&Command::create_topic(TOPIC, partitions), NOW).unwrap();
        let consumer = &config["consumer"];
        let strategy = consumer["partition.assignment.strategy"].as_str();
        let assignors = strategy.map_or(Assignor::DEFAULT.to_vec(), |class| {
            vec![match class.rsplit('.').next().unwrap() {
                "RangeAssignor" => Assignor::Range,
                "RoundRobinAssignor" => Assignor::RoundRobin,
                "StickyAssignor" => Assignor::Sticky,
                "CooperativeStickyAssignor" => Assignor::CooperativeSticky,
                other => panic!("{other}"),
            }]
        });
        let config = ConsumerConfig {
            topics: vec![TOPIC.to_owned()],
            auto_offset_reset: consumer["auto.offset.reset"].as_str().unwrap().parse().unwrap(),
            assignors,
            instance_id: None,
            auto_commit: consumer["enable.auto.commit"] == "true",
            max_partition_fetch_bytes: consumer["max.partition.fetch.bytes"]
                .as_str()
                .map_or(MAX_PARTITION_FETCH_BYTES, |bytes| bytes.parse().unwrap()),
        };
        let most = consumer["max.poll.records"].as_str().map(|most| most.parse().unwrap());
        Self { cluster, now: NOW, config, most, seen: Vec::new(), told: BTreeMap::new() }
    }

    fn apply(&mut self, command: Command) -> Result<Outcome> {
        self.cluster.apply(&command, self.now)
    }

    fn produce(&mut self, partition: i32, count: i64) {
        for number in 0..count {
            let record = Produce {
                topic: TOPIC.to_owned(),
                partition: Some(partition),
                key: Some(format!("k{number}").as_str().into()),
                value: Some(format!("v{number}").as_str().into()),
                ..Produce::default()
            };
            self.apply(Command::Produce(record)).unwrap();
        }
    }

    fn join(&mut self, member: &str) {
        self.join_as(member, None);
    }

    fn join_as(&mut self, member: &str, instance_id: Option<&str>) {
        let instance_id = instance_id.map(str::to_owned);
        let config = ConsumerConfig { instance_id, ..self.config.clone() };
        let (group, member) = ("g".to_owned(), member.to_owned());
        self.apply(Command::Join { group, member, config }).unwrap();
        self.tell_listeners();
    }

    fn pause(&mut self, member: &str) {
        for at in self.cluster.group("g").unwrap().members[member].assignment.clone() {
            let (group, member) = ("g".to_owned(), member.to_owned());
            let (topic, partition) = (at.topic, at.partition);
            self.apply(Command::Pause { group, member, topic, partition }).unwrap();
        }
    }

    fn paused(&self, member: &str) -> Value {
        let paused = &self.cluster.group("g").unwrap().members[member].paused;
        json!(paused.iter().map(TopicPartition::to_string).collect::<Vec<_>>())
    }

    fn owned(&self, member: &str) -> Value {
        let owned = &self.cluster.group("g").unwrap().members[member].assignment;
        json!(owned.iter().map(TopicPartition::to_string).collect::<Vec<_>>())
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
    /// it begins at the commit. An end that was sought is found with the next poll.
    fn position(&self, member: &str) -> Option<i64> {
        let at = TopicPartition::new(TOPIC, 0);
        let mut cluster = self.cluster.clone();
        if cluster.group("g")?.members.get(member)?.sought.contains_key(&at) {
            let (group, member) = ("g".to_owned(), member.to_owned());
            let (topic, partition) = (at.topic.clone(), at.partition);
            let pause =
                Command::Pause { group: group.clone(), member: member.clone(), topic, partition };
            cluster.apply(&pause, self.now).unwrap();
            cluster.apply(&Command::Poll { group, member, max_records: None }, self.now).unwrap();
        }
        let group = cluster.group("g")?;
        let member = group.members.get(member)?;
        let position = member.positions.get(&at);
        let looks_later = member.look_again_ms.contains_key(&at);
        position.or_else(|| group.committed.get(&at).filter(|_| !looks_later)).copied()
    }

    fn tell_listeners(&mut self) {
        let group = self.cluster.group("g").unwrap();
        let names = |list: &[TopicPartition]| -> Vec<String> {
            list.iter().map(TopicPartition::to_string).collect()
        };
        let is_cooperative = self.config.is_cooperative();
        let was_there =
            |name: &String| self.seen.iter().any(|round| round.changes.contains_key(name));
        for round in &group.last_rebalance {
            let before = self.seen.iter().find(|seen| seen.generation == round.generation);
            for (name, change) in &round.changes {
                let told = self.told.entry(name.clone()).or_default();
                if before.is_some_and(|seen| seen.changes.get(name) == Some(change)) {
                    continue;
                }
                // An eager member is told of every rebalance, even if it had or gets nothing.
                if !change.revoked.is_empty() || !is_cooperative && was_there(name) {
                    told.push(json!({"on_revoked": names(&change.revoked)}));
                }
                if !change.assigned.is_empty() || !is_cooperative {
                    told.push(json!({"on_assigned": names(&change.assigned)}));
                }
            }
        }
        self.seen = group.last_rebalance.clone();
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
    fn group(&mut self) -> Value {
        self.tell_listeners();
        let events = std::mem::take(&mut self.told);
        let group = self.cluster.group("g").unwrap();
        let members: serde_json::Map<String, Value> = group
            .members
            .iter()
            .filter(|(_, member)| member.is_alive())
            .map(|(name, member)| {
                let owned: Vec<String> =
                    member.assignment.iter().map(TopicPartition::to_string).collect();
                let row = json!({
                    "assignment": owned, "generation": group.generation, "events": events.get(name).cloned().unwrap_or_default(),
                });
                (format!("<{name}>"), row)
            })
            .collect();
        let assignor = group.assignor.map_or("", Assignor::name);
        json!({
            "state": group.state(), "assignor": assignor, "members": group.members.len(),
            "by_member": members,
        })
    }
}

/// The recorded group without what is not compared, in the form of [`Live::group`].
fn recorded_group(observed: &Value) -> Value {
    let members: serde_json::Map<String, Value> = observed["by_member"]
        .as_object()
        .unwrap()
        .iter()
        .filter(|(_, member)| member.get("closed").is_none() && member.get("failed").is_none())
        .map(|(name, member)| {
            let mut owned = strings(&member["assignment"]);
            owned.sort();
            let row = json!({
                "assignment": owned, "generation": member["generation"], "events": member["events"],
            });
            (name.clone(), row)
        })
        .collect();
    json!({
        "state": observed["state"], "assignor": observed["assignor"],
        "members": observed["members"], "by_member": members,
    })
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

fn static_members(steps: &[Value], tally: &mut Tally) {
    let mut live = Live::new(&steps[0]["config"], 4);
    for (number, step) in steps.iter().enumerate().skip(1) {
        let observed = &step["observed"];
        match number {
            1 => live.join_as("m1", Some("i2")),
            2 => live.join_as("m2", Some("i1")),
            3 => live.leave("m1"),
            4 => live.join_as("m1b", Some("i2")),
            5 => {
                live.join_as("m4", Some("i1"));
                let error = live.poll("m2", None).unwrap_err();
                let failed = &observed["by_member"]["<m2>"]["failed"];
                assert_eq!(error.message(), failed["message"].as_str().unwrap());
                assert_eq!(error.code(), Some(82));
            }
            6 => {
                let error = live.commit("m2", None).unwrap_err();
                let ours = (error.name().to_owned(), error.message().to_owned());
                let class = observed["error"].as_str().unwrap().rsplit('.').next().unwrap();
                let recorded = (class.to_owned(), observed["message"].as_str().unwrap().to_owned());
                tally.compare(step, ours, recorded);
                continue;
            }
            7 => live.leave("m2"),
            8 => {
                // It was closed so that it leaves, which comes to the same as its time-out.
                live.leave("m1b");
                live.session_ends();
            }
            9 => live.join_as("m5", Some("i2")),
            _ => {
                live.leave("m5");
                live.session_ends();
            }
        }
        tally.compare(step, sorted(live.group()), recorded_group(observed));
    }
}

/// The steps with a subscription; those before them assign by hand.
fn pause_resume(steps: &[Value], tally: &mut Tally) {
    for step in &steps[1..7] {
        tally.skip(format!("assigned by hand: {}", step["do"]));
    }
    for (steps, assignor) in
        [(&steps[7..9], Assignor::Range), (&steps[9..11], Assignor::CooperativeSticky)]
    {
        let mut config = steps[0].clone();
        config["consumer"] = json!({"auto.offset.reset": "earliest"});
        let mut live = Live::new(&config, 3);
        live.config.assignors = vec![assignor];
        live.join("m1");
        live.pause("m1");
        live.join("m2");
        let ours = json!({
            "m1": live.owned("m1"), "m1_paused": live.paused("m1"),
            "m2": live.owned("m2"), "m2_paused": live.paused("m2"),
        });
        tally.compare(&steps[0], ours, steps[0]["observed"].clone());
        live.leave("m2");
        let ours = json!({"m1": live.owned("m1"), "m1_paused": live.paused("m1")});
        tally.compare(&steps[1], ours, steps[1]["observed"].clone());
    }
}

fn auto_commit(steps: &[Value], tally: &mut Tally) {
    let mut live = Live::new(&steps[0]["config"], 1);
    live.produce(0, 10);
    live.join("m1");
    for (number, step) in steps.iter().enumerate().skip(1) {
        let mut ours = json!({});
        if number < 3 {
            ours["records"] = json!(live.poll("m1", live.most).unwrap());
            ours["committed"] = json!([live.committed()["gr-l-t-0"]]);
            // There 0.9 s pass, with an interval of 200 ms.
            live.now += AUTO_COMMIT_INTERVAL_MS;
        } else {
            live.leave("m1");
            ours["committed"] = json!([live.committed()["gr-l-t-0"]]);
        }
        tally.compare(step, ours, step["observed"].clone());
    }
}

fn by_duration_empty(steps: &[Value], tally: &mut Tally) {
    let mut live = Live::new(&steps[0]["config"], 1);
    live.join("m");
    let ours = json!({"records": live.poll_all("m")});
    tally.compare(&steps[1], ours, steps[1]["observed"].clone());
    live.produce(0, 2);
    live.now += REQUEST_TIMEOUT_MS - 1;
    let ours = json!({"records": live.poll_all("m")});
    tally.compare(&steps[2], ours, steps[2]["observed"].clone());
    live.now += 1;
    let ours = json!({"records": live.poll_all("m"), "position": {"ok": live.position("m")}});
    tally.compare(&steps[3], ours, steps[3]["observed"].clone());
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
    let ours = json!({
        "m1": live.owned("m1"), "m1_records": live.poll_all("m1"),
        "m2": live.owned("m2"), "m2_records": live.poll_all("m2"),
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
    // The answers were recorded years after the records' timestamps.
    live.now += 730 * 86_400_000;
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
        let skip_all = |tally: &mut Tally, reason: &str| {
            steps.iter().for_each(|_| tally.skip(reason));
        };
        let run = match name.split_once('/').map_or((name.as_str(), ""), |parts| parts) {
            ("join-leave-die", _) => join_leave_die,
            ("crash", _) => crash,
            ("rebalance-position", _) => rebalance_position,
            ("static-members", _) => static_members,
            ("pause-resume", _) => pause_resume,
            ("auto-commit", _) => auto_commit,
            ("by-duration-empty", _) => by_duration_empty,
            ("reset", _) => reset,
            ("partitions-added", _) => partitions_added,
            ("poll-order", _) => {
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
