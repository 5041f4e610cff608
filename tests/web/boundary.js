/**
 * What JavaScript sees of the boundary. Each function is one test, run by `tests/web.rs` in a
 * browser: it is given a new `Loglanes`, and a `Restorer` where it needs one, and throws if
 * something does not hold. Types are `any` on purpose: many of these pass what no type allows.
 */

const NOW = 1_700_000_000_000;
const { isSafeInteger } = Number;
const utf8 = new TextEncoder();

/** @param {any} value @returns {string} */
function show(value) {
  if (typeof value === "bigint") return `${value}n`;
  if (value instanceof Uint8Array) return `bytes[${value.join(" ")}]`;
  if (Array.isArray(value)) return `[${value.map(show).join(", ")}]`;
  if (value !== null && typeof value === "object") {
    const parts = Object.entries(value).map(([name, one]) => `${name}: ${show(one)}`);
    return `{${parts.join(", ")}}`;
  }
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

/** @param {any} actual @param {any} expected */
function same(actual, expected) {
  if (show(actual) !== show(expected)) throw new Error(`${show(actual)} is not ${show(expected)}`);
}

/** @param {() => any} act @param {string} name @returns {any} the error */
function refused(act, name) {
  let answer;
  try {
    answer = act();
  } catch (error) {
    if (!(error instanceof Error)) throw new Error(`${error} is no Error`);
    same(error.name, name);
    return error;
  }
  throw new Error(`not refused: ${show(answer)}`);
}

/** @param {any} log @param {any} [partitions] */
function topic(log, partitions = 6) {
  return log.apply({ type: "createTopic", name: "t", partitions }, NOW);
}

/** @param {any} log */
function join(log, autoOffsetReset = "earliest") {
  log.apply({ type: "join", group: "g", member: "m", topics: ["t"], autoOffsetReset }, NOW);
}

/** @param {any} log */
export function errors_have_a_name_a_code_a_hint_and_say_who_refused(log) {
  topic(log);
  const broker = refused(() => log.repartition("t", 3, NOW), "INVALID_PARTITIONS");
  same(broker.code, 37);
  same(broker.refusal, "broker");
  same(broker.message, "The topic t currently has 6 partition(s); 3 would not be an increase.");
  same(broker.hint.length > 0, true);
  const client = refused(
    () => log.apply({ type: "produce", topic: "t", key: null, value: null, partition: -1 }, NOW),
    "IllegalArgumentException",
  );
  same([client.code, client.refusal], [null, "client"]);
  const ours = refused(
    () => log.apply({ type: "generate", topic: "t", count: 0, keys: 1, valueBytes: 1, seed: 1 }, NOW),
    "MAX_COUNT",
  );
  same([ours.code, ours.refusal], [null, "limit"]);
}

/** @param {any} log */
export function what_is_no_command_is_refused_in_a_sentence(log) {
  const before = show(log.view(NOW));
  for (const command of [
    { type: "fly" },
    { type: "createTopic" },
    {},
    null,
    undefined,
    7,
    "createTopic",
    [],
    { type: "createTopic", name: 7 },
    { type: "createTopic", name: "t", partition: 6 },
    { type: "produceMany", topic: "t", records: [] },
    { type: "tick", now: 1 },
    { type: "seek", group: "g", member: "m", topic: "t", partition: 0, to: "middle" },
  ]) {
    const error = refused(() => log.apply(command, NOW), "LOGLANES");
    same([error.code, error.refusal], [null, "loglanes"]);
    same(error.message.startsWith("This is no command: "), true);
  }
  // One that brings no records sends none, and says so.
  const empty = refused(() => log.apply({ type: "produceMany", topic: "t" }, NOW), "LOGLANES");
  same(empty.message, "A produceMany command brings no records with it.");
  same(show(log.view(NOW)), before);
}

/** @param {any} log */
export function numbers_that_are_not_whole_are_refused_not_cut(log) {
  topic(log);
  const before = show(log.view(NOW));
  for (const total of [6.5, NaN, Infinity, 4_294_967_303, -4_294_967_289, 2 ** 53]) {
    const error = refused(() => log.repartition("t", total, NOW), "LOGLANES");
    same(error.message.includes(String(total)), true);
    refused(() => log.whatIf("t", total, 10), "LOGLANES");
    refused(() => log.consume("g", "m", total, NOW), "LOGLANES");
    refused(() => log.records("t", total, 0n, 10), "LOGLANES");
    refused(() => log.record("t", total, 0n), "LOGLANES");
    refused(() => log.fetch("t", total, 0n, 10), "LOGLANES");
    refused(() => log.apply({ type: "createPartitions", topic: "t", total }, NOW), "LOGLANES");
    refused(() => log.apply({ type: "createTopic", name: "u", partitions: total }, NOW), "LOGLANES");
  }
  for (const empty of [undefined, null, "7", "", {}, []]) {
    refused(() => log.repartition("t", empty, NOW), "LOGLANES");
  }
  same(show(log.view(NOW)), before);
}

/** @param {any} log */
export function a_huge_count_is_refused_at_once(log) {
  topic(log);
  const text = "Excessively large number of additional partitions per request.";
  for (const act of [
    () => log.repartition("t", 1e9, NOW),
    () => log.apply({ type: "createPartitions", topic: "t", total: 1e9 }, NOW),
  ]) {
    const error = refused(act, "POLICY_VIOLATION");
    same([error.code, error.message], [44, text]);
  }
  same(log.view(NOW).topics[0].partitions.length, 6);
}

/** @param {any} log */
export function offsets_past_two_to_the_53_are_exact(log) {
  const far = 9_007_199_254_740_993n;
  topic(log, 1);
  join(log);
  log.apply({ type: "seek", group: "g", member: "m", topic: "t", partition: 0, to: far }, NOW);
  same(log.view(NOW).groups[0].partitions[0].position, far);
  const offsets = [{ topic: "t", partition: 0, offset: far }];
  const commit = { type: "commit", group: "g", member: "m" };
  same(log.apply({ ...commit, offsets }, NOW), { type: "committed", group: "g", offsets });
  log.apply(commit, NOW);
  const row = log.view(NOW).groups[0].partitions[0];
  same([row.committedOffset, row.lag], [far, -far]);
  // The doubles on both sides of it are neither taken nor rounded to.
  const double = { type: "seek", group: "g", member: "m", topic: "t", partition: 0, to: 2 ** 53 + 2 };
  refused(() => log.apply(double, NOW), "LOGLANES");
  same(log.view(NOW).groups[0].partitions[0].position, far);
  // What does not fit 64 bits is not cut either.
  refused(() => log.apply({ ...double, to: 2n ** 63n }, NOW), "LOGLANES");
  same(log.records("t", 0, far, 10), []);
  same(log.record("t", 0, far), null);
  same(log.history(0, 10).at(-1).text, `commit g m`);
}

/** @param {any} log */
export function none_empty_and_the_text_null_stay_three_things_both_ways(log) {
  topic(log, 1);
  join(log);
  const kinds = [null, new Uint8Array(), utf8.encode("null")];
  for (const key of kinds) for (const value of kinds) same(log.produce("t", key, value, NOW), 0);
  for (const key of kinds) {
    for (const value of kinds) {
      const headers = [{ key: utf8.encode("h"), value }];
      log.apply({ type: "produce", topic: "t", key, value, headers }, NOW);
    }
  }
  const expected = kinds.flatMap((key) => kinds.map((value) => [key, value]));
  same(log.records("t", 0, 0n, 100).map((/** @type {any} */ one) => [one.key, one.value]), [
    ...expected,
    ...expected,
  ]);
  const polled = log.consume("g", "m", 9, NOW).records;
  same(polled.map((/** @type {any} */ one) => [one.key, one.value]), expected);
  same(polled[4].offset, 4n);
  for (const [at, [key, value]] of expected.entries()) {
    const detail = log.record("t", 0, BigInt(9 + at));
    same([detail.key, detail.value], [key, value]);
    same(detail.headers, [{ key: utf8.encode("h"), value }]);
  }
}

/** @param {any} log */
export function bytes_that_are_not_utf8_come_back_as_they_are(log) {
  topic(log, 1);
  const key = new Uint8Array([0xff, 0xfe, 0x80]);
  const value = new Uint8Array(256).map((_, at) => at);
  log.produce("t", key, value, NOW);
  const detail = log.record("t", 0, 0n);
  same([detail.key, detail.value], [key, value]);
  same(log.placement({ topic: "t", key, value }, NOW).arithmetic.keyLength, 3);
}

/** @param {any} log */
export function a_marker_is_listed_and_each_record_says_what_became_of_it(log) {
  topic(log, 1);
  const act = (/** @type {any} */ command) => log.apply({ producer: "p", ...command }, NOW);
  act({ type: "createProducer", configs: { "transactional.id": "x" } });
  act({ type: "initTransactions" });
  act({ type: "beginTransaction" });
  act({ type: "produce", topic: "t", key: utf8.encode("k"), value: utf8.encode("v") });
  const standing = () => log.records("t", 0, 0n, 9).map((/** @type {any} */ one) => one.transaction?.standing ?? null);
  same(standing(), ["open"]);
  act({ type: "abortTransaction" });
  log.produce("t", utf8.encode("k"), utf8.encode("v"), NOW);
  same(standing(), ["aborted", "abortMarker", null]);
  same(log.transactions("t", 0, 0n, 9n), [
    { from: 0n, to: 1n, standing: "aborted" },
    { from: 1n, to: 2n, standing: "abortMarker" },
  ]);
  const marker = log.record("t", 0, 1n);
  same(marker.transaction, { standing: "abortMarker", producerId: 0n, producerEpoch: 1 });
  same([marker.arithmetic, marker.tag], [null, 1 << 29]);
  same(Array.from(log.laneTags("t", 0, 1n, 1, 1)), [1 << 29]);
  refused(() => log.transactions("t", 1, 0n, 9n), "UNKNOWN_TOPIC_OR_PARTITION");
}

/** @param {any} log */
export function a_tool_s_text_comes_with_its_command(log) {
  topic(log, 1);
  log.produce("t", null, utf8.encode("v"), NOW);
  same(log.toolText({ tool: "getOffsets", topic: "t", time: "latest" }), {
    command: "kafka-get-offsets --bootstrap-server localhost:9092 --topic t --time latest",
    text: "t:0:1\n",
  });
  const deleted = log.toolText({ tool: "deleteRecords", topic: "t", partition: 0, before: -1n });
  same(deleted.text.endsWith("partition: t-0\tlow_watermark: 1\n"), true);
  same(log.view(NOW).topics[0].partitions[0].logStartOffset, 0n);
  refused(() => log.toolText({ tool: "describeTopic", topic: "u" }), "UNKNOWN_TOPIC_OR_PARTITION");
  refused(() => log.toolText({ tool: "describeGroup", group: "g", table: "state", verbose: false }), "GROUP_ID_NOT_FOUND");
  refused(() => log.toolText({ tool: "getOffsets", topic: "t", time: "soon" }), "LOGLANES");
  refused(() => log.toolText({ tool: "describeTopic", topic: "t", partition: 0 }), "LOGLANES");
}

/** @param {any} log */
export function text_is_no_bytes(log) {
  topic(log, 1);
  for (const wrong of ["abc", 7, [1, 2], new ArrayBuffer(3), {}, new Uint16Array(2)]) {
    const error = refused(() => log.produce("t", wrong, null, NOW), "LOGLANES");
    same(error.message, "The key is no Uint8Array.");
    refused(() => log.produce("t", null, wrong, NOW), "LOGLANES");
    refused(() => log.keyTag(wrong), "LOGLANES");
    refused(() => log.inspect(wrong), "LOGLANES");
    refused(() => log.produceMany("t", wrong, new Int32Array(), NOW), "LOGLANES");
  }
  // Even hex digits, which the JSON of a history has: here they would be taken for text.
  for (const wrong of ["abc", "6b31", 7, [1, 2]]) {
    refused(() => log.apply({ type: "produce", topic: "t", key: wrong, value: null }, NOW), "LOGLANES");
  }
  same(log.view(NOW).records, 0);
}

/** @param {any} log */
export function many_records_go_in_by_one_call(log) {
  topic(log, 3);
  const bytes = utf8.encode("k1v1k2k1");
  const lengths = new Int32Array([2, 2, 2, -1, -1, 0, 2, 0]);
  const outcome = log.produceMany("t", bytes, lengths, NOW);
  same([outcome.type, outcome.records, outcome.refused], ["producedMany", 4, 0]);
  same(log.view(NOW).records, 4);
  same(log.view(NOW).history.length, 2);
  const before = show(log.view(NOW));
  for (const wrong of [[2, 2, 2, -1, -1, 0, 2], [9, 0], [8, -2], [2, 2], [-1, -1], [2147483647, 1]]) {
    refused(() => log.produceMany("t", bytes, new Int32Array(wrong), NOW), "LOGLANES");
  }
  refused(() => log.produceMany("u", bytes, lengths, NOW), "REQUEST_TIMED_OUT");
  same(show(log.view(NOW)), before);
}

/** @param {any} log */
export function a_file_comes_in_by_odd_pieces(log) {
  topic(log, 3);
  const lines = ['{"k":"müller","n":1}', "no json", '{"n":2}', '{"k":"","n":3}\r', '{"k":"山","n":4}'];
  const file = utf8.encode(lines.join("\n"));
  log.beginImport({ topic: "t", key: { from: "field", path: "k" } }, NOW);
  for (let at = 0, size = 1; at < file.length; at += size, size = (size % 7) + 1) {
    log.feed(file.subarray(at, at + size));
    refused(() => log.apply({ type: "tick" }, NOW), "LOGLANES");
  }
  const job = log.view(NOW).job;
  same([job.kind, job.bytes], ["import", file.length]);
  same([job.refusals[0].unit, job.refusals[0].at], ["line", 2]);
  const outcome = log.finish();
  same([outcome.records + outcome.refused, log.view(NOW).job], [5, null]);
  const keys = [0, 1, 2]
    .flatMap((partition) => log.records("t", partition, 0n, 9))
    .map((one) => (one.key === null ? "none" : new TextDecoder().decode(one.key)));
  same(keys.includes("müller") && keys.includes("山") && keys.includes(""), true);
  refused(() => log.feed(file), "LOGLANES");
  refused(() => log.finish(), "LOGLANES");
  refused(() => log.beginImport({ topic: "none" }, NOW), "REQUEST_TIMED_OUT");
}

/** @param {any} log @param {any} restorer */
export function what_changes_gives_a_restorer_takes(log, restorer) {
  topic(log, 3);
  join(log);
  log.apply({ type: "generate", topic: "t", count: 50_000, keys: 9, valueBytes: 100, seed: 5 }, NOW);
  log.consume("g", "m", 10, NOW);
  let steps = 0;
  for (let changes; (changes = log.changes()) !== null; steps += 1) {
    same(changes.deletes, []);
    let sum = 0;
    for (const { key, bytes } of changes.puts) {
      restorer.add(key, bytes);
      sum += bytes.length;
    }
    same(changes.bytes, sum);
    log.saved(changes.token);
  }
  same(steps > 1, true);
  const found = restorer.finish();
  same(found.view(NOW), log.view(NOW));
  same(found.history(0, 10), log.history(0, 10));
  same(found.changes(), null);
  found.forgetSaved();
  same(found.changes() !== null, true);
}

/** @param {any} log @param {any} restorer */
export function what_is_damaged_is_not_loaded(log, restorer) {
  topic(log, 1);
  const { puts } = log.changes();
  const { key, bytes } = puts[0];
  refused(() => restorer.add(key, "text"), "LOGLANES");
  bytes[bytes.length - 1] ^= 1;
  const error = refused(() => restorer.add(key, bytes), "CORRUPT_BYTES");
  same([error.code, error.refusal], [null, "corrupt"]);
  refused(() => restorer.finish(), "CORRUPT_BYTES");
}

/** @param {any} log @param {any} restorer */
export function an_exported_file_comes_back_whole(log, restorer) {
  topic(log, 3);
  log.apply({ type: "generate", topic: "t", count: 60_000, keys: 9, valueBytes: 100, seed: 5 }, NOW);
  let parts = 0;
  for (let part; (part = log.exportChunk(parts)) !== undefined && part !== null; parts += 1) {
    const middle = Math.floor(part.length / 3);
    restorer.feedFile(part.subarray(0, middle));
    restorer.feedFile(part.subarray(middle));
  }
  same(parts > 1, true);
  const found = restorer.finish();
  same(found.view(NOW), log.view(NOW));
  same(found.history(0, 10), log.history(0, 10));
}

/** @param {any} log */
export function a_lane_has_one_number_for_each_pixel(log) {
  topic(log, 1);
  for (const key of [utf8.encode("k"), null, new Uint8Array()]) log.produce("t", key, null, NOW);
  const tags = log.laneTags("t", 0, 0n, 1, 5);
  same(tags instanceof Uint32Array, true);
  same(tags.length, 5);
  same([...tags].map((tag) => (tag >>> 24) & 3), [3, 1, 2, 0, 0]);
  same([...tags].map((tag) => (tag >>> 26) & 1), [1, 1, 1, 0, 0]);
  same(tags[0] & 0xffffff, log.keyTag(utf8.encode("k")) & 0xffffff);
  same([...log.laneTags("t", 9, 0n, 1, 2)], [0, 0]);
  same([...log.laneTags("t", 0, 2n ** 62n, 1, 2)], [0, 0]);
  same([...log.laneTags("t", 0, 0n, NaN, 2)].length, 2);
  refused(() => log.laneTags("none", 0, 0n, 1, 2), "UNKNOWN_TOPIC_OR_PARTITION");
}

/** @param {any} log */
export function the_view_has_the_shape_that_its_types_say(log) {
  topic(log, 2);
  join(log);
  log.produce("t", utf8.encode("k"), utf8.encode("v"), NOW);
  const view = log.view(NOW);
  same(Object.keys(view), ["now", "brokers", "topics", "groups", "byHand", "producers", "records", "bytes", "history", "job"]);
  same([view.now, view.records, view.job], [NOW, 1, null]);
  same([view.history.length, view.history.forgotten], [3, 0]);
  same(view.brokers.length, 3);
  const [held] = view.topics;
  same(held.configs, {});
  same(held.topicId.length, 22);
  for (const one of held.partitions) {
    for (const name of ["logStartOffset", "highWatermark", "lastStableOffset", "logEndOffset"]) {
      same(typeof one[name], "bigint");
    }
    same([one.partition, one.records, one.bytes, one.leader].every(isSafeInteger), true);
    same(typeof one.segments[0].baseOffset, "bigint");
  }
  const [group] = view.groups;
  same([group.state, group.assignor, group.generation], ["Stable", "range", 1]);
  same(group.members[0].assignment, [{ topic: "t", partitions: [0, 1] }]);
  same(group.partitions.map((/** @type {any} */ row) => [row.position, row.lag]), [
    [null, null],
    [null, null],
  ]);
}

/** @param {any} log */
export function a_strange_clock_does_no_harm(log) {
  topic(log, 1);
  for (const now of [NaN, -1, -Infinity, 1.5, undefined]) {
    log.produce("t", null, null, now);
    log.tick(now);
    log.view(now);
  }
  same(log.view(NOW).records, 5);
}

const LESSON = `# A lesson
seed 3
topic t partitions=2
produce t key="k" value="v"
expect records t = 1
partitions t 1
expect error INVALID_PARTITIONS
note Now you.
task Add a partition.
check partitions t = 3
solution
partitions t 3
`;

/** @param {any} log */
export function a_scenario_is_loaded_stepped_checked_and_comes_back_as_text(log) {
  const whole = log.loadScenario(LESSON);
  same([whole.acts, whole.stopped, whole.now], [3, null, 1_700_000_000_000]);
  same(whole.findings.map((/** @type {any} */ finding) => [finding.line, finding.met, finding.found]), [[5, true, "1"], [7, true, "INVALID_PARTITIONS"]]);
  same(whole.notes, [{ line: 8, text: "Now you." }]);
  same([whole.last.line, whole.last.outcome, whole.last.refusal.code], [6, null, 37]);
  same(log.check(LESSON, whole.now), [{ line: 10, text: "check partitions t = 3", met: false, found: "2" }]);
  log.apply({ type: "createPartitions", topic: "t", total: 3 }, whole.now);
  same(log.check(LESSON, whole.now)[0].met, true);
  const text = log.historyText();
  same(text.split("\n").at(0), "seed 3");
  same(text.split("\n").at(-2), "partitions t 3");
  same(log.history(0, 9).map((/** @type {any} */ step) => [step.text, step.whole])[1], ['produce t key="k" value="v"', true]);
  const view = log.view(whole.now);
  log.loadScenario(text);
  same(log.view(whole.now), view);
  same([log.loadScenario(LESSON, 1).acts, log.view(whole.now).records], [1, 0]);
  same([log.loadScenario(LESSON, null, true).acts, log.check(LESSON, whole.now)[0].met], [4, true]);
}

/** @param {any} log */
export function a_scenario_that_cannot_be_read_changes_nothing(log) {
  topic(log, 1);
  const error = refused(() => log.loadScenario("topic a\nprodcue a"), "LOGLANES");
  same(error.message, "The scenario cannot be read: line 2, column 1: There is no act prodcue. Is produce meant?");
  refused(() => log.check("$ ls", NOW), "LOGLANES");
  refused(() => log.loadScenario("topic a", 1.5), "LOGLANES");
  same(log.view(NOW).topics.map((/** @type {any} */ held) => held.name), ["t"]);
  const stopped = log.loadScenario("topic a\npartitions a 0\ntopic b").stopped;
  same([stopped.line, stopped.column, stopped.refusal.code], [2, 1, 37]);
  same(log.view(NOW).topics.length, 1);
}

/** @param {any} _log @param {any} player */
export function a_player_goes_act_by_act_and_leaves_its_cluster(_log, player) {
  same(player.step().notes, [{ line: 1, text: "Hello." }]);
  const step = player.step();
  same([step.act, step.line, step.outcome.type, step.findings[0].met], [1, 2, "topicCreated", true]);
  refused(() => player.step(), "LOGLANES");
  const log = player.take();
  same(log.view(NOW).topics.length, 1);
}

/** @param {any} _log @param {any} commands */
export function a_scenario_is_a_script_a_zip_and_what_is_lost(_log, commands) {
  same(commands.files, ["run.sh"]);
  same(commands.script.includes("tool kafka-console-producer --topic t <<'END'\nv\nEND\n"), true);
  same(commands.script.includes("--topic u"), false);
  same(commands.notCarried.map((/** @type {any} */ lost) => [lost.line, lost.text]), [[3, "clock +1h"]]);
  same(commands.zip instanceof Uint8Array && [...commands.zip.subarray(0, 2)], [0x50, 0x4b]);
}
