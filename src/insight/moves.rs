//! What would happen to the keys if a topic had another number of partitions.
//!
//! Kafka moves no record when a topic grows: only where the *next* record of a key goes changes.
//! So "from" is the partition where the hash puts a key with today's number of partitions, not
//! where its old records happen to lie; for those see [`super::split`].

use super::keys::{Key, KeyCensus, most_records};
use super::number::{as_number, as_numbers};
use super::tag::Tag;
use crate::partitioner::to_positive;
use crate::{Error, ErrorCode, Result};
use serde::Serialize;

/// The most partitions that can be asked about: the answer has a figure for every pair.
pub const MAX_WHAT_IF_PARTITIONS: u32 = 2000;

/// What another number of partitions would do to the keys that are in a topic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WhatIf {
    /// The topic's name.
    pub topic: String,
    /// The number of partitions before.
    pub from: u32,
    /// And after.
    pub to: u32,
    /// The share of keys that would stay if there were very many of them.
    pub theory: Theory,
    /// How many keys there are, stay and move.
    pub keys: MovedKeys,
    /// How many records they have now.
    pub records: MovedRecords,
    /// `flows[a][b]`: how many keys go from partition `a` to `b`; `flows[a][a]` stay.
    pub flows: Vec<Vec<u32>>,
    /// Each partition with `from` partitions.
    pub before: Spread,
    /// Each partition with `to` partitions.
    pub after: Spread,
    /// The moving keys with the most records first; of equal ones, the lesser bytes first.
    pub movers: Vec<Mover>,
}

/// A fraction, not reduced: `from` of `lcm(from, to)` hash values stay when a topic grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Theory {
    /// The lesser of the two numbers of partitions.
    pub numerator: u32,
    /// Their least common multiple.
    pub denominator: u32,
}

/// How many keys move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MovedKeys {
    /// All.
    pub total: u32,
    /// Keys that have the same partition before and after.
    pub stay: u32,
    /// The others.
    #[serde(rename = "move")]
    pub moving: u32,
}

/// How many records have keys that move. The records themselves stay where they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MovedRecords {
    /// All.
    #[serde(serialize_with = "as_number")]
    pub total: u64,
    /// Those with a key.
    #[serde(serialize_with = "as_number")]
    pub keyed: u64,
    /// Those whose key moves.
    #[serde(serialize_with = "as_number")]
    pub of_moving_keys: u64,
}

/// What each partition has if all records were sent again. Those without a key are left out:
/// nothing says where they would go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Spread {
    /// Different keys.
    pub keys: Vec<u32>,
    /// Records with a key.
    #[serde(serialize_with = "as_numbers")]
    pub records: Vec<u64>,
}

/// A key that moves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Mover {
    /// The key.
    #[serde(with = "serde_bytes")]
    pub key: Vec<u8>,
    /// How it is drawn.
    pub tag: Tag,
    /// Its records in all partitions.
    #[serde(serialize_with = "as_number")]
    pub records: u64,
    /// The partition where the hash puts it before.
    pub from: u32,
    /// And after.
    pub to: u32,
}

/// What going from `from` to `to` partitions would do to the keys of a census, with the
/// `max_movers` moving keys that have the most records.
///
/// Kafka only ever adds partitions; the question may also be asked the other way.
///
/// # Errors
/// Kafka's `INVALID_PARTITIONS` for 0 partitions; the limit `MAX_WHAT_IF_PARTITIONS`.
///
/// ```
/// use loglanes::insight::{KeyCensus, what_if};
///
/// let what_if = what_if(&KeyCensus::new(), "orders", 4, 6, 100)?;
/// assert_eq!((what_if.theory.numerator, what_if.theory.denominator), (4, 12));
/// assert_eq!(what_if.keys.total, 0);
/// # Ok::<(), loglanes::Error>(())
/// ```
pub fn what_if(
    census: &KeyCensus,
    topic: &str,
    from: u32,
    to: u32,
    max_movers: usize,
) -> Result<WhatIf> {
    for partitions in [from, to] {
        check(partitions)?;
    }
    let mut answer = WhatIf {
        topic: topic.to_owned(),
        from,
        to,
        theory: Theory { numerator: from.min(to), denominator: from / gcd(from, to) * to },
        keys: MovedKeys { total: 0, stay: 0, moving: 0 },
        records: MovedRecords {
            total: census.records(),
            keyed: census.records() - census.keyless(),
            of_moving_keys: 0,
        },
        flows: vec![vec![0; to as usize]; from as usize],
        before: Spread::over(from),
        after: Spread::over(to),
        movers: Vec::new(),
    };
    let mut moving = Vec::new();
    for key in census.keys() {
        let (before, after) = (place(key, from), place(key, to));
        let stays = before == after;
        answer.keys.total += 1;
        answer.flows[before as usize][after as usize] += 1;
        answer.before.add(before, key.records());
        answer.after.add(after, key.records());
        if stays {
            answer.keys.stay += 1;
        } else {
            answer.keys.moving += 1;
            answer.records.of_moving_keys += key.records();
            moving.push(key);
        }
    }
    let movers = most_records(moving, max_movers).into_iter().map(|key| Mover {
        key: key.bytes().to_vec(),
        tag: key.tag(),
        records: key.records(),
        from: place(key, from),
        to: place(key, to),
    });
    answer.movers = movers.collect();
    Ok(answer)
}

