/** @file Tabs as ARIA has them: one can be reached by Tab, arrows go to the others, Home and End to the ends. */

/** Emits `change` when another panel is shown. */
export class Tabs extends EventTarget {
  /** @param {HTMLElement} root the tablist; each tab names its panel by aria-controls */
  constructor(root) {
    super();
    this.tabs = /** @type {HTMLElement[]} */ ([...root.querySelectorAll("[role=tab]")]);
    root.addEventListener("click", (event) => {
      const tab = /** @type {Element} */ (event.target).closest("[role=tab]");
      if (tab) this.show(tab.getAttribute("aria-controls") ?? "");
    });
    root.addEventListener("keydown", (event) => {
      const at = this.tabs.indexOf(/** @type {HTMLElement} */ (event.target));
      const last = this.tabs.length - 1;
      const next = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at === 0 ? last : at - 1, Home: 0, End: last }[event.key];
      const tab = next === undefined ? undefined : this.tabs[next];
      if (at < 0 || !tab) return;
      event.preventDefault();
      this.show(tab.getAttribute("aria-controls") ?? "");
      tab.focus();
    });
  }

  /** The id of the panel that is shown. */
  get current() {
    return this.tabs.find((tab) => tab.getAttribute("aria-selected") === "true")?.getAttribute("aria-controls") ?? "";
  }

  /** What its tab says. */
  get name() {
    return this.tabs.find((tab) => tab.getAttribute("aria-selected") === "true")?.textContent ?? "";
  }

  /** @param {string} id of a panel */
  show(id) {
    if (id === this.current || !this.tabs.some((tab) => tab.getAttribute("aria-controls") === id)) return;
    for (const tab of this.tabs) {
      const panel = tab.getAttribute("aria-controls") ?? "";
      const chosen = panel === id;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      const element = document.getElementById(panel);
      if (element) element.hidden = !chosen;
      if (chosen) tab.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    this.dispatchEvent(new Event("change"));
  }
}
