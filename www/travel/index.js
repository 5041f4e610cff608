/**
 * @file Going through histories: one's own and those that are looked at. It knows the controller by a
 * few callbacks, so that the controller stays thin.
 */

/** @import { ClusterView, Finding } from "../../src/wasm/types.d.ts" */
/** @import { Link } from "../links/link.js" */
/** @import { Selection } from "../types.d.ts" */
/** @import { Dialogs } from "./dialogs.js" */
/** @import { VisitKind } from "./visit.js" */

import { byId } from "../dom.js";
import { Engine } from "../engine.js";
import { Lessons } from "../learn/lessons.js";
import { LinkError, readLink } from "../links/link.js";
import { confirmed } from "../panels/parts/confirm.js";
import { plural } from "../panels/parts/numbers.js";
import { isRefusal } from "../questions.js";
import { Playback } from "./playback.js";
import { TimeBar } from "./time-bar.js";
import { UndoButtons } from "./undo.js";
import { VisitBar } from "./visit-bar.js";
import { MAX_UNASKED_RECORDS, recordsOf, Visit } from "./visit.js";
import { part, StartError } from "../wasm-module.js";

/** Time alone may make a check hold; so often it is asked again. */
const CHECK_CLOCK_MS = 5_000;

/**
 * What it needs of the page.
 * @typedef {object} Host
 * @property {() => Engine} engine the one that is shown
 * @property {(engine: Engine) => void} show another engine in its place
 * @property {(engine: Engine) => Promise<void>} keep that engine in place of what is saved
 * @property {() => boolean} barred whether no act can be taken; then that has been said
 * @property {() => { panel: string, panelName: string, selection: Selection | null }} place what is looked at
 * @property {(link: Link) => void} goTo shows a panel, a record
 * @property {(text: string) => void} notice
 */

