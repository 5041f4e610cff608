/** @file JSON for reading: indented, with every digit, escape and duplicate name as it was written. */

const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s[\]{}:,"]+/gy;
const SPACE = /\s*/y;
/** Deeper JSON is not indented: each level makes every line longer. */
const MOST_DEPTH = 500;

/**
 * The same JSON, one member a line. Numbers are not read as numbers, so 9007199254740993 and 1.10 stay
 * what they are. Null if the text is not JSON, or is a single number, word or string.
 * @param {string} text
 * @returns {string | null}
 */
export function indentJson(text) {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  let out = "";
  let depth = 0;
  const line = () => `\n${"  ".repeat(depth)}`;
  let previous = "";
  for (const token of tokens(text)) {
    if (token === "]" || token === "}") {
      depth -= 1;
      out += previous === "[" || previous === "{" ? token : line() + token;
    } else {
      if (previous === "[" || previous === "{" || previous === ",") out += line();
      if (token === "[" || token === "{") depth += 1;
      if (depth > MOST_DEPTH) return null;
      out += token === ":" ? ": " : token;
    }
    previous = token;
  }
  return out;
}

/** @param {string} text */
function* tokens(text) {
  for (let at = 0; ; ) {
    SPACE.lastIndex = at;
    SPACE.exec(text);
    TOKEN.lastIndex = SPACE.lastIndex;
    const found = TOKEN.exec(text);
    if (!found) return;
    yield found[0];
    at = TOKEN.lastIndex;
  }
}
