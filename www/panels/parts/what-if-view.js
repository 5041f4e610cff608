/** @file What growing a topic would do to its keys: how many stay, which move, and how even it would be. */
import { count, h } from "../../dom.js";
import { barTable } from "./bars.js";
import { longScroller } from "./field.js";
import { flowPicture, flowTable } from "./flow.js";
import { keyChip } from "./key-chip.js";
import { percent, plural } from "./numbers.js";

/** @typedef {import("../../../src/wasm/types.d.ts").WhatIf} WhatIf */

/** More partitions than this are not drawn as bars. */
const MOST_BARS = 256;

/** @param {number} a @param {number} b @returns {number} the greatest number that divides both */
function gcd(a, b) {
  return b === 0 ? a : gcd(b, a % b);
}

/** @param {WhatIf} whatIf */
function summary({ from, to, theory, keys, records }) {
  const { numerator, denominator } = theory;
  const common = gcd(numerator, denominator);
  const share = [`${numerator}/${denominator}`, common > 1 && `${numerator / common}/${denominator / common}`, percent(numerator, denominator)].filter(Boolean).join(" = ");
  if (keys.total === 0) return [h("p", null, `No keys yet. For keys spread evenly, ${share} would stay, and the others move.`)];
  return [
    h("p", { class: "placement-head" }, `${count(keys.move)} of ${plural(keys.total, "key")} would move, ${count(keys.stay)} stay`),
    h("dl", { class: "facts" },
      h("dt", null, "stay"), h("dd", null, `${percent(keys.stay, keys.total)} of the keys; in theory ${from} / lcm(${from}, ${to}) = ${share}`),
      h("dt", null, "records of moving keys"), h("dd", null, `${count(records.ofMovingKeys)} of ${count(records.keyed)} with a key (${percent(records.ofMovingKeys, records.keyed)}), ${count(records.total)} in all`)),
  ];
}

/**
 * @param {WhatIf} whatIf
 * @param {(tag: number, key: Uint8Array) => void} highlight
 */
function moversTable({ movers, keys }, highlight) {
  const rows = movers.map(({ key, tag, records, from, to }) => h("tr", null,
    h("td", null, keyChip(key, tag, () => highlight(tag, key))), h("td", { class: "num" }, count(records)),
    h("td", { class: "mono" }, `P${from} → P${to}`)));
  return longScroller("Moving keys", h("table", null,
    h("caption", null, movers.length < keys.move ? `The ${count(movers.length)} moving keys with the most records, of ${count(keys.move)}` : "The moving keys"),
    h("thead", null, h("tr", null, h("th", { scope: "col" }, "Key"), h("th", { scope: "col", class: "num" }, "Records"), h("th", { scope: "col" }, "Moves"))),
    h("tbody", null, ...rows)));
}

/** @param {WhatIf} whatIf */
function skewBars({ from, to, before, after }) {
  if (to > MOST_BARS) return h("p", { class: "hint" }, `${count(to)} bars are more than can be read.`);
  const scale = Math.max(1, ...before.records, ...after.records);
  const bars = (/** @type {WhatIf["before"]} */ { records, keys }) => records.map((value, partition) => ({ partition, value, note: count(keys[partition] ?? 0) }));
  return h("div", { class: "pair" },
    barTable(`Today, with ${plural(from, "partition")}`, "Records", bars(before), scale, "Keys"),
    barTable(`If all were sent again to ${plural(to, "partition")}`, "Records", bars(after), scale, "Keys"));
}

/**
 * @param {WhatIf} whatIf
 * @param {number} room the width there is, in pixels
 * @param {(tag: number, key: Uint8Array) => void} highlight
 * @returns {HTMLElement[]}
 */
export function whatIfView(whatIf, room, highlight) {
  if (whatIf.keys.total === 0) return summary(whatIf);
  const picture = flowPicture(whatIf, room);
  const table = flowTable(whatIf);
  return [
    ...summary(whatIf),
    h("div", { class: "flow-and-list" },
      picture
        ? h("div", { class: "stack" },
          h("figure", null, picture, h("figcaption", { class: "hint" }, "Each ribbon is as wide as the keys in it: grey ones stay, coloured ones move.")),
          h("details", null, h("summary", null, "The same as a table"), table))
        : table,
      whatIf.movers.length > 0 && moversTable(whatIf, highlight)),
    skewBars(whatIf),
  ];
}
