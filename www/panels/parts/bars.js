/** @file A bar per partition with a line at the mean. A table underneath, so it is read as one. */
import { count, h } from "../../dom.js";
import { scroller } from "./field.js";

/**
 * @typedef {object} Bar
 * @property {number} partition
 * @property {number} value
 * @property {string} [note] what stands after the number
 */

/**
 * @param {string} caption
 * @param {string} unit heads the column of numbers
 * @param {readonly Bar[]} bars
 * @param {number} [scale] the value of a full bar; the greatest where left out
 * @param {string} [noteHead]
 * @returns {HTMLElement}
 */
export function barTable(caption, unit, bars, scale, noteHead) {
  const total = bars.reduce((sum, { value }) => sum + value, 0);
  const mean = bars.length === 0 ? 0 : total / bars.length;
  const full = Math.max(1, scale ?? Math.max(0, ...bars.map(({ value }) => value)));
  const rows = bars.map(({ partition, value, note }) => {
    const bar = h("div", { class: "bar", "aria-hidden": "true" }, h("i", null), h("b", null));
    bar.style.setProperty("--part", String(value / full));
    bar.style.setProperty("--mean", String(mean / full));
    return h("tr", null,
      h("th", { scope: "row" }, `P${partition}`), h("td", { class: "bar-cell" }, bar), h("td", { class: "num" }, count(value)),
      noteHead !== undefined && h("td", { class: "num quiet" }, note ?? ""));
  });
  const table = h("table", { class: "bars" },
    h("caption", null, caption),
    h("thead", null, h("tr", null,
      h("th", { scope: "col" }, h("span", { class: "unseen" }, "Partition")),
      h("td", { class: "mean-label" }, bars.length > 0 && `┆ mean ${count(Math.round(mean * 10) / 10)}`),
      h("th", { scope: "col", class: "num" }, unit),
      noteHead !== undefined && h("th", { scope: "col", class: "num" }, noteHead))),
    h("tbody", null, ...rows));
  return bars.length > 24 ? scroller(caption, table) : table;
}
