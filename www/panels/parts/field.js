/** @file A control with its label, and the few kinds of control that panels are made of. */
import { h } from "../../dom.js";

let made = 0;

/**
 * An id that no other element of the page has.
 * @param {string} what
 */
export function uniqueId(what) {
  made += 1;
  return `${what}-${made}`;
}

/**
 * A label above its control, and a note below that is read out with it.
 * @param {string} label
 * @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} control
 * @param {Node | string} [note]
 */
export function field(label, control, note) {
  control.id ||= uniqueId("field");
  /** @type {Node[]} */
  const children = [h("label", { for: control.id }, label), control];
  if (note !== undefined) {
    const id = `${control.id}-note`;
    control.setAttribute("aria-describedby", id);
    children.push(h("p", { class: "hint", id }, note));
  }
  return h("div", { class: "field" }, ...children);
}

/**
 * A one-line input. Nothing in it is checked by the browser: what is typed reaches the core.
 * @param {Record<string, unknown>} [attributes]
 */
export function textInput(attributes = {}) {
  return h("input", { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", ...attributes });
}

/**
 * An input for a whole number of any size or sign.
 * @param {Record<string, unknown>} [attributes]
 */
export function numberInput(attributes = {}) {
  return textInput({ inputmode: "numeric", class: "number", ...attributes });
}

/**
 * One of a few choices, side by side.
 * @param {string} legend
 * @param {readonly { value: string, text: string }[]} choices
 * @param {string} chosen
 * @param {(value: string) => void} changed
 */
export function segmented(legend, choices, chosen, changed) {
  const name = uniqueId("choice");
  const inputs = choices.map(({ value }) => h("input", { type: "radio", name, value, checked: value === chosen }));
  const group = h("div", { class: "choice", role: "radiogroup", "aria-label": legend });
  choices.forEach(({ text }, i) => group.append(h("label", null, /** @type {Node} */ (inputs[i]), h("span", null, text))));
  group.addEventListener("change", () => changed(value()));
  const value = () => inputs.find((input) => input.checked)?.value ?? chosen;
  return {
    element: group,
    get value() {
      return value();
    },
    set value(wanted) {
      for (const input of inputs) input.checked = input.value === wanted;
    },
    focus: () => (inputs.find((input) => input.checked) ?? inputs[0])?.focus(),
  };
}

/**
 * A button that never submits by accident.
 * @param {string} text
 * @param {() => void} act
 * @param {Record<string, unknown>} [attributes]
 */
export function button(text, act, attributes = {}) {
  return h("button", { type: "button", onclick: act, ...attributes }, text);
}

/**
 * A region that scrolls by itself, so that the page never does sideways; the keyboard reaches it.
 * @param {string} label
 * @param {...Node} children
 */
export function scroller(label, ...children) {
  return h("div", { class: "table-wrap", role: "region", "aria-label": label, tabindex: "0" }, ...children);
}

/**
 * A scroller that is no taller than a screen, for long lists.
 * @param {string} label
 * @param {...Node} children
 */
export function longScroller(label, ...children) {
  const element = scroller(label, ...children);
  element.classList.add("long");
  return element;
}