/// As `partition_for_key`, from the hash that the census keeps.
fn place(key: Key<'_>, partitions: u32) -> u32 {
    to_positive(key.hash()).cast_unsigned() % partitions
}

fn check(partitions: u32) -> Result {
    if partitions == 0 {
        let message = "Number of partitions was set to an invalid non-positive value.";
        return Err(
            Error::broker(ErrorCode::InvalidPartitions, message).with_hint("Ask for 1 or more.")
        );
    }
    if partitions > MAX_WHAT_IF_PARTITIONS {
        let message = format!("{partitions} partitions are more than {MAX_WHAT_IF_PARTITIONS}.");
        return Err(Error::limit("MAX_WHAT_IF_PARTITIONS", message)
            .with_hint("Ask about fewer: the answer has a figure for every pair of them."));
    }
    Ok(())
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl Spread {
    fn over(partitions: u32) -> Self {
        Self { keys: vec![0; partitions as usize], records: vec![0; partitions as usize] }
    }

    fn add(&mut self, partition: u32, records: u64) {
        self.keys[partition as usize] += 1;
        self.records[partition as usize] += records;
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{append, keyed, logs, origins, send};
    use super::*;
    use crate::partitioner::partition_for_key;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn census(keys: impl IntoIterator<Item = String>) -> KeyCensus {
        let mut logs = logs(3);
        send(&mut logs, keys);
        let mut census = KeyCensus::new();
        census.update(&logs).unwrap();
        census
    }

    /// What a Java client of Kafka 4.4.0 answered, see `tests/golden/placement`.
    #[test]
    fn moves_are_those_of_kafkas_own_hash() {
        let numbered = |name: &str| census((1..=10_000).map(|i| format!("{name}-{i}")));
        let (customers, orders, flights) = (numbered("cust"), numbered("order"), census(origins()));
        assert_eq!(flights.distinct(), 220);
        let golden = include_str!("../../tests/golden/placement/moves.ndjson");
        let mut seen = 0;
        for line in golden.lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let set = line["key_set"].as_str().unwrap();
            let census = match set {
                _ if set.starts_with("cust-") => &customers,
                _ if set.starts_with("order-") => &orders,
                _ => &flights,
            };
            let number = |name: &str| line[name].as_u64().unwrap();
            let numbers = |name: &str| {
                line[name].as_array().map(|list| {
                    list.iter().map(|number| number.as_u64().unwrap()).collect::<Vec<_>>()
                })
            };
            let (from, to) = (number("from_partitions") as u32, number("to_partitions") as u32);
            let answer = what_if(census, "t", from, to, usize::MAX).unwrap();
            let counted = |keys: &[u32]| keys.iter().map(|&n| u64::from(n)).collect::<Vec<_>>();
            assert_eq!(u64::from(answer.keys.total), number("keys"), "{line}");
            assert_eq!(u64::from(answer.keys.moving), number("keys_moved"), "{line}");
            assert_eq!(answer.records.total, number("records"));
            assert_eq!(answer.records.of_moving_keys, number("records_moved"), "{line}");
            assert_eq!(Some(counted(&answer.before.keys)), numbers("keys_by_partition_from"));
            assert_eq!(Some(counted(&answer.after.keys)), numbers("keys_by_partition_to"));
            if let Some(records) = numbers("records_by_partition_from") {
                assert_eq!(answer.before.records, records);
                assert_eq!(Some(answer.after.records), numbers("records_by_partition_to"));
            }
            seen += 1;
        }
        assert_eq!(seen, 36);
        let moved = |from, to| what_if(&customers, "t", from, to, 0).unwrap().keys.moving;
        assert_eq!((moved(4, 6), moved(4, 8), moved(6, 12)), (6671, 4991, 4944));
    }

    #[test]
    fn theory_is_the_share_of_hashes_that_stay() {
        let empty = KeyCensus::new();
        for from in 1..30 {
            for to in 1..30 {
                let theory = what_if(&empty, "t", from, to, 0).unwrap().theory;
                let hashes = theory.denominator;
                assert!(hashes.is_multiple_of(from) && hashes.is_multiple_of(to));
                let stay = (0..hashes).filter(|hash| hash % from == hash % to).count();
                assert_eq!(stay, theory.numerator as usize, "{from} to {to}");
            }
        }
    }

    #[test]
    fn from_is_where_the_hash_points_and_not_where_records_lie() {
        let mut logs = logs(4);
        // The hash of 1 in 4 partitions is 3; someone chose another partition.
        append(&mut logs[0], &[keyed("cust-1"), (None, None)]);
        let mut census = KeyCensus::new();
        census.update(&logs).unwrap();
        let answer = what_if(&census, "t", 4, 6, 9).unwrap();
        assert_eq!((answer.movers[0].from, answer.movers[0].to), (3, 1));
        assert_eq!(answer.before.records, [0, 0, 0, 1]);
        assert_eq!((answer.records.total, answer.records.keyed), (2, 1));
    }

    #[test]
    fn partitions_are_limited_at_both_ends() {
        let ask = |from, to| what_if(&KeyCensus::new(), "t", from, to, 0).map_err(|e| e.name());
        assert!(ask(1, MAX_WHAT_IF_PARTITIONS).is_ok());
        assert_eq!(ask(1, MAX_WHAT_IF_PARTITIONS + 1).err(), Some("MAX_WHAT_IF_PARTITIONS"));
        assert_eq!(ask(MAX_WHAT_IF_PARTITIONS + 1, 1).err(), Some("MAX_WHAT_IF_PARTITIONS"));
        assert_eq!(ask(1, 0).err(), Some("INVALID_PARTITIONS"));
        assert_eq!(ask(0, 1).err(), Some("INVALID_PARTITIONS"));
    }

    #[test]
    fn names_are_as_the_page_has_them() {
        let json = serde_json::to_value(what_if(&census(["a".into()]), "t", 1, 2, 1).unwrap());
        let mut names: Vec<_> = json.as_ref().unwrap().as_object().unwrap().keys().collect();
        names.sort();
        let want = "after before flows from keys movers records theory to topic";
        assert_eq!(names, want.split(' ').collect::<Vec<_>>());
        let json = json.unwrap();
        assert!(json["keys"]["move"].is_u64() && json["records"]["ofMovingKeys"].is_u64());
        assert_eq!(json["before"], serde_json::json!({ "keys": [1], "records": [1] }));
    }

    proptest! {
        #[test]
        fn the_answer_is_that_of_a_slow_count(
            keys in proptest::collection::vec("[ab]{0,3}", 0..60),
            (from, to) in (1u32..9, 1u32..9),
            max_movers in 0usize..9,
        ) {
            let mut counts = BTreeMap::<String, u64>::new();
            for key in &keys {
                *counts.entry(key.clone()).or_default() += 1;
            }
            let mut flows = vec![vec![0; to as usize]; from as usize];
            let mut movers = Vec::new();
            for (key, &records) in &counts {
                let place = |partitions| partition_for_key(key.as_bytes(), partitions);
                flows[place(from) as usize][place(to) as usize] += 1;
                if place(from) != place(to) {
                    let (key, tag) = (key.clone().into_bytes(), Tag::of_key(key.as_bytes()));
                    let (from, to) = (place(from), place(to));
                    movers.push(Mover { key, tag, records, from, to });
                }
            }
            movers.sort_by_key(|mover| u64::MAX - mover.records);
            let answer = what_if(&census(keys), "t", from, to, max_movers).unwrap();
            prop_assert_eq!(answer.keys.moving as usize, movers.len());
            prop_assert_eq!(answer.keys.stay + answer.keys.moving, answer.keys.total);
            let of_movers: u64 = movers.iter().map(|mover| mover.records).sum();
            prop_assert_eq!(answer.records.of_moving_keys, of_movers);
            movers.truncate(max_movers);
            prop_assert_eq!(answer.movers, movers);
            prop_assert_eq!(answer.flows, flows);
        }
    }
}
