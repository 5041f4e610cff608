// @ts-check
/** @file The consumer protocol, consumers outside of their group, and what is kept beside an offset. */

import { makeTopic, open, panel, rows, send, text } from "./support/acts.js";
import { expect, test } from "./support/test.js";

/** @import { Locator } from "@playwright/test" */

/** @param {Locator} groups @param {{ protocol?: string, remote?: string }} [settings] */
async function join(groups, { protocol = "classic", remote = "" } = {}) {
  const more = groups.locator("details.join-more");
  if (!(await more.evaluate((element) => /** @type {HTMLDetailsElement} */ (element).open))) await more.locator("summary").click();
  await groups.getByRole("radio", { name: /^earliest/ }).check();
  await groups.getByRole("radiogroup", { name: "group.protocol" }).getByRole("radio", { name: protocol }).check();
  if (protocol === "consumer") await groups.getByLabel("group.remote.assignor").selectOption(remote);
  await groups.getByRole("button", { name: "Join the group" }).click();
}

/** @param {Locator} groups @param {string} name */
const member = (groups, name) => groups.getByRole("listitem", { name: `Member ${name} of billing` });

test("with the consumer protocol each member has an epoch and a target, and a silent one holds back what it has", async ({ page }) => {
  await open(page);
  await makeTopic(page, "orders", 3);
  const groups = await panel(page, "Groups");
  await join(groups, { protocol: "consumer", remote: "range" });
  await expect(groups).toContainText("Stable · 1 member · assignor range · consumer protocol, group epoch 2");
  await member(groups, "m1").getByRole("button", { name: "Crash m1" }).click();
  await join(groups, { protocol: "consumer", remote: "range" });
  await expect(groups).toContainText("Reconciling · 2 members · assignor range · consumer protocol, group epoch 3");
  await expect(member(groups, "m2")).toContainText(/epoch 3, target: orders P\d/);
  const section = groups.getByRole("region", { name: "Group billing" });
  await section.getByText("As Kafka’s tools print it").click();
  await section.getByRole("radio", { name: "--state" }).check();
  await section.getByLabel("--verbose").check();
  await expect(section.locator(".tool-output")).toContainText("TARGET-ASSIGNMENT-EPOCH");
  await member(groups, "m1").getByRole("button", { name: "Let the session time out now for m1" }).click();
  await expect(groups).toContainText("Stable · 1 member · assignor range · consumer protocol, group epoch 4");
  await join(groups);
  await expect(groups.getByRole("alert").filter({ hasText: "The group's members speak the consumer protocol." })).toBeVisible();
});

test("a member that polls too late is out, may not commit, and joins again with its next poll", async ({ page }) => {
  await open(page);
  await makeTopic(page, "orders", 1);
  await panel(page, "Produce");
  await send(page, { key: text("k"), value: text("v"), partition: 0 });
  const groups = await panel(page, "Groups");
  await join(groups);
  await member(groups, "m1").getByRole("button", { name: "Poll with m1" }).click();
  await member(groups, "m1").getByRole("button", { name: "Seek, or commit an offset, with m1" }).click();
  await member(groups, "m1").getByRole("button", { name: "Let max.poll.interval.ms pass for m1" }).click();
  await expect(groups).toContainText("is out of the group, and thinks that it still has orders P0");
  await groups.getByRole("button", { name: "Commit with m1" }).click();
  await expect(groups.getByRole("alert").filter({ hasText: "CommitFailedException" })).toBeVisible();
  await groups.getByRole("button", { name: "Poll with m1" }).click();
  await expect(member(groups, "m1")).toContainText("orders P0");
  await expect(groups).not.toContainText("is out of the group, and thinks");
});

test("metadata stands beside a committed offset, and offsets are deleted once nobody subscribes", async ({ page }) => {
  await open(page);
  await makeTopic(page, "orders", 1);
  const groups = await panel(page, "Groups");
  await join(groups);
  const m1 = member(groups, "m1");
  await m1.getByRole("button", { name: "Seek, or commit an offset, with m1" }).click();
  await m1.getByLabel("Offset", { exact: true }).fill("7");
  await m1.getByLabel("with metadata").fill("checked by hand");
  await m1.getByRole("button", { name: "Commit it" }).click();
  const table = groups.getByRole("region", { name: "Partitions of group billing" });
  await expect.poll(async () => (await rows(table)).map((row) => row["CURRENT-OFFSET"])).toEqual(["7"]);
  await expect(table.locator("td.noted")).toHaveAttribute("title", /checked by hand/);
  await groups.getByRole("button", { name: "Delete offsets of billing…" }).click();
  const dialog = page.getByRole("dialog", { name: /Delete committed offsets/ });
  await dialog.getByRole("button", { name: "Delete offsets" }).click();
  await expect(dialog.getByRole("alert").filter({ hasText: "GROUP_SUBSCRIBED_TO_TOPIC (code 86)" })).toBeVisible();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await m1.getByRole("button", { name: "Close m1" }).click();
  await groups.getByRole("button", { name: "Delete offsets of billing…" }).click();
  await dialog.getByRole("button", { name: "Delete offsets" }).click();
  await expect.poll(async () => (await rows(table)).length).toBe(0);
});
