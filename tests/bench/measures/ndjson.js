/** @file Importing lines of JSON, in the pieces in which the page reads a file. */

import { PIECE_BYTES } from "../../../www/jobs.js";
import { NOW, TOPIC, onEmptyTopic } from "../sides/engine.js";
import { KEYS, PARTITIONS } from "../sides/records.js";

/** @param {number} count */
function lines(count) {
  let text = "";
  for (let i = 0; i < count; i += 1) {
    text += `{"user":"user_${i % KEYS}","action":"paid","amount":${i},"note":"about 100 bytes, as in the other measures"}\n`;
  }
  return new TextEncoder().encode(text);
}

/** @type {import("../measure.js").Measure} */
export const ndjson = {
  name: "import NDJSON",
  unit: "lines",
  count: 200_000,
  goal: "1 million lines/s",
  sides: [
    {
      name: "JSON.parse, plain arrays",
      prepare(count) {
        const bytes = lines(count);
        return {
          run() {
            const partitions = Array.from({ length: PARTITIONS }, () => /** @type {object[]} */ ([]));
            const text = new TextDecoder().decode(bytes);
            text.split("\n").forEach((line, i) => {
              if (line) partitions[i % PARTITIONS].push(JSON.parse(line));
            });
          },
        };
      },
    },
    onEmptyTopic("Loglanes", (count) => {
      const bytes = lines(count);
      return (engine) => {
        engine.beginImport({ topic: TOPIC, key: { from: "field", path: "user" } }, NOW);
        for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
          engine.feed(bytes.subarray(at, at + PIECE_BYTES));
        }
        engine.finish();
      };
    }),
  ],
};
