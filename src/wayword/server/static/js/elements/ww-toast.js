/** A short word about what was just done, with a way back. One at a time; it waits while the pointer or focus is on it. */

import { button, fill, h, icon } from "../dom.js";

const LASTS = 7000;

class Toast extends HTMLElement {
  #timer = 0;

  connectedCallback() {
    this.className = "toast";
    for (const name of ["pointerenter", "focusin"]) this.addEventListener(name, () => clearTimeout(this.#timer));
    for (const name of ["pointerleave", "focusout"]) this.addEventListener(name, () => this.#wait());
    this.#wait();
  }

  disconnectedCallback() {
    clearTimeout(this.#timer);
  }

  #wait() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.remove(), LASTS);
  }

  /** @param {{text: string, run: () => void}|null} action */
  show(text, action) {
    const go = action && button(action.text, { kind: "low", on: () => { this.remove(); action.run(); } });
    fill(this, icon("check"), h("span", { class: "grow" }, text), go);
  }
}
customElements.define("ww-toast", Toast);

/**
 * Say what was done.
 * @param {string} text
 * @param {{text: string, run: () => void}|null} [action]
 */
export function showToast(text, action = null) {
  const toast = document.createElement("ww-toast");
  const place = document.getElementById("toasts");
  // What lies behind an open dialog cannot be pressed.
  const home = document.querySelector("dialog[open]") ?? document.body;
  if (place.parentElement !== home) home.append(place);
  place.replaceChildren(toast);
  toast.show(text, action);
}
