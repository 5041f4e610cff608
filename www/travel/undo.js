/** @file Undo and redo: two buttons in the page's bar, Ctrl+Z and Ctrl+Shift+Z everywhere but in text. */
import { h } from "../dom.js";

/** @import { HistoryView } from "../../src/wasm/types.d.ts" */

const isMac = /^Mac|^iP/.test(navigator.platform);
const KEY = isMac ? "⌘" : "Ctrl+";

/** @param {string} d */
function arrow(d) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", "stroked");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", d);
  svg.append(path);
  return svg;
}

/** Whether keys pressed there are text. @param {EventTarget | null} target */
function isText(target) {
  return target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("textarea, select, input:not([type=button], [type=checkbox], [type=radio], [type=range], [type=submit])"));
}

/** Emits `undo` and `redo`. Where they lead is asked when they are pressed: twice within a frame is two steps. */
export class UndoButtons extends EventTarget {
  #undo = h("button", { type: "button", class: "quiet icon", "aria-label": "Undo", title: `Undo (${KEY}Z)`, "aria-keyshortcuts": `${isMac ? "Meta" : "Control"}+Z`, onclick: () => this.#go("undo") }, arrow("M6 3 2.5 6.5 6 10M3 6.5h6.5a4 4 0 0 1 0 8H7"));
  #redo = h("button", { type: "button", class: "quiet icon", "aria-label": "Redo", title: `Redo (${KEY}${isMac ? "⇧" : "Shift+"}Z)`, "aria-keyshortcuts": `${isMac ? "Meta" : "Control"}+Shift+Z`, onclick: () => this.#go("redo") }, arrow("m10 3 3.5 3.5L10 10M13 6.5H6.5a4 4 0 0 0 0 8H9"));
  /** @param {HTMLElement} root */
  constructor(root) {
    super();
    root.append(this.#undo, this.#redo);
    addEventListener("keydown", (event) => {
      const command = isMac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
      if (!command || event.altKey || event.defaultPrevented || isText(event.target) || document.querySelector("dialog:modal")) return;
      const key = event.key.toLowerCase();
      const act = key === "z" ? (event.shiftKey ? "redo" : "undo") : key === "y" && !isMac && !event.shiftKey ? "redo" : null;
      if (!act) return;
      event.preventDefault();
      this.#go(act);
    });
  }

  /** @param {HistoryView} history */
  update(history) {
    // Not `disabled`: the focus would be lost at the ends.
    this.#undo.setAttribute("aria-disabled", String(history.undo === null));
    this.#redo.setAttribute("aria-disabled", String(history.redo === null));
  }

  /** @param {"undo" | "redo"} act */
  #go(act) {
    this.dispatchEvent(new Event(act));
  }
}
