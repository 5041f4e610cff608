//! What `kafka-dump-log --print-data-log` prints, read back.
//!
//! The tool prints keys and values as text, and says how many bytes each has. So a value may hold
//! line ends and even lines that look like the tool's own. What it prints is not the record where
//! bytes are no UTF-8 (they became U+FFFD, and the sizes no longer fit) or where there are headers
//! (their values are not printed): such records are refused, by line. One header whose name is
//! empty cannot be told from none. Source:
//! `org.apache.kafka.tools.DumpLogSegments`, Apache Kafka 4.4.0.

/// The longest record that is read from a dump, in bytes of its lines.
pub const MAX_DUMP_RECORD_BYTES: usize = 8 << 20;

/// A record of a dump.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DumpRecord<'a> {
    /// The line it begins on, from 1.
    pub line: u64,
    /// Its offset.
    pub offset: i64,
    /// Milliseconds since 1970, or -1.
    pub timestamp: i64,
    /// Its key.
    pub key: Option<&'a [u8]>,
    /// Its value.
    pub value: Option<&'a [u8]>,
    /// The file that the dump says it is of, such as `00000000000000000000.log`.
    pub file: Option<&'a str>,
}

/// A record that a dump does not have in full.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DumpRefused {
    /// The line it begins on.
    pub line: u64,
    /// Why.
    pub reason: String,
}

/// How lines end that say something of a file, whose name stands in front.
const OF_A_FILE: [&str; 2] = [" is empty.", " sanity check passed."];

/// Reads the tool's output, fed in chunks. Memory: one record.
///
/// ```
/// use loglanes::interchange::segment::DumpReader;
///
/// let text = "Dumping 00000000000000000000.log\nLog starting offset: 0\n\
///     baseOffset: 0 lastOffset: 0 count: 1 isvalid: true\n\
///     | offset: 0 CreateTime: 5 keySize: 1 valueSize: 5 sequence: -1 headerKeys: [] key: k payload: a\nb\nc\n";
/// let mut reader = DumpReader::new();
/// let mut values = Vec::new();
/// let mut each = |record: Result<loglanes::interchange::segment::DumpRecord<'_>, _>| {
///     values.push(record.unwrap().value.map(<[u8]>::to_vec));
/// };
/// reader.feed(text.as_bytes(), &mut each);
/// reader.finish(&mut each);
/// assert_eq!(values, [Some(b"a\nb\nc".to_vec())]);
/// ```
#[derive(Debug, Default)]
pub struct DumpReader {
    pending: Vec<u8>,
    /// How much of `pending` has no line's end in it.
    searched: usize,
    /// The number of the first line of `pending`, less 1.
    line: u64,
    file: Option<String>,
    /// A line is too long, and its end has not come yet.
    is_long: bool,
    /// The last record was refused: what follows may be the rest of its value.
    was_refused: bool,
    left_over: u64,
}

/// How the tool's lines begin that are no records: of batches, indexes and snapshots, and what it
/// finds wrong.
const NO_RECORDS: [&str; 13] = [
    "Log starting offset: ",
    "baseOffset: ",
    "offset: ",
    "| offset: ",
    "timestamp: ",
    "producerId: ",
    "version: ",
    "Snapshot end offset: ",
    "Index offset: ",
    "Index timestamp: ",
    "Found ",
    "Mismatches in :",
    "Non-consecutive offsets in ",
];

