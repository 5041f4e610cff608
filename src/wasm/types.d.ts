/** A `limit` that a method takes is a whole number; above 10,000 it counts as 10,000. */

/** Bytes are bytes: a key or a value is `null` (none), empty, or some bytes. Never text. */
export type Bytes = Uint8Array;

/** Why an act was refused. A refused act has changed nothing. */
export interface LoglanesError extends Error {
  /** Kafka's name (`INVALID_PARTITIONS`), the Java exception, a limit's name, `CORRUPT_BYTES` or `LOGLANES`. */
  name: string;
  /** Kafka's error code, or null where Kafka has none. */
  code: number | null;
  /** Who refused. */
  refusal: "broker" | "client" | "limit" | "corrupt" | "loglanes";
  /** What a user of Kafka's Java client would read, or our own sentence. */
  message: string;
  /** The way out, in our words; may be empty. */
  hint: string;
}

/** A refusal as data, where an answer carries one instead of throwing it. */
export interface Refusal {
  name: string;
  code: number | null;
  refusal: LoglanesError["refusal"];
  message: string;
  hint: string;
}

/** A record header; the same key may stand more than once, the order is kept. */
export interface Header {
  key: Bytes;
  value: Bytes | null;
}

/** Where a consumer starts without a usable committed offset: `auto.offset.reset`. */
export type OffsetReset = "earliest" | "latest" | "none" | `by_duration:${string}`;

/** `group.protocol`. */
export type GroupProtocol = "classic" | "consumer";

/** An assignor of Kafka's Java consumer: a value of `partition.assignment.strategy`. */
export type Assignor = "range" | "roundrobin" | "sticky" | "cooperative-sticky";

/** One partition of one topic, with an offset in it. */
export interface PartitionOffset {
  topic: string;
  partition: number;
  offset: bigint;
  /** A text kept beside a committed offset, at most 4096 characters; left out where there is none. */
  metadata?: string;
  /** The epoch of the leader; left out where there is none. */
  leaderEpoch?: number;
}

/** Every act that changes the cluster, as data. What is left out takes Kafka's default; a field that is not listed is refused. */
export type Command =
  | { type: "createTopic"; name: string; partitions?: number; replicationFactor?: number; configs?: Record<string, string> }
  | { type: "deleteTopic"; name: string }
  /** Replicas by hand, in place of the two numbers: `replicas` are broker ids, and the first leads. */
  | { type: "createAssignedTopic"; name: string; assignments: { partition: number; replicas: number[] }[]; configs?: Record<string, string> }
  /** `total` is the new count of partitions, as in Kafka's CreatePartitions. */
  | { type: "createPartitions"; topic: string; total: number }
  /** The same with the brokers of each new partition, the leader first. */
  | { type: "createAssignedPartitions"; topic: string; total: number; assignments: number[][] }
  /** One record, sent and flushed. `partitioner` is an id of `partitioners()`; a null timestamp is the clock's. */
  | ({ type: "produce" } & RecordDraft)
  | GenerateCommand
  /** `configs` by Kafka's names: acks, compression.type, enable.idempotence, transactional.id and more. */
  | { type: "createProducer"; producer: string; partitioner?: string; configs?: Record<string, string> }
  /** It closes; a transaction that it has open is aborted. */
  | { type: "closeProducer"; producer: string }
  /** Its process is killed; a transaction stays open until its time is up. */
  | { type: "killProducer"; producer: string }
  /** Its last batch once more; without a name, that of the producer at Kafka's defaults. */
  | { type: "retry"; producer?: string }
  | { type: "initTransactions"; producer: string }
  | { type: "beginTransaction"; producer: string }
  /** Without `offsets`, every position of the consumer. */
  | { type: "sendOffsets"; producer: string; group: string; member: string; offsets?: PartitionOffset[] }
  | { type: "commitTransaction"; producer: string }
  | { type: "abortTransaction"; producer: string }
  /** A consumer subscribes, to topics or by a pattern. */
  | ({ type: "join"; group: string; member: string; topics?: string[]; pattern?: TopicPattern } & ConsumerConfigs)
  /** `assign()`: of a consumer that runs and does not subscribe, without configs; or a new one. An empty `group` is none. */
  | ({ type: "assign"; group: string; member: string; partitions: TopicPartition[] } & ConsumerConfigs)
  /** The consumer closes in good order. A static member stays until its session times out. */
  | { type: "leave"; group: string; member: string }
  /** The process is killed: the group keeps the member until its session times out. */
  | { type: "crash"; group: string; member: string }
  /** The process starts again: a static member in its old place, else its old session is timed out first. */
  | { type: "restart"; group: string; member: string }
  /** Other topics in place of those before, or a pattern; neither: the consumer unsubscribes and leaves. */
  | { type: "subscribe"; group: string; member: string; topics: string[]; pattern?: TopicPattern }
  /** With the consumer protocol nothing happens. */
  | { type: "enforceRebalance"; group: string; member: string }
  /** The consumer has not polled for `max.poll.interval.ms`: it is out, and joins again with its next poll. */
  | { type: "exceedPollInterval"; group: string; member: string }
  /** An administrator removes all members; they join again with their next polls. */
  | { type: "removeMembers"; group: string }
  /** `maxRecords` in place of the consumer's `max.poll.records`. */
  | { type: "poll"; group: string; member: string; maxRecords?: number }
  /** Commits the given offsets (the next to read), or every position of the member. */
  | { type: "commit"; group: string; member: string; offsets?: PartitionOffset[] }
  | { type: "seek"; group: string; member: string; topic: string; partition: number; to: bigint | "beginning" | "end" }
  | { type: "pause" | "resume"; group: string; member: string; topic: string; partition: number }
  /** The group's leader fetches metadata now and notices added partitions (else within `metadata.max.age.ms`). */
  | { type: "refreshMetadata"; group: string }
  /** Commits other offsets for a group without members; it is made if there is none. */
  | ({ type: "resetOffsets" } & ResetRequest)
  /** Topics as `orders` or `orders:0,2`. */
  | { type: "deleteOffsets"; group: string; topics: string[] }
  | { type: "deleteGroup"; group: string }
  /** Every position of a member to the first record at or after a time (ms since 1970); to the end where there is none. */
  | { type: "seekToTimestamp"; group: string; member: string; timestamp: number }
  /** Kafka's incremental alter: all of the changes or none. */
  | { type: "alterConfigs"; topic: string; ops: AlterConfigOp[] }
  /** Moves the log start offset up to `before`; -1n: to the high watermark. */
  | { type: "deleteRecords"; topic: string; partition: number; before: bigint }
  /** The brokers' check for old segments, which the clock else brings every five minutes; of one topic or of all. */
  | { type: "runRetention"; topic?: string }
  /** The cleaner's look at the compacted partitions, which the clock else brings every 15 seconds; of one topic or of all. */
  | { type: "runCleaner"; topic?: string }
  /** Moves the cluster's clock forward; sessions may time out, metadata may age, old segments go, logs are cleaned. */
  | { type: "advanceClock"; ms: number }
  /** Lets timers run: sessions time out, metadata ages, old segments go, logs are cleaned. The method `tick` does it only where something is due. */
  | { type: "tick" };

