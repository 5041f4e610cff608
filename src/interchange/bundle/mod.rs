//! Topics, records and committed offsets for a real cluster: a folder of files with a script.
//!
//! The script speaks Kafka's own tools: `kafka-topics`, `kafka-console-producer`,
//! `kafka-consumer-groups`; and kcat for what the console producer cannot send: it takes no
//! partition, and no bytes but lines of UTF-8. Each record goes by the first of the two that brings
//! it to its own partition unchanged; one that neither carries is left out and told.
//!
//! `carry` decides who carries what; `console` and `kcat` write the data, `shell` what a script
//! says. These are shared with [`crate::scenario::Commands`]. `plan`, `script` and `readme` make
//! the bundle of them.

pub(crate) mod carry;
mod console;
pub(crate) mod folder;
mod kcat;
mod plan;
mod readme;
mod script;
pub(crate) mod shell;

use crate::cluster::Cluster;
use crate::error::{Error, ErrorCode, Result};

use folder::Folder;
use plan::TopicPlan;

/// The most bytes of keys, values and headers in a bundle. A limit of this model: it is made in
/// memory.
pub const MAX_BUNDLE_BYTES: u64 = 256 << 20;

/// How many records that cannot be carried are named one by one; all are counted.
pub const MAX_LEFT_OUT_TOLD: usize = 100;

/// A folder of files for a real cluster.
///
/// ```
/// use loglanes::interchange::bundle::Bundle;
/// use loglanes::{Cluster, Command};
///
/// let mut cluster = Cluster::new(7);
/// cluster.apply(&Command::create_topic("orders", 2), 0)?;
/// cluster.apply(&Command::produce("orders", Some(b"k"), Some(b"paid")), 9)?;
/// let bundle = Bundle::of(&cluster, &[])?;
/// let names: Vec<&str> = bundle.files().map(|(name, _)| name).collect();
/// assert_eq!(names, ["README.md", "data/orders-1.txt", "run.sh"]);
/// assert_eq!((bundle.records(), bundle.left_out()), (1, 0));
/// # Ok::<(), loglanes::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    folder: Folder,
    records: u64,
    left_out: u64,
}

/// A record that no tool carries.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LeftOut {
    topic: String,
    partition: i32,
    offset: i64,
    why: &'static str,
}

/// A group's committed offsets, as they are in the new cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
struct GroupPlan {
    id: String,
    /// Topic, partition, offset: a line each, as `--from-file` takes them.
    csv: String,
}

impl Bundle {
    /// A bundle of some topics; of all if none is named. With them goes what groups have committed
    /// on them.
    ///
    /// # Errors
    /// `UNKNOWN_TOPIC_OR_PARTITION` (3); more than [`MAX_BUNDLE_BYTES`].
    pub fn of(cluster: &Cluster, topics: &[String]) -> Result<Self> {
        let names: Vec<&str> = if topics.is_empty() {
            cluster.topics().map(|(name, _)| name).collect()
        } else {
            topics.iter().map(String::as_str).collect()
        };
        let mut plans = Vec::new();
        let mut room = MAX_BUNDLE_BYTES;
        for name in names {
            let topic = cluster.topic(name).ok_or_else(|| {
                Error::code_alone(ErrorCode::UnknownTopicOrPartition)
                    .with_hint(format!("There is no topic {name:?}."))
            })?;
            plans.push(TopicPlan::new(name, topic, &mut room)?);
        }
        let groups = groups(cluster, &plans);
        let mut folder = Folder::default();
        for plan in &mut plans {
            for (path, content) in plan.take_files() {
                folder.insert(path, content);
            }
        }
        for (number, group) in groups.iter().enumerate() {
            folder.insert(format!("groups/{}.csv", number + 1), group.csv.clone());
        }
        folder.insert("run.sh", script::script(&plans, &groups));
        folder.insert("README.md", readme::readme(&plans, &groups));
        let records = plans.iter().flat_map(|plan| &plan.counts).sum();
        let left_out = plans.iter().map(|plan| plan.left_out_count).sum();
        Ok(Self { folder, records, left_out })
    }

    /// The files, by their paths.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.folder.files()
    }

    /// How many records it carries.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.records
    }

    /// How many records no tool can carry; README.md names them.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// All of it as one zip archive.
    ///
    /// # Errors
    /// More than a zip archive holds.
    pub fn zip(&self) -> Result<Vec<u8>> {
        self.folder.zip("loglanes-bundle")
    }
}

/// What groups have committed on the topics. An offset counts records there: gaps are closed, and
/// what lies below the log start is gone.
fn groups(cluster: &Cluster, plans: &[TopicPlan]) -> Vec<GroupPlan> {
    let mut found = Vec::new();
    for (id, group) in cluster.groups() {
        let mut csv = String::new();
        for (at, &offset) in &group.committed {
            let plan = plans.iter().find(|plan| plan.name == at.topic);
            if let Some(offset) = plan.and_then(|plan| plan.moved(at.partition, offset)) {
                csv.push_str(&format!("{},{},{offset}\n", at.topic, at.partition));
            }
        }
        if !csv.is_empty() {
            found.push(GroupPlan { id: id.to_owned(), csv });
        }
    }
    found
}

/// A file system takes names of 255 bytes; a topic's may have nearly as many.
pub(crate) fn data_path(topic: &str, number: usize) -> String {
    format!("data/{}-{number}.txt", topic.get(..100).unwrap_or(topic))
}
