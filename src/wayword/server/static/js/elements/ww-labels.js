/** Labels to choose from: buttons that are pressed or not, or tags that only tell. */

import { aside, fill, h, icon } from "../dom.js";
import { percent } from "../format.js";
import { labelHue, labelName, state } from "../state.js";

/** A label as a small tag. */
export function tag(id, text = labelName(id)) {
  return h("span", { class: "tag", vars: { "--hue": labelHue(id) } }, h("i", { class: "dot" }), aside(text));
}

/** Tags, or a word where there are none. */
export function tags(ids, none = "") {
  if (!ids.length) return none ? h("span", { class: "quiet small" }, none) : null;
  return h("span", { class: "row wrap tags" }, ids.map((id) => tag(id)));
}

const KEYS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0"];

/**
 * Buttons of labels with chances and keys. The order is set once for a document by `offer`, so that a key always means
 * what stands beside it. Tells of changes by an event `change`.
 */
class Labels extends HTMLElement {
  /** @type {{id: string, chance: number|null}[]} */
  #offers = [];
  /** @type {Set<string>} */
  #chosen = new Set();
  #filter = "";
  #told = "";
  many = true;

  connectedCallback() {
    this.classList.add("labels");
    this.setAttribute("role", "group");
  }

  get chosen() {
    return [...this.#chosen];
  }

  /**
   * @param {{label: string, chance: number}[]} suggestions the likeliest first
   * @param {string[]} chosen
   */
  offer(suggestions, chosen) {
    const likely = suggestions.filter(({ label }) => state.labels.has(label));
    const told = new Set(likely.map(({ label }) => label));
    const others = [...state.labels.keys()].filter((id) => !told.has(id));
    this.#offers = [...likely.map(({ label, chance }) => ({ id: label, chance })), ...others.map((id) => ({ id, chance: null }))];
    this.#chosen = new Set(chosen.filter((id) => state.labels.has(id)));
    this.#filter = "";
    this.#draw();
  }

  /** Take over names that changed; labels that are gone go, new ones come last. */
  refresh() {
    const known = new Set(this.#offers.map((offer) => offer.id));
    const added = [...state.labels.keys()].filter((id) => !known.has(id));
    this.#offers = [...this.#offers.filter((offer) => state.labels.has(offer.id)), ...added.map((id) => ({ id, chance: null }))];
    const chosen = this.chosen;
    this.#chosen = new Set(chosen.filter((id) => state.labels.has(id)));
    // No button goes while it is pressed if there is nothing new.
    if (this.#tell() !== this.#told) this.#draw();
    if (this.#chosen.size < chosen.length) this.dispatchEvent(new CustomEvent("change", { bubbles: true }));
  }

  /** What is offered, in a word. */
  #tell() {
    return JSON.stringify(this.#offers.map(({ id }) => [id, labelName(id)]));
  }

  /** Add a label that is new, chosen. */
  add(id) {
    if (!this.#offers.some((offer) => offer.id === id)) this.#offers.push({ id, chance: null });
    if (!this.#chosen.has(id)) this.toggle(id);
    else this.#draw();
  }

  /** Show only labels whose name holds a text. */
  filter(text) {
    this.#filter = text.trim().toLowerCase();
    this.#draw();
    return this.#shown().map((offer) => offer.id);
  }

  toggle(id) {
    if (this.#chosen.has(id)) this.#chosen.delete(id);
    else {
      if (!this.many) this.#chosen.clear();
      this.#chosen.add(id);
    }
    this.#draw();
    this.dispatchEvent(new CustomEvent("change", { bubbles: true }));
  }

  /** Press the label that a key stands for. */
  press(key) {
    const offer = this.#offers[KEYS.indexOf(key)];
    if (offer) this.toggle(offer.id);
  }

  #shown() {
    return this.#offers.filter((offer) => !this.#filter || labelName(offer.id).toLowerCase().includes(this.#filter));
  }

  #draw() {
    this.#told = this.#tell();
    const focused = this.contains(document.activeElement) ? document.activeElement.dataset.id : null;
    const lines = this.#shown().map((offer) => this.#makeLine(offer, KEYS[this.#offers.indexOf(offer)]));
    fill(this, lines.length ? lines : h("p", { class: "quiet small none" }, this.#filter ? "No label is called so." : "No labels yet. Press n to make the first one."));
    if (focused) [...this.children].find((line) => line.dataset.id === focused)?.focus();
  }

  #makeLine({ id, chance }, key) {
    const pressed = this.#chosen.has(id);
    const click = (event) => {
      this.toggle(id);
      // After the mouse, keys go to the screen again: Enter submits, and does not press this once more.
      if (event.detail > 0) document.activeElement?.blur?.();
    };
    const vars = { "--hue": labelHue(id), "--share": chance ?? 0 };
    return h(
      "button",
      { type: "button", class: "choice", vars, data: { id }, "aria-pressed": String(pressed), on: { click }, "aria-keyshortcuts": key },
      h("kbd", { "aria-hidden": "true", class: key ? "" : "ghost" }, key ?? ""),
      h("i", { class: "mark" }, pressed && icon("check")),
      aside(labelName(id), { class: "grow cut" }),
      chance !== null && [h("span", { class: "bar", "aria-hidden": "true" }, h("i")), h("span", { class: "digits quiet small" }, percent(chance))],
    );
  }
}
customElements.define("ww-labels", Labels);