/** One change of one config. `append` and `subtract` are for lists; `delete` goes back to the default. */
export interface AlterConfigOp {
  op: "set" | "delete" | "append" | "subtract";
  name: string;
  value?: string | null;
}

/** Where a reset goes: the modes of `kafka-consumer-groups --reset-offsets`. */
export type ResetTo =
  | { mode: "earliest" | "latest" | "current" }
  | { mode: "offset"; offset: bigint }
  | { mode: "shift"; by: bigint }
  /** Such as `2023-11-14T22:13:24.500`; UTC unless a zone follows. */
  | { mode: "datetime"; datetime: string }
  /** Such as `PT1H30M`. */
  | { mode: "duration"; duration: string }
  /** Lines of `topic,partition,offset`, or with the group in front; says itself which partitions. */
  | { mode: "file"; csv: string };

/** A pattern of topics' names: of `java.util.regex.Pattern`, which the consumer matches, or of RE2/J, which the broker does (with the consumer protocol). */
export type TopicPattern = { java: string } | { re2: string };

export interface TopicPartition {
  topic: string;
  partition: number;
}

/** What is left out has Kafka's default; but `autoCommit`, `enable.auto.commit`, is off, and `maxPollIntervalMs` is not watched by the clock. */
export interface ConsumerConfigs {
  autoOffsetReset?: OffsetReset;
  /** `group.protocol`. With `consumer` the broker deals out. */
  protocol?: GroupProtocol;
  /** `group.remote.assignor`, with the consumer protocol. */
  remoteAssignor?: string;
  /** `partition.assignment.strategy`, with the classic protocol. */
  assignors?: Assignor[];
  /** `group.instance.id`. */
  instanceId?: string;
  autoCommit?: boolean;
  /** `auto.commit.interval.ms`, 5000 unless given. */
  autoCommitIntervalMs?: number;
  /** `session.timeout.ms`, 45000 unless given, with the classic protocol. */
  sessionTimeoutMs?: number;
  /** `heartbeat.interval.ms`, 3000 unless given, with the classic protocol. */
  heartbeatIntervalMs?: number;
  maxPollIntervalMs?: number;
  /** `max.poll.records`, 500 unless given. */
  maxPollRecords?: number;
  /** `max.partition.fetch.bytes`, 1048576 unless given. */
  maxPartitionFetchBytes?: number;
  isolationLevel?: "read_uncommitted" | "read_committed";
}

/** A question to a consumer; an empty `group` is none. */
export interface ConsumerCall {
  group: string;
  member: string;
  ask:
    | { call: "position" | "currentLag"; at: TopicPartition }
    | { call: "committed" | "beginningOffsets" | "endOffsets"; partitions: TopicPartition[] }
    | { call: "offsetsForTimes"; partitions: TopicPartition[]; timestamp: number }
    | { call: "assignment" | "subscription" | "paused" | "groupMetadata" | "listTopics" }
    | { call: "partitionsFor"; topic: string };
}

