//! Groups as `kafka-consumer-groups` prints them: `--list`, and `--describe` with its three views,
//! each short or `--verbose`.
//!
//! Source: `ConsumerGroupCommand.printOffsets`, `printMembers`, `printStates` and `listGroups`,
//! Apache Kafka 4.4.0; the widths are those of its output.

use std::collections::BTreeMap;

use super::coordinator::{Group, Topics};
use super::{GroupProtocol, TopicPartition};
use crate::java;

/// The host that every consumer in a tab runs on.
const HOST: &str = "/127.0.0.1";

/// How many partitions the topic has whose leaders coordinate groups:
/// `offsets.topic.num.partitions`. Source: `GroupCoordinatorConfig`.
const OFFSETS_TOPIC_PARTITIONS: i32 = 50;

/// A column is as wide as its longest value, and at least this.
const LEAST: usize = 15;

/// What the tool asks the brokers about a group, as far as it prints it.
///
/// ```
/// use loglanes::group::describe::Description;
///
/// let nobody = Description { group: "g".into(), state: "Empty".into(), ..Description::default() };
/// assert!(nobody.offsets(false).is_empty(), "nothing committed, nobody there: no table");
/// assert_eq!(nobody.note(), "\nConsumer group 'g' has no active members.\n");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Description {
    /// `group.id`.
    pub group: String,
    /// `Classic` or `Consumer`.
    pub group_type: String,
    /// Such as `Stable`.
    pub state: String,
    /// Its assignor; empty where there is none.
    pub assignor: String,
    /// The broker that looks after it, as `host:port  (id)`.
    pub coordinator: String,
    /// The group's epoch and that of its target, with the consumer protocol.
    pub epochs: Option<(i32, i32)>,
    /// The members.
    pub members: Vec<MemberRow>,
    /// What is committed.
    pub committed: BTreeMap<TopicPartition, CommittedRow>,
    /// The end of every partition that is assigned or committed.
    pub ends: BTreeMap<TopicPartition, i64>,
}

/// A member, as the tool prints it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MemberRow {
    /// `client.id`.
    pub client_id: String,
    /// `member.id`.
    pub member_id: String,
    /// `group.instance.id`.
    pub instance_id: Option<String>,
    /// Where it runs.
    pub host: String,
    /// What it has.
    pub assignment: Vec<TopicPartition>,
    /// Its epoch, with the consumer protocol.
    pub epoch: Option<i32>,
    /// What it is to have, with the consumer protocol.
    pub target: Vec<TopicPartition>,
    /// In a group whose members speak both protocols: whether it speaks the newer one.
    pub upgraded: Option<bool>,
}

/// A committed offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CommittedRow {
    /// The next offset to read.
    pub offset: i64,
    /// The epoch of the leader, if one was committed.
    pub leader_epoch: Option<i32>,
}

impl Description {
    pub(crate) fn of(id: &str, group: &Group, cluster: &Topics, brokers: &[i32]) -> Self {
        let is_consumer = group.protocol == GroupProtocol::Consumer;
        let members: Vec<MemberRow> = group
            .members
            .iter()
            .map(|(name, member)| MemberRow {
                client_id: name.clone(),
                member_id: member.member_id.clone(),
                instance_id: member.config.instance_id.clone(),
                host: HOST.to_owned(),
                assignment: member.assignment.clone(),
                epoch: is_consumer.then(|| member.epoch()),
                target: member.target.clone(),
                upgraded: None,
            })
            .collect();
        let committed: BTreeMap<TopicPartition, CommittedRow> = group
            .committed
            .iter()
            .map(|(at, &offset)| {
                let leader_epoch = group.note(at).and_then(|note| note.leader_epoch);
                (at.clone(), CommittedRow { offset, leader_epoch })
            })
            .collect();
        let owned = members.iter().flat_map(|member| &member.assignment);
        let ends = owned
            .chain(committed.keys())
            .filter_map(|at| {
                let partition = cluster.get(&at.topic)?.partition(at.partition)?;
                Some((at.clone(), partition.log.high_watermark()))
            })
            .collect();
        // As if the leaders of `__consumer_offsets` went round the brokers.
        let partition = (java::string_hash_code(id) & i32::MAX) % OFFSETS_TOPIC_PARTITIONS;
        let broker =
            brokers.get(partition as usize % brokers.len().max(1)).copied().unwrap_or_default();
        Self {
            group: id.to_owned(),
            group_type: group.protocol.group_type().to_owned(),
            state: group.state().to_owned(),
            assignor: group.assignor_name().to_owned(),
            coordinator: format!("broker-{broker}:9092  ({broker})"),
            epochs: is_consumer.then_some((group.generation, group.generation)),
            members,
            committed,
            ends,
        }
    }

