//! Reads a line's tokens from left to right, and says what it would have liked where it cannot.

use std::str::FromStr;

use super::Problem;
use super::lex::{Kind, Token, tokens};
use super::time::{When, parse_iso, parse_span};
use crate::Bytes;
use crate::group::TopicPartition;

/// The tokens of a line and how far they have been read.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    line: &'a str,
    tokens: Vec<Token>,
    at: usize,
}

/// The next thing after the names: a setting or a word that stands alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Item {
    /// `name=`, `name+=` or `name-=`; its value is read next.
    Setting { name: String, quoted: bool, sign: Option<char> },
    /// A word without quotes.
    Word(String),
}

impl<'a> Reader<'a> {
    pub(super) fn new(line: &'a str) -> Result<Self, Problem> {
        Ok(Self { line, tokens: tokens(line)?, at: 0 })
    }

    /// The first byte of what is read next.
    pub(super) fn place(&self) -> usize {
        self.tokens.get(self.at).map_or(self.line.trim_end().len(), |token| token.start)
    }

    pub(super) fn is_done(&self) -> bool {
        self.at >= self.tokens.len()
    }

    fn kind(&self, ahead: usize) -> Option<&Kind> {
        self.tokens.get(self.at + ahead).map(|token| &token.kind)
    }

    /// Whether the token that is so far ahead stands right behind the one before it.
    fn is_glued(&self, ahead: usize) -> bool {
        let index = self.at + ahead;
        let before = index.checked_sub(1).and_then(|before| self.tokens.get(before));
        before.zip(self.tokens.get(index)).is_some_and(|(before, token)| before.end == token.start)
    }

    /// What is wrong with the token that is read next.
    pub(super) fn problem(&self, message: impl Into<String>) -> Problem {
        let problem = Problem::new(self.place(), message);
        match self.tokens.get(self.at) {
            Some(token) => problem.to(token.end),
            None => problem,
        }
    }

    /// Something is missing at the end of the line, or something else stands here.
    pub(super) fn expected(&self, what: &str) -> Problem {
        if self.is_done() {
            self.problem(format!("Here the line ends, but {what} is expected."))
        } else {
            self.problem(format!("Here {what} is expected."))
        }
    }

    /// Nothing more may stand in the line.
    pub(super) fn end(&self) -> Result<(), Problem> {
        if self.is_done() {
            return Ok(());
        }
        let problem = self.problem("Nothing more is expected in this line.");
        Err(if self.kind(0) == Some(&Kind::Equals) {
            problem.with_hint("Write name=value without blanks around the =.")
        } else {
            problem.with_hint("One act stands in a line; a comment has a line of its own.")
        })
    }

    /// Whether a name stands next: one token that is no setting's.
    pub(super) fn is_name_next(&self) -> bool {
        let is_alone = !self.is_glued(1) || matches!(self.kind(1), Some(Kind::Comma));
        is_alone && matches!(self.kind(0), Some(Kind::Word(_) | Kind::Text(_)))
    }

    pub(super) fn is_text_next(&self) -> bool {
        matches!(self.kind(0), Some(Kind::Text(_)))
    }

    pub(super) fn is_setting_next(&self) -> bool {
        matches!(self.kind(0), Some(Kind::Word(_)))
            && self.is_glued(1)
            && self.kind(1) == Some(&Kind::Equals)
    }

    /// Whether any setting is still to come.
    pub(super) fn is_setting_ahead(&self) -> bool {
        self.tokens.iter().skip(self.at).any(|token| token.kind == Kind::Equals)
    }

    /// How many things stand next that are no settings, each between blanks.
    pub(super) fn names_ahead(&self) -> usize {
        let mut names = 0;
        for (ahead, token) in self.tokens.iter().skip(self.at).enumerate() {
            match token.kind {
                Kind::Equals => return names - usize::from(self.is_glued(ahead) && names > 0),
                _ if ahead == 0 || !self.is_glued(ahead) => names += 1,
                _ => {}
            }
        }
        names
    }

