/**
 * @file Tags to pixels, for lanes whose cells are too narrow to be drawn one by one. Each lane is
 * three rows of an image, scaled to its height: top edge, body, bottom edge. That is enough to tell
 * a keyless record (edges only), an empty key (every other column) and a tombstone (a thin line)
 * without colour.
 */

import { colour, KEY_BITS, slot, SLOTS, TOMBSTONE, CONTROL } from "./palette.js";

/** @import { Theme } from "./palette.js" */

/** Image rows per lane. */
const BANDS = 3;
/** How much of a colour is left when another key is looked at. */
export const DIM = 0.32;

/**
 * A word of an image: so much of a colour, the rest of what is below it.
 * @param {[number, number, number]} rgb
 * @param {number} part 0 to 1
 * @param {[number, number, number]} below
 */
function pack(rgb, part, below) {
  const [r, g, b] = rgb.map((channel, i) => Math.round(channel * part + /** @type {number} */ (below[i]) * (1 - part)));
  return ((255 << 24) | (Number(b) << 16) | (Number(g) << 8) | Number(r)) >>> 0;
}

/** @param {string} css `rgb(…)` as a computed style gives it @returns {[number, number, number]} */
function parseRgb(css) {
  const [r = 0, g = 0, b = 0] = (css.match(/[\d.]+/g) ?? []).map(Number);
  return [r, g, b];
}

/** A theme's colours as the words of an image. */
export class Raster {
  /**
   * @param {Theme} theme
   * @param {string} edge the colour of what has no key
   * @param {string} bed the colour below records
   */
  constructor(theme, edge, bed) {
    this.theme = theme;
    const below = parseRgb(bed);
    this.full = new Uint32Array(SLOTS);
    this.dim = new Uint32Array(SLOTS);
    for (let i = 0; i < SLOTS; i++) {
      this.full[i] = pack(colour(i, theme).rgb, 1, below);
      this.dim[i] = pack(colour(i, theme).rgb, DIM, below);
    }
    const rgb = parseRgb(edge);
    this.edge = pack(rgb, 1, below);
    this.edgeDim = pack(rgb, DIM, below);
    this.body = pack(rgb, 0.22, below);
    this.bodyDim = pack(rgb, 0.07, below);
    /** @type {OffscreenCanvas | HTMLCanvasElement | null} */
    this.canvas = null;
    /** @type {ImageData | null} */
    this.image = null;
  }

  /**
   * An image for so many lanes, cleared.
   * @param {number} width in device pixels
   * @param {number} lanes
   * @returns {Uint32Array} its words
   */
  begin(width, lanes) {
    if (!this.image || this.image.width !== width || this.image.height !== lanes * BANDS) {
      this.image = new ImageData(Math.max(1, width), Math.max(1, lanes) * BANDS);
      this.canvas = document.createElement("canvas");
      this.canvas.width = this.image.width;
      this.canvas.height = this.image.height;
      this.words = new Uint32Array(this.image.data.buffer);
    } else this.words?.fill(0);
    return /** @type {Uint32Array} */ (this.words);
  }

  /**
   * One column of one lane.
   * @param {Uint32Array} words
   * @param {number} lane
   * @param {number} x
   * @param {number} tag
   * @param {number | null} match the key that is looked at
   */
  column(words, lane, x, tag, match) {
    if (tag === 0) return;
    const width = /** @type {ImageData} */ (this.image).width;
    const at = lane * BANDS * width + x;
    const faded = match !== null && (tag & KEY_BITS) !== match;
    const kind = (tag >>> 24) & 3;
    let top, middle;
    if (kind === 3) {
      top = middle = /** @type {number} */ ((faded ? this.dim : this.full)[slot(tag)]);
    } else {
      top = faded ? this.edgeDim : this.edge;
      middle = faded ? this.bodyDim : this.body;
      if (kind === 2 && x & 1) middle = top;
    }
    if (tag & CONTROL) {
      words[at + width] = top;
      return;
    }
    if (tag & TOMBSTONE) {
      words[at + width * 2] = top;
      return;
    }
    words[at] = top;
    words[at + width] = middle;
    words[at + width * 2] = top;
  }

  /** Puts the words on the canvas that `draw` copies from. */
  end() {
    const context = /** @type {CanvasRenderingContext2D | null} */ (this.canvas?.getContext("2d") ?? null);
    if (context && this.image) context.putImageData(this.image, 0, 0);
  }

  /**
   * Copies one lane onto another canvas, edges `edge` high.
   * @param {CanvasRenderingContext2D} to
   * @param {number} lane
   * @param {number} x
   * @param {number} y
   * @param {number} width
   * @param {number} height
   * @param {number} edge
   */
  draw(to, lane, x, y, width, height, edge) {
    if (!this.canvas || !this.image) return;
    const source = this.image.width;
    const row = lane * BANDS;
    to.drawImage(this.canvas, 0, row, source, 1, x, y, width, edge);
    to.drawImage(this.canvas, 0, row + 1, source, 1, x, y + edge, width, height - 2 * edge);
    to.drawImage(this.canvas, 0, row + 2, source, 1, x, y + height - edge, width, edge);
  }

  /**
   * Copies all lanes at once, without gaps: where they are too low for edges.
   * @param {CanvasRenderingContext2D} to
   * @param {number} x
   * @param {number} width
   * @param {number} height of all
   */
  drawAll(to, x, width, height) {
    if (this.canvas && this.image) to.drawImage(this.canvas, 0, 0, this.image.width, this.image.height, x, 0, width, height);
  }
}
