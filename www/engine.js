/**
 * @file The WebAssembly instance and the only way to it. Acts go through `run`, long ones through
 * `job` and jobs.js; everything else is a question. A refusal of Kafka's is an event; a fault of ours ends the instance: after a panic
 * its memory cannot be trusted, so every later call is stopped here and nothing of it is saved.
 */

/**
 * @import { Bytes, Changes, ClusterView, Command, ConfigView, ExportProgress, ExportSpec, Finding, GenerateCommand, HistoryEntry, ImportSpec, Inspection, JobProgress, KeyStats, LoglanesError, LogPlan,
 *   Outcome, PartitionerInfo, Placement, Preview, Printed, RecordDetail, RecordDraft, RecordSummary, ResetPreview, ResetRequest, ScenarioCommands, ScenarioView, SplitKey, ToolRequest, TransactionSpan, WhatIf } from "../src/wasm/types.d.ts"
 */

import { perform } from "./travel/visit.js";

/**
 * @typedef {object} Instance the class `Loglanes` of www/pkg/loglanes.js
 * @property {(command: Command, now: number) => Outcome} apply
 * @property {(position: number) => void} travel
 * @property {(aside: number) => void} takeUp
 * @property {(aside: number) => void} forgetAside
 * @property {(shows: number, now: number) => void} setClock
 * @property {() => string} historyText
 * @property {(text: string, now: number) => Finding[]} check
 * @property {(now: number) => boolean} tick
 * @property {(now: number) => ClusterView} view
 * @property {() => PartitionerInfo[]} partitioners
 * @property {(draft: RecordDraft, now: number) => Placement} placement
 * @property {(key: Bytes | null) => number} keyTag
 * @property {(topic: string, partition: number, from: bigint, perPixel: number, width: number, key?: number) => Uint32Array} laneTags
 * @property {(topic: string, partition: number, from: bigint, limit: number) => RecordSummary[]} records
 * @property {(topic: string, partition: number, from: bigint, to: bigint) => TransactionSpan[]} transactions
 * @property {(topic: string, partition: number, offset: bigint) => RecordDetail | null} record
 * @property {(topic: string, limit: number) => KeyStats} keys
 * @property {(topic: string, total: number, limit: number) => WhatIf} whatIf
 * @property {(topic: string, limit: number) => { total: number, keys: SplitKey[] }} splitKeys
 * @property {(topic: string) => ConfigView[]} configs
 * @property {(request: ResetRequest, now: number) => ResetPreview} resetPlan
 * @property {(request: ToolRequest) => Printed} toolText
 * @property {(from: number, limit: number) => HistoryEntry[]} history
 * @property {(head: Bytes) => Inspection} inspect
 * @property {() => number} room
 * @property {(paths: string[], sizes: Float64Array) => LogPlan} logPlan
 * @property {(topic: string | undefined, partition: number, names: string[], contents: Bytes[], now: number) => Outcome} copyLog
 * @property {(spec: ImportSpec, now: number, bytes?: number) => JobProgress} beginImport
 * @property {(command: GenerateCommand, now: number) => JobProgress} beginGenerate
 * @property {(bytes: Bytes) => JobProgress} feed
 * @property {() => JobProgress} end
 * @property {() => JobProgress | null} jobProgress
 * @property {(head: Bytes, whole: boolean, spec: ImportSpec, partitions?: number) => Preview} preview
 * @property {(spec: ExportSpec) => ExportProgress} beginExport
 * @property {(topics?: string[]) => Bytes} bundle
 * @property {() => Bytes | null} exportNext
 * @property {() => ExportProgress} exportProgress
 * @property {(records: number) => JobProgress} step
 * @property {() => Outcome} finish
 * @property {() => Outcome} cancel
 * @property {() => Changes | null} changes
 * @property {(token: number) => void} saved
 * @property {() => void} forgetSaved
 * @property {(index: number) => Bytes | null} exportChunk
 * @property {() => void} free
 */

/**
 * @typedef {object} Restorer
 * @property {(key: string, bytes: Bytes) => void} add
 * @property {(bytes: Bytes) => void} feedFile
 * @property {() => Instance} finish
 */

/** @import { Player, Visit } from "./travel/visit.js" */

/** What kept the engine from starting, for a person who can do something about it. */
export class StartError extends Error {
  /**
   * @param {string} message
   * @param {string} hint the way out
   * @param {unknown} [cause]
   */
  constructor(message, hint, cause) {
    super(message, { cause });
    this.name = "StartError";
    this.hint = hint;
  }
}

