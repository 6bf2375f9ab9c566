/** Documents: search, filter, sort, label many at once; one of them opens beside the list. */

import * as api from "../api.js";
import { act, showError } from "../acting.js";
import { aside, bone, button, debounce, empty, fill, h, icon } from "../dom.js";
import { count, many, percent, shorten } from "../format.js";
import { bind } from "../keys.js";
import { labelName, state } from "../state.js";
import { tag, tags } from "../elements/ww-labels.js";
import { makeCombo } from "../elements/ww-combo.js";
import { openDialog } from "../elements/ww-dialog.js";
import { DocumentPage } from "./document-page.js";
import { makeFilters, readFilters } from "./document-filters.js";

const LIMIT = 50;
// As many as a search finds and one answer lists.
const MOST = 1000;
const STATUS = { open: "", single: "", agreed: "Agreed", adjudicated: "Decided", disagreement: "Disagreement", skipped: "Skipped" };

/** Ask before much is done at once: most of it is on no page that was looked at. */
function askBulk(title, more, verb) {
  return new Promise((answer) => {
    const end = (yes) => () => { answer(yes); dialog.close(); };
    const body = h("div", { class: "stack" }, h("p", { class: "quiet" }, "They are those that the search and the filters find, on all pages. It is one act: one undo takes it back."), more && h("p", null, more));
    const go = button(verb, { kind: "main", on: end(true), autofocus: true });
    const dialog = openDialog(title, body, [go, button("Cancel", { kind: "bare", on: end(false) })]);
    dialog.addEventListener("close", () => answer(false), { capture: true });
  });
}

class Documents {
  chosen = new Set();
  /** Lines that were found and chosen beyond the page; null while only some of the page are. */
  found = null;
  page = null;
  #asked = 0;

  constructor(root, signal, params) {
    this.signal = signal;
    this.about = h("p", { role: "status" }, " ");
    this.filters = makeFilters(params, () => this.search());
    this.tick = h("input", { type: "checkbox", "aria-label": "Choose all on this page", on: { change: () => this.chooseAll(this.tick.checked) } });
    this.bulk = h("div", { class: "bulk row" });
    this.wider = button("Choose all", { kind: "bare low", hidden: true, on: () => this.chooseFound() });
    this.list = h("ul", { class: "lines" }, Array.from({ length: 8 }, () => h("li", { class: "line" }, bone(40))));
    this.pager = h("div", { class: "row pager" });
    this.side = new DocumentPage({ close: () => this.close(), changed: () => this.refresh() });
    const table = h("div", { class: "card listing" }, h("div", { class: "row top" }, this.tick, this.bulk), this.list, this.pager);
    this.body = h("div", { class: "split-view" }, table, this.side.element);
    const head = h("header", null, h("div", null, h("h1", null, "Documents"), this.about), this.filters.search);
    this.element = h("div", { class: "screen full documents" }, head, this.filters.row, this.body);
    fill(root, this.element);
    this.drawBulk();
  }

  /** What the address says is what is shown, so that a list can be passed on. */
  note(doc) {
    const given = new URLSearchParams(Object.entries(readFilters(this.filters)).filter(([, value]) => value !== ""));
    if (this.offset) given.set("offset", this.offset);
    if (doc) given.set("doc", doc);
    history.replaceState(null, "", `#/documents${given.size ? `?${given}` : ""}`);
  }

  search(offset = 0) {
    this.offset = offset;
    this.clearChosen();
    this.note(this.side.id);
    return this.refresh();
  }

