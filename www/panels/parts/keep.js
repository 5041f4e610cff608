/** @file Changing only what changed, so that focus, caret and scroll stay where the reader left them. */

import { unlessGone } from "../../questions.js";

/**
 * @param {Node} node
 * @param {string} text
 */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/**
 * Makes a change that may take away what has the focus; then the focus goes to the first button of `near`
 * that is left, or to `root` itself, and not back to the beginning of the page.
 * @param {HTMLElement} root
 * @param {HTMLElement} near within `root`
 * @param {() => void} change
 */
export function keepFocus(root, near, change) {
  const inside = root.contains(document.activeElement);
  change();
  const focused = document.activeElement;
  if (!inside || (focused && root.contains(focused) && focused.checkVisibility())) return;
  const left = [...near.querySelectorAll("button")].find((one) => one.checkVisibility());
  if (!left) root.tabIndex = -1;
  (left ?? root).focus();
}

/**
 * A list of pieces, one per key. A piece stays as long as its key does.
 * @template T
 */
export class KeptList {
  /** @type {Map<string, import("../../types.d.ts").Piece<T>>} */
  #pieces = new Map();
  #parent;
  #keyOf;
  #make;

  /**
   * @param {Element} parent owns nothing but this list
   * @param {(item: T) => string} keyOf
   * @param {(item: T) => import("../../types.d.ts").Piece<T>} make
   */
  constructor(parent, keyOf, make) {
    this.#parent = parent;
    this.#keyOf = keyOf;
    this.#make = make;
  }

  /** @param {readonly T[]} items */
  update(items) {
    const keys = new Set(items.map(this.#keyOf));
    for (const [key, piece] of this.#pieces) {
      if (keys.has(key)) continue;
      piece.element.remove();
      this.#pieces.delete(key);
    }
    let next = this.#parent.firstElementChild;
    for (const item of items) {
      const key = this.#keyOf(item);
      let piece = this.#pieces.get(key);
      if (!piece) this.#pieces.set(key, (piece = this.#make(item)));
      piece.update(item);
      if (piece.element === next) next = next.nextElementSibling;
      else this.#parent.insertBefore(piece.element, next);
    }
  }
}

/**
 * Sets a select's options without losing what is chosen, nor the open list where nothing changed.
 * @param {HTMLSelectElement} select
 * @param {readonly { value: string, text: string }[]} options
 * @param {string} [chosen] the value to choose; the one chosen before where left out
 */
export function setOptions(select, options, chosen = select.value) {
  const same =
    select.options.length === options.length &&
    options.every(({ value, text }, i) => select.options[i]?.value === value && select.options[i]?.text === text);
  if (!same) select.replaceChildren(...options.map(({ value, text }) => new Option(text, value)));
  if (select.value !== chosen) select.value = chosen;
  if (select.selectedIndex < 0 && options.length > 0) select.selectedIndex = 0;
}

/**
 * Runs `work` after changes, but only while `root` can be seen; what was missed runs when it appears.
 * @param {Element} root
 * @param {() => void} work
 * @returns {(delay?: number) => void} asks for a run, at most once per frame or `delay` ms after the last call
 */
export function whileSeen(root, work) {
  let wanted = false;
  let timer = 0;
  const run = () => {
    timer = 0;
    if (!wanted || !root.checkVisibility()) return;
    wanted = false;
    unlessGone(work);
  };
  new IntersectionObserver(() => {
    if (!timer) run();
  }).observe(root);
  return (delay = 0) => {
    wanted = true;
    clearTimeout(timer);
    timer = setTimeout(run, delay);
  };
}
