//! Groups' text against recorded output of `kafka-consumer-groups --list` and `--describe`, Apache
//! Kafka 4.4.0. What the fields mean: `tests/golden/groups/README.md`.
//!
//! The text is compared whole. It is printed from the recorded state; that a cluster tells the
//! same of itself is tried where acts lead to the state.

use crate::recorded::{Tally, folder, is_another_folder, names, number};
use loglanes::group::describe::{CommittedRow, Description, MemberRow, list};
use loglanes::group::{
    ConsumerConfig, GroupProtocol, OffsetReset, PartitionOffset, TopicPartition,
};
use loglanes::{Cluster, Command, Produce};
use serde_json::Value;

const NOW: i64 = 1_700_000_000_000;

fn place(text: &str) -> TopicPartition {
    let (topic, partition) = text.rsplit_once('-').unwrap();
    TopicPartition::new(topic, partition.parse().unwrap())
}

fn places(value: &Value) -> Vec<TopicPartition> {
    value.as_array().into_iter().flatten().map(|at| place(at.as_str().unwrap())).collect()
}

/// What is recorded of a group; none if there is no such group.
fn recorded(state: &Value, id: &str) -> Option<Description> {
    let group = state["groups"].get(id).filter(|group| !group.is_null())?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let epoch = |name: &str| group[name].as_i64().map(|epoch| epoch as i32);
    let members: Vec<MemberRow> = group["members"]
        .as_array()?
        .iter()
        .map(|member| MemberRow {
            client_id: text(&member["client_id"]),
            member_id: text(&member["member_id"]),
            instance_id: member["instance_id"].as_str().map(str::to_owned),
            host: text(&member["host"]),
            assignment: places(&member["assignment"]),
            epoch: member["member_epoch"].as_i64().map(|epoch| epoch as i32),
            target: places(&member["target_assignment"]),
            upgraded: member["upgraded"].as_bool(),
        })
        .collect();
    let committed = group["committed"].as_object()?.iter().map(|(at, commit)| {
        let leader_epoch = commit["leader_epoch"].as_i64().map(|epoch| epoch as i32);
        (place(at), CommittedRow { offset: number(&commit["offset"]), leader_epoch })
    });
    let ends = state["topics"].as_object()?.iter().flat_map(|(topic, partitions)| {
        partitions.as_array().into_iter().flatten().map(move |row| {
            let at = TopicPartition::new(topic, number(&row["partition"]));
            (at, number(&row["log_end_offset"]))
        })
    });
    Some(Description {
        group: id.to_owned(),
        group_type: text(&group["type"]),
        state: text(&group["state"]),
        assignor: text(&group["assignor"]),
        coordinator: "127.0.0.1:9092  (1)".to_owned(),
        epochs: epoch("group_epoch").zip(epoch("target_assignment_epoch")),
        members,
        committed: committed.collect(),
        ends: ends.collect(),
    })
}

