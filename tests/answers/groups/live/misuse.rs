//! Calls that are refused, as far as there are acts for them.

use loglanes::group::{ConsumerConfig, OffsetReset};
use loglanes::log::IsolationLevel;
use loglanes::{Cluster, Command, Outcome, Result, SeekTo};
use serde_json::Value;

use super::stage::{Live, NOW, TOPIC, answer, recorded_answer};
use crate::recorded::Tally;

fn joined(cluster: &Cluster, config: &ConsumerConfig) -> (Cluster, Result<Outcome>) {
    let mut cluster = cluster.clone();
    let join = Command::Join { group: "g".into(), member: "m".into(), config: config.clone() };
    let outcome = cluster.apply(&join, NOW);
    (cluster, outcome)
}

pub fn misuse(steps: &[Value], tally: &mut Tally) {
    let mut live = Live::new(&steps[0]["config"], 2);
    live.produce(0, 3);
    let (cluster, base) = (live.cluster, live.config);
    let topics = |names: &[&str]| ConsumerConfig {
        topics: names.iter().map(|&name| name.to_owned()).collect(),
        ..base.clone()
    };
    // A member that has another topic than the one it names.
    let (other, outcome) = joined(&cluster, &topics(&["none"]));
    outcome.unwrap();
    let not_its_own = |act: fn(String, String, String) -> Command| {
        let mut cluster = other.clone();
        answer(cluster.apply(&act("g".into(), "m".into(), TOPIC.into()), NOW))
    };
    for step in &steps[1..] {
        let (act, observed) = (step["do"].as_str().unwrap(), &step["observed"]);
        let ours = match act {
            "poll without subscription or assignment" | "subscribe([]), then poll" => {
                answer(joined(&cluster, &topics(&[])).1)
            }
            "subscribe([\"\"])" => answer(joined(&cluster, &topics(&[""])).1),
            "subscribe([\" \"])" => answer(joined(&cluster, &topics(&[" "])).1),
            "subscribe([\"a b\"]), then poll 2 s" => answer(joined(&cluster, &topics(&["a b"])).1),
            "subscribe to a topic that does not exist, poll 2 s" => {
                let poll =
                    Command::Poll { group: "g".into(), member: "m".into(), max_records: None };
                let polled = other.clone().apply(&poll, NOW).unwrap();
                assert!(matches!(&polled, Outcome::Polled { records, .. } if records.is_empty()));
                answer(Ok(polled))
            }
            "pause() a partition that is not assigned" => not_its_own(|group, member, topic| {
                Command::Pause { group, member, topic, partition: 1 }
            }),
            "resume() a partition that is not assigned" => not_its_own(|group, member, topic| {
                Command::Resume { group, member, topic, partition: 1 }
            }),
            "seek() without assignment" => not_its_own(|group, member, topic| Command::Seek {
                group,
                member,
                topic,
                partition: 0,
                to: SeekTo::Offset(0),
            }),
            "offsetsForTimes with a negative time" => {
                let mut cluster = joined(&cluster, &base).0;
                let (group, member) = ("g".into(), "m".into());
                let seek = Command::SeekToTimestamp { group, member, timestamp: -1 };
                answer(cluster.apply(&seek, NOW))
            }
            _ => {
                let setting =
                    act.strip_prefix("new consumer with ").and_then(|it| it.split_once('='));
                let Some((name, value)) = setting else {
                    tally.skip("a call of the consumer that is no act here");
                    continue;
                };
                let Some(config) = set(&base, name, value) else {
                    tally.skip(format!("a consumer's {name} is not set here"));
                    continue;
                };
                answer(config.and_then(|config| joined(&cluster, &config).1))
            }
        };
        tally.compare(step, ours, recorded_answer(observed));
    }
}

/// A consumer with one config set; none where there is no such setting.
fn set(base: &ConsumerConfig, name: &str, value: &str) -> Option<Result<ConsumerConfig>> {
    let (base, text) = (base.clone(), Some(value.to_owned()));
    Some(match name {
        "auto.offset.reset" => value
            .parse::<OffsetReset>()
            .map(|auto_offset_reset| ConsumerConfig { auto_offset_reset, ..base }),
        "group.protocol" => value.parse().map(|protocol| ConsumerConfig { protocol, ..base }),
        "isolation.level" => value
            .parse::<IsolationLevel>()
            .map(|isolation_level| ConsumerConfig { isolation_level, ..base }),
        "group.remote.assignor" => Ok(ConsumerConfig { remote_assignor: text, ..base }),
        "group.instance.id" => Ok(ConsumerConfig { instance_id: text, ..base }),
        "max.poll.records" => {
            // Here it is a matter of the poll.
            let (mut cluster, _) = joined(&Cluster::new(7), &base);
            let max_records = Some(value.parse().unwrap());
            let poll = Command::Poll { group: "g".into(), member: "m".into(), max_records };
            cluster.apply(&poll, NOW).map(|_| base)
        }
        _ => return None,
    })
}
