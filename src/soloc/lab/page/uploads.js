// The table that is open in the tab of your own data, and the form that says what its columns are.

import { post, postPatiently } from "./ask.js";
import { labelled } from "./controls.js";
import { element, readable, say } from "./dom.js";
import { preview, warningOf } from "./preview.js";
import { Stream } from "./stream.js";

const KEPT = "soloc-data"; // the token of an uploaded table outlives a reload, not the tab
const POSITION = "-"; // instances that have no names are called by their position
const WAITING = "still computing …";
const NONE = { data: null, name: "", columns: [], guess: null, fitted: null };
const JSON_BODY = { "Content-Type": "application/json" };

/** Everything that is not in the address: the table, and the question that was fitted to it. */
export const open = { ...NONE, fit: 0 };

const remembered = {
  get() { try { return JSON.parse(sessionStorage.getItem(KEPT)); } catch { return null; } },
  set(value) {
    try {
      sessionStorage.setItem(KEPT, JSON.stringify(value));
    } catch { /* private mode: until the next reload */ }
  },
};

const options = (choices) => choices.map(([value, label]) => element("option", { value }, label));

function fill(select, choices, value) {
  select.replaceChildren(...options(choices));
  select.value = value;
}

export class Form {
  constructor(lab, facts) {
    this.lab = lab;
    this.seconds = facts.seconds;
    this.mostSeconds = facts.most_seconds;
    this.#build(facts);
    this.describing = new Stream("", {
      event: (event) => this.#described(event),
      refusal: (text) => this.#tell(text, true),
      waiting: () => this.#tell(WAITING),
    });
    this.fitting = new Stream("/api/jobs/fit", {
      event: (event) => this.#progressed(event),
      refusal: (text) => this.#ended(text, true),
      waiting: () => this.#tell(WAITING),
    });
    lab.state.onChange((changed) => {
      if (changed.has("source")) this.begin();
      this.#show();
      this.#preview();
    });
    this.#show();
  }

