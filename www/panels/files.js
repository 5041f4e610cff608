/**
 * @file Files in and out: import by choice, by drop or from the sample; the whole state to a file and
 * back; clear everything. What would replace or delete asks first.
 */

/** @import { StartError } from "../wasm-module.js" */
/** @import { ClusterView, ExportSpec, LoglanesError, Outcome } from "../../src/wasm/types.d.ts" */
/** @import { Engine } from "../engine.js" */
/** @import { FileEnd, FileOptions } from "../exports.js" */
/** @import { Sink } from "../download.js" */
/** @import { Gift, Given } from "../given.js" */
/** @import { JobReport } from "../jobs.js" */
/** @import { Dialogs } from "./files-dialogs.js" */
/** @import { FileResult } from "./job-dock.js" */
/** @import { PageState } from "../types.d.ts" */

import { count, h, size } from "../dom.js";
import { visible } from "../bytes.js";
import { isRefusal } from "../questions.js";
import { isState } from "../jobs.js";
import { download, openSink } from "../download.js";
import { writeRecords, writeState } from "../exports.js";
import { fetchSample } from "../sample.js";
import { chosen, dropped, MOST_FILES } from "../given.js";
import { RefusalOutput } from "./parts/refusal.js";
import { scenarioOf } from "./parts/scenario-file.js";
import { part } from "../wasm-module.js";

/** As much of a file as is looked at before the user is asked. */
const HEAD_BYTES = 256 * 1024;

/**
 * Does work during which no act is taken.
 * @typedef {<E>(work: (engine: Engine, signal: AbortSignal) => Promise<E>) => Promise<E>} Occupy
 */

/**
 * Events, all for the controller:
 * - `import` {files, spec, create?}: create the topic, then import; then `progress` and `finished`
 * - `copy-log` {files, topic, creates}: create the topics, then copy a broker's files into them
 * - `restore` {file}: replace the cluster by a state file; then `restored`, or `refused`
 * - `clear`: replace the cluster by an empty one
 * - `edit-text` {text, name}: a scenario, to be looked at and run
 * - `cancel-job`
 * - `notice` {text}
 */
export class FilesPanel extends EventTarget {
  /** @type {PageState | null} */
  #state = null;
  /** @type {Dialogs | null} */
  #dialogs = null;
  #shell;
  #picker = h("input", { type: "file", multiple: true, class: "unseen", tabindex: -1, "aria-hidden": "true", onchange: () => this.#picked(this.#picker) });
  #folderPicker = h("input", { type: "file", multiple: true, webkitdirectory: true, class: "unseen", tabindex: -1, "aria-hidden": "true", onchange: () => this.#picked(this.#folderPicker) });
  #ask = new Question();
  #drop = h("div", { class: "drop", "aria-hidden": "true", hidden: true }, h("p", null, "Drop files of records, folders of a broker, an exported state, or a scenario"));
  #buttons;
  #refusal = new RefusalOutput();
  #occupy;

