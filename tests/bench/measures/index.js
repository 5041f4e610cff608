/**
 * @file Every measure, in the order they run. To add one: a file beside this one that exports a
 * `Measure` (see ../measure.js), and its name in this list. What a measure compares is a side, in
 * ../sides, so that several measures can share it.
 */

import { bulk } from "./bulk.js";
import { copy } from "./copy.js";
import { insert } from "./insert.js";
import { keeping } from "./keeping.js";
import { ndjson } from "./ndjson.js";
import { lanes, scan, whatIf } from "./questions.js";

/** @type {import("../measure.js").Measure[]} */
export const measures = [copy, bulk, insert, ndjson, scan, whatIf, lanes, keeping];
