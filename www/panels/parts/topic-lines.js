/** @file Which lines kafka-topics --describe is asked for: its options. */
import { h } from "../../dom.js";

/** @typedef {import("../../../src/wasm/types.d.ts").ToolRequest} ToolRequest */
/** @typedef {import("../../../src/wasm/types.d.ts").TopicRows} TopicRows */

/** @type {readonly (readonly [TopicRows, string])[]} */
const LINES = [
  ["all", "--topic"],
  ["byId", "--topic-id"],
  ["withOverrides", "--topics-with-overrides"],
  ["underReplicated", "--under-replicated-partitions"],
  ["unavailable", "--unavailable-partitions"],
  ["atMinIsr", "--at-min-isr-partitions"],
  ["underMinIsr", "--under-min-isr-partitions"],
];

export class TopicLines {
  #lines = h("select", { "aria-label": "Options of kafka-topics" }, ...LINES.map(([value, text]) => h("option", { value }, text)));
  element = h("span", { class: "row" }, this.#lines);

  /**
   * @param {string} topic
   * @returns {ToolRequest}
   */
  request(topic) {
    const rows = LINES.find(([value]) => value === this.#lines.value)?.[0];
    return { tool: "describeTopic", topic, rows: rows ?? "all" };
  }
}
