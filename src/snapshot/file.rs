//! The state as one file: its chunks, one after the other.
//!
//! [`FILE_MAGIC`], then for each chunk the length of its name (u16, big-endian), its name, and
//! the chunk as [`super::seal`] frames it. The manifest comes last.

use super::changes::Changes;
use super::{FRAME_BYTES, MAX_CHUNK_BYTES, Restorer, SaveLedger, frame};
use crate::error::{Error, Result};
use crate::session::Session;

/// How an exported file begins.
pub const FILE_MAGIC: &[u8; 8] = b"LOGLANES";

/// The longest name of a chunk.
const MAX_NAME_BYTES: usize = 512;

/// The whole state as the parts of a file, a few megabytes each.
///
/// ```
/// use loglanes::Session;
/// use loglanes::snapshot::Export;
///
/// let session = Session::new(7);
/// let mut export = Export::default();
/// let first = export.next_part(&session)?.unwrap();
/// assert!(first.starts_with(b"LOGLANES"));
/// assert!(export.next_part(&session)?.is_none());
/// # Ok::<(), loglanes::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Export {
    ledger: SaveLedger,
    has_begun: bool,
}

impl Export {
    /// The next part; none after the last. The session must be the same, unchanged, throughout.
    ///
    /// # Errors
    ///
    /// As [`SaveLedger::changes`].
    pub fn next_part(&mut self, session: &Session) -> Result<Option<Vec<u8>>> {
        let (seed, cluster, history) = (session.seed(), session.cluster(), session.history());
        let Some(changes) =
            self.ledger.changes(seed, session.skew_ms(), cluster, history, session.checkpoint())?
        else {
            return Ok(None);
        };
        self.ledger.saved(changes.token);
        let head = if self.has_begun { Vec::new() } else { FILE_MAGIC.to_vec() };
        self.has_begun = true;
        Ok(Some(part(head, changes)))
    }
}

fn part(mut bytes: Vec<u8>, changes: Changes) -> Vec<u8> {
    for (name, framed) in changes.puts {
        bytes.extend_from_slice(&(name.len() as u16).to_be_bytes());
        bytes.extend_from_slice(name.as_bytes());
        bytes.extend_from_slice(&framed);
    }
    bytes
}

/// Reads an exported file that comes in pieces of any size.
///
/// ```
/// use loglanes::Session;
/// use loglanes::snapshot::{Export, FileReader};
///
/// let session = Session::new(7);
/// let (mut export, mut reader) = (Export::default(), FileReader::default());
/// while let Some(part) = export.next_part(&session)? {
///     reader.feed(&part)?;
/// }
/// assert_eq!(reader.finish()?.cluster(), session.cluster());
/// # Ok::<(), loglanes::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct FileReader {
    rest: Vec<u8>,
    read: u64,
    has_begun: bool,
    restorer: Restorer,
}

impl FileReader {
    /// Takes the next piece.
    ///
    /// # Errors
    ///
    /// [`crate::Refusal::Corrupt`], naming the byte, if this is no such file or is damaged.
    pub fn feed(&mut self, piece: &[u8]) -> Result {
        self.rest.extend_from_slice(piece);
        let mut used = 0;
        if !self.has_begun && self.rest.len() >= FILE_MAGIC.len() {
            if !self.rest.starts_with(FILE_MAGIC) {
                return Err(Error::corrupt("This is no file that Loglanes exported.")
                    .with_hint("Such a file begins with the letters LOGLANES."));
            }
            self.has_begun = true;
            used = FILE_MAGIC.len();
        }
        while self.has_begun {
            let rest = self.rest.get(used..).unwrap_or_default();
            let at = self.read + used as u64;
            let Some((name, framed)) = next_chunk(rest, at)? else { break };
            self.restorer.add(name, framed).map_err(|error| {
                Error::corrupt(format!("Byte {at}: {}", error.message()))
                    .with_hint(error.hint().to_owned())
            })?;
            used += 2 + name.len() + framed.len();
        }
        self.rest.drain(..used);
        self.read += used as u64;
        Ok(())
    }

    /// The state of the file.
    ///
    /// # Errors
    ///
    /// [`crate::Refusal::Corrupt`] if the file is cut, or its chunks do not fit together.
    pub fn finish(self) -> Result<Session> {
        if !self.rest.is_empty() || !self.has_begun {
            return Err(Error::corrupt(format!(
                "The file ends inside a piece that begins at byte {}.",
                self.read
            ))
            .with_hint("It was cut: fetch or export it again."));
        }
        let mut session = self.restorer.finish()?;
        session.forget_saved();
        Ok(session)
    }
}

/// The next whole chunk and its name, or none yet.
fn next_chunk(rest: &[u8], at: u64) -> Result<Option<(&str, &[u8])>> {
    let Some((length, rest)) = rest.split_first_chunk::<2>() else { return Ok(None) };
    let length = u16::from_be_bytes(*length) as usize;
    let damaged = |what: &str| {
        Err(Error::corrupt(format!("Byte {at}: {what}."))
            .with_hint("The file is damaged: fetch or export it again."))
    };
    if length > MAX_NAME_BYTES {
        return damaged("no name of a piece is that long");
    }
    let Some((name, framed)) = rest.split_at_checked(length) else { return Ok(None) };
    let Ok(name) = std::str::from_utf8(name) else { return damaged("the name is no text") };
    if framed.len() < FRAME_BYTES {
        return Ok(None);
    }
    let Some((content, _, _)) = frame(framed) else { return damaged("no piece begins here") };
    if content > MAX_CHUNK_BYTES {
        return damaged("the piece is larger than any that Loglanes writes");
    }
    Ok(framed.get(..FRAME_BYTES + content).map(|framed| (name, framed)))
}
