/** @file A text as a file of the visitor's. */
import { h } from "../dom.js";

/** Long enough for the browser to begin reading. */
const KEEP_MS = 60_000;

/** @param {string} text @param {string} name */
export function save(text, name) {
  const href = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
  h("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), KEEP_MS);
}
