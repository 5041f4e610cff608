//! The assignors against recorded answers of Apache Kafka 4.4.0, each called directly and through
//! a group's life. What the fields mean: `tests/golden/groups/README.md`.
//!
//! Every list is compared as it stands, in its order. Members are given in the order of Java's map
//! of them, which is computed, and held against the recorded order where there is one.

use std::collections::BTreeMap;

use crate::recorded::{self, Tally, lines, number};
use loglanes::group::assignor::{Assignor, PartitionCounts, Subscription, map_order, server};
use loglanes::group::{Change, TopicPartition};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

fn strings(value: &Value) -> Vec<String> {
    let list = value.as_array().unwrap_or_else(|| panic!("no list: {value}"));
    list.iter().map(|one| one.as_str().unwrap().to_owned()).collect()
}

fn partitions(value: &Value) -> Vec<TopicPartition> {
    let parse = |text: String| {
        let (topic, partition) = text.rsplit_once('-').unwrap();
        TopicPartition::new(topic, partition.parse().unwrap())
    };
    value.as_array().map(|_| strings(value).into_iter().map(parse).collect()).unwrap_or_default()
}

fn printed(partitions: &[TopicPartition]) -> Vec<String> {
    partitions.iter().map(TopicPartition::to_string).collect()
}

fn counts(topics: &Value) -> PartitionCounts<'_> {
    let topics = topics.as_object().unwrap();
    topics.iter().map(|(name, count)| (name.as_str(), number(count))).collect()
}

/// A member as it is given to an assignor.
struct Member {
    id: String,
    instance_id: Option<String>,
    topics: Vec<String>,
    owned: Vec<TopicPartition>,
    generation: i32,
}

fn subscription(member: &Member) -> Subscription<'_> {
    Subscription {
        member_id: &member.id,
        instance_id: member.instance_id.as_deref(),
        topics: &member.topics,
        owned: &member.owned,
        generation: member.generation,
    }
}

/// The shares by member id, with the members taken in the order of a Java map; and that order.
fn assign(
    assignor: Assignor,
    members: &[Member],
    counts: &PartitionCounts<'_>,
) -> (BTreeMap<String, Vec<String>>, Vec<String>) {
    let ids: Vec<&str> = members.iter().map(|member| member.id.as_str()).collect();
    let order = map_order(&ids);
    let subscriptions: Vec<Subscription<'_>> =
        order.iter().map(|&at| subscription(&members[at])).collect();
    let shares = assignor.assign(&subscriptions, counts);
    let named = subscriptions.iter().map(|member| member.member_id.to_owned());
    let names: Vec<String> = named.collect();
    (names.iter().cloned().zip(shares.iter().map(|share| printed(share))).collect(), names)
}

fn lists(value: &Value) -> BTreeMap<String, Vec<String>> {
    value.as_object().unwrap().iter().map(|(id, share)| (id.clone(), strings(share))).collect()
}

fn assignor(line: &Value) -> Assignor {
    serde_json::from_value(line["assignor"].clone()).unwrap()
}

#[wasm_bindgen_test(unsupported = test)]
fn the_clients_assignors_deal_out_as_javas_do() {
    let lines = lines("groups/assign-classic.ndjson");
    let mut tally = Tally::default();
    for line in &lines {
        let members: Vec<Member> = line["members"]
            .as_array()
            .unwrap()
            .iter()
            .map(|member| Member {
                id: member["id"].as_str().unwrap().to_owned(),
                instance_id: member["instance_id"].as_str().map(str::to_owned),
                topics: strings(&member["topics"]),
                owned: partitions(&member["owned"]),
                generation: member["generation"].as_i64().map_or(-1, |one| one as i32),
            })
            .collect();
        let (shares, order) = assign(assignor(line), &members, &counts(&line["topics"]));
        let recorded_order = line.get("member_order").map_or_else(|| order.clone(), strings);
        let what = format!("{} {} {}", line["case"], line["assignor"], line["path"]);
        tally.compare(what, (shares, order), (lists(&line["result"]), recorded_order));
    }
    tally.finish("groups/assign-classic.ndjson", lines.len());
}

