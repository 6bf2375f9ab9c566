/** One slider from frequent to specific words. Sliding shows at once; letting go keeps it. */

import { debounce, h } from "../dom.js";
import { act, showError } from "../acting.js";
import { state } from "../state.js";

class Purity extends HTMLElement {
  /** @type {(purity: number) => Promise<void>} */
  preview = async () => {};
  #input = h("input", { type: "range", min: "0", max: "1", step: "0.05", value: "0.5", id: "purity", "aria-label": "Purity: from frequent (0) to specific (1) words" });
  #kept = null;

  connectedCallback() {
    this.className = "purity";
    const show = debounce(() => this.preview(this.value).catch(showError), 60);
    this.#input.addEventListener("input", () => { this.#tell(); show(); });
    this.#input.addEventListener("change", () => this.#keep());
    this.replaceChildren(h("span", { class: "quiet small" }, "Frequent"), this.#input, h("span", { class: "quiet small" }, "Specific"));
  }

  get value() {
    return Number(this.#input.value);
  }

  /** Set where the slider stands, unless somebody holds it. */
  set(purity) {
    this.#kept = purity;
    if (this.#input.matches(":active")) return;
    this.#input.value = String(purity);
    this.#tell();
  }

  #tell() {
    this.#input.setAttribute("aria-valuetext", `${Math.round(this.value * 100)} % specific`);
    this.#input.title = `Purity ${this.value.toFixed(2)}`;
  }

  async #keep() {
    if (this.value === this.#kept) return;
    this.#kept = this.value;
    state.project.purity = this.value;
    await act([{ kind: "set_purity", purity: this.value }]);
  }
}
customElements.define("ww-purity", Purity);
