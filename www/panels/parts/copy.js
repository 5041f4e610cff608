/**
 * @file A button that copies a text. Where the page may not copy, the text is laid out and selected,
 * to be copied by hand.
 */
import { h } from "../../dom.js";
import { button, uniqueId } from "./field.js";

export class CopyButton {
  #text;
  #done;
  #said = h("p", { role: "status", class: "hint" });
  #byHand = h("textarea", { class: "mono", rows: 6, readonly: true, hidden: true });
  button;
  /** What came of it; it may stand apart from the button. */
  answer;

  /**
   * @param {string} label what the button says
   * @param {() => string} text what is copied, made when it is asked for
   * @param {{ done?: string, name?: string, disabled?: boolean }} [options]
   *   `done`: what is said afterwards; `name`: the button's name, where `label` alone is said of many
   */
  constructor(label, text, { done = "Copied.", name, disabled = false } = {}) {
    this.#text = text;
    this.#done = done;
    this.#byHand.id = uniqueId("copy");
    this.#byHand.setAttribute("aria-label", `${name ?? label}: the text`);
    this.button = button(label, () => void this.#copy(), { class: "quiet", "aria-label": name, disabled });
    this.answer = h("div", { class: "copied" }, this.#said, this.#byHand);
  }

  async #copy() {
    const text = this.#text();
    try {
      await navigator.clipboard.writeText(text);
      this.#byHand.hidden = true;
      this.#said.textContent = this.#done;
    } catch {
      // No permission, or no secure context.
      this.#byHand.value = text;
      this.#byHand.hidden = false;
      this.#byHand.focus();
      this.#byHand.select();
      this.#said.textContent = "The browser does not let the page copy. The text is selected: copy it with Ctrl or Cmd and C.";
    }
  }
}
