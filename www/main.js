/**
 * @file The controller: the only place that knows the engine, the store and every widget. Widgets say
 * what they want by events; here it is done, what came of it is shown, and what changed is saved.
 */

/**
 * @import { Command, GenerateCommand, ImportSpec, LoglanesError, Outcome } from "../src/wasm/types.d.ts"
 * @import { Given } from "./given.js"
 * @import { JobOptions, JobReport, JobEnd } from "./jobs.js"
 * @import { PageState, Selection, Widget } from "./types.d.ts"
 * @import { Part } from "./wasm-module.js"
 */

import { byId } from "./dom.js";
import { Engine } from "./engine.js";
import { startForms } from "./forms.js";
import { readState, runGenerate, runImport } from "./jobs.js";
import { LanesView } from "./lanes/index.js";
import { askBeforeLeaving } from "./leaving.js";
import { FilesPanel } from "./panels/files.js";
import { copied } from "./panels/parts/copied.js";
import { KEPT } from "./panels/parts/kept.js";
import { StorageStatus } from "./panels/storage.js";
import { TopicsPanel } from "./panels/topics.js";
import { isRefusal } from "./questions.js";
import { fetchSample, SAMPLE } from "./sample.js";
import { Saver } from "./saver.js";
import { Tabs } from "./tabs.js";
import { startTheme } from "./theme.js";
import { Travel } from "./travel/index.js";
import { has, part, StartError } from "./wasm-module.js";

/** Members' sessions and metadata age by the clock; so often it is looked at. */
const TICK_MS = 500;
const NOTICE_MS = 6000;
/** When a part of the engine could not be fetched, it is tried again after this time. */
const FETCH_AGAIN_MS = 10_000;

/** What waits for the last part of the engine, and what waits for none: see wasm-module.js. All else waits for the acts. */
const NEED_REST = new Set(["generate", "import", "copy-log", "sample", "file", "edit-text", "as-commands", "share"]);
const NEED_NOTHING = new Set(["notice", "new-topic", "choose-topic", "show-panel", "cancel-job"]);

