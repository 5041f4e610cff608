// @ts-check
/** @file Jobs in slices, with an engine that only writes down what it is given. */

import { expect, test } from "@playwright/test";
import { ORIGIN, serveModules } from "./support/modules.js";

/** @import { Page } from "@playwright/test" */

const HARNESS = `<!doctype html><meta charset="utf-8"><title>jobs</title><script type="module">
  window.jobs = await import("/www/jobs.js");
  window.exports = await import("/www/exports.js");
  window.sinkOf = () => {
    const said = { parts: [], ended: null };
    const end = (how) => async () => { said.ended = how; };
    return Object.assign(said, { sink: { write: async (more) => { said.parts.push(...more); }, close: end("close"), abort: end("abort") } });
  };
  window.JobDock = (await import("/www/panels/job-dock.js")).JobDock;
  window.Scribe = class {
    fed = []; stepped = 0; calls = []; slow = 0;
    #progress = (kind) => ({ kind, topic: "t", records: kind === "generate" ? this.stepped : this.fed.length, bytes: 0, refused: 0, refusals: [], total: null });
    #work() { for (const until = performance.now() + this.slow; performance.now() < until; ); }
    beginImport() { return this.#progress("import"); }
    beginGenerate() { return this.#progress("generate"); }
    feed(bytes) { this.#work(); for (const byte of bytes) this.fed.push(byte); return this.#progress("import"); }
    step(records) { this.#work(); this.calls.push(records); this.stepped += records; return this.#progress("generate"); }
    jobProgress() { return this.#progress("import"); }
    end() { this.over = true; return this.#progress("import"); }
    finish() { this.ended = "finish"; return { type: "done" }; }
    cancel() { this.ended = "cancel"; return { type: "done" }; }
  };
  document.title = "ready";
</script>`;

test.beforeEach(async ({ context, page }) => {
  await serveModules(context, { "/": HARNESS });
  await page.goto(ORIGIN);
  await expect(page).toHaveTitle("ready");
});

for (const size of [0, 1, 256 * 1024 - 1, 256 * 1024, 256 * 1024 + 1, 700_000]) {
  test(`a file of ${size} bytes is fed whole, once and in order`, async ({ page }) => {
    const result = await page.evaluate(async (length) => {
      const { jobs, Scribe } = /** @type {any} */ (window);
      const bytes = Uint8Array.from({ length }, (_, i) => (i === length - 1 ? 10 : i % 251));
      const scribe = new Scribe();
      const end = await jobs.runImport(scribe, new Blob([bytes]), { topic: "t" });
      return { same: scribe.fed.length === length && bytes.every((byte, i) => byte === scribe.fed[i]), ended: scribe.ended, done: end.report.done, total: end.report.total, failure: end.failure };
    }, size);
    expect(result).toEqual({ same: true, ended: "finish", done: size, total: size, failure: null });
  });
}

test("the end of a file is told, and no byte is made up", async ({ page }) => {
  const text = await page.evaluate(async () => {
    const { jobs, Scribe } = /** @type {any} */ (window);
    const scribe = new Scribe();
    await jobs.runImport(scribe, new Blob(["{}\n{}"]), { topic: "t" });
    return String.fromCharCode(...scribe.fed) + (scribe.over ? "|" : "");
  });
  expect(text).toBe("{}\n{}|");
});

test("a generation makes exactly what was asked for", async ({ page }) => {
  const result = await page.evaluate(async () => {
    const { jobs, Scribe } = /** @type {any} */ (window);
    const scribe = new Scribe();
    const end = await jobs.runGenerate(scribe, { count: 123_457 });
    return { stepped: scribe.stepped, ended: scribe.ended, done: end.report.done };
  });
  expect(result).toEqual({ stepped: 123_457, ended: "finish", done: 123_457 });
});

test("slow work comes in smaller pieces, and the page has its turn in between", async ({ page }) => {
  const { calls, turns } = await page.evaluate(async () => {
    const { jobs, Scribe } = /** @type {any} */ (window);
    const scribe = new Scribe();
    // The first piece takes far longer than a slice; smaller ones take less.
    const step = scribe.step.bind(scribe);
    scribe.step = (/** @type {number} */ records) => {
      scribe.slow = records * 0.05;
      return step(records);
    };
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 0);
    await jobs.runGenerate(scribe, { count: 3_000 });
    clearInterval(timer);
    return { calls: scribe.calls, turns };
  });
  expect(Math.min(...calls.slice(0, -1))).toBeLessThan(calls[0]);
  expect(turns).toBeGreaterThan(1);
});

