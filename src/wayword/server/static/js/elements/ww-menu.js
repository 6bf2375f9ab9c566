/** A menu beside a button: arrows move, Enter chooses, Escape goes back to the button. */

import { fill, h, icon } from "../dom.js";

/** @typedef {{text: string, icon?: string, run: () => void, hint?: string, off?: boolean, node?: Node}|"line"} Item */

class Menu extends HTMLElement {
  #from = null;
  #away = new AbortController();

  connectedCallback() {
    this.className = "menu";
    this.setAttribute("role", "menu");
    this.addEventListener("keydown", (event) => this.#hear(event));
    const { signal } = this.#away;
    document.addEventListener("pointerdown", (event) => !this.contains(event.target) && this.close(false), { signal, capture: true });
    window.addEventListener("resize", () => this.close(false), { signal });
    document.addEventListener("scroll", (event) => !this.contains(event.target) && this.close(false), { signal, capture: true });
  }

  disconnectedCallback() {
    this.#away.abort();
  }

  /** @param {Item[]} items */
  show(from, items) {
    this.#from = from;
    from.setAttribute("aria-expanded", "true");
    fill(this, items.map((item) => this.#makeItem(item)));
    this.#place();
    this.querySelector("[role='menuitem']:not([aria-disabled])")?.focus();
  }

  #makeItem(item) {
    if (item === "line") return h("hr", { role: "separator" });
    const run = () => {
      if (item.off) return;
      this.close();
      item.run();
    };
    const sign = item.node ?? (item.icon && icon(item.icon));
    return h("button", { type: "button", role: "menuitem", tabindex: "-1", "aria-disabled": item.off ? "true" : null, on: { click: run } }, sign, h("span", { class: "grow cut" }, item.text), item.hint && h("kbd", { "aria-hidden": "true" }, item.hint));
  }

  #place() {
    const box = this.#from.getBoundingClientRect();
    const [width, height] = [this.offsetWidth, this.offsetHeight];
    const below = box.bottom + 4 + height <= innerHeight;
    this.style.left = `${Math.max(8, Math.min(box.left, innerWidth - width - 8))}px`;
    this.style.top = `${below ? box.bottom + 4 : Math.max(8, box.top - height - 4)}px`;
  }

  #hear(event) {
    const items = [...this.querySelectorAll("[role='menuitem']")];
    const place = items.indexOf(document.activeElement);
    const moves = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: items.length - 1 };
    if (event.key in moves) items.at(moves[event.key] % items.length).focus();
    else if (event.key === "Escape" || event.key === "Tab") this.close();
    else if (event.key.length === 1 && event.key !== " ") this.#findByLetter(items, place, event.key);
    else return event.stopPropagation();
    event.preventDefault();
    event.stopPropagation();
    return undefined;
  }

  #findByLetter(items, place, letter) {
    const after = [...items.slice(place + 1), ...items.slice(0, place + 1)];
    after.find((item) => item.textContent.trim().toLowerCase().startsWith(letter.toLowerCase()))?.focus();
  }

  close(back = true) {
    this.#from?.removeAttribute("aria-expanded");
    if (back && this.#from?.isConnected) this.#from.focus();
    this.remove();
  }
}
customElements.define("ww-menu", Menu);

/**
 * Open a menu beside an element.
 * @param {HTMLElement} from
 * @param {Item[]} items
 */
export function openMenu(from, items) {
  const wasOpen = from.getAttribute("aria-expanded") === "true";
  document.querySelectorAll("ww-menu").forEach((menu) => menu.close(false));
  if (wasOpen) return;
  const menu = document.createElement("ww-menu");
  document.body.append(menu);
  menu.show(from, items);
}
