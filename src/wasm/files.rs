//! Files: a look at one before it comes in, and records on their way into one.

use wasm_bindgen::prelude::*;

use super::Loglanes;
use super::convert::{Thrown, bytes_of, to_js};
use super::from_js::from_js;
use crate::interchange::segment::LogFiles;
use crate::interchange::{self, Export};

#[wasm_bindgen]
extern "C" {
    /// See `types.d.ts`.
    #[wasm_bindgen(typescript_type = "Inspection")]
    pub type JsInspection;
    /// See `types.d.ts`.
    #[wasm_bindgen(typescript_type = "Preview")]
    pub type JsPreview;
    /// See `types.d.ts`.
    #[wasm_bindgen(typescript_type = "ExportSpec")]
    pub type JsExportSpec;
    /// See `types.d.ts`.
    #[wasm_bindgen(typescript_type = "ExportProgress")]
    pub type JsExportProgress;
}

#[wasm_bindgen]
impl Loglanes {
    /// A first look at a file, given its beginning.
    pub fn inspect(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Uint8Array")] head: &JsValue,
    ) -> Result<JsInspection, Thrown> {
        to_js(&interchange::inspect(&bytes_of("The beginning of a file", head)?))
    }

    /// What an import would make of the beginning of a file. `whole`: it is all of it.
    pub fn preview(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Uint8Array")] head: &JsValue,
        whole: bool,
        #[wasm_bindgen(unchecked_param_type = "ImportSpec")] spec: JsValue,
        partitions: Option<i32>,
    ) -> Result<JsPreview, Thrown> {
        let head = bytes_of("The beginning of a file", head)?;
        let spec = from_js("import", &spec)?;
        to_js(&interchange::preview(&head, whole, &spec, partitions)?)
    }

    /// Copies `.log` files of a broker, or zip archives of them, into partitions of a topic that
    /// never had a record: each into the partition that its directory is named after, else into
    /// `partition`. One act for each partition.
    #[wasm_bindgen(js_name = copyLog, unchecked_return_type = "Outcome[]")]
    pub fn copy_log(
        &mut self,
        topic: &str,
        partition: i32,
        names: Vec<String>,
        #[wasm_bindgen(unchecked_param_type = "Uint8Array[]")] contents: Vec<JsValue>,
        now: f64,
    ) -> Result<JsValue, Thrown> {
        let mut files = LogFiles::new();
        for (name, content) in names.iter().zip(&contents) {
            files.take(name, bytes_of("The content of a file", content)?)?;
        }
        let mut outcomes = Vec::new();
        for copy in files.copies(topic, partition)? {
            outcomes.push(self.run(copy, now)?);
        }
        to_js(&outcomes)
    }

    /// A zip archive for a real cluster: topics, records and committed offsets, with a script of
    /// Kafka's own commands. `topics`: which; none: all.
    pub fn bundle(&self, topics: Option<Vec<String>>) -> Result<Vec<u8>, Thrown> {
        let topics = topics.unwrap_or_default();
        Ok(interchange::bundle::Bundle::of(self.session.cluster(), &topics)?.zip()?)
    }

    /// Begins to write records into a file: then `exportNext` until it is null.
    #[wasm_bindgen(js_name = beginExport)]
    pub fn begin_export(&mut self, spec: JsExportSpec) -> Result<JsExportProgress, Thrown> {
        let export = Export::begin(self.session.cluster(), &from_js("export", &spec)?)?;
        let begun = export.progress();
        self.records_export = Some(export);
        to_js(&begun)
    }

    /// The next part of the file; null after the last.
    #[wasm_bindgen(js_name = exportNext)]
    pub fn export_next(&mut self) -> Result<Option<Vec<u8>>, Thrown> {
        let Some(export) = self.records_export.as_mut() else { return Ok(None) };
        let part = export.next(self.session.cluster())?;
        if part.is_none() {
            self.records_export = None;
        }
        Ok(part)
    }

    /// How far the file is.
    #[wasm_bindgen(js_name = exportProgress)]
    pub fn export_progress(&self) -> Result<JsExportProgress, Thrown> {
        to_js(&self.records_export.as_ref().map(Export::progress).unwrap_or_default())
    }
}