type Each<'e> = &'e mut dyn FnMut(Result<DumpRecord<'_>, DumpRefused>);

impl DumpReader {
    /// At the beginning of a dump.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next bytes of the text.
    pub fn feed(&mut self, chunk: &[u8], each: Each<'_>) {
        self.pending.extend_from_slice(chunk);
        self.work(false, each);
    }

    /// Says that the text is over.
    pub fn finish(&mut self, each: Each<'_>) {
        self.work(true, each);
        self.pending = Vec::new();
    }

    /// Lines that were taken for the rest of a refused record.
    #[must_use]
    pub fn left_over(&self) -> u64 {
        self.left_over
    }

    fn work(&mut self, is_over: bool, each: Each<'_>) {
        let pending = std::mem::take(&mut self.pending);
        let mut at = 0;
        while let Some(rest) = pending.get(at..).filter(|rest| !rest.is_empty()) {
            let from = std::mem::take(&mut self.searched).min(rest.len());
            let end = memchr::memchr(b'\n', rest.get(from..).unwrap_or_default());
            let end = end.map(|end| from + end);
            if self.is_long {
                self.is_long = end.is_none();
                let step = end.map_or(rest.len(), |end| end + 1);
                self.line += u64::from(end.is_some());
                at += step;
                continue;
            }
            if end.is_none() && !is_over {
                self.searched = rest.len();
                if rest.len() <= MAX_DUMP_RECORD_BYTES {
                    break;
                }
                self.searched = 0;
                self.is_long = true;
                self.refuse(
                    &format!("it has more than the {MAX_DUMP_RECORD_BYTES} bytes of a line."),
                    each,
                );
                at += rest.len();
                continue;
            }
            let line = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            let step = match self.step(line, rest, is_over, each) {
                Step::Line => line.len() + usize::from(end.is_some()),
                Step::Record(len) => len,
                Step::More => break,
            };
            let passed = rest.get(..step).unwrap_or_default();
            self.line += memchr::memchr_iter(b'\n', passed).count() as u64;
            at += step.max(1);
        }
        self.pending = pending;
        self.pending.drain(..at.min(self.pending.len()));
    }

    /// Looks at the line that `rest` begins with.
    fn step(&mut self, line: &[u8], rest: &[u8], is_over: bool, each: Each<'_>) -> Step {
        if let Some(file) = line.strip_prefix(b"Dumping ") {
            self.was_refused = false;
            self.file = Some(String::from_utf8_lossy(file.trim_ascii_end()).into_owned());
            return Step::Line;
        }
        let Some(record) =
            line.strip_prefix(b"| offset: ").or_else(|| line.strip_prefix(b"offset: "))
        else {
            self.no_record(line, each);
            return Step::Line;
        };
        let Some(head) = Head::parse(record) else {
            self.no_record(line, each);
            return Step::Line;
        };
        self.was_refused = false;
        if head.is_marker {
            return Step::Line;
        }
        if head.has_headers {
            self.refuse("it has headers, and a dump shows their names alone", each);
            return Step::Line;
        }
        let Some(at) = (line.len() - record.len()).checked_add(head.len) else { return Step::Line };
        match body(rest.get(at..).unwrap_or_default(), head.key_size, head.value_size) {
            Body::Whole { key, value, len } => {
                let file = self.file.as_deref();
                let (offset, timestamp) = (head.offset, head.timestamp);
                let line = self.line + 1;
                each(Ok(DumpRecord { line, offset, timestamp, key, value, file }));
                Step::Record(at + len)
            }
            Body::Cut if !is_over && rest.len() <= MAX_DUMP_RECORD_BYTES => Step::More,
            Body::End { key, value } if is_over => {
                let file = self.file.as_deref();
                let (offset, timestamp) = (head.offset, head.timestamp);
                let line = self.line + 1;
                each(Ok(DumpRecord { line, offset, timestamp, key, value, file }));
                Step::Record(rest.len())
            }
            Body::End { .. } if rest.len() <= MAX_DUMP_RECORD_BYTES => Step::More,
            Body::Cut | Body::End { .. } => {
                self.refuse("the text ends before its key and value do", each);
                Step::Line
            }
            Body::Other => {
                self.refuse(
                    "its key or value has another size than is printed: bytes that are no UTF-8 \
                     are lost in a dump",
                    each,
                );
                Step::Line
            }
        }
    }

    /// A line that is none of a record: one of the tool's, or what is left of a record that was
    /// refused; any other is refused itself.
    fn no_record(&mut self, line: &[u8], each: Each<'_>) {
        let line = line.trim_ascii_end();
        let begins = NO_RECORDS.iter().any(|begin| line.starts_with(begin.as_bytes()));
        if begins || OF_A_FILE.iter().any(|end| line.ends_with(end.as_bytes())) {
            self.was_refused = false;
        } else if self.was_refused && !line.is_empty() {
            self.left_over += 1;
        } else if !line.is_empty() {
            self.refuse("it is none of the lines that kafka-dump-log prints.", each);
            self.was_refused = false;
        }
    }

    fn refuse(&mut self, reason: &str, each: Each<'_>) {
        self.was_refused = true;
        each(Err(DumpRefused { line: self.line + 1, reason: reason.to_owned() }));
    }
}

enum Step {
    /// The line is done with.
    Line,
    /// A record of so many bytes is.
    Record(usize),
    /// More must come first.
    More,
}

/// What a line says before the key.
struct Head {
    offset: i64,
    timestamp: i64,
    key_size: i64,
    value_size: i64,
    has_headers: bool,
    is_marker: bool,
    /// How many bytes of the line that is.
    len: usize,
}

impl Head {
    /// `0 CreateTime: 5 keySize: 1 valueSize: 2 sequence: -1 headerKeys: []`, then the rest.
    fn parse(line: &[u8]) -> Option<Self> {
        let end = memchr::memmem::find(line, b"headerKeys: [")?;
        let head = std::str::from_utf8(line.get(..end)?).ok()?;
        let words: Vec<&str> = head.split_ascii_whitespace().collect();
        let offset = words.first()?.parse().ok()?;
        let after = |names: &[&str]| {
            let at = words.iter().position(|word| names.contains(word))?;
            words.get(at + 1)?.parse::<i64>().ok()
        };
        let keys = line.get(end + b"headerKeys: [".len()..)?;
        let has_headers = !keys.starts_with(b"]");
        let behind = keys.get(1..).unwrap_or_default();
        Some(Self {
            offset,
            timestamp: after(&["CreateTime:", "LogAppendTime:", "NoTimestampType:"])?,
            key_size: after(&["keySize:"])?,
            value_size: after(&["valueSize:"])?,
            has_headers,
            is_marker: !has_headers && behind.starts_with(b" endTxnMarker:"),
            len: end + b"headerKeys: []".len(),
        })
    }
}

enum Body<'a> {
    Whole {
        key: Option<&'a [u8]>,
        value: Option<&'a [u8]>,
        len: usize,
    },
    /// Whole, as far as can be seen: the line has no end yet.
    End {
        key: Option<&'a [u8]>,
        value: Option<&'a [u8]>,
    },
    Cut,
    Other,
}

