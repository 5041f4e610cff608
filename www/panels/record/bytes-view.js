/** @file Bytes to look at: as text, as indented JSON, as a hex dump. Long ones are cut, and say so. */

import { size, h } from "../../dom.js";
import { toHex, toText, visible } from "../../bytes.js";
import { download } from "../../download.js";
import { indentJson } from "../../json.js";
import { button } from "../parts/field.js";

/** So much is shown before "Show all" is pressed. */
const FIRST_BYTES = 2048;
/** Larger texts are not indented: it would take too long to look at. */
const MOST_JSON = 1 << 20;
/** How long it is said that something was copied. */
const COPIED_MS = 1_500;

/** @typedef {"text" | "json" | "hex"} Form */

/** @type {Record<Form, string>} */
const NAMES = { text: "Text", json: "JSON", hex: "Hex" };

/**
 * Offset, eight bytes in hex, the same as text; a dot for what has no face.
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function hexDump(bytes) {
  const lines = [];
  const digits = Math.max(4, (bytes.length - 1).toString(16).length);
  for (let at = 0; at < bytes.length; at += 8) {
    const part = bytes.subarray(at, at + 8);
    const hex = Array.from(part, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const text = Array.from(part, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "·")).join("");
    lines.push(`${at.toString(16).padStart(digits, "0")}  ${hex.padEnd(23)}  ${text}`);
  }
  return lines.join("\n");
}

/** A key or a value, with a choice of forms that is kept from record to record. */
export class BytesView {
  /** @type {Form | null} the form that was chosen, or null for the best one */
  #chosen = null;
  /** @type {Uint8Array | null} */
  #bytes = null;
  #whole = false;
  #pre = h("pre", { class: "bytes-shown", tabindex: "0" });
  #note = h("p", { class: "soft" });
  #more = h("button", { type: "button", class: "link", onclick: () => { this.#whole = true; this.#render(); this.#pre.focus(); } });
  #facts = h("span", { class: "soft small" });
  #name;
  #copy = button("Copy", () => void this.#copyAll(), { class: "link small" });
  #save = button("Save…", () => this.#saveAll(), { class: "link small", title: "All of its bytes, to a file" });
  #acts = h("p", { class: "bytes-acts" }, this.#copy, this.#save);
  /** @type {Map<Form, HTMLButtonElement>} */
  #forms = new Map();

  /** @param {string} name */
  constructor(name) {
    const choice = h("span", { class: "choice small", role: "group", "aria-label": `${name} as` });
    for (const form of /** @type {Form[]} */ (["text", "json", "hex"])) {
      const button = h("button", { type: "button", onclick: () => { this.#chosen = form; this.#render(); } }, NAMES[form]);
      this.#forms.set(form, button);
      choice.append(button);
    }
    this.choice = choice;
    this.#name = name.toLowerCase();
    this.#copy.setAttribute("aria-label", `Copy the whole ${this.#name}`);
    this.#save.setAttribute("aria-label", `Save the whole ${this.#name} to a file`);
    this.#pre.setAttribute("aria-label", name);
    this.element = h("section", { class: "record-part" },
      h("div", { class: "record-part-head" }, h("h3", null, name), this.#facts, choice), this.#note, this.#pre, this.#more, this.#acts);
  }

  /**
   * @param {Uint8Array | null} bytes
   * @param {string} none what it means if there are none
   */
  show(bytes, none) {
    this.#bytes = bytes;
    this.#whole = false;
    this.#facts.textContent = bytes === null ? "" : bytes.length === 1 ? "1 byte" : `${bytes.length < 1024 ? `${bytes.length} bytes` : size(bytes.length)}`;
    this.#note.textContent = bytes === null ? none : bytes.length === 0 ? "Empty: there is one, of no bytes." : "";
    this.#render();
  }

  /** The text where it is text, else the digits of its bytes. */
  async #copyAll() {
    const bytes = this.#bytes;
    if (!bytes) return;
    const text = toText(bytes) ?? toHex(bytes);
    try {
      await navigator.clipboard.writeText(text);
      this.#copy.textContent = toText(bytes) === null ? "Copied as hex" : "Copied";
    } catch {
      this.#copy.textContent = "Not allowed here";
    }
    setTimeout(() => (this.#copy.textContent = "Copy"), COPIED_MS);
  }

  #saveAll() {
    if (this.#bytes) download(new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (this.#bytes)]), `${this.#name}.bin`);
  }

  #render() {
    const bytes = this.#bytes;
    const shown = bytes !== null && bytes.length > 0;
    this.#note.hidden = shown;
    this.#pre.hidden = this.choice.hidden = !shown;
    this.#more.hidden = true;
    this.#acts.hidden = !shown;
    if (!shown) return;
    const text = toText(bytes);
    const json = text !== null && bytes.length <= MOST_JSON ? indentJson(text) : null;
    const can = { text: text !== null, json: json !== null, hex: true };
    const best = can.json ? "json" : can.text ? "text" : "hex";
    const form = this.#chosen && can[this.#chosen] ? this.#chosen : best;
    for (const [name, button] of this.#forms) {
      button.hidden = !can[name];
      button.setAttribute("aria-pressed", String(name === form));
    }
    const cut = !this.#whole && bytes.length > FIRST_BYTES;
    const part = cut ? bytes.subarray(0, FIRST_BYTES) : bytes;
    const full = form === "json" ? /** @type {string} */ (json) : form === "text" ? visibleLines(/** @type {string} */ (text)) : hexDump(part);
    this.#pre.textContent = cut && form !== "hex" ? `${full.slice(0, FIRST_BYTES)}…` : full;
    this.#pre.classList.toggle("wraps", form === "text");
    this.#more.hidden = !cut;
    this.#more.textContent = `Show all ${size(bytes.length)}; ${size(FIRST_BYTES)} are shown`;
  }
}

/** Text with invisible characters spelled out, but for line ends and tabs. @param {string} text */
function visibleLines(text) {
  return text.split(/(\r?\n|\t)/).map((part, i) => (i % 2 ? part : visible(part))).join("");
}
