//! A stream of chunks, cut into lines.
//!
//! A line ends with LF or CRLF; the last one needs no ending. A UTF-8 byte order mark at the very
//! beginning is an editor's, not the first line's. A line that lies in one chunk is lent from it;
//! only a line that spans chunks is copied, and a line that is too long is counted, not kept.

/// The longest line that is taken, in bytes, without its ending: 1 MiB.
///
/// A longer line could not become a record anyway: a broker's default `max.message.bytes` is
/// 1,048,588, of which a batch of one record needs at least 70 bytes for itself.
pub const MAX_LINE_BYTES: usize = 1 << 20;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// One line of a file: what [`LineSplitter`] calls back with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its number in the file, from 1.
    pub number: u64,
    /// Its bytes without the ending, or how long it was.
    pub content: Result<&'a [u8], LineTooLong>,
}

/// A line of more bytes than its splitter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineTooLong {
    /// Its length in bytes, without the ending.
    pub bytes: u64,
}

/// Cuts chunks of any size into lines.
///
/// ```
/// use loglanes::interchange::lines::LineSplitter;
///
/// let mut lines = Vec::new();
/// let mut splitter = LineSplitter::new();
/// for chunk in ["a\r", "\nb\n\nlast"] {
///     splitter.feed(chunk.as_bytes(), |line| lines.push(line.content.unwrap().to_vec()));
/// }
/// splitter.finish(|line| lines.push(line.content.unwrap().to_vec()));
/// assert_eq!(lines, [b"a".to_vec(), b"b".to_vec(), b"".to_vec(), b"last".to_vec()]);
/// ```
#[derive(Debug, Clone)]
pub struct LineSplitter {
    /// The most bytes of a line.
    limit: usize,
    /// How many bytes of a byte order mark have come, until the beginning is known.
    mark: Mark,
    /// The beginning of a line whose end has not come yet.
    held: Vec<u8>,
    /// Bytes of that line that were let go because it is too long.
    dropped: u64,
    /// Whether the last byte let go was a CR, which may be half of the ending.
    dropped_cr: bool,
    lines: u64,
}

#[derive(Debug, Clone, Copy)]
enum Mark {
    Seen(usize),
    Past,
}

impl Default for Mark {
    fn default() -> Self {
        Self::Seen(0)
    }
}

impl Default for LineSplitter {
    fn default() -> Self {
        Self::with_limit(MAX_LINE_BYTES)
    }
}

impl LineTooLong {
    /// That it is, in a sentence.
    pub(super) fn reason(self, limit: usize) -> String {
        format!("{} bytes are more than the {limit} a line may have.", self.bytes)
    }
}

impl LineSplitter {
    /// A splitter at the beginning of a file, for lines of at most [`MAX_LINE_BYTES`].
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A splitter for lines of at most `limit` bytes.
    #[must_use]
    pub fn with_limit(limit: usize) -> Self {
        Self {
            limit,
            mark: Mark::default(),
            held: Vec::new(),
            dropped: 0,
            dropped_cr: false,
            lines: 0,
        }
    }

    /// How many lines have ended so far.
    #[must_use]
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// Bytes kept for a line whose end has not come yet: at most the limit and a CR.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.held.len()
    }

    /// Takes the next bytes of the file and calls `each` for every line that ends in them.
    pub fn feed(&mut self, chunk: &[u8], mut each: impl FnMut(Line<'_>)) {
        let chunk = self.skip_mark(chunk);
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', chunk) {
            let part = &chunk[start..end];
            start = end + 1;
            if self.held.is_empty() && self.dropped == 0 {
                self.lines += 1;
                each(Line::new(self.lines, part, self.limit));
            } else {
                self.hold(part);
                self.end_held(&mut each);
            }
        }
        self.hold(&chunk[start..]);
    }

    /// Says that the file is over: the last line may stand without an ending.
    pub fn finish(mut self, mut each: impl FnMut(Line<'_>)) {
        if let Mark::Seen(seen) = self.mark {
            self.hold(&BYTE_ORDER_MARK[..seen]);
        }
        if !self.held.is_empty() || self.dropped > 0 {
            self.end_held(&mut each);
        }
    }

    /// What follows the byte order mark, if the file begins with one.
    fn skip_mark<'a>(&mut self, chunk: &'a [u8]) -> &'a [u8] {
        let Mark::Seen(seen) = self.mark else { return chunk };
        let wanted = &BYTE_ORDER_MARK[seen..];
        if let Some(rest) = chunk.strip_prefix(wanted) {
            self.mark = Mark::Past;
            rest
        } else if wanted.starts_with(chunk) {
            self.mark = Mark::Seen(seen + chunk.len());
            &[]
        } else {
            self.mark = Mark::Past;
            self.hold(&BYTE_ORDER_MARK[..seen]);
            chunk
        }
    }

    fn hold(&mut self, part: &[u8]) {
        let Some(&last) = part.last() else { return };
        if self.dropped == 0 && self.held.len() + part.len() <= self.limit + "\r".len() {
            self.held.extend_from_slice(part);
        } else {
            self.dropped += (self.held.len() + part.len()) as u64;
            self.dropped_cr = last == b'\r';
            self.held = Vec::new();
        }
    }

    fn end_held(&mut self, each: &mut impl FnMut(Line<'_>)) {
        self.lines += 1;
        if self.dropped > 0 {
            let bytes = self.dropped - u64::from(self.dropped_cr);
            self.dropped = 0;
            each(Line { number: self.lines, content: Err(LineTooLong { bytes }) });
        } else {
            each(Line::new(self.lines, &self.held, self.limit));
            self.held.clear();
        }
    }
}

