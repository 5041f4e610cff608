//! A JSON array, each of its elements the value of a record: its source, byte for byte.
//!
//! The array may stand over any number of lines. It is not read as a whole: elements are cut out as
//! they come, and each is checked by itself.

use std::borrow::Cow;

use super::decoder::{Decoder, FileRecord, Found, Place, RefusedAt};
use super::json;
use super::jsonlines::MAX_RECORD_LINE_BYTES;
use super::pieces::too_long;

/// Reads the elements of an array.
#[derive(Debug)]
pub struct JsonArrayDecoder {
    state: State,
    element: Vec<u8>,
    /// Bytes of the element, kept or not.
    length: u64,
    depth: u64,
    in_string: bool,
    escaped: bool,
    line: u64,
    began: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the bracket.
    Before,
    /// Before an element; `first`: or the end of an empty array.
    Between {
        first: bool,
    },
    Within,
    /// After the last bracket.
    After,
    /// Nothing more can be read.
    Broken,
}

impl Default for JsonArrayDecoder {
    fn default() -> Self {
        Self {
            state: State::Before,
            element: Vec::new(),
            length: 0,
            depth: 0,
            in_string: false,
            escaped: false,
            line: 1,
            began: 1,
        }
    }
}

impl JsonArrayDecoder {
    fn refuse(&mut self, line: u64, reason: &str, each: &mut dyn FnMut(Found<'_>)) {
        each(Err(RefusedAt::new(Place::Line(line), reason)));
    }

    fn give(&mut self, each: &mut dyn FnMut(Found<'_>)) {
        let place = Place::Line(self.began);
        let length = std::mem::take(&mut self.length);
        let mut element = std::mem::take(&mut self.element);
        if length > MAX_RECORD_LINE_BYTES as u64 {
            return each(Err(RefusedAt::new(place, too_long(length))));
        }
        element.truncate(element.trim_ascii_end().len());
        let checked = json::check(&element).and_then(json::any_value);
        match checked {
            Ok(()) => each(Ok(FileRecord::of_value(place, Cow::Borrowed(&*element)))),
            Err(bad) => each(Err(RefusedAt { place, reason: bad.in_value() })),
        }
        element.clear();
        self.element = element;
    }

    fn step(&mut self, byte: u8, each: &mut dyn FnMut(Found<'_>)) {
        let line = self.line;
        self.line += u64::from(byte == b'\n');
        let blank = matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        match self.state {
            State::Before if blank || byte == 0xef || byte == 0xbb || byte == 0xbf => {}
            State::Before if byte == b'[' => self.state = State::Between { first: true },
            State::Before => {
                self.state = State::Broken;
                self.refuse(line, "no array begins here.", each);
            }
            State::Between { .. } if blank => {}
            State::Between { first: true } if byte == b']' => self.state = State::After,
            State::Between { .. } => {
                self.state = State::Within;
                self.began = line;
                (self.depth, self.in_string, self.escaped) = (0, false, false);
                self.within(byte, each);
            }
            State::Within => self.within(byte, each),
            State::After if blank => {}
            State::After => {
                self.state = State::Broken;
                self.refuse(line, "the array is over, and something follows it.", each);
            }
            State::Broken => {}
        }
    }

    fn within(&mut self, byte: u8, each: &mut dyn FnMut(Found<'_>)) {
        if self.in_string {
            self.in_string = self.escaped || byte != b'"';
            self.escaped = !self.escaped && byte == b'\\';
        } else {
            match byte {
                b'"' => self.in_string = true,
                b'[' | b'{' => self.depth += 1,
                b',' if self.depth == 0 => {
                    self.give(each);
                    self.state = State::Between { first: false };
                    return;
                }
                b']' if self.depth == 0 => {
                    self.give(each);
                    self.state = State::After;
                    return;
                }
                b']' | b'}' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
        self.length += 1;
        if self.length <= MAX_RECORD_LINE_BYTES as u64 {
            self.element.push(byte);
        } else if !self.element.is_empty() {
            self.element = Vec::new();
        }
    }
}

impl Decoder for JsonArrayDecoder {
    fn feed(&mut self, chunk: &[u8], each: &mut dyn FnMut(Found<'_>)) {
        for &byte in chunk {
            self.step(byte, each);
        }
    }

    fn finish(&mut self, each: &mut dyn FnMut(Found<'_>)) {
        let (line, began) = (self.line, self.began);
        match self.state {
            State::After | State::Broken => {}
            State::Within => self.refuse(
                began,
                "an element begins here, and the file ends before it or the array does.",
                each,
            ),
            State::Before => self.refuse(line, "there is no array.", each),
            State::Between { .. } => {
                self.refuse(line, "the file ends before the array does.", each);
            }
        }
    }
}
