/**
 * @file What is asked of the WebAssembly instance, and the only way to it: after a panic its memory cannot
 * be trusted, so every later call is stopped here.
 */

/**
 * @import { Bytes, ClusterView, ConfigView, ConsumerCall, Finding, HistoryEntry, ImportSpec, LoglanesError, RecordDraft, RecordSummary, ResetRequest, ToolRequest } from "../src/wasm/types.d.ts"
 * @import { Instance, Part } from "./wasm-module.js"
 */

import { has, panic } from "./wasm-module.js";

/** Thrown by every call once the instance has failed. */
class BrokenError extends Error {
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

/** Questions change nothing. Emits `broken` ({cause}). */
export class Questions extends EventTarget {
  /** @type {Instance} @protected */
  wasm;
  /** @type {string | null} */
  #broken = null;

  /** @param {Instance} wasm */
  constructor(wasm) {
    super();
    this.wasm = wasm;
  }

  /** Why the engine has stopped, or null. */
  get broken() {
    return this.#broken;
  }

  view() {
    return this.call(() => this.wasm.view(Date.now()), "first");
  }

  partitioners() {
    return this.call(() => this.wasm.partitioners(), "first");
  }

  /** @param {RecordDraft} draft */
  placement(draft) {
    return this.call(() => this.wasm.placement(draft, Date.now()));
  }

  /** @param {Bytes | null} key */
  keyTag(key) {
    return this.call(() => this.wasm.keyTag(key));
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
    return this.call(() => this.wasm.laneTags(topic, partition, from, perPixel, width, key ?? undefined));
  }

  /**
   * @param {string} topic
   * @param {number} partition
   * @param {bigint} from
   * @param {number} limit
   */
  records(topic, partition, from, limit) {
    return this.call(() => this.wasm.records(topic, partition, from, limit));
  }

  /**
   * What transactions made of the records between two offsets.
   * @param {string} topic
   * @param {number} partition
   * @param {bigint} from
   * @param {bigint} to
   */
  transactions(topic, partition, from, to) {
    return this.call(() => this.wasm.transactions(topic, partition, from, to));
  }

  /**
   * Of the records between two offsets those of aborted and open transactions; what is fewer than `apart`
   * offsets apart is one.
   * @param {string} topic
   * @param {number} partition
   * @param {bigint} from
   * @param {bigint} to
   * @param {bigint} apart
   */
  fates(topic, partition, from, to, apart) {
    return this.call(() => this.wasm.fates(topic, partition, from, to, apart));
  }

  /**
   * @param {string} topic
   * @param {number} partition
   * @param {bigint} offset
   */
  record(topic, partition, offset) {
    return this.call(() => this.wasm.record(topic, partition, offset));
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
    return this.later(() => this.wasm.keys(topic, limit));
  }

  /** @param {string} topic @param {number} total @param {number} limit */
  whatIf(topic, total, limit) {
    return this.later(() => this.wasm.whatIf(topic, total, limit));
  }

  /** @param {string} topic @param {number} limit */
  splitKeys(topic, limit) {
    return this.later(() => this.wasm.splitKeys(topic, limit));
  }

  /**
   * Every config of a topic, in the order of Kafka's tools.
   * @param {string} topic
   */
  configs(topic) {
    return this.call(() => this.wasm.configs(topic));
  }

  /**
   * What a consumer says to a call that changes nothing.
   * @param {ConsumerCall} request
   */
  ask(request) {
    return this.call(() => this.wasm.ask(request, Date.now()));
  }

  /** @param {ResetRequest} request */
  resetPlan(request) {
    return this.later(() => this.wasm.resetPlan(request, Date.now()));
  }

  /**
   * What one of Kafka's tools prints, and the command that would print it.
   * @param {ToolRequest} request
   */
  toolText(request) {
    return this.later(() => this.wasm.toolText(request));
  }

  /** @param {number} from @param {number} limit */
  history(from, limit) {
    return this.call(() => this.wasm.history(from, limit));
  }

  /** All that was done, and what lies ahead, as a scenario. Throws a refusal where that cannot be. */
  historyText() {
    return this.later(() => this.wasm.historyText());
  }

  /**
   * What the `check` lines of a scenario find here.
   * @param {string} text
   */
  check(text) {
    return this.later(() => this.wasm.check(text, Date.now()));
  }

  /**
   * What lies in a broker's folders. Throws a refusal if it is too much to be copied in one act.
   * @param {{ path: string, file: { size: number } }[]} files
   */
  logPlan(files) {
    return this.later(() => this.wasm.logPlan(files.map(({ path }) => path), Float64Array.from(files, ({ file }) => file.size)));
  }

  /** How many more bytes the logs may hold. */
  room() {
    return this.call(() => this.wasm.room());
  }

  /** @param {Bytes} head */
  inspect(head) {
    return this.later(() => this.wasm.inspect(head));
  }

  /** @param {Bytes} head @param {boolean} whole @param {ImportSpec} spec @param {number} [partitions] */
  preview(head, whole, spec, partitions) {
    return this.later(() => this.wasm.preview(head, whole, spec, partitions));
  }

  /**
   * A call that is in the last part of the engine.
   * @template T
   * @param {() => T} act
   * @returns {T}
   * @protected
   */
  later(act) {
    return this.call(act, "rest");
  }

  /**
   * @template T
   * @param {() => T} act
   * @param {Part | "first"} [part] of the engine; refused as long as that has not come
   * @returns {T}
   * @protected
   */
  call(act, part = "acts") {
    if (this.#broken) throw new BrokenError(this.#broken);
    if (part !== "first" && !has(part)) throw Object.assign(new Error("This part of Loglanes is still being fetched."), { name: "LOGLANES", code: null, refusal: "loglanes", hint: "Try again in a moment." });
    try {
      return act();
    } catch (error) {
      if (!isRefusal(error)) {
        this.#broken = panic() ?? (error instanceof Error ? `${error.name}: ${error.message}` : String(error));
        this.emit("broken", { cause: this.#broken });
      }
      throw error;
    }
  }

  /** @param {string} type @param {unknown} detail @protected */
  emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
