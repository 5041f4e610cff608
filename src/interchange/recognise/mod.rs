//! Which format a file has, by its beginning.
//!
//! What is said with more certainty goes first:
//! 1. what bytes say by themselves: magic numbers, the frame of a batch;
//! 2. what a tool has written in words: the head of a dump, names of columns, fields that only one
//!    tool writes;
//! 3. what all lines have in common: JSON, a table whose first row can only be names;
//! 4. what is read in several ways with equal right: two cells a line, a table whose first row may
//!    be a record, plain lines. Here nothing in the file decides. The likeliest way is proposed, and
//!    [`Recognised::sure`] says that it is a guess.
//!
//! Whatever is recognised, text can be read in every format of text: all of them are offered.

mod console;
mod json_lines;
mod kinds;
mod table;

use super::decoder::Found;
use super::format::FileFormat;
use super::json_array::JsonArrayDecoder;
use super::kcat_lines::KcatLines;
use super::kcat_text::KcatText;
use super::properties::Properties;
use super::segment::{Looks, LooksLike, looks_like};
use json_lines::JsonLines;

/// What a file was recognised as.
pub(super) struct Recognised {
    pub(super) format: Option<FileFormat>,
    /// Whether something in the file says so; else it is a guess.
    pub(super) sure: bool,
    /// A sentence.
    pub(super) reason: String,
    /// What else it can be read as.
    pub(super) others: Vec<FileFormat>,
    /// What the format cannot tell apart, and the rule that is followed.
    pub(super) notes: Vec<String>,
}

impl Recognised {
    fn none(reason: impl Into<String>) -> Self {
        Self {
            format: None,
            sure: false,
            reason: reason.into(),
            others: Vec::new(),
            notes: Vec::new(),
        }
    }

    fn some(format: FileFormat, reason: impl Into<String>) -> Self {
        Self { format: Some(format), sure: true, ..Self::none(reason) }
    }

    fn guess(format: FileFormat, reason: impl Into<String>) -> Self {
        Self { format: Some(format), ..Self::none(reason) }
    }
}

/// An editor's mark at the very beginning of a text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Looks at the beginning of a file.
pub(super) fn recognise(head: &[u8]) -> Recognised {
    if let Some(kind) = kinds::of_nothing(head) {
        return Recognised::none(format!("The file begins like {kind}"));
    }
    if let Some(Looks { kind, reason, notes }) = looks_like(head) {
        let format = match kind {
            LooksLike::Segment => FileFormat::Segment,
            LooksLike::Zip => FileFormat::LogZip,
            LooksLike::Dump => FileFormat::DumpLog,
        };
        return Recognised { notes, ..Recognised::some(format, reason) };
    }
    let json = JsonLines::of(head);
    let text = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
    let known = json.of_a_tool().or_else(|| json.objects());
    if known.is_none() && json.lines > 0 && head.contains(&0) && !console::is_marked(text) {
        return Recognised::none(
            "There are bytes in it that no text has, and it is no other kind of file that is known.",
        );
    }
    let known = known.or_else(|| json_array(text)).or_else(|| console::marked(text));
    let known = known.or_else(|| json.values());
    let known = known.or_else(|| if json.opens { None } else { table::keyed_json(text) });
    let known = known.or_else(|| console::pairs(text));
    let known = known.or_else(|| if json.opens { None } else { table::table(text) });
    let known = known.or_else(|| long_first_line(&json, text));
    let mut known = known.unwrap_or_else(|| {
        let mut none = Recognised::none(json.why_not());
        if json.lines > 0 && !json.opens {
            none.reason += " It may be read as lines of text.";
        }
        none
    });
    if known.format.is_some() || json.lines > 0 && !json.opens {
        known.others.extend(of_text(text));
    }
    let mut seen = vec![known.format.clone()];
    known.others.retain(|other| {
        let is_new = !seen.contains(&Some(other.clone()));
        seen.push(Some(other.clone()));
        is_new
    });
    known
}

/// A first line that does not end in what is looked at: its first sign is all there is to go by.
fn long_first_line(json: &JsonLines, text: &[u8]) -> Option<Recognised> {
    let format = match text.trim_ascii_start().first() {
        Some(b'{') => FileFormat::Ndjson,
        Some(b'[') => FileFormat::JsonArray,
        _ => return None,
    };
    let reason = "The first line does not end within what was looked at; it begins like JSON.";
    json.is_cut().then(|| Recognised::guess(format, reason))
}

/// An array, if its first elements can be read.
fn json_array(head: &[u8]) -> Option<Recognised> {
    if !head.trim_ascii_start().starts_with(b"[") {
        return None;
    }
    let (elements, refused) = count(&mut JsonArrayDecoder::default(), head);
    let reason = "It is a JSON array; each of its elements becomes the value of a record.";
    (elements > 0 && refused == 0).then(|| Recognised::some(FileFormat::JsonArray, reason))
}

/// Records and refusals of a beginning.
fn count(decoder: &mut dyn super::decoder::Decoder, head: &[u8]) -> (u32, u32) {
    let (mut records, mut refused) = (0, 0);
    decoder.feed(head, &mut |found: Found<'_>| match found {
        Ok(_) => records += 1,
        Err(_) => refused += 1,
    });
    (records, refused)
}

/// Whether more of a file can be read in a format than not.
fn reads(format: &FileFormat, head: &[u8]) -> bool {
    let (mut records, mut refused) = (0_u32, 0_u32);
    if let Ok(mut decoder) = format.decoder() {
        let mut each = |found: Found<'_>| match found {
            Ok(_) => records += 1,
            Err(_) => refused += 1,
        };
        decoder.feed(head, &mut each);
        decoder.finish(&mut each);
    }
    records > refused
}

/// The whole lines of a beginning, at most [`MAX_LINES`]; its last one too where nothing else is
/// there.
fn lines(text: &str) -> Vec<&str> {
    let ended = text.rfind('\n').map_or(text.len(), |at| at + 1);
    let whole = text.get(..ended).unwrap_or(text);
    whole.lines().filter(|line| !line.is_empty()).take(MAX_LINES).collect()
}

/// How many lines are looked at for what they have in common.
const MAX_LINES: usize = 1_000;

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
    let separator = if tabs { '\t' } else { ',' };
    let mut formats = vec![
        FileFormat::ConsoleProducer { properties: on("parse.key") },
        FileFormat::ConsoleConsumer { properties: on("print.key"), nulls: true },
        FileFormat::KcatLines(KcatLines { key_delimiter, ..KcatLines::default() }),
        FileFormat::KcatText(KcatText { format, nulls: false, empty_is_none: false }),
        FileFormat::Csv { separator, header: true },
        FileFormat::Csv { separator, header: false },
        FileFormat::Ndjson,
    ];
    if head.trim_ascii_start().starts_with(b"[") {
        formats.push(FileFormat::JsonArray);
    }
    formats
}
