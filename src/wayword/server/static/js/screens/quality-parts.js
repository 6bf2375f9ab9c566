/** The tables and bars of the screen Quality. */

import { aside, button, h } from "../dom.js";
import { decimal, percent } from "../format.js";
import { labelName } from "../state.js";
import { tag, tags } from "../elements/ww-labels.js";

/** A figure with its interval, drawn as a line from low to high. */
export function makeTile(name, { value, low = null, high = null }, text, { kind = "", none = "Too few labels yet" } = {}) {
  const known = value !== null && value !== undefined;
  const alone = low === null;
  const vars = alone ? { "--value": value } : { "--low": low, "--high": high, "--value": value };
  const range = known && h("div", { class: alone ? "range alone" : "range", vars, "aria-hidden": "true" }, h("i"), h("b"));
  return h("div", { class: `card tile ${kind}`, title: text }, h("h3", { class: "quiet" }, name), h("p", { class: "value digits" }, known ? decimal(value) : "–"), h("p", { class: "tiny quiet" }, !known ? none : low === null ? "" : `95 %: ${decimal(low)} to ${decimal(high)}`), range || h("div", { class: "range none" }));
}

/** Counts as a table whose cells are coloured by their share of the row. */
export function makeConfusion({ labels, counts }) {
  if (!labels.length) return h("p", { class: "quiet small" }, "Too few labels yet.");
  const head = h("tr", null, h("td"), labels.map((id) => h("th", { scope: "col", title: labelName(id) }, h("span", null, aside(labelName(id))))));
  const rows = counts.map((row, k) => {
    const total = Math.max(row.reduce((sum, one) => sum + one, 0), 1);
    const cells = row.map((one, j) => h("td", { class: k === j ? "same" : "", vars: { "--share": (one / total).toFixed(3) }, title: `${labelName(labels[k])} taken for ${labelName(labels[j])}: ${one} of ${total}` }, one || ""));
    return h("tr", null, h("th", { scope: "row", class: "cut", title: labelName(labels[k]) }, aside(labelName(labels[k]))), cells);
  });
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Confusion" }, h("table", { class: "heat" }, h("thead", null, head), h("tbody", null, rows)));
}

/** Coherence of each topic, the best first, as bars from the middle. */
export function makeCoherence(coherence, nameOf) {
  if (!coherence.length) return h("p", { class: "quiet small" }, "No topics yet.");
  const sorted = [...coherence].sort((a, b) => b[1] - a[1]);
  return h("ul", { class: "coherence", tabindex: "0", role: "list", "aria-label": "Coherence of topics" }, sorted.map(([id, value]) => h("li", null, h("a", { class: "cut small plain", href: `#/topics?topic=${encodeURIComponent(id)}` }, aside(nameOf(id))), h("span", { class: "bar" }, h("i", { vars: { "--share": Math.max(value, 0), "--hue": value < 0.05 ? "var(--label-1)" : "var(--label-0)" } })), h("span", { class: "digits small quiet" }, decimal(value)))));
}

export function makeSuspects(suspects) {
  if (!suspects.length) return h("p", { class: "quiet small nothing-here" }, "None: nothing speaks against any label.");
  const line = (suspect) =>
    h(
      "tr",
      null,
      h("td", { class: "excerpt-cell" }, aside(suspect.document.excerpt)),
      h("td", null, tag(suspect.label)),
      h("td", null, h("span", { class: "row" }, tag(suspect.other), h("span", { class: "digits quiet" }, percent(suspect.chance)))),
      h("td", { class: "number" }, h("a", { class: "button low", href: `#/documents?doc=${encodeURIComponent(suspect.document.id)}` }, "Look")),
    );
  return h("table", { class: "suspects" }, h("thead", null, h("tr", null, ["Document", "Label", "Likelier", ""].map((text) => h("th", { scope: "col" }, text)))), h("tbody", null, suspects.slice(0, 10).map(line)));
}

export function makeDisagreements(disagreements, decide) {
  if (!disagreements.length) return null;
  const choice = (id, { annotator, labels }) => h("div", { class: "row" }, aside(annotator, { class: "small quiet who-said cut" }), tags(labels), h("span", { class: "grow" }), button("Take this", { kind: "low", on: () => decide(id, labels), "aria-label": `Decide for ${annotator}: ${labels.map(labelName).join(", ")}` }));
  return h("ul", { class: "disagreements" }, disagreements.map(({ document, labellings }) => h("li", null, h("a", { class: "quote", href: `#/documents?doc=${encodeURIComponent(document.id)}` }, aside(document.excerpt)), h("div", { class: "stack tight" }, labellings.map((labelling) => choice(document.id, labelling))))));
}

export function makeAgreement(agreement) {
  const interval = ({ low, high }) => (low === null ? "" : `${decimal(low)} to ${decimal(high)}`);
  const whole = [["Krippendorff's alpha", agreement.krippendorff], ["Fleiss' kappa", agreement.fleiss], ["Same labels", agreement.percent]];
  const rows = whole.map(([name, figure]) => h("tr", null, h("th", { scope: "row" }, name), h("td", { class: "number" }, decimal(figure.value)), h("td", { class: "number quiet" }, interval(figure))));
  const pairs = agreement.cohen.map(([one, other, kappa, n]) => h("tr", null, h("th", { scope: "row" }, "Cohen's kappa: ", aside(one), " and ", aside(other)), h("td", { class: "number" }, decimal(kappa)), h("td", { class: "number quiet" }, `${n} documents`)));
  return h("table", { class: "agreement" }, h("tbody", null, rows, pairs));
}