export class Travel {
  playback = new Playback(() => this.#stepForward());
  lessons = new Lessons();
  #host;
  #time = new TimeBar(byId("time"), this.playback);
  #undo = new UndoButtons(byId("undo"));
  #bar = new VisitBar(byId("visit"));
  /** @type {Dialogs | null} */
  #dialogs = null;
  /** What the visitor has, while something else is looked at. @type {Engine | null} */
  #mine = null;
  /** @type {Visit | null} */
  #visit = null;
  /** @type {{ visit: Visit, asked: string, findings: Finding[] } | null} */
  #checked = null;
  /** The fragment that was taken last. */
  #fragment = "";

  /** @param {Host} host */
  constructor(host) {
    this.#host = host;
    this.#time.addEventListener("travel", (event) => this.go(/** @type {CustomEvent<number>} */ (event).detail));
    for (const act of /** @type {const} */ (["undo", "redo"])) {
      this.#undo.addEventListener(act, () => {
        const engine = this.#host.engine();
        const position = engine.broken === null ? engine.view().history[act] : null;
        if (position !== null) this.go(position);
      });
    }
    this.#bar.addEventListener("keep", () => void this.#keep());
    this.#bar.addEventListener("back", () => this.#back());
    this.#bar.addEventListener("dismiss", () => {
      this.#bar.hide();
      this.#clearFragment();
    });
    const share = byId("share");
    share.hidden = false;
    share.addEventListener("click", () => void this.share());
    addEventListener("hashchange", () => void this.openLink());
  }

  /** Fetches the dialogs, once. @returns {Promise<Dialogs>} rejects where they cannot be had */
  async ready() {
    const { makeDialogs } = await import("./dialogs.js");
    if (this.#dialogs) return this.#dialogs;
    const dialogs = (this.#dialogs = makeDialogs());
    dialogs.text.addEventListener("run", (event) => void this.#run(dialogs, /** @type {CustomEvent<string>} */ (event).detail));
    return dialogs;
  }

  /** Does what needs the dialogs and the whole engine; says so where that cannot be. @param {(dialogs: Dialogs) => void | Promise<void>} work */
  async #withDialogs(work) {
    try {
      const [dialogs] = await Promise.all([this.ready(), part("rest")]);
      await work(dialogs);
    } catch (error) {
      const { message, hint = "" } = /** @type {StartError} */ (error);
      if (!isRefusal(error) && !(error instanceof StartError) && !(error instanceof TypeError)) throw error;
      this.#host.notice(`${message} ${hint}`);
    }
  }

  /** Whether what is shown is not the visitor's own: then nothing of it is saved. */
  get visiting() {
    return this.#visit !== null;
  }

  /** What is looked at. */
  get visit() {
    return this.#visit;
  }

  /**
   * What the checks of the lesson find that is looked at. They look at all that was read, so they are
   * asked only when something was done.
   * @param {ClusterView} view
   * @returns {Finding[]}
   */
  #check({ now, history: { position, length, asides } }) {
    const visit = this.#visit;
    if (visit?.kind !== "lesson") return [];
    const clock = position < length ? 0 : Math.floor(now / CHECK_CLOCK_MS);
    const asked = [position, length, asides.length, clock].join();
    if (this.#checked?.visit !== visit || this.#checked.asked !== asked) {
      this.#checked = { visit, asked, findings: this.#host.engine().check(visit.text) };
    }
    return this.#checked.findings;
  }

  /** The visitor's own engine was made anew. @param {Engine} engine @returns {boolean} whether it stays unseen for now */
  renewed(engine) {
    if (!this.#mine) return false;
    this.#mine = engine;
    return true;
  }

  /** @param {ClusterView} view @returns {{ visit: Visit | null, findings: Finding[] }} */
  update(view) {
    const { history } = view;
    const visit = this.#visit;
    const findings = this.#check(view);
    if (visit?.kind === "lesson") this.#bar.judge(findings);
    const notes = visit?.notesAt(history.position) ?? history.notes;
    this.#time.update(history, notes, (visit !== null && history.length > 0) || notes.length > 0);
    this.#undo.update(history);
    return { visit, findings };
  }

  /** @param {number} position @param {boolean} [byPlayback] */
  go(position, byPlayback = false) {
    if (!byPlayback) this.playback.pause();
    const engine = this.#host.engine();
    if (!engine.busy || this.#host.barred() === false) engine.travel(position);
  }

  #stepForward() {
    const engine = this.#host.engine();
    if (engine.busy || engine.broken) return false;
    const { position, length } = engine.view().history;
    return position < length && engine.travel(position + 1);
  }

  /** Opens a text to be changed and run: of a file, or the history. @param {{ text: string, name: string }} [scenario] */
  edit(scenario) {
    return this.#withDialogs(({ text }) => (scenario ? text.open(scenario.text, scenario.name) : text.open(this.#script())));
  }

  /** Shows the history as commands of Kafka's own tools. */
  commands() {
    return this.#withDialogs(({ commands }) => commands.open(this.#script()));
  }

  share() {
    return this.#withDialogs(({ share }) => {
      const { history } = this.#host.engine().view();
      const { panel, panelName, selection } = this.#host.place();
      share.open(() => this.#script(), { step: history.position, length: history.length, panel, panelName, record: selection ?? undefined, lesson: this.#lessonAsItIs() });
    });
  }

  /** What is here as a text: the author's own, as long as it is what is here. */
  #script() {
    const engine = this.#host.engine();
    const { history } = engine.view();
    const visit = this.#visit;
    return visit && !visit.stopped && history.length === visit.length && history.asides.length === 0 ? visit.text : engine.historyText();
  }

  /** The link to a lesson is its name. @returns {string | undefined} */
  #lessonAsItIs() {
    const visit = this.#visit;
    const { length, asides } = this.#host.engine().view().history;
    return visit?.id && length === visit.length && asides.length === 0 ? visit.id : undefined;
  }

  /** @param {Dialogs} dialogs @param {string} text */
  async #run(dialogs, text) {
    if (await this.look("text", text)) dialogs.text.close();
  }

  /**
   * Looks at a scenario; what the visitor has stays beside it.
   * @param {VisitKind} kind
   * @param {string} text
   * @param {Link} [link] where in it
   * @param {string | null} [lesson] its id
   * @returns {Promise<boolean>} whether it was carried out
   */
  async look(kind, text, link = {}, lesson = null) {
    const view = await Engine.read(text);
    const problem = view.problems[0];
    if (problem) {
      this.#bar.refuse(`The scenario cannot be read: line ${problem.line}, column ${problem.column}: ${problem.message} Nothing of it was done.`, problem.hint || "Ask its author for a whole one.");
      return false;
    }
    const records = recordsOf(view);
    if (kind !== "text" && records > MAX_UNASKED_RECORDS) {
      const text = [`It makes ${plural(records, "record")}, which takes a while and much memory.`];
      if (!(await confirmed({ title: "Carry out this scenario?", text, act: "Carry it out" }))) return false;
    }
    const visit = new Visit(kind, text, view);
    visit.id = lesson;
    const engine = await Engine.play(visit);
    this.playback.pause();
    this.#mine ??= this.#host.engine();
    this.#visit = visit;
    this.#host.show(engine);
    this.#bar.show(visit, !isEmpty(this.#mine));
    byId("storage").hidden = true;
    if (link.step !== undefined) engine.travel(Math.min(link.step, engine.view().history.length));
    this.#host.goTo(link);
    return true;
  }

  /** Opens a lesson, anew if it is open. @param {string | null} id none: the first @param {Link} [link] where in it */
  async openLesson(id, link = {}) {
    try {
      const list = await this.lessons.list();
      const lesson = id === null ? list[0] : list.find((one) => one.id === id);
      if (!lesson) throw new LinkError(`There is no lesson “${id}” here.`, "Choose one in the Lessons panel.");
      const text = await this.lessons.text(lesson);
      const fragment = `#lesson=${encodeURIComponent(lesson.id)}`;
      if (!(await this.look("lesson", text, { panel: "lessons", ...link }, lesson.id))) return;
      if (link.lesson === undefined) {
        history.replaceState(history.state, "", `${location.pathname}${location.search}${fragment}`);
        this.#fragment = fragment;
      }
    } catch (error) {
      if (error instanceof LinkError || error instanceof StartError) this.#bar.refuse(error.message, error.hint);
      else this.#bar.refuse(error instanceof Error ? error.message : String(error), "Try again once the connection is back.");
    }
  }

  /** Opens what the page's address asks for. */
  async openLink() {
    const fragment = location.hash;
    if (fragment === this.#fragment) return;
    try {
      const link = await readLink(fragment);
      if (!link) return;
      this.#fragment = fragment;
      if (link.scenario !== undefined) await this.look("link", link.scenario, link);
      else if (link.lesson !== undefined) await this.openLesson(link.lesson, link);
      else {
        if (link.step !== undefined) this.go(link.step);
        this.#host.goTo(link);
      }
    } catch (error) {
      if (error instanceof LinkError || error instanceof StartError) this.#bar.refuse(error.message, error.hint);
      else if (isRefusal(error)) this.#bar.refuse(error.message, error.hint);
      else throw error;
    }
  }

  async #keep() {
    const mine = this.#mine;
    if (!mine || this.#host.barred()) return;
    if (!isEmpty(mine)) {
      const { topics, groups, records } = mine.view();
      const text = [
        `It takes the place of what you have: ${[plural(topics.length, "topic"), ...(groups.length > 0 ? [plural(groups.length, "group")] : []), plural(records, "record")].join(", ")}.`,
        "To keep both, go back first and export yours to a file.",
      ];
      if (!(await confirmed({ title: "Keep this instead of yours?", text, act: "Keep it", danger: true }))) return;
    }
    const engine = this.#host.engine();
    this.#leave();
    await this.#host.keep(engine);
  }

  #back() {
    const mine = this.#mine;
    this.#leave();
    if (mine) this.#host.show(mine);
  }

  #leave() {
    this.playback.pause();
    this.#mine = null;
    this.#visit = null;
    this.#bar.hide();
    byId("storage").hidden = false;
    this.#clearFragment();
  }

  #clearFragment() {
    this.#fragment = "";
    if (location.hash) history.replaceState(history.state, "", `${location.pathname}${location.search}`);
  }
}

/** @param {Engine} engine */
function isEmpty(engine) {
  return engine.broken !== null || engine.view().history.length === 0;
}
