/** @file What an empty cluster shows in the lanes' place: what this is, the one rule, the ways to begin. */

import { h } from "../dom.js";

/**
 * @param {(type: "lesson" | "sample" | "file" | "topic", file?: File) => void} act
 * @returns {HTMLElement}
 */
export function firstScreen(act) {
  const choose = h("input", { type: "file", class: "unseen", tabindex: "-1", "aria-hidden": "true" });
  choose.addEventListener("change", () => {
    const file = choose.files?.[0];
    if (file) act("file", file);
    choose.value = "";
  });
  return h(
    "div",
    { class: "first" },
    h("div", { class: "first-picture", "aria-hidden": "true" }, ...pictureLanes()),
    h(
      "div",
      { class: "first-text" },
      h("h2", { class: "first-title" }, "Kafka’s log, one lane for each partition."),
      h(
        "p",
        { class: "first-what" },
        "A cluster in this tab: topics, partitions, offsets, keys and consumer groups, as Apache Kafka 4.4.0 keeps them. Nothing leaves the browser.",
      ),
      h("p", { class: "first-rule" }, "Order holds within a partition, never across."),
      h(
        "p",
        { class: "first-acts" },
        h("button", { type: "button", class: "primary", onclick: () => act("lesson") }, "Begin with the first lesson"),
        h("button", { type: "button", onclick: () => act("sample") }, "Load 20,000 real flights"),
        h("button", { type: "button", onclick: () => act("topic") }, "Make a topic by hand"),
        h("button", { type: "button", onclick: () => choose.click() }, "Open a file…"),
        choose,
      ),
      h("p", { class: "hint" }, "The flights go into a topic of 6 partitions, each keyed by the airport it leaves from. Or drop a file anywhere on the page: records of nearly any form, a scenario, or what was exported from here."),
    ),
  );
}

/** Three small lanes, keys in colours, each key in one lane only, each lane with offsets of its own. */
function pictureLanes() {
  const lanes = ["abacabbacab", "ddededdeeddedde", "fgffgf"];
  return lanes.map((keys, lane) =>
    h("div", { class: "first-lane" },
      h("span", { class: "first-name" }, `P${lane}`),
      ...Array.from(keys, (key, offset) => h("span", { class: `first-cell first-${key}` }, offset))),
  );
}
