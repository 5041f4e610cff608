/** @file What became of files that were copied into partitions, in a sentence each. */

/** @import { CopiedLog, Outcome } from "../../../src/wasm/types.d.ts" */

import { count } from "../../dom.js";
import { plural } from "./numbers.js";

/** So many partitions are told one by one; those that were cut are told all. */
const TOLD = 3;

/**
 * @param {Outcome} outcome
 * @returns {string}
 */
export function copied(outcome) {
  if (outcome.type === "logCopied") return sentence(outcome);
  if (outcome.type !== "logsCopied") return "";
  const { logs } = outcome;
  if (logs.length <= TOLD) return logs.map(sentence).join(" ");
  const records = logs.reduce((sum, log) => sum + log.records, 0);
  return [`${count(logs.length)} partitions have their logs, with ${plural(records, "record")} to read.`, ...logs.filter(({ cut }) => cut).map(sentence)].join(" ");
}

/** @param {CopiedLog} log */
function sentence({ topic, partition, logStartOffset, logEndOffset, records, cut }) {
  const whole = `${topic}-${partition} begins at offset ${count(logStartOffset)} and ends at ${count(logEndOffset)}, with ${plural(records, "record")} to read.`;
  if (!cut) return whole;
  const what = `${count(cut.bytes)} bytes from byte ${count(cut.position)} of ${cut.file} on`;
  return cut.reason === null
    ? `${whole} ${what} are zeros: padding.`
    : `${whole} ${what} are cut off, as by a broker after a crash: ${cut.reason}.`;
}
