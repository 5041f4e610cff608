/** @file Consumer groups: who reads what, how far, and what is read again. */
import { h } from "../dom.js";
import { ByHandSection } from "./parts/by-hand-section.js";
import { FormDialog } from "./parts/dialog.js";
import { field, textInput } from "./parts/field.js";
import { GroupSection } from "./parts/group-section.js";
import { JoinForm } from "./parts/join-form.js";
import { KeptList, setOptions } from "./parts/keep.js";
import { plural } from "./parts/numbers.js";
import { Panel } from "./parts/panel.js";
import { ResetDialog } from "./parts/reset-dialog.js";
import { ToolText } from "./parts/tool-text.js";

/** @typedef {import("../types.d.ts").PageState} PageState */
/** @typedef {import("./parts/group-section.js").GroupItem} GroupItem */
/** @typedef {import("../../src/wasm/types.d.ts").Command} Command */
/** @typedef {import("../../src/wasm/types.d.ts").Outcome} Outcome */

/** In place of a group’s id, where a consumer is asked that is assigned by hand: no group can be called so. */
const BY_HAND = "";

export class GroupsPanel extends Panel {
  #join = new JoinForm();
  #byHand = new ByHandSection((command, answer) => {
    this.#section = BY_HAND;
    this.command(command, answer);
  }, (place) => this.select(place));
  #box = h("div", { class: "groups" });
  #none = h("p", { class: "soft" }, "No group yet. A group is made when its first consumer joins.");
  #groups;
  /** @type {Map<string, GroupSection>} */
  #sections = new Map();
  /** @type {string | null} The group in which the last command was asked for, if in one. */
  #section = null;
  #lost = h("p");
  #words = h("p", { class: "hint groups-words" },
    "CURRENT-OFFSET is the committed offset: the next to read, not the last read. LAG is LOG-END-OFFSET less CURRENT-OFFSET; it counts offsets, not records. The position is where the member reads next, committed or not.");
  #printed = new ToolText("all groups", [{ name: "--list", request: () => ({ tool: "listGroups" }) }]);
  #deletion;
  #forgotten = h("select", { class: "mono" });
  #only = textInput({ class: "mono", placeholder: "all", size: 12 });
  #forgetfulness = new FormDialog({
    title: "Delete offsets", act: "Delete offsets", danger: true,
    body: [
      field("Topic whose offsets to delete", this.#forgotten),
      field("Partitions, such as 0,2", this.#only, "As kafka-consumer-groups --delete-offsets does it: refused while a member subscribes to the topic."),
    ],
    submit: () => {
      const [group, topic, only] = [this.#forgetting, this.#forgotten.value, this.#only.value.trim()];
      if (group === null) return;
      this.#section = group;
      this.command({ type: "deleteOffsets", group, topics: [only === "" ? topic : `${topic}:${only}`] }, this.#forgetfulness.refusal);
    },
  });
  /** @type {string | null} */
  #forgetting = null;
  #resets = new ResetDialog((request) => {
    this.#section = request.group;
    this.command({ type: "resetOffsets", ...request }, this.#resets.refusal);
  });
  /** @type {PageState | null} */
  #state = null;
  /** @type {string | null} */
  #deleting = null;
  /** The cluster's clock at the last update, and the page's at the same moment. */
  #clock = { cluster: 0, page: 0 };
  #timer = 0;

  /** @param {HTMLElement} root */
  constructor(root) {
    super(root);
    this.#groups = new KeptList(this.#box, (/** @type {GroupItem} */ { group }) => group.id, (item) => {
      const section = new GroupSection(item, {
        act: (command, answer) => {
          this.#section = item.group.id;
          this.command(command, answer);
        },
        select: (place) => this.select(place),
        reset: (group) => {
          if (this.#state) this.#resets.open(this.#state.engine, group, this.#state.topic?.name);
        },
        forget: (group) => {
          this.#forgetting = group.id;
          const topics = [...new Set(group.partitions.filter(({ committedOffset }) => committedOffset !== null).map(({ topic }) => topic))];
          setOptions(this.#forgotten, topics.map((value) => ({ value, text: value })));
          this.#forgetfulness.open(`Delete committed offsets of ${group.id}?`);
        },
        remove: (group) => {
          this.#deleting = group.id;
          const commits = group.partitions.filter(({ committedOffset }) => committedOffset !== null).length;
          this.#lost.textContent = `What goes: its committed offsets in ${plural(commits, "partition")}. The records stay.`;
          this.#deletion.open(`Delete group ${group.id}?`);
        },
      });
      this.#sections.set(item.group.id, section);
      return section;
    });
    this.#join.addEventListener("join", (event) => {
      const { detail } = /** @type {CustomEvent<Command>} */ (event);
      this.#section = null;
      this.command(detail, this.#join.refusal);
    });
    this.#deletion = new FormDialog({
      title: "Delete group", act: "Delete group", danger: true, body: [this.#lost],
      submit: () => {
        this.#section = null;
        if (this.#deleting !== null) this.command({ type: "deleteGroup", group: this.#deleting }, this.#deletion.refusal);
      },
    });
    root.append(h("div", { class: "sided" }, this.#join.element, h("div", null, this.#none, this.#words, this.#printed.element, this.#box, this.#byHand.element)), this.#deletion.element, this.#resets.element, this.#forgetfulness.element);
  }

  /** @param {PageState} state */
  update(state) {
    const { view } = state;
    this.#state = state;
    this.#clock = { cluster: view.now, page: performance.now() };
    const now = () => this.#clock.cluster + performance.now() - this.#clock.page;
    this.#join.update(state);
    this.#byHand.update(state);
    this.#none.hidden = view.groups.length + view.byHand.length > 0;
    this.#words.hidden = this.#printed.element.hidden = view.groups.length === 0;
    this.#printed.update(state.engine);
    this.#groups.update(view.groups.map((group) => ({ group, topics: view.topics, now, engine: state.engine })));
    for (const id of this.#sections.keys()) if (!view.groups.some((group) => group.id === id)) this.#sections.delete(id);
    if (this.#deleting !== null && !view.groups.some(({ id }) => id === this.#deleting)) this.#closeDeletion();
    const waiting = view.groups.some(({ members, unnoticed }) => unnoticed.length > 0 || members.some(({ crashed, closed }) => crashed || closed));
    if (waiting && !this.#timer) this.#timer = setInterval(() => this.#tick(), 1000);
    if (!waiting && this.#timer) {
      clearInterval(this.#timer);
      this.#timer = 0;
    }
  }

  #tick() {
    if (this.root.checkVisibility()) for (const section of this.#sections.values()) section.tick();
  }

  #closeDeletion() {
    this.#deleting = null;
    this.#deletion.close();
  }

  /**
   * @override
   * @param {Outcome} outcome
   */
  done(outcome) {
    super.done(outcome);
    if (this.#section === null && (this.asked?.type === "join" || this.asked?.type === "assign")) this.#join.joined();
    else if (this.asked?.type === "deleteGroup") this.#closeDeletion();
    else if (this.asked?.type === "resetOffsets") this.#resets.close();
    else if (this.asked?.type === "deleteOffsets") this.#forgetfulness.close();
    if (this.#section === BY_HAND) this.#byHand.done(outcome);
    else if (this.#section !== null) this.#sections.get(this.#section)?.done(outcome);
  }
}
