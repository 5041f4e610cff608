/** @file Having the browser ask before the page goes. */

/** A listener for `beforeunload`. @param {BeforeUnloadEvent} event */
export function askBeforeLeaving(event) {
  event.preventDefault();
}
