//! What `kcat -C -f FORMAT` prints; `-K:` is the format `%k:%s\n`, and nothing at all `%s\n`.
//!
//! | token | what |
//! |---|---|
//! | `%t` `%p` `%o` `%T` | topic, partition, offset, timestamp |
//! | `%k` `%K` | key, and its length; -1: none |
//! | `%s` `%S` `%R` | value, and its length; `%R` as four bytes, the highest first |
//! | `%h` | headers as `name=value,…` |
//!
//! Where a length stands before its key or value, that is told exactly, none and empty too. Without,
//! `%k` ends at the next text of the format, on the same line, and a value goes on until what follows it looks like the
//! next record. None and empty are then alike; which of the two is said with the format. With `-Z`
//! both, and the text too, are `NULL`.
//!
//! Source: `format.c` of kcat 1.7.1, and recorded output.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::cell::Cell;
use std::io::Write as _;

use super::decoder::{Decoder, FileHeader, FileRecord, Found, Place, RefusedAt};
use super::encoder::{Encoder, Lying};
use super::jsonlines::MAX_RECORD_LINE_BYTES;
use super::kcat_lines::unescape;
use crate::error::{Error, Result};

/// The format and what it cannot tell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KcatText {
    /// `-f`.
    pub format: String,
    /// `-Z`: none and empty are printed as `NULL`; read as none.
    #[serde(default)]
    pub nulls: bool,
    /// Without lengths and `-Z`: whether nothing at all is read as none, else as empty.
    #[serde(default)]
    pub empty_is_none: bool,
}

/// The most bytes of a format.
pub const MAX_FORMAT_BYTES: usize = 1_000;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Text(Vec<u8>),
    Topic,
    Partition,
    Offset,
    Timestamp,
    Key,
    KeyLength,
    Value,
    ValueLength,
    ValueLengthBytes,
    Headers,
}

fn tokens(format: &str) -> Result<Vec<Token>> {
    let refuse = |why: &str| {
        Error::loglanes(format!("{format:?} is no format of kcat: {why}."))
            .with_hint("Give what stood behind -f, such as %k:%s\\n.")
    };
    if format.len() > MAX_FORMAT_BYTES {
        return Err(refuse("it is too long"));
    }
    let bytes = unescape(format);
    let (mut tokens, mut text) = (Vec::new(), Vec::new());
    let mut rest = bytes.iter();
    while let Some(&byte) = rest.next() {
        if byte != b'%' {
            text.push(byte);
            continue;
        }
        let token = match rest.next() {
            Some(b't') => Token::Topic,
            Some(b'p') => Token::Partition,
            Some(b'o') => Token::Offset,
            Some(b'T') => Token::Timestamp,
            Some(b'k') => Token::Key,
            Some(b'K') => Token::KeyLength,
            Some(b's') => Token::Value,
            Some(b'S') => Token::ValueLength,
            Some(b'R') => Token::ValueLengthBytes,
            Some(b'h') => Token::Headers,
            Some(b'%') => {
                text.push(b'%');
                continue;
            }
            _ => return Err(refuse("after % stands none of t p o T k K s S R h")),
        };
        if !text.is_empty() {
            tokens.push(Token::Text(std::mem::take(&mut text)));
        }
        tokens.push(token);
    }
    if !text.is_empty() {
        tokens.push(Token::Text(text));
    }
    Ok(tokens)
}

/// Reads what `kcat -C -f` prints.
#[derive(Debug)]
pub struct KcatTextDecoder {
    rule: Rule,
    held: Vec<u8>,
    line: u64,
    /// Going on to the end of a line: what came before is refused.
    skipping: bool,
}

#[derive(Debug)]
struct Rule {
    tokens: Vec<Token>,
    nulls: bool,
    empty_is_none: bool,
    /// How far the value of the record that is read was searched for its end.
    seen: Cell<usize>,
}

/// What was found of a record so far; places in the held bytes.
#[derive(Debug, Clone, Default)]
struct Parts {
    partition: Option<i32>,
    offset: Option<i64>,
    timestamp: Option<i64>,
    key_length: Option<i64>,
    value_length: Option<i64>,
    key: Option<(usize, usize)>,
    value: Option<(usize, usize)>,
    headers: Option<(usize, usize)>,
}

