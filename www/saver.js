/**
 * @file Keeps what the page shows. After every act the controller calls `touch()`; saves are
 * gathered, one in flight at a time, and never in the way of the page. What went wrong is said, with
 * the way out, and tried again.
 *
 * What is saved is only ever replaced by a state that grew out of it, or by one the user chose: a
 * state that came from nothing, from a panic or from another tab does not reach the store.
 */

/** @import { Changes } from "../src/wasm/types.d.ts" */

import { askBeforeLeaving } from "./leaving.js";
import { claim } from "./lock.js";
import { MANIFEST, Store, StoreError } from "./store.js";

/** Acts within this time after a save are saved together. */
const GATHER_MS = 150;
const RETRY_FIRST_MS = 1_000;
const RETRY_LAST_MS = 60_000;

/**
 * The engine, as far as saving is concerned.
 * @typedef {object} Source
 * @property {() => Changes | null} changes what differs from the saved state, or the next step of it;
 *   the last step has the manifest. null: nothing differs, or a job runs
 * @property {(token: number) => void} saved that much is saved
 * @property {() => void} [forgetSaved] take it that nothing is saved: `changes()` is the whole state
 * @property {boolean} [busy] whether a job runs; then the state is saved after it
 * @property {boolean} [partial] whether what saves has not come yet; then the state is saved when it has
 */

/**
 * Makes an engine from saved chunks: `load(each)` hands them over and tells how many there were; with
 * none, the engine starts new. What it throws means that the chunks cannot be read.
 * @typedef {(load: (each: (key: string, bytes: Uint8Array) => void) => Promise<number>) => Promise<Source>} Build
 */

/**
 * - `writer`: what is done here is saved
 * - `reader`: another tab saves; acts are to be refused here
 * - `memory`: nothing is kept, but all else works
 * @typedef {"writer" | "reader" | "memory"} Mode
 */

/**
 * @typedef {object} Status
 * @property {Mode} mode
 * @property {"starting" | "saved" | "saving" | "not-saved" | "reader" | "memory"} state
 * @property {string} short why it is so, in a few words; empty while all is well
 * @property {string} reason the same, a sentence
 * @property {string} advice the way out, a sentence or two; may be empty
 * @property {number} savedAt when the last save was complete, ms since 1970; 0: not since the page was opened
 * @property {number} savedBytes what the last save wrote
 * @property {number} totalBytes what all saves wrote since the page was opened
 */

/**
 * Emits `status` (detail: Status) whenever it changes, and `takeover` after this tab has become the
 * writer and has loaded again what the other one saved.
 */
export class Saver extends EventTarget {
  /** @type {Status} */
  #status = { mode: "memory", state: "starting", ...WELL, savedAt: 0, savedBytes: 0, totalBytes: 0 };
  /** @type {Source | null} */
  #source = null;
  /** @type {Build | null} */
  #build = null;
  /** @type {Promise<void> | null} the save in flight */
  #saving = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** When the last save began. */
  #began = -Infinity;
  #dirty = false;
  #replace = false;
  #retry = RETRY_FIRST_MS;
  /** @type {"held" | "waiting" | "none"} */
  #claimed = "waiting";
  #asked = false;
  #store;
  #lock;

