/** @file Copies records within wasm's memory, by `memory.copy`, in one call. */

import { VALUE_BYTES } from "./records.js";

/** Bytes of a page of wasm memory. */
const PAGE_BYTES = 65_536;

/**
 * The module, by hand: `copy(to, from, size, count)` copies `count` runs of `size` bytes.
 * Its binary form is that of the WebAssembly specification, chapter 5.
 */
const MODULE = Uint8Array.from([
  0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, // magic, version 1
  ...section(1, [1, 0x60, 4, 0x7f, 0x7f, 0x7f, 0x7f, 0]), // type 0: four i32, no result
  ...section(3, [1, 0]), // function 0 is of type 0
  ...section(5, [1, 0, 1]), // memory 0: one page, may grow
  ...section(7, [2, ...text("memory"), 2, 0, ...text("copy"), 0, 0]), // what is exported
  ...section(10, [1, ...sized([
    0, // no locals
    0x02, 0x40, 0x03, 0x40, // block, loop
    0x20, 3, 0x45, 0x0d, 1, // leave when count is 0
    0x20, 0, 0x20, 1, 0x20, 2, 0xfc, 10, 0, 0, // memory.copy(to, from, size)
    0x20, 0, 0x20, 2, 0x6a, 0x21, 0, // to += size
    0x20, 1, 0x20, 2, 0x6a, 0x21, 1, // from += size
    0x20, 3, 0x41, 1, 0x6b, 0x21, 3, // count -= 1
    0x0c, 0, 0x0b, 0x0b, 0x0b, // again; end of loop, block, function
  ])]),
]);

/** @type {import("../measure.js").Side} */
export const copyInWasm = {
  name: "copy in wasm",
  async prepare(count) {
    const { instance } = await WebAssembly.instantiate(MODULE);
    const memory = /** @type {WebAssembly.Memory} */ (instance.exports.memory);
    const copy = /** @type {(...numbers: number[]) => void} */ (instance.exports.copy);
    const half = count * VALUE_BYTES;
    memory.grow(Math.ceil((2 * half) / PAGE_BYTES));
    new Uint8Array(memory.buffer, 0, half).fill(7);
    return { run: () => copy(half, 0, VALUE_BYTES, count) };
  },
};

/**
 * @param {number} id
 * @param {number[]} bytes
 */
function section(id, bytes) {
  return [id, ...sized(bytes)];
}

/**
 * Bytes after their length, which is below 128 here and so is one byte.
 * @param {number[]} bytes
 */
function sized(bytes) {
  return [bytes.length, ...bytes];
}

/** @param {string} name */
function text(name) {
  return sized([...new TextEncoder().encode(name)]);
}
