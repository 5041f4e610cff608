//! A first look at a file, before anything is done with it: which format, which fields, and what
//! an import would make of the first records.

use super::chooser::{Chooser, Chosen};
use super::decoder::{FileRecord, Found};
use super::format::{Brings, FileFormat};
use super::json;
use super::recognise::{Recognised, recognise};
use super::spec::ImportSpec;
use crate::error::Result;
use crate::job::Refused;
use serde::Serialize;
use serde_bytes::ByteBuf;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// How many fields an [`Inspection`] lists; more are passed over, and the reason says so.
pub const MAX_FIELDS: usize = 200;
/// How many different values of a field are shown.
pub const MAX_SAMPLES: usize = 3;
/// How many characters of a value are shown; a longer one ends in `…`. Names are given whole: they
/// are what an import asks for.
pub const MAX_SAMPLE_CHARS: usize = 80;
/// How many records a [`Preview`] has, and how many refusals.
pub const MAX_PREVIEWED: usize = 20;
/// How many bytes of a key or a value a [`Preview`] has.
pub const PREVIEW_BYTES: usize = 256;
/// How many records and refusals a [`Preview`] counts; with so many it looks no further.
pub const MAX_PREVIEW_COUNTED: u32 = 10_000;
/// How many bytes are looked at before it is seen whether that is enough.
const PREVIEW_STEP_BYTES: usize = 16 << 10;
/// How many parts of the work are done for a [`Preview`] once the file is over: see
/// [`Decoder::go_on`](super::Decoder::go_on).
pub const MAX_PREVIEW_PARTS: usize = 32;
/// How many bytes of a file are looked at.
pub const MAX_HEAD_BYTES: usize = 1 << 20;

/// What a file looks like by its beginning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Inspection {
    /// The format; none: it is none that can be imported, or none that can be told from its
    /// beginning.
    pub format: Option<FileFormat>,
    /// Whether something in the file says that it has the format; else it is a guess.
    pub sure: bool,
    /// Why the format was or was not recognised, in a sentence.
    pub reason: String,
    /// What else it can be read as.
    pub others: Vec<FileFormat>,
    /// What the format cannot tell apart, and which rule is followed.
    pub notes: Vec<String>,
    /// What its records bring along.
    pub brings: Brings,
    /// The top-level fields of the values, or the columns, in order of appearance, at most
    /// [`MAX_FIELDS`].
    pub fields: Vec<FieldSummary>,
    /// How many records were looked at.
    pub lines: u32,
}

/// One top-level field of the values that were looked at, or one column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldSummary {
    /// Its name.
    pub name: String,
    /// Its first [`MAX_SAMPLES`] different values as text: a string's text, else JSON.
    pub samples: Vec<String>,
    /// How many different values it has in the records that were looked at.
    pub distinct: u32,
    /// Whether every record has it.
    pub in_every: bool,
}

/// What an import would make of the beginning of a file.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Preview {
    /// The first records, at most [`MAX_PREVIEWED`].
    pub records: Vec<PreviewRecord>,
    /// What could not be taken, at most [`MAX_PREVIEWED`].
    pub refusals: Vec<Refused>,
    /// How many records there are in what was looked at.
    pub taken: u32,
    /// How many refusals.
    pub refused: u32,
    /// Whether that is all of the file.
    pub whole: bool,
}

/// One record of a [`Preview`].
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PreviewRecord {
    /// `line` or `byte`.
    pub unit: &'static str,
    /// Where it begins.
    pub at: f64,
    /// The partition it lay in, where the file says so.
    pub partition: Option<i32>,
    /// The offset it had, where the file says so.
    pub offset: Option<i64>,
    /// Its timestamp; none: the clock's.
    pub timestamp: Option<f64>,
    /// At most [`PREVIEW_BYTES`] of its key.
    pub key: Option<ByteBuf>,
    /// How long the key is.
    pub key_length: u32,
    /// At most [`PREVIEW_BYTES`] of its value.
    pub value: Option<ByteBuf>,
    /// How long the value is.
    pub value_length: u32,
    /// How many headers.
    pub headers: u32,
}

