/** @file What run.js calls in the page. */

import { measure } from "./measure.js";
import { measures } from "./measures/index.js";

/**
 * @typedef {object} Bench
 * @property {string[]} names Every measure, in order.
 * @property {(name: string) => Promise<import("./measure.js").Result>} run
 */

/** @type {Bench} */
const bench = {
  names: measures.map(({ name }) => name),
  async run(name) {
    const found = measures.find((one) => one.name === name);
    if (!found) throw new Error(`there is no measure called ${name}`);
    return await measure(found);
  },
};

Object.assign(window, { bench });
