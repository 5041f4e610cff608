//! Loglanes' own lines: one JSON object a record, with everything that a record has.
//!
//! ```json
//! {"partition":0,"offset":7,"timestamp":1712000000000,"timestampType":"CreateTime","key":"k1","value":null,"headers":[]}
//! ```
//!
//! - Bytes are a string where they are UTF-8, else `{"base64":"//6A"}`; none is `null`.
//! - Headers are a list of `{"key":…,"value":…}` in their order; names may come again.
//! - Numbers are whole and have all their digits, also beyond 2^53.
//!
//! One record has one way to be written, so what was read and is written again is the same. A
//! field that is not known is refused: what a later version adds is not dropped in silence.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use std::borrow::Cow;
use std::io::Write as _;

use super::decoder::{Decoder, FileHeader, FileRecord, Place};
use super::encoder::{Encoder, Lying};
use super::jsonlines;
use crate::log::RecordView;

/// A reader of lines that [`LosslessEncoder`] wrote.
#[must_use]
pub fn decoder() -> Box<dyn Decoder> {
    jsonlines::decoder(record)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct LosslessLine {
    #[serde(deserialize_with = "jsonlines::partition")]
    partition: Option<i32>,
    offset: i64,
    timestamp: i64,
    #[serde(rename = "timestampType")]
    _timestamp_type: TimestampName,
    #[serde(deserialize_with = "jsonlines::nullable")]
    key: Option<Octets>,
    #[serde(deserialize_with = "jsonlines::nullable")]
    value: Option<Octets>,
    headers: Vec<LosslessHeader>,
}

#[derive(Deserialize)]
enum TimestampName {
    CreateTime,
    LogAppendTime,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LosslessHeader {
    key: Octets,
    #[serde(deserialize_with = "jsonlines::nullable")]
    value: Option<Octets>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Octets {
    Text(String),
    Base64(Base64),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Base64 {
    base64: String,
}

impl Octets {
    fn bytes(self) -> Result<Vec<u8>, String> {
        match self {
            Self::Text(text) => Ok(text.into_bytes()),
            Self::Base64(Base64 { base64 }) => BASE64_STANDARD
                .decode(base64)
                .map_err(|error| format!("what should be base64 is not: {error}.")),
        }
    }
}

/// A header's name and value.
type OwnedHeader = (Vec<u8>, Option<Vec<u8>>);

fn owned(headers: Vec<LosslessHeader>) -> Result<Vec<OwnedHeader>, String> {
    headers
        .into_iter()
        .map(|header| Ok((header.key.bytes()?, header.value.map(Octets::bytes).transpose()?)))
        .collect()
}

/// A list of headers by itself.
pub(super) fn headers(json: &[u8]) -> Result<Vec<OwnedHeader>, String> {
    owned(serde_json::from_slice(json).map_err(|error| jsonlines::reason(&error))?)
}

fn record(place: Place, line: &[u8]) -> Result<FileRecord<'static>, String> {
    let line: LosslessLine =
        serde_json::from_slice(line).map_err(|error| jsonlines::reason(&error))?;
    let octets =
        |octets: Option<Octets>| octets.map(|octets| octets.bytes().map(Cow::Owned)).transpose();
    Ok(FileRecord {
        place,
        partition: line.partition,
        offset: Some(line.offset),
        timestamp: Some(line.timestamp),
        key: octets(line.key)?,
        value: octets(line.value)?,
        headers: owned(line.headers)?
            .into_iter()
            .map(|(key, value)| FileHeader { key: Cow::Owned(key), value: value.map(Cow::Owned) })
            .collect(),
        row: None,
    })
}

/// Writes records with all that they have.
#[derive(Debug, Default)]
pub struct LosslessEncoder;

impl Encoder for LosslessEncoder {
    fn record(&mut self, lying: &Lying<'_>, out: &mut Vec<u8>) {
        let Lying { partition, timestamp_type, record, .. } = lying;
        let _ = write!(
            out,
            "{{\"partition\":{partition},\"offset\":{},\"timestamp\":{},\"timestampType\":\"{}\",\"key\":",
            record.offset,
            record.timestamp,
            timestamp_type.name()
        );
        write_bytes(record.key, out);
        out.extend_from_slice(b",\"value\":");
        write_bytes(record.value, out);
        out.extend_from_slice(b",\"headers\":");
        write_headers(record, out);
        out.extend_from_slice(b"}\n");
    }
}

/// The headers as a list.
pub(super) fn write_headers(record: &RecordView<'_>, out: &mut Vec<u8>) {
    out.push(b'[');
    for (number, header) in record.headers().enumerate() {
        out.extend_from_slice(if number > 0 { b",{\"key\":" } else { b"{\"key\":" });
        write_bytes(Some(header.key), out);
        out.extend_from_slice(b",\"value\":");
        write_bytes(header.value, out);
        out.push(b'}');
    }
    out.push(b']');
}

fn write_bytes(bytes: Option<&[u8]>, out: &mut Vec<u8>) {
    match bytes.map(|bytes| (bytes, str::from_utf8(bytes))) {
        None => out.extend_from_slice(b"null"),
        Some((_, Ok(text))) => write_text(text, out),
        Some((bytes, Err(_))) => {
            out.extend_from_slice(b"{\"base64\":\"");
            out.extend_from_slice(BASE64_STANDARD.encode(bytes).as_bytes());
            out.extend_from_slice(b"\"}");
        }
    }
}

/// A text as a string of JSON.
pub(super) fn write_text(text: &str, out: &mut Vec<u8>) {
    // A vector takes all, and a text is always written.
    let _ = serde_json::to_writer(out, text);
}
