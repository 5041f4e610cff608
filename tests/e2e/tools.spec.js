// @ts-check
/** @file What Kafka's own tools print, on the page: the text follows what is done, and can be copied. */

import { makeTopic, open, panel, send, text } from "./support/acts.js";
import { expect, expectAccessible, picture, test } from "./support/test.js";

/** @import { Locator } from "@playwright/test" */

/** @param {Locator} within */
const printed = (within) => within.locator(".printed").filter({ visible: true }).first();
/** @param {Locator} within */
const shown = async (within) => ({
  command: await printed(within).locator(".tool-command").textContent(),
  output: await printed(within).locator(".tool-output").textContent(),
});

test("partitions, offsets and configs as Kafka’s tools print them", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await open(page);
  await makeTopic(page, "orders.v1", 2);
  await panel(page, "Produce");
  await send(page, { value: text("v"), partition: 1, timestamp: 5_000 });
  const partitions = await panel(page, "Partitions");
  await printed(partitions).locator("summary").click();
  const { command, output } = await shown(partitions);
  // A dot would be any character to this tool.
  expect(command).toBe("kafka-topics --bootstrap-server localhost:9092 --describe --topic 'orders\\.v1'");
  expect(output).toMatch(/^Topic: orders\.v1\tTopicId: [\w-]{22}\tPartitionCount: 2\tReplicationFactor: 1\tConfigs: min\.insync\.replicas=1/);
  await partitions.getByRole("radio", { name: "kafka-get-offsets" }).check();
  await expect(printed(partitions).locator(".tool-output")).toHaveText("orders.v1:0:0\norders.v1:1:1");
  await partitions.getByLabel("--time").selectOption({ label: "--time: at or after…" });
  await expect(printed(partitions)).toContainText("Give a time");
  await partitions.getByRole("textbox", { name: "Time" }).fill("1970-01-01T00:00:04Z");
  await expect(printed(partitions).locator(".tool-command")).toContainText("--time 4000");
  await expect(printed(partitions).locator(".tool-output")).toHaveText("orders.v1:1:0");
  await partitions.getByRole("button", { name: "Copy what the tool prints of this topic" }).click();
  await expect(printed(partitions)).toContainText("Copied");
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^\$ kafka-get-offsets .*\norders\.v1:1:0$/);
  await expectAccessible(page);
  await picture(page, "tools-partitions");

  const configs = await panel(page, "Configs");
  const deletion = configs.locator(".printed").first();
  await deletion.locator("summary").click();
  await configs.getByRole("combobox", { name: "Partition" }).selectOption({ index: 1 });
  await configs.getByLabel("Delete records before offset").fill("9");
  await expect(deletion.locator(".tool-output")).toContainText("partition: orders.v1-1\terror: org.apache.kafka.common.errors.OffsetOutOfRangeException");
  await configs.getByLabel("Delete records before offset").fill("1");
  await expect(deletion.locator(".tool-output")).toContainText("partition: orders.v1-1\tlow_watermark: 1");
  const described = configs.locator(".printed").nth(1);
  await described.locator("summary").click();
  await expect(described.locator(".tool-output")).toContainText("Dynamic configs for topic orders.v1 are:");
  await described.getByRole("radio", { name: "--describe --all" }).check();
  await expect(described.locator(".tool-output")).toContainText("  retention.bytes=-1 sensitive=false synonyms={DEFAULT_CONFIG:log.retention.bytes=-1}");
  await picture(page, "tools-configs");
});

test("groups as kafka-consumer-groups prints them", async ({ page }) => {
  await open(page);
  await makeTopic(page, "orders", 2);
  const groups = await panel(page, "Groups");
  await groups.getByRole("button", { name: "Join the group" }).click();
  await printed(groups).locator("summary").click();
  await expect(printed(groups).locator(".tool-output")).toHaveText(/^GROUP +TYPE +STATE *\n\S+ +Classic +Stable *$/);
  const section = groups.getByRole("region", { name: /^Group / });
  await section.getByText("As Kafka’s tools print it").click();
  await section.getByRole("radio", { name: "--members" }).check();
  await expect(section.locator(".tool-command")).toHaveText(/--describe --group \S+ --members$/);
  await expect(section.locator(".tool-output")).toContainText("#PARTITIONS");
  await section.getByLabel("--verbose").check();
  await expect(section.locator(".tool-output")).toContainText("orders:0,1");
  await picture(page, "tools-groups");
});
