/** @file Bytes to something a person can read, and back. Nothing here guesses silently. */

const encoder = new TextEncoder();
const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Text as UTF-8. A lone surrogate becomes `?`, as Kafka's StringSerializer writes it.
 * @param {string} text
 * @returns {Uint8Array}
 */
export function fromText(text) {
  return encoder.encode(text.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, "?"));
}

/**
 * Hex digits, white space allowed between bytes, as bytes; null if it is not hex.
 * @param {string} hex
 * @returns {Uint8Array | null}
 */
export function fromHex(hex) {
  const digits = hex.replace(/\s+/g, "");
  if (digits.length % 2 !== 0 || /[^0-9a-fA-F]/.test(digits)) return null;
  return Uint8Array.from({ length: digits.length / 2 }, (_, i) => parseInt(digits.slice(2 * i, 2 * i + 2), 16));
}

/**
 * @param {Uint8Array} bytes
 * @param {string} [between] what stands between two bytes
 * @returns {string}
 */
export function toHex(bytes, between = " ") {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(between);
}

/**
 * The text whose UTF-8 form the bytes are, or null if they are not UTF-8.
 * @param {Uint8Array} bytes
 * @returns {string | null}
 */
export function toText(bytes) {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    return null;
  }
}

/**
 * A short name for a key or a value: its text, its hex (marked `0x`), `(empty)` or `(none)`.
 * Control and invisible characters are shown as their code points, so that two keys that look
 * alike are told apart.
 * @param {Uint8Array | null} bytes
 * @param {number} [most] the most characters wanted; a longer name ends in an ellipsis
 * @returns {string}
 */
export function label(bytes, most = Infinity) {
  if (bytes === null) return "(none)";
  if (bytes.length === 0) return "(empty)";
  const text = toText(bytes);
  const shown = text === null ? `0x${toHex(bytes, "")}` : visible(text);
  return shown.length > most ? `${shown.slice(0, most - 1)}…` : shown;
}

/**
 * The same for the first bytes of a longer whole, as records in short carry them. A character that
 * the cut has halved is left out; that there is more is said.
 * @param {Uint8Array | null} bytes
 * @param {number} length of the whole
 * @param {number} [most]
 * @returns {string}
 */
export function cutLabel(bytes, length, most = Infinity) {
  if (bytes === null || bytes.length >= length) return label(bytes, most);
  // The last lead byte, and whether its character is whole.
  let lead = bytes.length - 1;
  while (lead > 0 && lead > bytes.length - 4 && (/** @type {number} */ (bytes[lead]) & 0xc0) === 0x80) lead -= 1;
  const first = bytes[lead] ?? 0;
  const wanted = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  const whole = lead + wanted > bytes.length ? bytes.subarray(0, lead) : bytes;
  const name = label(toText(whole) === null ? bytes : whole, most);
  return name.endsWith("…") ? name : `${name.slice(0, most - 1)}…`;
}

/**
 * Text with what cannot be seen spelled out: controls, separators, joiners, combining marks.
 * @param {string} text
 * @returns {string}
 */
export function visible(text) {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Mn}]/gu, (char) => {
    const hex = /** @type {number} */ (char.codePointAt(0)).toString(16).padStart(4, "0");
    return `\\u{${hex}}`;
  });
}
