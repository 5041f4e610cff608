/** @file The theme's colours as the canvas needs them. */

import { h } from "../dom.js";

/** @import { Inks } from "./scene.js" */

/**
 * @param {HTMLElement} root whose colours they are
 * @returns {Inks}
 */
export function resolveInks(root) {
  const probe = h("span", { class: "probe", hidden: true });
  root.append(probe);
  const ink = (/** @type {string} */ name) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const style = getComputedStyle(document.documentElement);
  const inks = {
    paper: ink("paper"), paper2: ink("paper-2"), line: ink("line"), edge: ink("edge"), ink: ink("ink"),
    ink2: ink("ink-2"), accent: ink("accent"), focus: ink("focus"),
    text: style.getPropertyValue("--text"), mono: style.getPropertyValue("--mono"), size: parseFloat(style.fontSize) || 16,
  };
  probe.remove();
  return inks;
}