/// Looks at the beginning of a file, or all of it. A last record that is cut off is left out.
///
/// ```
/// use loglanes::interchange::{FileFormat, inspect};
///
/// let seen = inspect(b"{\"id\":7,\"name\":\"a\"}\n{\"id\":8}\n{\"id\":9,\"na");
/// assert_eq!((seen.format, seen.lines), (Some(FileFormat::Ndjson), 2));
/// assert_eq!(seen.fields[0].samples, ["7", "8"]);
/// assert!(seen.fields[0].in_every && !seen.fields[1].in_every);
/// ```
#[must_use]
pub fn inspect(head: &[u8]) -> Inspection {
    let head = head.get(..MAX_HEAD_BYTES).unwrap_or(head);
    let Recognised { format, sure, reason, others, notes } = recognise(head);
    let mut look = Look::default();
    if let Some(Ok(mut decoder)) = format.as_ref().map(FileFormat::decoder) {
        decoder.feed(head, &mut |found| look.at(&found));
        // Without an ending the last record may be whole, or cut off: it counts if it can be read.
        decoder.finish(&mut |found| {
            if found.is_ok() {
                look.at(&found);
            }
        });
    }
    let brings = format.as_ref().map(FileFormat::brings).unwrap_or_default();
    look.conclude(Inspection {
        format,
        sure,
        reason,
        others,
        notes,
        brings,
        fields: Vec::new(),
        lines: 0,
    })
}

/// What an import would make of the beginning of a file. `whole` says that it is all of it, so
/// that what is not closed at its end is wrong. `partitions` is how many the topic has, if it is
/// known.
///
/// ```
/// use loglanes::ImportSpec;
/// use loglanes::interchange::preview;
///
/// let spec = ImportSpec::ndjson("t", Some("id"));
/// let seen = preview(b"{\"id\":7}\n{}\n", true, &spec, None)?;
/// assert_eq!(seen.records[0].key.as_ref().unwrap().as_slice(), b"7");
/// assert_eq!(seen.refusals[0].at, 2.0);
/// # Ok::<(), loglanes::Error>(())
/// ```
///
/// # Errors
///
/// A spec that cannot be used.
pub fn preview(
    head: &[u8],
    whole: bool,
    spec: &ImportSpec,
    partitions: Option<i32>,
) -> Result<Preview> {
    let (mut decoder, mut chooser) = spec.open()?;
    let mut seen =
        Preview { records: Vec::new(), refusals: Vec::new(), taken: 0, refused: 0, whole: false };
    for piece in head.chunks(PREVIEW_STEP_BYTES) {
        decoder.feed(piece, &mut |found| seen.take(found, &mut chooser, partitions));
        if seen.taken + seen.refused >= MAX_PREVIEW_COUNTED {
            return Ok(seen);
        }
    }
    if whole {
        let mut each = |found: Found<'_>| seen.take(found, &mut chooser, partitions);
        decoder.finish(&mut each);
        let is_over = (0..MAX_PREVIEW_PARTS).any(|_| !decoder.go_on(&mut each));
        seen.whole = is_over;
    }
    Ok(seen)
}

impl Preview {
    /// Counts what was found, and keeps the first.
    fn take(&mut self, found: Found<'_>, chooser: &mut Chooser, partitions: Option<i32>) {
        let (place, reason) = match found {
            Ok(record) => match chooser.choose(&record) {
                Ok(Chosen { partition: Some(number), .. })
                    if partitions.is_some_and(|count| number >= count) =>
                {
                    let count = partitions.unwrap_or_default();
                    let reason =
                        format!("it lay in partition {number}, and the topic has {count}.");
                    (record.place, reason)
                }
                Ok(chosen) => {
                    self.taken += 1;
                    if self.records.len() < MAX_PREVIEWED {
                        self.records.push(PreviewRecord::new(&record, &chosen));
                    }
                    return;
                }
                Err(reason) => (record.place, reason),
            },
            Err(refused) => (refused.place, refused.reason),
        };
        self.refused += 1;
        if self.refusals.len() < MAX_PREVIEWED {
            self.refusals.push(Refused::new(place, &reason));
        }
    }
}

