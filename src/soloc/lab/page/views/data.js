// View 7. Your data: take an example or upload a table, say what its columns are, fit, and see what decided each bag.

import { download, element, readable, say } from "../dom.js";
import { csvOf } from "../ask.js";
import { Stream } from "../stream.js";
import { without } from "../tabs.js";

const ROWS = 8; // bags listed at once
const KEPT = "soloc-data"; // the token of an uploaded table outlives a reload, not the tab
const wide = matchMedia("(min-width: 861px)");

const remembered = {
  get() { try { return JSON.parse(sessionStorage.getItem(KEPT)); } catch { return null; } },
  set(value) { try { sessionStorage.setItem(KEPT, JSON.stringify(value)); } catch { /* private mode: until the next reload */ } },
};

/** Everything this view holds that is not in the address: the table that is open. */
const open = { data: null, name: "", columns: [], guess: null, fit: 0 };

function table(panel, lab) {
  const { state } = lab;
  const { table: rows } = panel.answer;
  const count = rows.bag.length;
  const chosen = Math.min(state.get("bag"), count - 1);
  const first = Math.min(Math.floor(chosen / ROWS) * ROWS, Math.max(0, count - 1));
  const classes = "probability" in rows;
  const heads = ["bag", "label", "left out", "prediction", classes ? "probability" : "interval", "decisive instance", "weight"];
  const line = (i) => {
    const interval = classes ? readable(rows.probability[i], 3) : `${readable(rows.low[i], 3)} to ${readable(rows.high[i], 3)}`;
    const pick = element("button", { type: "button", class: "link", "aria-pressed": String(i === chosen), onclick: () => state.set({ bag: i }) }, rows.bag[i]);
    const cells = [readable(rows.label[i]), readable(rows.left_out_prediction[i]), readable(rows.prediction[i]), interval, rows.decisive_name[i], readable(rows.weight[i], 3)];
    return element("tr", { class: i === chosen ? "chosen" : null }, element("th", { scope: "row" }, pick), ...cells.map((cell) => element("td", {}, cell)));
  };
  const shown = Array.from({ length: Math.min(ROWS, count - first) }, (_, i) => line(first + i));
  const turn = (label, to) => element("button", { type: "button", disabled: to < 0 || to >= count, onclick: () => state.set({ bag: to }) }, label);
  return [
    element("div", { class: "table-box", tabindex: "0", role: "region", "aria-label": "Bags and what decided them" },
      element("table", { class: "bags" }, element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
        element("tbody", {}, ...shown))),
    element("p", { class: "turn" }, turn("‹ earlier", first - ROWS), ` bags ${first + 1} to ${first + shown.length} of ${readable(count)} `, turn("later ›", first + ROWS),
      element("button", { type: "button", id: "predictions", onclick: () => download(csvOf(rows), "text/csv", "soloc-predictions.csv") }, "Download predictions (CSV)")),
  ];
}

/** The form in the controls: where the table comes from, and what its columns are. */
class Form {
  constructor(lab) {
    this.lab = lab;
    const { state } = lab;
    const select = (id, choices, field) => element("select", { id, onchange: (event) => state.set({ [field]: event.target.value }) },
      ...choices.map(([value, label]) => element("option", { value }, label)));
    const labelled = (id, text, made, help) => element("div", { class: "control choice" }, element("label", { for: id }, text), made,
      help ? element("p", { class: "help" }, help) : null);
    this.source = select("data-source", [["peptides", "example: peptides"], ["numbers", "example: generated numbers"], ["classes", "example: generated classes"], ["upload", "your own file"]], "source");
    this.file = element("input", { type: "file", id: "data-file", accept: ".csv,.tsv,.parquet", onchange: () => this.upload(this.file.files[0]) });
    this.fileBox = labelled("data-file", "table", this.file, "CSV, TSV or Parquet up to 8 MB, one row per instance; it stays in this computer's memory and is forgotten after half an hour without use");
    this.sample = element("a", { href: "/api/data/example/numbers.csv", download: "numbers.csv" }, "a small sample");
    this.bag = select("data-bag", [], "bagColumn");
    this.label = select("data-label", [], "labelColumn");
    this.name = select("data-name", [], "nameColumn");
    this.kind = select("data-kind", [["auto", "as it looks"], ["numbers", "a number"], ["classes", "a class"]], "labelKind");
    this.loss = select("data-loss", [["auto", "whichever predicts better"], ["likelihood", "likelihood"], ["squared", "squared"]], "loss");
    this.features = element("select", { id: "data-features", multiple: true, size: "6", onchange: () => {
      const chosen = [...this.features.selectedOptions].map((option) => option.value);
      state.set({ features: this.sameAsGuess(chosen) ? "" : chosen.map(encodeURIComponent).join(";") });
    } });
    this.run = element("button", { type: "button", class: "primary", id: "data-fit", onclick: () => this.fit() }, "Fit");
    this.stop = element("button", { type: "button", id: "data-cancel", hidden: true, onclick: () => this.cancel() }, "Cancel");
    this.forget = element("button", { type: "button", id: "data-forget", onclick: () => this.drop() }, "Forget the table");
    this.bar = element("progress", { id: "data-progress", max: "1", value: "0", hidden: true, "aria-label": "Progress of the fit" });
    this.note = element("p", { class: "help", id: "data-note", role: "status" });
    this.element = element("div", { class: "data-form" },
      labelled("data-source", "bags from", this.source), this.fileBox,
      element("p", { class: "help" }, "What a table looks like: ", this.sample, "."),
      labelled("data-bag", "column of the bag", this.bag), labelled("data-label", "column of the label", this.label),
      labelled("data-kind", "the label is", this.kind),
      labelled("data-features", "features", this.features, "hold Ctrl to choose several"),
      labelled("data-name", "names of instances", this.name), labelled("data-loss", "loss", this.loss),
      element("div", { class: "row" }, this.run, this.stop, this.forget), this.bar, this.note);
    this.describing = new Stream("", { onEvent: (event) => this.described(event), onRefusal: (text) => this.tell(text, true) });
    this.fitting = new Stream("/api/jobs/fit", { onEvent: (event) => this.progressed(event), onRefusal: (text) => this.ended(text, true) });
    state.onChange((changed) => {
      if (changed.has("source")) this.begin();
      this.show();
    });
    this.show();
  }

