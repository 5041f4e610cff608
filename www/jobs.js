/**
 * @file Long work in short slices: importing, generating, reading and writing whole states. A slice
 * ends after SLICE_MS, then the page has its turn: it draws, hears a click, can cancel.
 *
 * A job that stops early keeps what is in and says how much; that is what Kafka's own tools do when
 * they are interrupted. Reading a state file is the exception: nothing is taken until all is read.
 */

/** @import { Bytes, ExportSpec, GenerateCommand, ImportSpec, JobProgress, Outcome } from "../src/wasm/types.d.ts" */

/** The longest time the page waits for a job. */
const SLICE_MS = 12;
/** How much of a file is read at a time; the next piece is read while this one is worked on. */
export const PIECE_BYTES = 256 * 1024;
/** Progress is told no more often than this; more would be work for nobody. */
const TELL_MS = 100;
/** What `feed` and `step` begin with, before it is known how much fits into a slice; and the least of it. */
const FEED_BYTES = { first: 32 * 1024, least: 4 * 1024 };
const STEP_RECORDS = { first: 1_000, least: 32 };

/**
 * The part of the engine that jobs need.
 * @typedef {object} JobEngine
 * @property {(spec: ImportSpec, now: number) => JobProgress} beginImport
 * @property {(command: GenerateCommand, now: number) => JobProgress} beginGenerate
 * @property {(bytes: Bytes) => JobProgress} feed
 * @property {() => JobProgress} end
 * @property {(records: number) => JobProgress} step
 * @property {() => Outcome} finish
 * @property {() => Outcome} cancel
 */

/**
 * How far a job is.
 * @typedef {object} JobReport
 * @property {"import" | "generate"} kind
 * @property {JobProgress} progress as the engine tells it
 * @property {number} done bytes of the file, or records
 * @property {number} total of the same
 * @property {number} ms since the job began
 * @property {number} rate records a second so far
 * @property {number | null} left ms until it is done, going on like this; null: cannot be told yet
 */

/**
 * How a job ended.
 * @typedef {object} JobEnd
 * @property {Outcome} outcome what is in the log now
 * @property {JobReport} report
 * @property {boolean} cancelled the user stopped it
 * @property {unknown} failure what stopped it, or null
 */

/**
 * @typedef {object} JobOptions
 * @property {() => number} [clock] ms since 1970
 * @property {AbortSignal} [signal] cancels the job; what is in stays
 * @property {(report: JobReport) => void} [tell] progress, about ten times a second
 */

/**
 * Imports a file line by line.
 * @param {JobEngine} engine
 * @param {Blob} file
 * @param {ImportSpec} spec
 * @param {JobOptions} [options]
 * @returns {Promise<JobEnd>} rejects if the engine refuses to begin, or breaks; a file that cannot be read is a `failure`
 */
export async function runImport(engine, file, spec, { clock = Date.now, signal, tell } = {}) {
  const meter = new Meter(engine.beginImport(spec, clock()), file.size, tell);
  const slices = new Slices(FEED_BYTES);
  return settle(engine, meter, signal, async () => {
    for await (const piece of pieces(file)) {
      for (let at = 0; at < piece.length; ) {
        if (signal?.aborted) return;
        const part = piece.subarray(at, at + slices.amount);
        meter.progress = slices.run(part.length, () => engine.feed(part));
        at += part.length;
        meter.done += part.length;
        meter.tell();
        if (slices.over) await slices.pause();
      }
    }
    meter.progress = engine.end();
  });
}

/**
 * Generates records by a rule.
 * @param {JobEngine} engine
 * @param {GenerateCommand} command
 * @param {JobOptions} [options]
 * @returns {Promise<JobEnd>} as `runImport`
 */
export async function runGenerate(engine, command, { clock = Date.now, signal, tell } = {}) {
  const meter = new Meter(engine.beginGenerate(command, clock()), command.count, tell);
  const slices = new Slices(STEP_RECORDS);
  return settle(engine, meter, signal, async () => {
    while (meter.done < command.count) {
      if (signal?.aborted) return;
      const records = Math.min(slices.amount, command.count - meter.done);
      meter.progress = slices.run(records, () => engine.step(records));
      meter.done = meter.progress.records;
      meter.tell();
      if (slices.over) await slices.pause();
    }
  });
}

/**
 * @param {JobEngine} engine
 * @param {Meter} meter
 * @param {AbortSignal | undefined} signal
 * @param {() => Promise<void>} work
 * @returns {Promise<JobEnd>}
 */
