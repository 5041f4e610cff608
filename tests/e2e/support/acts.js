// @ts-check
/** @file What a person does on the page, by what the person reads there: names, labels, roles. */

import { readFile } from "node:fs/promises";
import { expect } from "@playwright/test";

/** @import { Locator, Page, FrameLocator } from "@playwright/test" */
/** @typedef {Page | FrameLocator} Shown the page, or a frame that shows it */
/** @typedef {{ none: true } | { text: string } | { hex: string }} Written a key or a value as it is typed */

export const NONE = /** @type {const} */ ({ none: true });
export const text = (/** @type {string} */ written) => ({ text: written });
export const hex = (/** @type {string} */ written) => ({ hex: written });

const ROOT = new URL("../../../", import.meta.url);
export const FLIGHTS = "www/samples/flights-20k.ndjson";

/** @param {string} path in the repository */
export const readText = (path) => readFile(new URL(path, ROOT), "utf8");

/**
 * What Kafka's own client did to the airports of the flights when a topic grew: recorded, not
 * computed here.
 * @param {number} from
 * @param {number} to
 * @returns {Promise<{ keys: number, keys_moved: number, records_moved: number, records_by_partition_from: number[], records_by_partition_to: number[] }>}
 */
export async function recordedMove(from, to) {
  const lines = (await readText("tests/golden/placement/moves.ndjson")).split("\n").filter(Boolean).map((line) => JSON.parse(line));
  const found = lines.find((line) => line.key_set.startsWith("origin") && line.from_partitions === from && line.to_partitions === to);
  if (!found) throw new Error(`no recorded move of the flights from ${from} to ${to}`);
  return found;
}

/** @param {Page} page */
export async function open(page) {
  await page.goto("/");
  await expect(page.locator("#page")).toBeVisible();
}

/** @param {Shown} page */
export const done = (page) => page.getByRole("heading", { name: /^Done: / });

/** @param {Shown} page */
export const saved = (page) => expect(page.locator(".storage-word")).toHaveText("Saved");

/** Twenty thousand flights by the one click of the first screen. @param {Shown} page */
export async function loadFlights(page) {
  await page.getByRole("button", { name: "Load 20,000 real flights" }).click();
  await expect(done(page)).toHaveText(/^Done: 20,000 records/, { timeout: 40_000 });
  await page.getByRole("button", { name: "Close", exact: true }).first().click();
}

/**
 * Drops a file of the repository onto the page, as a file manager does.
 * @param {Page} page
 * @param {string} path
 * @param {string} name
 */
export async function drop(page, path, name) {
  const content = await readText(path);
  const files = await page.evaluateHandle(([text, as]) => {
    const data = new DataTransfer();
    data.items.add(new File([text], as));
    return data;
  }, [content, name]);
  await page.dispatchEvent("body", "dragenter", { dataTransfer: files });
  await page.dispatchEvent("body", "drop", { dataTransfer: files });
}

/** @param {Shown} page @param {string} name */
export const panel = async (page, name) => {
  await page.getByRole("tab", { name }).click();
  return page.getByRole("tabpanel", { name });
};

/** Opens the form for a new topic. @param {Shown} page */
export async function newTopic(page) {
  const first = page.getByRole("button", { name: "Make a topic by hand" });
  const bar = page.getByRole("button", { name: "+ topic" });
  await ((await first.isVisible()) ? first : bar).click();
  return page.getByRole("dialog", { name: "New topic" });
}

/**
 * @param {Shown} page
 * @param {string} name
 * @param {number | string} [partitions]
 */
export async function makeTopic(page, name, partitions) {
  const dialog = await newTopic(page);
  await dialog.getByLabel("Name").fill(name);
  if (partitions !== undefined) await dialog.getByLabel("Partitions").fill(String(partitions));
  await dialog.getByRole("button", { name: "Create topic" }).click();
  await expect(dialog).toBeHidden();
}

/**
 * Writes a key, a value or a part of a header.
 * @param {Locator} form
 * @param {string} label
 * @param {Written} what
 */
