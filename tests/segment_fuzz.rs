//! The readers of Kafka's files against files that were changed by chance: they answer, in the same
//! way however the file is cut into pieces, and never panic. The corpus: `tests/files/seg-*.log` and
//! the files of `tests/golden/segments`.
#![cfg(not(target_arch = "wasm32"))]

use std::fs;
use std::path::Path;

use loglanes::interchange::segment::{
    DumpReader, DumpRecord, DumpRefused, LogFiles, SegmentItem, SegmentReader, ZipWriter,
    legacy_records,
};
use loglanes::log::{BatchView, Batches, LogConfig, PartitionLog, SegmentParts};
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Files of the corpus with an ending, none larger than 32 KiB.
fn corpus(ending: &str) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut folders = vec![root.join("files")];
    for entry in fs::read_dir(root.join("golden/segments")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            folders.push(path);
        }
    }
    folders.sort();
    let mut files = Vec::new();
    for folder in folders {
        let mut paths: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.retain(|path| path.to_string_lossy().ends_with(ending));
        paths.sort();
        files.extend(paths.iter().map(|path| fs::read(path).unwrap()));
    }
    files.retain(|file| !file.is_empty() && file.len() <= 32 << 10);
    assert!(!files.is_empty(), "no {ending} in the corpus");
    files
}

/// One change of some bytes.
#[derive(Debug, Clone)]
enum Change {
    Set(Index, u8),
    Cut(Index),
    Insert(Index, Vec<u8>),
    Remove(Index, u8),
    /// A length of 32 bits.
    Length(Index, i32),
    /// The same bytes once more.
    Again,
}

fn change() -> impl Strategy<Value = Change> {
    let lengths = select(vec![-1, 0, 1, 13, 14, 49, 61, i32::MAX, i32::MIN, 128 << 20]);
    prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Change::Set(at, byte)),
        any::<Index>().prop_map(Change::Cut),
        (any::<Index>(), prop::collection::vec(any::<u8>(), 1..20))
            .prop_map(|(at, bytes)| Change::Insert(at, bytes)),
        (any::<Index>(), 1_u8..20).prop_map(|(at, count)| Change::Remove(at, count)),
        (any::<Index>(), lengths).prop_map(|(at, length)| Change::Length(at, length)),
        Just(Change::Again),
    ]
}

fn changed(mut file: Vec<u8>, changes: &[Change]) -> Vec<u8> {
    for change in changes {
        if file.is_empty() {
            break;
        }
        match change {
            Change::Set(at, byte) => {
                let at = at.index(file.len());
                file[at] = *byte;
            }
            Change::Cut(at) => file.truncate(at.index(file.len())),
            Change::Insert(at, bytes) => {
                let at = at.index(file.len());
                file.splice(at..at, bytes.iter().copied());
            }
            Change::Remove(at, count) => {
                let at = at.index(file.len());
                let end = (at + usize::from(*count)).min(file.len());
                file.drain(at..end);
            }
            Change::Length(at, length) => {
                let at = at.index(file.len());
                let end = (at + 4).min(file.len());
                file[at..end].copy_from_slice(&length.to_be_bytes()[..end - at]);
            }
            Change::Again => file.extend_from_within(..),
        }
    }
    file
}

/// Takes the CRC of each batch that can be framed anew, so that what lies behind it is met.
fn with_crcs(mut file: Vec<u8>) -> Vec<u8> {
    let mut at = 0;
    while let Some(length) = file.get(at + 8..at + 12).and_then(|length| length.first_chunk::<4>())
    {
        let Ok(length) = usize::try_from(i32::from_be_bytes(*length)) else { break };
        let end = at.saturating_add(length).saturating_add(12);
        let Some(batch) = file.get_mut(at..end).filter(|batch| batch.len() >= 61) else { break };
        let crc = loglanes::log::crc32c::checksum(&batch[21..]);
        batch[17..21].copy_from_slice(&crc.to_be_bytes());
        at = end;
    }
    file
}

