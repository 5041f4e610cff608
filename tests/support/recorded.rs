//! Reading recorded answers, and counting what was compared with them.
//!
//! `LOGLANES_GOLDEN` names another folder to read from. In a browser there are no files: the folders
//! in `EMBEDDED` are built into the test.

use std::collections::BTreeMap;
use std::fmt::Debug;

use serde_json::Value;
pub use source::*;

#[cfg(not(target_arch = "wasm32"))]
mod source {
    use std::path::PathBuf;

    const VARIABLE: &str = "LOGLANES_GOLDEN";

    /// Where the recorded answers are.
    pub fn folder() -> PathBuf {
        std::env::var_os(VARIABLE).map_or_else(
            || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden"),
            PathBuf::from,
        )
    }

    /// Whether these are not the project's own answers. Another folder may hold a part of the files,
    /// and lines of one kind only.
    pub fn is_another_folder() -> bool {
        std::env::var_os(VARIABLE).is_some()
    }

    /// The bytes of a recorded file, such as `placement/java.ndjson`; none if there is none.
    pub fn bytes(file: &str) -> Option<Vec<u8>> {
        std::fs::read(folder().join(file)).ok()
    }

    /// The names in a folder, in order; none where another folder has no such folder.
    pub fn names(of: &str) -> Vec<String> {
        let path = folder().join(of);
        if is_another_folder() && !path.is_dir() {
            say(&format!("{of}: not there"));
            return Vec::new();
        }
        let entries = std::fs::read_dir(&path)
            .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
        let mut names: Vec<String> =
            entries.map(|one| one.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Tells how a comparison went.
    pub fn say(line: &str) {
        println!("{line}");
    }
}

#[cfg(target_arch = "wasm32")]
mod source {
    use include_dir::{Dir, DirEntry, include_dir};

    wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

    static EMBEDDED: [(&str, Dir<'_>); 6] = [
        ("cli", include_dir!("$CARGO_MANIFEST_DIR/tests/golden/cli")),
        ("errors", include_dir!("$CARGO_MANIFEST_DIR/tests/golden/errors")),
        ("groups", include_dir!("$CARGO_MANIFEST_DIR/tests/golden/groups")),
        ("kcat", include_dir!("$CARGO_MANIFEST_DIR/tests/golden/kcat")),
        ("placement", include_dir!("$CARGO_MANIFEST_DIR/tests/golden/placement")),
        ("segments", include_dir!("$CARGO_MANIFEST_DIR/tests/golden/segments")),
    ];

    fn embedded(path: &str) -> (&'static Dir<'static>, &str) {
        let (name, rest) = path.split_once('/').unwrap_or((path, ""));
        let folder = EMBEDDED.iter().find(|(folder, _)| *folder == name);
        (&folder.unwrap_or_else(|| panic!("{name} is not built in")).1, rest)
    }

    /// A browser has the project's own answers.
    pub fn is_another_folder() -> bool {
        false
    }

    /// The bytes of a recorded file, such as `placement/java.ndjson`; none if there is none.
    pub fn bytes(file: &str) -> Option<Vec<u8>> {
        let (folder, path) = embedded(file);
        Some(folder.get_file(path)?.contents().to_vec())
    }

    /// The names in a folder, in order.
    pub fn names(of: &str) -> Vec<String> {
        let (folder, path) = embedded(of);
        let folder = if path.is_empty() { folder } else { folder.get_dir(path).unwrap() };
        let name =
            |entry: &DirEntry<'_>| entry.path().file_name().unwrap().to_str().unwrap().to_owned();
        let mut names: Vec<String> = folder.entries().iter().map(name).collect();
        names.sort();
        names
    }

    /// Tells how a comparison went.
    pub fn say(line: &str) {
        wasm_bindgen_test::console_log!("{line}");
    }
}

/// The text of a recorded file; none where another folder has no such file.
pub fn file_text(file: &str) -> Option<String> {
    let bytes = match bytes(file) {
        None if is_another_folder() => {
            say(&format!("{file}: not there"));
            return None;
        }
        bytes => bytes.unwrap_or_else(|| panic!("there is no {file}")),
    };
    Some(String::from_utf8(bytes).unwrap_or_else(|_| panic!("{file} is no text")))
}

/// The lines of a recorded file, such as `placement/java.ndjson`; none where another folder has no
/// such file.
pub fn lines(file: &str) -> Vec<Value> {
    file_text(file)
        .unwrap_or_default()
        .lines()
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
    settings: usize,
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
    #[cfg(not(target_arch = "wasm32"))]
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

    /// A line says what the lines after it are about, and has no answer.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn settings(&mut self) {
        self.settings += 1;
    }

    /// Prints the counts; fails on any difference, on nothing compared (another folder may hold only
    /// what does not apply), and on lines that were neither compared nor left out.
    pub fn finish(self, name: &str, lines: usize) {
        let verdicts = self.compared + self.settings + self.skipped.values().sum::<usize>();
        self.finish_open(name);
        assert_eq!(verdicts, lines, "{name}: lines without a verdict");
    }

    /// The same where a line is compared in many parts.
    pub fn finish_open(self, name: &str) {
        let skipped: usize = self.skipped.values().sum();
        if is_another_folder() && self.compared + skipped == 0 {
            return;
        }
        let failed = self.failed.len();
        say(&format!("{name}: {} compared, {skipped} skipped, {failed} failed", self.compared));
        for (reason, count) in &self.skipped {
            say(&format!("  {count} skipped: {reason}"));
        }
        for difference in self.failed.iter().take(5) {
            say(&format!("  {difference}"));
        }
        assert_eq!(failed, 0, "{name}: answers differ from the recorded ones");
        assert!(self.compared > 0 || is_another_folder(), "{name}: nothing was compared");
    }
}
