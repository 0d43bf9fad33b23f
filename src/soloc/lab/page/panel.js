// A panel: a plot with its sentence, its numbers and its exports, in one of five stages.
//
//   empty    nothing is asked, nothing is shown
//   asking   a question is on its way, nothing is shown yet
//   shown    what is shown answers the question that the controls ask now
//   stale    what is shown answers an earlier one: it is dimmed and says so
//   refused  the question that the controls ask now has no answer; what was shown is dimmed
//
// `update` and the answers move between them, `#enter` is the only place that sets one.

import { Asker, csv, csvOf } from "./ask.js";
import { copy, download, element, readable, say } from "./dom.js";
import { draw, erase, saveImage } from "./plot.js";
import { JobAsker } from "./stream.js";

const PREVIOUS = "of the previous setting";
const FADED = 0.25;
const WAITING = "still computing …";

/** A trace that belongs to another setting. */
const faded = (trace) =>
  ({ ...trace, opacity: FADED, marker: { ...trace.marker, opacity: FADED } });

export class Panel {
  #wanted = null; // the question of the controls, as text; undefined when it is not known yet
  #refused = null; // the question that was refused last
  #timer = null;
  #busy = new Set(); // of its askers

  /** `view`: see views.js. */
  constructor(view, lab) {
    Object.assign(this, { view, lab, answer: null, asked: null, stage: "empty" });
    this.#build();
    const heard = {
      answer: (answer, body) => this.#answered(answer, body),
      refusal: (sentence, body) => this.#hearRefusal(sentence, body),
      busy: (busy) => this.#setBusy("quick", busy),
      waiting: (sentence = WAITING) => this.#note(sentence),
    };
    this.asker = new Asker(view.path, { ...heard, answer: (...it) => this.#firstAnswer(...it) });
    if (view.job) {
      this.jobAsker = new JobAsker(view.job, {
        ...heard,
        busy: (busy) => this.#setBusy(view.fills ? "filling" : "job", busy),
        progress: (event) => this.#progress(event),
      }, view.jobRest ?? 0);
    }
  }

  /** The quick answer; a job may know more. */
  async #firstAnswer(answer, body) {
    await this.#answered(answer, body);
    if (this.view.fills && body === this.#wanted) this.jobAsker.ask(body);
  }

  #build() {
    const { name, title, look, intro } = this.view;
    const label = { "aria-label": title };
    this.plot = element("div", { class: "plot", id: `plot-${name}`, role: "img", ...label });
    this.sentence = element("p", { class: "sentence", id: `sentence-${name}` }, intro);
    this.numbers = element("dl", { class: "numbers" });
    this.problem = element("p", { class: "problem", role: "alert" });
    this.previous = element("p", { class: "previous", role: "note" });
    this.bar = element("progress", { max: 1, "aria-label": `Progress of ${title}` });
    this.job = element("div", { class: "row job", hidden: true }, this.bar, this.#cancelButton());
    this.inputs = element("div", { class: "inputs" });
    this.extra = element("div", { class: "extra" });
    const stage = element("div", { class: "stage" }, this.plot, this.previous);
    this.element = element("section", {
      class: `panel${look.half ? " half" : ""}`, id: `panel-${name}`,
      dataset: { stage: this.stage }, "aria-labelledby": `title-${name}`, hidden: look.hidden,
    }, this.#header(), this.inputs, this.sentence, this.problem, this.job, stage, this.extra,
    this.numbers, this.codeBox);
    this.plot.style.setProperty("--height", look.height);
    if (look.narrow_height) this.plot.style.setProperty("--narrow-height", look.narrow_height);
  }

  #header() {
    const { name, title } = this.view;
    this.code = element("pre", {
      class: "code", tabindex: "0", "aria-label": `Python lines for ${title}`,
    });
    const copyCode = () => copy(this.code.textContent, "Python lines");
    this.codeBox = element("div", { class: "code-box", hidden: true }, this.code,
      element("button", { type: "button", onclick: copyCode }, "Copy"));
    const python = element("button", {
      type: "button", "aria-expanded": "false", dataset: { export: "python" }, onclick: () => {
        this.codeBox.hidden = !this.codeBox.hidden;
        python.setAttribute("aria-expanded", String(!this.codeBox.hidden));
      },
    }, "Python");
    const save = (format) => element("button", {
      type: "button", dataset: { export: format }, onclick: () => this.save(format),
      title: `Save ${title} as ${format.toUpperCase()}`,
    }, format.toUpperCase());
    this.exports = [save("svg"), save("png"), save("csv"), python];
    const group = { class: "exports", role: "group", "aria-label": `Export ${title}` };
    return element("header", {}, element("h2", { id: `title-${name}` }, title),
      element("div", group, ...this.exports));
  }

  #cancelButton() {
    const sentence = "It was cancelled; change a control to start another.";
    const cancel = () => this.jobAsker.cancel(sentence);
    return element("button", { type: "button", class: "cancel", onclick: cancel }, "Cancel");
  }

