/** @file One record, all of it: where it lies and why, when, what it holds, and its bytes in the log. */

/**
 * @import { Header, KeyArithmetic, RecordDetail } from "../../src/wasm/types.d.ts"
 * @import { PageState, Selection } from "../types.d.ts"
 * @import { Field } from "./record/fields.js"
 */

import { label, toHex } from "../bytes.js";
import { count, h, size } from "../dom.js";
import { chip } from "../lanes/palette.js";
import { BytesView, hexDump } from "./record/bytes-view.js";
import { marker, markerName, reading } from "../lanes/transaction.js";
import { batchFields, markerFields, recordFields } from "./record/fields.js";

/** A record's bytes beyond this are not dumped but named. */
const MOST_DUMP = 4096;

/** Events: `select`. */
export class RecordPanel extends EventTarget {
  /** @type {PageState | null} */
  #state = null;
  #shown = "";
  /** What had the focus when it was opened. @type {Element | null} */
  #from = null;
  #nothing = h("div", { class: "record-none soft" },
    h("h2", null, "Record"),
    h("p", null, "Choose a cell to see where the record lies and why, and every byte of it."),
    h("p", { class: "small" }, "Drag to move, ", h("kbd", null, "Ctrl"), " and the wheel, or two fingers, to zoom."),
    h("p", { class: "small" }, "By keyboard: ", h("kbd", null, "Tab"), " into the lanes, arrows to move, ", h("kbd", null, "Enter"), " to choose."));
  #place = h("h2", { class: "record-place mono" });
  #key = h("p", { class: "record-key" });
  #before = h("button", { type: "button", class: "quiet icon", "aria-label": "Previous record of this partition", title: "Previous record of this partition", onclick: () => this.#step(-1) }, "←");
  #after = h("button", { type: "button", class: "quiet icon", "aria-label": "Next record of this partition", title: "Next record of this partition", onclick: () => this.#step(1) }, "→");
  #close = h("button", { type: "button", class: "quiet icon", "aria-label": "Close", title: "Close", onclick: () => this.#leave() }, "×");
  #why = h("section", { class: "record-part record-why" });
  #facts = h("dl", { class: "facts" });
  #keyView = new BytesView("Key");
  #value = new BytesView("Value");
  #headers = h("section", { class: "record-part" });
  #batch = h("div", { class: "record-bytes" });
  #details = h("details", { class: "record-part" }, h("summary", null, "Bytes in the log"), this.#batch);
  #record = h("article", { class: "record", hidden: true },
    h("header", { class: "record-head" }, this.#place, h("span", { class: "record-steps" }, this.#before, this.#after, this.#close), this.#key),
    this.#why, this.#facts, this.#keyView.element, this.#value.element, this.#headers, this.#details);

  /** @param {HTMLElement} root */
  constructor(root) {
    super();
    root.append(this.#nothing, this.#record);
  }

  /** @param {PageState} state */
  update(state) {
    this.#state = state;
    const { selection, engine, topic } = state;
    const lane = topic?.partitions.find((p) => p.partition === selection?.partition);
    const key = selection ? [topic?.topicId, selection.partition, selection.offset, topic?.partitions.length, topic?.records, lane?.lastStableOffset, lane?.logEndOffset].join() : "";
    if (key === this.#shown) return;
    if (this.#shown === "") this.#from = document.activeElement;
    this.#shown = key;
    const record = selection && engine.record(selection.topic, selection.partition, selection.offset);
    this.#nothing.hidden = record !== null;
    this.#record.hidden = record === null;
    if (record) this.#show(record);
  }

  /** @param {RecordDetail} record */
  #show(record) {
    const { topic, partition, offset, leader, timestamp, timestampType, key, value, headers, tag } = record;
    this.#place.replaceChildren(`P${partition}`, h("span", { class: "soft" }, " @ "), count(offset));
    const control = marker(record);
    const lane = this.#state?.topic?.partitions.find((p) => p.partition === partition);
    this.#key.replaceChildren(control !== null ? `${markerName(record)}: ${record.transaction?.standing === "control" ? "a control record" : "a transaction’s end"}` : chip(key, tag, 60));
    this.#why.replaceChildren(...(control === null ? why(record) : aboutMarker(record)));
    const date = new Date(timestamp);
    this.#facts.replaceChildren(
      h("dt", null, "Topic"), h("dd", { class: "mono" }, topic),
      h("dt", null, "Partition"), h("dd", null, `${partition}, leader ${leader}`),
      h("dt", null, "Offset"), h("dd", { class: "mono" }, count(offset)),
      ...transactionFacts(record, lane?.lastStableOffset),
      h("dt", null, timestampType),
      h("dd", { class: "mono" }, Number.isNaN(date.getTime()) ? "" : h("span", null, date.toISOString(), h("br", null)), h("span", { class: "soft" }, `${timestamp} ms`)));
    this.#keyView.show(key, "None. Not the empty key, and not the text null: there is no key.");
    this.#value.show(value, "None: a tombstone. On a compacted topic it deletes the key.");
    this.#headers.hidden = headers.length === 0;
    this.#headers.replaceChildren(h("div", { class: "record-part-head" }, h("h3", null, "Headers"), h("span", { class: "soft small" }, String(headers.length))), headerTable(headers));
    this.#batch.replaceChildren(...bytesOf(record));
    this.#before.disabled = !lane || !this.#state?.engine.recordBefore(topic, partition, offset, lane.logStartOffset);
    this.#after.disabled = !this.#state?.engine.recordFrom(topic, partition, offset + 1n);
  }

  /** @param {-1 | 1} by */
  #step(by) {
    const { engine, selection, topic } = /** @type {PageState} */ (this.#state);
    const lane = topic?.partitions.find((p) => p.partition === selection?.partition);
    if (!selection || !lane) return;
    const next = by > 0
      ? engine.recordFrom(selection.topic, selection.partition, selection.offset + 1n)
      : engine.recordBefore(selection.topic, selection.partition, selection.offset, lane.logStartOffset);
    if (next) this.#select({ ...selection, offset: next.offset });
    // At the end of the log the button that was pressed can no more have the focus.
    const pressed = by > 0 ? this.#after : this.#before;
    if (pressed.disabled) (by > 0 ? this.#before : this.#after).focus();
  }

  /** Closes; the focus goes back to where it came from, or to the lanes. */
  #leave() {
    const from = this.#from;
    this.#select(null);
    const back = from?.isConnected && from !== document.body && from.checkVisibility() ? from : document.getElementById("lanes");
    /** @type {HTMLElement | null} */ (back)?.focus();
  }

  /** @param {Selection | null} place */
  #select(place) {
    this.dispatchEvent(new CustomEvent("select", { detail: place }));
  }
}

