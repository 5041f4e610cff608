// @ts-check
/**
 * @file The store, the writer's lock and the saver in a real browser, driven with a log small enough
 * to look through.
 */

import { expect, test } from "@playwright/test";
import { ORIGIN, serveModules } from "./support/modules.js";

/** @import { BrowserContext, Page } from "@playwright/test" */

/**
 * What the test page puts on `window`: `log`, `saver`, and `act(value)`, an act as the page does one.
 * @typedef {{ log: any, saver: any, act(value: string): void, ready: Promise<void>, statuses: string[] }} Harness
 */
const HARNESS = `<!doctype html><meta charset="utf-8"><title>store</title><body><script type="module">
  import { Saver } from "/www/saver.js";
  import { Store } from "/www/store.js";
  import { SmallLog } from "/tests/e2e/small-log.js";
  const saver = new Saver();
  window.Store = Store;
  window.saver = saver;
  window.SmallLog = SmallLog;
  window.statuses = [];
  saver.addEventListener("status", ({ detail }) => window.statuses.push(detail.state));
  window.act = (value) => {
    if (saver.mode === "reader") throw new Error("read-only");
    window.log.append(value);
    saver.touch();
  };
  window.ready = saver.start(async (load) => (window.log = await SmallLog.from(load)));
  window.ready.then(() => (document.title = "ready"));
</script>`;

const PAGES = { "/": HARNESS, "/framed": `<!doctype html><title>framed</title><iframe src="/" sandbox="allow-scripts"></iframe>` };

test.beforeEach(({ context }) => serveModules(context, PAGES));

/** @param {BrowserContext} context @param {string} [before] runs first in the page */
async function open(context, before) {
  const page = await context.newPage();
  if (before) await page.addInitScript(before);
  await page.goto(ORIGIN);
  await expect(page).toHaveTitle("ready", { timeout: 10_000 });
  return page;
}

/** @param {Page} page @param {...string} values */
const act = (page, ...values) => page.evaluate((all) => all.forEach((value) => /** @type {any} */ (window).act(value)), values);
/** @param {Page} page @returns {Promise<string[]>} */
const records = (page) => page.evaluate(() => /** @type {any} */ (window).log.records);
/** @param {Page} page @returns {Promise<any>} */
const status = (page) => page.evaluate(() => /** @type {any} */ (window).saver.status);
/** @param {Page} page @param {string} state */
const reaches = (page, state) => expect.poll(async () => (await status(page)).state, { timeout: 10_000 }).toBe(state);

/** @param {Page} page */
async function saved(page) {
  await page.evaluate(() => /** @type {any} */ (window).saver.flush());
  await reaches(page, "saved");
}

test("what was saved is there after a reload", async ({ context }) => {
  const page = await open(context);
  await act(page, ..."abcdefghijklmnop");
  await saved(page);
  await page.reload();
  await expect(page).toHaveTitle("ready");
  expect((await records(page)).join("")).toBe("abcdefghijklmnop");
  expect((await status(page)).mode).toBe("writer");
});

test("nothing is written before the first act", async ({ context }) => {
  const page = await open(context);
  await page.evaluate(() => /** @type {any} */ (window).saver.flush());
  expect(await page.evaluate(() => new /** @type {any} */ (window).Store().load(() => {}))).toBe(0);
});

test("many acts at once are few saves", async ({ context }) => {
  const page = await open(context);
  await act(page, ...Array.from({ length: 500 }, (_, i) => `v${i}`));
  await reaches(page, "saved");
  const states = await page.evaluate(() => /** @type {any} */ (window).statuses);
  expect(states.filter((/** @type {string} */ state) => state === "saved").length).toBeLessThan(4);
});

