//! A `.log` file, fed in chunks: batch after batch, as Kafka's reader of files sees them.
//!
//! Source: `FileLogInputStream`, `DefaultRecordBatch`. Kafka's reader ends in silence at a tail that
//! is no whole batch. This one says so, with the byte: a file that was cut is not the file. Zero
//! bytes to the end are room that a broker sets aside (`preallocate=true`) or leaves when it dies,
//! and no fault. At the first damage it stops, as Kafka's consumer does; what lies in front is good.

use std::collections::BTreeSet;

use super::legacy::{LegacyRecord, legacy_records};
use crate::log::{BATCH_HEADER_LEN, BatchHeader, BatchView, Compression, Header, RecordView};

/// The largest batch that is read from a file, in bytes. A length beyond it lies, or belongs to a
/// file of another kind; brokers take about 1 MiB unless told otherwise.
pub const MAX_FILE_BATCH_BYTES: usize = 128 << 20;

/// Offset, length, leader epoch and magic: what Kafka's reader looks at first.
const HEADER_TO_MAGIC: usize = 17;
const LOG_OVERHEAD: usize = 12;
const MIN_LENGTH: i32 = 14;

/// What a [`SegmentReader`] comes upon.
#[derive(Debug)]
pub enum SegmentItem<'a> {
    /// A whole sound batch of format v2, before its records.
    Batch {
        /// The byte where it begins.
        position: u64,
        /// Its header.
        header: &'a BatchHeader,
    },
    /// A record that a consumer gets; markers of transactions are none.
    Record(SegmentRecord<'a>),
    /// Zero bytes up to the end of the file.
    Padding {
        /// The byte where they begin.
        position: u64,
        /// How many.
        bytes: u64,
    },
    /// Damage: nothing behind it is read.
    Refused {
        /// The byte where the batch begins that is not sound.
        position: u64,
        /// What Kafka's reader says of it, where it says something.
        reason: String,
    },
}

/// A record of a file.
#[derive(Debug, Clone, Copy)]
pub enum SegmentRecord<'a> {
    /// Of format v2, and where its batch begins.
    Current(u64, RecordView<'a>),
    /// Of format v0 or v1, and where its message begins.
    Legacy(u64, &'a LegacyRecord),
}

impl<'a> SegmentRecord<'a> {
    /// The byte of the file where its batch begins.
    #[must_use]
    pub fn position(&self) -> u64 {
        match self {
            Self::Current(position, _) | Self::Legacy(position, _) => *position,
        }
    }

    /// Its offset in the partition.
    #[must_use]
    pub fn offset(&self) -> i64 {
        match self {
            Self::Current(_, record) => record.offset,
            Self::Legacy(_, record) => record.offset,
        }
    }

    /// Milliseconds since 1970, or -1.
    #[must_use]
    pub fn timestamp(&self) -> i64 {
        match self {
            Self::Current(_, record) => record.timestamp,
            Self::Legacy(_, record) => record.timestamp,
        }
    }

    /// Its key.
    #[must_use]
    pub fn key(&self) -> Option<&'a [u8]> {
        match self {
            Self::Current(_, record) => record.key,
            Self::Legacy(_, record) => record.key.as_deref(),
        }
    }

    /// Its value.
    #[must_use]
    pub fn value(&self) -> Option<&'a [u8]> {
        match self {
            Self::Current(_, record) => record.value,
            Self::Legacy(_, record) => record.value.as_deref(),
        }
    }

    /// Its headers, in order; old formats have none.
    #[must_use]
    pub fn headers(&self) -> Vec<Header<'a>> {
        match self {
            Self::Current(_, record) => record.headers().collect(),
            Self::Legacy(..) => Vec::new(),
        }
    }
}

/// What was seen of a file so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SegmentSummary {
    /// Batches and old messages, control batches too.
    pub batches: u64,
    /// Records that a consumer gets.
    pub records: u64,
    /// Markers that commit a transaction.
    pub commits: u64,
    /// Markers that abort one: records before it do not count for `read_committed`.
    pub aborts: u64,
    /// Batches of formats v0 and v1.
    pub legacy: u64,
    /// The codecs of its batches, by their numbers.
    pub codecs: BTreeSet<u8>,
    /// The first offset, and the one after the last batch.
    pub offsets: Option<(i64, i64)>,
    /// Bytes of sound batches.
    pub bytes: u64,
    /// Zero bytes at the end.
    pub padding: u64,
}

