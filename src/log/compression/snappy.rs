//! snappy, in the framing of snappy-java: a header of 16 bytes, then chunks of at most 32 KiB, each
//! behind its length. Without the header the whole is one block of bare snappy.

use snap::raw::{Decoder, Encoder, decompress_len};

use super::{Out, StreamFault};

const MAGIC: [u8; 8] = [0x82, b'S', b'N', b'A', b'P', b'P', b'Y', 0];
/// The magic, a version and the least version that can read it, both 1.
const HEADER: [u8; 16] = [0x82, b'S', b'N', b'A', b'P', b'P', b'Y', 0, 0, 0, 0, 1, 0, 0, 0, 1];
const BLOCK: usize = 32 * 1024;

/// Kafka reads this many bytes at a time, and a read that meets damage gives none.
const READ: usize = 2048;

const PARSING: StreamFault = StreamFault::read("PARSING_ERROR(2)");
const FAILED: StreamFault = StreamFault::read("FAILED_TO_UNCOMPRESS(5)");

pub(super) fn pack(records: &[u8]) -> Vec<u8> {
    let mut out = HEADER.to_vec();
    let mut encoder = Encoder::new();
    for block in records.chunks(BLOCK) {
        // 32 KiB are never too large for the encoder.
        let Ok(packed) = encoder.compress_vec(block) else { continue };
        out.extend_from_slice(&(packed.len() as u32).to_be_bytes());
        out.extend_from_slice(&packed);
    }
    out
}

pub(super) fn unpack(packed: &[u8], out: &mut Out) -> Result<(), StreamFault> {
    if packed.is_empty() {
        return Err(StreamFault::open("java.io.IOException: Cannot decompress empty stream"));
    }
    let Some((head, rest)) =
        packed.split_first_chunk::<16>().filter(|(h, _)| h.starts_with(&MAGIC))
    else {
        return block(packed, out).map_err(|fault| match fault {
            PARSING => StreamFault::open("java.io.IOException: PARSING_ERROR(2)"),
            FAILED => StreamFault::open("java.io.IOException: FAILED_TO_UNCOMPRESS(5)"),
            other => other,
        });
    };
    if i32::from_be_bytes([head[8], head[9], head[10], head[11]]) < 1 {
        let cause = "java.io.IOException: Compressed with an incompatible codec version";
        return Err(StreamFault::open(cause));
    }
    let whole = out.bytes.len();
    chunks(rest, out).inspect_err(|_| {
        let good = (out.bytes.len() - whole) / READ * READ;
        out.bytes.truncate(whole + good);
    })
}

fn chunks(mut rest: &[u8], out: &mut Out) -> Result<(), StreamFault> {
    // Fewer than four bytes are no length, and the end.
    while let Some((length, behind)) = rest.split_first_chunk::<4>() {
        if *length == MAGIC[..4] {
            // Another stream begins here.
            let header = rest.split_at_checked(16);
            let (head, behind) = header
                .ok_or(StreamFault::read("Insufficient header size in a concatenated block"))?;
            if !head.starts_with(&MAGIC) {
                return Ok(());
            }
            rest = behind;
            continue;
        }
        let Ok(length) = usize::try_from(i32::from_be_bytes(*length)) else {
            return Err(StreamFault::read("[INVALID_CHUNK_SIZE] chunkSize is too big or negative"));
        };
        let (chunk, behind) =
            behind.split_at_checked(length).ok_or(StreamFault::read("failed to read chunk"))?;
        block(chunk, out)?;
        rest = behind;
    }
    Ok(())
}

fn block(packed: &[u8], out: &mut Out) -> Result<(), StreamFault> {
    let length = decompress_len(packed).map_err(|_| PARSING)?;
    if packed.is_empty() {
        return Err(PARSING);
    }
    // No element of three bytes gives more than 64: what claims more is not worth the memory.
    if length / 64 > packed.len() {
        return Err(FAILED);
    }
    if length > out.room() {
        return Err(StreamFault::LIMIT);
    }
    let at = out.bytes.len();
    out.bytes.resize(at + length, 0);
    let room = out.bytes.get_mut(at..).unwrap_or_default();
    match Decoder::new().decompress(packed, room) {
        Ok(written) if written == length => Ok(()),
        _ => {
            out.bytes.truncate(at);
            Err(FAILED)
        }
    }
}
