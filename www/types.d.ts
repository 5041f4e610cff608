/** What the page's parts say to each other. The engine's own types are in src/wasm/types.d.ts. */

import type { Engine } from "./engine.js";
import type { Visit } from "./travel/visit.js";
import type {
  ClusterView, Command, Finding, GenerateCommand, ImportSpec, LoglanesError, Outcome, PartitionerInfo, TopicView,
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
  /** A key that a panel wants to be looked at in the lanes. */
  highlight?: { tag: number } | null;
  /** What is looked at beside the visitor's own, and what a lesson's checks find. */
  visit?: Visit | null;
  findings?: Finding[];
}

/** A widget owns the DOM below its root, is told by `update`, and speaks by the events below. */
export interface Widget extends EventTarget {
  update(state: PageState): void;
  /** A command of this widget was refused; the widget shows it. */
  refused?(error: LoglanesError): void;
  /** A command of this widget was done. */
  done?(outcome: Outcome): void;
}

/** A piece of a widget that stays while its data change. */
export interface Piece<T> {
  element: Element;
  update(item: T): void;
}

/** The `detail` of each event a widget may dispatch to the controller. */
export interface WidgetEvents {
  command: Command;
  select: Selection | null;
  "choose-topic": string;
  notice: { text: string };
  /** Look at one key's records in the lanes; null: at all. */
  highlight: { tag: number; key: Uint8Array } | null;
  /** Many records by a rule, as a job. */
  generate: GenerateCommand;
  /** Load the sample flights into a topic of their own. */
  sample: undefined;
  /** A file was chosen: the files panel looks at it and asks what to do. */
  file: File;
  /** Open the form for a new topic. */
  "new-topic": undefined;
  /** Import files into a topic, one after the other; `create` is applied first. */
  import: { files: File[]; spec: ImportSpec; create?: Command };
  /** Replace the cluster by an exported one. */
  restore: { file: Blob };
  /** Replace the cluster by an empty one. */
  clear: undefined;
  /** Stop the running import or generation; what is in stays. */
  "cancel-job": undefined;
  /** Go to a position of the history. */
  travel: number;
  /** Take up, or forget, a course that was set aside, by its id. */
  "take-up": number;
  "forget-aside": number;
  /** Open a scenario as a text to be changed and run; none: the history. */
  "edit-text": { text: string; name: string } | undefined;
  /** Open a lesson by its id; null: the first. */
  lesson: string | null;
  /** Open the dialog that makes links. */
  share: undefined;
  /** Show a panel's tab, by its id. */
  "show-panel": string;
}

export type { ClusterView, Command, GenerateCommand, ImportSpec, LoglanesError, Outcome, PartitionerInfo, TopicView };
