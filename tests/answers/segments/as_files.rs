//! Kafka's files, in: every `.log` of the golden data, damaged ones, and those of users' reports.

use std::fs;
use std::path::{Path, PathBuf};

use crate::recorded::{Tally, folder, hex, lines, names};
use loglanes::interchange::segment::{
    DumpReader, LogFiles, SegmentItem, SegmentReader, SegmentSummary,
};
use loglanes::log::{Compression, LogConfig, PartitionLog, SegmentParts};
use serde_json::Value;

type Headers = Vec<(Vec<u8>, Option<Vec<u8>>)>;
type Record = (i64, i64, Option<Vec<u8>>, Option<Vec<u8>>, Headers);

/// What came of a file.
#[derive(Debug, Default, PartialEq)]
struct Read {
    records: Vec<Record>,
    padding: Option<(u64, u64)>,
    refused: Option<(u64, String)>,
    summary: SegmentSummary,
}

fn read(file: &[u8], chunk: usize) -> Read {
    let mut read = Read::default();
    let mut reader = SegmentReader::new();
    let mut each = |item: SegmentItem<'_>| match item {
        SegmentItem::Record(record) => {
            let headers = record.headers().into_iter();
            let headers = headers.map(|h| (h.key.to_vec(), h.value.map(<[u8]>::to_vec))).collect();
            let (key, value) = (record.key().map(Into::into), record.value().map(Into::into));
            read.records.push((record.offset(), record.timestamp(), key, value, headers));
        }
        SegmentItem::Batch { .. } => {}
        SegmentItem::Padding { position, bytes } => read.padding = Some((position, bytes)),
        SegmentItem::Refused { position, reason } => read.refused = Some((position, reason)),
    };
    file.chunks(chunk).for_each(|chunk| reader.feed(chunk, &mut each));
    reader.finish(&mut each);
    read.summary = reader.summary().clone();
    read
}

fn int(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| value.as_str().unwrap().parse().unwrap())
}

fn record(value: &Value) -> Record {
    let headers = value["headers"].as_array().unwrap().iter();
    (
        int(&value["offset"]),
        int(&value["timestamp"]),
        hex(&value["key_hex"]),
        hex(&value["value_hex"]),
        headers.map(|pair| (pair[0].as_str().unwrap().into(), hex(&pair[1]))).collect(),
    )
}

/// The directories of the golden data: name, path, and the records that consumers may get.
fn directories() -> Vec<(String, PathBuf, Vec<Value>)> {
    let mut all = Vec::new();
    for name in names("segments") {
        let path = folder().join("segments").join(&name);
        if path.join("case.json").exists() {
            let records = lines(&format!("segments/{name}/records.ndjson"));
            all.push((name, path, records));
        }
    }
    all
}

fn files(path: &Path, extension: &str) -> Vec<PathBuf> {
    let mut files: Vec<_> =
        fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|found| found == extension));
    files.sort();
    files
}

#[test]
fn every_file_of_a_broker_is_read_whatever_the_chunks() {
    let mut tally = Tally::default();
    let mut count = 0;
    for (name, path, records) in directories() {
        let data = records.iter().filter(|one| one["control"].is_null()).map(record);
        let expected: Vec<Record> = data.collect();
        for chunk in [1, 61, 4096, 1 << 20] {
            let mut found = Vec::new();
            for file in files(&path, "log") {
                let read = read(&fs::read(&file).unwrap(), chunk);
                assert_eq!((read.refused, read.padding), (None, None), "{name}");
                found.extend(read.records);
            }
            count += 1;
            tally.compare(&name, found, expected.clone());
        }
    }
    tally.finish("segments, read as files", count);
}