/** What the consumer says. */
export type Said =
  | { type: "position"; offset: bigint }
  | { type: "lag"; lag: bigint | null }
  | { type: "offsets"; offsets: { topic: string; partition: number; offset: bigint | null; timestamp?: number; metadata?: string; leaderEpoch?: number }[] }
  | { type: "partitions"; partitions: TopicPartition[] }
  | { type: "topics"; topics: string[] }
  | { type: "count"; count: number }
  | { type: "groupMetadata"; groupId: string; generationId: number; memberId: string; groupInstanceId: string };

export interface ResetRequest {
  group: string;
  /** Topics as `orders` or `orders:0,2`; left out: every partition with a commit. */
  topics?: string[];
  to: ResetTo;
}

/** What a reset commits. */
export interface ResetPlan {
  rows: PartitionOffset[];
  /** What Kafka's tool says of partitions without a record for the time. */
  notices: string[];
  /** What it says, in its log alone, of offsets that were outside. */
  warnings: string[];
}

/** A reset that was not done, with what Kafka's tool prints of it and what `--export` writes. */
export interface ResetPreview {
  plan: ResetPlan;
  table: string;
  csv: string;
}

/** A text that one of Kafka's tools prints. */
export type ToolRequest =
  | { tool: "listTopics" | "listGroups" }
  | { tool: "describeLogDirs"; topic: string }
  /** `rows`: which lines of it, by the options of the tool; all unless given. */
  | { tool: "describeTopic"; topic: string; rows?: TopicRows }
  /** `all` is `--all`: also what has its default. */
  | { tool: "describeConfigs"; topic: string; all: boolean }
  /** `time` is `--time`: `earliest`, `latest`, `max-timestamp`, or ms since 1970. */
  | { tool: "getOffsets"; topic: string; time: string }
  /** What the tool would print; nothing is deleted. */
  | { tool: "deleteRecords"; topic: string; partition: number; before: bigint }
  | { tool: "describeGroup"; group: string; table: "offsets" | "members" | "state"; verbose: boolean };

/** What `kafka-topics --describe` prints of a topic: `--topic`, `--topic-id`, `--topics-with-overrides`, … */
export type TopicRows =
  | "all" | "byId" | "withOverrides" | "underReplicated" | "unavailable" | "atMinIsr" | "underMinIsr";

/** A command line, for a broker at `localhost:9092`, and what it prints, to the letter. */
export interface Printed {
  command: string;
  text: string;
}

/** Many records by a rule: record `i` depends on the seed and on `i` alone. */
export interface GenerateCommand {
  type: "generate";
  topic: string;
  producer?: string;
  partitioner?: string;
  /** 1 to 10,000,000. */
  count: number;
  /** How many different keys, `key-1`…; 0: no key at all. */
  keys: number;
  /** 0: every key equally often; 1: the classic skew, where key n comes 1/n as often as the first. */
  skew?: number;
  /** Size of each value in bytes, 0 to 1,000,000. */
  valueBytes: number;
  seed: number;
  /** What the keys look like: `{}` stands once for the number, as in `user_{}`. `key-{}` unless given. */
  keyPattern?: string;
}

/** What an act did. */
/** A marker of a transaction in the log. */
export interface WrittenMarker {
  topic: string;
  partition: number;
  offset: bigint;
}

export type Outcome =
  | { type: "done" }
  | { type: "topicCreated"; name: string; partitions: number }
  | { type: "partitionsCreated"; topic: string; from: number; to: number }
  | { type: "produced"; topic: string; partition: number; offset: bigint; timestamp: number }
  /** Each reason of a refusal once, with how many records it met; at most 100 of them. Lines of a file that are no records are told by the job's progress. */
  | { type: "producedMany"; topic: string; records: number; bytes: number; refused: number; refusals: (Refusal & { count: number })[]; partitions: { partition: number; records: number; firstOffset: bigint; lastOffset: bigint }[] }
  | ({ type: "logCopied" } & CopiedLog)
  | { type: "logsCopied"; logs: CopiedLog[] }
  /** `isDuplicate`: the broker has it already, and has answered with its old offsets. */
  | { type: "retried"; producer: string; topic: string; partition: number; firstOffset: bigint; lastOffset: bigint; isDuplicate: boolean }
  | { type: "transactionsInitialized"; producer: string; transactionalId: string; producerId: bigint; epoch: number; fencedEpoch: number | null; markers: WrittenMarker[] }
  | { type: "transactionEnded"; transactionalId: string; committed: boolean; timedOut: boolean; markers: WrittenMarker[] }
  | { type: "offsetsSent"; transactionalId: string; group: string; offsets: PartitionOffset[] }
  /** A failure that leaves its mark, and so is part of the history: the transaction can only be aborted, or the producer only be closed. */
  | { type: "producerFailed"; producer: string; error: Refusal & { count: number } }
  | { type: "rebalanced"; group: string; generation: number }
  | { type: "polled"; group: string; member: string; records: PolledRecord[]; resets: ResetNote[] }
  | { type: "offsetsReset"; group: string; plan: ResetPlan }
  /** `refused`: what the broker did not take of the same commit; `raised`: what the consumer throws then. */
  | { type: "committed"; group: string; offsets: PartitionOffset[]; refused?: { topic: string; partition: number; offset: bigint; code: number; name: string }[]; raised?: { code: number | null; name: string; message: string; hint: string } }
  /** A null timestamp: no record is so late, and the position is the end. */
  | { type: "sought"; group: string; member: string; timestamp: number; partitions: { topic: string; partition: number; offset: bigint; timestamp: number | null }[] }
  /** Values as described, before and after; null where there is no such config. */
  | { type: "configsAltered"; topic: string; configs: { name: string; from: string | null; to: string | null }[] }
  /** `records` can no longer be read; their segments go with the next check. */
  | { type: "recordsDeleted"; topic: string; partition: number; from: bigint; logStartOffset: bigint; records: number }
  /** The partitions that have lost segments. */
  | { type: "retentionRan"; partitions: PartitionRetention[] }
  /** Every compacted partition, those left alone as well; by the clock, only those in which something was done. */
  | { type: "cleanerRan"; partitions: PartitionCleaning[] }
  /** `events` has the first of what happened on the way, `moreEvents` counts the rest. */
  | { type: "clockAdvanced"; ms: number; events: { at: number; outcome: Outcome }[]; moreEvents: number };

