/**
 * @file Side by side: every side does the same work in turn, round after round, in one tab. What
 * counts is the ratio of two sides; a rate alone says more about the machine.
 */

/**
 * @typedef {object} Prepared
 * @property {() => unknown} run Does the work once; this is timed.
 * @property {() => unknown} [reset] Undoes it before the next round; this is not.
 *
 * @typedef {object} Side One way to do the work.
 * @property {string} name
 * @property {(count: number) => Prepared | Promise<Prepared>} prepare Makes ready for `count`
 *   units of work.
 *
 * @typedef {object} Measure
 * @property {string} name
 * @property {string} unit What one unit of work is, in the plural.
 * @property {number} count How many units one round does.
 * @property {string} [goal] What we want of it, as docs/benchmarks.md has it.
 * @property {Side[]} sides The first is what the others are compared with.
 * @property {() => Promise<string[]>} [facts] What is counted and not timed; asked first, while
 *   the tab is fresh.
 *
 * @typedef {object} Row
 * @property {string} side
 * @property {number} ms The median time of a round.
 * @property {number} rate Units a second, the median of all rounds.
 * @property {number} spread The slowest round's time over the fastest's.
 * @property {number} ratio The rate over the first side's rate.
 *
 * @typedef {object} Result
 * @property {string} name
 * @property {string} unit
 * @property {number} count
 * @property {string} goal
 * @property {string[]} facts
 * @property {Row[]} rows
 */

/** Rounds that count, after two that warm up. */
const ROUNDS = 9;
const WARM_UP = 2;

/**
 * @param {Measure} measure
 * @returns {Promise<Result>}
 */
export async function measure({ name, unit, count, goal = "", sides, facts: askFacts }) {
  const facts = (await askFacts?.()) ?? [];
  const ready = [];
  for (const side of sides) {
    ready.push({ side: side.name, work: await side.prepare(count), times: /** @type {number[]} */ ([]) });
  }
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    for (let turn = 0; turn < ready.length; turn += 1) {
      // Each round another side begins, so that none always follows the same one.
      const { work, times } = ready[(round + turn) % ready.length];
      await pause();
      const start = performance.now();
      await work.run();
      const time = performance.now() - start;
      if (round >= WARM_UP) times.push(time);
      await work.reset?.();
    }
  }
  const rows = ready.map(({ side, times }) => {
    times.sort((a, b) => a - b);
    const median = times[Math.floor(times.length / 2)];
    return { side, ms: median, rate: (count / median) * 1000, spread: times[times.length - 1] / times[0], ratio: 1 };
  });
  for (const row of rows) row.ratio = row.rate / rows[0].rate;
  return { name, unit, count, goal, facts, rows };
}

/** Lets the tab breathe, and collect what the last side left. */
function pause() {
  return new Promise((resolve) => setTimeout(resolve, 10));
}
