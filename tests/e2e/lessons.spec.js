// @ts-check
/** @file Each lesson's task, done in the page as a learner would: before that its checks do not all hold, after it they do. */

import { readFile } from "node:fs/promises";
import { newTopic, NONE, open, panel, send, text } from "./support/acts.js";
import { expect, picture, test } from "./support/test.js";

/** @import { Locator, Page } from "@playwright/test" */

/** @param {Page} page @param {string} name */
const choose = (page, name) => page.getByRole("combobox", { name: "Topic", exact: true }).selectOption(name);

/** @param {Page} page @param {{ count: number, keys: number, bytes: number }} what */
async function generate(page, { count, keys, bytes }) {
  const produce = await panel(page, "Produce");
  const form = produce.getByRole("form", { name: "Generate many records" });
  if (!(await form.isVisible())) await produce.getByText("Generate many", { exact: true }).click();
  await form.getByLabel("Records", { exact: true }).fill(String(count));
  await form.getByLabel("Different keys").fill(String(keys));
  await form.getByLabel("Bytes in a value").fill(String(bytes));
  await form.getByRole("button", { name: "Generate" }).click();
  await expect(form).toContainText(/[\d,]+ records \(/);
}

/** @param {Page} page @param {string} name @param {number} partitions */
async function make(page, name, partitions) {
  const dialog = await newTopic(page);
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByLabel("Partitions").fill(String(partitions));
  await dialog.getByRole("button", { name: "Create topic" }).click();
  await expect(dialog).toBeHidden();
}

/** @param {Page} page @param {string} group */
async function inGroup(page, group) {
  const groups = await panel(page, "Groups");
  const section = groups.getByRole("region", { name: `Group ${group}`, exact: true });
  const press = (/** @type {string} */ name) => section.getByRole("button", { name, exact: true }).click();
  const member = (/** @type {string} */ name) => section.getByRole("listitem", { name: `Member ${name} of ${group}` });
  return { groups, section, press, member };
}

/** The controls of a member that are not always in sight. @param {Locator} member @param {string} name */
async function more(member, name) {
  await member.getByRole("button", { name: `Seek, or commit an offset, with ${name}` }).click();
  return member.locator(".seek");
}

/** What a learner does, by the lesson's number. @type {Record<string, (page: Page) => Promise<unknown>>} */
const TASKS = {
  "01": async (page) => {
    const { press, member } = await inGroup(page, "second");
    const seek = await more(member("m1"), "m1");
    await seek.getByLabel("Partition").selectOption("steps 0");
    await seek.getByRole("button", { name: "Pause" }).click();
    await press("Poll with m1");
    await seek.getByRole("button", { name: "Resume" }).click();
    await press("Poll with m1");
  },
  "02": async (page) => {
    await panel(page, "Produce");
    await send(page, { key: text("user_42"), value: text("shipped") });
    expect((await send(page, { key: text("user_1"), value: text("found it") })).partition).toBe(0);
  },
  "03": async (page) => {
    await choose(page, "by-user");
    await panel(page, "Produce");
    for (const value of ["placed", "paid", "refunded"]) await send(page, { key: text("user_7"), value: text(`user_7 ${value}`) });
  },
  "04": async (page) => {
    await choose(page, "sticky");
    await generate(page, { count: 40_000, keys: 0, bytes: 100 });
  },
  "05": async (page) => {
    await make(page, "salted", 6);
    await generate(page, { count: 1103, keys: 8, bytes: 20 });
  },
  "06": async (page) => {
    const { press } = await inGroup(page, "workers");
    await press("Close m1");
    await press("Poll with m3");
  },
  "07": async (page) => {
    await make(page, "dense", 6);
    await generate(page, { count: 1000, keys: 0, bytes: 20 });
  },
  "08": async (page) => {
    const partitions = await panel(page, "Partitions");
    await partitions.getByLabel("to a total of").fill("6");
    await partitions.getByRole("button", { name: "Add partitions now" }).click();
    await panel(page, "Produce");
    // Those of the lesson, until one of them lands elsewhere.
    for (let i = 1; i <= 4; i++) await send(page, { key: text(`user_${i}`), value: text("again") });
  },
  "09": async (page) => {
    await choose(page, "visits");
    const configs = await panel(page, "Configs");
    await configs.getByRole("button", { name: "Delete records" }).click();
    await panel(page, "Produce");
    expect((await send(page, { key: NONE, value: text("d") })).offset).toBe(3n);
  },
  "10": async (page) => {
    const { member } = await inGroup(page, "booking");
    const seek = await more(member("m1"), "m1");
    await seek.getByLabel("Partition").selectOption("payments 2");
    await seek.getByLabel("Offset").fill("3");
    await seek.getByRole("button", { name: "Seek there" }).click();
    await seek.getByRole("button", { name: "Commit it" }).click();
  },
  "11": async (page) => {
    const { press, section } = await inGroup(page, "billing");
    await press("Poll with m1");
    await press("Commit the positions of m1");
    await press("Crash m1");
    await press("Restart m1");
    await press("Poll with m1");
    await press("Close m1");
    await press("Reset offsets of billing…");
    const dialog = page.getByRole("dialog", { name: "Reset offsets of billing" });
    await dialog.getByLabel("Mode").selectOption("earliest");
    await dialog.getByRole("button", { name: "Execute" }).click();
    await expect(section).toContainText("Reset, as the next offset to read: orders P0 → 0");
  },
  "12": async (page) => {
    await make(page, "clicks", 12);
    const groups = await panel(page, "Groups");
    await groups.getByLabel("Group id").fill("web");
    await groups.getByRole("button", { name: "Join the group" }).click();
    await groups.getByRole("button", { name: "Join the group" }).click();
  },
};

const index = JSON.parse(await readFile(new URL("../../www/lessons/index.json", import.meta.url), "utf8"));

for (const { file, title } of /** @type {{ file: string, title: string }[]} */ (index.en)) {
  const number = file.slice(0, 2);
  test(`lesson ${number}, ${title}: its task can be done in the page`, async ({ page }) => {
    await open(page);
    await page.getByRole("button", { name: "Begin with the first lesson" }).click();
    const lessons = page.getByRole("tabpanel", { name: "Lessons" });
    await lessons.getByRole("button", { name: title }).click();
    await expect(lessons.getByRole("article").getByRole("heading", { level: 2 })).toHaveText(title);
    const outcome = lessons.getByRole("status");
    await expect(outcome).toHaveText(/^\d+ of \d+ checks? holds?\.$/);
    await picture(page, `lesson-${number}`);
    const task = TASKS[number];
    if (!task) throw new Error(`nobody has said how the task of ${file} is done in the page`);
    await task(page);
    await picture(page, `lesson-${number}-done`);
    await panel(page, "Lessons");
    await expect(outcome).toHaveText("Done: all of it is so.");
  });
}
