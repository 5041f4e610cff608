//! Resetting a group's offsets, as Kafka's own tool does it: what would be committed, and why.
//!
//! Source: `GroupOffsetsResetter` and `ConsumerGroupCommand` of `org.apache.kafka.tools`, Apache
//! Kafka 4.4.0.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::coordinator::{Group, Topics};
use super::{PartitionOffset, TopicPartition, datetime, duration};
use crate::command::no_fields;
use crate::error::{Error, ErrorCode, Result};
use crate::java;
use crate::topic::{Partition, check_name};

/// The largest plan that is read from a file, in bytes. A limit of this model.
pub const MAX_PLAN_BYTES: usize = 1 << 20;

/// Where the offsets go: the modes of `kafka-consumer-groups --reset-offsets`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "mode", rename_all = "camelCase", deny_unknown_fields)]
pub enum ResetTo {
    /// `--to-earliest`: the log start offsets.
    #[serde(deserialize_with = "no_fields")]
    Earliest,
    /// `--to-latest`: the ends of the logs.
    #[serde(deserialize_with = "no_fields")]
    Latest,
    /// `--to-current`: where they are; the end where nothing is committed.
    #[serde(deserialize_with = "no_fields")]
    Current,
    /// `--to-offset`: one offset for all; kept within each log.
    Offset {
        /// The offset; may be outside the logs.
        offset: i64,
    },
    /// `--shift-by`: so many offsets on from where they are, or back.
    Shift {
        /// By how many offsets.
        by: i64,
    },
    /// `--to-datetime`: the first record that is not older; the end where there is none.
    Datetime {
        /// Such as `2023-11-14T22:13:24.500`.
        datetime: String,
    },
    /// `--by-duration`: the first record that is no older than this; the end where there is none.
    Duration {
        /// Such as `PT1H30M`.
        duration: String,
    },
    /// `--from-file`: as the file says.
    File {
        /// Its lines: `topic,partition,offset`, or with the group in front.
        csv: String,
    },
}

/// What a reset would commit.
///
/// ```
/// use loglanes::group::{PartitionOffset, ResetPlan};
///
/// let row = PartitionOffset::new("orders", 0, 9);
/// let plan = ResetPlan { rows: vec![row], notices: Vec::new(), warnings: Vec::new() };
/// assert_eq!(plan.csv(), "orders,0,9\n");
/// assert!(plan.table("billing").contains("billing         orders          0          9"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResetPlan {
    /// The new offsets, in the order of Kafka's tool.
    pub rows: Vec<PartitionOffset>,
    /// What the tool says of partitions without a record for the time.
    pub notices: Vec<String>,
    /// What the tool says in its log of offsets that were outside.
    pub warnings: Vec<String>,
}

impl ResetPlan {
    /// The table that Kafka's tool prints.
    #[must_use]
    pub fn table(&self, group: &str) -> String {
        let width = |texts: &mut dyn Iterator<Item = &str>| {
            texts.map(|text| text.encode_utf16().count()).max().unwrap_or(0).max(15)
        };
        let group_width = width(&mut std::iter::once(group));
        let topic_width = width(&mut self.rows.iter().map(|row| row.topic.as_str()));
        let mut text = format!(
            "{:<group_width$} {:<topic_width$} {:<10} NEW-OFFSET\n",
            "GROUP", "TOPIC", "PARTITION"
        );
        for PartitionOffset { topic, partition, offset, .. } in &self.rows {
            text +=
                &format!("{group:<group_width$} {topic:<topic_width$} {partition:<10} {offset}\n");
        }
        text
    }

    /// The rows as `--export` writes them, for `--from-file`.
    #[must_use]
    pub fn csv(&self) -> String {
        let row =
            |row: &PartitionOffset| format!("{},{},{}\n", row.topic, row.partition, row.offset);
        self.rows.iter().map(row).collect()
    }
}