/** A segment that is gone, and why: below the log start offset, the log large enough without it, or too old. */
export interface DeletedSegment {
  baseOffset: bigint;
  nextOffset: bigint;
  bytes: number;
  reason: "logStartOffset" | "retentionBytes" | "retentionMs";
}

export interface PartitionRetention {
  topic: string;
  partition: number;
  /** The log start offset before and after. */
  from: bigint;
  logStartOffset: bigint;
  deleted: DeletedSegment[];
}

/** What the cleaner found in a partition, and did. */
export interface PartitionCleaning {
  topic: string;
  partition: number;
  /** Why there was no pass; null if there was one. */
  leftAlone: "nothingCleanable" | "notDirtyEnough" | null;
  /** Which part of the bytes that could be cleaned was dirty; null: there were none. A pass begins above the minimum. */
  cleanableRatio: number | null;
  minCleanableDirtyRatio: number;
  passes: CleanerPass[];
  deleted: DeletedSegment[];
}

/** One pass: the dirty offsets it looked at, what it kept, and what is gone for which reason. */
export interface CleanerPass {
  dirtyFrom: bigint;
  dirtyTo: bigint;
  kept: number;
  superseded: number;
  /** Tombstones whose time was up. */
  tombstones: number;
  keyless: number;
  /** Records of aborted transactions. */
  aborted: number;
  /** Markers of transactions of which nothing is left. */
  markers: number;
  /** Tombstones that stay for now, and when the first of them may go. */
  tombstonesKept: number;
  nextHorizon: number | null;
  bytesBefore: number;
  bytesAfter: number;
  segmentsBefore: number;
  segmentsAfter: number;
}

/** A config of a topic. */
export interface ConfigView {
  name: string;
  type: "BOOLEAN" | "INT" | "LONG" | "DOUBLE" | "STRING" | "LIST";
  /** The value in force, as Kafka describes it. */
  value: string;
  /** As it was given, or null where it was not set. */
  given: string | null;
  default: string | null;
  source: "DYNAMIC_TOPIC_CONFIG" | "DYNAMIC_DEFAULT_BROKER_CONFIG" | "DEFAULT_CONFIG";
  /** Which values are allowed, as Kafka prints it; empty: all of the type. */
  rule: string;
  /** Whether it changes what happens here; the others are kept, no more. */
  acts: boolean;
}

/** A record as a poll delivers it. `again`: this group had been given it before. */
export interface PolledRecord {
  topic: string;
  partition: number;
  offset: bigint;
  timestamp: number;
  key: Bytes | null;
  value: Bytes | null;
  tag: number;
  again: boolean;
}

/** A position that `auto.offset.reset` had to choose. */
export interface ResetNote {
  topic: string;
  partition: number;
  /** The position or commit that was out of range, or null where there was none. */
  from: bigint | null;
  to: bigint;
  policy: OffsetReset;
}

export interface ClusterView {
  /** The cluster's clock, in ms since 1970. */
  now: number;
  brokers: BrokerView[];
  topics: TopicView[];
  groups: GroupView[];
  /** Consumers that are assigned partitions by hand. */
  byHand: ByHandView[];
  producers: ProducerView[];
  records: number;
  bytes: number;
  history: HistoryView;
  /** An import or generation that runs now, or null. */
  job: JobProgress | null;
}

/** Where the cluster stands in its history. */
export interface HistoryView {
  /** How many steps there are in all. */
  length: number;
  /** Those that are no longer kept. */
  forgotten: number;
  /** How many are done; the others lie ahead. While any do, the clock stands still, and whatever is done sets them aside. */
  position: number;
  /** The first position that `travel` can go to. */
  earliest: number;
  /** Where the last act is undone, and where the next one is done again; null where there is none. */
  undo: number | null;
  redo: number | null;
  /** What the author of a scenario says at this position. */
  notes: string[];
  /** What was set aside, the oldest first; `text` is its first act. */
  asides: { id: number; at: number; steps: number; text: string }[];
  /** How many courses that were set aside are no longer kept. */
  asidesForgotten: number;
}

export interface BrokerView {
  id: number;
  /** How many partitions it leads. */
  leads: number;
}

