// @ts-check
/** @file Kafka's own files: kept as they are, and out again as a broker has them. */

import { readFile } from "node:fs/promises";
import { expect, expectAccessible, picture, test } from "./support/test.js";

/** @import { Page } from "@playwright/test" */

const COMPACTED = new URL("../files/seg-compacted.log", import.meta.url);

/** @param {Page} page @param {{ name: string, content: Buffer }} file */
async function choose(page, { name, content }) {
  await page.goto("/");
  await expect(page.getByRole("button", { name: "Import…" })).toBeEnabled();
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Import…" }).click();
  await (await chooser).setFiles([{ name, mimeType: "application/octet-stream", buffer: content }]);
}

test("a segment is kept as it is, gaps and all, and comes out byte for byte", async ({ page }) => {
  const content = await readFile(COMPACTED);
  await choose(page, { name: "00000000000000000010.log", content });
  const dialog = page.getByRole("dialog", { name: /^Import / });
  await expect(dialog.getByRole("option", { name: "a .log file of Kafka’s (recognised)" })).toBeAttached();
  await expect(dialog.getByRole("region", { name: "Preview" })).toContainText("3 records");
  await expectAccessible(page, "dialog.import-plan");
  await picture(page, "import-segment");
  await dialog.getByLabel("Name").fill("compacted");
  await dialog.getByLabel("Partitions").fill("1");
  await dialog.getByRole("button", { name: "Keep as it is" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText("compacted-0 begins at offset 10 and ends at 18, with 3 records to read.")).toBeVisible();

  await page.getByRole("button", { name: "Save records…" }).click();
  const out = page.getByRole("dialog", { name: "Export records" });
  await out.getByLabel("Format", { exact: true }).selectOption("logFiles");
  const downloading = page.waitForEvent("download");
  await out.getByRole("button", { name: "Save file" }).click();
  const archive = await readFile(await (await downloading).path());
  // Members are stored: the segment stands in the archive as it is.
  expect(archive.includes(content)).toBe(true);
  expect(archive.includes("compacted-0/00000000000000000010.timeindex")).toBe(true);
});

test("a damaged segment is told with its byte, and what a broker cuts off is said", async ({ page }) => {
  const content = await readFile(COMPACTED);
  const damaged = Buffer.concat([content, Buffer.from("what a crash has left of the next batch")]);
  await choose(page, { name: "00000000000000000010.log", content: damaged });
  const dialog = page.getByRole("dialog", { name: /^Import / });
  await expect(dialog.getByRole("list", { name: "Lines that cannot be taken" })).toContainText("byte 88");
  await dialog.getByRole("button", { name: "Keep as it is" }).click();
  await expect(page.getByText(/39 bytes from byte 88 of 00000000000000000010\.log on are cut off/)).toBeVisible();
});
