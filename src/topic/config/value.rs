//! One value of a config: how Kafka reads it, checks it and prints it.
//!
//! Source: `org.apache.kafka.common.config.ConfigDef` (`parseType`, `Range`, `ValidString`,
//! `ValidList`) and `ThrottledReplicaListValidator`, Apache Kafka 4.4.0.

use std::fmt;

use super::number::{double_to_text, parse_double, parse_whole, trim};
use crate::error::{Error, ErrorCode, Result};

/// The type of a config's value, printed as `DescribeConfigs` prints it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigType {
    /// `true` or `false`.
    Boolean,
    /// A whole number of 32 bits.
    Int,
    /// A whole number of 64 bits.
    Long,
    /// A floating-point number.
    Double,
    /// A text.
    String,
    /// Texts with commas between.
    List,
}

impl fmt::Display for ConfigType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Boolean => "BOOLEAN",
            Self::Int => "INT",
            Self::Long => "LONG",
            Self::Double => "DOUBLE",
            Self::String => "STRING",
            Self::List => "LIST",
        })
    }
}

/// Which values of its type a config allows. Printed as Kafka prints its validators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// All of them.
    Any,
    /// That number or more.
    AtLeast(i64),
    /// Numbers from the first to the second.
    Between(i64, i64),
    /// Numbers from the first to the second, and the third.
    BetweenOr(i64, i64, i64),
    /// One of these texts; in a list, each of them.
    OneOf(&'static [&'static str]),
    /// `*`, or pairs of partition and broker.
    Replicas,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => Ok(()),
            Self::AtLeast(least) => write!(f, "[{least},...]"),
            Self::Between(least, most) => write!(f, "[{least},...,{most}]"),
            Self::BetweenOr(least, most, or) => write!(f, "[{least},...,{most}] or {or}"),
            Self::OneOf(texts) => write!(f, "[{}]", texts.join(", ")),
            Self::Replicas => f.write_str("[partitionId]:[brokerId],[partitionId]:[brokerId],..."),
        }
    }
}

/// A value that was read. Printed as a description prints it.
#[derive(Debug, Clone, PartialEq)]
pub enum ConfigValue {
    /// Of a [`ConfigType::Boolean`].
    Boolean(bool),
    /// Of a [`ConfigType::Int`] or [`ConfigType::Long`].
    Whole(i64),
    /// Of a [`ConfigType::Double`].
    Double(f64),
    /// Of a [`ConfigType::String`].
    Text(String),
    /// Of a [`ConfigType::List`].
    List(Vec<String>),
}

impl fmt::Display for ConfigValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean(is) => is.fmt(f),
            Self::Whole(number) => number.fmt(f),
            Self::Double(number) => f.write_str(&double_to_text(*number)),
            Self::Text(text) => f.write_str(text),
            Self::List(texts) => f.write_str(&texts.join(",")),
        }
    }
}

pub(super) fn invalid(message: String) -> Error {
    Error::broker(ErrorCode::InvalidConfig, message)
        .with_hint("The list of the topic's configs says which values each may have.")
}

fn invalid_value(name: &str, value: &dyn fmt::Display, why: &dyn fmt::Display) -> Error {
    invalid(format!("Invalid value {value} for configuration {name}: {why}"))
}

/// Reads a value as it was given, and checks it.
pub(crate) fn read(name: &str, kind: ConfigType, rule: Rule, given: &str) -> Result<ConfigValue> {
    let mut value = parse(name, kind, given)?;
    if let (Rule::OneOf(_), ConfigValue::List(texts)) = (rule, &mut value) {
        // Repeats are dropped before anything is checked.
        let mut seen = std::collections::BTreeSet::new();
        texts.retain(|text| seen.insert(text.clone()));
    }
    check(name, rule, &value)?;
    Ok(value)
}

