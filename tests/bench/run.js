/** @file `cargo xtask bench` runs this: each measure in a fresh tab of headless Chromium. */

import { chromium } from "@playwright/test";
import { launchOptions } from "../e2e/support/chromium.js";
import { startServer } from "../e2e/support/server.js";

const PAGE = "/tests/bench/index.html";
const [, , filter = ""] = process.argv;

const server = await startServer({ also: ["tests/bench", "node_modules/sql.js/dist"] });
const browser = await chromium.launch(launchOptions());
try {
  const first = await open();
  const names = await first.evaluate((bench) => bench.names);
  for (const name of names.filter((name) => name.includes(filter))) {
    const bench = await open();
    print(await bench.evaluate((bench, name) => bench.run(name), name));
  }
} finally {
  await browser.close();
  await server.stop();
}

/**
 * The measures, in a fresh tab. The tab before it is closed.
 * @returns {Promise<import("@playwright/test").JSHandle<import("./page.js").Bench>>}
 */
async function open() {
  for (const context of browser.contexts()) await context.close();
  const page = await browser.newPage();
  page.on("pageerror", (error) => console.error(error));
  page.on("console", (message) => {
    if (!message.location().url.endsWith("/favicon.ico")) console.log(message.text());
  });
  await page.goto(server.url + PAGE, { timeout: 120_000 });
  await page.waitForFunction(() => "bench" in window);
  return await page.evaluateHandle(
    () => /** @type {import("./page.js").Bench} */ (Reflect.get(window, "bench")),
  );
}

/** @param {import("./measure.js").Result} result */
function print({ name, unit, count, goal, facts, rows }) {
  console.log(`\n${name}: ${count.toLocaleString("en")} ${unit}${goal && `; the goal: ${goal}`}`);
  for (const { side, ms, rate, ratio, spread } of rows) {
    const [time, millions, times] = [ms.toFixed(1), (rate / 1e6).toFixed(2), ratio.toFixed(2)];
    console.log(
      `  ${side.padEnd(24)} ${time.padStart(8)} ms ${millions.padStart(9)} million ${unit}/s` +
        ` ${times.padStart(8)} x   (slowest round ${spread.toFixed(2)} x the fastest)`,
    );
  }
  for (const fact of facts) console.log(`  ${fact}`);
}
