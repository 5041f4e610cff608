/**
 * @file The saved state: chunks of bytes by key, in IndexedDB. It knows nothing of what is in them.
 *
 * A save, or a step of a big one, is one transaction: every chunk of it or none. It counts as done at the transaction's
 * `complete`, and its failure is read from the transaction, where a full disk is reported; the
 * requests are silent about that.
 *
 * A save also looks at what it is about to replace. The chunk `manifest` must still be the one this
 * page read or wrote last: if another tab has saved since, or the browser has deleted the data, the
 * save is refused, for the changes alone would not add up to a state.
 */

/** @import { Changes } from "../src/wasm/types.d.ts" */

const DATABASE = "loglanes";
const CHUNKS = "chunks";
const VERSION = 1;
/**
 * The chunk that says what the others are worth. A big save comes in steps, and only the last step
 * brings it; chunks no manifest speaks of are not part of the state.
 */
export const MANIFEST = "manifest";

/** Some browsers never answer an open (private windows, a blocked delete). */
const OPEN_TIMEOUT_MS = 4_000;
/** A transaction without a sign of life for so long has lost its connection. */
const STALL_TIMEOUT_MS = 30_000;
/** Chunks read or written at a time: 4 MiB, a few milliseconds, with 64 KiB chunks. */
const BATCH = 64;

/**
 * Why the store could not do it.
 * - `unavailable`: this page may not store, or the browser does not answer
 * - `full`: the browser's space for this site is used up
 * - `other`: another tab has saved since
 * - `gone`: what was saved has been deleted, so changes alone would not make it whole
 * - `newer`: the saved data belong to a newer Loglanes
 * - `unreadable`: the chunks are there, but who was to read them refused (`cause` is that refusal)
 * - `failed`: anything else the browser says
 * @typedef {"unavailable" | "full" | "other" | "gone" | "newer" | "unreadable" | "failed"} StoreReason
 */

export class StoreError extends Error {
  /**
   * @param {StoreReason} reason
   * @param {unknown} cause what the browser said
   */
  constructor(reason, cause) {
    const said = cause instanceof Error || cause instanceof DOMException ? `${cause.name}: ${cause.message}` : String(cause);
    super(said, { cause });
    this.name = "StoreError";
    this.reason = reason;
  }
}

/**
 * Makes the requests of one transaction. `refuse` undoes them all and says why; `alive` says that the
 * browser still answers.
 * @typedef {(chunks: IDBObjectStore, refuse: (why: StoreError) => void, alive: () => void) => void} Work
 */

/** @param {unknown} cause @returns {StoreError} */
function storeError(cause) {
  if (cause instanceof StoreError) return cause;
  const name = /** @type {{ name?: string } | null} */ (cause)?.name;
  if (name === "QuotaExceededError") return new StoreError("full", cause);
  if (name === "VersionError") return new StoreError("newer", cause);
  return new StoreError("failed", cause);
}

export class Store {
  /** @type {Promise<IDBDatabase> | null} */
  #open = null;
  /** @type {Uint8Array | null} the manifest as this page last read or wrote it */
  #seen = null;
  #name;

  /** @param {{ name?: string }} [options] another database, for tests */
  constructor({ name = DATABASE } = {}) {
    this.#name = name;
  }

  /**
   * Opens the database. Called by the other methods too; on its own it tells whether this page may
   * store at all.
   * @returns {Promise<void>} rejects with a StoreError, `unavailable` or `newer`
   */
  async open() {
    await this.#database();
  }

  /** @returns {Promise<IDBDatabase>} one connection, until the browser takes it away */
  #database() {
    if (!this.#open) {
      const opening = openDatabase(this.#name, () => {
        if (this.#open === opening) this.#open = null;
      });
      this.#open = opening;
      opening.catch(() => {
        if (this.#open === opening) this.#open = null;
      });
    }
    return this.#open;
  }

  /** Closes the connection; the next call opens a new one. */
  close() {
    const opening = this.#open;
    this.#open = null;
    opening?.then((db) => db.close(), () => {});
  }

  /**
   * Runs one transaction. A connection that was cut behind our back fails at once or in the middle;
   * so anything but a full disk and our own refusals is tried once more over a new connection.
   * @param {IDBTransactionMode} mode
   * @param {Work} work
   * @returns {Promise<void>} when the transaction is complete
   */
  async #transaction(mode, work) {
    try {
      await transact(await this.#database(), mode, work);
    } catch (error) {
      const first = storeError(error);
      if (first.reason !== "failed") throw first;
      this.close();
      const db = await this.#database();
      await transact(db, mode, work).catch((again) => {
        throw storeError(again);
      });
    }
  }

