//! The records of a batch, packed: gzip, snappy, lz4, zstd.
//!
//! The framings are Kafka's own (`org.apache.kafka.common.compress`), and so are the words for a
//! stream that is damaged; what packs and unpacks inside them comes from crates. Another encoder
//! than Kafka's gives other bytes, that every Kafka reads: which bytes come out is no part of the
//! format.
//!
//! Kafka reads a stream as it goes: records in front of the damage are good. So `unpack` gives
//! what it could unpack, and beside it what stopped it.

mod gzip;
mod lz4;
mod snappy;
mod zstd;

use std::fmt;

use super::batch::Compression;

/// The most bytes that the records of one batch may unpack to. Kafka has no such limit; a batch of
/// a few kilobytes can be made to unpack to gigabytes.
pub const MAX_UNPACKED_BYTES: usize = 64 << 20;

/// What ends a stream before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StreamFault {
    pub stage: Stage,
    /// The cause, in the words of Kafka's decoder where they are known.
    pub cause: &'static str,
}

/// When a fault is met: the same damage has another message then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// When the stream is opened; the cause then begins with the exception's class.
    Open,
    /// While records are read.
    Read,
    /// After [`MAX_UNPACKED_BYTES`].
    Limit,
}

impl StreamFault {
    const fn open(cause: &'static str) -> Self {
        Self { stage: Stage::Open, cause }
    }

    const fn read(cause: &'static str) -> Self {
        Self { stage: Stage::Read, cause }
    }

    /// Whether nothing at all can be read.
    pub(crate) fn is_at_start(&self) -> bool {
        self.stage == Stage::Open
    }

    const LIMIT: Self = Self { stage: Stage::Limit, cause: "" };
}

impl fmt::Display for StreamFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.stage {
            Stage::Open => f.write_str(self.cause),
            Stage::Read => write!(f, "Failed to decompress record stream ({})", self.cause),
            Stage::Limit => {
                write!(
                    f,
                    "The records of this batch unpack to more than {MAX_UNPACKED_BYTES} bytes"
                )
            }
        }
    }
}

/// What came out of a packed stream, and what ended it early.
pub(crate) struct Unpacked {
    pub bytes: Vec<u8>,
    pub fault: Option<StreamFault>,
}

/// Unpacks the records of a batch; nothing comes of no compression and of an unknown codec.
pub(crate) fn unpack(codec: Compression, packed: &[u8]) -> Unpacked {
    unpack_up_to(codec, packed, MAX_UNPACKED_BYTES)
}

fn unpack_up_to(codec: Compression, packed: &[u8], limit: usize) -> Unpacked {
    let mut out = Out { bytes: Vec::new(), limit };
    let done = match codec {
        Compression::Gzip => gzip::unpack(packed, &mut out),
        Compression::Snappy => snappy::unpack(packed, &mut out),
        Compression::Lz4 => lz4::unpack(packed, &mut out),
        Compression::Zstd => zstd::unpack(packed, &mut out),
        Compression::None | Compression::Unknown(_) => Ok(()),
    };
    Unpacked { bytes: out.bytes, fault: done.err() }
}

/// Unpacks what a message of format v0 or v1 wraps. The header of an lz4 stream has a wrong
/// checksum in v0, by tradition: KIP-57, `Lz4BlockInputStream`.
///
/// # Errors
/// [`Refusal::Corrupt`](crate::Refusal::Corrupt) in Kafka's words; the limit
/// [`MAX_UNPACKED_BYTES`].
pub(crate) fn unpack_message(
    codec: Compression,
    packed: &[u8],
    any_checksum: bool,
) -> crate::Result<Vec<u8>> {
    let mut out = Out { bytes: Vec::new(), limit: MAX_UNPACKED_BYTES };
    let done = match codec {
        Compression::Lz4 => lz4::unpack_with(packed, &mut out, any_checksum),
        Compression::Gzip => gzip::unpack(packed, &mut out),
        Compression::Snappy => snappy::unpack(packed, &mut out),
        Compression::Zstd => zstd::unpack(packed, &mut out),
        Compression::None | Compression::Unknown(_) => Ok(()),
    };
    match done {
        Ok(()) => Ok(out.bytes),
        Err(fault) => Err(super::record::RecordFault::Stream(fault).into()),
    }
}

