//! What the page weighs: every file that a browser may load, raw and gzipped.

use std::collections::HashSet;
use std::fs;
use std::io::Write;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::tools::{has_extension, root};

/// What the page loads before its first screen stands should stay under this, gzipped, in bytes.
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

/// The rows of the table, in this order. Only the first [`AT_ONCE`] are in the sum.
const KINDS: [&str; 10] = [
    "first wasm",
    "wasm glue",
    "scripts",
    "styles",
    "pages",
    "other files",
    "acts wasm",
    "later scripts",
    "rest wasm",
    "on demand",
];

/// So many kinds come before the first screen stands. The acts and the rest of the engine follow at once;
/// sample data and lessons come only when a reader asks for them.
const AT_ONCE: usize = 6;

/// The row that a file counts in; none for what a browser never loads.
fn kind(path: &Path, at_once: &HashSet<PathBuf>) -> Option<&'static str> {
    let glue = path.parent().is_some_and(|folder| folder.ends_with("pkg"));
    let text = path.to_string_lossy();
    if text.ends_with(".d.ts") || has_extension(path, ["md"]) {
        return None;
    }
    if path.components().any(|part| part.as_os_str() == "samples" || part.as_os_str() == "lessons")
    {
        Some("on demand")
    } else if has_extension(path, ["wasm"]) {
        // The whole module is for whoever imports it.
        match path.file_stem()?.to_str()? {
            "first" => Some("first wasm"),
            "acts" => Some("acts wasm"),
            "rest" => Some("rest wasm"),
            _ => None,
        }
    } else if has_extension(path, ["js", "mjs"]) {
        Some(match at_once.contains(path) {
            _ if glue => "wasm glue",
            true => "scripts",
            false => "later scripts",
        })
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

/// A script and all that it imports before it runs; what it imports when it is asked for is left out.
fn at_once(script: &Path) -> Result<HashSet<PathBuf>> {
    let (mut found, mut left) = (HashSet::new(), vec![script.to_path_buf()]);
    while let Some(script) = left.pop() {
        if !found.insert(script.clone()) {
            continue;
        }
        let text = fs::read_to_string(&script)
            .with_context(|| format!("cannot read {}", script.display()))?;
        let folder = script.parent().unwrap_or(&script);
        left.extend(imports(&text).map(|import| normal(&folder.join(import))));
    }
    Ok(found)
}

/// What the statements `import … from "…"` and `export … from "…"` of a script name. Comments begin their
/// lines with a slash or a star here.
fn imports(script: &str) -> impl Iterator<Item = &str> {
    let code = script.lines().filter(|line| !line.trim_start().starts_with(['/', '*']));
    code.filter_map(|line| line.split_once(" from \"")?.1.split_once("\";")).map(|(name, _)| name)
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}

/// Prints the table.
pub fn print() -> Result<()> {
    let mut files = Vec::new();
    let page = root().join("index.html");
    if page.exists() {
        files.push(page);
    }
    walk(&root().join("www"), &mut files)?;

    let at_once = at_once(&root().join("www/main.js"))?;
    let mut rows = [Size::default(); KINDS.len()];
    let mut total = Size::default();
    for file in files {
        let Some(row) =
            kind(&file, &at_once).and_then(|kind| KINDS.iter().position(|name| *name == kind))
        else {
            continue;
        };
        let bytes = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let size = Size::of(&bytes)?;
        rows[row].add(size);
        if row < AT_ONCE {
            total.add(size);
        }
    }

    println!("{:<12} {:>5} {:>11} {:>11}", "", "files", "raw", "gzipped");
    for (index, (name, size)) in KINDS.iter().zip(rows).enumerate() {
        if index == AT_ONCE {
            print_row("sum", total);
        }
        if size.files > 0 {
            print_row(name, size);
        }
    }
    println!(
        "Before the first screen stands, the page loads {} KiB gzipped; the budget is {} KiB ({} % used)",
        total.gzipped.div_ceil(1024),
        BUDGET / 1024,
        (total.gzipped * 100).div_ceil(BUDGET),
    );
    Ok(())
}

fn print_row(name: &str, size: Size) {
    println!("{name:<12} {:>5} {:>11} {:>11}", size.files, size.raw, size.gzipped);
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
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

    fn of(path: &str) -> Option<&'static str> {
        kind(Path::new(path), &HashSet::from([PathBuf::from("www/main.js")]))
    }

    #[test]
    fn what_a_script_imports_only_when_asked_for_comes_later() {
        let script = "/** @import { A } from \"./a.js\"; */\nimport { B } from \"./b.js\";\nexport {\n  C,\n} from \"../c.js\";\nawait import(\"./d.js\");\n";
        assert_eq!(imports(script).collect::<Vec<_>>(), ["./b.js", "../c.js"]);
        assert_eq!(normal(Path::new("www/panels/../dom.js")), Path::new("www/dom.js"));
        assert_eq!(of("www/panels/all.js"), Some("later scripts"));
    }

    #[test]
    fn declarations_and_notes_are_not_counted() {
        assert_eq!(of("www/pkg/loglanes.d.ts"), None);
        assert_eq!(of("www/pkg/package.json"), None);
        assert_eq!(of("www/notes.md"), None);
        assert_eq!(of("www/pkg/loglanes_bg.wasm"), None);
        assert_eq!(of("www/pkg/first.wasm"), Some("first wasm"));
    }

    #[test]
    fn the_glue_is_told_from_our_own_scripts() {
        assert_eq!(of("www/pkg/loglanes.js"), Some("wasm glue"));
        assert_eq!(of("www/main.js"), Some("scripts"));
        assert_eq!(of("www/icon.svg"), Some("other files"));
    }

    #[test]
    fn samples_and_lessons_are_kept_out_of_the_sum() {
        assert_eq!(of("www/samples/a.ndjson"), Some("on demand"));
        assert_eq!(of("www/samples/a.js"), Some("on demand"));
        assert_eq!(of("www/lessons/en/1.lanes"), Some("on demand"));
    }
}
