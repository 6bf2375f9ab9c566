/** One document with everything about it: shares and the words behind them, labels by everybody, comments. */

import * as api from "../api.js";
import { act, showError } from "../acting.js";
import { aside, bone, button, fill, h } from "../dom.js";
import { percent, shorten } from "../format.js";
import { labelHue, labelName, state } from "../state.js";
import { tags } from "../elements/ww-labels.js";
import "../elements/ww-document.js";

const SHOWN = 6;

export class DocumentPage {
  id = "";
  view = null;
  #remark = "";

  /** @param {{close: () => void, changed: () => void}} acts */
  constructor(acts) {
    this.acts = acts;
    this.element = h("aside", { class: "card side", "aria-label": "Document", hidden: true });
  }

  clear() {
    this.id = "";
    this.element.hidden = true;
    fill(this.element);
  }

  async open(id) {
    if (id !== this.id) {
      this.#remark = "";
      fill(this.element, h("div", { class: "stack pad" }, bone(24, "60%"), bone(180), bone(120)));
    }
    this.id = id;
    this.element.hidden = false;
    try {
      const view = await api.get("/api/document", { id });
      if (this.id !== id) return;
      this.view = view;
      this.draw();
    } catch (error) {
      showError(error, () => this.open(id));
      this.acts.close();
    }
  }

  draw() {
    const { view } = this;
    this.text = document.createElement("ww-document");
    this.text.show(view, { sentences: true });
    this.text.classList.add("coloured");
    const flag = button(view.flagged ? "Flagged" : "Flag", { icon: "flag", kind: "bare low", "aria-pressed": String(view.flagged), on: () => this.flag() });
    const head = h("header", { class: "row" }, h("h2", { class: "grow cut" }, aside(view.id)), flag, h("a", { class: "button low", href: `#/label?id=${encodeURIComponent(view.id)}` }, "Label"), button("Close", { icon: "close", kind: "bare low", square: true, key: "Esc", on: this.acts.close }));
    const parts = [this.drawThemes(), this.drawTopics(), this.drawSaid(), this.drawComments(), this.drawNeighbours(), this.drawFacts()];
    fill(this.element, head, h("div", { class: "inside", tabindex: "0", role: "region", "aria-label": "The document" }, h("div", { class: "reading" }, this.text), parts));
  }

  makePart(title, ...body) {
    return h("section", { class: "part" }, h("h3", null, title), body);
  }

  /** Bars of shares; pointing at one lets its words and its sentence stand out. */
  drawThemes() {
    const { label_shares: shares } = this.view;
    if (!shares.length) return this.makePart("Themes", h("p", { class: "quiet small" }, "Nothing is labelled yet, so there is nothing to compare with."));
    const bars = shares.slice(0, SHOWN).map((share) => {
      const light = (on) => () => this.text.light(on ? share.id : "");
      const on = { pointerenter: light(true), pointerleave: light(false), focus: light(true), blur: light(false) };
      return h("li", null, h("button", { type: "button", class: "share", vars: { "--hue": labelHue(share.id) }, on, title: "Words and the sentence that speak for it stand out" }, aside(share.name, { class: "cut" }), h("span", { class: "bar" }, h("i", { vars: { "--share": share.share } })), h("span", { class: "digits small quiet" }, percent(share.share))));
    });
    return this.makePart("Themes", h("ul", { class: "shares" }, bars), h("p", { class: "quiet tiny" }, "Point at a theme to see the words and the sentence behind it."));
  }

  drawTopics() {
    const shares = this.view.topic_shares.slice(0, 4);
    if (!shares.length) return null;
    const bars = shares.map((share) => h("li", null, h("a", { class: "share", href: `#/topics?topic=${encodeURIComponent(share.id)}` }, aside(share.name, { class: "cut" }), h("span", { class: "bar" }, h("i", { vars: { "--share": share.share, "--hue": "var(--soft)" } })), h("span", { class: "digits small quiet" }, percent(share.share)))));
    return this.makePart("Topics", h("ul", { class: "shares" }, bars));
  }

