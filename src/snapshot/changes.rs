//! What must be written so that the saved state equals the cluster.

use std::collections::{BTreeMap, BTreeSet};

use super::courses::Courses;
use super::manifest::Manifest;
use super::{BLOCK_BYTES, MANIFEST, SegmentKey, aside_name, history_name, seal};
use crate::cluster::Cluster;
use crate::error::Result;
use crate::history::{History, encode_steps};
use crate::log::{Segment, crc32c};

/// One step of a save: write all of it in one transaction, then say so with
/// [`SaveLedger::saved`] and the token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changes {
    /// Names this step.
    pub token: u32,
    /// Chunks to write, framed.
    pub puts: Vec<(String, Vec<u8>)>,
    /// Names of chunks to delete.
    pub deletes: Vec<String>,
}

impl Changes {
    /// How many bytes are to be written.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.puts.iter().map(|(_, bytes)| bytes.len()).sum()
    }
}

/// A step of a save writes about so many bytes at most, to stay short.
const STEP_BYTES: usize = 4 << 20;

/// Remembers what is saved, so that only what has changed is written.
///
/// ```
/// use loglanes::snapshot::SaveLedger;
/// use loglanes::{Cluster, History};
///
/// let (cluster, history, mut ledger) = (Cluster::new(7), History::default(), SaveLedger::default());
/// let first = ledger.changes(7, 0, &cluster, &history, None)?.unwrap();
/// assert_eq!(first.puts[0].0, "manifest");
/// ledger.saved(first.token);
/// assert!(ledger.changes(7, 0, &cluster, &history, None)?.is_none());
/// # Ok::<(), loglanes::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct SaveLedger {
    saved: Saved,
    pending: Option<(u32, Saved)>,
    tokens: u32,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Saved {
    manifest_crc: Option<u32>,
    /// The number of the present course: what is written for the first time is written in it.
    course: u32,
    segments: BTreeMap<SegmentKey, SavedBlocks>,
    history: BTreeMap<u64, SavedSteps>,
    /// Courses that were set aside, by their ids.
    asides: BTreeSet<u64>,
    /// Chunks that nothing refers to.
    orphans: BTreeSet<String>,
}

/// What is saved of a segment.
#[derive(Debug, Clone)]
struct SavedBlocks {
    bytes: usize,
    courses: Courses,
}

/// What is saved of a chunk of the history.
#[derive(Debug, Clone, Copy, PartialEq)]
struct SavedSteps {
    steps: usize,
    course: u32,
}

impl SaveLedger {
    /// A ledger of chunks that are saved already.
    pub(super) fn of_saved(
        json: &[u8],
        manifest: &Manifest,
        history: &History,
        orphans: BTreeSet<String>,
    ) -> Self {
        let chunk = |number: u64| {
            let steps = history.chunk_steps(number);
            (number, SavedSteps { steps, course: manifest.history.course(number) })
        };
        let saved = Saved {
            manifest_crc: Some(crc32c::checksum(json)),
            course: manifest.course,
            segments: manifest
                .segments()
                .filter(|(_, segment)| segment.bytes > 0)
                .map(|(key, segment)| {
                    let courses = segment.courses.clone();
                    (key, SavedBlocks { bytes: segment.bytes, courses })
                })
                .collect(),
            history: history.chunk_numbers().map(chunk).collect(),
            asides: history.asides().iter().map(|aside| aside.id).collect(),
            orphans,
        };
        Self { saved, ..Self::default() }
    }

    /// Another course begins, from that state on: what was saved of the one before counts no more,
    /// but what both share.
    pub(crate) fn fork(&mut self, cluster: &Cluster, history: &History) {
        self.saved.fork(cluster, history);
        if let Some((_, next)) = &mut self.pending {
            next.fork(cluster, history);
        }
    }

