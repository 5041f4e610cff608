/** @file What the lanes ask the engine about the cells in sight, kept until it may have changed. */

import { keyPath } from "./path.js";

/**
 * @import { RecordSummary, TopicView, TransactionSpan } from "../../src/wasm/types.d.ts"
 * @import { EngineApi } from "../types.d.ts"
 * @import { Scene, Step } from "./scene.js"
 * @import { Viewport } from "./viewport.js"
 */

/** @template T @typedef {{ from: bigint, to: bigint, answer: T[] }} Kept */

/** Cells that are asked for on either side of those in sight, so that a small move asks nothing. */
const MARGIN = 8n;

export class Sight {
  /** @type {Map<number, Kept<RecordSummary>>} */
  #records = new Map();
  /** @type {Map<number, Kept<TransactionSpan>>} */
  #transactions = new Map();
  /** @type {Map<number, Kept<TransactionSpan>>} */
  #fates = new Map();
  /** What the kept fates were told with. */
  #apart = 0n;
  /** @type {{ key: string, steps: Step[] }} */
  #way = { key: "", steps: [] };
  /** Counts up whenever the records may have changed. */
  version = 0;

  /**
   * @param {EngineApi} engine
   * @param {TopicView} topic
   */
  constructor(engine, topic) {
    this.engine = engine;
    this.topic = topic;
  }

  /**
   * The records may have changed.
   * @param {EngineApi} engine
   * @param {TopicView} topic
   */
  update(engine, topic) {
    this.engine = engine;
    this.topic = topic;
    this.version += 1;
    this.#records.clear();
    this.#transactions.clear();
    this.#fates.clear();
  }

  /**
   * @param {number} partition
   * @param {bigint} from
   * @param {bigint} to
   */
  records(partition, from, to) {
    const ask = (/** @type {bigint} */ start, /** @type {bigint} */ end) => this.engine.records(this.topic.name, partition, start, Number(end - start));
    return kept(this.#records, partition, from, to, ask).filter((r) => r.offset >= from && r.offset < to);
  }

  /**
   * @param {number} partition
   * @param {bigint} from
   * @param {bigint} to
   */
  transactions(partition, from, to) {
    const ask = (/** @type {bigint} */ start, /** @type {bigint} */ end) => this.engine.transactions(this.topic.name, partition, start, end);
    return within(kept(this.#transactions, partition, from, to, ask), from, to);
  }

  /**
   * @param {number} partition
   * @param {bigint} from
   * @param {bigint} to
   * @param {bigint} apart
   */
  fates(partition, from, to, apart) {
    if (apart !== this.#apart) this.#fates.clear();
    this.#apart = apart;
    const ask = (/** @type {bigint} */ start, /** @type {bigint} */ end) => this.engine.fates(this.topic.name, partition, start, end, apart);
    return within(kept(this.#fates, partition, from, to, ask), from, to);
  }

  /**
   * A key's way through the lanes, made anew only when what is in sight has changed.
   * @param {Viewport} viewport
   * @param {number | null} match
   * @param {Scene["tags"]} tags
   * @returns {Step[]}
   */
  path(viewport, match, tags) {
    if (match === null) return [];
    const { engine, topic } = this;
    const key = [this.version, topic.topicId, match, viewport.origin, viewport.frac, viewport.perPixel, viewport.width].join();
    if (this.#way.key !== key) {
      const timestamp = (/** @type {number} */ partition, /** @type {bigint} */ offset) => engine.recordFrom(topic.name, partition, offset)?.timestamp ?? null;
      this.#way = { key, steps: keyPath({ viewport, partitions: topic.partitions, match, tags }, timestamp) };
    }
    return this.#way.steps;
  }
}

/**
 * @param {TransactionSpan[]} spans
 * @param {bigint} from
 * @param {bigint} to
 */
function within(spans, from, to) {
  return spans
    .filter((span) => span.from < to && span.to > from)
    .map((span) => ({ ...span, from: span.from > from ? span.from : from, to: span.to < to ? span.to : to }));
}

/**
 * @template T
 * @param {Map<number, Kept<T>>} all
 * @param {number} partition
 * @param {bigint} from
 * @param {bigint} to
 * @param {(from: bigint, to: bigint) => T[]} ask
 * @returns {T[]}
 */
function kept(all, partition, from, to, ask) {
  let held = all.get(partition);
  if (!held || from < held.from || to > held.to) {
    const start = from > MARGIN ? from - MARGIN : 0n;
    const end = to + MARGIN;
    held = { from: start, to: end, answer: ask(start, end) };
    all.set(partition, held);
  }
  return held.answer;
}
