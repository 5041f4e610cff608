/** @file Resetting a group’s offsets as Kafka’s own tool does: what it would do is seen first. */
import { h } from "../../dom.js";
import { answer } from "./answer.js";
import { CopyButton } from "./copy.js";
import { field, scroller, segmented, textInput } from "./field.js";
import { FormDialog } from "./dialog.js";
import { NOT_INT64, int64 } from "./numbers.js";

/** @typedef {import("../../../src/wasm/types.d.ts").GroupView} GroupView */
/** @typedef {import("../../../src/wasm/types.d.ts").ResetRequest} ResetRequest */
/** @typedef {import("../../../src/wasm/types.d.ts").ResetTo} ResetTo */
/** @typedef {import("../../types.d.ts").EngineApi} EngineApi */

/** The options of the tool, with what each is asked for. */
const MODES = [
  { value: "earliest", text: "--to-earliest", asks: "" },
  { value: "latest", text: "--to-latest", asks: "" },
  { value: "current", text: "--to-current", asks: "" },
  { value: "offset", text: "--to-offset", asks: "Offset", example: "0" },
  { value: "shift", text: "--shift-by", asks: "By how many offsets", example: "-10" },
  { value: "datetime", text: "--to-datetime", asks: "Time, UTC unless a zone follows; with milliseconds", example: "2026-01-01T00:00:00.000" },
  { value: "duration", text: "--by-duration", asks: "How far back", example: "PT1H" },
  { value: "file", text: "--from-file", asks: "Lines of topic,partition,offset", example: "" },
];

/** The most warnings that are listed; a topic may have thousands of partitions. */
const LISTED = 8;

/**
 * What Kafka’s tool says, in its own words, and what that means.
 * @param {string[]} texts
 * @param {string} meaning
 * @returns {HTMLElement[]}
 */
function warnings(texts, meaning) {
  if (texts.length === 0) return [];
  const more = texts.length - LISTED;
  return [h("div", { class: "notice" },
    ...texts.slice(0, LISTED).map((text) => h("p", null, text)),
    more > 0 && h("p", null, `… and ${more} more.`),
    h("p", { class: "hint" }, meaning))];
}

export class ResetDialog {
  #dialog;
  #mode = h("select", { onchange: () => this.#chooseMode() }, ...MODES.map(({ value, text }) => new Option(text, value)));
  #value = textInput({ class: "mono", oninput: () => this.#preview() });
  #csv = h("textarea", { class: "mono", rows: 4, spellcheck: "false", oninput: () => this.#preview() });
  #valueLabel = h("label");
  #valueBox;
  #csvBox;
  #scope;
  #topics = textInput({ class: "mono", oninput: () => this.#preview() });
  #scopeBox;
  #topicsBox;
  #shown = h("div", { class: "reset-preview", "aria-live": "polite" });
  /** @type {{ engine: EngineApi, group: GroupView } | null} */
  #open = null;
  #run;

  /** @param {(request: ResetRequest) => void} run */
  constructor(run) {
    this.#run = run;
    this.#valueBox = field("Value", this.#value);
    this.#valueLabel = /** @type {HTMLLabelElement} */ (this.#valueBox.querySelector("label"));
    this.#csvBox = field("Lines of topic,partition,offset", this.#csv, "As --export writes them: no header, no empty line. A line without an offset means offset 0, as in Kafka’s tool.");
    this.#scope = segmented("Scope", [{ value: "all", text: "--all-topics" }, { value: "some", text: "--topic" }], "all", () => this.#preview());
    this.#scopeBox = h("div", { class: "field" }, h("span", { class: "label" }, "Partitions"), this.#scope.element,
      h("p", { class: "hint" }, "--all-topics means every partition that has a commit."));
    this.#topicsBox = field("Topics", this.#topics, "Separated by spaces; with partitions as orders:0,2");
    this.#dialog = new FormDialog({
      title: "Reset offsets", act: "Execute",
      body: [h("div", { class: "stack" }, field("Mode", this.#mode), this.#valueBox, this.#csvBox, this.#scopeBox, this.#topicsBox,
        h("h3", null, "Dry run: nothing is changed yet"), this.#shown)],
      submit: () => this.#submit(),
    });
    this.refusal = this.#dialog.refusal;
    this.element = this.#dialog.element;
    this.element.classList.add("wide");
  }

  /**
   * @param {EngineApi} engine
   * @param {GroupView} group
   * @param {string | undefined} topic what the page shows
   */
  open(engine, group, topic) {
    this.#open = { engine, group };
    this.#topics.value = topic ?? "";
    this.#dialog.open(`Reset offsets of ${group.id}`);
    this.#chooseMode();
  }

  close() {
    this.#dialog.close();
  }

  #chosen() {
    return MODES.find(({ value }) => value === this.#mode.value);
  }

  #chooseMode() {
    const mode = this.#chosen();
    this.#valueBox.hidden = !mode?.asks || mode.value === "file";
    this.#csvBox.hidden = mode?.value !== "file";
    this.#scopeBox.hidden = mode?.value === "file";
    this.#valueLabel.textContent = mode?.asks ?? "";
    this.#value.value = mode?.example ?? "";
    this.#preview();
  }

  /** @returns {ResetTo | string} what is wrong with it, where it cannot even be asked */
  #to() {
    const text = this.#value.value;
    switch (this.#mode.value) {
      case "offset": case "shift": {
        const number = int64(text);
        if (number === null) return `“${text}” ${NOT_INT64}`;
        return this.#mode.value === "offset" ? { mode: "offset", offset: number } : { mode: "shift", by: number };
      }
      case "datetime": return { mode: "datetime", datetime: text };
      case "duration": return { mode: "duration", duration: text };
      case "file": return { mode: "file", csv: this.#csv.value };
      case "latest": return { mode: "latest" };
      case "current": return { mode: "current" };
      default: return { mode: "earliest" };
    }
  }

  /** @returns {ResetRequest | string} */
  #request() {
    const to = this.#to();
    if (typeof to === "string" || !this.#open) return /** @type {string} */ (to);
    const some = this.#scope.value === "some" && to.mode !== "file";
    const topics = this.#topics.value.split(/\s+/).filter((topic) => topic !== "");
    return { group: this.#open.group.id, ...(some && { topics }), to };
  }

  #preview() {
    this.#topicsBox.hidden = this.#scope.value !== "some" || this.#mode.value === "file";
    this.refusal.clear();
    const request = this.#request();
    if (typeof request === "string" || !this.#open) return this.#shown.replaceChildren(h("p", { class: "hint" }, String(request)));
    const { engine } = this.#open;
    this.#shown.replaceChildren(...answer(() => {
      const { plan, table, csv } = engine.resetPlan(request);
      const copy = new CopyButton("Copy as CSV (--export)", () => csv, { disabled: plan.rows.length === 0 });
      return [
        ...warnings(plan.notices, "A partition without a record since then goes to its end, whether it is empty or not."),
        ...warnings(plan.warnings, "Kafka’s tool says so in its log alone, and commits these offsets all the same."),
        ...(plan.rows.length === 0 ? [h("p", { class: "hint" }, "Nothing would be reset: no partition of these has a commit. Name topics to give them one.")] : []),
        scroller("What would be committed", h("pre", { class: "tool-text" }, table)),
        h("div", null, copy.button, copy.answer),
      ];
    }));
  }

  #submit() {
    const request = this.#request();
    if (typeof request === "string") this.refusal.say(request);
    else this.#run(request);
  }
}
