/** @file Starting a consumer: a new member of a group, or the first of a new one. */
import { h } from "../../dom.js";
import { field, numberInput, segmented, textInput, uniqueId } from "./field.js";
import { KeptList } from "./keep.js";
import { NOT_INT32, int32, places } from "./numbers.js";
import { RefusalOutput } from "./refusal.js";

/** @typedef {import("../../../src/wasm/types.d.ts").Command} Command */
/** @typedef {import("../../../src/wasm/types.d.ts").OffsetReset} OffsetReset */
/** @typedef {import("../../../src/wasm/types.d.ts").Assignor} Assignor */
/** @typedef {import("../../../src/wasm/types.d.ts").ConsumerConfigs} ConsumerConfigs */
/** @typedef {import("../../types.d.ts").PageState} PageState */

const BY_DURATION = "by_duration";

const RESETS = [
  { value: "latest", text: "latest (Kafka’s default)", meaning: "at the end: only what comes after it first asks" },
  { value: "earliest", text: "earliest", meaning: "at the log start: all there is" },
  { value: "none", text: "none", meaning: "nowhere: the poll fails, and the program must decide" },
  { value: BY_DURATION, text: BY_DURATION, meaning: "at the first record that is no older than the duration; where there is none it has no position, and asks again after 30 s" },
];

/** The choice of a list that is typed. */
const LIST = "list";

/** The values of `partition.assignment.strategy`; the first leaves it at Kafka’s default. @type {{ value: string, text: string, assignors: Assignor[] | undefined, meaning: string }[]} */
const STRATEGIES = [
  { value: "", text: "range, cooperative-sticky (default)", assignors: undefined, meaning: "The group uses the first that all members have: range, with the default." },
  { value: "range", text: "range", assignors: ["range"], meaning: "Topic by topic in runs. With several topics the same members get the larger share each time." },
  { value: "roundrobin", text: "roundrobin", assignors: ["roundrobin"], meaning: "All partitions in turns. Nearly all of them move when a member comes or goes." },
  { value: "sticky", text: "sticky", assignors: ["sticky"], meaning: "Even, and with few moves. Eager: all members stop, and forget positions that they have not committed." },
  { value: "cooperative-sticky", text: "cooperative-sticky", assignors: ["cooperative-sticky"], meaning: "Even, and with few moves. Only what moves stops, in a round more; the rest is read on." },
  { value: LIST, text: "a list of your own…", assignors: undefined, meaning: "First choice first; the group uses one that all members have. To go over from range: restart each member with “cooperative-sticky, range”, then each with cooperative-sticky alone." },
];

/** Configs that are numbers: the command’s field, Kafka’s name, its default, and what one should know of it. @type {{ key: "sessionTimeoutMs" | "heartbeatIntervalMs" | "maxPollIntervalMs" | "maxPollRecords" | "autoCommitIntervalMs", name: string, usual: string, meaning: string }[]} */
const NUMBERS = [
  { key: "sessionTimeoutMs", name: "session.timeout.ms", usual: "45000", meaning: "how long the group waits for a silent member" },
  { key: "heartbeatIntervalMs", name: "heartbeat.interval.ms", usual: "3000", meaning: "only checked here: rebalances are over at once" },
  { key: "maxPollIntervalMs", name: "max.poll.interval.ms", usual: "not watched", meaning: "Kafka’s default is 300000; here the clock puts out only members that have their own" },
  { key: "maxPollRecords", name: "max.poll.records", usual: "500", meaning: "the most records of a poll" },
  { key: "autoCommitIntervalMs", name: "auto.commit.interval.ms", usual: "5000", meaning: "with enable.auto.commit" },
];

/** What a consumer reads. */
const BY_TOPIC = "topics";
const BY_PATTERN = "pattern";
const BY_HAND = "partitions";

/** The values of `group.remote.assignor`; the first leaves it to the group. */
const REMOTE = [
  { value: "", text: "as the group has it (uniform by default)", meaning: "What most members ask for; uniform where none asks." },
  { value: "uniform", text: "uniform", meaning: "Even, and everyone keeps what it had. The larger shares go to the last members in the broker’s order." },
  { value: "range", text: "range", meaning: "Topic by topic in runs, like the client’s. What members had plays no part." },
];

