//! Records of a topic on their way into a file, in chunks.
//!
//! What is exported is fixed when it begins: the offsets from and to of each partition. Records
//! are read from the log as the file is written; what retention or compaction takes meanwhile is
//! not in it. Control records are no records.

use serde::{Deserialize, Serialize};

use super::console_consumer::ConsoleConsumerEncoder;
use super::csv_out::CsvEncoder;
use super::encoder::{Encoder, Lying};
use super::format::csv_separator;
use super::kcat_json::KcatJsonEncoder;
use super::kcat_text::KcatTextEncoder;
use super::lossless::LosslessEncoder;
use super::properties::Properties;
use super::segment::SegmentsExport;
use crate::cluster::Cluster;
use crate::error::{Error, ErrorCode, Result};
use crate::group::TopicPartition;

/// A chunk is given away when it has so many bytes.
const CHUNK_BYTES: usize = 256 << 10;

/// So many records are looked at in one go for a header.
const LOOK_RECORDS: usize = 10_000;

/// What goes into a file, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExportSpec {
    /// The topic.
    pub topic: String,
    /// Which of its records.
    #[serde(default)]
    pub scope: ExportScope,
    /// How they are written.
    pub format: ExportFormat,
}

/// Which records of a topic.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(
    tag = "type",
    rename_all = "camelCase",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum ExportScope {
    /// All.
    #[default]
    Topic,
    /// Those of one partition.
    Partition {
        /// Its number.
        partition: i32,
    },
    /// Offsets of one partition.
    Range {
        /// Its number.
        partition: i32,
        /// The first.
        from: i64,
        /// The one after the last.
        to: i64,
    },
    /// What a group has not read: from its committed offsets on, else from the start.
    Unread {
        /// The group.
        group: String,
    },
}

/// How records are written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    tag = "type",
    rename_all = "camelCase",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum ExportFormat {
    /// Loglanes' own lines.
    Lossless,
    /// As `kcat -C -J` prints them.
    KcatJson,
    /// As `kcat -C -f` prints them.
    KcatText {
        /// `-f`.
        format: String,
        /// `-Z`.
        #[serde(default)]
        nulls: bool,
    },
    /// As `kafka-console-consumer` prints them.
    ConsoleConsumer {
        /// Its `--formatter-property`s.
        #[serde(default)]
        properties: Properties,
    },
    /// A zip archive of the files that a broker has of whole partitions.
    LogFiles,
    /// A table.
    Csv {
        /// What stands between two cells.
        separator: char,
    },
}

/// A file that is being written.
#[derive(Debug)]
pub struct Export {
    topic: String,
    encoder: Box<dyn Encoder>,
    /// Partition, next offset, end.
    parts: std::vec::IntoIter<(i32, i64, i64)>,
    part: Option<(i32, i64, i64)>,
    /// Offsets that are written or passed over, and looked at before; and how many there will be.
    passed: u64,
    total: u64,
    written: u64,
    bytes: u64,
    state: State,
    /// A table that first has to know whether any record has a header.
    look: Option<Look>,
    /// Where whole files are written, and no records.
    files: Option<SegmentsExport>,
}

#[derive(Debug)]
struct Look {
    separator: u8,
    parts: std::vec::IntoIter<(i32, i64, i64)>,
    part: Option<(i32, i64, i64)>,
}

/// How far an export is.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct ExportProgress {
    /// Records that are written; none are counted where whole files are.
    pub records: f64,
    /// Bytes that are given away.
    pub bytes: f64,
    /// How much of the work is done, in steps of one kind.
    pub done: f64,
    /// How many steps it is in all: offsets, gaps included, or bytes of files.
    pub total: f64,
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    Begin,
    Records,
    Over,
}

