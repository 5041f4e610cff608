//! A line as tokens: words, text in quotes, bytes in hex, and the two signs `=` and `,`.

use winnow::combinator::{alt, cut_err, preceded, repeat, terminated};
use winnow::error::{ContextError, ErrMode, StrContext};
use winnow::prelude::*;
use winnow::token::{any, none_of, one_of, take_while};

use super::Problem;

/// What stands at a place of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// Letters, digits and signs up to the next blank, quote, `=` or `,`.
    Word(String),
    /// What stands between quotes, escapes resolved.
    Text(String),
    /// `x"00ff"`.
    Hex(Vec<u8>),
    /// `=`
    Equals,
    /// `,`
    Comma,
}

/// A token and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    /// What it is.
    pub(super) kind: Kind,
    /// Its first byte in the line.
    pub(super) start: usize,
    /// The byte after its last.
    pub(super) end: usize,
}

/// The tokens of a line.
pub(super) fn tokens(line: &str) -> Result<Vec<Token>, Problem> {
    let mut rest = line;
    let mut tokens = Vec::new();
    loop {
        rest = rest.trim_start_matches(is_blank);
        if rest.is_empty() {
            return Ok(tokens);
        }
        let start = line.len() - rest.len();
        let kind =
            token.parse_next(&mut rest).map_err(|error| problem(line, start, rest, &error))?;
        tokens.push(Token { kind, start, end: line.len() - rest.len() });
    }
}

pub(super) fn is_blank(letter: char) -> bool {
    matches!(letter, ' ' | '\t')
}

fn problem(line: &str, start: usize, rest: &str, error: &ErrMode<ContextError>) -> Problem {
    let inner = match error {
        ErrMode::Backtrack(inner) | ErrMode::Cut(inner) => Some(inner),
        ErrMode::Incomplete(_) => None,
    };
    let label = inner.and_then(|inner| {
        inner.context().find_map(|context| match context {
            StrContext::Label(label) => Some(*label),
            _ => None,
        })
    });
    let at = line.len() - rest.len();
    match label {
        Some(HEX) => Problem::new(at, "Here two hex digits are expected, or the closing quote.")
            .with_hint("Bytes are written x\"00ff\": two digits for each."),
        Some(ESCAPE) => Problem::new(at, "There is no such escape.").with_hint(
            "There are \\n, \\r, \\t, \\0, \\\", \\\\ and \\u{e9}; a backslash itself is \\\\.",
        ),
        Some(QUOTE) => Problem::new(start, "This quote is not closed.")
            .with_hint("Text ends with a quote in the same line; a quote in it is \\\"."),
        _ => Problem::new(at, "This sign has no meaning here.")
            .with_hint("Put text that has such signs into quotes."),
    }
}

const HEX: &str = "hex";
const ESCAPE: &str = "escape";
const QUOTE: &str = "quote";

fn token(input: &mut &str) -> ModalResult<Kind> {
    alt((
        '='.value(Kind::Equals),
        ','.value(Kind::Comma),
        preceded("x\"", cut_err(hex)).map(Kind::Hex),
        preceded('"', cut_err(text)).map(Kind::Text),
        take_while(1.., is_of_word).map(|word: &str| Kind::Word(word.to_owned())),
    ))
    .parse_next(input)
}

fn is_of_word(letter: char) -> bool {
    !letter.is_whitespace() && !letter.is_control() && !matches!(letter, '"' | '=' | ',')
}

fn hex(input: &mut &str) -> ModalResult<Vec<u8>> {
    let digit = || one_of(|letter: char| letter.is_ascii_hexdigit());
    let byte = (digit(), digit()).map(|(high, low): (char, char)| {
        let value = |digit: char| digit.to_digit(16).unwrap_or(0) as u8;
        value(high) << 4 | value(low)
    });
    terminated(repeat(0.., byte), '"').context(StrContext::Label(HEX)).parse_next(input)
}

fn text(input: &mut &str) -> ModalResult<String> {
    let letter = alt((
        none_of(['"', '\\']),
        preceded('\\', cut_err(escape.context(StrContext::Label(ESCAPE)))),
    ));
    terminated(
        repeat(0.., letter).fold(String::new, |mut text, letter: char| {
            text.push(letter);
            text
        }),
        '"'.context(StrContext::Label(QUOTE)),
    )
    .parse_next(input)
}

fn escape(input: &mut &str) -> ModalResult<char> {
    any.verify_map(|letter| match letter {
        'n' => Some(Some('\n')),
        'r' => Some(Some('\r')),
        't' => Some(Some('\t')),
        '0' => Some(Some('\0')),
        '"' | '\\' | '\'' => Some(Some(letter)),
        'u' => Some(None),
        _ => None,
    })
    .parse_next(input)?
    .map_or_else(|| unicode.parse_next(input), Ok)
}

fn unicode(input: &mut &str) -> ModalResult<char> {
    let digits = take_while(1..=6, |letter: char| letter.is_ascii_hexdigit());
    terminated(preceded('{', digits), '}')
        .verify_map(|digits| u32::from_str_radix(digits, 16).ok().and_then(char::from_u32))
        .parse_next(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(line: &str) -> Vec<Kind> {
        tokens(line).unwrap().into_iter().map(|token| token.kind).collect()
    }

    #[test]
    fn words_text_bytes_and_signs_are_told_apart() {
        let word = |word: &str| Kind::Word(word.to_owned());
        assert_eq!(
            kinds(r#"topic x "a b",x"00fF" retention.ms=-1"#),
            [
                word("topic"),
                word("x"),
                Kind::Text("a b".to_owned()),
                Kind::Comma,
                Kind::Hex(vec![0, 0xff]),
                word("retention.ms"),
                Kind::Equals,
                word("-1"),
            ]
        );
    }

    #[test]
    fn what_is_wrong_is_told_where_it_stands() {
        for (line, at, says) in [
            (r#"a "b"#, 2, "not closed"),
            (r#"a "b\q""#, 5, "no such escape"),
            (r#"a "b\u{d800}""#, 6, "no such escape"),
            (r#"key=x"0""#, 6, "two hex digits"),
            (r#"key=x"0g""#, 6, "two hex digits"),
            ("a \u{1}", 2, "no meaning"),
        ] {
            let problem = tokens(line).unwrap_err();
            assert!(problem.message.contains(says), "{line}: {problem:?}");
            assert!(problem.at.abs_diff(at) <= 1, "{line}: {problem:?}");
        }
    }

    #[test]
    fn whatever_debug_prints_of_a_text_is_read_back() {
        for text in ["", "a\"b\\c", "é\u{301}\u{200b}\n\r\t\0\u{7f}", "'", "\u{1f600}"] {
            assert_eq!(kinds(&format!("{text:?}")), [Kind::Text(text.to_owned())]);
        }
    }
}
