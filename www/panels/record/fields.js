/**
 * @file The fields of a record batch's head and of a record, in Kafka's message format v2, cut out of
 * the bytes themselves. Source: clients' DefaultRecordBatch and DefaultRecord.
 */

/** @typedef {{ name: string, at: number, bytes: Uint8Array, value: string }} Field */

/** Name, size and how to read it, in the order of the bytes. 61 bytes in all. */
const HEAD = /** @type {const} */ ([
  ["baseOffset", 8, "int64"],
  ["batchLength", 4, "int32"],
  ["partitionLeaderEpoch", 4, "int32"],
  ["magic", 1, "int8"],
  ["crc", 4, "uint32"],
  ["attributes", 2, "bits"],
  ["lastOffsetDelta", 4, "int32"],
  ["baseTimestamp", 8, "int64"],
  ["maxTimestamp", 8, "int64"],
  ["producerId", 8, "int64"],
  ["producerEpoch", 2, "int16"],
  ["baseSequence", 4, "int32"],
  ["recordsCount", 4, "int32"],
]);

/** What each bit of a batch's attributes says. */
const CODECS = ["no compression", "gzip", "snappy", "lz4", "zstd"];

/**
 * @param {number} attributes
 * @returns {string}
 */
function attributesInWords(attributes) {
  const words = [CODECS[attributes & 7] ?? `codec ${attributes & 7}`, attributes & 8 ? "LogAppendTime" : "CreateTime"];
  if (attributes & 16) words.push("transactional");
  if (attributes & 32) words.push("control");
  if (attributes & 64) words.push("has delete horizon");
  return words.join(", ");
}

/**
 * The 61 bytes before a batch's records.
 * @param {Uint8Array} header
 * @returns {Field[]}
 */
export function batchFields(header) {
  const data = new DataView(header.buffer, header.byteOffset, header.byteLength);
  const fields = [];
  let at = 0;
  for (const [name, width, kind] of HEAD) {
    if (at + width > header.length) break;
    const value = {
      int8: () => String(data.getInt8(at)),
      int16: () => String(data.getInt16(at)),
      bits: () => `${data.getInt16(at)} (${attributesInWords(data.getInt16(at))})`,
      int32: () => String(data.getInt32(at)),
      uint32: () => `${data.getUint32(at)} (CRC-32C of what follows)`,
      int64: () => String(data.getBigInt64(at)),
    }[kind]();
    fields.push({ name, at, bytes: header.subarray(at, at + width), value });
    at += width;
  }
  return fields;
}

/**
 * A record's own fields. Stops where the bytes do not read as a record.
 * @param {Uint8Array} bytes length prefix included
 * @returns {Field[]}
 */
export function recordFields(bytes) {
  /** @type {Field[]} */
  const fields = [];
  let at = 0;
  const take = (/** @type {string} */ name, /** @type {number} */ width, /** @type {string} */ value) => {
    fields.push({ name, at, bytes: bytes.subarray(at, at + width), value });
    at += width;
  };
  /** @param {string} name @param {(value: bigint) => string} [say] */
  const varint = (name, say = String) => {
    const read = zigzag(bytes, at);
    if (!read) return null;
    take(name, read.width, say(read.value));
    return Number(read.value);
  };
  /** @param {string} name */
  const sized = (name) => {
    const length = varint(`${name} length`, (value) => (value < 0n ? `${value} (none)` : String(value)));
    if (length === null) return false;
    if (length > 0) take(name, Math.min(length, bytes.length - at), `${length} bytes`);
    return true;
  };
  if (varint("length") === null) return fields;
  if (at >= bytes.length) return fields;
  take("attributes", 1, String(bytes[at]));
  if (varint("timestampDelta") === null || varint("offsetDelta") === null) return fields;
  if (!sized("key") || !sized("value")) return fields;
  const headers = varint("headers count") ?? 0;
  for (let i = 0; i < headers; i++) if (!sized(`header ${i} key`) || !sized(`header ${i} value`)) return fields;
  return fields;
}

/** Kinds of control records, by their number in the key. Source: clients' ControlRecordType. */
const CONTROLS = ["ABORT", "COMMIT", "LEADER_CHANGE", "SNAPSHOT_HEADER", "SNAPSHOT_FOOTER", "KRAFT_VERSION", "KRAFT_VOTERS"];

/**
 * What the key and the value of a control record say. Source: clients' ControlRecordType,
 * EndTransactionMarker. Empty where they are too short to say it.
 * @param {Uint8Array | null} key
 * @param {Uint8Array | null} value
 * @returns {[name: string, value: string][]}
 */
export function markerFields(key, value) {
  const of = (/** @type {Uint8Array} */ bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  /** @type {[string, string][]} */
  const fields = [];
  if (key === null || key.length < 4) return fields;
  const type = of(key).getInt16(2);
  fields.push(["Key version", String(of(key).getInt16(0))], ["Type", `${type} (${CONTROLS[type] ?? "unknown"})`]);
  if (value !== null && value.length >= 6 && type <= 1) {
    fields.push(["Value version", String(of(value).getInt16(0))], ["Coordinator epoch", String(of(value).getInt32(2))]);
  }
  return fields;
}

/**
 * A zigzag varint of up to ten bytes.
 * @param {Uint8Array} bytes
 * @param {number} at
 * @returns {{ value: bigint, width: number } | null}
 */
function zigzag(bytes, at) {
  let raw = 0n;
  for (let width = 1; width <= 10; width++) {
    const byte = bytes[at + width - 1];
    if (byte === undefined) return null;
    raw |= BigInt(byte & 0x7f) << BigInt(7 * (width - 1));
    if (byte < 0x80) return { value: (raw >> 1n) ^ -(raw & 1n), width };
  }
  return null;
}
