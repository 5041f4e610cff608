//! zstd: frames one after the other, some of them to be skipped.

use ruzstd::decoding::errors::{
    BlockHeaderReadError, DecodeBlockContentError, FrameDecoderError, ReadFrameHeaderError,
};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::{Out, StreamFault};

/// In a block's header: no other follows.
const LAST_BLOCK: u8 = 1;

const CUT: StreamFault = StreamFault::read("Truncated source");
const UNKNOWN: StreamFault = StreamFault::read("Unknown frame descriptor");
const DAMAGED: StreamFault = StreamFault::read("Data corruption detected");

pub(super) fn pack(records: &[u8]) -> Vec<u8> {
    compress_to_vec(records, CompressionLevel::Fastest)
}

pub(super) fn unpack(packed: &[u8], out: &mut Out) -> Result<(), StreamFault> {
    let mut rest = packed;
    loop {
        frame(&mut rest, out)?;
        if rest.is_empty() {
            return Ok(());
        }
    }
}

fn frame(rest: &mut &[u8], out: &mut Out) -> Result<(), StreamFault> {
    let whole = *rest;
    let held = out.bytes.len();
    let mut blocks = Blocks { last_good: None, next: 0 };
    let done = decode(rest, whole, out, &mut blocks);
    if let (Err(fault), Some(last_good)) = (done, blocks.last_good)
        && fault != StreamFault::LIMIT
    {
        // The decoder keeps a window back until the frame ends. So that no record in front of the
        // damage is lost, the frame is read again and ends with its last good block.
        let mut good = whole.get(..blocks.next).unwrap_or_default().to_vec();
        if let Some(header) = good.get_mut(last_good) {
            *header |= LAST_BLOCK;
        }
        out.bytes.truncate(held);
        // What comes of it is known: all blocks are good, and a checksum may be missed.
        let _ = decode(&mut &good[..], &good, out, &mut Blocks { last_good: None, next: 0 });
    }
    done
}

/// Where blocks begin in a frame.
struct Blocks {
    last_good: Option<usize>,
    next: usize,
}

fn decode(
    rest: &mut &[u8],
    whole: &[u8],
    out: &mut Out,
    blocks: &mut Blocks,
) -> Result<(), StreamFault> {
    // A new one each time: one that is used again sets memory for a whole window aside.
    let mut decoder = FrameDecoder::new();
    match decoder.init(&mut *rest) {
        Ok(()) => {}
        Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
            length,
            ..
        })) => {
            *rest = rest.get(length as usize..).ok_or(CUT)?;
            return Ok(());
        }
        Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::BadMagicNumber(_))) => {
            return Err(UNKNOWN);
        }
        Err(FrameDecoderError::ReadFrameHeaderError(
            ReadFrameHeaderError::InvalidFrameDescriptor(_),
        )) => return Err(StreamFault::read("Unsupported frame parameter")),
        Err(FrameDecoderError::ReadFrameHeaderError(_)) => return Err(CUT),
        Err(FrameDecoderError::DictNotProvided { .. }) => {
            return Err(StreamFault::read("Dictionary mismatch"));
        }
        Err(_) => {
            return Err(StreamFault::read("Frame requires too much memory for decoding"));
        }
    }
    while !decoder.is_finished() {
        blocks.next = whole.len() - rest.len();
        let block = decoder.decode_blocks(&mut *rest, BlockDecodingStrategy::UptoBlocks(1));
        if block.is_ok() || decoder.is_finished() {
            if decoder.can_collect() > out.room() {
                return Err(StreamFault::LIMIT);
            }
            out.push(&decoder.collect().unwrap_or_default())?;
        }
        match block {
            Ok(_) => blocks.last_good = Some(blocks.next),
            // The checksum is missing; all the records are there.
            Err(FrameDecoderError::FailedToReadChecksum(_)) => {
                blocks.last_good = None;
                return Err(CUT);
            }
            Err(
                FrameDecoderError::FailedToReadBlockHeader(BlockHeaderReadError::ReadError(_))
                | FrameDecoderError::FailedToReadBlockBody(DecodeBlockContentError::ReadError {
                    ..
                }),
            ) => return Err(CUT),
            Err(_) if rest.is_empty() => return Err(CUT),
            Err(_) => return Err(DAMAGED),
        }
    }
    match (decoder.get_checksum_from_data(), decoder.get_calculated_checksum()) {
        (Some(stored), Some(computed)) if stored != computed => {
            blocks.last_good = None;
            Err(StreamFault::read("Restored data doesn't match checksum"))
        }
        _ => Ok(()),
    }
}
