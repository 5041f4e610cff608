/**
 * @file A running job at the foot of the page, and what came of it. It covers nothing that is needed:
 * the lanes fill behind it.
 */

/**
 * @import { FileEnd, FileReport } from "../exports.js"
 * @import { JobEnd, JobReport } from "../jobs.js"
 * @import { Report } from "../slices.js"
 * @import { CountedRefusal } from "./parts/job-notes.js"
 */

import { visible } from "../bytes.js";
import { count, h, size } from "../dom.js";
import { isRefusal } from "../questions.js";
import { jobNotes, refusalCounts } from "./parts/job-notes.js";
import { plural } from "./parts/numbers.js";

/** How long good news stays when nobody reads it. */
const STAY_MS = 8_000;
/** And longer by so much for each letter of a note. */
const READ_MS = 50;

const STAYS = "Nothing of it is saved before it ends. Stop it, and what is in stays.";
const NO_FILE_YET = "Nothing else can be done meanwhile: it is a picture of one moment. Stop it, and there is no file.";

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
   * @param {string} [file] which of several is read
   */
  progress(report, file) {
    const { progress } = report;
    this.#show(`${progress.kind === "import" ? "Importing into" : "Generating into"} ${progress.topic}`, report, amounts(report, file), STAYS);
  }

  /** @param {string} name of the file that is written @param {FileReport} report */
  writing(name, report) {
    const { records, bytes } = report.progress;
    this.#show(`Saving ${name}`, report, [records > 0 && plural(records, "record"), size(bytes), records > 0 && rate(report)], NO_FILE_YET);
  }

  /**
   * @param {string} title
   * @param {Report<{ records: number }>} report
   * @param {(string | false)[]} line
   * @param {string} hint what a stop means
   */
  #show(title, { done, total, left }, line, hint) {
    if (!this.running) {
      this.#begin(hint);
      this.#spoken.textContent = `${title}: begun.`;
    }
    this.#title.textContent = title;
    this.#bar.value = total > 0 ? done / total : 0;
    this.#line.textContent = oneLine([...line, left !== null && `${duration(left)} left`]);
  }

  /**
   * @param {FileResult[]} ends of an import, one for each file; else one
   */
  finished(ends) {
    const results = ends.map(resultOf);
    const sum = (/** @type {(result: Result) => number} */ of) => results.reduce((all, result) => all + of(result), 0);
    const { end } = /** @type {FileResult} */ (ends.at(-1));
    const { progress } = end.report;
    const [records, late, refused, ms] = [sum((each) => each.records), sum((each) => each.late), sum((each) => each.refused), sum((each) => each.ms)];
    const partitions = new Set(results.flatMap((each) => each.partitions)).size;
    const what = `${plural(records, "record is", "records are")} in ${progress.topic}${partitions > 0 ? ` in ${plural(partitions, "partition")}` : ""}`;
    const title = end.failure !== null ? "Broken off" : end.cancelled ? "Stopped" : "Done";
    const speed = rate({ ms, rate: (records * 1000) / ms });
    this.#end(title, what, [size(sum((each) => each.bytes)), ends.length > 1 && plural(ends.length, "file"), duration(ms), speed], [
      ...whyEnded(end),
      ...results.flatMap(({ name, end: each, late: few, reasons }) => {
        const told = [...refusedLate(few, reasons), ...refusals(each.report.progress), ...jobNotes(each.report.progress)];
        return told.length > 0 && name !== null ? [h("h3", { class: "job-file" }, visible(name)), ...told] : told;
      }),
    ]);
    this.#stays = title !== "Done" || late > 0 || refused > 0;
    this.#leaveSoon();
    this.#spoken.textContent = [
      `${title}: ${what}.`,
      refused > 0 ? `${count(refused)} lines were refused.` : "",
      late > 0 ? `${count(late)} records were refused by the broker.` : "",
    ].filter(Boolean).join(" ");
  }

  /** @param {string} name @param {FileEnd} end */
  written(name, { report, cancelled, failure }) {
    const { records, bytes } = report.progress;
    const title = failure !== null ? "Broken off" : cancelled ? "Stopped" : "Done";
    const what = title === "Done" ? `${name}${records > 0 ? `: ${plural(records, "record")}, ${size(bytes)}` : `, ${size(bytes)}`}` : "no file was saved";
    this.#end(title, what, [duration(report.ms)], failure !== null ? [h("p", { class: "notice" }, `The file could not be written to its end: ${said(failure)}`)] : []);
    this.#stays = failure !== null;
    this.#leaveSoon();
    this.#spoken.textContent = `${title}: ${what}.`;
  }

  /** @param {string} title @param {string} what @param {(string | false)[]} line @param {Node[]} result */
  #end(title, what, line, result) {
    if (!this.running) this.#begin("");
    this.#title.textContent = `${title}: ${what}`;
    this.#line.textContent = oneLine(line);
    this.#bar.hidden = true;
    this.#stop.hidden = true;
    this.#close.hidden = false;
    this.#result.replaceChildren(...result);
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

  /** @param {string} hint */
  #begin(hint) {
    clearTimeout(this.#timer);
    this.#stays = true;
    this.#root.hidden = false;
    this.#bar.hidden = false;
    this.#bar.removeAttribute("value");
    this.#stop.hidden = false;
    this.#stop.disabled = false;
    this.#close.hidden = true;
    this.#line.textContent = "";
    this.#result.replaceChildren(h("p", { class: "hint" }, hint));
  }

  #cancel() {
    this.#stop.disabled = true;
    this.dispatchEvent(new CustomEvent("cancel-job"));
  }
}

