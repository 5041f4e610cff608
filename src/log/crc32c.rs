//! CRC-32C (Castagnoli), the checksum of a record batch.
//!
//! Kafka takes it over everything from the attributes to the end of the batch: what comes
//! before (base offset, length, leader epoch, magic) can be rewritten without touching it.
//! Source: `org.apache.kafka.common.utils.Crc32C`, `DefaultRecordBatch.computeChecksum`.

use crc::{CRC_32_ISCSI, Crc, Table};

/// Sixteen tables of 256 entries, 16 KiB in all: sixteen bytes a step. WebAssembly has no CRC
/// instruction, so tables are the fast way there.
static CRC32C: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&CRC_32_ISCSI);

/// The CRC-32C of `bytes`.
///
/// ```
/// assert_eq!(loglanes::log::crc32c::checksum(b"123456789"), 0xe306_9283);
/// ```
#[must_use]
#[inline]
pub fn checksum(bytes: &[u8]) -> u32 {
    CRC32C.checksum(bytes)
}

/// A CRC-32C over bytes that come in pieces.
///
/// ```
/// use loglanes::log::crc32c::{Crc32c, checksum};
/// let mut crc = Crc32c::new();
/// crc.update(b"1234");
/// crc.update(b"56789");
/// assert_eq!(crc.finish(), checksum(b"123456789"));
/// ```
#[derive(Clone)]
pub struct Crc32c(crc::Digest<'static, u32, Table<16>>);

impl Crc32c {
    /// The CRC of no bytes yet.
    #[must_use]
    pub fn new() -> Self {
        Self(CRC32C.digest())
    }

    /// Goes on with `bytes`.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The CRC of all bytes so far.
    #[must_use]
    pub fn finish(self) -> u32 {
        self.0.finalize()
    }
}

impl Default for Crc32c {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// One bit at a time, straight from the polynomial.
    fn naive(bytes: &[u8]) -> u32 {
        let mut crc = u32::MAX;
        for &byte in bytes {
            crc ^= u32::from(byte);
            for _ in 0..8 {
                crc = if crc & 1 == 1 { (crc >> 1) ^ 0x82f6_3b78 } else { crc >> 1 };
            }
        }
        !crc
    }

    #[test]
    fn rfc_3720_s_examples_hold() {
        let ascending: Vec<u8> = (0..32).collect();
        for (bytes, crc) in [
            (&[][..], 0),
            (&[0; 32], 0x8a91_36aa),
            (&[0xff; 32], 0x62a8_ab43),
            (&ascending, 0x46dd_794e),
            (b"123456789", 0xe306_9283),
        ] {
            assert_eq!(checksum(bytes), crc, "{bytes:x?}");
        }
    }

    proptest! {
        #[test]
        fn pieces_give_the_crc_of_the_whole(bytes: Vec<u8>, cut: prop::sample::Index) {
            let (a, b) = bytes.split_at(cut.index(bytes.len() + 1));
            let mut crc = Crc32c::new();
            crc.update(a);
            crc.update(b);
            prop_assert_eq!(crc.finish(), naive(&bytes));
            prop_assert_eq!(checksum(&bytes), naive(&bytes));
        }
    }
}