  /** Compare what the controls ask with what is shown, and ask where they differ. */
  update() {
    clearTimeout(this.#timer);
    const question = this.view.question(this.lab);
    this.#wanted = question ? JSON.stringify(question) : question;
    if (question === null) this.#empty();
    else if (question === undefined) this.#enter(this.answer ? "stale" : "asking");
    else if (this.#wanted === this.asked && this.answer) this.#showAgain();
    else if (this.#wanted !== this.#refused) this.#ask();
  }

  #showAgain() {
    this.asker.stop();
    this.#refused = null;
    this.#say(this.answer.pending ? `${this.answer.pending} …` : "", "note");
    this.#enter("shown");
    if (!this.view.fills) this.jobAsker?.stop();
    else if (!this.jobAsker.hasFinished(this.asked)) this.jobAsker.ask(this.asked);
  }

  #ask() {
    this.#refused = null;
    this.#say("", "note");
    this.#enter(this.answer ? "stale" : "asking");
    const refusal = this.view.refusal?.(this.lab);
    const body = this.#wanted;
    if (refusal) { this.jobAsker?.stop(); this.#hearRefusal(refusal, body); return; }
    const asJob = this.view.asJob?.(this.lab) ?? false;
    if (!asJob || this.view.fills) this.jobAsker?.stop();
    const asker = asJob ? this.jobAsker : this.asker;
    const rest = this.view.rest?.(this.lab, this) ?? (this.answer ? this.view.look.rest : 0);
    if (rest) this.#timer = setTimeout(() => asker.ask(body), rest);
    else asker.ask(body);
  }

  async #answered(answer, body) {
    if (body !== this.#wanted && ["shown", "refused", "empty"].includes(this.stage)) return;
    this.answer = answer;
    this.asked = body;
    this.sentence.textContent = answer.sentence;
    this.plot.setAttribute("aria-label", `${this.view.title}. ${answer.sentence}`);
    this.code.textContent = answer.python;
    this.#showNumbers(answer.numbers);
    const now = body === this.#wanted;
    if (now) this.#say(answer.pending ? `${answer.pending} …` : "", "note");
    this.#enter(now ? "shown" : "stale", true);
    if (!this.view.sketched?.(this)) await this.redraw();
    this.view.drawn?.(this);
    this.#count();
  }

  #showNumbers(numbers) {
    this.numbers.replaceChildren(...Object.entries(numbers).map(([name, value]) => {
      const data = { number: name, value: String(value) };
      return element("div", {}, element("dt", {}, name),
        element("dd", { dataset: data }, readable(value)));
    }));
  }

  #hearRefusal(sentence, body) {
    if (body !== this.#wanted) return;
    this.#refused = body;
    this.#say(this.#named(sentence), "error");
    this.#enter("refused");
    this.#count();
  }

  /** A sentence of the server with the names of its controls as the page calls them. */
  #named(sentence) {
    return sentence.replace(/`(\w+)`/g, (_, name) => `“${this.lab.field(name)?.label ?? name}”`);
  }

