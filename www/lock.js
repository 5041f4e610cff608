/**
 * @file One tab writes. The browser's Web Locks decide which: a lock ends with its page, crashed or
 * closed, and the next tab in the queue has it.
 *
 * Where there are no locks (a page over plain http, an old browser), the answer is `none`: every tab
 * may write, and the store itself refuses the save of a tab that has not seen the last one. So even
 * then nothing is overwritten unseen; the tab that comes second only learns it later.
 */

export const LOCK = "loglanes-writer";

/** A tab that is just being reloaded still holds its lock for a moment: that is no other tab. */
const PATIENCE_MS = 300;

/**
 * @typedef {object} Claim
 * @property {"held" | "waiting" | "none"} state when the claim was made
 * @property {Promise<void>} granted settles once the lock is ours; never for `none`
 * @property {() => void} release
 */

/**
 * Asks for the writer's lock, and keeps its place in the queue.
 * @param {string} [name]
 * @returns {Promise<Claim>}
 */
export async function claim(name = LOCK) {
  /** @type {() => void} */
  let release = () => {};
  /** @type {Promise<void>} */
  const released = new Promise((resolve) => (release = resolve));
  const leave = new AbortController();
  /** @type {Promise<"held">} */
  const granted = new Promise((resolve, reject) => {
    try {
      navigator.locks
        .request(name, { signal: leave.signal }, () => {
          resolve("held");
          return released;
        })
        .catch(reject);
    } catch (error) {
      reject(error);
    }
  });
  const state = await Promise.race([
    granted.catch(() => /** @type {const} */ ("none")),
    new Promise((/** @type {(state: "waiting") => void} */ resolve) => setTimeout(resolve, PATIENCE_MS, "waiting")),
  ]);
  return {
    state,
    // A refusal after the wait began would be a browser that changed its mind: stay a reader.
    granted: state === "none" ? new Promise(() => {}) : granted.then(() => {}, () => new Promise(() => {})),
    release: () => {
      release();
      leave.abort();
    },
  };
}
