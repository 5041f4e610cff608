//! The state from its chunks.

use std::collections::{BTreeMap, BTreeSet};

use super::courses::Courses;
use super::manifest::{Manifest, Restored};
use super::{
    BLOCK_BYTES, Block, MANIFEST, RESTORE_HINT, SaveLedger, SegmentKey, aside_name, history_name,
    open,
};
use crate::error::{Error, Result};
use crate::history::{Aside, History, MAX_ASIDES, decode_steps};
use crate::session::Session;

/// Takes chunks in any order, then gives the state they hold. Nothing is trusted: every chunk's
/// checksum, every batch and every record is looked at, and whether all of it fits together.
///
/// ```
/// use loglanes::Session;
/// use loglanes::snapshot::Restorer;
///
/// let mut session = Session::new(7);
/// let mut restorer = Restorer::default();
/// while let Some(step) = session.changes()? {
///     for (name, chunk) in &step.puts {
///         restorer.add(name, chunk)?;
///     }
///     session.saved(step.token);
/// }
/// assert_eq!(restorer.finish()?.cluster(), session.cluster());
/// # Ok::<(), loglanes::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Restorer {
    manifest: Option<Vec<u8>>,
    blocks: BTreeMap<SegmentKey, BTreeMap<Block, Vec<u8>>>,
    others: BTreeMap<String, Vec<u8>>,
}

impl Restorer {
    /// Takes a framed chunk.
    ///
    /// # Errors
    ///
    /// [`crate::Refusal::Corrupt`] if it is damaged, or was there before.
    pub fn add(&mut self, name: &str, framed: &[u8]) -> Result {
        let content = open(name, framed)?.to_vec();
        let before = if name == MANIFEST {
            self.manifest.replace(content)
        } else if let Some((segment, block)) = SegmentKey::parse(name) {
            self.blocks.entry(segment).or_default().insert(block, content)
        } else {
            self.others.insert(name.to_owned(), content)
        };
        match before {
            None => Ok(()),
            Some(_) => Err(Error::corrupt(format!("The saved piece {name:?} is there twice."))
                .with_hint(RESTORE_HINT)),
        }
    }

    /// Whether nothing has been added: then there is no state to restore.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.manifest.is_none() && self.blocks.is_empty() && self.others.is_empty()
    }

    /// The state. Chunks that it does not refer to are deleted with the next save.
    ///
    /// # Errors
    ///
    /// [`crate::Refusal::Corrupt`] if a chunk is missing, or what they hold does not fit together.
    pub fn finish(mut self) -> Result<Session> {
        let json = self
            .manifest
            .take()
            .ok_or_else(|| Error::corrupt("The manifest is missing.").with_hint(RESTORE_HINT))?;
        let manifest = Manifest::from_json(&json)?;
        let mut history = self.take_history(&manifest)?;
        self.take_asides(&manifest, &mut history)?;
        let restored = manifest.restore(|topic, partition, segment| {
            let topic = topic.to_owned();
            let (base_offset, generation) = (segment.base_offset, segment.generation);
            let key = SegmentKey { topic, partition, base_offset, generation };
            self.take_segment(&key, segment.bytes, &segment.courses)
        })?;
        let mut orphans: BTreeSet<String> = self.others.into_keys().collect();
        orphans.extend(
            self.blocks
                .iter()
                .flat_map(|(key, blocks)| blocks.keys().map(|&block| key.block_name(block))),
        );
        let ledger = SaveLedger::of_saved(&json, &manifest, &history, orphans);
        let Restored { seed, cluster, checkpoint } = restored;
        let mut session = Session::restored(seed, cluster, checkpoint, history, ledger);
        session.set_skew_ms(manifest.skew_ms);
        Ok(session)
    }

    fn take_history(&mut self, manifest: &Manifest) -> Result<History> {
        let saved = &manifest.history;
        let ends = [(saved.first_chunk, saved.chunks), (saved.forgotten, saved.steps)];
        if ends.iter().any(|&(start, count)| start.checked_add(count).is_none()) {
            return Err(
                Error::corrupt("The history is longer than it can be.").with_hint(RESTORE_HINT)
            );
        }
        let mut chunks = Vec::new();
        for number in (saved.first_chunk..).take(saved.chunks as usize) {
            let name = history_name(number, saved.course(number));
            let chunk = self.others.remove(&name).ok_or_else(|| missing(&name))?;
            chunks.push(chunk);
        }
        let mut history = History::decode(saved.forgotten, saved.first_chunk, saved.steps, chunks)?;
        if saved.opening.iter().any(|note| note.contains(['\n', '\r'])) {
            return Err(Error::corrupt("A note of the history has more than one line.")
                .with_hint(RESTORE_HINT));
        }
        history.set_opening(saved.opening.clone());
        if saved.ahead > saved.steps {
            return Err(Error::corrupt(format!(
                "The history has {} steps, {} of them ahead.",
                saved.steps, saved.ahead
            ))
            .with_hint(RESTORE_HINT));
        }
        history.set_position(history.len() - saved.ahead);
        Ok(history)
    }

    fn take_asides(&mut self, manifest: &Manifest, history: &mut History) -> Result {
        let saved = &manifest.history.asides;
        let mut asides: Vec<Aside> = Vec::new();
        for aside in &saved.kept {
            let name = aside_name(aside.id);
            let wrong = |what: &str| {
                Error::corrupt(format!("The saved piece {name:?} {what}.")).with_hint(RESTORE_HINT)
            };
            let chunk = self.others.remove(&name).ok_or_else(|| missing(&name))?;
            let steps = decode_steps(&chunk).ok_or_else(|| wrong("cannot be read"))?;
            if steps.len() as u64 != aside.steps {
                return Err(wrong("has other steps than the manifest says"));
            }
            let is_in_order = asides.last().is_none_or(|before| before.id < aside.id);
            if !is_in_order || aside.id >= saved.next {
                return Err(wrong("has a number that it cannot have"));
            }
            if aside.at < history.forgotten() || aside.at > history.len() {
                return Err(wrong("begins at no step of the history"));
            }
            asides.push(Aside::new(aside.id, aside.at, steps));
        }
        if asides.len() > MAX_ASIDES {
            return Err(Error::corrupt("More is set aside than can be: MAX_ASIDES.")
                .with_hint(RESTORE_HINT));
        }
        history.restore_asides(asides, saved.next, saved.forgotten);
        Ok(())
    }

    fn take_segment(
        &mut self,
        key: &SegmentKey,
        bytes: usize,
        courses: &Courses,
    ) -> Result<Vec<u8>> {
        let mut blocks = self.blocks.remove(key).unwrap_or_default();
        let held: usize = blocks.values().map(Vec::len).sum();
        let mut segment = Vec::with_capacity(bytes.min(held));
        for block in 0..bytes.div_ceil(BLOCK_BYTES) {
            let block = courses.block(block);
            let content = blocks.remove(&block).ok_or_else(|| missing(&key.block_name(block)))?;
            segment.extend_from_slice(&content);
        }
        if !blocks.is_empty() {
            self.blocks.insert(key.clone(), blocks);
        }
        if segment.len() < bytes {
            return Err(missing(&key.block_name(courses.block(bytes / BLOCK_BYTES))));
        }
        // The last block may be ahead of the manifest.
        segment.truncate(bytes);
        Ok(segment)
    }
}

fn missing(name: &str) -> Error {
    Error::corrupt(format!("The saved piece {name:?} is missing or too short."))
        .with_hint(RESTORE_HINT)
}
