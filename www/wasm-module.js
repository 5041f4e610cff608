/**
 * @file Loading www/pkg: the script, the WebAssembly module, and what keeps either from starting, said so
 * that somebody can do something about it.
 *
 * The engine comes in three parts that share one memory: what the empty first screen needs; all acts, and
 * what lanes and records are drawn from; the rest, which is files, scenarios, what is saved, and the questions
 * of other panels. They are fetched one after the other, whoever waits for them. xtask/src/split says what
 * is in which.
 */

/**
 * @import { Bytes, Changes, ClusterView, Command, ConfigView, ConsumerCall, ExportProgress, ExportSpec, Finding, GenerateCommand,
 *   HistoryEntry, ImportSpec, Inspection, JobProgress, KeyStats, LogPlan, Outcome, PartitionerInfo, Placement, Preview,
 *   Printed, RecordDetail, RecordDraft, RecordSummary, ResetPreview, ResetRequest, Said, ScenarioCommands, ScenarioView, SplitKey,
 *   ToolRequest, TransactionSpan, WhatIf } from "../src/wasm/types.d.ts"
 */

/** @import { Player } from "./travel/visit.js" */

/**
 * @typedef {object} Instance the class `Loglanes` of www/pkg/loglanes.js
 * @property {(command: Command, now: number) => Outcome} apply
 * @property {(position: number) => void} travel
 * @property {(aside: number) => void} takeUp
 * @property {(aside: number) => void} forgetAside
 * @property {(shows: number, now: number) => void} setClock
 * @property {() => string} historyText
 * @property {(text: string, now: number) => Finding[]} check
 * @property {(now: number) => boolean} tick
 * @property {(now: number) => ClusterView} view
 * @property {() => PartitionerInfo[]} partitioners
 * @property {(draft: RecordDraft, now: number) => Placement} placement
 * @property {(key: Bytes | null) => number} keyTag
 * @property {(topic: string, partition: number, from: bigint, perPixel: number, width: number, key?: number) => Uint32Array} laneTags
 * @property {(topic: string, partition: number, from: bigint, limit: number) => RecordSummary[]} records
 * @property {(topic: string, partition: number, from: bigint, to: bigint) => TransactionSpan[]} transactions
 * @property {(topic: string, partition: number, from: bigint, to: bigint, apart: bigint) => TransactionSpan[]} fates
 * @property {(topic: string, partition: number, offset: bigint) => RecordDetail | null} record
 * @property {(topic: string, limit: number) => KeyStats} keys
 * @property {(topic: string, total: number, limit: number) => WhatIf} whatIf
 * @property {(topic: string, limit: number) => { total: number, keys: SplitKey[] }} splitKeys
 * @property {(topic: string) => ConfigView[]} configs
 * @property {(request: ConsumerCall, now: number) => Said} ask
 * @property {(request: ResetRequest, now: number) => ResetPreview} resetPlan
 * @property {(request: ToolRequest) => Printed} toolText
 * @property {(from: number, limit: number) => HistoryEntry[]} history
 * @property {(head: Bytes) => Inspection} inspect
 * @property {() => number} room
 * @property {(paths: string[], sizes: Float64Array) => LogPlan} logPlan
 * @property {(topic: string | undefined, partition: number, names: string[], contents: Bytes[], now: number) => Outcome} copyLog
 * @property {(spec: ImportSpec, now: number, bytes?: number) => JobProgress} beginImport
 * @property {(command: GenerateCommand, now: number) => JobProgress} beginGenerate
 * @property {(bytes: Bytes) => JobProgress} feed
 * @property {() => JobProgress} end
 * @property {() => JobProgress | null} jobProgress
 * @property {(head: Bytes, whole: boolean, spec: ImportSpec, partitions?: number) => Preview} preview
 * @property {(spec: ExportSpec) => ExportProgress} beginExport
 * @property {(topics?: string[]) => Bytes} bundle
 * @property {() => Bytes | null} exportNext
 * @property {() => ExportProgress} exportProgress
 * @property {(records: number) => JobProgress} step
 * @property {() => Outcome} finish
 * @property {() => Outcome} cancel
 * @property {() => Changes | null} changes
 * @property {(token: number) => void} saved
 * @property {() => void} forgetSaved
 * @property {(index: number) => Bytes | null} exportChunk
 * @property {() => void} free
 */

/**
 * @typedef {object} Restorer
 * @property {(key: string, bytes: Bytes) => void} add
 * @property {(bytes: Bytes) => void} feedFile
 * @property {() => Instance} finish
 */

/** What kept the engine from starting, for a person who can do something about it. */
export class StartError extends Error {
  /**
   * @param {string} message
   * @param {string} hint the way out
   * @param {unknown} [cause]
   */
  constructor(message, hint, cause) {
    super(message, { cause });
    this.name = "StartError";
    this.hint = hint;
  }
}

