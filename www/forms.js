/**
 * @file Forms in frames that may not send any. In a frame sandboxed without `allow-forms` a browser
 * drops every submission before its `submit` event, and each button of ours would do nothing. No
 * form here goes to a server, so the event is made by hand, everywhere alike.
 */

/** Enter in a field comes as a click on its form's button, so clicks are all there is to hear. */
export function startForms() {
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("button") : null;
    const form = button?.form;
    if (!form || button.type !== "submit" || event.defaultPrevented) return;
    event.preventDefault();
    const meant = form.dispatchEvent(new SubmitEvent("submit", { bubbles: true, cancelable: true, submitter: button }));
    if (meant && form.method === "dialog") form.closest("dialog")?.close(button.value);
  });
}
