/** @file One consumer group: its members, and its partitions as Kafka's own tool prints them. */
import { count, h } from "../../dom.js";
import { consumerAnswer } from "./consumer-answer.js";
import { button, scroller } from "./field.js";
import { KeptList, keepFocus, setText } from "./keep.js";
import { MemberRow } from "./member-row.js";
import { plural, span } from "./numbers.js";
import { RefusalOutput } from "./refusal.js";
import { ToolText } from "./tool-text.js";

/** @typedef {import("../../../src/wasm/types.d.ts").Command} Command */
/** @typedef {import("../../../src/wasm/types.d.ts").Outcome} Outcome */
/** @typedef {import("../../../src/wasm/types.d.ts").GroupView} GroupView */
/** @typedef {import("../../../src/wasm/types.d.ts").GroupPartitionView} GroupPartitionView */
/** @typedef {import("../../../src/wasm/types.d.ts").TopicView} TopicView */
/** @typedef {import("./member-row.js").MemberItem} MemberItem */
/** @typedef {import("../../types.d.ts").Selection} Selection */

/** The most rows shown at once; the rest comes with a button. */
const ROWS = 200;
const COLUMNS = ["GROUP", "TOPIC", "PARTITION", "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG", "CONSUMER-ID", "HOST", "CLIENT-ID", "position"];
const NUMERIC = new Set(["PARTITION", "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG", "position"]);

/**
 * @typedef {object} GroupItem
 * @property {GroupView} group
 * @property {TopicView[]} topics
 * @property {() => number} now
 * @property {import("../../types.d.ts").EngineApi} engine
 */

/**
 * @typedef {object} GroupActs
 * @property {(command: Command, answer: RefusalOutput) => void} act
 * @property {(place: Selection) => void} select
 * @property {(group: GroupView) => void} remove
 * @property {(group: GroupView) => void} reset
 * @property {(group: GroupView) => void} forget its commits on a topic
 */

export class GroupSection {
  refusal = new RefusalOutput();
  #heading = h("span", { class: "hint" });
  #unnoticed = h("div");
  #fenced = h("div");
  #membersBox = h("ul", { class: "plain-list members" });
  #body = h("tbody");
  #more = h("p");
  #answer = h("div");
  #printed;
  #forget;
  #table;
  #limit = ROWS;
  /** @type {MemberRow[]} */
  #rows = [];
  #members;
  #partitions;
  #acts;
  /** @type {GroupItem} */
  #item;
  element;

