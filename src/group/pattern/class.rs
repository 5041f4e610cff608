//! Classes of characters: in brackets, behind a backslash, by name.

use super::node::{Node, Set};
use super::parse::Parser;
use super::words::syntax;
use super::{Read, Wrong};

/// What stands behind a backslash, or one character of a class.
pub(super) enum Escaped {
    One(char),
    Many(Set),
    Place(Node),
}

impl Parser {
    /// A class; its `[` is read.
    pub(super) fn class(&mut self) -> Read<Set> {
        let open = self.at - 1;
        let is_not = self.eat('^');
        let mut set = Set::default();
        let mut is_first = true;
        loop {
            let Some(next) = self.peek() else { return Err(self.unclosed_class(open)) };
            if next == ']' && !is_first {
                self.at += 1;
                break;
            }
            is_first = false;
            if next == '[' && self.ahead(1) == Some(':') && !self.is_java {
                if let Some(named) = self.posix()? {
                    set = set.and(named);
                    continue;
                }
            } else if self.is_java && (next == '[' || next == '&' && self.ahead(1) == Some('&')) {
                return Err(Wrong::NotHere("classes within classes"));
            }
            set = set.and(self.class_part(open)?);
        }
        let set = if self.in_any_case { set.in_any_case() } else { set };
        Ok(if is_not { !set } else { set })
    }

    /// A character, a range, or what stands behind a backslash.
    fn class_part(&mut self, open: usize) -> Read<Set> {
        let start = self.at;
        let first = match self.class_character()? {
            Escaped::One(first) => first,
            Escaped::Many(many) => return Ok(many),
            Escaped::Place(_) => return Err(self.bad_escape(start)),
        };
        let is_range = self.peek() == Some('-') && self.ahead(1).is_some_and(|one| one != ']');
        if self.peek() == Some('-') && self.ahead(1).is_none() {
            return Err(if self.is_java {
                syntax("Illegal character range", Some(self.at + 1))
            } else {
                self.unclosed_class(open)
            });
        }
        if !is_range {
            return Ok(Set::one(first));
        }
        self.at += 1;
        let second = self.at;
        let last = match self.class_character()? {
            Escaped::One(last) => last,
            _ if self.is_java => {
                return Err(syntax("Illegal character range", Some(self.at - 1)));
            }
            _ => return Err(self.bad_escape(second)),
        };
        if last < first {
            return Err(if self.is_java {
                syntax("Illegal character range", Some(self.at - 1))
            } else {
                syntax("invalid character class range", None)
            });
        }
        Ok(Set::range(first, last))
    }

    fn class_character(&mut self) -> Read<Escaped> {
        if self.eat('\\') {
            return self.escape();
        }
        let one = self.peek().unwrap_or_default();
        self.at += 1;
        Ok(Escaped::One(one))
    }

    /// `[:alpha:]`; none where it is no such name.
    fn posix(&mut self) -> Read<Option<Set>> {
        let rest: String = self.rest().iter().collect();
        let Some(end) = rest.find(":]") else { return Ok(None) };
        let name = rest.get(2..end).unwrap_or_default();
        let (name, is_not) = name.strip_prefix('^').map_or((name, false), |name| (name, true));
        let set = Set::of(|one| match name {
            "alnum" => one.is_ascii_alphanumeric(),
            "alpha" => one.is_ascii_alphabetic(),
            "ascii" => true,
            "blank" => matches!(one, ' ' | '\t'),
            "cntrl" => one.is_ascii_control(),
            "digit" => one.is_ascii_digit(),
            "graph" => one.is_ascii_graphic(),
            "lower" => one.is_ascii_lowercase(),
            "print" => one.is_ascii_graphic() || one == ' ',
            "punct" => one.is_ascii_punctuation(),
            "space" => one.is_ascii_whitespace() || one == '\u{b}',
            "upper" => one.is_ascii_uppercase(),
            "word" => is_word(one),
            "xdigit" => one.is_ascii_hexdigit(),
            _ => false,
        });
        if set == Set::default() {
            return Err(syntax("invalid character class range", None));
        }
        self.at += rest.get(..end + 2).map_or(0, |read| read.chars().count());
        Ok(Some(if is_not { !set } else { set }))
    }

