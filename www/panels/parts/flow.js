/** @file Keys on their way from today's partitions to those of a larger topic: a picture, and the same as a table. */
import { count, h } from "../../dom.js";
import { scroller, uniqueId } from "./field.js";
import { plural } from "./numbers.js";

/** @typedef {import("../../../src/wasm/types.d.ts").WhatIf} WhatIf */

const SVG = "http://www.w3.org/2000/svg";
/** More ribbons than this are a tangle: then only the table is shown, and with more cells not even that. */
const MOST_RIBBONS = 400;
const MOST_CELLS = 4096;
/** The picture is drawn for the width it gets, between these, so that its letters keep their size. */
const LEAST_WIDTH = 300;
const MOST_WIDTH = 700;
const NODE = 8;
const LABEL = 34;
/** The height of a name, in pixels. */
const LINE = 12;

/**
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {...(Node | string)} children
 */
function svg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/**
 * Where each node stands: its top, its height, and the middle of its name.
 * @param {number[]} sizes
 * @param {number} height
 * @param {number} unit pixels per key
 */
function stack(sizes, height, unit) {
  const used = sizes.reduce((sum, size) => sum + Math.max(1, size * unit), 0);
  const gap = sizes.length > 1 ? Math.max(0, (height - used) / (sizes.length - 1)) : 0;
  let top = 0;
  const nodes = sizes.map((size) => {
    const tall = Math.max(1, size * unit);
    const node = { top, height: tall, next: top, label: top + tall / 2 };
    top += tall + gap;
    return node;
  });
  // Names of nodes that are nearly nothing would stand on each other.
  let least = 0;
  for (const node of nodes) least = (node.label = Math.max(node.label, least)) + LINE;
  let most = height;
  for (const node of nodes.toReversed()) most = (node.label = Math.min(node.label, most)) - LINE;
  return nodes;
}

/**
 * @param {WhatIf} whatIf
 * @param {number} room the width there is, in pixels
 * @returns {Element | null}
 */
export function flowPicture({ from, to, flows, keys }, room) {
  const width = Math.max(LEAST_WIDTH, Math.min(MOST_WIDTH, room));
  const ribbons = flows.reduce((sum, row) => sum + row.filter((n) => n > 0).length, 0);
  if (keys.total === 0 || ribbons > MOST_RIBBONS) return null;
  const height = Math.min(640, Math.max(140, 22 * to));
  const gaps = Math.min(height * 0.35, 6 * (to - 1));
  const unit = (height - gaps) / keys.total;
  const left = stack(flows.map((row) => row.reduce((sum, n) => sum + n, 0)), height, unit);
  const right = stack(Array.from({ length: to }, (_, b) => flows.reduce((sum, row) => sum + (row[b] ?? 0), 0)), height, unit);
  const x0 = LABEL + NODE;
  const x1 = width - LABEL - NODE;
  /** @type {Element[]} */
  const paths = [];
  flows.forEach((row, a) => row.forEach((n, b) => {
    const start = left[a];
    const end = right[b];
    if (n === 0 || !start || !end) return;
    const w = Math.max(0.75, n * unit);
    const y0 = start.next + w / 2;
    const y1 = end.next + w / 2;
    start.next += n * unit;
    end.next += n * unit;
    const middle = (x0 + x1) / 2;
    paths.push(svg("path", {
      d: `M${x0} ${y0.toFixed(1)}C${middle} ${y0.toFixed(1)} ${middle} ${y1.toFixed(1)} ${x1} ${y1.toFixed(1)}`,
      "stroke-width": w.toFixed(2), class: a === b ? "stays" : "moves",
    }, svg("title", {}, `P${a} → P${b}: ${plural(n, "key")}${a === b ? ", stay" : ""}`)));
  }));
  paths.sort((a, b) => Number(a.classList.contains("moves")) - Number(b.classList.contains("moves")));
  const nodes = (/** @type {typeof left} */ list, /** @type {number} */ x, /** @type {number} */ text, /** @type {string} */ anchor) =>
    list.flatMap(({ top, height: tall, label }, i) => [
      svg("rect", { x, y: top, width: NODE, height: tall, class: i >= from ? "node fresh" : "node" }),
      svg("text", { x: text, y: label, "text-anchor": anchor, "dominant-baseline": "central" }, `P${i}`),
    ]);
  const id = uniqueId("flow");
  return svg("svg", { viewBox: `0 -8 ${width} ${height + 16}`, class: "flow", role: "img", "aria-labelledby": id },
    svg("title", { id }, `${plural(keys.stay, "key stays", "keys stay")}, ${plural(keys.move, "key moves", "keys move")} from ${from} to ${to} partitions. The table below has the numbers.`),
    ...paths, ...nodes(left, LABEL, LABEL - 6, "end"), ...nodes(right, x1, width - LABEL + 6, "start"));
}

/**
 * @param {WhatIf} whatIf
 * @returns {HTMLElement}
 */
export function flowTable({ from, to, flows }) {
  if (from * to > MOST_CELLS) return h("p", { class: "hint" }, `A table of ${count(from)} × ${count(to)} cells is more than can be read.`);
  const most = Math.max(1, ...flows.flat());
  const rows = flows.map((row, a) => h("tr", null, h("th", { scope: "row", class: "num" }, `P${a}`), ...row.map((n, b) => {
    const cell = h("td", { class: `num${a === b ? " stays" : ""}` }, n === 0 ? "·" : count(n));
    cell.style.setProperty("--heat", String(n / most));
    return cell;
  })));
  return scroller(`Keys from ${from} to ${to} partitions`, h("table", { class: "heat" },
    h("caption", null, "Keys by partition: rows are today’s, columns the new ones; the outlined cells stay."),
    h("thead", null, h("tr", null, h("th", { scope: "col" }, "from ↓ to →"), ...Array.from({ length: to }, (_, b) => h("th", { scope: "col", class: "num" }, `P${b}`)))),
    h("tbody", null, ...rows)));
}
