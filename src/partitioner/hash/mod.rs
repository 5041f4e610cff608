//! The hash functions that clients put key bytes through, and how each hash becomes a partition.

mod crc32;
mod fnv1a;
mod kafkajs_legacy;
mod murmur2;

pub use crc32::crc32;
pub use fnv1a::fnv1a32;
pub use kafkajs_legacy::kafkajs_legacy_murmur2;
pub use murmur2::murmur2;

use serde::{Deserialize, Serialize};

/// Kafka's `Utils.toPositive`: the sign bit is cleared. This is not the absolute value.
///
/// ```
/// use loglanes::partitioner::to_positive;
///
/// assert_eq!(to_positive(-1), i32::MAX);
/// assert_eq!(to_positive(i32::MIN), 0);
/// ```
#[must_use]
pub const fn to_positive(number: i32) -> i32 {
    number & i32::MAX
}

/// A hash function of key bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyHash {
    /// 32-bit MurmurHash2 with Kafka's seed: see [`murmur2`].
    Murmur2,
    /// 32-bit FNV-1a: see [`fnv1a32`].
    Fnv1a,
    /// CRC-32 as in zip files: see [`crc32`].
    Crc32,
    /// What KafkaJS before 2.0 computed instead of murmur2: see [`kafkajs_legacy_murmur2`].
    KafkajsLegacyMurmur2,
}

impl KeyHash {
    /// Its name, for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Murmur2 => "murmur2",
            Self::Fnv1a => "fnv1a",
            Self::Crc32 => "crc32",
            Self::KafkajsLegacyMurmur2 => "kafkajs legacy murmur2",
        }
    }

    /// The hash of a key, as a signed number.
    ///
    /// ```
    /// use loglanes::partitioner::KeyHash;
    ///
    /// assert_eq!(KeyHash::Murmur2.of(b"foobar"), -790_332_482);
    /// ```
    #[must_use]
    pub fn of(self, key: &[u8]) -> i32 {
        match self {
            Self::Murmur2 => murmur2(key),
            Self::Fnv1a => fnv1a32(key) as i32,
            Self::Crc32 => crc32(key) as i32,
            Self::KafkajsLegacyMurmur2 => kafkajs_legacy_murmur2(key),
        }
    }
}

/// How a client makes a signed hash fit for a remainder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignRule {
    /// The sign bit is cleared: `hash & 0x7fffffff`.
    Mask,
    /// The absolute value: `|hash|`.
    Absolute,
    /// The 32 bits are read as an unsigned number.
    Unsigned,
}

impl SignRule {
    /// The number that is divided by the number of partitions.
    ///
    /// ```
    /// use loglanes::partitioner::SignRule;
    ///
    /// assert_eq!(SignRule::Mask.apply(-2), 0x7fff_fffe);
    /// assert_eq!(SignRule::Absolute.apply(-2), 2);
    /// assert_eq!(SignRule::Unsigned.apply(-2), 0xffff_fffe);
    /// ```
    #[must_use]
    pub const fn apply(self, hash: i32) -> u32 {
        match self {
            Self::Mask => to_positive(hash) as u32,
            Self::Absolute => hash.unsigned_abs(),
            Self::Unsigned => hash as u32,
        }
    }
}

/// A hash and a sign rule: clients of one family put every key on the same partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HashFamily {
    /// The hash function.
    pub hash: KeyHash,
    /// What becomes of a negative hash.
    pub sign: SignRule,
}

impl HashFamily {
    /// Kafka's own rule, which most clients follow or can be told to follow.
    pub const JAVA: Self = Self { hash: KeyHash::Murmur2, sign: SignRule::Mask };

    /// The partition of a key; `partitions` of 0 is taken as 1.
    ///
    /// ```
    /// use loglanes::partitioner::{HashFamily, KeyHash, SignRule};
    ///
    /// let librdkafka = HashFamily { hash: KeyHash::Crc32, sign: SignRule::Unsigned };
    /// assert_eq!(HashFamily::JAVA.partition(b"order-1007", 12), 6);
    /// assert_eq!(librdkafka.partition(b"order-1007", 12), 0);
    /// ```
    #[must_use]
    pub fn partition(self, key: &[u8], partitions: u32) -> u32 {
        self.sign.apply(self.hash.of(key)) % partitions.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_rules_agree_only_where_the_hash_is_not_negative() {
        let rules = [SignRule::Mask, SignRule::Absolute, SignRule::Unsigned];
        assert_eq!(rules.map(|rule| rule.apply(5)), [5; 3]);
        assert_eq!(rules.map(|rule| rule.apply(i32::MIN)), [0, 1 << 31, 1 << 31]);
    }

    #[test]
    fn no_partitions_is_no_division_by_zero() {
        assert_eq!(HashFamily::JAVA.partition(b"foobar", 0), 0);
    }
}
