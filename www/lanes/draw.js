/**
 * @file Draws the lanes that are in sight. A pure function of a scene: it asks for tags and labels
 * and keeps nothing but the raster's buffers.
 */

import { count } from "../dom.js";
import { drawCells, drawDense } from "./cells.js";
import { drawEnds, drawFlags, drawName, drawRing, drawTrack } from "./marks.js";
import { drawPath } from "./path.js";
import { CELL_BY_CELL, lanesInSight, RULER_ROOM } from "./scene.js";
import { axisStep } from "./viewport.js";

/**
 * @import { Scene } from "./scene.js"
 * @import { Viewport } from "./viewport.js"
 */

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
  drawPath(context, scene, scene.path);
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
  if (layout.gutter >= 7.5 * inks.size) {
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
