//! Reads a pattern: alternatives, groups, repetitions.

use std::collections::BTreeSet;

use super::class::Escaped;
use super::node::{Node, Repeat, Set};
use super::words::syntax;
use super::{MAX_PATTERN_DEPTH, Read, Wrong};

/// The most repetitions that RE2/J takes. Source: `com.google.re2j.Parser`.
const MAX_REPEAT: u32 = 1_000;

/// The characters of a pattern, and how far they have been read.
pub(super) struct Parser {
    characters: Vec<char>,
    pub(super) at: usize,
    pub(super) is_java: bool,
    /// Behind `(?i)`.
    pub(super) in_any_case: bool,
    names: BTreeSet<String>,
    depth: usize,
    repetitions: usize,
}

impl Parser {
    pub(super) fn new(whole: &str, is_java: bool) -> Self {
        let characters =
            if is_java { unquoted(whole.chars().collect()) } else { whole.chars().collect() };
        let names = BTreeSet::new();
        Self { characters, at: 0, is_java, in_any_case: false, names, depth: 0, repetitions: 0 }
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.ahead(0)
    }

    pub(super) fn ahead(&self, by: usize) -> Option<char> {
        self.characters.get(self.at + by).copied()
    }

    pub(super) fn rest(&self) -> &[char] {
        self.characters.get(self.at..).unwrap_or_default()
    }

    pub(super) fn between(&self, start: usize, end: usize) -> String {
        self.characters.get(start..end).unwrap_or_default().iter().collect()
    }

    pub(super) fn eat(&mut self, one: char) -> bool {
        let is_it = self.peek() == Some(one);
        self.at += usize::from(is_it);
        is_it
    }

    /// All of it.
    pub(super) fn pattern(mut self) -> Read<Node> {
        let node = self.alternatives()?;
        if self.peek().is_none() {
            return Ok(node);
        }
        // A group is closed that was not opened.
        Err(if self.is_java {
            syntax("Unmatched closing ')'", self.at.checked_sub(1))
        } else {
            syntax("regexp/syntax: internal error", None)
        })
    }

    fn alternatives(&mut self) -> Read<Node> {
        let mut all = vec![self.sequence()?];
        while self.eat('|') {
            all.push(self.sequence()?);
        }
        Ok(if all.len() == 1 { all.remove(0) } else { Node::Any(all) })
    }

    fn sequence(&mut self) -> Read<Node> {
        let mut parts = Vec::new();
        while let Some(next) = self.peek().filter(|next| !matches!(next, '|' | ')')) {
            self.at += 1;
            let part = match next {
                '(' => match self.group()? {
                    Some(group) => group,
                    None => continue,
                },
                '[' => Node::One(self.class()?),
                '.' => Node::One(!Set::of(|one| matches!(one, '\n' | '\r'))),
                '^' => Node::Start,
                '$' => Node::End,
                // Java repeats nothing at all there.
                '{' if self.is_java => {
                    self.at -= 1;
                    Node::All(Vec::new())
                }
                '*' | '+' | '?' => {
                    self.at -= 1;
                    self.before(next, &mut parts)?
                }
                '{' if self.is_count()? => self.before(next, &mut parts)?,
                '{' => {
                    parts.push(self.literal(next));
                    if self.repetition()?.is_some() {
                        return Err(syntax("invalid nested repetition operator", None));
                    }
                    continue;
                }
                '\\' if !self.is_java && self.eat('Q') => {
                    self.quoted(&mut parts);
                    continue;
                }
                '\\' => match self.escape()? {
                    Escaped::One(one) => self.literal(one),
                    Escaped::Many(many) => Node::One(many),
                    Escaped::Place(place) => place,
                },
                one => self.literal(one),
            };
            parts.push(self.repeated(part)?);
        }
        Ok(Node::All(parts))
    }

    fn literal(&self, one: char) -> Node {
        let set = Set::one(one);
        Node::One(if self.in_any_case { set.in_any_case() } else { set })
    }

    /// Text between `\Q` and `\E`, each character for itself.
    fn quoted(&mut self, parts: &mut Vec<Node>) {
        while let Some(next) = self.peek() {
            if next == '\\' && self.ahead(1) == Some('E') {
                self.at += 2;
                return;
            }
            parts.push(self.literal(next));
            self.at += 1;
        }
    }

