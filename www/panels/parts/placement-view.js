/** @file Where a record would land, before it is sent: the arithmetic, the reason, and what other clients would do. */
import { toHex } from "../../bytes.js";
import { count, h } from "../../dom.js";
import { button, scroller } from "./field.js";
import { plural } from "./numbers.js";
import { refusalLines, WHO_WOULD } from "./refusal.js";

/** @typedef {import("../../../src/wasm/types.d.ts").Destination} Destination */
/** @typedef {import("../../../src/wasm/types.d.ts").KeyArithmetic} KeyArithmetic */
/** @typedef {import("../../../src/wasm/types.d.ts").Placement} Placement */

/**
 * @typedef {object} Others
 * @property {Set<string>} defaults ids of what each client does unless told otherwise
 * @property {boolean} showAll
 * @property {() => void} toggle shows all, or only the defaults
 */

/** How many bytes of a key the arithmetic spells out. */
const SPELLED = 20;

const DRAWN = { random: "drawn at random", roundRobin: "round robin", sticky: "sticky" };

/** @param {Destination} destination */
function destinationText({ kind, partition }) {
  if (kind === "fixed") return `P${partition}`;
  return partition === null ? DRAWN[kind] : `${DRAWN[kind]}, now P${partition}`;
}

/** @param {Destination} destination */
function headline({ kind, partition }) {
  if (kind === "fixed") return `Lands in partition ${partition}`;
  if (partition !== null) return `Lands in partition ${partition}, ${DRAWN[kind]}`;
  return { random: "Lands in a partition drawn at random", roundRobin: "Lands in the partition whose turn it is", sticky: "Lands in the partition of the current batch" }[kind];
}

/**
 * @param {KeyArithmetic} arithmetic
 * @param {Uint8Array} key
 */
function arithmeticTable({ hash, masked, partitions, partition, keyLength }, key) {
  const hex = `${toHex(key.subarray(0, SPELLED))}${key.length > SPELLED ? " …" : ""}`;
  const row = (/** @type {(Node | string)[]} */ left, /** @type {number} */ result, /** @type {string | undefined} */ kind) =>
    h("tr", kind ? { class: kind } : null, h("th", { scope: "row", class: "mono" }, ...left), h("td", { class: "num mono" }, "= ", count(result)));
  return h("table", { class: "arithmetic" },
    h("caption", null, `From ${plural(keyLength, "key byte")} to a partition`),
    h("tbody", null,
      row(["murmur2(", h("span", { class: "key-bytes" }, hex), ")"], hash, undefined),
      row(["& 0x7fffffff"], masked, undefined),
      row([`% ${count(partitions)} partitions`], partition, "result")));
}

/**
 * What other clients would do: of each what it does unless told otherwise, and all there is on demand.
 * @param {Placement["others"]} all
 * @param {Others} view
 */
function othersTable(all, { defaults, showAll, toggle }) {
  const others = showAll ? all : all.filter(({ partitioner }) => defaults.has(partitioner));
  const differing = others.filter(({ agrees }) => !agrees).length;
  const rows = others.map(({ client, name, destination, agrees }) =>
    h("tr", agrees ? null : { class: "differs" },
      h("th", { scope: "row" }, client, h("span", { class: "hint" }, ` ${name}`)), h("td", null, destinationText(destination)),
      h("td", null, agrees ? h("span", { class: "soft" }, "same") : "≠ differs")));
  return h("div", null,
    h("h2", { class: "minor" }, "The same key from other clients"),
    h("p", { class: "hint" }, differing === 0 ? "All agree." : `${differing} of ${others.length} would choose otherwise.`),
    scroller("Other clients’ placements",
      h("table", { class: "others" },
        h("thead", null, h("tr", null, h("th", { scope: "col" }, "Client and partitioner"), h("th", { scope: "col" }, "Where"),
          h("th", { scope: "col" }, h("span", { class: "unseen" }, "Agrees")))),
        h("tbody", null, ...rows))),
    button(showAll ? "Only each client’s default" : `All ${count(all.length)} partitioners`, toggle, { class: "link", "aria-expanded": String(showAll) }));
}

/**
 * @param {Placement} placement
 * @returns {string}
 */
export function outline({ destination, refusal }) {
  if (refusal) return `${WHO_WOULD[refusal.refusal]}: ${refusal.name}`;
  return destination ? headline(destination) : "";
}

/**
 * @param {Placement} placement
 * @param {Uint8Array | null} key
 * @param {Others} shown
 * @returns {HTMLElement[]}
 */
export function placementView({ destination, arithmetic, reason, refusal, others }, key, shown) {
  return [
    ...(destination && !refusal ? [h("p", { class: "placement-head" }, headline(destination))] : []),
    ...(refusal ? [h("div", { class: "refusal" }, ...refusalLines(refusal, WHO_WOULD[refusal.refusal]))] : []),
    ...(reason ? [h("p", null, reason)] : []),
    ...(arithmetic && key !== null ? [arithmeticTable(arithmetic, key)] : []),
    ...(others.length > 0 ? [othersTable(others, shown)] : []),
  ];
}