  /** @param {HTMLElement} root @param {Occupy} occupy */
  constructor(root, occupy) {
    super();
    this.#occupy = occupy;
    const button = (/** @type {string} */ text, /** @type {() => void} */ onclick, /** @type {string} */ title) => h("button", { type: "button", class: "quiet", title, onclick }, text);
    this.#buttons = {
      import: button("Import…", () => this.#picker.click(), "Records from files of kcat, of Kafka’s console tools, of JSON or CSV, a whole state from an exported file, or a scenario. You can also drop files anywhere, or paste text."),
      folder: button("Folder…", () => this.#folderPicker.click(), "A folder with files: of a partition such as orders-0, or of a broker with many. You can also drop folders anywhere."),
      sample: button("Sample…", () => void this.loadSample(), "20,000 real flights"),
      records: button("Save records…", () => void this.#openExport(), "Records of a topic, to a file"),
      bundle: button("Bundle", () => this.#bundle(), "A zip with a script of Kafka’s own commands that makes the topics, their records and the committed offsets on any Kafka cluster"),
      export: button("Export", () => void this.export(), "The whole state, to a file"),
      clear: button("Clear…", () => void this.#clear(), "Delete everything"),
    };
    // Dialogs and the dock belong to the whole page: this panel's place may be hidden or narrow.
    this.#shell = h("div", { class: "files-shell" }, this.#drop, this.#ask.element);
    document.body.append(this.#shell);
    document.addEventListener("paste", (event) => this.#pasted(event));
    root.append(...Object.values(this.#buttons), this.#picker, this.#folderPicker, this.#refusal.element);
    this.#listenForDrops();
  }

  /** Whether `ready` has come. */
  get isReady() {
    return this.#dialogs !== null;
  }

  /** Fetches the dialogs, once. @returns {Promise<Dialogs>} rejects where they cannot be had */
  async ready() {
    const { makeDialogs } = await import("./files-dialogs.js");
    return (this.#dialogs ??= this.#listen(makeDialogs(this.#shell)));
  }

  /** @param {Dialogs} dialogs */
  #listen(dialogs) {
    const { plan, folders, dock, records } = dialogs;
    records.addEventListener("export-records", (event) => void this.#exportRecords(/** @type {CustomEvent} */ (event).detail));
    for (const asks of [plan, folders]) asks.addEventListener("copy-log", (event) => this.#emit("copy-log", /** @type {CustomEvent} */ (event).detail));
    plan.addEventListener("import", (event) => this.#emit("import", /** @type {CustomEvent} */ (event).detail));
    dock.addEventListener("cancel-job", () => this.#emit("cancel-job"));
    return dialogs;
  }

  /** @param {PageState} state */
  update(state) {
    this.#state = state;
    const busy = state.engine.busy;
    const empty = isEmpty(state.view);
    this.#buttons.import.disabled = busy;
    this.#buttons.folder.disabled = busy;
    this.#buttons.sample.disabled = busy;
    this.#buttons.records.disabled = busy || state.view.topics.length === 0;
    this.#buttons.bundle.disabled = busy || state.view.topics.length === 0;
    this.#buttons.export.disabled = busy || empty;
    this.#buttons.clear.disabled = busy || empty;
  }

  /**
   * Looks at a file and asks what to do with it.
   * @param {File} file
   * @returns {Promise<void>}
   */
  open(file) {
    return this.#take(chosen([file]));
  }

  /**
   * Looks at what was given and asks what to do with it.
   * @param {Gift} gift
   * @returns {Promise<void>}
   */
  async #take({ given, unread, more }) {
    const state = this.#state;
    if (!state) return;
    this.#refusal.clear();
    if (state.engine.busy) return this.#say("Another import or generation is still running, or a file is written. Stop it, or let it end first.");
    const notes = unread.length > 0 ? [`Could not be read: ${named(unread)}.`] : [];
    try {
      await Promise.all([part("rest"), this.ready()]);
    } catch (error) {
      const { message, hint } = /** @type {StartError} */ (error);
      return this.#refusal.say(message, hint);
    }
    if (more) return this.#say(`There are more than ${count(MOST_FILES)} files. Give some of the folders at a time.`);
    if (given.length === 0) return this.#say(["There is no file in it.", ...notes].join(" "));
    try {
      await (given.length > 1 || given[0]?.path.includes("/") ? this.#openSeveral(given, state, notes) : this.#openAlike(given, state, notes));
    } catch (error) {
      if (isRefusal(error)) this.#refusal.show(error);
      else this.#say(`${visible(given[0]?.path ?? "")} could not be read: ${/** @type {Error} */ (error).message}`);
    }
  }

  /** Files of a broker go by their folders; all others by their formats. @param {Given[]} given @param {PageState} state @param {string[]} notes */
  async #openSeveral(given, state, notes) {
    const plan = state.engine.logPlan(given);
    const { topics: [topic, ...others], unnamed, leftOut } = plan;
    if (others.length > 0) return (await this.ready()).folders.open(plan, given, state.view, notes);
    const at = topic?.partitions.flatMap(({ files }) => files) ?? unnamed;
    const logs = at.map((number) => given[number]).filter((each) => each !== undefined);
    const first = logs.find(({ file }) => file.size > 0);
    if (!first) return this.#openAlike(given, state, notes);
    const rest = [...leftOut, ...(topic ? unnamed : [])].map((number) => given[number]?.path ?? "");
    if (rest.length > 0) notes.push(`Left out, for they are no files of a partition: ${named(rest)}.`);
    (await this.ready()).plan.open(logs, first.file, await headOf(first.file), state, { planned: topic, notes });
  }

  /** The first of the files, and those of its format; the others are named. @param {Given[]} given @param {PageState} state @param {string[]} notes */
  async #openAlike(given, state, notes) {
    const first = /** @type {Given} */ (given[0]).file;
    const head = await headOf(first);
    if (isState(head)) return this.#restore(first, state.view);
    const scenario = given.length === 1 ? await scenarioOf(first, head) : null;
    if (scenario !== null) return this.#emit("edit-text", { text: scenario, name: visible(first.name) });
    const formatOf = (/** @type {Uint8Array} */ bytes) => JSON.stringify(state.engine.inspect(bytes).format);
    const format = formatOf(head);
    const alike = given.slice(0, 1);
    /** @type {string[]} */
    const others = [];
    for (const each of given.slice(1)) {
      const bytes = await headOf(each.file);
      if (format !== "null" && !isState(bytes) && formatOf(bytes) === format) alike.push(each);
      else others.push(each.path);
    }
    if (others.length > 0) notes.push(`Of another format, and left out: ${named(others)}. Import them by themselves.`);
    (await this.ready()).plan.open(alike, first, head, state, { notes });
  }

  async #openExport() {
    this.#refusal.clear();
    const { records } = await this.ready();
    if (this.#state) records.open(this.#state);
  }

  /** Writes records into a file. @param {{ spec: ExportSpec, name: string, bytes: number }} what `bytes`: about so many it will be */
  async #exportRecords({ spec, name, bytes }) {
    try {
      // What is refused is refused before anyone is asked for a place.
      this.#state?.engine.beginExport(spec);
      const sink = await openSink(name, bytes);
      this.#dialogs?.records.close();
      if (sink) await this.#write(name, sink, (engine, options) => writeRecords(engine, spec, sink, options));
    } catch (error) {
      const refused = /** @type {LoglanesError} */ (error);
      if (!this.#dialogs?.records.refused(refused)) this.#refusal.show(refused);
    }
  }

  /**
   * @param {string} name
   * @param {Sink} sink
   * @param {(engine: Engine, options: FileOptions) => Promise<FileEnd>} work
   */
  async #write(name, sink, work) {
    try {
      const { dock } = await this.ready();
      const end = await this.#occupy((engine, signal) => work(engine, { signal, tell: (report) => dock.writing(name, report) }));
      dock.written(name, end);
    } catch (error) {
      await sink.abort();
      throw error;
    }
  }

  /** Writes all topics as a bundle for a real cluster. */
  #bundle() {
    if (!this.#state) return;
    this.#refusal.clear();
    try {
      const bytes = this.#state.engine.bundle();
      const blob = new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (bytes)], { type: "application/zip" });
      download(blob, "loglanes-bundle.zip");
      this.#say(`loglanes-bundle.zip: ${size(blob.size)}. Unpack it and read its README: it says how to run the script, and what it cannot carry.`);
    } catch (error) {
      this.#refusal.show(/** @type {LoglanesError} */ (error));
    }
  }

  /** Text that is pasted where nothing takes it is a file. @param {ClipboardEvent} event */
  #pasted(event) {
    const at = /** @type {Element | null} */ (event.target);
    if (at?.closest?.("input, textarea, select, [contenteditable], dialog")) return;
    const files = [...(event.clipboardData?.files ?? [])];
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (files.length === 0 && text.trim() === "") return;
    event.preventDefault();
    if (files.length > 0) void this.#take(chosen(files));
    else void this.open(new File([text], "pasted.txt", { type: "text/plain" }));
  }

  /** Opens the sample as if it had been dropped. @returns {Promise<void>} */
  async loadSample() {
    try {
      await this.open(await fetchSample());
    } catch (error) {
      this.#say(`The sample could not be loaded: ${/** @type {Error} */ (error).message}`);
    }
  }

  /** Writes the whole state to a file. @returns {Promise<void>} */
  async export() {
    if (!this.#state) return;
    const { engine } = this.#state;
    const total = engine.view().topics.flatMap(({ partitions }) => partitions).reduce((sum, { bytes }) => sum + bytes, 0);
    const name = `loglanes-${new Date().toISOString().slice(0, 10)}.loglanes`;
    try {
      const sink = await openSink(name, total);
      if (!sink) return;
      await this.#write(name, sink, (from, options) => writeState(from, total, sink, options));
      if (window !== window.parent) this.#dialogs?.dock.note("If no download starts, the page around this one does not allow it: open Loglanes on its own.");
    } catch (error) {
      this.#refusal.show(/** @type {LoglanesError} */ (error));
    }
  }

  /** @param {JobReport} report @param {string} [file] which of several is read */
  progress(report, file) {
    this.#dialogs?.plan.close();
    this.#dialogs?.dock.progress(report, file);
  }

  /** @param {FileResult[]} ends */
  finished(ends) {
    this.#dialogs?.plan.close();
    this.#dialogs?.dock.finished(ends);
  }

  /** What else there is to say of the job that has just ended. @param {string} text */
  note(text) {
    this.#dialogs?.dock.note(text);
  }

  /** The state file has been taken. */
  restored() {
    this.#refusal.clear();
    this.#say("The state of the file is in place.");
  }

  /** @param {LoglanesError} error */
  refused(error) {
    if (!this.#dialogs?.plan.refused(error) && !this.#dialogs?.folders.refused(error)) this.#refusal.show(error);
  }

  /** A command of this panel was done. @param {Outcome} [outcome] */
  done(outcome) {
    this.#refusal.clear();
    if (outcome?.type !== "logCopied" && outcome?.type !== "logsCopied") return;
    this.#dialogs?.plan.close();
    this.#dialogs?.folders.close();
  }

  /** @param {File} file @param {ClusterView} view */
  async #restore(file, view) {
    if (!isEmpty(view)) {
      const answer = await this.#ask.open(`Replace everything by ${visible(file.name)}?`, `${contents(view)} here now will be gone. If the file turns out to be damaged, nothing changes.`, "Replace", "Export first");
      if (answer === "second") await this.export();
      if (answer === "none") return;
    }
    this.#emit("restore", { file });
  }

  async #clear() {
    const view = this.#state?.view;
    if (!view) return;
    const answer = await this.#ask.open("Clear everything?", `${contents(view)} will be gone from this page and from what is saved.`, "Clear", "Export, then clear");
    if (answer === "second") await this.export();
    if (answer !== "none") this.#emit("clear");
  }

  /** @param {HTMLInputElement} picker */
  #picked(picker) {
    const gift = chosen(picker.files ?? []);
    // So that choosing the same file again is a change again.
    picker.value = "";
    if (gift.given.length > 0) void this.#take(gift);
  }

  #listenForDrops() {
    const hasFiles = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files") ?? false;
    // Entering a child comes before leaving its parent, so entries are counted.
    let inside = 0;
    const show = () => (this.#drop.hidden = inside <= 0);
    document.addEventListener("dragenter", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      inside += 1;
      show();
    });
    document.addEventListener("dragleave", (event) => {
      if (!hasFiles(event)) return;
      inside -= 1;
      show();
    });
    document.addEventListener("dragover", (event) => {
      if (hasFiles(event)) event.preventDefault();
    });
    document.addEventListener("drop", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      inside = 0;
      show();
      if (event.dataTransfer) void dropped(event.dataTransfer).then((gift) => this.#take(gift));
    });
  }

  /** @param {string} text */
  #say(text) {
    this.#emit("notice", { text });
  }

  /** @param {string} type @param {unknown} [detail] */
  #emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

/** A question with two ways to say yes. The first button, which says no, gets the focus. */
class Question {
  #title = h("h2", { id: "question-title" });
  #text = h("p", { id: "question-text" });
  #yes = h("button", { class: "danger", value: "yes" });
  #second = h("button", { value: "second" });
  element = h(
    "dialog",
    { "aria-labelledby": "question-title", "aria-describedby": "question-text" },
    this.#title,
    this.#text,
    h("form", { method: "dialog", class: "acts" }, h("button", { value: "none" }, "Keep everything"), this.#second, this.#yes),
  );

  /**
   * @param {string} title
   * @param {string} text
   * @param {string} yes
   * @param {string} second
   * @returns {Promise<"yes" | "second" | "none">}
   */
  open(title, text, yes, second) {
    this.#title.textContent = title;
    this.#text.textContent = text;
    this.#yes.textContent = yes;
    this.#second.textContent = second;
    this.element.returnValue = "none";
    this.element.showModal();
    return new Promise((resolve) => {
      this.element.addEventListener("close", () => resolve(/** @type {"yes" | "second" | "none"} */ (this.element.returnValue || "none")), { once: true });
    });
  }
}

/** @param {File} file */
async function headOf(file) {
  return new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
}

/** The first of many paths, as text. @param {string[]} paths */
function named(paths) {
  const shown = paths.slice(0, 5).map(visible).join(", ");
  return paths.length > 5 ? `${shown} and ${count(paths.length - 5)} more` : shown;
}

/** What was done counts, even where nothing is left of it. @param {ClusterView} view */
function isEmpty(view) {
  return view.topics.length === 0 && view.groups.length === 0 && view.history.length === 0;
}

const list = new Intl.ListFormat("en");

/** @param {ClusterView} view */
function contents({ topics, groups, records, history }) {
  const some = (/** @type {number} */ n, /** @type {string} */ noun) => (n === 0 ? [] : [`${count(n)} ${noun}${n === 1 ? "" : "s"}`]);
  return list.format([...some(topics.length, "topic"), ...some(groups.length, "group"), ...some(records, "record"), ...some(history.length, "step").map((steps) => `the history of ${steps}`)]);
}
