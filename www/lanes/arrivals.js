/** @file Records that a few sends have brought: they come in from the right, so that the eye finds them. */

/**
 * @import { PartitionView } from "../../src/wasm/types.d.ts"
 * @import { Arrival } from "./scene.js"
 * @import { Viewport } from "./viewport.js"
 */

/** More records than this are not shown one by one. */
const MOST = 24;
const ARRIVE_MS = 420;
const GLOW_MS = 1400;

export class Arrivals {
  /** @type {{ partition: number, from: bigint, at: number }[]} */
  #newest = [];
  /** The log end offsets, as they were. @type {Map<number, bigint>} */
  #ends = new Map();
  #calm = matchMedia("(prefers-reduced-motion: reduce)");

  /**
   * @param {PartitionView[]} partitions
   * @param {boolean} unseen whether what is new is not shown as coming in: of another topic, or of a job
   */
  update(partitions, unseen) {
    const ends = this.#ends;
    this.#ends = new Map(partitions.map((p) => [p.partition, p.logEndOffset]));
    if (unseen) this.#newest = [];
    if (unseen || this.#calm.matches) return;
    const grown = partitions.flatMap(({ partition, logEndOffset }) => {
      const from = ends.get(partition);
      return from === undefined || from >= logEndOffset ? [] : [{ partition, from, count: Number(logEndOffset - from) }];
    });
    if (grown.reduce((sum, { count }) => sum + count, 0) > MOST) return;
    const at = performance.now();
    this.#newest.push(...grown.map(({ partition, from }) => ({ partition, from, at })));
  }

  /** @param {number} now */
  areSeen(now) {
    this.#newest = this.#newest.filter(({ at }) => now - at < GLOW_MS);
    return this.#newest.length > 0;
  }

  /** @param {number} partition @param {Viewport} viewport @param {number} now @returns {Arrival | null} */
  of(partition, viewport, now) {
    const newest = this.#newest.findLast((arrival) => arrival.partition === partition && now - arrival.at < GLOW_MS);
    if (!newest) return null;
    const part = Math.min(1, Math.max(0, (now - newest.at) / ARRIVE_MS));
    const glow = Math.max(0, 1 - (now - newest.at - ARRIVE_MS) / (GLOW_MS - ARRIVE_MS));
    const room = Math.max(0, viewport.width - viewport.x(newest.from));
    return { from: newest.from, shift: room * (1 - part) ** 3, glow: part < 1 ? 1 : glow };
  }
}
