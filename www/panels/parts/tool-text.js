/**
 * @file What Kafka's own tools print of what is shown: the command line, its output to the letter, and
 * a way to copy both. Nothing is asked of the engine while it is closed.
 */
import { h } from "../../dom.js";
import { answer } from "./answer.js";
import { CopyButton } from "./copy.js";
import { segmented } from "./field.js";
import { setText } from "./keep.js";

/** @typedef {import("../../../src/wasm/types.d.ts").ToolRequest} ToolRequest */
/** @typedef {import("../../../src/wasm/types.d.ts").Printed} Printed */
/** @typedef {import("../../types.d.ts").EngineApi} EngineApi */

/**
 * @typedef {object} Choice one of the texts
 * @property {string} name what it is called beside the others
 * @property {() => ToolRequest | string} request what to ask for; or in words, why nothing can be
 * @property {HTMLElement} [options] controls that it has beside the choice
 */

export class ToolText {
  #command = h("pre", { class: "mono tool-command" });
  #output = h("pre", { class: "mono tool-output", tabindex: "0" });
  #problem = h("div");
  #copy;
  #choices;
  #choice;
  /** @type {EngineApi | null} */
  #engine = null;
  element;

  /**
   * @param {string} what of which the tools print it
   * @param {Choice[]} choices
   */
  constructor(what, choices) {
    this.#choices = choices;
    const names = choices.map(({ name }, i) => ({ value: String(i), text: name }));
    this.#choice = segmented(`Tool, for ${what}`, names, "0", () => this.show());
    this.#output.setAttribute("aria-label", `What the tool prints of ${what}`);
    this.#copy = new CopyButton("Copy", () => `$ ${this.#command.textContent}\n${this.#output.textContent}`, {
      name: `Copy what the tool prints of ${what}`, done: "Copied: the command and what it prints.",
    });
    const options = [...new Set(choices.flatMap((choice) => choice.options ?? []))];
    for (const each of options) each.addEventListener("input", () => this.show());
    this.element = h("details", { class: "printed" },
      h("summary", null, "As Kafka’s tools print it"),
      h("div", { class: "stack" },
        h("div", { class: "row" }, ...(choices.length > 1 ? [this.#choice.element] : []), ...options, this.#copy.button),
        this.#copy.answer, this.#problem, this.#command, this.#output));
    this.element.addEventListener("toggle", () => this.show());
  }

  /** @param {EngineApi} engine */
  update(engine) {
    this.#engine = engine;
    this.show();
  }

  /** What is asked for has changed. */
  show() {
    const engine = this.#engine;
    const chosen = this.#choices[Number(this.#choice.value)];
    if (!engine || !chosen || !this.element.open) return;
    for (const { options } of this.#choices) if (options) options.hidden = options !== chosen.options;
    const asked = chosen.request();
    /** @type {Printed | null} */
    let printed = null;
    this.#problem.replaceChildren(...answer(() => {
      if (typeof asked === "string") return [h("p", { class: "soft" }, asked)];
      printed = engine.toolText(asked);
      return [];
    }));
    const { command, text } = printed ?? { command: "", text: "" };
    this.#command.hidden = this.#output.hidden = this.#copy.button.disabled = printed === null;
    setText(this.#command, command);
    setText(this.#output, text.trim() === "" ? "(nothing)" : text.replace(/^\n|\n+$/g, ""));
  }
}
