//! Files in a folder, in memory: what a zip archive holds.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::interchange::segment::ZipWriter;

/// Files by their paths, which have `/` between their parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Folder(BTreeMap<String, Vec<u8>>);

impl Folder {
    /// Adds a file, or takes the place of one.
    pub(crate) fn insert(&mut self, path: impl Into<String>, content: impl Into<Vec<u8>>) {
        self.0.insert(path.into(), content.into());
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().map(|(path, content)| (path.as_str(), content.as_slice()))
    }

    /// All of it as one archive, in a folder of that name.
    pub(crate) fn zip(&self, name: &str) -> Result<Vec<u8>> {
        let (mut zip, mut out) = (ZipWriter::default(), Vec::new());
        for (path, content) in &self.0 {
            zip.begin(&format!("{name}/{path}"), content, &mut out)?;
            out.extend_from_slice(content);
        }
        zip.end(&mut out);
        Ok(out)
    }
}
