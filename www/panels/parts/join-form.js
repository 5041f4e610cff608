/** @file Starting a consumer: a new member of a group, or the first of a new one. */
import { h } from "../../dom.js";
import { field, textInput, uniqueId } from "./field.js";
import { KeptList } from "./keep.js";
import { RefusalOutput } from "./refusal.js";

/** @typedef {import("../../../src/wasm/types.d.ts").Command} Command */
/** @typedef {import("../../../src/wasm/types.d.ts").OffsetReset} OffsetReset */
/** @typedef {import("./types.d.ts").PanelState} PanelState */

/** @type {{ value: OffsetReset, text: string, meaning: string }[]} */
const RESETS = [
  { value: "latest", text: "latest (Kafka’s default)", meaning: "at the end: only what comes after it first asks" },
  { value: "earliest", text: "earliest", meaning: "at the log start: all there is" },
  { value: "none", text: "none", meaning: "nowhere: the poll fails, and the program must decide" },
];

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
  /** @type {PanelState | null} */
  #state = null;
  element;

  constructor() {
    super();
    const name = uniqueId("reset");
    for (const { value, text, meaning } of RESETS) {
      this.#reset.append(h("label", null, h("input", { type: "radio", name, value, checked: value === "latest" }),
        h("span", null, text, h("span", { class: "hint" }, ` ${meaning}`))));
    }
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
      h("fieldset", null, h("legend", { class: "label" }, "auto.offset.reset: without a committed offset it begins …"), this.#reset),
      h("div", { class: "acts" }, h("button", { type: "submit", class: "primary" }, "Join the group")),
      this.refusal.element);
  }

  /** @param {PanelState} state */
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
    this.#suggested = true;
    this.#suggest();
  }

  /** Suggests the first of m1, m2 … that the group does not have. */
  #suggest() {
    if (!this.#suggested || !this.#state) return;
    const group = this.#state.view.groups.find(({ id }) => id === this.#group.value);
    const taken = new Set(group?.members.map(({ member }) => member));
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

  #submit() {
    const chosen = /** @type {HTMLInputElement | null} */ (this.#reset.querySelector(":checked"));
    /** @type {Command} */
    const detail = {
      type: "join", group: this.#group.value, member: this.#member.value, topics: [...this.#topics],
      autoOffsetReset: /** @type {OffsetReset} */ (chosen?.value ?? "latest"),
    };
    this.dispatchEvent(new CustomEvent("join", { detail }));
  }
}
