//! Which keys there are, how often, and where: the census that the other answers come from.

use super::number::as_number;
use super::tag::Tag;
use crate::log::{PartitionLog, RecordView};
use crate::partitioner::murmur2;
use crate::{Error, Result};
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use serde::Serialize;

/// The most different keys a census takes; about 85 bytes each and the key's own.
pub const MAX_DISTINCT_KEYS: usize = 4_000_000;

/// Every key of a topic, with its records in each partition.
///
/// Memory: about 85 bytes for each different key, the key's bytes, and 32 bytes for every further
/// partition it is in. Following the log costs as much as reading the new records; when records
/// were removed, by retention or by compaction, all is read again.
///
/// ```
/// use loglanes::insight::KeyCensus;
/// use loglanes::log::{BatchBuilder, LogConfig, NewRecord, PartitionLog};
///
/// let mut log = PartitionLog::new(LogConfig::default(), 0);
/// let mut batch = BatchBuilder::new();
/// for key in [Some(&b"a"[..]), Some(b"b"), None, Some(b"a")] {
///     batch.append(&NewRecord { timestamp: 0, key, value: None, headers: &[] })?;
/// }
/// log.append_batch(&mut batch, 0)?;
///
/// let mut census = KeyCensus::new();
/// census.update([&log])?;
/// let stats = census.stats("orders", 1);
/// assert_eq!((stats.distinct, stats.keyless, stats.records), (2, 1, 4));
/// assert_eq!((&*stats.top[0].key, stats.top[0].records), (&b"a"[..], 2));
/// # Ok::<(), loglanes::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct KeyCensus {
    max_keys: usize,
    /// Indexes of `keys`, by hash.
    table: HashTable<u32>,
    keys: Vec<KeyEntry>,
    /// The bytes of all keys, back to back.
    bytes: Vec<u8>,
    places: Vec<Place>,
    partitions: Vec<Partition>,
    /// How many records there were when there were too many keys.
    refused_at: Option<u64>,
}

#[derive(Debug, Clone)]
struct KeyEntry {
    /// Where its bytes are.
    start: usize,
    len: u32,
    hash: i32,
    /// The first of its places, in [`KeyCensus::places`].
    place: u32,
    records: u64,
    bytes: u64,
}

/// A key's records in one partition.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) partition: u32,
    /// The key's next place, or [`END`].
    next: u32,
    pub(super) records: u64,
    pub(super) first_offset: i64,
    pub(super) last_offset: i64,
}

const END: u32 = u32::MAX;

#[derive(Debug, Clone, Default)]
struct Partition {
    /// The first offset that has not been read.
    next: i64,
    records: u64,
    keyless: u64,
    keys: u64,
    bytes: u64,
}

/// One key of a census.
#[derive(Clone, Copy)]
pub(super) struct Key<'a> {
    census: &'a KeyCensus,
    entry: &'a KeyEntry,
}

/// Figures about the keys of a topic. All are of the records that can be read now.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeyStats {
    /// The topic's name.
    pub topic: String,
    /// Different keys, the empty one included.
    #[serde(serialize_with = "as_number")]
    pub distinct: u64,
    /// Records without a key.
    #[serde(serialize_with = "as_number")]
    pub keyless: u64,
    /// All records.
    #[serde(serialize_with = "as_number")]
    pub records: u64,
    /// The records of the fullest partition against the mean of all: 1 is even, and the number
    /// of partitions is the most it can be. 1 for a topic without records.
    pub skew: f64,
    /// For each partition, in order.
    pub per_partition: Vec<PartitionKeys>,
    /// The keys with the most records first; of equal ones, the lesser bytes first.
    pub top: Vec<TopKey>,
}

/// Figures about the keys of one partition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PartitionKeys {
    /// Its number.
    pub partition: u32,
    /// Its records.
    #[serde(serialize_with = "as_number")]
    pub records: u64,
    /// The different keys in it.
    #[serde(serialize_with = "as_number")]
    pub keys: u64,
    /// The size of its records in their batches, without the batches' headers.
    #[serde(serialize_with = "as_number")]
    pub bytes: u64,
}

