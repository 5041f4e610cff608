//! Changes that break things: bits, lengths, numbers at the edges, pieces doubled, left out and
//! put together anew.

/// Numbers at which arithmetic breaks.
const EDGES: [i64; 14] = [
    0,
    1,
    -1,
    0x7f,
    0x80,
    0x7fff,
    0x8000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    i64::MAX,
    i64::MIN,
    i64::MAX - 1,
    1 << 53,
];

/// Words of the texts that are read.
const WORDS: [&str; 20] = [
    "null",
    "\"",
    "\\u0000",
    "\\",
    "{",
    "}",
    "[[[[",
    "]",
    ",",
    ":",
    "\n",
    "\r\n",
    "\t",
    "=",
    "-",
    "1e999",
    "9223372036854775808",
    "\u{feff}",
    "é",
    "--",
];

/// Random, from a seed.
pub struct Mutator(u64);

impl Mutator {
    /// The same seed gives the same inputs.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    /// One of the corpus, changed in a few places.
    pub fn input(&mut self, corpus: &[Vec<u8>], longest: usize) -> Vec<u8> {
        let mut input = corpus[self.below(corpus.len())].clone();
        for _ in 0..=self.below(4) {
            self.change(&mut input, corpus);
        }
        input.truncate(longest);
        input
    }

    fn change(&mut self, input: &mut Vec<u8>, corpus: &[Vec<u8>]) {
        let at = self.below(input.len() + 1);
        match self.below(9) {
            0 => {
                if let Some(byte) = input.get_mut(at) {
                    *byte ^= 1 << (self.next() % 8);
                }
            }
            1 => {
                if let Some(byte) = input.get_mut(at) {
                    *byte = self.next() as u8;
                }
            }
            2 => input.truncate(at),
            3 => {
                let end = (at + 1 + self.below(16)).min(input.len());
                input.drain(at.min(end)..end);
            }
            4 => {
                let end = (at + 1 + self.below(64)).min(input.len());
                let piece = input[at.min(end)..end].to_vec();
                let to = self.below(input.len() + 1);
                input.splice(to..to, piece);
            }
            5 => {
                // A number in place of some bytes, as they are stored.
                let bytes = EDGES[self.below(EDGES.len())].to_be_bytes();
                let width = [1, 2, 4, 8][self.below(4)];
                for (slot, byte) in input.iter_mut().skip(at).zip(&bytes[8 - width..]) {
                    *slot = *byte;
                }
            }
            6 => {
                let word = WORDS[self.below(WORDS.len())];
                input.splice(at..at, word.bytes());
            }
            7 => {
                let edge = EDGES[self.below(EDGES.len())].to_string();
                let end = (at + self.below(6)).min(input.len());
                input.splice(at..end.max(at), edge.into_bytes());
            }
            _ => {
                // The beginning of one, the end of another.
                let other = &corpus[self.below(corpus.len())];
                let from = self.below(other.len() + 1);
                input.truncate(at);
                input.extend_from_slice(&other[from..]);
            }
        }
    }
}