    /// What stands behind a backslash that is read.
    pub(super) fn escape(&mut self) -> Read<Escaped> {
        let slash = self.at - 1;
        let Some(letter) = self.peek() else {
            return Err(if self.is_java {
                syntax("Unexpected internal error", Some(self.at))
            } else {
                syntax("trailing backslash at end of expression", None)
            });
        };
        self.at += 1;
        if let Some(set) = perl_class(letter) {
            return Ok(Escaped::Many(set));
        }
        Ok(match letter {
            'p' | 'P' => Escaped::Many(self.property(letter == 'P')?),
            'A' => Escaped::Place(Node::Start),
            'z' => Escaped::Place(Node::End),
            'Z' if self.is_java => Escaped::Place(Node::End),
            'b' => Escaped::Place(Node::Border(true)),
            'B' => Escaped::Place(Node::Border(false)),
            'a' => Escaped::One('\u{7}'),
            'f' => Escaped::One('\u{c}'),
            'n' => Escaped::One('\n'),
            'r' => Escaped::One('\r'),
            't' => Escaped::One('\t'),
            'v' if !self.is_java => Escaped::One('\u{b}'),
            'x' => Escaped::One(self.hexadecimal(slash)?),
            '0'..='9' => return self.digits(letter, slash),
            'k' | 'G' | 'R' | 'h' | 'H' | 'v' | 'V' | 'X' | 'N' | 'e' | 'c' | 'u'
                if self.is_java =>
            {
                return Err(Wrong::NotHere("such a sequence behind a backslash"));
            }
            one if one.is_ascii_alphanumeric() => return Err(self.bad_escape(slash)),
            one => Escaped::One(one),
        })
    }

    /// A backslash and digits: in RE2/J a character by its octal number, in Java a group or such a
    /// number.
    fn digits(&mut self, first: char, slash: usize) -> Read<Escaped> {
        if self.is_java && first != '0' {
            return Err(Wrong::NotHere("references to groups"));
        }
        let is_octal = |one: Option<char>| one.is_some_and(|one| matches!(one, '0'..='7'));
        let needs_more = first != '0' || self.is_java;
        if !is_octal(Some(first)) || needs_more && !is_octal(self.peek()) {
            return Err(if self.is_java {
                syntax("Illegal octal escape sequence", Some(self.at))
            } else {
                self.bad_escape(slash)
            });
        }
        let mut code = first.to_digit(8).unwrap_or(0);
        let most = if self.is_java { 3 } else { 2 };
        for _ in 0..most {
            if !is_octal(self.peek()) {
                break;
            }
            code = code * 8 + self.peek().and_then(|one| one.to_digit(8)).unwrap_or(0);
            self.at += 1;
        }
        Ok(Escaped::One(char::from_u32(code).unwrap_or_default()))
    }

    fn hexadecimal(&mut self, slash: usize) -> Read<char> {
        let is_long = self.eat('{');
        let start = self.at;
        while self.peek().is_some_and(|one| one.is_ascii_hexdigit())
            && (is_long || self.at < start + 2)
        {
            self.at += 1;
        }
        let digits: String = self.between(start, self.at);
        let is_whole =
            if is_long { self.eat('}') && !digits.is_empty() } else { digits.len() == 2 };
        let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
        code.filter(|_| is_whole).ok_or_else(|| {
            if self.is_java {
                syntax("Illegal hexadecimal escape sequence", Some(self.at))
            } else {
                self.bad_escape(slash)
            }
        })
    }

    /// `\pL`, `\p{Lu}`: as far as the characters of topics' names tell them apart.
    fn property(&mut self, is_not: bool) -> Read<Set> {
        let name = if self.eat('{') {
            let start = self.at;
            while self.peek().is_some_and(|one| one != '}') {
                self.at += 1;
            }
            let name = self.between(start, self.at);
            self.at += 1;
            name
        } else {
            self.at += 1;
            self.between(self.at - 1, self.at)
        };
        let (name, is_not) = match name.strip_prefix('^').filter(|_| !self.is_java) {
            Some(name) => (name.to_owned(), !is_not),
            None => (name, is_not),
        };
        let found = if self.is_java { java_property(&name) } else { re2_property(&name) };
        let set = found.ok_or_else(|| {
            if self.is_java {
                let what = format!("Unknown character property name {{{name}}}");
                syntax(what, Some(self.at - 1))
            } else {
                syntax("invalid character class range", None)
            }
        })?;
        let set = if self.in_any_case { set.in_any_case() } else { set };
        Ok(if is_not { !set } else { set })
    }

    fn unclosed_class(&self, open: usize) -> Wrong {
        if self.is_java {
            syntax("Unclosed character class", Some((self.at - 1).max(open)))
        } else {
            syntax("missing closing ]", None)
        }
    }

    fn bad_escape(&self, slash: usize) -> Wrong {
        if self.is_java {
            syntax("Illegal/unsupported escape sequence", Some(slash + 1))
        } else {
            syntax("invalid escape sequence", None)
        }
    }
}

