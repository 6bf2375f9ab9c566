/** What the screen Label looks like; it decides nothing. */

import { aside, button, empty, fill, h, icon } from "../dom.js";
import { count, many } from "../format.js";
import { state } from "../state.js";
import { makeMoves } from "../elements/ww-moves.js";
import { tags } from "../elements/ww-labels.js";
import "../elements/ww-document.js";

const SAVED = { saving: ["Saving…", "quiet"], saved: ["Saved", "good"], failed: ["Not saved", "bad"], idle: ["", "quiet"] };

/** Words in backticks stand out. */
function emphasise(text) {
  return text.split("`").map((part, k) => (k % 2 ? h("b", null, aside(part)) : part));
}

export class LabelView {
  /** @param {any} acts what the buttons do */
  constructor(root, acts) {
    this.acts = acts;
    this.makeHead();
    this.makeSheet();
    this.makeSide();
    this.desk = h("div", { class: "desk" }, this.sheet, this.side);
    this.nothing = h("div", { class: "card nothing", hidden: true });
    fill(root, h("div", { class: "screen full label" }, this.head, this.desk, this.nothing));
  }

  makeHead() {
    const { acts } = this;
    this.counts = h("p", { class: "digits" }, " ");
    this.saved = h("span", { class: "saved small", role: "status", "aria-live": "polite" });
    this.moves = makeMoves();
    this.back = button("The document before", { icon: "left", square: true, kind: "bare", key: "←", on: () => acts.move(-1) });
    this.on = button("The document after", { icon: "right", square: true, kind: "bare", key: "→", on: () => acts.move(1) });
    this.where = h("span", { class: "digits quiet small where" });
    const steps = h("div", { class: "row tools" }, this.back, this.where, this.on, h("i", { class: "rule" }), button("Undo", { icon: "undo", square: true, kind: "bare", key: "u", on: acts.undo }), button("Redo", { icon: "redo", square: true, kind: "bare", key: "Shift Ctrl z", on: acts.redo }));
    this.head = h("header", null, h("div", null, h("h1", null, "Label"), this.counts), h("div", { class: "row" }, this.saved, this.moves, steps));
  }

  makeSheet() {
    this.why = h("div", { class: "why" });
    this.about = h("div", { class: "about row quiet small" });
    this.text = document.createElement("ww-document");
    this.page = h("div", { class: "page", tabindex: "0", role: "region", "aria-label": "Text of the document" }, this.text);
    this.colour = button("Colour words", { icon: "colour", kind: "bare low", key: "w", on: this.acts.colour, "aria-pressed": "true" });
    this.sheet = h("article", { class: "card sheet", "aria-label": "Document" }, this.why, h("div", { class: "row apart strip" }, this.about, this.colour), this.page);
  }

  makeSide() {
    const { acts } = this;
    this.labels = document.createElement("ww-labels");
    this.labels.setAttribute("aria-label", "Labels");
    this.labels.addEventListener("change", () => { acts.chosen(this.labels.chosen); this.noteChosen(); });
    this.finder = h("input", { class: "field", type: "search", placeholder: "Find a label   /", "aria-label": "Find a label; Enter chooses the first, Shift+Enter searches documents", autocomplete: "off" });
    this.finder.addEventListener("input", () => this.labels.filter(this.finder.value));
    this.finder.addEventListener("keydown", (event) => this.hearFinder(event));
    this.name = h("input", { class: "field", placeholder: "Name of the new label", "aria-label": "Name of the new label", maxlength: "200", autocomplete: "off" });
    this.name.addEventListener("keydown", (event) => this.hearName(event));
    this.naming = h("div", { class: "row naming", hidden: true }, this.name, button("Add", { kind: "main", on: () => this.sendName() }));
    this.adder = button("New label", { icon: "plus", kind: "bare low", key: "n", on: () => this.startLabel() });
    this.hints = h("p", { class: "hint small", role: "status" });
    this.go = button("Submit", { kind: "main grow", key: "Enter", on: acts.submit });
    const decide = h("div", { class: "row" }, this.go, button("Skip", { key: "Space", on: acts.skip }));
    const manage = button("Manage labels", { icon: "edit", kind: "bare low", square: true, key: "Shift n", "aria-haspopup": "dialog", on: acts.manage });
    const head = h("div", { class: "row" }, h("h2", { class: "grow" }, "Labels"), this.adder, manage);
    const choose = h("div", { class: "card pad choose" }, head, this.finder, this.naming, this.labels, this.hints, decide);
    this.side = h("aside", { "aria-label": "What to say about it" }, choose, this.makeRemarks());
  }

