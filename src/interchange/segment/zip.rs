//! Zip archives, as far as a partition's files need them: members stored or deflated, no passwords.
//!
//! Reading is rawzip's and flate2's. Writing is here, because an archive that is made piece by
//! piece while the page goes on must be one value: members are stored, with sizes and CRC in front.

use std::ops::Range;

use crate::error::{Error, Result};

/// The most bytes of an archive that is read: its table of contents stands at the end, so all of it
/// is held.
pub const MAX_ZIP_BYTES: usize = 512 << 20;

/// The most bytes that the members of an archive may unpack to.
pub const MAX_ZIP_UNPACKED_BYTES: usize = 1 << 30;

/// The most members of an archive.
pub const MAX_ZIP_FILES: usize = 20_000;

/// A member of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ZipFile {
    /// Its path in the archive, parted by `/`.
    pub path: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// The members of an archive that `wanted` asks for, in the order of its table of contents;
/// directories are none.
///
/// # Errors
/// [`Refusal::Corrupt`](crate::Refusal::Corrupt), naming the member; the limits
/// [`MAX_ZIP_BYTES`], [`MAX_ZIP_UNPACKED_BYTES`] and [`MAX_ZIP_FILES`].
pub fn read_zip(archive: &[u8], wanted: impl Fn(&str) -> bool) -> Result<Vec<ZipFile>> {
    read_zip_up_to(archive, wanted, MAX_ZIP_UNPACKED_BYTES)
}

fn read_zip_up_to(
    archive: &[u8],
    wanted: impl Fn(&str) -> bool,
    limit: usize,
) -> Result<Vec<ZipFile>> {
    let mut unpacker = Unpacker::new(limit);
    let files = zip_members(archive)?.into_iter().filter(|member| wanted(&member.path));
    let unpacked = files.map(|member| {
        unpacker.begin(&member);
        let mut bytes = Vec::new();
        while unpacker.next(archive, &mut bytes)? {}
        Ok(ZipFile { path: member.path, bytes })
    });
    unpacked.collect()
}

/// A member as the table of contents has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ZipMember {
    /// Its path in the archive, parted by `/`.
    pub path: String,
    is_deflated: bool,
    /// Where its packed bytes lie.
    packed: Range<usize>,
    crc: u32,
}

/// The table of contents of an archive; directories are left out.
///
/// # Errors
/// As [`read_zip`].
pub fn zip_members(archive: &[u8]) -> Result<Vec<ZipMember>> {
    if archive.len() > MAX_ZIP_BYTES {
        return Err(Error::limit(
            "MAX_ZIP_BYTES",
            format!("The archive has {} bytes; {MAX_ZIP_BYTES} are read.", archive.len()),
        )
        .with_hint("Unpack it and give the files themselves."));
    }
    let bad = |error: rawzip::Error| damaged("the archive", &error.to_string());
    let zip = rawzip::ZipArchive::from_slice(archive).map_err(bad)?;
    let mut entries = zip.entries();
    let mut members = Vec::new();
    let mut seen = 0;
    while let Some(entry) = entries.next_entry().map_err(bad)? {
        seen += 1;
        if seen > MAX_ZIP_FILES {
            return Err(Error::limit(
                "MAX_ZIP_FILES",
                format!("The archive has more than {MAX_ZIP_FILES} members."),
            )
            .with_hint("Pack the files of one topic."));
        }
        if entry.is_dir() {
            continue;
        }
        let path = String::from_utf8_lossy(entry.file_path().as_bytes()).into_owned();
        let is_deflated = match entry.compression_method() {
            rawzip::CompressionMethod::STORE => false,
            rawzip::CompressionMethod::DEFLATE => true,
            _ => {
                return Err(damaged(&path, "it is packed by another method than deflate")
                    .with_hint("Pack the files anew, as any zip tool does by default."));
            }
        };
        let member =
            zip.get_entry(entry.wayfinder()).map_err(|error| damaged(&path, &error.to_string()))?;
        let data = member.data();
        let start = data.as_ptr() as usize - archive.as_ptr() as usize;
        let packed = start..start + data.len();
        members.push(ZipMember { path, is_deflated, packed, crc: entry.crc32() });
    }
    Ok(members)
}

/// How many bytes an [`Unpacker`] reads or writes in one go.
const STEP_BYTES: usize = 256 << 10;

/// Unpacks members of an archive one after the other, each in pieces.
#[derive(Debug)]
pub struct Unpacker {
    /// How many more bytes all members may unpack to; and how many they could in the beginning.
    left: usize,
    limit: usize,
    path: String,
    inflate: Option<Box<flate2::Decompress>>,
    rest: Range<usize>,
    block: Vec<u8>,
    crc: flate2::Crc,
    wanted_crc: u32,
}

