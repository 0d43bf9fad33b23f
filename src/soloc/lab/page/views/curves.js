// View 2: training runs, as curves here and as paths over the landscape.

import { element } from "../dom.js";
import { startsOf } from "../starts.js";
import { recordAt, runsOf } from "../time.js";

const NARROW = matchMedia("(max-width: 700px)");

export function trainingQuestion(state, lab) {
  const names = lab.about.training.map((field) => field.name);
  return { setting: lab.setting(), training: { ...state.pick(...names), starts: startsOf(state) }, columns: NARROW.matches ? 1 : 2 };
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

export default {
  id: "curves",
  tab: "training",
  title: "Training",
  path: "/api/paths",
  half: true,
  serverCsv: true,
  height: "clamp(330px, 36vw, 480px)",
  narrowHeight: "820px",
  controls: (about, lab) => [
    { title: "The paper's experiments", name: "presets", fields: [], first: true, element: lab && presets(about, lab) },
    { title: "Training", name: "training", fields: about.training },
  ],
  question: trainingQuestion,
  /** A line at the present moment in every small plot. */
  layout(panel, layout) {
    const step = panel.lab.paths?.steps[recordAt(panel.lab)];
    if (step === undefined) return layout;
    const color = getComputedStyle(document.documentElement).getPropertyValue("--muted").trim();
    const plots = Object.keys(layout).filter((name) => name.startsWith("yaxis")).map((name) => name.slice(5));
    return { ...layout, shapes: plots.map((mark) => ({
      type: "line", xref: `x${mark}`, yref: `y${mark} domain`, x0: step, x1: step, y0: 0, y1: 1, line: { color, width: 1, dash: "dot" },
    })) };
  },
  built(panel, lab) {
    lab.state.onChange((changed) => { if (changed.has("t")) panel.redraw(); });
    NARROW.addEventListener("change", () => panel.update());
  },
  /** The runs are known before anything is drawn, so that landscape and sequence see the same. */
  answered(panel, answer) {
    panel.lab.paths = runsOf(answer.table);
    panel.lab.panel("landscape").time.show();
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
