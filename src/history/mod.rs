//! The commands that led to a cluster, with the times at which they were applied.
//!
//! Replayed on a new cluster of the same seed they give the same cluster, byte for byte, as long
//! as none is forgotten. The cluster may stand at any step of them: what lies ahead of it stays,
//! until something else is done; then it is set aside, see [`aside`].
//!
//! Stored, a history is a row of chunks that grow at the end, and are cut only when steps are set
//! aside.

mod aside;

use std::sync::Arc;

use serde::Deserialize as _;

use crate::command::Command;
use crate::error::{Error, Result};
use crate::snapshot::RESTORE_HINT;

pub use aside::{Aside, MAX_ASIDE_BYTES, MAX_ASIDES};

/// The most bytes of commands that are kept; past it the oldest half is forgotten. The records
/// an act brought count in full: they are kept here as well as in the log.
pub const MAX_HISTORY_BYTES: usize = 128 << 20;

/// The most commands that are kept; past it the oldest half is forgotten.
pub const MAX_HISTORY_STEPS: usize = 200_000;

/// A chunk takes no more commands once it has so many bytes.
const CHUNK_BYTES: usize = 16 << 10;

/// The bytes a command counts for beside its records.
const STEP_BYTES: usize = 256;

/// A command and when it was applied.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The caller's clock then: milliseconds since 1970.
    pub at_ms: i64,
    /// What was applied.
    pub command: Arc<Command>,
    /// What the author of a scenario says to the reader after it.
    pub notes: Vec<String>,
}

/// The steps from the beginning, or from where older ones were forgotten.
///
/// ```
/// use loglanes::{Cluster, Command, History};
///
/// let (mut cluster, mut history) = (Cluster::new(7), History::default());
/// let command = Command::create_topic("orders", 6);
/// cluster.apply(&command, 1_000)?;
/// history.push(1_000, command);
/// assert_eq!(history.replay(7)?, cluster);
/// # Ok::<(), loglanes::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct History {
    /// What the author of a scenario says before the first step.
    opening: Vec<String>,
    steps: Vec<Step>,
    /// How many of `steps` lie ahead of the cluster.
    ahead: usize,
    asides: aside::Asides,
    forgotten: u64,
    bytes: usize,
    /// Where each chunk begins, as an index into `steps`; the last chunk is open.
    chunks: Vec<usize>,
    /// The number of the first chunk that is kept.
    first_chunk: u64,
    open_bytes: usize,
}

impl History {
    /// Adds what was applied. Steps that lay ahead are set aside.
    pub fn push(&mut self, at_ms: i64, command: Command) {
        self.set_aside();
        self.push_step(Step { at_ms, command: Arc::new(command), notes: Vec::new() });
    }

    /// What a scenario says to the reader here, at the end of it. Before anything is saved: a chunk
    /// whose steps are all saved is not written again.
    pub(crate) fn add_note(&mut self, text: &str) {
        let Some(step) = self.steps.last_mut() else { return self.opening.push(text.to_owned()) };
        step.notes.push(text.to_owned());
        self.bytes += text.len();
        self.open_bytes += text.len();
    }

    /// What the author of a scenario says after the first `position` steps.
    #[must_use]
    pub fn notes_at(&self, position: u64) -> &[String] {
        match position.checked_sub(1) {
            None => &self.opening,
            Some(number) => self.step(number).map_or(&[], |step| &step.notes),
        }
    }

    pub(crate) fn set_opening(&mut self, opening: Vec<String>) {
        self.opening = opening;
    }

    fn push_step(&mut self, step: Step) {
        let size = size_of(&step);
        if self.chunks.is_empty() || self.open_bytes + size > CHUNK_BYTES {
            self.chunks.push(self.steps.len());
            self.open_bytes = 0;
        }
        self.open_bytes += size;
        self.bytes += size;
        self.steps.push(step);
        if self.bytes > MAX_HISTORY_BYTES || self.steps.len() > MAX_HISTORY_STEPS {
            self.forget_half();
        }
    }

    /// Something was applied that is too large to keep: it is forgotten, and all before it.
    pub(crate) fn push_forgotten(&mut self) {
        self.forgotten += self.steps.len() as u64 + 1;
        self.first_chunk += self.chunks.len() as u64;
        self.steps.clear();
        self.chunks.clear();
        self.asides.forget_before(self.forgotten);
        (self.bytes, self.open_bytes) = (0, 0);
    }

