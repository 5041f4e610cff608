/**
 * @file What an import will do, asked before it does it: which format, which topic, what is the key, the
 * value, the timestamp, who chooses the partition; with what would come of the first records. The key is proposed with its reason and left to choose: it decides the order of
 * everything that follows.
 */

/** @import { ClusterView, ImportSpec, Inspection, LoglanesError } from "../../src/wasm/types.d.ts" */
/** @import { Given } from "../given.js" */
/** @import { PageState } from "../types.d.ts" */

import { count, h, size } from "../dom.js";
import { visible } from "../bytes.js";
import { FormatField } from "./parts/file-format.js";
import { textInput } from "./parts/field.js";
import { previewTable } from "./parts/import-preview.js";
import { KEPT, KEPT_NOTE } from "./parts/kept.js";
import { RefusalOutput } from "./parts/refusal.js";

/** A new topic gets this many: enough to see keys spread, few enough to see each lane. */
const NEW_PARTITIONS = 6;
/** Kafka's limit on a topic's name. */
const NAME_LIMIT = 249;
const SAMPLES_SHOWN = 3;
/** Stands before a producer's name where else a partitioner's id would be. */
const PRODUCER = "producer:";
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
 * Events: `import` (detail: {files, spec, create?}) or `copy-log` when the user says go.
 */
