// @ts-check
/** @file Consumer groups: who owns what, what comes again after a crash, and a lag that is right throughout. */

import { choose, done, form, lane, makeTopic, NONE, open, panel, recordPanel, rows, send, text } from "./support/acts.js";
import { placed } from "./support/murmur2.js";
import { expect, test } from "./support/test.js";

/** @import { Locator, Page } from "@playwright/test" */

/** @param {Locator} groups @param {string} [reset] */
async function join(groups, reset = "earliest") {
  await groups.getByRole("radio", { name: new RegExp(`^${reset}`) }).check();
  await groups.getByRole("button", { name: "Join the group" }).click();
}

/** @param {Locator} groups @param {string} name */
const member = (groups, name) => groups.getByRole("listitem", { name: `Member ${name} of billing` });

/** Kafka's own table: partition, committed, end, lag, position. @param {Locator} groups */
async function table(groups) {
  const told = await rows(groups.getByRole("region", { name: "Partitions of group billing" }));
  return told.map((row) => [row["PARTITION"], row["CURRENT-OFFSET"], row["LOG-END-OFFSET"], row["LAG"], row["position"]].join(" "));
}

/**
 * A topic with as many records in each partition, by a file: keys are chosen by where they go.
 * @param {Page} page
 * @param {number} partitions
 * @param {number} each
 */
async function fill(page, partitions, each) {
  await makeTopic(page, "orders", partitions);
  const lines = [];
  const room = Array.from({ length: partitions }, () => each);
  for (let i = 0; room.some((left) => left > 0); i++) {
    const { partition } = placed(`k${i}`, partitions);
    if (room[partition]-- > 0) lines.push(JSON.stringify({ key: `k${i}` }));
  }
  await choose(page, "orders.ndjson", `${lines.join("\n")}\n`);
  const plan = page.getByRole("dialog", { name: "Import orders.ndjson" });
  await plan.getByRole("radio", { name: /^key/ }).check();
  await plan.getByRole("button", { name: "Import", exact: true }).click();
  await expect(done(page)).toHaveText(new RegExp(`^Done: ${lines.length} record`));
  await page.getByRole("button", { name: "Close", exact: true }).first().click();
}

