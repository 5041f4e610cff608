/** @file A topic's keys: how many, how even, and which ones weigh most. */
import { count, h, size } from "../dom.js";
import { answer } from "./parts/answer.js";
import { barTable } from "./parts/bars.js";
import { longScroller } from "./parts/field.js";
import { whileSeen } from "./parts/keep.js";
import { keyChip } from "./parts/key-chip.js";
import { percent, plural } from "./parts/numbers.js";
import { Panel } from "./parts/panel.js";

/** @typedef {import("../types.d.ts").PageState} PageState */
/** @typedef {import("../../src/wasm/types.d.ts").KeyStats} KeyStats */

/** How many keys are listed. */
const LISTED = 50;
/** With more records than this, counting waits until producing pauses. */
const MANY = 100_000;
/** More partitions than this are not drawn as bars. */
const MOST_BARS = 256;

export class KeysPanel extends Panel {
  #renew;
  #computed = "";
  /** @type {number | null} The key that is highlighted in the lanes. */
  #lit = null;
  /** @type {PageState | null} */
  #state = null;

  /** @param {HTMLElement} root */
  constructor(root) {
    super(root);
    this.#renew = whileSeen(root, () => this.#compute());
  }

  /** @param {PageState} state */
  update(state) {
    this.#state = state;
    this.#showLit(state.highlight?.tag ?? null);
    if (state.view.job === null) this.#renew((state.topic?.records ?? 0) > MANY ? 400 : 0);
  }

  #compute() {
    const { topic, engine } = /** @type {PageState} */ (this.#state);
    const basis = topic ? [topic.topicId, ...topic.partitions.map((p) => `${p.logStartOffset}-${p.logEndOffset}-${p.records}`)].join(" ") : "none";
    if (basis === this.#computed) return;
    this.#computed = basis;
    if (!topic) {
      this.root.replaceChildren(h("p", { class: "soft" }, "There is no topic yet."));
      return;
    }
    const focused = this.root.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset.key : undefined;
    this.root.replaceChildren(...answer(() => this.#view(engine.keys(topic.name, LISTED))));
    if (focused !== undefined) /** @type {HTMLElement | null} */ (this.root.querySelector(`[data-key="${focused}"]`))?.focus();
  }

  /** @param {KeyStats} stats */
  #view(stats) {
    const { distinct, keyless, records, skew, perPartition, top } = stats;
    if (records === 0) return [h("p", { class: "soft" }, "No records yet.")];
    const share = (/** @type {number} */ n) => percent(n, records);
    return [
      h("dl", { class: "figures" },
        figure(count(distinct), "different keys"), figure(count(keyless), `without a key (${share(keyless)})`),
        figure(`${skew.toFixed(2)} ×`, "skew: the fullest partition against the mean; 1 is even")),
      h("div", { class: "pair" },
        perPartition.length > MOST_BARS
          ? h("p", { class: "hint" }, `${count(perPartition.length)} bars are more than can be read.`)
          : barTable("Records per partition", "Records", perPartition.map(({ partition, records: value, keys }) => ({ partition, value, note: count(keys) })), undefined, "Keys"),
        top.length === 0 ? h("p", { class: "soft" }, "No record has a key.") : this.#topTable(stats)),
    ];
  }

  /** @param {KeyStats} stats */
  #topTable({ top, distinct, records }) {
    const rows = top.map(({ key, tag, records: own, bytes, partitions }, i) => {
      const chip = keyChip(key, tag, () => this.#light(tag, key));
      chip.dataset.key = String(i);
      chip.dataset.tag = String(tag);
      chip.setAttribute("aria-pressed", String(this.#lit === tag));
      return h("tr", null,
        h("td", null, chip), h("td", { class: "num" }, count(own)), h("td", { class: "num" }, percent(own, records)), h("td", { class: "num" }, size(bytes)),
        h("td", { class: partitions.length > 1 ? "mono differs" : "mono" }, partitions.map((p) => `P${p}`).join(" "), partitions.length > 1 && " split"));
    });
    return longScroller("Keys with the most records", h("table", null,
      h("caption", null, top.length < distinct ? `The ${plural(top.length, "key")} with the most records. Press one to find it in the lanes.` : "Press a key to find it in the lanes."),
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "Key"), h("th", { scope: "col", class: "num" }, "Records"), h("th", { scope: "col", class: "num" }, "Share"), h("th", { scope: "col", class: "num" }, "Size"), h("th", { scope: "col" }, "Partition"))),
      h("tbody", null, ...rows)));
  }

  /**
   * Highlights a key in the lanes, or no key any more.
   * @param {number} tag
   * @param {Uint8Array} key
   */
  #light(tag, key) {
    this.#showLit(this.#lit === tag ? null : tag);
    this.emit("highlight", this.#lit === null ? null : { tag, key });
  }

  /** @param {number | null} tag */
  #showLit(tag) {
    if (tag === this.#lit) return;
    this.#lit = tag;
    for (const chip of this.root.querySelectorAll("[data-tag]")) {
      chip.setAttribute("aria-pressed", String(/** @type {HTMLElement} */ (chip).dataset.tag === String(this.#lit)));
    }
  }
}

/**
 * @param {string} value
 * @param {string} what
 */
function figure(value, what) {
  return h("div", null, h("dt", null, what), h("dd", null, value));
}
