//! Logs with gaps: what compaction leaves, and what transactions hide.

use loglanes::group::OffsetReset;
use loglanes::{Cluster, Command, LogEnd, Produce, SeekTo};
use serde_json::{Value, json};

use super::stage::{Live, NOW, TOPIC, at};
use crate::recorded::Tally;

pub fn gaps(steps: &[Value], tally: &mut Tally) {
    match steps[0]["scenario"].as_str().unwrap().split('/').nth(1) {
        Some("compaction") => compaction(steps, tally),
        Some("transactions") => transactions(steps, tally),
        other => panic!("{other:?}"),
    }
}

/// The offset in `seek(4); poll 1 s`.
fn sought(act: &str) -> Option<i64> {
    act.strip_prefix("seek(")?.split_once(')')?.0.parse().ok()
}

fn position_and_lag(live: &Live) -> (Option<i64>, Option<i64>) {
    let lag = live.cluster.group("g").unwrap().members["m"].current_lag(&at(0));
    (live.position("m"), lag)
}

fn compaction(steps: &[Value], tally: &mut Tally) {
    let mut live = Live::new(&steps[0]["config"], 1);
    live.config.auto_offset_reset = OffsetReset::Earliest;
    live.cluster = Cluster::with_brokers(7, [1]);
    let configs = [
        ("cleanup.policy", "compact"),
        ("segment.ms", "600"),
        ("min.cleanable.dirty.ratio", "0.01"),
    ];
    let create = Command::CreateTopic {
        name: TOPIC.into(),
        partitions: Some(1),
        replication_factor: None,
        configs: configs.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
    };
    live.apply(create).unwrap();
    live.now = NOW + 100_000;
    for (offset, key) in (0..).zip(["a", "b", "a", "c", "b", "a", "d", "a", "e"]) {
        let timestamp = NOW + if key == "e" { 100_000 } else { offset };
        let record = Produce {
            topic: TOPIC.into(),
            timestamp: Some(timestamp),
            key: Some(key.into()),
            value: Some("v".into()),
            ..Produce::default()
        };
        live.apply(Command::Produce(record)).unwrap();
    }
    live.apply(Command::RunCleaner { topic: None }).unwrap();
    live.join("m");
    for step in &steps[1..] {
        let (act, observed) = (step["do"].as_str().unwrap(), &step["observed"]);
        let log = &live.cluster.topic(TOPIC).unwrap().partitions[0].log;
        let ours = if act == "poll from the beginning" {
            let start = log.log_start_offset();
            let records = live.poll_all("m");
            json!({"records": records, "position": live.position("m"), "beginning_offset": start})
        } else if let Some(offset) = sought(act) {
            live.seek("m", 0, SeekTo::Offset(offset)).unwrap();
            json!({"record": live.poll("m", None).unwrap()[0]})
        } else if act.starts_with("offsetsForTimes(T0 + 1)") {
            let (offset, timestamp) = log.offset_for_timestamp(NOW + 1).unwrap();
            json!({"answer": {"offset": offset, "timestamp": timestamp}})
        } else if act.starts_with("max.poll.records=2") {
            live.leave("m");
            live.join("m");
            let poll = |_| {
                let records = live.poll("m", Some(2)).unwrap();
                let (position, lag) = position_and_lag(&live);
                json!({"records": records, "position": position, "lag": lag})
            };
            json!((0..3).map(poll).collect::<Vec<_>>())
        } else {
            panic!("{act}");
        };
        tally.compare(step, ours, observed.clone());
    }
}

/// Writes a log that is told as `0-2 committed, 3 marker, 4 aborted, 5 marker, 6 in an open
/// transaction`, at a time of its own that the markers then have.
fn write(live: &mut Live, log: &str) {
    let producer = "p".to_owned();
    let configs = [("transactional.id".to_owned(), "x".to_owned())].into();
    let create = Command::CreateProducer { producer: producer.clone(), partitioner: None, configs };
    live.apply(create).unwrap();
    live.apply(Command::InitTransactions { producer: producer.clone() }).unwrap();
    for part in log.split(", ").filter(|part| !part.ends_with(" marker")) {
        let (offsets, fate) = part.split_once(' ').unwrap();
        let (first, last) = offsets.split_once('-').unwrap_or((offsets, offsets));
        live.apply(Command::BeginTransaction { producer: producer.clone() }).unwrap();
        for offset in first.parse::<i64>().unwrap()..=last.parse().unwrap() {
            let record = Produce {
                topic: TOPIC.into(),
                producer: Some(producer.clone()),
                timestamp: Some(NOW + offset),
                ..Produce::default()
            };
            live.apply(Command::Produce(record)).unwrap();
        }
        let producer = producer.clone();
        match fate {
            "committed" => live.apply(Command::CommitTransaction { producer }).unwrap(),
            "aborted" => live.apply(Command::AbortTransaction { producer }).unwrap(),
            "in an open transaction" => return,
            other => panic!("{other}"),
        };
    }
}

fn transactions(steps: &[Value], tally: &mut Tally) {
    let config = &steps[0]["config"];
    let mut live = Live::new(config, 1);
    let isolation = &config["consumer"]["isolation.level"];
    live.config.isolation_level = serde_json::from_value(isolation.clone()).unwrap();
    live.now += 60_000;
    write(&mut live, config["log"].as_str().unwrap());
    let live_now = live.now;
    let log = live.cluster.topic(TOPIC).unwrap().partitions[0].log.clone();
    live.join("m");
    for step in &steps[1..] {
        let (act, observed) = (step["do"].as_str().unwrap(), &step["observed"]);
        let mut ours = json!({});
        if act.starts_with("poll ") || act.starts_with("seek(") {
            if let Some(offset) = sought(act) {
                live.seek("m", 0, SeekTo::Offset(offset)).unwrap();
            }
            ours["records"] = json!(live.poll_all("m"));
            let (position, lag) = position_and_lag(&live);
            (ours["position"], ours["lag"]) = (json!(position), json!(lag));
            if observed.get("end_offset").is_some() {
                ours["end_offset"] = json!(log.readable_until(live.config.isolation_level));
            }
        } else if act == "seekToEnd; position" {
            live.seek("m", 0, SeekTo::End(LogEnd::End)).unwrap();
            ours["position"] = json!(live.position("m"));
            for name in observed.as_object().unwrap().keys() {
                let Some(time) = name.strip_prefix("offsets_for_time_") else { continue };
                let time: i64 = match time.strip_prefix("T0+") {
                    Some(after) => NOW + after.parse::<i64>().unwrap(),
                    None => time.parse().unwrap(),
                };
                let told = |time| if time == live_now { json!("<now>") } else { json!(time) };
                let found = log.offset_for_timestamp_as(time, live.config.isolation_level);
                let found = found.map(|(at, time)| json!({"offset": at, "timestamp": told(time)}));
                ours[name] = json!(found);
            }
        } else {
            panic!("{act}");
        }
        tally.compare(step, ours, observed.clone());
    }
}
