// One sequence, seen by the chosen run at the chosen moment of its training; at the truth where
// nothing can be trained.

import { element } from "../dom.js";
import { chosenRun, pathsOf, recordAt, runPicker, several } from "../time.js";

export default {
  shown: (lab) => !several(lab),
  follows: "curves",
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
      at: Object.fromEntries(overlaps.map((name) => [name, run[name][now]])),
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
