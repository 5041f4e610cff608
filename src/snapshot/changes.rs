//! What must be written so that the saved state equals the cluster.

use std::collections::{BTreeMap, BTreeSet};

use super::manifest::Manifest;
use super::{BLOCK_BYTES, MANIFEST, SegmentKey, history_name, seal};
use crate::cluster::Cluster;
use crate::error::Result;
use crate::history::History;
use crate::log::crc32c;

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
/// let first = ledger.changes(7, &cluster, &history)?.unwrap();
/// assert_eq!(first.puts[0].0, "manifest");
/// ledger.saved(first.token);
/// assert!(ledger.changes(7, &cluster, &history)?.is_none());
/// # Ok::<(), loglanes::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct SaveLedger {
    saved: Saved,
    pending: Option<(u32, Saved)>,
    tokens: u32,
}

#[derive(Debug, Clone, Default)]
struct Saved {
    manifest_crc: Option<u32>,
    /// How many bytes of each segment.
    segments: BTreeMap<SegmentKey, usize>,
    /// How many steps of each chunk of the history.
    history: BTreeMap<u64, usize>,
    /// Chunks that nothing refers to.
    orphans: BTreeSet<String>,
}

impl SaveLedger {
    /// A ledger of chunks that are saved already.
    pub(super) fn of_saved(
        manifest: &[u8],
        cluster: &Cluster,
        history: &History,
        orphans: BTreeSet<String>,
    ) -> Self {
        let saved = Saved {
            manifest_crc: Some(crc32c::checksum(manifest)),
            segments: segments(cluster).map(|(key, bytes)| (key, bytes.len())).collect(),
            history: history.chunk_numbers().map(|n| (n, history.chunk_steps(n))).collect(),
            orphans,
        };
        Self { saved, ..Self::default() }
    }

    /// The next step of a save, or none if all is saved. A step that was not written is given
    /// again, with what has come since.
    ///
    /// ```
    /// use loglanes::snapshot::SaveLedger;
    /// use loglanes::{Cluster, History};
    ///
    /// let (cluster, history, mut ledger) = (Cluster::new(7), History::default(), SaveLedger::default());
    /// let first = ledger.changes(7, &cluster, &history)?.unwrap();
    /// let again = ledger.changes(7, &cluster, &history)?.unwrap();
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
        cluster: &Cluster,
        history: &History,
    ) -> Result<Option<Changes>> {
        let mut next = self.saved.clone();
        let mut puts = Vec::new();
        let mut room = STEP_BYTES;
        let mut is_last = true;

        let live: BTreeMap<SegmentKey, &[u8]> = segments(cluster).collect();
        for (key, bytes) in &live {
            let saved = next.segments.get(key).copied().unwrap_or(0);
            for block in saved / BLOCK_BYTES..bytes.len().div_ceil(BLOCK_BYTES) {
                let end = bytes.len().min((block + 1) * BLOCK_BYTES);
                if end <= saved {
                    continue;
                }
                if room == 0 {
                    is_last = false;
                    break;
                }
                let name = key.block_name(block);
                let framed = seal(&name, bytes.get(block * BLOCK_BYTES..end).unwrap_or_default());
                room = room.saturating_sub(framed.len());
                next.orphans.remove(&name);
                next.segments.insert(key.clone(), end);
                puts.push((name, framed));
            }
        }
        for number in history.chunk_numbers() {
            let steps = history.chunk_steps(number);
            if next.history.get(&number) == Some(&steps) {
                continue;
            }
            if room == 0 {
                is_last = false;
                break;
            }
            let name = history_name(number);
            let framed = seal(&name, &history.encode_chunk(number)?);
            room = room.saturating_sub(framed.len());
            next.orphans.remove(&name);
            next.history.insert(number, steps);
            puts.push((name, framed));
        }

        let mut deletes = Vec::new();
        if is_last {
            let manifest = Manifest::of(seed, cluster, history).to_json()?;
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
    /// Forgets what is no longer part of the state, and names its chunks.
    fn drop_dead(&mut self, live: &BTreeMap<SegmentKey, &[u8]>, history: &History) -> Vec<String> {
        let mut deletes: Vec<String> = std::mem::take(&mut self.orphans).into_iter().collect();
        self.segments.retain(|key, saved| {
            let is_live = live.contains_key(key);
            if !is_live {
                let blocks = saved.div_ceil(BLOCK_BYTES);
                deletes.extend((0..blocks).map(|block| key.block_name(block)));
            }
            is_live
        });
        let kept = history.chunk_numbers();
        self.history.retain(|number, _| {
            let is_kept = kept.contains(number);
            if !is_kept {
                deletes.push(history_name(*number));
            }
            is_kept
        });
        deletes
    }
}

fn segments(cluster: &Cluster) -> impl Iterator<Item = (SegmentKey, &[u8])> {
    cluster.topics.values().flat_map(|topic| {
        let id = topic.id.to_string();
        topic.partitions.iter().enumerate().flat_map(move |(partition, held)| {
            let topic = id.clone();
            held.log.segments().iter().map(move |segment| {
                let (base_offset, generation) = (segment.base_offset(), segment.generation());
                let topic = topic.clone();
                (SegmentKey { topic, partition, base_offset, generation }, segment.bytes())
            })
        })
    })
}
