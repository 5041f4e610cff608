/**
 * @file The strip below the lanes: the whole topic, and a window over what is in sight that can be
 * dragged. Its image is made anew only when the records change.
 */

import { Raster } from "./raster.js";

/**
 * @import { PartitionView } from "../../src/wasm/types.d.ts"
 * @import { Inks } from "./scene.js"
 * @import { Theme } from "./palette.js"
 * @import { Viewport } from "./viewport.js"
 */

/** Emits `move` once the viewport was moved. */
export class Overview extends EventTarget {
  /** @type {Raster | null} */
  #raster = null;
  #key = "";
  #rows = 1;

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {Viewport} viewport
   */
  constructor(canvas, viewport) {
    super();
    this.canvas = canvas;
    this.viewport = viewport;
    this.gutter = 0;
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      canvas.setPointerCapture(event.pointerId);
      const at = this.#part(event);
      const { from, to } = viewport.window;
      // Grabbed inside its window, the window keeps its place under the pointer.
      const grip = at >= from && at <= to ? (from + to) / 2 - at : 0;
      const move = (/** @type {PointerEvent} */ e) => {
        viewport.center(this.#part(e) + grip);
        this.dispatchEvent(new Event("move"));
      };
      if (grip === 0) move(event);
      const end = () => {
        canvas.removeEventListener("pointermove", move);
        canvas.removeEventListener("pointerup", end);
        canvas.removeEventListener("pointercancel", end);
      };
      canvas.addEventListener("pointermove", move);
      canvas.addEventListener("pointerup", end);
      canvas.addEventListener("pointercancel", end);
    });
  }

  /** @param {PointerEvent} event */
  #part(event) {
    const box = this.canvas.getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - box.left - this.gutter) / Math.max(1, box.width - this.gutter)));
  }

  /**
   * @param {object} scene
   * @param {PartitionView[]} scene.partitions
   * @param {(partition: number, from: bigint, perPixel: number, width: number) => Uint32Array} scene.tags
   * @param {Theme} scene.theme
   * @param {Inks} scene.inks
   * @param {number | null} scene.match
   * @param {number} scene.version of the records
   * @param {number} scene.width in CSS pixels
   * @param {number} scene.height
   * @param {number} scene.gutter
   * @param {number} scene.ratio
   */
  draw(scene) {
    const { width, height, gutter, ratio, inks, partitions, theme } = scene;
    this.gutter = gutter;
    const context = this.canvas.getContext("2d");
    if (!context) return;
    fitCanvas(this.canvas, width, height, ratio);
    const columns = Math.max(1, Math.round((width - gutter) * ratio));
    const key = [columns, height, theme, scene.match, scene.version, ratio, this.viewport.extent].join();
    if (key !== this.#key) {
      this.#key = key;
      this.#paint(scene, columns);
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.imageSmoothingEnabled = false;
    const each = height / this.#rows;
    if (each < 4) this.#raster?.drawAll(context, gutter, columns / ratio, height);
    else for (let i = 0; i < this.#rows; i++) this.#raster?.draw(context, i, gutter, i * each, columns / ratio, each - 1, Math.min(1, each / 4));
    const { from, to } = this.viewport.window;
    const x0 = gutter + from * (width - gutter);
    const x1 = Math.max(x0 + 6, gutter + to * (width - gutter));
    context.fillStyle = inks.paper;
    context.globalAlpha = 0.55;
    context.fillRect(gutter, 0, x0 - gutter, height);
    context.fillRect(x1, 0, width - x1, height);
    context.globalAlpha = 1;
    context.strokeStyle = inks.ink2;
    context.lineWidth = 1.5;
    context.beginPath();
    context.roundRect(x0 + 0.75, 0.75, x1 - x0 - 1.5, height - 1.5, 3);
    context.stroke();
  }

  /** @param {Parameters<Overview["draw"]>[0]} scene @param {number} columns */
  #paint(scene, columns) {
    const { partitions, height, ratio } = scene;
    this.#raster ??= new Raster(scene.theme, scene.inks.edge, scene.inks.paper2);
    if (this.#raster.theme !== scene.theme) this.#raster = new Raster(scene.theme, scene.inks.edge, scene.inks.paper2);
    this.#rows = Math.max(1, Math.min(partitions.length, Math.floor(height * ratio)));
    const words = this.#raster.begin(columns, this.#rows);
    const per = this.viewport.extent / columns;
    for (let row = 0; row < this.#rows && partitions.length > 0; row++) {
      const partition = /** @type {PartitionView} */ (partitions[Math.floor((row * partitions.length) / this.#rows)]);
      if (per >= 1) {
        const tags = scene.tags(partition.partition, this.viewport.first, per, columns);
        for (let x = 0; x < columns; x++) this.#raster.column(words, row, x, tags[x] ?? 0, scene.match);
      } else {
        const tags = scene.tags(partition.partition, this.viewport.first, 1, Math.ceil(this.viewport.span));
        for (let x = 0; x < columns; x++) this.#raster.column(words, row, x, tags[Math.floor(x * per)] ?? 0, scene.match);
      }
    }
    this.#raster.end();
  }
}

/**
 * Gives a canvas the size it is shown at, in device pixels. Setting it clears it, so only if it changed.
 * @param {HTMLCanvasElement} canvas
 * @param {number} width in CSS pixels
 * @param {number} height
 * @param {number} ratio
 */
export function fitCanvas(canvas, width, height, ratio) {
  const w = Math.max(1, Math.round(width * ratio));
  const h = Math.max(1, Math.round(height * ratio));
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== h) canvas.height = h;
}
