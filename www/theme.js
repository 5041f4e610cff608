/** @file Light or dark: the system's choice until the button chose. Kept where storage is allowed. */

import { currentTheme } from "./lanes/palette.js";

const KEEP = "loglanes.theme";

/**
 * @param {HTMLElement} button
 * @param {() => void} changed
 */
export function startTheme(button, changed) {
  const root = document.documentElement;
  const kept = read();
  if (kept === "light" || kept === "dark") root.dataset.theme = kept;
  const show = () => {
    const dark = currentTheme() === "dark";
    button.textContent = dark ? "☀" : "☾";
    button.setAttribute("aria-label", dark ? "Light colours" : "Dark colours");
    button.title = dark ? "Light colours" : "Dark colours";
  };
  button.addEventListener("click", () => {
    root.dataset.theme = currentTheme() === "dark" ? "light" : "dark";
    write(root.dataset.theme);
    show();
    changed();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
  show();
  button.hidden = false;
}

/** Just touching localStorage throws where storage is forbidden. */
function read() {
  try {
    return localStorage.getItem(KEEP);
  } catch {
    return null;
  }
}

/** @param {string} theme */
function write(theme) {
  try {
    localStorage.setItem(KEEP, theme);
  } catch {
    // It lasts as long as the page then.
  }
}
