//! Files that people have had trouble with, and files that mean harm.
#![cfg(not(target_arch = "wasm32"))]

#[path = "support/files.rs"]
mod files;

use files::{Placed, Plain, decode, decode_all, export, import, records, sending};
use loglanes::interchange::csv::{MAX_COLUMNS, MAX_ROW_BYTES};
use loglanes::interchange::properties::MAX_PROPERTIES;
use loglanes::interchange::{
    Export, ExportFormat, ExportScope, ExportSpec, FileFormat, KeyChoice, PartitionChoice, inspect,
    preview,
};
use loglanes::{Cluster, Command, ImportSpec, Outcome, Session};
use proptest::prelude::*;

/// 2024-04-01T19:33:20.000Z.
const T: i64 = 1_712_000_000_000;

fn file(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/files/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn session(topic: &str, partitions: i32) -> Session {
    let mut session = Session::new(7);
    session.apply(Command::create_topic(topic, partitions), T).unwrap();
    session
}

/// Keeps all that the file says.
fn kept(topic: &str, format: FileFormat) -> ImportSpec {
    ImportSpec { partition: PartitionChoice::Keep, ..ImportSpec::new(topic, format) }
}

fn some(text: &str) -> Option<Vec<u8>> {
    Some(text.as_bytes().to_vec())
}

#[test]
fn null_empty_and_the_word_are_three_things_out_and_in_again() {
    let kinds = [None, some(""), some("null")];
    let all: Vec<Placed> = kinds
        .iter()
        .flat_map(|key| kinds.iter().map(move |value| (key.clone(), value.clone())))
        .map(|(key, value)| Placed {
            partition: Some(0),
            timestamp: Some(T),
            plain: Plain { key, value, headers: Vec::new() },
            ..Placed::default()
        })
        .collect();
    let mut there = session("t", 1);
    there.apply(sending("t", &all, T), T).unwrap();
    for (format, out) in [
        (FileFormat::Lossless, ExportFormat::Lossless),
        (FileFormat::KcatJson, ExportFormat::KcatJson),
        (FileFormat::Csv { separator: ',', header: true }, ExportFormat::Csv { separator: ',' }),
    ] {
        let written = export(there.cluster(), "t", ExportScope::Topic, out.clone());
        assert_eq!(inspect(&written).format.as_ref(), Some(&format));
        let mut back = session("t", 1);
        import(&mut back, kept("t", format.clone()), &written, 5, T);
        assert_eq!(records(back.cluster(), "t"), records(there.cluster(), "t"), "{format:?}");
        assert_eq!(export(back.cluster(), "t", ExportScope::Topic, out), written);
    }
}

#[test]
fn a_key_that_is_the_word_null_is_hashed_as_text() {
    for (key, six, twelve) in [("null", 5, Some(11)), ("NULL", 0, None), ("None", 1, None)] {
        for (partitions, wanted) in [(6, Some(six)), (12, twelve)] {
            let Some(wanted) = wanted else { continue };
            let mut there = session("t", partitions);
            let line = format!(
                "{{\"partition\":0,\"offset\":0,\"ts\":1,\"key\":\"{key}\",\"payload\":null}}"
            );
            import(&mut there, ImportSpec::new("t", FileFormat::KcatJson), line.as_bytes(), 9, T);
            assert_eq!(records(there.cluster(), "t")[0].partition, Some(wanted), "{key}");
        }
    }
}

#[test]
fn kcat_json_that_is_no_utf8_comes_in_byte_for_byte() {
    let mixed = file("kcat-J-mixed.ndjson");
    assert_eq!(inspect(&mixed).format, Some(FileFormat::KcatJson));
    let all = decode_all(&FileFormat::KcatJson, &mixed);
    assert_eq!(all.len(), 10);
    assert_eq!(all[5].plain.key, Some(vec![0xff, 0xfe, 0x80]));
    assert_eq!(all[5].plain.value, Some(b"\x00\x01bin\xff".to_vec()));
    let mut there = session("mix", 6);
    let done = import(&mut there, ImportSpec::new("mix", FileFormat::KcatJson), &mixed, 11, T);
    assert_eq!((done.records, done.refused), (10.0, 0.0));
    let line_6 = records(there.cluster(), "mix")
        .into_iter()
        .find(|record| record.plain.key == Some(vec![0xff, 0xfe, 0x80]))
        .unwrap();
    assert_eq!(line_6.partition, Some(3));
}

#[test]
fn headers_nulls_and_timestamps_survive_out_in_and_out() {
    let mixed = file("kcat-J-mixed.ndjson");
    let mut cluster = Cluster::with_brokers(7, [1]);
    cluster.apply(&Command::create_topic("mix", 1), T).unwrap();
    let all = decode_all(&FileFormat::KcatJson, &mixed);
    let line_8 = &all[7].plain;
    assert_eq!(line_8.key, some("q\"uo,te"));
    assert_eq!(line_8.value, some("line1\nline2\ttab \"q\""));
    let header =
        |key: &str, value: Option<&[u8]>| (key.as_bytes().to_vec(), value.map(<[u8]>::to_vec));
    let wanted = [
        header("h", Some(b"1")),
        header("h", Some(b"2")),
        header("n", None),
        header("e", Some(b"")),
        header("b", Some(b"\xc3\x28")),
    ];
    assert_eq!(line_8.headers, wanted);
    assert_eq!((all[1].plain.key.clone(), all[8].plain.key.clone()), (None, some("null")));
    cluster.apply(&sending("mix", &all, T), T).unwrap();
    // The file is as kcat would print the topic, byte for byte.
    assert_eq!(export(&cluster, "mix", ExportScope::Topic, ExportFormat::KcatJson), mixed);
}

#[test]
fn a_partition_that_the_topic_does_not_have_is_refused_and_not_wrapped() {
    let lines: String = (0..4)
        .map(|p| {
            format!(
                "{{\"partition\":{p},\"offset\":0,\"ts\":{T},\"key\":\"k\",\"payload\":\"{p}\"}}\n"
            )
        })
        .collect();
    let mut there = session("t", 3);
    let spec = kept("t", FileFormat::KcatJson);
    let seen = preview(lines.as_bytes(), true, &spec, Some(3)).unwrap();
    assert_eq!((seen.taken, seen.refused, seen.refusals[0].at), (3, 1, 4.0));
    let done = import(&mut there, spec, lines.as_bytes(), 9, T);
    assert_eq!((done.records, done.refused), (3.0, 1.0));
    assert_eq!((done.refusals[0].unit, done.refusals[0].at), ("line", 4.0));
    assert!(done.refusals[0].reason.contains("Partition 3"), "{}", done.refusals[0].reason);
    let ours: Vec<_> = records(there.cluster(), "t")
        .into_iter()
        .map(|record| (record.partition, record.plain.value))
        .collect();
    assert_eq!(ours, [(Some(0), some("0")), (Some(1), some("1")), (Some(2), some("2"))]);
    // What was kept is kept when the history is played again.
    assert_eq!(&there.history().replay(7).unwrap(), there.cluster());
    for bad in ["-1", "2147483648", "1.5", "\"0\""] {
        let line = format!(
            "{{\"partition\":{bad},\"offset\":0,\"ts\":1,\"key\":null,\"payload\":null}}\n"
        );
        let found = decode(&FileFormat::KcatJson, line.as_bytes(), 9);
        assert!(found[0].as_ref().is_err_and(|why| why.starts_with("line 1")), "{bad}: {found:?}");
    }
}

#[test]
fn a_table_with_quotes_comes_in_and_goes_out_the_same() {
    let quotes = file("quotes.csv");
    let seen = inspect(&quotes);
    let format = FileFormat::Csv { separator: ',', header: true };
    assert_eq!((seen.format.as_ref(), seen.lines), (Some(&format), 8));
    assert!(seen.notes[0].contains("empty"), "the rule for none and empty is said");
    let all = decode_all(&format, &quotes);
    let keys: Vec<_> = all.iter().map(|one| one.plain.key.clone().unwrap()).collect();
    let values: Vec<_> = all.iter().map(|one| one.plain.value.clone().unwrap()).collect();
    let texts =
        |list: &[&str]| list.iter().map(|text| text.as_bytes().to_vec()).collect::<Vec<_>>();
    assert_eq!(keys, texts(&["k1", "smith, j", "k2", "\"q\"", "007", "k3", "k4", "k5"]));
    assert_eq!(
        values,
        texts(&["plain", "say \"hi\"", "line1\nline2", "\"a\",\"b\"", "1e3", "=1+1", "-42.50", ""])
    );
    let mut there = session("t", 1);
    import(&mut there, kept("t", format), &quotes, 4, T);
    let out =
        export(there.cluster(), "t", ExportScope::Topic, ExportFormat::Csv { separator: ',' });
    assert_eq!(out, quotes);
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_name_and_semicolons_are_seen() {
    let file = file("quotes-bom-semicolon.csv");
    let seen = inspect(&file);
    let format = FileFormat::Csv { separator: ';', header: true };
    assert_eq!(seen.format.as_ref(), Some(&format));
    let names: Vec<_> = seen.fields.iter().map(|field| &*field.name).collect();
    assert_eq!(names, ["key", "value"]);
    let all = decode_all(&format, &file);
    let pairs: Vec<_> = all.into_iter().map(|one| (one.plain.key, one.plain.value)).collect();
    assert_eq!(pairs, [(some("007"), some("a;b")), (some("zoë"), some("1,5"))]);
}

#[test]
fn an_unclosed_quote_names_its_line() {
    let format = FileFormat::Csv { separator: ',', header: true };
    let found = decode(&format, b"key,value\na,b\nc,\"d\ne,f\ng,h\n", 3);
    assert_eq!(found.len(), 2);
    let why = found[1].as_ref().unwrap_err();
    assert!(why.starts_with("line 3: byte 3: a quote opens here and is not closed."), "{why}");
    let found = decode(&format, b"key,value\n\"a\"b,c\nd,e,f\ng,h\n", 3);
    assert!(found[0].as_ref().unwrap_err().starts_with("line 2: byte 4: a quoted cell has ended"));
    assert!(found[1].as_ref().unwrap_err().starts_with("line 3: 3 cells, where the table has 2"));
    assert!(found[2].is_ok());
}

#[test]
fn console_text_has_eight_messages_and_says_what_it_cannot_tell() {
    let text = file("console-consumer.txt");
    let seen = inspect(&text);
    let Some(FileFormat::ConsoleConsumer { properties, .. }) = &seen.format else {
        panic!("{seen:?}")
    };
    let printed: Vec<_> = properties.keys().map(String::as_str).collect();
    let wanted =
        ["print.headers", "print.key", "print.offset", "print.partition", "print.timestamp"];
    assert_eq!(printed, wanted);
    assert!(seen.notes[0].contains("null"), "{:?}", seen.notes);
    for nulls in [true, false] {
        let format = FileFormat::ConsoleConsumer { properties: properties.clone(), nulls };
        let all = decode_all(&format, &text);
        assert_eq!(all.len(), 8);
        let null = || if nulls { None } else { some("null") };
        let pairs: Vec<_> =
            all.iter().map(|one| (one.plain.key.clone(), one.plain.value.clone())).collect();
        let wanted = [
            (some("k1"), some("plain")),
            (null(), some("no key")),
            (some(""), some("empty key")),
            (some("k2"), some("")),
            (some("k3"), null()),
            (null(), null()),
            (some("k4"), some("tab\there")),
            (some("k5"), some("two\nlines")),
        ];
        assert_eq!(pairs, wanted);
        let header = |key: &str, value| (key.as_bytes().to_vec(), value);
        let headers = [header("h", some("1")), header("h", some("2")), header("n", null())];
        assert_eq!(all[6].plain.headers, headers);
        assert_eq!((all[7].offset, all[7].timestamp), (Some(7), Some(T + 7)));
    }
    let mut there = session("t", 1);
    let done = import(&mut there, kept("t", seen.format.unwrap()), &text, 3, T);
    assert_eq!((done.records, done.continued), (8.0, 1.0));
}

#[test]
fn console_text_of_keys_and_values_is_recognised() {
    let text = file("console-consumer-key-only.txt");
    let seen = inspect(&text);
    let Some(format @ FileFormat::ConsoleConsumer { .. }) = &seen.format else {
        panic!("{seen:?}")
    };
    let pairs: Vec<_> =
        decode_all(format, &text).into_iter().map(|one| (one.plain.key, one.plain.value)).collect();
    let wanted = [
        (some("k1"), some("plain")),
        (None, some("no key")),
        (some(""), some("empty key")),
        (some("k2"), some("")),
        (some("k3"), None),
    ];
    assert_eq!(pairs, wanted);
    assert!(seen.others.iter().any(|other| matches!(other, FileFormat::Csv { .. })));
}

#[test]
fn numbers_beyond_2_to_the_53_keep_every_digit() {
    let huge = file("huge-offsets.ndjson");
    assert_eq!(inspect(&huge).format, Some(FileFormat::KcatJson));
    let offsets: Vec<_> = decode_all(&FileFormat::KcatJson, &huge)
        .into_iter()
        .map(|one| one.offset.unwrap())
        .collect();
    let wanted =
        [9_007_199_254_740_991, 9_007_199_254_740_992, 9_007_199_254_740_993, i64::MAX - 1];
    assert_eq!(offsets, wanted);
    let line = br#"{"id":73000000000000001}"#;
    let mut there = session("t", 1);
    import(&mut there, ImportSpec::ndjson("t", Some("id")), line, 9, T);
    let record = &records(there.cluster(), "t")[0].plain;
    assert_eq!(
        (record.key.clone(), record.value.as_deref()),
        (some("73000000000000001"), Some(&line[..]))
    );
    for past in ["9223372036854775808", "1e3", "9007199254740993.0"] {
        let line =
            format!("{{\"partition\":0,\"offset\":{past},\"ts\":1,\"key\":null,\"payload\":null}}");
        assert!(decode(&FileFormat::KcatJson, line.as_bytes(), 9)[0].is_err(), "{past}");
    }
}

#[test]
fn keys_are_taken_by_path_and_joined() {
    let array = br#"[
      {"user": {"id": 7}, "city": "Zo\u00eb, \"x\""},
      {"user": {"id": null}, "city": "b"}
    ]"#;
    assert_eq!(inspect(array).format, Some(FileFormat::JsonArray));
    let spec = |key| ImportSpec { key, ..ImportSpec::new("t", FileFormat::JsonArray) };
    let keys = |key| {
        let seen = preview(array, true, &spec(key), None).unwrap();
        let keys: Vec<_> =
            seen.records.iter().map(|one| one.key.as_ref().map(|key| key.to_vec())).collect();
        let refusals: Vec<_> =
            seen.refusals.iter().map(|one| (one.at as u64, one.reason.clone())).collect();
        (keys, refusals)
    };
    let path = |path: &str| KeyChoice::Field { path: path.into() };
    assert_eq!(keys(path("$.user.id")), (vec![some("7"), None], vec![]));
    let (found, refusals) = keys(path("id"));
    assert_eq!((found.len(), refusals.len()), (0, 2));
    assert_eq!(refusals[1], (3, "the value has no field \"id\".".to_owned()));
    let joined =
        KeyChoice::Joined { paths: vec!["city".into(), "$.user.id".into()], separator: "|".into() };
    let (found, refusals) = keys(joined);
    assert_eq!(found, [some("Zoë, \"x\"|7")]);
    assert!(refusals[0].1.contains("is null, and cannot be a part of a key"), "{refusals:?}");
}

#[test]
fn what_is_not_at_its_end_when_an_import_is_cancelled_is_not_taken() {
    let mut there = session("t", 1);
    let format = FileFormat::ConsoleProducer { properties: Default::default() };
    there.begin_import(ImportSpec::new("t", format), T).unwrap();
    there.feed(b"whole\nhal").unwrap();
    let (outcome, done) = there.cancel().unwrap();
    let Outcome::ProducedMany { records: sent, .. } = outcome else { panic!("{outcome:?}") };
    assert_eq!((sent, done.records), (1.0, 1.0));
    assert_eq!(records(there.cluster(), "t").len(), 1);
}

#[test]
fn a_partition_a_range_and_what_a_group_has_not_read_go_out_by_themselves() {
    let mut there = session("t", 2);
    let record = |partition, value: &str| Placed {
        partition: Some(partition),
        timestamp: Some(T),
        plain: Plain { value: some(value), ..Plain::default() },
        ..Placed::default()
    };
    let all = [record(0, "a"), record(0, "b"), record(0, "c"), record(1, "d")];
    there.apply(sending("t", &all, T), T).unwrap();
    let out = |there: &Session, scope| {
        let format = ExportFormat::KcatText { format: "%s ".into(), nulls: false };
        String::from_utf8(export(there.cluster(), "t", scope, format)).unwrap()
    };
    assert_eq!(out(&there, ExportScope::Topic), "a b c d ");
    assert_eq!(out(&there, ExportScope::Partition { partition: 1 }), "d ");
    assert_eq!(out(&there, ExportScope::Range { partition: 0, from: 1, to: 3 }), "b c ");
    assert_eq!(out(&there, ExportScope::Range { partition: 0, from: 1, to: 1 }), "");
    let latest = loglanes::group::OffsetReset::Earliest;
    there.apply(Command::join("g", "m", "t", latest), T).unwrap();
    let at = |partition, offset| loglanes::group::PartitionOffset::new("t", partition, offset);
    let commit =
        Command::Commit { group: "g".into(), member: "m".into(), offsets: Some(vec![at(0, 2)]) };
    there.apply(commit, T).unwrap();
    assert_eq!(out(&there, ExportScope::Unread { group: "g".into() }), "c d ");
    for (scope, name) in [
        (ExportScope::Range { partition: 0, from: 1, to: 4 }, "OFFSET_OUT_OF_RANGE"),
        (ExportScope::Range { partition: 0, from: -1, to: 1 }, "OFFSET_OUT_OF_RANGE"),
        (ExportScope::Partition { partition: 2 }, "UNKNOWN_TOPIC_OR_PARTITION"),
        (ExportScope::Unread { group: "none".into() }, "GROUP_ID_NOT_FOUND"),
    ] {
        let spec = ExportSpec { topic: "t".into(), scope, format: ExportFormat::Lossless };
        assert_eq!(Export::begin(there.cluster(), &spec).unwrap_err().name(), name);
    }
}

#[test]
fn limits_hold_at_their_edge() {
    let row = |bytes: usize| format!("value\n{}\nnext\n", "x".repeat(bytes)).into_bytes();
    let format = FileFormat::Csv { separator: ',', header: true };
    let at = decode(&format, &row(MAX_ROW_BYTES), 1 << 20);
    assert_eq!(at[0].as_ref().unwrap().plain.value.as_ref().unwrap().len(), MAX_ROW_BYTES);
    let past = decode(&format, &row(MAX_ROW_BYTES + 1), 1 << 20);
    assert!(past[0].as_ref().unwrap_err().starts_with("line 2: 8388609 bytes are more than"));
    assert!(past[1].is_ok(), "the next row is read");
    let columns = |count: usize| ",".repeat(count - 1) + "\n";
    let table = |count| FileFormat::Csv { separator: ',', header: count == 0 };
    assert!(decode(&table(1), columns(MAX_COLUMNS).as_bytes(), 999)[0].is_ok());
    assert!(decode(&table(1), columns(MAX_COLUMNS + 1).as_bytes(), 999)[0].is_err());
    let properties = |count: usize| -> FileFormat {
        FileFormat::ConsoleProducer {
            properties: (0..count).map(|n| (n.to_string(), String::new())).collect(),
        }
    };
    assert!(properties(MAX_PROPERTIES).decoder().is_ok());
    assert!(properties(MAX_PROPERTIES + 1).decoder().is_err());
    // A value of a record of 1 MiB, every byte written with six characters, is a line that is taken.
    let longest = "\\u0000".repeat(1 << 20);
    let line = format!(
        "{{\"partition\":0,\"offset\":0,\"ts\":1,\"key\":null,\"payload\":\"{longest}\"}}\n"
    );
    let found = decode(&FileFormat::KcatJson, line.as_bytes(), 1 << 20);
    assert_eq!(found[0].as_ref().unwrap().plain.value.as_ref().unwrap().len(), 1 << 20);
}

/// Every format, with options that read much.
fn all_formats() -> Vec<FileFormat> {
    let on = |name: &str| [(name.to_owned(), "true".to_owned())].into();
    vec![
        FileFormat::Ndjson,
        FileFormat::JsonArray,
        FileFormat::Lossless,
        FileFormat::KcatJson,
        FileFormat::Csv { separator: ',', header: true },
        FileFormat::Csv { separator: '\t', header: false },
        FileFormat::KcatLines(Default::default()),
        FileFormat::KcatText(loglanes::interchange::kcat_text::KcatText {
            format: "%k:%s\\n".into(),
            nulls: false,
            empty_is_none: false,
        }),
        FileFormat::KcatText(loglanes::interchange::kcat_text::KcatText {
            format: "%K %k %S %s {%h}\\n".into(),
            nulls: true,
            empty_is_none: false,
        }),
        FileFormat::ConsoleProducer { properties: on("parse.key") },
        FileFormat::ConsoleConsumer { properties: on("print.key"), nulls: true },
        FileFormat::ConsoleConsumer { properties: on("print.timestamp"), nulls: true },
    ]
}

#[test]
fn hostile_files_get_an_answer_that_names_a_place() {
    let deep = format!("{}{}\n", "[".repeat(10_000), "]".repeat(10_000));
    let deep_object = format!("{{\"a\":{}1{}}}\n", "{\"a\":".repeat(10_000), "}".repeat(10_000));
    let deep_key = format!(
        "{{\"partition\":0,\"offset\":0,\"key\":{}{},\"payload\":null}}\n",
        "[".repeat(10_000),
        "]".repeat(10_000)
    );
    let long = format!("{{\"a\":\"{}\"}}\n", "x".repeat(5 << 20));
    let newlines = "\n".repeat(1 << 16);
    let quotes = format!("a,b\n{}", "\"".repeat(1 << 20));
    let goes_on = format!("k:v{}", "\n".repeat(1 << 18));
    let lying = "999999999999 k -5 v {}\n9999999 k 1 v {}\n".to_owned();
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01".to_vec();
    let elf = [b"\x7fELF\x02\x01\x01".to_vec(), vec![0; 4096]].concat();
    let markup = "{\"k\":\"<script>alert(1)</script>\",\"v\":\"<img src=x onerror=alert(1)>\"}\n";
    let hostile: Vec<Vec<u8>> =
        [deep, deep_object, deep_key, long, newlines, quotes, lying, goes_on, markup.to_owned()]
            .into_iter()
            .map(String::into_bytes)
            .chain([png, elf])
            .collect();
    for file in &hostile {
        let seen = inspect(file);
        assert!(!seen.reason.is_empty());
        for format in all_formats() {
            for one in decode(&format, file, 1 << 16).into_iter().take(50) {
                if let Err(why) = one {
                    assert!(why.starts_with("line "), "{format:?}: {why}");
                }
            }
        }
    }
    for (file, kind) in [(&hostile[9], "PNG"), (&hostile[10], "ELF")] {
        let seen = inspect(file);
        assert!(seen.format.is_none() && seen.reason.contains(kind), "{}", seen.reason);
    }
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => "[ -~]{0,12}".prop_map(String::into_bytes),
        2 => any::<String>().prop_map(String::into_bytes),
        2 => proptest::collection::vec(any::<u8>(), 0..20),
        1 => proptest::sample::select(vec!["null", "NULL", "\\N", "\"", "", "{}", "\r\n", "a,b;c\td"])
            .prop_map(|text| text.as_bytes().to_vec()),
    ]
}

