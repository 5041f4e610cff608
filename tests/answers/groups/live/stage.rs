//! A cluster with one group, and how a recorded scenario is told.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use loglanes::group::assignor::{Assignor, map_order};
use loglanes::group::{
    AUTO_COMMIT_INTERVAL_MS, Call, ConsumerConfig, GroupProtocol, MAX_PARTITION_FETCH_BYTES,
    MAX_POLL_RECORDS, Member, PartitionOffset, Round, Said, TopicPartition,
};
use loglanes::{Cluster, Command, Error, Outcome, Produce, Result, SeekTo};
use serde_json::{Value, json};

thread_local! {
    static SEED: Cell<i64> = const { Cell::new(7) };
    static IDS: RefCell<BTreeMap<String, String>> = const { RefCell::new(BTreeMap::new()) };
}

fn seed() -> i64 {
    SEED.get()
}

/// With the consumer protocol the members' ids are random, and who gets the larger share hangs on
/// their order. In the recorded runs they were the names, m1 < m2 < m3. So a scenario is told with
/// one seed after the other, until chance has given ids that are ordered like the names.
pub fn with_ordered_ids(mut tell: impl FnMut()) {
    for seed in 0..100_000 {
        SEED.set(seed);
        IDS.take();
        tell();
        let ids: Vec<String> = IDS.take().into_values().collect();
        let names: Vec<&str> = ids.iter().map(String::as_str).collect();
        if ids.is_sorted() && map_order(&names).is_sorted() {
            return;
        }
    }
    panic!("no seed gives ids in order");
}

pub const NOW: i64 = 1_700_000_000_000;
pub const TOPIC: &str = "gr-l-t";

pub fn strings(value: &Value) -> Vec<String> {
    let list = value.as_array().unwrap_or_else(|| panic!("no list: {value}"));
    list.iter().map(|one| one.as_str().unwrap().to_owned()).collect()
}

/// A cluster with one group, and what its members were given.
pub struct Live {
    pub cluster: Cluster,
    pub now: i64,
    pub config: ConsumerConfig,
    pub most: Option<i32>,
    /// The rounds of the rebalance that the listeners have been told of already.
    pub seen: Vec<Round>,
    /// What the listeners have been told since the last time it was compared.
    pub told: BTreeMap<String, Vec<Value>>,
}

impl Live {
    pub fn new(config: &Value, partitions: i32) -> Self {
        let mut cluster = Cluster::with_brokers(seed(), [1]);
        cluster.apply(&Command::create_topic(TOPIC, partitions), NOW).unwrap();
        let consumer = &config["consumer"];
        let strategy = consumer["partition.assignment.strategy"].as_str();
        let assignors = strategy.map_or(Assignor::DEFAULT.to_vec(), assignors);
        let number = |name: &str| {
            let value = &consumer[name];
            value.as_i64().or_else(|| value.as_str()?.parse().ok()).map(|number| number as i32)
        };
        let config = ConsumerConfig {
            topics: vec![TOPIC.to_owned()],
            auto_offset_reset: consumer["auto.offset.reset"]
                .as_str()
                .unwrap_or("latest")
                .parse()
                .unwrap(),
            protocol: consumer["group.protocol"].as_str().unwrap_or("classic").parse().unwrap(),
            remote_assignor: consumer["group.remote.assignor"].as_str().map(str::to_owned),
            assignors,
            instance_id: None,
            auto_commit: consumer["enable.auto.commit"] == "true",
            auto_commit_interval_ms: number("auto.commit.interval.ms")
                .unwrap_or(AUTO_COMMIT_INTERVAL_MS),
            session_timeout_ms: number("session.timeout.ms"),
            heartbeat_interval_ms: number("heartbeat.interval.ms"),
            max_poll_records: number("max.poll.records").unwrap_or(MAX_POLL_RECORDS),
            max_partition_fetch_bytes: consumer["max.partition.fetch.bytes"]
                .as_str()
                .map_or(MAX_PARTITION_FETCH_BYTES, |bytes| bytes.parse().unwrap()),
            ..ConsumerConfig::default()
        };
        Self { cluster, now: NOW, config, most: None, seen: Vec::new(), told: BTreeMap::new() }
    }