class Page {
  lanes = new LanesView(byId("lanes"));
  topics = new TopicsPanel(byId("topics"));
  files = new FilesPanel(byId("files"), (work) => this.#occupy(work));
  storage = new StorageStatus(byId("storage"));
  tabs = new Tabs(byId("tabs"));
  travel = new Travel({
    engine: () => this.engine,
    show: (engine) => this.use(engine),
    keep: (engine) => this.#replace(engine),
    barred: () => this.#barred(),
    place: () => ({ panel: this.tabs.current, panelName: this.tabs.name, selection: this.selection }),
    goTo: ({ panel, record }) => this.#goTo(panel, record),
    notice: (text) => this.#notice(text),
  });
  /** Fetched once the first screen stands; those of tabs are shown only while their tab is, so only then updated. @type {Map<string, Widget>} */
  panels = new Map();
  /** The name of the chosen topic. @type {string | null} */
  topic = null;
  /** @type {Selection | null} */
  selection = null;
  /** A key all of whose records are looked at. @type {{ tag: number } | null} */
  highlight = null;
  /** Stops the running job. @type {AbortController | null} */
  #job = null;
  /** Who asked for what is being done. @type {Widget | null} */
  #asker = null;
  #frame = 0;
  #noticeTimer = 0;
  /** @type {WeakSet<Engine>} those that are listened to */
  #known = new WeakSet();

  /** @param {Saver} saver @param {Engine} engine */
  constructor(saver, engine) {
    this.saver = saver;
    this.engine = engine;
    for (const widget of [this.lanes, this.topics, this.files]) this.#listen(/** @type {Widget} */ (widget));
    this.storage.addEventListener("export", () => this.files.export());
    this.storage.addEventListener("notice", (event) => this.#notice(/** @type {CustomEvent} */ (event).detail.text));
    this.saver.addEventListener("status", () => this.storage.update(this.saver.status));
    this.saver.addEventListener("takeover", () => this.#notice("The other tab is closed: this one has loaded what it saved, and saves from now on."));
    this.tabs.addEventListener("change", () => this.#soon());
    byId("fault-reload").addEventListener("click", () => location.reload());
    byId("fault").addEventListener("cancel", (event) => event.preventDefault());
    startForms();
    startTheme(byId("theme"), () => this.lanes.retheme());
    setInterval(() => this.#tick(), TICK_MS);
  }

  /** @param {Engine} engine from now on */
  use(engine) {
    this.engine = engine;
    this.selection = null;
    this.#soon();
    if (this.#known.has(engine)) return;
    this.#known.add(engine);
    /** @type {Record<string, (detail: any) => void>} */
    const acts = {
      change: (/** @type {{ outcome: Outcome }} */ { outcome }) => {
        this.#touch();
        this.#follow(outcome);
        this.#soon();
      },
      moved: () => {
        this.#touch();
        this.#soon();
      },
      refused: (/** @type {LoglanesError} */ error) => this.#refused(error),
      broken: (/** @type {{ cause: string }} */ { cause }) => this.#fault(cause),
    };
    for (const [type, act] of Object.entries(acts)) {
      engine.addEventListener(type, (event) => {
        if (this.engine === engine) act(/** @type {CustomEvent} */ (event).detail);
      });
    }
  }

  /** Something is to be saved, if it is the visitor's own. */
  #touch() {
    if (!this.travel.visiting) this.saver.touch();
  }

  /** @param {Widget} widget */
  #listen(widget) {
    /** @type {Record<string, (detail: any) => void>} */
    const acts = {
      command: (/** @type {Command} */ command) => this.#run(widget, command),
      generate: (/** @type {GenerateCommand} */ command) => void this.#generate(widget, command),
      import: (/** @type {{ files: File[], spec: ImportSpec, create?: Command }} */ { files, spec, create }) => this.#import(widget, files, spec, create),
      "copy-log": (/** @type {{ files: Given[], topic: string | null, creates: Command[] }} */ { files, topic, creates }) => void this.#copyLog(widget, files, topic, creates),
      restore: (/** @type {{ file: Blob }} */ { file }) => this.#restore(widget, file),
      clear: () => this.#clear(widget),
      select: (/** @type {Selection | null} */ place) => this.#select(place, widget),
      highlight: (/** @type {{ tag: number } | null} */ key) => {
        this.highlight = key;
        this.#soon();
      },
      "choose-topic": (/** @type {string} */ name) => this.#choose(name),
      notice: (/** @type {{ text: string }} */ { text }) => this.#notice(text),
      sample: () => this.#sample(widget),
      file: (/** @type {File} */ file) => this.#open(file),
      "new-topic": () => this.topics.open(),
      "cancel-job": () => this.#job?.abort(),
      "show-panel": (/** @type {string} */ id) => this.tabs.show(id),
      travel: (/** @type {number} */ position) => this.#move(widget, () => this.travel.go(position)),
      "take-up": (/** @type {number} */ aside) => this.#move(widget, () => this.engine.takeUp(aside)),
      "forget-aside": (/** @type {number} */ aside) => this.#move(widget, () => this.engine.forgetAside(aside)),
      "edit-text": (/** @type {{ text: string, name: string } | undefined} */ scenario) => void this.travel.edit(scenario),
      "as-commands": () => void this.travel.commands(),
      share: () => void this.travel.share(),
      lesson: (/** @type {string | null} */ id) => void this.travel.openLesson(id),
    };
    for (const [type, act] of Object.entries(acts)) {
      const needed = NEED_NOTHING.has(type) ? null : NEED_REST.has(type) ? "rest" : "acts";
      widget.addEventListener(type, (event) => this.#when(needed, () => act(/** @type {CustomEvent} */ (event).detail)));
    }
  }

  async #loadPanels() {
    try {
      const [{ makePanels }] = await Promise.all([import("./panels/all.js"), this.files.ready(), this.travel.ready()]);
      this.panels = makePanels(this.travel);
      for (const widget of this.panels.values()) this.#listen(widget);
      this.#soon();
    } catch (error) {
      this.#notice(`The panels could not be loaded: ${error instanceof Error ? error.message : error}. Reload once the connection is back.`);
    }
  }

  /** Does what needs a part of the engine, as soon as that is there. @param {Part | null} needed @param {() => void} work */
  #when(needed, work) {
    // What is in the last part shows what it does by the dialogs of files.
    if (needed === null || (has(needed) && (needed !== "rest" || this.files.isReady))) return work();
    Promise.all([part(needed), needed === "rest" && this.files.ready()])
      .then(work, (/** @type {StartError} */ { message, hint = "Reload once the connection is back." }) => this.#notice(`${message} ${hint}`));
  }

  /** Fetches what is not there yet of the page and the engine, and shows what waited for it. What cannot be had now is tried again. */
  complete() {
    if (this.panels.size === 0) void this.#loadPanels();
    this.#when("acts", () => this.#soon());
    part("rest").then(() => this.#soon(), () => setTimeout(() => this.complete(), FETCH_AGAIN_MS));
  }

  /** @param {Widget} asker @param {() => void} way */
  #move(asker, way) {
    this.#asker = asker;
    if (!this.engine.busy || !this.#barred()) way();
  }

  /** @param {string} [panel] @param {Selection} [record] */
  #goTo(panel, record) {
    if (panel) this.tabs.show(panel);
    if (!record) return;
    const there = this.engine.view().topics.find(({ name }) => name === record.topic)?.partitions[record.partition];
    if (!there || !this.engine.record(record.topic, record.partition, record.offset)) {
      this.#notice(`There is no record ${record.topic} P${record.partition} @ ${record.offset} here.`);
    } else this.#select(record);
  }

  /** Shows what changed, once a frame at most. */
  #soon() {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#update();
    });
  }

  #update() {
    if (this.engine.broken) return;
    const state = this.#state();
    Object.assign(state, this.travel.update(state.view));
    byId("page").classList.toggle("is-empty", state.view.topics.length + state.view.groups.length + state.view.history.length === 0);
    // One widget's fault must not keep the others from being right.
    // Most panels ask what is in the last part of the engine: they wait for it.
    const panel = has("rest") || this.tabs.current === "produce" ? this.panels.get(this.tabs.current) : undefined;
    for (const widget of [this.topics, this.lanes, this.panels.get("record"), this.files, panel]) {
      try {
        /** @type {Widget | undefined} */ (widget)?.update(state);
      } catch (error) {
        if (this.engine.broken) return;
        reportError(error);
      }
    }
  }

