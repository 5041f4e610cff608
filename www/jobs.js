/**
 * @file Long work in short slices: importing, generating, reading whole states. What writes files is in
 * exports.js.
 *
 * A job that stops early keeps what is in and says how much; that is what Kafka's own tools do when
 * they are interrupted. Reading a state file is the exception: nothing is taken until all is read.
 */

/**
 * @import { Bytes, GenerateCommand, ImportSpec, JobProgress, Outcome } from "../src/wasm/types.d.ts"
 * @import { Report } from "./slices.js"
 */

import { Meter, Slices } from "./slices.js";

/** How much of a file is read at a time; the next piece is read while this one is worked on. */
export const PIECE_BYTES = 256 * 1024;
/** What `feed` and `step` begin with, before it is known how much fits into a slice; and the least of it. */
const FEED_BYTES = { first: 32 * 1024, least: 4 * 1024 };
const STEP_RECORDS = { first: 1_000, least: 32 };

/**
 * The part of the engine that jobs need.
 * @typedef {object} JobEngine
 * @property {(spec: ImportSpec, now: number, bytes?: number) => JobProgress} beginImport
 * @property {(command: GenerateCommand, now: number) => JobProgress} beginGenerate
 * @property {(bytes: Bytes) => JobProgress} feed
 * @property {() => JobProgress} end
 * @property {() => JobProgress | null} jobProgress
 * @property {(records: number) => JobProgress} step
 * @property {() => Outcome} finish
 * @property {() => Outcome} cancel
 */

/**
 * How far a job is: bytes of a file, or records.
 * @typedef {Report<JobProgress>} JobReport
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
  const meter = new Meter(engine.beginImport(spec, clock(), file.size), file.size, tell);
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
    // A format that can only be read once all of it is there has its work still to do.
    while ((meter.progress = engine.end()).pending) {
      if (signal?.aborted) return;
      meter.tell();
      if (slices.over) await slices.pause();
    }
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
 * @param {Meter<JobProgress>} meter
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
    // What failed may have taken a part of the last piece.
    if (failure !== null) meter.progress = engine.jobProgress() ?? meter.progress;
    outcome = whole ? engine.finish() : engine.cancel();
  } catch (error) {
    // A broken engine cannot even stop; what broke it is the news.
    throw failure ?? error;
  }
  return { outcome, report: meter.report(), cancelled: failure === null && !whole, failure };
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
