/** The page: who is there, the rail, and one screen at a time. */

import * as api from "./api.js";
import { redo, showError, undo } from "./acting.js";
import { bone, fill, h } from "./dom.js";
import { bind } from "./keys.js";
import { switchMode } from "./look.js";
import { drawRail, noteScreen } from "./rail.js";
import { refreshProject, startListening, state, stopListening } from "./state.js";
import { SCREENS } from "./screens.js";
import { askWho } from "./screens/welcome.js";
import { showHelp } from "./screens/help.js";
import { clearNotice } from "./elements/ww-notice.js";

const content = document.getElementById("content");
let leaving = new AbortController();
let shown = "";

/** Read `#/screen?name=value`. */
function readRoute() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const known = SCREENS.find((screen) => screen.id === path);
  return { screen: known ?? SCREENS[0], params: new URLSearchParams(query) };
}

async function showRoute() {
  const { screen, params } = readRoute();
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  noteScreen(screen.id);
  document.title = `${screen.name} · ${state.project?.name || "Wayword"}`;
  // A change of settings within a screen keeps the scroll and the focus where they are.
  const fresh = shown !== screen.id;
  shown = screen.id;
  content.setAttribute("aria-busy", "true");
  if (fresh) {
    clearNotice();
    fill(content, h("div", { class: "screen" }, h("div", { class: "stack" }, bone(32, "220px"), bone(240), bone(240))));
    content.scrollTop = 0;
  }
  try {
    const { mount } = await import(`./screens/${screen.id}.js`);
    if (signal.aborted) return;
    await mount(content, { params, signal, fresh });
    if (fresh && !signal.aborted && !content.contains(document.activeElement)) content.focus({ preventScroll: true });
  } catch (error) {
    showError(error, showRoute);
  } finally {
    if (!signal.aborted) content.removeAttribute("aria-busy");
  }
}

/** Take the token out of the address, so that it is neither seen nor kept in the history. */
function takeToken() {
  const found = /^#token=(.+)$/.exec(location.hash);
  if (!found) return "";
  history.replaceState(null, "", `${location.pathname}#/overview`);
  return decodeURIComponent(found[1]);
}

async function enter(token) {
  state.session = await api.get("/api/session").catch((error) => {
    if (error.status === 401) return { name: "", needs_token: false };
    throw error;
  });
  if (!state.session.name) state.session = await askWho(state.session, token);
}

/** Everything that has to be there before a screen can be shown. */
async function start(token = "") {
  try {
    await enter(token);
    await refreshProject();
    startListening();
    drawRail();
    await showRoute();
  } catch (error) {
    showError(error, () => start(token));
  }
}

const go = (screen) => () => { location.hash = `#/${screen}`; };

bind([
  ...SCREENS.map((screen) => ({ keys: [`g ${screen.key}`], text: `Go to ${screen.name}`, run: go(screen.id), group: "Screens" })),
  { keys: ["u", "Ctrl+z"], text: "Undo my last act", run: () => undo() },
  { keys: ["Shift+Ctrl+z", "Ctrl+y"], text: "Redo", run: () => redo() },
  { keys: ["/"], text: "Search", run: go("documents?find=1") },
  { keys: ["Shift+d"], text: "Light or dark", run: () => switchMode() },
  { keys: ["?"], text: "Show these keys", run: () => showHelp() },
]);
addEventListener("hashchange", () => state.session?.name && showRoute());
api.signedOut.addEventListener("signed-out", () => {
  if (!state.session?.name) return;
  state.session = null;
  stopListening();
  start();
});
start(takeToken());
