/** @file What stands around the records of a lane: its bed, its ends, groups' flags, its name, rings. */

import { count } from "../dom.js";
import { CELL_BY_CELL, laneTop, RULER_ROOM } from "./scene.js";

/**
 * @import { PartitionView } from "../../src/wasm/types.d.ts"
 * @import { Layout, Place, Scene } from "./scene.js"
 */

/**
 * The bed of a lane: from the log start to the log end, hatched where records were deleted.
 * @param {CanvasRenderingContext2D} context
 * @param {Scene} scene
 * @param {number} index
 */
export function drawTrack(context, scene, index) {
  const { layout, viewport, inks } = scene;
  const partition = /** @type {PartitionView} */ (scene.partitions[index]);
  const y = laneTop(layout, index) + layout.rail;
  const x0 = clampX(layout, viewport.x(partition.logStartOffset));
  const x1 = clampX(layout, viewport.x(partition.logEndOffset));
  const left = clampX(layout, viewport.x(viewport.first < 0n ? viewport.first : 0n));
  if (x0 > left) {
    context.save();
    context.beginPath();
    context.rect(left, y, x0 - left, layout.band);
    context.clip();
    context.strokeStyle = inks.line;
    context.lineWidth = 1;
    context.beginPath();
    for (let x = left - layout.band - ((left + layout.scroll) % 6); x < x0; x += 6) {
      context.moveTo(x, y + layout.band);
      context.lineTo(x + layout.band, y);
    }
    context.stroke();
    context.restore();
  }
  context.fillStyle = inks.paper2;
  context.fillRect(x0, y, x1 - x0, layout.band);
  // The middle line shows through where compaction has left a gap.
  context.fillStyle = inks.edge;
  context.globalAlpha = 0.55;
  context.fillRect(x0, Math.round(y + layout.band / 2), x1 - x0, 1);
  context.globalAlpha = 1;
}

/** @param {Layout} layout @param {number} x from the lanes' left edge */
function clampX(layout, x) {
  return Math.round(layout.gutter + Math.min(Math.max(x, 0), layout.width - layout.gutter));
}

/**
 * The log's start, where records before it are gone, and its end.
 * @param {CanvasRenderingContext2D} context
 * @param {Scene} scene
 * @param {number} index
 */
export function drawEnds(context, scene, index) {
  const { layout, viewport, inks } = scene;
  const partition = /** @type {PartitionView} */ (scene.partitions[index]);
  const y = laneTop(layout, index) + layout.rail - 2;
  const height = layout.band + 4;
  context.fillStyle = inks.ink2;
  const start = layout.gutter + viewport.x(partition.logStartOffset);
  if (partition.logStartOffset > 0n && start >= layout.gutter - 1 && start <= layout.width) {
    const x = Math.round(start) - 3;
    context.fillRect(x, y, 2, height);
    context.fillRect(x, y, 5, 2);
    context.fillRect(x, y + height - 2, 5, 2);
  }
  const end = layout.gutter + viewport.x(partition.logEndOffset);
  if (end >= layout.gutter && end <= layout.width) {
    const x = Math.round(end) + 1;
    context.fillRect(x, y, 2, height);
    context.fillRect(x - 3, y, 4, 2);
    context.fillRect(x - 3, y + height - 2, 4, 2);
  }
}

/**
 * Committed offsets as full pennants, positions as hollow ones; both point at the next record to read.
 * @param {CanvasRenderingContext2D} context
 * @param {Scene} scene
 * @param {number} index
 */
export function drawFlags(context, scene, index) {
  const { layout, viewport, inks } = scene;
  const partition = /** @type {PartitionView} */ (scene.partitions[index]);
  const flags = scene.flags(partition.partition);
  if (flags.length === 0) return;
  const top = laneTop(layout, index) + 1;
  const base = laneTop(layout, index) + layout.rail;
  const roomy = layout.rail >= 12;
  const height = roomy ? 9 : 5;
  const end = layout.gutter + viewport.x(partition.logEndOffset);
  context.lineWidth = 1.5;
  context.strokeStyle = context.fillStyle = inks.accent;
  /** @type {[number, number][]} */
  const taken = [];
  /** @type {{ x: number, text: string }[]} */
  const labels = [];
  for (const { group, committed, position, lag } of flags) {
    // What is not read yet.
    if (committed !== null && roomy) {
      const x = Math.max(layout.gutter, layout.gutter + viewport.x(committed));
      if (end > x + 2) context.fillRect(x, base - 3, Math.min(end, layout.width) - x, 1.5);
    }
    for (const [offset, full] of /** @type {[bigint | null, boolean][]} */ ([[committed, true], [position, false]])) {
      if (offset === null || (!full && offset === committed)) continue;
      const x = Math.round(layout.gutter + viewport.x(offset));
      if (x < layout.gutter - 8 || x > layout.width) continue;
      drawPennant(context, inks, x, top, height, base + layout.band + 2, full);
      taken.push([x - 2, x + height]);
      labels.push({ x, text: full ? (lag !== null && lag !== 0n ? `${group}, lag ${count(lag)}` : group) : `${group} position` });
    }
  }
  if (!roomy) return;
  const size = 0.66 * inks.size;
  context.font = `500 ${size}px ${inks.text}`;
  context.textBaseline = "middle";
  context.textAlign = "left";
  context.fillStyle = inks.accent;
  for (const { x, text } of labels) {
    const width = context.measureText(text).width;
    // Right of its flag if there is room, else left of it, else not at all: the panel has it too.
    const at = [x + height + 2, x - width - 4].find(
      (left) => left >= layout.gutter && left + width <= layout.width - 2 && taken.every(([from, to]) => left + width + 2 <= from || left - 2 >= to),
    );
    if (at === undefined) continue;
    taken.push([at, at + width]);
    context.fillText(text, at, top + height / 2 + 0.5);
  }
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Scene["inks"]} inks
 * @param {number} x
 * @param {number} top
 * @param {number} height of the cloth
 * @param {number} bottom of the pole
 * @param {boolean} full
 */
