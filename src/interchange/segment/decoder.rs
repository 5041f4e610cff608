//! Kafka's files as an import reads them, and how they are recognised.

use std::borrow::Cow;

use super::dump::{DumpReader, DumpRecord, DumpRefused};
use super::files::{LogFile, log_file};
use super::legacy::legacy_records;
use super::reader::{SegmentItem, SegmentReader, SegmentRecord};
use super::zip::{MAX_ZIP_BYTES, MAX_ZIP_UNPACKED_BYTES, Unpacker, ZipMember, zip_members};
use crate::interchange::decoder::{
    Decoder, FileHeader, FileRecord, Found, Passed, Place, RefusedAt,
};

/// Reads one `.log` file: see [`SegmentReader`]. Zero bytes at its end are told like a refusal.
#[derive(Debug, Default)]
pub struct SegmentDecoder(SegmentReader);

impl Decoder for SegmentDecoder {
    fn feed(&mut self, chunk: &[u8], each: &mut dyn FnMut(Found<'_>)) {
        self.0.feed(chunk, &mut |item| give(item, None, "", each));
    }

    fn finish(&mut self, each: &mut dyn FnMut(Found<'_>)) {
        self.0.finish(&mut |item| give(item, None, "", each));
    }
}

/// Passes an item on. `file` is named in front of what is refused.
fn give(
    item: SegmentItem<'_>,
    partition: Option<i32>,
    file: &str,
    each: &mut dyn FnMut(Found<'_>),
) {
    match item {
        SegmentItem::Batch { .. } => {}
        SegmentItem::Record(record) => each(Ok(file_record(&record, partition))),
        SegmentItem::Padding { position, bytes } => {
            let reason = format!(
                "{file}{bytes} zero bytes to the end of the file: padding, in which no record is."
            );
            each(Err(RefusedAt::new(Place::Byte(position), reason)));
        }
        SegmentItem::Refused { position, reason } => {
            let reason = format!("{file}{reason}");
            each(Err(RefusedAt::new(Place::Byte(position), reason)));
        }
    }
}

fn file_record<'a>(record: &SegmentRecord<'a>, partition: Option<i32>) -> FileRecord<'a> {
    let headers = record.headers().into_iter().map(|header| FileHeader {
        key: Cow::Borrowed(header.key),
        value: header.value.map(Cow::Borrowed),
    });
    FileRecord {
        place: Place::Byte(record.position()),
        partition,
        offset: Some(record.offset()),
        timestamp: Some(record.timestamp()),
        key: record.key().map(Cow::Borrowed),
        value: record.value().map(Cow::Borrowed),
        headers: headers.collect(),
        row: None,
    }
}

/// Reads the `.log` files in a zip archive, partition after partition. All of the archive is held
/// until it is over: its table of contents stands at the end. What is unpacked is a piece at a time.
#[derive(Debug, Default)]
pub struct LogZipDecoder {
    archive: Vec<u8>,
    /// Whether nothing more is read.
    is_over: bool,
    work: Option<Unzipping>,
}

/// The members that are still to be read, and the one that is.
#[derive(Debug)]
struct Unzipping {
    members: std::vec::IntoIter<(LogFile, ZipMember)>,
    unpacker: Unpacker,
    reading: Option<(LogFile, SegmentReader)>,
    piece: Vec<u8>,
}

impl LogZipDecoder {
    fn break_off(&mut self, reason: &str, each: &mut dyn FnMut(Found<'_>)) {
        (self.archive, self.work, self.is_over) = (Vec::new(), None, true);
        each(Err(RefusedAt::new(Place::Byte(0), reason)));
    }

    /// What there is to read, in the order of partitions and offsets.
    fn begin(&self) -> crate::Result<Unzipping> {
        let members = zip_members(&self.archive)?.into_iter();
        let mut members: Vec<_> =
            members.filter_map(|member| Some((log_file(&member.path)?, member))).collect();
        members.sort_by(|(one, _), (other, _)| one.cmp(other));
        let unpacker = Unpacker::new(MAX_ZIP_UNPACKED_BYTES);
        let members = members.into_iter();
        Ok(Unzipping { members, unpacker, reading: None, piece: Vec::new() })
    }
}

impl Unzipping {
    /// Reads the next piece; whether there may be more.
    fn go_on(&mut self, archive: &[u8], each: &mut dyn FnMut(Found<'_>)) -> crate::Result<bool> {
        if self.reading.is_none() {
            let Some((file, member)) = self.members.next() else { return Ok(false) };
            self.unpacker.begin(&member);
            self.reading = Some((file, SegmentReader::new()));
        }
        let Some((file, reader)) = &mut self.reading else { return Ok(false) };
        self.piece.clear();
        let more = self.unpacker.next(archive, &mut self.piece)?;
        let name = format!("{}: ", file.path);
        let number = file.partition;
        reader.feed(&self.piece, &mut |item| give(item, number, &name, each));
        if !more {
            reader.finish(&mut |item| give(item, number, &name, each));
            self.reading = None;
        }
        Ok(true)
    }
}

impl Decoder for LogZipDecoder {
    fn feed(&mut self, chunk: &[u8], each: &mut dyn FnMut(Found<'_>)) {
        if self.is_over {
            return;
        }
        if self.archive.len() + chunk.len() > MAX_ZIP_BYTES {
            let reason = format!(
                "The archive has more than {MAX_ZIP_BYTES} bytes. Unpack it and give its files."
            );
            return self.break_off(&reason, each);
        }
        self.archive.extend_from_slice(chunk);
    }

    fn finish(&mut self, each: &mut dyn FnMut(Found<'_>)) {
        if self.is_over {
            return;
        }
        match self.begin() {
            Ok(work) if work.members.len() == 0 => {
                self.break_off("There is no .log file in the archive.", each);
            }
            Ok(work) => self.work = Some(work),
            Err(error) => self.break_off(error.message(), each),
        }
    }

    fn go_on(&mut self, each: &mut dyn FnMut(Found<'_>)) -> bool {
        let Some(work) = &mut self.work else { return false };
        match work.go_on(&self.archive, each) {
            Ok(more) => more,
            Err(error) => {
                self.break_off(error.message(), each);
                false
            }
        }
    }
}

/// Reads the text of `kafka-dump-log --print-data-log`: see [`DumpReader`].
#[derive(Debug, Default)]
pub struct DumpDecoder(DumpReader);

impl Decoder for DumpDecoder {
    fn feed(&mut self, chunk: &[u8], each: &mut dyn FnMut(Found<'_>)) {
        self.0.feed(chunk, &mut |record| each(dumped(record)));
    }

    fn finish(&mut self, each: &mut dyn FnMut(Found<'_>)) {
        self.0.finish(&mut |record| each(dumped(record)));
    }

    fn passed(&self) -> Passed {
        Passed { continued: self.0.left_over(), ..Passed::default() }
    }
}

fn dumped(record: Result<DumpRecord<'_>, DumpRefused>) -> Found<'_> {
    match record {
        Ok(record) => Ok(FileRecord {
            place: Place::Line(record.line),
            partition: None,
            offset: Some(record.offset),
            timestamp: Some(record.timestamp),
            key: record.key.map(Cow::Borrowed),
            value: record.value.map(Cow::Borrowed),
            headers: Vec::new(),
            row: None,
        }),
        Err(refused) => Err(RefusedAt::new(Place::Line(refused.line), refused.reason)),
    }
}

/// Which of Kafka's files the beginning of a file looks like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Looks {
    /// Which one.
    pub kind: LooksLike,
    /// Why, in a sentence.
    pub reason: String,
    /// What a reader should know of it.
    pub notes: Vec<String>,
}

/// One of the kinds of files that are read here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LooksLike {
    /// A `.log` file.
    Segment,
    /// A zip archive.
    Zip,
    /// The text of `kafka-dump-log`.
    Dump,
}

/// Looks at the beginning of a file.
///
/// ```
/// use loglanes::interchange::segment::{LooksLike, looks_like};
/// use loglanes::log::{BatchBuilder, NewRecord};
///
/// let mut batch = BatchBuilder::new();
/// batch.append(&NewRecord { timestamp: 5, key: None, value: Some(b"v"), headers: &[] })?;
/// assert_eq!(looks_like(batch.finish(40, 0)).unwrap().kind, LooksLike::Segment);
/// assert!(looks_like(b"{\"key\":1}\n").is_none());
/// # Ok::<(), loglanes::Error>(())
/// ```
#[must_use]
pub fn looks_like(head: &[u8]) -> Option<Looks> {
    if head.starts_with(b"PK\x03\x04") {
        return Some(Looks {
            kind: LooksLike::Zip,
            reason: "It is a zip archive; the .log files of partitions in it are read.".to_owned(),
            notes: vec!["A directory such as orders-3 gives the partition.".to_owned()],
        });
    }
    if head.starts_with(b"Dumping ") && memchr::memmem::find(head, b".log\n").is_some() {
        return Some(Looks {
            kind: LooksLike::Dump,
            reason: "Its first line is one of kafka-dump-log's.".to_owned(),
            notes: vec![
                "A dump shows text: records with headers, or with bytes that are no UTF-8, are \
                 not in it in full and are refused."
                    .to_owned(),
            ],
        });
    }
    is_segment(head).then(|| segment(head))
}

/// Whether a batch, or an old message, begins the file. What its CRC says comes later.
fn is_segment(head: &[u8]) -> bool {
    let Some((offset, rest)) = head.split_first_chunk::<8>() else { return false };
    let Some((length, rest)) = rest.split_first_chunk::<4>() else { return false };
    let (offset, length) = (i64::from_be_bytes(*offset), i32::from_be_bytes(*length));
    let is_framed = offset >= 0 && (14..=128 << 20).contains(&length);
    match rest.get(4) {
        // The two upper bits of the attributes' upper byte have no meaning, and are 0.
        Some(2) => is_framed && length >= 49 && rest.get(9) == Some(&0),
        Some(0 | 1) => {
            let end = (length as usize).saturating_add(12).min(head.len());
            is_framed && legacy_records(head.get(..end).unwrap_or_default()).is_ok()
        }
        _ => false,
    }
}

fn segment(head: &[u8]) -> Looks {
    let mut reader = SegmentReader::new();
    reader.feed(head, &mut |_| {});
    let seen = reader.summary();
    let codecs: Vec<String> = seen.compressions().map(|codec| codec.to_string()).collect();
    let mut reason = format!("It begins with {} record batches of Kafka's", seen.batches);
    if let Some((first, next)) = seen.offsets {
        reason += &format!(", of offsets {first} to {}", next.wrapping_sub(1));
    }
    if !codecs.is_empty() {
        reason += &format!(", some packed with {}", codecs.join(", "));
    }
    reason.push('.');
    let mut notes = Vec::new();
    if seen.commits + seen.aborts > 0 {
        notes.push(format!(
            "{} markers of transactions are no records. Records of the {} aborted ones are read \
             like any others, as by read_uncommitted.",
            seen.commits + seen.aborts,
            seen.aborts
        ));
    }
    if seen.legacy > 0 {
        notes.push(format!(
            "{} messages are of formats from before Kafka 0.11, which have no headers.",
            seen.legacy
        ));
    }
    if let Some((first, next)) = seen.offsets
        && seen.legacy == 0
        && next.wrapping_sub(first) > seen.records as i64 + (seen.commits + seen.aborts) as i64
    {
        notes.push("Offsets have gaps, as compaction leaves them.".to_owned());
    }
    Looks { kind: LooksLike::Segment, reason, notes }
}
