//! Subscribing by pattern: all topics whose whole name matches.
//!
//! Two languages, as in Kafka's consumer: that of `java.util.regex.Pattern`, which the consumer
//! itself matches with, and RE2/J, which the broker does, with the consumer protocol alone. What
//! Java has and RE2/J has not (looking ahead and behind, references to groups, possessive and
//! atomic groups, classes within classes) is refused here, and said to be our limit.
//!
//! Sources: `KafkaConsumer.subscribe(Pattern)` and `subscribe(SubscriptionPattern)`,
//! `com.google.re2j.Parser`, `java.util.regex.Pattern`, Apache Kafka 4.4.0 on Java 17.

mod class;
mod node;
mod parse;
mod words;

use std::fmt;

use serde::{Deserialize, Serialize};

use super::GroupProtocol;
use crate::error::{Error, ErrorCode, Result};
use node::Node;
use parse::Parser;

/// The longest pattern, in bytes. A limit of this model.
pub const MAX_PATTERN_BYTES: usize = 1_000;

/// How deep groups may lie in each other in a pattern. A limit of this model.
pub const MAX_PATTERN_DEPTH: usize = 100;

/// A pattern of topics' names that a consumer subscribes to.
///
/// ```
/// use loglanes::group::TopicPattern;
///
/// let pattern = TopicPattern::Java("orders-(eu|us)".to_owned());
/// let names = ["orders-eu", "orders-eu-old", "my-orders-eu"];
/// assert_eq!(pattern.matching(names)?, ["orders-eu"], "all of the name, not a part");
/// # Ok::<(), loglanes::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TopicPattern {
    /// `java.util.regex.Pattern`, matched by the consumer.
    Java(String),
    /// RE2/J, matched by the broker: with the consumer protocol alone.
    Re2(String),
}

impl TopicPattern {
    /// The pattern itself.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Java(text) | Self::Re2(text) => text,
        }
    }

    /// `pattern` or `re2`, as a scenario has it.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Java(_) => "pattern",
            Self::Re2(_) => "re2",
        }
    }

    /// Those of the names that match.
    ///
    /// # Errors
    ///
    /// `IllegalArgumentException` for the empty pattern, `PatternSyntaxException` for one that Java
    /// cannot read, `INVALID_REGULAR_EXPRESSION` (128) for one that RE2/J cannot; a limit of ours.
    pub fn matching<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<Vec<String>> {
        let node = self.read()?;
        let found = names.into_iter().filter(|name| node.matches(name));
        Ok(found.map(str::to_owned).collect())
    }

    /// Whether a consumer of that protocol can subscribe to it.
    ///
    /// # Errors
    ///
    /// Those of [`TopicPattern::matching`]; `UnsupportedOperationException` for RE2/J with the
    /// classic protocol.
    pub(crate) fn check(&self, protocol: GroupProtocol) -> Result {
        if matches!(self, Self::Re2(_)) && protocol == GroupProtocol::Classic {
            return Err(Error::client(
                "UnsupportedOperationException",
                "Subscribe to RE2/J pattern is not supported when usingthe CLASSIC protocol \
                 defined in config group.protocol",
            )
            .with_hint("Choose the consumer protocol, or a pattern of Java's."));
        }
        self.read().map(|_| ())
    }

    fn read(&self) -> Result<Node> {
        let text = self.text();
        if text.is_empty() {
            return Err(Error::client(
                "IllegalArgumentException",
                "Topic pattern to subscribe to cannot be empty",
            )
            .with_hint("The pattern .* is every topic."));
        }
        if text.len() > MAX_PATTERN_BYTES {
            return Err(Error::limit(
                "MAX_PATTERN_BYTES",
                format!("The pattern has {} bytes; {MAX_PATTERN_BYTES} are taken.", text.len()),
            )
            .with_hint("Choose a shorter one."));
        }
        let is_java = matches!(self, Self::Java(_));
        Parser::new(text, is_java).pattern().map_err(|wrong| self.refusal(wrong))
    }

    fn refusal(&self, wrong: Wrong) -> Error {
        match (self, wrong) {
            (_, Wrong::TooDeep) => Error::limit(
                "MAX_PATTERN_DEPTH",
                format!("Groups lie more than {MAX_PATTERN_DEPTH} deep in each other."),
            )
            .with_hint("Choose a simpler pattern."),
            (_, Wrong::NotHere(what)) => {
                Error::loglanes(format!("Loglanes has no {what} in patterns, as Java has."))
                    .with_hint("Say it with letters, classes, groups, | and repetitions.")
            }
            (Self::Re2(text), Wrong::Syntax { what, .. }) => Error::broker(
                ErrorCode::InvalidRegularExpression,
                format!(
                    "Invalid RE2J SubscriptionPattern provided in the call to subscribe. \
                     SubscribedTopicRegex `{text}` is not a valid regular expression: {what}."
                ),
            )
            .with_hint("RE2/J's syntax: letters, . [a-z] (a|b) * + ? {2,3} \\d \\w."),
            (Self::Java(text), Wrong::Syntax { what, at }) => {
                Error::client("PatternSyntaxException", words::java_text(text, &what, at))
                    .with_hint("Java's syntax: letters, . [a-z] (a|b) * + ? {2,3} \\d \\w.")
            }
        }
    }
}