    /// What a repetition repeats that does not follow a part at once: in RE2/J the part before signs
    /// such as `(?i)`, or the last character of quoted text.
    fn before(&self, sign: char, parts: &mut Vec<Node>) -> Read<Node> {
        if self.is_java {
            return Err(syntax(format!("Dangling meta character '{sign}'"), Some(self.at)));
        }
        parts.pop().ok_or_else(|| syntax("missing argument to repetition operator", None))
    }

    /// Whether the brace that was read begins a repetition; then it is to be read again.
    fn is_count(&mut self) -> Read<bool> {
        let before = self.at - 1;
        self.at = before;
        let is_one = self.count(before)?.is_some();
        self.at = if is_one { before } else { before + 1 };
        Ok(is_one)
    }

    /// How often a part comes, if that is said behind it.
    fn repeated(&mut self, part: Node) -> Read<Node> {
        let Some((least, most)) = self.repetition()? else { return Ok(part) };
        let id = self.repetitions;
        self.repetitions += 1;
        let part = Node::Repeat(Box::new(Repeat { id, part, least, most }));
        self.manner()?;
        if !self.is_java {
            return match self.repetition()? {
                Some(_) => Err(syntax("invalid nested repetition operator", None)),
                None => Ok(part),
            };
        }
        // A count behind a repetition repeats nothing at all.
        while self.peek() == Some('{') {
            self.repetition()?;
            self.manner()?;
        }
        match self.peek() {
            Some(sign @ ('*' | '+' | '?')) => {
                Err(syntax(format!("Dangling meta character '{sign}'"), Some(self.at)))
            }
            _ => Ok(part),
        }
    }

    /// Whether a repetition takes few or many makes no difference to a name that matches as a whole.
    fn manner(&mut self) -> Read<()> {
        if !self.eat('?') && self.is_java && self.peek() == Some('+') {
            return Err(Wrong::NotHere("possessive repetitions"));
        }
        Ok(())
    }