fn read(file: &[u8], chunk: usize) -> Vec<String> {
    let mut seen = Vec::new();
    let mut reader = SegmentReader::new();
    let mut each = |item: SegmentItem<'_>| {
        seen.push(match item {
            SegmentItem::Record(record) => format!(
                "{} {} {:?} {:?} {:?}",
                record.offset(),
                record.timestamp(),
                record.key(),
                record.value(),
                record.headers()
            ),
            other => format!("{other:?}"),
        });
    };
    file.chunks(chunk).for_each(|chunk| reader.feed(chunk, &mut each));
    reader.finish(&mut each);
    seen
}

fn read_dump(text: &[u8], chunk: usize) -> Vec<String> {
    let mut seen = Vec::new();
    let mut reader = DumpReader::new();
    let mut each = |record: Result<DumpRecord<'_>, DumpRefused>| seen.push(format!("{record:?}"));
    text.chunks(chunk).for_each(|chunk| reader.feed(chunk, &mut each));
    reader.finish(&mut each);
    seen
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn a_changed_segment_is_read_or_refused(
        file in select(corpus(".log")),
        changes in prop::collection::vec(change(), 0..4),
        sealed in any::<bool>(),
        chunk in 1_usize..2_000,
    ) {
        let file = changed(file, &changes);
        let file = if sealed { with_crcs(file) } else { file };
        let whole = read(&file, usize::MAX);
        prop_assert_eq!(&read(&file, chunk), &whole);
        // A refusal or padding comes once, and last.
        let last = whole.iter().position(|item| item.starts_with("Refused") || item.starts_with("Padding"));
        prop_assert!(last.is_none_or(|at| at + 1 == whole.len()));
        let _ = legacy_records(&file);
        for batch in Batches::new(&file).map_while(Result::ok) {
            let unpacked = batch.unpack();
            let _ = batch.records_in(&unpacked).count();
        }
        let parts = SegmentParts { base_offset: 0, created_ms: 0, last_modified_ms: 0, bytes: file };
        if let Ok((log, _)) = PartitionLog::recover(LogConfig::default(), None, vec![parts]) {
            prop_assert_eq!(log.records_from(0).count() as u64, log.record_count());
        }
    }

    #[test]
    fn a_changed_dump_is_read_or_refused(
        text in select(corpus("dump.txt")),
        changes in prop::collection::vec(change(), 0..4),
        chunk in 1_usize..2_000,
    ) {
        let text = changed(text, &changes);
        prop_assert_eq!(read_dump(&text, chunk), read_dump(&text, usize::MAX));
    }

    #[test]
    fn a_changed_archive_is_read_or_refused(
        files in prop::collection::vec(select(corpus(".log")), 0..4),
        changes in prop::collection::vec(change(), 0..4),
    ) {
        let (mut writer, mut archive) = (ZipWriter::default(), Vec::new());
        for (number, file) in files.iter().enumerate() {
            writer.begin(&format!("t-{number}/{:020}.log", 0), file, &mut archive).unwrap();
            archive.extend_from_slice(file);
        }
        writer.end(&mut archive);
        let whole = LogFiles::from_zip(&archive).unwrap();
        prop_assert_eq!(whole.partitions().count(), files.len());
        if let Ok(files) = LogFiles::from_zip(&changed(archive, &changes)) {
            let _ = files.copy(Some("t"), 0);
        }
    }

    #[test]
    fn a_packed_stream_of_anything_is_unpacked_or_refused(
        codec in 1_u8..5,
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        count in 0_i32..5,
        begin in 0_usize..5,
    ) {
        // The beginning of a real stream brings the reader further.
        let begins: [&[u8]; 5] = [
            b"", b"\x1f\x8b\x08\0\0\0\0\0\0\xff", b"\x82SNAPPY\0\0\0\0\x01\0\0\0\x01",
            b"\x04\x22\x4d\x18\x60\x40\x82", b"\x28\xb5\x2f\xfd\0\x58",
        ];
        let mut batch = vec![0; 61];
        batch[16] = 2;
        batch[22] = codec;
        batch[57..61].copy_from_slice(&count.to_be_bytes());
        batch.extend_from_slice(begins[begin]);
        batch.extend_from_slice(&bytes);
        let length = batch.len() as i32 - 12;
        batch[8..12].copy_from_slice(&length.to_be_bytes());
        let view = BatchView::parse(&batch).unwrap();
        let unpacked = view.unpack();
        prop_assert!(view.records_in(&unpacked).count() <= count as usize + 1);
    }
}
