/** @file Every act that led here and every one that lies ahead, with the way to any of them. */
import { count, h } from "../dom.js";
import { asideName } from "../travel/time-bar.js";
import { StepList } from "../travel/step-list.js";
import { Transport } from "../travel/transport.js";
import { CopyButton } from "./parts/copy.js";
import { button } from "./parts/field.js";
import { KeptList, setText, whileSeen } from "./parts/keep.js";
import { plural } from "./parts/numbers.js";
import { Panel } from "./parts/panel.js";

/** @import { HistoryView, LoglanesError } from "../../src/wasm/types.d.ts" */
/** @import { Playback } from "../travel/playback.js" */
/** @import { PageState } from "../types.d.ts" */

/** @typedef {HistoryView["asides"][number]} Aside */

export class HistoryPanel extends Panel {
  #transport;
  #steps = new StepList();
  #summary = h("p", { class: "soft" });
  #copy = new CopyButton("Copy as text", () => this.#text());
  #edit = button("Edit as text…", () => this.emit("edit-text", undefined), { class: "quiet" });
  #commands = button("As Kafka commands…", () => this.emit("as-commands", undefined), { class: "quiet" });
  #share = button("Share…", () => this.emit("share", undefined), { class: "quiet" });
  #asideList = h("ul", { class: "plain-list asides" });
  #asides = new KeptList(this.#asideList, (/** @type {Aside} */ { id }) => String(id), (aside) => this.#makeAside(aside));
  #asidesForgotten = h("p", { class: "hint" });
  #asideSection = h("section", { class: "aside-section" },
    h("h2", { class: "minor" }, "Set aside"),
    h("p", { class: "hint" }, "Courses that lay ahead when something else was done. Take one up, and what is here now is set aside instead."),
    this.#asideList, this.#asidesForgotten);
  #renew;
  /** @type {PageState | null} */
  #state = null;

  /** @param {HTMLElement} root @param {Playback} playback */
  constructor(root, playback) {
    super(root);
    this.#transport = new Transport(playback);
    for (const part of [this.#transport, this.#steps]) part.addEventListener("travel", (event) => this.emit("travel", /** @type {CustomEvent<number>} */ (event).detail));
    this.#renew = whileSeen(root, () => this.#show());
    root.append(
      h("div", { class: "history-head" }, this.#transport.element, h("div", { class: "row" }, this.#summary, this.#edit, this.#copy.button, this.#commands, this.#share)),
      this.#copy.answer, this.refusal.element, this.#steps.element, this.#asideSection);
  }

  /** @param {PageState} state */
  update(state) {
    this.#state = state;
    this.#renew();
  }

  #show() {
    const { engine, view: { history } } = /** @type {PageState} */ (this.#state);
    const { length, position, forgotten, asides, asidesForgotten } = history;
    setText(this.#summary, [
      length === 0 ? "Nothing has happened yet." : `${plural(length, "step")}.`,
      position < length && `You are at step ${count(position)}; what you do now sets ${count(length - position)} aside.`,
      forgotten > 0 && `The first ${count(forgotten)} are no longer kept.`,
    ].filter(Boolean).join(" "));
    this.#transport.update(history);
    this.#steps.update(engine, history);
    this.#copy.button.disabled = this.#commands.disabled = this.#share.disabled = length === 0 || forgotten > 0;
    this.#asideSection.hidden = asides.length === 0 && asidesForgotten === 0;
    this.#asides.update(asides.toReversed());
    setText(this.#asidesForgotten, asidesForgotten > 0 ? `${plural(asidesForgotten, "older course")} ${asidesForgotten === 1 ? "is" : "are"} no longer kept.` : "");
  }

  /** @param {Aside} aside @returns {import("../types.d.ts").Piece<Aside>} */
  #makeAside({ id, at, steps, text }) {
    const name = asideName(id, steps, text);
    const where = h("span", { class: "soft" });
    const element = h("li", null,
      h("span", { class: "aside-text" }, h("span", { class: "mono" }, text), " ", where),
      h("span", { class: "row" },
        button("Take up", () => this.emit("take-up", id), { class: "quiet", "aria-label": `Take up ${name}` }),
        button("Forget", () => this.emit("forget-aside", id), { class: "quiet", "aria-label": `Forget ${name}` })));
    return { element, update: (aside) => setText(where, `${plural(steps, "step")} after step ${count(aside.at ?? at)}`) };
  }

  #text() {
    try {
      this.refusal.clear();
      return /** @type {PageState} */ (this.#state).engine.historyText();
    } catch (error) {
      this.refusal.show(/** @type {LoglanesError} */ (error));
      return "";
    }
  }
}
