/** Quality: how good the guesses and the topics are, and where to look. */

import * as api from "../api.js";
import { act, showError } from "../acting.js";
import { button, empty, fill, h, icon } from "../dom.js";
import { count, many } from "../format.js";
import { state } from "../state.js";
import { makeAgreement, makeCoherence, makeConfusion, makeDisagreements, makeSuspects, makeTile } from "./quality-parts.js";
import "../elements/ww-figure.js";

class Quality {
  names = new Map();
  quality = null;
  disagreements = [];
  agreement = null;

  constructor(root, signal) {
    this.signal = signal;
    this.about = h("p", null, " ");
    this.go = button("Measure now", { kind: "main", icon: "quality", on: () => this.measure() });
    this.progress = h("div", { class: "measuring", role: "status" });
    this.body = h("div", { class: "quality-body" });
    fill(root, h("div", { class: "screen quality" }, h("header", null, h("div", null, h("h1", null, "Quality"), this.about), h("div", { class: "row" }, this.progress, this.go)), this.body));
    this.noteJob([...state.jobs.values()].findLast((job) => job.kind === "quality"));
  }

  async refresh() {
    const ask = (path) => api.get(path, {}, this.signal);
    const [quality, disagreements, agreement, topics] = await Promise.all([ask("/api/quality"), ask("/api/disagreements"), ask("/api/agreement"), ask("/api/topics")]);
    Object.assign(this, { quality, disagreements, agreement, names: new Map(topics.map((topic) => [topic.id, topic.name])) });
    if (!this.signal.aborted) this.draw();
  }

  draw() {
    const { quality } = this;
    const behind = quality ? state.number - quality.number : 0;
    this.about.textContent = quality ? `Measured on ${many(quality.n_labelled, "labelled document")}${behind > 0 ? ` · ${many(behind, "act")} ago` : ""}` : "Not measured yet";
    fill(this.body, quality ? this.drawMeasures() : this.drawNothing(), this.drawPeople());
    if (quality) this.curve.refresh();
  }

  drawNothing() {
    const go = state.project.n_labelled ? button("Measure now", { kind: "main", on: () => this.measure() }) : h("a", { class: "button main", href: "#/label" }, "Label documents");
    return h("div", { class: "card" }, empty("quality", "Nothing is measured yet", "With ten labelled documents or more, and two labels, some are held back to see how good the guesses for them are. Measuring takes a few seconds and runs in the background.", go));
  }

  drawMeasures() {
    const { quality } = this;
    const tiles = h("div", { class: "tiles" }, this.drawEstimate(), makeTile("Accuracy on asked documents", quality.accuracy, "How often the first guess is right for labelled documents, each guessed from the others"), makeTile("Log rank accuracy", quality.log_rank_accuracy, "Credit for nearly right: 1 for the first place, less further down"), makeTile("Macro F1", quality.macro_f1, "Every label counts the same, small ones too"), makeTile("Stability", { value: quality.stability }, "When topics are found again, how alike they are"));
    this.curve = h("ww-figure", { name: "learning_curve", height: "300", label: "Accuracy by the number of labels", none: "The curve appears with more labels." });
    this.curve.adapt = ({ layout }) => Object.assign(layout, { margin: { l: 48, r: 12, t: 12, b: 44 }, showlegend: false });
    const advice = quality.advice && h("div", { class: "card advice row" }, icon("help"), h("p", null, quality.advice));
    // Both accuracies are right, and far apart: without these words the page would seem to contradict itself.
    const basis = h("p", { class: "quiet tiny basis" }, "Accuracy on asked documents, log rank accuracy and F1 are of labelled documents, each guessed from the labels of the others. Questions are about hard documents, so these are lower than what holds for all.");
    return [
      tiles,
      basis,
      advice,
      h("div", { class: "halves" }, h("section", { class: "card pad" }, h("h2", null, "Learning curve"), h("p", { class: "quiet small" }, "Estimated accuracy for documents without labels, by the number of labels"), this.curve), h("section", { class: "card pad" }, h("h2", null, "Coherence of topics"), h("p", { class: "quiet small" }, "How often the best words of a topic occur together: from −1 to 1"), makeCoherence(quality.coherence, (id) => this.names.get(id) ?? id))),
      h("section", { class: "card pad" }, h("h2", null, "Confusion"), h("p", { class: "quiet small" }, "Rows: what people say. Columns: the first guess. Strong colour off the diagonal: labels that are taken for each other."), makeConfusion(quality.confusion)),
      h("section", { class: "card pad" }, h("h2", null, "Labels that may be wrong"), h("p", { class: "quiet small" }, "Everything else says otherwise. Look again: either the label is wrong, or the document teaches something new."), makeSuspects(quality.suspects)),
    ];
  }

  drawEstimate() {
    const { accuracy, estimate, n_labelled: n } = this.quality;
    const measured = n >= state.project.n_documents ? "Every document has labels" : "Measure again to see it";
    return makeTile("Estimated accuracy on documents without labels", estimate, "How often the first guess is right for documents that nobody has labelled yet", { kind: "first", none: accuracy.value === null ? undefined : measured });
  }

  drawPeople() {
    const agreement = this.agreement ?? this.quality?.agreement;
    return [
      h("section", { class: "card pad" }, h("h2", null, "Disagreements"), h("p", { class: "quiet small" }, this.disagreements.length ? `${many(this.disagreements.length, "document")} to decide. Until then no model is told about ${this.disagreements.length === 1 ? "it" : "them"}.` : "Documents that two people label differently come here."), makeDisagreements(this.disagreements, (id, labels) => this.decide(id, labels))),
      agreement && h("section", { class: "card pad" }, h("h2", null, "Agreement between annotators"), h("p", { class: "quiet small" }, agreement.n_documents ? `${count(agreement.n_documents)} documents were labelled by two or more.` : "Nobody has labelled a document of somebody else yet. Ask for double coding when a project is made."), agreement.n_documents > 0 && makeAgreement(agreement)),
    ];
  }

  async decide(id, labels) {
    const again = () => this.refresh().catch(showError);
    if (await act([{ kind: "adjudicate", documents: [id], labels }], { said: "Decided.", again })) await again();
  }

  async measure() {
    this.go.disabled = true;
    try {
      const job = await api.post("/api/quality");
      state.jobs.set(job.id, job);
      state.tell("job", job);
    } catch (error) {
      this.go.disabled = false;
      showError(error, () => this.measure());
    }
  }

  noteJob(job) {
    if (job?.kind !== "quality") return;
    const running = job.status === "running" || job.status === "waiting";
    this.go.disabled = running;
    if (!running) fill(this.progress);
    else fill(this.progress, h("span", { class: "small quiet cut" }, job.step || "Measuring…"), h("div", { class: "bar" }, h("i", { vars: { "--share": job.total ? job.done / job.total : 0 } })), button("Cancel", { kind: "bare low", on: () => api.post(`/api/jobs/${encodeURIComponent(job.id)}/cancel`).catch(showError) }));
    if (job.status === "failed") showError(new Error(`Measuring failed: ${job.error}`), () => this.measure());
    if (job.status === "done") this.refresh().catch(showError);
  }
}

export async function mount(root, { signal }) {
  const screen = new Quality(root, signal);
  state.on("job", (job) => screen.noteJob(job), signal);
  state.on("quality", () => screen.refresh().catch(showError), signal);
  state.on("undone", () => screen.refresh().catch(showError), signal);
  await screen.refresh();
}
