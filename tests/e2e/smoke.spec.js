// @ts-check
/** @file The page is there and bound to its policy, by the server and by itself. */

import { expect, test } from "./support/test.js";

const POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";

test("the page opens under its name", async ({ page }) => {
  await page.goto("/");
  await expect(page).toHaveTitle(/Loglanes/);
});

test("the server sends the strict policy", async ({ page }) => {
  const response = await page.goto("/");
  expect(response?.headers()["content-security-policy"]).toBe(POLICY);
});

test("the page carries the policy wherever it is hosted", async ({ page }) => {
  await page.goto("/");
  const meta = page.locator('meta[http-equiv="Content-Security-Policy"]');
  await expect(meta).toHaveAttribute("content", /default-src 'self'/);
  await expect(meta).toHaveAttribute("content", /script-src 'self' 'wasm-unsafe-eval'/);
});

test("the wasm package arrives as wasm", async ({ request }) => {
  const response = await request.get("/www/pkg/loglanes_bg.wasm");
  expect(response.status()).toBe(200);
  expect(response.headers()["content-type"]).toBe("application/wasm");
});