/** Thrown by every call once the instance has failed. */
export class BrokenError extends Error {
  /** @param {string} why */
  constructor(why) {
    super(`Loglanes has stopped: ${why}`);
    this.name = "BrokenError";
  }
}

/**
 * Whether a thrown thing is the core saying no, and so has changed nothing.
 * @param {unknown} error
 * @returns {error is LoglanesError}
 */
export function isRefusal(error) {
  return error instanceof Error && typeof (/** @type {{ refusal?: unknown }} */ (/** @type {unknown} */ (error)).refusal) === "string";
}

/** Kafka's code for a topic or a partition that is not there. */
const UNKNOWN_TOPIC_OR_PARTITION = 3;

/**
 * Does what was put off, for a frame or a while. Its topic may be gone by now: then nothing is done,
 * and the next update says so. Every other refusal is told.
 * @param {() => void} work
 */
export function unlessGone(work) {
  try {
    work();
  } catch (error) {
    if (!isRefusal(error) || error.code !== UNKNOWN_TOPIC_OR_PARTITION) throw error;
  }
}

/** Events: `change` ({outcome, command}), `moved` (to another step), `refused` (LoglanesError), `broken` ({cause}). */
export class Engine extends EventTarget {
  /** @type {Instance} */
  #wasm;
  /** @type {string | null} */
  #broken = null;
  #busy = false;

  /** @param {Instance} wasm */
  constructor(wasm) {
    super();
    this.#wasm = wasm;
  }

  /**
   * Makes an engine from saved chunks, or an empty one if there are none. Throws a StartError if there
   * can be none at all, or what the core says about chunks it cannot read.
   * @param {(each: (key: string, bytes: Bytes) => void) => Promise<number>} load hands over the chunks, tells how many
   * @returns {Promise<Engine>}
   */
  static async start(load) {
    const module = await (loading ??= loadModule());
    const restorer = new module.Restorer();
    const chunks = await load((key, bytes) => restorer.add(key, bytes));
    return new Engine(chunks > 0 ? restorer.finish() : new module.Loglanes(newSeed()));
  }

  /**
   * Makes an engine from an exported file. Throws a refusal if it is not one.
   * @param {(restorer: Restorer) => Promise<Instance>} read
   * @returns {Promise<Engine>}
   */
  static async restore(read) {
    const module = await (loading ??= loadModule());
    return new Engine(await read(new module.Restorer()));
  }

  /**
   * Reads a scenario without doing anything.
   * @param {string} text
   * @returns {Promise<ScenarioView>}
   */
  static async read(text) {
    return (await (loading ??= loadModule())).readScenario(text);
  }

  /**
   * A scenario as commands of Kafka's own tools; its solution is no part of them.
   * @param {string} text
   * @returns {Promise<ScenarioCommands>}
   */
  static async commands(text) {
    return (await (loading ??= loadModule())).scenarioCommands(text);
  }

  /**
   * An engine that has carried out a scenario, whose clock goes on from the scenario's.
   * @param {Visit} visit
   * @returns {Promise<Engine>}
   */
  static async play(visit) {
    const module = await (loading ??= loadModule());
    const { wasm, now } = await perform(new module.ScenarioPlayer(visit.text), visit);
    wasm.setClock(now, Date.now());
    return new Engine(wasm);
  }

  /** Why the engine has stopped, or null. */
  get broken() {
    return this.#broken;
  }

  /** Whether an import or a generation runs, or a file is written. */
  get busy() {
    return this.#busy;
  }

  /**
   * Applies a command. Emits `change`, or `refused` and returns null.
   * @param {Command} command
   * @returns {Outcome | null}
   */
  run(command) {
    try {
      // A timer that is due runs before the act, however long this tab was in the background.
      this.tick();
      const outcome = this.#call(() => this.#wasm.apply(command, Date.now()));
      this.#emit("change", { outcome, command });
      return outcome;
    } catch (error) {
      this.#refuse(error);
      return null;
    }
  }

  /**
   * Goes to the state after so many steps. Emits `moved` or `refused`.
   * @param {number} position
   */
  travel(position) {
    return this.#move(() => this.#wasm.travel(position));
  }

  /**
   * Takes up a course that was set aside. Emits `moved` or `refused`.
   * @param {number} aside
   */
  takeUp(aside) {
    return this.#move(() => this.#wasm.takeUp(aside));
  }

  /** @param {number} aside */
  forgetAside(aside) {
    return this.#move(() => this.#wasm.forgetAside(aside));
  }

