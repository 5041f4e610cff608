//! Records: what an act has put into the log is sent to the same partitions there.

use std::collections::{BTreeMap, BTreeSet};

use super::script::{Helper, Script};
use super::there::Grown;
use super::walk::{Line, Walk, producer_of};
use crate::command::Command;
use crate::error::Result;
use crate::interchange::bundle::carry::{Carried, Runs, Step, arrange, committed, is_one_by_one};
use crate::interchange::bundle::folder::Folder;
use crate::interchange::bundle::shell::{self, Data, here_document, is_line_text, pattern, quoted};
use crate::interchange::bundle::{self, MAX_LEFT_OUT_TOLD};
use crate::log::RecordView;
use crate::outcome::Outcome;
use crate::scenario::Act;

/// Records in the log that are sent together.
#[derive(Debug)]
pub(super) struct Pending {
    topic: String,
    settings: Vec<(String, String)>,
    parts: Vec<Part>,
}

/// What one act has put into one partition.
#[derive(Debug)]
struct Part {
    line: u32,
    text: String,
    grown: Grown,
    is_discarded: bool,
    /// It was copied with the transactions that are in it.
    is_copied: bool,
}

/// Longer data of the console producer goes into a file.
const MAX_INLINE_BYTES: usize = 4_000;

/// Data of more lines goes into a file.
const MAX_INLINE_LINES: usize = 60;

/// Longer data of kcat goes into a file: it stands in one line.
const MAX_PRINTF_BYTES: usize = 1_000;

/// So many calls of kcat that differ in the partition alone become one loop.
const MIN_LOOP: usize = 8;

/// So many log end offsets of a topic stand in the script; more go into a file.
const MAX_INLINE_ENDS: usize = 100;

impl Walk {
    /// Whether what an act sends may go with what is pending.
    pub(super) fn joins_pending(&self, command: &Command) -> bool {
        let Some(pending) = self.pending.last() else { return true };
        topics_of(command) == [pending.topic.as_str()]
            && self.settings_of(command) == pending.settings.as_slice()
    }

    fn settings_of(&self, command: &Command) -> &[(String, String)] {
        let settings = producer_of(command).and_then(|name| self.producers.get(name));
        settings.map_or(&[], Vec::as_slice)
    }

    /// A producer's settings go with what it sends. A tool's producer has no transactions.
    pub(super) fn create_producer(
        &mut self,
        name: &str,
        configs: &BTreeMap<String, String>,
        told: &Line<'_>,
    ) {
        let is_given = |name: &str| !name.starts_with("transaction");
        let settings = configs.iter().filter(|(name, _)| is_given(name));
        let settings = settings.map(|(name, value)| (name.clone(), value.clone())).collect();
        self.producers.insert(name.to_owned(), settings);
        self.script.lose(told.line, told.text, told.lost());
    }

    /// Keeps in mind what an act has put into the log.
    pub(super) fn send(&mut self, act: &Act, outcome: &Outcome, told: &Line<'_>) {
        let command = &act.command;
        let topics = match outcome {
            Outcome::Retried { topic, .. } => vec![topic.as_str()],
            _ => topics_of(command),
        };
        if let Outcome::ProducedMany { refused, records, .. } = outcome
            && *refused > 0.0
        {
            let why = format!(
                "{refused} of its records are refused here and not sent, {records} are sent."
            );
            self.script.lose(told.line, told.text, &why);
        }
        let has_time = match command {
            Command::Produce(record) => record.timestamp.is_some() || act.after_ms.is_some(),
            Command::Generate { .. } => false,
            _ => true,
        };
        if has_time {
            self.script.lose(told.line, told.text, told.lost());
        }
        let is_discarded = self.discarded.contains(&told.act);
        if is_discarded {
            let why = "No tool has transactions: this one is not committed, and its records are not sent.";
            self.script.lose(told.line, told.text, why);
        }
        let is_copied = matches!(command, Command::CopyLog { .. } | Command::CopyLogs { .. });
        let settings = self.settings_of(command).to_vec();
        for topic in topics {
            let Self { there, player, pending, .. } = &mut *self;
            let cluster = player.session().cluster();
            let grown = there.grown(cluster, topic);
            if is_copied {
                // Where it begins here, the first record that is sent lies there.
                there.started(cluster, topic);
            }
            let parts = grown.into_iter().map(|grown| Part {
                line: told.line,
                text: told.text.to_owned(),
                grown,
                is_discarded,
                is_copied,
            });
            match pending.last_mut() {
                // A retry sends by a producer, to the topic it has sent to before.
                Some(last) if last.topic == topic => last.parts.extend(parts),
                _ => {
                    let (topic, parts) = (topic.to_owned(), parts.collect());
                    pending.push(Pending { topic, settings: settings.clone(), parts });
                }
            }
        }
    }