  /**
   * Writes all puts and deletes, or nothing.
   * @param {Changes} changes
   * @param {{ last?: boolean }} [options]
   *   `last`: the page is about to go, so nothing may wait for an answer. The look at the manifest is
   *   left out: use it only while holding the writer's lock.
   * @returns {Promise<void>} at `complete`; rejects with a StoreError
   */
  async save(changes, { last = false } = {}) {
    const { puts, deletes } = changes;
    await this.#transaction("readwrite", (chunks, refuse, alive) => {
      const write = () => {
        for (const key of deletes) chunks.delete(key);
        putAll(chunks, puts, last ? puts.length : BATCH, alive, () => chunks.transaction.commit?.());
      };
      if (last) write();
      else this.#checked(chunks, refuse, write);
    });
    this.#seen = manifestOf(puts)?.slice() ?? this.#seen;
  }

  /**
   * Writes a whole state in place of all that is saved, in one transaction: until it is complete,
   * what was saved before stays. Each step is made when the one before has been taken, so that
   * neither the page waits for all of them nor are all in memory at once.
   * @param {() => Iterable<Changes>} steps begins at the first step each time it is called; none at
   *   all: nothing is left. What it throws undoes everything
   * @returns {Promise<number>} bytes written, at `complete`; rejects with a StoreError
   */
  async replace(steps) {
    /** @type {Uint8Array | null} */
    let manifest = null;
    let bytes = 0;
    await this.#transaction("readwrite", (chunks, refuse, alive) => {
      manifest = null;
      bytes = 0;
      const all = steps()[Symbol.iterator]();
      const step = () => {
        alive();
        try {
          const { value, done } = all.next();
          if (done) return void chunks.transaction.commit?.();
          bytes += value.bytes;
          manifest = manifestOf(value.puts)?.slice() ?? manifest;
          putAll(chunks, value.puts, BATCH, alive, (last) => (last ? (last.onsuccess = step) : step()));
        } catch (error) {
          refuse(error instanceof StoreError ? error : new StoreError("failed", error));
        }
      };
      this.#checked(chunks, refuse, () => {
        chunks.clear();
        step();
      }, { goneIsWell: true });
    });
    this.#seen = manifest;
    return bytes;
  }

  /**
   * Goes on only if what is saved is what this page read or wrote last.
   * @param {IDBObjectStore} chunks
   * @param {(why: StoreError) => void} refuse
   * @param {() => void} write
   * @param {{ goneIsWell?: boolean }} [options] nothing of what is saved is needed
   */
  #checked(chunks, refuse, write, { goneIsWell = false } = {}) {
    const found = chunks.get(MANIFEST);
    found.onsuccess = () => {
      const bytes = asBytes(found.result);
      if (same(bytes, this.#seen) || (goneIsWell && bytes === null)) write();
      else if (bytes === null) refuse(new StoreError("gone", "The saved state has been deleted."));
      else refuse(new StoreError("other", "The saved state is another one than this page knows."));
    };
  }

  /**
   * Hands over every saved chunk, in the order of the keys, all from one moment. Without a manifest
   * nothing is saved: at most the first steps of a save that never came to its end.
   * @param {(key: string, bytes: Uint8Array) => void} each what it throws ends the load
   * @returns {Promise<number>} how many chunks there were; 0: nothing is saved
   */
  async load(each) {
    let total = 0;
    /** @type {Uint8Array | null} */
    let manifest = null;
    await this.#transaction("readonly", (chunks, refuse, alive) => {
      total = 0;
      manifest = null;
      /** @param {IDBKeyRange} [range] */
      const batch = (range) => {
        const keys = chunks.getAllKeys(range, BATCH);
        const values = chunks.getAll(range, BATCH);
        values.onsuccess = () => {
          alive();
          try {
            values.result.forEach((value, i) => {
              const key = String(keys.result[i]);
              const bytes = asBytes(value) ?? new Uint8Array(0);
              each(key, bytes);
            });
          } catch (error) {
            return refuse(new StoreError("unreadable", error));
          }
          total += values.result.length;
          if (values.result.length === BATCH) batch(IDBKeyRange.lowerBound(keys.result[BATCH - 1], true));
        };
      };
      const found = chunks.get(MANIFEST);
      found.onsuccess = () => {
        manifest = asBytes(found.result);
        if (manifest) batch();
      };
    });
    this.#seen = manifest;
    return total;
  }

  /** Takes it that nothing is saved, after a `gone`: the next save may begin from nothing. */
  forget() {
    this.#seen = null;
  }
}

