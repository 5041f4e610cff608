/** @file A million records saved, saved again after one more, restored; and the memory they take. */

import { Restorer } from "../../../www/pkg/loglanes.js";
import { NOW, TOPIC, generate, load, onFullTopic, start } from "../sides/engine.js";
import { KEYS, keys, value } from "../sides/records.js";

/** @import { Loglanes } from "../../../www/pkg/loglanes.js" */

const COUNT = 1_000_000;

/** @type {import("../measure.js").Measure} */
export const keeping = {
  name: "save and restore",
  unit: "records",
  count: COUNT,
  goal: "restore in 1 s; one more record under 128 KiB; memory 1.3 x the batch bytes",
  sides: [
    onFullTopic("the first save", { keys: KEYS, run: save }),
    onFullTopic("after one more record", {
      keys: KEYS,
      ready(engine) {
        save(engine);
        engine.produce(TOPIC, keys[0], value, NOW);
      },
      run: save,
    }),
    {
      name: "restore",
      async prepare(count) {
        const engine = await start();
        generate(engine, count, KEYS);
        const chunks = save(engine);
        engine.free();
        /** @type {Loglanes | undefined} */
        let restored;
        return {
          run() {
            const restorer = new Restorer();
            for (const { key, bytes } of chunks) restorer.add(key, bytes);
            restored = restorer.finish();
          },
          reset: () => restored?.free(),
        };
      },
    },
  ],
  async facts() {
    const { memory } = await load();
    const engine = await start();
    generate(engine, COUNT, KEYS);
    const { bytes } = engine.view(NOW);
    const held = memory.buffer.byteLength;
    save(engine);
    engine.produce(TOPIC, keys[0], value, NOW);
    const written = save(engine).reduce((sum, { bytes }) => sum + bytes.length, 0);
    engine.free();
    return [
      `memory of the module: ${(held / bytes).toFixed(2)} x the batch bytes`,
      `written after one more record: ${(written / 1024).toFixed(1)} KiB`,
    ];
  },
};

/** @param {Loglanes} engine */
function save(engine) {
  const written = [];
  for (let changes = engine.changes(); changes; changes = engine.changes()) {
    written.push(...changes.puts);
    engine.saved(changes.token);
  }
  return written;
}
