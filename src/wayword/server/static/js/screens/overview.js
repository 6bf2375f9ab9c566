/** Overview: what the collection is about, in rings and in cards. */

import * as api from "../api.js";
import { showError } from "../acting.js";
import { aside, button, debounce, empty, fill, h } from "../dom.js";
import { count, decimal, many, percent } from "../format.js";
import { labelHue, state } from "../state.js";
import { makeTerms } from "../elements/ww-terms.js";
import { manageLabels } from "./label-manager.js";
import { colourRings, findTheme } from "./rings.js";
import "../elements/ww-figure.js";
import "../elements/ww-purity.js";

const NOT_FITTED = "Not fitted yet: press “Fit now”.";

/** A line of a document that opens it. */
function makeQuote(line) {
  return h("li", null, h("a", { class: "quote", href: `#/documents?doc=${encodeURIComponent(line.id)}` }, aside(line.excerpt)));
}

function makeFact(value, name) {
  return h("span", { class: "fact" }, h("b", { class: "digits" }, value), ` ${name}`);
}

function makeTheme(theme) {
  const { label } = theme;
  const manage = button(`Manage the label ${label.name}`, { icon: "edit", kind: "bare low manage", square: true, "aria-haspopup": "dialog", on: () => manageLabels(label.id) });
  const facts = [makeFact(percent(label.share), "share"), makeFact(count(label.n_documents), "labelled"), theme.coherence !== null && makeFact(decimal(theme.coherence), "coherence")];
  const title = h("h2", { class: "row" }, h("i", { class: "dot" }), h("a", { href: `#/documents?guess=${encodeURIComponent(label.id)}&sort=-chance`, class: "cut grow" }, aside(label.name)), manage);
  const quotes = theme.documents.length > 0 && h("div", null, h("h3", { class: "quiet" }, "Typical documents"), h("ul", { class: "quotes" }, theme.documents.slice(0, 3).map(makeQuote)));
  const terms = theme.terms.length ? makeTerms(theme.terms) : h("p", { class: "quiet small" }, "Label a document with it, and its words appear here.");
  return h("article", { class: "card theme", vars: { "--hue": labelHue(label.id) }, data: { label: label.id }, tabindex: "-1" }, h("header", null, title, h("p", { class: "facts small quiet" }, facts)), terms, quotes);
}

function makeNewTopic(topic) {
  const facts = [makeFact(percent(topic.share), "share"), topic.coherence !== null && makeFact(decimal(topic.coherence), "coherence")];
  return h(
    "article",
    { class: "card theme new", data: { topic: topic.id }, tabindex: "-1" },
    h("header", null, h("h2", { class: "row" }, h("i", { class: "dot hollow" }), h("a", { class: "cut", href: `#/topics?topic=${encodeURIComponent(topic.id)}` }, aside(topic.name))), h("p", { class: "facts small quiet" }, facts)),
    makeTerms(topic.terms, { most: 8 }),
  );
}

class Overview {
  constructor(root, signal) {
    this.signal = signal;
    this.purity = null;
    this.about = h("p", null, " ");
    this.slider = document.createElement("ww-purity");
    this.slider.preview = (purity) => this.refresh(purity);
    this.rings = h("ww-figure", { name: "sunburst", height: "370", label: "Themes and their topics as rings; the cards beside it tell the same in words", none: "The rings appear with the first topics." });
    this.rings.adapt = (figure) => colourRings(figure, this.view);
    this.rings.chosen = (point) => this.open(findTheme(point.customdata, this.view));
    this.themes = h("div", { class: "cards themes" });
    this.rest = h("div");
    const head = h("header", null, h("div", null, h("h1", null, "Overview"), this.about), h("div", { class: "row" }, h("span", { class: "small" }, "Words"), this.slider));
    const side = h("div", { class: "rings" }, h("div", { class: "card pad" }, this.rings), h("p", { class: "quiet small" }, "Area is share. Click a theme to open its card, the middle to come back."));
    fill(root, h("div", { class: "screen overview" }, head, h("div", { class: "beside" }, side, this.themes), this.rest));
  }

