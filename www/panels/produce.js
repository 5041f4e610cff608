/** @file Sending a record, and seeing before that where it will land and why. */
import { h } from "../dom.js";
import { BytesField } from "./parts/bytes-field.js";
import { button, field, numberInput, textInput } from "./parts/field.js";
import { GenerateForm } from "./parts/generate-form.js";
import { HeadersField } from "./parts/headers-field.js";
import { setOptions, setText, whileSeen } from "./parts/keep.js";
import { keyChip } from "./parts/key-chip.js";
import { NOT_INT32, int32, moment, timestamp } from "./parts/numbers.js";
import { Panel } from "./parts/panel.js";
import { outline, placementView } from "./parts/placement-view.js";
import { Producers } from "./parts/producers.js";

/** @typedef {import("../types.d.ts").PageState} PageState */
/** @typedef {import("../../src/wasm/types.d.ts").RecordDraft} RecordDraft */
/** @typedef {import("../../src/wasm/types.d.ts").LoglanesError} LoglanesError */
/** @typedef {import("../../src/wasm/types.d.ts").Outcome} Outcome */

export class ProducePanel extends Panel {
  #key;
  #value;
  #headers;
  #timestamp = textInput({ class: "mono", placeholder: "automatic: the clock" });
  #partition = numberInput({ placeholder: "automatic" });
  #partitioner = h("select", null);
  #producers = new Producers();
  #rule = h("span");
  #timestampNote = h("span", null, "ms since 1970, or ISO 8601 (UTC unless it names a zone)");
  #chip = h("span", { class: "draft-key" });
  #landing = h("div", { class: "landing" });
  /** The outcome in one line, for those who do not see it change. */
  #spoken = h("p", { class: "unseen", role: "status" });
  #sent = h("output", { class: "sent" });
  #send = h("button", { type: "submit", class: "primary", "aria-keyshortcuts": "Control+Enter Meta+Enter" }, "Send");
  #form;
  #nothing = h("p", { class: "soft row" }, "There is no topic to send records to yet.", button("New topic…", () => this.emit("new-topic", null)));
  #body;
  #generate = new GenerateForm();
  /** @type {import("./parts/placement-view.js").Others} */
  #others = { defaults: new Set(), showAll: false, toggle: () => this.#toggleOthers() };
  #renew;
  /** Whether a generation, not a single record, was asked for last. */
  #generating = false;
  /** @type {PageState | null} */
  #state = null;

