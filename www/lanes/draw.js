/**
 * @file Draws the lanes that are in sight. A pure function of a scene: it asks for tags and labels
 * and keeps nothing but the raster's buffers.
 */

import { cutLabel, label } from "../bytes.js";
import { count } from "../dom.js";
import { colour, CONTROL, EMPTY_VALUE, HEADERS, KEY_BITS, kindOf, TOMBSTONE } from "./palette.js";
import { DIM } from "./raster.js";
import { axisStep } from "./viewport.js";

/**
 * @import { PartitionView, RecordSummary } from "../../src/wasm/types.d.ts"
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
/** @typedef {{ from: bigint, shift: number, glow: number }} Arrival records that are just coming in */

/**
 * @typedef {object} Inks resolved colours of the theme
 * @property {string} paper
 * @property {string} paper2
 * @property {string} paper3
 * @property {string} line
 * @property {string} edge
 * @property {string} ink
 * @property {string} ink2
 * @property {string} accent
 * @property {string} accentPaper
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
 * @property {(partition: number) => Arrival | null} arrival
 * @property {number | null} match the key whose path is looked at
 * @property {Place | null} selected
 * @property {Place | null} cursor where the keyboard is
 * @property {Place | null} hover
 */

/** From this width on, in CSS pixels, cells are drawn one by one. */
export const CELL_BY_CELL = 9;
const LABEL_CELL = 30;
/** Between the axis and the first lane. */
const RULER_ROOM = 6;

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

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Scene} scene
 */
export function drawLanes(context, scene) {
  const { layout, viewport, inks } = scene;
  const { ratio, gutter, width, height, ruler } = layout;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.imageSmoothingEnabled = false;
  context.clearRect(0, 0, width, height);
  const [from, to] = lanesInSight(layout, scene.partitions.length);
  const step = axisStep(viewport.perPixel, 76);

  drawAxisLines(context, scene, step);
  for (let i = from; i < to; i++) drawTrack(context, scene, i);
  context.save();
  context.beginPath();
  context.rect(gutter, ruler - RULER_ROOM, width - gutter, height);
  context.clip();
  if (viewport.cell < CELL_BY_CELL) drawDense(context, scene, from, to);
  else for (let i = from; i < to; i++) drawCells(context, scene, i);
  for (let i = from; i < to; i++) drawEnds(context, scene, i);
  for (let i = from; i < to; i++) drawFlags(context, scene, i);
  context.restore();
  for (let i = from; i < to; i++) drawName(context, scene, i);
  drawRuler(context, scene, step);
  if (scene.hover) drawRing(context, scene, scene.hover, inks.ink2, 1);
  if (scene.selected) drawRing(context, scene, scene.selected, inks.ink, 2);
  if (scene.cursor) drawRing(context, scene, scene.cursor, inks.focus, 2.5, 2);
}

/** @param {CanvasRenderingContext2D} context @param {Scene} scene @param {bigint} step */
function drawAxisLines(context, { layout, viewport, inks }, step) {
  context.fillStyle = inks.line;
  context.globalAlpha = 0.6;
  for (const offset of marks(viewport, step)) {
    context.fillRect(Math.round(layout.gutter + viewport.x(offset)), layout.ruler - RULER_ROOM, 1, layout.height);
  }
  context.globalAlpha = 1;
}

/** @param {Viewport} viewport @param {bigint} step */
function* marks(viewport, step) {
  const end = viewport.at(viewport.width);
  let offset = viewport.at(0);
  if (offset < viewport.first) offset = viewport.first;
  offset = ((offset + step - 1n) / step) * step;
  for (; offset <= end && offset <= viewport.last; offset += step) {
    if (viewport.x(offset) >= 0) yield offset;
  }
}

/**
 * The bed of a lane: from the log start to the log end, hatched where records were deleted.
 * @param {CanvasRenderingContext2D} context
 * @param {Scene} scene
 * @param {number} index
 */
