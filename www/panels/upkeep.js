/** @file A topic's configs, and what becomes of its old records: by hand, or as the clock goes on. */
import { count, h } from "../dom.js";
import { ConfigTable } from "./parts/config-table.js";
import { button, field, numberInput } from "./parts/field.js";
import { setOptions, setText } from "./parts/keep.js";
import { NOT_INT64, int64, plural } from "./parts/numbers.js";
import { Panel } from "./parts/panel.js";
import { RefusalOutput } from "./parts/refusal.js";
import { ToolText } from "./parts/tool-text.js";
import { upkeepAnswer } from "./parts/upkeep-answer.js";

/** @typedef {import("../types.d.ts").PageState} PageState */
/** @typedef {import("../../src/wasm/types.d.ts").Outcome} Outcome */
/** @typedef {import("../../src/wasm/types.d.ts").TopicView} TopicView */

/** What the clock is put forward by. */
const SPANS = [
  { text: "15 seconds: one round of the cleaner", ms: 15_000 },
  { text: "5 minutes: one check for old segments", ms: 300_000 },
  { text: "1 hour", ms: 3_600_000 },
  { text: "1 day: delete.retention.ms", ms: 86_400_000 },
  { text: "7 days: segment.ms and retention.ms", ms: 604_800_000 },
  { text: "30 days", ms: 2_592_000_000 },
];

export class UpkeepPanel extends Panel {
  #table = new ConfigTable((op, answer) => this.#ask({ type: "alterConfigs", topic: this.#topicName, ops: [op] }, answer));
  #partition = h("select");
  #before = numberInput({ class: "number mono", placeholder: "all: -1" });
  #deleted = new ToolText("a deletion of these records", [{
    name: "kafka-delete-records",
    request: () => {
      const before = this.#limit();
      return before === null ? "Give the offset of the first record to stay." : { tool: "deleteRecords", topic: this.#topicName, partition: Number(this.#partition.value), before };
    },
  }]);
  #described = new ToolText("the configs", [
    { name: "--describe", request: () => ({ tool: "describeConfigs", topic: this.#topicName, all: false }) },
    { name: "--describe --all", request: () => ({ tool: "describeConfigs", topic: this.#topicName, all: true }) },
  ]);
  #span = h("select");
  #dirt = h("p", { class: "hint" });
  #heading = h("h2", null, "Configs");
  #answer = h("output", { class: "stack upkeep-answer" });
  #clockAnswer = h("output", { class: "stack upkeep-answer" });
  #clockRefusal = new RefusalOutput();
  #nothing = h("p", { class: "soft" }, "There is no topic yet.");
  #content;
  #topicName = "";
  /** Where the answer to the last command is shown. @type {HTMLElement | null} */
  #place = null;

  /** @param {HTMLElement} root */
  constructor(root) {
    super(root);
    setOptions(this.#span, SPANS.map(({ text, ms }) => ({ value: String(ms), text })), "300000");
    const deletion = h("form", {
      novalidate: true, class: "row low",
      oninput: () => this.#deleted.show(),
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        this.#delete();
      },
    }, field("Partition", this.#partition), field("Delete records before offset", this.#before), h("button", { type: "submit" }, "Delete records"));
    this.#content = h("div", { class: "upkeep" },
      h("div", { class: "stack" },
        h("section", { class: "stack", "aria-labelledby": "old-title" },
          h("h2", { id: "old-title" }, "Old records"),
          h("div", { class: "row" },
            button("Run retention", () => this.#ask({ type: "runRetention", topic: this.#topicName })),
            button("Run cleaner", () => this.#ask({ type: "runCleaner", topic: this.#topicName }))),
          this.#dirt, deletion, this.refusal.element, this.#answer, this.#deleted.element,
          h("p", { class: "hint" }, "Retention takes whole segments, the oldest first, and stops at the first that is young enough. The cleaner keeps the last record of each key, and never looks at the active segment. Offsets keep their numbers: gaps remain.")),
        h("section", { class: "stack", "aria-labelledby": "clock-title" },
          h("h2", { id: "clock-title" }, "The clock"),
          h("div", { class: "row low" }, field("Put the cluster’s clock forward by", this.#span),
            button("Advance", () => this.#ask({ type: "advanceClock", ms: Number(this.#span.value) }, this.#clockRefusal, this.#clockAnswer))),
          this.#clockRefusal.element, this.#clockAnswer,
          h("p", { class: "hint" }, "The brokers look for old segments 30 seconds after the cluster’s first act, then every 5 minutes; the cleaner looks for a dirty log every 15 seconds. Both also come while the page is open."))),
      h("section", { class: "stack", "aria-label": "Configs" }, this.#heading, this.#described.element, this.#table.element));
    root.append(this.#nothing, this.#content);
  }

  /** @param {PageState} state */
  update({ engine, topic }) {
    this.#nothing.hidden = topic !== null;
    this.#content.hidden = topic === null;
    if (!topic) return;
    if (topic.name !== this.#topicName) {
      this.#topicName = topic.name;
      this.refusal.clear();
      this.#answer.replaceChildren();
      this.#before.value = "";
    }
    setText(this.#heading, `Configs of ${topic.name}`);
    setOptions(this.#partition, topic.partitions.map(({ partition, logStartOffset, highWatermark }) => (
      { value: String(partition), text: `P${partition}: ${count(logStartOffset)} to ${count(highWatermark)}` })));
    setText(this.#dirt, dirt(topic));
    this.#table.update(engine.configs(topic.name));
    this.#described.update(engine);
    this.#deleted.update(engine);
  }

  /**
   * @param {import("../../src/wasm/types.d.ts").Command} command
   * @param {RefusalOutput} [refusal]
   * @param {HTMLElement | null} [place]
   */
  #ask(command, refusal = this.refusal, place = this.#answer) {
    this.#place = place;
    place?.replaceChildren();
    this.command(command, refusal);
  }

  /** The offset that is typed, -1 where none is; null if it is none. */
  #limit() {
    const typed = this.#before.value.trim();
    return typed === "" ? -1n : int64(typed);
  }

  #delete() {
    const before = this.#limit();
    if (before === null) {
      this.#answer.replaceChildren();
      this.refusal.say(`The offset “${this.#before.value.trim()}” ${NOT_INT64}`);
      return;
    }
    this.#ask({ type: "deleteRecords", topic: this.#topicName, partition: Number(this.#partition.value), before });
  }

  /** @override @param {Outcome} outcome */
  done(outcome) {
    super.done(outcome);
    this.#place?.replaceChildren(...upkeepAnswer(outcome));
  }
}

/** What the cleaner would find. @param {TopicView} topic */
function dirt({ partitions }) {
  const compacted = partitions.flatMap(({ partition, cleaner }) => (cleaner ? [{ partition, ...cleaner }] : []));
  if (compacted.length === 0) return "";
  const due = compacted.filter(({ cleanableRatio, minCleanableDirtyRatio }) => cleanableRatio !== null && cleanableRatio > minCleanableDirtyRatio);
  const words = due.length === 0 ? "No partition is dirty enough for the cleaner now." : `The cleaner would take ${plural(due.length, "partition")} now.`;
  return `${words} Dirty: ${compacted.slice(0, 12).map(({ partition, cleanableRatio }) => `P${partition} ${cleanableRatio === null ? "nothing closed yet" : `${Math.round(cleanableRatio * 100)} %`}`).join(", ")}${compacted.length > 12 ? "…" : ""}.`;
}
