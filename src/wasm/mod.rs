//! The boundary to JavaScript: the only place that knows wasm-bindgen.
//!
//! It holds a session, converts and delegates; there are no rules here. What crosses it is
//! written down in `types.d.ts`. Offsets are `bigint`, bytes are `Uint8Array` (copied, never
//! views of the memory), refusals are thrown as errors with `name`, `code` and `hint`.

mod bulk;
mod convert;
mod files;
mod from_js;
mod insights;
mod restorer;
mod scenario;
mod timing;

use wasm_bindgen::prelude::*;

use convert::{MAX_LISTED, Thrown, at_most, count, ms, optional_bytes_of, to_js, whole};
use from_js::from_js;
use insights::Insights;

use crate::command::{Command, Produce};
use crate::error::{Error, ErrorCode};
use crate::group::{Call, ResetPlan, ResetTo};
use crate::insight::{Tag, split, what_if};
use crate::outcome::Outcome;
use crate::session::Session;
use crate::topic::{Partition, Topic};
use crate::view::{self, ClusterView};
use crate::{interchange, snapshot};

pub use restorer::Restorer;
pub use scenario::{ScenarioPlayer, read_scenario, scenario_commands};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("types.d.ts");

#[wasm_bindgen]
extern "C" {
    /// See `types.d.ts`.
    #[wasm_bindgen(typescript_type = "Command")]
    pub type JsCommand;
    /// See `types.d.ts`.
    #[wasm_bindgen(typescript_type = "Outcome")]
    pub type JsOutcome;
    /// See `types.d.ts`.
    #[wasm_bindgen(typescript_type = "ClusterView")]
    pub type JsClusterView;
    /// See `types.d.ts`.
    #[wasm_bindgen(typescript_type = "PartitionerInfo[]")]
    pub type JsPartitioners;
    /// See `types.d.ts`.
    #[wasm_bindgen(typescript_type = "ResetRequest")]
    pub type JsResetRequest;
    /// See `types.d.ts`.
    #[wasm_bindgen(typescript_type = "ResetPreview")]
    pub type JsResetPreview;
    /// See `types.d.ts`.
    #[wasm_bindgen(typescript_type = "ConsumerCall")]
    pub type JsConsumerCall;
    /// See `types.d.ts`.
    #[wasm_bindgen(typescript_type = "Said")]
    pub type JsSaid;
    /// See `types.d.ts`.
    #[wasm_bindgen(typescript_type = "ToolRequest")]
    pub type JsToolRequest;
    /// See `types.d.ts`.
    #[wasm_bindgen(typescript_type = "Printed")]
    pub type JsPrinted;
    /// See `types.d.ts`.
    #[wasm_bindgen(typescript_type = "RecordDraft")]
    pub type JsDraft;
    /// See `types.d.ts`.
    #[wasm_bindgen(typescript_type = "Placement")]
    pub type JsPlacement;
    /// See `types.d.ts`.
    #[wasm_bindgen(typescript_type = "RecordSummary[]")]
    pub type JsSummaries;
    /// See `types.d.ts`.
    #[wasm_bindgen(typescript_type = "TransactionSpan[]")]
    pub type JsTransactions;
    /// See `types.d.ts`.
    #[wasm_bindgen(typescript_type = "RecordDetail | null")]
    pub type JsRecord;
    /// See `types.d.ts`.
    #[wasm_bindgen(typescript_type = "KeyStats")]
    pub type JsKeyStats;
    /// See `types.d.ts`.
    #[wasm_bindgen(typescript_type = "WhatIf")]
    pub type JsWhatIf;
    /// See `types.d.ts`.
    #[wasm_bindgen(typescript_type = "SplitKeys")]
    pub type JsSplitKeys;
    /// See `types.d.ts`.
    #[wasm_bindgen(typescript_type = "HistoryEntry[]")]
    pub type JsHistory;
    /// See `types.d.ts`.
    #[wasm_bindgen(typescript_type = "Changes | null")]
    pub type JsChanges;
    /// See `types.d.ts`.
    #[wasm_bindgen(typescript_type = "ConfigView[]")]
    pub type JsConfigs;
}