impl fmt::Display for TopicPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// What is wrong with a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Wrong {
    /// It is not of the language: why, in the words of its reader, and where, as Java counts.
    Syntax { what: String, at: Option<usize> },
    /// Java has it, we have not.
    NotHere(&'static str),
    /// See [`MAX_PATTERN_DEPTH`].
    TooDeep,
}

type Read<T> = std::result::Result<T, Wrong>;

#[cfg(test)]
mod tests {
    use super::*;

    fn re2(text: &str) -> Option<String> {
        let refused = TopicPattern::Re2(text.to_owned()).matching([]).err()?;
        assert_eq!(refused.code(), Some(128), "{text}: {refused}");
        let message = refused.message();
        Some(message.split_once("expression: ").unwrap().1.trim_end_matches('.').to_owned())
    }

    /// What RE2/J 1.8 said of each.
    #[test]
    fn patterns_of_re2_are_refused_in_its_words() {
        for text in [
            "t{2",
            "t{1000}",
            "[[:alpha:]]",
            "(?<n>a)",
            "(?P<n>a)",
            "a{,2}",
            "a{2,",
            "|",
            "()",
            "[]a]",
            "a*?",
            "(?i)T",
            "(?i:T)",
            "\\Qa.b\\E",
            "\\x{41}",
            "\\pL",
            "\\d+",
            "(|a)*",
            "[\\d-a]",
            "\\z",
            "\\A",
            "\\b",
            "^a$",
            "[a&&b]",
            "a{0}",
            "\\0",
            "[[a]",
            "a\\_b",
            "a\\-b",
            "\\.",
            "é+",
        ] {
            assert_eq!(re2(text), None, "{text}");
        }
        for (text, what) in [
            ("(t", "missing closing )"),
            ("(?:a", "missing closing )"),
            ("(?:", "missing closing )"),
            ("t)", "regexp/syntax: internal error"),
            ("a)(", "regexp/syntax: internal error"),
            ("[t", "missing closing ]"),
            ("[]", "missing closing ]"),
            ("[^]", "missing closing ]"),
            ("[a-", "missing closing ]"),
            ("*t", "missing argument to repetition operator"),
            ("+", "missing argument to repetition operator"),
            ("a|*", "missing argument to repetition operator"),
            ("{2}", "missing argument to repetition operator"),
            ("t{2,1}", "invalid repeat count"),
            ("t{1001}", "invalid repeat count"),
            ("x{99999}", "invalid repeat count"),
            ("a**", "invalid nested repetition operator"),
            ("a++", "invalid nested repetition operator"),
            ("a{2}{3}", "invalid nested repetition operator"),
            ("a{1}*", "invalid nested repetition operator"),
            ("a\\", "trailing backslash at end of expression"),
            ("(?<n", "invalid named capture"),
            ("(?P<n", "invalid named capture"),
            ("(?<=a)", "invalid named capture"),
            ("(?P<n>a)(?P<n>b)", "duplicate capture group name"),
            ("[b-a]", "invalid character class range"),
            ("\\p{Foo}", "invalid character class range"),
            ("\\p{Lower}", "invalid character class range"),
            ("{?a", "invalid nested repetition operator"),
            ("(_{+){2}", "invalid nested repetition operator"),
            ("(?i)*", "missing argument to repetition operator"),
            ("[[:foo:]]", "invalid character class range"),
            ("\\q", "invalid escape sequence"),
            ("(a)\\1", "invalid escape sequence"),
            ("[a-\\d]", "invalid escape sequence"),
            ("\\Z", "invalid escape sequence"),
            ("\\8", "invalid escape sequence"),
            ("(?z)", "invalid or unsupported Perl syntax"),
            ("(?=a)", "invalid or unsupported Perl syntax"),
            ("(?>a)", "invalid or unsupported Perl syntax"),
            ("(?", "invalid or unsupported Perl syntax"),
            ("(?i", "invalid or unsupported Perl syntax"),
            ("(?P=n)", "invalid or unsupported Perl syntax"),
        ] {
            assert_eq!(re2(text).as_deref(), Some(what), "{text}");
        }
    }