  /** @param {HTMLElement} root */
  constructor(root) {
    super(root);
    this.#renew = whileSeen(root, () => this.#place());
    const changed = () => this.#renew(30);
    this.#key = new BytesField("Key", { none: "no key", changed });
    this.#value = new BytesField("Value", { none: "no value: a tombstone, where the topic is compacted", rows: 2, changed });
    this.#headers = new HeadersField(changed);
    for (const control of [this.#timestamp, this.#partition, this.#partitioner]) control.addEventListener("input", changed);
    this.#form = h("form", {
      novalidate: true, class: "stack", "aria-label": "Record to send",
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        this.#produce();
      },
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        this.#produce();
      },
    },
      this.#key.element, this.#value.element, this.#headers.element,
      h("div", { class: "fields" },
        field("Partition", this.#partition, "A number names it; else the partitioner decides."),
        field("Timestamp", this.#timestamp, this.#timestampNote)),
      field("Partitioner", this.#partitioner, this.#rule),
      h("div", { class: "acts" }, this.#send, h("span", { class: "hint" }, h("kbd", null, "Ctrl"), " ", h("kbd", null, "Enter")), this.#sent),
      this.refusal.element);
    this.#generate.addEventListener("generate", (event) => this.#ask(/** @type {CustomEvent} */ (event).detail));
    this.#producers.addEventListener("command", (event) => this.command(/** @type {CustomEvent} */ (event).detail));
    this.#producers.addEventListener("change", () => {
      this.#partitioner.disabled = this.#producers.chosen !== null;
      changed();
    });
    this.#body = h("div", { class: "produce" },
      h("div", { class: "stack" }, this.#producers.element, this.#form),
      h("section", { class: "preview", "aria-label": "Where it will land" }, this.#spoken, this.#chip, this.#landing),
      this.#generate.element);
    root.append(this.#nothing, this.#body);
  }

  /** @param {PageState} state */
  update(state) {
    this.#state = state;
    const none = state.topic === null;
    this.#nothing.hidden = !none;
    this.#body.hidden = none;
    if (none) return;
    if (this.#partitioner.options.length === 0) this.#fillPartitioners(state);
    this.#generate.update(state);
    this.#producers.update(state.view.producers);
    this.#partitioner.disabled = this.#producers.chosen !== null;
    this.#renew();
  }

  /** @param {PageState} state */
  #fillPartitioners({ engine }) {
    const all = engine.partitioners();
    this.#others.defaults = new Set(all.filter(({ isDefault }) => isDefault).map(({ id }) => id));
    const usable = all.filter((partitioner) => partitioner.usable);
    usable.sort((a, b) => Number(b.isDefault) - Number(a.isDefault));
    setOptions(this.#partitioner, usable.map(({ id, client, name }) => ({ value: id, text: `${client}: ${name}` })), usable[0]?.id);
    this.#generate.setPartitioners(usable);
    const show = () => setText(this.#rule, usable.find(({ id }) => id === this.#partitioner.value)?.rule ?? "");
    this.#partitioner.addEventListener("change", show);
    show();
  }

  /**
   * What would be sent, or why nothing can be.
   * @returns {RecordDraft | string}
   */
  #draft() {
    const problem = this.#key.problem ?? this.#value.problem ?? this.#headers.problem;
    if (problem) return problem;
    const partition = this.#partition.value.trim() === "" ? null : int32(this.#partition.value);
    if (partition === null && this.#partition.value.trim() !== "") return `The partition “${this.#partition.value}” ${NOT_INT32}`;
    const time = this.#timestamp.value.trim() === "" ? null : timestamp(this.#timestamp.value);
    if (time === null && this.#timestamp.value.trim() !== "") {
      return `The timestamp “${this.#timestamp.value}” is neither whole milliseconds nor an ISO 8601 date, such as 2024-04-01T19:33:20.000Z.`;
    }
    return {
      topic: /** @type {import("../../src/wasm/types.d.ts").TopicView} */ (this.#state?.topic).name,
      ...(this.#producers.chosen === null ? { partitioner: this.#partitioner.value } : { producer: this.#producers.chosen }),
      partition,
      timestamp: time,
      key: this.#key.bytes,
      value: this.#value.bytes,
      headers: this.#headers.headers,
    };
  }

  #place() {
    const state = this.#state;
    if (!state?.topic) return;
    const draft = this.#draft();
    if (typeof draft === "string") {
      this.#chip.replaceChildren();
      this.#landing.replaceChildren(h("p", { class: "soft" }, draft));
      return;
    }
    const time = draft.timestamp;
    setText(this.#timestampNote, typeof time === "number" ? `${moment(time)} = ${time}` : "ms since 1970, or ISO 8601 (UTC unless it names a zone)");
    this.#chip.replaceChildren(keyChip(draft.key, state.engine.keyTag(draft.key)));
    try {
      const placement = state.engine.placement(draft);
      this.#landing.replaceChildren(...placementView(placement, draft.key, this.#others));
      setText(this.#spoken, outline(placement));
    } catch (error) {
      this.#landing.replaceChildren(h("p", { class: "soft" }, /** @type {Error} */ (error).message));
    }
  }

  #toggleOthers() {
    this.#others.showAll = !this.#others.showAll;
    this.#place();
    /** @type {HTMLElement | null} */ (this.#landing.querySelector("button[aria-expanded]"))?.focus();
  }

  #produce() {
    this.#generating = false;
    this.#sent.replaceChildren();
    this.#producers.clear();
    const draft = this.#draft();
    if (typeof draft === "string") this.refusal.say(draft);
    else this.command({ type: "produce", ...draft });
  }

  /** @param {import("../../src/wasm/types.d.ts").GenerateCommand} command */
  #ask(command) {
    this.#generating = true;
    this.emit("generate", command);
  }

  /** @override @param {LoglanesError} error */
  refused(error) {
    if (this.#generating) this.#generate.refusal.show(error);
    else super.refused(error);
    this.#generating = false;
  }

  /** @override @param {Outcome} outcome */
  done(outcome) {
    this.#generating = false;
    if (outcome.type === "producedMany") {
      this.#generate.done(outcome);
      return;
    }
    super.done(outcome);
    this.#producers.done(outcome);
    if (outcome.type !== "produced") return;
    const { topic, partition, offset, timestamp: at } = outcome;
    this.#sent.replaceChildren(
      "Stored at ",
      button(`P${partition} @ ${offset}`, () => this.select({ topic, partition, offset }), { class: "link mono" }),
      h("span", { class: "hint" }, ` ${moment(at)}`));
  }
}
