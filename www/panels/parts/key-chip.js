/** @file A key as a chip that spells out its bytes, and that can be pressed. */
import { toHex } from "../../bytes.js";
import { h } from "../../dom.js";
import { chip } from "../../lanes/palette.js";

/** The most characters of a key that a chip shows. */
const MOST = 32;
/** The most bytes of it that its tooltip spells out. */
const SPELLED = 64;

/**
 * @param {Uint8Array | null} key
 * @param {number} tag as `keyTag` gives it
 * @param {() => void} [act] makes it a button
 * @returns {HTMLElement}
 */
export function keyChip(key, tag, act) {
  const element = chip(key, tag, MOST);
  element.title = tooltip(key);
  return act ? h("button", { type: "button", class: "chip-act", onclick: act }, element) : element;
}

/** @param {Uint8Array | null} key */
function tooltip(key) {
  if (key === null) return "no key";
  if (key.length === 0) return "an empty key: 0 bytes";
  return `${key.length} bytes: ${toHex(key.subarray(0, SPELLED))}${key.length > SPELLED ? " …" : ""}`;
}