    pub fn is_consumer(&self) -> bool {
        self.config.protocol == GroupProtocol::Consumer
    }

    pub fn apply(&mut self, command: Command) -> Result<Outcome> {
        self.cluster.apply(&command, self.now)
    }

    pub fn produce(&mut self, partition: i32, count: i64) {
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

    pub fn join(&mut self, member: &str) {
        self.join_as(member, None);
    }

    pub fn join_as(&mut self, member: &str, instance_id: Option<&str>) {
        let instance_id = instance_id.map(str::to_owned);
        let config = ConsumerConfig { instance_id, ..self.config.clone() };
        let (group, member) = ("g".to_owned(), member.to_owned());
        self.apply(Command::Join { group, member: member.clone(), config }).unwrap();
        let id = self.cluster.group("g").unwrap().members[&member].member_id.clone();
        IDS.with_borrow_mut(|ids| ids.insert(member, id));
        self.tell_listeners();
    }

    pub fn pause(&mut self, member: &str) {
        for at in self.consumer(member).assignment.clone() {
            let (group, member) = ("g".to_owned(), member.to_owned());
            let (topic, partition) = (at.topic, at.partition);
            self.apply(Command::Pause { group, member, topic, partition }).unwrap();
        }
    }

    pub fn set_paused(&mut self, member: &str, partition: i32, paused: bool) {
        let (group, member, topic) = ("g".to_owned(), member.to_owned(), TOPIC.to_owned());
        let command = if paused {
            Command::Pause { group, member, topic, partition }
        } else {
            Command::Resume { group, member, topic, partition }
        };
        self.apply(command).unwrap();
    }

    /// What the consumer itself takes for its lag, in partitions 0 and 1.
    pub fn lags(&self, member: &str) -> Value {
        let member = self.consumer(member);
        let row = |p| (at(p).to_string(), json!(member.current_lag(&at(p))));
        Value::Object((0..2).map(row).collect())
    }

    pub fn paused(&self, member: &str) -> Value {
        let paused = &self.consumer(member).paused;
        json!(paused.iter().map(TopicPartition::to_string).collect::<Vec<_>>())
    }

    pub fn owned(&self, member: &str) -> Value {
        let owned = &self.cluster.group("g").unwrap().members[member].assignment;
        json!(owned.iter().map(TopicPartition::to_string).collect::<Vec<_>>())
    }

    pub fn leave(&mut self, member: &str) {
        self.apply(Command::Leave { group: "g".into(), member: member.into() }).unwrap();
    }

    /// With `CloseOptions` that make it leave: comes to the same as its time-out.
    pub fn leave_for_good(&mut self, member: &str) {
        self.leave(member);
        if self.cluster.group("g").unwrap().members.contains_key(member) {
            self.session_ends();
        }
        self.tell_listeners();
    }

    pub fn subscribe(&mut self, member: &str, topics: &[&str]) {
        let (group, member) = ("g".to_owned(), member.to_owned());
        let topics = topics.iter().map(|&topic| topic.to_owned()).collect();
        self.apply(Command::Subscribe { group, member, topics, pattern: None }).unwrap();
        self.tell_listeners();
    }

    /// A consumer with or without a `group.id` is assigned partitions of the topic by hand.
    pub fn assign(&mut self, group: &str, member: &str, partitions: &[i32]) {
        let (group, member) = (group.to_owned(), member.to_owned());
        let is_new = !self.cluster.by_hand().any(|(id, name, _)| id == group && name == member);
        let own = ConsumerConfig { topics: Vec::new(), ..self.config.clone() };
        let config = if is_new { own } else { ConsumerConfig::default() };
        let partitions = partitions.iter().map(|&partition| at(partition)).collect();
        self.apply(Command::Assign { group, member, partitions, config }).unwrap();
    }

    /// A member, or a consumer that is assigned by hand.
    pub fn consumer(&self, member: &str) -> &Member {
        let held = self.cluster.group("g").and_then(|group| group.members.get(member));
        held.unwrap_or_else(|| self.lone(member))
    }

    /// What it answers to a question.
    pub fn ask(&self, group: &str, member: &str, call: &Call) -> Result<Said> {
        self.cluster.ask(group, member, call, self.now)
    }

    /// The consumer that is assigned by hand in the scenario's group.
    pub fn lone(&self, member: &str) -> &Member {
        let mut all = self.cluster.by_hand();
        all.find(|(_, name, _)| *name == member).map(|(_, _, consumer)| consumer).unwrap()
    }

    pub fn kill(&mut self, member: &str) {
        self.apply(Command::Crash { group: "g".into(), member: member.into() }).unwrap();
    }

    pub fn session_ends(&mut self) {
        self.now += self.config.session_timeout();
        self.apply(Command::Tick).unwrap();
    }

    /// A poll's records, as they are written in the data.
    pub fn poll(&mut self, member: &str, most: Option<i32>) -> Result<Vec<String>> {
        let (group, member) = ("g".to_owned(), member.to_owned());
        match self.apply(Command::Poll { group, member, max_records: most })? {
            Outcome::Polled { records, .. } => Ok(records
                .iter()
                .map(|one| format!("{}-{}@{}", one.topic, one.partition, one.offset))
                .collect()),
            other => panic!("{other:?}"),
        }
    }

    pub fn poll_all(&mut self, member: &str) -> Vec<String> {
        let mut all = Vec::new();
        loop {
            let polled = self.poll(member, self.most).unwrap();
            if polled.is_empty() {
                return all;
            }
            all.extend(polled);
        }
    }

    pub fn commit(&mut self, member: &str, offsets: Option<Vec<(i32, i64)>>) -> Result<Outcome> {
        let offsets = offsets.map(|offsets| {
            let place = |(partition, offset)| PartitionOffset::new(TOPIC, partition, offset);
            offsets.into_iter().map(place).collect()
        });
        self.apply(Command::Commit { group: "g".into(), member: member.into(), offsets })
    }

    pub fn seek(&mut self, member: &str, partition: i32, to: SeekTo) -> Result<Outcome> {
        let (group, member) = ("g".to_owned(), member.to_owned());
        self.apply(Command::Seek { group, member, topic: TOPIC.into(), partition, to })
    }

    /// What `position()` says of partition 0; none where it fails.
    pub fn position(&self, member: &str) -> Option<i64> {
        match self.ask("g", member, &Call::Position { at: at(0) }) {
            Ok(Said::Position { offset }) => Some(offset),
            _ => None,
        }
    }

    pub fn tell_listeners(&mut self) {
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

    pub fn committed(&self) -> Value {
        let partitions = self.cluster.topic(TOPIC).unwrap().partition_count();
        let commits = self.cluster.group("g").map(|group| &group.committed);
        let row = |partition| {
            let at = TopicPartition::new(TOPIC, partition);
            (at.to_string(), json!(commits.and_then(|commits| commits.get(&at))))
        };
        Value::Object((0..partitions).map(row).collect())
    }

    /// State, assignor, and each living member's assignment and generation.
    pub fn group(&mut self) -> Value {
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
                    "assignment": owned, "epoch": member.generation,
                    "events": events.get(name).cloned().unwrap_or_default(),
                });
                (format!("<{name}>"), row)
            })
            .collect();
        let assignor = group.assignor_name();
        let epoch = if self.is_consumer() { json!(group.generation) } else { Value::Null };
        json!({
            "state": group.state(), "type": group.protocol.group_type(), "assignor": assignor,
            "epoch": epoch, "members": group.members.len(), "by_member": members,
        })
    }
}

