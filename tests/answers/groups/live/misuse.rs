//! Calls that are refused, as far as there are acts and questions for them.

use loglanes::group::{Call, ConsumerConfig, OffsetReset, Said, TopicPartition, TopicPattern};
use loglanes::log::IsolationLevel;
use loglanes::{Cluster, Command, Outcome, Result, SeekTo};
use serde_json::{Value, json};

use super::stage::{Live, NOW, TOPIC, answer, assignors, at, recorded_answer, said_answer};
use crate::recorded::Tally;

/// One consumer, called `m`, of the group `g`.
struct One {
    cluster: Cluster,
    config: ConsumerConfig,
}

impl One {
    fn act(&mut self, act: impl FnOnce(String, String) -> Command) -> Result<Outcome> {
        self.cluster.apply(&act("g".into(), "m".into()), NOW)
    }

    fn ask(&self, call: &Call) -> Result<Said> {
        self.cluster.ask("g", "m", call, NOW)
    }

    fn join(&mut self, topics: &[&str]) -> Result<Outcome> {
        let topics = topics.iter().map(|&name| name.to_owned()).collect();
        self.start(ConsumerConfig { topics, ..self.config.clone() })
    }

    fn start(&mut self, config: ConsumerConfig) -> Result<Outcome> {
        self.act(|group, member| Command::Join { group, member, config })
    }

    fn subscribe(&mut self, topics: &[&str]) -> Result<Outcome> {
        let topics = topics.iter().map(|&name| name.to_owned()).collect();
        self.act(|group, member| Command::Subscribe { group, member, topics, pattern: None })
    }

    fn assign(&mut self, partitions: Vec<TopicPartition>) -> Result<Outcome> {
        let is_new = self.cluster.by_hand().next().is_none()
            && self.cluster.group("g").is_none_or(|group| group.outside.is_empty());
        let own = ConsumerConfig { topics: Vec::new(), ..self.config.clone() };
        let config = if is_new { own } else { ConsumerConfig::default() };
        self.act(|group, member| Command::Assign { group, member, partitions, config })
    }

    fn poll(&mut self) -> Result<Outcome> {
        self.act(|group, member| Command::Poll { group, member, max_records: None })
    }

    fn assignment(&self) -> Value {
        match self.ask(&Call::Assignment).unwrap() {
            Said::Partitions { partitions } => {
                json!(partitions.iter().map(ToString::to_string).collect::<Vec<_>>())
            }
            other => panic!("{other:?}"),
        }
    }
}

/// An answer of an act or of a question.
type Answer = (String, String);

/// Subscribing and assigning.
fn subscriptions(one: &mut One, act: &str) -> Option<Answer> {
    let [first, second] = [at(0), at(1)];
    Some(match act {
        "poll without subscription or assignment" | "subscribe([]), then poll" => {
            answer(one.join(&[]))
        }
        "subscribe, then assign" => {
            one.join(&[TOPIC]).unwrap();
            answer(one.assign(vec![first]))
        }
        "assign, then subscribe" => {
            one.assign(vec![first]).unwrap();
            answer(one.subscribe(&[TOPIC]))
        }
        "subscribe(topics), then subscribe(Pattern)" => {
            one.join(&[TOPIC]).unwrap();
            let pattern = Some(TopicPattern::Java("gr-.*".to_owned()));
            let topics = Vec::new();
            answer(one.act(|group, member| Command::Subscribe { group, member, topics, pattern }))
        }
        "subscribe, unsubscribe, assign" => {
            one.join(&[TOPIC]).unwrap();
            one.subscribe(&[]).unwrap();
            answer(one.assign(vec![first]))
        }
        "assign([]), then poll" => {
            one.assign(Vec::new()).unwrap();
            answer(one.poll())
        }
        "subscribe([\"\"])" => answer(one.join(&[""])),
        "subscribe([\" \"])" => answer(one.join(&[" "])),
        "subscribe([\"a b\"]), then poll 2 s" => answer(one.join(&["a b"])),
        "assign a partition with topic \"\"" => {
            answer(one.assign(vec![TopicPartition::new("", 0)]))
        }
        "assign a partition that does not exist, position()" => {
            one.assign(vec![at(9)]).unwrap();
            said_answer(one.ask(&Call::Position { at: at(9) }))
        }
        "enforceRebalance() without subscription" => {
            one.assign(Vec::new()).unwrap();
            answer(one.act(|group, member| Command::EnforceRebalance { group, member }))
        }
        "position() of a partition that is not assigned" => {
            one.assign(vec![first]).unwrap();
            said_answer(one.ask(&Call::Position { at: second }))
        }
        "currentLag() of a partition that is not assigned" => {
            one.assign(vec![first]).unwrap();
            said_answer(one.ask(&Call::CurrentLag { at: second }))
        }
        "pause() a partition that is not assigned" => {
            one.assign(vec![first]).unwrap();
            let (topic, partition) = (TOPIC.to_owned(), 1);
            answer(one.act(|group, member| Command::Pause { group, member, topic, partition }))
        }
        "resume() a partition that is not assigned" => {
            one.assign(vec![first]).unwrap();
            let (topic, partition) = (TOPIC.to_owned(), 1);
            answer(one.act(|group, member| Command::Resume { group, member, topic, partition }))
        }
        "seek() without assignment" => {
            one.assign(Vec::new()).unwrap();
            let (topic, partition, to) = (TOPIC.to_owned(), 0, SeekTo::Offset(0));
            answer(one.act(|group, member| Command::Seek { group, member, topic, partition, to }))
        }
        "offsetsForTimes with a negative time" => {
            one.assign(vec![first.clone()]).unwrap();
            let call = Call::OffsetsForTimes { partitions: vec![first], timestamp: -1 };
            said_answer(one.ask(&call))
        }
        _ => return None,
    })
}

