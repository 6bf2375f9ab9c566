/**
 * Label: one document at a time, everything by keyboard.
 *
 * What is being read never changes by itself. A label counts as saved when the server has said so; only then is the
 * next document asked for.
 */

import * as api from "../api.js";
import { act, redo, showError, undo } from "../acting.js";
import { newId, shorten } from "../format.js";
import { bind } from "../keys.js";
import { labelName, state } from "../state.js";
import { Desk, makeSheet } from "./label-desk.js";
import { manageLabels } from "./label-manager.js";
import { LabelView } from "./label-view.js";

// The desk outlives the screen: coming back shows the same document.
const desk = new Desk();
let counts = null;
let colours = true;

class Labelling {
  #busy = false;

  constructor(root, signal) {
    this.signal = signal;
    this.view = new LabelView(root, {
      submit: () => this.submit(),
      skip: () => this.skip(),
      flag: () => this.flag(),
      move: (step) => this.move(step),
      undo: () => undo(),
      redo: () => redo(),
      comment: (text) => this.comment(text),
      addLabel: (name) => this.addLabel(name),
      colour: () => this.colour(),
      manage: () => manageLabels(),
      chosen: (ids) => { if (desk.now) desk.now.chosen = ids; },
      remark: (text) => { if (desk.now) desk.now.remark = text; },
    });
    state.on("sending", (sending) => this.view.noteSending(sending), signal);
    // What others do to labels waits for the next document; what we did ourselves is seen at once.
    let ours = false;
    state.on("acted", () => { ours = true; }, signal);
    state.on("project", () => { if (ours) this.view.noteLabels(); ours = false; }, signal);
    state.on("undone", (view) => this.goBackTo(view), signal);
  }

  async open(id) {
    if (id) return this.show(async () => desk.turnTo(await api.get("/api/document", { id })));
    if (desk.now) return this.draw();
    return this.ask();
  }

  /** Do something that changes the desk, then draw; nothing else may be pressed meanwhile. */
  async show(change) {
    this.#busy = true;
    try {
      await change();
      this.draw();
    } catch (error) {
      showError(error, () => this.show(change));
    } finally {
      this.#busy = false;
    }
  }

  ask() {
    return this.show(async () => {
      const question = await api.get("/api/question");
      counts = question.counts;
      if (question.document) desk.add(makeSheet(question.document, question.reasons, question.double_coding));
      else desk.place = desk.seen.length;
    });
  }

  draw() {
    if (this.signal.aborted) return;
    this.view.noteCounts(counts);
    this.view.show(desk.now, { place: desk.place, total: desk.seen.length, colours });
  }

  async advance() {
    if (desk.atEnd) return this.ask();
    desk.move(1);
    return this.draw();
  }

  /** Send acts about the document; go on when they are kept. */
  async apply(acts) {
    if (this.#busy || !desk.now) return;
    this.#busy = true;
    this.view.noteSaved("saving");
    const finish = async () => {
      this.view.noteSaved("saved");
      await this.advance();
    };
    const done = await act(acts, { again: finish });
    this.#busy = false;
    if (done) await finish();
    else this.view.noteSaved("failed");
  }

  submit() {
    const sheet = desk.now;
    if (!sheet) return undefined;
    if (!sheet.chosen.length) return this.view.hint("Choose a label first: press its number. Space skips the document.");
    sheet.document = { ...sheet.document, labels: sheet.chosen };
    return this.apply([{ kind: "label", documents: [sheet.document.id], labels: sheet.chosen }]);
  }

  skip() {
    const sheet = desk.now;
    if (!sheet) return undefined;
    // Once labelled there is nothing to pass over: a look back ends where it began.
    if (sheet.document.labels.length) return this.advance();
    return this.apply([{ kind: "skip", documents: [sheet.document.id] }]);
  }

  async flag() {
    const { document } = desk.now ?? {};
    if (!document || this.#busy) return;
    const flagged = !document.flagged;
    if (await act([{ kind: "flag", documents: [document.id], flagged }])) {
      document.flagged = flagged;
      this.view.noteFlag(flagged);
    }
  }

  async comment(text) {
    const sheet = desk.now;
    if (!(await act([{ kind: "comment", document: sheet.document.id, text }], { said: "Comment kept." }))) return false;
    sheet.remark = "";
    sheet.document.comments.push({ annotator: state.session.name, text });
    this.view.noteComments(sheet);
    return true;
  }

  /** Make a label and choose it. A name that is there already is chosen as it is. */
  async addLabel(name) {
    const known = [...state.labels.values()].find((label) => label.name.toLowerCase() === name.toLowerCase());
    const label = known?.id ?? newId(name);
    if (!known) {
      const view = await act([{ kind: "add_label", label, name }], { said: `Label “${shorten(name)}” made.` });
      if (!view || view.reason) return false;
      state.labels.set(label, { id: label, name, n_documents: 0, share: 0, colour: state.labels.size });
    }
    this.view.choose(label);
    return true;
  }

  move(step) {
    if (this.#busy || !desk.move(step)) return;
    this.draw();
  }

  colour() {
    colours = !colours;
    this.view.noteColours(colours);
  }

  /** After an undo or redo, show the document that it was about. */
  async goBackTo(view) {
    const id = view.undone[0];
    if (view.undone.length !== 1) return;
    await this.show(async () => {
      const [document, question] = await Promise.all([api.get("/api/document", { id }), api.get("/api/question")]);
      counts = question.counts;
      desk.turnTo(document);
    });
    this.view.say(`Back at the document ${id}${desk.now?.chosen.length ? `, labelled ${desk.now.chosen.map(labelName).join(", ")}` : ""}.`);
  }
}

function bindKeys(screen, signal) {
  const group = "Label";
  const { view } = screen;
  const digits = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0"];
  bind(
    [
      { keys: digits, text: "Choose a label", run: (event) => view.press(event.key), group },
      { keys: ["Enter"], text: "Submit", run: () => screen.submit(), group },
      { keys: ["Space"], text: "Skip", run: () => screen.skip(), group },
      { keys: ["ArrowLeft"], text: "The document before", run: () => screen.move(-1), group },
      { keys: ["ArrowRight"], text: "The document after", run: () => screen.move(1), group },
      { keys: ["ArrowDown"], text: "Read on", run: () => view.scroll(1), group },
      { keys: ["ArrowUp"], text: "Read back", run: () => view.scroll(-1), group },
      { keys: ["/"], text: "Find a label, or search documents", run: () => view.find(), group },
      { keys: ["n"], text: "New label", run: () => view.startLabel(), group },
      { keys: ["Shift+n"], text: "Manage labels", run: () => manageLabels(), group },
      { keys: ["f"], text: "Flag for a second look", run: () => screen.flag(), group },
      { keys: ["c"], text: "Comment", run: () => view.startComment(), group },
      { keys: ["w"], text: "Colour words or not", run: () => screen.colour(), group },
      { keys: ["m"], text: "What moved in the topics", run: () => view.openMoves(), group },
    ],
    signal,
  );
}

export async function mount(root, { params, signal }) {
  const screen = new Labelling(root, signal);
  bindKeys(screen, signal);
  await screen.open(params.get("id"));
}