export class ImportPlan extends EventTarget {
  #dialog;
  #title = h("h2", { id: "import-title" });
  #about = h("p", { class: "soft" });
  #notes = h("div", null);
  #topic = h("select", { id: "import-topic", onchange: () => this.#topicChosen() });
  #newName = h("input", { id: "import-name", class: "mono", spellcheck: "false", autocomplete: "off", maxlength: NAME_LIMIT });
  #partitions = h("input", { id: "import-partitions", type: "number", min: 1, max: 1000, step: 1, value: NEW_PARTITIONS, required: true });
  #newFields;
  #keys = h("tbody", null);
  #keptHint = h("p", { class: "hint" }, `A new topic keeps its records for ever: ${KEPT_NOTE}`);
  #keyHint = h("p", { class: "hint", id: "import-key-hint" });
  #partitioner = h("select", { id: "import-partitioner", onchange: () => this.#rule() });
  #ruleHint = h("p", { class: "hint" });
  #format = new FormatField();
  #value = h("select", { id: "import-value", onchange: () => this.#look() });
  #timestamp = h("select", { id: "import-timestamp", onchange: () => this.#look() });
  #keep = h("select", { id: "import-partition", onchange: () => this.#look() },
    h("option", { value: "rehash" }, "the partitioner, anew"), h("option", { value: "keep" }, "the file: each record keeps its own"));
  #keepField;
  #path = textInput({ class: "mono", placeholder: "$.user.id", "aria-label": "Path of the key", oninput: () => this.#typed(this.#path) });
  #joined = textInput({ class: "mono", placeholder: "country, city", "aria-label": "Fields to join, by commas", oninput: () => this.#typed(this.#joined) });
  #separator = textInput({ class: "mono import-separator", value: "-", "aria-label": "What stands between joined fields", oninput: () => this.#typed(this.#joined) });
  #preview = h("section", { class: "import-seen", "aria-label": "Preview" });
  /** @type {Uint8Array} */
  #head = new Uint8Array();
  /** @type {Given[]} */
  #given = [];
  /** @type {Inspection | null} */
  #inspection = null;
  /** The choice that a field to type into belongs to. @type {WeakMap<HTMLElement, HTMLInputElement>} */
  #radioOf = new WeakMap();
  #refusal = new RefusalOutput();
  #copy = h("button", { type: "button", hidden: true, onclick: () => this.#copyLog() }, "Keep as it is");
  #copyHint = h("p", { class: "hint", hidden: true }, "Import sends the records anew: new offsets, new batches. Keep as it is makes the file the log of a partition without records, offsets and bytes untouched, as if it were copied to a broker; what is damaged is cut off, as there.");
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
    const labelled = (/** @type {string} */ text, /** @type {HTMLElement} */ control) => h("div", { class: "field" }, h("label", { for: control.id }, text), control);
    this.#keepField = labelled("Who chooses the partition", this.#keep);
    this.#format.addEventListener("change", () => this.#formatChosen());
    this.#form = h(
      "form",
      { method: "dialog", novalidate: true, onsubmit: (/** @type {SubmitEvent} */ event) => this.#submit(event) },
      this.#format.element,
      h("div", { class: "row low" }, h("div", { class: "field" }, h("label", { for: "import-topic" }, "Into the topic"), this.#topic), this.#newFields),
      this.#keptHint,
      h(
        "fieldset",
        { "aria-describedby": "import-key-hint" },
        h("legend", null, "What is the record’s key?"),
        this.#keyHint,
        h("div", { class: "table-wrap", tabindex: 0, role: "group", "aria-label": "Fields of the file" }, table),
      ),
      h("div", { class: "row low" }, labelled("Value", this.#value), labelled("Timestamp", this.#timestamp)),
      this.#keepField,
      h("div", { class: "field" }, h("label", { for: "import-partitioner" }, "Partitioner"), this.#partitioner, this.#ruleHint),
      this.#preview,
      this.#copyHint,
      h(
        "div",
        { class: "import-foot" },
        this.#refusal.element,
        h(
          "div",
          { class: "acts" },
          h("button", { class: "primary", type: "submit" }, "Import"),
          this.#copy,
          h("button", { type: "button", onclick: () => this.close() }, "Cancel"),
        ),
      ),
    );
    this.#dialog = h("dialog", { class: "import-plan", "aria-labelledby": "import-title" }, this.#title, this.#about, this.#notes, this.#form);
    root.append(this.#dialog);
  }

  /**
   * Shows what is in files and asks what to do with them.
   * @param {Given[]} given of one format, for one topic
   * @param {File} file the one of them that is looked at
   * @param {Uint8Array} head its first bytes
   * @param {PageState} state
   * @param {object} [more]
   * @param {{ name: string, count: number }} [more.planned] the topic that the files' folders are named after
   * @param {string[]} [more.notes] what is not among the files
   */
  open(given, file, head, state, { planned, notes = [] } = {}) {
    const inspection = state.engine.inspect(head);
    this.#file = file;
    this.#given = given;
    this.#head = head;
    this.#inspection = inspection;
    this.#state = state;
    this.#refusal.clear();
    this.#title.textContent = `Import ${visible(planned?.name ?? file.name)}`;
    const known = inspection.format !== null || inspection.others.length > 0;
    const bytes = given.reduce((sum, each) => sum + each.file.size, 0);
    this.#about.textContent = known
      ? `${given.length > 1 ? `${count(given.length)} files, ` : ""}${size(bytes)}. Nothing is done before you press Import.`
      : `This file is none that can be imported: ${inspection.reason}`;
    const room = state.engine.room();
    if (known && bytes > room) notes = [...notes, `The logs have room for ${size(room)} more. What does not fit is not taken: the import ends there, keeps what is in and says from where on nothing was taken.`];
    this.#notes.replaceChildren(...notes.map((note) => h("p", { class: "hint" }, note)));
    this.#form.hidden = !known;
    if (known) this.#fill(planned ?? { name: topicName(file.name), count: NEW_PARTITIONS }, inspection, state);
    if (!this.#dialog.open) this.#dialog.showModal();
  }

  /** @param {{ name: string, count: number }} proposed a topic @param {Inspection} inspection @param {PageState} state */
  #fill(proposed, inspection, { engine, view }) {
    this.#topic.value = "";
    this.#partitions.value = String(proposed.count);
    this.#newName.value = proposed.name;
    this.#topics(view);

    this.#format.show(inspection);
    this.#choices(inspection);

    const usable = engine.partitioners().filter((each) => each.usable);
    const created = view.producers.filter(({ isCreated }) => isCreated);
    this.#partitioner.replaceChildren(
      ...usable.map(({ id, client, name: label }) => h("option", { value: id }, `${client}: ${label}`)),
      ...(created.length > 0 ? [h("optgroup", { label: "Sent by a producer that was made here" }, ...created.map(({ producer }) => h("option", { value: PRODUCER + producer }, producer)))] : []));
    this.#partitioner.value = usable.find((each) => each.isDefault)?.id ?? usable[0]?.id ?? "";
    this.#rule();
  }

  /** What the file has to choose from. @param {Inspection} inspection */
  #choices(inspection) {
    const format = this.#format.value;
    const same = format !== null && format === inspection.format;
    const isLog = format?.type === "segment" || format?.type === "logZip";
    this.#copy.hidden = !isLog;
    this.#copyHint.hidden = !isLog;
    // Of another format than the recognised one nothing is known beforehand.
    const own = !same || inspection.brings.key;
    const fields = same || format === null ? inspection.fields : [];
    const { field, reason } = proposeKey({ ...inspection, fields });
    const suggest = own ? null : field;
    this.#keyHint.textContent = own ? "" : `${field === null ? "No key" : `“${visible(field)}”`} is suggested. ${reason}`;
    this.#keyHint.hidden = own;
    this.#keys.replaceChildren(
      ...(own ? [this.#row("the file’s own", () => ({ from: "own" }), { checked: true })] : []),
      ...fields.map((each) => this.#fieldRow(each, each.name === suggest)),
      this.#row("a path in the value:", () => ({ from: "field", path: this.#path.value }), { control: this.#path }),
      this.#row("several joined:", () => ({ from: "joined", paths: this.#joined.value.split(",").map((path) => path.trim()).filter(Boolean), separator: this.#separator.value }), { control: h("span", { class: "import-joined" }, this.#joined, this.#separator) }),
      this.#row("no key", () => ({ from: "none" }), { suggested: !own && field === null }),
    );
    const names = fields.map(({ name }) => h("option", { value: `field:${name}` }, `the field ${visible(name)}`));
    const table = format?.type === "csv";
    this.#value.replaceChildren(
      h("option", { value: "own" }, format?.type === "ndjson" || format === null ? "the whole line" : table && !fields.some(({ name }) => name === "value") ? "the whole row, as it is" : "the file’s own"),
      ...(table ? [h("option", { value: "row" }, "the row as a JSON object")] : []),
      ...names);
    this.#timestamp.replaceChildren(
      ...(same && !inspection.brings.timestamp ? [] : [h("option", { value: "own" }, "the file’s own, else the clock’s")]),
      h("option", { value: "clock" }, "the clock’s"),
      ...names.map((option) => option.cloneNode(true)));
    const places = !same || inspection.brings.partition;
    this.#keepField.hidden = !places;
    if (!places) this.#keep.value = "rehash";
    this.#look();
  }

  #formatChosen() {
    this.#refusal.clear();
    if (!this.#inspection) return;
    // What is still there to choose stays chosen.
    const checked = () => /** @type {HTMLInputElement | null} */ (this.#keys.querySelector("input[type=radio]:checked"))?.closest("tr")?.rowIndex;
    const label = this.#keys.rows[(checked() ?? 0) - 1]?.cells[0]?.textContent;
    const selects = [this.#value, this.#timestamp, this.#keep];
    const values = selects.map((select) => select.value);
    this.#choices(this.#inspection);
    selects.forEach((select, i) => {
      if ([...select.options].some((option) => option.value === values[i])) select.value = values[i];
    });
    const row = [...this.#keys.rows].find(({ cells }) => cells[0]?.textContent === label);
    if (row) /** @type {HTMLInputElement} */ (row.querySelector("input[type=radio]")).checked = true;
    this.#look();
  }

  /** The spec as it stands; null while the key or the format is not chosen. @returns {ImportSpec | null} */
  #spec() {
    const chosen = /** @type {HTMLInputElement | null} */ (this.#keys.querySelector("input[type=radio]:checked"));
    const format = this.#format.value;
    if (!chosen || !format) return null;
    const choice = (/** @type {string} */ value) => (value.startsWith("field:") ? { from: /** @type {const} */ ("field"), path: value.slice(6) } : { from: value });
    return {
      topic: this.#target().topic,
      ...this.#sender(),
      format,
      key: keyOf.get(chosen)?.(),
      value: /** @type {ImportSpec["value"]} */ (choice(this.#value.value)),
      timestamp: /** @type {ImportSpec["timestamp"]} */ (choice(this.#timestamp.value)),
      partition: /** @type {ImportSpec["partition"]} */ (this.#keep.value),
    };
  }

  /** Shows what would come of the first records. */
  #look() {
    const format = this.#format.value;
    const { engine, view } = this.#state ?? {};
    const whole = this.#head.length === this.#file?.size;
    if (!engine || !view || !format) return this.#preview.replaceChildren();
    /** @type {ImportSpec} */
    const spec = this.#spec() ?? { topic: "", format, key: { from: "none" } };
    const topic = view.topics.find(({ name }) => name === spec.topic);
    try {
      this.#preview.replaceChildren(...previewTable(engine.preview(this.#head, whole, spec, topic?.partitions.length ?? (this.#partitions.valueAsNumber || undefined))));
    } catch (error) {
      this.#preview.replaceChildren(h("p", { class: "hint" }, /** @type {Error} */ (error).message));
    }
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

  /**
   * @param {string | Node} name
   * @param {() => ImportSpec["key"]} key
   * @param {{ checked?: boolean, suggested?: boolean, control?: HTMLElement, samples?: Node[], distinct?: string }} [more]
   */
  #row(name, key, { checked = false, suggested = false, control, samples = [], distinct = "" } = {}) {
    const input = h("input", { type: "radio", name: "key", checked, onchange: () => this.#keyChosen() });
    // The field's name may be any text, so it is kept as a property, not looked up in the form.
    keyOf.set(input, key);
    if (control) this.#radioOf.set(control, input);
    const label = h("label", null, input, name, suggested && h("span", { class: "tag" }, "suggested"));
    return h("tr", null, h("th", { scope: "row" }, label), h("td", { class: control ? "" : "mono import-samples" }, ...samples, control), h("td", { class: "num" }, distinct));
  }

  /** @param {Field} field @param {boolean} suggested */
  #fieldRow(field, suggested) {
    const samples = field.samples.slice(0, SAMPLES_SHOWN).map((sample) => cut(visible(sample))).join(", ");
    return this.#row(h("span", { class: "mono" }, visible(field.name)), () => ({ from: "field", path: field.name.startsWith("$") && this.#format.value?.type !== "csv" ? `$[${JSON.stringify(field.name)}]` : field.name }), {
      suggested,
      samples: [document.createTextNode(samples), ...(field.inEvery ? [] : [h("span", { class: "hint" }, " not in every line")])],
      distinct: count(field.distinct),
    });
  }

  /** Typing a path chooses it. @param {HTMLInputElement} control */
  #typed(control) {
    const radio = this.#radioOf.get(control) ?? this.#radioOf.get(/** @type {HTMLElement} */ (control.parentElement));
    if (radio) radio.checked = true;
    this.#look();
  }

  #keyChosen() {
    this.#refusal.clear();
    this.#look();
  }

  #topicChosen() {
    this.#newFields.hidden = this.#topic.value !== "";
    this.#keptHint.hidden = this.#topic.value !== "";
    this.#look();
  }

  /** Who sends. @returns {{ producer: string } | { partitioner: string }} */
  #sender() {
    const { value } = this.#partitioner;
    return value.startsWith(PRODUCER) ? { producer: value.slice(PRODUCER.length) } : { partitioner: value };
  }

  #rule() {
    const sender = this.#sender();
    if ("producer" in sender) return this.#ruleHint.replaceChildren(`${sender.producer} sends by its own partitioner and configs. With a transactional.id it sends only inside a transaction that is open.`);
    const chosen = this.#state?.engine.partitioners().find(({ id }) => id === this.#partitioner.value);
    this.#ruleHint.textContent = chosen?.rule ?? "";
  }

  /** The files become the logs of partitions, as they are. */
  #copyLog() {
    const { topic, create } = this.#target();
    this.#refusal.clear();
    this.dispatchEvent(new CustomEvent("copy-log", { detail: { files: this.#given, topic, creates: create ? [create] : [] } }));
  }

  /** The topic, and the act that makes it where it is a new one. What Kafka thinks of its name and count is Kafka's to say. */
  #target() {
    const fresh = this.#topic.value === "";
    const topic = fresh ? this.#newName.value : this.#topic.value;
    const create = fresh ? { type: /** @type {const} */ ("createTopic"), name: topic, partitions: this.#partitions.valueAsNumber || 0, configs: KEPT } : undefined;
    return { topic, create };
  }

  /** @param {SubmitEvent} event */
  #submit(event) {
    event.preventDefault();
    if (!this.#format.value) {
      this.#refusal.say("Choose the format.");
      return;
    }
    const spec = this.#spec();
    if (!spec) {
      this.#refusal.say("Choose the key: a field, or no key.");
      /** @type {HTMLInputElement | null} */ (this.#keys.querySelector("input"))?.focus();
      return;
    }
    const { create } = this.#target();
    this.#refusal.clear();
    this.dispatchEvent(new CustomEvent("import", { detail: { files: this.#given.map(({ file }) => file), spec, create } }));
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
    this.#given = [];
  }
}

/** @type {WeakMap<HTMLInputElement, () => ImportSpec["key"]>} */
const keyOf = new WeakMap();

/** @param {string} text */
function cut(text) {
  return text.length > SAMPLE_CHARS ? `${text.slice(0, SAMPLE_CHARS - 1)}…` : text;
}
