// What a panel is given, and what it may ask of the engine. No panel needs more than this.
import type {
  Bytes, ClusterView, ConfigView, Header, HistoryEntry, KeyStats, LoglanesError, Outcome, PartitionerInfo, Placement,
  ResetPreview, ResetRequest, SplitKey, TopicView, WhatIf,
} from "../../../src/wasm/types.d.ts";

/** A record that is not sent yet. */
export interface Draft {
  topic: string;
  partitioner?: string;
  partition?: number | null;
  timestamp?: number | null;
  key: Bytes | null;
  value: Bytes | null;
  headers?: Header[];
}

/** The questions panels ask. They change nothing. */
export interface Questions {
  partitioners(): PartitionerInfo[];
  placement(draft: Draft, now: number): Placement;
  keyTag(key: Bytes | null): number;
  keys(topic: string, limit: number): KeyStats;
  whatIf(topic: string, total: number, limit: number): WhatIf;
  splitKeys(topic: string, limit: number): { total: number; keys: SplitKey[] };
  configs(topic: string): ConfigView[];
  resetPlan(request: ResetRequest): ResetPreview;
  describeGroup(group: string): string[];
  history(from: number, limit: number): HistoryEntry[];
}

/** A place in a topic, as `select` events carry it. */
export interface Place {
  topic: string;
  partition: number;
  offset: bigint;
}

/** What `update` is called with, after every act. */
export interface PanelState {
  engine: Questions;
  view: ClusterView;
  /** The chosen topic. */
  topic: TopicView | null;
  selection: Place | null;
  /** The key that the lanes highlight. */
  highlight?: { tag: number } | null;
}

/** A panel as the controller sees it. */
export interface PanelWidget extends EventTarget {
  update(state: PanelState): void;
  /** The panel's last command was refused. */
  refused(error: LoglanesError): void;
  /** The panel's last command was done. */
  done(outcome: Outcome): void;
}

/** A piece of a panel that stays while its data changes. */
export interface Piece<T> {
  element: Element;
  update(item: T): void;
}