  tell(text, wrong = false) {
    this.note.textContent = text;
    this.note.classList.toggle("wrong", wrong);
  }

  sameAsGuess(chosen) { return JSON.stringify(chosen) === JSON.stringify(open.guess?.features ?? []); }

  /** The choices as the state and the guess have them. */
  show() {
    const { state } = this.lab;
    this.source.value = state.get("source");
    this.fileBox.hidden = state.get("source") !== "upload";
    this.forget.hidden = state.get("source") !== "upload" || !open.data;
    const names = open.columns.map((column) => column.name);
    const fill = (made, choices, value) => {
      made.replaceChildren(...choices.map(([name, label]) => element("option", { value: name }, label)));
      made.value = value;
    };
    const columns = names.map((name) => [name, name]);
    fill(this.bag, columns, this.column("bagColumn", "bag"));
    fill(this.label, columns, this.column("labelColumn", "label"));
    fill(this.name, [["-", "their position"], ...columns], this.column("nameColumn", "name") || "-");
    const features = new Set(this.chosenFeatures());
    this.features.replaceChildren(...open.columns.filter((column) => column.kind === "number").map(({ name }) => {
      const option = element("option", { value: name }, name);
      option.selected = features.has(name);
      return option;
    }));
    this.kind.value = state.get("labelKind");
    this.loss.value = state.get("loss");
    this.run.disabled = !open.data || !open.guess;
  }

  column(field, role) {
    const said = this.lab.state.get(field);
    return open.columns.some((column) => column.name === said) || said === "-" ? said : open.guess?.[role] ?? "";
  }

  chosenFeatures() {
    const said = this.lab.state.get("features");
    return said ? said.split(";").map(decodeURIComponent) : open.guess?.features ?? [];
  }

  /** Open the example of the state, or the uploaded table that the tab remembers. */
  async begin() {
    const source = this.lab.state.get("source");
    this.reset();
    if (source !== "upload") {
      await this.opened("/api/data/example", { headers: { "Content-Type": "application/json" }, body: JSON.stringify({ example: source }) }, `${source}.csv`);
      return;
    }
    const kept = remembered.get();
    if (kept?.data) this.adopt(kept);
    else this.tell("Choose a file with one row per instance.");
  }

  reset() {
    this.describing.stop();
    this.fitting.stop();
    this.ended("");
    Object.assign(open, { data: null, name: "", columns: [], guess: null });
    this.show();
  }

  adopt(kept) {
    Object.assign(open, kept, { fit: open.fit + 1 });
    this.tell(`${open.name} is open.`);
    this.show();
    this.lab.panel("data").update();
    this.lab.panel("bag").update();
  }

  async upload(file) {
    if (!file) return;
    this.reset();
    this.lab.state.set({ bagColumn: "", labelColumn: "", nameColumn: "", features: "", fitted: false, bag: 0 });
    await this.opened(`/api/data?name=${encodeURIComponent(file.name.slice(-200))}`, { headers: { "Content-Type": "application/octet-stream" }, body: file }, file.name);
  }

