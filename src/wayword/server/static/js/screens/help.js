/** All keys that do something on the screen that is open. */

import { h } from "../dom.js";
import { listKeys, showKey } from "../keys.js";
import { openDialog } from "../elements/ww-dialog.js";

const MOST_KEYS = 3;

function makeLine(binding) {
  // A row of digits is told by its ends.
  const long = binding.keys.length > MOST_KEYS;
  const keys = (long ? [binding.keys[0], binding.keys.at(-1)] : binding.keys).map((key, k) => [k > 0 && h("span", { class: "quiet tiny" }, long ? "to" : "or"), key.split(" ").map((part) => h("kbd", null, showKey(part)))]);
  return h("div", { class: "row apart" }, h("dt", null, binding.text), h("dd", { class: "row" }, keys));
}

export function showHelp() {
  const groups = listKeys().map(([name, bindings]) => h("section", null, h("h3", null, name), h("dl", null, bindings.map(makeLine))));
  openDialog("Keys", h("div", { class: "keys" }, groups), [], { wide: true });
}
