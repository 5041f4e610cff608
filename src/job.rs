//! Long work in short pieces: an import or a generation, as one command in the end.
//!
//! The records go into the log as they come, so that they can be watched. Between two pieces no
//! other command is applied; what is written down replays to the same bytes.

use serde::{Deserialize, Serialize};

use crate::cluster::{BulkProducer, Cluster};
use crate::command::Command;
use crate::error::{Error, Result};
use crate::generate::{GenerateSpec, Generator};
use crate::interchange::ndjson::{NdjsonCounts, NdjsonReader, RefusedLine};
use crate::log::NewRecord;
use crate::outcome::Outcome;
use crate::producer::partitioner_of;
use crate::record_set::{RecordSet, RecordSetBuilder};

/// How many refused lines are told one by one; all are counted.
pub const MAX_REFUSALS_TOLD: usize = 100;

/// What an import takes from each line of an NDJSON file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ImportSpec {
    /// The topic, which must be there.
    pub topic: String,
    /// The producer's partitioner, by its id; none: the Java client's default.
    #[serde(default)]
    pub partitioner: Option<String>,
    /// The top-level field that is the key; none: records have no key.
    #[serde(default)]
    pub key_field: Option<String>,
}

/// How far a job is.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct JobProgress {
    /// `import` or `generate`.
    pub kind: &'static str,
    /// Where the records go.
    pub topic: String,
    /// How many records were sent.
    pub records: f64,
    /// How many bytes were read (import), or are in the log (generation).
    pub bytes: f64,
    /// Lines that were not taken.
    pub refused: f64,
    /// Lines of nothing but white space, which are no records (import).
    pub blank: f64,
    /// Records without a key because the key field is `null` (import).
    pub null_keys: f64,
    /// The first of the refused, at most [`MAX_REFUSALS_TOLD`].
    pub refusals: Vec<Refused>,
    /// All records there will be; none for an import.
    pub total: Option<f64>,
}

/// A line that was not taken.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Refused {
    /// Its number, from 1.
    pub line: f64,
    /// Why.
    pub reason: String,
}

/// What a job has come to.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) outcome: Outcome,
    pub(crate) command: Command,
    pub(crate) progress: JobProgress,
    pub(crate) at_ms: i64,
}

#[derive(Debug)]
pub(crate) struct Job {
    bulk: BulkProducer,
    /// The caller's clock at the beginning.
    at_ms: i64,
    work: Work,
    records: u64,
    bytes: u64,
    refusals: Refusals,
}

#[derive(Debug)]
enum Work {
    Import { spec: ImportSpec, reader: NdjsonReader, taken: RecordSetBuilder },
    Generate { command: Command, generator: Box<Generator>, next: u64 },
}

#[derive(Debug, Default)]
struct Refusals {
    count: u64,
    /// Those of them that were no records.
    lines: u64,
    told: Vec<Refused>,
}

impl Refusals {
    fn add(&mut self, line: u64, reason: impl std::fmt::Display) {
        self.count += 1;
        if self.told.len() < MAX_REFUSALS_TOLD {
            self.told.push(Refused { line: line as f64, reason: reason.to_string() });
        }
    }
}

impl Job {
    pub(crate) fn import(spec: ImportSpec, cluster: &mut Cluster, at_ms: i64) -> Result<Self> {
        let partitioner = partitioner_of(spec.partitioner.as_deref())?;
        let now_ms = cluster.clock(at_ms);
        let bulk = BulkProducer::begin(cluster, &spec.topic, partitioner, now_ms)?;
        let reader = NdjsonReader::new(spec.key_field.clone());
        Ok(Self::new(bulk, at_ms, Work::Import { spec, reader, taken: RecordSet::builder() }))
    }

    pub(crate) fn generate(command: Command, cluster: &mut Cluster, at_ms: i64) -> Result<Self> {
        let Command::Generate { topic, partitioner, spec } = &command else {
            return Err(Error::loglanes(format!("A {} is no generation.", command.kind()))
                .with_hint("Apply it as a command, or begin with a generate command."));
        };
        let generator = Box::new(Generator::new(spec)?);
        let partitioner = partitioner_of(partitioner.as_deref())?;
        let now_ms = cluster.clock(at_ms);
        let bulk = BulkProducer::begin(cluster, topic, partitioner, now_ms)?;
        Ok(Self::new(bulk, at_ms, Work::Generate { command, generator, next: 0 }))
    }

    fn new(bulk: BulkProducer, at_ms: i64, work: Work) -> Self {
        Self { bulk, at_ms, work, records: 0, bytes: 0, refusals: Refusals::default() }
    }

