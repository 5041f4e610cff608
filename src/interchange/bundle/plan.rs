//! Which tool carries which record of a topic, and in which order.

use super::console::Console;
use super::kcat::{Kcat, Kind};
use super::{LeftOut, MAX_BUNDLE_BYTES, MAX_LEFT_OUT_TOLD};
use crate::error::{Error, Result};
use crate::log::{Header, PartitionLog, RecordView, TransactionFate};
use crate::partitioner::partition_for_key;
use crate::topic::Topic;

/// A record out of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Owned<'a> {
    pub(super) key: Option<&'a [u8]>,
    pub(super) value: Option<&'a [u8]>,
    pub(super) headers: Vec<Header<'a>>,
}

/// Some records in a row that one call of a tool sends.
#[derive(Debug)]
enum Run<'a> {
    Console(Vec<Owned<'a>>),
    Kcat(Kind<'a>, Vec<Owned<'a>>),
}

/// A call of a tool.
#[derive(Debug)]
pub(super) enum Step {
    Console(Console),
    Kcat(Kcat),
}

/// What becomes of a topic.
#[derive(Debug)]
pub(super) struct TopicPlan {
    pub(super) name: String,
    pub(super) partitions: i32,
    pub(super) replication_factor: i16,
    pub(super) configs: Vec<(String, String)>,
    /// Whether each record needs a batch of its own: several might be larger than a segment.
    pub(super) one_by_one: bool,
    pub(super) steps: Vec<Step>,
    /// Records of each partition that are carried.
    pub(super) counts: Vec<u64>,
    /// The offsets of each partition's carried records.
    offsets: Vec<Vec<i64>>,
    pub(super) left_out: Vec<LeftOut>,
    pub(super) left_out_count: u64,
}

/// Below this many bytes in `max.message.bytes` or a segment, records go one by one.
const ROOM_FOR_BATCHES: i32 = 64 << 10;

impl TopicPlan {
    pub(super) fn new(name: &str, topic: &Topic, room: &mut u64) -> Result<Self> {
        let config = topic.config.log();
        let mut plan = Self {
            name: name.to_owned(),
            partitions: topic.partition_count(),
            replication_factor: topic.replication_factor,
            configs: topic.config.given().clone().into_iter().collect(),
            one_by_one: config.segment_bytes.min(config.max_message_bytes) < ROOM_FOR_BATCHES,
            steps: Vec::new(),
            counts: Vec::new(),
            offsets: Vec::new(),
            left_out: Vec::new(),
            left_out_count: 0,
        };
        let mut runs = Vec::new();
        for (number, partition) in (0..).zip(&topic.partitions) {
            runs.push(plan.runs(number, committed(&partition.log), room)?);
        }
        plan.arrange(runs);
        Ok(plan)
    }