/// A cluster in the recorded state; none where no acts lead to it.
fn cluster_of(state: &Value, id: &str) -> Option<Cluster> {
    let group = &state["groups"][id];
    let protocol: GroupProtocol = group["type"].as_str()?.parse().ok()?;
    let mut cluster = Cluster::with_brokers(7, [1]);
    for (name, partitions) in state["topics"].as_object()? {
        let partitions = partitions.as_array()?;
        cluster.apply(&Command::create_topic(name, partitions.len() as i32), NOW).unwrap();
        for (at, partition) in (0..).zip(partitions) {
            for _ in 0..number::<i64>(&partition["log_end_offset"]) {
                let topic = name.clone();
                let record = Produce { topic, partition: Some(at), ..Produce::default() };
                cluster.apply(&Command::Produce(record), NOW).unwrap();
            }
        }
    }
    let topics: Vec<String> = state["topics"].as_object()?.keys().cloned().collect();
    let join = |topics: Vec<String>, instance_id: Option<String>| ConsumerConfig {
        topics,
        instance_id,
        protocol,
        auto_offset_reset: OffsetReset::Latest,
        ..ConsumerConfig::default()
    };
    let mut members = group["members"].as_array()?.iter();
    let start = |cluster: &mut Cluster, member: &Value| {
        let owned = places(&member["assignment"]);
        let mut subscribed: Vec<String> = owned.into_iter().map(|at| at.topic).collect();
        if subscribed.is_empty() || protocol == GroupProtocol::Consumer {
            subscribed = topics.clone();
        }
        let name = member["client_id"].as_str().unwrap().to_owned();
        let config = join(subscribed, member["instance_id"].as_str().map(str::to_owned));
        cluster.apply(&Command::Join { group: id.into(), member: name, config }, NOW).unwrap();
    };
    let offsets: Vec<PartitionOffset> = group["committed"]
        .as_object()?
        .iter()
        .map(|(at, commit)| {
            let at = place(at);
            let offset = number(&commit["offset"]);
            let leader_epoch = commit["leader_epoch"].as_i64().map(|epoch| epoch as i32);
            PartitionOffset {
                leader_epoch,
                ..PartitionOffset::new(&at.topic, at.partition, offset)
            }
        })
        .collect();
    // The first member commits, or one that has left since.
    let first = members.next();
    let who = match first {
        Some(member) => {
            start(&mut cluster, member);
            member["client_id"].as_str()?.to_owned()
        }
        None => {
            let config = join(topics.clone(), None);
            let member = "earlier".to_owned();
            cluster.apply(&Command::Join { group: id.into(), member, config }, NOW).ok()?;
            "earlier".to_owned()
        }
    };
    let offsets = Some(offsets);
    let commit = Command::Commit { group: id.into(), member: who.clone(), offsets };
    cluster.apply(&commit, NOW).ok()?;
    if first.is_none() {
        cluster.apply(&Command::Leave { group: id.into(), member: who }, NOW).unwrap();
    }
    for member in members {
        start(&mut cluster, member);
    }
    Some(cluster)
}

/// The same words about a cluster, but for ids that are drawn and the broker's address.
fn of_cluster(cluster: &Cluster, recorded: &Description) -> Option<Description> {
    let mut ours = cluster.description(&recorded.group).ok()?;
    for member in &mut ours.members {
        let same = recorded.members.iter().find(|one| one.client_id == member.client_id)?;
        member.member_id = same.member_id.clone();
        member.assignment.sort();
    }
    ours.coordinator = recorded.coordinator.clone();
    Some(ours)
}

const NOT_FOUND: &str = "\nError: Executing consumer group command failed due to \
     org.apache.kafka.common.errors.GroupIdNotFoundException: Group GROUP not found.\n";

