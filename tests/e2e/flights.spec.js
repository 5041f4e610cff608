// @ts-check
/**
 * @file The main job with its real file: twenty thousand flights keyed by airport, looked at from
 * the whole topic down to one record's bytes, then grown from six partitions to twelve. Where they
 * must lie was recorded from Kafka's own client (tests/golden/placement).
 */

import { done, drop, FLIGHTS, lane, laneFacts, loadFlights, open, panel, readText, recordedMove, recordPanel, rows, saved, spokenLane } from "./support/acts.js";
import { placed } from "./support/murmur2.js";
import { expect, picture, pictureForDocs, test } from "./support/test.js";

/** @import { Page } from "@playwright/test" */

/** Watches the progress bar from before there is one. @param {Page} page */
const watchProgress = (page) => page.evaluate(() => {
  const seen = /** @type {number[]} */ ([]);
  Object.assign(window, { progressSeen: seen });
  new MutationObserver(() => {
    const bar = document.querySelector("progress");
    if (bar?.checkVisibility() && bar.hasAttribute("value")) seen.push(bar.value);
  }).observe(document.body, { subtree: true, childList: true, attributes: true });
});

/**
 * Every lane as the page tells it, against what Kafka's client did.
 * @param {Page} page
 */
async function expectRecordedLanes(page) {
  const { records_by_partition_to: records } = await recordedMove(4, 6);
  for (const [partition, count] of records.entries()) {
    expect(await laneFacts(page, partition)).toMatchObject({ start: 0, last: count - 1, records: count });
  }
  const table = (await panel(page, "Partitions")).getByRole("region", { name: "Partitions", exact: true });
  const told = await rows(table);
  expect(told.map((row) => [row["Partition"], row["Log start offset"], row["High watermark"], row["Log end offset"], row["Records"]])).toEqual(
    records.map((count, partition) => [String(partition), "0", ...Array(3).fill(count.toLocaleString("en"))]));
}

/**
 * The colour of the canvas in each cell of the lane the keyboard is in, below where its key is written.
 * @param {Page} page
 * @returns {Promise<{ text: string, colour: string }[]>}
 */
const cellColours = (page) => page.evaluate(async () => {
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector(".lanes-canvas"));
  const area = canvas.getBoundingClientRect();
  const ratio = canvas.width / area.width;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const list = /** @type {HTMLElement} */ (document.activeElement?.parentElement);
  return Array.from(list.children, (item) => {
    const box = item.getBoundingClientRect();
    return { text: item.textContent ?? "", x: box.left - area.left + 4, y: box.bottom - area.top - 5, right: area.width };
  })
    .filter(({ x, right }) => x > 150 && x < right - 20)
    .map(({ text, x, y }) => ({ text, colour: context.getImageData(Math.round(x * ratio), Math.round(y * ratio), 1, 1).data.join() }));
});

const airport = (/** @type {string} */ spoken) => /key (\w+),/.exec(spoken)?.[1] ?? "";