    /// Whether the line ends with the word `nothing`.
    pub(super) fn is_nothing_last(&self) -> bool {
        matches!(self.tokens.last(), Some(Token { kind: Kind::Word(word), .. }) if word == "nothing")
    }

    /// The key of a header: a name or bytes.
    pub(super) fn header_key(&mut self, what: &str) -> Result<Bytes, Problem> {
        let key = match self.kind(0) {
            Some(Kind::Word(key) | Kind::Text(key)) => Bytes::from(key.as_str()),
            Some(Kind::Hex(key)) => Bytes::from(key.clone()),
            _ => return Err(self.expected(what)),
        };
        self.at += 1;
        Ok(key)
    }

    /// A name: a word, or text in quotes.
    pub(super) fn name(&mut self, what: &str) -> Result<String, Problem> {
        let name = match self.kind(0) {
            Some(Kind::Word(name) | Kind::Text(name)) if !self.is_glued(1) => name.clone(),
            Some(Kind::Word(_) | Kind::Text(_)) => {
                let problem = self.problem(format!("Here {what} is expected."));
                return Err(problem.with_hint("A name with signs of its own stands in quotes."));
            }
            _ => return Err(self.expected(what)),
        };
        self.at += 1;
        Ok(name)
    }

    /// The word that stands next, without quotes, if one does; it is read then.
    pub(super) fn keyword(&mut self, word: &str) -> bool {
        let is_it = matches!(self.kind(0), Some(Kind::Word(next)) if next == word)
            && !(self.is_glued(1) && self.kind(1) == Some(&Kind::Equals));
        self.at += usize::from(is_it);
        is_it
    }