/** The values of `isolation.level`; the first is Kafka’s default. */
const READ_UNCOMMITTED = "read_uncommitted";
const READ_COMMITTED = "read_committed";

/** Emits `join`, detail: the command, which may be an `assign`. */
export class JoinForm extends EventTarget {
  refusal = new RefusalOutput();
  #group = textInput({ value: "billing", class: "mono", list: uniqueId("groups") });
  #known = h("datalist", { id: this.#group.getAttribute("list") });
  #groups = new KeptList(this.#known, (/** @type {string} */ id) => id, (value) => ({ element: h("option", { value }), update() {} }));
  #member = textInput({ class: "mono" });
  /** Whether the member's name is a suggestion still, and not typed. */
  #suggested = true;
  #topicBox = h("div", { class: "topic-checks" });
  /** @type {Set<string>} */
  #topics = new Set();
  #touched = false;
  #list;
  #reset = h("div", { class: "radio-lines" });
  #duration = textInput({ value: "PT1H", class: "mono", size: 10, "aria-label": "Duration for by_duration" });
  #instance = textInput({ class: "mono", placeholder: "none" });
  #strategy = h("select", { onchange: () => this.#explainStrategy() }, ...STRATEGIES.map(({ value, text }) => new Option(text, value)));
  #meaning = h("span");
  #ownList = textInput({ class: "mono", value: "cooperative-sticky, range" });
  #subject = segmented("What it reads", [{ value: BY_TOPIC, text: "topics" }, { value: BY_PATTERN, text: "by pattern" }, { value: BY_HAND, text: "partitions by hand" }], BY_TOPIC, () => this.#showSubject());
  #pattern = textInput({ class: "mono", placeholder: "orders-.*" });
  #language = segmented("Language of the pattern", [{ value: "java", text: "Java, matched by the consumer" }, { value: "re2", text: "RE2/J, matched by the broker" }], "java", () => {});
  #byPattern = h("div", { class: "stack" }, field("Pattern of all of a topic’s name", this.#pattern, "New topics that match are found when metadata is refreshed: within 5 minutes, or when you say so."), this.#language.element);
  #places = textInput({ class: "mono", placeholder: "orders-0, orders-1" });
  #byHand = field("Partitions", this.#places, "assign(): it is a member of no group, and shares with nobody. Leave the group id empty for a consumer without one: it can commit nothing.");
  #numbers = NUMBERS.map((one) => ({ ...one, input: numberInput({ placeholder: one.usual, size: 10 }) }));
  #remote = h("select", { onchange: () => this.#explainStrategy() }, ...REMOTE.map(({ value, text }) => new Option(text, value)));
  #remoteMeaning = h("span");
  #protocol = segmented("group.protocol", [{ value: "classic", text: "classic" }, { value: "consumer", text: "consumer" }], "classic", () => this.#explainStrategy());
  #protocolMeaning = h("p", { class: "hint" });
  #byTopic = h("fieldset", null, h("legend", { class: "label" }, "Subscribes to"), this.#topicBox);
  #start = h("button", { type: "submit", class: "primary" }, "Join the group");
  #listField = field("Assignors, with commas", this.#ownList);
  #strategyField = field("partition.assignment.strategy", this.#strategy, this.#meaning);
  #remoteField = field("group.remote.assignor", this.#remote, this.#remoteMeaning);
  #autoCommit = h("input", { type: "checkbox" });
  #isolation = segmented("isolation.level", [{ value: READ_UNCOMMITTED, text: "read_uncommitted" }, { value: READ_COMMITTED, text: "read_committed" }], READ_UNCOMMITTED, () => {});
  /** @type {PageState | null} */
  #state = null;
  element;

