//! What can be seen of a record from afar, in 32 bits: its key's colour and what is special.

use crate::log::{BatchHeader, RecordView};
use crate::partitioner::murmur2;
use serde::Serialize;

/// A record in 32 bits, for a lane to draw it without asking for the record.
///
/// | bits | meaning |
/// |---|---|
/// | 0 to 23 | a hash of the key, so that one key has one colour everywhere; 0 without a key |
/// | 24, 25 | [`KeyKind`] |
/// | 26 | the value is none: with a key, a tombstone |
/// | 27 | the value is empty |
/// | 28 | has headers |
/// | 29 | a control record, which no consumer sees; no other bit is set then |
///
/// All bits 0: there is no record.
///
/// ```
/// use loglanes::insight::{KeyKind, Tag};
///
/// let tag = Tag::new(Some(b"user_42"), None, true);
/// assert_eq!(tag.key_kind(), Some(KeyKind::Some));
/// assert!(tag.is_value_none() && tag.has_headers() && !tag.is_value_empty());
/// assert_eq!(tag.key_hash(), Tag::of_key(b"user_42").key_hash());
/// assert_eq!(Tag::NOTHING.key_kind(), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(transparent)]
pub struct Tag(pub u32);

/// None, empty and some bytes are three kinds of key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyKind {
    /// No key.
    None = 1,
    /// A key of no bytes; a key like any other.
    Empty = 2,
    /// A key of one byte or more.
    Some = 3,
}

impl Tag {
    /// No record there.
    pub const NOTHING: Self = Self(0);

    /// The bits of the key's hash.
    pub const KEY_HASH: u32 = 0x00ff_ffff;
    /// How far up the two bits of the [`KeyKind`] are.
    pub const KEY_KIND_SHIFT: u32 = 24;
    /// The bits that tell one key from another: hash and kind.
    pub const KEY: u32 = 0x03ff_ffff;
    /// The value is none.
    pub const VALUE_NONE: u32 = 1 << 26;
    /// The value is empty.
    pub const VALUE_EMPTY: u32 = 1 << 27;
    /// There are headers.
    pub const HEADERS: u32 = 1 << 28;
    /// A control record.
    pub const CONTROL: u32 = 1 << 29;

    /// The tag of every control record: its key is the broker's own, so it is like no producer's, nor
    /// like one without a key.
    pub const CONTROL_RECORD: Self = Self(Self::CONTROL);

    /// The tag of a record with this key and value.
    #[must_use]
    #[inline]
    pub fn new(key: Option<&[u8]>, value: Option<&[u8]>, has_headers: bool) -> Self {
        let key = match key {
            None => (KeyKind::None as u32) << Self::KEY_KIND_SHIFT,
            Some(key) => Self::of_key(key).0,
        };
        let value = match value {
            None => Self::VALUE_NONE,
            Some([]) => Self::VALUE_EMPTY,
            Some(_) => 0,
        };
        let headers = if has_headers { Self::HEADERS } else { 0 };
        Self(key | value | headers)
    }

    /// The tag of a record of a producer's.
    #[must_use]
    #[inline]
    pub fn of(record: &RecordView<'_>) -> Self {
        Self::new(record.key, record.value, record.header_count() > 0)
    }

    /// The tag of a record in the log, which in a control batch is [`Tag::CONTROL_RECORD`].
    #[must_use]
    #[inline]
    pub fn of_stored(record: &RecordView<'_>, batch: &BatchHeader) -> Self {
        if batch.is_control() { Self::CONTROL_RECORD } else { Self::of(record) }
    }

    /// The tag of a key alone.
    #[must_use]
    #[inline]
    pub fn of_key(key: &[u8]) -> Self {
        Self::of_hashed_key(murmur2(key), key.is_empty())
    }

