/** Managing labels: add, rename, merge, split and delete them. Every act is kept at once and can be taken back. */

import { act, showError } from "../acting.js";
import { aside, button, fill, h, icon } from "../dom.js";
import { list, many, newId, shorten } from "../format.js";
import { labelHue, refreshProject, state } from "../state.js";
import { openDialog } from "../elements/ww-dialog.js";

const quoted = (name) => `“${shorten(name)}”`;
const same = (one, other) => one.toLowerCase() === other.toLowerCase();

/** Names between commas, each once. */
function readNames(text) {
  const names = text.split(",").map((name) => name.trim()).filter(Boolean);
  return names.filter((name, k) => names.findIndex((other) => same(other, name)) === k);
}

class LabelManager {
  // While something is being typed, nothing is drawn anew.
  #form = null;

  constructor() {
    this.list = h("ul", { class: "managed" });
    this.hint = h("p", { class: "hint small", role: "status" });
    this.name = h("input", { class: "field", placeholder: "Name of a new label", "aria-label": "Name of a new label", maxlength: "200", autocomplete: "off" });
    const add = h("form", { class: "row", on: { submit: (event) => { event.preventDefault(); this.add(); } } }, this.name, h("button", { type: "submit", class: "button" }, icon("plus"), "Add"));
    this.element = h("div", { class: "stack" }, this.list, this.hint, add);
    this.draw();
  }

  say(text) {
    this.hint.textContent = text;
  }

