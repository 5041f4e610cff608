//! Which format a file has, by its beginning.

use super::csv::CsvDecoder;
use super::decoder::Decoder;
use super::format::FileFormat;
use super::json;
use super::json_array::JsonArrayDecoder;
use super::kcat_lines::KcatLines;
use super::kcat_text::KcatText;
use super::lines::LineSplitter;
use super::ndjson::is_blank;
use super::properties::Properties;
use super::segment::{Looks, LooksLike, looks_like};

/// What a file was recognised as.
pub(super) struct Recognised {
    pub(super) format: Option<FileFormat>,
    /// A sentence.
    pub(super) reason: String,
    /// What else it can be read as.
    pub(super) others: Vec<FileFormat>,
    /// What the format cannot tell apart, and the rule that is followed.
    pub(super) notes: Vec<String>,
}

impl Recognised {
    fn none(reason: impl Into<String>) -> Self {
        Self { format: None, reason: reason.into(), others: Vec::new(), notes: Vec::new() }
    }

    fn some(format: FileFormat, reason: impl Into<String>) -> Self {
        let others = match &format {
            FileFormat::Lossless | FileFormat::KcatJson => vec![FileFormat::Ndjson],
            _ => Vec::new(),
        };
        Self { format: Some(format), reason: reason.into(), others, notes: Vec::new() }
    }
}

/// Looks at the beginning of a file.
pub(super) fn recognise(head: &[u8]) -> Recognised {
    if let Some(Looks { kind, reason, notes }) = looks_like(head) {
        let format = match kind {
            LooksLike::Segment => FileFormat::Segment,
            LooksLike::Zip => FileFormat::LogZip,
            LooksLike::Dump => FileFormat::DumpLog,
        };
        return Recognised { notes, ..Recognised::some(format, reason) };
    }
    if let Some(kind) = other_kind(head) {
        return Recognised::none(format!("The file begins like {kind}"));
    }
    let json = JsonLines::of(head);
    if json.lossless > 0 && json.lossless * 2 >= json.lines {
        let JsonLines { lossless, lines, .. } = json;
        let reason =
            format!("{lossless} of the first {lines} lines are records as Loglanes writes them.");
        return Recognised::some(FileFormat::Lossless, reason);
    }
    if json.kcat > 0 && json.kcat * 2 >= json.lines {
        let JsonLines { kcat, lines, .. } = json;
        let reason =
            format!("{kcat} of the first {lines} lines are records as kcat -J prints them.");
        return Recognised::some(FileFormat::KcatJson, reason);
    }
    if json.objects > 0 && json.objects * 2 >= json.lines {
        let JsonLines { objects, lines, .. } = json;
        let reason = format!("{objects} of the first {lines} lines are JSON objects.");
        return Recognised::some(FileFormat::Ndjson, reason);
    }
    if json.lines > 0 && head.contains(&0) {
        return Recognised::none(
            "There are bytes in it that no text has, and it is no other kind of file that is known.",
        );
    }
    if let Some(known) = json_array(head).or_else(|| console(head)) {
        return known;
    }
    if !json.opens
        && let Some(table) = table(head)
    {
        return table;
    }
    let mut none = Recognised::none(json.why_not());
    if json.lines > 0 && !json.opens {
        none.reason += " It may be read as lines of text.";
        none.others = of_text(head);
    }
    none
}

/// Kinds of files that people have, and that hold no records.
fn other_kind(head: &[u8]) -> Option<&'static str> {
    const KINDS: &[(&[u8], &str)] = &[
        (b"\xff\xfe", "UTF-16, and NDJSON is UTF-8. Save it as UTF-8."),
        (b"\xfe\xff", "UTF-16, and NDJSON is UTF-8. Save it as UTF-8."),
        (b"\x89PNG\r\n\x1a\n", "a PNG picture, which holds no records."),
        (b"\xff\xd8\xff", "a JPEG picture, which holds no records."),
        (b"GIF8", "a GIF picture, which holds no records."),
        (b"\x7fELF", "an ELF program, which holds no records."),
        (b"MZ", "a Windows program, which holds no records."),
        (b"\0asm", "a WebAssembly module, which holds no records."),
        (b"%PDF-", "a PDF document, which holds no records."),
        (b"PAR1", "a Parquet file. Turn it into CSV or NDJSON first."),
        (b"Obj\x01", "an Avro file. Turn it into NDJSON first: avro-tools tojson."),
        (b"SQLite format 3\0", "an SQLite database. Export a table as CSV first."),
        (b"\x1f\x8b", "a gzip file. Unpack it first."),
        (b"\x28\xb5\x2f\xfd", "a Zstandard file. Unpack it first."),
        (b"BZh", "a bzip2 file. Unpack it first."),
        (b"\xfd7zXZ\0", "an xz file. Unpack it first."),
        (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive. Unpack it first."),
        (b"Rar!\x1a\x07", "a RAR archive. Unpack it first."),
    ];
    KINDS.iter().find(|(magic, _)| head.starts_with(magic)).map(|&(_, kind)| kind)
}

