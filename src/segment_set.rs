//! Files of a partition that a command carries: what is copied into an empty partition.

use std::fmt;

use crate::error::{Error, Result};
use crate::log::SegmentParts;

/// The `.log` files of one partition, in the order of their base offsets, each behind its base
/// offset (i64) and its length (u32).
///
/// ```
/// use loglanes::SegmentSet;
///
/// let set = SegmentSet::new([(0, &b"first"[..]), (40, b"second")])?;
/// let back: Vec<_> = set.iter().map(|file| file.unwrap()).collect();
/// assert_eq!(back, [(0, &b"first"[..]), (40, b"second")]);
/// # Ok::<(), loglanes::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Default)]
pub struct SegmentSet(Vec<u8>);

impl fmt::Debug for SegmentSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SegmentSet({} bytes)", self.0.len())
    }
}

impl SegmentSet {
    /// A set of files: base offset and content of each.
    ///
    /// # Errors
    /// A file of 4 GiB or more.
    pub fn new<'a>(files: impl IntoIterator<Item = (i64, &'a [u8])>) -> Result<Self> {
        let mut bytes = Vec::new();
        for (base_offset, content) in files {
            let length = u32::try_from(content.len()).map_err(|_| {
                Error::corrupt(format!("a segment of {} bytes", content.len()))
                    .with_hint("A segment has at most 2147483647 bytes.")
            })?;
            bytes.extend_from_slice(&base_offset.to_be_bytes());
            bytes.extend_from_slice(&length.to_be_bytes());
            bytes.extend_from_slice(content);
        }
        Ok(Self(bytes))
    }

    /// A set from its bytes; reading it says whether they are one.
    #[must_use]
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// The bytes that stand for it.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Base offset and content of each file. After an error nothing more comes.
    pub fn iter(&self) -> impl Iterator<Item = Result<(i64, &[u8])>> {
        let mut rest = Some(&self.0[..]);
        std::iter::from_fn(move || {
            let bytes = rest.take().filter(|bytes| !bytes.is_empty())?;
            match split(bytes) {
                Some((file, behind)) => {
                    rest = Some(behind);
                    Some(Ok(file))
                }
                None => Some(Err(Error::corrupt("The files of a partition are cut short")
                    .with_hint("Copy the files anew."))),
            }
        })
    }

    /// The files as segments that were begun and last written at `now_ms`.
    ///
    /// # Errors
    /// Bytes that are no set.
    pub fn parts(&self, now_ms: i64) -> Result<Vec<SegmentParts>> {
        let parts = self.iter().map(|file| {
            let (base_offset, bytes) = file?;
            let (created_ms, last_modified_ms) = (now_ms, now_ms);
            Ok(SegmentParts { base_offset, created_ms, last_modified_ms, bytes: bytes.to_vec() })
        });
        parts.collect()
    }
}

type File<'a> = (i64, &'a [u8]);

fn split(bytes: &[u8]) -> Option<(File<'_>, &[u8])> {
    let (base_offset, rest) = bytes.split_first_chunk::<8>()?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
    let (content, behind) = rest.split_at_checked(length)?;
    Some(((i64::from_be_bytes(*base_offset), content), behind))
}