/// What the tool prints of a recorded state; or why it is not printed here.
fn printed(args: &[&str], state: &Value) -> Result<(String, String), &'static str> {
    let known: Vec<String> =
        state["groups"].as_object().into_iter().flatten().map(|(id, _)| id.clone()).collect();
    let has = |name: &str| args.contains(&name);
    let value = |name: &str| {
        let at = args.iter().position(|arg| *arg == name)?;
        args.get(at + 1).copied().filter(|value| !value.starts_with("--"))
    };
    if has("--list") {
        if has("--members") {
            return Err("options that the tool's own parser refuses");
        }
        let states: Option<Vec<String>> = value("--state")
            .map(|states| states.split(',').map(|one| one.trim().to_lowercase()).collect());
        let types: Option<String> = value("--type").map(str::to_lowercase);
        let is_known =
            |name: &String| ["empty", "stable", "preparingrebalance"].contains(&name.as_str());
        if states.as_ref().is_some_and(|states| !states.iter().all(is_known))
            || types.as_ref().is_some_and(|kind| kind != "classic" && kind != "consumer")
        {
            return Err("options that the tool's own parser refuses");
        }
        let groups: Vec<Description> = known
            .iter()
            .filter_map(|id| recorded(state, id))
            .filter(|one| states.as_ref().is_none_or(|all| all.contains(&one.state.to_lowercase())))
            .filter(|one| types.as_ref().is_none_or(|kind| *kind == one.group_type.to_lowercase()))
            .collect();
        let (with_type, with_state) = (has("--type"), has("--state"));
        return Ok((list(&groups, with_type, with_state), String::new()));
    }
    if !has("--describe") {
        return Err("another action of the tool");
    }
    let views = ["--members", "--offsets", "--state"].iter().filter(|view| has(view)).count();
    if views > 1 || value("--state").is_some() || !(has("--group") || has("--all-groups")) {
        return Err("options that the tool's own parser refuses");
    }
    let mut ids: Vec<String> =
        args.windows(2).filter(|two| two[0] == "--group").map(|two| two[1].to_owned()).collect();
    if has("--all-groups") {
        ids = known;
    }
    ids.sort();
    let (mut text, mut note) = (String::new(), String::new());
    for id in &ids {
        let Some(group) = recorded(state, id) else {
            return Ok((NOT_FOUND.replace("GROUP", id), String::new()));
        };
        let verbose = has("--verbose");
        text += &if has("--members") {
            let drawn = |one: &MemberRow| one.member_id.starts_with("BBBB");
            if verbose && group.members.iter().any(drawn) {
                return Err("a group whose members speak both protocols");
            }
            group.members(verbose)
        } else if has("--state") {
            group.state(verbose)
        } else {
            let deleted = group.members.iter().flat_map(|member| &member.assignment);
            if deleted.clone().any(|at| !group.ends.contains_key(at)) {
                return Err("a topic that is deleted under its reader: here it notices at once");
            }
            group.offsets(verbose)
        };
        note += &group.note();
    }
    Ok((text, note))
}

#[test]
fn groups_are_listed_and_described_as_by_kafkas_tool() {
    let folder = folder().join("groups/describe");
    let mut files: Vec<_> =
        names("groups/describe").into_iter().map(|name| folder.join(name)).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "json"));
    let (mut tally, mut clusters) = (Tally::default(), 0);
    for path in &files {
        let what: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let text = std::fs::read_to_string(path.with_extension("txt")).unwrap();
        let args: Vec<&str> =
            what["args"].as_array().unwrap().iter().filter_map(Value::as_str).skip(2).collect();
        let state = &what["state"];
        let (ours, note) = match printed(&args, state) {
            Ok(printed) => printed,
            Err(reason) => {
                tally.skip(reason);
                continue;
            }
        };
        let beside = what["stderr"].as_str().unwrap();
        // A stack trace is compared by the text that goes with it.
        let beside = if beside.starts_with("java.") { "" } else { beside };
        tally.compare(path.file_name().unwrap(), (ours, note.as_str()), (text, beside));
        let ids = state["groups"].as_object().into_iter().flatten();
        for (id, _) in ids {
            let Some(group) = recorded(state, id) else { continue };
            let Some(ours) = cluster_of(state, id).and_then(|it| of_cluster(&it, &group)) else {
                continue;
            };
            let owned = |one: &Description| -> Vec<Vec<TopicPartition>> {
                one.members.iter().map(|member| member.assignment.clone()).collect()
            };
            if owned(&ours) != owned(&group) || ours.state != group.state {
                continue;
            }
            clusters += 1;
            assert_eq!(ours.offsets(true), group.offsets(true), "{}", path.display());
            // Which epoch it is depends on who was there before.
            assert_eq!(ours.members(false), group.members(false), "{}", path.display());
            assert_eq!(ours.state(false), group.state(false), "{}", path.display());
        }
    }
    println!("groups/describe: {clusters} states told by a cluster");
    assert!(clusters > 0 || is_another_folder());
    tally.finish("groups/describe", files.len());
}
