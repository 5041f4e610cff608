// @ts-check
/** @file What a rebalance means for each member, static members, and resetting offsets with a dry run first. */

import { makeTopic, open, panel, rows, send, text } from "./support/acts.js";
import { expect, test } from "./support/test.js";

/** @import { Locator } from "@playwright/test" */

/** @param {Locator} groups @param {{ strategy?: string, instance?: string }} settings */
async function join(groups, { strategy = "", instance = "" }) {
  const more = groups.locator("details.join-more");
  if (!(await more.evaluate((element) => /** @type {HTMLDetailsElement} */ (element).open))) await more.locator("summary").click();
  await groups.getByRole("radio", { name: /^earliest/ }).check();
  await groups.getByLabel("partition.assignment.strategy").selectOption(strategy);
  await groups.getByLabel("group.instance.id").fill(instance);
  await groups.getByRole("button", { name: "Join the group" }).click();
}

/** @param {Locator} groups @param {string} name */
const member = (groups, name) => groups.getByRole("listitem", { name: `Member ${name} of billing` });

test("a cooperative rebalance takes two rounds, and what stays is read on; an eager member cannot join it", async ({ page }) => {
  await open(page);
  await makeTopic(page, "orders", 3);
  const groups = await panel(page, "Groups");
  await join(groups, { strategy: "cooperative-sticky" });
  await expect(member(groups, "m1")).toContainText("Last rebalance, generation 1: assigned orders P0–P2");
  await join(groups, { strategy: "cooperative-sticky" });
  await expect(groups).toContainText("Stable · 2 members · assignor cooperative-sticky · generation 3");
  await expect(member(groups, "m1")).toContainText("Last rebalance, generations 2 to 3: revoked orders P2 · kept orders P0, P1, read on");
  await expect(member(groups, "m2")).toContainText("assigned orders P2");
  await join(groups, { strategy: "roundrobin" });
  await expect(groups.getByRole("alert").filter({ hasText: "INCONSISTENT_GROUP_PROTOCOL (code 23)" })).toBeVisible();
});

test("a static member that is closed keeps its place, and another with its id fences it", async ({ page }) => {
  await open(page);
  await makeTopic(page, "orders", 2);
  const groups = await panel(page, "Groups");
  await join(groups, { instance: "node-1" });
  await member(groups, "m1").getByRole("button", { name: "Close m1" }).click();
  await expect(member(groups, "m1")).toContainText("closed, but a static member stays, and still owns orders P0, P1; the group waits for it");
  await member(groups, "m1").getByRole("button", { name: "Restart m1" }).click();
  await expect(groups).toContainText("generation 1");
  await join(groups, { instance: "node-1" });
  await expect(member(groups, "m2")).toContainText("orders P0, P1");
  await groups.getByRole("button", { name: "Poll with m1" }).click();
  await expect(groups.getByRole("alert").filter({ hasText: "FENCED_INSTANCE_ID (code 82)" })).toBeVisible();
  await groups.getByRole("button", { name: "Close m1" }).click();
  await expect(groups.getByText("still runs")).toHaveCount(0);
});

test("a reset is refused while the group is active, shown before it is done, and warns of what it clamps", async ({ page }) => {
  await open(page);
  await makeTopic(page, "orders", 1);
  await panel(page, "Produce");
  for (let i = 0; i < 3; i++) await send(page, { key: text("k"), value: text(`v${i}`), partition: 0 });
  const groups = await panel(page, "Groups");
  await join(groups, {});
  await member(groups, "m1").getByRole("button", { name: "Poll with m1" }).click();
  await member(groups, "m1").getByRole("button", { name: /^Commit the positions/ }).click();
  await groups.getByRole("button", { name: "Reset offsets of billing…" }).click();
  const dialog = page.getByRole("dialog", { name: "Reset offsets of billing" });
  await expect(dialog).toContainText("Assignments can only be reset if the group 'billing' is inactive, but the current state is Stable.");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await member(groups, "m1").getByRole("button", { name: "Close m1" }).click();
  await groups.getByRole("button", { name: "Reset offsets of billing…" }).click();
  await dialog.getByLabel("Mode").selectOption("shift");
  await dialog.getByLabel("By how many offsets").fill("-99");
  await expect(dialog).toContainText("New offset (-96) is lower than earliest offset for topic partition orders-0. Value will be set to 0.");
  await dialog.getByLabel("By how many offsets").fill("-2");
  await expect(dialog.locator("pre")).toContainText("billing         orders          0          1");
  const table = groups.getByRole("region", { name: "Partitions of group billing" });
  expect((await rows(table)).map((row) => row["CURRENT-OFFSET"])).toEqual(["3"]);
  await dialog.getByRole("button", { name: "Execute" }).click();
  await expect.poll(async () => (await rows(table)).map((row) => row["CURRENT-OFFSET"])).toEqual(["1"]);
  await expect(groups).toContainText("Reset, as the next offset to read: orders P0 → 1.");
});
