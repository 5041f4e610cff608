/** @file What an import would make of the beginning of a file: its first records, and what it could not take. */

/** @import { Preview } from "../../../src/wasm/types.d.ts" */

import { cutLabel } from "../../bytes.js";
import { count, h } from "../../dom.js";
import { plural } from "./numbers.js";

const SHOWN = 8;
const KEY_CHARS = 24;
const VALUE_CHARS = 60;

/** @param {Uint8Array | null} bytes @param {number} length @param {number} most */
function cell(bytes, length, most) {
  const special = bytes === null || bytes.length === 0;
  return h("td", { class: special ? "mono soft" : "mono import-cell" }, cutLabel(bytes, length, most));
}

/** @param {Preview} preview */
export function previewTable({ records, refusals, taken, refused, whole }) {
  const sum = `${plural(taken, "record", "records")} ${whole ? "in the file" : "in its beginning"}${refused > 0 ? `, and ${plural(refused, "line cannot be taken", "lines cannot be taken")}` : ""}.`;
  const where = records.some((each) => each.partition !== null);
  const headers = records.some((each) => each.headers > 0);
  const names = ["at", ...(where ? ["was"] : []), "timestamp", "key", "value", ...(headers ? ["headers"] : [])];
  const rows = records.slice(0, SHOWN).map((each) => h("tr", null,
    h("th", { scope: "row", class: "soft" }, `${each.unit} ${count(each.at)}`),
    where && h("td", { class: "mono" }, each.partition === null ? "" : `P${each.partition}${each.offset === null ? "" : ` @ ${count(each.offset)}`}`),
    h("td", { class: "mono" }, each.timestamp === null ? h("span", { class: "soft" }, "the clock’s") : String(each.timestamp)),
    cell(each.key, each.keyLength, KEY_CHARS),
    cell(each.value, each.valueLength, VALUE_CHARS),
    headers && h("td", { class: "num" }, String(each.headers))));
  return [
    h("p", { class: "hint" }, sum),
    rows.length > 0 && h("div", { class: "table-wrap", tabindex: 0, role: "group", "aria-label": "The first records" }, h("table", { class: "import-preview" },
      h("thead", null, h("tr", null, ...names.map((name) => h("th", { scope: "col" }, name)))), h("tbody", null, ...rows))),
    refusals.length > 0 && h("ul", { class: "job-refusals", tabindex: 0, "aria-label": "Lines that cannot be taken" },
      ...refusals.slice(0, SHOWN).map(({ unit, at, reason }) => h("li", null, h("b", { class: "mono" }, `${unit} ${count(at)}`), ` ${reason}`))),
  ].filter((part) => part !== false);
}
