//! Files of partitions that a command carries: what is copied into empty partitions.

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
        split_all(&self.0, |bytes| {
            let (base_offset, rest) = bytes.split_first_chunk::<8>()?;
            let (length, rest) = rest.split_first_chunk::<4>()?;
            let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
            let (content, behind) = rest.split_at_checked(length)?;
            Some(((i64::from_be_bytes(*base_offset), content), behind))
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

/// The files of several partitions, one [`SegmentSet`] behind the other, each behind its length
/// (u64).
///
/// ```
/// use loglanes::{SegmentSet, SegmentSets};
///
/// let one = SegmentSet::new([(0, &b"first"[..])])?;
/// let sets = SegmentSets::new([one.clone(), SegmentSet::default()]);
/// let back: Vec<_> = sets.iter().map(|set| set.unwrap()).collect();
/// assert_eq!(back, [one, SegmentSet::default()]);
/// # Ok::<(), loglanes::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Default)]
pub struct SegmentSets(Vec<u8>);

impl fmt::Debug for SegmentSets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SegmentSets({} bytes)", self.0.len())
    }
}

impl SegmentSets {
    /// The sets of several partitions.
    #[must_use]
    pub fn new(sets: impl IntoIterator<Item = SegmentSet>) -> Self {
        let mut bytes = Vec::new();
        for set in sets {
            bytes.extend_from_slice(&(set.0.len() as u64).to_be_bytes());
            bytes.extend_from_slice(&set.0);
        }
        Self(bytes)
    }

    /// Sets from their bytes; reading them says whether they are some.
    #[must_use]
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// The bytes that stand for them.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The set of each partition. After an error nothing more comes.
    pub fn iter(&self) -> impl Iterator<Item = Result<SegmentSet>> {
        split_all(&self.0, |bytes| {
            let (length, rest) = bytes.split_first_chunk::<8>()?;
            let length = usize::try_from(u64::from_be_bytes(*length)).ok()?;
            let (set, behind) = rest.split_at_checked(length)?;
            Some((SegmentSet(set.to_vec()), behind))
        })
    }
}

/// What `split` finds in the bytes, one behind the other.
fn split_all<'a, T>(
    bytes: &'a [u8],
    split: impl Fn(&'a [u8]) -> Option<(T, &'a [u8])>,
) -> impl Iterator<Item = Result<T>> {
    let mut rest = Some(bytes);
    std::iter::from_fn(move || {
        let bytes = rest.take().filter(|bytes| !bytes.is_empty())?;
        match split(bytes) {
            Some((found, behind)) => {
                rest = Some(behind);
                Some(Ok(found))
            }
            None => Some(Err(Error::corrupt("The files of a partition are cut short")
                .with_hint("Copy the files anew."))),
        }
    })
}
