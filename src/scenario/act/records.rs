//! Reads lines that bring records.

use super::{TOPIC, WHOLE, plain, set, unknown};
use crate::command::{Command, OwnedHeader, Produce};
use crate::generate::{GenerateSpec, KEY_NUMBER};
use crate::group::TopicPartition;
use crate::log::{Header, NewRecord};
use crate::scenario::reader::{Item, Reader};
use crate::scenario::time::When;
use crate::scenario::{Act, Problem};
use crate::{RecordSet, SegmentSet, SegmentSets};

pub(super) fn header(reader: &mut Reader<'_>) -> Result<OwnedHeader, Problem> {
    let key = reader.header_key("the key of a header")?;
    if !reader.equals() {
        return Err(reader.expected("an = and the header's value"));
    }
    Ok(OwnedHeader { key, value: reader.bytes("the header's value")? })
}

pub(super) fn produce(reader: &mut Reader<'_>) -> Result<Act, Problem> {
    const OF_ONE: [&str; 7] =
        ["producer", "partitioner", "partition", "timestamp", "key", "value", "header"];
    const OF_MANY: [&str; 8] =
        ["count", "keys", "key-pattern", "skew", "value-bytes", "seed", "producer", "partitioner"];
    let topic = reader.name(TOPIC)?;
    let mut producer = None;
    let (mut partitioner, mut partition, mut when) = (None, None, None);
    let (mut key, mut value, mut headers) = (None, None, Vec::new());
    let (mut count, mut keys, mut pattern) = (None, None, None);
    let (mut skew, mut value_bytes, mut seed) = (None, None, None);
    let (mut of_one, mut of_many) = (None, None);
    loop {
        let at = reader.place();
        let Some(item) = reader.item()? else { break };
        if item == Item::Word("header".to_owned()) {
            headers.push(header(reader)?);
            of_one = Some((at, "header"));
            continue;
        }
        match plain(&item) {
            Some("producer") => {
                set(&mut producer, at, "producer", reader.text("the name of a producer")?)?;
            }
            Some("partitioner") => {
                set(&mut partitioner, at, "partitioner", reader.text("a partitioner's id")?)?;
            }
            Some("partition") => set(&mut partition, at, "partition", reader.number(WHOLE)?)?,
            Some("timestamp") => set(&mut when, at, "timestamp", reader.time()?)?,
            Some("key") => set(&mut key, at, "key", reader.bytes("a key")?)?,
            Some("value") => set(&mut value, at, "value", reader.bytes("a value")?)?,
            Some("count") => set(&mut count, at, "count", reader.number(WHOLE)?)?,
            Some("keys") => set(&mut keys, at, "keys", reader.keys()?)?,
            Some("key-pattern") => set(&mut pattern, at, "key-pattern", reader.text("a pattern")?)?,
            Some("skew") => set(&mut skew, at, "skew", reader.number("a number")?)?,
            Some("value-bytes") => set(&mut value_bytes, at, "value-bytes", reader.number(WHOLE)?)?,
            Some("seed") => set(&mut seed, at, "seed", reader.number(WHOLE)?)?,
            _ => {
                let known = if count.is_some() { &OF_MANY[..] } else { &OF_ONE[..] };
                let known: Vec<&str> = known.iter().copied().chain(["count"]).collect();
                return Err(unknown(at, &item, &known));
            }
        }
        let name = plain(&item).unwrap_or_default();
        if name == "partitioner" || name == "producer" {
            continue;
        }
        if let Some(name) = OF_ONE.iter().find(|one| **one == name) {
            of_one = Some((at, *name));
        } else if let Some(name) = OF_MANY.iter().find(|many| **many == name) {
            of_many = Some((at, *name));
        }
    }
    if let (Some((one_at, one)), Some((many_at, many))) = (of_one, of_many) {
        let at = one_at.max(many_at);
        return Err(Problem::new(at, format!("{one} is for one record, {many} for many of them."))
            .with_hint("Many records take count, keys, skew, value-bytes and seed."));
    }
    let Some((at, name)) = of_many else {
        let (timestamp, after_ms) = match when {
            None => (None, None),
            Some(When::At(ms)) => (Some(ms), None),
            Some(When::After(ms)) => (None, Some(ms)),
        };
        let (key, value) = (key.flatten(), value.flatten());
        let record =
            Produce { topic, producer, partitioner, partition, timestamp, key, value, headers };
        return Ok(Act { command: Command::Produce(record), after_ms });
    };
    let Some(count) = count else {
        return Err(Problem::new(
            at,
            format!("{name} is for many records, and there is no count."),
        )
        .with_hint("Say how many: count=1000."));
    };
    let (keys, of_keys) = keys.unwrap_or((0, None));
    let key_pattern = match (of_keys, pattern) {
        (Some(_), Some(_)) => {
            return Err(Problem::new(at, "keys says already what the keys look like.")
                .with_hint("With key-pattern, keys is a number."));
        }
        (of_keys, pattern) => of_keys.or(pattern),
    };
    let spec = GenerateSpec {
        count,
        keys,
        skew: skew.unwrap_or(0.0),
        value_bytes: value_bytes.unwrap_or(DEFAULT_VALUE_BYTES),
        seed: seed.unwrap_or(0),
        key_pattern,
    };
    Ok(Command::Generate { topic, producer, partitioner, spec }.into())
}

/// The size of each value of many records, unless the line says another.
pub const DEFAULT_VALUE_BYTES: u64 = 100;