  async opened(path, request, name) {
    this.tell(`reading ${name} …`);
    try {
      const response = await fetch(path, { method: "POST", ...request });
      const answer = await response.json().catch(() => ({}));
      if (!response.ok) throw new Error(answer.detail ?? `The lab answered ${response.status}.`);
      Object.assign(open, { data: answer.data, name });
      this.describing.listen(answer.job);
    } catch (error) {
      this.tell(error instanceof TypeError ? "The file could not be sent; is it larger than 8 MB?" : error.message, true);
    }
  }

  described(event) {
    if (event.kind === "progress") return;
    if (event.kind !== "done") { this.tell(event.sentence, true); return; }
    Object.assign(open, { columns: event.columns, guess: event.guess });
    this.tell(`${open.name}: ${readable(event.rows)} rows, ${event.columns.length} columns.`);
    if (this.lab.state.get("source") === "upload") remembered.set({ data: open.data, name: open.name, columns: open.columns, guess: open.guess });
    this.show();
    if (this.lab.state.get("fitted")) this.fit();
  }

  fit() {
    const { state } = this.lab;
    const kind = state.get("labelKind");
    const name = this.column("nameColumn", "name");
    this.run.hidden = true;
    this.stop.hidden = this.bar.hidden = false;
    this.bar.value = 0;
    this.fitting.start({
      data: open.data, bag: this.column("bagColumn", "bag"), label: this.column("labelColumn", "label"),
      name: name && name !== "-" ? name : null, features: this.chosenFeatures(),
      classes: kind === "auto" ? Boolean(open.guess?.classes) : kind === "classes", loss: state.get("loss"), coverage: state.get("coverage"),
    });
  }

  progressed(event) {
    if (event.kind === "progress") {
      this.bar.value = event.share;
      this.tell(event.stage);
      return;
    }
    this.ended(event.kind === "done" ? `Fitted to ${readable(event.bags)} bags.` : event.sentence, event.kind === "failed");
    if (event.kind !== "done") return;
    open.fit += 1;
    this.lab.state.set({ fitted: true });
    this.lab.panel("data").update();
    this.lab.panel("bag").update();
  }

  cancel() {
    this.fitting.stop();
    this.ended("Cancelled.");
  }

  ended(text, wrong = false) {
    this.run.hidden = false;
    this.stop.hidden = this.bar.hidden = true;
    this.tell(text, wrong);
  }

  async drop() {
    if (open.data) await fetch("/api/data/forget", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ data: open.data }) });
    remembered.set(null);
    this.reset();
    this.file.value = "";
    this.lab.state.set({ fitted: false });
    this.tell("The table is forgotten.");
    say("The table is forgotten.");
  }
}

export const data = {
  id: "data",
  tab: "data",
  title: "Your data",
  path: "/api/data/study",
  height: "380px",
  narrowHeight: "640px",
  state: { source: "peptides", bagColumn: "", labelColumn: "", nameColumn: "", features: "", labelKind: "auto", loss: "auto", fitted: false },
  controls: () => [{ title: "Your data", name: "data", fields: [
    { name: "coverage", label: "coverage of intervals", low: 0.5, high: 0.99, default: 0.9, help: "how often an interval should hold the label; takes effect with the next fit" },
  ] }],
  question(state, lab) {
    lab.data?.visit();
    return open.data && open.fit ? { data: open.data, fit: open.fit, columns: wide.matches ? 2 : 1 } : null;
  },
  drawn(panel) { panel.extra.replaceChildren(...table(panel, panel.lab)); },
  built(panel, lab) {
    const form = new Form(lab);
    const box = document.querySelector('.group[data-group="data"]');
    box.querySelector("summary").after(form.element);
    panel.sentence.textContent = "Each bag holds instances and has one label, which one of the instances decides. Take an example or upload a table, say which column is what, and press Fit.";
    let visited = false;
    lab.data = { visit() { if (!visited && lab.state.get("view") === "data") { visited = true; form.begin(); } } };
    without('.group[data-group="setting"], .group[data-group="presets"]', "data", lab);
    wide.addEventListener("change", () => { if (panel.element.offsetParent !== null) panel.update(); });
    lab.state.onChange((changed) => { if (changed.has("bag") && panel.answer) panel.extra.replaceChildren(...table(panel, lab)); });
  },
};

export const bag = {
  id: "bag",
  tab: "data",
  title: "What decided one bag",
  path: "/api/data/bag",
  height: "300px",
  state: { bag: 0 },
  question: (state, lab) => {
    const bags = lab.panel("data")?.answer?.table.bag.length;
    return open.data && open.fit ? { data: open.data, fit: open.fit, bag: bags ? Math.min(state.get("bag"), bags - 1) : state.get("bag") } : null;
  },
  built(panel) { panel.sentence.textContent = "After a fit: the attention weights of the instances of the bag that is chosen in the table above."; },
};
