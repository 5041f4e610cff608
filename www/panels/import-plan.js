/**
 * @file What an import will do, asked before it does it: which topic, which field is the key, which
 * partitioner. The key is proposed with its reason and left to choose: it decides the order of
 * everything that follows.
 */

/** @import { ClusterView, ImportSpec, Inspection, LoglanesError } from "../../src/wasm/types.d.ts" */
/** @import { PageState } from "../types.d.ts" */

import { count, h, size } from "../dom.js";
import { visible } from "../bytes.js";
import { KEPT, KEPT_NOTE } from "./parts/kept.js";
import { RefusalOutput } from "./parts/refusal.js";

/** A new topic gets this many: enough to see keys spread, few enough to see each lane. */
const NEW_PARTITIONS = 6;
/** Kafka's limit on a topic's name. */
const NAME_LIMIT = 249;
const SAMPLES_SHOWN = 3;
const SAMPLE_CHARS = 24;

/** @typedef {Inspection["fields"][number]} Field */

/**
 * The field that looks most like a key, and why; or no key, and why.
 * @param {Inspection} inspection
 * @returns {{ field: string | null, reason: string }}
 */
function proposeKey({ fields, lines }) {
  // A key names a thing that comes again: a user, an airport. What differs in every line orders
  // nothing, and what never differs puts all into one partition.
  const repeating = fields.filter(({ inEvery, distinct }) => inEvery && distinct > 1 && distinct <= lines / 2);
  const named = repeating.find(({ name }) => /(^|_|-|\.)(id|key|user|customer|account|device)s?$/i.test(name) || /[a-z](Id|Key)$/.test(name));
  const text = repeating.find(({ samples }) => samples.some((sample) => !/^"?-?[\d.eE+]+"?$/.test(sample)));
  const best = named ?? text;
  if (!best) {
    return { field: null, reason: `No field in the first ${count(lines)} lines names something that comes again, so no key would keep any order.` };
  }
  return {
    field: best.name,
    reason: `It is in every one of the first ${count(lines)} lines, with ${count(best.distinct)} different values that come again: records of the same value share a partition and stay in order.`,
  };
}

/**
 * A name Kafka would take for a topic, from a file's name.
 * @param {string} file
 * @returns {string}
 */
export function topicName(file) {
  const name = file.replace(/\.[^.]*$/, "").replace(/[^a-zA-Z0-9._-]+/g, "-").slice(0, NAME_LIMIT);
  return /^\.{0,2}$/.test(name) ? "imported" : name;
}

/**
 * Events: `import` (detail: {file, spec, create?}) when the user says go.
 */
export class ImportPlan extends EventTarget {
  #dialog;
  #title = h("h2", { id: "import-title" });
  #about = h("p", { class: "soft" });
  #topic = h("select", { id: "import-topic", onchange: () => this.#topicChosen() });
  #newName = h("input", { id: "import-name", class: "mono", spellcheck: "false", autocomplete: "off", maxlength: NAME_LIMIT });
  #partitions = h("input", { id: "import-partitions", type: "number", min: 1, max: 1000, step: 1, value: NEW_PARTITIONS, required: true });
  #newFields;
  #keys = h("tbody", null);
  #keptHint = h("p", { class: "hint" }, `A new topic keeps its records for ever: ${KEPT_NOTE}`);
  #keyHint = h("p", { class: "hint", id: "import-key-hint" });
  #partitioner = h("select", { id: "import-partitioner", onchange: () => this.#rule() });
  #ruleHint = h("p", { class: "hint" });
  #refusal = new RefusalOutput();
  #form;
  /** @type {File | null} */
  #file = null;
  /** @type {PageState | null} */
  #state = null;