enum Step {
    /// It is whole, and ends there.
    Whole(Box<Parts>, usize),
    /// More bytes are needed to tell.
    More,
    /// It is none; the reason is told of a record, not of a guess.
    No(&'static str),
}

impl KcatTextDecoder {
    /// A reader of text in this format.
    ///
    /// # Errors
    ///
    /// A format in which a key or a value has no end, or without a value.
    ///
    /// ```
    /// use loglanes::interchange::Decoder;
    /// use loglanes::interchange::kcat_text::{KcatText, KcatTextDecoder};
    ///
    /// let text = KcatText { format: "%k:%s\\n".into(), nulls: false, empty_is_none: false };
    /// let mut values = Vec::new();
    /// let mut decoder = KcatTextDecoder::new(&text)?;
    /// let mut each = |found: loglanes::interchange::Found<'_>| {
    ///     values.push(found.unwrap().value.unwrap().into_owned());
    /// };
    /// decoder.feed(b"a:one\ngoes on\nb:two\n", &mut each);
    /// decoder.finish(&mut each);
    /// assert_eq!(values, [b"one\ngoes on".to_vec(), b"two".to_vec()]);
    /// # Ok::<(), loglanes::Error>(())
    /// ```
    pub fn new(text: &KcatText) -> Result<Self> {
        let tokens = tokens(&text.format)?;
        let refuse = |why: &str| {
            Error::loglanes(format!("Text in the format {:?} cannot be read: {why}.", text.format))
                .with_hint("Print it with lengths, such as %K %k %S %s\\n, or with -J.")
        };
        let before = |index: usize, wanted: &[Token]| {
            tokens.iter().take(index).any(|token| wanted.contains(token))
        };
        for (index, token) in tokens.iter().enumerate() {
            let ends = matches!(tokens.get(index + 1), Some(Token::Text(_)));
            let (told, name) = match token {
                Token::Key => (before(index, &[Token::KeyLength]), "%k"),
                Token::Value => {
                    (before(index, &[Token::ValueLength, Token::ValueLengthBytes]), "%s")
                }
                Token::Headers => (false, "%h"),
                Token::Topic => (false, "%t"),
                _ => continue,
            };
            if !told && !ends {
                return Err(refuse(&format!("nothing says where {name} ends")));
            }
            if before(index, std::slice::from_ref(token)) {
                return Err(refuse(&format!("{name} stands in it twice")));
            }
        }
        if !tokens.contains(&Token::Value) {
            return Err(refuse("there is no value in it"));
        }
        let rule = Rule {
            tokens,
            nulls: text.nulls,
            empty_is_none: text.empty_is_none,
            seen: Cell::new(0),
        };
        Ok(Self { rule, held: Vec::new(), line: 1, skipping: false })
    }

    fn read(&mut self, over: bool, each: &mut dyn FnMut(Found<'_>)) {
        let held = std::mem::take(&mut self.held);
        let mut start = 0;
        while let Some(rest) = held.get(start..).filter(|rest| !rest.is_empty()) {
            if self.skipping {
                let Some(end) = memchr::memchr(b'\n', rest) else {
                    start = held.len();
                    break;
                };
                self.skipping = false;
                self.line += 1;
                start += end + 1;
                continue;
            }
            let step = self.rule.parse(rest, over);
            if !matches!(step, Step::More) {
                self.rule.seen.set(0);
            }
            match step {
                Step::Whole(parts, length) => {
                    let place = Place::Line(self.line);
                    let found = self.rule.record(place, &parts, rest);
                    each(found.map_err(|reason| RefusedAt { place, reason }));
                    let taken = rest.get(..length).unwrap_or_default();
                    self.line += memchr::memchr_iter(b'\n', taken).count() as u64;
                    // A format of nothing but an empty value would stand still.
                    start += length.max(1);
                }
                Step::More if rest.len() <= MAX_RECORD_LINE_BYTES => break,
                Step::More => {
                    let reason = super::pieces::too_long(rest.len() as u64);
                    each(Err(RefusedAt::new(Place::Line(self.line), reason)));
                    self.skipping = true;
                }
                Step::No(reason) => {
                    each(Err(RefusedAt::new(Place::Line(self.line), reason)));
                    self.skipping = true;
                }
            }
        }
        self.held = held.get(start..).unwrap_or_default().to_vec();
    }
}

impl Rule {
    fn parse(&self, text: &[u8], over: bool) -> Step {
        self.from(0, 0, Parts::default(), text, over, false)
    }

    /// Whether a record begins here, as far as the columns before the value tell.
    fn begins(&self, text: &[u8], over: bool) -> Step {
        self.from(0, 0, Parts::default(), text, over, true)
    }

