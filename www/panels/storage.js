/**
 * @file How the saved state stands: a few words in the header, and behind them what it means and what
 * to do. Only news is spoken; that every act is saved again is not.
 */

/** @import { Status } from "../saver.js" */

import { h, size } from "../dom.js";

/** @type {Record<Status["state"], string>} */
const WORDS = {
  starting: "",
  saved: "Saved",
  saving: "Saving…",
  "not-saved": "Not saved",
  memory: "Not kept",
  reader: "Read-only",
};

/** Saved data are the browser's to delete, and nobody else has them. */
const CAVEAT =
  "Saved means: in this browser, for this site. Browsers may delete it, when space runs short, when you clear the site's data, " +
  "or after a week without a visit. To keep it for sure, export it to a file.";

/** Of the details, in CSS pixels. */
const WIDTH = 384;
const MARGIN = 8;

/**
 * Events: `export` when the button is pressed, `notice` (detail: {text}) once, when nothing will be kept.
 */
export class StorageStatus extends EventTarget {
  #button;
  #spoken;
  #details;
  #reason;
  #advice;
  #facts;
  /** @type {string} the last news that was spoken */
  #news = "";
  #noticed = false;

  /** @param {HTMLElement} root */
  constructor(root) {
    super();
    this.#details = h("div", { class: "storage-details", id: "storage-details", popover: "auto", role: "group", "aria-label": "How the state is saved" });
    this.#button = h("button", { class: "quiet storage-word", type: "button", popovertarget: "storage-details", hidden: true });
    this.#spoken = h("span", { class: "unseen", role: "status" });
    this.#reason = h("p", { class: "storage-reason" });
    this.#advice = h("p", null);
    this.#facts = h("dl", { class: "facts" });
    const keep = h("button", { type: "button", onclick: () => this.#export() }, "Export to a file");
    this.#details.append(this.#reason, this.#advice, this.#facts, h("p", { class: "hint" }, CAVEAT), h("div", { class: "acts" }, keep));
    this.#details.addEventListener("beforetoggle", (event) => {
      if (event.newState === "open") this.#place();
    });
    root.append(this.#button, this.#spoken, this.#details);
  }

  /** @param {Status} status */
  update(status) {
    const { state, short, reason, advice, savedAt, savedBytes, totalBytes } = status;
    const word = WORDS[state];
    const text = short ? `${word}: ${short}` : word;
    this.#button.hidden = text === "";
    this.#button.dataset.state = state;
    if (this.#button.textContent !== text) this.#button.textContent = text;
    this.#reason.textContent = reason;
    this.#reason.hidden = reason === "";
    this.#advice.textContent = advice;
    this.#advice.hidden = advice === "";
    this.#facts.replaceChildren(
      h("dt", null, "Last save"),
      h("dd", null, savedAt ? h("time", { datetime: new Date(savedAt).toISOString(), class: "mono" }, new Date(savedAt).toISOString()) : "none since the page was opened"),
      ...(savedAt ? [h("dt", null, "It wrote"), h("dd", null, size(savedBytes)), h("dt", null, "All wrote"), h("dd", null, size(totalBytes))] : []),
    );
    this.#tell(state, text, reason, advice);
  }

  /** @param {Status["state"]} state @param {string} text @param {string} reason @param {string} advice */
  #tell(state, text, reason, advice) {
    if (state === "starting" || state === "saving") return;
    const news = state === "saved" ? "Saved" : `${text}. ${advice}`;
    // "Saved" is news only after something else was.
    if (news !== this.#news && !(state === "saved" && this.#news === "")) this.#spoken.textContent = news;
    this.#news = news;
    if (state === "memory" && !this.#noticed) {
      this.#noticed = true;
      this.dispatchEvent(new CustomEvent("notice", { detail: { text: `${reason} ${advice}` } }));
    }
  }

  #export() {
    this.#details.hidePopover();
    this.dispatchEvent(new CustomEvent("export"));
  }

  /** Below the words, within the window. */
  #place() {
    const { bottom, right } = this.#button.getBoundingClientRect();
    const { clientWidth } = document.documentElement;
    const width = Math.min(WIDTH, clientWidth - 2 * MARGIN);
    const { style } = this.#details;
    style.width = `${width}px`;
    style.top = `${Math.round(bottom + 4)}px`;
    style.left = `${Math.round(Math.max(MARGIN, Math.min(right, clientWidth - MARGIN) - width))}px`;
  }
}