test("a big save comes in steps, and one that never ended is as if it had not begun", async ({ context }) => {
  const page = await open(context);
  await act(page, ...Array.from({ length: 205 }, (_, i) => `v${i}`));
  await saved(page);
  await page.reload();
  await expect(page).toHaveTitle("ready");
  expect(await records(page)).toHaveLength(205);

  // Two steps of a new log, its manifest still to come.
  const loaded = await page.evaluate(async () => {
    const { SmallLog, Store } = /** @type {any} */ (window);
    const log = new SmallLog();
    for (let i = 0; i < 205; i += 1) log.append(`v${i}`);
    const store = new Store({ name: "steps" });
    for (let i = 0; i < 2; i += 1) {
      const step = log.changes();
      await store.save(step);
      log.saved(step.token);
    }
    return new Store({ name: "steps" }).load(() => {});
  });
  expect(loaded).toBe(0);
});

test("while a job runs, nothing is called saved; after it, all is saved", async ({ context }) => {
  const page = await open(context);
  await page.evaluate(() => {
    const { log, act } = /** @type {any} */ (window);
    const changes = log.changes.bind(log);
    log.busy = true;
    log.changes = () => (log.busy ? null : changes());
    act("a");
  });
  await page.evaluate(() => /** @type {any} */ (window).saver.flush());
  expect((await status(page)).state).toBe("saving");
  await page.evaluate(() => (/** @type {any} */ (window).log.busy = false));
  await reaches(page, "saved");
  await page.reload();
  await expect(page).toHaveTitle("ready");
  expect(await records(page)).toEqual(["a"]);
});

test("the moment the page goes, all is handed to the browser", async ({ context }) => {
  // Nothing is saved by the clock: only by going.
  const page = await open(context, "window.setTimeout = () => 0; window.requestIdleCallback = () => 0;");
  const kept = () => page.evaluate(() => new /** @type {any} */ (window).Store().load(() => {}));
  await act(page, "last words");
  expect(await kept()).toBe(0);
  await page.evaluate(() => {
    /** @type {any} */ (window).act("the very last");
    dispatchEvent(new PageTransitionEvent("pagehide"));
  });
  await expect.poll(kept).toBe(2);
  await page.goto("about:blank");
  await page.goto(ORIGIN);
  await expect(page).toHaveTitle("ready");
  expect(await records(page)).toEqual(["last words", "the very last"]);
});

test("a whole state goes in step by step, and the page has its turn in between", async ({ context }) => {
  const page = await open(context);
  const turns = await page.evaluate(async () => {
    const w = /** @type {any} */ (window);
    w.log = new w.SmallLog();
    for (let i = 0; i < 405; i += 1) w.log.append(`v${i}`);
    let turns = 0;
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => port2.postMessage((turns += 1));
    port2.postMessage(0);
    /** @type {number[]} */
    const atStep = [];
    const changes = w.log.changes.bind(w.log);
    w.log.changes = () => {
      atStep.push(turns);
      return changes();
    };
    await w.saver.replace(w.log);
    port1.close();
    return atStep;
  });
  expect(turns.length).toBeGreaterThan(10);
  expect(new Set(turns).size).toBeGreaterThan(1);
  await page.reload();
  await expect(page).toHaveTitle("ready");
  expect(await records(page)).toHaveLength(405);
});

test("chunks come back whole, in order, and far more than one batch of them", async ({ context }) => {
  const page = await open(context);
  const { total, ordered, sum } = await page.evaluate(async () => {
    const { Store } = /** @type {any} */ (window);
    const store = new Store({ name: "many" });
    // A view into a bigger buffer: only what is seen of it may be stored.
    const buffer = new Uint8Array(1 << 20).fill(7);
    const puts = Array.from({ length: 1_700 }, (_, i) => ({ key: `c${String(i).padStart(5, "0")}`, bytes: buffer.subarray(i, i + 64) }));
    puts.push({ key: "manifest", bytes: new Uint8Array([1]) });
    await store.save({ token: 1, puts, deletes: [], bytes: 0 });
    /** @type {string[]} */
    const keys = [];
    let sum = 0;
    const total = await new Store({ name: "many" }).load((/** @type {string} */ key, /** @type {Uint8Array} */ bytes) => {
      keys.push(key);
      sum += bytes.buffer.byteLength;
    });
    return { total, ordered: keys.every((key, i) => i === 0 || keys[i - 1] < key), sum };
  });
  expect(total).toBe(1_701);
  expect(ordered).toBe(true);
  expect(sum).toBe(1_700 * 64 + 1);
});

