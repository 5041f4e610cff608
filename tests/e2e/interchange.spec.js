// @ts-check
/** @file Records in from other tools' files, with a look before anything is done, and out again. */

import { readFile } from "node:fs/promises";
import { expect, expectAccessible, picture, test } from "./support/test.js";

/** @import { Page } from "@playwright/test" */

const KCAT = new URL("../files/kcat-J-mixed.ndjson", import.meta.url);
const QUOTES = new URL("../files/quotes.csv", import.meta.url);
const CONSOLE = new URL("../files/console-consumer.txt", import.meta.url);

/** @param {Page} page */
async function open(page) {
  await page.goto("/");
  await expect(page.getByRole("button", { name: "Import…" })).toBeEnabled();
}

/** @param {Page} page @param {{ name: string, content: string | Buffer }[]} files */
async function choose(page, files) {
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Import…" }).click();
  await (await chooser).setFiles(files.map(({ name, content }) => ({ name, mimeType: "application/octet-stream", buffer: Buffer.from(content) })));
}

/** @param {Page} page @param {string} format @param {string} [scope] */
async function save(page, format, scope) {
  await page.getByRole("button", { name: "Save records…" }).click();
  const dialog = page.getByRole("dialog", { name: "Export records" });
  if (scope) await dialog.getByLabel("Records").selectOption(scope);
  await dialog.getByLabel("Format", { exact: true }).selectOption(format);
  const downloading = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Save file" }).click();
  return readFile(await (await downloading).path());
}

const plan = (/** @type {Page} */ page) => page.getByRole("dialog", { name: /^Import / });
const start = (/** @type {Page} */ page) => page.getByRole("button", { name: "Import", exact: true }).click();
const done = (/** @type {Page} */ page) => page.getByRole("heading", { name: /^Done: / });

test("kcat's JSON is recognised, shown, taken byte for byte and goes out as Loglanes' own lines", async ({ page }) => {
  await open(page);
  await choose(page, [{ name: "mix.ndjson", content: await readFile(KCAT) }]);
  const dialog = plan(page);
  await expect(dialog.getByLabel("Format")).toHaveValue("0");
  await expect(dialog.getByRole("option", { name: "kcat -J (recognised)" })).toBeAttached();
  await expect(dialog.getByRole("region", { name: "Preview" })).toContainText("10 records in the file");
  await expect(dialog.getByRole("row", { name: /^line 6/ })).toContainText("0xfffe80");
  await expectAccessible(page, "dialog.import-plan");
  await picture(page, "import-kcat");
  await dialog.getByLabel("Partitions").fill("1");
  await dialog.getByLabel("Who chooses the partition").selectOption("keep");
  await start(page);
  await expect(done(page)).toContainText("10 records are in mix in 1 partition");
  const file = (await save(page, "lossless")).toString();
  expect(file.split("\n")[5]).toBe('{"partition":0,"offset":5,"timestamp":1712000000005,"timestampType":"CreateTime","key":{"base64":"//6A"},"value":{"base64":"AAFiaW7/"},"headers":[]}');
});

test("a file partition that the topic does not have is refused by its line", async ({ page }) => {
  await open(page);
  const line = (/** @type {number} */ p) => `{"topic":"t","partition":${p},"offset":0,"tstype":"create","ts":1,"broker":1,"key":"k","payload":"v"}\n`;
  await choose(page, [{ name: "t.ndjson", content: line(0) + line(1) + line(2) }]);
  const dialog = plan(page);
  await dialog.getByLabel("Partitions").fill("2");
  await dialog.getByLabel("Who chooses the partition").selectOption("keep");
  await expect(dialog.getByRole("list", { name: "Lines that cannot be taken" })).toContainText("line 3");
  await start(page);
  await expect(done(page)).toContainText("2 records");
  await expect(page.getByRole("list", { name: "Refused lines" })).toContainText("line 3");
});

