//! Which of the tools' texts is asked for, and the command that would print it.

use serde::{Deserialize, Serialize};

use super::{OffsetAt, TopicRows, configs, delete_records, log_dirs, offsets, topic_list, topics};
use crate::Cluster;
use crate::error::{Error, ErrorCode, Result};
use crate::group::describe;
use crate::interchange::bundle::shell::{pattern, quoted};

/// One of the texts that Kafka's tools print of a cluster.
///
/// ```
/// use loglanes::view::tools::{GroupTable, ToolRequest};
/// use loglanes::{Cluster, Command};
///
/// let mut cluster = Cluster::new(7);
/// cluster.apply(&Command::create_topic("orders", 1), 0)?;
/// let offsets = ToolRequest::GetOffsets { topic: "orders".into(), time: "latest".into() };
/// let printed = offsets.print(&cluster)?;
/// assert!(printed.command.ends_with(" --topic orders --time latest"));
/// assert_eq!(printed.text, "orders:0:0\n");
/// let nobody = ToolRequest::DescribeGroup {
///     group: "billing".into(),
///     table: GroupTable::Offsets,
///     verbose: true,
/// };
/// assert_eq!(nobody.print(&cluster).unwrap_err().code(), Some(69));
/// # Ok::<(), loglanes::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "tool", rename_all = "camelCase", deny_unknown_fields)]
pub enum ToolRequest {
    /// `kafka-topics --list`.
    ListTopics {},
    /// `kafka-topics --describe` of a topic.
    DescribeTopic {
        /// Its name.
        topic: String,
        /// Which lines of it; all unless given.
        #[serde(default)]
        rows: TopicRows,
    },
    /// `kafka-configs --describe` of a topic.
    DescribeConfigs {
        /// Its name.
        topic: String,
        /// Also what has its default: `--all`.
        all: bool,
    },
    /// `kafka-log-dirs --describe` of a topic.
    DescribeLogDirs {
        /// Its name.
        topic: String,
    },
    /// `kafka-get-offsets` of a topic.
    GetOffsets {
        /// Its name.
        topic: String,
        /// `--time`: `earliest`, `latest`, `max-timestamp`, or milliseconds since 1970.
        time: String,
    },
    /// What `kafka-delete-records` would print. Nothing is deleted.
    DeleteRecords {
        /// The topic.
        topic: String,
        /// The partition.
        partition: i32,
        /// The offset of the first record to stay; -1: the high watermark.
        before: i64,
    },
    /// `kafka-consumer-groups --list --type --state`.
    ListGroups {},
    /// `kafka-consumer-groups --describe` of a group.
    DescribeGroup {
        /// Its name.
        group: String,
        /// Which of its tables.
        table: GroupTable,
        /// `--verbose`.
        verbose: bool,
    },
}

/// A table of `kafka-consumer-groups --describe`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum GroupTable {
    /// `--offsets`, the default: partitions, committed offsets, lag.
    Offsets,
    /// `--members`.
    Members,
    /// `--state`.
    State,
}

impl GroupTable {
    const fn option(self) -> &'static str {
        match self {
            Self::Offsets => "--offsets",
            Self::Members => "--members",
            Self::State => "--state",
        }
    }
}

/// A command, and what it prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Printed {
    /// The command line, for a broker at `localhost:9092`.
    pub command: String,
    /// What comes of it, to the letter.
    pub text: String,
}

impl ToolRequest {
    /// The command, and what it prints of a cluster.
    ///
    /// # Errors
    ///
    /// `UNKNOWN_TOPIC_OR_PARTITION` (3), `GROUP_ID_NOT_FOUND` (69), and a `time` that is none.
    pub fn print(&self, cluster: &Cluster) -> Result<Printed> {
        let known = |topic: &str| match cluster.topic(topic) {
            Some(_) => Ok(()),
            None => Err(Error::code_alone(ErrorCode::UnknownTopicOrPartition)
                .with_hint(format!("There is no topic {topic:?}."))),
        };
        let (tool, options, text) = match self {
            Self::ListTopics {} => {
                let names = cluster.topics().map(|(name, _)| name);
                ("kafka-topics", "--list".to_owned(), topic_list(names))
            }
            Self::DescribeTopic { topic, rows } => {
                known(topic)?;
                let text = topics(cluster, *rows, |name| name == topic);
                ("kafka-topics", describe_topic(cluster, topic, *rows), text)
            }
            Self::DescribeConfigs { topic, all } => {
                known(topic)?;
                let all_option = if *all { " --all" } else { "" };
                let name = quoted(topic);
                let options =
                    format!("--describe{all_option} --entity-type topics --entity-name {name}");
                ("kafka-configs", options, configs(cluster, *all, |name| name == topic))
            }
            Self::DescribeLogDirs { topic } => {
                known(topic)?;
                let options = format!("--describe --topic-list {}", quoted(topic));
                ("kafka-log-dirs", options, log_dirs(cluster, LOG_DIR, |name| name == topic))
            }
            Self::GetOffsets { topic, time } => {
                known(topic)?;
                let at: OffsetAt = time.parse().map_err(|()| no_time(time))?;
                let options =
                    format!("--topic {} --time {}", quoted(&pattern(topic)), quoted(time));
                ("kafka-get-offsets", options, offsets(cluster, at, |name, _| name == topic))
            }
            Self::DeleteRecords { topic, partition, before } => {
                known(topic)?;
                let options = "--offset-json-file offsets.json".to_owned();
                let text = delete_records(cluster, &[(topic, *partition, *before)]);
                ("kafka-delete-records", options, text)
            }
            Self::ListGroups {} => {
                let groups: Result<Vec<_>> =
                    cluster.groups().map(|(id, _)| cluster.description(id)).collect();
                let text = describe::list(&groups?, true, true);
                ("kafka-consumer-groups", "--list --type --state".to_owned(), text)
            }
            Self::DescribeGroup { group, table, verbose } => {
                let described = cluster.description(group)?;
                let text = match table {
                    GroupTable::Offsets => described.offsets(*verbose),
                    GroupTable::Members => described.members(*verbose),
                    GroupTable::State => described.state(*verbose),
                };
                let verbose = if *verbose { " --verbose" } else { "" };
                let group = quoted(group);
                let options = format!("--describe --group {group} {}{verbose}", table.option());
                // Where there is one, the note comes first: it is not part of the output that is kept.
                ("kafka-consumer-groups", options, described.note() + &text)
            }
        };
        let command = format!("{tool} --bootstrap-server localhost:9092 {options}");
        Ok(Printed { command, text })
    }
}

/// The options by which `kafka-topics` prints these lines of a topic.
fn describe_topic(cluster: &Cluster, topic: &str, rows: TopicRows) -> String {
    if let (TopicRows::ById, Some(topic)) = (rows, cluster.topic(topic)) {
        return format!("--describe --topic-id {}", topic.id);
    }
    let filter = rows.option().map_or(String::new(), |option| format!("{option} "));
    format!("--describe {filter}--topic {}", quoted(&pattern(topic)))
}

/// Where a broker has its logs unless told otherwise.
const LOG_DIR: &str = "/tmp/kraft-combined-logs";

fn no_time(time: &str) -> Error {
    Error::loglanes(format!("{time:?} is no time."))
        .with_hint("It is earliest, latest, max-timestamp, or milliseconds since 1970.")
}