/**
 * From key bytes to partition, or why there is no such way.
 * @param {RecordDetail} record
 * @returns {(Node | string)[]}
 */
function why({ arithmetic, partition, key }) {
  const title = h("h3", null, "Why this partition");
  if (!arithmetic || key === null) {
    return [title, h("p", null, "It has no key, so no key decided. The producer’s partitioner drew this partition, or one was given by hand.")];
  }
  const { keyLength, hash, masked, partitions, partition: now } = arithmetic;
  const line = (/** @type {(Node | string)[]} */ left, /** @type {string} */ right, last = false) => [
    h("span", { class: "sum-left" }, ...left), h("span", { class: "sum-is", "aria-hidden": "true" }, "="), h("span", { class: last ? "sum-right sum-last" : "sum-right" }, right),
  ];
  const rows = [
    title,
    h("div", { class: "sum mono" },
      ...line(["murmur2(", h("span", { class: "sum-key" }, label(key, 18)), h("span", { class: "soft" }, `, ${keyLength} ${keyLength === 1 ? "byte" : "bytes"}`), ")"], String(hash)),
      ...line(["& 0x7fffffff"], String(masked)),
      ...line([`% ${partitions} `, h("span", { class: "soft" }, partitions === 1 ? "partition" : "partitions")], String(now), true)),
  ];
  if (now !== partition) {
    rows.push(h("p", { class: "notice small" },
      `Sent today, this key goes to P${now}; this record lies in P${partition}. Either the topic had fewer partitions then, or the producer did not place by Kafka’s default rule. Records are never moved.`));
  }
  return rows;
}

/**
 * Why there is a record that nobody has sent.
 * @param {RecordDetail} record
 * @returns {(Node | string)[]}
 */
