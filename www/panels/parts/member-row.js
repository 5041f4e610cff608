/** @file One member of a group: what it owns, and what one can make it do. */
import { count, h } from "../../dom.js";
import { AskConsumer } from "./ask-consumer.js";
import { button, field, numberInput, segmented, textInput, uniqueId } from "./field.js";
import { keepFocus, setOptions, setText } from "./keep.js";
import { NOT_INT32, NOT_INT64, int32, int64, partitionList, places, span, timestamp } from "./numbers.js";

/** @typedef {import("../../../src/wasm/types.d.ts").Command} Command */
/** @typedef {import("../../../src/wasm/types.d.ts").GroupView} GroupView */
/** @typedef {import("../../../src/wasm/types.d.ts").MemberView} MemberView */
/** @typedef {import("../../../src/wasm/types.d.ts").TopicView} TopicView */
/** @typedef {import("../../../src/wasm/types.d.ts").TopicPartitions} TopicPartitions */
/** @typedef {import("../../../src/wasm/types.d.ts").ByHandView} ByHandView */
/** @typedef {import("../../types.d.ts").EngineApi} EngineApi */

/**
 * @typedef {object} MemberItem
 * @property {Pick<GroupView, "id" | "protocol" | "rounds">} group its id is empty for a consumer without one
 * @property {MemberView} member
 * @property {TopicView[]} topics all of the cluster
 * @property {() => number} now the cluster's clock, as it is when asked
 * @property {EngineApi} engine
 * @property {ByHandView["places"]} [places] of one that is assigned by hand
 */

/**
 * @typedef {object} Doing
 * @property {(command: Command) => void} act
 * @property {(problem: string) => void} say tells what cannot even be sent
 */

/** The page's idea of the cluster's clock is an estimate; so many ms make up for its rounding. */
const CLOCKS_APART = 5;

/**
 * @param {readonly TopicPartitions[]} places
 */
function placesText(places) {
  return places.map(({ topic, partitions }) => `${topic} ${partitionList(partitions)}`).join("; ");
}

/**
 * What the last rebalance meant for a member.
 * @param {MemberView} member
 * @param {MemberItem["group"]} group
 */
function rebalanceText({ lastRebalance }, { rounds, protocol }) {
  if (!lastRebalance) return "";
  const { cooperative, revoked, kept, assigned } = lastRebalance;
  const parts = [];
  if (revoked.length > 0) parts.push(`revoked ${placesText(revoked)}`);
  if (cooperative && kept.length > 0) parts.push(`kept ${placesText(kept)}, read on`);
  if (assigned.length > 0) parts.push(`assigned ${placesText(assigned)}`);
  if (!cooperative && kept.length > 0) parts.push(`${placesText(kept)} came back, without the position`);
  const went = protocol === "consumer" ? `Last change, epoch ${rounds[0]}: ` : rounds.length > 1 ? `Last rebalance, generations ${rounds[0]} to ${rounds.at(-1)}: ` : `Last rebalance, generation ${rounds[0]}: `;
  return parts.length > 0 ? went + parts.join(" · ") : `${went}nothing for it`;
}

/**
 * Where a consumer stands that is assigned by hand.
 * @param {ByHandView["places"]} places
 */
function byHandText(places) {
  if (places.length === 0) return "neither subscribes nor is assigned anything";
  const shown = places.slice(0, 12).map(({ topic, partition, position, lag }) =>
    `${topic} P${partition}${position === null ? "" : ` at ${count(position)}${lag === null ? "" : `, lag ${count(lag)}`}`}`);
  return `${shown.join("; ")}${places.length > shown.length ? `; and ${count(places.length - shown.length)} more` : ""}`;
}

/** @param {string} text names with commas */
function listed(text) {
  return text.split(",").map((name) => name.trim()).filter((name) => name !== "");
}