impl Unpacker {
    /// For members that unpack to at most `limit` bytes together.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            left: limit,
            limit,
            path: String::new(),
            inflate: None,
            rest: 0..0,
            block: Vec::new(),
            crc: flate2::Crc::new(),
            wanted_crc: 0,
        }
    }

    /// Turns to a member.
    pub fn begin(&mut self, member: &ZipMember) {
        self.path.clone_from(&member.path);
        self.inflate = member.is_deflated.then(|| Box::new(flate2::Decompress::new(false)));
        self.rest = member.packed.clone();
        self.crc = flate2::Crc::new();
        self.wanted_crc = member.crc;
    }

    /// Adds the next bytes of the member to `out`; whether there are more.
    ///
    /// # Errors
    /// [`Refusal::Corrupt`](crate::Refusal::Corrupt), naming the member; the limit.
    pub fn next(&mut self, archive: &[u8], out: &mut Vec<u8>) -> Result<bool> {
        let before = out.len();
        let packed = archive.get(self.rest.clone()).unwrap_or_default();
        let (read, is_over) = match &mut self.inflate {
            None => {
                let piece = packed.get(..STEP_BYTES).unwrap_or(packed);
                out.extend_from_slice(piece);
                (piece.len(), piece.len() == packed.len())
            }
            Some(inflate) => {
                let damaged = || damaged(&self.path, "the deflated data is damaged");
                let (read, wrote) = (inflate.total_in(), inflate.total_out());
                self.block.resize(STEP_BYTES, 0);
                let status = inflate
                    .decompress(packed, &mut self.block, flate2::FlushDecompress::None)
                    .map_err(|_| damaged())?;
                let read = (inflate.total_in() - read) as usize;
                let wrote = (inflate.total_out() - wrote) as usize;
                let is_over = status == flate2::Status::StreamEnd;
                if !is_over && read == 0 && wrote == 0 {
                    return Err(damaged());
                }
                out.extend_from_slice(self.block.get(..wrote).unwrap_or_default());
                (read, is_over)
            }
        };
        self.rest.start += read;
        let unpacked = out.get(before..).unwrap_or_default();
        self.crc.update(unpacked);
        self.left = self.left.checked_sub(unpacked.len()).ok_or_else(|| too_large(self.limit))?;
        if is_over && self.crc.sum() != self.wanted_crc {
            return Err(damaged(&self.path, "its checksum is wrong"));
        }
        Ok(!is_over)
    }
}

fn damaged(what: &str, why: &str) -> Error {
    Error::corrupt(format!("{what}: {why}")).with_hint("Pack the archive anew.")
}

fn too_large(limit: usize) -> Error {
    Error::limit(
        "MAX_ZIP_UNPACKED_BYTES",
        format!("The members of the archive unpack to more than {limit} bytes."),
    )
    .with_hint("Give the files one by one.")
}

/// Writes an archive of stored members. Each member is begun with its size and CRC, and its bytes
/// follow from wherever they lie.
#[derive(Debug, Default)]
pub struct ZipWriter {
    entries: Vec<Entry>,
    /// How long the archive is so far, with the content of the last member.
    at: u64,
}

#[derive(Debug)]
struct Entry {
    path: String,
    crc: u32,
    size: u32,
    header_at: u32,
}

/// Size and CRC of a member, taken piece by piece.
#[derive(Debug, Default)]
pub struct MemberSum(flate2::Crc, u64);

impl MemberSum {
    /// Goes on with the next bytes.
    pub fn add(&mut self, piece: &[u8]) {
        self.0.update(piece);
        self.1 += piece.len() as u64;
    }

    /// How many bytes there were.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.1
    }
}

/// 1980-01-01, the first day that zip knows: the same records make the same archive.
const DATE: u16 = 0x21;
const VERSION: u16 = 20;
/// Names are UTF-8.
const FLAGS: u16 = 1 << 11;

impl ZipWriter {
    /// Begins a member; its `content` must be written right behind.
    ///
    /// # Errors
    /// An archive of 4 GiB or of more than 65,535 members.
    pub fn begin(&mut self, path: &str, content: &[u8], out: &mut Vec<u8>) -> Result {
        let mut sum = MemberSum::default();
        sum.add(content);
        self.begin_summed(path, &sum, out)
    }

