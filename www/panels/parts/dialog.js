/** @file A dialog with a form that stays open, input intact, until what it asks for is done. */
/** @import { LoglanesError } from "../../../src/wasm/types.d.ts" */

import { h } from "../../dom.js";
import { button, uniqueId } from "./field.js";
import { RefusalOutput } from "./refusal.js";

export class FormDialog {
  refusal = new RefusalOutput();
  element;
  #heading;

  /**
   * @param {object} options
   * @param {string} options.title
   * @param {string} options.act what the button that does it says
   * @param {boolean} [options.danger]
   * @param {Node[]} options.body
   * @param {() => void} options.submit
   */
  constructor({ title, act, danger = false, body, submit }) {
    const id = uniqueId("dialog");
    this.#heading = h("h2", { id }, title);
    const form = h("form", {
      novalidate: true,
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        submit();
      },
    },
      this.#heading, ...body, this.refusal.element,
      h("div", { class: "acts" },
        h("button", { type: "submit", class: danger ? "danger" : "primary" }, act),
        button("Cancel", () => this.close())));
    this.element = h("dialog", { "aria-labelledby": id, class: "form-dialog" }, form);
  }

  /** @param {string} [title] */
  open(title) {
    if (title !== undefined) this.#heading.textContent = title;
    this.refusal.clear();
    this.element.showModal();
  }

  /** @param {LoglanesError} error @returns {boolean} whether it was shown here, as the dialog is open */
  refused(error) {
    if (this.element.open) this.refusal.show(error);
    return this.element.open;
  }

  close() {
    this.element.close();
  }
}