/// Packs the records of a batch. `level` is Kafka's number for that codec; gzip obeys it, the
/// encoders of the others have one level.
pub(crate) fn pack(codec: Compression, level: Option<i32>, records: &[u8]) -> Vec<u8> {
    match codec {
        Compression::Gzip => gzip::pack(records, level),
        Compression::Snappy => snappy::pack(records),
        Compression::Lz4 => lz4::pack(records, level),
        Compression::Zstd => zstd::pack(records),
        Compression::None | Compression::Unknown(_) => records.to_vec(),
    }
}

/// Unpacked bytes, up to a limit.
struct Out {
    bytes: Vec<u8>,
    limit: usize,
}

impl Out {
    /// How many more bytes there may be.
    fn room(&self) -> usize {
        self.limit.saturating_sub(self.bytes.len())
    }

    fn push(&mut self, bytes: &[u8]) -> Result<(), StreamFault> {
        if bytes.len() > self.room() {
            return Err(StreamFault::LIMIT);
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODECS: [Compression; 4] =
        [Compression::Gzip, Compression::Snappy, Compression::Lz4, Compression::Zstd];

    fn samples() -> Vec<Vec<u8>> {
        let text = b"Order holds within a partition, never across. ".repeat(5_000);
        let mut number = 1_u32;
        let noise = std::iter::repeat_with(|| {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (number >> 24) as u8
        });
        vec![Vec::new(), b"a".to_vec(), vec![0; 32_768], text, noise.take(200_000).collect()]
    }

    #[test]
    fn what_is_packed_comes_back() {
        for codec in CODECS {
            for sample in samples() {
                let back = unpack(codec, &pack(codec, None, &sample));
                assert_eq!(back.fault, None, "{codec}, {} bytes", sample.len());
                assert!(back.bytes == sample, "{codec}, {} bytes", sample.len());
            }
        }
        assert!(pack(Compression::Gzip, Some(1), &samples()[3]).len() > 100);
    }

    #[test]
    fn the_limit_is_kept_to_the_byte() {
        for codec in CODECS {
            let packed = pack(codec, None, &vec![7; 300_000]);
            let fits = unpack_up_to(codec, &packed, 300_000);
            assert_eq!((fits.bytes.len(), fits.fault), (300_000, None), "{codec}");
            let bomb = unpack_up_to(codec, &packed, 299_999);
            assert_eq!(bomb.fault, Some(StreamFault::LIMIT), "{codec}");
            assert!(bomb.bytes.len() <= 299_999, "{codec}");
        }
    }

    /// A frame of `count` blocks, each of them 128 KiB of one byte in four bytes.
    fn zstd_bomb(count: usize, last: usize) -> Vec<u8> {
        let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 0x88];
        for block in 1..=count {
            let size = if block == count { last } else { 128 << 10 } as u32;
            let header = size << 3 | 1 << 1 | u32::from(block == count);
            frame.extend_from_slice(&header.to_le_bytes()[..3]);
            frame.push(b'0');
        }
        frame
    }

    #[test]
    fn a_bomb_of_two_kilobytes_is_refused_at_the_limit() {
        let fits = unpack(Compression::Zstd, &zstd_bomb(512, 128 << 10));
        assert_eq!((fits.bytes.len(), fits.fault), (MAX_UNPACKED_BYTES, None));
        let bomb = unpack(Compression::Zstd, &zstd_bomb(513, 1));
        assert_eq!(bomb.fault, Some(StreamFault::LIMIT));
        assert!(bomb.bytes.len() <= MAX_UNPACKED_BYTES);
    }

    #[test]
    fn what_lies_in_front_of_the_damage_is_given() {
        let mut frame = zstd_bomb(3, 5);
        let len = frame.len();
        frame[len - 4] |= 3 << 1; // a block of no known kind
        let part = unpack(Compression::Zstd, &frame);
        assert_eq!(
            (part.bytes.len(), part.fault.unwrap().cause),
            (256 << 10, "Data corruption detected")
        );
        assert!(part.bytes.iter().all(|&byte| byte == b'0'));
    }

    #[test]
    fn a_stream_cut_anywhere_is_a_fault_or_ends_early() {
        for codec in CODECS {
            let whole = b"never across. ".repeat(40);
            let packed = pack(codec, None, &whole);
            for cut in 0..packed.len() {
                let part = unpack(codec, &packed[..cut]);
                assert!(whole.starts_with(&part.bytes), "{codec} cut at {cut}");
                assert!(part.fault.is_some() || part.bytes.len() <= whole.len());
                // Only snappy has no end of its own: a stream cut between chunks is whole.
                if part.fault.is_none() {
                    assert_eq!((codec, part.bytes.len()), (Compression::Snappy, 0), "{cut}");
                }
            }
        }
    }
}
