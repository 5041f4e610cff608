/** @file Keeping keyed 100-byte records, one call a record, without Loglanes. */

import { jsArrays } from "../sides/js-arrays.js";
import { sqlJs } from "../sides/sql-js.js";

/** @type {import("../measure.js").Measure} */
export const insert = {
  name: "keep keyed 100-byte records, one a call",
  unit: "records",
  count: 200_000,
  sides: [sqlJs, jsArrays],
};
