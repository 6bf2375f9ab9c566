/** The search field and the filters above the list of documents. */

import { debounce, h, icon } from "../dom.js";
import { state } from "../state.js";

const STATUSES = [["", "Any status"], ["open", "Not labelled"], ["single", "Labelled by one"], ["agreed", "Agreed"], ["disagreement", "Disagreement"], ["adjudicated", "Decided"], ["skipped", "Skipped"]];
const SORTS = [["order", "As they came"], ["relevance", "Best match first"], ["-chance", "Surest guess first"], ["chance", "Least sure first"], ["doubt", "Most in doubt first"]];
const CHANCES = [["", "Any confidence"], ["0-0.5", "Below 50 %"], ["0.5-0.8", "50 to 80 %"], ["0.8-1", "Above 80 %"]];

function makeSelect(name, options, value, changed) {
  const known = options.some(([id]) => id === value) ? options : [...options, [value, value]];
  const choices = known.map(([id, text]) => h("option", { value: id, selected: id === value }, text));
  const select = h("select", { class: "field", "aria-label": name, title: name, on: { change: changed } }, choices);
  select.classList.toggle("set", Boolean(value) && value !== "order");
  select.addEventListener("change", () => select.classList.toggle("set", Boolean(select.value) && select.value !== "order"));
  return select;
}

/**
 * @param {URLSearchParams} params what the address asks for
 * @param {() => void} search
 */
export function makeFilters(params, search) {
  const given = (name) => params.get(name) ?? "";
  const labels = [...state.labels.values()].map((label) => [label.id, label.name]);
  const soon = debounce(() => search(), 200);
  const changed = () => search();
  const chances = given("least_chance") || given("most_chance") ? `${given("least_chance") || 0}-${given("most_chance") || 1}` : "";
  const query = h("input", { class: "field", type: "search", placeholder: "Search all documents   /", "aria-label": "Search all documents", value: given("query"), autocomplete: "off" });
  const sort = makeSelect("Order", SORTS, given("sort") || "order", changed);
  query.addEventListener("input", () => {
    // Words ask for the best match, unless another order was chosen.
    if (query.value && sort.value === "order") sort.value = "relevance";
    else if (!query.value && sort.value === "relevance") sort.value = "order";
    soon();
  });
  query.addEventListener("keydown", (event) => event.key === "Escape" && query.blur());
  const flagged = h("input", { type: "checkbox", id: "only-flagged", checked: given("flagged") === "true", on: { change: changed } });
  const filters = {
    query,
    label: makeSelect("Label", [["", "Any label"], ...labels], given("label"), changed),
    guess: makeSelect("Guess", [["", "Any guess"], ...labels], given("guess"), changed),
    status: makeSelect("Status", STATUSES, given("status"), changed),
    annotator: makeSelect("Annotator", [["", "Anybody"], ...state.project.annotators.map((name) => [name, name])], given("annotator"), changed),
    chance: makeSelect("Confidence of the guess", CHANCES, chances, changed),
    flagged,
    sort,
    topic: given("topic"),
  };
  const topic = filters.topic && h("a", { class: "tag plain", href: "#/documents", title: "Take this filter away" }, icon("topics"), h("span", null, filters.topic), icon("close"));
  const only = h("label", { class: "row small", for: "only-flagged" }, flagged, "Flagged");
  const row = h("div", { class: "filters" }, filters.label, filters.guess, filters.status, filters.annotator, filters.chance, sort, only, topic);
  return { ...filters, row, search: h("div", { class: "search" }, icon("search"), query) };
}

/** What the filters say now, as the server takes it. */
export function readFilters(filters) {
  const [least, most] = filters.chance.value ? filters.chance.value.split("-") : ["", ""];
  return {
    query: filters.query.value.trim(),
    label: filters.label.value,
    guess: filters.guess.value,
    topic: filters.topic,
    status: filters.status.value,
    annotator: filters.annotator.value,
    least_chance: least === "0" ? "" : least,
    most_chance: most === "1" ? "" : most,
    flagged: filters.flagged.checked ? "true" : "",
    sort: filters.sort.value === "order" || (filters.sort.value === "relevance" && !filters.query.value.trim()) ? "" : filters.sort.value,
  };
}