    fn repetition(&mut self) -> Read<Option<(u32, Option<u32>)>> {
        let found = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => return self.count(self.at),
            _ => return Ok(None),
        };
        self.at += 1;
        Ok(Some(found))
    }

    /// `{2}`, `{2,}`, `{2,3}` from its brace on. Where it is none, RE2/J takes the brace for itself.
    fn count(&mut self, brace: usize) -> Read<Option<(u32, Option<u32>)>> {
        let before = std::mem::replace(&mut self.at, brace + 1);
        let least = self.digits_of_count();
        let most = if self.eat(',') { self.digits_of_count() } else { least.clone() };
        let has_comma = self.characters.get(self.at.saturating_sub(1)) == Some(&',');
        let is_whole =
            !least.is_empty() && (!most.is_empty() || has_comma) && self.peek() == Some('}');
        if !is_whole {
            if self.is_java {
                return Err(if least.is_empty() {
                    syntax("Illegal repetition", Some(brace + 1))
                } else {
                    syntax("Unclosed counted closure", Some(self.at))
                });
            }
            self.at = before;
            return Ok(None);
        }
        let number = |text: &str| text.parse::<u32>().ok().filter(|_| text.len() < 10);
        let (least, most) = (number(&least), Some(most).filter(|most| !most.is_empty()));
        let most = most.map(|most| number(&most));
        let is_ordered = most.is_none_or(|most| least <= most);
        let is_low = |count: Option<u32>| count.is_some_and(|count| count <= MAX_REPEAT);
        if self.is_java && (!is_ordered || least.is_none() || most == Some(None)) {
            return Err(syntax("Illegal repetition range", Some(self.at)));
        }
        let is_taken = is_ordered && is_low(least) && most.is_none_or(is_low);
        if !self.is_java && !is_taken {
            return Err(syntax("invalid repeat count", None));
        }
        self.at += 1;
        Ok(Some((least.unwrap_or(0), most.flatten())))
    }

    fn digits_of_count(&mut self) -> String {
        let start = self.at;
        while self.peek().is_some_and(|one| one.is_ascii_digit()) {
            self.at += 1;
        }
        self.between(start, self.at)
    }

    /// A group, whose `(` is read; none for signs that hold for what comes behind, as `(?i)`.
    fn group(&mut self) -> Read<Option<Node>> {
        let before = self.in_any_case;
        if self.peek() == Some('?') && !self.is_group_of_signs()? {
            return Ok(None);
        }
        self.depth += 1;
        if self.depth > MAX_PATTERN_DEPTH {
            return Err(Wrong::TooDeep);
        }
        let node = self.alternatives()?;
        self.depth -= 1;
        if !self.eat(')') {
            return Err(if self.is_java {
                syntax(
                    "Unclosed group",
                    Some(self.characters.iter().map(|one| one.len_utf16()).sum()),
                )
            } else {
                syntax("missing closing )", None)
            });
        }
        self.in_any_case = before;
        Ok(Some(node))
    }

    /// What stands behind `(?`; whether a group follows.
    fn is_group_of_signs(&mut self) -> Read<bool> {
        self.at += 1;
        let is_named = self.peek() == Some('<')
            || self.peek() == Some('P') && self.ahead(1) == Some('<') && !self.is_java;
        if is_named {
            self.name()?;
            return Ok(true);
        }
        if self.is_java && matches!(self.peek(), Some('=' | '!' | '>')) {
            return Err(Wrong::NotHere("looking ahead and atomic groups"));
        }
        let start = self.at;
        let mut is_on = true;
        let mut in_any_case = self.in_any_case;
        loop {
            let Some(sign) = self.peek() else { return Err(self.unknown_sign()) };
            self.at += 1;
            match sign {
                'i' => in_any_case = is_on,
                's' | 'm' => {}
                'U' if !self.is_java => {}
                'd' | 'u' | 'U' if self.is_java => {}
                'x' if self.is_java => return Err(Wrong::NotHere("comments")),
                '-' if is_on => is_on = false,
                ':' | ')' if is_on || self.at > start + 2 => {
                    self.in_any_case = in_any_case;
                    return Ok(sign == ':');
                }
                _ => {
                    self.at -= 1;
                    return Err(self.unknown_sign());
                }
            }
        }
    }

    fn unknown_sign(&self) -> Wrong {
        if self.is_java {
            syntax("Unknown inline modifier", Some(self.at))
        } else {
            syntax("invalid or unsupported Perl syntax", None)
        }
    }

    /// The name of a group, as `<name>`.
    fn name(&mut self) -> Read<()> {
        self.eat('P');
        self.at += 1;
        if self.is_java && matches!(self.peek(), Some('=' | '!')) {
            return Err(Wrong::NotHere("looking behind"));
        }
        let start = self.at;
        while self.peek().is_some_and(|one| one.is_ascii_alphanumeric() || one == '_') {
            self.at += 1;
        }
        let name = self.between(start, self.at);
        if name.is_empty() || !self.eat('>') {
            return Err(if self.is_java {
                syntax("named capturing group is missing trailing '>'", Some(self.at))
            } else {
                syntax("invalid named capture", None)
            });
        }
        if !self.names.insert(name.clone()) {
            return Err(if self.is_java {
                let what = format!("Named capturing group <{name}> is already defined");
                syntax(what, Some(self.at))
            } else {
                syntax("duplicate capture group name", None)
            });
        }
        Ok(())
    }
}

/// Java's way with `\Q` and `\E`: what is between them is written anew, with a backslash before each sign.
/// Source: `Pattern.RemoveQEQuoting`.
fn unquoted(text: Vec<char>) -> Vec<char> {
    let mut out = Vec::new();
    let (mut is_quoted, mut is_first) = (false, false);
    let mut rest = text.into_iter().peekable();
    while let Some(one) = rest.next() {
        match one {
            '\\' if is_quoted && rest.next_if_eq(&'E').is_some() => is_quoted = false,
            '\\' if !is_quoted && rest.next_if_eq(&'Q').is_some() => {
                (is_quoted, is_first) = (true, true);
                continue;
            }
            '\\' if !is_quoted => out.extend(std::iter::once(one).chain(rest.next())),
            // So that it is no part of an escape before the quote.
            '0'..='9' if is_first => out.extend(['\\', 'x', '3', one]),
            _ if is_quoted && one.is_ascii() && !one.is_ascii_alphanumeric() => {
                out.extend(['\\', one])
            }
            _ => out.push(one),
        }
        is_first = false;
    }
    out
}
