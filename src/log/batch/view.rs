//! Reading batches: borrowed, checked, never trusting a length.

use std::sync::Arc;

use super::header::{BATCH_HEADER_LEN, BatchFault, BatchHeader, Compression, TimestampType};
use super::header::{crc_covered, frame};
use crate::error::{Error, Result};
use crate::log::compression::{self, StreamFault};
use crate::log::crc32c;
use crate::log::record::{self, BatchBase, RecordFault, RecordView};

/// One batch: its header, and its bytes borrowed.
///
/// ```
/// use loglanes::log::{BatchBuilder, BatchView, NewRecord};
/// # fn main() -> loglanes::Result {
/// let mut builder = BatchBuilder::new();
/// builder.append(&NewRecord { timestamp: 5, key: Some(b"k"), value: None, headers: &[] })?;
/// let batch = BatchView::parse(builder.finish(7, 0))?;
/// batch.verify_crc()?;
/// for record in batch.records() {
///     let record = record?;
///     assert_eq!((record.offset, record.timestamp, record.is_tombstone()), (7, 5, true));
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchView<'a> {
    header: BatchHeader,
    bytes: &'a [u8],
    unpacked: Option<&'a Arc<[u8]>>,
}

/// The records of a compressed batch, unpacked as far as that goes: see [`BatchView::unpack`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnpackedRecords {
    bytes: Vec<u8>,
    fault: Option<StreamFault>,
}

impl UnpackedRecords {
    /// How many bytes came out.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether none came out.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    pub(crate) fn new(unpacked: compression::Unpacked) -> Self {
        Self { bytes: unpacked.bytes, fault: unpacked.fault }
    }
}

impl<'a> BatchView<'a> {
    /// The batch that `bytes` begin with. More may follow: see [`Batches`].
    ///
    /// # Errors
    /// As [`BatchHeader::parse`].
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        Ok(Self::parse_fault(bytes)?)
    }

    #[inline]
    pub(crate) fn parse_fault(bytes: &'a [u8]) -> Result<Self, BatchFault> {
        let size = frame(bytes)?;
        let header = BatchHeader::parse_framed(bytes, size)?;
        Ok(Self { header, bytes: bytes.get(..size).unwrap_or_default(), unpacked: None })
    }

    /// The same batch, which knows its records unpacked.
    pub(crate) fn with_unpacked(mut self, unpacked: Option<&'a Arc<[u8]>>) -> Self {
        self.unpacked = unpacked;
        self
    }

    /// The unpacked records, where the batch has them at hand.
    pub(crate) fn unpacked(&self) -> Option<&'a Arc<[u8]>> {
        self.unpacked
    }

    /// Whether its records are packed by a codec that can be unpacked.
    #[must_use]
    pub fn is_compressed(&self) -> bool {
        !matches!(self.header.compression(), Compression::None | Compression::Unknown(_))
    }

    /// Unpacks the records of a compressed batch, to be read with [`BatchView::records_in`]. At
    /// most [`MAX_UNPACKED_BYTES`](crate::log::compression::MAX_UNPACKED_BYTES) come out, and of a
    /// damaged stream what lies in front of the damage; reading the records then ends in the
    /// error.
    #[must_use]
    pub fn unpack(&self) -> UnpackedRecords {
        let packed = self.bytes.get(BATCH_HEADER_LEN..).unwrap_or_default();
        UnpackedRecords::new(compression::unpack(self.header.compression(), packed))
    }

    /// The records of a batch, read from `unpacked` if it is compressed.
    ///
    /// ```
    /// use loglanes::log::{BatchBuilder, BatchView, Compression, NewRecord};
    /// # fn main() -> loglanes::Result {
    /// let mut builder = BatchBuilder::new();
    /// builder.set_compression(Compression::Zstd, None);
    /// builder.append(&NewRecord { timestamp: 5, key: None, value: Some(&[7; 500]), headers: &[] })?;
    /// let bytes = builder.finish_packed(0, 0);
    /// assert!(bytes.len() < 200);
    /// let batch = BatchView::parse(bytes)?;
    /// let unpacked = batch.unpack();
    /// let record = batch.records_in(&unpacked).next().unwrap()?;
    /// assert_eq!(record.value, Some(&[7; 500][..]));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn records_in<'b>(&self, unpacked: &'b UnpackedRecords) -> BatchRecords<'b>
    where
        'a: 'b,
    {
        if !self.is_compressed() {
            return self.records();
        }
        self.read_unpacked(&unpacked.bytes, unpacked.fault)
    }

    fn read_unpacked<'b>(
        &self,
        bytes: &'b [u8],
        stream_fault: Option<StreamFault>,
    ) -> BatchRecords<'b> {
        let (left, fault) = match (stream_fault, u32::try_from(self.header.record_count)) {
            (_, Ok(0)) => (0, None),
            // A stream that does not even open gives no records, whatever the count.
            (Some(open), _) if open.is_at_start() => (0, Some(RecordFault::Stream(open))),
            (_, Ok(count)) => (count, None),
            (_, Err(_)) => (0, Some(RecordFault::BatchCount(self.header.record_count))),
        };
        BatchRecords { bytes, at: 0, left, base: self.base(), fault, is_stream: true, stream_fault }
    }

    fn base(&self) -> BatchBase {
        let header = &self.header;
        BatchBase {
            offset: header.base_offset,
            timestamp: header.base_timestamp,
            log_append_time: match header.timestamp_type() {
                TimestampType::CreateTime => None,
                TimestampType::LogAppendTime => Some(header.max_timestamp),
            },
        }
    }

    /// The header.
    #[must_use]
    pub fn header(&self) -> &BatchHeader {
        &self.header
    }

    /// The whole batch, header included.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Checks the CRC-32C.
    ///
    /// # Errors
    /// [`Refusal::Corrupt`](crate::Refusal::Corrupt), with the stored and the computed value.
    pub fn verify_crc(&self) -> Result {
        Ok(self.check_crc()?)
    }

    pub(crate) fn check_crc(&self) -> Result<(), BatchFault> {
        let computed = crc32c::checksum(crc_covered(self.bytes));
        let stored = self.header.crc;
        if stored == computed { Ok(()) } else { Err(BatchFault::Crc { stored, computed }) }
    }

    /// The records, in order; after an error nothing more comes. A compressed batch of a log has
    /// them at hand; one that was parsed gives one error, for it must be
    /// [unpacked](BatchView::unpack) first.
    #[must_use]
    pub fn records(&self) -> BatchRecords<'a> {
        let header = &self.header;
        if let Some(unpacked) = self.unpacked {
            return self.read_unpacked(unpacked, None);
        }
        let fault = match header.compression() {
            Compression::None if header.record_count < 0 => {
                Some(RecordFault::BatchCount(header.record_count))
            }
            Compression::None => None,
            codec => Some(RecordFault::Compressed(codec)),
        };
        BatchRecords {
            bytes: self.bytes.get(BATCH_HEADER_LEN..).unwrap_or_default(),
            at: 0,
            left: if fault.is_some() { 0 } else { header.record_count.unsigned_abs() },
            base: self.base(),
            fault,
            is_stream: false,
            stream_fault: None,
        }
    }
}

