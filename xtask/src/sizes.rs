//! What the page weighs: every file that a browser may load, raw and gzipped.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::tools::{has_extension, root};

/// What everything the page loads should stay under, gzipped, in bytes.
pub const BUDGET: usize = 200 * 1024;

#[derive(Clone, Copy, Default)]
struct Size {
    files: usize,
    raw: usize,
    gzipped: usize,
}

impl Size {
    fn of(bytes: &[u8]) -> Result<Self> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes)?;
        Ok(Self { files: 1, raw: bytes.len(), gzipped: encoder.finish()?.len() })
    }

    fn add(&mut self, other: Self) {
        self.files += other.files;
        self.raw += other.raw;
        self.gzipped += other.gzipped;
    }
}

/// The rows of the table, in this order. The last is left out of the sum.
const KINDS: [&str; 7] =
    ["wasm", "wasm glue", "scripts", "styles", "pages", "other files", ON_DEMAND];

/// Sample data and lessons, which come only when a reader asks for them.
const ON_DEMAND: &str = "on demand";

/// The row that a file counts in; none for what a browser never loads.
fn kind(path: &Path) -> Option<&'static str> {
    let glue = path.parent().is_some_and(|folder| folder.ends_with("pkg"));
    let text = path.to_string_lossy();
    if text.ends_with(".d.ts") || has_extension(path, ["md"]) {
        return None;
    }
    if path.components().any(|part| part.as_os_str() == "samples" || part.as_os_str() == "lessons")
    {
        Some(ON_DEMAND)
    } else if has_extension(path, ["wasm"]) {
        Some("wasm")
    } else if has_extension(path, ["js", "mjs"]) {
        Some(if glue { "wasm glue" } else { "scripts" })
    } else if glue {
        None
    } else if has_extension(path, ["css"]) {
        Some("styles")
    } else if has_extension(path, ["html"]) {
        Some("pages")
    } else {
        Some("other files")
    }
}

/// Prints the table. Its sum is an upper bound: a lesson that nobody opens is never loaded.
pub fn print() -> Result<()> {
    let mut files = Vec::new();
    let page = root().join("index.html");
    if page.exists() {
        files.push(page);
    }
    walk(&root().join("www"), &mut files)?;

    let mut rows = [Size::default(); KINDS.len()];
    let mut total = Size::default();
    for file in files {
        let Some(row) = kind(&file).and_then(|kind| KINDS.iter().position(|name| *name == kind))
        else {
            continue;
        };
        let bytes = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let size = Size::of(&bytes)?;
        rows[row].add(size);
        if KINDS[row] != ON_DEMAND {
            total.add(size);
        }
    }

    println!("{:<12} {:>5} {:>11} {:>11}", "", "files", "raw", "gzipped");
    for (name, size) in KINDS.iter().zip(rows).filter(|(_, size)| size.files > 0) {
        print_row(name, size);
    }
    print_row("sum", total);
    println!(
        "The page loads at most {} KiB gzipped; the budget is {} KiB ({} % used)",
        total.gzipped.div_ceil(1024),
        BUDGET / 1024,
        (total.gzipped * 100).div_ceil(BUDGET),
    );
    Ok(())
}

fn print_row(name: &str, size: Size) {
    println!("{name:<12} {:>5} {:>11} {:>11}", size.files, size.raw, size.gzipped);
}

fn walk(folder: &Path, files: &mut Vec<std::path::PathBuf>) -> Result<()> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if hidden {
            continue;
        }
        if path.is_dir() {
            walk(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_and_notes_are_not_counted() {
        assert_eq!(kind(Path::new("www/pkg/loglanes.d.ts")), None);
        assert_eq!(kind(Path::new("www/pkg/package.json")), None);
        assert_eq!(kind(Path::new("www/notes.md")), None);
    }

    #[test]
    fn the_glue_is_told_from_our_own_scripts() {
        assert_eq!(kind(Path::new("www/pkg/loglanes.js")), Some("wasm glue"));
        assert_eq!(kind(Path::new("www/main.js")), Some("scripts"));
        assert_eq!(kind(Path::new("www/icon.svg")), Some("other files"));
    }

    #[test]
    fn samples_and_lessons_are_kept_out_of_the_sum() {
        assert_eq!(kind(Path::new("www/samples/a.ndjson")), Some(ON_DEMAND));
        assert_eq!(kind(Path::new("www/samples/a.js")), Some(ON_DEMAND));
        assert_eq!(kind(Path::new("www/lessons/en/1.lanes")), Some(ON_DEMAND));
    }
}