/// What is named by classes in `partition.assignment.strategy`.
pub fn assignors(classes: &str) -> Vec<Assignor> {
    let named = |class: &str| match class.rsplit('.').next().unwrap() {
        "RangeAssignor" => Assignor::Range,
        "RoundRobinAssignor" => Assignor::RoundRobin,
        "StickyAssignor" => Assignor::Sticky,
        "CooperativeStickyAssignor" => Assignor::CooperativeSticky,
        other => panic!("{other}"),
    };
    classes.split(',').filter(|class| !class.is_empty()).map(named).collect()
}

/// The recorded group without what is not compared, in the form of [`Live::group`].
pub fn recorded_group(observed: &Value) -> Value {
    let members: serde_json::Map<String, Value> = observed["by_member"]
        .as_object()
        .unwrap()
        .iter()
        .filter(|(_, member)| member.get("closed").is_none() && member.get("failed").is_none())
        .map(|(name, member)| {
            let mut owned = strings(&member["assignment"]);
            owned.sort();
            let epoch = member.get("member_epoch").unwrap_or(&member["generation"]);
            let row = json!({"assignment": owned, "epoch": epoch, "events": member["events"]});
            (name.clone(), row)
        })
        .collect();
    json!({
        "state": observed["state"], "type": observed["type"], "assignor": observed["assignor"],
        "epoch": observed["group_epoch"], "members": observed["members"], "by_member": members,
    })
}

