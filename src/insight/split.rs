//! Keys whose records lie in more than one partition: their order is no longer kept.
//!
//! It happens when a topic grows, when producers hash differently, or when one names the
//! partition itself. Within each of its partitions a key's records are still in order; a consumer
//! of several partitions may see them in any.

use super::keys::{KeyCensus, most_records};
use super::number::as_number;
use super::tag::Tag;
use serde::Serialize;

/// A key in more than one partition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SplitKey {
    /// The key.
    #[serde(with = "serde_bytes")]
    pub key: Vec<u8>,
    /// How it is drawn.
    pub tag: Tag,
    /// Its records in all partitions.
    #[serde(serialize_with = "as_number")]
    pub records: u64,
    /// Where they are, in order of partition; two or more.
    pub parts: Vec<SplitPart>,
}

/// A key's records in one partition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SplitPart {
    /// The partition.
    pub partition: u32,
    /// How many records.
    #[serde(serialize_with = "as_number")]
    pub records: u64,
    /// The offset of the first one that can still be read.
    pub first_offset: i64,
    /// The offset of the last one.
    pub last_offset: i64,
}

/// The keys in more than one partition, at most `limit`: those with the most records, most first;
/// of equal ones, the lesser bytes first.
///
/// ```
/// use loglanes::insight::{KeyCensus, split_keys};
/// use loglanes::log::{BatchBuilder, LogConfig, NewRecord, PartitionLog};
///
/// let mut logs = [0, 1].map(|_| PartitionLog::new(LogConfig::default(), 0));
/// for (partition, key) in [(0, b"a"), (1, b"a"), (1, b"b")] {
///     let mut batch = BatchBuilder::new();
///     batch.append(&NewRecord { timestamp: 0, key: Some(key), value: None, headers: &[] })?;
///     logs[partition].append_batch(&mut batch, 0)?;
/// }
/// let mut census = KeyCensus::new();
/// census.update(&logs)?;
/// let split = split_keys(&census, 10);
/// assert_eq!((split.len(), &*split[0].key, split[0].parts.len()), (1, &b"a"[..], 2));
/// # Ok::<(), loglanes::Error>(())
/// ```
#[must_use]
pub fn split_keys(census: &KeyCensus, limit: usize) -> Vec<SplitKey> {
    let split = census.keys().filter(|key| key.is_split()).collect();
    most_records(split, limit)
        .into_iter()
        .map(|key| {
            let parts = key.places().into_iter().map(|place| SplitPart {
                partition: place.partition,
                records: place.records,
                first_offset: place.first_offset,
                last_offset: place.last_offset,
            });
            SplitKey {
                key: key.bytes().to_vec(),
                tag: key.tag(),
                records: key.records(),
                parts: parts.collect(),
            }
        })
        .collect()
}

/// How many keys are in more than one partition.
#[must_use]
pub fn count_split_keys(census: &KeyCensus) -> usize {
    census.keys().filter(|key| key.is_split()).count()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{append, keyed, logs, send};
    use super::*;
    use crate::log::{LogConfig, PartitionLog};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn split(logs: &[PartitionLog], limit: usize) -> Vec<SplitKey> {
        let mut census = KeyCensus::new();
        census.update(logs).unwrap();
        let all = split_keys(&census, usize::MAX);
        assert_eq!(all.len(), count_split_keys(&census));
        split_keys(&census, limit)
    }

    #[test]
    fn growing_a_topic_splits_exactly_the_keys_that_move() {
        let keys = || (1..=12).map(|i| format!("cust-{i}"));
        let mut logs = logs(4);
        send(&mut logs, keys());
        assert_eq!(split(&logs, 100), []);
        logs.extend((0..2).map(|_| PartitionLog::new(LogConfig::default(), 0)));
        send(&mut logs, keys());
        let names: Vec<_> = split(&logs, 100)
            .into_iter()
            .map(|key| {
                let parts: Vec<_> = key.parts.iter().map(|part| part.partition).collect();
                (String::from_utf8(key.key).unwrap(), parts)
            })
            .collect();
        // From 4 to 6 partitions: 1: 3 to 1, 3: 3 to 1, 5: 2 to 0, 6: 1 to 3, 10 and 11: 0 to 4,
        // 12: 1 to 5; here in order of bytes, as each has two records.
        let want = [
            ("cust-1", [1, 3]),
            ("cust-10", [0, 4]),
            ("cust-11", [0, 4]),
            ("cust-12", [1, 5]),
            ("cust-3", [1, 3]),
            ("cust-5", [0, 2]),
            ("cust-6", [1, 3]),
        ];
        assert_eq!(names, want.map(|(key, parts)| (key.to_owned(), parts.to_vec())));
    }

    #[test]
    fn the_keys_with_the_most_records_come_first_and_the_limit_holds() {
        let mut logs = logs(2);
        append(&mut logs[0], &["a", "b", "c", "one"].map(keyed));
        append(&mut logs[1], &["c", "b", "a", "c"].map(keyed));
        let keys = |limit| split(&logs, limit).into_iter().map(|key| key.key).collect::<Vec<_>>();
        assert_eq!(keys(9), [b"c", b"a", b"b"]);
        assert_eq!(keys(2), [b"c", b"a"]);
        assert_eq!(keys(0), [] as [Vec<u8>; 0]);
    }

    proptest! {
        #[test]
        fn places_are_those_of_a_slow_count(
            records in proptest::collection::vec((0usize..4, "[abc]?"), 0..40),
        ) {
            let mut logs = logs(4);
            let mut slow = BTreeMap::<Vec<u8>, BTreeMap<u32, SplitPart>>::new();
            for (at, key) in records {
                let (partition, offset) = (at as u32, logs[at].log_end_offset());
                append(&mut logs[at], &[keyed(&key)]);
                let part = slow.entry(key.into_bytes()).or_default().entry(partition);
                let part = part.or_insert(SplitPart {
                    partition,
                    records: 0,
                    first_offset: offset,
                    last_offset: offset,
                });
                part.records += 1;
                part.last_offset = offset;
            }
            let mut want: Vec<_> = slow
                .into_iter()
                .filter(|(_, parts)| parts.len() > 1)
                .map(|(key, parts)| SplitKey {
                    tag: Tag::of_key(&key),
                    key,
                    records: parts.values().map(|part| part.records).sum(),
                    parts: parts.into_values().collect(),
                })
                .collect();
            want.sort_by_key(|key| u64::MAX - key.records);
            prop_assert_eq!(split(&logs, 100), want);
        }
    }
}
