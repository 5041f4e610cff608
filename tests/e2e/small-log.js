/**
 * @file A log so small that a test can look through it, with the engine's shape for saving: records
 * in chunks of ten, a few chunks a step, and with the last step a manifest that counts the records.
 * For the tests of www/store.js and www/saver.js.
 */

const PER_CHUNK = 10;
const CHUNKS_PER_STEP = 4;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class SmallLog {
  /** @type {string[]} */
  records = [];
  /** How many records are saved, and how many of them the manifest counts. */
  #saved = { written: 0, counted: 0 };
  #token = 0;
  #pending = this.#saved;

  /** @param {string} value @returns {number} its offset */
  append(value) {
    return this.records.push(value) - 1;
  }

  /** @returns {import("../../src/wasm/types.d.ts").Changes | null} */
  changes() {
    const { written, counted } = this.#saved;
    if (counted === this.records.length) return null;
    const first = Math.floor(written / PER_CHUNK);
    const end = Math.min(this.records.length, (first + CHUNKS_PER_STEP) * PER_CHUNK);
    const puts = [];
    for (let chunk = first; chunk * PER_CHUNK < end; chunk += 1) {
      const part = this.records.slice(chunk * PER_CHUNK, (chunk + 1) * PER_CHUNK);
      puts.push({ key: `chunk-${String(chunk).padStart(6, "0")}`, bytes: encoder.encode(JSON.stringify(part)) });
    }
    const isLast = end === this.records.length;
    if (isLast) puts.push({ key: "manifest", bytes: encoder.encode(String(end)) });
    this.#token += 1;
    this.#pending = { written: end, counted: isLast ? end : counted };
    return { token: this.#token, puts, deletes: [], bytes: puts.reduce((sum, { bytes }) => sum + bytes.length, 0) };
  }

  /** @param {number} token only the last one counts */
  saved(token) {
    if (token === this.#token) this.#saved = this.#pending;
  }

  forgetSaved() {
    this.#saved = { written: 0, counted: 0 };
  }

  /**
   * The log that the chunks are. Throws if they are not one.
   * @param {(each: (key: string, bytes: Uint8Array) => void) => Promise<number>} load
   * @returns {Promise<SmallLog>}
   */
  static async from(load) {
    const log = new SmallLog();
    let end = 0;
    await load((key, bytes) => {
      const text = decoder.decode(bytes);
      if (key === "manifest") end = Number(text);
      else log.records.push(...JSON.parse(text));
    });
    if (log.records.length < end) throw new Error(`The manifest counts ${end} records, the chunks hold ${log.records.length}.`);
    log.records.length = end;
    log.#saved = { written: end, counted: end };
    return log;
  }
}
