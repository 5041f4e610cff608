//! The files that an export writes, read by Kafka's own `kafka-dump-log`: it is to find in them what
//! lies in the log, batch by batch, record by record, entry by entry, and nothing to complain of.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use loglanes::interchange::segment::read_zip;
use loglanes::interchange::{Export, ExportFormat, ExportScope, ExportSpec};
use loglanes::log::TimestampType::LogAppendTime;
use loglanes::log::{BatchView, PartitionLog, RecordView};
use loglanes::{Cluster, log};
use serde_json::json;

use crate::broker::Broker;
use crate::compare::Counts;

/// The first line that is not as expected; none where the tool finds all of it.
pub fn compare(
    broker: &mut Broker,
    cluster: &Cluster,
    folder: &Path,
    counts: &mut Counts,
) -> Result<Option<String>> {
    for (name, topic) in cluster.topics() {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        write(cluster, name, folder)?;
        for (number, partition) in topic.partitions.iter().enumerate() {
            let directory = folder.join(format!("{name}-{number}"));
            for (file, expected) in expected(&partition.log) {
                let dump = json!({"type": "dump", "files": [directory.join(&file)]});
                let told = broker.ask(&dump)?;
                let Some(text) = told["ok"]["text"].as_str() else {
                    bail!("kafka-dump-log fails: {told}");
                };
                if let Some(difference) = lines_differ(&expected, text) {
                    return Ok(Some(format!("{name}-{number}/{file}, {difference}")));
                }
                counts.add("exported files read by kafka-dump-log", 1);
            }
        }
    }
    Ok(None)
}

/// Writes the export of a topic into a folder.
fn write(cluster: &Cluster, topic: &str, folder: &Path) -> Result<()> {
    let spec = ExportSpec {
        topic: topic.to_owned(),
        scope: ExportScope::Topic,
        format: ExportFormat::LogFiles,
    };
    let failed = |error: loglanes::Error| anyhow::anyhow!("the export of {topic}: {error}");
    let mut export = Export::begin(cluster, &spec).map_err(failed)?;
    let mut archive = Vec::new();
    while let Some(piece) = export.next(cluster).map_err(failed)? {
        archive.extend(piece);
    }
    for file in read_zip(&archive, |_| true).map_err(failed)? {
        let path = folder.join(&file.path);
        fs::create_dir_all(path.parent().context("a file without a folder")?)?;
        fs::write(path, file.bytes)?;
    }
    Ok(())
}

/// What the tool is to print of each file, without the line that names it.
fn expected(log: &PartitionLog) -> Vec<(String, Vec<String>)> {
    let mut files = Vec::new();
    for segment in log.segments() {
        let stem = format!("{:020}", segment.base_offset());
        let mut lines = vec![format!("Log starting offset: {}", segment.base_offset())];
        let mut position = 0;
        for batch in segment.batches() {
            lines.push(batch_line(&batch, position));
            position += batch.bytes().len();
            lines.extend(batch.records().flatten().map(|record| record_line(&batch, &record)));
        }
        files.push((format!("{stem}.log"), lines));
        let entries = segment.offset_index().to_bytes();
        let entries = entries.chunks_exact(log::index::OFFSET_ENTRY_LEN).map(|entry| {
            let (offset, position) = (number(entry, 0..4), number(entry, 4..8));
            format!("offset: {} position: {position}", segment.base_offset() + offset)
        });
        files.push((format!("{stem}.index"), entries.collect()));
        let entries = segment.closed_time_index().to_bytes();
        let entries = entries.chunks_exact(log::index::TIME_ENTRY_LEN).map(|entry| {
            let (time, offset) = (number(entry, 0..8), number(entry, 8..12));
            format!("timestamp: {time} offset: {}", segment.base_offset() + offset)
        });
        files.push((format!("{stem}.timeindex"), entries.collect()));
        if !segment.aborted().is_empty() {
            let entries = segment.aborted().iter().map(|one| {
                format!(
                    "version: 0 producerId: {} firstOffset: {} lastOffset: {} lastStableOffset: {}",
                    one.producer_id, one.first_offset, one.last_offset, one.last_stable_offset
                )
            });
            files.push((format!("{stem}.txnindex"), entries.collect()));
        }
    }
    files
}

/// A whole number, big-endian.
fn number(entry: &[u8], at: std::ops::Range<usize>) -> i64 {
    entry[at].iter().fold(0_i64, |number, byte| number << 8 | i64::from(*byte))
}

fn time_name(batch: &BatchView<'_>) -> &'static str {
    if batch.header().timestamp_type() == LogAppendTime { "LogAppendTime" } else { "CreateTime" }
}

fn batch_line(batch: &BatchView<'_>, position: usize) -> String {
    let header = batch.header();
    let horizon = header.delete_horizon();
    let horizon = horizon.map_or(".empty".to_owned(), |at| format!("[{at}]"));
    format!(
        "baseOffset: {} lastOffset: {} count: {} baseSequence: {} lastSequence: {} producerId: {} \
         producerEpoch: {} partitionLeaderEpoch: {} isTransactional: {} isControl: {} \
         deleteHorizonMs: OptionalLong{horizon} position: {position} {}: {} size: {} magic: 2 \
         compresscodec: {} crc: {} isvalid: true",
        header.base_offset,
        header.last_offset(),
        header.record_count,
        header.base_sequence,
        header.last_sequence(),
        header.producer_id,
        header.producer_epoch,
        header.partition_leader_epoch,
        header.is_transactional(),
        header.is_control(),
        time_name(batch),
        header.max_timestamp,
        header.size_in_bytes(),
        header.compression(),
        header.crc,
    )
}

fn record_line(batch: &BatchView<'_>, record: &RecordView<'_>) -> String {
    let header = batch.header();
    let size = |bytes: Option<&[u8]>| bytes.map_or(-1, |bytes| bytes.len() as i64);
    let sequence = match header.base_sequence {
        -1 => -1,
        base => i64::from(base) + record.offset - header.base_offset,
    };
    let keys = record.headers().map(|one| String::from_utf8_lossy(one.key).into_owned());
    let keys = keys.collect::<Vec<_>>().join(",");
    let line = format!(
        "| offset: {} {}: {} keySize: {} valueSize: {} sequence: {sequence} headerKeys: [{keys}]",
        record.offset,
        time_name(batch),
        record.timestamp,
        size(record.key),
        size(record.value),
    );
    match log::marker_of(batch) {
        Some((kind, epoch)) => {
            let kind = if kind == log::EndTransaction::Commit { "COMMIT" } else { "ABORT" };
            format!("{line} endTxnMarker: {kind} coordinatorEpoch: {epoch}")
        }
        None => line,
    }
}

fn lines_differ(expected: &[String], text: &str) -> Option<String> {
    let is_told = |line: &&str| !line.starts_with("Dumping ") && !line.ends_with(" is empty.");
    let mut told = text.lines().filter(is_told);
    for line in expected {
        match told.next() {
            Some(one) if one == line => {}
            other => return Some(format!("here {line:?}, there {other:?}")),
        }
    }
    told.next().map(|more| format!("there also {more:?}"))
}
