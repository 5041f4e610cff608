//! CSV and TSV: tables of cells, quoted where a cell has a separator, a quote or a line's end.
//!
//! Rules, after RFC 4180:
//! - A row ends with LF, CRLF or CR; within quotes these are part of the cell. Empty lines are
//!   passed over.
//! - A quote within quotes is doubled. A quote in the middle of a cell that does not begin with one
//!   is a character like any other.
//! - Every byte of a cell is kept: `007` stays text, blanks are not trimmed.
//! - **None and empty:** an empty cell is empty, quoted or not. None is the cell `\N`, not quoted;
//!   the text `\N` is quoted.
//!
//! Columns named `key`, `value`, `partition`, `offset`, `timestamp` and `headers` are what they say,
//! so that a file that Loglanes wrote comes back as it was. Without a `value` column, the value is
//! the row, byte for byte.

use std::borrow::Cow;

use super::decoder::{Decoder, FileHeader, FileRecord, Found, Passed, Place, RefusedAt};
use super::lossless;

/// The most bytes of a row, its quotes and separators included: 8 MiB, as for a
/// [line of JSON](super::jsonlines::MAX_RECORD_LINE_BYTES).
pub const MAX_ROW_BYTES: usize = 8 << 20;

/// The most columns of a table.
pub const MAX_COLUMNS: usize = 10_000;

/// The cell that stands for none, when it is not quoted.
pub const NONE: &[u8] = br"\N";

/// One row of a table, with the names of its columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row<'a> {
    names: &'a [String],
    cells: &'a [u8],
    ends: &'a [Cell],
}

/// A cell: where it ends, and whether it stood in quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cell {
    end: usize,
    quoted: bool,
}

impl<'a> Row<'a> {
    /// How many cells it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether it has no cell.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The names of the columns.
    #[must_use]
    pub fn names(&self) -> &'a [String] {
        self.names
    }

    /// A cell by its place: none outside, and `Some(None)` for a cell that stands for none.
    #[must_use]
    pub fn cell(&self, index: usize) -> Option<Option<&'a [u8]>> {
        let Cell { end, quoted } = *self.ends.get(index)?;
        let start = match index {
            0 => 0,
            _ => self.ends.get(index - 1)?.end,
        };
        let cell = self.cells.get(start..end)?;
        Some((quoted || cell != NONE).then_some(cell))
    }

    /// A cell by the name of its column.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Option<&'a [u8]>> {
        self.cell(self.names.iter().position(|known| known == name)?)
    }

    /// The row as a JSON object of texts.
    pub(super) fn as_json(&self) -> Result<Vec<u8>, String> {
        let mut json = vec![b'{'];
        for (index, name) in self.names.iter().enumerate() {
            if index > 0 {
                json.push(b',');
            }
            lossless::write_text(name, &mut json);
            json.push(b':');
            match self.cell(index).flatten().map(str::from_utf8) {
                None => json.extend_from_slice(b"null"),
                Some(Ok(text)) => lossless::write_text(text, &mut json),
                Some(Err(_)) => {
                    return Err(format!("the cell {name:?} is not UTF-8, which JSON must be."));
                }
            }
        }
        json.push(b'}');
        Ok(json)
    }
}

/// Reads a table.
#[derive(Debug)]
pub struct CsvDecoder {
    separator: u8,
    own: Option<OwnColumns>,
    names: Vec<String>,
    named: bool,
    state: State,
    /// Bytes of a byte order mark that may have begun.
    start: Vec<u8>,
    started: bool,
    cells: Vec<u8>,
    ends: Vec<Cell>,
    source: Vec<u8>,
    row: RowState,
    line: u64,
    passed: Passed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// At the beginning of a cell.
    Begin,
    Plain,
    Quoted,
    /// After a quote within quotes: its end, or the first of two.
    Quote,
    /// After a CR that ended a row: a LF belongs to it.
    Cr,
}

#[derive(Debug, Default)]
struct RowState {
    line: u64,
    /// Bytes of the row so far, kept or not.
    bytes: u64,
    quoted: bool,
    /// The line and the byte of the row at which the last quote opened.
    quote_line: u64,
    quote_byte: u64,
    wrong: Option<String>,
}

