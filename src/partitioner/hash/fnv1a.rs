//! 32-bit FNV-1a, the hash of Sarama and of segmentio's kafka-go.
//!
//! Source: the published FNV parameters; librdkafka's `src/rdfnv1a.c` for the values below.

/// 32-bit FNV-1a.
///
/// ```
/// use loglanes::partitioner::fnv1a32;
///
/// assert_eq!(fnv1a32(b""), 0x811c_9dc5);
/// assert_eq!(fnv1a32(b"foobar"), 0xbf9c_f968);
/// ```
#[must_use]
pub fn fnv1a32(bytes: &[u8]) -> u32 {
    const OFFSET_BASIS: u32 = 0x811c_9dc5;
    const PRIME: u32 = 0x0100_0193;
    bytes.iter().fold(OFFSET_BASIS, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_values_of_librdkafkas_unit_test_hold() {
        // src/rdfnv1a.c and tests/0048-partitioner.c give the absolute value of the signed hash.
        for (key, absolute) in [
            ("", 0x7ee3_623b),
            ("kafka", 0x0d33_c4e1),
            ("giberish123456789", 0x77a5_8295),
            ("1234", 0x023b_dd03),
            ("234", 0x2dea_3cd2),
            ("34", 0x740f_a83e),
            ("4", 0x310c_a263),
            ("23456", 0x27e6_f469),
            ("this is another string with more length to it perhaps", 0x155e_3e5f),
            ("hejsan", 0x17b1_e27a),
        ] {
            assert_eq!((fnv1a32(key.as_bytes()) as i32).unsigned_abs(), absolute, "{key}");
        }
    }
}
