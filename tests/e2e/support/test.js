// @ts-check
/**
 * @file The `test` that every spec imports instead of Playwright's own: the page is served, and a
 * test fails when the page broke its own rules while it ran.
 */

import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import { test as base, expect } from "@playwright/test";
import { startServer } from "./server.js";

export { expect };

/** The success criteria of WCAG 2.2 AA and below, as axe names them. */
const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/**
 * @typedef {object} TestFixtures
 * @property {string[]} complaints What the page complained of so far: uncaught errors,
 *   `console.error` (a blocked resource or a broken policy is one too) and requests to another
 *   host. A test that expects one empties the list; what is left at the end fails the test.
 *
 * @typedef {object} WorkerFixtures
 * @property {import("./server.js").Server} server The served page, under the strict policy.
 */

/**
 * @type {import("@playwright/test").Fixtures<
 *   TestFixtures,
 *   WorkerFixtures,
 *   import("@playwright/test").PlaywrightTestArgs &
 *     import("@playwright/test").PlaywrightTestOptions,
 *   import("@playwright/test").PlaywrightWorkerArgs &
 *     import("@playwright/test").PlaywrightWorkerOptions>}
 */
const fixtures = {
  server: [
    // Playwright reads the names it must provide from this pattern, so it stays although empty.
    async ({}, use) => {
      const server = await startServer();
      await use(server);
      await server.stop();
    },
    { scope: "worker" },
  ],

  baseURL: async ({ server }, use) => {
    await use(server.url);
  },

  complaints: [
    async ({ context }, use) => {
      /** @type {string[]} */
      const complaints = [];
      context.on("weberror", (event) => complaints.push(`uncaught: ${event.error().message}`));
      context.on("console", (message) => {
        const { url } = message.location();
        // Chromium asks every host for it once, whatever the page says.
        if (message.type() !== "error" || url.endsWith("/favicon.ico")) return;
        complaints.push(`console.error: ${message.text()} (${url})`);
      });
      context.on("request", (request) => {
        const url = new URL(request.url());
        const ours = ["data:", "blob:"].includes(url.protocol) || url.hostname === "127.0.0.1";
        if (!ours) complaints.push(`request to another host: ${url.href}`);
      });
      await use(complaints);
      expect(complaints, "the page complained").toEqual([]);
    },
    { auto: true },
  ],
};

/** Playwright's `test`, with the page served: `page.goto("/")` opens it. */
export const test = base.extend(fixtures);

/**
 * Fails when axe finds a breach of WCAG 2.2 AA in the page as it is now.
 * @param {import("@playwright/test").Page} page
 * @param {string} [within] A selector: look there alone.
 */
export async function expectAccessible(page, within) {
  let axe = new AxeBuilder({ page }).withTags(WCAG);
  if (within !== undefined) axe = axe.include(within);
  const { violations } = await axe.analyze();
  const found = violations.map(({ id, help, nodes }) => ({
    id,
    help,
    where: nodes.map((node) => node.target.join(" ")),
  }));
  expect(found, "breaches of WCAG 2.2 AA").toEqual([]);
}

/**
 * Saves a picture of the page to look at, as test-results/pictures/NAME.png, when `LOGLANES_PICTURES`
 * is set: of the tests' time, pictures nobody looks at took a good part.
 * @param {import("@playwright/test").Page} page
 * @param {string} name
 */
export async function picture(page, name) {
  if (!process.env.LOGLANES_PICTURES) return;
  const path = join("test-results", "pictures", `${name}.png`);
  await mkdir(dirname(path), { recursive: true });
  await page.screenshot({ path, animations: "disabled" });
}

/**
 * Saves a picture that the documents show, as docs/NAME.png, when `LOGLANES_PICTURES` is set;
 * otherwise does nothing, so that a run of the tests changes no committed file.
 * @param {import("@playwright/test").Page} page
 * @param {string} name
 */
export async function pictureForDocs(page, name) {
  if (!process.env.LOGLANES_PICTURES) return;
  await page.screenshot({ path: join("docs", `${name}.png`), animations: "disabled" });
}
