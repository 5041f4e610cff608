//! Files into topics and out of them, for tests.

// Each test that includes this file uses its own part of it.
#![allow(dead_code)]

use loglanes::interchange::{Export, ExportFormat, ExportScope, ExportSpec, FileFormat, Found};
use loglanes::log::{Header, NewRecord};
use loglanes::{Cluster, Command, ImportSpec, JobProgress, RecordSet, Session};

/// Key, value and headers, owned.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plain {
    pub key: Option<Vec<u8>>,
    pub value: Option<Vec<u8>>,
    pub headers: Vec<(Vec<u8>, Option<Vec<u8>>)>,
}

/// A record of a topic, or a file, with its place.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Placed {
    pub partition: Option<i32>,
    pub offset: Option<i64>,
    pub timestamp: Option<i64>,
    pub plain: Plain,
}

/// What a format finds in a file that comes in pieces of a size; refusals as texts.
pub fn decode(format: &FileFormat, file: &[u8], size: usize) -> Vec<Result<Placed, String>> {
    let mut decoder = format.decoder().unwrap_or_else(|error| panic!("{format:?}: {error}"));
    let mut found = Vec::new();
    let mut each = |one: Found<'_>| {
        found.push(match one {
            Err(refused) => Err(refused.to_string()),
            Ok(record) => Ok(Placed {
                partition: record.partition,
                offset: record.offset,
                timestamp: record.timestamp,
                plain: Plain {
                    key: record.key.map(|key| key.into_owned()),
                    value: record.value.map(|value| value.into_owned()),
                    headers: record
                        .headers
                        .into_iter()
                        .map(|header| {
                            (header.key.into_owned(), header.value.map(|value| value.into_owned()))
                        })
                        .collect(),
                },
            }),
        });
    };
    for piece in file.chunks(size.max(1)) {
        decoder.feed(piece, &mut each);
    }
    decoder.finish_all(&mut each);
    found
}

/// The records of a file that is read without a refusal, in pieces of three sizes.
pub fn decode_all(format: &FileFormat, file: &[u8]) -> Vec<Placed> {
    let whole = decode(format, file, usize::MAX);
    for size in [1, 7] {
        assert_eq!(decode(format, file, size), whole, "in pieces of {size}");
    }
    whole.into_iter().map(|one| one.unwrap()).collect()
}

/// Sends records, each to its partition and with its timestamp.
pub fn sending(topic: &str, records: &[Placed], now_ms: i64) -> Command {
    let mut set = RecordSet::builder();
    for Placed { partition, timestamp, plain, .. } in records {
        let headers: Vec<Header<'_>> = plain
            .headers
            .iter()
            .map(|(key, value)| Header { key, value: value.as_deref() })
            .collect();
        let record = NewRecord {
            timestamp: timestamp.unwrap_or(now_ms),
            key: plain.key.as_deref(),
            value: plain.value.as_deref(),
            headers: &headers,
        };
        set.push_to(&record, *partition).unwrap();
    }
    let records = set.finish();
    Command::ProduceMany { topic: topic.into(), producer: None, partitioner: None, records }
}

/// All records of a topic, partition by partition.
pub fn records(cluster: &Cluster, topic: &str) -> Vec<Placed> {
    let topic = cluster.topic(topic).unwrap();
    let mut found = Vec::new();
    for (number, partition) in (0..).zip(&topic.partitions) {
        for record in partition.log.records_from(0) {
            found.push(Placed {
                partition: Some(number),
                offset: Some(record.offset),
                timestamp: Some(record.timestamp),
                plain: Plain {
                    key: record.key.map(<[u8]>::to_vec),
                    value: record.value.map(<[u8]>::to_vec),
                    headers: record
                        .headers()
                        .map(|header| (header.key.to_vec(), header.value.map(<[u8]>::to_vec)))
                        .collect(),
                },
            });
        }
    }
    found
}

/// A whole file.
pub fn export(cluster: &Cluster, topic: &str, scope: ExportScope, format: ExportFormat) -> Vec<u8> {
    let spec = ExportSpec { topic: topic.into(), scope, format };
    let mut export = Export::begin(cluster, &spec).unwrap();
    let mut file = Vec::new();
    while let Some(part) = export.next(cluster).unwrap() {
        file.extend(part);
    }
    file
}

/// Imports a file in pieces of a size.
pub fn import(
    session: &mut Session,
    spec: ImportSpec,
    file: &[u8],
    size: usize,
    now_ms: i64,
) -> JobProgress {
    session.begin_import(spec, now_ms).unwrap();
    for piece in file.chunks(size.max(1)) {
        session.feed(piece).unwrap();
    }
    session.finish().unwrap().1
}
