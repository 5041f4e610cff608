//! A first look at a file, before anything is done with it.

use super::json;
use super::lines::LineSplitter;
use super::ndjson::is_blank;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// How many fields an [`Inspection`] lists; more are passed over, and the reason says so.
pub const MAX_FIELDS: usize = 200;
/// How many different values of a field are shown.
pub const MAX_SAMPLES: usize = 3;
/// How many characters of a value are shown; a longer one ends in `…`. Names are given whole: they
/// are what an import asks for.
pub const MAX_SAMPLE_CHARS: usize = 80;

/// What a file looks like by its beginning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Inspection {
    /// Whether it is a format that can be imported.
    pub format: FileFormat,
    /// Why the format was or was not recognised, in a sentence.
    pub reason: String,
    /// The top-level fields in order of appearance, at most [`MAX_FIELDS`].
    pub fields: Vec<FieldSummary>,
    /// How many lines were looked at; blank ones and a last one that is cut off do not count.
    pub lines: u32,
}

/// A file format, as far as it was recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum FileFormat {
    /// One JSON value a line.
    Ndjson,
    /// None that can be imported.
    Unknown,
}

/// One top-level field of the lines that were looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldSummary {
    /// Its name.
    pub name: String,
    /// Its first [`MAX_SAMPLES`] different values as text: a string's text, else JSON.
    pub samples: Vec<String>,
    /// How many different values it has in the lines that were looked at.
    pub distinct: u32,
    /// Whether every line has it.
    pub in_every: bool,
}

/// Looks at the beginning of a file, or all of it. The last line is left out if it is no JSON
/// and has no ending: it may be cut off.
///
/// The file is NDJSON if at least half of its lines are JSON objects.
///
/// ```
/// use loglanes::interchange::{FileFormat, inspect};
///
/// let seen = inspect(b"{\"id\":7,\"name\":\"a\"}\n{\"id\":8}\n{\"id\":9,\"na");
/// assert_eq!((seen.format, seen.lines), (FileFormat::Ndjson, 2));
/// assert_eq!(seen.fields[0].samples, ["7", "8"]);
/// assert!(seen.fields[0].in_every && !seen.fields[1].in_every);
/// ```
#[must_use]
pub fn inspect(head: &[u8]) -> Inspection {
    if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
        let reason =
            "The file begins like UTF-16, and NDJSON is UTF-8. Save it as UTF-8.".to_owned();
        return Inspection { format: FileFormat::Unknown, reason, fields: Vec::new(), lines: 0 };
    }
    let mut look = Look::default();
    let mut splitter = LineSplitter::new();
    splitter.feed(head, |line| look.at(line.content.ok(), true));
    splitter.finish(|line| look.at(line.content.ok(), false));
    look.conclude()
}

/// What was seen so far.
#[derive(Default)]
struct Look {
    lines: u32,
    objects: u32,
    fields: Vec<Field>,
    by_name: BTreeMap<String, usize>,
    fields_left_out: bool,
    /// Whether a last line was left out.
    cut: bool,
    /// Whether the first line opens an array or an object that it does not close.
    opens: bool,
}

struct Field {
    summary: FieldSummary,
    values: BTreeSet<String>,
    in_lines: u32,
    last_line: u32,
}

impl Look {
    /// `line` is `None` if it is too long to be looked at.
    fn at(&mut self, line: Option<&[u8]>, ended: bool) {
        if line.is_some_and(is_blank) {
            return;
        }
        let mut fields = Vec::new();
        let is_object = line.and_then(|line| json::check(line).ok()).is_some_and(|text| {
            json::each_field(text, |name, source| fields.push((name, source))).is_ok()
        });
        if !ended && !is_object && line.is_none_or(|line| !is_json(line)) {
            self.cut = true;
            return;
        }
        if self.lines == 0 && !is_object {
            self.opens = line.is_some_and(|line| {
                matches!(line.trim_ascii_start().first(), Some(b'{' | b'[')) && !is_json(line)
            });
        }
        self.lines += 1;
        if is_object {
            self.objects += 1;
            for (name, source) in fields {
                self.field(name, source);
            }
        }
    }

    fn field(&mut self, name: String, source: &str) {
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
        if field.values.insert(source.to_owned()) && field.summary.samples.len() < MAX_SAMPLES {
            let text = if source.starts_with('"') {
                json::decode_string(source).unwrap_or(Cow::Borrowed(source))
            } else {
                Cow::Borrowed(source)
            };
            field.summary.samples.push(shorten(&text));
        }
    }

    fn conclude(self) -> Inspection {
        let (lines, objects) = (self.lines, self.objects);
        let is_ndjson = objects > 0 && u64::from(objects) * 2 >= u64::from(lines);
        let mut reason = if is_ndjson {
            format!("{objects} of the first {lines} lines are JSON objects.")
        } else if self.cut && lines == 0 {
            "The first line does not end within what was looked at, so nothing can be said.".into()
        } else if lines == 0 {
            "There is nothing in it but white space.".to_owned()
        } else if self.opens {
            "It looks like one JSON document over several lines, and NDJSON has one value a line. \
             `jq -c .` writes it so, and `jq -c '.[]'` each element of an array."
                .to_owned()
        } else {
            format!("Only {objects} of the first {lines} lines are JSON objects.")
        };
        if self.fields_left_out {
            reason += &format!(" Only the first {MAX_FIELDS} fields are listed.");
        }
        let fields = self.fields.into_iter().map(|field| FieldSummary {
            distinct: u32::try_from(field.values.len()).unwrap_or(u32::MAX),
            in_every: field.in_lines == lines,
            ..field.summary
        });
        Inspection {
            format: if is_ndjson { FileFormat::Ndjson } else { FileFormat::Unknown },
            reason,
            fields: fields.collect(),
            lines,
        }
    }
}

impl Field {
    fn new(name: String) -> Self {
        let summary = FieldSummary { name, samples: Vec::new(), distinct: 0, in_every: false };
        Self { summary, values: BTreeSet::new(), in_lines: 0, last_line: u32::MAX }
    }
}

fn is_json(line: &[u8]) -> bool {
    json::check(line).is_ok_and(|text| json::any_value(text).is_ok())
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
        assert_eq!((seen.format, seen.lines), (FileFormat::Ndjson, 4));
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
            assert_eq!((seen.format, seen.lines), (FileFormat::Ndjson, 1), "cut at {cut}");
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
            (b"{\"a\": \"never ends", "The first line does not end within"),
            (b"{\n  \"a\": 1\n}\n", "It looks like one JSON document over several lines"),
            (b"[\n{},\n{}\n]\n", "It looks like one JSON document over several lines"),
            (b"id,name\n1,a\n", "Only 0 of the first 2 lines are JSON objects."),
            (b"1\n2\n{}\n", "Only 1 of the first 3 lines are JSON objects."),
            (b"\xff\xfe{\0}\0", "The file begins like UTF-16"),
            (b"\0\x01\xff\n\xfe\n", "Only 0 of the first 2 lines are JSON objects."),
        ];
        for (head, reason) in table {
            let seen = inspect(head);
            assert_eq!(seen.format, FileFormat::Unknown, "{head:?}");
            assert!(seen.reason.starts_with(reason), "{head:?}: {}", seen.reason);
        }
    }

    #[test]
    fn half_of_the_lines_as_objects_are_enough() {
        assert_eq!(inspect(b"{}\nx\n").format, FileFormat::Ndjson);
        assert_eq!(inspect(b"{}\nx\ny\n").format, FileFormat::Unknown);
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