/// Where the columns are that are what their names say.
#[derive(Debug, Clone, Copy, Default)]
struct OwnColumns {
    key: Option<usize>,
    value: Option<usize>,
    partition: Option<usize>,
    offset: Option<usize>,
    timestamp: Option<usize>,
    headers: Option<usize>,
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl CsvDecoder {
    /// A reader at the beginning of a table. Without a header the columns are named `1`, `2`…
    #[must_use]
    pub fn new(separator: u8, header: bool) -> Self {
        Self {
            separator,
            own: None,
            names: Vec::new(),
            named: !header,
            state: State::Begin,
            start: Vec::new(),
            started: false,
            cells: Vec::new(),
            ends: Vec::new(),
            source: Vec::new(),
            row: RowState::default(),
            line: 1,
            passed: Passed::default(),
        }
    }

    /// The names of the columns, once they are known.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    fn keep(&mut self, cell: &[u8], source: &[u8]) {
        if self.row.bytes == 0 {
            self.row.line = self.line;
        }
        self.row.bytes += source.len() as u64;
        if self.row.bytes <= MAX_ROW_BYTES as u64 {
            self.cells.extend_from_slice(cell);
            self.source.extend_from_slice(source);
        } else if !self.source.is_empty() {
            self.cells = Vec::new();
            self.source = Vec::new();
        }
    }

    fn end_cell(&mut self) {
        if self.ends.len() < MAX_COLUMNS {
            self.ends.push(Cell { end: self.cells.len(), quoted: self.row.quoted });
        } else {
            self.wrong(|| format!("more than {MAX_COLUMNS} columns."));
        }
        self.row.quoted = false;
        self.state = State::Begin;
    }

    fn wrong(&mut self, why: impl FnOnce() -> String) {
        self.row.wrong.get_or_insert_with(why);
    }