  /** @returns {PageState} */
  #state() {
    const view = this.engine.view();
    const topic = view.topics.find((t) => t.name === this.topic) ?? view.topics[0] ?? null;
    this.topic = topic?.name ?? null;
    if (this.selection && !view.topics.some((t) => t.name === this.selection?.topic)) this.selection = null;
    return { engine: this.engine, view, topic, selection: this.selection, highlight: this.highlight };
  }

  /** @param {Widget | null} asker @param {Command} command @returns {Outcome | null} */
  #run(asker, command) {
    this.#asker = asker;
    if (this.#barred()) return null;
    const outcome = this.engine.run(command);
    if (outcome) asker?.done?.(outcome);
    return outcome;
  }

  /** Whether one's own cannot be replaced now, as another is looked at; then that has been said. */
  #looking() {
    if (this.travel.visiting) this.#refused(refusal("What you see is not yours.", "Go back to yours first, or keep this one."));
    return this.travel.visiting;
  }

  /** Whether an act cannot be taken now; then it has been refused. */
  #barred() {
    if (this.saver.mode === "reader" && !this.travel.visiting) {
      this.#refused(refusal("Loglanes is open in another tab, and that one saves.", "Act there, or close it: this tab then takes over."));
      return true;
    }
    if (this.engine.busy) {
      this.#refused(refusal("A job is still running.", "Wait until it is done, or stop it; what is in stays."));
      return true;
    }
    return false;
  }

  /**
   * @param {Widget | null} asker
   * @param {(engine: Engine, options: JobOptions) => Promise<JobEnd>} job
   * @param {string} [file] which of several it reads
   * @returns {Promise<JobEnd | null>} null if it was refused
   */
  async #work(asker, job, file) {
    this.#asker = asker;
    if (this.#barred()) return null;
    const abort = (this.#job = new AbortController());
    const tell = (/** @type {JobReport} */ report) => {
      this.#touch();
      this.files.progress(report, file);
      this.#soon();
    };
    // Nothing of a job is saved before its end, so leaving now would lose it.
    if (this.saver.mode !== "memory") addEventListener("beforeunload", askBeforeLeaving);
    const end = await this.engine.job((engine) => job(engine, { signal: abort.signal, tell }))
      .finally(() => removeEventListener("beforeunload", askBeforeLeaving));
    this.#job = null;
    this.#soon();
    if (end) asker?.done?.(end.outcome);
    return end;
  }

  /** @param {Widget} asker @param {GenerateCommand} command */
  async #generate(asker, command) {
    const end = await this.#work(asker, (engine, options) => runGenerate(engine, command, options));
    if (end) this.files.finished([{ name: null, end }]);
  }

  /**
   * Long work that changes nothing, such as writing a file. While it goes on, no act is taken.
   * @template E
   * @param {(engine: Engine, signal: AbortSignal) => Promise<E>} work
   * @returns {Promise<E>}
   */
  async #occupy(work) {
    if (this.engine.busy) throw refusal("A job is still running.", "Wait until it is done, or stop it.");
    const abort = (this.#job = new AbortController());
    addEventListener("beforeunload", askBeforeLeaving);
    try {
      const working = this.engine.occupy((engine) => work(engine, abort.signal));
      this.#soon();
      return await working;
    } finally {
      removeEventListener("beforeunload", askBeforeLeaving);
      this.#job = null;
      this.#soon();
    }
  }

  /**
   * @param {Widget | null} asker
   * @param {File[]} files one after the other, each an act of its own
   * @param {ImportSpec} spec
   * @param {Command} [create] the topic, if it is to be made first
   * @returns {Promise<boolean>} whether it was done
   */
  async #import(asker, files, spec, create) {
    if (create && !this.#run(asker, create)) return false;
    this.#choose(spec.topic);
    /** @type {{ name: string | null, end: JobEnd }[]} */
    const ends = [];
    for (const file of files) {
      const name = files.length > 1 ? file.name : null;
      const end = await this.#work(asker, (engine, options) => runImport(engine, file, spec, options), name ?? undefined);
      if (end) ends.push({ name, end });
      // A stop is meant for what is still to come as well.
      if (!end || end.cancelled || end.failure !== null) break;
    }
    if (ends.length > 0) this.files.finished(ends);
    return ends.length > 0;
  }

  /**
   * Files of a broker become the logs of partitions, as they are.
   * @param {Widget | null} asker
   * @param {Given[]} files
   * @param {string | null} topic null: those that their folders are named after
   * @param {Command[]} creates topics that are to be made first
   */
  async #copyLog(asker, files, topic, creates) {
    /** @type {Uint8Array[]} */
    let contents;
    try {
      contents = await Promise.all(files.map(async ({ file }) => new Uint8Array(await file.arrayBuffer())));
    } catch (error) {
      return this.#notice(`The files could not be read: ${/** @type {Error} */ (error).message}`);
    }
    for (const create of creates) if (!this.#run(asker, create)) return;
    this.#asker = asker;
    if (this.#barred()) return;
    const outcome = this.engine.copyLog(topic, 0, files.map(({ path }) => path), contents);
    if (!outcome) return;
    asker?.done?.(outcome);
    const first = outcome.type === "logsCopied" ? outcome.logs[0]?.topic : topic;
    if (first) this.#choose(first);
    this.#notice(copied(outcome));
  }

  /** Real flights, keyed by the airport they leave from. @param {Widget} asker */
  async #sample(asker) {
    try {
      const file = await fetchSample();
      const { topic, partitions, keyField } = SAMPLE;
      if (!(await this.#import(asker, [file], { topic, key: { from: "field", path: keyField } }, { type: "createTopic", name: topic, partitions, configs: KEPT }))) return;
      this.files.note(`Chosen for you: a topic “${topic}” of ${partitions} partitions, and for each flight’s key its field “${keyField}”, the airport it leaves from; records are kept for ever (retention.ms=-1). To choose yourself, take Sample… in the bar.`);
    } catch (error) {
      if (!this.engine.broken) this.#notice(`The sample could not be loaded: ${error instanceof Error ? error.message : error}`);
    }
  }

  /** @param {File} file that was dropped or chosen; the files panel asks what to do with it */
  #open(file) {
    this.#soon();
    this.files.open(file);
  }

  /** Another cluster from a file in place of this one. @param {Widget | null} asker @param {Blob} file */
  async #restore(asker, file) {
    this.#asker = asker;
    if (this.#barred() || this.#looking()) return;
    try {
      const engine = await Engine.restore((restorer) => readState(file, restorer));
      await this.#replace(engine);
      this.files.restored();
    } catch (error) {
      if (isRefusal(error)) this.#refused(error);
      else this.#refused(refusal(error instanceof Error ? error.message : String(error), "The present cluster is as it was."));
    }
  }

  /** An empty cluster in place of this one and of what is saved. @param {Widget} asker */
  async #clear(asker) {
    this.#asker = asker;
    if (this.#barred() || this.#looking()) return;
    await this.#replace(await Engine.start(async () => 0));
  }

  /** @param {Engine} engine */
  async #replace(engine) {
    this.use(engine);
    await this.saver.replace(engine);
  }

  /** @param {string} name */
  #choose(name) {
    this.topic = name;
    this.highlight = null;
    if (this.selection?.topic !== name) this.selection = null;
    this.#soon();
  }

  /** @param {Selection | null} place @param {Widget} [from] */
  #select(place, from) {
    if (place && place.topic !== this.topic) this.#choose(place.topic);
    this.selection = place;
    this.highlight = null;
    this.#update();
    if (place && from !== this.lanes) this.lanes.show(place);
  }

  /** Shows where an act happened. @param {Outcome} outcome */
  #follow(outcome) {
    if (outcome.type === "topicCreated") this.topic = outcome.name;
    if (outcome.type !== "produced" || outcome.topic !== this.topic) return;
    this.#update();
    this.lanes.show({ partition: outcome.partition, offset: outcome.offset });
  }

  /** @param {LoglanesError} error */
  #refused(error) {
    const asker = this.#asker;
    if (asker?.refused) asker.refused(error);
    else this.#notice(`${error.message} ${error.hint}`.trim());
  }

  /** The engine is gone; the saved state is not. @param {string} cause */
  #fault(cause) {
    const kept = this.saver.mode !== "memory";
    this.saver.detach();
    this.#job?.abort();
    byId("fault-text").textContent = kept
      ? "It met a fault of its own, and what it holds can no longer be trusted. Nothing of that is saved: the last saved state is as it was."
      : "It met a fault of its own, and what it holds can no longer be trusted. This page may not store anything, so it starts empty again.";
    byId("fault-cause").textContent = cause;
    byId("fault-reload").textContent = kept ? "Reload from the saved state" : "Start again";
    const dialog = /** @type {HTMLDialogElement} */ (byId("fault"));
    if (!dialog.open) dialog.showModal();
  }

  /** @param {string} text */
  #notice(text) {
    const toast = byId("notice");
    toast.textContent = text;
    clearTimeout(this.#noticeTimer);
    this.#noticeTimer = setTimeout(() => toast.replaceChildren(), Math.max(NOTICE_MS, text.length * 70));
  }

  #tick() {
    if (this.engine.broken || this.engine.busy || document.hidden || !has("acts") || (this.saver.mode === "reader" && !this.travel.visiting)) return;
    // Groups show how long a session has left.
    if (!this.engine.tick() && this.tabs.current === "groups") this.#soon();
  }
}

