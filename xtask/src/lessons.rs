//! The index of the lessons: the page lists what is in the folder, and knows no lesson by name.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// What a lesson's file name ends with.
const ENDING: &str = "lanes";

/// Writes `index.json` into the folder of the lessons: for each language the files in the order
/// of their names, each with its title.
pub fn write_index(folder: &Path) -> Result<()> {
    let mut languages = BTreeMap::new();
    for entry in
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?
    {
        let path = entry?.path();
        if path.is_dir() {
            languages.insert(name_of(&path), lessons(&path)?);
        }
    }
    let path = folder.join("index.json");
    let text = serde_json::to_string_pretty(&languages)? + "\n";
    fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn lessons(folder: &Path) -> Result<Vec<serde_json::Value>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == ENDING) {
            files.push(path);
        }
    }
    files.sort();
    let lesson = |path: &std::path::PathBuf| {
        let text = fs::read_to_string(path)
            .with_context(|| format!("{} is no text in UTF-8", path.display()))?;
        let name = name_of(path);
        let title = title(&text).unwrap_or(&name).to_owned();
        Ok(serde_json::json!({ "file": name, "title": title }))
    };
    files.iter().map(lesson).collect()
}

/// The first comment that says something.
fn title(text: &str) -> Option<&str> {
    text.lines()
        .filter_map(|line| line.trim().strip_prefix('#'))
        .map(str::trim)
        .find(|title| !title.is_empty())
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_put_into_the_folder_is_in_the_index() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let put = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).and_then(|()| fs::write(path, text))
        };
        put("en/02-b.lanes", "topic b\n")?;
        put("en/01-a.lanes", "\n#\n# What a is\n# more\ntopic a\n")?;
        put("en/notes.txt", "no lesson")?;
        put("de/01-a.lanes", "# Was a ist")?;
        write_index(folder.path())?;
        let index: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(folder.path().join("index.json"))?)?;
        let want = serde_json::json!({
            "de": [{ "file": "01-a.lanes", "title": "Was a ist" }],
            "en": [
                { "file": "01-a.lanes", "title": "What a is" },
                { "file": "02-b.lanes", "title": "02-b.lanes" },
            ],
        });
        assert_eq!(index, want);
        Ok(())
    }
}