    fn take(&mut self, chunk: &[u8], each: &mut dyn FnMut(Found<'_>)) {
        let mut rest = chunk;
        while let Some(&byte) = rest.first() {
            match self.state {
                State::Cr => {
                    self.state = State::Begin;
                    if byte == b'\n' {
                        rest = &rest[1..];
                    }
                }
                State::Begin if byte == b'"' => {
                    self.keep(b"", b"\"");
                    self.row.quoted = true;
                    (self.row.quote_line, self.row.quote_byte) = (self.line, self.row.bytes);
                    self.state = State::Quoted;
                    rest = &rest[1..];
                }
                State::Begin | State::Plain => {
                    let end = memchr::memchr3(self.separator, b'\n', b'\r', rest);
                    let (cell, after) = rest.split_at(end.unwrap_or(rest.len()));
                    self.keep(cell, cell);
                    if !cell.is_empty() {
                        self.state = State::Plain;
                    }
                    rest = after;
                    if let Some((&byte, after)) = after.split_first() {
                        self.end_by(byte, each);
                        rest = after;
                    }
                }
                State::Quoted => {
                    let end = memchr::memchr(b'"', rest);
                    let (cell, after) = rest.split_at(end.unwrap_or(rest.len()));
                    self.keep(cell, cell);
                    self.line += memchr::memchr_iter(b'\n', cell).count() as u64;
                    rest = after;
                    if end.is_some() {
                        self.keep(b"", b"\"");
                        self.state = State::Quote;
                        rest = &rest[1..];
                    }
                }
                State::Quote => {
                    rest = &rest[1..];
                    match byte {
                        b'"' => {
                            self.keep(b"\"", b"\"");
                            self.state = State::Quoted;
                        }
                        b'\n' | b'\r' => self.end_by(byte, each),
                        _ if byte == self.separator => self.end_by(byte, each),
                        _ => {
                            self.keep(&[byte], &[byte]);
                            let at = self.row.bytes;
                            self.wrong(|| {
                                format!(
                                    "byte {at}: a quoted cell has ended, and neither a separator \
                                     nor the end of the row follows. A quote within quotes is \
                                     written twice."
                                )
                            });
                            self.state = State::Plain;
                        }
                    }
                }
            }
        }
    }

    /// A separator or the end of a row, outside of quotes.
    fn end_by(&mut self, byte: u8, each: &mut dyn FnMut(Found<'_>)) {
        if byte == self.separator {
            self.end_cell();
            self.keep(b"", &[byte]);
            return;
        }
        self.end_row(each);
        self.line += 1;
        if byte == b'\r' {
            self.state = State::Cr;
        }
    }

    fn end_row(&mut self, each: &mut dyn FnMut(Found<'_>)) {
        if self.row.bytes == 0 {
            self.passed.blank += 1;
            self.state = State::Begin;
            return;
        }
        self.end_cell();
        if self.row.bytes > MAX_ROW_BYTES as u64 {
            let bytes = self.row.bytes;
            self.row.wrong =
                Some(format!("{bytes} bytes are more than the {MAX_ROW_BYTES} a row may have."));
        }
        let place = Place::Line(self.row.line);
        match self.row.wrong.take() {
            Some(reason) => each(Err(RefusedAt { place, reason })),
            None if self.named => each(self.record(place)),
            None => self.name_columns(place, each),
        }
        self.cells.clear();
        self.ends.clear();
        self.source.clear();
        self.row = RowState::default();
    }

    fn view(&self) -> Row<'_> {
        Row { names: &self.names, cells: &self.cells, ends: &self.ends }
    }

    fn name_columns(&mut self, place: Place, each: &mut dyn FnMut(Found<'_>)) {
        let row = self.view();
        let names = (0..row.len()).map(|index| {
            str::from_utf8(row.cell(index).flatten().unwrap_or_default()).map(str::to_owned)
        });
        match names.collect() {
            Ok(names) => self.names = names,
            Err(_) => each(Err(RefusedAt::new(place, "the names of the columns are not UTF-8."))),
        }
        self.named = true;
    }

    fn own(&mut self) -> OwnColumns {
        if self.names.is_empty() {
            self.names = (1..=self.ends.len()).map(|number| number.to_string()).collect();
        }
        *self.own.get_or_insert_with(|| {
            let at = |name: &str| self.names.iter().position(|known| known == name);
            OwnColumns {
                key: at("key"),
                value: at("value"),
                partition: at("partition"),
                offset: at("offset"),
                timestamp: at("timestamp"),
                headers: at("headers"),
            }
        })
    }

    fn record(&mut self, place: Place) -> Found<'_> {
        let own = self.own();
        let row = self.view();
        let refuse = |reason: String| RefusedAt { place, reason };
        if row.len() != self.names.len() {
            let (cells, columns) = (row.len(), self.names.len());
            return Err(refuse(format!("{cells} cells, where the table has {columns} columns.")));
        }
        let cell = |at: Option<usize>| at.and_then(|at| row.cell(at)).flatten();
        let number = |name: &str, at: Option<usize>| -> Result<Option<i64>, RefusedAt> {
            let Some(cell) = cell(at).filter(|cell| !cell.is_empty()) else { return Ok(None) };
            let parsed = str::from_utf8(cell).ok().and_then(|text| text.parse().ok());
            parsed.map(Some).ok_or_else(|| {
                let text = String::from_utf8_lossy(cell);
                refuse(format!("the {name} is {text:?}, which is no whole number of 64 bits."))
            })
        };
        let partition = number("partition", own.partition)?
            .map(|partition| {
                i32::try_from(partition).map_err(|_| {
                    refuse(format!("the partition is {partition}, which is more than 32 bits."))
                })
            })
            .transpose()?;
        let headers = match cell(own.headers).filter(|cell| !cell.is_empty()) {
            None => Vec::new(),
            Some(cell) => lossless::headers(cell)
                .map_err(|why| refuse(format!("the headers: {why}")))?
                .into_iter()
                .map(|(key, value)| FileHeader {
                    key: Cow::Owned(key),
                    value: value.map(Cow::Owned),
                })
                .collect(),
        };
        Ok(FileRecord {
            place,
            partition,
            offset: number("offset", own.offset)?,
            timestamp: number("timestamp", own.timestamp)?,
            key: cell(own.key).map(Cow::Borrowed),
            value: match own.value {
                Some(at) => cell(Some(at)).map(Cow::Borrowed),
                None => Some(Cow::Borrowed(&self.source)),
            },
            headers,
            row: Some(row),
        })
    }
}

impl Decoder for CsvDecoder {
    fn feed(&mut self, chunk: &[u8], each: &mut dyn FnMut(Found<'_>)) {
        if self.started {
            return self.take(chunk, each);
        }
        self.start.extend_from_slice(chunk);
        if self.start.len() < BYTE_ORDER_MARK.len() && BYTE_ORDER_MARK.starts_with(&self.start) {
            return;
        }
        self.started = true;
        let start = std::mem::take(&mut self.start);
        self.take(start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&start), each);
    }

    fn finish(&mut self, each: &mut dyn FnMut(Found<'_>)) {
        if !self.started {
            let start = std::mem::take(&mut self.start);
            self.take(&start, each);
        }
        if self.state == State::Quoted {
            let RowState { line, quote_line, quote_byte, .. } = self.row;
            let at = if line == quote_line {
                format!("byte {quote_byte}")
            } else {
                format!("line {quote_line}")
            };
            let lines = self.line - quote_line;
            let rest = match lines {
                0 => String::new(),
                1 => " The line after it is part of the cell.".to_owned(),
                _ => format!(" The {lines} lines after it are part of the cell."),
            };
            each(Err(RefusedAt::new(
                Place::Line(line),
                format!("{at}: a quote opens here and is not closed.{rest}"),
            )));
        } else if self.row.bytes > 0 {
            self.end_row(each);
        }
    }

    fn passed(&self) -> Passed {
        self.passed
    }
}
