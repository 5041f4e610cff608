/**
 * @file One tab writes. The browser's Web Locks decide which: a lock ends with its page, crashed or
 * closed, and the next tab in the queue has it.
 *
 * Where there are no locks (a page over plain http, an old browser), the answer is `none`: every tab
 * may write, and the store itself refuses the save of a tab that has not seen the last one. So even
 * then nothing is overwritten unseen; the tab that comes second only learns it later.
 */

const LOCK = "loglanes-writer";

/** A tab that was just closed still holds its lock for a moment: that is no other tab. */
const PATIENCE_MS = 300;
/** And a reloaded one may find itself there; on a busy machine, for longer. */
const RELOAD_PATIENCE_MS = 1_500;

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
  const never = /** @type {Promise<void>} */ (new Promise(() => {}));

  // First whether it is free: however long that answer takes, it is no wait for another tab.
  const free = await request(name, { ifAvailable: true }, released).catch(() => null);
  if (free === null) return { state: "none", granted: never, release };
  if (free) return { state: "held", granted: Promise.resolve(), release };

  const leave = new AbortController();
  const granted = request(name, { signal: leave.signal }, released).then(() => {});
  const state = await Promise.race([
    granted.then(() => /** @type {const} */ ("held"), () => /** @type {const} */ ("none")),
    new Promise((/** @type {(state: "waiting") => void} */ resolve) => setTimeout(resolve, patience(), "waiting")),
  ]);
  return {
    state,
    // A refusal after the wait began would be a browser that changed its mind: stay a reader.
    granted: state === "none" ? never : granted.catch(() => never),
    release: () => {
      release();
      leave.abort();
    },
  };
}

/**
 * Asks once. A lock that is given is kept until `released`.
 * @param {string} name
 * @param {LockOptions} options
 * @param {Promise<void>} released
 * @returns {Promise<boolean>} whether it is ours; rejects where there are no locks
 */
function request(name, options, released) {
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(name, options, (lock) => {
        resolve(lock !== null);
        return lock && released;
      })
      .catch(reject);
  });
}

function patience() {
  const [navigation] = performance.getEntriesByType("navigation");
  const again = navigation instanceof PerformanceNavigationTiming && navigation.type === "reload";
  return again ? RELOAD_PATIENCE_MS : PATIENCE_MS;
}
