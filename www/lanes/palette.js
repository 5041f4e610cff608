/**
 * @file Colours for keys. A key's tag (see `laneTags` in src/wasm/types.d.ts) decides its colour, so
 * one key has one colour in every lane, chip and table. The colours are 18 hues in three steps of
 * lightness in OKLCH, which spaces hues as eyes do; every one keeps 3:1 against the page and 4.5:1
 * against the text that is written on it. What has no key has no colour: see `kindOf`.
 */

import { label } from "../bytes.js";

/** @typedef {"light" | "dark"} Theme */
/** @typedef {{ css: string, ink: string, rgb: [number, number, number] }} Colour */

/** The bits that name a key: its hash and its kind. Equal here means the same key. */
export const KEY_BITS = 0x03ff_ffff;
const HASH_BITS = 0x00ff_ffff;
export const TOMBSTONE = 1 << 26;
export const EMPTY_VALUE = 1 << 27;
export const HEADERS = 1 << 28;
export const CONTROL = 1 << 29;

const HUES = 18;
/** Lightness and chroma per step, darkest first, and the ink on top. */
const STEPS = {
  light: [[0.45, 0.105, "#fff"], [0.535, 0.125, "#fff"], [0.635, 0.13, "#000"]],
  dark: [[0.62, 0.125, "#000"], [0.72, 0.12, "#000"], [0.83, 0.095, "#000"]],
};

/**
 * OKLCH to sRGB, 0 to 255, clipped at the gamut's edge. Björn Ottosson's matrices.
 * @param {number} lightness
 * @param {number} chroma
 * @param {number} hue in degrees
 * @returns {[number, number, number]}
 */
export function oklch(lightness, chroma, hue) {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const channel = (/** @type {number} */ x) =>
    Math.round(255 * Math.min(1, Math.max(0, x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055)));
  return [
    channel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    channel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    channel(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

/** @param {Theme} theme @returns {Colour[]} */
function table(theme) {
  return STEPS[theme].flatMap(([lightness, chroma, ink], step) =>
    Array.from({ length: HUES }, (_, i) => {
      const rgb = oklch(Number(lightness), Number(chroma), ((i + step / 3) * 360) / HUES);
      return { rgb, css: `rgb(${rgb.join(" ")})`, ink: String(ink) };
    }),
  );
}

/** @type {Record<Theme, Colour[]>} */
const COLOURS = { light: table("light"), dark: table("dark") };
/** How many colours there are; `slot` is below it. */
export const SLOTS = COLOURS.light.length;

/** Which of the colours a tag has. @param {number} tag */
export function slot(tag) {
  return (tag & HASH_BITS) % SLOTS;
}

/**
 * A key's colour in a theme. Only for tags whose kind is `key`.
 * @param {number} tag
 * @param {Theme} theme
 * @returns {Colour}
 */
export function colour(tag, theme) {
  return /** @type {Colour} */ (COLOURS[theme][slot(tag)]);
}

/**
 * Whether a record has a key: none and the empty key are drawn as an outline and as hatching.
 * @param {number} tag
 * @returns {"none" | "empty" | "key"}
 */
export function kindOf(tag) {
  const kind = (tag >>> 24) & 3;
  return kind === 3 ? "key" : kind === 2 ? "empty" : "none";
}

/**
 * A small square in the key's colour, for chips and tables. It follows the theme by itself.
 * @param {number} tag
 * @returns {HTMLSpanElement}
 */
function swatch(tag) {
  const element = document.createElement("span");
  element.className = "swatch";
  element.setAttribute("aria-hidden", "true");
  paintSwatch(element, tag);
  return element;
}

/**
 * Gives an element made by `swatch` another tag.
 * @param {HTMLElement} element
 * @param {number} tag
 */
function paintSwatch(element, tag) {
  element.dataset.kind = kindOf(tag);
  element.style.setProperty("--key-light", colour(tag, "light").css);
  element.style.setProperty("--key-dark", colour(tag, "dark").css);
}

/**
 * A key's swatch and its name, for lists and tables.
 * @param {Uint8Array | null} key
 * @param {number} tag
 * @param {number} [most] the most characters of the name
 * @returns {HTMLSpanElement}
 */
export function chip(key, tag, most = 40) {
  const element = document.createElement("span");
  element.className = "chip";
  element.dataset.kind = kindOf(tag);
  const text = document.createElement("span");
  text.className = "chip-text";
  text.textContent = label(key, most);
  element.append(swatch(tag), text);
  return element;
}

/**
 * The theme in force: the page's own choice, else the system's.
 * @returns {Theme}
 */
export function currentTheme() {
  // Forced colours are the system's, and so is their lightness.
  const chosen = matchMedia("(forced-colors: active)").matches ? null : document.documentElement.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}
