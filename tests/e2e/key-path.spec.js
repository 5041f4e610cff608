// @ts-check
/** @file The path of a key through the lanes: which records it leads through, and when there is none. */

import { expect, test } from "@playwright/test";
import { ORIGIN, serveModules } from "./support/modules.js";

const KEY = (3 << 24) | 7;
const OTHER = (3 << 24) | 8;
const NONE = 1 << 24;

test.beforeEach(({ context }) => serveModules(context, { "/": "<!doctype html><title>path</title>" }));

/**
 * The path of a key through lanes of [tag, timestamp] records, as lane and offset.
 * @param {import("@playwright/test").Page} page
 * @param {{ lanes: [number, number][][], match?: number | null, cell?: number }} scene
 * @returns {Promise<string[]>}
 */
async function path(page, { lanes, match = KEY, cell = 20 }) {
  await page.goto(ORIGIN);
  return page.evaluate(async ({ lanes, match, cell }) => {
    const address = "/www/lanes/";
    const { keyPath } = await import(`${address}path.js`);
    const { Viewport } = await import(`${address}viewport.js`);
    const viewport = new Viewport();
    viewport.resize(0n, 100n, 4_000);
    viewport.perPixel = 1 / cell;
    const partitions = lanes.map((records, partition) => ({ partition, logStartOffset: 0n, logEndOffset: BigInt(records.length) }));
    const tags = (/** @type {number} */ p, /** @type {bigint} */ from, /** @type {number} */ _, /** @type {number} */ width) =>
      Uint32Array.from({ length: width }, (_, i) => lanes[p]?.[Number(from) + i]?.[0] ?? 0);
    const time = (/** @type {number} */ p, /** @type {bigint} */ offset) => lanes[p]?.[Number(offset)]?.[1] ?? null;
    const steps = keyPath({ viewport, partitions, match, tags }, time);
    return steps.map((/** @type {{ index: number, offset: bigint }} */ { index, offset }) => `P${index} @ ${offset}`);
  }, { lanes, match, cell });
}

test("it leads through the key's records in order of time; of the same time, by lane", async ({ page }) => {
  const lanes = /** @type {[number, number][][]} */ ([[[KEY, 5], [OTHER, 6], [KEY, 9]], [[KEY, 7], [KEY, 9]]]);
  expect(await path(page, { lanes })).toEqual(["P0 @ 0", "P1 @ 0", "P0 @ 2", "P1 @ 1"]);
});

test("there is none in one lane, without a key, in narrow cells, and where it would be a tangle", async ({ page }) => {
  const lane = (/** @type {number} */ tag, /** @type {number} */ count) =>
    Array.from({ length: count }, (_, i) => /** @type {[number, number]} */ ([tag, i]));
  expect(await path(page, { lanes: [lane(KEY, 3), lane(OTHER, 3)] })).toEqual([]);
  expect(await path(page, { lanes: [lane(NONE, 3), lane(NONE, 3)], match: NONE })).toEqual([]);
  expect(await path(page, { lanes: [lane(KEY, 3), lane(KEY, 3)], match: null })).toEqual([]);
  expect(await path(page, { lanes: [lane(KEY, 3), lane(KEY, 3)] })).toHaveLength(6);
  expect(await path(page, { lanes: [lane(KEY, 3), lane(KEY, 3)], cell: 4 })).toEqual([]);
  expect(await path(page, { lanes: [lane(KEY, 20), lane(KEY, 20)] })).toEqual([]);
  expect(await path(page, { lanes: [lane(KEY, 80), lane(KEY, 3)] })).toEqual([]);
});
