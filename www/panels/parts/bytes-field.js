/** @file A key or a value: none, text or hex. None is a choice of its own, not what an empty line means. */
import { fromHex, fromText, toHex, toText } from "../../bytes.js";
import { h } from "../../dom.js";
import { setText } from "./keep.js";
import { segmented, uniqueId } from "./field.js";
import { plural } from "./numbers.js";

/** @typedef {"none" | "text" | "hex"} Kind */

/** How many bytes the readout spells out. */
const SPELLED = 24;
const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

export class BytesField {
  element;
  #kind;
  /** The last choice that was not none: what the input's text is written in. @type {Kind} */
  #kindBefore;
  #input;
  #readout = h("p", { class: "hint bytes-readout" });
  #changed;

  /**
   * @param {string} label `Key`, `Value`
   * @param {object} [options]
   * @param {Kind} [options.kind] what is chosen at first
   * @param {boolean} [options.mayBeNone] header keys cannot
   * @param {number} [options.rows]
   * @param {string} [options.none] what choosing none means here
   * @param {() => void} [options.changed]
   */
  constructor(label, { kind = "text", mayBeNone = true, rows = 1, none = "none", changed = () => {} } = {}) {
    this.none = none;
    this.#changed = changed;
    const choices = [
      ...(mayBeNone ? [{ value: "none", text: "none" }] : []),
      { value: "text", text: "text" },
      { value: "hex", text: "hex" },
    ];
    this.#kind = segmented(`${label}: none, text or hex`, choices, kind, () => this.#convert());
    this.#kindBefore = kind;
    const id = uniqueId("bytes");
    this.#readout.id = `${id}-readout`;
    this.#input = h("textarea", {
      class: "mono",
      id, rows, autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-describedby": this.#readout.id,
      oninput: () => this.#renew(),
    });
    this.label = h("label", { for: id }, label);
    this.element = h("div", { class: "field bytes-field" },
      h("div", { class: "field-head" }, this.label, this.#kind.element), this.#input, this.#readout);
    this.#show();
  }

  /** @returns {Kind} */
  get kind() {
    return /** @type {Kind} */ (this.#kind.value);
  }

  /** What is wrong with what is typed, or null. */
  get problem() {
    return this.kind === "hex" && fromHex(this.#input.value) === null
      ? "This is not hex: write two digits, 0–9 and a–f, for each byte."
      : null;
  }

  /**
   * The bytes, null for none. What is no hex reads as no bytes: ask `problem` first.
   * @returns {Uint8Array | null}
   */
  get bytes() {
    if (this.kind === "none") return null;
    return this.kind === "text" ? fromText(this.#input.value) : (fromHex(this.#input.value) ?? new Uint8Array());
  }

  focus() {
    if (this.kind === "none") this.#kind.focus();
    else this.#input.focus();
  }

  /** Another kind shows the same bytes where it can. */
  #convert() {
    const typed = this.#input.value;
    if (this.#kindBefore === "text" && this.kind === "hex") this.#input.value = toHex(fromText(typed));
    if (this.#kindBefore === "hex" && this.kind === "text") {
      const bytes = fromHex(typed);
      const text = bytes && toText(bytes);
      if (text !== null) this.#input.value = text;
      else {
        // Text cannot hold these bytes, and they must not change behind the reader's back.
        this.#kind.value = "hex";
        this.#show();
        setText(this.#readout, bytes ? "These bytes are not UTF-8, so they stay hex." : (this.problem ?? ""));
        return;
      }
    }
    if (this.kind !== "none") this.#kindBefore = this.kind;
    this.#renew();
  }

  #renew() {
    this.#show();
    this.#changed();
  }

  #show() {
    const { kind, problem } = this;
    this.#input.hidden = kind === "none";
    this.#input.setAttribute("aria-invalid", String(problem !== null));
    this.#readout.classList.toggle("wrong", problem !== null);
    setText(this.#readout, problem ?? describe(this.bytes, this.none, kind === "text" && LONE_SURROGATE.test(this.#input.value)));
  }
}

/**
 * @param {Uint8Array | null} bytes
 * @param {string} none
 * @param {boolean} lone
 */
function describe(bytes, none, lone) {
  if (bytes === null) return none;
  if (bytes.length === 0) return "0 bytes: empty, which is not none";
  const more = bytes.length > SPELLED ? " …" : "";
  const note = lone ? ". A lone surrogate becomes ?, as Kafka’s StringSerializer writes it" : "";
  return `${plural(bytes.length, "byte")}: ${toHex(bytes.subarray(0, SPELLED))}${more}${note}`;
}