test("dropped, keyed by origin, the flights fill six lanes as Kafka's client would, and are seen down to the cell", async ({ page }) => {
  await page.setViewportSize({ width: 1600, height: 1000 });
  await open(page);
  await watchProgress(page);
  await drop(page, FLIGHTS, "flights-20k.ndjson");
  const plan = page.getByRole("dialog", { name: "Import flights-20k.ndjson" });
  await expect(plan.getByLabel("Partitions")).toHaveValue("6");
  await plan.getByRole("row", { name: /^origin/ }).getByRole("radio").check();
  await plan.getByRole("button", { name: "Import", exact: true }).click();
  await expect(done(page)).toHaveText("Done: 20,000 records are in flights-20k in 6 partitions");
  const seen = await page.evaluate(() => /** @type {any} */ (window).progressSeen);
  expect(seen.length).toBeGreaterThan(0);
  for (const value of seen) expect(value).toBeLessThanOrEqual(1);
  await page.getByRole("button", { name: "Close", exact: true }).first().click();

  await test.step("each lane has what it must have", () => expectRecordedLanes(page));

  await test.step("each lane is painted as far as it goes", async () => {
    const { records_by_partition_to: records } = await recordedMove(4, 6);
    const painted = await page.evaluate(() => {
      const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector(".lanes-canvas"));
      const area = canvas.getBoundingClientRect();
      const ratio = canvas.width / area.width;
      const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
      return Array.from(document.querySelectorAll(".lane-list"), (list) => {
        const box = /** @type {Element} */ (list.firstElementChild).getBoundingClientRect();
        const y = Math.round((box.top - area.top + box.height / 2) * ratio);
        const { data } = context.getImageData(0, y, canvas.width, 1);
        const at = (/** @type {number} */ x) => data.subarray(4 * x, 4 * x + 3).join();
        const paper = at(canvas.width - 2);
        let columns = 0;
        for (let x = Math.round(140 * ratio); x < canvas.width; x++) if (at(x) !== paper) columns += 1;
        return columns;
      });
    });
    // The longest lane is the measure of the others: a column stands for as many offsets everywhere.
    const longest = painted[1];
    expect(longest).toBeGreaterThan(900);
    painted.forEach((columns, partition) => expect(Math.abs(columns - (longest * records[partition]) / records[1])).toBeLessThan(12));
  });

  await test.step("zoomed in, each cell is one record, and an airport has one colour", async () => {
    await lane(page, 1).getByRole("listitem").first().focus();
    await page.keyboard.press("Home");
    for (let i = 0; i < 9; i++) await page.keyboard.press("ArrowRight");
    const wide = () => page.evaluate(() => document.activeElement?.getBoundingClientRect().width ?? 0);
    for (let i = 0; i < 40 && (await wide()) < 60; i++) await page.keyboard.press("+");
    expect(await wide()).toBeGreaterThan(40);
    await expect(page.locator(".lanes-tip")).toBeHidden();
    /** @type {Map<string, Set<string>>} */
    const byKey = new Map();
    for (let i = 0; i < 6; i++) {
      for (const { text, colour } of await cellColours(page)) {
        const key = airport(text);
        expect(placed(key, 6).partition).toBe(1);
        byKey.set(key, (byKey.get(key) ?? new Set()).add(colour));
      }
      for (let n = 0; n < 12; n++) await page.keyboard.press("ArrowRight");
    }
    expect(byKey.size).toBeGreaterThan(4);
    for (const [key, colours] of byKey) expect([...colours], key).toHaveLength(1);
    const different = new Set([...byKey.values()].map((colours) => [...colours][0]));
    expect(different.size).toBeGreaterThan(3);
  });

  await test.step("the pointer is told the record below it", async () => {
    const item = page.locator(":focus");
    const words = (await item.textContent()) ?? "";
    const box = await item.boundingBox();
    if (!box) throw new Error("no item");
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    const offset = Number(/^Offset (\d+)/.exec(words)?.[1]);
    await expect(page.locator(".lanes-tip")).toContainText(`P1 @ ${offset.toLocaleString("en")}`);
    await expect(page.locator(".lanes-tip")).toContainText(airport(words));
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await expect(recordPanel(page).getByRole("heading", { level: 2 })).toHaveText(`P1 @ ${offset.toLocaleString("en")}`);
  });

  await test.step("0 shows the whole topic again", async () => {
    await page.keyboard.press("0");
    await picture(page, "flights-whole");
  });
});

test("a record says where it lies and why, with Kafka's own numbers, and its bytes", async ({ page }) => {
  await page.setViewportSize({ width: 1600, height: 1000 });
  await open(page);
  await loadFlights(page);
  const first = JSON.parse((await readText(FLIGHTS)).split("\n")[0]);
  const { hash, masked, partition } = placed(first.origin, 6);
  // The first line is the first record of its lane.
  const spoken = await spokenLane(page, partition);
  expect(spoken[0]).toContain(`key ${first.origin}, `);
  await page.keyboard.press("Enter");
  const record = recordPanel(page);
  await expect(record.getByRole("heading", { level: 2 })).toHaveText(`P${partition} @ 0`);
  await expect(record.locator(".sum")).toHaveText(`murmur2(${first.origin}, 3 bytes)=${hash}& 0x7fffffff=${masked}% 6 partitions=${partition}`);
  await expect(record.locator("pre").filter({ hasText: '"origin"' })).toContainText(`"origin": "${first.origin}"`);
  await expect(record).toContainText(/CreateTime\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\d{13} ms/);
  await record.getByRole("group", { name: "Value as" }).getByRole("button", { name: "Text" }).click();
  await expect(record.getByLabel("Value", { exact: true })).toHaveText((await readText(FLIGHTS)).split("\n")[0]);
  await record.getByText("Bytes in the log").click();
  const dump = await record.getByLabel("The record", { exact: true }).textContent();
  const bytes = (dump ?? "").split("\n").map((line) => line.slice(6, 29).trim()).join(" ");
  const value = Buffer.from((await readText(FLIGHTS)).split("\n")[0]).toString("hex").match(/../g) ?? [];
  expect(bytes).toContain(value.join(" "));
  expect(bytes).toContain(`06 ${Buffer.from(first.origin).toString("hex").match(/../g)?.join(" ")}`);

  await test.step("the picture of the documents", async () => {
    await record.getByText("Bytes in the log").click();
    await record.getByRole("group", { name: "Value as" }).getByRole("button", { name: "JSON" }).click();
    await panel(page, "Produce");
    await lane(page, 1).getByRole("listitem").first().focus();
    await page.keyboard.press("0");
    await page.mouse.move(0, 0);
    await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).blur());
    await page.evaluate(() => {
      for (const element of [document.documentElement, document.querySelector("#record"), document.querySelector("#record article")]) element?.scrollTo(0, 0);
    });
    await pictureForDocs(page, "lanes");
  });
});

