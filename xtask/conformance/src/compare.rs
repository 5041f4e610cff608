//! What both sides hold at the end: offsets, look-ups by time, configs, and every byte of the log.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use loglanes::Cluster;
use loglanes::log::index::{OFFSET_ENTRY_LEN, TIME_ENTRY_LEN};
use loglanes::log::{AbortedTransaction, BatchView, Batches, PartitionLog, Segment, crc32c};
use loglanes::topic::Topic;
use serde_json::{Value, json};

use crate::broker::Broker;
use crate::product;

/// What was compared, and how often.
#[derive(Default)]
pub struct Counts(pub BTreeMap<String, u64>);

impl Counts {
    /// One more of these.
    pub fn add(&mut self, what: &str, count: usize) {
        *self.0.entry(what.to_owned()).or_default() += count as u64;
    }
}

/// The first difference, in words; none where all is the same.
pub fn state(
    cluster: &Cluster,
    broker: &mut Broker,
    now_ms: i64,
    counts: &mut Counts,
) -> Result<Option<String>> {
    let names: Vec<&str> = cluster.topics().map(|(name, _)| name).collect();
    let times: Vec<i64> = [0, 1, 10, 30, 60, 80].map(|hours| now_ms - hours * 3_600_000).to_vec();
    let groups: Vec<&str> = cluster.groups().map(|(id, _)| id).collect();
    let describe = json!({"type": "describe", "topics": names, "times": times, "groups": groups});
    let told = broker.ask(&describe)?;
    if told.get("error").is_some() {
        bail!("the broker cannot be described: {told}");
    }
    let ids = &told["ok"]["producerIds"];
    for group in groups {
        let ours = product::committed(cluster, group);
        if let Some(difference) = difference(&ours, &told["ok"]["committed"][group]) {
            return Ok(Some(format!("group {group}, committed {difference}")));
        }
        counts.add("groups", 1);
    }
    for (name, topic) in cluster.topics() {
        let theirs = &told["ok"]["topics"][name];
        let ours = configs(topic);
        if let Some(difference) = difference(&ours, &theirs["configs"]) {
            return Ok(Some(format!("{name}, config {difference}")));
        }
        counts.add("configs", ours.as_object().map_or(0, serde_json::Map::len));
        for (number, partition) in topic.partitions.iter().enumerate() {
            let log = &partition.log;
            let by_clock = log.segments().iter().any(is_by_clock);
            let mut ours = offsets(log, &times);
            let mut theirs = theirs["partitions"][number].clone();
            if by_clock {
                // Found by times that the broker's clock has set.
                for side in [&mut ours, &mut theirs] {
                    side["maxTimestamp"] = Value::Null;
                    side["times"] = Value::Null;
                }
            }
            if let Some(difference) = difference(&ours, &theirs) {
                return Ok(Some(format!("{name}-{number}, {difference}")));
            }
            counts.add("partitions", 1);
            let folder = broker.partition_folder(name, number);
            if let Some(difference) = files(log, &folder, ids, counts)? {
                return Ok(Some(format!("{name}-{number}, {difference}")));
            }
        }
    }
    Ok(None)
}

/// The first field that is not the same.
pub fn difference(ours: &Value, theirs: &Value) -> Option<String> {
    if ours == theirs {
        return None;
    }
    let only_one_refuses = ours.get("error").is_some() != theirs.get("error").is_some();
    if let (Some(ours), Some(theirs), false) =
        (ours.as_object(), theirs.as_object(), only_one_refuses)
    {
        let names = ours.keys().chain(theirs.keys());
        let mut differ = names.filter(|name| ours.get(*name) != theirs.get(*name));
        if let Some(name) = differ.next() {
            let side = |side: &serde_json::Map<String, Value>| {
                side.get(name).map_or("nothing".to_owned(), Value::to_string)
            };
            return Some(format!("{name}: here {}, there {}", side(ours), side(theirs)));
        }
    }
    Some(format!("here {ours}, there {theirs}"))
}

