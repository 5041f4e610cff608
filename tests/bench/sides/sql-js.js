/** @file Inserts a row a record into SQLite, compiled to wasm as sql.js, in one transaction. */

import { KEYS, PARTITIONS, keys, value } from "./records.js";

/** @type {import("../measure.js").Side} */
export const sqlJs = {
  name: "sql.js",
  async prepare(count) {
    /** @type {import("sql.js").InitSqlJsStatic} */
    const init = Reflect.get(window, "initSqlJs");
    const sql = await init({ locateFile: (file) => `/node_modules/sql.js/dist/${file}` });
    const database = new sql.Database();
    database.run("CREATE TABLE record (partition INTEGER, timestamp INTEGER, key BLOB, value BLOB)");
    const insert = database.prepare("INSERT INTO record VALUES (?, ?, ?, ?)");
    return {
      run() {
        database.run("BEGIN");
        for (let i = 0; i < count; i += 1) insert.run([i % PARTITIONS, i, keys[i % KEYS], value]);
        database.run("COMMIT");
      },
      reset: () => database.run("DELETE FROM record"),
    };
  },
};
