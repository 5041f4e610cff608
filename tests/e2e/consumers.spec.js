// @ts-check
/** @file What a consumer can be told and asked: its configs, patterns, partitions by hand, questions. */

import { makeTopic, open, panel, send, text } from "./support/acts.js";
import { expect, picture, test } from "./support/test.js";

/** @import { Locator, Page } from "@playwright/test" */

/** @param {Locator} groups @param {string} name */
const member = (groups, name) => groups.getByRole("listitem", { name: `Member ${name} of billing` });

/** Two topics, three records in partition 0 of orders. @param {Page} page */
async function start(page) {
  await open(page);
  await makeTopic(page, "payments", 1);
  await makeTopic(page, "orders", 2);
  await panel(page, "Produce");
  for (const value of ["a", "b", "c"]) await send(page, { key: text("k"), value: text(value), partition: 0 });
  return panel(page, "Groups");
}

/** @param {Locator} groups */
async function more(groups) {
  const details = groups.locator("details.join-more");
  if (!(await details.evaluate((element) => /** @type {HTMLDetailsElement} */ (element).open))) await details.locator("summary").click();
}

/** @param {Locator} groups @param {string} subject */
const reads = (groups, subject) => groups.getByRole("radiogroup", { name: "What it reads" }).getByRole("radio", { name: subject }).check();

test("a consumer that is assigned by hand reads beside a group, commits while it has no members, and says where it stands", async ({ page }) => {
  const groups = await start(page);
  await reads(groups, "partitions by hand");
  await groups.getByLabel("Partitions", { exact: true }).fill("orders-0, orders");
  const go = groups.getByRole("button", { name: "Start the consumer" });
  await go.click();
  await expect(groups.getByRole("alert").filter({ hasText: "is no list of partitions" })).toBeVisible();
  await groups.getByLabel("Partitions", { exact: true }).fill("orders-0, orders-1");
  await groups.getByRole("radio", { name: /^earliest/ }).check();
  await go.click();
  const lone = groups.getByRole("listitem", { name: "Consumer m1, by hand" });
  await lone.getByRole("button", { name: "Poll with m1" }).click();
  await expect(groups).toContainText("m1 polled: 3 records");
  await expect(lone).toContainText("orders P0 at 3, lag 0");
  await lone.getByRole("button", { name: "Commit the positions of m1" }).click();
  await expect(groups).toContainText("Committed, as the next offset to read: orders P0 → 3, orders P1 → 0.");
  await expect(groups.getByRole("region", { name: "Group billing", exact: true })).toContainText("Empty: it has no active members");
  await lone.getByRole("button", { name: "Seek, or commit an offset, with m1" }).click();
  await lone.getByLabel("Ask the consumer, which changes nothing").selectOption("committed");
  await lone.getByRole("button", { name: "Ask m1" }).click();
  await expect(lone).toContainText("committed(orders-0): orders-0 3");
  await reads(groups, "topics");
  await groups.getByRole("button", { name: "Join the group" }).click();
  await lone.getByRole("button", { name: "Commit the positions of m1" }).click();
  await expect(groups.getByRole("alert").filter({ hasText: "CommitFailedException" })).toBeVisible();
  await picture(page, "groups-by-hand");
  await lone.getByRole("button", { name: "Close m1" }).click();
  await expect(lone).toBeHidden();
});

test("a consumer without a group id reads, and is refused commits in Kafka’s words", async ({ page }) => {
  const groups = await start(page);
  await reads(groups, "partitions by hand");
  await groups.getByLabel("Group id").fill("");
  await groups.getByLabel("Partitions", { exact: true }).fill("orders-0");
  await groups.getByRole("button", { name: "Start the consumer" }).click();
  const lone = groups.getByRole("listitem", { name: "Consumer m1, by hand" });
  await lone.getByRole("button", { name: "Poll with m1" }).click();
  await lone.getByRole("button", { name: "Commit the positions of m1" }).click();
  await expect(groups.getByRole("alert").filter({ hasText: "you must provide a valid group.id in the consumer configuration" })).toBeVisible();
});

test("a member subscribes by pattern, and a topic that is made later is found when metadata is fetched", async ({ page }) => {
  const groups = await start(page);
  await reads(groups, "by pattern");
  await groups.getByLabel("Pattern of all of a topic’s name").fill("(orders");
  await groups.getByRole("button", { name: "Join the group" }).click();
  await expect(groups.getByRole("alert").filter({ hasText: "Unclosed group near index 7" })).toBeVisible();
  await groups.getByLabel("Pattern of all of a topic’s name").fill("orders.*");
  await groups.getByRole("button", { name: "Join the group" }).click();
  await expect(member(groups, "m1")).toContainText("orders P0, P1 · pattern orders.*");
  await makeTopic(page, "orders-eu", 1);
  await panel(page, "Groups");
  await groups.getByRole("button", { name: "Fetch metadata now" }).click();
  await expect(member(groups, "m1")).toContainText("orders-eu P0");
});

test("a member has configs of its own, and a session ends by its own time-out", async ({ page }) => {
  const groups = await start(page);
  await more(groups);
  await groups.getByLabel("session.timeout.ms").fill("5999");
  await groups.getByRole("button", { name: "Join the group" }).click();
  await expect(groups.getByRole("alert").filter({ hasText: "INVALID_SESSION_TIMEOUT" })).toBeVisible();
  await groups.getByLabel("session.timeout.ms").fill("6000");
  await groups.getByLabel("heartbeat.interval.ms").fill("6000");
  await groups.getByRole("button", { name: "Join the group" }).click();
  await expect(groups.getByRole("alert").filter({ hasText: "Heartbeat must be set lower than the session timeout" })).toBeVisible();
  await groups.getByLabel("heartbeat.interval.ms").fill("");
  await groups.getByLabel("max.poll.records").fill("2");
  await groups.getByLabel("partition.assignment.strategy").selectOption("list");
  await groups.getByLabel("Assignors, with commas").fill("cooperative-sticky, range");
  await groups.getByRole("button", { name: "Join the group" }).click();
  await expect(member(groups, "m1")).toContainText("session.timeout.ms 6000 · max.poll.records 2");
  await expect(groups).toContainText("assignor cooperative-sticky");
  await picture(page, "groups-configs");
  await member(groups, "m1").getByRole("button", { name: "Crash m1" }).click();
  await expect(member(groups, "m1")).toContainText(/the group notices in [1-6] s/);
});
