// @ts-check
/** @file Folders of a broker, given as they are: partitions and topics, in one act. */

import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, expectAccessible, picture, test } from "./support/test.js";

/** @import { Page } from "@playwright/test" */

const PLAIN = new URL("../files/seg-plain.log", import.meta.url);
const FIRST = "00000000000000000000";

/** @type {string} */
let root;

test.beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "loglanes-"));
});

test.afterEach(() => rm(root, { recursive: true }));

/** @param {Record<string, string | Buffer>} files */
async function lay(files) {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
}

/** @param {Page} page @param {string} folder */
async function choose(page, folder) {
  await page.goto("/");
  await expect(page.getByRole("button", { name: "Folder…" })).toBeEnabled();
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Folder…" }).click();
  await (await chooser).setFiles(join(root, folder));
}

test("a broker's folder with several topics is copied in one act, and one undo takes it back", async ({ page }) => {
  const log = await readFile(PLAIN);
  await lay({
    [`data/orders-0/${FIRST}.log`]: log,
    [`data/orders-0/${FIRST}.index`]: "",
    [`data/orders-2/${FIRST}.log`]: log,
    [`data/users-0/${FIRST}.log`]: log,
    [`data/__consumer_offsets-0/${FIRST}.log`]: log,
    "data/meta.properties": "version=1\n",
  });
  await choose(page, "data");
  const dialog = page.getByRole("dialog", { name: "Copy a broker’s files" });
  await expect(dialog).toContainText("2 topics, 3 partitions, 3 .log files");
  await expect(dialog.getByRole("row", { name: /^orders/ })).toContainText("new, with 3 partitions");
  await expect(dialog).toContainText("1 file beside them, such as indexes");
  await expect(dialog).toContainText("__consumer_offsets-0");
  await expect(dialog).toContainText("meta.properties");
  await expectAccessible(page, "dialog[open]");
  await picture(page, "import-folder");
  await dialog.getByRole("button", { name: "Keep as they are" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText(/orders-2 begins at offset 0 and ends at 7.*users-0 begins at offset 0 and ends at 7/)).toBeVisible();
  await page.getByRole("button", { name: /^Undo/ }).first().click();
  await page.getByRole("button", { name: "Save records…" }).click();
  const out = page.getByRole("dialog", { name: "Export records" });
  await out.getByLabel("Records").selectOption("partition");
  await expect(out.getByLabel("Partition", { exact: true }).getByRole("option")).toHaveText(["P0 (0 records)", "P1 (0 records)", "P2 (0 records)"]);
});

test("folders of one topic may be sent anew or kept, and what had records is not offered", async ({ page }) => {
  const log = await readFile(PLAIN);
  await lay({ [`orders-0/${FIRST}.log`]: log, [`orders-1/${FIRST}.log`]: Buffer.alloc(0), [`orders-1/${FIRST}.timeindex`]: "" });
  await choose(page, ".");
  const dialog = page.getByRole("dialog", { name: "Import orders" });
  await expect(dialog).toContainText("2 files");
  await expect(dialog.getByLabel("Partitions")).toHaveValue("2");
  await dialog.getByRole("button", { name: "Keep as it is" }).click();
  await expect(page.getByText("orders-0 begins at offset 0 and ends at 7, with 7 records to read.")).toBeVisible();
  await rm(root, { recursive: true });
  await lay({ [`orders-0/${FIRST}.log`]: log, [`new-0/${FIRST}.log`]: log });
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Folder…" }).click();
  await (await chooser).setFiles(root);
  const both = page.getByRole("dialog", { name: "Copy a broker’s files" });
  await expect(both.getByRole("row", { name: /^orders/ })).toContainText("P0 had records");
  await expect(both.getByRole("row", { name: /^orders/ }).getByRole("checkbox")).toBeDisabled();
});

test("a dropped folder is walked, however many files a folder has", async ({ page }) => {
  await page.goto("/");
  await expect(page.getByRole("button", { name: "Folder…" })).toBeEnabled();
  const log = [...(await readFile(PLAIN))];
  await page.evaluate((bytes) => {
    const content = Uint8Array.from(bytes);
    const file = (/** @type {string} */ path) => ({ isDirectory: false, isFile: true, name: path.split("/").at(-1), fullPath: path, file: (/** @type {(file: File) => void} */ done) => done(new File([content], "x.log")) });
    /** @param {string} path @param {unknown[]} all readers give at most 100 at a time */
    const folder = (path, all) => ({ isDirectory: true, isFile: false, name: path.split("/").at(-1), fullPath: path, createReader: () => {
      let at = 0;
      return { readEntries: (/** @type {(part: unknown[]) => void} */ done) => done(all.slice(at, (at += 100))) };
    } });
    const partitions = Array.from({ length: 150 }, (_, n) => folder(`/data/many-${n}`, [file(`/data/many-${n}/00000000000000000000.log`)]));
    const event = new Event("drop", { bubbles: true, cancelable: true });
    Object.defineProperty(event, "dataTransfer", { value: { types: ["Files"], files: [], items: [{ kind: "file", webkitGetAsEntry: () => folder("/data", partitions) }] } });
    document.body.dispatchEvent(event);
  }, log);
  const dialog = page.getByRole("dialog", { name: "Import many" });
  await expect(dialog).toContainText("150 files");
  await expect(dialog.getByLabel("Partitions")).toHaveValue("150");
  await dialog.getByRole("button", { name: "Keep as it is" }).click();
  await expect(page.getByText("150 partitions have their logs, with 1,050 records to read.")).toBeVisible();
});
