// @ts-check
/** @file The engine comes in parts: what stands before they are there, and what waits for them. */

import { makeTopic, newTopic, panel, saved, send, text } from "./support/acts.js";
import { expect, test } from "./support/test.js";

/** @import { Page } from "@playwright/test" */

/**
 * Holds a part back until the answer is called.
 * @param {Page} page @param {string} name
 */
async function hold(page, name) {
  let release = () => {};
  const held = new Promise((resolve) => {
    release = () => resolve(undefined);
  });
  await page.route(`**/www/pkg/${name}.wasm`, async (route) => {
    await held;
    await route.continue();
  });
  return release;
}

test("the first screen stands before acts can be done, and an act waits for them", async ({ page }) => {
  const release = await hold(page, "acts");
  await page.goto("/");
  await expect(page.locator("#page")).toBeVisible();
  const form = await newTopic(page);
  await form.getByLabel("Name").fill("orders");
  await form.getByLabel("Partitions").fill("2");
  await form.getByRole("button", { name: "Create topic" }).click();
  await expect(page.getByRole("dialog", { name: "Loglanes has stopped" })).toBeHidden();
  await expect(page.locator(".lane-item")).toHaveCount(0);
  release();
  await expect(page.locator(".lane-item")).toHaveCount(2);
});

test("acts need no more than the second part; what needs the last waits for it, and is saved then", async ({ page }) => {
  const release = await hold(page, "rest");
  await page.goto("/");
  await makeTopic(page, "orders", 2);
  await panel(page, "Produce");
  await send(page, { key: text("k"), value: text("v") });
  await panel(page, "Keys");
  await expect(page.locator(".storage-word")).not.toHaveText("Saved");
  release();
  await expect(page.locator("#keys")).toContainText("different keys");
  await saved(page);
  await page.reload();
  await expect(page.locator(".lane-item")).toHaveCount(2);
});

test("a part that cannot be had is named, and fetched when it can be had", async ({ page, complaints }) => {
  await page.route("**/rest.wasm", (route) => route.fulfill({ status: 404 }));
  await page.goto("/");
  await makeTopic(page, "orders", 2);
  await page.getByRole("button", { name: "Share…" }).click();
  await expect(page.locator("#notice")).toContainText("404 for www/pkg/rest.wasm");
  await page.unroute("**/rest.wasm");
  await saved(page);
  complaints.length = 0;
});