/// What a reset would commit in a group; nothing is changed. `group` is none where there is none of
/// that id yet. `topics` are as the tool takes them, `orders` or `orders:0,2`; none: all partitions
/// with a commit.
pub(crate) fn plan(
    id: &str,
    group: Option<&Group>,
    topics: Option<&[String]>,
    to: &ResetTo,
    cluster: &Topics,
    now_ms: i64,
) -> Result<ResetPlan> {
    if let Some(group) = group.filter(|group| !group.members.is_empty()) {
        return Err(tool(format!(
            "Assignments can only be reset if the group '{id}' is inactive, but the current state \
             is {}.",
            group.state()
        ))
        .with_hint("Close its members first, or let their sessions time out."));
    }
    let none = BTreeMap::new();
    let committed = group.map_or(&none, |group| &group.committed);
    let (mut rows, mut notices, mut warnings) = (Vec::new(), Vec::new(), Vec::new());
    let wanted: Vec<(TopicPartition, Option<i64>)> = match to {
        ResetTo::File { csv } => read_csv(id, csv)?,
        _ => in_scope(topics, committed, cluster)?.into_iter().map(|at| (at, None)).collect(),
    };
    let since = match to {
        ResetTo::Datetime { datetime } => Some(datetime::parse_ms(datetime)?),
        ResetTo::Duration { duration } => Some(since(duration, now_ms)?),
        _ => None,
    };
    if let ResetTo::Shift { .. } = to {
        // Looked at before the tool puts the partitions into a map.
        let bare = wanted.iter().find(|(at, _)| !committed.contains_key(at));
        if let Some((at, _)) = bare {
            partition(cluster, at)?;
            return Err(Error::client(
                "IllegalArgumentException",
                format!(
                    "Cannot shift offset for partition {at} since there is no current committed \
                     offset"
                ),
            )
            .with_hint("Leave the partition out, or choose another mode for it."));
        }
    }
    for (at, in_file) in in_map_order(wanted) {
        if in_file.is_some() && !cluster.contains_key(&at.topic) && check_name(&at.topic).is_ok() {
            // The tool has not looked for it yet, its client does.
            let topic = &at.topic;
            return Err(Error::broker(
                ErrorCode::UnknownTopicOrPartition,
                format!(
                    "Failed to fetch metadata for partition {at} because metadata for topic \
                     `{topic}` could not be found"
                ),
            )
            .with_hint("Name a topic that is there."));
        }
        let partition = partition(cluster, &at)?;
        let (start, end) = (partition.log.log_start_offset(), partition.log.high_watermark());
        let mut clamp = |offset: i64| {
            let (side, which, to) = match offset {
                _ if offset > end => ("higher", "latest", end),
                _ if offset < start => ("lower", "earliest", start),
                _ => return offset,
            };
            warnings.push(format!(
                "New offset ({offset}) is {side} than {which} offset for topic partition {at}. \
                 Value will be set to {to}."
            ));
            to
        };
        let current = committed.get(&at).copied();
        let offset = match to {
            ResetTo::Earliest => start,
            ResetTo::Latest => end,
            ResetTo::Current => current.unwrap_or(end),
            ResetTo::Offset { offset } => clamp(*offset),
            // Looked at above: there is one.
            ResetTo::Shift { by } => clamp(current.unwrap_or(start).wrapping_add(*by)),
            ResetTo::Datetime { .. } | ResetTo::Duration { .. } => {
                let found = since.and_then(|since| partition.log.offset_for_timestamp(since));
                found.map_or_else(
                    || {
                        notices.push(format!(
                            "Partition {} from topic {} is empty. Falling back to latest known \
                             offset.",
                            at.partition, at.topic
                        ));
                        end
                    },
                    |(offset, _)| offset,
                )
            }
            ResetTo::File { .. } => clamp(in_file.unwrap_or(0)),
        };
        rows.push(PartitionOffset::new(&at.topic, at.partition, offset));
    }
    Ok(ResetPlan { rows, notices, warnings })
}

