/** @file Bytes to a file on the user's side. */

import { h } from "./dom.js";

/** A download starts some time after the click; its address must live until then. */
const DOWNLOAD_MS = 60_000;

/** @param {Blob} blob @param {string} name */
export function download(blob, name) {
  const href = URL.createObjectURL(blob);
  h("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), DOWNLOAD_MS);
}