    /// The next step of a save, or none if all is saved. A step that was not written is given
    /// again, with what has come since. `checkpoint` is the state at an earlier step, whose logs the
    /// present ones begin with, and after how many steps it was.
    ///
    /// ```
    /// use loglanes::snapshot::SaveLedger;
    /// use loglanes::{Cluster, History};
    ///
    /// let (cluster, history, mut ledger) = (Cluster::new(7), History::default(), SaveLedger::default());
    /// let first = ledger.changes(7, 0, &cluster, &history, None)?.unwrap();
    /// let again = ledger.changes(7, 0, &cluster, &history, None)?.unwrap();
    /// assert_eq!(first.puts, again.puts);
    /// # Ok::<(), loglanes::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If something cannot be written down; then nothing counts as saved. Nothing that there is
    /// does that.
    pub fn changes(
        &mut self,
        seed: i64,
        skew_ms: i64,
        cluster: &Cluster,
        history: &History,
        checkpoint: Option<(u64, &Cluster)>,
    ) -> Result<Option<Changes>> {
        let mut next = self.saved.clone();
        if let Some((_, untold)) = &self.pending {
            next.keep_sure(untold);
        }
        let mut puts = Vec::new();
        let mut room = STEP_BYTES;
        let mut is_last = true;

        let live: BTreeMap<SegmentKey, &[u8]> = segments(cluster).collect();
        for (key, bytes) in &live {
            let saved = next.segments.get(key).map_or(0, |saved| saved.bytes);
            for block in saved / BLOCK_BYTES..bytes.len().div_ceil(BLOCK_BYTES) {
                let end = bytes.len().min((block + 1) * BLOCK_BYTES);
                if end <= saved {
                    continue;
                }
                if room == 0 {
                    is_last = false;
                    break;
                }
                let course = next.course;
                let blocks = next
                    .segments
                    .entry(key.clone())
                    .or_insert_with(|| SavedBlocks { bytes: 0, courses: Courses::all_of(course) });
                blocks.bytes = end;
                let name = key.block_name(blocks.courses.block(block));
                let framed = seal(&name, bytes.get(block * BLOCK_BYTES..end).unwrap_or_default());
                room = room.saturating_sub(framed.len());
                next.orphans.remove(&name);
                puts.push((name, framed));
            }
        }
        for number in history.chunk_numbers() {
            let steps = history.chunk_steps(number);
            let saved = next.history.get(&number);
            if saved.is_some_and(|saved| saved.steps == steps) {
                continue;
            }
            if room == 0 {
                is_last = false;
                break;
            }
            let course = saved.map_or(next.course, |saved| saved.course);
            let name = history_name(number, course);
            let framed = seal(&name, &history.encode_chunk(number)?);
            room = room.saturating_sub(framed.len());
            next.orphans.remove(&name);
            next.history.insert(number, SavedSteps { steps, course });
            puts.push((name, framed));
        }
        for aside in history.asides() {
            if next.asides.contains(&aside.id) {
                continue;
            }
            if room == 0 {
                is_last = false;
                break;
            }
            let name = aside_name(aside.id);
            let framed = seal(&name, &encode_steps(&aside.steps)?);
            room = room.saturating_sub(framed.len());
            next.orphans.remove(&name);
            next.asides.insert(aside.id);
            puts.push((name, framed));
        }

        let mut deletes = Vec::new();
        if is_last {
            let manifest =
                Manifest::of(seed, skew_ms, cluster, history, checkpoint, &next).to_json()?;
            let crc = crc32c::checksum(&manifest);
            if puts.is_empty() && next.manifest_crc == Some(crc) && next.orphans.is_empty() {
                return Ok(None);
            }
            next.manifest_crc = Some(crc);
            puts.push((MANIFEST.to_owned(), seal(MANIFEST, &manifest)));
            deletes = next.drop_dead(&live, history);
        }
        self.tokens = self.tokens.wrapping_add(1);
        self.pending = Some((self.tokens, next));
        Ok(Some(Changes { token: self.tokens, puts, deletes }))
    }

    /// The step with that token is written for good. Others are not counted.
    pub fn saved(&mut self, token: u32) {
        if let Some((pending, next)) = self.pending.take() {
            if pending == token {
                self.saved = next;
            } else {
                self.pending = Some((pending, next));
            }
        }
    }
}

impl Saved {
    pub(super) fn course(&self) -> u32 {
        self.course
    }

    pub(super) fn courses_of(&self, key: &SegmentKey) -> Courses {
        self.segments.get(key).map(|saved| saved.courses.clone()).unwrap_or_default()
    }

    pub(super) fn history_courses(&self, history: &History) -> Courses {
        let mut courses = Courses::default();
        for (index, number) in history.chunk_numbers().enumerate() {
            courses.begin(index, self.history.get(&number).map_or(0, |saved| saved.course));
        }
        courses
    }