    /// What `java.util.regex.Pattern` of Java 17 said of each.
    #[test]
    fn patterns_of_java_are_refused_in_its_words() {
        let java = |text: &str| {
            let refused = TopicPattern::Java(text.to_owned()).matching([]).err()?;
            Some((refused.name(), refused.message().to_owned()))
        };
        for text in [
            "t{1001}",
            "a*?",
            "(?i)T",
            "\\Qa.b\\E",
            "\\d+",
            "\\pL",
            "^a$",
            "\\Z",
            "a\\-b",
            "(?<n>a)",
        ] {
            assert_eq!(java(text), None, "{text}");
        }
        for (text, what) in [
            ("(t", "Unclosed group near index 2\n(t"),
            ("(?:a", "Unclosed group near index 4\n(?:a"),
            ("t)", "Unmatched closing ')' near index 0\nt)\n^"),
            ("[t", "Unclosed character class near index 1\n[t\n ^"),
            ("*t", "Dangling meta character '*' near index 0\n*t\n^"),
            ("a|*", "Dangling meta character '*' near index 2\na|*\n  ^"),
            ("a**", "Dangling meta character '*' near index 2\na**\n  ^"),
            ("t{2", "Unclosed counted closure near index 3\nt{2"),
            ("t{2,1}", "Illegal repetition range near index 5\nt{2,1}\n     ^"),
            ("a{,2}", "Illegal repetition near index 2\na{,2}\n  ^"),
            ("[b-a]", "Illegal character range near index 3\n[b-a]\n   ^"),
            ("\\q", "Illegal/unsupported escape sequence near index 1\n\\q\n ^"),
            ("(?z)", "Unknown inline modifier near index 2\n(?z)\n  ^"),
            ("{", "Illegal repetition near index 1\n{"),
            ("a|{b", "Illegal repetition near index 3\na|{b\n   ^"),
            ("{1", "Unclosed counted closure near index 2\n{1"),
            ("a{1}{2}*", "Dangling meta character '*' near index 7\na{1}{2}*\n       ^"),
            ("\\Qa.b\\Eb(x", "Unclosed group near index 7\n\\Qa.b\\Eb(x\n       ^"),
        ] {
            assert_eq!(java(text), Some(("PatternSyntaxException", what.to_owned())), "{text}");
        }
        for text in ["(?=a)b", "(?<!a)b", "(a)\\1", "a++", "(?>a)", "[a&&b]", "[a[b]]"] {
            assert_eq!(java(text).map(|(name, _)| name), Some("LOGLANES"), "{text}");
        }
    }