/// Reads a `.log` file. Memory: one batch, packed and unpacked.
///
/// ```
/// use loglanes::interchange::segment::{SegmentItem, SegmentReader};
/// use loglanes::log::{BatchBuilder, NewRecord};
///
/// let mut batch = BatchBuilder::new();
/// batch.append(&NewRecord { timestamp: 5, key: None, value: Some(b"v"), headers: &[] })?;
/// let mut file = batch.finish(40, 0).to_vec();
/// file.extend_from_slice(&[0; 100]);
///
/// let mut reader = SegmentReader::new();
/// let mut offsets = Vec::new();
/// for chunk in file.chunks(7) {
///     reader.feed(chunk, &mut |item| if let SegmentItem::Record(record) = item {
///         offsets.push(record.offset());
///     });
/// }
/// reader.finish(&mut |item| {
///     assert!(matches!(item, SegmentItem::Padding { position: 69, bytes: 100 }));
/// });
/// assert_eq!(offsets, [40]);
/// # Ok::<(), loglanes::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct SegmentReader {
    /// What has come and is no whole batch yet.
    pending: Vec<u8>,
    /// The byte of the file where `pending` begins.
    position: u64,
    /// How many zero bytes have come from `position` on, where a batch should begin.
    zeros: Option<u64>,
    is_over: bool,
    summary: SegmentSummary,
}