    fn fork(&mut self, cluster: &Cluster, history: &History) {
        self.course = self.course.saturating_add(1);
        let (course, orphans) = (self.course, &mut self.orphans);
        let live: BTreeMap<SegmentKey, usize> = lengths(cluster).collect();
        self.segments.retain(|key, saved| {
            let length = live.get(key).copied().unwrap_or(0);
            if saved.bytes > length {
                let first = length / BLOCK_BYTES;
                let blocks = first..saved.bytes.div_ceil(BLOCK_BYTES);
                orphans.extend(blocks.map(|block| key.block_name(saved.courses.block(block))));
                saved.bytes = first * BLOCK_BYTES;
                saved.courses.begin(first, course);
            }
            saved.bytes > 0
        });
        let kept = history.chunk_numbers();
        self.history.retain(|&number, saved| {
            let is_kept = kept.contains(&number) && saved.steps <= history.chunk_steps(number);
            if !is_kept {
                orphans.insert(history_name(number, saved.course));
            }
            is_kept
        });
    }

    /// A step was given out, and nobody has said whether it is written: what is saved also then.
    fn keep_sure(&mut self, untold: &Self) {
        if self.manifest_crc != untold.manifest_crc {
            self.manifest_crc = None;
        }
        let orphans = &mut self.orphans;
        self.segments.retain(|key, saved| {
            let other = untold.segments.get(key).filter(|other| other.courses == saved.courses);
            let sure = saved.bytes.min(other.map_or(0, |other| other.bytes));
            let unsure = sure / BLOCK_BYTES..saved.bytes.div_ceil(BLOCK_BYTES);
            if sure < saved.bytes {
                orphans.extend(unsure.map(|block| key.block_name(saved.courses.block(block))));
            }
            saved.bytes = sure;
            sure > 0
        });
        self.history.retain(|number, saved| {
            let is_sure = untold.history.get(number) == Some(saved);
            if !is_sure {
                orphans.insert(history_name(*number, saved.course));
            }
            is_sure
        });
        self.asides.retain(|id| {
            let is_sure = untold.asides.contains(id);
            if !is_sure {
                orphans.insert(aside_name(*id));
            }
            is_sure
        });
        self.orphans.extend(untold.orphans.iter().cloned());
    }

    /// Forgets what is no longer part of the state, and names its chunks. What lies ahead may
    /// become part of it again, so its segments stay.
    fn drop_dead(&mut self, live: &BTreeMap<SegmentKey, &[u8]>, history: &History) -> Vec<String> {
        let mut deletes: Vec<String> = std::mem::take(&mut self.orphans).into_iter().collect();
        self.segments.retain(|key, saved| {
            let is_live = history.ahead() > 0 || live.contains_key(key);
            if !is_live {
                let blocks = 0..saved.bytes.div_ceil(BLOCK_BYTES);
                deletes.extend(blocks.map(|block| key.block_name(saved.courses.block(block))));
            }
            is_live
        });
        let kept = history.chunk_numbers();
        self.history.retain(|number, saved| {
            let is_kept = kept.contains(number);
            if !is_kept {
                deletes.push(history_name(*number, saved.course));
            }
            is_kept
        });
        self.asides.retain(|&id| {
            let is_kept = history.asides().iter().any(|aside| aside.id == id);
            if !is_kept {
                deletes.push(aside_name(id));
            }
            is_kept
        });
        deletes.sort();
        deletes
    }
}

fn segments(cluster: &Cluster) -> impl Iterator<Item = (SegmentKey, &[u8])> {
    keyed(cluster).map(|(key, segment)| (key, segment.bytes()))
}

/// Lengths are there also where the bytes are not.
fn lengths(cluster: &Cluster) -> impl Iterator<Item = (SegmentKey, usize)> {
    keyed(cluster).map(|(key, segment)| (key, segment.size_in_bytes()))
}

fn keyed(cluster: &Cluster) -> impl Iterator<Item = (SegmentKey, &Segment)> {
    cluster.topics.values().flat_map(|topic| {
        let id = topic.id.to_string();
        topic.partitions.iter().enumerate().flat_map(move |(partition, held)| {
            let topic = id.clone();
            let segments = held.log.segments().iter();
            segments.map(move |segment| (SegmentKey::of(&topic, partition, segment), segment))
        })
    })
}
