//! Many records by a rule: record `i` depends on the seed and on `i` alone.
//!
//! So any part can be made again without the rest, and natively, in a browser and on the next
//! visit the same seed gives the same bytes. The randomness is [SplitMix64]'s `i`-th output. The
//! skew needs powers of whole numbers; they are made of multiplications and square roots alone,
//! which IEEE 754 rounds the same everywhere, and only whole numbers are drawn from.
//!
//! [SplitMix64]: https://doi.org/10.1145/2714064.2660195

use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// The most records one command makes.
pub const MAX_COUNT: u64 = 10_000_000;
/// The most different keys: one for every record.
pub const MAX_KEYS: u64 = MAX_COUNT;
/// The most different keys with a skew, which needs a table of 16 bytes a key.
pub const MAX_SKEWED_KEYS: u64 = 1_000_000;
/// The largest value, in bytes; with it a record still fits a default `max.message.bytes`.
pub const MAX_VALUE_BYTES: u64 = 1_000_000;
/// The steepest skew.
pub const MAX_SKEW: f64 = 10.0;
/// A skew is rounded to a multiple of 1 / `SKEW_STEPS`.
pub const SKEW_STEPS: u32 = 1024;
/// The largest seed: the largest whole number up to which JS numbers have no gaps.
pub const MAX_SEED: u64 = (1 << 53) - 1;

/// What to generate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GenerateSpec {
    /// How many records, 1 to [`MAX_COUNT`].
    pub count: u64,
    /// How many different keys, `key-1` to `key-n`, at most [`MAX_KEYS`] and with a skew
    /// [`MAX_SKEWED_KEYS`]; 0: no record has a key.
    pub keys: u64,
    /// Zipf's exponent, 0 to [`MAX_SKEW`]: `key-n` comes `1 / n^skew` as often as `key-1`. 0 is
    /// even, 1 the classic skew.
    #[serde(default)]
    pub skew: f64,
    /// The size of each value, 0 to [`MAX_VALUE_BYTES`].
    pub value_bytes: u64,
    /// 0 to [`MAX_SEED`].
    pub seed: u64,
    /// What the keys look like: `{}` stands for the number, from 1. None: `key-{}`. One key alone
    /// may do without the number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_pattern: Option<String>,
}

/// The longest pattern of keys, in bytes.
pub const MAX_KEY_PATTERN_BYTES: usize = 1_000;

/// Where the number stands in a pattern of keys.
pub const KEY_NUMBER: &str = "{}";

/// Makes the records of a [`GenerateSpec`].
///
/// ```
/// use loglanes::generate::{GenerateSpec, Generator};
///
/// let spec = GenerateSpec { count: 1000, keys: 50, skew: 1.0, value_bytes: 24, seed: 7, key_pattern: None };
/// let generator = Generator::new(&spec)?;
/// let (mut key, mut value) = (Vec::new(), Vec::new());
/// assert!(generator.record(41, &mut key, &mut value));
/// assert!(key.starts_with(b"key-"));
/// assert_eq!(value, b"record 41: abcdefghijklm");
/// # Ok::<(), loglanes::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Generator {
    start: u64,
    count: u64,
    keys: Keys,
    /// What stands before the number of a key, and, if there is a number, behind it.
    label: (Vec<u8>, Option<Vec<u8>>),
    filler: Vec<u8>,
}

#[derive(Debug, Clone)]
enum Keys {
    None,
    Even(u64),
    Skewed(AliasTable),
}