    #[inline]
    pub(super) fn of_hashed_key(hash: i32, is_empty: bool) -> Self {
        // All keys of a partition agree in their hash modulo the partitions, which are its low
        // bits when that is a power of two. So the bits are mixed and the high ones taken.
        let mixed = hash.cast_unsigned().wrapping_mul(0x9e37_79b1) >> 8;
        let kind = if is_empty { KeyKind::Empty } else { KeyKind::Some };
        Self(mixed | (kind as u32) << Self::KEY_KIND_SHIFT)
    }

    /// Whether there is a record.
    #[must_use]
    pub fn is_something(self) -> bool {
        self != Self::NOTHING
    }

    /// Whether this is a record with the key of another tag, as far as the tags tell.
    #[must_use]
    #[inline]
    pub fn is_of_key(self, key: Self) -> bool {
        self.is_something() && (self.0 ^ key.0) & Self::KEY == 0
    }

    /// 24 bits of a hash of the key; 0 without one.
    #[must_use]
    pub fn key_hash(self) -> u32 {
        self.0 & Self::KEY_HASH
    }

    /// What kind of key there is; nothing where there is no record, or a control record.
    #[must_use]
    pub fn key_kind(self) -> Option<KeyKind> {
        match self.0 >> Self::KEY_KIND_SHIFT & 3 {
            1 => Some(KeyKind::None),
            2 => Some(KeyKind::Empty),
            3 => Some(KeyKind::Some),
            _ => None,
        }
    }

    /// Whether the value is none; with a key that is a tombstone.
    #[must_use]
    pub fn is_value_none(self) -> bool {
        self.0 & Self::VALUE_NONE != 0
    }

    /// Whether the value is there and has no bytes.
    #[must_use]
    pub fn is_value_empty(self) -> bool {
        self.0 & Self::VALUE_EMPTY != 0
    }

    /// Whether there are headers.
    #[must_use]
    pub fn has_headers(self) -> bool {
        self.0 & Self::HEADERS != 0
    }

    /// Whether it is a control record: the end of a transaction, which consumers pass over.
    #[must_use]
    pub fn is_control(self) -> bool {
        self.0 & Self::CONTROL != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partitioner::partition_for_key;
    use std::collections::HashSet;

    #[test]
    fn none_empty_and_the_text_null_are_three_things() {
        let keys = [None, Some(&b""[..]), Some(b"null"), Some(b"\0")];
        let tags: HashSet<_> = keys.map(|key| Tag::new(key, Some(b"v"), false)).into();
        assert_eq!(tags.len(), 4);
        let values = [None, Some(&b""[..]), Some(b"null")];
        let tags: HashSet<_> = values.map(|value| Tag::new(Some(b"k"), value, false)).into();
        assert_eq!(tags.len(), 3);
    }

    #[test]
    fn bits_are_where_the_page_looks_for_them() {
        let bits = |key, value, headers| Tag::new(key, value, headers).0 >> 24;
        assert_eq!(bits(None, Some(&b"v"[..]), false), 0b00_0001);
        assert_eq!(bits(Some(&b""[..]), Some(b"v"), false), 0b00_0010);
        assert_eq!(bits(Some(b"k"), Some(b"v"), false), 0b00_0011);
        assert_eq!(bits(Some(b"k"), None, false), 0b00_0111);
        assert_eq!(bits(Some(b"k"), Some(b""), true), 0b01_1011);
        assert_eq!(Tag::CONTROL_RECORD.0 >> 24, 0b10_0000);
        assert_eq!(Tag::new(None, None, false).key_hash(), 0);
    }

    #[test]
    fn keys_of_one_partition_still_have_many_colours() {
        let mut top_bits = HashSet::new();
        for i in 0..4096 {
            let key = format!("key-{i}");
            if partition_for_key(key.as_bytes(), 16) == 3 {
                top_bits.insert(Tag::of_key(key.as_bytes()).key_hash() & 15);
            }
        }
        assert_eq!(top_bits.len(), 16);
    }
}
