//! Record batches, segments, and what is made of them.

use loglanes::interchange::segment::{LogFiles, SegmentItem, SegmentReader, legacy_records};
use loglanes::log::crc32c::checksum;
use loglanes::log::varint;
use loglanes::log::{Batches, LogConfig, PartitionLog, SegmentParts};
use loglanes::{RecordSet, SegmentSet};

use crate::fuzz;

/// The same bytes with the checksum of each batch made right: what lies behind it is reached.
fn with_checksums(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let mut at = 0;
    while let Some(head) = bytes.get(at..).and_then(|rest| rest.first_chunk::<61>()) {
        let length = i32::from_be_bytes([head[8], head[9], head[10], head[11]]);
        let Some(end) = usize::try_from(length).ok().and_then(|length| at.checked_add(12 + length))
        else {
            break;
        };
        let Some(content) = bytes.get(at + 21..end) else { break };
        let sum = checksum(content).to_be_bytes();
        bytes[at + 17..at + 21].copy_from_slice(&sum);
        at = end;
    }
    bytes
}

#[test]
fn varints() {
    fuzz("varint", |input| {
        for start in 0..input.len() {
            let mut position = start;
            if let Ok(value) = varint::read_i64(input, &mut position) {
                let mut written = Vec::new();
                varint::write_i64(&mut written, value);
                let mut again = 0;
                assert_eq!(varint::read_i64(&written, &mut again), Ok(value));
                assert_eq!(again, written.len());
            }
            assert!(position <= input.len());
            let mut position = start;
            let _number_or_not = varint::read_i32(input, &mut position);
            assert!(position <= input.len());
        }
    });
}

#[test]
fn batches() {
    fuzz("segment", |input| {
        for bytes in [input.to_vec(), with_checksums(input)] {
            for batch in Batches::new(&bytes).map_while(Result::ok) {
                let count = batch.records().flatten().count();
                assert!(count <= batch.bytes().len() * 1_100, "more records than bytes can hold");
                let _sound_or_not = batch.verify_crc();
            }
            let set = RecordSet::from_bytes(bytes);
            if set.check().is_ok() {
                assert_eq!(set.iter().count() as u64, set.len());
            }
        }
    });
}

/// What a reader says of a file that comes in pieces.
fn read(bytes: &[u8], piece: usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut each = |item: SegmentItem<'_>| {
        found.push(match item {
            SegmentItem::Batch { position, header } => format!("{position} {header:?}"),
            SegmentItem::Record(record) => format!("{record:?}"),
            SegmentItem::Padding { position, bytes } => format!("{position}: {bytes} zeros"),
            SegmentItem::Refused { position, reason } => format!("{position}: {reason}"),
        });
    };
    let mut reader = SegmentReader::new();
    bytes.chunks(piece).for_each(|piece| reader.feed(piece, &mut each));
    reader.finish(&mut each);
    found
}

#[test]
fn segment_files_in_pieces_of_any_size() {
    fuzz("segment", |input| {
        for bytes in [input.to_vec(), with_checksums(input)] {
            assert_eq!(read(&bytes, 7), read(&bytes, usize::MAX >> 1));
        }
        let _messages_or_not = legacy_records(input);
    });
}

#[test]
fn stored_segments() {
    fuzz("recover", |input| {
        for bytes in [input.to_vec(), with_checksums(input)] {
            let base_offset = bytes.first_chunk().map_or(0, |first| i64::from_be_bytes(*first));
            let parts = SegmentParts {
                base_offset,
                created_ms: 0,
                last_modified_ms: 0,
                bytes: bytes.clone(),
            };
            let config = LogConfig::default();
            if let Ok(log) = PartitionLog::restore(config, base_offset, vec![parts]) {
                assert_eq!(log.segments()[0].bytes(), bytes);
                let read = log.records_from(base_offset).count() as u64;
                assert!(read >= log.record_count());
            }
            let set = SegmentSet::from_bytes(bytes);
            let _parts_or_not = set.parts(0);
        }
    });
}

#[test]
fn archives() {
    fuzz("zip", |input| {
        if let Ok(files) = LogFiles::from_zip(input) {
            for (_, partition) in files.partitions() {
                let _set_or_not = partition.set();
            }
        }
    });
}
