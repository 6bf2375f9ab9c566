/** The quiet bar above a screen that says what went wrong and what to do. It goes when the next try has worked. */

import { button, fill, h, icon } from "../dom.js";

class Notice extends HTMLElement {
  connectedCallback() {
    this.className = "notice";
    this.setAttribute("role", "alert");
  }

  /** @param {(() => void)|undefined} again */
  show(text, again) {
    const retry = again && button("Try again", { kind: "low", on: () => { this.remove(); again(); } });
    const away = button("Dismiss", { icon: "close", kind: "bare low", square: true, on: () => this.remove() });
    fill(this, icon("help"), h("span", { class: "grow" }, text), retry, away);
  }
}
customElements.define("ww-notice", Notice);

/** Say what went wrong. */
export function showNotice(text, again) {
  const notice = document.createElement("ww-notice");
  document.getElementById("notice").replaceChildren(notice);
  notice.show(text, again);
}

export function clearNotice() {
  document.getElementById("notice").replaceChildren();
}
