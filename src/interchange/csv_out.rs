//! A topic as a table.
//!
//! Rows end with CRLF, as RFC 4180 has it. A cell is quoted only where it has to be: if it has a
//! separator, a quote or a line's end in it, or is the text `\N`. None is `\N` without quotes. The
//! column of headers is there if any record has some. Bytes are written as they are.
//!
//! A spreadsheet may take a cell such as `=1+1` for a formula and run it, and turn `007` into 7.
//! Nothing is changed here because of that: it would change the data. The page says so.

use std::io::Write as _;

use super::csv::NONE;
use super::encoder::{Encoder, Lying};
use super::lossless;

/// Writes a table.
#[derive(Debug)]
pub struct CsvEncoder {
    separator: u8,
    headers: bool,
}

impl CsvEncoder {
    /// A table with or without a column of headers.
    #[must_use]
    pub fn new(separator: u8, headers: bool) -> Self {
        Self { separator, headers }
    }

    fn cell(&self, cell: Option<&[u8]>, out: &mut Vec<u8>) {
        let Some(cell) = cell else { return out.extend_from_slice(NONE) };
        let special = |&byte: &u8| byte == self.separator || b"\"\r\n".contains(&byte);
        if cell != NONE && !cell.iter().any(special) {
            return out.extend_from_slice(cell);
        }
        out.push(b'"');
        for part in cell.split_inclusive(|&byte| byte == b'"') {
            out.extend_from_slice(part);
            if part.ends_with(b"\"") {
                out.push(b'"');
            }
        }
        out.push(b'"');
    }
}

impl Encoder for CsvEncoder {
    fn begin(&mut self, out: &mut Vec<u8>) {
        let names = ["partition", "offset", "timestamp", "key", "value", "headers"];
        for (number, name) in names.iter().take(5 + usize::from(self.headers)).enumerate() {
            if number > 0 {
                out.push(self.separator);
            }
            out.extend_from_slice(name.as_bytes());
        }
        out.extend_from_slice(b"\r\n");
    }

    fn record(&mut self, lying: &Lying<'_>, out: &mut Vec<u8>) {
        let Lying { partition, record, .. } = lying;
        let at = char::from(self.separator);
        let _ = write!(out, "{partition}{at}{}{at}{}{at}", record.offset, record.timestamp);
        self.cell(record.key, out);
        out.push(self.separator);
        self.cell(record.value, out);
        if self.headers {
            out.push(self.separator);
            let mut headers = Vec::new();
            if record.header_count() > 0 {
                lossless::write_headers(record, &mut headers);
            }
            self.cell(Some(&headers), out);
        }
        out.extend_from_slice(b"\r\n");
    }
}
