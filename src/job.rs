//! Long work in short pieces: an import or a generation, as one command in the end.
//!
//! The records go into the log as they come, so that they can be watched. Between two pieces no
//! other command is applied; what is written down replays to the same bytes.

use serde::Serialize;

use crate::cluster::{BulkProducer, Cluster, MAX_STORED_BYTES, full, record_bytes};
use crate::command::Command;
use crate::error::{Error, Result};
use crate::generate::{GenerateSpec, Generator};
use crate::history::MAX_HISTORY_BYTES;
use crate::interchange::{Chooser, Decoder, FileRecord, Found, ImportSpec, Passed, Place};
use crate::log::{Header, NewRecord};
use crate::outcome::Outcome;
use crate::producer::Sending;
use crate::record_set::{RecordSet, RecordSetBuilder};

/// How many refused lines are told one by one; all are counted.
pub const MAX_REFUSALS_TOLD: usize = 100;

/// How many characters of a reason are told; a longer one ends in `…`. Some quote the line.
pub const MAX_REASON_CHARS: usize = 1_000;

/// When this part of an expected file is in, a 64th, it is known how much goes where.
const FORESEEN_AFTER: u64 = 64;

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
    /// Lines that were taken for the rest of the value before them (import of console text).
    pub continued: f64,
    /// The first of the refused, at most [`MAX_REFUSALS_TOLD`].
    pub refusals: Vec<Refused>,
    /// All records there will be; none for an import.
    pub total: Option<f64>,
    /// Where the last record that was taken begins (import).
    pub last: Option<At>,
    /// Whether, with all of the file there, a part of the work is still to be done (import).
    pub pending: bool,
}

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct At {
    /// `line`, counted from 1, or `byte`, from 0.
    pub unit: &'static str,
    /// The number of the line or byte.
    pub at: f64,
}

impl From<Place> for At {
    fn from(place: Place) -> Self {
        let (unit, at) = place.parts();
        Self { unit, at: at as f64 }
    }
}

/// What was not taken.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Refused {
    /// `line`, counted from 1, or `byte`, from 0.
    pub unit: &'static str,
    /// The number of the line or byte at which it begins.
    pub at: f64,
    /// Why, in at most [`MAX_REASON_CHARS`].
    pub reason: String,
}

impl Refused {
    pub(crate) fn new(place: Place, reason: &str) -> Self {
        let (unit, at) = place.parts();
        let reason = match reason.char_indices().nth(MAX_REASON_CHARS) {
            Some((end, _)) => format!("{}…", reason.get(..end).unwrap_or_default()),
            None => reason.to_owned(),
        };
        Self { unit, at: at as f64, reason }
    }
}

/// What a job has come to.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) outcome: Outcome,
    /// None: it is too large for the history.
    pub(crate) command: Option<Command>,
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
    Import(Box<Import>),
    Generate { command: Box<Command>, generator: Box<Generator>, next: u64 },
}

#[derive(Debug)]
struct Import {
    spec: ImportSpec,
    decoder: Box<dyn Decoder>,
    chooser: Chooser,
    /// Whether all of the file has come.
    over: bool,
    /// Whether something is left to do then.
    pending: bool,
    /// How many bytes the file has, until room is made for them.
    expected: Option<u64>,
    /// Where the last record began that was taken.
    last: Option<Place>,
    /// Where the first record begins for which the logs had no room: nothing is taken from there on.
    full: Option<Place>,
    /// For the history; none once there is more than it can hold.
    taken: Option<RecordSetBuilder>,
}

#[derive(Debug, Default)]
struct Refusals {
    count: u64,
    /// Those of them that were no records.
    lines: u64,
    told: Vec<Refused>,
}

impl Refusals {
    fn add(&mut self, place: Place, reason: impl std::fmt::Display) {
        self.count += 1;
        if self.told.len() < MAX_REFUSALS_TOLD {
            self.told.push(Refused::new(place, &reason.to_string()));
        }
    }
}

