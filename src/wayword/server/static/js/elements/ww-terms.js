/** Terms of a topic as bars: the length is how likely a term is, the order how it was ranked. */

import { fill, h } from "../dom.js";

const LEAST = 0.02;

class Terms extends HTMLElement {
  connectedCallback() {
    this.classList.add("terms");
  }

  /**
   * @param {{term: string, weight: number, score: number}[]} terms
   * @param {{most?: number}} [how]
   */
  show(terms, { most = 10 } = {}) {
    const shown = terms.slice(0, most);
    const top = Math.max(...shown.map((term) => term.weight), Number.EPSILON);
    const lines = shown.map(({ term, weight }) => {
      const share = Math.max(weight / top, LEAST).toFixed(3);
      return h("li", { vars: { "--share": share }, title: `${term}: ${(weight * 100).toFixed(2)} %` }, h("bdi", null, term));
    });
    fill(this, h("ol", null, lines));
  }
}
customElements.define("ww-terms", Terms);

export function makeTerms(terms, how) {
  const element = document.createElement("ww-terms");
  element.show(terms, how);
  return element;
}
