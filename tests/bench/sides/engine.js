/** @file Loglanes itself, through its wasm package: what the sides and measures that use it share. */

import init, { Loglanes } from "../../../www/pkg/loglanes.js";
import { PARTITIONS, VALUE_BYTES } from "./records.js";

export const TOPIC = "orders";

/** The clock of all measures: what is measured does not depend on it. */
export const NOW = 1_700_000_000_000;

/** @type {Promise<{ memory: WebAssembly.Memory }> | undefined} */
let loading;

/** The module, once in a tab. */
export function load() {
  loading ??= init();
  return loading;
}

/**
 * An engine with one topic.
 * @param {number} [partitions]
 */
export async function start(partitions = PARTITIONS) {
  await load();
  const engine = new Loglanes(7n);
  engine.apply({ type: "createTopic", name: TOPIC, partitions }, NOW);
  return engine;
}

/**
 * Records by a rule: every key about equally often, with values of 100 bytes.
 * @param {Loglanes} engine
 * @param {number} count
 * @param {number} keys
 */
export function generate(engine, count, keys) {
  engine.beginGenerate(
    { type: "generate", topic: TOPIC, count, keys, valueBytes: VALUE_BYTES, seed: 1 },
    NOW,
  );
  engine.step(count);
  return engine.finish();
}

/**
 * A side that does something to a topic of `count` records, made anew before each round.
 * @param {string} name
 * @param {{ partitions?: number, keys: number, ready?: (engine: Loglanes) => unknown,
 *   run: (engine: Loglanes) => unknown }} work `ready` is done before, and not timed
 * @returns {import("../measure.js").Side}
 */
export function onFullTopic(name, { partitions, keys, ready, run }) {
  return {
    name,
    async prepare(count) {
      /** @type {Loglanes | undefined} */
      let engine;
      const reset = async () => {
        engine?.free();
        engine = await start(partitions);
        generate(engine, count, keys);
        ready?.(engine);
      };
      await reset();
      return { run: () => run(/** @type {Loglanes} */ (engine)), reset };
    },
  };
}

/**
 * A side that puts records into an empty topic.
 * @param {string} name
 * @param {(count: number) => (engine: Loglanes) => unknown} work what is timed
 * @returns {import("../measure.js").Side}
 */
export function onEmptyTopic(name, work) {
  return {
    name,
    async prepare(count) {
      const run = work(count);
      let engine = await start();
      return {
        run: () => run(engine),
        async reset() {
          engine.free();
          engine = await start();
        },
      };
    },
  };
}
