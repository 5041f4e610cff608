/** @file What is looked at, when it is not the visitor's own: whence it comes, and the two ways on. */
import { h } from "../dom.js";
import { button } from "../panels/parts/field.js";
import { setText } from "../panels/parts/keep.js";
import { plural } from "../panels/parts/numbers.js";

/** @import { Finding } from "../../src/wasm/types.d.ts" */
/** @import { Visit, VisitKind } from "./visit.js" */

/** @type {Record<VisitKind, string>} */
const FROM = { link: "From a link", lesson: "Lesson", file: "From a file", text: "From a text" };
/** So many expectations that do not hold are listed. */
const LISTED = 5;

/** Emits `keep` and `back`. */
export class VisitBar extends EventTarget {
  #root;
  #score = h("p", { class: "visit-score", role: "status" });

  /** @param {HTMLElement} root */
  constructor(root) {
    super();
    this.#root = root;
  }

  /** @param {Visit} visit @param {boolean} hasOwn whether the visitor has something to go back to */
  show({ kind, title, stopped, findings, tasks }, hasOwn) {
    const failed = findings.filter(({ met }) => !met);
    this.#root.hidden = false;
    this.#root.replaceChildren(
      h("p", null, h("b", null, title ? `${FROM[kind]}: ${title}` : FROM[kind]), hasOwn ? ". What you have is kept beside it; what you do here is not saved." : ". What you do here is not saved."),
      ...(kind === "lesson" ? [this.#score] : []),
      h("div", { class: "visit-acts" }, button("Keep it…", () => this.#emit("keep")), button(hasOwn ? "Back to mine" : "Close it", () => this.#emit("back"))),
      ...(tasks.length > 0 ? [h("details", { class: "visit-task" }, h("summary", null, "To do"), ...tasks.map((task) => h("p", null, task)))] : []),
      ...(stopped ? [h("p", { class: "visit-wrong", role: "alert" }, `It stops early. ${stopped}`)] : []),
      ...(failed.length > 0 ? [h("div", { class: "visit-wrong" },
        h("p", null, `${failed.length} of ${findings.length} expectations do not hold:`),
        h("ul", null, ...failed.slice(0, LISTED).map(({ line, text, found }) => h("li", null, `line ${line}: `, h("code", null, text), `, but ${found}`))))] : []));
  }

  /** How far the lesson is. @param {readonly Finding[]} findings */
  judge(findings) {
    const met = findings.filter((finding) => finding.met).length;
    const isDone = findings.length > 0 && met === findings.length;
    setText(this.#score, findings.length === 0 ? "" : isDone ? "✓ Done" : `${met} of ${plural(findings.length, "check")} ${met === 1 ? "holds" : "hold"}`);
    this.#score.classList.toggle("met", isDone);
  }

  /** A link that is not taken. @param {string} message @param {string} hint */
  refuse(message, hint) {
    this.#root.hidden = false;
    this.#root.replaceChildren(
      h("div", { role: "alert" }, h("p", null, h("b", null, message)), h("p", null, hint)),
      h("div", { class: "visit-acts" }, button("Close", () => this.#emit("dismiss"))));
  }

  hide() {
    const focused = this.#root.contains(document.activeElement);
    this.#root.hidden = true;
    this.#root.replaceChildren();
    if (focused) document.getElementById("lanes")?.focus();
  }

  /** @param {"keep" | "back" | "dismiss"} type */
  #emit(type) {
    this.dispatchEvent(new Event(type));
  }
}