/// A panic is a bug: it is printed with its place, then this instance is of no more use.
#[wasm_bindgen(start)]
fn start() {
    console_error_panic_hook::set_once();
}

/// A Kafka cluster in this tab, with its history.
#[wasm_bindgen]
pub struct Loglanes {
    session: Session,
    insights: Insights,
    export: Option<snapshot::Export>,
    records_export: Option<interchange::Export>,
}

impl Loglanes {
    fn of(session: Session) -> Self {
        Self { session, insights: Insights::default(), export: None, records_export: None }
    }

    fn topic(&self, name: &str) -> Result<&Topic, Thrown> {
        Ok(self.session.cluster().topic(name).ok_or_else(|| unknown_topic(name))?)
    }

    fn partition(&self, topic: &str, partition: &JsValue) -> Result<&Partition, Thrown> {
        let partition = whole("The partition", partition)?;
        let held = self.topic(topic)?.partition(partition);
        Ok(held.ok_or_else(|| no_partition(topic, partition))?)
    }

    /// The session went to another step.
    fn moved(&mut self) {
        let cluster = self.session.cluster();
        self.insights.cut(|name| cluster.topic(name));
    }

    fn run(&mut self, command: Command, now: f64) -> Result<Outcome, Thrown> {
        let is_deletion = matches!(command, Command::DeleteTopic { .. });
        let outcome = self.session.apply(command, ms(now))?;
        self.insights.changed();
        if is_deletion {
            let cluster = self.session.cluster();
            self.insights.retain(|name| cluster.topic(name).is_some());
        }
        Ok(outcome)
    }
}

#[wasm_bindgen]
impl Loglanes {
    /// An empty cluster of three brokers; its random choices follow from the seed.
    #[wasm_bindgen(constructor)]
    pub fn new(seed: i64) -> Self {
        Self::of(Session::new(seed))
    }

    /// Carries out a command; `now` is `Date.now()`. Throws a `LoglanesError`; then nothing has
    /// changed.
    pub fn apply(&mut self, command: JsCommand, now: f64) -> Result<JsOutcome, Thrown> {
        let command = from_js("command", &command)?;
        if matches!(command, Command::ProduceMany { .. }) {
            return Err(Error::loglanes("A produceMany command brings no records with it.")
                .with_hint("Call the method produceMany, which takes them as bytes.")
                .into());
        }
        if matches!(command, Command::CopyLog { .. } | Command::CopyLogs { .. }) {
            return Err(Error::loglanes("A copyLog command brings no files with it.")
                .with_hint("Call the method copyLog, which takes them as bytes.")
                .into());
        }
        to_js(&self.run(command, now)?)
    }

    /// One record with a key and a value, sent and flushed: the short way to `apply`. Gives the
    /// partition; the record has that partition's last offset.
    pub fn produce(
        &mut self,
        topic: &str,
        #[wasm_bindgen(unchecked_param_type = "Uint8Array | null")] key: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "Uint8Array | null")] value: &JsValue,
        now: f64,
    ) -> Result<i32, Thrown> {
        let record = Produce {
            topic: topic.to_owned(),
            key: optional_bytes_of("The key", key)?.map(Into::into),
            value: optional_bytes_of("The value", value)?.map(Into::into),
            ..Produce::default()
        };
        match self.run(Command::Produce(record), now)? {
            Outcome::Produced { partition, .. } => Ok(partition),
            _ => Err(Error::loglanes("The record was not sent.").into()),
        }
    }

    /// Takes the next records for a member of a group: the short way to a `poll` command.
    pub fn consume(
        &mut self,
        group: &str,
        member: &str,
        #[wasm_bindgen(unchecked_param_type = "number")] max_records: &JsValue,
        now: f64,
    ) -> Result<JsOutcome, Thrown> {
        let max_records = whole("The number of records", max_records)?;
        let (group, member) = (group.to_owned(), member.to_owned());
        to_js(&self.run(Command::Poll { group, member, max_records: Some(max_records) }, now)?)
    }