function drawPennant(context, inks, x, top, height, bottom, full) {
  context.beginPath();
  context.moveTo(x, top);
  context.lineTo(x, bottom);
  context.stroke();
  context.beginPath();
  context.moveTo(x, top);
  context.lineTo(x + height * 0.9, top + height / 2);
  context.lineTo(x, top + height);
  context.closePath();
  context.fillStyle = full ? inks.accent : inks.paper;
  context.fill();
  context.stroke();
  context.fillStyle = inks.accent;
}

/** @param {CanvasRenderingContext2D} context @param {Scene} scene @param {number} index */
export function drawName(context, scene, index) {
  const { layout, inks } = scene;
  const partition = /** @type {PartitionView} */ (scene.partitions[index]);
  const middle = laneTop(layout, index) + layout.rail + layout.band / 2;
  const wide = layout.gutter >= 7.5 * inks.size;
  const left = wide ? layout.gutter - 7.4 * inks.size : 8;
  context.textBaseline = "middle";
  context.textAlign = "left";
  const size = Math.min(0.8125 * inks.size, layout.row * 0.6);
  const two = layout.band >= 2.2 * size;
  const first = two ? middle - size * 0.62 : middle;
  const second = middle + size * 0.72;
  context.fillStyle = inks.ink;
  context.font = `650 ${size}px ${inks.text}`;
  context.fillText(`P${partition.partition}`, left, first);
  context.font = `400 ${size * 0.88}px ${inks.text}`;
  context.fillStyle = inks.ink2;
  const records = count(partition.records);
  if (!wide) {
    if (two) context.fillText(short(partition.records), left, second);
    return;
  }
  const right = layout.gutter - 12;
  context.textAlign = "right";
  if (!two) {
    context.fillText(records, right, middle);
    return;
  }
  context.fillText(`leader ${partition.leader}`, right, first);
  context.fillText(range(partition), right, second);
  if (partition.logEndOffset - partition.logStartOffset !== BigInt(partition.records)) {
    context.textAlign = "left";
    context.fillText(short(partition.records), left, second);
  }
}

/** @param {number} value */
function short(value) {
  return value < 10_000 ? count(value) : value < 1e6 ? `${Math.round(value / 1e3)}k` : `${(value / 1e6).toFixed(1)}M`;
}

/**
 * The offsets a lane has, both inclusive, in words.
 * @param {PartitionView} partition
 */
function range(partition) {
  if (partition.logEndOffset === partition.logStartOffset) return `empty at ${count(partition.logEndOffset)}`;
  return `${count(partition.logStartOffset)} … ${count(partition.logEndOffset - 1n)}`;
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Scene} scene
 * @param {Place} place
 * @param {string} ink
 * @param {number} line
 * @param {number} [off] how far outside the cell
 */
export function drawRing(context, scene, place, ink, line, off = 0) {
  const { layout, viewport, inks } = scene;
  const index = scene.partitions.findIndex((p) => p.partition === place.partition);
  if (index < 0) return;
  const y = laneTop(layout, index) + layout.rail;
  const x = layout.gutter + viewport.x(place.offset);
  if (y + layout.band < layout.ruler || x + Math.max(viewport.cell, 6) < layout.gutter || x > layout.width) return;
  context.save();
  context.beginPath();
  context.rect(layout.gutter - 4, layout.ruler - RULER_ROOM, layout.width, layout.height);
  context.clip();
  const gap = viewport.cell >= 14 ? 2 : viewport.cell >= CELL_BY_CELL ? 1 : 0;
  const width = Math.max(viewport.cell - gap, 3);
  const left = x - Math.max(0, (3 - viewport.cell) / 2);
  const d = off + line / 2 + 0.5;
  context.lineWidth = line + 2;
  context.strokeStyle = inks.paper;
  context.strokeRect(left - d, y - d, width + 2 * d, layout.band + 2 * d);
  context.lineWidth = line;
  context.strokeStyle = ink;
  context.strokeRect(left - d, y - d, width + 2 * d, layout.band + 2 * d);
  context.restore();
}
