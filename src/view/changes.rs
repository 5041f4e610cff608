//! A step of a save, as the page's store takes it.

use serde::Serialize;
use serde_bytes::ByteBuf;

use crate::snapshot::Changes;

/// A step of a save: see [`Changes`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChangesView {
    /// Names the step.
    pub token: u32,
    /// Chunks to write.
    pub puts: Vec<Put>,
    /// Names of chunks to delete.
    pub deletes: Vec<String>,
    /// How many bytes are to be written.
    pub bytes: f64,
}

/// A chunk to write.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Put {
    /// Its name.
    pub key: String,
    /// Its bytes.
    pub bytes: ByteBuf,
}

impl From<Changes> for ChangesView {
    fn from(changes: Changes) -> Self {
        Self {
            token: changes.token,
            bytes: changes.bytes() as f64,
            puts: changes
                .puts
                .into_iter()
                .map(|(key, bytes)| Put { key, bytes: ByteBuf::from(bytes) })
                .collect(),
            deletes: changes.deletes,
        }
    }
}
