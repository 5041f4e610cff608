// @ts-check
/** @file Records made by hand: where they will land is said first, and there they land; none, empty and text stay apart. */

import { choose, clear, exported, form, hex, lane, makeTopic, NONE, open, panel, recordPanel, saved, send, spokenLane, text, write } from "./support/acts.js";
import { placed } from "./support/murmur2.js";
import { expect, test } from "./support/test.js";

/** @import { Page } from "@playwright/test" */

/** What the page says before sending. @param {Page} page */
const preview = (page) => page.getByRole("region", { name: "Where it will land" });

test("the page says where a record will land, and there it lands", async ({ page }) => {
  await open(page);
  await makeTopic(page, "orders", 6);
  await panel(page, "Produce");
  for (const key of ["order-1007", "null", "NULL", "Zürich 🚆", "x"]) {
    const { hash, masked, partition } = placed(key, 6);
    await write(form(page), "Key", text(key));
    await expect(preview(page)).toContainText(`Lands in partition ${partition}`);
    const numbers = preview(page).locator(".arithmetic td");
    await expect(numbers).toHaveText([hash, masked, partition].map((n) => `= ${n.toLocaleString("en")}`));
    expect((await send(page, { key: text(key), value: text("v") })).partition).toBe(partition);
  }
  await test.step("an empty key is hashed, no key is not", async () => {
    const { partition } = placed("", 6);
    await write(form(page), "Key", text(""));
    await expect(preview(page)).toContainText(`Lands in partition ${partition}`);
    expect((await send(page, { key: text(""), value: text("v") })).partition).toBe(partition);
    await write(form(page), "Key", NONE);
    await expect(preview(page).locator(".arithmetic")).toHaveCount(0);
    await send(page, { key: NONE, value: text("v") });
  });
  await test.step("bytes that are no text", async () => {
    const bytes = Uint8Array.of(0xff, 0xfe, 0x80);
    const { partition } = placed(bytes, 6);
    await write(form(page), "Key", hex("ff fe 80"));
    await expect(preview(page)).toContainText(`Lands in partition ${partition}`);
    expect((await send(page, { key: hex("fffe80"), value: NONE })).partition).toBe(partition);
    expect((await spokenLane(page, partition)).join()).toContain("key 0xfffe80, no value, a tombstone");
  });
  await test.step("a partition given by hand wins over the key", async () => {
    const other = (placed("order-1007", 6).partition + 1) % 6;
    await form(page).getByLabel("Partition", { exact: true }).fill(String(other));
    await write(form(page), "Key", text("order-1007"));
    await expect(preview(page)).toContainText(`Lands in partition ${other}`);
    expect((await send(page, { key: text("order-1007"), value: text("v"), partition: other })).partition).toBe(other);
  });
  await test.step("a partition there is not is refused, in Kafka's words, before and after sending", async () => {
    await form(page).getByLabel("Partition", { exact: true }).fill("6");
    await expect(preview(page)).toContainText("Kafka’s client would refuse: REQUEST_TIMED_OUT");
    await form(page).getByRole("button", { name: "Send" }).click();
    await expect(form(page).getByRole("alert")).toContainText(
      "Partition 6 of topic orders with partition count 6 is not present in metadata after 60000 ms.");
  });
});

test("a timestamp and headers are kept as they were given", async ({ page }) => {
  await open(page);
  await makeTopic(page, "orders", 1);
  await panel(page, "Produce");
  await form(page).getByText("Headers", { exact: true }).click();
  for (const [key, value] of /** @type {[string, import("./support/acts.js").Written][]} */ ([["h", text("1")], ["h", text("2")], ["n", NONE], ["e", text("")], ["b", hex("c3 28")]])) {
    await form(page).getByRole("button", { name: "+ header" }).click();
    const row = form(page).locator(".header-rows > li").last();
    await write(row, "Header key", text(key));
    await write(row, "Header value", value);
  }
  await send(page, { key: text("k"), value: text('{"n":73000000000000001}'), timestamp: "2024-04-01T19:33:20.000Z" });
  await form(page).getByRole("button", { name: "P0 @ 0" }).click();
  const record = recordPanel(page);
  await expect(record).toContainText("2024-04-01T19:33:20.000Z");
  await expect(record).toContainText("1712000000000 ms");
  await expect(record).toContainText("73000000000000001");
  await expect(record.getByRole("group", { name: "Headers" }).locator("tbody tr")).toHaveText(["h1", "h2", "n(none)", "e(empty)", "b0xc328"]);
});

