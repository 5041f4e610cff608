/**
 * @file The stage: every partition a lane, every record a cell in its key's colour, all lanes over
 * one axis of offsets. A canvas draws, a list speaks (list.js), a strip below shows the whole topic.
 * Nothing is drawn unless something changed, and never more than once a frame.
 */

import { h } from "../dom.js";
import { unlessGone } from "../questions.js";
import { Arrivals } from "./arrivals.js";
import { currentTheme, KEY_BITS, kindOf } from "./palette.js";
import { drawLanes } from "./draw.js";
import { firstScreen } from "./first.js";
import { Gestures } from "./gestures.js";
import { resolveInks } from "./inks.js";
import { Legend } from "./legend.js";
import { LaneLists } from "./list.js";
import { fitCanvas, Overview } from "./overview.js";
import { Raster } from "./raster.js";
import { laneTop, lanesInSight } from "./scene.js";
import { Sight } from "./sight.js";
import { Tip } from "./tip.js";
import { Viewport } from "./viewport.js";

/**
 * @import { RecordSummary } from "../../src/wasm/types.d.ts"
 * @import { PageState } from "../types.d.ts"
 * @import { Flag, Inks, Layout, Place } from "./scene.js"
 */

/** Sizes in CSS pixels where the page's font has 16; they grow with it. */
const RULER = 30;
const ROW = { least: 26, most: 96 };
const BAND = 48;
const RAIL = 15;
const GUTTER = { narrow: 56, wide: 138 };
/** A stage at least so wide has the wide gutter. */
const WIDE = 520;
/** Below this height a lane has no room for flags' names. */
const ROOMY = 42;
/** While a job runs, the strip and the lists are made anew this often. */
const JOB_REFRESH_MS = 300;

/** Events: `select`, `sample`, `file` (File), `new-topic`. */
export class LanesView extends EventTarget {
  #viewport = new Viewport();
  /** @type {PageState | null} */
  #state = null;
  /** @type {Layout} */
  #layout = { width: 1, height: 1, gutter: 132, ruler: RULER, row: 40, rail: 14, band: 20, scroll: 0, ratio: 1 };
  /** @type {Inks | null} */
  #inks = null;
  /** @type {Raster | null} */
  #raster = null;
  #frame = 0;
  /** @type {Sight | null} */
  #sight = null;
  #overviewVersion = 0;
  #refreshed = 0;
  /** @type {number | null} */
  #match = null;
  /** @type {Place | null} */
  #hover = null;
  #arrivals = new Arrivals();
  #topicId = "";
  /** @type {Map<number, Flag[]>} */
  #flags = new Map();

