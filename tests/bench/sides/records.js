/** @file The records that every side gets: 100 bytes of value, a key of a thousand. */

/** Bytes of a value. */
export const VALUE_BYTES = 100;

/** How many different keys there are. */
export const KEYS = 1000;

/** How many partitions a side that has them spreads the records over. */
export const PARTITIONS = 6;

const encoder = new TextEncoder();

/** The keys, as bytes. */
export const keys = Array.from({ length: KEYS }, (_, i) => encoder.encode(`user_${i}`));

/** One value; its bytes do not matter, as nothing here is compressed. */
export const value = Uint8Array.from({ length: VALUE_BYTES }, (_, i) => (i * 31) % 251);