/// What each round assigns, what the listeners are told, what is kept, and whether it takes another
/// round.
#[wasm_bindgen_test(unsupported = test)]
fn a_groups_life_in_steps_goes_as_javas_does() {
    let lines = lines("groups/assign-steps.ndjson");
    let mut tally = Tally::default();
    for line in &lines {
        let assignor = assignor(line);
        let mut instance_ids: BTreeMap<String, Option<String>> = BTreeMap::new();
        let is_cooperative = line["protocol"] == "COOPERATIVE";
        let mut held: BTreeMap<String, Vec<TopicPartition>> = BTreeMap::new();
        let (mut ours, mut recorded) = (Vec::new(), Vec::new());
        for step in line["steps"].as_array().unwrap() {
            for key in ["members", "joined"] {
                for member in step["event"][key].as_array().into_iter().flatten() {
                    if let Some(id) = member["id"].as_str() {
                        let instance = member["instance_id"].as_str().map(str::to_owned);
                        instance_ids.insert(id.to_owned(), instance);
                    }
                }
            }
            let subscriptions = step["subscriptions"].as_object().unwrap();
            for round in step["rounds"].as_array().unwrap() {
                let members: Vec<Member> = subscriptions
                    .iter()
                    .map(|(id, topics)| Member {
                        id: id.clone(),
                        instance_id: instance_ids.get(id).cloned().flatten(),
                        topics: strings(topics),
                        owned: partitions(&round["sent"][id]["owned"]),
                        generation: round["sent"][id]["generation"]
                            .as_i64()
                            .map_or(-1, |one| one as i32),
                    })
                    .collect();
                let (shares, _) = assign(assignor, &members, &counts(&step["topics"]));
                held.retain(|id, _| subscriptions.contains_key(id));
                let mut ours_told = BTreeMap::new();
                for (id, share) in &shares {
                    let mut after = partitions(&json!(share));
                    after.sort();
                    let before = held.insert(id.clone(), after.clone()).unwrap_or_default();
                    let change = if is_cooperative {
                        Change::cooperative(&before, &after)
                    } else {
                        Change::eager(&before, &after)
                    };
                    let Change { revoked, assigned, kept } = change;
                    let told = [revoked, assigned, kept].map(|list| printed(&list));
                    ours_told.insert(id.clone(), told);
                }
                // What it no longer subscribes to it has given up before it joined.
                let must_rejoin = |(id, told): (&String, &[Vec<String>; 3])| {
                    let topics = strings(&subscriptions[id]);
                    let revoked = partitions(&json!(told[0]));
                    revoked.iter().any(|at| topics.contains(&at.topic))
                };
                let rejoin = is_cooperative && ours_told.iter().any(must_rejoin);
                let recorded_told: BTreeMap<String, [Vec<String>; 3]> = shares
                    .keys()
                    .map(|id| {
                        let keys = ["on_revoked", "on_assigned", "kept"];
                        (id.clone(), keys.map(|key| strings(&round[key][id])))
                    })
                    .collect();
                let recorded_rejoin = round["rejoin"].as_bool().unwrap_or_default();
                ours.push((step["event"].clone(), shares, ours_told, rejoin));
                let assigned = lists(&round["assigned"]);
                recorded.push((step["event"].clone(), assigned, recorded_told, recorded_rejoin));
            }
        }
        tally.compare(
            format!("{} {}", line["case"], line["assignor"]),
            json!(ours),
            json!(recorded),
        );
    }
    tally.finish("groups/assign-steps.ndjson", lines.len());
}

#[wasm_bindgen_test(unsupported = test)]
fn the_brokers_assignors_deal_out_as_javas_do() {
    let lines = lines("groups/assign-server.ndjson");
    let mut tally = Tally::default();
    for line in &lines {
        let assignor = line["assignor"].as_str().unwrap();
        if assignor == "simple" {
            tally.skip("simple is for share groups, which are not modelled");
            continue;
        }
        let topics: Vec<server::TopicCount<'_>> = line["topics"]
            .as_array()
            .unwrap()
            .iter()
            .map(|topic| server::TopicCount {
                name: topic["name"].as_str().unwrap(),
                partitions: number(&topic["partitions"]),
                id: topic["id"].as_str().unwrap().parse().unwrap(),
            })
            .collect();
        let counts: PartitionCounts<'_> =
            topics.iter().map(|topic| (topic.name, topic.partitions)).collect();
        let members: Vec<Member> = line["members"]
            .as_array()
            .unwrap()
            .iter()
            .map(|member| Member {
                id: member["id"].as_str().unwrap().to_owned(),
                instance_id: member["instance_id"].as_str().map(str::to_owned),
                topics: strings(&member["topics"]),
                owned: member["previous"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .flat_map(|previous| {
                        let topic = previous["topic"].as_str().unwrap();
                        let numbers = recorded::numbers::<i32>(&previous["partitions"]);
                        numbers.into_iter().map(move |p| TopicPartition::new(topic, p))
                    })
                    .collect(),
                generation: -1,
            })
            .collect();
        let subscriptions: Vec<Subscription<'_>> = members.iter().map(subscription).collect();
        let shares = match assignor {
            "range" => server::range(&subscriptions, &counts),
            _ => server::uniform(&subscriptions, &topics),
        };
        let mut ours: BTreeMap<String, BTreeMap<String, Vec<i32>>> = BTreeMap::new();
        for (member, share) in members.iter().zip(shares) {
            let topics = ours.entry(member.id.clone()).or_default();
            for at in share {
                topics.entry(at.topic).or_default().push(at.partition);
            }
        }
        let recorded = serde_json::from_value(line["result"].clone()).unwrap();
        tally.compare(format!("{} {assignor}", line["case"]), ours, recorded);
    }
    tally.finish("groups/assign-server.ndjson", lines.len());
}
