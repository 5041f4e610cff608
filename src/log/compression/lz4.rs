//! lz4, in its frame format as Kafka reads and writes it: independent blocks of 64 KiB, and no
//! checksum but the header's. Source: `Lz4BlockInputStream`, `Lz4BlockOutputStream`.

use twox_hash::XxHash32;

use super::{Out, StreamFault};

const MAGIC: [u8; 4] = [0x04, 0x22, 0x4d, 0x18];
/// Version 1, independent blocks.
const FLAGS: u8 = 0x60;
/// Blocks of at most 64 KiB.
const BLOCK_DESCRIPTOR: u8 = 0x40;
const BLOCK: usize = 64 * 1024;
/// In a block's length: the block is stored as it is.
const STORED: u32 = 1 << 31;

const CUT: &str = "Stream ended prematurely";

pub(super) fn pack(records: &[u8], _level: Option<i32>) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    let descriptor = [FLAGS, BLOCK_DESCRIPTOR];
    out.extend_from_slice(&descriptor);
    out.push(header_checksum(&descriptor));
    for block in records.chunks(BLOCK) {
        let packed = lz4_flex::block::compress(block);
        let (length, bytes) = if packed.len() < block.len() {
            (packed.len() as u32, &packed[..])
        } else {
            (block.len() as u32 | STORED, block)
        };
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(bytes);
    }
    out.extend_from_slice(&[0; 4]);
    out
}

fn header_checksum(descriptor: &[u8]) -> u8 {
    (XxHash32::oneshot(0, descriptor) >> 8) as u8
}

pub(super) fn unpack(packed: &[u8], out: &mut Out) -> Result<(), StreamFault> {
    unpack_with(packed, out, false)
}

/// `any_checksum`: the header's checksum is not looked at.
pub(super) fn unpack_with(
    packed: &[u8],
    out: &mut Out,
    any_checksum: bool,
) -> Result<(), StreamFault> {
    let open = StreamFault::open;
    let ended = open("java.io.IOException: Stream ended prematurely");
    let Some(([magic @ .., flags, block], mut rest)) = packed.split_first_chunk::<6>() else {
        return Err(ended);
    };
    if *magic != MAGIC {
        return Err(open("java.io.IOException: Stream unsupported (invalid magic bytes)"));
    }
    if flags & 3 != 0 || block & 0x8f != 0 {
        return Err(open("java.lang.RuntimeException: Reserved bits must be 0"));
    }
    if flags & 0x20 == 0 {
        return Err(open(
            "java.lang.RuntimeException: Dependent block stream is unsupported \
             (BlockIndependence must be set)",
        ));
    }
    if flags >> 6 != 1 {
        return Err(open(
            "java.lang.RuntimeException: this version of the lz4 frame is unsupported",
        ));
    }
    let most = match block >> 4 {
        size @ 4..=7 => 1_usize << (2 * size + 8),
        _ => {
            return Err(open(
                "java.lang.RuntimeException: Block size value must be between 4 and 7",
            ));
        }
    };
    if flags & 8 != 0 {
        rest = rest.get(8..).ok_or(ended)?;
    }
    let descriptor = packed.get(4..packed.len() - rest.len()).unwrap_or_default();
    let (&checksum, behind) = rest.split_first().ok_or(ended)?;
    if !any_checksum && checksum != header_checksum(descriptor) {
        return Err(open("java.io.IOException: Stream frame descriptor corrupted"));
    }
    rest = behind;
    loop {
        let (length, behind) = rest.split_first_chunk::<4>().ok_or(StreamFault::read(CUT))?;
        let length = u32::from_le_bytes(*length);
        let (is_stored, length) = (length & STORED != 0, (length & !STORED) as usize);
        if length == 0 {
            // A checksum of the whole may follow, and bytes behind the stream: Kafka reads neither.
            return Ok(());
        }
        if length > most {
            return Err(StreamFault::read("a block is larger than the stream allows"));
        }
        let (block, behind) = behind.split_at_checked(length).ok_or(StreamFault::read(CUT))?;
        rest = behind;
        let at = out.bytes.len();
        if is_stored {
            out.push(block)?;
        } else {
            unpack_block(block, most, out)?;
        }
        if flags & 0x10 != 0 {
            let (stored, behind) = rest.split_first_chunk::<4>().ok_or(StreamFault::read(CUT))?;
            if u32::from_le_bytes(*stored) != XxHash32::oneshot(0, block) {
                out.bytes.truncate(at);
                return Err(StreamFault::read("Block checksum mismatch"));
            }
            rest = behind;
        }
    }
}

fn unpack_block(block: &[u8], most: usize, out: &mut Out) -> Result<(), StreamFault> {
    let at = out.bytes.len();
    out.bytes.resize(at + most.min(block.len().saturating_mul(255)), 0);
    let room = out.bytes.get_mut(at..).unwrap_or_default();
    let written = lz4_flex::block::decompress_into(block, room);
    out.bytes.truncate(at + written.as_ref().copied().unwrap_or(0));
    match written {
        Ok(_) if out.bytes.len() > out.limit => {
            out.bytes.truncate(at);
            Err(StreamFault::LIMIT)
        }
        Ok(_) => Ok(()),
        Err(_) => Err(StreamFault::read("the lz4 block is damaged")),
    }
}
