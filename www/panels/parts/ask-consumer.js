/** @file Asking a consumer what a program can ask it: position, committed, currentLag and the like. */
import { h } from "../../dom.js";
import { saidText } from "./consumer-answer.js";
import { button, field } from "./field.js";
import { RefusalOutput } from "./refusal.js";

/** @typedef {import("../../../src/wasm/types.d.ts").ConsumerCall} ConsumerCall */
/** @typedef {import("../../../src/wasm/types.d.ts").LoglanesError} LoglanesError */
/** @typedef {import("../../types.d.ts").EngineApi} EngineApi */

/** @typedef {{ topic: string, partition: number }} Place */

/** Each call, and how the question is put; of a partition where `at` is used. @type {{ name: string, of: (at: Place) => ConsumerCall["ask"], needs: boolean }[]} */
const CALLS = [
  { name: "position", needs: true, of: (at) => ({ call: "position", at }) },
  { name: "committed", needs: true, of: (at) => ({ call: "committed", partitions: [at] }) },
  { name: "currentLag", needs: true, of: (at) => ({ call: "currentLag", at }) },
  { name: "beginningOffsets", needs: true, of: (at) => ({ call: "beginningOffsets", partitions: [at] }) },
  { name: "endOffsets", needs: true, of: (at) => ({ call: "endOffsets", partitions: [at] }) },
  { name: "assignment", needs: false, of: () => ({ call: "assignment" }) },
  { name: "subscription", needs: false, of: () => ({ call: "subscription" }) },
  { name: "paused", needs: false, of: () => ({ call: "paused" }) },
  { name: "groupMetadata", needs: false, of: () => ({ call: "groupMetadata" }) },
];

export class AskConsumer {
  #call = h("select", { class: "mono" }, ...CALLS.map(({ name }) => new Option(`${name}()`, name)));
  #said = h("p", { role: "status", class: "said" });
  #refusal = new RefusalOutput();
  element;

  /**
   * @param {string} member
   * @param {() => { engine: EngineApi, group: string }} where
   * @param {() => Place | null} place tells itself where none is chosen
   */
  constructor(member, where, place) {
    const ask = () => {
      const call = CALLS.find(({ name }) => name === this.#call.value) ?? CALLS[0];
      const at = call?.needs ? place() : { topic: "", partition: 0 };
      if (!call || !at) return;
      this.#refusal.clear();
      const shown = call.needs ? `${call.name}(${at.topic}-${at.partition})` : `${call.name}()`;
      const { engine, group } = where();
      try {
        this.#said.textContent = `${shown}: ${saidText(engine.ask({ group, member, ask: call.of(at) }))}`;
      } catch (error) {
        this.#said.textContent = "";
        this.#refusal.show(/** @type {LoglanesError} */ (error));
      }
    };
    this.element = h("div", null,
      h("div", { class: "row low" }, field("Ask the consumer, which changes nothing", this.#call), button("Ask", ask, { "aria-label": `Ask ${member}` })),
      this.#said, this.#refusal.element);
  }
}