/// `user_{1..50}` gives 50 and `user_{}`; text without braces is one key.
pub(in crate::scenario) fn keys_of(text: &str) -> Option<(u64, Option<String>)> {
    let Some((before, rest)) = text.split_once('{') else {
        return (!text.contains('}')).then(|| (1, Some(text.to_owned())));
    };
    let (range, behind) = rest.split_once('}')?;
    let last = range.strip_prefix("1..")?;
    let is_number = !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit());
    let count = last.parse().ok().filter(|count| is_number && *count > 0)?;
    (!behind.contains(['{', '}'])).then(|| (count, Some(format!("{before}{KEY_NUMBER}{behind}"))))
}

pub(super) fn produce_many(reader: &mut Reader<'_>) -> Result<Command, Problem> {
    const KNOWN: [&str; 4] = ["producer", "partitioner", "record", "batches"];
    let topic = reader.name(TOPIC)?;
    let (mut producer, mut partitioner, mut batches) = (None, None, None);
    loop {
        let at = reader.place();
        if reader.keyword("record") {
            break;
        }
        let Some(item) = reader.item()? else { break };
        match plain(&item) {
            Some("partitioner") => {
                set(&mut partitioner, at, "partitioner", reader.text("a partitioner's id")?)?;
            }
            Some("producer") => {
                set(&mut producer, at, "producer", reader.text("the name of a producer")?)?;
            }
            Some("batches") => {
                let bytes = reader.bytes("batches in hex")?.unwrap_or_default();
                set(&mut batches, at, "batches", RecordSet::from_bytes(bytes.0))?;
            }
            _ => return Err(unknown(at, &item, &KNOWN)),
        }
    }
    let mut records = RecordSet::builder();
    let is_done_already = reader.is_done();
    loop {
        if is_done_already {
            break;
        }
        let at = reader.place();
        let is_last = !one_record(reader, &mut records, at)?;
        if let Some(_set) = &batches {
            return Err(Problem::new(at, "The batches hold the records already.")
                .with_hint("Write either records or batches."));
        }
        if is_last {
            break;
        }
    }
    let records = batches.unwrap_or_else(|| records.finish());
    Ok(Command::ProduceMany { topic, producer, partitioner, records })
}

/// One of many records, up to the next word `record`; whether there is another one.
pub(super) fn one_record(
    reader: &mut Reader<'_>,
    records: &mut crate::RecordSetBuilder,
    begin: usize,
) -> Result<bool, Problem> {
    const KNOWN: [&str; 5] = ["timestamp", "key", "value", "header", "record"];
    let (mut timestamp, mut key, mut value) = (None, None, None);
    let mut headers: Vec<OwnedHeader> = Vec::new();
    let mut is_more = false;
    loop {
        let at = reader.place();
        if reader.keyword("record") {
            is_more = true;
            break;
        }
        if reader.keyword("header") {
            headers.push(header(reader)?);
            continue;
        }
        let Some(item) = reader.item()? else { break };
        match plain(&item) {
            Some("timestamp") => set(&mut timestamp, at, "timestamp", reader.number(WHOLE)?)?,
            Some("key") => set(&mut key, at, "key", reader.bytes("a key")?)?,
            Some("value") => set(&mut value, at, "value", reader.bytes("a value")?)?,
            _ => return Err(unknown(at, &item, &KNOWN)),
        }
    }
    let Some(timestamp) = timestamp else {
        return Err(Problem::new(begin, "A record of many needs its timestamp.")
            .with_hint("Write timestamp=1700000000000: milliseconds since 1970."));
    };
    let (key, value) = (key.flatten(), value.flatten());
    let headers: Vec<Header<'_>> = headers
        .iter()
        .map(|header| Header { key: &header.key, value: header.value.as_deref() })
        .collect();
    let record =
        NewRecord { timestamp, key: key.as_deref(), value: value.as_deref(), headers: &headers };
    let pushed = records.push(&record);
    pushed.map_err(|error| Problem::new(begin, error.message()).with_hint(error.hint()))?;
    Ok(is_more)
}

pub(super) fn copy_log(reader: &mut Reader<'_>) -> Result<Command, Problem> {
    let (first, segments) = files_of_partition(reader)?;
    if reader.is_done() {
        return Ok(Command::CopyLog { topic: first.topic, partition: first.partition, segments });
    }
    let (mut to, mut sets) = (vec![first], vec![segments]);
    while !reader.is_done() {
        let (at, segments) = files_of_partition(reader)?;
        to.push(at);
        sets.push(segments);
    }
    Ok(Command::CopyLogs { to, segments: SegmentSets::new(sets) })
}

pub(super) fn files_of_partition(
    reader: &mut Reader<'_>,
) -> Result<(TopicPartition, SegmentSet), Problem> {
    let at = reader.partition()?;
    let place = reader.place();
    let item = reader.item()?;
    if item.as_ref().and_then(plain) != Some("files") {
        return Err(match item {
            Some(item) => unknown(place, &item, &["files"]),
            None => reader.expected("files= and the files of a partition"),
        });
    }
    let bytes = reader.bytes("files in hex")?.unwrap_or_default();
    Ok((at, SegmentSet::from_bytes(bytes.0)))
}

impl Reader<'_> {
    /// `keys=50`, or in quotes what they look like.
    fn keys(&mut self) -> Result<(u64, Option<String>), Problem> {
        let what = "a number of keys, or keys as \"user_{1..50}\"";
        if !self.is_text_next() {
            return Ok((self.number(what)?, None));
        }
        let problem = self.expected(what).with_hint(
            "The numbers of the keys begin at 1 and stand once: \"user_{1..50}\". Text without \
             braces is the key of every record.",
        );
        let text = self.text(what)?;
        keys_of(&text).ok_or(problem)
    }
}