#[test]
fn what_is_damaged_is_refused_as_by_kafka_s_reader_of_files() {
    let cases = lines("segments/bad.ndjson");
    let mut tally = Tally::default();
    for case in &cases {
        let name = case["case"].as_str().unwrap();
        let bytes = hex(&case["hex"]).unwrap();
        let kafka = &case["file"];
        let ours = read(&bytes, 50);
        let good = kafka["bytes_read"].as_u64().unwrap();
        let place = ours.refused.as_ref().map(|(position, _)| *position);
        if kafka["verdict"] == "ok" {
            let records = kafka["batches"].as_array().unwrap().iter();
            let records = records.flat_map(|batch| batch["records"].as_array().unwrap());
            // The record is no marker, and yet no consumer gets it.
            let is_control = matches!(bytes.get(16..23), Some([2, .., bits]) if bits & 0x20 != 0);
            let records = records.filter(|_| !is_control);
            let kafkas: Vec<_> = records.map(|one| (int(&one[0]), int(&one[1]))).collect();
            let is_whole = good == bytes.len() as u64;
            let ended = place.or(ours.padding.map(|(position, _)| position));
            let found: Vec<_> = ours.records.iter().map(|one| (one.0, one.1)).collect();
            // Kafka's reader passes over a tail in silence; ours says where it begins.
            tally.compare(name, (found, ended), (kafkas, (!is_whole).then_some(good)));
            continue;
        }
        let said = ours.refused.map_or_else(
            || {
                ours.padding
                    .map(|(position, _)| format!("padding at {position}"))
                    .unwrap_or_default()
            },
            |(_, reason)| reason,
        );
        let message = kafka["message"].as_str().unwrap_or_default();
        let message = message.split(" in file <file>").next().unwrap();
        let message = message.split(", converted value").next().unwrap();
        let is_padding = bytes[good as usize..].iter().all(|&byte| byte == 0);
        let has_text = !kafka["exception"].as_str().unwrap().starts_with("java.lang.Ind");
        let same = if is_padding {
            said == format!("padding at {good}")
        } else {
            place == Some(good) && (!has_text || said.starts_with(message))
        };
        tally.compare((name, said, message), same, true);
    }
    tally.finish("bad, read as files", cases.len());
}

