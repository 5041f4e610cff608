/**
 * @file A broker's folders with several topics: what is in them, asked before any of it is copied. One
 * topic alone is asked about by import-plan.js.
 */

/** @import { ClusterView, Command, LogPlan, LoglanesError } from "../../src/wasm/types.d.ts" */
/** @import { Given } from "../given.js" */

import { visible } from "../bytes.js";
import { count, h, size } from "../dom.js";
import { FormDialog } from "./parts/dialog.js";
import { KEPT, KEPT_NOTE } from "./parts/kept.js";
import { partitionList, plural } from "./parts/numbers.js";

/** @typedef {LogPlan["topics"][number]} PlannedTopic */

/** Events: `copy-log` (detail: {files, topic: null, creates}) when the user says go. */
export class FolderPlan extends EventTarget {
  #about = h("p", { class: "soft" });
  #rows = h("tbody", null);
  #rest = h("p", { class: "hint" });
  #dialog;
  /** @type {Given[]} */
  #given = [];
  /** @type {Map<HTMLInputElement, { planned: PlannedTopic, create: Command | null }>} */
  #chosen = new Map();

  /** @param {HTMLElement} root */
  constructor(root) {
    super();
    const head = ["Topic", "Partitions", "Files", "Size", "Here"].map((text) => h("th", { scope: "col" }, text));
    this.#dialog = new FormDialog({
      title: "Copy a broker’s files",
      act: "Keep as they are",
      body: [
        this.#about,
        h("div", { class: "table-wrap", tabindex: 0, role: "group", "aria-label": "Topics of the folders" }, h("table", { class: "folder-topics" }, h("thead", null, h("tr", null, ...head)), this.#rows)),
        h("p", { class: "hint" }, "Each partition’s files become its log, offsets and bytes untouched, as if they were copied to a broker; what is damaged is cut off, as there. The copying is one step of the history, and each new topic another. To send records anew instead, give one topic’s folders alone."),
        h("p", { class: "hint" }, `New topics keep their records for ever: ${KEPT_NOTE}`),
        this.#rest,
      ],
      submit: () => this.#submit(),
    });
    root.append(this.#dialog.element);
  }

  /**
   * @param {LogPlan} plan
   * @param {Given[]} given what the plan speaks of
   * @param {ClusterView} view
   * @param {string[]} notes
   */
  open({ topics, unnamed, derived, leftOut }, given, view, notes) {
    this.#given = given;
    this.#chosen.clear();
    const partitions = topics.flatMap((topic) => topic.partitions);
    const files = partitions.reduce((sum, { files: some }) => sum + some.length, 0);
    this.#about.textContent = `${plural(topics.length, "topic")}, ${plural(partitions.length, "partition")}, ${plural(files, ".log file")}, ${size(partitions.reduce((sum, { bytes }) => sum + bytes, 0))}. Nothing is done before you press Keep as they are.`;
    this.#rows.replaceChildren(...topics.map((topic) => this.#row(topic, view)));
    const others = [...unnamed, ...leftOut].map((at) => given[at]?.path ?? "");
    this.#rest.textContent = [
      ...notes,
      derived > 0 ? `${plural(derived, "file")} beside them, such as indexes, are made anew from the .log files.` : "",
      others.length > 0 ? `Left out: ${others.slice(0, 5).map(visible).join(", ")}${others.length > 5 ? ` and ${count(others.length - 5)} more` : ""}.` : "",
    ].join(" ");
    this.#dialog.open();
  }

  /** @param {PlannedTopic} planned @param {ClusterView} view */
  #row(planned, view) {
    const { name, count: needed, partitions } = planned;
    const there = view.topics.find((topic) => topic.name === name);
    const taken = there?.partitions.filter((lane) => lane.logEndOffset > 0n && partitions.some((one) => one.partition === lane.partition)) ?? [];
    const small = there !== undefined && there.partitions.length < needed;
    const here = !there ? `new, with ${plural(needed, "partition")}`
      : small ? `has only ${plural(there.partitions.length, "partition")}`
      : taken.length > 0 ? `${partitionList(taken.map((lane) => lane.partition))} had records`
      : "there, without records";
    const fits = !small && taken.length === 0;
    const box = h("input", { type: "checkbox", checked: fits, disabled: !fits });
    const create = there ? null : { type: /** @type {const} */ ("createTopic"), name, partitions: needed, configs: KEPT };
    this.#chosen.set(box, { planned, create });
    return h("tr", null,
      h("th", { scope: "row" }, h("label", { class: "check" }, box, h("span", { class: "mono" }, name))),
      h("td", { class: "mono" }, partitionList(partitions.map((one) => one.partition))),
      h("td", { class: "num" }, count(partitions.reduce((sum, { files }) => sum + files.length, 0))),
      h("td", { class: "num" }, size(partitions.reduce((sum, { bytes }) => sum + bytes, 0))),
      h("td", null, here));
  }

  #submit() {
    this.#dialog.refusal.clear();
    const chosen = [...this.#chosen].filter(([box]) => box.checked).map(([, topic]) => topic);
    if (chosen.length === 0) return this.#dialog.refusal.say("Choose at least one topic.");
    const at = chosen.flatMap(({ planned }) => planned.partitions.flatMap(({ files }) => files));
    const files = at.map((number) => this.#given[number]).filter((given) => given !== undefined);
    const creates = chosen.flatMap(({ create }) => create ?? []);
    this.dispatchEvent(new CustomEvent("copy-log", { detail: { files, topic: null, creates } }));
  }

  /** @param {LoglanesError} error @returns {boolean} whether it was shown here */
  refused(error) {
    return this.#dialog.refused(error);
  }

  close() {
    this.#dialog.close();
  }
}
