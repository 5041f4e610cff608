/** @file Showing what the engine answers to a question. */
import { h } from "../../dom.js";

/**
 * An insight, or why there is none.
 * @param {() => HTMLElement[]} ask
 * @returns {HTMLElement[]}
 */
export function answer(ask) {
  try {
    return ask();
  } catch (error) {
    const { message, hint } = /** @type {import("../../../src/wasm/types.d.ts").LoglanesError} */ (error);
    return [h("p", { class: "soft" }, message, hint ? ` ${hint}` : "")];
  }
}