impl Export {
    /// Begins a file.
    ///
    /// ```
    /// use loglanes::interchange::{Export, ExportFormat, ExportScope, ExportSpec};
    /// use loglanes::{Cluster, Command};
    ///
    /// let mut cluster = Cluster::new(7);
    /// cluster.apply(&Command::create_topic("orders", 1), 0)?;
    /// cluster.apply(&Command::produce("orders", Some(b"k"), None), 9)?;
    /// let spec = ExportSpec {
    ///     topic: "orders".into(),
    ///     scope: ExportScope::Topic,
    ///     format: ExportFormat::KcatJson,
    /// };
    /// let mut export = Export::begin(&cluster, &spec)?;
    /// let file = export.next(&cluster)?.unwrap();
    /// assert!(file.ends_with(b"\"key\":\"k\",\"payload\":null}\n"));
    /// assert_eq!(export.next(&cluster)?, None);
    /// # Ok::<(), loglanes::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A topic, partition or group that is not there, an offset out of range, options that cannot
    /// be used.
    pub fn begin(cluster: &Cluster, spec: &ExportSpec) -> Result<Self> {
        let parts = parts(cluster, spec)?;
        let files = match (&spec.format, &spec.scope) {
            (ExportFormat::LogFiles, ExportScope::Topic) => {
                Some(SegmentsExport::begin(cluster, &spec.topic, None)?)
            }
            (ExportFormat::LogFiles, ExportScope::Partition { partition }) => {
                Some(SegmentsExport::begin(cluster, &spec.topic, Some(*partition))?)
            }
            (ExportFormat::LogFiles, _) => {
                return Err(Error::loglanes("A broker's files hold whole partitions.")
                    .with_hint("Export the topic, or one partition of it."));
            }
            _ => None,
        };
        let offsets: u64 = parts.iter().map(|&(_, from, to)| (to - from).max(0) as u64).sum();
        let look = match spec.format {
            ExportFormat::Csv { separator } => {
                let separator = csv_separator(separator)?;
                Some(Look { separator, parts: parts.clone().into_iter(), part: None })
            }
            _ => None,
        };
        Ok(Self {
            topic: spec.topic.clone(),
            encoder: spec.format.encoder()?,
            parts: parts.into_iter(),
            part: None,
            passed: 0,
            total: offsets * (1 + u64::from(look.is_some())),
            written: 0,
            bytes: 0,
            state: State::Begin,
            look,
            files,
        })
    }

    /// How far it is.
    #[must_use]
    pub fn progress(&self) -> ExportProgress {
        let (done, total) = match &self.files {
            Some(files) => files.progress(),
            None => (self.passed, self.total),
        };
        ExportProgress {
            records: self.written as f64,
            bytes: self.bytes as f64,
            done: done as f64,
            total: total as f64,
        }
    }

    /// The next chunk, which may be of no bytes; none when the file is whole.
    ///
    /// # Errors
    ///
    /// The topic is gone.
    pub fn next(&mut self, cluster: &Cluster) -> Result<Option<Vec<u8>>> {
        let chunk = match &mut self.files {
            Some(files) => files.next(cluster)?,
            None if self.state == State::Over => None,
            None if self.look.is_some() => self.look_on(cluster).map(|()| Some(Vec::new()))?,
            None => Some(self.write_on(cluster)?),
        };
        self.bytes += chunk.as_ref().map_or(0, Vec::len) as u64;
        Ok(chunk)
    }

    /// Looks for a header in the next records. With the first, or without any, it is known how the
    /// table is written.
    fn look_on(&mut self, cluster: &Cluster) -> Result {
        let topic = cluster.topic(&self.topic).ok_or_else(|| unknown(&self.topic))?;
        let Some(look) = &mut self.look else { return Ok(()) };
        let mut left = LOOK_RECORDS;
        while let Some((number, from, to)) = look.part.take().or_else(|| look.parts.next()) {
            let held = topic.partition(number).ok_or_else(|| unknown(&self.topic))?;
            let mut next = to;
            for record in held.log.records_from(from).take_while(|record| record.offset < to) {
                if record.header_count() > 0 {
                    self.encoder = Box::new(CsvEncoder::new(look.separator, true));
                    self.passed = self.total / 2;
                    self.look = None;
                    return Ok(());
                }
                if left == 0 {
                    next = record.offset;
                    break;
                }
                left -= 1;
            }
            self.passed += (next - from).max(0) as u64;
            if next < to {
                look.part = Some((number, next, to));
                return Ok(());
            }
        }
        self.look = None;
        Ok(())
    }

