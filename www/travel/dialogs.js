/** @file What index.js opens: fetched once the first screen stands. */

import { Engine } from "../engine.js";
import { ShareDialog } from "../links/share-dialog.js";
import { CommandsDialog } from "./commands-dialog.js";
import { TextDialog } from "./text-dialog.js";

/** Makes them, each in the page. */
export function makeDialogs() {
  return { text: new TextDialog((text) => Engine.read(text)), share: new ShareDialog(), commands: new CommandsDialog((text) => Engine.commands(text)) };
}

/** @typedef {ReturnType<typeof makeDialogs>} Dialogs */
