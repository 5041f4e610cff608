/** @file What became of files that were copied into partitions, in a sentence. */

/** @import { Outcome } from "../../../src/wasm/types.d.ts" */

import { count } from "../../dom.js";

/**
 * @param {Outcome[]} outcomes
 * @returns {string}
 */
export function copied(outcomes) {
  return outcomes.map((outcome) => {
    if (outcome.type !== "logCopied") return "";
    const { topic, partition, logStartOffset, logEndOffset, records, cut } = outcome;
    const whole = `${topic}-${partition} begins at offset ${count(logStartOffset)} and ends at ${count(logEndOffset)}, with ${count(records)} ${records === 1 ? "record" : "records"} to read.`;
    if (!cut) return whole;
    const what = `${count(cut.bytes)} bytes from byte ${count(cut.position)} of ${cut.file} on`;
    return cut.reason === null
      ? `${whole} ${what} are zeros: padding.`
      : `${whole} ${what} are cut off, as by a broker after a crash: ${cut.reason}.`;
  }).join(" ");
}
