//! Lines as `kcat -P` reads them: `-K`, `-D`, `-Z`, `-k`, `-H`.
//!
//! - An empty line is no record. The first `-K` of a line parts key and value; a line without it
//!   has no key, or that of `-k`.
//! - A line that begins with it has an empty key, with `-Z` none; one that ends with it an empty
//!   value, with `-Z` none.
//! - Only `-D` ends a record, a line feed unless given; every other byte is kept, CR too.
//!
//! Source: kcat 1.7.1 and recorded answers.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

use super::decoder::{Decoder, FileHeader, FileRecord, Found, Passed, Place, RefusedAt};
use super::pieces::{self, Ending, Piece, PieceReader, too_long};
use crate::error::{Error, Result};

/// The options of `kcat -P` that say how its input is read. Escapes are kcat's: `\n`, `\t`, `\x1f`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct KcatLines {
    /// `-K`: what parts key and value; none: there are no keys.
    pub key_delimiter: Option<String>,
    /// `-D`: what ends a record; none: a line feed.
    pub delimiter: Option<String>,
    /// `-Z`: an empty key or value is none.
    pub nulls: bool,
    /// `-k`: the key of records without one.
    pub key: Option<String>,
    /// `-H`: headers of every record, each `name=value` or `name`.
    pub headers: Vec<String>,
}

#[derive(Debug)]
struct LineRule {
    key_delimiter: Option<Vec<u8>>,
    nulls: bool,
    key: Option<Vec<u8>>,
    headers: Vec<FileHeader<'static>>,
    passed: Passed,
}

impl KcatLines {
    /// A reader of what `kcat -P` reads with these options.
    ///
    /// # Errors
    ///
    /// An empty delimiter.
    ///
    /// ```
    /// use loglanes::interchange::kcat_lines::KcatLines;
    ///
    /// let options = KcatLines { key_delimiter: Some(":".into()), ..KcatLines::default() };
    /// let mut keys = Vec::new();
    /// options.decoder()?.feed(b"a:b:c\nplain\n", &mut |found| {
    ///     keys.push(found.unwrap().key.map(|key| key.into_owned()));
    /// });
    /// assert_eq!(keys, [Some(b"a".to_vec()), None]);
    /// # Ok::<(), loglanes::Error>(())
    /// ```
    pub fn decoder(&self) -> Result<Box<dyn Decoder>> {
        let options = self;
        let delimiter = unescape(options.delimiter.as_deref().unwrap_or("\n"));
        if delimiter.is_empty() {
            return Err(Error::loglanes("Message delimiter -D must not be empty when producing")
                .with_hint("Choose one or more bytes; NUL cannot be one of them."));
        }
        let key_delimiter = options.key_delimiter.as_deref().map(unescape);
        if key_delimiter.as_ref().is_some_and(Vec::is_empty) {
            return Err(Error::loglanes("Key delimiter -K must not be empty")
                .with_hint("Choose one or more bytes, or none at all for records without keys."));
        }
        let headers = options.headers.iter().map(|header| {
            let (key, value) = match header.split_once('=') {
                Some((key, value)) => (key, Some(value)),
                None => (header.as_str(), None),
            };
            FileHeader {
                key: Cow::Owned(key.as_bytes().to_vec()),
                value: value.map(|value| Cow::Owned(value.as_bytes().to_vec())),
            }
        });
        let rule = LineRule {
            key_delimiter,
            nulls: options.nulls,
            key: options.key.as_ref().map(|key| key.as_bytes().to_vec()),
            headers: headers.collect(),
            passed: Passed::default(),
        };
        Ok(pieces::decoder(Ending::Bytes(delimiter), rule))
    }
}

impl PieceReader for LineRule {
    fn take(&mut self, piece: &Piece<'_>, each: &mut dyn FnMut(Found<'_>)) {
        let place = Place::Line(piece.line);
        let content = match piece.content {
            Ok([]) => {
                self.passed.blank += 1;
                return;
            }
            Ok(content) => content,
            Err(bytes) => return each(Err(RefusedAt::new(place, too_long(bytes)))),
        };
        let parted = self.key_delimiter.as_ref().and_then(|delimiter| {
            let at = memchr::memmem::find(content, delimiter)?;
            Some((content.get(..at)?, content.get(at + delimiter.len()..)?))
        });
        let some = |part| Some(part).filter(|part: &&[u8]| !self.nulls || !part.is_empty());
        let (key, value) = match parted {
            Some((key, value)) => (some(key), some(value)),
            None => (None, Some(content)),
        };
        let key = key.or(self.key.as_deref());
        each(Ok(FileRecord {
            key: key.map(Cow::Borrowed),
            value: value.map(Cow::Borrowed),
            headers: self.headers.clone(),
            ..FileRecord::of_value(place, content)
        }));
    }

    fn passed(&self) -> Passed {
        self.passed
    }
}

/// What a delimiter or a format of kcat stands for. A NUL ends it, as any text of C.
pub(super) fn unescape(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let (byte, after) = match (first, after) {
            (b'\\', [b'n', after @ ..]) => (b'\n', after),
            (b'\\', [b't', after @ ..]) => (b'\t', after),
            (b'\\', [b'r', after @ ..]) => (b'\r', after),
            (b'\\', [b'0', after @ ..]) => (0, after),
            (b'\\', [b'x', after @ ..]) => {
                let digits =
                    after.iter().take(2).take_while(|byte| byte.is_ascii_hexdigit()).count();
                let (hex, after) = after.split_at(digits);
                let hex = str::from_utf8(hex).ok().and_then(|hex| u8::from_str_radix(hex, 16).ok());
                (hex.unwrap_or(0), after)
            }
            (&byte, after) => (byte, after),
        };
        if byte == 0 {
            break;
        }
        out.push(byte);
        rest = after;
    }
    out
}