  /** @param {() => void} way @returns {boolean} whether it was gone */
  #move(way) {
    try {
      this.#call(way);
      this.#emit("moved", null);
      return true;
    } catch (error) {
      this.#refuse(error);
      return false;
    }
  }

  /**
   * Copies files of a broker into partitions that never had a record; all of it is one act.
   * @param {string | null} topic null: those that directories are named after
   * @param {number} partition for files whose directory does not say one
   * @param {string[]} names paths @param {Bytes[]} contents
   * @returns {Outcome | null} null if it was refused
   */
  copyLog(topic, partition, names, contents) {
    try {
      this.tick();
      const outcome = this.#call(() => this.#wasm.copyLog(topic ?? undefined, partition, names, contents, Date.now()));
      this.#emit("change", { outcome, command: null });
      return outcome;
    } catch (error) {
      this.#refuse(error);
      return null;
    }
  }

  /** Lets timers run. @returns {boolean} whether something changed */
  tick() {
    const changed = this.#call(() => this.#wasm.tick(Date.now()));
    if (changed) this.#emit("change", { outcome: { type: "done" }, command: null });
    return changed;
  }

  /**
   * Runs a job of jobs.js; until it ends, no other act is taken. Emits `change` or `refused` as `run` does.
   * @template {{ outcome: Outcome }} E
   * @param {(engine: Engine) => Promise<E>} work
   * @returns {Promise<E | null>} null when it was refused
   */
  async job(work) {
    this.#busy = true;
    try {
      const end = await work(this);
      this.#busy = false;
      this.#emit("change", { outcome: end.outcome, command: null });
      return end;
    } catch (error) {
      this.#busy = false;
      this.#refuse(error);
      return null;
    }
  }

  /**
   * Does long work that only asks, such as writing a file; until it ends, no act is taken.
   * @template E
   * @param {(engine: Engine) => Promise<E>} work
   * @returns {Promise<E>}
   */
  async occupy(work) {
    this.#busy = true;
    try {
      return await work(this);
    } finally {
      this.#busy = false;
    }
  }

  // The parts of a job, for jobs.js.

  /** @param {ImportSpec} spec @param {number} now @param {number} [bytes] of the file */
  beginImport(spec, now, bytes) {
    return this.#call(() => this.#wasm.beginImport(spec, now, bytes));
  }

  /** @param {GenerateCommand} command @param {number} now */
  beginGenerate(command, now) {
    return this.#call(() => this.#wasm.beginGenerate(command, now));
  }

  /** @param {Bytes} bytes */
  feed(bytes) {
    return this.#call(() => this.#wasm.feed(bytes));
  }

  /** The file is over. */
  end() {
    return this.#call(() => this.#wasm.end());
  }

  /** How far the job is that runs. */
  jobProgress() {
    return this.#call(() => this.#wasm.jobProgress());
  }

  /** @param {number} records */
  step(records) {
    return this.#call(() => this.#wasm.step(records));
  }

  finish() {
    return this.#call(() => this.#wasm.finish());
  }

  cancel() {
    return this.#call(() => this.#wasm.cancel());
  }

  // Questions. They change nothing.

  view() {
    return this.#call(() => this.#wasm.view(Date.now()));
  }

  partitioners() {
    return this.#call(() => this.#wasm.partitioners());
  }

  /** @param {RecordDraft} draft */
  placement(draft) {
    return this.#call(() => this.#wasm.placement(draft, Date.now()));
  }

  /** @param {Bytes | null} key */
  keyTag(key) {
    return this.#call(() => this.#wasm.keyTag(key));
  }

  /**
   * @param {string} topic
   * @param {number} partition
   * @param {bigint} from
   * @param {number} perPixel
   * @param {number} width
   * @param {number | null} [key] a tag: records of its key come before the others of their pixel
   */
  laneTags(topic, partition, from, perPixel, width, key) {
    return this.#call(() => this.#wasm.laneTags(topic, partition, from, perPixel, width, key ?? undefined));
  }

  /**
   * @param {string} topic
   * @param {number} partition
   * @param {bigint} from
   * @param {number} limit
   */
  records(topic, partition, from, limit) {
    return this.#call(() => this.#wasm.records(topic, partition, from, limit));
  }

  /**
   * What transactions made of the records between two offsets.
   * @param {string} topic
   * @param {number} partition
   * @param {bigint} from
   * @param {bigint} to
   */
  transactions(topic, partition, from, to) {
    return this.#call(() => this.#wasm.transactions(topic, partition, from, to));
  }

  /**
   * @param {string} topic
   * @param {number} partition
   * @param {bigint} offset
   */
  record(topic, partition, offset) {
    return this.#call(() => this.#wasm.record(topic, partition, offset));
  }

  /**
   * The first record at or after an offset.
   * @param {string} topic
   * @param {number} partition
   * @param {bigint} from
   * @returns {RecordSummary | null}
   */
  recordFrom(topic, partition, from) {
    return this.records(topic, partition, from, 1)[0] ?? null;
  }

  /**
   * The last record before an offset. Gaps may be of any length, so it is searched for by halves.
   * @param {string} topic
   * @param {number} partition
   * @param {bigint} offset
   * @param {bigint} logStart
   * @returns {RecordSummary | null}
   */
  recordBefore(topic, partition, offset, logStart) {
    const isBefore = (/** @type {bigint} */ from) => {
      const found = this.recordFrom(topic, partition, from);
      return found !== null && found.offset < offset ? found : null;
    };
    let step = 1n;
    let low = offset - step;
    let best = null;
    while (low >= logStart && !(best = isBefore(low))) {
      step *= 2n;
      low = offset - step;
    }
    if (!best) best = low < logStart ? isBefore((low = logStart)) : null;
    // The record found is the first at or after `low`; later ones may be nearer to `offset`.
    for (let high = offset - 1n; best && low < high; ) {
      const middle = (low + high + 1n) / 2n;
      const nearer = isBefore(middle);
      if (nearer) {
        best = nearer;
        low = nearer.offset > middle ? nearer.offset : middle;
      } else high = middle - 1n;
    }
    return best;
  }

  /** @param {string} topic @param {number} limit */
  keys(topic, limit) {
    return this.#call(() => this.#wasm.keys(topic, limit));
  }

  /** @param {string} topic @param {number} total @param {number} limit */
  whatIf(topic, total, limit) {
    return this.#call(() => this.#wasm.whatIf(topic, total, limit));
  }

  /** @param {string} topic @param {number} limit */
  splitKeys(topic, limit) {
    return this.#call(() => this.#wasm.splitKeys(topic, limit));
  }

  /**
   * Every config of a topic, in the order of Kafka's tools.
   * @param {string} topic
   */
  configs(topic) {
    return this.#call(() => this.#wasm.configs(topic));
  }

  /** @param {ResetRequest} request */
  resetPlan(request) {
    return this.#call(() => this.#wasm.resetPlan(request, Date.now()));
  }

  /**
   * What one of Kafka's tools prints, and the command that would print it.
   * @param {ToolRequest} request
   */
  toolText(request) {
    return this.#call(() => this.#wasm.toolText(request));
  }

  /** @param {number} from @param {number} limit */
  history(from, limit) {
    return this.#call(() => this.#wasm.history(from, limit));
  }

  /** All that was done, and what lies ahead, as a scenario. Throws a refusal where that cannot be. */
  historyText() {
    return this.#call(() => this.#wasm.historyText());
  }

  /**
   * What the `check` lines of a scenario find here.
   * @param {string} text
   */
  check(text) {
    return this.#call(() => this.#wasm.check(text, Date.now()));
  }

  /**
   * What lies in a broker's folders. Throws a refusal if it is too much to be copied in one act.
   * @param {{ path: string, file: { size: number } }[]} files
   */
  logPlan(files) {
    return this.#call(() => this.#wasm.logPlan(files.map(({ path }) => path), Float64Array.from(files, ({ file }) => file.size)));
  }

  /** How many more bytes the logs may hold. */
  room() {
    return this.#call(() => this.#wasm.room());
  }

  /** @param {Bytes} head */
  inspect(head) {
    return this.#call(() => this.#wasm.inspect(head));
  }

  /** @param {Bytes} head @param {boolean} whole @param {ImportSpec} spec @param {number} [partitions] */
  preview(head, whole, spec, partitions) {
    return this.#call(() => this.#wasm.preview(head, whole, spec, partitions));
  }

  /** @param {ExportSpec} spec */
  beginExport(spec) {
    return this.#call(() => this.#wasm.beginExport(spec));
  }

  /** A zip archive for a real cluster. @param {string[]} [topics] all, if none are named */
  bundle(topics) {
    return this.#call(() => this.#wasm.bundle(topics));
  }

  exportNext() {
    return this.#call(() => this.#wasm.exportNext());
  }

  exportProgress() {
    return this.#call(() => this.#wasm.exportProgress());
  }

  /** @param {number} index */
  exportChunk(index) {
    return this.#call(() => this.#wasm.exportChunk(index));
  }

  /**
   * What is to be saved, or the next step of it. null: all is saved, or a job runs, of which nothing
   * is saved before its end, or the state is not to be trusted.
   */
  changes() {
    return this.#broken ? null : this.#call(() => this.#wasm.changes());
  }

  /** Takes it that nothing is saved: the next `changes()` are the whole state. */
  forgetSaved() {
    if (!this.#broken) this.#call(() => this.#wasm.forgetSaved());
  }

  /** @param {number} token */
  saved(token) {
    if (!this.#broken) this.#call(() => this.#wasm.saved(token));
  }

  /**
   * @template T
   * @param {() => T} act
   * @returns {T}
   */
  #call(act) {
    if (this.#broken) throw new BrokenError(this.#broken);
    try {
      return act();
    } catch (error) {
      if (!isRefusal(error)) {
        this.#broken = panicked ?? (error instanceof Error ? `${error.name}: ${error.message}` : String(error));
        this.#emit("broken", { cause: this.#broken });
      }
      throw error;
    }
  }

  /** @param {unknown} error */
  #refuse(error) {
    if (isRefusal(error)) this.#emit("refused", error);
    else if (!this.#broken) throw error;
  }

  /** @param {string} type @param {unknown} detail */
  #emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

function newSeed() {
  return /** @type {bigint} */ (crypto.getRandomValues(new BigUint64Array(1))[0]) >> 1n;
}

/**
 * What the core last panicked with. To JavaScript a panic is "unreachable"; its message goes to the
 * console only, so it is heard there.
 * @type {string | null}
 */
let panicked = null;

function hearPanics() {
  const { error } = console;
  console.error = (/** @type {unknown[]} */ ...said) => {
    const text = String(said[0]);
    if (text.startsWith("panicked at")) panicked ??= /** @type {string} */ (text.split("\n\nStack:")[0]).trim();
    error.apply(console, said);
  };
}

/**
 * @typedef {object} Module
 * @property {new (seed: bigint) => Instance} Loglanes
 * @property {new () => Restorer} Restorer
 * @property {new (text: string) => Player<Instance>} ScenarioPlayer
 * @property {(text: string) => ScenarioView} readScenario
 * @property {(text: string, solution?: boolean) => ScenarioCommands} scenarioCommands
 */

/** @type {Promise<Module> | null} loaded once */
let loading = null;

/** @returns {Promise<Module>} */
async function loadModule() {
  if (typeof WebAssembly !== "object") {
    throw new StartError(
      "This browser has WebAssembly turned off.",
      "Loglanes needs it. Lockdown modes and some policies turn it off; allow it for this page, or use another browser.",
    );
  }
  try {
    // The smallest module there is: eight bytes. If this is refused, a policy refuses all.
    new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
  } catch (error) {
    throw new StartError(
      "A content security policy keeps WebAssembly from starting.",
      "Add 'wasm-unsafe-eval' to the script-src directive of the page that carries Loglanes, for example: " +
        "Content-Security-Policy: script-src 'self' 'wasm-unsafe-eval'. It allows WebAssembly and nothing else.",
      error,
    );
  }
  let module;
  try {
    // Built, not committed; so it is not there for the type checker.
    const address = new URL("./pkg/loglanes.js", import.meta.url).href;
    module = await import(address);
  } catch (error) {
    throw new StartError(
      "The engine's script www/pkg/loglanes.js could not be loaded.",
      "In a copy of the project run `cargo xtask build` first. On a server, put the folder www/pkg beside this page.",
      error,
    );
  }
  const address = new URL("./pkg/loglanes_bg.wasm", import.meta.url);
  const response = await fetch(address).catch((error) => {
    throw new StartError("The engine www/pkg/loglanes_bg.wasm could not be fetched.", "Reload once the connection is back.", error);
  });
  if (!response.ok) {
    throw new StartError(
      `The server answered ${response.status} for www/pkg/loglanes_bg.wasm.`,
      "The folder www/pkg is not complete there: run `cargo xtask build`, then copy it all.",
    );
  }
  try {
    await module.default({ module_or_path: response });
  } catch (error) {
    throw new StartError(
      "The engine www/pkg/loglanes_bg.wasm could not be started.",
      "The file may be cut short, or be older or newer than www/pkg/loglanes.js: build and copy both together.",
      error,
    );
  }
  hearPanics();
  return module;
}