    fn write_on(&mut self, cluster: &Cluster) -> Result<Vec<u8>> {
        let topic = cluster.topic(&self.topic).ok_or_else(|| unknown(&self.topic))?;
        let mut out = Vec::new();
        if self.state == State::Begin {
            self.encoder.begin(&mut out);
            self.state = State::Records;
        }
        while self.state == State::Records && out.len() < CHUNK_BYTES {
            let Some((number, from, to)) = self.part.or_else(|| self.parts.next()) else {
                self.encoder.end(&mut out);
                self.state = State::Over;
                break;
            };
            let held = topic.partition(number).ok_or_else(|| unknown(&self.topic))?;
            let began = from;
            let from = from.max(held.log.log_start_offset());
            self.part = None;
            let mut next = to;
            let records = held
                .log
                .batches_from(from)
                .filter(|batch| !batch.header().is_control())
                .flat_map(|batch| {
                    let kind = batch.header().timestamp_type();
                    batch.records().map_while(std::result::Result::ok).map(move |each| (kind, each))
                })
                .skip_while(|(_, record)| record.offset < from)
                .take_while(|(_, record)| record.offset < to);
            for (timestamp_type, record) in records {
                if out.len() >= CHUNK_BYTES {
                    next = record.offset;
                    self.part = Some((number, next, to));
                    break;
                }
                let leader = held.leader();
                let topic = &self.topic;
                let lying = Lying { topic, partition: number, leader, timestamp_type, record };
                self.encoder.record(&lying, &mut out);
                self.written += 1;
            }
            self.passed += (next - began).max(0) as u64;
        }
        Ok(out)
    }
}

/// Stands where files are written.
#[derive(Debug)]
struct NoRecords;

impl Encoder for NoRecords {
    fn record(&mut self, _lying: &Lying<'_>, _out: &mut Vec<u8>) {}
}

impl ExportFormat {
    fn encoder(&self) -> Result<Box<dyn Encoder>> {
        Ok(match self {
            Self::Lossless => Box::new(LosslessEncoder),
            Self::KcatJson => Box::new(KcatJsonEncoder),
            Self::KcatText { format, nulls } => Box::new(KcatTextEncoder::new(format, *nulls)?),
            Self::ConsoleConsumer { properties } => {
                Box::new(ConsoleConsumerEncoder::new(properties)?)
            }
            Self::LogFiles => Box::new(NoRecords),
            Self::Csv { separator } => Box::new(CsvEncoder::new(csv_separator(*separator)?, false)),
        })
    }
}

/// Which offsets of which partitions.
fn parts(cluster: &Cluster, spec: &ExportSpec) -> Result<Vec<(i32, i64, i64)>> {
    let topic = cluster.topic(&spec.topic).ok_or_else(|| unknown(&spec.topic))?;
    let whole = |number: i32| {
        let held = topic.partition(number).ok_or_else(|| unknown(&spec.topic))?;
        Ok((number, held.log.log_start_offset(), held.log.high_watermark()))
    };
    match &spec.scope {
        ExportScope::Topic => (0..topic.partition_count()).map(whole).collect(),
        ExportScope::Partition { partition } => Ok(vec![whole(*partition)?]),
        ExportScope::Range { partition, from, to } => {
            let (number, start, end) = whole(*partition)?;
            if *from < start || *to > end || from > to {
                return Err(Error::code_alone(ErrorCode::OffsetOutOfRange).with_hint(format!(
                    "This partition has offsets from {start}; its end is {end}."
                )));
            }
            Ok(vec![(number, *from, *to)])
        }
        ExportScope::Unread { group } => {
            let group = cluster.group(group).ok_or_else(|| {
                Error::code_alone(ErrorCode::GroupIdNotFound)
                    .with_hint("Name a group that is there.")
            })?;
            (0..topic.partition_count())
                .map(|number| {
                    let (_, start, end) = whole(number)?;
                    let at = TopicPartition { topic: spec.topic.clone(), partition: number };
                    let from = group.committed.get(&at).copied().unwrap_or(start);
                    Ok((number, from.clamp(start, end), end))
                })
                .collect()
        }
    }
}

fn unknown(topic: &str) -> Error {
    Error::code_alone(ErrorCode::UnknownTopicOrPartition)
        .with_hint(format!("Name a partition that {topic} has."))
}
