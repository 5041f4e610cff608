/**
 * @file The controls of a history: back, play, forward, a slider over all of its steps. There may be
 * several on a page; they share one playback.
 */
import { count, h } from "../dom.js";
import { uniqueId } from "../panels/parts/field.js";
import { setText } from "../panels/parts/keep.js";
import { SPEEDS } from "./playback.js";

/** @import { HistoryView } from "../../src/wasm/types.d.ts" */
/** @import { Playback } from "./playback.js" */

/** Drawn in a square of 16. */
const ICONS = {
  first: "M3 3h2v10H3zM13 3v10L6 8z",
  back: "M11.5 3v10L4.5 8z",
  play: "M4.5 2.5v11L13 8z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  forward: "M4.5 3v10l7-5z",
  last: "M3 3v10l7-5zM11 3h2v10h-2z",
};

/** @param {keyof typeof ICONS} name */
function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

/** Emits `travel` (detail: the position to go to). */
export class Transport extends EventTarget {
  #playback;
  /** @type {HistoryView | null} */
  #history = null;
  #first = this.#button("first", "To the beginning", (history) => history.earliest);
  #back = this.#button("back", "Step back", (history) => history.position - 1);
  #play = h("button", { type: "button", class: "icon" });
  #forward = this.#button("forward", "Step forward", (history) => history.position + 1);
  #last = this.#button("last", "To the end", (history) => history.length);
  #range = h("input", { type: "range", min: 0, step: 1, "aria-label": "Step of the history" });
  #where = h("output", { class: "num transport-where" });
  #speed = h("select", { "aria-label": "Speed" }, ...SPEEDS.map((speed) => h("option", { value: speed }, `${speed}×`)));
  element;

  /** @param {Playback} playback */
  constructor(playback) {
    super();
    this.#playback = playback;
    this.#range.id = uniqueId("step");
    this.#where.htmlFor.add(this.#range.id);
    this.#range.addEventListener("input", () => {
      playback.pause();
      this.#go(this.#range.valueAsNumber);
    });
    this.#play.addEventListener("click", () => {
      if (playback.isPlaying) return playback.pause();
      const history = this.#history;
      // From the end there is only one way to play.
      if (history && history.position === history.length) this.#go(history.earliest);
      playback.play();
    });
    this.#speed.addEventListener("change", () => {
      playback.speed = Number(this.#speed.value);
    });
    playback.addEventListener("change", () => this.#tellPlaying());
    this.element = h("div", { class: "transport", role: "group", "aria-label": "Go through the history" },
      h("div", { class: "transport-keys" }, this.#first, this.#back, this.#play, this.#forward, this.#last),
      this.#range, this.#where, this.#speed);
    this.#tellPlaying();
  }

  /** @param {HistoryView} history */
  update(history) {
    this.#history = history;
    const { earliest, position, length } = history;
    const range = this.#range;
    if (range.min !== String(earliest)) range.min = String(earliest);
    if (range.max !== String(length)) range.max = String(length);
    if (range.valueAsNumber !== position) range.value = String(position);
    range.setAttribute("aria-valuetext", `step ${position} of ${length}`);
    range.disabled = this.#play.disabled = length === earliest;
    this.#first.disabled = this.#back.disabled = position <= earliest;
    this.#forward.disabled = this.#last.disabled = position >= length;
    setText(this.#where, `${count(position)} / ${count(length)}`);
  }

  /**
   * @param {keyof typeof ICONS} name
   * @param {string} label
   * @param {(history: HistoryView) => number} target
   */
  #button(name, label, target) {
    return h("button", {
      type: "button", class: "icon", "aria-label": label, title: label,
      onclick: () => {
        this.#playback.pause();
        if (this.#history) this.#go(target(this.#history));
      },
    }, icon(name));
  }

  /** @param {number} position */
  #go(position) {
    this.dispatchEvent(new CustomEvent("travel", { detail: position }));
  }

  #tellPlaying() {
    const { isPlaying, speed } = this.#playback;
    const label = isPlaying ? "Pause" : "Play";
    if (this.#play.title !== label) {
      this.#play.title = label;
      this.#play.setAttribute("aria-label", label);
      this.#play.replaceChildren(icon(isPlaying ? "pause" : "play"));
    }
    this.#speed.value = String(speed);
  }
}
