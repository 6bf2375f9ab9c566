/** Making elements. Children become text nodes, never HTML: whatever a document holds is shown letter for letter. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Make an element.
 * @param {string} tag
 * @param {Object<string, any>|null} props `class`, `vars` (custom properties), `data`, `on` (listeners); the rest are
 *   attributes, of which `false`, `null` and `undefined` are left out and `true` is an empty one.
 * @param {...any} children nodes, texts, numbers, lists of these; nothing for null and false.
 * @returns {any}
 */
export function h(tag, props, ...children) {
  const element = document.createElement(tag);
  setProps(element, props ?? {});
  element.append(...toNodes(children));
  return element;
}

function setProps(element, { vars, data, on, ...attributes }) {
  // Through the object model, which the Content-Security-Policy allows; a style attribute it would refuse.
  for (const [name, value] of Object.entries(vars ?? {})) element.style.setProperty(name, String(value));
  for (const [name, value] of Object.entries(data ?? {})) element.dataset[name] = value;
  for (const [name, run] of Object.entries(on ?? {})) element.addEventListener(name, run);
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value);
}

function setAttribute(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name === "value" || name === "checked" || name === "indeterminate") element[name] = value;
  else element.setAttribute(name, value === true ? "" : String(value));
}

function toNodes(children) {
  return children
    .flat(Infinity)
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : document.createTextNode(String(child))));
}

/** Replace what an element holds. */
export function fill(element, ...children) {
  element.replaceChildren(...toNodes(children));
  return element;
}

/** Text by others: kept apart from the text around it, so that marks for another direction stay inside. */
export function aside(text, props = {}) {
  return h("bdi", props, text);
}

// Drawn on 24 by 24, lines only.
const ICONS = {
  overview: "M12 3a9 9 0 1 0 9 9h-9zM16 3.5A9 9 0 0 1 20.5 8H16z",
  label: "M3 11V4a1 1 0 0 1 1-1h7l9.3 9.3a1 1 0 0 1 0 1.4l-6.6 6.6a1 1 0 0 1-1.4 0zM7.5 7.5h.01",
  topics: "M4 6h6M4 12h6M4 18h6M14 6h6M14 12h4M14 18h5",
  documents: "M7 3h7l5 5v12a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zM14 3v5h5M9.5 13h6M9.5 17h4",
  quality: "M4 4v16h16M8 15l3.5-4 3 2.5L20 7",
  exchange: "M7 4v13M3.5 13.5 7 17l3.5-3.5M17 20V7M13.5 10.5 17 7l3.5 3.5",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l4.5 4.5",
  flag: "M5 21V4M5 4h11l-2 4 2 4H5",
  comment: "M4 5h16v11H9l-5 4z",
  undo: "M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3",
  redo: "M15 14l5-5-5-5M20 9H10a6 6 0 0 0 0 12h3",
  left: "M14.5 6l-6 6 6 6",
  right: "M9.5 6l6 6-6 6",
  down: "M6 9.5l6 6 6-6",
  plus: "M12 5v14M5 12h14",
  close: "M6 6l12 12M18 6 6 18",
  check: "M5 12.5l4.5 4.5L19 7.5",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  pin: "M9 3h6l-1 6 3 3v2H7v-2l3-3zM12 14v7",
  freeze: "M12 3v18M4.2 7.5l15.6 9M19.8 7.5l-15.6 9M9.5 4.5 12 7l2.5-2.5M9.5 19.5 12 17l2.5 2.5",
  merge: "M6 4v4a4 4 0 0 0 4 4h8M6 20v-4a4 4 0 0 1 4-4M15 9l3 3-3 3",
  split: "M4 12h6a4 4 0 0 0 4-4V5M10 12a4 4 0 0 1 4 4v3M11.5 7.5 14 5l2.5 2.5M11.5 16.5 14 19l2.5-2.5",
  promote: "M12 20V5M6 11l6-6 6 6",
  ban: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM5.7 5.7l12.6 12.6",
  anchor: "M12 8v13M12 3a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM5 13a7 7 0 0 0 14 0M3.5 15 5 12.5 7 15M17 15l2-2.5 1.5 2.5",
  edit: "M4 20h4L19.5 8.5a2.1 2.1 0 0 0-3-3L5 17z",
  colour: "M12 3s6.5 6.6 6.5 11a6.5 6.5 0 0 1-13 0C5.5 9.6 12 3 12 3z",
  mode: "M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.5z",
  help: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM9.5 9.5a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .8-1 1.7M12 16.8h.01",
  download: "M12 4v11M7.5 11 12 15.5 16.5 11M4 20h16",
  upload: "M12 16V5M7.5 9 12 4.5 16.5 9M4 20h16",
  person: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4.5 20a7.5 7.5 0 0 1 15 0",
  report: "M5 3h14v18H5zM9 8h6M9 12h6M9 16h3",
  moved: "M4 8h12l-3-3M20 16H8l3 3",
  skip: "M5 6l7 6-7 6zM13 6l7 6-7 6z",
};

/** A picture of lines that says nothing to a screen reader. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", `icon icon-${name}`);
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

/** A button with an icon; `text` is shown, or told to screen readers only when `square`. */
export function button(text, { icon: name, kind = "", square = false, key = "", on, ...props } = {}) {
  const look = ["button", kind, square && "square"].filter(Boolean).join(" ");
  const title = square ? (key ? `${text} (${key})` : text) : null;
  const named = square ? { "aria-label": text, title } : {};
  const shown = [name && icon(name), !square && h("span", null, text), !square && key && h("kbd", { "aria-hidden": "true" }, key)];
  return h("button", { type: "button", class: look, on: { click: on }, ...named, ...props }, shown);
}

/** What stands where nothing is yet: what it is for, and what to do. */
export function empty(name, title, text, ...actions) {
  return h("div", { class: "empty" }, icon(name), h("h2", null, title), h("p", null, text), actions.length > 0 && h("div", { class: "row wrap" }, actions));
}

/** A grey shape of the size of what is to come. */
export function bone(height, width = "100%") {
  return h("div", { class: "bone", vars: { height: `${height}px`, width }, "aria-hidden": "true" });
}

/** Call `run` once, when there has been quiet for `wait` milliseconds. */
export function debounce(run, wait) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => run(...given), wait);
  };
}