  #empty() {
    this.asker.stop();
    this.jobAsker?.stop();
    const places = Object.keys(this.answer?.overlays ?? {});
    Object.assign(this, { answer: null, asked: null });
    this.#refused = null;
    this.sentence.textContent = this.view.intro;
    this.code.textContent = "";
    this.numbers.replaceChildren();
    this.#say("", "note");
    erase(this.plot);
    this.#enter("empty");
    for (const name of places) this.lab.panel(name)?.overlaid();
    this.view.emptied?.(this);
  }

  /** The stage, and everything that follows from it alone. */
  #enter(stage, answered = false) {
    const changed = stage !== this.stage;
    this.stage = stage;
    this.element.dataset.stage = stage;
    for (const button of this.exports) button.disabled = stage !== "shown";
    if (stage !== "shown") this.codeBox.hidden = true;
    this.#showPrevious();
    if (!changed && !answered) return;
    for (const name of Object.keys(this.answer?.overlays ?? {})) this.lab.panel(name)?.overlaid();
    this.view.staged?.(this);
    this.lab.staged(this);
  }

  /** The words under which something old is shown. */
  #showPrevious() {
    const old = this.lab.overlays(this.view.name).filter(({ source }) => source.stage !== "shown");
    const dimmed = ["stale", "refused"].includes(this.stage) && this.answer;
    const titles = old.map(({ source }) => source.view.title.toLowerCase()).join(" and ");
    this.previous.textContent = dimmed ? PREVIOUS : old.length ? `${titles} ${PREVIOUS}` : "";
  }

  /** Another panel has changed what it draws into this plot. */
  overlaid() {
    this.#showPrevious();
    if (this.stage === "shown" && !this.view.isSketched?.(this)) this.redraw();
  }

  redraw() {
    if (!this.answer || this.view.look.hidden) return Promise.resolve();
    const above = this.lab.overlays(this.view.name).flatMap(({ source, traces }) => {
      const drawn = this.view.overlay?.(this, source, traces) ?? traces;
      return source.stage === "shown" ? drawn : drawn.map(faded);
    });
    const { figure } = this.answer;
    const { data, layout } = this.view.figure?.(this, figure) ?? figure;
    return draw(this.plot, [...data, ...above], layout);
  }

  #say(text, kind) {
    this.problem.textContent = text;
    this.problem.dataset.kind = kind;
  }

  #note(text) { if (["asking", "stale", "shown"].includes(this.stage)) this.#say(text, "note"); }

  #setBusy(asker, busy) {
    if (busy) this.#busy.add(asker);
    else this.#busy.delete(asker);
    this.element.classList.toggle("busy", this.#busy.has("quick") || this.#busy.has("job"));
    if (!this.#busy.has("job")) { this.job.hidden = true; this.bar.removeAttribute("value"); }
  }

  #progress(event) {
    this.job.hidden = false;
    this.bar.value = event.step / event.steps;
  }

  /** How often it has been drawn or refused, for whoever waits for it. */
  #count() { this.element.dataset.drawn = String(Number(this.element.dataset.drawn ?? 0) + 1); }

  async save(format) {
    const name = `soloc-${this.view.name}`;
    try {
      if (format === "csv") {
        const { table } = this.answer;
        const here = Object.keys(table).length > 0;
        const text = here ? csvOf(table) : await csv(this.view.path, this.asked);
        download(text, "text/csv", `${name}.csv`);
      } else {
        await this.redraw();
        await saveImage(this.plot, format, name);
      }
      say(`${name}.${format} saved.`);
    } catch (error) {
      say(error.message, "error");
    }
  }
}