export class MemberRow {
  #state = h("span", { class: "member-state" });
  #name = h("b", { class: "mono" });
  #last = h("p", { class: "hint member-last" });
  #live;
  #crashed;
  #max = numberInput({ placeholder: "max 500", size: 8, "aria-label": "max.poll.records" });
  #place = h("select");
  #offset = numberInput({ class: "number mono" });
  #metadata = textInput({ size: 12, placeholder: "none" });
  #topics = textInput({ class: "mono", size: 24 });
  #pattern = textInput({ class: "mono", size: 16, placeholder: "orders-.*" });
  #language = segmented("Language of the pattern", [{ value: "java", text: "Java" }, { value: "re2", text: "RE2/J" }], "java", () => {});
  #places = textInput({ class: "mono wide", size: 24, placeholder: "orders-0, orders-1" });
  #time = textInput({ class: "mono wide", size: 24, placeholder: "2026-01-31T12:00:00Z" });
  #more;
  #seek;
  #doing;
  /** @type {MemberItem} */
  #item;
  element;

  /**
   * @param {MemberItem} item
   * @param {Doing} doing
   */
  constructor(item, doing) {
    this.#item = item;
    this.#doing = doing;
    const { member, group } = item;
    const of = (/** @type {string} */ act) => ({ "aria-label": `${act} ${member.member}` });
    const byHand = item.places !== undefined;
    const where = () => ({ engine: this.#item.engine, group: this.#item.group.id });
    const seekId = uniqueId("seek");
    this.#more = button("Seek…", () => this.#showSeek(this.#seek.hidden === true), {
      "aria-controls": seekId, "aria-expanded": "false", ...of("Seek, or commit an offset, with"),
    });
    this.#live = h("div", { class: "row member-acts" },
      button("Poll", () => this.#poll(), of("Poll with")), this.#max,
      button("Commit", () => this.#act({ type: "commit" }), { ...of("Commit the positions of"), title: "Commits every position: the next offset to read" }),
      this.#more,
      button("Crash", () => this.#act({ type: "crash" }), { class: "quiet", ...of("Crash"), title: "The process is killed; the group learns of it when the session times out" }),
      button("Close", () => this.#act({ type: "leave" }), { class: "quiet", ...of("Close"), title: "The consumer closes in good order and leaves the group; a static member stays until its session times out" }));
    this.#crashed = h("div", { class: "row member-acts" },
      button("Let the session time out now", () => this.#timeOut(), of("Let the session time out now for")),
      button("Restart", () => this.#act({ type: "restart" }), of("Restart")));
    this.#seek = h("div", { class: "seek", id: seekId, hidden: true },
      h("div", { class: "row low" },
        field("Partition", this.#place), field("Offset", this.#offset),
        button("Seek there", () => this.#toOffset("seek")),
        button("To beginning", () => this.#seekTo("beginning")), button("To end", () => this.#seekTo("end")),
        button("Commit it", () => this.#toOffset("commit")), field("with metadata", this.#metadata),
        button("Pause", () => this.#pause("pause"), { title: "It takes nothing from the partition until resumed, or until an eager rebalance" }),
        button("Resume", () => this.#pause("resume"))),
      h("div", { class: "row low" },
        field("Time: ISO 8601, or ms since 1970", this.#time),
        button("Seek all its partitions to that time", () => this.#toTime())),
      ...(byHand ? this.#assigning() : this.#subscribing(of)),
      new AskConsumer(member.member, where, () => this.#chosen()).element,
      h("p", { class: "hint" }, "A seek moves this member’s position. A commit stores the next offset to read for the whole group: after offset 4 has been read, that is 5."));
    const name = byHand ? `Consumer ${member.member}, by hand` : `Member ${member.member} of ${group.id}`;
    this.element = h("li", { class: "member", "aria-label": name },
      h("div", { class: "row member-head" }, this.#name, this.#state),
      this.#live, this.#crashed, this.#last, this.#seek);
  }

  /** What a member subscribes to. @param {(act: string) => Record<string, string>} of */
  #subscribing(of) {
    return [h("div", { class: "row low" },
      field("Subscribes to: topics, with commas", this.#topics),
      button("Subscribe", () => this.#subscribe(listed(this.#topics.value))),
      button("Unsubscribe", () => this.#subscribe([]), { title: "It leaves the group and runs on" }),
      button("Rebalance", () => this.#act({ type: "enforceRebalance" }), { title: "enforceRebalance(): with the consumer protocol nothing happens" }),
      button("Poll too late", () => this.#act({ type: "exceedPollInterval" }), { ...of("Let max.poll.interval.ms pass for"), title: "max.poll.interval.ms passes without a poll: it drops out of the group" })),
    h("div", { class: "row low" },
      field("or by pattern", this.#pattern), this.#language.element,
      button("Subscribe by pattern", () => this.#subscribe([], this.#pattern.value), { title: "Unsubscribe first: topics and patterns exclude each other" }))];
  }

  /** What a consumer is assigned by hand. */
  #assigning() {
    return [h("div", { class: "row low" },
      field("Assigned: partitions, with commas", this.#places),
      button("Assign", () => this.#assign(), { title: "assign(): in place of what it had" }))];
  }

  #assign() {
    const partitions = places(this.#places.value);
    const { group, member } = this.#item;
    if (partitions === null) this.#doing.say(`“${this.#places.value}” is no list of partitions: write orders-0, orders-1.`);
    else this.#doing.act({ type: "assign", group: group.id, member: member.member, partitions });
  }

  /** @param {MemberItem} item */
  update(item) {
    this.#item = item;
    const { member, topics } = item;
    keepFocus(this.element, this.element, () => {
      const stopped = member.crashed || member.closed;
      this.#live.hidden = stopped;
      if (stopped) this.#showSeek(false);
      this.#crashed.hidden = !stopped;
    });
    setText(this.#name, member.member);
    this.#name.title = member.memberId;
    const owned = member.assignment.filter(({ partitions }) => partitions.length > 0);
    this.element.classList.toggle("idle", owned.length === 0);
    this.element.classList.toggle("crashed", member.crashed || member.closed);
    setText(this.#last, rebalanceText(member, item.group));
    this.#last.hidden = this.#last.textContent === "";
    this.tick();
    if (document.activeElement !== this.#topics) this.#topics.value = member.pattern ? "" : member.topics.join(", ");
    if (member.pattern && document.activeElement !== this.#pattern) {
      this.#pattern.value = Object.values(member.pattern).join("");
      this.#language.value = "re2" in member.pattern ? "re2" : "java";
    }
    if (item.places && document.activeElement !== this.#places) this.#places.value = item.places.map(({ topic, partition }) => `${topic}-${partition}`).join(", ");
    const mine = new Set(owned.flatMap(({ topic, partitions }) => partitions.map((p) => `${topic} ${p}`)));
    const read = new Set([...member.topics, ...owned.map(({ topic }) => topic)]);
    const all = topics.filter(({ name }) => read.has(name)).flatMap(({ name, partitions }) => partitions.map(({ partition }) => `${name} ${partition}`));
    const places = [...all.filter((place) => mine.has(place)), ...all.filter((place) => !mine.has(place))];
    setOptions(this.#place, places.map((value) => ({ value, text: mine.has(value) ? value : `${value} (not assigned)` })));
  }

  /** @param {boolean} shown */
  #showSeek(shown) {
    this.#seek.hidden = !shown;
    this.#more.setAttribute("aria-expanded", String(shown));
  }

  /** Shows how much of a crashed member's session is left. */
  tick() {
    const { member, now, group } = this.#item;
    const owned = member.assignment.filter(({ partitions }) => partitions.length > 0);
    const owns = placesText(owned);
    let text = this.#item.places ? byHandText(this.#item.places) : owns === "" ? "idle: a member, but no partition is left for it" : owns;
    if (member.crashed || member.closed) {
      const left = member.sessionEnds === null ? "" : `; the group ${member.closed ? "waits for it" : "notices in"} ${span(member.sessionEnds - now())}`;
      text = `${member.closed ? "closed, but a static member stays" : "crashed"}${owns === "" ? "" : `, and still owns ${owns}`}${left}`;
    }
    if (group.protocol === "consumer" && !this.#item.places) {
      const target = placesText(member.target);
      text += ` · epoch ${member.epoch}${target === placesText(owned) ? "" : `, target: ${target === "" ? "nothing" : target}`}`;
    }
    if (member.paused.length > 0) text += ` (paused: ${placesText(member.paused)})`;
    if (member.instanceId !== null) text += ` · static ${member.instanceId}`;
    if (member.pattern) text += ` · pattern ${Object.values(member.pattern).join("")}${"re2" in member.pattern ? " (RE2/J)" : ""}`;
    if (member.autoCommit) text += " · auto commit";
    for (const { name, value } of member.configs) text += ` · ${name} ${value}`;
    setText(this.#state, `${text} · reset ${member.autoOffsetReset}`);
  }

  /** @param {"pause" | "resume"} type */
  #pause(type) {
    const place = this.#chosen();
    const { group, member } = this.#item;
    if (place) this.#doing.act({ type, group: group.id, member: member.member, ...place });
  }

  /**
   * @param {string[]} topics
   * @param {string} [pattern]
   */
  #subscribe(topics, pattern) {
    const { group, member } = this.#item;
    const isRe2 = this.#language.value === "re2";
    const given = pattern === undefined ? {} : { pattern: isRe2 ? { re2: pattern } : { java: pattern } };
    this.#doing.act({ type: "subscribe", group: group.id, member: member.member, topics, ...given });
  }

  /** @typedef {{ type: "leave" | "crash" | "restart" | "commit" | "poll" | "enforceRebalance" | "exceedPollInterval" }} Simple */

  /** @param {Simple & { maxRecords?: number }} command */
  #act(command) {
    const { group, member } = this.#item;
    this.#doing.act({ ...command, group: group.id, member: member.member });
  }

  #poll() {
    const typed = this.#max.value.trim();
    if (typed === "") return this.#act({ type: "poll" });
    const maxRecords = int32(typed);
    if (maxRecords === null) this.#doing.say(`max.poll.records “${typed}” ${NOT_INT32}`);
    else this.#act({ type: "poll", maxRecords });
  }

  #timeOut() {
    const { member, now } = this.#item;
    if (member.sessionEnds !== null) this.#doing.act({ type: "advanceClock", ms: Math.max(0, Math.ceil(member.sessionEnds - now())) + CLOCKS_APART });
  }

  /** The partition that is chosen, or null after telling that none is. */
  #chosen() {
    const [topic, partition] = this.#place.value.split(" ");
    if (topic && partition !== undefined) return { topic, partition: Number(partition) };
    this.#doing.say("There is no partition to choose: the topics it subscribes to are gone.");
    return null;
  }

  /** @param {"beginning" | "end" | bigint} to */
  #seekTo(to) {
    const place = this.#chosen();
    const { group, member } = this.#item;
    if (place) this.#doing.act({ type: "seek", group: group.id, member: member.member, ...place, to });
  }

  #toTime() {
    const time = timestamp(this.#time.value);
    if (time === null) return this.#doing.say(`“${this.#time.value}” is no time: write 2026-01-31T12:00:00Z, or milliseconds since 1970.`);
    const { group, member } = this.#item;
    this.#doing.act({ type: "seekToTimestamp", group: group.id, member: member.member, timestamp: time });
  }

  /** @param {"seek" | "commit"} what */
  #toOffset(what) {
    const offset = int64(this.#offset.value);
    if (offset === null) return this.#doing.say(`The offset “${this.#offset.value}” ${NOT_INT64}`);
    if (what === "seek") return this.#seekTo(offset);
    const place = this.#chosen();
    const { group, member } = this.#item;
    const metadata = this.#metadata.value;
    if (place) this.#doing.act({ type: "commit", group: group.id, member: member.member, offsets: [{ ...place, offset, ...(metadata !== "" && { metadata }) }] });
  }
}
