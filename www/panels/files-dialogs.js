/** @file What files.js opens: fetched once the first screen stands. */

import { ExportDialog } from "./export-dialog.js";
import { FolderPlan } from "./folder-plan.js";
import { ImportPlan } from "./import-plan.js";
import { JobDock } from "./job-dock.js";

/**
 * @typedef {object} Dialogs
 * @property {ImportPlan} plan
 * @property {FolderPlan} folders
 * @property {JobDock} dock
 * @property {ExportDialog} records
 */

/** @param {HTMLElement} place @returns {Dialogs} */
export function makeDialogs(place) {
  return { plan: new ImportPlan(place), folders: new FolderPlan(place), dock: new JobDock(place), records: new ExportDialog(place) };
}