async function settle(engine, meter, signal, work) {
  /** @type {unknown} */
  let failure = null;
  await work().catch((error) => (failure = error));
  const whole = failure === null && !signal?.aborted;
  /** @type {Outcome} */
  let outcome;
  try {
    outcome = whole ? engine.finish() : engine.cancel();
  } catch (error) {
    // A broken engine cannot even stop; what broke it is the news.
    throw failure ?? error;
  }
  return { outcome, report: meter.report(), cancelled: failure === null && !whole, failure };
}

/**
 * The whole state as one file.
 * @param {{ exportChunk(index: number): Bytes | null }} engine it must not change meanwhile
 * @param {{ sliced?: boolean }} [options] `sliced: false` keeps the page waiting, so that it cannot
 * @returns {Promise<Blob>}
 */
export async function writeState(engine, { sliced = true } = {}) {
  /** @type {BlobPart[]} */
  const parts = [];
  const slices = new Slices();
  for (let index = 0; ; index += 1) {
    const chunk = engine.exportChunk(index);
    if (!chunk) return new Blob(parts, { type: "application/octet-stream" });
    parts.push(/** @type {Uint8Array<ArrayBuffer>} */ (chunk));
    if (sliced && slices.over) await slices.pause();
  }
}

/** So many bytes of an export are handed to the browser at once, which may keep them on disk. */
const PART_BYTES = 16 << 20;

/**
 * Records as a file, in slices.
 * @param {{ beginExport(spec: ExportSpec): unknown, exportNext(): Bytes | null, exportProgress(): { records: number } }} engine
 * @param {ExportSpec} spec
 * @returns {Promise<{ blob: Blob, records: number }>} rejects with what the engine refuses
 */
export async function writeRecords(engine, spec) {
  engine.beginExport(spec);
  const slices = new Slices();
  /** @type {Blob[]} */
  const parts = [];
  /** @type {BlobPart[]} */
  let open = [];
  let bytes = 0;
  let records = 0;
  for (;;) {
    const chunk = engine.exportNext();
    if (!chunk) break;
    records = engine.exportProgress().records;
    open.push(/** @type {Uint8Array<ArrayBuffer>} */ (chunk));
    bytes += chunk.length;
    if (bytes >= PART_BYTES) {
      parts.push(new Blob(open));
      [open, bytes] = [[], 0];
    }
    if (slices.over) await slices.pause();
  }
  return { blob: new Blob([...parts, ...open], { type: "application/octet-stream" }), records };
}

/**
 * Reads a state file. Nothing of the present state is touched: the caller swaps when it has the
 * whole new one.
 * @template E
 * @param {Blob} file
 * @param {{ feedFile(bytes: Bytes): void, finish(): E }} restorer
 * @param {{ signal?: AbortSignal, tell?: (done: number, total: number) => void }} [options]
 * @returns {Promise<E>} rejects with what the restorer says is wrong with the file
 */
export async function readState(file, restorer, { signal, tell } = {}) {
  const slices = new Slices();
  let done = 0;
  for await (const piece of pieces(file)) {
    signal?.throwIfAborted();
    restorer.feedFile(piece);
    done += piece.length;
    if (slices.over) {
      tell?.(done, file.size);
      await slices.pause();
    }
  }
  return restorer.finish();
}

/** The first bytes of a state file. */
const MAGIC = "LOGLANES";

/** @param {Uint8Array} head the first bytes of a file @returns {boolean} whether it is a state file */
export function isState(head) {
  return head.length >= MAGIC.length && [...MAGIC].every((char, i) => head[i] === char.charCodeAt(0));
}

/**
 * A file's bytes, piece by piece, always reading one ahead.
 * @param {Blob} file
 * @returns {AsyncGenerator<Uint8Array>}
 */
async function* pieces(file) {
  /** @param {number} at */
  const read = (at) => (at < file.size ? file.slice(at, at + PIECE_BYTES).arrayBuffer() : null);
  let next = read(0);
  for (let at = PIECE_BYTES; next; at += PIECE_BYTES) {
    const piece = new Uint8Array(await next);
    next = read(at);
    // It may fail long before it is waited for; it is reported then.
    next?.catch(() => {});
    yield piece;
  }
}

/** Finds out how much work fits into a slice, and when a slice is over. */
class Slices {
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

class Meter {
  #began = performance.now();
  #told = 0;
  #tell;
  done = 0;

  /**
   * @param {JobProgress} progress
   * @param {number} total
   * @param {((report: JobReport) => void) | undefined} tell
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

  /** @returns {JobReport} */
  report() {
    const { progress, done, total } = this;
    const ms = performance.now() - this.#began;
    return {
      kind: progress.kind,
      progress,
      done,
      total,
      ms,
      rate: ms > 0 ? (progress.records * 1000) / ms : 0,
      left: done > 0 && ms > 500 ? (ms * (total - done)) / done : null,
    };
  }
}
