/** @file Playing a history: one step after the other, at the speed that is chosen. */

/** Steps per second at speed 1. */
const STEPS_PER_SECOND = 1;
export const SPEEDS = [0.5, 1, 2, 4, 8];

/** Emits `change` when it starts, stops or has another speed. */
export class Playback extends EventTarget {
  #timer = 0;
  #speed = 1;
  #step;

  /** @param {() => boolean} step goes one step forward; false: there was none */
  constructor(step) {
    super();
    this.#step = step;
  }

  get isPlaying() {
    return this.#timer !== 0;
  }

  get speed() {
    return this.#speed;
  }

  set speed(speed) {
    this.#speed = speed;
    if (this.isPlaying) this.#begin();
    this.#tell();
  }

  play() {
    if (this.isPlaying || !this.#step()) return;
    this.#begin();
    this.#tell();
  }

  pause() {
    if (!this.isPlaying) return;
    clearInterval(this.#timer);
    this.#timer = 0;
    this.#tell();
  }

  #begin() {
    clearInterval(this.#timer);
    this.#timer = setInterval(() => {
      if (!this.#step()) this.pause();
    }, 1000 / (STEPS_PER_SECOND * this.#speed));
  }

  #tell() {
    this.dispatchEvent(new Event("change"));
  }
}
