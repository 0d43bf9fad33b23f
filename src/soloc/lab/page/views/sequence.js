// View 5: one sequence, seen by the chosen run at the chosen moment of its training; at the truth where nothing can be trained.

import { element } from "../dom.js";
import { chosenRun, recordAt } from "../time.js";

const NAMES = ["kappa", "nu", "theta", "eta", "rho"];

export default {
  id: "sequence",
  tab: "training",
  title: "One sequence",
  path: "/api/sequence",
  rest: (state, panel) => (panel.answer ? 120 : 0), // while a slider moves, the landscape goes first
  height: "400px",
  state: { draw: 0 },
  question(state, lab) {
    if (!lab.paths) return lab.panel("curves").element.classList.contains("stale") ? { setting: lab.setting(), draw: state.get("draw") } : null;
    const run = lab.paths.runs[chosenRun(lab)];
    const now = recordAt(lab);
    return {
      setting: { ...lab.setting(), lam: Math.max(run.lam[now], 1e-4) },
      at: Object.fromEntries(NAMES.map((name) => [name, run[name][now]])),
      draw: state.get("draw"),
    };
  },
  built(panel, lab) {
    const { state } = lab;
    const runs = element("select", { id: "run", onchange: () => state.set({ run: Number(runs.value) }) });
    const label = element("label", { for: "run", class: "muted" }, "seen by");
    panel.showRuns = () => {
      const count = lab.paths?.runs.length ?? 0;
      if (runs.options.length !== count) runs.replaceChildren(...Array.from({ length: count }, (_, i) => element("option", { value: i }, `run ${i}`)));
      runs.value = String(chosenRun(lab));
      runs.hidden = label.hidden = count === 0;
    };
    panel.extra.append(element("div", { class: "row" },
      element("button", { type: "button", id: "resample", onclick: () => state.set({ draw: (state.get("draw") + 1) % 2 ** 31 }) }, "Another sequence"),
      label, runs));
  },
  drawn: (panel) => panel.showRuns(),
};
