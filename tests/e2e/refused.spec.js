// @ts-check
/** @file Every illegal act is refused in Kafka's own words, next to where it was caused, and changes nothing. */

import { choose, makeTopic, newTopic, open, panel } from "./support/acts.js";
import { expect, test } from "./support/test.js";

test("names and counts of topics that Kafka does not take", async ({ page }) => {
  await open(page);
  await makeTopic(page, "orders", 3);
  const dialog = await newTopic(page);
  const name = dialog.getByLabel("Name");
  const partitions = dialog.getByLabel("Partitions");
  const alert = dialog.getByRole("alert");
  const create = dialog.getByRole("button", { name: "Create topic" });
  for (const [illegal, code] of /** @type {[string, string][]} */ ([
    ["", "INVALID_TOPIC_EXCEPTION (code 17)"],
    [".", "INVALID_TOPIC_EXCEPTION (code 17)"],
    ["..", "INVALID_TOPIC_EXCEPTION (code 17)"],
    ["with space", "INVALID_TOPIC_EXCEPTION (code 17)"],
    ["ünder", "INVALID_TOPIC_EXCEPTION (code 17)"],
    ["x".repeat(250), "INVALID_TOPIC_EXCEPTION (code 17)"],
    ["orders", "TOPIC_ALREADY_EXISTS (code 36)"],
  ])) {
    await name.fill(illegal);
    await create.click();
    await expect(alert, illegal).toContainText(code);
    await expect(name).toHaveValue(illegal);
  }
  await name.fill("fresh");
  for (const [count, says] of /** @type {[string, string][]} */ ([
    ["0", "INVALID_PARTITIONS (code 37)"],
    ["-2", "INVALID_PARTITIONS (code 37)"],
    ["6.5", "is not a whole number"],
    ["six", "is not a whole number"],
    ["1e9", "POLICY_VIOLATION (code 44)"],
    ["1e99", "is not a whole number"],
  ])) {
    await partitions.fill(count);
    await create.click();
    await expect(alert, count).toContainText(says);
  }
  await partitions.fill("1");
  for (const [factor, says] of [["4", "INVALID_REPLICATION_FACTOR (code 38)"], ["0", "INVALID_REPLICATION_FACTOR (code 38)"]]) {
    await dialog.getByLabel("Replication factor").fill(factor);
    await create.click();
    await expect(alert, factor).toContainText(says);
  }
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByLabel("Topic", { exact: true }).getByRole("option")).toHaveText(["orders (3)"]);
});

test("partitions cannot be made fewer, nor stay as many, nor be no whole number", async ({ page }) => {
  await open(page);
  await makeTopic(page, "orders", 3);
  const partitions = await panel(page, "Partitions");
  const alert = partitions.getByRole("alert");
  for (const [total, says] of /** @type {[string, RegExp][]} */ ([
    ["2", /INVALID_PARTITIONS \(code 37\).*would not be an increase/],
    ["3", /INVALID_PARTITIONS \(code 37\).*already has 3 partition/],
    ["0", /INVALID_PARTITIONS \(code 37\)/],
    ["-1", /INVALID_PARTITIONS \(code 37\)/],
    ["6.5", /is not a whole number/],
    ["", /The new total is empty/],
    ["1e9", /POLICY_VIOLATION \(code 44\)/],
  ])) {
    await partitions.getByLabel("to a total of").fill(total);
    await partitions.getByRole("button", { name: "Add partitions now" }).click();
    await expect(alert, total).toHaveText(says);
  }
  await expect(partitions.getByText("From 3 partitions")).toBeVisible();
});

test("a second topic is made and deleted; the first stays, and what goes is said first", async ({ page }) => {
  await open(page);
  await makeTopic(page, "orders", 2);
  await makeTopic(page, "payments", 5);
  await expect(page.getByLabel("Topic", { exact: true })).toHaveValue("payments");
  await page.getByRole("button", { name: "Delete…" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete topic payments?" });
  await expect(dialog).toContainText("0 records in 5 partitions");
  await dialog.getByRole("button", { name: "Delete topic" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByLabel("Topic", { exact: true }).getByRole("option")).toHaveText(["orders (2)"]);
});

test("a topic that is gone is unknown to what still asks for it", async ({ page }) => {
  await open(page);
  await makeTopic(page, "orders", 1);
  const groups = await panel(page, "Groups");
  await groups.getByRole("checkbox", { name: "orders" }).uncheck();
  await groups.getByRole("button", { name: "Join the group" }).click();
  await expect(groups.getByRole("alert").first()).toContainText("Kafka");
  await groups.getByRole("checkbox", { name: "orders" }).check();
  await groups.getByLabel("Group id").fill("");
  await groups.getByRole("button", { name: "Join the group" }).click();
  await expect(groups.getByRole("alert").first()).toContainText("INVALID_GROUP_ID (code 24)");

  // The plan of an import stays open while another act, as by another hand, deletes its topic.
  await choose(page, "orders.ndjson", '{"user":"u1"}\n');
  const plan = page.getByRole("dialog", { name: "Import orders.ndjson" });
  await expect(plan.getByLabel("Into the topic")).toHaveValue("orders");
  await plan.getByRole("radio", { name: /^user/ }).check();
  await page.evaluate(() => {
    const press = (/** @type {string} */ text, /** @type {ParentNode} */ within) =>
      /** @type {HTMLButtonElement} */ ([...within.querySelectorAll("button")].find((button) => button.textContent === text)).click();
    press("Delete…", document);
    press("Delete topic", /** @type {ParentNode} */ (document.querySelector("dialog[open] button.danger")?.closest("dialog")));
  });
  await expect(page.getByRole("dialog", { name: "Delete topic" })).toBeHidden();
  await plan.getByRole("button", { name: /^Import/ }).click();
  await expect(plan.getByRole("alert")).toContainText("REQUEST_TIMED_OUT (code 7)Topic orders not present in metadata after 60000 ms.");
});
