/** One topic: what it is called, its anchors, its words, and what can be done with it. */

import { aside, button, fill, h, icon } from "../dom.js";
import { percent } from "../format.js";
import { labelHue, labelName } from "../state.js";
import { changes } from "../elements/ww-moves.js";
import { openMenu } from "../elements/ww-menu.js";
import "../elements/ww-chips.js";

const SHOWN_TERMS = 12;

export class TopicRow {
  topic = null;

  constructor(screen) {
    this.screen = screen;
    this.tick = h("input", { type: "checkbox", on: { change: () => screen.choose(this.topic.id, this.tick.checked) } });
    this.name = h("span", { class: "name" });
    this.facts = h("span", { class: "row wrap facts tiny quiet" });
    this.chips = document.createElement("ww-chips");
    this.chips.others = () => screen.topics;
    this.terms = h("ol", { class: "words", "aria-label": "Words" });
    this.effect = h("p", { class: "effect small", role: "status" });
    this.more = button("More", { icon: "more", kind: "bare", square: true, "aria-haspopup": "menu", on: () => this.openMenu() });
    const about = h("div", { class: "about" }, h("div", { class: "row" }, this.tick, this.name), this.facts);
    this.element = h("section", { class: "card topic", role: "listitem" }, about, this.chips, h("div", { class: "holds" }, this.terms, this.effect), this.more);
  }

  /** @param {any} topic a TopicView */
  show(topic, chosen) {
    this.topic = topic;
    this.element.dataset.topic = topic.id;
    this.tick.checked = chosen;
    this.tick.setAttribute("aria-label", `Choose ${topic.name}`);
    this.more.setAttribute("aria-label", `More about ${topic.name}`);
    this.element.setAttribute("aria-label", topic.name);
    if (!this.name.querySelector("input")) this.drawName();
    this.drawFacts();
    this.chips.show(topic);
    this.drawTerms();
  }

  /** Whether its name, its anchors or its words hold a text. */
  holds(text) {
    const { name, anchors, terms } = this.topic;
    return !text || [name, ...anchors, ...terms.map(({ term }) => term)].some((word) => word.toLowerCase().includes(text));
  }

  drawName() {
    fill(this.name, h("button", { type: "button", class: "rename", title: "Rename", on: { click: () => this.startRename() } }, aside(this.topic.name), icon("edit")));
  }

  drawFacts() {
    const { topic } = this;
    const sign = (name, text) => h("span", { class: "sign", title: text }, icon(name), h("span", null, text));
    fill(
      this.facts,
      h("span", { class: "digits" }, percent(topic.share)),
      topic.label ? h("span", { class: "row belongs", vars: { "--hue": labelHue(topic.label) } }, h("i", { class: "dot" }), aside(`${labelName(topic.label)} ${percent(topic.label_share)}`, { class: "cut" })) : h("span", { class: "row belongs" }, h("i", { class: "dot hollow" }), "new"),
      topic.frozen ? sign("freeze", "frozen") : topic.pinned && sign("pin", "pinned"),
    );
  }

  drawTerms() {
    const { topic } = this;
    const top = Math.max(...topic.terms.map((term) => term.weight), Number.EPSILON);
    const focused = this.terms.contains(document.activeElement) ? document.activeElement.dataset.term : null;
    const anchors = new Set(topic.anchors);
    const words = topic.terms.slice(0, SHOWN_TERMS).map(({ term, weight }) => {
      const press = (event) => this.openTerm(event.currentTarget, term);
      const look = anchors.has(term) ? "term anchor" : "term";
      return h("li", null, h("button", { type: "button", class: look, vars: { "--share": (weight / top).toFixed(3) }, data: { term }, "aria-haspopup": "menu", on: { click: press } }, aside(term)));
    });
    const kept = topic.forbidden.map((term) => h("li", null, h("button", { type: "button", class: "term kept-out", title: "Kept out of this topic; press to let it in again", on: { click: () => this.screen.forbid(topic, term, false) } }, aside(term))));
    fill(this.terms, words, kept);
    if (focused) [...this.terms.querySelectorAll("button")].find((one) => one.dataset.term === focused)?.focus();
  }

  openTerm(from, term) {
    const { screen, topic } = this;
    const anchored = topic.anchors.includes(term);
    openMenu(from, [
      { text: `Make “${term}” an anchor`, icon: "anchor", off: anchored, run: () => screen.addAnchor(topic.id, term, this.chips) },
      { text: "Keep it out of this topic", icon: "close", run: () => screen.forbid(topic, term) },
      { text: "Ban it everywhere", icon: "ban", run: () => screen.ban(term) },
      "line",
      { text: "Documents with it", icon: "search", run: () => { location.hash = `#/documents?query=${encodeURIComponent(term)}`; } },
    ]);
  }

  openMenu() {
    const { screen, topic } = this;
    openMenu(this.more, [
      { text: "Rename", icon: "edit", run: () => this.startRename() },
      { text: topic.pinned ? "Let go" : "Pin", icon: "pin", off: topic.frozen, run: () => screen.pin(topic) },
      { text: topic.frozen ? "Unfreeze" : "Freeze", icon: "freeze", run: () => screen.freeze(topic) },
      { text: "Split in two", icon: "split", off: topic.frozen, run: () => screen.split(topic) },
      { text: "Promote to a theme", icon: "promote", run: () => screen.promote(topic) },
      "line",
      { text: "Its documents", icon: "documents", run: () => { location.hash = `#/documents?topic=${encodeURIComponent(topic.id)}`; } },
    ]);
  }

  startRename() {
    const field = h("input", { class: "field", value: this.topic.name, maxlength: "200", "aria-label": "Name of the topic" });
    const stop = () => {
      this.drawName();
      this.name.querySelector("button").focus();
    };
    const keep = async () => {
      const name = field.value.trim();
      if (!name || name === this.topic.name) return stop();
      // The field stays, with what was typed, until the server has taken the name.
      if (await this.screen.rename(this.topic, name)) stop();
      return undefined;
    };
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") keep();
      else if (event.key === "Escape") stop();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    fill(this.name, field);
    field.focus();
    field.select();
  }

  noteNew() {
    this.mark(h("span", { class: "came" }, "new topic"));
  }

  /** Say which anchors and words came and went; null: nothing changed. */
  noteMove(move) {
    if (!move) {
      this.element.classList.remove("changed");
      return fill(this.effect);
    }
    return this.mark(changes(move, 5));
  }

  mark(what) {
    fill(this.effect, what);
    this.element.classList.remove("changed");
    requestAnimationFrame(() => this.element.classList.add("changed"));
  }
}
