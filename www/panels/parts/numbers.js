/** @file What people type as numbers. What the core can take goes to it as it is, so that Kafka's own refusal is met. */

const WHOLE = /^([+-]?\d+)(?:[eE]\+?(\d{1,2}))?$/;
const I32 = 2n ** 31n;
const I64 = 2n ** 63n;

/**
 * @param {string} text
 * @param {bigint} bound
 * @returns {bigint | null}
 */
function within(text, bound) {
  const match = WHOLE.exec(text.trim());
  if (!match) return null;
  const value = BigInt(/** @type {string} */ (match[1]).replace("+", "")) * 10n ** BigInt(match[2] ?? 0);
  return value >= -bound && value < bound ? value : null;
}

/**
 * A whole number that Kafka's 32 bits hold (`6`, `-1`, `1e9`), or null.
 * @param {string} text
 * @returns {number | null}
 */
export function int32(text) {
  const value = within(text, I32);
  return value === null ? null : Number(value);
}

/**
 * A whole number that Kafka's 64 bits hold, or null.
 * @param {string} text
 * @returns {bigint | null}
 */
export function int64(text) {
  return within(text, I64);
}

/** What is said instead of sending what is no such number. */
export const NOT_INT32 = "is not a whole number from −2,147,483,648 to 2,147,483,647, so there is nothing to send to Kafka.";
export const NOT_INT64 = "is not a whole number of 64 bits, so there is nothing to send to Kafka.";

const ISO = /^[+-]?\d{4,6}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)?(Z|[+-]\d\d:\d\d)?$/i;

/**
 * Milliseconds since 1970, from digits or from an ISO 8601 date; without a zone it is UTC. Null if it is neither.
 * @param {string} text
 * @returns {number | null}
 */
export function timestamp(text) {
  const trimmed = text.trim();
  const whole = int64(trimmed);
  if (whole !== null) return Number.isSafeInteger(Number(whole)) ? Number(whole) : null;
  const match = ISO.exec(trimmed);
  if (!match) return null;
  const ms = Date.parse(match[1] || !/T/i.test(trimmed) ? trimmed : `${trimmed}Z`);
  return Number.isNaN(ms) ? null : ms;
}

/**
 * A moment as ISO 8601 in UTC with milliseconds; the bare number where a date cannot hold it.
 * @param {number} ms
 * @returns {string}
 */
export function moment(ms) {
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : `${ms} ms`;
}

/**
 * A span of time for a person, in its two largest units: `41 s`, `4 min 10 s`, `7 d`.
 * @param {number} ms
 * @returns {string}
 */
export function span(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const parts = [[Math.floor(seconds / 86_400), "d"], [Math.floor(seconds / 3600) % 24, "h"], [Math.floor(seconds / 60) % 60, "min"], [seconds % 60, "s"]];
  const first = parts.findIndex(([value]) => value !== 0);
  if (first === -1) return "0 s";
  return parts.slice(first, first + 2).filter(([value]) => value !== 0).map(([value, unit]) => `${value} ${unit}`).join(" ");
}

/**
 * `1 record`, `2 records`.
 * @param {number | bigint} value
 * @param {string} one
 * @param {string} [many]
 * @returns {string}
 */
export function plural(value, one, many = `${one}s`) {
  return `${new Intl.NumberFormat("en").format(value)} ${Number(value) === 1 ? one : many}`;
}

/**
 * Partitions in short: runs of three and more as `P0–P7`.
 * @param {readonly number[]} partitions
 * @returns {string}
 */
export function partitionList(partitions) {
  /** @type {[number, number][]} */
  const runs = [];
  for (const partition of [...partitions].sort((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run && run[1] === partition - 1) run[1] = partition;
    else runs.push([partition, partition]);
  }
  return runs.map(([first, last]) => {
    if (first === last) return `P${first}`;
    return last === first + 1 ? `P${first}, P${last}` : `P${first}–P${last}`;
  }).join(", ");
}

/**
 * A share of a whole with one decimal; nothing of nothing is 0 %.
 * @param {number} part
 * @param {number} whole
 * @returns {string}
 */
export function percent(part, whole) {
  return `${(whole === 0 ? 0 : (100 * part) / whole).toFixed(1)} %`;
}

/**
 * Partitions as Kafka prints them, with commas: `orders-0, orders-1`. The number stands behind the last hyphen.
 * @param {string} text
 * @returns {{ topic: string, partition: number }[] | null} null where it is no such list
 */
export function places(text) {
  const found = text.split(",").map((one) => one.trim()).filter((one) => one !== "").map((one) => {
    const [, topic, digits] = /^(.*)-(\d+)$/.exec(one) ?? [];
    const partition = digits === undefined ? null : int32(digits);
    return topic === undefined || partition === null ? null : { topic, partition };
  });
  const all = found.filter((one) => one !== null);
  return all.length === found.length ? all : null;
}