    /// Grows a topic to so many partitions: the short way to a `createPartitions` command.
    pub fn repartition(
        &mut self,
        topic: &str,
        #[wasm_bindgen(unchecked_param_type = "number")] total: &JsValue,
        now: f64,
    ) -> Result<JsOutcome, Thrown> {
        let total = whole("The number of partitions", total)?;
        to_js(&self.run(Command::CreatePartitions { topic: topic.to_owned(), total }, now)?)
    }

    /// Lets timers run that are due: sessions, metadata, the checks of the logs. Whether anything
    /// has changed.
    pub fn tick(&mut self, now: f64) -> bool {
        let has_changed = self.session.tick(ms(now));
        if has_changed {
            self.insights.changed();
        }
        has_changed
    }

    /// Goes to the state after the first `position` steps of the history, back or forward. What lies
    /// ahead then stays, until something is done.
    pub fn travel(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "number")] position: &JsValue,
    ) -> Result<(), Thrown> {
        let position = count("The number of steps", position)? as u64;
        let moved = self.session.travel(position);
        self.moved();
        Ok(moved?)
    }

    /// When the caller's clock shows `now`, the session's shows `shows`, and goes on from there; what a
    /// scenario made goes on from the scenario's time in this way.
    #[wasm_bindgen(js_name = setClock)]
    pub fn set_clock(&mut self, shows: f64, now: f64) {
        self.session.set_skew_ms(ms(shows).saturating_sub(ms(now)));
    }

    /// Takes up a course that was set aside, to its end. What lies ahead now is set aside.
    #[wasm_bindgen(js_name = takeUp)]
    pub fn take_up(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "number")] aside: &JsValue,
    ) -> Result<(), Thrown> {
        let aside = count("The number of a course", aside)? as u64;
        let moved = self.session.take_up(aside);
        self.moved();
        Ok(moved?)
    }

    /// Forgets a course that was set aside.
    #[wasm_bindgen(js_name = forgetAside)]
    pub fn forget_aside(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "number")] aside: &JsValue,
    ) -> Result<(), Thrown> {
        self.session.forget_aside(count("The number of a course", aside)? as u64);
        Ok(())
    }

    /// All there is, but for the records.
    pub fn view(&self, now: f64) -> Result<JsClusterView, Thrown> {
        to_js(&ClusterView::of(&self.session, ms(now)))
    }

    /// Every config of a topic, in the order of Kafka's tools.
    pub fn configs(&self, topic: &str) -> Result<JsConfigs, Thrown> {
        to_js(&view::configs(self.topic(topic)?))
    }

    /// Every client's partitioners, the Java client's first.
    pub fn partitioners(&self) -> Result<JsPartitioners, Thrown> {
        to_js(&view::partitioners())
    }

    /// Where a record would go, and why, without sending it.
    pub fn placement(&self, draft: JsDraft, now: f64) -> Result<JsPlacement, Thrown> {
        let draft: Produce = from_js("record", &draft)?;
        to_js(&view::placement(self.session.cluster(), &draft, self.session.now(ms(now))))
    }

    /// What a `resetOffsets` command would commit, without doing it.
    #[wasm_bindgen(js_name = resetPlan)]
    pub fn reset_plan(&self, request: JsResetRequest, now: f64) -> Result<JsResetPreview, Thrown> {
        #[derive(serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Request {
            group: String,
            topics: Option<Vec<String>>,
            to: ResetTo,
        }
        #[derive(serde::Serialize)]
        struct Preview {
            plan: ResetPlan,
            table: String,
            csv: String,
        }
        let Request { group, topics, to } = from_js("reset", &request)?;
        let now = self.session.now(ms(now));
        let plan = self.session.cluster().reset_plan(&group, topics.as_deref(), &to, now)?;
        to_js(&Preview { table: plan.table(&group), csv: plan.csv(), plan })
    }

    /// What a consumer says to a call that changes nothing: `position`, `committed` and the like.
    pub fn ask(&self, request: JsConsumerCall, now: f64) -> Result<JsSaid, Thrown> {
        #[derive(serde::Deserialize)]
        struct Request {
            group: String,
            member: String,
            #[serde(rename = "ask")]
            call: Call,
        }
        let Request { group, member, call } = from_js("question to a consumer", &request)?;
        let now = self.session.now(ms(now));
        to_js(&self.session.cluster().ask(&group, &member, &call, now)?)
    }

    /// What one of Kafka's tools prints, and the command that would print it.
    #[wasm_bindgen(js_name = toolText)]
    pub fn tool_text(&self, request: JsToolRequest) -> Result<JsPrinted, Thrown> {
        let request: view::tools::ToolRequest = from_js("text of a tool", &request)?;
        to_js(&request.print(self.session.cluster())?)
    }

    /// How a key is drawn: see `laneTags`.
    #[wasm_bindgen(js_name = keyTag)]
    pub fn key_tag(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Uint8Array | null")] key: &JsValue,
    ) -> Result<u32, Thrown> {
        let key = optional_bytes_of("The key", key)?;
        Ok(Tag::new(key.as_deref(), Some(b"v"), false).0)
    }

    /// One number for each pixel of a lane, from an offset on; 0 where there is no record. It is
    /// of the first record in the pixel, or of the first one with that key (bits 0-25 of a tag).
    /// Bits 0-23: a hash of the key; 24-25: no key, empty, a key; 26: no value; 27: empty value;
    /// 28: headers; 29: a control record, alone.
    #[wasm_bindgen(js_name = laneTags)]
    pub fn lane_tags(
        &mut self,
        topic: &str,
        #[wasm_bindgen(unchecked_param_type = "number")] partition: &JsValue,
        from: i64,
        per_pixel: f64,
        width: u32,
        key: Option<u32>,
    ) -> Result<Vec<u32>, Thrown> {
        let partition = whole("The partition", partition)?;
        let held = self.session.cluster().topic(topic).ok_or_else(|| unknown_topic(topic))?;
        // There is no such lane: then all of it is empty.
        let partition = usize::try_from(partition).unwrap_or(usize::MAX);
        let lanes = self.insights.lanes(topic, held);
        Ok(lanes.tags(partition, from, per_pixel, width as usize, key.map(Tag)))
    }

    /// At most `limit` records from an offset on, in short, control records too; gaps are passed
    /// over.
    pub fn records(
        &self,
        topic: &str,
        #[wasm_bindgen(unchecked_param_type = "number")] partition: &JsValue,
        from: i64,
        #[wasm_bindgen(unchecked_param_type = "number")] limit: &JsValue,
    ) -> Result<JsSummaries, Thrown> {
        let held = self.partition(topic, partition)?;
        to_js(&view::summaries(held, from, at_most(limit)?).collect::<Vec<_>>())
    }

    /// What transactions made of the offsets from `from` up to `to`; what is part of none is left out.
    pub fn transactions(
        &self,
        topic: &str,
        #[wasm_bindgen(unchecked_param_type = "number")] partition: &JsValue,
        from: i64,
        to: i64,
    ) -> Result<JsTransactions, Thrown> {
        let held = self.partition(topic, partition)?;
        to_js(&view::transactions(&held.log, from, to, MAX_LISTED))
    }

    /// As `transactions`, of what is aborted or open; what is fewer than `apart` offsets apart is one.
    pub fn fates(
        &self,
        topic: &str,
        #[wasm_bindgen(unchecked_param_type = "number")] partition: &JsValue,
        from: i64,
        to: i64,
        apart: i64,
    ) -> Result<JsTransactions, Thrown> {
        let held = self.partition(topic, partition)?;
        to_js(&view::fates(&held.log, (from, to), MAX_LISTED, apart))
    }

    /// The record at an offset, with all there is to know of it; null in a gap.
    pub fn record(
        &self,
        topic: &str,
        #[wasm_bindgen(unchecked_param_type = "number")] partition: &JsValue,
        offset: i64,
    ) -> Result<JsRecord, Thrown> {
        let partition = whole("The partition", partition)?;
        to_js(&view::record(topic, self.topic(topic)?, partition, offset))
    }

    /// Whole batches of a partition as a broker sends them, from the one that holds an offset on:
    /// Kafka's own bytes, at most `maxBytes` of them but at least one batch; none at the end.
    pub fn fetch(
        &self,
        topic: &str,
        #[wasm_bindgen(unchecked_param_type = "number")] partition: &JsValue,
        offset: i64,
        #[wasm_bindgen(unchecked_param_type = "number")] max_bytes: &JsValue,
    ) -> Result<Vec<u8>, Thrown> {
        let held = self.partition(topic, partition)?;
        Ok(held.log.read(offset, count("The number of bytes", max_bytes)?)?.bytes.to_vec())
    }

    /// How the records of a topic are spread over keys and partitions.
    pub fn keys(
        &mut self,
        topic: &str,
        #[wasm_bindgen(unchecked_param_type = "number")] limit: &JsValue,
    ) -> Result<JsKeyStats, Thrown> {
        let held = self.session.cluster().topic(topic).ok_or_else(|| unknown_topic(topic))?;
        to_js(&self.insights.census(topic, held)?.stats(topic, at_most(limit)?))
    }

    /// What growing a topic to `total` partitions would do to the keys that are in it.
    #[wasm_bindgen(js_name = whatIf)]
    pub fn what_if(
        &mut self,
        topic: &str,
        #[wasm_bindgen(unchecked_param_type = "number")] total: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "number")] limit: &JsValue,
    ) -> Result<JsWhatIf, Thrown> {
        let total = whole("The number of partitions", total)?;
        let held = self.session.cluster().topic(topic).ok_or_else(|| unknown_topic(topic))?;
        let from = held.partitions.len() as u32;
        let census = self.insights.census(topic, held)?;
        to_js(&what_if(census, topic, from, u32::try_from(total).unwrap_or(0), at_most(limit)?)?)
    }

    /// The keys of a topic whose records lie in more than one partition.
    #[wasm_bindgen(js_name = splitKeys)]
    pub fn split_keys(
        &mut self,
        topic: &str,
        #[wasm_bindgen(unchecked_param_type = "number")] limit: &JsValue,
    ) -> Result<JsSplitKeys, Thrown> {
        #[derive(serde::Serialize)]
        struct SplitKeys {
            total: u32,
            keys: Vec<split::SplitKey>,
        }
        let held = self.session.cluster().topic(topic).ok_or_else(|| unknown_topic(topic))?;
        let census = self.insights.census(topic, held)?;
        to_js(&SplitKeys {
            total: split::count_split_keys(census) as u32,
            keys: split::split_keys(census, at_most(limit)?),
        })
    }

    /// Steps of the history, from step `from` on, counted from 0 at the cluster's beginning.
    pub fn history(
        &self,
        from: f64,
        #[wasm_bindgen(unchecked_param_type = "number")] limit: &JsValue,
    ) -> Result<JsHistory, Thrown> {
        to_js(&view::steps(self.session.history(), from as u64, at_most(limit)?))
    }

    /// The next step of a save; null if all is saved. Write all of it in one transaction, then
    /// call `saved` with its token.
    pub fn changes(&mut self) -> Result<JsChanges, Thrown> {
        to_js(&self.session.changes()?.map(view::ChangesView::from))
    }

    /// The step with that token is written for good.
    pub fn saved(&mut self, token: u32) {
        self.session.saved(token);
    }

    /// Nothing of this is saved where it will be saved next: everything is, with the next save.
    #[wasm_bindgen(js_name = forgetSaved)]
    pub fn forget_saved(&mut self) {
        self.session.forget_saved();
    }

    /// The parts of a file that holds everything, one after the other; null after the last.
    /// Ask for 0, 1, 2 and so on.
    #[wasm_bindgen(js_name = exportChunk)]
    pub fn export_chunk(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "number")] index: &JsValue,
    ) -> Result<Option<Vec<u8>>, Thrown> {
        if count("The number of a part", index)? == 0 {
            self.export = Some(snapshot::Export::default());
        }
        let Some(export) = self.export.as_mut() else { return Ok(None) };
        let part = export.next_part(&self.session)?;
        if part.is_none() {
            self.export = None;
        }
        Ok(part)
    }
}

fn unknown_topic(name: &str) -> Error {
    Error::code_alone(ErrorCode::UnknownTopicOrPartition)
        .with_hint(format!("There is no topic {name:?}."))
}

fn no_partition(topic: &str, partition: i32) -> Error {
    Error::code_alone(ErrorCode::UnknownTopicOrPartition)
        .with_hint(format!("There is no partition {topic}-{partition}."))
}
