//! Which format a file is taken for, and whether that is said to be a guess.

use loglanes::interchange::{FileFormat, Inspection, inspect};

fn name(format: &FileFormat) -> String {
    match format {
        FileFormat::Csv { separator, header } => {
            format!("csv {separator:?} {}", if *header { "named" } else { "unnamed" })
        }
        FileFormat::ConsoleConsumer { properties, .. } => {
            let properties: Vec<String> = properties
                .iter()
                .map(|(name, value)| match value.as_str() {
                    "true" => name.trim_start_matches("print.").to_owned(),
                    value => format!("{name}={value:?}"),
                })
                .collect();
            format!("console {}", properties.join(" "))
        }
        FileFormat::KcatLines(lines) => {
            format!("kcat lines {}", lines.key_delimiter.as_deref().unwrap_or("none"))
        }
        FileFormat::KcatText(text) => format!("kcat text {}", text.format),
        FileFormat::ConsoleProducer { properties } => format!("console producer {properties:?}"),
        other => format!("{other:?}"),
    }
}

fn told(seen: &Inspection) -> String {
    let format = seen.format.as_ref().map_or_else(|| "none".to_owned(), name);
    format!("{}{format}", if seen.format.is_some() && !seen.sure { "perhaps " } else { "" })
}

#[test]
fn a_file_is_taken_for_what_it_says_and_a_guess_is_called_one() {
    let table: &[(&str, &str)] = &[
        // Two columns by a tab: a table, or keys and values.
        ("k1\tplain\nk2\tmore\n", "perhaps console key"),
        ("k1\tplain\nnull\tno key\n", "console key"),
        ("k1\t{\"a\":1}\nk2\t[2]\n", "console key"),
        ("key\tvalue\nk1\tv1\n", "csv '\\t' named"),
        ("user\tamount\nu1\t5\nu2\t7.5\n", "csv '\\t' named"),
        ("u1\t5\nu2\t7.5\n", "perhaps console key"),
        ("u1\t5\nu2\t\\N\n", "csv '\\t' unnamed"),
        ("a\tb\tc\n1\t2\t3\n", "csv '\\t' named"),
        // A table with names, without, or perhaps.
        ("id,name\n1,alice\n2,bob\n", "csv ',' named"),
        ("1,alice,3.5\n2,bob,4.1\n", "perhaps csv ',' unnamed"),
        ("name,city\nalice,Berlin\nbob,Paris\n", "perhaps csv ',' named"),
        ("alice,Berlin,alice\nbob,Paris,bob\n", "perhaps csv ',' unnamed"),
        (",a,b\n0,x,y\n1,x,z\n", "perhaps csv ',' unnamed"),
        (",name,n\n0,x,1\n1,y,2\n", "csv ',' named"),
        ("country;2023;2024\nDE;5,5;6\nFR;7;8,25\n", "perhaps csv ';' unnamed"),
        ("name;price, EUR;qty\nx;1,5;3\ny;2,5;4\n", "csv ';' named"),
        ("\u{feff}id;name\r\n1;alice\r\n", "csv ';' named"),
        ("id|name\n1|alice\n", "csv '|' named"),
        ("id,day\r1,2024-04-01\r2,2024-04-02\r", "csv ',' named"),
        ("only,names\n", "none"),
        // Columns of the console consumer, by whatever parts them.
        ("CreateTime:17\tk1\tv1\n", "console key timestamp"),
        (
            "CreateTime:17|Partition:0|k1|v1\n",
            "console key.separator=\"|\" key partition timestamp",
        ),
        ("CreateTime:17 | k1 | v1\n", "console key.separator=\" | \" key timestamp"),
        ("NO_TIMESTAMP\tOffset:4\tNO_HEADERS\tk\tv\n", "console headers key offset timestamp"),
        ("LogAppendTime:17\th:1,h:2\tk\tv\n", "console headers key timestamp"),
        (
            "Partition:0\tDelivery:NOT_PRESENT\tEpoch:NOT_PRESENT\tv\n",
            "console delivery epoch partition",
        ),
        ("CreateTime:17\0k\0v\n", "console key.separator=\"\\0\" key timestamp"),
        ("Offset:four\tv\n", "perhaps console key"),
        // JSON, alone and behind keys.
        ("{\"a\":1}\n{\"a\":2}\n", "Ndjson"),
        ("[1,2]\n[3,4]\n", "Ndjson"),
        ("[{\"a\":1},{\"a\":2}]", "JsonArray"),
        ("\u{feff}[{\"a\":1},\n{\"a\":2}]\n", "JsonArray"),
        ("\"a\"\n\"b\"\n", "Ndjson"),
        ("1\n2\n3\n", "perhaps Ndjson"),
        ("k1:{\"a\":1,\"b\":2}\nk2:{\"a\":1,\"b\":3}\n", "kcat lines :"),
        ("k1|{\"a\":1,\"b\":2}\nk2|{\"a\":1,\"b\":3}\n", "kcat lines |"),
        ("{\n \"a\": 1\n}\n", "none"),
        ("{\"a\": \"does not end here", "perhaps Ndjson"),
        ("[{\"a\": \"does not end here", "perhaps JsonArray"),
        // Plain text is no format of its own, and no table.
        ("one line\nanother line\n", "none"),
        ("{\"a\":1}\r{\"a\":2}\r", "none"),
    ];
    let wrong: Vec<String> = table
        .iter()
        .filter(|(file, wanted)| told(&inspect(file.as_bytes())) != *wanted)
        .map(|(file, wanted)| {
            let seen = inspect(file.as_bytes());
            format!("{file:?}\n  is {}, not {wanted}: {}", told(&seen), seen.reason)
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_recognised_can_be_read_otherwise() {
    for file in
        ["{\"a\":1}\n", "k\tv\n", "id,n\n1,2\n", "CreateTime:1\tv\n", "plain\n", "k:{\"a\":1}\n"]
    {
        let seen = inspect(file.as_bytes());
        let mut all: Vec<String> = seen.format.iter().chain(&seen.others).map(name).collect();
        for kind in ["Ndjson", "csv", "console producer", "console ", "kcat lines", "kcat text"] {
            assert!(
                all.iter().any(|name| name.starts_with(kind)),
                "{file:?}: no {kind} in {all:?}"
            );
        }
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), count, "{file:?}: one twice");
    }
}

#[test]
fn files_of_other_kinds_are_named_with_the_way_out() {
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let zip = |name: &str| {
        let mut head = b"PK\x03\x04".to_vec();
        head.extend([0; 22]);
        head.extend((name.len() as u16).to_le_bytes());
        head.extend([0; 2]);
        head.extend(name.as_bytes());
        head
    };
    let tar = [vec![b'a'; 257], b"ustar\x0000".to_vec(), vec![0; 300]].concat();
    let table: Vec<(Vec<u8>, &str)> = vec![
        ([b"\xff\xfe".to_vec(), utf16("{\"a\":1}\n")].concat(), "UTF-16"),
        (utf16("{\"a\":1}\n{\"a\":2}\n"), "UTF-16"),
        (utf16("id,name\r\n1,alice\r\n"), "UTF-16"),
        (zip("[Content_Types].xml"), "Office"),
        (zip("mimetype"), "OpenDocument"),
        (zip("META-INF/MANIFEST.MF"), "Java archive"),
        (tar, "tar"),
        (b"PAR1\x15\x04".to_vec(), "Parquet"),
        (b"SQLite format 3\0\x10\0".to_vec(), "SQLite"),
        (b"\x04\x22\x4d\x18\x64\x40".to_vec(), "LZ4"),
        (b"{\\rtf1\\ansi".to_vec(), "RTF"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".to_vec(), "old Office"),
    ];
    for (head, kind) in table {
        let seen = inspect(&head);
        assert!(seen.format.is_none() && seen.others.is_empty(), "{kind}: {seen:?}");
        assert!(seen.reason.contains(kind), "{kind}: {}", seen.reason);
    }
    assert_eq!(inspect(&zip("orders-0/00000000000000000000.log")).format, Some(FileFormat::LogZip));
}
