// How the tests of the page run: `cargo xtask test --only page`, or `npx playwright test` when
// www/pkg has been built. Each test worker serves the page itself; see tests/e2e/support.

import { defineConfig, devices } from "@playwright/test";
import { launchOptions } from "./tests/e2e/support/chromium.js";

export default defineConfig({
  testDir: "tests/e2e",
  outputDir: "test-results",
  forbidOnly: Boolean(process.env.CI),
  // CI's machine may be busy with other things: what passes when tried again is told as flaky.
  retries: process.env.CI ? 2 : 0,
  fullyParallel: true,
  workers: process.env.CI ? 2 : undefined,
  // Generous, for a busy machine with two cores. No test depends on how fast something is.
  timeout: process.env.CI ? 180_000 : 120_000,
  expect: { timeout: process.env.CI ? 45_000 : 15_000 },
  reporter: [["list"]],
  use: {
    ...devices["Desktop Chrome"],
    launchOptions: launchOptions(),
    locale: "en-GB",
    timezoneId: "UTC",
    trace: "retain-on-failure",
    screenshot: "only-on-failure",
  },
  projects: [{ name: "chromium" }],
});
