/** @file Keeping keyed 100-byte records, one call a record. */

import { NOW, TOPIC, onEmptyTopic } from "../sides/engine.js";
import { jsArrays } from "../sides/js-arrays.js";
import { KEYS, keys, value } from "../sides/records.js";
import { sqlJs } from "../sides/sql-js.js";

/** @type {import("../measure.js").Measure} */
export const insert = {
  name: "keep keyed 100-byte records, one a call",
  unit: "records",
  count: 100_000,
  goal: "as fast as plain arrays",
  sides: [
    jsArrays,
    sqlJs,
    onEmptyTopic("Loglanes, produce", (count) => (engine) => {
      for (let i = 0; i < count; i += 1) engine.produce(TOPIC, keys[i % KEYS], value, NOW);
    }),
  ],
};
