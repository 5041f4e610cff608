/**
 * @file A log so small that a test can look through it, with the engine's shape for saving: records
 * in chunks of ten, and a manifest that counts them. For the tests of www/store.js and www/saver.js.
 */

const PER_CHUNK = 10;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class SmallLog {
  /** @type {string[]} */
  records = [];
  #saved = 0;
  #token = 0;
  /** @type {Map<number, number>} how many records each `changes()` covered */
  #issued = new Map();

  /** @param {string} value @returns {number} its offset */
  append(value) {
    return this.records.push(value) - 1;
  }

  /** @returns {import("../../src/wasm/types.d.ts").Changes | null} */
  changes() {
    const end = this.records.length;
    if (end === this.#saved) return null;
    const puts = [];
    for (let chunk = Math.floor(this.#saved / PER_CHUNK); chunk * PER_CHUNK < end; chunk += 1) {
      const part = this.records.slice(chunk * PER_CHUNK, (chunk + 1) * PER_CHUNK);
      puts.push({ key: `chunk-${String(chunk).padStart(6, "0")}`, bytes: encoder.encode(JSON.stringify(part)) });
    }
    puts.push({ key: "manifest", bytes: encoder.encode(String(end)) });
    this.#token += 1;
    this.#issued.set(this.#token, end);
    return { token: this.#token, puts, deletes: [], bytes: puts.reduce((sum, { bytes }) => sum + bytes.length, 0) };
  }

  /** @param {number} token */
  saved(token) {
    this.#saved = this.#issued.get(token) ?? this.#saved;
  }

  unsaved() {
    this.#saved = 0;
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
    if (log.records.length !== end) throw new Error(`The manifest counts ${end} records, the chunks hold ${log.records.length}.`);
    log.#saved = end;
    return log;
  }
}
