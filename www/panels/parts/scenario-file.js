/** @file Telling a scenario from a file of records. */

import { toText } from "../../bytes.js";
import { Engine } from "../../engine.js";

/** Names that say what is in the file. */
const NAMED = /\.(lanes|scenario)$/i;
/** A larger text is none that somebody wrote; the core takes no more, either. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * The text of a file that is a scenario: by its name, or because all of its lines can be read as one and
 * some of them do something. Null for any other file.
 * @param {File} file
 * @param {Uint8Array} head its beginning
 * @returns {Promise<string | null>}
 */
export async function scenarioOf(file, head) {
  if (file.size > MOST_BYTES) return null;
  const isNamed = NAMED.test(file.name);
  if (!isNamed && !looksLikeOne(head)) return null;
  const text = toText(new Uint8Array(await file.arrayBuffer()));
  if (text === null || isNamed) return text;
  const view = await Engine.read(text);
  return view.problems.length === 0 && view.acts > 0 ? text : null;
}

/** Whether the first line that says something begins as an act or a setting does: a word in small letters. @param {Uint8Array} head */
function looksLikeOne(head) {
  const line = new TextDecoder().decode(head.subarray(0, 4096)).split(/\r?\n/).find((one) => one.trim() !== "" && !one.startsWith("#"));
  return line !== undefined && /^[a-z-]+ /.test(line);
}