/// A refusal that Kafka's tool prints, where no exception stands behind it.
fn tool(message: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::client("ConsumerGroupCommand", message)
}

fn since(duration: &str, now_ms: i64) -> Result<i64> {
    let ms = duration::parse_ms(duration).ok_or_else(|| {
        Error::client("DateTimeParseException", "Text cannot be parsed to a Duration")
            .with_hint("Write PT1H30M for an hour and a half, P7D for a week.")
    })?;
    let since = now_ms.saturating_sub(ms);
    if since < 0 {
        return Err(Error::broker(
            ErrorCode::UnsupportedVersion,
            "The version of API is not supported.",
        )
        .with_hint("That is before 1970: choose a shorter duration, or to-earliest."));
    }
    Ok(since)
}

/// The partitions that topics in the tool's notation stand for, each once.
fn in_scope(
    topics: Option<&[String]>,
    committed: &BTreeMap<TopicPartition, i64>,
    cluster: &Topics,
) -> Result<Vec<TopicPartition>> {
    in_checked_scope(topics, committed, cluster, |at| partition(cluster, at).map(|_| ()))
}

/// The same, where a partition that is named by its number is looked for in some way.
pub(super) fn in_checked_scope(
    topics: Option<&[String]>,
    committed: &BTreeMap<TopicPartition, i64>,
    cluster: &Topics,
    check: impl Fn(&TopicPartition) -> Result,
) -> Result<Vec<TopicPartition>> {
    let Some(topics) = topics else { return Ok(committed.keys().cloned().collect()) };
    if topics.is_empty() {
        return Err(tool("One of the reset scopes should be defined: --all-topics, --topic.")
            .with_hint("Name a topic."));
    }
    let mut scope = Vec::new();
    for text in topics {
        let Some((topic, numbers)) = text.split_once(':') else {
            let held = cluster.get(text).ok_or_else(|| unknown(text))?;
            scope.extend((0..held.partition_count()).map(|p| TopicPartition::new(text, p)));
            continue;
        };
        if numbers.is_empty() || numbers.contains(':') {
            return Err(tool(format!(
                "Invalid topic arg '{text}', expected topic name and partitions"
            ))
            .with_hint("Write orders for all partitions, or orders:0,2 for some."));
        }
        for number in numbers.split(',') {
            let partition: i32 = number.parse().map_err(|_| {
                tool(format!("Invalid partition '{number}' specified in topic arg '{text}''"))
                    .with_hint("Write orders for all partitions, or orders:0,2 for some.")
            })?;
            let at = TopicPartition::new(topic, partition);
            check(&at)?;
            scope.push(at);
        }
    }
    scope.sort();
    scope.dedup();
    Ok(scope)
}

fn partition<'a>(cluster: &'a Topics, at: &TopicPartition) -> Result<&'a Partition> {
    let topic = cluster.get(&at.topic).ok_or_else(|| unknown(&at.topic))?;
    topic.partition(at.partition).ok_or_else(|| {
        Error::broker(
            ErrorCode::UnknownTopicOrPartition,
            format!("The partitions \"{at}\" do not exist"),
        )
        .with_hint(format!(
            "{} has the partitions 0 to {}.",
            at.topic,
            topic.partition_count() - 1
        ))
    })
}

fn unknown(topic: &str) -> Error {
    if check_name(topic).is_err() {
        return Error::code_alone(ErrorCode::InvalidTopicException)
            .with_hint("Use letters a-z and A-Z, digits, '.', '_' and '-', at most 249 of them.");
    }
    Error::code_alone(ErrorCode::UnknownTopicOrPartition)
        .with_hint(format!("There is no topic {topic:?}."))
}