    /// Begins a member whose content has been gone through before, piece by piece.
    ///
    /// # Errors
    /// As [`ZipWriter::begin`].
    pub fn begin_summed(&mut self, path: &str, sum: &MemberSum, out: &mut Vec<u8>) -> Result {
        let too_large = || {
            Error::limit("ZIP", "A zip archive holds at most 4 GiB and 65535 members.")
                .with_hint("Export one partition at a time.")
        };
        let fits = self.at + path.len() as u64 + sum.size() + 128 <= u64::from(u32::MAX);
        if !fits || self.entries.len() >= usize::from(u16::MAX) {
            return Err(too_large());
        }
        let size = u32::try_from(sum.size()).map_err(|_| too_large())?;
        let header_at = u32::try_from(self.at).map_err(|_| too_large())?;
        let entry = Entry { path: path.to_owned(), crc: sum.0.sum(), size, header_at };
        let before = out.len();
        out.extend_from_slice(b"PK\x03\x04");
        out.extend_from_slice(&VERSION.to_le_bytes());
        entry.common(out);
        out.extend_from_slice(&[0; 2]); // no extra field
        out.extend_from_slice(entry.path.as_bytes());
        self.at += (out.len() - before) as u64 + u64::from(size);
        self.entries.push(entry);
        Ok(())
    }

    /// Writes the table of contents.
    pub fn end(&mut self, out: &mut Vec<u8>) {
        let before = out.len();
        for entry in &self.entries {
            out.extend_from_slice(b"PK\x01\x02");
            out.extend_from_slice(&VERSION.to_le_bytes());
            out.extend_from_slice(&VERSION.to_le_bytes());
            entry.common(out);
            // No extra field, no comment, one disk, no attributes.
            out.extend_from_slice(&[0; 2 + 2 + 2 + 2 + 4]);
            out.extend_from_slice(&entry.header_at.to_le_bytes());
            out.extend_from_slice(entry.path.as_bytes());
        }
        let size = (out.len() - before) as u32;
        let count = self.entries.len() as u16;
        out.extend_from_slice(b"PK\x05\x06\0\0\0\0");
        out.extend_from_slice(&count.to_le_bytes());
        out.extend_from_slice(&count.to_le_bytes());
        out.extend_from_slice(&size.to_le_bytes());
        out.extend_from_slice(&(self.at as u32).to_le_bytes());
        out.extend_from_slice(&[0; 2]);
    }
}

impl Entry {
    /// What stands in both headers: flags, method, time, CRC, both sizes, the length of the name.
    fn common(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&FLAGS.to_le_bytes());
        out.extend_from_slice(&[0; 4]); // stored, midnight
        out.extend_from_slice(&DATE.to_le_bytes());
        out.extend_from_slice(&self.crc.to_le_bytes());
        out.extend_from_slice(&self.size.to_le_bytes());
        out.extend_from_slice(&self.size.to_le_bytes());
        out.extend_from_slice(&(self.path.len() as u16).to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let (mut writer, mut out) = (ZipWriter::default(), Vec::new());
        for (path, content) in files {
            writer.begin(path, content, &mut out).unwrap();
            out.extend_from_slice(content);
        }
        writer.end(&mut out);
        out
    }

    #[test]
    fn what_is_written_is_read() {
        let files: [(&str, &[u8]); 3] =
            [("t-0/a.log", b"one"), ("t-0/b.log", b""), ("ü", &[7; 99])];
        let back = read_zip(&archive(&files), |path| path != "t-0/b.log").unwrap();
        let back: Vec<_> = back.iter().map(|file| (&*file.path, &*file.bytes)).collect();
        assert_eq!(back, [files[0], files[2]]);
        assert!(read_zip(&archive(&[]), |_| true).unwrap().is_empty());
    }

    #[test]
    fn damage_names_the_member() {
        let mut bytes = archive(&[("t-0/a.log", b"one")]);
        let at = bytes.windows(3).position(|three| three == b"one").unwrap();
        bytes[at] = b'O';
        let error = read_zip(&bytes, |_| true).unwrap_err();
        assert_eq!(error.message(), "t-0/a.log: its checksum is wrong");
        assert!(read_zip(b"PK\x03\x04", |_| true).is_err());
    }

    #[test]
    fn the_limit_is_kept_to_the_byte() {
        let bytes = archive(&[("a", b"12345"), ("b", b"678")]);
        assert!(read_zip_up_to(&bytes, |_| true, 8).is_ok());
        let error = read_zip_up_to(&bytes, |_| true, 7).unwrap_err();
        assert_eq!(error.name(), "MAX_ZIP_UNPACKED_BYTES");
    }
}