  /** @param {{ store?: Store, lock?: string }} [options] */
  constructor({ store = new Store(), lock } = {}) {
    super();
    this.#store = store;
    this.#lock = lock;
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden") this.#leaving();
    });
    addEventListener("pagehide", () => this.#leaving());
  }

  /** @returns {Status} */
  get status() {
    return this.#status;
  }

  /** @returns {Mode} */
  get mode() {
    return this.#status.mode;
  }

  /**
   * Opens the store, asks for the right to write, and has the engine built from what is saved. It is
   * built again when this tab takes over.
   * @param {Build} build
   * @returns {Promise<void>} when the engine is there; rejects only if `build` cannot even start new
   */
  async start(build) {
    this.#build = build;
    const claimed = claim(this.#lock);
    try {
      await this.#store.open();
    } catch (error) {
      claimed.then(({ release }) => release());
      await this.#inMemory(/** @type {StoreError} */ (error));
      return;
    }
    const { state, granted } = await claimed;
    this.#claimed = state;
    await this.#load(state === "waiting" ? "reader" : "writer");
    if (state === "waiting") granted.then(() => this.#takeOver());
  }

  /** From now on nothing of this engine is saved: it is broken. */
  detach() {
    this.#source = null;
    this.#dirty = false;
    clearTimeout(this.#timer);
  }

  /** @param {Mode} mode */
  async #load(mode) {
    const build = /** @type {Build} */ (this.#build);
    try {
      // A new cluster has changes of its own before the first act; they wait for that act.
      const source = await build((each) => this.#store.load(each));
      this.#source = source;
      this.#replace = this.#dirty = false;
      if (mode === "reader") this.#say({ mode, state: "reader", ...READER });
      else this.#say({ mode, state: "saved", ...WELL });
    } catch (error) {
      await this.#inMemory(error instanceof StoreError ? error : new StoreError("unreadable", error));
    }
  }

  /** @param {StoreError} why */
  async #inMemory(why) {
    this.#source = await /** @type {Build} */ (this.#build)(async () => 0);
    this.#say({ mode: "memory", state: "memory", ...explain(why) });
  }

  async #takeOver() {
    this.#claimed = "held";
    if (this.mode !== "reader") return;
    await this.#load("writer");
    this.dispatchEvent(new CustomEvent("takeover"));
  }

  /** An act has changed the cluster: save it soon. */
  touch() {
    this.#dirty = true;
    this.#askToKeep();
    if (this.mode !== "writer" || this.#saving) return;
    // The act may be what makes it work, as deleting a topic does when the space was used up.
    this.#retry = RETRY_FIRST_MS;
    if (this.#status.state !== "not-saved") this.#say({ state: "saving" });
    // After a quiet time at once: a page that goes right after an act may not get to say its last
    // words. Browsers give them no promise.
    this.#schedule(performance.now() - this.#began < GATHER_MS ? GATHER_MS : 0);
  }

  /**
   * Takes an engine the user chose, a cleared one or one from a file, in place of the present one and
   * of all that is saved. What is saved stays until the new state has been written whole.
   * @param {Source} source
   * @returns {Promise<void>} after the attempt; see `status` for how it went
   */
  async replace(source) {
    this.detach();
    await this.#saving;
    this.#source = source;
    this.#replace = true;
    // Saved data nobody can read are given up only here, by the user's choice.
    if (this.mode === "memory" && (await this.#reachable())) this.#say({ mode: "writer", state: "saving", ...WELL });
    this.touch();
    await this.flush();
  }

  /** Whether this tab could save after all: it has the lock, or there are no locks, and the store answers. */
  async #reachable() {
    if (this.#claimed === "waiting") return false;
    return this.#store.load(() => {}).then(() => true, () => false);
  }

  /** Saves now what is not saved yet. @returns {Promise<void>} after the attempt */
  async flush() {
    await this.#saving;
    if (this.#dirty) await this.#save();
  }

  /** @param {number} ms */
  #schedule(ms) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => idle(() => void this.#save()), ms);
  }

  /** @returns {Promise<void>} */
  #save() {
    if (this.#saving) return this.#saving;
    if (this.mode !== "writer" || !this.#source) return Promise.resolve();
    clearTimeout(this.#timer);
    const began = (this.#began = performance.now());
    const saving = this.#attempt(this.#source).then((wait) => {
      this.#saving = null;
      // Long saves come less often, so that they take at most half of the time.
      if (wait !== null) this.#schedule(wait);
      else if (this.#dirty) this.#schedule(Math.max(GATHER_MS, performance.now() - began));
    });
    this.#saving = saving;
    return saving;
  }

  /**
   * @param {Source} source
   * @returns {Promise<number | null>} how long to wait before trying again; null: it went well, or never will
   */
  async #attempt(source) {
    if (source.busy || source.partial) return GATHER_MS;
    this.#dirty = false;
    try {
      const bytes = this.#replace ? await this.#saveWhole(source) : await this.#saveSteps(source);
      this.#replace = false;
      this.#retry = RETRY_FIRST_MS;
      this.#say({
        state: this.#dirty ? "saving" : "saved",
        ...WELL,
        savedAt: Date.now(),
        savedBytes: bytes,
        totalBytes: this.#status.totalBytes + bytes,
      });
      return null;
    } catch (error) {
      // The engine has been taken away meanwhile: its failures are no news.
      if (this.#source !== source) return null;
      this.#dirty = true;
      if (source.busy) return GATHER_MS;
      return this.#failed(error instanceof StoreError ? error : new StoreError("failed", error), source);
    }
  }

  /**
   * Step by step: what a step writes counts only once the manifest of the last one speaks of it.
   * @param {Source} source
   * @returns {Promise<number>} bytes written
   */
  async #saveSteps(source) {
    let bytes = 0;
    for (let changes = source.changes(); changes; ) {
      await this.#store.save(changes);
      bytes += changes.bytes;
      // Another engine may have come while we waited.
      if (this.#source !== source) break;
      source.saved(changes.token);
      changes = isLast(changes) ? null : source.changes();
    }
    return bytes;
  }

  /**
   * All steps in one transaction: until it is complete, what was saved before stays.
   * @param {Source} source
   * @returns {Promise<number>} bytes written
   */
  async #saveWhole(source) {
    try {
      return await this.#store.replace(() => this.#steps(source));
    } catch (error) {
      if (this.#source === source) source.forgetSaved?.();
      throw error;
    }
  }

  /**
   * A whole state, step by step, each made when it is asked for. Acts in between are in the later steps.
   * @param {Source} source
   * @returns {Generator<Changes, void>} throws if the state does not come to its end
   */
  *#steps(source) {
    source.forgetSaved?.();
    let begun = false;
    for (let last = false; !last; begun = true) {
      // A job may have begun, or another engine may have come, while a step was written.
      if (source.busy || this.#source !== source) throw new StoreError("failed", "The state was not whole.");
      const changes = source.changes();
      if (!changes && !begun) return;
      if (!changes) throw new StoreError("failed", "The state was not whole.");
      last = isLast(changes);
      yield changes;
      source.saved(changes.token);
    }
  }

  /**
   * @param {StoreError} error
   * @param {Source} source
   */
  #failed(error, source) {
    if (error.reason === "gone" && source.forgetSaved) {
      source.forgetSaved();
      this.#store.forget();
      return 0;
    }
    // Trying again cannot help a tab that does not know what the other one saved.
    const over = error.reason === "other" || error.reason === "newer";
    this.#say({ mode: over ? "reader" : "writer", state: "not-saved", ...explain(error) });
    if (over) return null;
    const wait = this.#retry;
    this.#retry = Math.min(RETRY_LAST_MS, wait * 2);
    return wait;
  }

  /** The page is hidden or goes: what is not saved yet is handed to the browser in one piece. */
  #leaving() {
    const source = this.#source;
    if (this.mode !== "writer" || !source || !(this.#dirty || this.#saving)) return;
    // Without the lock, or to replace everything, the store has to look first, and that takes time
    // the page may not have. Behind a save in flight, these changes are asked for a second time:
    // they repeat the first ones, which does no harm.
    if (this.#claimed !== "held" || this.#replace) return void this.flush();
    try {
      const changes = source.changes();
      if (!changes) return;
      this.#dirty = false;
      this.#store.save(changes, { last: true }).then(
        () => {
          if (this.#source !== source) return;
          source.saved(changes.token);
          // Still here: the page was only hidden. What else there is to say or to save comes as ever.
          this.touch();
        },
        () => this.touch(),
      );
    } catch {
      this.#dirty = true;
    }
  }

  /** Asks the browser, once, not to delete the data when space runs short. It may say no. */
  #askToKeep() {
    if (this.#asked || this.mode !== "writer") return;
    this.#asked = true;
    try {
      navigator.storage?.persist?.().catch(() => {});
    } catch {
      // Some frames may not even ask.
    }
  }

  /** @param {Partial<Status>} change */
  #say(change) {
    const before = this.#status;
    this.#status = { ...before, ...change };
    // Work that would be lost is worth a question of the browser's own; else it stays away.
    if (this.#status.state === "not-saved" && this.#status.mode !== "memory") addEventListener("beforeunload", askBeforeLeaving);
    else removeEventListener("beforeunload", askBeforeLeaving);
    this.dispatchEvent(new CustomEvent("status", { detail: this.#status }));
  }
}

/** @param {Changes} changes @returns {boolean} whether this step ends a save */
function isLast({ puts }) {
  return puts.some(({ key }) => key === MANIFEST);
}

/** @param {() => void} work */
function idle(work) {
  if (typeof requestIdleCallback === "function") requestIdleCallback(work, { timeout: 100 });
  else setTimeout(work, 0);
}

const WELL = { short: "", reason: "", advice: "" };

const READER = {
  short: "open in another tab",
  reason: "Loglanes is open in another tab, and only one can save.",
  advice: "Look around here, and act there. When the other tab is closed, this one loads what it saved and takes over.",
};

/**
 * @param {StoreError} error
 * @returns {{ short: string, reason: string, advice: string }}
 */
function explain(error) {
  switch (error.reason) {
    case "full":
      return {
        short: "no space left",
        reason: "The browser's space for this site is used up.",
        advice: "What was saved before is still there. Export the state to a file, or delete a topic; saving goes on by itself once there is room.",
      };
    case "unavailable":
      return {
        short: "this page may not store",
        reason: "This page may not store anything here, as in a private window or an embedded frame.",
        advice: "All works, but nothing is kept when the page is closed. Export the state to a file to keep it.",
      };
    case "other":
      return {
        short: "another tab has saved since",
        reason: "Another tab has saved since.",
        advice: "Nothing of it has been overwritten. Export this tab's state to a file if you want to keep it, then reload the page.",
      };
    case "gone":
      return {
        short: "the browser deleted it",
        reason: "The browser has deleted what was saved.",
        advice: "Export the state to a file and import that file; it is then saved anew.",
      };
    case "newer":
      return {
        short: "saved by a newer Loglanes",
        reason: "The saved state was written by a newer Loglanes.",
        advice: "Reload the page to get the newer one. The saved state stays as it is.",
      };
    case "unreadable":
      return {
        short: "what is saved cannot be read",
        reason: `The saved state cannot be read: ${messageOf(error.cause)}`,
        advice: "It is left as it is, and nothing is saved over it. Import an exported file, or clear everything, to save again.",
      };
    default:
      return {
        short: "the browser refused",
        reason: `The browser did not save: ${error.message}`,
        advice: "It is tried again. Export the state to a file to be safe.",
      };
  }
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