/**
 * Puts chunks, a few at a time: each put copies its bytes at once, on the page's thread, so the next
 * ones come when the last of these has been taken.
 * @param {IDBObjectStore} chunks
 * @param {Changes["puts"]} puts
 * @param {number} atOnce
 * @param {() => void} alive
 * @param {(last?: IDBRequest) => void} then once the last put has been asked for
 */
function putAll(chunks, puts, atOnce, alive, then) {
  let next = 0;
  const batch = () => {
    alive();
    const end = Math.min(next + atOnce, puts.length);
    /** @type {IDBRequest | undefined} */
    let request;
    for (; next < end; next += 1) request = chunks.put(own(puts[next].bytes), puts[next].key);
    if (next < puts.length && request) request.onsuccess = batch;
    else then(request);
  };
  batch();
}

/** @param {Changes["puts"]} puts @returns {Uint8Array | undefined} */
function manifestOf(puts) {
  return puts.find(({ key }) => key === MANIFEST)?.bytes;
}

/**
 * @param {string} name
 * @param {() => void} lost called when the browser has taken the connection away
 * @returns {Promise<IDBDatabase>}
 */
function openDatabase(name, lost) {
  return new Promise((resolve, reject) => {
    /** @param {unknown} cause */
    const fail = (cause) => {
      clearTimeout(timer);
      const error = storeError(cause);
      reject(error.reason === "newer" ? error : new StoreError("unavailable", cause));
    };
    const timer = setTimeout(() => fail("The browser does not answer."), OPEN_TIMEOUT_MS);
    try {
      // Touching `indexedDB` is enough to throw where a page may not store.
      const request = indexedDB.open(name, VERSION);
      request.onupgradeneeded = () => request.result.createObjectStore(CHUNKS);
      request.onerror = () => fail(request.error);
      request.onsuccess = () => {
        clearTimeout(timer);
        const db = request.result;
        db.onclose = lost;
        // Another page deletes or upgrades the database: do not stand in its way.
        db.onversionchange = () => {
          db.close();
          lost();
        };
        resolve(db);
      };
    } catch (error) {
      fail(error);
    }
  });
}

/**
 * @param {IDBDatabase} db
 * @param {IDBTransactionMode} mode
 * @param {Work} work
 * @returns {Promise<void>}
 */
function transact(db, mode, work) {
  return new Promise((resolve, reject) => {
    // `strict` waits for the disk itself. `relaxed`, the default of most browsers, survives a crash
    // of the tab and of the browser, and may lose the last saves when the power fails; it is told
    // here because "Saved" is what the page then says.
    const transaction = db.transaction(CHUNKS, mode, { durability: "relaxed" });
    /** @type {unknown} */
    let refusal = null;
    /** @param {unknown} why */
    const refuse = (why) => {
      refusal = why;
      try {
        transaction.abort();
      } catch {
        // It is over already; the refusal still stands.
      }
      done(() => reject(why));
    };
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const alive = () => {
      clearTimeout(timer);
      timer = setTimeout(() => refuse(new Error("The browser's store does not answer.")), STALL_TIMEOUT_MS);
    };
    /** @param {() => void} settle */
    const done = (settle) => {
      clearTimeout(timer);
      settle();
    };
    alive();
    try {
      work(transaction.objectStore(CHUNKS), refuse, alive);
    } catch (error) {
      // Half of the work must not be committed.
      return refuse(error);
    }
    transaction.oncomplete = () => done(resolve);
    // `error` on the transaction is what `abort` is about; a request's own error only says "AbortError".
    transaction.onabort = () => done(() => reject(refusal ?? transaction.error ?? new Error("The browser gave up the save.")));
  });
}

/**
 * Bytes with a buffer of their own: storing a view would store all of the buffer behind it.
 * @param {Uint8Array} bytes
 */
function own(bytes) {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
}

/** @param {unknown} value @returns {Uint8Array | null} */
function asBytes(value) {
  if (value instanceof Uint8Array) return value;
  return value instanceof ArrayBuffer ? new Uint8Array(value) : null;
}

/** @param {Uint8Array | null} a @param {Uint8Array | null} b */
function same(a, b) {
  if (a === null || b === null) return a === b;
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
