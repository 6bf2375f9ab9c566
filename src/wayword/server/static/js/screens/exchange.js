/** Exchange: files in and out, the journal, and a report that needs nothing else. */

import * as api from "../api.js";
import { showError, undo } from "../acting.js";
import { aside, button, debounce, empty, fill, h, icon } from "../dom.js";
import { clock, list, many } from "../format.js";
import { state } from "../state.js";
import { showToast } from "../elements/ww-toast.js";

const FORMATS = [
  ["csv", "CSV", "Tables; opens everywhere"],
  ["jsonl", "JSON Lines", "One document for each line"],
  ["parquet", "Parquet", "For data frames"],
  ["xlsx", "Excel", "A workbook"],
  ["label-studio", "Label Studio", "Tasks with annotations"],
  ["doccano", "doccano", "Text classification"],
  ["prodigy", "Prodigy", "Text classification"],
  ["journal", "Journal", "Every act, to replay"],
];
const PAGE = 50;

class Exchange {
  entries = [];
  more = true;

  constructor(root, signal) {
    this.signal = signal;
    this.journal = h("tbody");
    this.older = button("Older", { kind: "bare", on: () => this.loadJournal(this.entries.length) });
    const head = h("header", null, h("div", null, h("h1", null, "Exchange"), h("p", null, "Take labels in from elsewhere, and take everything out again.")));
    fill(root, h("div", { class: "screen exchange" }, head, h("div", { class: "halves" }, this.makeImport(), this.makeExport()), this.makeJournal()));
  }

  makeImport() {
    this.format = h("select", { class: "field", id: "import-format" }, h("option", { value: "" }, "By the name of the file"), FORMATS.map(([id, name]) => h("option", { value: id }, name)));
    this.file = h("input", { type: "file", id: "import-file", class: "unseen", on: { change: () => this.take(this.file.files[0]) } });
    this.drop = h("label", { class: "drop", for: "import-file" }, icon("upload"), h("b", null, "Drop a file here, or choose one"), h("span", { class: "quiet small" }, "Documents known by id get its labels; others are added when they come with text."));
    this.drop.addEventListener("dragover", (event) => { event.preventDefault(); this.drop.classList.add("over"); });
    this.drop.addEventListener("dragleave", () => this.drop.classList.remove("over"));
    this.drop.addEventListener("drop", (event) => {
      event.preventDefault();
      this.drop.classList.remove("over");
      this.take(event.dataTransfer.files[0]);
    });
    this.came = h("div", { class: "came-in", role: "status" });
    return h("section", { class: "card pad stack" }, h("h2", null, "Import"), this.file, this.drop, h("label", { class: "over", for: "import-format" }, "Format", this.format), this.came);
  }

  makeExport() {
    const make = ([id, name, text]) => h("li", null, h("button", { type: "button", class: "format", data: { format: id }, on: { click: (event) => this.export(id, event.currentTarget) } }, icon("download"), h("span", { class: "grow" }, h("b", null, name), h("span", { class: "quiet tiny" }, text))));
    const report = button("Download the report", { icon: "report", on: (event) => this.fetchFile("/api/report", {}, "wayword-report.html", event.currentTarget) });
    return h("section", { class: "card pad stack" }, h("h2", null, "Export"), h("p", { class: "quiet small" }, "Labels, guesses and theme proportions of every document; ids stay as they are."), h("ul", { class: "formats" }, FORMATS.map(make)), h("div", { class: "row report-line" }, h("p", { class: "grow small" }, h("b", null, "Report"), h("span", { class: "quiet" }, "  One HTML file with all figures, to send to anybody.")), report));
  }

  makeJournal() {
    const table = h("table", { class: "journal" }, h("thead", null, h("tr", null, ["No.", "When", "Who", "What", ""].map((text) => h("th", { scope: "col" }, text)))), this.journal);
    return h("section", { class: "section" }, h("div", { class: "head" }, h("h2", null, "Journal"), h("p", null, "Every act, the newest first. Nothing is ever erased: what was taken back is crossed out.")), h("div", { class: "card pad" }, table, h("div", { class: "row centre" }, this.older)));
  }

  async take(file) {
    if (!file) return;
    this.drop.classList.add("busy");
    fill(this.came, h("p", { class: "small quiet" }, `Reading ${file.name}…`));
    try {
      const view = await api.upload("/api/import", { format: this.format.value, filename: file.name }, file);
      this.drawCame(file.name, view);
      state.tell("acted", view);
      await this.loadJournal(0);
    } catch (error) {
      fill(this.came, h("p", { class: "small wrong", role: "alert" }, error.message));
    } finally {
      this.drop.classList.remove("busy");
      this.file.value = "";
    }
  }

  drawCame(name, view) {
    const lines = [
      `${many(view.n_labelled, "document")} labelled, ${many(view.n_documents, "document")} new.`,
      view.new_labels.length > 0 && `New labels: ${list(view.new_labels)}.`,
      view.unknown.length > 0 && `Left out, because no document has the id and no text came: ${list(view.unknown)}.`,
      ...view.warnings,
    ].filter(Boolean);
    const back = view.can_undo && h("div", { class: "row" }, button("Undo the import", { kind: "low", icon: "undo", on: () => undo({ number: view.number }) }));
    fill(this.came, h("div", { class: "stack tight" }, h("b", { class: "row" }, icon("check"), aside(name)), lines.map((line) => h("p", { class: "small" }, aside(line))), back));
  }

  export(format, from) {
    const [, name] = FORMATS.find(([id]) => id === format);
    return this.fetchFile("/api/export", { format }, `wayword-${name}`, from);
  }

  async fetchFile(path, params, fallback, from) {
    from.disabled = true;
    try {
      showToast(`${await api.download(path, params, fallback)} is ready.`);
    } catch (error) {
      showError(error, () => this.fetchFile(path, params, fallback, from));
    } finally {
      from.disabled = false;
    }
  }

  async loadJournal(offset) {
    const entries = await api.get("/api/journal", { offset, limit: PAGE }, this.signal);
    this.entries = offset ? [...this.entries, ...entries] : entries;
    this.older.hidden = entries.length < PAGE;
    this.drawJournal();
  }

  drawJournal() {
    // Only our own newest act that counts can be taken back.
    const mine = this.entries.find((entry) => entry.in_force && entry.annotator === state.session.name);
    const line = (entry) => {
      const quiet = entry.kind === "undo" || entry.kind === "redo";
      const crossed = !entry.in_force && !quiet;
      const back = entry === mine && button("Undo", { kind: "low", icon: "undo", on: () => undo() });
      return h("tr", { class: crossed ? "crossed" : quiet ? "quiet" : "" }, h("td", { class: "digits quiet" }, entry.number), h("td", { class: "digits quiet" }, clock(entry.when)), h("td", { class: "cut who-said" }, aside(entry.annotator)), h("td", null, aside(entry.text), entry.reason && h("span", { class: "quiet" }, " — without effect: ", aside(entry.reason))), h("td", { class: "number" }, back));
    };
    fill(this.journal, this.entries.length ? this.entries.map(line) : h("tr", null, h("td", { colspan: "5" }, empty("exchange", "Nothing has been said yet", "Every label, every anchor and every name will stand here.", h("a", { class: "button main", href: "#/label" }, "Label the first document")))));
  }
}

export async function mount(root, { signal }) {
  const screen = new Exchange(root, signal);
  const again = debounce(() => screen.loadJournal(0).catch(showError), 200);
  state.on("acts", again, signal);
  state.on("undone", again, signal);
  await screen.loadJournal(0);
}
