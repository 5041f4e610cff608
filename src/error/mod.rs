//! What is refused, by whom and in which words.
//!
//! An [`Error`] keeps Kafka's own text apart from ours: [`Error::message`] is what a user of
//! Kafka's Java client would read, byte for byte where Kafka has a text at all; [`Error::hint`]
//! is the way out, in Loglanes's words.

mod codes;

use std::borrow::Cow;
use std::fmt;

pub use codes::ErrorCode;

/// The result of everything in this crate that can be refused.
pub type Result<T = (), E = Error> = std::result::Result<T, E>;

/// Who refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Refusal {
    /// The broker: a row of Kafka's error table.
    Broker(ErrorCode),
    /// Kafka's client library, by a Java exception of its own.
    Client {
        /// The class without its package, such as `NoOffsetForPartitionException`.
        exception: &'static str,
        /// The row of the table that the exception belongs to, if to any: a client that gives up
        /// waiting raises the same `TimeoutException` as it does for a broker's answer.
        code: Option<ErrorCode>,
    },
    /// A limit of Loglanes itself, named after its constant. A real cluster might accept this.
    Limit(&'static str),
    /// Bytes that are not what they claim to be: a snapshot, a file, a batch.
    Corrupt,
    /// The request makes no sense to Loglanes, whatever Kafka would say: an unknown group
    /// member, a command while an import runs.
    Loglanes,
}

impl Refusal {
    /// Who, in a word: `broker`, `client`, `limit`, `corrupt` or `loglanes`.
    #[must_use]
    pub const fn by(self) -> &'static str {
        match self {
            Self::Broker(_) => "broker",
            Self::Client { .. } => "client",
            Self::Limit(_) => "limit",
            Self::Corrupt => "corrupt",
            Self::Loglanes => "loglanes",
        }
    }
}

/// Why an act was refused. A refused act has changed nothing.
///
/// ```
/// use loglanes::{Error, ErrorCode};
///
/// let error = Error::broker(ErrorCode::InvalidPartitions, "Topic already has 6 partition(s).")
///     .with_hint("Ask for more than 6: partitions can only be added.");
/// assert_eq!(error.code(), Some(37));
/// assert_eq!(error.name(), "INVALID_PARTITIONS");
/// assert_eq!(error.message(), "Topic already has 6 partition(s).");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Inner {
    refusal: Refusal,
    message: Cow<'static, str>,
    hint: Cow<'static, str>,
}

impl Error {
    fn new(refusal: Refusal, message: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Inner { refusal, message: message.into(), hint: Cow::Borrowed("") }))
    }

    /// A broker's refusal in a text of its own.
    #[must_use]
    pub fn broker(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Refusal::Broker(code), message)
    }

    /// A broker's refusal by code alone: the client fills in the table's text.
    #[must_use]
    pub fn code_alone(code: ErrorCode) -> Self {
        Self::new(Refusal::Broker(code), code.message())
    }

    /// A refusal by Kafka's client library, named by its Java exception.
    #[must_use]
    pub fn client(exception: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Refusal::Client { exception, code: None }, message)
    }

    /// A refusal by Kafka's client library in an exception that a broker's answer could cause,
    /// too: no broker has sent this code.
    ///
    /// ```
    /// use loglanes::{Error, ErrorCode, Refusal};
    ///
    /// let error = Error::client_code(ErrorCode::RequestTimedOut, "Topic t not present in metadata after 60000 ms.");
    /// assert_eq!((error.code(), error.name()), (Some(7), "REQUEST_TIMED_OUT"));
    /// assert_eq!(error.refusal().by(), "client");
    /// ```
    #[must_use]
    pub fn client_code(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Refusal::Client { exception: code.exception(), code: Some(code) }, message)
    }

    /// A limit of Loglanes itself was passed; `limit` is the name of its constant.
    #[must_use]
    pub fn limit(limit: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Refusal::Limit(limit), message)
    }

    /// Bytes that are not what they claim to be.
    #[must_use]
    pub fn corrupt(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Refusal::Corrupt, message)
    }

    /// Loglanes itself cannot do that, whatever Kafka would say.
    #[must_use]
    pub fn loglanes(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Refusal::Loglanes, message)
    }

    /// The same error with a way out for the reader.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<Cow<'static, str>>) -> Self {
        self.0.hint = hint.into();
        self
    }

    /// Who refused.
    #[must_use]
    pub fn refusal(&self) -> Refusal {
        self.0.refusal
    }

    /// Kafka's code, where Kafka has one.
    #[must_use]
    pub fn code(&self) -> Option<i16> {
        match self.0.refusal {
            Refusal::Broker(code) | Refusal::Client { code: Some(code), .. } => Some(code.code()),
            _ => None,
        }
    }

    /// Kafka's name of the error, the Java exception, the name of our limit, or
    /// `CORRUPT_BYTES` and `LOGLANES` for what Kafka does not know.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self.0.refusal {
            Refusal::Broker(code) | Refusal::Client { code: Some(code), .. } => code.name(),
            Refusal::Client { exception: name, code: None } | Refusal::Limit(name) => name,
            Refusal::Corrupt => "CORRUPT_BYTES",
            Refusal::Loglanes => "LOGLANES",
        }
    }

    /// What a user of Kafka's Java client reads, or our own sentence.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The way out, in our words; empty where the message already says it.
    #[must_use]
    pub fn hint(&self) -> &str {
        &self.0.hint
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code() {
            Some(code) => write!(f, "{} ({code}): {}", self.name(), self.message())?,
            None => write!(f, "{}: {}", self.name(), self.message())?,
        }
        if !self.hint().is_empty() {
            write!(f, " {}", self.hint())?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
