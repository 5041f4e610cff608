//! A pattern that was read, and how a name is matched with it.

use std::ops::Not;

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
    /// So often, at least and at the most.
    Repeat(Box<Node>, u32, Option<u32>),
}

/// Places in a name, between its characters.
type Places = Vec<bool>;

impl Node {
    /// Whether all of the name matches.
    pub(super) fn matches(&self, name: &str) -> bool {
        let mut places = vec![false; name.len() + 1];
        places[0] = true;
        self.go(name.as_bytes(), places).last() == Some(&true)
    }

    /// Where it may end, if it begins at one of these places.
    fn go(&self, name: &[u8], from: Places) -> Places {
        if !from.contains(&true) {
            return from;
        }
        let only = |is: &dyn Fn(usize) -> bool| {
            from.iter().enumerate().map(|(at, &here)| here && is(at)).collect()
        };
        let is_word =
            |at: Option<&u8>| at.is_some_and(|one| one.is_ascii_alphanumeric() || *one == b'_');
        match self {
            Self::One(set) => {
                let mut to = vec![false; from.len()];
                for (at, byte) in name.iter().enumerate() {
                    to[at + 1] = from[at] && set.has(*byte);
                }
                to
            }
            Self::Start => only(&|at| at == 0),
            Self::End => only(&|at| at == name.len()),
            Self::Border(is) => only(&|at| {
                let before = at.checked_sub(1).and_then(|before| name.get(before));
                (is_word(before) != is_word(name.get(at))) == *is
            }),
            Self::All(parts) => parts.iter().fold(from, |from, part| part.go(name, from)),
            Self::Any(parts) => {
                let mut to = vec![false; from.len()];
                for part in parts {
                    join(&mut to, &part.go(name, from.clone()));
                }
                to
            }
            Self::Repeat(part, least, most) => repeat(part, name, from, *least, *most),
        }
    }
}

/// As often as it must; then as often as it may, until that leads nowhere new.
fn repeat(part: &Node, name: &[u8], from: Places, least: u32, most: Option<u32>) -> Places {
    let mut here = from;
    for _ in 0..least {
        let next = part.go(name, here.clone());
        if next == here {
            break;
        }
        here = next;
    }
    let mut all = here.clone();
    for _ in least..most.unwrap_or(u32::MAX) {
        here = part.go(name, here);
        if !join(&mut all, &here) {
            break;
        }
    }
    all
}

/// Adds places; whether any was new.
fn join(all: &mut Places, more: &Places) -> bool {
    let mut is_new = false;
    for (here, &add) in all.iter_mut().zip(more) {
        is_new |= add && !*here;
        *here |= add;
    }
    is_new
}