  /**
   * @param {GroupItem} item
   * @param {GroupActs} acts
   */
  constructor(item, acts) {
    this.#item = item;
    this.#acts = acts;
    const doing = {
      act: (/** @type {Command} */ command) => acts.act(command, this.refusal),
      say: (/** @type {string} */ problem) => this.refusal.say(problem),
    };
    this.#members = new KeptList(this.#membersBox, (/** @type {MemberItem} */ { member }) => member.member, (member) => {
      const row = new MemberRow(member, doing);
      this.#rows.push(row);
      return row;
    });
    this.#partitions = new KeptList(this.#body, (/** @type {GroupPartitionView} */ { topic, partition }) => `${topic} ${partition}`,
      () => new PartitionRow(() => this.#item.group));
    const { id } = item.group;
    const verbose = h("input", { type: "checkbox" });
    const option = h("label", { class: "check" }, verbose, " --verbose");
    this.#printed = new ToolText(`group ${id}`, /** @type {const} */ (["offsets", "members", "state"]).map((table) => ({
      name: `--${table}`, options: option, request: () => ({ tool: "describeGroup", group: id, table, verbose: verbose.checked }),
    })));
    this.#table = scroller(`Partitions of group ${id}`, h("table", { class: "kafka-table" },
      h("thead", null, h("tr", null, ...COLUMNS.map((text) => h("th", { scope: "col", class: NUMERIC.has(text) ? "num" : null }, text)))),
      this.#body));
    this.#forget = button("Delete offsets…", () => acts.forget(this.#item.group), { class: "quiet", "aria-label": `Delete offsets of ${id}…` });
    this.element = h("section", { class: "group", "aria-label": `Group ${id}` },
      h("div", { class: "row" }, h("h2", { class: "mono" }, id), this.#heading,
        h("span", { class: "row group-acts" },
          button("Reset offsets…", () => acts.reset(this.#item.group), { class: "quiet", "aria-label": `Reset offsets of ${id}…` }),
          this.#forget,
          button("Remove members", () => acts.act({ type: "removeMembers", group: id }, this.refusal), { class: "quiet", "aria-label": `Remove all members of ${id}`, title: "As an administrator does it: they learn of it with their next commit or poll" }),
          button("Delete group…", () => acts.remove(this.#item.group), { class: "quiet" }))),
      this.#unnoticed, this.#fenced, this.#membersBox, this.refusal.element, this.#answer,
      this.#table, this.#more, this.#printed.element);
  }

  /** @param {GroupItem} item */
  update(item) {
    this.#item = item;
    const { group, topics, now } = item;
    setText(this.#heading, group.members.length === 0
      ? `${group.state}: it has no active members${group.partitions.length > 0 ? "; its committed offsets stay" : ", and has committed nothing"}`
      : `${group.state} · ${plural(group.members.length, "member")} · assignor ${group.assignor} · ${group.protocol === "consumer" ? "consumer protocol, group epoch" : "generation"} ${group.generation}`);
    keepFocus(this.element, this.#membersBox, () => {
      this.#members.update(group.members.map((member) => ({ group, member, topics, now, engine: item.engine })));
      this.#showUnnoticed();
      this.#showFenced();
    });
    this.#printed.update(item.engine);
    this.#rows = this.#rows.filter(({ element }) => element.isConnected || this.#membersBox.contains(element));
    this.#renewRows();
  }

  /** Called once a second while a member is crashed. */
  tick() {
    for (const row of this.#rows) row.tick();
    if (this.#item.group.unnoticed.length > 0) this.#showUnnoticed();
  }

  /** @param {Outcome} outcome */
  done(outcome) {
    this.refusal.clear();
    const epoch = this.#item.group.protocol === "consumer" ? "group epoch" : "generation";
    this.#answer.replaceChildren(...consumerAnswer(outcome, this.#item.topics, this.#acts.select, epoch));
  }

  #renewRows() {
    const { partitions } = this.#item.group;
    this.#table.hidden = partitions.length === 0;
    this.#forget.disabled = !partitions.some(({ committedOffset }) => committedOffset !== null);
    this.#partitions.update(partitions.slice(0, this.#limit));
    const hidden = partitions.length - this.#limit;
    if (hidden > 0 !== (this.#more.firstChild !== null)) {
      this.#more.replaceChildren(...(hidden > 0 ? [button("Show all rows", () => {
        this.#limit = Infinity;
        this.#renewRows();
      })] : []));
    }
  }

  #showFenced() {
    const { id, fenced, outside } = this.#item.group;
    const out = outside.map(({ member, why, assignment }) => h("div", { class: "notice" },
      h("p", null, h("b", { class: "mono" }, member), why === "unsubscribed"
        ? " runs, and subscribes to nothing: it is not in the group."
        : ` ${why === "removed" ? "was removed by an administrator" : "has not polled for max.poll.interval.ms"}: it is out of the group, and thinks that it still has ${assignment.length === 0 ? "nothing" : assignment.map(({ topic, partitions }) => `${topic} ${partitions.map((p) => `P${p}`).join(", ")}`).join("; ")}. With a poll it joins again.`),
      ...(why === "unsubscribed" ? [] : [button("Poll with it", () => this.#acts.act({ type: "poll", group: id, member }, this.refusal), { "aria-label": `Poll with ${member}` }), " ",
        button("Commit with it", () => this.#acts.act({ type: "commit", group: id, member }, this.refusal), { "aria-label": `Commit with ${member}` }), " "]),
      button("Close it", () => this.#acts.act({ type: "leave", group: id, member }, this.refusal), { "aria-label": `Close ${member}` })));
    this.#fenced.replaceChildren(...out, ...fenced.map((member) => h("div", { class: "notice" },
      h("p", null, h("b", { class: "mono" }, member), " still runs, but another consumer with its group.instance.id has its place. The next thing it does fails with FENCED_INSTANCE_ID."),
      button("Poll with it", () => this.#acts.act({ type: "poll", group: id, member }, this.refusal), { "aria-label": `Poll with ${member}` }), " ",
      button("Close it", () => this.#acts.act({ type: "leave", group: id, member }, this.refusal), { "aria-label": `Close ${member}` }))));
  }

  #showUnnoticed() {
    const { group, now } = this.#item;
    const lines = group.unnoticed.map(({ topic, known, now: today, noticedAt }) => {
      const left = noticedAt - now();
      return `${topic} has ${plural(today, "partition")}, the group knows ${known}: nobody reads the new ones until ${group.protocol === "consumer" ? "the broker tells them with a heartbeat" : "its leader fetches metadata"}${left > 0 ? `, in ${span(left)} at the latest${group.protocol === "consumer" ? "" : " (metadata.max.age.ms)"}` : ""}. With auto.offset.reset=latest, what is written to them until then is never read.`;
    });
    if (lines.length === 0) {
      if (this.#unnoticed.firstChild) this.#unnoticed.replaceChildren();
      return;
    }
    if (!this.#unnoticed.firstChild) {
      this.#unnoticed.append(h("div", { class: "notice" }, h("p"),
        button("Fetch metadata now", () => this.#acts.act({ type: "refreshMetadata", group: group.id }, this.refusal))));
    }
    setText(/** @type {Node} */ (this.#unnoticed.querySelector("p")), lines.join(" "));
  }
}

class PartitionRow {
  #cells = COLUMNS.map((text) => h("td", { class: NUMERIC.has(text) ? "num" : "mono" }));
  #group;
  element = h("tr", null, ...this.#cells);

  /** @param {() => GroupView} group */
  constructor(group) {
    this.#group = group;
  }

  /** @param {GroupPartitionView} row */
  update({ topic, partition, member, committedOffset, position, logEndOffset, lag, metadata }) {
    const { id, members } = this.#group();
    const owner = members.find((other) => other.member === member && other.assignment.some((a) => a.topic === topic && a.partitions.includes(partition)));
    const dash = (/** @type {bigint | null} */ value) => (value === null ? "-" : count(value));
    const texts = [id, topic, String(partition), dash(committedOffset), count(logEndOffset), dash(lag), shortId(owner?.memberId ?? member ?? "-"), member === null ? "-" : "/127.0.0.1", member ?? "-", position === null ? "–" : count(position)];
    texts.forEach((text, i) => setText(/** @type {Node} */ (this.#cells[i]), text));
    /** @type {HTMLElement} */ (this.#cells[6]).title = owner?.memberId ?? "";
    /** @type {HTMLElement} */ (this.#cells[3]).title = metadata === "" ? "" : `Committed with the metadata ${JSON.stringify(metadata)}`;
    this.#cells[3]?.classList.toggle("noted", metadata !== "");
    this.element.classList.toggle("behind", lag !== null && lag > 0n);
  }
}

/**
 * A member id with its UUID cut short; the whole is in the tooltip.
 * @param {string} id
 */
function shortId(id) {
  return id.replace(/(-[0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, "$1…");
}