test("a save is all or nothing, also when the bytes cannot be stored", async ({ context }) => {
  const page = await open(context);
  const after = await page.evaluate(async () => {
    const { Store } = /** @type {any} */ (window);
    const store = new Store({ name: "atomic" });
    const one = { key: "a", bytes: new Uint8Array([1]) };
    const bad = { key: "b", bytes: { byteLength: 0, buffer: { byteLength: 0 }, not: () => "storable" } };
    const failed = await store.save({ token: 1, puts: [one, bad], deletes: [], bytes: 1 }).then(() => false, () => true);
    return [failed, await store.load(() => {})];
  });
  expect(after).toEqual([true, 0]);
});

test("the browser's space is used up (KB-40): it is said, the last good state stays, saving resumes", async ({ playwright, launchOptions }, info) => {
  // A profile on disk: without one, an empty database alone is bigger than this quota.
  const context = await playwright.chromium.launchPersistentContext(info.outputPath("profile"), launchOptions);
  await serveModules(context, PAGES);
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  // Chromium trusts a quota it has looked up for half a minute, so the small one must be the first it sees.
  await cdp.send("Storage.overrideQuotaForOrigin", { origin: ORIGIN, quotaSize: 50_000 });
  await page.goto(ORIGIN);
  await expect(page).toHaveTitle("ready");
  await act(page, "kept");
  await saved(page);
  for (let i = 0; i < 200; i += 1) await act(page, "x".repeat(1_024));
  await reaches(page, "not-saved");
  const { mode, reason, advice } = await status(page);
  expect(mode).toBe("writer");
  expect(reason).toContain("space");
  expect(advice).toContain("Export");
  expect(await records(page)).toHaveLength(201);

  // A second look, as a reload would have it: a whole state, not a torn one.
  const kept = await page.evaluate(async () => {
    const { SmallLog, Store } = /** @type {any} */ (window);
    return (await SmallLog.from((/** @type {any} */ each) => new Store().load(each))).records;
  });
  expect(kept[0]).toBe("kept");
  expect(kept.length).toBeLessThan(201);

  await cdp.send("Storage.overrideQuotaForOrigin", { origin: ORIGIN });
  await expect.poll(async () => (await status(page)).state, { timeout: 20_000 }).toBe("saved");
  await page.reload();
  await expect(page).toHaveTitle("ready");
  expect(await records(page)).toHaveLength(201);
  await context.close();
});

test.describe("this page may not store (KB-41)", () => {
  const stubs = {
    "indexedDB is undefined": `Object.defineProperty(window, "indexedDB", { value: undefined });`,
    "touching indexedDB throws": `Object.defineProperty(window, "indexedDB", { get() { throw new DOMException("no", "SecurityError"); } });`,
    "open throws": `IDBFactory.prototype.open = () => { throw new DOMException("no", "SecurityError"); };`,
    "open fails": `IDBFactory.prototype.open = () => {
      const request = { error: new DOMException("no", "InvalidStateError") };
      setTimeout(() => request.onerror({ preventDefault() {} }), 5);
      return request;
    };`,
    "open never answers": `IDBFactory.prototype.open = () => ({});`,
  };
  for (const [name, stub] of Object.entries(stubs)) {
    test(`${name}: it works in memory and says so once`, async ({ context }) => {
      const page = await open(context, stub);
      await act(page, "a", "b");
      await page.evaluate(() => /** @type {any} */ (window).saver.flush());
      const { mode, state, reason, advice } = await status(page);
      expect([mode, state]).toEqual(["memory", "memory"]);
      expect(reason).toContain("may not store");
      expect(advice).toContain("Export");
      expect(await records(page)).toEqual(["a", "b"]);
      expect(await page.evaluate(() => /** @type {any} */ (window).statuses)).toEqual(["memory"]);
    });
  }

  test("a sandboxed frame works in memory", async ({ context }) => {
    const page = await context.newPage();
    await page.goto(`${ORIGIN}/framed`);
    const frame = page.frames()[1];
    await frame.waitForFunction(() => document.title === "ready");
    expect(await frame.evaluate(() => /** @type {any} */ (window).saver.mode)).toBe("memory");
    await frame.evaluate(() => /** @type {any} */ (window).act("a"));
    expect(await frame.evaluate(() => /** @type {any} */ (window).log.records)).toEqual(["a"]);
  });
});

