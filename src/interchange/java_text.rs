//! Bytes as Java reads them as UTF-8 text, and the little of its regular expressions that a
//! `headers.separator` is.

/// Decodes as `new String(bytes, UTF_8)` of Java and encodes again: what is malformed becomes
/// U+FFFD. How many of them differs from Rust's own rule for surrogates alone: Java takes all three
/// of their bytes for one. Source: `sun.nio.cs.UTF_8`, and recorded answers.
pub(super) fn repair(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    if let Ok(text) = str::from_utf8(bytes) {
        return text.into();
    }
    let mut out = String::with_capacity(bytes.len());
    let mut rest = bytes;
    while !rest.is_empty() {
        match str::from_utf8(rest) {
            Ok(text) => {
                out.push_str(text);
                break;
            }
            Err(error) => {
                let (good, bad) = rest.split_at(error.valid_up_to());
                out.push_str(str::from_utf8(good).unwrap_or_default());
                out.push('\u{fffd}');
                let surrogate = matches!(bad, [0xed, 0xa0..=0xbf, 0x80..=0xbf, ..]);
                let length = match error.error_len() {
                    _ if surrogate => 3,
                    Some(length) => length,
                    None => bad.len(),
                };
                rest = bad.get(length..).unwrap_or_default();
            }
        }
    }
    out.into()
}

/// A regular expression, as far as separators need one: characters, escapes, `.`, classes, `?`, `*`,
/// `+` and `|`.
#[derive(Debug, Clone)]
pub(super) struct Pattern(Vec<Vec<Item>>);

#[derive(Debug, Clone)]
struct Item {
    atom: Atom,
    least: usize,
    most: usize,
}

#[derive(Debug, Clone)]
enum Atom {
    Char(char),
    Any,
    /// Ranges, and whether it is what is not in them.
    Class(Vec<(char, char)>, bool),
}

impl Atom {
    fn takes(&self, char: char) -> bool {
        match self {
            Self::Char(own) => *own == char,
            Self::Any => !matches!(char, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}'),
            Self::Class(ranges, not) => {
                ranges.iter().any(|&(from, to)| (from..=to).contains(&char)) != *not
            }
        }
    }
}

/// Characters that an escape stands for.
fn escaped(char: char) -> Option<Atom> {
    let class = |ranges: &[(char, char)], not| Some(Atom::Class(ranges.to_vec(), not));
    let space = [(' ', ' '), ('\t', '\r')];
    let word = [('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_')];
    match char {
        't' => Some(Atom::Char('\t')),
        'n' => Some(Atom::Char('\n')),
        'r' => Some(Atom::Char('\r')),
        's' => class(&space, false),
        'S' => class(&space, true),
        'd' => class(&[('0', '9')], false),
        'D' => class(&[('0', '9')], true),
        'w' => class(&word, false),
        'W' => class(&word, true),
        char if char.is_ascii_alphanumeric() => None,
        char => Some(Atom::Char(char)),
    }
}

