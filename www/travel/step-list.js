/**
 * @file The steps of a history, a line each, as a list box. Of a long one only the lines in sight are
 * made, so two hundred thousand steps are as quick as twenty.
 */
import { count, h } from "../dom.js";
import { uniqueId } from "../panels/parts/field.js";

/** @import { HistoryEntry, HistoryView } from "../../src/wasm/types.d.ts" */
/** @import { EngineApi } from "../types.d.ts" */

/** The height of a line, in px; history.css has the same. */
const ROW = 28;
/** Lines made above and below those in sight. */
const SPARE = 12;
/** A page of keys, in lines. */
const PAGE = 12;

/** Emits `travel` (detail: the position to go to). */
export class StepList extends EventTarget {
  #rows = h("div", { class: "steps-rows", role: "presentation" });
  #list = h("div", { class: "steps", role: "listbox", tabindex: 0, "aria-label": "Steps of the history" }, this.#rows);
  #id = uniqueId("steps");
  /** @type {HistoryView | null} */
  #history = null;
  /** @type {EngineApi | null} */
  #engine = null;
  /** The line that keys move, as a position. */
  #active = 0;
  #frame = 0;
  /** What the rows show, to leave them alone while nothing has changed. */
  #shown = "";
  element = this.#list;

  constructor() {
    super();
    this.#list.addEventListener("scroll", () => this.#soon(), { passive: true });
    this.#list.addEventListener("keydown", (event) => this.#key(event));
    this.#list.addEventListener("focus", () => this.#reveal(this.#active));
    this.#rows.addEventListener("click", (event) => {
      const row = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-position]"));
      if (!row) return;
      this.#active = Number(row.dataset.position);
      this.#go();
    });
    new ResizeObserver(() => this.#soon()).observe(this.#list);
  }

  /** @param {EngineApi} engine @param {HistoryView} history */
  update(engine, history) {
    const before = this.#history;
    const moved = before?.position !== history.position || before.length !== history.length || engine !== this.#engine;
    this.#engine = engine;
    this.#history = history;
    if (moved) {
      this.#active = history.position;
      this.#shown = "";
      this.#rows.style.height = `${(history.length - history.earliest + 1) * ROW}px`;
      this.#reveal(history.position);
    }
    this.#draw();
  }

  #soon() {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
    });
  }

  #draw() {
    const history = this.#history;
    const engine = this.#engine;
    const height = this.#list.clientHeight;
    if (!history || !engine || !height) return;
    const top = Math.floor(this.#list.scrollTop / ROW);
    const first = Math.max(history.earliest, history.earliest + top - SPARE);
    const last = Math.min(history.length, history.earliest + top + Math.ceil(height / ROW) + SPARE);
    const shown = `${first} ${last} ${this.#active} ${history.position} ${history.length}`;
    if (shown === this.#shown) return;
    this.#shown = shown;
    const from = Math.max(0, first - 1);
    const entries = new Map(engine.history(from, last - from).map((entry) => [entry.step + 1, entry]));
    /** @type {HTMLElement[]} */
    const rows = [];
    for (let position = first; position <= last; position += 1) rows.push(this.#row(position, entries.get(position), history));
    this.#rows.replaceChildren(...rows);
    this.#list.setAttribute("aria-activedescendant", `${this.#id}-${this.#active}`);
  }

  /** @param {number} position @param {HistoryEntry | undefined} entry @param {HistoryView} history */
  #row(position, entry, history) {
    const row = h("div", {
      id: `${this.#id}-${position}`, role: "option", class: "step", "data-position": position,
      "aria-selected": String(position === history.position),
      "aria-posinset": position - history.earliest + 1, "aria-setsize": history.length - history.earliest + 1,
    },
    h("span", { class: "num step-number" }, count(position)),
    h("span", { class: "mono step-text" }, entry?.text ?? (position === 0 ? "the empty cluster" : "what came before is no longer kept")));
    row.classList.toggle("ahead", position > history.position);
    row.classList.toggle("active", position === this.#active);
    row.classList.toggle("timer", entry?.command === "tick");
    if (!entry) row.classList.add("beginning");
    row.style.transform = `translateY(${(position - history.earliest) * ROW}px)`;
    return row;
  }

  /** @param {number} position */
  #reveal(position) {
    const { earliest } = this.#history ?? { earliest: 0 };
    const top = (position - earliest) * ROW;
    const { scrollTop, clientHeight } = this.#list;
    if (top < scrollTop) this.#list.scrollTop = top;
    else if (top + ROW > scrollTop + clientHeight) this.#list.scrollTop = top + ROW - clientHeight;
  }

  #go() {
    this.dispatchEvent(new CustomEvent("travel", { detail: this.#active }));
    this.#soon();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const history = this.#history;
    if (!history || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = { ArrowUp: this.#active - 1, ArrowDown: this.#active + 1, PageUp: this.#active - PAGE, PageDown: this.#active + PAGE, Home: history.earliest, End: history.length }[event.key];
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.#go();
    } else if (target !== undefined) {
      event.preventDefault();
      this.#active = Math.min(history.length, Math.max(history.earliest, target));
      this.#reveal(this.#active);
      this.#draw();
    }
  }
}
