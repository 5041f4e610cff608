/** @file Files as people give them: chosen, dropped, in folders; each with its path. */

/** So many files are taken at once; as many members a zip archive may have. */
export const MOST_FILES = 20_000;

/**
 * A file and where it lay.
 * @typedef {object} Given
 * @property {File} file
 * @property {string} path parted by `/`; the name alone where no folder is known
 */

/**
 * What was given, and what of it could not be taken.
 * @typedef {object} Gift
 * @property {Given[]} given in the order of their paths
 * @property {string[]} unread paths of what the browser would not read
 * @property {boolean} more there were more than MOST_FILES
 */

/** @param {Iterable<File>} files @returns {Gift} */
export function chosen(files) {
  const given = [...files].map((file) => ({ file, path: file.webkitRelativePath || file.name }));
  return { given: given.slice(0, MOST_FILES), unread: [], more: given.length > MOST_FILES };
}

/**
 * What was dropped, folders with all that is in them. Folders are known only until the event is over,
 * so this is called in it.
 * @param {DataTransfer} transfer
 * @returns {Promise<Gift>}
 */
export function dropped(transfer) {
  const entries = [...transfer.items].map((item) => (item.kind === "file" ? item.webkitGetAsEntry?.() : null)).filter((entry) => entry !== null && entry !== undefined);
  return entries.some((entry) => entry.isDirectory) ? walk(entries) : Promise.resolve(chosen(transfer.files));
}

/** @param {FileSystemEntry[]} entries @returns {Promise<Gift>} */
async function walk(entries) {
  /** @type {Gift} */
  const gift = { given: [], unread: [], more: false };
  const waiting = [...entries].reverse();
  for (let entry = waiting.pop(); entry; entry = waiting.pop()) {
    const path = entry.fullPath.replace(/^\//, "");
    try {
      if (entry.isDirectory) {
        const found = await list(/** @type {FileSystemDirectoryEntry} */ (entry));
        waiting.push(...found.sort((one, other) => (one.name < other.name ? 1 : -1)));
      } else if (gift.given.length === MOST_FILES) {
        gift.more = true;
        break;
      } else {
        const at = /** @type {FileSystemFileEntry} */ (entry);
        gift.given.push({ path, file: await new Promise((resolve, reject) => at.file(resolve, reject)) });
      }
    } catch {
      gift.unread.push(path);
    }
  }
  return gift;
}

/** All that is in a folder: a reader gives a part of it with each call, and nothing after the last. @param {FileSystemDirectoryEntry} folder */
async function list(folder) {
  const reader = folder.createReader();
  /** @type {FileSystemEntry[]} */
  const all = [];
  for (;;) {
    /** @type {FileSystemEntry[]} */
    const part = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (part.length === 0) return all;
    all.push(...part);
  }
}