  async refresh() {
    const asked = ++this.#asked;
    this.list.setAttribute("aria-busy", "true");
    try {
      const page = await api.get("/api/documents", { ...readFilters(this.filters), offset: this.offset, limit: LIMIT }, this.signal);
      if (asked !== this.#asked || this.signal.aborted) return;
      this.page = page;
      this.draw();
    } catch (error) {
      if (asked === this.#asked) showError(error, () => this.refresh());
    } finally {
      if (asked === this.#asked) this.list.removeAttribute("aria-busy");
    }
  }

  draw() {
    const { total, offset, lines } = this.page;
    const ids = new Set(lines.map((line) => line.id));
    if (!this.found) for (const id of [...this.chosen]) if (!ids.has(id)) this.chosen.delete(id);
    this.about.textContent = total === state.project.n_documents ? many(total, "document") : `${count(total)} of ${many(state.project.n_documents, "document")}`;
    fill(this.list, lines.length ? lines.map((line) => this.makeLine(line)) : h("li", null, this.makeNothing()));
    const last = offset + lines.length;
    fill(
      this.pager,
      h("span", { class: "quiet small digits grow" }, total ? `${count(offset + 1)}–${count(last)} of ${count(total)}` : ""),
      button("Page before", { icon: "left", square: true, kind: "bare low", disabled: offset === 0, on: () => this.search(Math.max(0, offset - LIMIT)) }),
      button("Page after", { icon: "right", square: true, kind: "bare low", disabled: last >= total, on: () => this.search(offset + LIMIT) }),
    );
    this.drawBulk();
  }

  makeNothing() {
    const clear = button("Clear all filters", { kind: "main", on: () => { location.hash = "#/documents"; } });
    return empty("search", "No document is like this", "Try fewer or other words, or take a filter away.", clear);
  }

  makeLine(line) {
    const tick = h("input", { type: "checkbox", checked: this.chosen.has(line.id), "aria-label": `Choose ${shorten(line.id)}`, on: { change: () => this.choose(line.id, tick.checked) } });
    const open = () => this.open(line.id);
    const status = STATUS[line.status] ?? line.status;
    const guess = !line.labels.length && line.guess ? h("span", { class: "row guess small quiet" }, h("span", { class: "digits" }, percent(line.chance)), tag(line.guess)) : null;
    return h(
      "li",
      { class: "line", data: { id: line.id }, "aria-current": this.side.id === line.id ? "true" : null },
      tick,
      h("button", { type: "button", class: "open", on: { click: open } }, aside(line.excerpt || "(empty)", { class: "excerpt" }), h("span", { class: "tiny quiet cut" }, aside(line.id))),
      h("span", { class: "said" }, tags(line.labels), guess, status && h("span", { class: `tiny status ${line.status}` }, status), line.flagged && h("span", { class: "flagged", title: "Flagged" }, icon("flag"), h("span", { class: "unseen" }, "flagged"))),
    );
  }

  choose(id, on) {
    if (on) this.chosen.add(id);
    else this.chosen.delete(id);
    this.drawBulk();
  }

  clearChosen() {
    this.chosen.clear();
    this.found = null;
  }

  chooseAll(on) {
    this.found = null;
    this.chosen = new Set(on ? this.page.lines.map((line) => line.id) : []);
    this.draw();
  }

  /** Choose everything that was found, as far as one act may go. */
  async chooseFound() {
    try {
      const { lines } = await api.get("/api/documents", { ...readFilters(this.filters), limit: MOST }, this.signal);
      this.found = lines;
      this.chosen = new Set(lines.map((line) => line.id));
      this.draw();
    } catch (error) {
      showError(error, () => this.chooseFound());
    }
  }

  drawBulk() {
    const n = this.chosen.size;
    const lines = this.page?.lines ?? [];
    const all = lines.length > 0 && lines.every((line) => this.chosen.has(line.id));
    this.tick.checked = all;
    this.tick.indeterminate = n > 0 && !all;
    this.noteWider(all);
    this.element.classList.toggle("choosing", n > 0);
    if (!n) return fill(this.bulk, h("span", { class: "quiet small" }, "Tick documents to label them together"));
    if (this.bulk.querySelector("ww-combo")) {
      this.bulk.querySelector("b").textContent = `${count(n)} chosen`;
      return undefined;
    }
    const search = (typed) => [...state.labels.values()].filter((label) => label.name.toLowerCase().includes(typed.toLowerCase())).map((label) => ({ value: label.id, text: label.name, node: tag(label.id, "") }));
    const picker = makeCombo({ placeholder: "Label them…", eager: true, search, choose: (id) => this.label(id, picker) });
    return fill(this.bulk, h("b", { class: "small digits", role: "status" }, `${count(n)} chosen`), this.wider, picker, button("Flag", { icon: "flag", kind: "bare low", on: () => this.flag() }), button("Clear", { kind: "bare low", on: () => this.chooseAll(false) }));
  }

  /** Offer everything that was found once all of the page is chosen. */
  noteWider(all) {
    const total = this.page?.total ?? 0;
    this.wider.hidden = !all || Boolean(this.found) || total <= this.page.lines.length;
    this.wider.querySelector("span").textContent = total > MOST ? `Choose the first ${count(MOST)} of ${count(total)}` : `Choose all ${count(total)} found`;
  }

  async label(id, picker) {
    if (!state.labels.has(id)) return picker.say("No label is called so. Make it on the screen Label, with n.");
    const documents = [...this.chosen];
    const mine = (this.found ?? []).filter((line) => this.chosen.has(line.id) && line.annotators.includes(state.session.name)).length;
    const again = mine > 0 && `You have labelled ${mine === 1 ? "one" : count(mine)} of them before: the new label takes the place of what you said.`;
    if (this.found && !(await askBulk(`Label ${many(documents.length, "document")} “${shorten(labelName(id))}”?`, again, "Label them"))) return undefined;
    if (await act([{ kind: "label", documents, labels: [id] }], { said: `${many(documents.length, "document")} labelled “${shorten(labelName(id))}”.`, again: () => this.afterBulk() })) await this.afterBulk();
    return undefined;
  }

  async flag() {
    const documents = [...this.chosen];
    if (this.found && !(await askBulk(`Flag ${many(documents.length, "document")}?`, "", "Flag them"))) return;
    if (await act([{ kind: "flag", documents, flagged: true }], { said: `${many(documents.length, "document")} flagged.` })) await this.afterBulk();
  }

  async afterBulk() {
    this.clearChosen();
    await this.refresh();
  }

  async open(id) {
    this.note(id);
    this.body.classList.add("open");
    await this.side.open(id);
    for (const line of this.list.children) {
      if (line.dataset.id === id) line.setAttribute("aria-current", "true");
      else line.removeAttribute("aria-current");
    }
  }

  close() {
    const { id } = this.side;
    this.side.clear();
    this.body.classList.remove("open");
    this.note("");
    for (const line of this.list.children) line.removeAttribute("aria-current");
    [...this.list.children].find((line) => line.dataset.id === id)?.querySelector(".open").focus();
  }

  /** Open the document after or before the one that is open. */
  step(by) {
    const lines = this.page?.lines ?? [];
    const place = lines.findIndex((line) => line.id === this.side.id);
    const next = lines[place + by];
    if (next) this.open(next.id);
  }
}

export async function mount(root, { params, signal }) {
  const screen = new Documents(root, signal, params);
  const group = "Documents";
  bind(
    [
      { keys: ["/"], text: "Search", run: () => screen.filters.query.focus(), group },
      { keys: ["j", "ArrowDown"], text: "Open the next document", run: () => screen.step(1), group },
      { keys: ["k", "ArrowUp"], text: "Open the one before", run: () => screen.step(-1), group },
      { keys: ["Escape"], text: "Close the document", run: () => screen.side.id && screen.close(), group },
    ],
    signal,
  );
  const again = debounce(() => screen.refresh(), 400);
  state.on("acts", again, signal);
  state.on("topics", again, signal);
  state.on("undone", () => { screen.refresh(); if (screen.side.id) screen.side.open(screen.side.id); }, signal);
  screen.offset = Number(params.get("offset") ?? 0);
  const wanted = params.get("doc");
  await Promise.all([screen.refresh(), wanted && screen.open(wanted)]);
  if (params.get("find")) screen.filters.query.focus();
}
