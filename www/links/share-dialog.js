/** @file A link to all that is here, to one step, one panel, one record of it. */
import { count, h } from "../dom.js";
import { CopyButton } from "../panels/parts/copy.js";
import { button, uniqueId } from "../panels/parts/field.js";
import { setText } from "../panels/parts/keep.js";
import { RefusalOutput } from "../panels/parts/refusal.js";
import { save } from "./save.js";
import { LONG_LINK_LENGTH, MAX_LINK_LENGTH, writeLink } from "./link.js";

/** @import { Link } from "./link.js" */
/** @import { LoglanesError } from "../../src/wasm/types.d.ts" */

/** What can be pointed to. @typedef {Required<Pick<Link, "step" | "panel">> & Pick<Link, "record" | "lesson"> & { panelName: string, length: number }} Place */

export class ShareDialog {
  #link = "";
  #round = 0;
  #text = "";
  /** @type {Place | null} */
  #place = null;
  #address = h("textarea", { class: "mono share-link", rows: 4, readonly: true, "aria-label": "Link" });
  #step = h("input", { type: "checkbox" });
  #panel = h("input", { type: "checkbox" });
  #record = h("input", { type: "checkbox" });
  #stepText = h("span");
  #panelText = h("span");
  #recordText = h("span", { class: "share-record" });
  #recordLine = h("label", { class: "check-line" }, this.#record, this.#recordText);
  #said = h("p", { class: "hint", role: "status" });
  #copy = new CopyButton("Copy link", () => this.#link);
  #copyText = new CopyButton("Copy as text", () => this.#text);
  #file = button("Save as a file", () => save(this.#text, "loglanes-scenario.txt"));
  #refusal = new RefusalOutput();
  element;

  constructor() {
    const title = uniqueId("share");
    this.#address.addEventListener("focus", () => this.#address.select());
    for (const box of [this.#step, this.#panel, this.#record]) box.addEventListener("change", () => void this.#make());
    this.element = h("dialog", { "aria-labelledby": title, class: "form-dialog share-dialog" },
      h("h2", { id: title }, "Share"),
      h("p", null, "The link holds the whole history: whoever opens it does the same acts again. It is in the address after the #, which browsers do not send to any server."),
      h("fieldset", { class: "stack share-place" }, h("legend", { class: "label" }, "Open it at"),
        h("label", { class: "check-line" }, this.#step, this.#stepText),
        h("label", { class: "check-line" }, this.#panel, this.#panelText), this.#recordLine),
      this.#address, this.#said, this.#refusal.element,
      h("div", { class: "acts" }, this.#copy.button, this.#copyText.button, this.#file, button("Close", () => this.element.close())),
      this.#copy.answer, this.#copyText.answer);
    this.#copy.button.className = "primary";
  }

  /** @param {() => string} text the scenario; may throw a refusal @param {Place} place */
  open(text, place) {
    if (!this.element.isConnected) document.body.append(this.element);
    this.#place = place;
    this.#step.checked = place.step !== place.length;
    this.#panel.checked = false;
    this.#record.checked = place.record !== undefined;
    this.#recordLine.hidden = place.record === undefined;
    setText(this.#stepText, `this step, ${count(place.step)} of ${count(place.length)}`);
    setText(this.#panelText, `this panel, ${place.panelName}`);
    if (place.record) setText(this.#recordText, `this record, ${place.record.topic} P${place.record.partition} @ ${place.record.offset}`);
    this.#refusal.clear();
    this.#text = "";
    try {
      this.#text = text();
    } catch (error) {
      this.#refusal.show(/** @type {LoglanesError} */ (error));
    }
    this.#copyText.button.disabled = this.#file.disabled = this.#text === "";
    this.element.showModal();
    void this.#make();
  }

  async #make() {
    const round = (this.#round += 1);
    const place = this.#place;
    this.#show("", "");
    if (!place || !this.#text) return;
    const fragment = await writeLink({
      ...(place.lesson === undefined ? { scenario: this.#text } : { lesson: place.lesson }),
      step: this.#step.checked ? place.step : undefined,
      panel: this.#panel.checked ? place.panel : undefined,
      record: this.#record.checked ? place.record : undefined,
    });
    if (round !== this.#round) return;
    const link = `${location.href.split("#")[0]}${fragment}`;
    if (link.length > MAX_LINK_LENGTH) {
      this.#show("", `The link would have ${count(link.length)} characters, more than the ${count(MAX_LINK_LENGTH)} that a link may have (MAX_LINK_LENGTH). Save the history as a file instead, and send that: dropped on this page, it opens.`);
    } else {
      this.#show(link, `${count(link.length)} characters.${link.length > LONG_LINK_LENGTH ? " Some programs cut links that long: try it before you rely on it." : ""}`);
    }
  }

  /** @param {string} link @param {string} said */
  #show(link, said) {
    this.#link = link;
    this.#address.value = link;
    this.#address.hidden = link === "";
    this.#copy.button.disabled = link === "";
    setText(this.#said, said);
  }
}
