/**
 * @file The lessons that lie in www/lessons: the page knows none of them by name. Their index is written
 * when the page is built.
 */

/** @typedef {{ id: string, title: string, file: string }} Lesson */

const FOLDER = new URL("../lessons/", import.meta.url);
const FALLBACK = "en";

export class Lessons {
  /** @type {Promise<Lesson[]> | null} */
  #list = null;
  #language = FALLBACK;

  /** In their order; in the reader's language where there are any. @returns {Promise<Lesson[]>} */
  list() {
    this.#list ??= this.#load().catch((error) => {
      // Tried again next time: the connection may be back.
      this.#list = null;
      throw error;
    });
    return this.#list;
  }

  /** @param {Lesson} lesson @returns {Promise<string>} */
  async text({ file }) {
    return (await get(`${this.#language}/${encodeURIComponent(file)}`)).text();
  }

  async #load() {
    /** @type {Record<string, { file: string, title: string }[]>} */
    const index = await (await get("index.json")).json();
    const wanted = navigator.languages.map((tag) => tag.split("-")[0] ?? "");
    this.#language = wanted.find((language) => Object.hasOwn(index, language)) ?? FALLBACK;
    return (index[this.#language] ?? []).map(({ file, title }) => ({ file, title, id: file.replace(/\.[^.]*$/, "") }));
  }
}

/** @param {string} path */
async function get(path) {
  const response = await fetch(new URL(path, FOLDER));
  if (!response.ok) throw new Error(`The server answered ${response.status} for www/lessons/${path}.`);
  return response;
}
