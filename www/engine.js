/**
 * @file What changes the cluster. Acts go through `run`, long ones through `job` and jobs.js; everything
 * else is a question: see questions.js. A refusal of Kafka's is an event; a fault of ours ends the
 * instance, and nothing of it is saved.
 */

/** @import { Bytes, Command, ExportSpec, GenerateCommand, ImportSpec, LoglanesError, Outcome, ScenarioCommands, ScenarioView } from "../src/wasm/types.d.ts" */

import { perform } from "./travel/visit.js";
import { isRefusal, Questions } from "./questions.js";
import { has, part, wasmModule } from "./wasm-module.js";

/** @import { Visit } from "./travel/visit.js" */
/** @import { Instance, Restorer } from "./wasm-module.js" */

/** Events: `change` ({outcome, command}), `moved` (to another step), `refused` (LoglanesError), `broken` ({cause}). */
export class Engine extends Questions {
  #busy = false;

  /**
   * Makes an engine from saved chunks, or an empty one if there are none. Throws a StartError if there
   * can be none at all, or what the core says about chunks it cannot read.
   * @param {(each: (key: string, bytes: Bytes) => void) => Promise<number>} load hands over the chunks, tells how many
   * @returns {Promise<Engine>}
   */
  static async start(load) {
    const module = await wasmModule();
    const restorer = new module.Restorer();
    /** Those that came before what reads them. @type {[string, Bytes][]} */
    const early = [];
    const add = (/** @type {string} */ key, /** @type {Bytes} */ bytes) => {
      if (!has("rest")) {
        // What keeps it from coming is told below.
        if (early.push([key, bytes]) === 1) part("rest").catch(() => {});
        return;
      }
      for (const chunk of early.splice(0)) restorer.add(...chunk);
      restorer.add(key, bytes);
    };
    if ((await load(add)) === 0) return new Engine(new module.Loglanes(newSeed()));
    await part("rest");
    for (const chunk of early) restorer.add(...chunk);
    return new Engine(restorer.finish());
  }

  /**
   * Makes an engine from an exported file. Throws a refusal if it is not one.
   * @param {(restorer: Restorer) => Promise<Instance>} read
   * @returns {Promise<Engine>}
   */
  static async restore(read) {
    const module = await part("rest");
    return new Engine(await read(new module.Restorer()));
  }

  /**
   * Reads a scenario without doing anything.
   * @param {string} text
   * @returns {Promise<ScenarioView>}
   */
  static async read(text) {
    return (await part("rest")).readScenario(text);
  }

  /**
   * A scenario as commands of Kafka's own tools; its solution is no part of them.
   * @param {string} text
   * @returns {Promise<ScenarioCommands>}
   */
  static async commands(text) {
    return (await part("rest")).scenarioCommands(text);
  }

  /**
   * An engine that has carried out a scenario, whose clock goes on from the scenario's.
   * @param {Visit} visit
   * @returns {Promise<Engine>}
   */
  static async play(visit) {
    const module = await part("rest");
    const { wasm, now } = await perform(new module.ScenarioPlayer(visit.text), visit);
    wasm.setClock(now, Date.now());
    return new Engine(wasm);
  }

  /** Whether the last part of the engine has not come yet: then nothing can be saved. */
  get partial() {
    return !has("rest");
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
      const outcome = this.call(() => this.wasm.apply(command, Date.now()));
      this.emit("change", { outcome, command });
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
    return this.#move(() => this.wasm.travel(position));
  }

  /**
   * Takes up a course that was set aside. Emits `moved` or `refused`.
   * @param {number} aside
   */
  takeUp(aside) {
    return this.#move(() => this.wasm.takeUp(aside));
  }

  /** @param {number} aside */
  forgetAside(aside) {
    return this.#move(() => this.wasm.forgetAside(aside));
  }

  /** @param {() => void} way @returns {boolean} whether it was gone */
  #move(way) {
    try {
      this.call(way);
      this.emit("moved", null);
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
      const outcome = this.later(() => this.wasm.copyLog(topic ?? undefined, partition, names, contents, Date.now()));
      this.emit("change", { outcome, command: null });
      return outcome;
    } catch (error) {
      this.#refuse(error);
      return null;
    }
  }

  /** Lets timers run. @returns {boolean} whether something changed */
  tick() {
    const changed = this.call(() => this.wasm.tick(Date.now()));
    if (changed) this.emit("change", { outcome: { type: "done" }, command: null });
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
      this.emit("change", { outcome: end.outcome, command: null });
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
    return this.later(() => this.wasm.beginImport(spec, now, bytes));
  }

  /** @param {GenerateCommand} command @param {number} now */
  beginGenerate(command, now) {
    return this.later(() => this.wasm.beginGenerate(command, now));
  }

  /** @param {Bytes} bytes */
  feed(bytes) {
    return this.later(() => this.wasm.feed(bytes));
  }

  /** The file is over. */
  end() {
    return this.later(() => this.wasm.end());
  }

  /** How far the job is that runs. */
  jobProgress() {
    return this.call(() => this.wasm.jobProgress());
  }

  /** @param {number} records */
  step(records) {
    return this.later(() => this.wasm.step(records));
  }

  finish() {
    return this.later(() => this.wasm.finish());
  }

  cancel() {
    return this.later(() => this.wasm.cancel());
  }

  /** @param {ExportSpec} spec */
  beginExport(spec) {
    return this.later(() => this.wasm.beginExport(spec));
  }

  /** A zip archive for a real cluster. @param {string[]} [topics] all, if none are named */
  bundle(topics) {
    return this.later(() => this.wasm.bundle(topics));
  }

  exportNext() {
    return this.later(() => this.wasm.exportNext());
  }

  exportProgress() {
    return this.later(() => this.wasm.exportProgress());
  }

  /** @param {number} index */
  exportChunk(index) {
    return this.later(() => this.wasm.exportChunk(index));
  }

  /**
   * What is to be saved, or the next step of it. null: all is saved, or a job runs, of which nothing
   * is saved before its end, or the state is not to be trusted, or what saves has not come yet.
   */
  changes() {
    return this.broken || this.partial ? null : this.later(() => this.wasm.changes());
  }

  /** Takes it that nothing is saved: the next `changes()` are the whole state. */
  forgetSaved() {
    if (!this.broken) this.call(() => this.wasm.forgetSaved());
  }

  /** @param {number} token */
  saved(token) {
    if (!this.broken) this.later(() => this.wasm.saved(token));
  }

  /** @param {unknown} error */
  #refuse(error) {
    if (isRefusal(error)) this.emit("refused", error);
    else if (!this.broken) throw error;
  }

}

function newSeed() {
  return /** @type {bigint} */ (crypto.getRandomValues(new BigUint64Array(1))[0]) >> 1n;
}
