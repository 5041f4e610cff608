//! Writing a batch whose records are packed.
//!
//! A builder keeps its records as they are, and packs them when it is finished: so they can be
//! looked at, counted and split until then. Source: `org.apache.kafka.common.record.MemoryRecordsBuilder`.

use super::builder::BatchBuilder;
use super::header::{BATCH_HEADER_LEN, BatchHeader, Compression};
use crate::log::compression;

/// What an expected size is made larger by. Source:
/// `MemoryRecordsBuilder.COMPRESSION_RATE_ESTIMATION_FACTOR`.
const ESTIMATION_FACTOR: f32 = 1.05;

/// How a builder packs its records.
#[derive(Debug, Clone)]
pub(super) struct Packing {
    compression: Compression,
    level: Option<i32>,
    /// How small records are expected to become, as a part of their size.
    ratio: f32,
    /// The batch as it was last packed.
    packed: Vec<u8>,
}

impl Packing {
    pub(super) fn clear(&mut self) {
        self.packed.clear();
    }
}

impl BatchBuilder {
    /// Sets the producer's `compression.type`, and the level where it has one: gzip alone obeys
    /// it. Batches that are [finished packed](BatchBuilder::finish_packed) are packed by it, also
    /// after [`BatchBuilder::clear`].
    pub fn set_compression(&mut self, compression: Compression, level: Option<i32>) {
        self.packing = match compression {
            Compression::None | Compression::Unknown(_) => None,
            _ => Some(Box::new(Packing { compression, level, ratio: 1.0, packed: Vec::new() })),
        };
    }

    /// The codec that was set.
    #[must_use]
    pub fn compression(&self) -> Compression {
        self.packing.as_ref().map_or(Compression::None, |packing| packing.compression)
    }

    /// Sets how small the records are expected to become: by that a batch is full. Source:
    /// `MemoryRecordsBuilder.setEstimatedCompressionRatio`.
    pub(crate) fn set_estimated_ratio(&mut self, ratio: f32) {
        if let Some(packing) = &mut self.packing {
            packing.ratio = ratio;
        }
    }

    /// The size that the batch is expected to have. Source:
    /// `MemoryRecordsBuilder.estimatedBytesWritten`.
    #[must_use]
    #[inline]
    pub(crate) fn estimated_len(&self) -> usize {
        let Some(packing) = &self.packing else { return self.bytes.len() };
        let records = self.bytes.len().saturating_sub(BATCH_HEADER_LEN) as f32;
        BATCH_HEADER_LEN + (records * packing.ratio * ESTIMATION_FACTOR) as usize
    }

    /// As [`BatchBuilder::finish`], with the records packed by the codec that was
    /// [set](BatchBuilder::set_compression).
    pub fn finish_packed(&mut self, base_offset: i64, leader_epoch: i32) -> &mut [u8] {
        self.finish_packed_at(base_offset, leader_epoch, None)
    }

    /// As `finish_packed`, with the broker's time where the topic asks for it.
    pub(crate) fn finish_packed_at(
        &mut self,
        base_offset: i64,
        leader_epoch: i32,
        log_append_time: Option<i64>,
    ) -> &mut [u8] {
        self.finish_at(base_offset, leader_epoch, log_append_time);
        self.pack()
    }

    /// As `finish_as`, packed as `original` is. An emptied batch never is.
    pub(crate) fn finish_packed_as(&mut self, original: &BatchHeader) -> &mut [u8] {
        self.finish_as(original);
        if self.compression() != original.compression() {
            self.set_compression(original.compression(), None);
        }
        self.pack()
    }

    /// Packs the batch that was just finished, if it has records and there is a codec.
    fn pack(&mut self) -> &mut [u8] {
        if self.is_empty() {
            return &mut [];
        }
        let Some(packing) = &mut self.packing else { return &mut self.bytes };
        let (head, records) =
            self.bytes.split_at_checked(BATCH_HEADER_LEN).unwrap_or((&self.bytes, &[]));
        packing.packed.clear();
        packing.packed.extend_from_slice(head);
        let records = compression::pack(packing.compression, packing.level, records);
        packing.packed.extend_from_slice(&records);
        if let Ok(header) = BatchHeader::parse(&self.bytes) {
            header.with_compression(packing.compression).seal(&mut packing.packed);
        }
        &mut packing.packed
    }

    /// The batch as it was last finished, packed if there is a codec.
    pub(crate) fn finished(&mut self) -> &mut [u8] {
        match &mut self.packing {
            Some(packing) => &mut packing.packed,
            None => &mut self.bytes,
        }
    }

    /// The records as they lie in an unpacked batch.
    pub(crate) fn record_bytes(&self) -> &[u8] {
        self.bytes.get(BATCH_HEADER_LEN..).unwrap_or_default()
    }

    /// What the packed records are of the records, once they were packed. Source:
    /// `MemoryRecordsBuilder.compressionRatio`.
    pub(crate) fn packed_ratio(&self) -> Option<f32> {
        let packed = self.packing.as_ref().map(|packing| packing.packed.len());
        let records = |len: usize| len.saturating_sub(BATCH_HEADER_LEN) as f32;
        let packed = packed.filter(|&len| len > BATCH_HEADER_LEN)?;
        Some(records(packed) / records(self.bytes.len()).max(1.0))
    }
}
