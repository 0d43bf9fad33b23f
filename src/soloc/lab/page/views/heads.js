// Several heads in training: risks here, and how each key and value stands to each kind of
// decisive token at the moment of the slider.

import { element } from "../dom.js";
import {
  chosenRun, nowLines, pathsOf, recordAt, runPicker, several, timeBar,
} from "../time.js";

const SCALE = [[0, "#0072b2"], [0.5, "#f7f7f7"], [1, "#d55e00"]];
const INK = "#101010";

/** Row h, column g: `name`_hg of a run at a record. */
function matrix(run, name, at, { heads, kinds }) {
  const of = (h, g) => run[`${name}_${h + 1}${g + 1}`][at];
  return Array.from({ length: heads }, (_, h) => Array.from({ length: kinds }, (_, g) => of(h, g)));
}

/** (k, v) and (-k, -v) answer alike: a head is shown with the sign that its key ends with. */
function signs(run, size) {
  const last = matrix(run, "kappa", run.step.length - 1, size);
  const largest = (row) => row.reduce((one, other) =>
    (Math.abs(other) > Math.abs(one) ? other : one));
  return last.map((row) => Math.sign(largest(row)) || 1);
}

/** Two heat maps: keys and values of the chosen run, now. */
function matrices({ lab, asked }) {
  const paths = pathsOf(lab);
  if (!paths) return [];
  const run = paths.runs[chosenRun(lab)];
  const size = JSON.parse(asked);
  const sign = signs(run, size);
  return [["kappa", "2", "key"], ["nu", "3", "value"]].map(([name, axis, word]) => {
    const z = matrix(run, name, recordAt(lab), size)
      .map((row, h) => row.map((value) => sign[h] * value));
    return {
      type: "heatmap", name: word, xaxis: `x${axis}`, yaxis: `y${axis}`, z, zmin: -1, zmax: 1,
      colorscale: SCALE, showscale: false, xgap: 2, ygap: 2,
      text: z.map((row) => row.map((value) => value.toFixed(2).replace("-", "−"))),
      texttemplate: "%{text}", textfont: { color: INK, size: 13 },
      hovertemplate: `%{y}, %{x}<br>${word} %{z:.4f}<extra></extra>`,
    };
  });
}

export default {
  shown: several,
  leads: ["heads", "kinds"],
  question: (lab) => (several(lab) ? lab.question("heads") : null),
  figure(panel, { data, layout }) {
    const own = { xaxis: layout.xaxis, yaxis: layout.yaxis };
    return {
      data: [...data, ...matrices(panel)],
      layout: { ...layout, shapes: nowLines(panel, own) },
    };
  },
  built(panel, lab) {
    panel.time = timeBar(lab, "heads-");
    panel.runs = runPicker(lab, "heads-");
    panel.extra.append(panel.time.element,
      element("div", { class: "row" }, ...panel.runs.elements));
    lab.state.onChange((changed) => {
      if (several(lab) && (changed.has("t") || changed.has("run"))) panel.redraw();
    });
  },
  staged: (panel) => { panel.time.show(); panel.runs.show(); },
};