function aboutMarker({ transaction, key, value }) {
  const says = markerFields(key, value);
  const list = says.length > 0 && h("dl", { class: "facts" }, ...says.flatMap(([name, said]) => [h("dt", null, name), h("dd", { class: "mono" }, said)]));
  if (transaction?.standing === "control") {
    return [h("h3", null, "What it is"), h("p", null, "A control record of the broker’s own. It takes an offset like any record, and no consumer is given it."), ...(list ? [list] : [])];
  }
  const committed = transaction?.standing === "commitMarker";
  return [
    h("h3", null, "Why it is here"),
    h("p", null, "The transaction coordinator writes such a marker into every partition that a transaction has written to. It takes an offset like any record, and no consumer is given it."),
    h("p", null, `${committed ? "COMMIT" : "ABORT"}: what producer id ${transaction?.producerId} had written here since its marker before ${committed ? "counts" : "is passed over by read_committed"}.`),
    ...(list ? [list] : []),
  ];
}

/**
 * The row that says what became of a record's transaction, and who is given it.
 * @param {RecordDetail} record
 * @param {bigint | undefined} lastStableOffset
 */
function transactionFacts(record, lastStableOffset) {
  const said = lastStableOffset === undefined ? null : reading(record, lastStableOffset);
  const { transaction } = record;
  if (said === null && transaction === null) return [];
  const whose = transaction && `producer id ${transaction.producerId}, epoch ${transaction.producerEpoch}`;
  return [
    h("dt", null, "Transaction"),
    h("dd", null, said && h("b", null, said.title), said && whose ? ", " : null, whose, said && h("span", { class: "record-reading soft" }, said.text)),
  ];
}

/** @param {Header[]} headers */
function headerTable(headers) {
  return h("div", { class: "table-wrap", tabindex: "0", role: "group", "aria-label": "Headers" }, h("table", null,
    h("thead", null, h("tr", null, h("th", { scope: "col" }, "key"), h("th", { scope: "col" }, "value"))),
    h("tbody", null, ...headers.map(({ key, value }) => h("tr", { class: "mono" }, h("td", null, label(key, 60)), h("td", null, label(value, 200)))))));
}

/** @param {RecordDetail} record @returns {Node[]} */
function bytesOf({ batch, bytes }) {
  const fields = (/** @type {string} */ caption, /** @type {Field[]} */ list) =>
    h("div", { class: "table-wrap", tabindex: "0", role: "group", "aria-label": caption }, h("table", { class: "fields-table" }, h("caption", null, caption),
      h("thead", { class: "unseen" }, h("tr", null, ...["at", "field", "value", "bytes"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", null, ...list.map((field) => h("tr", null,
        h("td", { class: "num soft mono" }, field.at),
        h("td", null, field.name),
        h("td", { class: "mono" }, field.value),
        h("td", { class: "mono soft" }, toHex(field.bytes.subarray(0, 8)), field.bytes.length > 8 ? " …" : ""))))));
  const dump = (/** @type {string} */ name, /** @type {Uint8Array} */ part) =>
    h("figure", null, h("figcaption", { class: "soft small" }, name), h("pre", { class: "bytes-shown", tabindex: "0", "aria-label": name }, hexDump(part.subarray(0, MOST_DUMP)), part.length > MOST_DUMP ? `\n… of ${size(part.length)}` : ""));
  return [
    h("dl", { class: "facts" },
      h("dt", null, "Batch"), h("dd", null, `offsets ${count(batch.baseOffset)} to ${count(batch.lastOffset)}, ${count(batch.records)} ${batch.records === 1 ? "record" : "records"}, ${size(batch.bytes)}`),
      h("dt", null, "Segment"), h("dd", { class: "mono" }, `${String(batch.segmentBaseOffset).padStart(20, "0")}.log`),
      h("dt", null, "Position"), h("dd", null, `${count(batch.position)} bytes into it`),
      h("dt", null, "CRC-32C"), h("dd", { class: "mono" }, `0x${batch.crc.toString(16).padStart(8, "0")}`)),
    fields("The batch’s head, 61 bytes", batchFields(batch.header)),
    fields(`The record, ${count(bytes.length)} bytes`, recordFields(bytes)),
    dump("The batch’s head", batch.header),
    dump("The record", bytes),
  ];
}