/**
 * What the core last panicked with. To JavaScript a panic is "unreachable"; its message goes to the
 * console only, so it is heard there.
 * @type {string | null}
 */
let panicked = null;

/** The message of the panic after which the instance is of no more use; null: there was none. */
export const panic = () => panicked;

function hearPanics() {
  const { error } = console;
  console.error = (/** @type {unknown[]} */ ...said) => {
    const text = String(said[0]);
    if (text.startsWith("panicked at")) panicked ??= /** @type {string} */ (text.split("\n\nStack:")[0]).trim();
    error.apply(console, said);
  };
}

/**
 * @typedef {object} Module
 * @property {new (seed: bigint) => Instance} Loglanes
 * @property {new () => Restorer} Restorer
 * @property {new (text: string) => Player<Instance>} ScenarioPlayer
 * @property {(text: string) => ScenarioView} readScenario
 * @property {(text: string, solution?: boolean) => ScenarioCommands} scenarioCommands
 */

/** A part of the engine that follows the first. @typedef {"acts" | "rest"} Part */

/** @type {Promise<Module> | null} loaded once */
let loading = null;
/** The parts on their way, and those that are there. @type {Partial<Record<Part, Promise<void>>>} */
const coming = {};
/** What each part exports, which is what later ones import. @type {Record<string, WebAssembly.Exports>} */
const parts = {};

/** The module, loaded when it is first asked for. Calls that are in a later part wait for `part`. @returns {Promise<Module>} */
export function wasmModule() {
  return (loading ??= load());
}

/** Whether a part is there, and all before it. @param {Part} name */
export const has = (name) => name in parts;

/**
 * The module, once a part is there. Throws a StartError where that cannot be had; asked again, it tries again.
 * @param {Part} name
 * @returns {Promise<Module>}
 */
export async function part(name) {
  const module = await wasmModule();
  const begun = (coming[name] ??= loadPart(name));
  try {
    await begun;
  } catch (error) {
    if (coming[name] === begun) delete coming[name];
    throw error;
  }
  return module;
}

/** @returns {Promise<Module>} */
async function load() {
  if (typeof WebAssembly !== "object") {
    throw new StartError(
      "This browser has WebAssembly turned off.",
      "Loglanes needs it. Lockdown modes and some policies turn it off; allow it for this page, or use another browser.",
    );
  }
  try {
    // The smallest module there is: eight bytes. If this is refused, a policy refuses all.
    new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
  } catch (error) {
    throw new StartError(
      "A content security policy keeps WebAssembly from starting.",
      "Add 'wasm-unsafe-eval' to the script-src directive of the page that carries Loglanes, for example: " +
        "Content-Security-Policy: script-src 'self' 'wasm-unsafe-eval'. It allows WebAssembly and nothing else.",
      error,
    );
  }
  const fetched = fetchPart("first.wasm");
  // The script may fail first.
  fetched.catch(() => {});
  let module;
  try {
    // Built, not committed; so it is not there for the type checker.
    const address = new URL("./pkg/loglanes.js", import.meta.url).href;
    module = await import(address);
  } catch (error) {
    throw new StartError(
      "The engine's script www/pkg/loglanes.js could not be loaded.",
      "In a copy of the project run `cargo xtask build` first. On a server, put the folder www/pkg beside this page.",
      error,
    );
  }
  const response = await fetched;
  try {
    parts.first = await module.default({ module_or_path: response });
  } catch (error) {
    throw notStarted("first.wasm", error);
  }
  hearPanics();
  return module;
}

/** @param {Part} name */
async function loadPart(name) {
  const response = await fetchPart(`${name}.wasm`);
  if (name === "rest") await part("acts");
  try {
    const { instance } = await WebAssembly.instantiate(await response.arrayBuffer(), parts);
    parts[name] = instance.exports;
  } catch (error) {
    throw notStarted(`${name}.wasm`, error);
  }
}

/** @param {string} name */
async function fetchPart(name) {
  const priority = name === "rest.wasm" ? "low" : "auto";
  const response = await fetch(new URL(`./pkg/${name}`, import.meta.url), { priority }).catch((error) => {
    throw new StartError(`The engine www/pkg/${name} could not be fetched.`, "Reload once the connection is back.", error);
  });
  if (!response.ok) {
    throw new StartError(
      `The server answered ${response.status} for www/pkg/${name}.`,
      "The folder www/pkg is not complete there: run `cargo xtask build`, then copy it all.",
    );
  }
  return response;
}

/** @param {string} name @param {unknown} error */
function notStarted(name, error) {
  return new StartError(
    `The engine www/pkg/${name} could not be started.`,
    "The file may be cut short, or be older or newer than the others in www/pkg: build and copy them together.",
    error,
  );
}