impl PreviewRecord {
    fn new(record: &FileRecord<'_>, chosen: &Chosen<'_>) -> Self {
        let (unit, at) = record.place.parts();
        let cut = |bytes: &Option<Cow<'_, [u8]>>| {
            let bytes = bytes.as_deref()?;
            Some(ByteBuf::from(bytes.get(..PREVIEW_BYTES).unwrap_or(bytes)))
        };
        let length = |bytes: &Option<Cow<'_, [u8]>>| {
            bytes.as_ref().map_or(0, |bytes| u32::try_from(bytes.len()).unwrap_or(u32::MAX))
        };
        Self {
            unit,
            at: at as f64,
            partition: record.partition,
            offset: record.offset,
            timestamp: chosen.timestamp.map(|timestamp| timestamp as f64),
            key: cut(&chosen.key),
            key_length: length(&chosen.key),
            value: cut(&chosen.value),
            value_length: length(&chosen.value),
            headers: record.headers.len() as u32,
        }
    }
}

/// What was seen so far.
#[derive(Default)]
struct Look {
    lines: u32,
    fields: Vec<Field>,
    by_name: BTreeMap<String, usize>,
    fields_left_out: bool,
}

struct Field {
    summary: FieldSummary,
    values: BTreeSet<String>,
    in_lines: u32,
    last_line: u32,
}

impl Look {
    fn at(&mut self, found: &Found<'_>) {
        self.lines += 1;
        let Ok(record) = found else { return };
        if let Some(row) = &record.row {
            for (index, name) in row.names().iter().enumerate() {
                let cell = row.cell(index).flatten();
                self.field(
                    name.clone(),
                    cell.map_or(Cow::Borrowed("null"), String::from_utf8_lossy),
                );
            }
            return;
        }
        let text = record.value.as_deref().and_then(|value| json::check(value).ok());
        let mut fields = Vec::new();
        let is_object = text.is_some_and(|text| {
            json::each_field(text, |name, source| fields.push((name, source))).is_ok()
        });
        if is_object {
            for (name, source) in fields {
                let text = if source.starts_with('"') {
                    json::decode_string(source).unwrap_or(Cow::Borrowed(source))
                } else {
                    Cow::Borrowed(source)
                };
                self.field(name, text);
            }
        }
    }

    fn field(&mut self, name: String, text: Cow<'_, str>) {
        let at = match self.by_name.get(&name) {
            Some(&at) => at,
            None if self.fields.len() == MAX_FIELDS => {
                self.fields_left_out = true;
                return;
            }
            None => {
                let at = self.fields.len();
                self.by_name.insert(name.clone(), at);
                self.fields.push(Field::new(name));
                at
            }
        };
        let Some(field) = self.fields.get_mut(at) else { return };
        if field.last_line != self.lines {
            field.last_line = self.lines;
            field.in_lines += 1;
        }
        if !field.values.contains(&*text) {
            if field.summary.samples.len() < MAX_SAMPLES {
                field.summary.samples.push(shorten(&text));
            }
            field.values.insert(text.into_owned());
        }
    }

    fn conclude(self, inspection: Inspection) -> Inspection {
        let lines = self.lines;
        let mut reason = inspection.reason;
        if self.fields_left_out {
            reason += &format!(" Only the first {MAX_FIELDS} fields are listed.");
        }
        let fields = self.fields.into_iter().map(|field| FieldSummary {
            distinct: u32::try_from(field.values.len()).unwrap_or(u32::MAX),
            in_every: field.in_lines == lines,
            ..field.summary
        });
        Inspection { reason, fields: fields.collect(), lines, ..inspection }
    }
}

impl Field {
    fn new(name: String) -> Self {
        let summary = FieldSummary { name, samples: Vec::new(), distinct: 0, in_every: false };
        Self { summary, values: BTreeSet::new(), in_lines: 0, last_line: u32::MAX }
    }
}