fn configs(topic: &Topic) -> Value {
    let entries = topic.config.describe().into_iter();
    entries
        .map(|entry| (entry.def.name.to_owned(), json!([entry.value, entry.source])))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn offsets(log: &PartitionLog, times: &[i64]) -> Value {
    let found = |found: Option<(i64, i64)>| match found {
        Some((offset, timestamp)) => json!([offset, timestamp]),
        None => json!([-1, -1]),
    };
    json!({
        "logStartOffset": log.log_start_offset(),
        "highWatermark": log.high_watermark(),
        "lastStableOffset": log.last_stable_offset(),
        "maxTimestamp": found(log.max_timestamp_offset()),
        "times": times.iter().map(|&time| found(log.offset_for_timestamp(time))).collect::<Vec<_>>(),
    })
}

/// Whether a batch holds a time of the broker's clock: its append time, a delete horizon, or a
/// marker's.
fn is_by_clock(segment: &Segment) -> bool {
    use loglanes::log::TimestampType::LogAppendTime;
    segment.batches().any(|batch| {
        let header = batch.header();
        header.timestamp_type() == LogAppendTime
            || header.delete_horizon().is_some()
            || header.is_control()
    })
}

fn files(
    log: &PartitionLog,
    folder: &Path,
    ids: &Value,
    counts: &mut Counts,
) -> Result<Option<String>> {
    let mut theirs = BTreeMap::new();
    let listed = fs::read_dir(folder).with_context(|| format!("no {}", folder.display()))?;
    for entry in listed {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "log") {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            theirs.insert(name, path);
        }
    }
    let ours: Vec<String> = log.segments().iter().map(Segment::file_name).collect();
    let names: Vec<&String> = theirs.keys().collect();
    if ours.iter().collect::<Vec<_>>() != names {
        return Ok(Some(format!("segments: here {ours:?}, there {names:?}")));
    }
    for (number, (segment, path)) in log.segments().iter().zip(theirs.values()).enumerate() {
        let name = segment.file_name();
        let bytes = fs::read(path)?;
        counts.add("segments", 1);
        counts.add("bytes of the log", bytes.len());
        let bytes = with_producer_ids(bytes, ids);
        if let Some(difference) = bytes_differ(segment.bytes(), &bytes) {
            return Ok(Some(format!("{name}: {difference}")));
        }
        let (ours, theirs) = aborted(segment, &path.with_extension("txnindex"), ids)?;
        if ours != theirs {
            let (ours, theirs) = (hex(&ours), hex(&theirs));
            return Ok(Some(format!("{name}, aborted: here {ours}, there {theirs}")));
        }
        counts.add("aborted transactions", segment.aborted().len());
        let ours = segment.offset_index().to_bytes();
        let index = entries(&path.with_extension("index"), &ours, OFFSET_ENTRY_LEN)?;
        if index != ours {
            let (ours, index) = (hex(&ours), hex(&index));
            return Ok(Some(format!("{name}, offset index: here {ours}, there {index}")));
        }
        if is_by_clock(segment) {
            continue;
        }
        let is_active = number + 1 == log.segments().len();
        let ours =
            if is_active { segment.time_index().clone() } else { segment.closed_time_index() };
        let ours = ours.to_bytes();
        let index = entries(&path.with_extension("timeindex"), &ours, TIME_ENTRY_LEN)?;
        if index != ours {
            let (ours, index) = (hex(&ours), hex(&index));
            return Ok(Some(format!("{name}, time index: here {ours}, there {index}")));
        }
    }
    Ok(None)
}

/// The bytes of a `.txnindex`, ours and theirs.
fn aborted(segment: &Segment, path: &Path, ids: &Value) -> Result<(Vec<u8>, Vec<u8>)> {
    let ours = segment.aborted().iter().flat_map(AbortedTransaction::to_bytes).collect();
    let mut theirs = if path.exists() { fs::read(path)? } else { Vec::new() };
    for entry in theirs.chunks_mut(ABORTED_ENTRY_LEN) {
        put_known_id(entry.get_mut(2..10), ids);
    }
    Ok((ours, theirs))
}

/// An entry of a `.txnindex`: version, producer id, three offsets.
const ABORTED_ENTRY_LEN: usize = 34;

