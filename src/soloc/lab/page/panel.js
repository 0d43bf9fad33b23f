// A panel: a plot with its sentence, its numbers and its exports. A view describes it; see views/landscape.js.

import { Asker, csv, csvOf } from "./ask.js";
import { copy, download, element, readable, say } from "./dom.js";
import { draw, saveImage } from "./plot.js";

export class Panel {
  /**
   * `view`: id, tab, title, path and question(state, lab), or null to ask nothing. Optional: controls(about, lab), state (more fields
   * of the address), half (stands beside another panel), height and narrowHeight, rest (milliseconds the hand must rest before it asks, or a function of the state and the panel), hidden (has no
   * place of its own, only overlays), built(panel, lab), answered(panel, answer), refused(panel), drawn(panel), overlayTraces(panel, source, traces), layout(panel).
   */
  constructor(view, lab) {
    Object.assign(this, { view, lab, answer: null, asked: null, overlays: new Map() });
    this.#build();
    this.asker = new Asker(view.path, {
      onAnswer: (answer, body) => this.show(answer, JSON.parse(body)),
      onRefusal: (sentence) => this.refuse(sentence),
      onBusy: (busy) => this.element.classList.toggle("busy", busy),
    });
  }

  #build() {
    const { id, title } = this.view;
    this.plot = element("div", { class: "plot", id: `plot-${id}`, role: "img", "aria-label": title });
    this.sentence = element("p", { class: "sentence", id: `sentence-${id}` });
    this.numbers = element("dl", { class: "numbers" });
    this.problem = element("p", { class: "problem", role: "alert" });
    this.extra = element("div", { class: "extra" });
    this.code = element("pre", { class: "code", tabindex: "0", "aria-label": `Python lines for ${title}` });
    const codeBox = element("div", { class: "code-box", hidden: true }, this.code,
      element("button", { type: "button", onclick: () => copy(this.code.textContent, "Python lines") }, "Copy"));
    const python = element("button", { type: "button", "aria-expanded": "false", dataset: { export: "python" }, onclick: () => {
      codeBox.hidden = !codeBox.hidden;
      python.setAttribute("aria-expanded", String(!codeBox.hidden));
    } }, "Python");
    const save = (format) => element("button", { type: "button", dataset: { export: format },
      title: `Save ${title} as ${format.toUpperCase()}`, onclick: () => this.save(format) }, format.toUpperCase());
    this.element = element("section", { class: `panel${this.view.half ? " half" : ""}`, id: `panel-${id}`, "aria-labelledby": `title-${id}` },
      element("header", {}, element("h2", { id: `title-${id}` }, title),
        element("div", { class: "exports", role: "group", "aria-label": `Export ${title}` }, save("svg"), save("png"), save("csv"), python)),
      this.sentence, this.problem, this.plot, this.extra, this.numbers, codeBox);
    if (this.view.hidden) this.element.hidden = true;
    if (this.view.height) this.plot.style.setProperty("--height", this.view.height);
    if (this.view.narrowHeight) this.plot.style.setProperty("--narrow-height", this.view.narrowHeight);
  }

  /** Ask for what the state says, when this differs from what is shown. */
  update() {
    const question = this.view.question(this.lab.state, this.lab);
    clearTimeout(this.waiting);
    if (question === null) return;
    const rest = typeof this.view.rest === "function" ? this.view.rest(this.lab.state, this) : this.view.rest;
    if (rest) this.waiting = setTimeout(() => this.asker.ask(question), rest);
    else this.asker.ask(question);
  }

  async show(answer, question) {
    this.answer = answer;
    this.asked = question;
    this.element.classList.remove("stale");
    this.view.answered?.(this, answer);
    this.problem.textContent = answer.pending ? `${answer.pending} …` : "";
    this.problem.dataset.kind = "note";
    this.sentence.textContent = answer.sentence;
    this.plot.setAttribute("aria-label", `${this.view.title}. ${answer.sentence}`);
    this.code.textContent = answer.python;
    this.#showNumbers(answer.numbers);
    for (const [id, traces] of Object.entries(answer.overlays ?? {})) this.lab.panel(id)?.overlay(this.view.id, traces);
    await this.redraw();
    this.view.drawn?.(this);
    this.element.dataset.drawn = String(Number(this.element.dataset.drawn ?? 0) + 1);
  }

  #showNumbers(numbers) {
    this.numbers.replaceChildren(...Object.entries(numbers).map(([name, value]) => element("div", {},
      element("dt", {}, name), element("dd", { dataset: { number: name, value: String(value) } }, readable(value)))));
  }

  /** Traces that another view adds to this plot. */
  overlay(source, traces) {
    this.overlays.set(source, traces);
    if (this.answer) this.redraw();
  }

  redraw() {
    if (!this.answer) return Promise.resolve();
    if (this.view.hidden) return Promise.resolve();
    const sorted = [...this.overlays].sort(([one], [other]) => (one < other ? -1 : 1)); // critical points under the curves
    const above = sorted.flatMap(([source, traces]) => this.view.overlayTraces?.(this, source, traces) ?? traces);
    const layout = this.view.layout?.(this, this.answer.figure.layout) ?? this.answer.figure.layout;
    return draw(this.plot, [...this.answer.figure.data, ...above], layout);
  }

  /** There is no answer: say why, and let nothing old look like one. */
  refuse(sentence) {
    this.element.classList.add("stale");
    for (const id of Object.keys(this.answer?.overlays ?? {})) this.lab.panel(id)?.overlay(this.view.id, []);
    this.problem.textContent = sentence;
    this.problem.dataset.kind = "error";
    this.view.refused?.(this);
    this.element.dataset.drawn = String(Number(this.element.dataset.drawn ?? 0) + 1);
  }

  async save(format) {
    if (!this.answer) return;
    const name = `soloc-${this.view.id}`;
    try {
      if (format === "csv") {
        const here = Object.keys(this.answer.table).length > 0;
        download(here ? csvOf(this.answer.table) : await csv(this.view.path, this.asked), "text/csv", `${name}.csv`);
      } else await saveImage(this.plot, format, name);
      say(`${name}.${format} saved.`);
    } catch (error) {
      say(error.message, "error");
    }
  }
}
