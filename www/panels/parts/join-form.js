/** @file Starting a consumer: a new member of a group, or the first of a new one. */
import { h } from "../../dom.js";
import { field, segmented, textInput, uniqueId } from "./field.js";
import { KeptList } from "./keep.js";
import { RefusalOutput } from "./refusal.js";

/** @typedef {import("../../../src/wasm/types.d.ts").Command} Command */
/** @typedef {import("../../../src/wasm/types.d.ts").OffsetReset} OffsetReset */
/** @typedef {import("../../../src/wasm/types.d.ts").Assignor} Assignor */
/** @typedef {import("../../types.d.ts").PageState} PageState */

const BY_DURATION = "by_duration";

const RESETS = [
  { value: "latest", text: "latest (Kafka’s default)", meaning: "at the end: only what comes after it first asks" },
  { value: "earliest", text: "earliest", meaning: "at the log start: all there is" },
  { value: "none", text: "none", meaning: "nowhere: the poll fails, and the program must decide" },
  { value: BY_DURATION, text: BY_DURATION, meaning: "at the first record that is no older than the duration; where there is none it has no position, and asks again after 30 s" },
];

/** The values of `partition.assignment.strategy`; the first leaves it at Kafka’s default. @type {{ value: string, text: string, assignors: Assignor[] | undefined, meaning: string }[]} */
const STRATEGIES = [
  { value: "", text: "range, cooperative-sticky (default)", assignors: undefined, meaning: "The group uses the first that all members have: range, with the default." },
  { value: "range", text: "range", assignors: ["range"], meaning: "Topic by topic in runs. With several topics the same members get the larger share each time." },
  { value: "roundrobin", text: "roundrobin", assignors: ["roundrobin"], meaning: "All partitions in turns. Nearly all of them move when a member comes or goes." },
  { value: "sticky", text: "sticky", assignors: ["sticky"], meaning: "Even, and with few moves. Eager: all members stop, and forget positions that they have not committed." },
  { value: "cooperative-sticky", text: "cooperative-sticky", assignors: ["cooperative-sticky"], meaning: "Even, and with few moves. Only what moves stops, in a round more; the rest is read on." },
];

/** The values of `group.remote.assignor`; the first leaves it to the group. */
const REMOTE = [
  { value: "", text: "as the group has it (uniform by default)", meaning: "What most members ask for; uniform where none asks." },
  { value: "uniform", text: "uniform", meaning: "Even, and everyone keeps what it had. The larger shares go to the last members in the broker’s order." },
  { value: "range", text: "range", meaning: "Topic by topic in runs, like the client’s. What members had plays no part." },
];

/** The values of `isolation.level`; the first is Kafka’s default. */
const READ_UNCOMMITTED = "read_uncommitted";
const READ_COMMITTED = "read_committed";

/** Emits `join`, detail: the command. */
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
  #remote = h("select", { onchange: () => this.#explainStrategy() }, ...REMOTE.map(({ value, text }) => new Option(text, value)));
  #remoteMeaning = h("span");
  #protocol = segmented("group.protocol", [{ value: "classic", text: "classic" }, { value: "consumer", text: "consumer" }], "classic", () => this.#explainStrategy());
  #protocolMeaning = h("p", { class: "hint" });
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
      h("fieldset", null, h("legend", { class: "label" }, "Subscribes to"), this.#topicBox),
      h("fieldset", null, h("legend", { class: "label" }, "auto.offset.reset: where it begins without a commit"), this.#reset),
      h("details", { class: "join-more" }, h("summary", null, "Protocol, assignor, isolation, static membership, auto commit"),
        h("div", { class: "stack" },
          h("div", { class: "field" }, h("span", { class: "label" }, "group.protocol"), this.#protocol.element, this.#protocolMeaning),
          this.#strategyField, this.#remoteField,
          h("div", { class: "field" }, h("span", { class: "label" }, "isolation.level"), this.#isolation.element,
            h("p", { class: "hint" }, "With read_committed it reads up to the last stable offset, and is not given what was aborted. Markers are given to nobody.")),
          field("group.instance.id", this.#instance, "With one it is a static member: it stays in the group when it is closed, and is back in its old place until its session times out."),
          h("label", { class: "check-line" }, this.#autoCommit,
            h("span", null, "enable.auto.commit", h("span", { class: "hint" }, " Kafka’s default is on. Here it is off, so that each commit is an act that can be seen. When on, positions are committed by a poll 5 s after the last time, before a rebalance, and on closing."))))),
      h("div", { class: "acts" }, h("button", { type: "submit", class: "primary" }, "Join the group")),
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
    const taken = new Set([...(group?.members ?? []), ...(group?.outside ?? [])].map(({ member }) => member));
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
    this.#remoteField.hidden = !isConsumer;
    this.#protocolMeaning.textContent = isConsumer
      ? "KIP-848: the broker deals out, and each member goes over to its share by itself. Nobody stops for the others."
      : "Kafka’s default: all members join anew, and one of them deals out.";
    this.#meaning.textContent = this.#chosenStrategy()?.meaning ?? "";
    this.#remoteMeaning.textContent = REMOTE.find(({ value }) => value === this.#remote.value)?.meaning ?? "";
  }

  #submit() {
    const chosen = /** @type {HTMLInputElement | null} */ (this.#reset.querySelector(":checked"));
    const reset = chosen?.value ?? "latest";
    const isConsumer = this.#protocol.value === "consumer";
    const assignors = isConsumer ? undefined : this.#chosenStrategy()?.assignors;
    const remoteAssignor = isConsumer ? this.#remote.value : "";
    const instanceId = this.#instance.value;
    /** @type {Command} */
    const detail = {
      type: "join", group: this.#group.value, member: this.#member.value, topics: [...this.#topics],
      autoOffsetReset: /** @type {OffsetReset} */ (reset === BY_DURATION ? `${BY_DURATION}:${this.#duration.value.trim()}` : reset),
      ...(isConsumer && { protocol: "consumer" }), ...(remoteAssignor !== "" && { remoteAssignor }),
      ...(assignors && { assignors }), ...(instanceId !== "" && { instanceId }), ...(this.#autoCommit.checked && { autoCommit: true }),
      ...(this.#isolation.value === READ_COMMITTED && { isolationLevel: READ_COMMITTED }),
    };
    this.dispatchEvent(new CustomEvent("join", { detail }));
  }
}