export async function write(form, label, what) {
  const kind = "none" in what ? "none" : "text" in what ? "text" : "hex";
  const field = form.getByRole("radiogroup", { name: new RegExp(`^${label}:`) });
  const input = form.getByRole("textbox", { name: label, exact: true });
  // Bytes that are no text would keep the field in hex.
  if (await input.isVisible()) await input.fill("");
  await field.getByRole("radio", { name: kind }).check();
  if (kind === "none") return;
  await input.fill("text" in what ? what.text : "hex" in what ? what.hex : "");
}

/** The form a record is sent with. @param {Shown} page */
export const form = (page) => page.getByRole("form", { name: "Record to send" });

/**
 * Sends one record from the open produce panel and tells where it is stored, as the page says it.
 * @param {Shown} page
 * @param {{ key?: Written, value?: Written, partition?: number | string, timestamp?: number | string }} record
 */
export async function send(page, { key = NONE, value = NONE, partition = "", timestamp = "" }) {
  await write(form(page), "Key", key);
  await write(form(page), "Value", value);
  await form(page).getByLabel("Partition", { exact: true }).fill(String(partition));
  await form(page).getByLabel("Timestamp").fill(String(timestamp));
  await form(page).getByRole("button", { name: "Send" }).click();
  const link = form(page).getByRole("button", { name: /^P\d+ @ \d+$/ });
  await expect(link).toBeVisible();
  const [, p, offset] = /^P(\d+) @ (\d+)$/.exec((await link.textContent()) ?? "") ?? [];
  return { partition: Number(p), offset: BigInt(offset) };
}

/** The record panel. @param {Shown} page */
export const recordPanel = (page) => page.getByRole("complementary", { name: "Record" });

/** A lane as it is read out. @param {Shown} page @param {number} partition */
export const lane = (page, partition) => page.getByRole("list", { name: new RegExp(`^Partition ${partition}, `) });

/**
 * The first records of a lane as they are read out, up to the nine near the first.
 * @param {Page} page
 * @param {number} partition
 * @returns {Promise<string[]>}
 */
export async function spokenLane(page, partition) {
  await lane(page, partition).getByRole("listitem").first().focus();
  await page.keyboard.press("Home");
  return lane(page, partition).getByRole("listitem").allTextContents();
}

/** What a lane says of itself: log start, last offset, records. @param {Shown} page @param {number} partition */
export async function laneFacts(page, partition) {
  const name = (await lane(page, partition).getAttribute("aria-label")) ?? "";
  const found = /offsets ([\d,]+) to ([\d,]+), ([\d,]+) records?$/.exec(name);
  if (!found) return { start: 0, last: -1, records: 0, name };
  const [start, last, records] = found.slice(1).map((digits) => Number(digits.replaceAll(",", "")));
  return { start, last, records, name };
}

/**
 * The cells of a row of the partitions table, by the names of their columns.
 * @param {Locator} table
 * @returns {Promise<Record<string, string>[]>}
 */
export async function rows(table) {
  const names = await table.locator("thead th").allTextContents();
  const all = await table.locator("tbody tr").evaluateAll((elements) =>
    elements.map((row) => Array.from(row.children, (cell) => cell.textContent ?? "")));
  return all.map((cells) => Object.fromEntries(cells.map((cell, i) => [names[i], cell])));
}

/**
 * Exports all there is and gives the file's bytes.
 * @param {Page} page
 * @returns {Promise<Buffer>}
 */
export async function exported(page) {
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export", exact: true }).click();
  return readFile(await (await downloading).path());
}

/**
 * Chooses a file with the page's own button.
 * @param {Page} page
 * @param {string} name
 * @param {string | Buffer} content
 */
export async function choose(page, name, content) {
  const chooser = page.waitForEvent("filechooser");
  const first = page.getByRole("button", { name: "Open a file…" });
  await ((await first.isVisible()) ? first : page.getByRole("button", { name: "Import…" })).click();
  await (await chooser).setFiles({ name, mimeType: "application/octet-stream", buffer: Buffer.from(content) });
}

/** Clears everything, saying yes. @param {Page} page */
export async function clear(page) {
  await page.getByRole("button", { name: "Clear…" }).click();
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await expect(page.getByRole("button", { name: "Load 20,000 real flights" })).toBeVisible();
}
