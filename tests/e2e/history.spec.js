// @ts-check
/** @file The history on the page: back, forward, another course, the text of it; Undo and Redo. */

import { choose, drop, makeTopic, NONE, open, panel, saved, send, text } from "./support/acts.js";
import { expect, expectAccessible, picture, test } from "./support/test.js";

/** @import { Page } from "@playwright/test" */

/** A topic and three records, so four steps. @param {Page} page */
async function furnish(page) {
  await open(page);
  await makeTopic(page, "orders", 2);
  for (const value of ["one", "two", "three"]) await send(page, { key: text("k"), value: text(value), partition: 0, timestamp: 1_700_000_000_000 });
}

/** @param {Page} page */
const records = async (page) => (await panel(page, "Partitions")).getByRole("region", { name: "Partitions", exact: true }).locator("tbody tr").first();

test("undo and redo go to every step, from the bar and from the keyboard, and a reload comes back to the same", async ({ page }) => {
  await furnish(page);
  const history = await panel(page, "History");
  const current = history.getByRole("listbox").getByRole("option", { selected: true });
  await expect(current).toContainText("three");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(current).toContainText("two");
  await expect(page.getByRole("region", { name: "Where in the history" })).toContainText("1 step lies ahead");
  await current.click();
  await page.keyboard.press("Control+z");
  await expect(current).toContainText("one");
  await page.keyboard.press("Control+Shift+z");
  await expect(current).toContainText("two");
  await saved(page);
  await page.reload();
  await panel(page, "History");
  await expect(current).toContainText("two");
  await expect(page.getByRole("region", { name: "Where in the history" })).toContainText("1 step lies ahead");
  await page.getByRole("button", { name: "Back to the end" }).click();
  await expect(current).toContainText("three");
  await expect(page.getByRole("region", { name: "Where in the history" })).toBeHidden();
});

test("undo pressed twice at once is two steps", async ({ page }) => {
  await furnish(page);
  const current = (await panel(page, "History")).getByRole("listbox").getByRole("option", { selected: true });
  await expect(current).toContainText("three");
  await page.evaluate(() => {
    const press = (/** @type {boolean} */ shiftKey) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "z", ctrlKey: true, shiftKey, bubbles: true, cancelable: true }));
    for (const again of [false, false, false, true]) press(again);
  });
  await expect(current).toContainText("one");
});

test("in a text, Ctrl+Z is the text's own", async ({ page }) => {
  await furnish(page);
  const produce = await panel(page, "Produce");
  await produce.getByRole("textbox", { name: "Value", exact: true }).focus();
  await page.keyboard.press("Control+z");
  const history = await panel(page, "History");
  await expect(history.getByRole("listbox").getByRole("option", { selected: true })).toContainText("three");
});

test("what is done in the past sets aside what lay ahead, and it can be taken up", async ({ page }) => {
  await furnish(page);
  const history = await panel(page, "History");
  await history.getByRole("listbox").getByRole("option", { name: /value="one"/ }).click();
  await panel(page, "Produce");
  await send(page, { key: text("k"), value: text("other"), partition: 0, timestamp: 1_700_000_000_000 });
  await panel(page, "History");
  await expect(history.getByRole("listbox").getByRole("option")).toHaveCount(4);
  await expect(history.getByRole("listbox").getByRole("option", { selected: true })).toContainText("other");
  await expect(history.getByText("2 steps after step 2")).toBeVisible();
  await history.getByRole("button", { name: /^Take up/ }).click();
  await expect(history.getByRole("listbox").getByRole("option", { selected: true })).toContainText("three");
  await expect(history.getByText("1 step after step 2")).toBeVisible();
  await saved(page);
  await page.reload();
  await panel(page, "History");
  await history.getByRole("button", { name: /^Forget/ }).click();
  await expect(history.getByRole("heading", { name: "Set aside" })).toBeHidden();
});

test("it is played, paused and scrubbed, and the list box goes by keys", async ({ page }) => {
  await furnish(page);
  const history = await panel(page, "History");
  const slider = history.getByRole("slider", { name: "Step of the history" });
  await slider.fill("0");
  await expect(history.getByRole("listbox").getByRole("option", { selected: true })).toContainText("the empty cluster");
  await history.getByRole("combobox", { name: "Speed" }).selectOption("8");
  await history.getByRole("button", { name: "Play" }).click();
  await expect(history.getByRole("listbox").getByRole("option", { selected: true })).toContainText("three");
  await expect(history.getByRole("button", { name: "Play" })).toBeVisible();
  const list = history.getByRole("listbox", { name: "Steps of the history" });
  await list.focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(history.getByRole("listbox").getByRole("option", { selected: true })).toContainText("topic orders");
  await expect(await records(page)).toContainText("0");
});

