/** @file The records of a lane: as an image while cells are narrow, else one by one with what they say. */

import { cutLabel, label } from "../bytes.js";
import { colour, CONTROL, EMPTY_VALUE, HEADERS, KEY_BITS, kindOf, TOMBSTONE } from "./palette.js";
import { DIM } from "./raster.js";
import { laneTop } from "./scene.js";
import { drawAborted, drawAbortedRun, drawMarker, drawOpen, drawOpenRun, spread } from "./standing.js";
import { markerName } from "./transaction.js";

/**
 * @import { PartitionView, RecordSummary, Standing } from "../../src/wasm/types.d.ts"
 * @import { Scene } from "./scene.js"
 * @import { Box } from "./standing.js"
 */

/** From this width on, in CSS pixels, a cell says its key. */
const LABEL_CELL = 30;

/** @param {bigint} a @param {bigint} b */
const later = (a, b) => (a > b ? a : b);
/** @param {bigint} a @param {bigint} b */
const sooner = (a, b) => (a < b ? a : b);

/**
 * Narrow cells, as an image.
 * @param {CanvasRenderingContext2D} context
 * @param {Scene} scene
 * @param {number} from
 * @param {number} to
 */
export function drawDense(context, scene, from, to) {
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
    drawFates(context, scene, i);
    drawArrivals(context, scene, i);
  }
}

/**
 * What is aborted or open, over an image of narrow cells.
 * @param {CanvasRenderingContext2D} context
 * @param {Scene} scene
 * @param {number} index
 */
function drawFates(context, scene, index) {
  const { layout, viewport, inks } = scene;
  const partition = /** @type {PartitionView} */ (scene.partitions[index]);
  const first = later(viewport.origin, partition.logStartOffset);
  const end = sooner(viewport.at(viewport.width) + 1n, partition.logEndOffset);
  if (end <= first) return;
  const y = laneTop(layout, index) + layout.rail;
  for (const { from, to, standing } of scene.fates(partition.partition, first, end, BigInt(Math.floor(viewport.perPixel)))) {
    const x = viewport.x(from);
    const box = { x: layout.gutter + x, y, width: Math.max(1, viewport.x(to) - x), height: layout.band };
    scene.standings.add(standing);
    if (standing === "aborted") drawAbortedRun(context, inks, box);
    else drawOpenRun(context, inks, box);
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

/**
 * Wide cells, one by one, with what they say.
 * @param {CanvasRenderingContext2D} context
 * @param {Scene} scene
 * @param {number} index
 */
export function drawCells(context, scene, index) {
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
  const standings = spread(scene.transactions(partition.partition, first, end), first, tags.length);
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
    drawStanding(context, scene, tag, standings?.[n], { x, y, width: cell - gap, height: layout.band });
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
      const n = Number(record.offset - first);
      cells.push({ record, x: x0 + n * cell + (n >= fresh && arrival ? arrival.shift : 0) });
    }
    drawLabels(context, scene, cells, y, cell - gap, layout.band);
  }
}

/** A key's colour, or that of what has none. @param {Scene} scene @param {number} tag */
const inkOf = ({ inks, theme }, tag) => (kindOf(tag) === "key" ? colour(tag, theme).css : inks.edge);

/**
 * A cell, as its record stands in its transaction.
 * @param {CanvasRenderingContext2D} context
 * @param {Scene} scene
 * @param {number} tag
 * @param {Standing | undefined} standing
 * @param {Box} box
 */
function drawStanding(context, scene, tag, standing, box) {
  if (standing) scene.standings.add(standing);
  if (tag & CONTROL) {
    drawMarker(context, scene.inks, standing, box);
    return;
  }
  if (standing === "aborted") {
    const alpha = context.globalAlpha;
    context.globalAlpha = alpha * DIM;
    drawCell(context, scene, tag, box);
    context.globalAlpha = alpha;
    drawAborted(context, scene.inks, box);
  } else if (standing === "open") {
    drawCell(context, scene, tag, drawOpen(context, inkOf(scene, tag), box));
  } else drawCell(context, scene, tag, box);
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Scene} scene
 * @param {number} tag
 * @param {Box} box
 */
function drawCell(context, scene, tag, { x, y, width, height }) {
  const { inks, theme } = scene;
  const kind = kindOf(tag);
  const fill = inkOf(scene, tag);
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
  const write = (text, at, line, x, { tag, transaction }) => {
    const kind = kindOf(tag);
    const struck = (tag & TOMBSTONE) !== 0 || transaction?.standing === "aborted";
    if (text !== "" && (kind === "empty" || struck)) {
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
  const marker = markerName(record);
  const name = marker !== null ? (marker.length <= most ? marker : "") : kind === "key" ? shortened(record, most) : kind.slice(0, most);
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
