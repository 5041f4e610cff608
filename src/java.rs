//! Three things of the Java platform that Kafka's answers depend on.
//!
//! A Java producer walks its partitions in the order of a `HashMap`, a controller places replicas
//! with a `java.util.Random`, tools print topics in the order of their hash codes. To give the
//! same answers Loglanes needs the same hash code, the same map order and the same generator;
//! all three are fixed by the Java class library's own documentation and have not changed since
//! Java 8.
//!
//! Sources: the documentation of `java.lang.String.hashCode`, `java.util.HashMap`,
//! `java.util.Random` and `java.util.Collections.shuffle`; `org.apache.kafka.common.TopicPartition`.

use serde::{Deserialize, Serialize};

/// `String.hashCode()`: `31 * h + unit` over the UTF-16 code units, wrapping in 32 bits.
///
/// ```
/// use loglanes::java::string_hash_code;
///
/// assert_eq!(string_hash_code("orders"), -1_008_770_331);
/// assert_eq!(string_hash_code(""), 0);
/// ```
#[must_use]
pub fn string_hash_code(text: &str) -> i32 {
    text.encode_utf16()
        .fold(0_i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))
}

/// `TopicPartition.hashCode()` of Kafka: the partition first, then the topic.
///
/// ```
/// use loglanes::java::{string_hash_code, topic_partition_hash_code};
///
/// let topic = string_hash_code("t");
/// assert_eq!(topic_partition_hash_code("t", 2), 31 * (31 + 2) + topic);
/// ```
#[must_use]
pub fn topic_partition_hash_code(topic: &str, partition: u32) -> i32 {
    topic_partition_hash_of(string_hash_code(topic), partition)
}

/// As [`topic_partition_hash_code`], where the topic's own hash code is known already.
pub(crate) fn topic_partition_hash_of(topic_hash: i32, partition: u32) -> i32 {
    (partition as i32).wrapping_add(31).wrapping_mul(31).wrapping_add(topic_hash)
}

/// The number of buckets of a `HashMap` that was made for `entries` entries: the least power of
/// two that is not below it, doubled where more than three quarters would be in use.
///
/// This is `new HashMap<>(entries)` after `entries` puts. For a map made without a size use
/// [`grown_capacity`].
///
/// ```
/// use loglanes::java::sized_capacity;
///
/// assert_eq!([1, 3, 6, 7, 12, 13].map(sized_capacity), [2, 4, 8, 16, 16, 32]);
/// ```
#[must_use]
pub fn sized_capacity(entries: usize) -> usize {
    let least = entries.clamp(1, MAX_CAPACITY).next_power_of_two();
    if entries > least / 4 * 3 + least % 4 * 3 / 4 { (least * 2).min(MAX_CAPACITY) } else { least }
}

/// The number of buckets of a `new HashMap<>()` after `entries` puts: 16, doubled as long as more
/// than three quarters are in use.
///
/// ```
/// use loglanes::java::grown_capacity;
///
/// assert_eq!([0, 12, 13, 24, 25].map(grown_capacity), [16, 16, 32, 32, 64]);
/// ```
#[must_use]
pub fn grown_capacity(entries: usize) -> usize {
    let mut capacity = 16;
    while capacity < MAX_CAPACITY && entries > capacity / 4 * 3 {
        capacity *= 2;
    }
    capacity
}

/// A `HashMap` never has more buckets than this.
const MAX_CAPACITY: usize = 1 << 30;

/// The order in which a `HashMap` of `capacity` buckets iterates over entries with these hash
/// codes, given in the order they were put in: the positions in `hash_codes`, by bucket, and
/// within a bucket as they came.
///
/// `capacity` is a power of two, from [`sized_capacity`] or [`grown_capacity`]. Buckets that have
/// grown into trees, with more than eight entries in one of them, are not modelled.
///
/// ```
/// use loglanes::java::{grown_capacity, hash_map_order, string_hash_code};
///
/// let topics = ["orders", "clicks", "payments"];
/// let hashes = topics.map(string_hash_code);
/// let order = hash_map_order(&hashes, grown_capacity(topics.len()));
/// assert_eq!(order.len(), 3);
/// ```
#[must_use]
pub fn hash_map_order(hash_codes: &[i32], capacity: usize) -> Vec<usize> {
    let mask = capacity.clamp(1, MAX_CAPACITY).next_power_of_two() - 1;
    let mut order: Vec<usize> = (0..hash_codes.len()).collect();
    order.sort_by_key(|&at| {
        let hash = hash_codes.get(at).copied().unwrap_or_default() as u32;
        (hash ^ (hash >> 16)) as usize & mask
    });
    order
}

/// `Collections.shuffle`: from the last element down to the second, each changes places with one
/// drawn from those up to and including itself.
///
/// `draw(bound)` answers a number of `0..bound`; one outside is brought back by the remainder.
///
/// ```
/// use loglanes::java::{Random, shuffle};
///
/// let mut brokers = [1, 2, 3];
/// let mut random = Random::new(7);
/// shuffle(&mut brokers, &mut |bound| random.next_int_below(bound));
/// brokers.sort();
/// assert_eq!(brokers, [1, 2, 3]);
/// ```
pub fn shuffle<T>(list: &mut [T], draw: &mut impl FnMut(i32) -> i32) {
    for size in (2..=list.len()).rev() {
        list.swap(size - 1, draw_index(size, draw));
    }
}

