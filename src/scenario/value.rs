//! What an expectation measures and wants: numbers, names, bytes, places, and lists of them.

use std::fmt;

use super::Problem;
use super::print::{Place, Word};
use super::reader::Reader;
use super::time::print_time;
use crate::Bytes;
use crate::command::text::OrNone;
use crate::group::TopicPartition;

/// Something measured.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// There is none.
    None,
    /// A whole number.
    Whole(i64),
    /// A number.
    Number(f64),
    /// A key, a value: none, empty and some bytes are three things.
    Bytes(Option<Bytes>),
    /// A name.
    Name(String),
    /// Milliseconds since 1970.
    Time(i64),
    /// A partition.
    Partition(TopicPartition),
    /// An offset in a partition.
    Offset(TopicPartition, i64),
    /// Some of them, in order.
    List(Vec<Value>),
}

/// Of which kind the value of a measure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Whole,
    Number,
    Bytes,
    Name,
    Time,
    Partition,
    Offset,
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Whole(number) => number.fmt(f),
            Self::Number(number) => number.fmt(f),
            Self::Bytes(bytes) => OrNone(bytes.as_ref()).fmt(f),
            Self::Name(name) => Word(name).fmt(f),
            Self::Time(ms) => f.write_str(&print_time(*ms)),
            Self::Partition(at) => Place(&at.topic, at.partition).fmt(f),
            Self::Offset(at, offset) => write!(f, "{}@{offset}", Place(&at.topic, at.partition)),
            Self::List(values) if values.is_empty() => f.write_str("nothing"),
            Self::List(values) => values.iter().enumerate().try_for_each(|(index, value)| {
                f.write_str(if index == 0 { "" } else { "," })?;
                value.fmt(f)
            }),
        }
    }
}

impl Value {
    pub(super) fn name(name: impl Into<String>) -> Self {
        Self::Name(name.into())
    }

    /// A number to compare with.
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Whole(number) | Self::Time(number) => Some(*number as f64),
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The value of a kind that is read next.
    pub(super) fn read(reader: &mut Reader<'_>, kind: Kind) -> Result<Self, Problem> {
        if kind != Kind::Bytes && reader.keyword("none") {
            return Ok(Self::None);
        }
        Ok(match kind {
            Kind::Whole => Self::Whole(reader.loose_number("a whole number")?),
            Kind::Number => Self::Number(reader.loose_number("a number")?),
            Kind::Bytes => Self::Bytes(reader.loose_bytes("bytes, or none")?),
            Kind::Name => Self::Name(reader.loose_text("a name")?),
            Kind::Time => Self::Time(reader.moment()?),
            Kind::Partition => Self::Partition(reader.partition()?),
            Kind::Offset => {
                let (at, offset) = reader.offset_at()?;
                Self::Offset(at, offset)
            }
        })
    }

    /// A list of a kind: `nothing`, or values with commas between them. With `or_count`, a whole
    /// number alone is how many there are.
    pub(super) fn read_list(
        reader: &mut Reader<'_>,
        kind: Kind,
        or_count: bool,
    ) -> Result<Self, Problem> {
        if reader.keyword("nothing") {
            return Ok(Self::List(Vec::new()));
        }
        if or_count && let Ok(count) = reader.loose_number("a whole number") {
            return Ok(Self::Whole(count));
        }
        let mut values = Vec::new();
        loop {
            values.push(match kind {
                Kind::Name => Self::Name(reader.list_name("a name")?),
                _ => Self::read(reader, kind)?,
            });
            if !reader.comma() {
                return Ok(Self::List(values));
            }
        }
    }
}
