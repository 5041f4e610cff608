/** @file Bytes to a file on the user's side. */

/** @import { Bytes } from "../src/wasm/types.d.ts" */

import { h } from "./dom.js";

/** A download starts some time after the click; its address must live until then. */
const DOWNLOAD_MS = 60_000;
/** From this size on the user is asked where the file goes, and it is written there as it comes. */
export const STREAMED_BYTES = 64 << 20;
/** So many bytes become one part of a download, which the browser may keep on disk. */
const PART_BYTES = 16 << 20;

/**
 * Where a file's bytes go.
 * @typedef {object} Sink
 * @property {(parts: Bytes[]) => Promise<void>} write
 * @property {() => Promise<void>} close the file is whole
 * @property {() => Promise<void>} abort there will be no file
 */

/** @param {Blob} blob @param {string} name */
export function download(blob, name) {
  const href = URL.createObjectURL(blob);
  h("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), DOWNLOAD_MS);
}

/**
 * A place for a file of about so many bytes. To be called from a click: only then may it ask.
 * @param {string} name
 * @param {number} bytes
 * @returns {Promise<Sink | null>} null: the user was asked for a place, and gave none
 */
export async function openSink(name, bytes) {
  const ask = /** @type {{ showSaveFilePicker?: (options: { suggestedName: string }) => Promise<FileSystemFileHandle> }} */ (/** @type {unknown} */ (window)).showSaveFilePicker;
  if (bytes < STREAMED_BYTES || !ask) return downloadSink(name);
  try {
    const handle = await ask.call(window, { suggestedName: name });
    return fileSink(await handle.createWritable());
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return null;
    // Not allowed in a frame, or by the browser's settings: then as a download.
    return downloadSink(name);
  }
}

/** @param {FileSystemWritableFileStream} file @returns {Sink} */
function fileSink(file) {
  return {
    write: (parts) => file.write(new Blob(/** @type {BlobPart[]} */ (parts))),
    close: () => file.close(),
    // What was in the file before is still in it: changes count when it is closed.
    abort: () => file.abort().catch(() => {}),
  };
}

/** @param {string} name @returns {Sink} */
function downloadSink(name) {
  /** @type {Blob[]} */
  let parts = [];
  /** @type {BlobPart[]} */
  let open = [];
  let bytes = 0;
  const pack = () => {
    if (open.length > 0) parts.push(new Blob(open));
    [open, bytes] = [[], 0];
  };
  return {
    write: async (more) => {
      for (const part of more) {
        open.push(/** @type {Uint8Array<ArrayBuffer>} */ (part));
        bytes += part.length;
      }
      if (bytes >= PART_BYTES) pack();
    },
    close: async () => {
      pack();
      download(new Blob(parts, { type: "application/octet-stream" }), name);
    },
    abort: async () => {
      [parts, open] = [[], []];
    },
  };
}
