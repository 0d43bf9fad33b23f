// One sequence, seen by the chosen run at the chosen moment of its training; at the truth where
// nothing can be trained.

import { element } from "../dom.js";
import { chosenRun, pathsOf, recordAt } from "../time.js";

export default {
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
    const runs = element("select", {
      id: "run", onchange: () => state.set({ run: Number(runs.value) }),
    });
    const label = element("label", { for: "run", class: "muted" }, "seen by");
    const option = (_, i) => element("option", { value: i }, `run ${i}`);
    panel.showRuns = () => {
      const count = pathsOf(lab)?.runs.length ?? 0;
      if (runs.options.length !== count) {
        runs.replaceChildren(...Array.from({ length: count }, option));
      }
      runs.value = String(chosenRun(lab));
      runs.hidden = label.hidden = count === 0;
    };
    const last = lab.field("draw").high;
    const another = () => state.set({ draw: (state.get("draw") + 1) % (last + 1) });
    panel.extra.append(element("div", { class: "row" },
      element("button", { type: "button", id: "resample", onclick: another }, "Another sequence"),
      label, runs));
  },
  drawn: (panel) => panel.showRuns(),
};