export interface TopicView {
  name: string;
  /** Kafka's topic id: 16 bytes as URL-safe base64, 22 characters. */
  topicId: string;
  replicationFactor: number;
  /** Configs that differ from Kafka's default. */
  configs: Record<string, string>;
  records: number;
  bytes: number;
  partitions: PartitionView[];
}

/** A producer. One that nobody has created is called like its partitioner. */
export interface ProducerView {
  producer: string;
  isCreated: boolean;
  partitioner: string;
  configs: Record<string, string>;
  isIdempotent: boolean;
  transactionalId: string | null;
  producerId: bigint | null;
  epoch: number | null;
  /** As Kafka's client calls it: UNINITIALIZED, READY, IN_TRANSACTION, ABORTABLE_ERROR, FATAL_ERROR. */
  state: string;
  /** As the coordinator calls it: Empty, Ongoing, CompleteCommit, CompleteAbort. */
  coordinator: string | null;
  /** What the open transaction has written to. */
  partitions: { topic: string; partition: number }[];
  canRetry: boolean;
}

export interface PartitionView {
  partition: number;
  leader: number;
  replicas: number[];
  logStartOffset: bigint;
  /** The offset after the last that consumers may read. With all replicas in sync, the log end offset. */
  highWatermark: bigint;
  /** The offset up to which consumers with `read_committed` may read. */
  lastStableOffset: bigint;
  logEndOffset: bigint;
  /** Records, not offsets: gaps are not counted. */
  records: number;
  bytes: number;
  /** Base offset and size in bytes of each segment, oldest first; the last one is active. */
  segments: { baseOffset: bigint; bytes: number }[];
  /** What the cleaner finds in it; null where the topic is not compacted. */
  cleaner: { firstDirtyOffset: bigint; firstUncleanableOffset: bigint; cleanableRatio: number | null; minCleanableDirtyRatio: number } | null;
}

export interface GroupView {
  id: string;
  /** As `kafka-consumer-groups --state` prints it. */
  state: "Empty" | "Stable" | "Reconciling";
  /** The protocol of its members, or of the last it had. */
  protocol: GroupProtocol;
  assignor: string;
  /** With the consumer protocol the group's epoch. */
  generation: number;
  members: MemberView[];
  /** One row for every partition that is assigned or committed. */
  partitions: GroupPartitionView[];
  /** Topics whose partitions grew without the group having noticed yet. */
  unnoticed: { topic: string; known: number; now: number; noticedAt: number }[];
  /** The generations that the last rebalance went through: two where a cooperative one moved something. */
  rounds: number[];
  /** Consumers (client ids) whose place another one with their `group.instance.id` has taken. They run, and learn it with the next thing they do. */
  fenced: string[];
  /** Consumers (client ids) that run and are not in the group, and what they think they have. */
  outside: { member: string; why: "pollInterval" | "removed" | "unsubscribed"; topics: string[]; assignment: TopicPartitions[] }[];
}

/** A consumer that is assigned partitions by hand. */
export interface ByHandView {
  /** Empty without a `group.id`. */
  group: string;
  protocol: GroupProtocol;
  consumer: MemberView;
  /** Its partitions, in the order in which it takes records from them; a null position is not known yet. */
  places: { topic: string; partition: number; position: bigint | null; lag: bigint | null }[];
}

export interface MemberView {
  /** The client id, as given to `join`. */
  member: string;
  /** The id the coordinator gave it: client id, `-`, and a UUID. With the consumer protocol 22 characters that the consumer has drawn. */
  memberId: string;
  /** What it subscribes to; by pattern, the topics that it has found. */
  topics: string[];
  pattern: TopicPattern | null;
  /** Configs with values of its own, but for those that stand beside this. */
  configs: { name: string; value: string }[];
  autoOffsetReset: OffsetReset;
  assignors: Assignor[];
  remoteAssignor: string | null;
  /** The generation in which it got its partitions; with the consumer protocol its member epoch, -2 for a closed static member. */
  epoch: number;
  instanceId: string | null;
  autoCommit: boolean;
  crashed: boolean;
  /** It was closed, and only its static membership is left. */
  closed: boolean;
  /** When a crashed or closed member's session times out, ms on the cluster's clock; else null. */
  sessionEnds: number | null;
  assignment: TopicPartitions[];
  /** With the consumer protocol: what the broker wants it to have. */
  target: TopicPartitions[];
  /** Those of them that it takes nothing from for now. */
  paused: TopicPartitions[];
  /** What the last rebalance (or its coming back as a static member) meant for it, all rounds together. An eager member gives up all it had and is given all it has. */
  lastRebalance: { cooperative: boolean; revoked: TopicPartitions[]; kept: TopicPartitions[]; assigned: TopicPartitions[] } | null;
}

/** Some partitions of one topic. */
export interface TopicPartitions {
  topic: string;
  partitions: number[];
}

export interface GroupPartitionView {
  topic: string;
  partition: number;
  /** The member (client id) that owns it, or null. */
  member: string | null;
  /** The next offset to read, as committed; null: none. */
  committedOffset: bigint | null;
  /** The text that was committed beside it; mostly empty. */
  metadata: string;
  /** The next offset the owner will fetch; null until its first poll. */
  position: bigint | null;
  logStartOffset: bigint;
  logEndOffset: bigint;
  /** High watermark minus committed offset, as Kafka's tool prints it; null without a commit. Counts offsets, may be negative. */
  lag: bigint | null;
}

