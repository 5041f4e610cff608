//! What KafkaJS before version 2.0 took for murmur2.
//!
//! It meant to be Kafka's hash and is not, for two reasons that have to be copied to get its
//! answers. JavaScript multiplies in doubles, so a product of two 32-bit numbers loses its low
//! bits before it is cut back to 32; and the loop over whole words also runs once for a part of
//! a word at the end, whose missing bytes count as zeros. KafkaJS still ships it as
//! `LegacyPartitioner`, for topics that were filled by it.
//!
//! Source: the behaviour of kafkajs 2.2.4, `src/producer/partitioners`, as recorded in
//! `tests/golden/placement/clients.ndjson`.

const SEED: i32 = 0x9747_b28c_u32 as i32;
const MULTIPLIER: f64 = 0x5bd1_e995 as f64;

/// JavaScript's `ToInt32`, for the doubles that occur here (whole, below 2^63).
fn to_int32(double: f64) -> i32 {
    double as i64 as i32
}

/// JavaScript's `>>>` on a number that was cut to 32 bits.
fn shift_right(number: i32, bits: u32) -> i32 {
    (number as u32 >> bits) as i32
}

/// The hash behind KafkaJS's `LegacyPartitioner`, its default before 2.0.
///
/// ```
/// use loglanes::partitioner::{kafkajs_legacy_murmur2, murmur2};
///
/// assert_eq!(kafkajs_legacy_murmur2(b"128"), 2_053_105_854);
/// assert_ne!(kafkajs_legacy_murmur2(b"128"), murmur2(b"128"));
/// ```
#[must_use]
pub fn kafkajs_legacy_murmur2(bytes: &[u8]) -> i32 {
    let mut hash = SEED ^ bytes.len() as i32;

    for chunk in bytes.chunks(4) {
        let mut word = [0; 4];
        word[..chunk.len()].copy_from_slice(chunk);
        let mixed = to_int32(f64::from(i32::from_le_bytes(word)) * MULTIPLIER);
        let mixed = f64::from(mixed ^ shift_right(mixed, 24)) * MULTIPLIER;
        hash = to_int32(f64::from(hash) * MULTIPLIER) ^ to_int32(mixed);
    }
    let (_, tail) = bytes.as_chunks::<4>();
    if !tail.is_empty() {
        for (place, &byte) in tail.iter().enumerate() {
            hash ^= i32::from(byte) << (8 * place);
        }
        hash = to_int32(f64::from(hash) * MULTIPLIER);
    }

    hash ^= shift_right(hash, 13);
    hash = to_int32(f64::from(hash) * MULTIPLIER);
    hash ^ shift_right(hash, 15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_values_of_kafkajs_legacy_unit_test_hold() {
        // src/producer/partitioners/legacy/murmur2.spec.js
        for (key, hash) in [
            ("0", 272_173_970),
            ("1", 1_311_020_360),
            ("128", 2_053_105_854),
            ("2187", -2_081_355_488),
        ] {
            assert_eq!(kafkajs_legacy_murmur2(key.as_bytes()), hash, "{key}");
        }
    }
}