/// ` key: k payload: v` and the end of the line, by the sizes.
fn body(text: &[u8], key_size: i64, value_size: i64) -> Body<'_> {
    let mut rest = text;
    let (key, value) = match (
        field(&mut rest, b" key: ", key_size),
        field(&mut rest, b" payload: ", value_size),
    ) {
        (Ok(key), Ok(value)) => (key, value),
        (Err(other), _) | (_, Err(other)) => return other,
    };
    let at = text.len() - rest.len();
    match rest {
        [b'\n', ..] => Body::Whole { key, value, len: at + 1 },
        [b'\r', b'\n', ..] => Body::Whole { key, value, len: at + 2 },
        [] | [b'\r'] => Body::End { key, value },
        _ => Body::Other,
    }
}

/// A label and so many bytes; nothing at all where the size is negative.
fn field<'a>(rest: &mut &'a [u8], label: &[u8], size: i64) -> Result<Option<&'a [u8]>, Body<'a>> {
    let Ok(size) = usize::try_from(size) else { return Ok(None) };
    let begin = rest.get(..label.len().min(rest.len())).unwrap_or_default();
    if !label.starts_with(begin) {
        return Err(Body::Other);
    }
    let behind = rest.get(label.len()..).ok_or(Body::Cut)?;
    let (bytes, behind) = behind.split_at_checked(size).ok_or(Body::Cut)?;
    // It stands for bytes that are no UTF-8, and can take just as much room.
    if memchr::memmem::find(bytes, "\u{fffd}".as_bytes()).is_some() {
        return Err(Body::Other);
    }
    *rest = behind;
    Ok(Some(bytes))
}