test("three members read, commit, seek; one crashes before its commit, and its records come again", async ({ page }) => {
  await open(page);
  await fill(page, 3, 3);
  const groups = await panel(page, "Groups");
  for (let i = 0; i < 3; i++) await join(groups);
  for (const [i, name] of ["m1", "m2", "m3"].entries()) await expect(member(groups, name)).toContainText(`orders P${i}`);
  await expect(groups).toContainText("Stable · 3 members · assignor range");
  await expect.poll(() => table(groups)).toEqual(["0 - 3 - –", "1 - 3 - –", "2 - 3 - –"]);

  await test.step("a poll moves the position, a commit the committed offset", async () => {
    await member(groups, "m1").getByRole("textbox", { name: "max.poll.records" }).fill("2");
    await member(groups, "m1").getByRole("button", { name: "Poll with m1" }).click();
    await expect(groups.getByText("polled: 2 records.")).toBeVisible();
    await expect(groups).toContainText("No committed offset, so auto.offset.reset=earliest set the position");
    await expect.poll(() => table(groups)).toEqual(["0 - 3 - 2", "1 - 3 - –", "2 - 3 - –"]);
    await member(groups, "m1").getByRole("button", { name: /^Commit the positions of m1/ }).click();
    await expect(groups).toContainText("Committed, as the next offset to read: orders P0 → 2.");
    await expect.poll(() => table(groups)).toEqual(["0 2 3 1 2", "1 - 3 - –", "2 - 3 - –"]);
  });

  await test.step("crashed before its commit: the group does not know, then it does, and the records come again", async () => {
    await member(groups, "m2").getByRole("button", { name: "Poll with m2" }).click();
    await expect(groups.getByText("polled: 3 records.")).toBeVisible();
    await member(groups, "m2").getByRole("button", { name: "Crash m2" }).click();
    await expect(member(groups, "m2")).toContainText(/crashed, and still owns orders P1; the group notices in/);
    await expect(groups).toContainText("3 members");
    await member(groups, "m2").getByRole("button", { name: /^Let the session time out now/ }).click();
    await expect(groups).toContainText("2 members");
    await expect(member(groups, "m1")).toContainText("orders P0, P1");
    await member(groups, "m1").getByRole("textbox", { name: "max.poll.records" }).fill("");
    await member(groups, "m1").getByRole("button", { name: "Poll with m1" }).click();
    await expect(groups.getByText("polled: 4 records, 3 of them again.")).toBeVisible();
    await expect(groups.locator(".tag.again")).toHaveCount(3);
    await expect(groups.getByRole("row").filter({ has: page.locator(".tag.again") }).first()).toContainText("orders P1 @ 0");
    await expect.poll(() => table(groups)).toEqual(["0 2 3 1 3", "1 - 3 - 3", "2 - 3 - –"]);
    await member(groups, "m1").getByRole("button", { name: /^Commit the positions of m1/ }).click();
    await expect.poll(() => table(groups)).toEqual(["0 3 3 0 3", "1 3 3 0 3", "2 - 3 - –"]);
  });

  await test.step("new records are lag until they are committed, and a polled one leads to its cell", async () => {
    await panel(page, "Produce");
    await send(page, { key: text("k0"), value: text("later"), partition: 0 });
    await panel(page, "Groups");
    await expect.poll(() => table(groups)).toEqual(["0 3 4 1 3", "1 3 3 0 3", "2 - 3 - –"]);
    await member(groups, "m1").getByRole("button", { name: "Poll with m1" }).click();
    await groups.getByRole("button", { name: "orders P0 @ 3" }).click();
    await expect(recordPanel(page)).toContainText("later");
  });

  await test.step("a seek reads again from there; committed offsets stay", async () => {
    const m1 = member(groups, "m1");
    await m1.getByRole("button", { name: /^Seek/ }).first().click();
    await m1.getByRole("textbox", { name: "Offset" }).fill("1");
    await m1.getByRole("button", { name: "Seek there" }).click();
    await expect.poll(() => table(groups)).toEqual(["0 3 4 1 1", "1 3 3 0 3", "2 - 3 - –"]);
    await m1.getByRole("button", { name: "Poll with m1" }).click();
    await expect(groups.getByText("polled: 3 records, 3 of them again.")).toBeVisible();
    // A commit says what is read next: 4 after offset 3, and 0 would read all again.
    await m1.getByRole("textbox", { name: "Offset" }).fill("0");
    await m1.getByRole("button", { name: "Commit it" }).click();
    await expect.poll(() => table(groups)).toEqual(["0 0 4 4 4", "1 3 3 0 3", "2 - 3 - –"]);
  });

  await test.step("out of range: the policy decides, and what it did is said", async () => {
    const m1 = member(groups, "m1");
    await m1.getByRole("textbox", { name: "Offset" }).fill("99");
    await m1.getByRole("button", { name: "Seek there" }).click();
    await m1.getByRole("button", { name: "Poll with m1" }).click();
    await expect(groups).toContainText("Offset 99 is out of range, so auto.offset.reset=earliest set the position: orders P0 → 0");
  });

  await test.step("the group's place is drawn in the lanes, and it cannot be deleted while it has members", async () => {
    await groups.getByRole("button", { name: "Delete group…" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete group billing?" });
    await dialog.getByRole("button", { name: "Delete group" }).click();
    await expect(dialog.getByRole("alert")).toContainText("NON_EMPTY_GROUP (code 68)");
    await dialog.getByRole("button", { name: "Cancel" }).click();
  });
});

test("more members than partitions: one is idle, and takes over when another leaves", async ({ page }) => {
  await open(page);
  await makeTopic(page, "orders", 2);
  const groups = await panel(page, "Groups");
  /** @param {Record<string, string>} owners */
  const expectOwners = async (owners) => {
    for (const [name, owns] of Object.entries(owners)) await expect(member(groups, name)).toContainText(owns);
    await expect(groups.getByRole("listitem", { name: /^Member / })).toHaveCount(Object.keys(owners).length);
  };
  for (let i = 0; i < 3; i++) await join(groups);
  await expectOwners({ m1: "orders P0", m2: "orders P1", m3: "idle: a member, but no partition is left for it" });
  await member(groups, "m1").getByRole("button", { name: "Close m1" }).click();
  await expectOwners({ m2: "orders P0", m3: "orders P1" });
  await member(groups, "m2").getByRole("button", { name: "Close m2" }).click();
  await expectOwners({ m3: "orders P0, P1" });
  await join(groups);
  await join(groups);
  await expectOwners({ m1: "orders P0", m2: "orders P1", m3: "idle" });
});

test("with auto.offset.reset=none a poll without a commit, or out of range, fails as Kafka's does", async ({ page }) => {
  await open(page);
  await fill(page, 1, 2);
  const groups = await panel(page, "Groups");
  await join(groups, "none");
  const m1 = member(groups, "m1");
  await m1.getByRole("button", { name: "Poll with m1" }).click();
  await expect(groups.getByRole("alert").filter({ hasText: "NoOffsetForPartitionException" })).toBeVisible();
  await m1.getByRole("button", { name: /^Seek/ }).first().click();
  await m1.getByRole("textbox", { name: "Offset" }).fill("7");
  await m1.getByRole("button", { name: "Seek there" }).click();
  await m1.getByRole("button", { name: "Poll with m1" }).click();
  await expect(groups.getByRole("alert").filter({ hasText: "OffsetOutOfRangeException" })).toBeVisible();
  await expect.poll(() => table(groups)).toEqual(["0 - 2 - 7"]);
});

test("a grown topic is unnoticed by the group until it fetches metadata", async ({ page }) => {
  await open(page);
  await makeTopic(page, "orders", 1);
  const groups = await panel(page, "Groups");
  await join(groups);
  await expect(member(groups, "m1")).toContainText("orders P0");
  const partitions = await panel(page, "Partitions");
  await partitions.getByLabel("to a total of").fill("2");
  await partitions.getByRole("button", { name: "Add partitions now" }).click();
  await partitions.getByRole("button", { name: "See Groups" }).click();
  await expect(groups).toContainText("orders has 2 partitions, the group knows 1");
  await groups.getByRole("button", { name: "Fetch metadata now" }).click();
  await expect(member(groups, "m1")).toContainText("orders P0, P1");
  await expect(groups.getByText("the group knows 1")).toHaveCount(0);
  await expect(lane(page, 1)).toHaveCount(1);
  await panel(page, "Produce");
  await send(page, { key: NONE, value: text("v"), partition: 1 });
  await expect(form(page)).toContainText("Stored at P1 @ 0");
});
