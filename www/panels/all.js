/** @file The panels of the tabs and that of a record, which are fetched once the first screen stands. */

/** @import { Travel } from "../travel/index.js" */
/** @import { Widget } from "../types.d.ts" */

import { byId } from "../dom.js";
import { GroupsPanel } from "./groups.js";
import { HistoryPanel } from "./history.js";
import { KeysPanel } from "./keys.js";
import { LessonsPanel } from "./lessons.js";
import { PartitionsPanel } from "./partitions.js";
import { ProducePanel } from "./produce.js";
import { RecordPanel } from "./record.js";
import { UpkeepPanel } from "./upkeep.js";

/**
 * Makes each in its place of the page.
 * @param {Travel} travel
 * @returns {Map<string, Widget>} by the ids of their places
 */
export function makePanels(travel) {
  return new Map(/** @type {[string, Widget][]} */ ([
    ["lessons", new LessonsPanel(byId("lessons"), travel.lessons)],
    ["produce", new ProducePanel(byId("produce"))],
    ["groups", new GroupsPanel(byId("groups"))],
    ["partitions", new PartitionsPanel(byId("partitions"))],
    ["upkeep", new UpkeepPanel(byId("upkeep"))],
    ["keys", new KeysPanel(byId("keys"))],
    ["history", new HistoryPanel(byId("history"), travel.playback)],
    ["record", new RecordPanel(byId("record"))],
  ]));
}
