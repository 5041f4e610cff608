// @ts-check
/** @file The page's parts that need no browser: the axis' arithmetic, JSON for reading, a record's fields, colours. */

import { expect, test } from "@playwright/test";
import { cutLabel } from "../../www/bytes.js";
import { indentJson } from "../../www/json.js";
import { colour, kindOf, oklch, slot, SLOTS } from "../../www/lanes/palette.js";
import { axisStep, Viewport, WIDEST_CELL } from "../../www/lanes/viewport.js";
import { batchFields, recordFields } from "../../www/panels/record/fields.js";

const bytes = (/** @type {string} */ hex) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16));
const utf8 = (/** @type {string} */ text) => new TextEncoder().encode(text);

/** @param {bigint} first @param {bigint} last @param {number} [width] */
function viewport(first, last, width = 1000) {
  const made = new Viewport();
  made.resize(first, last, width);
  return made;
}

test("a whole topic is in sight at first, and while it grows", () => {
  const view = viewport(0n, 1_000_000n);
  expect(view.x(0n)).toBeGreaterThanOrEqual(0);
  expect(view.x(1_000_000n)).toBeLessThanOrEqual(1000);
  view.resize(0n, 3_000_000n, 1000);
  expect(view.x(3_000_000n)).toBeLessThanOrEqual(1000);
});

test("zooming keeps what is below the pointer, until a cell is as wide as it may be", () => {
  const view = viewport(0n, 100_000n);
  const under = view.at(400);
  for (let i = 0; i < 60; i++) view.zoom(1.5, 400);
  expect(view.cell).toBeCloseTo(WIDEST_CELL);
  expect(Math.abs(Number(view.at(400) - under))).toBeLessThanOrEqual(1);
  for (let i = 0; i < 60; i++) view.zoom(1 / 1.5, 400);
  expect(view.whole).toBe(true);
});

test("the axis stays exact beyond 2^53", () => {
  const first = 2n ** 53n;
  const view = viewport(first, first + 50n);
  for (let i = 0n; i < 50n; i++) expect(view.at(view.x(first + i) + view.cell / 2)).toBe(first + i);
  const far = viewport(0n, 2n ** 62n);
  far.show(2n ** 62n - 1n);
  for (let i = 0; i < 200; i++) far.zoom(2, far.x(2n ** 62n - 1n));
  expect(far.cell).toBeCloseTo(WIDEST_CELL);
});

test("panning ends at the ends", () => {
  const view = viewport(10n, 100_000n);
  view.zoom(50);
  view.pan(-1e9);
  expect(view.x(10n)).toBeGreaterThanOrEqual(0);
  expect(view.x(10n)).toBeLessThan(20);
  view.pan(1e9);
  expect(view.x(100_000n)).toBeLessThanOrEqual(1000);
  expect(view.x(100_000n)).toBeGreaterThan(900);
});

test("the log end is followed only if it was in sight", () => {
  const view = viewport(0n, 10_000n);
  view.zoom(20);
  view.toEnd();
  view.resize(0n, 10_050n, 1000);
  expect(view.atEnd).toBe(true);
  view.toStart();
  view.resize(0n, 10_100n, 1000);
  expect(view.x(0n)).toBeGreaterThanOrEqual(0);
});

test("the axis' marks are 1, 2 or 5 times a power of ten, and no closer than asked", () => {
  for (const perPixel of [0.001, 0.02, 0.9, 3, 77, 12_345.6]) {
    const step = axisStep(perPixel, 76);
    expect(String(step)).toMatch(/^[125]0*$/);
    expect(Number(step) / perPixel).toBeGreaterThanOrEqual(Math.min(76, 1 / perPixel));
  }
});

test("JSON is indented with every digit, escape and repeated name left as it is", () => {
  expect(indentJson('{"n":9007199254740993,"f":1.10,"n":1e400,"s":"a\\u0000\\"}"}')).toBe(
    '{\n  "n": 9007199254740993,\n  "f": 1.10,\n  "n": 1e400,\n  "s": "a\\u0000\\"}"\n}',
  );
  expect(indentJson("[ ]")).toBe("[]");
  expect(indentJson('[{},[1 , 2]]')).toBe("[\n  {},\n  [\n    1,\n    2\n  ]\n]");
  for (const text of ["", "42", '"text"', "{", "{'a':1}", "[1,]"]) expect(indentJson(text)).toBeNull();
});

