//! Files: a look at one before it comes in, and records on their way into one.

use wasm_bindgen::prelude::*;

use super::Loglanes;
use super::convert::{Thrown, bytes_of, to_js};
use super::from_js::from_js;
use crate::interchange::segment::{LogFiles, LogPlan};
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

    /// How many more bytes the logs may hold.
    pub fn room(&self) -> f64 {
        self.session.cluster().room() as f64
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

    /// What lies in a broker's directories, by paths and sizes of files. Throws if that is too much
    /// to be copied in one act.
    #[wasm_bindgen(js_name = logPlan, unchecked_return_type = "LogPlan")]
    pub fn log_plan(&self, paths: Vec<String>, sizes: Vec<f64>) -> Result<JsValue, Thrown> {
        let sizes = sizes.iter().map(|&size| size as u64);
        let plan = LogPlan::of(paths.iter().map(String::as_str).zip(sizes));
        plan.check()?;
        to_js(&plan)
    }

    /// Copies `.log` files of a broker, or zip archives of them, into partitions that never had a
    /// record: each into the partition that its directory is named after, of `topic` or without one
    /// of the topic that is named there too; else into `partition`. All of it is one act.
    #[wasm_bindgen(js_name = copyLog, unchecked_return_type = "Outcome")]
    pub fn copy_log(
        &mut self,
        topic: Option<String>,
        partition: i32,
        names: Vec<String>,
        #[wasm_bindgen(unchecked_param_type = "Uint8Array[]")] contents: Vec<JsValue>,
        now: f64,
    ) -> Result<JsValue, Thrown> {
        let mut files = LogFiles::new();
        for (name, content) in names.iter().zip(&contents) {
            files.take(name, bytes_of("The content of a file", content)?)?;
        }
        let copy = files.copy(topic.as_deref(), partition)?;
        // For a moment they are there several times; the command has its own.
        drop(files);
        to_js(&self.run(copy, now)?)
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

    /// The next part of the file, which may be of no bytes; null after the last.
    #[wasm_bindgen(js_name = exportNext)]
    pub fn export_next(&mut self) -> Result<Option<Vec<u8>>, Thrown> {
        let Some(export) = self.records_export.as_mut() else { return Ok(None) };
        Ok(export.next(self.session.cluster())?)
    }

    /// How far the file is that was begun last.
    #[wasm_bindgen(js_name = exportProgress)]
    pub fn export_progress(&self) -> Result<JsExportProgress, Thrown> {
        to_js(&self.records_export.as_ref().map(Export::progress).unwrap_or_default())
    }
}
