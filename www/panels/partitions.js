/** @file A topic's partitions; what more of them would do to its keys, and what they did. */
import { count, h, size } from "../dom.js";
import { answer } from "./parts/answer.js";
import { ASSIGNMENT_NOTE, brokers } from "./parts/brokers.js";
import { button, field, longScroller, numberInput, scroller, textInput } from "./parts/field.js";
import { KeptList, setText, whileSeen } from "./parts/keep.js";
import { keyChip } from "./parts/key-chip.js";
import { NOT_INT32, int32, plural } from "./parts/numbers.js";
import { Panel } from "./parts/panel.js";
import { OffsetTimes } from "./parts/offset-times.js";
import { TopicLines } from "./parts/topic-lines.js";
import { ToolText } from "./parts/tool-text.js";
import { whatIfView } from "./parts/what-if-view.js";

/** @typedef {import("../types.d.ts").PageState} PageState */
/** @typedef {import("../../src/wasm/types.d.ts").Outcome} Outcome */
/** @typedef {import("../../src/wasm/types.d.ts").PartitionView} PartitionView */
/** @typedef {import("../../src/wasm/types.d.ts").SplitKey} SplitKey */
/** @typedef {import("../../src/wasm/types.d.ts").TopicView} TopicView */

/** How many moving and how many split keys are listed. */
const LISTED = 50;
/** With more records than this, insights wait until typing and producing pause. */
const MANY = 100_000;
/** How many rows of the table are shown before one asks for more. */
const ROWS = 200;
const COLUMNS = ["Partition", "Leader", "Replicas", "Log start offset", "High watermark", "Last stable offset", "Log end offset", "Records", "Size", "Segments"];

