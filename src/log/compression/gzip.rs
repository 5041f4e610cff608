//! gzip, as `java.util.zip` reads and writes it: members one after the other, and what follows the
//! last and is none is not looked at.

use flate2::{Crc, Decompress, FlushDecompress, Status};

use super::{Out, StreamFault};

/// `java.util.zip.Deflater.DEFAULT_COMPRESSION`: zlib's own default.
const DEFAULT_LEVEL: u32 = 6;

/// Deflate, no flags, no time, no hints, an unknown system: what Java 17 writes.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];

const CUT_HEADER: StreamFault = StreamFault::open("java.io.EOFException");
const CUT: StreamFault = StreamFault::read("Unexpected end of ZLIB input stream");
const DAMAGED: StreamFault = StreamFault::read("the deflated data is damaged");
const CUT_TRAILER: StreamFault = StreamFault::read("java.io.EOFException");
const TRAILER: StreamFault = StreamFault::read("Corrupt GZIP trailer");

pub(super) fn pack(records: &[u8], level: Option<i32>) -> Vec<u8> {
    let level = level.and_then(|level| u32::try_from(level).ok()).filter(|level| *level <= 9);
    let level = flate2::Compression::new(level.unwrap_or(DEFAULT_LEVEL));
    let mut deflate = flate2::Compress::new(level, false);
    let mut out = HEADER.to_vec();
    let mut at = 0;
    loop {
        out.reserve(4096.max(records.len() / 4));
        let rest = records.get(at..).unwrap_or_default();
        let status = deflate.compress_vec(rest, &mut out, flate2::FlushCompress::Finish);
        at = usize::try_from(deflate.total_in()).unwrap_or(usize::MAX);
        // Deflating into memory has no way to fail; there would be no loop without end even so.
        if !matches!(status, Ok(Status::Ok | Status::BufError)) {
            break;
        }
    }
    let mut crc = Crc::new();
    crc.update(records);
    out.extend_from_slice(&crc.sum().to_le_bytes());
    out.extend_from_slice(&(records.len() as u32).to_le_bytes());
    out
}

pub(super) fn unpack(packed: &[u8], out: &mut Out) -> Result<(), StreamFault> {
    let mut rest = member(skip_header(packed)?, out)?;
    while let Ok(next) = skip_header(rest) {
        rest = member(next, out)?;
    }
    Ok(())
}

/// Source of the checks: `java.util.zip.GZIPInputStream.readHeader`.
fn skip_header(packed: &[u8]) -> Result<&[u8], StreamFault> {
    let (head, mut rest) = match packed.split_first_chunk::<10>() {
        Some(split) => split,
        None if matches!(packed, [a, b, ..] if [*a, *b] != HEADER[..2]) => {
            return Err(StreamFault::open("java.util.zip.ZipException: Not in GZIP format"));
        }
        None => return Err(CUT_HEADER),
    };
    let [a, b, method, flags, ..] = *head;
    if [a, b] != [0x1f, 0x8b] {
        return Err(StreamFault::open("java.util.zip.ZipException: Not in GZIP format"));
    }
    if method != 8 {
        let cause = "java.util.zip.ZipException: Unsupported compression method";
        return Err(StreamFault::open(cause));
    }
    if flags & 4 != 0 {
        let (length, behind) = rest.split_first_chunk::<2>().ok_or(CUT_HEADER)?;
        rest = behind.get(usize::from(u16::from_le_bytes(*length))..).ok_or(CUT_HEADER)?;
    }
    for text in [8, 16] {
        if flags & text != 0 {
            let end = memchr::memchr(0, rest).ok_or(CUT_HEADER)?;
            rest = rest.get(end + 1..).unwrap_or_default();
        }
    }
    if flags & 2 != 0 {
        let (stored, behind) = rest.split_first_chunk::<2>().ok_or(CUT_HEADER)?;
        let mut crc = Crc::new();
        crc.update(packed.get(..packed.len() - rest.len()).unwrap_or_default());
        if u16::from_le_bytes(*stored) != crc.sum() as u16 {
            return Err(StreamFault::open("java.util.zip.ZipException: Corrupt GZIP header"));
        }
        rest = behind;
    }
    Ok(rest)
}

/// Inflates one member and checks its trailer; returns what follows.
fn member<'a>(packed: &'a [u8], out: &mut Out) -> Result<&'a [u8], StreamFault> {
    let mut inflate = Decompress::new(false);
    let mut crc = Crc::new();
    let mut block = vec![0; 32 * 1024];
    let mut rest = packed;
    loop {
        let (read, written) = (inflate.total_in(), inflate.total_out());
        let status = inflate.decompress(rest, &mut block, FlushDecompress::None);
        let read = (inflate.total_in() - read) as usize;
        let written = (inflate.total_out() - written) as usize;
        let inflated = block.get(..written).unwrap_or_default();
        crc.update(inflated);
        out.push(inflated)?;
        rest = rest.get(read..).unwrap_or_default();
        match status {
            Ok(Status::StreamEnd) => break,
            Ok(_) if read == 0 && written == 0 => return Err(CUT),
            Ok(_) => {}
            Err(_) => return Err(DAMAGED),
        }
    }
    let (trailer, behind) = rest.split_first_chunk::<8>().ok_or(CUT_TRAILER)?;
    let [stored @ .., a, b, c, d] = *trailer;
    let length = u32::from_le_bytes([a, b, c, d]);
    if u32::from_le_bytes(stored) != crc.sum() || length != inflate.total_out() as u32 {
        return Err(TRAILER);
    }
    Ok(behind)
}