/**
 * One file's part of a job.
 * @typedef {object} FileResult
 * @property {string | null} name the file's, if there are several
 * @property {JobEnd} end
 */

/**
 * @typedef {FileResult & { records: number, bytes: number, partitions: number[], late: number, refused: number, ms: number, reasons: CountedRefusal[] | undefined }} Result
 */

/** @param {FileResult} one @returns {Result} */
function resultOf({ name, end }) {
  const { outcome, report } = end;
  const { progress, ms } = report;
  const many = outcome.type === "producedMany" ? outcome : null;
  const partitions = many?.partitions.filter((each) => each.records > 0).map((each) => each.partition) ?? [];
  const late = (many?.refused ?? progress.refused) - progress.refused;
  const reasons = /** @type {{ refusals?: CountedRefusal[] } | null} */ (many)?.refusals;
  return { name, end, ms, late, partitions, reasons, records: many?.records ?? progress.records, bytes: many?.bytes ?? progress.bytes, refused: progress.refused };
}

/** @param {JobReport} report @param {string} [file] */
function amounts(report, file) {
  const { progress, done, total } = report;
  const part = progress.kind === "import" ? `${size(done)} of ${size(total)}` : `of ${count(total)}`;
  return [
    file !== undefined && visible(file),
    `${count(progress.records)} records`,
    part,
    rate(report),
    progress.refused > 0 && `${count(progress.refused)} lines refused`,
  ];
}

/** @param {{ rate: number, ms: number }} report */
function rate({ rate: records, ms }) {
  // Over a moment a rate says nothing.
  return ms >= 300 && `${count(Math.round(records))} records/s`;
}

/** Each part stays on one line. @param {(string | false)[]} parts */
function oneLine(parts) {
  return parts.filter((part) => part !== false).map((part) => part.replaceAll(" ", "\u00a0")).join(" · ");
}

/** @param {unknown} failure */
function said(failure) {
  if (!(failure instanceof Error || failure instanceof DOMException)) return String(failure);
  const { hint } = /** @type {{ hint?: string }} */ (/** @type {unknown} */ (failure));
  return [failure.message, hint].filter(Boolean).join(" ");
}

/** @param {number} ms */
function duration(ms) {
  if (ms < 1_000) return `${Math.max(1, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}

/** @param {JobEnd} end */
function whyEnded({ report: { progress }, cancelled, failure }) {
  const { kind, last } = progress;
  const upTo = last ? ` The last record taken begins at ${last.unit} ${count(last.at)}.` : "";
  const kept = `What came before is in the log and stays.${upTo}`;
  if (failure === null) return cancelled ? [h("p", null, kept)] : [];
  const what = isRefusal(failure) ? "" : kind === "import" ? "The file could not be read to its end: " : "It could not go on: ";
  return [h("p", { class: "notice" }, `${what}${said(failure)} ${kept}`)];
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