    /// The steps that are kept, oldest first.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Those of them that are done: all but what lies ahead.
    #[must_use]
    pub fn done(&self) -> &[Step] {
        self.steps.get(..self.steps.len() - self.ahead).unwrap_or_default()
    }

    /// How many steps have been forgotten. While there are any, the history cannot be replayed.
    #[must_use]
    pub fn forgotten(&self) -> u64 {
        self.forgotten
    }

    /// How many of the steps, from the first on, are done; the others lie ahead.
    ///
    /// ```
    /// use loglanes::{Command, Session};
    ///
    /// let mut session = Session::new(7);
    /// session.apply(Command::create_topic("orders", 3), 0)?;
    /// session.travel(0)?;
    /// assert_eq!((session.history().position(), session.history().len()), (0, 1));
    /// # Ok::<(), loglanes::Error>(())
    /// ```
    #[must_use]
    pub fn position(&self) -> u64 {
        self.len() - self.ahead as u64
    }

    /// How many steps lie ahead.
    #[must_use]
    pub fn ahead(&self) -> u64 {
        self.ahead as u64
    }

    /// Moves within the steps that are kept; beyond them, to their end.
    pub(crate) fn set_position(&mut self, position: u64) {
        let ahead = usize::try_from(self.len().saturating_sub(position)).unwrap_or(usize::MAX);
        self.ahead = ahead.min(self.steps.len());
    }

    /// The step of that number, if it is kept.
    #[must_use]
    pub fn step(&self, number: u64) -> Option<&Step> {
        self.steps.get(usize::try_from(number.checked_sub(self.forgotten)?).ok()?)
    }

