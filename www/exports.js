/**
 * @file Files out, in short slices: records, and the whole state. What is written goes to a sink as it
 * comes, so that a file may be larger than memory.
 */

/**
 * @import { Bytes, ExportProgress, ExportSpec } from "../src/wasm/types.d.ts"
 * @import { Sink } from "./download.js"
 * @import { Report } from "./slices.js"
 */

import { Meter, Slices } from "./slices.js";

/** So much is handed to the sink at once. */
const WRITE_BYTES = 1 << 20;

/** @typedef {Report<ExportProgress>} FileReport how far a file is; no records are counted where it holds other things */

/**
 * How the writing of a file ended.
 * @typedef {object} FileEnd
 * @property {FileReport} report
 * @property {boolean} cancelled the user stopped it; then there is no file
 * @property {unknown} failure what stopped it, or null; then there is no file either
 */

/**
 * @typedef {object} FileOptions
 * @property {AbortSignal} [signal]
 * @property {(report: FileReport) => void} [tell] progress, about ten times a second
 */

/**
 * Writes records into a file.
 * @param {{ beginExport(spec: ExportSpec): ExportProgress, exportNext(): Bytes | null, exportProgress(): ExportProgress }} engine its topic must not change meanwhile
 * @param {ExportSpec} spec
 * @param {Sink} sink
 * @param {FileOptions} [options]
 * @returns {Promise<FileEnd>} rejects with what the engine refuses before anything is written
 */
export async function writeRecords(engine, spec, sink, options) {
  const begun = engine.beginExport(spec);
  const next = () => {
    const chunk = engine.exportNext();
    return chunk && { chunk, progress: engine.exportProgress() };
  };
  return write(next, begun, sink, options);
}

/**
 * Writes the whole state into a file.
 * @param {{ exportChunk(index: number): Bytes | null }} engine it must not change meanwhile
 * @param {number} total about how many bytes it will be
 * @param {Sink} sink
 * @param {FileOptions} [options]
 * @returns {Promise<FileEnd>}
 */
export async function writeState(engine, total, sink, options) {
  let index = 0;
  let bytes = 0;
  const next = () => {
    const chunk = engine.exportChunk(index);
    index += 1;
    bytes += chunk?.length ?? 0;
    return chunk && { chunk, progress: { records: 0, bytes, done: Math.min(bytes, total), total } };
  };
  return write(next, { records: 0, bytes: 0, done: 0, total }, sink, options);
}

/**
 * @param {() => { chunk: Bytes, progress: ExportProgress } | null} next
 * @param {ExportProgress} begun
 * @param {Sink} sink
 * @param {FileOptions} [options]
 * @returns {Promise<FileEnd>}
 */
async function write(next, begun, sink, { signal, tell } = {}) {
  const meter = new Meter(begun, begun.total, tell);
  const slices = new Slices();
  /** @type {Bytes[]} */
  let waiting = [];
  let bytes = 0;
  const flush = async () => {
    const parts = waiting;
    [waiting, bytes] = [[], 0];
    if (parts.length > 0) await sink.write(parts);
  };
  /** @type {unknown} */
  let failure = null;
  try {
    for (let part = next(); part && !signal?.aborted; part = next()) {
      meter.progress = part.progress;
      meter.done = part.progress.done;
      if (part.chunk.length > 0) waiting.push(part.chunk);
      bytes += part.chunk.length;
      if (bytes >= WRITE_BYTES) await flush();
      meter.tell();
      if (slices.over) await slices.pause();
    }
    await flush();
    if (!signal?.aborted) await sink.close();
  } catch (error) {
    failure = error;
  }
  const cancelled = failure === null && Boolean(signal?.aborted);
  if (failure !== null || cancelled) await sink.abort();
  return { report: meter.report(), cancelled, failure };
}
