// @ts-check
/** @file Producers on the page: a batch sent again is stored once, and a transaction's records count once it is committed. */

import { form, lane, makeTopic, open, panel, recordPanel, send, spokenLane, text } from "./support/acts.js";
import { expect, expectAccessible, picture, test } from "./support/test.js";

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

test("markers have their cells, and every record says what became of its transaction", async ({ page }) => {
  await open(page);
  await makeTopic(page, "orders", 1);
  await panel(page, "Produce");
  await create(page, "p1", "x");
  await press(page, "initTransactions");
  await press(page, "Begin");
  await send(page, { key: text("a"), value: text("first") });
  await press(page, "Commit");
  await press(page, "Begin");
  await send(page, { key: text("b"), value: text("second") });
  await press(page, "Abort");
  await press(page, "Begin");
  await send(page, { key: text("c"), value: text("third") });
  await producers(page).getByLabel("Producer", { exact: true }).selectOption({ index: 0 });
  await send(page, { key: text("d"), value: text("plain") });

  const said = (await spokenLane(page, 0)).map((item) => item.replace(/, [^,]*$/, ""));
  expect(said).toEqual([
    "Offset 0, key a, value first, transaction committed",
    "Offset 1, COMMIT marker of producer id 0, epoch 1",
    "Offset 2, key b, value second, transaction aborted",
    "Offset 3, ABORT marker of producer id 0, epoch 2",
    "Offset 4, key c, value third, transaction still open",
    "Offset 5, key d, value plain",
  ]);
  const legend = page.getByRole("list", { name: "How records are drawn" });
  for (const entry of ["COMMIT marker", "ABORT marker", "transaction aborted", "transaction open"]) {
    await expect(legend.getByText(entry)).toBeVisible();
  }

  const shown = recordPanel(page);
  const fact = (/** @type {string} */ name) => shown.locator("dt", { hasText: new RegExp(`^${name}$`) }).locator("+ dd");
  const walk = async (/** @type {string} */ place) => {
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await expect(shown.getByRole("heading", { name: place })).toBeVisible();
  };
  await page.keyboard.press("Enter");
  await expect(fact("Transaction")).toContainText("committed, producer id 0, epoch 0Both isolation levels read it.");
  await walk("P0 @ 1");
  await expect(shown).toContainText("COMMIT: what producer id 0 had written here since its marker before counts.");
  await expect(fact("Type")).toHaveText("1 (COMMIT)");
  await expect(fact("Coordinator epoch")).toHaveText("0");
  await expect(shown).not.toContainText("murmur2");
  await walk("P0 @ 2");
  await expect(fact("Transaction")).toContainText("read_committed passes it over");
  await walk("P0 @ 3");
  await expect(fact("Type")).toHaveText("0 (ABORT)");
  await walk("P0 @ 4");
  await expect(fact("Transaction")).toContainText("read_committed waits, from offset 4 on");
  await walk("P0 @ 5");
  await expect(fact("Transaction")).toContainText("part of none");
  await expect(fact("Transaction")).toContainText("The last stable offset is 4");
  await expectAccessible(page);
  await picture(page, "transactions");

  // Once the transaction has ended, the same record says so, and nothing is open any more.
  await panel(page, "Produce");
  await producers(page).getByLabel("Producer", { exact: true }).selectOption("p1");
  await press(page, "Commit");
  await expect(fact("Transaction")).toHaveCount(0);
  await expect(legend.getByText("transaction open")).toBeHidden();
  await expect(lane(page, 0).getByRole("listitem").last()).toContainText("Offset 6, COMMIT marker");
});

/** A log too long for cells: records that count, then some that are aborted, others, and some that are open. */
const LONG = `topic orders partitions=2
producer p transactional.id=x
init-transactions p
produce orders count=1000 keys="k{1..20}" seed=1
begin-transaction p
produce orders count=300 keys="k{1..20}" seed=2 producer=p
abort-transaction p
produce orders count=400 keys="k{1..20}" seed=3
begin-transaction p
produce orders count=300 keys="k{1..20}" seed=4 producer=p
`;

test("where cells are too narrow, records of aborted and open transactions still show as such", async ({ page }) => {
  await open(page);
  await makeTopic(page, "mine", 1);
  const history = await panel(page, "History");
  await history.getByRole("button", { name: "Edit as text…" }).click();
  const editor = page.getByRole("dialog", { name: "The history as a text" });
  await editor.getByRole("textbox", { name: "Scenario" }).fill(LONG);
  await editor.getByRole("button", { name: "Run it" }).click();
  await expect(editor).toBeHidden();
  const legend = page.getByRole("list", { name: "How records are drawn" });
  for (const entry of ["transaction aborted", "transaction open"]) await expect(legend.getByText(entry)).toBeVisible();
  await expect(legend.getByText("COMMIT marker")).toBeHidden();
  for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
    await page.emulateMedia({ colorScheme });
    await picture(page, `transactions-narrow-${colorScheme}`);
  }
});

test("with read_committed what is aborted is given to nobody, and an open transaction holds the reader back", async ({ page }) => {
  await open(page);
  await makeTopic(page, "orders", 1);
  const groups = await panel(page, "Groups");
  await groups.getByText("Protocol, assignor, isolation, static membership, times, auto commit").click();
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
