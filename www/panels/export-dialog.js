/** @file Records into a file: which, and in which format. */

/** @import { ExportSpec, LoglanesError } from "../../src/wasm/types.d.ts" */
/** @import { PageState } from "../types.d.ts" */

import { count, h } from "../dom.js";
import { FormDialog } from "./parts/dialog.js";
import { field, numberInput, textInput } from "./parts/field.js";

/** @typedef {{ value: string, text: string, ending: string, note: string, format: (options: string) => ExportSpec["format"] }} Kind */

/** @param {string} text */
function properties(text) {
  return Object.fromEntries(text.split("\n").filter((line) => line.includes("=")).map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}

/** @type {Kind[]} */
const KINDS = [
  { value: "lossless", text: "Loglanes’ own lines: nothing is lost", ending: "ndjson", note: "One JSON object a record: null, empty, bytes, headers in order, every digit. Comes back as it was.", format: () => ({ type: "lossless" }) },
  { value: "kcatJson", text: "kcat -J", ending: "kcat.json", note: "Byte for byte what kcat prints. Bytes that are not UTF-8 stand in it as they are, so not every reader of JSON takes it.", format: () => ({ type: "kcatJson" }) },
  { value: "csv", text: "Table, CSV", ending: "csv", note: "Exact: none is \\N, empty is empty. Spreadsheets change what they open: a value such as =1+1 may run as a formula there, 007 becomes 7. Nothing is altered here to prevent that; import the columns as text.", format: () => ({ type: "csv", separator: "," }) },
  { value: "tsv", text: "Table, TSV", ending: "tsv", note: "As CSV, with tabs between the cells.", format: () => ({ type: "csv", separator: "\t" }) },
  { value: "logFiles", text: "Kafka’s own files, zipped", ending: "zip", note: "Directories such as orders-0 with .log, .index and the rest, as a broker has them: every batch, marker and gap. Of the topic, or of one partition.", format: () => ({ type: "logFiles" }) },
  { value: "consoleConsumer", text: "kafka-console-consumer", ending: "txt", note: "Text for reading. None and the word null look alike in it, and a value over several lines is not marked.", format: (text) => ({ type: "consoleConsumer", properties: properties(text) }) },
  { value: "kcatText", text: "kcat -f", ending: "txt", note: "Text in a format of your own, such as %K %k %S %s\\n.", format: (text) => ({ type: "kcatText", format: text }) },
];
const OPTIONS = /** @type {Record<string, string>} */ ({
  consoleConsumer: "print.timestamp=true\nprint.partition=true\nprint.offset=true\nprint.headers=true\nprint.key=true",
  kcatText: "%k:%s\\n",
});

/** Events: `export-records` (detail: {spec, name, bytes}) when the user says go; `bytes`: about so many it will be. */
export class ExportDialog extends EventTarget {
  #topic = h("select", { onchange: () => this.#topicChosen() });
  #scope = h("select", { onchange: () => this.#scopeChosen() });
  #partition = h("select", { onchange: () => this.#partitionChosen() });
  #from = numberInput();
  #to = numberInput();
  #group = h("select", null);
  #kind = h("select", { onchange: () => this.#kindChosen() }, ...KINDS.map(({ value, text }) => h("option", { value }, text)));
  #note = h("p", { class: "hint" });
  #lines = h("textarea", { class: "mono", rows: 5, spellcheck: "false" });
  #format = textInput({ class: "mono" });
  #fields;
  #dialog;
  /** @type {PageState | null} */
  #state = null;

  /** @param {HTMLElement} root */
  constructor(root) {
    super();
    this.#fields = {
      partition: field("Partition", this.#partition),
      range: h("div", { class: "row low" }, field("From offset", this.#from), field("To, the one after the last", this.#to)),
      group: field("Group", this.#group, "From its committed offsets on; where it has none, from the start."),
      lines: field("Properties, one a line", this.#lines),
      format: field("-f, the format", this.#format),
    };
    this.#dialog = new FormDialog({
      title: "Export records",
      act: "Save file",
      body: [
        h("div", { class: "row low" }, field("From the topic", this.#topic), field("Records", this.#scope)),
        this.#fields.partition, this.#fields.range, this.#fields.group,
        field("Format", this.#kind), this.#note, this.#fields.lines, this.#fields.format,
      ],
      submit: () => this.#submit(),
    });
    root.append(this.#dialog.element);
  }

  /** @param {PageState} state */
  open(state) {
    this.#state = state;
    this.#topic.replaceChildren(...state.view.topics.map(({ name }) => h("option", { value: name }, name)));
    if (state.topic) this.#topic.value = state.topic.name;
    this.#topicChosen();
    this.#kindChosen();
    this.#dialog.open();
  }

  /** @param {LoglanesError} error @returns {boolean} whether it was shown here */
  refused(error) {
    return this.#dialog.refused(error);
  }

  close() {
    this.#dialog.close();
  }

  #topicChosen() {
    const topic = this.#state?.view.topics.find(({ name }) => name === this.#topic.value);
    const groups = this.#state?.view.groups.filter((group) => group.partitions.some((row) => row.topic === topic?.name)) ?? [];
    this.#partition.replaceChildren(...(topic?.partitions ?? []).map(({ partition, records }) => h("option", { value: partition }, `P${partition} (${count(records)} records)`)));
    this.#group.replaceChildren(...groups.map(({ id }) => h("option", { value: id }, id)));
    const scopes = [["topic", "all of the topic"], ["partition", "one partition"], ["range", "offsets of a partition"], ...(groups.length > 0 ? [["unread", "what a group has not read"]] : [])];
    this.#scope.replaceChildren(...scopes.map(([value, text]) => h("option", { value }, text)));
    const selection = this.#state?.selection;
    if (selection && selection.topic === topic?.name) this.#partition.value = String(selection.partition);
    this.#scopeChosen();
    this.#partitionChosen();
  }

  #scopeChosen() {
    const scope = this.#scope.value;
    this.#fields.partition.hidden = scope !== "partition" && scope !== "range";
    this.#fields.range.hidden = scope !== "range";
    this.#fields.group.hidden = scope !== "unread";
  }

  #partitionChosen() {
    const topic = this.#state?.view.topics.find(({ name }) => name === this.#topic.value);
    const lane = topic?.partitions.find(({ partition }) => String(partition) === this.#partition.value);
    const selection = this.#state?.selection;
    const chosen = selection && selection.topic === topic?.name && selection.partition === lane?.partition ? selection.offset : null;
    this.#from.value = String(chosen ?? lane?.logStartOffset ?? 0n);
    this.#to.value = String(chosen === null ? lane?.highWatermark ?? 0n : chosen + 1n);
  }

  #kindChosen() {
    const kind = this.#kind.value;
    this.#note.textContent = KINDS.find(({ value }) => value === kind)?.note ?? "";
    this.#fields.lines.hidden = kind !== "consoleConsumer";
    this.#fields.format.hidden = kind !== "kcatText";
    this.#lines.value ||= OPTIONS.consoleConsumer;
    this.#format.value ||= OPTIONS.kcatText;
  }

  #submit() {
    this.#dialog.refusal.clear();
    const kind = /** @type {Kind} */ (KINDS.find(({ value }) => value === this.#kind.value));
    const topic = this.#topic.value;
    const partition = Number(this.#partition.value);
    /** @type {ExportSpec["scope"]} */
    let scope = { type: "topic" };
    let what = topic;
    if (this.#scope.value === "partition") {
      scope = { type: "partition", partition };
      what = `${topic}-${partition}`;
    } else if (this.#scope.value === "range") {
      if (![this.#from.value, this.#to.value].every((text) => /^\d{1,19}$/.test(text.trim()))) {
        this.#dialog.refusal.say("Offsets are whole numbers from 0.");
        return;
      }
      scope = { type: "range", partition, from: BigInt(this.#from.value.trim()), to: BigInt(this.#to.value.trim()) };
      what = `${topic}-${partition}-${this.#from.value.trim()}`;
    } else if (this.#scope.value === "unread") {
      scope = { type: "unread", group: this.#group.value };
      what = `${topic}-unread`;
    }
    const lanes = this.#state?.view.topics.find(({ name }) => name === topic)?.partitions ?? [];
    const one = this.#scope.value === "partition" || this.#scope.value === "range";
    const bytes = lanes.filter((lane) => !one || lane.partition === partition).reduce((sum, lane) => sum + lane.bytes, 0);
    const format = kind.format(kind.value === "kcatText" ? this.#format.value : this.#lines.value);
    this.dispatchEvent(new CustomEvent("export-records", { detail: { spec: { topic, scope, format }, name: `${what}.${kind.ending}`, bytes } }));
  }
}