    /// How many steps there are in all.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.forgotten + self.steps.len() as u64
    }

    /// Whether nothing was ever applied.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The cluster that the steps which are done lead to, from an empty one with that seed.
    ///
    /// # Errors
    ///
    /// If steps have been forgotten, or one is refused: then it is not this seed's history.
    pub fn replay(&self, seed: i64) -> Result<crate::Cluster> {
        if self.forgotten > 0 {
            return Err(Error::loglanes(format!(
                "The first {} steps are forgotten: the history cannot be replayed.",
                self.forgotten
            ))
            .with_hint("What is there now can still be exported to a file."));
        }
        let mut cluster = crate::Cluster::new(seed);
        for step in self.done() {
            cluster.apply(&step.command, step.at_ms)?;
        }
        Ok(cluster)
    }

    /// Drops whole chunks from the front until half of the limits is free.
    fn forget_half(&mut self) {
        let (mut bytes, mut steps) = (0, 0);
        let enough = |bytes, steps| {
            bytes * 2 >= MAX_HISTORY_BYTES.min(self.bytes)
                || steps * 2 >= MAX_HISTORY_STEPS.min(self.steps.len())
        };
        let mut dropped = 0;
        for (number, &start) in self.chunks.iter().enumerate() {
            let end = self.chunks.get(number + 1).copied().unwrap_or(self.steps.len());
            // What lies ahead begins where the cluster stands, so that place must stay.
            if enough(bytes, steps) || end > self.steps.len() - self.ahead {
                break;
            }
            let leaving = self.steps.get(start..end).unwrap_or_default();
            bytes += leaving.iter().map(size_of).sum::<usize>();
            steps = end;
            dropped = number + 1;
        }
        self.steps.drain(..steps);
        self.chunks.drain(..dropped);
        for start in &mut self.chunks {
            *start -= steps;
        }
        self.first_chunk += dropped as u64;
        self.forgotten += steps as u64;
        self.bytes -= bytes;
        self.asides.forget_before(self.forgotten);
        if self.chunks.is_empty() {
            self.open_bytes = 0;
        }
    }

    /// Takes the steps that lie ahead out of the row; see [`aside`].
    pub(crate) fn set_aside(&mut self) {
        if self.ahead == 0 {
            return;
        }
        let left = self.steps.split_off(self.steps.len() - self.ahead);
        self.ahead = 0;
        self.bytes -= left.iter().map(size_of).sum::<usize>();
        self.chunks.truncate(self.chunks.partition_point(|&start| start < self.steps.len()));
        let open = self.chunks.last().copied().unwrap_or(0);
        self.open_bytes =
            self.steps.get(open..).unwrap_or_default().iter().map(size_of).sum::<usize>();
        self.asides.add(self.len(), left);
    }

    /// Puts steps that were set aside where they were, ahead of the cluster, which must stand where
    /// they begin, with nothing else ahead.
    pub(crate) fn put_ahead(&mut self, aside: Aside) {
        for step in aside.steps {
            self.ahead += 1;
            self.push_step(step);
        }
    }

    /// What was set aside, the oldest first.
    #[must_use]
    pub fn asides(&self) -> &[Aside] {
        self.asides.kept()
    }

    /// How many times what was set aside had to be forgotten, to keep a limit.
    #[must_use]
    pub fn asides_forgotten(&self) -> u64 {
        self.asides.forgotten()
    }

    pub(crate) fn take_aside(&mut self, id: u64) -> Option<Aside> {
        self.asides.remove(id)
    }

    pub(crate) fn restore_asides(&mut self, asides: Vec<Aside>, next: u64, forgotten: u64) {
        self.asides = aside::Asides::restored(asides, next, forgotten);
    }

    /// The number that the next aside gets.
    pub(crate) fn next_aside(&self) -> u64 {
        self.asides.next()
    }

    /// The numbers of the chunks that are kept.
    pub(crate) fn chunk_numbers(&self) -> std::ops::Range<u64> {
        self.first_chunk..self.first_chunk + self.chunks.len() as u64
    }

    /// How many steps a chunk has.
    pub(crate) fn chunk_steps(&self, number: u64) -> usize {
        self.chunk_range(number).len()
    }

    /// A chunk as bytes: step after step, each the time (i64), the length of the command's JSON
    /// (u32) and of its payload (u32), big-endian, then both.
    ///
    /// # Errors
    ///
    /// If a command cannot be written as JSON; no command that there is does that.
    pub(crate) fn encode_chunk(&self, number: u64) -> Result<Vec<u8>> {
        encode_steps(self.steps.get(self.chunk_range(number)).unwrap_or_default())
    }

    fn chunk_range(&self, number: u64) -> std::ops::Range<usize> {
        let index = number.wrapping_sub(self.first_chunk) as usize;
        let start = self.chunks.get(index).copied().unwrap_or(self.steps.len());
        start..self.chunks.get(index + 1).copied().unwrap_or(self.steps.len())
    }

    /// A history from its chunks, in order. `steps` is how many there are in all: a chunk may
    /// have been written before the manifest that counts its last steps.
    pub(crate) fn decode(
        forgotten: u64,
        first_chunk: u64,
        steps: u64,
        chunks: impl IntoIterator<Item = Vec<u8>>,
    ) -> Result<Self> {
        let mut history = Self { forgotten, first_chunk, ..Self::default() };
        for chunk in chunks {
            history.chunks.push(history.steps.len());
            history.open_bytes = 0;
            let mut rest = chunk.as_slice();
            while !rest.is_empty() && (history.steps.len() as u64) < steps {
                let (step, after) = decode_step(rest).ok_or_else(|| {
                    Error::corrupt(format!(
                        "Step {} of the history cannot be read.",
                        history.steps.len()
                    ))
                    .with_hint(RESTORE_HINT)
                })?;
                rest = after;
                let size = size_of(&step);
                history.open_bytes += size;
                history.bytes += size;
                history.steps.push(step);
            }
        }
        if history.steps.len() as u64 != steps {
            return Err(Error::corrupt(format!(
                "The history has {} steps of {steps}.",
                history.steps.len()
            ))
            .with_hint(RESTORE_HINT));
        }
        Ok(history)
    }
}

fn size_of(step: &Step) -> usize {
    step.command.weight() + STEP_BYTES + step.notes.iter().map(String::len).sum::<usize>()
}

/// Steps as bytes: see [`History::encode_chunk`].
///
/// # Errors
///
/// If a command cannot be written as JSON; no command that there is does that.
pub(crate) fn encode_steps(steps: &[Step]) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for step in steps {
        let json = to_json(step).map_err(|error| {
            Error::loglanes(format!("A {} cannot be written: {error}.", step.command.kind()))
                .with_hint("This is a fault of Loglanes: nothing was saved, please report it.")
        })?;
        let payload = step.command.payload();
        bytes.extend(step.at_ms.to_be_bytes());
        bytes.extend((json.len() as u32).to_be_bytes());
        bytes.extend((payload.len() as u32).to_be_bytes());
        bytes.extend(json);
        bytes.extend(payload);
    }
    Ok(bytes)
}

