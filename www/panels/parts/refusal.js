/** @file Where a refusal is shown: Kafka's name, code and message as they are, then our way out. */
import { h } from "../../dom.js";

/** @typedef {import("../../../src/wasm/types.d.ts").LoglanesError} LoglanesError */
/** @typedef {import("../../../src/wasm/types.d.ts").Refusal} Refusal */

/** @type {Record<LoglanesError["refusal"], string>} */
const WHO = {
  broker: "Kafka’s broker refuses",
  client: "Kafka’s client refuses",
  limit: "Beyond a limit of Loglanes",
  corrupt: "Damaged bytes",
  loglanes: "Loglanes, not Kafka",
};

/**
 * The same, before the act.
 * @type {Record<LoglanesError["refusal"], string>}
 */
export const WHO_WOULD = { ...WHO, broker: "Kafka’s broker would refuse", client: "Kafka’s client would refuse" };

/**
 * A refusal's lines.
 * @param {Pick<Refusal, "name" | "code" | "message" | "hint">} refusal
 * @param {string} who
 * @returns {HTMLElement[]}
 */
export function refusalLines({ name, code, message, hint }, who) {
  return [
    h("p", { class: "refusal-head" },
      who, ": ", h("strong", null, name), code !== null && code !== undefined && ` (code ${code})`),
    h("p", { class: "refusal-message" }, message),
    ...(hint ? [h("p", { class: "hint" }, hint)] : []),
  ];
}

/** An output that stays empty until something is refused. It stands near what can be refused. */
export class RefusalOutput {
  element = h("output", { role: "alert", class: "refusal" });

  /** @param {LoglanesError} error */
  show(error) {
    this.element.replaceChildren(...refusalLines(error, WHO[error.refusal] ?? "Something went wrong"));
    this.element.scrollIntoView({ block: "nearest" });
  }

  /**
   * A refusal of the panel itself: what was typed cannot be put into a command at all.
   * @param {string} message
   * @param {string} [hint]
   */
  say(message, hint = "") {
    this.element.replaceChildren(
      h("p", { class: "refusal-head" }, WHO.loglanes),
      h("p", { class: "refusal-message" }, message),
      ...(hint ? [h("p", { class: "hint" }, hint)] : []),
    );
    this.element.scrollIntoView({ block: "nearest" });
  }

  clear() {
    if (this.element.firstChild) this.element.replaceChildren();
  }
}
