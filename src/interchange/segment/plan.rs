//! What lies in a broker's directories, by the paths of the files alone: before any is read.

use std::collections::BTreeMap;

use serde::Serialize;

use super::files::{Kind, check_copy_bytes, kind, partition_name};
use crate::error::Result;
use crate::topic::INTERNAL_TOPICS;

/// The partitions of directories. Files are told by their places in the list that was given.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LogPlan {
    /// The topics that directories are named after, by their names.
    pub topics: Vec<PlannedTopic>,
    /// `.log` files and zip archives whose directory names no partition.
    pub unnamed: Vec<usize>,
    /// How many files there are whose content follows from the `.log` files: indexes, snapshots,
    /// checkpoints.
    pub derived: usize,
    /// Files that are nothing of a partition, and those of topics that Kafka writes by itself.
    pub left_out: Vec<usize>,
}

/// A topic of a [`LogPlan`].
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedTopic {
    /// Its name.
    pub name: String,
    /// How many partitions it has to have.
    pub count: i32,
    /// Its partitions, by number.
    pub partitions: Vec<PlannedPartition>,
}

/// A partition of a [`LogPlan`].
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedPartition {
    /// Its number.
    pub partition: i32,
    /// Its `.log` files, in the order of their names.
    pub files: Vec<usize>,
    /// How many bytes they have.
    pub bytes: f64,
}

impl LogPlan {
    /// What lies in the directories: paths, parted by `/`, and sizes in bytes.
    ///
    /// ```
    /// use loglanes::interchange::segment::LogPlan;
    ///
    /// let plan = LogPlan::of([
    ///     ("data/orders-1/00000000000000000000.log", 61),
    ///     ("data/orders-1/00000000000000000000.index", 0),
    ///     ("data/meta.properties", 86),
    /// ]);
    /// assert_eq!((plan.topics[0].name.as_str(), plan.topics[0].count), ("orders", 2));
    /// assert_eq!((plan.derived, plan.left_out), (1, vec![2]));
    /// ```
    #[must_use]
    pub fn of<'a>(files: impl IntoIterator<Item = (&'a str, u64)>) -> Self {
        let mut topics: BTreeMap<String, BTreeMap<i32, Vec<Listed<'_>>>> = BTreeMap::new();
        let (mut unnamed, mut left_out, mut derived) = (Vec::new(), Vec::new(), 0);
        for (at, (path, bytes)) in files.into_iter().enumerate() {
            let directory = path.rsplit(['/', '\\']).nth(1).unwrap_or_default();
            match (kind(path), partition_name(directory)) {
                (Kind::Segment(_), Some((topic, _))) if INTERNAL_TOPICS.contains(&&*topic) => {
                    left_out.push(at);
                }
                (Kind::Segment(_), Some((topic, partition))) => {
                    let partitions = topics.entry(topic).or_default();
                    partitions.entry(partition).or_default().push((path, at, bytes));
                }
                (Kind::Segment(_), None) => unnamed.push(at),
                (Kind::Derived | Kind::Metadata, _) => derived += 1,
                (Kind::Other, _) if path.to_ascii_lowercase().ends_with(".zip") => unnamed.push(at),
                (Kind::Other, _) => left_out.push(at),
            }
        }
        let topics = topics.into_iter().map(|(name, partitions)| PlannedTopic {
            name,
            count: partitions.keys().last().map_or(0, |last| last.saturating_add(1)),
            partitions: partitions.into_iter().map(planned).collect(),
        });
        Self { topics: topics.collect(), unnamed, derived, left_out }
    }

    /// Whether the files of its topics may be copied in one act.
    ///
    /// # Errors
    /// More than [`MAX_COPY_BYTES`](super::MAX_COPY_BYTES).
    pub fn check(&self) -> Result {
        let partitions = self.topics.iter().flat_map(|topic| &topic.partitions);
        check_copy_bytes(partitions.map(|partition| partition.bytes as u64).sum())
    }
}

/// A file: its path, its place in the list, its size in bytes.
type Listed<'a> = (&'a str, usize, u64);

fn planned((partition, mut files): (i32, Vec<Listed<'_>>)) -> PlannedPartition {
    files.sort_unstable();
    let bytes = files.iter().map(|&(.., bytes)| bytes as f64).sum();
    PlannedPartition { partition, files: files.iter().map(|&(_, at, _)| at).collect(), bytes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_name_topics_and_partitions_and_nothing_is_passed_over() {
        let paths = [
            "d/b-10/00000000000000000000.log",
            "d/b-2/00000000000000000040.log",
            "d/b-2/00000000000000000000.log",
            "d/b-2/partition.metadata",
            "d/a.x-0/00000000000000000000.log",
            "d/__consumer_offsets-3/00000000000000000000.log",
            "d/a.x-0.1f2e-delete/00000000000000000000.log",
            "d/notes.txt",
            "seg.log",
            "all.ZIP",
            "d/-1/00000000000000000000.log",
        ];
        let plan = LogPlan::of(paths.iter().map(|&path| (path, 1)));
        let topics: Vec<_> = plan.topics.iter().map(|topic| (&*topic.name, topic.count)).collect();
        assert_eq!(topics, [("a.x", 1), ("b", 11)]);
        let [_, b] = plan.topics.as_slice() else { panic!() };
        let files: Vec<_> = b.partitions.iter().map(|one| (one.partition, &*one.files)).collect();
        assert_eq!(files, [(2, &[2, 1][..]), (10, &[0])]);
        assert_eq!((plan.unnamed, plan.derived, plan.left_out), (vec![6, 8, 9, 10], 1, vec![5, 7]));
    }

    #[test]
    fn the_limit_of_a_copy_is_kept_to_the_byte() {
        use crate::interchange::segment::MAX_COPY_BYTES;
        let plan = |bytes| LogPlan::of([("t-0/00000000000000000000.log", bytes)]);
        assert!(plan(MAX_COPY_BYTES).check().is_ok());
        assert_eq!(plan(MAX_COPY_BYTES + 1).check().unwrap_err().name(), "MAX_COPY_BYTES");
    }
}
