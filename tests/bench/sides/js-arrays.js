/**
 * @file Pushes an object a record onto one plain array a partition. It shares the
 * bytes of keys and values and copies none.
 */

import { KEYS, PARTITIONS, keys, value } from "./records.js";

/** @type {import("../measure.js").Side} */
export const jsArrays = {
  name: "plain JavaScript arrays",
  prepare(count) {
    /** @type {object[][]} */
    let partitions = [];
    const reset = () => {
      partitions = Array.from({ length: PARTITIONS }, () => []);
    };
    reset();
    return {
      reset,
      run() {
        for (let i = 0; i < count; i += 1) {
          const partition = partitions[i % PARTITIONS];
          partition.push({ offset: partition.length, timestamp: i, key: keys[i % KEYS], value });
        }
      },
    };
  },
};