/** How a client would place a record. */
export interface PartitionerInfo {
  id: string;
  /** As its users call it, such as `librdkafka (kcat, Confluent clients)`. */
  client: string;
  name: string;
  /** Whether `produce` can use it (the others are for comparison). */
  usable: boolean;
  /** Whether it is what that client does unless told otherwise. */
  isDefault: boolean;
  /** One sentence: what it does with keys and without. */
  rule: string;
}

/** A partition, or in words how it would be drawn. */
export type Destination = { kind: "fixed"; partition: number } | { kind: "random" | "roundRobin" | "sticky"; partition: number | null };

/** A record that is not sent yet; the fields of a `produce` command. */
export interface RecordDraft {
  topic: string;
  /** A producer that was created; then without a partitioner. */
  producer?: string;
  partitioner?: string;
  partition?: number | null;
  timestamp?: number | null;
  key: Bytes | null;
  value: Bytes | null;
  headers?: Header[];
}

/** Where a record would land, and why, without sending it. */
export interface Placement {
  destination: Destination | null;
  /** The arithmetic from key bytes to partition, where a key decides. */
  arithmetic: KeyArithmetic | null;
  /** Why, in one sentence. */
  reason: string;
  /** What Kafka would answer instead, if it would refuse. */
  refusal: Refusal | null;
  /** Where other clients would put the same key. */
  others: { partitioner: string; client: string; name: string; isDefault: boolean; destination: Destination; agrees: boolean }[];
}

/** `(murmur2(key) & 0x7fffffff) % partitions`, step by step. */
export interface KeyArithmetic {
  keyLength: number;
  /** murmur2 as a signed 32-bit number. */
  hash: number;
  /** With the sign bit masked off. */
  masked: number;
  partitions: number;
  partition: number;
  /** The same as it would be written down: `murmur2(6 bytes)` gives `-790332482`, and so on. */
  steps: { operation: string; result: string }[];
}

/** What a record of a transaction is to a consumer: in one that is open, was committed or aborted; or a control record, mostly the marker that ends one. */
export type Standing = "open" | "committed" | "aborted" | "commitMarker" | "abortMarker" | "control";

/** A record's transaction. */
export interface TransactionView {
  standing: Standing;
  producerId: bigint;
  producerEpoch: number;
}

/** Offsets next to each other, up to but not with `to`, that stand alike. */
export interface TransactionSpan {
  from: bigint;
  to: bigint;
  standing: Standing;
}

/** A record in short, for a cell or a list item. Keys and values are cut to their first 64 bytes. */
export interface RecordSummary {
  offset: bigint;
  timestamp: number;
  tag: number;
  key: Bytes | null;
  keyLength: number;
  value: Bytes | null;
  valueLength: number;
  headers: number;
  /** null: it is part of none. */
  transaction: TransactionView | null;
}

/** A record with all there is to know about it. */
export interface RecordDetail {
  topic: string;
  partition: number;
  leader: number;
  offset: bigint;
  timestamp: number;
  timestampType: "CreateTime" | "LogAppendTime";
  tag: number;
  key: Bytes | null;
  value: Bytes | null;
  headers: Header[];
  /** The record's own bytes in the batch, length prefix included. */
  bytes: Bytes;
  batch: {
    baseOffset: bigint;
    lastOffset: bigint;
    records: number;
    bytes: number;
    crc: number;
    attributes: number;
    /** The first 61 bytes. */
    header: Bytes;
    segmentBaseOffset: bigint;
    /** The batch's place in its segment, in bytes. */
    position: number;
  };
  /** null: it is part of none. */
  transaction: TransactionView | null;
  /** The arithmetic with today's count of partitions; null without a key, and for a control record. */
  arithmetic: KeyArithmetic | null;
}

/** What growing a topic would do to the keys that are in it. */
export interface WhatIf {
  topic: string;
  from: number;
  to: number;
  /** Theory for evenly spread keys: `from / lcm(from, to)` of them stay. */
  theory: { numerator: number; denominator: number };
  keys: { total: number; stay: number; move: number };
  records: { total: number; keyed: number; ofMovingKeys: number };
  /** `flows[a][b]`: how many keys go from partition a to b; `flows[a][a]` stay. */
  flows: number[][];
  /** Keys per partition before and after, and records per partition if all were sent again. */
  before: { keys: number[]; records: number[] };
  after: { keys: number[]; records: number[] };
  /** The moving keys with the most records first. */
  movers: { key: Bytes; tag: number; records: number; from: number; to: number }[];
}

/** A key whose records lie in more than one partition: its order is no longer kept. */
export interface SplitKey {
  key: Bytes;
  tag: number;
  records: number;
  parts: { partition: number; records: number; firstOffset: bigint; lastOffset: bigint }[];
}

export interface SplitKeys {
  /** All of them, of which `keys` has those with the most records. */
  total: number;
  keys: SplitKey[];
}