impl Pattern {
    /// Reads a pattern; the error is Java's description of what is wrong, or says that this is
    /// more than is understood here.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut alternatives = vec![Vec::new()];
        let mut chars = text.chars().peekable();
        while let Some(char) = chars.next() {
            let atom = match char {
                '|' => {
                    alternatives.push(Vec::new());
                    continue;
                }
                '.' => Atom::Any,
                '\\' => {
                    let next = chars.next().ok_or("Unexpected internal error")?;
                    escaped(next).ok_or_else(|| not_understood(text))?
                }
                '[' => Self::class(&mut chars, text)?,
                '(' | ')' | '{' | '^' | '$' => return Err(not_understood(text)),
                '*' | '+' | '?' => return Err(format!("Dangling meta character '{char}'")),
                char => Atom::Char(char),
            };
            let (least, most) = match chars.peek() {
                Some('*') => (0, usize::MAX),
                Some('+') => (1, usize::MAX),
                Some('?') => (0, 1),
                _ => (1, 1),
            };
            if (least, most) != (1, 1) {
                chars.next();
            }
            if let Some(last) = alternatives.last_mut() {
                last.push(Item { atom, least, most });
            }
        }
        Ok(Self(alternatives))
    }

    fn class(
        chars: &mut std::iter::Peekable<std::str::Chars<'_>>,
        text: &str,
    ) -> Result<Atom, String> {
        let not = chars.next_if_eq(&'^').is_some();
        let mut ranges = Vec::new();
        loop {
            let char = chars.next().ok_or("Unclosed character class")?;
            match char {
                ']' if !ranges.is_empty() => return Ok(Atom::Class(ranges, not)),
                '[' | '&' => return Err(not_understood(text)),
                '\\' => match escaped(chars.next().ok_or("Unclosed character class")?) {
                    Some(Atom::Char(char)) => ranges.push((char, char)),
                    Some(Atom::Class(more, false)) => ranges.extend(more),
                    _ => return Err(not_understood(text)),
                },
                char => {
                    let mut ahead = chars.clone();
                    match (ahead.next(), ahead.next()) {
                        (Some('-'), Some(to)) if to != ']' => {
                            chars.nth(1);
                            ranges.push((char, to));
                        }
                        _ => ranges.push((char, char)),
                    }
                }
            }
        }
    }

    /// How many bytes match at the beginning of a text; none if it does not.
    fn matches(&self, text: &str) -> Option<usize> {
        self.0.iter().find_map(|items| of_items(items, text))
    }

    /// `String.split` of Java: empty texts at the end are left out. The second answer is whether
    /// anything parted it.
    pub(super) fn split<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let (mut parts, mut start, mut at) = (Vec::new(), 0, 0);
        while at < text.len() {
            let rest = text.get(at..).unwrap_or_default();
            match self.matches(rest) {
                // Nothing at the very beginning parts nothing.
                Some(length) if length > 0 || at > 0 && at > start => {
                    parts.push(text.get(start..at).unwrap_or_default());
                    start = at + length;
                    at = start;
                    if length == 0 {
                        at += rest.chars().next().map_or(1, char::len_utf8);
                    }
                }
                _ => at += rest.chars().next().map_or(1, char::len_utf8),
            }
        }
        if parts.is_empty() {
            return vec![text];
        }
        parts.push(text.get(start..).unwrap_or_default());
        while parts.last().is_some_and(|last| last.is_empty()) {
            parts.pop();
        }
        parts
    }
}

fn not_understood(text: &str) -> String {
    format!("{text:?} is more of a regular expression than is understood here")
}

/// Greedy, with steps back.
fn of_items(items: &[Item], text: &str) -> Option<usize> {
    let Some((item, rest)) = items.split_first() else { return Some(0) };
    let mut ends = vec![0];
    let mut at = 0;
    while ends.len() <= item.most {
        match text.get(at..).and_then(|text| text.chars().next()) {
            Some(char) if item.atom.takes(char) => {
                at += char.len_utf8();
                ends.push(at);
            }
            _ => break,
        }
    }
    let enough = ends.get(item.least..)?;
    enough.iter().rev().find_map(|&end| Some(end + of_items(rest, text.get(end..)?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_split_as_java_splits_them() {
        for (pattern, text, parts) in [
            (",", "a,b", &["a", "b"][..]),
            (",", "a,,b,,", &["a", "", "b"]),
            (",", ",a", &["", "a"]),
            (",", "", &[""]),
            (",", ",,", &[]),
            (".", "abc", &[]),
            ("\\.", "a.b", &["a", "b"]),
            ("[;,]", "a;b,c", &["a", "b", "c"]),
            ("[^a-c]+", "a12b", &["a", "b"]),
            (";|, *", "a;b,  c", &["a", "b", "c"]),
            ("\\s*,\\s*", "a , b", &["a", "b"]),
            ("", "ab", &["a", "b"]),
        ] {
            let pattern = Pattern::parse(pattern).unwrap();
            assert_eq!(pattern.split(text), parts, "{pattern:?} of {text:?}");
        }
        assert_eq!(Pattern::parse("[").unwrap_err(), "Unclosed character class");
        assert_eq!(Pattern::parse("*").unwrap_err(), "Dangling meta character '*'");
        assert!(Pattern::parse("(a)").is_err());
    }
}
