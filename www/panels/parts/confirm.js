/** @file A question before something is replaced. */
import { h } from "../../dom.js";
import { button, uniqueId } from "./field.js";

/**
 * @param {object} question
 * @param {string} question.title
 * @param {readonly string[]} question.text
 * @param {string} question.act what the button that does it says
 * @param {boolean} [question.danger]
 * @returns {Promise<boolean>}
 */
export function confirmed({ title, text, act, danger = false }) {
  const id = uniqueId("confirm");
  return new Promise((resolve) => {
    const dialog = h("dialog", { "aria-labelledby": id }, h("h2", { id }, title), ...text.map((line) => h("p", null, line)),
      h("div", { class: "acts" },
        button(act, () => dialog.close("yes"), { class: danger ? "danger" : "primary" }),
        button("Cancel", () => dialog.close())));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
