// @ts-check
/** @file Much in and out: told beforehand what cannot be, written as it comes, stopped at any time. */

import { expect, expectAccessible, picture, test } from "./support/test.js";

/** @import { Page } from "@playwright/test" */

/** A topic of so many MiB. @param {Page} page @param {number} mebibytes */
async function fill(page, mebibytes) {
  await page.goto("/");
  await expect(page.getByRole("button", { name: "Import…" })).toBeEnabled();
  const line = `{"text":"${"x".repeat((1 << 19) - 100)}"}\n`;
  await page.evaluate(async ({ text, lines }) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(Array.from({ length: lines }, () => text), "much.ndjson"));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }, { text: line, lines: mebibytes * 2 });
  await page.getByRole("row", { name: /^no key/ }).getByRole("radio").check();
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await expect(page.getByRole("heading", { name: `Done: ${mebibytes * 2} records are in much` })).toBeVisible({ timeout: 60_000 });
}

/** @param {Page} page */
async function save(page) {
  await page.getByRole("button", { name: "Save records…" }).click();
  await page.getByRole("dialog", { name: "Export records" }).getByRole("button", { name: "Save file" }).click();
}

test("a large file is written as it comes, to where it was asked for, and can be stopped", async ({ page }) => {
  await page.addInitScript(() => {
    const said = Object.assign(/** @type {any} */ (window), { written: 0, writes: 0, ended: "", held: Promise.resolve() });
    said.showSaveFilePicker = async (/** @type {{ suggestedName: string }} */ { suggestedName }) => {
      Object.assign(said, { written: 0, writes: 0, ended: "", asked: suggestedName });
      const end = (/** @type {string} */ how) => async () => { said.ended = how; };
      return { createWritable: async () => ({
        write: async (/** @type {Blob} */ part) => {
          await said.held;
          said.writes += 1;
          said.written += part.size;
        },
        close: end("close"),
        abort: end("abort"),
      }) };
    };
  });
  await fill(page, 65);
  await save(page);
  await expect(page.getByRole("heading", { name: /^Done: much\.ndjson: 130 records, 65/ })).toBeVisible({ timeout: 60_000 });
  const whole = await page.evaluate(() => { const { written, writes, ended, asked } = /** @type {any} */ (window); return { written, writes, ended, asked }; });
  expect(whole.written).toBeGreaterThan(65 << 20);
  expect(whole).toMatchObject({ ended: "close", asked: "much.ndjson" });
  expect(whole.writes).toBeGreaterThan(30);

  // Held up in the middle, it can be seen and stopped, and nothing else can be done.
  await page.evaluate(() => { /** @type {any} */ (window).held = new Promise((resolve) => Object.assign(window, { letGo: resolve })); });
  await save(page);
  await expect(page.getByRole("heading", { name: "Saving much.ndjson" })).toBeVisible();
  await expect(page.getByRole("progressbar")).toBeVisible();
  await expect(page.getByRole("button", { name: "Import…" })).toBeDisabled();
  await expectAccessible(page, "section.job");
  await picture(page, "export-running");
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.evaluate(() => /** @type {any} */ (window).letGo());
  await expect(page.getByRole("heading", { name: "Stopped: no file was saved" })).toBeVisible();
  expect(await page.evaluate(() => /** @type {any} */ (window).ended)).toBe("abort");
  await expect(page.getByRole("button", { name: "Import…" })).toBeEnabled();
});

test("what would not fit into the logs is refused before anything is made", async ({ page }) => {
  await page.goto("/");
  await expect(page.getByRole("button", { name: "Import…" })).toBeEnabled();
  const said = await page.evaluate(async () => {
    const address = new URL("./www/pkg/loglanes.js", location.href).href;
    const { default: init, Loglanes } = await import(address);
    await init();
    const kafka = new Loglanes(7n);
    kafka.apply({ type: "createTopic", name: "t", partitions: 1 }, 0);
    try {
      kafka.beginGenerate({ type: "generate", topic: "t", count: 10_000_000, keys: 0, valueBytes: 1_000_000, seed: 1 }, 0);
    } catch (error) {
      const { name, message, hint } = /** @type {any} */ (error);
      return { name, message, hint, job: kafka.jobProgress() };
    }
    return null;
  });
  expect(said).toMatchObject({ name: "MAX_STORED_BYTES", job: null });
  expect(said?.message).toContain("1610612736");
});
