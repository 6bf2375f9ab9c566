/** Keys: each binding has a text, so that the help is always what the keys do. */

/** @typedef {{keys: string[], text: string, run: (event: KeyboardEvent) => void, group?: string, typing?: boolean}} Binding */

/** @type {Binding[]} */
const bindings = [];
let waiting = "";
let timer = 0;

const NAMES = { " ": "Space", Esc: "Escape" };
const SHOWN = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Enter: "Enter", Escape: "Esc" };

/** Name a keystroke, such as `a`, `Ctrl+z`, `Shift+Ctrl+z`, `?`. */
function nameKey(event) {
  const key = NAMES[event.key] ?? event.key;
  const single = [...key].length === 1;
  const letter = single && key.toLowerCase() !== key.toUpperCase();
  // The shift of a sign such as ? belongs to the sign.
  const shift = event.shiftKey && (letter || !single) ? "Shift+" : "";
  const control = event.ctrlKey || event.metaKey ? "Ctrl+" : "";
  return `${shift}${control}${event.altKey ? "Alt+" : ""}${letter ? key.toLowerCase() : key}`;
}

/** How a key is written for people. */
export function showKey(key) {
  return key.split("+").map((part) => SHOWN[part] ?? part).join(" ");
}

function isTyping(target) {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLInputElement && !["checkbox", "radio", "button", "range"].includes(target.type);
}

/** Whether a key means something to the element that has the focus. */
function belongsTo(target, name) {
  if (!(target instanceof HTMLElement)) return false;
  const pressed = target.closest("button, a[href], summary, [role='menuitem'], [role='option'], input[type='checkbox']");
  if (pressed && (name === "Enter" || name === "Space")) return true;
  return target instanceof HTMLInputElement && target.type === "range" && name.startsWith("Arrow");
}

function findBinding(name, typing) {
  // The newest first: a screen may take a key that the page has too.
  return bindings.findLast((binding) => binding.keys.includes(name) && (!typing || binding.typing));
}

function hear(event) {
  if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) return;
  const name = nameKey(event);
  const typing = isTyping(event.target);
  if (belongsTo(event.target, name)) return;
  const found = (waiting && findBinding(`${waiting} ${name}`, typing)) || findBinding(name, typing);
  const starts = !typing && !found && bindings.some((binding) => binding.keys.some((key) => key.startsWith(`${name} `)));
  clearTimeout(timer);
  waiting = starts ? name : "";
  if (starts) timer = setTimeout(() => { waiting = ""; }, 1200);
  if (!found) return;
  event.preventDefault();
  found.run(event);
}

document.addEventListener("keydown", hear);

/**
 * Bind keys until a signal says that the screen is left.
 * @param {Binding[]} added
 * @param {AbortSignal} [signal]
 */
export function bind(added, signal) {
  bindings.push(...added);
  signal?.addEventListener("abort", () => {
    for (const binding of added) bindings.splice(bindings.indexOf(binding), 1);
  });
}

/** All keys that do something now, by group. */
export function listKeys() {
  const groups = new Map();
  for (const binding of [...bindings].reverse()) {
    const group = binding.group ?? "Everywhere";
    if (!groups.has(group)) groups.set(group, []);
    groups.get(group).unshift(binding);
  }
  return [...groups];
}
