/** @file Which offset kafka-get-offsets is asked for: its --time. */
import { h } from "../../dom.js";
import { textInput } from "./field.js";
import { timestamp } from "./numbers.js";

/** @typedef {import("../../../src/wasm/types.d.ts").ToolRequest} ToolRequest */

const TIMES = ["latest", "earliest", "max-timestamp"];

export class OffsetTimes {
  #time = h("select", { "aria-label": "--time" }, ...TIMES.map((time) => h("option", { value: time }, `--time ${time}`)), h("option", { value: "" }, "--time: at or after…"));
  #at = textInput({ class: "mono", "aria-label": "Time", placeholder: "ms since 1970, or ISO 8601", size: 26, hidden: true });
  element = h("span", { class: "row" }, this.#time, this.#at);

  constructor() {
    this.#time.addEventListener("input", () => (this.#at.hidden = this.#time.value !== ""));
  }

  /**
   * @param {string} topic
   * @returns {ToolRequest | string}
   */
  request(topic) {
    if (this.#time.value !== "") return { tool: "getOffsets", topic, time: this.#time.value };
    const at = timestamp(this.#at.value);
    if (at === null) {
      return this.#at.value.trim() === ""
        ? "Give a time: of each partition, the first record at or after it is looked up."
        : `The time “${this.#at.value}” is neither whole milliseconds nor an ISO 8601 date, such as 2024-04-01T19:33:20.000Z.`;
    }
    return { tool: "getOffsets", topic, time: String(at) };
  }
}
