//! Positions and polls.

use loglanes::group::assignor::Assignor;
use loglanes::group::{Call, REQUEST_TIMEOUT_MS, Said};
use loglanes::log::{LogConfig, PartitionLog};
use loglanes::{Command, LogEnd, SeekTo};
use serde_json::{Value, json};

use super::stage::{Live, NOW, TOPIC, at, failure, recorded_failure, recorded_group, sorted};
use crate::recorded::{self, Tally, number};

/// The consumers of the first steps are assigned by hand.
pub fn pause_resume(steps: &[Value], tally: &mut Tally) {
    let config = &steps[0]["config"];
    let mut live = Live::new(config, 2);
    (0..2).for_each(|partition| live.produce(partition, number(&config["records_per_partition"])));
    live.assign("g", "m", &[0, 1]);
    for step in &steps[1..] {
        let (act, observed) = (step["do"].as_str().unwrap(), &step["observed"]);
        let ours = match act {
            "assign both; pause gr-l-t-0; poll 1.5 s" => {
                live.set_paused("m", 0, true);
                let records = live.poll_all("m");
                let positions = &live.lone("m").positions;
                let row = |p| (at(p).to_string(), json!(positions.get(&at(p))));
                let position = Value::Object((0..2).map(row).collect());
                json!({"records": records, "paused": live.paused("m"), "position": position})
            }
            "pause both; poll 1 s" => {
                live.set_paused("m", 1, true);
                json!({"records": live.poll_all("m"), "lag": live.lags("m")})
            }
            _ if act.starts_with("seek gr-l-t-0 to 3 while paused") => {
                live.seek("m", 0, SeekTo::Offset(3)).unwrap();
                (0..2).for_each(|partition| live.set_paused("m", partition, false));
                json!({"records": live.poll_all("m"), "paused": live.paused("m")})
            }
            _ if act.starts_with("seekToBeginning; one poll") => {
                (0..2).for_each(|p| drop(live.seek("m", p, SeekTo::End(LogEnd::Beginning))));
                let first = live.poll("m", live.most).unwrap();
                live.pause("m");
                let paused = live.poll_all("m");
                (0..2).for_each(|partition| live.set_paused("m", partition, false));
                let mut after = live.poll_all("m");
                after.sort();
                json!({"first": first, "while_paused": paused, "after_resume_sorted": after})
            }
            "pause gr-l-t-0; assign both again" => {
                live.set_paused("m", 0, true);
                live.assign("g", "m", &[0, 1]);
                json!({"paused": live.paused("m")})
            }
            "pause gr-l-t-0; assign only gr-l-t-1, then both" => {
                live.set_paused("m", 0, true);
                live.assign("g", "m", &[1]);
                live.assign("g", "m", &[0, 1]);
                json!({"paused": live.paused("m")})
            }
            "m2 leaves" => {
                live.leave("m2");
                let ours = json!({"m1": live.owned("m1"), "m1_paused": live.paused("m1")});
                tally.compare(step, ours, observed.clone());
                continue;
            }
            _ => {
                let name = act.strip_prefix("subscribe with ").and_then(|it| it.split_once(','));
                let (name, _) = name.unwrap_or_else(|| panic!("{act}"));
                let consumer = json!({
                    "auto.offset.reset": "earliest",
                    "group.protocol": config["consumer"]["group.protocol"],
                });
                live = Live::new(&json!({"consumer": consumer}), 3);
                match name {
                    "uniform" => live.config.remote_assignor = Some(name.to_owned()),
                    "range" => live.config.assignors = vec![Assignor::Range],
                    "cooperative-sticky" => {
                        live.config.assignors = vec![Assignor::CooperativeSticky];
                    }
                    _ => panic!("{name}"),
                }
                live.join("m1");
                live.pause("m1");
                live.join("m2");
                let ours = json!({
                    "m1": live.owned("m1"), "m1_paused": live.paused("m1"),
                    "m2": live.owned("m2"), "m2_paused": live.paused("m2"),
                });
                tally.compare(step, ours, observed.clone());
                continue;
            }
        };
        tally.compare(step, ours, observed["ok"].clone());
    }
}

