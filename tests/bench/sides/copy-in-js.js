/** @file Copies records within one buffer, by JavaScript. */

import { VALUE_BYTES } from "./records.js";

/** @type {import("../measure.js").Side} */
export const copyInJs = {
  name: "copy in JavaScript",
  prepare(count) {
    const half = count * VALUE_BYTES;
    const bytes = new Uint8Array(2 * half).fill(7, 0, half);
    return {
      run() {
        for (let at = 0; at < half; at += VALUE_BYTES) {
          bytes.copyWithin(half + at, at, at + VALUE_BYTES);
        }
      },
    };
  },
};
