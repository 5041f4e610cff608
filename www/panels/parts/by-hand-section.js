/** @file The consumers that are assigned partitions by hand: members of no group. */
import { h } from "../../dom.js";
import { consumerAnswer } from "./consumer-answer.js";
import { KeptList } from "./keep.js";
import { MemberRow } from "./member-row.js";
import { RefusalOutput } from "./refusal.js";

/** @typedef {import("../../../src/wasm/types.d.ts").Command} Command */
/** @typedef {import("../../../src/wasm/types.d.ts").Outcome} Outcome */
/** @typedef {import("../../../src/wasm/types.d.ts").ByHandView} ByHandView */
/** @typedef {import("../../types.d.ts").PageState} PageState */
/** @typedef {import("../../types.d.ts").Selection} Selection */

export class ByHandSection {
  refusal = new RefusalOutput();
  #lists = h("div", { class: "stack" });
  #answer = h("div");
  #groups;
  #select;
  /** @type {PageState | null} */
  #state = null;
  element;

  /**
   * @param {(command: Command, answer: RefusalOutput) => void} act
   * @param {(place: Selection) => void} select
   */
  constructor(act, select) {
    this.#select = select;
    const doing = {
      act: (/** @type {Command} */ command) => act(command, this.refusal),
      say: (/** @type {string} */ problem) => this.refusal.say(problem),
    };
    this.#groups = new KeptList(this.#lists, (/** @type {{ group: string, all: ByHandView[] }} */ { group }) => group, ({ group }) => {
      const box = h("ul", { class: "plain-list members" });
      const rows = new KeptList(box, (/** @type {import("./member-row.js").MemberItem} */ { member }) => member.member, (item) => new MemberRow(item, doing));
      const of = group === "" ? "without a group.id: it can commit nothing" : `with group.id ${group}: it begins at that group’s commits, and may commit while the group has no members`;
      return {
        element: h("div", { class: "stack" }, h("p", { class: "hint" }, of), box),
        update: ({ all }) => rows.update(all.map((view) => this.#item(view))),
      };
    });
    this.element = h("section", { class: "group", "aria-label": "Consumers assigned by hand", hidden: true },
      h("div", { class: "row" }, h("h2", null, "Assigned by hand"), h("span", { class: "hint" }, "members of no group: no rebalance is about them")),
      this.#lists, this.refusal.element, this.#answer);
  }

  /**
   * @param {ByHandView} view
   * @returns {import("./member-row.js").MemberItem}
   */
  #item({ group, protocol, consumer, places }) {
    const state = /** @type {PageState} */ (this.#state);
    return { group: { id: group, protocol, rounds: [] }, member: consumer, places, topics: state.view.topics, now: () => state.view.now, engine: state.engine };
  }

  /** @param {PageState} state */
  update(state) {
    this.#state = state;
    const all = state.view.byHand;
    this.element.hidden = all.length === 0;
    const groups = [...new Set(all.map(({ group }) => group))];
    this.#groups.update(groups.map((group) => ({ group, all: all.filter((one) => one.group === group) })));
  }

  /** @param {Outcome} outcome */
  done(outcome) {
    this.refusal.clear();
    this.#answer.replaceChildren(...consumerAnswer(outcome, this.#state?.view.topics ?? [], this.#select, "generation"));
  }
}
