/** @file A record's headers: as many as wanted, in order, the same key more than once if wanted. */
import { h } from "../../dom.js";
import { BytesField } from "./bytes-field.js";
import { button } from "./field.js";
import { setText } from "./keep.js";

/** @typedef {import("../../../src/wasm/types.d.ts").Header} Header */

export class HeadersField {
  #rows = h("ol", { class: "plain-list header-rows" });
  #summary = h("summary", null, "Headers");
  #changed;
  /** @type {{ element: HTMLElement, key: BytesField, value: BytesField }[]} */
  #list = [];
  #add = button("+ header", () => this.#append());
  element = h("details", { class: "headers-field" }, this.#summary, this.#rows, this.#add);

  /** @param {() => void} changed */
  constructor(changed) {
    this.#changed = changed;
  }

  /** @returns {Header[]} */
  get headers() {
    return this.#list.map(({ key, value }) => ({ key: /** @type {Uint8Array} */ (key.bytes), value: value.bytes }));
  }

  /** What is wrong with the first header that is wrong, or null. */
  get problem() {
    for (const [i, { key, value }] of this.#list.entries()) {
      const problem = key.problem ?? value.problem;
      if (problem) return `Header ${i + 1}: ${problem}`;
    }
    return null;
  }

  #append() {
    const key = new BytesField("Header key", { mayBeNone: false, changed: this.#changed });
    const value = new BytesField("Header value", { changed: this.#changed, none: "no value" });
    const element = h("li", null, key.element, value.element);
    const row = { element, key, value };
    element.append(button("Remove", () => this.#remove(row), { class: "quiet", "aria-label": "Remove this header" }));
    this.#list.push(row);
    this.#rows.append(element);
    this.#renew();
    key.focus();
  }

  /** @param {{ element: HTMLElement, key: BytesField, value: BytesField }} row */
  #remove(row) {
    this.#list = this.#list.filter((other) => other !== row);
    row.element.remove();
    this.#renew();
    this.#add.focus();
  }

  #renew() {
    setText(this.#summary, this.#list.length === 0 ? "Headers" : `Headers (${this.#list.length})`);
    this.#changed();
  }
}