/**
 * A refusal of the page's own, in the form the widgets show.
 * @param {string} message
 * @param {string} hint
 * @returns {LoglanesError}
 */
function refusal(message, hint) {
  return Object.assign(new Error(message), { name: "LOGLANES", code: null, refusal: /** @type {const} */ ("loglanes"), hint });
}

async function start() {
  byId("boot-late").hidden = true;
  const saver = new Saver();
  /** @type {Page | null} */
  let page = null;
  // Built again when this tab takes over from another one.
  await saver.start(async (load) => {
    const engine = await Engine.start(load);
    page ??= new Page(saver, engine);
    if (!page.travel.renewed(engine)) page.use(engine);
    return engine;
  });
  byId("boot").hidden = true;
  byId("page").hidden = false;
  const shown = /** @type {Page} */ (/** @type {unknown} */ (page));
  shown.complete();
  await shown.travel.openLink();
}

start().catch((error) => {
  const boot = byId("boot");
  boot.classList.add("failed");
  byId("boot-text").textContent = error instanceof StartError ? error.message : "Loglanes could not start.";
  byId("boot-late").hidden = true;
  for (const text of error instanceof StartError ? [error.hint] : [String(error)]) {
    const p = document.createElement("p");
    p.textContent = text;
    boot.append(p);
  }
  if (error instanceof StartError && error.cause) {
    const p = document.createElement("p");
    p.className = "soft small mono";
    p.textContent = String(error.cause);
    boot.append(p);
  }
});
