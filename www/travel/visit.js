/**
 * @file A scenario that is looked at without touching what the visitor has: from a link, a lesson, a
 * file or an edited text. It is carried out act by act, the page having its turn in between.
 */

/** @import { Finding, ScenarioStep, ScenarioView } from "../../src/wasm/types.d.ts" */
/** @import { Engine } from "../engine.js" */

/** The longest time the page waits. */
const SLICE_MS = 12;
/** A scenario that makes more records than this is asked about first, unless the visitor wrote it. */
export const MAX_UNASKED_RECORDS = 1_000_000;

/** @typedef {"link" | "lesson" | "file" | "text"} VisitKind */

/** What is known of a scenario that was carried out. */
export class Visit {
  /** By position: what the author says there. @type {Map<number, string[]>} */
  notes = new Map();
  /** What `expect` lines found. @type {Finding[]} */
  findings = [];
  /** By position: the line of the act that led there. @type {number[]} */
  lines = [0];
  /** Why it ended early, or empty. */
  stopped = "";
  /** A lesson's id. @type {string | null} */
  id = null;

  /**
   * @param {VisitKind} kind
   * @param {string} text
   * @param {ScenarioView} view
   */
  constructor(kind, text, view) {
    this.kind = kind;
    this.text = text;
    this.view = view;
  }

  get title() {
    return this.view.title ?? "";
  }

  /** What the reader is to do. */
  get tasks() {
    return this.view.lines.filter(({ kind, solution }) => kind === "task" && !solution).map(({ text }) => text);
  }

  /** How many steps it has. */
  get length() {
    return this.lines.length - 1;
  }

  /** @param {ScenarioStep} step */
  add(step) {
    if (step.act > 0 && !step.refusal) this.lines.push(step.line);
    const notes = this.notes.get(this.length) ?? [];
    if (step.refusal) notes.push(`${step.text}: refused with ${step.refusal.name}, as expected.`);
    notes.push(...step.notes.map((note) => note.text));
    if (notes.length > 0) this.notes.set(this.length, notes);
    this.findings.push(...step.findings);
  }

  /**
   * What is said at a step. What stands before the first act is said at the beginning.
   * @param {number} position
   */
  notesAt(position) {
    return this.notes.get(position) ?? [];
  }
}

/** How many records the acts of a scenario would make, as their lines say. @param {ScenarioView} view */
export function recordsOf({ lines }) {
  let records = 0;
  for (const { kind, text } of lines) {
    const found = kind === "act" ? /^produce .*\bcount=(\d+)/.exec(text) : null;
    if (found) records += Number(found[1]);
  }
  return records;
}

/**
 * A player of www/pkg/loglanes.js.
 * @template I
 * @typedef {object} Player
 * @property {() => ScenarioStep | null} step
 * @property {number} now
 * @property {() => I} take
 * @property {() => void} free
 */

/**
 * Carries it out.
 * @template I
 * @param {Player<I>} player
 * @param {Visit} visit what is found goes there
 * @returns {Promise<{ wasm: I, now: number }>}
 */
export async function perform(player, visit) {
  let began = performance.now();
  try {
    for (let step = player.step(); step; step = player.step()) {
      visit.add(step);
      if (performance.now() - began < SLICE_MS) continue;
      await new Promise((resolve) => setTimeout(resolve));
      began = performance.now();
    }
  } catch (error) {
    if (!(error instanceof Error) || !("refusal" in error)) throw error;
    visit.stopped = `${error.message} ${"hint" in error ? error.hint : ""}`.trim();
  }
  const { now } = player;
  return { wasm: player.take(), now };
}
