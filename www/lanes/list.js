/**
 * @file The lanes for those who do not see the canvas or do not point: each lane is a list, each
 * record an item, one of which can be reached by Tab. Arrows walk the records, and the lanes above
 * and below. Only records around the keyboard's place exist as elements, laid over their cells.
 */

import { cutLabel } from "../bytes.js";
import { count, h } from "../dom.js";
import { TOMBSTONE } from "./palette.js";
import { ending, marker } from "./transaction.js";

/**
 * @import { PartitionView, RecordSummary } from "../../src/wasm/types.d.ts"
 * @import { EngineApi, Selection } from "../types.d.ts"
 * @import { Place } from "./scene.js"
 */

/** Items before and after the keyboard's place. */
const AROUND = 8n;

/**
 * @typedef {object} ListScene
 * @property {EngineApi} engine
 * @property {string} topic
 * @property {PartitionView[]} partitions
 * @property {Selection | null} selection
 * @property {[number, number]} inSight lanes that are in sight, half open
 * @property {number} page how many offsets a page key moves
 * @property {(place: Place) => { x: number, y: number, width: number, height: number }} box
 */

/** Emits `move` (Place: the keyboard's new place), `select` (Place), `blur`. */
export class LaneLists extends EventTarget {
  /** @type {Place | null} */
  cursor = null;
  /** @type {Map<string, HTMLElement>} */
  #items = new Map();
  /** @type {Map<number, HTMLElement>} */
  #lists = new Map();
  /** @type {ListScene | null} */
  #scene = null;

  /** @param {HTMLElement} root */
  constructor(root) {
    super();
    this.root = root;
    root.addEventListener("keydown", (event) => this.#key(event));
    root.addEventListener("focusin", (event) => {
      const place = this.#placeOf(event.target);
      if (place) this.#go(place, false);
    });
    root.addEventListener("focusout", () => this.dispatchEvent(new Event("blur")));
    // A screen reader's own click on an item.
    root.addEventListener("click", (event) => {
      const place = this.#placeOf(event.target);
      if (place) this.dispatchEvent(new CustomEvent("select", { detail: place }));
    });
  }

  get focused() {
    return this.root.contains(document.activeElement);
  }

  /** @param {EventTarget | null} target @returns {Place | null} */
  #placeOf(target) {
    if (!(target instanceof HTMLElement) || target.dataset.offset === undefined) return null;
    return { partition: Number(target.dataset.partition), offset: BigInt(target.dataset.offset) };
  }

  /** @param {ListScene} scene */
  update(scene) {
    const other = scene.topic !== this.#scene?.topic;
    this.#scene = scene;
    const lane = this.cursor && scene.partitions.find((p) => p.partition === this.cursor?.partition);
    if (other || !lane) this.cursor = null;
    if (!this.cursor) {
      const first = scene.partitions.find(isUsed) ?? scene.partitions[0];
      if (first) this.cursor = { partition: first.partition, offset: first.logStartOffset };
    }
    this.render();
  }

  /**
   * Puts the keyboard's place there, as after a click.
   * @param {Place} place
   */
  place(place) {
    this.cursor = place;
    this.render();
  }

  render() {
    const scene = this.#scene;
    const cursor = this.cursor;
    if (!scene || !cursor) {
      this.root.replaceChildren();
      this.#items.clear();
      this.#lists.clear();
      return;
    }
    const [from, to] = scene.inSight;
    const wanted = scene.partitions.filter((p, i) => (i >= from && i < to) || p.partition === cursor.partition);
    const seen = new Set();
    let tabStop = /** @type {HTMLElement | null} */ (null);
    for (const partition of wanted) {
      const list = this.#list(partition);
      const here = partition.partition === cursor.partition;
      const records = this.#around(partition, cursor.offset, here);
      const keys = records.length > 0 ? records.map((r) => `${partition.partition}:${r.offset}`) : [`${partition.partition}:none`];
      keys.forEach((key, i) => {
        seen.add(key);
        const record = records[i] ?? null;
        const item = this.#item(key, partition, record);
        const stop = here && (record === null || record.offset === cursor.offset);
        item.tabIndex = stop ? 0 : -1;
        if (stop) tabStop = item;
        if (item.parentElement !== list || list.children[i] !== item) insertAt(list, item, i);
      });
    }
    for (const [key, item] of this.#items) {
      if (seen.has(key)) continue;
      item.remove();
      this.#items.delete(key);
    }
    for (const [partition, list] of this.#lists) {
      if (wanted.some((p) => p.partition === partition)) continue;
      list.remove();
      this.#lists.delete(partition);
    }
    // The cursor's own record may have gone: the first item of its lane is reached instead.
    if (!tabStop) {
      const first = this.#lists.get(cursor.partition)?.querySelector("[role=listitem]");
      if (first instanceof HTMLElement) first.tabIndex = 0;
    }
  }