impl Job {
    pub(crate) fn import(spec: ImportSpec, cluster: &mut Cluster, at_ms: i64) -> Result<Self> {
        let name = cluster.producer_name(spec.producer.as_deref(), spec.partitioner.as_deref())?;
        let now_ms = cluster.clock(at_ms);
        let bulk = BulkProducer::begin(cluster, &spec.topic, &name, now_ms)?;
        let (decoder, chooser) = spec.open()?;
        let taken = Some(RecordSet::builder());
        let import = Import {
            spec,
            decoder,
            chooser,
            over: false,
            pending: false,
            expected: None,
            last: None,
            full: None,
            taken,
        };
        Ok(Self::new(bulk, at_ms, Work::Import(Box::new(import))))
    }

    pub(crate) fn generate(command: Command, cluster: &mut Cluster, at_ms: i64) -> Result<Self> {
        let Command::Generate { topic, producer, partitioner, spec } = &command else {
            return Err(Error::loglanes(format!("A {} is no generation.", command.kind()))
                .with_hint("Apply it as a command, or begin with a generate command."));
        };
        let generator = Box::new(Generator::new(spec)?);
        let name = cluster.producer_name(producer.as_deref(), partitioner.as_deref())?;
        cluster.check_room(&command)?;
        let now_ms = cluster.clock(at_ms);
        let bulk = BulkProducer::begin(cluster, topic, &name, now_ms)?;
        let command = Box::new(command);
        Ok(Self::new(bulk, at_ms, Work::Generate { command, generator, next: 0 }))
    }

    fn new(bulk: BulkProducer, at_ms: i64, work: Work) -> Self {
        Self { bulk, at_ms, work, records: 0, bytes: 0, refusals: Refusals::default() }
    }

    pub(crate) fn topic(&self) -> &str {
        self.bulk.topic()
    }

