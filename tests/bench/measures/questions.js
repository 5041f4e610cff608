/** @file Questions about a topic of a million records and 100,000 keys, and drawing it. */

import { PARTITIONS } from "../sides/records.js";
import { TOPIC, onFullTopic } from "../sides/engine.js";

/** @import { Loglanes } from "../../../www/pkg/loglanes.js" */

const KEYS = 100_000;

/** The lanes and their width in the goal for drawing. */
const LANES = 48;
const WIDTH = 1600;

/** @type {import("../measure.js").Measure} */
export const whatIf = {
  name: "what growing a topic would move",
  unit: "records",
  count: 1_000_000,
  goal: "300 ms",
  sides: [
    onFullTopic("the first time", { keys: KEYS, run: ask }),
    onFullTopic("asked again", { keys: KEYS, ready: ask, run: ask }),
  ],
};

/** @type {import("../measure.js").Measure} */
export const scan = {
  name: "scan and decode",
  unit: "records",
  count: 1_000_000,
  goal: "10 million/s",
  sides: [
    onFullTopic("a tag for each record", { keys: KEYS, run: (engine) => draw(engine, PARTITIONS) }),
    onFullTopic("the census of keys", { keys: KEYS, run: (engine) => engine.keys(TOPIC, 10) }),
  ],
};

/** @type {import("../measure.js").Measure} */
export const lanes = {
  name: `tags for ${LANES} lanes of ${WIDTH} pixels, of a million records`,
  unit: "records",
  count: 1_000_000,
  goal: "well under 16.7 ms, the whole frame's time",
  sides: [
    onFullTopic("a frame", {
      partitions: LANES,
      keys: KEYS,
      ready: (engine) => draw(engine, LANES),
      run: (engine) => draw(engine, LANES),
    }),
  ],
};

/** @param {Loglanes} engine */
function ask(engine) {
  return engine.whatIf(TOPIC, 2 * PARTITIONS, 100);
}

/**
 * @param {Loglanes} engine
 * @param {number} partitions
 */
function draw(engine, partitions) {
  for (let partition = 0; partition < partitions; partition += 1) {
    engine.laneTags(TOPIC, partition, 0n, 1_000_000 / partitions / WIDTH, WIDTH);
  }
}