test.describe("two tabs (KB-43)", () => {
  /** @param {BrowserContext} context */
  async function pair(context) {
    const a = await open(context);
    await act(a, "r0", "r1", "r2");
    await saved(a);
    const b = await open(context);
    expect((await status(b)).mode).toBe("reader");
    expect(await records(b)).toEqual(["r0", "r1", "r2"]);
    return { a, b };
  }
  /** @param {Page} page */
  const takesOver = (page) => expect.poll(async () => (await status(page)).mode, { timeout: 10_000 }).toBe("writer");

  test("the second reads, takes over when the first is closed, and has its records", async ({ context }) => {
    const { a, b } = await pair(context);
    await act(a, "a4");
    await expect(act(b, "b4")).rejects.toThrow("read-only");
    await a.close({ runBeforeUnload: true });
    await takesOver(b);
    expect(await records(b)).toEqual(["r0", "r1", "r2", "a4"]);
    await act(b, "b4");
    await saved(b);
    const c = await open(context);
    expect(await records(c)).toEqual(["r0", "r1", "r2", "a4", "b4"]);
  });

  test("the second is closed first", async ({ context }) => {
    const { a, b } = await pair(context);
    await act(a, "a4");
    await b.close();
    await saved(a);
    await a.close();
    expect(await records(await open(context))).toEqual(["r0", "r1", "r2", "a4"]);
  });

  test("the writer crashes", async ({ context }) => {
    const { a, b } = await pair(context);
    await act(a, "a4");
    await saved(a);
    await act(a, "lost with the crash, or kept");
    const cdp = await context.newCDPSession(a);
    void cdp.send("Page.crash").catch(() => {});
    await takesOver(b);
    expect((await records(b)).slice(0, 4)).toEqual(["r0", "r1", "r2", "a4"]);
    await act(b, "b5");
    await saved(b);
    const c = await open(context);
    expect((await records(c)).at(-1)).toBe("b5");
  });

  test("without locks, the later save is refused and nothing is overwritten", async ({ context }) => {
    const noLocks = `Object.defineProperty(navigator, "locks", { value: undefined });`;
    const a = await open(context, noLocks);
    const b = await open(context, noLocks);
    await act(a, "a0");
    await saved(a);
    await act(b, "b0");
    await reaches(b, "not-saved");
    const { mode, reason } = await status(b);
    expect(mode).toBe("reader");
    expect(reason).toContain("Another tab");
    expect(await records(b)).toEqual(["b0"]);
    expect(await records(await open(context, noLocks))).toEqual(["a0"]);
  });

  test("a reload of the only tab is not a second tab", async ({ context }) => {
    const page = await open(context);
    for (let i = 0; i < 5; i += 1) {
      await page.reload();
      await expect(page).toHaveTitle("ready");
      expect((await status(page)).mode).toBe("writer");
    }
  });
});

test.describe("the connection is lost (KB-45)", () => {
  /** Keeps hold of every connection the page opens. */
  const spy = `window.connections = [];
    const original = IDBFactory.prototype.open;
    IDBFactory.prototype.open = function (...args) {
      const request = original.apply(this, args);
      request.addEventListener("success", () => window.connections.push(request.result));
      return request;
    };`;

  for (const how of ["closed behind its back", "told by its close event"]) {
    test(`${how}: it opens again and saves`, async ({ context }) => {
      const page = await open(context, spy);
      await act(page, "a");
      await saved(page);
      await page.evaluate((event) => {
        for (const db of /** @type {any} */ (window).connections) {
          db.close();
          if (event) db.dispatchEvent(new Event("close"));
        }
      }, how.startsWith("told"));
      await act(page, "b");
      await saved(page);
      await page.reload();
      await expect(page).toHaveTitle("ready");
      expect(await records(page)).toEqual(["a", "b"]);
    });
  }

  test("the data are deleted behind its back: the whole state is saved anew", async ({ context }) => {
    const page = await open(context);
    await act(page, ...Array.from({ length: 25 }, (_, i) => `v${i}`));
    await saved(page);
    await page.evaluate(() => new Promise((resolve) => (indexedDB.deleteDatabase("loglanes").onsuccess = resolve)));
    await act(page, "one more");
    await saved(page);
    await page.reload();
    await expect(page).toHaveTitle("ready");
    expect(await records(page)).toHaveLength(26);
  });

  test("with the database gone, the next visit starts clean", async ({ context }) => {
    const page = await open(context);
    await act(page, "a");
    await saved(page);
    await page.evaluate(() => new Promise((resolve) => (indexedDB.deleteDatabase("loglanes").onsuccess = resolve)));
    await page.reload();
    await expect(page).toHaveTitle("ready");
    expect(await records(page)).toEqual([]);
    expect((await status(page)).state).toBe("saved");
  });
});

