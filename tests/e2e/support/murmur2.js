// @ts-check
/** @file Kafka's murmur2, written down once more for the tests, so that the page is not checked by itself. */

/** Math.imul and the shifts keep every step in 32 bits, as Java's int does. */
const SEED = 0x9747b28c;
const M = 0x5bd1e995;

/**
 * murmur2 as a signed 32-bit number. Source: clients' Utils.murmur2.
 * @param {Uint8Array} bytes
 * @returns {number}
 */
export function murmur2(bytes) {
  let hash = (SEED ^ bytes.length) | 0;
  const whole = bytes.length & ~3;
  for (let at = 0; at < whole; at += 4) {
    let k = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
    k = Math.imul(k, M);
    k ^= k >>> 24;
    k = Math.imul(k, M);
    hash = Math.imul(hash, M) ^ k;
  }
  const rest = bytes.length & 3;
  if (rest === 3) hash ^= bytes[whole + 2] << 16;
  if (rest >= 2) hash ^= bytes[whole + 1] << 8;
  if (rest >= 1) hash = Math.imul(hash ^ bytes[whole], M);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, M);
  return hash ^ (hash >>> 15);
}

/**
 * Where a key goes, and every number on the way.
 * @param {Uint8Array | string} key
 * @param {number} partitions
 */
export function placed(key, partitions) {
  const hash = murmur2(typeof key === "string" ? new TextEncoder().encode(key) : key);
  const masked = hash & 0x7fffffff;
  return { hash, masked, partition: masked % partitions };
}
