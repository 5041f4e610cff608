/**
 * @file The path of a key that lies in several lanes: a line through its records in order of time.
 * Within a lane it only ever runs to the right. Where it changes lanes and runs back to the left, one
 * sees what a consumer of both lanes cannot know: which came first.
 */

import { KEY_BITS } from "./palette.js";
import { laneTop } from "./scene.js";

/** @import { Scene, Step } from "./scene.js" */

/** More records or changes of lane than this in sight, and the line would be a tangle. */
const MOST_STEPS = 60;
const MOST_CHANGES = 16;
/** From this width on, in CSS pixels, a cell is something that a line can lead to. */
const LEAST_CELL = 5;
const KEYLESS = 1;

/**
 * The key's records in sight, in order of time; of the same time, by lane. Empty if there is no order
 * to lose: records without a key, or all in one lane; or if a line could not be read.
 * @param {Pick<Scene, "viewport" | "partitions" | "match" | "tags">} scene
 * @param {(partition: number, offset: bigint) => number | null} timestamp of a record
 * @returns {Step[]}
 */
export function keyPath({ viewport, partitions, match, tags }, timestamp) {
  if (match === null || ((match >>> 24) & 3) === KEYLESS || viewport.cell < LEAST_CELL) return [];
  /** @type {Step[]} */
  const steps = [];
  const lanes = new Set();
  for (const [index, p] of partitions.entries()) {
    const first = viewport.origin > p.logStartOffset ? viewport.origin : p.logStartOffset;
    const beyond = viewport.at(viewport.width) + 1n;
    const end = beyond < p.logEndOffset ? beyond : p.logEndOffset;
    if (end <= first) continue;
    for (const [n, tag] of tags(p.partition, first, 1, Number(end - first)).entries()) {
      if ((tag & KEY_BITS) !== match) continue;
      const offset = first + BigInt(n);
      const time = timestamp(p.partition, offset);
      if (time === null) continue;
      lanes.add(index);
      steps.push({ index, offset, timestamp: time });
      if (steps.length > MOST_STEPS) return [];
    }
  }
  if (lanes.size < 2) return [];
  steps.sort((a, b) => a.timestamp - b.timestamp || a.index - b.index || (a.offset < b.offset ? -1 : 1));
  const changes = steps.filter((step, i) => i > 0 && step.index !== steps[i - 1]?.index).length;
  return changes > MOST_CHANGES ? [] : steps;
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Scene} scene
 * @param {Step[]} steps
 */
export function drawPath(context, scene, steps) {
  const { layout, viewport, inks } = scene;
  const half = Math.min(viewport.cell, layout.width) / 2;
  const at = (/** @type {Step} */ step) => ({
    x: layout.gutter + viewport.x(step.offset) + half - 1,
    top: laneTop(layout, step.index) + layout.rail,
    bottom: laneTop(layout, step.index) + layout.rail + layout.band,
  });
  context.save();
  for (const [i, step] of steps.entries()) {
    const next = steps[i + 1];
    if (!next || next.index === step.index) continue;
    const a = at(step);
    const b = at(next);
    const down = next.index > step.index;
    const y0 = down ? a.bottom : a.top;
    const y1 = down ? b.top - 1 : b.bottom + 1;
    const bend = (y1 - y0) / 2;
    const back = b.x <= a.x;
    // Below the line its own halo, so that it stays apart from the cells of the lanes it crosses.
    for (const [ink, width] of /** @type {[string, number][]} */ ([[inks.paper, 4.5], [inks.ink, 1.5]])) {
      context.strokeStyle = context.fillStyle = ink;
      context.lineWidth = width;
      context.setLineDash(back && ink === inks.ink ? [5, 4] : []);
      context.beginPath();
      context.moveTo(a.x, y0);
      context.bezierCurveTo(a.x, y0 + bend, b.x, y1 - bend, b.x, y1 - (down ? 4 : -4));
      context.stroke();
    }
    context.setLineDash([]);
    context.beginPath();
    context.moveTo(b.x, y1);
    context.lineTo(b.x - 4, y1 - (down ? 6 : -6));
    context.lineTo(b.x + 4, y1 - (down ? 6 : -6));
    context.fill();
  }
  context.restore();
}
