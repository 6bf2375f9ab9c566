/** What the page knows: who we are, the project, its labels; and telling others when that changes. */

import * as api from "./api.js";
import { debounce } from "./dom.js";

const N_COLOURS = 12;

class State extends EventTarget {
  /** @type {{name: string, needs_token: boolean}|null} */
  session = null;
  /** @type {any} A ProjectView. */
  project = null;
  /** @type {Map<string, any>} Labels by id. */
  labels = new Map();
  /** The newest act that we have heard of, and the newest that topics take into account. */
  number = 0;
  topicsNumber = 0;
  /** @type {Map<string, any>} Jobs by id. */
  jobs = new Map();
  connected = true;
  canUndo = true;
  canRedo = false;

  /** Call `run` when something happens, until `signal` says no more. */
  on(name, run, signal) {
    this.addEventListener(name, (event) => run(event.detail), { signal });
  }

  tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

export const state = new State();

/** Ask for the project anew. */
export async function refreshProject() {
  const project = await api.get("/api/project");
  // An answer that was overtaken by an act would take back what the page shows already; a newer one is on its way.
  if (state.project && project.n_acts < state.number) return;
  state.project = project;
  state.labels = new Map(project.labels.map((label) => [label.id, label]));
  state.number = Math.max(state.number, project.n_acts);
  state.tell("project", project);
}

const refreshSoon = debounce(() => refreshProject().catch(() => {}), 120);

function hear(name, data) {
  if (name === "job") {
    state.jobs.set(data.id, data);
  } else if (name === "acts") {
    state.number = Math.max(state.number, data.number);
    refreshSoon();
  } else if (name === "topics") {
    state.topicsNumber = Math.max(state.topicsNumber, data.number);
  }
  state.tell(name, data);
}

function noteConnection(open) {
  const back = open && !state.connected;
  state.connected = open;
  state.tell("connection", open);
  // Whatever was told while nobody listened is asked for now.
  if (back) refreshSoon();
}

let stop = null;

/** Begin to listen to the server. */
export function startListening() {
  stop?.();
  stop = api.listen(hear, noteConnection);
}

export function stopListening() {
  stop?.();
  stop = null;
}

/** Note what the server said about acts. */
export function noteAct(view) {
  state.number = Math.max(state.number, view.number);
  state.canUndo = view.can_undo;
  state.canRedo = view.can_redo;
  refreshSoon();
  state.tell("acted", view);
}

/**
 * Wait until topics take an act into account, or until patience ends.
 * @param {number} number
 */
export function waitForTopics(number, patience = 4000) {
  if (state.topicsNumber >= number) return Promise.resolve(true);
  return new Promise((done) => {
    const stopWaiting = new AbortController();
    const end = (reached) => {
      stopWaiting.abort();
      clearTimeout(timer);
      done(reached);
    };
    const timer = setTimeout(() => end(false), patience);
    state.on("topics", () => state.topicsNumber >= number && end(true), stopWaiting.signal);
  });
}

/** What a label is called; a label that is gone keeps its id. */
export const labelName = (id) => state.labels.get(id)?.name ?? id;

/** The colour of a label, as a value for `--hue`. */
export function labelHue(id) {
  const label = state.labels.get(id);
  return label ? `var(--label-${label.colour % N_COLOURS})` : "var(--soft)";
}
