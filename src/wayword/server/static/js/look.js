/** Light or dark: as the system has it, until the person says otherwise. */

const system = matchMedia("(prefers-color-scheme: dark)");
const changes = new EventTarget();

export function isDark() {
  const told = document.documentElement.dataset.mode;
  return told ? told === "dark" : system.matches;
}

system.addEventListener("change", () => changes.dispatchEvent(new Event("change")));

/** Call `run` when the colours change. */
export function onMode(run, signal) {
  changes.addEventListener("change", run, { signal });
}

/** Change to the other, and keep it. */
export function switchMode() {
  const mode = isDark() ? "light" : "dark";
  document.documentElement.dataset.mode = mode;
  try {
    localStorage.setItem("wayword.mode", mode);
  } catch {
    // Without storage it holds until the page is left.
  }
  changes.dispatchEvent(new Event("change"));
}