/// Calls that are taken, with what they give.
fn taken(one: &mut One, act: &str) -> Option<Value> {
    let count = |polled: Outcome| match polled {
        Outcome::Polled { records, .. } => records.len(),
        other => panic!("{other:?}"),
    };
    Some(match act {
        "subscribe to a topic that does not exist, poll 2 s" => {
            one.join(&["none"]).unwrap();
            json!({"records": count(one.poll().unwrap()), "assignment": one.assignment()})
        }
        "assign a partition that does not exist, poll 1 s" => {
            one.assign(vec![at(9)]).unwrap();
            json!(count(one.poll().unwrap()))
        }
        "assign the same partition twice" => {
            one.assign(vec![at(0), at(0)]).unwrap();
            one.assignment()
        }
        _ => return None,
    })
}

pub fn misuse(steps: &[Value], tally: &mut Tally) {
    let mut live = Live::new(&steps[0]["config"], 2);
    live.produce(0, 3);
    for step in &steps[1..] {
        let (act, observed) = (step["do"].as_str().unwrap(), &step["observed"]);
        let mut one = One { cluster: live.cluster.clone(), config: live.config.clone() };
        if let Some(ours) = taken(&mut one, act) {
            tally.compare(step, ours, observed["ok"].clone());
            continue;
        }
        let setting = act.strip_prefix("new consumer with ").and_then(|it| it.split_once('='));
        let ours = match setting {
            Some((name, value)) => made(&mut one, name, value),
            None => subscriptions(&mut one, act),
        };
        let Some(ours) = ours else {
            tally
                .skip("a call without a meaning here: null, a closed consumer, threads, time-outs");
            continue;
        };
        let cause = observed.get("cause").filter(|cause| cause.is_object());
        tally.compare(step, ours, recorded_answer(cause.unwrap_or(observed)));
    }
}

/// A consumer with one config set: made, and where that is taken it joins.
fn made(one: &mut One, name: &str, value: &str) -> Option<Answer> {
    let (base, text) = (one.config.clone(), Some(value.to_owned()));
    let number = || value.parse::<i32>().unwrap();
    let config = match name {
        "auto.offset.reset" => value
            .parse::<OffsetReset>()
            .map(|auto_offset_reset| ConsumerConfig { auto_offset_reset, ..base }),
        "group.protocol" => value.parse().map(|protocol| ConsumerConfig {
            protocol,
            // They are set in the scenario, and go with the classic protocol alone.
            session_timeout_ms: None,
            heartbeat_interval_ms: None,
            ..base
        }),
        "isolation.level" => value
            .parse::<IsolationLevel>()
            .map(|isolation_level| ConsumerConfig { isolation_level, ..base }),
        "group.remote.assignor" => Ok(ConsumerConfig { remote_assignor: text, ..base }),
        "group.instance.id" => Ok(ConsumerConfig { instance_id: text, ..base }),
        "max.poll.records" => Ok(ConsumerConfig { max_poll_records: number(), ..base }),
        "max.poll.interval.ms" => {
            Ok(ConsumerConfig { max_poll_interval_ms: Some(number()), ..base })
        }
        "auto.commit.interval.ms" => {
            Ok(ConsumerConfig { auto_commit_interval_ms: number(), ..base })
        }
        "heartbeat.interval.ms" => {
            Ok(ConsumerConfig { heartbeat_interval_ms: Some(number()), ..base })
        }
        "session.timeout.ms" => Ok(ConsumerConfig { session_timeout_ms: Some(number()), ..base }),
        "partition.assignment.strategy" => {
            let config = ConsumerConfig { assignors: assignors(value), ..base };
            // It is made; only subscribing needs one.
            let config = ConsumerConfig { topics: Vec::new(), ..config };
            let partitions = Vec::new();
            return Some(answer(one.act(|group, member| Command::Assign {
                group,
                member,
                partitions,
                config,
            })));
        }
        _ => return None,
    };
    Some(answer(config.and_then(|config| one.start(config))))
}
