/** @file What a poll delivered, in the order it did. */
import { label } from "../../bytes.js";
import { count, h } from "../../dom.js";
import { button, scroller } from "./field.js";
import { keyChip } from "./key-chip.js";
import { plural } from "./numbers.js";

/** @typedef {import("../../../src/wasm/types.d.ts").Outcome} Outcome */
/** @typedef {Extract<Outcome, { type: "polled" }>} Polled */
/** @typedef {import("./types.d.ts").Place} Place */

/** The most records listed; a poll may deliver 500 and more. */
const LISTED = 100;

/** @param {Polled["resets"][number]} reset */
function resetText({ topic, partition, from, to, policy }) {
  const why = from === null ? "no committed offset" : `offset ${count(from)} is out of range`;
  return `${topic} P${partition}: ${why}, so auto.offset.reset=${policy} set the position to ${count(to)}.`;
}

/**
 * @param {Polled} polled
 * @param {(place: Place) => void} select
 * @returns {HTMLElement}
 */
export function polledView({ member, records, resets }, select) {
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
    resets.length > 0 && h("ul", { class: "plain-list notice" }, ...resets.map((reset) => h("li", null, resetText(reset)))),
    records.length > 0 && scroller(`Records ${member} polled`, h("table", null,
      h("thead", null, h("tr", null, ...["Record", "Key", "Value"].map((text) => h("th", { scope: "col" }, text)),
        h("th", { scope: "col" }, h("span", { class: "unseen" }, "Delivered before")))),
      h("tbody", null, ...rows))),
    records.length > LISTED && h("p", { class: "hint" }, `and ${count(records.length - LISTED)} more`));
}
