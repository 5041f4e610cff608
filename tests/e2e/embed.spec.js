// @ts-check
/** @file The page in a frame of another page: a tutorial, a handbook. With its own origin, and without any. */

import { fileURLToPath } from "node:url";
import { expect, test } from "./support/test.js";

/** @import { BrowserContext, FrameLocator, Page } from "@playwright/test" */

const SIZES = [{ width: 360, height: 640 }, { width: 800, height: 500 }];

/**
 * A tall page with Loglanes in a frame.
 * @param {Page} page
 * @param {{ width: number, height: number }} size
 * @param {{ sandbox?: string }} [options]
 * @returns {Promise<FrameLocator>}
 */
async function embed(page, { width, height }, { sandbox } = {}) {
  await page.route("**/tutorial", (route) =>
    route.fulfill({
      contentType: "text/html",
      body: `<!doctype html><title>A tutorial</title><body style="height: 3000px"><p>Kafka, explained.</p>
        <iframe src="/" width="${width}" height="${height}" ${sandbox === undefined ? "" : `sandbox="${sandbox}"`}></iframe>`,
    }),
  );
  await page.setViewportSize({ width: width + 40, height: height + 100 });
  await page.goto("/tutorial");
  const frame = page.frameLocator("iframe");
  await expect(frame.locator("#page")).toBeVisible();
  return frame;
}

/** A frame without an origin may load modules only from a server that lets every page do so. @param {BrowserContext} context */
async function allowEveryOrigin(context) {
  await context.route(/^[^?]+\/(www|src)\//, (route) =>
    route.fulfill({
      path: fileURLToPath(new URL(`../..${new URL(route.request().url()).pathname}`, import.meta.url)),
      headers: { "access-control-allow-origin": "*" },
    }),
  );
}

/** @param {FrameLocator} frame */
async function loadFlights(frame) {
  await frame.getByRole("button", { name: "Load 20,000 real flights" }).click();
  await expect(frame.getByRole("heading", { name: /^Done: 20,000 records/ })).toBeVisible({ timeout: 40_000 });
}

for (const size of SIZES) {
  const name = `${size.width} x ${size.height}`;

  test(`at ${name} the ways to begin and the lanes are in sight, and nothing is wider than the frame`, async ({ page }) => {
    const frame = await embed(page, size);
    const bottom = async (/** @type {import("@playwright/test").Locator} */ of) => {
      const box = await of.boundingBox();
      const around = await page.locator("iframe").boundingBox();
      return box && around ? box.y + box.height - around.y : Infinity;
    };
    expect(await bottom(frame.getByRole("button", { name: "Load 20,000 real flights" }))).toBeLessThan(size.height);
    await loadFlights(frame);
    expect(await bottom(frame.locator(".lanes-scroll"))).toBeLessThan(size.height);
    const wider = await frame.locator("html").evaluate((html) => html.scrollWidth - html.clientWidth);
    expect(wider).toBeLessThanOrEqual(0);
  });

  test(`at ${name} the wheel over the lanes scrolls pages, and zooms only with Ctrl`, async ({ page }) => {
    const frame = await embed(page, size);
    await loadFlights(frame);
    const where = () => page.evaluate(() => scrollY);
    await frame.locator(".lanes-scroll").hover();
    // First the framed page goes to its end, then the one around it: no trap.
    for (let i = 0; i < 30; i += 1) await page.mouse.wheel(0, 400);
    await expect.poll(where).toBeGreaterThan(0);

    await page.evaluate(() => scrollTo(0, 0));
    await frame.locator("html").evaluate(() => scrollTo(0, 0));
    await frame.locator(".lanes-scroll").hover();
    const cells = () => frame.locator(".lane-item").first().evaluate((item) => item.getBoundingClientRect().width);
    const before = await cells();
    await page.keyboard.down("Control");
    for (let i = 0; i < 8; i += 1) await page.mouse.wheel(0, -400);
    await page.keyboard.up("Control");
    await expect.poll(cells).toBeGreaterThan(before);
    expect(await where()).toBe(0);
  });
}

test("a frame without an origin works in memory, says so once, and takes the keyboard", async ({ page, context }) => {
  await allowEveryOrigin(context);
  const frame = await embed(page, { width: 800, height: 500 }, { sandbox: "allow-scripts" });
  await expect(frame.locator("#notice")).toContainText("may not store");
  await expect(frame.locator("#notice")).toBeEmpty({ timeout: 30_000 });
  await loadFlights(frame);
  await frame.getByRole("button", { name: "Close" }).click();
  await expect(frame.locator("#notice")).toBeEmpty();
  await expect(frame.locator(".storage-word")).toContainText("Not kept");
  await frame.locator('.lane-item[tabindex="0"]').focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(frame.locator("#record h2:visible")).toHaveText(/^P1 @ /);
});