/// One draw as an index that is sure to be below `size`; 0 where `size` is 0.
pub(crate) fn draw_index(size: usize, draw: &mut impl FnMut(i32) -> i32) -> usize {
    let bound = i32::try_from(size).unwrap_or(i32::MAX);
    draw(bound).rem_euclid(bound.max(1)) as usize
}

/// `java.util.Random`: the 48-bit linear congruential generator, number for number.
///
/// Its whole state is one number, so it can be kept in a snapshot and go on from there.
///
/// ```
/// use loglanes::java::Random;
///
/// let mut random = Random::new(42);
/// assert_eq!(random.next_int(), -1_170_105_035);
/// assert_eq!(random.next_int(), 234_785_527);
///
/// let mut again = Random::from_state(random.state());
/// assert_eq!(again.next_int_below(6), random.next_int_below(6));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Random {
    state: u64,
}

impl Random {
    const MULTIPLIER: u64 = 0x5_DEEC_E66D;
    const INCREMENT: u64 = 0xB;
    const MASK: u64 = (1 << 48) - 1;

    /// `new Random(seed)`: the seed is scrambled first, so only its low 48 bits count.
    #[must_use]
    pub const fn new(seed: i64) -> Self {
        Self { state: (seed as u64 ^ Self::MULTIPLIER) & Self::MASK }
    }

    /// A generator that goes on from a [`state`](Self::state); bits above the 48th are dropped.
    #[must_use]
    pub const fn from_state(state: u64) -> Self {
        Self { state: state & Self::MASK }
    }

    /// The 48 bits that decide every number to come.
    #[must_use]
    pub const fn state(&self) -> u64 {
        self.state
    }

    fn next(&mut self, bits: u32) -> i32 {
        let product = self.state.wrapping_mul(Self::MULTIPLIER);
        self.state = product.wrapping_add(Self::INCREMENT) & Self::MASK;
        (self.state >> (48 - bits)) as i32
    }

    /// `nextInt()`: any of the 2^32 values.
    pub fn next_int(&mut self) -> i32 {
        self.next(32)
    }

    /// `nextInt(bound)`: a value of `0..bound`.
    ///
    /// Java refuses a bound below 1; here the answer is then 0 and nothing is drawn.
    ///
    /// ```
    /// use loglanes::java::Random;
    ///
    /// let mut random = Random::new(0);
    /// assert_eq!([3, 1, 10].map(|bound| random.next_int_below(bound)), [0, 0, 9]);
    /// assert_eq!(random.next_int_below(0), 0);
    /// ```
    pub fn next_int_below(&mut self, bound: i32) -> i32 {
        if bound < 1 {
            return 0;
        }
        let mut bits = self.next(31);
        if bound & (bound - 1) == 0 {
            return ((i64::from(bound) * i64::from(bits)) >> 31) as i32;
        }
        loop {
            let value = bits % bound;
            // Bits from the last, incomplete run of `bound` values would favour the low ones.
            if bits.checked_add(bound - 1 - value).is_some() {
                return value;
            }
            bits = self.next(31);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_code_counts_utf16_units_not_characters() {
        // A character beyond the basic plane is two units, 0xD83D and 0xDE00.
        assert_eq!(string_hash_code("\u{1F600}"), 31 * 0xD83D + 0xDE00);
        assert_eq!(string_hash_code("é"), 0xE9);
    }

    #[test]
    fn a_hash_code_wraps_as_java_does() {
        // Known from Java: this text has the hash code Integer.MIN_VALUE.
        assert_eq!(string_hash_code("polygenelubricants"), i32::MIN);
        assert_eq!(string_hash_code("Aa"), string_hash_code("BB"));
    }

    #[test]
    fn entries_of_one_bucket_stay_in_the_order_they_came() {
        assert_eq!(hash_map_order(&[16, 1, 0, 32], 16), [0, 2, 3, 1]);
        assert_eq!(hash_map_order(&[16, 1, 0, 32], 32), [2, 3, 1, 0]);
    }

    #[test]
    fn the_high_bits_of_a_hash_code_take_part() {
        assert_eq!(hash_map_order(&[0x1_0000, 0], 16), [1, 0]);
        assert_eq!(hash_map_order(&[-1, 0], 16), [0, 1], "all ones fold to bucket 0");
    }

    #[test]
    fn capacities_double_above_three_quarters() {
        let naive = |entries: usize| {
            let mut least = 1;
            while least < entries {
                least *= 2;
            }
            if entries as f64 > least as f64 * 0.75 { least * 2 } else { least }
        };
        for entries in 1..5_000 {
            assert_eq!(sized_capacity(entries), naive(entries), "{entries} entries");
        }
    }

    #[test]
    fn a_generator_restored_from_its_state_draws_the_same_numbers() {
        let mut random = Random::new(-7);
        random.next_int();
        let mut again = Random::from_state(random.state());
        for bound in 1..200 {
            assert_eq!(random.next_int_below(bound), again.next_int_below(bound));
        }
    }

    #[test]
    fn a_draw_is_below_its_bound_for_every_size_of_bound() {
        let mut random = Random::new(1);
        for bound in [1, 2, 3, 1 << 20, (1 << 30) + 1, i32::MAX] {
            for _ in 0..50 {
                assert!((0..bound).contains(&random.next_int_below(bound)));
            }
        }
    }
}
