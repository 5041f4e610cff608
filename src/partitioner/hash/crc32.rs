//! CRC-32, the hash of librdkafka's default partitioner.
//!
//! This is the CRC of zip files (IEEE 802.3), not the CRC-32C inside record batches.

use crc::{CRC_32_ISO_HDLC, Crc};

const CRC32: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);

/// CRC-32 (IEEE).
///
/// ```
/// use loglanes::partitioner::crc32;
///
/// assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
/// assert_eq!(crc32(b""), 0);
/// ```
#[must_use]
pub fn crc32(bytes: &[u8]) -> u32 {
    CRC32.checksum(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_values_of_librdkafkas_partitioner_test_hold() {
        // tests/0048-partitioner.c
        for (key, hash) in [
            ("", 0),
            ("23456", 0xb1b4_51d7),
            ("this is another string with more length to it perhaps", 0xb015_0df7),
            ("hejsan", 0xd077_037e),
        ] {
            assert_eq!(crc32(key.as_bytes()), hash, "{key}");
        }
    }
}
