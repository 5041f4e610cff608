//! Bytes that grow at their end, of which several states of a log may hold the beginning.
//!
//! A step back in time shows an earlier state of a segment: the same bytes, fewer of them. So a
//! view is a buffer and a length, and going back copies nothing. Going forward again appends what
//! is in the buffer already: then only the length grows.

use std::sync::Arc;

/// Up to here a buffer doubles, above it grows by a quarter.
///
/// Doubling alone would hold up to twice the bytes that are stored; our goal is 1.3 times. A
/// quarter bounds the spare room by 25 % (12 % in the mean) at four copied bytes for each
/// byte stored, against one with doubling. Small buffers double: a topic of thousands of nearly
/// empty partitions would pay for any larger first step.
const DOUBLES_UP_TO: usize = 64 * 1024;

/// The first `len` bytes of a buffer that may be shared.
#[derive(Debug, Clone, Default)]
pub(crate) struct SharedBytes {
    buffer: Arc<Vec<u8>>,
    len: usize,
}

impl SharedBytes {
    #[inline]
    pub(crate) fn as_slice(&self) -> &[u8] {
        self.buffer.get(..self.len).unwrap_or_default()
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The memory held, in bytes.
    pub(crate) fn capacity(&self) -> usize {
        self.buffer.capacity()
    }

    /// How many bytes the buffer has, those behind this view's end included.
    pub(crate) fn buffered(&self) -> usize {
        self.buffer.len()
    }

    /// Adds to the end. Other views of the buffer keep what they have.
    pub(crate) fn append(&mut self, more: &[u8]) {
        let is_there = self.buffer.get(self.len..).is_some_and(|rest| rest.starts_with(more));
        if !is_there {
            let len = self.len;
            let buffer = self.own(more.len());
            if buffer.capacity() - len < more.len() {
                let step = if len < DOUBLES_UP_TO { len } else { len / 4 };
                buffer.reserve_exact(step.max(more.len()));
            }
            buffer.extend_from_slice(more);
        }
        self.len += more.len();
    }

    /// Makes room for `additional` bytes in one step, if there is memory for it: what is expected
    /// need not come.
    pub(crate) fn reserve(&mut self, additional: usize) {
        if self.buffer.len() - self.len.min(self.buffer.len()) < additional {
            let _ = self.own(0).try_reserve_exact(additional);
        }
    }

    /// Gives spare room back, where the buffer is no one else's.
    pub(crate) fn shrink_to_fit(&mut self) {
        if let Some(buffer) = Arc::get_mut(&mut self.buffer)
            && buffer.len() == self.len
        {
            buffer.shrink_to_fit();
        }
    }

    /// The length alone, to be given its bytes again by [`SharedBytes::of`].
    pub(crate) fn detached(&self) -> Self {
        Self { buffer: Arc::default(), len: self.len }
    }

    /// The first `len` bytes of the same buffer, if it has so many.
    pub(crate) fn of(&self, len: usize) -> Option<Self> {
        (self.buffered() >= len).then(|| Self { buffer: Arc::clone(&self.buffer), len })
    }

    /// A buffer that ends where this view does and is no one else's.
    fn own(&mut self, room: usize) -> &mut Vec<u8> {
        if Arc::get_mut(&mut self.buffer).is_none() {
            let mut copy = Vec::with_capacity(self.len + room);
            copy.extend_from_slice(self.as_slice());
            self.buffer = Arc::new(copy);
        }
        // It is ours by now, so this copies nothing.
        let buffer = Arc::make_mut(&mut self.buffer);
        buffer.truncate(self.len);
        buffer
    }
}

impl From<Vec<u8>> for SharedBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self { len: bytes.len(), buffer: Arc::new(bytes) }
    }
}

impl PartialEq for SharedBytes {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.as_slice() == other.as_slice()
    }
}

impl Eq for SharedBytes {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_earlier_view_keeps_its_bytes_whatever_the_later_one_does() {
        let mut late = SharedBytes::from(b"abc".to_vec());
        let early = late.of(2).unwrap();
        late.append(b"d");
        assert_eq!((early.as_slice(), late.as_slice()), (&b"ab"[..], &b"abcd"[..]));
    }

    #[test]
    fn what_is_in_the_buffer_already_is_not_copied() {
        let late = SharedBytes::from(b"abcdef".to_vec());
        let mut early = late.of(2).unwrap();
        early.append(b"cd");
        assert!(Arc::ptr_eq(&early.buffer, &late.buffer));
        early.append(b"xy");
        assert_eq!((early.as_slice(), late.as_slice()), (&b"abcdxy"[..], &b"abcdef"[..]));
    }

    #[test]
    fn another_course_overwrites_what_nobody_looks_at_any_more() {
        let mut bytes = SharedBytes::from(b"abcdef".to_vec()).of(2).unwrap();
        bytes.append(b"xy");
        assert_eq!((bytes.as_slice(), bytes.buffered()), (&b"abxy"[..], 4));
    }

    #[test]
    fn a_view_is_no_longer_than_its_buffer() {
        assert!(SharedBytes::from(b"abc".to_vec()).of(4).is_none());
        let detached = SharedBytes::from(b"abc".to_vec()).detached();
        assert_eq!((detached.len(), detached.as_slice()), (3, &b""[..]));
    }
}
