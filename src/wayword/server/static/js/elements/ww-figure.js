/** A figure that the server draws. Plotly is large and is loaded only when the first figure is shown. */

import * as api from "../api.js";
import { bone, fill, h } from "../dom.js";
import { isDark, onMode } from "../look.js";

const CONFIG = { displayModeBar: false, displaylogo: false, responsive: true, showTips: false };
let loading = null;

/**
 * Load plotly under a policy that forbids style elements.
 *
 * On loading it makes two: one for maps, which no figure here has, and one of rules that stand in figures.css. The
 * first is turned into an element without effect, the second plotly leaves out itself for the sake of the mark below.
 */
function loadPlotly() {
  loading ??= new Promise((done, fail) => {
    document.head.append(h("meta", { id: "plotly.js-style-global", class: "no-inline-styles" }));
    const make = document.createElement;
    document.createElement = function makeHarmless(name, ...rest) {
      return make.call(this, name === "style" ? "meta" : name, ...rest);
    };
    const end = (act) => () => {
      document.createElement = make;
      act();
    };
    const script = make.call(document, "script");
    script.src = "/plotly.js";
    script.onload = end(() => done(window.Plotly));
    script.onerror = end(() => {
      loading = null;
      fail(new Error("The figure could not be loaded. Reload the page to try again."));
    });
    document.head.append(script);
  });
  return loading;
}

class Figure extends HTMLElement {
  #away = new AbortController();
  #asked = 0;
  /** @type {(figure: any) => void} Changes a figure before it is drawn. */
  adapt = () => {};
  /** @type {(point: any) => void} Hears about a click. */
  chosen = () => {};

  connectedCallback() {
    this.classList.add("figure");
    const height = Number(this.getAttribute("height") ?? 320);
    this.style.minHeight = `${height}px`;
    fill(this, bone(height));
    onMode(() => this.refresh(), this.#away.signal);
  }

  disconnectedCallback() {
    this.#away.abort();
    if (window.Plotly && this.firstElementChild) window.Plotly.purge(this.firstElementChild);
  }

  /** Ask for the figure and draw it; an older answer that comes late is not drawn. */
  async refresh() {
    const asked = ++this.#asked;
    try {
      const [plotly, figure] = await Promise.all([loadPlotly(), api.get(`/api/figures/${this.getAttribute("name")}`, { dark: isDark() })]);
      if (asked === this.#asked && this.isConnected) await this.#draw(plotly, figure);
    } catch (error) {
      if (asked === this.#asked) fill(this, h("p", { class: "quiet small none" }, this.getAttribute("none") ?? error.message));
    }
  }

  async #draw(plotly, figure) {
    const { data, layout } = figure;
    const clear = "rgba(0,0,0,0)";
    Object.assign(layout, { title: undefined, paper_bgcolor: clear, plot_bgcolor: clear, autosize: true, width: undefined, height: Number(this.getAttribute("height") ?? 320) });
    this.adapt({ data, layout });
    let place = this.querySelector(".plot");
    if (!place) {
      place = h("div", { class: "plot", role: "img", "aria-label": this.getAttribute("label") ?? "Figure" });
      fill(this, place);
    }
    await plotly.react(place, data, layout, CONFIG);
    place.removeAllListeners?.("plotly_click");
    place.on("plotly_click", (event) => this.chosen(event.points[0]));
  }
}
customElements.define("ww-figure", Figure);
