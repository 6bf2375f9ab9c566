/** A quiet badge: topics have moved since we last looked, and how. It never takes the focus by itself. */

import * as api from "../api.js";
import { aside, button, debounce, fill, h, icon } from "../dom.js";
import { many } from "../format.js";
import { state } from "../state.js";
import { openDialog } from "./ww-dialog.js";

// Since when we have looked; kept from one visit of the screen to the next.
let since = null;

/** Words that came and words that went. */
export function changes(came, went) {
  return h(
    "span",
    { class: "changes" },
    came.map((word) => h("span", { class: "came" }, h("span", { class: "unseen" }, "came: "), aside(word))),
    went.map((word) => h("span", { class: "went" }, h("span", { class: "unseen" }, "went: "), aside(word))),
  );
}

class Moves extends HTMLElement {
  #away = new AbortController();
  #moves = null;
  #badge = button("Topics moved", { icon: "moved", kind: "bare low badge", "aria-haspopup": "dialog", on: () => this.open() });

  connectedCallback() {
    this.className = "moves";
    this.append(this.#badge);
    since ??= state.number;
    const look = debounce(() => this.#look(), 300);
    state.on("topics", look, this.#away.signal);
    this.#draw();
    this.#look();
  }

  disconnectedCallback() {
    this.#away.abort();
  }

  async #look() {
    if (state.topicsNumber <= since) return;
    try {
      this.#moves = await api.get("/api/topics/moves", { since });
      this.#draw();
    } catch {
      // Only a badge: the next refresh asks again.
    }
  }

  #draw() {
    const moves = this.#moves;
    const n = moves ? moves.came.length + moves.went.length + moves.moved.length : 0;
    // The place is kept, so that nothing moves when it comes and goes.
    this.classList.toggle("still", n === 0);
    this.#badge.disabled = n === 0;
    if (!n) return;
    // Topics that came or went are told by their anchors; where none did, a word that did has to do.
    const came = [...moves.came, ...moves.moved.flatMap((move) => move.came)].slice(0, 1);
    const went = [...moves.went, ...moves.moved.flatMap((move) => move.went)].slice(0, 1);
    const words = h("span", { class: "row" }, came.map((word) => h("span", { class: "came cut" }, aside(word))), went.map((word) => h("span", { class: "went cut" }, aside(word))));
    fill(this.#badge, icon("moved"), h("span", null, `${many(n, "topic")} moved`), words);
  }

  open() {
    const moves = this.#moves;
    if (!moves || this.#badge.disabled) return;
    const line = (title, body) => h("li", { class: "row apart" }, h("b", { class: "cut" }, aside(title)), body);
    const list = h(
      "ul",
      { class: "stack moved-list" },
      moves.came.map((id) => line(id, h("span", { class: "came" }, "new topic"))),
      moves.went.map((id) => line(id, h("span", { class: "went" }, "gone"))),
      moves.moved.map((move) => line(move.name || move.topic, changes(move.came.slice(0, 6), move.went.slice(0, 6)))),
    );
    const about = h("p", { class: "quiet small" }, "What your labels have done to the topics since you last looked: words that came, words that went.");
    const see = h("a", { class: "button", href: "#/topics" }, "See the topics");
    const dialog = openDialog("Topics moved", h("div", { class: "stack" }, about, list), [see], { wide: true });
    see.addEventListener("click", () => dialog.close());
    since = moves.number;
    this.#moves = null;
    this.#draw();
  }
}
customElements.define("ww-moves", Moves);

export const makeMoves = () => document.createElement("ww-moves");
