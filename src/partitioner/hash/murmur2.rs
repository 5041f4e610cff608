//! Kafka's 32-bit MurmurHash2.
//!
//! Source: `org.apache.kafka.common.utils.Utils.murmur2` (the constants, the order of steps).

const SEED: u32 = 0x9747_b28c;
const MULTIPLIER: u32 = 0x5bd1_e995;

/// `Utils.murmur2`: the hash behind every keyed record of a Java producer.
///
/// Four bytes are taken at a time, lowest first; all arithmetic wraps in 32 bits.
///
/// ```
/// use loglanes::partitioner::murmur2;
///
/// assert_eq!(murmur2(b"foobar"), -790_332_482);
/// assert_eq!(murmur2(b""), 275_646_681);
/// ```
#[must_use]
pub fn murmur2(bytes: &[u8]) -> i32 {
    let mut hash = SEED ^ bytes.len() as u32;

    let (words, tail) = bytes.as_chunks::<4>();
    for &word in words {
        let mut word = u32::from_le_bytes(word).wrapping_mul(MULTIPLIER);
        word ^= word >> 24;
        hash = hash.wrapping_mul(MULTIPLIER) ^ word.wrapping_mul(MULTIPLIER);
    }
    if !tail.is_empty() {
        for (place, &byte) in tail.iter().enumerate() {
            hash ^= u32::from(byte) << (8 * place);
        }
        hash = hash.wrapping_mul(MULTIPLIER);
    }

    hash ^= hash >> 13;
    hash = hash.wrapping_mul(MULTIPLIER);
    (hash ^ (hash >> 15)) as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The hash a second time, byte by byte, with 64-bit numbers cut back after every step.
    fn naive(bytes: &[u8]) -> i32 {
        const LOW: u64 = 0xffff_ffff;
        let mut hash = u64::from(SEED) ^ bytes.len() as u64;
        let full = bytes.len() / 4 * 4;
        for start in (0..full).step_by(4) {
            let mut word = 0;
            for place in 0..4 {
                word += u64::from(bytes[start + place]) << (8 * place);
            }
            word = (word * u64::from(MULTIPLIER)) & LOW;
            word ^= word >> 24;
            word = (word * u64::from(MULTIPLIER)) & LOW;
            hash = (hash * u64::from(MULTIPLIER)) & LOW;
            hash ^= word;
        }
        let left = bytes.len() - full;
        if left == 3 {
            hash ^= u64::from(bytes[full + 2]) << 16;
        }
        if left >= 2 {
            hash ^= u64::from(bytes[full + 1]) << 8;
        }
        if left >= 1 {
            hash ^= u64::from(bytes[full]);
            hash = (hash * u64::from(MULTIPLIER)) & LOW;
        }
        hash ^= hash >> 13;
        hash = (hash * u64::from(MULTIPLIER)) & LOW;
        hash ^= hash >> 15;
        hash as u32 as i32
    }

    #[test]
    fn the_values_of_kafkas_own_unit_test_hold() {
        // clients/src/test/java/org/apache/kafka/common/utils/UtilsTest.java
        for (key, hash) in [
            ("21", -973_932_308),
            ("foobar", -790_332_482),
            ("a-little-bit-long-string", -985_981_536),
            ("a-little-bit-longer-string", -1_486_304_829),
            ("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58_897_971),
            ("abc", 479_470_107),
        ] {
            assert_eq!(murmur2(key.as_bytes()), hash, "{key}");
        }
    }

    #[test]
    fn the_values_of_librdkafkas_unit_test_hold() {
        // src/rdmurmur2.c
        let long = "PreAmbleWillBeRemoved,ThePrePartThatIs";
        for (key, hash) in [
            ("kafka", 0xd067_cf64_u32),
            ("giberish123456789", 0x8f55_2b0c),
            ("1234", 0x9fc9_7b14),
            ("234", 0xe7c0_09ca),
            ("34", 0x8739_30da),
            ("4", 0x5a4b_5ca1),
            (long, 0x7842_4f1c),
            (&long[1..], 0x4a62_b377),
            (&long[2..], 0xe0e4_e09e),
            (&long[3..], 0x62b8_b43f),
            ("", 0x106e_08d9),
        ] {
            assert_eq!(murmur2(key.as_bytes()) as u32, hash, "{key}");
        }
    }

    #[test]
    fn the_values_of_kafkajs_unit_test_hold() {
        // src/producer/partitioners/default/murmur2.spec.js
        for (key, hash) in [
            ("0", 971_027_396),
            ("1", -1_993_445_489),
            ("128", -326_012_175),
            ("2187", -1_508_407_203),
            ("16384", -325_739_742),
            ("78125", -1_654_490_814),
            ("100:48069", 1_009_543_857),
            ("10000000", -1_830_336_757),
        ] {
            assert_eq!(murmur2(key.as_bytes()), hash, "{key}");
        }
    }

    proptest! {
        #[test]
        fn it_is_the_naive_hash_at_every_length(bytes in proptest::collection::vec(any::<u8>(), 0..70)) {
            prop_assert_eq!(murmur2(&bytes), naive(&bytes));
        }
    }
}