/// What the lines of a file are, as JSON.
#[derive(Default)]
struct JsonLines {
    lines: u32,
    objects: u32,
    /// Objects with the fields of kcat, and of Loglanes.
    kcat: u32,
    lossless: u32,
    /// Whether a last line was left out.
    cut: bool,
    /// Whether the first line opens an array or an object that it does not close.
    opens: bool,
}

impl JsonLines {
    fn of(head: &[u8]) -> Self {
        let mut look = Self::default();
        let mut splitter = LineSplitter::new();
        splitter.feed(head, |line| look.at(line.content.ok(), true));
        splitter.finish(|line| look.at(line.content.ok(), false));
        look
    }

    /// `line` is `None` if it is too long to be looked at.
    fn at(&mut self, line: Option<&[u8]>, ended: bool) {
        if line.is_some_and(is_blank) {
            return;
        }
        // kcat writes bytes that are not UTF-8: for a look at the names they may be anything.
        let text = line.map(String::from_utf8_lossy);
        let mut names = Names::default();
        let is_object = text.as_ref().is_some_and(|text| {
            json::check(text.as_bytes())
                .and_then(|text| json::each_field(text, |name, _| names.see(&name)))
                .is_ok()
        });
        let is_json = text.as_ref().is_some_and(|text| {
            is_object
                || json::check(text.as_bytes()).is_ok_and(|text| json::any_value(text).is_ok())
        });
        if !ended && !is_json {
            self.cut = true;
            return;
        }
        if self.lines == 0 && !is_object {
            self.opens = line.is_some_and(|line| {
                matches!(line.trim_ascii_start().first(), Some(b'{' | b'[')) && !is_json
            });
        }
        self.lines += 1;
        self.objects += u32::from(is_object);
        self.kcat += u32::from(is_object && names.kcat());
        self.lossless += u32::from(is_object && names.lossless());
    }

    fn why_not(&self) -> String {
        let Self { lines, objects, .. } = self;
        if self.cut && *lines == 0 {
            "The first line does not end within what was looked at, so nothing can be said.".into()
        } else if *lines == 0 {
            "There is nothing in it but white space.".to_owned()
        } else if self.opens {
            "It looks like one JSON document over several lines, and NDJSON has one value a line. \
             `jq -c .` writes it so, and `jq -c '.[]'` each element of an array."
                .to_owned()
        } else {
            format!("Only {objects} of the first {lines} lines are JSON objects.")
        }
    }
}

/// Which of the telling names a line has.
#[derive(Default)]
struct Names {
    partition: bool,
    offset: bool,
    key: bool,
    payload: bool,
    value: bool,
    timestamp_type: bool,
}

impl Names {
    fn see(&mut self, name: &str) {
        match name {
            "partition" => self.partition = true,
            "offset" => self.offset = true,
            "key" => self.key = true,
            "payload" => self.payload = true,
            "value" => self.value = true,
            "timestampType" => self.timestamp_type = true,
            _ => {}
        }
    }

    fn kcat(&self) -> bool {
        self.partition && self.offset && self.key && self.payload
    }

    fn lossless(&self) -> bool {
        self.partition && self.offset && self.key && self.value && self.timestamp_type
    }
}

/// An array, if its first elements can be read.
fn json_array(head: &[u8]) -> Option<Recognised> {
    if !head.trim_ascii_start().starts_with(b"[") {
        return None;
    }
    let mut decoder = JsonArrayDecoder::default();
    let (mut elements, mut refused) = (0_u32, 0_u32);
    decoder.feed(head, &mut |found| match found {
        Ok(_) => elements += 1,
        Err(_) => refused += 1,
    });
    let reason = "It is a JSON array; each of its elements becomes the value of a record.";
    (elements > 0 && refused == 0).then(|| Recognised::some(FileFormat::JsonArray, reason))
}

/// What a cell of console text is known by.
fn column(cell: &str) -> Option<&'static str> {
    let number = |cell: &str| cell.parse::<i64>().is_ok();
    match cell {
        "NO_HEADERS" => return Some("print.headers"),
        "NO_TIMESTAMP" => return Some("print.timestamp"),
        _ => {}
    }
    let (name, rest) = cell.split_once(':')?;
    match name {
        "CreateTime" | "LogAppendTime" if number(rest) => Some("print.timestamp"),
        "Partition" if number(rest) => Some("print.partition"),
        "Offset" if number(rest) => Some("print.offset"),
        "Delivery" if rest == "NOT_PRESENT" || number(rest) => Some("print.delivery"),
        "Epoch" if rest == "NOT_PRESENT" || number(rest) => Some("print.epoch"),
        _ => None,
    }
}

/// How many lines are looked at for the columns of console text.
const MAX_CONSOLE_LINES: usize = 1_000;

