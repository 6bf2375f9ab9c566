/**
 * Anchors of a topic as chips, with a field for one more.
 *
 * A chip is dragged to another row, or moved there with Alt+arrows or from its menu; Delete takes it away. Tells of
 * all by an event `anchor` with {what: "add" | "remove" | "move", term, from, to}.
 */

import * as api from "../api.js";
import { aside, fill, h, icon } from "../dom.js";
import { makeCombo } from "./ww-combo.js";
import { openMenu } from "./ww-menu.js";

const KIND = "application/x-wayword-anchor";

class Chips extends HTMLElement {
  #topic = null;
  #chips = h("span", { class: "chips", role: "list" });
  #field = null;
  /** @type {() => {id: string, name: string}[]} */
  others = () => [];

  connectedCallback() {
    this.#setUp();
  }

  /** Anchors may be shown before the row stands in the page. */
  #setUp() {
    if (this.#field) return;
    this.classList.add("anchors");
    this.#field = makeCombo({
      placeholder: "Add anchor",
      search: async (prefix) => (await api.get("/api/terms", { prefix, limit: 8 })).map((term) => ({ value: term, text: term })),
      choose: (term) => this.#tell("add", term),
    });
    this.append(this.#chips, this.#field);
    this.addEventListener("dragover", (event) => this.#allowDrop(event));
    this.addEventListener("dragleave", () => this.classList.remove("over"));
    this.addEventListener("drop", (event) => this.#drop(event));
  }

  /** @param {any} topic a TopicView */
  show(topic) {
    this.#setUp();
    this.#topic = topic;
    const focused = this.#chips.contains(document.activeElement) ? document.activeElement.dataset.term : null;
    this.#field.name(`Add an anchor to ${topic.name}`);
    fill(this.#chips, topic.anchors.map((term) => this.#makeChip(term)));
    this.classList.toggle("tandem", topic.anchors.length > 1);
    if (focused !== null) (this.#find(focused) ?? this.#chips.lastElementChild)?.focus();
  }

  /** Give the focus to the chip of a term. */
  focusTerm(term) {
    this.#find(term)?.focus();
  }

  /** Put the cursor into the field, or say there what is wrong. */
  get field() {
    return this.#field;
  }

  #find(term) {
    return [...this.#chips.children].find((chip) => chip.dataset.term === term);
  }

  #makeChip(term) {
    const on = {
      click: (event) => this.#openMenu(event.currentTarget, term),
      keydown: (event) => this.#hear(event, term),
      dragstart: (event) => {
        event.dataTransfer.setData(KIND, JSON.stringify({ term, from: this.#topic.id }));
        event.dataTransfer.effectAllowed = "move";
      },
    };
    const props = { class: "chip", role: "listitem", tabindex: "0", draggable: "true", data: { term }, title: "Drag to another topic; Alt+↑ and Alt+↓ move it; Delete takes it away", "aria-haspopup": "menu", on };
    return h("span", props, icon("anchor"), aside(term));
  }

  #tell(what, term, to = null) {
    this.dispatchEvent(new CustomEvent("anchor", { bubbles: true, detail: { what, term, from: this.#topic.id, to } }));
  }

  #hear(event, term) {
    if (event.key === "Delete" || event.key === "Backspace") this.#tell("remove", term);
    else if (event.altKey && event.key === "ArrowUp") this.#tell("move", term, "up");
    else if (event.altKey && event.key === "ArrowDown") this.#tell("move", term, "down");
    else if (event.key === "Enter" || event.key === " ") this.#openMenu(event.currentTarget, term);
    else if (event.key === "ArrowRight") event.currentTarget.nextElementSibling?.focus();
    else if (event.key === "ArrowLeft") event.currentTarget.previousElementSibling?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #openMenu(chip, term) {
    const goals = this.others().filter((topic) => topic.id !== this.#topic.id);
    openMenu(chip, [
      { text: "Take away", icon: "close", hint: "Del", run: () => this.#tell("remove", term) },
      "line",
      ...goals.map((topic) => ({ text: `Move to ${topic.name}`, icon: "moved", run: () => this.#tell("move", term, topic.id) })),
    ]);
  }

  #allowDrop(event) {
    if (!event.dataTransfer.types.includes(KIND)) return;
    event.preventDefault();
    this.classList.add("over");
  }

  #drop(event) {
    this.classList.remove("over");
    const carried = event.dataTransfer.getData(KIND);
    if (!carried) return;
    event.preventDefault();
    const { term, from } = JSON.parse(carried);
    if (from !== this.#topic.id) this.dispatchEvent(new CustomEvent("anchor", { bubbles: true, detail: { what: "move", term, from, to: this.#topic.id } }));
  }
}
customElements.define("ww-chips", Chips);