/// Figures about one key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TopKey {
    /// The key.
    #[serde(with = "serde_bytes")]
    pub key: Vec<u8>,
    /// How it is drawn.
    pub tag: Tag,
    /// Its records.
    #[serde(serialize_with = "as_number")]
    pub records: u64,
    /// The size of its records in their batches.
    #[serde(serialize_with = "as_number")]
    pub bytes: u64,
    /// The partitions that have records of it, in order.
    pub partitions: Vec<u32>,
}

impl Default for KeyCensus {
    fn default() -> Self {
        Self::new()
    }
}

impl KeyCensus {
    /// A census of nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::with_max_keys(MAX_DISTINCT_KEYS)
    }

    /// A census that takes fewer than [`MAX_DISTINCT_KEYS`].
    #[must_use]
    pub fn with_max_keys(max_keys: usize) -> Self {
        Self {
            max_keys: max_keys.min(MAX_DISTINCT_KEYS),
            table: HashTable::new(),
            keys: Vec::new(),
            bytes: Vec::new(),
            places: Vec::new(),
            partitions: Vec::new(),
            refused_at: None,
        }
    }

    /// Follows the partitions of a topic, given in order of their numbers.
    ///
    /// # Errors
    /// The limit `MAX_DISTINCT_KEYS`. The census is then empty, and stays so without reading
    /// again until records have been removed.
    pub fn update<'a, I>(&mut self, partitions: I) -> Result
    where
        I: IntoIterator<Item = &'a PartitionLog, IntoIter: Clone>,
    {
        let logs = partitions.into_iter();
        let records = logs.clone().map(PartitionLog::record_count).sum();
        if self.refused_at.is_some_and(|before| records >= before) {
            return Err(self.too_many_keys());
        }
        // Nobody removes partitions from a topic: fewer are another topic's.
        if self.partitions.len() > logs.clone().count() {
            self.clear();
        }
        let mut result = self.read(logs.clone());
        if result.is_ok() && self.has_lost_some(logs.clone()) {
            self.clear();
            result = self.read(logs);
        }
        if result.is_err() {
            self.clear();
        }
        self.refused_at = result.is_err().then_some(records);
        result
    }

    /// How many different keys there are, the empty one included.
    #[must_use]
    pub fn distinct(&self) -> usize {
        self.keys.len()
    }

    /// How many partitions were given.
    #[must_use]
    pub fn partitions(&self) -> usize {
        self.partitions.len()
    }

    /// All records, with a key or without.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.partitions.iter().map(|partition| partition.records).sum()
    }

    /// Records without a key.
    #[must_use]
    pub fn keyless(&self) -> u64 {
        self.partitions.iter().map(|partition| partition.keyless).sum()
    }

    /// How many bytes the census takes, for the page's account of memory.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.keys.capacity() * size_of::<KeyEntry>()
            + self.places.capacity() * size_of::<Place>()
            + self.bytes.capacity()
            + self.table.allocation_size()
    }

    /// The figures, with the `top_keys` keys that have the most records.
    #[must_use]
    pub fn stats(&self, topic: &str, top_keys: usize) -> KeyStats {
        let per_partition: Vec<_> = (0..)
            .zip(&self.partitions)
            .map(|(partition, seen)| PartitionKeys {
                partition,
                records: seen.records,
                keys: seen.keys,
                bytes: seen.bytes,
            })
            .collect();
        let top = most_records(self.keys().collect(), top_keys);
        KeyStats {
            topic: topic.to_owned(),
            distinct: self.keys.len() as u64,
            keyless: self.keyless(),
            records: self.records(),
            skew: self.skew(),
            per_partition,
            top: top.into_iter().map(Key::figures).collect(),
        }
    }

    /// See [`KeyStats::skew`].
    #[must_use]
    pub fn skew(&self) -> f64 {
        let records = self.records();
        let fullest = self.partitions.iter().map(|partition| partition.records).max();
        match fullest {
            Some(fullest) if records > 0 => {
                (fullest as f64 * self.partitions.len() as f64) / records as f64
            }
            _ => 1.0,
        }
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = Key<'_>> {
        self.keys.iter().map(|entry| Key { census: self, entry })
    }

    fn read<'a>(&mut self, logs: impl Iterator<Item = &'a PartitionLog>) -> Result {
        for (number, log) in (0_u32..).zip(logs) {
            let at = number as usize;
            if self.partitions.len() == at {
                self.partitions.push(Partition::default());
            }
            let Some(mut partition) = self.partitions.get(at).cloned() else { break };
            for record in log.records_from(partition.next) {
                self.count(number, &mut partition, &record)?;
            }
            partition.next = log.log_end_offset().max(partition.next);
            self.partitions[at] = partition;
        }
        Ok(())
    }

    #[inline]
    fn count(&mut self, number: u32, partition: &mut Partition, record: &RecordView<'_>) -> Result {
        let bytes = record.bytes().len() as u64;
        partition.records += 1;
        partition.bytes += bytes;
        let Some(key) = record.key else {
            partition.keyless += 1;
            return Ok(());
        };
        let id = self.id_of(key)?;
        let entry = &mut self.keys[id as usize];
        entry.records += 1;
        entry.bytes += bytes;
        let mut place = entry.place;
        while let Some(here) = self.places.get_mut(place as usize) {
            if here.partition == number {
                here.records += 1;
                here.last_offset = record.offset;
                return Ok(());
            }
            place = here.next;
        }
        partition.keys += 1;
        // In front of the others: partition by partition, this is the one that is asked next.
        let next = std::mem::replace(&mut entry.place, self.places.len() as u32);
        let offset = record.offset;
        self.places.push(Place {
            partition: number,
            next,
            records: 1,
            first_offset: offset,
            last_offset: offset,
        });
        Ok(())
    }

    #[inline]
    fn id_of(&mut self, key: &[u8]) -> Result<u32> {
        let hash = murmur2(key);
        let (keys, bytes) = (&self.keys, &self.bytes);
        let same = |&id: &u32| {
            let entry = &keys[id as usize];
            entry.hash == hash && entry.key(bytes) == key
        };
        let slot = self.table.entry(spread(hash), same, |&id| spread(keys[id as usize].hash));
        match slot {
            Entry::Occupied(slot) => Ok(*slot.get()),
            Entry::Vacant(_) if self.keys.len() >= self.max_keys => Err(self.too_many_keys()),
            Entry::Vacant(slot) => {
                let id = self.keys.len() as u32;
                slot.insert(id);
                let (start, len) = (self.bytes.len(), key.len() as u32);
                self.keys.push(KeyEntry { start, len, hash, place: END, records: 0, bytes: 0 });
                self.bytes.extend_from_slice(key);
                Ok(id)
            }
        }
    }

    /// Whether the logs no longer have all the records that were read. What is removed is never
    /// put back, so the counts tell.
    fn has_lost_some<'a>(&self, logs: impl Iterator<Item = &'a PartitionLog>) -> bool {
        self.partitions.iter().zip(logs).any(|(partition, log)| {
            partition.records != log.record_count() || partition.next != log.log_end_offset()
        })
    }

    fn clear(&mut self) {
        *self = Self::with_max_keys(self.max_keys);
    }

    fn too_many_keys(&self) -> Error {
        let message = format!("The topic has more than {} different keys.", self.max_keys);
        Error::limit("MAX_DISTINCT_KEYS", message)
            .with_hint("Everything but the questions about keys still works.")
    }
}

