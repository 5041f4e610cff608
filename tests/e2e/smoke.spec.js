// @ts-check
/** @file The page is there and bound to its policy, by the server and by itself. */

import { readFile } from "node:fs/promises";
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

test("the page says all that it simplifies", async ({ page }) => {
  const design = await readFile(new URL("../../docs/design.md", import.meta.url), "utf8");
  const list = design.split(/^## /m).find((section) => section.startsWith("What a learner should know")) ?? "";
  const rows = list.split("\n").filter((line) => line.startsWith("| ") && line !== "| Kafka | here |");
  expect(rows.length).toBeGreaterThan(0);
  await page.goto("/");
  await expect(page.locator("#page")).toBeVisible();
  await page.getByText("What is simplified here").click();
  await expect(page.locator("#simplified").getByRole("listitem")).toHaveCount(rows.length);
});

test("the wasm package arrives as wasm", async ({ request }) => {
  const response = await request.get("/www/pkg/loglanes_bg.wasm");
  expect(response.status()).toBe(200);
  expect(response.headers()["content-type"]).toBe("application/wasm");
});
