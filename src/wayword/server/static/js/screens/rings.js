/** The sunburst: which sector is which theme, and the same colours as everywhere else. */

import { labelHue, state } from "../state.js";

const NEUTRAL = "#7d858e";

/**
 * Find the theme or new topic that a sector stands for: its data are what it is, and its id.
 * @param {["label" | "topic" | "", string]|undefined} data
 * @returns {{label?: string, topic?: string}|null}
 */
export function findTheme(data, view) {
  const [kind, id] = data ?? [];
  if (kind === "label") return view.themes.some(({ label }) => label.id === id) ? { label: id } : null;
  const theme = view.themes.find(({ topics }) => topics.includes(id));
  if (theme) return { label: theme.label.id };
  return view.new_topics.some((topic) => topic.id === id) ? { topic: id } : null;
}

/** The colour behind `var(--label-3)`. */
function readHue(id) {
  const name = /var\((.+)\)/.exec(labelHue(id))?.[1];
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function lighten(colour, share) {
  const parts = [1, 3, 5].map((place) => parseInt(colour.slice(place, place + 2), 16));
  return `rgb(${parts.map((part) => Math.round(part + (255 - part) * share)).join(",")})`;
}

/** Black or white, whichever is read better on a colour. */
function inkOn(colour) {
  const hex = colour.startsWith("#");
  const parts = hex ? [1, 3, 5].map((place) => parseInt(colour.slice(place, place + 2), 16)) : colour.match(/[\d.]+/g).map(Number);
  if (parts.length > 3) return null;
  const [red, green, blue] = parts.map((part) => (part / 255) ** 2.2);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 ? "#14181d" : "#ffffff";
}

/** Sectors are narrow here: a topic is told by its first word; pointing at it tells the rest. */
function writeRings(trace, depth) {
  trace.text = trace.labels.map((label, k) => (depth(k) > 1 ? label.split(/,(?: |<br>)/, 1)[0] : label));
  trace.textinfo = "text";
}

/** Give every theme the colour that its label has on the page, its topics paler ones; new topics have none yet. */
export function colourRings({ data, layout }, view) {
  Object.assign(layout, { margin: { l: 0, r: 0, t: 0, b: 0 } });
  const [trace] = data;
  if (trace?.type !== "sunburst" || !Array.isArray(trace.marker?.colors)) return;
  const places = new Map(trace.ids.map((id, k) => [id, k]));
  const depth = (k) => (trace.parents[k] === "" ? 0 : 1 + depth(places.get(trace.parents[k])));
  const top = (k) => (depth(k) <= 1 ? k : top(places.get(trace.parents[k])));
  trace.ids.forEach((_, k) => {
    if (!depth(k)) return;
    const found = findTheme(trace.customdata?.[top(k)], view);
    if (!found) trace.marker.colors[k] = lighten(NEUTRAL, Math.min(0.22 * (depth(k) - 1), 0.6));
    else if (state.labels.has(found.label)) trace.marker.colors[k] = depth(k) === 1 ? readHue(found.label) : lighten(readHue(found.label), Math.min(0.22 * (depth(k) - 1), 0.6));
  });
  writeRings(trace, depth);
  trace.insidetextfont = { color: trace.marker.colors.map((colour) => inkOn(colour) ?? layout.template?.layout?.font?.color ?? "#7d858e") };
}
