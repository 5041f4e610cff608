// @ts-check
/** @file Links: a whole scenario in the address, read by every later version, whole or not at all; lessons by their name. */

import { readFile } from "node:fs/promises";
import { deflateRawSync } from "node:zlib";
import { makeTopic, open, panel, saved } from "./support/acts.js";
import { expect, expectAccessible, picture, test } from "./support/test.js";

/** @import { Page } from "@playwright/test" */

/** A link that form 1 made, for ever. Never made anew: it stands for those that people have. */
const FROZEN = "#scenario=1.NbeYVY2PMQ7CMBAEe7_iZNooBUGisqioaeiRsVeKlWBb9gVwxzf4Hi9BCSQVBeXtjkZ7Kzoki5Qr6lBg6VxoyEgiA5a2wgcG7bVpp_T1eGYKE0-ZdSHnKXhQ1Ikdu-BrwSE6MzNLnlUjYgp2MJi7DkXJUXrarCVddT9ASZOgGVb-BUftrPwsPLagrC8YwYp4vnrtUf9y-XH1V3Nrw04K3CMMU4IJyS5PKmrEGw&step=2&panel=history";

/** @param {Page} page */
const lookedAt = (page) => page.getByRole("region", { name: "What is looked at" });

/** @param {string} bytes of a scenario @param {(packed: Buffer) => Buffer} [change] */
function packed(bytes, change = (same) => same) {
  const text = Buffer.from(bytes);
  let crc = -1;
  for (const byte of text) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  const head = Buffer.alloc(4);
  head.writeUInt32BE(~crc >>> 0);
  return `#scenario=1.${change(Buffer.concat([head, deflateRawSync(text)])).toString("base64url")}`;
}

test("a link that the first version made is still read, at its step and its panel", async ({ page }) => {
  await page.goto(`/${FROZEN}`);
  await expect(lookedAt(page)).toContainText("From a link: Orders, keyed by user");
  const history = page.getByRole("tabpanel", { name: "History" });
  await expect(history.getByRole("listbox").getByRole("option")).toHaveCount(5);
  await expect(history.getByRole("listbox").getByRole("option", { selected: true })).toContainText('value="created"');
  await page.getByRole("button", { name: "Step forward" }).first().click();
  await expect(page.getByRole("region", { name: "Where in the history" })).toContainText("The same key, the same lane.");
  await expectAccessible(page);
});