    /// The word that stands next, without quotes.
    pub(super) fn word(&mut self, what: &str) -> Result<String, Problem> {
        match self.kind(0) {
            Some(Kind::Word(word)) => {
                let word = word.clone();
                self.at += 1;
                Ok(word)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// The rest of the run of tokens up to the next blank, as it was written.
    fn raw(&mut self, what: &str) -> Result<&'a str, Problem> {
        let (first, start) = (self.at, self.place());
        if self.is_done() {
            return Err(self.expected(what));
        }
        loop {
            match self.kind(0) {
                Some(Kind::Text(_) | Kind::Hex(_)) => {
                    let problem = self.problem("A quote does not stand in the middle of a word.");
                    return Err(problem.with_hint("Put all of it into quotes."));
                }
                _ => self.at += 1,
            }
            if !self.is_glued(0) {
                break;
            }
        }
        let end = self.tokens.get(self.at - 1).map_or(start, |token| token.end);
        debug_assert!(self.at > first);
        Ok(self.line.get(start..end).unwrap_or_default())
    }

    /// A setting or a word that stands alone; none at the end of the line.
    pub(super) fn item(&mut self) -> Result<Option<Item>, Problem> {
        let (name, quoted) = match self.kind(0) {
            None => return Ok(None),
            Some(Kind::Word(name)) => (name.clone(), false),
            Some(Kind::Text(name)) => (name.clone(), true),
            Some(_) => return Err(self.expected("a setting, as name=value,")),
        };
        if self.is_glued(1) && self.kind(1) == Some(&Kind::Equals) {
            self.at += 2;
            let sign = (!quoted).then(|| name.chars().last()).flatten();
            let sign = sign.filter(|sign| matches!(sign, '+' | '-'));
            let name = sign.and_then(|sign| name.strip_suffix(sign)).unwrap_or(&name).to_owned();
            return Ok(Some(Item::Setting { name, quoted, sign }));
        }
        let sign = match self.kind(1) {
            Some(Kind::Word(sign)) if quoted && self.is_glued(1) => match sign.as_str() {
                "+" => Some('+'),
                "-" => Some('-'),
                _ => None,
            },
            _ => None,
        };
        if sign.is_some() && self.is_glued(2) && self.kind(2) == Some(&Kind::Equals) {
            self.at += 3;
            return Ok(Some(Item::Setting { name, quoted, sign }));
        }
        if quoted {
            return Err(self.expected("a setting, as name=value,"));
        }
        self.at += 1;
        Ok(Some(Item::Word(name)))
    }

    /// A value right behind its `=`.
    fn value_stands(&self, what: &str) -> Result<(), Problem> {
        if self.is_glued(0) {
            return Ok(());
        }
        let end = self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).map_or(0, |t| t.end);
        Err(Problem::new(end, format!("Right behind the = {what} is expected."))
            .with_hint("No blank stands there; empty text is written \"\"."))
    }

    /// A value as text, in quotes or as it stands.
    pub(super) fn text(&mut self, what: &str) -> Result<String, Problem> {
        self.value_stands(what)?;
        self.loose_text(what)
    }

    /// Text that need not stand right behind something.
    pub(super) fn loose_text(&mut self, what: &str) -> Result<String, Problem> {
        match self.kind(0) {
            Some(Kind::Text(text)) if !self.is_glued(1) => {
                let text = text.clone();
                self.at += 1;
                Ok(text)
            }
            _ => Ok(self.raw(what)?.to_owned()),
        }
    }

    /// Text, or the word `none`.
    pub(super) fn optional_text(&mut self, what: &str) -> Result<Option<String>, Problem> {
        self.value_stands(what)?;
        Ok(if self.keyword("none") { None } else { Some(self.text(what)?) })
    }

    /// Bytes: text in quotes or hex, or `none`.
    pub(super) fn bytes(&mut self, what: &str) -> Result<Option<Bytes>, Problem> {
        self.value_stands(what)?;
        self.loose_bytes(what)
    }

    /// Bytes that need not stand right behind something.
    pub(super) fn loose_bytes(&mut self, what: &str) -> Result<Option<Bytes>, Problem> {
        let bytes = match self.kind(0) {
            Some(Kind::Text(text)) => Some(Bytes::from(text.as_str())),
            Some(Kind::Hex(bytes)) => Some(Bytes::from(bytes.clone())),
            Some(Kind::Word(word)) if word == "none" => None,
            _ => {
                return Err(self.expected(what).with_hint(
                    "Bytes are written \"text\" or x\"00ff\"; none is no bytes at all.",
                ));
            }
        };
        self.at += 1;
        let may_follow = !self.is_glued(0) || matches!(self.kind(0), Some(Kind::Comma));
        if may_follow { Ok(bytes) } else { Err(self.expected("a blank")) }
    }

    /// A comma, if one stands next.
    pub(super) fn comma(&mut self) -> bool {
        let is_it = self.kind(0) == Some(&Kind::Comma);
        self.at += usize::from(is_it);
        is_it
    }

    /// An `=`, if one stands next.
    pub(super) fn equals(&mut self) -> bool {
        let is_it = self.kind(0) == Some(&Kind::Equals);
        self.at += usize::from(is_it);
        is_it
    }

    /// A number right behind its `=`.
    pub(super) fn number<T: FromStr>(&mut self, what: &str) -> Result<T, Problem> {
        self.value_stands(what)?;
        self.loose_number(what)
    }

    /// A number of a type; what does not fit it is refused.
    pub(super) fn loose_number<T: FromStr>(&mut self, what: &str) -> Result<T, Problem> {
        let number = match self.kind(0) {
            Some(Kind::Word(word)) => word.parse().ok(),
            _ => None,
        };
        let may_follow = !self.is_glued(1) || matches!(self.kind(1), Some(Kind::Comma));
        let number = number.filter(|_| may_follow).ok_or_else(|| self.expected(what))?;
        self.at += 1;
        Ok(number)
    }

    /// A time right behind its `=`.
    pub(super) fn time(&mut self) -> Result<When, Problem> {
        self.value_stands(TIME)?;
        self.loose_time()
    }

    /// A time that does not depend on the clock, in milliseconds since 1970.
    pub(super) fn moment(&mut self) -> Result<i64, Problem> {
        let problem = self.expected(TIME);
        match self.loose_time()? {
            When::At(ms) => Ok(ms),
            When::After(_) => {
                Err(problem.with_hint("Write 2023-11-14T22:13:20Z, or milliseconds since 1970."))
            }
        }
    }

    pub(super) fn loose_time(&mut self) -> Result<When, Problem> {
        let when = match self.kind(0) {
            Some(Kind::Word(word)) if !self.is_glued(1) => when(word),
            _ => None,
        };
        let when = when.ok_or_else(|| {
            self.expected(TIME).with_hint(
                "Write 2023-11-14T22:13:20Z, milliseconds since 1970, or +5s: so long after the \
                 clock, with ms, s, m, h or d.",
            )
        })?;
        self.at += 1;
        Ok(when)
    }

    /// A partition as `orders-0`. Which topic that is, the last `-` before the number says.
    pub(super) fn partition(&mut self) -> Result<TopicPartition, Problem> {
        let found = self.partition_ahead().ok_or_else(|| {
            self.expected("a partition").with_hint("A partition is written topic-number: orders-0.")
        });
        let (at, tokens) = found?;
        self.at += tokens;
        Ok(at)
    }

    fn partition_ahead(&self) -> Option<(TopicPartition, usize)> {
        match self.kind(0)? {
            Kind::Word(word) => {
                let (topic, number) = word.rsplit_once('-')?;
                let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
                let number = number.parse().ok().filter(|_| is_number && !topic.is_empty())?;
                Some((TopicPartition::new(topic, number), 1))
            }
            Kind::Text(topic) if self.is_glued(1) => match self.kind(1)? {
                Kind::Word(number) => {
                    let number = number.strip_prefix('-')?.parse().ok()?;
                    Some((TopicPartition::new(topic, number), 2))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// A partition and an offset in it, as `orders-0@17`.
    pub(super) fn offset_at(&mut self) -> Result<(TopicPartition, i64), Problem> {
        let problem = self
            .expected("an offset in a partition")
            .with_hint("It is written topic-number@offset: orders-0@17.");
        let word = match (self.kind(0), self.kind(1)) {
            (Some(Kind::Text(topic)), Some(Kind::Word(rest))) if self.is_glued(1) => {
                Some((topic.clone(), rest.strip_prefix('-').map(str::to_owned), 2))
            }
            (Some(Kind::Word(word)), _) => word.rsplit_once('@').and_then(|(place, offset)| {
                let (topic, number) = place.rsplit_once('-')?;
                Some((topic.to_owned(), Some(format!("{number}@{offset}")), 1))
            }),
            _ => None,
        };
        let found = word.and_then(|(topic, rest, tokens)| {
            let rest = rest?;
            let (number, offset) = rest.split_once('@')?;
            let at = TopicPartition::new(&topic, number.parse().ok()?);
            Some(((at, offset.parse().ok()?), tokens))
        });
        let (found, tokens) = found.ok_or(problem)?;
        self.at += tokens;
        Ok(found)
    }

    /// What separates the names of a list, each a word or text in quotes.
    pub(super) fn list(&mut self, what: &str) -> Result<Vec<String>, Problem> {
        let mut names = Vec::new();
        loop {
            match self.kind(0) {
                Some(Kind::Word(name) | Kind::Text(name)) => names.push(name.clone()),
                _ => return Err(self.expected(what)),
            }
            self.at += 1;
            if !self.is_glued(0) {
                return Ok(names);
            }
            if !self.comma() {
                return Err(self.expected("a comma or a blank"));
            }
        }
    }

    /// The rest of the line as it was written, without the blanks around it.
    pub(super) fn rest(line: &'a str, word: &str) -> &'a str {
        line.trim().get(word.len()..).unwrap_or_default().trim()
    }
}

const TIME: &str = "a time";

fn when(word: &str) -> Option<When> {
    if word.starts_with(['+', '-'])
        && let Some(ms) = parse_span(word)
    {
        return Some(When::After(ms));
    }
    parse_iso(word).or_else(|| word.parse().ok()).map(When::At)
}

impl Reader<'_> {
    /// One name of a list whose commas the caller reads.
    pub(super) fn list_name(&mut self, what: &str) -> Result<String, Problem> {
        match self.kind(0) {
            Some(Kind::Word(name) | Kind::Text(name)) => {
                let name = name.clone();
                self.at += 1;
                Ok(name)
            }
            _ => Err(self.expected(what)),
        }
    }
}
