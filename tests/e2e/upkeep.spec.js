// @ts-check
/** @file Configs that are changed where they stand, and old records that go: by a button, and by the clock. */

import { lane, newTopic, open, panel, saved, send, text } from "./support/acts.js";
import { expect, test } from "./support/test.js";

/** @import { Locator, Page } from "@playwright/test" */

/** A topic of one partition, whose segments hold few records. @param {Page} page */
async function accounts(page) {
  const dialog = await newTopic(page);
  await dialog.getByLabel("Name").fill("accounts");
  await dialog.getByRole("checkbox", { name: /^Keep records for ever/ }).uncheck();
  await dialog.getByText("Configs", { exact: true }).click();
  await dialog.getByLabel("internal.segment.bytes").fill("250");
  await dialog.getByRole("button", { name: "Create topic" }).click();
  await expect(dialog).toBeHidden();
  await panel(page, "Produce");
  for (let i = 0; i < 7; i++) await send(page, { key: text(`user_${i % 2}`), value: text(`balance ${i}`) });
}

/** @param {Locator} configs @param {string} name @param {string} value */
async function set(configs, name, value) {
  const input = configs.getByRole("textbox", { name, exact: true });
  await input.fill(value);
  await input.press("Enter");
}

test("a config is set, refused in Kafka's words, and taken back", async ({ page }) => {
  await open(page);
  await accounts(page);
  const configs = await panel(page, "Configs");
  await expect(configs).toContainText("19 of 38 · 1 set for this topic");
  const row = configs.getByRole("row", { name: /^retention\.ms / });

  await set(configs, "retention.ms", "1 week");
  await expect(row.getByRole("alert")).toContainText("Invalid value 1 week for configuration retention.ms: Not a number of type LONG");
  await expect(row.getByRole("textbox")).toHaveValue("1 week");

  await set(configs, "retention.ms", "60000");
  await expect(row.getByRole("alert")).toBeHidden();
  await expect(configs).toContainText("retention.ms: 604800000 → 60000.");
  await expect(configs).toContainText("2 set for this topic");
  await row.getByRole("button", { name: "Default" }).click();
  await expect(row.getByRole("textbox")).toHaveValue("604800000");

  await configs.getByRole("checkbox", { name: "Also those that change nothing here" }).check();
  await expect(configs.getByRole("row", { name: /^flush\.ms / })).toContainText("kept, not acted on");
});

test("the cleaner says what it did, and leaves gaps that a reload keeps", async ({ page }) => {
  await open(page);
  await accounts(page);
  const configs = await panel(page, "Configs");
  await set(configs, "cleanup.policy", "compact");
  await expect(configs).toContainText("cleanup.policy: delete → compact.");
  await configs.getByRole("button", { name: "Run cleaner" }).click();
  // The clock brings the cleaner as well, and may have been quicker: then nothing is left to clean.
  await expect(configs).toContainText(/gone: 4 records superseded by a later one of the key; kept: 2 records\.|accounts-0 left alone/);
  await expect(lane(page, 0)).toHaveAccessibleName(/3 records/);

  await configs.getByRole("button", { name: "Delete records" }).click();
  await expect(configs.getByRole("alert").filter({ hasText: "POLICY_VIOLATION" })).toContainText("code 44");

  await panel(page, "Produce");
  await saved(page);
  await page.reload();
  await expect(page.locator("#page")).toBeVisible();
  await expect(lane(page, 0)).toHaveAccessibleName(/3 records/);
});

test("records are deleted by offset, and old ones as the clock goes on", async ({ page }) => {
  await open(page);
  await accounts(page);
  const configs = await panel(page, "Configs");
  await configs.getByLabel("Delete records before offset").fill("3");
  await configs.getByRole("button", { name: "Delete records" }).click();
  await expect(configs).toContainText("P0 now begins at 3: 3 records can no longer be read.");
  await configs.getByRole("button", { name: "Run retention" }).click();
  await expect(configs).toContainText("is gone: wholly below the log start offset");

  await configs.getByLabel("Put the cluster’s clock forward by").selectOption({ label: "30 days" });
  await configs.getByRole("button", { name: "Advance" }).click();
  await expect(configs).toContainText("The clock is 30 d further. On the way:");
  await expect(configs).toContainText("its greatest timestamp is older than retention.ms");
  await expect(lane(page, 0)).toHaveAccessibleName(/empty|0 records/);
});