/// The order in which the tool's maps iterate.
fn in_map_order<T: Clone>(entries: Vec<(TopicPartition, T)>) -> Vec<(TopicPartition, T)> {
    let hashes: Vec<i32> = entries
        .iter()
        .map(|(at, _)| {
            java::topic_partition_hash_code(&at.topic, u32::try_from(at.partition).unwrap_or(0))
        })
        .collect();
    let order = java::hash_map_order(&hashes, java::grown_capacity(entries.len()));
    order.into_iter().filter_map(|at| entries.get(at).cloned()).collect()
}

/// The lines of a plan: topic, partition and offset, or with the group in front. What is missing at
/// the end of a line is 0, as in Kafka's tool. The last line for a partition counts.
fn read_csv(id: &str, csv: &str) -> Result<Vec<(TopicPartition, Option<i64>)>> {
    if csv.len() > MAX_PLAN_BYTES {
        return Err(Error::limit(
            "MAX_PLAN_BYTES",
            format!("The plan has {} bytes; {MAX_PLAN_BYTES} are taken.", csv.len()),
        )
        .with_hint("Split it into several plans, each of other partitions."));
    }
    let mut plan: BTreeMap<TopicPartition, i64> = BTreeMap::new();
    let mut other = false;
    let mut lines = csv.lines().enumerate().peekable();
    if lines.peek().is_none() {
        return Err(bad_line(1, "there is nothing in it"));
    }
    for (number, line) in lines {
        let fields: Vec<&str> =
            line.split(',').map(|field| field.trim().trim_matches('"')).collect();
        let fields = match fields.as_slice() {
            [group, rest @ ..] if rest.len() == 3 => {
                if *group != id {
                    other = true;
                    continue;
                }
                rest
            }
            all => all,
        };
        let (topic, numbers) = match fields {
            [topic, numbers @ ..] if !topic.is_empty() && numbers.len() <= 2 => (*topic, numbers),
            _ => return Err(bad_line(number + 1, "it is not topic,partition,offset")),
        };
        let number_at = |place: usize| match numbers.get(place) {
            None => Ok(0),
            Some(text) => text
                .parse::<i64>()
                .map_err(|_| bad_line(number + 1, &format!("{text:?} is not a whole number"))),
        };
        let partition = i32::try_from(number_at(0)?)
            .map_err(|_| bad_line(number + 1, "there is no such partition"))?;
        let offset = number_at(1)?;
        if offset < 0 {
            return Err(Error::client("IllegalArgumentException", "Invalid negative offset")
                .with_hint("An offset to commit is the next to read: 0 or more."));
        }
        plan.insert(TopicPartition::new(topic, partition), offset);
    }
    if plan.is_empty() && other {
        return Err(tool(format!("No reset plan for group {id} found."))
            .with_hint("The lines of the file are for other groups."));
    }
    Ok(plan.into_iter().map(|(at, offset)| (at, Some(offset))).collect())
}

/// Kafka's tool shows an exception of its CSV parser here.
fn bad_line(number: usize, problem: &str) -> Error {
    Error::loglanes(format!("Line {number} of the plan cannot be read: {problem}."))
        .with_hint("A line is topic,partition,offset; there is no header, and no empty line.")
}

#[cfg(test)]
mod tests {
    use super::ResetTo;
    use crate::{Cluster, Command};

    #[test]
    fn a_shift_names_the_first_partition_without_a_commit_in_the_order_of_the_numbers() {
        let mut cluster = Cluster::new(1);
        let create = Command::CreateTopic {
            name: "t".to_owned(),
            partitions: Some(4),
            replication_factor: None,
            configs: std::collections::BTreeMap::new(),
        };
        cluster.apply(&create, 0).unwrap();
        let reset = Command::ResetOffsets {
            group: "audit".to_owned(),
            topics: Some(vec!["t".to_owned()]),
            to: ResetTo::Shift { by: 4 },
        };
        let refused = cluster.apply(&reset, 0).unwrap_err();
        assert_eq!(refused.name(), "IllegalArgumentException");
        assert_eq!(
            refused.message(),
            "Cannot shift offset for partition t-0 since there is no current committed offset"
        );
    }
}
