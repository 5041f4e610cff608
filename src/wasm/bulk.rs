//! Long work in short pieces, and many records in one call.

use wasm_bindgen::prelude::*;

use super::convert::{Thrown, bytes_of, count, ms, to_js};
use super::from_js::from_js;
use super::{JsCommand, JsOutcome, Loglanes, timing};
use crate::command::Command;
use crate::error::Error;
use crate::log::NewRecord;
use crate::record_set::RecordSet;

#[wasm_bindgen]
extern "C" {
    /// See `types.d.ts`.
    #[wasm_bindgen(typescript_type = "ImportSpec")]
    pub type JsImportSpec;
    /// See `types.d.ts`.
    #[wasm_bindgen(typescript_type = "JobProgress")]
    pub type JsJobProgress;
}

#[wasm_bindgen]
impl Loglanes {
    /// Begins to import a file: then `feed` it, piece by piece, and `finish`. `bytes`: how long it
    /// is, so that the log can make room in time.
    #[wasm_bindgen(js_name = beginImport)]
    pub fn begin_import(
        &mut self,
        spec: JsImportSpec,
        now: f64,
        bytes: Option<f64>,
    ) -> Result<JsJobProgress, Thrown> {
        let begun = self.session.begin_import(from_js("import", &spec)?, ms(now))?;
        if let Some(bytes) = bytes {
            self.session.expect_bytes(bytes as u64);
        }
        timing::begin(begun.kind);
        to_js(&begun)
    }

    /// Begins to generate records: then `step` until all are there, and `finish`.
    #[wasm_bindgen(js_name = beginGenerate)]
    pub fn begin_generate(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "GenerateCommand")] command: JsCommand,
        now: f64,
    ) -> Result<JsJobProgress, Thrown> {
        let begun = self.session.begin_generate(from_js("generation", &command)?, ms(now))?;
        timing::begin(begun.kind);
        to_js(&begun)
    }

    /// The next bytes of the file.
    pub fn feed(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Uint8Array")] bytes: &JsValue,
    ) -> Result<JsJobProgress, Thrown> {
        let bytes = bytes_of("A piece of a file", bytes)?;
        self.insights.changed();
        to_js(&self.session.feed(&bytes)?)
    }

    /// Generates the next so many records.
    pub fn step(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "number")] records: &JsValue,
    ) -> Result<JsJobProgress, Thrown> {
        let records = count("The number of records", records)? as u64;
        self.insights.changed();
        to_js(&self.session.step(records)?)
    }

    /// The job is done: it counts as one act from now on.
    pub fn finish(&mut self) -> Result<JsOutcome, Thrown> {
        self.insights.changed();
        let (outcome, done) = self.session.finish()?;
        timing::end(done.kind);
        to_js(&outcome)
    }

    /// The file is over; what became of its last record is in the progress. Again, while that is
    /// `pending`.
    pub fn end(&mut self) -> Result<JsJobProgress, Thrown> {
        self.insights.changed();
        to_js(&self.session.end()?)
    }

    /// How far the job is that runs; null without one. A piece that is refused may have been taken
    /// in part.
    #[wasm_bindgen(js_name = jobProgress, unchecked_return_type = "JobProgress | null")]
    pub fn job_progress(&self) -> Result<JsValue, Thrown> {
        to_js(&self.session.job())
    }

    /// Ends the job early. What is in stays, and counts as one act.
    pub fn cancel(&mut self) -> Result<JsOutcome, Thrown> {
        self.insights.changed();
        let (outcome, done) = self.session.cancel()?;
        timing::end(done.kind);
        to_js(&outcome)
    }

    /// Sends many records in one call, as one act. `bytes` has key and value of each, one after
    /// the other; `lengths` has two numbers for each record, of its key and of its value, -1 for
    /// none. Records the client or the broker refuses are counted in the answer.
    #[wasm_bindgen(js_name = produceMany)]
    pub fn produce_many(
        &mut self,
        topic: &str,
        #[wasm_bindgen(unchecked_param_type = "Uint8Array")] bytes: &JsValue,
        lengths: &[i32],
        now: f64,
    ) -> Result<JsOutcome, Thrown> {
        let bytes = bytes_of("The records", bytes)?;
        let timestamp = self.session.cluster().clock(ms(now));
        let records = record_set(&bytes, lengths, timestamp)?;
        let topic = topic.to_owned();
        to_js(
            &self.run(
                Command::ProduceMany { topic, producer: None, partitioner: None, records },
                now,
            )?,
        )
    }
}

fn record_set(bytes: &[u8], lengths: &[i32], timestamp: i64) -> Result<RecordSet, Error> {
    let mut rest = bytes;
    let mut take = |length: i32| -> Result<Option<&[u8]>, Error> {
        let Ok(length) = usize::try_from(length) else {
            let none = if length == -1 { Ok(None) } else { Err(bad_lengths()) };
            return none;
        };
        let (taken, after) = rest.split_at_checked(length).ok_or_else(bad_lengths)?;
        rest = after;
        Ok(Some(taken))
    };
    let mut set = RecordSet::builder();
    for pair in lengths.chunks(2) {
        let &[key, value] = pair else { return Err(bad_lengths()) };
        let (key, value) = (take(key)?, take(value)?);
        set.push(&NewRecord { timestamp, key, value, headers: &[] })?;
    }
    if !rest.is_empty() {
        return Err(bad_lengths());
    }
    Ok(set.finish())
}

fn bad_lengths() -> Error {
    Error::loglanes("The lengths do not fit the bytes.")
        .with_hint("Two for each record, -1 for none; together they cover all bytes.")
}
