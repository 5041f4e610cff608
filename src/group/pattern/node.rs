//! A pattern that was read, and how a name is matched with it.
//!
//! A part leads from some places in a name to others, and never back. So no pattern takes longer than the
//! number of its parts, the length of the name and the length of its repetitions multiply to, however
//! repetitions lie in each other: what one leads to from a place is worked out once.

use std::ops::Not;

use crate::topic::MAX_NAME_LENGTH;

/// Characters, of which only those below 128 count: no topic's name has others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Set(pub(super) u128);

impl Set {
    pub(super) fn one(character: char) -> Self {
        Self::range(character, character)
    }

    pub(super) fn range(first: char, last: char) -> Self {
        let from = u32::from(first).min(128);
        let to = (u32::from(last) + 1).min(128);
        Self((from..to).fold(0, |bits, at| bits | 1 << at))
    }

    pub(super) fn of(has: impl Fn(char) -> bool) -> Self {
        let is_in = |at: &u8| has(char::from(*at));
        Self((0..128_u8).filter(is_in).fold(0, |bits, at| bits | 1 << at))
    }

    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(super) const fn has(self, byte: u8) -> bool {
        byte < 128 && self.0 >> byte & 1 == 1
    }

    /// With the other case of each letter as well.
    pub(super) fn in_any_case(self) -> Self {
        Self::of(|one| {
            let swapped = if one.is_ascii_lowercase() {
                one.to_ascii_uppercase()
            } else {
                one.to_ascii_lowercase()
            };
            [one, swapped].into_iter().any(|one| self.has(one as u8))
        })
    }
}

impl Not for Set {
    type Output = Self;

    fn not(self) -> Self {
        Self(!self.0)
    }
}

/// A part of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    /// One character.
    One(Set),
    /// The beginning of the name.
    Start,
    /// Its end.
    End,
    /// A place between a character of a word and another one, or every other place.
    Border(bool),
    /// One after the other.
    All(Vec<Node>),
    /// One of them.
    Any(Vec<Node>),
    /// Again and again.
    Repeat(Box<Repeat>),
}

/// A part that is repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Repeat {
    /// Which repetition of the pattern it is, from 0.
    pub(super) id: usize,
    pub(super) part: Node,
    /// How often at least.
    pub(super) least: u32,
    /// How often at the most.
    pub(super) most: Option<u32>,
}

impl Node {
    /// Whether all of the name matches. One that is too long for a topic does not.
    pub(super) fn matches(&self, name: &str) -> bool {
        if name.len() > MAX_NAME_LENGTH {
            return false;
        }
        let mut matcher = Matcher { name: name.as_bytes(), known: Vec::new() };
        matcher.go(self, Places::one(0)).has(name.len())
    }
}

/// Places in a name, between its characters: one more than these, and so at most 250.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Places([u64; 4]);

impl Places {
    fn one(place: usize) -> Self {
        let mut places = Self::default();
        places.add(place);
        places
    }

    fn add(&mut self, place: usize) {
        if let Some(word) = self.0.get_mut(place / 64) {
            *word |= 1 << (place % 64);
        }
    }

    fn has(self, place: usize) -> bool {
        self.0.get(place / 64).is_some_and(|word| word >> (place % 64) & 1 == 1)
    }

    fn is_empty(self) -> bool {
        self == Self::default()
    }

    fn and(self, other: Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    fn without(self, other: Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] & !other.0[word]))
    }
}

/// One name, and what is known of the way through it.
struct Matcher<'a> {
    name: &'a [u8],
    /// Where a repetition leads to from a place, one repetition after the other.
    known: Vec<Option<Places>>,
}

impl Matcher<'_> {
    /// Where it may end, if it begins at one of these places.
    fn go(&mut self, node: &Node, from: Places) -> Places {
        if from.is_empty() {
            return from;
        }
        let name = self.name;
        match node {
            Node::One(set) => {
                let is_next = |&(at, &byte): &(usize, &u8)| from.has(at) && set.has(byte);
                places(name.iter().enumerate().filter(is_next).map(|(at, _)| at + 1))
            }
            Node::Start => only(from, name, |at| at == 0),
            Node::End => only(from, name, |at| at == name.len()),
            Node::Border(is) => only(from, name, |at| {
                let before = at.checked_sub(1).and_then(|before| name.get(before));
                (is_word(before) != is_word(name.get(at))) == *is
            }),
            Node::All(parts) => parts.iter().fold(from, |from, part| self.go(part, from)),
            Node::Any(parts) => {
                parts.iter().fold(Places::default(), |to, part| to.and(self.go(part, from)))
            }
            Node::Repeat(repeat) => {
                let begins = (0..=name.len()).filter(|&at| from.has(at));
                begins.fold(Places::default(), |to, at| to.and(self.repeat(repeat, at)))
            }
        }
    }

    /// As often as it must; then as often as it may, until that leads nowhere new.
    fn repeat(&mut self, repeat: &Repeat, from: usize) -> Places {
        let known_at = repeat.id * (self.name.len() + 1) + from;
        if let Some(Some(known)) = self.known.get(known_at) {
            return *known;
        }
        let mut here = Places::one(from);
        for _ in 0..repeat.least {
            let next = self.go(&repeat.part, here);
            if next == here {
                break;
            }
            here = next;
        }
        let mut all = here;
        for _ in repeat.least..repeat.most.unwrap_or(u32::MAX) {
            // What it was led to before, it came to with more repetitions left.
            here = self.go(&repeat.part, here).without(all);
            if here.is_empty() {
                break;
            }
            all = all.and(here);
        }
        if self.known.len() <= known_at {
            self.known.resize(known_at + 1, None);
        }
        self.known[known_at] = Some(all);
        all
    }
}

fn places(all: impl Iterator<Item = usize>) -> Places {
    all.fold(Places::default(), |places, at| places.and(Places::one(at)))
}

fn only(from: Places, name: &[u8], is: impl Fn(usize) -> bool) -> Places {
    places((0..=name.len()).filter(|&at| from.has(at) && is(at)))
}

fn is_word(byte: Option<&u8>) -> bool {
    byte.is_some_and(|one| one.is_ascii_alphanumeric() || *one == b'_')
}
