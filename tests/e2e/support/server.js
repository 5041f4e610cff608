// @ts-check
/** @file `cargo xtask serve`, started and stopped by tests and benchmarks. */

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/**
 * @typedef {object} Server
 * @property {string} url Where the page is, without a slash at the end.
 * @property {() => Promise<void>} stop Stops the server.
 */

/**
 * Serves what is in www/pkg already, on a free port.
 * @param {object} [options]
 * @param {string} [options.csp] Another Content-Security-Policy header, or "none".
 * @param {string[]} [options.also] More files and folders of the repository to serve.
 * @returns {Promise<Server>}
 */
export async function startServer({ csp, also = [] } = {}) {
  const serve = ["serve", "--no-build", "--port", "0"];
  if (csp !== undefined) serve.push("--csp", csp);
  for (const path of also) serve.push("--also", path);

  // `cargo xtask` names its own program, so that cargo need not run again.
  const xtask = process.env.LOGLANES_XTASK;
  const child = xtask
    ? spawn(xtask, serve, { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] })
    : spawn("cargo", ["xtask", ...serve], { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] });

  const kill = () => child.kill();
  process.once("exit", kill);
  const ended = new Promise((resolve) => child.once("close", resolve));

  const url = await new Promise((resolve, reject) => {
    let output = "";
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (text) => {
      output += text;
      const found = /http:\/\/[\d.]+:\d+/.exec(output);
      if (found) resolve(found[0]);
    });
    child.once("error", reject);
    child.once("close", (code) => {
      reject(new Error(`the server ended with ${code} before it began: ${output}`));
    });
  });

  return {
    url,
    async stop() {
      process.off("exit", kill);
      child.kill();
      await ended;
    },
  };
}