fn case(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(name);
    fs::read(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"))
}

fn offsets(read: &Read) -> Vec<i64> {
    read.records.iter().map(|record| record.0).collect()
}

/// KB-39.
#[test]
fn files_from_users_are_read() {
    let plain = read(&case("seg-plain.log"), 64);
    assert_eq!(offsets(&plain), [0, 1, 2, 3, 4, 5, 6]);
    let padded = read(&case("seg-zerotail.log"), 64);
    assert_eq!(padded.records, plain.records);
    assert_eq!(padded.padding, Some((246, 128)));
    for (name, codec) in [
        ("seg-gzip.log", Compression::Gzip),
        ("seg-snappy.log", Compression::Snappy),
        ("seg-lz4.log", Compression::Lz4),
        ("seg-zstd.log", Compression::Zstd),
    ] {
        let read = read(&case(name), 64);
        assert_eq!(offsets(&read), (100..120).collect::<Vec<_>>(), "{name}");
        assert_eq!(read.summary.compressions().collect::<Vec<_>>(), [codec]);
    }
    let old = read(&case("seg-magic1.log"), 64);
    let (_, _, key, value, _) = &old.records[0];
    assert_eq!((key.as_deref(), value.as_deref()), (Some(&b"old"[..]), Some(&b"magic1"[..])));
    assert_eq!((old.records.len(), old.summary.legacy), (1, 1));
    assert_eq!(read(&[], 64), Read::default());
    assert!(case("seg-empty.log").is_empty());
}

/// KB-13, KB-18, KB-37.
#[test]
fn gaps_and_large_offsets_stay_what_they_are() {
    let txn = read(&case("seg-txn.log"), 64);
    assert_eq!((offsets(&txn), txn.summary.offsets), (vec![0, 1, 2], Some((0, 4))));
    assert_eq!((txn.summary.commits, txn.summary.aborts), (1, 0));
    let abort = read(&case("seg-abort.log"), 64);
    assert_eq!((offsets(&abort), abort.summary.aborts), (vec![0, 1, 3], 1));
    let compacted = read(&case("seg-compacted.log"), 64);
    assert_eq!(
        (offsets(&compacted), compacted.summary.offsets),
        (vec![10, 13, 17], Some((10, 18)))
    );
    let large = read(&case("seg-2e53.log"), 64);
    assert_eq!(offsets(&large), [(1 << 53) - 1, 1 << 53, (1 << 53) + 1]);
}

#[test]
fn a_file_that_is_cut_or_of_another_kind_names_the_byte() {
    let plain = case("seg-plain.log");
    for cut in 1..plain.len() {
        let read = read(&plain[..cut], 64);
        // Of an offset that begins with zeros nobody can tell.
        let is_between = read.refused.is_none() && read.padding.is_none();
        assert_eq!(is_between, read.summary.bytes == cut as u64, "cut at {cut}");
        if let Some((position, bytes)) = read.padding {
            assert!(bytes < 12 && position + bytes == cut as u64);
        }
        if let Some((position, _)) = read.refused {
            assert_eq!(position, read.summary.bytes);
        }
    }
    let text = b"{\"key\":\"a\",\"value\":\"what people drop on a page\"}\n".repeat(100);
    let (position, reason) = read(&text, 64).refused.unwrap();
    assert_eq!(position, 0);
    assert!(reason.contains("this is no .log file"), "{reason}");
    // A lying length asks for no memory: it is refused when it is read.
    let mut lying = plain.clone();
    lying[8..12].copy_from_slice(&(128_i32 << 20).to_be_bytes());
    assert_eq!(read(&lying, 64).refused.unwrap().0, 0);
    lying[8..12].copy_from_slice(&((128_i32 << 20) - 12).to_be_bytes());
    let (_, reason) = read(&lying, 64).refused.unwrap();
    assert!(reason.starts_with("A record batch of 134217728 bytes was begun, and 246 bytes"));
}

/// The same broker's verdict after an unclean stop.
#[test]
fn what_a_broker_keeps_after_a_crash_is_kept() {
    let cases = lines("segments/bad.ndjson");
    let mut tally = Tally::default();
    let mut count = 0;
    for case in cases.iter().filter(|case| !case["recover"].is_null()) {
        count += 1;
        let kafka = &case["recover"];
        let bytes = hex(&kafka["segment_hex"]).unwrap();
        let parts = SegmentParts { base_offset: 0, created_ms: 0, last_modified_ms: 0, bytes };
        match PartitionLog::recover(LogConfig::default(), None, vec![parts]) {
            Ok((log, _)) => tally.compare(
                case["case"].as_str().unwrap(),
                (log.size_in_bytes() as i64, log.log_end_offset()),
                (int(&kafka["bytes_kept"]), int(&kafka["log_end_offset"])),
            ),
            Err(error) => {
                assert_eq!(error.name(), "CORRUPT_BYTES");
                tally.skip("records that a broker keeps and cannot read");
            }
        }
    }
    tally.finish("bad, recovered", count);

    let cases = lines("cleaning/recovery.ndjson");
    let mut tally = Tally::default();
    for case in &cases {
        let mut files = LogFiles::new();
        for file in case["damaged"].as_array().unwrap() {
            files.add(file[0].as_str().unwrap(), hex(&file[1]).unwrap()).unwrap();
        }
        let (_, partition) = files.partitions().next().unwrap();
        if case["before"]["log_start_offset"] != 0 {
            tally.skip("the log start offset stands in no file of the partition");
            continue;
        }
        let (log, _) = match partition.recover(LogConfig::default(), 0) {
            Ok(recovered) => recovered,
            Err(error) => {
                assert_eq!(error.name(), "CORRUPT_BYTES");
                tally.skip("batches that a broker keeps, and whose offsets do not rise");
                continue;
            }
        };
        let ours: Vec<_> = log
            .segments()
            .iter()
            .map(|segment| (segment.base_offset(), segment.size_in_bytes() as i64))
            .collect();
        let kafkas = case["after"]["segments"].as_array().unwrap().iter();
        let kafkas = kafkas.map(|segment| (int(&segment["base_offset"]), int(&segment["size"])));
        tally.compare(
            case["case"].as_str().unwrap(),
            (ours, log.log_end_offset()),
            (kafkas.collect(), int(&case["after"]["log_end_offset"])),
        );
    }
    tally.finish("cleaning/recovery, by its files", cases.len());
}

#[test]
fn a_dump_is_read_back_as_far_as_it_goes() {
    let mut tally = Tally::default();
    let mut count = 0;
    for (name, path, records) in directories() {
        let text = fs::read(path.join("dump.txt")).unwrap();
        let expected: Vec<Record> =
            records.iter().filter(|one| one["control"].is_null()).map(record).collect();
        let is_printed = |record: &Record| {
            let is_text = |bytes: &Option<Vec<u8>>| {
                bytes.as_ref().is_none_or(|bytes| {
                    std::str::from_utf8(bytes).is_ok_and(|text| !text.contains('\u{fffd}'))
                })
            };
            // One header whose name is empty is printed like none.
            let names = record.4.iter().map(|(name, _)| name.len()).sum::<usize>();
            record.4.len() <= 1 && names == 0 && is_text(&record.2) && is_text(&record.3)
        };
        let printed: Vec<_> = expected.iter().filter(|record| is_printed(record)).collect();
        for chunk in [13, 1 << 20] {
            let (mut found, mut refused) = (Vec::new(), 0);
            let mut reader = DumpReader::new();
            let mut each =
                |record: Result<loglanes::interchange::segment::DumpRecord<'_>, _>| match record {
                    Ok(record) => {
                        let (key, value) =
                            (record.key.map(Into::into), record.value.map(Into::into));
                        found.push((record.offset, record.timestamp, key, value, Vec::new()));
                    }
                    Err(_) => refused += 1,
                };
            text.chunks(chunk).for_each(|chunk| reader.feed(chunk, &mut each));
            reader.finish(&mut each);
            count += 1;
            let kafkas = printed.iter().map(|record| {
                let (offset, timestamp, key, value, _) = (*record).clone();
                (offset, timestamp, key, value, Vec::new())
            });
            let kafkas: Vec<Record> = kafkas.collect();
            tally.compare(&name, (found, refused), (kafkas, expected.len() - printed.len()));
        }
    }
    tally.finish("dumps", count);
}