test("the text is changed, told where it is wrong, and carried out beside what one has", async ({ page }) => {
  await furnish(page);
  const history = await panel(page, "History");
  await history.getByRole("button", { name: "Edit as text…" }).click();
  const dialog = page.getByRole("dialog", { name: "The history as a text" });
  const area = dialog.getByRole("textbox", { name: "Scenario" });
  await expect(area).toHaveValue(/topic orders partitions=2/);
  await area.fill("topic t partitions=2\nprodoce t key=\"k\"\nnote Here it ends.");
  await expect(dialog.getByRole("button", { name: "Line 2, column 1" })).toBeVisible();
  await expectAccessible(page, "dialog[open]");
  await picture(page, "text-dialog");
  await dialog.getByRole("button", { name: "Run it" }).click();
  await expect(dialog).toBeVisible();
  await area.fill("# Mine\ntopic t partitions=2\nproduce t key=\"k\" value=\"v\"\nnote Here it ends.");
  await dialog.getByRole("button", { name: "Run it" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("region", { name: "What is looked at" })).toContainText("From a text: Mine");
  await expect(page.getByRole("region", { name: "Where in the history" })).toContainText("Here it ends.");
  await page.getByRole("button", { name: "Back to mine" }).click();
  await expect(history.getByRole("listbox").getByRole("option", { selected: true })).toContainText("three");
});

test("of a hundred thousand steps only those in sight are made", async ({ page }) => {
  await open(page);
  const lines = ["topic t partitions=3 retention.ms=-1", ...Array.from({ length: 100_000 }, (_, i) => `produce t key="k${i % 50}" value="${i}"`)];
  await makeTopic(page, "mine", 1);
  const history = await panel(page, "History");
  await history.getByRole("button", { name: "Edit as text…" }).click();
  const dialog = page.getByRole("dialog", { name: "The history as a text" });
  await dialog.getByRole("textbox", { name: "Scenario" }).evaluate((area, value) => {
    /** @type {HTMLTextAreaElement} */ (area).value = value;
    area.dispatchEvent(new Event("input", { bubbles: true }));
  }, lines.join("\n"));
  await expect(dialog.getByRole("status")).toContainText("100,001 acts", { timeout: 60_000 });
  await dialog.getByRole("button", { name: "Run it" }).click();
  await expect(dialog).toBeHidden({ timeout: 90_000 });
  await expect(history.getByRole("listbox").getByRole("option", { selected: true })).toContainText("99999");
  expect(await history.getByRole("listbox").getByRole("option").count()).toBeLessThan(80);
  await history.getByRole("slider").fill("50000");
  await expect(history.getByRole("listbox").getByRole("option", { selected: true })).toContainText("49998");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(history.getByRole("listbox").getByRole("option", { selected: true })).toContainText("49997");
});

for (const [width, height] of /** @type {const} */ ([[360, 740], [800, 900], [1600, 1000]])) {
  test(`at ${width} pixels the history breaks nothing of WCAG, in light and dark`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await furnish(page);
    await send(page, { key: NONE, value: text("a longer value, so that the line is cut where there is no room for it"), partition: 1, timestamp: 1_700_000_000_000 });
    await panel(page, "History");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Undo" }).click();
    for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page);
      await picture(page, `history-${width}-${colorScheme}`);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  });
}

test("a scenario that is dropped or chosen opens as a text, by its name or because it reads as one", async ({ page }) => {
  await open(page);
  await makeTopic(page, "mine", 1);
  await drop(page, "www/lessons/en/01-order.lanes", "01-order.lanes");
  const dialog = page.getByRole("dialog", { name: "The scenario 01-order.lanes" });
  await expect(dialog.getByRole("textbox", { name: "Scenario" })).toHaveValue(/^# /);
  await dialog.getByRole("button", { name: "Close" }).click();

  await choose(page, "mine.txt", 'topic orders partitions=2\nproduce orders value="x"\nnote Look at it.\n');
  const mine = page.getByRole("dialog", { name: "The scenario mine.txt" });
  await expect(mine).toContainText("2 acts.");
  await mine.getByRole("button", { name: "Run it" }).click();
  await expect(page.getByText("Look at it.")).toBeVisible();
  await page.getByRole("button", { name: "Back to mine" }).click();

  // With a fault it is a scenario by its name alone; without that it is a file of records.
  await choose(page, "wrong.lanes", "topic orders\nprodcue orders\n");
  await expect(page.getByRole("dialog", { name: "The scenario wrong.lanes" })).toContainText("There is no act prodcue.");
  await page.keyboard.press("Escape");
  await choose(page, "wrong.txt", "topic orders\nprodcue orders\n");
  await expect(page.getByRole("dialog", { name: "Import wrong.txt" })).toBeVisible();
});

test("what was done can be cleared and exported although nothing is left of it", async ({ page }) => {
  await open(page);
  await makeTopic(page, "orders", 1);
  await page.getByRole("button", { name: "Delete…" }).click();
  await page.getByRole("button", { name: "Delete topic" }).click();
  await expect(page.getByRole("button", { name: "Export", exact: true })).toBeEnabled();
  await page.getByRole("button", { name: "Clear…" }).click();
  await expect(page.getByRole("dialog")).toContainText("the history of 2 steps will be gone");
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await expect(page.getByRole("button", { name: "Clear…" })).toBeDisabled();
});

test("what a scenario says is there after it was kept and the page reloaded", async ({ page }) => {
  await open(page);
  await choose(page, "mine.lanes", 'topic orders\nnote Look at the topic.\nproduce orders value="x"\nnote And at the record.\n');
  await page.getByRole("button", { name: "Run it" }).click();
  await page.getByRole("button", { name: "Keep it…" }).click();
  await expect(page.getByRole("button", { name: "Keep it…" })).toBeHidden();
  await saved(page);
  await page.reload();
  const where = page.getByRole("region", { name: "Where in the history" });
  await expect(where).toContainText("And at the record.");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(where).toContainText("Look at the topic.");
  const history = await panel(page, "History");
  await history.getByRole("button", { name: "Edit as text…" }).click();
  await expect(page.getByRole("textbox", { name: "Scenario" })).toHaveValue(/\ntopic orders.*\nnote Look at the topic\.\n/);
});
