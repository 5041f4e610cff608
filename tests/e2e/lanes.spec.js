// @ts-check
/** @file The page around the lanes: the first visit, the keyboard's way, a record in full, tabs, themes, a fault. */

import { expect, test } from "./support/test.js";

/** @param {import("@playwright/test").Page} page */
async function loadFlights(page) {
  await page.goto("/");
  await page.getByRole("button", { name: "Load 20,000 real flights" }).click();
  await expect(page.getByText(/Done: 20,000 records/).first()).toBeVisible({ timeout: 30_000 });
}

/** @param {import("@playwright/test").Page} page */
const focused = (page) => page.evaluate(() => document.activeElement?.textContent ?? "");

/** @param {import("@playwright/test").Page} page */
const lane = (page) => page.evaluate(() => document.activeElement?.parentElement?.getAttribute("aria-label") ?? "");

test("a first visit says what this is and the one rule, and nothing else", async ({ page }) => {
  await page.goto("/");
  await expect(page.getByText("Order holds within a partition, never across.")).toBeVisible();
  await expect(page.getByRole("tablist")).toBeHidden();
  await expect(page.getByRole("button", { name: "Make a topic by hand" })).toBeVisible();
});

test("one click loads the sample into lanes that are lists", async ({ page }) => {
  await loadFlights(page);
  const lists = page.getByRole("list", { name: /^Partition \d+, leader [123], offsets 0 to [\d,]+, [\d,]+ records$/ });
  await expect(lists).toHaveCount(6);
  // Only a few of the 20,000 records are elements, and one of them can be reached by Tab.
  expect(await page.locator(".lane-item").count()).toBeLessThan(60);
  await expect(page.locator('.lane-item[tabindex="0"]')).toHaveCount(1);
});

test("the keyboard walks records and lanes, and chooses", async ({ page }) => {
  await loadFlights(page);
  await page.locator('.lane-item[tabindex="0"]').focus();
  expect(await focused(page)).toMatch(/^Offset 0, key \w{3}, value /);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  expect(await focused(page)).toMatch(/^Offset 2, /);
  await page.keyboard.press("ArrowLeft");
  expect(await focused(page)).toMatch(/^Offset 1, /);
  await page.keyboard.press("ArrowDown");
  expect(await lane(page)).toMatch(/^Partition 1,/);
  await page.keyboard.press("End");
  const last = await page.evaluate(() => [document.activeElement?.getAttribute("aria-posinset"), document.activeElement?.getAttribute("aria-setsize")]);
  expect(last[0]).toBe(last[1]);
  await page.keyboard.press("Home");
  expect(await focused(page)).toMatch(/^Offset 0, /);
  await page.keyboard.press("Enter");
  await expect(page.locator("#record h2:visible")).toHaveText("P1 @ 0");
  await expect(page.locator('.lane-item[aria-current="true"]')).toHaveCount(1);
  // Zooming and walking keep the keyboard's place.
  for (const key of ["+", "+", "-", "0", "ArrowRight"]) await page.keyboard.press(key);
  expect(await focused(page)).toMatch(/^Offset 1, /);
});

test("a record shows its arithmetic, its value with digits as they were, and its bytes", async ({ page }) => {
  await loadFlights(page);
  await page.locator('.lane-item[tabindex="0"]').focus();
  await page.keyboard.press("Enter");
  const record = page.locator("#record");
  await expect(record.locator(".sum")).toContainText(/murmur2\(\w{3}, 3 bytes\)=-?\d+& 0x7fffffff=\d+% 6 partitions=0/);
  await expect(record.locator("pre").filter({ hasText: '"origin"' })).toContainText('"distance": ');
  await record.getByText("Bytes in the log").click();
  await expect(record.getByRole("group", { name: "The batch’s head, 61 bytes" })).toContainText("baseOffset");
  await record.getByRole("button", { name: "Next record of this partition" }).click();
  await expect(record.locator("h2:visible")).toHaveText("P0 @ 1");
  await record.getByRole("button", { name: "Previous record of this partition" }).click();
  await expect(record.locator("h2:visible")).toHaveText("P0 @ 0");
  await expect(record.getByRole("button", { name: "Previous record of this partition" })).toBeDisabled();
});

test("a click on a cell chooses the record under it, and a drag does not", async ({ page }) => {
  await loadFlights(page);
  const box = await page.locator(".lanes-canvas").boundingBox();
  if (!box) throw new Error("no canvas");
  await page.mouse.move(box.x + 300, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + 200, box.y + 60, { steps: 4 });
  await page.mouse.up();
  await expect(page.locator("#record h2:visible")).toHaveText("Record");
  await page.mouse.click(box.x + 200, box.y + 60);
  await expect(page.locator("#record h2:visible")).toHaveText(/^P0 @ [\d,]+$/);
});

test("tabs follow the arrows", async ({ page }) => {
  await loadFlights(page);
  await page.getByRole("tab", { name: "Produce" }).focus();
  await page.keyboard.press("ArrowLeft");
  await expect(page.getByRole("tab", { name: "Lessons" })).toBeFocused();
  await page.keyboard.press("ArrowLeft");
  await expect(page.getByRole("tab", { name: "History" })).toBeFocused();
  await expect(page.getByRole("tabpanel", { name: "History" })).toBeVisible();
  await page.keyboard.press("Home");
  await expect(page.getByRole("tabpanel", { name: "Lessons" })).toBeVisible();
  await expect(page.getByRole("tabpanel", { name: "History" })).toBeHidden();
});

test("the chosen theme is kept", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto("/");
  await page.getByRole("button", { name: "Dark colours" }).click();
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(page.getByRole("button", { name: "Light colours" })).toBeVisible();
});

test("nothing is wider than a narrow screen", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await loadFlights(page);
  await page.locator('.lane-item[tabindex="0"]').focus();
  await page.keyboard.press("Enter");
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
});

test("a panic stops the page with its cause, and the saved state is there after a reload", async ({ page, complaints }) => {
  await page.route("**/www/pkg/loglanes.js", async (route) => {
    const response = await route.fetch();
    const trap = `
      const apply = Loglanes.prototype.apply;
      Loglanes.prototype.apply = function (command, now) {
        if (command.type === "produce") {
          console.error("panicked at src/somewhere.rs:1:2:\\nthe cause\\n\\nStack:\\n\\n");
          throw new WebAssembly.RuntimeError("unreachable");
        }
        return apply.call(this, command, now);
      };`;
    await route.fulfill({ response, body: (await response.text()) + trap });
  });
  await loadFlights(page);
  await expect(page.locator("#storage")).toContainText("Saved");
  await page.getByRole("button", { name: "Send" }).click();
  const fault = page.getByRole("dialog", { name: "Loglanes has stopped" });
  await expect(fault).toContainText("the cause");
  await page.keyboard.press("Escape");
  await expect(fault).toBeVisible();
  await fault.getByRole("button", { name: "Reload from the saved state" }).click();
  await expect(page.getByRole("list", { name: /^Partition 0,/ })).toHaveCount(1);
  complaints.length = 0;
});

test("without wasm-unsafe-eval the page names what is missing", async ({ page, complaints }) => {
  await page.route("**/*", async (route) => {
    if (route.request().resourceType() !== "document") return route.fallback();
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), "content-security-policy": "default-src 'self'" } });
  });
  await page.goto("/");
  await expect(page.locator("#boot")).toContainText("'wasm-unsafe-eval'");
  await expect(page.locator("#boot")).toContainText("script-src");
  complaints.length = 0;
});