    /// Writes down what is pending.
    pub(super) fn flush(&mut self) -> Result {
        std::mem::take(&mut self.pending).into_iter().try_for_each(|pending| self.write(pending))
    }

    fn write(&mut self, pending: Pending) -> Result {
        let Pending { topic: name, settings, parts } = pending;
        let Some(topic) = self.player.session().cluster().topic(&name) else { return Ok(()) };
        let partitions = topic.partition_count();
        let mut runs: BTreeMap<i32, Runs<'_>> = BTreeMap::new();
        let mut left_out = LeftOut::default();
        for (turn, part) in (0..).zip(&parts) {
            let Part { grown: Grown { partition, from, to }, is_discarded, .. } = part;
            let Some(held) = topic.partition(*partition).filter(|_| !is_discarded) else {
                self.there.skip(&name, *partition, *from, *to);
                continue;
            };
            let mut next = *from;
            let records: Box<dyn Iterator<Item = RecordView<'_>>> = if part.is_copied {
                Box::new(committed(&held.log, *from))
            } else {
                Box::new(held.log.records_from(*from))
            };
            for record in records.take_while(|record| record.offset < *to) {
                // Gaps of a log that was copied here.
                self.there.skip(&name, *partition, next, record.offset);
                next = record.offset + 1;
                let carried = Carried::new(&record, turn);
                carried.take(&mut self.room)?;
                if let Err(why) =
                    runs.entry(*partition).or_default().push(carried, *partition, partitions)
                {
                    self.there.skip(&name, *partition, record.offset, next);
                    left_out.add(part, &name, record.offset, why);
                }
            }
            self.there.skip(&name, *partition, next, *to);
        }
        let steps = arrange(runs, is_one_by_one(topic));
        left_out.tell(&mut self.script);
        let mut file_count = self.file_count;
        let mut path = || {
            file_count += 1;
            bundle::data_path(&name, file_count)
        };
        write_steps(&name, steps, &settings, &mut path, &mut self.script, &mut self.folder);
        self.file_count = file_count;
        Ok(())
    }

    /// Markers of transactions take offsets here.
    pub(super) fn skip_markers(&mut self) {
        let Self { there, player, .. } = self;
        let cluster = player.session().cluster();
        let names: Vec<&str> = cluster.topics().map(|(name, _)| name).collect();
        for name in names {
            for Grown { partition, from, to } in there.grown(cluster, name) {
                there.skip(name, partition, from, to);
            }
        }
    }

    /// At the end each partition has to hold what was sent.
    pub(super) fn ends(&mut self) {
        let Self { there, player, script, folder, .. } = self;
        for (name, topic) in player.session().cluster().topics() {
            let mut rows = String::new();
            for (number, partition) in (0..).zip(&topic.partitions) {
                let end = there.offset(name, number, partition.log.log_end_offset());
                rows.push_str(&format!("{name}:{number}:{end}\n"));
            }
            script.needs(Helper::Ends);
            let call = format!("ends {}", quoted(&pattern(name)));
            if topic.partitions.len() <= MAX_INLINE_ENDS {
                script.push(&format!("\n{call} <<'END'\n"));
                here_document(rows.as_bytes(), &mut script.body);
            } else {
                self.file_count += 1;
                let path = bundle::data_path(name, self.file_count);
                script.push(&format!("\n{call} <{}\n", quoted(&path)));
                folder.insert(path, rows);
            }
        }
    }
}

