// @ts-check
/** @file Producers on the page: a batch sent again is stored once, and a transaction's records count once it is committed. */

import { form, makeTopic, open, panel, send, text } from "./support/acts.js";
import { expect, test } from "./support/test.js";

/** @import { Page } from "@playwright/test" */

/** The part of the panel about producers. @param {Page} page */
const producers = (page) => page.locator(".producers");

/** @param {Page} page @param {string} name @param {string} id */
async function create(page, name, id) {
  await producers(page).getByText("New producer", { exact: true }).click();
  await producers(page).getByLabel("Name").fill(name);
  await producers(page).getByLabel("transactional.id").fill(id);
  await producers(page).getByRole("button", { name: "Create producer" }).click();
  await producers(page).getByLabel("Producer", { exact: true }).selectOption(name);
  await producers(page).getByText("New producer", { exact: true }).click();
}

/** @param {Page} page @param {string} name */
const press = (page, name) => producers(page).getByRole("button", { name, exact: true }).click();

test("a batch that is sent again is stored once", async ({ page }) => {
  await open(page);
  await makeTopic(page, "orders", 1);
  await panel(page, "Produce");
  await send(page, { key: text("k"), value: text("v") });
  await press(page, "Retry the last batch");
  await expect(producers(page)).toContainText("answers with the old offsets 0…0");
  expect((await send(page, { key: text("k"), value: text("w") })).offset).toBe(1n);
});

test("a transaction is open until it is committed, and its marker takes an offset", async ({ page }, info) => {
  await open(page);
  await makeTopic(page, "orders", 1);
  await panel(page, "Produce");
  await create(page, "p1", "x");
  await expect(form(page).getByLabel("Partitioner")).toBeDisabled();
  await press(page, "initTransactions");
  await expect(producers(page)).toContainText("READY");
  await press(page, "Begin");
  await expect(producers(page)).toContainText("IN_TRANSACTION");
  await send(page, { key: text("k"), value: text("v") });
  await expect(producers(page)).toContainText("the coordinator has open: orders-0");
  for (const [width, scheme] of /** @type {const} */ ([[360, "light"], [1600, "dark"]])) {
    await page.setViewportSize({ width, height: 1000 });
    await page.emulateMedia({ colorScheme: scheme });
    await page.screenshot({ path: info.outputPath(`producers-${width}.png`) });
  }
  await panel(page, "Partitions");
  const row = page.locator("#partitions tbody tr").first();
  await expect(row.locator("td").nth(3)).toHaveText("1");
  await expect(row.locator("td").nth(4)).toHaveText("0");
  await panel(page, "Produce");
  await press(page, "Commit");
  await expect(producers(page)).toContainText("Committed. A marker takes an offset that no reader sees: orders-0 @ 1.");
  await panel(page, "Partitions");
  await expect(row.locator("td").nth(4)).toHaveText("2");
});

test("with read_committed what is aborted is given to nobody, and an open transaction holds the reader back", async ({ page }) => {
  await open(page);
  await makeTopic(page, "orders", 1);
  const groups = await panel(page, "Groups");
  await groups.getByText("Protocol, assignor, isolation, static membership, auto commit").click();
  await groups.getByRole("radio", { name: "read_committed" }).check();
  await groups.getByRole("radio", { name: /^earliest/ }).check();
  await groups.getByRole("button", { name: "Join the group" }).click();
  await panel(page, "Produce");
  await create(page, "p1", "x");
  await press(page, "initTransactions");
  await press(page, "Begin");
  await send(page, { key: text("k"), value: text("thrown away") });
  await panel(page, "Groups");
  await groups.getByRole("button", { name: "Poll with m1" }).click();
  await expect(groups).not.toContainText("thrown away");
  await panel(page, "Produce");
  await press(page, "Abort");
  await producers(page).getByLabel("Producer", { exact: true }).selectOption({ index: 0 });
  await send(page, { key: text("k"), value: text("plain") });
  await panel(page, "Groups");
  await groups.getByRole("button", { name: "Poll with m1" }).click();
  await expect(groups).toContainText("plain");
  await expect(groups).not.toContainText("thrown away");
});
