/** @file Choosing, making and deleting topics. */
import { count, h, size } from "../dom.js";
import { FormDialog } from "./parts/dialog.js";
import { ASSIGNMENT_NOTE, brokers } from "./parts/brokers.js";
import { button, field, numberInput, textInput } from "./parts/field.js";
import { setOptions, setText } from "./parts/keep.js";
import { KEPT, KEPT_NOTE } from "./parts/kept.js";
import { NOT_INT32, int32, plural } from "./parts/numbers.js";
import { Panel } from "./parts/panel.js";

/** @typedef {import("../types.d.ts").PageState} PageState */
/** @typedef {import("../../src/wasm/types.d.ts").Outcome} Outcome */
/** @typedef {import("../../src/wasm/types.d.ts").TopicView} TopicView */

/** Topic configs that change what is seen here, with Kafka's default and what they do. */
const CONFIGS = [
  { name: "internal.segment.bytes", fallback: "not set", note: "Bytes in a segment, in place of segment.bytes (1 GiB). That one takes no less than 1 MiB; this one, from Kafka’s own tests, goes lower: try 1024." },
  { name: "max.message.bytes", fallback: "1048588", note: "The largest batch the broker takes." },
  { name: "index.interval.bytes", fallback: "4096", note: "Bytes between two entries of the offset index." },
];

export class TopicsPanel extends Panel {
  #select = h("select", { id: "topic-choice", onchange: () => this.emit("choose-topic", this.#select.value) });
  #facts = h("p", { class: "hint topic-facts" });
  #delete = button("Delete…", () => this.#askDelete(), { class: "quiet" });
  #name = textInput({ class: "mono", maxlength: null });
  #partitions = numberInput({ placeholder: "1" });
  #replication = numberInput({ placeholder: "1" });
  #assignment = textInput({ class: "mono", maxlength: null });
  #kept = h("input", { type: "checkbox", id: "topic-kept", checked: true, "aria-describedby": "topic-kept-note" });
  #timestampType = h("select", null);
  #configs = CONFIGS.map(({ name, fallback, note }) => ({ name, note, input: numberInput({ placeholder: fallback }) }));
  #creation;
  #deletion;
  #lost = h("ul", { class: "plain-list" });
  /** @type {string | null} The topic that is being made, and was not there before. */
  #making = null;
  /** @type {string | null} */
  #deleting = null;
  /** @type {PageState | null} */
  #state = null;

