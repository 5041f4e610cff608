/**
 * @file Which offsets are in sight. All lanes share one axis of offsets. Its left edge is a bigint
 * and a fraction, so that a cell stands where it must even where doubles cannot count any more.
 */

/** The widest a cell may become, in CSS pixels: room for a key and an offset. */
export const WIDEST_CELL = 168;
/** The widest a cell is when the whole topic is shown. */
const FIT_CELL = 52;
/** Free room right of the last record, in CSS pixels, for the mark of the log end. */
const END_ROOM = 36;
/** Free room left of the first record. */
const START_ROOM = 6;

export class Viewport {
  /** The first offset any lane has. */
  first = 0n;
  /** The offset after the last of any lane. */
  last = 0n;
  /** The left edge: `origin + frac`, frac in [0, 1). */
  origin = 0n;
  frac = 0;
  /** Offsets per CSS pixel. */
  perPixel = 1 / FIT_CELL;
  /** In CSS pixels. */
  width = 1;
  /** Whether the whole topic is kept in sight as it grows. */
  whole = true;

  /** The width of one offset's cell in CSS pixels. */
  get cell() {
    return 1 / this.perPixel;
  }

  /** How many offsets the axis has, at least one. */
  get span() {
    return Math.max(1, Number(this.last - this.first));
  }

  /** The offsets per pixel at which the whole topic is in sight. */
  get widest() {
    return Math.max(this.span / Math.max(1, this.width - END_ROOM - START_ROOM), 1 / FIT_CELL);
  }

  /** How many offsets fit in sight at most: what the strip below the lanes is wide. */
  get extent() {
    return Math.max(this.span, this.width * this.widest);
  }

  /** Whether the end of the longest lane is in sight. */
  get atEnd() {
    return this.x(this.last) <= this.width;
  }

  /**
   * Where an offset's cell begins, in CSS pixels from the left edge.
   * @param {bigint} offset
   */
  x(offset) {
    return (Number(offset - this.origin) - this.frac) / this.perPixel;
  }

  /**
   * The offset whose cell is there.
   * @param {number} x
   * @returns {bigint}
   */
  at(x) {
    return this.origin + BigInt(Math.floor(this.frac + x * this.perPixel));
  }

  /**
   * New ends and a new width; what is in sight stays, or the whole, or the end if it was in sight.
   * @param {bigint} first
   * @param {bigint} last
   * @param {number} width
   */
  resize(first, last, width) {
    const follow = this.atEnd && last > this.last;
    this.first = first;
    this.last = last;
    this.width = Math.max(1, width);
    if (this.whole) this.fit();
    else if (follow) this.toEnd();
    else this.#clamp();
  }

  /** The whole topic. */
  fit() {
    this.whole = true;
    this.perPixel = this.widest;
    this.#left(this.first, -START_ROOM * this.perPixel);
  }

  /** @param {number} pixels to the right */
  pan(pixels) {
    this.whole = false;
    this.#left(this.origin, this.frac + pixels * this.perPixel);
    this.#clamp();
  }

  /**
   * @param {number} factor above 1 shows more detail
   * @param {number} [about] the place that stays where it is, in CSS pixels
   */
  zoom(factor, about = this.width / 2) {
    const next = Math.min(this.widest, Math.max(1 / WIDEST_CELL, this.perPixel / factor));
    if (next === this.perPixel) return;
    this.whole = next === this.widest;
    const shift = about * (this.perPixel - next);
    this.perPixel = next;
    this.#left(this.origin, this.frac + shift);
    this.#clamp();
  }

  toStart() {
    this.whole &&= this.perPixel === this.widest;
    this.#left(this.first, -START_ROOM * this.perPixel);
    this.#clamp();
  }

  toEnd() {
    this.whole &&= this.perPixel === this.widest;
    this.#left(this.last, (END_ROOM - this.width) * this.perPixel);
    this.#clamp();
  }

  /**
   * Brings an offset into sight, moving no more than needed; far away, to the middle.
   * @param {bigint} offset
   */
  show(offset) {
    const x = this.x(offset);
    const cell = Math.min(this.cell, this.width / 2);
    if (x >= 0 && x + cell <= this.width) return;
    this.whole = false;
    const far = x < -this.width || x > 2 * this.width;
    const target = far ? this.width / 2 : x < 0 ? Math.min(cell, 40) : this.width - cell - Math.min(cell, 40);
    this.#left(offset, -target * this.perPixel);
    this.#clamp();
  }

  /**
   * Puts the middle of what is in sight there.
   * @param {number} part of the extent, 0 to 1
   */
  center(part) {
    this.whole = false;
    const offset = part * this.extent;
    this.#left(this.first, offset - (this.width / 2) * this.perPixel);
    this.#clamp();
  }

  /** What is in sight as parts of the extent, 0 to 1. */
  get window() {
    const left = (Number(this.origin - this.first) + this.frac) / this.extent;
    return { from: Math.max(0, left), to: Math.min(1, left + (this.width * this.perPixel) / this.extent) };
  }

  /** @param {bigint} origin @param {number} frac any number of offsets from it */
  #left(origin, frac) {
    const whole = Math.floor(frac);
    this.origin = origin + BigInt(whole);
    this.frac = frac - whole;
  }

  #clamp() {
    this.perPixel = Math.min(this.widest, Math.max(1 / WIDEST_CELL, this.perPixel));
    if (this.x(this.last) < this.width - END_ROOM) this.#left(this.last, (END_ROOM - this.width) * this.perPixel);
    if (this.x(this.first) > START_ROOM) this.#left(this.first, -START_ROOM * this.perPixel);
  }
}

/**
 * The step of the axis' marks: 1, 2 or 5 times a power of ten, no narrower than asked.
 * @param {number} perPixel
 * @param {number} least in pixels
 * @returns {bigint}
 */
export function axisStep(perPixel, least) {
  const wanted = BigInt(Math.max(1, Math.ceil(perPixel * least)));
  let power = 1n;
  while (power * 10n <= wanted) power *= 10n;
  for (const times of [1n, 2n, 5n]) if (power * times >= wanted) return power * times;
  return power * 10n;
}
