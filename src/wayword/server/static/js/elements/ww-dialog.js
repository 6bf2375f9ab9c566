/** A dialog: the browser's own keeps the focus inside and closes on Escape; this adds a title and a place for buttons. */

import { button, fill, h } from "../dom.js";

class Dialog extends HTMLElement {
  #dialog = document.createElement("dialog");

  connectedCallback() {
    this.append(this.#dialog);
    this.#dialog.addEventListener("close", () => this.#leave());
    // A press on what is behind closes it, as Escape does.
    this.#dialog.addEventListener("pointerdown", (event) => event.target === this.#dialog && this.close());
  }

  /**
   * @param {string} title
   * @param {any} body
   * @param {any[]} actions
   * @param {{wide?: boolean, firm?: boolean}} [look] a firm dialog cannot be closed without an answer
   */
  show(title, body, actions, { wide = false, firm = false } = {}) {
    const id = "dialog-title";
    const close = !firm && button("Close", { icon: "close", kind: "bare", square: true, on: () => this.close() });
    this.#dialog.className = wide ? "wide" : "";
    this.#dialog.setAttribute("aria-labelledby", id);
    if (firm) this.#dialog.addEventListener("cancel", (event) => event.preventDefault());
    fill(
      this.#dialog,
      h("div", { class: "sheet" }, h("header", { class: "row apart" }, h("h2", { id }, title), close), h("div", { class: "body" }, body), actions.length > 0 && h("footer", { class: "row" }, actions)),
    );
    this.#dialog.showModal();
  }

  close() {
    this.#dialog.close();
  }

  /** A toast that came while it was open stays. */
  #leave() {
    const toasts = this.querySelector("#toasts");
    if (toasts) document.body.append(toasts);
    this.remove();
  }
}
customElements.define("ww-dialog", Dialog);

/** Open a dialog; what it returns has `close()`. */
export function openDialog(title, body, actions = [], look = {}) {
  const dialog = document.createElement("ww-dialog");
  document.body.append(dialog);
  dialog.show(title, body, actions, look);
  return dialog;
}
