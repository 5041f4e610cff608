// @ts-check
/** @file Loglanes in other people's pages: strict policies, frames without storage, no shared memory, and its engine on its own. */

import { form, lane, loadFlights, makeTopic, open, panel, readText, send, text } from "./support/acts.js";
import { startServer } from "./support/server.js";
import { expect, expectAccessible, test } from "./support/test.js";

/** @import { Page } from "@playwright/test" */

/** A page of somebody else that shows Loglanes in a frame. @param {Page} page @param {string} sandbox */
async function embed(page, sandbox) {
  await page.route("**/host.html", (route) => route.fulfill({
    contentType: "text/html",
    body: `<!doctype html><html lang="en"><title>Host</title><body><h1>Host</h1><iframe src="/" title="Loglanes" width="760" height="900"${sandbox ? ` sandbox="${sandbox}"` : ""}></iframe></body></html>`,
  }));
  // A sandboxed frame is of no origin: to it even its own files are foreign, so a host must allow them.
  if (sandbox) {
    await page.route(/\/www\//, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, headers: { ...response.headers(), "access-control-allow-origin": "*" } });
    });
  }
  await page.goto("/host.html");
  return page.frameLocator("iframe");
}

test("a policy without wasm-unsafe-eval is named on the page itself", async ({ page, complaints }) => {
  const strict = await startServer({ csp: "default-src 'self'" });
  try {
    await page.goto(strict.url);
    await expect(page.locator("#boot")).toContainText("'wasm-unsafe-eval'");
    await expect(page.locator("#boot")).toContainText("script-src");
    await expectAccessible(page);
    complaints.length = 0;
  } finally {
    await strict.stop();
  }
});

test("a missing engine is named, under the strict policy too", async ({ page, complaints }) => {
  await page.route("**/first.wasm", (route) => route.fulfill({ status: 404 }));
  await page.goto("/");
  await expect(page.locator("#boot")).toContainText("404");
  await expect(page.locator("#boot")).toContainText("cargo xtask build");
  complaints.length = 0;
});

test("in a frame of another page it works in full, without shared memory", async ({ page }) => {
  const frame = await embed(page, "");
  await makeTopic(frame, "orders", 2);
  await panel(frame, "Produce");
  await send(frame, { key: text("k"), value: text("v") });
  await expect(frame.locator(".storage-word")).toHaveText("Saved");
  expect(await page.frames()[1].evaluate(() => [crossOriginIsolated, "SharedArrayBuffer" in globalThis])).toEqual([false, false]);
  await expectAccessible(page);
});

test("in a sandboxed frame it works in memory, says that nothing is kept, and can be exported", async ({ page }) => {
  const frame = await embed(page, "allow-scripts allow-downloads");
  await expect(frame.locator(".storage-word")).toHaveText("Not kept: this page may not store");
  await loadFlights(frame);
  await expect(lane(frame, 5)).toHaveCount(1);
  await panel(frame, "Produce");
  await send(frame, { key: text("k"), value: text("v") });
  await expect(form(frame)).toContainText("Stored at");
  const downloading = page.waitForEvent("download");
  await frame.getByRole("button", { name: "Export", exact: true }).click();
  expect((await downloading).suggestedFilename()).toMatch(/\.loglanes$/);
});

test("the JavaScript of the README runs as it is written there", async ({ page }) => {
  const code = /```js\n([\s\S]*?)```/.exec(await readText("README.md"))?.[1] ?? "";
  expect(code).toContain("new Loglanes");
  await page.route("**/example.html", (route) => route.fulfill({ contentType: "text/html", body: '<!doctype html><title>Example</title><script type="module" src="/example.js"></script>' }));
  await page.route("**/example.js", (route) => route.fulfill({ contentType: "text/javascript", body: `${code}\nconsole.log("end");` }));
  await page.addInitScript(() => {
    const said = /** @type {string[]} */ ([]);
    Object.assign(window, { said });
    console.log = (...words) => said.push(words.map((word) => (typeof word === "bigint" ? `${word}n` : String(word))).join(" "));
  });
  await page.goto("/example.html");
  await expect.poll(() => page.evaluate(() => /** @type {any} */ (window).said)).toEqual(["6", "0n", "INVALID_PARTITIONS 37", "end"]);
});

test("a fault in the middle of an import stops the page, and what was saved before is kept", async ({ page, complaints }) => {
  await page.route("**/www/pkg/loglanes.js", async (route) => {
    const response = await route.fetch();
    const trap = `
      const feed = Loglanes.prototype.feed;
      let fed = 0;
      Loglanes.prototype.feed = function (bytes) {
        if (++fed > 3) throw new WebAssembly.RuntimeError("unreachable");
        return feed.call(this, bytes);
      };`;
    await route.fulfill({ response, body: (await response.text()) + trap });
  });
  await open(page);
  await makeTopic(page, "orders", 1);
  await panel(page, "Produce");
  await send(page, { key: text("k"), value: text("kept") });
  await expect(page.locator(".storage-word")).toHaveText("Saved");
  await page.getByRole("button", { name: "Sample…" }).click();
  const plan = page.getByRole("dialog", { name: "Import flights.ndjson" });
  await plan.getByLabel("Into the topic").selectOption("orders");
  await plan.getByRole("row", { name: /^origin/ }).getByRole("radio").check();
  await plan.getByRole("button", { name: "Import", exact: true }).click();
  const fault = page.getByRole("dialog", { name: "Loglanes has stopped" });
  await expect(fault).toContainText("unreachable");
  await expectAccessible(page, "#fault");
  await fault.getByRole("button", { name: "Reload from the saved state" }).click();
  await expect(lane(page, 0)).toHaveAttribute("aria-label", /records?$/);
  await lane(page, 0).getByRole("listitem").first().focus();
  await page.keyboard.press("Home");
  await expect(page.locator(":focus")).toContainText("value kept");
  complaints.length = 0;
});