    /// `--describe`: every partition that is assigned or committed. Empty without any.
    #[must_use]
    pub fn offsets(&self, verbose: bool) -> String {
        let mut members: Vec<&MemberRow> = self.members.iter().collect();
        members.sort_by(|a, b| {
            let fewer = b.assignment.len().cmp(&a.assignment.len());
            fewer.then_with(|| a.member_id.cmp(&b.member_id))
        });
        let mut rows: Vec<(&TopicPartition, Option<&MemberRow>)> = Vec::new();
        for member in members {
            let mut owned: Vec<&TopicPartition> = member.assignment.iter().collect();
            owned.sort_by_key(|at| (at.partition, &at.topic));
            rows.extend(owned.into_iter().map(|at| (at, Some(member))));
        }
        let is_left =
            |at: &&TopicPartition| !self.members.iter().any(|one| one.assignment.contains(at));
        rows.extend(self.committed.keys().filter(is_left).map(|at| (at, None)));
        if rows.is_empty() {
            return String::new();
        }
        let of = |owner: &Option<&MemberRow>, what: fn(&MemberRow) -> &str| {
            owner.map_or("-".to_owned(), |member| what(member).to_owned())
        };
        let mut table = Table::default();
        table.column("GROUP", LEAST);
        table.column("TOPIC", LEAST);
        table.fixed("PARTITION", 10);
        if verbose {
            table.fixed("LEADER-EPOCH", 15);
        }
        for name in ["CURRENT-OFFSET", "LOG-END-OFFSET", "LAG"] {
            table.fixed(name, 15);
        }
        table.column("CONSUMER-ID", LEAST);
        table.column("HOST", LEAST);
        table.last("CLIENT-ID");
        for (at, owner) in rows {
            let end = self.ends.get(at).copied();
            let committed = self.committed.get(at);
            let offset = committed.map(|committed| committed.offset);
            let lag = end.zip(offset).map(|(end, offset)| end.wrapping_sub(offset));
            let mut row = vec![self.group.clone(), at.topic.clone(), at.partition.to_string()];
            if verbose {
                row.push(or_dash(committed.and_then(|committed| committed.leader_epoch)));
            }
            row.extend([or_dash(offset), or_dash(end), or_dash(lag)]);
            row.push(of(&owner, |member| &member.member_id));
            row.push(of(&owner, |member| &member.host));
            row.push(of(&owner, |member| &member.client_id));
            table.rows.push(row);
        }
        table.print()
    }

    /// `--describe --members`: every member, and how many partitions it has.
    #[must_use]
    pub fn members(&self, verbose: bool) -> String {
        let mut members: Vec<&MemberRow> = self.members.iter().collect();
        members.sort_by(|a, b| a.member_id.cmp(&b.member_id));
        let has_static = members.iter().any(|member| member.instance_id.is_some());
        let has_both = members.iter().any(|member| member.upgraded.is_some());
        let mut table = Table::default();
        table.column("GROUP", LEAST);
        table.column("CONSUMER-ID", LEAST);
        if has_static {
            table.column("GROUP-INSTANCE-ID", 17);
        }
        table.column("HOST", LEAST);
        table.column("CLIENT-ID", LEAST);
        table.fixed("#PARTITIONS", 15);
        if verbose {
            table.fixed("CURRENT-EPOCH", 15);
            table.column("CURRENT-ASSIGNMENT", 20);
            table.fixed("TARGET-EPOCH", 15);
            table.column("TARGET-ASSIGNMENT", 20);
            if has_both {
                table.last("UPGRADED");
            }
        }
        if !verbose {
            // The tool ends each line with a blank.
            table.last("");
        }
        for member in members {
            let mut row = vec![self.group.clone(), member.member_id.clone()];
            if has_static {
                row.push(member.instance_id.clone().unwrap_or_default());
            }
            row.extend([member.host.clone(), member.client_id.clone()]);
            row.push(member.assignment.len().to_string());
            if verbose {
                row.extend([or_dash(member.epoch), listed(&member.assignment)]);
                let target = self.epochs.map(|(_, target)| target);
                row.extend([or_dash(target), listed(&member.target)]);
                if has_both {
                    row.push(member.upgraded.map(|is| is.to_string()).unwrap_or_default());
                }
            }
            if !verbose {
                row.push(String::new());
            }
            table.rows.push(row);
        }
        table.print()
    }

    /// `--describe --state`: the coordinator, the assignor, the state.
    #[must_use]
    pub fn state(&self, verbose: bool) -> String {
        let mut table = Table::default();
        table.column("GROUP", LEAST);
        table.column("COORDINATOR (ID)", 25);
        table.fixed("ASSIGNMENT-STRATEGY", 20);
        table.fixed("STATE", 20);
        if verbose {
            table.fixed("GROUP-EPOCH", 15);
            table.fixed("TARGET-ASSIGNMENT-EPOCH", 25);
        }
        table.last("#MEMBERS");
        let assignor = if self.assignor.is_empty() { "-" } else { &self.assignor };
        let mut row = vec![self.group.clone(), self.coordinator.clone(), assignor.to_owned()];
        row.push(self.state.clone());
        if verbose {
            row.push(or_dash(self.epochs.map(|(group, _)| group)));
            row.push(or_dash(self.epochs.map(|(_, target)| target)));
        }
        row.push(self.members.len().to_string());
        table.rows.push(row);
        table.print()
    }

