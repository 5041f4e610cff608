/** @file What else there is to say of many records at once: why some were refused, what was skipped. */
import { h } from "../../dom.js";
import { plural } from "./numbers.js";

/**
 * Records that were refused for one reason.
 * @typedef {object} CountedRefusal
 * @property {number} count
 * @property {string} name
 * @property {number | null} code
 * @property {string} message
 * @property {string} hint
 */

/**
 * A line for each reason.
 * @param {CountedRefusal[] | undefined} refusals
 * @returns {HTMLElement[]}
 */
export function refusalCounts(refusals = []) {
  return refusals.map(({ count, name, code, message, hint }) => h("p", { class: "counted-refusal" },
    `${plural(count, "record")}: `, h("b", { class: "mono" }, name), code !== null && code !== undefined && ` (code ${code})`,
    `: ${message}`, hint !== "" && h("span", { class: "hint" }, ` ${hint}`)));
}

/**
 * Lines that made no record, and records that have no key although a key was asked for.
 * @param {object} progress
 * @returns {HTMLElement[]}
 */
export function jobNotes(progress) {
  const { blank = 0, nullKeys = 0, continued = 0 } = /** @type {{ blank?: number, nullKeys?: number, continued?: number }} */ (progress);
  return [
    ...(continued > 0 ? [h("p", { class: "soft small" }, `${plural(continued, "line was", "lines were")} taken for the rest of the value before ${continued === 1 ? "it" : "them"}: a record does not begin so.`)] : []),
    ...(blank > 0 ? [h("p", { class: "soft small" }, `${plural(blank, "empty line was", "empty lines were")} passed over.`)] : []),
    ...(nullKeys > 0 ? [h("p", { class: "soft small" }, `${plural(nullKeys, "record has", "records have")} no key: the field was missing or null there.`)] : []),
  ];
}