test("a cancelled job stops, and says so", async ({ page }) => {
  const result = await page.evaluate(async () => {
    const { jobs, Scribe } = /** @type {any} */ (window);
    const scribe = new Scribe();
    scribe.slow = 5;
    const stop = new AbortController();
    const end = await jobs.runGenerate(scribe, { count: 10_000_000 }, { signal: stop.signal, tell: () => stop.abort() });
    return { ended: scribe.ended, cancelled: end.cancelled, failure: end.failure, all: scribe.stepped === 10_000_000 };
  });
  expect(result).toEqual({ ended: "cancel", cancelled: true, failure: null, all: false });
});

test("a file that cannot be read on ends the job with the reason, and keeps what came before", async ({ page }) => {
  const result = await page.evaluate(async () => {
    const { jobs, Scribe } = /** @type {any} */ (window);
    const scribe = new Scribe();
    const file = new Blob([new Uint8Array(600_000)]);
    const slice = file.slice.bind(file);
    let reads = 0;
    file.slice = (from, to) => {
      reads += 1;
      if (reads < 3) return slice(from, to);
      return Object.assign(new Blob(), { arrayBuffer: () => Promise.reject(new DOMException("It has changed.", "NotReadableError")) });
    };
    const end = await jobs.runImport(scribe, file, { topic: "t" });
    return { ended: scribe.ended, fed: scribe.fed.length, failure: end.failure.name, cancelled: end.cancelled };
  });
  expect(result).toEqual({ ended: "cancel", fed: 2 * 256 * 1024, failure: "NotReadableError", cancelled: false });
});

test("an engine that breaks is reported as it broke", async ({ page }) => {
  const message = await page.evaluate(() => {
    const { jobs, Scribe } = /** @type {any} */ (window);
    const scribe = new Scribe();
    scribe.step = () => { throw new Error("unreachable executed"); };
    scribe.cancel = () => { throw new Error("recursive use of an object"); };
    return jobs.runGenerate(scribe, { count: 10 }).then(() => "", (/** @type {Error} */ error) => error.message);
  });
  expect(message).toBe("unreachable executed");
});

test("records that the broker refuses after they were sent are told, too", async ({ page }) => {
  const told = await page.evaluate(() => {
    const { JobDock } = /** @type {any} */ (window);
    const progress = { kind: "import", topic: "t", records: 5, bytes: 10, refused: 1, refusals: [{ line: 2, reason: "no" }], total: null };
    const report = { kind: "import", progress, done: 10, total: 10, ms: 1, rate: 0, left: null };
    const outcome = (/** @type {number} */ refused) => ({ type: "producedMany", topic: "t", records: 6 - refused, bytes: 10, refused, partitions: [] });
    const dock = new JobDock(document.body);
    return [1, 4].map((refused) => {
      dock.finished([{ name: null, end: { outcome: outcome(refused), report, cancelled: false, failure: null } }]);
      return document.body.innerText.includes("3 records were refused by the broker");
    });
  });
  expect(told).toEqual([false, true]);
});

test("a state file is its chunks, one after the other, and is read back whole", async ({ page }) => {
  const text = await page.evaluate(async () => {
    const { jobs } = /** @type {any} */ (window);
    const chunks = ["LOGLANES", "abc", "", "def"].map((part) => new TextEncoder().encode(part));
    const { exports, sinkOf } = /** @type {any} */ (window);
    const { sink, parts } = sinkOf();
    await exports.writeState({ exportChunk: (/** @type {number} */ i) => chunks[i] ?? null }, 17, sink);
    const file = new Blob(parts);
    let read = "";
    const restorer = { feedFile: (/** @type {Uint8Array} */ bytes) => (read += new TextDecoder().decode(bytes)), finish: () => read };
    return jobs.readState(file, restorer);
  });
  expect(text).toBe("LOGLANESabcdef");
});

