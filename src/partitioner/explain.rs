//! The arithmetic from key bytes to a partition, as data that a page can print.

use serde::{Deserialize, Serialize};

use super::{HashFamily, SignRule};

/// How a key came to its partition: every number on the way.
///
/// ```
/// use loglanes::partitioner::KeyArithmetic;
///
/// let sum = KeyArithmetic::java(b"foobar", 10);
/// assert_eq!((sum.hash, sum.masked, sum.partition), (-790_332_482, 1_357_151_166, 6));
/// assert_eq!(
///     sum.to_string(),
///     "murmur2(6 bytes) = -790332482, & 0x7fffffff = 1357151166, % 10 = 6"
/// );
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyArithmetic {
    /// The hash function and what becomes of its sign.
    pub family: HashFamily,
    /// How many bytes the key has.
    pub key_length: usize,
    /// The hash, as a signed number.
    pub hash: i32,
    /// The number that is divided: for Java, `hash & 0x7fffffff`.
    pub masked: u32,
    /// The number of partitions it is divided by, at least 1.
    pub partitions: u32,
    /// The remainder: the partition.
    pub partition: u32,
}

/// One step of a [`KeyArithmetic`]: what is done, and what comes of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// What is done, such as `murmur2(6 bytes)`, `& 0x7fffffff` or `% 10`.
    pub operation: String,
    /// What comes of it.
    pub result: i64,
}

impl KeyArithmetic {
    /// The arithmetic of one family; `partitions` of 0 is taken as 1.
    ///
    /// ```
    /// use loglanes::partitioner::{HashFamily, KeyArithmetic, KeyHash, SignRule};
    ///
    /// let family = HashFamily { hash: KeyHash::Crc32, sign: SignRule::Unsigned };
    /// let sum = KeyArithmetic::of(family, b"order-1007", 12);
    /// assert_eq!(sum.partition, family.partition(b"order-1007", 12));
    /// ```
    #[must_use]
    pub fn of(family: HashFamily, key: &[u8], partitions: u32) -> Self {
        let hash = family.hash.of(key);
        let masked = family.sign.apply(hash);
        let partitions = partitions.max(1);
        let partition = masked % partitions;
        Self { family, key_length: key.len(), hash, masked, partitions, partition }
    }

    /// The arithmetic of Kafka's Java client.
    #[must_use]
    pub fn java(key: &[u8], partitions: u32) -> Self {
        Self::of(HashFamily::JAVA, key, partitions)
    }

    /// The three steps: the hash, its sign taken away, the remainder.
    ///
    /// ```
    /// use loglanes::partitioner::KeyArithmetic;
    ///
    /// let steps = KeyArithmetic::java(b"", 6).steps();
    /// assert_eq!(steps.map(|step| step.result), [275_646_681, 275_646_681, 3]);
    /// ```
    #[must_use]
    pub fn steps(&self) -> [Step; 3] {
        let hash = self.family.hash.name();
        let unit = if self.key_length == 1 { "byte" } else { "bytes" };
        let sign = match self.family.sign {
            SignRule::Mask => "& 0x7fffffff",
            SignRule::Absolute => "absolute",
            SignRule::Unsigned => "unsigned",
        };
        [
            Step {
                operation: format!("{hash}({} {unit})", self.key_length),
                result: i64::from(self.hash),
            },
            Step { operation: sign.to_owned(), result: i64::from(self.masked) },
            Step { operation: format!("% {}", self.partitions), result: i64::from(self.partition) },
        ]
    }
}

impl std::fmt::Display for KeyArithmetic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [hash, sign, remainder] = self.steps();
        write!(f, "{} = {}", hash.operation, hash.result)?;
        write!(f, ", {} = {}", sign.operation, sign.result)?;
        write!(f, ", {} = {}", remainder.operation, remainder.result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partitioner::KeyHash;

    #[test]
    fn one_byte_is_not_one_bytes() {
        let text = KeyArithmetic::java(b"a", 3).to_string();
        assert!(text.starts_with("murmur2(1 byte) = "), "{text}");
    }

    #[test]
    fn an_unsigned_hash_is_shown_whole() {
        let family = HashFamily { hash: KeyHash::Crc32, sign: SignRule::Unsigned };
        let sum = KeyArithmetic::of(family, b"123456789", 10);
        assert_eq!(sum.masked, 0xcbf4_3926);
        assert_eq!(sum.steps()[1].result, 0xcbf4_3926);
    }
}
