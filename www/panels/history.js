/** @file Every act that led here, newest first. */
import { count, h } from "../dom.js";
import { CopyButton } from "./parts/copy.js";
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
  #copy = new CopyButton("Copy all as text", () => this.#text());
  #wanted = PAGE;
  #renew;
  /** @type {PageState | null} */
  #state = null;

  /** @param {HTMLElement} root */
  constructor(root) {
    super(root);
    this.#renew = whileSeen(root, () => this.#show());
    root.append(h("div", { class: "row" }, this.#summary, this.#copy.button), this.#copy.answer, this.#list, h("div", { class: "acts" }, this.#older));
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
    this.#copy.button.hidden = length <= forgotten;
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
}

/** @param {HistoryEntry} entry */
function makeStep({ step, at, text }) {
  const element = h("li", null,
    h("span", { class: "num soft" }, count(step)), h("time", { class: "mono soft", datetime: moment(at), title: String(at) }, moment(at)), h("span", { class: "mono" }, text));
  return { element, update() {} };
}
