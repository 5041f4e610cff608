// @ts-check
/** @file Files in and out of the whole page, and what it says about saving. */

import { readFile } from "node:fs/promises";
import { expect, expectAccessible, picture, test } from "./support/test.js";

/** @import { Page } from "@playwright/test" */

/** @param {Page} page @param {string} name @param {string | Buffer} content */
async function choose(page, name, content) {
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Import…" }).click();
  await (await chooser).setFiles({ name, mimeType: "application/octet-stream", buffer: Buffer.from(content) });
}

/** @param {Page} page */
async function open(page) {
  await page.goto("/");
  await expect(page.getByRole("button", { name: "Import…" })).toBeEnabled();
}

/** @param {Page} page @param {string} key the field's name, or "no key" */
async function accept(page, key) {
  await page.getByRole("row", { name: new RegExp(`^${key}\\b`) }).getByRole("radio").check();
  await page.getByRole("button", { name: "Import", exact: true }).click();
}

const done = (/** @type {Page} */ page) => page.getByRole("heading", { name: /^Done: / });

test("the sample comes in, is saved and is there after a reload", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: "Sample…" }).click();
  const plan = page.getByRole("dialog", { name: "Import flights.ndjson" });
  await expect(plan).toContainText("“origin” is suggested");
  await expect(plan.getByRole("radio", { checked: true })).toHaveCount(0);
  await expectAccessible(page, "dialog.import-plan");
  await picture(page, "import-plan");
  await accept(page, "origin");
  await expect(done(page)).toHaveText("Done: 20,000 records are in flights in 6 partitions", { timeout: 45_000 });
  await expectAccessible(page, "section.job");
  await expect(page.locator(".storage-word")).toHaveText("Saved");
  await page.reload();
  await expect(page.getByRole("button", { name: "Export" })).toBeEnabled();
  await choose(page, "flights.ndjson", '{"a":1}\n');
  await expect(page.getByLabel("Into the topic")).toHaveValue("flights");
});

test("no key is taken without being chosen", async ({ page }) => {
  await open(page);
  await choose(page, "orders.ndjson", '{"user":"u1"}\n{"user":"u2"}\n{"user":"u1"}\n{"user":"u2"}\n');
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Choose the key" })).toBeVisible();
});

test("refused lines are told with their numbers", async ({ page }) => {
  await open(page);
  await choose(page, "orders.ndjson", '{"user":"u1"}\n{"user":"u2"}\nnope\n{"user":"u1"}\n{"user":\n{"user":"u2"}\n');
  await accept(page, "user");
  await expect(done(page)).toContainText("4 records");
  const refused = page.getByRole("list", { name: "Refused lines" }).getByRole("listitem");
  await expect(refused).toHaveCount(2);
  await expect(refused.nth(0)).toContainText("line 3");
  await expect(refused.nth(1)).toContainText("line 5");
});

test("Kafka's refusal of a topic's name is shown in the plan, and the plan stays", async ({ page }) => {
  await open(page);
  await choose(page, "orders.ndjson", '{"user":"u1"}\n');
  await page.getByLabel("Name").last().fill("no spaces");
  await accept(page, "user");
  await expect(page.getByRole("alert").filter({ hasText: "INVALID_TOPIC_EXCEPTION" })).toContainText("17");
  await expect(page.getByRole("dialog", { name: /^Import/ })).toBeVisible();
});

test("a file that is none is named as such", async ({ page }) => {
  await open(page);
  await choose(page, "picture.png", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]));
  await expect(page.getByRole("dialog", { name: "Import picture.png" })).toContainText("none that can be imported");
});

test("the whole state goes to a file and comes back, a damaged file changes nothing", async ({ page }) => {
  await open(page);
  await choose(page, "orders.ndjson", '{"user":"u1"}\n{"user":"u2"}\n');
  await accept(page, "user");
  await expect(done(page)).toBeVisible();
  await page.getByRole("button", { name: "Close" }).click();

  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export", exact: true }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toMatch(/^loglanes-\d{4}-\d\d-\d\d\.loglanes$/);
  const file = await readFile(await download.path());
  expect(file.subarray(0, 8).toString()).toBe("LOGLANES");

  const broken = Buffer.from(file);
  broken[broken.length >> 1] ^= 1;
  await choose(page, "broken.loglanes", broken);
  await page.getByRole("button", { name: "Replace" }).click();
  await expect(page.locator("#files .refusal")).not.toBeEmpty();
  await expect(page.getByRole("button", { name: "Export", exact: true })).toBeEnabled();

  await page.getByRole("button", { name: "Clear…" }).click();
  await expectAccessible(page, "dialog[open]");
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await expect(page.getByRole("button", { name: "Export", exact: true })).toBeDisabled();
  await choose(page, "whole.loglanes", file);
  await expect(page.getByRole("button", { name: "Export", exact: true })).toBeEnabled();
  await expect(page.locator(".storage-word")).toHaveText("Saved");
  await page.reload();
  await expect(page.getByRole("button", { name: "Export", exact: true })).toBeEnabled();
});

test("clearing asks, and Escape keeps everything", async ({ page }) => {
  await open(page);
  await choose(page, "orders.ndjson", '{"user":"u1"}\n');
  await accept(page, "user");
  await expect(done(page)).toBeVisible();
  await page.getByRole("button", { name: "Clear…" }).click();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "Export", exact: true })).toBeEnabled();
});

test("a second tab reads, says so, and takes over", async ({ page, context }) => {
  await open(page);
  const second = await context.newPage();
  await second.goto("/");
  await expect(second.locator(".storage-word")).toHaveText("Read-only: open in another tab");
  await choose(second, "orders.ndjson", '{"user":"u1"}\n');
  await accept(second, "user");
  await expect(second.getByRole("alert").filter({ hasText: "open in another tab" })).toBeVisible();
  await page.close();
  await expect(second.locator(".storage-word")).toHaveText("Saved");
  await second.getByRole("button", { name: "Import", exact: true }).click();
  await expect(done(second)).toBeVisible();
});

test("the details say what saving means, and offer the export", async ({ page }) => {
  await open(page);
  await page.locator(".storage-word").click();
  const details = page.getByRole("group", { name: "How the state is saved" });
  await expect(details).toContainText("Browsers may delete it");
  await expect(details.getByRole("button", { name: "Export to a file" })).toBeVisible();
  await expectAccessible(page, ".storage-details");
});
