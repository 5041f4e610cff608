//! A stream of chunks, cut at any ending, and with every byte kept.
//!
//! [`LineSplitter`](super::lines::LineSplitter) is for files that people edit: it takes CRLF for an
//! ending and passes over a byte order mark. Kafka's tools do neither, so what they read is cut here.

use std::fmt;

use super::decoder::{Decoder, Found, Passed};
use super::jsonlines::MAX_RECORD_LINE_BYTES;

/// What a piece ends with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ending {
    /// These bytes, of which there is at least one.
    Bytes(Vec<u8>),
    /// LF, CR or CRLF: `BufferedReader.readLine` of Java.
    Java,
}

/// A piece without its ending.
pub(super) struct Piece<'a> {
    /// The line it begins on, from 1.
    pub(super) line: u64,
    /// Its bytes, or how many there were of a piece that is too long.
    pub(super) content: Result<&'a [u8], u64>,
}

/// What makes records of pieces, one after the other.
pub(super) trait PieceReader: fmt::Debug {
    /// Takes the next piece.
    fn take(&mut self, piece: &Piece<'_>, each: &mut dyn FnMut(Found<'_>));

    /// There is no further piece.
    fn close(&mut self, _each: &mut dyn FnMut(Found<'_>)) {}

    /// See [`Decoder::passed`].
    fn passed(&self) -> Passed {
        Passed::default()
    }
}

/// A decoder that cuts its file at an ending and has the pieces read.
pub(super) fn decoder(ending: Ending, reader: impl PieceReader + 'static) -> Box<dyn Decoder> {
    Box::new(PieceDecoder { pieces: Pieces::new(ending), reader })
}

#[derive(Debug)]
struct PieceDecoder<R> {
    pieces: Pieces,
    reader: R,
}

impl<R: PieceReader> Decoder for PieceDecoder<R> {
    fn feed(&mut self, chunk: &[u8], each: &mut dyn FnMut(Found<'_>)) {
        let Self { pieces, reader } = self;
        pieces.feed(chunk, |piece| reader.take(&piece, each));
    }

    fn finish(&mut self, each: &mut dyn FnMut(Found<'_>)) {
        let Self { pieces, reader } = self;
        pieces.finish(|piece| reader.take(&piece, each));
        reader.close(each);
    }

    fn passed(&self) -> Passed {
        self.reader.passed()
    }
}

/// Cuts chunks into pieces of at most [`MAX_RECORD_LINE_BYTES`].
#[derive(Debug)]
pub(super) struct Pieces {
    ending: Ending,
    held: Vec<u8>,
    /// Bytes of a piece that is too long, let go already.
    dropped: u64,
    line: u64,
    after_cr: bool,
}

impl Pieces {
    pub(super) fn new(ending: Ending) -> Self {
        Self { ending, held: Vec::new(), dropped: 0, line: 1, after_cr: false }
    }

    pub(super) fn feed(&mut self, chunk: &[u8], mut each: impl FnMut(Piece<'_>)) {
        // Where an ending may begin that is not seen yet.
        let from = match &self.ending {
            Ending::Bytes(bytes) => (self.held.len() + 1).saturating_sub(bytes.len()),
            Ending::Java => self.held.len(),
        };
        let mut chunk = chunk;
        if self.after_cr && !chunk.is_empty() {
            self.after_cr = false;
            chunk = chunk.strip_prefix(b"\n").unwrap_or(chunk);
        }
        let mut held = std::mem::take(&mut self.held);
        held.extend_from_slice(chunk);
        let (mut start, mut seen) = (0, from);
        while let Some((end, after)) = self.next_ending(&held, seen) {
            self.give(held.get(start..end).unwrap_or_default(), &mut each);
            // The rest of a line that ended within an ending of several bytes.
            let within = held.get(end..after).unwrap_or_default();
            self.line += match self.ending {
                Ending::Java => 1,
                Ending::Bytes(_) => memchr::memchr_iter(b'\n', within).count() as u64,
            };
            (start, seen) = (after, after);
        }
        held.drain(..start);
        let kept = match &self.ending {
            Ending::Bytes(bytes) => bytes.len() - 1,
            Ending::Java => 0,
        };
        if held.len() > MAX_RECORD_LINE_BYTES + kept || self.dropped > 0 {
            let going = held.len() - kept.min(held.len());
            self.dropped += going as u64;
            self.line += self.newlines(held.get(..going).unwrap_or_default());
            held.drain(..going);
        }
        self.held = held;
    }

    pub(super) fn finish(&mut self, mut each: impl FnMut(Piece<'_>)) {
        let held = std::mem::take(&mut self.held);
        if !held.is_empty() || self.dropped > 0 {
            self.give(&held, &mut each);
        }
    }

    /// Where the next ending begins, and where it is over.
    fn next_ending(&mut self, held: &[u8], from: usize) -> Option<(usize, usize)> {
        let rest = held.get(from..)?;
        match &self.ending {
            Ending::Bytes(bytes) => {
                let at = match bytes.as_slice() {
                    &[byte] => memchr::memchr(byte, rest)?,
                    bytes => memchr::memmem::find(rest, bytes)?,
                };
                Some((from + at, from + at + bytes.len()))
            }
            Ending::Java => {
                let at = memchr::memchr2(b'\n', b'\r', rest)?;
                let crlf = rest.get(at..at + 2) == Some(b"\r\n");
                self.after_cr = rest.get(at..) == Some(b"\r");
                Some((from + at, from + at + 1 + usize::from(crlf)))
            }
        }
    }

    /// Lines that end within a piece.
    fn newlines(&self, piece: &[u8]) -> u64 {
        match &self.ending {
            Ending::Bytes(bytes) if bytes != b"\n" => {
                memchr::memchr_iter(b'\n', piece).count() as u64
            }
            _ => 0,
        }
    }

    fn give(&mut self, piece: &[u8], each: &mut impl FnMut(Piece<'_>)) {
        let bytes = std::mem::take(&mut self.dropped) + piece.len() as u64;
        let content = if bytes > MAX_RECORD_LINE_BYTES as u64 { Err(bytes) } else { Ok(piece) };
        each(Piece { line: self.line, content });
        self.line += self.newlines(piece);
    }
}

/// That a piece is too long, in a sentence.
pub(super) fn too_long(bytes: u64) -> String {
    format!("{bytes} bytes are more than the {MAX_RECORD_LINE_BYTES} a record may have here.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut(ending: Ending, chunks: &[&[u8]]) -> Vec<(u64, Result<Vec<u8>, u64>)> {
        let mut pieces = Vec::new();
        let mut splitter = Pieces::new(ending);
        for chunk in chunks {
            splitter
                .feed(chunk, |piece| pieces.push((piece.line, piece.content.map(<[u8]>::to_vec))));
        }
        splitter.finish(|piece| pieces.push((piece.line, piece.content.map(<[u8]>::to_vec))));
        pieces
    }

    #[test]
    fn a_piece_at_the_limit_is_taken_and_one_byte_more_is_not() {
        for (more, taken) in [(0, true), (1, false)] {
            let mut file = vec![b'x'; MAX_RECORD_LINE_BYTES + more];
            file.extend_from_slice(b"\nnext");
            let chunks: Vec<&[u8]> = file.chunks(1 << 20).collect();
            let pieces = cut(Ending::Bytes(b"\n".to_vec()), &chunks);
            assert_eq!(pieces[0].1.is_ok(), taken);
            assert_eq!(pieces[1], (2, Ok(b"next".to_vec())));
        }
    }

    proptest! {
        #[test]
        fn chunks_make_no_difference_and_pieces_are_a_split(
            file in proptest::collection::vec(proptest::sample::select(b"a\n\r;=>".to_vec()), 0..40),
            size in 1usize..5,
        ) {
            for ending in ["\n", ";", "=>"] {
                let text = String::from_utf8(file.clone()).unwrap();
                let mut want: Vec<_> = text.split(ending).map(|part| Ok(part.as_bytes().to_vec())).collect();
                if want.last() == Some(&Ok(Vec::new())) { want.pop(); }
                let chunks: Vec<&[u8]> = file.chunks(size).collect();
                let got: Vec<_> = cut(Ending::Bytes(ending.into()), &chunks).into_iter().map(|(_, piece)| piece).collect();
                prop_assert_eq!(got, want);
            }
            let text = String::from_utf8(file.clone()).unwrap().replace("\r\n", "\n").replace('\r', "\n");
            let mut want: Vec<_> = text.split('\n').map(|part| Ok(part.as_bytes().to_vec())).collect();
            if want.last() == Some(&Ok(Vec::new())) { want.pop(); }
            let chunks: Vec<&[u8]> = file.chunks(size).collect();
            let got = cut(Ending::Java, &chunks);
            prop_assert!(got.iter().zip(1..).all(|((line, _), number)| *line == number));
            let got: Vec<_> = got.into_iter().map(|(_, piece)| piece).collect();
            prop_assert_eq!(got, want);
        }
    }
}