    /// Reads on from a token and a place. `guess`: only up to the value, and within a line.
    fn from(
        &self,
        token: usize,
        at: usize,
        mut parts: Parts,
        text: &[u8],
        over: bool,
        guess: bool,
    ) -> Step {
        let mut at = at;
        let short = || {
            if over { Step::No("it ends before all of its columns are there.") } else { Step::More }
        };
        for (index, token) in self.tokens.iter().enumerate().skip(token) {
            let rest = text.get(at..).unwrap_or_default();
            let next = match self.tokens.get(index + 1) {
                Some(Token::Text(next)) => next.as_slice(),
                _ => &[],
            };
            // Only a value goes over several lines: else each line would be searched to the end.
            let line = match memchr::memchr(b'\n', rest) {
                Some(end) => rest.get(..end + next.len().max(1)).unwrap_or(rest),
                None => rest,
            };
            match token {
                Token::Text(own) if rest.starts_with(own) => at += own.len(),
                Token::Text(own) if own.starts_with(rest) => return short(),
                Token::Text(_) => return Step::No("it does not follow the format."),
                Token::Partition
                | Token::Offset
                | Token::Timestamp
                | Token::KeyLength
                | Token::ValueLength => {
                    let digits = rest.iter().enumerate();
                    let length = digits
                        .take_while(|&(i, byte)| byte.is_ascii_digit() || i == 0 && *byte == b'-')
                        .count();
                    if length == rest.len() && !over {
                        return if length > 20 {
                            Step::No("a number in it is too long.")
                        } else {
                            Step::More
                        };
                    }
                    let digits = rest.get(..length).unwrap_or_default();
                    let Some(number) =
                        str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok())
                    else {
                        return Step::No("where the format has a number there is none of 64 bits.");
                    };
                    at += length;
                    match token {
                        Token::Offset => parts.offset = Some(number),
                        Token::Timestamp => parts.timestamp = Some(number),
                        Token::KeyLength => parts.key_length = Some(number),
                        Token::ValueLength => parts.value_length = Some(number),
                        _ => match i32::try_from(number) {
                            Ok(number) => parts.partition = Some(number),
                            Err(_) => return Step::No("its partition has more than 32 bits."),
                        },
                    }
                }
                Token::ValueLengthBytes => match rest.first_chunk::<4>() {
                    Some(bytes) => {
                        parts.value_length = Some(i64::from(i32::from_be_bytes(*bytes)));
                        at += 4;
                    }
                    None => return short(),
                },
                Token::Key | Token::Value
                    if matches!(token, Token::Key) && parts.key_length.is_some()
                        || matches!(token, Token::Value) && parts.value_length.is_some() =>
                {
                    let told =
                        if *token == Token::Key { parts.key_length } else { parts.value_length };
                    let told = told.unwrap_or(0);
                    // With -Z none and empty are printed as four letters all the same.
                    let length = if self.nulls && told <= 0 { 4 } else { told.max(0) };
                    if length > MAX_RECORD_LINE_BYTES as i64 {
                        return Step::No("a length in it is larger than any record may be.");
                    }
                    let end = at + length as usize;
                    if end > text.len() {
                        return if over {
                            Step::No("a length in it reaches past the end of the file.")
                        } else {
                            Step::More
                        };
                    }
                    let found = (told >= 0).then_some(if told == 0 { (at, at) } else { (at, end) });
                    if *token == Token::Key {
                        parts.key = found
                    } else {
                        parts.value = found
                    }
                    at = end;
                }
                Token::Topic | Token::Key | Token::Headers => {
                    let Some(end) = memchr::memmem::find(line, next) else {
                        return if line.len() < rest.len() {
                            Step::No("it does not follow the format.")
                        } else {
                            short()
                        };
                    };
                    match token {
                        Token::Key => parts.key = Some((at, at + end)),
                        Token::Headers => parts.headers = Some((at, at + end)),
                        _ => {}
                    }
                    at += end;
                }
                Token::Value if guess => break,
                Token::Value => return self.value(index, at, &parts, text, next, over),
            }
            if guess && *token == Token::Value {
                break;
            }
        }
        Step::Whole(Box::new(parts), at)
    }

    /// A value without a length: it ends where what follows is the rest of the format and then
    /// another record, or the end.
    fn value(
        &self,
        index: usize,
        at: usize,
        parts: &Parts,
        text: &[u8],
        next: &[u8],
        over: bool,
    ) -> Step {
        let rest = text.get(at..).unwrap_or_default();
        // What was no end when there were fewer bytes is none now.
        let seen = self.seen.get().min(rest.len());
        for end in memchr::memmem::find_iter(rest.get(seen..).unwrap_or_default(), next) {
            let end = seen + end;
            self.seen.set(end);
            let parts = Parts { value: Some((at, at + end)), ..parts.clone() };
            match self.from(index + 1, at + end, parts, text, over, false) {
                Step::Whole(parts, after) => match text.get(after..).unwrap_or_default() {
                    [] if over => return Step::Whole(parts, after),
                    [] => return Step::More,
                    following => match self.begins(following, over) {
                        Step::Whole(..) => return Step::Whole(parts, after),
                        Step::More => return Step::More,
                        Step::No(_) => {}
                    },
                },
                Step::More => return Step::More,
                Step::No(_) => {}
            }
        }
        if over { Step::No("its value has no end.") } else { Step::More }
    }