impl Generator {
    /// A generator for `spec`, with its table of keys if it has a skew.
    ///
    /// # Errors
    /// A limit's, named after its constant, for what is out of range.
    pub fn new(spec: &GenerateSpec) -> Result<Self> {
        within("MAX_COUNT", "count", 1, spec.count, MAX_COUNT)?;
        within("MAX_KEYS", "keys", 0, spec.keys, MAX_KEYS)?;
        within("MAX_VALUE_BYTES", "valueBytes", 0, spec.value_bytes, MAX_VALUE_BYTES)?;
        within("MAX_SEED", "seed", 0, spec.seed, MAX_SEED)?;
        if !(0.0..=MAX_SKEW).contains(&spec.skew) {
            let message = format!("skew is {}, and must be 0 to {MAX_SKEW}.", spec.skew);
            return Err(Error::limit("MAX_SKEW", message));
        }
        // In range, so the product is a small whole number.
        let skew_steps = (spec.skew * f64::from(SKEW_STEPS) + 0.5) as u32;
        let keys = match (spec.keys, skew_steps) {
            (0, _) => Keys::None,
            (keys, 0) => Keys::Even(keys),
            (keys, _) => {
                within("MAX_SKEWED_KEYS", "keys with a skew", 1, keys, MAX_SKEWED_KEYS)?;
                Keys::Skewed(AliasTable::new(&zipf_weights(keys, skew_steps)))
            }
        };
        let label = label(spec)?;
        let alphabet = b"abcdefghijklmnopqrstuvwxyz ".iter().copied().cycle();
        let filler = alphabet.take(usize::try_from(spec.value_bytes).unwrap_or(0)).collect();
        Ok(Self { start: mix(spec.seed), count: spec.count, keys, label, filler })
    }

    /// How many records there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Writes the key and the value of record `i`, counted from 0, in place of what the buffers
    /// hold, and answers whether it has a key. The value is never none; with `valueBytes` 0 it
    /// is empty.
    pub fn record(&self, i: u64, key: &mut Vec<u8>, value: &mut Vec<u8>) -> bool {
        key.clear();
        value.clear();
        push(value, b"record ", i);
        value.extend_from_slice(b": ");
        let head = value.len();
        if let Some(rest) = self.filler.len().checked_sub(head) {
            value.extend_from_slice(&self.filler[..rest]);
        } else {
            value.truncate(self.filler.len());
        }
        match self.key_number(i) {
            Some(number) => {
                let (before, behind) = &self.label;
                match behind {
                    Some(behind) => {
                        push(key, before, number);
                        key.extend_from_slice(behind);
                    }
                    None => key.extend_from_slice(before),
                }
            }
            None => return false,
        }
        true
    }

    /// The number of record `i`'s key, from 1.
    fn key_number(&self, i: u64) -> Option<u64> {
        let random = mix(self.start.wrapping_add(i.wrapping_add(1).wrapping_mul(GOLDEN)));
        match &self.keys {
            Keys::None => None,
            Keys::Even(keys) => Some(1 + below(random, *keys)),
            Keys::Skewed(table) => Some(1 + table.draw(random, mix(random ^ GOLDEN))),
        }
    }
}

/// What stands around the number of a key.
fn label(spec: &GenerateSpec) -> Result<(Vec<u8>, Option<Vec<u8>>)> {
    let pattern = spec.key_pattern.as_deref().unwrap_or("key-{}");
    if pattern.len() > MAX_KEY_PATTERN_BYTES {
        return Err(Error::limit(
            "MAX_KEY_PATTERN_BYTES",
            format!(
                "The keys' pattern has {} bytes, and may have {MAX_KEY_PATTERN_BYTES}.",
                pattern.len()
            ),
        )
        .with_hint("Choose a shorter one."));
    }
    match pattern.split_once(KEY_NUMBER) {
        Some((before, behind)) if !behind.contains(KEY_NUMBER) => {
            Ok((before.into(), Some(behind.into())))
        }
        None if spec.keys <= 1 => Ok((pattern.into(), None)),
        _ => {
            Err(Error::loglanes(format!("The keys' pattern {pattern:?} has not one {KEY_NUMBER}."))
                .with_hint("It stands once, for the number of the key: user_{}."))
        }
    }
}

fn within(limit: &'static str, what: &str, least: u64, value: u64, most: u64) -> Result {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(Error::limit(limit, format!("{what} is {value}, and must be {least} to {most}.")))
}

