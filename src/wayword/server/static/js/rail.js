/** The rail: screens, how far labelling has come, what works in the background, who we are. */

import * as api from "./api.js";
import { button, fill, h, icon } from "./dom.js";
import { count, initials, shorten } from "./format.js";
import { switchMode } from "./look.js";
import { state } from "./state.js";
import { SCREENS } from "./screens.js";
import { showHelp } from "./screens/help.js";
import { openMenu } from "./elements/ww-menu.js";

const rail = document.getElementById("rail");
const parts = { name: h("small", { class: "cut" }), far: h("div", { class: "how-far" }), work: h("div", { class: "work", role: "status" }), who: h("div", { class: "who" }) };
const tabs = new Map();

/** Mark the screen that is shown. */
export function noteScreen(id) {
  for (const [name, tab] of tabs) {
    if (name === id) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
}

function makeTab({ id, name, key }) {
  const tab = h("a", { class: "tab", href: `#/${id}`, title: `${name} (g ${key})` }, icon(id), h("span", null, name));
  tabs.set(id, tab);
  return tab;
}

function drawFar() {
  const { n_labelled: done, n_documents: all } = state.project;
  parts.name.textContent = state.project.name;
  parts.name.title = state.project.name;
  fill(parts.far, h("span", { class: "digits" }, h("b", null, count(done)), ` of ${count(all)} labelled`), h("div", { class: "bar" }, h("i", { vars: { "--share": all ? done / all : 0 } })));
}

const JOBS = { themes: "Fitting themes", quality: "Measuring quality", report: "Writing the report" };

function drawWork() {
  const running = [...state.jobs.values()].find((job) => job.status === "running" || job.status === "waiting");
  if (!state.connected) return fill(parts.work, h("i", { class: "pulse away" }), h("span", null, "Reconnecting…"));
  if (!running) return fill(parts.work, h("i", { class: "pulse" }), h("span", null, "Up to date"));
  const far = running.total > 0 ? ` ${Math.round((100 * running.done) / running.total)} %` : "…";
  return fill(parts.work, h("i", { class: "pulse busy" }), h("span", { class: "cut", title: running.step }, `${JOBS[running.kind] ?? running.kind}${far}`));
}

async function leave() {
  await api.send("DELETE", "/api/session").catch(() => {});
  location.reload();
}

function drawWho() {
  const { name } = state.session;
  const menu = button("More", { icon: "more", kind: "bare low", square: true, "aria-haspopup": "menu" });
  menu.addEventListener("click", () =>
    openMenu(menu, [
      { text: "Light or dark", icon: "mode", hint: "⇧D", run: switchMode },
      { text: "Keys", icon: "help", hint: "?", run: showHelp },
      "line",
      { text: "Somebody else", icon: "person", run: leave },
    ]),
  );
  fill(parts.who, h("span", { class: "face", "aria-hidden": "true" }, initials(name)), h("span", { class: "name grow cut small", title: name }, shorten(name, 40)), menu);
}

/** Draw the rail, once somebody is there. */
export function drawRail() {
  if (!rail.childElementCount) {
    const brand = h("a", { class: "brand", href: "#/overview", "aria-label": "Wayword: overview" }, h("img", { src: "/static/icon.svg", alt: "" }), h("span", { class: "grow" }, h("b", null, "Wayword"), parts.name));
    rail.append(brand, ...SCREENS.map(makeTab), h("div", { class: "foot" }, parts.far, parts.work, parts.who));
    state.on("project", drawFar);
    for (const name of ["job", "connection"]) state.on(name, drawWork);
  }
  drawFar();
  drawWork();
  drawWho();
}