/// Records that no tool carries.
#[derive(Default)]
struct LeftOut {
    told: Vec<(u32, String, String)>,
    count: usize,
}

impl LeftOut {
    fn add(&mut self, part: &Part, topic: &str, offset: i64, why: &str) {
        self.count += 1;
        if self.told.len() < MAX_LEFT_OUT_TOLD {
            let partition = part.grown.partition;
            let why = format!("The record at {topic}-{partition}@{offset} is not sent: {why}.");
            self.told.push((part.line, part.text.clone(), why));
        }
    }

    fn tell(self, script: &mut Script) {
        let more = self.count - self.told.len();
        let last = self.told.last().cloned();
        for (line, text, why) in &self.told {
            script.lose(*line, text, why);
        }
        if let (Some((line, text, _)), true) = (last, more > 0) {
            script.lose(
                line,
                &text,
                &format!("{more} more records are not sent for such reasons."),
            );
        }
    }
}

/// The topics that an act sends to, each once.
fn topics_of(command: &Command) -> Vec<&str> {
    match command {
        Command::Produce(record) => vec![&record.topic],
        Command::ProduceMany { topic, .. }
        | Command::Generate { topic, .. }
        | Command::CopyLog { topic, .. } => vec![topic],
        Command::CopyLogs { to, .. } => {
            let topics: BTreeSet<&str> = to.iter().map(|at| at.topic.as_str()).collect();
            topics.into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn write_steps(
    topic: &str,
    steps: Vec<Step>,
    settings: &[(String, String)],
    path: &mut impl FnMut() -> String,
    script: &mut Script,
    folder: &mut Folder,
) {
    let mut steps = steps.into_iter().peekable();
    while let Some(mut step) = steps.next() {
        script.needs_kcat |= step.is_kcat();
        let mut alike = Vec::new();
        while let Some(next) = steps.next_if(|next| is_alike(alike.last().unwrap_or(&step), next)) {
            alike.push(next);
        }
        if let (Step::Kcat(kcat), true) = (&step, alike.len() + 1 >= MIN_LOOP) {
            let file = path();
            let file = file.strip_suffix(".txt").unwrap_or(&file);
            shell::send_folder(topic, kcat, settings, file, &mut script.body);
            for step in std::iter::once(&mut step).chain(&mut alike) {
                let partition = step.partition().unwrap_or_default();
                folder.insert(format!("{file}/{partition}.txt"), step.take_data());
            }
            continue;
        }
        for mut step in std::iter::once(step).chain(alike) {
            if is_inline(&step) {
                let data = Data::Inline(step.data());
                shell::send(topic, &step, settings, data, &mut script.body);
            } else {
                let file = path();
                shell::send(topic, &step, settings, Data::File(&file), &mut script.body);
                folder.insert(file, step.take_data());
            }
        }
    }
}

/// Whether both are calls of kcat that differ in the partition alone.
fn is_alike(step: &Step, next: &Step) -> bool {
    match (step, next) {
        (Step::Kcat(kcat), Step::Kcat(next)) => {
            kcat.is_like(next) && kcat.partition() < next.partition()
        }
        _ => false,
    }
}

fn is_inline(step: &Step) -> bool {
    let data = step.data();
    if step.is_kcat() {
        return data.len() <= MAX_PRINTF_BYTES;
    }
    data.len() <= MAX_INLINE_BYTES
        && is_line_text(data)
        && data.iter().filter(|byte| **byte == b'\n').count() <= MAX_INLINE_LINES
}
