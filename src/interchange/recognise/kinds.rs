//! Kinds of files that people have, and that hold no records that are read here.

/// Which of them begins so, and the way out.
pub(super) fn of_nothing(head: &[u8]) -> Option<&'static str> {
    const KINDS: &[(usize, &[u8], &str)] = &[
        (0, b"\xff\xfe", "UTF-16, and text is read as UTF-8. Save it as UTF-8."),
        (0, b"\xfe\xff", "UTF-16, and text is read as UTF-8. Save it as UTF-8."),
        (0, b"\x89PNG\r\n\x1a\n", "a PNG picture, which holds no records."),
        (0, b"\xff\xd8\xff", "a JPEG picture, which holds no records."),
        (0, b"GIF8", "a GIF picture, which holds no records."),
        (0, b"RIFF", "a WebP picture, or a sound or film, which holds no records."),
        (4, b"ftyp", "a film or a HEIC picture, which holds no records."),
        (0, b"\x7fELF", "an ELF program, which holds no records."),
        (0, b"MZ", "a Windows program, which holds no records."),
        (0, b"\xca\xfe\xba\xbe", "a Java class, which holds no records."),
        (0, b"\0asm", "a WebAssembly module, which holds no records."),
        (0, b"%PDF-", "a PDF document, which holds no records."),
        (0, b"{\\rtf", "an RTF document. Save it as plain text."),
        (0, b"\xd0\xcf\x11\xe0", "an old Office document. Save the sheet as CSV, in UTF-8."),
        (0, b"PAR1", "a Parquet file. Turn it into CSV or NDJSON first."),
        (0, b"ORC", "an ORC file. Turn it into CSV or NDJSON first."),
        (0, b"ARROW1", "an Arrow file. Turn it into CSV or NDJSON first."),
        (0, b"\x89HDF", "an HDF5 file. Turn it into CSV or NDJSON first."),
        (0, b"Obj\x01", "an Avro file. Turn it into NDJSON first: avro-tools tojson."),
        (0, b"SQLite format 3\0", "an SQLite database. Export a table as CSV first."),
        (0, b"\x1f\x8b", "a gzip file. Unpack it first."),
        (0, b"\x28\xb5\x2f\xfd", "a Zstandard file. Unpack it first."),
        (0, b"\x04\x22\x4d\x18", "an LZ4 file. Unpack it first."),
        (0, b"\xff\x06\0\0sNaPpY", "a Snappy file. Unpack it first."),
        (0, b"\x82SNAPPY\0", "a Snappy file. Unpack it first."),
        (0, b"BZh", "a bzip2 file. Unpack it first."),
        (0, b"\xfd7zXZ\0", "an xz file. Unpack it first."),
        (0, b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive. Unpack it first."),
        (0, b"Rar!\x1a\x07", "a RAR archive. Unpack it first."),
        (257, b"ustar", "a tar archive. Unpack it, and give its folder."),
    ];
    let begins =
        |at: usize, magic: &[u8]| head.get(at..).is_some_and(|rest| rest.starts_with(magic));
    let known = KINDS.iter().find(|&&(at, magic, _)| begins(at, magic)).map(|&(.., kind)| kind);
    known.or_else(|| of_zip(head)).or_else(|| of_bare_utf16(head))
}

/// Zip archives that are documents: their first member says so.
fn of_zip(head: &[u8]) -> Option<&'static str> {
    let rest = head.strip_prefix(b"PK\x03\x04")?;
    let length = usize::from(u16::from_le_bytes([*rest.get(22)?, *rest.get(23)?]));
    match rest.get(26..26 + length)? {
        b"[Content_Types].xml" | b"_rels/.rels" => {
            Some("an Office document. Save the sheet as CSV, in UTF-8.")
        }
        b"mimetype" => Some("an OpenDocument file. Save the sheet as CSV, in UTF-8."),
        name if name.starts_with(b"META-INF/") => Some("a Java archive, which holds no records."),
        _ => None,
    }
}

/// UTF-16 without its mark: of most pairs of bytes the same one is zero, and the other is not.
fn of_bare_utf16(head: &[u8]) -> Option<&'static str> {
    const LOOKED_AT: usize = 64;
    let pairs = head.get(..LOOKED_AT.min(head.len() & !1))?.chunks_exact(2);
    let count = pairs.len();
    let with = |zero: usize| {
        let pairs = pairs.clone();
        pairs.filter(|pair| pair.get(zero) == Some(&0) && pair.get(1 - zero) != Some(&0)).count()
    };
    let is_so = count >= 4 && (with(0) * 4 >= count * 3 || with(1) * 4 >= count * 3);
    is_so.then_some("UTF-16, and text is read as UTF-8. Save it as UTF-8.")
}
