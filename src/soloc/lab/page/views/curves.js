// View 2: training runs, as curves here and as paths over the landscape.

import { element } from "../dom.js";
import { startsOf } from "../starts.js";
import { Stream } from "../stream.js";
import { recordAt, runsOf } from "../time.js";

const NARROW = matchMedia("(max-width: 700px)");

export function trainingQuestion(state, lab) {
  const names = lab.about.training.map((field) => field.name);
  return { setting: lab.setting(), training: { ...state.pick(...names), starts: startsOf(state) }, columns: NARROW.matches ? 1 : 2 };
}

function needsSamples(state) { return state.get("weight") === "softmax" && state.get("batch") === 0; }

/** Training that takes seconds runs as a job: it begins when the hand rests, shows how far it is, and can be cancelled. */
class LongTraining {
  #known = new Map();
  #wanted = null;

  constructor(panel) {
    this.panel = panel;
    this.bar = element("progress", { max: 1, "aria-label": "Progress of the training" });
    this.row = element("div", { class: "row", id: "long-training", hidden: true }, this.bar,
      element("button", { type: "button", id: "cancel-training", onclick: () => this.#cancel() }, "Cancel"));
    panel.plot.before(this.row);
    this.stream = new Stream("/api/jobs/paths", { wait: 700, onEvent: (event) => this.#hear(event), onRefusal: (sentence) => this.#end(sentence) });
  }

  ask(question) {
    const body = JSON.stringify(question);
    if (body === this.#wanted) return;
    this.#wanted = body;
    const known = this.#known.get(body);
    if (known) { this.leave(); this.#wanted = body; this.panel.show(known, question); return; }
    this.row.hidden = false;
    this.bar.removeAttribute("value");
    this.stream.start(question);
  }

  /** Another kind of training is shown. */
  leave() {
    if (this.#wanted === null) return;
    this.#wanted = null;
    this.stream.stop();
    this.row.hidden = true;
  }

  #hear(event) {
    if (event.kind === "progress") this.bar.value = event.step / event.steps;
    else if (event.kind === "done") {
      if (this.#known.size > 20) this.#known.clear();
      this.#known.set(this.#wanted, event.panel);
      this.row.hidden = true;
      this.panel.show(event.panel, JSON.parse(this.#wanted));
    } else this.#end(event.sentence);
  }

  #cancel() {
    this.stream.stop();
    this.#end("The training was cancelled; change a control to start another.");
  }

  #end(sentence) {
    this.row.hidden = true;
    this.panel.refuse(sentence);
  }
}

function presets(about, lab) {
  const { state } = lab;
  const buttons = about.presets.map((preset) => [preset, element("button", {
    type: "button", title: preset.question, dataset: { preset: preset.name }, onclick: () => state.set(preset.values),
  }, preset.label)]);
  const show = () => {
    for (const [preset, button] of buttons) {
      const same = Object.entries(preset.values).every(([name, value]) => name === "t" || state.get(name) === value);
      button.setAttribute("aria-pressed", String(same));
    }
  };
  state.onChange(show);
  show();
  return element("div", { class: "presets", role: "group", "aria-label": "Experiments of the paper" }, ...buttons.map(([, button]) => button));
}

/** A line at the present moment in every small plot. */
function nowLines(panel, layout) {
  const step = panel.lab.paths?.steps[recordAt(panel.lab)];
  if (step === undefined) return [];
  const color = getComputedStyle(document.documentElement).getPropertyValue("--muted").trim();
  const plots = Object.keys(layout).filter((name) => name.startsWith("yaxis")).map((name) => name.slice(5));
  return plots.map((mark) => ({
    type: "line", xref: `x${mark}`, yref: `y${mark} domain`, x0: step, x1: step, y0: 0, y1: 1, line: { color, width: 1, dash: "dot" },
  }));
}

export default {
  id: "curves",
  tab: "training",
  title: "Training",
  path: "/api/paths",
  half: true,
  rest: (state, panel) => (panel.answer ? 200 : 0), // while a slider moves, the landscape goes first
  height: "clamp(330px, 36vw, 480px)",
  narrowHeight: "820px",
  controls: (about, lab) => [
    { title: "The paper's experiments", name: "presets", fields: [], first: true, element: lab && presets(about, lab) },
    { title: "Training", name: "training", fields: about.training },
  ],
  /** Erf descends while one watches; stochastic descent, and weights whose slopes are integrals, take a job. */
  question(state, lab) {
    const question = trainingQuestion(state, lab);
    const panel = lab.panel("curves");
    const { long, asker } = panel;
    if (state.get("weight") === "erf" && state.get("batch") === 0) { long.leave(); return question; }
    asker.forget();
    if (needsSamples(state)) {
      long.leave();
      panel.refuse("Softmax is trained on samples here, because every step on its exact risk is an integral.");
      return null;
    }
    long.ask(question);
    return null;
  },
  layout: (panel, layout) => ({ ...layout, shapes: nowLines(panel, layout) }),
  built(panel, lab) {
    panel.long = new LongTraining(panel);
    panel.remedy = element("button", { type: "button", id: "train-on-samples", hidden: true, onclick: () => lab.state.set({ batch: 4 }) }, "Train on 4 samples a step");
    panel.problem.after(panel.remedy);
    lab.state.onChange((changed) => {
      if (changed.has("t") && panel.answer) Plotly.relayout(panel.plot, { shapes: nowLines(panel, panel.answer.figure.layout) });
    });
    NARROW.addEventListener("change", () => panel.update());
  },
  /** The runs are known before anything is drawn, so that landscape and sequence see the same. */
  answered(panel, answer) {
    panel.remedy.hidden = true;
    panel.lab.paths = runsOf(answer.table);
    panel.lab.panel("landscape").time.show();
  },
  /** No runs: landscape and sequence must not show those of another setting. */
  refused(panel) {
    const { lab } = panel;
    panel.remedy.hidden = !needsSamples(lab.state);
    lab.paths = null;
    lab.panel("landscape").time.show();
    lab.panel("sequence")?.update();
  },
  drawn(panel) {
    panel.lab.panel("sequence")?.update();
    if (panel.linked) return;
    panel.linked = true;
    let wanted = null;
    panel.plot.on("plotly_hover", ({ points }) => {
      const first = wanted === null;
      wanted = points[0];
      if (!first) return;
      requestAnimationFrame(() => {
        const { lab } = panel;
        const run = wanted.curveNumber % lab.paths.runs.length;
        lab.state.set({ t: Number((wanted.pointIndex / (lab.paths.steps.length - 1)).toFixed(4)), run });
        wanted = null;
      });
    });
  },
};
