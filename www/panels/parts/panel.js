/** @file What all panels share: they speak by events, and hear back about their own commands only. */
import { RefusalOutput } from "./refusal.js";

/** @typedef {import("../../../src/wasm/types.d.ts").Command} Command */
/** @typedef {import("../../../src/wasm/types.d.ts").Outcome} Outcome */
/** @typedef {import("../../../src/wasm/types.d.ts").LoglanesError} LoglanesError */
/** @typedef {import("../../types.d.ts").Selection} Selection */

export class Panel extends EventTarget {
  /** Where this panel shows refusals unless a part of it shows its own. */
  refusal = new RefusalOutput();
  #answer = this.refusal;
  /** The command asked for last. @type {Command | null} */
  asked = null;

  /** @param {HTMLElement} root */
  constructor(root) {
    super();
    this.root = root;
  }

  /**
   * @param {string} type
   * @param {unknown} detail
   */
  emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  /**
   * Asks for an act; a refusal is shown in `answer`.
   * @param {Command} command
   * @param {RefusalOutput} [answer]
   */
  command(command, answer = this.refusal) {
    this.#answer = answer;
    this.asked = command;
    answer.clear();
    this.emit("command", command);
  }

  /** @param {Selection | null} place */
  select(place) {
    this.emit("select", place);
  }

  /** @param {LoglanesError} error */
  refused(error) {
    this.#answer.show(error);
  }

  /**
   * The last command was done. Panels that show what came of it take this over.
   * @param {Outcome} _outcome
   */
  done(_outcome) {
    this.#answer.clear();
  }
}