test("a table comes in, and goes out as the same bytes", async ({ page }) => {
  await open(page);
  const quotes = await readFile(QUOTES);
  await choose(page, [{ name: "quotes.csv", content: quotes }]);
  const dialog = plan(page);
  await expect(dialog).toContainText("An empty cell is empty");
  await dialog.getByLabel("Partitions").fill("1");
  await start(page);
  await expect(done(page)).toContainText("8 records");
  await page.getByRole("button", { name: "Save records…" }).click();
  const out = page.getByRole("dialog", { name: "Export records" });
  await out.getByLabel("Format", { exact: true }).selectOption("csv");
  await expect(out).toContainText("Spreadsheets change what they open");
  await expectAccessible(page, "dialog[open]");
  await picture(page, "export-records");
  await out.getByRole("button", { name: "Cancel" }).click();
  expect((await save(page, "csv")).equals(quotes)).toBe(true);
});

test("console text asks what null is, and a continued value is no ninth record", async ({ page }) => {
  await open(page);
  await choose(page, [{ name: "out.txt", content: await readFile(CONSOLE) }]);
  const dialog = plan(page);
  await expect(dialog.getByRole("region", { name: "Preview" })).toContainText("8 records");
  const row = dialog.getByRole("row", { name: /^line 2/ });
  await expect(row).toContainText("(none)");
  await dialog.getByRole("radio", { name: "null is text" }).check();
  await expect(row).not.toContainText("(none)");
  await start(page);
  await expect(done(page)).toContainText("8 records");
  await expect(page.locator("section.job")).toContainText("1 line was taken for the rest of the value before it");
});

test("pasted text is a file, a key is a path or joined of several, several files are one import each", async ({ page }) => {
  await open(page);
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.setData("text/plain", '{"u":{"id":7},"c":"b"}\n{"u":{"id":8},"c":"b"}\n');
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  });
  const dialog = page.getByRole("dialog", { name: "Import pasted.txt" });
  await dialog.getByLabel("Path of the key").fill("$.u.id");
  await expect(dialog.getByRole("row", { name: /^line 1/ })).toContainText("7");
  await dialog.getByLabel("Fields to join, by commas").fill("c, $.u.id");
  await expect(dialog.getByRole("row", { name: /^line 2/ })).toContainText("b-8");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await choose(page, [1, 2, 3].map((n) => ({ name: `part-${n}.ndjson`, content: `{"n":${n}}\n` })));
  await expect(plan(page)).toContainText("3 files");
  await plan(page).getByRole("row", { name: /^no key/ }).getByRole("radio").check();
  await start(page);
  await expect(page.getByRole("button", { name: "Save records…" })).toBeEnabled();
  await expect(async () => expect((await save(page, "kcatJson")).toString().trim().split("\n")).toHaveLength(3)).toPass();
});

test("one click gives a bundle for a real cluster", async ({ page }) => {
  await open(page);
  await choose(page, [{ name: "orders.ndjson", content: '{"key":"k1","v":1}\n' }]);
  await plan(page).getByRole("row", { name: /^no key/ }).getByRole("radio").check();
  await start(page);
  await expect(done(page)).toBeVisible();
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Bundle" }).click();
  const zip = await readFile(await (await downloading).path());
  expect(zip.subarray(0, 2).toString()).toBe("PK");
  for (const name of ["README.md", "run.sh", "data/"]) expect(zip.includes(name)).toBe(true);
  await expect(page.getByText(/^loglanes-bundle\.zip: .* read its README/)).toBeVisible();
});

test("markup in every field is text everywhere", async ({ page }) => {
  await open(page);
  const nasty = "<img src=x onerror=\"document.title='run'\"><script>document.title='run'</script>";
  await choose(page, [{ name: `${"<b>"}nasty.ndjson`, content: `${JSON.stringify({ [nasty]: nasty })}\n` }]);
  await plan(page).getByRole("row", { name: /^no key/ }).getByRole("radio").check();
  await start(page);
  await expect(done(page)).toBeVisible();
  await expect(page).not.toHaveTitle("run");
  expect(await page.locator("dialog img, dialog script, main img").count()).toBe(0);
});