    pub(crate) fn feed(&mut self, piece: &[u8], cluster: &mut Cluster) -> Result {
        let Work::Import(import) = &mut self.work else {
            return Err(Error::loglanes("A generation takes no file.")
                .with_hint("Finish or cancel it, then begin an import."));
        };
        if import.over {
            return Err(Error::loglanes("The file is over already.")
                .with_hint("Finish the import, then begin another."));
        }
        if let Some(place) = import.full {
            return Err(no_more(place));
        }
        self.bytes += piece.len() as u64;
        let foreseen = match import.expected {
            Some(total) if self.bytes >= total / FORESEEN_AFTER => import.expected.take(),
            _ => None,
        };
        let (bytes, room) = (self.bytes, cluster.room());
        self.taking(cluster, |decoder, each| decoder.feed(piece, each))?;
        if let Some(total) = foreseen {
            self.bulk.with(cluster, |sending| {
                sending.make_room(bytes, total, room);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Lets the decoder of an import work, and sends what it finds.
    fn taking(
        &mut self,
        cluster: &mut Cluster,
        work: impl FnOnce(&mut dyn Decoder, &mut dyn FnMut(Found<'_>)),
    ) -> Result {
        let Work::Import(import) = &mut self.work else { return Ok(()) };
        let (records, refusals) = (&mut self.records, &mut self.refusals);
        let (now_ms, room) = (self.bulk.now_ms(), cluster.room());
        self.bulk.with(cluster, |sending| {
            let Import { decoder, chooser, taken, last, full, .. } = &mut **import;
            let mut taking =
                Taking { now_ms, sending, chooser, taken, records, refusals, room, last, full };
            work(&mut **decoder, &mut |found| taking.take(found));
            Ok(())
        })?;
        match import.full {
            Some(place) => Err(no_more(place)),
            None => Ok(()),
        }
    }

    /// See [`Session::expect_bytes`](crate::Session::expect_bytes).
    pub(crate) fn expect_bytes(&mut self, bytes: u64) {
        if let Work::Import(import) = &mut self.work {
            import.expected = Some(bytes);
        }
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
            Work::Import(_) => ("import", None),
            Work::Generate { generator, .. } => ("generate", Some(generator.count() as f64)),
        };
        let (last, pending) = match &self.work {
            Work::Import(import) => (import.last.map(At::from), import.pending),
            Work::Generate { .. } => (None, false),
        };
        let passed = self.work.passed();
        JobProgress {
            kind,
            blank: passed.blank as f64,
            null_keys: passed.null_keys as f64,
            continued: passed.continued as f64,
            topic: self.topic().to_owned(),
            records: self.records as f64,
            bytes: self.bytes as f64,
            refused: self.refusals.count as f64,
            refusals: self.refusals.told.clone(),
            total,
            last,
            pending,
        }
    }

    /// All of the file has come: what stands at its end without an ending is taken, or refused.
    /// Where [`JobProgress::pending`] says so, it is to be called again.
    pub(crate) fn end(&mut self, cluster: &mut Cluster) -> Result {
        let Work::Import(import) = &mut self.work else { return Ok(()) };
        if import.full.is_some() {
            return Ok(());
        }
        let is_over = std::mem::replace(&mut import.over, true);
        let mut pending = false;
        let taken = self.taking(cluster, |decoder, each| {
            if !is_over {
                decoder.finish(each);
            }
            pending = decoder.go_on(each);
        });
        if let Work::Import(import) = &mut self.work {
            import.pending = pending && import.full.is_none();
        }
        taken
    }

    /// What is in is sent. A record that has come in part is none.
    pub(crate) fn finish(self, cluster: &mut Cluster) -> Result<Done> {
        let before = self.progress();
        let passed = self.work.passed();
        let command = match self.work {
            Work::Import(import) => {
                let Import { spec, taken, .. } = *import;
                let ImportSpec { topic, producer, partitioner, .. } = spec;
                taken.map(|taken| {
                    let records = taken.finish();
                    Command::ProduceMany { topic, producer, partitioner, records }
                })
            }
            Work::Generate { command, next, .. } => Some(as_far_as(*command, next)),
        };
        let lines = self.refusals.lines;
        let progress = JobProgress {
            blank: passed.blank as f64,
            null_keys: passed.null_keys as f64,
            continued: passed.continued as f64,
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
        Command::Generate { topic, producer, partitioner, .. } if count == 0 => {
            Command::ProduceMany { topic, producer, partitioner, records: RecordSet::default() }
        }
        Command::Generate { topic, producer, partitioner, spec } => {
            let spec = GenerateSpec { count, ..spec };
            Command::Generate { topic, producer, partitioner, spec }
        }
        other => other,
    }
}

impl Work {
    /// What was passed over.
    fn passed(&self) -> Passed {
        match self {
            Self::Import(import) => {
                let passed = import.decoder.passed();
                Passed { null_keys: passed.null_keys + import.chooser.null_keys(), ..passed }
            }
            Self::Generate { .. } => Passed::default(),
        }
    }
}

/// Records of a file on their way to the log.
struct Taking<'a, 'b> {
    now_ms: i64,
    sending: &'a mut Sending<'b>,
    chooser: &'a mut Chooser,
    taken: &'a mut Option<RecordSetBuilder>,
    records: &'a mut u64,
    refusals: &'a mut Refusals,
    /// How many more bytes the logs may hold.
    room: u64,
    last: &'a mut Option<Place>,
    full: &'a mut Option<Place>,
}

impl Taking<'_, '_> {
    fn take(&mut self, found: Found<'_>) {
        if self.full.is_some() {
            return;
        }
        let (place, reason) = match found {
            Ok(record) => match self.chooser.choose(&record) {
                Ok(chosen) => {
                    let headers: Vec<Header<'_>> = headers_of(&record);
                    let new = NewRecord {
                        timestamp: chosen.timestamp.unwrap_or(self.now_ms),
                        key: chosen.key.as_deref(),
                        value: chosen.value.as_deref(),
                        headers: &headers,
                    };
                    return self.send(record.place, &new, chosen.partition);
                }
                Err(reason) => (record.place, reason),
            },
            Err(refused) => (refused.place, refused.reason),
        };
        self.refusals.lines += 1;
        self.refusals.add(place, reason);
    }

    fn send(&mut self, place: Place, record: &NewRecord<'_>, partition: Option<i32>) {
        let headers = record.headers.iter().map(|each| (each.key, each.value));
        let size = record_bytes(record.key, record.value, headers);
        if size > self.room {
            *self.full = Some(place);
            return;
        }
        self.room -= size;
        let sent = self
            .sending
            .check_partition(partition)
            .and_then(|()| self.sending.send(record, partition))
            .and_then(|_| match self.taken {
                Some(taken) => taken.push_to(record, partition),
                None => Ok(()),
            });
        match sent {
            Ok(()) => {
                *self.records += 1;
                *self.last = Some(place);
            }
            Err(refused) => {
                self.refusals.add(place, &refused);
                self.sending.refuse(refused);
            }
        }
        // What the history could not keep is not collected: it would take the room of the log.
        if self.taken.as_ref().is_some_and(|taken| taken.bytes() > MAX_HISTORY_BYTES) {
            *self.taken = None;
        }
    }
}

fn no_more(place: Place) -> Error {
    full(format!(
        "The logs are full: all topics together hold at most {MAX_STORED_BYTES} bytes. Nothing from \
         {place} of the file on was taken."
    ))
}

fn headers_of<'a>(record: &'a FileRecord<'_>) -> Vec<Header<'a>> {
    let headers = record.headers.iter();
    headers.map(|header| Header { key: &header.key, value: header.value.as_deref() }).collect()
}

#[cfg(test)]
mod tests {
    use crate::cluster::RECORD_OVERHEAD;
    use crate::cluster::room::tests::LIMIT;
    use crate::{At, Command, ImportSpec, Outcome, Session};

    const LINE: &str = "{\"a\":1234}\n";

    fn begun(limit: u64) -> Session {
        LIMIT.set(limit);
        let mut session = Session::new(7);
        session.apply(Command::create_topic("t", 2), 0).unwrap();
        session.begin_import(ImportSpec::ndjson("t", None), 0).unwrap();
        session
    }

    #[test]
    fn an_import_that_fills_the_logs_says_where_it_ended_and_keeps_what_is_in() {
        let each = RECORD_OVERHEAD + LINE.len() as u64 - 1;
        // Room for ten lines and not for eleven, in one piece.
        for (limit, lines) in [(10 * each, 11), (11 * each - 1, 11)] {
            let mut session = begun(limit);
            let full = session.feed(LINE.repeat(lines).as_bytes()).unwrap_err();
            assert_eq!(full.name(), "MAX_STORED_BYTES");
            assert!(full.message().contains("Nothing from line 11 of the file on"), "{full}");
            let job = session.job().unwrap();
            assert_eq!((job.records, job.last), (10.0, Some(At { unit: "line", at: 10.0 })));
            // Nothing more is taken, and it cannot be finished as if it were whole.
            assert!(session.feed(LINE.as_bytes()).is_err());
            assert_eq!(session.job().unwrap().records, 10.0);
            let (outcome, _) = session.cancel().unwrap();
            assert!(matches!(outcome, Outcome::ProducedMany { records: 10.0, .. }), "{outcome:?}");
            assert_eq!(session.history().replay(7).unwrap(), *session.cluster());
        }
        let mut session = begun(10 * each);
        session.feed(LINE.repeat(10).as_bytes()).unwrap();
        assert_eq!(session.finish().unwrap().1.records, 10.0);
    }

    #[test]
    fn a_last_line_without_an_ending_may_be_what_does_not_fit() {
        let each = RECORD_OVERHEAD + LINE.len() as u64 - 1;
        let mut session = begun(each - 1);
        session.feed(LINE.trim_end().as_bytes()).unwrap();
        let full = session.finish().unwrap_err();
        assert!(full.message().contains("Nothing from line 1"), "{full}");
        assert_eq!(session.cancel().unwrap().1.records, 0.0);
    }

    #[test]
    fn room_that_was_made_for_what_does_not_come_changes_nothing() {
        let session = |bytes: Option<u64>| {
            let mut session = begun(1 << 30);
            if let Some(bytes) = bytes {
                session.expect_bytes(bytes);
            }
            for _ in 0..100 {
                session.feed(LINE.repeat(50).as_bytes()).unwrap();
            }
            session.finish().unwrap();
            session
        };
        let plain = session(None);
        for bytes in [0, 1, 55_000, 1 << 40, u64::MAX] {
            assert_eq!(session(Some(bytes)).cluster(), plain.cluster(), "{bytes}");
        }
    }
}