  /** @param {HTMLElement} root */
  constructor(root) {
    super(root);
    setOptions(this.#timestampType, [
      { value: "", text: "CreateTime (default)" },
      { value: "CreateTime", text: "CreateTime" },
      { value: "LogAppendTime", text: "LogAppendTime" },
    ]);
    this.#creation = new FormDialog({
      title: "New topic",
      act: "Create topic",
      body: [
        field("Name", this.#name, "Letters, digits, “.”, “_” and “-”."),
        h("div", { class: "fields" },
          field("Partitions", this.#partitions, "Can grow later, never shrink."),
          field("Replication factor", this.#replication, "There are 3 brokers.")),
        h("details", null, h("summary", null, "Replicas by hand"),
          field("Replica assignment", this.#assignment, `In place of the two numbers, partition by partition. ${ASSIGNMENT_NOTE}`)),
        h("div", { class: "check-line" }, this.#kept,
          h("label", { for: "topic-kept" }, h("span", null, "Keep records for ever", h("span", { class: "hint", id: "topic-kept-note" }, KEPT_NOTE)))),
        h("details", null, h("summary", null, "Configs"),
          h("div", { class: "stack" },
            field("message.timestamp.type", this.#timestampType, "Whose clock stamps a record: the producer’s or the broker’s."),
            ...this.#configs.map(({ name, note, input }) => field(name, input, note)),
            h("p", { class: "hint" }, "All of Kafka’s configs can be set once the topic is there, under Configs."))),
      ],
      submit: () => this.#create(),
    });
    this.#deletion = new FormDialog({
      title: "Delete topic", act: "Delete topic", danger: true, submit: () => this.#confirmDelete(),
      body: [this.#lost, h("p", { class: "hint" }, "A topic made again under this name gets another topic id, and its offsets begin at 0.")],
    });
    root.append(
      h("label", { class: "unseen", for: "topic-choice" }, "Topic"),
      this.#select, button("+ topic", () => this.open()), this.#delete, this.#facts, this.#creation.element, this.#deletion.element);
  }

  /** @param {PageState} state */
  update(state) {
    this.#state = state;
    const { view, topic } = state;
    const options = view.topics.map(({ name, partitions }) => ({ value: name, text: `${name} (${partitions.length})` }));
    if (options.length === 0) options.push({ value: "", text: "no topic yet" });
    setOptions(this.#select, options, topic?.name ?? "");
    this.#select.disabled = view.topics.length === 0;
    this.#delete.hidden = topic === null;
    setText(this.#facts, topic ? facts(topic) : "");
    if (this.#making !== null && view.topics.some(({ name }) => name === this.#making)) this.#made();
    if (this.#deleting !== null && !view.topics.some(({ name }) => name === this.#deleting)) this.#deleted();
  }

  /** Opens the form for a new topic. */
  open() {
    this.#creation.open();
    this.#name.focus();
  }

  #create() {
    const { refusal } = this.#creation;
    /** @type {Record<string, string>} */
    const configs = this.#kept.checked ? { ...KEPT } : {};
    if (this.#timestampType.value) configs["message.timestamp.type"] = this.#timestampType.value;
    for (const { name, input } of this.#configs) if (input.value !== "") configs[name] = input.value;
    const command = this.#assignment.value.trim() === "" ? this.#placed() : this.#assigned();
    if (command === null) return;
    if (Object.keys(configs).length > 0) command.configs = configs;
    const there = this.#state?.view.topics.some(({ name }) => name === command.name);
    this.#making = there ? null : command.name;
    this.command(command, refusal);
  }

  /**
   * A topic whose replicas the controller places; `null`, and said, if a number is none.
   * @returns {Extract<import("../../src/wasm/types.d.ts").Command, { type: "createTopic" }> | null}
   */
  #placed() {
    /** @type {Extract<import("../../src/wasm/types.d.ts").Command, { type: "createTopic" }>} */
    const command = { type: "createTopic", name: this.#name.value };
    for (const [what, input, set] of /** @type {const} */ ([
      ["The number of partitions", this.#partitions, (/** @type {number} */ n) => (command.partitions = n)],
      ["The replication factor", this.#replication, (/** @type {number} */ n) => (command.replicationFactor = n)],
    ])) {
      if (input.value.trim() === "") continue;
      const value = int32(input.value);
      if (value === null) {
        this.#creation.refusal.say(`${what} “${input.value}” ${NOT_INT32}`);
        input.focus();
        return null;
      }
      set(value);
    }
    return command;
  }

  /**
   * A topic whose brokers are named; `null`, and said, if they are not, or if numbers stand beside them.
   * @returns {Extract<import("../../src/wasm/types.d.ts").Command, { type: "createAssignedTopic" }> | null}
   */
  #assigned() {
    const rows = brokers(this.#assignment.value);
    const counts = [this.#partitions, this.#replication].some((input) => input.value.trim() !== "");
    if (rows === null || counts) {
      this.#creation.refusal.say(rows === null
        ? `The replica assignment “${this.#assignment.value}” names no brokers: write 1:2,2:3.`
        : "The replica assignment says itself how many partitions and replicas there are: leave both numbers empty.");
      this.#assignment.focus();
      return null;
    }
    return { type: "createAssignedTopic", name: this.#name.value, assignments: rows.map((replicas, partition) => ({ partition, replicas })) };
  }

  #made() {
    const name = /** @type {string} */ (this.#making);
    this.#making = null;
    this.#creation.close();
    for (const input of [this.#name, this.#partitions, this.#replication, this.#assignment, ...this.#configs.map(({ input }) => input)]) input.value = "";
    this.#timestampType.value = "";
    this.emit("choose-topic", name);
  }

  #askDelete() {
    const { topic, view } = /** @type {PageState} */ (this.#state);
    if (!topic) return;
    const groups = view.groups.filter(({ partitions }) => partitions.some((row) => row.topic === topic.name && row.committedOffset !== null));
    this.#lost.replaceChildren(
      h("li", null, `${plural(topic.records, "record")} in ${plural(topic.partitions.length, "partition")} (${size(topic.bytes)})`),
      h("li", null, groups.length === 0
        ? "no committed offsets: no group has any on it"
        : `the offsets that ${groups.map(({ id }) => `“${id}”`).join(", ")} committed on it`));
    this.#deleting = topic.name;
    this.#deletion.open(`Delete topic ${topic.name}?`);
  }

  #confirmDelete() {
    if (this.#deleting !== null) this.command({ type: "deleteTopic", name: this.#deleting }, this.#deletion.refusal);
  }

  #deleted() {
    this.#deleting = null;
    this.#deletion.close();
  }

  /** @override @param {Outcome} outcome */
  done(outcome) {
    super.done(outcome);
    if (outcome.type === "topicCreated" && this.#making !== null) this.#made();
    else if (outcome.type === "done" && this.#deleting !== null) this.#deleted();
  }
}

/** What differs from Kafka's defaults is told, a replication factor too. @param {TopicView} topic */
function facts({ partitions, replicationFactor, records, bytes, configs }) {
  const replicas = replicationFactor === 1 ? [] : [`replication factor ${count(replicationFactor)}`];
  const own = Object.entries(configs).map(([name, value]) => `${name}=${value}`);
  return [plural(partitions.length, "partition"), ...replicas, plural(records, "record"), size(bytes), ...own].map((fact) => fact.replaceAll(" ", "\u00a0")).join(" · ");
}