    /// What the tool says beside the table, on its error output; empty where that is nothing.
    #[must_use]
    pub fn note(&self) -> String {
        let group = &self.group;
        match self.state.as_str() {
            "Empty" => format!("\nConsumer group '{group}' has no active members.\n"),
            "PreparingRebalance" | "CompletingRebalance" | "Assigning" | "Reconciling" => {
                format!("\nWarning: Consumer group '{group}' is rebalancing.\n")
            }
            _ => String::new(),
        }
    }
}

/// `--list`: the names, or with their types and states. `only` are states to keep.
///
/// ```
/// use loglanes::group::describe::{Description, list};
///
/// let group = Description { group: "g".into(), state: "Empty".into(), ..Description::default() };
/// assert_eq!(list(&[group.clone()], false, false), "g\n");
/// assert!(list(&[group], false, true).starts_with("GROUP                     STATE"));
/// ```
#[must_use]
pub fn list(groups: &[Description], with_type: bool, with_state: bool) -> String {
    if !with_type && !with_state {
        return groups.iter().map(|group| format!("{}\n", group.group)).collect();
    }
    let longest = groups.iter().map(|group| units(&group.group)).max().unwrap_or(0);
    let mut table = Table { is_list: true, ..Table::default() };
    table.fixed("GROUP", longest.max(LEAST) + 10);
    if with_type {
        table.fixed("TYPE", 20);
    }
    if with_state {
        table.fixed("STATE", 20);
    }
    for group in groups {
        let mut row = vec![group.group.clone()];
        if with_type {
            row.push(group.group_type.clone());
        }
        if with_state {
            row.push(group.state.clone());
        }
        table.rows.push(row);
    }
    table.print()
}

fn or_dash<T: ToString>(value: Option<T>) -> String {
    value.map_or("-".to_owned(), |value| value.to_string())
}

/// `orders:0,1;clicks:2`, topics in order of name; a hyphen for nothing.
fn listed(assignment: &[TopicPartition]) -> String {
    let mut topics: BTreeMap<&str, Vec<i32>> = BTreeMap::new();
    for at in assignment {
        topics.entry(&at.topic).or_default().push(at.partition);
    }
    if topics.is_empty() {
        return "-".to_owned();
    }
    let topics = topics.into_iter().map(|(topic, mut numbers)| {
        numbers.sort_unstable();
        let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        format!("{topic}:{}", numbers.join(","))
    });
    topics.collect::<Vec<_>>().join(";")
}

/// Columns that are aligned to the left, one blank between them.
#[derive(Default)]
struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
    /// A list ends each line; a description begins each.
    is_list: bool,
}

struct Column {
    name: &'static str,
    least: usize,
    grows: bool,
}

impl Table {
    /// As wide as its longest value, and at least so wide.
    fn column(&mut self, name: &'static str, least: usize) {
        self.columns.push(Column { name, least, grows: true });
    }

    /// So wide, whatever is in it.
    fn fixed(&mut self, name: &'static str, width: usize) {
        self.columns.push(Column { name, least: width, grows: false });
    }

    /// Not padded.
    fn last(&mut self, name: &'static str) {
        self.fixed(name, 0);
    }

    fn print(&self) -> String {
        let longest = |at: usize| {
            self.rows.iter().filter_map(|row| row.get(at)).map(|text| units(text)).max()
        };
        let widths: Vec<usize> = self
            .columns
            .iter()
            .enumerate()
            .map(|(at, column)| match column.grows {
                true => longest(at).unwrap_or(0).max(column.least),
                false => column.least,
            })
            .collect();
        let line = |texts: &mut dyn Iterator<Item = &str>| {
            let cells: Vec<String> = texts
                .zip(&widths)
                .map(|(text, &width)| {
                    let blanks = width.saturating_sub(units(text));
                    format!("{text}{}", " ".repeat(blanks))
                })
                .collect();
            cells.join(" ")
        };
        let head = line(&mut self.columns.iter().map(|column| column.name));
        let rows = self.rows.iter().map(|row| line(&mut row.iter().map(String::as_str)));
        let lines: Vec<String> = std::iter::once(head).chain(rows).collect();
        if self.is_list {
            lines.iter().map(|line| format!("{line}\n")).collect()
        } else {
            lines.iter().map(|line| format!("\n{line}")).collect::<String>() + "\n"
        }
    }
}

/// Java counts in UTF-16 units.
fn units(text: &str) -> usize {
    text.encode_utf16().count()
}
