/**
 * @file Which format a file is read in, and what has to be said of it: the format that was recognised,
 * what else it may be, and the options of the one that is chosen.
 */

/** @import { FileFormat, Inspection } from "../../../src/wasm/types.d.ts" */

import { h } from "../../dom.js";
import { field, segmented, textInput } from "./field.js";

/** @type {Record<FileFormat["type"], string>} */
const NAMES = {
  ndjson: "JSON lines",
  jsonArray: "a JSON array",
  lossless: "Loglanes’ own lines",
  kcatJson: "kcat -J",
  csv: "a table (CSV, TSV)",
  segment: "a .log file of Kafka’s",
  logZip: "a zip archive of .log files",
  dumpLog: "text of kafka-dump-log",
  kcatLines: "lines for kcat -P",
  kcatText: "text of kcat -C -f",
  consoleProducer: "lines for kafka-console-producer",
  consoleConsumer: "text of kafka-console-consumer",
};

const SEPARATORS = [
  { value: ",", text: "comma" },
  { value: ";", text: "semicolon" },
  { value: "\t", text: "tab" },
  { value: "|", text: "bar" },
];

/** @param {FileFormat} format */
function nameOf(format) {
  const name = /** @type {Record<string, string>} */ (NAMES)[format.type] ?? format.type;
  return format.type === "csv" ? `${name}, ${SEPARATORS.find(({ value }) => value === format.separator)?.text ?? format.separator}${format.header ? ", first row names" : ", no names"}` : name;
}

/** Properties as lines of `name=value`. @param {Record<string, string>} properties */
const linesOf = (properties) => Object.entries(properties).map(([name, value]) => `${name}=${value}`).join("\n");

/** @param {string} text */
function propertiesOf(text) {
  return Object.fromEntries(text.split("\n").filter((line) => line.trim() !== "").map((line) => {
    const at = line.indexOf("=");
    return at < 0 ? [line, ""] : [line.slice(0, at), line.slice(at + 1)];
  }));
}

/** Events: `change`. */
export class FormatField extends EventTarget {
  #select = h("select", { onchange: () => this.#chosen() });
  #options = h("div", { class: "format-options" });
  #reason = h("p", { class: "hint" });
  #notes = h("div", null);
  /** @type {FileFormat[]} */
  #formats = [];
  /** @type {FileFormat | null} */
  #format = null;
  element = h("div", { class: "format-field" }, field("Format", this.#select), this.#reason, this.#options, this.#notes);

  /** What the file is read as; null until it is chosen. */
  get value() {
    return this.#format;
  }

  /** @param {Inspection} inspection */
  show({ format, sure, others, reason, notes }) {
    this.#formats = format ? [format, ...others] : others;
    this.#select.replaceChildren(
      ...(format ? [] : [h("option", { value: "" }, "choose…")]),
      ...this.#formats.map((each, i) => h("option", { value: i }, `${nameOf(each)}${each === format ? (sure ? " (recognised)" : " (a guess)") : ""}`)),
    );
    this.#reason.textContent = format && !sure ? `A guess: look at the records below. ${reason}` : reason;
    this.#notes.replaceChildren(...notes.map((note) => h("p", { class: "hint" }, note)));
    this.#notes.hidden = false;
    this.#format = format;
    this.#showOptions();
  }

  #chosen() {
    const chosen = this.#select.value === "" ? null : this.#formats[Number(this.#select.value)];
    this.#format = chosen ?? null;
    this.#notes.hidden = this.#select.selectedIndex !== 0;
    this.#showOptions();
    this.dispatchEvent(new Event("change"));
  }

  /** @param {Partial<FileFormat>} change */
  #set(change) {
    this.#format = /** @type {FileFormat} */ ({ ...this.#format, ...change });
    this.dispatchEvent(new Event("change"));
  }

  #showOptions() {
    const format = /** @type {any} */ (this.#format);
    /** @type {Node[]} */
    const parts = [];
    const text = (/** @type {string} */ name, /** @type {string} */ label, /** @type {string} */ note) => {
      const input = textInput({ class: "mono", value: format[name] ?? "", oninput: () => this.#set({ [name]: input.value === "" && name !== "format" ? null : input.value }) });
      parts.push(field(label, input, note));
    };
    const flag = (/** @type {string} */ name, /** @type {string} */ label) => {
      const input = h("input", { type: "checkbox", checked: Boolean(format[name]), onchange: () => this.#set({ [name]: input.checked }) });
      parts.push(h("label", { class: "check" }, input, h("span", null, label)));
    };
    const properties = (/** @type {string} */ note) => {
      const area = h("textarea", { class: "mono", rows: 3, spellcheck: "false", oninput: () => this.#set({ properties: propertiesOf(area.value) }) });
      area.value = linesOf(format.properties ?? {});
      parts.push(field("Properties, one a line", area, note));
    };
    switch (format?.type) {
      case "csv": {
        const select = h("select", { onchange: () => this.#set({ separator: select.value }) }, ...SEPARATORS.map(({ value, text: name }) => h("option", { value }, name)));
        select.value = format.separator;
        parts.push(field("Cells are parted by", select));
        flag("header", "The first row names the columns");
        break;
      }
      case "kcatLines":
        text("keyDelimiter", "-K, parts key and value", "Nothing: records have no key. Escapes as kcat has them: \\t, \\x1f.");
        text("delimiter", "-D, ends a record", "Nothing: a line feed.");
        flag("nulls", "-Z: an empty key or value is none");
        break;
      case "kcatText":
        text("format", "-f, the format", "%k:%s\\n is what -K: prints. With %K and %S before them, keys and values are told exactly.");
        flag("nulls", "-Z was given: NULL is none");
        flag("emptyIsNone", "Nothing at all is none, not empty");
        break;
      case "consoleProducer":
        properties("As --reader-property has them: parse.key, key.separator, parse.headers, null.marker and so on.");
        break;
      case "consoleConsumer": {
        properties("As --formatter-property has them: print.key, print.headers, key.separator and so on.");
        const literal = format.properties?.["null.literal"] ?? "null";
        const choice = segmented("What the null literal is", [{ value: "none", text: `${literal} is none` }, { value: "text", text: `${literal} is text` }], format.nulls ? "none" : "text", (value) => this.#set({ nulls: value === "none" }));
        parts.push(choice.element);
        break;
      }
    }
    this.#options.replaceChildren(...parts);
  }
}
