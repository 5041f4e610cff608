// @ts-check
/** @file Replicas by hand: a topic is made, and grows, on the brokers that are named. */

import { makeTopic, newTopic, open, panel } from "./support/acts.js";
import { expect, test } from "./support/test.js";

test("a topic is made on the brokers that are named, and grows on others", async ({ page }) => {
  await open(page);
  const dialog = await newTopic(page);
  await dialog.getByLabel("Name").fill("orders");
  await dialog.getByText("Replicas by hand").click();
  const assignment = dialog.getByLabel("Replica assignment");
  const create = dialog.getByRole("button", { name: "Create topic" });
  for (const [text, says] of [
    ["1:x", "names no brokers"],
    ["1,", "names no brokers"],
    ["1:4", "INVALID_REPLICA_ASSIGNMENT (code 39)"],
    ["1:2,3", "not consistent with previous partitions, which have 2 replica(s)"],
  ]) {
    await assignment.fill(/** @type {string} */ (text));
    await create.click();
    await expect(dialog.getByRole("alert"), text).toContainText(/** @type {string} */ (says));
  }
  await assignment.fill("2:3,3:1");
  await dialog.getByLabel("Partitions").fill("2");
  await create.click();
  await expect(dialog.getByRole("alert")).toContainText("leave both numbers empty");
  await dialog.getByLabel("Partitions").fill("");
  await create.click();

  const partitions = await panel(page, "Partitions");
  const rows = partitions.getByRole("table").first().locator("tbody tr");
  await expect(rows).toHaveCount(2);
  await expect(rows.nth(0)).toContainText("2, 3");
  await expect(rows.nth(1)).toContainText("3, 1");

  await partitions.getByLabel("to a total of").fill("3");
  await partitions.getByText("Replicas by hand").click();
  await partitions.getByLabel("Replica assignment").fill("1");
  await partitions.getByRole("button", { name: "Add partitions now" }).click();
  await expect(partitions.getByRole("alert")).toContainText("INVALID_REPLICA_ASSIGNMENT (code 39)");
  await partitions.getByLabel("Replica assignment").fill("1:2");
  await partitions.getByRole("button", { name: "Add partitions now" }).click();
  await expect(rows).toHaveCount(3);
  await expect(rows.nth(2)).toContainText("1, 2");
  await expect(partitions.getByLabel("Replica assignment")).toHaveValue("");
});

test("without an assignment the controller places", async ({ page }) => {
  await open(page);
  await makeTopic(page, "orders", 3);
  const partitions = await panel(page, "Partitions");
  await expect(partitions.getByRole("table").first().locator("tbody tr")).toHaveCount(3);
});