fn parse(name: &str, kind: ConfigType, given: &str) -> Result<ConfigValue> {
    let text = trim(given);
    let not_a_number = || invalid_value(name, &given, &format_args!("Not a number of type {kind}"));
    Ok(match kind {
        ConfigType::Boolean if text.eq_ignore_ascii_case("true") => ConfigValue::Boolean(true),
        ConfigType::Boolean if text.eq_ignore_ascii_case("false") => ConfigValue::Boolean(false),
        ConfigType::Boolean => {
            return Err(invalid_value(name, &given, &"Expected value to be either true or false"));
        }
        ConfigType::Int => {
            let number = parse_whole(text).filter(|&number| i32::try_from(number).is_ok());
            ConfigValue::Whole(number.ok_or_else(not_a_number)?)
        }
        ConfigType::Long => ConfigValue::Whole(parse_whole(text).ok_or_else(not_a_number)?),
        ConfigType::Double => ConfigValue::Double(parse_double(text).ok_or_else(not_a_number)?),
        ConfigType::String => ConfigValue::Text(text.to_owned()),
        ConfigType::List if text.is_empty() => ConfigValue::List(Vec::new()),
        // Spaces around a comma belong to it.
        ConfigType::List => {
            let is_space = |c: char| c.is_ascii_whitespace() || c == '\u{b}';
            ConfigValue::List(
                text.split(',').map(|one| one.trim_matches(is_space).to_owned()).collect(),
            )
        }
    })
}

fn check(name: &str, rule: Rule, value: &ConfigValue) -> Result {
    match (rule, value) {
        (Rule::AtLeast(least), _) => check_range(name, value, least, None),
        (Rule::Between(least, most), _) => check_range(name, value, least, Some(most)),
        (Rule::BetweenOr(least, most, or), &ConfigValue::Whole(number))
            if number != or && !(least..=most).contains(&number) =>
        {
            let why = format_args!("Value must be between {least} and {most} or equal to {or}");
            Err(invalid_value(name, value, &why))
        }
        (Rule::OneOf(allowed), ConfigValue::Text(text)) => check_text(name, allowed, text),
        (Rule::OneOf(allowed), ConfigValue::List(texts)) => texts.iter().try_for_each(|text| {
            if text.is_empty() {
                return Err(invalid(format!("Configuration '{name}' values must not be empty.")));
            }
            check_text(name, allowed, text)
        }),
        (Rule::Replicas, ConfigValue::List(texts)) => check_replicas(name, texts),
        _ => Ok(()),
    }
}

/// No number but not-a-number is neither too small nor too large.
fn check_range(name: &str, value: &ConfigValue, least: i64, most: Option<i64>) -> Result {
    let (is_below, is_above) = match *value {
        ConfigValue::Whole(number) => (number < least, most.is_some_and(|most| number > most)),
        ConfigValue::Double(number) => {
            (number < least as f64, most.is_some_and(|most| number > most as f64))
        }
        _ => (false, false),
    };
    match most {
        _ if is_below => {
            Err(invalid_value(name, value, &format_args!("Value must be at least {least}")))
        }
        Some(most) if is_above => {
            Err(invalid_value(name, value, &format_args!("Value must be no more than {most}")))
        }
        _ => Ok(()),
    }
}

fn check_text(name: &str, allowed: &[&str], text: &str) -> Result {
    if allowed.contains(&text) {
        return Ok(());
    }
    let why = format!("String must be one of: {}", allowed.join(", "));
    Err(invalid_value(name, &text, &why))
}

fn check_replicas(name: &str, texts: &[String]) -> Result {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let is_pair = |text: &String| {
        text.is_empty()
            || text.split_once(':').is_some_and(|(one, two)| is_number(one) && is_number(two))
    };
    if texts.concat() == "*" || texts.iter().all(is_pair) {
        return Ok(());
    }
    let why = format!(
        "{name} must be the literal '*' or a list of replicas in the following format: {}",
        Rule::Replicas
    );
    Err(invalid_value(name, &format_args!("[{}]", texts.join(", ")), &why))
}
