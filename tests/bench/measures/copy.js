/** @file What a byte costs before anything is done with it. */

import { copyInJs } from "../sides/copy-in-js.js";
import { copyInWasm } from "../sides/copy-in-wasm.js";

/** @type {import("../measure.js").Measure} */
export const copy = {
  name: "copy 100-byte records",
  unit: "records",
  count: 500_000,
  sides: [copyInJs, copyInWasm],
};
