//! Files that mean harm, or are none: every reader answers each of them, names a place for what it
//! does not take, takes nothing in silence and keeps no more than its limits.

#[path = "support/files.rs"]
mod files;

use files::decode;
use loglanes::interchange::kcat_lines::KcatLines;
use loglanes::interchange::kcat_text::KcatText;
use loglanes::interchange::segment::ZipWriter;
use loglanes::interchange::{FileFormat, Passed, inspect, preview};
use loglanes::{Command, ImportSpec, MAX_REASON_CHARS, Session};

const MIB: usize = 1 << 20;

fn console(names: &[&str]) -> FileFormat {
    let properties = names.iter().map(|&name| (name.to_owned(), "true".to_owned())).collect();
    FileFormat::ConsoleConsumer { properties, nulls: true }
}

fn kcat_text(format: &str) -> FileFormat {
    FileFormat::KcatText(KcatText { format: format.into(), nulls: false, empty_is_none: false })
}

fn formats() -> Vec<FileFormat> {
    let on = |name: &str| [(name.to_owned(), "true".to_owned())].into();
    let parted = |key: &str, end: Option<&str>| {
        FileFormat::KcatLines(KcatLines {
            key_delimiter: Some(key.into()),
            delimiter: end.map(Into::into),
            ..KcatLines::default()
        })
    };
    vec![
        FileFormat::Ndjson,
        FileFormat::JsonArray,
        FileFormat::Lossless,
        FileFormat::KcatJson,
        FileFormat::Segment,
        FileFormat::LogZip,
        FileFormat::DumpLog,
        FileFormat::Csv { separator: ',', header: true },
        FileFormat::Csv { separator: '\t', header: false },
        parted(":", None),
        parted("::", Some(";;")),
        kcat_text("%k:%s\\n"),
        kcat_text("%K %k %S %s {%h}\\n"),
        kcat_text("%s\\n"),
        FileFormat::ConsoleProducer { properties: on("parse.key") },
        console(&[]),
        console(&["print.key"]),
        console(&["print.timestamp", "print.headers", "print.key"]),
    ]
}

fn hostile() -> Vec<(&'static str, Vec<u8>)> {
    let nested =
        |open: &str, close: &str| format!("{}1{}", open.repeat(10_000), close.repeat(10_000));
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let kcat =
        |key: &str| format!("{{\"partition\":0,\"offset\":0,\"key\":{key},\"payload\":null}}\n");
    let lossless = |key: &str, headers: &str| {
        format!(
            "{{\"partition\":0,\"offset\":0,\"timestamp\":0,\"timestampType\":\"CreateTime\",\
             \"key\":{key},\"value\":null,\"headers\":{headers}}}\n"
        )
    };
    let mut files: Vec<(&str, Vec<u8>)> = vec![
        ("an array 10,000 deep", nested("[", "]").into()),
        ("brackets that never close", "[".repeat(MIB / 4).into()),
        ("an object 10,000 deep", nested("{\"a\":", "}").into()),
        ("a key of kcat 10,000 deep", kcat(&nested("[", "]")).into()),
        ("a key of ours 10,000 deep", lossless(&nested("[", "]"), "[]").into()),
        ("headers of ours 10,000 deep", lossless("null", &nested("[", "]")).into()),
        ("a line of 5 MB", format!("{{\"a\":\"{}\"}}\n", "x".repeat(5 * MIB)).into()),
        ("a line of 9 MB", "abc:".repeat(9 * MIB / 4).into()),
        ("a quote of 9 MB", format!("\"{}", "x".repeat(9 * MIB)).into()),
        ("a row of 100,000 cells", format!("{}\n{}\n", "a,".repeat(100_000), "1,".repeat(100_000)).into()),
        ("UTF-16 with its mark", [b"\xff\xfe".to_vec(), utf16("{\"a\":1}\n")].concat()),
        ("UTF-16 without", utf16("{\"a\":1}\n{\"a\":2}\n")),
        ("zero bytes", vec![0; 10_000]),
        ("a zero byte in JSON", b"{\"a\":\"\0\"}\n{\"a\":1}\n".to_vec()),
        ("a mark in the middle", "{\"a\":1}\n\u{feff}{\"a\":2}\n".into()),
        ("half a letter", b"{\"a\":\"\xe2\x82".to_vec()),
        ("no UTF-8", b"{\"a\":\"\xff\xfe\"}\nk:\xff\n".to_vec()),
        ("fields twice", b"{\"partition\":0,\"partition\":1,\"offset\":0,\"key\":1,\"key\":2,\"payload\":null}\n".to_vec()),
        ("half of a pair", b"{\"partition\":0,\"offset\":1,\"key\":\"\\ud800\",\"payload\":\"\\udc00x\"}\n".to_vec()),
        ("numbers beyond all", kcat("\"k\"").replace(":0", ":99999999999999999999999").into()),
        ("a number of 100,000 digits", format!("{{\"a\":{}}}\n{{\"a\":1e999999}}\n", "9".repeat(100_000)).into()),
        ("lengths that lie", b"999999999999 k -5 v {}\n9999999 k 1 v {}\n-1 \n".to_vec()),
        ("ragged rows", b"a,b\n1,2,3\n1\n\"x\ny\",2\n1,\"2\n".to_vec()),
        ("CR alone", "a,b\r".repeat(1_000).into()),
        ("markup", b"{\"<script>alert(1)</script>\":\"<img src=x onerror=alert(1)>\"}\n".to_vec()),
        ("a picture", [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(), vec![7; 5_000]].concat()),
        ("a program", [b"MZ".to_vec(), vec![0; 5_000]].concat()),
        ("an archive cut short", b"PK\x03\x04\x14\0\0\0".to_vec()),
    ];
    let mut random = 1_u32;
    let noise = std::iter::repeat_with(move || {
        random = random.wrapping_mul(1_103_515_245).wrapping_add(12_345);
        (random >> 16) as u8
    });
    files.push(("noise", noise.take(100_000).collect()));
    files
}

