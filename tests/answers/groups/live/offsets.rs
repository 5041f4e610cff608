//! What is committed, offsets by time, and lag.

use loglanes::group::{Call, ConsumerConfig, PartitionOffset, Said, TopicPartition};
use loglanes::{Command, Outcome, Produce, SeekTo};
use serde_json::{Value, json};

use super::stage::{
    Live, NOW, TOPIC, answer, at, failure, raised, recorded_answer, recorded_failure, said_answer,
};
use crate::recorded::Tally;

/// What stands in the braces of `commitSync({gr-l-t-0: 4, metadata "note"})`.
fn offsets_in(act: &str) -> Option<Vec<PartitionOffset>> {
    let inside = act.split_once("commitSync({")?.1.split_once('}')?.0;
    let mut offsets: Vec<PartitionOffset> = Vec::new();
    for part in inside.split(", ").filter(|part| !part.is_empty()) {
        if let Some((at, offset)) = part.split_once(": ") {
            let (topic, partition) = at.rsplit_once('-')?;
            let (partition, offset) = (partition.parse().ok()?, offset.parse().ok()?);
            offsets.push(PartitionOffset::new(topic, partition, offset));
            continue;
        }
        let last = offsets.last_mut()?;
        if let Some(epoch) = part.strip_prefix("leader epoch ") {
            last.leader_epoch = Some(epoch.parse().ok()?);
        } else if let Some(count) = part.strip_prefix("metadata of ") {
            let (count, what) = count.split_once(' ')?;
            let one = if what.contains("two-byte") { "é" } else { "x" };
            last.metadata = one.repeat(count.parse().ok()?);
        } else if let Some(text) = part.strip_prefix("metadata ") {
            last.metadata = text.trim_matches('"').replace("null", "");
        } else {
            return None;
        }
    }
    Some(offsets)
}

/// An offset that is past 2^53 is recorded as text.
fn whole(value: &Value) -> Value {
    match value.as_str().and_then(|text| text.parse::<i64>().ok()) {
        Some(number) => json!(number),
        None => value.clone(),
    }
}

/// What is committed on the recorded partitions, with what stands beside it: ours and theirs.
fn committed(live: &Live, recorded: &Value) -> (Value, Value) {
    let group = live.cluster.group("g");
    let (mut ours, mut theirs) = (json!({}), json!({}));
    for (name, commit) in recorded.as_object().unwrap() {
        let (topic, partition) = name.rsplit_once('-').unwrap();
        let at = TopicPartition::new(topic, partition.parse().unwrap());
        let offset = group.and_then(|group| group.committed.get(&at));
        let note = group.and_then(|group| group.note(&at));
        if commit.is_object() {
            ours[name] = json!({
                "offset": offset, "metadata": note.map_or("", |note| &note.metadata),
                "leader_epoch": note.and_then(|note| note.leader_epoch),
            });
            theirs[name] = commit.clone();
            theirs[name]["offset"] = whole(&commit["offset"]);
        } else {
            ours[name] = json!(offset);
            theirs[name] = whole(commit);
        }
    }
    (ours, theirs)
}

fn commit(live: &mut Live, offsets: Vec<PartitionOffset>) -> (String, String) {
    let offsets = Some(offsets);
    raised(live.apply(Command::Commit { group: "g".into(), member: "m".into(), offsets }))
}

