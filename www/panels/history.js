/** @file Every act that led here, newest first. */
import { count, h } from "../dom.js";
import { button } from "./parts/field.js";
import { KeptList, setText, whileSeen } from "./parts/keep.js";
import { moment, plural } from "./parts/numbers.js";
import { Panel } from "./parts/panel.js";

/** @typedef {import("../types.d.ts").PageState} PageState */
/** @typedef {import("../../src/wasm/types.d.ts").HistoryEntry} HistoryEntry */

/** How many steps are shown at once, and how many more each press of “older” brings. */
const PAGE = 200;
/** How many steps are fetched in one go for copying. */
const CHUNK = 1000;

export class HistoryPanel extends Panel {
  #summary = h("p", { class: "soft" });
  #list = h("ol", { class: "plain-list history", "aria-label": "Steps, newest first" });
  #steps = new KeptList(this.#list, (/** @type {HistoryEntry} */ { step }) => String(step), (entry) => makeStep(entry));
  #older = button("Older steps", () => this.#showOlder());
  #copy = button("Copy all as text", () => void this.#copyAll());
  #copied = h("span", { class: "hint", role: "status" });
  #byHand = h("textarea", { class: "mono", rows: 8, readonly: true, hidden: true, "aria-label": "All steps as text" });
  #wanted = PAGE;
  #renew;
  /** @type {PageState | null} */
  #state = null;

  /** @param {HTMLElement} root */
  constructor(root) {
    super(root);
    this.#renew = whileSeen(root, () => this.#show());
    root.append(h("div", { class: "row" }, this.#summary, this.#copy, this.#copied), this.#byHand, this.#list, h("div", { class: "acts" }, this.#older));
  }

  /** @param {PageState} state */
  update(state) {
    this.#state = state;
    this.#renew();
  }

  #show() {
    const { engine, view } = /** @type {PageState} */ (this.#state);
    const { length, forgotten } = view.history;
    const from = Math.max(forgotten, length - this.#wanted);
    setText(this.#summary, length === 0
      ? "Nothing has happened yet."
      : `${plural(length, "step")}${forgotten > 0 ? `; the first ${count(forgotten)} are no longer kept` : ""}.`);
    this.#steps.update(length > from ? engine.history(from, length - from).sort((a, b) => b.step - a.step) : []);
    this.#older.hidden = from <= forgotten;
    this.#copy.hidden = length <= forgotten;
  }

  #showOlder() {
    const last = this.#list.lastElementChild;
    this.#wanted += PAGE;
    this.#show();
    // The button may be gone now: go on reading where the new steps begin.
    if (this.#older.hidden && last?.nextElementSibling) {
      const next = /** @type {HTMLElement} */ (last.nextElementSibling);
      next.tabIndex = -1;
      next.focus();
    }
  }

  /** All kept steps, oldest first, a line each. */
  #text() {
    const { engine, view } = /** @type {PageState} */ (this.#state);
    const { length, forgotten } = view.history;
    const lines = [];
    for (let from = forgotten; from < length; from += CHUNK) {
      for (const { step, at, text } of engine.history(from, Math.min(CHUNK, length - from))) lines.push(`${step}\t${moment(at)}\t${text}`);
    }
    return lines.join("\n");
  }

  async #copyAll() {
    const text = this.#text();
    try {
      await navigator.clipboard.writeText(text);
      this.#byHand.hidden = true;
      this.#copied.textContent = "Copied.";
    } catch {
      // No permission, or no secure context: the text is laid out to be copied by hand.
      this.#byHand.value = text;
      this.#byHand.hidden = false;
      this.#byHand.focus();
      this.#byHand.select();
      this.#copied.textContent = "The browser does not let the page copy. The text is selected: copy it with Ctrl or Cmd and C.";
    }
  }
}

/** @param {HistoryEntry} entry */
function makeStep({ step, at, text }) {
  const element = h("li", null,
    h("span", { class: "num soft" }, count(step)), h("time", { class: "mono soft", datetime: moment(at), title: String(at) }, moment(at)), h("span", { class: "mono" }, text));
  return { element, update() {} };
}
