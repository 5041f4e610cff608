//! The state as bytes, in chunks: what IndexedDB keeps and what an exported file holds.
//!
//! A chunk has a name and bytes. There are three kinds:
//!
//! | name | bytes |
//! |---|---|
//! | `manifest` | all but the records and the history, as JSON: the only chunk that is rewritten as a whole |
//! | `log/<topic id>/<partition>/<segment's base offset>/<block>` | a piece of a segment of [`BLOCK_BYTES`]: Kafka's own bytes |
//! | `log/<topic id>/<partition>/<segment's base offset>.<generation>/<block>` | the same, of a segment that the cleaner has written anew |
//! | `history/<number>` | some steps of the history |
//! | `aside/<id>` | the steps of a course that was set aside |
//!
//! Segments and history only grow at their end. So a save writes the last block of each segment
//! that grew, the last chunk of the history, and the manifest. What lies beyond the lengths in
//! the manifest is not read: blocks may therefore be written ahead of the manifest that counts
//! them, and a large state is saved in several steps. The manifest always comes last, in one
//! transaction with the chunks of its step and with the deletion of those that are dead. A segment
//! that the cleaner rewrites gets chunks of other names: until the manifest that names them is
//! written, those of the manifest before are untouched.
//!
//! Whoever goes back and acts begins another course, in which the same blocks get other bytes. So a
//! course has a number, and what is written in it has `~` and that number in its name, after the base
//! offset or the chunk's number. The manifest says from which block on, see `Courses`.
//!
//! Each chunk is framed: see [`seal`].

mod changes;
mod courses;
mod file;
mod manifest;
mod restore;

pub use changes::{Changes, SaveLedger};
pub use file::{Export, FILE_MAGIC, FileReader};
pub use restore::Restorer;

use crate::error::{Error, Result};
use crate::log::Segment;
use crate::log::crc32c::Crc32c;

/// How many bytes of a segment a `log/…` chunk holds at most.
pub const BLOCK_BYTES: usize = 64 << 10;

/// The largest chunk that is read: a whole import's records, and some more.
pub const MAX_CHUNK_BYTES: usize = 1 << 30;

/// The name of the chunk that says which others there are.
pub const MANIFEST: &str = "manifest";

/// The way out of a saved state that cannot be read.
pub(crate) const RESTORE_HINT: &str = "Import a file that was exported earlier, or begin anew.";

const MAGIC: &[u8; 4] = b"LLc1";
const FRAME_BYTES: usize = 12;

/// Frames a chunk: `LLc1`, the length of the content (u32), a CRC-32C of name and content (u32),
/// the content; numbers big-endian.
///
/// ```
/// use loglanes::snapshot::{open, seal};
///
/// let framed = seal("history/0", b"steps");
/// assert_eq!(open("history/0", &framed)?, b"steps");
/// assert!(open("history/1", &framed).is_err());
/// # Ok::<(), loglanes::Error>(())
/// ```
#[must_use]
pub fn seal(name: &str, content: &[u8]) -> Vec<u8> {
    let mut framed = Vec::with_capacity(FRAME_BYTES + content.len());
    framed.extend_from_slice(MAGIC);
    framed.extend_from_slice(&(content.len() as u32).to_be_bytes());
    framed.extend_from_slice(&checksum(name, content).to_be_bytes());
    framed.extend_from_slice(content);
    framed
}

/// The content of a framed chunk.
///
/// # Errors
///
/// [`crate::Refusal::Corrupt`] if it is cut, changed, or another chunk than `name`.
pub fn open<'a>(name: &str, framed: &'a [u8]) -> Result<&'a [u8]> {
    let damaged = |what: &str| {
        Error::corrupt(format!("The saved piece {name:?} {what}.")).with_hint(RESTORE_HINT)
    };
    let (length, crc, content) =
        frame(framed).ok_or_else(|| damaged("is none of this version of Loglanes"))?;
    if content.len() != length {
        return Err(damaged(&format!("has {} bytes of {length}", content.len())));
    }
    if checksum(name, content) != crc {
        return Err(damaged("has changed: its checksum does not fit"));
    }
    Ok(content)
}

/// The length and checksum a frame names, and what follows it.
fn frame(framed: &[u8]) -> Option<(usize, u32, &[u8])> {
    let rest = framed.strip_prefix(MAGIC)?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let (crc, content) = rest.split_first_chunk::<4>()?;
    Some((u32::from_be_bytes(*length) as usize, u32::from_be_bytes(*crc), content))
}

fn checksum(name: &str, content: &[u8]) -> u32 {
    let mut crc = Crc32c::new();
    crc.update(name.as_bytes());
    crc.update(content);
    crc.finish()
}

/// A piece of a segment.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct SegmentKey {
    topic: String,
    partition: usize,
    base_offset: i64,
    generation: u32,
}

impl SegmentKey {
    fn of(topic: &str, partition: usize, segment: &Segment) -> Self {
        let (base_offset, generation) = (segment.base_offset(), segment.generation());
        Self { topic: topic.to_owned(), partition, base_offset, generation }
    }

    fn block_name(&self, Block { number, course }: Block) -> String {
        let Self { topic, partition, base_offset, generation } = self;
        let generation = suffix('.', *generation);
        let course = suffix('~', course);
        format!("log/{topic}/{partition}/{base_offset}{generation}{course}/{number}")
    }

    fn parse(name: &str) -> Option<(Self, Block)> {
        let mut parts = name.strip_prefix("log/")?.split('/');
        let topic = parts.next()?.to_owned();
        let partition = parts.next()?.parse().ok()?;
        let segment = parts.next()?;
        let (segment, course) = segment.split_once('~').unwrap_or((segment, "0"));
        let course = course.parse().ok()?;
        let (base_offset, generation) = segment.split_once('.').unwrap_or((segment, "0"));
        let base_offset = base_offset.parse().ok()?;
        let generation = generation.parse().ok()?;
        let block = Block { number: parts.next()?.parse().ok()?, course };
        let key = Self { topic, partition, base_offset, generation };
        parts.next().is_none().then_some((key, block))
    }
}

/// A block of a segment, and the course of the history in which it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Block {
    number: usize,
    course: u32,
}

fn history_name(number: u64, course: u32) -> String {
    format!("history/{number}{}", suffix('~', course))
}

fn aside_name(id: u64) -> String {
    format!("aside/{id}")
}

fn suffix(sign: char, number: u32) -> String {
    if number == 0 { String::new() } else { format!("{sign}{number}") }
}

#[cfg(test)]
mod tests;
