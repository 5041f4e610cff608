/** @file What a cell's form says; colour is only for keys. What is rare has its entry while it is in sight. */

import { h } from "../dom.js";

/** @import { Standing } from "../../src/wasm/types.d.ts" */

/** The entries of standings, in their order: the form, and what it says. */
const STANDINGS = /** @type {const} */ ([
  ["commitMarker", "commit", "COMMIT marker"],
  ["abortMarker", "abort", "ABORT marker"],
  ["aborted", "aborted", "transaction aborted"],
  ["open", "open", "transaction open"],
]);

export class Legend {
  #path = entry("path", "one key in order of time; dashed: to a lower offset", true);
  #standings = new Map(STANDINGS.map(([standing, form, text]) => [/** @type {Standing} */ (standing), entry(form, text, true)]));
  element = h("ul", { class: "lanes-legend soft small", "aria-label": "How records are drawn" },
    entry("key", "a colour per key"),
    entry("none", "no key"),
    entry("empty", "empty key"),
    entry("tombstone", "tombstone"),
    entry("void", "empty value"),
    entry("gap", "gap"),
    entry("committed", "committed offset"),
    entry("position", "position"),
    this.#path, ...this.#standings.values());

  /**
   * @param {boolean} path whether a key's path is drawn
   * @param {Set<Standing>} standings those that are drawn
   */
  show(path, standings) {
    hide(this.#path, !path);
    for (const [standing, item] of this.#standings) hide(item, !standings.has(standing));
  }
}

/** @param {HTMLElement} item @param {boolean} hidden */
function hide(item, hidden) {
  if (item.hidden !== hidden) item.hidden = hidden;
}

/** @param {string} form @param {string} text @param {boolean} [hidden] */
function entry(form, text, hidden = false) {
  return h("li", { hidden }, h("i", { class: `form form-${form}`, "aria-hidden": "true" }), text);
}