type Each<'e> = &'e mut dyn FnMut(SegmentItem<'_>);

impl SegmentReader {
    /// At the beginning of a file.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What was seen so far.
    #[must_use]
    pub fn summary(&self) -> &SegmentSummary {
        &self.summary
    }

    /// Takes the next bytes of the file.
    pub fn feed(&mut self, chunk: &[u8], each: Each<'_>) {
        if self.is_over {
            return;
        }
        if let Some(zeros) = &mut self.zeros {
            if chunk.iter().all(|&byte| byte == 0) {
                *zeros += chunk.len() as u64;
            } else {
                self.refuse(too_short(0), each);
            }
            return;
        }
        self.pending.extend_from_slice(chunk);
        let mut pending = std::mem::take(&mut self.pending);
        let mut rest = &pending[..];
        while let Some(size) = self.whole(rest, each) {
            let (batch, behind) = rest.split_at_checked(size).unwrap_or((rest, &[]));
            if let Err(reason) = self.batch(batch, each) {
                return self.refuse(reason, each);
            }
            self.position += batch.len() as u64;
            self.summary.bytes = self.position;
            rest = behind;
        }
        if !self.is_over && self.zeros.is_none() {
            // A batch that has come in part is not copied with every chunk.
            let done = pending.len() - rest.len();
            pending.drain(..done);
            self.pending = pending;
        }
    }

    /// Says that the file is over.
    pub fn finish(&mut self, each: Each<'_>) {
        if std::mem::replace(&mut self.is_over, true) {
            return;
        }
        let left = self.pending.len() as u64;
        let position = self.position;
        if self.pending.iter().all(|&byte| byte == 0) {
            let bytes = self.zeros.unwrap_or(left);
            self.summary.padding = bytes;
            if bytes > 0 {
                each(SegmentItem::Padding { position, bytes });
            }
            return;
        }
        let size = self.pending.get(8..LOG_OVERHEAD).and_then(|length| length.first_chunk::<4>());
        let begun = match size {
            Some(length) => {
                let size = i64::from(i32::from_be_bytes(*length)) + LOG_OVERHEAD as i64;
                format!("A record batch of {size} bytes was begun, and {left} bytes are there")
            }
            None => format!("A record batch was begun, and {left} bytes are there"),
        };
        let reason = format!("{begun}. Kafka's reader passes over such an end in silence.");
        each(SegmentItem::Refused { position, reason });
    }

    fn refuse(&mut self, reason: String, each: Each<'_>) {
        self.is_over = true;
        self.pending = Vec::new();
        each(SegmentItem::Refused { position: self.position, reason });
    }

    /// The size of the batch that `rest` begins with, if all of it is there. Source:
    /// `FileLogInputStream.nextBatch`.
    fn whole(&mut self, rest: &[u8], each: Each<'_>) -> Option<usize> {
        if rest.len() <= HEADER_TO_MAGIC {
            return None;
        }
        let length = rest.get(8..).and_then(|length| length.first_chunk::<4>())?;
        let length = i32::from_be_bytes(*length);
        if length < MIN_LENGTH {
            if rest.iter().all(|&byte| byte == 0) {
                self.zeros = Some(rest.len() as u64);
            } else {
                self.refuse(too_short(length), each);
            }
            return None;
        }
        let size = length as usize + LOG_OVERHEAD;
        if size > MAX_FILE_BATCH_BYTES {
            let reason = format!(
                "A record batch of {size} bytes was begun: this is no .log file, or the length is \
                 damaged. Loglanes reads batches of at most {MAX_FILE_BATCH_BYTES} bytes."
            );
            self.refuse(reason, each);
            return None;
        }
        (rest.len() >= size).then_some(size)
    }

    /// One whole batch: all of it is looked at before the first record is given.
    fn batch(&mut self, bytes: &[u8], each: Each<'_>) -> Result<(), String> {
        let magic = bytes.get(16).map_or(0, |magic| magic.cast_signed());
        if magic < 2 {
            return self.legacy(bytes, each);
        }
        if bytes.len() < BATCH_HEADER_LEN {
            return Err(format!(
                "Record batch is corrupt (the size {} is smaller than the minimum allowed overhead \
                 {BATCH_HEADER_LEN})",
                bytes.len()
            ));
        }
        let said = |error: crate::Error| error.message().to_owned();
        // A magic above 2 is read as 2: the CRC does not cover it.
        let patched = (magic > 2).then(|| {
            let mut bytes = bytes.to_vec();
            if let Some(magic) = bytes.get_mut(16) {
                *magic = 2;
            }
            bytes
        });
        let batch = BatchView::parse(patched.as_deref().unwrap_or(bytes)).map_err(said)?;
        batch.verify_crc().map_err(said)?;
        let header = batch.header();
        let unpacked = batch.unpack();
        for record in batch.records_in(&unpacked) {
            record.map_err(said)?;
        }
        let position = self.position;
        self.summary.batches += 1;
        self.summary.codecs.insert(header.compression().id());
        self.note_offsets(header.base_offset, header.next_offset());
        each(SegmentItem::Batch { position, header });
        for record in batch.records_in(&unpacked).flatten() {
            if !header.is_control() {
                self.summary.records += 1;
                each(SegmentItem::Record(SegmentRecord::Current(position, record)));
                continue;
            }
            // Version and kind, two i16.
            match record.key {
                Some([_, _, 0, 0]) => self.summary.aborts += 1,
                Some([_, _, 0, 1]) => self.summary.commits += 1,
                _ => {}
            }
        }
        Ok(())
    }

    fn legacy(&mut self, bytes: &[u8], each: Each<'_>) -> Result<(), String> {
        let records = legacy_records(bytes).map_err(|error| error.message().to_owned())?;
        self.summary.batches += 1;
        self.summary.legacy += 1;
        let attributes = bytes.get(17).copied().unwrap_or(0);
        self.summary.codecs.insert(attributes & 7);
        for record in &records {
            self.note_offsets(record.offset, record.offset.wrapping_add(1));
            self.summary.records += 1;
            each(SegmentItem::Record(SegmentRecord::Legacy(self.position, record)));
        }
        Ok(())
    }

    fn note_offsets(&mut self, first: i64, next: i64) {
        let (begin, _) = self.summary.offsets.unwrap_or((first, next));
        self.summary.offsets = Some((begin, next));
    }
}

impl SegmentSummary {
    /// The codecs of its batches, uncompressed ones left out.
    pub fn compressions(&self) -> impl Iterator<Item = Compression> + '_ {
        let codecs = self.codecs.iter().map(|&id| Compression::from_id(id));
        codecs.filter(|codec| *codec != Compression::None)
    }
}

fn too_short(length: i32) -> String {
    format!("Found record size {length} smaller than minimum record overhead ({MIN_LENGTH})")
}