test.describe("saved data nobody can read", () => {
  /** @param {BrowserContext} context */
  async function damaged(context) {
    const page = await open(context);
    await act(page, "a", "b");
    await saved(page);
    await page.evaluate(() => {
      return new Promise((resolve) => {
        indexedDB.open("loglanes").onsuccess = ({ target }) => {
          const db = /** @type {IDBOpenDBRequest} */ (target).result;
          const transaction = db.transaction("chunks", "readwrite");
          transaction.objectStore("chunks").put(new TextEncoder().encode("9"), "manifest");
          transaction.oncomplete = () => resolve(db.close());
        };
      });
    });
    await page.reload();
    await expect(page).toHaveTitle("ready");
    return page;
  }
  /** @param {Page} page @returns {Promise<number>} */
  const chunks = (page) => page.evaluate(() => new /** @type {any} */ (window).Store().load(() => {}));

  test("are told, and left as they are", async ({ context }) => {
    const page = await damaged(context);
    const { mode, reason } = await status(page);
    expect(mode).toBe("memory");
    expect(reason).toContain("The manifest counts 9 records");
    await act(page, "new");
    await page.evaluate(() => /** @type {any} */ (window).saver.flush());
    expect(await chunks(page)).toBe(2);
    await page.reload();
    await expect(page).toHaveTitle("ready");
    expect((await status(page)).reason).toContain("The manifest counts 9 records");
  });

  test("give way to a state the user chose", async ({ context }) => {
    const page = await damaged(context);
    await page.evaluate(async () => {
      const w = /** @type {any} */ (window);
      w.log = new w.SmallLog();
      w.log.append("chosen");
      await w.saver.replace(w.log);
    });
    expect((await status(page)).state).toBe("saved");
    await page.reload();
    await expect(page).toHaveTitle("ready");
    expect(await records(page)).toEqual(["chosen"]);
  });
});

test("clearing leaves nothing behind", async ({ context }) => {
  const page = await open(context);
  await act(page, ...Array.from({ length: 25 }, (_, i) => `v${i}`));
  await saved(page);
  await page.evaluate(() => {
    const w = /** @type {any} */ (window);
    return w.saver.replace((w.log = new w.SmallLog()));
  });
  expect(await page.evaluate(() => new /** @type {any} */ (window).Store().load(() => {}))).toBe(0);
  await act(page, "after");
  await saved(page);
  await page.reload();
  await expect(page).toHaveTitle("ready");
  expect(await records(page)).toEqual(["after"]);
});

test("a broken engine is not saved, and what was saved comes back", async ({ context }) => {
  const page = await open(context);
  await act(page, "good");
  await saved(page);
  await page.evaluate(async () => {
    const w = /** @type {any} */ (window);
    w.log.append("broken");
    w.saver.touch();
    w.saver.detach();
    await w.saver.flush();
  });
  await page.reload();
  await expect(page).toHaveTitle("ready");
  expect(await records(page)).toEqual(["good"]);
  await act(page, "goes on");
  await saved(page);
  await page.reload();
  await expect(page).toHaveTitle("ready");
  expect(await records(page)).toEqual(["good", "goes on"]);
});
