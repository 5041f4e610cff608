//! What the lines of a file are, as JSON.

use super::Recognised;
use crate::interchange::format::FileFormat;
use crate::interchange::json;
use crate::interchange::lines::LineSplitter;
use crate::interchange::ndjson::is_blank;

/// How many lines are looked at, at the most: many short ones would take their time.
const MAX_JSON_LINES: u32 = 5_000;

/// What the lines of a file are, as JSON.
#[derive(Default)]
pub(super) struct JsonLines {
    pub(super) lines: u32,
    objects: u32,
    /// Values of any kind, and those of them that are arrays or texts.
    values: u32,
    telling: u32,
    /// Objects with the fields of kcat, and of Loglanes.
    kcat: u32,
    lossless: u32,
    /// Whether a last line was left out.
    cut: bool,
    /// Whether the first line opens an array or an object that it does not close.
    pub(super) opens: bool,
    /// Whether there is a CR, and no LF.
    only_cr: bool,
}

impl JsonLines {
    pub(super) fn of(head: &[u8]) -> Self {
        let only_cr = head.contains(&b'\r') && !head.contains(&b'\n');
        let mut look = Self { only_cr, ..Self::default() };
        let mut splitter = LineSplitter::new();
        splitter.feed(head, |line| look.at(line.content.ok(), true));
        splitter.finish(|line| look.at(line.content.ok(), false));
        look
    }

    /// `line` is `None` if it is too long to be looked at.
    fn at(&mut self, line: Option<&[u8]>, ended: bool) {
        if self.lines == MAX_JSON_LINES {
            return;
        }
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
        self.values += u32::from(is_json);
        let first = line.and_then(|line| line.trim_ascii_start().first());
        self.telling += u32::from(is_json && matches!(first, Some(b'[' | b'"' | b'{')));
        self.kcat += u32::from(is_object && names.kcat());
        self.lossless += u32::from(is_object && names.lossless());
    }

    /// Lines that only one tool writes.
    pub(super) fn of_a_tool(&self) -> Option<Recognised> {
        let Self { lines, kcat, lossless, .. } = *self;
        let (format, count, tool) = if lossless > 0 && lossless * 2 >= lines {
            (FileFormat::Lossless, lossless, "Loglanes writes")
        } else if kcat > 0 && kcat * 2 >= lines {
            (FileFormat::KcatJson, kcat, "kcat -J prints")
        } else {
            return None;
        };
        let reason = format!("{count} of the first {lines} lines are records as {tool} them.");
        let others = vec![FileFormat::Ndjson];
        Some(Recognised { others, ..Recognised::some(format, reason) })
    }

    /// Lines of which half or more are objects.
    pub(super) fn objects(&self) -> Option<Recognised> {
        let Self { lines, objects, .. } = *self;
        (objects > 0 && objects * 2 >= lines).then(|| {
            let reason = format!("{objects} of the first {lines} lines are JSON objects.");
            Recognised::some(FileFormat::Ndjson, reason)
        })
    }

    /// Lines that are all values of JSON, though not objects. Numbers and words alone are lines of
    /// text as well.
    pub(super) fn values(&self) -> Option<Recognised> {
        let Self { lines, values, telling, .. } = *self;
        let reason = format!("All of the first {lines} lines are values of JSON.");
        match (lines > 0 && values == lines, telling == lines) {
            (true, true) => Some(Recognised::some(FileFormat::Ndjson, reason)),
            (true, false) => Some(Recognised::guess(
                FileFormat::Ndjson,
                reason + " They may be lines of text as well: the values are the same.",
            )),
            _ => None,
        }
    }

    /// Whether not even the first line ends in what was looked at.
    pub(super) fn is_cut(&self) -> bool {
        self.cut && self.lines == 0 && !self.only_cr
    }

    pub(super) fn why_not(&self) -> String {
        let Self { lines, objects, .. } = self;
        if self.is_cut() {
            "The first line does not end within what was looked at, so nothing can be said.".into()
        } else if *lines == 0 {
            "There is nothing in it but white space.".to_owned()
        } else if self.only_cr {
            "Its lines end with CR alone, as on old Macs, and only tables are read so. Turn them into \
             line feeds: tr '\\r' '\\n'."
                .to_owned()
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
