// Training runs, as curves here and as paths over the landscape.

import { element } from "../dom.js";
import { startsOf } from "../starts.js";
import { nowLines, pathsOf, several } from "../time.js";

const SAMPLES = 4; // a step, where only samples can be trained on

const needsSamples = (lab) => lab.weight().slow && lab.state.get("batch") === 0;

function presets(lab) {
  const { state } = lab;
  const buttons = lab.view("curves").facts.presets.map((preset) => [preset, element("button", {
    type: "button", title: preset.question, dataset: { preset: preset.name },
    onclick: () => state.set(preset.values),
  }, preset.label)]);
  const show = () => {
    for (const [{ values }, button] of buttons) {
      const holds = ([name, value]) => name === "t" || state.get(name) === value;
      button.setAttribute("aria-pressed", String(Object.entries(values).every(holds)));
    }
  };
  state.onChange(show);
  show();
  const group = { class: "presets", role: "group", "aria-label": "Experiments" };
  return element("div", group, ...buttons.map(([, button]) => button));
}

/** Moving along a curve moves time. */
function follow(panel) {
  let wanted = null;
  panel.plot.on("plotly_hover", ({ points }) => {
    const first = wanted === null;
    wanted = points[0];
    if (!first) return;
    requestAnimationFrame(() => {
      const paths = pathsOf(panel.lab);
      if (paths) {
        const t = wanted.pointIndex / (paths.steps.length - 1);
        const run = wanted.curveNumber % paths.runs.length;
        panel.lab.state.set({ t: Number(t.toFixed(4)), run });
      }
      wanted = null;
    });
  });
}

export default {
  shown: (lab) => !several(lab),
  jobRest: 700,
  groups: (lab) => [
    { title: "Experiments", name: "presets", first: true, element: presets(lab) },
  ],
  question(lab) {
    const question = lab.question("curves");
    return { ...question, training: { ...question.training, starts: startsOf(lab) } };
  },
  /** Closed slopes descend while one watches; samples, and slopes that are integrals, do not. */
  asJob: (lab) => !lab.weight().closed_slopes || lab.state.get("batch") > 0,
  refusal: (lab) => (needsSamples(lab)
    ? `${lab.state.get("weight")} is trained on samples here, because every step on its exact risk`
      + " is an integral."
    : null),
  figure: (panel, { data, layout }) =>
    ({ data, layout: { ...layout, shapes: nowLines(panel, layout) } }),
  built(panel, lab) {
    panel.remedy = element("button", {
      type: "button", id: "train-on-samples", hidden: true,
      onclick: () => lab.state.set({ batch: SAMPLES }),
    }, `Train on ${SAMPLES} samples a step`);
    panel.problem.after(panel.remedy);
    lab.state.onChange((changed) => {
      if (!changed.has("t") || !panel.answer || several(lab)) return;
      Plotly.relayout(panel.plot, { shapes: nowLines(panel, panel.answer.figure.layout) });
    });
  },
  staged(panel) {
    panel.remedy.hidden = !(panel.stage === "refused" && needsSamples(panel.lab));
    panel.lab.panel("landscape").time.show();
  },
  drawn(panel) {
    if (panel.linked) return;
    panel.linked = true;
    follow(panel);
  },
};
