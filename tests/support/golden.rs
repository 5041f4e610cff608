//! Reading recorded answers, and counting what was compared with them.
//!
//! `LOGLANES_GOLDEN` names another folder to read from.

// Each test that includes this file uses its own part of it.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::PathBuf;

use serde_json::Value;

/// Where the recorded answers are.
pub fn folder() -> PathBuf {
    std::env::var_os("LOGLANES_GOLDEN").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden"),
        PathBuf::from,
    )
}

/// The lines of a recorded file, such as `placement/java.ndjson`.
pub fn lines(file: &str) -> Vec<Value> {
    let path = folder().join(file);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// The bytes of a hexadecimal text; none for JSON's null.
pub fn hex(value: &Value) -> Option<Vec<u8>> {
    let digits = value.as_str()?.as_bytes();
    Some(
        digits
            .chunks(2)
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
            .collect(),
    )
}

/// A text.
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}

/// A list; empty where there is none.
pub fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// A list of numbers.
pub fn numbers<T: TryFrom<i64, Error: Debug>>(value: &Value) -> Vec<T> {
    let list = value.as_array().unwrap_or_else(|| panic!("no list: {value}"));
    list.iter().map(|one| T::try_from(one.as_i64().unwrap()).unwrap()).collect()
}

/// One number.
pub fn number<T: TryFrom<i64, Error: Debug>>(value: &Value) -> T {
    let number = value.as_i64().unwrap_or_else(|| panic!("no whole number: {value}"));
    T::try_from(number).unwrap()
}

/// How many lines of a file were compared, left out and found different.
#[derive(Default)]
pub struct Tally {
    compared: usize,
    skipped: BTreeMap<String, usize>,
    failed: Vec<String>,
}

impl Tally {
    /// A line was compared; both sides are the same or the test will fail.
    pub fn compare<T: PartialEq + Debug>(&mut self, what: impl Debug, ours: T, recorded: T) {
        self.compared += 1;
        if ours != recorded {
            self.failed.push(format!("{what:?}\n  ours:     {ours:?}\n  recorded: {recorded:?}"));
        }
    }

    /// Adds what another one has counted.
    pub fn add(&mut self, other: Self) {
        self.compared += other.compared;
        self.failed.extend(other.failed);
        for (reason, count) in other.skipped {
            *self.skipped.entry(reason).or_default() += count;
        }
    }

    /// A line was left out.
    pub fn skip(&mut self, reason: impl Into<String>) {
        *self.skipped.entry(reason.into()).or_default() += 1;
    }

    /// Prints the counts; fails on any difference, on nothing compared, and on lines that were
    /// neither compared nor left out.
    pub fn finish(self, name: &str, lines: usize) {
        let skipped: usize = self.skipped.values().sum();
        let failed = self.failed.len();
        println!("{name}: {} compared, {skipped} skipped, {failed} failed", self.compared);
        for (reason, count) in &self.skipped {
            println!("  {count} skipped: {reason}");
        }
        for difference in self.failed.iter().take(5) {
            println!("  {difference}");
        }
        assert_eq!(failed, 0, "{name}: answers differ from the recorded ones");
        assert!(self.compared > 0, "{name}: nothing was compared");
        assert_eq!(self.compared + skipped, lines, "{name}: lines without a verdict");
    }
}