test("none, empty and the text null stay three keys and three values, here, after a reload and through a file", async ({ page }) => {
  await open(page);
  await makeTopic(page, "kinds", 1);
  await panel(page, "Produce");
  const kinds = [NONE, text(""), text("null")];
  for (const kind of kinds) await send(page, { key: kind, value: text("v") });
  for (const kind of kinds) await send(page, { key: text("k1"), value: kind });
  const expectKinds = async () => {
    const said = await spokenLane(page, 0);
    const parts = said.map((line) => line.replace(/^Offset \d+, /, "").replace(/, [^,]*$/, ""));
    expect(parts).toEqual([
      "no key, value v", "empty key, value v", "key null, value v",
      "key k1, no value, a tombstone", "key k1, empty value", "key k1, value null",
    ]);
    // Their sizes in the record panel: none, 0 bytes, 4 bytes.
    for (const [offset, size, note] of /** @type {[number, string, string][]} */ ([[3, "", "None: a tombstone."], [4, "0 bytes", "Empty"], [5, "4 bytes", ""]])) {
      await lane(page, 0).getByRole("listitem", { name: `Offset ${offset},` }).or(lane(page, 0).getByText(new RegExp(`^Offset ${offset},`))).first().focus();
      await page.keyboard.press("Enter");
      const value = recordPanel(page).locator(".record-part").filter({ has: page.getByRole("heading", { name: "Value", exact: true }) });
      await expect(value).toContainText(size);
      await expect(value).toContainText(note);
    }
  };
  await expectKinds();
  await saved(page);
  await page.reload();
  await expectKinds();
  const file = await exported(page);
  await clear(page);
  await choose(page, "kinds.loglanes", file);
  await expect(lane(page, 0)).toHaveAttribute("aria-label", /6 records$/);
  await expectKinds();
});

test("markup in names, keys, values, headers and group ids stays text", async ({ page }) => {
  const markup = '<img src=x onerror="window.hurt=1"><b>bold</b>';
  await open(page);
  await makeTopic(page, "markup", 1);
  await panel(page, "Produce");
  await form(page).getByText("Headers", { exact: true }).click();
  await form(page).getByRole("button", { name: "+ header" }).click();
  await write(form(page), "Header key", text(markup));
  await write(form(page), "Header value", text(markup));
  await send(page, { key: text(markup), value: text(markup) });
  await form(page).getByRole("button", { name: "P0 @ 0" }).click();
  await expect(recordPanel(page)).toContainText("<b>bold</b>");
  await expect(recordPanel(page).getByRole("group", { name: "Headers" })).toContainText('onerror="window.hurt=1"');
  const groups = await panel(page, "Groups");
  await groups.getByLabel("Group id").fill(markup);
  await groups.getByLabel("Client id").fill(markup);
  await groups.getByText("earliest", { exact: false }).first().click();
  await groups.getByRole("button", { name: "Join the group" }).click();
  await groups.getByRole("button", { name: /^Poll with/ }).click();
  await expect(groups).toContainText("polled: 1 record.");
  for (const name of ["Partitions", "Keys", "History"]) await panel(page, name);
  await expect(page.getByRole("tabpanel", { name: "History" })).toContainText("<b>bold</b>");
  await choose(page, `${markup.replaceAll("/", "")}.ndjson`, `${JSON.stringify({ [markup]: markup, k: markup })}\n`);
  await expect(page.getByRole("dialog", { name: /^Import </ })).toContainText("<b>bold</b>");
  expect(await page.evaluate(() => [document.querySelectorAll("img, b b").length, Array.from(document.querySelectorAll("b")).filter((b) => b.textContent === "bold").length, "hurt" in window])).toEqual([0, 0, false]);
});
