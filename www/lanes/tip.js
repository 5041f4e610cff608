/** @file The note beside the record that is pointed at, or that the keyboard is on. */

import { cutLabel } from "../bytes.js";
import { count, h } from "../dom.js";
import { isoTime } from "./list.js";
import { ending, marker } from "./transaction.js";

/**
 * @import { RecordSummary } from "../../src/wasm/types.d.ts"
 * @import { Place } from "./scene.js"
 */

export class Tip {
  element = h("div", { class: "lanes-tip", "aria-hidden": "true", hidden: true });

  hide() {
    this.element.hidden = true;
  }

  /**
   * @param {Place & { record: RecordSummary }} at
   * @param {{ x: number, y: number, height: number }} box of its cell, in what the note is laid over
   * @param {number} width of that
   */
  show({ partition, record }, box, width) {
    const control = marker(record);
    const ended = ending(record);
    this.element.hidden = false;
    this.element.replaceChildren(
      h("b", null, `P${partition} @ ${count(record.offset)}`),
      ...(control !== null ? [h("span", null, control)] : [
        h("span", { class: "mono" }, cutLabel(record.key, record.keyLength, 32)),
        h("span", { class: "mono soft" }, cutLabel(record.value, record.valueLength, 56)),
      ]),
      ...(ended === null ? [] : [h("span", null, ended)]),
      h("span", { class: "soft small" }, isoTime(record.timestamp)),
    );
    const left = Math.min(Math.max(4, box.x - 8), width - this.element.offsetWidth - 4);
    const above = box.y - this.element.offsetHeight - 8;
    this.element.style.transform = `translate(${Math.round(left)}px, ${Math.round(above > 0 ? above : box.y + box.height + 8)}px)`;
  }
}
