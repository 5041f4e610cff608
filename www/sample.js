/** @file The flights that come with Loglanes; www/samples/README.md says what they are. */

/** What the first screen makes of them with one click. */
export const SAMPLE = { topic: "flights", partitions: 6, keyField: "origin" };

const ADDRESS = new URL("./samples/flights-20k.ndjson", import.meta.url);

/** @returns {Promise<File>} rejects if the server does not send it */
export async function fetchSample() {
  const response = await fetch(ADDRESS);
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  return new File([await response.blob()], "flights.ndjson", { type: "application/x-ndjson" });
}