fn any_record() -> impl Strategy<Value = Placed> {
    let optional = || proptest::option::of(bytes());
    let headers = proptest::collection::vec(("[a-zé]{0,3}", optional()), 0..3);
    (0..3i32, prop_oneof![Just(-1), 0..i64::MAX / 2], optional(), optional(), headers).prop_map(
        |(partition, timestamp, key, value, headers)| Placed {
            partition: Some(partition),
            offset: None,
            timestamp: Some(timestamp),
            plain: Plain {
                key,
                value,
                headers: headers
                    .into_iter()
                    .map(|(key, value)| (key.into_bytes(), value))
                    .collect(),
            },
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Out, in and out again is the same file, and the same topic.
    #[test]
    fn lossless_formats_lose_nothing(
        all in proptest::collection::vec(any_record(), 0..12),
        size in 1usize..64,
    ) {
        let mut there = session("t", 3);
        there.apply(sending("t", &all, T), T).unwrap();
        for (format, out) in [
            (FileFormat::Lossless, ExportFormat::Lossless),
            (FileFormat::KcatJson, ExportFormat::KcatJson),
            (FileFormat::Csv { separator: ',', header: true }, ExportFormat::Csv { separator: ',' }),
            (FileFormat::Csv { separator: '\t', header: true }, ExportFormat::Csv { separator: '\t' }),
        ] {
            let written = export(there.cluster(), "t", ExportScope::Topic, out.clone());
            let mut back = session("t", 3);
            let done = import(&mut back, kept("t", format.clone()), &written, size, T);
            prop_assert_eq!(done.refused, 0.0, "{:?}: {:?}", format, done.refusals);
            prop_assert_eq!(records(back.cluster(), "t"), records(there.cluster(), "t"), "{:?}", format);
            prop_assert_eq!(export(back.cluster(), "t", ExportScope::Topic, out), written);
            prop_assert_eq!(&back.history().replay(7).unwrap(), back.cluster());
        }
    }

    /// No bytes make any reader panic, and how a file is cut makes no difference.
    #[test]
    fn no_bytes_make_a_reader_panic(
        file in prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..200),
            proptest::collection::vec(
                proptest::sample::select(b"{}[]\",:;\\ \t\r\nnullk1-%=\xff\xc3CreateTime:1\tPartition".to_vec()), 0..120),
        ],
        size in 1usize..20,
    ) {
        let seen = inspect(&file);
        for format in all_formats().into_iter().chain(seen.format).chain(seen.others) {
            let whole = decode(&format, &file, usize::MAX);
            prop_assert_eq!(decode(&format, &file, size), whole, "{:?}", format);
            let _ = preview(&file, true, &ImportSpec::new("t", format), Some(3));
        }
    }
}