  /**
   * @param {PartitionView} partition
   * @param {bigint} offset
   * @param {boolean} here whether it is the keyboard's lane
   * @returns {RecordSummary[]}
   */
  #around(partition, offset, here) {
    const { engine, topic } = /** @type {ListScene} */ (this.#scene);
    if (!isUsed(partition)) return [];
    if (!here) {
      const near = engine.recordFrom(topic, partition.partition, offset)
        ?? engine.recordBefore(topic, partition.partition, partition.logEndOffset, partition.logStartOffset);
      return near ? [near] : [];
    }
    const from = offset - AROUND < partition.logStartOffset ? partition.logStartOffset : offset - AROUND;
    const list = engine.records(topic, partition.partition, from, Number(AROUND) * 2 + 1);
    if (list.some((r) => r.offset === offset)) return list;
    const near = engine.recordFrom(topic, partition.partition, offset)
      ?? engine.recordBefore(topic, partition.partition, partition.logEndOffset, partition.logStartOffset);
    if (near && this.cursor) this.cursor.offset = near.offset;
    return near ? [...list.filter((r) => r.offset < near.offset), near] : list;
  }

  /** @param {PartitionView} partition */
  #list(partition) {
    let list = this.#lists.get(partition.partition);
    if (!list) {
      list = h("div", { role: "list", class: "lane-list" });
      this.#lists.set(partition.partition, list);
      const after = [...this.#lists.keys()].filter((p) => p > partition.partition).sort((a, b) => a - b)[0];
      this.root.insertBefore(list, after === undefined ? null : (this.#lists.get(after) ?? null));
    }
    const offsets = !isUsed(partition)
      ? `empty, next offset ${count(partition.logEndOffset)}`
      : `offsets ${count(partition.logStartOffset)} to ${count(partition.logEndOffset - 1n)}, ${count(partition.records)} ${partition.records === 1 ? "record" : "records"}`;
    setAttribute(list, "aria-label", `Partition ${partition.partition}, leader ${partition.leader}, ${offsets}`);
    return list;
  }

  /**
   * @param {string} key
   * @param {PartitionView} partition
   * @param {RecordSummary | null} record
   */
  #item(key, partition, record) {
    const scene = /** @type {ListScene} */ (this.#scene);
    let item = this.#items.get(key);
    if (!item) {
      item = h("div", { role: "listitem", class: "lane-item" });
      this.#items.set(key, item);
    }
    const offset = record?.offset ?? partition.logEndOffset;
    item.dataset.partition = String(partition.partition);
    item.dataset.offset = String(offset);
    const text = record ? spoken(record) : "No records";
    if (item.textContent !== text) item.textContent = text;
    const whole = BigInt(partition.records) === partition.logEndOffset - partition.logStartOffset;
    // With gaps, a record's place among the others is not known without counting them all.
    setAttribute(item, "aria-setsize", record ? (whole ? String(partition.records) : "-1") : null);
    setAttribute(item, "aria-posinset", record && whole ? String(offset - partition.logStartOffset + 1n) : null);
    const selected = record !== null && scene.selection?.partition === partition.partition && scene.selection.offset === offset;
    setAttribute(item, "aria-current", selected ? "true" : null);
    const { x, y, width, height } = scene.box({ partition: partition.partition, offset });
    item.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
    item.style.width = `${Math.max(4, Math.round(width))}px`;
    item.style.height = `${Math.round(height)}px`;
    return item;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const scene = this.#scene;
    const cursor = this.cursor;
    if (!scene || !cursor || event.ctrlKey || event.metaKey || event.altKey) return;
    const index = scene.partitions.findIndex((p) => p.partition === cursor.partition);
    const partition = scene.partitions[index];
    if (!partition) return;
    const { engine, topic } = scene;
    const before = (/** @type {bigint} */ offset) => engine.recordBefore(topic, partition.partition, offset, partition.logStartOffset);
    const from = (/** @type {bigint} */ offset) => engine.recordFrom(topic, partition.partition, offset);
    const page = BigInt(Math.max(1, Math.round(scene.page)));
    /** @type {RecordSummary | null} */
    let record = null;
    switch (event.key) {
      case "ArrowRight": record = from(cursor.offset + 1n); break;
      case "ArrowLeft": record = before(cursor.offset); break;
      case "Home": record = from(partition.logStartOffset); break;
      case "End": record = before(partition.logEndOffset); break;
      case "PageDown": record = from(cursor.offset + page) ?? before(partition.logEndOffset); break;
      case "PageUp": record = before(cursor.offset - page + 1n) ?? from(partition.logStartOffset); break;
      case "ArrowUp":
      case "ArrowDown": {
        const next = scene.partitions[index + (event.key === "ArrowUp" ? -1 : 1)];
        event.preventDefault();
        if (!next) return;
        const near = engine.recordFrom(topic, next.partition, cursor.offset)
          ?? engine.recordBefore(topic, next.partition, next.logEndOffset, next.logStartOffset);
        this.#go({ partition: next.partition, offset: near?.offset ?? next.logEndOffset }, true);
        return;
      }
      case "Enter":
      case " ":
        event.preventDefault();
        if (isUsed(partition)) this.dispatchEvent(new CustomEvent("select", { detail: { ...cursor } }));
        return;
      default:
        return;
    }
    event.preventDefault();
    if (record) this.#go({ partition: partition.partition, offset: record.offset }, true);
  }

  /** @param {Place} place @param {boolean} focus */
  #go(place, focus) {
    this.cursor = place;
    this.dispatchEvent(new CustomEvent("move", { detail: place }));
    this.render();
    if (!focus) return;
    const lane = this.#lists.get(place.partition);
    const item = this.#items.get(`${place.partition}:${place.offset}`) ?? lane?.querySelector("[role=listitem]");
    if (item instanceof HTMLElement) item.focus({ preventScroll: true });
  }
}

/** Whether there may be something in a lane: a marker alone is something, too. @param {PartitionView} partition */
const isUsed = (partition) => partition.logEndOffset > partition.logStartOffset;

/**
 * A record as it is said: offset, key, value, how its transaction ended, time.
 * @param {RecordSummary} record
 */
export function spoken(record) {
  const control = marker(record);
  if (control !== null) return `Offset ${record.offset}, ${control}, ${isoTime(record.timestamp)}`;
  const key = record.key === null ? "no key" : record.key.length === 0 ? "empty key" : `key ${cutLabel(record.key, record.keyLength, 60)}`;
  const value = record.tag & TOMBSTONE
    ? "no value, a tombstone"
    : record.valueLength === 0
      ? "empty value"
      : `value ${cutLabel(record.value, record.valueLength, 80)}`;
  return [`Offset ${record.offset}`, key, value, ending(record), isoTime(record.timestamp)].filter(Boolean).join(", ");
}

/** @param {number} ms since 1970 */
export function isoTime(ms) {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? `${ms} ms` : date.toISOString();
}

/** @param {HTMLElement} element @param {string} name @param {string | null} value */
function setAttribute(element, name, value) {
  if (value === null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/**
 * Moves a child to a place; one with the focus must not be moved, so the others are moved around it.
 * @param {HTMLElement} list
 * @param {HTMLElement} item
 * @param {number} index
 */
function insertAt(list, item, index) {
  if (item.parentElement === list && item === document.activeElement) {
    while (list.children[index] && list.children[index] !== item) list.append(/** @type {Node} */ (list.children[index]));
  } else list.insertBefore(item, list.children[index] ?? null);
}
