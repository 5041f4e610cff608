// @ts-check
/** @file What is kept: through a reload, a browser that is closed, a file; and a million records. */

import { chromium } from "@playwright/test";
import { choose, clear, done, exported, form, lane, laneFacts, loadFlights, makeTopic, open, panel, rows, saved, send, text } from "./support/acts.js";
import { launchOptions } from "./support/chromium.js";
import { expect, test } from "./support/test.js";

/** @import { Page } from "@playwright/test" */

/** A cluster with a bit of everything. @param {Page} page */
async function furnish(page) {
  await loadFlights(page);
  await makeTopic(page, "orders", 2);
  await panel(page, "Produce");
  for (const key of ["a", "b", "c"]) await send(page, { key: text(key), value: text("v") });
  const groups = await panel(page, "Groups");
  await groups.getByRole("radio", { name: /^earliest/ }).check();
  await groups.getByRole("button", { name: "Join the group" }).click();
  await groups.getByRole("button", { name: "Poll with m1" }).click();
  await groups.getByRole("button", { name: /^Commit the positions of m1/ }).click();
  await expect(groups).toContainText("Committed, as the next offset to read");
}

/** All that the page tells of its cluster. @param {Page} page */
async function told(page) {
  const topics = page.getByLabel("Topic", { exact: true });
  await expect(topics).toBeVisible();
  const groups = await panel(page, "Groups");
  await expect(groups.getByRole("heading", { name: "billing" })).toBeVisible();
  const offsets = await rows(groups.getByRole("region", { name: "Partitions of group billing" }));
  const state = /** @type {Record<string, unknown>} */ ({ topics: await topics.getByRole("option").allTextContents(), offsets });
  for (const topic of ["orders", "flights"]) {
    await topics.selectOption(topic);
    const partitions = await panel(page, "Partitions");
    await expect(partitions.getByText(`From ${topic === "orders" ? 2 : 6} partitions`)).toBeVisible();
    state[topic] = await rows(partitions.getByRole("region", { name: "Partitions", exact: true }));
  }
  const history = await panel(page, "History");
  await expect(history.getByRole("listbox").getByRole("option").first()).toBeVisible();
  state.history = await history.getByRole("listbox").getByRole("option").allTextContents();
  return state;
}

test("everything is there after a reload, in a browser started anew, and from a file", async ({ server }, info) => {
  const profile = info.outputPath("profile");
  const start = () => chromium.launchPersistentContext(profile, { ...launchOptions(), baseURL: server.url, acceptDownloads: true, locale: "en-GB", timezoneId: "UTC" });
  let context = await start();
  let page = context.pages()[0] ?? (await context.newPage());
  await open(page);
  await furnish(page);
  const before = await told(page);
  await saved(page);
  await page.reload();
  expect(await told(page)).toEqual(before);
  await saved(page);
  await context.close();

  context = await start();
  page = context.pages()[0] ?? (await context.newPage());
  await page.goto("/");
  expect(await told(page)).toEqual(before);
  const file = await exported(page);
  await clear(page);
  await page.reload();
  await expect(page.getByRole("button", { name: "Load 20,000 real flights" })).toBeVisible();
  await choose(page, "all.loglanes", file);
  expect(await told(page)).toEqual(before);
  await context.close();
});

test("a million records: acts answer meanwhile and after, and a reload brings them back", async ({ page }) => {
  test.setTimeout(180_000);
  await open(page);
  await makeTopic(page, "many", 6);
  const produce = await panel(page, "Produce");
  await produce.getByText("Generate many").click();
  const generate = page.getByRole("form", { name: "Generate many records" });
  await generate.getByLabel("Records").fill("1000000");
  await generate.getByLabel("Different keys").fill("5000");
  await generate.getByLabel("Bytes in a value").fill("100");
  await generate.getByRole("button", { name: "Generate", exact: true }).click();

  await test.step("while it runs, the page hears and answers; an act that would change the log is refused, not queued", async () => {
    await expect(page.getByRole("progressbar")).toBeVisible();
    await form(page).getByRole("button", { name: "Send" }).click();
    await expect(form(page).getByRole("alert")).toContainText("A job is still running.");
    await panel(page, "Partitions");
    await expect(page.getByRole("tabpanel", { name: "Partitions" })).toBeVisible();
    await expect(page.getByRole("heading", { name: "Generating into many" })).toBeVisible();
  });

  await expect(done(page)).toHaveText("Done: 1,000,000 records are in many in 6 partitions", { timeout: 120_000 });
  await page.getByRole("button", { name: "Close", exact: true }).first().click();
  const expectAll = async () => {
    await expect(lane(page, 5)).toHaveAttribute("aria-label", /offsets 0 to [\d,]+, [\d,]+ records$/);
    let sum = 0;
    for (let p = 0; p < 6; p++) sum += (await laneFacts(page, p)).records;
    return sum;
  };
  expect(await expectAll()).toBe(1_000_000);

  await test.step("it can be walked, zoomed, asked and added to", async () => {
    const keys = await panel(page, "Keys");
    await expect(keys).toContainText("5,000");
    await panel(page, "Produce");
    const { partition, offset } = await send(page, { key: text("key-1"), value: text("one more") });
    expect(offset).toBe(BigInt((await laneFacts(page, partition)).last));
    await lane(page, partition).getByRole("listitem").first().focus();
    await page.keyboard.press("End");
    await expect(page.locator(":focus")).toContainText(`Offset ${offset}, key key-1, value one more`);
    await page.keyboard.press("+");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("complementary", { name: "Record" })).toContainText("one more");
  });

  await expect(page.locator(".storage-word")).toHaveText("Saved", { timeout: 60_000 });
  await page.reload();
  await expect(lane(page, 0)).toHaveCount(1, { timeout: 60_000 });
  expect(await expectAll()).toBe(1_000_001);
});
