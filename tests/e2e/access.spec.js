// @ts-check
/** @file The page for everyone: WCAG at each width and theme, the keyboard alone, and no motion for those who want none. */

import { done, form, lane, loadFlights, open, panel, recordPanel } from "./support/acts.js";
import { expect, expectAccessible, picture, test } from "./support/test.js";

/** @import { Page } from "@playwright/test" */

const PANELS = ["Lessons", "Produce", "Groups", "Partitions", "Configs", "Keys", "History"];
const SIZES = /** @type {const} */ ([[360, 740], [800, 900], [1600, 1000]]);

/** @param {Page} page */
const overhang = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

for (const [width, height] of SIZES) {
  test(`at ${width} pixels nothing breaks WCAG or runs out of the window, in light and dark`, async ({ page }) => {
    test.setTimeout(240_000);
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ reducedMotion: "reduce" });
    await open(page);
    /** @param {string} name @param {string} [within] what is new since the last look */
    const look = async (name, within) => {
      for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
        await page.emulateMedia({ colorScheme });
        // The colours are the same at every width, and axe takes its time.
        if (colorScheme === (width === 1600 ? "dark" : "light")) await expectAccessible(page, within);
        await picture(page, `${width}-${colorScheme}-${name}`);
      }
      expect(await overhang(page), name).toBeLessThanOrEqual(0);
    };
    await look("first");
    await loadFlights(page);
    await lane(page, 1).getByRole("listitem").first().focus();
    await page.keyboard.press("Enter");
    await expect(recordPanel(page).getByRole("heading", { name: "Why this partition" })).toBeVisible();
    const groups = await panel(page, "Groups");
    await groups.getByRole("radio", { name: /^earliest/ }).check();
    for (let i = 0; i < 2; i++) await groups.getByRole("button", { name: "Join the group" }).click();
    await groups.getByRole("button", { name: "Poll with m1" }).click();
    await groups.getByRole("button", { name: "Crash m2" }).click();
    for (const name of PANELS) {
      const within = await (await panel(page, name)).getAttribute("id");
      await look(name.toLowerCase(), name === "Produce" ? undefined : `#${within}`);
    }
    await panel(page, "Groups");
    // On a slow machine the looks above took longer than the session of m2.
    const timeOut = groups.getByRole("button", { name: "Let the session time out now for m2" });
    if (await timeOut.isVisible()) await timeOut.click();
    await groups.getByRole("button", { name: "Close m1" }).click();
    await groups.getByRole("button", { name: "Reset offsets of billing…" }).click();
    await expect(page.getByRole("dialog")).toContainText("Dry run");
    await look("reset", "dialog[open]");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "+ topic" }).click();
    await look("new-topic", "dialog[open]");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Delete…" }).click();
    await look("delete-topic", "dialog[open]");
    await page.keyboard.press("Escape");
  });
}

/** Presses a key until what has the focus is as wanted. @param {Page} page @param {string} key @param {string} selector @param {string} [name] */
async function until(page, key, selector, name = "") {
  for (let i = 0; i < 80; i++) {
    const there = await page.evaluate(([wanted, text]) => {
      const element = document.activeElement;
      return element?.matches(wanted) === true && (element.textContent ?? "").includes(text);
    }, [selector, name]);
    if (there) return expectFocusSeen(page);
    await page.keyboard.press(key);
  }
  throw new Error(`${key} never leads to ${selector} ${name}`);
}

/** What has the focus shows it: by an outline of its own, or on the canvas below it. @param {Page} page */
async function expectFocusSeen(page) {
  const style = await page.evaluate(() => {
    const element = /** @type {Element} */ (document.activeElement);
    // A choice is a hidden radio button: its label shows the focus.
    const shown = element.matches(".choice input") ? (element.nextElementSibling ?? element) : element;
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(shown);
    return { outline: outlineStyle !== "none" && parseFloat(outlineWidth) >= 1, shadow: boxShadow !== "none", cell: element.matches(".lane-item") };
  });
  expect(style.outline || style.shadow || style.cell, JSON.stringify(style)).toBe(true);
}

test("the core of the job is done with the keyboard alone", async ({ page }) => {
  await page.setViewportSize({ width: 1200, height: 900 });
  await open(page);
  await until(page, "Tab", "button", "Load 20,000 real flights");
  await page.keyboard.press("Enter");
  await expect(done(page)).toHaveText(/^Done: 20,000 records/, { timeout: 40_000 });

  await until(page, "Tab", ".lane-item");
  for (const key of ["ArrowDown", "Home", "ArrowRight", "ArrowRight"]) await page.keyboard.press(key);
  await expect(page.locator(":focus")).toContainText("Offset 2, key ");
  await page.keyboard.press("Enter");
  await expect(recordPanel(page).getByRole("heading", { level: 2 })).toHaveText("P1 @ 2");

  await until(page, "Tab", "[role=tab]", "Produce");
  await until(page, "Tab", "textarea");
  await page.keyboard.type("ORD");
  await page.keyboard.press("Control+Enter");
  await expect(form(page)).toContainText("Stored at");

  await until(page, "Shift+Tab", "[role=tab]", "Produce");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await until(page, "Tab", "button", "Add partitions now");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("tabpanel", { name: "Partitions" })).toContainText("Added partitions 6 to 11");

  await until(page, "Shift+Tab", "[role=tab]", "Partitions");
  await page.keyboard.press("ArrowLeft");
  await until(page, "Tab", "button", "Join the group");
  await page.keyboard.press("Enter");
  await until(page, "Tab", "button", "Poll");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("tabpanel", { name: "Groups" })).toContainText("m1 polled");
});

test("on a narrow screen the panels are one key away, and closing a record gives the focus back", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await open(page);
  await loadFlights(page);
  await lane(page, 1).getByRole("listitem").first().focus();
  await page.keyboard.press("Enter");
  await recordPanel(page).getByRole("button", { name: "Close" }).click();
  await expect(lane(page, 1).getByRole("listitem").first()).toBeFocused();
  await page.locator("body").evaluate(() => /** @type {HTMLElement} */ (document.activeElement).blur());
  await page.getByRole("link", { name: "Skip to the panels" }).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("tab", { name: "Produce" })).toBeFocused();
  await expect(page.getByRole("tab", { name: "Produce" })).toBeInViewport();
});

test("with reduced motion nothing moves that need not", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page);
  await loadFlights(page);
  await panel(page, "Produce");
  await form(page).getByRole("button", { name: "Send" }).click();
  await expect(form(page)).toContainText("Stored at");
  const moving = await page.evaluate(() => document.getAnimations().filter((each) => Number(each.effect?.getComputedTiming().duration) > 50).length);
  expect(moving).toBe(0);
});
