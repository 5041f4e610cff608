//! What `kafka-console-consumer` prints: by its columns, or as two cells a line.

use super::table::{Names, names_in_first_row};
use super::{Recognised, lines, reads};
use crate::interchange::format::FileFormat;
use crate::interchange::json;
use crate::interchange::properties::Properties;

/// The columns that are known by their looks.
const MARKS: [(&str, &str); 6] = [
    ("CreateTime:", "print.timestamp"),
    ("LogAppendTime:", "print.timestamp"),
    ("Partition:", "print.partition"),
    ("Offset:", "print.offset"),
    ("Delivery:", "print.delivery"),
    ("Epoch:", "print.epoch"),
];

const NO_HEADERS: &str = "NO_HEADERS";

/// The column that stands at the beginning of a text, and what follows it.
fn mark(text: &str) -> Option<(&'static str, &str)> {
    if let Some(rest) = text.strip_prefix("NO_TIMESTAMP") {
        return Some(("print.timestamp", rest));
    }
    MARKS.iter().find_map(|&(name, property)| {
        let rest = text.strip_prefix(name)?;
        let rest = rest.strip_prefix("NOT_PRESENT").or_else(|| {
            let digits = rest.strip_prefix('-').unwrap_or(rest);
            let after = digits.trim_start_matches(|letter: char| letter.is_ascii_digit());
            (after.len() < digits.len()).then_some(after)
        })?;
        Some((property, rest))
    })
}

/// Whether the first line begins with a column of the tool.
pub(super) fn is_marked(head: &[u8]) -> bool {
    let first = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
    mark(&String::from_utf8_lossy(first)).is_some()
}

/// What stands between two columns, by the first line: what lies between two marks, or behind the
/// only one all that is neither letter nor digit.
fn separator(first: &str) -> Option<&str> {
    let (_, rest) = mark(first)?;
    let next = rest.char_indices().take(20).map(|(at, _)| at);
    let to_next = next.skip(1).find(|&at| {
        rest.get(at..).is_some_and(|rest| mark(rest).is_some() || rest.starts_with(NO_HEADERS))
    });
    let end = match to_next {
        Some(at) => at,
        None if rest.starts_with('\t') => 1,
        None => rest.find(char::is_alphanumeric).unwrap_or(rest.len()),
    };
    rest.get(..end).filter(|separator| !separator.is_empty())
}

/// Text whose lines begin with columns that only this tool prints.
pub(super) fn marked(head: &[u8]) -> Option<Recognised> {
    let text = String::from_utf8_lossy(head);
    let all = lines(&text);
    let first = *all.first()?;
    let separator = separator(first)?;
    // The marks of a line, and the cells behind them.
    let split = |line: &'_ str| -> (Vec<&'static str>, Vec<String>) {
        let mut cells = line.split(separator);
        let mut marks = Vec::new();
        let mut rest = Vec::new();
        for cell in cells.by_ref() {
            match mark(cell) {
                Some((name, "")) if rest.is_empty() => marks.push(name),
                _ => rest.push(cell.to_owned()),
            }
        }
        (marks, rest)
    };
    let (names, _) = split(first);
    let rest: Vec<Vec<String>> = all
        .iter()
        .map(|line| split(line))
        .filter(|(marks, _)| *marks == names)
        .map(|(_, rest)| rest)
        .collect();
    let first_of = |cells: &Vec<String>| cells.first().cloned().unwrap_or_default();
    let told = rest.iter().any(|cells| first_of(cells) == NO_HEADERS);
    let look_so = !rest.is_empty()
        && rest.iter().all(|cells| cells.len() >= 3 && first_of(cells).contains(':'));
    let headers = told || look_so;
    let key = rest.iter().all(|cells| cells.len() >= 2 + usize::from(headers));
    let mut on: Vec<&str> = names;
    on.extend(headers.then_some("print.headers"));
    on.extend(key.then_some("print.key"));
    let mut properties: Properties =
        on.into_iter().map(|name| (name.to_owned(), "true".to_owned())).collect();
    if separator != "\t" {
        properties.insert("key.separator".to_owned(), separator.to_owned());
    }
    let format = FileFormat::ConsoleConsumer { properties, nulls: true };
    if !reads(&format, head) {
        return None;
    }
    let reason = "It begins with the columns that kafka-console-consumer prints.";
    let mut notes = notes();
    if look_so && !told {
        notes.push(
            "What stands behind the columns is taken for headers, a key and a value: no line says \
             NO_HEADERS, and all have a colon there."
                .to_owned(),
        );
    }
    Some(Recognised { notes, ..Recognised::some(format, reason) })
}

/// Lines of two cells parted by a tab: a key and a value as the tool prints them, or a table of two
/// columns. Nothing but the cells can tell.
pub(super) fn pairs(head: &[u8]) -> Option<Recognised> {
    let text = String::from_utf8_lossy(head);
    let all = lines(&text);
    let pairs: Option<Vec<(&str, &str)>> = all
        .iter()
        .map(|line| line.split_once('\t').filter(|(_, value)| !value.contains('\t')))
        .collect();
    let pairs = pairs.filter(|pairs| !pairs.is_empty())?;
    let rows: Vec<Vec<&str>> = pairs.iter().map(|&(key, value)| vec![key, value]).collect();
    let table = |header| FileFormat::Csv { separator: '\t', header };
    let properties = [("print.key".to_owned(), "true".to_owned())].into();
    let console = FileFormat::ConsoleConsumer { properties, nulls: true };
    let is_json = |value: &str| {
        value.starts_with(['{', '['])
            && json::check(value.as_bytes()).and_then(json::any_value).is_ok()
    };
    let each = || pairs.iter().flat_map(|&(key, value)| [key, value]);
    let pair = "Each line is two cells parted by a tab";
    let recognised = if names_in_first_row(&rows) == Names::Yes {
        Recognised::some(table(true), format!("{pair}, and only the first has names."))
    } else if each().any(|cell| cell == r"\N") {
        Recognised::some(table(false), format!(r"{pair}, and \N stands for none, as in tables."))
    } else if pairs.iter().all(|&(_, value)| is_json(value)) {
        let reason = format!("{pair}, a key and a JSON value, as with print.key=true.");
        Recognised { notes: notes(), ..Recognised::some(console, reason) }
    } else if each().any(|cell| cell == "null") {
        let reason =
            format!("{pair}, and null is among them, as kafka-console-consumer prints none.");
        Recognised { notes: notes(), ..Recognised::some(console, reason) }
    } else {
        let reason = format!(
            "{pair}. That is what kafka-console-consumer prints with print.key=true, and it is a \
             table of two columns: nothing in the file tells which."
        );
        Recognised { notes: notes(), ..Recognised::guess(console, reason) }
    };
    let key = [("print.key".to_owned(), "true".to_owned())].into();
    let others = vec![
        FileFormat::ConsoleConsumer { properties: key, nulls: true },
        table(true),
        table(false),
    ];
    Some(Recognised { others, ..recognised })
}

fn notes() -> Vec<String> {
    vec![
        "The text null may be none or the four letters: it is read as none unless you say that it \
         is text."
            .to_owned(),
        "A line that does not begin with these columns is the rest of the value before it."
            .to_owned(),
    ]
}