export interface KeyStats {
  topic: string;
  /** Different keys, the empty one included. */
  distinct: number;
  keyless: number;
  records: number;
  /** The fullest partition against the mean, by records: 1 is even. */
  skew: number;
  perPartition: { partition: number; records: number; keys: number; bytes: number }[];
  /** The keys with the most records first. */
  top: { key: Bytes; tag: number; records: number; bytes: number; partitions: number[] }[];
}

export interface HistoryEntry {
  /** Counted from 0 at the cluster's beginning. */
  step: number;
  at: number;
  /** The act as a line of a scenario, cut where it is long. */
  text: string;
  /** Whether the line is all of it; `historyText` has all of each. */
  whole: boolean;
  command: Command["type"] | "produceMany";
}

/** A file's format, with its options. */
export type FileFormat =
  /** One JSON value a line, each the value of a record. */
  | { type: "ndjson" }
  /** Loglanes' own lines, with all that a record has. */
  | { type: "lossless" }
  /** What `kcat -C -J` prints. */
  | { type: "kcatJson" }
  /** A `.log` file of Kafka's. */
  | { type: "segment" }
  /** A zip archive of such files, in directories such as `orders-3/`. */
  | { type: "logZip" }
  /** What `kafka-dump-log --print-data-log` prints. */
  | { type: "dumpLog" }
  /** A table; `header`: the first row names the columns. */
  | { type: "csv"; separator: string; header: boolean }
  /** One JSON array, each of its elements a value. */
  | { type: "jsonArray" }
  /** Lines as `kcat -P` reads them: `-K`, `-D`, `-Z`, `-k`, `-H`. */
  | { type: "kcatLines"; keyDelimiter?: string | null; delimiter?: string | null; nulls?: boolean; key?: string | null; headers?: string[] }
  /** What `kcat -C -f` prints; `nulls` is `-Z`. */
  | { type: "kcatText"; format: string; nulls?: boolean; emptyIsNone?: boolean }
  /** Lines as `kafka-console-producer` reads them, by its `--reader-property`s. */
  | { type: "consoleProducer"; properties?: Record<string, string> }
  /** What `kafka-console-consumer` prints, by its `--formatter-property`s; `nulls`: the null literal is none, not text. */
  | { type: "consoleConsumer"; properties?: Record<string, string>; nulls: boolean };

/**
 * Which format a file has, and what of each record becomes what. A path that begins with `$` goes into the value
 * (`$.user.id`, `$.items[0]`, `$["a b"]`); any other is the name of one top-level field or column.
 */
export interface ImportSpec {
  topic: string;
  /** One that was created; it has its partitioner. Unless given, one at Kafka's defaults sends, with `partitioner`. */
  producer?: string;
  partitioner?: string;
  /** NDJSON unless given. */
  format?: FileFormat;
  /** The file's own unless given; NDJSON has none. */
  key?: { from: "none" | "own" } | { from: "field"; path: string } | { from: "joined"; paths: string[]; separator: string };
  /** `row`: the row of a table as a JSON object. */
  value?: { from: "own" | "row" } | { from: "field"; path: string };
  /** The file's own unless given, else the clock's. */
  timestamp?: { from: "clock" | "own" } | { from: "field"; path: string };
  /** Unless given, the partitioner chooses. `keep`: the file does; a partition that the topic does not have is refused. */
  partition?: "rehash" | "keep";
}

/** What an import would make of the beginning of a file. */
export interface Preview {
  /** At most 20. Keys and values are cut to 256 bytes; a null timestamp is the clock's. */
  records: { unit: "line" | "byte"; at: number; partition: number | null; offset: bigint | null; timestamp: number | null; key: Bytes | null; keyLength: number; value: Bytes | null; valueLength: number; headers: number }[];
  /** At most 20. */
  refusals: { unit: "line" | "byte"; at: number; reason: string }[];
  taken: number;
  refused: number;
  /** Whether that is all of the file. */
  whole: boolean;
}

/** Which records go into a file, and how. */
export interface ExportSpec {
  topic: string;
  /** All of the topic unless given. `to` is the offset after the last. `unread`: from the group's committed offsets on, else from the start. */
  scope?: { type: "topic" } | { type: "partition"; partition: number } | { type: "range"; partition: number; from: bigint; to: bigint } | { type: "unread"; group: string };
  format:
    | { type: "lossless" | "kcatJson" }
    /** A zip archive of the files that a broker has of whole partitions: of a topic, or of one partition. */
    | { type: "logFiles" }
    | { type: "csv"; separator: string }
    | { type: "kcatText"; format: string; nulls?: boolean }
    | { type: "consoleConsumer"; properties?: Record<string, string> };
}

/** How far a file is: records written, of so many offsets (gaps included). */
/** What `copyLog` has made of a partition. `cut`: what a broker cuts off damaged files after a crash; a null reason: only zero bytes follow. */
export interface CopiedLog {
  topic: string;
  partition: number;
  logStartOffset: bigint;
  logEndOffset: bigint;
  records: number;
  bytes: number;
  segments: number;
  cut: { file: string; position: number; bytes: number; segments: number; reason: string | null } | null;
}

