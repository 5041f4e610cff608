//! Kafka's variable-length integers: zigzag, then seven bits a byte, low bits first.
//!
//! Source: `org.apache.kafka.common.utils.ByteUtils` (`readVarint`, `writeVarint` and their long
//! forms). As there, a form longer than it needs to be is read, and bits that would not fit the
//! last byte are dropped; only a fifth (tenth) byte that promises more is refused.

use std::fmt;

/// The most bytes an `i32` takes.
pub const MAX_I32_LEN: usize = 5;
/// The most bytes an `i64` takes.
pub const MAX_I64_LEN: usize = 10;

/// Why no number could be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VarintError {
    /// The bytes end inside the number.
    Truncated,
    /// The last byte allowed still says that more follow.
    TooLong,
}

impl fmt::Display for VarintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Truncated => "the bytes end inside a varint",
            Self::TooLong => "a varint is too long",
        })
    }
}

impl std::error::Error for VarintError {}

#[inline]
const fn zigzag_i32(value: i32) -> u32 {
    ((value << 1) ^ (value >> 31)).cast_unsigned()
}

#[inline]
const fn zigzag_i64(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

/// How many bytes `value` takes, 1 to [`MAX_I32_LEN`].
///
/// ```
/// use loglanes::log::varint;
/// assert_eq!(varint::len_i32(63), 1);
/// assert_eq!(varint::len_i32(64), 2);
/// ```
#[must_use]
#[inline]
pub const fn len_i32(value: i32) -> usize {
    len_u64(zigzag_i32(value) as u64)
}

/// How many bytes `value` takes, 1 to [`MAX_I64_LEN`].
///
/// ```
/// use loglanes::log::varint;
/// assert_eq!(varint::len_i64(-1), 1);
/// assert_eq!(varint::len_i64(i64::MIN), 10);
/// ```
#[must_use]
#[inline]
pub const fn len_i64(value: i64) -> usize {
    len_u64(zigzag_i64(value))
}

#[inline]
const fn len_u64(raw: u64) -> usize {
    // One byte for each seven bits begun; zero still takes one.
    (70 - (raw | 1).leading_zeros() as usize) / 7
}

/// The size of [`Scratch`]: more than the longest prefix of a record, 26 bytes.
const SCRATCH_LEN: usize = 32;

/// A few varints put together on the stack, then copied out as one block of fixed size: a copy
/// of a size known beforehand is two instructions, any other is a call.
pub(crate) struct Scratch {
    bytes: [u8; SCRATCH_LEN],
    len: usize,
}

impl Scratch {
    #[inline]
    pub(crate) fn new() -> Self {
        Self { bytes: [0; SCRATCH_LEN], len: 0 }
    }

    #[inline]
    pub(crate) fn put_byte(&mut self, byte: u8) {
        // The mask changes no place in use; it spares the bounds check.
        self.bytes[self.len % SCRATCH_LEN] = byte;
        self.len += 1;
    }

    #[inline]
    fn put(&mut self, mut raw: u64) {
        while raw >= 0x80 {
            self.put_byte(raw as u8 | 0x80);
            raw >>= 7;
        }
        self.put_byte(raw as u8);
    }

    #[inline]
    pub(crate) fn put_i32(&mut self, value: i32) {
        self.put(u64::from(zigzag_i32(value)));
    }

    #[inline]
    pub(crate) fn put_i64(&mut self, value: i64) {
        self.put(zigzag_i64(value));
    }

    #[inline]
    pub(crate) fn copy_to(&self, out: &mut Vec<u8>) {
        let end = out.len() + self.len;
        out.extend_from_slice(&self.bytes);
        out.truncate(end);
    }
}

/// Appends `value` to `out`.
///
/// ```
/// use loglanes::log::varint;
/// let mut out = Vec::new();
/// varint::write_i32(&mut out, 100);
/// assert_eq!(out, [0xc8, 0x01]);
/// ```
#[inline]
pub fn write_i32(out: &mut Vec<u8>, value: i32) {
    let mut scratch = Scratch::new();
    scratch.put_i32(value);
    scratch.copy_to(out);
}

/// Appends `value` to `out`.
///
/// ```
/// use loglanes::log::varint;
/// let mut out = Vec::new();
/// varint::write_i64(&mut out, -1);
/// assert_eq!(out, [0x01]);
/// ```
#[inline]
pub fn write_i64(out: &mut Vec<u8>, value: i64) {
    let mut scratch = Scratch::new();
    scratch.put_i64(value);
    scratch.copy_to(out);
}

/// Reads an `i32` at `*position` and moves `position` behind it.
///
/// # Errors
/// [`VarintError`]; `position` then stays where it was.
///
/// ```
/// use loglanes::log::varint;
/// let mut at = 0;
/// assert_eq!(varint::read_i32(&[0xc8, 0x01, 0xff], &mut at), Ok(100));
/// assert_eq!(at, 2);
/// ```
#[inline]
pub fn read_i32(bytes: &[u8], position: &mut usize) -> Result<i32, VarintError> {
    let raw = read(bytes, position, MAX_I32_LEN)? as u32;
    Ok((raw >> 1).cast_signed() ^ -((raw & 1).cast_signed()))
}

/// Reads an `i64` at `*position` and moves `position` behind it.
///
/// # Errors
/// [`VarintError`]; `position` then stays where it was.
///
/// ```
/// use loglanes::log::varint;
/// let mut at = 0;
/// assert_eq!(varint::read_i64(&[0x01], &mut at), Ok(-1));
/// ```
#[inline]
pub fn read_i64(bytes: &[u8], position: &mut usize) -> Result<i64, VarintError> {
    let raw = read(bytes, position, MAX_I64_LEN)?;
    Ok((raw >> 1).cast_signed() ^ -((raw & 1).cast_signed()))
}

#[inline]
fn read(bytes: &[u8], position: &mut usize, max_len: usize) -> Result<u64, VarintError> {
    // Nearly all numbers in a batch take one or two bytes.
    match bytes.get(*position..).unwrap_or_default() {
        [a, ..] if *a < 0x80 => {
            *position += 1;
            Ok(u64::from(*a))
        }
        [a, b, ..] if *b < 0x80 => {
            *position += 2;
            Ok(u64::from(*a & 0x7f) | u64::from(*b) << 7)
        }
        rest => {
            let (raw, len) = read_long(rest, max_len)?;
            *position += len;
            Ok(raw)
        }
    }
}

fn read_long(rest: &[u8], max_len: usize) -> Result<(u64, usize), VarintError> {
    let mut raw = 0;
    for (index, &byte) in rest.iter().take(max_len).enumerate() {
        raw |= u64::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            return Ok((raw, index + 1));
        }
    }
    Err(if rest.len() < max_len { VarintError::Truncated } else { VarintError::TooLong })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn kafka_s_own_examples_hold() {
        for (value, bytes) in [
            (0, &[0x00][..]),
            (-1, &[0x01]),
            (1, &[0x02]),
            (63, &[0x7e]),
            (-64, &[0x7f]),
            (64, &[0x80, 0x01]),
            (100, &[0xc8, 0x01]),
            (8191, &[0xfe, 0x7f]),
            (-8192, &[0xff, 0x7f]),
            (8192, &[0x80, 0x80, 0x01]),
            (i32::MAX, &[0xfe, 0xff, 0xff, 0xff, 0x0f]),
            (i32::MIN, &[0xff, 0xff, 0xff, 0xff, 0x0f]),
        ] {
            let mut out = Vec::new();
            write_i32(&mut out, value);
            assert_eq!(out, bytes, "{value}");
            assert_eq!(len_i32(value), bytes.len(), "{value}");
            assert_eq!(read_i32(bytes, &mut 0), Ok(value));
            assert_eq!(read_i64(bytes, &mut 0), Ok(i64::from(value)));
        }
        let mut out = Vec::new();
        write_i64(&mut out, i64::MIN);
        assert_eq!(out, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]);
    }

    #[test]
    fn a_longer_form_than_needed_is_read() {
        let mut at = 0;
        assert_eq!(read_i32(&[0x98, 0x00], &mut at), Ok(12));
        assert_eq!(at, 2);
    }

    #[test]
    fn too_short_and_too_long_are_told_apart_and_move_nothing() {
        let mut at = 1;
        assert_eq!(read_i32(&[0x00], &mut at), Err(VarintError::Truncated));
        assert_eq!(read_i32(&[0x00], &mut usize::MAX.clone()), Err(VarintError::Truncated));
        assert_eq!(read_i32(&[0x00, 0x80, 0x80], &mut at), Err(VarintError::Truncated));
        assert_eq!(read_i32(&[0x80; 6], &mut at), Err(VarintError::TooLong));
        assert_eq!(read_i64(&[0x80; 10], &mut at), Err(VarintError::Truncated));
        assert_eq!(read_i64(&[0x80; 11], &mut at), Err(VarintError::TooLong));
        assert_eq!(at, 1);
    }

    proptest! {
        #[test]
        fn every_number_comes_back(a: i32, b: i64) {
            let mut out = Vec::new();
            write_i32(&mut out, a);
            prop_assert_eq!(out.len(), len_i32(a));
            write_i64(&mut out, b);
            prop_assert_eq!(out.len(), len_i32(a) + len_i64(b));
            let mut at = 0;
            prop_assert_eq!(read_i32(&out, &mut at), Ok(a));
            prop_assert_eq!(read_i64(&out, &mut at), Ok(b));
            prop_assert_eq!(at, out.len());
        }
    }
}
