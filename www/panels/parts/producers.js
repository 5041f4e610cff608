/** @file Choosing the producer that sends, making one, and its transactions. */
import { h } from "../../dom.js";
import { button, field, textInput } from "./field.js";
import { setOptions, setText } from "./keep.js";

/** @typedef {import("../../../src/wasm/types.d.ts").ProducerView} ProducerView */
/** @typedef {import("../../../src/wasm/types.d.ts").Command} Command */
/** @typedef {import("../../../src/wasm/types.d.ts").Outcome} Outcome */

/** What each state of Kafka's client means. @type {Record<string, string>} */
const STATES = {
  UNINITIALIZED: "it has not called initTransactions yet",
  READY: "no transaction is open",
  IN_TRANSACTION: "a transaction is open: what it sends counts once you commit",
  ABORTABLE_ERROR: "something has failed: all it can do is abort",
  FATAL_ERROR: "it can do nothing more: close it",
};

/** Emits `command` with a Command, and `change` when another producer is chosen. */
export class Producers extends EventTarget {
  #select = h("select", null);
  #about = h("span");
  #name = textInput({ class: "mono", value: "p1" });
  #idempotent = h("input", { type: "checkbox", checked: true });
  #id = textInput({ class: "mono", placeholder: "none" });
  #acts = h("div", { class: "acts" });
  #told = h("output", { class: "hint" });
  /** @type {ProducerView[]} */
  #all = [];

  constructor() {
    super();
    this.#select.addEventListener("input", () => {
      this.#show();
      this.dispatchEvent(new Event("change"));
    });
    const create = h("form", {
      class: "stack", "aria-label": "New producer",
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        this.#create();
      },
    },
      h("div", { class: "fields" },
        field("Name", this.#name),
        field("transactional.id", this.#id, "Only with one can it begin transactions.")),
      h("label", { class: "check" }, this.#idempotent, " enable.idempotence"),
      h("div", { class: "acts" }, h("button", { type: "submit" }, "Create producer")));
    this.element = h("div", { class: "stack producers" },
      field("Producer", this.#select, this.#about),
      this.#acts, this.#told,
      h("details", null, h("summary", null, "New producer"), create));
  }

  /** The producer that is chosen; null: the one at Kafka's defaults. */
  get chosen() {
    return this.#select.value === "" ? null : this.#select.value;
  }

  /** @param {ProducerView[]} producers */
  update(producers) {
    this.#all = producers;
    const named = producers.filter(({ isCreated }) => isCreated);
    const kept = named.some(({ producer }) => producer === this.#select.value) ? this.#select.value : "";
    setOptions(this.#select, [
      { value: "", text: "Kafka’s defaults (idempotent)" },
      ...named.map(({ producer, transactionalId, isIdempotent }) => ({
        value: producer,
        text: `${producer}: ${transactionalId !== null ? `transactional.id ${transactionalId}` : isIdempotent ? "idempotent" : "not idempotent"}`,
      })),
    ], kept);
    this.#show();
  }

  /** @param {Outcome} outcome */
  done(outcome) {
    const text = told(outcome);
    if (text !== null) this.#told.replaceChildren(text);
  }

  /** Nothing is told any more. */
  clear() {
    this.#told.replaceChildren();
  }

  #show() {
    const chosen = this.#all.find(({ producer, isCreated }) => isCreated && producer === this.#select.value);
    setText(this.#about, chosen === undefined
      ? "Each batch carries a producer id, an epoch and sequence numbers, so that one sent again is stored once."
      : about(chosen));
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.act : undefined;
    /** @param {string} text @param {Command} command @param {boolean} [off] */
    const act = (text, command, off = false) => {
      const made = button(text, () => this.#ask(command), off ? { disabled: true } : {});
      made.dataset.act = command.type;
      return made;
    };
    const buttons = [act("Retry the last batch", { type: "retry", ...(chosen ? { producer: chosen.producer } : {}) })];
    if (chosen !== undefined) {
      const { producer, transactionalId, state } = chosen;
      if (transactionalId !== null) {
        buttons.push(
          act("initTransactions", { type: "initTransactions", producer }, state !== "UNINITIALIZED"),
          act("Begin", { type: "beginTransaction", producer }, state !== "READY"),
          act("Commit", { type: "commitTransaction", producer }, state !== "IN_TRANSACTION"),
          act("Abort", { type: "abortTransaction", producer }, state !== "IN_TRANSACTION" && state !== "ABORTABLE_ERROR"));
      }
      buttons.push(act("Close", { type: "closeProducer", producer }), act("Kill", { type: "killProducer", producer }));
    }
    this.#acts.replaceChildren(...buttons);
    if (focused !== undefined) buttons.find((one) => one.dataset.act === focused && !one.disabled)?.focus();
  }

  /** @param {Command} command */
  #ask(command) {
    this.clear();
    this.dispatchEvent(new CustomEvent("command", { detail: command }));
  }

  #create() {
    const id = this.#id.value.trim();
    const configs = {
      ...(this.#idempotent.checked ? {} : { "enable.idempotence": "false" }),
      ...(id === "" ? {} : { "transactional.id": id }),
    };
    this.#ask({ type: "createProducer", producer: this.#name.value, configs });
  }
}

/** @param {ProducerView} one */
function about({ isIdempotent, transactionalId, producerId, epoch, state, partitions }) {
  const parts = [isIdempotent
    ? producerId === null ? "It has no producer id yet" : `Producer id ${producerId}, epoch ${epoch}`
    : "Not idempotent: a batch that is sent again is stored again"];
  if (transactionalId !== null) parts.push(`${state}: ${STATES[state] ?? ""}`);
  if (partitions.length > 0) parts.push(`the coordinator has open: ${partitions.map(({ topic, partition }) => `${topic}-${partition}`).join(", ")}`);
  return `${parts.join("; ")}.`;
}

/**
 * What came of an act of a producer; null for any other act.
 * @param {Outcome} outcome
 */
export function told(outcome) {
  switch (outcome.type) {
    case "retried": return outcome.isDuplicate
      ? `The broker knows this batch: it answers with the old offsets ${outcome.firstOffset}…${outcome.lastOffset} of P${outcome.partition}, and stores nothing.`
      : `Stored once more, at ${outcome.firstOffset}…${outcome.lastOffset} of P${outcome.partition}: the broker cannot know that it has it already.`;
    case "transactionsInitialized": return `Producer id ${outcome.producerId}, epoch ${outcome.epoch}.${outcome.fencedEpoch === null ? "" : ` Epoch ${outcome.fencedEpoch} is fenced.`}${markers(outcome.markers, " What it had open is aborted")}`;
    case "transactionEnded": return `${outcome.timedOut ? `The transaction of ${outcome.transactionalId} took too long and is aborted` : outcome.committed ? "Committed" : "Aborted"}.${outcome.markers.length === 0 ? " Nothing was written, so there is no marker." : markers(outcome.markers, " A marker takes an offset that no reader sees")}`;
    case "offsetsSent": return `The offsets of ${outcome.group} are committed with the transaction.`;
    case "producerFailed": return `${outcome.error.name}${outcome.error.code === null ? "" : ` (${outcome.error.code})`}: ${outcome.error.message} ${outcome.error.hint}`;
    default: return null;
  }
}

/**
 * @param {readonly { topic: string, partition: number, offset: bigint }[]} all
 * @param {string} what
 */
function markers(all, what) {
  return all.length === 0 ? "" : `${what}: ${all.map(({ topic, partition, offset }) => `${topic}-${partition} @ ${offset}`).join(", ")}.`;
}