/// The consumer is assigned by hand.
pub fn commit_explicit(steps: &[Value], tally: &mut Tally) {
    let mut live = Live::new(&steps[0]["config"], 2);
    live.produce(0, 10);
    live.assign("g", "m", &[0, 1]);
    for step in &steps[1..] {
        let (act, observed) = (step["do"].as_str().unwrap(), &step["observed"]);
        if act == "committed({}) an empty set" {
            let said = live.ask("g", "m", &Call::Committed { partitions: Vec::new() }).unwrap();
            let Said::Offsets { offsets } = said else { panic!("{said:?}") };
            tally.compare(step, json!(offsets.len()), observed["ok"].clone());
        } else if act.starts_with("commitSync() before any poll") {
            live.commit("m", None).unwrap();
            let (ours, theirs) = committed(&live, &observed["ok"]);
            tally.compare(step, ours, theirs);
        } else if act.starts_with("committed()") {
            let (ours, theirs) = committed(&live, &observed["ok"]);
            tally.compare(step, ours, theirs);
        } else if let Some(offsets) = offsets_in(act) {
            let answer = commit(&mut live, offsets);
            let recorded = recorded_answer(observed);
            let both = observed.get("ok").filter(|ok| ok.is_object());
            let (ours, theirs) = both.map_or((json!(null), json!(null)), |ok| committed(&live, ok));
            tally.compare(step, (answer, ours), (recorded, theirs));
        } else if act.starts_with("committed is 1010") {
            let policy = act.split_once("auto.offset.reset=").unwrap().1;
            live.config.auto_offset_reset = policy.split(' ').next().unwrap().parse().unwrap();
            live.commit("m", Some(vec![(0, 1010), (1, 0)])).unwrap();
            live.leave("m");
            live.assign("g", "m", &[0]);
            let position = live.position("m");
            let polled = live.poll("m", None);
            let ours = json!({
                "position_before": {"ok": position},
                "records": polled.as_ref().cloned().unwrap_or_default(),
                "failed": polled.as_ref().err().map(failure),
                "position_after": {"ok": live.position("m")},
            });
            let mut recorded = observed.clone();
            if !observed["failed"].is_null() {
                recorded["failed"] = json!(recorded_failure(&observed["failed"]));
            }
            tally.compare(step, ours, recorded);
        } else {
            panic!("{act}");
        }
    }
}

pub fn commit_timed_out_then_close(steps: &[Value], tally: &mut Tally) {
    let mut live = Live::new(&steps[0]["config"], 2);
    live.produce(0, 10);
    live.assign("g", "m", &[0, 1]);
    for step in &steps[1..] {
        let (act, observed) = (step["do"].as_str().unwrap(), &step["observed"]);
        if act == "close()" {
            if live.is_consumer() {
                tally.skip("a commit that timed out is not sent again: here it is refused at once");
                continue;
            }
            live.leave("m");
            let (ours, theirs) = committed(&live, observed);
            tally.compare(step, ours, theirs);
            continue;
        }
        let offsets = offsets_in(act).unwrap();
        let answer = commit(&mut live, offsets);
        tally.compare(step, answer, recorded_answer(observed));
    }
}

pub fn commit_without_group(steps: &[Value], tally: &mut Tally) {
    let mut live = Live::new(&steps[0]["config"], 2);
    live.produce(0, 10);
    live.assign("", "m", &[0]);
    for step in &steps[1..] {
        let (act, observed) = (step["do"].as_str().unwrap(), &step["observed"]);
        let (group, member) = (String::new(), "m".to_owned());
        let ours = match act.strip_prefix("no group.id: ").unwrap_or(act) {
            "commitSync({gr-l-t-0: 1})" => {
                let offsets = Some(vec![PartitionOffset::new(TOPIC, 0, 1)]);
                answer(live.apply(Command::Commit { group, member, offsets }))
            }
            "committed()" => {
                said_answer(live.ask("", "m", &Call::Committed { partitions: vec![at(0)] }))
            }
            "groupMetadata()" => said_answer(live.ask("", "m", &Call::GroupMetadata)),
            "subscribe()" => {
                let (topics, pattern) = (vec![TOPIC.to_owned()], None);
                answer(live.apply(Command::Subscribe { group, member, topics, pattern }))
            }
            "assign and poll" => {
                let poll = Command::Poll { group, member, max_records: None };
                let Ok(Outcome::Polled { records, .. }) = live.apply(poll) else { panic!("{act}") };
                tally.compare(step, json!({"records": records.len()}), observed.clone());
                continue;
            }
            "empty group.id" => {
                let config = live.config.clone();
                // The consumer is not made; what is compared is why.
                let recorded = recorded_failure(&observed["cause"]);
                let join = Command::Join { group, member, config };
                tally.compare(step, answer(live.apply(join)), recorded);
                continue;
            }
            "no group.id and enable.auto.commit=true" => {
                let own = ConsumerConfig { topics: Vec::new(), ..live.config.clone() };
                let config = ConsumerConfig { auto_commit: true, ..own };
                let (member, partitions) = ("n".to_owned(), Vec::new());
                answer(live.apply(Command::Assign { group, member, partitions, config }))
            }
            _ => panic!("{act}"),
        };
        tally.compare(step, ours, recorded_answer(observed));
    }
}