  makeRemarks() {
    const { acts } = this;
    this.flagged = button("Flag", { icon: "flag", kind: "bare low", key: "f", on: acts.flag, "aria-pressed": "false" });
    this.commenter = button("Comment", { icon: "comment", kind: "bare low", key: "c", on: () => this.startComment() });
    this.comments = h("ul", { class: "comments" });
    this.remark = h("textarea", { class: "field", rows: "3", placeholder: "A remark about this document", "aria-label": "Comment", maxlength: "10000" });
    this.remark.addEventListener("input", () => acts.remark(this.remark.value));
    this.remark.addEventListener("keydown", (event) => this.hearRemark(event));
    this.writing = h("div", { class: "stack", hidden: true }, this.remark, h("div", { class: "row" }, button("Keep", { kind: "main low", key: "Ctrl Enter", on: () => this.sendRemark() }), button("Close", { kind: "bare low", on: () => this.endComment() })));
    return h("div", { class: "card remarks" }, h("div", { class: "row" }, this.flagged, this.commenter), this.comments, this.writing);
  }

  /** Show a sheet of the desk, or that nothing is left. */
  show(sheet, { place, total, colours }) {
    this.desk.hidden = !sheet;
    this.nothing.hidden = Boolean(sheet);
    this.back.disabled = place <= 0;
    this.on.disabled = place >= total - 1;
    this.where.textContent = total ? `${Math.min(place + 1, total)} / ${total}` : "";
    if (!sheet) return this.showNothing();
    const { document } = sheet;
    this.drawWhy(sheet, place < total - 1);
    this.drawAbout(document);
    this.text.show(document);
    this.page.scrollTop = 0;
    this.noteColours(colours);
    this.drawLabels(sheet);
    this.noteFlag(document.flagged);
    this.noteComments(sheet);
    this.remark.value = sheet.remark;
    this.writing.hidden = !sheet.remark;
    return this.say(`Document ${document.id}. ${sheet.reasons.join(". ")}`);
  }

  showNothing() {
    const again = h("a", { class: "button", href: "#/documents?status=skipped" }, "See what was skipped");
    fill(this.nothing, empty("check", "Nothing is left to label", "Every document is labelled, skipped, or in somebody else's hands. Look at how good the guesses are, or go through what was skipped.", h("a", { class: "button main", href: "#/quality" }, "Look at the quality"), again));
  }

  drawWhy(sheet, earlier) {
    const { document, reasons } = sheet;
    if (document.labels.length) fill(this.why, h("span", { class: "quiet" }, "You said"), tags(document.labels), h("span", { class: "quiet" }, earlier ? "Change it and submit, or → to go on." : ""));
    else if (document.skipped) fill(this.why, h("span", { class: "quiet" }, "You skipped this document. Label it now, or → to go on."));
    else fill(this.why, h("p", null, h("b", null, "Why this one: "), reasons.length ? emphasise(reasons.join("; ")) : "you opened it yourself"), sheet.double && h("span", { class: "tag plain" }, h("span", null, "Labelled by two")));
  }

  drawAbout(document) {
    const facts = Object.entries(document.metadata ?? {}).slice(0, 3).map(([name, value]) => `${name}: ${value}`);
    fill(this.about, icon("documents"), aside(document.id, { class: "cut" }), facts.length > 0 && aside(facts.join(" · "), { class: "cut facts" }));
  }