/// The beginning of a long text, on a character's border.
fn shorten(text: &str) -> String {
    match text.char_indices().nth(MAX_SAMPLE_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(seen: &Inspection) -> Vec<&str> {
        seen.fields.iter().map(|field| &*field.name).collect()
    }

    #[test]
    fn fields_are_told_in_order_of_appearance_with_samples() {
        let head = concat!(
            "{\"b\":\"x\",\"a\":1.50}\n\n",
            "{\"a\":1.50,\"c\":null,\"b\":\"\\u00e9\"}\r\n",
            "{\"b\":[1, 2],\"b\":\"x\"}\n",
            "{\"b\":{},\"a\":true}",
        );
        let seen = inspect(head.as_bytes());
        assert_eq!((&seen.format, seen.lines), (&Some(FileFormat::Ndjson), 4));
        assert_eq!(seen.reason, "4 of the first 4 lines are JSON objects.");
        assert_eq!(names(&seen), ["b", "a", "c"]);
        let field = |name: &str, samples: &[&str], distinct, in_every| FieldSummary {
            name: name.into(),
            samples: samples.iter().map(|&text| text.into()).collect(),
            distinct,
            in_every,
        };
        assert_eq!(seen.fields[0], field("b", &["x", "é", "[1, 2]"], 4, true));
        assert_eq!(seen.fields[1], field("a", &["1.50", "true"], 2, false));
        assert_eq!(seen.fields[2], field("c", &["null"], 1, false));
    }

    #[test]
    fn a_last_line_that_is_cut_off_is_left_out_wherever_it_is_cut() {
        let file = "{\"a\":1}\n{\"a\":\"é\",\"b\":[2]}";
        for cut in 9..file.len() {
            let seen = inspect(&file.as_bytes()[..cut]);
            assert_eq!((&seen.format, seen.lines), (&Some(FileFormat::Ndjson), 1), "cut at {cut}");
            assert_eq!(names(&seen), ["a"]);
            assert!(seen.fields[0].in_every);
        }
        assert_eq!(inspect(file.as_bytes()).lines, 2);
    }

    #[test]
    fn what_is_not_recognised_says_why() {
        let table: &[(&[u8], &str)] = &[
            (b"", "There is nothing in it but white space."),
            (b"\n \r\n", "There is nothing in it but white space."),
            (b"{\n  \"a\": 1\n}\n", "It looks like one JSON document over several lines"),
            (b"x\ny\n{}\n", "Only 1 of the first 3 lines are JSON objects."),
            (b"\xff\xfe{\0}\0", "The file begins like UTF-16"),
            (b"\0\x01\xff\n\xfe\n", "There are bytes in it that no text has"),
        ];
        for (head, reason) in table {
            let seen = inspect(head);
            assert_eq!(seen.format, None, "{head:?}");
            assert!(seen.reason.starts_with(reason), "{head:?}: {}", seen.reason);
        }
    }

    #[test]
    fn an_array_over_several_lines_is_an_array() {
        assert_eq!(inspect(b"[\n{},\n{}\n]\n").format, Some(FileFormat::JsonArray));
    }

    #[test]
    fn half_of_the_lines_as_objects_are_enough() {
        assert_eq!(inspect(b"{}\nx\n").format, Some(FileFormat::Ndjson));
        assert_eq!(inspect(b"{}\nx\ny\n").format, None);
    }

    #[test]
    fn fields_and_samples_are_limited() {
        let line = |fields: usize| {
            let body: Vec<_> = (0..fields).map(|i| format!("\"f{i}\":{i}")).collect();
            format!("{{{}}}\n", body.join(","))
        };
        let seen = inspect(line(MAX_FIELDS).as_bytes());
        assert_eq!(seen.fields.len(), MAX_FIELDS);
        assert_eq!(seen.reason, "1 of the first 1 lines are JSON objects.");
        let seen = inspect(line(MAX_FIELDS + 1).as_bytes());
        assert_eq!(seen.fields.len(), MAX_FIELDS);
        assert!(seen.reason.ends_with("Only the first 200 fields are listed."));

        let long = |chars| inspect(format!("{{\"a\":\"{}\"}}", "é".repeat(chars)).as_bytes());
        let sample = |chars| long(chars).fields[0].samples[0].clone();
        assert_eq!(sample(MAX_SAMPLE_CHARS), "é".repeat(MAX_SAMPLE_CHARS));
        assert_eq!(sample(MAX_SAMPLE_CHARS + 1), "é".repeat(MAX_SAMPLE_CHARS) + "…");
    }
}
