//! A group as `kafka-consumer-groups --describe` prints it.
//!
//! Source: `ConsumerGroupCommand.printOffsets`, `printMembers` and `printStates`, Apache Kafka
//! 4.4.0; the widths are those of its output.

use super::coordinator::{Group, Topics};
use super::{Member, TopicPartition};
use crate::java;

/// The host that every consumer in a tab runs on.
const HOST: &str = "/127.0.0.1";

/// How many partitions the topic has whose leaders coordinate groups:
/// `offsets.topic.num.partitions`. Source: `GroupCoordinatorConfig`.
const OFFSETS_TOPIC_PARTITIONS: i32 = 50;

/// A column is as wide as its longest value, and at least this.
const LEAST: usize = 15;

/// `--describe`: every partition that is assigned or committed.
pub(crate) fn offsets(id: &str, group: &Group, cluster: &Topics) -> String {
    let mut rows: Vec<(TopicPartition, Option<(&str, &Member)>)> = Vec::new();
    let mut members: Vec<(&String, &Member)> = group.members.iter().collect();
    members
        .sort_by_key(|(_, member)| (std::cmp::Reverse(member.assignment.len()), &member.member_id));
    for (name, member) in members {
        let mut owned = member.assignment.clone();
        owned.sort();
        rows.extend(owned.into_iter().map(|at| (at, Some((name.as_str(), member)))));
    }
    let is_left = |at: &&TopicPartition| group.owner(at).is_none();
    rows.extend(group.committed.keys().filter(is_left).map(|at| (at.clone(), None)));
    let member_id = |owner: &Option<(&str, &Member)>| {
        owner.map_or("-".to_owned(), |(_, member)| member.member_id.clone())
    };
    let (a, b) = (width(std::iter::once(id)), width(rows.iter().map(|(at, _)| at.topic.as_str())));
    let ids: Vec<String> = rows.iter().map(|(_, owner)| member_id(owner)).collect();
    let c = width(ids.iter().map(String::as_str));
    let mut text = format!(
        "\n{:<a$} {:<b$} {:<10} {:<15} {:<15} {:<15} {:<c$} {:<15} CLIENT-ID",
        "GROUP",
        "TOPIC",
        "PARTITION",
        "CURRENT-OFFSET",
        "LOG-END-OFFSET",
        "LAG",
        "CONSUMER-ID",
        "HOST"
    );
    for ((at, owner), member_id) in rows.iter().zip(&ids) {
        let log = cluster.get(&at.topic).and_then(|topic| topic.partition(at.partition));
        let end = log.map(|partition| partition.log.high_watermark());
        let committed = group.committed.get(at).copied();
        let lag = end.zip(committed).map(|(end, committed)| end.wrapping_sub(committed));
        let or_dash = |number: Option<i64>| number.map_or("-".to_owned(), |one| one.to_string());
        text += &format!(
            "\n{id:<a$} {:<b$} {:<10} {:<15} {:<15} {:<15} {member_id:<c$} {:<15} {}",
            at.topic,
            at.partition,
            or_dash(committed),
            or_dash(end),
            or_dash(lag),
            owner.map_or("-", |_| HOST),
            owner.map_or("-", |(name, _)| name),
        );
    }
    text + "\n"
}

/// `--describe --members`: every member, and how many partitions it has.
pub(crate) fn members(id: &str, group: &Group) -> String {
    let mut members: Vec<(&String, &Member)> = group.members.iter().collect();
    members.sort_by_key(|(_, member)| &member.member_id);
    let a = width(std::iter::once(id));
    let b = width(members.iter().map(|(_, member)| member.member_id.as_str()));
    let instance = |member: &Member| member.config.instance_id.clone();
    let has_static = members.iter().any(|(_, member)| instance(member).is_some());
    let longest = members.iter().filter_map(|(_, member)| instance(member));
    let c = longest.map(|text| units(&text)).max().unwrap_or(0).max(17);
    let d = width(members.iter().map(|(name, _)| name.as_str()));
    let line =
        |group: &str, member: &str, instance: &str, host: &str, client: &str, count: &str| {
            let instance = if has_static { format!("{instance:<c$} ") } else { String::new() };
            format!("\n{group:<a$} {member:<b$} {instance}{host:<15} {client:<d$} {count:<15} ")
        };
    let mut text =
        line("GROUP", "CONSUMER-ID", "GROUP-INSTANCE-ID", "HOST", "CLIENT-ID", "#PARTITIONS");
    for (name, member) in members {
        let instance = instance(member).unwrap_or_default();
        let count = member.assignment.len().to_string();
        text += &line(id, &member.member_id, &instance, HOST, name, &count);
    }
    text + "\n"
}

/// `--describe --state`: the coordinator, the assignor, the state. Which broker coordinates is as
/// if the leaders of `__consumer_offsets` went round the brokers.
pub(crate) fn state(id: &str, group: &Group, brokers: &[i32]) -> String {
    let partition = (java::string_hash_code(id) & i32::MAX) % OFFSETS_TOPIC_PARTITIONS;
    let broker =
        brokers.get(partition as usize % brokers.len().max(1)).copied().unwrap_or_default();
    let coordinator = format!("broker-{broker}:9092  ({broker})");
    let a = width(std::iter::once(id));
    let assignor = group.assignor.map_or("-", |assignor| assignor.name());
    format!(
        "\n{:<a$} {:<25} {:<20} {:<20} #MEMBERS\n{id:<a$} {coordinator:<25} {assignor:<20} {:<20} {}\n",
        "GROUP",
        "COORDINATOR (ID)",
        "ASSIGNMENT-STRATEGY",
        "STATE",
        group.state(),
        group.members.len()
    )
}

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

fn width<'a>(texts: impl Iterator<Item = &'a str>) -> usize {
    texts.map(units).max().unwrap_or(0).max(LEAST)
}