  drawSaid() {
    const { view } = this;
    const said = view.labellings.map(({ annotator, labels }) => h("li", { class: "row" }, aside(annotator, { class: "small quiet who-said cut" }), tags(labels)));
    const settled = view.status === "disagreement" ? h("p", { class: "small warn" }, "They disagree. Decide on the screen Quality.") : view.status === "adjudicated" && h("p", { class: "small quiet row" }, "Decided: ", tags(view.settled));
    const mine = view.labels.length > 0 && button("Take my label back", { kind: "bare low", on: () => this.unlabel() });
    return this.makePart("Labels", said.length ? h("ul", { class: "stack tight" }, said) : h("p", { class: "quiet small" }, "Nobody has labelled it yet."), settled, this.makeChooser(), mine);
  }

  makeChooser() {
    const { view } = this;
    const likely = view.suggestions.slice(0, 5).map(({ label }) => label).filter((id) => state.labels.has(id));
    const press = (id) => button(labelName(id), { kind: "low", "aria-pressed": String(view.labels.includes(id)), on: () => this.toggle(id) });
    return likely.length > 0 && h("div", { class: "row wrap", role: "group", "aria-label": "Label it" }, likely.map(press));
  }

  drawComments() {
    const { view } = this;
    const comments = view.comments.map(({ annotator, text }) => h("li", { class: "small" }, h("b", null, aside(annotator)), " ", aside(text)));
    const field = h("textarea", { class: "field", rows: "2", placeholder: "Write a comment", "aria-label": "Comment", value: this.#remark, maxlength: "10000" });
    field.addEventListener("input", () => { this.#remark = field.value; });
    const send = button("Keep", { kind: "low", on: () => this.comment(field.value.trim()) });
    return this.makePart("Comments", comments.length > 0 && h("ul", { class: "comments" }, comments), h("div", { class: "stack tight" }, field, h("div", { class: "row" }, send)));
  }

  drawNeighbours() {
    const { neighbours } = this.view;
    if (!neighbours.length) return null;
    const lines = neighbours.slice(0, 5).map((near) => h("li", null, h("a", { class: "row apart small", href: `#/documents?doc=${encodeURIComponent(near.id)}` }, aside(near.name || near.id, { class: "cut" }), h("span", { class: "digits quiet" }, percent(near.share)))));
    return this.makePart("Labelled documents like it", h("ul", { class: "stack tight" }, lines));
  }

  drawFacts() {
    const facts = Object.entries(this.view.metadata ?? {});
    if (!facts.length) return null;
    return this.makePart("Facts", h("dl", { class: "facts-list small" }, facts.map(([name, value]) => [h("dt", { class: "quiet cut" }, aside(name)), h("dd", null, aside(typeof value === "string" ? value : JSON.stringify(value)))])));
  }

  async #do(acts, said) {
    if (!(await act(acts, { said, again: () => this.open(this.id) }))) return false;
    await this.open(this.id);
    this.acts.changed();
    return true;
  }

  toggle(id) {
    const { labels } = this.view;
    const has = labels.includes(id);
    const wanted = has ? labels.filter((other) => other !== id) : state.project.multilabel ? [...labels, id] : [id];
    if (!wanted.length) return this.unlabel();
    return this.#do([{ kind: "label", documents: [this.id], labels: wanted }], `Labelled ${shorten(wanted.map(labelName).join(", "))}.`);
  }

  unlabel() {
    return this.#do([{ kind: "unlabel", documents: [this.id] }], "Your label is taken back.");
  }

  flag() {
    return this.#do([{ kind: "flag", documents: [this.id], flagged: !this.view.flagged }], this.view.flagged ? "No longer flagged." : "Flagged.");
  }

  async comment(text) {
    if (!text) return;
    const kept = this.#remark;
    this.#remark = "";
    if (!(await this.#do([{ kind: "comment", document: this.id, text }], "Comment kept."))) this.#remark = kept;
  }
}
