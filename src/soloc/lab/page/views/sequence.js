// One sequence, seen by the chosen run at the chosen moment of its training; at the truth where
// nothing can be trained.

import { element } from "../dom.js";
import { chosenRun, pathsOf, recordAt, runPicker, several } from "../time.js";

/** (k, v) and (-k, -v) answer alike: a run is shown with the sign that its key ends with. */
function signOf({ kappa, eta }) {
  const [end, swapped] = [kappa.at(-1), eta.at(-1)];
  return Math.sign(Math.abs(end) >= Math.abs(swapped) ? end : swapped) || 1;
}

export default {
  shown: (lab) => !several(lab),
  follows: "curves",
  /** Along a known training it moves with time; else the hand must rest. */
  rest: (lab, panel) => (lab.has("curves") && lab.panel("curves").stage === "shown" ? 0
    : panel.answer ? panel.view.look.rest : 0),
  question(lab) {
    const question = lab.question("sequence");
    const { stage } = lab.panel("curves");
    if (!lab.has("curves") || stage === "refused") return question;
    if (stage !== "shown") return undefined; // where the runs are is not known yet
    const run = pathsOf(lab).runs[chosenRun(lab)];
    const now = recordAt(lab);
    const { overlaps } = lab.view("curves").facts;
    const lam = Math.max(run.lam[now], lab.field("lam").low);
    return {
      ...question,
      setting: { ...question.setting, lam },
      at: Object.fromEntries(overlaps.map((name) =>
        [name, (name === "rho" ? 1 : signOf(run)) * run[name][now]])),
    };
  },
  built(panel, lab) {
    const { state } = lab;
    panel.runs = runPicker(lab);
    const last = lab.field("draw").high;
    const another = () => state.set({ draw: (state.get("draw") + 1) % (last + 1) });
    panel.extra.append(element("div", { class: "row" },
      element("button", { type: "button", id: "resample", onclick: another }, "Another sequence"),
      ...panel.runs.elements));
  },
  drawn: (panel) => panel.runs.show(),
};
