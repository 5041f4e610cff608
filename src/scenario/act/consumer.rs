//! Reads how a consumer is set up.

use super::groups::assignor_list;
use super::{WHOLE, plain, set, unknown};
use crate::group::assignor::Assignor;
use crate::group::{ConsumerConfig, GroupProtocol, OffsetReset, TopicPattern};
use crate::log::IsolationLevel;
use crate::scenario::Problem;
use crate::scenario::reader::{Item, Reader};

const KNOWN: [&str; 15] = [
    "reset",
    "protocol",
    "remote-assignor",
    "assignors",
    "instance",
    "auto-commit",
    "max-partition-fetch",
    "isolation",
    "pattern",
    "re2",
    "auto.commit.interval.ms",
    "session.timeout.ms",
    "heartbeat.interval.ms",
    "max.poll.interval.ms",
    "max.poll.records",
];

/// What was set, each at most once.
#[derive(Default)]
struct Given {
    reset: Option<OffsetReset>,
    protocol: Option<GroupProtocol>,
    remote: Option<String>,
    assignors: Option<Vec<Assignor>>,
    instance: Option<String>,
    auto_commit: Option<bool>,
    auto_commit_interval: Option<i32>,
    session_timeout: Option<i32>,
    heartbeat: Option<i32>,
    poll_interval: Option<i32>,
    poll_records: Option<i32>,
    fetch: Option<i32>,
    isolation: Option<IsolationLevel>,
    pattern: Option<TopicPattern>,
}

/// The rest of the line: the settings of a consumer, without its topics.
pub(super) fn consumer(reader: &mut Reader<'_>) -> Result<ConsumerConfig, Problem> {
    let mut given = Given::default();
    loop {
        let at = reader.place();
        let Some(item) = reader.item()? else { break };
        if item == Item::Word("auto-commit".to_owned()) {
            set(&mut given.auto_commit, at, "auto-commit", true)?;
            continue;
        }
        let Some(name) = plain(&item) else { return Err(unknown(at, &item, &KNOWN)) };
        if !given.number(reader, at, name)? && !given.word(reader, at, name)? {
            return Err(unknown(at, &item, &KNOWN));
        }
    }
    let defaults = ConsumerConfig::default();
    Ok(ConsumerConfig {
        topics: Vec::new(),
        pattern: given.pattern,
        auto_offset_reset: given.reset.unwrap_or(defaults.auto_offset_reset),
        protocol: given.protocol.unwrap_or_default(),
        remote_assignor: given.remote,
        assignors: given.assignors.unwrap_or(defaults.assignors),
        instance_id: given.instance,
        auto_commit: given.auto_commit.unwrap_or(defaults.auto_commit),
        auto_commit_interval_ms: given
            .auto_commit_interval
            .unwrap_or(defaults.auto_commit_interval_ms),
        session_timeout_ms: given.session_timeout,
        heartbeat_interval_ms: given.heartbeat,
        max_poll_interval_ms: given.poll_interval,
        max_poll_records: given.poll_records.unwrap_or(defaults.max_poll_records),
        max_partition_fetch_bytes: given.fetch.unwrap_or(defaults.max_partition_fetch_bytes),
        isolation_level: given.isolation.unwrap_or_default(),
    })
}

/// `pattern=` or `re2=` at the end of a line.
pub(super) fn pattern(reader: &mut Reader<'_>) -> Result<TopicPattern, Problem> {
    let (mut given, at) = (Given::default(), reader.place());
    let item = reader.item()?;
    let name = item.as_ref().and_then(plain);
    if let Some(name @ ("pattern" | "re2")) = name {
        given.word(reader, at, name)?;
    }
    given.pattern.ok_or_else(|| match item {
        Some(item) => unknown(at, &item, &["pattern", "re2"]),
        None => reader.expected("topics, or a pattern as pattern=orders.*"),
    })
}

impl Given {
    /// Reads a setting that is a number, if it is one.
    fn number(&mut self, reader: &mut Reader<'_>, at: usize, name: &str) -> Result<bool, Problem> {
        let slot = match name {
            "auto.commit.interval.ms" => &mut self.auto_commit_interval,
            "session.timeout.ms" => &mut self.session_timeout,
            "heartbeat.interval.ms" => &mut self.heartbeat,
            "max.poll.interval.ms" => &mut self.poll_interval,
            "max.poll.records" => &mut self.poll_records,
            "max-partition-fetch" | "max.partition.fetch.bytes" => &mut self.fetch,
            _ => return Ok(false),
        };
        set(slot, at, name, reader.number(WHOLE)?)?;
        Ok(true)
    }

    /// Reads a setting that is a word or a text, if it is one.
    fn word(&mut self, reader: &mut Reader<'_>, at: usize, name: &str) -> Result<bool, Problem> {
        match name {
            "reset" | "auto.offset.reset" => {
                let text = reader.text("earliest, latest, none or by_duration:PT1H")?;
                let read = text.parse().map_err(|error: crate::Error| {
                    no_such(at, name, "reset policy", &text).with_hint(format!(
                        "There are earliest, latest, none and by_duration:PT1H. {}",
                        error.hint()
                    ))
                });
                set(&mut self.reset, at, name, read?)?;
            }
            "assignors" | "partition.assignment.strategy" => {
                set(&mut self.assignors, at, name, assignor_list(reader)?)?;
            }
            "protocol" | "group.protocol" => {
                let text = reader.text("classic or consumer")?;
                let read = text.parse().map_err(|_| {
                    no_such(at, name, "group protocol", &text)
                        .with_hint("There are classic and consumer.")
                });
                set(&mut self.protocol, at, name, read?)?;
            }
            "remote-assignor" | "group.remote.assignor" => {
                set(&mut self.remote, at, name, reader.text("uniform or range")?)?;
            }
            "instance" | "group.instance.id" => {
                set(&mut self.instance, at, name, reader.text("an id")?)?;
            }
            "enable.auto.commit" => {
                set(&mut self.auto_commit, at, name, reader.number("true or false")?)?;
            }
            "isolation" | "isolation.level" => {
                let text = reader.text("read_committed or read_uncommitted")?;
                let read = text.parse().map_err(|_| {
                    no_such(at, name, "isolation level", &text)
                        .with_hint("There are read_uncommitted and read_committed.")
                });
                set(&mut self.isolation, at, name, read?)?;
            }
            "pattern" => {
                let text = reader.text("a pattern of topics, as orders.*")?;
                set(&mut self.pattern, at, name, TopicPattern::Java(text))?;
            }
            "re2" => {
                let text = reader.text("a pattern of topics, as orders.*")?;
                set(&mut self.pattern, at, name, TopicPattern::Re2(text))?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

fn no_such(at: usize, name: &str, what: &str, text: &str) -> Problem {
    Problem::new(at, format!("There is no {what} {text}.")).to(at + name.len() + 1 + text.len())
}
