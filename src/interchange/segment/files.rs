//! The files of partitions, as they lie in a broker's directories: which is what.
//!
//! `orders-3/00000000000000000040.log` is a segment of partition 3 of topic `orders` that begins at
//! offset 40. Indexes, snapshots and checkpoints stand beside it; they are looked at by name and
//! built anew, as by a broker that finds none. Source: `LogFileUtils`, `UnifiedLog.parseTopicPartitionName`.

use std::collections::BTreeMap;

use super::zip::read_zip;
use crate::command::Command;
use crate::error::{Error, Result};
use crate::group::TopicPartition;
use crate::log::{LogConfig, PartitionLog, RecoveryCut};
use crate::segment_set::{SegmentSet, SegmentSets};

/// The most bytes of files that are copied into partitions in one act. A limit of this model: for a
/// moment they are held several times.
pub const MAX_COPY_BYTES: u64 = 512 << 20;

const NAMING: &str = "Name each directory after its topic and partition, as in orders-3.";

/// Whether so many bytes may be copied in one act.
pub(super) fn check_copy_bytes(bytes: u64) -> Result {
    if bytes <= MAX_COPY_BYTES {
        return Ok(());
    }
    Err(Error::limit(
        "MAX_COPY_BYTES",
        format!("The files have {bytes} bytes; {MAX_COPY_BYTES} are copied in one act."),
    )
    .with_hint("Give some of the partitions at a time, or import their records anew."))
}

/// Files of a broker's log directory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogFiles {
    partitions: BTreeMap<String, PartitionFiles>,
    unused: Vec<String>,
}

/// The files of one partition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PartitionFiles {
    /// The topic and the partition that the directory is named after, if it is.
    pub name: Option<(String, i32)>,
    /// The segments by their base offsets.
    pub segments: BTreeMap<i64, Vec<u8>>,
    /// Whether `partition.metadata` gives a topic id, and which.
    pub topic_id: Option<String>,
    /// Files whose content follows from the segments.
    pub derived: Vec<String>,
}

impl LogFiles {
    /// No files yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The files of a zip archive.
    ///
    /// # Errors
    /// As [`read_zip`]; two segments of one partition that begin at one offset.
    pub fn from_zip(archive: &[u8]) -> Result<Self> {
        let mut files = Self::new();
        for file in read_zip(archive, |path| kind(path) != Kind::Other)? {
            files.add(&file.path, file.bytes)?;
        }
        Ok(files)
    }

    /// Adds a file as people give it: a zip archive is taken apart, anything else is
    /// [added](Self::add).
    ///
    /// # Errors
    /// As there, and as [`read_zip`].
    pub fn take(&mut self, path: &str, bytes: Vec<u8>) -> Result {
        if !bytes.starts_with(b"PK\x03\x04") {
            return self.add(path, bytes);
        }
        for file in read_zip(&bytes, |path| kind(path) != Kind::Other)? {
            self.add(&file.path, file.bytes)?;
        }
        Ok(())
    }

    /// The act that copies them into partitions, all of them or none: into those that their
    /// directories are named after, of `topic` or where that is none of the topics that are named
    /// there. Files whose directory names no partition go into `partition` of `topic`.
    ///
    /// # Errors
    /// No `.log` file; files of several partitions, and no telling which is which; more than
    /// [`MAX_COPY_BYTES`].
    ///
    /// ```
    /// use loglanes::interchange::segment::LogFiles;
    ///
    /// let mut files = LogFiles::new();
    /// files.take("seg-plain.log", Vec::new())?;
    /// assert_eq!(files.copy(Some("orders"), 2)?.to_string(), "copy-log orders-2 files=x\"000000000000000000000000\"");
    /// assert!(LogFiles::new().copy(Some("orders"), 0).is_err());
    /// # Ok::<(), loglanes::Error>(())
    /// ```
    pub fn copy(&self, topic: Option<&str>, partition: i32) -> Result<Command> {
        let held = self.partitions.iter().filter(|(_, files)| !files.segments.is_empty());
        let mut to = BTreeMap::new();
        let mut bytes = 0;
        for (directory, files) in held {
            bytes += files.segments.values().map(Vec::len).sum::<usize>();
            let at = match (topic, &files.name) {
                (Some(topic), Some((_, number))) => TopicPartition::new(topic, *number),
                (Some(topic), None) => TopicPartition::new(topic, partition),
                (None, Some((named, number))) => TopicPartition::new(named, *number),
                (None, None) => {
                    return Err(Error::loglanes(format!("{directory:?} names no partition."))
                        .with_hint(NAMING));
                }
            };
            if to.contains_key(&at) {
                return Err(Error::loglanes(format!(
                    "Files of several partitions would go into partition {}.",
                    at.partition
                ))
                .with_hint(NAMING));
            }
            to.insert(at, files);
        }
        check_copy_bytes(bytes as u64)?;
        let sets: Result<Vec<_>> = to.values().map(|files| files.set()).collect();
        let (mut sets, mut to) = (sets?, to.into_keys().collect::<Vec<_>>());
        match (to.pop(), sets.pop()) {
            (Some(TopicPartition { topic, partition }), Some(segments)) if to.is_empty() => {
                Ok(Command::CopyLog { topic, partition, segments })
            }
            (Some(last), Some(segments)) => {
                to.push(last);
                sets.push(segments);
                Ok(Command::CopyLogs { to, segments: SegmentSets::new(sets) })
            }
            _ => Err(Error::loglanes("There is no .log file among them.").with_hint(
                "Give the .log files of a partition, or a zip archive of its directory.",
            )),
        }
    }