    pub(crate) fn topic(&self) -> &str {
        self.bulk.topic()
    }

    pub(crate) fn feed(&mut self, piece: &[u8], cluster: &mut Cluster) -> Result {
        let Work::Import { reader, taken, .. } = &mut self.work else {
            return Err(Error::loglanes("A generation takes no file.")
                .with_hint("Finish or cancel it, then begin an import."));
        };
        let (records, refusals) = (&mut self.records, &mut self.refusals);
        self.bytes += piece.len() as u64;
        let timestamp = self.bulk.now_ms();
        self.bulk.with(cluster, |sending| {
            reader.feed(piece, |line| take(line, timestamp, sending, taken, records, refusals));
            Ok(())
        })
    }

    pub(crate) fn step(&mut self, count: u64, cluster: &mut Cluster) -> Result {
        let Work::Generate { generator, next, .. } = &mut self.work else {
            return Err(Error::loglanes("An import makes no records of its own.")
                .with_hint("Feed it the bytes of a file, or finish it first."));
        };
        let end = generator.count().min(next.saturating_add(count));
        self.bulk.generate(cluster, generator, *next..end)?;
        *next = end;
        self.records = end;
        self.bytes = self.bulk.progress().1;
        Ok(())
    }

    pub(crate) fn progress(&self) -> JobProgress {
        let (kind, total) = match &self.work {
            Work::Import { .. } => ("import", None),
            Work::Generate { generator, .. } => ("generate", Some(generator.count() as f64)),
        };
        let counts = match &self.work {
            Work::Import { reader, .. } => reader.counts(),
            Work::Generate { .. } => NdjsonCounts::default(),
        };
        JobProgress {
            kind,
            blank: counts.blank as f64,
            null_keys: counts.null_keys as f64,
            topic: self.topic().to_owned(),
            records: self.records as f64,
            bytes: self.bytes as f64,
            refused: self.refusals.count as f64,
            refusals: self.refusals.told.clone(),
            total,
        }
    }

    pub(crate) fn finish(mut self, cluster: &mut Cluster) -> Result<Done> {
        let before = self.progress();
        let mut counts = NdjsonCounts::default();
        let command = match self.work {
            Work::Import { spec, reader, mut taken } => {
                let timestamp = self.bulk.now_ms();
                let (records, refusals) = (&mut self.records, &mut self.refusals);
                self.bulk.with(cluster, |sending| {
                    counts = reader.finish(|line| {
                        take(line, timestamp, sending, &mut taken, records, refusals);
                    });
                    Ok(())
                })?;
                Command::ProduceMany {
                    topic: spec.topic,
                    partitioner: spec.partitioner,
                    records: taken.finish(),
                }
            }
            Work::Generate { command, next, .. } => as_far_as(command, next),
        };
        let lines = self.refusals.lines;
        let progress = JobProgress {
            blank: counts.blank as f64,
            null_keys: counts.null_keys as f64,
            records: self.records as f64,
            refused: self.refusals.count as f64,
            refusals: self.refusals.told,
            ..before
        };
        let outcome = self.bulk.finish(cluster, lines)?;
        Ok(Done { outcome, command, progress, at_ms: self.at_ms })
    }
}

/// The same generation, ended after `count` records. One that made none is a set of no records:
/// a generation of none would be refused when the history is replayed.
fn as_far_as(command: Command, count: u64) -> Command {
    match command {
        Command::Generate { topic, partitioner, .. } if count == 0 => {
            Command::ProduceMany { topic, partitioner, records: RecordSet::default() }
        }
        Command::Generate { topic, partitioner, spec } => {
            Command::Generate { topic, partitioner, spec: GenerateSpec { count, ..spec } }
        }
        other => other,
    }
}

fn take(
    line: Result<crate::interchange::ndjson::NdjsonRecord<'_>, RefusedLine>,
    timestamp: i64,
    sending: &mut crate::producer::Sending<'_>,
    taken: &mut RecordSetBuilder,
    records: &mut u64,
    refusals: &mut Refusals,
) {
    let line = match line {
        Ok(line) => line,
        Err(RefusedLine { line, column, reason }) => {
            refusals.lines += 1;
            return match column {
                0 => refusals.add(line, reason),
                _ => refusals.add(line, format_args!("byte {column}: {reason}")),
            };
        }
    };
    let key = line.key.as_deref();
    let record = NewRecord { timestamp, key, value: Some(line.value), headers: &[] };
    match sending.send(&record, None).and_then(|()| taken.push(&record)) {
        Ok(()) => *records += 1,
        Err(refused) => {
            refusals.add(line.line, &refused);
            sending.refuse(refused);
        }
    }
}