test("what the page links to comes back the same, beside what the visitor has", async ({ page }) => {
  await open(page);
  await makeTopic(page, "mine", 2);
  await saved(page);
  await page.getByRole("button", { name: "Share…" }).first().click();
  const dialog = page.getByRole("dialog", { name: "Share" });
  const link = dialog.getByRole("textbox", { name: "Link" });
  await expect(link).toHaveValue(/#scenario=1\./);
  await expectAccessible(page, "dialog[open]");
  await picture(page, "share");
  const address = await link.inputValue();
  await dialog.getByRole("button", { name: "Close" }).click();
  await makeTopic(page, "later", 1);
  await saved(page);

  await page.goto("about:blank");
  await page.goto(address);
  await expect(lookedAt(page)).toContainText("What you have is kept beside it");
  await expect(page.getByLabel("Topic", { exact: true }).getByRole("option")).toHaveText(["mine (2)"]);
  await makeTopic(page, "there", 1);
  await page.getByRole("button", { name: "Back to mine" }).click();
  await expect(page.getByLabel("Topic", { exact: true }).getByRole("option")).toHaveText(["later (1)", "mine (2)"]);
  expect(new URL(page.url()).hash).toBe("");
  await page.reload();
  await expect(page.getByLabel("Topic", { exact: true }).getByRole("option")).toHaveText(["later (1)", "mine (2)"]);

  await page.goto("about:blank");
  await page.goto(address);
  await page.getByRole("button", { name: "Keep it…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Keep it", exact: true }).click();
  await expect(lookedAt(page)).toBeHidden();
  await saved(page);
  await page.reload();
  await expect(page.getByLabel("Topic", { exact: true }).getByRole("option")).toHaveText(["mine (2)"]);
});

const REFUSED = [
  { what: "is of a newer form", link: "#scenario=2.AAAA", said: /in form 2; this Loglanes reads up to 1/ },
  { what: "has a part that is not known", link: "#scenario=1.AAAA&colour=red", said: /damaged|does not know/ },
  { what: "was cut", link: FROZEN.split("&")[0]?.slice(0, -9) ?? "", said: /damaged/ },
  { what: "has foreign letters", link: "#scenario=1.AA*AAAAA", said: /foreign letters/ },
  { what: "has changed", link: packed("topic t\n", (bytes) => (bytes.writeUInt8(bytes.readUInt8(0) ^ 1, 0), bytes)), said: /checksum/ },
  { what: "unpacks to more than a scenario may have", link: packed("#".repeat(30 << 20)), said: /MAX_SCENARIO_BYTES/ },
  { what: "has a line that cannot be read", link: packed("topic t\nprodoce t\n"), said: /line 2, column 1/ },
  { what: "names no lesson that there is", link: "#lesson=..%2F..%2Fx", said: /no lesson/ },
  { what: "has no whole number", link: "#step=-1", said: /no whole number/ },
];

for (const { what, link, said } of REFUSED) {
  test(`of a link that ${what} nothing is loaded, and the page says so`, async ({ page }) => {
    await page.goto(`/${link}`);
    await expect(lookedAt(page)).toContainText(said);
    await expect(page.getByRole("button", { name: "Make a topic by hand" })).toBeVisible();
    await lookedAt(page).getByRole("button", { name: "Close" }).click();
    await expect(lookedAt(page)).toBeHidden();
  });
}

test("a link in a frame opens there", async ({ page }) => {
  await page.route("**/tutorial", (route) => route.fulfill({ contentType: "text/html", body: `<!doctype html><title>A tutorial</title><iframe src="/${FROZEN}" width="360" height="640"></iframe>` }));
  await page.goto("/tutorial");
  await expect(page.frameLocator("iframe").getByRole("region", { name: "What is looked at" })).toContainText("Orders, keyed by user");
});

test("the first screen leads to the first lesson, whose checks look at the cluster", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: "Begin with the first lesson" }).click();
  const lessons = page.getByRole("tabpanel", { name: "Lessons" });
  await expect(lessons.getByRole("article")).toBeVisible();
  await expect(lookedAt(page)).toContainText(/of \d checks? holds?/);
  await expectAccessible(page);
  const index = JSON.parse(await readFile(new URL("../../www/lessons/index.json", import.meta.url), "utf8"));
  await expect(lessons.getByRole("navigation").getByRole("button")).toHaveText(index.en.map((/** @type {{ title: string }} */ { title }) => title));
  await page.reload();
  await expect(lessons.getByRole("article").getByRole("heading", { level: 2 })).toHaveText(index.en[0].title);

  // The second one's task, done by hand.
  await lessons.getByRole("button", { name: "Next lesson" }).click();
  await expect(lessons.getByRole("article").getByRole("heading", { level: 2 })).toHaveText(index.en[1].title);
  await expect(lookedAt(page)).not.toContainText("✓ Done");
});

test("a thirteenth lesson needs nothing but its file", async ({ page }) => {
  await page.route("**/lessons/index.json", async (route) => {
    const index = await (await route.fetch()).json();
    index.en.push({ file: "99-mine.lanes", title: "Mine" });
    await route.fulfill({ json: index });
  });
  await page.route("**/lessons/en/99-mine.lanes", (route) => route.fulfill({ contentType: "text/plain", body: "# Mine\nnote <b>Words</b> for the reader.\ntopic t partitions=1\ntask Make a topic u.\ncheck topics = t,u\nsolution\ntopic u\n" }));
  await page.goto("/#lesson=99-mine");
  const lessons = page.getByRole("tabpanel", { name: "Lessons" });
  await expect(lessons.getByRole("article")).toContainText("<b>Words</b> for the reader.");
  await expect(lookedAt(page)).toContainText("0 of 1 check hold");
  await makeTopic(page, "u", 1);
  await expect(lookedAt(page)).toContainText("✓ Done");
  await (await panel(page, "Lessons")).getByRole("button", { name: "Start it again" }).click();
  await expect(lookedAt(page)).toContainText("0 of 1 check hold");
});