pub fn sorted(mut group: Value) -> Value {
    for member in group["by_member"].as_object_mut().unwrap().values_mut() {
        let mut owned = strings(&member["assignment"]);
        owned.sort();
        member["assignment"] = json!(owned);
    }
    group
}

/// The name of the member that a line's `do` begins with.
pub fn actor(act: &str) -> &str {
    act.get(..2).unwrap()
}

/// Class and text of an error, as recorded ones are compared with it.
pub fn failure(error: &Error) -> (String, String) {
    let message = error.message().replace("broker-1:9092", "<host>:<port>");
    // The recorded consumers waited for less than the default.
    let message = message.replace("Timeout of 60000ms", "Timeout of 3000ms");
    let message = message.replace("by times in 60000ms", "by times in 2000ms");
    let exception = match error.name() {
        "FENCED_INSTANCE_ID" => "FencedInstanceIdException",
        "UNRELEASED_INSTANCE_ID" => "UnreleasedInstanceIdException",
        "UNSUPPORTED_ASSIGNOR" => "UnsupportedAssignorException",
        "OFFSET_METADATA_TOO_LARGE" => "OffsetMetadataTooLarge",
        "REQUEST_TIMED_OUT" => "TimeoutException",
        "INVALID_TOPIC_EXCEPTION" => "InvalidTopicException",
        "INVALID_GROUP_ID" => "InvalidGroupIdException",
        "GROUP_SUBSCRIBED_TO_TOPIC" => "GroupSubscribedToTopicException",
        "NON_EMPTY_GROUP" => "GroupNotEmptyException",
        "UNKNOWN_MEMBER_ID" => "UnknownMemberIdException",
        "INVALID_SESSION_TIMEOUT" => "InvalidSessionTimeoutException",
        "INVALID_CONFIG" => "InvalidConfigurationException",
        "INVALID_REGULAR_EXPRESSION" => "InvalidRegularExpression",
        "INCONSISTENT_GROUP_PROTOCOL" => "InconsistentGroupProtocolException",
        other => other,
    };
    (exception.to_owned(), message)
}

/// The same of a recorded answer.
pub fn recorded_failure(answer: &Value) -> (String, String) {
    let class = answer["error"].as_str().unwrap_or_else(|| panic!("no error: {answer}"));
    let name = class.rsplit('.').next().unwrap().to_owned();
    (name, answer["message"].as_str().unwrap_or_default().to_owned())
}

pub fn at(partition: i32) -> TopicPartition {
    TopicPartition::new(TOPIC, partition)
}

/// `ok`, or class and text of the error.
pub fn answer(answer: Result<Outcome>) -> (String, String) {
    match answer {
        Ok(_) => ("ok".to_owned(), String::new()),
        Err(error) => failure(&error),
    }
}

/// The same of a recorded answer.
pub fn recorded_answer(observed: &Value) -> (String, String) {
    match observed.get("ok") {
        Some(_) => ("ok".to_owned(), String::new()),
        None => recorded_failure(observed),
    }
}

/// `ok`, or class and text of what the consumer raises, even if a part was done.
pub fn raised(answer: Result<Outcome>) -> (String, String) {
    match answer {
        Ok(Outcome::Committed { raised: Some(raised), .. }) => {
            failure(&Error::client(raised.name, raised.message))
        }
        answer => self::answer(answer),
    }
}

/// `ok`, or class and text of the error of a question.
pub fn said_answer(said: Result<Said>) -> (String, String) {
    match said {
        Ok(_) => ("ok".to_owned(), String::new()),
        Err(error) => failure(&error),
    }
}