/// The broker has given out producer ids before: those of this history count from 0.
fn with_producer_ids(mut bytes: Vec<u8>, ids: &Value) -> Vec<u8> {
    let mut at = 0;
    while let Some(batch) = bytes.get_mut(at..) {
        let Ok(size) = BatchView::parse(batch).map(|view| view.bytes().len()) else { break };
        let Some(batch) = batch.get_mut(..size) else { break };
        if put_known_id(batch.get_mut(PRODUCER_ID), ids) {
            let crc = crc32c::checksum(batch.get(CRC_OF).unwrap_or_default());
            if let Some(field) = batch.get_mut(CRC) {
                field.copy_from_slice(&crc.to_be_bytes());
            }
        }
        at += size;
    }
    bytes
}

/// Where a batch has its producer id, its checksum, and what that is taken of.
const PRODUCER_ID: std::ops::Range<usize> = 43..51;
const CRC: std::ops::Range<usize> = 17..21;
const CRC_OF: std::ops::RangeFrom<usize> = 21..;

/// Puts the number of a producer id in its place; whether there was one.
fn put_known_id(field: Option<&mut [u8]>, ids: &Value) -> bool {
    let Some(field) = field else { return false };
    let Ok(id) = <[u8; 8]>::try_from(&*field).map(i64::from_be_bytes) else { return false };
    let Some(known) = ids[id.to_string()].as_i64() else { return false };
    field.copy_from_slice(&known.to_be_bytes());
    true
}

/// The entries of an index file. That of an open segment is 10 MiB, and zero behind its entries:
/// what is read is as long as ours, and one entry more.
fn entries(path: &Path, ours: &[u8], entry: usize) -> Result<Vec<u8>> {
    let mut index = Vec::new();
    let wanted = ours.len() + entry;
    fs::File::open(path)?.take(u64::try_from(wanted)?).read_to_end(&mut index)?;
    let used = index.iter().rposition(|&byte| byte != 0).map_or(0, |last| last / entry + 1);
    index.truncate(used * entry);
    Ok(index)
}

/// Compares segment with segment. Equal but for times of the broker's clock is equal.
fn bytes_differ(ours: &[u8], theirs: &[u8]) -> Option<String> {
    if ours == theirs {
        return None;
    }
    let (mut left, mut right) = (Batches::new(ours), Batches::new(theirs));
    loop {
        let position = left.position();
        match (left.next(), right.next()) {
            (None, None) => return None,
            (Some(Ok(here)), Some(Ok(there))) => {
                if here.bytes() == there.bytes() {
                    continue;
                }
                let (here, there) = (batch(&here), batch(&there));
                if let Some(difference) = difference(&here, &there) {
                    return Some(format!("the batch at byte {position}, {difference}"));
                }
            }
            (here, there) => {
                let end = |side: Option<_>| if side.is_some() { "a batch" } else { "the end" };
                let here = end(here.map(drop));
                return Some(format!(
                    "at byte {position}: here {here}, there {}",
                    end(there.map(drop))
                ));
            }
        }
    }
}

/// A batch in words, without what the broker's clock has set and what follows from that.
fn batch(batch: &loglanes::log::BatchView<'_>) -> Value {
    use loglanes::log::TimestampType::LogAppendTime;
    let header = batch.header();
    let by_append = header.timestamp_type() == LogAppendTime || header.is_control();
    let by_horizon = header.delete_horizon().is_some();
    let records: Vec<Value> = batch
        .records()
        .map(|record| match record {
            Ok(record) => json!([
                record.offset,
                if by_append { Value::Null } else { json!(record.timestamp) },
                record.key.map(hex),
                record.value.map(hex),
                record
                    .headers()
                    .map(|header| (hex(header.key), header.value.map(hex)))
                    .collect::<Vec<_>>(),
            ]),
            Err(error) => json!(error.to_string()),
        })
        .collect();
    json!({
        "base offset": header.base_offset,
        "last offset": header.last_offset(),
        "size": header.size_in_bytes(),
        "leader epoch": header.partition_leader_epoch,
        "attributes": header.attributes,
        "crc": if by_append || by_horizon { Value::Null } else { json!(header.crc) },
        "base timestamp": if by_horizon || header.is_control() { Value::Null } else { json!(header.base_timestamp) },
        "max timestamp": if by_append { Value::Null } else { json!(header.max_timestamp) },
        "producer": [header.producer_id, i64::from(header.producer_epoch), i64::from(header.base_sequence)],
        "records": records,
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
