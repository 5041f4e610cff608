/** @file Every config of a topic, to be read and to be changed where it stands. */
import { h } from "../../dom.js";
import { button, scroller, textInput } from "./field.js";
import { KeptList, setText } from "./keep.js";
import { RefusalOutput } from "./refusal.js";

/** @typedef {import("../../../src/wasm/types.d.ts").AlterConfigOp} AlterConfigOp */
/** @typedef {import("../../../src/wasm/types.d.ts").ConfigView} ConfigView */

/** @typedef {(op: AlterConfigOp, answer: RefusalOutput) => void} Alter */

const COLUMNS = ["Config", "Value", "Default", "Allowed", "Here"];

/** As a default, the largest number of 64 bits means: no limit. */
const NO_LIMIT = "9223372036854775807";

export class ConfigTable {
  #body = h("tbody");
  #rows;
  #all = h("input", { type: "checkbox" });
  #count = h("span", { class: "hint" });
  /** @type {ConfigView[]} */
  #configs = [];
  element;

  /** @param {Alter} alter */
  constructor(alter) {
    this.#rows = new KeptList(this.#body, (/** @type {ConfigView} */ { name }) => name, (config) => new Row(config, alter));
    this.#all.addEventListener("change", () => this.#show());
    this.element = h("div", { class: "stack" },
      h("div", { class: "row" }, h("label", null, this.#all, "Also those that change nothing here"), this.#count),
      scroller("Configs of the topic", h("table", { class: "config-table" },
        h("thead", null, h("tr", null, ...COLUMNS.map((text) => h("th", { scope: "col" }, text)))), this.#body)));
  }

  /** @param {ConfigView[]} configs */
  update(configs) {
    this.#configs = configs;
    this.#show();
  }

  #show() {
    const shown = this.#configs.filter(({ acts, given }) => this.#all.checked || acts || given !== null);
    this.#rows.update(shown);
    const set = this.#configs.filter(({ given }) => given !== null).length;
    setText(this.#count, `${shown.length} of ${this.#configs.length} · ${set === 0 ? "all at Kafka’s defaults" : `${set} set for this topic`}`);
  }
}

/** One config. What is typed stays until it is set or taken back. */
class Row {
  #input;
  #set;
  #back = button("Default", () => this.#alter({ op: "delete", name: this.#config.name }), { class: "quiet", title: "Back to the default" });
  #default = h("td", { class: "mono soft" });
  #refusal = new RefusalOutput();
  #alter;
  /** @type {ConfigView} */
  #config;
  element;

  /**
   * @param {ConfigView} config
   * @param {Alter} alter
   */
  constructor(config, alter) {
    this.#config = config;
    this.#alter = (/** @type {AlterConfigOp} */ op) => alter(op, this.#refusal);
    this.#input = textInput({ class: "mono", "aria-label": config.name, size: 20, maxlength: null });
    this.#set = h("button", { type: "submit" }, "Set");
    this.#input.addEventListener("input", () => this.#marks());
    this.#input.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      this.#input.value = this.#shown();
      this.#refusal.clear();
      this.#marks();
    });
    const form = h("form", {
      novalidate: true, class: "row",
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        this.#alter({ op: "set", name: config.name, value: this.#input.value });
      },
    }, this.#input, this.#set, this.#back);
    this.element = h("tr", null,
      h("th", { scope: "row", class: "mono" }, ...config.name.split(/(?<=\.)/).flatMap((part) => [part, h("wbr", null)])),
      h("td", null, form, this.#refusal.element),
      this.#default,
      h("td", { class: "soft" }, `${config.type}${config.rule === "" ? "" : ` ${config.rule.replace(NO_LIMIT, "…")}`}`),
      h("td", { class: "soft" }, config.acts ? "acted on" : "kept, not acted on"));
    this.#input.value = this.#shown();
    this.update(config);
  }

  /** The text in force: as it was given, or as described. */
  #shown() {
    return this.#config.given ?? this.#config.value;
  }

  /** @param {ConfigView} config */
  update(config) {
    const wasUntouched = this.#input.value === this.#shown();
    const isOther = config.given !== this.#config.given || config.value !== this.#config.value;
    this.#config = config;
    if (wasUntouched || isOther) {
      this.#input.value = this.#shown();
      this.#refusal.clear();
    }
    setText(this.#default, config.default === null ? "none" : config.default === "" ? "empty" : config.default === NO_LIMIT ? "no limit" : config.default);
    this.#default.title = config.default ?? "";
    this.element.classList.toggle("set", config.given !== null);
    this.#input.title = config.given !== null && config.given !== config.value ? `described as ${config.value}` : sources[config.source];
    this.#back.hidden = config.given === null;
    this.#marks();
  }

  #marks() {
    this.#set.hidden = this.#input.value === this.#shown();
  }
}

/** @type {Record<ConfigView["source"], string>} */
const sources = {
  DYNAMIC_TOPIC_CONFIG: "set for this topic (DYNAMIC_TOPIC_CONFIG)",
  DYNAMIC_DEFAULT_BROKER_CONFIG: "set for the whole cluster (DYNAMIC_DEFAULT_BROKER_CONFIG)",
  DEFAULT_CONFIG: "Kafka’s default (DEFAULT_CONFIG)",
};
