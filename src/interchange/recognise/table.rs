//! Tables, and whether their first row has names; keys in front of JSON.

use super::{MAX_LINES, Recognised, lines};
use crate::interchange::csv::CsvDecoder;
use crate::interchange::decoder::Decoder;
use crate::interchange::format::FileFormat;
use crate::interchange::json;
use crate::interchange::kcat_lines::KcatLines;
use crate::interchange::kcat_text::KcatText;

/// What the first row of a table is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    /// It names the columns: in one of them it differs in kind from all rows below.
    Yes,
    /// It is a row like the others: it has values of a column's kind, or cells that name nothing.
    No,
    /// It may be either: all is text.
    Unknown,
}

/// Whether a cell is a number, a time, or true or false: something that is measured, not named.
fn is_measured(cell: &str) -> bool {
    let cell = cell.trim();
    let number = cell.trim_end_matches('%').replace(',', ".");
    let is_number = number.parse::<f64>().is_ok() && cell.bytes().any(|byte| byte.is_ascii_digit());
    let digits = cell.bytes().filter(u8::is_ascii_digit).count();
    let is_time = digits >= 4
        && cell.bytes().all(|byte| byte.is_ascii_digit() || b"-:./+TZ ".contains(&byte));
    let word = cell.to_ascii_lowercase();
    is_number || is_time || word == "true" || word == "false"
}

/// What the first of some rows is, by comparison with those below.
pub(super) fn names_in_first_row(rows: &[Vec<&str>]) -> Names {
    let Some((first, below)) = rows.split_first() else { return Names::Unknown };
    if first.iter().any(|cell| matches!(*cell, "key" | "value")) {
        return Names::Yes;
    }
    let names_nothing = |cell: &&str| cell.trim().is_empty() || *cell == r"\N" || *cell == "null";
    let mut verdict = Names::Unknown;
    for (column, name) in first.iter().enumerate() {
        let below = below.iter().filter_map(|row| row.get(column));
        let mut cells = below.filter(|cell| !names_nothing(cell)).peekable();
        if cells.peek().is_none() || !cells.all(|cell| is_measured(cell)) {
            continue;
        }
        if !is_measured(name) && !names_nothing(name) {
            return Names::Yes;
        }
        verdict = Names::No;
    }
    // Names are there, and each once; but an index may stand in front that has none.
    let mut seen = std::collections::BTreeSet::new();
    let mut names = first.iter().skip(1).chain(first.first().filter(|name| !name.is_empty()));
    if verdict == Names::Unknown && names.any(|name| names_nothing(name) || !seen.insert(*name)) {
        verdict = Names::No;
    }
    verdict
}

/// A table, if the rows have as many cells as its first one, by one of the usual separators.
pub(super) fn table(head: &[u8]) -> Option<Recognised> {
    let found = [b',', b';', b'\t', b'|'].into_iter().filter_map(|separator| {
        let mut decoder = CsvDecoder::new(separator, false);
        let (mut rows, mut refused) = (Vec::new(), 0);
        let mut each =
            |found: Result<crate::interchange::FileRecord<'_>, _>, may_be_cut: bool| match found {
                Ok(record) => {
                    let row = record.row.into_iter();
                    let cells = row.flat_map(|row| (0..row.len()).map(move |at| row.cell(at)));
                    // A cell that stands for none comes as such.
                    let text = |cell: Option<&[u8]>| {
                        cell.map_or_else(
                            || r"\N".to_owned(),
                            |cell| String::from_utf8_lossy(cell).into_owned(),
                        )
                    };
                    if rows.len() < MAX_LINES {
                        rows.push(cells.map(|cell| text(cell.flatten())).collect::<Vec<String>>());
                    }
                }
                Err(_) => refused += usize::from(!may_be_cut),
            };
        decoder.feed(head, &mut |found| each(found, false));
        // A last row without an ending may be cut off.
        decoder.finish(&mut |found| each(found, true));
        let columns = decoder.names().len();
        (columns > 1 && rows.len() > 1 && refused * 2 < rows.len())
            .then_some((columns, separator, rows))
    });
    let (columns, separator, rows) = found.max_by_key(|&(columns, ..)| columns)?;
    let name = match separator {
        b',' => "commas",
        b';' => "semicolons",
        b'\t' => "tabs",
        _ => "bars",
    };
    let cells: Vec<Vec<&str>> =
        rows.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
    let names = names_in_first_row(&cells);
    let separator = char::from(separator);
    let format = FileFormat::Csv { separator, header: names != Names::No };
    let many = rows.len() - usize::from(names != Names::No);
    let mut recognised = match names {
        Names::Yes => Recognised::some(
            format,
            format!(
                "Its first {many} rows have {columns} cells each, parted by {name}, as the first line has names."
            ),
        ),
        Names::No => Recognised::guess(
            format,
            format!(
                "Its first {many} rows have {columns} cells each, parted by {name}. The first looks like a row as any other, so the columns have no names."
            ),
        ),
        Names::Unknown => Recognised::guess(
            format,
            format!(
                "Its first {} rows have {columns} cells each, parted by {name}. The first is taken for the names of the columns; if it is a record, say that there are no names.",
                rows.len()
            ),
        ),
    };
    recognised.others = vec![FileFormat::Csv { separator, header: names == Names::No }];
    recognised
        .notes
        .push("An empty cell is empty, not none. None is the cell \\N, not quoted.".to_owned());
    let first = cells.first().map(Vec::as_slice).unwrap_or_default();
    let twice = (1..first.len())
        .find(|&at| first.get(..at).is_some_and(|before| before.contains(&first[at])));
    if let Some(at) = twice.filter(|_| names != Names::No) {
        recognised.notes.push(format!(
            "Two columns are named {:?}: where a column is asked for by its name, it is the first.",
            first[at]
        ));
    }
    Some(recognised)
}

/// Lines of a key, one of the usual delimiters, and JSON: `k1:{"a":1}`. Commas within the JSON make
/// them look like a table.
pub(super) fn keyed_json(head: &[u8]) -> Option<Recognised> {
    let text = String::from_utf8_lossy(head);
    let all = lines(&text);
    let first = *all.first()?;
    let opens = first.find(['{', '['])?;
    let delimiter = first.get(..opens)?.chars().last()?;
    if !":|;,=# ".contains(delimiter) {
        return None;
    }
    let is_pair = |line: &&&str| {
        line.split_once(delimiter).is_some_and(|(_, value)| {
            value.starts_with(['{', '['])
                && json::check(value.as_bytes()).and_then(json::any_value).is_ok()
        })
    };
    let pairs = all.iter().filter(is_pair).count();
    if pairs == 0 || pairs * 2 < all.len() {
        return None;
    }
    let reason = format!(
        "{pairs} of the first {} lines are a key, {delimiter:?} and a JSON value, as kcat -K {delimiter} prints and reads them.",
        all.len()
    );
    let key_delimiter = Some(delimiter.to_string());
    let format = FileFormat::KcatLines(KcatLines { key_delimiter, ..KcatLines::default() });
    let properties = [("parse.key", "true".to_owned()), ("key.separator", delimiter.to_string())];
    let properties = properties.map(|(name, value)| (name.to_owned(), value)).into();
    let printed = format!("%k{delimiter}%s\\n");
    let others = vec![
        FileFormat::ConsoleProducer { properties },
        FileFormat::KcatText(KcatText { format: printed, nulls: false, empty_is_none: false }),
    ];
    Some(Recognised { others, ..Recognised::some(format, reason) })
}