test("a long string in JSON does not exhaust anything", () => {
  const long = "x".repeat(900_000);
  expect(indentJson(`["${long}"]`)).toBe(`[\n  "${long}"\n]`);
});

test("a batch's head is read field by field", () => {
  const head = new Uint8Array(61);
  const data = new DataView(head.buffer);
  data.setBigInt64(0, 2n ** 53n + 1n);
  data.setInt8(16, 2);
  data.setUint32(17, 0xfedcba98);
  data.setInt16(21, 0b101011);
  data.setBigInt64(43, -1n);
  data.setInt32(57, 7);
  const fields = Object.fromEntries(batchFields(head).map(({ name, value }) => [name, value]));
  expect(fields.baseOffset).toBe("9007199254740993");
  expect(fields.magic).toBe("2");
  expect(fields.crc).toContain(String(0xfedcba98));
  expect(fields.attributes).toContain("lz4, LogAppendTime, control");
  expect(fields.producerId).toBe("-1");
  expect(fields.recordsCount).toBe("7");
  expect(batchFields(head).reduce((sum, field) => sum + field.bytes.length, 0)).toBe(61);
});

test("a record's fields cover its bytes; none and empty differ", () => {
  // length 14, attributes 0, deltas 1 and 0, key "k", value none, one header "h" with an empty value.
  const record = bytes("1400020002" + "6b" + "01" + "02" + "0268" + "00");
  const fields = recordFields(record);
  expect(fields.reduce((sum, field) => sum + field.bytes.length, 0)).toBe(record.length);
  const named = Object.fromEntries(fields.map(({ name, value }) => [name, value]));
  expect(named["timestampDelta"]).toBe("1");
  expect(named["key length"]).toBe("1");
  expect(named["value length"]).toBe("-1 (none)");
  expect(named["header 0 value length"]).toBe("0");
});

test("bytes that are no record end the reading without harm", () => {
  for (const hex of ["", "ff", "ffffffffffffffffffffff", "02", "7e00808080808080808080808001"]) {
    const fields = recordFields(bytes(hex));
    expect(fields.reduce((sum, field) => sum + field.bytes.length, 0)).toBeLessThanOrEqual(hex.length / 2);
  }
});

test("a label cut by bytes is not cut through a character", () => {
  const name = utf8("Zürich🚆");
  expect(cutLabel(name.subarray(0, 2), name.length)).toBe("Z…");
  expect(cutLabel(name.subarray(0, 10), name.length)).toBe("Zürich…");
  expect(cutLabel(name, name.length)).toBe("Zürich🚆");
  expect(cutLabel(bytes("ff00ff"), 9)).toBe("0xff00ff…");
  expect(cutLabel(null, 0)).toBe("(none)");
});

/** @param {[number, number, number]} rgb */
function luminance(rgb) {
  const [r, g, b] = rgb.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * Number(r) + 0.7152 * Number(g) + 0.0722 * Number(b);
}

/** @param {[number, number, number]} a @param {[number, number, number]} b */
function contrast(a, b) {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (Number(light) + 0.05) / (Number(dark) + 0.05);
}

test("every key's colour keeps 3:1 against the page and 4.5:1 against its text", () => {
  const paper = /** @type {const} */ ({ light: [252, 252, 250], dark: [20, 22, 26] });
  for (const theme of /** @type {const} */ (["light", "dark"])) {
    for (let tag = 0; tag < SLOTS; tag++) {
      const { rgb, ink } = colour(tag, theme);
      expect(contrast(rgb, [...paper[theme]]), `${theme} ${tag} on paper`).toBeGreaterThanOrEqual(3);
      expect(contrast(rgb, ink === "#fff" ? [255, 255, 255] : [0, 0, 0]), `${theme} ${tag} below text`).toBeGreaterThanOrEqual(4.5);
    }
  }
  expect(oklch(1, 0, 0)).toEqual([255, 255, 255]);
});

test("the same key has the same colour whatever else its tag says", () => {
  const key = (3 << 24) | 0xabcdef;
  expect(slot(key | (1 << 26) | (1 << 28))).toBe(slot(key));
  expect(kindOf(1 << 24)).toBe("none");
  expect(kindOf(2 << 24)).toBe("empty");
  expect(kindOf(key)).toBe("key");
});