export class PartitionsPanel extends Panel {
  #body = h("tbody");
  #rows = new KeptList(this.#body, (/** @type {PartitionView} */ { partition }) => String(partition), () => new Row());
  #more = h("p");
  #limit = ROWS;
  #times = new OffsetTimes();
  #lines = new TopicLines();
  #printed = new ToolText("this topic", [
    { name: "kafka-topics", options: this.#lines.element, request: () => this.#lines.request(this.#topicName) },
    { name: "kafka-get-offsets", options: this.#times.element, request: () => this.#times.request(this.#topicName) },
    { name: "kafka-log-dirs", request: () => ({ tool: "describeLogDirs", topic: this.#topicName }) },
  ]);
  #total = numberInput({ size: 6 });
  #assignment = textInput({ class: "mono", maxlength: null });
  #from = h("span");
  #whatIf = h("div", { class: "stack what-if", "aria-live": "off" });
  #grown = h("output", { class: "grown" });
  /** Groups that do not know of the new partitions. */
  #unnoticed = h("p", { class: "notice", hidden: true });
  #split = h("div", { class: "stack" });
  #nothing = h("p", { class: "soft" }, "There is no topic yet.");
  #content;
  #renew;
  /** What the answers shown were computed from. */
  #computed = "";
  #topicName = "";
  /** @type {PageState | null} */
  #state = null;

  /** @param {HTMLElement} root */
  constructor(root) {
    super(root);
    this.#renew = whileSeen(root, () => this.#compute());
    this.#total.addEventListener("input", () => this.#renew((this.#state?.topic?.records ?? 0) > MANY ? 400 : 60));
    const form = h("form", {
      novalidate: true, class: "row low",
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        this.#grow();
      },
    },
      this.#from, field("to a total of", this.#total), h("button", { type: "submit" }, "Add partitions now"),
      h("details", null, h("summary", null, "Replicas by hand"), field("Replica assignment", this.#assignment, `Of the new partitions alone. ${ASSIGNMENT_NOTE}`)));
    this.#content = h("div", { class: "stack" },
      scroller("Partitions", h("table", { class: "partition-table" },
        h("thead", null, h("tr", null, ...COLUMNS.map((text, i) => h("th", { scope: "col", class: i === 2 ? null : "num" }, text)))), this.#body)),
      this.#more, this.#printed.element,
      h("section", { class: "stack", "aria-labelledby": "what-if-title" },
        h("h2", { id: "what-if-title" }, "What if it had more partitions?"), form, this.refusal.element, this.#grown, this.#unnoticed,
        h("p", { class: "hint" }, "Partitions can only be added. Old records stay where they are and nothing is renumbered; new partitions start empty at offset 0; new records of a key that moves land elsewhere, so its order is kept no longer."),
        this.#whatIf),
      h("section", { class: "stack", "aria-labelledby": "split-title" }, h("h2", { id: "split-title" }, "Split keys"), this.#split));
    root.append(this.#nothing, this.#content);
  }

  /** @param {PageState} state */
  update(state) {
    this.#state = state;
    const { topic } = state;
    this.#nothing.hidden = topic !== null;
    this.#content.hidden = topic === null;
    if (!topic) return;
    if (topic.name !== this.#topicName) {
      this.#topicName = topic.name;
      this.#limit = ROWS;
      this.#total.value = String(2 * topic.partitions.length);
      this.#assignment.value = "";
      this.refusal.clear();
      this.#grown.replaceChildren();
      this.#computed = "";
    }
    setText(this.#from, `From ${plural(topic.partitions.length, "partition")}`);
    this.#showRows(topic);
    this.#printed.update(state.engine);
    this.#showUnnoticed(state);
    if (state.view.job === null) this.#renew(topic.records > MANY ? 400 : 0);
  }

  /** @param {TopicView} topic */
  #showRows(topic) {
    const { partitions } = topic;
    this.#rows.update(partitions.slice(0, this.#limit));
    const hidden = partitions.length > this.#limit;
    if (hidden !== (this.#more.firstChild !== null)) {
      this.#more.replaceChildren(...(hidden ? [button(`Show all ${count(partitions.length)} rows`, () => {
        this.#limit = Infinity;
        this.#showRows(/** @type {TopicView} */ (this.#state?.topic));
      })] : []));
    }
  }

  /** @param {PageState} state */
  #showUnnoticed({ view, topic }) {
    const groups = view.groups.filter(({ unnoticed }) => unnoticed.some((one) => one.topic === topic?.name)).map(({ id }) => id);
    this.#unnoticed.hidden = groups.length === 0;
    const text = `Not noticed yet by ${groups.length === 1 ? "group" : "the groups"} ${groups.join(", ")}: nobody there reads the new partitions until then. `;
    if (groups.length === 0 || this.#unnoticed.firstChild?.textContent === text) return;
    this.#unnoticed.replaceChildren(text, button("See Groups", () => this.emit("show-panel", "groups"), { class: "link" }));
  }

  #compute() {
    const state = this.#state;
    if (!state?.topic) return;
    const { topic, engine } = state;
    const from = topic.partitions.length;
    const basis = [topic.topicId, from, this.#total.value, ...topic.partitions.map((p) => `${p.logStartOffset}-${p.logEndOffset}-${p.records}`)].join(" ");
    if (basis === this.#computed) return;
    this.#computed = basis;
    const highlight = (/** @type {number} */ tag, /** @type {Uint8Array} */ key) => this.emit("highlight", { tag, key });
    const total = int32(this.#total.value);
    this.#whatIf.replaceChildren(...answer(() => {
      if (total === null) return [h("p", { class: "soft" }, `“${this.#total.value}” ${NOT_INT32}`)];
      if (total <= from) return [h("p", { class: "soft" }, `${count(total)} would not be an increase: Kafka refuses it.`)];
      return whatIfView(engine.whatIf(topic.name, total, LISTED), this.#whatIf.clientWidth, highlight);
    }));
    this.#split.replaceChildren(...answer(() => this.#splitView(engine.splitKeys(topic.name, LISTED), topic.name, highlight)));
  }

  /**
   * @param {{ total: number, keys: SplitKey[] }} split
   * @param {string} topic
   * @param {(tag: number, key: Uint8Array) => void} highlight
   */
  #splitView({ total, keys }, topic, highlight) {
    if (total === 0) return [h("p", { class: "soft" }, "None: every key’s records lie in one partition, in order.")];
    const part = (/** @type {SplitKey["parts"][number]} */ { partition, records, firstOffset, lastOffset }) => h("li", null,
      button(firstOffset === lastOffset ? `P${partition} @ ${firstOffset}` : `P${partition} @ ${firstOffset}…${lastOffset}`,
        () => this.select({ topic, partition, offset: firstOffset }), { class: "link mono" }),
      h("span", { class: "hint" }, ` ${plural(records, "record")}`));
    const rows = keys.map(({ key, tag, records, parts }) => h("tr", null,
      h("td", null, keyChip(key, tag, () => highlight(tag, key))), h("td", { class: "num" }, count(records)),
      h("td", null, h("ul", { class: "parts" }, ...parts.map(part)))));
    return [
      h("p", null, `${plural(total, "key has", "keys have")} records in more than one partition: a consumer may see the newer ones first.`),
      longScroller("Split keys and where they lie", h("table", null,
        keys.length < total && h("caption", null, `The first ${count(keys.length)} of ${count(total)}`),
        h("thead", null, h("tr", null, h("th", { scope: "col" }, "Key"), h("th", { scope: "col", class: "num" }, "Records"), h("th", { scope: "col" }, "Where, first to last offset"))),
        h("tbody", null, ...rows))),
    ];
  }

  #grow() {
    this.#grown.replaceChildren();
    const total = int32(this.#total.value);
    const topic = this.#state?.topic;
    if (!topic) return;
    if (total === null) {
      this.refusal.say(this.#total.value.trim() === ""
        ? "The new total is empty, so there is nothing to send to Kafka."
        : `The new total “${this.#total.value}” ${NOT_INT32}`);
      return;
    }
    if (this.#assignment.value.trim() === "") {
      this.command({ type: "createPartitions", topic: topic.name, total });
      return;
    }
    const assignments = brokers(this.#assignment.value);
    if (assignments === null) this.refusal.say(`“${this.#assignment.value}” names no brokers: write 1:2,2:3.`);
    else this.command({ type: "createAssignedPartitions", topic: topic.name, total, assignments });
  }

  /** @override @param {Outcome} outcome */
  done(outcome) {
    super.done(outcome);
    if (outcome.type !== "partitionsCreated") return;
    this.#assignment.value = "";
    const { from, to } = outcome;
    this.#grown.replaceChildren(`Added ${to - from === 1 ? `partition ${from}` : `partitions ${from} to ${to - 1}`}, empty, at offset 0. The records before stay where they are.`);
  }
}

/** One partition's row. */
class Row {
  #cells = COLUMNS.map((_, i) => h(i === 0 ? "th" : "td", { class: i === 2 ? null : "num", scope: i === 0 ? "row" : null }));
  element = h("tr", null, ...this.#cells);

  /** @param {PartitionView} view */
  update({ partition, leader, replicas, logStartOffset, highWatermark, lastStableOffset, logEndOffset, records, bytes, segments }) {
    const texts = [
      String(partition), String(leader), replicas.join(", "), count(logStartOffset), count(highWatermark), count(lastStableOffset), count(logEndOffset),
      count(records), size(bytes), count(segments.length),
    ];
    texts.forEach((text, i) => setText(/** @type {Node} */ (this.#cells[i]), text));
    /** @type {HTMLElement} */ (this.#cells[8]).title = segments.slice(0, 20).map((s) => `${s.baseOffset}: ${size(s.bytes)}`).join("\n");
  }
}