    #[test]
    fn a_name_matches_as_a_whole() {
        let names = ["orders", "orders-eu", "orders-us-2", "Orders", "a.b", "aab", "x_1"];
        let found = |text: &str| {
            let found = TopicPattern::Java(text.to_owned()).matching(names).unwrap();
            assert_eq!(
                found,
                TopicPattern::Re2(text.to_owned()).matching(names).unwrap(),
                "{text}"
            );
            found
        };
        assert_eq!(found(".*").len(), names.len());
        assert_eq!(found("orders"), ["orders"]);
        assert_eq!(found("orders(-.*)?"), ["orders", "orders-eu", "orders-us-2"]);
        assert_eq!(found("(?i)ORDERS"), ["orders", "Orders"]);
        assert_eq!(found("(?i:o)rders"), ["orders", "Orders"]);
        assert_eq!(found("a\\.b"), ["a.b"]);
        assert_eq!(found("a.b"), ["a.b", "aab"]);
        assert_eq!(found("^a{2}b$"), ["aab"]);
        assert_eq!(found("[^a-z].*"), ["Orders"]);
        assert_eq!(found("\\w+\\d"), ["x_1"]);
        assert_eq!(found(".*\\b\\d"), ["orders-us-2"]);
        assert_eq!(found("\\Qa.b\\E|x_1"), ["a.b", "x_1"]);
        assert_eq!(found("\\p{Lu}\\p{Ll}+"), ["Orders"]);
        assert_eq!(found("(((((a*)*)*)*)*)*b"), ["aab"]);
        assert_eq!(found("é*|[:x-]"), Vec::<String>::new());
        assert_eq!(found("\\Qa\\E*b"), ["aab"]);
    }

    /// What `java.util.regex` and RE2/J answered, of patterns made by chance.
    #[test]
    fn the_two_languages_differ_where_theirs_do() {
        let names = ["a", "aa", "aaa", "aaaa", "1", "11"];
        let java = |text: &str| TopicPattern::Java(text.to_owned()).matching(names).unwrap();
        assert_eq!(java("a{1,2}{1,2}"), ["a", "aa"], "the second one repeats nothing");
        assert_eq!(java("a+{2}"), ["a", "aa", "aaa", "aaaa"]);
        assert_eq!(java("{2}1"), ["1"]);
        assert_eq!(java("\\p{Lower}"), ["a"]);
        assert_eq!(java("(?i)\\p{Lu}"), ["a"]);
        assert_eq!(java("\\p{Lo}"), Vec::<String>::new());
        let re2 = |text: &str| TopicPattern::Re2(text.to_owned()).matching(names).unwrap();
        assert_eq!(re2("1(?m)*"), ["1", "11"], "signs lie between a part and its repetition");
        assert_eq!(re2("\\p{Greek}|\\p{Ll}"), ["a"]);
    }

    /// Each repetition here would double the work of the one in it, if nothing were remembered.
    #[test]
    fn repetitions_in_each_other_do_not_multiply() {
        let name = "a".repeat(249);
        for sign in ["*", "+", "{1,3}", "?"] {
            let nested = |text: &str| format!("({text}){sign}");
            let all = (0..MAX_PATTERN_DEPTH).fold("a".to_owned(), |text, _| nested(&text));
            let found = TopicPattern::Re2(all.clone()).matching([name.as_str(), "b"]).unwrap();
            assert_eq!(found.len(), usize::from(sign != "?"), "{sign}");
        }
        assert_eq!(
            TopicPattern::Java(".*".to_owned()).matching(["a".repeat(250).as_str()]),
            Ok(vec![])
        );
    }

    #[test]
    fn a_pattern_has_its_limits() {
        let long = |count: usize| TopicPattern::Java("a".repeat(count)).matching([]);
        assert!(long(MAX_PATTERN_BYTES).is_ok());
        assert_eq!(long(MAX_PATTERN_BYTES + 1).unwrap_err().name(), "MAX_PATTERN_BYTES");
        let deep = |depth: usize| {
            let text = format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
            TopicPattern::Re2(text).matching([])
        };
        assert!(deep(MAX_PATTERN_DEPTH).is_ok());
        assert_eq!(deep(MAX_PATTERN_DEPTH + 1).unwrap_err().name(), "MAX_PATTERN_DEPTH");
    }
}
