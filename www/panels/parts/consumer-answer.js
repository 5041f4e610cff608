/** @file What came of an act of a consumer, in a sentence or a table. */
import { count, h } from "../../dom.js";
import { moment } from "./numbers.js";
import { polledView } from "./polled.js";
import { refusalLines } from "./refusal.js";

/** @typedef {import("../../../src/wasm/types.d.ts").Outcome} Outcome */
/** @typedef {import("../../../src/wasm/types.d.ts").Said} Said */
/** @typedef {import("../../../src/wasm/types.d.ts").TopicView} TopicView */
/** @typedef {import("../../types.d.ts").Selection} Selection */

/** @param {{ topic: string, partition: number, offset: bigint }} place */
const placed = ({ topic, partition, offset }) => `${topic} P${partition} → ${count(offset)}`;

const status = (/** @type {string} */ text) => h("p", { role: "status" }, text);

/** @param {Extract<Outcome, { type: "committed" }>} outcome */
function committed({ offsets, refused = [], raised }) {
  const said = status(offsets.length === 0
    ? "Nothing to commit: it has no position yet."
    : `Committed, as the next offset to read: ${offsets.map(placed).join(", ")}.`);
  if (!raised) return [said];
  return [said, h("div", { class: "notice" },
    h("p", null, `Not taken by the broker: ${refused.map(({ topic, partition, code, name }) => `${topic} P${partition}, ${name} (${code})`).join("; ")}. What it took stays committed; the consumer all the same raises:`),
    ...refusalLines(raised, "Kafka’s client raises"))];
}

/** @param {Extract<Outcome, { type: "sought" }>} outcome */
function sought({ member, partitions, timestamp }) {
  return status(partitions.length === 0
    ? `${member} owns no partition: nothing was moved.`
    : `From ${moment(timestamp)} on, ${member} reads: ${partitions.map((at) =>
      `${at.topic} P${at.partition} → ${at.timestamp === null ? `the end, ${count(at.offset)}: no record is so late` : `${count(at.offset)}, of ${moment(at.timestamp)}`}`).join("; ")}.`);
}

/**
 * Nothing where there is nothing to say.
 * @param {Outcome} outcome
 * @param {TopicView[]} topics
 * @param {(place: Selection) => void} select
 * @param {string} epoch what the group’s generation is called
 * @returns {Node[]}
 */
export function consumerAnswer(outcome, topics, select, epoch) {
  const logStart = (/** @type {string} */ topic, /** @type {number} */ partition) =>
    topics.find(({ name }) => name === topic)?.partitions[partition]?.logStartOffset ?? 0n;
  switch (outcome.type) {
    case "polled": return [polledView(outcome, logStart, select)];
    case "committed": return committed(outcome);
    case "offsetsReset": {
      const { rows } = outcome.plan;
      return [status(rows.length === 0
        ? "Nothing to reset: no partition has a commit."
        : `Reset, as the next offset to read: ${rows.map(placed).join(", ")}.`)];
    }
    case "rebalanced": return [status(`Rebalanced: ${epoch} ${outcome.generation}.`)];
    case "sought": return [sought(outcome)];
    default: return [];
  }
}

/**
 * What a consumer said to a question, in a line.
 * @param {Said} said
 */
export function saidText(said) {
  const none = "none";
  switch (said.type) {
    case "position": return count(said.offset);
    case "lag": return said.lag === null ? "not known: it has not fetched yet" : count(said.lag);
    case "count": return String(said.count);
    case "topics": return said.topics.join(", ") || none;
    case "partitions": return said.partitions.map(({ topic, partition }) => `${topic}-${partition}`).join(", ") || none;
    case "groupMetadata":
      return `groupId ${said.groupId}, generationId ${said.generationId}, memberId ${said.memberId || none}, groupInstanceId ${said.groupInstanceId || none}`;
    default:
      return said.offsets.map(({ topic, partition, offset, timestamp, metadata, leaderEpoch }) =>
        `${topic}-${partition} ${offset === null ? none : count(offset)}${timestamp === undefined ? "" : ` at ${moment(timestamp)}`}${metadata ? `, metadata “${metadata}”` : ""}${leaderEpoch === undefined ? "" : `, leader epoch ${leaderEpoch}`}`).join("; ") || none;
  }
}
