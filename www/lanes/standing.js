/**
 * @file How a record stands in its transaction, as a form: a marker, crossed out, an edge with gaps.
 * The colour of its key stays what it is.
 */

import { DIM } from "./raster.js";

/**
 * @import { Standing, TransactionSpan } from "../../src/wasm/types.d.ts"
 * @import { Inks } from "./scene.js"
 */

/** @typedef {{ x: number, y: number, width: number, height: number }} Box of a cell */

/**
 * The standing of each offset from `first` on; null if all of them are part of none.
 * @param {TransactionSpan[]} spans
 * @param {bigint} first
 * @param {number} length
 * @returns {(Standing | undefined)[] | null}
 */
export function spread(spans, first, length) {
  if (spans.length === 0) return null;
  const each = Array.from({ length }, () => /** @type {Standing | undefined} */ (undefined));
  for (const { from, to, standing } of spans) each.fill(standing, Number(from - first), Number(to - first));
  return each;
}

/** From this width on, in CSS pixels, a marker's cell has room for its name before the stop. */
const NAMED = 30;

/**
 * A control record: a stop across the lane; a full disc says commit, a cross abort.
 * @param {CanvasRenderingContext2D} context
 * @param {Inks} inks
 * @param {Standing | undefined} standing
 * @param {Box} box
 */
export function drawMarker(context, inks, standing, { x, y, width, height }) {
  const half = Math.min(5, width / 2 - 0.5, height / 2);
  const isNamed = width >= NAMED;
  const middle = isNamed ? x + width - half - 1 : x + width / 2;
  context.fillStyle = inks.ink2;
  context.fillRect(isNamed ? x + width - 0.5 : middle - 1, y, 2, height);
  if (half < 2.5 || standing === "control" || standing === undefined) return;
  const at = isNamed ? y + height * 0.75 : y + height / 2;
  if (standing === "commitMarker") {
    context.beginPath();
    context.arc(middle, at, half, 0, 2 * Math.PI);
    context.fill();
    return;
  }
  context.fillStyle = inks.paper2;
  context.fillRect(middle - half - 0.5, at - half - 0.5, 2 * half + 1, 2 * half + 1);
  context.strokeStyle = inks.ink2;
  context.lineWidth = 2;
  cross(context, middle - half + 0.5, at - half + 0.5, 2 * half - 1, 2 * half - 1);
}

/**
 * What lies over a record that was aborted.
 * @param {CanvasRenderingContext2D} context
 * @param {Inks} inks
 * @param {Box} box
 */
export function drawAborted(context, inks, { x, y, width, height }) {
  context.strokeStyle = inks.ink2;
  context.lineWidth = width < 14 ? 1.25 : 1.5;
  context.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
  cross(context, x + 1, y + 1, width - 2, height - 2);
}

/**
 * The edge of a record whose transaction is open: not closed.
 * @param {CanvasRenderingContext2D} context
 * @param {string} colour
 * @param {Box} box
 * @returns {Box} what is left for the record itself
 */
export function drawOpen(context, colour, { x, y, width, height }) {
  const isSmall = width < 14;
  const inset = isSmall ? 2 : 3;
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.setLineDash(isSmall ? [2, 2] : [4, 3]);
  context.strokeRect(x + 0.75, y + 0.75, width - 1.5, height - 1.5);
  context.setLineDash([]);
  return { x: x + inset, y: y + inset, width: width - 2 * inset, height: height - 2 * inset };
}

/**
 * Records of an aborted transaction where cells are too narrow for a cross: paler, and struck through.
 * @param {CanvasRenderingContext2D} context
 * @param {Inks} inks
 * @param {Box} box of all of them
 */
export function drawAbortedRun(context, inks, { x, y, width, height }) {
  context.globalAlpha = 1 - DIM;
  context.fillStyle = inks.paper;
  context.fillRect(x, y, width, height);
  context.globalAlpha = 1;
  context.fillStyle = inks.ink2;
  context.fillRect(x, Math.round(y + height / 2) - 1, width, 2);
}

/**
 * Records of an open transaction where cells are narrow: edges with gaps above and below them.
 * @param {CanvasRenderingContext2D} context
 * @param {Inks} inks
 * @param {Box} box of all of them
 */
export function drawOpenRun(context, inks, { x, y, width, height }) {
  const edge = height >= 14 ? 4 : 2;
  for (const [top, line] of /** @type {const} */ ([[y, y + 1], [y + height - edge, y + height - 1]])) {
    context.fillStyle = inks.paper;
    context.fillRect(x, top, width, edge);
    context.strokeStyle = inks.ink2;
    context.lineWidth = 2;
    context.setLineDash([3, 3]);
    context.beginPath();
    context.moveTo(x, line);
    context.lineTo(x + width, line);
    context.stroke();
  }
  context.setLineDash([]);
}

/** @param {CanvasRenderingContext2D} context @param {number} x @param {number} y @param {number} width @param {number} height */
function cross(context, x, y, width, height) {
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x + width, y + height);
  context.moveTo(x, y + height);
  context.lineTo(x + width, y);
  context.stroke();
}