    /// Adds a file. Its last directory says whose it is; a file without one belongs to a partition
    /// without a name. A `.log` file that is not named after an offset begins at its first batch.
    ///
    /// # Errors
    /// Two segments of one partition that begin at one offset.
    ///
    /// ```
    /// use loglanes::interchange::segment::LogFiles;
    ///
    /// let mut files = LogFiles::new();
    /// files.add("kafka/orders-3/00000000000000000040.log", Vec::new())?;
    /// files.add("kafka/orders-3/00000000000000000040.index", Vec::new())?;
    /// let (directory, partition) = files.partitions().next().unwrap();
    /// assert_eq!((directory, partition.name.clone()), ("orders-3", Some(("orders".into(), 3))));
    /// assert_eq!(partition.segments.keys().collect::<Vec<_>>(), [&40]);
    /// # Ok::<(), loglanes::Error>(())
    /// ```
    pub fn add(&mut self, path: &str, bytes: Vec<u8>) -> Result {
        let kind = kind(path);
        let mut parts = path.rsplit(['/', '\\']);
        let file = parts.next().unwrap_or_default();
        let directory = parts.next().unwrap_or_default();
        if kind == Kind::Other {
            self.unused.push(path.to_owned());
            return Ok(());
        }
        let partition = self.partitions.entry(directory.to_owned()).or_insert_with(|| {
            PartitionFiles { name: partition_name(directory), ..PartitionFiles::default() }
        });
        match kind {
            Kind::Segment(named) => {
                let first = bytes.first_chunk::<8>().map(|bytes| i64::from_be_bytes(*bytes));
                let base_offset = named.unwrap_or(first.unwrap_or(0).max(0));
                if partition.segments.insert(base_offset, bytes).is_some() {
                    return Err(Error::loglanes(format!(
                        "Two files of {directory:?} begin at offset {base_offset}."
                    ))
                    .with_hint("Give the files of one partition, each once."));
                }
            }
            Kind::Metadata => partition.topic_id = topic_id(&bytes),
            Kind::Derived | Kind::Other => partition.derived.push(file.to_owned()),
        }
        Ok(())
    }

    /// The partitions by their directories, those without a segment too.
    pub fn partitions(&self) -> impl Iterator<Item = (&str, &PartitionFiles)> {
        self.partitions.iter().map(|(directory, files)| (directory.as_str(), files))
    }

    /// Files that belong to no partition.
    #[must_use]
    pub fn unused(&self) -> &[String] {
        &self.unused
    }
}

impl PartitionFiles {
    /// The segments, for a command to carry.
    ///
    /// # Errors
    /// A file of 4 GiB or more.
    pub fn set(&self) -> Result<SegmentSet> {
        SegmentSet::new(self.segments.iter().map(|(offset, bytes)| (*offset, &bytes[..])))
    }

    /// The log that a broker would make of them: see [`PartitionLog::recover`].
    ///
    /// # Errors
    /// As there.
    pub fn recover(
        &self,
        config: LogConfig,
        now_ms: i64,
    ) -> Result<(PartitionLog, Option<RecoveryCut>)> {
        PartitionLog::recover(config, None, self.set()?.parts(now_ms)?)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// With the offset that it is named after, if it is.
    Segment(Option<i64>),
    Metadata,
    Derived,
    Other,
}

/// A `.log` file by its path; ordered as a partition's files are read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LogFile {
    directory: String,
    base_offset: Option<i64>,
    /// All of its path.
    pub(super) path: String,
    /// The partition that its directory is named after, if it is.
    pub(super) partition: Option<i32>,
}

/// What a path says, if it is that of a `.log` file.
pub(super) fn log_file(path: &str) -> Option<LogFile> {
    let Kind::Segment(base_offset) = kind(path) else { return None };
    let directory = path.rsplit(['/', '\\']).nth(1).unwrap_or_default().to_owned();
    let partition = partition_name(&directory).map(|(_, number)| number);
    Some(LogFile { directory, base_offset, path: path.to_owned(), partition })
}

pub(super) fn kind(path: &str) -> Kind {
    let file = path.rsplit(['/', '\\']).next().unwrap_or_default();
    match file {
        "partition.metadata" => return Kind::Metadata,
        "leader-epoch-checkpoint" => return Kind::Derived,
        _ => {}
    }
    let Some((stem, extension)) = file.rsplit_once('.') else { return Kind::Other };
    let is_offset = stem.len() == 20 && stem.bytes().all(|byte| byte.is_ascii_digit());
    match extension {
        "log" => Kind::Segment(if is_offset { stem.parse().ok() } else { None }),
        "index" | "timeindex" | "txnindex" | "snapshot" if is_offset => Kind::Derived,
        _ => Kind::Other,
    }
}

/// The topic and the partition that a directory is named after: `orders-3`.
pub(super) fn partition_name(directory: &str) -> Option<(String, i32)> {
    let (topic, partition) = directory.rsplit_once('-')?;
    let digits = !partition.is_empty() && partition.bytes().all(|byte| byte.is_ascii_digit());
    let partition = partition.parse().ok().filter(|_| digits)?;
    crate::topic::check_name(topic).ok()?;
    Some((topic.to_owned(), partition))
}

fn topic_id(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    text.lines().find_map(|line| line.strip_prefix("topic_id: ")).map(str::to_owned)
}