  drawLabels(sheet) {
    this.labels.many = state.project.multilabel;
    this.finder.value = "";
    this.hint("");
    this.labels.offer(sheet.document.suggestions, sheet.chosen);
    this.finder.hidden = state.labels.size <= 10;
    this.noteChosen();
  }

  noteChosen() {
    this.hint("");
    this.go.setAttribute("aria-disabled", String(!this.labels.chosen.length));
  }

  noteLabels() {
    this.labels.refresh();
    this.finder.hidden = state.labels.size <= 10;
  }

  noteCounts(counts) {
    if (!counts) return;
    const { n_labelled: done, n_documents: all, n_mine: mine, n_skipped: skipped, n_disagreements: apart } = counts;
    fill(this.counts, `${count(done)} of ${many(all, "document")} labelled · ${count(mine)} by you`, skipped > 0 && ` · ${count(skipped)} skipped`, apart > 0 && [" · ", h("a", { href: "#/quality" }, many(apart, "disagreement"))]);
  }

  noteSaved(how) {
    const [text, look] = SAVED[how];
    fill(this.saved, how === "saved" && icon("check"), text);
    this.saved.dataset.look = look;
  }

  noteSending(sending) {
    this.desk.setAttribute("aria-busy", String(sending));
  }

  noteColours(on) {
    this.text.classList.toggle("coloured", on);
    this.colour.setAttribute("aria-pressed", String(on));
  }

  noteFlag(flagged) {
    this.flagged.setAttribute("aria-pressed", String(flagged));
    this.flagged.querySelector("span").textContent = flagged ? "Flagged" : "Flag";
  }

  noteComments(sheet) {
    fill(this.comments, sheet.document.comments.map(({ annotator, text }) => h("li", { class: "small" }, h("b", null, aside(annotator)), " ", aside(text))));
    if (!sheet.remark) this.endComment();
  }

  press(key) {
    this.labels.press(key);
  }

  choose(id) {
    this.labels.add(id);
    this.finder.value = "";
    this.labels.filter("");
  }

  hint(text) {
    this.hints.textContent = text;
  }

  /** Tell those who do not see the screen. */
  say(text) {
    document.getElementById("says").textContent = text;
  }

  scroll(step) {
    this.page.scrollBy({ top: step * 96, behavior: "instant" });
  }

  openMoves() {
    this.moves.open();
  }

  find() {
    if (this.finder.hidden) location.hash = "#/documents?find=1";
    else this.finder.focus();
  }

  hearFinder(event) {
    if (event.key === "Enter" && event.shiftKey) location.hash = `#/documents?query=${encodeURIComponent(this.finder.value)}`;
    else if (event.key === "Enter") this.takeFirst();
    else if (event.key === "Escape") this.leaveFinder();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  takeFirst() {
    const [first] = this.labels.filter(this.finder.value);
    if (first && this.finder.value.trim()) this.choose(first);
    this.leaveFinder();
  }

  leaveFinder() {
    this.finder.value = "";
    this.labels.filter("");
    this.finder.blur();
  }

  startLabel() {
    this.naming.hidden = false;
    this.name.focus();
  }

  hearName(event) {
    if (event.key === "Enter") this.sendName();
    else if (event.key === "Escape") this.naming.hidden = true;
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** What was typed stays until the server has taken it. */
  async sendName() {
    const name = this.name.value.trim();
    if (!name || !(await this.acts.addLabel(name))) return;
    this.name.value = "";
    this.naming.hidden = true;
    document.activeElement?.blur?.();
  }

  startComment() {
    this.writing.hidden = false;
    this.remark.focus();
  }

  endComment() {
    this.writing.hidden = true;
    this.remark.blur();
  }

  hearRemark(event) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.sendRemark();
    else if (event.key === "Escape") this.endComment();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  async sendRemark() {
    const text = this.remark.value.trim();
    if (!text) return this.endComment();
    // Only what the server has taken may go from the field.
    if (await this.acts.comment(text)) this.remark.value = "";
    return undefined;
  }
}
