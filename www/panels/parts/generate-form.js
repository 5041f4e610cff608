/** @file Many records by a rule. The same seed makes the same records. */
import { h, size } from "../../dom.js";
import { field, numberInput } from "./field.js";
import { setOptions } from "./keep.js";
import { refusalCounts } from "./job-notes.js";
import { NOT_INT32, int32, plural } from "./numbers.js";
import { RefusalOutput } from "./refusal.js";

/** @typedef {import("../../../src/wasm/types.d.ts").GenerateCommand} GenerateCommand */
/** @typedef {import("../../../src/wasm/types.d.ts").PartitionerInfo} PartitionerInfo */
/** @typedef {import("../../types.d.ts").PageState} PageState */

/** Emits `generate`, detail: the command. */
export class GenerateForm extends EventTarget {
  refusal = new RefusalOutput();
  #count = numberInput({ value: "1000" });
  #keys = numberInput({ value: "100" });
  #skew = numberInput({ value: "0", inputmode: "decimal" });
  #valueBytes = numberInput({ value: "100" });
  #seed = numberInput({ value: "1" });
  #partitioner = h("select", null);
  #go = h("button", { type: "submit" }, "Generate");
  #made = h("output", { class: "hint" });
  #why = h("div", { class: "notice", hidden: true });
  #topic = "";
  element;

  constructor() {
    super();
    const form = h("form", {
      class: "stack", novalidate: true, "aria-label": "Generate many records",
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        this.#submit();
      },
    },
      h("div", { class: "fields" },
        field("Records", this.#count, "1 to 10,000,000"),
        field("Different keys", this.#keys, "key-1, key-2 …; 0: no key at all"),
        field("Skew", this.#skew, "0: all alike; 1: key n comes 1/n as often as the first"),
        field("Bytes in a value", this.#valueBytes, "0 to 1,000,000"),
        field("Seed", this.#seed, "Same seed, same records")),
      field("Partitioner", this.#partitioner),
      h("div", { class: "acts" }, this.#go, this.#made),
      this.#why,
      this.refusal.element);
    this.element = h("details", { class: "generate" }, h("summary", null, "Generate many"), form);
  }

  /** @param {PartitionerInfo[]} usable */
  setPartitioners(usable) {
    setOptions(this.#partitioner, usable.map(({ id, client, name }) => ({ value: id, text: `${client}: ${name}` })), usable[0]?.id);
  }

  /** @param {PageState} state */
  update({ topic, view }) {
    this.#topic = topic?.name ?? "";
    this.#go.disabled = view.job !== null;
  }

  /** @param {{ records: number, bytes: number, refused: number, partitions: unknown[], refusals?: import("./job-notes.js").CountedRefusal[] }} outcome */
  done({ records, bytes, refused, partitions, refusals }) {
    this.refusal.clear();
    this.#why.replaceChildren(...refusalCounts(refusals));
    this.#why.hidden = !this.#why.firstChild;
    this.#made.textContent = `${plural(records, "record")} (${size(bytes)}) in ${plural(partitions.length, "partition")}${refused > 0 ? `; ${plural(refused, "record")} refused` : ""}`;
  }

  #submit() {
    this.#made.textContent = "";
    this.#why.hidden = true;
    this.refusal.clear();
    /** @type {Record<string, number>} */
    const numbers = {};
    for (const [name, what, input] of /** @type {const} */ ([
      ["count", "The number of records", this.#count], ["keys", "The number of keys", this.#keys],
      ["valueBytes", "The size of a value", this.#valueBytes], ["seed", "The seed", this.#seed],
    ])) {
      const value = int32(input.value);
      if (value === null) {
        this.refusal.say(`${what} “${input.value}” ${NOT_INT32.split(",")[0]} with at most ten digits.`);
        input.focus();
        return;
      }
      numbers[name] = value;
    }
    const skew = Number(this.#skew.value.trim() || NaN);
    if (!Number.isFinite(skew)) {
      this.refusal.say(`The skew “${this.#skew.value}” is not a number.`, "0 is even; 1 is the classic skew.");
      this.#skew.focus();
      return;
    }
    const { count: records = 0, keys = 0, valueBytes = 0, seed = 0 } = numbers;
    /** @type {GenerateCommand} */
    const detail = { type: "generate", topic: this.#topic, partitioner: this.#partitioner.value, count: records, keys, skew, valueBytes, seed };
    this.dispatchEvent(new CustomEvent("generate", { detail }));
  }
}
