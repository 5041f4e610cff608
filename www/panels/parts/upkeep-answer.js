/** @file What retention, the cleaner, a deletion or the clock has done, in words. */
import { told } from "./producers.js";
import { count, h, size } from "../../dom.js";
import { moment, plural, span } from "./numbers.js";

/** @typedef {import("../../../src/wasm/types.d.ts").Outcome} Outcome */
/** @typedef {import("../../../src/wasm/types.d.ts").CleanerPass} CleanerPass */
/** @typedef {import("../../../src/wasm/types.d.ts").DeletedSegment} DeletedSegment */
/** @typedef {import("../../../src/wasm/types.d.ts").PartitionCleaning} PartitionCleaning */
/** @typedef {import("../../../src/wasm/types.d.ts").PartitionRetention} PartitionRetention */

/** How many partitions are told one by one. */
const TOLD = 50;

/** @type {Record<DeletedSegment["reason"], string>} */
const REASONS = {
  logStartOffset: "wholly below the log start offset",
  retentionBytes: "the log has retention.bytes without it",
  retentionMs: "its greatest timestamp is older than retention.ms",
};

/**
 * The answer to one of the acts of this panel.
 * @param {Outcome} outcome
 * @returns {HTMLElement[]}
 */
export function upkeepAnswer(outcome) {
  switch (outcome.type) {
    case "configsAltered": return [h("p", null, outcome.configs.map(({ name, from, to }) => (from === to ? `${name} stays ${shown(to)}` : `${name}: ${shown(from)} → ${shown(to)}`)).join("; "), ".")];
    case "recordsDeleted": return [h("p", null, outcome.from === outcome.logStartOffset
      ? `Nothing to delete: P${outcome.partition} begins at ${count(outcome.from)} already.`
      : `P${outcome.partition} now begins at ${count(outcome.logStartOffset)}: ${plural(outcome.records, "record")} can no longer be read. The bytes stay until the next check for old segments, and then whole segments only go.`)];
    case "retentionRan": return outcome.partitions.length === 0
      ? [h("p", null, "Nothing is old enough, or the policy keeps it. A topic that is compacted is left to the cleaner.")]
      : rows(outcome.partitions, retention);
    case "cleanerRan": return outcome.partitions.length === 0
      ? [h("p", null, "No topic here is compacted: cleanup.policy has to include compact.")]
      : rows(outcome.partitions, cleaning);
    case "clockAdvanced": return [
      h("p", null, `The clock is ${span(outcome.ms)} further. ${outcome.events.length === 0 ? "Nothing was due." : "On the way:"}`),
      ...(outcome.events.length === 0 ? [] : [h("ul", { class: "plain-list events" },
        ...outcome.events.map(({ at, outcome: what }) => h("li", null, h("time", { class: "mono soft", datetime: moment(at), title: String(at) }, moment(at)), h("div", null, ...event(what)))),
        ...(outcome.moreEvents > 0 ? [h("li", { class: "soft" }, `and ${count(outcome.moreEvents)} more`)] : []))]),
    ];
    default: return [];
  }
}

/** @param {Outcome} outcome */
function event(outcome) {
  const ended = told(outcome);
  if (ended !== null) return [h("p", null, ended)];
  if (outcome.type === "rebalanced") return [h("p", null, `group ${outcome.group}: generation ${outcome.generation}`)];
  const topics = outcome.type === "retentionRan" || outcome.type === "cleanerRan" ? new Set(outcome.partitions.map(({ topic }) => topic)) : [];
  return [h("p", { class: "soft" }, outcome.type === "retentionRan" ? "check for old segments" : "cleaner", `: ${[...topics].join(", ")}`), ...upkeepAnswer(outcome)];
}

/**
 * @template T
 * @param {T[]} partitions
 * @param {(one: T) => HTMLElement} row
 */
function rows(partitions, row) {
  return [h("ul", { class: "plain-list upkeep-rows" }, ...partitions.slice(0, TOLD).map(row),
    ...(partitions.length > TOLD ? [h("li", { class: "soft" }, `and ${plural(partitions.length - TOLD, "more partition")}`)] : []))];
}

/** @param {PartitionRetention} one */
function retention({ topic, partition, from, logStartOffset, deleted }) {
  return h("li", null,
    h("p", null, h("b", { class: "mono" }, `${topic}-${partition}`), from === logStartOffset ? ` still begins at ${count(from)}` : ` began at ${count(from)}, now at ${count(logStartOffset)}`),
    gone(deleted));
}

/** @param {DeletedSegment[]} deleted */
function gone(deleted) {
  return h("ul", { class: "hint" }, ...deleted.map(({ baseOffset, nextOffset, bytes, reason }) =>
    h("li", null, `segment ${baseOffset === nextOffset ? count(baseOffset) : `${count(baseOffset)}…${count(nextOffset - 1n)}`} (${size(bytes)}) is gone: ${REASONS[reason]}`)));
}

/** @param {PartitionCleaning} one */
function cleaning({ topic, partition, leftAlone, cleanableRatio, minCleanableDirtyRatio, passes, deleted }) {
  const dirty = cleanableRatio === null ? "" : `${percent(cleanableRatio)} dirty`;
  const alone = leftAlone === "nothingCleanable"
    ? " left alone: what is new lies in the active segment, which is never cleaned, or is younger than min.compaction.lag.ms"
    : ` left alone: ${dirty}, and a pass begins above ${percent(minCleanableDirtyRatio)} (min.cleanable.dirty.ratio)`;
  return h("li", null,
    h("p", null, h("b", { class: "mono" }, `${topic}-${partition}`), leftAlone === null ? ` was ${dirty}` : alone),
    h("ul", { class: "hint" }, ...passes.map(pass)), deleted.length > 0 && gone(deleted));
}

/** @param {CleanerPass} pass */
function pass({ dirtyFrom, dirtyTo, kept, superseded, tombstones, keyless, aborted, markers, tombstonesKept, nextHorizon, bytesBefore, bytesAfter, segmentsBefore, segmentsAfter }) {
  const parts = [
    superseded > 0 && `${plural(superseded, "record")} superseded by a later one of the key`,
    tombstones > 0 && `${plural(tombstones, "tombstone")} whose time was up`,
    keyless > 0 && `${plural(keyless, "record")} without a key`,
    aborted > 0 && `${plural(aborted, "record")} of aborted transactions`,
    markers > 0 && `${plural(markers, "marker")} of transactions whose records are gone`,
  ].filter((part) => part !== false);
  const stays = tombstonesKept > 0 && nextHorizon !== null
    ? ` ${plural(tombstonesKept, "tombstone")} may go from ${moment(nextHorizon)} on, with a pass that something new brings about.` : "";
  return h("li", null,
    `looked at the offsets ${count(dirtyFrom)}…${count(dirtyTo - 1n)}; gone: ${parts.length === 0 ? "nothing" : parts.join(", ")}; kept: ${plural(kept, "record")}. `
    + `${size(bytesBefore)} in ${plural(segmentsBefore, "segment")} became ${size(bytesAfter)} in ${plural(segmentsAfter, "segment")}.${stays}`);
}

/** @param {number} ratio */
function percent(ratio) {
  return `${Math.round(ratio * 1000) / 10} %`;
}

/** @param {string | null} value */
function shown(value) {
  return value === null ? "none" : value === "" ? "empty" : value;
}