fn push(buffer: &mut Vec<u8>, label: &[u8], number: u64) {
    buffer.extend_from_slice(label);
    // By hand: this is done twice for each record, and `write!` takes longer than all else.
    let mut digits = [0; 20];
    let mut first = digits.len();
    let mut rest = number;
    loop {
        first -= 1;
        digits[first] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    buffer.extend_from_slice(&digits[first..]);
}

/// SplitMix64's step: 2^64 divided by the golden ratio, made odd.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// SplitMix64's output function, a bijection of 64 bits.
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Scales 64 random bits to `0..n`. No number is more likely than another by more than n / 2^64.
fn below(random: u64, n: u64) -> u64 {
    if n <= u64::from(u32::MAX) {
        // The same by halves, which is quicker where there is no product of 128 bits, as in wasm.
        return ((random >> 32) * n + (((random & 0xffff_ffff) * n) >> 32)) >> 32;
    }
    let product = u128::from(random) * u128::from(n);
    // The upper half of a product of two u64 fits.
    (product >> 64) as u64
}

/// `2^40 / n^s` for n from 1, rounded down: with a million keys the sum stays below 2^60.
fn zipf_weights(keys: u64, skew_steps: u32) -> Vec<u64> {
    const FIRST: f64 = (1_u64 << 40) as f64;
    // Weights are at most FIRST, and keys at most a million.
    (1..=keys).map(|n| (FIRST / power(n as f64, skew_steps)) as u64).collect()
}

/// `n` to the power of `steps` / [`SKEW_STEPS`], by squaring for the whole part and by square
/// roots for the rest.
fn power(n: f64, steps: u32) -> f64 {
    let mut result = 1.0;
    let (mut whole, mut square) = (steps / SKEW_STEPS, n);
    while whole > 0 {
        if whole & 1 == 1 {
            result *= square;
        }
        square *= square;
        whole >>= 1;
    }
    let (mut bit, mut root) = (SKEW_STEPS, n);
    while bit > 1 {
        bit >>= 1;
        root = root.sqrt();
        if steps & bit != 0 {
            result *= root;
        }
    }
    result
}

/// Draws from weighted numbers in constant time: Walker's alias method, in whole numbers and so
/// exact. Each column is as high as the sum of all weights; its lower part is its own number,
/// the rest another's.
#[derive(Debug, Clone)]
struct AliasTable {
    total: u64,
    columns: Vec<Column>,
}

/// Side by side, as a draw needs both.
#[derive(Debug, Clone, Copy)]
struct Column {
    own: u64,
    alias: u32,
}

impl AliasTable {
    /// Of at least one weight, the first of which is not 0.
    fn new(weights: &[u64]) -> Self {
        let n = weights.len() as u64;
        let total = weights.iter().sum();
        let mut columns: Vec<Column> =
            (0..).zip(weights).map(|(alias, weight)| Column { own: weight * n, alias }).collect();
        let (mut low, mut high): (Vec<u32>, Vec<u32>) = columns
            .iter()
            .map(|column| column.alias)
            .partition(|&at| weights[at as usize] * n < total);
        // All columns together are exactly full, so a low one always finds a high one.
        while let (Some(&giver), Some(taker)) = (high.last(), low.pop()) {
            let taken = &mut columns[taker as usize];
            taken.alias = giver;
            let missing = total - taken.own;
            let given = &mut columns[giver as usize];
            given.own -= missing;
            if given.own < total {
                high.pop();
                low.push(giver);
            }
        }
        Self { total, columns }
    }

    /// A number from 0, by 64 random bits for the column and as many for the height in it.
    fn draw(&self, column: u64, height: u64) -> u64 {
        let column = below(column, self.columns.len() as u64);
        // It is below the length, which came from a usize.
        let Column { own, alias } = self.columns[column as usize];
        if below(height, self.total) < own { column } else { u64::from(alias) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SPEC: GenerateSpec = GenerateSpec {
        count: 1000,
        keys: 100,
        skew: 1.0,
        value_bytes: 30,
        seed: 42,
        key_pattern: None,
    };

    fn record(spec: &GenerateSpec, i: u64) -> (Option<String>, Vec<u8>) {
        let (mut key, mut value) = (b"before".to_vec(), b"before".to_vec());
        let has_key = Generator::new(spec).unwrap().record(i, &mut key, &mut value);
        (has_key.then(|| String::from_utf8(key).unwrap()), value)
    }

    fn counts(spec: &GenerateSpec) -> Vec<u64> {
        let generator = Generator::new(spec).unwrap();
        let mut counts = vec![0; spec.keys as usize];
        for i in 0..spec.count {
            counts[generator.key_number(i).unwrap() as usize - 1] += 1;
        }
        counts
    }

    #[test]
    fn random_numbers_are_splitmix64s() {
        // The first outputs for seed 1234567, as published with the reference implementation.
        let outputs: Vec<u64> =
            (1..=3).map(|i: u64| mix(1_234_567_u64.wrapping_add(i.wrapping_mul(GOLDEN)))).collect();
        let want =
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!(outputs, want);
    }

    #[test]
    fn a_seed_gives_the_same_records_on_every_machine() {
        let keys: Vec<_> = (0..8).map(|i| record(&SPEC, i).0.unwrap()).collect();
        assert_eq!(keys, EXPECTED_SKEWED);
        let even = GenerateSpec { skew: 0.0, ..SPEC };
        let keys: Vec<_> = (0..8).map(|i| record(&even, i).0.unwrap()).collect();
        assert_eq!(keys, EXPECTED_EVEN);
        let steep = GenerateSpec { keys: MAX_SKEWED_KEYS, skew: 0.99, ..SPEC };
        let generator = Generator::new(&steep).unwrap();
        let sum = (0..100_000).fold(0, |sum, i| mix(sum ^ generator.key_number(i).unwrap()));
        assert_eq!(sum, 12_396_919_456_819_086_266);
    }

    const EXPECTED_SKEWED: [&str; 8] =
        ["key-60", "key-16", "key-16", "key-5", "key-14", "key-24", "key-1", "key-16"];
    const EXPECTED_EVEN: [&str; 8] =
        ["key-60", "key-17", "key-17", "key-5", "key-99", "key-24", "key-28", "key-16"];

    #[test]
    fn values_have_their_size_and_begin_with_the_number() {
        let value = |value_bytes, i| record(&GenerateSpec { value_bytes, ..SPEC }, i).1;
        assert_eq!(value(0, 3), b"");
        assert_eq!(value(4, 3), b"reco");
        assert_eq!(value(10, 3), b"record 3: ");
        assert_eq!(value(40, 12), b"record 12: abcdefghijklmnopqrstuvwxyz ab");
        assert_eq!(value(MAX_VALUE_BYTES, 0).len() as u64, MAX_VALUE_BYTES);
    }

    #[test]
    fn no_keys_means_no_record_has_a_key() {
        assert_eq!(record(&GenerateSpec { keys: 0, ..SPEC }, 5).0, None);
        assert_eq!(record(&GenerateSpec { keys: 1, ..SPEC }, 5).0.as_deref(), Some("key-1"));
    }

    #[test]
    fn without_skew_every_key_comes_about_equally_often() {
        let counts = counts(&GenerateSpec { count: 100_000, skew: 0.0, ..SPEC });
        // 1,000 each; the standard deviation is 32.
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
    }

    #[test]
    fn with_skew_one_key_n_comes_a_nth_as_often_as_the_first() {
        let counts = counts(&GenerateSpec { count: 500_000, ..SPEC });
        let first = counts[0] as f64;
        for n in [2, 3, 5, 10, 50] {
            let ratio = counts[n - 1] as f64 * n as f64 / first;
            assert!((0.9..1.1).contains(&ratio), "key-{n}: {ratio}");
        }
    }

    #[test]
    fn powers_are_right_to_fourteen_digits() {
        for (n, steps) in
            [(2, 1024), (3, 512), (10, 1), (1000, 1014), (1_000_000, 10_240), (7, 1023)]
        {
            let (n, exponent) = (f64::from(n), f64::from(steps) / 1024.0);
            let (got, want) = (power(n, steps as u32), n.powf(exponent));
            assert!((got / want - 1.0).abs() < 1e-14, "{n}^{exponent}: {got} is not {want}");
        }
    }

    #[test]
    fn limits_hold_at_their_edges_and_name_themselves() {
        let refused = |spec: GenerateSpec| Generator::new(&spec).err().map(|e| e.name());
        let table = [
            (GenerateSpec { count: 0, ..SPEC }, Some("MAX_COUNT")),
            (GenerateSpec { count: MAX_COUNT, ..SPEC }, None),
            (GenerateSpec { count: MAX_COUNT + 1, ..SPEC }, Some("MAX_COUNT")),
            (GenerateSpec { keys: MAX_KEYS, skew: 0.0, ..SPEC }, None),
            (GenerateSpec { keys: MAX_KEYS + 1, skew: 0.0, ..SPEC }, Some("MAX_KEYS")),
            (GenerateSpec { keys: MAX_SKEWED_KEYS, ..SPEC }, None),
            (GenerateSpec { keys: MAX_SKEWED_KEYS + 1, ..SPEC }, Some("MAX_SKEWED_KEYS")),
            (GenerateSpec { value_bytes: MAX_VALUE_BYTES, ..SPEC }, None),
            (GenerateSpec { value_bytes: MAX_VALUE_BYTES + 1, ..SPEC }, Some("MAX_VALUE_BYTES")),
            (GenerateSpec { seed: MAX_SEED, ..SPEC }, None),
            (GenerateSpec { seed: MAX_SEED + 1, ..SPEC }, Some("MAX_SEED")),
            (GenerateSpec { skew: MAX_SKEW, ..SPEC }, None),
            (GenerateSpec { skew: MAX_SKEW + 0.001, ..SPEC }, Some("MAX_SKEW")),
            (GenerateSpec { skew: -0.001, ..SPEC }, Some("MAX_SKEW")),
            (GenerateSpec { skew: f64::NAN, ..SPEC }, Some("MAX_SKEW")),
        ];
        for (spec, name) in table {
            assert_eq!(refused(spec.clone()), name, "{spec:?}");
        }
    }

    proptest! {
        #[test]
        fn scaling_by_halves_is_exact(random: u64, n: u32) {
            let whole = (u128::from(random) * u128::from(n)) >> 64;
            prop_assert_eq!(u128::from(below(random, n.into())), whole);
        }

        #[test]
        fn numbers_are_written_in_decimal(number: u64) {
            let mut buffer = Vec::new();
            push(&mut buffer, b"n", number);
            prop_assert_eq!(buffer, format!("n{number}").into_bytes());
        }

        /// Over all columns, each number has exactly its share of the heights.
        #[test]
        fn the_alias_table_is_exact(
            first in 1u64..1000,
            rest in proptest::collection::vec(0u64..1000, 0..40),
        ) {
            let weights: Vec<u64> = std::iter::once(first).chain(rest).collect();
            let table = AliasTable::new(&weights);
            let mut shares = vec![0; weights.len()];
            for (number, column) in table.columns.iter().enumerate() {
                prop_assert!(column.own <= table.total);
                shares[number] += column.own;
                shares[column.alias as usize] += table.total - column.own;
            }
            let want: Vec<u64> = weights.iter().map(|w| w * weights.len() as u64).collect();
            prop_assert_eq!(shares, want);
        }

        #[test]
        fn keys_stay_in_range(seed in 0..=MAX_SEED, i: u64, keys in 1u64..2000, skew in 0.0..3.0) {
            let spec = GenerateSpec { keys, skew, seed, ..SPEC };
            let number = Generator::new(&spec).unwrap().key_number(i).unwrap();
            prop_assert!((1..=keys).contains(&number));
        }
    }
}
