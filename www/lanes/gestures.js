/**
 * @file Wheel, drag, pinch and click over the lanes, as moves of the viewport. The wheel alone
 * scrolls lanes or page as anywhere; with Ctrl, or with two fingers, it zooms; sideways it pans. Once the lanes
 * have the focus and all of them are in sight, the wheel zooms by itself.
 */

/**
 * @import { Layout } from "./scene.js"
 * @import { Viewport } from "./viewport.js"
 */

/** How far a pointer may stray and still click, in CSS pixels. */
const STRAY = 4;

/** Emits `moved`, `hover` ({x, y} or null), `pick` ({x, y}). */
export class Gestures extends EventTarget {
  /** @type {Map<number, { x: number, y: number }>} */
  #pointers = new Map();
  #dragged = false;
  #began = { x: 0, y: 0 };

  /**
   * @param {HTMLElement} element
   * @param {Viewport} viewport
   * @param {() => Layout} layout
   */
  constructor(element, viewport, layout) {
    super();
    this.element = element;
    this.viewport = viewport;
    this.layout = layout;
    element.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    element.addEventListener("pointerdown", (event) => this.#down(event));
    element.addEventListener("pointermove", (event) => this.#move(event));
    element.addEventListener("pointerup", (event) => this.#up(event, true));
    element.addEventListener("pointercancel", (event) => this.#up(event, false));
    element.addEventListener("pointerleave", () => this.#say("hover", null));
  }

  /** @param {string} type @param {unknown} [detail] */
  #say(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  /** @param {MouseEvent} event */
  #point(event) {
    const box = this.element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : event.deltaMode === WheelEvent.DOM_DELTA_PAGE ? 400 : 1;
    const sideways = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
    const overflow = this.element.scrollHeight > this.element.clientHeight + 1;
    const alone = !overflow && this.element.contains(document.activeElement);
    if (event.ctrlKey || event.metaKey || (alone && !event.shiftKey && Math.abs(event.deltaY) > Math.abs(event.deltaX))) {
      event.preventDefault();
      const about = this.#point(event).x - this.layout().gutter;
      // A pinch on a touchpad comes as a wheel with Ctrl and small steps.
      const speed = event.ctrlKey && Math.abs(event.deltaY) < 50 ? 0.012 : 0.0024;
      this.viewport.zoom(Math.exp(-event.deltaY * unit * speed), Math.max(0, about));
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      this.viewport.pan(sideways * unit);
    } else return;
    this.#say("moved");
  }

  /** @param {PointerEvent} event */
  #down(event) {
    if (event.button !== 0) return;
    const point = this.#point(event);
    // The scroll bar is not ours.
    if (point.x > this.element.clientWidth) return;
    this.#pointers.set(event.pointerId, point);
    if (this.#pointers.size === 1) {
      this.#dragged = false;
      this.#began = point;
    } else this.#dragged = true;
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const point = this.#point(event);
    const last = this.#pointers.get(event.pointerId);
    if (!last) {
      if (event.pointerType !== "touch") this.#say("hover", point);
      return;
    }
    if (!this.#dragged && Math.hypot(point.x - this.#began.x, point.y - this.#began.y) < STRAY) return;
    if (!this.element.hasPointerCapture(event.pointerId)) this.element.setPointerCapture(event.pointerId);
    if (!this.#dragged) this.#say("hover", null);
    this.#dragged = true;
    const other = [...this.#pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const before = Math.max(20, Math.abs(last.x - other.x));
      const after = Math.max(20, Math.abs(point.x - other.x));
      this.viewport.zoom(after / before, (point.x + other.x) / 2 - this.layout().gutter);
      this.viewport.pan((last.x - point.x) / 2);
    } else {
      this.viewport.pan(last.x - point.x);
      if (event.pointerType === "mouse") this.element.scrollTop += last.y - point.y;
    }
    this.#pointers.set(event.pointerId, point);
    this.#say("moved");
  }

  /** @param {PointerEvent} event @param {boolean} real */
  #up(event, real) {
    if (!this.#pointers.delete(event.pointerId)) return;
    if (real && !this.#dragged && this.#pointers.size === 0) this.#say("pick", this.#point(event));
  }
}