  async refresh(purity) {
    const view = await api.get("/api/overview", { purity }, this.signal);
    if (this.signal.aborted) return;
    const first = !this.view;
    this.view = view;
    if (purity === undefined) this.slider.set(view.purity);
    this.draw();
    // Ranking words anew changes no ring.
    if (purity === undefined || first) this.rings.refresh();
  }

  draw() {
    const { project } = state;
    const { view } = this;
    fill(this.about, `${many(project.n_documents, "document")} · ${many(project.n_terms, "term")} · ${many(project.n_topics, "topic")} · ${count(project.n_labelled)} labelled`);
    fill(this.themes, view.themes.length ? view.themes.map(makeTheme) : this.makeNothing());
    fill(this.rest, this.drawNew(), this.drawBackground(), this.drawResidual());
  }

  makeNothing() {
    const go = h("a", { class: "button main", href: "#/label" }, "Label the first document");
    return h("div", { class: "card whole" }, empty("overview", "No themes yet", "A theme is a label with what it is about. Label a few documents, or promote one of the topics that were found to a theme.", go, h("a", { class: "button", href: "#/topics" }, "Look at the topics")));
  }

  makeSection(title, text, body) {
    return h("section", { class: "section" }, h("div", { class: "head" }, h("h2", null, title), h("p", null, text)), body);
  }

  drawNew() {
    const { new_topics: topics } = this.view;
    if (!topics.length) return null;
    return this.makeSection("New topics", "No label covers these yet. Promote one to a theme on the screen Topics.", h("div", { class: "cards" }, topics.map(makeNewTopic)));
  }

  drawBackground() {
    const { background, fitted_at: fitted } = this.view;
    const terms = background.length ? makeTerms(background, { most: 24 }) : h("p", { class: "quiet small" }, fitted < 0 ? NOT_FITTED : "No term belongs to no theme.");
    const again = button("Fit now", { kind: "low", on: () => this.fit() });
    const when = fitted >= 0 && fitted < this.view.number && h("span", { class: "quiet tiny" }, `${many(this.view.number - fitted, "act")} ago`);
    const text = "Words that every theme shares. New topics hide here.";
    const section = this.makeSection("Background", text, h("div", { class: "card pad background" }, terms));
    section.querySelector(".head").append(h("span", { class: "grow" }), when || "", again);
    return section;
  }

  drawResidual() {
    const { residual, fitted_at: fitted } = this.view;
    const none = fitted < 0 ? NOT_FITTED : "No document is left unexplained.";
    const body = residual.length ? h("ul", { class: "quotes two" }, residual.map(makeQuote)) : h("p", { class: "quiet small" }, none);
    return this.makeSection("Residual documents", "What no theme explains well. Worth labelling.", h("div", { class: "card pad residual" }, body));
  }

  async fit() {
    try {
      const job = await api.post("/api/fit");
      state.jobs.set(job.id, job);
      state.tell("job", job);
    } catch (error) {
      showError(error, () => this.fit());
    }
  }

  /** Bring the card of a theme or of a new topic into view. */
  open(found) {
    if (!found) return;
    const card = [...document.querySelectorAll(".theme")].find((one) => (found.label ? one.dataset.label === found.label : one.dataset.topic === found.topic));
    if (!card) return;
    card.scrollIntoView({ block: "nearest", behavior: "smooth" });
    card.focus({ preventScroll: true });
    card.classList.remove("opened");
    requestAnimationFrame(() => card.classList.add("opened"));
  }
}

export async function mount(root, { signal }) {
  const screen = new Overview(root, signal);
  const again = debounce(() => screen.refresh().catch(showError), 400);
  state.on("topics", again, signal);
  state.on("project", () => screen.view && screen.draw(), signal);
  state.on("job", (job) => job.kind === "themes" && job.status === "done" && again(), signal);
  await screen.refresh();
}
