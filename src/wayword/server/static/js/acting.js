/** Doing things: send an act, say that it is done, offer to take it back; or say what went wrong and offer another try. */

import * as api from "./api.js";
import { noteAct, state } from "./state.js";
import { showToast } from "./elements/ww-toast.js";
import { clearNotice, showNotice } from "./elements/ww-notice.js";

let sending = 0;

function noteSending(change) {
  sending += change;
  state.tell("sending", sending > 0);
}

/**
 * Show an error in the quiet bar.
 * @param {Error} error
 * @param {() => void} [again] what another try would do
 */
export function showError(error, again) {
  if (error.name === "AbortError" || error.status === 401) return;
  showNotice(error.message, again);
}

async function attempt(run) {
  noteSending(1);
  try {
    const view = await run();
    clearNotice();
    noteAct(view);
    return view;
  } finally {
    noteSending(-1);
  }
}

/**
 * Apply acts. What a person typed must be cleared only when this has returned a view.
 * @param {object[]} acts
 * @param {{said?: string, again?: (view: any) => void, refused?: (message: string) => void}} [how] `said` becomes a
 *   toast with an undo button; `again` is what to do when a later try has worked; `refused` hears what the server does
 *   not accept, or why it had no effect, where there is a better place for it than the bar.
 * @returns {Promise<any|null>} the ActView, or null when it failed; the error is shown then.
 */
export async function act(acts, { said = "", again, refused } = {}) {
  const given = api.batch(acts);
  const go = () => attempt(() => api.sendBatch(given));
  try {
    const view = await go();
    report(view, said, refused);
    return view;
  } catch (error) {
    if (refused && error.status >= 400 && error.status < 500) {
      refused(error.message);
      return null;
    }
    // Another try sends the same ids: if the first one did arrive after all, nothing is done twice.
    showError(error, async () => {
      try {
        const view = await go();
        report(view, said, refused);
        again?.(view);
      } catch (later) {
        showError(later);
      }
    });
    return null;
  }
}

function report(view, said, refused = showNotice) {
  if (view.reason) refused(`This had no effect: ${view.reason}.`);
  else if (said) showToast(said, { text: "Undo", run: () => undo() });
}

async function goBack(path, none, said, meant, send = api.move(path, meant)) {
  const before = state.number;
  try {
    const view = await attempt(send);
    const did = !view.reason;
    showToast(did ? said : none, did && path.endsWith("undo") ? { text: "Redo", run: () => redo() } : null);
    if (did) state.tell("undone", { ...view, before });
    return did ? view : null;
  } catch (error) {
    const final = error.status >= 400 && error.status < 500;
    showError(error, final ? undefined : () => goBack(path, none, said, meant, send));
    return null;
  }
}

/**
 * Take back our own last step.
 * @param {{number?: number}} [meant] the last act of the step that is meant, so that nothing else is taken back
 */
export const undo = (meant) => goBack("/api/undo", "There is nothing to undo.", "Taken back.", meant);

/** Put it back. */
export const redo = () => goBack("/api/redo", "There is nothing to redo.", "Done again.");
