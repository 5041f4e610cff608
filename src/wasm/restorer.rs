//! A session from saved chunks, or from an exported file.

use wasm_bindgen::prelude::*;

use super::convert::{Thrown, bytes_of};
use super::{Loglanes, timing};
use crate::error::Error;
use crate::snapshot;

/// Takes what was saved, piece by piece, and gives the state back. Use `add` for chunks of the
/// store or `feedFile` for an exported file, not both.
#[wasm_bindgen]
#[derive(Default)]
pub struct Restorer {
    chunks: snapshot::Restorer,
    file: Option<snapshot::FileReader>,
}

#[wasm_bindgen]
impl Restorer {
    /// Nothing yet.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        timing::begin("restore");
        Self::default()
    }

    /// A chunk as `changes()` gave it.
    pub fn add(
        &mut self,
        key: &str,
        #[wasm_bindgen(unchecked_param_type = "Uint8Array")] bytes: &JsValue,
    ) -> Result<(), Thrown> {
        let bytes = bytes_of("A chunk", bytes)?;
        Ok(self.chunks.add(key, &bytes)?)
    }

    /// The next piece of an exported file, of any size.
    #[wasm_bindgen(js_name = feedFile)]
    pub fn feed_file(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Uint8Array")] bytes: &JsValue,
    ) -> Result<(), Thrown> {
        let bytes = bytes_of("A piece of a file", bytes)?;
        Ok(self.file.get_or_insert_default().feed(&bytes)?)
    }

    /// The state. It throws if anything is missing or damaged; nothing is loaded half.
    pub fn finish(self) -> Result<Loglanes, Thrown> {
        let restored = match self.file {
            Some(file) if self.chunks.is_empty() => Ok(Loglanes::of(file.finish()?)),
            Some(_) => {
                Err(Error::loglanes("A file and chunks cannot be restored together.").into())
            }
            None => Ok(Loglanes::of(self.chunks.finish()?)),
        };
        timing::end("restore");
        restored
    }
}