pub fn auto_commit(steps: &[Value], tally: &mut Tally) {
    let mut live = Live::new(&steps[0]["config"], 1);
    live.produce(0, 10);
    live.join("m1");
    for (number, step) in steps.iter().enumerate().skip(1) {
        let mut ours = json!({});
        if number < 3 {
            ours["records"] = json!(live.poll("m1", live.most).unwrap());
            ours["committed"] = json!([live.committed()["gr-l-t-0"]]);
            live.now += 900;
        } else {
            live.leave("m1");
            ours["committed"] = json!([live.committed()["gr-l-t-0"]]);
        }
        let mut recorded = step["observed"].clone();
        // What differed from try to try is all listed.
        let all = recorded["committed"].as_array();
        if all.is_some_and(|all| all.contains(&ours["committed"][0])) {
            recorded["committed"] = ours["committed"].clone();
        }
        tally.compare(step, ours, recorded);
    }
}

pub fn by_duration_empty(steps: &[Value], tally: &mut Tally) {
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

pub fn crash(steps: &[Value], tally: &mut Tally) {
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

pub fn rebalance_position(steps: &[Value], tally: &mut Tally) {
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
pub fn reset(steps: &[Value], tally: &mut Tally) {
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
    // With the second partition, in which there never was a record.
    let mut both = live.cluster.clone();
    let add = Command::CreatePartitions { topic: TOPIC.into(), total: 2 };
    both.apply(&add, live.now).unwrap();
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
        } else if act == "no commit; subscribe; poll" {
            live.cluster = both.clone();
            live.join("m");
            read(&mut live, observed, None, tally);
        } else if act.ends_with("no commit: position()") {
            let partition = i32::from(act.contains("gr-l-t-1"));
            live.cluster = both.clone();
            tally.compare(step, position_by_policy(&mut live, partition), recorded(observed));
            live.cluster = fresh.clone();
            live.join("m");
        } else {
            panic!("{act}");
        }
    }
}

/// What `position()` gives without a commit; where it waits in vain, the class of the error alone.
fn position_by_policy(live: &mut Live, partition: i32) -> Result<i64, (String, String)> {
    live.assign("g", "p", &[partition]);
    match live.ask("g", "p", &Call::Position { at: at(partition) }) {
        Ok(Said::Position { offset }) => Ok(offset),
        Ok(other) => panic!("{other:?}"),
        Err(error) if error.code() == Some(7) => {
            Err(("TimeoutException".to_owned(), String::new()))
        }
        Err(error) => Err(failure(&error)),
    }
}

fn recorded(observed: &Value) -> Result<i64, (String, String)> {
    match observed["ok"].as_i64() {
        Some(position) => Ok(position),
        None => {
            let (class, text) = recorded_failure(observed);
            let text = if class == "TimeoutException" { String::new() } else { text };
            Err((class, text))
        }
    }
}

pub fn partitions_added(steps: &[Value], tally: &mut Tally) {
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

pub fn poll_order(steps: &[Value], tally: &mut Tally) {
    let (config, observed) = (&steps[0]["config"], &steps[1]["observed"]);
    let order: Vec<usize> = recorded::numbers(&observed["assignment_in_iteration_order"]);
    let counts: Vec<i64> = recorded::numbers(&config["records_per_partition"]);
    let mut live = Live::new(config, counts.len() as i32);
    for (partition, &count) in (0..).zip(&counts) {
        live.produce(partition, count);
    }
    live.assign("g", "m", &(0..counts.len() as i32).collect::<Vec<_>>());
    let ours = live.lone("m").assignment.iter().map(|at| at.partition as usize);
    assert_eq!(ours.collect::<Vec<_>>(), order);
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
