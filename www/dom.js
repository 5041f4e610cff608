/** @file Making elements. User text only ever becomes a text node. */

/**
 * An element with attributes, properties and children. Attribute values `false`, `null` and
 * `undefined` are left out, `true` is the empty attribute; `on…` functions become listeners.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, unknown> | null} [attributes]
 * @param {...(Node | string | number | bigint | null | undefined | false)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on") && typeof value === "function") {
      element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

/**
 * The element with that id; it must be there.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no element #${id}.`);
  return element;
}

const numbers = new Intl.NumberFormat("en");

/**
 * A count or an offset with digits in groups, exact for any bigint.
 * @param {number | bigint} value
 * @returns {string}
 */
export function count(value) {
  return numbers.format(value);
}

const UNITS = ["B", "KiB", "MiB", "GiB"];

/**
 * A size in bytes, in the largest unit that leaves at least one.
 * @param {number} bytes
 * @returns {string}
 */
export function size(bytes) {
  const unit = bytes < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** unit;
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}
