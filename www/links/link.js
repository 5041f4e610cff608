/**
 * @file What the fragment of the page's address says: a whole scenario, a step, a panel, a record.
 * docs/links.md has the form. A link is read whole or not at all.
 */

/** @import { Selection } from "../types.d.ts" */

/**
 * What a link asks for; a part that it does not name is left out.
 * @typedef {object} Link
 * @property {string} [scenario] the text of a scenario
 * @property {string} [lesson] the id of a lesson
 * @property {number} [step] a position in the history
 * @property {string} [panel] the id of a panel
 * @property {Selection} [record]
 */

/** The form of a packed scenario that this version writes; it reads all up to it, for ever. */
const LINK_VERSION = 1;
/** The longest link that is made: browsers and most servers of chats and wikis take that much. */
export const MAX_LINK_LENGTH = 32_000;
/** Some programs cut what is longer. */
export const LONG_LINK_LENGTH = 2_000;
/** The longest packed scenario that is read. */
const MAX_PACKED_LENGTH = 1_000_000;
/** The most bytes that a scenario from a link may have: a short link may claim to hold gigabytes. */
export const MAX_SCENARIO_BYTES = 1 << 20;

/** A link that is not taken, with the reason and the way out. */
export class LinkError extends Error {
  /** @param {string} message @param {string} hint */
  constructor(message, hint) {
    super(message);
    this.name = "LinkError";
    this.hint = hint;
  }
}

const WHOLE = /^(?:0|[1-9]\d{0,14})$/;
const NOTHING = "Nothing of it was loaded.";

/**
 * What a fragment asks for; null for one that asks for nothing, such as a place in the page.
 * @param {string} fragment with or without `#`
 * @returns {Promise<Link | null>} rejects with a LinkError
 */
