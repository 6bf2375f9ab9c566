/** A quiet badge: topics have moved since we last looked, and how. It never takes the focus by itself. */

import * as api from "../api.js";
import { aside, button, debounce, fill, h, icon } from "../dom.js";
import { many } from "../format.js";
import { state } from "../state.js";
import { openDialog } from "./ww-dialog.js";

// Since when we have looked; kept from one visit of the screen to the next.
let since = null;

/** Anchors of a topic that are new, and those that are no longer. */
function compareAnchors({ anchors, anchors_before: before }) {
  return { came: anchors.filter((term) => !before.includes(term)), went: before.filter((term) => !anchors.includes(term)) };
}

/** A sign says which way; those who do not see it hear it. */
function change(way, term, anchor = false) {
  return h("span", { class: anchor ? `${way} anchor` : way }, anchor && icon("anchor"), h("span", { class: "unseen" }, anchor ? `anchor ${way}: ` : `${way}: `), aside(term));
}

/**
 * Anchors and words that came and went.
 * @param {any} move a TopicMoveView
 */
export function changes(move, most) {
  const anchors = compareAnchors(move);
  return h(
    "span",
    { class: "changes" },
    ["came", "went"].map((way) => anchors[way].map((term) => change(way, term, true))),
    ["came", "went"].map((way) => move[way].slice(0, most).map((term) => change(way, term))),
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
    // Topics that came or went are told by their anchors, so these come first; where none changed, a word has to do.
    const first = (way) => [...moves[way], ...moves.moved.flatMap((move) => compareAnchors(move)[way]), ...moves.moved.flatMap((move) => move[way])].slice(0, 1);
    const words = h("span", { class: "row" }, ["came", "went"].map((way) => first(way).map((term) => h("span", { class: `${way} cut` }, aside(term)))));
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
      moves.moved.map((move) => line(move.name || move.topic, changes(move, 6))),
    );
    const about = h("p", { class: "quiet small" }, "What has happened to the topics since you last looked: anchors and words that came, and those that went.");
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