fn passed_all(passed: Passed) -> u64 {
    passed.blank + passed.continued
}

#[test]
fn every_reader_answers_every_file_and_nothing_is_passed_over_in_silence() {
    for (name, file) in hostile() {
        let seen = inspect(&file);
        assert!(!seen.reason.is_empty(), "{name}");
        for format in formats() {
            let mut decoder = format.decoder().unwrap();
            let (mut records, mut refused) = (0, 0);
            let mut each = |found: Result<loglanes::interchange::FileRecord<'_>, _>| match found {
                Ok(_) => records += 1,
                Err(_) => refused += 1,
            };
            for piece in file.chunks(1 << 16) {
                decoder.feed(piece, &mut each);
            }
            decoder.finish_all(&mut each);
            // The first row of a table is its names.
            let is_header = matches!(format, FileFormat::Csv { header: true, .. });
            let one_row = is_header && memchr_lines(&file) <= 1;
            assert!(
                one_row || records + refused + passed_all(decoder.passed()) > 0,
                "{name} as {format:?}: nothing is said"
            );
        }
    }
}

fn memchr_lines(file: &[u8]) -> usize {
    file.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).count()
}

#[test]
fn what_is_refused_has_a_place_and_a_reason_of_bounded_length() {
    let short = hostile().into_iter().filter(|(_, file)| file.len() <= MIB);
    for (name, file) in short {
        for format in formats() {
            for found in decode(&format, &file, 1 << 14).into_iter().take(200) {
                if let Err(why) = found {
                    assert!(why.starts_with("line ") || why.starts_with("byte "), "{name}: {why}");
                }
            }
            let mut there = Session::new(1);
            there.apply(Command::create_topic("t", 1), 0).unwrap();
            there.begin_import(ImportSpec::new("t", format.clone()), 0).unwrap();
            for piece in file.chunks(1 << 14) {
                there.feed(piece).unwrap();
            }
            let told = there.finish().unwrap().1;
            for refused in &told.refusals {
                let length = refused.reason.chars().count();
                assert!(
                    length <= MAX_REASON_CHARS + 1,
                    "{name} as {format:?}: {length} characters"
                );
            }
            let spec = ImportSpec::new("t", format.clone());
            let shown = preview(&file, true, &spec, Some(1)).unwrap();
            assert!(
                shown.refusals.iter().all(|one| one.reason.chars().count() <= MAX_REASON_CHARS + 1)
            );
        }
    }
}

#[test]
fn a_reason_that_quotes_a_line_is_cut_at_its_limit() {
    let properties = [("parse.key".to_owned(), "true".to_owned())].into();
    let spec = ImportSpec::new("t", FileFormat::ConsoleProducer { properties });
    let reason = |line: usize| {
        let shown = preview("x".repeat(line).as_bytes(), true, &spec, None).unwrap();
        shown.refusals[0].reason.clone()
    };
    let quoted = "No key separator found on line number 1: ''".len();
    assert!(reason(MAX_REASON_CHARS - quoted).ends_with("x'"));
    let cut = reason(MAX_REASON_CHARS - quoted + 1);
    assert!(cut.ends_with("x…") && cut.chars().count() == MAX_REASON_CHARS + 1);
}

#[test]
fn a_bomb_in_an_archive_is_unpacked_a_piece_at_a_time_and_checked() {
    use std::io::Write as _;
    const UNPACKED: usize = 16 * MIB;
    let mut deflated = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    deflated.write_all(&vec![0; UNPACKED]).unwrap();
    let deflated = deflated.finish().unwrap();
    let archive = deflated_zip("t-0/00000000000000000000.log", &deflated);
    assert!(archive.len() < UNPACKED / 500, "{}", archive.len());
    let mut decoder = FileFormat::LogZip.decoder().unwrap();
    let mut reasons = Vec::new();
    let mut parts = 0;
    decoder.feed(&archive, &mut |_| panic!("nothing is read before the end"));
    decoder.finish(&mut |_| panic!("nor in one go"));
    while decoder.go_on(&mut |found| reasons.push(found.unwrap_err().reason)) {
        parts += 1;
    }
    assert!(parts >= 32, "{parts}");
    assert_eq!(reasons, ["t-0/00000000000000000000.log: its checksum is wrong"]);
}

/// An archive of one deflated member, made from one that is stored.
fn deflated_zip(path: &str, deflated: &[u8]) -> Vec<u8> {
    let (mut writer, mut out) = (ZipWriter::default(), Vec::new());
    writer.begin(path, deflated, &mut out).unwrap();
    let content = out.len();
    out.extend_from_slice(deflated);
    let directory = out.len();
    writer.end(&mut out);
    assert_eq!(&out[directory..directory + 4], b"PK\x01\x02");
    out[8] = 8;
    out[directory + 10] = 8;
    assert!(content < directory);
    out
}
