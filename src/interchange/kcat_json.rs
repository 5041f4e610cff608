//! What `kcat -C -J` prints: one JSON object a line, with the record's place, key and payload.
//!
//! Headers are one flat array: name, value, name, value; `null` where a header has no value. Bytes
//! that are not UTF-8 stand in the strings as they are. Source: `json.c` of kcat 1.7.1, and
//! recorded output.
//!
//! On the way out the same: control characters as `\b`, `\f`, `\n`, `\r`, `\t` or `\u001F` with
//! upper-case digits, 0x7f and all above as they are, `/` not escaped.

use serde::Deserialize;
use std::borrow::Cow;
use std::io::Write as _;

use super::decoder::{Decoder, FileHeader, FileRecord, Place};
use super::encoder::{Encoder, Lying};
use super::json::{Bad, check_depth};
use super::jsonlines::{self, Text};

/// A reader of the lines of `kcat -J`.
#[must_use]
pub fn decoder() -> Box<dyn Decoder> {
    jsonlines::decoder(record)
}

#[derive(Deserialize)]
struct KcatLine {
    #[serde(default, deserialize_with = "jsonlines::partition")]
    partition: Option<i32>,
    #[serde(default)]
    offset: Option<i64>,
    #[serde(default)]
    ts: Option<i64>,
    #[serde(deserialize_with = "jsonlines::nullable")]
    key: Option<Text>,
    #[serde(deserialize_with = "jsonlines::nullable")]
    payload: Option<Text>,
    #[serde(default)]
    headers: Option<Vec<Option<Text>>>,
}

fn record(place: Place, line: &[u8]) -> Result<FileRecord<'static>, String> {
    check_depth(line).map_err(|bad| match bad {
        Bad::TooDeep { column } => format!("byte {column}: nested too deep."),
        _ => "it is not JSON.".to_owned(),
    })?;
    let line: KcatLine = serde_json::from_slice(line).map_err(|error| jsonlines::reason(&error))?;
    let flat = line.headers.unwrap_or_default();
    let mut headers = Vec::with_capacity(flat.len() / 2);
    let mut flat = flat.into_iter();
    while let Some(name) = flat.next() {
        let (Some(name), Some(value)) = (name, flat.next()) else {
            return Err("its headers are not names and values by turns.".to_owned());
        };
        headers.push(FileHeader {
            key: Cow::Owned(name.0),
            value: value.map(|value| Cow::Owned(value.0)),
        });
    }
    Ok(FileRecord {
        place,
        partition: line.partition,
        offset: line.offset,
        timestamp: line.ts,
        key: line.key.map(|key| Cow::Owned(key.0)),
        value: line.payload.map(|payload| Cow::Owned(payload.0)),
        headers,
        row: None,
    })
}

/// Writes what `kcat -C -J` would print.
#[derive(Debug, Default)]
pub struct KcatJsonEncoder;

impl Encoder for KcatJsonEncoder {
    fn record(&mut self, lying: &Lying<'_>, out: &mut Vec<u8>) {
        let Lying { topic, partition, leader, timestamp_type, record } = lying;
        out.extend_from_slice(b"{\"topic\":");
        write_string(topic.as_bytes(), out);
        let _ = write!(out, ",\"partition\":{partition},\"offset\":{}", record.offset);
        let tstype = match timestamp_type {
            crate::log::TimestampType::CreateTime => "create",
            crate::log::TimestampType::LogAppendTime => "logappend",
        };
        let ts = record.timestamp;
        let _ = write!(out, ",\"tstype\":\"{tstype}\",\"ts\":{ts},\"broker\":{leader}");
        let mut headers = record.headers().peekable();
        if headers.peek().is_some() {
            out.extend_from_slice(b",\"headers\":[");
            for (number, header) in headers.enumerate() {
                if number > 0 {
                    out.push(b',');
                }
                write_string(header.key, out);
                out.push(b',');
                write_nullable(header.value, out);
            }
            out.push(b']');
        }
        out.extend_from_slice(b",\"key\":");
        write_nullable(record.key, out);
        out.extend_from_slice(b",\"payload\":");
        write_nullable(record.value, out);
        out.extend_from_slice(b"}\n");
    }
}

fn write_nullable(bytes: Option<&[u8]>, out: &mut Vec<u8>) {
    match bytes {
        Some(bytes) => write_string(bytes, out),
        None => out.extend_from_slice(b"null"),
    }
}

/// As yajl escapes a string.
fn write_string(bytes: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for &byte in bytes {
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            0x08 => out.extend_from_slice(b"\\b"),
            0x0c => out.extend_from_slice(b"\\f"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0..=0x1f => {
                let _ = write!(out, "\\u{byte:04X}");
            }
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}
