/**
 * @file The history as commands of Kafka's own tools, for a real cluster: to read, to copy, to take
 * along; and what no tool does.
 */
import { count, h } from "../dom.js";
import { download } from "../download.js";
import { save } from "../links/save.js";
import { CopyButton } from "../panels/parts/copy.js";
import { button, uniqueId } from "../panels/parts/field.js";
import { setText } from "../panels/parts/keep.js";
import { plural } from "../panels/parts/numbers.js";

/** @import { NotCarried, ScenarioCommands } from "../../src/wasm/types.d.ts" */

/** So many letters of a script are shown; all of it is copied and saved. */
const SHOWN = 200_000;
/** So many reasons are listed; the rest stands in the script. */
const LISTED = 30;
/** So many lines are named for one reason; the rest is counted. */
const LINES_NAMED = 12;

export class CommandsDialog {
  #make;
  /** @type {ScenarioCommands | null} */
  #commands = null;
  #script = h("pre", { class: "mono commands-script", tabindex: 0, role: "region", "aria-label": "Script" });
  #cut = h("p", { class: "hint" });
  #lostTitle = h("h3", { class: "minor" });
  #lost = h("ul", { class: "plain-list commands-lost", tabindex: 0, role: "list", "aria-label": "Not carried over" });
  #files = h("p", { class: "hint" });
  #copy = new CopyButton("Copy the script", () => this.#commands?.script ?? "");
  #save = button("Save", () => this.#download(), { class: "primary" });
  element;

  /** @param {(text: string) => Promise<ScenarioCommands>} make */
  constructor(make) {
    this.#make = make;
    const title = uniqueId("commands");
    this.element = h("dialog", { "aria-labelledby": title, class: "form-dialog commands-dialog" },
      h("h2", { id: title }, "As Kafka commands"),
      h("p", { class: "hint" }, "A script of Kafka’s own tools that does the same on a real cluster: records go to the partitions that they have here, and each partition has to end where it ends here. Each act stands in it as a comment, with what does it there or why nothing does."),
      this.#lostTitle, this.#lost, this.#script, this.#cut, this.#files,
      h("div", { class: "acts" }, this.#save, this.#copy.button, button("Close", () => this.element.close())),
      this.#copy.answer);
  }

  /** @param {string} text a scenario; what is wrong with it is thrown */
  async open(text) {
    const commands = await this.#make(text);
    this.#commands = commands;
    const { script, files, notCarried } = commands;
    this.#script.textContent = script.slice(0, SHOWN);
    const isCut = script.length > SHOWN;
    this.#cut.hidden = !isCut;
    setText(this.#cut, isCut ? `The first ${count(SHOWN)} of ${count(script.length)} letters. Save or copy it to have all.` : "");
    const reasons = byReason(notCarried);
    setText(this.#lostTitle, reasons.length > 0 ? `Not carried over: ${plural(notCarried.length, "line")}` : "Every act is carried over.");
    this.#lost.hidden = reasons.length === 0;
    this.#lost.replaceChildren(...reasons.slice(0, LISTED).map(({ verb, why, lines }) => h("li", null,
      h("span", { class: "mono" }, verb), ` (${linesOf(lines)}): ${why}`)),
      ...(reasons.length > LISTED ? [h("li", { class: "hint" }, `and ${plural(reasons.length - LISTED, "more reason")}, in the script`)] : []));
    const data = files.length - 1;
    setText(this.#files, data > 0
      ? `With ${plural(data, "file")} of data beside it, in one zip. Unpack it and run: BOOTSTRAP=broker:9092 sh run.sh`
      : "Run it with: BOOTSTRAP=broker:9092 sh run.sh");
    setText(this.#save, data > 0 ? "Save as zip" : "Save run.sh");
    if (!this.element.isConnected) document.body.append(this.element);
    this.element.showModal();
    this.#script.scrollTop = 0;
    this.#save.focus();
  }

  #download() {
    if (!this.#commands) return;
    const { script, files, zip } = this.#commands;
    if (files.length > 1) download(new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (zip)], { type: "application/zip" }), "loglanes-commands.zip");
    else save(script, "run.sh");
  }
}

/** Each reason once, with its lines. @param {NotCarried[]} lost */
function byReason(lost) {
  /** @type {Map<string, { verb: string, why: string, lines: number[] }>} */
  const reasons = new Map();
  for (const { line, text, why } of lost) {
    const verb = text.split(" ")[0] ?? "";
    const key = `${verb} ${why}`;
    const known = reasons.get(key);
    if (known) known.lines.push(line);
    else reasons.set(key, { verb, why, lines: [line] });
  }
  return [...reasons.values()];
}

/** @param {number[]} lines */
function linesOf(lines) {
  const named = lines.slice(0, LINES_NAMED).map(count).join(", ");
  const more = lines.length > LINES_NAMED ? ` and ${count(lines.length - LINES_NAMED)} more` : "";
  return `${lines.length === 1 ? "line" : "lines"} ${named}${more}`;
}
