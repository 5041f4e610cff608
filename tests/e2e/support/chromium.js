// @ts-check
/** @file The Chromium of this machine. Nothing is downloaded. */

import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/**
 * Chromium's path: `LOGLANES_CHROMIUM`, else the first of its usual names on the PATH.
 * @returns {string}
 */
export function chromiumPath() {
  if (process.env.LOGLANES_CHROMIUM) return process.env.LOGLANES_CHROMIUM;
  const folders = (process.env.PATH ?? "").split(delimiter);
  for (const name of NAMES) {
    for (const folder of folders) {
      const path = join(folder, name);
      if (existsSync(path)) return path;
    }
  }
  throw new Error(
    "Chromium is not on the PATH: install it, or name its program in LOGLANES_CHROMIUM",
  );
}

/**
 * How Chromium starts: quiet on the network, whoever starts it.
 * @returns {import("@playwright/test").LaunchOptions}
 */
export function launchOptions() {
  return {
    executablePath: chromiumPath(),
    args: [
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  };
}
