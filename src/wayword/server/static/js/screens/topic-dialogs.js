/** What has to be asked before topics are merged, split or promoted. */

import { aside, button, h } from "../dom.js";
import { openDialog } from "../elements/ww-dialog.js";

/** Which topic the others become part of. */
export function askMerge(topics, merge) {
  const make = (topic, k) => {
    const id = `merge-${k}`;
    return h("label", { class: "row option", for: id }, h("input", { type: "radio", name: "into", id, value: topic.id, checked: k === 0 }), h("span", { class: "grow" }, h("b", null, aside(topic.name)), h("span", { class: "quiet small cut block" }, topic.anchors.join(" · "))));
  };
  const body = h("form", { class: "stack" }, h("p", { class: "quiet" }, "The anchors of all work together from now on. Which one keeps its name?"), topics.map(make));
  const go = () => {
    const into = body.querySelector("input:checked").value;
    dialog.close();
    merge(into);
  };
  const dialog = openDialog(`Merge ${topics.length} topics`, body, [button("Merge", { kind: "main", icon: "merge", on: go }), button("Cancel", { kind: "bare", on: () => dialog.close() })]);
}

/** Which words the new part is about; none: the project chooses. */
export function askSplit(topic, split) {
  const chosen = new Set();
  const press = (event) => {
    const { term } = event.currentTarget.dataset;
    const on = !chosen.has(term);
    if (on) chosen.add(term);
    else chosen.delete(term);
    event.currentTarget.setAttribute("aria-pressed", String(on));
  };
  const free = topic.terms.filter(({ term }) => !topic.anchors.includes(term));
  const words = free.map(({ term }) => h("button", { type: "button", class: "button low", "aria-pressed": "false", data: { term }, on: { click: press } }, aside(term)));
  const body = h("div", { class: "stack" }, h("p", { class: "quiet" }, "Choose words that belong to the new part; they become its anchors. Choose none, and the words that are farthest apart are taken."), h("div", { class: "row wrap" }, words));
  const go = () => {
    dialog.close();
    split([...chosen]);
  };
  const dialog = openDialog(`Split ${topic.name}`, body, [button("Split", { kind: "main", icon: "split", on: go }), button("Cancel", { kind: "bare", on: () => dialog.close() })]);
}

/** What the theme is called. */
export function askPromote(topic, promote) {
  const name = h("input", { class: "field", id: "theme-name", value: topic.name, maxlength: "200", autofocus: true });
  const send = (event) => {
    event.preventDefault();
    if (!name.value.trim()) return;
    dialog.close();
    promote(name.value.trim());
  };
  const body = h("form", { class: "stack", id: "promote", on: { submit: send } }, h("p", { class: "quiet" }, "A theme is a label of its own: documents can be labelled with it from now on."), h("label", { class: "over", for: "theme-name" }, "Name of the theme", name));
  const dialog = openDialog("Promote to a theme", body, [h("button", { class: "button main", type: "submit", form: "promote" }, "Promote"), button("Cancel", { kind: "bare", on: () => dialog.close() })]);
  name.select();
}