fn delete_before(live: &mut Live, before: i64) {
    live.apply(Command::DeleteRecords { topic: TOPIC.into(), partition: 0, before }).unwrap();
}

pub fn lag(steps: &[Value], tally: &mut Tally) {
    let mut live = Live::new(&steps[0]["config"], 2);
    live.now = NOW + 10_000;
    for offset in 0..10 {
        let record = Produce {
            topic: TOPIC.into(),
            partition: Some(0),
            timestamp: Some(NOW + 1_000 * offset),
            ..Produce::default()
        };
        live.apply(Command::Produce(record)).unwrap();
    }
    let ten = live.cluster.clone();
    live.assign("g", "m", &[0, 1]);
    let ends = |live: &Live, start: bool, recorded: &Value| {
        let row = |name: &String| {
            let number: usize = name.rsplit_once('-').unwrap().1.parse().unwrap();
            let log = &live.cluster.topic(TOPIC).unwrap().partitions[number].log;
            let end = if start { log.log_start_offset() } else { log.high_watermark() };
            (name.clone(), json!(end))
        };
        Value::Object(recorded.as_object().unwrap().keys().map(row).collect())
    };
    for step in &steps[1..] {
        let (act, observed) = (step["do"].as_str().unwrap(), &step["observed"]);
        if let Some((_, rest)) = act.split_once("offsetsForTimes(") {
            // The times were asked of another topic with the same ten records.
            live.cluster = ten.clone();
            if act.starts_with("after DeleteRecords") {
                delete_before(&mut live, 4);
            }
            let timestamp: i64 = rest.trim_end_matches(')').parse().unwrap();
            let log = &live.cluster.topic(TOPIC).unwrap().partitions[0].log;
            let found = log.offset_for_timestamp(timestamp);
            let ours = found.map(|(offset, time)| json!({"offset": offset, "timestamp": time}));
            tally.compare(step, json!(ours), observed["ok"].clone());
            continue;
        }
        let ours = match act {
            "assign; currentLag() before anything" => live.lags("m"),
            _ if act.starts_with("seekToBeginning, position()") => live.lags("m"),
            "one poll that returns records" | "one more" => {
                let records = live.poll("m", live.most).unwrap();
                json!({"records": records, "lag": live.lags("m")})
            }
            "seek(1)" | "seek(15) beyond the end" => {
                let digits: String = act.chars().filter(char::is_ascii_digit).collect();
                live.seek("m", 0, SeekTo::Offset(digits.parse().unwrap())).unwrap();
                live.lags("m")
            }
            "seek(10), poll 0.7 s" => {
                live.seek("m", 0, SeekTo::Offset(10)).unwrap();
                live.poll_all("m");
                live.lags("m")
            }
            _ if act.starts_with("pause; produce 3") => {
                live.pause("m");
                live.produce(0, 3);
                live.poll_all("m");
                let ends = ends(&live, false, &json!({"gr-l-t-0": 0}));
                json!({"lag": live.lags("m"), "end_offset": ends["gr-l-t-0"]})
            }
            "resume, poll 1 s" => {
                (0..2).for_each(|partition| live.set_paused("m", partition, false));
                live.poll_all("m");
                live.lags("m")
            }
            "beginningOffsets / endOffsets" => json!({
                "beginning": ends(&live, true, &observed["beginning"]),
                "end": ends(&live, false, &observed["end"]),
            }),
            "after DeleteRecords before 4" => {
                delete_before(&mut live, 4);
                json!({
                    "beginning": ends(&live, true, &observed["beginning"]),
                    "end": ends(&live, false, &observed["end"]),
                })
            }
            _ if act.starts_with("endOffsets of a partition that does not exist") => {
                live.assign("g", "m", &[0, 1]);
                let said = live.ask("g", "m", &Call::EndOffsets { partitions: vec![at(7)] });
                tally.compare(step, said_answer(said), recorded_answer(observed));
                continue;
            }
            _ => panic!("{act}"),
        };
        tally.compare(step, ours, observed.clone());
    }
}