  #select(id, choices, field) {
    const change = (event) => this.lab.state.set({ [field]: event.target.value });
    return element("select", { id, onchange: change }, ...options(choices));
  }

  #build({ examples, help }) {
    const sources = [...examples, ["upload", "your own file"]];
    const kinds = [["auto", "as it looks"], ["numbers", "a number"], ["classes", "a class"]];
    this.source = this.#select("data-source", sources, "source");
    this.bag = this.#select("data-bag", [], "bagColumn");
    this.label = this.#select("data-label", [], "labelColumn");
    this.name = this.#select("data-name", [], "nameColumn");
    this.kind = this.#select("data-kind", kinds, "labelKind");
    this.features = element("select", {
      id: "data-features", multiple: true, size: "6", onchange: () => this.#chooseFeatures(),
    });
    this.file = element("input", {
      type: "file", id: "data-file", accept: ".csv,.tsv,.parquet",
      onchange: () => this.#upload(this.file.files[0]),
    });
    this.fileBox = labelled("data-file", "choose a table, or drop it on the page", this.file, help);
    this.preview = element("div", {
      class: "table-box", tabindex: "0", role: "region", "aria-label": "First rows of the table",
      hidden: true,
    });
    const sample = `${examples[1][0]}.csv`;
    const link = { href: `/api/data/example/${sample}`, download: sample };
    this.top = element("div", { class: "data-form" },
      labelled("data-source", "bags from", this.source), this.fileBox,
      element("p", { class: "help" }, "What a table looks like: ",
        element("a", link, "a small sample"), "."),
      labelled("data-bag", "column of the bag", this.bag),
      labelled("data-label", "column of the label", this.label),
      labelled("data-kind", "the label is", this.kind),
      labelled("data-features", "features", this.features, "hold Ctrl to choose several"),
      labelled("data-name", "names of instances", this.name));
    this.bottom = this.#buttons();
  }

  #buttons() {
    const button = (id, text, onclick, more = {}) =>
      element("button", { type: "button", id, onclick, ...more }, text);
    this.run = button("data-fit", "Fit", () => this.fit(), { class: "primary" });
    this.stop = button("data-cancel", "Cancel", () => this.#cancel(), { hidden: true });
    this.more = button("data-more-time", "Give it more time", () => this.#giveTime(), {
      hidden: true,
    });
    this.forget = button("data-forget", "Forget the table", () => this.#drop());
    this.bar = element("progress", {
      id: "data-progress", max: "1", value: "0", hidden: true, "aria-label": "Progress of the fit",
    });
    this.note = element("p", { class: "help", id: "data-note", role: "status" });
    return element("div", { class: "data-form" },
      element("div", { class: "row" }, this.run, this.stop, this.more, this.forget),
      this.bar, this.note);
  }

  #tell(text, wrong = false) {
    this.note.textContent = text;
    this.note.classList.toggle("wrong", wrong);
  }

  #chooseFeatures() {
    const chosen = [...this.features.selectedOptions].map((option) => option.value);
    const guessed = JSON.stringify(chosen) === JSON.stringify(open.guess?.features ?? []);
    this.lab.state.set({ features: guessed ? "" : chosen.map(encodeURIComponent).join(";") });
  }

  /** The choices as the state and the guess have them. */
  #show() {
    const { state } = this.lab;
    const own = state.get("source") === "upload";
    this.source.value = state.get("source");
    this.fileBox.hidden = !own;
    this.forget.hidden = !own || !open.data;
    const columns = open.columns.map(({ name }) => [name, name]);
    fill(this.bag, columns, this.#column("bagColumn", "bag"));
    fill(this.label, columns, this.#column("labelColumn", "label"));
    fill(this.name, [[POSITION, "their position"], ...columns],
      this.#column("nameColumn", "name") || POSITION);
    const features = new Set(this.#chosenFeatures());
    const taken = new Set([this.bag.value, this.label.value]);
    const numbers = open.columns.filter(({ kind, name }) => kind === "number" && !taken.has(name));
    this.features.replaceChildren(...numbers.map((column) => {
      const { name } = column;
      const warning = warningOf(column, "feature");
      const option = element("option", { value: name }, warning ? `${name} (${warning})` : name);
      option.selected = features.has(name);
      return option;
    }));
    this.kind.value = state.get("labelKind");
    this.run.disabled = !open.data || !open.guess;
  }

  #column(field, role) {
    const said = this.lab.state.get(field);
    const known = said === POSITION || open.columns.some((column) => column.name === said);
    return known ? said : open.guess?.[role] ?? "";
  }

  #chosenFeatures() {
    const said = this.lab.state.get("features");
    return said ? said.split(";").map(decodeURIComponent) : open.guess?.features ?? [];
  }

  /** The fit that the form asks for, as text. */
  question() {
    const { state } = this.lab;
    const kind = state.get("labelKind");
    const name = this.#column("nameColumn", "name");
    return JSON.stringify({
      data: open.data,
      bag: this.#column("bagColumn", "bag"),
      label: this.#column("labelColumn", "label"),
      name: name && name !== POSITION ? name : null,
      features: this.#chosenFeatures(),
      classes: kind === "auto" ? Boolean(open.guess?.classes) : kind === "classes",
      ...state.pick("missing", "model", "loss", "coverage"),
    });
  }

  /** Open the example of the state, or the uploaded table that the tab remembers. */
  async begin() {
    const source = this.lab.state.get("source");
    this.#reset();
    if (source !== "upload") {
      const body = JSON.stringify({ example: source });
      await this.#open("/api/data/example", body, JSON_BODY, `${source}.csv`);
      return;
    }
    const kept = remembered.get();
    if (!kept?.data) { this.#tell("Choose a file with one row per instance."); return; }
    this.#take({ ...kept, fit: open.fit + 1 });
    this.#tell(`${open.name} is open.`);
  }

  #reset() {
    this.describing.stop();
    this.fitting.stop();
    this.#ended("");
    this.#take(NONE);
  }

  /** Another table, or more about it: form and panels follow. */
  #take(facts) {
    Object.assign(open, facts);
    this.#show();
    this.#updatePanels();
  }

  #updatePanels() {
    this.#preview();
    this.lab.panel("data").update();
    this.lab.panel("bag").update();
  }

  /** The first rows of the table, with the roles that the form gives to its columns. */
  #preview() {
    const none = !open.columns.length || !open.guess;
    this.preview.replaceChildren(...(none ? [] : [preview(open.columns,
      JSON.parse(this.question()))]));
    this.preview.hidden = none;
  }

  /** A file that was dropped on the page. */
  take(file) {
    this.lab.state.set({ source: "upload" });
    this.#upload(file);
  }

  async #upload(file) {
    if (!file) return;
    this.#reset();
    this.lab.state.set({
      bagColumn: "", labelColumn: "", nameColumn: "", features: "", fitted: false, bag: 0,
    });
    const path = `/api/data?name=${encodeURIComponent(file.name.slice(-200))}`;
    await this.#open(path, file, { "Content-Type": "application/octet-stream" }, file.name);
  }

  async #open(path, body, headers, name) {
    this.#tell(`reading ${name} …`);
    try {
      const waiting = () => this.#tell(WAITING);
      const { data, job } = await postPatiently(path, body, () => true, waiting, headers);
      Object.assign(open, { data, name });
      this.describing.listen(job);
    } catch (error) {
      this.#tell(error.message, true);
    }
  }

  #described(event) {
    if (event.kind === "progress") return;
    if (event.kind !== "done") { this.#tell(event.sentence, true); return; }
    const { columns, guess, rows, read_as: how } = event;
    this.#take({ columns, guess });
    const read = how ? `, read as ${how}` : "";
    this.#tell(`${open.name}: ${readable(rows)} rows, ${columns.length} columns${read}.`);
    this.#remember();
    const own = this.lab.state.get("source") === "upload";
    if (!own || this.lab.state.get("fitted")) this.fit(); // an example shows what a fit is
  }

  #remember() {
    if (this.lab.state.get("source") !== "upload") return;
    const { data, name, columns, guess, fitted } = open;
    remembered.set({ data, name, columns, guess, fitted });
  }

  /** Whether a fit is under way. */
  get isBusy() { return !this.bar.hidden; }

  fit() {
    this.run.hidden = true;
    this.stop.hidden = this.bar.hidden = false;
    this.bar.value = 0;
    this.asked = this.question();
    this.more.hidden = true;
    const body = JSON.stringify({ ...JSON.parse(this.asked), seconds: this.seconds });
    this.fitting.start(body);
    this.#updatePanels();
  }

  /** The same fit again, with three times as long to compute. */
  #giveTime() {
    this.seconds = Math.min(3 * this.seconds, this.mostSeconds);
    this.fit();
  }

  #progressed(event) {
    if (event.waiting) { this.#tell(WAITING); return; }
    if (event.kind === "progress") {
      this.bar.value = event.share;
      this.#tell(event.stage);
      return;
    }
    const done = event.kind === "done";
    const said = done ? `Fitted to ${readable(event.bags)} bags.` : event.sentence;
    this.#ended(said, event.kind === "failed");
    this.more.hidden = !event.out_of_time || this.seconds >= this.mostSeconds;
    if (!done) return;
    this.lab.state.set({ fitted: true });
    this.#take({ fitted: this.asked, fit: open.fit + 1 });
    this.#remember();
  }

  #cancel() {
    this.fitting.stop();
    this.#ended("Cancelled.");
  }

  #ended(text, wrong = false) {
    this.run.hidden = false;
    this.stop.hidden = this.bar.hidden = true;
    this.#tell(text, wrong);
    if (this.lab.panel("bag")) this.#updatePanels();
  }

  async #drop() {
    if (open.data) await post("/api/data/forget", JSON.stringify({ data: open.data }));
    remembered.set(null);
    this.#reset();
    this.file.value = "";
    this.lab.state.set({ fitted: false });
    this.#tell("The table is forgotten.");
    say("The table is forgotten.");
  }
}
