/** @file Keyed 100-byte records in bulk: the key's hash, the bytes of the batches, their CRC. */

import { copyInWasm } from "../sides/copy-in-wasm.js";
import { NOW, TOPIC, generate, onEmptyTopic } from "../sides/engine.js";
import { KEYS, VALUE_BYTES, keys, value } from "../sides/records.js";
import { sqlJs } from "../sides/sql-js.js";

/** @type {import("../measure.js").Measure} */
export const bulk = {
  name: "produce in bulk",
  unit: "records",
  count: 250_000,
  goal: "5 million/s by a rule, 10 x sql.js, within 6 x of the copy",
  sides: [
    sqlJs,
    copyInWasm,
    onEmptyTopic("Loglanes, by a rule", (count) => (engine) => generate(engine, count, KEYS)),
    onEmptyTopic("Loglanes, produceMany", (count) => {
      const { bytes, lengths } = together(count);
      return (engine) => engine.produceMany(TOPIC, bytes, lengths, NOW);
    }),
  ],
};

/**
 * Records as `produceMany` takes them.
 * @param {number} count
 */
function together(count) {
  const lengths = new Int32Array(2 * count);
  let size = 0;
  for (let i = 0; i < count; i += 1) {
    lengths[2 * i] = keys[i % KEYS].length;
    lengths[2 * i + 1] = VALUE_BYTES;
    size += keys[i % KEYS].length + VALUE_BYTES;
  }
  const bytes = new Uint8Array(size);
  for (let i = 0, at = 0; i < count; i += 1) {
    for (const part of [keys[i % KEYS], value]) {
      bytes.set(part, at);
      at += part.length;
    }
  }
  return { bytes, lengths };
}
