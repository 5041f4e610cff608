//! What every reader of a file is: fed in chunks, it calls back with records and refusals.
//!
//! A decoder knows one format and nothing of topics. It gives what the file says, byte for byte;
//! which of it becomes key, value, timestamp and partition is decided by
//! [`Chooser`](super::Chooser). What it cannot take it refuses, with the place, and goes on with
//! the next record where the format allows that.

use std::borrow::Cow;
use std::fmt;

use super::csv::Row;

/// Where in a file something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A line, from 1: that on which it begins.
    Line(u64),
    /// A byte, from 0.
    Byte(u64),
}

impl Place {
    /// `line` or `byte`, and its number.
    ///
    /// ```
    /// use loglanes::interchange::Place;
    ///
    /// assert_eq!(Place::Line(3).parts(), ("line", 3));
    /// assert_eq!(Place::Byte(61).to_string(), "byte 61");
    /// ```
    #[must_use]
    pub const fn parts(self) -> (&'static str, u64) {
        match self {
            Self::Line(line) => ("line", line),
            Self::Byte(byte) => ("byte", byte),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, number) = self.parts();
        write!(f, "{unit} {number}")
    }
}

/// A header of a record in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileHeader<'a> {
    /// Its name.
    pub key: Cow<'a, [u8]>,
    /// Its value; none and empty are two things.
    pub value: Option<Cow<'a, [u8]>>,
}

/// A record as a file has it. What the file does not say is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRecord<'a> {
    /// Where it begins.
    pub place: Place,
    /// The partition it lay in.
    pub partition: Option<i32>,
    /// The offset it had. A new topic gives its own; this is shown, and no more.
    pub offset: Option<i64>,
    /// Milliseconds since 1970, or -1: it had none.
    pub timestamp: Option<i64>,
    /// Its key; none, empty and the text `null` are three things.
    pub key: Option<Cow<'a, [u8]>>,
    /// Its value.
    pub value: Option<Cow<'a, [u8]>>,
    /// Its headers, in order.
    pub headers: Vec<FileHeader<'a>>,
    /// The row it was made of, where the file is a table.
    pub row: Option<Row<'a>>,
}

impl<'a> FileRecord<'a> {
    /// A record of which nothing but a value is known.
    #[must_use]
    pub fn of_value(place: Place, value: impl Into<Cow<'a, [u8]>>) -> Self {
        Self {
            place,
            partition: None,
            offset: None,
            timestamp: None,
            key: None,
            value: Some(value.into()),
            headers: Vec::new(),
            row: None,
        }
    }
}

/// What could not be taken, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedAt {
    /// Where it begins.
    pub place: Place,
    /// A sentence. It names the byte of the line where that helps.
    pub reason: String,
}

impl RefusedAt {
    /// A refusal with its reason.
    #[must_use]
    pub fn new(place: Place, reason: impl Into<String>) -> Self {
        Self { place, reason: reason.into() }
    }
}

impl fmt::Display for RefusedAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.reason)
    }
}

/// What a decoder calls back with.
pub type Found<'a> = Result<FileRecord<'a>, RefusedAt>;

/// What a decoder counts beside records and refusals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Passed {
    /// Lines that are no records and no mistake: empty ones, where the format says so.
    pub blank: u64,
    /// Records whose key field is `null`, where the decoder finds the key.
    pub null_keys: u64,
    /// Lines that belong to the value before them, where no more than their looks say so.
    pub continued: u64,
}

/// A reader of one format, at some place in a file.
///
/// ```
/// use loglanes::interchange::{Decoder, FileFormat};
///
/// let mut decoder = FileFormat::KcatJson.decoder()?;
/// let mut keys = Vec::new();
/// for chunk in [&b"{\"key\":\"k1\",\"pay"[..], b"load\":null}\n"] {
///     decoder.feed(chunk, &mut |found| keys.push(found.unwrap().key.map(|key| key.into_owned())));
/// }
/// decoder.finish(&mut |_| panic!("nothing is left"));
/// assert_eq!(keys, [Some(b"k1".to_vec())]);
/// # Ok::<(), loglanes::Error>(())
/// ```
pub trait Decoder: fmt::Debug {
    /// Takes the next bytes of the file, and calls `each` for every record that ends in them.
    fn feed(&mut self, chunk: &[u8], each: &mut dyn FnMut(Found<'_>));

    /// Says that the file is over. Nothing is fed after it.
    fn finish(&mut self, each: &mut dyn FnMut(Found<'_>));

    /// Goes on with what is left to do once the file is over, for a format that can only be read
    /// then: a part of it, so that a page has its turn in between. Whether there is more.
    fn go_on(&mut self, _each: &mut dyn FnMut(Found<'_>)) -> bool {
        false
    }

    /// [`Decoder::finish`], and all that is left then.
    fn finish_all(&mut self, each: &mut dyn FnMut(Found<'_>)) {
        self.finish(each);
        while self.go_on(each) {}
    }

    /// What was passed over so far.
    fn passed(&self) -> Passed {
        Passed::default()
    }
}