    fn runs<'a>(
        &mut self,
        number: i32,
        records: impl Iterator<Item = RecordView<'a>>,
        room: &mut u64,
    ) -> Result<Vec<Run<'a>>> {
        let mut runs: Vec<Run<'a>> = Vec::new();
        let mut offsets = Vec::new();
        for record in records {
            let owned =
                Owned { key: record.key, value: record.value, headers: record.headers().collect() };
            let bytes = owned.bytes();
            *room = room.checked_sub(bytes).ok_or_else(too_large)?;
            let hashed = owned.key.map(|key| partition_for_key(key, self.partitions as u32) as i32);
            if hashed == Some(number) && super::console::carries(&owned) {
                match runs.last_mut() {
                    Some(Run::Console(run)) => run.push(owned),
                    _ => runs.push(Run::Console(vec![owned])),
                }
            } else {
                match Kind::of(&owned) {
                    Ok(kind) => match runs.last_mut() {
                        Some(Run::Kcat(same, run)) if *same == kind => run.push(owned),
                        _ => runs.push(Run::Kcat(kind, vec![owned])),
                    },
                    Err(why) => {
                        self.leave_out(number, record.offset, why);
                        continue;
                    }
                }
            }
            offsets.push(record.offset);
        }
        self.counts.push(offsets.len() as u64);
        self.offsets.push(offsets);
        Ok(runs)
    }

    fn leave_out(&mut self, partition: i32, offset: i64, why: &'static str) {
        self.left_out_count += 1;
        if self.left_out.len() < MAX_LEFT_OUT_TOLD {
            let topic = self.name.clone();
            self.left_out.push(LeftOut { topic, partition, offset, why });
        }
    }

    /// Calls cost seconds. What comes first in all partitions goes in one call of the console
    /// producer; then what kcat has to send before the next.
    fn arrange(&mut self, runs: Vec<Vec<Run<'_>>>) {
        let mut queues: Vec<_> = runs.into_iter().map(|runs| runs.into_iter().peekable()).collect();
        let mut number = 0;
        let mut path = |name: &str| {
            number += 1;
            format!("data/{name}-{number}.txt")
        };
        while queues.iter_mut().any(|queue| queue.peek().is_some()) {
            let mut together = Vec::new();
            for queue in &mut queues {
                if let Some(Run::Console(run)) = queue.next_if(|run| matches!(run, Run::Console(_)))
                {
                    together.extend(run);
                }
            }
            if !together.is_empty() {
                let console = Console::new(path(&self.name), &together, self.one_by_one);
                self.steps.push(Step::Console(console));
            }
            for (partition, queue) in (0..).zip(&mut queues) {
                while let Some(Run::Kcat(kind, run)) =
                    queue.next_if(|run| matches!(run, Run::Kcat(..)))
                {
                    let kcat = Kcat::new(path(&self.name), partition, &kind, &run, self.one_by_one);
                    self.steps.push(Step::Kcat(kcat));
                }
            }
        }
    }

    pub(super) fn take_files(&mut self) -> Vec<(String, Vec<u8>)> {
        let files = self.steps.iter_mut().map(|step| match step {
            Step::Console(console) => (console.path.clone(), std::mem::take(&mut console.data)),
            Step::Kcat(kcat) => (kcat.path.clone(), std::mem::take(&mut kcat.data)),
        });
        files.collect()
    }

    pub(super) fn needs_kcat(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::Kcat(_)))
    }

    /// Where an offset lies in the new cluster; none without such a partition.
    pub(super) fn moved(&self, partition: i32, offset: i64) -> Option<usize> {
        let offsets = self.offsets.get(usize::try_from(partition).ok()?)?;
        Some(offsets.partition_point(|&carried| carried < offset))
    }
}

/// What a consumer with `isolation.level=read_committed` would be given in the end.
fn committed(log: &PartitionLog) -> impl Iterator<Item = RecordView<'_>> {
    let start = log.log_start_offset();
    let batches = log.batches_from(start).filter(|batch| {
        let fate = log.fate(batch.header());
        !batch.header().is_control()
            && !matches!(fate, TransactionFate::Aborted | TransactionFate::Open)
    });
    let records = batches.flat_map(|batch| batch.records().flatten());
    records.filter(move |record| record.offset >= start)
}

impl Owned<'_> {
    fn bytes(&self) -> u64 {
        let headers = self
            .headers
            .iter()
            .map(|header| header.key.len() + header.value.map_or(0, <[u8]>::len));
        let own = self.key.map_or(0, <[u8]>::len) + self.value.map_or(0, <[u8]>::len);
        (own + headers.sum::<usize>()) as u64
    }

    /// Every piece of it that stands in a data file.
    pub(super) fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        let headers = self.headers.iter().flat_map(|header| [Some(header.key), header.value]);
        headers.chain([self.key, self.value]).flatten()
    }
}

fn too_large() -> Error {
    Error::limit(
        "MAX_BUNDLE_BYTES",
        format!("A bundle holds {} MiB of records.", MAX_BUNDLE_BYTES >> 20),
    )
    .with_hint("Choose fewer topics, or export the log segments.")
}
