/** @file What a poll delivered, in the order it did. */
import { label } from "../../bytes.js";
import { count, h } from "../../dom.js";
import { button, longScroller } from "./field.js";
import { keyChip } from "./key-chip.js";
import { plural } from "./numbers.js";

/** @typedef {import("../../../src/wasm/types.d.ts").Outcome} Outcome */
/** @typedef {Extract<Outcome, { type: "polled" }>} Polled */
/** @typedef {import("../../types.d.ts").Selection} Selection */
/** @typedef {(topic: string, partition: number) => bigint} LogStart */

/** The most records listed; a poll may deliver 500 and more. */
const LISTED = 100;

/**
 * One line for all partitions without a commit, one for each position that was out of range.
 * @param {Polled["resets"]} resets
 * @param {LogStart} logStart
 */
function resetLines(resets, logStart) {
  const place = (/** @type {Polled["resets"][number]} */ { topic, partition, to }) => {
    const skipped = to - logStart(topic, partition);
    const passed = skipped > 0n ? ` (${plural(skipped, "offset")} before it ${skipped === 1n ? "is" : "are"} passed over)` : "";
    return `${topic} P${partition} → ${count(to)}${passed}`;
  };
  const fresh = resets.filter(({ from }) => from === null);
  const lines = resets.filter(({ from }) => from !== null).map((reset) =>
    `Offset ${count(/** @type {bigint} */ (reset.from))} is out of range, so auto.offset.reset=${reset.policy} set the position: ${place(reset)}.`);
  if (fresh[0]) lines.unshift(`No committed offset, so auto.offset.reset=${fresh[0].policy} set the position: ${fresh.map(place).join(", ")}.`);
  return lines;
}

/**
 * @param {Polled} polled
 * @param {LogStart} logStart
 * @param {(place: Selection) => void} select
 * @returns {HTMLElement}
 */
export function polledView({ member, records, resets }, logStart, select) {
  const again = records.filter((record) => record.again).length;
  const rows = records.slice(0, LISTED).map((record) => {
    const { topic, partition, offset, key, value, tag } = record;
    return h("tr", null,
      h("td", null, button(`${topic} P${partition} @ ${offset}`, () => select({ topic, partition, offset }), { class: "link mono" })),
      h("td", null, keyChip(key, tag)),
      h("td", { class: "mono value" }, label(value, 60)),
      h("td", null, record.again && h("span", { class: "tag again" }, "again")));
  });
  return h("section", { class: "polled", "aria-label": `Last poll of ${member}` },
    h("p", { role: "status" }, h("b", { class: "mono" }, member), records.length === 0
      ? " polled: no records."
      : ` polled: ${plural(records.length, "record")}${again > 0 ? `, ${count(again)} of them again` : ""}.`),
    resets.length > 0 && h("div", { class: "notice" }, ...resetLines(resets, logStart).map((line) => h("p", null, line))),
    records.length > 0 && longScroller(`Records ${member} polled`, h("table", null,
      h("thead", null, h("tr", null, ...["Record", "Key", "Value"].map((text) => h("th", { scope: "col" }, text)),
        h("th", { scope: "col" }, h("span", { class: "unseen" }, "Delivered before")))),
      h("tbody", null, ...rows))),
    records.length > LISTED && h("p", { class: "hint" }, `and ${count(records.length - LISTED)} more`));
}