/// A general category of Unicode, of which only ASCII counts here.
fn category(name: &str) -> Option<Set> {
    const OTHERS: [&str; 19] = [
        "Lt", "Lm", "Lo", "M", "Mn", "Me", "Mc", "Nl", "No", "Zl", "Zp", "Cf", "Co", "Cs", "Pi",
        "Pf", "So", "Cn", "LC",
    ];
    let of = |characters: &str| Set::of(|one| characters.contains(one));
    Some(match name {
        "L" => Set::of(|one| one.is_ascii_alphabetic()),
        "Lu" => Set::of(|one| one.is_ascii_uppercase()),
        "Ll" => Set::of(|one| one.is_ascii_lowercase()),
        "N" | "Nd" => Set::of(|one| one.is_ascii_digit()),
        "Z" | "Zs" => of(" "),
        "C" | "Cc" => Set::of(|one| one.is_ascii_control()),
        "P" => Set::of(|one| one.is_ascii_punctuation()).without(of("$+<=>^`|~")),
        "Pd" => of("-"),
        "Pc" => of("_"),
        "Ps" => of("([{"),
        "Pe" => of(")]}"),
        "Po" => of("!\"#%&'*,./:;?@\\"),
        "S" => of("$+<=>^`|~"),
        "Sm" => of("+<=>|~"),
        "Sc" => of("$"),
        "Sk" => of("^`"),
        _ if OTHERS.contains(&name) => Set::default(),
        _ => return None,
    })
}

/// A script: all letters of ASCII are Latin. Of those that have none in ASCII the best known are here.
fn script(name: &str) -> Option<Set> {
    const OTHERS: [&str; 14] = [
        "Arabic",
        "Armenian",
        "Bengali",
        "Cyrillic",
        "Devanagari",
        "Georgian",
        "Greek",
        "Han",
        "Hangul",
        "Hebrew",
        "Hiragana",
        "Katakana",
        "Tamil",
        "Thai",
    ];
    let letters = Set::of(|one| one.is_ascii_alphabetic());
    match name {
        "Latin" => Some(letters),
        "Common" => Some(!letters),
        _ => OTHERS.contains(&name).then(Set::default),
    }
}

/// Source: `com.google.re2j.UnicodeTables`.
fn re2_property(name: &str) -> Option<Set> {
    match name {
        "Any" => Some(!Set::default()),
        "Cn" | "LC" => None,
        _ => category(name).or_else(|| script(name)),
    }
}

/// Source: `java.util.regex.CharPredicates`, `Pattern.family`.
fn java_property(name: &str) -> Option<Set> {
    if let Some(name) = name.strip_prefix("Is") {
        return match name {
            "Alphabetic" | "Letter" => category("L"),
            "Uppercase" => category("Lu"),
            "Lowercase" => category("Ll"),
            "Digit" => category("N"),
            "Punctuation" => category("P"),
            "Control" => category("C"),
            _ => category(name).or_else(|| script(name)),
        };
    }
    Some(match name {
        "Lower" => Set::of(|one| one.is_ascii_lowercase()),
        "Upper" => Set::of(|one| one.is_ascii_uppercase()),
        "ASCII" | "L1" | "all" => !Set::default(),
        "Alpha" => Set::of(|one| one.is_ascii_alphabetic()),
        "Digit" => Set::of(|one| one.is_ascii_digit()),
        "Alnum" | "LD" => Set::of(|one| one.is_ascii_alphanumeric()),
        "Punct" => Set::of(|one| one.is_ascii_punctuation()),
        "Graph" => Set::of(|one| one.is_ascii_graphic()),
        "Print" => Set::of(|one| one.is_ascii_graphic() || one == ' '),
        "Blank" => Set::of(|one| matches!(one, ' ' | '\t')),
        "Cntrl" => Set::of(|one| one.is_ascii_control()),
        "XDigit" => Set::of(|one| one.is_ascii_hexdigit()),
        "Space" => Set::of(|one| matches!(one, ' ' | '\t'..='\r')),
        _ => return category(name),
    })
}

fn is_word(one: char) -> bool {
    one.is_ascii_alphanumeric() || one == '_'
}

/// `\d`, `\s`, `\w` and their opposites: in both languages of ASCII alone.
fn perl_class(letter: char) -> Option<Set> {
    let set = match letter.to_ascii_lowercase() {
        'd' => Set::of(|one| one.is_ascii_digit()),
        's' => Set::of(|one| matches!(one, ' ' | '\t' | '\n' | '\r' | '\u{c}')),
        'w' => Set::of(is_word),
        _ => return None,
    };
    Some(if letter.is_ascii_uppercase() { !set } else { set })
}
