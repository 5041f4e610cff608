/** @file Replicas by hand: the brokers of each partition, as text. */
import { int32 } from "./numbers.js";

/** Beside a field for it. */
export const ASSIGNMENT_NOTE = "The brokers of each, as kafka-topics --replica-assignment takes them: 1:2,2:3. The first leads.";

/**
 * The brokers of the first partition, then of the next, and so on; `null` if the text is none.
 *
 * @param {string} text
 * @returns {number[][] | null}
 */
export function brokers(text) {
  const rows = text.trim().split(",").map((row) => row.split(":").map(int32));
  return rows.every((row) => row.every((id) => id !== null)) ? /** @type {number[][]} */ (rows) : null;
}