impl<'a> Line<'a> {
    fn new(number: u64, bytes: &'a [u8], limit: usize) -> Self {
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let content = if bytes.len() <= limit {
            Ok(bytes)
        } else {
            Err(LineTooLong { bytes: bytes.len() as u64 })
        };
        Self { number, content }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(chunks: &[&[u8]]) -> Vec<Result<Vec<u8>, u64>> {
        let mut lines = Vec::new();
        let mut take = |line: Line<'_>| {
            lines.push(line.content.map(<[u8]>::to_vec).map_err(|long| long.bytes));
            assert_eq!(line.number, lines.len() as u64);
        };
        let mut splitter = LineSplitter::new();
        for chunk in chunks {
            splitter.feed(chunk, &mut take);
            assert!(splitter.held_bytes() <= MAX_LINE_BYTES + 1);
        }
        splitter.finish(&mut take);
        lines
    }

    fn split_whole(file: &[u8]) -> Vec<Result<Vec<u8>, u64>> {
        split(&[file])
    }

    #[test]
    fn lines_end_with_lf_or_crlf_and_the_last_needs_no_ending() {
        let table: &[(&[u8], &[&[u8]])] = &[
            (b"", &[]),
            (b"\n", &[b""]),
            (b"a", &[b"a"]),
            (b"a\n", &[b"a"]),
            (b"a\r\nb", &[b"a", b"b"]),
            (b"a\n\nb\n", &[b"a", b"", b"b"]),
            (b"a\rb\n", &[b"a\rb"]),
            (b"a\r\r\n", &[b"a\r"]),
            (b"a\r", &[b"a"]),
            (b"\xef\xbb\xbf", &[]),
            (b"\xef\xbb\xbfa\n\xef\xbb\xbfb", &[b"a", b"\xef\xbb\xbfb"]),
            (b"\xef\xbb\xbf\n", &[b""]),
            (b"\xef\xbbx", &[b"\xef\xbbx"]),
            (b"\xef\xbb", &[b"\xef\xbb"]),
        ];
        for (file, lines) in table {
            let want: Vec<_> = lines.iter().map(|line| Ok(line.to_vec())).collect();
            assert_eq!(split_whole(file), want, "{file:?}");
            let bytes: Vec<_> = file.chunks(1).collect();
            assert_eq!(split(&bytes), want, "{file:?} byte by byte");
        }
    }

    #[test]
    fn a_line_at_the_limit_is_taken_and_one_byte_more_is_refused_by_number() {
        for ending in ["\n", "\r\n", ""] {
            for mark in ["", "\u{feff}"] {
                let at = "x".repeat(MAX_LINE_BYTES);
                let file = format!("{mark}{at}{ending}");
                let want = vec![Ok(at.into_bytes())];
                assert_eq!(split_whole(file.as_bytes()), want);
                assert_eq!(split(&file.as_bytes().chunks(1000).collect::<Vec<_>>()), want);

                let over = "x".repeat(MAX_LINE_BYTES + 1);
                let file = format!("{mark}{over}{ending}");
                let want = vec![Err(MAX_LINE_BYTES as u64 + 1)];
                assert_eq!(split_whole(file.as_bytes()), want);
                assert_eq!(split(&file.as_bytes().chunks(1000).collect::<Vec<_>>()), want);
            }
        }
    }

    #[test]
    fn a_line_that_is_far_too_long_is_counted_without_being_held() {
        let mut splitter = LineSplitter::new();
        let chunk = vec![b'x'; MAX_LINE_BYTES / 2];
        for _ in 0..64 {
            splitter.feed(&chunk, |_| panic!("no line has ended"));
            assert!(splitter.held_bytes() <= MAX_LINE_BYTES + 1);
        }
        let mut lines = Vec::new();
        splitter.feed(b"\nb\n", |line| lines.push(line.content.map(<[u8]>::to_vec)));
        let bytes = 32 * MAX_LINE_BYTES as u64;
        assert_eq!(lines, [Err(LineTooLong { bytes }), Ok(b"b".to_vec())]);
    }

    proptest! {
        #[test]
        fn how_a_file_is_cut_into_chunks_makes_no_difference(
            file in proptest::collection::vec(
                prop_oneof![Just(b'\n'), Just(b'\r'), Just(b'a'), Just(0xef), Just(0xbb), Just(0xbf)],
                0..60,
            ),
            cuts in proptest::collection::vec(1usize..9, 1..30),
        ) {
            let mut chunks = Vec::new();
            let mut rest = &file[..];
            for cut in cuts {
                let (chunk, after) = rest.split_at(cut.min(rest.len()));
                chunks.push(chunk);
                rest = after;
            }
            chunks.push(rest);
            let mut naive: Vec<_> = file
                .strip_prefix(BYTE_ORDER_MARK)
                .unwrap_or(&file)
                .split(|&b| b == b'\n')
                .map(|line| Ok(line.strip_suffix(b"\r").unwrap_or(line).to_vec()))
                .collect();
            if file.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&file).is_empty() || file.last() == Some(&b'\n') {
                naive.pop();
            }
            prop_assert_eq!(split(&chunks), naive);
        }
    }
}