    fn record<'a>(
        &self,
        place: Place,
        parts: &Parts,
        text: &'a [u8],
    ) -> std::result::Result<FileRecord<'a>, String> {
        let cut = |(from, to): (usize, usize)| text.get(from..to).unwrap_or_default();
        let part = |part: Option<(usize, usize)>, told: Option<i64>| {
            let part = cut(part?);
            let none = told.is_none()
                && (self.nulls && part == b"NULL" || self.empty_is_none && part.is_empty());
            (!none).then_some(Cow::Borrowed(part))
        };
        Ok(FileRecord {
            place,
            partition: parts.partition,
            offset: parts.offset,
            timestamp: parts.timestamp,
            key: part(parts.key, parts.key_length),
            value: part(parts.value, parts.value_length),
            headers: match parts.headers.map(cut) {
                None | Some([]) => Vec::new(),
                Some(field) => headers_of(field)?,
            },
            row: None,
        })
    }
}

/// `name=value` by commas; a part without `=` belongs to the value before it. `NULL` is none.
fn headers_of(field: &[u8]) -> std::result::Result<Vec<FileHeader<'_>>, String> {
    let mut places: Vec<(usize, usize, usize)> = Vec::new();
    let mut start = 0;
    for part in field.split(|&byte| byte == b',') {
        let end = start + part.len();
        match (memchr::memchr(b'=', part), places.last_mut()) {
            (Some(at), _) => places.push((start, start + at, end)),
            (None, Some(last)) => last.2 = end,
            (None, None) => return Err("its headers are no names and values.".to_owned()),
        }
        start = end + 1;
    }
    let cut = |from: usize, to: usize| field.get(from..to).unwrap_or_default();
    let header = |(start, at, end): (usize, usize, usize)| FileHeader {
        key: Cow::Borrowed(cut(start, at)),
        value: Some(cut(at + 1, end)).filter(|value| *value != b"NULL").map(Cow::Borrowed),
    };
    Ok(places.into_iter().map(header).collect())
}

impl Decoder for KcatTextDecoder {
    fn feed(&mut self, chunk: &[u8], each: &mut dyn FnMut(Found<'_>)) {
        self.held.extend_from_slice(chunk);
        self.read(false, each);
    }

    fn finish(&mut self, each: &mut dyn FnMut(Found<'_>)) {
        self.read(true, each);
    }
}

/// Writes what `kcat -C -f` would print.
#[derive(Debug)]
pub struct KcatTextEncoder {
    tokens: Vec<Token>,
    nulls: bool,
}

impl KcatTextEncoder {
    /// A writer of this format; `nulls` is `-Z`.
    ///
    /// # Errors
    ///
    /// What is no format.
    pub fn new(format: &str, nulls: bool) -> Result<Self> {
        Ok(Self { tokens: tokens(format)?, nulls })
    }

    fn part(&self, part: Option<&[u8]>, out: &mut Vec<u8>) {
        match part {
            None | Some([]) if self.nulls => out.extend_from_slice(b"NULL"),
            part => out.extend_from_slice(part.unwrap_or_default()),
        }
    }
}

impl Encoder for KcatTextEncoder {
    fn record(&mut self, lying: &Lying<'_>, out: &mut Vec<u8>) {
        let Lying { topic, partition, record, .. } = lying;
        let length = |part: Option<&[u8]>| part.map_or(-1, |part| part.len() as i64);
        for token in &self.tokens {
            // Writing to a vector does not fail.
            let _ = match token {
                Token::Text(text) => out.write_all(text),
                Token::Topic => write!(out, "{topic}"),
                Token::Partition => write!(out, "{partition}"),
                Token::Offset => write!(out, "{}", record.offset),
                Token::Timestamp => write!(out, "{}", record.timestamp),
                Token::KeyLength => write!(out, "{}", length(record.key)),
                Token::ValueLength => write!(out, "{}", length(record.value)),
                Token::ValueLengthBytes => {
                    out.write_all(&(length(record.value) as i32).to_be_bytes())
                }
                Token::Key => {
                    self.part(record.key, out);
                    Ok(())
                }
                Token::Value => {
                    self.part(record.value, out);
                    Ok(())
                }
                Token::Headers => {
                    for (index, header) in record.headers().enumerate() {
                        if index > 0 {
                            out.push(b',');
                        }
                        out.extend_from_slice(header.key);
                        out.push(b'=');
                        out.extend_from_slice(header.value.unwrap_or(b"NULL"));
                    }
                    Ok(())
                }
            };
        }
    }
}