  draw() {
    if (this.#form) return;
    const focused = this.list.contains(document.activeElement) ? document.activeElement : null;
    const { id } = focused?.closest("li").dataset ?? {};
    const place = focused ? [...this.list.children].indexOf(focused.closest("li")) : 0;
    const labels = [...state.labels.values()];
    fill(this.list, labels.length ? labels.map((label) => this.makeRow(label)) : h("li", { class: "quiet small" }, "No labels yet."));
    if (focused) this.focus(id, focused.dataset.what, place);
  }

  /** Give the focus to the same button as before, or to that of the row that came into its place. */
  focus(id, what = "rename", place = 0) {
    const rows = [...this.list.children];
    const row = rows.find((one) => one.dataset.id === id) ?? rows[Math.min(place, rows.length - 1)];
    (row?.querySelector(`[data-what='${what}']`) ?? this.name).focus();
  }

  makeRow(label) {
    const { id, name, n_documents: n } = label;
    const press = (what, text, sign, run, off = false) => button(`${text} ${name}`, { icon: sign, kind: "bare", square: true, disabled: off, data: { what }, on: run });
    const form = h("div", { class: "place" });
    const title = h("span", { class: "name grow" }, h("button", { type: "button", class: "rename", title: "Rename", data: { what: "rename" }, on: { click: () => this.startRename(label, title) } }, aside(name), icon("edit")));
    return h(
      "li",
      { data: { id }, vars: { "--hue": labelHue(id) } },
      h("i", { class: "dot" }),
      title,
      h("span", { class: "digits quiet small" }, many(n, "document")),
      press("merge", "Merge", "merge", () => this.startMerge(label, form), state.labels.size < 2),
      press("split", "Split", "split", () => this.startSplit(label, form)),
      press("delete", "Delete", "close", () => this.delete(label)),
      form,
    );
  }

  /** Put a form into a row: Enter sends it, Escape closes it and leaves the dialog open. */
  start(place, form, first) {
    this.stop();
    this.say("");
    this.#form = form;
    form.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      this.cancel();
    });
    place.append(form);
    first.focus();
  }

  stop() {
    this.#form?.remove();
    this.#form = null;
  }

  cancel() {
    const { id } = this.#form.closest("li").dataset;
    const { what } = this.#form.dataset;
    this.stop();
    this.say("");
    this.draw();
    this.focus(id, what);
  }

  makeForm(what, label, parts, verb, run) {
    const send = (event) => {
      event.preventDefault();
      run();
    };
    const ends = verb && [h("button", { type: "submit", class: "button main" }, verb), button("Cancel", { kind: "bare", on: () => this.cancel() })];
    return h("form", { class: "row", data: { what }, "aria-label": `${what} ${label.name}`, on: { submit: send } }, parts, ends);
  }

  startRename(label, title) {
    const field = h("input", { class: "field", value: label.name, maxlength: "200", "aria-label": `New name of ${label.name}`, autocomplete: "off" });
    const keep = () => {
      const name = field.value.trim();
      if (!name || name === label.name) return this.cancel();
      if (this.isTaken(name, label.id)) return undefined;
      return this.apply([{ kind: "rename_label", label: label.id, name }], `${quoted(label.name)} is called ${quoted(name)} now.`, [label.id, "rename"]);
    };
    this.start(title, this.makeForm("rename", label, field, "", keep), field);
    title.firstElementChild.hidden = true;
    field.select();
  }

  startMerge(label, place) {
    const others = [...state.labels.values()].filter((other) => other.id !== label.id);
    const choice = h("select", { class: "field", "aria-label": `Label that ${label.name} becomes part of` }, others.map((other) => h("option", { value: other.id }, other.name)));
    const keep = () => {
      const into = state.labels.get(choice.value);
      if (!into) return this.say("That label is gone. Choose another.");
      return this.apply([{ kind: "merge_labels", labels: [label.id], into: into.id }], `${quoted(label.name)} merged into ${quoted(into.name)}.`, [into.id, "merge"]);
    };
    const text = h("span", { class: "small quiet digits" }, "Its documents become");
    this.start(place, this.makeForm("merge", label, [text, choice], "Merge", keep), choice);
  }

  startSplit(label, place) {
    const field = h("input", { class: "field", placeholder: "Names of the parts, with commas between", "aria-label": `Names of the parts of ${label.name}, with commas between`, autocomplete: "off" });
    const keep = () => {
      const names = readNames(field.value);
      if (names.length < 2) return this.say("Name two parts or more, with commas between.");
      if (names.some((name) => this.isTaken(name, label.id))) return undefined;
      const into = names.map((name) => (same(name, label.name) ? label.id : newId(name)));
      return this.apply([{ kind: "split_label", label: label.id, into, names }], `${quoted(label.name)} split into ${shorten(list(names), 80)}.`, [into[0], "split"]);
    };
    this.start(place, this.makeForm("split", label, field, "Split", keep), field);
    if (label.n_documents) this.say(`The ${many(label.n_documents, "document")} will be asked about again, unless one of the parts is called ${quoted(label.name)}: it keeps them.`);
  }

  delete(label) {
    this.stop();
    const had = label.n_documents ? `; ${many(label.n_documents, "document")} had it` : "";
    return this.apply([{ kind: "delete_label", label: label.id }], `${quoted(label.name)} deleted${had}.`);
  }

  async add() {
    const name = this.name.value.trim();
    if (!name || this.isTaken(name)) return;
    this.stop();
    // What was typed goes when the server has taken it.
    if (await this.apply([{ kind: "add_label", label: newId(name), name }], `Label ${quoted(name)} made.`)) this.name.value = "";
  }

  /** Whether another label has a name; says so. */
  isTaken(name, except = "") {
    const taken = [...state.labels.values()].some((label) => label.id !== except && same(label.name, name));
    if (taken) this.say(`Another label is called ${quoted(name)}. Choose another name, or merge the two.`);
    return taken;
  }

  /** Send acts; then show the labels as they are now, with the focus where it was. */
  async apply(acts, said, focus = null) {
    this.say("");
    const view = await act(acts, { said, refused: (message) => this.say(message), again: () => this.finish(focus) });
    if (view && !view.reason) await this.finish(focus);
    else this.hint.textContent ||= "This could not be kept. Close this window to see why, and to try again.";
    return Boolean(view && !view.reason);
  }

  async finish(focus) {
    // The form goes when the new names are there, so that the focus is never lost in between.
    await refreshProject().catch(showError);
    this.stop();
    this.draw();
    if (focus) this.focus(...focus);
  }
}

/**
 * Open the dialog.
 * @param {string} [id] the label to begin with
 */
export function manageLabels(id) {
  const manager = new LabelManager();
  const away = new AbortController();
  state.on("project", () => manager.draw(), away.signal);
  const dialog = openDialog("Labels", manager.element, [], { wide: true });
  dialog.addEventListener("close", () => away.abort(), { capture: true });
  if (id) manager.focus(id);
}