test("six partitions become twelve: what would move is told first, old records stay, split keys are shown", async ({ page }) => {
  await page.setViewportSize({ width: 1600, height: 1000 });
  await open(page);
  await loadFlights(page);
  const move = await recordedMove(6, 12);
  const partitions = await panel(page, "Partitions");
  const total = partitions.getByLabel("to a total of");
  await expect(total).toHaveValue("12");
  await expect(partitions).toContainText(`${move.keys_moved} of ${move.keys} keys would move, ${move.keys - move.keys_moved} stay`);
  await expect(partitions).toContainText(/in theory 6 \/ lcm\(6, 12\) = 6\/12 = 1\/2 = 50\.0\s%/);
  await expect(partitions).toContainText(`${move.records_moved.toLocaleString("en")} of 20,000 with a key`);
  const movers = await rows(partitions.getByRole("region", { name: "Moving keys" }));
  expect(movers.length).toBe(50);
  for (const row of movers) {
    expect(row["Moves"]).toBe(`P${placed(row["Key"], 6).partition} → P${placed(row["Key"], 12).partition}`);
  }
  await expect(partitions).toContainText("None: every key’s records lie in one partition");

  await partitions.getByRole("button", { name: "Add partitions now" }).click();
  await expect(partitions.locator(".grown")).toHaveText(/Added partitions 6 to 11, empty, at offset 0/);
  const now = await rows(partitions.getByRole("region", { name: "Partitions", exact: true }));
  expect(now.map((row) => row["Records"])).toEqual([...move.records_by_partition_from.map((n) => n.toLocaleString("en")), ...Array(6).fill("0")]);
  expect(now.slice(6).map((row) => [row["Log start offset"], row["Log end offset"]])).toEqual(Array(6).fill(["0", "0"]));
  for (let p = 6; p < 12; p++) await expect(lane(page, p)).toHaveAttribute("aria-label", /empty, next offset 0$/);

  // The same file again: keys that move are now in two partitions.
  await page.getByRole("button", { name: "Sample…" }).click();
  const plan = page.getByRole("dialog", { name: "Import flights.ndjson" });
  await expect(plan.getByLabel("Into the topic")).toHaveValue("flights");
  await plan.getByRole("row", { name: /^origin/ }).getByRole("radio").check();
  await plan.getByRole("button", { name: "Import", exact: true }).click();
  await expect(done(page)).toHaveText(/^Done: 20,000 records are in flights in 12 partitions/);
  await expect(partitions).toContainText(`${move.keys_moved} keys have records in more than one partition`);
  const after = await rows(partitions.getByRole("region", { name: "Partitions", exact: true }));
  expect(after.map((row) => row["Records"])).toEqual(
    move.records_by_partition_to.map((n, p) => (n + (move.records_by_partition_from[p] ?? 0)).toLocaleString("en")));
  const split = partitions.getByRole("region", { name: "Split keys and where they lie" });
  const key = (await split.locator("tbody tr").first().locator(".chip-text").textContent()) ?? "";
  const [old, fresh] = [placed(key, 6).partition, placed(key, 12).partition];
  const link = split.locator("tbody tr").first().getByRole("button", { name: new RegExp(`^P${fresh} @ \\d+`) });
  await expect(split.locator("tbody tr").first()).toContainText(new RegExp(`P${old} @ \\d+…\\d+.*P${fresh} @ \\d+…\\d+`));
  await link.click();
  await expect(recordPanel(page)).toContainText(`P${fresh} @ `);
  // A record from before says that today it would go elsewhere.
  await split.locator("tbody tr").first().getByRole("button", { name: new RegExp(`^P${old} @ \\d+`) }).click();
  await expect(recordPanel(page)).toContainText(`Sent today, this key goes to P${fresh}; this record lies in P${old}`);
  await saved(page);
  await page.reload();
  await expect(lane(page, 11)).toHaveAttribute("aria-label", new RegExp(`${move.records_by_partition_to[11]} records$`));
});
