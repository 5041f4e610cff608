/** What the page's parts say to each other. The engine's own types are in src/wasm/types.d.ts. */

import type { Engine } from "./engine.js";
import type {
  Changes, ClusterView, Command, GenerateCommand, ImportSpec, LoglanesError, Outcome, PartitionerInfo, TopicView,
} from "../src/wasm/types.d.ts";

/** One record's place; `null` is "no record". */
export interface Selection {
  topic: string;
  partition: number;
  offset: bigint;
}

/** The engine as widgets see it: questions only. Acts go through `command` events. */
export type EngineApi = Engine;

/** What every widget's `update` gets. */
export interface PageState {
  engine: EngineApi;
  view: ClusterView;
  /** The chosen topic. */
  topic: TopicView | null;
  selection: Selection | null;
}

/** A widget owns the DOM below its root, is told by `update`, and speaks by the events below. */
export interface Widget extends EventTarget {
  update(state: PageState): void;
  /** A command of this widget was refused; the widget shows it. */
  refused?(error: LoglanesError): void;
  /** A command of this widget was done. */
  done?(outcome: Outcome, command: Command): void;
}

/** The `detail` of each event a widget may dispatch to the controller. */
export interface WidgetEvents {
  command: Command;
  select: Selection | null;
  "choose-topic": string;
  notice: { text: string };
  /** Load the sample flights into a topic of their own. */
  sample: undefined;
  /** A file was dropped or chosen: the files panel looks at it and asks what to do. */
  file: File;
  /** Import lines of a file; `create` is applied first. */
  import: { file: Blob; spec: ImportSpec; create?: Command };
  /** Replace the cluster by an exported one. */
  restore: { file: Blob };
  /** Write the whole cluster to a file (`engine.exportChunk`). */
  export: undefined;
  /** Stop the running import or generation; what is in stays. */
  "cancel-job": undefined;
  /** Show a panel's tab, by its id. */
  "show-panel": string;
}

/** How the saved state stands. */
export interface StoreState {
  kind: "saved" | "saving" | "not-saved" | "memory-only" | "read-only";
  /** Why, and the way out, in words. */
  reason?: string;
}

/** What the controller needs of store.js. `state` events carry a StoreState. */
export interface StoreApi extends EventTarget {
  load(): AsyncIterable<{ key: string; bytes: Uint8Array }>;
  /** Rejects when it could not be saved; then the same changes come again later. */
  save(changes: Changes): Promise<void>;
}

export type { Changes, ClusterView, Command, GenerateCommand, ImportSpec, LoglanesError, Outcome, PartitionerInfo, TopicView };
