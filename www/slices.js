/**
 * @file Long work in short slices, and how far it is. A slice ends after SLICE_MS, then the page has its
 * turn: it draws, hears a click, can cancel.
 */

/** The longest time the page waits for a job. */
const SLICE_MS = 12;
/** Progress is told no more often than this; more would be work for nobody. */
const TELL_MS = 100;
/** Before so long nothing is said of the time left. */
const SURE_MS = 500;

/** Finds out how much work fits into a slice, and when a slice is over. */
export class Slices {
  #began = performance.now();

  #least;

  /** @param {{ first: number, least: number }} [amounts] of a piece; without, only the time is looked at */
  constructor({ first, least } = { first: 1, least: 1 }) {
    this.amount = first;
    this.#least = least;
  }

  /**
   * Does some work and learns from how long it took: one piece should take half a slice at most.
   * @template T
   * @param {number} amount
   * @param {() => T} work
   * @returns {T}
   */
  run(amount, work) {
    const began = performance.now();
    const result = work();
    const ms = performance.now() - began;
    const fits = (amount * SLICE_MS) / 2 / Math.max(ms, 0.1);
    // Never more than twice or less than a quarter of the last: one odd measurement says little, and
    // on a busy machine it says that others were at work.
    if (amount >= this.amount || fits < amount) {
      this.amount = Math.ceil(Math.min(this.amount * 2, Math.max(this.amount / 4, fits, this.#least)));
    }
    return result;
  }

  /** Whether another piece would make the slice too long. */
  get over() {
    return performance.now() - this.#began >= SLICE_MS / 2;
  }

  /** Lets the page have its turn. */
  async pause() {
    await turn();
    this.#began = performance.now();
  }
}

/** Ends this task; what the page has to do comes before the next one. @returns {Promise<void>} */
function turn() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/**
 * How far a piece of work is.
 * @template P
 * @typedef {object} Report
 * @property {P} progress as the engine tells it
 * @property {number} done of the total, in steps of one kind
 * @property {number} total
 * @property {number} ms since it began
 * @property {number} rate records a second so far
 * @property {number | null} left ms until it is done, going on like this; null: cannot be told yet
 */

/**
 * Tells how far a piece of work is, not too often.
 * @template {{ records: number }} P
 */
export class Meter {
  #began = performance.now();
  #told = 0;
  #tell;
  done = 0;

  /**
   * @param {P} progress
   * @param {number} total
   * @param {((report: Report<P>) => void) | undefined} tell
   */
  constructor(progress, total, tell) {
    this.progress = progress;
    this.total = total;
    this.#tell = tell;
  }

  tell() {
    const now = performance.now();
    if (!this.#tell || now - this.#told < TELL_MS) return;
    this.#told = now;
    this.#tell(this.report());
  }

  /** @returns {Report<P>} */
  report() {
    const { progress, done, total } = this;
    const ms = performance.now() - this.#began;
    return {
      progress,
      done,
      total,
      ms,
      rate: ms > 0 ? (progress.records * 1000) / ms : 0,
      left: done > 0 && ms > SURE_MS ? (ms * Math.max(0, total - done)) / done : null,
    };
  }
}
