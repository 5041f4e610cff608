/** @file What a transaction makes of a record, in words. */

/** @import { RecordSummary, Standing } from "../../src/wasm/types.d.ts" */

/** A control record as its cell names it, and as it is said. @type {Partial<Record<Standing, [string, string]>>} */
const MARKERS = {
  commitMarker: ["COMMIT", "COMMIT marker"],
  abortMarker: ["ABORT", "ABORT marker"],
  control: ["control", "control record"],
};

/** @type {Partial<Record<Standing, string>>} */
const TRANSACTIONS = {
  open: "transaction still open",
  committed: "transaction committed",
  aborted: "transaction aborted",
};

/**
 * What a control record's cell says; null for a producer's record.
 * @param {Pick<RecordSummary, "transaction">} record
 */
export const markerName = ({ transaction }) => (transaction && MARKERS[transaction.standing]?.[0]) ?? null;

/**
 * A control record, with its producer; null for a producer's record.
 * @param {Pick<RecordSummary, "transaction">} record
 */
export function marker({ transaction }) {
  const name = transaction && MARKERS[transaction.standing]?.[1];
  if (!name) return null;
  return transaction.standing === "control" ? name : `${name} of producer id ${transaction.producerId}, epoch ${transaction.producerEpoch}`;
}

/**
 * How the transaction of a producer's record ended; null where it is part of none.
 * @param {Pick<RecordSummary, "transaction">} record
 */
export const ending = ({ transaction }) => (transaction && TRANSACTIONS[transaction.standing]) ?? null;

/**
 * Whether a consumer is given a record, and why.
 * @param {Pick<RecordSummary, "offset" | "transaction">} record
 * @param {bigint} lastStableOffset of its partition
 * @returns {{ title: string, text: string } | null} null where transactions have no say
 */
export function reading({ offset, transaction }, lastStableOffset) {
  const waits = offset >= lastStableOffset;
  const held = `The last stable offset is ${lastStableOffset}: a transaction that began there, or before the log start, has not ended, so read_committed waits in front of it.`;
  switch (transaction?.standing) {
    case "open":
      return { title: "open", text: `read_uncommitted reads it now. read_committed waits, from offset ${lastStableOffset} on, until the transaction has ended.` };
    case "aborted":
      return { title: "aborted", text: "read_committed passes it over. read_uncommitted, the default of consumers, reads it all the same. Only the cleaner of a compacted topic removes it." };
    case "committed":
      return { title: "committed", text: waits ? `read_uncommitted reads it now. ${held}` : "Both isolation levels read it." };
    case undefined:
      return waits ? { title: "part of none", text: `read_uncommitted reads it now. ${held}` } : null;
    default:
      return null;
  }
}
