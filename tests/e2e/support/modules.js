// @ts-check
/**
 * @file Pages made by the tests, for a module of the page on its own: no server, no engine, and for
 * each test a storage of its own.
 */

import { readFile } from "node:fs/promises";

/** A secure name, so that the page has Web Locks; every request to it is answered here. */
export const ORIGIN = "https://loglanes.test";
const ROOT = new URL("../../../", import.meta.url);

/**
 * @param {import("@playwright/test").BrowserContext} context
 * @param {Record<string, string>} pages HTML by path; every other path is a script of the repository
 */
export async function serveModules(context, pages) {
  await context.route(`${ORIGIN}/**`, async (route) => {
    const { pathname } = new URL(route.request().url());
    // A sandboxed frame is of no origin, so to it even its own page's scripts are foreign.
    const headers = { "access-control-allow-origin": "*" };
    if (pages[pathname] !== undefined) return route.fulfill({ contentType: "text/html", headers, body: pages[pathname] });
    const body = await readFile(new URL(`.${pathname}`, ROOT)).catch(() => null);
    return body === null ? route.fulfill({ status: 404 }) : route.fulfill({ contentType: "text/javascript", headers, body });
  });
}