  constructor() {
    super();
    const name = uniqueId("reset");
    for (const { value, text, meaning } of RESETS) {
      this.#reset.append(h("label", null, h("input", { type: "radio", name, value, checked: value === "latest" }),
        h("span", null, text, ...(value === BY_DURATION ? [" ", this.#duration] : []), h("span", { class: "hint" }, ` ${meaning}`))));
    }
    this.#duration.addEventListener("focus", () => {
      for (const input of this.#reset.querySelectorAll("input")) if (input.value === BY_DURATION) input.checked = true;
    });
    this.#explainStrategy();
    this.#showSubject();
    this.#list = new KeptList(this.#topicBox, (/** @type {string} */ topic) => topic, (topic) => {
      const box = h("input", { type: "checkbox", value: topic, onchange: () => this.#check(topic, box.checked) });
      return { element: h("label", null, box, h("span", { class: "mono" }, topic)), update: () => (box.checked = this.#topics.has(topic)) };
    });
    this.#group.addEventListener("input", () => this.#suggest());
    this.#member.addEventListener("input", () => (this.#suggested = this.#member.value === ""));
    this.element = h("form", {
      class: "stack join-form", novalidate: true,
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        this.#submit();
      },
    },
      h("h2", null, "Start a consumer"),
      h("div", { class: "fields" }, field("Group id", this.#group), field("Client id", this.#member)), this.#known,
      h("div", { class: "field" }, h("span", { class: "label" }, "What it reads"), this.#subject.element),
      this.#byTopic, this.#byPattern, this.#byHand,
      h("fieldset", null, h("legend", { class: "label" }, "auto.offset.reset: where it begins without a commit"), this.#reset),
      h("details", { class: "join-more" }, h("summary", null, "Protocol, assignor, isolation, static membership, times, auto commit"),
        h("div", { class: "stack" },
          h("div", { class: "field" }, h("span", { class: "label" }, "group.protocol"), this.#protocol.element, this.#protocolMeaning),
          this.#strategyField, this.#listField, this.#remoteField,
          h("div", { class: "field" }, h("span", { class: "label" }, "isolation.level"), this.#isolation.element,
            h("p", { class: "hint" }, "With read_committed it reads up to the last stable offset, and is not given what was aborted. Markers are given to nobody.")),
          field("group.instance.id", this.#instance, "With one it is a static member: it stays in the group when it is closed, and is back in its old place until its session times out."),
          h("div", { class: "fields" }, ...this.#numbers.map(({ name, input, meaning }) => field(name, input, meaning))),
          h("label", { class: "check-line" }, this.#autoCommit,
            h("span", null, "enable.auto.commit", h("span", { class: "hint" }, " Kafka’s default is on. Here it is off, so that each commit is an act that can be seen. When on, positions are committed by a poll auto.commit.interval.ms after the last time, before a rebalance, and on closing."))))),
      h("div", { class: "acts" }, this.#start),
      this.refusal.element);
  }

  /** @param {PageState} state */
  update(state) {
    this.#state = state;
    const names = state.view.topics.map(({ name }) => name);
    for (const topic of this.#topics) if (!names.includes(topic)) this.#topics.delete(topic);
    if (!this.#touched && state.topic) this.#topics = new Set([state.topic.name]);
    this.#list.update(names);
    this.#groups.update(state.view.groups.map(({ id }) => id));
    this.#suggest();
  }

  /** The member is there: the next one gets the next name. */
  joined() {
    this.refusal.clear();
    // The next one is another instance.
    this.#instance.value = "";
    this.#suggested = true;
    this.#suggest();
  }

  /** Suggests the first of m1, m2 … that the group does not have. */
  #suggest() {
    if (!this.#suggested || !this.#state) return;
    const group = this.#state.view.groups.find(({ id }) => id === this.#group.value);
    const byHand = this.#state.view.byHand.filter((one) => one.group === this.#group.value).map(({ consumer }) => consumer);
    const taken = new Set([...(group?.members ?? []), ...(group?.outside ?? []), ...byHand].map(({ member }) => member));
    let n = 1;
    while (taken.has(`m${n}`)) n += 1;
    if (this.#member.value !== `m${n}`) this.#member.value = `m${n}`;
  }

  /**
   * @param {string} topic
   * @param {boolean} checked
   */
  #check(topic, checked) {
    this.#touched = true;
    if (checked) this.#topics.add(topic);
    else this.#topics.delete(topic);
  }

  #chosenStrategy() {
    return STRATEGIES.find(({ value }) => value === this.#strategy.value);
  }

  #explainStrategy() {
    const isConsumer = this.#protocol.value === "consumer";
    this.#strategyField.hidden = isConsumer;
    this.#listField.hidden = isConsumer || this.#strategy.value !== LIST;
    this.#remoteField.hidden = !isConsumer;
    this.#protocolMeaning.textContent = isConsumer
      ? "KIP-848: the broker deals out, and each member goes over to its share by itself. Nobody stops for the others."
      : "Kafka’s default: all members join anew, and one of them deals out.";
    this.#meaning.textContent = this.#chosenStrategy()?.meaning ?? "";
    this.#remoteMeaning.textContent = REMOTE.find(({ value }) => value === this.#remote.value)?.meaning ?? "";
  }

  #showSubject() {
    const subject = this.#subject.value;
    this.#byTopic.hidden = subject !== BY_TOPIC;
    this.#byPattern.hidden = subject !== BY_PATTERN;
    this.#byHand.hidden = subject !== BY_HAND;
    this.#start.textContent = subject === BY_HAND ? "Start the consumer" : "Join the group";
  }

  /** The assignors that are chosen; those of a typed list go to the core as they are. */
  #assignors() {
    if (this.#strategy.value !== LIST) return this.#chosenStrategy()?.assignors;
    return /** @type {Assignor[]} */ (this.#ownList.value.split(",").map((name) => name.trim()).filter((name) => name !== ""));
  }

  /** The configs that are numbers; null after telling that one is none. */
  #readNumbers() {
    /** @type {ConsumerConfigs} */
    const read = {};
    for (const { key, name, input } of this.#numbers) {
      if (input.value.trim() === "") continue;
      const value = int32(input.value);
      if (value === null) {
        this.refusal.say(`${name} “${input.value}” ${NOT_INT32}`);
        return null;
      }
      read[key] = value;
    }
    return read;
  }

  /** @returns {ConsumerConfigs | null} */
  #configs() {
    const numbers = this.#readNumbers();
    if (numbers === null) return null;
    const chosen = /** @type {HTMLInputElement | null} */ (this.#reset.querySelector(":checked"));
    const reset = chosen?.value ?? "latest";
    const isConsumer = this.#protocol.value === "consumer";
    const assignors = isConsumer ? undefined : this.#assignors();
    const remoteAssignor = isConsumer ? this.#remote.value : "";
    const instanceId = this.#instance.value;
    return {
      autoOffsetReset: /** @type {OffsetReset} */ (reset === BY_DURATION ? `${BY_DURATION}:${this.#duration.value.trim()}` : reset),
      ...(isConsumer && { protocol: "consumer" }), ...(remoteAssignor !== "" && { remoteAssignor }),
      ...(assignors && { assignors }), ...(instanceId !== "" && { instanceId }), ...(this.#autoCommit.checked && { autoCommit: true }),
      ...(this.#isolation.value === READ_COMMITTED && { isolationLevel: READ_COMMITTED }),
      ...numbers,
    };
  }

  #submit() {
    const configs = this.#configs();
    if (configs === null) return;
    const who = { group: this.#group.value, member: this.#member.value };
    const subject = this.#subject.value;
    if (subject === BY_HAND) {
      const partitions = places(this.#places.value);
      if (partitions === null) return this.refusal.say(`“${this.#places.value}” is no list of partitions: write orders-0, orders-1.`);
      return this.#emit({ type: "assign", ...who, partitions, ...configs });
    }
    if (subject === BY_TOPIC) return this.#emit({ type: "join", ...who, topics: [...this.#topics], ...configs });
    const text = this.#pattern.value;
    this.#emit({ type: "join", ...who, pattern: this.#language.value === "re2" ? { re2: text } : { java: text }, ...configs });
  }

  /** @param {Command} detail */
  #emit(detail) {
    this.dispatchEvent(new CustomEvent("join", { detail }));
  }
}