export async function readLink(fragment) {
  const text = fragment.replace(/^#/, "");
  if (!text.includes("=")) return null;
  /** @type {Link} */
  const link = {};
  /** @type {Set<string>} */
  const seen = new Set();
  for (const part of text.split("&")) {
    const [name = "", value = ""] = splitOnce(part, "=");
    if (seen.has(name)) throw new LinkError(`The link says “${short(name)}” twice. ${NOTHING}`, "It may have been joined from two: ask for it again.");
    seen.add(name);
    if (name === "scenario") link.scenario = await unpack(value);
    else if (name === "lesson") link.lesson = decoded(value);
    else if (name === "panel") link.panel = decoded(value);
    else if (name === "step") link.step = wholeNumber("step", value);
    else if (name === "record") link.record = place(value);
    else throw new LinkError(`The link asks for “${short(name)}”, which this Loglanes does not know. ${NOTHING}`, "It may have been made by a newer version: reload the page, or open it where it was made.");
  }
  if (link.scenario !== undefined && link.lesson !== undefined) throw new LinkError(`The link names a scenario and a lesson. ${NOTHING}`, "It can have one of them.");
  return link;
}

/**
 * The fragment that asks for that, with its `#`; empty for nothing.
 * @param {Link} link
 * @returns {Promise<string>}
 */
export async function writeLink({ scenario, lesson, step, panel, record }) {
  const parts = [];
  if (scenario !== undefined) parts.push(`scenario=${await pack(scenario)}`);
  if (lesson !== undefined) parts.push(`lesson=${encodeURIComponent(lesson)}`);
  if (step !== undefined) parts.push(`step=${step}`);
  if (panel !== undefined) parts.push(`panel=${encodeURIComponent(panel)}`);
  if (record) parts.push(`record=${encodeURIComponent(record.topic)}/${record.partition}/${record.offset}`);
  return parts.length > 0 ? `#${parts.join("&")}` : "";
}

/** @param {string} text @param {string} sign */
function splitOnce(text, sign) {
  const at = text.indexOf(sign);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** @param {string} text */
function short(text) {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

/** @param {string} value */
function decoded(value) {
  try {
    return decodeURIComponent(value);
  } catch {
    throw damaged("a name in it cannot be read");
  }
}

/** @param {string} name @param {string} value */
function wholeNumber(name, value) {
  if (!WHOLE.test(value)) throw new LinkError(`The link’s ${name} “${short(value)}” is no whole number. ${NOTHING}`, "Ask for the link again.");
  return Number(value);
}

/** @param {string} value @returns {Selection} */
function place(value) {
  const [topic = "", partition = "", offset = "", more] = value.split("/");
  if (!topic || more !== undefined || !WHOLE.test(partition) || !/^(?:0|[1-9]\d{0,18})$/.test(offset)) {
    throw new LinkError(`The link’s record “${short(value)}” is no place in a topic. ${NOTHING}`, "It is written topic/partition/offset.");
  }
  return { topic: decoded(topic), partition: Number(partition), offset: BigInt(offset) };
}

/** @param {string} what */
function damaged(what) {
  return new LinkError(`The link is damaged: ${what}. ${NOTHING}`, "It may have been cut on the way: ask for it again, or for the scenario as a file.");
}

/**
 * `1.`, then in base64url the CRC-32 of the text (big-endian) and the text in UTF-8, deflated.
 * @param {string} text
 */
async function pack(text) {
  const bytes = new TextEncoder().encode(text);
  const deflated = await all(new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw")), Infinity);
  const packed = new Uint8Array(4 + deflated.length);
  new DataView(packed.buffer).setUint32(0, crc32(bytes));
  packed.set(deflated, 4);
  return `${LINK_VERSION}.${toBase64Url(packed)}`;
}

/** @param {string} value */
async function unpack(value) {
  const [version = "", packed = ""] = splitOnce(value, ".");
  if (!WHOLE.test(version) || version === "0") throw damaged("it does not say in which form the scenario is");
  if (Number(version) > LINK_VERSION) {
    throw new LinkError(`The scenario in the link is in form ${version}; this Loglanes reads up to ${LINK_VERSION}. ${NOTHING}`, "It was made by a newer version: reload the page, or open it where it was made.");
  }
  if (packed.length > MAX_PACKED_LENGTH) throw tooLarge();
  const bytes = fromBase64Url(packed);
  if (!bytes || bytes.length < 5) throw damaged("the scenario is cut or has foreign letters in it");
  /** @type {Uint8Array} */
  let inflated;
  try {
    inflated = await all(new Blob([bytes.subarray(4)]).stream().pipeThrough(new DecompressionStream("deflate-raw")), MAX_SCENARIO_BYTES);
  } catch (error) {
    if (error instanceof LinkError) throw error;
    throw damaged("the scenario cannot be unpacked");
  }
  if (crc32(inflated) !== new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)) throw damaged("the scenario’s checksum does not fit");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(inflated);
  } catch {
    throw damaged("the scenario is no text");
  }
}

function tooLarge() {
  return new LinkError(`The scenario in the link has more than ${MAX_SCENARIO_BYTES} bytes (MAX_SCENARIO_BYTES). ${NOTHING}`, "Ask for the scenario as a file.");
}

/**
 * All bytes of a stream, or a refusal as soon as there are too many.
 * @param {ReadableStream<Uint8Array>} stream
 * @param {number} most
 */
async function all(stream, most) {
  const reader = stream.getReader();
  /** @type {Uint8Array[]} */
  const pieces = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      void reader.cancel().catch(() => {});
      throw tooLarge();
    }
    pieces.push(value);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** @param {Uint8Array} bytes */
function toBase64Url(bytes) {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @param {string} text @returns {Uint8Array<ArrayBuffer> | null} */
function fromBase64Url(text) {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return null;
  try {
    return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}

/** The checksum of zip and gzip files. @param {Uint8Array} bytes */
function crc32(bytes) {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return ~crc >>> 0;
}