  /** @param {HTMLElement} root */
  constructor(root) {
    super();
    this.#newFields = h(
      "div",
      { class: "row low" },
      h("div", { class: "field" }, h("label", { for: "import-name" }, "Name"), this.#newName),
      h("div", { class: "field" }, h("label", { for: "import-partitions" }, "Partitions"), this.#partitions),
    );
    const table = h(
      "table",
      { class: "import-keys" },
      h("thead", null, h("tr", null, ...["Key", "Values", "Different"].map((text, i) => h("th", { scope: "col", class: i === 2 && "num" }, text)))),
      this.#keys,
    );
    this.#form = h(
      "form",
      { method: "dialog", novalidate: true, onsubmit: (/** @type {SubmitEvent} */ event) => this.#submit(event) },
      h("div", { class: "row low" }, h("div", { class: "field" }, h("label", { for: "import-topic" }, "Into the topic"), this.#topic), this.#newFields),
      this.#keptHint,
      h(
        "fieldset",
        { "aria-describedby": "import-key-hint" },
        h("legend", null, "Which field is the record's key?"),
        this.#keyHint,
        h("div", { class: "table-wrap", tabindex: 0, role: "group", "aria-label": "Fields of the file" }, table),
      ),
      h("div", { class: "field" }, h("label", { for: "import-partitioner" }, "Partitioner"), this.#partitioner, this.#ruleHint),
      h(
        "div",
        { class: "import-foot" },
        this.#refusal.element,
        h(
          "div",
          { class: "acts" },
          h("button", { class: "primary", type: "submit" }, "Import"),
          h("button", { type: "button", onclick: () => this.close() }, "Cancel"),
        ),
      ),
    );
    this.#dialog = h("dialog", { class: "import-plan", "aria-labelledby": "import-title" }, this.#title, this.#about, this.#form);
    root.append(this.#dialog);
  }

  /**
   * Shows what is in a file and asks what to do with it.
   * @param {File} file
   * @param {Inspection} inspection of its first bytes
   * @param {PageState} state
   */
  open(file, inspection, state) {
    this.#file = file;
    this.#state = state;
    this.#refusal.clear();
    this.#title.textContent = `Import ${visible(file.name)}`;
    const known = inspection.format !== null;
    this.#about.textContent = known
      ? `${size(file.size)} of JSON lines. Each line becomes one record: the whole line is the value, one field the key.`
      : `This file is none that can be imported: ${inspection.reason}`;
    this.#form.hidden = !known;
    if (known) this.#fill(file, inspection, state);
    if (!this.#dialog.open) this.#dialog.showModal();
  }

  /** @param {File} file @param {Inspection} inspection @param {PageState} state */
  #fill(file, inspection, { engine, view }) {
    this.#topic.value = "";
    this.#partitions.value = String(NEW_PARTITIONS);
    this.#newName.value = topicName(file.name);
    this.#topics(view);

    const { field, reason } = proposeKey(inspection);
    this.#keyHint.textContent = `${field === null ? "No key" : `“${visible(field)}”`} is suggested. ${reason}`;
    this.#keys.replaceChildren(
      ...inspection.fields.map((each) => this.#row(each, each.name === field)),
      this.#row(null, field === null),
    );

    const usable = engine.partitioners().filter((each) => each.usable);
    this.#partitioner.replaceChildren(...usable.map(({ id, client, name: label }) => h("option", { value: id }, `${client}: ${label}`)));
    this.#partitioner.value = usable.find((each) => each.isDefault)?.id ?? usable[0]?.id ?? "";
    this.#rule();
  }

  /** Offers the topics there are; the one of the name that is asked for, if it is among them. @param {ClusterView} view */
  #topics({ topics }) {
    const name = this.#topic.value || this.#newName.value;
    this.#topic.replaceChildren(
      h("option", { value: "" }, "a new topic"),
      ...topics.map((topic) => h("option", { value: topic.name }, `${topic.name} (${count(topic.partitions.length)} partitions)`)),
    );
    this.#topic.value = topics.some((topic) => topic.name === name) ? name : "";
    this.#topicChosen();
  }

  /** @param {Field | null} field null: no key @param {boolean} suggested */
  #row(field, suggested) {
    const input = h("input", { type: "radio", name: "key", onchange: () => this.#refusal.clear() });
    // The field's name may be any text, so it is kept as a property, not looked up in the form.
    keyOf.set(input, field ? { from: "field", path: field.name } : { from: "none" });
    const label = h(
      "label",
      null,
      input,
      field ? h("span", { class: "mono" }, visible(field.name)) : "no key",
      suggested && h("span", { class: "tag" }, "suggested"),
    );
    const samples = field?.samples.slice(0, SAMPLES_SHOWN).map((sample) => cut(visible(sample))).join(", ");
    return h(
      "tr",
      null,
      h("th", { scope: "row" }, label),
      h("td", { class: "mono import-samples" }, samples ?? "", field && !field.inEvery && h("span", { class: "hint" }, " not in every line")),
      h("td", { class: "num" }, field ? count(field.distinct) : ""),
    );
  }

  #topicChosen() {
    this.#newFields.hidden = this.#topic.value !== "";
    this.#keptHint.hidden = this.#topic.value !== "";
  }

  #rule() {
    const chosen = this.#state?.engine.partitioners().find(({ id }) => id === this.#partitioner.value);
    this.#ruleHint.textContent = chosen?.rule ?? "";
  }

  /** @param {SubmitEvent} event */
  #submit(event) {
    event.preventDefault();
    const chosen = /** @type {HTMLInputElement | null} */ (this.#keys.querySelector("input:checked"));
    if (!chosen) {
      this.#refusal.say("Choose the key: a field, or no key.");
      /** @type {HTMLInputElement | null} */ (this.#keys.querySelector("input"))?.focus();
      return;
    }
    const fresh = this.#topic.value === "";
    const topic = fresh ? this.#newName.value : this.#topic.value;
    /** @type {ImportSpec} */
    const spec = { topic, partitioner: this.#partitioner.value, key: keyOf.get(chosen) };
    // What Kafka thinks of the name and the count is Kafka's to say.
    const create = fresh ? { type: /** @type {const} */ ("createTopic"), name: topic, partitions: this.#partitions.valueAsNumber || 0, configs: KEPT } : undefined;
    this.#refusal.clear();
    this.dispatchEvent(new CustomEvent("import", { detail: { file: this.#file, spec, create } }));
  }

  /** @param {LoglanesError} error @returns {boolean} whether it was shown here */
  refused(error) {
    if (!this.#dialog.open) return false;
    // The topic may have been made before the import into it was refused.
    if (this.#state) this.#topics(this.#state.engine.view());
    this.#refusal.show(error);
    return true;
  }

  close() {
    this.#dialog.close();
    this.#file = null;
  }
}

/** @type {WeakMap<HTMLInputElement, ImportSpec["key"]>} */
const keyOf = new WeakMap();

/** @param {string} text */
function cut(text) {
  return text.length > SAMPLE_CHARS ? `${text.slice(0, SAMPLE_CHARS - 1)}…` : text;
}
