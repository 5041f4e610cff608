/**
 * @file A running job at the foot of the page, and what came of it. It covers nothing that is needed:
 * the lanes fill behind it.
 */

/**
 * @import { JobEnd, JobReport } from "../jobs.js"
 * @import { CountedRefusal } from "./parts/job-notes.js"
 */

import { count, h, size } from "../dom.js";
import { jobNotes, refusalCounts } from "./parts/job-notes.js";
import { plural } from "./parts/numbers.js";

/** How long good news stays when nobody reads it. */
const STAY_MS = 8_000;
/** And longer by so much for each letter of a note. */
const READ_MS = 50;

/** Events: `cancel-job`. */
export class JobDock extends EventTarget {
  #root;
  #title = h("h2", { id: "job-title" });
  #bar = h("progress", { max: 1, "aria-labelledby": "job-title" });
  #line = h("p", { class: "job-line mono" });
  #result = h("div", { class: "job-result" });
  #spoken = h("p", { class: "unseen", role: "status" });
  #stop;
  #close;
  #timer = 0;
  /** Whether there is something to read, so that it stays until it is closed. */
  #stays = true;

  /** @param {HTMLElement} root */
  constructor(root) {
    super();
    this.#stop = h("button", { type: "button", onclick: () => this.#cancel() }, "Stop");
    this.#close = h("button", { type: "button", onclick: () => this.hide() }, "Close");
    this.#root = h(
      "section",
      { class: "job", "aria-labelledby": "job-title", tabindex: -1, hidden: true },
      h("div", { class: "job-head" }, this.#title, this.#stop, this.#close),
      this.#bar,
      this.#line,
      this.#result,
    );
    root.append(this.#root, this.#spoken);
    for (const type of ["pointerenter", "focusin"]) this.#root.addEventListener(type, () => clearTimeout(this.#timer));
    for (const type of ["pointerleave", "focusout"]) this.#root.addEventListener(type, () => this.#leaveSoon());
    // What has the focus is never behind it: it makes room by going, or the page scrolls.
    document.addEventListener("focusin", ({ target }) => this.#giveWay(/** @type {Element} */ (target)));
  }

  /** @returns {boolean} whether a job is shown as running */
  get running() {
    return !this.#root.hidden && !this.#stop.hidden;
  }

  /**
   * @param {JobReport} report
   */
  progress(report) {
    const { kind, progress, done, total, left } = report;
    if (!this.running) {
      this.#begin();
      this.#spoken.textContent = `${kind === "import" ? "Import" : "Generation"} into ${progress.topic} has begun.`;
    }
    this.#title.textContent = `${kind === "import" ? "Importing into" : "Generating into"} ${progress.topic}`;
    this.#bar.value = total > 0 ? done / total : 0;
    this.#line.textContent = [...amounts(report), left === null ? "" : `${duration(left)} left`].filter(Boolean).map(unbroken).join(" · ");
  }

  /** @param {JobEnd} end */
  finished({ outcome, report, cancelled, failure }) {
    if (!this.running) this.#begin();
    const { kind, progress, ms } = report;
    const many = outcome.type === "producedMany" ? outcome : null;
    const late = (many?.refused ?? progress.refused) - progress.refused;
    const records = many?.records ?? progress.records;
    const into = many ? ` in ${count(many.partitions.filter((each) => each.records > 0).length)} partitions` : "";
    const what = `${count(records)} ${records === 1 ? "record is" : "records are"} in ${progress.topic}${into}`;
    const title = failure !== null ? "Broken off" : cancelled ? "Stopped" : "Done";
    this.#title.textContent = `${title}: ${what}`;
    this.#line.textContent = [size(many?.bytes ?? progress.bytes), `${duration(ms)}`, rate(report)].filter(Boolean).map(unbroken).join(" · ");
    this.#bar.hidden = true;
    this.#stop.hidden = true;
    this.#close.hidden = false;
    this.#result.replaceChildren(...whyEnded(kind, cancelled, failure), ...refusedLate(late, /** @type {{ refusals?: CountedRefusal[] } | null} */ (many)?.refusals), ...refusals(progress), ...jobNotes(progress));
    this.#stays = title !== "Done" || late > 0 || progress.refused > 0;
    this.#leaveSoon();
    this.#spoken.textContent = [
      `${title}: ${what}.`,
      progress.refused > 0 ? `${count(progress.refused)} lines were refused.` : "",
      late > 0 ? `${count(late)} records were refused by the broker.` : "",
    ].filter(Boolean).join(" ");
  }

  /** @param {string} text */
  note(text) {
    this.#result.append(h("p", { class: "soft small" }, text));
    this.#leaveSoon(text.length * READ_MS);
  }

  hide() {
    clearTimeout(this.#timer);
    this.#root.hidden = true;
  }

  /** Goes by itself when all went well and it has neither focus nor pointer. @param {number} [more] ms */
  #leaveSoon(more = 0) {
    clearTimeout(this.#timer);
    if (this.#stays || this.running) return;
    this.#timer = setTimeout(() => {
      if (!this.#root.matches(":hover, :focus-within")) this.hide();
    }, STAY_MS + more);
  }

  /** Scrolls what has the focus out from behind the dock. @param {Element} target */
  #giveWay(target) {
    if (this.#root.hidden || this.#root.contains(target) || target.closest("dialog")) return;
    const dock = this.#root.getBoundingClientRect();
    const { top, bottom, right, height } = target.getBoundingClientRect();
    if (bottom > dock.top && top < dock.bottom && right > dock.left && height < dock.top) scrollBy(0, bottom - dock.top + 8);
  }

  #begin() {
    clearTimeout(this.#timer);
    this.#stays = true;
    this.#root.hidden = false;
    this.#bar.hidden = false;
    this.#bar.removeAttribute("value");
    this.#stop.hidden = false;
    this.#stop.disabled = false;
    this.#close.hidden = true;
    this.#line.textContent = "";
    this.#result.replaceChildren(h("p", { class: "hint" }, "Nothing of it is saved before it ends. Stop it, and what is in stays."));
  }

  #cancel() {
    this.#stop.disabled = true;
    this.dispatchEvent(new CustomEvent("cancel-job"));
  }
}

/** @param {JobReport} report */
function amounts(report) {
  const { progress, done, total } = report;
  const part = report.kind === "import" ? `${size(done)} of ${size(total)}` : `of ${count(total)}`;
  return [
    `${count(progress.records)} records`,
    part,
    rate(report),
    progress.refused > 0 ? `${count(progress.refused)} lines refused` : "",
  ];
}

/** @param {JobReport} report */
function rate({ rate: records, ms }) {
  // Over a moment a rate says nothing.
  return ms >= 300 ? `${count(Math.round(records))} records/s` : "";
}

/** @param {string} text to stay on one line */
function unbroken(text) {
  return text.replaceAll(" ", "\u00a0");
}

/** @param {number} ms */
function duration(ms) {
  if (ms < 1_000) return `${Math.max(1, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}

/** @param {JobReport["kind"]} kind @param {boolean} cancelled @param {unknown} failure */
function whyEnded(kind, cancelled, failure) {
  if (failure !== null) {
    const said = failure instanceof Error || failure instanceof DOMException ? failure.message : String(failure);
    const what = kind === "import" ? "The file could not be read to its end" : "It could not go on";
    return [h("p", { class: "notice" }, `${what}: ${said} What came before is in the log and stays.`)];
  }
  return cancelled ? [h("p", null, "What came before is in the log and stays.")] : [];
}

/**
 * A broker answers for whole batches, after they were sent: these are no lines.
 * @param {number} records
 * @param {CountedRefusal[] | undefined} reasons
 */
function refusedLate(records, reasons) {
  if (records === 0) return [];
  const told = refusalCounts(reasons);
  return [h("div", { class: "notice" },
    h("p", null, `${plural(records, "record was", "records were")} refused by the broker and not stored.`),
    ...(told.length > 0 ? told : [h("p", null, "The topic’s configs decide, such as max.message.bytes; send one such record by hand to read why.")]))];
}

/** @param {JobReport["progress"]} progress */
function refusals({ refused, refusals: first }) {
  if (refused === 0) return [];
  const more = refused > first.length ? `, the first ${count(first.length)} of them:` : ":";
  return [
    h("h3", null, `${count(refused)} ${refused === 1 ? "line was" : "lines were"} refused${more}`),
    h("ol", { class: "job-refusals", tabindex: 0, "aria-label": "Refused lines" }, ...first.map(({ unit, at, reason }) => h("li", null, h("b", { class: "mono" }, `${unit} ${count(at)}`), ` ${reason}`))),
  ];
}
