//! Logs for the tests beside this file.

use crate::log::{BatchBuilder, LogConfig, NewRecord, PartitionLog};
use crate::partitioner::partition_for_key;

pub(super) type Pair = (Option<Vec<u8>>, Option<Vec<u8>>);

pub(super) fn logs(partitions: usize) -> Vec<PartitionLog> {
    (0..partitions).map(|_| PartitionLog::new(LogConfig::default(), 0)).collect()
}

pub(super) fn append(log: &mut PartitionLog, records: &[Pair]) {
    if records.is_empty() {
        return;
    }
    let mut batch = BatchBuilder::new();
    for (key, value) in records {
        let (key, value) = (key.as_deref(), value.as_deref());
        batch.append(&NewRecord { timestamp: 0, key, value, headers: &[] }).unwrap();
    }
    log.append_batch(&mut batch, 0).unwrap();
}

pub(super) fn keyed(key: &str) -> Pair {
    (Some(key.as_bytes().to_vec()), Some(b"v".to_vec()))
}

/// Sends each key where Kafka's producer would.
pub(super) fn send(logs: &mut [PartitionLog], keys: impl IntoIterator<Item = String>) {
    let partitions = logs.len() as u32;
    let mut sent = vec![Vec::new(); logs.len()];
    for key in keys {
        sent[partition_for_key(key.as_bytes(), partitions) as usize].push(keyed(&key));
    }
    for (log, records) in logs.iter_mut().zip(sent) {
        for records in records.chunks(1000) {
            append(log, records);
        }
    }
}

/// A log with gaps: its batches are `(base offset, records)`.
pub(super) fn replica(start: i64, batches: &[(i64, Vec<Pair>)]) -> PartitionLog {
    let mut log = PartitionLog::with_base_offset(LogConfig::default(), start, 0).unwrap();
    for (base_offset, records) in batches {
        let mut batch = BatchBuilder::new();
        for (key, value) in records {
            let (key, value) = (key.as_deref(), value.as_deref());
            batch.append(&NewRecord { timestamp: 0, key, value, headers: &[] }).unwrap();
        }
        log.append_as_follower(batch.finish(*base_offset, 0), 0).unwrap();
    }
    log
}

/// The origins of the flights sample, one for each record.
pub(super) fn origins() -> Vec<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/www/samples/flights-20k.ndjson");
    let file = std::fs::read(path).unwrap();
    let mut origins = Vec::new();
    let mut reader = crate::interchange::ndjson::NdjsonReader::new(Some("origin".to_owned()));
    let mut take = |line: Result<crate::interchange::ndjson::NdjsonRecord<'_>, _>| {
        let line: Result<_, crate::interchange::ndjson::RefusedLine> = line;
        origins.push(String::from_utf8(line.unwrap().key.unwrap().into_owned()).unwrap());
    };
    for chunk in file.chunks(64 * 1024) {
        reader.feed(chunk, &mut take);
    }
    reader.finish(&mut take);
    origins
}
