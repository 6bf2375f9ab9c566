/** Who are you? Asked on the first visit; a name is enough at home, elsewhere a token is needed as well. */

import * as api from "../api.js";
import { h } from "../dom.js";
import { openDialog } from "../elements/ww-dialog.js";

function makeForm(needsToken, token, submit) {
  const name = h("input", { class: "field", id: "who-name", autocomplete: "username", maxlength: "100", required: true, placeholder: "For example Ada", autofocus: true });
  const secret = h("input", { class: "field", id: "who-token", autocomplete: "off", value: token, required: needsToken, placeholder: "From the address that “wayword serve” printed" });
  const wrong = h("p", { class: "small wrong", role: "alert" });
  const go = h("button", { type: "submit", class: "button main" }, "Start");
  const send = async (event) => {
    event.preventDefault();
    wrong.textContent = "";
    go.disabled = true;
    try {
      await submit(name.value.trim(), secret.value.trim());
    } catch (error) {
      wrong.textContent = error.message;
      go.disabled = false;
      name.focus();
    }
  };
  return h(
    "form",
    { class: "stack", on: { submit: send } },
    h("p", { class: "quiet" }, "Your labels are kept under your name, so that several people can work on one project and see where they disagree. Choose the same name when you come back."),
    h("label", { class: "over", for: "who-name" }, "Your name", name),
    needsToken && h("label", { class: "over", for: "who-token" }, "Token", secret),
    wrong,
    h("div", { class: "row" }, go),
  );
}

/**
 * Ask until the server knows who is there.
 * @param {{needs_token: boolean}} session
 * @param {string} token as given in the address
 */
export function askWho(session, token) {
  return new Promise((done) => {
    const submit = async (name, secret) => {
      const answer = await api.post("/api/session", secret ? { name, token: secret } : { name });
      dialog.close();
      done({ needs_token: session.needs_token, ...answer, name: answer?.name || name });
    };
    const form = makeForm(Boolean(session.needs_token || token), token, submit);
    const dialog = openDialog("Who are you?", form, [], { firm: true });
  });
}