test("a state file is known by its first eight bytes", async ({ page }) => {
  const known = await page.evaluate(() => {
    const { jobs } = /** @type {any} */ (window);
    return ["LOGLANES", "LOGLANES\x01", "LOGLANE", "loglanes", ""].map((text) => jobs.isState(new TextEncoder().encode(text)));
  });
  expect(known).toEqual([true, true, false, false, false]);
});

/**
 * Writes ten parts of 300,000 bytes with a sink of the test's own.
 * @param {Page} page
 * @param {{ stopAfter?: number, failAt?: number }} how
 */
function writeTen(page, { stopAfter = Infinity, failAt = Infinity }) {
  return page.evaluate(async ({ stopAfter: last, failAt: bad }) => {
    const { exports, sinkOf } = /** @type {any} */ (window);
    const { sink, parts, ...rest } = sinkOf();
    const said = Object.assign(rest, { sink, parts, writes: 0 });
    const stop = new AbortController();
    let given = 0;
    const ended = { how: /** @type {string | null} */ (null) };
    const own = {
      write: async (/** @type {Uint8Array[]} */ more) => {
        said.writes += 1;
        if (said.writes > bad) throw new DOMException("The disk is full.", "QuotaExceededError");
        parts.push(...more);
      },
      close: async () => { ended.how = "close"; },
      abort: async () => { ended.how = "abort"; },
    };
    const progress = () => ({ records: given, bytes: given * 300_000, done: given, total: 10 });
    const engine = {
      beginExport: progress,
      exportNext: () => {
        if (given === 10) return null;
        given += 1;
        if (given === last) stop.abort();
        return new Uint8Array(300_000).fill(given);
      },
      exportProgress: progress,
    };
    const end = await exports.writeRecords(engine, {}, own, { signal: stop.signal });
    const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
    return { ended: ended.how, given, inOrder: bytes.every((byte, i) => byte === Math.floor(i / 300_000) + 1), length: bytes.length, cancelled: end.cancelled, failure: end.failure?.name ?? null, done: end.report.done, total: end.report.total };
  }, { stopAfter, failAt });
}

test("a file is handed over as it comes, whole and in order, and closed", async ({ page }) => {
  expect(await writeTen(page, {})).toEqual({ ended: "close", given: 10, inOrder: true, length: 3_000_000, cancelled: false, failure: null, done: 10, total: 10 });
});

test("a stopped file is given up: there is none, and the rest is not made", async ({ page }) => {
  const end = await writeTen(page, { stopAfter: 5 });
  expect(end).toMatchObject({ ended: "abort", cancelled: true, failure: null });
  expect(end.given).toBeLessThan(7);
});

test("a file that cannot be written on is given up with the reason", async ({ page }) => {
  expect(await writeTen(page, { failAt: 1 })).toMatchObject({ ended: "abort", cancelled: false, failure: "QuotaExceededError" });
});

test("what came of several files is told file by file, and counted together", async ({ page }) => {
  const text = await page.evaluate(() => {
    const { JobDock } = /** @type {any} */ (window);
    const end = (/** @type {number} */ records, /** @type {object} */ more) => {
      const progress = { kind: "import", topic: "t", records, bytes: 10, refused: 0, refusals: [], total: null, last: { unit: "line", at: records }, ...more };
      const outcome = { type: "producedMany", topic: "t", records, bytes: 10, refused: progress.refused, partitions: [{ partition: 0, records }] };
      return { outcome, report: { progress, done: 10, total: 10, ms: 1, rate: 0, left: null }, cancelled: false, failure: null };
    };
    const dock = new JobDock(document.body);
    dock.finished([{ name: "a.ndjson", end: end(2, { refused: 1, refusals: [{ unit: "line", at: 3, reason: "no" }] }) }, { name: "b.ndjson", end: { ...end(5, {}), cancelled: true } }]);
    return document.body.innerText;
  });
  expect(text).toContain("Stopped: 7 records are in t in 1 partition");
  expect(text).toMatch(/a\.ndjson\s+1 line was refused:\s+line 3 no/);
  expect(text).toContain("The last record taken begins at line 5.");
});
