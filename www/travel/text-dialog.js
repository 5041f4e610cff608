/**
 * @file The history as a text that can be changed and carried out as another one. What is wrong with it
 * is marked at its line while one writes.
 */
import { count, h } from "../dom.js";
import { button, uniqueId } from "../panels/parts/field.js";
import { setText } from "../panels/parts/keep.js";
import { plural } from "../panels/parts/numbers.js";

/** @import { Diagnostic, ScenarioView } from "../../src/wasm/types.d.ts" */

/** So long after the last letter the text is read. */
const QUIET_MS = 200;
/** The height of a line of text, in px; history.css has the same. */
const LINE = 20;
/** So many problems are listed; the rest is counted. */
const LISTED = 20;
/** Texts of more lines have no numbers beside them. */
const MAX_NUMBERED = 20_000;

/** Emits `run` (detail: the text). */
export class TextDialog extends EventTarget {
  #read;
  #timer = 0;
  #round = 0;
  #area = h("textarea", { class: "mono script-text", rows: 16, spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off" });
  #gutter = h("div", { class: "script-gutter mono", "aria-hidden": "true" });
  #problems = h("ul", { class: "script-problems plain-list" });
  #said = h("p", { class: "hint", role: "status" });
  #run = h("button", { type: "submit", class: "primary" }, "Run it");
  #file = h("input", { type: "file", accept: ".lanes,.scenario,.txt,text/plain", hidden: true });
  #title = h("h2", { id: uniqueId("script") });
  element;

  /** @param {(text: string) => Promise<ScenarioView>} read */
  constructor(read) {
    super();
    this.#read = read;
    const help = uniqueId("script-help");
    this.#area.id = uniqueId("script-text");
    this.#area.setAttribute("aria-describedby", help);
    this.#area.addEventListener("input", () => this.#soon());
    this.#area.addEventListener("scroll", () => {
      this.#gutter.style.transform = `translateY(${-this.#area.scrollTop}px)`;
    }, { passive: true });
    this.#file.addEventListener("change", () => void this.#load());
    this.element = h("dialog", { "aria-labelledby": this.#title.id, class: "form-dialog script-dialog" },
      h("form", { novalidate: true, onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        void this.#submit();
      } },
      this.#title,
      h("p", { class: "hint", id: help }, "One act a line, in Kafka’s words; “note” lines are shown to the reader. Run, it is a view beside what you have: you can keep it or go back."),
      h("label", { class: "unseen", for: this.#area.id }, "Scenario"),
      h("div", { class: "script-box" }, h("div", { class: "script-gutter-clip" }, this.#gutter), this.#area),
      this.#said, this.#problems, this.#file,
      h("div", { class: "acts" }, this.#run, button("From a file…", () => this.#file.click()), button("Close", () => this.element.close()))));
  }

  /** @param {string} text @param {string} [name] of its file; else it is the history */
  open(text, name) {
    this.#title.textContent = name === undefined ? "The history as a text" : `The scenario ${name}`;
    if (!this.element.isConnected) document.body.append(this.element);
    this.#area.value = text;
    this.element.showModal();
    this.#area.setSelectionRange(0, 0);
    this.#area.scrollTop = 0;
    void this.#check();
  }

  close() {
    this.element.close();
  }

  async #load() {
    const file = this.#file.files?.[0];
    this.#file.value = "";
    if (!file) return;
    this.#area.value = await file.text();
    this.#title.textContent = `The scenario ${file.name}`;
    await this.#check();
  }

  #soon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#check(), QUIET_MS);
  }

  async #submit() {
    clearTimeout(this.#timer);
    const view = await this.#check();
    if (view && view.problems.length === 0) this.dispatchEvent(new CustomEvent("run", { detail: this.#area.value }));
    else this.#problems.querySelector("button")?.focus();
  }

  async #check() {
    const round = (this.#round += 1);
    const view = await this.#read(this.#area.value);
    if (round !== this.#round) return null;
    const { problems } = view;
    setText(this.#said, problems.length > 0
      ? `${plural(problems.length, "line")} cannot be read. Nothing is done before all can.`
      : `${plural(view.acts, "act")}${view.title ? `: ${view.title}` : ""}.`);
    this.#area.setAttribute("aria-invalid", String(problems.length > 0));
    this.#problems.replaceChildren(...problems.slice(0, LISTED).map((problem) => this.#problem(problem)),
      ...(problems.length > LISTED ? [h("li", { class: "hint" }, `and ${count(problems.length - LISTED)} more`)] : []));
    this.#number(new Set(problems.map(({ line }) => line)));
    return view;
  }

  /** @param {Diagnostic} problem */
  #problem({ line, column, length, message, hint }) {
    return h("li", null,
      button(`Line ${line}, column ${column}`, () => this.#show(line, column, length), { class: "link" }), ` ${message}`,
      hint && h("span", { class: "hint" }, ` ${hint}`));
  }

  /** Puts the caret there. @param {number} line @param {number} column @param {number} length all from 1, in characters */
  #show(line, column, length) {
    const lines = this.#area.value.split("\n");
    const before = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
    const letters = [...(lines[line - 1] ?? "")];
    const start = before + letters.slice(0, column - 1).join("").length;
    const end = start + letters.slice(column - 1, column - 1 + length).join("").length;
    this.#area.focus();
    this.#area.setSelectionRange(start, end);
    this.#area.scrollTop = Math.max(0, (line - 4) * LINE);
  }

  /** @param {Set<number>} wrong */
  #number(wrong) {
    const lines = this.#area.value.split("\n").length;
    if (lines > MAX_NUMBERED) return this.#gutter.replaceChildren();
    this.#gutter.replaceChildren(h("span", null, Array.from({ length: lines }, (_, i) => i + 1).join("\n")),
      ...[...wrong].map((line) => {
        const mark = h("i", { class: "script-wrong" });
        mark.style.top = `${(line - 1) * LINE}px`;
        return mark;
      }));
  }
}
