/**
 * @file The lessons, and the one that is being done: its text, its task, and whether what it asks for is
 * so. That is read from the cluster, however the reader brought it about.
 */
import { h } from "../dom.js";
import { button } from "./parts/field.js";
import { keepFocus, setText, whileSeen } from "./parts/keep.js";
import { plural } from "./parts/numbers.js";
import { Panel } from "./parts/panel.js";

/** @import { Lesson, Lessons } from "../learn/lessons.js" */
/** @import { Visit } from "../travel/visit.js" */
/** @import { Finding } from "../../src/wasm/types.d.ts" */
/** @import { PageState } from "../types.d.ts" */

export class LessonsPanel extends Panel {
  #lessons;
  #list = h("ol", { class: "lesson-list" });
  #nav = h("nav", { "aria-label": "Lessons" }, h("h2", null, "Lessons"), this.#list);
  #told = h("div", { class: "lesson-told" });
  #checks = h("ul", { class: "plain-list lesson-checks" });
  #outcome = h("p", { class: "lesson-outcome", role: "status" });
  #again = button("Start it again", () => this.#open(this.#current));
  #next = button("Next lesson", () => this.#open(this.#after()));
  #task = h("section", { class: "lesson-task", "aria-label": "Task" }, h("h3", null, "To do"), h("div", { class: "lesson-asked" }), this.#checks, this.#outcome);
  #article = h("article", { class: "lesson" }, this.#told, this.#task, h("div", { class: "acts" }, this.#next, this.#again));
  #empty = h("p", { class: "soft lesson-empty" }, "Choose a lesson. It opens beside what you have, which stays as it is.");
  #renew;
  /** @type {Lesson[]} */
  #known = [];
  /** @type {string | null} */
  #current = null;
  /** @type {Visit | null} */
  #shown = null;
  /** @type {PageState | null} */
  #state = null;

  /** @param {HTMLElement} root @param {Lessons} lessons */
  constructor(root, lessons) {
    super(root);
    this.#lessons = lessons;
    this.#renew = whileSeen(root, () => this.#show());
    root.append(h("div", { class: "sided lessons" }, this.#nav, h("div", null, this.#empty, this.#article)), this.refusal.element);
    this.#list.addEventListener("click", (event) => {
      const id = /** @type {Element} */ (event.target).closest("button")?.dataset.lesson;
      if (id) this.#open(id);
    });
  }

  /** @param {PageState} state */
  update(state) {
    this.#state = state;
    this.#renew();
  }

  #show() {
    if (this.#known.length === 0) void this.#load();
    const { visit = null, findings = [] } = /** @type {PageState} */ (this.#state);
    const lesson = visit?.kind === "lesson" ? visit : null;
    this.#current = lesson?.id ?? null;
    this.#empty.hidden = lesson !== null;
    this.#article.hidden = lesson === null;
    for (const one of this.#list.querySelectorAll("button")) {
      if (one.dataset.lesson === this.#current) one.setAttribute("aria-current", "true");
      else one.removeAttribute("aria-current");
    }
    if (!lesson) return;
    if (lesson !== this.#shown) this.#tell(lesson);
    this.#judge(findings);
  }

  /** @param {Visit} lesson */
  #tell(lesson) {
    this.#shown = lesson;
    const notes = lesson.view.lines.filter(({ kind, solution }) => kind === "note" && !solution);
    this.#told.replaceChildren(h("h2", null, lesson.title), ...notes.map(({ text }) => h("p", null, text)));
    /** @type {Element} */ (this.#task.querySelector(".lesson-asked")).replaceChildren(...lesson.tasks.map((task) => h("p", null, task)));
    this.#checks.replaceChildren();
  }

  /** @param {readonly Finding[]} findings */
  #judge(findings) {
    const rows = findings.map(({ text, met, found }) => {
      const words = text.replace(/^check /, "");
      return `${met ? "✓" : "○"} ${words}${met ? "" : `. There is ${found}.`}`;
    });
    rows.forEach((row, i) => {
      const item = this.#checks.children[i] ?? this.#checks.appendChild(h("li", { class: "mono" }));
      setText(item, row);
      item.classList.toggle("met", findings[i]?.met === true);
    });
    const met = findings.filter((finding) => finding.met).length;
    const isDone = findings.length > 0 && met === findings.length;
    setText(this.#outcome, isDone ? "Done: all of it is so." : `${met} of ${plural(findings.length, "check")} ${met === 1 ? "holds" : "hold"}.`);
    this.#task.classList.toggle("done", isDone);
    const last = this.#after() === null;
    this.#next.classList.toggle("primary", isDone);
    if (this.#next.hidden !== last) keepFocus(this.root, this.#article, () => (this.#next.hidden = last));
  }

  #after() {
    const at = this.#known.findIndex(({ id }) => id === this.#current);
    return at < 0 ? null : (this.#known[at + 1]?.id ?? null);
  }

  /** @param {string | null} id */
  #open(id) {
    if (id !== null) this.emit("lesson", id);
  }

  async #load() {
    try {
      this.#known = await this.#lessons.list();
      this.#list.replaceChildren(...this.#known.map(({ id, title }) => h("li", null, h("button", { type: "button", class: "link", "data-lesson": id }, title))));
      this.#show();
    } catch (error) {
      this.refusal.say(`The lessons could not be loaded: ${error instanceof Error ? error.message : error}`, "Open this panel again once the connection is back.");
    }
  }
}