/** What lies in a broker's directories. Files are told by their places in the list. */
export interface LogPlan {
  /** The topics that directories are named after; `count`: how many partitions each has to have. */
  topics: { name: string; count: number; partitions: { partition: number; files: number[]; bytes: number }[] }[];
  /** `.log` files and zip archives whose directory names no partition. */
  unnamed: number[];
  /** How many files follow from the `.log` files: indexes, snapshots, checkpoints. */
  derived: number;
  /** Files that are nothing of a partition, and those of topics that Kafka writes by itself. */
  leftOut: number[];
}

export interface ExportProgress {
  /** Records that are written; none are counted where a broker's whole files are. */
  records: number;
  /** Bytes that were given away. */
  bytes: number;
  /** How much of the work is done, of how much: offsets, or bytes of files. */
  done: number;
  total: number;
}

export interface JobProgress {
  kind: "import" | "generate";
  topic: string;
  records: number;
  bytes: number;
  /** Lines that could not be taken. */
  refused: number;
  /** Lines of nothing but white space, which are no records. */
  blank: number;
  /** Records without a key because their key field is `null`. */
  nullKeys: number;
  /** Lines that were taken for the rest of the value before them (console text). */
  continued: number;
  /** The first of them, with the reason: lines are counted from 1, bytes from 0. */
  refusals: { unit: "line" | "byte"; at: number; reason: string }[];
  /** For a generation: all that are asked for; else null. */
  total: number | null;
  /** Where the last record begins that was taken from a file. */
  last: { unit: "line" | "byte"; at: number } | null;
  /** All of the file has come, and a part of the work is still to be done: `end` again. */
  pending: boolean;
}

/** A first look at a file, before anything is done. */
export interface Inspection {
  /** Null: none that can be imported, or none that its beginning tells. */
  format: FileFormat | null;
  /** Whether something in the file says so; else it is a guess. */
  sure: boolean;
  /** Why the format was or was not recognised. */
  reason: string;
  /** What else it can be read as. */
  others: FileFormat[];
  /** What the format cannot tell apart, and the rule that is followed. */
  notes: string[];
  /** What its records bring along, beside a value. */
  brings: { key: boolean; timestamp: boolean; partition: boolean; headers: boolean };
  /** The columns, or the top-level fields of the first values, with a few values of each as text. */
  fields: { name: string; samples: string[]; distinct: number; inEvery: boolean }[];
  /** How many records were looked at. */
  lines: number;
}

/** What must be written so that the saved state equals the cluster. */
export interface Changes {
  token: number;
  puts: { key: string; bytes: Bytes }[];
  deletes: string[];
  bytes: number;
}

/** What is wrong with the text of a scenario. Lines and columns count from 1, in characters. */
export interface Diagnostic {
  line: number;
  column: number;
  length: number;
  message: string;
  /** The way out; may be empty. */
  hint: string;
}

/** A line of a scenario. `act` counts the acts from 1; a line that is none has the number of the act before it, or 0. */
export interface ScenarioLine {
  line: number;
  kind: "blank" | "comment" | "setting" | "at" | "note" | "act" | "expect" | "task" | "check" | "solution";
  act: number;
  /** Whether it is behind the line `solution`. */
  solution: boolean;
  /** As it is printed; of a comment, a note and a task only what they say. */
  text: string;
}

/** A text that was read: `problems` is empty, or there is nothing else. */
export interface ScenarioView {
  problems: Diagnostic[];
  title: string | null;
  /** The acts before the solution, and those of the solution. */
  acts: number;
  solutionActs: number;
  lines: ScenarioLine[];
  /** The text as Loglanes prints it; reads back as the same. */
  text: string;
}

/** What an `expect` or a `check` line found. */
export interface Finding {
  line: number;
  text: string;
  met: boolean;
  /** What there is, or why that cannot be said. */
  found: string;
}

export interface NoteLine {
  line: number;
  text: string;
}

/** What one act did, with the lines between it and the next. Act 0 is what stands before the first. */
export interface ScenarioStep {
  act: number;
  line: number;
  text: string;
  outcome: Outcome | null;
  /** Why it was refused, as the line below it expected. */
  refusal: Refusal | null;
  notes: NoteLine[];
  findings: Finding[];
}

/** The act that ended a run: it was refused, and no line expected that. */
export interface ScenarioStop {
  line: number;
  column: number;
  text: string;
  refusal: Refusal;
  hint: string;
}

/** What a run found, up to where it stopped. */
export interface ScenarioReport {
  acts: number;
  findings: Finding[];
  notes: NoteLine[];
  stopped: ScenarioStop | null;
  /** What the last act did; null if there was none. */
  last: ScenarioStep | null;
  /** The caller's clock of the scenario, ms since 1970: go on from here, not from `Date.now()`, or years go by in the cluster. */
  now: number;
}

/** A scenario as commands of Kafka's own tools. */
export interface ScenarioCommands {
  /** POSIX shell. */
  script: string;
  /** The paths of all files: `run.sh`, and the data that is too long for it. */
  files: string[];
  /** What no tool does, in the order of the lines. */
  notCarried: NotCarried[];
  /** All files in one archive. */
  zip: Bytes;
}

/** Something that a line of a scenario does, and the script does not. */
export interface NotCarried {
  line: number;
  text: string;
  /** Why, and what a real cluster does instead. */
  why: string;
}