  /** @param {HTMLElement} root */
  constructor(root) {
    super();
    this.root = root;
    this.first = firstScreen((type, file) => {
      if (type === "file") this.dispatchEvent(new CustomEvent("file", { detail: file }));
      else this.dispatchEvent(new CustomEvent(type === "topic" ? "new-topic" : type, { detail: null }));
    });
    this.canvas = h("canvas", { class: "lanes-canvas", "aria-hidden": "true" });
    this.listRoot = h("div", { class: "lanes-lists" });
    this.spacer = h("div", { class: "lanes-rows" }, h("div", { class: "lanes-view" }, this.canvas, this.listRoot));
    this.scroller = h("div", { class: "lanes-scroll", role: "group", "aria-label": "Records by partition", "aria-describedby": "lanes-keys" }, this.spacer);
    const keys = h("p", { id: "lanes-keys", hidden: true }, "Arrows move between records and lanes, Home and End to a log's ends, Enter chooses, plus and minus zoom, 0 shows all.");
    this.strip = h("canvas", { class: "lanes-strip", "aria-hidden": "true" });
    this.tip = new Tip();
    this.title = h("h2", { class: "unseen" });
    const tool = (/** @type {string} */ text, /** @type {string} */ name, /** @type {() => void} */ act) =>
      h("button", { type: "button", class: "quiet", "aria-label": name, title: name, onclick: () => { act(); this.#moved(); } }, text);
    this.tools = h("div", { class: "lanes-tools", role: "group", "aria-label": "Zoom" },
      tool("⇤", "To the log start", () => this.#viewport.toStart()),
      tool("⇥", "To the log end", () => this.#viewport.toEnd()),
      tool("−", "Zoom out", () => this.#viewport.zoom(1 / 1.6)),
      tool("+", "Zoom in", () => this.#viewport.zoom(1.6)),
      tool("All", "Show the whole topic", () => this.#viewport.fit()));
    this.legend = new Legend();
    this.stage = h("div", { class: "lanes-stage", hidden: true },
      this.title, keys, this.scroller, this.strip, h("div", { class: "lanes-foot" }, this.legend.element, this.tools), this.tip.element);
    root.replaceChildren(this.first, this.stage);

    this.overview = new Overview(this.strip, this.#viewport);
    this.overview.addEventListener("move", () => this.#moved());
    this.lists = new LaneLists(this.listRoot);
    this.lists.addEventListener("move", (event) => this.#reveal(/** @type {CustomEvent<Place>} */ (event).detail));
    this.lists.addEventListener("select", (event) => this.#select(/** @type {CustomEvent<Place>} */ (event).detail));
    this.lists.addEventListener("blur", () => { this.#showTip(null); this.#redraw(); });
    const gestures = new Gestures(this.scroller, this.#viewport, () => this.#layout);
    gestures.addEventListener("moved", () => this.#moved());
    gestures.addEventListener("hover", (event) => this.#pointAt(/** @type {CustomEvent} */ (event).detail));
    gestures.addEventListener("pick", (event) => this.#pick(/** @type {CustomEvent} */ (event).detail));
    this.scroller.addEventListener("scroll", () => {
      this.#layout.scroll = this.scroller.scrollTop;
      this.#showTip(null);
      this.#moved();
    });
    this.scroller.addEventListener("keydown", (event) => this.#zoomKey(event));
    new ResizeObserver(() => this.#measure()).observe(this.scroller);
    for (const what of ["(prefers-color-scheme: dark)", "(forced-colors: active)", "(prefers-contrast: more)"]) {
      matchMedia(what).addEventListener("change", () => this.retheme());
    }
    // A change of zoom or of screen changes the ratio without a resize.
    const watchRatio = () => matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change", () => { this.#measure(); watchRatio(); }, { once: true });
    watchRatio();
  }

  /** @param {PageState} state */
  update(state) {
    const { topic, view, selection } = state;
    this.#state = state;
    this.first.hidden = view.topics.length > 0;
    this.stage.hidden = view.topics.length === 0;
    if (!topic) {
      this.#topicId = "";
      return;
    }
    if (this.#sight) this.#sight.update(state.engine, topic);
    else this.#sight = new Sight(state.engine, topic);
    const other = topic.topicId !== this.#topicId;
    if (other) this.#enter(topic.topicId);
    this.#arrivals.update(topic.partitions, other || view.job !== null);
    this.#flags.clear();
    for (const group of view.groups) {
      for (const row of group.partitions) {
        if (row.topic !== topic.name) continue;
        const flags = this.#flags.get(row.partition) ?? [];
        flags.push({ group: group.id, committed: row.committedOffset, position: row.position, lag: row.lag });
        this.#flags.set(row.partition, flags);
      }
    }
    const here = selection?.topic === topic.name ? selection : null;
    const found = here && state.engine.recordFrom(topic.name, here.partition, here.offset);
    const asked = state.highlight ? state.highlight.tag & KEY_BITS : null;
    this.#match = asked ?? (found && found.offset === here.offset && kindOf(found.tag) !== "none" ? found.tag & KEY_BITS : null);
    this.title.textContent = `Lanes of ${topic.name}`;
    this.#measure();
    this.#refresh(view.job !== null);
  }

  /** The theme has changed. */
  retheme() {
    this.#inks = null;
    this.#raster = null;
    this.#redraw();
  }

  /** Puts the keyboard into the lanes. */
  focus() {
    const stop = this.listRoot.querySelector('[tabindex="0"]');
    if (stop instanceof HTMLElement) stop.focus({ preventScroll: true });
  }

  /** @param {string} topicId another topic is shown */
  #enter(topicId) {
    this.#topicId = topicId;
    this.#viewport.whole = true;
    this.#hover = null;
    this.#showTip(null);
    this.scroller.scrollTop = 0;
    this.#layout.scroll = 0;
  }

  /**
   * What is dear to make, not on every step of a job.
   * @param {boolean} job
   */
  #refresh(job) {
    const now = performance.now();
    if (job && now - this.#refreshed < JOB_REFRESH_MS) return;
    this.#refreshed = now;
    this.#overviewVersion = this.#sight?.version ?? 0;
    this.#updateLists();
  }

  #updateLists() {
    const state = this.#state;
    if (!state?.topic) return;
    this.lists.update({
      engine: state.engine,
      topic: state.topic.name,
      partitions: state.topic.partitions,
      selection: state.selection?.topic === state.topic.name ? state.selection : null,
      inSight: lanesInSight(this.#layout, state.topic.partitions.length),
      page: this.#viewport.width * this.#viewport.perPixel,
      box: (place) => this.#box(place),
    });
  }

  /** @param {Place} place */
  #box(place) {
    const index = this.#state?.topic?.partitions.findIndex((p) => p.partition === place.partition) ?? 0;
    const x = Math.min(Math.max(this.#viewport.x(place.offset), -20), this.#viewport.width + 20);
    return { x: this.#layout.gutter + x, y: laneTop(this.#layout, index) + this.#layout.rail, width: Math.min(this.#viewport.cell, 200), height: this.#layout.band };
  }

  /** Sizes, after the element, the screen or the partitions have changed. */
  #measure() {
    const topic = this.#state?.topic;
    if (!topic || this.stage.hidden) return;
    const layout = this.#layout;
    if (layout.width !== this.scroller.clientWidth) this.#showTip(null);
    layout.width = this.scroller.clientWidth;
    layout.height = this.scroller.clientHeight;
    layout.ratio = devicePixelRatio || 1;
    const em = (parseFloat(getComputedStyle(document.documentElement).fontSize) || 16) / 16;
    layout.gutter = em * (layout.width < WIDE * em ? GUTTER.narrow : GUTTER.wide);
    layout.ruler = RULER * em;
    const lanes = topic.partitions.length;
    layout.row = Math.round(Math.min(ROW.most * em, Math.max(ROW.least, (layout.height - layout.ruler - 4) / Math.max(1, lanes))));
    const roomy = layout.row >= ROOMY * em;
    layout.rail = roomy ? RAIL * em : 4;
    layout.band = Math.min(BAND * em, layout.row - layout.rail - (roomy ? 7 : 4));
    this.spacer.style.height = `${Math.max(layout.height, layout.ruler + lanes * layout.row + 4)}px`;
    layout.scroll = this.scroller.scrollTop;
    let first = null;
    let last = 0n;
    for (const p of topic.partitions) {
      if (p.logEndOffset > p.logStartOffset && (first === null || p.logStartOffset < first)) first = p.logStartOffset;
      if (p.logEndOffset > last) last = p.logEndOffset;
    }
    first ??= last;
    // Near its beginning the axis starts at 0, so that deleted records leave their room.
    if (Number(first) < Number(last) / 2) first = 0n;
    this.#viewport.resize(first, last, layout.width - layout.gutter);
    this.#redraw();
  }

  #moved() {
    this.#redraw();
    if (!this.lists.focused) this.#later();
    else this.#updateLists();
  }

  #timer = 0;
  #later() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => unlessGone(() => this.#updateLists()), 120);
  }

  #redraw() {
    this.#frame ||= requestAnimationFrame((now) => {
      this.#frame = 0;
      unlessGone(() => this.#draw(now));
    });
  }

  /** @param {number} now */
  #draw(now) {
    const state = this.#state;
    const topic = state?.topic;
    const sight = this.#sight;
    if (!state || !topic || !sight || this.stage.hidden || state.engine.broken) return;
    const layout = this.#layout;
    const theme = currentTheme();
    this.#inks ??= resolveInks(this.root);
    this.#raster ??= new Raster(theme, this.#inks.edge, this.#inks.paper2);
    fitCanvas(this.canvas, layout.width, layout.height, layout.ratio);
    this.canvas.style.width = `${layout.width}px`;
    this.canvas.style.height = `${layout.height}px`;
    const context = this.canvas.getContext("2d");
    if (!context) return;
    const tags = (/** @type {number} */ p, /** @type {bigint} */ from, /** @type {number} */ per, /** @type {number} */ width) =>
      state.engine.laneTags(topic.name, p, from, per, width, this.#match);
    const selection = state.selection?.topic === topic.name ? state.selection : null;
    const scene = {
      layout, theme, viewport: this.#viewport, inks: this.#inks, raster: this.#raster, partitions: topic.partitions, tags,
      match: this.#match,
      path: sight.path(this.#viewport, this.#match, tags),
      standings: new Set(),
      flags: (/** @type {number} */ p) => this.#flags.get(p) ?? [],
      records: (/** @type {number} */ p, /** @type {bigint} */ from, /** @type {bigint} */ to) => sight.records(p, from, to),
      transactions: (/** @type {number} */ p, /** @type {bigint} */ from, /** @type {bigint} */ to) => sight.transactions(p, from, to),
      fates: (/** @type {number} */ p, /** @type {bigint} */ from, /** @type {bigint} */ to, /** @type {bigint} */ apart) => sight.fates(p, from, to, apart),
      arrival: (/** @type {number} */ p) => this.#arrivals.of(p, this.#viewport, now),
      selected: selection,
      cursor: this.lists.focused ? this.lists.cursor : null,
      hover: this.#hover,
    };
    drawLanes(context, scene);
    this.legend.show(scene.path.length > 0, scene.standings);
    this.overview.draw({
      partitions: topic.partitions, tags, theme, inks: this.#inks, match: this.#match, version: this.#overviewVersion,
      width: this.strip.clientWidth, height: this.strip.clientHeight, gutter: layout.gutter, ratio: layout.ratio,
    });
    if (this.#arrivals.areSeen(now)) this.#redraw();
  }

  /**
   * The record below a point, or null.
   * @param {{ x: number, y: number }} point on the canvas
   * @returns {(Place & { record: RecordSummary }) | null}
   */
  #hit({ x, y }) {
    const topic = this.#state?.topic;
    const layout = this.#layout;
    if (!topic || x < layout.gutter || y < layout.ruler) return null;
    const index = Math.floor((y - layout.ruler + layout.scroll) / layout.row);
    const partition = topic.partitions[index];
    if (!partition) return null;
    const from = this.#viewport.at(x - layout.gutter);
    const to = this.#viewport.at(x - layout.gutter + 1);
    const at = from < partition.logStartOffset ? partition.logStartOffset : from;
    const record = this.#state?.engine.recordFrom(topic.name, partition.partition, at);
    if (!record || record.offset > (to > from ? to : from)) return null;
    return { partition: partition.partition, offset: record.offset, record };
  }

  /** @param {{ x: number, y: number } | null} point */
  #pointAt(point) {
    const hit = point && this.#hit(point);
    const same = hit ? this.#hover?.partition === hit.partition && this.#hover.offset === hit.offset : this.#hover === null;
    this.#hover = hit ? { partition: hit.partition, offset: hit.offset } : null;
    this.canvas.classList.toggle("over-record", hit !== null);
    this.#showTip(hit);
    if (!same) this.#redraw();
  }

  /** @param {{ x: number, y: number }} point */
  #pick(point) {
    const hit = this.#hit(point);
    if (!hit) {
      this.dispatchEvent(new CustomEvent("select", { detail: null }));
      return;
    }
    this.lists.place({ partition: hit.partition, offset: hit.offset });
    this.#select(hit);
  }

  /** @param {Place} place */
  #select({ partition, offset }) {
    const topic = this.#state?.topic?.name;
    if (topic !== undefined) this.dispatchEvent(new CustomEvent("select", { detail: { topic, partition, offset } }));
  }

  /** Brings a place into sight and says what is there. @param {Place} place */
  #reveal(place) {
    this.show(place);
    const topic = this.#state?.topic;
    const record = topic && this.#state?.engine.recordFrom(topic.name, place.partition, place.offset);
    this.#showTip(record && record.offset === place.offset && this.lists.focused ? { ...place, record } : null);
  }

  /** @param {Place} place */
  show(place) {
    const layout = this.#layout;
    const index = this.#state?.topic?.partitions.findIndex((p) => p.partition === place.partition) ?? -1;
    if (index < 0) return;
    const top = index * layout.row;
    const room = layout.height - layout.ruler;
    if (top < layout.scroll) this.scroller.scrollTop = top;
    else if (top + layout.row > layout.scroll + room) this.scroller.scrollTop = top + layout.row - room;
    layout.scroll = this.scroller.scrollTop;
    this.#viewport.show(place.offset);
    if (!this.lists.focused) this.lists.place({ partition: place.partition, offset: place.offset });
    this.#moved();
  }

  /** @param {(Place & { record: RecordSummary }) | null} hit */
  #showTip(hit) {
    if (!hit) {
      this.tip.hide();
      return;
    }
    const box = this.#box(hit);
    this.tip.show(hit, { ...box, y: this.scroller.offsetTop + box.y }, this.stage.clientWidth);
  }

  /** @param {KeyboardEvent} event */
  #zoomKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const cursor = this.lists.focused ? this.lists.cursor : null;
    const about = cursor ? Math.min(Math.max(0, this.#viewport.x(cursor.offset)), this.#viewport.width) : undefined;
    if (event.key === "+" || event.key === "=") this.#viewport.zoom(1.6, about);
    else if (event.key === "-" || event.key === "_") this.#viewport.zoom(1 / 1.6, about);
    else if (event.key === "0") this.#viewport.fit();
    else if (event.key === "Escape" && this.#state?.selection) this.dispatchEvent(new CustomEvent("select", { detail: null }));
    else return;
    event.preventDefault();
    this.#showTip(null);
    this.#moved();
  }
}
