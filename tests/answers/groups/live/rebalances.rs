//! Who has what: joining, leaving, dying, coming back.

use loglanes::Command;
use loglanes::group::{Call, ConsumerConfig, Said, TopicPartition, TopicPattern};
use serde_json::{Value, json};

use super::stage::{
    Live, TOPIC, actor, answer, at, failure, recorded_answer, recorded_failure, recorded_group,
    sorted, strings,
};
use crate::recorded::{self, Tally, number};

pub fn join_leave_die(steps: &[Value], tally: &mut Tally) {
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

/// A name in `start m1 (instance i2) ...`, and the instance.
fn with_instance(act: &str) -> Option<(&str, &str)> {
    let (name, rest) = act.strip_prefix("start ")?.split_once(' ')?;
    let (_, rest) = rest.split_once("instance ")?;
    Some((name, rest.split([')', ' ']).next()?))
}

pub fn static_members(steps: &[Value], tally: &mut Tally) {
    let mut live = Live::new(&steps[0]["config"], 4);
    let mut failed = None;
    for step in &steps[1..] {
        let (act, observed) = (step["do"].as_str().unwrap(), &step["observed"]);
        if act.contains("one of the two gets an error") && !live.is_consumer() {
            // The old one is told with the next thing it does.
            let (name, instance) = with_instance(act).unwrap();
            live.join_as(name, Some(instance));
            let told = live.poll("m2", None).unwrap_err();
            assert_eq!(failure(&told), recorded_failure(&observed["by_member"]["<m2>"]["failed"]));
            assert_eq!(told.code(), Some(82));
            failed = Some("m2");
        } else if act.contains("one of the two gets an error") {
            let (name, instance) = with_instance(act).unwrap();
            let instance_id = Some(instance.to_owned());
            let config = ConsumerConfig { instance_id, ..live.config.clone() };
            let join = Command::Join { group: "g".into(), member: name.into(), config };
            let told = live.apply(join).unwrap_err();
            let owner = live.cluster.group("g").unwrap().members["m2"].member_id.clone();
            let (class, text) = failure(&told);
            let text = text.replace(&owner, "m2");
            // The new one's id is random, and nowhere else.
            let words: Vec<&str> = text.split(' ').collect();
            let text = text.replace(words[2], name);
            let recorded = recorded_failure(&observed["by_member"][format!("<{name}>")]["failed"]);
            assert_eq!((class, text), recorded);
            assert_eq!(told.code(), Some(111));
        } else if let Some((name, instance)) = with_instance(act) {
            live.join_as(name, Some(instance));
        } else if act == "m2.commitSync()" {
            let error = live.commit("m2", None).unwrap_err();
            tally.compare(step, failure(&error), recorded_failure(observed));
            continue;
        } else if act == "the one with the error is closed" {
            failed.take().into_iter().for_each(|name| live.leave(name));
        } else if let Some((name, how)) =
            act.strip_prefix("close ").and_then(|rest| rest.split_once(' '))
        {
            if how.contains("LEAVE_GROUP") || how.contains("session timeout pass") {
                live.leave_for_good(name);
            } else {
                live.leave(name);
            }
        } else {
            panic!("{act}");
        }
        tally.compare(step, sorted(live.group()), recorded_group(observed));
    }
}

fn sorted_names(list: &Value) -> Vec<String> {
    let mut names = strings(list);
    names.sort();
    names
}

pub fn subscription_change(steps: &[Value], tally: &mut Tally) {
    let mut live = Live::new(&steps[0]["config"], 2);
    live.apply(Command::create_topic("gr-l-u", 2)).unwrap();
    let mut is_over = false;
    for step in &steps[1..] {
        let (act, observed) = (step["do"].as_str().unwrap(), &step["observed"]);
        if let Some((_, pattern)) = act.split_once("subscribes to the pattern ") {
            // One rebalance more here, or two fewer: there is one for each act, and only for that.
            live.subscribe("m1", &[]);
            let pattern = Some(TopicPattern::Java(pattern.to_owned()));
            let (group, member, topics) = ("g".to_owned(), "m1".to_owned(), Vec::new());
            live.apply(Command::Subscribe { group, member, topics, pattern }).unwrap();
            let owned = |name: &str| sorted_names(&live.owned(name));
            let theirs = |name: &str| sorted_names(&observed["by_member"][name]["assignment"]);
            let ours = [owned("m1"), owned("m2")];
            tally.compare(step, ours, [theirs("<m1>"), theirs("<m2>")]);
            continue;
        }
        if act == "m1 subscribes to gr-l-u" && !live.is_consumer() {
            // It joins twice there: its metadata comes after its first join.
            is_over = true;
        }
        if is_over {
            tally.skip("a rebalance more, because a consumer's metadata came late");
            continue;
        }
        let mut unsubscribed = None;
        match act {
            "m1 and m2 subscribe to gr-l-t" => {
                live.join("m1");
                live.join("m2");
            }
            "m1 subscribes to both topics" => live.subscribe("m1", &[TOPIC, "gr-l-u"]),
            "m2 subscribes to gr-l-u alone" => live.subscribe("m2", &["gr-l-u"]),
            "m1 subscribes to gr-l-u" => live.subscribe("m1", &["gr-l-u"]),
            "m1.unsubscribe()" => {
                live.subscribe("m1", &[]);
                unsubscribed = Some("<m1>");
            }
            _ => panic!("{act}"),
        }
        let group = observed.get("group").unwrap_or(observed);
        let mut recorded = recorded_group(group);
        if let Some(name) = unsubscribed {
            recorded["by_member"].as_object_mut().unwrap().remove(name);
        }
        tally.compare(step, sorted(live.group()), recorded);
    }
}

/// Out of the group: too slow, or removed.
pub fn fenced(steps: &[Value], tally: &mut Tally) {
    let config = &steps[0]["config"];
    let mut live = Live::new(config, 2);
    (0..2).for_each(|partition| live.produce(partition, 6));
    let group = |live: &Live| {
        let group = live.cluster.group("g").unwrap();
        json!({"state": group.state(), "members": group.members.len()})
    };
    let thinks = |live: &Live, name: &str| {
        let group = live.cluster.group("g").unwrap();
        let outside = group.outside.get(name).map(|outside| &outside.member);
        let mut owned: Vec<String> = outside
            .unwrap_or_else(|| &group.members[name])
            .assignment
            .iter()
            .map(TopicPartition::to_string)
            .collect();
        owned.sort();
        json!(owned)
    };
    let exceed = |live: &mut Live| {
        let (group, member) = ("g".to_owned(), "m1".to_owned());
        live.apply(Command::ExceedPollInterval { group, member }).unwrap();
        live.tell_listeners();
    };
    // What it had is lost, then it is given its share.
    let rejoin = |live: &mut Live| {
        live.group();
        let lost = thinks(live, "m1");
        let polled = live.poll("m1", live.most);
        live.tell_listeners();
        let given = thinks(live, "m1");
        (json!([{"on_lost": lost}, {"on_assigned": given}]), polled)
    };
    let mut rebalancing = false;
    for step in &steps[1..] {
        let (act, observed) = (step["do"].as_str().unwrap(), &step["observed"]);
        rebalancing |= act.contains("asks to join");
        match act {
            "m1 polls" => {
                live.join("m1");
                let records = json!(live.poll("m1", live.most).unwrap());
                let ours = json!({"records": records, "assignment": thinks(&live, "m1")});
                tally.compare(step, ours, observed.clone());
            }
            "m1 (instance i1) polls" => {
                // A dynamic member here: what matters is that it is removed.
                live.join("m1");
                let ours = json!({"records": live.poll("m1", live.most).unwrap()});
                tally.compare(step, ours, observed.clone());
            }
            "m1 does not poll for longer than max.poll.interval.ms" => {
                exceed(&mut live);
                let ours = json!({
                    "group": group(&live), "assignment_m1_thinks_it_has": thinks(&live, "m1"),
                });
                tally.compare(step, ours, observed.clone());
            }
            "m1 and m2 run; m1 stops polling, m2 goes on; m1 is out" => {
                live.join("m1");
                live.join("m2");
                exceed(&mut live);
                let ours = json!({
                    "group": group(&live), "m1": thinks(&live, "m1"), "m2": thinks(&live, "m2"),
                });
                tally.compare(step, ours, observed.clone());
            }
            "admin removes all members" => {
                live.apply(Command::RemoveMembers { group: "g".into() }).unwrap();
                tally.compare(step, json!({"ok": group(&live)}), observed.clone());
            }
            "m1.commitSync()" => {
                let ours = answer(live.commit("m1", None));
                tally.compare(step, ours, recorded_answer(observed));
            }
            "m1.commitSync({gr-l-t-0: 1})" if !rebalancing => {
                let ours = answer(live.commit("m1", Some(vec![(0, 1)])));
                tally.compare(step, ours, recorded_answer(observed));
            }
            "m1 polls again" => {
                let (events, polled) = rejoin(&mut live);
                polled.unwrap();
                let ours = json!({
                    "events": events, "m1": thinks(&live, "m1"), "m2": thinks(&live, "m2"),
                });
                tally.compare(step, ours, observed.clone());
            }
            _ if act.starts_with("m1.commitAsync({gr-l-t-0: 1}), then poll") => {
                let committed = answer(live.commit("m1", Some(vec![(0, 1)])));
                let (events, polled) = rejoin(&mut live);
                let ours = json!({
                    "records": polled.unwrap(), "events": events, "assignment": thinks(&live, "m1"),
                });
                let mut recorded = observed.clone();
                let recorded_commit = recorded.as_object_mut().unwrap().remove("commit_async");
                let recorded_commit = match recorded_commit.unwrap() {
                    Value::String(_) => ("ok".to_owned(), String::new()),
                    error => recorded_failure(&error),
                };
                tally.compare(step, (committed, ours), (recorded_commit, recorded));
            }
            _ if act.starts_with("m1 polls for ") => {
                let (events, polled) = rejoin(&mut live);
                polled.unwrap();
                let ours = json!({"failed": null, "events": events, "group": group(&live)});
                tally.compare(step, ours, observed.clone());
            }
            "admin.deleteConsumerGroupOffsets of a subscribed topic on the active group" => {
                if !live.cluster.group("g").is_some_and(|group| group.members.contains_key("m1")) {
                    live.join("m1");
                }
                let delete =
                    Command::DeleteOffsets { group: "g".into(), topics: vec![TOPIC.into()] };
                live.commit("m1", Some(vec![(0, 0)])).unwrap();
                tally.compare(step, answer(live.apply(delete)), recorded_answer(observed));
            }
            "admin.deleteConsumerGroups on the active group" => {
                let delete = Command::DeleteGroup { group: "g".into() };
                tally.compare(step, answer(live.apply(delete)), recorded_answer(observed));
            }
            "m1.commitSync({gr-l-t-1: 1}): now m2's partition" => {
                live.join("m2");
                live.commit("m1", Some(vec![(0, 1)])).unwrap();
                live.commit("m1", Some(vec![(1, 1)])).unwrap();
                tally.compare(step, json!({"ok": live.committed()}), observed.clone());
            }
            "m1.unsubscribe(); m1.commitSync({gr-l-t-0: 1})" => {
                live.subscribe("m1", &[]);
                let ours = answer(live.commit("m1", Some(vec![(0, 1)])));
                tally.compare(step, ours, recorded_answer(observed));
            }
            "a consumer with the same group.id that uses assign() commits while m1 is a member" => {
                live.join("m1");
                live.assign("g", "lone", &[0]);
                let ours = answer(live.commit("lone", Some(vec![(0, 1)])));
                tally.compare(step, ours, recorded_answer(observed));
            }
            "it asks committed()" => {
                let call = Call::Committed { partitions: vec![at(0)] };
                let Ok(Said::Offsets { offsets }) = live.ask("g", "lone", &call) else {
                    panic!("{act}")
                };
                let ours = json!({"gr-l-t-0": offsets[0].offset});
                tally.compare(step, ours, observed["ok"].clone());
                live.leave("lone");
            }
            _ if act.contains("alterConsumerGroupOffsets") => {
                tally.skip("the admin's call; the tool's words are in groups/resets");
            }
            _ if rebalancing => {
                tally.skip("a rebalance that waits for a member: here it is over at once")
            }
            _ => panic!("{act}"),
        }
    }
}

pub fn topic_recreated(steps: &[Value], tally: &mut Tally) {
    let mut live = Live::new(&steps[0]["config"], 1);
    live.produce(0, recorded::number(&steps[0]["config"]["records"]));
    for step in &steps[1..] {
        let (act, observed) = (step["do"].as_str().unwrap(), &step["observed"]);
        match act {
            "m1 reads all, commits, closes" => {
                live.join("m1");
                live.poll_all("m1");
                live.commit("m1", None).unwrap();
                live.leave("m1");
            }
            "the topic is deleted" => {
                live.apply(Command::DeleteTopic { name: TOPIC.into() }).unwrap();
            }
            "created anew, 3 records" => {
                live.apply(Command::create_topic(TOPIC, 1)).unwrap();
                live.produce(0, 3);
            }
            _ => {
                live.join("m2");
                let ours = json!({"records": live.poll_all("m2")});
                tally.compare(step, ours, observed.clone());
                continue;
            }
        }
        let group = live.cluster.group("g").unwrap();
        let at = TopicPartition::new(TOPIC, 0);
        let mut ours = json!({"committed": {"gr-l-t-0": group.committed.get(&at)}});
        if observed.get("group").is_some() {
            ours["group"] = json!({"state": group.state(), "members": group.members.len()});
        }
        tally.compare(step, ours, observed.clone());
    }
}