/// Makes 64 bits of 32 for a table that looks at both ends of a hash.
fn spread(hash: i32) -> u64 {
    u64::from(hash.cast_unsigned()).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl KeyEntry {
    fn key<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        bytes.get(self.start..self.start + self.len as usize).unwrap_or_default()
    }
}

impl<'a> Key<'a> {
    pub(super) fn bytes(self) -> &'a [u8] {
        self.entry.key(&self.census.bytes)
    }

    pub(super) fn hash(self) -> i32 {
        self.entry.hash
    }

    pub(super) fn records(self) -> u64 {
        self.entry.records
    }

    pub(super) fn tag(self) -> Tag {
        Tag::of_hashed_key(self.entry.hash, self.entry.len == 0)
    }

    pub(super) fn is_split(self) -> bool {
        let first = self.census.places.get(self.entry.place as usize);
        first.is_some_and(|place| place.next != END)
    }

    /// Its places in order of partition.
    pub(super) fn places(self) -> Vec<&'a Place> {
        let mut places = Vec::new();
        let mut at = self.entry.place;
        while let Some(place) = self.census.places.get(at as usize) {
            places.push(place);
            at = place.next;
        }
        places.sort_unstable_by_key(|place| place.partition);
        places
    }

    fn figures(self) -> TopKey {
        TopKey {
            key: self.bytes().to_vec(),
            tag: self.tag(),
            records: self.entry.records,
            bytes: self.entry.bytes,
            partitions: self.places().iter().map(|place| place.partition).collect(),
        }
    }
}

