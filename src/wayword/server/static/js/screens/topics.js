/** Topics: a row for each; every act shows what it did to the rows, and can be taken back. */

import * as api from "../api.js";
import { act, showError } from "../acting.js";
import { aside, button, empty, fill, h, icon } from "../dom.js";
import { many, newId, shorten } from "../format.js";
import { bind } from "../keys.js";
import { state, waitForTopics } from "../state.js";
import { TopicRow } from "./topic-row.js";
import { askMerge, askPromote, askSplit } from "./topic-dialogs.js";
import "../elements/ww-purity.js";

/** Words in quotes of an error: near matches for a word that nobody wrote. */
function readNear(message, typed) {
  return [...message.matchAll(/['“‘]([^'”’]+)['”’]/g)].map((found) => found[1]).filter((word) => word !== typed).slice(0, 4);
}

class Topics {
  /** @type {Map<string, TopicRow>} */
  rows = new Map();
  topics = [];
  chosen = new Set();
  busy = 0;

  constructor(root, signal) {
    this.signal = signal;
    this.about = h("p", null, " ");
    this.slider = document.createElement("ww-purity");
    this.slider.preview = (purity) => this.refresh(purity);
    this.merger = button("Merge", { icon: "merge", on: () => this.merge(), disabled: true });
    this.filter = h("input", { class: "field", type: "search", placeholder: "Find a topic or a word", "aria-label": "Find a topic or a word" });
    this.filter.addEventListener("input", () => this.drawFilter());
    this.banned = h("div", { class: "banned row wrap", role: "group", "aria-label": "Banned words" });
    this.list = h("div", { class: "topic-list", role: "list", "aria-label": "Topics" });
    const head = h("header", null, h("div", null, h("h1", null, "Topics"), this.about), h("div", { class: "row" }, h("span", { class: "small" }, "Words"), this.slider));
    const tools = h("div", { class: "row toolbar" }, h("div", { class: "finder" }, this.filter), this.merger, h("p", { class: "quiet small grow" }, "Type or drag anchors: several in one row work together. Press a word for more."));
    this.list.addEventListener("anchor", (event) => this.changeAnchor(event.detail, event.target));
    fill(root, h("div", { class: "screen topics" }, head, tools, this.banned, this.list));
    this.slider.set(state.project.purity);
    this.drawBanned();
  }

  /** Words that are kept out of every topic, each with the way back. */
  drawBanned() {
    const { banned } = state.project;
    const focused = this.banned.contains(document.activeElement);
    const chip = (term) => h("button", { type: "button", class: "term barred", title: "Let it in again", "aria-label": `Let ${term} in again`, data: { term }, on: { click: () => this.ban(term, false) } }, aside(term), icon("close"));
    fill(this.banned, banned.length > 0 && [h("span", { class: "quiet small row" }, icon("ban"), "Banned"), banned.map(chip)]);
    if (focused) (this.banned.querySelector("button") ?? this.filter).focus();
  }

  async refresh(purity) {
    const topics = await api.get("/api/topics", { purity }, this.signal);
    if (this.signal.aborted) return;
    this.topics = this.keepOrder(topics);
    this.draw();
  }

  /** Topics come by size; those that are shown stay where they are, so that no row runs away from the pointer. */
  keepOrder(topics) {
    const places = new Map([...this.list.children].map((element, place) => [element.dataset.topic, place]));
    const known = topics.filter((topic) => places.has(topic.id)).sort((a, b) => places.get(a.id) - places.get(b.id));
    topics.forEach((topic, place) => { if (!places.has(topic.id)) known.splice(Math.min(place, known.length), 0, topic); });
    return known;
  }

  /** Rows are kept by id, so that whoever types or has the focus in one keeps it. */
  draw() {
    const present = new Set(this.topics.map((topic) => topic.id));
    for (const id of [...this.rows.keys()]) if (!present.has(id)) this.drop(id);
    let after = null;
    for (const topic of this.topics) {
      if (!this.rows.has(topic.id)) this.rows.set(topic.id, new TopicRow(this));
      const row = this.rows.get(topic.id);
      row.show(topic, this.chosen.has(topic.id));
      const wanted = after ? after.nextSibling : this.list.firstChild;
      if (row.element !== wanted) this.list.insertBefore(row.element, wanted);
      after = row.element;
    }
    if (!this.topics.length) fill(this.list, h("div", { class: "card" }, empty("topics", "No topics yet", "Topics are found as soon as documents are counted. Come back in a moment.")));
    this.about.textContent = `${many(this.topics.length, "topic")}, ${this.topics.filter((topic) => topic.pinned).length} of them yours`;
    this.drawFilter();
  }

  drop(id) {
    this.rows.get(id).element.remove();
    this.rows.delete(id);
    this.choose(id, false);
  }

  drawFilter() {
    const wanted = this.filter.value.trim().toLowerCase();
    for (const row of this.rows.values()) row.element.hidden = !row.holds(wanted);
  }

  choose(id, on) {
    if (on) this.chosen.add(id);
    else this.chosen.delete(id);
    this.merger.disabled = this.chosen.size < 2;
    this.merger.querySelector("span").textContent = this.chosen.size > 1 ? `Merge ${this.chosen.size}` : "Merge";
  }

  /** Do something and show what it did: wait for the topics, then mark rows that changed. */
  async apply(acts, said, { kept, ...how } = {}) {
    const before = state.number;
    this.noteBusy(1);
    try {
      const view = await act(acts, { said, again: () => this.showEffect(before, state.number), ...how });
      if (!view || view.reason) return false;
      kept?.();
      await this.showEffect(before, view.number);
      return true;
    } finally {
      this.noteBusy(-1);
    }
  }

  /** While an act is under way, rows are drawn by it alone, so that its effect is seen as one change. */
  noteBusy(change) {
    this.busy += change;
    if (this.busy) this.list.setAttribute("aria-busy", "true");
    else this.list.removeAttribute("aria-busy");
  }

  async showEffect(before, number) {
    this.noteBusy(1);
    try {
      const moved = await waitForTopics(number);
      await this.refresh();
      if (!moved) return;
      const moves = await api.get("/api/topics/moves", { since: before }, this.signal);
      for (const row of this.rows.values()) row.noteMove(null);
      for (const id of moves.came) this.rows.get(id)?.noteNew();
      for (const move of moves.moved) this.rows.get(move.topic)?.noteMove(move);
    } catch (error) {
      showError(error);
    } finally {
      this.noteBusy(-1);
    }
  }

  find(id) {
    return this.topics.find((topic) => topic.id === id);
  }

  async changeAnchor({ what, term, from, to }, chips) {
    if (what === "add") return this.addAnchor(from, term, chips);
    if (what === "remove") return this.apply([{ kind: "remove_anchor", topic: from, term }], `“${term}” is no anchor any more.`);
    const goal = this.findGoal(from, to);
    if (!goal) return false;
    const acts = [{ kind: "remove_anchor", topic: from, term }, { kind: "add_anchor", topic: goal.id, term }];
    const done = await this.apply(acts, `“${term}” moved to ${shorten(goal.name)}.`);
    if (done) this.rows.get(goal.id)?.chips.focusTerm(term);
    return done;
  }

  findGoal(from, to) {
    const place = this.topics.findIndex((topic) => topic.id === from);
    if (to === "up" || to === "down") return this.topics[place + (to === "up" ? -1 : 1)];
    return this.find(to);
  }

  async addAnchor(topic, term, chips) {
    const typed = chips.field.value;
    const refused = (message) => chips.field.say(message, readNear(message, term));
    // Whoever types on while the server answers keeps what they typed.
    const kept = () => {
      if (chips.field.value !== typed) return;
      chips.field.value = "";
      chips.field.say("");
    };
    await this.apply([{ kind: "add_anchor", topic, term }], `“${term}” is an anchor now.`, { refused, kept });
  }

  rename(topic, name) {
    return this.apply([{ kind: "rename_topic", topic: topic.id, name }], `Named “${shorten(name)}”.`);
  }

  pin(topic) {
    if (topic.pinned) return this.apply([{ kind: "set_anchors", topic: topic.id, terms: [] }], "Let go: the model chooses again.");
    return this.apply([{ kind: "set_anchors", topic: topic.id, terms: topic.anchors }], "Pinned: it stays whatever labels say.");
  }

  freeze(topic) {
    return this.apply([{ kind: "freeze_topic", topic: topic.id, frozen: !topic.frozen }], topic.frozen ? "It may move again." : "Frozen: its words stay as they are.");
  }

  ban(term, banned = true) {
    return this.apply([{ kind: "ban_term", term, banned }], banned ? `“${term}” is kept out of every topic.` : `“${term}” may come back.`);
  }

  forbid(topic, term, forbidden = true) {
    return this.apply([{ kind: "forbid_term", topic: topic.id, term, forbidden }], forbidden ? `“${term}” is kept out of ${shorten(topic.name)}.` : `“${term}” may come back.`);
  }

  merge() {
    const topics = this.topics.filter((topic) => this.chosen.has(topic.id));
    askMerge(topics, async (into) => {
      const others = topics.filter((topic) => topic.id !== into).map((topic) => topic.id);
      if (await this.apply([{ kind: "merge_topics", topics: others, into }], `${many(topics.length, "topic")} merged.`)) {
        for (const { id } of topics) this.choose(id, false);
        this.draw();
      }
    });
  }

  split(topic) {
    askSplit(topic, (terms) => {
      const part = newId(terms[0] ?? topic.id);
      const acts = [{ kind: "split_topic", topic: topic.id, into: [topic.id, part] }];
      if (terms.length) acts.push({ kind: "set_anchors", topic: part, terms });
      this.apply(acts, `${shorten(topic.name)} split in two.`);
    });
  }

  promote(topic) {
    askPromote(topic, (name) => this.apply([{ kind: "promote_topic", topic: topic.id, label: newId(name), name }], `“${shorten(name)}” is a theme now.`));
  }
}

export async function mount(root, { params, signal }) {
  const screen = new Topics(root, signal);
  bind([{ keys: ["/"], text: "Find a topic or a word", run: () => screen.filter.focus(), group: "Topics" }, { keys: ["m"], text: "Merge the topics that are ticked", run: () => screen.chosen.size > 1 && screen.merge(), group: "Topics" }], signal);
  state.on("topics", () => !screen.busy && screen.refresh().catch(showError), signal);
  let taken = false;
  state.on("undone", (view) => { taken = true; screen.showEffect(view.before, view.number); }, signal);
  state.on("project", () => {
    screen.drawBanned();
    // Only an undo moves the slider: whoever slides it is ahead of what the server knows.
    if (taken) screen.slider.set(state.project.purity);
    taken = false;
  }, signal);
  await screen.refresh();
  const wanted = screen.rows.get(params.get("topic") ?? "");
  wanted?.element.scrollIntoView({ block: "center" });
  wanted?.element.classList.add("changed");
}