function drawTrack(context, scene, index) {
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
 * Narrow cells, as an image.
 * @param {CanvasRenderingContext2D} context
 * @param {Scene} scene
 * @param {number} from
 * @param {number} to
 */
function drawDense(context, scene, from, to) {
  const { layout, viewport, raster, match } = scene;
  const columns = Math.max(1, Math.ceil((layout.width - layout.gutter) * layout.ratio));
  const per = viewport.perPixel / layout.ratio;
  const words = raster.begin(columns, to - from);
  const many = per >= 1;
  // Columns are counted from the axis' beginning, so that panning does not change which records they show.
  const left = Number(viewport.origin - viewport.first) + viewport.frac;
  const skip = many ? Math.max(0, Math.ceil(-left / per)) : 0;
  const start = many ? viewport.first + BigInt(Math.floor(Math.max(0, Math.round(left / per)) * per)) : null;
  for (let i = from; i < to; i++) {
    const partition = /** @type {PartitionView} */ (scene.partitions[i]);
    if (start !== null) {
      // A job may have gone on since the view was taken: what is beyond its end comes with the next.
      const room = Math.max(0, Math.ceil(Number(partition.logEndOffset - start) / per));
      const tags = scene.tags(partition.partition, start, per, Math.min(columns - skip, room));
      for (let x = 0; x < tags.length; x++) raster.column(words, i - from, x + skip, /** @type {number} */ (tags[x]), match);
      continue;
    }
    const first = later(viewport.origin, partition.logStartOffset);
    const end = sooner(viewport.at(viewport.width) + 1n, partition.logEndOffset);
    if (end <= first) continue;
    const tags = scene.tags(partition.partition, first, 1, Number(end - first));
    const x0 = viewport.x(first) * layout.ratio;
    const cell = viewport.cell * layout.ratio;
    const gap = cell >= 4 ? 1 : 0;
    for (let n = 0; n < tags.length; n++) {
      const until = Math.min(columns, Math.round(x0 + (n + 1) * cell) - gap);
      for (let x = Math.max(0, Math.round(x0 + n * cell)); x < until; x++) {
        raster.column(words, i - from, x, /** @type {number} */ (tags[n]), match);
      }
    }
  }
  raster.end();
  context.imageSmoothingEnabled = false;
  const edge = layout.band >= 14 ? 2 : 1;
  for (let i = from; i < to; i++) {
    raster.draw(context, i - from, layout.gutter, laneTop(layout, i) + layout.rail, columns / layout.ratio, layout.band, edge);
    drawArrivals(context, scene, i);
  }
}

/**
 * Where cells are too narrow to be seen coming, a bar comes in their place.
 * @param {CanvasRenderingContext2D} context
 * @param {Scene} scene
 * @param {number} index
 */
function drawArrivals(context, scene, index) {
  const { layout, viewport, inks } = scene;
  const partition = /** @type {PartitionView} */ (scene.partitions[index]);
  const arrival = scene.arrival(partition.partition);
  if (!arrival || arrival.glow <= 0) return;
  const width = Math.max(3, Number(partition.logEndOffset - arrival.from) * viewport.cell);
  context.globalAlpha = arrival.glow;
  context.fillStyle = inks.ink;
  context.fillRect(layout.gutter + viewport.x(arrival.from) + arrival.shift, laneTop(layout, index) + layout.rail - 3, width, layout.band + 6);
  context.globalAlpha = 1;
}

/** @param {bigint} a @param {bigint} b */
const later = (a, b) => (a > b ? a : b);
/** @param {bigint} a @param {bigint} b */
const sooner = (a, b) => (a < b ? a : b);

/**
 * Wide cells, one by one, with what they say.
 * @param {CanvasRenderingContext2D} context
 * @param {Scene} scene
 * @param {number} index
 */
function drawCells(context, scene, index) {
  const { layout, viewport, match } = scene;
  const partition = /** @type {PartitionView} */ (scene.partitions[index]);
  const first = later(viewport.origin, partition.logStartOffset);
  const end = sooner(viewport.at(viewport.width) + 1n, partition.logEndOffset);
  if (end <= first) return;
  const tags = scene.tags(partition.partition, first, 1, Number(end - first));
  const cell = viewport.cell;
  const y = laneTop(layout, index) + layout.rail;
  const x0 = layout.gutter + viewport.x(first);
  const gap = cell >= 14 ? 2 : 1;
  const arrival = scene.arrival(partition.partition);
  const fresh = arrival ? Number(arrival.from - first) : Infinity;
  for (let n = 0; n < tags.length; n++) {
    const tag = /** @type {number} */ (tags[n]);
    if (tag === 0) continue;
    const moving = n >= fresh && arrival;
    const x = x0 + n * cell + (moving ? arrival.shift : 0);
    if (match !== null && (tag & KEY_BITS) !== match) {
      context.fillStyle = scene.inks.paper2;
      context.fillRect(x, y, cell - gap, layout.band);
      context.globalAlpha = DIM;
    }
    drawCell(context, scene, tag, x, y, cell - gap, layout.band);
    context.globalAlpha = 1;
    if (moving && arrival.glow > 0) {
      context.globalAlpha = arrival.glow;
      context.strokeStyle = scene.inks.ink;
      context.lineWidth = 2;
      context.strokeRect(x - 2, y - 2, cell - gap + 4, layout.band + 4);
      context.globalAlpha = 1;
    }
  }
  if (cell >= LABEL_CELL) {
    const cells = [];
    for (const record of scene.records(partition.partition, first, end)) {
      if (record.tag & CONTROL) continue;
      const n = Number(record.offset - first);
      cells.push({ record, x: x0 + n * cell + (n >= fresh && arrival ? arrival.shift : 0) });
    }
    drawLabels(context, scene, cells, y, cell - gap, layout.band);
  }
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Scene} scene
 * @param {number} tag
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 */
function drawCell(context, { inks, theme }, tag, x, y, width, height) {
  const kind = kindOf(tag);
  const fill = kind === "key" ? colour(tag, theme).css : inks.edge;
  if (tag & CONTROL) {
    context.fillStyle = inks.ink2;
    context.fillRect(x + width / 2 - 1, y, 2, height);
    return;
  }
  const rounded = width >= 18 && height >= 24;
  const path = () => {
    context.beginPath();
    if (rounded) context.roundRect(x, y, width, height, 3);
    else context.rect(x, y, width, height);
  };
  const outline = (/** @type {string} */ style, /** @type {number} */ line) => {
    context.strokeStyle = style;
    context.lineWidth = line;
    context.strokeRect(x + line / 2, y + line / 2, width - line, height - line);
  };
  if (tag & TOMBSTONE) {
    // An outline, struck through: the key is still there, its value is gone.
    context.fillStyle = inks.paper;
    path();
    context.fill();
    outline(fill, 1.5);
    context.beginPath();
    context.moveTo(x + 1, y + height - 1);
    context.lineTo(x + width - 1, y + 1);
    context.stroke();
    if (kind === "key") {
      context.fillStyle = fill;
      context.fillRect(x, y + height - 4, width, 4);
    }
    return;
  }
  if (kind === "key") {
    context.fillStyle = fill;
    if (rounded) {
      path();
      context.fill();
    } else context.fillRect(x, y, width, height);
  } else {
    context.fillStyle = inks.paper;
    path();
    context.fill();
    if (kind === "empty") {
      context.save();
      path();
      context.clip();
      context.strokeStyle = inks.edge;
      context.lineWidth = 1;
      context.beginPath();
      for (let at = x - height; at < x + width; at += 4) {
        context.moveTo(at, y + height);
        context.lineTo(at + height, y);
      }
      context.stroke();
      context.restore();
    }
    outline(inks.edge, 1.5);
  }
  if (tag & EMPTY_VALUE) {
    // A corner cut off: there is a value, of no bytes.
    const notch = Math.min(8, width / 2, height / 2);
    context.fillStyle = inks.paper;
    context.beginPath();
    context.moveTo(x + width, y + height - notch);
    context.lineTo(x + width, y + height);
    context.lineTo(x + width - notch, y + height);
    context.fill();
  }
  if (tag & HEADERS && width >= 18) {
    context.fillStyle = kind === "key" ? colour(tag, theme).ink : inks.ink2;
    context.fillRect(x + width - 6, y + 3, 3, 3);
  }
}

/**
 * What is written in a lane's cells. One font is set for all, as setting it is dear.
 * @param {CanvasRenderingContext2D} context
 * @param {Scene} scene
 * @param {{ record: RecordSummary, x: number }[]} cells
 * @param {number} y
 * @param {number} width
 * @param {number} height
 */
function drawLabels(context, { inks, theme, match }, cells, y, width, height) {
  const size = Math.min(0.72 * inks.size, height * 0.62);
  const two = height >= 2.4 * size;
  const letter = size * 0.602;
  const fit = Math.floor((width - 6) / letter);
  context.textAlign = "left";
  context.textBaseline = "middle";
  /** @type {(text: string, at: number, line: number, x: number, record: RecordSummary) => void} */
  const write = (text, at, line, x, { tag }) => {
    const kind = kindOf(tag);
    const struck = (tag & TOMBSTONE) !== 0;
    if (kind === "empty" || struck) {
      context.fillStyle = inks.paper;
      context.fillRect(x + 2.5, at - line * 0.6, text.length * line * 0.602 + 2, line * 1.2);
    }
    const faded = match !== null && (tag & KEY_BITS) !== match;
    context.fillStyle = faded || kind !== "key" ? inks.ink2 : struck ? inks.ink : colour(tag, theme).ink;
    context.fillText(text, x + 4, at);
  };
  context.font = `600 ${size}px ${inks.mono}`;
  const upper = two ? y + height / 2 - size * 0.55 : y + height / 2;
  if (fit >= 2) for (const { record, x } of cells) write(nameIn(record, fit), upper, size, x, record);
  if (!two) return;
  const small = size * 0.92;
  const room = Math.floor((width - 6) / (small * 0.602));
  context.font = `400 ${small}px ${inks.mono}`;
  for (const { record, x } of cells) {
    const digits = String(record.offset);
    if (digits.length <= room) write(digits, y + height / 2 + size * 0.7, small, x, record);
  }
}

/** Names that were made for a width, so that panning does not make them again. @type {WeakMap<RecordSummary, { most: number, name: string }>} */
const names = new WeakMap();

/**
 * A key's name for a narrow cell. Keys often differ in their last characters, so the middle is left out.
 * @param {RecordSummary} record
 * @param {number} most
 */
function nameIn(record, most) {
  const kept = names.get(record);
  if (kept?.most === most) return kept.name;
  const kind = kindOf(record.tag);
  const name = kind === "key" ? shortened(record, most) : kind.slice(0, most);
  names.set(record, { most, name });
  return name;
}

/** @param {RecordSummary} record @param {number} most */
function shortened({ key, keyLength }, most) {
  // Only the key's beginning is known when it is very long.
  if (key === null || keyLength > key.length) return cutLabel(key, keyLength, most);
  const name = label(key);
  if (name.length <= most) return name;
  if (most < 4) return `${name.slice(0, most - 1)}…`;
  const head = Math.max(1, Math.floor((most - 1) / 3));
  return `${name.slice(0, head)}…${name.slice(name.length - (most - 1 - head))}`;
}

/**
 * The log's start, where records before it are gone, and its end.
 * @param {CanvasRenderingContext2D} context
 * @param {Scene} scene
 * @param {number} index
 */
function drawEnds(context, scene, index) {
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
function drawFlags(context, scene, index) {
  const { layout, viewport, inks } = scene;
  const partition = /** @type {PartitionView} */ (scene.partitions[index]);
  const flags = scene.flags(partition.partition);
  if (flags.length === 0) return;
  const top = laneTop(layout, index) + 1;
  const base = laneTop(layout, index) + layout.rail;
  const roomy = layout.rail >= 12;
  const size = 0.66 * inks.size;
  /** @type {[number, number][]} */
  const taken = [];
  const free = (/** @type {number} */ from, /** @type {number} */ to) => taken.every(([a, b]) => to <= a || from >= b);
  context.font = `500 ${size}px ${inks.text}`;
  context.textBaseline = "middle";
  context.textAlign = "left";
  const end = layout.gutter + viewport.x(partition.logEndOffset);
  for (const { group, committed, position, lag } of flags) {
    for (const [offset, full] of /** @type {[bigint | null, boolean][]} */ ([[committed, true], [position, false]])) {
      if (offset === null || (!full && offset === committed)) continue;
      const x = Math.round(layout.gutter + viewport.x(offset));
      if (x < layout.gutter - 8 || x > layout.width) continue;
      context.strokeStyle = context.fillStyle = inks.accent;
      context.lineWidth = 1.5;
      context.beginPath();
      context.moveTo(x, top);
      context.lineTo(x, base + layout.band + 2);
      context.stroke();
      const h = roomy ? 9 : 5;
      context.beginPath();
      context.moveTo(x, top);
      context.lineTo(x + h * 0.9, top + h / 2);
      context.lineTo(x, top + h);
      context.closePath();
      if (full) context.fill();
      else {
        context.fillStyle = inks.paper;
        context.fill();
        context.lineWidth = 1.2;
        context.stroke();
      }
      if (!roomy) continue;
      const text = full ? (lag !== null && lag !== 0n ? `${group}, lag ${count(lag)}` : group) : `${group} position`;
      const width = context.measureText(text).width;
      let at = x + h + 2;
      if (at + width > layout.width - 2) at = x - width - 4;
      if (at < layout.gutter || !free(at - 4, at + width + 4)) continue;
      taken.push([at, at + width]);
      context.fillStyle = inks.accent;
      context.fillText(text, at, top + h / 2 + 0.5);
    }
    // What is not read yet.
    if (committed !== null && roomy) {
      const x = Math.max(layout.gutter, layout.gutter + viewport.x(committed));
      if (end > x + 2) {
        context.fillStyle = inks.accent;
        context.fillRect(x, base - 3, Math.min(end, layout.width) - x, 1.5);
      }
    }
  }
}

/** @param {CanvasRenderingContext2D} context @param {Scene} scene @param {number} index */
function drawName(context, scene, index) {
  const { layout, inks } = scene;
  const partition = /** @type {PartitionView} */ (scene.partitions[index]);
  const middle = laneTop(layout, index) + layout.rail + layout.band / 2;
  const wide = layout.gutter >= 120;
  const left = wide ? layout.gutter - 118 : 8;
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
export function range(partition) {
  if (partition.logEndOffset === partition.logStartOffset) return `empty at ${count(partition.logEndOffset)}`;
  return `${count(partition.logStartOffset)} … ${count(partition.logEndOffset - 1n)}`;
}

/** @param {CanvasRenderingContext2D} context @param {Scene} scene @param {bigint} step */
function drawRuler(context, { layout, viewport, inks }, step) {
  const bottom = layout.ruler - RULER_ROOM;
  context.fillStyle = inks.paper;
  context.fillRect(0, 0, layout.width, bottom);
  context.fillStyle = inks.line;
  context.fillRect(0, bottom - 1, layout.width, 1);
  const size = 0.7 * inks.size;
  context.font = `400 ${size}px ${inks.text}`;
  context.textBaseline = "middle";
  context.fillStyle = inks.ink2;
  if (layout.gutter >= 120) {
    context.textAlign = "right";
    context.fillText("offset", layout.gutter - 12, bottom / 2);
  }
  context.textAlign = "left";
  for (const offset of marks(viewport, step)) {
    const x = Math.round(layout.gutter + viewport.x(offset));
    const text = count(offset);
    if (x + 4 + context.measureText(text).width > layout.width) continue;
    context.fillStyle = inks.edge;
    context.fillRect(x, bottom - 6, 1, 6);
    context.fillStyle = inks.ink2;
    context.fillText(text, x + 4, bottom / 2);
  }
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Scene} scene
 * @param {Place} place
 * @param {string} ink
 * @param {number} line
 * @param {number} [off] how far outside the cell
 */
function drawRing(context, scene, place, ink, line, off = 0) {
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
