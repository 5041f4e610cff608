//! Which tool brings which record to its partition unchanged, and in which order they are called.

use super::MAX_BUNDLE_BYTES;
use super::console::{self, Console};
use super::kcat::{Kcat, Kind};
use crate::error::{Error, Result};
use crate::log::{Header, PartitionLog, RecordView, TransactionFate};
use crate::partitioner::partition_for_key;
use crate::topic::Topic;

/// A record out of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Carried<'a> {
    pub(super) key: Option<&'a [u8]>,
    pub(super) value: Option<&'a [u8]>,
    pub(super) headers: Vec<Header<'a>>,
    /// Those of other partitions with a smaller number come before it where that is possible.
    turn: u64,
}

/// Records of one partition, parted where another call of a tool begins.
#[derive(Debug, Default)]
pub(crate) struct Runs<'a>(Vec<Run<'a>>);

/// Some records in a row that one call of a tool sends.
#[derive(Debug)]
enum Run<'a> {
    Console(Vec<Carried<'a>>),
    Kcat(Kind<'a>, Vec<Carried<'a>>),
}

/// A call of a tool.
#[derive(Debug)]
pub(crate) enum Step {
    Console(Console),
    Kcat(Kcat),
}

/// Below this many bytes in `max.message.bytes` or a segment, records go one by one.
const ROOM_FOR_BATCHES: i32 = 64 << 10;

/// Whether each record of a topic needs a batch of its own: several might be larger than a segment.
pub(crate) fn is_one_by_one(topic: &Topic) -> bool {
    let config = topic.config.log();
    config.segment_bytes.min(config.max_message_bytes) < ROOM_FOR_BATCHES
}

impl<'a> Carried<'a> {
    pub(crate) fn new(record: &RecordView<'a>, turn: u64) -> Self {
        let headers = record.headers().collect();
        Self { key: record.key, value: record.value, headers, turn }
    }

    /// Takes the bytes of its key, value and headers from the room that is left.
    pub(crate) fn take(&self, room: &mut u64) -> Result {
        let bytes: usize = self.pieces().map(<[u8]>::len).sum();
        *room = room.checked_sub(bytes as u64).ok_or_else(too_large)?;
        Ok(())
    }

    /// Every piece of it that stands in a data file.
    pub(super) fn pieces(&self) -> impl Iterator<Item = &'a [u8]> {
        let headers = self.headers.iter().flat_map(|header| [Some(header.key), header.value]);
        headers.chain([self.key, self.value]).flatten()
    }

    /// Whether the console producer places it there: it hashes the key, and has no choice where
    /// there is one partition.
    fn is_placed_by_console(&self, partition: i32, partitions: i32) -> bool {
        let hashed = self.key.map(|key| partition_for_key(key, partitions as u32) as i32);
        partitions == 1 || hashed == Some(partition)
    }
}

impl<'a> Runs<'a> {
    /// Adds the next record of a partition; or says why no tool carries it.
    pub(crate) fn push(
        &mut self,
        record: Carried<'a>,
        partition: i32,
        partitions: i32,
    ) -> Result<(), &'static str> {
        if record.is_placed_by_console(partition, partitions) && console::carries(&record) {
            match self.0.last_mut() {
                Some(Run::Console(run)) => run.push(record),
                _ => self.0.push(Run::Console(vec![record])),
            }
            return Ok(());
        }
        let kind = Kind::of(&record)?;
        match self.0.last_mut() {
            Some(Run::Kcat(same, run)) if *same == kind => run.push(record),
            _ => self.0.push(Run::Kcat(kind, vec![record])),
        }
        Ok(())
    }
}

/// Calls cost seconds. What comes first in all partitions goes in one call of the console producer;
/// then what kcat has to send before the next.
pub(crate) fn arrange<'a>(
    runs: impl IntoIterator<Item = (i32, Runs<'a>)>,
    one_by_one: bool,
) -> Vec<Step> {
    let mut queues: Vec<_> = runs
        .into_iter()
        .map(|(partition, Runs(runs))| (partition, runs.into_iter().peekable()))
        .collect();
    let mut steps = Vec::new();
    while queues.iter_mut().any(|(_, queue)| queue.peek().is_some()) {
        let mut together = Vec::new();
        for (_, queue) in &mut queues {
            if let Some(Run::Console(run)) = queue.next_if(|run| matches!(run, Run::Console(_))) {
                together.extend(run);
            }
        }
        if !together.is_empty() {
            together.sort_by_key(|record| record.turn);
            steps.push(Step::Console(Console::new(&together, one_by_one)));
        }
        for (partition, queue) in &mut queues {
            while let Some(Run::Kcat(kind, run)) = queue.next_if(|run| matches!(run, Run::Kcat(..)))
            {
                steps.push(Step::Kcat(Kcat::new(*partition, &kind, &run, one_by_one)));
            }
        }
    }
    steps
}

impl Step {
    /// What the tool reads.
    pub(crate) fn data(&self) -> &[u8] {
        match self {
            Self::Console(console) => &console.data,
            Self::Kcat(kcat) => &kcat.data,
        }
    }

    /// The same, to put it into a file.
    pub(crate) fn take_data(&mut self) -> Vec<u8> {
        match self {
            Self::Console(console) => std::mem::take(&mut console.data),
            Self::Kcat(kcat) => std::mem::take(&mut kcat.data),
        }
    }

    /// The partition that kcat sends to.
    pub(crate) fn partition(&self) -> Option<i32> {
        match self {
            Self::Console(_) => None,
            Self::Kcat(kcat) => Some(kcat.partition()),
        }
    }

    /// Whether it takes kcat.
    pub(crate) fn is_kcat(&self) -> bool {
        matches!(self, Self::Kcat(_))
    }
}

/// What a consumer with `isolation.level=read_committed` would be given in the end, from an offset
/// on.
pub(crate) fn committed(log: &PartitionLog, from: i64) -> impl Iterator<Item = RecordView<'_>> {
    let from = from.max(log.log_start_offset());
    let batches = log.batches_from(from).filter(|batch| {
        let fate = log.fate(batch.header());
        !batch.header().is_control()
            && !matches!(fate, TransactionFate::Aborted | TransactionFate::Open)
    });
    let records = batches.flat_map(|batch| batch.records().flatten());
    records.filter(move |record| record.offset >= from)
}

fn too_large() -> Error {
    Error::limit(
        "MAX_BUNDLE_BYTES",
        format!("What a real cluster is sent has at most {} MiB.", MAX_BUNDLE_BYTES >> 20),
    )
    .with_hint("Take fewer topics or records, or export the log segments.")
}