/// The records of a batch, see [`BatchView::records`].
#[derive(Debug, Clone)]
pub struct BatchRecords<'a> {
    bytes: &'a [u8],
    at: usize,
    left: u32,
    base: BatchBase,
    fault: Option<RecordFault>,
    /// Whether `bytes` were unpacked: Kafka reads such records in another way.
    is_stream: bool,
    /// What ended the stream early.
    stream_fault: Option<StreamFault>,
}

impl<'a> BatchRecords<'a> {
    /// No records.
    pub(crate) const EMPTY: Self = Self {
        bytes: &[],
        at: 0,
        left: 0,
        base: BatchBase { offset: 0, timestamp: 0, log_append_time: None },
        fault: None,
        is_stream: false,
        stream_fault: None,
    };

    #[inline(always)]
    pub(crate) fn next_record(&mut self) -> Option<Result<RecordView<'a>, RecordFault>> {
        if self.left == 0 {
            return self.fault.take().map(Err);
        }
        self.left -= 1;
        if self.is_stream {
            return Some(self.next_unpacked());
        }
        let record = match record::decode(self.bytes, &mut self.at, &self.base) {
            // Kafka holds back the last record when bytes are left behind it.
            Ok(_) if self.left == 0 && self.at < self.bytes.len() => {
                Err(RecordFault::RecordsRemaining)
            }
            record => record,
        };
        if record.is_err() {
            self.left = 0;
        }
        Some(record)
    }

    #[inline(never)]
    fn next_unpacked(&mut self) -> Result<RecordView<'a>, RecordFault> {
        let record = record::decode_unpacked(self.bytes, &mut self.at, &self.base);
        let record = match (record, self.stream_fault) {
            (Err(RecordFault::PrematureEnd | RecordFault::StreamEnd(_)), Some(fault)) => {
                Err(RecordFault::Stream(fault))
            }
            (Ok(_), _) if self.left == 0 && self.at < self.bytes.len() => {
                Err(RecordFault::RecordsRemaining)
            }
            (Ok(_), Some(fault)) if self.left == 0 => Err(RecordFault::StreamRest(fault)),
            (record, _) => record,
        };
        if record.is_err() {
            self.left = 0;
        }
        record
    }
}

impl<'a> Iterator for BatchRecords<'a> {
    type Item = Result<RecordView<'a>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.next_record().map(|record| record.map_err(Error::from))
    }
}

/// Back-to-back batches, as in a `.log` file.
///
/// Tolerant of nothing: bytes left over that are no whole batch are an error, and every error
/// names the byte where its batch begins. After an error nothing more comes.
///
/// ```
/// use loglanes::log::{BatchBuilder, Batches, NewRecord};
/// # fn main() -> loglanes::Result {
/// let mut builder = BatchBuilder::new();
/// builder.append(&NewRecord { timestamp: 5, key: None, value: None, headers: &[] })?;
/// let mut file = builder.finish(0, 0).to_vec();
/// file.extend_from_slice(builder.finish(1, 0));
/// assert_eq!(Batches::new(&file).count(), 2);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Batches<'a> {
    bytes: &'a [u8],
    position: usize,
    failed: bool,
}

impl<'a> Batches<'a> {
    /// The batches in `bytes`.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0, failed: false }
    }

    /// Where the next batch begins, in bytes.
    #[must_use]
    pub fn position(&self) -> usize {
        self.position
    }

    #[inline]
    pub(crate) fn next_batch(&mut self) -> Option<Result<BatchView<'a>, BatchFault>> {
        let rest =
            self.bytes.get(self.position..).filter(|rest| !rest.is_empty() && !self.failed)?;
        let batch = BatchView::parse_fault(rest);
        match &batch {
            Ok(batch) => self.position += batch.bytes.len(),
            Err(_) => self.failed = true,
        }
        Some(batch)
    }
}

impl<'a> Iterator for Batches<'a> {
    type Item = Result<BatchView<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let position = self.position;
        self.next_batch().map(|batch| batch.map_err(|fault| at_byte(fault.into(), position)))
    }
}

/// The error with the place in front.
pub(crate) fn at_byte(error: Error, position: usize) -> Error {
    Error::corrupt(format!("byte {position}: {}", error.message()))
        .with_hint(error.hint().to_owned())
}
