/**
 * @file What the lanes' drawing is told, and where things are on the canvas.
 */

/**
 * @import { PartitionView, RecordSummary, Standing, TransactionSpan } from "../../src/wasm/types.d.ts"
 * @import { Theme } from "./palette.js"
 * @import { Raster } from "./raster.js"
 * @import { Viewport } from "./viewport.js"
 */

/**
 * @typedef {object} Layout in CSS pixels
 * @property {number} width of the whole canvas
 * @property {number} height
 * @property {number} gutter where the offsets begin
 * @property {number} ruler height of the axis
 * @property {number} row height of a lane
 * @property {number} rail room for flags above the cells
 * @property {number} band height of the cells
 * @property {number} scroll how far the lanes are scrolled
 * @property {number} ratio device pixels per CSS pixel
 */

/** @typedef {{ group: string, committed: bigint | null, position: bigint | null, lag: bigint | null }} Flag */
/** @typedef {{ partition: number, offset: bigint }} Place */
/** @typedef {{ index: number, offset: bigint, timestamp: number }} Step a record on a key's path, and its lane's row */
/** @typedef {{ from: bigint, shift: number, glow: number }} Arrival records that are just coming in */

/**
 * @typedef {object} Inks resolved colours of the theme
 * @property {string} paper
 * @property {string} paper2
 * @property {string} line
 * @property {string} edge
 * @property {string} ink
 * @property {string} ink2
 * @property {string} accent
 * @property {string} focus
 * @property {string} text the text font's families
 * @property {string} mono
 * @property {number} size the root's font size in CSS pixels
 */

/**
 * @typedef {object} Scene
 * @property {Layout} layout
 * @property {Viewport} viewport
 * @property {Inks} inks
 * @property {Theme} theme
 * @property {Raster} raster
 * @property {PartitionView[]} partitions
 * @property {(partition: number) => Flag[]} flags
 * @property {(partition: number, from: bigint, perPixel: number, width: number) => Uint32Array} tags
 * @property {(partition: number, from: bigint, to: bigint) => RecordSummary[]} records
 * @property {(partition: number, from: bigint, to: bigint) => TransactionSpan[]} transactions
 * @property {(partition: number, from: bigint, to: bigint, apart: bigint) => TransactionSpan[]} fates
 * @property {(partition: number) => Arrival | null} arrival
 * @property {number | null} match the key whose path is looked at
 * @property {Step[]} path of that key through the lanes, in order of time; empty where none is drawn
 * @property {Set<Standing>} standings what drawing adds to: those in sight, for the legend
 * @property {Place | null} selected
 * @property {Place | null} cursor where the keyboard is
 * @property {Place | null} hover
 */

/** From this width on, in CSS pixels, cells are drawn one by one. */
export const CELL_BY_CELL = 9;
/** Between the axis and the first lane. */
export const RULER_ROOM = 6;

/** @param {Layout} layout @param {number} lanes @returns {[number, number]} the lanes in sight, half open */
export function lanesInSight(layout, lanes) {
  const first = Math.max(0, Math.floor(layout.scroll / layout.row));
  const last = Math.ceil((layout.scroll + layout.height - layout.ruler) / layout.row);
  return [Math.min(first, lanes), Math.min(Math.max(first, last), lanes)];
}

/** @param {Layout} layout @param {number} index @returns {number} the top of a lane on the canvas */
export function laneTop(layout, index) {
  return layout.ruler + index * layout.row - layout.scroll;
}
