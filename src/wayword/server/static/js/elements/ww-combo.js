/** A field that completes what is typed: arrows move through the list, Enter takes, Escape closes it. */

import { aside, debounce, fill, h } from "../dom.js";

let made = 0;

/** @typedef {{value: string, text: string, node?: Node}} Option */

class Combo extends HTMLElement {
  /** @type {(typed: string) => Promise<Option[]>|Option[]} */
  search = () => [];
  /** @type {(value: string, known: boolean) => void} */
  choose = () => {};
  #id = `combo-${++made}`;
  #input = h("input", { class: "field", type: "text", role: "combobox", autocomplete: "off", spellcheck: "false", "aria-expanded": "false", "aria-autocomplete": "list", "aria-controls": this.#id });
  #list = h("ul", { class: "options", role: "listbox", id: this.#id, hidden: true });
  #hint = h("p", { class: "hint small", role: "status", hidden: true });
  /** @type {Option[]} */
  #options = [];
  #place = -1;
  #asked = 0;

  connectedCallback() {
    if (this.childElementCount) return;
    this.classList.add("combo");
    this.#input.placeholder = this.getAttribute("placeholder") ?? "";
    this.#input.setAttribute("aria-label", this.getAttribute("label") ?? this.#input.placeholder);
    const look = debounce(() => this.#look(), 80);
    // What was listed for other letters must not be taken for these.
    this.#input.addEventListener("input", () => { this.say(""); this.#close(); look(); });
    const offer = () => (this.hasAttribute("eager") || this.#input.value) && this.#list.hidden && this.#look();
    // A press on a field that has the focus already opens the list too.
    for (const name of ["focus", "click"]) this.#input.addEventListener(name, offer);
    this.#input.addEventListener("blur", () => setTimeout(() => document.activeElement !== this.#input && this.#close(), 150));
    this.#input.addEventListener("keydown", (event) => this.#hear(event));
    this.append(this.#input, this.#list, this.#hint);
  }

  /** Say what the field is for. */
  name(label) {
    this.setAttribute("label", label);
    this.#input.setAttribute("aria-label", label);
  }

  get value() {
    return this.#input.value;
  }

  set value(text) {
    this.#input.value = text;
  }

  focus() {
    this.#input.focus();
  }

  /**
   * Say something below the field, such as what is wrong with what was typed.
   * @param {string} text
   * @param {string[]} [instead] words to take with one press
   */
  say(text, instead = []) {
    this.#hint.hidden = !text;
    this.#input.setAttribute("aria-invalid", String(Boolean(text)));
    const take = (word) => h("button", { type: "button", class: "button low", on: { click: () => this.#take({ value: word, text: word }) } }, word);
    fill(this.#hint, text, instead.length > 0 && h("span", { class: "row wrap" }, instead.map(take)));
  }

  async #look() {
    const asked = ++this.#asked;
    const typed = this.#input.value.trim();
    if (!typed && !this.hasAttribute("eager")) return this.#close();
    let found = [];
    try {
      found = await this.search(typed);
    } catch {
      // Without completion the field still takes what is typed.
    }
    if (asked !== this.#asked || document.activeElement !== this.#input) return undefined;
    this.#options = found;
    this.#place = -1;
    return this.#draw();
  }

  #draw() {
    const lines = this.#options.map((option, k) => h("li", { role: "option", id: `${this.#id}-${k}`, "aria-selected": String(k === this.#place), on: { pointerdown: (event) => { event.preventDefault(); this.#take(option); } } }, option.node, aside(option.text, { class: "cut" })));
    fill(this.#list, lines);
    this.#list.hidden = !lines.length;
    this.#input.setAttribute("aria-expanded", String(lines.length > 0));
    if (this.#place >= 0) this.#input.setAttribute("aria-activedescendant", `${this.#id}-${this.#place}`);
    else this.#input.removeAttribute("aria-activedescendant");
    this.#list.children[this.#place]?.scrollIntoView({ block: "nearest" });
  }

  #hear(event) {
    const open = !this.#list.hidden;
    if (open && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      const step = event.key === "ArrowDown" ? 1 : -1;
      this.#place = (this.#place + step + this.#options.length) % this.#options.length;
      this.#draw();
    } else if (event.key === "Enter" && (this.#place >= 0 || this.#input.value.trim())) {
      const typed = this.#input.value.trim();
      const exact = this.#options.find((option) => option.text.toLowerCase() === typed.toLowerCase());
      this.#take(this.#options[this.#place] ?? exact ?? { value: typed, text: typed }, this.#place >= 0 || Boolean(exact));
    } else if (event.key === "Escape") {
      if (open) this.#close();
      else this.dispatchEvent(new CustomEvent("leave"));
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #take(option, known = true) {
    this.#close();
    this.choose(option.value, known);
  }

  #close() {
    this.#asked += 1;
    this.#options = [];
    this.#place = -1;
    this.#list.hidden = true;
    this.#input.removeAttribute("aria-activedescendant");
    this.#input.setAttribute("aria-expanded", "false");
  }
}
customElements.define("ww-combo", Combo);

/** Make a field that completes. */
export function makeCombo({ placeholder, label = placeholder, eager = false, search, choose }) {
  const combo = document.createElement("ww-combo");
  combo.setAttribute("placeholder", placeholder);
  combo.setAttribute("label", label);
  if (eager) combo.setAttribute("eager", "");
  Object.assign(combo, { search, choose });
  return combo;
}
