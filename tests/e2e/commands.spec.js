// @ts-check
/** @file The history as commands of Kafka's own tools: read, copied, saved. */

import { readFile } from "node:fs/promises";
import { makeTopic, open, panel, send, text } from "./support/acts.js";
import { expect, expectAccessible, picture, test } from "./support/test.js";

/** @import { Page } from "@playwright/test" */

/** @param {Page} page */
const dialog = (page) => page.getByRole("dialog", { name: "As Kafka commands" });

/** Opens a scenario as a text, and the dialog. @param {Page} page @param {string} scenario */
async function ofText(page, scenario) {
  await open(page);
  await makeTopic(page, "mine", 1);
  const history = await panel(page, "History");
  await history.getByRole("button", { name: "Edit as text…" }).click();
  const editor = page.getByRole("dialog", { name: "The history as a text" });
  await editor.getByRole("textbox", { name: "Scenario" }).fill(scenario);
  await editor.getByRole("button", { name: "Run it" }).click();
  await expect(editor).toBeHidden();
  await history.getByRole("button", { name: "As Kafka commands…" }).click();
  await expect(dialog(page)).toBeVisible();
}

test("what was done by hand is a script to read, to copy and to save", async ({ page, context }) => {
  await open(page);
  await makeTopic(page, "orders", 2);
  await send(page, { key: text("it's $HOME"), value: text("one") });
  const history = await panel(page, "History");
  await history.getByRole("button", { name: "As Kafka commands…" }).click();
  const script = dialog(page).getByRole("region", { name: "Script" });
  await expect(script).toContainText("tool kafka-topics --create --topic orders --partitions 2");
  await expect(script).toContainText("it's $HOME:one");
  await expect(dialog(page).getByRole("heading", { name: /^Not carried over: / })).toBeVisible();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await dialog(page).getByRole("button", { name: "Copy the script" }).click();
  await expect(dialog(page).getByRole("status")).toHaveText("Copied.");
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await script.textContent());
  const downloading = page.waitForEvent("download");
  await dialog(page).getByRole("button", { name: "Save run.sh" }).click();
  const saved = await downloading;
  expect(saved.suggestedFilename()).toBe("run.sh");
  expect((await readFile(await saved.path())).toString()).toBe(await script.textContent());
  await page.keyboard.press("Escape");
  await expect(dialog(page)).toBeHidden();
});

test("what no tool does is said with its lines, and much data comes in a zip", async ({ page }) => {
  await ofText(page, `# Mine
note <img src=x> & "quotes"
topic t partitions=3
produce t count=5000 keys=40
join g m t reset=earliest
poll g m
crash g m
clock +1h
partitions t 3
expect error INVALID_PARTITIONS`);
  const lost = dialog(page).getByRole("list", { name: "Not carried over" });
  await expect(lost).toContainText("clock (line 8): Nothing moves a real cluster’s clock".replace("’", "'"));
  await expect(lost).toContainText("crash (line 7)");
  await expect(dialog(page).getByRole("region", { name: "Script" })).toContainText('<img src=x> & "quotes"');
  await expect(dialog(page).getByText("With 1 file of data beside it")).toBeVisible();
  await expectAccessible(page, "dialog[open]");
  await picture(page, "commands-dialog");
  const downloading = page.waitForEvent("download");
  await dialog(page).getByRole("button", { name: "Save as zip" }).click();
  const zip = await readFile(await (await downloading).path());
  expect(zip.subarray(0, 2).toString()).toBe("PK");
  for (const name of ["loglanes-commands/run.sh", "loglanes-commands/data/t-1.txt"]) expect(zip.includes(name)).toBe(true);
});

for (const [width, height] of /** @type {const} */ ([[360, 740], [800, 900], [1600, 1000]])) {
  test(`at ${width} pixels the dialog breaks nothing of WCAG, in light and dark`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await ofText(page, "topic t partitions=2\nproduce t key=\"k\" value=\"v\"\njoin g m t reset=earliest\npoll g m\nleave g m\nclock +1h");
    for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page, "dialog[open]");
      await picture(page, `commands-${width}-${colorScheme}`);
      const sideways = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      expect(sideways).toBe(false);
    }
  });
}