/// A command's JSON, with the notes where there are any.
fn to_json(step: &Step) -> serde_json::Result<Vec<u8>> {
    if step.notes.is_empty() {
        return serde_json::to_vec(&*step.command);
    }
    let mut json = serde_json::to_value(&*step.command)?;
    if let Some(fields) = json.as_object_mut() {
        fields.insert(NOTES.to_owned(), serde_json::to_value(&step.notes)?);
    }
    serde_json::to_vec(&json)
}

/// A field of a saved step that no command has.
const NOTES: &str = "notes";

/// The steps that [`encode_steps`] wrote; none if they cannot be read.
pub(crate) fn decode_steps(mut bytes: &[u8]) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    while !bytes.is_empty() {
        let (step, rest) = decode_step(bytes)?;
        steps.push(step);
        bytes = rest;
    }
    Some(steps)
}

fn decode_step(bytes: &[u8]) -> Option<(Step, &[u8])> {
    let (at_ms, rest) = bytes.split_first_chunk::<8>()?;
    let (json, rest) = rest.split_first_chunk::<4>()?;
    let (payload, rest) = rest.split_first_chunk::<4>()?;
    let (json, rest) = rest.split_at_checked(u32::from_be_bytes(*json) as usize)?;
    let (payload, rest) = rest.split_at_checked(u32::from_be_bytes(*payload) as usize)?;
    // By way of a value, as arguments from JavaScript are read: see src/wasm/from_js.rs.
    let mut value: serde_json::Value = serde_json::from_slice(json).ok()?;
    let notes = value.as_object_mut().and_then(|fields| fields.remove(NOTES));
    let notes: Vec<String> =
        notes.map_or(Some(Vec::new()), |notes| Vec::deserialize(notes).ok())?;
    // Each is a line of a scenario.
    if notes.iter().any(|note| note.contains(['\n', '\r'])) {
        return None;
    }
    let command = Command::deserialize(value).ok()?;
    let command = Arc::new(command.with_payload(payload.to_vec()));
    Some((Step { at_ms: i64::from_be_bytes(*at_ms), command, notes }, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(steps: usize) -> History {
        let mut history = History::default();
        for step in 0..steps {
            history.push(step as i64, Command::create_topic(&format!("t{step}"), 1));
        }
        history
    }

    fn stored(history: &History) -> Vec<Vec<u8>> {
        history.chunk_numbers().map(|number| history.encode_chunk(number).unwrap()).collect()
    }

    #[test]
    fn chunks_give_back_the_history_they_were_made_of() {
        let mut history = history(1_000);
        history.add_note("One.");
        history.add_note("Two: \"quoted\".");
        assert!(history.chunks.len() > 10);
        let decoded = History::decode(0, 0, 1_000, stored(&history)).unwrap();
        assert_eq!(decoded, history);
    }

    #[test]
    fn a_chunk_that_is_ahead_of_its_manifest_is_read_as_far_as_the_manifest_goes() {
        let decoded = History::decode(0, 0, 3, stored(&history(5))).unwrap();
        assert_eq!(decoded.steps(), history(3).steps());
    }

    #[test]
    fn a_record_counts_with_all_its_bytes_however_it_was_sent() {
        let mut history = History::default();
        for step in 0..3 {
            history.push(step, Command::produce("t", None, Some(&[0; CHUNK_BYTES])));
        }
        assert_eq!(history.chunk_numbers(), 0..3);
        assert!(history.bytes > 3 * CHUNK_BYTES);
    }

    #[test]
    fn a_cut_chunk_is_refused() {
        let mut chunks = stored(&history(5));
        chunks[0].pop();
        assert!(History::decode(0, 0, 5, chunks).is_err());
    }

    #[test]
    fn past_the_limit_the_oldest_half_goes_and_the_rest_keeps_its_numbers() {
        let history = history(MAX_HISTORY_STEPS + 1);
        assert_eq!(history.len(), MAX_HISTORY_STEPS as u64 + 1);
        assert!(history.forgotten() >= MAX_HISTORY_STEPS as u64 / 2);
        assert_eq!(history.steps()[0].at_ms, history.forgotten() as i64);
        assert!(history.chunk_numbers().start > 0);
        assert_eq!(history.replay(1).unwrap_err().name(), "LOGLANES");
        let chunks = stored(&history);
        let (forgotten, first) = (history.forgotten(), history.chunk_numbers().start);
        let decoded =
            History::decode(forgotten, first, history.steps().len() as u64, chunks).unwrap();
        assert_eq!(decoded, history);
    }
}