/// The `limit` keys with the most records, most first; of equal ones, the lesser bytes first.
pub(super) fn most_records(mut keys: Vec<Key<'_>>, limit: usize) -> Vec<Key<'_>> {
    let compare = |a: &Key<'_>, b: &Key<'_>| {
        b.records().cmp(&a.records()).then_with(|| a.bytes().cmp(b.bytes()))
    };
    if limit < keys.len() {
        keys.select_nth_unstable_by(limit, compare);
        keys.truncate(limit);
    }
    keys.sort_unstable_by(compare);
    keys
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Pair, append, keyed, logs, origins, replica, send};
    use super::*;
    use crate::log::LogConfig;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn census(logs: &[PartitionLog]) -> KeyCensus {
        let mut census = KeyCensus::new();
        census.update(logs).unwrap();
        census
    }

    /// The figures the slow way.
    fn naive(logs: &[PartitionLog], top_keys: usize) -> KeyStats {
        let mut all = BTreeMap::<Vec<u8>, (u64, u64, BTreeSet<u32>)>::new();
        let mut per_partition = Vec::new();
        let mut keyless = 0;
        for (partition, log) in (0..).zip(logs) {
            let (mut records, mut bytes, mut keys) = (0, 0, BTreeSet::new());
            for record in log.records_from(0) {
                records += 1;
                bytes += record.bytes().len() as u64;
                let Some(key) = record.key else {
                    keyless += 1;
                    continue;
                };
                keys.insert(key);
                let of_key = all.entry(key.to_vec()).or_default();
                of_key.0 += 1;
                of_key.1 += record.bytes().len() as u64;
                of_key.2.insert(partition);
            }
            per_partition.push(PartitionKeys {
                partition,
                records,
                keys: keys.len() as u64,
                bytes,
            });
        }
        let records: u64 = per_partition.iter().map(|partition| partition.records).sum();
        let fullest = per_partition.iter().map(|partition| partition.records).max().unwrap_or(0);
        let mean = records as f64 / logs.len() as f64;
        let distinct = all.len() as u64;
        let mut top: Vec<_> = all
            .into_iter()
            .map(|(key, (records, bytes, partitions))| TopKey {
                tag: Tag::of_key(&key),
                key,
                records,
                bytes,
                partitions: partitions.into_iter().collect(),
            })
            .collect();
        top.sort_by_key(|key| u64::MAX - key.records);
        top.truncate(top_keys);
        let skew = if records == 0 { 1.0 } else { fullest as f64 / mean };
        KeyStats { topic: "t".into(), distinct, keyless, records, skew, per_partition, top }
    }

    fn same(got: KeyStats, want: &KeyStats) -> Result<(), TestCaseError> {
        prop_assert!((got.skew - want.skew).abs() < 1e-12);
        prop_assert_eq!(&KeyStats { skew: want.skew, ..got }, want);
        Ok(())
    }

    fn pair() -> impl Strategy<Value = Pair> {
        let key = proptest::option::of("[ab]{0,2}".prop_map(String::into_bytes));
        (key, proptest::option::of(proptest::collection::vec(any::<u8>(), 0..3)))
    }

    proptest! {
        #[test]
        fn figures_are_those_of_a_slow_count_however_the_log_grew(
            steps in proptest::collection::vec((0usize..4, proptest::collection::vec(pair(), 1..6)), 0..10),
            top in 0usize..8,
        ) {
            let mut logs = logs(3);
            let mut census = KeyCensus::new();
            for (partition, records) in steps {
                // A fourth partition is added to the topic when something goes there.
                while logs.len() <= partition {
                    logs.push(PartitionLog::new(LogConfig::default(), 0));
                }
                append(&mut logs[partition], &records);
                census.update(&logs).unwrap();
            }
            census.update(&logs).unwrap();
            same(census.stats("t", top), &naive(&logs, top))?;
        }
    }

    #[test]
    fn removed_records_are_no_longer_counted() {
        let all: Vec<_> = ["a", "b", "a", "c"].map(keyed).into();
        let mut census = KeyCensus::new();
        census.update([&replica(0, &[(0, all.clone())])]).unwrap();
        assert_eq!((census.distinct(), census.records()), (3, 4));
        // The log start moved up by two.
        let log = [replica(2, &[(2, all[2..].to_vec())])];
        census.update(&log).unwrap();
        same(census.stats("t", 9), &naive(&log, 9)).unwrap();
        // Compaction removed one, and one was added.
        let log = [replica(2, &[(3, vec![keyed("c"), keyed("d")])])];
        census.update(&log).unwrap();
        same(census.stats("t", 9), &naive(&log, 9)).unwrap();
        // Another topic with fewer partitions.
        census.update([]).unwrap();
        assert_eq!((census.distinct(), census.records(), census.skew()), (0, 0, 1.0));
    }

    #[test]
    fn too_many_keys_are_refused_until_records_are_gone() {
        let log = |keys: std::ops::Range<i64>| {
            let records = keys.clone().map(|i| keyed(&format!("key-{i}"))).collect();
            replica(keys.start, &[(keys.start, records)])
        };
        let mut census = KeyCensus::with_max_keys(3);
        census.update([&log(0..3)]).unwrap();
        assert_eq!(census.distinct(), 3);
        for _ in 0..2 {
            let error = census.update([&log(0..4)]).unwrap_err();
            assert_eq!(error.name(), "MAX_DISTINCT_KEYS");
            assert_eq!(error.message(), "The topic has more than 3 different keys.");
            assert_eq!((census.distinct(), census.partitions()), (0, 0));
        }
        census.update([&log(1..4)]).unwrap();
        assert_eq!(census.distinct(), 3);
    }

    #[test]
    fn flights_by_origin_are_as_skewed_as_they_are() {
        let mut logs = logs(6);
        send(&mut logs, origins());
        let stats = census(&logs).stats("flights", 3);
        assert_eq!((stats.distinct, stats.keyless, stats.records), (220, 0, 20_000));
        same(stats, &KeyStats { topic: "flights".into(), ..naive(&logs, 3) }).unwrap();
    }

    #[test]
    fn the_skew_is_the_fullest_partition_against_the_mean() {
        let mut logs = logs(4);
        append(&mut logs[2], &[keyed("a"), keyed("b"), (None, None)]);
        append(&mut logs[3], &[keyed("a")]);
        assert_eq!(census(&logs).skew(), 3.0);
    }

    #[test]
    fn counts_go_out_as_numbers_and_names_as_the_page_has_them() {
        let mut logs = logs(1);
        append(&mut logs[0], &[keyed("a")]);
        let json = serde_json::to_string(&census(&logs).stats("t", 1)).unwrap();
        let tag = Tag::of_key(b"a").0;
        let bytes = logs[0].records_from(0).next().unwrap().bytes().len();
        assert_eq!(
            json,
            format!(
                "{{\"topic\":\"t\",\"distinct\":1,\"keyless\":0,\"records\":1,\"skew\":1.0,\
                 \"perPartition\":[{{\"partition\":0,\"records\":1,\"keys\":1,\"bytes\":{bytes}}}],\
                 \"top\":[{{\"key\":[97],\"tag\":{tag},\"records\":1,\"bytes\":{bytes},\
                 \"partitions\":[0]}}]}}"
            )
        );
    }
}