/// What the console consumer printed, if a line begins with its columns, or all lines are two
/// cells parted by a tab that no header names.
fn console(head: &[u8]) -> Option<Recognised> {
    let ended = memchr::memrchr(b'\n', head).unwrap_or(head.len());
    let text = String::from_utf8_lossy(head.get(..ended)?);
    let lines: Vec<&str> = text.lines().take(MAX_CONSOLE_LINES).collect();
    let first = *lines.first()?;
    let marks = |line: &str| line.split('\t').map_while(column).count();
    let mut names: Vec<&str> = Vec::new();
    let marked = marks(first) > 0;
    if marked {
        // What a line has beyond the columns that are known by their looks: headers, key, value.
        let rest: Vec<Vec<&str>> = lines
            .iter()
            .filter(|line| marks(line) > 0)
            .map(|line| {
                let plain = |cell: &&str| column(cell).is_none_or(|name| name == "print.headers");
                line.split('\t').skip_while(|cell| !plain(cell)).collect()
            })
            .collect();
        names.extend(first.split('\t').map_while(column).filter(|name| *name != "print.headers"));
        let headers = rest.iter().any(|cells| cells.first() == Some(&"NO_HEADERS"));
        if headers {
            names.push("print.headers");
        }
        if rest.iter().all(|cells| cells.len() >= 2 + usize::from(headers)) {
            names.push("print.key");
        }
    } else {
        let named = first.split('\t').any(|cell| cell == "key" || cell == "value");
        if named || !lines.iter().all(|line| line.split('\t').count() == 2) {
            return None;
        }
        names.push("print.key");
    }
    let properties = names.into_iter().map(|name| (name.to_owned(), "true".to_owned())).collect();
    let format = FileFormat::ConsoleConsumer { properties, nulls: true };
    if !reads(&format, head) {
        return None;
    }
    let reason = if marked {
        "It begins with the columns that kafka-console-consumer prints."
    } else {
        "Each line is a key, a tab and a value, as kafka-console-consumer prints with print.key=true."
    };
    let mut recognised = Recognised::some(format, reason);
    recognised.others = of_text(head);
    if !marked {
        let table = |header| FileFormat::Csv { separator: '\t', header };
        recognised.others.splice(0..0, [table(true), table(false)]);
    }
    recognised.notes = vec![
        "The text null may be none or the four letters: it is read as none unless you say that it \
         is text."
            .to_owned(),
        "A line that does not begin with these columns is the rest of the value before it."
            .to_owned(),
    ];
    Some(recognised)
}

/// Whether more of a file can be read in a format than not.
fn reads(format: &FileFormat, head: &[u8]) -> bool {
    let (mut records, mut refused) = (0_u32, 0_u32);
    if let Ok(mut decoder) = format.decoder() {
        let mut each = |found: super::decoder::Found<'_>| match found {
            Ok(_) => records += 1,
            Err(_) => refused += 1,
        };
        decoder.feed(head, &mut each);
        decoder.finish(&mut each);
    }
    records > refused
}

/// As what text can be read, whatever is in it.
fn of_text(head: &[u8]) -> Vec<FileFormat> {
    let tabs = head.contains(&b'\t');
    let keyed = tabs || head.contains(&b':');
    let delimiter = if tabs { "\\t" } else { ":" };
    let on = |name: &str| -> Properties {
        let name = tabs.then(|| (name.to_owned(), "true".to_owned()));
        name.into_iter().collect()
    };
    let key_delimiter = keyed.then(|| delimiter.to_owned());
    let format = if keyed { format!("%k{delimiter}%s\\n") } else { "%s\\n".to_owned() };
    vec![
        FileFormat::ConsoleProducer { properties: on("parse.key") },
        FileFormat::ConsoleConsumer { properties: on("print.key"), nulls: true },
        FileFormat::KcatLines(KcatLines { key_delimiter, ..KcatLines::default() }),
        FileFormat::KcatText(KcatText { format, nulls: false, empty_is_none: false }),
        FileFormat::Csv { separator: if tabs { '\t' } else { ',' }, header: true },
    ]
}

/// A table, if the rows have as many cells as its first one, by one of the usual separators.
fn table(head: &[u8]) -> Option<Recognised> {
    let found = [b',', b';', b'\t', b'|'].into_iter().filter_map(|separator| {
        let mut decoder = CsvDecoder::new(separator, true);
        let (mut rows, mut refused) = (0_u32, 0_u32);
        decoder.feed(head, &mut |found| match found {
            Ok(_) => rows += 1,
            Err(_) => refused += 1,
        });
        // A last row without an ending may be cut off.
        decoder.finish(&mut |found| rows += u32::from(found.is_ok()));
        let columns = decoder.names().len();
        (columns > 1 && rows > 0 && refused * 2 <= rows).then_some((columns, separator, rows))
    });
    let (columns, separator, rows) = found.max_by_key(|&(columns, ..)| columns)?;
    let name = match separator {
        b',' => "commas",
        b';' => "semicolons",
        b'\t' => "tabs",
        _ => "bars",
    };
    let format = FileFormat::Csv { separator: char::from(separator), header: true };
    let reason = format!(
        "Its first {rows} rows have {columns} cells each, parted by {name}, as the first line has names."
    );
    let mut recognised = Recognised::some(format, reason);
    recognised.others = vec![FileFormat::Csv { separator: char::from(separator), header: false }];
    recognised
        .notes
        .push("An empty cell is empty, not none. None is the cell \\N, not quoted.".to_owned());
    Some(recognised)
}
