/**
 * @file A bar above the lanes while the cluster stands in its past, or while a text is looked at: where
 * it stands, what the author notes there, and what acting here means.
 */
import { count, h } from "../dom.js";
import { button } from "../panels/parts/field.js";
import { setText } from "../panels/parts/keep.js";
import { plural } from "../panels/parts/numbers.js";
import { Transport } from "./transport.js";

/** @import { HistoryView } from "../../src/wasm/types.d.ts" */
/** @import { Playback } from "./playback.js" */

/** Emits `travel` (detail: position). */
export class TimeBar extends EventTarget {
  #root;
  #transport;
  #ahead = h("p", { class: "time-ahead" });
  #notes = h("div", { class: "time-notes", role: "status" });
  #end = button("Back to the end", () => this.#go(this.#length));
  #length = 0;
  #said = "";

  /** @param {HTMLElement} root @param {Playback} playback */
  constructor(root, playback) {
    super();
    this.#root = root;
    this.#transport = new Transport(playback);
    this.#transport.addEventListener("travel", (event) => this.#go(/** @type {CustomEvent<number>} */ (event).detail));
    root.append(this.#notes, h("div", { class: "time-row" }, this.#transport.element, this.#ahead, this.#end));
  }

  /**
   * @param {HistoryView} history
   * @param {readonly string[]} notes what is said at this step
   * @param {boolean} stays also where nothing lies ahead
   */
  update(history, notes, stays) {
    const { length, position } = history;
    const ahead = length - position;
    this.#length = length;
    const focused = this.#root.contains(document.activeElement);
    this.#root.hidden = ahead === 0 && !stays;
    // What had the focus is gone: go on in the page.
    if (focused && this.#root.hidden) document.getElementById("lanes")?.focus();
    if (this.#root.hidden) return;
    this.#root.classList.toggle("past", ahead > 0);
    this.#transport.update(history);
    setText(this.#ahead, ahead === 0 ? "" : `${plural(ahead, "step")} ${ahead === 1 ? "lies" : "lie"} ahead. What you do now begins another course, and ${ahead === 1 ? "it is" : "they are"} set aside.`);
    if (this.#end.hidden !== (ahead === 0)) {
      const had = document.activeElement === this.#end;
      this.#end.hidden = ahead === 0;
      if (had) document.getElementById("lanes")?.focus();
    }
    const said = notes.join("\n");
    if (said !== this.#said) {
      this.#said = said;
      this.#notes.replaceChildren(...notes.map((note) => h("p", null, note)));
    }
  }

  /** @param {number} position */
  #go(position) {
    this.dispatchEvent(new CustomEvent("travel", { detail: position }));
  }
}

/** @param {number} id @param {number} steps @param {string} text */
export function asideName(id, steps, text) {
  return `${count(steps)} ${steps === 1 ? "step" : "steps"}, from “${text}” on (${id + 1})`;
}
